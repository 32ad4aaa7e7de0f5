"""Posteriors of ever more rows: each is the test of the thinned data, the last that of all."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mpf

import bjp_engine as bjp
from bjp_engine.errors import DataError, OptionError
from bjp_engine.growth import grid, posterior_growth, subsample
from bjp_engine.independence import TestOptions
from tests import oracles
from tests.strategies import random_sample, samples_with_test


def logs(trace):
    return trace.log_independent, trace.log_dependent


@given(samples_with_test(), st.integers(0, 99))
def test_is_the_test_of_the_thinned_data(case, seed):
    sample, x, y, z = case
    sets = [z[:k] for k in range(len(z) + 1)]
    trace = posterior_growth(sample.data, x, y, sets, seed=seed)
    assert trace.sets == tuple(tuple(sorted(given_)) for given_ in sets)
    for t, rows in enumerate(trace.sizes.tolist()):
        thinned = subsample(sample.data, rows, seed)
        for m, given_ in enumerate(sets):
            expected = logs(bjp.independence_test(thinned, x, y, given_))
            assert (trace.log_independent[m, t], trace.log_dependent[m, t]) == expected
    assert trace.sizes[-1] == sample.data.rows
    for m, given_ in enumerate(sets):
        last = trace.log_independent[m, -1], trace.log_dependent[m, -1]
        assert last == logs(bjp.independence_test(sample.data, x, y, given_))


@given(st.integers(0, 2**32 - 1), st.integers(0, 9))
def test_is_the_oracles(number, seed):
    sample, sizes = random_sample(number, (2, 3, 2, 2), 40), [0, 7, 23, 40]
    order = np.random.default_rng(seed).permutation(40)
    trace = posterior_growth(sample.data, 0, 1, [[], [2, 3]], sizes=sizes, seed=seed)
    for t, rows in enumerate(sizes):
        kept = [sample.rows[k] for k in order[:rows]]
        for m, given_ in enumerate(((), (2, 3))):
            truth = oracles.independence_test(kept, sample.cards, 0, 1, given_)
            found = trace.log_independent[m, t]
            assert abs(mpf(found) - truth.log_independent) <= 1e-9 * abs(truth.log_independent)


def test_with_other_options():
    data = random_sample(4, (3, 3, 4), 200).data
    options = {"prior": 0.2, "gamma": 0.5, "slices": "observed"}
    trace = posterior_growth(data, 0, 1, [[2]], sizes=[0, 50], options=TestOptions(**options))
    expected = bjp.independence_test(subsample(data, 50), 0, 1, [2], **options)
    assert (trace.log_independent[0, 1], trace.log_dependent[0, 1]) == logs(expected)
    assert trace.log_independent[0, 0] == pytest.approx(math.log(0.2), rel=1e-14)
    assert trace.options == TestOptions(**options)
    for array in (trace.sizes, trace.log_independent, trace.log_dependent):
        assert not array.flags.writeable


def test_without_rows_and_with_one_row_it_is_one_half():
    trace = posterior_growth(random_sample(1, (2, 3, 4, 2), 100).data, 0, 1, [[], [2], [2, 3]])
    assert trace.sizes[:2].tolist() == [0, 1]
    assert np.exp(trace.log_independent[:, :2]) == pytest.approx(0.5, rel=1e-14)
    assert np.exp(trace.log_dependent[:, :2]) == pytest.approx(0.5, rel=1e-14)


def test_a_larger_set_needs_more_rows():
    # A strong edge; what else is given is noise, and deals the rows out among more slices.
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=(4000, 8))
    codes[:, 1] = np.where(rng.random(4000) < 0.8, codes[:, 0], codes[:, 1])
    sets = [range(2, 2 + k) for k in (0, 2, 4, 6)]
    trace = posterior_growth(bjp.Dataset.from_codes(codes), 0, 1, sets)
    sure = trace.log_dependent > math.log(0.999)
    needed = [int(trace.sizes[line].min()) for line in sure]
    assert needed == sorted(set(needed))
    assert sure[:, -1].all()


def test_sizes():
    for rows in (0, 1, 2, 9, 250, 8000, 1_000_000):
        found = grid(rows)
        assert (found[0], found[-1]) == (0, rows)
        assert (np.diff(found) > 0).all()
        assert len(found) <= 27
        assert rows < 9 or len(found) > min(rows, 20)
    # Fewer rows are among more rows.
    data = bjp.Dataset.from_codes(np.arange(50)[:, None])
    few, more, every = (subsample(data, k, seed=3).codes[:, 0].tolist() for k in (10, 30, 50))
    assert (more[:10], sorted(every)) == (few, list(range(50)))
    assert few != subsample(data, 10, seed=4).codes[:, 0].tolist()
    # Sizes given by the caller are put in order.
    data = bjp.Dataset.from_codes([[0, 1], [1, 0]] * 5)
    assert posterior_growth(data, 0, 1, sizes=[10, 3, 3, 0]).sizes.tolist() == [0, 3, 10]


def test_wrong_arguments_are_named():
    data = bjp.Dataset.from_codes([[0, 1], [1, 0]])
    wrong = [
        *(({"sizes": sizes}, "from 0 to 2") for sizes in ([3], [-1], [1.5], [True], ["1"])),
        ({"sizes": []}, "sizes is empty"),
        ({"conditioning_sets": []}, "conditioning_sets is empty"),
        *(({"seed": seed}, "seed=") for seed in (-1, 0.5, True, "0")),
        ({"sizes": 5}, r"^sizes(=5 must be| is of) .*\.$"),
        ({"conditioning_sets": 5}, r"^conditioning_sets(=5 must be| is of) .*\.$"),
        ({"options": 5}, r"^options(=5 must be| is of) .*\.$"),
    ]
    for arguments, sentence in wrong:
        with pytest.raises(OptionError, match=sentence):
            posterior_growth(data, 0, 1, **arguments)
    with pytest.raises(OptionError, match="from 0 to 2"):
        subsample(data, 3)
    with pytest.raises(DataError):
        posterior_growth(data, 0, 1, [[1]])
