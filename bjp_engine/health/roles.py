"""What a person says that columns are, which every rule takes as given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from bjp_engine.columns import Table
from bjp_engine.errors import BJPError, DataError, OptionError, clip, listed
from bjp_engine.health.profile import Finding, Profile, make_finding
from bjp_engine.labels import label_of
from bjp_engine.preparation import ROLES, MissingCodes, RepeatRows, SetRoles, SplitAnswers, Step
from bjp_engine.preparation.steps import columns_of
from bjp_engine.validate import Name, choice, instance, is_number

# A role, or the states of an ordered variable from one end to the other.
Roles = Mapping[Name, str | Sequence[str]]
# What numbers rows or persons is left out, too; what follows from it, notes say.
_ALSO = {"identifier": "leave out"}
_SAID = {"ordered": "ordered", "variable": "not ordered", "group": "a group"}


def steps_by_column(table: Table, roles: Roles) -> dict[Name, Step]:
    """The step that gives each column its role, by the table's own names."""
    instance(roles, "roles", (dict, Mapping), "a dict of columns and their roles")
    names, steps = {str(name): name for name in table.names}, dict[Name, Step]()
    for given, said in roles.items():
        name = names.get(str(given), given)
        try:
            column = table.column(name)
            if not isinstance(said, (str, list, tuple)):
                raise OptionError("give it a role, or a list of its states.")
            role, states = (said, None) if isinstance(said, str) else ("ordered", tuple(said))
            # In JSON, states may be numbers.
            states = states and tuple(label_of(x) if is_number(x) else x for x in states)
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
    yield from _declare(profile, given=False)


def order_as_said(profile: Profile) -> Iterator[Finding]:
    """Columns of which the person gives the states: no rule below may change these."""
    yield from _declare(profile, given=True)


def _declare(profile: Profile, *, given: bool) -> Iterator[Finding]:
    for name, column in profile.table.columns.items():
        step = profile.said.get(name)
        if not isinstance(step, SetRoles) or bool(step.states) != given:
            continue
        if given or step.role == "group" or (step.role == "ordered") != column.ordinal:
            try:
                step.apply(profile.table)
            except DataError as reason:
                raise DataError(f"The role of {clip(name)}: {reason}") from None
            said = f"You say that {clip(name)} is {_SAID[step.role]}."
            yield make_finding("roles", (name,), said, step)


def heed(findings: Iterable[Finding], said: Mapping[Name, Step]) -> Iterator[Finding]:
    """Findings that suggest nothing else of a column than the person says; none without a step."""
    for finding in findings:
        steps = tuple(filter(None, (_heeding(step, said) for step in finding.steps)))
        if finding.kind == "roles" or steps == finding.steps:
            yield finding
        elif steps:
            yield replace(finding, steps=steps)


def _heeding(step: Step, said: Mapping[Name, Step]) -> Step | None:
    """A step on the columns of which the person says nothing else, or nothing of its kind."""
    role = getattr(step, "role", "variable" if isinstance(step, SplitAnswers) else None)

    def is_as_said(name: Name) -> bool:
        other = said.get(name)
        # Whoever gives the states has decided all but which other values are missing.
        if not isinstance(other, SetRoles):
            return True
        return not other.states and role in (None, other.role)

    if isinstance(step, MissingCodes):
        given = ((name, other) for name, other in said.items() if isinstance(other, SetRoles))
        return step.without({(name, state) for name, x in given for state in x.states or ()})
    names = columns_of(step) or ()
    left = tuple(filter(is_as_said, names))
    return step if left == names else step.on_columns(left) if left else None
