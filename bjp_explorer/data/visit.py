"""What a visit remembers of its files: how each is read, and every list of steps it had.

Kept apart from widgets, which a page forgets, and by content, which may come under any name.
"""

from __future__ import annotations

from typing import Any

import streamlit as st

from bjp_engine.io import ReadOptions
from bjp_engine.preparation import Preparation
from bjp_explorer.data.reading import Reading
from bjp_explorer.data.upload import Upload

_WAYS, _PLANS, _REFUSED = "data-ways", "data-plans", "data-refused"
_MOST = 200


def way(upload: Upload) -> ReadOptions | None:
    """How a file is read, where that was chosen."""
    found: ReadOptions | None = _kept(_WAYS).get(upload.digest)
    return found


def read_by(upload: Upload, options: ReadOptions) -> None:
    """Read a file in another way."""
    _kept(_WAYS)[upload.digest] = options


def refuse(sentence: str) -> None:
    """Keep for the page why what was asked for can't be done."""
    st.session_state[_REFUSED] = sentence


def take_refusal() -> str | None:
    """Why what was asked for last was not done; given once."""
    found: str | None = st.session_state.pop(_REFUSED, None)
    return found


def plan(reading: Reading) -> Preparation:
    """The current steps."""
    return _history(reading)[-1]


def change(reading: Reading, steps: Preparation) -> None:
    """Take other steps; those before can be had back."""
    history = _history(reading)
    if steps != history[-1]:
        history.append(steps)
        del history[:-_MOST]


def can_undo(reading: Reading) -> bool:
    """Whether there is a change to take back."""
    return len(_history(reading)) > 1


def undo(reading: Reading) -> None:
    """Take the last change back."""
    if can_undo(reading):
        _history(reading).pop()


def known_steps() -> list[Preparation]:
    """All lists of steps that the visit had."""
    return [one for history in _kept(_PLANS).values() for one in history]


def _history(reading: Reading) -> list[Preparation]:
    """The lists of steps of a file read in one way, oldest first."""
    history: list[Preparation] = _kept(_PLANS).setdefault(
        (reading.upload.digest, reading.way), [reading.suggestion]
    )
    return history


def _kept(name: str) -> dict[Any, Any]:
    """One of the things that are remembered."""
    found: dict[Any, Any] = st.session_state.setdefault(name, {})
    return found
