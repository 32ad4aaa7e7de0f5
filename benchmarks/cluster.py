"""What a flip costs where the rows lie on the workers of a cluster.

`python -m benchmarks cluster` writes uneven files of random rows, reads them on a local cluster of
one and of two workers with one thread each, learns by IBMAP-HC, and fits

    seconds a flip = message + row · rows / workers

to two sizes with one worker.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import bjp_engine as bjp

VARIABLES, FILES = 20, 8
SMALL, LARGE = 2_000_000, 16_000_000
REPEATS = 2
COLUMNS = (
    "workers",
    "rows",
    "rows read a second",
    "ms a flip",
    "MB of a worker: begun",
    "with its rows",
    "after counting",
)


@dataclass(frozen=True)
class Run:
    """What one cluster took."""

    workers: int
    rows: int
    read: float
    flip: float  # the least of some climbs
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
    """Read the files and learn; the first climb loads the kernels and counts all pairs."""
    with cluster(workers) as client:
        megabytes = [max(client.run(held).values())]
        began = time.perf_counter()
        data = bjp.read_sharded(pattern, client=client)
        read = time.perf_counter() - began
        megabytes.append(max(client.run(held).values()))
        traces = [bjp.learn(data, search="ibmap-hc") for _ in range(1 + REPEATS)]
        megabytes.append(max(client.run(held).values()))
        flip = min(trace.seconds / trace.evaluations for trace in traces[1:])
        return Run(workers, data.rows, read, flip, tuple(megabytes))


def text(runs: Sequence[Run]) -> str:
    """The table, the model and what follows from it."""
    small, large, two = runs
    row = (large.flip - small.flip) / (large.rows - small.rows)
    message = small.flip - row * small.rows
    lines = [f"| {' | '.join(COLUMNS)} |", "|" + "---|" * len(COLUMNS)]
    lines += [
        f"| {run.workers} | {run.rows:,} | {run.rows / run.read:,.0f} | {1e3 * run.flip:.1f} "
        f"| {' | '.join(f'{mb:,.0f}' for mb in run.megabytes)} |"
        for run in runs
    ]
    said = (
        f"{1e3 * message:.1f} ms a message and {1e9 * row:.2f} ns a row. Two workers read "
        f"{large.read / two.read:.2f} times as fast as one, and flip "
        f"{large.flip / two.flip:.2f} times as fast. Messages cost more than rows below "
        f"{message / row:,.0f} rows a worker."
    )
    return "\n".join([*lines, "", said])


def main() -> None:
    """Measure, and print."""
    runs = []
    with tempfile.TemporaryDirectory() as folder:
        for rows, workers in ((SMALL, (1,)), (LARGE, (1, 2))):
            there = Path(folder) / str(rows)
            there.mkdir()
            pattern = write(there, rows)
            runs += [measure(pattern, some) for some in workers]
    print(text(runs))


if __name__ == "__main__":
    main()
