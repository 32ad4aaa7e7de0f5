"""From a file that was read, and a list of steps, to the current dataset."""

from __future__ import annotations

from bjp_engine.dataset import Name
from bjp_engine.errors import DataError, clip
from bjp_engine.preparation import Preparation, Prepared, RenameVariables, prepare
from bjp_engine.progress import UNWATCHED, Progress
from bjp_explorer.data.file_token import token_of
from bjp_explorer.data.plan import normal
from bjp_explorer.data.reading import Reading, what_it_is
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import count, plain

# What is said of the steps in one sentence; the list of steps says all.
_TOLD = 3


def made(reading: Reading, plan: Preparation, watch: Progress = UNWATCHED) -> Loaded:
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
        did=(*(one.sentence for one in found.trace), *found.notes, *_alone(found)),
        missing=sum(holes),
        missing_in=holes if any(holes) else (),
        preparation=found.preparation,
        reading=reading.report.chosen,
    )


def what_is_done(reading: Reading, plan: Preparation, loaded: Loaded) -> str:
    """The second sentence: what the steps do, and what they leave."""
    data, total = loaded.data, len(reading.names)
    if not plan.steps:
        every = "Both" if total == 2 else f"All {total:,}"
        return f"{every} columns are used unchanged; no cell is missing."
    steps = count(len(plan.steps), "step")
    are = "is" if len(plan.steps) == 1 else "are"
    usual = normal(plan) == normal(reading.suggested)
    head = f"{steps} {are} applied, as suggested" if usual else f"{steps} {are} applied"
    said = [one.rstrip(".") for one in loaded.did[: min(_TOLD, len(plan.steps))]]
    more = f" and {len(plan.steps) - _TOLD} more" if len(plan.steps) > _TOLD else ""
    left = f"{count(data.rows, 'row')} and {count(data.n, 'variable')} remain"
    return f"{head}: {'; '.join(said)}{more}. You can undo each of them. {left}."


def what_would_be_done(plan: Preparation) -> str:
    """The second sentence while the steps are being taken, or where they can't be."""
    if not plan.steps:
        return "It is used without preparation."
    said = " ".join(plan.sentences[:_TOLD])
    more = f" And {len(plan.steps) - _TOLD} more." if len(plan.steps) > _TOLD else ""
    return f"{count(len(plan.steps), 'step')} to apply: {said}{more}"


def _missing_in(reading: Reading, found: Prepared) -> tuple[int, ...]:
    """Missing cells in the file, of each variable."""
    before: dict[Name, Name] = {name: name for name in reading.names}
    for step in found.preparation.steps:
        if isinstance(step, RenameVariables):
            names = dict(step.names)
            before = {names.get(name, name): old for name, old in before.items()}
    holes = {one.name: one.missing for one in reading.health.variables}
    return tuple(holes.get(before.get(name, name), 0) for name in found.data.names)


def _alone(found: Prepared) -> tuple[str, ...]:
    """A sentence on variables with a single state."""
    names = [
        name for name, r in zip(found.data.names, found.data.cardinalities, strict=True) if r == 1
    ]
    if not names:
        return ()
    more = f" and {len(names) - 1} more have" if len(names) > 1 else " has"
    return (f"In the remaining rows, {clip(names[0], 30)}{more} only one state.",)
