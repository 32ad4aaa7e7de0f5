"""A list of steps as a person edits it: what is added, taken back, and which role a column has.

Every function returns another list, in the usual order (`usual_place`). Roles are one mapping, such
as {"age": "ordered", "id": "leave out"}: the table of a page, and `bjp learn --roles FILE`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from bjp_engine.columns import Table
from bjp_engine.errors import DataError, OptionError, clip
from bjp_engine.preparation.bins import BinNumbers
from bjp_engine.preparation.preparation import Preparation, usual_place
from bjp_engine.preparation.roles import (
    DropVariables,
    OrderedAnswers,
    RepeatRows,
    SetGroups,
    UnorderedAnswers,
)
from bjp_engine.preparation.states import MissingCells
from bjp_engine.preparation.steps import Step
from bjp_engine.validate import Name, choice

ROLES = ("variable", "ordered", "group", "frequency", "leave out")
# What numbers rows or persons is left out, too; what follows from it, notes say.
_ALSO = {"identifier": "leave out"}
_OF_ROLES = (DropVariables, SetGroups, OrderedAnswers, UnorderedAnswers)


def add_steps(plan: Preparation, steps: Iterable[Step]) -> Preparation:
    """Steps put in their usual places; what is left out, or treated otherwise now, is so once."""
    for step in steps:
        out = names_left_out(plan)
        if isinstance(step, DropVariables):
            names = tuple(dict.fromkeys((*out, *step.columns)))
            others = (s for s in plan.steps if not isinstance(s, DropVariables))
            left = [_narrowed(one, names) for one in others]
            plan = _of(plan, [DropVariables(names), *(one for one in left if one)])
            continue
        narrowed = _narrowed(step, out)
        if narrowed is None:
            name = next(iter(_columns(step) or ()))
            raise OptionError(f"A step leaves {clip(name)} out; undo that step first.")
        again = isinstance(step, (MissingCells, BinNumbers))
        before = _without(plan.steps, narrowed) if again else [s for s in plan.steps if s != step]
        plan = _of(plan, [*before, narrowed])
    return plan


def take_back(plan: Preparation, steps: Iterable[Step]) -> Preparation:
    """The list without what some steps do, whichever way it does that."""
    for step in steps:
        plan = _of(plan, _without(plan.steps, step))
    return plan


def is_done(plan: Preparation, step: Step) -> bool:
    """Whether the list does what a step does."""
    if isinstance(step, DropVariables):
        return set(step.columns) <= names_left_out(plan).keys()
    same = [one for one in plan.steps if type(one) is type(step)]
    columns = _columns(step)
    if columns is None:
        return step in same or (isinstance(step, MissingCells) and bool(same))
    left = set(columns) - names_left_out(plan).keys()
    theirs = [_columns(one) for one in same]
    return None in theirs or left <= {name for names in theirs for name in names or ()}


def names_left_out(plan: Preparation) -> dict[Name, None]:
    """The columns that a list of steps leaves out."""
    drops = [step for step in plan.steps if isinstance(step, DropVariables)]
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
    roles = found | apart | dict.fromkeys(names_left_out(plan), "leave out")
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
    left = [_without_role(step, name, role) for step in plan.steps]
    made = _of(plan, [step for step in left if step is not None])
    if roles_of(table, made)[name] == role:
        return made
    if role == "variable":
        # Bins have an order, so it goes once they are there.
        binned = any(isinstance(s, BinNumbers) and name in s.columns for s in made.steps)
        steps = (*made.steps, UnorderedAnswers((name,)))
        return replace(made, steps=steps) if binned else _of(made, steps)
    step: Step = DropVariables((name,))
    if role == "group":
        step = SetGroups((name,))
    elif role == "frequency":
        step = RepeatRows(name)
    elif role == "ordered":
        orders = (s for s in known if isinstance(s, OrderedAnswers) and name in s.columns)
        step = next(orders, OrderedAnswers((name,))).on_columns((name,))
    return add_steps(made, [step])


def _without_role(step: Step, name: Name, role: str) -> Step | None:
    """A step that no longer gives a column a role, or None where nothing is left of it."""
    if isinstance(step, RepeatRows):
        # A table has one column of frequencies.
        return None if step.column == name or role == "frequency" else step
    # The column of frequencies is gone when other steps come.
    if isinstance(step, _OF_ROLES) or role == "frequency":
        return _narrowed(step, (name,))
    return step


def _narrowed(step: Step, out: Iterable[Name]) -> Step | None:
    """A step on those of its columns that stay; None where none does."""
    columns, gone = _columns(step), set(out)
    if columns is None or not gone & set(columns):
        return step
    left = tuple(name for name in columns if name not in gone)
    return step.on_columns(left) if left else None


def _without(steps: Iterable[Step], like: Step) -> list[Step]:
    """Steps without those of a kind, on the columns of one of them."""
    columns, kept = _columns(like), list[Step]()
    for step in steps:
        theirs = _columns(step)
        if type(step) is not type(like) or (columns is None) != (theirs is None):
            kept.append(step)
        elif columns is not None:
            kept += [one for one in (_narrowed(step, columns),) if one is not None]
        elif step != like and not isinstance(step, MissingCells):
            kept.append(step)
    return kept


def _columns(step: Step) -> tuple[Name, ...] | None:
    """The columns that a step is about; None where it is about all, or about rows."""
    found: tuple[Name, ...] | None = getattr(step, "columns", None)
    return found


def _of(plan: Preparation, steps: Iterable[Step]) -> Preparation:
    """Steps in their usual order; single variables come before all of them."""
    made = tuple(
        sorted(steps, key=lambda s: (usual_place(s), isinstance(s, MissingCells) and not s.columns))
    )
    return plan if made == plan.steps else replace(plan, steps=made, states=None)
