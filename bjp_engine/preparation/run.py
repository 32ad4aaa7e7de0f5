"""A preparation applied to a table: the dataset, and what each step did."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from bjp_engine.columns import Table
from bjp_engine.dataset import Dataset
from bjp_engine.errors import BJPError, DataError
from bjp_engine.preparation.base import Did, Step
from bjp_engine.preparation.coding import coded, states_of
from bjp_engine.preparation.plan import Preparation
from bjp_engine.progress import UNWATCHED, Progress

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class StepTrace:
    """What one step did.

    Parameters
    ----------
    number : int
        From 1.
    step : Step
        With what it found in the table.
    sentence : str
        What it did, in figures.
    cells : int
        How many cells it changed.
    """

    number: int
    step: Step
    sentence: str
    rows_before: int
    rows_after: int
    columns_before: int
    columns_after: int
    cells: int


@dataclass(frozen=True, eq=False)
class Prepared:
    """A table after its preparation.

    Parameters
    ----------
    data : Dataset
    preparation : Preparation
        With what each step found: applied to another table it cuts at the same places, fills in
        the same states, and gives the same codes.
    trace : tuple of StepTrace
        One for each step.
    notes : tuple of str
        A sentence for each decision that an unlike table asked for.
    """

    data: Dataset
    preparation: Preparation
    trace: tuple[StepTrace, ...]
    notes: tuple[str, ...] = ()


def prepare(
    frame: pd.DataFrame | Table,
    steps: Preparation | Iterable[Step] = (),
    watch: Progress = UNWATCHED,
) -> Prepared:
    """Apply an ordered list of steps to a table.

    Parameters
    ----------
    frame : pandas.DataFrame
        As it was read, missing cells as such; it is not changed. Or a `Table` of it, whose
        columns stay coded from one call to the next.
    steps : Preparation or iterable of Step
        A preparation that was applied before brings its cuts, spellings and states along.
    watch : Progress, optional
        Told before each step; can cancel.

    Returns
    -------
    Prepared

    Raises
    ------
    DataError
        If a step doesn't fit the table (the sentence names it by its number), or cells are
        missing at the end.
    OptionError
        If `steps` is no list of steps.
    Cancelled
        If `watch` says so.

    Examples
    --------
    >>> import pandas as pd
    >>> from bjp_engine.preparation import BinNumbers, MissingCells
    >>> frame = pd.DataFrame({"age": [3, 31, 62, 80], "town": ["A", None, "B", "A"]})
    >>> made = prepare(frame, [MissingCells("state"), BinNumbers(("age",), "cuts", cuts=(18, 65))])
    >>> made.data.labels
    (('<18', '18–64', '≥65'), ('A', 'B', '(missing)'))
    >>> made.trace[0].sentence
    '1 missing cell in 1 variable: a state of their own.'
    """
    preparation = Preparation.of(steps)
    table = Table.of(frame)
    table.check_rows()
    trace: list[StepTrace] = []
    for number, step in enumerate(preparation.steps, 1):
        watch.tick(number - 1, len(preparation.steps))
        fitted, did = _applied(number, step, table)
        trace.append(
            StepTrace(
                number,
                fitted,
                did.sentence,
                table.rows,
                did.table.rows,
                len(table.names),
                len(did.table.names),
                did.cells,
            )
        )
        table = did.table
    watch.tick()
    data, notes = coded(table, preparation)
    states = states_of(data) if preparation.states is None else preparation.states
    made = replace(preparation, steps=tuple(one.step for one in trace), states=states)
    return Prepared(data, made, tuple(trace), tuple(notes))


def _applied(number: int, step: Step, table: Table) -> tuple[Step, Did]:
    """One step fitted and applied, or a sentence with its number."""
    try:
        fitted = step.fit(table)
        return fitted, fitted.apply(table)
    except BJPError as reason:
        raise DataError(f"Step {number} ({step.title}): {reason}") from None
