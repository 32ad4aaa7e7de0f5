"""Which edges of a fitted network are stronger than which (docs/theory.md §11).

Every resample gives the strengths |ū| of all edges at once, so the resamples show how the
difference D of two strengths varies, whatever the two edges share. The interval is D ± the `level`
quantile of |D_b - D|, as for the effects themselves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.parameters.effects import FittedEdges, length_of, symmetric_reach
from bjp_engine.parameters.network import FittedNetwork
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.validate import Seed, instance, probability, whole_number, whole_seed

if TYPE_CHECKING:
    import pandas as pd


def compare_edges(
    network: FittedNetwork,
    level: float = 0.95,
    *,
    resamples: int = 200,
    seed: Seed = 0,
    progress: Progress = UNWATCHED,
) -> pd.DataFrame:
    """Compare the strengths of all pairs of edges, with a bootstrap interval of each difference.

    Parameters
    ----------
    network : FittedNetwork
        Fitted to at least one row.
    level : float
        How often such an interval holds the true difference, strictly between 0 and 1.
    resamples : int
        How many resamples of the rows are fitted on the same graph, 1 or more.
    seed : int
        0 or more; the resamples are those of `FittedNetwork.effects`.
    progress : Progress
        Gets the number of resamples that were fitted; once it is cancelled, the work stops.

    Returns
    -------
    pandas.DataFrame
        A row for each pair of edges, the stronger edge first, by falling strength, with these
        columns:

        - x1, y1, x2, y2: the stronger edge and the weaker one.
        - strength1, strength2: `|effect|` of each, natural log, see `FittedNetwork.effects`.
        - difference: strength1 - strength2.
        - low, high: the interval.
        - differ: whether it excludes 0.

    Raises
    ------
    OptionError
        If an argument is out of range, or no network.
    DataError
        If the network was fitted to no rows.
    Cancelled
        If it was cancelled.

    Examples
    --------
    >>> from bjp_engine.parameters import compare_edges
    >>> import networkx as nx
    >>> from bjp_engine import Dataset, fit_parameters
    >>> data = Dataset.from_codes([[0, 0, 0], [1, 1, 1], [0, 0, 1], [1, 1, 0], [0, 1, 1]] * 30)
    >>> network = fit_parameters(data, nx.path_graph(3))
    >>> compare_edges(network)[["x1", "y1", "x2", "y2", "differ"]].values.tolist()
    [[0, 1, 1, 2, True]]

    Notes
    -----
    There is no correction for the number of comparisons, so of pairs of equally strong edges about
    1 in 20 differs at level 0.95. Chance raises the strength of variables with many states. A
    graph that was learned from the same rows is taken as given.

    References
    ----------
    docs/theory.md §11; Epskamp, Borsboom & Fried (2018), Estimating psychological networks.
    """
    import pandas as pd

    instance(network, "network", FittedNetwork, "bjp_engine.fit_parameters(data, graph)")
    check_progress(progress)
    level = probability(level, "level", inner=True)
    whole_number(resamples, "resamples", 1)
    seed = whole_seed(seed)
    edges = FittedEdges(network)
    found = _lengths(edges.means)
    drawn = np.zeros((resamples, len(found)))
    for b, means in enumerate(edges.resampled(resamples, seed, progress)):
        drawn[b] = _lengths(means)
    order = np.argsort(-found, kind="stable")
    found, drawn = found[order], drawn[:, order]
    first, second = np.triu_indices(len(found), 1)
    difference = found[first] - found[second]
    reach = np.concatenate(
        [np.zeros(0)]
        + [
            symmetric_reach(np.abs(_gaps(drawn, k) - _gaps(found[None], k)), level)
            for k in range(len(found) - 1)
        ]
    )
    names = np.array([*network.names], dtype=object)
    ends = np.array(edges.pairs, dtype=np.intp).reshape(-1, 2)[order]
    return pd.DataFrame(
        {
            "x1": pd.Series(names[ends[first, 0]], dtype=object),
            "y1": pd.Series(names[ends[first, 1]], dtype=object),
            "x2": pd.Series(names[ends[second, 0]], dtype=object),
            "y2": pd.Series(names[ends[second, 1]], dtype=object),
            "strength1": found[first],
            "strength2": found[second],
            "difference": difference,
            "low": difference - reach,
            "high": difference + reach,
            "differ": difference > reach,
        }
    )


def _lengths(means: list[Floats]) -> Floats:
    """The strength of each edge."""
    return np.array([float(length_of(mean)) for mean in means], dtype=np.float64)


def _gaps(strengths: Floats, k: int) -> Floats:
    """By how much edge k is stronger than each one after it; a row for each resample."""
    return strengths[:, k : k + 1] - strengths[:, k + 1 :]
