"""A table larger than memory would hold as it is: written in pieces, read in batches, learned from.

`python -m benchmarks.shards 100000000` takes a hundred million rows (600 MB of disk for a while);
`--read-only` leaves the learning out, `--text` writes the rows as CSV, `--binary` gives each column
two states. The file is read twice: into codes where there are no more than are held, and into bit
planes, as larger files are.
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
import pyarrow.csv
import pyarrow.parquet as pq

import bjp_engine as bjp
from benchmarks.measure import memory
from bjp_engine.counters.sums import by_bits
from bjp_engine.dataset import CountedDataset
from bjp_engine.io.parquet import MOST_HELD
from bjp_engine.io.streams import read_counted

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


def write(path: Path, rows: int, most: int) -> None:
    """The whole file, a piece at a time."""
    schema = piece(np.random.SeedSequence(0), 1, most).schema
    writer_of = pa.csv.CSVWriter if path.suffix == ".csv" else pq.ParquetWriter
    with writer_of(path, schema) as writer:
        for seed, size in pieces(rows):
            writer.write_table(piece(seed, size, most))


def measure(path: str, held: str, *, learn: bool) -> dict[str, float]:
    """Read the file into codes or planes, learn from it, and say what that took."""
    # What it takes to load the libraries, and compiled code, is measured elsewhere.
    search = "ibmap-hc" if held == "codes" else None
    cells, sizes = np.array([[0, 0], [1, 1]]), (2, 2)
    rows = by_bits(cells, sizes, np.array([9, 9]))
    small = bjp.Dataset.from_codes(cells)
    if held == "planes":
        small = CountedDataset(rows, sizes, small.names, small.labels)
    bjp.learn(small, search=search)
    found = {"before": memory("VmHWM")}
    began = time.perf_counter()
    data = bjp.read_table(path) if held == "codes" else read_counted(Path(path), held=0)
    found |= {"read": time.perf_counter() - began, "read_peak": memory("VmHWM")}
    found["held"] = (data.codes if held == "codes" else data.counter).nbytes / 1024**2
    if learn:
        began = time.perf_counter()
        trace = bjp.learn(data, search=search)
        found["learn"] = time.perf_counter() - began
        found["edges"] = trace.graph.number_of_edges()
        found["learn_peak"] = memory("VmHWM")
    return found


def main(rows: int = ROWS, *, learn: bool = True, text: bool = False, most: int = 4) -> None:
    """Measure in processes of their own, so that nothing else counts."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"shards.{'csv' if text else 'parquet'}"
        write(path, rows, most)
        kind, size = "CSV" if text else "Parquet", path.stat().st_size / 1024**2
        print(f"\nA {kind} file of {rows:,} rows and {2 * PAIRS} columns, {size:,.0f} MB")
        for held in ("codes", "planes") if rows * 2 * PAIRS <= MOST_HELD else ("planes",):
            command = [sys.executable, "-m", "benchmarks.shards", "--measure", str(path)]
            command += ["--held", held] + ([] if learn else ["--read-only"])
            run = subprocess.run(command, check=True, capture_output=True, text=True)
            _show(held, json.loads(run.stdout))


def _show(held: str, found: dict[str, float]) -> None:
    """What reading and learning took."""
    print(f"  {held}: {found['held']:,.0f} MB, beside {found['before']:,.0f} MB of code")
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
    parser.add_argument("--measure", metavar="FILE", help="a file that is there already")
    parser.add_argument("--held", choices=["codes", "planes"], default="planes")
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure(given.measure, given.held, learn=not given.read_only)))
    else:
        most = 2 if given.binary else 4
        main(given.rows, learn=not given.read_only, text=given.text, most=most)
