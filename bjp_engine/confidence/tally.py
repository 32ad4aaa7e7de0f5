"""How long Markov chains are, and what is kept of their draws."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from bjp_engine.confidence.ladder import Ladder

# Batches of draws, whose means tell the Monte Carlo error.
BATCHES = 20

Indices = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Plan:
    """How long a chain is.

    Parameters
    ----------
    warm_up, draws : int
        Draws that are forgotten, and that count.
    temperatures : int
        Copies, 1 or more.
    thin : int
        Sweeps a draw.
    """

    warm_up: int
    draws: int
    temperatures: int
    thin: int = 1


class Tally:
    """What a chain keeps of its draws.

    Parameters
    ----------
    draws : int
        How many there will be.
    pairs : int
        m.

    Attributes
    ----------
    made : int
        Draws so far.
    present : ndarray of uint8, shape (draws, ⌈m / 8⌉)
        Which pairs were edges, packed.
    edges, score : ndarray of float, shape (draws,)
        How many edges there were, and the score.
    chance, tried : ndarray of float, shape (BATCHES, m)
        Sums of the probabilities with which each pair was drawn, and how often it was.
    """

    def __init__(self, draws: int, pairs: int) -> None:
        """Make room."""
        self.made, self._size = 0, max(1, -(-draws // BATCHES))
        self.present = np.zeros((draws, (pairs + 7) // 8), dtype=np.uint8)
        self.edges, self.score = np.zeros(draws), np.zeros(draws)
        self.chance, self.tried = np.zeros((BATCHES, pairs)), np.zeros((BATCHES, pairs))

    @property
    def batch(self) -> int:
        """In which batch the next draw counts."""
        return self.made // self._size

    def add(self, present: NDArray[np.bool_], score: float) -> None:
        """Keep the next draw, once its probabilities are added to the batch."""
        self.present[self.made] = np.packbits(present)
        self.edges[self.made], self.score[self.made] = present.sum(), score
        self.made += 1


class Chain(Protocol):
    """A Markov chain whose draws at β = 1 are of the posterior."""

    tally: Tally
    ladder: Ladder

    def warm(self, draws: int, /) -> None:
        """Go on with the warm-up."""
        ...

    def draw(self, draws: int, /) -> None:
        """Draw from the posterior, and keep what is drawn."""
        ...


class WarmUp:
    """When, in a warm-up, a chain is to choose its ladder anew.

    Parameters
    ----------
    length : int
        Of the warm-up, in draws.
    """

    TIMES = 12

    def __init__(self, length: int) -> None:
        """At its beginning."""
        self._length, self._made = length, 0

    def until_next(self, most: int) -> int:
        """How many draws until then, `most` at most."""
        chosen = self._made * self.TIMES // max(self._length, 1)
        next_at = -(-(chosen + 1) * self._length // self.TIMES)
        return max(1, min(most, next_at - self._made))

    def passed(self, draws: int) -> bool:
        """Count draws, and say whether it is time to choose."""
        before = self._made * self.TIMES // max(self._length, 1)
        self._made += draws
        return self._made * self.TIMES // max(self._length, 1) > before
