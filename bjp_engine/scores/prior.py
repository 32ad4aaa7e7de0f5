"""What is taken as known before the data: a prior over structures, and of single pairs.

Edges are independent of each other under the prior,

    Pr(G) = Π_{ij} π_ij^[ij ∈ G] (1 - π_ij)^[ij ∉ G],

so ln Pr(G) is, but for a constant, the sum of ln odds λ_ij = ln π_ij - ln(1 - π_ij) over the
edges of G. That sum is what a score adds to its terms: ln Pr(G) relative to the graph without
edges. With π = ½, the paper's, it is 0.

A required pair is an edge of every graph that counts and a forbidden pair of none, so the prior
is conditioned on both: graphs that disagree have probability 0, and the ln odds of the other pairs
stay as they are. No ln odds stand for certainty, so none enter a sum. A likely pair has ln odds of
its own, those of its probability, in place of those of the prior.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import networkx as nx
import numpy as np

from bjp_engine.arrays import Bools, Floats, Ints
from bjp_engine.dataset import Name
from bjp_engine.errors import DataError, OptionError, clip
from bjp_engine.graph import Adjacency, as_graph
from bjp_engine.records import keep, record
from bjp_engine.validate import (
    VariableIndex,
    entries,
    is_pandas,
    plain_name,
    positive_number,
    probability,
)

# With few variables an expected degree may ask for more edges than there are pairs.
MOST_PROBABLE = 0.49

NamePair = tuple[Name, Name]
# What is known of a pair: one of the two words, or its probability.
What = Literal["required", "forbidden"] | float
Row = tuple[Name, Name, What]
REQUIRED: Final = "required"
FORBIDDEN: Final = "forbidden"


@record
@dataclass(frozen=True, eq=False, slots=True)
class StructurePrior:
    """A prior over graphs; at most one of its three forms is given.

    Parameters
    ----------
    edge_probability : float or "data", optional
        π of every pair; "data" estimates it (`bjp_engine.search.auto.nodewise`).
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
        if pi is not None and not self.estimated:
            if isinstance(pi, str):
                raise OptionError(f"edge_probability={clip(pi)} must be a number, or 'data'.")
            keep(self, edge_probability=probability(pi, "edge_probability", inner=True))
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
        return isinstance(self.edge_probability, str) and self.edge_probability == "data"

    def odds(self, n: int) -> Floats | None:
        """λ of every pair of n variables, read-only; None where all graphs are as probable."""
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


@record
@dataclass(frozen=True, slots=True, init=False)
class KnownEdges:
    """What is known of pairs of variables, by name (or by position, where none bears it).

    Parameters
    ----------
    required : iterable of pairs
        Edges of every graph.
    forbidden : iterable of pairs
        Edges of no graph.
    likely : mapping of pair to float, or iterable of (x, y, probability)
        Prior probability of an edge, strictly between 0 and 1.

    Examples
    --------
    >>> from itertools import product
    >>> from bjp_engine.scores import KnownEdges
    >>> KnownEdges([("rain", "wet")], product(["rain"], ["coin", "die"])).forbidden
    (('rain', 'coin'), ('rain', 'die'))
    """

    required: tuple[NamePair, ...]
    forbidden: tuple[NamePair, ...]
    likely: tuple[tuple[Name, Name, float], ...]

    def __init__(
        self,
        required: Iterable[Iterable[Name]] = (),
        forbidden: Iterable[Iterable[Name]] = (),
        likely: Mapping[Any, Any] | Iterable[Iterable[Any]] = (),
    ) -> None:
        rows: list[Row] = [(*_pair(pair, "known"), read_what(what)) for pair, what in _said(likely)]
        rows += [(*_pair(pair, REQUIRED), REQUIRED) for pair in _edges(required, REQUIRED)]
        rows += [(*_pair(pair, FORBIDDEN), FORBIDDEN) for pair in _edges(forbidden, FORBIDDEN)]
        rows = _once(rows)
        keep(
            self,
            required=tuple((x, y) for x, y, what in rows if what == REQUIRED),
            forbidden=tuple((x, y) for x, y, what in rows if what == FORBIDDEN),
            likely=tuple((x, y, what) for x, y, what in rows if isinstance(what, float)),
        )

    @classmethod
    def of(cls, value: object) -> KnownEdges:
        """Take a record, a mapping of pairs, a table or a graph.

        A mapping has "required", "forbidden" or a probability for each pair; the first three
        columns of a table have two variables and the same. The edges of a graph, of a list of pairs
        or of a dict of lists are required.

        Examples
        --------
        >>> from bjp_engine.scores import KnownEdges
        >>> KnownEdges.of({("a", "b"): "required", ("a", "c"): 0.2}).likely
        (('a', 'c', 0.2),)
        """
        if isinstance(value, cls):
            return value
        if _is_graph(value) or isinstance(value, (list, tuple, set)):
            return cls(required=value)  # type: ignore[arg-type]
        if isinstance(value, Mapping):
            return cls(likely=value)
        table: Any = value
        if is_pandas(value, "DataFrame") and table.shape[1] >= 3:
            return cls(likely=table.iloc[:, :3].itertuples(index=False, name=None))
        raise OptionError(
            f"known is of type {type(value).__name__}; give a bjp_engine.scores.KnownEdges, a "
            "mapping of pairs, a table of three columns or a graph."
        )

    @property
    def empty(self) -> bool:
        """Whether nothing is known."""
        return not self.rows()

    def rows(self) -> tuple[Row, ...]:
        """What is known of each pair, required pairs first and likely ones last."""
        required: list[Row] = [(*pair, REQUIRED) for pair in self.required]
        forbidden: list[Row] = [(*pair, FORBIDDEN) for pair in self.forbidden]
        return (*required, *forbidden, *self.likely)

    def on(self, names: Sequence[Name]) -> KnownPairs:
        """The same by places of variables."""
        index, n = VariableIndex(names), len(names)
        try:
            placed = [(index.place(x), index.place(y), what) for x, y, what in self.rows()]
        except DataError as error:
            raise OptionError(f"known: {error}") from None
        _once((names[i], names[j], what) for i, j, what in placed)
        required, forbidden = np.zeros((2, n, n), dtype=np.bool_)
        likely = np.full((n, n), np.nan)
        for i, j, what in placed:
            if isinstance(what, float):
                likely[i, j] = likely[j, i] = log_odds_of(what)
            else:
                of = required if what == REQUIRED else forbidden
                of[i, j] = of[j, i] = True
        return KnownPairs(required, forbidden, likely)


@dataclass(frozen=True, eq=False, slots=True)
class KnownPairs:
    """What is known of pairs, as matrices of shape (n, n); `likely` has ln odds, NaN elsewhere."""

    required: Bools
    forbidden: Bools
    likely: Floats

    def part(self, columns: Ints) -> KnownPairs:
        """What is known of the pairs of some variables."""
        pairs = np.ix_(columns, columns)
        return KnownPairs(self.required[pairs], self.forbidden[pairs], self.likely[pairs])

    @property
    def fixed(self) -> Bools | None:
        """The pairs that no search may flip; None where there are none."""
        found: Bools = self.required | self.forbidden
        return found if found.any() else None

    @property
    def free(self) -> Bools:
        """Which pairs i < j may be flipped, in lexicographic order, shape (n(n - 1)/2,)."""
        found: Bools = ~(self.required | self.forbidden)[np.triu_indices(len(self.likely), 1)]
        return found

    def agreeing(self, adjacency: Adjacency) -> Adjacency:
        """The graph with the required edges, without the forbidden ones."""
        found: Adjacency = (adjacency | self.required) & ~self.forbidden
        return found

    def odds(self, base: Floats | None) -> Floats | None:
        """The ln odds of each pair that is free, given those of a prior; 0 for fixed pairs.

        None where all graphs that agree are as probable.
        """
        if base is None and np.isnan(self.likely).all():
            return None
        usual = np.zeros(self.likely.shape) if base is None else base
        made = np.where(np.isnan(self.likely), usual, self.likely)
        made[self.required | self.forbidden] = 0.0
        made.setflags(write=False)
        return made

    def shift(self, base: Floats) -> Floats:
        """What likely pairs add to the ln odds of a prior; 0 elsewhere."""
        made: Floats = np.where(np.isnan(self.likely), 0.0, self.likely - base)
        return made

    def settle(self, matrix: Floats) -> Floats:
        """Probabilities with 1 for required and 0 for forbidden pairs."""
        return np.where(self.required, 1.0, np.where(self.forbidden, 0.0, matrix))


def freeze_known(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options in which what is known of pairs is a record, whatever form it was given in."""
    known = options.get("known")
    return dict(options) if known is None else {**options, "known": KnownEdges.of(known)}


def read_what(value: object, name: str = "known") -> What:
    """What is known of a pair: one of two words, or a probability."""
    word = value.strip().lower() if isinstance(value, str) else value
    if isinstance(word, str) and word in (REQUIRED, FORBIDDEN):
        return word  # type: ignore[return-value]
    try:
        found = float(word)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        found = math.nan
    if 0 < found < 1:
        return found
    raise OptionError(
        f"{name} says {clip(value)} of a pair; write 'required', 'forbidden' or a probability "
        "strictly between 0 and 1."
    )


def _is_graph(value: object) -> bool:
    """Whether something is a graph, or a dict with the neighbours of each node."""
    around = value.values() if isinstance(value, Mapping) else ()
    lists = bool(around) and all(isinstance(of, (Mapping, list, tuple, set)) for of in around)
    return isinstance(value, nx.Graph) or lists


def _edges(value: object, name: str) -> Iterable[Any]:
    """Pairs in a list, or the edges of a graph."""
    return as_graph(value).edges() if _is_graph(value) else entries(value, name)


def _parts(value: object, count: int, name: str, wanted: str) -> tuple[Any, ...]:
    """The parts of what has so many of them and is no text."""
    found = tuple(value) if isinstance(value, Iterable) and not isinstance(value, str) else ()
    if len(found) != count:
        raise OptionError(f"{name} holds {clip(value)}; give {wanted}.")
    return found


def _pair(value: object, name: str) -> NamePair:
    """Two variables."""
    x, y = _parts(value, 2, name, "a list of pairs of variables, such as [('a', 'b')]")
    return plain_name(x), plain_name(y)


def _said(likely: object) -> Iterable[tuple[object, object]]:
    """Pairs of variables, and what is known of each."""
    if isinstance(likely, Mapping):
        return likely.items()
    wanted = 3, "likely", "two variables and a probability"
    rows = (_parts(row, *wanted) for row in entries(likely, "likely"))
    return ((row[:2], row[2]) for row in rows)


def _once(rows: Iterable[Row]) -> list[Row]:
    """What is known of each pair, once."""
    found: dict[frozenset[Name], Row] = {}
    for row in rows:
        x, y, what = row
        if x == y:
            raise OptionError(f"known pairs {clip(x)} with itself; name two variables.")
        *_, before = found.setdefault(frozenset((x, y)), row)
        if before != what:
            both = " and ".join(
                f"probability {one:g}" if isinstance(one, float) else f"'{one}'"
                for one in (before, what)
            )
            raise OptionError(f"known says of {clip(x)} and {clip(y)} both {both}; keep one.")
    return list(found.values())
