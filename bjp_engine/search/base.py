"""The one driver of every search, and the record it hands on.

A search supplies `begin`, which scores its starting point, and `advance`, which makes one
proposal and says whether it stops. The driver does the rest: it numbers the steps, asks for
cancellation, and turns the outcome into an immutable `SearchTrace`. Outcomes are values.
"""

from __future__ import annotations

import time
from collections.abc import Generator
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Protocol

import networkx as nx

from bjp_engine.dataset import Dataset, Name
from bjp_engine.errors import Cancelled
from bjp_engine.frozen import FrozenMapping
from bjp_engine.graph import Adjacency, degree_order, to_graph
from bjp_engine.scores.base import Score, named
from bjp_engine.watch import NO_WATCH, Watch


class StopReason(StrEnum):
    """Why a search ended; the value is the sentence that a person reads."""

    NOT_RAISED = "the next proposal does not raise the score"
    NO_CANDIDATE = "no candidate edge raises the score"
    NO_PAIR = "there is no pair of variables to flip"
    COMPLETE = "every graph was scored"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Contribution:
    """The local contribution of one pair before a proposal.

    Parameters
    ----------
    edge : tuple of str or int
        The pair, in column order.
    adjacent : bool
        Whether it is an edge of the graph at that point.
    value : float
        The sum of its computed terms (natural log).
    """

    edge: tuple[Name, Name]
    adjacent: bool
    value: float


@dataclass(frozen=True, slots=True)
class Step:
    """One proposal of a search and what became of it.

    Parameters
    ----------
    index : int
        1 for the first.
    phase : str
        "ascent"; for the MPL hill climb "blanket" (of edge[0], which takes in or gives up
        edge[1]) or "graph".
    edge : tuple of str or int
        The pair that is flipped.
    added : bool
        Whether the flip adds the edge; False where it removes it.
    accepted : bool
        Whether the flip was kept.
    gain : float
        How much the flip changes the score (the local score, in phase "blanket").
    score : float
        The score with the flip made (the variable's local score, in phase "blanket").
    order : tuple of str or int
        ψ with the flip made; empty in phase "blanket".
    contributions : tuple of Contribution
        The lowest local contributions before the flip, ascending; the first is the one
        proposed. Empty where the search doesn't use them.
    tests : int
        Tests (or local scores) computed up to here.
    """

    index: int
    phase: str
    edge: tuple[Name, Name]
    added: bool
    accepted: bool
    gain: float
    score: float
    order: tuple[Name, ...] = ()
    contributions: tuple[Contribution, ...] = ()
    tests: int = 0


@dataclass(frozen=True, eq=False, slots=True)
class SearchTrace:
    """What a search found, how it came there and why it stopped.

    Parameters
    ----------
    method, search : str
        The score and the search, by their registered names.
    options : mapping of str to record
        The options of both.
    graph : networkx.Graph
        The learned graph, with every variable as a node.
    score : float
        Its score (natural log).
    order : tuple of str or int
        Its ψ.
    steps : tuple of Step
        The accepted flips.
    rejected : Step or None
        The last proposal, where it was refused.
    stop_reason : StopReason
    start : networkx.Graph
        Where the ascent began; for the MPL hill climb the AND graph, and for the exhaustive
        search, which makes no ascent, the result.
    start_score : float
    milestones : mapping of str to networkx.Graph
        Graphs met on the way: "and" and "or" for the MPL hill climb.
    tests : int
        Tests (or local scores) computed in all.
    seconds : float
        Wall-clock time.
    """

    method: str
    search: str
    options: FrozenMapping[str, Any]
    graph: nx.Graph[Name]
    score: float
    order: tuple[Name, ...]
    steps: tuple[Step, ...]
    rejected: Step | None
    stop_reason: StopReason
    start: nx.Graph[Name]
    start_score: float
    milestones: FrozenMapping[str, nx.Graph[Name]]
    tests: int
    seconds: float

    @property
    def proposals(self) -> tuple[Step, ...]:
        """The accepted flips, and the refused one where there is one."""
        return self.steps if self.rejected is None else (*self.steps, self.rejected)


@dataclass(frozen=True, eq=False, slots=True)
class Problem:
    """What a search is given.

    Parameters
    ----------
    data : Dataset
    score : Score
    score_options, search_options : dataclass
    watch : Watch
    """

    data: Dataset
    score: Score
    score_options: Any
    search_options: Any
    watch: Watch = NO_WATCH

    def order(self, adjacency: Adjacency) -> tuple[Name, ...]:
        """ψ by name."""
        return named(degree_order(adjacency), self.data)


@dataclass(frozen=True, slots=True)
class NoOptions:
    """For a search that has nothing to set."""


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
    def milestones(self) -> dict[str, Adjacency]:
        """Graphs met on the way, by name."""
        ...


@dataclass(frozen=True, eq=False, slots=True)
class Move:
    """The outcome of one `advance`.

    Parameters
    ----------
    state : State
        Where the search stands now.
    step : Step or None
        The proposal, if one was made; its index is set by the driver.
    stop : StopReason or None
        Why the search ends here, if it does.
    begins : bool
        Whether the ascent proper begins here: what came before prepared its start.
    """

    state: State
    step: Step | None = None
    stop: StopReason | None = None
    begins: bool = False


class Search(Protocol):
    """What a search supplies; one small file each, registered in `bjp_engine.search`."""

    name: str
    title: str
    methods: tuple[str, ...]
    options_type: type[Any]

    def begin(self, problem: Problem, /) -> State:
        """Score the starting point."""
        ...

    def advance(self, problem: Problem, state: Any, /) -> Move:
        """Make one proposal."""
        ...


@dataclass(slots=True)
class _Journal:
    """What the driver has seen so far."""

    began: float = field(default_factory=time.perf_counter)
    proposals: int = 0
    steps: list[Step] = field(default_factory=list)
    rejected: Step | None = None

    def enter(self, step: Step) -> Step:
        """Number a proposal and file it."""
        self.proposals += 1
        step = replace(step, index=self.proposals)
        if step.accepted:
            self.steps.append(step)
        self.rejected = None if step.accepted else step
        return step


def drive(search: Search, problem: Problem) -> Generator[Step, None, SearchTrace]:
    """Run a search, yielding every proposal as it happens.

    Parameters
    ----------
    search : Search
    problem : Problem

    Yields
    ------
    Step

    Returns
    -------
    SearchTrace
        As the generator's return value.

    Raises
    ------
    Cancelled
        If the watch asked to stop before the start was scored; later the trace says so.
    """
    journal = _Journal()
    problem.watch.tick()
    state = start = _announced(problem, search.begin(problem))
    stop: StopReason | None = None
    while stop is None:
        try:
            problem.watch.tick()
            move = search.advance(problem, state)
        except Cancelled:
            stop = StopReason.CANCELLED
            break
        state, stop = move.state, move.stop
        if move.begins:
            start = _announced(problem, state)
        if move.step is not None:
            yield journal.enter(move.step)
    return _trace(search, problem, start, state, stop, journal)


def _announced(problem: Problem, start: State) -> State:
    """Tell the watch where an ascent begins."""
    if problem.watch.on_start is not None:
        problem.watch.on_start(_frozen(problem, start), start.score)
    return start


def _frozen(problem: Problem, state: State) -> nx.Graph[Name]:
    """The graph of a state, by name."""
    return to_graph(state.adjacency, problem.data.names, frozen=True)


def _trace(
    search: Search,
    problem: Problem,
    start: State,
    state: State,
    stop: StopReason,
    journal: _Journal,
) -> SearchTrace:
    """The record of a finished search."""
    names = problem.data.names
    options = {problem.score.name: problem.score_options, search.name: problem.search_options}
    return SearchTrace(
        problem.score.name,
        search.name,
        FrozenMapping(options),
        _frozen(problem, state),
        state.score,
        problem.order(state.adjacency),
        tuple(journal.steps),
        journal.rejected,
        stop,
        _frozen(problem, start),
        start.score,
        FrozenMapping({k: to_graph(g, names, frozen=True) for k, g in state.milestones.items()}),
        state.tests,
        time.perf_counter() - journal.began,
    )
