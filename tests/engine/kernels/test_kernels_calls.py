"""Kernels as they are called: once or stepwise, again and again, from several threads at once."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from threading import Barrier

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.arrays import columns
from bjp_engine.counts import cross_tally, local_prior, table_of
from bjp_engine.independence import IndependenceOptions
from bjp_engine.kernels import compiled, local
from bjp_engine.scores.bjp import IBScore, orders_for
from bjp_engine.search import PUBLISHED
from tests.kernels import run_tests
from tests.strategies import noisy_tree

METHODS = ("bjp", "ib", "mpl", "near")
ROOT = Path(compiled.__file__).parents[2]


def fresh(seed=0, cards=(2, 3, 2, 2, 2, 4, 2, 9), rows=300):
    """A dataset that no kernel has seen."""
    return noisy_tree(seed, cards, rows).data


def content(trace):
    """All of a trace but its clock."""
    return (
        trace.method,
        trace.search,
        sorted(map(sorted, trace.graph.edges)),
        trace.score,
        trace.order,
        tuple(trace.steps),
        trace.rejected,
        trace.stop_reason,
        sorted(map(sorted, trace.start.edges)),
        trace.start_score,
        {name: sorted(map(sorted, graph.edges)) for name, graph in trace.milestones.items()},
        trace.tests,
    )


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("search", [None, "exhaustive"])
def test_a_search_is_the_same_however_it_is_called(method, search):
    cards = (2, 3, 2, 4, 2) if search else (2, 3, 2, 2, 2, 4, 2, 9) * 3
    for seed in range(4):

        def learn(seed=seed, **options):
            return bjp.learn(fresh(seed, cards), method, search, **options)

        steps, starts, progress = [], [], []
        not_cancelled = bjp.Progress(cancelled=lambda: False)
        reports = bjp.Progress(report=lambda done, _, seen=progress: seen.append(done))
        bare = learn()
        # And again on a dataset that keeps what was made for the first.
        same = fresh(seed, cards)
        for found in (
            learn(on_step=steps.append, progress=not_cancelled),
            learn(progress=not_cancelled),
            learn(progress=reports, on_start=lambda _, score, seen=starts: seen.append(score)),
            *(bjp.learn(same, method, search) for _ in range(3)),
        ):
            assert content(found) == content(bare), seed
        assert (tuple(steps), starts[-1]) == (bare.proposals, bare.start_score)
        assert progress
    if method == "bjp" and not search:
        for start in ("mpl", "mpl-and", "mpl-or", nx.complete_graph(12)):
            options = {"search": "ibmap-hc", "start": start}
            bare = content(bjp.learn(fresh(1, (2, 2, 3) * 4), **options))
            steps, data = [], fresh(1, (2, 2, 3) * 4)
            watched = bjp.learn(data, **options, on_step=steps.append)
            assert (content(watched), tuple(watched.proposals)) == (bare, tuple(steps)), start


def everything(data):
    """Calls of every kernel that Python calls, and the arrays that they are called with."""
    n, options = data.n, IndependenceOptions()
    table, evidence, prior = table_of(data), options.evidence(data), local_prior(data, 1.0)
    made = IBScore().assertions(data, np.zeros((n, n), dtype=np.bool_), options)
    given, targets, out = columns([2, 3]), columns([1, 4, 5, 7]), np.empty(4)
    found, parts, none = np.zeros((n, n), dtype=np.bool_), np.empty(n), np.empty((0, 0))
    many, few = columns([2, 3, 4, 5, 6, 7]), columns([1])
    held = [data.codes, *table.planes, table.codes, table.cardinalities]
    held += [evidence.table, evidence.logs, evidence.few, *made.board[1:], found, out, parts]
    held += [*made.table.planes, prior.logs, prior.tables, given, targets]
    return held, [
        lambda: run_tests(table, evidence, 0, given, targets, 0, out),
        lambda: run_tests(table, evidence, 0, many, few, 1, out[:1]),
        lambda: made.run(orders_for(0, n), made.climb(1, 1)[0]),
        lambda: made.climb(3, 2),
        lambda: local.blanket_climbs(table, prior, none, 0, 2, found),
        lambda: local.local_scores(table, prior, np.arange(len(parts)), found, parts),
        lambda: local.local_score(table, prior, 0, given),
        lambda: cross_tally(data, 0, 1, [2, 3]),
        lambda: cross_tally(data, 4, 7, [0, 1, 2, 3, 5]),
    ]


def test_nothing_is_held_or_given_up():
    held, calls = everything(fresh())
    for call in calls:
        call()
    before = [sys.getrefcount(array) for array in held]
    for call in calls * 500:
        call()
    assert [sys.getrefcount(array) for array in held] == before


def test_no_memory_is_lost():
    program = (
        "from numba.core.runtime import rtsys, _nrt_python as nrt\n"
        "nrt.memsys_enable_stats()\n"
        "from tests.engine.kernels.test_kernels_calls import everything, fresh\n"
        "_, calls = everything(fresh())\n"
        "def alive():\n"
        "    stats = rtsys.get_allocation_stats()\n"
        "    assert stats.alloc > 0\n"
        "    return stats.alloc - stats.free, stats.mi_alloc - stats.mi_free\n"
        "[call() for call in calls]\n"
        "for call in calls:\n"
        "    before = alive()\n"
        "    for _ in range(200): call()\n"
        "    assert alive() == before, (alive(), before)\n"
        "print('kept')"
    )
    paths = os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        check=False,
        text=True,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": paths},
    )
    assert run.stdout.strip() == "kept", run.stderr


@pytest.mark.parametrize("method", METHODS)
def test_eight_at_once_on_the_same_data(method):
    """Of the same method; and of all methods, in the last case."""
    ready = Barrier(8)

    def begin(data, call):
        ready.wait()
        return content(bjp.learn(data, *call))

    one, every = [(method, PUBLISHED[method])], [(m, PUBLISHED[m]) for m in METHODS]
    for cards, rows, calls, times in (
        ((2,) * 24, 700, one, 3),
        ((2, 3, 2, 4, 2, 9, 5, 2) * 2, 700, one, 3),
        ((2, 3, 2, 4, 2), 300, [(method, "exhaustive")], 1),
        ((2, 3, 2, 2, 2, 4, 2, 9), 300, every, 2),
    ):
        expected = [content(bjp.learn(fresh(2, cards, rows), *call)) for call in calls]
        for _ in range(times):
            data = fresh(2, cards, rows)
            with ThreadPoolExecutor(8) as pool:
                found = list(pool.map(partial(begin, data), calls * (8 // len(calls))))
            assert found == expected * (8 // len(calls)), (cards, calls)
