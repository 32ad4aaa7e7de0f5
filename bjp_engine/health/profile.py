"""What a rule sees and what it finds: the profile of a table, and a finding with its steps.

Whether there are rows enough is measured by slices: a test given a blanket falls into one for each
of the blanket's configurations, and a slice of few rows moves the posterior little.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import lgamma
from typing import Any

import numpy as np

from bjp_engine.columns import FEW_ROWS, FEW_STATES, Column, Table
from bjp_engine.errors import columns_text, listed, plural
from bjp_engine.health import thresholds as bounds
from bjp_engine.identifiers import MANY_STATES, ROWS_EACH, is_code, is_identifier, is_repeated
from bjp_engine.preparation import SetRoles, Step
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.records import FrozenMapping, record
from bjp_engine.validate import Name

_LOOKED_AT = 200
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ]\d{1,2}:\d{2}.*)?|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{2}|\d{4})"
)


# --- Rows and slices ------------------------------------------------------------------------------

# Larger blankets are not looked at.
MOST_NEIGHBOURS = 8


@cache
def slice_rows(r: int, s: int) -> int:
    """How many rows a slice of r × s states needs to support dependence at odds of 19 to 1."""
    rows = 1
    while log_odds_at_best(rows, r, s) < math.log(bounds.ODDS):
        rows += 1
    return rows


def log_odds_at_best(rows: int, r: int, s: int) -> float:
    """ln h − ln g of rows spread evenly over pairs of states that go together."""
    pairs = min(r, s)
    cells = [rows // pairs + (k < rows % pairs) for k in range(pairs)]
    joint = sum(lgamma(1 + cell) for cell in cells)
    h = lgamma(r * s) - lgamma(r * s + rows) + joint
    g = sum(lgamma(states) - lgamma(states + rows) + joint for states in (r, s))
    return h - g


# Rows without which a slice of two binary variables shows nothing, so that a state is rare.
NEEDED = slice_rows(2, 2)


def blanket_limit(rows: int, states: Sequence[int]) -> tuple[int, float]:
    """How many variables a test can be given with so many rows, and their typical states r.

    A configuration of d such variables has N / rᵈ rows on average, and needs `NEEDED`; -1 where
    not even d = 0 has. r is the geometric mean of the numbers of states, none of which is 1.
    """
    typical = math.exp(sum(map(math.log, states)) / len(states)) if states else 2.0
    sizes = range(min(max(0, len(states) - 2), MOST_NEIGHBOURS) + 1)
    return max((d for d in sizes if rows / typical**d >= NEEDED), default=-1), typical


# --- The profile ----------------------------------------------------------------------------------


@record
@dataclass(frozen=True)
class VariableHealth:
    """What one column is, in figures."""

    name: Name
    kind: str  # category, whole number, measurement, date, text, identifier or empty
    states: int  # different values that occur
    present: int  # cells
    missing: int
    largest: int  # rows with the most frequent value
    rare: int  # states with fewer rows than a slice needs to show anything


class Profile:
    """A table and what its columns are; unchanged ones are taken from the profile `before`.

    What a person `said` that columns are is a step each.
    """

    def __init__(
        self,
        table: Table,
        said: Mapping[Name, Step],
        before: Profile | None = None,
        progress: Progress = UNWATCHED,
    ) -> None:
        self.table, self.rows, self.said = table, table.rows, said
        self.variables: dict[Name, VariableHealth] = {}
        for number, (name, column) in enumerate(table.columns.items(), 1):
            if before is not None and before.table.columns.get(name) is column:
                self.variables[name] = before.variables[name]
            else:
                role = getattr(said.get(name), "role", "")
                self.variables[name] = describe_variable(name, column, role)
            progress.tick(number, len(table.columns))

    def after(self, steps: Iterable[Step]) -> Profile:
        """The profile of the table after some steps."""
        table = self.table
        for step in steps:
            if step.leaves_out:
                # None may be left, which the last rule says.
                table = table.keeping([name for name in table.names if name not in step.leaves_out])
            else:
                table = step.apply(table).table
        return Profile(table, self.said, self)

    def of(self, *kinds: str) -> dict[Name, Column]:
        """The columns of some kinds that vary."""
        some = [name for name, v in self.variables.items() if v.kind in kinds and v.states > 1]
        return {name: self.table.column(name) for name in some}


def describe_variable(name: Name, column: Column, role: str) -> VariableHealth:
    """What a column is, where a person may have said its role."""
    counts = column.counts[column.counts > 0]
    states, present = len(counts), column.rows - column.holes
    kind, largest = _kind(name, column, states, present, role), int(counts.max(initial=0))
    closed = kind in ("category", "whole number")
    rare = int(np.count_nonzero(counts < NEEDED)) if closed else 0
    return VariableHealth(name, kind, states, present, column.holes, largest, rare)


def _kind(name: Name, column: Column, states: int, present: int, role: str) -> str:
    if not states:
        return "empty"
    if not column.numeric and states > 2 and _dates(column):
        return "date"
    if role not in ("variable", "ordered") and (
        is_identifier(name, column) or is_repeated(name, column.values, column.counts)
    ):
        return "identifier"
    if column.numeric and (role == "ordered" or not (is_code(name) or column.nominal)):
        kind = "measurement" if column.fractional else "whole number"
        return "category" if states <= FEW_STATES else kind
    # Text, and codes, which are names of something whether or not they are written in digits.
    crowded = states > MANY_STATES and states * ROWS_EACH > present
    # What few wrote in a field, as in "other, please specify".
    rest = not column.numeric and column.rows >= FEW_ROWS and column.holes >= present
    specified = rest and states > 1 and 2 * states > present
    return "text" if (crowded or specified) and not column.declared else "category"


def _dates(column: Column) -> bool:
    """Whether the values are dates, or are written like dates."""
    looked = column.values[column.counts > 0][:_LOOKED_AT].tolist()
    return all(isinstance(value, str) and _DATE.fullmatch(value.strip()) for value in looked) or (
        type(looked[0]).__name__ in ("date", "datetime", "Timestamp", "Period")
    )


# --- Findings -------------------------------------------------------------------------------------

# Worst first, with what a person reads.
SEVERITIES = {
    "stop": "must be resolved",
    "serious": "serious",
    "warning": "check this",
    "note": "good to know",
}
# What each kind is called, and how severe it is. Of equally severe ones the first here comes first.
_KINDS = {
    "few_variables": ("Fewer than two variables", "stop"),
    "lines": ("Lines that are no rows", "serious"),
    "cross_table": ("A cross table", "serious"),
    "frequencies": ("Frequencies", "serious"),
    "missing": ("Missing cells", "stop"),
    "multiple_choice": ("Choices of one question", "serious"),
    "several_answers": ("Several answers in a cell", "serious"),
    "empty": ("Empty columns", "serious"),
    "identifier": ("Identifiers", "serious"),
    "repeated": ("Several rows of one person", "serious"),
    "text": ("Free text or codes", "serious"),
    "numbers": ("Many distinct numbers", "serious"),
    "copies": ("Copies of another variable", "serious"),
    "blankets": ("Rows per configuration", "warning"),
    "missing_codes": ("Codes of missing cells", "warning"),
    "weights": ("Survey weights", "warning"),
    "date": ("Dates", "warning"),
    "constant": ("Constant columns", "warning"),
    "spelling": ("Several spellings", "warning"),
    "apart": ("Columns that share no row", "warning"),
    "mostly_missing": ("Mostly missing", "warning"),
    "near_copies": ("Near copies of another variable", "warning"),
    "numbers_as_text": ("Numbers among text", "warning"),
    "rare": ("Rare states", "note"),
    "unused": ("Unused states", "note"),
    "ordered": ("Ordered answers", "note"),
    "roles": ("Roles", "note"),
}
TITLES = {kind: title for kind, (title, _) in _KINDS.items()}


@record
@dataclass(frozen=True)
class Finding:
    """One thing found in a table.

    Attributes
    ----------
    kind : str
        A key of `TITLES`.
    severity : {"stop", "serious", "warning", "note"}
        Nothing can be learned before; the result would be spoiled; it may be; good to know.
    columns : tuple of str or int
        None where it is about the whole table.
    steps, action : tuple of Step, str
        What the obvious answer to it does, and the words of its button.
    advised : bool
        Whether `suggest` takes these steps.
    """

    kind: str
    severity: str
    columns: tuple[Name, ...]
    figures: FrozenMapping[str, float]
    sentence: str
    steps: tuple[Step, ...] = ()
    action: str = ""
    advised: bool = False

    @property
    def title(self) -> str:
        """A heading."""
        return TITLES[self.kind]

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain lists, texts and numbers."""
        steps = [step.to_dict() for step in self.steps]
        return vars(self) | {"title": self.title, "figures": dict(self.figures), "steps": steps}

    @property
    def rank(self) -> tuple[int, int, int]:
        """Worst first; of equals those of more columns."""
        kinds, severities = [*_KINDS], [*SEVERITIES]
        return severities.index(self.severity), kinds.index(self.kind), -len(self.columns)


def make_finding(
    kind: str,
    columns: Sequence[Name],
    sentence: str,
    *answer: Step | str,
    severity: str = "",
    advised: bool = True,
    figures: Mapping[str, float] = FrozenMapping({}),
) -> Finding:
    """A finding, with an answer if there is one: steps, and the words of their button."""
    steps = tuple(part for part in answer if isinstance(part, Step))
    return Finding(
        kind,
        severity or _KINDS[kind][1],
        tuple(columns),
        FrozenMapping(figures),
        sentence,
        steps,
        "".join(part for part in answer if isinstance(part, str)) or "Leave out" * bool(steps),
        advised=advised and bool(steps),
    )


def leave_out(names: Iterable[Name]) -> Step:
    """The step that leaves columns out."""
    return SetRoles(tuple(names), "leave out")


def states_text(states: Mapping[Name, Sequence[str]]) -> str:
    """States of columns in a sentence: the first three ways, the others counted."""
    columns: dict[tuple[str, ...], list[Name]] = defaultdict(list)
    for name, some in states.items():
        columns[tuple(some)].append(name)
    shown = [f"{listed(some)} in {columns_text(names)}" for some, names in columns.items()]
    more = f"; and in {plural(len(shown) - 3, 'other way')}" if len(shown) > 3 else ""
    return "; ".join(shown[:3]) + more


def percent(share: float) -> str:
    """A share as text; neither nothing nor all where it isn't."""
    return "100 %" if share == 1 else f"{min(99.9, max(0.1, 100 * share)):.3g} %"
