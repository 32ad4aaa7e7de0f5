"""Independent pieces of an experiment: one dataset each, with everything learned from it.

A job's seeds come from its place in the design alone, so neither the order nor the number of
workers, nor what else is asked for, changes a row. All scores see the same data, and smaller N
are the first rows of the same sample (the first N of the Gibbs sampler's stream, SPEC
section 7): differences between scores and between sizes are paired.
"""

from __future__ import annotations

import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import metadata
from itertools import groupby, product
from typing import NamedTuple

import numpy as np

from bjp_engine import networks, sampling
from bjp_engine.counts import table_of
from bjp_engine.dataset import Dataset
from bjp_engine.experiments.description import Cell, Experiment
from bjp_engine.metrics import confusion
from bjp_engine.search import learn


class Row(NamedTuple):
    """One result.

    Parameters
    ----------
    network, rows, distribution, sample, score, search
        The cell.
    hamming, fp, fn : int
        Pairs in which the learned graph differs from the network: all, edges too many,
        edges missing.
    value : float
        The learned graph's score (natural log).
    seconds : float
        Wall-clock time of the search; packing the rows for the kernels, which all scores
        share, is not in it.
    tests : int
        Tests (or local scores) computed.
    steps : int
        Flips made.
    seed : int
        Of the sample; `dataset` takes the cell and gives the data.
    version : str
        The engine's.
    """

    network: str
    rows: int
    distribution: int
    sample: int
    score: str
    search: str
    hamming: int
    fp: int
    fn: int
    value: float
    seconds: float
    tests: int
    steps: int
    seed: int
    version: str

    @property
    def cell(self) -> Cell:
        """What the row is about."""
        return Cell(
            self.network, self.rows, self.distribution, self.sample, self.score, self.search
        )


@dataclass(frozen=True, slots=True)
class Job:
    """One dataset and the cells that are wanted of it.

    Parameters
    ----------
    cells : tuple of Cell
        By ascending N.
    """

    experiment: Experiment
    network: str
    distribution: int
    sample: int
    cells: tuple[Cell, ...]


def jobs(experiment: Experiment, done: Collection[Cell] = ()) -> Iterator[Job]:
    """What is left to do, repeat by repeat, so that all means become good together."""
    order = sorted(experiment.networks, key=lambda name: -len(networks.load(name)))
    repeats = product(range(experiment.samples), range(experiment.distributions))
    for (sample, distribution), network in product(repeats, order):
        cells = experiment.cells(network, distribution, sample)
        wanted = tuple(cell for cell in cells if cell not in done)
        if wanted:
            yield Job(experiment, network, distribution, sample, wanted)


def sample_seed(experiment: Experiment, network: str, distribution: int, sample: int) -> int:
    """The seed of a sample."""
    return _seed(experiment.seed, network, distribution, sample)


def dataset(
    experiment: Experiment, network: str, distribution: int, sample: int, rows: int
) -> Dataset:
    """The data that a row was learned from."""
    model = sampling.random_model(
        networks.load(network),
        experiment.weights,
        _seed(experiment.seed, network, distribution),
        epsilon=experiment.epsilon,
    )
    return model.sample(
        rows,
        sample_seed(experiment, network, distribution, sample),
        experiment.sampler,
        burn_in=experiment.burn_in,
        sweeps=experiment.sweeps,
    )


def run_job(job: Job) -> list[Row]:
    """Sample once, and learn everything that is wanted."""
    where = (job.experiment, job.network, job.distribution, job.sample)
    truth, seed = networks.load(job.network), sample_seed(*where)
    version = metadata.version("bjp-explorer")
    longest = dataset(*where, job.cells[-1].rows)
    made = []
    for rows, cells in groupby(job.cells, key=lambda cell: cell.rows):
        data = longest.take(np.arange(rows))
        # All scores share it, so none of them is charged for it.
        table_of(data)
        for cell in cells:
            _load(cell.score, cell.search)
            trace = learn(data, cell.score, cell.search)
            wrong = confusion(truth, trace.graph)
            found = (wrong.hamming, wrong.fp, wrong.fn, trace.score, trace.seconds)
            made.append(Row(*cell, *found, trace.tests, len(trace.steps), seed, version))
    return made


@cache
def _load(score: str, search: str) -> None:
    """Load compiled code, once a process, so that no search is charged for it."""
    learn(Dataset.from_codes(np.indices((2, 2, 2)).reshape(3, -1).T), score, search)


def _seed(seed: int, network: str, *places: int) -> int:
    """A whole number from a place in the design; a checksum stands for the network's name."""
    key = (zlib.crc32(network.encode()), *places)
    (state,) = np.random.SeedSequence(seed, spawn_key=key).generate_state(1, np.uint64)
    # SQLite's integers have a sign.
    return int(state) >> 1
