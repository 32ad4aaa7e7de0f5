"""The record of a search: what it found, how it came there and why it stopped.

Steps are columns that become records when someone reads them: a climb on 128 variables makes a
hundred proposals in three milliseconds, and as many records would take longer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Any

import networkx as nx
import numpy as np

from bjp_engine.arrays import Bools, Floats, Ints
from bjp_engine.dataset import Name
from bjp_engine.records import FrozenMapping, RecordSequence, record
from bjp_engine.scores.base import html_rows
from bjp_engine.scores.prior import KnownEdges, StructurePrior
from bjp_engine.shared import in_notebook, plot

if TYPE_CHECKING:
    import pandas as pd

    from bjp_engine.search.auto.probability import PairEvidence


@record
@dataclass(frozen=True, slots=True)
class Contribution:
    """The local contribution of a pair before a proposal: the sum of its computed terms (ln)."""

    edge: tuple[Name, Name]
    adjacent: bool
    value: float


@record
@dataclass(frozen=True, slots=True)
class Step:
    """One proposal of a search, and its outcome.

    Parameters
    ----------
    phase : str
        "ascent"; for the MPL hill climb "blanket" (of edge[0], which takes in or gives up
        edge[1]: then gain and score are of its local score, and there is no order) or "graph".
    gain, score : float
        How much the flip changes the score, and the score with the flip made.
    order : tuple of str or int
        ψ with the flip made.
    contributions : tuple of Contribution
        Of the pairs that came first before the flip; the first is the one proposed. Empty where
        the search doesn't use them.
    tests, evaluations : int
        Tests (or local scores) computed, and flips tried up to here, refused ones and those that
        were only weighed among them.
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
    evaluations: int = 0


@dataclass(frozen=True, eq=False, slots=True)
class Proposals:
    """Several proposals of one phase, one after another, as columns.

    `of_graph` is False where they don't flip edges of the graph; without `evaluations` each is one.
    `lowest` are the pairs that came first before each, -1 where there were fewer, with their local
    contributions and whether they were adjacent.
    """

    phase: str
    pairs: Ints
    added: Bools
    accepted: Bools
    gain: Floats
    score: Floats
    tests: Ints
    evaluations: Ints | None = None
    lowest: tuple[Ints, Floats, Bools] | None = None
    of_graph: bool = True

    def __len__(self) -> int:
        return len(self.score)

    def degrees_after(self, degrees: Ints, made: int | Bools | None = None) -> Ints:
        """The degrees of the graph with flips of one, of some, or of all that were accepted."""
        made = self.accepted if made is None else made
        degrees = degrees.copy()
        if self.of_graph:
            np.add.at(degrees, self.pairs[made], np.where(self.added[made], 1, -1)[..., None])
        return degrees

    def steps(self, names: Sequence[Name], first: int, degrees: Ints) -> Iterator[Step]:
        """Each as a record, numbered from `first`; `degrees` are those of the graph before."""
        for k, accepted in enumerate(self.accepted.tolist()):
            yield self.step(k, names, first + k, degrees)
            degrees = self.degrees_after(degrees, k) if accepted else degrees

    def step(self, k: int, names: Sequence[Name], number: int, degrees: Ints) -> Step:
        """One as a record; `degrees` are those of the graph before it."""
        i, j = self.pairs[k].tolist()
        after = self.degrees_after(degrees, k)
        order = np.argsort(after, kind="stable").tolist() if self.of_graph else ()
        lowest = zip(*(of[k].tolist() for of in self.lowest or ()), strict=True)
        return Step(
            number,
            self.phase,
            (names[i], names[j]),
            bool(self.added[k]),
            bool(self.accepted[k]),
            float(self.gain[k]),
            float(self.score[k]),
            tuple(names[v] for v in order),
            tuple(Contribution((names[u], names[v]), on, x) for (u, v), x, on in lowest if u >= 0),
            int(self.tests[k]),
            number if self.evaluations is None else int(self.evaluations[k]),
        )


class StepLog(RecordSequence[Step]):
    """The accepted flips of a search, in order; built when first looked at."""

    def __init__(
        self, batches: Sequence[Proposals], start: nx.Graph[Name], refused: bool = False
    ) -> None:
        self._batches, self._start, self._refused = tuple(batches), start, refused

    def with_refused(self) -> StepLog:
        """Every proposal, accepted or not."""
        return StepLog(self._batches, self._start, refused=True)

    @cached_property
    def _all(self) -> tuple[Step, ...]:
        """Every step as a record."""
        names, found = tuple(self._start), list[Step]()
        degrees = np.array([degree for _, degree in self._start.degree])
        for batch in self._batches:
            found += batch.steps(names, len(found) + 1, degrees)
            degrees = batch.degrees_after(degrees)
        return tuple(step for step in found if step.accepted or self._refused)

    def __len__(self) -> int:
        return sum(len(one) if self._refused else int(one.accepted.sum()) for one in self._batches)

    def build(self, k: int) -> Step:
        """The step at a position."""
        return self._all[k]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (tuple, list, StepLog)) and self._all == tuple(other)

    def __hash__(self) -> int:
        return hash(self._all)


class StopReason(StrEnum):
    """Why a search ended; the value is the sentence that a person reads."""

    NOT_RAISED = "the next proposal does not raise the score"
    NO_CANDIDATE = "no candidate edge raises the score"
    NO_FLIP = "no single flip raises the score"
    WEIGHED = "every pair was weighed, and no flip was tried"
    NO_PAIR = "there is no pair of variables to flip"
    COMPLETE = "every graph was scored"
    PATIENCE = "no better graph was found for a while"
    SCHEDULE = "the search made all its planned flips"
    TIME = "the time limit was reached"
    EVALUATIONS = "the limit on tried flips was reached"
    CANCELLED = "cancelled"


@record
@dataclass(frozen=True, eq=False, slots=True)
class SearchTrace:
    """The result of a search, its steps, and why it stopped.

    Parameters
    ----------
    options : mapping of str to record
        Those of the score and of the search, by their names.
    order : tuple of str or int
        The graph's ψ.
    steps : StepLog
        The accepted flips, a sequence of Step, built when they are looked at.
    rejected : Step or None
        The last proposal, where it was refused.
    start : networkx.Graph
        Where the ascent began; for the MPL hill climb the AND graph, and where there is no ascent
        the result.
    milestones : mapping of str to networkx.Graph
        Graphs met on the way: "and" and "or" for the MPL hill climb.
    tests, evaluations : int
        Tests (or local scores) computed, and flips tried, made or not.
    best_at : int
        After how many of the steps the result stood: after all where a search only ascends.
    structure, log_prior
        The prior over structures that the score counts, and what it adds.
    bound : float or None
        No graph scores higher; of the exhaustive search alone.
    evidence : PairEvidence or None
        What the data say of every pair; of `auto` alone.
    known : KnownEdges or None
        What was known of pairs; required and forbidden ones add no prior odds to the score.
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
    evidence: PairEvidence | None = None
    known: KnownEdges | None = None

    @property
    def given(self) -> dict[str, Any]:
        """The score's options and the prior, with which `bjp_engine.score` gives this score.

        Examples
        --------
        >>> import bjp_engine as bjp
        >>> data = bjp.Dataset.from_codes([[0, 0], [1, 1]] * 20)
        >>> trace = bjp.learn(data)
        >>> bjp.score(data, trace.graph, trace.method, **trace.given).total == trace.score
        True
        """
        options = self.options[self.method]
        given = {field.name: getattr(options, field.name) for field in fields(options)}
        usual = type(options)()
        changed = {name: of for name, of in given.items() if of != getattr(usual, name)}
        return changed | self.structure.given

    def _repr_html_(self) -> str:
        """A few lines for a notebook, and flip by flip."""
        rows = {
            "Learned": f"by {self.search}, score {self.method}",
            "Graph": f"{len(self.graph)} variables, {self.graph.number_of_edges()} edges",
            "Score": f"{self.score:.6f} (natural log)",
            "Flips": f"{len(self.steps)} made, {self.evaluations} tried",
            "Stopped": f"{self.stop_reason}",
        }
        return html_rows(rows) + in_notebook(self)

    def plot(self, kind: str = "score", *, theme: str = "light") -> Any:
        """The score after each accepted flip, removals hollow; or the learned graph ("network").

        Examples
        --------
        >>> import bjp_engine as bjp
        >>> rows = [[0, 0], [1, 1], [1, 1], [0, 1]] * 4
        >>> data = bjp.Dataset.from_codes(rows, names=["rain", "wet"])
        >>> bjp.learn(data, search="ibmap-hc").plot().axes[0].get_title(loc="left")
        'ibmap-hc: ln BJP = −0.121, 1 flip'
        """
        return plot(self, kind=kind, theme=theme)

    def to_frame(self) -> pd.DataFrame:
        """The accepted flips as a table, a row for each of `steps`.

        Examples
        --------
        >>> import bjp_engine as bjp
        >>> steps = bjp.learn([[0, 0], [1, 1]] * 20, search="ibmap-hc").to_frame()
        >>> steps[["step", "x", "y", "added"]].values.tolist()
        [[1, 0, 1, True]]
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
        """The accepted flips and the refused ones that the search reported, in their order."""
        return self.steps.with_refused()
