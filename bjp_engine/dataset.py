"""A table of discrete variables, coded once and never changed (SPEC section 1).

`Dataset` is what every other room reads: N rows of n variables, variable i with
states 0..r_i - 1. It holds no missing values; `from_frame` says what to do about them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from bjp_engine.errors import DataError, OptionError, clip
from bjp_engine.labels import code_column

Name = str | int
Missing = Literal["error", "drop", "state"]

MISSING_LABEL = "(missing)"
# Beyond this a column is an identifier or a measurement; and 16 bits hold every code.
MAX_STATES = 1 << 16


@dataclass(frozen=True, eq=False)
class Dataset:
    """An immutable table of discrete variables.

    Parameters
    ----------
    codes : ndarray of shape (N, n)
        States as codes 0..r_i - 1; column-contiguous and read-only.
    cardinalities : tuple of int
        r_i, the number of states of each variable (at least 1; unseen states count).
    names : tuple of str or int
        Column names, distinct also when written as text.
    labels : tuple of tuple of str
        The text of each state, in code order.

    Raises
    ------
    DataError
        If the parts don't fit together; the sentence names the column.

    Notes
    -----
    Build one with `from_frame`, `from_codes` or `bjp_engine.read_table`.
    """

    codes: NDArray[Any]
    cardinalities: tuple[int, ...]
    names: tuple[Name, ...]
    labels: tuple[tuple[str, ...], ...]

    def __post_init__(self) -> None:
        """Check the parts against each other and lock the array."""
        _check_names(self.names)
        _check_codes(self.codes, self.cardinalities, self.names)
        for name, r, labels in zip(self.names, self.cardinalities, self.labels, strict=True):
            if len(labels) != r:
                raise DataError(
                    f"Column {clip(name)} has {r} states but {len(labels)} labels; "
                    "give one label a state."
                )
        codes = np.asfortranarray(self.codes, dtype=_code_dtype(self.cardinalities))
        if codes is self.codes or codes.base is not None:
            codes = codes.copy(order="F")
        codes.setflags(write=False)
        object.__setattr__(self, "codes", codes)

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, *, missing: Missing = "error") -> Dataset:
        """Code every column of a pandas DataFrame.

        Parameters
        ----------
        frame : pandas.DataFrame
            One discrete variable a column. Categories keep their declared order and
            their unseen states; anything else gets its observed values in natural
            order (numbers by size, text with its digits read as numbers).
        missing : {"error", "drop", "state"}
            What to do with missing cells: refuse, drop their rows, or give each column
            that has any one more state, "(missing)", placed last.

        Returns
        -------
        Dataset

        Raises
        ------
        DataError
            If there is no column, two columns bear one name, or cells are missing and
            `missing` is "error"; the sentence names the column.
        OptionError
            If `missing` is none of the three.

        Examples
        --------
        >>> import pandas as pd
        >>> data = Dataset.from_frame(pd.DataFrame({"smokes": ["yes", "no", "yes"]}))
        >>> data.labels, data.codes[:, 0].tolist()
        ((('no', 'yes'),), [1, 0, 1])
        """
        if missing not in ("error", "drop", "state"):
            raise OptionError(
                f"missing={clip(missing)} is not known; use 'error', 'drop' or 'state'."
            )
        names = tuple(_plain_name(name) for name in frame.columns)
        if not names:
            raise DataError("The table has no columns; give it at least one variable.")
        _check_names(names)
        absent = frame.isna().to_numpy()
        if absent.any():
            if missing == "error":
                raise DataError(_missing_sentence(absent, names))
            if missing == "drop":
                frame = frame.iloc[np.flatnonzero(~absent.any(axis=1))]
        columns = [
            code_column(frame.iloc[:, i], name, MISSING_LABEL) for i, name in enumerate(names)
        ]
        codes = np.empty((len(frame), len(names)), dtype=np.int32, order="F")
        for i, (column, _) in enumerate(columns):
            codes[:, i] = column
        labels = tuple(labels for _, labels in columns)
        return cls(codes, tuple(max(1, len(text)) for text in labels), names, _at_least_one(labels))

    @classmethod
    def from_codes(
        cls,
        codes: ArrayLike,
        cardinalities: Sequence[int] | None = None,
        names: Sequence[Name] | None = None,
        labels: Sequence[Sequence[str]] | None = None,
    ) -> Dataset:
        """Take a table that is coded already.

        Parameters
        ----------
        codes : array_like of int, shape (N, n)
            States 0..r_i - 1.
        cardinalities : sequence of int, optional
            r_i for each column; by default the largest code plus one.
        names : sequence of str or int, optional
            Column names; by default the indices 0..n - 1.
        labels : sequence of sequences of str, optional
            The text of each state; by default its code.

        Returns
        -------
        Dataset

        Raises
        ------
        DataError
            If the array isn't two-dimensional and whole-numbered, or a code is outside
            its column's states; the sentence names the column.

        Examples
        --------
        >>> Dataset.from_codes([[0, 1], [1, 0]]).cardinalities
        (2, 2)
        """
        table = np.asarray(codes)
        if table.ndim != 2:
            raise DataError(
                f"codes has {table.ndim} dimensions; give a table of shape (rows, variables)."
            )
        chosen = (
            tuple(_plain_name(name) for name in names)
            if names is not None
            else tuple(range(table.shape[1]))
        )
        table = _whole_numbers(table, chosen)
        if cardinalities is None:
            seen = table.max(axis=0) + 1 if len(table) else np.ones(table.shape[1], dtype=np.int64)
            sizes = tuple(max(1, int(r)) for r in seen)
        else:
            sizes = tuple(int(r) for r in cardinalities)
        _check_codes(table, sizes, chosen)
        texts = (
            tuple(tuple(str(text) for text in column) for column in labels)
            if labels is not None
            else tuple(tuple(str(state) for state in range(r)) for r in sizes)
        )
        if len(texts) != len(sizes):
            raise DataError(
                f"labels has {len(texts)} entries for {len(sizes)} columns; give one a column."
            )
        return cls(table, sizes, chosen, texts)

    @property
    def rows(self) -> int:
        """N, the number of rows."""
        return int(self.codes.shape[0])

    @property
    def n(self) -> int:
        """The number of variables."""
        return int(self.codes.shape[1])

    @cached_property
    def digest(self) -> str:
        """A hash of names, labels and codes: equal digests mean equal tables."""
        content = hashlib.sha256()
        for name, labels in zip(self.names, self.labels, strict=True):
            content.update(repr((type(name).__name__, name, labels)).encode())
        content.update(repr(self.codes.shape).encode())
        # The dtype follows from the cardinalities, so equal tables have equal bytes.
        for i in range(self.n):
            content.update(np.ascontiguousarray(self.codes[:, i]).astype("<i4").tobytes())
        return content.hexdigest()

    @cached_property
    def _positions(self) -> dict[Name, int]:
        """Where each exact name stands."""
        return {name: i for i, name in enumerate(self.names)}

    @cached_property
    def _texts(self) -> dict[str, int]:
        """Where each name stands, by its text."""
        return {str(name): i for i, name in enumerate(self.names)}

    def index(self, variable: Name) -> int:
        """The column of a variable.

        Parameters
        ----------
        variable : str or int
            Its name; or its index, where no variable bears that number as a name.

        Returns
        -------
        int
            0..n - 1.

        Raises
        ------
        DataError
            If there is no such variable.
        """
        key = _plain_name(variable)
        if key in self._positions:
            return self._positions[key]
        if isinstance(key, int) and 0 <= key < self.n:
            return key
        if str(key) in self._texts:
            return self._texts[str(key)]
        known = ", ".join(clip(name, 30) for name in self.names[:8])
        more = ", …" if self.n > 8 else ""
        raise DataError(
            f"There is no variable {clip(variable)}; the {self.n} variables are {known}{more}."
        )

    def indices(self, variables: Iterable[Name]) -> tuple[int, ...]:
        """The columns of several variables, ascending.

        Parameters
        ----------
        variables : iterable of str or int
            Names or indices, see `index`.

        Returns
        -------
        tuple of int

        Raises
        ------
        DataError
            If one isn't there, or is given twice.
        """
        if isinstance(variables, str):
            variables = (variables,)
        found = sorted(self.index(variable) for variable in variables)
        for first, second in pairwise(found):
            if first == second:
                raise DataError(
                    f"The variable {clip(self.names[first])} is given twice; name each one once."
                )
        return tuple(found)

    def to_frame(self) -> pd.DataFrame:
        """The table with its labels, as categorical columns.

        Returns
        -------
        pandas.DataFrame
            N rows; every column a Categorical with all r_i states in code order.
        """
        columns = [
            pd.Categorical.from_codes(codes, categories=pd.Index(labels, dtype=object))
            for codes, labels in zip(self.codes.T, self.labels, strict=True)
        ]
        frame = pd.DataFrame(dict(enumerate(columns)))
        frame.columns = pd.Index(list(self.names), dtype=object)
        return frame

    def select(self, variables: Iterable[Name]) -> Dataset:
        """The same rows with only some of the variables.

        Parameters
        ----------
        variables : iterable of str or int
            Names or indices; their order becomes the order of the columns.

        Returns
        -------
        Dataset

        Raises
        ------
        DataError
            If a variable isn't there or is given twice.
        """
        wanted = [self.index(variable) for variable in variables]
        return Dataset(
            self.codes[:, wanted],
            tuple(self.cardinalities[i] for i in wanted),
            tuple(self.names[i] for i in wanted),
            tuple(self.labels[i] for i in wanted),
        )

    def take(self, rows: ArrayLike) -> Dataset:
        """The same variables with only some of the rows.

        Parameters
        ----------
        rows : array_like of int or bool
            Row numbers (repeats allowed, as a bootstrap wants) or a mask of length N.

        Returns
        -------
        Dataset
            With the same states, seen or not.
        """
        return Dataset(self.codes[np.asarray(rows)], self.cardinalities, self.names, self.labels)

    def __repr__(self) -> str:
        """A line, not the table."""
        return f"Dataset({self.rows} rows, {self.n} variables, digest {self.digest[:12]})"


def _plain_name(name: object) -> Name:
    """A column name as str, or as int where it is a whole number."""
    if isinstance(name, (int, np.integer)) and not isinstance(name, (bool, np.bool_)):
        return int(name)
    return name if type(name) is str else str(name)


def _check_names(names: tuple[Name, ...]) -> None:
    """Names must be distinct and visible: they become nodes and headings."""
    seen: set[str] = set()
    for position, name in enumerate(names):
        text = str(name)
        if not text.strip():
            raise DataError(f"Column {position + 1} has no name; give it one.")
        if text in seen:
            raise DataError(f"Two columns are named {clip(text)}; rename one of them.")
        seen.add(text)


def _check_codes(codes: NDArray[Any], cardinalities: Sequence[int], names: Sequence[Name]) -> None:
    """Every code within its column's states."""
    if codes.ndim != 2 or codes.shape[1] == 0:
        raise DataError("The table has no columns; give it at least one variable.")
    n = codes.shape[1]
    for what, parts in (("cardinalities", cardinalities), ("names", names)):
        if len(parts) != n:
            raise DataError(f"{what} has {len(parts)} entries for {n} columns; give one a column.")
    for name, r in zip(names, cardinalities, strict=True):
        if not 1 <= r <= MAX_STATES:
            raise DataError(
                f"Column {clip(name)} has {r} states; a variable has 1 to {MAX_STATES} "
                "(group a measurement into bins, leave an identifier out)."
            )
    if not len(codes):
        return
    low, high = codes.min(axis=0), codes.max(axis=0)
    for name, r, smallest, largest in zip(names, cardinalities, low, high, strict=True):
        if smallest < 0 or largest >= r:
            wrong = smallest if smallest < 0 else largest
            raise DataError(
                f"Column {clip(name)} holds the code {wrong}, but its {r} states are "
                f"0 to {r - 1}; recode it or raise its cardinality."
            )


def _whole_numbers(table: NDArray[Any], names: Sequence[Name]) -> NDArray[np.int64]:
    """The table as integers, refusing what would be rounded."""
    if table.dtype.kind in "iub":
        return table.astype(np.int64)
    if table.dtype.kind == "f":
        whole = np.isfinite(table) & (np.trunc(table) == table)
        if whole.all():
            return table.astype(np.int64)
        row, column = np.argwhere(~whole)[0]
        raise DataError(
            f"Column {clip(names[column])} holds {table[row, column]} in row {row + 1}; "
            "codes are whole numbers from 0 (use Dataset.from_frame for values)."
        )
    raise DataError("codes must be whole numbers; use Dataset.from_frame for text.")


def _code_dtype(cardinalities: Sequence[int]) -> type[np.unsignedinteger[Any]]:
    """The smallest type that holds every code, for the sake of memory bandwidth."""
    largest = max(cardinalities, default=1)
    return np.uint8 if largest <= 1 << 8 else np.uint16


def _missing_sentence(absent: NDArray[np.bool_], names: Sequence[Name]) -> str:
    """Say where cells are missing, worst column first."""
    counts = absent.sum(axis=0)
    worst = int(np.argmax(counts))
    others = int((counts > 0).sum()) - 1
    also = (
        f" (and {others} other column{'s have' if others > 1 else ' has'} some)" if others else ""
    )
    cells = int(counts[worst])
    return (
        f"Column {clip(names[worst])} has {cells} missing value{'s' if cells > 1 else ''}{also}; "
        "drop those rows (missing='drop') or make them a state of their own (missing='state')."
    )


def _at_least_one(labels: tuple[tuple[str, ...], ...]) -> tuple[tuple[str, ...], ...]:
    """A column without a single row still has one state."""
    return tuple(text or ("0",) for text in labels)
