"""Where the names of a saved drawing stand: clear of edges, dots and other names.

The same rule as on the screen (`frontend/logic/placing.js`), but for one line of a known width.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
# How wide and how high a letter is, as shares of its size.
_WIDE, _HIGH, _GAP = 0.56, 1.15, 4.0
_AGAIN = 40
# What a name pays for lying on an edge, for each pixel of it, and for each square pixel of a dot or
# a name; outside it would be cut off.
_EDGE, _COVERED, _OVERLAP, _OUTSIDE = 24.0, 1.2, 4.0, 1e5


def place_labels(
    points: Floats,
    labels: Sequence[str],
    pairs: Sequence[Sequence[int]],
    radius: float,
    size: float,
    width: float,
) -> Floats:
    """The middle of each label within a width.

    Nodes with many edges choose first; where there are few, all choose once more.
    """
    ends = points[np.asarray(pairs, dtype=np.int64).reshape(-1, 2)]
    halves = np.array([[_WIDE * size * len(text), _HIGH * size] for text in labels]) / 2
    dots = np.hstack([points - radius - 2, points + radius + 2])
    names = np.full((len(points), 4), np.nan)
    degrees = np.bincount(np.asarray(pairs, dtype=np.int64).ravel(), minlength=len(points))
    order = np.argsort(-degrees, kind="stable")
    middles = points.copy()
    for node in (*order, *order) if len(order) <= _AGAIN else order:
        places, prices = _candidates(points[node], halves[node], radius)
        boxes = np.hstack([places - halves[node], places + halves[node]])
        rest = np.delete(np.vstack([dots, names]), [node, len(points) + node], axis=0)
        covered = _measure_covered(ends, boxes)
        cost = prices + _OVERLAP * _overlap(boxes, rest).sum(axis=1)
        cost += _OUTSIDE * ((boxes[:, 0] < 0) | (boxes[:, 2] > width))
        cost += (_EDGE * (covered > 0) + _COVERED * covered).sum(axis=1)
        best = int(np.argmin(cost))
        middles[node], names[node] = places[best], boxes[best]
    return middles


def _candidates(point: Floats, half: Floats, radius: float) -> tuple[Floats, Floats]:
    """Below, above and beside a dot, then aslant and shifted, with the price of each."""
    across, down = half + radius + _GAP
    ways = [(0.0, down, 0.0), (0.0, -down, 12.0), (across, 0.0, 16.0), (-across, 0.0, 18.0)]
    for side, lift in ((1, 1), (-1, 1), (1, -1), (-1, -1)):
        ways += [
            (side * across, lift * 0.75 * down, 24.0),
            (side * 0.6 * half[0], lift * down, 24.0),
            (side * half[0], lift * (down + 1), 30.0),
            (side * across, lift * half[1], 30.0),
        ]
    ways += [(0.0, down + half[1], 48.0), (0.0, -down - half[1], 54.0)]
    found = np.array(ways)
    return point + found[:, :2], found[:, 2]


def _overlap(boxes: Floats, others: Floats) -> Floats:
    """The area that each box shares with each other one; none with a place not yet chosen."""
    low = np.maximum(boxes[:, None, :2], others[None, :, :2])
    high = np.minimum(boxes[:, None, 2:], others[None, :, 2:])
    found: Floats = np.nan_to_num(np.maximum(high - low, 0.0)).prod(axis=2)
    return found


def _measure_covered(ends: Floats, boxes: Floats) -> Floats:
    """How much of each line lies in each box (Liang-Barsky)."""
    start, along = ends[None, :, 0], ends[None, :, 1] - ends[None, :, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        one = (boxes[:, None, :2] - start) / along
        two = (boxes[:, None, 2:] - start) / along
    # A line along an axis is inside for all of its length, or for none.
    inside = (start > boxes[:, None, :2]) & (start < boxes[:, None, 2:])
    flat = along == 0
    enter = np.where(flat, np.where(inside, 0.0, np.inf), np.minimum(one, two)).max(axis=2)
    leave = np.where(flat, np.where(inside, 1.0, -np.inf), np.maximum(one, two)).min(axis=2)
    share = np.maximum(np.minimum(leave, 1.0) - np.maximum(enter, 0.0), 0.0)
    found: Floats = share * np.hypot(along[..., 0], along[..., 1])
    return found
