"""Which edges of a fitted network are stronger than which (docs/theory/differences.md).

Every resample of the rows moves the log odds ratios of all edges at once, so the resamples show how
the difference D of two strengths varies, whatever the two edges share. The interval is D ± the
`level` quantile of |D_b - D| (Hall 1988, On symmetric bootstrap confidence intervals).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.parameters.effects import GraphEdges, length_of
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
    level : float
        How often such an interval holds the true difference, strictly between 0 and 1.

    Returns
    -------
    pandas.DataFrame
        A row for each pair of edges whose effect is known, the stronger edge first, by falling
        strength, with these columns:

        - x1, y1, x2, y2: the stronger edge and the weaker one.
        - strength1, strength2: `|effect|` of each, natural log, see `FittedNetwork.effects`.
        - difference: strength1 - strength2.
        - low, high: the interval.
        - differ: whether it excludes 0.

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
    edges = GraphEdges(network.data, network.graph, progress=progress.quiet)
    found = np.abs(edges.effects())
    known = np.flatnonzero(~np.isnan(found))
    drawn = np.zeros((resamples, len(known)))
    for b, moved in enumerate(edges.resample(resamples, seed, progress)):
        drawn[b] = [length_of(edges.associations[k].log_odds + moved[k]) for k in known]
    found = found[known]
    order = np.argsort(-found, kind="stable")
    found, drawn = found[order], drawn[:, order]
    first, second = np.triu_indices(len(found), 1)
    difference = found[first] - found[second]
    reach = np.concatenate(
        [np.zeros(0)]
        + [
            _reach(np.abs(_gaps(drawn, k) - _gaps(found[None], k)), level)
            for k in range(len(found) - 1)
        ]
    )
    names = np.array([*network.names], dtype=object)
    ends = np.array(edges.pairs, dtype=np.intp).reshape(-1, 2)[known[order]]
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


def _gaps(strengths: Floats, k: int) -> Floats:
    """By how much edge k is stronger than each one after it; a row for each resample."""
    return strengths[:, k : k + 1] - strengths[:, k + 1 :]


def _reach(distances: Floats, level: float) -> Floats:
    """Half the length of Hall's symmetric interval, from the distances of the resamples."""
    # The k-th of B distances is exceeded by the next one with probability 1 - k / (B + 1).
    return np.asarray(np.quantile(distances, level, axis=0, method="weibull"))
