"""What a list of steps makes of a table; the table that one began with is never changed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeGuard

from bjp_engine.columns import Column, Table
from bjp_engine.dataset import Dataset
from bjp_engine.errors import BJPError, DataError, clip, listed, plural
from bjp_engine.identifiers import describe_repeats, find_units, is_repeated
from bjp_engine.parameters.imputation import Imputed, impute
from bjp_engine.preparation.preparation import Preparation, States
from bjp_engine.preparation.states import MissingCells
from bjp_engine.preparation.steps import Step, StepResult
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import record
from bjp_engine.validate import Name

if TYPE_CHECKING:
    import pandas as pd

_MOST_NAMED = 3


@record
@dataclass(frozen=True)
class StepTrace:
    """What one step did."""

    number: int  # from 1
    step: Step  # with what it found in the table
    sentence: str  # what it did, in figures
    rows_before: int
    rows_after: int
    columns_before: int
    columns_after: int
    cells: int  # that it changed

    @property
    def for_paper(self) -> str:
        """What it did, in the past tense."""
        return self.step.for_paper(self.rows_before, self.rows_after)


@record
@dataclass(frozen=True, eq=False)
class Prepared:
    """A table after its preparation.

    Attributes
    ----------
    preparation : Preparation
        Applied to another table it cuts at the same places, fills in the same states, and gives the
        same codes.
    notes : tuple of str
        A sentence for each decision that an unlike table asked for, one on imputed cells, and one
        on a column left out that looks like the number of persons with several rows.
    groups : Dataset, optional
        The same rows by the columns that were kept as groups.
    imputed : Imputed, optional
        All completed tables, of which `data` is the first.
    """

    data: Dataset
    preparation: Preparation
    trace: tuple[StepTrace, ...]
    notes: tuple[str, ...] = ()
    groups: Dataset | None = None
    imputed: Imputed | None = None

    @property
    def for_paper(self) -> tuple[str, ...]:
        """What was done, in the past tense: how large the table was, each step, and the notes.

        But for imputation: its record says more, see `write_paragraph`.
        """
        said = "" if self.imputed is None else self.imputed.sentence
        notes = [one for one in self.notes if not said or said not in one]
        if not self.trace:
            return tuple(notes)
        first = self.trace[0]
        steps = []
        for one in self.trace:
            empty = one.rows_before - one.rows_after
            if not said or not _imputes(one.step):
                steps.append(one.for_paper)
            elif empty:
                were = "was" if empty == 1 else "were"
                steps.append(f"{plural(empty, 'row')} without any value {were} left out.")
        return (describe_size(first.rows_before, first.columns_before), *steps, *notes)


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
    steps : Preparation or iterable of Step
        A preparation that was applied before brings its cuts, spellings and states along.
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
    preparation = Preparation.of(steps)
    given = table = Table.of(frame)
    table.check_rows()
    trace: list[StepTrace] = []
    for number, step in enumerate(preparation.steps, 1):
        progress.tick(number - 1, len(preparation.steps))
        fitted, result = _applied(number, step, table)
        sizes = (table.rows, result.table.rows, len(table.names), len(result.table.names))
        trace.append(StepTrace(number, fitted, result.sentence, *sizes, result.cells))
        table = result.table
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
    if preparation.states is not None:
        table = _same_variables(table, preparation.states, notes)
    imputed = _imputed(table, preparation, progress)
    if imputed is not None:
        imputed = _same_datasets(imputed, preparation, notes)
        data = imputed.datasets[0]
        notes.append(f"{imputed.sentence} The dataset is the first completed table.")
    else:
        _check_missing(table)
        if preparation.states is not None:
            table = _same_states(table, preparation, notes)
        data = Dataset.from_table(table)
    found = zip(data.names, data.labels, data.ordered, strict=True)
    states = preparation.states or tuple(States(*one) for one in found)
    made = replace(preparation, steps=tuple(one.step for one in trace), states=states)
    return Prepared(data, made, tuple(trace), tuple(notes), groups, imputed)


def _imputes(step: Step) -> TypeGuard[MissingCells]:
    return isinstance(step, MissingCells) and step.how == "impute"


def _imputed(table: Table, preparation: Preparation, progress: Progress) -> Imputed | None:
    """The completed tables, if a step says so and cells are missing after all steps."""
    step = next(filter(_imputes, preparation.steps), None)
    if step is None or not any(one.holes and not one.own for one in table.columns.values()):
        return None
    return impute(table, seed=step.seed, progress=progress)


def _same_datasets(imputed: Imputed, preparation: Preparation, notes: list[str]) -> Imputed:
    """The completed tables by the states that the first table had."""
    if preparation.states is None:
        return imputed
    datasets = []
    for one in imputed.datasets:
        noted: list[str] = []
        table = _same_states(Table.of(one.to_frame()), preparation, noted)
        datasets.append(Dataset.from_table(table))
    # Completed tables have the same states, so the notes are the same.
    notes += noted
    return replace(imputed, datasets=tuple(datasets))


def _applied(number: int, step: Step, table: Table) -> tuple[Step, StepResult]:
    """One step fitted and applied, or a sentence with its number."""
    try:
        fitted = step.fit(table)
        return fitted, fitted.apply(table)
    except BJPError as reason:
        raise DataError(f"Step {number} ({step.title}): {reason}") from None


def _without_groups(table: Table) -> tuple[Table, Dataset | None]:
    """The variables, and the same rows by the columns kept as groups."""
    groups = {name: replace(c, own=True) for name, c in table.columns.items() if c.group}
    if not groups:
        return table, None
    variables = [name for name in table.names if name not in groups]
    if not variables:
        raise DataError("Only groups are left; keep at least one variable.")
    return table.keeping(variables), Dataset.from_table(Table(table.rows, groups))


def _check_missing(table: Table) -> None:
    """Refuse cells of which no step says what becomes of them."""
    holes = {name: one.holes for name, one in table.columns.items() if one.holes and not one.own}
    if holes:
        cells = sum(holes.values())
        raise DataError(
            f"{plural(cells, 'cell')} in {plural(len(holes), 'variable')} "
            f"{'is' if cells == 1 else 'are'} still missing (most in "
            f"{clip(max(holes, key=lambda name: holes[name]))}); add a step that drops their rows, "
            "makes them a state, imputes or fills them."
        )


def _same_variables(table: Table, states: tuple[States, ...], notes: list[str]) -> Table:
    """The variables of the first table, in its order."""
    names = dict.fromkeys(one.column for one in states)
    absent = [name for name in names if name not in table.columns]
    if absent:
        raise DataError(
            f"The table lacks {listed(absent)}, which the preparation was made with; "
            "add what is missing, or make a preparation for this table."
        )
    strange = [name for name in table.names if name not in names]
    if strange:
        notes.append(
            f"{plural(len(strange), 'column')} that the preparation doesn't know "
            f"{'was' if len(strange) == 1 else 'were'} left out: {listed(strange)}."
        )
    return table.keeping(names)


def _same_states(table: Table, preparation: Preparation, notes: list[str]) -> Table:
    """The columns by the states that the first table had."""
    columns: dict[Name, Column] = {}
    for one in preparation.states or ():
        name = one.column
        columns[name], fresh = table.column(name).by_states(one.labels, name, one.ordered)
        if not fresh:
            continue
        shown = f"{listed(fresh[:_MOST_NAMED])}{' …' if len(fresh) > _MOST_NAMED else ''}"
        if preparation.unseen == "error":
            raise DataError(
                f"Column {clip(name)} holds {shown}, which the preparation hasn't seen; "
                "merge rare states, or apply it with unseen='own'."
            )
        said = "placed after the known ones"
        if columns[name].ordinal:
            said = (
                "placed by size; the order stays, and larger numbers have other codes than before"
            )
        elif one.ordered:
            said += ", so its states have no order any more; recode or merge them first to keep it"
        notes.append(
            f"Column {clip(name)} holds {plural(len(fresh), 'state')} not seen before ({shown}), "
            f"{said}."
        )
    return replace(table, columns=columns)
