"""Scores of rows on a cluster: what a flip needs is asked for in one round, and weighed here.

The evidence is that of the kernels, added in whole numbers, so every number is that of the same
rows in one table, to the last bit.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import numpy as np

from bjp_engine.arrays import Bools, Floats, Ints, columns
from bjp_engine.counts import Wanted, local_prior, table_without_rows
from bjp_engine.dataset import Dataset
from bjp_engine.graph import Adjacency, blanket, flipped
from bjp_engine.independence import IndependenceOptions, trace_of
from bjp_engine.kernels.climb import GOES_ON, NONE_LEFT, REFUSED, Record
from bjp_engine.kernels.local import log_alphas, values_of_configurations
from bjp_engine.kernels.loops import TIE
from bjp_engine.kernels.table import possible
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.scores.base import exceeds
from bjp_engine.scores.bjp import Assertions, AssertionScore, empty_record
from bjp_engine.scores.mpl import MPL, LocalParts, Members, MPLOptions, with_flip
from bjp_engine.scores.prior import KnownPairs


def score_by_tables(score: Any) -> Any:
    """The same score of rows elsewhere; itself where tables do not suffice."""
    if isinstance(score, MPL):
        return TabledMPL()
    if isinstance(score, AssertionScore) and not score.near_only:
        return TabledAssertions(score)
    return score


class TabledAssertions(AssertionScore):
    """A score made of assertions, each tested by a table that is asked for."""

    def __init__(self, score: AssertionScore) -> None:
        self.name, self.title, self.both_ends = score.name, score.title, score.both_ends

    def assertions(
        self,
        data: Dataset,
        adjacency: Adjacency,
        options: IndependenceOptions,
        progress: Progress = UNWATCHED,
        **of_search: Any,
    ) -> Any:
        """A graph's assertions under the flips of IBMAP-HC."""
        return Climb(self, data, adjacency, options, progress, **of_search)


class Climb:
    """A graph's assertions, and the proposals of IBMAP-HC: one round of tables each."""

    def __init__(  # noqa: PLR0913 - what is scored, how, and what becomes of it
        self,
        score: TabledAssertions,
        data: Any,
        adjacency: Adjacency,
        options: IndependenceOptions,
        progress: Progress,
        *,
        odds: Floats | None = None,
        fixed: Bools | None = None,
        goes_on: bool = False,
    ) -> None:
        """Score a graph."""
        assert not goes_on
        self._of, self._data, self._options, self._progress = score, data, options, progress
        self._evidence = options.evidence(data)
        self._scored = table_without_rows(data), self._evidence
        self._pairs: dict[str, Any] = {"odds": odds, "fixed": fixed}
        self.tests = self.evaluations = 0
        self._made = self._tested(adjacency, np.full(adjacency.shape, np.nan))

    def __getattr__(self, name: str) -> Any:
        """The board, the score and the like are those of the graph as it stands."""
        return getattr(self._made, name)

    def climb(self, most: int, keep: int) -> tuple[Record, int]:
        """Propose the flip of the pair with the lowest local contribution, and keep a gain."""
        n = len(self.adjacency)
        record = empty_record(min(most, 1), min(keep, n * (n - 1) // 2))
        local = self.board.local.copy()
        record.lowest[:] = -1
        for t in range(record.value.shape[1]):
            least = local.min()
            if least == np.inf:
                break
            pair = np.unravel_index(np.argmax(local <= least + TIE * abs(least)), local.shape)
            record.lowest[0, t], record.value[0, t] = pair, local[pair]
            record.adjacent[0, t] = self.adjacency[pair]
            local[pair] = np.inf
        i, j = record.lowest[0, 0].tolist()
        if i < 0:
            return Record._make(column[:0] for column in record), NONE_LEFT
        # What was asserted of the two had another blanket.
        known = self.values.copy()
        known[[i, j]] = np.nan
        made = self._tested(flipped(self.adjacency, i, j), known)
        self.evaluations += 1
        record.pair[0], record.before[0], record.score[0] = (i, j), self.score, made.score
        record.tests[0], record.kept[0] = self.tests, exceeds(made.score, self.score)
        if not record.kept[0]:
            return record, REFUSED
        self._made = made
        return record, GOES_ON

    def _tested(self, adjacency: Adjacency, values: Floats) -> Assertions:
        """A graph with all that it asserts, some of it known already."""
        alone = adjacency.sum(axis=1) == 0
        # Given nothing, a test is the same from either end.
        alike = np.logical_and.outer(alone, alone)
        lacking = self._of.computed(adjacency) & np.isnan(values)
        lacking &= ~np.tril(lacking.T & alike)
        pairs = np.argwhere(lacking).tolist()
        wanted: list[Wanted] = [
            (min(x, y), max(x, y), tuple(z for z in blanket(adjacency, x) if z != y))
            for x, y in pairs
        ]
        tallies = self._data.count(wanted, self._progress.quiet)
        for (x, y), (*_, given), tally in zip(pairs, wanted, tallies, strict=True):
            by = self._options, self._evidence, tally
            test = trace_of(self._data, x, y, given, *by)
            values[x, y] = test.log_dependent if adjacency[x, y] else test.log_independent
            if alike[x, y]:
                values[y, x] = values[x, y]
        self.tests += len(pairs)
        made = Assertions.blank(*self._scored, adjacency, self._of.both_ends, **self._pairs)
        made.values[:] = values
        made.enter()
        return made


class TabledMPL(MPL):
    """MPL by tables that are asked for."""

    def parts(
        self, data: Dataset, options: MPLOptions, progress: Progress = UNWATCHED
    ) -> LocalParts:
        """All local scores that a search asks for."""
        return TabledParts(data, options, progress)


class TabledParts(LocalParts):
    """Local scores from tables, those that come next in one round."""

    def __init__(self, data: Any, options: MPLOptions, progress: Progress) -> None:
        """Begin with none."""
        super().__init__(data.n, self.value)
        self._data, self._progress = data, progress.quiet
        self._table = table_without_rows(data)
        self._prior = local_prior(data, float(options.ess))
        self._values: dict[tuple[int, Members], float] = {}
        self._each_trial = False

    def value(self, j: int, members: Members) -> float:
        """The local score of a variable."""
        if (j, members) not in self._values:
            self.prepare([(j, members, ())])
        return self._values[j, members]

    def prepare(self, wanted: Iterable[tuple[int, Members, Iterable[int]]]) -> None:
        """Ask for what is lacking of blankets, and of these with one member more or less."""
        lacking: dict[tuple[int, Members], None] = {}
        for j, members, others in wanted:
            near = [(j, with_flip(members, b)) for b in others]
            new = dict.fromkeys(one for one in near if one not in self._values)
            if new or (j, members) not in self._values:
                # Larger blankets are counted with the one that they have in common.
                lacking |= {(j, members): None} | new
        self._ask(lacking, self._progress)

    def _ask(self, lacking: Collection[tuple[int, Members]], progress: Progress) -> None:
        """Have the tables of blankets counted, and weigh them."""
        tables = [(j, None, members) for j, members in lacking]
        for (j, members), tally in zip(lacking, self._data.count(tables, progress), strict=True):
            k = possible(self._table.cardinalities, columns(members))
            logs = log_alphas(self._table, self._prior, j, *k)
            cells = tally.keys, tally.counts, tally.size, tally.rx
            self._values[j, members] = float(values_of_configurations(self._prior, logs, *cells)[1])

    def of_graph(self, adjacency: Adjacency) -> Floats:
        """The local score of every variable in a graph."""
        blankets = [blanket(adjacency, j) for j in range(self._n)]
        # A climb that was cancelled is scored, too.
        self._ask([*enumerate(blankets)], UNWATCHED)
        self.computed += self._n
        return np.array([self.value(j, members) for j, members in enumerate(blankets)])

    def climb(
        self,
        begin: int,
        end: int,
        odds: Floats,
        found: Adjacency,
        known: KnownPairs | None = None,
    ) -> tuple[Ints, Floats]:
        """Find the blankets of some variables."""
        self._each_trial = known is None
        try:
            return super().climb(begin, end, odds, found, known)
        finally:
            self._each_trial = False

    def __call__(self, j: int, members: Members) -> float:
        """The part of variable j; where no pair is known every trial counts, as in the kernel."""
        if not self._each_trial:
            return super().__call__(j, members)
        self.computed += 1
        return self.value(j, members)
