"""χ², G² and mutual information against scipy, pgmpy, exact fractions and the definition."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf
from scipy.stats import chi2, chi2_contingency

import bjp_engine as bjp
from bjp_engine.classical import classical_test
from bjp_engine.errors import DataError
from tests.strategies import Sample, permutations, samples_with_test

Case = tuple[Sample, int, int, tuple[int, ...]]


def tables(sample, x, y, z):
    """The counts of each slice with rows, in lexicographic order."""
    found = {}
    for row in sample.rows:
        found.setdefault(tuple(row[k] for k in sorted(z)), Counter())[row[x], row[y]] += 1
    return dict(sorted(found.items()))


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
    slices = tables(*case)
    with mp.workdps(50):
        truth = {where: exact(table) for where, table in slices.items()}
    seen = [part for part in trace.slices if part.rows]
    assert [part.configuration for part in seen] == list(truth)
    for part, (pearson, g, freedom) in zip(seen, truth.values(), strict=True):
        assert part.pearson == pytest.approx(float(pearson), rel=1e-10, abs=1e-10)
        assert part.g_squared == pytest.approx(float(g), rel=1e-10, abs=1e-10)
        assert (part.freedom, part.rows) == (freedom, sum(slices[part.configuration].values()))
    assert trace.pearson == pytest.approx(float(sum(t[0] for t in truth.values())), abs=1e-9)
    assert trace.g_squared == pytest.approx(float(sum(t[1] for t in truth.values())), abs=1e-9)
    assert (trace.freedom, trace.rows) == (sum(t[2] for t in truth.values()), len(sample.rows))

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
    posterior = bjp.independence_test(sample.data, x, y, z)
    for part, counted in zip(
        classical_test(sample.data, x, y, z).slices, posterior.slices, strict=True
    ):
        assert part.configuration == counted.configuration
        if not part.rows:
            continue
        kept = np.ix_(counted.counts.any(axis=1), counted.counts.any(axis=0))
        for kind, statistic, p in (
            ("pearson", part.pearson, part.p_pearson),
            ("log-likelihood", part.g_squared, part.p_g_squared),
        ):
            found = chi2_contingency(counted.counts[kept], correction=False, lambda_=kind)
            assert statistic == pytest.approx(found.statistic, rel=1e-9, abs=1e-9)
            assert part.freedom == found.dof
            expected = pytest.approx(found.pvalue, rel=1e-6, abs=1e-300) if found.dof else 1.0
            assert p == expected
        assert counted.expected[kept] == pytest.approx(found.expected_freq)
        assert part.least_expected == pytest.approx(found.expected_freq.min())


def test_whole_tests_against_scipy_and_pgmpy():
    from pgmpy import ci_tests

    codes = np.random.default_rng(7).integers([3, 4, 2, 3], size=(500, 4))
    trace = classical_test(bjp.Dataset.from_codes(codes), 0, 1, [2, 3])
    assert trace.freedom == 2 * 3 * 6
    assert trace.p_pearson == pytest.approx(chi2.sf(trace.pearson, 36), rel=1e-12)
    assert trace.p_g_squared == pytest.approx(chi2.sf(trace.g_squared, 36), rel=1e-12)
    assert 0.001 < trace.p_pearson < 0.999
    # Three states each: with two by two cells pgmpy corrects for continuity.
    rng = np.random.default_rng(3)
    codes = rng.integers(3, size=(400, 4))
    codes[:, 1] = np.where(rng.random(400) < 0.2, codes[:, 0], codes[:, 1])
    frame = pd.DataFrame(codes, columns=list("abcd"))
    for given_ in ((), (2,), (2, 3)):
        trace = classical_test(bjp.Dataset.from_codes(codes), 0, 1, given_)
        for test, statistic, p in (
            (ci_tests.ChiSquare(frame), trace.pearson, trace.p_pearson),
            (ci_tests.LogLikelihood(frame), trace.g_squared, trace.p_g_squared),
        ):
            test("a", "b", ["abcd"[k] for k in given_])
            assert statistic == pytest.approx(test.statistic_, rel=1e-9), given_
            assert p == pytest.approx(test.p_value_, rel=1e-9), given_


@given(samples_with_test(), st.data())
def test_places_and_names_of_states_change_nothing(case, choice):
    sample, x, y, z = case
    before = classical_test(sample.data, x, y, z)
    other = classical_test(sample.data, y, x, z)
    assert (before.pearson, before.g_squared) == (other.pearson, other.g_squared)
    states = [choice.draw(permutations(r)) for r in sample.cards]
    rows = choice.draw(permutations(len(sample.rows)))
    for changed in (sample.relabelled(states), sample.permuted_rows(rows)):
        after = classical_test(changed.data, x, y, z)
        assert after.pearson == pytest.approx(before.pearson, rel=1e-10, abs=1e-10)
        assert after.g_squared == pytest.approx(before.g_squared, rel=1e-10, abs=1e-10)
        assert after.freedom == before.freedom


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
        assert (trace.pearson, trace.g_squared, trace.freedom) == (0.0, 0.0, 0)
        assert (trace.p_pearson, trace.information) == (1.0, 0.0)
        assert trace.slices[:] == tuple(trace.slices)
    trace = classical_test(bjp.Dataset.from_codes([[k % 2, k % 2] for k in range(8000)]), 0, 1)
    assert trace.pearson == pytest.approx(8000)
    assert trace.p_pearson == trace.p_g_squared == 0.0
    assert trace.information == pytest.approx(math.log(2))


def test_states_that_a_slice_lacks_are_not_counted():
    # Z = 0 has all of 2 × 3 states, Z = 1 two by two of them, Z = 2 a single row.
    full = [(a, b, 0) for a in range(2) for b in range(3)]
    rows = [*full, (0, 0, 1), (1, 2, 1), (0, 2, 2)]
    trace = classical_test(bjp.Dataset.from_codes(rows), 0, 1, [2])
    assert ([part.freedom for part in trace.slices], trace.freedom) == ([2, 1, 0], 3)
    with pytest.raises(ValueError, match="read-only"):
        trace.slices.pearson[0] = 1.0
    # Thousands of states.
    codes = np.random.default_rng(1).integers(5000, size=(300, 2))
    trace = classical_test(bjp.Dataset.from_codes(codes, [5000, 5000]), 0, 1)
    first, second = (len(set(codes[:, k].tolist())) for k in (0, 1))
    assert trace.freedom == (first - 1) * (second - 1)


def test_refuses_what_the_bayesian_test_refuses():
    data = bjp.Dataset.from_codes([[0, 1, 0], [1, 0, 1]])
    for case in ((0, 0, ()), (0, 1, (1,)), (0, 7, ())):
        with pytest.raises(DataError) as caught:
            classical_test(data, *case)
        with pytest.raises(DataError) as same:
            bjp.independence_test(data, *case)
        assert str(caught.value) == str(same.value)
