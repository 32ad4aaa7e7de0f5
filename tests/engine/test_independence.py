"""Tests of independence: the Bayesian one against docs/theory.md §2, and χ² and G²."""

import json
import math
from collections import Counter
from fractions import Fraction
from itertools import product
from math import log
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf
from scipy.stats import chi2, chi2_contingency

import bjp_engine as bjp
from bjp_engine.classical import classical_test
from bjp_engine.errors import BJPError, DataError, OptionError
from bjp_engine.independence import IndependenceOptions, grid, posterior_growth, subsample
from bjp_engine.kernels.evidence import evidence_of_slices
from tests import oracles
from tests.refusals import assert_refused
from tests.strategies import Sample, samples_with_test

GOLDEN = Path(__file__).parents[1] / "golden" / "posteriors.json"
SLICES = ("all", "observed")


def close(value, truth, relative=1e-9, absolute=1e-30):
    """Whether a logarithm has nine correct digits of its own (not of the probability)."""
    return math.isfinite(value) and abs(mpf(value) - truth) <= relative * abs(truth) + absolute


def logs(trace):
    return trace.log_independent, trace.log_dependent


def close_logs(trace, truth, relative=1e-9):
    return all(close(*pair, relative) for pair in zip(logs(trace), logs(truth), strict=True))


def assert_agrees(sample, x, y, given_=(), **options):
    """Both logarithms, the prior, and each slice with its counts equal the oracle's."""
    given_ = sorted(given_)
    trace = bjp.independence_test(sample.data, x, y, given_, **options)
    truth = oracles.independence_test(sample.rows, sample.cards, x, y, given_, **options)
    assert (trace.x, trace.y, list(trace.given)) == (x, y, given_)
    assert close_logs(trace, truth), (trace, truth)
    parts = math.fsum([*(piece.log_independent for piece in trace.slices), trace.log_unseen])
    assert trace.log_independent == pytest.approx(parts, rel=1e-12)
    assert trace.configurations == truth.configurations
    assert close(trace.log_prior, truth.log_prior)
    assert close(trace.log_unseen, truth.empty_log)
    seen = [piece for piece in trace.slices if piece.rows]
    assert [piece.configuration for piece in seen] == [s.configuration for s in truth.slices]
    for piece, expected in zip(seen, truth.slices, strict=True):
        shape = (sample.cards[x], sample.cards[y])
        assert (piece.counts.shape, piece.rows) == (shape, expected.rows)
        cells = zip(*np.nonzero(piece.counts), strict=True)
        assert {cell: piece.counts[cell] for cell in cells} == expected.counts
        for name in ("log_g", "log_h", "log_independent"):
            assert close(getattr(piece, name), getattr(expected, name)), name
    return truth


def sample_of(codes, cards):
    return Sample(tuple(map(tuple, np.column_stack(codes).tolist())), cards)


def from_table(table):
    """The data whose contingency table of variables 0 and 1 is this one."""
    cells = np.indices(np.shape(table)).reshape(2, -1)
    return sample_of(np.repeat(cells, np.ravel(table), axis=1), np.shape(table))


def test_by_hand():
    trace = bjp.independence_test(from_table([[2, 0], [0, 2]]).data, 0, 1)
    (piece,) = trace.slices
    found = piece.log_g, piece.log_h, trace.log_prior, *logs(trace)
    exact = [1 / 900, 1 / 210, 1 / 2, 7 / 37, 30 / 37]
    assert found == pytest.approx(np.log(exact), rel=1e-14)
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
            for found, part in zip(logs(trace), (truth, 1 - truth), strict=True):
                assert close(found, mp.log(mpf(part.numerator) / part.denominator)), case
    # The two references must not share a mistake before anything is measured against them.
    for table in ([[2, 0], [0, 2]], [[5, 1, 0], [0, 3, 7]], [[40, 2], [1, 60]]):
        sample, exact = from_table(table), oracles.exact_posterior(table)
        test = oracles.independence_test(sample.rows, sample.cards, 0, 1)
        independent, dependent = mp.exp(test.log_independent), mp.exp(test.log_dependent)
        assert abs(independent - mpf(exact.numerator) / exact.denominator) < 1e-45
        assert abs(independent + dependent - 1) < 1e-45


@given(samples_with_test(), st.data())
def test_symmetries(case, choice):
    """To the last bit: X and Y exchanged, and the conditioning set in any order."""
    sample, x, y, z = case
    one = bjp.independence_test(sample.data, x, y, z)
    other = bjp.independence_test(sample.data, y, x, choice.draw(st.permutations(z)))
    assert (logs(one), one.given) == (logs(other), other.given)
    for left, right in zip(one.slices, other.slices, strict=True):
        assert (np.asarray(left.counts) == np.asarray(right.counts).T).all()
        assert left.log_independent == right.log_independent


@given(
    samples_with_test(),
    st.floats(0.001, 0.999),
    st.sampled_from([0.01, 0.5, 1.0, 2.5, 40.0]),
    st.sampled_from(SLICES),
    st.sampled_from(["equal", "centred"]),
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
    x, y, z = (rng.integers(min(r, spread), size=rows) for r in cards)
    sample = sample_of([x, np.where(rng.random(rows) < 0.5, x % cards[1], y), z], cards)
    for prior_cells in ("equal", "centred"):
        assert_agrees(sample, 0, 1, prior_cells=prior_cells)
        assert_agrees(sample, 0, 1, [2], prior_cells=prior_cells)


def test_thousands_of_states():
    # lnΓ(m) with m = r² is 3e8 and 9e10 here: differences of it lose every digit of the answer.
    rng = np.random.default_rng(1)
    (x, y), z = rng.integers(40, size=(2, 300)), rng.integers(2, size=300)
    y = np.where(rng.random(300) < 0.5, x, y)
    for states in (2**12, 2**16):
        sample = sample_of([x, y, z], (states, states, 2))
        for test in ((0, 1, []), (0, 1, [2]), (0, 2, [1])):
            # The totals alone: a table of r² cells a slice is more than a machine holds.
            trace = bjp.independence_test(sample.data, *test)
            truth = oracles.independence_test(sample.rows, sample.cards, *test)
            assert close_logs(trace, truth), (states, test)


def test_many_rows_and_any_gamma_of_centred_cells():
    rng = np.random.default_rng(2)
    x = rng.integers(3, size=200_000)
    y = np.where(rng.random(x.size) < 0.004, x, rng.integers(3, size=x.size))
    sample = sample_of([x, y, rng.integers(2, size=x.size)], (3, 3, 2))
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
    return sample_of([x, y, z], (2, 2) + (declared or states,) * conditions)


@pytest.mark.parametrize("rows", [0, 1, 200])
def test_configurations_beyond_every_integer_and_floating_type(rows):
    two = [31, 32, 53, 60, 63, 64, 65, 1022, 1023, 1024, 1075, 1100]
    for conditions, states, declared in (*((k, 2, 2) for k in two), (60, 4, 300), (110, 3, 2**10)):
        sample = many_conditions(conditions, states, rows, declared=declared)
        truth = assert_agrees(sample, 0, 1, range(2, sample.n))
        assert truth.configurations == declared**conditions
    sample = many_conditions(60, 2, rows, seed=3)
    assert_agrees(sample, 0, 1, range(2, 62), slices="observed")


def test_where_the_evidence_outweighs_a_prior_that_underflows():
    # (1-p)/p ≈ ln2 / 2^1100 is no double, and h/g ≈ 2^N fights it: both sides of the balance.
    for rows in (700, 1000, 1120, 1200, 1300, 2000):
        xs = [row % 2 for row in range(rows)]
        sample = Sample(tuple((x, x) + (0,) * 1100 for x in xs), (2,) * 1102)
        assert_agrees(sample, 0, 1, range(2, 1102))


def test_the_logarithm_of_what_is_no_double():
    # Two constant columns with many states: the dependent model pays for r² cells.
    for states, rows in product((2, 10, 60, 300), (10, 300, 3000)):
        truth = assert_agrees(Sample(((0, 0),) * rows, (states, states)), 0, 1)
    assert -1e5 < truth.log_dependent < -1e3
    # In every slice; of one strength, and of different ones.
    for counts in ([1500] * 2, [1500] * 20, [1500, 10, 700]):
        rows_ = tuple((0, 0, z) for z, count in enumerate(counts) for _ in range(count))
        truth = assert_agrees(Sample(rows_, (120, 120, len(counts))), 0, 1, [2])
        assert truth.log_dependent < -1e3 or 10 in counts
    # Strong dependence, no strength, and extreme options.
    for rows in (10, 1000, 40_000):
        sample = Sample(tuple((row % 5, row % 5) for row in range(rows)), (5, 5))
        truth = assert_agrees(sample, 0, 1)
    assert truth.log_independent < -5e4
    assert_agrees(from_table([[1, 1], [1, 1]]), 0, 1)
    sample = from_table([[5, 2], [1, 6]])
    for prior in (1e-300, 1e-12, 1 - 1e-12):
        assert_agrees(sample, 0, 1, prior=prior)
    for gamma in (1e-6, 1e6):
        trace = bjp.independence_test(sample.data, 0, 1, gamma=gamma)
        truth = oracles.independence_test(sample.rows, sample.cards, 0, 1, gamma=gamma)
        assert close_logs(trace, truth, 1e-6)


def test_variables_are_found_by_name_or_place_and_counts_cannot_be_written():
    data = bjp.Dataset.from_codes([[0, 1, 0], [1, 0, 1], [1, 1, 2]], names=["rain", "wet", "sun"])
    trace = bjp.independence_test(data, "wet", 0, ["sun"])
    assert (trace.x, trace.y, trace.given) == ("wet", "rain", ("sun",))
    assert [piece.configuration for piece in trace.slices] == [(0,), (1,), (2,)]
    with pytest.raises((ValueError, TypeError)):
        trace.slices[0].counts[0, 0] = 7


def test_a_wrong_variable_or_option_is_named():
    data = bjp.Dataset.from_codes([[0, 1, 0], [1, 0, 0]], names=["rain", "wet", "sun"])
    for x, y, given_, word in (
        ("snow", "rain", (), "snow"),
        ("rain", "wet", ["snow"], "snow"),
        ("rain", "wet", [7], "7"),
        ("rain", "rain", (), "rain"),
        ("rain", 0, (), "rain"),
        ("rain", "wet", ["rain"], "rain"),
        ("rain", "wet", ["sun", "wet"], "wet"),
        ("rain", "wet", ["sun", "sun"], "sun"),
    ):
        for call in (bjp.independence_test, classical_test):
            assert_refused(DataError, word, call, data, x, y, given_)
    for option, values in (
        ("prior", (0.0, 1.0, -0.5, math.nan, "half")),
        ("gamma", (0.0, -1.0, math.inf, math.nan)),
        ("slices", ("some",)),
        ("prior_cells", ("paper",)),
    ):
        for value in values:
            given_ = {option: value}
            assert_refused(OptionError, option, bjp.independence_test, data, 0, 1, **given_)
    assert issubclass(BJPError, ValueError)


def test_four_rows_by_hand():
    # A = 4 and 32 rows of prior weight: cells of weight A / 4, margins of weight A / 2.
    trace = bjp.independence_test([[0, 0], [0, 0], [1, 1], [1, 1]], 0, 1, prior_cells="centred")
    odds = []
    for a in (4, 32):
        total = a * (a + 1) * (a + 2) * (a + 3)
        cells = Fraction((a // 4 * (a // 4 + 1)) ** 2, total)
        margin = Fraction((a // 2 * (a // 2 + 1)) ** 2, total)
        odds.append(float(cells / margin**2))
    mean = np.mean(odds)
    assert odds == [70 / 27, 93555 / 78608]
    (piece,) = trace.slices
    # Of the six ways to pair two twos with two twos, one is this table.
    found = np.exp([*piece.log_odds, piece.log_g, piece.log_h, trace.log_dependent])
    assert found == pytest.approx([*odds, 1 / 6, mean / 6, mean / (1 + mean)], rel=1e-12)
    # Margins that allow one table leave the prior.
    for table in ([[1]], [[0, 1], [0, 0]], [[0, 9], [0, 4]], [[3, 1, 2]]):
        trace = bjp.independence_test(from_table(table).data, 0, 1, prior_cells="centred")
        assert logs(trace) == (log(0.5), log(0.5))
        assert (trace.slices[0].log_g, trace.slices[0].log_odds) == (0.0, (0.0, 0.0))


def test_large_odds_are_rare_under_independence():
    for n in range(2, 61):
        # Every table of these margins is a slice; a and b are those of the rarer states.
        margins = [(a, b) for a in range(1, n // 2 + 1) for b in range(1, a + 1)]
        tables = [(a, b, c) for a, b in margins for c in range(b + 1)]
        cells = np.array([(n - a - b + c, b - c, a - c, c) for a, b, c in tables]).ravel()
        evidence = IndependenceOptions(prior_cells="centred").evidence(from_table([[1]]).data, n)
        kept, two = np.flatnonzero(cells), np.int64(2)
        found = evidence_of_slices(evidence, kept, cells[kept], len(tables), two, two)
        chances, odds = np.exp(found[0]), np.exp(found[2])
        at = np.repeat(np.arange(len(margins)), [b + 1 for _, b in margins])
        assert np.bincount(at, chances) == pytest.approx(1)
        for least in (3, 9, 19, 99):
            assert np.bincount(at, np.where(odds >= least, chances, 0)).max() < 1 / least


@given(
    samples_with_test(),
    st.integers(0, 99),
    st.sampled_from([{}, {"prior": 0.2, "gamma": 0.5, "slices": "observed"}]),
)
def test_every_point_is_the_test_of_the_thinned_data(case, seed, options):
    sample, x, y, z = case
    sets = [z[:k] for k in range(len(z) + 1)]
    chosen = IndependenceOptions(**options)
    trace = posterior_growth(sample.data, x, y, sets, seed=seed, options=chosen)
    assert trace.sets == tuple(tuple(sorted(given_)) for given_ in sets)
    assert (trace.sizes[0], trace.sizes[-1]) == (0, sample.data.rows)
    thinned = [subsample(sample.data, rows, seed) for rows in trace.sizes.tolist()]
    # The last is that of all rows as they came.
    for t, data in [*enumerate(thinned), (-1, sample.data)]:
        for m, given_ in enumerate(sets):
            expected = logs(bjp.independence_test(data, x, y, given_, **options))
            assert (trace.log_independent[m, t], trace.log_dependent[m, t]) == expected


def test_sizes_and_wrong_arguments_of_growth():
    for rows in (0, 1, 2, 9, 250, 8000, 1_000_000):
        found = grid(rows)
        assert (found[0], found[-1], (np.diff(found) > 0).all()) == (0, rows, True)
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
    wrong = [("sizes", sizes, "from 0 to 10") for sizes in ([11], [-1], [1.5], [True], ["1"])]
    wrong += [("conditioning_sets", [], "conditioning_sets is empty")]
    names = "sizes", "conditioning_sets", "options"
    wrong += [(name, 5, rf"^{name}(=5 must be| is of) .*\.$") for name in names]
    for name, value, sentence in wrong:
        assert_refused(OptionError, sentence, posterior_growth, data, 0, 1, **{name: value})
    assert_refused(OptionError, "from 0 to 10", subsample, data, 11)
    assert_refused(DataError, "", posterior_growth, data, 0, 1, [[1]])


def tables(sample, x, y, z):
    """The counts of each slice with rows."""
    found = {}
    for row in sample.rows:
        found.setdefault(tuple(row[k] for k in z), Counter())[row[x], row[y]] += 1
    return found.values()


def exact(table):
    """χ² as a fraction, G² in 50 digits and df of one slice, cell by cell."""
    rows, columns = Counter(), Counter()
    for (a, b), count in table.items():
        rows[a] += count
        columns[b] += count
    n, pearson, g = sum(table.values()), Fraction(0), mpf(0)
    for a in rows:
        for b in columns:
            expected = Fraction(rows[a] * columns[b], n)
            pearson += (table[a, b] - expected) ** 2 / expected
            if table[a, b]:
                ratio = table[a, b] / expected
                g += 2 * table[a, b] * mp.log(mpf(ratio.numerator) / ratio.denominator)
    return pearson, g, (len(rows) - 1) * (len(columns) - 1)


@given(samples_with_test())
def test_against_the_definition(case):
    sample, x, y, z = case
    trace = classical_test(sample.data, x, y, z)
    with mp.workdps(50):
        truth = [exact(table) for table in tables(*case)]
    *statistics, freedom = (sum(values) for values in zip((0, 0, 0), *truth, strict=True))
    expected = pytest.approx([float(value) for value in statistics], abs=1e-9)
    assert [trace.pearson, trace.g_squared] == expected
    assert (trace.freedom, trace.rows) == (freedom, len(sample.rows))
    if freedom:
        expected = pytest.approx(chi2.sf([trace.pearson, trace.g_squared], freedom), rel=1e-9)
        assert [trace.p_pearson, trace.p_g_squared] == expected

    # I(X; Y | Z) = H(X, Z) + H(Y, Z) - H(X, Y, Z) - H(Z), from four separate counts.
    def entropy(*columns):
        counts = Counter(tuple(row[k] for k in columns) for row in sample.rows)
        n = len(sample.rows)
        return -sum(c / n * math.log(c / n) for c in counts.values())

    information = entropy(x, *z) + entropy(y, *z) - entropy(x, y, *z) - entropy(*z)
    assert trace.information == pytest.approx(information, abs=1e-10)
    assert trace.information >= 0


@given(samples_with_test())
def test_slices_against_scipy_without_correction(case):
    sample, x, y, z = case
    slices = classical_test(sample.data, x, y, z).slices
    posterior = bjp.independence_test(sample.data, x, y, z)
    for part, counted in zip(slices, posterior.slices, strict=True):
        if not part.rows:
            continue
        kept = np.ix_(counted.counts.any(axis=1), counted.counts.any(axis=0))
        for kind, statistic, p in (
            ("pearson", part.pearson, part.p_pearson),
            ("log-likelihood", part.g_squared, part.p_g_squared),
        ):
            found = chi2_contingency(counted.counts[kept], correction=False, lambda_=kind)
            expected = pytest.approx(found.statistic, rel=1e-9, abs=1e-9)
            assert (statistic, part.freedom) == (expected, found.dof)
            assert p == (pytest.approx(found.pvalue, rel=1e-6, abs=1e-300) if found.dof else 1.0)
        assert counted.expected[kept] == pytest.approx(found.expected_freq)
        assert part.least_expected == pytest.approx(found.expected_freq.min())


def test_nothing_and_certainty_are_exact():
    # Counts as expected.
    for counts in ([[6, 2], [9, 3]], [[1, 1, 1], [4, 4, 4], [2, 2, 2]]):
        cells = np.repeat(np.indices(np.shape(counts)).reshape(2, -1).T, np.ravel(counts), axis=0)
        trace = classical_test(bjp.Dataset.from_codes(cells), 0, 1)
        assert (trace.pearson, trace.g_squared, trace.information) == (0.0, 0.0, 0.0)
        assert (trace.p_pearson, trace.p_g_squared) == (1.0, 1.0)
    # No rows.
    data = bjp.Dataset.from_codes(np.zeros((0, 3), dtype=int), cardinalities=[2, 3, 2])
    for z in ((), (2,)):
        trace = classical_test(data, 0, 1, z)
        found = trace.pearson, trace.g_squared, trace.freedom, trace.p_pearson, trace.information
        assert found == (0.0, 0.0, 0, 1.0, 0.0)
    trace = classical_test(bjp.Dataset.from_codes([[k % 2, k % 2] for k in range(8000)]), 0, 1)
    assert [trace.pearson, trace.information] == pytest.approx([8000, math.log(2)])
    assert trace.p_pearson == trace.p_g_squared == 0.0
    with pytest.raises(ValueError, match="read-only"):
        trace.slices.pearson[0] = 1.0
    # States that do not occur are not counted, though there are thousands.
    codes = np.random.default_rng(1).integers(5000, size=(300, 2))
    trace = classical_test(bjp.Dataset.from_codes(codes, [5000, 5000]), 0, 1)
    first, second = (len(set(codes[:, k].tolist())) for k in (0, 1))
    assert trace.freedom == (first - 1) * (second - 1)
