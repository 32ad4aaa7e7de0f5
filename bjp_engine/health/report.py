"""The health of a table: what it is, what is wrong with it, and what could be done.

`RULES` is the one order of all decisions. A rule is a function of a profile that yields findings;
each sees the table as the steps suggested before leave it. To add one, write it, and put it here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bjp_engine.columns import Table
from bjp_engine.dataset import Dataset
from bjp_engine.errors import BJPError, plural
from bjp_engine.health import answers, copies, frequencies, lines, scales, states
from bjp_engine.health.profile import (
    MOST_NEIGHBOURS,
    NEEDED,
    Finding,
    Profile,
    VariableHealth,
    blanket_limit,
    make_finding,
)
from bjp_engine.health.roles import (
    Roles,
    declare_as_said,
    heed,
    leave_out_as_said,
    order_as_said,
    steps_by_column,
)
from bjp_engine.preparation import Preparation, RepeatRows, roles_of
from bjp_engine.preparation.preparation import in_usual_order, without_columns
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import FrozenMapping, record
from bjp_engine.validate import Name, instance

if TYPE_CHECKING:
    import pandas as pd

RULES: tuple[Callable[[Profile], Iterable[Finding]], ...] = (
    # What is a row, and how often it counts.
    *(lines.find_stray_lines, frequencies.find_frequencies, frequencies.find_cross_table),
    leave_out_as_said,
    *(frequencies.find_identifiers, frequencies.find_weights),
    # What is an answer, and what is none.
    *(answers.find_choices, copies.find_summaries, answers.find_several_answers),
    *(answers.find_missing_codes, states.find_spellings, states.find_numbers_as_text),
    order_as_said,
    # What is a variable of its own.
    *(
        states.find_apart,
        states.find_useless,
        copies.find_copies,
        copies.find_sums,
        copies.find_near_copies,
    ),
    scales.find_orders,
    # Which rows and states are left.
    *(states.find_missing, states.find_numbers, declare_as_said),
    *(states.find_rare, states.find_unused),
)

_NOTHING_SAID: Roles = FrozenMapping({})


@record
@dataclass(frozen=True, eq=False)
class HealthReport:
    """The health of a table.

    Attributes
    ----------
    variables : tuple of VariableHealth
        In column order, as the table was given.
    roles : mapping
        What the suggested steps make of each column, as `bjp learn --roles` takes it.
    findings : tuple of Finding
        Worst first.
    """

    rows: int
    variables: tuple[VariableHealth, ...]
    roles: FrozenMapping[Name, str]
    findings: tuple[Finding, ...]

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain lists, texts and numbers, and "suggested", the preparation."""
        return {
            "type": "health",
            "version": 5,
            "rows": self.rows,
            "variables": [asdict(one) for one in self.variables],
            "roles": {str(name): role for name, role in self.roles.items()},
            "findings": [one.to_dict() for one in self.findings],
            "suggested": suggest(self).to_dict(),
        }

    def to_json(self) -> str:
        """The report as JSON."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)


def health(
    frame: pd.DataFrame | Table | Dataset,
    progress: Progress = UNWATCHED,
    roles: Roles = _NOTHING_SAID,
) -> HealthReport:
    """Find the problems of a table before learning from it.

    Parameters
    ----------
    frame : pandas.DataFrame, Table or Dataset
        As it was read, missing cells as such; it is not changed.
    progress : Progress, optional
        Hears after each column; can cancel.
    roles : mapping, optional
        What you know columns to be, such as ``{"id": "leave out", "mood": ["low", "high"]}``: a
        role (`bjp_engine.preparation.ROLES`), or the states of an ordered variable. Nothing else
        is suggested of these columns.

    Examples
    --------
    >>> from bjp_engine.health import health, suggest
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"id": range(40), "rain": ["no", "No", "yes", None] * 10,
    ...                       "wet": ["no", "no", "yes", "yes"] * 10})
    >>> report = health(frame)
    >>> [finding.kind for finding in report.findings]
    ['missing', 'identifier', 'spelling', 'blankets']
    >>> suggest(report).sentences[0]
    "Leave out 'id'."
    """
    check_progress(progress)
    table = Table.of(frame.to_frame() if isinstance(frame, Dataset) else frame)
    table.check_rows()
    given = profile = Profile(table, steps_by_column(table, roles), progress=progress)
    findings: list[Finding] = []
    for rule in RULES:
        found = [*heed(rule(profile), profile.said)]
        findings += found
        steps = [step for one in found if one.advised for step in one.steps]
        profile = profile.after(steps) if steps else profile
        progress.tick()
    left = [column for column in profile.table.columns.values() if not column.group]
    sizes = [int(np.count_nonzero(one.counts)) + bool(one.holes and one.own) for one in left]
    findings.append(find_row_limit(profile.rows, sizes, table.rows))
    findings.sort(key=lambda finding: finding.rank)
    found_roles = FrozenMapping(roles_of(table, _suggested(findings)))
    variables = tuple(given.variables.values())
    return HealthReport(table.rows, variables, found_roles, tuple(findings))


def find_row_limit(rows: int, states: Sequence[int], given: int) -> Finding:
    """Whether variables and rows are enough after the suggested steps; `given` are the table's."""
    varying = [r for r in states if r > 1]
    variables, most = len(states), min(max(0, len(varying) - 2), MOST_NEIGHBOURS)
    largest, typical = blanket_limit(rows, varying)
    if variables < 2:
        only = "Only 1" if variables else "No"
        said = f"{only} variable is usable; a network needs at least two."
        return make_finding("few_variables", (), said, figures={"variables": variables})
    if largest < 0:
        said = f"not even one slice has the {NEEDED} rows that it needs"
    elif most == 0:
        said = "a test has all of them"
    elif largest == 0:
        said = f"a test given one variable has fewer than {NEEDED} rows per slice"
    else:
        said = (
            f"a test given {plural(largest, 'variable')} (typically of {typical:.3g} states) has "
        )
        said += f"about {rows / typical**largest:,.0f} rows per slice"
        if largest < most:
            said += f"; given {largest + 1}, only {rows / typical ** (largest + 1):,.1f}"
    # The sentence stands beside other steps, too.
    left = f"{plural(rows, 'row')}{' left by the suggested steps' * (rows != given)}"
    enough = largest >= min(3, most)
    return make_finding(
        "blankets",
        (),
        f"With {left}, {said}. A slice of fewer than {NEEDED} rows says little.",
        severity="note" if enough else "warning" if largest == 2 else "serious",
        figures={"rows": rows, "states": typical, "needed": NEEDED, "largest": largest},
    )


def suggest(report: HealthReport) -> Preparation:
    """The steps that the findings suggest by default, in a useful order."""
    return _suggested(instance(report, "report", HealthReport, "what `health` returns").findings)


def _suggested(findings: Iterable[Finding]) -> Preparation:
    return in_usual_order(step for one in findings if one.advised for step in one.steps)


def with_roles(
    table: Table, plan: Preparation, roles: Mapping[Name, str], report: HealthReport
) -> Preparation:
    """The steps with which columns have other roles, where `report` is that of the table alone.

    They are what health suggests; where a step was changed by hand, other columns keep theirs.

    Examples
    --------
    >>> from bjp_engine.health import health, suggest, with_roles
    >>> from bjp_engine.preparation import Table
    >>> import pandas as pd
    >>> table = Table.of(pd.DataFrame({"age": range(20, 60), "wet": ["no", "yes"] * 20}))
    >>> report = health(table)
    >>> suggest(report).sentences
    ("Leave out 'age'.",)
    >>> with_roles(table, suggest(report), {"age": "ordered"}, report).sentences
    ("Cut 'age' into 2 bins of about equally many rows.",)
    """
    roles = dict(zip(steps_by_column(table, roles), roles.values(), strict=True))
    now, counted = roles_of(table, plan), "frequency" in roles.values()
    if _is_suggested(plan, table, now, report):
        kept = {name: role for name, role in now.items() if not (counted and role == "frequency")}
        return _as_suggested(table, {**kept, **roles}, report)
    rest = (step for step in plan.steps if not (counted and isinstance(step, RepeatRows)))
    steps = _as_suggested(table, roles, report).steps
    others = {thing for step in steps for thing, _ in step.targets if thing not in roles}
    return in_usual_order([*without_columns(rest, roles), *without_columns(steps, others)])


def _as_suggested(table: Table, roles: Mapping[Name, str], report: HealthReport) -> Preparation:
    """What health suggests where some columns have other roles than it found."""
    differ = {name: role for name, role in roles.items() if role != report.roles[name]}
    return suggest(health(table, roles=differ))


def _is_suggested(
    plan: Preparation, table: Table, roles: Mapping[Name, str], report: HealthReport
) -> bool:
    """Whether no step was changed by hand; then states may have another order, or other names."""
    try:
        return plan == _as_suggested(table, roles, report)
    except BJPError:
        return False
