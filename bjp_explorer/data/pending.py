"""A file that is still being read while another page is shown: one line there says so."""

from __future__ import annotations

from typing import Any

import streamlit as st

from bjp_explorer.data import words
from bjp_explorer.jobs.job import Job
from bjp_explorer.shell import visit
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import markdown

_PENDING = "data-pending"
# Seconds between two looks.
_LOOK = 1.0


def note(job: Job[Any]) -> None:
    """Remember that a file is being read, and which dataset stays selected meanwhile."""
    st.session_state[_PENDING] = (job, visit.current().token)


def forget() -> None:
    """It has been read, and Data has it."""
    st.session_state.pop(_PENDING, None)


def is_there() -> bool:
    """Whether a file is being read, or was and has not been used yet."""
    job, token = st.session_state.get(_PENDING, (None, ""))
    return job is not None and not job.cancelled and token == visit.current().token


def show(loaded: Loaded) -> None:
    """Say on any page but Data that a file is being read, or that it has been."""
    if visit.page() == "data":
        return
    if not is_there():
        forget()
        return
    job = st.session_state[_PENDING][0]
    if job.ended:
        st.info(
            words.READ_MEANWHILE.format(title=markdown(loaded.title)), icon=":material/database:"
        )
    else:
        _follow(job, loaded.title)


def _follow(job: Job[Any], title: str) -> None:
    """Look whether it has ended, then show the page anew."""

    @st.fragment(run_every=_LOOK, key="data-pending-line")
    def look() -> None:
        if job.ended:
            st.rerun()
        st.info(words.STILL_READING.format(title=markdown(title)), icon=":material/hourglass_top:")

    look()
