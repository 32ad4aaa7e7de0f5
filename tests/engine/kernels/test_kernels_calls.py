"""Kernels as they are called: once or stepwise, again and again, from several threads at once."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Barrier

import numpy as np
import pytest
from numba.core.runtime import rtsys

import bjp_engine as bjp
from bjp_engine.arrays import columns
from bjp_engine.counts import cross_tally, local_prior, table_of
from bjp_engine.independence import IndependenceOptions
from bjp_engine.kernels import local
from bjp_engine.scores.bjp import IBScore, orders_for
from bjp_engine.search import PUBLISHED
from tests.contracts.test_any_data import content
from tests.kernels import run_tests
from tests.strategies import noisy_tree

every_method = pytest.mark.parametrize("method", PUBLISHED)
FEW, SOME, MANY = (2, 3, 2, 4, 2), (2, 3, 2, 2, 2, 4, 2, 9), (2, 3, 2, 2, 2, 4, 2, 9) * 3


def fresh(seed=0, cards=SOME, rows=300):
    """A dataset that no kernel has seen."""
    return noisy_tree(seed, cards, rows).data


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


def assert_nothing_is_lost():
    """Calls give back the memory that they take, and count no reference more or less."""
    held, calls = everything(fresh())
    for act in calls:
        act()
    references = [sys.getrefcount(array) for array in held]
    for act in calls:
        before = rtsys.get_allocation_stats()
        for _ in range(400):
            act()
        after = rtsys.get_allocation_stats()
        assert after.alloc > before.alloc
        for made, freed in (("alloc", "free"), ("mi_alloc", "mi_free")):
            alive = [getattr(s, made) - getattr(s, freed) for s in (before, after)]
            assert alive[0] == alive[1], (made, alive)
    assert [sys.getrefcount(array) for array in held] == references


def test_nothing_is_lost():
    """In a process that counts allocations from its start."""
    program = f"import {__name__} as here; here.assert_nothing_is_lost()"
    counting = os.environ | {"NUMBA_NRT_STATS": "1"}
    run = [sys.executable, "-c", program]
    done = subprocess.run(run, capture_output=True, text=True, env=counting, check=False)
    assert done.returncode == 0, done.stderr


@every_method
def test_eight_at_once_on_the_same_data(method):
    """Of the same method; and of all methods, in the last case."""
    ready = Barrier(8)

    def begin(data, call):
        ready.wait()
        return content(bjp.learn(data, *call))

    one, every = [(method, PUBLISHED[method])], [*PUBLISHED.items()]
    for cards, rows, calls, times in (
        ((2,) * 24, 700, one, 3),
        (MANY, 700, one, 3),
        (FEW, 300, [(method, "exhaustive")], 1),
        (SOME, 300, every, 2),
    ):
        expected = [content(bjp.learn(fresh(2, cards, rows), *call)) for call in calls]
        for _ in range(times):
            data = fresh(2, cards, rows)
            with ThreadPoolExecutor(8) as pool:
                found = list(pool.map(partial(begin, data), calls * (8 // len(calls))))
            assert found == expected * (8 // len(calls)), (cards, calls)
