"""Seeds and the arguments that the samplers share."""

from __future__ import annotations

import numbers
from collections.abc import Sequence
from typing import Any

import numpy as np

from bjp_engine.errors import OptionError, clip

Seed = int | Sequence[int]


def seed_sequence(seed: Any) -> np.random.SeedSequence:
    """The source of every stream; a seed must repeat, so None is none."""
    try:
        if seed is None or isinstance(seed, str):
            raise TypeError
        return np.random.SeedSequence(seed)
    except (TypeError, ValueError):
        raise OptionError(f"seed={clip(seed)} is no seed; give a whole number from 0.") from None


def check_whole(name: str, value: Any, least: int) -> None:
    """A whole number that isn't too small."""
    whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if not whole or value < least:
        raise OptionError(
            f"{name}={clip(value)} is out of range; give a whole number from {least}."
        )
