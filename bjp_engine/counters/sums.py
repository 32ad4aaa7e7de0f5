"""Rows in several parts, each of which may stand for as many equal ones: their counts add up."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Codes, Ints, code_dtype, threads_for
from bjp_engine.contingency import Answer, Request, add
from bjp_engine.counters.planes import PlanesPart, drawn
from bjp_engine.errors import DataError
from bjp_engine.progress import UNWATCHED, Progress

UNORDERED = (
    "Rows that stand for as many equal ones as their frequency says, and are too many to be "
    "written out, have no order to draw a resample from; confidence.confidence_of_tests asks for "
    "counts alone."
)
# Fewer rows are counted before a thread would have begun.
_THREADED_ROWS = 1 << 17


@dataclass(frozen=True, eq=False)
class Sum:
    """Parts of a table that are counted one by one.

    Parameters
    ----------
    parts : sequence of PlanesPart
    factors : sequence of int, optional
        For how many equal parts each stands, by default one.
    """

    parts: Sequence[PlanesPart]
    factors: Sequence[int] | None = None

    @property
    def weights(self) -> Sequence[int]:
        """For how many equal parts each stands."""
        return [1] * len(self.parts) if self.factors is None else self.factors

    @property
    def rows(self) -> int:
        """N."""
        return sum(f * part.rows for f, part in zip(self.weights, self.parts, strict=True))

    @property
    def drawable(self) -> bool:
        """Whether resamples can be drawn of the rows where they are."""
        return self.factors is None

    @property
    def nbytes(self) -> int:
        """The memory that the parts take."""
        return sum(part.nbytes for part in self.parts)

    def __sizeof__(self) -> int:
        """The same, for Dask, which weighs a transfer against a wait."""
        return self.nbytes

    @property
    def digest(self) -> str:
        """A hash of the parts."""
        named = [(f, p.digest) for f, p in zip(self.weights, self.parts, strict=True)]
        return hashlib.sha256(repr(named).encode()).hexdigest()

    def count(
        self, requests: Sequence[Request], progress: Progress = UNWATCHED
    ) -> Sequence[Answer]:
        """Answer requests: those of each part, added up."""
        if len(self.parts) == 1 and self.factors is None:
            return self.parts[0].count(requests, progress)
        if sum(part.rows for part in self.parts) < _THREADED_ROWS:
            return add([part.count(requests, progress.quiet) for part in self.parts], self.factors)
        with ThreadPoolExecutor(threads_for(len(self.parts))) as pool:
            found = list(pool.map(lambda part: part.count(requests, progress.quiet), self.parts))
        return add(found, self.factors)

    def codes(self, progress: Progress = UNWATCHED) -> Codes:
        """The codes of all rows, shape (N, n), those of one part after those of another."""
        sizes, start = self.parts[0].cardinalities, 0
        found = np.empty((self.rows, len(sizes)), code_dtype(sizes), "F")
        for factor, part in zip(self.weights, self.parts, strict=True):
            progress.tick()
            end = start + factor * part.rows
            for v in range(len(sizes)):
                codes = part.codes_of(v)
                found[start:end, v] = codes if factor == 1 else np.repeat(codes, factor)
            start = end
        return found

    def select(self, variables: Sequence[int]) -> Sum:
        """The same rows with only some of the variables."""
        return replace(self, parts=[part.select(variables) for part in self.parts])

    def resample(self, seed: int, k: int) -> Sum:
        """The k-th bootstrap resample of the rows, those of one part after those of another."""
        if not self.drawable:
            raise DataError(UNORDERED)
        starts = np.cumsum([0, *(part.rows for part in self.parts)]).tolist()
        return Sum(drawn(self.parts, starts[:-1], starts[-1], seed, k))


def by_bits(codes: NDArray[Any], cardinalities: Sequence[int], frequencies: Ints) -> Sum:
    """Rows that stand for as many equal ones as their frequency says, 0 or more.

    The counts are Σ_b 2^b times those of the rows whose frequency has bit b.
    """
    parts, factors = [PlanesPart.of(codes[:0], cardinalities)], [1]
    for b in range(int(frequencies.max(initial=0)).bit_length()):
        chosen = np.flatnonzero(frequencies >> b & 1)
        if len(chosen):
            parts.append(PlanesPart.of(np.asfortranarray(codes[chosen]), cardinalities))
            factors.append(1 << b)
    return Sum(parts, factors)
