"""Proposals as columns: in however many batches they come, the same steps are read."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bjp_engine.search.steps import Proposals, StepLog, join_alike

PAIRS = [(0, 1), (0, 2), (1, 2), (2, 3), (1, 3)]


def batches(flips: list[int], accepted: list[bool], cuts: set[int], phase: str) -> list[Proposals]:
    """A walk of single flips over four variables, cut into batches before some of them."""
    graph = np.zeros((4, 4), dtype=np.bool_)
    ends = sorted(cuts | {0, len(flips)})
    found = []
    for first, last in pairwise(ends):
        degrees, added = graph.sum(axis=1), []
        for flip, kept in zip(flips[first:last], accepted[first:last], strict=True):
            i, j = PAIRS[flip]
            added.append(not graph[i, j])
            graph[i, j] = graph[j, i] = graph[i, j] ^ kept
        numbers = np.arange(first, last)
        found.append(
            Proposals(
                phase,
                np.array([PAIRS[flip] for flip in flips[first:last]]),
                np.array(added),
                np.array(accepted[first:last]),
                gain=numbers * 0.5,
                score=numbers * -1.25,
                tests=numbers * 3,
                degrees=degrees,
                evaluations=numbers * 7 + 1,
            )
        )
    return found


@given(st.data())
def test_joined_batches_have_the_steps_of_each(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 12))
    flips = data.draw(st.lists(st.integers(0, 4), min_size=size, max_size=size))
    accepted = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    cuts = data.draw(st.sets(st.integers(1, size)))
    cut, names = batches(flips, accepted, cuts, "ascent"), ["a", "b", "c", "d"]
    firsts = np.cumsum([1, *map(len, cut)])
    steps = [
        step
        for batch, first in zip(cut, firsts[:-1].tolist(), strict=True)
        for step in batch.steps(names, first)
    ]
    (whole,) = join_alike(cut)
    assert list(whole.steps(names, 1)) == steps
    log = StepLog(cut, names)
    assert list(log) == [step for step in steps if step.accepted]
    assert list(log.with_refused()) == steps
    assert log.with_refused()[-1] == steps[-1]


def test_batches_of_other_phases_stay_apart() -> None:
    first = batches([0, 1], [True, True], {1}, "ascent")
    second = batches([2, 3], [True, False], {1}, "perturbation")
    assert [batch.phase for batch in join_alike([*first, *second])] == ["ascent", "perturbation"]
    assert join_alike([]) == []
