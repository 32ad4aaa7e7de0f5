"""The health of a table: what it is, what is wrong with it, and what could be done.

`RULES` is the one order of all decisions. A rule is a function of a profile that yields findings;
each sees the table as the steps suggested before leave it. To add one, write it, and put it here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from bjp_engine.columns import Table
from bjp_engine.dataset import Dataset
from bjp_engine.health.blankets import BlanketLimit, blanket_limit, find_row_limit
from bjp_engine.health.choices import find_choices, find_several_answers
from bjp_engine.health.codes import find_missing_codes
from bjp_engine.health.copies import find_copies, find_summaries
from bjp_engine.health.findings import Finding, left_out
from bjp_engine.health.frequencies import find_frequencies, find_identifiers, find_weights
from bjp_engine.health.lines import find_stray_lines
from bjp_engine.health.profile import Profile, VariableHealth
from bjp_engine.health.scales import find_groups, find_orders
from bjp_engine.health.states import (
    find_many_states,
    find_missing,
    find_numbers,
    find_rare,
    find_spellings,
    find_unused,
    find_useless,
)
from bjp_engine.preparation import DropVariables, Preparation, Step, usual_place
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import record
from bjp_engine.validate import Name, instance

if TYPE_CHECKING:
    import pandas as pd

RULES: tuple[Callable[[Profile], Iterable[Finding]], ...] = (
    # What is a row, and how often it counts.
    *(find_stray_lines, find_identifiers, find_frequencies, find_weights),
    # What is an answer, and what is none.
    *(find_choices, find_summaries, find_several_answers, find_missing_codes, find_spellings),
    # What is a variable of its own.
    *(find_useless, find_copies, find_orders, find_groups),
    # Which rows and states are left.
    *(find_missing, find_numbers, find_many_states, find_rare, find_unused),
)
# What findings take columns for; what is only asked leaves a column what it is, but for groups.
_ROLES = {
    "frequencies": "frequency",
    "weights": "weight",
    "ordered": "ordered",
    "groups": "group",
    "multiple_choice": "answer",
    "repeated": "identifier",
    "identifier": "identifier",
}


@record
@dataclass(frozen=True, eq=False)
class HealthReport:
    """The health of a table.

    Attributes
    ----------
    variables : tuple of VariableHealth
        In column order, as the table was given; the role is what the suggested steps make it.
    findings : tuple of Finding
        Worst first.
    blankets : BlanketLimit
        How large a blanket the rows allow after the suggested steps.
    """

    rows: int
    variables: tuple[VariableHealth, ...]
    findings: tuple[Finding, ...]
    blankets: BlanketLimit

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain lists, texts and numbers, and "suggested", the preparation."""
        return {
            "type": "health",
            "version": 4,
            "rows": self.rows,
            "variables": [asdict(one) for one in self.variables],
            "findings": [_plain(one) for one in self.findings],
            "blankets": asdict(self.blankets),
            "suggested": suggest(self).to_dict(),
        }

    def to_json(self) -> str:
        """The report as JSON."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)


def health(frame: pd.DataFrame | Table | Dataset, progress: Progress = UNWATCHED) -> HealthReport:
    """Find the problems of a table before learning from it.

    Parameters
    ----------
    frame : pandas.DataFrame, Table or Dataset
        As it was read, missing cells as such; it is not changed.
    progress : Progress, optional
        Hears after each column; can cancel.

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
    given = profile = Profile(table, progress=progress)
    findings: list[Finding] = []
    for rule in RULES:
        found = list(rule(profile))
        findings += found
        steps = [step for one in found if one.advised for step in one.steps]
        profile = profile.after(steps) if steps else profile
        progress.tick()
    left = profile.variables.values()
    states = [one.states + bool(one.missing and profile.table.column(one.name).own) for one in left]
    limit = blanket_limit(profile.rows, states)
    findings.append(find_row_limit(limit, len(states), table.rows))
    roles = {
        name: _ROLES[finding.kind]
        for finding in reversed(findings)
        if finding.kind in _ROLES and (finding.advised or finding.kind == "groups")
        for name in finding.columns
    }
    variables = (replace(x, role=roles.get(x.name, x.role)) for x in given.variables.values())
    ranked = sorted(findings, key=lambda finding: finding.rank)
    return HealthReport(table.rows, tuple(variables), tuple(ranked), limit)


def suggest(report: HealthReport) -> Preparation:
    """The steps that the findings suggest by default, in a useful order."""
    out = left_out(instance(report, "report", HealthReport, "what `health` returns").findings)
    names: list[Name] = [one.name for one in report.variables if one.name in out]
    steps: list[Step] = [DropVariables(tuple(names))] if names else []
    for finding in report.findings:
        for step in finding.steps if finding.advised else ():
            columns = getattr(step, "columns", None)
            left = tuple(name for name in columns or () if name not in out)
            if columns is None:
                steps.append(step)
            elif left and not isinstance(step, DropVariables):
                steps.append(step if left == columns else step.on_columns(left))
    return Preparation(tuple(sorted(steps, key=usual_place)))


def _plain(finding: Finding) -> dict[str, Any]:
    return vars(finding) | {
        "title": finding.title,
        "columns": list(finding.columns),
        "figures": dict(finding.figures),
        "steps": [step.to_dict() for step in finding.steps],
    }
