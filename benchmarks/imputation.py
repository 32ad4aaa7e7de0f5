"""`python -m benchmarks imputation`: how near do ways with missing cells come to the full data?

Cells of complete data are removed, completely at random or depending on a variable that is known,
and the calibrated probabilities after each way of treating them are compared with those of the
data before: Hamming distance of the graphs of all pairs from 0.5 on, and the sum over pairs of
|p - p of the full data|. Both tables are written into docs/calibration.md.

`python -m benchmarks imputation-cost`: how long does imputing take, and up to which size of table
is it 20 seconds or less? `parameters.imputation.imputation_seconds` is read off that table.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from statistics import fmean

import networkx as nx
import numpy as np

import bjp_engine as bjp
from benchmarks import marked, ordered
from benchmarks.accuracy.groups import BAYESIAN, Group, Sample, make
from bjp_engine.arrays import Bools, Floats
from bjp_engine.columns import Table
from bjp_engine.errors import DataError
from bjp_engine.parameters import impute
from bjp_engine.parameters.imputation import ROUNDS, TIMES
from bjp_engine.preparation import MissingCells, prepare
from bjp_engine.resources import sample_data

SAMPLES = (
    Sample(Group("asia", BAYESIAN, 1000), 9000),
    Sample(Group("sachs", BAYESIAN, 1000), 9000),
    Sample(Group("scale-free-1", "log-odds", 500), 9000),
)
FILES = ("coronary", "rochdale")
SHARES = (0.05, 0.2, 0.4)
# Where cells are missing by the state of the first variable: how often in the rows of its most
# frequent state, and how often elsewhere.
OFTEN, SELDOM = 0.35, 0.05
SEED = 0
BY_VARIABLE = "by a variable"
IMPUTED = f"imputed {TIMES} times"
# Of what costs are measured: rows and variables of random graphs with three edges for each
# variable, a share of cells removed, and how many of the completed tables are made.
COST_SIZES = ((20_000, 15), (3000, 25), (10_000, 25), (3000, 40), (10_000, 40), (500, 100))
COST_SHARE, COST_TIMES = 0.15, 2


def sources() -> Iterator[tuple[str, bjp.Dataset]]:
    """Complete data."""
    for name in FILES:
        yield name, bjp.read_table(sample_data("datasets", f"{name}.csv"))
    for sample in SAMPLES:
        yield sample.group.network, make(sample)[0]


def removals(data: bjp.Dataset) -> Iterator[tuple[str, Bools]]:
    """Which cells are removed, a table of the same shape for each mechanism."""
    draws = np.random.default_rng(SEED).random(data.codes.shape)
    for share in SHARES:
        yield f"{share:.0%}".replace("%", " %"), draws < share
    first = data.codes[:, 0]
    often = first == np.bincount(first).argmax()
    gone = draws < np.where(often, OFTEN, SELDOM)[:, None]
    gone[:, 0] = False
    yield BY_VARIABLE, gone


def with_holes(data: bjp.Dataset, gone: Bools) -> Table:
    """The data as a table without these cells."""
    frame = data.to_frame().astype(object)
    return Table.of(frame.mask(gone))


def step(how: str) -> Callable[[Table], Floats]:
    """The probabilities after a step of the preparation; no edge where it leaves no row."""

    def found(table: Table) -> Floats:
        """The matrix of one table."""
        try:
            return bjp.edge_probabilities(prepare(table, [MissingCells(how)]).data).matrix
        except DataError:
            return np.zeros((len(table.names),) * 2)

    return found


def filled(table: Table) -> Floats:
    """The matrix where each cell holds its variable's most frequent state."""
    frame = table.to_frame()
    return bjp.edge_probabilities(frame.fillna(frame.mode().iloc[0])).matrix


def imputed(table: Table, rounds: int = ROUNDS) -> Floats:
    """The pooled probabilities."""
    made = impute(table, TIMES, seed=SEED, rounds=rounds)
    return bjp.edge_probabilities(made).matrix


WAYS: dict[str, Callable[[Table], Floats]] = {
    "rows dropped": step("drop"),
    "a state of its own": step("state"),
    "the most frequent state": filled,
    IMPUTED: imputed,
}


def distances(found: Floats, full: Floats) -> tuple[int, float]:
    """Pairs that are an edge in one graph only, and the sum of |p - p of the full data|."""
    pairs = np.triu_indices(len(full), 1)
    p, q = found[pairs], full[pairs]
    return int(((p >= 0.5) != (q >= 0.5)).sum()), float(np.abs(p - q).sum())


Measured = dict[tuple[str, str, str], tuple[int, float]]


def measured() -> Measured:
    """The distances by dataset, mechanism and way."""
    found: Measured = {}
    for name, data in sources():
        full = bjp.edge_probabilities(data).matrix
        for mechanism, gone in removals(data):
            table = with_holes(data, gone)
            for way, probabilities in WAYS.items():
                found[name, mechanism, way] = distances(probabilities(table), full)
            print(name, mechanism, *(found[name, mechanism, way] for way in WAYS), flush=True)
    return found


def table(found: Measured) -> str:
    """The means over the datasets, then Hamming distances of each dataset."""
    names = list(dict.fromkeys(name for name, _, _ in found))
    mechanisms = list(dict.fromkeys(mechanism for _, mechanism, _ in found))
    lines = [f"| mean | {' | '.join(mechanisms)} |", "| --- " * (len(mechanisms) + 1) + "|"]
    for way in WAYS:
        cells = []
        for mechanism in mechanisms:
            pairs = [found[name, mechanism, way] for name in names]
            cells.append(f"{fmean(h for h, _ in pairs):.1f} · {fmean(d for _, d in pairs):.2f}")
        lines.append(f"| {way} | {' | '.join(cells)} |")
    lines += ["", f"| Hamming distance | cells removed | {' | '.join(WAYS)} |"]
    lines.append("| --- " * (len(WAYS) + 2) + "|")
    for name in names:
        for mechanism in mechanisms:
            cells = [str(found[name, mechanism, way][0]) for way in WAYS]
            lines.append(f"| {name} | {mechanism} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Print the tables and write them into docs/calibration.md."""
    print(text := table(measured()))
    marked.write("calibration.md", "imputation", text)


def cost_sources() -> Iterator[tuple[str, bjp.Dataset]]:
    """Complete data of several sizes: answers, votes, and samples of random graphs."""
    yield "ordered answers", ordered.make("bands of normal variables", 4000, SEED)[0]
    votes = bjp.io.read_frame(sample_data("datasets", "senate109.csv"))[0]
    yield "senate109", bjp.Dataset.from_frame(votes, missing="state")
    for rows, n in COST_SIZES:
        graph = nx.gnm_random_graph(n, 3 * n, seed=SEED)
        model = bjp.sampling.random_model(graph, "log-odds", seed=SEED)
        yield "a random graph", model.sample(rows, SEED, "gibbs")


def seconds(data: bjp.Dataset) -> float:
    """Processor time for all completed tables, from that of a few."""
    gone = np.random.default_rng(SEED).random(data.codes.shape) < COST_SHARE
    table = with_holes(data, gone)
    start = time.process_time()
    impute(table, COST_TIMES, seed=SEED)
    return (time.process_time() - start) * TIMES / COST_TIMES


def cost() -> None:
    """Print the table of costs and write it into docs/calibration.md."""
    impute(with_holes(bjp.Dataset.from_codes([[0, 1], [1, 0]] * 9), np.eye(18, 2) > 0), 2)
    lines = [
        "| data | rows | variables | rows × variables² | processor seconds |",
        "| --- | --- | --- | --- | --- |",
    ]
    for name, data in cost_sources():
        size = data.rows * data.n**2
        cells = (name, f"{data.rows:,}", f"{data.n}", f"{size:,}", f"{seconds(data):.0f}")
        lines.append(f"| {' | '.join(cells)} |")
        print(lines[-1], flush=True)
    marked.write("calibration.md", "imputation-cost", "\n".join(lines))
