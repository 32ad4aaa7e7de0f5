"""The verdicts on *Your network*: present, absent and undecided pairs, and the errors expected."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from bjp_engine.confidence import EdgeConfidence
from bjp_explorer.network import words
from bjp_explorer.network.verdicts import Verdicts, judge, verdict_of

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


def test_nearly_none_is_not_said_to_be_none() -> None:
    told = words.describe_verdicts(Verdicts(2, 0, 13, 0.0016, 0.47), 2)
    assert "Of the 2 edges shown, fewer than 0.1 are expected to be false" in told
    assert "among the other pairs, 0.5 edges are expected" in told
