"""The Bayesian test of independence, slice by slice (docs/theory.md §2).

Margaritis (2005); Margaritis & Bromberg (2009). For ⟨X ⊥ Y | Z⟩ every configuration k of Z
is a slice with an r_x × r_y table of counts c (margins a, b). With

    U(v; γ) = ln Γ(γm) - ln Γ(γm + Σv) + Σ_q [ln Γ(γ + v_q) - ln Γ(γ)],   m cells,

ln g_k = U(a) + U(b) is the evidence of independence in the slice, ln h_k = U(c) that of
dependence, ln p_k = ln(prior) / K its share of the prior, and

    ln Pr(X ⊥ Y | Z, D) = - Σ_k ln(1 + exp(d_k)),  d_k = ln(1 - p_k) + ln h_k - ln p_k - ln g_k.

With centred prior cells h_k / g_k is the mean over κ of exp(U(c; A pq) - U(a; A p) - U(b; A q)):
cells have weights of their own, p = a / n and q = b / n are the shares of the margins, and A is κγ
times the states of X times those of Y that occur in the slice.

Symbols: g = `log_g`, h = `log_h`, p = `log_prior`, K = `configurations`. All logs natural.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Floats, Ints, columns
from bjp_engine.counts import CrossTally, counted_states, cross_tally, shared_evidence
from bjp_engine.dataset import DataLike, Dataset, Name, as_dataset
from bjp_engine.errors import DataError, OptionError, clip
from bjp_engine.kernels.evidence import (
    TINY,
    Evidence,
    SlicePrior,
    doubt_of,
    evidence_of_slices,
    log_dependent,
    log_dependent_tiny,
    spread_prior,
)
from bjp_engine.kernels.rising import fraction_bits
from bjp_engine.kernels.table import possible
from bjp_engine.records import RecordSequence, keep, lock_arrays, record
from bjp_engine.validate import (
    Seed,
    choice,
    entries,
    instance,
    positive_number,
    probability,
    whole_number,
    whole_seed,
)

__all__ = [
    "GrowthTrace",
    "IndependenceOptions",
    "IndependenceTrace",
    "Slice",
    "independence_test",
    "posterior_growth",
    "subsample",
]

# A laid-out table of more cells (128 MB) would be no explanation to anyone.
_MOST_CELLS = 1 << 24
# So many numbers of rows are looked at, where no others are asked for.
_STEPS = 26


@dataclass(frozen=True, slots=True)
class IndependenceOptions:
    """How the Bayesian test is set up; the defaults are the paper's.

    Parameters
    ----------
    prior : float
        Prior probability of independence, strictly between 0 and 1.
    gamma : float
        γ, the Dirichlet hyperparameter of every cell, positive (1e-100 to 1e100).
    slices : {"all", "observed"}
        Whether K counts all configurations of Z, or only those that occur.
    prior_cells : {"equal", "centred"}
        The Dirichlet prior of a slice's cells under dependence. "equal" gives every cell weight γ.
        "centred" gives cell (s, t) weight κγ r_x r_y a_s b_t / n², so that the prior expects
        independence, and margins have the same prior under both hypotheses; the odds of κ = 1 and 8
        are averaged. Choose it where variables have many states or skewed margins.
    """

    prior: float = 0.5
    gamma: float = 1.0
    slices: Literal["all", "observed"] = "all"
    prior_cells: Literal["equal", "centred"] = "equal"

    def __post_init__(self) -> None:
        """Refuse what the formulas can't take."""
        prior = probability(self.prior, "prior", inner=True)
        keep(self, prior=prior, gamma=positive_number(self.gamma, "gamma", bounded=True))
        choice(self.slices, "slices", ("all", "observed"))
        choice(self.prior_cells, "prior_cells", ("equal", "centred"))

    def evidence(self, data: Dataset, most_states: int | None = None) -> Evidence:
        """What the kernels compute the tests of a dataset with.

        `most_states` is that of the whole data where these are some of its rows and columns.
        """
        centred, states = self.prior_cells == "centred", most_states or max(data.cardinalities)
        # No odds are larger: each row adds at most ln r twice, and a rare γ its logarithm.
        largest = data.rows * 2 * (math.log(states) + abs(math.log(self.gamma))) + 64
        size, bits = data.rows + states * states, fraction_bits(largest)
        return shared_evidence(self.gamma, centred, size, bits)._replace(
            log_prior=math.log(self.prior),
            observed=self.slices == "observed",
            states=counted_states(data, centred),
        )


@record
@dataclass(frozen=True, eq=False, slots=True)
class Slice:
    """One configuration of the conditioning set: its table and what follows from it.

    Parameters
    ----------
    counts : ndarray of int64, shape (r_x, r_y)
        Rows by state of x and of y; read-only.
    log_g, log_h : float
        ln g_k and ln h_k, the evidence of independence and of dependence. With centred prior
        cells, those given the margins: g_k is the hypergeometric probability of the counts.
    log_independent : float
        ln Pr(X ⊥ Y in this slice | D), the slice's factor of the whole.
    log_odds : tuple of float
        With centred prior cells, the ln odds of dependence by each κ; exp(log_h - log_g) is the
        mean of their exponentials. Empty otherwise.
    """

    configuration: tuple[int, ...]
    rows: int
    counts: NDArray[np.int64]
    log_g: float
    log_h: float
    log_independent: float
    log_odds: tuple[float, ...] = ()

    @property
    def expected(self) -> Floats:
        """The counts expected under independence in the slice, shape (r_x, r_y)."""
        return np.outer(self.counts.sum(axis=1), self.counts.sum(axis=0)) / max(self.rows, 1)


@dataclass(frozen=True, eq=False, repr=False)
class Slices(RecordSequence[Slice]):
    """The slices that occur in the data; `log_independent` of all has shape (S,)."""

    cells: CrossTally
    transpose: bool  # whether x and y were exchanged in counting
    log_g: Floats
    log_h: Floats
    log_independent: Floats
    log_odds: Floats

    def __post_init__(self) -> None:
        lock_arrays((self.log_independent,))

    def __len__(self) -> int:
        """S, how many configurations occur."""
        return self.cells.size

    def build(self, k: int) -> Slice:
        """Slice k, in lexicographic order of configurations."""
        cells, size = self.cells, self.cells.rx * self.cells.ry
        if size > _MOST_CELLS:
            raise DataError(
                f"The table of {cells.rx} by {cells.ry} states is too large to lay out; "
                "group the states of one of the two variables."
            )
        start, end = np.searchsorted(cells.keys, (k * size, (k + 1) * size))
        table = np.zeros(size, dtype=np.int64)
        table[cells.keys[start:end] - k * size] = cells.counts[start:end]
        counts = table.reshape(cells.rx, cells.ry)
        counts = np.ascontiguousarray(counts.T) if self.transpose else counts
        counts.setflags(write=False)
        return Slice(
            tuple(cells.configurations[k].tolist()),
            int(table.sum()),
            counts,
            float(self.log_g[k]),
            float(self.log_h[k]),
            float(self.log_independent[k]),
            tuple(self.log_odds[k].tolist()),
        )


@record
@dataclass(frozen=True, eq=False, slots=True)
class IndependenceTrace:
    """One Bayesian test with every intermediate number.

    Parameters
    ----------
    configurations : int
        K, possible (or, with slices="observed", occurring) configurations of Z.
    log_prior : float
        ln p_k, the prior of independence of a slice.
    slices : Slices
        The configurations that occur, a sequence of `Slice`.
    log_unseen : float
        What all slices without a row contribute in total: (K - S) ln p_k.
    log_independent, log_dependent : float
        ln Pr(X ⊥ Y | Z, D), which is log_unseen plus that of all slices, and ln Pr(X ⊥̸ Y | Z, D).
    """

    x: Name
    y: Name
    given: tuple[Name, ...]
    options: IndependenceOptions
    configurations: int
    log_prior: float
    slices: Slices
    log_unseen: float
    log_independent: float
    log_dependent: float

    @property
    def unseen(self) -> int:
        """How many configurations of Z have no row."""
        return self.configurations - len(self.slices)


def independence_test(  # noqa: PLR0913 - what is tested, and every option
    data: DataLike,
    x: Name,
    y: Name,
    given: Iterable[Name] = (),
    *,
    prior: float = 0.5,
    gamma: float = 1.0,
    slices: Literal["all", "observed"] = "all",
    prior_cells: Literal["equal", "centred"] = "equal",
) -> IndependenceTrace:
    """The posterior of ⟨X ⊥ Y | Z⟩ and of its negation, natural logs, down to the counts.

    Symmetric in x and y to the last bit.

    Examples
    --------
    >>> from bjp_engine import Dataset, independence_test
    >>> import math
    >>> data = Dataset.from_codes([[0, 0], [0, 0], [1, 1], [1, 1]])
    >>> round(math.exp(independence_test(data, 0, 1).log_independent) * 37, 9)
    7.0
    >>> centred = independence_test(data, 0, 1, prior_cells="centred")
    >>> [round(math.exp(odds), 4) for odds in centred.slices[0].log_odds]
    [2.5926, 1.1901]
    """
    data = as_dataset(data)
    options = IndependenceOptions(prior, gamma, slices, prior_cells)
    x, y, given = tested_columns(data, x, y, given)
    return trace_of(data, x, y, given, options, options.evidence(data))


def tested_columns(
    data: Dataset, x: Name, y: Name, given: Iterable[Name]
) -> tuple[int, int, tuple[int, ...]]:
    """The columns of a pair and of its conditioning set, the latter ascending."""
    i, j, z = data.index(x), data.index(y), data.indices(given)
    if i == j:
        raise DataError(f"x and y are both {clip(data.names[i])}; test two different variables.")
    for variable in (i, j):
        if variable in z:
            raise DataError(
                f"{clip(data.names[variable])} is tested and given at once; take it out of given."
            )
    return i, j, z


def trace_of(
    data: Dataset,
    x: int,
    y: int,
    given: tuple[int, ...],
    options: IndependenceOptions,
    evidence: Evidence,
    cells: CrossTally | None = None,
) -> IndependenceTrace:
    """The test by the kernels of the scores, with everything kept.

    Cells counted already are those of the smaller index first.
    """
    if cells is None:
        # The smaller index first, so that the test is symmetric to the last bit.
        cells = cross_tally(data, min(x, y), max(x, y), given)
    sizes = evidence.states[list(given)].tolist()
    log_g, log_h, ratios, by_weight = evidence_of_slices(
        evidence, cells.keys, cells.counts, cells.size, cells.rx, cells.ry
    )
    configurations = math.prod(sizes)
    k, log_k = possible(columns(sizes), np.arange(len(sizes)))
    if evidence.observed:
        configurations = max(cells.size, 1)
        k, log_k = float(configurations), math.log(configurations)
    prior = SlicePrior(*spread_prior(evidence.log_prior, k, log_k))
    s = doubt_of(prior, ratios)
    share = -np.logaddexp(0.0, prior.log_q - prior.log_p + ratios)
    return IndependenceTrace(
        data.names[x],
        data.names[y],
        tuple(data.names[z] for z in given),
        options,
        configurations,
        prior.log_p,
        Slices(cells, x > y, log_g, log_h, share, by_weight),
        0.0 + evidence.log_prior * ((configurations - cells.size) / configurations),
        0.0 - s,
        log_dependent(s) if s >= TINY else log_dependent_tiny(prior, ratios),
    )


@record
@dataclass(frozen=True, eq=False, slots=True)
class GrowthTrace:
    """The posteriors of tests on ever more rows of the same data, in random order.

    Parameters
    ----------
    sets : tuple of tuple of str or int
        M conditioning sets, each in column order.
    sizes : ndarray of int64, shape (T,)
        Numbers of rows, ascending; read-only, as all arrays here.
    log_independent, log_dependent : ndarray of float, shape (M, T)
        ln Pr(X ⊥ Y | Z, D) and ln Pr(X ⊥̸ Y | Z, D) of each set on so many rows.
    """

    x: Name
    y: Name
    sets: tuple[tuple[Name, ...], ...]
    options: IndependenceOptions
    seed: int
    sizes: Ints
    log_independent: Floats
    log_dependent: Floats

    def __post_init__(self) -> None:
        lock_arrays((self.sizes, self.log_independent, self.log_dependent))


def posterior_growth(
    data: DataLike,
    x: Name,
    y: Name,
    conditioning_sets: Iterable[Iterable[Name]] = ((),),
    sizes: Iterable[int] | None = None,
    seed: Seed = 0,
    options: IndependenceOptions = IndependenceOptions(),
) -> GrowthTrace:
    """The posterior of ⟨X ⊥ Y | Z⟩ as rows are added in random order, for sets Z.

    A larger set deals the same rows out among more slices, and needs more of them before its
    posterior leaves the prior (docs/theory.md §2).

    Parameters
    ----------
    sizes : iterable of int, optional
        Numbers of rows, 0 to N; by default spread evenly on a log scale. Each point is that of
        `independence_test` on `subsample(data, size, seed)`.

    Examples
    --------
    >>> import numpy as np
    >>> from bjp_engine import Dataset
    >>> from bjp_engine.independence import posterior_growth
    >>> data = Dataset.from_codes([[0, 0], [1, 1]] * 50)
    >>> trace = posterior_growth(data, 0, 1, sizes=[0, 10, 100])
    >>> [round(float(p), 4) for p in np.exp(trace.log_dependent[0])]
    [0.5, 0.9501, 1.0]
    """
    data = as_dataset(data)
    instance(options, "options", IndependenceOptions, "IndependenceOptions")
    given_sets = entries(conditioning_sets, "conditioning_sets")
    tests = [tested_columns(data, x, y, given) for given in given_sets]
    if not tests:
        raise OptionError("conditioning_sets is empty; give at least one set, such as ().")
    given_sizes = grid(data.rows).tolist() if sizes is None else entries(sizes, "sizes")
    at = np.unique(columns([whole_number(size, "sizes", 0, data.rows) for size in given_sizes]))
    used = sorted({column for i, j, z in tests for column in (i, j, *z)})
    part, place = data.select(used), {column: k for k, column in enumerate(used)}
    seed = whole_seed(seed)
    order = np.random.default_rng(seed).permutation(data.rows)
    logs = np.empty((2, len(tests), len(at)))
    for t, rows in enumerate(at.tolist()):
        thinned = part.take(order[:rows])
        evidence = options.evidence(thinned, max(data.cardinalities))
        for m, (i, j, z) in enumerate(tests):
            given = tuple(place[k] for k in z)
            trace = trace_of(thinned, place[i], place[j], given, options, evidence)
            logs[:, m, t] = trace.log_independent, trace.log_dependent
    i, j, _ = tests[0]
    named = tuple(tuple(data.names[k] for k in z) for _, _, z in tests)
    return GrowthTrace(data.names[i], data.names[j], named, options, seed, at, logs[0], logs[1])


def subsample(data: DataLike, rows: int, seed: Seed = 0) -> Dataset:
    """The first rows of a table whose rows were put in random order; all states are kept.

    With one seed, fewer rows are among more rows.

    Examples
    --------
    >>> from bjp_engine import Dataset
    >>> from bjp_engine.independence import subsample
    >>> subsample(Dataset.from_codes([[0], [1], [1]]), 2).rows
    2
    """
    data = as_dataset(data)
    order = np.random.default_rng(whole_seed(seed)).permutation(data.rows)
    return data.take(order[: whole_number(rows, "rows", 0, data.rows)])


def grid(rows: int) -> Ints:
    """Numbers of rows from 0 to all, evenly spread on a log scale."""
    spread = np.geomspace(1, max(rows, 1), _STEPS)
    return np.unique(np.concatenate([[0], np.minimum(np.rint(spread), rows)])).astype(np.int64)
