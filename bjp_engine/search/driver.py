"""The one driver of every search.

A search supplies `begin`, which scores its starting point, and `advance`, which makes
proposals and says whether it stops. The driver does the rest: it keeps the proposals, asks for
cancellation, and turns the outcome into an immutable `SearchTrace`. Outcomes are values.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import networkx as nx
import numpy as np

from bjp_engine.dataset import Name
from bjp_engine.errors import Cancelled
from bjp_engine.graph import Adjacency, degree_order, to_graph
from bjp_engine.records import FrozenMapping
from bjp_engine.scores.base import Score, exact_sum, named
from bjp_engine.scores.structure import edge_odds
from bjp_engine.search.problem import Problem, TimeOver, clock
from bjp_engine.search.trace import Proposals, SearchTrace, StepLog, StopReason

if TYPE_CHECKING:
    from bjp_engine.search.auto.evidence import PairEvidence

_log = logging.getLogger(__name__)


class State(Protocol):
    """Where a search stands: a scored graph, and whatever else its algorithm carries."""

    @property
    def adjacency(self) -> Adjacency:
        """The graph, shape (n, n)."""
        ...

    @property
    def score(self) -> float:
        """Its score."""
        ...

    @property
    def tests(self) -> int:
        """Tests (or local scores) computed so far."""
        ...

    @property
    def evaluations(self) -> int:
        """Flips tried so far."""
        ...

    @property
    def milestones(self) -> dict[str, Adjacency]:
        """Graphs met on the way, by name."""
        return {}

    @property
    def best_at(self) -> int | None:
        """How many steps lead to the graph; None for all."""
        return None

    @property
    def evidence(self) -> PairEvidence | None:
        """What the data say of each pair; None where that was not asked."""
        return None

    @property
    def bound(self) -> float | None:
        """No graph scores higher; None where nothing of the kind is known."""
        return None


@dataclass(frozen=True, eq=False, slots=True)
class Move:
    """The outcome of one `advance`: where the search stands, what it proposed, whether it stops.

    `begins` is True where the ascent proper begins: what came before prepared its start.
    """

    state: State
    proposals: Proposals | None = None
    stop: StopReason | None = None
    begins: bool = False


@runtime_checkable
class Search(Protocol):
    """What a search supplies; one small file each, listed in `bjp_engine.search`.

    One that leaves pairs alone which the problem's `fixed` has, from a start that agrees with it
    (`Problem.agreeing`), has `keeps_fixed = True`; no other is given such pairs. One that
    asks a score for the graph's terms and for single flips, and reads no rows, has
    `by_tables = True`; no other is given data whose rows are counted elsewhere.
    """

    name: str
    title: str
    options_type: type[Any]

    def serves(self, score: Score, /) -> bool:
        """Whether the score can do what this search asks of it."""
        ...

    def begin(self, problem: Problem, /) -> State:
        """Score the starting point; what prepares it reports to `problem.preparing`."""
        ...

    def advance(self, problem: Problem, state: Any, most: int, /) -> Move:
        """Make proposals, `most` of them at most where they can be made one by one."""
        ...


@dataclass(frozen=True, eq=False, slots=True)
class ScoredGraph(State):
    """A graph with its score, and nothing else."""

    adjacency: Adjacency
    score: float
    tests: int
    evaluations: int = 0


def score_graph(problem: Problem, adjacency: Adjacency) -> ScoredGraph:
    """A graph with its score, as the score itself adds it up."""
    trace = problem.score.trace(
        problem.data, adjacency, problem.score_options, problem.progress, problem.odds
    )
    return ScoredGraph(adjacency, trace.score, trace.tests)


OnStart = Callable[["nx.Graph[Any]", float], None]


def drive(
    search: Search, problem: Problem, most: int = 1, on_start: OnStart | None = None
) -> Generator[Proposals, None, SearchTrace]:
    """Run a search, yielding its proposals as they happen."""
    began, batches = clock(), list[Proposals]()
    names, stop = problem.data.names, None
    problem.progress.tick()
    state: State
    try:
        state = search.begin(problem)
    except TimeOver:
        empty = np.zeros((len(names), len(names)), dtype=np.bool_)
        state, stop = score_graph(problem, problem.agreeing(empty)), StopReason.TIME
    start = _announce(state, names, on_start)
    while (stop := stop or problem.spent(state.evaluations)) is None:
        try:
            problem.progress.tick()
            move = search.advance(problem, state, problem.budget.left(state.evaluations, most))
            state, stop = move.state, move.stop
            if move.begins:
                start = _announce(state, names, on_start)
            if move.proposals:
                batches.append(move.proposals)
                yield move.proposals
        except TimeOver:
            stop = StopReason.TIME
        except Cancelled:
            stop = StopReason.CANCELLED
    steps, structure = StepLog(batches, names), problem.scored_with
    options = {problem.score.name: problem.score_options, search.name: problem.search_options}
    milestones = {key: to_graph(g, names, frozen=True) for key, g in state.milestones.items()}
    rejected = None
    if batches and not batches[-1].accepted[-1]:
        before, last = sum(map(len, batches[:-1])), len(batches[-1]) - 1
        rejected = next(batches[-1].steps(names, 1 + before, begin=last))
    _log.info("%s of %s ended with %s flips: %s", search.name, problem.score.name, len(steps), stop)
    return SearchTrace(
        problem.score.name,
        search.name,
        FrozenMapping(options),
        to_graph(state.adjacency, names, frozen=True),
        state.score,
        named(degree_order(state.adjacency), problem.data),
        steps,
        rejected,
        stop,
        *start,
        FrozenMapping(milestones),
        state.tests,
        clock() - began,
        state.evaluations,
        len(steps) if state.best_at is None else state.best_at,
        structure,
        exact_sum(edge_odds(state.adjacency, structure.odds(len(names)))),
        state.bound,
        state.evidence,
        problem.known,
    )


def _announce(
    state: State, names: tuple[Name, ...], on_start: OnStart | None
) -> tuple[nx.Graph[Name], float]:
    """Where an ascent begins, and what that scores; reported."""
    start = to_graph(state.adjacency, names, frozen=True), state.score
    if on_start is not None:
        on_start(*start)
    return start
