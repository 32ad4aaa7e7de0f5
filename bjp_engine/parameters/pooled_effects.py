"""Effects of edges pooled over completed tables by Rubin's rules (docs/theory.md §12).

One graph is fitted to each of m completed tables. With q_k the effect of an edge in the k-th and
w_k the mean square of its distance in resamples of that table's rows,

    q = (q_1 + … + q_m) / m        W = (w_1 + … + w_m) / m        B = Σ (q_k - q)² / (m - 1)
    T = W + (1 + 1/m) B            ν = (m - 1) (1 + W / ((1 + 1/m) B))²

and the interval is q ± t_ν √T. A strength is the length of a table ū and has no sign: q is then the
length of the mean table, and distances and differences are lengths of differences of tables, which
by the triangle inequality are at least those of the lengths.

References
----------
Rubin (1987), Multiple imputation for nonresponse in surveys, section 3.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import networkx as nx
import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.dataset import Name
from bjp_engine.parameters.effects import (
    STRENGTH,
    FittedEdges,
    effects_table,
    length_of,
)
from bjp_engine.parameters.fit import Estimate, fit_parameters
from bjp_engine.parameters.imputation import Imputed
from bjp_engine.parameters.orders import orders_of
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.validate import Seed, instance, probability, whole_number, whole_seed

if TYPE_CHECKING:
    import pandas as pd


def pool_effects(  # noqa: PLR0913 - those of `FittedNetwork.effects`, and how it is fitted
    imputed: Imputed,
    graph: nx.Graph[Name],
    estimate: Estimate = "auto",
    *,
    level: float = 0.95,
    ordered: Iterable[Name] | Mapping[Name, Sequence[object]] | None = None,
    resamples: int = 200,
    seed: Seed = 0,
    progress: Progress = UNWATCHED,
) -> pd.DataFrame:
    """How strong each edge of a graph is, pooled over completed tables by Rubin's rules.

    Parameters
    ----------
    imputed : Imputed
        What `impute` returns.
    graph : networkx.Graph
        On the names of the variables, such as `edge_probabilities(imputed).graph(0.5)`.
    estimate : {"auto", "pseudo-likelihood", "likelihood"}
        How it is fitted to each table, see `fit_parameters`.
    level, ordered, seed
        See `FittedNetwork.effects`.
    resamples : int
        In all, 1 or more; each of the m tables has its share of them, 2 at least.
    progress : Progress
        Gets the number of resamples that were fitted, after each table; once it is cancelled, the
        work stops.

    Returns
    -------
    pandas.DataFrame
        The columns of `FittedNetwork.effects`; spread is a mean over the tables. Its `attrs` also
        hold m as "tables", and as "resamples" how many were fitted in all. Of a single table, where
        no cell is missing, the effects of that one.

    Raises
    ------
    OptionError
        If an argument is out of range or of another form.
    GraphError
        If the graph has other variables.
    DataError
        If `ordered` names no variable or one twice, or lists other states than the variable has.
    Cancelled
        If it was cancelled.

    Examples
    --------
    >>> import networkx as nx
    >>> import bjp_engine as bjp
    >>> from bjp_engine.parameters import impute, pool_effects
    >>> data = bjp.Dataset.from_codes([[0, 0], [0, 0], [1, 1], [0, 1]] * 25, names=["a", "b"])
    >>> frame = data.to_frame().astype(object)
    >>> frame.loc[::9, "b"] = None
    >>> made = impute(frame, 5)
    >>> found = pool_effects(made, nx.Graph([("a", "b")]), resamples=50)
    >>> found[["x", "y", "kind"]].values.tolist(), found.attrs["tables"]
    ([['a', 'b', 'log odds ratio']], 5)

    References
    ----------
    docs/theory.md §12; Rubin (1987), Multiple imputation for nonresponse in surveys.
    """
    check_progress(progress)
    instance(imputed, "imputed", Imputed, "what `impute` returns")
    level = probability(level, "level", inner=True)
    whole_number(resamples, "resamples", 1)
    seed = whole_seed(seed)
    m = len(imputed.datasets)
    each = max(2, -(-resamples // m))
    tables: list[FittedEdges] = []
    within: list[Floats] = []
    for k, data in enumerate(imputed.datasets):
        network = fit_parameters(data, graph, estimate, progress=progress.quiet)
        if m == 1:
            return network.effects(
                level, ordered=ordered, resamples=resamples, seed=seed, progress=progress
            )
        edges = FittedEdges(network, orders_of(data, ordered))
        progress.tick(k * each, m * each)
        # No two tables have a seed in common.
        distances = edges.distances(each, seed * m + k, progress.quiet)
        within.append((distances**2).mean(axis=0))
        tables.append(edges)
    progress.finish(m * each)
    effects, between = _pooled(tables)
    reach = rubin_reach(np.mean(within, axis=0), between, m, level)
    made = {"level": level, "resamples": m * each, "seed": seed, "tables": m}
    spreads = np.mean([one.spreads() for one in tables], axis=0)
    return effects_table(tables[0], effects, reach, spreads, made)


def rubin_reach(within: Floats, between: Floats, m: int, level: float) -> Floats:
    """Half the length of the interval t_ν √T, from the variances W and B of m tables."""
    from scipy.special import stdtrit

    extra = (1 + 1 / m) * between
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = np.where(extra > 0, (m - 1) * (1 + within / extra) ** 2, np.inf)
    return np.asarray(stdtrit(freedom, (1 + level) / 2) * np.sqrt(within + extra))


def _pooled(tables: Sequence[FittedEdges]) -> tuple[Floats, Floats]:
    """The pooled effect of each edge, and the variance between tables."""
    effects: list[float] = []
    between: list[float] = []
    for number, edge in enumerate(tables[0].edges):
        means = np.stack([one.means[number] for one in tables])
        if edge.kind == STRENGTH:
            centre = means.mean(axis=0)
            effects.append(float(length_of(centre)))
            between.append(float((length_of(means - centre) ** 2).sum()) / (len(tables) - 1))
        else:
            own = [one.edges[number].effect(mean) for one, mean in zip(tables, means, strict=True)]
            effects.append(float(np.mean(own)))
            between.append(float(np.var(own, ddof=1)))
    return np.array(effects, np.float64), np.array(between, np.float64)
