"""MPL, the marginal pseudo-likelihood (Pensar, Nyman, Niiranen & Corander 2017).

The likelihood is replaced by the product of each variable's conditional given its blanket,
and each conditional is integrated over a Dirichlet prior:

    ln MPL = Σ_j Σ_l { ln Γ(α_jl) - ln Γ(α_jl + n_jl) + Σ_s [ln Γ(α_sjl + n_sjl) - ln Γ(α_sjl)] }

with l over the q_j configurations of B^j, α_sjl = N_ess / (r_j q_j), α_jl = N_ess / q_j.
Node j's part is its BDeu score given the parents B^j. Symbol: N_ess = `ess`.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from bjp_engine.arrays import Floats, Ints, columns
from bjp_engine.counts import (
    keep_local_prior,
    local_prior,
    node_tally,
    table_of,
    table_without_rows,
)
from bjp_engine.dataset import DataLike, Dataset, Name, as_dataset
from bjp_engine.errors import DataError, clip
from bjp_engine.graph import Adjacency
from bjp_engine.kernels import local
from bjp_engine.kernels.lookup import every_local_score
from bjp_engine.kernels.table import possible
from bjp_engine.kernels.traced import values_of_configurations
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.records import keep, record
from bjp_engine.scores.base import named
from bjp_engine.scores.known import KnownPairs
from bjp_engine.scores.local import LocalParts, LocalScore, Members
from bjp_engine.validate import positive_number


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
        """Refuse what the formula can't take."""
        keep(self, ess=positive_number(self.ess, "ess", bounded=True))


@record
@dataclass(frozen=True, eq=False, slots=True)
class LocalSlice:
    """One configuration of a blanket: the counts of the variable's states, and their evidence.

    Parameters
    ----------
    counts : tuple of int
        n_sl, rows by state of the variable.
    value : float
        The configuration's part of the local score (natural log).
    """

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
    slices : tuple of LocalSlice
        The configurations that occur.
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
    >>> from bjp_engine import Dataset
    >>> from bjp_engine.scores import local_trace
    >>> data = Dataset.from_codes([[0, 0], [0, 0], [1, 1], [1, 1]])
    >>> [s.counts for s in local_trace(data, 0, [1]).slices]
    [(2, 0), (0, 2)]
    """
    data = as_dataset(data)
    options, j, members = MPLOptions(ess), data.index(x), data.indices(given)
    if j in members:
        raise DataError(f"{clip(data.names[j])} can't be in its own blanket; take it out of given.")
    table, tally = table_without_rows(data), node_tally(data, j, members)
    prior, r = local_prior(data, float(options.ess)), data.cardinalities[j]
    logs = local.log_alphas(table, prior, j, *possible(table.cardinalities, columns(members)))
    values, total = values_of_configurations(prior, logs, tally.keys, tally.counts, tally.size, r)
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


class MPLParts(LocalParts):
    """Local scores by compiled code; see `bjp_engine.kernels.local`."""

    def __init__(self, data: Dataset, options: MPLOptions, progress: Progress) -> None:
        """Begin with none."""
        super().__init__(data.n, self._score)
        self._data, self._table = data, table_of(data, progress)
        self._prior = local_prior(data, float(options.ess))

    def _score(self, j: int, members: Members) -> float:
        return float(local.local_score(self._table, self._prior, j, columns(members)))

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

    def every(self) -> Floats:
        """The local score of every variable given every set of others."""
        values = np.full((self._n, 1 << self._n), np.nan)
        self.computed += int(every_local_score(self._table, self._prior, values))
        self.keep()
        return values

    def keep(self) -> None:
        """Leave the tables that were made to the next search on the same data."""
        keep_local_prior(self._data, self._prior)


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
