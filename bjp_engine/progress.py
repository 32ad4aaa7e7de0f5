"""How a long computation tells of itself, and how it is stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bjp_engine.errors import Cancelled

if TYPE_CHECKING:
    import networkx as nx


@dataclass(frozen=True, slots=True)
class Progress:
    """How a long computation tells of itself and is stopped.

    Parameters
    ----------
    report : callable(done, total), optional
        Called now and then with how many of the present batch of tests are made.
    cancelled : callable() -> bool, optional
        Asked often; once it says True, `Cancelled` is raised.
    on_start : callable(graph, score), optional
        Called by a search with the scored graph from which an ascent begins.
    """

    report: Callable[[int, int], None] | None = None
    cancelled: Callable[[], bool] | None = None
    on_start: Callable[[nx.Graph[Any], float], None] | None = None

    def tick(self, done: int = 0, total: int = 0) -> None:
        """Report, and stop if so asked."""
        if self.cancelled is not None and self.cancelled():
            raise Cancelled("The computation was cancelled.")
        if total and self.report is not None:
            self.report(done, total)


UNWATCHED = Progress()
