"""Compiling every kernel once per installation, so that no first click waits for it.

A compiler runs on one core. Where there are two, two processes compile a half each; both keep
their machine code in the same folder, from which this process then loads it.
"""

from __future__ import annotations

import gc
import os
from collections.abc import Callable

import networkx as nx
import numpy as np

from bjp_engine.dataset import Dataset
from bjp_engine.independence import independence_test
from bjp_engine.kernels import compiled
from bjp_engine.kernels.rowwise import extend_blanket
from bjp_engine.processes import LostError, interpreters
from bjp_engine.scores import local_trace
from bjp_engine.scores.prior import filled
from bjp_engine.search import learn
from bjp_engine.search.auto.nodewise import nodewise
from bjp_engine.sharded.rows import Part

Report = Callable[[str], None]


def warmup(report: Report | None = None) -> None:
    """Compile all kernels; at once where they are compiled already."""
    say = report or (lambda _: None)
    compiled.forget_old()
    done = compiled.is_complete()
    if done:
        say("The kernels are compiled")
    else:
        say("Compiling the kernels, once per installation: up to a minute")
        done = _side_by_side(say)
    # Now they are only loaded; what could not be compiled elsewhere is compiled here.
    for half in HALVES:
        half((lambda _: None) if done else say)
    compiled.note_complete()


def _tests(say: Report) -> None:
    """What scores made of assertions need."""
    data = _data()
    say("Compiling BJP and IB-score")
    learn(data, "bjp", "ibmap-hc")
    learn(data, "ib", "ibmap-hc")
    say("Compiling the tests of all graphs")
    learn(data, "bjp", "exhaustive")
    learn(data, "ib", "exhaustive")
    learn(data, "near", "exhaustive")
    say("Compiling single tests")
    independence_test(data, 0, 1, [2])
    say("Compiling counts on workers")
    Part.of(data.codes, data.cardinalities).tables([((0, 1), (2,))])


def _others(say: Report) -> None:
    """MPL, each variable by itself, and the Gibbs sampler."""
    from bjp_engine.sampling import random_model

    data = _data()
    say("Compiling MPL")
    learn(data, "mpl")
    say("Compiling the local scores of all graphs")
    learn(data, "mpl", "exhaustive")
    local_trace(data, 0, [1])
    say("Compiling the regressions of auto")
    nodewise(data, filled(data.n, 0.5))
    extend_blanket(data.codes.T, 0, np.zeros(data.n), 1.0, data.codes[0] > 1, np.zeros(data.n))
    say("Compiling the Gibbs sampler")
    random_model(nx.path_graph(2), "log-odds").sample(1, 0, "gibbs")


HALVES: tuple[Callable[[Report], None], ...] = (_tests, _others)


def _data() -> Dataset:
    """Enough rows to reach every kernel."""
    return Dataset.from_codes(np.random.default_rng(0).integers(0, 2, size=(64, 4)))


def _side_by_side(say: Report) -> bool:
    """Compile each half in a process of its own, and pass on what they say; False if one failed."""
    if compiled.FOLDER is None or (os.cpu_count() or 1) == 1:
        return False
    # The rest of the compiler's passes cost time and make no climb faster.
    with interpreters(len(HALVES), {"NUMBA_OPT": os.environ.get("NUMBA_OPT", "1")}) as submit:
        running = [submit(_compile, half, receive=say) for half in HALVES]
        try:
            for one in running:
                one.result()
        except LostError:
            return False
    return True


def _compile(say: Report, half: Callable[[Report], None]) -> None:
    # A compiler leaves much in memory, which would be looked through again and again.
    gc.set_threshold(200_000, 50, 1000)
    half(say)
