"""Do groups have the same network? A permutation test (docs/theory.md §11).

B times the labels of the rows are permuted, and everything is computed again as it was for the
groups: both graphs are learned, both groups are counted on the union of these two graphs, and a
pair that is no edge of the union has the difference 0. So a statistic T is the same function of
the rows and their labels in each of the B + 1 cases, and if all rows come from one distribution,

    p = (1 + #{permutations with T at least as large}) / (B + 1)

is at most α with probability α at most (Phipson & Smyth 2010), also of a pair that is looked at
only because one of the learned graphs has it. The statistics are van Borkulo's and others (2022);
all pairs are adjusted for by Westfall & Young (1993), several groups by Holm (1979).
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, tee
from operator import add
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from bjp_engine.arrays import Floats, Ints
from bjp_engine.confidence.groups import (
    MOST_GROUPS,
    distinct_rows,
    label_rows,
    person_numbers,
    prepare_groups,
)
from bjp_engine.dataset import DataLike, Dataset, Name, as_dataset
from bjp_engine.errors import DataError, OptionError, clip, plural, single_line
from bjp_engine.graph import Adjacency, pairs, to_adjacency, to_graph
from bjp_engine.parameters.effects import (
    DOUBTS,
    PER_STEP,
    STRENGTH,
    EdgeRows,
    describe_doubts,
    doubt_of,
    name_slices,
    ordered_places,
    read_edges,
)
from bjp_engine.parameters.odds import Association, informative_pairs
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import FrozenMapping, record
from bjp_engine.scores import Score, find_score
from bjp_engine.scores.prior import freeze_known
from bjp_engine.search.many import learn_all
from bjp_engine.search.trace import SearchTrace
from bjp_engine.validate import Seed, instance, whole_number, whole_seed

if TYPE_CHECKING:
    import pandas as pd

# A pair of which the adjusted p-value is higher is not named as a difference.
LEVEL = 0.05
# More would take days.
MOST_PERMUTATIONS = 1_000_000
# No variance is below it: the slope of a variable that doesn't vary is 0.
_LEAST = 1e-12
# Cells of the rows that kept graphs may refer to: graphs that recur are prepared only once.
_KEPT_CELLS, _MOST_KEPT = 1 << 23, 64


@record
@dataclass(frozen=True, eq=False, slots=True)
class GroupComparison:
    """Whether two groups have the same network, as `compare_groups` found.

    Parameters
    ----------
    distance : int
        The number of pairs that are an edge of one learned graph only (Hamming distance).
    strength_a, strength_b : float
        The global strength of each group: the sum of the absolute effects, in that group, of
        all pairs that are an edge of either learned graph.
    p_strength : float
        The p-value of the absolute difference of both.
    notes : tuple of str
        What may be amiss, and which columns were left out: a sentence or two each.
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
    paired: Name | None = None
    notes: tuple[str, ...] = ()

    @property
    def p_edges(self) -> float:
        """The p-value of the largest difference of any pair: the smallest `p_adjusted`, or 1."""
        return float(self._edges["p_adjusted"].min()) if len(self._edges) else 1.0

    @property
    def edges(self) -> pd.DataFrame:
        """The pairs that are an edge of either learned graph, the clearest difference first.

        With these columns:

        - x, y: the variables, in column order.
        - in_a, in_b: whether the pair is an edge of each group's graph.
        - effect_a, effect_b: its effect in each group, natural log, on the union of the two graphs
          and in the slices in which both groups show it; NaN if there are none.
        - difference: the log odds ratio of group b less that of group a, or that per step; of
          strengths the root mean square of the differences of all log odds ratios.
        - p: the p-value of its absolute value, for this pair alone.
        - p_adjusted: for all pairs of variables, by the distribution of the largest difference,
          each divided by its standard error under independence.
        - kind, doubt: as of `FittedNetwork.effects`; the first doubt that either group gives rise
          to. Variables are ordered that are so in both groups.
        """
        return self._edges.copy()


def compare_groups(  # noqa: PLR0913 - what is compared, and how it is permuted
    a: DataLike,
    b: DataLike,
    method: str | Score = "bjp",
    search: str | None = None,
    *,
    permutations: int = 1000,
    seed: Seed = 0,
    paired: Name | None = None,
    progress: Progress = UNWATCHED,
    **options: Any,
) -> GroupComparison:
    """Test whether two groups of rows have the same network, by permutation.

    Parameters
    ----------
    a, b : Dataset, DataFrame or array
        The rows of each group; both with the same variables, in any order, and with states that are
        written in the same way. `Dataset.split` makes groups by the states of a column.
    permutations : int
        How often the labels of the rows are permuted, 1 to 1,000,000. No p-value is below
        1 / (permutations + 1).
    paired : str or int, optional
        A column of both groups that says whose each row is, as where the same persons were asked
        twice. Labels are permuted within each person, and the column is no variable.

    Examples
    --------
    >>> from bjp_engine import compare_groups
    >>> alike, opposed = [[0, 0], [1, 1]] * 40, [[0, 1], [1, 0]] * 40
    >>> noise = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
    >>> found = compare_groups(alike + noise, opposed + noise, permutations=99)
    >>> found.distance, found.p
    (0, 1.0)
    >>> found.edges[["x", "y", "in_a", "in_b", "difference", "p_adjusted"]].round(1).values.tolist()
    [[0, 1, True, True, -6.4, 0.0]]

    Notes
    -----
    The same for any `n_jobs` and order of rows; exchanging a and b changes signs only. A small
    p-value says that the groups' distributions differ, and which statistic shows it. It is no proof
    that just this edge differs; if margins differ clearly, it is no evidence of different edges
    (docs/theory/effects.md). Missing cells that are a state count as a difference if one group has
    more of them.

    Permutation k draws the smaller group from the distinct rows of both, in lexicographic
    order of columns by name, with `numpy.random.default_rng([seed, k])`. With `paired`, each person
    keeps as many rows in each group: exact if her rows could as well have come in any other order.
    """
    check_progress(progress)
    whole_number(permutations, "permutations", 1, MOST_PERMUTATIONS)
    seed = whole_seed(seed)
    began = time.perf_counter()
    given = as_dataset(a, "a", identifiers=False), as_dataset(b, "b", identifiers=False)
    sizes = given[0].rows, given[1].rows
    persons = None
    if paired is not None:
        paired = given[0].names[given[0].index(paired)]
        persons = person_numbers(*given, paired)
    *both, notes = prepare_groups(*given, paired)
    for sentence in notes:
        warnings.warn(sentence, stacklevel=2)
    rows, numbers = distinct_rows(*both)
    measure = _measure_of(rows, np.bincount(numbers))
    labels, again = tee(label_rows(numbers, sizes[0], persons, permutations, seed))
    groups = (rows.take(np.repeat(np.arange(rows.rows), part)) for pair in again for part in pair)
    threads = options.pop("n_jobs", -1)
    running = learn_all(groups, method, search, n_jobs=threads, progress=progress.quiet, **options)
    with closing(running) as traces:
        first, second = next(traces), next(traces)
        found = measure(first, second, *next(labels))
        larger: tuple[Any, ...] = 0, 0, *np.zeros((2, rows.n, rows.n))
        for k, labelling in enumerate(labels):
            progress.tick(k, permutations)
            other = measure(next(traces), next(traces), *labelling)
            larger = tuple(map(add, larger, other.reaches(found)))
    progress.finish(permutations)
    p, p_strength, *p_pairs = [(1 + times) / (permutations + 1) for times in larger]
    edges = found.table(rows, *p_pairs)
    for sentence in describe_doubts(edges.sort_index().to_dict("records")):
        notes.append(sentence)
        warnings.warn(sentence, stacklevel=2)
    return GroupComparison(
        distance=found.distance,
        p=float(p),
        strength_a=found.strengths[0],
        strength_b=found.strengths[1],
        p_strength=float(p_strength),
        graph_a=to_graph(found.graphs[0], rows.names, frozen=True),
        graph_b=to_graph(found.graphs[1], rows.names, frozen=True),
        rows_a=sizes[0],
        rows_b=sizes[1],
        permutations=permutations,
        seed=seed,
        method=find_score(method).name,
        search=first.search,
        options=FrozenMapping(freeze_known(options)),
        seconds=time.perf_counter() - began,
        _edges=edges.drop(columns="among").reset_index(drop=True),
        paired=paired,
        notes=tuple(notes),
    )


@dataclass(frozen=True, eq=False, slots=True)
class _Pair:
    """An edge of the union, by the slices in which both groups show it, which count the same."""

    edge: EdgeRows
    groups: tuple[Association, Association]
    weights: Floats  # of the slices, 0 where a group doesn't show it
    # Of the log odds ratios, NaN where one group doesn't show them, or both are infinite alike.
    difference: Floats

    @staticmethod
    def of(edge: EdgeRows, a: Ints, b: Ints) -> _Pair:
        """Where distinct rows have these counts in either group."""
        tables = [edge.tables(part.astype(np.float64)) for part in (a, b)]
        shown = np.all([informative_pairs(table) > 0 for table in tables], axis=0)
        weights = shown / sum(1 / np.maximum(table.sum(axis=(1, 2)), 1) for table in tables)
        first, second = (Association(table, edge.quads, weights) for table in tables)
        difference = second.log_odds - first.log_odds
        same = np.sign(first.log_odds) == np.sign(second.log_odds)
        if not (first.is_finite or second.is_finite) and same.all():
            difference = np.full_like(difference, np.nan)
        return _Pair(edge, (first, second), weights, difference)


@dataclass(frozen=True, eq=False, slots=True)
class _Measured:
    """Every statistic of one labelling of the rows."""

    graphs: tuple[Adjacency, Adjacency]
    distance: int
    strengths: tuple[float, float]
    lengths: Floats  # of each pair's difference, 0 where neither graph has it; shape (n, n)
    scaled: Floats  # the same by its standard error under independence
    pairs: dict[tuple[int, int], _Pair]

    def reaches(self, found: _Measured) -> tuple[Any, ...]:
        """Where it is at least as large: distance, strength, each pair, the largest pair."""
        gap, its_gap = (abs(one.strengths[1] - one.strengths[0]) for one in (self, found))
        return (
            self.distance >= found.distance,
            gap >= its_gap,
            self.lengths >= found.lengths,
            self.scaled.max() >= found.scaled,
        )

    def table(self, rows: Dataset, p: Floats, p_adjusted: Floats) -> pd.DataFrame:
        """The pairs of the union graph, the clearest difference first, numbered as they stand."""
        import pandas as pd

        made: list[tuple[object, ...]] = []
        for (x, y), one in self.pairs.items():
            found = [doubt_of(one.edge, group) for group in one.groups]
            which = one.weights > 0
            made.append(
                (
                    *(rows.names[x], rows.names[y]),
                    *(bool(graph[x, y]) for graph in self.graphs),
                    *(group.effect for group in one.groups),
                    one.edge.quads.effect(one.difference),
                    *(p[x, y], p_adjusted[x, y]),
                    one.edge.kind,
                    next((doubt for doubt in DOUBTS if doubt in found), ""),
                    "" if which.all() else name_slices(rows, one.edge, which),
                )
            )
        types = dict.fromkeys(("x", "y"), object) | dict.fromkeys(("in_a", "in_b"), bool)
        types |= dict.fromkeys(("effect_a", "effect_b", "difference", "p", "p_adjusted"), float)
        types |= dict.fromkeys(("kind", "doubt", "among"), object)
        order = np.argsort([-self.scaled[pair] for pair in self.pairs], kind="stable")
        return pd.DataFrame(made, columns=[*types]).astype(types).iloc[order.astype(np.intp)]


def _measure_of(rows: Dataset, times: Ints) -> Callable[..., _Measured]:
    """What is computed of the observed labels, and in the same way of permuted ones.

    `times` is how often each distinct row occurs.
    """
    counts = times.astype(np.float64)
    # Var ln n(s, t) is about 1 / n(s, t), which under independence is a product of margins.
    rarity = [
        np.mean(1 / (np.bincount(column, counts, r) + 0.5))
        for column, r in zip(rows.codes.T, rows.cardinalities, strict=True)
    ]
    usual_errors = 2 * np.sqrt(counts.sum() * np.outer(rarity, rarity))
    # Of the slope of ordered variables, by the variance of their places.
    spread = np.array([np.cov(column, aweights=counts, ddof=0) for column in rows.codes.T])
    slope_errors = 1 / np.sqrt(np.maximum(counts.sum() * np.outer(spread, spread), _LEAST))

    @lru_cache(maxsize=min(_MOST_KEPT, _KEPT_CELLS // rows.codes.size))
    def edges_of(union: bytes) -> list[EdgeRows]:
        adjacency = np.frombuffer(union, dtype=np.bool_).reshape(rows.n, rows.n)
        return read_edges(rows, counts, ordered_places(rows, None), adjacency)

    def measure(a: SearchTrace, b: SearchTrace, in_a: Ints, in_b: Ints) -> _Measured:
        """The statistics of what was learned of both groups, and of how often each has each row."""
        first, second = (to_adjacency(trace.graph, rows) for trace in (a, b))
        union, found = first | second, dict[tuple[int, int], _Pair]()
        lengths, errors, strengths = np.zeros(first.shape), usual_errors.copy(), np.zeros(2)
        for pair, edge in zip(pairs(union), edges_of(union.tobytes()), strict=True):
            found[pair] = one = _Pair.of(edge, in_a, in_b)
            lengths[pair] = abs(np.nan_to_num(edge.quads.effect(one.difference)))
            strengths += np.nan_to_num([abs(group.effect) for group in one.groups])
            if edge.kind == PER_STEP:
                errors[pair] = slope_errors[pair]
        distance = int(np.count_nonzero(first != second)) // 2
        both = float(strengths[0]), float(strengths[1])
        return _Measured((first, second), distance, both, lengths, lengths / errors, found)

    return measure


@record
@dataclass(frozen=True, eq=False, slots=True)
class GroupComparisons:
    """Which of several groups have the same network, as `compare_all_groups` found.

    Parameters
    ----------
    pairs : mapping of (str, str) to GroupComparison
        By the names of both groups, in their order.
    """

    pairs: FrozenMapping[tuple[str, str], GroupComparison]

    @property
    def table(self) -> pd.DataFrame:
        """A line for each pair of groups: their names a and b, and what `GroupComparison` has.

        p, p_strength and p_edges are of this pair alone; with `_adjusted`, adjusted for all pairs.
        """
        import pandas as pd

        tested = ("p", "p_strength", "p_edges")
        table = pd.DataFrame([*self.pairs], columns=["a", "b"], dtype=object)
        for name in ("rows_a", "rows_b", "distance", "strength_a", "strength_b", *tested):
            table[name] = [getattr(one, name) for one in self.pairs.values()]
            if name in tested:
                table[f"{name}_adjusted"] = adjust_by_holm(table[name].to_numpy())
        return table


def compare_all_groups(
    groups: Mapping[str, DataLike],
    method: str | Score = "bjp",
    search: str | None = None,
    *,
    permutations: int = 1000,
    seed: Seed = 0,
    progress: Progress = UNWATCHED,
    **options: Any,
) -> GroupComparisons:
    """Test each pair of several groups for the same network.

    Parameters
    ----------
    groups : mapping of str to Dataset, DataFrame or array
        The rows of 2 to 6 groups by name, as `Dataset.split` or `choose_groups` makes them.

    Examples
    --------
    >>> from bjp_engine.confidence import compare_all_groups
    >>> noise = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
    >>> alike, opposed = [[0, 0], [1, 1]] * 40 + noise, [[0, 1], [1, 0]] * 40 + noise
    >>> groups = {"first": alike, "second": alike, "third": opposed}
    >>> compare_all_groups(groups, permutations=99).table["p_edges_adjusted"].tolist()
    [1.0, 0.03, 0.03]

    Each pair is compared as if there were no other group. Holm's adjustment is over the pairs of
    groups only: the three statistics are not adjusted for each other, and `GroupComparison.edges`
    is within its pair.
    """
    check_progress(progress)
    if not isinstance(groups, Mapping) or not 2 <= len(groups) <= MOST_GROUPS:
        raise OptionError(f"groups must be a mapping with 2 to {MOST_GROUPS} groups.")
    options |= {"permutations": permutations, "seed": whole_seed(seed)}
    names, found = list(combinations(groups, 2)), {}
    for k, (a, b) in enumerate(names):

        def report(done: int, of: int, before: int = k) -> None:
            progress.tick(before * of + done, len(names) * of)

        part = Progress(report, progress.cancelled)
        try:
            found[a, b] = compare_groups(
                groups[a], groups[b], method, search, progress=part, **options
            )
        except DataError as error:
            raise DataError(f"a = {clip(a)}, b = {clip(b)}: {error}") from error
    return GroupComparisons(FrozenMapping(found))


def describe_comparison(found: GroupComparison, a: str = "a", b: str = "b") -> str:
    """The result of a comparison in sentences fit for a paper.

    Examples
    --------
    >>> from bjp_engine import compare_groups
    >>> from bjp_engine.confidence import describe_comparison
    >>> import textwrap
    >>> alike, opposed = [[0, 0], [1, 1]] * 40, [[0, 1], [1, 0]] * 40
    >>> noise = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
    >>> found = compare_groups(alike + noise, opposed + noise, permutations=99)
    >>> print(textwrap.fill(describe_comparison(found, "women", "men"), 84))
    The networks of women (n = 120) and men (n = 120) differ in 1 pair of variables with
    adjusted p ≤ 0.05, most clearly in that of 0 and 1: the log odds ratio of men less
    that of women is −6.44 (adjusted p = 0.01). The learned graphs have a Hamming
    distance of 0 (p = 1). The global strengths are 3.22 and 3.22 (p = 1). All p-values
    are by 99 permutations of the group labels (van Borkulo et al., 2022; seed 0).
    """
    instance(found, "found", GroupComparison, "a GroupComparison, such as one of found.pairs")
    edges = found.edges
    a, b = single_line(a), single_line(b)
    first, second = f"{a} (n = {found.rows_a:,})", f"{b} (n = {found.rows_b:,})"
    both, lowest = f"The networks of {first} and {second}", f"adjusted p = {found.p_edges:.2g}"
    if not len(edges):
        text = f"Neither the network of {first} nor that of {second} has an edge. "
    elif found.p_edges > LEVEL:
        text = f"{both} don't differ clearly in any pair (smallest {lowest}). "
    else:
        top, clear = edges.iloc[0], int((edges["p_adjusted"] <= LEVEL).sum())
        what = "the root mean square difference of their log odds ratios"
        if top["kind"] != STRENGTH:
            what = f"the {top['kind']} of {b} less that of {a}"
        text = (
            f"{both} differ in {plural(clear, 'pair')} of variables with adjusted p ≤ {LEVEL}, "
            f"most clearly in that of {single_line(top['x'])} and {single_line(top['y'])}: {what} "
            f"is {_signed(top['difference'])} ({lowest}). "
        )
    within = "" if found.paired is None else f" within each {single_line(found.paired)}"
    text += (
        f"The learned graphs have a Hamming distance of {found.distance:,} (p = "
        f"{found.p:.2g}). The global strengths are {_signed(found.strength_a)} and "
        f"{_signed(found.strength_b)} (p = {found.p_strength:.2g}). All p-values are by "
        f"{found.permutations:,} permutations of the group labels{within} (van Borkulo et al., "
        f"2022; seed {found.seed})."
    )
    return " ".join((text, *map(single_line, found.notes)))


def as_comparisons(found: GroupComparison | GroupComparisons) -> GroupComparisons:
    """A single comparison as one of several, of the groups a and b."""
    if isinstance(found, GroupComparison):
        return GroupComparisons(FrozenMapping({("a", "b"): found}))
    return instance(found, "found", GroupComparisons, "what compare_groups returned")


def adjust_by_holm(p: Floats) -> Floats:
    """p-values adjusted for all of them, shape (m,)."""
    order = np.argsort(p, kind="stable")
    steps = np.minimum(1.0, p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(steps)
    return adjusted


def _signed(value: float) -> str:
    """A number with a true minus sign."""
    return f"{value:.3g}".replace("-", "−")
