"""A table larger than memory would hold as it is: written in files, read by workers, learned from.

`python -m benchmarks.shards 100000000` takes a hundred million rows (600 MB of disk for a while);
`--read-only` leaves the learning out, `--text` writes the rows as CSV, `--binary` gives each column
two states. Where one file may hold all rows, it is read into codes as well.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq

import bjp_engine as bjp
from benchmarks.measure import memory
from bjp_engine.validate import MOST_CELLS

# Rows of a file that a worker reads.
EACH = 5_000_000
ROWS, PAIRS = 1_000_000, 10
CHUNK = 1_000_000
TEXTS = pa.array(["never", "seldom", "often", "always"])


def pieces(rows: int, seed: int = 0) -> list[tuple[np.random.SeedSequence, int]]:
    """The rows of each piece of the file, and the seed of its random numbers."""
    sizes = [min(CHUNK, rows - start) for start in range(0, rows, CHUNK)]
    return list(zip(np.random.SeedSequence(seed).spawn(len(sizes)), sizes, strict=True))


def piece(seed: np.random.SeedSequence, rows: int, most: int) -> pa.Table:
    """Pairs of columns that agree in most rows: whole numbers in the one, text in the other."""
    rng = np.random.default_rng(seed)
    columns = {}
    for k in range(PAIRS):
        states = min(2 + k % 3, most)
        first = rng.integers(0, states, rows)
        noise = rng.integers(0, states, rows)
        second = np.where(rng.random(rows, dtype=np.float32) < 0.6, first, noise)
        columns[f"n{k}"] = pa.array(first)
        columns[f"t{k}"] = TEXTS.take(pa.array(second))
    return pa.table(columns)


def write(paths: list[Path], rows: int, most: int) -> None:
    """All files, a piece at a time."""
    schema = piece(np.random.SeedSequence(0), 1, most).schema
    writer_of = pa.csv.CSVWriter if paths[0].suffix == ".csv" else pq.ParquetWriter
    each, found = -(-len(pieces(rows)) // len(paths)), pieces(rows)
    for k, path in enumerate(paths):
        with writer_of(path, schema) as writer:
            for seed, size in found[k * each : (k + 1) * each]:
                writer.write_table(piece(seed, size, most))


def measure(pattern: str, held: str, *, learn: bool) -> dict[str, float]:
    """Read files into codes or on a worker, learn from them, and say what that took."""
    with ExitStack() as stack:
        client = None
        if held == "worker":
            from distributed import Client, LocalCluster

            local = {"dashboard_address": "127.0.0.1:0", "memory_limit": 0}
            cluster = stack.enter_context(LocalCluster(n_workers=1, threads_per_worker=1, **local))
            client = stack.enter_context(Client(cluster, set_as_default=False))

        def peak() -> float:
            """The peak of this process, and of the worker."""
            others = client.run(memory, "VmHWM").values() if client is not None else ()
            return memory("VmHWM") + sum(others)

        # What it takes to load the libraries, and compiled code, is measured elsewhere.
        search = "ibmap-hc"
        small = bjp.Dataset.from_codes([[0, 0], [1, 1]])
        bjp.learn(small, search=search)
        found = {"before": peak()}
        began = time.perf_counter()
        if client is None:
            data = bjp.read_table(pattern)
        else:
            data = bjp.read_sharded(pattern, client=client)
        found |= {"read": time.perf_counter() - began, "read_peak": peak()}
        if learn:
            began = time.perf_counter()
            trace = bjp.learn(data, search=search)
            found["learn"] = time.perf_counter() - began
            found["edges"] = trace.graph.number_of_edges()
            found["learn_peak"] = peak()
    return found


def main(rows: int = ROWS, *, learn: bool = True, text: bool = False, most: int = 4) -> None:
    """Measure in processes of their own, so that nothing else counts."""
    with tempfile.TemporaryDirectory() as folder:
        kind = "csv" if text else "parquet"
        files = -(-rows // EACH)
        paths = [Path(folder) / f"part-{k:04}.{kind}" for k in range(files)]
        write(paths, rows, most)
        size = sum(path.stat().st_size for path in paths) / 1024**2
        print(f"\n{rows:,} rows and {2 * PAIRS} columns in {files} {kind} files, {size:,.0f} MB")
        whole = files == 1 and rows * 2 * PAIRS <= MOST_CELLS
        for held, pattern in (("codes", paths[0]), ("worker", Path(folder) / f"*.{kind}")):
            if held == "worker" or whole:
                command = [sys.executable, "-m", "benchmarks.shards", "--measure", str(pattern)]
                command += ["--held", held] + ([] if learn else ["--read-only"])
                run = subprocess.run(command, check=True, capture_output=True, text=True)
                _show(held, json.loads(run.stdout))


def _show(held: str, found: dict[str, float]) -> None:
    """What reading and learning took."""
    print(f"  {held}: beside {found['before']:,.0f} MB of code")
    print(f"    {'read':<42}{found['read']:12.3f} s   peak memory {found['read_peak']:7,.0f} MB")
    if "learn" in found:
        said = f"learn, {found['edges']} edges"
        print(
            f"    {said:<42}{found['learn']:12.3f} s   peak memory {found['learn_peak']:7,.0f} MB"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Read and learn from a large file of rows.")
    parser.add_argument("rows", type=int, nargs="?", default=ROWS)
    parser.add_argument("--read-only", action="store_true", help="leave the learning out")
    parser.add_argument("--text", action="store_true", help="CSV instead of Parquet")
    parser.add_argument("--binary", action="store_true", help="two states in every column")
    parser.add_argument("--measure", metavar="FILE", help="files that are there already")
    parser.add_argument("--held", choices=["codes", "worker"], default="worker")
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure(given.measure, given.held, learn=not given.read_only)))
    else:
        most = 2 if given.binary else 4
        main(given.rows, learn=not given.read_only, text=given.text, most=most)
