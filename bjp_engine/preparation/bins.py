"""Numbers into bins: where they are cut, and what the bins are called.

A value v belongs to the bin whose lower cut is the last that is not above v: bins are [a, b).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Annotated, ClassVar

import numpy as np

from bjp_engine.arrays import Floats, Ints
from bjp_engine.columns import Column, Table
from bjp_engine.errors import IN_A_PAPER, DataError, OptionError, clip, listed, plural
from bjp_engine.labels import label_of
from bjp_engine.preparation.steps import Columns, Step, optional
from bjp_engine.validate import Name, ascending_numbers, choice, whole_number

_NAMES = {"quantile": "bins of about equally many rows", "equal_width": "bins of equal width"}
_MOST_BINS = 1000
# Fewer digits than this would move cuts for the sake of a short label.
_DIGITS = 3


@dataclass(frozen=True)
class BinNumbers(Step):
    """Cut numbers into bins.

    Bins hold equally many rows or have equal width, as scikit-learn's KBinsDiscretizer makes them,
    or lie between own ascending `cuts`, where a value on a cut belongs to the bin above it. There
    are `bins` at most. Missing cells stay missing.

    Examples
    --------
    >>> from bjp_engine.preparation import BinNumbers
    >>> BinNumbers(("age",), "cuts", cuts=(18, 65)).sentence
    "Cut 'age' at 18, 65."
    """

    kind: ClassVar[str] = "bins"
    columns: Columns
    how: Annotated[str, partial(choice, known=(*_NAMES, "cuts"))] = "quantile"
    bins: Annotated[int, partial(whole_number, least=2, most=_MOST_BINS)] = 4
    cuts: Annotated[tuple[float, ...] | None, optional(ascending_numbers)] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.how == "cuts") != (self.cuts is not None):
            raise OptionError("cuts must be given with how='cuts', and only then.")
        if self.cuts is not None and not 1 <= len(self.cuts) < _MOST_BINS:
            raise OptionError(f"cuts has {len(self.cuts)} entries; give 1 to {_MOST_BINS - 1}.")

    def _said(self) -> tuple[str, str]:
        if self.cuts is not None:
            bins = f"at {', '.join(f'{cut:g}' for cut in self.cuts)}"
        else:
            bins = f"into {self.bins} {_NAMES[self.how]}"
        return (
            f"Cut {listed(self.columns)} {bins}.",
            f"Numbers in {listed(self.columns, IN_A_PAPER)} were cut {bins}.",
        )

    def _applied(self, table: Table) -> tuple[Table, str]:
        made: dict[Name, Column] = {}
        for name in self.columns:
            column = _numbers(table, name)
            held = (column.counts > 0) & np.isfinite(column.numbers)
            if not held.any():
                raise DataError(f"column {clip(name)} has no value at all; leave it out.")
            seen = column.numbers[held]
            points = np.array(self.cuts)
            if self.cuts is None:
                points = found_points(seen, column.counts[held], self.how, self.bins)
            whole = bool((np.trunc(seen) == seen).all() and (np.trunc(points) == points).all())
            labels = bin_labels(points, whole=whole, lowest=float(seen.min()))
            binned = column.recoded(np.searchsorted(points, column.numbers, side="right"), labels)
            made[name] = replace(binned, ordered=True, declared=True, ordinal=True)
        sizes = [len(column.values) for column in made.values()]
        cells = sum(column.rows - column.holes for column in made.values())
        many = " to ".join(map(str, sorted({min(sizes), max(sizes)})))
        said = f"{plural(len(made), 'variable')} cut into {many} bins, {plural(cells, 'cell')}."
        return table.having(made), said


def _numbers(table: Table, name: Name) -> Column:
    column = table.column(name)
    if column.numeric or not len(column.values):
        return column
    shown = clip(column.values[0], 30)
    raise DataError(
        f"column {clip(name)} holds {shown}, which is not a number; only numbers are cut into bins."
    )


def found_points(numbers: Floats, counts: Ints, how: str, bins: int) -> Floats:
    """The cuts of one column, in short numbers.

    Each cut is written with the fewest digits, three at least, that leave every row in its bin.
    Where there are no more values than bins, each value is a bin.
    """
    order = np.argsort(numbers)
    values, weights = numbers[order], counts[order]
    if len(values) <= bins:
        return _shortened(values[1:], values)
    edges = _edges(values, weights, how, bins)
    places = np.unique(np.searchsorted(values, edges, side="left"), return_index=True)
    inner = (places[0] > 0) & (places[0] < len(values))
    return _shortened(edges[places[1][inner]], values)


def bin_labels(points: Floats, *, whole: bool, lowest: float) -> tuple[str, ...]:
    """Names of bins: "<5", "5–10", "≥10"."""
    if not len(points):
        return ("any number",)
    texts = [label_of(float(point)) for point in points]
    between = " to " if points[0] < 0 else "–"
    middle = []
    for (low, high), (one, two) in zip(pairwise(points.tolist()), pairwise(texts), strict=True):
        last = label_of(float(np.ceil(high) - 1)) if whole else two
        middle.append(one if whole and high - low <= 1 else f"{one}{between}{last}")
    alone = whole and points[0] - lowest <= 1 and lowest == 0
    return (label_of(lowest) if alone else f"<{texts[0]}", *middle, f"≥{texts[-1]}")


def _edges(values: Floats, weights: Ints, how: str, bins: int) -> Floats:
    """The inner edges: of equal width, or where the averaged distribution function has shares."""
    if how == "equal_width":
        return np.linspace(values[0], values[-1], bins + 1)[1:-1]
    below = np.cumsum(weights, dtype=np.float64)
    wanted = np.linspace(0, 1, bins + 1)[1:-1] * below[-1]
    lower, upper = (np.searchsorted(below, wanted, side=side) for side in ("left", "right"))
    edges: Floats = (values[lower] + values[np.minimum(upper, len(values) - 1)]) / 2
    return edges


def _shortened(points: Floats, values: Floats) -> Floats:
    """Each cut with the fewest digits that separate the same values."""
    if (np.trunc(values) == values).all():
        return np.ceil(points)
    upper = np.searchsorted(values, points, side="left").tolist()
    cuts = [
        _short(cut, values[k - 1], values[k]) for cut, k in zip(points.tolist(), upper, strict=True)
    ]
    return np.array(cuts, dtype=np.float64)


def _short(cut: float, below: float, above: float) -> float:
    """A cut in the fewest digits within (below, above]."""
    for digits in range(_DIGITS, 18):
        short = float(f"{cut:.{digits}g}")
        if below < short <= above:
            return short
    return float(above)
