"""How a posterior grows: the Bayesian test on the first rows of a table put in random order.

One permutation of the rows is drawn, and the test is made on the first N' of them, for N' from 0,
where the posterior is the prior (½ by default), to all N rows, where it is the test of the data.
A larger conditioning set deals the same rows out among more slices and needs more of them before
its posterior leaves ½ (docs/theory.md §2). All logs natural.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from bjp_engine.arrays import Floats, Ints
from bjp_engine.counts import counted_states
from bjp_engine.dataset import DataLike, Dataset, Name, as_dataset
from bjp_engine.errors import OptionError
from bjp_engine.independence import IndependenceOptions, tested_columns, trace_of
from bjp_engine.records import lock_arrays, record
from bjp_engine.validate import Seed, entries, instance, whole_number, whole_seed

__all__ = ["GrowthTrace", "posterior_growth", "subsample"]

# So many numbers of rows are looked at, where no others are asked for.
_STEPS = 26


@record
@dataclass(frozen=True, eq=False, slots=True)
class GrowthTrace:
    """The posteriors of tests on ever more rows of the same data.

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
    options: IndependenceOptions | None = None,
) -> GrowthTrace:
    """The posterior of ⟨X ⊥ Y | Z⟩ as rows are added, for sets Z (docs/theory.md §2).

    Parameters
    ----------
    sizes : iterable of int, optional
        Numbers of rows, 0 to N; by default spread evenly on a log scale.

    Returns
    -------
    GrowthTrace
        Each point is that of `independence_test` on `subsample(data, size, seed)`, to the last
        bit.

    Examples
    --------
    >>> import numpy as np
    >>> from bjp_engine import Dataset
    >>> from bjp_engine.growth import posterior_growth
    >>> data = Dataset.from_codes([[0, 0], [1, 1]] * 50)
    >>> trace = posterior_growth(data, 0, 1, sizes=[0, 10, 100])
    >>> [round(float(p), 4) for p in np.exp(trace.log_dependent[0])]
    [0.5, 0.9501, 1.0]
    """
    data = as_dataset(data)
    options = IndependenceOptions() if options is None else options
    instance(options, "options", IndependenceOptions, "IndependenceOptions, or None")
    given_sets = entries(conditioning_sets, "conditioning_sets")
    tests = [tested_columns(data, x, y, given) for given in given_sets]
    if not tests:
        raise OptionError("conditioning_sets is empty; give at least one set, such as ().")
    at = grid(data.rows)
    if sizes is not None:
        whole = [whole_number(size, "sizes", 0, data.rows) for size in entries(sizes, "sizes")]
        if not whole:
            raise OptionError("sizes is empty; give at least one number of rows, or None.")
        at = np.unique(np.array(whole, dtype=np.int64))
    used = sorted({column for i, j, z in tests for column in (i, j, *z)})
    part, place = data.select(used), {column: k for k, column in enumerate(used)}
    seed = whole_seed(seed)
    order = np.random.default_rng(seed).permutation(data.rows)
    logs = np.empty((2, len(tests), len(at)))
    for t, rows in enumerate(at.tolist()):
        thinned = part.take(order[:rows])
        counted = counted_states(thinned, options.prior_cells == "centred")
        evidence = options.evidence(data, rows)._replace(states=counted)
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
    >>> from bjp_engine.growth import subsample
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
