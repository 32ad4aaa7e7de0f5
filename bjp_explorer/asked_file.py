"""A link to an uploaded file: files stay with the visit, so the page asks for it right there."""

from __future__ import annotations

import streamlit as st

from bjp_engine import BJPError
from bjp_explorer import data_files, sources, state
from bjp_explorer.data_upload import Upload
from bjp_explorer.text import plain, prose

_FILE = "asked-file"


def ask() -> None:
    """Ask for the file that a link is to, if there is one; the page ends here until it has come.

    Notes
    -----
    With the file comes the same dataset, because a token names its content and how it is used.
    """
    token = state.asked_file()
    if token is None:
        return
    digest = token.partition(sources.PART)[0].split(":")[1]
    st.info(
        "This link is to a file of somebody’s own. Files stay with the visit that uploaded them: "
        "drop the same file here, and the page opens as the link says.",
        icon=":material/upload_file:",
    )
    file = st.file_uploader(f"The file with the digest {digest}", key=f"{_FILE}-{digest}")
    if file is not None:
        _compare(Upload(file.name, file.getvalue()), token)
    st.button("Go on with coronary", key="asked-leave", on_click=state.forget_asked)
    st.stop()


def _compare(upload: Upload, token: str) -> None:
    """Take the file in hand if it is the one; else say so, and offer it all the same."""
    if state.same_file(upload.token, token):
        _take(upload, token)
        return
    name = plain(upload.name) or "This file"
    st.error(
        prose(
            f"{name} is another file: its digest is {upload.digest}. The rest of the link may not "
            "fit it."
        ),
        icon=":material/error:",
    )
    if st.button("Use it all the same", key="asked-use", icon=":material/swap_horiz:"):
        _take(upload, upload.token)


def _take(upload: Upload, token: str) -> None:
    """Take the file in hand and open the page, or say why that can't be done."""
    try:
        base, mark, columns = token.partition(sources.PART)
        data_files.take(upload, base)
        if mark:
            state.choose(f"{state.current().token}{mark}{columns}")
    except BJPError as error:
        st.error(prose(str(error)), icon=":material/error:")
        return
    state.forget_asked()
    st.rerun()
