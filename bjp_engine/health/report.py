"""The health of a table: what it is, what is wrong with it, and what could be done."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bjp_engine.dataset import Name
from bjp_engine.health.by_column import dropped, findings
from bjp_engine.health.by_table import missing_finding, room_finding
from bjp_engine.health.copies import Copies, exact_copies, near_copies
from bjp_engine.health.findings import SEVERITIES, TITLES, Finding
from bjp_engine.health.known import Known
from bjp_engine.health.room import BlanketRoom, blanket_room, slice_rows
from bjp_engine.health.together import rising_together
from bjp_engine.health.variables import VariableHealth, look_at
from bjp_engine.preparation import (
    BinNumbers,
    DropVariables,
    MissingCells,
    Preparation,
    Step,
    Table,
    TidyText,
)
from bjp_engine.progress import UNWATCHED, Progress

if TYPE_CHECKING:
    import pandas as pd

_NUMBERS = ("whole number", "measurement")
# What is left out and tidied first need not be cut or merged.
_ORDER = (DropVariables, TidyText, MissingCells, BinNumbers)


@dataclass(frozen=True, eq=False)
class HealthReport:
    """The health of a table.

    Parameters
    ----------
    rows : int
    variables : tuple of VariableHealth
        In column order.
    findings : tuple of Finding
        Worst first.
    room : BlanketRoom
        What the rows allow after the suggested steps.
    compared : int
        How many variables were compared for near copies.
    """

    rows: int
    variables: tuple[VariableHealth, ...]
    findings: tuple[Finding, ...]
    room: BlanketRoom
    compared: int

    def to_dict(self) -> dict[str, Any]:
        """The report as plain lists, texts and numbers.

        Returns
        -------
        dict
            The fields by name, and "suggested", the preparation.
        """
        return {
            "type": "health",
            "version": 1,
            "rows": self.rows,
            "variables": [asdict(one) for one in self.variables],
            "findings": [_finding_dict(one) for one in self.findings],
            "room": asdict(self.room),
            "compared": self.compared,
            "suggested": suggest(self).to_dict(),
        }

    def to_json(self) -> str:
        """The report as JSON.

        Returns
        -------
        str
        """
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)


def health(frame: pd.DataFrame | Table, watch: Progress = UNWATCHED) -> HealthReport:
    """What a table is and what is wrong with it, before anything is learned.

    Parameters
    ----------
    frame : pandas.DataFrame
        As it was read, missing cells as such; it is not changed. Or a `Table` of it, whose
        columns stay coded for `prepare`.
    watch : Progress, optional
        Told after each column; can cancel.

    Returns
    -------
    HealthReport

    Raises
    ------
    DataError
        If the table has no column or no row, two columns bear one name, or cells hold lists.
    Cancelled
        If `watch` says so.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"id": range(40), "rain": ["no", "No", "yes", None] * 10,
    ...                       "wet": ["no", "no", "yes", "yes"] * 10})
    >>> report = health(frame)
    >>> [finding.kind for finding in report.findings]
    ['missing', 'identifier', 'spelling', 'blankets']
    >>> suggest(report).sentences[0]
    "Leave out 'id'."
    """
    table = Table.of(frame)
    table.check_rows()
    needed = slice_rows(2, 2)
    looked = []
    for number, name in enumerate(table.names, 1):
        looked.append(look_at(name, table.column(name), needed))
        watch.tick(number, len(table.names))
    variables = tuple(looked)
    exact, near, together, compared = _copies(table, variables)
    watch.tick()
    known = Known(table.rows, variables, exact, near, together, needed)
    found = list(findings(known))
    out = dropped(found)
    used = [one for one in variables if one.name not in out]
    found += missing_finding(*_missing(table, used))
    room = blanket_room(_rows_left(found, table.rows), _planned(used, found))
    found += room_finding(room, len(used))
    return HealthReport(table.rows, variables, tuple(sorted(found, key=_rank)), room, compared)


def suggest(report: HealthReport) -> Preparation:
    """What would be done by default: the steps that the findings advise, in a useful order."""
    steps = [step for finding in report.findings if finding.advised for step in finding.steps]
    out = {name for step in steps if isinstance(step, DropVariables) for name in step.columns}
    order = [one.name for one in report.variables if one.name in out]
    kept: list[Step] = [DropVariables(tuple(order))] if order else []
    for step in steps:
        rest = None if isinstance(step, DropVariables) else _without(step, out)
        if rest is not None:
            kept.append(rest)
    return Preparation(tuple(sorted(kept, key=usual_place)))


def _copies(
    table: Table, variables: tuple[VariableHealth, ...]
) -> tuple[tuple[Copies, ...], tuple[Copies, ...], tuple[Copies, ...], int]:
    """Copies, near copies, numbers that rise and fall together, and how many were compared."""
    used = {
        one.name: one.kind
        for one in variables
        if one.states > 1 and one.kind in ("category", *_NUMBERS)
    }
    exact = exact_copies({name: table.column(name) for name in used})
    repeated = {name for copies in exact for name in copies.followers}
    left = {name: kind for name, kind in used.items() if name not in repeated}
    near, compared = near_copies(
        {name: table.column(name) for name, kind in left.items() if kind == "category"}
    )
    numbers = {name: table.column(name) for name, kind in left.items() if kind in _NUMBERS}
    same, together = rising_together(numbers)
    every = (*exact, *same)
    return every, tuple(near), tuple(together), compared + len(numbers)


def _without(step: Step, out: set[Name]) -> Step | None:
    """A step on the variables that are left, if it has any."""
    content = step.to_dict()
    columns = content.get("columns")
    if columns is None:
        return step
    left = [name for name in columns if name not in out]
    del content["step"]
    return type(step).from_dict({**content, "columns": left}) if left else None


def usual_place(step: Step) -> int:
    """Where a step stands among the suggested ones."""
    kinds = [isinstance(step, kind) for kind in _ORDER]
    return kinds.index(True) if any(kinds) else len(kinds)


def _missing(table: Table, used: list[VariableHealth]) -> tuple[Mapping[Name, int], int, int, int]:
    """Missing cells of the variables that are used, and the rows without any."""
    holes = {one.name: one.missing for one in used if one.missing}
    complete = np.ones(table.rows, dtype=np.bool_)
    for name in holes:
        complete &= table.column(name).codes >= 0
    return holes, table.rows * len(used), table.rows, int(np.count_nonzero(complete))


def _rows_left(found: list[Finding], rows: int) -> int:
    """The rows after the advised steps."""
    for finding in found:
        if finding.kind == "missing" and MissingCells("drop") in finding.steps:
            return int(finding.figures["complete"])
    return rows


def _planned(used: list[VariableHealth], found: list[Finding]) -> list[int]:
    """The states of each variable after the advised steps."""
    own = any(MissingCells("state") in finding.steps for finding in found)
    bins = {
        name: step.bins
        for finding in found
        for step in finding.steps
        if isinstance(step, BinNumbers)
        for name in step.columns
    }
    planned = []
    for one in used:
        states = bins.get(one.name, max(2, one.states - one.spellings))
        planned.append(states + (own and one.missing > 0))
    return planned


def _rank(finding: Finding) -> tuple[int, int, int]:
    """Worst first; of equals those of more columns."""
    kinds = list(TITLES)
    return SEVERITIES.index(finding.severity), kinds.index(finding.kind), -len(finding.columns)


def _finding_dict(finding: Finding) -> dict[str, Any]:
    """A finding as plain lists, texts and numbers."""
    return {
        "kind": finding.kind,
        "title": finding.title,
        "severity": finding.severity,
        "columns": list(finding.columns),
        "figures": dict(finding.figures),
        "sentence": finding.sentence,
        "action": finding.action,
        "advised": finding.advised,
        "steps": [step.to_dict() for step in finding.steps],
    }
