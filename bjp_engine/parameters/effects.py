"""How strong each edge of a fitted network is, and in which direction (docs/theory.md §11).

Given all other variables, the log odds ratios of two adjacent ones depend on their common
neighbours A only. In each configuration a of these the factors that hold both sum up to a table,

    u(s, t | a) = Σ_{C ∋ x,y} θ_C(s, t, a)   less its means over rows and columns,

which is 0 exactly where x and y are independent given a. The table of the edge is its mean over the
rows of the data, ū = Σ_a (n_a / N) u(a). The log odds ratio of states s, s' of x and t, t' of y is
ū(s, t) - ū(s, t') - ū(s', t) + ū(s', t'), and the root mean square of all of these is

    |ū| = 2 sqrt(Σ_{s,t} ū(s, t)² / ((r_x - 1) (r_y - 1))).

Where the states of both variables are ordered, and one has more than two, the effect is the
log odds ratio for one step of each: β of the weighted least squares fit on the states' places

    Σ_{s,t} w(s, t) (ū(s, t) - μ_s - ν_t - β s t)² → min,   w = n(s, t) + n(s) n(t) / N²,

with n the counts of the pair in the rows and one row more, spread as under independence. So cells
of which the data say nothing count next to nothing.

The interval is a bootstrap's with symmetric ends (Hall 1988): resamples b = 1 … B are fitted on the
same graph, and the effect ± the `level` quantile of |ū_b - ū| holds the truth. For log odds ratios
this is the distribution of |λ_b - λ| or |β_b - β|. For the length of a table |ū| the triangle
inequality makes it hold at least as often, and the low end is above 0 exactly if the test whose
statistic is |ū| rejects independence.

Two groups of rows are compared on one graph: each group is fitted to it, and both means ū take n_a
from the rows of both, so that they differ only where the tables u do.

References
----------
Hall (1988), On symmetric bootstrap confidence intervals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bjp_engine.arrays import Floats, Places, number_rows
from bjp_engine.dataset import Dataset
from bjp_engine.errors import DataError, OptionError
from bjp_engine.graph import Adjacency, pairs, to_adjacency
from bjp_engine.parameters.elimination import eliminate, scopes_of
from bjp_engine.parameters.likelihood import fit_by_scaling, fit_chordal
from bjp_engine.parameters.orders import Orders, steps_of
from bjp_engine.parameters.pseudo import PseudoLikelihood
from bjp_engine.progress import Progress
from bjp_engine.sampling.factor import Scope

if TYPE_CHECKING:
    import pandas as pd

    from bjp_engine.parameters.network import FittedNetwork

LogTables: TypeAlias = Sequence[Floats]
Refit: TypeAlias = Callable[[Floats], LogTables]

KINDS = LOG_ODDS_RATIO, PER_STEP, STRENGTH = (
    "log odds ratio",
    "log odds ratio per step",
    "strength",
)
NUMBERS = ("effect", "low", "high", "spread")


@dataclass(frozen=True, eq=False, slots=True)
class Edge:
    """An edge, and where its log odds ratios stand in the factors."""

    # The configuration of the common neighbours in each distinct row, from 0 to K - 1.
    numbers: Places
    # For each factor that holds both: its position, the axes of x and y, and for each of its other
    # axes the states in the K configurations.
    parts: tuple[tuple[int, Scope, tuple[Places, ...]], ...]
    kind: str  # one of KINDS
    contrast: Floats | None = None  # shape (r_x, r_y): per step, β = Σ contrast · ū
    turned: bool = False  # whether the given order of one of two states is that of codes reversed

    def effect(self, mean: Floats) -> float:
        """What the table ū comes to."""
        if self.contrast is not None:
            return float(self.slope(mean))
        return -effect_of(mean) if self.turned else effect_of(mean)

    def length(self, tables: Floats) -> Floats:
        """How far tables are from independence, shape (…)."""
        return length_of(tables) if self.contrast is None else np.abs(self.slope(tables))

    def slope(self, tables: Floats) -> Floats:
        """β of double-centred tables, shape (…, r_x, r_y)."""
        assert self.contrast is not None
        return np.asarray((tables * self.contrast).sum(axis=(-2, -1)))

    def shares(self, weights: Floats) -> Floats:
        """n_a / N, the part of the rows with each configuration, shape (K,)."""
        rows = np.bincount(self.numbers, weights)
        return np.asarray(rows / rows.sum())

    def joint(self, log_tables: LogTables) -> Floats:
        """Σ_C θ_C(s, t, a), shape (K, r_x, r_y)."""
        total: Floats = np.zeros((1, 1, 1))
        for k, axes, states in self.parts:
            total = total + np.moveaxis(log_tables[k], axes, (-2, -1))[states]
        return total

    def mean(self, log_tables: LogTables, weights: Floats) -> Floats:
        """ū(s, t), shape (r_x, r_y)."""
        joint = self.joint(log_tables)
        if len(joint) == 1:
            return _centred(joint[0])
        mean = self.shares(weights) @ joint.reshape(len(joint), -1)
        return _centred(mean.reshape(joint[0].shape))

    def spread(self, log_tables: LogTables, weights: Floats) -> float:
        """The root mean square of |u(a) - ū| over the rows."""
        apart = _centred(self.joint(log_tables)) - self.mean(log_tables, weights)
        return float(np.sqrt(self.shares(weights) @ self.length(apart) ** 2))


def _edges_of(
    data: Dataset,
    scopes: Sequence[Scope],
    found: Sequence[tuple[int, int]],
    ordered: Orders = MappingProxyType({}),
    counts: Floats | None = None,
) -> list[Edge]:
    """The edges, ready to be read off the factors; `counts` are how often each row occurs."""
    edges = []
    steps = [steps_of(labels, ordered.get(i, labels)) for i, labels in enumerate(data.labels)]
    for x, y in found:
        mine = [(k, scope) for k, scope in enumerate(scopes) if x in scope and y in scope]
        common = sorted({z for _, scope in mine for z in scope} - {x, y})
        numbers = number_rows(data.codes[:, common], [data.cardinalities[z] for z in common])
        first = np.unique(numbers, return_index=True)[1]
        parts = []
        for k, scope in mine:
            rest = tuple(data.codes[first, z] for z in scope if z not in (x, y))
            parts.append((k, (scope.index(x), scope.index(y)), rest))
        kind = _kind_of((x, y), data, ordered)
        ends = steps[x], steps[y]
        contrast = _contrast(data, (x, y), ends, counts) if kind == PER_STEP else None
        turned = kind == LOG_ODDS_RATIO and ends[0][1] != ends[1][1]
        edges.append(Edge(numbers, tuple(parts), kind, contrast, bool(turned)))
    return edges


def _contrast(
    data: Dataset, pair: tuple[int, int], steps: tuple[Floats, Floats], counts: Floats | None
) -> Floats:
    """What β multiplies the cells of a table by; 0 where one of the two does not vary."""
    x, y = pair
    shape = data.cardinalities[x], data.cardinalities[y]
    cells = data.codes[:, x].astype(np.int64) * shape[1] + data.codes[:, y]
    table = np.bincount(cells, counts, shape[0] * shape[1]).reshape(shape)
    weights = table + np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum() ** 2
    rows, columns = np.indices(shape).reshape(2, -1)
    product = np.outer(*steps).ravel()
    states = np.column_stack(
        [rows[:, None] == range(shape[0]), columns[:, None] == range(shape[1])]
    )
    root = np.sqrt(weights.ravel())
    fitted = np.linalg.lstsq(states * root[:, None], product * root, rcond=None)[0]
    varies = min(np.count_nonzero(table.sum(axis=k)) for k in (0, 1)) > 1
    found = weights.ravel() * (product - states @ fitted)
    return np.asarray((found / (found @ product) if varies else 0 * found).reshape(shape))


def _kind_of(pair: tuple[int, int], data: Dataset, ordered: Orders) -> str:
    states = [data.cardinalities[i] for i in pair]
    if states == [2, 2]:
        return LOG_ODDS_RATIO
    known = all(r == 2 or (r > 2 and i in ordered) for i, r in zip(pair, states, strict=True))
    return PER_STEP if known else STRENGTH


def _centred(tables: Floats) -> Floats:
    """Tables less the means of their rows and columns, shape (…, r_x, r_y)."""
    by_column = tables - tables.mean(axis=-2, keepdims=True)
    return np.asarray(by_column - by_column.mean(axis=-1, keepdims=True))


def length_of(tables: Floats) -> Floats:
    """|u| of double-centred tables, shape (…, r_x, r_y)."""
    freedom = (tables.shape[-2] - 1) * (tables.shape[-1] - 1)
    # A variable with one state depends on nothing: its tables are 0.
    return np.asarray(2 * np.sqrt((tables**2).sum(axis=(-2, -1)) / max(1, freedom)))


def effect_of(mean: Floats) -> float:
    """The log odds ratio of an edge's mean table, or its strength for more than two states."""
    return float(4 * mean[1, 1] if mean.shape == (2, 2) else length_of(mean))


class SharedGraph:
    """A graph that is fitted to groups of the same rows, by maximum pseudo-likelihood."""

    def __init__(
        self, data: Dataset, counts: Floats, adjacency: Adjacency, ridge: float, progress: Progress
    ) -> None:
        """Count the configurations of distinct rows, of which both groups have `counts`."""
        scopes, _ = scopes_of(adjacency, data.cardinalities, "auto")
        self.pairs = pairs(adjacency)
        self._counts, self._progress = counts, progress
        orders = {i: data.labels[i] for i in range(data.n) if data.ordered[i]}
        self.edges = _edges_of(data, scopes, self.pairs, orders, counts)
        self._start = [np.zeros([data.cardinalities[i] for i in scope]) for scope in scopes]
        self._surface = PseudoLikelihood(data, scopes, ridge, progress)

    def means(self, weights: Floats) -> list[Floats]:
        """ū of every edge in a group, which has each row as often as its weight says."""
        if not self.pairs:
            return []
        fit = self._surface.maximise_weighted(weights, self._start, self._progress)
        return [edge.mean(fit.log_tables, self._counts) for edge in self.edges]


def _distinct(data: Dataset) -> tuple[Dataset, Floats]:
    """The distinct rows in lexicographic order, and how often each appears."""
    numbers = number_rows(data.codes, data.cardinalities)
    _, first, counts = np.unique(numbers, return_index=True, return_counts=True)
    return data.take(first), counts.astype(np.float64)


def _refit_of(network: FittedNetwork, data: Dataset, progress: Progress) -> Refit:
    """The way in which the network was fitted, as a function of the weights of rows."""
    scopes = [factor.variables for factor in network.model.factors]
    if network.fitting == "pseudo-likelihood":
        near = [factor.log_table for factor in network.model.factors]
        surface = PseudoLikelihood(data, scopes, network.smoothing, progress)
        return lambda weights: surface.maximise_weighted(weights, near, progress).log_tables
    tree = eliminate(to_adjacency(network.graph, data), data.cardinalities)
    assert tree is not None  # or the network would not have been fitted in this way
    fit = fit_chordal if network.fitting == "closed-form" else fit_by_scaling
    ess = network.smoothing
    return lambda weights: fit(data, scopes, tree, ess, progress, weights).log_tables


class FittedEdges:
    """The edges of a fitted network, and what resamples of its rows make of them."""

    def __init__(self, network: FittedNetwork, ordered: Orders = MappingProxyType({})) -> None:
        """Read every edge off the factors; `ordered` has the order of states of some columns."""
        if not network.rows:
            raise DataError(
                "The network was fitted to no rows, so none can be resampled; give some."
            )
        self.network, self.ordered = network, ordered
        self._rows, self._counts = _distinct(network.data)
        factors = network.model.factors
        self._log_tables = [factor.log_table for factor in factors]
        self.pairs = pairs(to_adjacency(network.graph, self._rows))
        scopes = [factor.variables for factor in factors]
        self.edges = _edges_of(self._rows, scopes, self.pairs, ordered, self._counts)
        self.means = self._read(self._log_tables, self._counts)

    def _read(self, log_tables: LogTables, weights: Floats) -> list[Floats]:
        """ū of each edge in the rows with these weights."""
        return [edge.mean(log_tables, weights) for edge in self.edges]

    def spreads(self) -> Floats:
        """How much each edge's tables differ from their mean."""
        found = [edge.spread(self._log_tables, self._counts) for edge in self.edges]
        return np.array(found, np.float64)

    def effects(self) -> Floats:
        """The effect of each edge, shape (M,)."""
        found = [edge.effect(mean) for edge, mean in zip(self.edges, self.means, strict=True)]
        return np.array(found, np.float64)

    def distances(self, resamples: int, seed: int, progress: Progress) -> Floats:
        """How far each edge's effect in a resample is from its own, shape (resamples, M)."""
        found = np.zeros((resamples, len(self.edges)))
        for b, refitted in enumerate(self.resampled(resamples, seed, progress)):
            found[b] = [
                edge.length(other - mean)
                for edge, other, mean in zip(self.edges, refitted, self.means, strict=True)
            ]
        return found

    def resampled(self, resamples: int, seed: int, progress: Progress) -> Iterator[list[Floats]]:
        """ū of each edge in resamples of the rows, fitted on the same graph."""
        rows, counts = self.network.rows, self._counts
        refit = _refit_of(self.network, self._rows, progress.quiet)
        for b in range(resamples if self.pairs else 0):
            progress.tick(b, resamples)
            rng = np.random.default_rng([seed, b])
            weights = rng.multinomial(rows, counts / rows).astype(np.float64)
            yield self._read(refit(weights), weights)
        progress.finish(resamples)


def edge_strengths(network: FittedNetwork) -> Floats:
    """|ū| of every edge of a network, 0 for other pairs, shape (n, n)."""
    strengths = np.zeros((len(network.names),) * 2)
    edges = FittedEdges(network)
    for (x, y), mean in zip(edges.pairs, edges.means, strict=True):
        strengths[x, y] = strengths[y, x] = length_of(mean)
    return strengths


def edge_effects(
    network: FittedNetwork,
    level: float,
    resamples: int,
    seed: int,
    ordered: Orders,
    progress: Progress,
) -> pd.DataFrame:
    """See `FittedNetwork.effects`, which checks the arguments."""
    edges = FittedEdges(network, ordered)
    reach = symmetric_reach(edges.distances(resamples, seed, progress), level)
    made = {"level": level, "resamples": resamples, "seed": seed}
    return effects_table(edges, edges.effects(), reach, edges.spreads(), made)


def effects_table(
    edges: FittedEdges, effects: Floats, reach: Floats, spreads: Floats, made: dict[str, Any]
) -> pd.DataFrame:
    """A row for each edge, its interval as long as `reach` to either side; `made` says by what."""
    import pandas as pd

    network = edges.network
    kinds = np.array([edge.kind for edge in edges.edges], dtype=object)
    least = np.where(kinds == STRENGTH, 0.0, -np.inf)
    table = pd.DataFrame(
        {
            "x": pd.Series([network.names[x] for x, _ in edges.pairs], dtype=object),
            "y": pd.Series([network.names[y] for _, y in edges.pairs], dtype=object),
            "effect": effects,
            "low": np.maximum(effects - reach, least),
            "high": effects + reach,
            "spread": spreads,
            "kind": pd.Series(kinds, dtype=object),
        }
    )
    # What a paper says of the intervals.
    table.attrs = {
        "fitting": network.fitting,
        "smoothing": network.smoothing,
        "ordered": {network.names[i]: states for i, states in edges.ordered.items()},
    }
    table.attrs.update(made)
    return table


def symmetric_reach(distances: Floats, level: float) -> Floats:
    """Half the length of Hall's symmetric interval, from the distances of the resamples."""
    # The k-th of B distances is exceeded by the next one with probability 1 - k / (B + 1).
    return np.asarray(np.quantile(distances, level, axis=0, method="weibull"))


def effect_rows(effects: object) -> list[dict[str, Any]]:
    """The rows of a table of effects, as plain numbers and text."""
    try:
        table = effects[["x", "y", *NUMBERS, "kind"]].astype(dict.fromkeys(NUMBERS, np.float64))  # type: ignore[index]
        usable = np.isfinite(table[[*NUMBERS]].to_numpy()).all() and table["kind"].isin(KINDS).all()
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        usable = False
    if not usable:
        raise OptionError("effects is not a table of effects; give one of FittedNetwork.effects().")
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]
