"""A result to download: a graph on data, how it was learned, and the probability of its edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bjp_engine import Dataset
from bjp_engine.confidence import EdgeConfidence, confidence_of_tests, list_warnings
from bjp_engine.paper import write_paragraph
from bjp_engine.scores import KnownEdges, ScoreTrace
from bjp_engine.search import SearchTrace, StopReason
from bjp_explorer.jobs.tasks import Shuffled
from bjp_explorer.shell import caches, origins
from bjp_explorer.shell.caches import Cells
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import count, number
from bjp_explorer.views.effects import Effects, effects_of
from bjp_explorer.views.words import describe_imputed, is_pooled, score_name, warn_of_chance

_TIMED = (StopReason.TIME, StopReason.CANCELLED)


@dataclass(frozen=True, eq=False, slots=True)
class Result:
    """What files are made of."""

    # The data, and where they came from.
    loaded: Loaded
    # What is shown.
    graph: nx.Graph[Any]
    # What the page is about.
    trace: ScoreTrace | SearchTrace
    # Node positions in the unit square, as on the screen. Shape (n, 2).
    points: NDArray[np.float64]
    # The calibrated probability of each pair, where the page has it.
    confidence: EdgeConfidence | None = None
    # What learned the graph, where `trace` is only its score.
    search: SearchTrace | None = None
    # Those that the search was given, as `bjp_engine.learn` takes them.
    options: Mapping[str, Any] = field(default_factory=dict)
    # What the same search finds in shuffled columns, where that is known.
    shuffled: Shuffled | None = None
    # The prior cells of the tests in `trace`, where it is a score; a search has its own.
    scored_with: Cells = "equal"
    # Whether undecided edges are drawn.
    undecided: bool = False
    # The effect of each edge, where the page has them.
    effects: pd.DataFrame | None = None
    # What else was found on the same data, for a paper.
    further: Sequence[str] = ()
    # The calibrated probabilities without what is known of pairs, where the page has them.
    without_known: EdgeConfidence | None = None

    @property
    def data(self) -> Dataset:
        """The rows."""
        return self.loaded.data

    @property
    def method(self) -> str:
        """The score."""
        return self.trace.method

    @property
    def cells(self) -> Cells:
        """The prior cells of the tests."""
        if isinstance(self.trace, SearchTrace):
            return origins.cells_of(self.trace)
        return self.scored_with

    @property
    def score_name(self) -> str:
        """What its number is called."""
        return score_name(self.method, True, self.cells)

    @property
    def total(self) -> float:
        """The score of what the page is about, without what a prior over structures adds."""
        return self.objective - self.trace.log_prior

    @property
    def objective(self) -> float:
        """The score and, where the search has one, its prior over structures."""
        return self.trace.total if isinstance(self.trace, ScoreTrace) else self.trace.score

    @property
    def learned(self) -> SearchTrace | None:
        """The search that found the graph."""
        return self.trace if isinstance(self.trace, SearchTrace) else self.search

    @property
    def tables(self) -> int:
        """How many completed tables the probabilities and the graph are of; 1 of a whole table."""
        return self.confidence.made if self.confidence and is_pooled(self.confidence) else 1

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a reader has to know before relying on it, a sentence or two each."""
        found, said = self.learned, list[str]()
        if found is not None:
            usual = self.without_known
            said += list_warnings(
                self.data, found, self.confidence, without_known=usual, effects=self.effects
            )
            if self.shuffled is not None:
                said.append(warn_of_chance(self.shuffled, found))
        return tuple(filter(None, [*said, self.imputation]))

    @property
    def imputation(self) -> str:
        """What was imputed, and what was made of it; empty where nothing was."""
        search = "" if self.learned is None else self.learned.search
        shown = self.effects is not None
        return describe_imputed(self.loaded.imputed, self.confidence, search, effects=shown)

    @property
    def repeatable(self) -> bool:
        """Whether the same search finds the same graph: it wasn't ended by a clock or a person."""
        found = self.learned
        plain = all(
            value is None or isinstance(value, (str, int, float, KnownEdges))
            for value in self.options.values()
        )
        return found is not None and found.stop_reason not in _TIMED and plain

    @property
    def known(self) -> KnownEdges | None:
        """What was known of pairs; None where nothing was."""
        found = None if self.learned is None else self.learned.known
        return None if found is None or found.empty else found

    @property
    def about(self) -> str:
        """What the graph is, in a few words."""
        edges = count(self.graph.number_of_edges(), "edge")
        how = "" if self.learned is None else f" {origins.origin(self.learned, self.tables)}"
        if self.confidence is not None:
            return f"{edges}{how}"
        return f"{edges}{how} · {self.score_name} = {number(self.total, 4)}"

    def sure(self) -> EdgeConfidence:
        """The calibrated probabilities, else the posterior of the test that BJP makes of a pair."""
        if self.confidence is not None:
            return self.confidence
        scored = caches.score_graph(self.data, self.graph, "bjp", self.cells)
        return confidence_of_tests(scored, **caches.test_options(self.cells))

    def of_edges(self) -> Effects:
        """The effects by pairs of columns."""
        return effects_of(self.effects, self.data)

    def paper(self) -> str:
        """What a paper may say: methods, results, warnings and references as plain text.

        Empty of a graph that no search learned, or of which the search was cancelled.
        """
        found, loaded = self.learned, self.loaded
        if found is None or not origins.is_whole(found):
            return ""
        # The methods say it where all tables are pooled.
        pooled = self.tables > 1
        return write_paragraph(
            self.data,
            replace(found, graph=self.graph),
            self.confidence,
            effects=self.effects,
            source=f"“{loaded.title}”",
            preparation=loaded.for_paper,
            imputed=loaded.imputed,
            further=self.further,
            warnings=[one for one in self.warnings if not (pooled and one == self.imputation)],
        )
