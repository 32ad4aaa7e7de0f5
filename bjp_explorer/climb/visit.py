"""What a visit remembers of its climbs: where one stood, and which ones were watched live."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from bjp_explorer.shell import visit
from bjp_explorer.shell.components import numbers_in

_AT, _LIVE = "climb-at", "climb-live"
# The step that a link asks for, until the climb is there.
ASKED, _GO = "climb-asked", "climb-go"
_END = -1
_MOST_STEPS = 1 << 40


def enter() -> None:
    """Begin a run of the page: a climb counts as live until one leaves the page."""
    if visit.has_arrived() or _LIVE not in st.session_state:
        st.session_state[_LIVE] = set()


def watch_live(identity: str) -> None:
    """Note that a climb is followed while it runs."""
    st.session_state[_LIVE].add(identity)
    # Whoever leaves before it has ended finds it at its end.
    places()[identity] = _END


def was_live(identity: str) -> bool:
    """Whether a climb was followed while it ran, during this stay on the page."""
    return identity in st.session_state[_LIVE]


def forget_live(identity: str) -> None:
    """Treat a climb that was followed live like any other."""
    st.session_state[_LIVE].discard(identity)


def settle(settled: object) -> None:
    """Remember the step at which the component says that it rests."""
    if not isinstance(settled, Mapping):
        return
    step = numbers_in([settled.get("step")], _MOST_STEPS)
    if step is not None and isinstance(settled.get("id"), str):
        places()[settled["id"]] = step[0]
        st.session_state.pop(_GO, None)


def initial_step(identity: str) -> int | None:
    """Where to begin showing a climb.

    0 at first, the step at which it was left; None for its end.
    """
    return step_in(places(), identity)


def places() -> dict[str, int]:
    """The step at which each climb was left, where it was."""
    found: dict[str, int] = st.session_state.setdefault(_AT, {})
    return found


def step_in(found: Mapping[str, int], identity: str) -> int | None:
    """Where to begin showing a climb, by such places."""
    step = found.get(identity, 0)
    return None if step == _END else step


def go(identity: str) -> int | None:
    """The step that a link asks for; once the climb has ended, it is the one remembered.

    None where no link asked for one.
    """
    asked: int | None = st.session_state.pop(ASKED, None)
    if asked is not None:
        places()[identity] = asked
        # Told until one has moved: a rerun may overtake the one that first tells it.
        st.session_state[_GO] = (identity, asked)
    known, step = st.session_state.get(_GO, (None, None))
    return step if known == identity else None


def at(identity: str) -> int:
    """The step at which a climb was left last.

    0 at first, and where it was left at its end while it ran.
    """
    return max(0, initial_step(identity) or 0)
