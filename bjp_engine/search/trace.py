"""The record of a search: what it found, how it came there and why it stopped.

Steps are columns that become records when someone reads them: a climb on 128 variables makes a
hundred proposals in three milliseconds, and as many records would take longer.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from functools import cached_property
from itertools import accumulate, groupby
from typing import TYPE_CHECKING, Any, overload

import networkx as nx
import numpy as np

from bjp_engine.arrays import Bools, Floats, Ints
from bjp_engine.dataset import Name
from bjp_engine.records import FrozenMapping, record
from bjp_engine.scores.base import html_rows
from bjp_engine.scores.known import KnownEdges
from bjp_engine.scores.structure import StructurePrior
from bjp_engine.shared import in_notebook, plot

if TYPE_CHECKING:
    import pandas as pd

    from bjp_engine.search.auto.evidence import PairEvidence


@record
@dataclass(frozen=True, slots=True)
class Contribution:
    """The local contribution of one pair before a proposal.

    Parameters
    ----------
    value : float
        The sum of its computed terms (natural log).
    """

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
        edge[1]) or "graph".
    gain : float
        How much the flip changes the score (the local score, in phase "blanket").
    score : float
        The score with the flip made (the variable's local score, in phase "blanket").
    order : tuple of str or int
        ψ with the flip made; empty in phase "blanket".
    contributions : tuple of Contribution
        The local contributions of the pairs that came first before the flip; the first is the
        one proposed. Empty where the search doesn't use them.
    tests : int
        Tests (or local scores) computed up to here.
    evaluations : int
        Flips tried up to here, those among them that were refused or only weighed.
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
class Lowest:
    """The pairs that came first before each of several proposals; -1 where there were fewer."""

    pairs: Ints
    values: Floats
    adjacent: Bools

    def row(self, k: int, names: Sequence[Name]) -> tuple[Contribution, ...]:
        """Those before proposal k."""
        found = zip(
            self.pairs[k].tolist(), self.adjacent[k].tolist(), self.values[k].tolist(), strict=True
        )
        return tuple(Contribution((names[i], names[j]), on, v) for (i, j), on, v in found if i >= 0)


@dataclass(frozen=True, eq=False, slots=True)
class Proposals:
    """Several proposals of one phase, one after another, as columns.

    `degrees` are those of the graph before the first; None where they don't flip its edges.
    """

    phase: str
    pairs: Ints
    added: Bools
    accepted: Bools
    gain: Floats
    score: Floats
    tests: Ints
    degrees: Ints | None = None
    lowest: Lowest | None = None
    evaluations: Ints | None = None

    def __len__(self) -> int:
        """How many they are."""
        return len(self.score)

    def steps(
        self, names: Sequence[Name], first: int, refused: bool = True, begin: int = 0
    ) -> Iterator[Step]:
        """Each proposal from one on as a record, numbered from `first` for the first of all."""
        change = np.where(self.added, 1, -1)
        degrees = None if self.degrees is None else self.degrees.copy()
        if degrees is not None:
            made = np.flatnonzero(self.accepted[:begin])
            np.add.at(degrees, self.pairs[made], change[made, None])
        for k in range(begin, len(self)):
            flipped = degrees
            if degrees is not None:
                flipped = degrees.copy()
                flipped[self.pairs[k]] += change[k]
            if refused or self.accepted[k]:
                yield self._step(k, names, first, flipped)
            if self.accepted[k]:
                degrees = flipped

    def _step(self, k: int, names: Sequence[Name], first: int, degrees: Ints | None) -> Step:
        """Proposal k as a record; `degrees` are those with its flip made."""
        i, j = self.pairs[k].tolist()
        order = () if degrees is None else np.argsort(degrees, kind="stable").tolist()
        return Step(
            first + k,
            self.phase,
            (names[i], names[j]),
            bool(self.added[k]),
            bool(self.accepted[k]),
            float(self.gain[k]),
            float(self.score[k]),
            tuple(names[v] for v in order),
            () if self.lowest is None else self.lowest.row(k, names),
            int(self.tests[k]),
            first + k if self.evaluations is None else int(self.evaluations[k]),
        )


# What has an entry for each proposal; the degrees of several batches are those before the first.
_COLUMNS = ("pairs", "added", "accepted", "gain", "score", "tests", "evaluations")


def join_alike(batches: Sequence[Proposals]) -> list[Proposals]:
    """The same proposals in as few batches as may be: one of a walk is often a flip or two."""

    def kind(batch: Proposals) -> tuple[object, ...]:
        # The lowest are as many for each proposal of a batch, but not of any two.
        alone = id(batch) if batch.lowest is not None else None
        return batch.phase, batch.degrees is None, batch.evaluations is None, alone

    found = []
    for _, alike in groupby(batches, key=kind):
        first, *others = alike
        if others:
            columns: dict[str, Any] = {
                name: np.concatenate([getattr(batch, name) for batch in (first, *others)])
                for name in _COLUMNS
                if getattr(first, name) is not None
            }
            first = replace(first, **columns)
        found.append(first)
    return found


class StepLog(Sequence[Step]):
    """The accepted flips of a search, in order; built when first looked at."""

    def __init__(
        self, batches: Sequence[Proposals], names: Sequence[Name], refused: bool = False
    ) -> None:
        """Hold the columns; nothing is built yet."""
        self._batches, self._names, self._refused = tuple(join_alike(batches)), names, refused
        self._length = sum(
            len(batch) if refused else int(batch.accepted.sum()) for batch in self._batches
        )

    def with_refused(self) -> StepLog:
        """Every proposal, accepted or not."""
        return StepLog(self._batches, self._names, refused=True)

    @cached_property
    def _all(self) -> tuple[Step, ...]:
        """Every step as a record."""
        firsts = accumulate(map(len, self._batches), initial=1)
        parts = zip(self._batches, firsts, strict=False)
        return tuple(
            step
            for batch, first in parts
            for step in batch.steps(self._names, first, self._refused)
        )

    def __len__(self) -> int:
        """How many flips were accepted."""
        return self._length

    @overload
    def __getitem__(self, position: int) -> Step: ...
    @overload
    def __getitem__(self, position: slice) -> tuple[Step, ...]: ...
    def __getitem__(self, position: int | slice) -> Step | tuple[Step, ...]:
        """The flip at a position, or several as a tuple."""
        return self._all[position]

    def __eq__(self, other: object) -> bool:
        """Whether another sequence has the same steps."""
        if not isinstance(other, (tuple, list, StepLog)):
            return NotImplemented
        return self._all == tuple(other)

    def __hash__(self) -> int:
        """As of the tuple of steps."""
        return hash(self._all)

    def __repr__(self) -> str:
        """One line."""
        return f"<{len(self)} steps>"


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
        The options of both.
    order : tuple of str or int
        Its ψ.
    steps : StepLog
        The accepted flips, a sequence of Step, built when they are looked at.
    rejected : Step or None
        The last proposal, where it was refused.
    start : networkx.Graph
        Where the ascent began; for the MPL hill climb the AND graph, and for the exhaustive search,
        which makes no ascent, the result.
    milestones : mapping of str to networkx.Graph
        Graphs met on the way: "and" and "or" for the MPL hill climb.
    tests : int
        Tests (or local scores) computed in all.
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
        No graph scores higher; of the exhaustive search alone.
    evidence : PairEvidence or None
        What the data say of every pair; of `auto` alone.
    known : KnownEdges or None
        What was known of pairs; the score is that of the graphs that agree with it, to which
        required and forbidden pairs add no prior odds.
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
        """The score's options and the prior, as `bjp_engine.score` takes them.

        With them it gives what was climbed of any graph, and of this one `score`.

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
        """The search as a figure.

        Parameters
        ----------
        kind : {"score", "network"}
            The score after each accepted flip of an edge, where removals are hollow; or the
            learned graph.

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
        """The accepted flips and the refused ones that the search reported, in their order."""
        return self.steps.with_refused()
