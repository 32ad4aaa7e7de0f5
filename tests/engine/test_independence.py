"""The Bayesian test against docs/theory.md §2: fractions, 50-digit oracles, and its symmetries."""

import json
import math
from fractions import Fraction
from itertools import product
from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

import bjp_engine as bjp
from bjp_engine.errors import BJPError, DataError, OptionError
from bjp_engine.independence import TestOptions
from bjp_engine.kernels.evidence import evidence_of_slices
from tests import oracles
from tests.strategies import Sample, permutations, samples, samples_with_test

GOLDEN = Path(__file__).parents[1] / "golden" / "posteriors.json"
Case = tuple[Sample, int, int, tuple[int, ...]]
SLICES = ("all", "observed")
PRIOR_CELLS = ("equal", "centred")


def close(value, truth, relative=1e-9, absolute=1e-30):
    """Whether a logarithm has nine correct digits of its own (not of the probability)."""
    return math.isfinite(value) and abs(mpf(value) - truth) <= relative * abs(truth) + absolute


def assert_agrees(sample, x, y, given_=(), **options):
    """Both logarithms, the prior, and each slice equal the oracle's."""
    given_ = sorted(given_)
    trace = bjp.independence_test(sample.data, x, y, given_, **options)
    truth = oracles.independence_test(sample.rows, sample.cards, x, y, given_, **options)
    assert close(trace.log_independent, truth.log_independent), (trace.log_independent, truth)
    assert close(trace.log_dependent, truth.log_dependent), (trace.log_dependent, truth)
    assert close(trace.log_configurations, mp.log(truth.configurations))
    assert close(trace.log_prior, truth.log_prior)
    assert close(trace.log_unseen, truth.empty_log)
    seen = [piece for piece in trace.slices if piece.rows]
    assert [piece.configuration for piece in seen] == [s.configuration for s in truth.slices]
    for piece, expected in zip(seen, truth.slices, strict=True):
        assert close(piece.log_g, expected.log_g)
        assert close(piece.log_h, expected.log_h)
        assert close(piece.log_independent, expected.log_independent)
    return truth


def from_table(table):
    """The data whose contingency table of variables 0 and 1 is this one."""
    rows = [
        (a, b) for a, line in enumerate(table) for b, count in enumerate(line) for _ in range(count)
    ]
    return Sample(tuple(rows), (len(table), len(table[0])))


def test_by_hand():
    trace = bjp.independence_test(from_table([[2, 0], [0, 2]]).data, 0, 1)
    (piece,) = trace.slices
    assert piece.log_g == pytest.approx(log(1 / 900), rel=1e-14)
    assert piece.log_h == pytest.approx(log(1 / 210), rel=1e-14)
    assert trace.log_prior == pytest.approx(log(1 / 2), rel=1e-15)
    assert trace.log_independent == pytest.approx(log(7 / 37), rel=1e-14)
    assert trace.log_dependent == pytest.approx(log(30 / 37), rel=1e-14)
    # Z = 0 holds (0,0), (1,1); Z = 1 nothing: K = 2, p = 2^(-1/2), g = (1/6)^2, h = 1/20.
    data = bjp.Dataset.from_codes([[0, 0, 0], [1, 1, 0]], cardinalities=[2, 2, 2])
    trace = bjp.independence_test(data, 0, 1, [2])
    p, g, h = 0.5**0.5, 1 / 36, 1 / 20
    assert trace.log_prior == pytest.approx(log(p), rel=1e-15)
    expected = p * g / (p * g + (1 - p) * h) * p
    assert math.exp(trace.log_independent) == pytest.approx(expected, rel=1e-14)


def test_exact_fractions():
    cases = json.loads(GOLDEN.read_text())
    assert cases
    for case in cases:
        truth = Fraction(case["independent"])
        trace = bjp.independence_test(from_table(case["table"]).data, 0, 1)
        with mp.workdps(50):
            independent = mp.log(mpf(truth.numerator) / truth.denominator)
            dependent = mp.log(mpf(truth.denominator - truth.numerator) / truth.denominator)
        assert close(trace.log_independent, independent), case
        assert close(trace.log_dependent, dependent), case


def test_the_oracle_agrees_with_exact_fractions():
    # The two references must not share a mistake before anything is measured against them.
    for table in ([[2, 0], [0, 2]], [[5, 1, 0], [0, 3, 7]], [[40, 2], [1, 60]]):
        sample, exact = from_table(table), oracles.exact_posterior(table)
        test = oracles.independence_test(sample.rows, sample.cards, 0, 1)
        independent, dependent = mp.exp(test.log_independent), mp.exp(test.log_dependent)
        assert abs(independent - mpf(exact.numerator) / exact.denominator) < 1e-45
        assert abs(independent + dependent - 1) < 1e-45


def test_without_data_the_posterior_is_the_prior():
    data = bjp.Dataset.from_codes(np.zeros((0, 5), dtype=int), cardinalities=[2, 3, 4, 300, 1])
    for slices, given_, prior in product(
        SLICES, [(), (2,), (2, 3), (2, 3, 4)], (0.5, 0.01, 0.3, 0.99)
    ):
        trace = bjp.independence_test(data, 0, 1, given_, prior=prior, slices=slices)
        assert trace.log_independent == pytest.approx(log(prior), rel=1e-14), (slices, given_)
        assert trace.log_dependent == pytest.approx(log(1 - prior), rel=1e-14), (slices, given_)
    # A single row has g = h in its slice, whatever the sizes; so has a variable of one state.
    one_row = Sample(((1, 2, 3),), (2, 3, 4))
    one_state = Sample(((0, 0, 0), (0, 1, 0), (0, 1, 0), (0, 2, 0)), (1, 3, 1))
    for sample in (one_row, one_state):
        trace = bjp.independence_test(sample.data, 0, 1, [2])
        assert trace.log_independent == pytest.approx(log(0.5), rel=1e-14)
    assert bjp.independence_test(one_state.data, 0, 1).log_independent == pytest.approx(log(0.5))


@given(samples_with_test(), st.data())
def test_symmetries(case, choice):
    sample, x, y, z = case
    one = bjp.independence_test(sample.data, x, y, z)
    # To the last bit: X and Y exchanged, and the conditioning set in any order.
    other = bjp.independence_test(sample.data, y, x, z)
    assert (one.log_independent, one.log_dependent) == (other.log_independent, other.log_dependent)
    for left, right in zip(one.slices, other.slices, strict=True):
        assert (np.asarray(left.counts) == np.asarray(right.counts).T).all()
        assert left.log_independent == right.log_independent
    shuffled = bjp.independence_test(sample.data, x, y, choice.draw(st.permutations(z)))
    assert (shuffled.given, shuffled.log_independent) == (one.given, one.log_independent)
    # But for rounding: states, rows and columns in other places.
    states = [choice.draw(permutations(r)) for r in sample.cards]
    rows = choice.draw(permutations(len(sample.rows)))
    order = choice.draw(permutations(sample.n))
    place = order.index
    for changed, test in (
        (sample.relabelled(states), (x, y, z)),
        (sample.permuted_rows(rows), (x, y, z)),
        (sample.permuted_variables(order), (place(x), place(y), [place(v) for v in z])),
    ):
        after = bjp.independence_test(changed.data, *test)
        assert after.log_independent == pytest.approx(one.log_independent, rel=1e-12)
        assert after.log_dependent == pytest.approx(one.log_dependent, rel=1e-12)


@given(samples(max_variables=3))
def test_a_table_may_be_all_there_is(sample):
    for x, y in oracles.pairs(sample.n):
        assert_agrees(sample, x, y)


@given(
    samples_with_test(),
    st.floats(0.001, 0.999),
    st.sampled_from([0.01, 0.5, 1.0, 2.5, 40.0]),
    st.sampled_from(SLICES),
    st.sampled_from(PRIOR_CELLS),
)
def test_small_data(case, prior, gamma, slices, cells):
    assert_agrees(*case)
    assert_agrees(*case, prior=prior, gamma=gamma, slices=slices, prior_cells=cells)


@given(
    st.tuples(*[st.integers(1, 300)] * 3),
    st.integers(0, 200),
    st.integers(0, 2**32 - 1),
    st.sampled_from([1, 2, 17, 300]),
)
def test_hundreds_of_states(cards, rows, seed, spread):
    rng = np.random.default_rng(seed)
    codes = np.column_stack([rng.integers(min(r, spread), size=rows) for r in cards])
    codes[:, 1] = np.where(rng.random(rows) < 0.5, codes[:, 0] % cards[1], codes[:, 1])
    sample = Sample(tuple(map(tuple, codes.tolist())), cards)
    assert_agrees(sample, 0, 1)
    assert_agrees(sample, 0, 1, [2])


def test_thousands_of_states():
    # lnΓ(m) with m = r² is 3e8 and 9e10 here: differences of it lose every digit of the answer.
    rng = np.random.default_rng(1)
    codes = np.column_stack([*rng.integers(40, size=(2, 300)), rng.integers(2, size=300)])
    codes[:, 1] = np.where(rng.random(300) < 0.5, codes[:, 0], codes[:, 1])
    for states in (2**12, 2**16):
        sample = Sample(tuple(map(tuple, codes.tolist())), (states, states, 2))
        for x, y, z in ((0, 1, []), (0, 1, [2]), (0, 2, [1])):
            # The totals alone: a table of r² cells a slice is more than a machine holds.
            trace = bjp.independence_test(sample.data, x, y, z)
            truth = oracles.independence_test(sample.rows, sample.cards, x, y, z)
            assert close(trace.log_independent, truth.log_independent), (states, x, y, z)
            assert close(trace.log_dependent, truth.log_dependent), (states, x, y, z)


def test_many_rows_and_any_gamma_of_centred_cells():
    rng = np.random.default_rng(2)
    x = rng.integers(3, size=200_000)
    y = np.where(rng.random(x.size) < 0.004, x, rng.integers(3, size=x.size))
    z = rng.integers(2, size=x.size)
    sample = Sample(tuple(zip(x.tolist(), y.tolist(), z.tolist(), strict=True)), (3, 3, 2))
    assert_agrees(sample, 0, 1)
    assert_agrees(sample, 0, 1, [2])
    for gamma in (1e-100, 1e-6, 1.0, 1e6, 1e100):
        options = {"gamma": gamma, "prior_cells": "centred"}
        trace = bjp.independence_test(sample.data, 0, 1, [2], **options)
        truth = oracles.independence_test(sample.rows, sample.cards, 0, 1, [2], **options)
        for piece, expected in zip(trace.slices, truth.slices, strict=True):
            odds, exact = piece.log_h - piece.log_g, expected.log_h - expected.log_g
            assert odds == pytest.approx(float(exact), rel=1e-9, abs=1e-8), gamma


def many_conditions(conditions, states, rows, seed=0, declared=None):
    """Two dependent binary variables, then many others that rarely repeat a configuration."""
    rng = np.random.default_rng(seed)
    x = rng.integers(2, size=rows)
    y = np.where(rng.random(rows) < 0.8, x, 1 - x)
    z = np.repeat(rng.integers(states, size=(-(-rows // 8), conditions)), 8, axis=0)[:rows]
    codes = np.column_stack([x, y, z])
    cards = (2, 2) + (declared or states,) * conditions
    return Sample(tuple(map(tuple, codes.tolist())), cards)


# K beyond every integer and floating type; its logarithm and the answer stay exact.
@pytest.mark.parametrize("rows", [0, 1, 200])
def test_exact_and_finite(rows):
    two = [(conditions, 2, 2) for conditions in (31, 32, 53, 60, 63, 64, 65)]
    two += [(conditions, 2, 2) for conditions in (1022, 1023, 1024, 1075, 1100)]
    for conditions, states, declared in (*two, (60, 4, 300), (110, 3, 2**10)):
        sample = many_conditions(conditions, states, rows, declared=declared)
        truth = assert_agrees(sample, 0, 1, range(2, sample.n))
        assert truth.configurations == declared**conditions


def test_where_the_evidence_outweighs_a_prior_that_underflows():
    # (1-p)/p ≈ ln2 / 2^1100 is no double, and h/g ≈ 2^N fights it: both sides of the balance.
    for rows in (700, 1000, 1120, 1200, 1300, 2000):
        xs = [row % 2 for row in range(rows)]
        sample = Sample(tuple((x, x) + (0,) * 1100 for x in xs), (2,) * 1102)
        assert_agrees(sample, 0, 1, range(2, 1102))


def test_observed_slices_only():
    sample = many_conditions(60, 2, 200, seed=3)
    for slices in SLICES:
        assert_agrees(sample, 0, 1, range(2, 62), slices=slices)


# Where one of the two probabilities is no double any more, its logarithm still is.
def test_strong_independence():
    # Two constant columns with many states: the dependent model pays for r² cells.
    for states, rows in product((2, 10, 60, 300), (10, 300, 3000)):
        truth = assert_agrees(Sample(((0, 0),) * rows, (states, states)), 0, 1)
    assert -1e5 < truth.log_dependent < -1e3
    # In every slice; of one strength, and of different ones.
    for counts in ([1500] * 2, [1500] * 20, [1500, 10, 700]):
        rows_ = tuple((0, 0, z) for z, count in enumerate(counts) for _ in range(count))
        truth = assert_agrees(Sample(rows_, (120, 120, len(counts))), 0, 1, [2])
        assert truth.log_dependent < -1e3 or 10 in counts


def test_strong_dependence():
    for rows in (10, 1000, 40_000):
        sample = Sample(tuple((row % 5, row % 5) for row in range(rows)), (5, 5))
        truth = assert_agrees(sample, 0, 1)
    assert truth.log_independent < -5e4


def test_no_strength_and_extreme_options():
    assert_agrees(from_table([[1, 1], [1, 1]]), 0, 1)
    sample = from_table([[5, 2], [1, 6]])
    for prior in (1e-300, 1e-12, 1 - 1e-12):
        assert_agrees(sample, 0, 1, prior=prior)
    for gamma in (1e-6, 1e6):
        trace = bjp.independence_test(sample.data, 0, 1, gamma=gamma)
        truth = oracles.independence_test(sample.rows, sample.cards, 0, 1, gamma=gamma)
        assert close(trace.log_independent, truth.log_independent, 1e-6)
        assert close(trace.log_dependent, truth.log_dependent, 1e-6)


@given(samples_with_test(), st.sampled_from(SLICES))
def test_the_total_is_the_sum_of_its_parts(case, slices):
    sample, x, y, z = case
    trace = bjp.independence_test(sample.data, x, y, z, slices=slices)
    parts = [piece.log_independent for piece in trace.slices]
    total = math.fsum([*parts, trace.log_unseen])
    assert trace.log_independent == pytest.approx(total, rel=1e-12)
    assert math.exp(trace.log_independent) + math.exp(trace.log_dependent) == pytest.approx(1)


@given(samples_with_test())
def test_each_slice_follows_from_its_counts(case):
    sample, x, y, z = case
    z = tuple(sorted(z))
    trace = bjp.independence_test(sample.data, x, y, z)
    assert (trace.x, trace.y, tuple(trace.given)) == (x, y, z)
    assert sum(piece.rows for piece in trace.slices) == len(sample.rows)
    for piece in trace.slices:
        counts = np.asarray(piece.counts)
        assert (counts.shape, counts.sum()) == ((sample.cards[x], sample.cards[y]), piece.rows)
        mine = [row for row in sample.rows if tuple(row[v] for v in z) == piece.configuration]
        for a, b in np.ndindex(*counts.shape):
            assert counts[a, b] == sum(row[x] == a and row[y] == b for row in mine)
        # The formula of docs/theory.md §2, from the printed parts alone.
        odds = math.log(-math.expm1(trace.log_prior)) + piece.log_h
        top = trace.log_prior + piece.log_g
        expected = top - np.logaddexp(top, odds)
        assert piece.log_independent == pytest.approx(expected, rel=1e-9, abs=1e-9)


def test_names_and_slices_which_cannot_be_written():
    data = bjp.Dataset.from_codes([[0, 1, 0], [1, 0, 1], [1, 1, 2]])
    trace = bjp.independence_test(data, 0, 1, [2])
    named = bjp.Dataset.from_codes(data.codes, names=["rain", "wet", "sun"])
    by_name = bjp.independence_test(named, "wet", 0, ["sun"])
    assert (by_name.x, by_name.y, by_name.given) == ("wet", "rain", ("sun",))
    assert by_name.log_independent == trace.log_independent
    slices = trace.slices
    assert (len(slices), [piece.configuration for piece in slices]) == (3, [(0,), (1,), (2,)])
    assert slices[-1].configuration == (2,)
    assert [piece.configuration for piece in slices[1:]] == [(1,), (2,)]
    with pytest.raises(IndexError):
        slices[3]
    with pytest.raises(AttributeError):
        trace.log_independent = 0.0
    with pytest.raises(AttributeError):
        slices[0].log_g = 0.0
    with pytest.raises((ValueError, TypeError)):
        slices[0].counts[0, 0] = 7


def test_a_wrong_variable_or_option_is_named():
    data = bjp.Dataset.from_codes([[0, 1, 0], [1, 0, 0]], names=["rain", "wet", "sun"])
    for x, y, given_, word in (
        ("rain", "snow", (), "snow"),
        ("snow", "rain", (), "snow"),
        ("rain", "wet", ["snow"], "snow"),
        ("rain", "wet", [7], "7"),
        ("rain", "rain", (), "rain"),
        ("rain", 0, (), "rain"),
        ("rain", "wet", ["rain"], "rain"),
        ("rain", "wet", ["sun", "wet"], "wet"),
        ("rain", "wet", ["sun", "sun"], "sun"),
    ):
        with pytest.raises(DataError, match=word):
            bjp.independence_test(data, x, y, given_)
    wrong = {
        "prior": (0.0, 1.0, -0.5, math.nan, "half"),
        "gamma": (0.0, -1.0, math.inf, math.nan),
        "slices": ("some",),
        "prior_cells": ("paper",),
    }
    for option, values in wrong.items():
        for value in values:
            with pytest.raises(OptionError, match=option):
                bjp.independence_test(data, 0, 1, **{option: value})
    assert issubclass(BJPError, ValueError)
    assert issubclass(DataError, BJPError)
    assert issubclass(OptionError, BJPError)


def drawn(rng, states, rows, skewed, copied):
    """Two variables whose second copies the first in a share of the rows."""
    shares = rng.dirichlet(np.full(states, 0.5), size=2) if skewed else np.full((2, states), 1)
    x, y = (rng.choice(states, rows, p=share / share.sum()) for share in shares)
    y = np.where(rng.random(rows) < copied, x, y)
    return Sample(tuple(zip(x.tolist(), y.tolist(), strict=True)), (states, states))


def test_four_rows_by_hand():
    # A = 4 and 32 rows of prior weight: cells of weight A / 4, margins of weight A / 2.
    trace = bjp.independence_test([[0, 0], [0, 0], [1, 1], [1, 1]], 0, 1, prior_cells="centred")
    odds = []
    for a in (4, 32):
        total = a * (a + 1) * (a + 2) * (a + 3)
        cells = Fraction((a // 4 * (a // 4 + 1)) ** 2, total)
        margin = Fraction((a // 2 * (a // 2 + 1)) ** 2, total)
        odds.append(float(cells / margin**2))
    assert odds == [70 / 27, 93555 / 78608]
    (piece,) = trace.slices
    assert [math.exp(value) for value in piece.log_odds] == pytest.approx(odds, rel=1e-12)
    # Of the six ways to pair two twos with two twos, one is this table.
    assert math.exp(piece.log_g) == pytest.approx(1 / 6, rel=1e-12)
    assert math.exp(piece.log_h) == pytest.approx(np.mean(odds) / 6, rel=1e-12)
    dependent = math.exp(trace.log_dependent)
    assert dependent == pytest.approx(np.mean(odds) / (1 + np.mean(odds)), rel=1e-12)


@given(st.integers(2, 20), st.integers(2, 20), st.integers(0, 300), st.integers(0, 2**32 - 1))
def test_random_tables(rx, ry, rows, seed):
    rng = np.random.default_rng(seed)
    x, y = rng.integers(rx, size=rows), rng.integers(ry, size=rows)
    y = np.where(rng.random(rows) < rng.random(), x % ry, y)
    sample = Sample(tuple(zip(x.tolist(), y.tolist(), strict=True)), (rx, ry + 2))
    assert_agrees(sample, 0, 1, prior_cells="centred")


@given(samples_with_test(), st.data())
def test_unseen_states_change_nothing(case, choice):
    sample, x, y, z = case
    declared = list(sample.cards)
    for v in (x, y):
        declared[v] += choice.draw(st.integers(0, 3))
    wider = Sample(sample.rows, tuple(declared))
    states = [choice.draw(permutations(r)) for r in declared]
    states = [states[v] if v in (x, y) else list(range(r)) for v, r in enumerate(declared)]
    before = bjp.independence_test(sample.data, x, y, z, prior_cells="centred")
    for other in (wider, wider.relabelled(states)):
        after = bjp.independence_test(other.data, x, y, z, prior_cells="centred")
        assert after.log_independent == pytest.approx(before.log_independent, rel=1e-12)
        assert after.log_dependent == pytest.approx(before.log_dependent, rel=1e-12)


def test_margins_that_allow_one_table_leave_the_prior():
    for table in ([[1]], [[0, 1], [0, 0]], [[0, 9], [0, 4]], [[3, 1, 2]]):
        trace = bjp.independence_test(from_table(table).data, 0, 1, prior_cells="centred")
        assert trace.log_independent == trace.log_dependent == log(0.5)
        assert (trace.slices[0].log_g, trace.slices[0].log_odds) == (0.0, (0.0, 0.0))


def test_large_odds_are_rare_under_independence():
    for n in range(2, 61):
        # Every table of these margins is a slice; a and b are those of the rarer states.
        margins = [(a, b) for a in range(1, n // 2 + 1) for b in range(1, a + 1)]
        tables = [(a, b, c) for a, b in margins for c in range(b + 1)]
        cells = np.array([(n - a - b + c, b - c, a - c, c) for a, b, c in tables]).ravel()
        evidence = TestOptions(prior_cells="centred").evidence(from_table([[1]]).data, n)
        kept, two = np.flatnonzero(cells), np.int64(2)
        found = evidence_of_slices(evidence, kept, cells[kept], len(tables), two, two)
        chances, odds = np.exp(found[0]), np.exp(found[2])
        at = np.repeat(np.arange(len(margins)), [b + 1 for _, b in margins])
        assert np.bincount(at, chances) == pytest.approx(1)
        for least in (3, 9, 19, 99):
            assert np.bincount(at, np.where(odds >= least, chances, 0)).max() < 1 / least


@pytest.mark.parametrize("skewed", [False, True])
def test_many_states_and_skewed_margins(skewed):
    options = {"prior": 0.9, "prior_cells": "centred"}
    for states, rows in ((2, 400), (5, 400), (11, 150), (20, 400)):
        rng, found = np.random.default_rng(1000), dict[float, int]()
        for copied in (0.0, 0.3):
            samples_ = [drawn(rng, states, rows, skewed, copied) for _ in range(40)]
            tests = [bjp.independence_test(s.data, 0, 1, **options) for s in samples_]
            found[copied] = sum(test.log_dependent > test.log_independent for test in tests)
        assert found[0.0] <= 2, states
        assert found[0.3] >= (28 if states == 2 and skewed else 38), states


def test_equal_cells_go_by_the_margins():
    rng = np.random.default_rng(1000)
    independent = [drawn(rng, 20, 400, False, 0.0) for _ in range(20)]
    dependent = [drawn(rng, 20, 400, True, 0.3) for _ in range(20)]
    for samples_, least, most in ((independent, 15, 20), (dependent, 0, 2)):
        tests = [bjp.independence_test(s.data, 0, 1) for s in samples_]
        assert least <= sum(t.log_dependent > t.log_independent for t in tests) <= most


def test_the_slices_reach_a_file():
    data = bjp.Dataset.from_codes([[0, 0], [0, 0], [1, 1], [1, 1]])
    trace = bjp.independence_test(data, 0, 1, prior_cells="centred")
    written = json.loads(bjp.io.trace_json(trace))
    assert written["options"]["prior_cells"] == "centred"
    assert TestOptions(**written["options"]) == trace.options
    assert tuple(written["slices"][0]["log_odds"]) == trace.slices[0].log_odds
