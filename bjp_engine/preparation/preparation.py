"""A list of steps, as a record, as JSON, and as a person edits it.

Nothing else remembers what was done to a table. What edits the list returns another one, in the
usual order (`_ORDER`). Roles are one mapping, such as {"age": "ordered", "id": "leave out"}:
the table of a page, and `bjp learn --roles FILE`.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from typing import Any

from bjp_engine.columns import Table
from bjp_engine.errors import BJPError, DataError, OptionError, clip
from bjp_engine.labels import natural_key
from bjp_engine.preparation.bins import BinNumbers
from bjp_engine.preparation.roles import (
    DropVariables,
    FilterRows,
    MultipleChoice,
    OrderedAnswers,
    RepeatRows,
    SetGroups,
    SplitAnswers,
    UnorderedAnswers,
)
from bjp_engine.preparation.states import (
    MergeRare,
    MissingCells,
    MissingCodes,
    RecodeStates,
    TidyText,
)
from bjp_engine.preparation.steps import Step, columns_of
from bjp_engine.validate import Name, choice, entries, whole_number

# Rows first, so that a filter knows every column; what is left out then costs no row. Codes are
# missing before cells are dropped, and states have their names before they have an order.
_ORDER: tuple[tuple[type[Step], ...], ...] = (
    (FilterRows,),
    (RepeatRows,),
    (SplitAnswers,),
    (DropVariables,),
    (MultipleChoice,),
    (MissingCodes,),
    (TidyText,),
    (RecodeStates,),
    (OrderedAnswers, UnorderedAnswers),
    (SetGroups,),
    (MissingCells,),
    (BinNumbers,),
    (MergeRare,),
)
STEPS: dict[str, type[Step]] = {step.kind: step for steps in _ORDER for step in steps}
TYPE = "preparation"
VERSION = 3
ROLES = ("variable", "ordered", "group", "frequency", "leave out")
# What numbers rows or persons is left out, too; what follows from it, notes say.
_ALSO = {"identifier": "leave out"}


@dataclass(frozen=True)
class Preparation:
    """An ordered list of steps, or of what their `to_dict` gave.

    Examples
    --------
    >>> from bjp_engine.preparation import BinNumbers, MissingCells, Preparation
    >>> steps = Preparation((MissingCells("drop"),)).adding(BinNumbers(("age",), bins=3))
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

    def adding(self, *steps: Step) -> Preparation:
        """More steps at the end."""
        return Preparation((*self.steps, *steps))

    def without(self, number: int) -> Preparation:
        """All steps but one, which is counted from 1."""
        whole_number(number, "number", 1, len(self.steps))
        return Preparation(self.steps[: number - 1] + self.steps[number:])

    def to_dict(self) -> dict[str, Any]:
        """The preparation as plain values."""
        return {
            "type": TYPE,
            "version": VERSION,
            "steps": [step.to_dict() for step in self.steps],
        }

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
        if not isinstance(content, dict) or content.get("type") != TYPE:
            raise OptionError(f'This is not a preparation; its "type" must be "{TYPE}".')
        if content.get("version") != VERSION:
            raise OptionError(
                f"The preparation is of version {clip(content.get('version'))}; "
                f"this program knows version {VERSION}."
            )
        steps: Any = content.get("steps")
        return cls(steps)


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


def _usual_place(step: Step) -> int:
    """Where a step usually stands; steps of one place follow as they were added."""
    return next(place for place, kinds in enumerate(_ORDER) if isinstance(step, kinds))


# --- Editing --------------------------------------------------------------------------------------


def in_usual_order(steps: Iterable[Step]) -> Preparation:
    """Steps, each in its usual place; one leaves out, in natural order, what several of them do."""
    steps = tuple(steps)
    out = _left_out(steps)
    left = [one for one in (without_columns(step, out) for step in steps) if one is not None]
    drop = [DropVariables(tuple(sorted(out, key=natural_key)))] if out else []
    return Preparation(tuple(sorted([*drop, *left], key=_usual_place)))


def add_steps(plan: Preparation, steps: Iterable[Step]) -> Preparation:
    """Steps put in their usual places; what is left out, or treated otherwise now, is so once."""
    for step in steps:
        out = _left_out(plan.steps)
        left = step if isinstance(step, DropVariables) else without_columns(step, out)
        if left is None:
            name = next(iter(columns_of(step) or ()))
            raise OptionError(f"A step leaves {clip(name)} out; undo that step first.")
        again = isinstance(left, (MissingCells, BinNumbers))
        before = _undone(plan.steps, left) if again else [s for s in plan.steps if s != left]
        plan = in_usual_order([*before, left])
    return plan


def take_back(plan: Preparation, steps: Iterable[Step]) -> Preparation:
    """The list without what some steps do, whichever way it does that."""
    for step in steps:
        plan = in_usual_order(_undone(plan.steps, step))
    return plan


def is_done(plan: Preparation, step: Step) -> bool:
    """Whether the list does what a step does."""
    same = [one for one in plan.steps if type(one) is type(step)]
    if columns_of(step) is None:
        return step in same or (isinstance(step, MissingCells) and bool(same))
    done, out = {target for one in same for target in _targets(one)}, _left_out(plan.steps)
    return all(target in done or target[0] in out for target in _targets(step))


def _targets(step: Step) -> set[tuple[Name, str | None]]:
    """The columns that a step is about, each with the values that it treats where it names any."""
    if isinstance(step, MissingCodes):
        return {(name, code) for name, codes in step.codes for code in codes}
    values = dict(step.pairs) if isinstance(step, RecodeStates) else (None,)
    return {(name, value) for name in columns_of(step) or () for value in values}


def _left_out(steps: Iterable[Step]) -> dict[Name, None]:
    """The columns that steps leave out."""
    drops = [step for step in steps if isinstance(step, DropVariables)]
    return {name: None for step in drops for name in step.columns}


def roles_of(table: Table, plan: Preparation) -> dict[Name, str]:
    """The role of each column of a table under some steps, one of `ROLES`.

    Examples
    --------
    >>> import pandas as pd
    >>> from bjp_engine.preparation import Preparation, Table, roles_of, with_roles
    >>> table = Table.of(pd.DataFrame({"id": [7, 8], "mood": [1, 2], "sex": ["f", "m"]}))
    >>> plan = with_roles(table, Preparation(), {"id": "leave out", "mood": "ordered"})
    >>> roles_of(table, plan)
    {'id': 'leave out', 'mood': 'ordered', 'sex': 'variable'}
    """
    found = {name: "ordered" if one.ordinal else "variable" for name, one in table.columns.items()}
    apart: dict[Name, str] = {}
    for step in plan.steps:
        if isinstance(step, (OrderedAnswers, BinNumbers)):
            found |= dict.fromkeys(step.columns, "ordered")
        elif isinstance(step, UnorderedAnswers):
            found |= dict.fromkeys(step.columns, "variable")
        elif isinstance(step, SetGroups):
            apart |= dict.fromkeys(step.columns, "group")
        elif isinstance(step, RepeatRows):
            apart[step.column] = "frequency"
    # A group may be cut into bins, and stays a group.
    roles = found | apart | dict.fromkeys(_left_out(plan.steps), "leave out")
    return {name: roles[name] for name in table.names}


def with_roles(
    table: Table, plan: Preparation, roles: Mapping[Name, str], known: Iterable[Step] = ()
) -> Preparation:
    """The steps with which columns have other roles; every other column keeps its own.

    Of the steps `known`, those that declare an order are preferred: they may know it better than
    the file does, as health's do.
    """
    names = {str(name): name for name in table.names}
    for given, word in roles.items():
        role = _ALSO.get(choice(word, "role", (*ROLES, *_ALSO)), word)
        if str(given) not in names:
            raise DataError(f"roles names {clip(given)}, which is no column of the table.")
        name = names[str(given)]
        if roles_of(table, plan)[name] != role:
            plan = _with_role(table, plan, name, role, known)
    return plan


def _with_role(
    table: Table, plan: Preparation, name: Name, role: str, known: Iterable[Step]
) -> Preparation:
    of_roles = (DropVariables, SetGroups, OrderedAnswers, UnorderedAnswers)
    left: list[Step | None] = []
    for step in plan.steps:
        # A table has one column of frequencies, which is gone when other steps come.
        if isinstance(step, RepeatRows):
            left.append(None if step.column == name or role == "frequency" else step)
        elif role == "frequency" or isinstance(step, of_roles):
            left.append(without_columns(step, (name,)))
        else:
            left.append(step)
    made = in_usual_order(step for step in left if step is not None)
    if roles_of(table, made)[name] == role:
        return made
    if role == "variable":
        # Bins have an order, so it goes once they are there.
        binned = any(isinstance(s, BinNumbers) and name in s.columns for s in made.steps)
        steps = (*made.steps, UnorderedAnswers((name,)))
        return Preparation(steps) if binned else in_usual_order(steps)
    orders = (s for s in known if isinstance(s, OrderedAnswers) and name in s.columns)
    new: dict[str, Step] = {
        "leave out": DropVariables((name,)),
        "group": SetGroups((name,)),
        "frequency": RepeatRows(name),
        "ordered": next(orders, OrderedAnswers((name,))).on_columns((name,)),
    }
    return add_steps(made, [new[role]])


def without_columns(step: Step, out: Iterable[Name]) -> Step | None:
    """A step on those of its columns that stay; None where none does."""
    columns, gone = columns_of(step), set(out)
    if columns is None or not gone & set(columns):
        return step
    left = tuple(name for name in columns if name not in gone)
    return step.on_columns(left) if left else None


def _undone(steps: Iterable[Step], like: Step) -> list[Step]:
    """Steps without those of a kind, on the columns of one of them and the values that it names."""
    kept = list[Step | None]()
    for step in steps:
        if type(step) is not type(like):
            kept.append(step)
        elif isinstance(step, MissingCodes) and isinstance(like, MissingCodes):
            kept.append(step.without(like))
        elif isinstance(step, RecodeStates) and not _targets(step) & _targets(like):
            kept.append(step)
        elif (columns := columns_of(like)) is not None:
            kept.append(without_columns(step, columns))
        elif step != like and not isinstance(step, MissingCells):
            kept.append(step)
    return [step for step in kept if step is not None]
