"""Missing cells: rows without them, a state of their own, filled, or imputed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from bjp_engine.columns import Column, Table
from bjp_engine.errors import DataError, OptionError, clip, listed, plural
from bjp_engine.labels import MISSING_LABEL, labels_of, natural_key
from bjp_engine.parameters.imputation import TIMES
from bjp_engine.preparation.states import MOST_KEPT, any_text
from bjp_engine.preparation.steps import (
    CheckedRecord,
    Column_,
    SomeColumns,
    Step,
    StepResult,
    list_of,
    one_of,
    optional,
    whole,
)
from bjp_engine.validate import Name


@dataclass(frozen=True)
class Fill(CheckedRecord):
    """The state that takes the place of a column's missing cells."""

    column: Column_
    state: Annotated[str, any_text]


@dataclass(frozen=True)
class MissingCells(Step):
    """Drop rows with missing cells, make these a state, or fill them in, once or 20 times.

    Parameters
    ----------
    how : {"drop", "state", "most_frequent", "impute"}
    columns : tuple of str or int, optional
        By default every column; "impute" is for every column that has missing cells after all
        steps.
    fitted : tuple of Fill, optional
        The most frequent state of each column, as first found.
    seed : int
        Of "impute".

    Notes
    -----
    Of equally frequent states the first in natural order is taken; of a complete column with more
    than 4096 values none is kept. Cells that were made a state are not missing for later steps.
    Rows without any value at all are dropped, whatever `how`, unless `columns` is given.
    Those to impute stay missing until all steps are made: they are drawn given all other cells of
    their row, see `bjp_engine.parameters.impute`, and of another table given that one's own.
    """

    kind: ClassVar[str] = "missing"
    title: ClassVar[str] = "missing cells"
    how: Annotated[str, one_of("drop", "state", "most_frequent", "impute")]
    columns: SomeColumns = None
    fitted: Annotated[tuple[Fill, ...] | None, optional(list_of(Fill))] = None
    seed: Annotated[int, whole(0, 2**63 - 1)] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.how == "impute" and self.columns is not None:
            raise OptionError(
                "columns can't be given with how='impute': a cell is drawn given all others; make "
                "missing cells of single variables a state in a step before."
            )

    def _said(self) -> tuple[str, str]:
        where = listed(self.columns) if self.columns else "any variable"
        inside = f" in {where}" if self.columns else ""
        if self.how == "impute":
            often, seed = f"{TIMES} times under the network", f"(seed {self.seed})"
            return (
                f"Impute missing cells {often}, after all steps {seed}.",
                f"Missing cells were imputed {often}, after all other steps {seed}.",
            )
        if self.how == "drop":
            return (
                f"Drop the rows with a missing cell in {where}.",
                f"Rows with a missing cell{inside} were left out.",
            )
        if self.how == "state":
            own = f"a state of their own, {clip(MISSING_LABEL)}"
            return f"Make missing cells in {where} {own}.", f"Missing cells{inside} became {own}."
        return (
            f"Fill missing cells in {where} with the variable's most frequent state.",
            f"Missing cells{inside} were filled with the variable's most frequent state.",
        )

    def _find(self, table: Table) -> list[Fill] | None:
        if self.how != "most_frequent":
            return None
        found = []
        for name in self.columns or table.names:
            column = table.column(name)
            if not column.holes and len(column.values) > MOST_KEPT:
                continue
            if column.counts.any():
                found.append(Fill(name, _most_frequent(column)))
            elif column.holes and not column.own:
                raise DataError(f"column {clip(name)} has no value at all; leave it out.")
        return found

    def apply(self, table: Table) -> StepResult:
        """The table without these missing cells."""
        empty = table.empty_rows() if self.columns is None else np.zeros(0, dtype=np.bool_)
        gone = int(np.count_nonzero(empty))
        if self.how == "drop" or not gone or gone == table.rows:
            return self._applied(table)
        made = self._applied(table.take(~empty))
        said = f"{made.sentence} {plural(gone, 'row')} without any value dropped."
        return made._replace(sentence=said)

    def _applied(self, table: Table) -> StepResult:
        chosen = {name: table.column(name) for name in self.columns or table.names}
        open_ = {name: c for name, c in chosen.items() if c.holes and not c.own}
        if self.how == "drop":
            return _drop(table, open_)
        cells = sum(column.holes for column in open_.values())
        where = f"{plural(cells, 'missing cell')} in {plural(len(open_), 'variable')}"
        if self.how == "state":
            # Also where none is missing now: a step before may still be changed.
            table = table.having({name: replace(c, own=True) for name, c in chosen.items()})
            return StepResult(table, f"{where}: a state of their own.", cells)
        if self.how == "impute":
            return StepResult(table, f"{where}: imputed after all steps.")
        states = {fill.column: fill.state for fill in self.fitted or ()}
        filled = {name: _filled(column, states, name) for name, column in open_.items()}
        return StepResult(
            table.having(filled), f"{where}: filled with the most frequent state.", cells
        )


def _drop(table: Table, columns: dict[Name, Column]) -> StepResult:
    kept = table.keeping(columns).complete_rows()
    left = int(np.count_nonzero(kept))
    if not left:
        worst = max(columns, key=lambda name: columns[name].holes)
        raise DataError(
            f"every row has a missing cell (column {clip(worst)} has most, "
            f"{columns[worst].holes:,} of {table.rows:,}), so dropping rows leaves nothing; "
            "make missing cells a state, or leave variables out first."
        )
    said = f"{plural(table.rows - left, 'row')} dropped, {left:,} remain."
    return StepResult(table if left == table.rows else table.take(kept), said)


def _most_frequent(column: Column) -> str:
    """The state that most rows hold; of equals the first in natural order."""
    largest = np.flatnonzero(column.counts == column.counts.max())
    if column.numeric:
        # Numbers stand by size; there may be a million of them.
        largest = largest[[int(np.argmin(column.numbers[largest]))]]
    return min(labels_of(column.values[largest]), key=natural_key)


def _filled(column: Column, states: dict[Name, str], name: Name) -> Column:
    if name not in states:
        raise DataError(
            f"column {clip(name)} has missing cells and no state is known to fill them with; "
            "apply the step again, or leave the column out."
        )
    state = states[name]
    values = column.values.tolist()
    if state in column.labels:
        place = column.labels.index(state)
    else:
        place = len(values)
        values.append(state)
        column = column.recoded(np.arange(place), values)
    return replace(column, codes=np.where(column.codes < 0, place, column.codes))
