"""Each way of counting switched off once: how much longer a whole learn takes without it.

`python -m benchmarks routes`. Every variant runs in a process of its own, whose kernels are
compiled without that route; the processes are asked in turn, and the least of their processor
times is taken, so that a busy machine falls on all of them alike.
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
from typing import Any

import numpy as np

ROUNDS = 5


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
    put("kernels.tests", FEW=-1)
    put("counts", few_size=lambda: 1)


def without_pairs() -> None:
    """Two states are as any others."""
    from bjp_engine.kernels import evidence as kernels

    @kernels.bare
    def doubts_of(evidence, prior, cells, within, states, slices, doubts):  # type: ignore[no-untyped-def]
        begin = 0
        for t in range(len(states)):
            kernels.prepare(evidence, slices, cells, states[t])
            end = begin + states[t] - 1
            kernels.fill_ratios(evidence, cells, within[begin:end], slices)
            doubts[t] = kernels.doubt_of(prior, slices.ratios)
            begin = end

    put("kernels.tests", doubts_of=doubts_of)


def without_margins() -> None:
    """Every dependence is counted anew."""
    from bjp_engine.kernels import tests as kernels

    @kernels.inlined
    def member(table, evidence, x, blanket, place, cells, out):  # type: ignore[no-untyped-def]
        rest = np.empty(len(blanket) - 1, dtype=np.int64)
        kernels.copy(blanket[:place], rest)
        kernels.copy(blanket[place + 1 :], rest[place:])
        one, dependent = blanket[place : place + 1], np.int64(kernels.DEPENDENT)
        kernels.tests(table, evidence, x, rest, one, dependent, out)
        return cells

    put("kernels.tests", _member=member)


VARIANTS: dict[str, Callable[[], None]] = {
    "all routes": lambda: None,
    "no masks": lambda: put("counts", MOST_MASKS=0),
    "no rows": without_rows,
    "no across": lambda: put("counts", MOST_CODES_BY_ROW=-1),
    "no small": lambda: put("kernels.climb", FEW_TARGETS=-1),
    "no few": without_few,
    "no pairs": without_pairs,
    "no margins": without_margins,
}


def tasks() -> dict[str, Callable[[], Callable[[], object]]]:
    """What is learned: its data made anew, then the learn alone."""
    import bjp_engine as bjp
    from benchmarks import samples, tests

    def learning(make: Callable[[], bjp.Dataset], method: str) -> Callable[[], object]:
        return partial(bjp.learn, make(), method, "ibmap-hc" if method != "mpl" else None)

    def all_graphs() -> Callable[[], object]:
        data = samples.six()
        return lambda: [bjp.all_graphs(data, method) for method in ("bjp", "ib", "mpl")]

    found: dict[str, Callable[[], Callable[[], object]]] = {
        f"{method}, {name}": partial(learning, make, method)
        for name, make in (
            ("n = 128, N = 8000", samples.scale_free),
            ("ALARM-like, n = 37, N = 20 000", samples.alarm_like),
            ("20 variables of 10 states, N = 5000", samples.many_states),
            ("n = 256, N = 100 000", partial(samples.tree, 256)),
        )
        for method in ("bjp", "ib", "mpl")
    }
    found["bjp, n = 1000, N = 100 000"] = partial(learning, samples.tree, "bjp")
    found["all 32 768 graphs on 6 variables, three scores"] = all_graphs
    found["independence_test, 3 variables given, N = 8000"] = lambda: tests.works()[tests.ENGINE]
    return found


def serve(variant: str) -> None:
    """Run the tasks that are named on standard input, and print the seconds of each."""
    # What is compiled here must never be found by anyone else.
    folder = tempfile.TemporaryDirectory()
    os.environ |= {"NUMBA_OPT": "1", "NUMBA_CACHE_DIR": folder.name}
    VARIANTS[variant]()
    works, name = tasks(), ""
    for line in sys.stdin:
        if line.strip() != name:
            work = works[name := line.strip()]()
            work()
        taken, began = list[float](), time.perf_counter()
        while time.perf_counter() - began < 0.25 or not taken:
            start = time.process_time()
            work()
            taken.append(time.process_time() - start)
        print(json.dumps(min(taken)), flush=True)


def ask(process: subprocess.Popen[str], task: str) -> float:
    """The seconds of one task in one process."""
    assert process.stdin
    assert process.stdout
    process.stdin.write(f"{task}\n")
    process.stdin.flush()
    return float(json.loads(process.stdout.readline()))


def main() -> None:
    """Print how many times as long each learn takes without each route."""
    command = [sys.executable, "-m", "benchmarks.routes"]
    processes = {
        name: subprocess.Popen(
            [*command, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for name in VARIANTS
    }
    names = list(VARIANTS)
    print(f"| learn | ms | {' | '.join(names[1:])} |\n{'|---' * (len(names) + 1)}|")
    for task in tasks():
        taken: dict[str, list[float]] = {name: [] for name in names}
        for _ in range(ROUNDS):
            for name, process in processes.items():
                taken[name].append(ask(process, task))
        least = {name: min(seconds) for name, seconds in taken.items()}
        ratios = [f"{least[name] / least[names[0]]:.2f}" for name in names[1:]]
        print(f"| {task} | {least[names[0]] * 1000:.3g} | {' | '.join(ratios)} |", flush=True)
    for process in processes.values():
        process.communicate()


if __name__ == "__main__":
    serve(sys.argv[1])
