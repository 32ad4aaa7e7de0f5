"""From a file that was read, and a list of steps, to the current dataset and its token.

A token says how a file is read, and by which steps it is prepared:

    file:0123456789ab        read as usual, the suggested steps
    file:0123456789ab:s1:h2  the first sheet, two header lines (see `upload`)
    file:0123456789ab:z...   other steps, their JSON packed into letters
"""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from typing import Any

import streamlit as st

from bjp_engine.errors import DataError, OptionError, clip, listed
from bjp_engine.preparation import Preparation, Prepared, Step, prepare
from bjp_engine.preparation.steps import columns_of
from bjp_engine.progress import UNWATCHED, Progress
from bjp_explorer.data.reading import Reading, what_it_is
from bjp_explorer.data.upload import parts_of
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import count, plain

# Bytes that the steps of a link may unpack to.
_MOST_BYTES = 1 << 20
# Changes that can be undone.
_MOST = 200
# One sentence names so many steps; their list has all.
_NAMED = 3


def make(reading: Reading, plan: Preparation, watch: Progress = UNWATCHED) -> Loaded:
    """The dataset that the steps make of a file."""
    found = prepare(reading.table, plan, watch)
    data = found.data
    if data.n < 2:
        raise DataError(
            f"Only {clip(data.names[0])} is left; a network needs at least two variables."
        )
    missing = {one.name: one.missing for one in reading.health.variables}
    holes = tuple(missing.get(name, 0) for name in data.names)
    return Loaded(
        token_of(reading, plan),
        plain(reading.upload.name) or "Your file",
        what_it_is(reading),
        data,
        did=(*found.trace, *found.notes, *_note_single(found)),
        for_paper=found.for_paper,
        missing=sum(holes),
        missing_in=holes if any(holes) else (),
        preparation=found.preparation,
        groups=found.groups,
        imputed=found.imputed,
        reading=reading.report.chosen,
    )


def what_is_done(reading: Reading, plan: Preparation, loaded: Loaded) -> str:
    """The second sentence: what the steps do, and what they leave."""
    data, total = loaded.data, len(reading.names)
    if not plan.steps:
        every = "Both" if total == 2 else f"All {total:,}"
        return f"{every} columns are used unchanged; no cell is missing."
    several = len(plan.steps) > 1
    usual = ", as suggested" if plan == reading.suggestion else ""
    did = [said.rstrip(".") for said in what_steps_did(plan, loaded)]
    more = f"; and {len(did) - _NAMED} more" if len(did) > _NAMED else ""
    return (
        f"{count(len(plan.steps), 'step')} {'are' if several else 'is'} applied{usual}: "
        f"{'; '.join(did[:_NAMED])}{more}. You can undo {'each of them' if several else 'it'}. "
        f"{count(data.rows, 'row')} and {count(data.n, 'variable')} remain."
    )


def what_steps_did(plan: Preparation, loaded: Loaded) -> dict[str, tuple[str, str]]:
    """What each kind of step did; each scale has a step, and all of them one sentence."""
    scale, kinds = ("roles", "ordered"), [kind_of(step) for step in plan.steps]
    ordered = {n for s in plan.steps if kind_of(s) == scale for n in columns_of(s) or ()}
    scales = f"{count(len(ordered), 'variable')} declared as ordered."
    did = zip(kinds, loaded.did, strict=False)
    return {scales if kind == scale else said: kind for kind, said in did}


def kind_of(step: Step) -> tuple[str, str]:
    """What a step is called in a file, with the role that it gives to columns."""
    return step.kind, getattr(step, "role", "")


def _note_single(found: Prepared) -> tuple[str, ...]:
    data = found.data
    names = [name for name, r in zip(data.names, data.cardinalities, strict=True) if r == 1]
    has = "has" if len(names) == 1 else "have"
    said = f"In the remaining rows, {listed(names, 1)} {has} only one state."
    return (said,) if names else ()


def token_of(reading: Reading, plan: Preparation) -> str:
    """The token of what steps make of a file: its digest, and what isn't as usual.

    The same file used in the same way has the same token in every visit.
    """
    parts = parts_of(reading.upload, reading.way)
    if plan != reading.suggestion:
        packed = zlib.compress(plan.to_json().encode("ascii"), 9)
        parts.append(f"z{base64.urlsafe_b64encode(packed).decode('ascii').rstrip('=')}")
    return ":".join([reading.upload.token, *parts])


def steps_of(reading: Reading, parts: Sequence[str]) -> Preparation:
    """The steps that the parts of a token name."""
    if not parts:
        return reading.suggestion
    part, *more = parts
    try:
        letters = f"{part[1:]}{'=' * (-len(part[1:]) % 4)}".encode("ascii")
        plain = zlib.decompressobj().decompress(base64.urlsafe_b64decode(letters), _MOST_BYTES)
    except (ValueError, zlib.error):
        plain = b""
    if part[:1] != "z" or more or not plain:
        raise OptionError(f"The link holds {clip(part)}, which says nothing about a file.")
    return Preparation.from_json(plain)


# --- What a visit remembers -----------------------------------------------------------------------


def current(reading: Reading) -> Preparation:
    """The current steps of a file."""
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


def _history(reading: Reading) -> list[Preparation]:
    """The lists of steps that the visit had of a file read in one way, oldest first."""
    plans: dict[Any, list[Preparation]] = st.session_state.setdefault("data-plans", {})
    return plans.setdefault((reading.upload.digest, reading.way), [reading.suggestion])
