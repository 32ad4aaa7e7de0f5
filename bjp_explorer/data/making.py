"""From a file that was read, and a list of steps, to the current dataset."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bjp_engine.errors import DataError, clip
from bjp_engine.preparation import Preparation, Prepared, prepare
from bjp_engine.progress import UNWATCHED, Progress
from bjp_explorer.data import words
from bjp_explorer.data.file_token import normal, token_of
from bjp_explorer.data.reading import Reading, what_it_is
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import count, plain

# One sentence names so many steps; their list has all.
_NAMED = 3


def make(reading: Reading, plan: Preparation, watch: Progress = UNWATCHED) -> Loaded:
    """The dataset that the steps make of a file."""
    found = prepare(reading.table, plan, watch)
    data = found.data
    if data.n < 2:
        raise DataError(words.ONE_LEFT.format(name=clip(data.names[0])))
    holes = _missing_in(reading, found)
    return Loaded(
        token_of(reading, plan),
        plain(reading.upload.name) or "Your file",
        what_it_is(reading),
        data,
        did=(*(one.sentence for one in found.trace), *found.notes, *_note_single(found)),
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
        every = words.BOTH if total == 2 else words.ALL.format(columns=total)
        return f"{every} columns are used unchanged; no cell is missing."
    steps = count(len(plan.steps), "step")
    are = "is" if len(plan.steps) == 1 else "are"
    usual = normal(plan) == normal(reading.suggestion)
    did = _add_up(one.rstrip(".") for one in loaded.did[: len(plan.steps)])
    more = len(did) - _NAMED
    return "{steps} {are} applied{suggested}: {what}{more}. You can undo {them}. {left}.".format(
        steps=steps,
        are=are,
        them="it" if len(plan.steps) == 1 else "each of them",
        suggested=words.AS_SUGGESTED if usual else "",
        what="; ".join(did[:_NAMED]),
        more=words.MORE.format(steps=more) if more > 0 else "",
        left=words.LEFT.format(rows=count(data.rows, "row"), variables=count(data.n, "variable")),
    )


def _add_up(sentences: Iterable[str]) -> list[str]:
    """What steps did; of ordered variables, which each scale has a step for, all in one."""
    found: dict[str, int] = {}
    for one in sentences:
        amount = re.fullmatch(r"(\d+) variables? (declared as ordered)", one)
        what = amount[2] if amount else one
        found[what] = found.get(what, 0) + (int(amount[1]) if amount else 0)
    return [f"{count(n, 'variable')} {what}" if n else what for what, n in found.items()]


def what_would_be_done(plan: Preparation) -> str:
    """The second sentence while the steps are being taken, or where they can't be."""
    if not plan.steps:
        return "It is used without preparation."
    more = len(plan.steps) - _NAMED
    return words.TO_APPLY.format(
        steps=count(len(plan.steps), "step"),
        what=" ".join(plan.sentences[:_NAMED]),
        more=words.TO_APPLY_MORE.format(steps=more) if more > 0 else "",
    )


def _missing_in(reading: Reading, found: Prepared) -> tuple[int, ...]:
    """Missing cells in the file, of each variable."""
    holes = {one.name: one.missing for one in reading.health.variables}
    return tuple(holes.get(name, 0) for name in found.data.names)


def _note_single(found: Prepared) -> tuple[str, ...]:
    """A sentence on variables with a single state."""
    names = [
        name for name, r in zip(found.data.names, found.data.cardinalities, strict=True) if r == 1
    ]
    if not names:
        return ()
    more = words.HAVE.format(others=len(names) - 1) if len(names) > 1 else words.HAS
    return (words.ONE_STATE.format(name=clip(names[0], 30), more=more),)
