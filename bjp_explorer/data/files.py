"""The second way in: a file of the reader's own, which only this visit knows.

The file, what was read of it, the steps, and what was made of it are kept apart from the widgets,
because an uploader is empty again when one comes back to the page. A link to a file asks for it
where it leads.
"""

from __future__ import annotations

from typing import TypeVar

import streamlit as st

from bjp_engine.errors import BJPError
from bjp_engine.io.limits import Limits
from bjp_engine.preparation import Preparation
from bjp_explorer.data import making, steps, work
from bjp_explorer.data.reading import Reading, what_it_is
from bjp_explorer.data.upload import (
    Upload,
    kind_of,
    name_choices,
    read_by,
    server_files,
    show_choices,
    take_from_server,
    way,
    way_of,
)
from bjp_explorer.shell import sources
from bjp_explorer.shell import visit as state
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import plain, prose
from bjp_explorer.shell.visit import end_page

Found = TypeVar("Found")

# The file on the page, and the last one that became a dataset.
_UPLOAD, _KEPT = "data-upload", "data-kept"
_FILE, _FILE_ID, _RESUMED = "data-file", "data-file-id", "data-resumed"
_SERVER = "data-server-file"


def pick() -> str | None:
    """Take in a file, show its health, and prepare it.

    The token of the dataset made of it; None where there is none (yet).
    """
    upload = _upload()
    if upload is None:
        _invite()
        return None
    left, right = st.columns([5, 2], gap="medium")
    with left:
        reading = _report(work.reading(upload, way(upload)))
    with right:
        kind = reading.report.format if reading else kind_of(upload)
        show_choices(upload, kind, reading.report.chosen if reading else None)
    if reading is None:
        return None
    with left:
        loaded = _prepare(reading)
        _show_notes(reading)
    steps.show(reading, making.current(reading), loaded)
    return None if loaded is None else loaded.token


def take(upload: Upload, token: str) -> bool:
    """Use a file that a link asked for, in the way that the link says.

    False while it is being read or prepared; the page shows how far that is.
    """
    chosen, parts = way_of(upload, token.split(":")[2:])
    reading = _report(work.reading(upload, chosen))
    if reading is None:
        return False
    plan = making.steps_of(reading, parts)
    loaded = _report(work.make(reading, plan))
    if loaded is None:
        return False
    read_by(upload, chosen)
    making.change(reading, plan)
    state.keep_upload(loaded)
    st.session_state[_UPLOAD] = st.session_state[_KEPT] = upload
    return True


def _show_notes(reading: Reading) -> None:
    """Every guess of the reader; findings have what it says of columns."""
    report = reading.report
    if notes := report.notes:
        lines = "\n".join(f"- {prose(name_choices(note))}" for note in notes)
        with st.expander(f"What the reader noticed ({len(notes)})", icon=":material/visibility:"):
            st.markdown(lines)


def _invite() -> None:
    st.markdown(
        "The file needs one row per observation, one column per variable, and the names in the "
        "first line. A variable may have any number of states, written as text or as numbers. "
        "You see what was found and can change how it is handled. The file stays in the memory "
        "of this app and is deleted after you close the page."
    )
    limits = Limits.from_environment()
    most = min(int(st.get_option("server.maxUploadSize")), limits.file_mb)
    st.caption(
        f"Up to {most:,} MB, {limits.columns:,} columns and {limits.cells:,} cells. For a larger "
        "table, use `bjp learn` on the command line, save it as Parquet, or take a sample of its "
        "rows."
    )


def _upload() -> Upload | None:
    """The file on the page: just uploaded, or from before."""
    # Any type, so that the reader can say what to do about one it doesn't know.
    file = st.file_uploader(
        (
            "A table as CSV, TSV, text, Excel (.xlsx), SPSS (.sav), Stata (.dta), SAS "
            "(.sas7bdat, .xpt) or Parquet, also as .gz or .zip"
        ),
        key=_FILE,
    )
    memory = st.session_state
    if file is not None and memory.get(_FILE_ID) != file.file_id:
        memory[_FILE_ID] = file.file_id
        memory[_UPLOAD] = Upload(file.name, file.getvalue())
    offered = _offered() if file is None else None
    upload: Upload | None = memory.get(_UPLOAD)
    if state.has_arrived():
        # The uploader is empty again, while the file is still being read.
        memory[_RESUMED] = upload if work.is_reading() else None
    left = file is None and offered is None and memory.get(_RESUMED) is not upload
    if left and upload and not any(state.same_file(x, upload.token) for x in state.uploads()):
        # It never became a dataset, and it has been taken off the page: back to the one before.
        upload = memory[_UPLOAD] = memory.get(_KEPT)
    return upload


def _offered() -> str | None:
    """A file of the server that is chosen, where its administrator named a folder."""
    found = server_files()
    name = (
        st.selectbox("Or a file on this server", found, index=None, key=_SERVER) if found else None
    )
    memory = st.session_state
    if name is not None and memory.get(_FILE_ID) != (name,):
        upload = _report(take_from_server(name))
        if upload is None:
            return None
        memory[_FILE_ID], memory[_UPLOAD] = (name,), upload
    return name


def _prepare(reading: Reading) -> Loaded | None:
    """The dataset that the current steps make, which is selected; two sentences describe it."""
    plan: Preparation = making.current(reading)
    place = st.empty()
    loaded = _report(work.make(reading, plan))
    what = what_it_is(reading)
    if loaded is None:
        place.markdown(prose(what))
        return None
    place.markdown(prose(f"{what} {making.what_is_done(reading, plan, loaded)}"))
    if state.uploads().get(loaded.token) is not loaded:
        state.keep_upload(loaded)
        st.session_state[_KEPT] = reading.upload
    return loaded


def _report(found: Found | str | None) -> Found | None:
    """What was found; a sentence is shown as an error and becomes None."""
    if not isinstance(found, str):
        return found
    st.error(prose(name_choices(found)), icon=":material/error:")
    return None


def ask() -> None:
    """Ask for the file that a link is to, if there is one; the page ends here until it has come.

    With the file comes the same dataset, because a token names its content and how it is used.
    """
    token = state.missing_file()
    if token is None:
        return
    base = token.partition(sources.PART)[0]
    had = (st.session_state.get(name) for name in (_UPLOAD, _KEPT))
    upload = next((one for one in had if one and state.same_file(one.token, base)), None)
    upload = upload or _asked_upload(base.split(":")[1])
    if upload is not None and state.same_file(upload.token, token):
        _take(upload, token)
    elif upload is not None:
        name = plain(upload.name) or "This file"
        said = (
            f"{name} is a different file: its SHA-256 begins with {upload.digest}. To use it, "
            "upload it on the page Data."
        )
        st.error(prose(said), icon=":material/error:")
    other = f"Continue with {sources.samples()[sources.DEFAULT].title}"
    st.button(other, key="asked-leave", on_click=state.forget_missing_file)
    end_page()


def _asked_upload(digest: str) -> Upload | None:
    st.info(
        (
            "This page shows an uploaded file, and this visit doesn’t have it: files are kept "
            "for one visit only, and reloading the page begins a new one. Drop the same file "
            "here to continue. If someone sent you the link, ask them for the file."
        ),
        icon=":material/upload_file:",
    )
    label = f"Your file (its SHA-256 begins with {digest})"
    file = st.file_uploader(label, key=f"asked-file-{digest}")
    return None if file is None else Upload(file.name, file.getvalue())


def _take(upload: Upload, token: str) -> None:
    """Use the file and open the page, or say why that can't be done."""
    try:
        base, mark, columns = token.partition(sources.PART)
        if not take(upload, base):
            return
        if mark:
            state.choose(f"{state.current().token}{mark}{columns}")
    except BJPError as error:
        st.error(prose(str(error)), icon=":material/error:")
        return
    state.forget_missing_file()
    st.rerun()
