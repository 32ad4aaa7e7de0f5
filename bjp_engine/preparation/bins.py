"""Numbers into bins."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from bjp_engine.columns import Column, Table
from bjp_engine.dataset import Name
from bjp_engine.errors import DataError, OptionError, clip
from bjp_engine.preparation import fields
from bjp_engine.preparation.base import Did, Step, count, put, those
from bjp_engine.preparation.cuts import WAYS, Cut, bin_labels, found_points, whole_points

_NAMES = {
    "quantile": "bins of about equally many rows",
    "equal_width": "bins of equal width",
    "kmeans": "bins around the centres that k-means finds",
}
_MOST_BINS = 1000


@dataclass(frozen=True)
class BinNumbers(Step):
    """Cut numbers into bins.

    Parameters
    ----------
    columns : tuple of str or int
    how : {"quantile", "equal_width", "kmeans", "cuts", "whole"}
        Bins of equally many rows, of equal width, around the centres of k-means (all three by
        scikit-learn's KBinsDiscretizer); between own cut points; or each whole number a bin.
    bins : int, optional
        How many at most, 2 to 1000, by default 4. Of "whole": the last takes all larger numbers.
    cuts : tuple of float, optional
        Own cut points, ascending: a value equal to a cut belongs to the bin above it.
    fitted : tuple of Cut, optional
        Where each column was cut first.

    Raises
    ------
    OptionError
        If a field is out of range.

    Notes
    -----
    Missing cells stay missing. In another file the same cuts are used; what lies outside the
    range seen first belongs to the first or last bin, and is counted.
    """

    kind: ClassVar[str] = "bins"
    title: ClassVar[str] = "numbers into bins"
    columns: tuple[Name, ...]
    how: str = "quantile"
    bins: int = 4
    cuts: tuple[float, ...] | None = None
    fitted: tuple[Cut, ...] | None = field(default=None, metadata={"of": Cut})

    def __post_init__(self) -> None:
        """Check the fields."""
        put(
            self,
            columns=fields.names(self.columns, "columns"),
            how=fields.choice(self.how, "how", (*WAYS, "cuts", "whole")),
            bins=fields.whole(self.bins, "bins", 2, _MOST_BINS),
            fitted=fields.records(self.fitted, "fitted", Cut),
        )
        if (self.how == "cuts") != (self.cuts is not None):
            raise OptionError("cuts must be given with how='cuts', and only then.")
        if self.cuts is not None:
            put(self, cuts=fields.ascending(self.cuts, "cuts"))
            if not 1 <= len(self.cuts) < _MOST_BINS:
                raise OptionError(f"cuts has {len(self.cuts)} entries; give 1 to {_MOST_BINS - 1}.")

    @property
    def sentence(self) -> str:
        """What it does."""
        head = f"Cut {those(self.columns, '')}"
        if self.cuts is not None:
            return f"{head} at {', '.join(f'{cut:g}' for cut in self.cuts)}."
        if self.how == "whole":
            return f"{head} by whole numbers, each a state of its own, at most {self.bins} states."
        return f"{head} into {self.bins} {_NAMES[self.how]}."

    def fit(self, table: Table) -> BinNumbers:
        """Find where to cut."""
        table.check(self.columns)
        if self.fitted is not None:
            return self
        found = (self._cut(_numbers(table, name), name) for name in self.columns)
        return replace(self, fitted=tuple(found))

    def _cut(self, column: Column, name: Name) -> Cut:
        """Where to cut one column."""
        numbers, counts = column.numbers, column.counts
        held = (counts > 0) & np.isfinite(numbers)
        if not held.any():
            raise DataError(f"column {clip(name)} has no value at all; leave it out.")
        seen = numbers[held]
        low, high = float(seen.min()), float(seen.max())
        if self.cuts is not None:
            points = np.array(self.cuts)
        elif self.how == "whole":
            points = whole_points(seen, self.bins)
        else:
            points = found_points(seen, counts[held], self.how, self.bins)
        whole = bool((np.trunc(seen) == seen).all()) and bool((np.trunc(points) == points).all())
        labels = bin_labels(points, whole=whole, lowest=low)
        return Cut(name, tuple(map(float, points)), labels, low, high)

    def apply(self, table: Table) -> Did:
        """The table with bins in the place of numbers."""
        table.check(self.columns)
        made: dict[Name, Column] = {}
        cells = outside = 0
        cuts = self.fitted or ()
        for cut in cuts:
            column = _numbers(table, cut.column)
            numbers = column.numbers
            beyond = (numbers < cut.low) | (numbers > cut.high)
            outside += int(column.counts[beyond].sum())
            cells += column.rows - column.holes
            binned = column.recoded(cut.places(numbers), cut.labels)
            made[cut.column] = replace(binned, ordered=True, declared=True)
        states = sorted({len(cut.labels) for cut in cuts})
        many = f"{states[0]} to {states[-1]}" if len(states) > 1 else f"{states[0]}"
        said = f"{count(len(made), 'variable')} cut into {many} bins, {count(cells, 'cell')}."
        if outside:
            said += (
                f" {count(outside, 'cell')} lay outside the range seen first and "
                "went to the first or last bin."
            )
        return Did(table.having(made), said, cells)


def _numbers(table: Table, name: Name) -> Column:
    """A column of numbers."""
    column = table.column(name)
    if column.numeric or not len(column.values):
        return column
    shown = clip(column.values[0], 30)
    raise DataError(
        f"column {clip(name)} holds {shown}, which is no number; only numbers are cut into bins."
    )
