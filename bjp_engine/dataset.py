"""A table of discrete variables, coded once and never changed (docs/theory.md §1).

`Dataset` is what every other room reads: N rows of n variables, variable i with
states 0..r_i - 1. It holds no missing values; `from_frame` says what to do about them.
"""

from __future__ import annotations

import hashlib
import logging
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from bjp_engine.arrays import Bools, Ints, blocks, code_dtype, columnar
from bjp_engine.columns import (
    FEW_ROWS,
    Column,
    Table,
    as_array,
    each,
    whole_numbers,
)
from bjp_engine.errors import DataError, clip
from bjp_engine.identifiers import describe_identifier, is_numbering
from bjp_engine.labels import MISSING_LABEL
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.records import keep
from bjp_engine.shared import plot
from bjp_engine.validate import (
    MOST_CELLS,
    ArrowTable,
    Missing,
    Name,
    VariableIndex,
    check_letters,
    check_names,
    check_states,
    choice,
    entries,
    is_pandas,
    missing_sentence,
    nothing_left_sentence,
    plain_name,
    unmasked,
)

if TYPE_CHECKING:
    import pandas as pd

_log = logging.getLogger(__name__)
Made = TypeVar("Made")
Scored = TypeVar("Scored")

# Rows hashed at once: a few megabytes of whole numbers beside the codes.
_HASHED = 1 << 20
# Rows and columns that a notebook shows.
_SHOWN = (5, 20)
# Cells that are hashed in an instant.
_GLANCE = 10**7

# What public functions take.
DataLike: TypeAlias = "Dataset | pd.DataFrame | ArrowTable | ArrayLike"

__all__ = [
    "MISSING_LABEL",
    "DataLike",
    "Dataset",
    "Missing",
    "Name",
    "as_dataset",
]


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
    labels : tuple of tuple of str, optional
        The text of each state, in code order; by default its code.
    ordered : tuple of bool, optional
        Whether the order of a variable's states means something, as that of answers from
        "never" to "always" does; by default it does for none.
    notes : tuple of str
        What the reader of its file guessed or noticed, a sentence each.

    Notes
    -----
    Build one with `from_frame`, `from_codes` or `bjp_engine.read_table`. The class itself locks an
    array of codes that lies as it is kept, and does not copy it.
    """

    codes: NDArray[Any]
    cardinalities: tuple[int, ...]
    names: tuple[Name, ...]
    labels: tuple[tuple[str, ...], ...] = ()
    ordered: tuple[bool, ...] = ()
    notes: tuple[str, ...] = ()
    # What other rooms made of this table.
    _derived: dict[str, Any] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        """Check the parts against each other, and lock the codes."""
        codes, sizes, names = self.codes, self.cardinalities, self.names
        check_names(names)
        _check_width(codes, names=names, cardinalities=sizes)
        for name, r in zip(names, sizes, strict=True):
            check_states(r, name)
        keep(
            self,
            labels=self.labels or tuple(tuple(map(str, range(r))) for r in sizes),
            ordered=self.ordered or (False,) * len(names),
            _derived={},
        )
        _check_width(codes, labels=self.labels, ordered=self.ordered)
        ends = codes.min(axis=0, initial=0), codes.max(axis=0, initial=0)
        for name, r, labels, low, high in zip(names, sizes, self.labels, *ends, strict=True):
            if low < 0 or high >= r:
                raise DataError(
                    f"Column {clip(name)} holds the code {low if low < 0 else high}, but its codes "
                    f"run from 0 to {r - 1}; recode it or raise its cardinality."
                )
            if len(set(labels)) != r or len(labels) != r:
                raise DataError(
                    f"Column {clip(name)} has {r} states but {len(set(labels))} different labels; "
                    "give each state a label of its own."
                )
            check_letters(labels, f"Column {clip(name)}")
        dtype = code_dtype(sizes)
        if codes.dtype != dtype or not codes.flags.f_contiguous:
            keep(self, codes=columnar(codes, dtype))
        self.codes.setflags(write=False)

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame | ArrowTable | Table,
        *,
        missing: Missing = "error",
        weights: Name | None = None,
    ) -> Dataset:
        """Code every column of a DataFrame.

        Parameters
        ----------
        frame : pandas.DataFrame, or a table of Arrow, polars or DuckDB
            Or any table that has ``__arrow_c_stream__``, or rows; one discrete variable a column.
            Categories keep their declared order and their unseen states, and those of an
            ordered one have an order that means something; anything else gets its observed
            values in natural order (numbers by size, text with its digits read as numbers).
        missing : {"error", "drop", "state"}
            What to do with missing cells: refuse, drop their rows, or give each column
            that has any one more state, "(missing)", placed last.
        weights : str or int, optional
            A column that says how often its row was counted. The dataset is that of the long
            table, in which each row stands so often, and has no such column.

        Examples
        --------
        >>> from bjp_engine import Dataset
        >>> import pandas as pd
        >>> data = Dataset.from_frame(pd.DataFrame({"smokes": ["yes", "no", "yes"]}))
        >>> data.labels, data.codes[:, 0].tolist()
        ((('no', 'yes'),), [1, 0, 1])
        >>> counted = pd.DataFrame({"smokes": ["yes", "no"], "Freq": [2, 1]})
        >>> Dataset.from_frame(counted, weights="Freq").codes[:, 0].tolist()
        [1, 1, 0]
        """
        choice(missing, "missing", get_args(Missing))
        table = Table.of(frame)
        if weights is not None:
            if missing == "error":
                # A cell is missing once, however often its row counts.
                _without_holes(table.repeated(weights, once=True), missing)
            table = table.repeated(weights)
        table = _without_holes(table, missing)
        columns, rows = tuple(table.columns.values()), table.rows
        states = each(Column.states, rows, columns, table.names)
        labels = tuple(texts for texts, _ in states)
        # The state of missing cells has no place in an order.
        ordered = tuple(column.ordinal and not column.holes for column in columns)
        sizes = tuple(map(len, labels))
        codes = np.empty((rows, len(columns)), dtype=code_dtype(sizes), order="F")

        def fill(i: int) -> None:
            look_up, cells = states[i][1].astype(codes.dtype), columns[i].codes
            for block in blocks(rows, cells=_HASHED):
                codes[block, i] = look_up[cells[block]]

        each(fill, rows, range(len(columns)))
        return cls(codes, sizes, table.names, labels, ordered, table.notes)

    @classmethod
    def from_codes(
        cls,
        codes: ArrayLike,
        cardinalities: Sequence[int] | None = None,
        names: Sequence[Name] | None = None,
        labels: Sequence[Sequence[str]] | None = None,
        ordered: Iterable[Name] = (),
    ) -> Dataset:
        """Take a table of integer codes, shape (N, n), with the states 0..r_i - 1 in column i.

        By default r_i is the largest code plus one, names are the indices 0..n - 1, and the text of
        a state is its code. `ordered` names the variables whose states have an order that means
        something.

        Examples
        --------
        >>> from bjp_engine import Dataset
        >>> Dataset.from_codes([[0, 1], [1, 0]]).cardinalities
        (2, 2)
        """
        if is_pandas(codes, "DataFrame"):
            raise DataError("codes is a DataFrame; use Dataset.from_frame, which keeps its names.")
        given = as_array(codes, "codes")
        columns = range(given.shape[1])
        chosen = tuple(columns if names is None else map(plain_name, entries(names, "names")))
        _check_width(given, names=chosen)
        whole = whole_numbers(given, chosen)
        if cardinalities is None:
            sizes = tuple(max(1, code + 1) for code in whole.max(axis=0, initial=0).tolist())
        else:
            sizes = tuple(map(plain_name, entries(cardinalities, "cardinalities")))
        texts = tuple(
            tuple(map(str, entries(one, "An entry of labels")))
            for one in entries(() if labels is None else labels, "labels")
        )
        places = VariableIndex(chosen).places(ordered)
        return cls(whole, sizes, chosen, texts, tuple(i in places for i in columns))

    @property
    def is_here(self) -> bool:
        """Whether the rows are here, and not on a cluster, whose `count` gives their tables."""
        return True

    @property
    def fits(self) -> bool:
        """Whether the rows are few enough to be held here as codes: up to 2³⁰ cells."""
        return self.rows * self.n <= MOST_CELLS

    def hold(self, progress: Progress = UNWATCHED) -> Dataset:
        """The same table with its rows here: itself, where they are."""
        del progress
        return self

    def scored_by(self, score: Scored) -> Scored:
        """The score as it is computed of these rows: the same, where they are here."""
        return score

    @property
    def rows(self) -> int:
        """N, the number of rows."""
        return int(self.codes.shape[0])

    @property
    def n(self) -> int:
        """The number of variables."""
        return len(self.names)

    @property
    def shape(self) -> tuple[int, int]:
        """N and n, the numbers of rows and variables."""
        return self.rows, self.n

    def __len__(self) -> int:
        """N, the number of rows."""
        return self.rows

    def __eq__(self, other: object) -> bool:
        """Whether another dataset has the same digest: names, labels, orders and codes."""
        if not isinstance(other, Dataset):
            return NotImplemented
        return self is other or (self.shape == other.shape and self.digest == other.digest)

    def __hash__(self) -> int:
        return hash((self.shape, self.names))

    def __array__(self, dtype: DTypeLike | None = None, copy: bool | None = None) -> NDArray[Any]:
        """The codes, shape (N, n)."""
        return np.array(self.codes, dtype=dtype, copy=copy)

    def derived(self, name: str, make: Callable[[], Made]) -> Made:
        """Compute something from this table once, and keep it with the table.

        Where several threads ask at once, all get what one of them made.
        """
        if name not in self._derived:
            self._derived.setdefault(name, make())
        made: Made = self._derived[name]
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled and copied: locked wherever it arrives, and what is derived is made anew."""
        digest = {key: self.__dict__[key] for key in ("digest",) if key in self.__dict__}
        parts = self.codes, self.cardinalities, self.names, self.labels, self.ordered, self.notes
        return Dataset, parts, digest

    @cached_property
    def digest(self) -> str:
        """A hash of names, labels, orders and codes: equal digests mean equal tables."""
        content = hashlib.sha256()
        for name, labels, ordered in zip(self.names, self.labels, self.ordered, strict=True):
            order = (ordered,) if ordered else ()
            content.update(repr((type(name).__name__, name, labels, *order)).encode())
        content.update(repr(self.codes.shape).encode())
        # The dtype follows from the cardinalities, so equal tables have equal bytes.
        for i in range(self.n):
            for block in blocks(self.rows, cells=_HASHED):
                content.update(self.codes[block, i].astype("<i4").data)
        return content.hexdigest()

    @cached_property
    def state_counts(self) -> list[Ints]:
        """How many rows are in each state, by variable."""
        sizes = zip(self.codes.T, self.cardinalities, strict=True)
        return [np.bincount(column, minlength=r) for column, r in sizes]

    @cached_property
    def _index(self) -> VariableIndex:
        """Where each variable stands."""
        return VariableIndex(self.names)

    def index(self, variable: Name) -> int:
        """The column of a variable by its name; or its index, where none bears that number."""
        return self._index.place(variable)

    def indices(self, variables: Iterable[Name]) -> tuple[int, ...]:
        """The columns of several variables, ascending; by names or indices, see `index`."""
        found = sorted(self._index.places(variables))
        for first, second in pairwise(found):
            if first == second:
                raise DataError(
                    f"The variable {clip(self.names[first])} is given twice; name each one once."
                )
        return tuple(found)

    def to_frame(self) -> pd.DataFrame:
        """The table with its labels, as categorical columns with all r_i states in code order.

        A column is ordered where the variable is.
        """
        import pandas as pd

        columns = [
            pd.Categorical.from_codes(column, pd.Index(states, dtype=object), ordered=ordered)
            for column, states, ordered in zip(self.codes.T, self.labels, self.ordered, strict=True)
        ]
        names = pd.Index(self.names, dtype=object)
        return pd.DataFrame(dict(enumerate(columns))).set_axis(names, axis=1)

    def select(self, variables: Iterable[Name]) -> Dataset:
        """The same rows with only some of the variables, by names or indices, in this order."""
        wanted = self._index.places(variables)
        return Dataset(
            self.codes.T[wanted].T,
            tuple(self.cardinalities[i] for i in wanted),
            tuple(self.names[i] for i in wanted),
            tuple(self.labels[i] for i in wanted),
            tuple(self.ordered[i] for i in wanted),
        )

    def take(self, rows: ArrayLike) -> Dataset:
        """The same variables with only some of the rows; with the same states, seen or not.

        `rows` are row numbers (repeats allowed, as a bootstrap wants) or a mask of length N.
        """
        chosen = unmasked(rows, "rows")
        if chosen.dtype.kind == "b" and chosen.shape == (self.rows,):
            chosen = np.flatnonzero(chosen)
        elif not chosen.size and chosen.dtype.kind != "b":
            chosen = chosen.astype(np.intp)
        known = chosen.dtype.kind in "iu" and chosen.ndim == 1
        if not known or ((chosen < -self.rows) | (chosen >= self.rows)).any():
            raise DataError(
                f"rows must be row numbers from 0 to {self.rows - 1}, or {self.rows} truth values, "
                "one per row."
            )
        codes = np.take(self.codes.T, chosen, axis=1).T
        return Dataset(codes, self.cardinalities, self.names, self.labels, self.ordered)

    def split(self, variable: Name) -> dict[str, Dataset]:
        """The rows by the state of one variable, which the parts do not hold.

        By the labels of the states that occur, in code order; each part has all states of the other
        variables, seen or not.

        Examples
        --------
        >>> from bjp_engine import Dataset
        >>> data = Dataset.from_codes([[0, 1], [1, 0], [0, 0]], names=["group", "x"])
        >>> {label: part.codes[:, 0].tolist() for label, part in data.split("group").items()}
        {'0': [1, 0], '1': [0]}
        """
        i = self.index(variable)
        others = self.select([name for j, name in enumerate(self.names) if j != i])
        masks = [self.codes[:, i] == state for state in range(self.cardinalities[i])]
        parts = zip(self.labels[i], masks, strict=True)
        return {label: others.take(mask) for label, mask in parts if mask.any()}

    def drop_unused_states(self) -> Dataset:
        """The same rows without the states that no row has; the others keep their order.

        It is this dataset where every state occurs, or where there is no row.

        Examples
        --------
        >>> from bjp_engine import Dataset
        >>> labels = [("never", "rarely", "often", "refused")]
        >>> data = Dataset.from_codes([[0], [2], [2]], [4], labels=labels)
        >>> data.drop_unused_states().labels
        (('never', 'often'),)

        Notes
        -----
        "auto" and every kind of confidence but the posterior of a test leave such states out. The
        paper's scores count them, so a label that nobody chose can change their graph. Rows that
        are too many to be held keep their states.
        """
        occurs = [counts > 0 for counts in self.state_counts]
        if not self.rows or not self.fits or all(seen.all() for seen in occurs):
            return self
        return self.derived("without unused states", lambda: _without_unused(self, occurs))

    def plot(self, *, most: int = 30, theme: str = "light") -> Any:
        """The shares of the states of the first variables as a figure of matplotlib.

        It shows itself in a notebook; `theme` is "light" or "dark", with paper of its own.

        Examples
        --------
        >>> from bjp_engine import Dataset
        >>> data = Dataset.from_codes([[0, 1], [1, 0], [0, 0], [0, 0]], names=["rain", "wet"])
        >>> [float(bar.get_width()) for bar in data.plot().axes[0].patches]
        [0.75, 0.25, 0.75, 0.25]
        """
        return plot(self, most=most, theme=theme)

    def _repr_html_(self) -> str:
        """The first rows and columns, for a notebook; names and states are escaped."""
        rows, columns = _SHOWN
        some = self.take(range(min(self.rows, rows))).select(self.names[:columns])
        sizes = zip(some.names, some.cardinalities, strict=True)
        frame = some.to_frame().set_axis([f"{name} ({r})" for name, r in sizes], axis=1)
        about = f"{self.rows:,} rows, {self.n:,} variables (in brackets: numbers of states)"
        return f"<div>{frame.to_html()}<p>{about}</p></div>"

    def __repr__(self) -> str:
        # A digest takes seconds where a table is large.
        known = "digest" in self.__dict__ or self.codes.size <= _GLANCE
        digest = f", digest {self.digest[:12]}" if known else ""
        return f"Dataset({self.rows} rows, {self.n} variables{digest})"


def _check_width(codes: NDArray[Any], **parts: Sequence[object]) -> None:
    """A column at least, and one entry of each part for each."""
    if codes.ndim != 2 or not codes.shape[1]:
        raise DataError("The table has no columns; give it at least one variable.")
    n = codes.shape[1]
    for what, part in parts.items():
        if len(part) != n:
            raise DataError(f"{what} has {len(part)} entries for {n} columns; give one per column.")


def _without_unused(data: Dataset, occurs: Sequence[Bools]) -> Dataset:
    """Renumber the states of each column in which some do not occur."""
    codes = np.empty((data.rows, data.n), dtype=data.codes.dtype, order="F")
    for j, seen in enumerate(occurs):
        codes[:, j] = (np.cumsum(seen) - 1)[data.codes[:, j]]
    labels = tuple(
        tuple(label for label, has in zip(known, seen, strict=True) if has)
        for known, seen in zip(data.labels, occurs, strict=True)
    )
    return Dataset(codes, tuple(map(len, labels)), data.names, labels, data.ordered)


def as_dataset(data: object, name: str = "data", *, identifiers: bool = True) -> Dataset:
    """A Dataset of whatever holds discrete variables.

    Parameters
    ----------
    data : Dataset, or what `Dataset.from_frame` takes
        An array is treated as a frame of it would be: each column's values are its states, in
        natural order, and the names are 0 to n - 1.
    name : str
        The argument's, as an error names it.
    identifiers : bool
        Whether to warn of columns that identify rows or persons.

    Warns
    -----
    UserWarning
        In 20 rows or more: if a column identifies rows or persons, as one does that differs in
        every row, or holds over 12 different numbers that are not all whole, a measurement not yet
        grouped into bins.

    Examples
    --------
    >>> import numpy as np
    >>> from bjp_engine.dataset import as_dataset
    >>> as_dataset(np.array([[1, 2], [2, 2]])).labels
    (('1', '2'), ('2',))
    """
    if isinstance(data, Dataset):
        return data
    table = Table.of(data, name)
    # Whoever takes any data has no option for missing cells.
    if (holes := _holes(table)).any():
        drop = "Dataset.from_frame(df, missing='drop')"
        raise DataError(missing_sentence(holes, table.names, drop))
    warn_of_columns(table, identifiers=identifiers)
    return Dataset.from_frame(table)


def warn_of_columns(table: Table, *, identifiers: bool = True) -> None:
    """Say which columns identify rows or persons, and which hold measurements.

    In fewer than 20 rows neither can be seen.
    """
    for name, column in table.columns.items() if table.rows >= FEW_ROWS else ():
        states, said = int(np.count_nonzero(column.counts)), ""
        # Of arrays, a running number is nobody's.
        if identifiers and (
            not column.numeric or states < column.rows - column.holes or is_numbering(name)
        ):
            said = describe_identifier(name, column.values, column.counts)
        if column.measured:
            said = (
                f"Column {clip(name)} holds {states} different numbers in {table.rows} rows, and "
                "each becomes a state; group the numbers first with "
                "bjp_engine.preparation.BinNumbers."
            )
        if said:
            warnings.warn(said, stacklevel=3)


def _without_holes(table: Table, missing: Missing) -> Table:
    """The table as it is, or its complete rows; a sentence where cells may not be missing."""
    holes = _holes(table)
    if missing == "state" or not holes.any():
        return table
    if missing == "error":
        raise DataError(missing_sentence(holes, table.names))
    kept = table.take(table.complete_rows())
    if not kept.rows:
        raise DataError(nothing_left_sentence(holes, table.rows, table.names))
    dropped = table.rows - kept.rows
    _log.info("%s of %s rows have missing cells and were left out.", dropped, table.rows)
    return kept


def _holes(table: Table) -> NDArray[np.intp]:
    """How many missing cells each column has that are no state of their own."""
    return np.array([0 if one.own else one.holes for one in table.columns.values()], dtype=np.intp)
