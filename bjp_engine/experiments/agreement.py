"""Our figures beside the paper's: where they agree within the errors of both."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from bjp_engine.experiments.printed import REPEATS, Printed, is_printed, printed
from bjp_engine.experiments.results import Results
from bjp_engine.experiments.spread import rate_error
from bjp_engine.experiments.summary import Summary, summaries

ERRORS = 3.0
SHARE = 0.1


@dataclass(frozen=True, slots=True)
class Agreement:
    """One of our figures and the paper's.

    Parameters
    ----------
    summary : Summary
        Ours, with everything else about the cell.
    printed : Printed
        The paper's.
    """

    summary: Summary
    printed: Printed

    @property
    def difference(self) -> float:
        """Ours minus the paper's."""
        return self.summary.mean - self.printed.value

    @property
    def error(self) -> float:
        """The standard error of the difference: ours and the paper's combined.

        A repeat alone has none of its own; then the paper's stands for both. Behind rates the
        paper prints none; theirs are of 100 datasets.
        """
        theirs = self.printed.spread
        if theirs is None:
            theirs = rate_error(self.printed.value * REPEATS, REPEATS)
        ours = self.summary.error
        return math.hypot(theirs if math.isnan(ours) else ours, theirs)

    @property
    def agrees(self) -> bool:
        """Within 10 % of the paper's Hamming distance, or within three combined errors."""
        near = (
            self.printed.measure == "hamming" and abs(self.difference) <= SHARE * self.printed.value
        )
        return near or abs(self.difference) <= ERRORS * self.error


def agreement(results: Results) -> tuple[Agreement, ...]:
    """Compare all cells that the paper prints as well."""
    found = []
    for summary in summaries(results):
        if is_printed(summary.experiment):
            figures = {(p.network, p.rows, p.score): p for p in printed(summary.experiment)}
            figure = figures.get((summary.network, summary.rows, summary.score))
            if figure is not None and figure.measure == summary.measure:
                found.append(Agreement(summary, figure))
    return tuple(found)


def share(compared: Iterable[Agreement]) -> float:
    """The share of cells that agree."""
    agrees = [one.agrees for one in compared]
    return sum(agrees) / len(agrees) if agrees else 1.0


def gaps(compared: Iterable[Agreement]) -> dict[str, float]:
    """The mean absolute difference of each network."""
    found: dict[str, list[float]] = {}
    for one in compared:
        found.setdefault(one.summary.network, []).append(abs(one.difference))
    return {network: sum(values) / len(values) for network, values in found.items()}
