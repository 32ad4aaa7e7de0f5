"""The verdicts on *Your network*: present, absent and undecided pairs, and the errors expected."""

import itertools

import numpy as np
import pytest

from bjp_engine.confidence import EdgeConfidence
from bjp_engine.confidence.edges import judge_pairs
from bjp_explorer.network import words
from bjp_explorer.views.verdicts import Thresholds, Verdicts, judge
from bjp_explorer.views.words import describe_verdicts

MATRIX = np.array(
    [[0.0, 0.95, 0.5, 0.9], [0.95, 0.0, 0.1, 0.02], [0.5, 0.1, 0.0, 0.3], [0.9, 0.02, 0.3, 0.0]]
)
SHARES = {pair: MATRIX[pair] for pair in itertools.combinations(range(4), 2)}
ALL = np.ones((4, 4), dtype=np.bool_)


def sure(judged=ALL):
    return EdgeConfidence("calibrated", tuple("abcd"), MATRIX, None, "bjp", judged=judged)


def test_pairs_are_counted_by_thresholds_and_errors_expected_one_pair_at_a_time():
    told = judge_pairs(np.array([*SHARES.values()])).tolist()
    assert told == ["present", "undecided", "present", "absent", "absent", "undecided"]
    for edges in ([], [(0, 1)], [(1, 0), (2, 0)], [(2, 3), (3, 0), (1, 3)]):
        drawn = {tuple(sorted(edge)) for edge in edges}
        false = sum(1 - SHARES[pair] for pair in drawn)
        missed = sum(share for pair, share in SHARES.items() if pair not in drawn)
        usual = judge(sure(), edges)
        assert (usual.present, usual.undecided, usual.absent) == (2, 2, 2)
        assert (usual.false, usual.missed) == pytest.approx((false, missed)), edges
        for low, high in ((0.1, 0.9), (0.2, 0.5), (0.3, 0.31), (0.0, 1.0)):
            found = judge(sure(), edges, Thresholds(high, low))
            present = sum(share >= high for share in SHARES.values())
            absent = sum(share <= low for share in SHARES.values())
            counted = found.present, found.absent, found.undecided
            assert counted == (present, absent, 6 - present - absent), (low, high)
            # How many errors to expect depends on what is shown, not on how pairs are called.
            assert (found.false, found.missed) == (usual.false, usual.missed), (low, high)
            told, are = describe_verdicts(found, len(edges)), "is" if present == 1 else "are"
            assert told.startswith(f"**{present} of 6 pairs {are} present, {absent} absent, ")
            assert f"(present from {high:g}, absent up to {low:g})" in told


def test_nearly_none_is_not_said_to_be_none():
    verdicts = Verdicts(2, 0, 13, 0, 0.0016, 0.47)
    told = describe_verdicts(verdicts, 2)
    assert "Of the 2 edges shown, fewer than 0.1 are expected to be false" in told
    assert "0.5 edges are expected" in told
    assert words.expect_errors(verdicts) == "expect < 0.1 false, 0.5 missed"
    # A number is not rounded up to a limit.
    numbers = (0.0949, 0.0951, 0.1049, 0.6283, 0.8996, 0.9, 0.9996, 1.0)
    shown = ["0.09", "0.10", "0.1049", "0.63", "0.8996", "0.90", "> 0.99", "1.00"]
    assert [words._share(p, Thresholds()) for p in numbers] == shown


def test_pairs_unlike_those_of_the_fit_are_not_judged():
    fitted = ALL.copy()
    fitted[0] = fitted[:, 0] = False
    found = judge(sure(fitted), [(0, 1), (2, 3)])
    assert (found.present, found.undecided, found.absent, found.beyond) == (0, 1, 2, 3)
    assert (found.false, found.missed) == pytest.approx((0.7, 0.1 + 0.02))
    told = describe_verdicts(found, 2)
    assert told.startswith("**0 of 3 judged pairs are present, 2 absent, 1 undecided**")
    none = judge(sure(~ALL), [(0, 1)])
    assert describe_verdicts(none, 1) == words.expect_errors(none) == ""
