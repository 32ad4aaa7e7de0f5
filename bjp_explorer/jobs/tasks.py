"""Long work as data: a function of a module, a dataset and plain arguments, for any process.

A task runs where it is told to, in a thread beside the page or in a worker process, and reports
to whatever stands beside it: a `Job`, or the worker's end of a pipe.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import networkx as nx
import pandas as pd

from bjp_engine import Dataset, Progress, all_graphs, fit_parameters, learn, score
from bjp_engine.confidence import (
    EdgeConfidence,
    GroupComparisons,
    Stability,
    bootstrap,
    compare_all_groups,
    drop_cases,
    edge_probabilities,
    shuffle_columns,
)
from bjp_engine.confidence.edges import PRESENT
from bjp_engine.parameters import (
    FittedNetwork,
    Imputed,
    effects,
    pool_effects,
    predict_variables,
)
from bjp_engine.planning import RowPlan, plan_rows
from bjp_engine.sampling import MarkovModel
from bjp_engine.scores import SCORES, KnownEdges, ScoreTrace
from bjp_engine.search import GraphTable, SearchTrace
from bjp_explorer.jobs.job import Report


@dataclass(frozen=True, eq=False, slots=True)
class Task:
    """A piece of work that any process can do."""

    # A function of a module, so that it can be sent by its name.
    run: Callable[..., Any]
    # Sent once to each process that needs it.
    data: Dataset
    arguments: dict[str, Any] = field(default_factory=dict)

    def here(self, report: Report) -> Any:
        """Do it in this process."""
        return self.run(report, self.data, **self.arguments)


def learned(
    report: Report, data: Dataset, method: str, search: str | None, options: dict[str, Any]
) -> SearchTrace:
    """Learn a structure, and record its flips as they happen."""
    return searching(partial(learn, data, method, search, **options), report)


def searching(run: Callable[..., SearchTrace], report: Report) -> SearchTrace:
    """Run a search that tells a report of itself."""
    return run(
        on_start=report.begin,
        on_step=report.record,
        progress=report.watched,
    )


def calibrated(
    report: Report, data: Dataset, known: KnownEdges | None = None, imputed: Imputed | None = None
) -> EdgeConfidence:
    """How probable each pair is an edge, calibrated on known networks; pooled where imputed."""
    return edge_probabilities(imputed or data, known=known, progress=report.watched)


def resampled(
    report: Report, data: Dataset, search: str, resamples: int, seed: int, **options: Any
) -> EdgeConfidence:
    """How often each pair is an edge of what is learned from resampled rows."""
    report.progress(0, resamples)
    return bootstrap(
        data,
        "bjp",
        search,
        resamples=resamples,
        seed=seed,
        n_jobs=report.threads,
        progress=report.watched,
        **options,
    )


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


def shuffled(
    report: Report, data: Dataset, search: str, tables: int, threshold: float = PRESENT
) -> Shuffled:
    """Learn from tables in which nothing depends on anything, table k of seed k."""
    progress = report.watched
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


def compared(
    report: Report,
    _data: Dataset,
    groups: dict[str, Dataset],
    search: str,
    permutations: int,
    seed: int,
) -> GroupComparisons:
    """Whether groups of rows have the same network, each pair of them."""
    return compare_all_groups(
        groups,
        "bjp",
        search,
        permutations=permutations,
        seed=seed,
        n_jobs=report.threads,
        progress=report.watched,
    )


def tabled(report: Report, data: Dataset) -> dict[str, GraphTable]:
    """Every graph under every score, one score after another, by method."""

    def part(k: int) -> Progress:
        return Progress(
            lambda done, of: report.progress(k * of + done, len(SCORES) * of), report.stopping
        )

    return {method: all_graphs(data, method, progress=part(k)) for k, method in enumerate(SCORES)}


def score_graph(
    _report: Report, data: Dataset, graph: nx.Graph[Any], method: str, options: dict[str, Any]
) -> ScoreTrace:
    """The score of one graph, with every term."""
    return score(data, graph, method, **options)


def fitted(report: Report, data: Dataset, graph: nx.Graph[Any]) -> FittedNetwork:
    """The graph with parameters."""
    return fit_parameters(data, graph, "auto", progress=report.watched)


def edge_effects(
    report: Report, data: Dataset, graph: nx.Graph[Any], imputed: Imputed | None = None
) -> pd.DataFrame:
    """The effect of each edge, with an interval; pooled where imputed."""
    if imputed is not None:
        return pool_effects(imputed, graph, progress=report.watched)
    return effects.edge_effects(data, graph, progress=report.watched)


def checked(
    report: Report, data: Dataset, search: str, options: Mapping[str, Any], repeats: int
) -> Stability:
    """Drop rows again and again, and learn from the rest."""
    how: dict[str, Any] = {"n_jobs": report.threads, "progress": report.watched}
    return drop_cases(data, "bjp", search, repeats=repeats, **how, **options)


def planned(
    report: Report,
    data: Dataset,
    graph: nx.Graph[Any],
    model: MarkovModel | None,
    strength: float | None,
    rows: Sequence[int],
    **options: Any,
) -> RowPlan:
    """What is found with how many rows of a model, else of a graph, fitted or of this strength."""
    progress = report.watched
    network: Any = model or graph
    if model is None and strength is None:
        network = fit_parameters(data, graph, "auto", progress=progress.quiet)
    how = options | {"strength": strength, "n_jobs": report.threads}
    return plan_rows(network, rows, progress=progress, **how)


def predicted(
    report: Report, data: Dataset, search: str, options: Mapping[str, Any], folds: int
) -> pd.DataFrame:
    """How well each variable is predicted by what is learned without the row."""
    progress = report.watched
    learner = partial(learn, method="bjp", search=search, progress=progress.quiet, **options)
    return predict_variables(data, learner, folds, progress=progress)
