"""Where numbers are cut into bins, and what the bins are called.

A value v belongs to the bin whose lower cut is the last that is not above v: bins are [a, b).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Floats
from bjp_engine.dataset import Name
from bjp_engine.errors import OptionError, clip, is_number
from bjp_engine.labels import label_of
from bjp_engine.preparation import fields

WAYS = {"quantile": "quantile", "equal_width": "uniform", "kmeans": "kmeans"}
# Beyond so many different values k-means sees a sample of the rows.
_SAMPLED = 200_000
# Fewer digits than this would move cuts for the sake of a short label.
_DIGITS = 3


@dataclass(frozen=True)
class Cut:
    """How one column is cut; what is needed to cut another file's column alike.

    Parameters
    ----------
    column : str or int
    points : tuple of float
        Ascending; a bin for each gap between them, and one at either end.
    labels : tuple of str
        The bins' names, one more than there are points.
    low, high : float
        The smallest and largest value of the column that was cut first.

    Raises
    ------
    OptionError
        If a field is out of range.
    """

    column: Name
    points: tuple[float, ...]
    labels: tuple[str, ...]
    low: float
    high: float

    def __post_init__(self) -> None:
        """Check the fields."""
        fields.name(self.column, "column")
        object.__setattr__(self, "points", fields.ascending(self.points, "points"))
        object.__setattr__(self, "labels", fields.texts(self.labels, "labels"))
        if len(self.labels) != len(self.points) + 1:
            raise OptionError(
                f"labels has {len(self.labels)} entries for {len(self.points)} points; "
                "give one more than points."
            )
        for field in ("low", "high"):
            value = getattr(self, field)
            if not is_number(value):
                raise OptionError(f"{field}={clip(value)} must be a number.")
            object.__setattr__(self, field, float(value))

    def places(self, numbers: Floats) -> NDArray[np.intp]:
        """The bin of each number.

        Parameters
        ----------
        numbers : ndarray of float

        Returns
        -------
        ndarray of int
        """
        return np.searchsorted(self.points, numbers, side="right")


def found_points(numbers: Floats, counts: NDArray[np.int64], how: str, bins: int) -> Floats:
    """The cuts of one column by scikit-learn's KBinsDiscretizer, in short numbers.

    Each cut is written with the fewest digits, three at least, that leave every row in its bin.
    Where there are no more values than bins, each value is a bin.
    """
    order = np.argsort(numbers)
    values, weights = numbers[order], counts[order]
    held = weights > 0
    values, weights = values[held], weights[held]
    if len(values) <= bins:
        return _shortened(values[1:], values)
    edges = _edges(values, weights, how, bins)
    places = np.unique(np.searchsorted(values, edges, side="left"), return_index=True)
    inner = (places[0] > 0) & (places[0] < len(values))
    return _shortened(edges[places[1][inner]], values)


def whole_points(numbers: Floats, most: int) -> Floats:
    """Cuts that make each whole number a bin of its own, up to a number of bins."""
    low, high = np.floor(numbers.min()), np.floor(numbers.max())
    return low + np.arange(1, min(float(most - 1), high - low) + 1)


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


def _edges(values: Floats, weights: NDArray[np.int64], how: str, bins: int) -> Floats:
    """The inner edges of KBinsDiscretizer."""
    from sklearn.preprocessing import KBinsDiscretizer

    options: dict[str, Any] = {"strategy": WAYS[how], "encode": "ordinal", "subsample": None}
    if how == "quantile":
        options["quantile_method"] = "averaged_inverted_cdf"
    if how == "kmeans" and len(values) > _SAMPLED:
        options |= {"subsample": _SAMPLED, "random_state": 0}
    # Equal width knows no weights: it needs the ends only.
    weighted = {} if how == "equal_width" else {"sample_weight": weights.astype(np.float64)}
    with warnings.catch_warnings():
        # It warns of bins too narrow to keep; that there are fewer is seen in the cuts.
        warnings.simplefilter("ignore")
        edges = KBinsDiscretizer(bins, **options).fit(values[:, None], **weighted).bin_edges_[0]
    return np.asarray(edges[1:-1], dtype=np.float64)


def _shortened(points: Floats, values: Floats) -> Floats:
    """Each cut with the fewest digits that separate the same values."""
    upper = np.searchsorted(values, points, side="left")
    whole = bool((np.trunc(values) == values).all())
    short: Callable[[float, float, float], float] = _whole if whole else _decimal
    return np.array(
        [
            short(float(cut), float(values[k - 1]), float(values[k]))
            for cut, k in zip(points, upper, strict=True)
        ],
        dtype=np.float64,
    )


def _whole(cut: float, below: float, above: float) -> float:  # noqa: ARG001
    """The next whole number."""
    return float(np.ceil(cut))


def _decimal(cut: float, below: float, above: float) -> float:
    """The cut in the fewest digits within (below, above]."""
    for digits in range(_DIGITS, 18):
        short = float(f"{cut:.{digits}g}")
        if below < short <= above:
            return short
    return above
