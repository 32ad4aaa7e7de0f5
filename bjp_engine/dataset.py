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

from bjp_engine.checks import (
    Name,
    check_codes,
    check_names,
    code_dtype,
    frame_names,
    missing_sentence,
    nothing_left_sentence,
    plain_name,
    plain_table,
    whole_numbers,
    whole_sizes,
)
from bjp_engine.errors import DataError, OptionError, clip
from bjp_engine.labels import code_column

Missing = Literal["error", "drop", "state"]

MISSING_LABEL = "(missing)"

__all__ = ["MISSING_LABEL", "Dataset", "Missing", "Name", "check_dataset"]


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
        check_names(self.names)
        check_codes(self.codes, self.cardinalities, self.names)
        for name, r, labels in zip(self.names, self.cardinalities, self.labels, strict=True):
            if len(set(labels)) != r or len(labels) != r:
                raise DataError(
                    f"Column {clip(name)} has {r} states but {len(set(labels))} different labels; "
                    "give each state a label of its own."
                )
        codes = np.asfortranarray(self.codes, dtype=code_dtype(self.cardinalities))
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
        names = frame_names(frame)
        if missing not in ("error", "drop", "state"):
            raise OptionError(
                f"missing={clip(missing)} is not known; use 'error', 'drop' or 'state'."
            )
        absent = frame.isna().to_numpy()
        if absent.any():
            if missing == "error":
                raise DataError(missing_sentence(absent, names))
            if missing == "drop":
                if absent.any(axis=1).all():
                    raise DataError(nothing_left_sentence(absent, names))
                frame = frame.iloc[np.flatnonzero(~absent.any(axis=1))]
        columns = [
            code_column(frame.iloc[:, i], name, MISSING_LABEL) for i, name in enumerate(names)
        ]
        codes = np.empty((len(frame), len(names)), dtype=np.int32, order="F")
        for i, (column, _) in enumerate(columns):
            codes[:, i] = column
        # A column without a single row still has one state.
        labels = tuple(labels or ("0",) for _, labels in columns)
        return cls(codes, tuple(map(len, labels)), names, labels)

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
        table = plain_table(codes)
        chosen = (
            tuple(plain_name(name) for name in names)
            if names is not None
            else tuple(range(table.shape[1]))
        )
        table = whole_numbers(table, chosen)
        if cardinalities is None:
            seen = table.max(axis=0) + 1 if len(table) else np.ones(table.shape[1], dtype=np.int64)
            sizes = tuple(max(1, int(r)) for r in seen)
        else:
            sizes = whole_sizes(cardinalities)
        check_codes(table, sizes, chosen)
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
        key = plain_name(variable)
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
        if isinstance(variables, (str, int, np.integer)):
            variables = (variables,)
        if not isinstance(variables, Iterable):
            raise DataError(f"{clip(variables)} names no variables; give a list of names, or ().")
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
        if isinstance(variables, (str, int, np.integer)):
            variables = (variables,)
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

        Raises
        ------
        DataError
            If a row number is out of range, or a mask has another length.
        """
        chosen = np.asarray(rows)
        if chosen.size == 0:
            chosen = chosen.astype(np.intp)
        mask = chosen.dtype.kind == "b"
        if chosen.dtype.kind not in "iub" or (mask and chosen.shape != (self.rows,)):
            raise DataError(f"rows must be row numbers, or {self.rows} truth values, one a row.")
        if not mask and chosen.size and not -self.rows <= chosen.min() <= chosen.max() < self.rows:
            raise DataError(
                f"rows asks for a row beyond the last; they run from 0 to {self.rows - 1}."
            )
        return Dataset(self.codes[chosen], self.cardinalities, self.names, self.labels)

    def __repr__(self) -> str:
        """A line, not the table."""
        return f"Dataset({self.rows} rows, {self.n} variables, digest {self.digest[:12]})"


def check_dataset(data: object) -> None:
    """Refuse anything but a Dataset, and say how to make one of it.

    Parameters
    ----------
    data : object

    Raises
    ------
    DataError
    """
    if isinstance(data, Dataset):
        return
    how = {
        "DataFrame": "make one with Dataset.from_frame(data)",
        "ndarray": "make one with Dataset.from_codes(data)",
        "str": "read one with read_table(data)",
    }
    kind = type(data).__name__
    raise DataError(
        f"data is of type {kind}, not a Dataset; "
        f"{how.get(kind, 'see Dataset.from_frame and read_table')}."
    )
