"""The one categorical column: its different values, and a small code a row.

Readers make a `Table` of such columns, preparation and health work on it, and a `Dataset` is made
of it. What is decided about a column is decided on its few different values; the rows then follow
by one look-up. Nothing of what a table was made from is ever changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import (
    Bools,
    Floats,
    Ints,
    Places,
    blocks,
    code_dtype,
    columnar,
    signed_dtype,
    threads_for,
)
from bjp_engine.errors import DataError, clip, list_up, listed
from bjp_engine.labels import (
    MISSING_LABEL,
    labels_of,
    natural_order,
)
from bjp_engine.records import lock_arrays, record
from bjp_engine.validate import (
    Name,
    check_letters,
    check_names,
    check_states,
    instance,
    is_arrow,
    is_number,
    is_pandas,
    plain_name,
    unmasked,
    whole_frequencies,
)

if TYPE_CHECKING:
    import pandas as pd


def as_array(table: object, name: str) -> NDArray[Any]:
    """A table as an array of two axes, whatever holds it."""
    array = unmasked(table, name)
    if array.ndim != 2:
        raise DataError(f"{name} has the shape {array.shape}; give a table of rows and variables.")
    return array


def whole_numbers(table: NDArray[Any], names: Sequence[object]) -> NDArray[Any]:
    """A copy as codes in a small type, refusing what would be rounded."""
    if table.dtype.kind not in "iubf":
        raise DataError("codes must be whole numbers; use Dataset.from_frame for anything else.")
    dtype: Any = np.int64 if table.dtype.kind == "f" else table.dtype
    if table.size and table.min() >= 0 and table.max() <= np.iinfo(np.uint16).max:
        dtype = code_dtype([int(table.max()) + 1])
    with np.errstate(invalid="ignore"):
        codes = columnar(table, dtype)
    if table.dtype.kind == "f":
        for name, cells, given in zip(names, codes.T, table.T, strict=True):
            if (odd := cells != given).any():
                row = int(np.argmax(odd))
                raise DataError(
                    f"Column {clip(name)} holds {given[row]} in row {row + 1}; codes are whole "
                    "numbers from 0 (use Dataset.from_frame for values)."
                )
    return codes


Made = TypeVar("Made")

# In fewer rows, all values may differ and columns agree by chance.
FEW_ROWS = 20
# Numbers of no more different values are categories.
FEW_STATES = 12
# Rows whose codes are widened at once.
_ROWS = 1 << 18
# Columns of fewer rows are coded before a thread would have begun.
_THREADED_ROWS = 1 << 14
# Whole numbers within so narrow a range are coded by counting.
_RANGE = 1 << 16
_FAR = 1 << 62


@record
@dataclass(frozen=True, eq=False)
class Column:
    """One column by its different values."""

    # Each value once, none missing: numbers and truth values as such, anything else as objects.
    values: NDArray[Any]  # shape (k,); some may not occur any more
    codes: NDArray[Any]  # shape (N,), which value each row holds; -1 where the cell is missing
    ordered: bool = False  # whether the values stand in the order that the states are to have
    declared: bool = False  # whether a value that no row holds is a state all the same
    own: bool = False  # whether missing cells are a state of their own
    ordinal: bool = False  # whether the order of the states means something
    nominal: bool = False  # whether a file says that its numbers only name something
    title: str = ""  # what a file says that the column is about, as the text of a question
    group: bool = False  # whether it puts rows into groups and is no variable
    # What a file also calls a value: the label of a number, or the code behind a label.
    aliases: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        values: Any = self.values
        values = values.view() if isinstance(values, np.ndarray) else as_values(values)
        codes = np.asarray(self.codes).astype(signed_dtype(len(values)), copy=False).view()
        lock_arrays((values, codes))
        object.__setattr__(self, "values", values)
        object.__setattr__(self, "codes", codes)

    @classmethod
    def of(cls, cells: pd.Series[Any] | NDArray[Any], name: Name) -> Column:
        """Code the cells of a column; categories stay as they are declared."""
        array: Any = cells
        if not isinstance(cells, np.ndarray):
            if is_pandas(cells.dtype, "CategoricalDtype"):
                held: Any = cells.array
                values = _plain_values(held.categories.array)
                ordinal = bool(held.ordered)
                return cls(values, held.codes, ordered=True, declared=True, ordinal=ordinal)
            plain = isinstance(cells.dtype, np.dtype) and cells.dtype.kind not in "Mm"
            array = cells.to_numpy() if plain else cells.array
        if isinstance(array, np.ndarray) and array.dtype.kind in "iub" and len(array):
            low, high = int(array.min()), int(array.max())
            if high - low < _RANGE and -_FAR < low <= high < _FAR:
                return _counted(array, low, high)
        import pandas as pd

        try:
            codes, values = pd.factorize(array, use_na_sentinel=True)
        except TypeError:
            raise DataError(
                f"Column {clip(name)} holds lists or other containers; give one value per cell."
            ) from None
        except UnicodeEncodeError as reason:
            check_letters((reason.object,), f"Column {clip(name)}")
            raise
        if isinstance(array, np.ndarray) and array.dtype.kind == "O":
            _check_truth_values(array, values, codes, name)
        return cls(_plain_values(values), codes)

    @classmethod
    def of_arrow(cls, cells: Any, name: Name) -> Column:
        """Code a chunked array of Arrow; a dictionary stays as it is declared."""
        import pyarrow as pa

        declared = pa.types.is_dictionary(cells.type)
        try:
            # A date may lie in a year that Python has no date for.
            cells = cells.cast(pa.string()) if pa.types.is_null(cells.type) else cells
            whole = cells if declared else cells.dictionary_encode()
            whole = whole.unify_dictionaries().combine_chunks()
            values = cls.of(whole.dictionary.to_pandas(), name)
        except (pa.ArrowException, ValueError):
            kind = cells.type.value_type if declared else cells.type
            raise DataError(
                f"Column {clip(name)} holds {kind}, not one value per cell that can be "
                "told apart; convert or leave it out."
            ) from None
        places = np.append(values.codes, -1).astype(signed_dtype(len(values.values)))
        codes = places[whole.indices.fill_null(len(values.codes)).to_numpy()]
        # Parts may have stored the order each for itself.
        one = declared and all(part.dictionary.equals(whole.dictionary) for part in cells.chunks)
        ordinal = one and bool(cells.type.ordered)
        return cls(values.values, codes, ordered=declared, declared=declared, ordinal=ordinal)

    @property
    def rows(self) -> int:
        """N."""
        return len(self.codes)

    @cached_property
    def _tally(self) -> Ints:
        """How many rows hold each value, missing cells first."""
        counts = np.zeros(len(self.values) + 1, dtype=np.int64)
        for block in blocks(self.rows, cells=_ROWS):
            counts += np.bincount(self.codes[block].astype(np.intp) + 1, minlength=len(counts))
        return counts

    @property
    def counts(self) -> Ints:
        """How many rows hold each value, shape (k,)."""
        return self._tally[1:]

    @property
    def holes(self) -> int:
        """How many cells are missing."""
        return int(self._tally[0])

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The text of each value."""
        return labels_of(self.values)

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers."""
        return self.values.dtype.kind in "iuf"

    def meaning(self, label: str) -> str:
        """What a file says that a value stands for: its label, where it is a number with one."""
        return self.aliases.get(label, label) if self.numeric else label

    @cached_property
    def numbers(self) -> Floats:
        """The values as numbers, shape (k,); only where they are."""
        return self.values.astype(np.float64)

    @property
    def measured(self) -> bool:
        """Whether the values are measurements: many numbers, not all of them whole."""
        many = int(np.count_nonzero(self.counts)) > FEW_STATES
        return many and self.fractional and not self.declared

    @property
    def fractional(self) -> bool:
        """Whether the values are numbers, not all of them whole."""
        if not self.numeric:
            return False
        numbers = self.numbers[self.counts > 0]
        finite = numbers[np.isfinite(numbers)]
        return bool((np.trunc(finite) != finite).any())

    @property
    def textual(self) -> bool:
        """Whether a value is text."""
        return self.values.dtype.kind == "O" and any(isinstance(v, str) for v in self.values[:100])

    def states(self, name: Name) -> tuple[tuple[str, ...], Places]:
        """The states of a variable made of it, and each value's place; missing cells come last."""
        seen = np.arange(len(self.values)) if self.declared else np.flatnonzero(self.counts)
        check_states(len(seen) + bool(self.holes) or 1, name)
        values = self.values[seen]
        if not self.ordered:
            order = natural_order(values)
            seen, values = seen[order], values[order]
        labels = labels_of(values)
        if len(set(labels)) < len(labels):
            twice = next(label for k, label in enumerate(labels) if label in labels[:k])
            alike = (v for v, label in zip(values, labels, strict=True) if label == twice)
            raise DataError(
                f"Column {clip(name)} holds {clip(twice)} as "
                f"{list_up(type(value).__name__ for value in alike)}; convert it to one type."
            )
        places = np.zeros(len(self.values) + 1, dtype=np.intp)
        places[seen] = np.arange(len(seen))
        if self.holes:
            places[-1] = len(labels)
            own = MISSING_LABEL
            while own in labels:
                own += "'"
            labels = (*labels, own)
        # A column without a single row still has one state.
        return labels or ("0",), places

    def recoded(self, places: NDArray[np.integer[Any]], values: Any) -> Column:
        """The same rows with other values: `places` says which of them stands for each."""
        small = np.append(places, -1).astype(signed_dtype(len(values)))
        return replace(self, values=values, codes=small[self.codes])

    def without(self, gone: Bools) -> Column:
        """The same rows without some values, whose cells are missing then."""
        return self.recoded(np.where(gone, -1, np.cumsum(~gone) - 1), self.values[~gone])

    def take(self, rows: NDArray[Any]) -> Column:
        """Some of the rows."""
        return replace(self, codes=self.codes[rows])

    def to_series(self) -> pd.Series[Any]:
        """The cells; a Categorical where the states are declared."""
        import pandas as pd

        if self.declared:
            states = pd.Index(self.values)
            return pd.Series(pd.Categorical.from_codes(self.codes, states, ordered=self.ordinal))
        kind = self.values.dtype.kind
        values = pd.Series(self.values.tolist() if kind == "O" else self.values)
        if self.holes and kind in "iub":
            wide: Any = {"i": "Int64", "u": "UInt64", "b": "boolean"}[kind]
            values = values.astype(wide)
        return pd.Series(values.array.take(self.codes, allow_fill=True))


@record
@dataclass(frozen=True, eq=False)
class Table:
    """Columns by name, in their order.

    Parameters
    ----------
    notes : tuple of str
        What the reader of its file guessed or noticed, a sentence each.
    """

    rows: int
    columns: dict[Name, Column]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, thing: Any, name: str = "frame") -> Table:
        """The columns of a frame or an Arrow table; or of rows of values, by their places."""
        if isinstance(thing, Table):
            return thing
        code: Callable[[Any, Name], Column] = Column.of
        names: tuple[Name, ...]
        parts: list[Any]
        if isinstance(thing, (np.ndarray, list, tuple)):
            array = as_array(thing, name)
            if array.dtype.kind in "iuf" and not isinstance(thing, np.ndarray):
                # Among numbers, numpy makes numbers of truth values.
                cells = np.array(thing, dtype=object)
                if any(isinstance(cell, (bool, np.bool_)) for cell in cells.flat):
                    array = cells
            names, parts = tuple(range(array.shape[1])), list(array.T)
        elif is_arrow(thing):
            thing = arrow_table(thing)
            names, parts, code = tuple(thing.column_names), thing.columns, Column.of_arrow
        elif is_pandas(thing, "DataFrame"):
            names = tuple(map(plain_name, thing.columns))
            parts = [series for _, series in thing.items()]
        else:
            how = "; read a file with read_table" if isinstance(thing, (str, bytes)) else ""
            raise DataError(
                f"{name} is of type {type(thing).__name__}; give a DataFrame or an array of "
                f"rows{how}."
            )
        check_names(names)
        if not names:
            raise DataError("The table has no columns; give it at least one variable.")
        columns = each(code, len(thing), parts, names)
        return cls(len(thing), dict(zip(names, columns, strict=True)))

    @property
    def names(self) -> tuple[Name, ...]:
        """The columns by name."""
        return tuple(self.columns)

    def column(self, name: Name) -> Column:
        """One column, or a sentence that it isn't there."""
        if name not in self.columns:
            known, shown = listed(self.names, 6, [name]), listed([name], 1, self.names)
            raise DataError(f"there is no column {shown}; the columns here are {known}.")
        return self.columns[name]

    def check_rows(self) -> None:
        """Refuse a table without rows."""
        if not self.rows:
            raise DataError("The table has no rows; add the data.")

    def keeping(self, names: Iterable[Name]) -> Table:
        """Some of the columns, in the order given."""
        return replace(self, columns={name: self.column(name) for name in names})

    def having(self, columns: Mapping[Name, Column]) -> Table:
        """Other columns in the place of those of the same name."""
        return replace(self, columns={**self.columns, **columns})

    def take(self, rows: NDArray[Any]) -> Table:
        """Some of the rows: their numbers, or a truth value per row."""
        places = np.flatnonzero(rows) if rows.dtype.kind == "b" else rows
        columns = {name: one.take(places) for name, one in self.columns.items()}
        return Table(len(places), columns, self.notes)

    def frequencies(self, name: Name) -> NDArray[np.int64]:
        """How often each row counts, as a column says."""
        instance(name, "weights", (str, int, np.integer), "the name of the column of frequencies")
        try:
            column = self.column(name)
        except DataError as reason:
            raise DataError(f"weights: {reason}") from None
        others = [other for other in self.names if other != name]
        if not others:
            raise DataError("There is no column but the frequencies; add the variables.")
        for value in () if column.numeric else column.values.tolist():
            if not is_number(value):
                shown = f"{'the text ' * isinstance(value, str)}{clip(value, 30)}"
                raise DataError(
                    f"Column {clip(name)} holds {shown}; a frequency is a whole number."
                )
        return whole_frequencies(column.to_series(), self.rows, len(others))

    def repeated(self, name: Name, *, once: bool = False) -> Table:
        """Each row as often as a column says, which is left out, or once if it counts at all."""
        counts = self.frequencies(name)
        others = self.keeping(other for other in self.names if other != name)
        return others.take(
            np.repeat(np.arange(self.rows), np.minimum(counts, 1) if once else counts)
        )

    def complete_rows(self) -> Bools:
        """Which rows lack no cell of a variable, but those that are a state of their own."""
        complete = np.ones(self.rows, dtype=np.bool_)
        for column in self.columns.values():
            if column.holes and not (column.own or column.group):
                complete &= column.codes >= 0
        return complete

    def empty_rows(self) -> Bools:
        """In which rows every cell of several variables is missing."""
        columns = [column for column in self.columns.values() if not column.group]
        if len(columns) < 2 or not all(column.holes for column in columns):
            return np.zeros(self.rows, dtype=np.bool_)
        return np.logical_and.reduce([column.codes < 0 for column in columns])

    def to_frame(self) -> pd.DataFrame:
        """The cells."""
        import pandas as pd

        columns = dict(enumerate(column.to_series() for column in self.columns.values()))
        return pd.DataFrame(columns).set_axis(pd.Index(self.names, dtype=object), axis=1)


def arrow_table(thing: Any) -> Any:
    """The Arrow table of what hands its columns over; a single column is none."""
    import pyarrow as pa

    try:
        return pa.table(thing)
    except (pa.ArrowInvalid, TypeError):
        raise DataError(
            f"The table is of type {type(thing).__name__}, of which Arrow makes no table; give a "
            "DataFrame, of a single column with to_frame()."
        ) from None


def each(work: Callable[..., Made], rows: int, *parts: Iterable[Any]) -> list[Made]:
    """Some work on every column, by several threads where there are many rows."""
    if rows < _THREADED_ROWS:
        return list(map(work, *parts))
    with ThreadPoolExecutor(threads_for(8)) as pool:
        return list(pool.map(work, *parts))


def as_values(values: Iterable[object]) -> NDArray[Any]:
    """Values as an array of objects, also where one of them is a tuple."""
    return np.fromiter(values, dtype=object)


def _plain_values(values: Any) -> NDArray[Any]:
    """What pandas found, as numbers, truth values or objects."""
    kind = values.dtype.kind
    if isinstance(values, np.ndarray) and kind in "iufbO":
        return values
    plain = {"b": np.bool_, "u": np.uint64, "i": np.int64, "f": np.float64}.get(kind)
    return as_values(values) if plain is None else np.asarray(values.to_numpy(dtype=plain))


def _check_truth_values(
    cells: NDArray[Any], values: NDArray[Any], codes: NDArray[Any], name: Name
) -> None:
    """Refuse 1 beside True, and 0 beside False: they count as equal, and would be one state."""
    for code, value in enumerate(values.tolist()):
        if isinstance(value, (int, float, np.generic)) and value in (0, 1):
            kinds = {isinstance(cell, (bool, np.bool_)) for cell in cells[codes == code]}
            if len(kinds) > 1:
                raise DataError(
                    f"Column {clip(name)} holds both {int(value)} and {bool(value)}, which count "
                    "as equal; convert the column to one type."
                )


def _counted(cells: NDArray[Any], low: int, high: int) -> Column:
    """A column of whole numbers within a narrow range, or of truth values."""
    occurs = np.zeros(high - low + 1, dtype=np.bool_)
    for block in blocks(len(cells), cells=_ROWS):
        occurs[cells[block].astype(np.int64) - low] = True
    seen = np.flatnonzero(occurs)
    places = np.zeros(len(occurs), dtype=signed_dtype(len(seen)))
    places[seen] = np.arange(len(seen))
    codes = np.empty(len(cells), dtype=places.dtype)
    for block in blocks(len(cells), cells=_ROWS):
        codes[block] = places[cells[block].astype(np.int64) - low]
    return Column((seen + low).astype(cells.dtype), codes)
