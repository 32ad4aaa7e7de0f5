"""What a visit remembers of its files: how each is read, and every list of steps it had.

Kept apart from widgets, which a page forgets, and by content, which may come under any name.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

from bjp_engine.errors import BJPError
from bjp_engine.io import ReadOptions
from bjp_engine.preparation import Preparation
from bjp_explorer.data.file_token import digest_of
from bjp_explorer.data.options import Choice, usual_way
from bjp_explorer.data.plan import normal
from bjp_explorer.data.reading import Reading
from bjp_explorer.data.upload import Upload

_WAYS, _PLANS, _STEPS, _REFUSED = "data-ways", "data-plans", "data-steps-known", "data-refused"
_MOST = 200


def way(upload: Upload) -> ReadOptions:
    """How a file is read."""
    found: ReadOptions | None = _shelf(_WAYS).get(upload.digest)
    return found if found is not None else usual_way(upload)


def read_by(upload: Upload, options: ReadOptions) -> None:
    """Read a file in another way."""
    _shelf(_WAYS)[upload.digest] = options


def change_way(upload: Upload, choice: Choice, key: str) -> None:
    """Read a file in another way, as a widget says; why that can't be done is kept for the page."""
    chosen = st.session_state[key]
    value = chosen if isinstance(chosen, bool) else choice.values[chosen][0]
    change: dict[str, Any] = {choice.field: value}
    try:
        read_by(upload, replace(way(upload), **change))
    except BJPError as error:
        st.session_state[_REFUSED] = str(error)


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
    remember(steps)


def can_undo(reading: Reading) -> bool:
    """Whether there is a change to take back."""
    return len(_history(reading)) > 1


def undo(reading: Reading) -> None:
    """Take the last change back."""
    if can_undo(reading):
        _history(reading).pop()


def remember(steps: Preparation) -> None:
    """Keep steps, so that a token may name them."""
    for known in (steps, normal(steps)):
        _shelf(_STEPS)[digest_of(known)] = known


def known_steps() -> dict[str, Preparation]:
    """The steps that a token may name, by their digest."""
    return dict(_shelf(_STEPS))


def _history(reading: Reading) -> list[Preparation]:
    """The lists of steps of a file read in one way, oldest first."""
    plans = _shelf(_PLANS)
    history: list[Preparation] = plans.setdefault(
        (reading.upload.digest, reading.way), [reading.suggestion]
    )
    return history


def _shelf(name: str) -> dict[Any, Any]:
    """One of the things that are remembered."""
    found: dict[Any, Any] = st.session_state.setdefault(name, {})
    return found
