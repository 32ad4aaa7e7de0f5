"""A prior over structures: how probable each edge is before any data are seen.

Edges are independent of each other under it,

    Pr(G) = Π_{ij} π_ij^[ij ∈ G] (1 - π_ij)^[ij ∉ G],

so ln Pr(G) is, but for a constant, the sum of ln odds λ_ij = ln π_ij - ln(1 - π_ij) over the
edges of G. That sum is what a score adds to its terms: ln Pr(G) relative to the graph without
edges. With π = ½, the paper's, it is 0.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.errors import OptionError, clip
from bjp_engine.graph import Adjacency
from bjp_engine.records import keep, record
from bjp_engine.validate import is_number, positive_number

# With few variables an expected degree may ask for more edges than there are pairs.
MOST_PROBABLE = 0.49
FROM_DATA = "data"


@record
@dataclass(frozen=True, eq=False, slots=True)
class StructurePrior:
    """A prior over graphs; at most one of its three forms is given.

    Parameters
    ----------
    edge_probability : float or "data", optional
        π of every pair, strictly between 0 and 1; "data" estimates it
        (`bjp_engine.search.auto.nodewise`).
    expected_degree : float, optional
        c, how many neighbours a variable has on average: π = c / (n - 1), at most 0.49.
    log_odds : ndarray of float, shape (n, n), optional
        λ_ij of each pair (natural log), symmetric and finite; the diagonal is not read.
    """

    edge_probability: float | Literal["data"] | None = None
    expected_degree: float | None = None
    log_odds: Floats | None = None

    def __post_init__(self) -> None:
        if len(self.given) > 1:
            raise OptionError(
                f"{' and '.join(self.given)} can't both be given; choose one of them."
            )
        pi, c = self.edge_probability, self.expected_degree
        named = isinstance(pi, str) and pi == FROM_DATA
        if pi is not None and not named:
            if not (is_number(pi) and 0 < float(pi) < 1):
                raise OptionError(
                    f"edge_probability={clip(pi)} is not a probability of an edge; give a number "
                    "strictly between 0 and 1, or 'data'."
                )
            keep(self, edge_probability=float(pi))
        if c is not None:
            keep(self, expected_degree=positive_number(c, "expected_degree", bounded=True))
        if self.log_odds is not None:
            keep(self, log_odds=_checked(self.log_odds))

    @property
    def given(self) -> dict[str, Any]:
        """What was given, as `learn` and `score` take it."""
        return {name: getattr(self, name) for name in NAMES if getattr(self, name) is not None}

    @property
    def uniform(self) -> bool:
        """Whether nothing was given: every graph is as probable as any other."""
        return not self.given

    @property
    def estimated(self) -> bool:
        """Whether it is to be estimated from the data."""
        return self.edge_probability == FROM_DATA

    def odds(self, n: int) -> Floats | None:
        """λ of every pair of n variables, shape (n, n); None where all graphs are as probable.

        It is symmetric, 0 on the diagonal and read-only. A prior for another number of variables,
        or one that is still to be estimated, is refused.
        """
        if self.uniform or self.edge_probability == 0.5:
            return None
        if self.log_odds is not None:
            if len(self.log_odds) != n:
                raise OptionError(
                    f"log_odds is for {len(self.log_odds)} variables and the data has {n}; "
                    f"give an array of shape ({n}, {n})."
                )
            return self.log_odds
        return filled(n, self.probability(n))

    def probability(self, n: int) -> float:
        """π of n variables, where it is the same for every pair."""
        if self.estimated:
            raise OptionError("edge_probability='data' is known only after a search; use 'learn'.")
        if self.expected_degree is not None:
            return min(self.expected_degree / max(n - 1, 1), MOST_PROBABLE)
        return 0.5 if self.edge_probability is None else float(self.edge_probability)


NAMES = ("edge_probability", "expected_degree", "log_odds")
UNIFORM = StructurePrior()


def filled(n: int, probability: float) -> Floats:
    """λ of every pair where all have the same probability."""
    made = np.full((n, n), log_odds_of(probability))
    np.fill_diagonal(made, 0.0)
    made.setflags(write=False)
    return made


def log_odds_of(probability: float) -> float:
    """ln π - ln(1 - π)."""
    return math.log(probability) - math.log1p(-probability)


def edge_odds(adjacency: Adjacency, odds: Floats | None) -> list[float]:
    """λ of each edge of a graph; their sum is its ln Pr relative to the empty graph."""
    if odds is None:
        return []
    found: list[float] = odds[np.triu(adjacency, 1)].tolist()
    return found


def flip_odds(adjacency: Adjacency, odds: Floats | None, i: int, j: int) -> float:
    """What the prior adds where the edge {i, j} is flipped."""
    if odds is None:
        return 0.0
    return float(-odds[i, j] if adjacency[i, j] else odds[i, j])


def blanket_odds(odds: Floats) -> Floats:
    """What the prior adds to each variable's part of a score, by the mask of its blanket.

    Each end of an edge takes half of its ln odds, so the parts of a graph add up to all of them.
    """
    n = len(odds)
    added = np.zeros((n, 1 << n))
    for i in range(n):
        # Bit i of a mask is the middle index.
        added.reshape(n, -1, 2, 1 << i)[:, :, 1] += odds[:, i, None, None] / 2
    return added


def read_prior(options: Mapping[str, Any]) -> tuple[StructurePrior, dict[str, Any]]:
    """Take what says a prior over structures out of keyword options."""
    given = {name: value for name, value in options.items() if name in NAMES}
    rest = {name: value for name, value in options.items() if name not in NAMES}
    return (StructurePrior(**given) if given else UNIFORM), rest


def _checked(value: object) -> Floats:
    """A matrix of ln odds, made read-only."""
    try:
        made = np.array(value, dtype=np.float64)
    except (TypeError, ValueError):
        made = np.empty(0)
    if made.ndim != 2 or made.shape[0] != made.shape[1]:
        raise OptionError(
            "log_odds must be a square array of numbers, one row and column per variable."
        )
    np.fill_diagonal(made, 0.0)
    if not np.isfinite(made).all() or (made != made.T).any():
        raise OptionError("log_odds must be finite and symmetric.")
    made.setflags(write=False)
    return made
