"""What Markov chains over graphs are about, and where they begin: as far apart as is cheap.

In turn: the graph that the score's own search learns, the graph without edges, the OR graph of
MPL's blankets (which has most edges of all that a search begins from), and then random graphs with
as many edges as that has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from bjp_engine.dataset import Dataset
from bjp_engine.errors import Cancelled
from bjp_engine.graph import Adjacency, to_adjacency
from bjp_engine.scores import MPLOptions, find_score
from bjp_engine.scores.base import read_options
from bjp_engine.scores.structure import read_prior
from bjp_engine.search import SEARCHES, StopReason, learn, searches_for
from bjp_engine.search.base import AT_A_TIME, NoOptions, Problem, drive
from bjp_engine.search.mpl_hc import blanket_graphs
from bjp_engine.watch import Watch


def posed(data: Dataset, method: str, watch: Watch, options: Mapping[str, Any]) -> Problem:
    """The score and the prior that options name.

    Parameters
    ----------
    data : Dataset
    method : {"bjp", "ib", "mpl"}
    watch : Watch
    options : mapping
        The score's and the prior's; a prior that is to be estimated is taken from `learn`.

    Returns
    -------
    Problem

    Raises
    ------
    OptionError
        If one isn't known or is out of range.
    """
    score = find_score(method)
    structure, others = read_prior(options)
    kind = f"method='{method}'"
    record = read_options({kind: score.options_type}, others)[kind]
    if structure.estimated:
        structure = learn(data, method, cancelled=watch.cancelled, **options).structure
    structure.odds(data.n)
    return Problem(data, score, record, NoOptions(), watch, structure)


def dispersed(problem: Problem, count: int, rng: np.random.Generator) -> list[Adjacency]:
    """Graphs far from each other, for chains to begin at.

    Parameters
    ----------
    problem : Problem
    count : int
    rng : numpy.random.Generator

    Returns
    -------
    list of ndarray of bool, shape (n, n)

    Raises
    ------
    Cancelled
        If the problem's watch says so.
    """
    starts = _starts(problem, rng)
    return [next(starts) for _ in range(count)]


def _starts(problem: Problem, rng: np.random.Generator) -> Iterator[Adjacency]:
    """One start after the other, without end."""
    data = problem.data
    yield _learned(problem)
    yield np.zeros((data.n, data.n), dtype=np.bool_)
    either = blanket_graphs(data, MPLOptions(), problem.watch)[1]
    yield either
    while True:
        upper = np.triu(rng.random((data.n, data.n)) < either.mean(), 1)
        yield upper | upper.T


def _learned(problem: Problem) -> Adjacency:
    """What the score's own search finds."""
    search = SEARCHES[searches_for(problem.score.name)[0]]
    # Its progress is of another length than the chains'.
    watch = Watch(None, problem.watch.cancelled)
    posed = replace(problem, search_options=search.options_type(), watch=watch)
    running = drive(search, posed, AT_A_TIME)
    while True:
        try:
            next(running)
        except StopIteration as end:
            break_off = end.value.stop_reason is StopReason.CANCELLED
            if break_off:
                raise Cancelled("The computation was cancelled.") from None
            return to_adjacency(end.value.graph, problem.data)
