"""How a long computation reports its progress, and how it is stopped."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from bjp_engine.errors import Cancelled, OptionError, clip


@dataclass(frozen=True, slots=True)
class Progress:
    """How a long computation reports its progress, and how it is stopped.

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

    def __post_init__(self) -> None:
        """Refuse what can't be called."""
        for name in ("report", "cancelled"):
            called = getattr(self, name)
            if called is not None and not callable(called):
                raise OptionError(f"{name}={clip(called)} must be a function, or None.")

    @property
    def quiet(self) -> Progress:
        """The same without reports, for a part of a computation."""
        return UNWATCHED if self.cancelled is None else Progress(cancelled=self.cancelled)

    def tick(self, done: int = 0, total: int = 0) -> None:
        """Report, and raise `Cancelled` if asked to stop."""
        if self.cancelled is not None and self.cancelled():
            raise Cancelled("The computation was cancelled.")
        if total and self.report is not None:
            self.report(done, total)

    def finish(self, total: int) -> None:
        """Report the end, without a check for cancelling."""
        if self.report is not None:
            self.report(total, total)


UNWATCHED = Progress()


class Descent:
    """Reports how far a residual has come down to its tolerance, in percent of the decades."""

    def __init__(self, progress: Progress, tolerance: float) -> None:
        self._progress, self._tolerance = progress, tolerance
        self._first: float | None = None
        self._done = 0

    def tick(self, residual: float) -> None:
        """Take the next residual, report, and stop if so asked."""
        if math.isfinite(residual):
            left = math.log(max(residual, self._tolerance) / self._tolerance)
            self._first = left if self._first is None else self._first
            done = round(100 - 100 * left / self._first) if self._first else 100
            self._done = max(self._done, done)
        self._progress.tick(self._done, 100)


def check_progress(progress: object) -> None:
    """Refuse what is no `Progress`."""
    if not isinstance(progress, Progress):
        raise OptionError(
            f"progress is of type {type(progress).__name__}; give a bjp_engine.Progress, such as "
            "Progress(report=show) for a function show(done, total)."
        )
