"""A dataset that is known by its counts: its rows are planes, frequencies or shards elsewhere."""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import Any, Never

from bjp_engine.contingency import Counter
from bjp_engine.dataset import Dataset
from bjp_engine.errors import DataError
from bjp_engine.validate import Name, check_names


class CountedDataset(Dataset):
    """A dataset whose rows are not held as codes; tests, scores and searches ask its counter.

    Parameters
    ----------
    counter : Counter
        What counts the N rows, codes 0..r_i - 1.
    cardinalities : tuple of int
        r_i, the number of states of each variable.
    names : tuple of str or int
        Column names.
    labels : tuple of tuple of str
        The text of each state, in code order.
    ordered : tuple of bool, optional
        Whether the order of a variable's states means something; by default it does for none.

    Raises
    ------
    DataError
        If two columns bear one name; of `codes` and of what reads rows, always.

    Notes
    -----
    `bjp_engine.read_sharded` makes one, and `bjp_engine.read_table` of a file whose codes would
    not fit into memory.

    Examples
    --------
    >>> import numpy as np
    >>> from bjp_engine import learn
    >>> from bjp_engine.counters.sums import by_bits
    >>> cells = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    >>> counter = by_bits(cells, (2, 2), np.array([50, 20, 10, 60]))
    >>> data = CountedDataset(counter, (2, 2), ("x", "y"), (("no", "yes"),) * 2)
    >>> data.rows, list(learn(data).graph.edges)
    (140, [('x', 'y')])
    """

    def __init__(
        self,
        counter: Counter,
        cardinalities: tuple[int, ...],
        names: tuple[Name, ...],
        labels: tuple[tuple[str, ...], ...],
        ordered: tuple[bool, ...] = (),
    ) -> None:
        check_names(names)
        parts = {"cardinalities": cardinalities, "names": names, "labels": labels}
        parts["ordered"] = ordered or (False,) * len(names)
        for name, part in parts.items():
            object.__setattr__(self, name, part)
        object.__setattr__(self, "_counter", counter)
        object.__setattr__(self, "_derived", {})

    @property
    def counter(self) -> Counter:
        """What counts the rows."""
        counter: Counter = self.__dict__["_counter"]
        return counter

    @property
    def codes(self) -> Never:
        """There are none here."""
        raise DataError(
            "The rows of this dataset are counted where they lie and not held as codes; use what "
            "asks for counts alone (learn with search='hill-climb', score, independence_test), "
            "or read a part of the rows with read_table."
        )

    @property
    def rows(self) -> int:
        """N, the number of rows."""
        return self.counter.rows

    @property
    def n(self) -> int:
        """The number of variables."""
        return len(self.names)

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled with its counter."""
        parts = self.counter, self.cardinalities, self.names, self.labels, self.ordered
        return CountedDataset, parts

    @cached_property
    def digest(self) -> str:
        """A hash of names, labels, orders and of the rows as they are held: not that of a table."""
        content = repr((self.names, self.labels, self.ordered, self.counter.digest))
        return hashlib.sha256(content.encode()).hexdigest()

    def __repr__(self) -> str:
        """A line."""
        kind = type(self.counter).__name__
        return f"CountedDataset({self.rows} rows, {self.n} variables, counted by {kind})"

    def _repr_html_(self) -> str:
        """The same in a notebook: there are no rows to show."""
        return f"<p>{self.rows:,} rows, {self.n:,} variables, not held as codes</p>"
