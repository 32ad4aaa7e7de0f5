"""One climb of the page: where it comes from, how far it is, and what the component is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import networkx as nx
from numpy.typing import NDArray

from bjp_engine.search import SearchTrace
from bjp_explorer.climb.choices import Choice
from bjp_explorer.jobs import results
from bjp_explorer.jobs.flips import Flips
from bjp_explorer.jobs.job import Job
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.views import payloads
from bjp_explorer.views.payloads import Payload
from bjp_explorer.views.words import climb_names

Outcome = SearchTrace | Job[SearchTrace]


@dataclass(frozen=True)
class Climb:
    """A search on the current dataset."""

    loaded: Loaded
    choice: Choice
    # The search, or the job that runs it.
    found: Outcome

    @property
    def identity(self) -> str:
        """Equal for reruns that show the same climb."""
        return f"{self.loaded.data.digest[:16]} {self.choice.key}"

    @property
    def trace(self) -> SearchTrace | None:
        """The search, once it has ended."""
        return self.found if isinstance(self.found, SearchTrace) else None

    @property
    def job(self) -> Job[SearchTrace] | None:
        """The job, while it runs."""
        return self.found if isinstance(self.found, Job) else None

    @property
    def has_begun(self) -> bool:
        """Whether there is something to show: its start is known."""
        return self.job is None or self.job.start is not None

    @property
    def flips(self) -> Flips:
        """The flips so far."""
        if isinstance(self.found, Job):
            return self.found.flips
        choice, data = self.choice, self.loaded.data
        return results.flips_of(self.found, data, choice.method, choice.search, **choice.options)

    def payload(self, points: NDArray[Any]) -> Payload:
        """The climb so far, for the component."""
        data, ended, choice = self.loaded.data, self.trace, self.choice
        start, score = self._start()
        uniform = ended.structure.uniform if ended else not choice.has_prior
        names = climb_names(
            self.identity, choice.method, choice.search, uniform=uniform, cells=choice.cells
        )
        return payloads.climb_payload(
            data,
            points,
            self.flips,
            ended,
            names=names,
            start=payloads.start_of(start, score, data),
            truth=self.loaded.truth,
        )

    def _start(self) -> tuple[nx.Graph[Any], float]:
        """Where it began, with its score."""
        if isinstance(self.found, Job):
            return self.found.start or (nx.empty_graph(self.loaded.data.names), 0.0)
        return payloads.begin_of(self.found)


def begin_climb(loaded: Loaded, choice: Choice) -> Climb | None:
    """A climb, begun if need be.

    None where it ended without a result, which the page has then been told.
    """
    found = results.outcome(loaded.data, choice.method, choice.search, **choice.options)
    return None if found is None else Climb(loaded, choice, found)
