"""What Markov chains over graphs are about, and where they begin: as far apart as is cheap.

In turn: a learned graph (by the search "auto" where the score has it), the graph without edges, the
OR graph of MPL's blankets (which has most edges of all that a search begins from), and then random
graphs with as many edges as that has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from bjp_engine.dataset import Dataset
from bjp_engine.errors import Cancelled
from bjp_engine.graph import Adjacency, to_adjacency
from bjp_engine.progress import Progress
from bjp_engine.scores import MPLOptions, find_score
from bjp_engine.scores.base import read_options
from bjp_engine.scores.structure import StructurePrior, read_prior
from bjp_engine.search import StopReason, learn
from bjp_engine.search.auto.nodewise import estimated_probability
from bjp_engine.search.base import NoOptions, Problem
from bjp_engine.search.mpl_hc import blanket_graphs


def posed(data: Dataset, method: str, watch: Progress, options: Mapping[str, Any]) -> Problem:
    """The score and the prior that options name."""
    score = find_score(method)
    structure, others = read_prior(options)
    kind = f"method='{method}'"
    record = read_options({kind: score.options_type}, others)[kind]
    if structure.estimated:
        probability = estimated_probability(data, Progress(None, watch.cancelled))
        structure = StructurePrior(edge_probability=probability)
    structure.odds(data.n)
    return Problem(data, score, record, NoOptions(), watch, structure)


def dispersed(
    problem: Problem, options: Mapping[str, Any], count: int, rng: np.random.Generator
) -> list[Adjacency]:
    """Graphs far from each other, for chains to begin at."""
    # The progress of a search is of another length than the chains'.
    quiet = replace(problem, watch=Progress(None, problem.watch.cancelled))
    starts = _starts(quiet, options, rng)
    return [next(starts) for _ in range(count)]


def _starts(
    problem: Problem, options: Mapping[str, Any], rng: np.random.Generator
) -> Iterator[Adjacency]:
    """One start after the other, without end."""
    data, method = problem.data, problem.score.name
    trace = learn(data, method, cancelled=problem.watch.cancelled, **options)
    if trace.stop_reason is StopReason.CANCELLED:
        raise Cancelled("The computation was cancelled.")
    yield to_adjacency(trace.graph, data)
    yield np.zeros((data.n, data.n), dtype=np.bool_)
    either = blanket_graphs(data, MPLOptions(), problem.watch)[1]
    yield either
    while True:
        upper = np.triu(rng.random((data.n, data.n)) < either.mean(), 1)
        yield upper | upper.T
