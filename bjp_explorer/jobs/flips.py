"""The flips of a search as it makes them: in full while they are few, as columns, and as frames.

A long walk makes more flips than a browser can draw or a person can look at. So the
records of the first are kept, of the others only columns, and a long walk is shown in frames:
what changed since the frame before, and the last flip by name.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bjp_engine.dataset import Name
from bjp_engine.search import Step

# Flips that are kept in full, and frames of a longer walk.
MOST = 1000


@dataclass(frozen=True, slots=True)
class Frame:
    """Where a walk stands after some of its flips."""

    # How many flips were made.
    at: int
    # The last pair flipped.
    edge: tuple[Name, Name]
    added: bool
    phase: str
    # How much the score changed since the frame before.
    gain: float
    score: float
    # Flips tried since the frame before.
    tried: int
    # Tests (or local scores) made up to here.
    tests: int
    # Other pairs that are edges now and were not in the frame before, or the other way round.
    others: tuple[tuple[Name, Name], ...]


class Flips:
    """The accepted flips of a search's graph; one thread records them, others read."""

    def __init__(self, start_score: float = 0.0) -> None:
        self.start_score = start_score
        # The first of them in full, `MOST` at most.
        self.first: list[Step] = []
        # Flips and the changes of blankets by which MPL's hill climb prepares them; flips tried so
        # far, and before the first was made.
        self.changes = self.tried = self.before = 0
        self._names: dict[Name, int] = {}
        self._phases: dict[str, int] = {}
        self._pairs, self._marks = array("l"), array("b")
        self._scores, self._tried, self._tests = array("d"), array("q"), array("q")

    def __len__(self) -> int:
        """How many flips of the graph were made; changes of MPL's blankets are none."""
        return len(self._tried)

    def record(self, step: Step) -> None:
        """Note a proposal."""
        self.tried = step.evaluations
        if not step.accepted:
            return
        self.changes += 1
        if step.phase == "blanket":
            self.before = step.evaluations
            return
        if len(self.first) < MOST:
            self.first.append(step)
        self._pairs.extend(self._names.setdefault(name, len(self._names)) for name in step.edge)
        phase = self._phases.setdefault(step.phase, len(self._phases))
        self._marks.append(2 * phase + step.added)
        self._scores.append(step.score)
        self._tests.append(step.tests)
        # The last: whoever reads meanwhile counts these.
        self._tried.append(step.evaluations)

    @classmethod
    def of(cls, steps: Iterable[Step], start_score: float) -> Flips:
        """Those of a search that has ended."""
        made = cls(start_score)
        for step in steps:
            made.record(step)
        return made

    @property
    def phases(self) -> set[str]:
        """The phases that they belong to."""
        return set(self._phases)

    @property
    def stride(self) -> int:
        """How many flips a frame must stand for, a power of two."""
        stride = 1
        while len(self) > stride * MOST:
            stride *= 2
        return stride

    @property
    def last_tried(self) -> int:
        """Flips that had been tried when the last one was made."""
        return self._tried[-1] if self._tried else self.before

    def frames(self, stride: int, best: int | None = None) -> list[Frame]:
        """The walk in frames."""
        made = len(self)
        ends = np.arange(stride, made + 1, stride)
        if best is not None and made:
            ends = np.union1d(ends, [at for at in (best, made) if at > 0])
        names, phases = list(self._names), list(self._phases)
        scores = np.array(self._scores[:made])[ends - 1]
        tried = np.array(self._tried[:made])[ends - 1]
        gains = np.diff(scores, prepend=self.start_score).tolist()
        since = np.diff(tried, prepend=self.before).tolist()
        last = np.array(self._pairs[: 2 * made], dtype=np.int64).reshape(-1, 2)
        others = _others(last, ends, len(names))
        found = []
        for k, at in enumerate(ends.tolist()):
            i, j = last[at - 1].tolist()
            mark = self._marks[at - 1]
            found.append(
                Frame(
                    at,
                    (names[i], names[j]),
                    bool(mark % 2),
                    phases[mark // 2],
                    gains[k],
                    float(scores[k]),
                    since[k],
                    self._tests[at - 1],
                    tuple((names[a], names[b]) for a, b in others[k]),
                )
            )
        return found


def _others(
    pairs: NDArray[np.int64], ends: NDArray[np.int64], n: int
) -> list[list[tuple[int, int]]]:
    """For each frame the pairs that were flipped an odd number of times, but for the last."""
    made = int(ends[-1]) if len(ends) else 0
    frame = np.searchsorted(ends, np.arange(1, made + 1))
    low, high = np.sort(pairs[:made], axis=1).T if made else (frame, frame)
    code = (frame * n + low) * n + high
    last = code[ends - 1] if made else code
    changed, often = np.unique(code, return_counts=True)
    odd = np.setdiff1d(changed[often % 2 == 1], last)
    found: list[list[tuple[int, int]]] = [[] for _ in range(len(ends))]
    for k, i, j in zip(odd // (n * n), odd // n % n, odd % n, strict=True):
        found[int(k)].append((int(i), int(j)))
    return found
