"""Learning from 200 bootstrap samples, by one thread and by one for each core."""

from __future__ import annotations

import os
import time

import numpy as np

import bjp_engine as bjp
from benchmarks import samples

LEARNS = 200


def resampled() -> list[bjp.Dataset]:
    """Bootstrap samples of the paper's largest case, none of them packed or counted yet."""
    data, rng = samples.scale_free(), np.random.default_rng(0)
    return [
        bjp.Dataset.from_codes(data.codes[rows], data.cardinalities)
        for rows in rng.integers(0, data.rows, (LEARNS, data.rows))
    ]


def main() -> None:
    """Print a row for each number of threads; that they learn the same is asserted."""
    bjp.learn(samples.dependent_pairs(4, 64), search="ibmap-hc")
    print(f"\n{LEARNS} learns, BJP, n = 128, N = {samples.ROWS}, each from a new Dataset\n")
    print("| threads | seconds | beside one |\n|---|---|---|")
    first, found = 0.0, [0.0]
    for threads in sorted({1, os.cpu_count() or 1}):
        data = resampled()
        began = time.perf_counter()
        running = bjp.search.learn_all(data, "bjp", n_jobs=threads, search="ibmap-hc")
        traces = [*running]
        seconds = time.perf_counter() - began
        if threads == 1:
            first, found = seconds, [trace.score for trace in traces]
        assert [trace.score for trace in traces] == found
        print(f"| {threads} | {seconds:.2f} | {first / seconds:.2f} × |")
