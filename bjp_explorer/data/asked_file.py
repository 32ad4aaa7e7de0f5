"""A link to an uploaded file: files stay with the visit, so the page asks for it right there.

Steps that a link can't spell out stay with the visit as well; then their file is asked for, too.
"""

from __future__ import annotations

import streamlit as st

from bjp_engine.errors import BJPError
from bjp_engine.preparation import Preparation
from bjp_explorer.data import files, visit
from bjp_explorer.data.file_token import asked_steps, digest_of
from bjp_explorer.data.plan import normal
from bjp_explorer.data.upload import Upload
from bjp_explorer.shell import sources
from bjp_explorer.shell import visit as state
from bjp_explorer.shell.text import plain, prose

_FILE, _STEPS, _ALL_THE_SAME = "asked-file", "asked-steps", "asked-all-the-same"


def ask() -> None:
    """Ask for the file that a link is to, if there is one; the page ends here until it has come.

    With the file comes the same dataset, because a token names its content and how it is used.
    """
    token = state.asked_file()
    if token is None:
        return
    base = token.partition(sources.PART)[0]
    upload = files.held(base) or _file(base.split(":")[1])
    ready = _steps(base)
    if upload is not None and ready:
        _compare(upload, token)
    st.button("Continue with coronary", key="asked-leave", on_click=state.forget_asked)
    st.stop()


def _file(digest: str) -> Upload | None:
    """The file that is dropped here."""
    st.info(
        "This link points to an uploaded file. Files stay with the visit that uploaded them. "
        "Drop the same file here to open the page as linked.",
        icon=":material/upload_file:",
    )
    file = st.file_uploader(f"The file with the digest {digest}", key=f"{_FILE}-{digest}")
    return None if file is None else Upload(file.name, file.getvalue())


def _steps(token: str) -> bool:
    """Whether the steps that a link names are known; else they are asked for."""
    wanted = asked_steps(token)
    if wanted is None or wanted in visit.known_steps():
        return True
    st.info(
        "The file was prepared with steps that a link can’t hold. The page Data saves them as "
        "JSON: drop that file here, too.",
        icon=":material/data_object:",
    )
    file = st.file_uploader(f"The steps with the digest {wanted[1:]}", key=f"{_STEPS}-{wanted}")
    if file is None:
        return False
    try:
        steps = Preparation.from_json(file.getvalue())
    except BJPError as error:
        st.error(prose(str(error)), icon=":material/error:")
        return False
    found = next((one for one in (steps, normal(steps)) if digest_of(one) == wanted), None)
    if found is None:
        st.error(
            f"These are different steps: their digest is {digest_of(normal(steps))[1:]}.",
            icon=":material/error:",
        )
        return False
    visit.remember(found)
    return True


def _compare(upload: Upload, token: str) -> None:
    """Take the file in hand if it is the one; else say so, and offer it all the same."""
    if state.same_file(upload.token, token):
        _take(upload, token)
        return
    if st.session_state.get(_ALL_THE_SAME) == upload.digest:
        _take(upload, upload.token)
        return
    name = plain(upload.name) or "This file"
    st.error(
        prose(
            f"{name} is a different file: its digest is {upload.digest}. The rest of the link may "
            "not fit it."
        ),
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
    """Take the file in hand and open the page, or say why that can't be done."""
    try:
        base, mark, columns = token.partition(sources.PART)
        if not files.take(upload, base):
            return
        if mark:
            state.choose(f"{state.current().token}{mark}{columns}")
    except BJPError as error:
        st.error(prose(str(error)), icon=":material/error:")
        return
    state.forget_asked()
    st.rerun()
