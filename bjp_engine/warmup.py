"""Compiling every kernel once per installation, so that no first click waits for it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bjp_engine.dataset import Dataset
from bjp_engine.independence import independence_test
from bjp_engine.kernels.compiled import forget_old
from bjp_engine.scores import SCORES, local_trace
from bjp_engine.search import learn


def warmup(report: Callable[[str], None] | None = None) -> None:
    """Compile all kernels; at once where they are compiled already.

    Parameters
    ----------
    report : callable(str), optional
        Called with a line before each stage.
    """
    from bjp_engine import networks, sampling

    say = report or _silent
    forget_old()
    codes = np.random.default_rng(0).integers(0, 2, size=(64, 4))
    data = Dataset.from_codes(codes)
    for score in SCORES.values():
        say(f"Compiling {score.title}")
        learn(data, score.name)
    say("Compiling what looks at all graphs and at single tests")
    for score in SCORES.values():
        learn(data, score.name, "exhaustive")
    independence_test(data, 0, 1, [2])
    local_trace(data, 0, [1])
    say("Compiling the Gibbs sampler")
    for states in (2, 300):
        graph = networks.load("target-1")
        sampling.random_model(graph, "log-odds", states=states).sample(1, seed=0)


def _silent(line: str) -> None:
    """Tell nobody."""
    del line
