"""One line for each network, N and score: means over all datasets, with their errors."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bjp_engine.experiments.description import Experiment, Learner, Measure
from bjp_engine.experiments.results import Results
from bjp_engine.experiments.spread import estimate, rate_error

# Experiment, network, N, score and search.
Key = tuple[str, str, int, str, str]


@dataclass(frozen=True, slots=True)
class Summary:
    """What the repeats of a cell say together.

    Parameters
    ----------
    rows : int
        N.
    repeats : int
        Datasets so far.
    measure : {"hamming", "success"}
        What the experiment is judged by.
    hamming, hamming_error : float
        Mean Hamming distance and its standard error, NaN where there is one repeat only.
    success, success_error : float
        How often the network itself was learned, 0 to 1.
    fp, fn : float
        Mean edges too many and missing.
    seconds : float
        Mean wall-clock time of a search.
    tests : float
        Mean number of tests.
    """

    experiment: str
    network: str
    rows: int
    score: str
    search: str
    repeats: int
    measure: Measure
    hamming: float
    hamming_error: float
    success: float
    success_error: float
    fp: float
    fn: float
    seconds: float
    tests: float

    @property
    def key(self) -> Key:
        """What it is about."""
        return self.experiment, self.network, self.rows, self.score, self.search

    @property
    def mean(self) -> float:
        """The mean of what it is judged by."""
        return self.success if self.measure == "success" else self.hamming

    @property
    def error(self) -> float:
        """Its standard error, NaN where there is none."""
        return self.success_error if self.measure == "success" else self.hamming_error


def summaries(results: Results) -> tuple[Summary, ...]:
    """Summarise results; cells without a row yet are left out."""
    return tuple(_summaries(results))


def groups(results: Results, experiment: Experiment) -> NDArray[np.int64]:
    """Which datasets may depend on each other: those from one random distribution."""
    distribution = results["distribution"]
    if experiment.independent:
        return np.asarray(distribution * experiment.samples + results["sample"])
    return distribution


def _summaries(results: Results) -> Iterator[Summary]:
    """Cell by cell."""
    for name, experiment in results.experiments.items():
        of_experiment = results.where(experiment=name)
        for network in experiment.networks:
            of_network = of_experiment.where(network=network)
            for rows in sorted(experiment.rows):
                of_rows = of_network.where(rows=rows)
                for learner in experiment.scores:
                    cell = of_rows.where(score=learner.score, search=learner.search)
                    if len(cell):
                        yield _summary(cell, experiment, (network, rows, learner))


def _summary(cell: Results, experiment: Experiment, where: tuple[str, int, Learner]) -> Summary:
    """One cell."""
    network, rows, learner = where
    together, repeats = groups(cell, experiment), len(cell)
    wrong = estimate(cell["hamming"], together)
    right = estimate(cell["hamming"] == 0, together)
    least = rate_error(right.mean * repeats, repeats)
    means = (float(cell[name].mean()) for name in ("fp", "fn", "seconds", "tests"))
    return Summary(
        experiment.name,
        network,
        rows,
        *learner,
        repeats,
        experiment.measure,
        wrong.mean,
        wrong.error,
        right.mean,
        # Clusters that happen to agree don't make a rate surer than its trials.
        max(least, right.error) if right.error == right.error else least,
        *means,
    )
