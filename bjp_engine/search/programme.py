"""The best graph of a decomposable score as a 0-1 programme over blankets, solved to the proof.

With x_jB = 1 where variable j has blanket B, the best graph is, after Pensar et al. (2017),

    max Σ_j Σ_B f_j(B) x_jB   with   Σ_B x_jB = 1 for each j,
                                     Σ_{B ∋ i} x_jB = Σ_{B ∋ j} x_iB for each pair i, j.

A climb gives a graph to beat. Multipliers of the second kind of constraint give a bound
and the blankets that no better graph has (`bjp_engine.kernels.relaxed` has the proofs); what they
leave open is decided by branch and bound (`bjp_engine.kernels.branch`).
"""

from __future__ import annotations

import numpy as np

from bjp_engine.arrays import Floats, Ints
from bjp_engine.graph import Adjacency
from bjp_engine.kernels.branch import NEW, Best, Tree, branch, restarts
from bjp_engine.kernels.loops import TIE
from bjp_engine.kernels.relaxed import Candidates

# What rounding may leave in a sum of parts and multipliers, besides the twelve digits of a tie.
LEAST_SLACK = 1e-10
# The climbs before anything is proved; how many variables get another blanket for each, one of
# so many that are best for them.
CLIMBS, EXCHANGES, FAVOURITES = 10_000, 3, 64
# The root is settled again as long as that brings this part of the gap, or of the blankets.
WORTHWHILE = 0.02
# Blankets that are looked at before anyone is asked whether to stop; some tenths of a second.
AT_A_TIME = 100_000_000


class Programme:
    """The search for the best graph, a piece at a time.

    `values` has f_j(B) by variable and the mask of its blanket, shape (n, 2^n); masks that hold the
    variable itself are not read.
    """

    def __init__(self, values: Floats, start: Adjacency | None = None) -> None:
        """Climb, and keep the blankets that a better graph may have."""
        n = len(values)
        self._values, self._settling, self.nodes = values, True, 0
        tops = np.array([of_others(values, j).max() for j in range(n)])
        slack = max(LEAST_SLACK, TIE * float(np.abs(tops).sum()))
        graph = np.zeros(n, dtype=np.int64) if start is None else masks_of(start)
        self._best = Best(graph, np.array([-np.inf]), slack)
        blankets = _favourites(values)
        picks = np.random.default_rng(0).integers(
            0, (n, blankets.shape[1]), size=(CLIMBS, EXCHANGES, 2)
        )
        restarts(values, self._best, blankets, picks)
        self._candidates = _worth_keeping(values, tops, self.score + slack)
        self._tree = _rooted(self._candidates, float(tops.sum()))

    @property
    def adjacency(self) -> Adjacency:
        """The best graph so far, shape (n, n)."""
        graph = self._best.graph
        return (graph[:, None] >> np.arange(len(graph)) & 1).astype(np.bool_)

    @property
    def score(self) -> float:
        """Its score: the sum of its parts."""
        return float(self._best.score[0])

    @property
    def finished(self) -> bool:
        """Whether it is proven that no graph scores higher."""
        return bool(self._tree.depth[0] < 0)

    @property
    def bound(self) -> float:
        """No graph scores higher, but for rounding."""
        tree, level = self._tree, int(self._tree.depth[0])
        open_nodes = [self.score]
        if level >= 0:
            open_nodes.append(float(tree.bound[level, int(tree.stage[level] != NEW)]))
        open_nodes += [float(b) for b in tree.bound[:level, 1][tree.stage[:level] == NEW + 1]]
        return max(open_nodes)

    @property
    def left(self) -> int:
        """How many blankets a better graph may have, as is known at the root."""
        return int((self._tree.end[0] - self._candidates.begin[:-1]).sum())

    def settle(self) -> bool:
        """Tighten the bound of the whole programme; whether to do so again."""
        if self.finished:
            return False
        gap, left = self.bound - self.score, self.left
        if not self._branch(AT_A_TIME, AT_A_TIME, settling=True):
            return False
        brought = gap - (self.bound - self.score) > WORTHWHILE * gap
        return brought or left - self.left > WORTHWHILE * left

    def branch(self, most: int = AT_A_TIME, nodes: int = AT_A_TIME) -> bool:
        """Go on with the branches; whether any are left."""
        return not self.finished and self._branch(most, min(nodes, AT_A_TIME), settling=False)

    def _branch(self, most: int, nodes: int, *, settling: bool) -> bool:
        """Examine nodes, of which the root is the first; whether any are left."""
        programme = self._values, self._candidates, self._tree, self._best
        self.nodes += int(branch(*programme, np.array([most, nodes]), settling))
        return not self.finished

    def go_on(self, nodes: int) -> None:
        """Tighten the bound as long as that is worthwhile, then examine some nodes."""
        if self._settling:
            self._settling = self.settle()
        else:
            self.branch(nodes=nodes)

    def prove(self) -> None:
        """Go on until no graph can score higher."""
        while not self.finished:
            self.go_on(AT_A_TIME)


def masks_of(adjacency: Adjacency) -> Ints:
    """The blankets of a graph as bit masks."""
    return adjacency @ (1 << np.arange(len(adjacency), dtype=np.int64))


def of_others(values: Floats, j: int) -> Floats:
    """The parts of one variable, of masks without itself; shape (2^(n - j - 1), 2^j)."""
    return values[j].reshape(-1, 2, 1 << j)[:, 0]


def _favourites(values: Floats) -> Ints:
    """Some masks of the greatest parts of each variable, shape (n, k)."""
    n = len(values)
    k = min(FAVOURITES, 1 << n - 1)
    found = np.empty((n, k), dtype=np.int64)
    for j in range(n):
        low = np.argpartition(-of_others(values, j).ravel(), k - 1)[:k]
        # Back to masks of all variables: bit j is put in.
        found[j] = (low >> j << j + 1) | (low & (1 << j) - 1)
    return found


def _worth_keeping(values: Floats, tops: Floats, floor: float) -> Candidates:
    """The blankets that reach the floor where every other variable has its best one."""
    n = len(values)
    others = tops.sum() - tops
    found = []
    for j in range(n):
        masks = np.flatnonzero(values[j] > floor - others[j])
        found.append(masks[masks >> j & 1 == 0])
    begin = np.cumsum([0, *map(len, found)])
    picked = [values[j, masks] for j, masks in enumerate(found)]
    return Candidates(
        np.concatenate(found).astype(np.int32), np.concatenate(picked), begin.astype(np.int64)
    )


def _rooted(candidates: Candidates, bound: float) -> Tree:
    """The tree before anything is decided."""
    n = len(candidates.begin) - 1
    levels = n * (n - 1) // 2 + 2
    end = np.zeros((levels, n), dtype=np.int64)
    end[0] = candidates.begin[1:]
    bounds = np.full((levels, 2), -np.inf)
    bounds[0, 0] = bound
    # Nothing is left to prove where no better graph has any of a variable's blankets.
    depth = -1 if (end[0] == candidates.begin[:-1]).any() else 0
    return Tree(
        np.array([depth]),
        end,
        np.zeros((levels, n, n)),
        np.zeros((levels, 3), dtype=np.int64),
        np.full(levels, NEW, dtype=np.int64),
        bounds,
    )
