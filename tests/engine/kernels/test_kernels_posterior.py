"""From ratios to posteriors: the table of few rows, extreme priors, and what next to underflows."""

import math
from functools import cache
from itertools import product

import numpy as np
import pytest
from mpmath import mp, mpf

import bjp_engine as bjp
from bjp_engine.arrays import columns
from bjp_engine.counts import table_of
from bjp_engine.independence import IndependenceOptions
from bjp_engine.kernels.evidence import DEPENDENT, INDEPENDENT
from tests import oracles
from tests.kernels import run_tests
from tests.strategies import Sample, noisy_tree


def close(value, truth, relative=1e-9):
    """Nine digits, but where doubles end."""
    allowed = relative * abs(truth) + mpf("1e-320")
    return math.isfinite(value) and abs(mpf(value) - truth) <= allowed


def sample_of(slices):
    """Two variables of two states and Z, from the cells of each slice."""
    rows = [
        (x, y, k)
        for k, cells in enumerate(slices)
        for (x, y), count in zip(product(range(2), repeat=2), cells, strict=True)
        for _ in range(count)
    ]
    return Sample(tuple(rows), (2, 2, max(2, len(slices))))


def assert_test(sample, given_, **options):
    """The bare tests are the traced ones to the bit, and the oracle's to nine digits."""
    # With 50 digits 1 - e^-200 would be 1.
    with mp.workdps(450):
        truth = oracles.independence_test(sample.rows, sample.cards, 0, 1, given_, **options)
    trace = bjp.independence_test(sample.data, 0, 1, given_, **options)
    case = trace, truth, given_, options
    assert close(trace.log_independent, truth.log_independent), case
    assert close(trace.log_dependent, truth.log_dependent), case
    evidence = IndependenceOptions(**options).evidence(sample.data)
    for want, expected in ((INDEPENDENT, trace.log_independent), (DEPENDENT, trace.log_dependent)):
        for most in (512, 0):
            table, out = table_of(sample.data)._replace(most_masks=most), np.empty(1)
            run_tests(table, evidence, 0, columns(given_), columns([1]), want, out)
            assert out[0] == expected, case


def rising_from(gamma):
    return cache(lambda m, n: mp.loggamma(mpf(gamma) * m + n) - mp.loggamma(mpf(gamma) * m))


def test_a_rare_gamma():
    rng = np.random.default_rng(0)
    for gamma, _ in product((1e-42, 1e-50, 1e-57, 1e-72, 1e-100), range(40)):
        slices = [(int(a), 0, 0, int(b)) for a, b in rng.integers(1, 7, size=(4, 2))]
        assert_test(sample_of(slices), [2], gamma=gamma)
    # Many targets.
    codes = rng.integers(2, size=(300, 24))
    codes[:, 7:] = np.where(rng.random((300, 17)) < 0.95, codes[:, :1], codes[:, 7:])
    data, given_, targets = bjp.Dataset.from_codes(codes), list(range(1, 7)), list(range(7, 24))
    evidence, out = IndependenceOptions(gamma=1e-60).evidence(data), np.empty(17)
    run_tests(table_of(data), evidence, 0, columns(given_), columns(targets), INDEPENDENT, out)
    traces = [bjp.independence_test(data, 0, y, given_, gamma=1e-60) for y in targets]
    assert out.tolist() == [trace.log_independent for trace in traces]


def test_any_prior_spread_over_any_number_of_slices():
    priors = (1e-300, 1e-100, 1e-9, 0.2, 0.5, 1 - 1e-12, 1 - 2**-53)
    wide = noisy_tree(4, (2,) * 1102, 20, keep=0.9)
    cases = [(wide, [*range(2, 2 + given_)]) for given_ in (10, 40, 996, 1100)]
    for sample in (
        noisy_tree(1, (2, 2, 2, 3), 300),
        noisy_tree(2, (2, 2, 2, 3), 300, keep=1.0),
        noisy_tree(3, (3, 2, 2, 3), 40, keep=0.0),
        noisy_tree(3, (2, 2, 2, 2), 1, keep=0.0),
    ):
        cases += [(sample, given_) for given_ in ([], [2], [2, 3])]
    for (sample, given_), prior, slices in product(cases, priors, ("all", "observed")):
        assert_test(sample, given_, prior=prior, slices=slices)


def test_independence_beyond_doubt():
    # Even γ can't make a uniform table of so many rows dependent with a prior of almost 1.
    for rows, prior in product((700, 1500, 5000, 40000), (1 - 1e-12, 0.5)):
        even = (rows // 4,) * 4
        assert_test(sample_of([even]), [], prior=prior, gamma=1e-100)
        assert_test(sample_of([even, (3, 2, 2, 3)]), [2], prior=prior, gamma=1e-100)
    # Nine cells of weight γ, of which four are more than the margins have: γ^4.
    cells = tuple(product(range(3), repeat=2))
    rows = [(x, y, z) for z in range(4) for x, y in cells for _ in range(2 + (x + y + z) % 3)]
    sample = Sample(tuple(rows), (3, 3, 4))
    for options in ({"gamma": 1e-100, "prior": 1 - 2**-53}, {"gamma": 1e-70}, {"gamma": 1e-60}):
        assert_test(sample, [], **options)
        assert_test(sample, [2], **options)
        doubt = -bjp.independence_test(sample.data, 0, 1, **options).log_independent
        assert doubt < 1e-200
    assert doubt > 0


@pytest.mark.parametrize(
    ("rows", "gammas"),
    [(100_000, (1.0, 0.5, 1e6)), (200_000, (1e10,)), (1_000_000, (1.0, 0.3, 1e-50, 1e6, 1e100))],
)
def test_nine_digits_of_many_rows(rows, gammas):
    rng = np.random.default_rng(0)
    codes = rng.integers(2, size=(rows, 2))
    codes[:, 1] = np.where(rng.random(rows) < 0.003, codes[:, 0], codes[:, 1])
    data, cells = bjp.Dataset.from_codes(codes), np.bincount(codes @ [2, 1], minlength=4).tolist()
    margins = [cells[0] + cells[1], cells[2] + cells[3], cells[0] + cells[2], cells[1] + cells[3]]
    for gamma in gammas:
        trace, rising = bjp.independence_test(data, 0, 1, gamma=gamma), rising_from(gamma)
        with mp.workdps(250):
            ratio = sum(rising(1, v) for v in cells) - sum(rising(1, v) for v in margins)
            ratio += 2 * rising(2, rows) - rising(4, rows)
            independent = -mp.log1p(mp.exp(ratio))
            dependent = mp.log(-mp.expm1(independent))
        assert close(trace.log_independent, independent), gamma
        assert close(trace.log_dependent, dependent), gamma
