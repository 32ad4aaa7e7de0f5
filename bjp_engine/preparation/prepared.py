"""What a list of steps makes of a table; the table that one began with is never changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from bjp_engine.columns import Table
from bjp_engine.dataset import Dataset
from bjp_engine.errors import BJPError, DataError, clip, plural
from bjp_engine.identifiers import describe_repeats, find_units, is_repeated
from bjp_engine.parameters.imputation import Imputed, impute
from bjp_engine.preparation.preparation import Preparation
from bjp_engine.preparation.states import MissingCells
from bjp_engine.preparation.steps import Step
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import record
from bjp_engine.validate import Name, entries

if TYPE_CHECKING:
    import pandas as pd


@record
@dataclass(frozen=True)
class StepTrace:
    """What one step did."""

    number: int  # from 1
    step: Step
    sentence: str  # what it did, in figures
    rows_before: int
    rows_after: int


@record
@dataclass(frozen=True, eq=False)
class Prepared:
    """A table after its preparation.

    Attributes
    ----------
    notes : tuple of str
        A sentence on imputed cells, and one on a column left out that looks like the number of
        persons with several rows.
    for_paper : tuple of str
        What was done, in the past tense: how large the table was, each step, and the notes; but for
        imputation, of which its record says more, see `write_paragraph`.
    groups : Dataset, optional
        The same rows by the columns that were kept as groups.
    imputed : Imputed, optional
        All completed tables, of which `data` is the first.
    """

    data: Dataset
    preparation: Preparation = field(default_factory=Preparation)
    trace: tuple[StepTrace, ...] = ()
    notes: tuple[str, ...] = ()
    for_paper: tuple[str, ...] = ()
    groups: Dataset | None = None
    imputed: Imputed | None = None


def describe_size(rows: int, columns: int) -> str:
    """How large a table was before anything was done to it, for a paper."""
    return f"The table had {plural(rows, 'row')} and {plural(columns, 'column')}."


def prepare(
    frame: pd.DataFrame | Table,
    steps: Preparation | Iterable[Step] = (),
    progress: Progress = UNWATCHED,
) -> Prepared:
    """Apply an ordered list of steps to a table.

    Parameters
    ----------
    frame : pandas.DataFrame or Table
        As it was read, missing cells as such; it is not changed.
    progress : Progress, optional
        Hears how many steps were taken, or how many tables were completed where cells are
        imputed; can cancel.

    Examples
    --------
    >>> from bjp_engine.preparation import prepare
    >>> import pandas as pd
    >>> from bjp_engine.preparation import BinNumbers, MissingCells
    >>> frame = pd.DataFrame({"age": [3, 31, 62, 80], "town": ["A", None, "B", "A"]})
    >>> made = prepare(frame, [MissingCells("state"), BinNumbers(("age",), "cuts", cuts=(18, 65))])
    >>> made.data.labels
    (('<18', '18–64', '≥65'), ('A', 'B', '(missing)'))
    >>> made.trace[0].sentence
    '1 missing cell in 1 variable: a state of their own.'
    """
    check_progress(progress)
    plan = steps if isinstance(steps, Preparation) else Preparation(tuple(entries(steps, "steps")))
    given = table = Table.of(frame)
    table.check_rows()
    trace: list[StepTrace] = []
    for number, step in enumerate(plan.steps, 1):
        progress.tick(number - 1, len(plan.steps))
        try:
            after, sentence = step.apply(table)
        except BJPError as reason:
            raise DataError(f"Step {number} ({step.title}): {reason}") from None
        trace.append(StepTrace(number, step, sentence, table.rows, after.rows))
        table = after
    progress.tick()
    table, groups = _without_groups(table)
    # Without the column nobody could see any more that rows depend on each other.
    gone = {name: c for name, c in given.columns.items() if name not in table.columns}
    units = set(find_units(given.columns)) & gone.keys() if gone else set()
    notes = [
        describe_repeats(name, column.counts)
        for name, column in gone.items()
        if name in units or is_repeated(name, column.values, column.counts)
    ]
    imputing = [s for s in plan.steps if isinstance(s, MissingCells) and s.how == "impute"]
    done, imputed = notes.copy(), None
    if imputing and _holes(table):
        imputed = impute(table, seed=imputing[0].seed, progress=progress)
        notes.append(f"{imputed.sentence} The dataset is the first completed table.")
    else:
        _check_missing(table)
    data = Dataset.from_table(table) if imputed is None else imputed.datasets[0]
    said = [describe_size(given.rows, len(given.names))] if trace else []
    for one in trace:
        empty = one.rows_before - one.rows_after
        if imputed is None or one.step not in imputing:
            said.append(one.step.for_paper(one.rows_before, one.rows_after))
        elif empty:
            were = "was" if empty == 1 else "were"
            said.append(f"{plural(empty, 'row')} without any value {were} left out.")
    return Prepared(data, plan, tuple(trace), tuple(notes), (*said, *done), groups, imputed)


def _without_groups(table: Table) -> tuple[Table, Dataset | None]:
    """The variables, and the same rows by the columns kept as groups."""
    groups = {name: replace(c, own=True) for name, c in table.columns.items() if c.group}
    if not groups:
        return table, None
    variables = [name for name in table.names if name not in groups]
    if not variables:
        raise DataError("Only groups are left; keep at least one variable.")
    return table.keeping(variables), Dataset.from_table(Table(table.rows, groups))


def _holes(table: Table) -> dict[Name, int]:
    return {name: one.holes for name, one in table.columns.items() if one.holes and not one.own}


def _check_missing(table: Table) -> None:
    """Refuse cells of which no step says what becomes of them."""
    if holes := _holes(table):
        cells = sum(holes.values())
        raise DataError(
            f"{plural(cells, 'cell')} in {plural(len(holes), 'variable')} "
            f"{'is' if cells == 1 else 'are'} still missing (most in "
            f"{clip(max(holes, key=lambda name: holes[name]))}); add a step that drops their rows, "
            "makes them a state or imputes them."
        )
