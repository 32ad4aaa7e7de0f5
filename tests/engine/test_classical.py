"""χ², G² and mutual information against scipy, exact fractions and the definition."""

import math
import re
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from mpmath import mp, mpf
from scipy.stats import chi2, chi2_contingency

import bjp_engine as bjp
from bjp_engine.classical import classical_test
from bjp_engine.errors import DataError
from tests.refusals import assert_refused
from tests.strategies import samples_with_test


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


def test_the_p_value_of_a_whole_test_is_that_of_its_sum_and_freedom():
    codes = np.random.default_rng(7).integers([3, 4, 2, 3], size=(500, 4))
    trace = classical_test(bjp.Dataset.from_codes(codes), 0, 1, [2, 3])
    expected = pytest.approx(chi2.sf([trace.pearson, trace.g_squared], 36), rel=1e-12)
    assert (trace.freedom, [trace.p_pearson, trace.p_g_squared]) == (2 * 3 * 6, expected)
    assert 0.001 < trace.p_pearson < 0.999


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


def test_refuses_what_the_bayesian_test_refuses():
    data = bjp.Dataset.from_codes([[0, 1, 0], [1, 0, 1]])
    for case in ((0, 0, ()), (0, 1, (1,)), (0, 7, ())):
        with pytest.raises(DataError) as caught:
            bjp.independence_test(data, *case)
        assert_refused(DataError, f"^{re.escape(str(caught.value))}$", classical_test, data, *case)
