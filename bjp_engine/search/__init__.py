"""The searches for the graph with the highest score.

A search of one's own is given to `learn` as it is, in place of a name; one that is listed in
`SEARCHES` is offered by the pages and the command line as well. CONTRIBUTING.md shows both.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Unpack

from bjp_engine.dataset import DataLike, Dataset, as_dataset
from bjp_engine.errors import OptionError, clip, value_text
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.scores import SCORES, find_score
from bjp_engine.scores.base import Score, find_plugin, plugin_names
from bjp_engine.search.auto.evidence import Auto, begun_with
from bjp_engine.search.driver import LearnOptions, OnStart, Search, drive, pose
from bjp_engine.search.exhaustive import Exhaustive, GraphTable, score_all_graphs
from bjp_engine.search.hill_climbs import HillClimb, IBMAPHillClimb, MPLHillClimb
from bjp_engine.search.many import learn_all
from bjp_engine.search.trace import Contribution, SearchTrace, Step, StopReason
from bjp_engine.search.walks import Restarts, TabuSearch

_log = logging.getLogger(__name__)

SEARCHES: Mapping[str, Search] = MappingProxyType(
    {
        search.name: search
        for search in (
            Auto(),
            IBMAPHillClimb(),
            MPLHillClimb(),
            HillClimb(),
            TabuSearch(),
            Restarts(),
            Exhaustive(),
        )
    }
)
# The entry points under which other packages register theirs.
PLUGINS = "bjp_engine.searches"
# The search that each score was published with; near blankets, which are ours, take BJP's.
PUBLISHED: Mapping[str, str] = MappingProxyType(
    {name: score.published for name, score in SCORES.items()}
)


def searches_for(method: str | Score) -> tuple[str, ...]:
    """The names of the searches that serve a score, its default first."""
    score = find_score(method)
    return tuple(name for name, search in SEARCHES.items() if search.serves(score))


def learn(
    data: DataLike,
    method: str | Score = "bjp",
    search: str | Search | None = None,
    *,
    progress: Progress = UNWATCHED,
    on_step: Callable[[Step], None] | None = None,
    on_start: OnStart | None = None,
    **options: Unpack[LearnOptions],
) -> SearchTrace:
    """Learn the structure of a Markov network from data.

    Parameters
    ----------
    search : str or Search, optional
        "auto" (the default for all but mpl) weighs every pair and makes no flips; it takes centred
        prior cells and an expected degree of 2 unless told otherwise. The paper's are "ibmap-hc"
        (all but mpl) and "mpl-hc" (the default for mpl). Others are "hill-climb" (all but mpl),
        "tabu", "restarts" and "exhaustive" (n ≤ 7). Of a table of more than 2^30 cells, by default
        the published one, since "auto" and "exhaustive" read rows.
    progress : Progress
        Reports within a batch of tests, and ends the search: the trace says so.
    on_step, on_start : callable(Step), callable(graph, score), optional
        Called with every proposal as it happens; and with the graph from which an ascent begins.
    **options
        The score's (`prior`, `gamma`, `slices`, `prior_cells`; `ess`), the search's (`start`,
        `contributions` for ibmap-hc; see the class of each), the prior over structures
        (`edge_probability`, `expected_degree` or `log_odds`, see `StructurePrior`), what is known
        of pairs (`known`, see `bjp_engine.scores.KnownEdges`) and the budget (`seconds`,
        `evaluations`, see `Budget`).

    Examples
    --------
    >>> from bjp_engine import learn
    >>> trace = learn([[0, 0], [1, 1]] * 20, search="ibmap-hc")
    >>> list(trace.graph.edges), len(trace.steps), str(trace.stop_reason)
    ([(0, 1)], 1, 'the next proposal does not raise the score')

    Of graphs with equal or nearly equal scores, the search may return another one where the columns
    stand in another order.
    """
    score = find_score(method)
    data, chosen = _settle(as_dataset(data), search, score, progress)
    begun = begun_with(chosen.name, options) if isinstance(chosen, Auto) else options
    problem = pose(data, method, begun, progress, chosen)
    if problem.fixed is not None and not getattr(chosen, "keeps_fixed", False):
        raise OptionError(
            f"known has pairs that are required or forbidden, and search={clip(chosen.name)} does "
            "not say that it keeps them (keeps_fixed); choose another search."
        )
    for name, called in (("on_step", on_step), ("on_start", on_start)):
        if called is not None and not callable(called):
            raise OptionError(f"{name}={value_text(called)} must be a function, or None.")
    return drive(chosen, problem, on_step, on_start)


def all_graphs(
    data: DataLike,
    method: str | Score = "bjp",
    *,
    progress: Progress = UNWATCHED,
    **options: Unpack[LearnOptions],
) -> GraphTable:
    """The score of every graph on at most seven variables.

    Options are the score's, the prior's, and `known`: graphs that disagree score -inf.
    """
    return score_all_graphs(pose(data, method, options, progress))


def _settle(
    data: Dataset, search: str | Search | None, score: Score, progress: Progress
) -> tuple[Dataset, Search]:
    """The search for a dataset, and its rows here if the search reads them.

    Where these are too many to be held, the default is the first search that asks for tables alone.
    """
    chosen = find_search(search, score)
    tabled = data.scored_by(score) is not score
    if data.is_here or (tabled and getattr(chosen, "by_tables", False)):
        return data, chosen
    names = searches_for(score) if tabled else ()
    fitting = [name for name in names if getattr(SEARCHES[name], "by_tables", False)]
    if data.fits or not fitting:
        return data.hold(progress), chosen
    if search is None:
        _log.warning("The rows are too many for %r, so %r learns.", chosen.name, fitting[0])
        return data, find_search(fitting[0], score)
    raise OptionError(
        f"search={clip(chosen.name)} reads rows, and those of this dataset are too many to be "
        f"held here; use {' or '.join(map(repr, fitting))}."
    )


def find_search(search: str | Search | None, score: Score) -> Search:
    """The search of a name, or the one that is given itself."""
    fitting = searches_for(score)
    search = fitting[0] if search is None else search
    found: Any = search
    if isinstance(search, str):
        found = SEARCHES.get(search) or find_plugin(PLUGINS, search)
    if isinstance(found, Search) and found.serves(score):
        return found
    name, known = getattr(search, "name", search), (*fitting, *plugin_names(PLUGINS))
    raise OptionError(
        f"search={clip(name)} is not a search for method={score.name!r}; "
        f"use {' or '.join(map(repr, known)) or 'a search of your own'}."
    )


__all__ = [
    "PUBLISHED",
    "SEARCHES",
    "Contribution",
    "GraphTable",
    "Search",
    "SearchTrace",
    "Step",
    "StopReason",
    "all_graphs",
    "find_search",
    "learn",
    "learn_all",
    "searches_for",
]
