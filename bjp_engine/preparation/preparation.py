"""A list of steps, as a record and as JSON, and what it makes of a table.

The list is what is edited, and undoing is leaving out its last step. Nothing else remembers what
was done to a table, and the table that one began with is never changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, TypeGuard

from bjp_engine.columns import Column, Table
from bjp_engine.dataset import Dataset
from bjp_engine.errors import BJPError, DataError, OptionError, clip, listed, plural
from bjp_engine.parameters.imputation import Imputed, impute
from bjp_engine.preparation.bins import BinNumbers
from bjp_engine.preparation.recode import MissingCodes, RecodeStates, ReverseOrder
from bjp_engine.preparation.roles import (
    MultipleChoice,
    OrderedAnswers,
    SetGroups,
    UnorderedAnswers,
)
from bjp_engine.preparation.rows import FilterRows, RepeatRows, SampleRows
from bjp_engine.preparation.states import MergeRare, MissingCells, OrderStates, Texts, TidyText
from bjp_engine.preparation.steps import (
    CheckedRecord,
    Column_,
    Step,
    StepResult,
    list_of,
    one_of,
    optional,
)
from bjp_engine.preparation.variables import (
    DropVariables,
    KeepVariables,
    RenameVariables,
)
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import record
from bjp_engine.validate import Name, entries, truth, whole_number

if TYPE_CHECKING:
    import pandas as pd

STEPS: dict[str, type[Step]] = {
    step.kind: step
    for step in (
        *(FilterRows, RepeatRows, SampleRows),
        *(KeepVariables, DropVariables, RenameVariables, SetGroups, MultipleChoice),
        *(MissingCodes, RecodeStates, ReverseOrder, OrderedAnswers, UnorderedAnswers),
        *(TidyText, MissingCells, BinNumbers, MergeRare, OrderStates),
    )
}
TYPE = "preparation"
VERSION = 1
# Text longer than this is no list of steps.
_MOST_TEXT = 64 * 1024 * 1024
_MOST_STEPS = 1000
_MOST_NAMED = 3


def _steps(value: object, name: str) -> tuple[Step, ...]:
    """A list of steps, or of what their `to_dict` gave."""
    given = entries(value, name)
    if len(given) > _MOST_STEPS:
        raise OptionError(f"{name} has {len(given):,} entries; {_MOST_STEPS:,} are the most.")
    return tuple(_step(number, one) for number, one in enumerate(given, 1))


def _step(number: int, content: object) -> Step:
    """One step, or a sentence with its number."""
    if isinstance(content, Step):
        return content
    if not isinstance(content, dict):
        raise OptionError(f"Step {number} of the steps is {clip(content)}; give its fields.")
    kind = content.get("step")
    if not isinstance(kind, str) or kind not in STEPS:
        raise OptionError(
            f"Step {number}: step={clip(kind)} is not known; use one of {', '.join(STEPS)}."
        )
    try:
        return STEPS[kind].from_dict({key: content[key] for key in content if key != "step"})
    except BJPError as reason:
        raise OptionError(f"Step {number} ({STEPS[kind].title}): {reason}") from None


@dataclass(frozen=True)
class States(CheckedRecord):
    """The states, in code order, that a variable had when the preparation was first applied."""

    column: Column_
    labels: Texts
    ordered: Annotated[bool, truth] = False


@dataclass(frozen=True)
class Preparation(CheckedRecord):
    """An ordered list of steps.

    Parameters
    ----------
    steps : tuple of Step
    unseen : {"own", "error"}
        When it is applied again: a state that the first table didn't have becomes a state of
        its own after the known ones, or is refused.
    states : tuple of States, optional
        Variables and states of the table it was first applied to. They give another table the
        same variables and the same codes.

    Raises
    ------
    OptionError
        If a field is out of range.

    Examples
    --------
    >>> steps = Preparation((MissingCells("drop"),)).adding(BinNumbers(("age",), bins=3))
    >>> [step.kind for step in steps.undone().steps]
    ['missing']
    >>> Preparation.from_json(steps.to_json()) == steps
    True
    """

    steps: Annotated[tuple[Step, ...], _steps] = ()
    unseen: Annotated[str, one_of("own", "error")] = "own"
    states: Annotated[tuple[States, ...] | None, optional(list_of(States))] = None

    @classmethod
    def of(cls, steps: object) -> Preparation:
        """A preparation of a list of steps, or itself."""
        if isinstance(steps, Preparation):
            return steps
        if not isinstance(steps, Iterable) or isinstance(steps, (str, bytes)):
            raise OptionError(f"steps={clip(steps)} must be a Preparation or a list of steps.")
        return cls(tuple(steps))

    @property
    def fitted(self) -> bool:
        """Whether it was applied to a table and kept what it found."""
        return self.states is not None

    @property
    def sentences(self) -> tuple[str, ...]:
        """What each step does."""
        return tuple(step.sentence for step in self.steps)

    def adding(self, *steps: Step) -> Preparation:
        """More steps at the end; to be fitted again."""
        return replace(self, steps=(*self.steps, *steps), states=None)

    def undone(self) -> Preparation:
        """All steps but the last; to be fitted again."""
        return replace(self, steps=self.steps[:-1], states=None)

    def without(self, number: int) -> Preparation:
        """All steps but one, which is counted from 1; to be fitted again."""
        whole_number(number, "number", 1, len(self.steps))
        left = self.steps[: number - 1] + self.steps[number:]
        return replace(self, steps=left).unfitted()

    def unfitted(self) -> Preparation:
        """The steps without what they found in a table.

        Variables to leave out that need not be there stay so.
        """
        return replace(self, steps=tuple(step.unfitted() for step in self.steps), states=None)

    def to_dict(self) -> dict[str, Any]:
        """The preparation as plain lists, texts and numbers."""
        parts = super().to_dict()
        order = ("unseen", "steps", "states")
        return {"type": TYPE, "version": VERSION, **{key: parts[key] for key in order}}

    def to_json(self) -> str:
        """The preparation as JSON in ASCII; `from_json` gives back an equal one."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Preparation:
        """A preparation of what `to_json` wrote, every value checked.

        Parameters
        ----------
        text : str or bytes

        Returns
        -------
        Preparation

        Raises
        ------
        OptionError
            If it is none; the sentence names the step by its number, and the field.
        """
        if len(text) > _MOST_TEXT:
            raise OptionError("The preparation is larger than 64 MB; it can't be a list of steps.")
        try:
            content = json.loads(text, parse_constant=_refuse)
        except OptionError:
            raise
        except (ValueError, RecursionError):
            raise OptionError(
                "The preparation is not JSON; give a saved preparation file."
            ) from None
        return cls.from_dict(content)

    @classmethod
    def from_dict(cls, content: object) -> Preparation:
        """A preparation of what `to_dict` gave, every value checked as by `from_json`."""
        if not isinstance(content, dict) or content.get("type") != TYPE:
            raise OptionError(f'This is not a preparation; its "type" must be "{TYPE}".')
        if content.get("version") != VERSION:
            raise OptionError(
                f"The preparation is of version {clip(content.get('version'))}; "
                f"this program knows version {VERSION}."
            )
        if "steps" not in content:
            raise OptionError("The preparation has no steps; give a list of them.")
        parts = {key: part for key, part in content.items() if key not in ("type", "version")}
        return super().from_dict(parts)


def _refuse(constant: str) -> float:
    """JSON has no such numbers, though Python's reader takes them."""
    raise OptionError(f"The preparation holds {constant}, which is not a JSON number.")


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

    Parameters
    ----------
    data : Dataset
    preparation : Preparation
        With what each step found: applied to another table it cuts at the same places, fills in
        the same states, and gives the same codes.
    trace : tuple of StepTrace
        One for each step.
    notes : tuple of str
        A sentence for each decision that an unlike table asked for, and one on imputed cells.
    groups : Dataset, optional
        The same rows by the columns that were kept as groups.
    imputed : Imputed, optional
        All completed tables, of which `data` is the first, where cells were imputed.
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
        steps = [one.for_paper for one in self.trace if not said or not _imputes(one.step)]
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
        If `progress` says so.

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
    check_progress(progress)
    preparation = Preparation.of(steps)
    table = Table.of(frame)
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
    notes: list[str] = []
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
    """Whether a step has missing cells imputed."""
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
    return Table(table.rows, columns)
