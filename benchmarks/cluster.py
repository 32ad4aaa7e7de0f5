"""What a flip costs where the rows lie on the workers of a cluster, and a model of it.

`python -m benchmarks cluster` writes shards of random rows, reads them on a local cluster of one
and of two workers with one thread each, makes the same flips, and fits

    seconds a flip = message + row · rows / workers

to two sizes with one worker. It predicts two workers, and says when messages cost more than rows.
"""

from __future__ import annotations

import pickle
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import bjp_engine as bjp
from benchmarks import marked
from bjp_engine.contingency import Answer, Counter, Layers, Request
from bjp_engine.dataset import CountedDataset
from bjp_engine.graph import to_adjacency
from bjp_engine.independence import IndependenceOptions
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.scores.board import Assertions

VARIABLES, FILES = 20, 8
SMALL, LARGE = 4_000_000, 12_000_000
REPEATS = 5
COLUMNS = (
    "workers",
    "rows",
    "rows read a second",
    "ms a flip",
    "waiting",
    "rounds a flip",
    "bytes asked",
    "bytes answered",
    "MB of a worker: begun",
    "with its rows",
    "after counting",
)
# What is told of a cluster that nobody has measured.
WORKERS, ROWS = 100, 10**11


@dataclass
class Watched:
    """A counter that notes what it is asked."""

    counter: Counter
    seconds: list[float] = field(default_factory=list)
    sent: list[int] = field(default_factory=list)
    received: list[int] = field(default_factory=list)

    @property
    def rows(self) -> int:
        return self.counter.rows

    @property
    def digest(self) -> str:
        return self.counter.digest

    def select(self, variables: Sequence[int]) -> Counter:
        return self.counter.select(variables)

    def resample(self, seed: int, k: int) -> Counter:
        return self.counter.resample(seed, k)

    def count(
        self, requests: Sequence[Request], progress: Progress = UNWATCHED
    ) -> Sequence[Answer]:
        began = time.perf_counter()
        answers = self.counter.count(requests, progress)
        self.seconds.append(time.perf_counter() - began)
        self.sent.append(len(pickle.dumps(tuple(requests))))
        # The tables of this network are small enough to be laid out.
        arrays = [array for one in answers if isinstance(one, Layers) for array in one]
        assert len(arrays) == 2 * len(requests)
        self.received.append(sum(_bytes(array) for array in arrays))
        return answers


def _bytes(array: np.ndarray) -> int:
    """The bytes of whole numbers in the smallest type that holds them."""
    return array.size * np.min_scalar_type(int(array.max(initial=0))).itemsize


@dataclass(frozen=True)
class Run:
    """What one cluster took."""

    workers: int
    rows: int
    read: float
    flip: float  # the median of repeats, as are the next
    waiting: float
    rounds: float
    sent: float
    received: float
    # What the largest worker held at the beginning, with its rows, and after counting.
    megabytes: tuple[float, ...]


def truth() -> nx.Graph:
    """A network of three neighbours a variable."""
    return nx.random_regular_graph(3, VARIABLES, seed=1)


def write(folder: Path, rows: int) -> str:
    """Uneven shards: columns that agree with their neighbours in the network."""
    sizes = np.diff(np.linspace(0, rows, FILES * (FILES + 1) // 2 + 1)[_ends()].astype(int))
    for k, size in enumerate(sizes.tolist()):
        rng = np.random.default_rng([rows, k])
        columns: dict[str, Any] = {}
        for i in range(VARIABLES):
            earlier = [j for j in truth()[i] if j < i]
            own = rng.random(size, dtype=np.float32) < 0.5
            if earlier:
                other = columns[f"v{earlier[k % len(earlier)]}"].astype(bool)
                own = np.where(rng.random(size, dtype=np.float32) < 0.3, other, own)
            columns[f"v{i}"] = own.astype(np.int8)
        pq.write_table(pa.table(columns), folder / f"shard-{k}.parquet")
    return str(folder / "*.parquet")


def _ends() -> np.ndarray:
    """Where shards end, the first the smallest: 1, 3, 6, … of so many parts."""
    return np.concatenate([[0], np.cumsum(np.arange(1, FILES + 1))])


@contextmanager
def cluster(workers: int) -> Iterator[Any]:
    """A client of a cluster on this machine."""
    from distributed import Client, LocalCluster

    options = {"threads_per_worker": 1, "dashboard_address": None, "host": "127.0.0.1"}
    with LocalCluster(n_workers=workers, processes=True, **options) as made, Client(made) as client:
        yield client


def held() -> float:
    """The memory of this process, in MB."""
    import psutil

    return float(psutil.Process().memory_info().rss) / 1e6


def measure(pattern: str, workers: int) -> Run:
    """Read the shards and make the flips of the network, all of which are kept."""
    with cluster(workers) as client:
        megabytes = [max(client.run(held).values())]
        began = time.perf_counter()
        data = bjp.read_sharded(pattern, client=client)
        read = time.perf_counter() - began
        megabytes.append(max(client.run(held).values()))
        watched = Watched(data.counter)
        data = CountedDataset(watched, data.cardinalities, data.names, data.labels)
        edges = np.array(sorted(tuple(sorted(edge)) for edge in truth().edges), dtype=np.int64)
        taken, waited = [], []
        for _ in range(REPEATS + 1):
            empty = to_adjacency(nx.empty_graph(data.names), data)
            board = Assertions.of(data, empty, False, IndependenceOptions())
            watched.seconds.clear(), watched.sent.clear(), watched.received.clear()
            began = time.perf_counter()
            board.propose(edges, np.full(len(edges), -np.inf))
            taken.append(time.perf_counter() - began)
            waited.append(sum(watched.seconds))
        megabytes.append(max(client.run(held).values()))
        flips = len(edges)
        # The first time kernels are loaded and pairs are counted.
        flip = statistics.median(taken[1:]) / flips
        waiting = statistics.median(waited[1:]) / sum(taken[1:]) * len(taken[1:])
        return Run(
            workers,
            data.rows,
            read,
            flip,
            waiting,
            len(watched.seconds) / flips,
            sum(watched.sent) / flips,
            sum(watched.received) / flips,
            tuple(megabytes),
        )


def fit(small: Run, large: Run) -> tuple[float, float]:
    """Seconds of a message and of a row, from two sizes with one worker."""
    row = (large.flip - small.flip) / (large.rows - small.rows)
    return small.flip - row * small.rows, row


def text(runs: Sequence[Run]) -> str:
    """The table, the model and what follows from it."""
    small, large, two = runs
    message, row = fit(small, large)
    predicted = message + row * two.rows / two.workers
    lines = [
        f"| {' | '.join(COLUMNS)} |",
        "|" + "---|" * len(COLUMNS),
    ]
    lines += [
        f"| {run.workers} | {run.rows:,} | {run.rows / run.read:,.0f} | {1e3 * run.flip:.1f} "
        f"| {run.waiting:.0%} | {run.rounds:.2f} | {run.sent:,.0f} | {run.received:,.0f} "
        f"| {' | '.join(f'{mb:,.0f}' for mb in run.megabytes)} |"
        for run in runs
    ]
    far = message + row * ROWS / WORKERS
    said = (
        f"One worker: {1e3 * message:.1f} ms a message and {1e9 * row:.2f} ns a row. For two "
        f"workers the model says {1e3 * predicted:.1f} ms a flip; measured were "
        f"{1e3 * two.flip:.1f} ms ({two.flip / predicted - 1:+.0%}). A flip of {ROWS:.0e} rows "
        f"on {WORKERS} workers would take {far:.2f} s, {message / far:.0%} of it the message. "
        f"Messages cost more than rows below {message / row:,.0f} rows a worker."
    )
    return "\n".join([*lines, "", said])


def main() -> None:
    """Measure, print, and write into docs/performance.md."""
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        for rows, workers in ((SMALL, (1,)), (LARGE, (1, 2))):
            there = Path(folder) / str(rows)
            there.mkdir()
            pattern = write(there, rows)
            runs += [measure(pattern, some) for some in workers]
    print(written := text(runs))
    marked.write("performance.md", "cluster", written)


if __name__ == "__main__":
    main()
