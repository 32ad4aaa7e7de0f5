"""What a person says that columns are, which every rule takes as given."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bjp_engine.columns import Table
from bjp_engine.errors import BJPError, DataError, OptionError, clip, listed
from bjp_engine.health.profile import Finding, Profile, make_finding
from bjp_engine.preparation import ROLES, RepeatRows, SetRoles, SplitAnswers, Step
from bjp_engine.validate import Name, choice, instance

# A role, or the states of an ordered variable from one end to the other.
Roles = Mapping[Name, str | Sequence[str]]
# What numbers rows or persons is left out, too; what follows from it, notes say.
_ALSO = {"identifier": "leave out"}


def steps_by_column(table: Table, roles: Roles) -> dict[Name, Step]:
    """The step that gives each column its role, by the table's own names."""
    instance(roles, "roles", (dict, Mapping), "a dict of columns and their roles")
    names, steps = {str(name): name for name in table.names}, dict[Name, Step]()
    for given, said in roles.items():
        name = names.get(str(given), given)
        try:
            column = table.column(name)
            states: Any = None if isinstance(said, str) else said
            role = said if isinstance(said, str) else "ordered"
            role = _ALSO.get(role, choice(role, "role", (*ROLES, *_ALSO)))
            if role in ("variable", "ordered") and column.holes == column.rows:
                raise OptionError("it has no values; leave it out.")
            counted = role == "frequency"
            steps[name] = RepeatRows(name) if counted else SetRoles((name,), role, states)
        except BJPError as reason:
            raise OptionError(f"The role of {clip(given)}: {reason}") from None
    counts = [name for name, step in steps.items() if isinstance(step, RepeatRows)]
    if len(counts) > 1:
        raise OptionError(f"Both {listed(counts)} are frequencies; a table has only one.")
    return steps


def leave_out_as_said(profile: Profile) -> Iterator[Finding]:
    """Columns that the person leaves out."""
    for name, step in profile.said.items():
        if step.leaves_out:
            yield make_finding("roles", (name,), f"You leave {clip(name)} out.", step)


def declare_as_said(profile: Profile) -> Iterator[Finding]:
    """Columns that are not yet what the person says, as bins are ordered."""
    for name, column in profile.table.columns.items():
        step = profile.said.get(name)
        if isinstance(step, SetRoles) and (
            step.states or step.role == "group" or (step.role == "ordered") != column.ordinal
        ):
            try:
                step.apply(profile.table)
            except DataError as reason:
                raise DataError(f"The role of {clip(name)}: {reason}") from None
            yield make_finding("roles", (name,), f"You say what {clip(name)} is.", step)


def heed(finding: Finding, said: Mapping[Name, Step]) -> Finding:
    """A finding that suggests nothing else of a column than the person says."""
    if finding.kind == "roles":
        return finding
    steps = tuple(filter(None, (_heeding(step, said) for step in finding.steps)))
    return replace(finding, steps=steps, advised=finding.advised and bool(steps))


def _heeding(step: Step, said: Mapping[Name, Step]) -> Step | None:
    if not isinstance(step, (SetRoles, SplitAnswers)):
        return step
    role = step.role if isinstance(step, SetRoles) else "variable"

    def is_as_said(name: Name) -> bool:
        other = said.get(name)
        return not isinstance(other, SetRoles) or (other.role == role and not other.states)

    left = tuple(filter(is_as_said, step.columns))
    return step.on_columns(left) if left else None
