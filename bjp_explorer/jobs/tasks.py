"""Tasks that are more than one call of the engine: functions of a module, for any process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import networkx as nx
import pandas as pd

from bjp_engine import Dataset, Progress, all_graphs, fit_parameters, learn
from bjp_engine.confidence import edge_probabilities, shuffle_columns
from bjp_engine.confidence.edges import PRESENT
from bjp_engine.parameters import predict_variables
from bjp_engine.planning import RowPlan, plan_rows
from bjp_engine.sampling import MarkovModel
from bjp_engine.scores import SCORES
from bjp_engine.search import GraphTable, SearchTrace


@dataclass(frozen=True, slots=True)
class Shuffled:
    """What a search finds by chance."""

    # Of each table with shuffled columns: edges found, and pairs of which the calibrated
    # probability is high enough to be taken for edges.
    edges: tuple[int, ...]
    present: tuple[int, ...]
    # Such pairs of the data themselves.
    own_present: int
    # The probability from which on a pair is taken for an edge.
    threshold: float = PRESENT


def shuffle(
    data: Dataset, search: str, tables: int, threshold: float = PRESENT, *, progress: Progress
) -> Shuffled:
    """Learn from tables in which nothing depends on anything, table k of seed k."""
    own, edges, present = _count_present(data, None, threshold, progress.quiet), [], []
    for seed in range(tables):
        progress.tick(seed, tables)
        part = shuffle_columns(data, seed)
        trace = learn(part, "bjp", search, progress=progress.quiet)
        edges.append(trace.graph.number_of_edges())
        weighed = trace if search == "auto" else None
        present.append(_count_present(part, weighed, threshold, progress.quiet))
    progress.tick(tables, tables)
    return Shuffled(tuple(edges), tuple(present), own, threshold)


def _count_present(
    data: Dataset, trace: SearchTrace | None, threshold: float, progress: Progress
) -> int:
    """How many pairs are taken for edges by their calibrated probability."""
    sure = edge_probabilities(data, trace, progress=progress)
    return int((sure.matrix >= threshold).sum()) // 2


def score_all_graphs(data: Dataset, *, progress: Progress) -> dict[str, GraphTable]:
    """Every graph under every score, one score after another, by method."""

    def part(k: int) -> Progress:
        def report(done: int, of: int) -> None:
            progress.tick(k * of + done, len(SCORES) * of)

        return Progress(report, progress.cancelled)

    return {method: all_graphs(data, method, progress=part(k)) for k, method in enumerate(SCORES)}


def plan(
    data: Dataset,
    graph: nx.Graph[Any],
    model: MarkovModel | None,
    strength: float | None,
    rows: Sequence[int],
    *,
    progress: Progress,
    **options: Any,
) -> RowPlan:
    """What is found with how many rows of a model, else of a graph, fitted or of this strength."""
    network: Any = model or graph
    if model is None and strength is None:
        network = fit_parameters(data, graph, "auto", progress=progress.quiet)
    return plan_rows(network, rows, strength=strength, progress=progress, **options)


def predict(
    data: Dataset, search: str, options: Mapping[str, Any], folds: int, *, progress: Progress
) -> pd.DataFrame:
    """How well each variable is predicted by what is learned without the row."""
    learner = partial(learn, method="bjp", search=search, progress=progress.quiet, **options)
    return predict_variables(data, learner, folds, progress=progress)
