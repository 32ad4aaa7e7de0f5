"""Differences between scores on the same data, dataset by dataset."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bjp_engine.experiments.description import Experiment
from bjp_engine.experiments.results import Results
from bjp_engine.experiments.spread import Estimate, estimate


@dataclass(frozen=True, eq=False, slots=True)
class Gains:
    """By how much BJP does better than another score on the same data, on one network.

    Parameters
    ----------
    rows : tuple of int
        N, ascending.
    values : ndarray of float, shape (sizes, datasets)
        Wrong edges fewer, or networks learned more (-1, 0 or 1); NaN where a row is missing.
    groups : ndarray of int, shape (datasets,)
        Datasets of different groups are independent.
    """

    rows: tuple[int, ...]
    values: NDArray[np.float64]
    groups: NDArray[np.int64]

    def over(self, rows: Collection[int]) -> Estimate | None:
        """The mean gain over several sizes."""
        means = self.values[[k for k, size in enumerate(self.rows) if size in rows]]
        if not len(means):
            return None
        mean = means.mean(axis=0)
        there = ~np.isnan(mean)
        return estimate(mean[there], self.groups[there]) if there.any() else None


def gains(results: Results, experiment: Experiment, network: str, rival: str) -> Gains:
    """Pair the results of two scores."""
    chosen = results.where(experiment=experiment.name, network=network)
    ours, theirs = (_by_dataset(chosen, experiment, score, "hamming") for score in ("bjp", rival))
    if experiment.measure == "success":
        # Not equal and nothing: a missing row stays missing.
        ours, theirs = (np.where(np.isnan(v), np.nan, v != 0) for v in (ours, theirs))
    where = np.indices((experiment.distributions, experiment.samples)).reshape(2, -1)
    together = np.arange(where.shape[1]) if experiment.independent else where[0]
    return Gains(tuple(sorted(experiment.rows)), theirs - ours, together)


def tests_ratio(results: Results, experiment: Experiment, network: str) -> Estimate | None:
    """How many times as many tests IB-score makes as BJP does, as a logarithm."""
    chosen = results.where(experiment=experiment.name, network=network)
    ours, theirs = (_by_dataset(chosen, experiment, score, "tests") for score in ("bjp", "ib"))
    of_pairs = gains(results, experiment, network, "ib")
    return Gains(of_pairs.rows, np.log(theirs / ours), of_pairs.groups).over(of_pairs.rows)


def _by_dataset(
    results: Results, experiment: Experiment, score: str, column: str
) -> NDArray[np.float64]:
    """A column by size and dataset, NaN where there is no row."""
    search = dict(reversed(experiment.scores)).get(score)
    of_score = results.where(score=score, search=search)
    sizes = np.array(sorted(experiment.rows))
    found = np.full((len(sizes), experiment.distributions * experiment.samples), np.nan)
    size = np.searchsorted(sizes, of_score["rows"])
    which = of_score["distribution"] * experiment.samples + of_score["sample"]
    found[size, which] = of_score[column]
    return found
