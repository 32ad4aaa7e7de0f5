"""ln Γ(a + n) - ln Γ(a) in whole units, against mpmath."""

import math
from functools import cache
from itertools import product

import numpy as np
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

import bjp_engine as bjp
from bjp_engine.independence import IndependenceOptions
from bjp_engine.kernels.rising import (
    MOST_ENTRIES,
    fraction_bits,
    leading_logs,
    table_entries,
)
from tests.kernels import fill_rising, log_rising, rising_in

WORD = 1 << 64
COUNTS = [
    *(0, 1, 2, 3, 15, 16, 1000, 131_066),
    *(MOST_ENTRIES - 2, MOST_ENTRIES - 1, MOST_ENTRIES, MOST_ENTRIES + 1),
    *(200_000, 1_000_003, 12_345_678, 999_999_999, 1_000_000_000, 3_000_000_000),
]
MULTIPLES = [1, 2, 4, 6, 36, 5000, MOST_ENTRIES - 1, MOST_ENTRIES, MOST_ENTRIES + 1, 65536**2]


def wrapped(value):
    """A whole number as 64 bits hold it."""
    return (value + WORD // 2) % WORD - WORD // 2


def filled(start, largest, bits):
    table = np.empty(table_entries(largest), dtype=np.int64)
    fill_rising(table, leading_logs(), start, math.log(start), bits)
    return table


@cache
def log_gamma(x):
    return mp.loggamma(x)


def assert_near(units, start, n, bits):
    """Within four units and 2^-52 for each row, though ln n! itself has twenty times n."""
    # A huge start takes digits away.
    with mp.workdps(170 if start > 1e20 else 60):
        truth = (log_gamma(mpf(start) + n) - log_gamma(mpf(start))) * mpf(2) ** bits
        wrong = wrapped(int(units) - int(mp.nint(truth)))
    # A logarithm of 230 has no more than 2^-46 in a double.
    allowed = 4 + 2.0 ** (bits - 52) * (n + 50 + abs(math.log(start)) / 2)
    assert abs(wrong) <= allowed, (start, n, wrong, allowed)


def test_factorials_and_other_weights():
    data = bjp.Dataset.from_codes(np.zeros((1, 1), dtype=int), cardinalities=[2])
    weights = (1e-100, 1e-20, 0.1, 0.5, 3.7, 16.0, 1e3, 1e6, 1e10, 1e100)
    cases = [(rows, 1.0, MULTIPLES) for rows in (10, 8000, 10**6, 10**9)]
    cases += [(10**6, gamma, (1, 2, 6, 36)) for gamma in weights]
    for rows, gamma, multiples in cases:
        # As for that many rows of two states.
        bits = fraction_bits(rows * 2 * (math.log(2) + abs(math.log(gamma))) + 64)
        made = IndependenceOptions(gamma=gamma).evidence(data)
        evidence = made._replace(bits=bits, table=filled(gamma, rows + 4, bits))
        for n, multiple in product(COUNTS, multiples):
            assert_near(rising_in(evidence, multiple, n), gamma * multiple, n, bits)


@settings(max_examples=300)
@given(
    st.floats(-250, 250).map(math.exp) | st.floats(0, 1e4) | st.floats(1e5, 1e11),
    st.integers(0, 10**9) | st.integers(0, 10**4),
    st.integers(29, 50),
)
@example(16.0 - 2**-49, 1, 48)
@example(1024.0, 1, 50)
@example(np.nextafter(2.0**31, 0), 10**9, 30)
def test_any_weight(start, n, bits):
    assume(start > 0)
    assert_near(log_rising(leading_logs(), start, math.log(start), n, bits), start, n, bits)


def test_a_start_that_underflows_and_a_table_of_what_is_computed_beyond_it():
    for n in (1, 2, 3, 1000):
        units = int(log_rising(leading_logs(), 0.0, -1000.0, n, 40))
        with mp.workdps(60):
            assert abs(units - (mp.loggamma(n) - 1000) * 2**40) <= 2
    for start in (1e-300, 0.01, 1 / 3, 1.0, 15.9, 16.1, 3000.3, 1e5, 1e100):
        for n, units in enumerate(filled(start, 3000, 40)):
            found = log_rising(leading_logs(), start, math.log(start), n, 40)
            assert found == units, (start, n)
