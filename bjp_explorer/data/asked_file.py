"""A link to an uploaded file: files stay with the visit, so the page asks for it right there."""

from __future__ import annotations

import streamlit as st

from bjp_engine.errors import BJPError
from bjp_explorer.data import files, words
from bjp_explorer.data.upload import Upload
from bjp_explorer.shell import sources
from bjp_explorer.shell import visit as state
from bjp_explorer.shell.ending import end_page
from bjp_explorer.shell.text import plain, prose

_FILE, _ALL_THE_SAME = "asked-file", "asked-all-the-same"


def ask() -> None:
    """Ask for the file that a link is to, if there is one; the page ends here until it has come.

    With the file comes the same dataset, because a token names its content and how it is used.
    """
    token = state.missing_file()
    if token is None:
        return
    base = token.partition(sources.PART)[0]
    upload = files.find_upload(base) or _file(base.split(":")[1])
    if upload is not None:
        _compare(upload, token)
    other = f"Continue with {sources.samples()[sources.DEFAULT].title}"
    st.button(other, key="asked-leave", on_click=state.forget_missing_file)
    end_page()


def _file(digest: str) -> Upload | None:
    """The file that is dropped here."""
    st.info(words.ASK_FILE, icon=":material/upload_file:")
    label = f"Your file (its SHA-256 begins with {digest})"
    file = st.file_uploader(label, key=f"{_FILE}-{digest}")
    return None if file is None else Upload(file.name, file.getvalue())


def _compare(upload: Upload, token: str) -> None:
    """Use the file if it is the one; else say so, and offer it all the same."""
    if state.same_file(upload.token, token):
        _take(upload, token)
        return
    if st.session_state.get(_ALL_THE_SAME) == upload.digest:
        _take(upload, upload.token)
        return
    name = plain(upload.name) or "This file"
    st.error(
        prose(words.OTHER_FILE.format(name=name, digest=upload.digest)),
        icon=":material/error:",
    )
    st.button(
        "Use it anyway",
        key="asked-use",
        icon=":material/swap_horiz:",
        on_click=_use,
        args=(upload.digest,),
    )


def _use(digest: str) -> None:
    """Remember that another file is wanted: reading it may take more than one run."""
    st.session_state[_ALL_THE_SAME] = digest


def _take(upload: Upload, token: str) -> None:
    """Use the file and open the page, or say why that can't be done."""
    try:
        base, mark, columns = token.partition(sources.PART)
        if not files.take(upload, base):
            return
        if mark:
            state.choose(f"{state.current().token}{mark}{columns}")
    except BJPError as error:
        st.error(prose(str(error)), icon=":material/error:")
        return
    state.forget_missing_file()
    st.rerun()
