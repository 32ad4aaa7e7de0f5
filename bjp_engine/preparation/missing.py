"""What becomes of missing cells."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from bjp_engine.columns import Column, Table
from bjp_engine.dataset import Name
from bjp_engine.errors import DataError, OptionError, clip
from bjp_engine.labels import MISSING_LABEL, label_of, natural_key
from bjp_engine.preparation import fields
from bjp_engine.preparation.base import Did, Step, count, put, those

# Of a complete column with more values no filling is kept: it is a measurement or free text.
_KEPT = 4096


@dataclass(frozen=True)
class Fill:
    """The state that takes the place of a column's missing cells.

    Parameters
    ----------
    column : str or int
    state : str
        Its text.

    Raises
    ------
    OptionError
        If a field is out of range.
    """

    column: Name
    state: str

    def __post_init__(self) -> None:
        """Check the fields."""
        fields.name(self.column, "column")
        if not isinstance(self.state, str):
            raise OptionError(f"state={clip(self.state)} must be a text.")


@dataclass(frozen=True)
class MissingCells(Step):
    """Drop rows with missing cells, make these a state, or fill them with the most frequent one.

    Parameters
    ----------
    how : {"drop", "state", "most_frequent"}
    columns : tuple of str or int, optional
        By default every column.
    fitted : tuple of Fill, optional
        The most frequent state of each column, as first found.

    Raises
    ------
    OptionError
        If a field is out of range.

    Notes
    -----
    Of equally frequent states the first in natural order is taken; of a complete column with more
    than 4096 values none is kept. Cells that were made a state are not missing for later steps.
    """

    kind: ClassVar[str] = "missing"
    title: ClassVar[str] = "missing cells"
    how: str
    columns: tuple[Name, ...] | None = None
    fitted: tuple[Fill, ...] | None = field(default=None, metadata={"of": Fill})

    def __post_init__(self) -> None:
        """Check the fields."""
        put(
            self,
            how=fields.choice(self.how, "how", ("drop", "state", "most_frequent")),
            columns=fields.names(self.columns, "columns", every=True),
            fitted=fields.records(self.fitted, "fitted", Fill),
        )

    @property
    def sentence(self) -> str:
        """What it does."""
        where = those(self.columns, "any variable")
        if self.how == "drop":
            return f"Drop the rows with a missing cell in {where}."
        if self.how == "state":
            return f"Make missing cells in {where} a state of their own, {clip(MISSING_LABEL)}."
        return f"Fill missing cells in {where} with the variable's most frequent state."

    def fit(self, table: Table) -> MissingCells:
        """Find the most frequent states."""
        table.check(self.columns or ())
        if self.how != "most_frequent" or self.fitted is not None:
            return self
        found = []
        for name in self.columns or table.names:
            column = table.column(name)
            if not column.holes and len(column.values) > _KEPT:
                continue
            if column.counts.any():
                found.append(Fill(name, _most_frequent(column)))
            elif column.holes and not column.own:
                raise DataError(f"column {clip(name)} has no value at all; leave it out.")
        return replace(self, fitted=tuple(found))

    def apply(self, table: Table) -> Did:
        """The table without these missing cells."""
        table.check(self.columns or ())
        chosen = {name: table.column(name) for name in self.columns or table.names}
        open_ = {name: c for name, c in chosen.items() if c.holes and not c.own}
        if self.how == "drop":
            return _drop(table, open_)
        cells = sum(column.holes for column in open_.values())
        where = f"{count(cells, 'missing cell')} in {count(len(open_), 'variable')}"
        if self.how == "state":
            # Also where none is missing now: a step before may still be changed.
            table = table.having({name: replace(c, own=True) for name, c in chosen.items()})
            return Did(table, f"{where}: a state of their own.", cells)
        states = {fill.column: fill.state for fill in self.fitted or ()}
        filled = {name: _filled(column, states, name) for name, column in open_.items()}
        return Did(table.having(filled), f"{where}: filled with the most frequent state.", cells)


def _drop(table: Table, columns: dict[Name, Column]) -> Did:
    """Leave incomplete rows out."""
    kept = np.ones(table.rows, dtype=np.bool_)
    for column in columns.values():
        kept &= column.codes >= 0
    left = int(np.count_nonzero(kept))
    if not left:
        worst = max(columns, key=lambda name: columns[name].holes)
        raise DataError(
            f"every row has a missing cell (column {clip(worst)} has most, "
            f"{columns[worst].holes:,} of {table.rows:,}), so dropping rows leaves nothing; "
            "make missing cells a state, or leave variables out first."
        )
    said = f"{count(table.rows - left, 'row')} dropped, {left:,} remain."
    return Did(table if left == table.rows else table.take(kept), said)


def _most_frequent(column: Column) -> str:
    """The state that most rows hold; of equals the first in natural order."""
    largest = np.flatnonzero(column.counts == column.counts.max())
    if column.numeric:
        # Numbers stand by size; there may be a million of them.
        largest = largest[[int(np.argmin(column.numbers[largest]))]]
    return min((label_of(v) for v in column.values[largest].tolist()), key=natural_key)


def _filled(column: Column, states: dict[Name, str], name: Name) -> Column:
    """The column with its holes filled."""
    if name not in states:
        raise DataError(
            f"column {clip(name)} has missing cells and no state is known to fill them with; "
            "apply the step anew, or leave the column out."
        )
    state = states[name]
    values: list[object] = column.values.tolist()
    if state in column.labels:
        place = column.labels.index(state)
    else:
        place = len(values)
        values.append(state)
    if len(values) == len(column.values):
        codes = np.where(column.codes < 0, place, column.codes).astype(column.codes.dtype)
        return replace(column, codes=codes)
    grown = column.recoded(np.arange(len(values) - 1), values)
    return replace(grown, codes=np.where(grown.codes < 0, place, grown.codes).astype(np.int32))
