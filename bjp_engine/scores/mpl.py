"""Scores that are one part for each variable, given its blanket, Σ_j f_j(B^j); MPL is one.

A subclass of `LocalScore` gives `local`, the part of one variable. Where many parts can be
computed faster together, as those of MPL, it gives `LocalParts` of its own as well.

MPL, the marginal pseudo-likelihood (Pensar, Nyman, Niiranen & Corander 2017), replaces the
likelihood by the product of each variable's conditional given its blanket, and integrates each
over a Dirichlet prior:

    ln MPL = Σ_j Σ_l { ln Γ(α_jl) - ln Γ(α_jl + n_jl) + Σ_s [ln Γ(α_sjl + n_sjl) - ln Γ(α_sjl)] }

with l over the q_j configurations of B^j, α_sjl = N_ess / (r_j q_j), α_jl = N_ess / q_j.
Node j's part is its BDeu score given the parents B^j. Symbol: N_ess = `ess`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bjp_engine.arrays import Floats, Ints, Places, columns
from bjp_engine.counts import (
    cross_tally,
    local_prior,
    table_of,
    table_without_rows,
)
from bjp_engine.dataset import DataLike, Dataset, Name, as_dataset
from bjp_engine.errors import DataError, OptionError, clip, listed
from bjp_engine.graph import Adjacency, blanket
from bjp_engine.kernels import local
from bjp_engine.kernels.table import possible
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.records import keep, record
from bjp_engine.scores.base import LocalTerm, Score, Term, exceeds, named
from bjp_engine.scores.prior import KnownPairs
from bjp_engine.validate import positive_number

Members = tuple[int, ...]


class LocalParts:
    """Parts by variable and ascending blanket, each computed once; and how many were computed."""

    def __init__(self, n: int, part: Callable[[int, Members], float]) -> None:
        self._n, self._part = n, part
        self._known: dict[tuple[int, Members], float] = {}
        self.computed = 0

    def __call__(self, j: int, members: Members) -> float:
        """The part of variable j."""
        key = (j, members)
        if key not in self._known:
            self._known[key] = float(self._part(j, members))
            self.computed += 1
        return self._known[key]

    def prepare(self, wanted: Iterable[tuple[int, Members, Iterable[int]]]) -> None:
        """Hear which parts come next: of j given its members, and these with one flipped."""

    def of_graph(self, adjacency: Adjacency) -> Floats:
        """The part of every variable in a graph, shape (n,)."""
        return np.array([self(j, blanket(adjacency, j)) for j in range(self._n)])

    def climb(
        self,
        begin: int,
        end: int,
        odds: Floats,
        found: Adjacency,
        known: KnownPairs | None = None,
    ) -> tuple[Ints, Floats]:
        """Find the best blankets of some variables, one change after the other.

        The candidate that most improves the part enters; after each addition, while the blanket
        has more than two members, the one whose removal most improves it leaves. `odds` is what
        each member adds to a variable's part, empty for nothing; the variables' rows of `found`
        are filled. Required members are there from the start and stay, forbidden ones never enter.
        Of each change: variable, member, 1 if added or 0 if removed, and parts computed until then;
        the part before and after, with what the members add.
        """
        none = np.zeros((self._n, self._n), dtype=np.bool_)
        required, forbidden = (none, none) if known is None else (known.required, known.forbidden)
        changes, scores = [], []
        for j in range(begin, end):
            held, adding = blanket(required, j), True
            never = {j, *blanket(forbidden, j)}
            members, score = held, self(j, held)
            while True:
                best, raised = members, score
                entering = set(range(self._n)) - never - {*members}
                tried = sorted(entering if adding else {*members} - {*held})
                self.prepare([(j, members, tried)])
                for b in tried:
                    changed = with_flip(members, b)
                    value = self(j, changed)
                    if odds.size:
                        value += float(odds[j, list(changed)].sum())
                    if exceeds(value, raised):
                        best, raised = changed, value
                if best == members and adding:
                    break
                if best != members:
                    (b,) = set(best) ^ set(members)
                    changes.append((j, b, int(adding), self.computed))
                    scores.append((score, raised))
                adding = best == members or len(best) <= 2
                members, score = best, raised
            found[j] = False
            found[j, list(members)] = True
        return np.array(changes, dtype=np.int64).reshape(-1, 4), np.array(scores).reshape(-1, 2)


class LocalScore(Score):
    """A score that is the sum of one part for each variable, given its blanket.

    A subclass says in `local` what the part of a variable is (natural log).
    """

    decomposes = True

    def local(self, data: Dataset, j: int, members: Sequence[int], options: Any) -> float:
        """The part of variable j; `members` are its blanket, ascending."""
        raise NotImplementedError

    def parts(self, data: Dataset, options: Any, progress: Progress = UNWATCHED) -> LocalParts:
        """The parts as a search asks for them."""
        del progress

        def part(j: int, members: Members) -> float:
            value = float(self.local(data, j, members, options))
            if math.isnan(value):
                given = listed(named(members, data)) or "nothing"
                raise OptionError(
                    f"The local score of {clip(data.names[j])} given {given} is not a number; "
                    "return the natural log of the evidence, -inf where it is impossible."
                )
            return value

        return LocalParts(data.n, part)

    def terms(
        self, data: Dataset, adjacency: Adjacency, order: Places, options: Any, progress: Progress
    ) -> tuple[Sequence[Term], list[float]]:
        """The part of each variable."""
        parts, terms = self.parts(data, options, progress), list[LocalTerm]()
        for done, j in enumerate(order.tolist()):
            progress.tick(done, data.n)
            members = blanket(adjacency, j)
            terms.append(LocalTerm(data.names[j], named(members, data), parts(j, members)))
        return tuple(terms), [term.value for term in terms]


def with_flip(members: Members, b: int) -> Members:
    """A blanket with one member more or less."""
    return tuple(sorted({*members} ^ {b}))


@dataclass(frozen=True, slots=True)
class MPLOptions:
    """How the MPL is set up.

    Parameters
    ----------
    ess : float
        N_ess, the equivalent sample size of the Dirichlet prior, positive (1e-100 to 1e100);
        the paper's is 1.
    """

    ess: float = 1.0

    def __post_init__(self) -> None:
        keep(self, ess=positive_number(self.ess, "ess", bounded=True))


class MPLParts(LocalParts):
    """Local scores by compiled code; see `bjp_engine.kernels.local`."""

    def __init__(self, data: Dataset, options: MPLOptions, progress: Progress) -> None:
        table, prior = table_of(data, progress), local_prior(data, float(options.ess))
        super().__init__(
            data.n, lambda j, members: local.local_score(table, prior, j, columns(members))
        )
        self._table, self._prior = table, prior

    def of_graph(self, adjacency: Adjacency) -> Floats:
        """The local score of every variable in a graph."""
        parts = np.empty(len(adjacency))
        local.local_scores(self._table, self._prior, np.arange(len(parts)), adjacency, parts)
        self.computed += len(parts)
        return parts

    def climb(
        self,
        begin: int,
        end: int,
        odds: Floats,
        found: Adjacency,
        known: KnownPairs | None = None,
    ) -> tuple[Ints, Floats]:
        """Find the blankets of some variables."""
        if known is not None:
            return super().climb(begin, end, odds, found, known)
        changes, scores, computed = local.blanket_climbs(
            self._table, self._prior, odds, begin, end, found
        )
        changes[:, 3] += self.computed
        self.computed += computed
        return changes, scores


class MPL(LocalScore):
    """The sum of the variables' local scores, under a uniform prior over graphs."""

    name = "mpl"
    title = "MPL"
    cited = "marginal pseudo-likelihood (MPL; Pensar et al., 2017)"
    published = "mpl-hc"
    options_type = MPLOptions

    def local(self, data: Dataset, j: int, members: Sequence[int], options: MPLOptions) -> float:
        """The local score of one variable."""
        return self.parts(data, options)(j, tuple(members))

    def parts(
        self, data: Dataset, options: MPLOptions, progress: Progress = UNWATCHED
    ) -> LocalParts:
        """All local scores that a search asks for."""
        return MPLParts(data, options, progress)


@record
@dataclass(frozen=True, eq=False, slots=True)
class LocalSlice:
    """One configuration of a blanket: rows by state of the variable, and their ln evidence."""

    configuration: tuple[int, ...]
    counts: tuple[int, ...]
    value: float


@record
@dataclass(frozen=True, eq=False, slots=True)
class LocalTrace:
    """A local score, configuration by configuration.

    Parameters
    ----------
    configurations : int
        q, the possible configurations; those without a row contribute 0.
    log_alpha : float
        ln α_sl, the log of each cell's hyperparameter.
    value : float
        The local score, the sum of the slices' values.
    """

    x: Name
    given: tuple[Name, ...]
    configurations: int
    log_alpha: float
    slices: tuple[LocalSlice, ...]
    value: float


def local_trace(
    data: DataLike, x: Name, given: Iterable[Name] = (), *, ess: float = 1.0
) -> LocalTrace:
    """One variable's part of the MPL, down to the counts.

    Examples
    --------
    >>> from bjp_engine.scores import local_trace
    >>> [s.counts for s in local_trace([[0, 0], [0, 0], [1, 1], [1, 1]], 0, [1]).slices]
    [(2, 0), (0, 2)]
    """
    data = as_dataset(data)
    options, j, members = MPLOptions(ess), data.index(x), data.indices(given)
    if j in members:
        raise DataError(f"{clip(data.names[j])} can't be in its own blanket; take it out of given.")
    table, tally = table_without_rows(data), cross_tally(data, j, None, members)
    prior, r = local_prior(data, float(options.ess)), data.cardinalities[j]
    logs = local.log_alphas(table, prior, j, *possible(table.cardinalities, columns(members)))
    values, total = local.values_of_configurations(
        prior, logs, tally.keys, tally.counts, tally.size, r
    )
    starts = np.searchsorted(tally.keys, np.arange(tally.size + 1) * r)
    slices = []
    for k, codes in enumerate(tally.configurations.tolist()):
        cells = slice(starts[k], starts[k + 1])
        row = np.zeros(r, dtype=np.int64)
        row[tally.keys[cells] - k * r] = tally.counts[cells]
        slices.append(LocalSlice(tuple(codes), tuple(row.tolist()), float(values[k])))
    return LocalTrace(
        data.names[j],
        named(members, data),
        math.prod(data.cardinalities[z] for z in members),
        float(logs[0]),
        tuple(slices),
        total,
    )
