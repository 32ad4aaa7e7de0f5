"""What each column is to the network: its role under the steps, and the steps of another role."""

from __future__ import annotations

from bjp_engine.dataset import Name
from bjp_engine.preparation import (
    BinNumbers,
    DropVariables,
    KeepVariables,
    OrderedAnswers,
    OrderStates,
    Preparation,
    RepeatRows,
    SetGroups,
    Step,
    UnorderedAnswers,
)
from bjp_explorer.data import plan as data_plan
from bjp_explorer.data.reading import Reading

ROLES = ("answer", "ordered", "group", "frequency", "out")
_ROLES = (DropVariables, SetGroups, OrderedAnswers, UnorderedAnswers)


def roles_of(reading: Reading, plan: Preparation) -> dict[Name, str]:
    """The role of each column, one of `ROLES`."""
    found = {
        name: "ordered" if column.ordinal else "answer"
        for name, column in reading.table.columns.items()
    }
    apart: dict[Name, str] = {}
    for step in plan.steps:
        if isinstance(step, (OrderedAnswers, BinNumbers)):
            found |= dict.fromkeys(step.columns, "ordered")
        elif isinstance(step, UnorderedAnswers):
            found |= dict.fromkeys(step.columns, "answer")
        elif isinstance(step, SetGroups):
            apart |= dict.fromkeys(step.columns, "group")
        elif isinstance(step, RepeatRows):
            apart[step.column] = "frequency"
    # A group may be cut into bins, and stays a group.
    out = dict.fromkeys(data_plan.columns_left_out(plan, reading.names), "out")
    return found | apart | out


def with_role(reading: Reading, plan: Preparation, name: Name, role: str) -> Preparation:
    """The steps with which a column has another role; every other column keeps its own."""
    left = (_without(reading, step, name, role) for step in plan.steps)
    made = Preparation(tuple(step for step in left if step is not None), plan.unseen)
    if roles_of(reading, made)[name] == role:
        return made
    step: Step
    if role == "out":
        step = DropVariables((name,))
    elif role == "group":
        step = SetGroups((name,))
    elif role == "frequency":
        step = RepeatRows(name)
    elif role == "ordered":
        step = _suggested(reading, name) or OrderedAnswers((name,))
    else:
        step = UnorderedAnswers((name,))
        bins = [k for k, one in enumerate(made.steps) if _cuts(one, name)]
        if bins:
            # Bins have an order, so it goes once they are there.
            at = bins[-1] + 1
            return Preparation((*made.steps[:at], step, *made.steps[at:]), plan.unseen)
    return data_plan.add(made, [step], reading.names)


def _without(reading: Reading, step: Step, name: Name, role: str) -> Step | None:
    """A step that no longer gives a column a role, or None where nothing is left of it."""
    if isinstance(step, RepeatRows):
        # A table has one column of frequencies.
        return None if step.column == name or role == "frequency" else step
    if isinstance(step, KeepVariables):
        kept = {*step.columns, name}
        return KeepVariables(tuple(each for each in reading.names if each in kept))
    if isinstance(step, OrderStates):
        return None if step.column == name and role == "frequency" else step
    columns = getattr(step, "columns", None)
    # The column of frequencies is gone when other steps come.
    if not columns or name not in columns or not (isinstance(step, _ROLES) or role == "frequency"):
        return step
    left = tuple(each for each in columns if each != name)
    return step.on_columns(left) if left else None


def _cuts(step: Step, name: Name) -> bool:
    """Whether a step cuts a column into bins."""
    return isinstance(step, BinNumbers) and name in step.columns


def _suggested(reading: Reading, name: Name) -> Step | None:
    """The suggested declaration of an order, which may know it better than the file does."""
    for finding in reading.health.findings:
        for step in finding.steps:
            if isinstance(step, OrderedAnswers) and name in step.columns:
                return step.on_columns((name,))
    return None
