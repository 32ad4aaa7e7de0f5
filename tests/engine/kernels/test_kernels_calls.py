"""Kernels as they are called: once or stepwise, again and again, from several threads at once."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.counters.tally import columns
from bjp_engine.counts import cross_tally, local_prior, table_of
from bjp_engine.independence import TestOptions
from bjp_engine.kernels import compiled, local
from bjp_engine.scores.board import Assertions, orders_for
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


def watched(data, method, **options):
    """The trace at the end of a search that is watched step by step."""
    ended = []

    def running():
        ended.append((yield from bjp.iter_steps(data, method, **options)))  # type: ignore[arg-type]

    steps = tuple(running())
    assert ended[0].proposals == steps
    return ended[0]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("search", [None, "exhaustive"])
def test_a_search_is_the_same_however_it_is_called(method, search):
    cards = (2, 3, 2, 4, 2) if search else (2, 3, 2, 2, 2, 4, 2, 9) * 3
    for seed in range(4):

        def learn(seed=seed, **options):
            return bjp.learn(fresh(seed, cards), method, search, **options)

        steps, starts, progress = list[bjp.search.Step](), list[float](), list[int]()
        not_cancelled = bjp.Progress(cancelled=lambda: False)
        bare = learn()
        expected = content(bare)
        assert content(learn(on_step=steps.append, progress=not_cancelled)) == expected, seed
        assert tuple(steps) == bare.proposals
        assert content(watched(fresh(seed, cards), method, search=search)) == expected, seed
        assert content(learn(progress=not_cancelled)) == expected, seed
        reporting = learn(
            progress=bjp.Progress(report=lambda done, _, seen=progress: seen.append(done)),
            on_start=lambda _, score, seen=starts: seen.append(score),
        )
        assert content(reporting) == expected, seed
        assert starts[-1] == bare.start_score
        assert progress
        # And again on a dataset that keeps what was made for the first.
        same = fresh(seed, cards)
        for _ in range(3):
            assert content(bjp.learn(same, method, search)) == expected, seed


def test_from_other_starts():
    cards = (2, 2, 3) * 4
    for start in ("mpl", "mpl-and", "mpl-or", nx.complete_graph(12)):
        bare = content(bjp.learn(fresh(1, cards), start=start, search="ibmap-hc"))
        again = content(watched(fresh(1, cards), "bjp", search="ibmap-hc", start=start))
        assert again == bare, start


def test_the_bare_test_is_the_traced_one():
    data, rng = fresh(5, (2, 3, 2, 2, 9, 2, 2, 4), 120), np.random.default_rng(0)
    options = TestOptions()
    for _ in range(60):
        x, y, *rest = rng.permutation(data.n).tolist()
        given = sorted(rest[: rng.integers(6)])
        trace = bjp.independence_test(data, x, y, given)
        for want, value in ((0, trace.log_independent), (1, trace.log_dependent)):
            out, table = np.empty(1), table_of(data)
            run_tests(table, options.evidence(data), x, columns(given), columns([y]), want, out)
            assert out[0] == value


def everything(data):
    """Calls of every kernel that Python calls, on arrays that are made once."""
    n, options = data.n, TestOptions()
    table, evidence, prior = table_of(data), options.evidence(data), local_prior(data, 1.0)
    made = Assertions.of(data, np.zeros((n, n), dtype=np.bool_), True, options)
    given, targets, out = columns([2, 3]), columns([1, 4, 5, 7]), np.empty(4)
    found, parts = np.zeros((n, n), dtype=np.bool_), np.empty(n)
    many = columns([2, 3, 4, 5, 6, 7])
    few = columns([1])
    return [
        lambda: run_tests(table, evidence, 0, given, targets, 0, out),
        lambda: run_tests(table, evidence, 0, many, few, 1, out[:1]),
        lambda: made.run(orders_for(0, n), made.climb(1, 1)[0]),
        lambda: made.climb(3, 2),
        lambda: local.blanket_climbs(table, prior, np.empty((0, 0)), 0, 2, found),
        lambda: local.local_scores(table, prior, np.arange(len(parts)), found, parts),
        lambda: local.local_score(table, prior, 0, given),
        lambda: cross_tally(data, 0, 1, [2, 3]),
        lambda: cross_tally(data, 4, 7, [0, 1, 2, 3, 5]),
    ]


def test_nothing_is_held_or_given_up():
    data = fresh()
    table, evidence = table_of(data), TestOptions().evidence(data)
    made = Assertions.of(data, np.zeros((8, 8), dtype=np.bool_), False, TestOptions())
    prior, found = local_prior(data, 1.0), np.zeros((8, 8), dtype=np.bool_)
    held = [data.codes, *table.planes, table.codes, table.cardinalities, *table.scratch]
    held += [evidence.table, evidence.logs, evidence.few, *made.board[1:], found]
    held += [*made.table.planes, prior.logs, prior.tables]
    out, given, targets = np.empty(2), columns([2]), columns([1, 3])

    def once():
        run_tests(table, evidence, 0, given, targets, 0, out)
        made.climb(1, 2)
        made.run(orders_for(0, 8), made.climb(1, 1)[0])
        local.blanket_climbs(table, prior, np.empty((0, 0)), 0, 3, found)
        local.local_scores(table, prior, np.arange(8), found, np.empty(8))

    once()
    before = [sys.getrefcount(array) for array in held]
    for _ in range(1000):
        once()
    assert [sys.getrefcount(array) for array in held] == before


def test_no_memory_is_lost():
    program = (
        "from numba.core.runtime import rtsys, _nrt_python as nrt\n"
        "nrt.memsys_enable_stats()\n"
        "from tests.engine.kernels.test_kernels_calls import everything, fresh\n"
        "calls = everything(fresh())\n"
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


def by_eight(data, calls):
    """What a method and search find in each of eight threads that begin together."""
    ready = Barrier(8)

    def begin(call):
        ready.wait()
        return content(bjp.learn(data, *call))

    with ThreadPoolExecutor(8) as pool:
        return list(pool.map(begin, calls))


@pytest.mark.parametrize("method", METHODS)
def test_eight_at_once_on_the_same_data(method):
    for cards, rows, search, times in (
        ((2,) * 24, 700, PUBLISHED[method], 3),
        ((2, 3, 2, 4, 2, 9, 5, 2) * 2, 700, PUBLISHED[method], 3),
        ((2, 3, 2, 4, 2), 300, "exhaustive", 1),
    ):
        expected = content(bjp.learn(fresh(2, cards, rows), method, search))
        for _ in range(times):
            found = by_eight(fresh(2, cards, rows), [(method, search)] * 8)
            assert found == [expected] * 8, (cards, search)


def test_all_methods_at_once_on_the_same_data():
    methods = ("bjp", "ib", "mpl", "mpl", "bjp", "mpl", "ib", "mpl")
    calls = [(method, PUBLISHED[method]) for method in methods]
    expected = [content(bjp.learn(fresh(3), *call)) for call in calls]
    for _ in range(5):
        assert by_eight(fresh(3), calls) == expected


def test_more_weights_than_tables():
    # 40 variables of 2 to 8 states: far more than 48 different weights.
    cards = tuple(2 + v % 7 for v in range(40))
    expected = content(bjp.learn(fresh(4, cards, 400), "mpl"))
    data = fresh(4, cards, 400)
    bjp.score(data, nx.gnm_random_graph(40, 200, seed=1), "mpl")
    assert content(bjp.learn(data, "mpl")) == expected
