"""The list of steps as it is edited: where a step belongs, and which findings it answers.

A list is a `Preparation` that was fitted to nothing. Every function returns another one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from bjp_engine.dataset import Name
from bjp_engine.errors import OptionError, clip
from bjp_engine.health import Finding
from bjp_engine.preparation import (
    BinNumbers,
    DropVariables,
    KeepVariables,
    MissingCells,
    OrderStates,
    Preparation,
    Step,
    usual_place,
)


def add(plan: Preparation, steps: Iterable[Step], names: Sequence[Name]) -> Preparation:
    """Steps put where they belong among those that are there.

    They stand in the usual order (`usual_place`): rows are chosen and variables
    left out first, so that what is left out costs no row; other names come last. A step on single
    variables comes before one on all of them, and takes the place of one of its kind on these
    variables.
    """
    for step in steps:
        plan = _insert(plan, step, names)
    return plan


def move_up(plan: Preparation, number: int) -> Preparation:
    """A step before the one that it follows."""
    steps = list(plan.steps)
    if 1 < number <= len(steps):
        steps[number - 2 : number] = steps[number - 1], steps[number - 2]
    return _of(plan, steps)


def columns_left_out(plan: Preparation, names: Sequence[Name]) -> set[Name]:
    """The columns that the steps leave out."""
    out: set[Name] = set()
    for step in plan.steps:
        if isinstance(step, DropVariables):
            out.update(step.columns)
        elif isinstance(step, KeepVariables):
            out.update(set(names) - set(step.columns))
    return out & set(names)


def is_answered(finding: Finding, plan: Preparation, names: Sequence[Name]) -> bool:
    """Whether the steps do what a finding asks for."""
    out = columns_left_out(plan, names)
    return bool(finding.steps) and all(_is_done(step, plan, out) for step in finding.steps)


def take_back(plan: Preparation, finding: Finding) -> Preparation:
    """The steps without those that answer a finding.

    The same where another step, such as one that keeps some variables, answers it.
    """
    for step in finding.steps:
        plan = _of(plan, _without(plan.steps, type(step), _columns(step), every=True))
    return plan


def normal(plan: Preparation) -> Preparation:
    """The steps as they were asked for, to be compared."""
    steps = tuple(
        replace(step, absent="skip") if isinstance(step, DropVariables) else step
        for step in plan.unfitted().steps
    )
    return replace(plan, steps=steps, states=None)


def is_fitted(plan: Preparation) -> bool:
    """Whether steps bring along what they found in another table."""
    return plan.fitted or plan.steps != plan.unfitted().steps


def _insert(plan: Preparation, step: Step, names: Sequence[Name]) -> Preparation:
    """One step more."""
    if isinstance(step, (DropVariables, KeepVariables)):
        return _choose(plan, step, names)
    steps, step = list(plan.steps), _on_what_is_left(step, columns_left_out(plan, names))
    if isinstance(step, MissingCells) and step.columns is None:
        steps = [s for s in steps if not (isinstance(s, MissingCells) and s.columns is None)]
    elif isinstance(step, (MissingCells, BinNumbers)):
        steps = _without(steps, type(step), step.columns, every=False)
    elif isinstance(step, OrderStates):
        steps = [s for s in steps if not (isinstance(s, OrderStates) and s.column == step.column)]
    at = next((i for i, other in enumerate(steps) if _goes_before(step, other)), len(steps))
    return _of(plan, [*steps[:at], step, *steps[at:]])


def _on_what_is_left(step: Step, out: set[Name]) -> Step:
    """A step on those of its variables that are not left out."""
    columns = _columns(step)
    if columns is None or not out & set(columns):
        return step
    left = tuple(name for name in columns if name not in out)
    if not left:
        raise OptionError(f"A step leaves {clip(columns[0])} out; undo that step first.")
    return _with_columns(step, left)


def _choose(plan: Preparation, step: Step, names: Sequence[Name]) -> Preparation:
    """Some variables fewer; later steps are about those that are left."""
    wanted = columns_left_out(_of(plan, [step]), names)
    out = columns_left_out(plan, names) | wanted
    rest: list[Step] = []
    for other in plan.steps:
        if isinstance(other, (KeepVariables, DropVariables)):
            continue
        columns = _columns(other)
        if columns is None:
            rest.append(other)
        elif left := tuple(name for name in columns if name not in out):
            rest.append(other if left == columns else _with_columns(other, left))
    keeps = [s for s in (*plan.steps, step) if isinstance(s, KeepVariables)]
    first: Step
    if keeps:
        kept = tuple(name for name in keeps[-1].columns if name not in out)
        first = KeepVariables(kept or keeps[-1].columns)
    else:
        first = DropVariables(tuple(name for name in names if name in out))
    at = next((i for i, s in enumerate(rest) if usual_place(s) > usual_place(first)), len(rest))
    return _of(plan, [*rest[:at], first, *rest[at:]])


def _goes_before(step: Step, other: Step) -> bool:
    """Whether a new step belongs before another."""
    if isinstance(step, MissingCells) and isinstance(other, MissingCells):
        return step.columns is not None and other.columns is None
    return usual_place(step) < usual_place(other)


def _is_done(step: Step, plan: Preparation, out: set[Name]) -> bool:
    """Whether a step's work is done by others."""
    columns = _columns(step)
    if isinstance(step, DropVariables):
        return set(step.columns) <= out
    left = None if columns is None else set(columns) - out
    if left is not None and not left:
        return True
    found: set[Name] = set()
    for other in plan.steps:
        if type(other) is type(step):
            theirs = _columns(other)
            if theirs is None:
                return True
            found.update(theirs)
    return left is not None and left <= found


def _without(
    steps: Iterable[Step],
    kind: type[Step],
    columns: tuple[Name, ...] | None,
    *,
    every: bool,
) -> list[Step]:
    """Steps of which those of a kind leave some columns alone; `every`: those on all go, too."""
    kept: list[Step] = []
    for step in steps:
        theirs = _columns(step)
        if type(step) is not kind or (theirs is None and not every):
            kept.append(step)
        elif theirs is not None and columns is not None:
            left = tuple(name for name in theirs if name not in columns)
            if left:
                kept.append(step if left == theirs else _with_columns(step, left))
    return kept


def _columns(step: Step) -> tuple[Name, ...] | None:
    """The columns that a step is about; None where it is about all, or about rows."""
    found: Any = getattr(step, "columns", None)
    if isinstance(step, OrderStates):
        found = (step.column,)
    return None if found is None else tuple(found)


def _with_columns(step: Step, columns: tuple[Name, ...]) -> Step:
    """The same step on other columns."""
    if isinstance(step, OrderStates):
        return step
    return step.on_columns(columns)


def _of(plan: Preparation, steps: Iterable[Step]) -> Preparation:
    """Other steps; what was known of a table's states no longer holds."""
    made = tuple(steps)
    return plan if made == plan.steps else replace(plan, steps=made, states=None)
