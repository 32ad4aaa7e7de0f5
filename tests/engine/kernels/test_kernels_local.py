"""Local scores by every way of counting, and the climbs that find blankets."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mpmath import mp, mpf

import bjp_engine as bjp
from bjp_engine.arrays import columns
from bjp_engine.counts import local_prior, table_of
from bjp_engine.kernels import local as kernels
from tests import oracles
from tests.kernels import grown_scores, ways
from tests.kernels import table_of as table_in
from tests.strategies import Sample, noisy_tree, random_sample, samples_with_test

CLEAR = 1e-7


def close(value, truth):
    return math.isfinite(value) and abs(mpf(value) - truth) <= 1e-9 * abs(truth) + 1e-12


def used_up(prior):
    """A prior whose tables are all taken by weights that nothing has."""
    for k in range(kernels.MOST_TABLES):
        assert table_in(prior, 300.0 + k) == k
    assert table_in(prior, 1.0) == -1
    return prior


def climbs(table, prior, begin, end):
    """The blankets of some variables, and their changes with the scores before and after."""
    found = np.zeros((len(table.cardinalities),) * 2, dtype=np.bool_)
    made = kernels.blanket_climbs(table, prior, np.empty((0, 0)), begin, end, found)
    return found, *made[:2]


def score_each_way(sample, j, members, ess=1.0):
    """The local score, which is the same by every way, and as a trace adds it up."""
    found = []
    for table in ways(sample):
        prior = local_prior(sample.data, ess)
        found.append(float(kernels.local_score(table, prior, j, columns(members))))
    assert found[1:] == found[:1] * 3
    trace = bjp.scores.local_trace(sample.data, j, members, ess=ess)
    assert trace.value == found[0]
    assert math.fsum(s.value for s in trace.slices) == pytest.approx(found[0], rel=1e-13, abs=1e-12)
    return found[0]


def grown_each_way(sample, j, members, ess=1.0):
    """Each candidate's score is the local score of the grown blanket, to the last bit."""
    rest = [i for i in range(sample.n) if i != j and i not in members]
    expected = [score_each_way(sample, j, sorted([*members, i]), ess) for i in rest]
    for table in ways(sample):
        prior, out = local_prior(sample.data, ess), np.empty(len(rest))
        grown_scores(table, prior, j, columns(members), columns(rest), out)
        assert out.tolist() == expected


@given(samples_with_test(max_rows=80), st.sampled_from([1.0, 0.01, 50.0, 1e-100, 1e100]))
def test_each_way_and_the_oracle(case, ess):
    sample, j, _, members = case
    value = score_each_way(sample, j, sorted(members), ess)
    with mp.workdps(170):
        truth = oracles.mpl_local(sample.rows, sample.cards, j, members, ess)
    # An N_ess of 1e100 takes the digits of N ln N_ess.
    lost = 1e-12 + len(sample.rows) * abs(math.log(ess)) * 1e-15
    assert close(value, truth) or abs(value - truth) <= lost, (value, truth)
    grown_each_way(sample, j, sorted(members), ess)


def test_from_no_rows_to_more_than_a_table_has_and_many_states():
    few = ((0, []), (0, [1]), (0, [1, 3]), (0, [1, 2, 3, 4]))
    many = ((0, [1]), (1, [0, 2, 4]), (4, [0]), (4, [0, 1, 2, 3, 5]), (3, [0, 4]))
    for sample, blankets in (
        *((noisy_tree(2, (2, 3, 2, 5, 2), n, 0.3), few) for n in (0, 1, 2, 300, 5000, 20000)),
        *((random_sample(8, (300, 2, 9, 1, 1000, 2), n), many) for n in (0, 1, 2, 400)),
    ):
        for j, members in blankets:
            value = score_each_way(sample, j, members)
            truth = oracles.mpl_local(sample.rows, sample.cards, j, members)
            assert close(value, truth), (len(sample.rows), j, members)
            grown_each_way(sample, j, members[:1])
            grown_each_way(sample, j, members[1:])


def test_many_given_and_more_configurations_than_a_double_can_hold():
    some = np.random.default_rng(1).integers(2, size=(30, 1102))
    some[15:] = some[:15]
    for sample, members in (
        (Sample(tuple(map(tuple, some.tolist())), (2,) * 1102), range(2, 1102)),
        (noisy_tree(1, (2, 3, 5) * 18, 100, keep=0.97), range(1, 51)),
    ):
        value = score_each_way(sample, 0, list(members))
        with mp.workdps(400):
            assert close(value, oracles.mpl_local(sample.rows, sample.cards, 0, members))


@given(samples_with_test(max_rows=60, max_variables=5), st.integers(0, 3))
def test_blankets_equal_the_oracle(case, way):
    sample, j = case[:2]
    best = oracles.Best()
    members, moves = oracles.mpl_blanket(sample.rows, sample.cards, j, best)
    assume(best.margin > CLEAR)
    for prior in (local_prior(sample.data, 1.0), used_up(local_prior(sample.data, 1.0))):
        found, changes, scores = climbs(ways(sample)[way], prior, j, j + 1)
        assert set(np.flatnonzero(found[j])) == members
        assert [("add" if c[2] else "delete", c[1]) for c in changes.tolist()] == list(moves)
        assert (scores[1:, 0] == scores[:-1, 1]).all()
        if len(scores):
            final = oracles.mpl_local(sample.rows, sample.cards, j, members)
            assert close(scores[-1, 1], final)


def test_more_changes_than_there_were_places_for():
    sample = noisy_tree(0, (2,) * 60, 600, keep=0.8)
    table, prior = table_of(sample.data), local_prior(sample.data, 1.0)
    whole, parts = climbs(table, prior, 0, 60), [climbs(table, prior, j, j + 1) for j in range(60)]
    assert len(whole[1]) > 64
    assert (sum(found for found, _, _ in parts) == whole[0]).all()
    for k in (1, 2):
        # The last column counts the scores computed so far.
        every = np.concatenate([part[k][:, :3] for part in parts])
        assert (every == whole[k][:, :3]).all()
