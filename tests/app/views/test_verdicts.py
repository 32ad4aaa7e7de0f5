"""The verdicts on *Your network*: present, absent and undecided pairs, and the errors expected."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from bjp_engine.arrays import Bools
from bjp_engine.confidence import EdgeConfidence
from bjp_engine.confidence.edges import judge_pairs
from bjp_explorer.network import words
from bjp_explorer.views.verdicts import Verdicts, judge
from bjp_explorer.views.words import describe_verdicts

MATRIX = np.array(
    [[0.0, 0.95, 0.5, 0.9], [0.95, 0.0, 0.1, 0.02], [0.5, 0.1, 0.0, 0.3], [0.9, 0.02, 0.3, 0.0]]
)
ALL = np.ones((4, 4), dtype=np.bool_)


def sure(judged: Bools = ALL) -> EdgeConfidence:
    names = ("a", "b", "c", "d")
    return EdgeConfidence("calibrated", names, MATRIX, None, "bjp", judged=judged)


def test_pairs_are_counted_by_verdict() -> None:
    found = judge(sure(), [])
    assert (found.present, found.undecided, found.absent) == (2, 2, 2)
    told = judge_pairs(MATRIX[np.triu_indices(4, 1)]).tolist()
    assert told == ["present", "undecided", "present", "absent", "absent", "undecided"]


@pytest.mark.parametrize("edges", [[], [(0, 1)], [(1, 0), (2, 0)], [(2, 3), (3, 0), (1, 3)]])
def test_errors_are_expected_one_pair_at_a_time(edges: list[tuple[int, int]]) -> None:
    found = judge(sure(), edges)
    drawn = {tuple(sorted(edge)) for edge in edges}
    rest = set(itertools.combinations(range(4), 2)) - drawn
    assert found.false == pytest.approx(sum(1 - MATRIX[pair] for pair in drawn))
    assert found.missed == pytest.approx(sum(MATRIX[pair] for pair in rest))


def test_nearly_none_is_not_said_to_be_none() -> None:
    told = describe_verdicts(Verdicts(2, 0, 13, 0, 0.0016, 0.47), 2)
    assert "Of the 2 edges shown, fewer than 0.1 are expected to be false" in told
    assert "among the other pairs, 0.5 edges are expected" in told
    assert words.expect_errors(Verdicts(2, 0, 13, 0, 0.0016, 0.47)) == (
        "expect < 0.1 false, 0.5 missed"
    )


def test_pairs_unlike_those_of_the_fit_are_not_judged() -> None:
    fitted = ALL.copy()
    fitted[0] = fitted[:, 0] = False
    found = judge(sure(fitted), [(0, 1), (2, 3)])
    assert (found.present, found.undecided, found.absent, found.beyond) == (0, 1, 2, 3)
    assert found.false == pytest.approx(0.7)
    assert found.missed == pytest.approx(0.1 + 0.02)
    told = describe_verdicts(found, 2)
    assert told.startswith("Of 3 pairs, **0 are present**")
    assert "3 pairs are not judged: the probabilities were fitted to 100 rows or more" in told
    none = judge(sure(~ALL), [(0, 1)])
    told = describe_verdicts(none, 1)
    assert told.startswith("**All 6 pairs** are not judged")
    assert "expected" not in told + words.expect_errors(none)


def test_a_number_is_not_rounded_up_to_a_limit() -> None:
    assert [words._share(p) for p in (0.8996, 0.9, 0.9996, 1.0)] == [
        "0.89",
        "0.90",
        "> 0.99",
        "1.00",
    ]
