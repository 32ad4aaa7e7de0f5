"""A table of discrete variables, coded once and never changed (docs/theory.md §1).

`Dataset` is what every other room reads: N rows of n variables, variable i with
states 0..r_i - 1. It holds no missing values; `from_frame` says what to do about them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bjp_engine.coded import code_table
from bjp_engine.columnar import blocks, code_dtype, columnar
from bjp_engine.errors import DataError, clip
from bjp_engine.frames import code_frame, labelled_frame
from bjp_engine.labels import MISSING_LABEL
from bjp_engine.validate import Missing, Name, check_codes, check_names, plain_name

if TYPE_CHECKING:
    import pandas as pd

Made = TypeVar("Made")

# Rows hashed at once: a few megabytes of whole numbers beside the codes.
_HASHED = 1 << 20
# Cells that are hashed in an instant.
_GLANCE = 10**7

__all__ = ["MISSING_LABEL", "Dataset", "Missing", "Name", "adopt", "check_dataset"]


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
    # What other rooms made of this table.
    _derived: dict[str, Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check the parts against each other and lock a copy of the array."""
        self._check()
        self._lock(columnar(self.codes, code_dtype(self.cardinalities)))

    def _check(self) -> None:
        """Refuse parts that don't fit together."""
        check_names(self.names)
        check_codes(self.codes, self.cardinalities, self.names)
        for name, r, labels in zip(self.names, self.cardinalities, self.labels, strict=True):
            if len(set(labels)) != r or len(labels) != r:
                raise DataError(
                    f"Column {clip(name)} has {r} states but {len(set(labels))} different labels; "
                    "give each state a label of its own."
                )

    def _lock(self, codes: NDArray[Any]) -> None:
        """Keep an array that nobody else holds, and nothing derived from it yet."""
        codes.setflags(write=False)
        object.__setattr__(self, "codes", codes)
        object.__setattr__(self, "_derived", {})

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
        codes, names, labels = code_frame(frame, missing)
        return adopt(codes, tuple(map(len, labels)), names, labels)

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
        return adopt(*code_table(codes, cardinalities, names, labels))

    @property
    def rows(self) -> int:
        """N, the number of rows."""
        return int(self.codes.shape[0])

    @property
    def n(self) -> int:
        """The number of variables."""
        return int(self.codes.shape[1])

    def derived(self, name: str, make: Callable[[], Made]) -> Made:
        """What another room makes of this table once and keeps with it.

        Parameters
        ----------
        name : str
        make : callable() -> object
            Called when it is first asked for; by several threads at once, all get what one made.

        Returns
        -------
        object
        """
        if name not in self._derived:
            self._derived.setdefault(name, make())
        made: Made = self._derived[name]
        return made

    def __getstate__(self) -> dict[str, Any]:
        """What is derived is made anew wherever the table is sent."""
        return self.__dict__ | {"_derived": {}}

    @cached_property
    def digest(self) -> str:
        """A hash of names, labels and codes: equal digests mean equal tables."""
        content = hashlib.sha256()
        for name, labels in zip(self.names, self.labels, strict=True):
            content.update(repr((type(name).__name__, name, labels)).encode())
        content.update(repr(self.codes.shape).encode())
        # The dtype follows from the cardinalities, so equal tables have equal bytes.
        for i in range(self.n):
            for block in blocks(self.rows, cells=_HASHED):
                content.update(self.codes[block, i].astype("<i4").data)
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
        return labelled_frame(self.codes, self.names, self.labels)

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
        sizes = [self.cardinalities[i] for i in wanted]
        codes = np.empty((self.rows, len(wanted)), dtype=code_dtype(sizes), order="F")
        for place, i in enumerate(wanted):
            codes[:, place] = self.codes[:, i]
        return adopt(
            codes,
            tuple(sizes),
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
        one_axis = chosen.ndim == 1 and (not mask or len(chosen) == self.rows)
        if chosen.dtype.kind not in "iub" or not one_axis:
            raise DataError(f"rows must be row numbers, or {self.rows} truth values, one a row.")
        if not mask and chosen.size and not -self.rows <= chosen.min() <= chosen.max() < self.rows:
            raise DataError(
                f"rows asks for a row beyond the last; they run from 0 to {self.rows - 1}."
            )
        places = np.flatnonzero(chosen) if mask else chosen
        codes = np.empty((len(places), self.n), dtype=self.codes.dtype, order="F")
        for i in range(self.n):
            codes[:, i] = self.codes[:, i][places]
        return adopt(codes, self.cardinalities, self.names, self.labels)

    def __repr__(self) -> str:
        """A line, not the table."""
        # A digest takes seconds where a table is large.
        known = "digest" in self.__dict__ or self.codes.size <= _GLANCE
        digest = f", digest {self.digest[:12]}" if known else ""
        return f"Dataset({self.rows} rows, {self.n} variables{digest})"


def adopt(
    codes: NDArray[Any],
    cardinalities: tuple[int, ...],
    names: tuple[Name, ...],
    labels: tuple[tuple[str, ...], ...],
) -> Dataset:
    """A dataset of an array that its maker gives away: it is locked and not copied."""
    data = object.__new__(Dataset)
    parts = {"codes": codes, "cardinalities": cardinalities, "names": names, "labels": labels}
    for name, part in parts.items():
        object.__setattr__(data, name, part)
    data._check()
    dtype = code_dtype(cardinalities)
    fits = codes.dtype == dtype and codes.flags.f_contiguous
    data._lock(codes if fits else columnar(codes, dtype))
    return data


def check_dataset(data: object) -> None:
    """Refuse anything but a Dataset, and say how to make one of it."""
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
