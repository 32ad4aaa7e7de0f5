"""A table while it is prepared: each column as its different values and a small code a row.

What a step decides, it decides on the few different values; the rows then follow by one look-up.
Nothing of the frame that it was made from is ever changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bjp_engine.columnar import blocks, threads_for
from bjp_engine.errors import DataError, clip
from bjp_engine.labels import label_of
from bjp_engine.validate import Name, frame_names

# Rows whose codes are widened at once.
_ROWS = 1 << 18


@dataclass(frozen=True, eq=False)
class Column:
    """One column by its different values.

    Parameters
    ----------
    values : pandas.Series of length k
        Each value once; none is missing. Some may not occur any more.
    codes : ndarray of signed int, shape (N,)
        Which value each row holds; -1 where the cell is missing.
    ordered : bool
        Whether the values stand in the order that the states are to have.
    declared : bool
        Whether a value that no row holds is a state all the same.
    own : bool
        Whether missing cells are a state of their own.
    """

    values: pd.Series[Any]
    codes: NDArray[np.signedinteger[Any]]
    ordered: bool = False
    declared: bool = False
    own: bool = False

    @classmethod
    def of(cls, series: pd.Series[Any], name: Name) -> Column:
        """Code the cells of a column."""
        if isinstance(series.dtype, pd.CategoricalDtype):
            values = pd.Series(series.cat.categories)
            codes = series.cat.codes.to_numpy()
            return cls(values, _small(codes, len(values)), ordered=True, declared=True)
        try:
            found, uniques = pd.factorize(series, use_na_sentinel=True)
        except TypeError:
            raise DataError(
                f"Column {clip(name)} holds lists or other containers; give one value a cell."
            ) from None
        return cls(pd.Series(uniques), _small(found, len(uniques)))

    @property
    def rows(self) -> int:
        """N."""
        return len(self.codes)

    @cached_property
    def _tally(self) -> NDArray[np.int64]:
        """How many rows hold each value, missing cells first."""
        counts = np.zeros(len(self.values) + 1, dtype=np.int64)
        for block in blocks(self.rows, cells=_ROWS):
            part = self.codes[block].astype(np.intp) + 1
            counts += np.bincount(part, minlength=len(counts))
        return counts

    @property
    def counts(self) -> NDArray[np.int64]:
        """How many rows hold each value, shape (k,)."""
        return self._tally[1:]

    @property
    def holes(self) -> int:
        """How many cells are missing."""
        return int(self._tally[0])

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The text of each value."""
        return tuple(map(label_of, self.values.tolist()))

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers."""
        dtype = self.values.dtype
        return pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """The values as numbers, shape (k,); only where they are."""
        return self.values.to_numpy(dtype=np.float64)

    @property
    def textual(self) -> bool:
        """Whether a value is text."""
        return not self.numeric and any(isinstance(v, str) for v in self.values.head(100))

    def recoded(self, places: NDArray[np.integer[Any]], values: Sequence[object]) -> Column:
        """The same rows with other values."""
        table = np.append(np.asarray(places, dtype=np.intp), -1)
        small = table.astype(_code_type(len(values)))
        series = pd.Series(list(values), dtype=object)
        return replace(self, values=series, codes=small[self.codes])

    def take(self, rows: NDArray[Any]) -> Column:
        """Some of the rows."""
        return replace(self, codes=self.codes[rows])


@dataclass(frozen=True, eq=False)
class Table:
    """Columns by name; coded when they are first looked at.

    Parameters
    ----------
    rows : int
        N.
    columns : dict of str or int to Column or pandas.Series
        In their order; a series is coded when it is asked for.
    """

    rows: int
    columns: dict[Name, Column | pd.Series[Any]]

    @classmethod
    def of(cls, frame: pd.DataFrame | Table) -> Table:
        """The columns of a frame."""
        if isinstance(frame, Table):
            return frame
        names = frame_names(frame)
        if not len(frame):
            raise DataError("The table has no rows; add the data.")
        return cls(len(frame), {name: frame.iloc[:, i] for i, name in enumerate(names)})

    @property
    def names(self) -> tuple[Name, ...]:
        """The columns by name."""
        return tuple(self.columns)

    def column(self, name: Name) -> Column:
        """One column, coded."""
        found = self.columns[name]
        if isinstance(found, Column):
            return found
        coded = Column.of(found, name)
        self.columns[name] = coded
        return coded

    def code(self) -> None:
        """Code all columns that aren't, several at once."""
        raw = [name for name in self.names if not isinstance(self.columns[name], Column)]
        if raw:
            with ThreadPoolExecutor(threads_for(len(raw))) as pool:
                list(pool.map(self.column, raw))

    def check(self, names: Iterable[Name]) -> None:
        """Refuse columns that aren't there."""
        for name in names:
            if name not in self.columns:
                known = ", ".join(clip(one, 30) for one in self.names[:6])
                more = ", …" if len(self.columns) > 6 else ""
                raise DataError(
                    f"there is no column {clip(name)}; the columns here are {known}{more}."
                )

    def keeping(self, names: Iterable[Name]) -> Table:
        """Some of the columns, in the order given."""
        return Table(self.rows, {name: self.columns[name] for name in names})

    def having(self, columns: Mapping[Name, Column]) -> Table:
        """Other columns in the place of those of the same name."""
        return Table(self.rows, {**self.columns, **columns})

    def take(self, rows: NDArray[Any]) -> Table:
        """Some of the rows."""
        places = np.flatnonzero(rows) if rows.dtype.kind == "b" else rows
        # Of few rows the raw cells take less than codes of all.
        few = len(places) * 4 <= self.rows
        if not few:
            self.code()
        columns: dict[Name, Column | pd.Series[Any]] = {}
        for name in self.names:
            held = self.columns[name]
            raw = few and not isinstance(held, Column)
            columns[name] = held.iloc[places] if raw else self.column(name).take(places)  # type: ignore[union-attr]
        return Table(len(places), columns)


def _code_type(states: int) -> type[np.signedinteger[Any]]:
    """The smallest type that holds -1 and the codes of some states."""
    if states <= np.iinfo(np.int8).max:
        return np.int8
    return np.int16 if states <= np.iinfo(np.int16).max else np.int32


def _small(codes: NDArray[Any], states: int) -> NDArray[np.signedinteger[Any]]:
    """Codes in the smallest type."""
    return codes.astype(_code_type(states))
