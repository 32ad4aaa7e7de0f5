"""How a long computation reports how far it is, and how it is stopped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from bjp_engine.errors import Cancelled


@dataclass(frozen=True, slots=True)
class Progress:
    """How a long computation reports how far it is, and how it is stopped.

    Parameters
    ----------
    report : callable(done, total), optional
        Called now and then with how many of the present batch of tests are made.
    cancelled : callable() -> bool, optional
        Asked often; once it says True, the computation ends: with what it has where that is a
        result (a search's trace says so), else by raising `Cancelled`.
    """

    report: Callable[[int, int], None] | None = None
    cancelled: Callable[[], bool] | None = None

    def tick(self, done: int = 0, total: int = 0) -> None:
        """Report, and stop if so asked."""
        if self.cancelled is not None and self.cancelled():
            raise Cancelled("The computation was cancelled.")
        if total and self.report is not None:
            self.report(done, total)


UNWATCHED = Progress()
