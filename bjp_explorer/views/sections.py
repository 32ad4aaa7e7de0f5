"""A long page's sections: one line of links to them, and their headings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

_SPACE = "\N{NO-BREAK SPACE}"


def show_contents(place: Any, sections: Mapping[str, str]) -> None:
    """Links to sections, given as headings by their anchors."""
    links = [f"[{title.replace(' ', _SPACE)}](#{anchor})" for anchor, title in sections.items()]
    place.caption(" · ".join(links))


def show_heading(sections: Mapping[str, str], anchor: str) -> None:
    """The heading of a section, to which its link leads."""
    st.subheader(sections[anchor], anchor=anchor)
