"""Effects of edges pooled over completed tables by Rubin's rules (docs/theory/missing.md).

One graph on each of m completed tables. With q_k the effect of an edge in the k-th and w_k its
variance there,

    q = (q_1 + … + q_m) / m        W = (w_1 + … + w_m) / m        B = Σ (q_k - q)² / (m - 1)
    T = W + (1 + 1/m) B            ν = (m - 1) (1 + W / ((1 + 1/m) B))²

and the interval is q ± t_ν √T. A strength is the length of a vector of log odds ratios and has no
sign: q is then the length of the mean vector, and squares are mean squares of differences of
vectors, which by the triangle inequality are at least those of the lengths.

References
----------
Rubin (1987), Multiple imputation for nonresponse in surveys, section 3.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.dataset import Name
from bjp_engine.parameters.effects import (
    STRENGTH,
    GraphEdges,
    edge_effects,
    effects_table,
    length_of,
    orders_of,
)
from bjp_engine.parameters.imputation import Imputed
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.validate import Seed, instance, probability, whole_number, whole_seed

if TYPE_CHECKING:
    import pandas as pd


def pool_effects(
    imputed: Imputed,
    graph: nx.Graph[Name],
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
    graph : networkx.Graph
        On the names of the variables, such as `edge_probabilities(imputed).graph(0.5)`.
    resamples : int
        For strengths; in all, 1 or more: each of the m tables has its share, 2 at least.

    Returns
    -------
    pandas.DataFrame
        The columns of `FittedNetwork.effects`; spread is a mean over the tables. Its `attrs` also
        hold m as "tables", and as "resamples" how many were fitted in all. Of a single table, where
        no cell is missing, the effects of that one.

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
    tables: list[GraphEdges] = []
    within: list[Floats] = []
    for k, data in enumerate(imputed.datasets):
        if m == 1:
            how: dict[str, Any] = {
                "ordered": ordered,
                "resamples": resamples,
                "seed": seed,
                "progress": progress,
            }
            return edge_effects(data, graph, level, **how)
        edges = GraphEdges(data, graph, orders_of(data, ordered), progress.quiet)
        progress.tick(k * each, m * each)
        # No two tables have a seed in common.
        within.append(edges.variances(each, seed * m + k, progress.quiet))
        tables.append(edges)
    progress.finish(m * each)
    effects, between = _pooled(tables)
    reach = rubin_reach(np.mean(within, axis=0), between, m, level)
    least = [0.0 if edge.kind == STRENGTH else -np.inf for edge in tables[0].edges]
    ends = np.maximum(effects - reach, least), effects + reach
    made = {"level": level, "resamples": m * each, "seed": seed, "tables": m}
    spreads = np.mean([[found.spread for found in one.associations] for one in tables], axis=0)
    return effects_table(tables[0], effects, ends, spreads, made)


def rubin_reach(within: Floats, between: Floats, m: int, level: float) -> Floats:
    """Half the length of the interval t_ν √T, from the variances W and B of m tables."""
    from scipy.special import stdtrit

    extra = (1 + 1 / m) * between
    with np.errstate(divide="ignore", invalid="ignore"):
        freedom = np.where(extra > 0, (m - 1) * (1 + within / extra) ** 2, np.inf)
    return np.asarray(stdtrit(freedom, (1 + level) / 2) * np.sqrt(within + extra))


def _pooled(tables: Sequence[GraphEdges]) -> tuple[Floats, Floats]:
    """The pooled effect of each edge, and the variance between tables."""
    effects: list[float] = []
    between: list[float] = []
    for number, edge in enumerate(tables[0].edges):
        values = np.stack([one.associations[number].log_odds for one in tables])
        centre = values.mean(axis=0)
        effects.append(edge.effect(centre))
        squares = [length_of(part) ** 2 for part in values - centre]
        between.append(sum(squares) / (len(tables) - 1))
    return np.array(effects, np.float64), np.array(between, np.float64)
