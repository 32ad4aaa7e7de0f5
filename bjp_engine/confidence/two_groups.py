"""Do two groups have the same network? A permutation test (docs/theory.md §11).

If all rows of both groups come from one distribution, then which of them are called group a is
chance. So B times the labels of the rows are permuted, and everything is computed again as it was
for the groups: both graphs are learned, both groups are counted on the union of these two graphs,
and a pair that is no edge of the union has the difference 0. A statistic T is thus the same
function of the rows and their labels in each of the B + 1 cases, and under that hypothesis

    p = (1 + #{permutations with T at least as large}) / (B + 1)

is at most α with probability α at most, also of a pair that is looked at only because one of
the learned graphs has it.

References
----------
van Borkulo and others (2022), Comparing network structures on three aspects: a permutation test.
Phipson & Smyth (2010), Permutation p-values should never be zero.
Westfall & Young (1993), Resampling-based multiple testing.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain, tee
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from bjp_engine.arrays import Floats, Ints, number_rows
from bjp_engine.dataset import DataLike, Dataset, Name, as_dataset
from bjp_engine.errors import DataError, clip, listed
from bjp_engine.graph import Adjacency, pairs, to_adjacency, to_graph
from bjp_engine.labels import natural_key
from bjp_engine.parameters.effects import (
    DOUBTS,
    PER_STEP,
    Edge,
    EdgeReader,
    describe_doubts,
    doubt_of,
    length_of,
    name_slices,
)
from bjp_engine.parameters.network import recode
from bjp_engine.parameters.odds import Association, informative_pairs
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import FrozenMapping, record
from bjp_engine.scores import Score, find_score
from bjp_engine.scores.known import freeze_known
from bjp_engine.search.many import learn_each
from bjp_engine.validate import whole_number

if TYPE_CHECKING:
    import pandas as pd

Labelling = tuple[Ints, Ints]

# No variance is below it: the slope of a variable that doesn't vary is 0.
_LEAST = 1e-12
# Cells of the rows that kept graphs may refer to: graphs that recur are prepared only once.
_KEPT_CELLS, _MOST_KEPT = 1 << 23, 64
# A state of this share of a group's rows is hardly absent from the other group by chance.
_CLEAR_SHARE = 0.1


@record
@dataclass(frozen=True, eq=False, slots=True)
class GroupComparison:
    """Whether two groups have the same network, as `compare_groups` found.

    Parameters
    ----------
    distance : int
        The number of pairs that are an edge of one learned graph only (Hamming distance).
    p : float
        The p-value of that distance.
    strength_a, strength_b : float
        The global strength of each group: the sum of the absolute effects, in that group, of
        all pairs that are an edge of either learned graph.
    p_strength : float
        The p-value of the absolute difference of both.
    graph_a, graph_b : networkx.Graph
        Learned from each group; frozen, with every variable as a node.
    rows_a, rows_b : int
        The size of each group.
    permutations, seed : int
    method, search : str
        The score and the search that learned every graph.
    options : mapping of str to object
        The options of both that were given.
    seconds : float
        Wall-clock time.
    """

    distance: int
    p: float
    strength_a: float
    strength_b: float
    p_strength: float
    graph_a: nx.Graph[Name]
    graph_b: nx.Graph[Name]
    rows_a: int
    rows_b: int
    permutations: int
    seed: int
    method: str
    search: str
    options: FrozenMapping[str, Any]
    seconds: float
    _edges: pd.DataFrame = field(repr=False)

    @property
    def p_edges(self) -> float:
        """The p-value of the largest difference of any pair: the smallest `p_adjusted`, or 1."""
        return float(self._edges["p_adjusted"].min()) if len(self._edges) else 1.0

    @property
    def edges(self) -> pd.DataFrame:
        """The pairs that are an edge of either learned graph, the clearest difference first.

        Returns
        -------
        pandas.DataFrame
            With these columns:

            - x, y: the variables, in column order.
            - in_a, in_b: whether the pair is an edge of each group's graph.
            - effect_a, effect_b: its effect in each group, natural log, see
              `FittedNetwork.effects`, on the union of the two graphs and in the slices in which
              both groups show it; NaN if there are none.
            - difference: the log odds ratio of group b less that of group a, or that per step;
              of strengths the root mean square of the differences of all log odds ratios.
            - p: the p-value of its absolute value, for this pair alone.
            - p_adjusted: for all pairs of variables, by the distribution of the largest difference
              (Westfall & Young 1993), each divided by the standard error that independence and
              the margins of all rows lead one to expect.
            - kind: "log odds ratio"; "log odds ratio per step", where both variables are ordered
              in both groups or have two states; or "strength".
            - doubt: the first that either group gives rise to, see `FittedNetwork.effects`; or "".
        """
        return self._edges.copy()


def compare_groups(
    a: DataLike,
    b: DataLike,
    method: str | Score = "bjp",
    search: str | None = None,
    *,
    permutations: int = 1000,
    seed: int = 0,
    progress: Progress = UNWATCHED,
    **options: Any,
) -> GroupComparison:
    """Test whether two groups of rows have the same network, by permutation.

    Parameters
    ----------
    a, b : Dataset, DataFrame or array
        The rows of each group, at least one; both with the same variables, which may stand in
        another order. A state of one group is a state of the other, too, so states must be written
        in the same way. `Dataset.split` makes groups by the states of a column.
    method, search
        See `learn`.
    permutations : int
        How often the labels of the rows are permuted, 1 or more. No p-value is below
        1 / (permutations + 1).
    seed : int
        0 or more.
    progress : Progress
        Gets the number of permutations made; once it is cancelled, the work stops.
    **options
        The score's, the search's and the prior's, see `learn`; and `n_jobs`, how many threads
        learn, by default one for each core, see `learn_all`.

    Returns
    -------
    GroupComparison
        The same for any `n_jobs` and order of rows. Exchanging a and b changes signs only. Another
        order of columns changes the order of the results only, unless the search depends on it.

    Raises
    ------
    DataError
        If the variables differ, a group has no rows, cells are missing, or a variable varies in
        both groups and has no state in common.
    OptionError
        If an argument isn't known or out of range.
    Cancelled
        If it was cancelled.

    Warns
    -----
    UserWarning
        If an effect is doubtful. If a variable of more than two states loses its order, as it is
        ordered in one group only or differently in each. If each group holds a state in 10 % of its
        rows or more that no row of the other holds, though they have other states in common.

    Examples
    --------
    >>> from bjp_engine import compare_groups
    >>> alike, opposed = [[0, 0], [1, 1]] * 40, [[0, 1], [1, 0]] * 40
    >>> noise = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
    >>> found = compare_groups(alike + noise, opposed + noise, permutations=99)
    >>> found.distance, found.p
    (0, 1.0)
    >>> found.edges[["x", "y", "in_a", "in_b", "p_adjusted"]].values.tolist()
    [[0, 1, True, True, 0.01]]
    >>> found.edges["difference"].round(1).tolist()
    [-6.4]

    Notes
    -----
    Each p-value asks the same: would groups that differ by chance only show so large a value? A
    small one says that the groups' distributions differ, and which statistic shows it. It is no
    proof that just this edge differs: another edge, or the margins alone, may have moved it. If
    margins differ clearly, so that states are rarer in one group, a small p-value is no evidence
    of different edges, the less the smaller that group is (docs/theory.md §11 has an example).
    Groups of unequal size need no care, for the permuted groups have the same sizes.

    The distance often shows little: permuted groups are mixtures of both, in which more pairs
    depend on each other than in either, so that their graphs differ, too. `p_edges` uses the sizes
    of the differences, and finds more.

    Cells must not be missing. Drop their rows or make them a state, in the same way in both groups
    (`Dataset.from_frame(frame, missing=...)`); as a state, they count as a difference if
    one group has more of them.

    Permutation k draws the smaller group from the distinct rows of both, in lexicographic
    order of columns by name, with `numpy.random.default_rng([seed, k])`.

    References
    ----------
    docs/theory.md §11; van Borkulo and others (2022), Comparing network structures on three
    aspects; Westfall & Young (1993) for the adjustment.
    """
    check_progress(progress)
    whole_number(permutations, "permutations", 1)
    whole_number(seed, "seed")
    began = time.perf_counter()
    given = as_dataset(a, "a"), as_dataset(b, "b")
    both = unite_groups(*given)
    for sentence in _doubts(*given, *both):
        warnings.warn(sentence, stacklevel=2)
    rows, observed = _distinct_rows(*both)
    measure = _Measure(rows, observed)
    labels, again = tee(chain([observed], _permuted(observed, permutations, seed)))
    groups = (rows.take(np.repeat(np.arange(rows.rows), part)) for pair in again for part in pair)
    threads = options.pop("n_jobs", -1)
    running = learn_each(groups, method, search, n_jobs=threads, progress=progress.quiet, **options)
    with closing(running) as traces:
        first, second = next(traces), next(traces)
        found = measure.of(first.graph, second.graph, *next(labels))
        larger = _Larger(found)
        for k, labelling in enumerate(labels):
            progress.tick(k, permutations)
            larger.count(measure.of(next(traces).graph, next(traces).graph, *labelling))
    progress.finish(permutations)
    for sentence in describe_doubts(_doubtful(found, rows)):
        warnings.warn(sentence, stacklevel=2)
    chances = [(1 + times) / (permutations + 1) for times in larger.times]
    return GroupComparison(
        distance=found.distance,
        p=float(chances[0]),
        strength_a=found.strengths[0],
        strength_b=found.strengths[1],
        p_strength=float(chances[1]),
        graph_a=to_graph(found.graphs[0], rows.names, frozen=True),
        graph_b=to_graph(found.graphs[1], rows.names, frozen=True),
        rows_a=both[0].rows,
        rows_b=both[1].rows,
        permutations=permutations,
        seed=seed,
        method=find_score(method).name,
        search=first.search,
        options=FrozenMapping(freeze_known(options)),
        seconds=time.perf_counter() - began,
        _edges=_frame(found, rows.names, chances[2], chances[3]),
    )


@dataclass(frozen=True, eq=False, slots=True)
class _Pair:
    """An edge of the union, in both groups."""

    edge: Edge
    groups: tuple[Association, Association]
    difference: Floats  # of the log odds ratios, NaN where one group doesn't show them

    @property
    def effects(self) -> tuple[float, float]:
        a, b = (self.edge.effect(group.log_odds) for group in self.groups)
        return a, b

    @property
    def doubt(self) -> str:
        """The first of DOUBTS that either group gives rise to, or ""."""
        found = {doubt_of(self.edge, group.tables, group) for group in self.groups}
        return next((doubt for doubt in DOUBTS if doubt in found), "")


@dataclass(frozen=True, eq=False, slots=True)
class _Measured:
    """Every statistic of one labelling of the rows."""

    graphs: tuple[Adjacency, Adjacency]
    distance: int
    strengths: tuple[float, float]
    lengths: Floats  # of each pair's difference, 0 where neither graph has it; shape (n, n)
    scaled: Floats  # the same by its standard error under independence
    pairs: dict[tuple[int, int], _Pair]


class _Measure:
    """What is computed of the observed labels, and in the same way of permuted ones."""

    def __init__(self, rows: Dataset, labels: Labelling) -> None:
        counts = (labels[0] + labels[1]).astype(np.float64)
        orders = {i: rows.labels[i] for i in range(rows.n) if rows.ordered[i]}
        reader = EdgeReader(rows, counts, orders)
        kept = min(_MOST_KEPT, _KEPT_CELLS // rows.codes.size)

        @lru_cache(maxsize=kept)
        def edges_of(union: bytes) -> list[Edge]:
            return reader.edges(np.frombuffer(union, dtype=np.bool_).reshape(rows.n, rows.n))

        self._rows, self._edges_of = rows, edges_of
        # Var ln n(s, t) is about 1 / n(s, t), which under independence is a product of margins.
        rarity = [
            np.mean(1 / (np.bincount(column, counts, r) + 0.5))
            for column, r in zip(rows.codes.T, rows.cardinalities, strict=True)
        ]
        self._errors = 2 * np.sqrt(counts.sum() * np.outer(rarity, rarity))
        # Of the slope of ordered variables, by the variance of their places.
        spread = np.array([np.cov(column, aweights=counts, ddof=0) for column in rows.codes.T])
        self._slope_errors = 1 / np.sqrt(
            np.maximum(counts.sum() * np.outer(spread, spread), _LEAST)
        )

    def of(
        self, graph_a: nx.Graph[Any], graph_b: nx.Graph[Any], in_a: Ints, in_b: Ints
    ) -> _Measured:
        """The statistics of two learned graphs, and of how often each row is in each group."""
        first, second = (to_adjacency(graph, self._rows) for graph in (graph_a, graph_b))
        union = first | second
        parts = in_a.astype(np.float64), in_b.astype(np.float64)
        found = {
            pair: _compared(edge, *(edge.tables(part) for part in parts))
            for pair, edge in zip(pairs(union), self._edges_of(union.tobytes()), strict=True)
        }
        lengths, errors, strengths = np.zeros(first.shape), self._errors.copy(), np.zeros(2)
        for pair, one in found.items():
            lengths[pair] = np.nan_to_num(length_of(one.difference))
            strengths += np.nan_to_num(np.abs(one.effects))
            if one.edge.kind == PER_STEP:
                errors[pair] = self._slope_errors[pair]
        return _Measured(
            graphs=(first, second),
            distance=int(np.count_nonzero(first != second)) // 2,
            strengths=(float(strengths[0]), float(strengths[1])),
            lengths=lengths,
            scaled=lengths / errors,
            pairs=found,
        )


def _compared(edge: Edge, a: Floats, b: Floats) -> _Pair:
    """An edge by the slices in which both groups show it, which count the same in each."""
    both = (informative_pairs(a) > 0) & (informative_pairs(b) > 0)
    rows = (np.maximum(part.sum(axis=(1, 2)), 1) for part in (a, b))
    weights = both / sum(1 / part for part in rows)
    first, second = (edge.association(part, weights) for part in (a, b))
    return _Pair(edge, (first, second), second.log_odds - first.log_odds)


class _Larger:
    """How often permuted labels gave a statistic at least as large as the observed one."""

    def __init__(self, found: _Measured) -> None:
        self._found, self._gap = found, abs(found.strengths[1] - found.strengths[0])
        # For the distance and the strength; for each pair alone, and for the largest of all pairs.
        self.times: list[Any] = [0, 0, np.zeros(found.lengths.shape), np.zeros(found.lengths.shape)]

    def count(self, other: _Measured) -> None:
        found, times = self._found, self.times
        times[0] += other.distance >= found.distance
        times[1] += abs(other.strengths[1] - other.strengths[0]) >= self._gap
        times[2] += other.lengths >= found.lengths
        times[3] += other.scaled.max() >= found.scaled


def unite_groups(a: Dataset, b: Dataset) -> tuple[Dataset, Dataset]:
    """Both groups with the columns of a and the states of both."""
    for this, other, names in (("a", "b", (a, b)), ("b", "a", (b, a))):
        if not names[0].rows:
            raise DataError(f"{this} has no rows; give at least one row of each group.")
        missing = [name for name in names[0].names if name not in names[1].names]
        if missing:
            raise DataError(
                f"{other} lacks the variable {clip(missing[0])} of {this}; give two groups of the "
                "same variables."
            )
    b = b.select(a.names)
    _check_states(a, b)
    labels = [_states(*pair) for pair in zip(a.labels, b.labels, strict=True)]
    return recode(a, labels), recode(b, labels)


def _check_states(a: Dataset, b: Dataset) -> None:
    """Refuse a variable of which no state occurs in both groups, if it varies in each of them."""
    for i, name in enumerate(a.names):
        first, second = (
            [data.labels[i][state] for state in np.unique(data.codes[:, i])] for data in (a, b)
        )
        if min(len(first), len(second)) > 1 and not {*first} & {*second}:
            raise DataError(
                f"{clip(name)} has the states {listed(first)} in the first group and "
                f"{listed(second)} in the second; write them in the same way, or leave the "
                "variable out."
            )


def _doubts(a: Dataset, b: Dataset, first: Dataset, second: Dataset) -> Iterator[str]:
    """What may be amiss in the states of two groups, given and united: a sentence each."""
    for i, name in enumerate(first.names):
        labels = first.labels[i]
        declared = a.ordered[i] or b.ordered[b.index(name)]
        if declared and len(labels) > 2 and not (first.ordered[i] and second.ordered[i]):
            yield (
                f"{clip(name)} isn't ordered in the same way in both groups, so its order is not "
                "used; declare the same ordered states in both."
            )
        shares = [
            np.bincount(part.codes[:, i], minlength=len(labels)) / part.rows
            for part in (first, second)
        ]
        alone = [
            [labels[s] for s in np.flatnonzero((one >= _CLEAR_SHARE) & (other == 0))]
            for one, other in (shares, shares[::-1])
        ]
        if all(alone) and (shares[0] * shares[1]).any():
            yield (
                f"{clip(name)} has {listed(alone[0])} in the first group only and "
                f"{listed(alone[1])} in the second only; if they mean the same, write them in the "
                "same way."
            )


def _states(a: tuple[str, ...], b: tuple[str, ...]) -> tuple[str, ...]:
    """The states of both: in the order of the one that has them all, else in natural order."""
    union = {*a, *b}
    for whole in (a, b):
        if len(whole) == len(union):
            return whole
    return tuple(sorted(union, key=natural_key))


def _distinct_rows(a: Dataset, b: Dataset) -> tuple[Dataset, Labelling]:
    """The distinct rows of both, in an order that no order of groups or columns changes."""
    codes = np.concatenate((a.codes, b.codes))
    by_name = sorted(range(a.n), key=lambda i: str(a.names[i]))
    numbers = number_rows(codes[:, by_name], [a.cardinalities[i] for i in by_name])
    first = np.unique(numbers, return_index=True)[1]
    known = zip(a.names, a.ordered, b.ordered, strict=True)
    ordered = [name for name, *both in known if all(both)]
    rows = Dataset.from_codes(codes[first], a.cardinalities, a.names, a.labels, ordered=ordered)
    in_a, in_b = (
        np.bincount(part, minlength=len(first)) for part in (numbers[: a.rows], numbers[a.rows :])
    )
    return rows, (in_a, in_b)


def _permuted(observed: Labelling, permutations: int, seed: int) -> Iterator[Labelling]:
    """How often each distinct row is in either group after its labels are permuted."""
    counts = observed[0] + observed[1]
    sizes = [int(part.sum()) for part in observed]
    for k in range(permutations):
        rng = np.random.default_rng([seed, k])
        drawn = rng.multivariate_hypergeometric(counts, min(sizes))
        yield (drawn, counts - drawn) if sizes[0] <= sizes[1] else (counts - drawn, drawn)


def _frame(
    found: _Measured, names: tuple[Name, ...], p: Floats, p_adjusted: Floats
) -> pd.DataFrame:
    """The pairs of the union graph, the clearest difference first."""
    import pandas as pd

    order = sorted(found.pairs, key=lambda pair: -found.scaled[pair])
    rows, columns = (np.array([pair[k] for pair in order], dtype=np.intp) for k in (0, 1))
    ranked = [found.pairs[pair] for pair in order]
    effects = np.array([one.effects for one in ranked], np.float64).reshape(-1, 2)
    differences = [one.edge.effect(one.difference) for one in ranked]
    return pd.DataFrame(
        {
            "x": pd.Series([names[i] for i in rows], dtype=object),
            "y": pd.Series([names[j] for j in columns], dtype=object),
            "in_a": found.graphs[0][rows, columns],
            "in_b": found.graphs[1][rows, columns],
            "effect_a": effects[:, 0],
            "effect_b": effects[:, 1],
            "difference": np.array(differences, np.float64),
            "p": p[rows, columns],
            "p_adjusted": p_adjusted[rows, columns],
            "kind": pd.Series([one.edge.kind for one in ranked], dtype=object),
            "doubt": pd.Series([one.doubt for one in ranked], dtype=object),
        }
    )


def _doubtful(found: _Measured, rows: Dataset) -> Iterator[dict[str, Any]]:
    """The pairs as rows of a table of effects."""
    for (x, y), one in found.pairs.items():
        shown = one.groups[0].weights
        assert shown is not None
        among = name_slices(rows, one.edge, shown > 0) if (shown == 0).any() else ""
        yield {"x": rows.names[x], "y": rows.names[y], "doubt": one.doubt, "among": among}
