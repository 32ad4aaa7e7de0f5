"""The exact search: its time by the number of variables, and beside solvers of whole programmes."""

from __future__ import annotations

import time
from typing import Any

import networkx as nx
import numpy as np
from scipy import optimize, sparse

import bjp_engine as bjp
from bjp_engine.search.problem import pose
from bjp_engine.search.programme import Programme

# The longest that another solver is waited for.
SECONDS = 20.0
# Score, variables, rows, density: those that are timed, and those that are solved otherwise too.
TIMED = (
    ("mpl", 10, 1000, 0.3),
    ("mpl", 13, 1000, 0.3),
    ("mpl", 15, 1000, 0.3),
    ("mpl", 15, 8000, 0.3),
    ("mpl", 18, 1000, 0.3),
    ("mpl", 20, 1000, 0.3),
    ("ib", 10, 1000, 0.3),
    ("ib", 13, 250, 0.4),
    ("ib", 13, 1000, 0.3),
    ("ib", 15, 1000, 0.3),
    ("ib", 15, 8000, 0.3),
)
COMPARED = (
    ("mpl", 8, 250, 0.4),
    ("ib", 8, 250, 0.4),
    ("ib", 10, 250, 0.2),
    ("ib", 13, 250, 0.4),
    ("mpl", 15, 100, 0.2),
)


def data_of(n: int, rows: int, density: float) -> bjp.Dataset:
    """Samples of a random network with log odds 1 on every edge."""
    graph = nx.gnp_random_graph(n, density, seed=n)
    return bjp.sampling.random_model(graph, "log-odds", seed=0).sample(rows, 0, "gibbs")


def parts_of(data: bjp.Dataset, method: str) -> Any:
    """f_j(B) of all blankets."""
    problem = pose(data, method, {})
    sums = problem.score.blanket_sums(data, problem.score_options)
    sums.count(0, 1 << data.n)
    return sums.values()


def blankets_of(values: Any, score: float) -> tuple[Any, Any]:
    """Variable and mask of each blanket that can reach a score beside the others' best ones."""
    n = len(values)
    outside = np.arange(1 << n) >> np.arange(n)[:, None] & 1 == 0
    tops = np.array([values[j, outside[j]].max() for j in range(n)])
    return np.nonzero(outside & (values >= score - 1e-6 - (tops.sum() - tops)[:, None]))


def by_highs(owner: Any, masks: Any, values: Any) -> tuple[float, float, bool]:
    """The programme of some blankets, solved by HiGHS: score, seconds, whether proven."""
    n = owner.max() + 1
    rows, columns = [owner], [np.arange(len(masks))]
    signs = [np.ones(len(masks))]
    pairs = [(i, j) for i in range(n) for j in range(i)]
    for row, (i, j) in enumerate(pairs, start=n):
        for end, other, sign in ((i, j, 1.0), (j, i, -1.0)):
            found = np.flatnonzero((owner == end) & (masks >> other & 1 == 1))
            rows.append(np.full(len(found), row))
            columns.append(found)
            signs.append(np.full(len(found), sign))
    entries = (np.concatenate(signs), (np.concatenate(rows), np.concatenate(columns)))
    matrix = sparse.csr_array(entries, shape=(n + len(pairs), len(masks)))
    right = np.array([1.0] * n + [0.0] * len(pairs))
    began = time.perf_counter()
    found = optimize.milp(
        -values,
        integrality=np.ones(len(masks)),
        bounds=optimize.Bounds(0, 1),
        constraints=optimize.LinearConstraint(matrix, right, right),
        options={"time_limit": SECONDS, "mip_rel_gap": 0},
    )
    seconds = time.perf_counter() - began
    return -found.fun if found.x is not None else np.nan, seconds, found.status == 0


def main() -> None:
    """Both tables."""
    print("\nThe exact search: all parts, then the proof")
    for method, n, rows, density in TIMED:
        trace = bjp.learn(data_of(n, rows, density), method, "exact")
        print(
            f"  {method:<4} n = {n:>2}, N = {rows:>4}, density {density}: {trace.seconds:7.2f} s, "
            f"{trace.evaluations} nodes"
        )
    print(f"\nThe proof alone, beside HiGHS on the same blankets (at most {SECONDS:.0f} s)")
    for method, n, rows, density in COMPARED:
        values = parts_of(data_of(n, rows, density), method)
        began = time.perf_counter()
        programme = Programme(values)
        first = programme.score
        programme.prove()
        ours = time.perf_counter() - began
        owner, masks = blankets_of(values, first)
        highs = by_highs(owner, masks, values[owner, masks])
        end = "" if highs[2] else ", not proven"
        print(
            f"  {method:<4} n = {n:>2}, N = {rows:>4}: {len(masks):>7} blankets: {ours:8.3f} s, "
            f"score {programme.score:.4f};   HiGHS {highs[1]:8.3f} s, score {highs[0]:.4f}{end}"
        )
