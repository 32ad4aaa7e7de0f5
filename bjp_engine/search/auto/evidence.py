"""What each part of `auto` says of every pair, and the prior odds that come of it.

    Λ_ij = max(w_ij, F_ij) + δ_ij + μ_ij,

with w what the models of the two variables say (`nodewise`), F what the pair says by itself
(`forest`), δ the correction by what was found of other pairs (`prior_odds`), and μ what it counts
that each end keeps the other in a regression on all (`lasso`). Between binary variables
w_ij = max(W_ij, W_ji) + λ_ij / 2, with λ the prior over structures. Where more states occur,
tables speak, as they do in the tests of the climb. So that their evidence is counted once, half of
it is taken, and less where a cell of the pair has fewer than four rows: with r states each,

    w_ij = λ_ij + ½ min(1, min(N_i, N_j) / 4 r_i r_j) (max(W_ij, W_ji) - λ_ij),

N_i being r_i / (r_i - 1) times the rows outside the commonest state of X_i. Only states that occur
count. Where one of the two is ordered, the regressions of scores (`ordered`) have odds of their
own, max(W°_ij, W°_ji) + λ_ij / 2. What these exceed w_ij by is added to it, or the share
s_ij = (m_i m_j / N - 2) / 6 of that, within 0 and 1, m_i being the rows outside the commonest state
of X_i; none where the blankets of both ends explain what the regressions see (`explained`).

A pair whose probability is known has its ln odds in place of λ, but for what is counted of λ in
addition (λ_ij / 2): that stays the prior's. So Λ changes by the difference of the two ln odds, as
in Bayes' rule, and by what the models then make of it. Models never take in a forbidden neighbour.
A required one they take in as if it were almost certain, so that all others are judged given it;
of fixed pairs themselves nothing is said, and they don't count as found.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, fields

import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.dataset import Dataset
from bjp_engine.graph import Adjacency
from bjp_engine.independence import TestOptions
from bjp_engine.progress import Progress
from bjp_engine.records import record
from bjp_engine.scores.known import KnownPairs
from bjp_engine.scores.structure import StructurePrior
from bjp_engine.search.auto.binary import binary_part
from bjp_engine.search.auto.explained import explained_away
from bjp_engine.search.auto.forest import forest_odds
from bjp_engine.search.auto.lasso import kept_by_both, share_counted
from bjp_engine.search.auto.nodewise import EXPECTED_DEGREE, NO_EDGE, constants, nodewise
from bjp_engine.search.auto.ordered import MOST_ROWS, ordered_variables, regressions
from bjp_engine.search.auto.prior_odds import few_weak, off_the_forest

# ln odds of a required neighbour in the models of single variables.
_REQUIRED = 25.0
# What tables say of a pair counts in full from so many rows a cell on, on average.
_ENOUGH_ROWS = 4.0


@record
@dataclass(frozen=True, eq=False, slots=True)
class PairEvidence:
    """What was said of each pair, all in ln odds of an edge (natural log).

    Parameters
    ----------
    prior : ndarray of float, shape (n, n)
        λ, the prior over structures, with that of the tests. Here and below, 0 for pairs that are
        required or forbidden.
    found : ndarray of bool, shape (n, n)
        [j, b] where b is in the blanket that variable j's own model chose.
    own : ndarray of float, shape (n, n)
        W: [j, b] what that model would gain by b, or lose without it, λ included; where the
        regression of its score counts, what that would gain.
    combined : ndarray of float, shape (n, n)
        w: that of the end that is surer, with half of λ; a part of it where more states occur.
    correction : ndarray of float, shape (n, n)
        δ ≤ 0, for what was found of other pairs.
    in_forest : ndarray of bool, shape (n, n)
        The pairs of the forest that the pairs by themselves speak for.
    alone : ndarray of float, shape (n, n)
        F of those, 0 elsewhere.
    together : ndarray of float, shape (n, n)
        μ where each end keeps the other in a regression on all others at once, 0 elsewhere.
    """

    prior: Floats
    found: Adjacency
    own: Floats
    combined: Floats
    correction: Floats
    in_forest: Adjacency
    alone: Floats
    together: Floats

    @property
    def log_odds(self) -> Floats:
        """Λ, shape (n, n)."""
        alone = np.where(self.in_forest, self.alone, -np.inf)
        return np.maximum(self.combined, alone) + self.correction + self.together

    @property
    def start(self) -> Adjacency:
        """The graph of the blankets, and of pairs of another part that are rather edges."""
        others = self.in_forest | (self.together > 0)
        return self.found | self.found.T | (others & (self.log_odds > 0))


def gather(
    data: Dataset,
    prior: Floats,
    options: TestOptions,
    progress: Progress,
    known: KnownPairs | None = None,
) -> PairEvidence:
    """Ask every part, with λ of each pair, the options of the tests, and what is known.

    Constant variables take no part: nothing about the others depends on how many there are.
    """
    data = data.drop_unused_states()
    varying = np.flatnonzero(~constants(data))
    if len(varying) == data.n:
        return _gather(data, prior, options, progress, known)
    whole = _say_nothing(data.n, _with_test(prior, options), known)
    if len(varying) > 1:
        pairs, part = np.ix_(varying, varying), data.select([data.names[j] for j in varying])
        known_part = None if known is None else known.part(varying)
        said = _gather(part, prior[pairs], options, progress, known_part)
        for field in fields(PairEvidence):
            getattr(whole, field.name)[pairs] = getattr(said, field.name)
    return whole


def _say_nothing(n: int, odds: Floats, known: KnownPairs | None) -> PairEvidence:
    """The evidence of constant variables: the prior, and no edge."""
    asked = odds.copy()
    if known is not None:
        asked += known.shift(odds)
        asked[known.required | known.forbidden] = 0.0
    none, zero = np.zeros((n, n), dtype=np.bool_), np.zeros((n, n))
    combined = np.full((n, n), NO_EDGE)
    np.fill_diagonal(combined, 0.0)
    if known is not None:
        combined[known.required | known.forbidden] = 0.0
    own, alone = asked.copy(), zero.copy()
    return PairEvidence(asked, none, own, combined, zero, none.copy(), alone, zero.copy())


def _with_test(prior: Floats, options: TestOptions) -> Floats:
    """λ with the prior odds of the test."""
    # Of the least numbers there are, the odds are too large for a double.
    odds: Floats = prior + np.log(min((1.0 - options.prior) / options.prior, sys.float_info.max))
    return odds


def _gather(
    data: Dataset,
    prior: Floats,
    options: TestOptions,
    progress: Progress,
    known: KnownPairs | None,
) -> PairEvidence:
    """The same of variables that vary and states that occur."""
    n = data.n
    odds = _with_test(prior, options)
    shift, fixed = np.zeros((n, n)), np.zeros((n, n), dtype=np.bool_)
    if known is not None:
        shift, fixed = known.shift(prior), known.required | known.forbidden
    asked = models_odds(odds, shift, known)
    said, binary = nodewise(data, asked, progress, options.gamma), binary_part(data)
    kept = kept_by_both(data, progress) & ~fixed
    by_score = regressions(data, asked, progress) if ordered_variables(data).any() else None
    alone = forest_odds(data, odds, progress, options.gamma, asked - odds)
    forest, surer = np.isfinite(alone) & ~fixed, np.where(fixed, 0.0, said.log_odds(asked))
    asked[fixed] = 0.0
    combined = asked + table_share(data) * (surer - asked)
    if binary is not None:
        combined[binary.pairs] = (surer + odds / 2)[binary.pairs]
    found, own = said.found, said.promise
    if by_score is not None:
        claimed = by_score.claimed(odds) * max(1.0, data.rows / MOST_ROWS)
        explained = explained_away(data, said.found, np.where(fixed, 0.0, claimed), progress)
        before = combined
        combined = np.where(explained, combined, by_score.raised(combined, odds))
        better = combined > before
        own = np.where(better & np.isfinite(by_score.promise), by_score.promise, own)
        found = found | (by_score.found & better & (combined > 0))
    combined[fixed] = 0.0
    few = few_weak(combined, data.rows)
    together = share_counted(data.rows) * np.maximum(0.0, _worth(n) + few)
    correction = np.minimum(few, off_the_forest(combined, forest))
    correction[fixed] = 0.0
    return PairEvidence(
        asked,
        found,
        np.where(fixed, 0.0, own),
        combined,
        correction,
        forest,
        np.where(forest, alone, 0.0),
        np.where(kept, together, 0.0),
    )


def models_odds(odds: Floats, shift: Floats, known: KnownPairs | None) -> Floats:
    """λ as the models of single variables take it, -inf of forbidden pairs."""
    asked: Floats = odds + shift
    if known is not None:
        asked[known.required], asked[known.forbidden] = _REQUIRED, -np.inf
    return asked


def table_share(data: Dataset) -> Floats:
    """How much of what tables say of each pair counts, shape (n, n)."""
    sizes = np.array(data.cardinalities, dtype=np.float64)
    rows_of_cells: Floats = np.minimum.outer(*[_spread_rows(data)] * 2) / np.outer(sizes, sizes)
    return 0.5 * np.minimum(1.0, rows_of_cells / _ENOUGH_ROWS)


def _spread_rows(data: Dataset) -> Floats:
    """N_i of each column: N where its states are equally common, 0 where it is constant."""
    rows = np.empty(data.n)
    for j, r in enumerate(data.cardinalities):
        rest = data.rows - np.bincount(data.codes[:, j]).max(initial=0)
        rows[j] = rest * r / (r - 1) if r > 1 else 0.0
    return rows


def _worth(n: int) -> float:
    """What it counts, in ln odds, that both ends keep one another.

    As much as the usual prior and its half again count against an edge: such a pair is judged as
    if half of all pairs were edges.
    """
    usual = StructurePrior(expected_degree=EXPECTED_DEGREE).odds(n)
    return 0.0 if n < 2 or usual is None else -1.5 * float(usual[0, 1])
