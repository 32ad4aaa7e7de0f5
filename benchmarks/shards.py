"""A table larger than memory would hold as it is: written in pieces, read in batches, learned from.

`python -m benchmarks.shards 100000000` takes a hundred million rows (600 MB of disk for a while);
`--read-only` leaves the learning out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import bjp_engine as bjp
from benchmarks.measure import memory

ROWS, PAIRS = 1_000_000, 10
CHUNK = 1_000_000
TEXTS = pa.array(["never", "seldom", "often", "always"])


def pieces(rows: int, seed: int = 0) -> list[tuple[np.random.SeedSequence, int]]:
    """The rows of each piece of the file, and the seed of its random numbers."""
    sizes = [min(CHUNK, rows - start) for start in range(0, rows, CHUNK)]
    return list(zip(np.random.SeedSequence(seed).spawn(len(sizes)), sizes, strict=True))


def piece(seed: np.random.SeedSequence, rows: int) -> pa.Table:
    """Pairs of columns that agree in most rows: whole numbers in the one, text in the other."""
    rng = np.random.default_rng(seed)
    columns = {}
    for k in range(PAIRS):
        states = 2 + k % 3
        first = rng.integers(0, states, rows)
        noise = rng.integers(0, states, rows)
        second = np.where(rng.random(rows, dtype=np.float32) < 0.6, first, noise)
        columns[f"n{k}"] = pa.array(first)
        columns[f"t{k}"] = TEXTS.take(pa.array(second))
    return pa.table(columns)


def write(path: Path, rows: int) -> None:
    """The whole file, a piece at a time."""
    with pq.ParquetWriter(path, piece(np.random.SeedSequence(0), 1).schema) as writer:
        for seed, size in pieces(rows):
            writer.write_table(piece(seed, size))


def measure(path: str, *, learn: bool) -> dict[str, float]:
    """Read the file, learn from it, and say what that took."""
    began = time.perf_counter()
    data = bjp.read_table(path)
    found = {"rows": data.rows, "read": time.perf_counter() - began, "read_peak": memory("VmHWM")}
    if learn:
        # What it takes to load compiled code is measured elsewhere.
        bjp.learn(bjp.Dataset.from_codes([[0, 0], [1, 1]]), search="ibmap-hc")
        began = time.perf_counter()
        trace = bjp.learn(data, search="ibmap-hc")
        found["learn"] = time.perf_counter() - began
        found["edges"] = trace.graph.number_of_edges()
        found["learn_peak"] = memory("VmHWM")
    return found


def main(rows: int = ROWS, *, learn: bool = True) -> None:
    """Measure in a process of its own, so that nothing else counts."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shards.parquet"
        write(path, rows)
        size = path.stat().st_size / 1024**2
        command = [sys.executable, "-m", "benchmarks.shards", str(rows), "--measure", str(path)]
        command += [] if learn else ["--read-only"]
        run = subprocess.run(command, check=True, capture_output=True, text=True)
    found = json.loads(run.stdout)
    print(f"\nA Parquet file of {rows:,} rows and {2 * PAIRS} columns, {size:,.0f} MB")
    print(f"  {'read':<44}{found['read']:12.3f} s   peak memory {found['read_peak']:7,.0f} MB")
    if learn:
        said = f"learn, {found['edges']} edges"
        print(f"  {said:<44}{found['learn']:12.3f} s   peak memory {found['learn_peak']:7,.0f} MB")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Read and learn from a large Parquet file.")
    parser.add_argument("rows", type=int, nargs="?", default=ROWS)
    parser.add_argument("--read-only", action="store_true", help="leave the learning out")
    parser.add_argument("--measure", metavar="FILE", help="a file that is there already")
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure(given.measure, learn=not given.read_only)))
    else:
        main(given.rows, learn=not given.read_only)
