"""Files of the sizes that the page Data is built for: seconds, and memory beside the data's.

A million rows of thirty columns, as CSV and as Parquet, and two thousand rows of three hundred
columns. Each is read and prepared as the page does it, reading in a process of its own, in a fresh
process whose peak is told beside the size of the file and of the dataset.
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

ROWS, TALL = 1_000_000, 30
SHORT, WIDE = 2_000, 300
_MB = 1024


def main() -> int:
    """Print a line for each file."""
    print(f"{'file':<22}{'MB':>6}{'read s':>9}{'prepare s':>11}{'codes MB':>10}{'peak MB':>9}")
    with TemporaryDirectory() as folder:
        for name, path in _files(Path(folder)):
            context = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(1, mp_context=context) as pool:
                size, *figures = pool.submit(_measured, str(path)).result()
            seconds, preparing, codes, peak = figures
            print(
                f"{name:<22}{size:>6.0f}{seconds:>9.1f}{preparing:>11.1f}{codes:>10.1f}{peak:>9.0f}"
            )
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
    """One file read and prepared; megabytes and seconds."""
    from bjp_engine.io import ReadOptions
    from bjp_explorer import data_making, data_process, data_reading
    from bjp_explorer.data_file import Upload

    upload = Upload(Path(path).name, Path(path).read_bytes())
    began = time.perf_counter()
    if data_process.is_large(upload):
        found = data_process.read(upload, ReadOptions(), lambda *_: None, lambda: False)
    else:
        found = data_reading.read(upload, ReadOptions())
    read = time.perf_counter()
    made = data_making.made(found, found.suggested)
    done = time.perf_counter()
    # The reading process is a child that was waited for; both peaks are taken as if at once.
    peaks = [
        resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    ]
    size = len(upload.content) / _MB**2
    return size, read - began, done - read, made.data.codes.nbytes / _MB**2, sum(peaks) / _MB
