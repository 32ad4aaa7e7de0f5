"""Ending a page before its last line."""

from __future__ import annotations

from typing import NoReturn

from streamlit.runtime.scriptrunner import StopException


def end_page() -> NoReturn:
    """End the page here; the sidebar and the address are still written.

    `st.stop` would end the run, and with it what stands around the page.
    """
    raise StopException
