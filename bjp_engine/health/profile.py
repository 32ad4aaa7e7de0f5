"""The profile of a table, which is all that a rule sees: what each column is."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from bjp_engine.columns import FEW_ROWS, FEW_STATES, Column, Table
from bjp_engine.health.blankets import slice_rows
from bjp_engine.identifiers import MANY_STATES, ROWS_EACH, is_code, is_repeated
from bjp_engine.preparation import DropVariables, Step
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.records import record
from bjp_engine.validate import Name

# Rows without which a slice of two binary variables shows nothing, so that a state is rare.
NEEDED = slice_rows(2, 2)
_LOOKED_AT = 200
_DATE = re.compile(
    r"\d{4}[-/.]\d{1,2}[-/.]\d{1,2}(?:[T ]\d{1,2}:\d{2}.*)?|\d{1,2}[-/.]\d{1,2}[-/.](?:\d{2}|\d{4})"
)


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
    """A table and what its columns are; unchanged ones are taken from the profile `before`."""

    def __init__(
        self, table: Table, before: Profile | None = None, progress: Progress = UNWATCHED
    ) -> None:
        self.table, self.rows = table, table.rows
        self.variables: dict[Name, VariableHealth] = {}
        for number, (name, column) in enumerate(table.columns.items(), 1):
            known = before is not None and before.table.columns.get(name) is column
            found = before.variables[name] if known and before else describe_variable(name, column)
            self.variables[name] = found
            progress.tick(number, len(table.columns))

    def after(self, steps: Iterable[Step]) -> Profile:
        """The profile of the table after some steps."""
        table = self.table
        for step in steps:
            if isinstance(step, DropVariables):
                # None may be left, which the last rule says.
                table = table.keeping([name for name in table.names if name not in step.columns])
            else:
                table = step.apply(table).table
        return Profile(table, self)

    def of(self, *kinds: str) -> list[VariableHealth]:
        """The variables of some kinds that vary."""
        return [one for one in self.variables.values() if one.kind in kinds and one.states > 1]


def describe_variable(name: Name, column: Column) -> VariableHealth:
    """What a column is."""
    counts = column.counts[column.counts > 0]
    present = column.rows - column.holes
    kind = _kind(name, column, len(counts), present)
    closed = kind in ("category", "whole number")
    return VariableHealth(
        name=name,
        kind=kind,
        states=len(counts),
        present=present,
        missing=column.holes,
        largest=int(counts.max(initial=0)),
        rare=int(np.count_nonzero(counts < NEEDED)) if closed else 0,
    )


def _kind(name: Name, column: Column, states: int, present: int) -> str:
    if not states:
        return "empty"
    if not column.numeric and states > 2 and _dates(column):
        return "date"
    distinct = states == present >= FEW_ROWS and not column.fractional
    if distinct or is_repeated(name, column.values, column.counts):
        return "identifier"
    if column.numeric and not (is_code(name) or column.nominal):
        kind = "measurement" if column.fractional else "whole number"
        return "category" if states <= FEW_STATES else kind
    # Text, and codes, which are names of something whether or not they are written in digits.
    crowded = states > MANY_STATES and states * ROWS_EACH > present
    return "text" if crowded and not column.declared else "category"


def _dates(column: Column) -> bool:
    """Whether the values are dates, or are written like dates."""
    looked = column.values[column.counts > 0][:_LOOKED_AT].tolist()
    return all(isinstance(value, str) and _DATE.fullmatch(value.strip()) for value in looked) or (
        type(looked[0]).__name__ in ("date", "datetime", "Timestamp", "Period")
    )
