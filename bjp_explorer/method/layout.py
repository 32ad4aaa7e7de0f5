"""How the page About the method is laid out: its sections, its paragraphs, its choices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

from bjp_explorer.shell.text import shown

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


def choose(label: str, options: Sequence[Any], key: str, start: Any) -> Any:
    """A choice that falls back to its start once the options no longer hold it."""
    if st.session_state.get(key) not in options:
        st.session_state[key] = start if start in options else options[0]
    return st.selectbox(label, options, key=key, format_func=_named, persist_state="session")


def _named(name: Any) -> str:
    """A variable in a list of choices."""
    return "nothing" if name is None else shown(name)
