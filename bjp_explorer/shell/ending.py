"""Ending a page before its last line."""

from __future__ import annotations

from typing import NoReturn


class PageEnded(Exception):  # noqa: N818
    """A page has nothing more to show in this run."""


def end_page() -> NoReturn:
    """End the page here; the sidebar and the address are still written.

    `st.stop` would end the run, and with it what stands around the page.
    """
    raise PageEnded
