"""Compiling every kernel once per installation, so that no first click waits for it."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bjp_engine import networks, sampling
from bjp_engine.dataset import Dataset
from bjp_engine.scores import SCORES
from bjp_engine.search import learn


def warmup(report: Callable[[str], None] | None = None) -> None:
    """Compile all kernels for all code widths; at once where they are cached already.

    Parameters
    ----------
    report : callable(str), optional
        Called with a line before each stage.
    """
    say = report or _silent
    rng = np.random.default_rng(0)
    for states, width in ((2, 8), (300, 16)):
        # Few rows and many states take the sparse paths, many rows the dense ones.
        codes = rng.integers(0, states, size=(400, 4))
        data = Dataset.from_codes(codes, [states] * 4)
        for score in SCORES.values():
            say(f"Compiling {score.title} for {width}-bit codes")
            learn(data, score.name)
    say("Compiling the Gibbs sampler")
    sampling.random_model(networks.load("target-1"), seed=0).sample(1, seed=0)


def _silent(line: str) -> None:
    """Tell nobody."""
    del line
