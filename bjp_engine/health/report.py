"""The health of a table: what it is, what is wrong with it, and what could be done."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bjp_engine.columns import Table
from bjp_engine.dataset import Dataset
from bjp_engine.health.blankets import BlanketLimit, blanket_limit, slice_rows
from bjp_engine.health.copies import Copies, exact_copies, near_copies, rank_copies
from bjp_engine.health.findings import (
    SEVERITIES,
    TITLES,
    Facts,
    Finding,
    find_in_columns,
    find_missing,
    find_row_limit,
    left_out,
)
from bjp_engine.health.survey import find_in_survey, find_roles
from bjp_engine.health.variables import VariableHealth, describe_variable
from bjp_engine.preparation import (
    BinNumbers,
    DropVariables,
    MissingCells,
    Preparation,
    Step,
    usual_place,
)
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import record
from bjp_engine.validate import Name, instance

if TYPE_CHECKING:
    import pandas as pd

_NUMBERS = ("whole number", "measurement")


@record
@dataclass(frozen=True, eq=False)
class HealthReport:
    """The health of a table.

    Attributes
    ----------
    variables : tuple of VariableHealth
        In column order.
    findings : tuple of Finding
        Worst first.
    blankets : BlanketLimit
        How large a blanket the rows allow after the suggested steps.
    compared : int
        How many variables were compared for near copies.
    """

    rows: int
    variables: tuple[VariableHealth, ...]
    findings: tuple[Finding, ...]
    blankets: BlanketLimit
    compared: int

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain lists, texts and numbers, and "suggested", the preparation."""
        return {
            "type": "health",
            "version": 3,
            "rows": self.rows,
            "variables": [asdict(one) for one in self.variables],
            "findings": [_plain(one) for one in self.findings],
            "blankets": asdict(self.blankets),
            "compared": self.compared,
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

    Returns
    -------
    HealthReport

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
    needed = slice_rows(2, 2)
    looked = []
    for number, (name, column) in enumerate(table.columns.items(), 1):
        looked.append(describe_variable(name, column, needed))
        progress.tick(number, len(table.columns))
    described = tuple(looked)
    survey = list(find_in_survey(table))
    # What follows is about the table after these steps.
    read, lines, variables = table, table.rows, described
    for step in (step for one in survey if one.advised for step in one.steps):
        table = step.fit(table).apply(table).table
    survey += find_roles(table)
    roles = dict(_roles(survey))
    if table is not read:
        variables = tuple(
            one
            if table.columns[one.name] is read.columns[one.name]
            else describe_variable(one.name, table.column(one.name), needed)
            for one in described
            if one.name in table.columns
        )
    variables = _with_roles(variables, roles)
    exact, near, correlated, compared = _copies(table, variables)
    progress.tick()
    repeated = {
        one.name: table.column(one.name).counts
        for one in variables
        if one.kind == "identifier" and one.states < one.present
    }
    facts = Facts(table.rows, variables, repeated, exact, near, correlated, needed)
    found = find_in_columns(facts)
    out = left_out(found)
    used = [one for one in variables if one.name not in out]
    holes = {one.name: one.missing for one in used if one.missing}
    complete = int(np.count_nonzero(table.keeping(holes).complete_rows()))
    found += find_missing(holes, len(used), table.rows, complete)
    rows = complete if _advises(found, MissingCells("drop")) else table.rows
    limit = blanket_limit(rows, _planned(used, found))
    found.append(find_row_limit(limit, len(used), lines))
    findings = tuple(sorted((*survey, *found), key=_rank))
    return HealthReport(lines, _with_roles(described, roles), findings, limit, compared)


def suggest(report: HealthReport) -> Preparation:
    """The steps that the findings suggest by default, in a useful order.

    Parameters
    ----------
    report : HealthReport

    Returns
    -------
    Preparation
    """
    out = left_out(instance(report, "report", HealthReport, "what `health` returns").findings)
    order = tuple(one.name for one in report.variables if one.name in out)
    steps: list[Step] = [DropVariables(order)] if order else []
    for finding in report.findings:
        for step in finding.steps if finding.advised else ():
            columns = getattr(step, "columns", None)
            left = tuple(name for name in columns or () if name not in out)
            if columns is None:
                steps.append(step)
            elif left and not isinstance(step, DropVariables):
                steps.append(step if left == columns else step.on_columns(left))
    return Preparation(tuple(sorted(steps, key=usual_place)))


def _copies(
    table: Table, variables: Iterable[VariableHealth]
) -> tuple[tuple[Copies, ...], tuple[Copies, ...], tuple[Copies, ...], int]:
    """Copies, near copies, numbers with nearly the same ranks, and how many were compared."""
    kinds = {one.name: one.kind for one in variables if one.states > 1}
    exact = exact_copies(
        {n: table.column(n) for n, kind in kinds.items() if kind in ("category", *_NUMBERS)}
    )
    repeated = {name for copies in exact for name in copies.followers}
    left = {name: table.column(name) for name in kinds if name not in repeated}
    near, compared = near_copies({n: c for n, c in left.items() if kinds[n] == "category"})
    numbers = {n: c for n, c in left.items() if kinds[n] in _NUMBERS}
    same, correlated = rank_copies(numbers)
    return (*exact, *same), tuple(near), tuple(correlated), compared + len(numbers)


def _roles(found: Iterable[Finding]) -> Iterator[tuple[Name, str]]:
    """What findings take columns for."""
    kinds = {"frequencies": "frequency", "weights": "weight", "ordered": "ordered"}
    kinds |= {"groups": "group", "multiple_choice": "answer"}
    for finding in found:
        # What is only asked leaves a column what it is, but for groups.
        if finding.kind in kinds and (finding.advised or finding.kind == "groups"):
            yield from ((name, kinds[finding.kind]) for name in finding.columns)


def _with_roles(
    variables: Iterable[VariableHealth], roles: dict[Name, str]
) -> tuple[VariableHealth, ...]:
    return tuple(replace(one, role=roles.get(one.name, one.role)) for one in variables)


def _advises(found: Iterable[Finding], step: Step) -> bool:
    return any(step in finding.steps for finding in found)


def _planned(used: list[VariableHealth], found: list[Finding]) -> list[int]:
    """The states of each variable after the advised steps."""
    own = _advises(found, MissingCells("state"))
    bins: dict[Name, int] = {}
    for finding in found:
        for step in finding.steps:
            if isinstance(step, BinNumbers):
                bins |= dict.fromkeys(step.columns, step.bins)
    return [
        bins.get(one.name, max(2, one.states - one.spellings)) + (own and one.missing > 0)
        for one in used
    ]


def _rank(finding: Finding) -> tuple[int, int, int]:
    """Worst first; of equals those of more columns."""
    kinds = list(TITLES)
    return [*SEVERITIES].index(finding.severity), kinds.index(finding.kind), -len(finding.columns)


def _plain(finding: Finding) -> dict[str, Any]:
    return vars(finding) | {
        "title": finding.title,
        "columns": list(finding.columns),
        "figures": dict(finding.figures),
        "steps": [step.to_dict() for step in finding.steps],
    }
