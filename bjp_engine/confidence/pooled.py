"""What several chains drew, as one probability and one error for each pair."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.confidence.tally import Tally


def pooled(tallies: Sequence[Tally], n: int) -> tuple[Floats, Floats]:
    """The mean probability of each pair and its Monte Carlo standard error."""
    chance = np.stack([tally.chance for tally in tallies])
    tried = np.stack([tally.tried for tally in tallies])
    mean = chance.sum(axis=(0, 1)) / np.maximum(tried.sum(axis=(0, 1)), 1)
    never = tried.sum(axis=(0, 1)) == 0
    if never.any():
        mean[never] = _frequency(tallies, len(never))[never]
    error = np.maximum(
        _spread(np.concatenate(chance), np.concatenate(tried), mean),
        _spread(chance.sum(axis=1), tried.sum(axis=1), mean),
    )
    return _matrix(np.clip(mean, 0.0, 1.0), n), _matrix(error, n)


def _spread(chance: Floats, tried: Floats, mean: Floats) -> Floats:
    """The standard error of a mean of parts, each weighted by how often a pair was tried in it.

    `chance` and `tried` have shape (parts, m), `mean` shape (m,).
    """
    parts = (tried > 0).sum(axis=0)
    weight = tried / np.maximum(tried.sum(axis=0), 1)
    off = chance / np.maximum(tried, 1) - mean
    more = parts / np.maximum(parts - 1, 1)
    spread: Floats = np.sqrt((weight**2 * off**2).sum(axis=0) * more)
    return spread


def _frequency(tallies: Sequence[Tally], m: int) -> Floats:
    """How often each pair was an edge in the draws."""
    drawn = [np.unpackbits(t.present[: t.made], axis=1, count=m) for t in tallies]
    frequency: Floats = np.concatenate(drawn).mean(axis=0)
    return frequency


def _matrix(values: Floats, n: int) -> Floats:
    """Values of pairs as a symmetric matrix."""
    matrix = np.zeros((n, n))
    matrix[np.triu_indices(n, 1)] = values
    return matrix + matrix.T
