"""How the page About the method is laid out: its sections and its paragraphs."""

from __future__ import annotations

import streamlit as st

PROSE = 760  # pixels, about 90 characters a line
CONTENTS = {
    "edges": "What an edge means",
    "test": "One Bayesian test",
    "assertions": "What a graph asserts",
    "order": "The order, and the half that needs no test",
    "hubs": "Why that helps",
    "irregularity": "Irregular networks",
    "climb": "The climb",
    "mpl": "A third score: MPL",
    "limits": "What the scores do not do",
    "notation": "Notation",
    "references": "References",
}


def contents() -> None:
    """Links to the sections."""
    st.markdown(
        " · ".join(
            f"[{position}\N{NO-BREAK SPACE}{title}](#{anchor})"
            for position, (anchor, title) in enumerate(CONTENTS.items(), 1)
        )
    )


def section(anchor: str) -> None:
    """A numbered heading that the contents link to."""
    position = list(CONTENTS).index(anchor) + 1
    st.subheader(f"{position} · {CONTENTS[anchor]}", anchor=anchor)


def prose(text: str) -> None:
    """Paragraphs in lines short enough to read."""
    st.markdown(text, width=PROSE)
