"""How strong each edge of a network is, and in which direction (docs/theory/effects.md).

Take the edge x – y out, and let some variables S separate its ends then, common neighbours among
them. Rows that agree on S are a slice, and within slices x and y depend on each other through the
edge only, whatever the rest of the network does. So the effect comes from the counts of the slices
(`odds`); no fitted factor and no smoothing has part in it. In a chordal graph S are the common
neighbours. Elsewhere there are two smallest such sets that are found from the graph alone, one next
to x and one next to y; the one with the more informative slices is taken.

Intervals of single log odds ratios are normal. A strength, the root mean square of log odds ratios
λ_1 … λ_Q, is never 0 in data, so its interval holds the strengths ρ that do not make the estimate t
improbable: with the changes δ of the λ in resamples and d the direction of λ, |ρ d + δ| ≤ t for ρ
up to

    sqrt(t² - v + m²) - m,    m = mean of d δ,    v = mean of δ²,

and its quantiles over the resamples are the ends.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from bjp_engine.arrays import Bools, Floats, Ints, Places, number_rows
from bjp_engine.dataset import Dataset
from bjp_engine.errors import DataError, OptionError, list_up, single_line
from bjp_engine.graph import Adjacency, pairs, to_adjacency
from bjp_engine.parameters.inference import read_names
from bjp_engine.parameters.odds import Association, Quads, informative_pairs
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.validate import Seed, probability, whole_number, whole_seed

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd


def ordered_places(data: Dataset, given: object) -> set[int]:
    """The ordered variables; by default those that the data declare so."""
    if isinstance(given, Mapping):
        raise OptionError(
            "ordered names variables; the order of their states is declared with the data, by "
            "pandas Categorical columns."
        )
    if given is None:
        return {i for i, is_ordered in enumerate(data.ordered) if is_ordered}
    return set(read_names(data.names, given, "ordered"))


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
    places: tuple[Floats, Floats]  # of the states in use, in their order

    def tables(self, counts: Floats) -> Floats:
        """The rows of each slice in a table, shape (K, r_x, r_y), if distinct rows have counts."""
        shape = len(self.places[0]), len(self.places[1])
        size = shape[0] * shape[1] + 1
        found = np.bincount(self.slices * size + self.cells, counts, self._slice_count * size)
        return np.asarray(found.reshape(-1, size)[:, :-1].reshape(-1, *shape))

    @cached_property
    def _slice_count(self) -> int:
        return int(self.slices.max(initial=0)) + 1

    @cached_property
    def quads(self) -> Quads:
        """The pairs of states that are compared."""
        return Quads.of(*self.places, scaled=self.kind != STRENGTH)

    def information(self, counts: Floats) -> float:
        """How many pairs of rows differ in both variables, by the rows of their slice."""
        tables = self.tables(counts)
        return float((informative_pairs(tables) / np.maximum(tables.sum(axis=(1, 2)), 1)).sum())


def separators(adjacency: Adjacency, x: int, y: int) -> tuple[tuple[int, ...], ...]:
    """The smallest sets next to x and next to y that part them once their edge is gone."""
    found = []
    for near, far in ((x, y), (y, x)):
        wall = adjacency[near].copy()
        wall[far] = False
        reached, new = np.zeros_like(wall), np.arange(len(wall)) == far
        while new.any():
            reached |= new
            new = adjacency[new].any(axis=0) & ~reached & ~wall
            new[near] = False
        found.append(tuple(np.flatnonzero(wall & adjacency[reached].any(axis=0)).tolist()))
    return tuple(dict.fromkeys(found))


def read_edges(
    data: Dataset,
    counts: Floats,
    ordered: Set[int],
    adjacency: Adjacency,
    progress: Progress = UNWATCHED,
) -> list[EdgeRows]:
    """All edges of a graph; distinct rows have counts, and some variables ordered states."""
    used = [np.flatnonzero(np.bincount(column, counts)) for column in data.codes.T]
    made = []
    for x, y in pairs(adjacency):
        progress.tick()
        numbers = {i: max(2, len(used[i])) for i in (x, y)}
        kind = PER_STEP if all(r == 2 or i in ordered for i, r in numbers.items()) else STRENGTH
        kind = LOG_ODDS_RATIO if set(numbers.values()) == {2} else kind
        kept = _frequent(data, counts, {i: used[i] for i in (x, y)})
        cells, left_out = np.zeros((2, data.rows), dtype=np.intp)
        for i, states in kept.items():
            place = np.full(data.cardinalities[i], -1)
            place[states] = np.arange(len(states))
            codes = place[data.codes[:, i]]
            cells, left_out = cells * len(states) + codes, left_out | (codes < 0)
        cells[left_out > 0] = len(kept[x]) * len(kept[y])
        found = [np.searchsorted(used[i], kept[i]).astype(np.float64) for i in (x, y)]
        places = found[0], found[1]
        ways = []
        for separator in separators(adjacency, x, y):
            sizes = [data.cardinalities[z] for z in separator]
            slices = number_rows(data.codes[:, separator], sizes)
            ways.append(EdgeRows(kind, separator, slices, cells, places))
        made.append(max(ways, key=lambda edge: edge.information(counts)))
    return made


def _frequent(data: Dataset, counts: Floats, used: dict[int, Ints]) -> dict[int, Ints]:
    """The states of two variables, without the rarest of one that has very many."""
    while math.prod(len(states) * (len(states) - 1) / 2 for states in used.values()) > MOST_QUADS:
        i = max(used, key=lambda i: len(used[i]))
        most = max(2, len(used[i]) * 7 // 8)
        of_states = np.bincount(data.codes[:, i], counts)[used[i]]
        used[i] = np.sort(used[i][np.argsort(-of_states, kind="stable")[:most]])
    return used


class GraphEdges:
    """The edges of a graph in some rows."""

    def __init__(
        self,
        data: Dataset,
        graph: nx.Graph[Any],
        ordered: Set[int] = frozenset(),
        progress: Progress = UNWATCHED,
    ) -> None:
        if not data.rows:
            raise DataError("The data have no row, so no edge has an effect; give some.")
        self.data = data
        numbers = number_rows(data.codes, data.cardinalities)
        _, first, counts = np.unique(numbers, return_index=True, return_counts=True)
        self._rows, self._counts = data.take(first), counts.astype(np.float64)
        adjacency = to_adjacency(graph, self._rows)
        self.pairs = pairs(adjacency)
        self.edges = read_edges(self._rows, self._counts, ordered, adjacency, progress)
        every = ((edge.tables(self._counts), edge.quads) for edge in self.edges)
        self.associations = [Association(*of_edge) for of_edge in every]
        self.effects = np.array([found.effect for found in self.associations], np.float64)
        self._strengths = [k for k, edge in enumerate(self.edges) if edge.kind == STRENGTH]

    def resample(self, resamples: int, seed: int, progress: Progress) -> Iterator[list[Floats]]:
        """By how much the values of every edge change in resamples; only strengths need any."""
        rows, counts = self.data.rows, self._counts
        for b in range(resamples if self._strengths else 0):
            progress.tick(b, resamples)
            rng = np.random.default_rng([seed, b])
            noise = rng.multinomial(rows, counts / rows) - counts
            moved = []
            for edge, found in zip(self.edges, self.associations, strict=True):
                change = edge.tables(noise).reshape(found.added.shape)
                if found.is_informative and not found.is_finite:
                    # Rows that were added vary, too.
                    change = change + rng.standard_normal(change.shape) * np.sqrt(found.added)
                moved.append(found.change(change) if found.is_informative else found.log_odds)
            yield moved
        progress.finish(resamples)

    def _known_variances(self) -> Floats:
        """The variance of each effect that is a single number."""
        known = [found.quads.scaled and found.is_informative for found in self.associations]
        both = zip(self.associations, known, strict=True)
        return np.array([found.variances[0] if one else np.nan for found, one in both], np.float64)

    def intervals(
        self, level: float, resamples: int, seed: int, progress: Progress
    ) -> tuple[Floats, Floats]:
        """Both ends for every edge."""
        from scipy.special import ndtri

        effects = self.effects
        reach = ndtri((1 + level) / 2) * np.sqrt(self._known_variances())
        ends = np.array([effects - reach, effects + reach])
        drawn = [
            [_reach(effects[k], self.associations[k].log_odds, moved[k]) for k in self._strengths]
            for moved in self.resample(resamples, seed, progress)
        ]
        if drawn:
            tails = (1 - level) / 2, (1 + level) / 2
            ends[:, self._strengths] = np.quantile(drawn, tails, axis=0, method="weibull")
        return np.minimum(ends[0], effects), np.maximum(ends[1], effects)

    def variances(self, resamples: int, seed: int, progress: Progress) -> Floats:
        """The variance of each effect; of a strength the mean square of the changes of its λ."""
        found = self._known_variances()
        found[self._strengths] = 0
        for moved in self.resample(resamples, seed, progress):
            for k in self._strengths:
                found[k] += self.edges[k].quads.effect(moved[k]) ** 2 / resamples
        return found

    def table(
        self, effects: Floats, ends: tuple[Floats, Floats], spreads: Floats, **made: Any
    ) -> pd.DataFrame:
        """A row for each edge, with both ends of its interval; `made` is what made them."""
        import pandas as pd

        names, unknown = self.data.names, np.isnan(effects)
        among, doubts = [], []
        for edge, found in zip(self.edges, self.associations, strict=True):
            some = informative_pairs(found.tables) > 0
            partly = some.any() and not some.all()
            among.append(name_slices(self._rows, edge, some) if partly else "")
            doubts.append(doubt_of(edge, found))
        columns: dict[str, Iterable[Any]] = {
            "x": [names[x] for x, _ in self.pairs],
            "y": [names[y] for _, y in self.pairs],
            "effect": effects,
            "low": ends[0],
            "high": ends[1],
            "spread": np.where(unknown, np.nan, spreads),
            "kind": [edge.kind for edge in self.edges],
            "among": among,
            "doubt": np.where(unknown, UNKNOWN, np.array(doubts, dtype=object)),
        }
        table = pd.DataFrame(columns, dtype=object).astype(dict.fromkeys(NUMBERS, np.float64))
        table.attrs.update(made)
        return table


def _reach(t: float, values: Floats, moved: Floats) -> float:
    """The largest strength that this resample takes to t at most."""
    if np.isnan(t):
        return np.nan
    m = float(np.nanmean(values * moved)) / t if t else 0.0
    v = float(np.nanmean(moved**2))
    return max(0.0, float(np.sqrt(max(0.0, t**2 - v + m**2))) - m) if t**2 + m**2 >= v else 0.0


def doubt_of(edge: EdgeRows, found: Association) -> str:
    """One of DOUBTS, or ""."""
    if not found.is_informative:
        return UNKNOWN
    if not found.is_finite:
        return INFINITE
    tables, slope = found.tables, 0.0
    if edge.kind == PER_STEP and abs(found.effect) < _STEEP:
        slope = found.effect
    ratios = np.exp(slope * np.multiply.outer(*edge.places))
    expected = _fit_to_margins(tables, ratios, _FITS if slope else 1)
    if ((tables == 0) & (expected >= EXPECTED)).any():
        return APART
    if edge.kind == STRENGTH and found.missing_share > _MOST_MISSING:
        return SPARSE
    totals = tables.sum(axis=(1, 2))
    silent = (informative_pairs(tables) == 0) & (totals > 0)
    for margin in (tables.sum(axis=2), tables.sum(axis=1)):
        usual = np.outer(totals, margin.sum(axis=0) / totals.sum())
        # A state that most slices have, and a silent one lacks.
        if ((usual >= EXPECTED) & (margin == 0))[silent].any():
            return SILENT
    return ""


def _fit_to_margins(tables: Floats, ratios: Floats, rounds: int) -> Floats:
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
    for (x, y), effect in zip(edges.pairs, edges.effects, strict=True):
        strengths[x, y] = strengths[y, x] = abs(np.nan_to_num(effect))
    return strengths


def check_resampling(level: object, resamples: object, seed: Seed, progress: object) -> int:
    """Refuse what makes no interval by resamples; the seed as a number."""
    check_progress(progress)
    probability(level, "level", inner=True)
    whole_number(resamples, "resamples", 1)
    return whole_seed(seed)


def edge_effects(
    data: Dataset,
    graph: nx.Graph[Any],
    level: float = 0.95,
    ordered: object = None,
    resamples: int = 200,
    seed: Seed = 0,
    progress: Progress = UNWATCHED,
) -> pd.DataFrame:
    """See `FittedNetwork.effects`."""
    seed = check_resampling(level, resamples, seed, progress)
    edges = GraphEdges(data, graph, ordered_places(data, ordered), progress)
    ends = edges.intervals(level, resamples, seed, progress)
    spreads = np.array([found.spread for found in edges.associations], np.float64)
    made = {"level": float(level), "resamples": resamples, "seed": seed}
    return edges.table(edges.effects, ends, spreads, **made)


# What is doubtful of some edges.
_SENTENCES = {
    UNKNOWN: "The data cannot show the effect{s} of {edges}, so {it} {has} no number: wherever the "
    "variables in between are fixed, one of the two has a single state.",
    INFINITE: "The effect{s} of {edges} {has} no finite estimate, because rows that would limit "
    "{its} size do not occur; it depends on two rows that were added.",
    APART: "Some states of {edges} never occur in the same row, at least where other variables are "
    f"fixed, although {EXPECTED} such rows or more would be expected. Their effect has no finite "
    "estimate, and one number does not describe the edge.",
    SPARSE: "The strength of {edges} is too low, and its interval cannot be relied on: many states "
    "have too few rows. Merge rare states.",
    SILENT: "Only part of the data shows the effect of {edges}. In the other rows one of the two "
    "variables has a single state.",
}


def describe_doubts(rows: Iterable[Mapping[Any, Any]]) -> Iterator[str]:
    """What is doubtful of the effects in the rows of a table: a sentence for each kind."""
    named: dict[str, list[str]] = {doubt: [] for doubt in _SENTENCES}
    for row in rows:
        if row["doubt"]:
            among = f" ({row['among']})" * (row["doubt"] == SILENT)
            pair = f"{single_line(row['x'])} – {single_line(row['y'])}"
            named[row["doubt"]].append(f"{pair}{among}")
    for doubt, parts in named.items():
        if parts:
            edges = list_up(parts, _MOST_NAMED, "other edge")
            words = ("", "it", "has", "its") if len(parts) == 1 else ("s", "they", "have", "their")
            forms = dict(zip(("s", "it", "has", "its"), words, strict=True))
            yield _SENTENCES[doubt].format(edges=edges, **forms)


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
