"""A list of steps, as a record, as JSON, as a person edits it, and what it makes of a table.

Nothing else remembers what was done to a table. What edits the list returns another one, in the
usual order (`_ORDER`). Roles are one mapping, such as {"age": "ordered", "id": "leave out"}:
the table of a page, and `bjp learn --roles FILE`.
"""

from __future__ import annotations

import json
from collections.abc import Container, Iterable
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any

from bjp_engine.columns import Table
from bjp_engine.dataset import Dataset
from bjp_engine.errors import BJPError, DataError, OptionError, clip, plural
from bjp_engine.identifiers import describe_repeats, find_units, is_repeated
from bjp_engine.labels import natural_key
from bjp_engine.parameters.imputation import Imputed, impute
from bjp_engine.preparation.roles import (
    DropRows,
    FilterRows,
    MissingCells,
    MultipleChoice,
    RepeatRows,
    SetRoles,
    SplitAnswers,
    count_missing,
)
from bjp_engine.preparation.states import (
    BinNumbers,
    MergeRare,
    MissingCodes,
    RecodeStates,
    TidyText,
)
from bjp_engine.preparation.steps import Step, columns_of
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import record
from bjp_engine.validate import Name, entries, whole_number

if TYPE_CHECKING:
    import pandas as pd

# Rows first: they have the numbers of the file, and a filter knows every column. What is then left
# out, see `_usual_place`, costs no row. Codes are missing before cells are dropped, and states have
# their names before they have an order.
_ORDER: tuple[type[Step], ...] = (
    *(DropRows, FilterRows, RepeatRows, SplitAnswers, MultipleChoice, MissingCodes, TidyText),
    *(RecodeStates, SetRoles, MissingCells, BinNumbers, MergeRare),
)
STEPS: dict[str, type[Step]] = {step.kind: step for step in _ORDER}
TYPE = "preparation"
VERSION = 4
_ORDERS = ("variable", "ordered")
ROLES = (*_ORDERS, "group", "frequency", "leave out")


@dataclass(frozen=True)
class Preparation:
    """An ordered list of steps, or of what their `to_dict` gave.

    Examples
    --------
    >>> from bjp_engine.preparation import BinNumbers, MissingCells, Preparation
    >>> steps = Preparation((MissingCells("drop"), BinNumbers(("age",), bins=3)))
    >>> [step.kind for step in steps.without(1).steps]
    ['bins']
    >>> Preparation.from_json(steps.to_json()) == steps
    True
    """

    steps: tuple[Step, ...] = ()

    def __post_init__(self) -> None:
        given = enumerate(entries(self.steps, "steps"), 1)
        object.__setattr__(self, "steps", tuple(_step(number, one) for number, one in given))

    @property
    def sentences(self) -> tuple[str, ...]:
        """What each step does."""
        return tuple(step.sentence for step in self.steps)

    def without(self, number: int) -> Preparation:
        """All steps but one, which is counted from 1."""
        whole_number(number, "number", 1, len(self.steps))
        return Preparation(self.steps[: number - 1] + self.steps[number:])

    def to_dict(self) -> dict[str, Any]:
        """The preparation as plain values."""
        return {"type": TYPE, "version": VERSION, "steps": [step.to_dict() for step in self.steps]}

    def to_json(self) -> str:
        """The preparation as JSON in ASCII; `from_json` gives back an equal one."""
        return json.dumps(self.to_dict(), allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Preparation:
        """A preparation of what `to_json` wrote, every value checked."""
        try:
            return cls.from_dict(json.loads(text))
        except (ValueError, RecursionError) as reason:
            if isinstance(reason, BJPError):
                raise
            raise OptionError("The preparation is not JSON.") from None

    @classmethod
    def from_dict(cls, content: object) -> Preparation:
        """A preparation of what `to_dict` gave, every value checked as by `from_json`."""
        given: dict[str, Any] = content if isinstance(content, dict) else {}
        if (given.get("type"), given.get("version")) != (TYPE, VERSION):
            raise OptionError(
                f'This is no preparation that this program knows; its "type" must be "{TYPE}", and '
                f'its "version" {VERSION}.'
            )
        return cls(given.get("steps"))  # type: ignore[arg-type]


def _step(number: int, content: Any) -> Step:
    """A step, or one of what its `to_dict` gave."""
    if isinstance(content, Step):
        return content
    given = dict(content) if isinstance(content, dict) else {}
    kind = STEPS.get(str(given.pop("step", content)))
    if kind is None:
        raise OptionError(f"Step {number} is {clip(content)}; use one of {', '.join(STEPS)}.")
    try:
        return kind(**given)
    except TypeError:
        wanted = ", ".join(field.name for field in fields(kind))
        raise OptionError(f"Step {number} ({kind.kind}) has other fields than {wanted}.") from None
    except BJPError as reason:
        raise OptionError(f"Step {number} ({kind.kind}): {reason}") from None


def _usual_place(step: Step) -> tuple[int, bool]:
    """Where a step usually stands; steps of one place follow as they were added."""
    # Bins have an order until something else is declared.
    role = step.role if isinstance(step, SetRoles) else ""
    after = {"leave out": SplitAnswers, "variable": BinNumbers}.get(role)
    return _ORDER.index(after or type(step)), after is not None


# --- Editing --------------------------------------------------------------------------------------


def in_usual_order(steps: Iterable[Step]) -> Preparation:
    """Steps, each in its usual place; one leaves out, in natural order, what several of them do."""
    steps = tuple(steps)
    out = _left_out(steps)
    left = without_columns((step for step in steps if not step.leaves_out), out)
    drop = [SetRoles(tuple(sorted(out, key=natural_key)), "leave out")] if out else []
    return Preparation(tuple(sorted([*drop, *left], key=_usual_place)))


def add_steps(plan: Preparation, steps: Iterable[Step]) -> Preparation:
    """Steps put in their usual places; what is left out, or treated otherwise now, is so once."""
    for step in steps:
        columns = columns_of(step)
        if columns and not step.leaves_out and {*columns} <= _left_out(plan.steps):
            raise OptionError(f"A step leaves {clip(columns[0])} out; undo that step first.")
        before = [one for one in plan.steps if one != step]
        if isinstance(step, (MissingCells, BinNumbers)):
            before = _undone(before, step)
        elif isinstance(step, SetRoles) and step.role in _ORDERS:
            for role in _ORDERS:
                before = _undone(before, SetRoles(step.columns, role))
        plan = in_usual_order([*before, step])
    return plan


def take_back(plan: Preparation, steps: Iterable[Step]) -> Preparation:
    """The list without what some steps do, whichever way it does that."""
    for step in steps:
        plan = in_usual_order(_undone(plan.steps, step))
    return plan


def is_done(plan: Preparation, step: Step) -> bool:
    """Whether the list does what a step does."""
    same = [one for one in plan.steps if type(one) is type(step)]
    done, out = {target for one in same for target in one.targets}, _left_out(plan.steps)
    return all(target in done or target[0] in out for target in step.targets)


def _undone(steps: Iterable[Step], like: Step) -> list[Step]:
    """Steps without what one of their kind decides."""
    left = (step.without(like.targets) if type(step) is type(like) else step for step in steps)
    return [*filter(None, left)]


def without_columns(steps: Iterable[Step], out: Container[object]) -> list[Step]:
    """Steps without some columns."""
    left = (step.without({t for t in step.targets if t[0] in out}) for step in steps)
    return [*filter(None, left)]


def _left_out(steps: Iterable[Step]) -> set[Name]:
    """The columns that steps leave out."""
    return {name for step in steps for name in step.leaves_out}


def roles_of(table: Table, plan: Preparation) -> dict[Name, str]:
    """The role of each column of a table under some steps, one of `ROLES`.

    Examples
    --------
    >>> import pandas as pd
    >>> from bjp_engine.preparation import Preparation, SetRoles, Table, roles_of
    >>> table = Table.of(pd.DataFrame({"id": [7, 8], "mood": [1, 2], "sex": ["f", "m"]}))
    >>> steps = SetRoles(("id",), "leave out"), SetRoles(("mood",), "ordered")
    >>> roles_of(table, Preparation(steps))
    {'id': 'leave out', 'mood': 'ordered', 'sex': 'variable'}
    """
    found = {name: "ordered" if one.ordinal else "variable" for name, one in table.columns.items()}
    apart: dict[Name, str] = {}
    for step in plan.steps:
        if isinstance(step, BinNumbers):
            found |= dict.fromkeys(step.columns, "ordered")
        elif isinstance(step, SetRoles):
            # A group may be cut into bins, and stays a group.
            of = found if step.role in _ORDERS else apart
            of |= dict.fromkeys(step.columns, step.role)
        elif isinstance(step, RepeatRows):
            apart[step.column] = "frequency"
    roles = found | apart
    return {name: roles[name] for name in table.names}


# --- What the steps make of a table ---------------------------------------------------------------


@record
@dataclass(frozen=True, eq=False)
class Prepared:
    """A table after its preparation.

    Attributes
    ----------
    trace : tuple of str
        What each step did, in figures.
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
    trace: tuple[str, ...] = ()
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
    >>> made.trace[0]
    '1 missing cell in 1 variable: a state of their own.'
    """
    check_progress(progress)
    plan = steps if isinstance(steps, Preparation) else Preparation(tuple(entries(steps, "steps")))
    given = table = Table.of(frame)
    table.check_rows()
    trace, said = list[str](), list[str]()
    for number, step in enumerate(plan.steps, 1):
        progress.tick(number - 1, len(plan.steps))
        before = table.rows
        try:
            table, sentence = step.apply(table)
        except BJPError as reason:
            title = step.kind.replace("_", " ")
            raise DataError(f"Step {number} ({title}): {reason}") from None
        trace.append(sentence)
        said.append(step.for_paper(before, table.rows))
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
    if trace:
        said = [describe_size(given.rows, len(given.names)), *filter(None, said), *notes]
    seeds = [s.seed for s in plan.steps if isinstance(s, MissingCells) and s.how == "impute"]
    imputed, holes = None, count_missing(table)
    if seeds and holes:
        imputed = impute(table, seed=seeds[0], progress=progress)
        notes.append(f"{imputed.sentence} The dataset is the first completed table.")
    elif holes:
        cells = sum(holes.values())
        raise DataError(
            f"{plural(cells, 'cell')} in {plural(len(holes), 'variable')} "
            f"{'is' if cells == 1 else 'are'} still missing (most in "
            f"{clip(max(holes, key=lambda name: holes[name]))}); add a step that drops their rows, "
            "makes them a state or imputes them."
        )
    data = Dataset.from_frame(table) if imputed is None else imputed.datasets[0]
    return Prepared(data, plan, tuple(trace), tuple(notes), tuple(said), groups, imputed)


def _without_groups(table: Table) -> tuple[Table, Dataset | None]:
    """The variables, and the same rows by the columns kept as groups."""
    groups = {name: replace(c, own=True) for name, c in table.columns.items() if c.group}
    if not groups:
        return table, None
    variables = [name for name in table.names if name not in groups]
    if not variables:
        raise DataError("Only groups are left; keep at least one variable.")
    return table.keeping(variables), Dataset.from_frame(Table(table.rows, groups))
