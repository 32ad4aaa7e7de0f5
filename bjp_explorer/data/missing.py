"""The choice of what to do with missing cells, with what each costs in rows."""

from __future__ import annotations

import streamlit as st

from bjp_engine.dataset import MISSING_LABEL, Missing
from bjp_explorer.shell.text import count

_LABELS = {"drop": "Drop incomplete rows", "state": "Keep as a state of their own"}


def missing_choice(key: str, rows: int, complete: int, cells: int, usual: Missing) -> Missing:
    """Ask what to do with missing cells, where there is a choice."""
    what = count(cells, "missing cell")
    if not complete:
        st.info(
            f"{what}, and no row is complete. Dropping rows would leave nothing, so missing "
            f"cells become a state of their own, “{MISSING_LABEL}”.",
            icon=":material/rule:",
        )
        return "state"
    st.session_state.setdefault(key, usual)
    return st.radio(
        f"What to do with the {what}",
        ["drop", "state"],
        format_func=_LABELS.__getitem__,
        captions=[
            f"{complete:,} of {rows:,} rows remain",
            f"all {rows:,} rows remain, with “{MISSING_LABEL}” as one more state",
        ],
        key=key,
        horizontal=True,
        persist_state="session",
    )
