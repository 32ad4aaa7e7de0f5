"""Files of the sizes that the page Data is built for: seconds, and memory beside the data's.

A million rows of thirty columns, as CSV and as Parquet, and two thousand rows of three hundred
columns. Each is read, prepared and learned from as the page does it, reading in a process of its
own, in a fresh process whose peak is told beside the size of the file and of the dataset. Writes
its table into docs/limits.md.
"""

from __future__ import annotations

import multiprocessing
import resource
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd

from benchmarks import marked

ROWS, TALL = 1_000_000, 30
SHORT, WIDE = 2_000, 300
_MB = 1024


def main() -> int:
    """Measure, print and write a line for each file."""
    lines = [
        "| file | size | to read | to prepare | to learn | codes | peak |",
        "|---|---|---|---|---|---|---|",
    ]
    print("\n".join(lines), flush=True)
    with TemporaryDirectory() as folder:
        for name, path in _files(Path(folder)):
            context = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(1, mp_context=context) as pool:
                size, *seconds, codes, peak = pool.submit(_measured, str(path)).result()
            took = " | ".join(f"{value:.1f} s" for value in seconds)
            lines.append(f"| {name} | {size:.1f} MB | {took} | {codes:.1f} MB | {peak:.0f} MB |")
            print(lines[-1], flush=True)
    marked.write("limits.md", "files", "\n".join(lines))
    return 0


def _files(folder: Path) -> list[tuple[str, Path]]:
    """The files, written anew with a fixed seed."""
    rng = np.random.default_rng(0)
    tall = {f"c{k}": _states(rng, ROWS, ("low", "middle", "high")) for k in range(20)}
    tall |= {f"n{k}": rng.normal(50, 10, ROWS).round(1) for k in range(6)}
    tall |= {f"w{k}": rng.integers(0, 90, ROWS) for k in range(3)}
    frame = pd.DataFrame({**tall, "id": np.arange(ROWS)})
    assert frame.shape[1] == TALL
    frame.loc[rng.random(ROWS) < 0.02, "c3"] = None
    frame.loc[rng.random(ROWS) < 0.03, "n2"] = np.nan
    wide = pd.DataFrame({f"v{k}": rng.integers(2 + k % 3, size=SHORT) for k in range(WIDE)})
    found = []
    for name, table in (("tall", frame), ("wide", wide)):
        table.to_csv(folder / f"{name}.csv", index=False)
        table.to_parquet(folder / f"{name}.parquet")
        size = f"{table.shape[0]:,} × {table.shape[1]}"
        found += [(f"{size} {kind}", folder / f"{name}.{kind}") for kind in ("csv", "parquet")]
    return found


def _states(rng: np.random.Generator, rows: int, labels: tuple[str, ...]) -> object:
    """A column of text."""
    return np.array(labels, dtype=object)[rng.integers(len(labels), size=rows)]


def _measured(path: str) -> tuple[float, ...]:
    """One file read, prepared and learned from; megabytes and seconds."""
    from bjp_engine import learn
    from bjp_engine.io import ReadOptions
    from bjp_explorer.data import making, reading
    from bjp_explorer.data.upload import Upload

    upload = Upload(Path(path).name, Path(path).read_bytes())
    began = time.perf_counter()
    if reading.is_apart(upload):
        found = reading.read_in_turn(upload, ReadOptions(), lambda *_: None, lambda: False)
    else:
        found = reading.read(upload, ReadOptions())
    read = time.perf_counter()
    made = making.make(found, found.suggestion)
    prepared = time.perf_counter()
    learn(made.data, "bjp", "auto")
    done = time.perf_counter()
    # The reading process is a child that was waited for; both peaks are taken as if at once.
    peaks = [
        resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    ]
    size = len(upload.content) / _MB**2
    seconds = read - began, prepared - read, done - prepared
    return size, *seconds, made.data.codes.nbytes / _MB**2, sum(peaks) / _MB
