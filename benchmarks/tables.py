"""Reading text to a dataset beside pandas: processor time and peak memory, each in a new process.

A million rows of thirty columns, a tenth of that with every cell quoted and with lines that only
the csv module reads, and five rows of twenty thousand columns. The ratio is to
`pandas.read_csv(dtype="category")` on the same file in the same run. Writes its table into
docs/limits.md.
"""

from __future__ import annotations

import csv
import multiprocessing
import resource
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd

from benchmarks import marked

ROWS, SHORT, WIDE = 1_000_000, 100_000, 20_000
_MB = 1 << 20


def main() -> int:
    """Measure, print and write a line for each file."""
    lines = [
        "| file | size | pandas | `read_table` | ratio | peak | peak / file |",
        "|---|---|---|---|---|---|---|",
    ]
    print("\n".join(lines), flush=True)
    with TemporaryDirectory() as folder:
        # Not made here: a process that is started begins with its parent's peak.
        for name, path in _alone(_files, Path(folder)):
            size = path.stat().st_size / _MB
            base, _ = _alone(_measure, _read_by_pandas, path)
            ours, peak = _alone(_measure, _read_to_dataset, path)
            lines.append(
                f"| {name} | {size:.1f} MB | {base:.2f} s | {ours:.2f} s | {ours / base:.2f} | "
                f"{peak:.0f} MB | {peak / size:.1f} |"
            )
            print(lines[-1], flush=True)
    marked.write("limits.md", "tables", "\n".join(lines))
    return 0


def _files(folder: Path) -> list[tuple[str, Path]]:
    """The files, written anew with a fixed seed."""
    tall = _frame(ROWS)
    found = {f"{ROWS:,} × 30": folder / "tall.csv"}
    tall.to_csv(folder / "tall.csv", index=False)
    short = tall.iloc[:SHORT]
    found[f"{SHORT:,} × 30, every cell quoted"] = folder / "quoted.csv"
    short.to_csv(folder / "quoted.csv", index=False, quoting=csv.QUOTE_ALL)
    found[f"{SHORT:,} × 30, a blank line in it"] = folder / "blank.csv"
    text = short.to_csv(index=False)
    half = text.index("\n", len(text) // 2)
    (folder / "blank.csv").write_text(f"{text[:half]}\n{text[half:]}", encoding="utf-8")
    found[f"5 × {WIDE:,}"] = folder / "wide.csv"
    wide = np.random.default_rng(1).integers(3, size=(5, WIDE))
    names = [f"v{i}" for i in range(WIDE)]
    pd.DataFrame(wide, columns=names).to_csv(folder / "wide.csv", index=False)
    return list(found.items())


def _frame(rows: int) -> pd.DataFrame:
    """Twenty columns of text, six of measurements, four of whole numbers; some cells missing."""
    rng = np.random.default_rng(0)
    states = np.array(("low", "middle", "high"), dtype=object)
    columns = {f"c{k}": states[rng.integers(3, size=rows)] for k in range(20)}
    columns |= {f"n{k}": rng.normal(50, 10, rows).round(1) for k in range(6)}
    columns |= {f"w{k}": rng.integers(0, 90, rows) for k in range(4)}
    frame = pd.DataFrame(columns)
    frame.loc[rng.random(rows) < 0.02, "c3"] = None
    frame.loc[rng.random(rows) < 0.03, "n2"] = np.nan
    return frame


def _alone(work: Callable[..., Any], *given: Any) -> Any:
    """Some work in a process of its own."""
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(work, *given).result()


def _measure(read: Callable[[str], Any], path: Path) -> tuple[float, float]:
    """Read a small file so that everything is loaded, then the file: seconds and megabytes."""
    small = path.with_suffix(".small.csv")
    small.write_text("a,b\nx,1\ny,2\n", encoding="utf-8")
    read(str(small))
    began = time.process_time()
    read(str(path))
    took = time.process_time() - began
    return took, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / _MB


def _read_by_pandas(path: str) -> Any:
    return pd.read_csv(path, dtype="category")


def _read_to_dataset(path: str) -> Any:
    from bjp_engine import read_table

    return read_table(path, missing="state")
