"""Each way of counting switched off once: how much longer a whole learn takes without it.

`python -m benchmarks routes`, which writes its table into docs/performance.md. Every variant runs
in a process of its own; the processes are asked in turn, and the least of their processor times is
taken, so that a busy machine falls on all of them alike. A route that is a matter of data is
switched off there; for the others the climbs of tests are compiled once more without it, and MPL,
which makes no tests, isn't asked.
"""

from __future__ import annotations

import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import marked, samples
from bjp_engine.warmup import warmup

ROUNDS, AT_LEAST = 4, 0.15
DATA = {
    "n = 128, N = 8000": samples.scale_free,
    "ALARM-like, n = 37, N = 20 000": samples.alarm_like,
    "20 variables of 10 states, N = 5000": samples.many_states,
    "n = 1000, N = 100 000": samples.tree,
    "all graphs on 6 variables": samples.six,
    "one test, 3 variables given": samples.six,
}
ONCE = ("n = 1000, N = 100 000", "one test, 3 variables given")
TASKS = [
    (method, data)
    for method in ("BJP", "IB-score", "MPL")
    for data in DATA
    if method == "BJP" or data not in ONCE
]


def put(module: str, **values: Any) -> None:
    """Replace names of a module before anything of it is compiled."""
    for name, value in values.items():
        setattr(importlib.import_module(f"bjp_engine.{module}"), name, value)


def without_rows() -> None:
    """What isn't counted by masks is grouped."""
    from bjp_engine import counts

    made = counts._make_table
    put("counts", _make_table=lambda *of: made(*of)._replace(cells_a_row=0))


def without_few() -> None:
    """No slice is looked up."""
    put("kernels.evidence", FEW=-1)
    put("kernels.pairwise", FEW=-1)
    put("counts", few_size=lambda: 1)


def without_pairs() -> None:
    """Two states are as any others."""
    from bjp_engine.kernels import pairwise as kernels

    @kernels.inner
    def posteriors(table, evidence, prior, cells, *rest):  # type: ignore[no-untyped-def]
        within, targets, slices, want, out = rest
        begin = 0
        for t in range(len(targets)):
            ry = table.cardinalities[targets[t]]
            of_y = within[begin : begin + ry - 1]
            ratios = kernels.ratios_of(evidence, cells, of_y, slices.rows)
            out[t] = kernels._answer(prior, ratios, want)
            begin += ry - 1

    put("kernels.pairwise", _posteriors=posteriors)


def without_margins() -> None:
    """Every dependence is counted anew."""
    from bjp_engine.kernels import pairwise as kernels

    @kernels.inlined
    def member(table, evidence, x, blanket, place, cells, out):  # type: ignore[no-untyped-def]
        rest = np.empty(len(blanket) - 1, dtype=np.int64)
        kernels.copy(blanket[:place], rest)
        kernels.copy(blanket[place + 1 :], rest[place:])
        one, dependent = blanket[place : place + 1], np.int64(kernels.DEPENDENT)
        kernels.test_pairs(table, evidence, x, rest, one, dependent, out)
        return cells

    put("kernels.pairwise", _member=member)


BY_DATA: dict[str, Callable[[], None]] = {
    "all routes": lambda: None,
    "no masks": lambda: put("counts", MOST_MASKS=0),
    "no rows": without_rows,
}
COMPILED: dict[str, Callable[[], None]] = {
    "no small": lambda: put("kernels.climb", FEW_TARGETS=-1),
    "no few": without_few,
    "no pairs": without_pairs,
    "no margins": without_margins,
}
VARIANTS = BY_DATA | COMPILED


def work_on(folder: Path, score: str, data: str) -> Callable[[], object]:
    """A whole learn of a dataset that was made before."""
    import bjp_engine as bjp

    method = score.lower().removesuffix("-score")
    with np.load(folder / f"{list(DATA).index(data)}.npz") as kept:
        made = bjp.Dataset.from_codes(kept["codes"], kept["cardinalities"].tolist())
    if data.startswith("all graphs"):
        return partial(bjp.all_graphs, made, method)
    if data.startswith("one test"):
        return partial(bjp.independence_test, made, 0, 1, (2, 3, 4))
    return partial(bjp.learn, made, method, "ibmap-hc" if method != "mpl" else None)


def serve(variant: str, folder: Path) -> None:
    """Run the tasks that are named on standard input, and print the seconds of each."""
    VARIANTS[variant]()
    name = ""
    for line in sys.stdin:
        if line != name:
            work = work_on(folder, *json.loads(name := line))
            work()
        taken, began = list[float](), time.perf_counter()
        while time.perf_counter() - began < AT_LEAST or not taken:
            start = time.process_time()
            work()
            taken.append(time.process_time() - start)
        print(json.dumps(min(taken)), flush=True)


def started(variant: str, folder: str) -> subprocess.Popen[str]:
    """A process that serves a variant."""
    # What it compiles must never be found by anyone else.
    own = {"NUMBA_OPT": "1", "NUMBA_CACHE_DIR": f"{folder}/{variant}"}
    return subprocess.Popen(
        [sys.executable, "-m", "benchmarks.routes", variant, folder],
        env=os.environ | (own if variant in COMPILED else {}),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def least_times(processes: dict[str, subprocess.Popen[str]], task: str) -> dict[str, float]:
    """The seconds of one task in each process."""
    least = dict.fromkeys(processes, float("inf"))
    for _ in range(ROUNDS):
        for name, process in processes.items():
            assert process.stdin
            assert process.stdout
            process.stdin.write(f"{task}\n")
            process.stdin.flush()
            least[name] = min(least[name], json.loads(process.stdout.readline()))
    return least


def main() -> None:
    """Print and write how many times as long each learn takes without each route."""

    warmup()
    routes = [name for name in VARIANTS if name != "all routes"]
    lines = [f"| learn | ms | {' | '.join(routes)} |", f"{'|---' * (len(VARIANTS) + 1)}|"]
    print("\n".join(lines), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for k, make in enumerate(DATA.values()):
            made = make()
            np.savez(f"{folder}/{k}.npz", codes=made.codes, cardinalities=made.cardinalities)
        processes = {name: started(name, folder) for name in VARIANTS}
        for method, data in TASKS:
            asked = {k: p for k, p in processes.items() if method != "MPL" or k in BY_DATA}
            least = least_times(asked, json.dumps((method, data)))
            base = least.pop("all routes")
            ratios = [f"{least[k] / base:.2f}" if k in least else "" for k in routes]
            lines.append(f"| {method}, {data} | {base * 1000:.3g} | {' | '.join(ratios)} |")
            print(lines[-1], flush=True)
        for process in processes.values():
            process.communicate()
    marked.write("performance.md", "routes", "\n".join(lines))


if __name__ == "__main__":
    serve(sys.argv[1], Path(sys.argv[2]))
