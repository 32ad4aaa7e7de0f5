"""Which rows are used: a sample of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from bjp_engine.columns import Table
from bjp_engine.preparation import fields
from bjp_engine.preparation.base import Did, Step, count, put

_MOST = 1 << 40


@dataclass(frozen=True)
class SampleRows(Step):
    """Use a sample of the rows, in the order of the file.

    Parameters
    ----------
    how : {"random", "first", "every"}
        Rows drawn without replacement, the first rows, or every k-th row beginning with the first.
    number : int
        How many rows; of "every", k.
    seed : int
        Of "random".

    Raises
    ------
    OptionError
        If a field is out of range.

    Notes
    -----
    Where fewer rows are there than asked for, all are used.
    """

    kind: ClassVar[str] = "sample"
    looks: ClassVar[bool] = False
    title: ClassVar[str] = "sample of the rows"
    how: str
    number: int
    seed: int = 0

    def __post_init__(self) -> None:
        """Check the fields."""
        put(
            self,
            how=fields.choice(self.how, "how", ("random", "first", "every")),
            number=fields.whole(self.number, "number", 1, _MOST),
            seed=fields.whole(self.seed, "seed", 0, 2**63 - 1),
        )

    @property
    def sentence(self) -> str:
        """What it does."""
        if self.how == "every":
            return f"Use every {self.number:,}th row, beginning with the first."
        rows = count(self.number, "row")
        if self.how == "first":
            return f"Use the first {rows}."
        return f"Use {rows} drawn at random (seed {self.seed})."

    def apply(self, table: Table) -> Did:
        """The table with these rows."""
        rows = self._rows(table.rows)
        said = f"{count(len(rows), 'row')} of {table.rows:,} used."
        return Did(table if len(rows) == table.rows else table.take(rows), said)

    def _rows(self, rows: int) -> np.ndarray[tuple[int], np.dtype[np.intp]]:
        """The numbers of the rows, ascending."""
        if self.how == "every":
            return np.arange(0, rows, self.number)
        if self.how == "first" or self.number >= rows:
            return np.arange(min(self.number, rows))
        drawn = np.random.default_rng(self.seed).choice(rows, self.number, replace=False)
        return np.sort(drawn)
