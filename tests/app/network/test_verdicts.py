"""The verdicts on *Your network*: present, absent and undecided pairs, and the errors expected."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from bjp_engine.confidence import EdgeConfidence
from bjp_explorer.network.verdicts import judge, verdict_of

MATRIX = np.array(
    [[0.0, 0.95, 0.5, 0.9], [0.95, 0.0, 0.1, 0.02], [0.5, 0.1, 0.0, 0.3], [0.9, 0.02, 0.3, 0.0]]
)


def sure() -> EdgeConfidence:
    return EdgeConfidence("calibrated", ("a", "b", "c", "d"), MATRIX, None, "bjp")


def test_pairs_are_counted_by_verdict() -> None:
    found = judge(sure(), [])
    assert (found.present, found.undecided, found.absent) == (2, 2, 2)
    told = [verdict_of(MATRIX[i, j]) for i, j in itertools.combinations(range(4), 2)]
    assert told == ["present", "undecided", "present", "absent", "absent", "undecided"]


@pytest.mark.parametrize("edges", [[], [(0, 1)], [(1, 0), (2, 0)], [(2, 3), (3, 0), (1, 3)]])
def test_errors_are_expected_one_pair_at_a_time(edges: list[tuple[int, int]]) -> None:
    found = judge(sure(), edges)
    drawn = {tuple(sorted(edge)) for edge in edges}
    rest = set(itertools.combinations(range(4), 2)) - drawn
    assert found.false == pytest.approx(sum(1 - MATRIX[pair] for pair in drawn))
    assert found.missed == pytest.approx(sum(MATRIX[pair] for pair in rest))
