"""From a file that was read, and a list of steps, to the current dataset."""

from __future__ import annotations

import re
from collections.abc import Iterable

from bjp_engine.errors import DataError, clip, listed
from bjp_engine.preparation import Preparation, Prepared, prepare
from bjp_engine.progress import UNWATCHED, Progress
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
        raise DataError(
            f"Only {clip(data.names[0])} is left; a network needs at least two variables."
        )
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
        every = "Both" if total == 2 else f"All {total:,}"
        return f"{every} columns are used unchanged; no cell is missing."
    several = len(plan.steps) > 1
    usual = ", as suggested" if normal(plan) == normal(reading.suggestion) else ""
    did = _add_up(one.rstrip(".") for one in loaded.did[: len(plan.steps)])
    more = f"; and {len(did) - _NAMED} more" if len(did) > _NAMED else ""
    return (
        f"{count(len(plan.steps), 'step')} {'are' if several else 'is'} applied{usual}: "
        f"{'; '.join(did[:_NAMED])}{more}. You can undo {'each of them' if several else 'it'}. "
        f"{count(data.rows, 'row')} and {count(data.n, 'variable')} remain."
    )


def _add_up(sentences: Iterable[str]) -> list[str]:
    """What steps did; of ordered variables, which each scale has a step for, all in one."""
    found: dict[str, int] = {}
    for one in sentences:
        amount = re.fullmatch(r"(\d+) variables? (declared as ordered)", one)
        what = amount[2] if amount else one
        found[what] = found.get(what, 0) + (int(amount[1]) if amount else 0)
    return [f"{count(n, 'variable')} {what}" if n else what for what, n in found.items()]


def _missing_in(reading: Reading, found: Prepared) -> tuple[int, ...]:
    """Missing cells in the file, of each variable."""
    holes = {one.name: one.missing for one in reading.health.variables}
    return tuple(holes.get(name, 0) for name in found.data.names)


def _note_single(found: Prepared) -> tuple[str, ...]:
    """A sentence on variables with a single state."""
    data = found.data
    names = [name for name, r in zip(data.names, data.cardinalities, strict=True) if r == 1]
    has = "has" if len(names) == 1 else "have"
    said = f"In the remaining rows, {listed(names, 1)} {has} only one state."
    return (said,) if names else ()
