"""How strong each edge of a network is, and in which direction (docs/theory/effects.md).

Take the edge x – y out, and let some variables S separate its ends then, common neighbours among
them. Rows that agree on S are a slice, and within slices x and y depend on each other through the
edge only, whatever the rest of the network does. So the effect comes from the counts of the slices
(`odds`), weighted by their information; no fitted factor and no smoothing has part in it.

In a chordal graph S are the common neighbours. Elsewhere there are two smallest such sets that are
found from the graph alone, one next to x and one next to y; the one with the more informative
slices is taken.

The effect of two variables of two states is their log odds ratio. Where states are ordered and one
variable has more than two, it is the one for a step of each. Else every two states of x and of y
have their own, λ_1 … λ_Q, and the effect is their root mean square, a strength without sign. States
that no row has do not exist here.

Intervals of the first two are normal, ± z times the standard error. A strength is never 0 in data,
so its interval holds the strengths ρ that do not make the estimate t improbable: with the
changes δ of the λ in resamples and d the direction of λ, |ρ d + δ| ≤ t for ρ up to

    sqrt(t² - v + m²) - m,    m = mean of d δ,    v = mean of δ²,

and its quantiles over the resamples are the ends.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from bjp_engine.arrays import Bools, Floats, Ints, Places, number_rows
from bjp_engine.dataset import Dataset, Name
from bjp_engine.errors import DataError, OptionError, clip, list_up, listed, single_line
from bjp_engine.graph import Adjacency, pairs, to_adjacency
from bjp_engine.labels import label_of
from bjp_engine.parameters.inference import read_names
from bjp_engine.parameters.odds import Association, Quads, informative_pairs
from bjp_engine.progress import UNWATCHED, Progress

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

# By the places of variables: their states from the first to the last.
StateOrders: TypeAlias = Mapping[int, tuple[str, ...]]


def orders_of(data: Dataset, given: object) -> StateOrders:
    """The states of each ordered variable; by default those of variables declared so."""
    if given is None:
        given = [name for name, one in zip(data.names, data.ordered, strict=True) if one]
    places = read_names(data.names, given, "ordered")
    if not isinstance(given, Mapping):
        return {i: data.labels[i] for i in places}
    used = data.drop_unused_states().labels
    return {
        i: _read_order(data.names[i], used[i], states)
        for i, states in zip(places, given.values(), strict=True)
    }


def _read_order(name: Name, labels: tuple[str, ...], given: object) -> tuple[str, ...]:
    """At least the states that occur, each once."""
    if isinstance(given, (str, Mapping, Set)) or not isinstance(given, Iterable):
        raise OptionError(
            f"ordered holds {clip(given)} for {clip(name)}; give the list of its states in order."
        )
    states = tuple(map(label_of, given))
    if len(set(states)) < len(states) or not set(labels) <= set(states):
        raise DataError(
            f"ordered lists the states {listed(states, 8, labels)} of {clip(name)}; list each of "
            f"its states once: {listed(labels, 8, states)}."
        )
    return states


KINDS = LOG_ODDS_RATIO, PER_STEP, STRENGTH = (
    "log odds ratio",
    "log odds ratio per step",
    "strength",
)
# What may be doubtful of an effect: no row shows it; rows go one way only, so that its size depends
# on `odds.ADDED_ROWS`; states never meet that should; most pairs of states of a strength don't all
# meet; slices with many rows are uninformative.
DOUBTS = UNKNOWN, INFINITE, APART, SPARSE, SILENT = (
    "unknown",
    "infinite",
    "never together",
    "sparse",
    "silent",
)
NUMBERS = ("effect", "low", "high", "spread")
# States beyond these pairs of pairs are left out, the rarest first: about 27 of each variable.
MOST_QUADS = 1 << 17
# So many rows expected make a state that is missing from a slice worth a sentence.
EXPECTED = 5
# A slope as steep as this is decided by empty cells, and expects them.
_STEEP = 3.0
# Rounds of proportional fitting, and what no sum is divided by.
_FITS, _SMALLEST = 30, 1e-300
# Above this share of pairs of states whose log odds ratio is infinite, a strength is too low.
_MOST_MISSING = 0.2
# Slices, or states, that a sentence names.
_MOST_NAMED = 3


@dataclass(frozen=True, eq=False)
class EdgeRows:
    """An edge, with the slice and the cell of every distinct row."""

    kind: str  # one of KINDS
    separator: tuple[int, ...]
    slices: Places  # 0 to K - 1
    cells: Places  # s · r_y + t of the states in use; r_x · r_y where one is left out
    shape: tuple[int, int]
    places: tuple[Floats, Floats]  # of the states in use, in their order

    def tables(self, counts: Floats) -> Floats:
        """The rows of each slice in a table, shape (K, r_x, r_y), if distinct rows have counts."""
        size = self.shape[0] * self.shape[1] + 1
        found = np.bincount(self.slices * size + self.cells, counts, self.slice_count * size)
        return np.asarray(found.reshape(-1, size)[:, :-1].reshape(-1, *self.shape))

    @cached_property
    def quads(self) -> Quads:
        """The pairs of states that are compared."""
        return Quads.of(*self.places, scaled=self.kind != STRENGTH)

    @cached_property
    def slice_count(self) -> int:
        """K."""
        return int(self.slices.max(initial=0)) + 1

    def association(self, tables: Floats, weights: Floats | None = None) -> Association:
        """What its tables say."""
        return Association(tables, self.quads, self.kind != STRENGTH, weights)

    def effect(self, values: Floats) -> float:
        """What the log odds ratios come to."""
        return length_of(values) if self.kind == STRENGTH else float(values[0])


def length_of(values: Floats) -> float:
    """The root mean square of the log odds ratios that are known, NaN if none is."""
    known = values[~np.isnan(values)]
    return float(np.sqrt(np.mean(known**2))) if len(known) else np.nan


def separators(adjacency: Adjacency, x: int, y: int) -> tuple[tuple[int, ...], ...]:
    """The smallest sets next to x and next to y that part them once their edge is gone."""
    found = []
    for near, far in ((x, y), (y, x)):
        wall = adjacency[near].copy()
        wall[far] = False
        reached = np.zeros_like(wall)
        new = reached.copy()
        new[far] = True
        while new.any():
            reached |= new
            touched = adjacency[new].any(axis=0)
            new = touched & ~reached & ~wall
            new[near] = False
        found.append(tuple(np.flatnonzero(wall & adjacency[reached].any(axis=0)).tolist()))
    return tuple(dict.fromkeys(found))


class EdgeReader:
    """Makes the edges of graphs on the same distinct rows."""

    def __init__(
        self, data: Dataset, counts: Floats, ordered: StateOrders = MappingProxyType({})
    ) -> None:
        """`ordered` has the order of states of some variables."""
        self._data, self._counts = data, counts
        self._used = [
            np.flatnonzero(np.bincount(codes, counts, r))
            for codes, r in zip(data.codes.T, data.cardinalities, strict=True)
        ]
        self._ordered = set(ordered)
        self._places = []
        for i, (labels, used) in enumerate(zip(data.labels, self._used, strict=True)):
            order = {label: k for k, label in enumerate(ordered.get(i, labels))}
            places = np.array([order[labels[state]] for state in used], dtype=np.intp)
            self._places.append(np.argsort(np.argsort(places)).astype(np.float64))

    def edges(self, adjacency: Adjacency, progress: Progress = UNWATCHED) -> list[EdgeRows]:
        """All edges of a graph."""
        made = []
        for x, y in pairs(adjacency):
            progress.tick()
            made.append(self._edge(x, y, adjacency))
        return made

    def _edge(self, x: int, y: int, adjacency: Adjacency) -> EdgeRows:
        used = self._kept(x, y)
        shape = len(used[0]), len(used[1])
        s, t = (
            np.searchsorted(states, self._data.codes[:, i])
            for i, states in zip((x, y), used, strict=True)
        )
        left_out = np.zeros(len(s), dtype=np.bool_)
        for i, states in zip((x, y), used, strict=True):
            if len(states) < len(self._used[i]):
                left_out |= ~np.isin(self._data.codes[:, i], states)
        cells = np.where(left_out, shape[0] * shape[1], s * shape[1] + t)
        kind = self._kind(x, y)
        of_x, of_y = (
            self._places[i][np.searchsorted(self._used[i], states)]
            for i, states in zip((x, y), used, strict=True)
        )
        best: tuple[float, EdgeRows] | None = None
        for separator in separators(adjacency, x, y):
            slices = number_rows(
                self._data.codes[:, separator], [self._data.cardinalities[z] for z in separator]
            )
            edge = EdgeRows(kind, separator, slices, cells, shape, (of_x, of_y))
            tables = edge.tables(self._counts)
            rows = np.maximum(tables.sum(axis=(1, 2)), 1)
            information = float((informative_pairs(tables) / rows).sum())
            if best is None or information > best[0]:
                best = information, edge
        assert best is not None
        return best[1]

    def _kept(self, x: int, y: int) -> list[Ints]:
        """The states in use, without the rarest of a variable that has very many."""
        kept = [self._used[x], self._used[y]]
        while np.prod([len(states) * (len(states) - 1) / 2 for states in kept]) > MOST_QUADS:
            k = int(len(kept[1]) > len(kept[0]))
            i, most = (x, y)[k], max(2, len(kept[k]) * 7 // 8)
            counts = np.bincount(self._data.codes[:, i], self._counts)[kept[k]]
            kept[k] = np.sort(kept[k][np.argsort(-counts, kind="stable")[:most]])
        return kept

    def _kind(self, x: int, y: int) -> str:
        states = [max(2, len(self._used[i])) for i in (x, y)]
        if states == [2, 2]:
            return LOG_ODDS_RATIO
        known = all(r == 2 or i in self._ordered for i, r in zip((x, y), states, strict=True))
        return PER_STEP if known else STRENGTH


class GraphEdges:
    """The edges of a graph in some rows."""

    def __init__(
        self,
        data: Dataset,
        graph: nx.Graph[Any],
        ordered: StateOrders = MappingProxyType({}),
        progress: Progress = UNWATCHED,
    ) -> None:
        """`ordered` has the order of states of some variables."""
        if not data.rows:
            raise DataError("The data have no row, so no edge has an effect; give some.")
        self.data, self.ordered = data, ordered
        numbers = number_rows(data.codes, data.cardinalities)
        _, first, counts = np.unique(numbers, return_index=True, return_counts=True)
        self._rows, self._counts = data.take(first), counts.astype(np.float64)
        adjacency = to_adjacency(graph, self._rows)
        self.pairs = pairs(adjacency)
        self.edges = EdgeReader(self._rows, self._counts, ordered).edges(adjacency, progress)
        self.associations = [edge.association(edge.tables(self._counts)) for edge in self.edges]

    def effects(self) -> Floats:
        """The effect of each edge, shape (M,)."""
        both = zip(self.edges, self.associations, strict=True)
        return np.array([edge.effect(found.log_odds) for edge, found in both], np.float64)

    def resample(self, resamples: int, seed: int, progress: Progress) -> Iterator[list[Floats]]:
        """By how much the values of every edge change in resamples of the rows."""
        rows, counts = self.data.rows, self._counts
        for b in range(resamples if self.pairs else 0):
            progress.tick(b, resamples)
            rng = np.random.default_rng([seed, b])
            noise = rng.multinomial(rows, counts / rows) - counts
            yield [
                self._moved(edge, found, noise, rng) if found.is_informative else found.log_odds
                for edge, found in zip(self.edges, self.associations, strict=True)
            ]
        progress.finish(resamples)

    def _moved(
        self, edge: EdgeRows, found: Association, noise: Floats, rng: np.random.Generator
    ) -> Floats:
        """Of one edge; rows that were added vary, too."""
        tables = edge.tables(noise).reshape(found.added.shape)
        added = (
            rng.standard_normal(tables.shape) * np.sqrt(found.added) if not found.is_finite else 0
        )
        return found.change(tables + added)

    def intervals(
        self, level: float, resamples: int, seed: int, progress: Progress
    ) -> tuple[Floats, Floats]:
        """Both ends for every edge."""
        from scipy.special import ndtri

        effects = self.effects()
        strengths = [k for k, edge in enumerate(self.edges) if edge.kind == STRENGTH]
        ends = np.full((2, len(effects)), np.nan)
        for k, found in enumerate(self.associations):
            if found.is_informative and k not in strengths:
                reach = ndtri((1 + level) / 2) * np.sqrt(found.variances[0])
                ends[:, k] = effects[k] - reach, effects[k] + reach
        drawn = np.zeros((resamples, len(effects)))
        for b, moved in enumerate(self.resample(resamples if strengths else 0, seed, progress)):
            for k in strengths:
                drawn[b, k] = _reach(effects[k], self.associations[k].log_odds, moved[k])
        tail = (1 - level) / 2
        for k in strengths:
            ends[:, k] = np.quantile(drawn[:, k], [tail, 1 - tail], method="weibull")
        low, high = np.minimum(ends[0], effects), np.maximum(ends[1], effects)
        return low, high

    def variances(self, resamples: int, seed: int, progress: Progress) -> Floats:
        """The variance of each effect; of a strength the mean square of the changes of its λ."""
        found = np.zeros(len(self.edges))
        strengths = [k for k, edge in enumerate(self.edges) if edge.kind == STRENGTH]
        for moved in self.resample(resamples if strengths else 0, seed, progress):
            found[strengths] += [length_of(moved[k]) ** 2 / resamples for k in strengths]
        for k, one in enumerate(self.associations):
            if k not in strengths:
                found[k] = one.variances[0] if one.is_informative else np.nan
        return found

    def informative_slices(self) -> list[str]:
        """The slices that say something of each edge, "" if all do or none does."""
        shown = [informative_pairs(edge.tables(self._counts)) > 0 for edge in self.edges]
        return [
            name_slices(self._rows, edge, some) if some.any() and not some.all() else ""
            for edge, some in zip(self.edges, shown, strict=True)
        ]

    def doubts(self) -> list[str]:
        """One of DOUBTS for each edge, or ""."""
        return [
            doubt_of(edge, edge.tables(self._counts), found)
            for edge, found in zip(self.edges, self.associations, strict=True)
        ]


def _reach(t: float, values: Floats, moved: Floats) -> float:
    """The largest strength that this resample takes to t at most."""
    if np.isnan(t):
        return np.nan
    m = float(np.nanmean(values * moved)) / t if t else 0.0
    v = float(np.nanmean(moved**2))
    return max(0.0, float(np.sqrt(max(0.0, t**2 - v + m**2))) - m) if t**2 + m**2 >= v else 0.0


def doubt_of(edge: EdgeRows, tables: Floats, found: Association) -> str:
    """One of DOUBTS, or ""."""
    if not found.is_informative:
        return UNKNOWN
    if not found.is_finite:
        return INFINITE
    slope = 0.0
    if edge.kind == PER_STEP and abs(found.log_odds[0]) < _STEEP:
        slope = float(found.log_odds[0])
    ratios = np.exp(slope * np.multiply.outer(*edge.places))
    expected = fit_to_margins(tables, ratios, _FITS if slope else 1)
    if ((tables == 0) & (expected >= EXPECTED)).any():
        return APART
    totals = tables.sum(axis=(1, 2))
    margins = tables.sum(axis=2), tables.sum(axis=1)
    if edge.kind == STRENGTH and found.missing_share > _MOST_MISSING:
        return SPARSE
    silent = informative_pairs(tables) == 0
    for margin in margins:
        usual = np.outer(totals, margin.sum(axis=0) / totals.sum())
        # A state that most slices have, and a silent one lacks.
        if ((usual >= EXPECTED) & (margin == 0))[silent & (totals > 0)].any():
            return SILENT
    return ""


def fit_to_margins(tables: Floats, ratios: Floats, rounds: int) -> Floats:
    """Tables with the margins of others and given odds ratios, by proportional fitting."""
    fitted = np.broadcast_to(ratios, tables.shape)
    for _ in range(rounds):
        for axis in (2, 1):
            now = fitted.sum(axis=axis, keepdims=True)
            fitted = fitted * tables.sum(axis=axis, keepdims=True) / np.maximum(now, _SMALLEST)
    return fitted


def name_slices(data: Dataset, edge: EdgeRows, which: Bools) -> str:
    """Some slices by the states of a variable if these tell them from the others."""
    first = np.unique(edge.slices, return_index=True)[1]
    for z in edge.separator:
        states = data.codes[first, z]
        inside = np.unique(states[which])
        if len(inside) <= _MOST_NAMED and not np.isin(states[~which], inside).any():
            labels = " or ".join(single_line(data.labels[z][state]) for state in inside)
            return f"{single_line(data.names[z])} = {labels}"
    names = ", ".join(single_line(data.names[z]) for z in edge.separator[:_MOST_NAMED])
    more = ", …" if len(edge.separator) > _MOST_NAMED else ""
    return f"{which.sum():,} of {len(which):,} combinations of {names}{more}"


def edge_strengths(data: Dataset, graph: nx.Graph[Any]) -> Floats:
    """The size of every edge's effect, 0 for other pairs and where no row shows it, (n, n)."""
    strengths = np.zeros((data.n,) * 2)
    edges = GraphEdges(data, graph)
    for (x, y), effect in zip(edges.pairs, edges.effects(), strict=True):
        strengths[x, y] = strengths[y, x] = abs(np.nan_to_num(effect))
    return strengths


def edge_effects(
    data: Dataset,
    graph: nx.Graph[Any],
    level: float = 0.95,
    *,
    ordered: object = None,
    resamples: int = 200,
    seed: int = 0,
    progress: Progress = UNWATCHED,
) -> pd.DataFrame:
    """See `FittedNetwork.effects`, which checks the numbers."""
    edges = GraphEdges(data, graph, orders_of(data, ordered), progress)
    ends = edges.intervals(level, resamples, seed, progress)
    spreads = np.array([found.spread for found in edges.associations], np.float64)
    made = {"level": level, "resamples": resamples, "seed": seed}
    return effects_table(edges, edges.effects(), ends, spreads, made)


def effects_table(
    edges: GraphEdges,
    effects: Floats,
    ends: tuple[Floats, Floats],
    spreads: Floats,
    made: dict[str, Any],
) -> pd.DataFrame:
    """A row for each edge, with both ends of its interval; `made` is what made them."""
    import pandas as pd

    names = edges.data.names
    doubts = np.where(np.isnan(effects), UNKNOWN, np.array(edges.doubts(), dtype=object))
    texts: dict[str, Iterable[object]] = {
        "kind": [edge.kind for edge in edges.edges],
        "among": edges.informative_slices(),
        "doubt": doubts,
    }
    table = pd.DataFrame(
        {
            "x": pd.Series([names[x] for x, _ in edges.pairs], dtype=object),
            "y": pd.Series([names[y] for _, y in edges.pairs], dtype=object),
            "effect": effects,
            "low": ends[0],
            "high": ends[1],
            "spread": np.where(np.isnan(effects), np.nan, spreads),
            **{name: pd.Series([*values], dtype=object) for name, values in texts.items()},
        }
    )
    # For the sentences of a paper.
    table.attrs = {"ordered": {names[i]: order for i, order in edges.ordered.items()}}
    table.attrs.update(made)
    return table


def describe_doubts(rows: Iterable[dict[str, Any]]) -> Iterator[str]:
    """What is doubtful of the effects in the rows of a table: a sentence for each kind."""
    named: dict[str, list[str]] = {doubt: [] for doubt in DOUBTS}
    for row in rows:
        if row["doubt"]:
            among = f" ({row['among']})" * (row["doubt"] == SILENT)
            named[row["doubt"]].append(f"{_pair(row['x'], row['y'])}{among}")
    edges = {
        doubt: list_up(parts, _MOST_NAMED, "other edge") for doubt, parts in named.items() if parts
    }
    if UNKNOWN in edges:
        s, it_has = ("", "it has") if len(named[UNKNOWN]) == 1 else ("s", "they have")
        yield (
            f"The data cannot show the effect{s} of {edges[UNKNOWN]}, so {it_has} no number: "
            "wherever the variables in between are fixed, one of the two has a single state."
        )
    if INFINITE in edges:
        s, has, its = ("", "has", "its") if len(named[INFINITE]) == 1 else ("s", "have", "their")
        yield (
            f"The effect{s} of {edges[INFINITE]} {has} no finite estimate, because rows that would "
            f"limit {its} size do not occur; it depends on two rows that were added."
        )
    if APART in edges:
        yield (
            f"Some states of {edges[APART]} never occur in the same row, at least where other "
            f"variables are fixed, although {EXPECTED} such rows or more would be expected. Their "
            "effect has no finite estimate, and one number does not describe the edge."
        )
    if SPARSE in edges:
        yield (
            f"The strength of {edges[SPARSE]} is too low, and its interval cannot be relied on: "
            "many states have too few rows. Merge rare states."
        )
    if SILENT in edges:
        yield (
            f"Only part of the data shows the effect of {edges[SILENT]}. In the other rows one of "
            "the two variables has a single state."
        )


def _pair(x: Name, y: Name) -> str:
    return f"{single_line(x)} – {single_line(y)}"


def effect_rows(effects: object) -> list[dict[str, Any]]:
    """The rows of a table of effects, as plain numbers and text."""
    columns = ["x", "y", *NUMBERS, "kind", "among", "doubt"]
    try:
        table = effects[columns].astype(dict.fromkeys(NUMBERS, np.float64))  # type: ignore[index]
        known = table[table["doubt"] != UNKNOWN]
        usable = np.isfinite(known[[*NUMBERS]].to_numpy()).all()
        usable &= table["kind"].isin(KINDS).all() and table["doubt"].isin(("", *DOUBTS)).all()
    except (AttributeError, IndexError, KeyError, TypeError, ValueError):
        usable = False
    if not usable:
        raise OptionError("effects is not a table of effects; give one of FittedNetwork.effects().")
    return [{str(name): value for name, value in row.items()} for row in table.to_dict("records")]
