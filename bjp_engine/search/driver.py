"""The one driver of every search, and the record it hands on.

A search supplies `begin`, which scores its starting point, and `advance`, which makes
proposals and says whether it stops. The driver does the rest: it keeps the proposals, asks for
cancellation, and turns the outcome into an immutable `SearchTrace`. Outcomes are values.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

import networkx as nx
import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.dataset import Dataset, Name
from bjp_engine.errors import Cancelled
from bjp_engine.graph import Adjacency, degree_order, to_graph
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.records import FrozenMapping, record
from bjp_engine.scores.base import Score, exact_sum, html_rows, named
from bjp_engine.scores.structure import UNIFORM, StructurePrior, edge_odds
from bjp_engine.search.steps import Proposals, Step, StepLog
from bjp_engine.validate import positive_number, whole_number

if TYPE_CHECKING:
    import pandas as pd


class StopReason(StrEnum):
    """Why a search ended; the value is the sentence that a person reads."""

    NOT_RAISED = "the next proposal does not raise the score"
    NO_CANDIDATE = "no candidate edge raises the score"
    NO_FLIP = "no single flip raises the score"
    AGREED = "no pair that disagrees with the graph raises the score"
    NO_PAIR = "there is no pair of variables to flip"
    COMPLETE = "every graph was scored"
    PROVEN = "it is proven that no graph scores higher"
    PATIENCE = "no better graph was found for a while"
    SCHEDULE = "the search made all the flips that it was to make"
    TIME = "the time that it was given is over"
    EVALUATIONS = "the flips that it was given to try are used up"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a search may use; one that is used up ends it as a cancellation would.

    Parameters
    ----------
    seconds : float, optional
        Wall-clock time; looked at between proposals, and between the parts of what prepares the
        first graph. Where it is over before that is found, the empty graph is scored instead.
    evaluations : int, optional
        How many flips may be tried; for the first phase of the MPL hill climb local scores.

    Raises
    ------
    OptionError
        If one is out of range.
    """

    seconds: float | None = None
    evaluations: int | None = None

    def __post_init__(self) -> None:
        """Refuse what isn't a budget."""
        if self.seconds is not None:
            positive_number(self.seconds, "seconds")
        if self.evaluations is not None:
            whole_number(self.evaluations, "evaluations", 1)

    def left(self, evaluations: int, most: int) -> int:
        """How many flips may be tried before this is asked again."""
        if self.seconds is not None:
            most = min(most, AT_A_TIME)
        return most if self.evaluations is None else min(most, self.evaluations - evaluations)


# Proposals that are made before anyone or a clock is asked.
AT_A_TIME = 8
NO_BUDGET = Budget()
clock = time.perf_counter


class TimeOver(Cancelled):
    """The time of a budget is over before there is a graph to begin with."""


@record
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
    steps : StepLog
        The accepted flips, a sequence of Step, built when they are looked at.
    rejected : Step or None
        The last proposal, where it was refused.
    stop_reason : StopReason
    start : networkx.Graph
        Where the ascent began; for the MPL hill climb the AND graph, and for the exhaustive and
        the exact search, which make no ascent, the result.
    start_score : float
    milestones : mapping of str to networkx.Graph
        Graphs met on the way: "and" and "or" for the MPL hill climb.
    tests : int
        Tests (or local scores) computed in all.
    seconds : float
        Wall-clock time.
    evaluations : int
        Flips tried in all, whether they were made or not.
    best_at : int
        After how many of the steps the graph stood that is the result: after all of them where
        a search only ascends.
    structure : StructurePrior
        The prior over structures that the score counts; `bjp_engine.score` takes its fields.
    log_prior : float
        What it adds to the score.
    bound : float or None
        No graph scores higher; None where the search proves nothing of the kind.
    """

    method: str
    search: str
    options: FrozenMapping[str, Any]
    graph: nx.Graph[Name]
    score: float
    order: tuple[Name, ...]
    steps: StepLog
    rejected: Step | None
    stop_reason: StopReason
    start: nx.Graph[Name]
    start_score: float
    milestones: FrozenMapping[str, nx.Graph[Name]]
    tests: int
    seconds: float
    evaluations: int
    best_at: int
    structure: StructurePrior
    log_prior: float
    bound: float | None = None

    def _repr_html_(self) -> str:
        """A few lines for a notebook."""
        rows = {
            "Learned": f"by {self.search}, score {self.method}",
            "Graph": f"{len(self.graph)} variables, {self.graph.number_of_edges()} edges",
            "Score": f"{self.score:.6f} (natural log)",
            "Flips": f"{len(self.steps)} made, {self.evaluations} tried",
            "Stopped": f"{self.stop_reason}",
        }
        return html_rows(rows)

    def to_frame(self) -> pd.DataFrame:
        """The accepted flips as a table.

        Returns
        -------
        pandas.DataFrame
            A row for each of `steps`: step, phase, x, y, added, gain, score (natural logs),
            tests and evaluations.

        Examples
        --------
        >>> import bjp_engine as bjp
        >>> data = bjp.Dataset.from_codes([[0, 0], [1, 1]] * 20, names=["rain", "wet"])
        >>> steps = bjp.learn(data, search="ibmap-hc").to_frame()
        >>> steps[["step", "x", "y", "added"]].values.tolist()
        [[1, 'rain', 'wet', True]]
        """
        import pandas as pd

        columns = ["step", "phase", "x", "y", "added", "gain", "score", "tests", "evaluations"]
        rows = (
            (s.index, s.phase, *s.edge, s.added, s.gain, s.score, s.tests, s.evaluations)
            for s in self.steps
        )
        return pd.DataFrame(rows, columns=columns)

    @property
    def proposals(self) -> Sequence[Step]:
        """The accepted flips and the refused ones that the search told of, in their order."""
        return self.steps.with_refused()


@dataclass(frozen=True, eq=False, slots=True)
class Problem:
    """What a search is given."""

    data: Dataset
    score: Score
    score_options: Any
    search_options: Any
    progress: Progress = UNWATCHED
    structure: StructurePrior = UNIFORM
    budget: Budget = NO_BUDGET
    deadline: float = math.inf

    @property
    def odds(self) -> Floats | None:
        """The prior over structures as ln odds of each pair; None where it is uniform."""
        return self.structure.odds(self.data.n)

    @property
    def preparing(self) -> Progress:
        """The progress of what comes before the first graph: the deadline ends it as well."""
        return timed(self.progress, self.deadline)

    def spent(self, evaluations: int) -> StopReason | None:
        """Why a search must end, if it must."""
        if self.budget.evaluations is not None and evaluations >= self.budget.evaluations:
            return StopReason.EVALUATIONS
        return StopReason.TIME if clock() >= self.deadline else None


def timed(progress: Progress, deadline: float) -> Progress:
    """The same progress, ended by `TimeOver` once a deadline has passed."""
    if deadline == math.inf:
        return progress

    def cancelled() -> bool:
        if clock() >= deadline:
            raise TimeOver("The time was over before the starting graph was known.")
        return progress.cancelled is not None and progress.cancelled()

    return replace(progress, cancelled=cancelled)


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
    def structure(self) -> StructurePrior | None:
        """The prior over structures that the search chose; None for the one it was given."""
        return None

    @property
    def bound(self) -> float | None:
        """No graph scores higher; None where nothing of the kind is proven."""
        return None


@dataclass(frozen=True, eq=False, slots=True)
class Move:
    """The outcome of one `advance`.

    Parameters
    ----------
    state : State
        Where the search stands now.
    proposals : Proposals or None
        What was proposed, if anything was.
    stop : StopReason or None
        Why the search ends here, if it does.
    begins : bool
        Whether the ascent proper begins here: what came before prepared its start.
    """

    state: State
    proposals: Proposals | None = None
    stop: StopReason | None = None
    begins: bool = False


@runtime_checkable
class Search(Protocol):
    """What a search supplies; one small file each, listed in `bjp_engine.search`."""

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


def scored(problem: Problem, adjacency: Adjacency) -> ScoredGraph:
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
        state, stop = scored(problem, np.zeros((len(names), len(names)), np.bool_)), StopReason.TIME
    start = _announced(state, names, on_start)
    while (stop := stop or problem.spent(state.evaluations)) is None:
        try:
            problem.progress.tick()
            move = search.advance(problem, state, problem.budget.left(state.evaluations, most))
            state, stop = move.state, move.stop
            if move.begins:
                start = _announced(state, names, on_start)
            for k, piece in enumerate(move.proposals.pieces(most) if move.proposals else ()):
                # What was made is reported, before anyone is asked again.
                if k > 0:
                    problem.progress.tick()
                batches.append(piece)
                yield piece
        except TimeOver:
            stop = StopReason.TIME
        except Cancelled:
            stop = StopReason.CANCELLED
    steps, structure = StepLog(batches, names), state.structure or problem.structure
    options = {problem.score.name: problem.score_options, search.name: problem.search_options}
    milestones = {key: to_graph(g, names, frozen=True) for key, g in state.milestones.items()}
    refused = bool(batches) and not batches[-1].accepted[-1]
    return SearchTrace(
        problem.score.name,
        search.name,
        FrozenMapping(options),
        to_graph(state.adjacency, names, frozen=True),
        state.score,
        named(degree_order(state.adjacency), problem.data),
        steps,
        batches[-1].last(names, 1 + sum(map(len, batches[:-1]))) if refused else None,
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
    )


def _announced(
    state: State, names: tuple[Name, ...], on_start: OnStart | None
) -> tuple[nx.Graph[Name], float]:
    """Where an ascent begins, and what that scores; reported."""
    start = to_graph(state.adjacency, names, frozen=True), state.score
    if on_start is not None:
        on_start(*start)
    return start
