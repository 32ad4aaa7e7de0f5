"""The searches for the graph with the highest score, one small file each.

To add a search: write a class with `name`, `title`, `methods`, `options_type`, `begin`
and `advance`, and list it in `SEARCHES`; the contract tests and the pages pick
it up from there.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from types import MappingProxyType
from typing import Any

import networkx as nx

from bjp_engine.dataset import DataLike, Name, as_dataset
from bjp_engine.errors import OptionError, clip
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.scores import find_score
from bjp_engine.scores.base import read_options
from bjp_engine.scores.structure import StructurePrior, read_prior
from bjp_engine.search.annealing import Annealing
from bjp_engine.search.auto.nodewise import estimated_probability
from bjp_engine.search.auto.search import Auto
from bjp_engine.search.base import (
    AT_A_TIME,
    Budget,
    Problem,
    Search,
    SearchTrace,
    StopReason,
    drive,
)
from bjp_engine.search.exact import Exact
from bjp_engine.search.exhaustive import Exhaustive, GraphTable, score_all_graphs
from bjp_engine.search.hill_climb import HillClimb
from bjp_engine.search.ibmap_hc import IBMAPHillClimb
from bjp_engine.search.many import learn_all
from bjp_engine.search.mpl_hc import MPLHillClimb
from bjp_engine.search.restarts import Restarts
from bjp_engine.search.steepest import SteepestAscent
from bjp_engine.search.steps import Contribution, Proposals, Step
from bjp_engine.search.tabu import TabuSearch

# Proposals that are made before anyone is asked, where there is nobody.
_AT_ONCE = 1 << 40

SEARCHES: Mapping[str, Search] = MappingProxyType(
    {
        search.name: search
        for search in (
            Auto(),
            IBMAPHillClimb(),
            MPLHillClimb(),
            HillClimb(),
            SteepestAscent(),
            TabuSearch(),
            Restarts(),
            Annealing(),
            Exhaustive(),
            Exact(),
        )
    }
)


# The search that each score was published with.
PUBLISHED: Mapping[str, str] = MappingProxyType(
    {"bjp": "ibmap-hc", "ib": "ibmap-hc", "mpl": "mpl-hc"}
)


def searches_for(method: str) -> tuple[str, ...]:
    """The names of the searches that serve a score, its default first.

    Parameters
    ----------
    method : {"bjp", "ib", "mpl"}

    Returns
    -------
    tuple of str

    Raises
    ------
    OptionError
        If there is no such score.
    """
    find_score(method)
    return tuple(name for name, search in SEARCHES.items() if method in search.methods)


def learn(
    data: DataLike,
    method: str = "bjp",
    search: str | None = None,
    *,
    on_step: Callable[[Step], None] | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
    on_start: Callable[[nx.Graph[Any], float], None] | None = None,
    **options: Any,
) -> SearchTrace:
    """Learn the structure of a Markov network from data.

    Parameters
    ----------
    data : Dataset, DataFrame or array
        N rows of n variables.
    method : {"bjp", "ib", "mpl"}
        The score to maximise.
    search : str, optional
        "auto" (the default for bjp and ib) chooses its start and a prior over structures from
        the data. The paper's are "ibmap-hc" (bjp and ib) and "mpl-hc" (the default for mpl).
        Others are "hill-climb" (bjp and ib), "steepest", "tabu", "restarts", "annealing",
        "exhaustive" (n ≤ 7) and "exact" (mpl and ib, n ≤ 20).
    on_step : callable(Step), optional
        Called with every proposal as it happens.
    on_progress : callable(done, total), optional
        Called now and then within a batch of tests.
    cancelled : callable() -> bool, optional
        Asked often; once True, the search ends and the trace says so.
    on_start : callable(graph, score), optional
        Called with the scored graph from which an ascent begins.
    **options
        The score's (`prior`, `gamma`, `slices`; `ess`), the search's (`start`,
        `contributions` for ibmap-hc; see the class of each), the prior over structures
        (`edge_probability`, `expected_degree` or `log_odds`, see `StructurePrior`) and the
        budget (`seconds`, `evaluations`, see `Budget`).

    Returns
    -------
    SearchTrace

    Raises
    ------
    OptionError
        If method, search or an option isn't known or doesn't fit.
    DataError
        If an exhaustive search is asked for with more than seven variables, or an exact one
        with more than twenty.
    Cancelled
        If it was cancelled before the starting graph was scored.

    Examples
    --------
    >>> trace = learn([[0, 0], [1, 1]] * 20, search="ibmap-hc")
    >>> list(trace.graph.edges), len(trace.steps), str(trace.stop_reason)
    ([(0, 1)], 1, 'the next proposal does not raise the score')

    References
    ----------
    docs/theory.md §4; the modules of `bjp_engine.search` cite the algorithms.
    """
    watching = Progress(on_progress, cancelled, on_start)
    if on_step is None:
        # Nobody sees the steps, so many are made before the watch is asked again.
        unwatched = on_progress is None and cancelled is None
        watching = UNWATCHED if unwatched and on_start is None else watching
        problem, chosen = _problem(data, method, search, watching, options)
        return _result(drive(chosen, problem, _AT_ONCE if unwatched else AT_A_TIME))
    watched = iter_steps(data, method, search, watching, **options)
    while True:
        try:
            step = next(watched)
        except StopIteration as end:
            trace: SearchTrace = end.value
            return trace
        on_step(step)


def _result(running: Generator[object, None, SearchTrace]) -> SearchTrace:
    """Run a generator to its end and take what it returns."""
    while True:
        try:
            next(running)
        except StopIteration as end:
            trace: SearchTrace = end.value
            return trace


def iter_steps(
    data: DataLike,
    method: str = "bjp",
    search: str | None = None,
    watching: Progress = UNWATCHED,
    **options: Any,
) -> Generator[Step, None, SearchTrace]:
    """The same as `learn`, as a generator of its proposals.

    Parameters
    ----------
    data : Dataset, DataFrame or array
    method, search
        See `learn`.
    watching : Progress
        Progress and cancellation.
    **options
        See `learn`.

    Yields
    ------
    Step
        Each proposal as it happens, the refused last one included.

    Returns
    -------
    SearchTrace
        As the generator's return value.

    Raises
    ------
    OptionError, DataError, Cancelled
        See `learn`.
    """
    problem, chosen = _problem(data, method, search, watching, options)
    return _told(drive(chosen, problem), problem.data.names)


def _told(
    running: Generator[Proposals, None, SearchTrace], names: tuple[Name, ...]
) -> Generator[Step, None, SearchTrace]:
    """Batches of proposals as one step after another."""
    first = 1
    while True:
        try:
            batch = next(running)
        except StopIteration as end:
            trace: SearchTrace = end.value
            return trace
        yield from batch.steps(names, first)
        first += len(batch)


def all_graphs(
    data: DataLike, method: str = "bjp", watching: Progress = UNWATCHED, **options: Any
) -> GraphTable:
    """The score of every graph on at most seven variables.

    Parameters
    ----------
    data : Dataset, DataFrame or array
        n ≤ 7 variables.
    method : {"bjp", "ib", "mpl"}
    watching : Progress
    **options
        The score's options.

    Returns
    -------
    GraphTable

    Raises
    ------
    DataError
        If there are more variables.
    OptionError
        If the method or an option isn't known or is out of range.
    """
    return score_all_graphs(_problem(data, method, "exhaustive", watching, options)[0])


def _problem(
    data: DataLike, method: str, search: str | None, watching: Progress, options: Mapping[str, Any]
) -> tuple[Problem, Search]:
    """Look up what the names mean and sort the options."""
    data = as_dataset(data)
    score = find_score(method)
    fitting = searches_for(method)
    name = fitting[0] if search is None else search
    if name not in fitting:
        raise OptionError(
            f"search={clip(name)} is no search for method='{method}'; "
            f"use {' or '.join(repr(known) for known in fitting)}."
        )
    chosen = SEARCHES[name]
    structure, others = read_prior(options)
    of_score, of_search = f"method='{method}'", f"search='{name}'"
    kinds = {of_score: score.options_type, of_search: chosen.options_type, "every search": Budget}
    records = read_options(kinds, others)
    if structure.estimated:
        probability = estimated_probability(data, watching)
        structure = StructurePrior(edge_probability=probability)
    structure.odds(data.n)
    return Problem(
        data,
        score,
        records[of_score],
        records[of_search],
        watching,
        structure,
        records["every search"],
    ), chosen


__all__ = [
    "PUBLISHED",
    "SEARCHES",
    "Contribution",
    "GraphTable",
    "Progress",
    "Search",
    "SearchTrace",
    "Step",
    "StopReason",
    "all_graphs",
    "iter_steps",
    "learn",
    "learn_all",
    "searches_for",
]
