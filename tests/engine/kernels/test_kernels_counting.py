"""Every way of counting a test leads to the same bits, and to the oracle's digits."""

import math
from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf

import bjp_engine as bjp
from bjp_engine.arrays import columns
from bjp_engine.counts import table_of
from bjp_engine.independence import IndependenceOptions
from bjp_engine.kernels.evidence import DEPENDENT, INDEPENDENT
from tests import oracles
from tests.kernels import fits, fits_masks, run_tests, ways
from tests.strategies import Sample, noisy_tree, random_sample, samples_with_test

OPTIONS = [
    {},
    {"gamma": 0.5},
    {"gamma": 7.25, "prior": 0.99},
    {"gamma": 1e-100},
    {"prior": 1e-300},
    {"prior": 1 - 1e-12},
    {"slices": "observed", "prior": 0.01},
    {"prior_cells": "centred"},
    {"prior_cells": "centred", "gamma": 0.3, "prior": 0.9, "slices": "observed"},
]


def sample_of(codes, states=2):
    return Sample(tuple(map(tuple, codes.tolist())), (states,) * codes.shape[1])


def close(value, truth):
    return math.isfinite(value) and abs(mpf(value) - truth) <= 1e-9 * abs(truth) + 1e-300


def answers(sample, table, x, targets, given_, options):
    """ln Pr of independence of each target, then of dependence, by one way of counting."""
    evidence, found = options.evidence(sample.data), list[float]()
    for want in (INDEPENDENT, DEPENDENT):
        out = np.full(len(targets), np.nan)
        run_tests(table, evidence, x, columns(given_), columns(targets), want, out)
        found += out.tolist()
    return found


def truths(sample, x, targets, given_, **options):
    """The same in so many digits that 1 - e^-700 isn't 1."""
    with mp.workdps(350):
        found = [
            oracles.independence_test(sample.rows, sample.cards, x, y, given_, **options)
            for y in targets
        ]
    return [t.log_independent for t in found] + [t.log_dependent for t in found]


def assert_all_ways(sample, x, targets, given_, **options):
    """All ways and the traces agree to the last bit, and with the oracle to nine digits."""
    case, chosen = (
        (sample.cards[:9], sample.rows[:1], x, given_, options),
        IndependenceOptions(**options),
    )
    found = [answers(sample, table, x, targets, given_, chosen) for table in ways(sample)]
    assert found[1:] == found[:1] * 3, case
    traces = [bjp.independence_test(sample.data, x, y, given_, **options) for y in targets]
    traced = [t.log_independent for t in traces] + [t.log_dependent for t in traces]
    assert traced == found[0], case
    expected = truths(sample, x, targets, given_, **options)
    for value, truth in zip(found[0], expected, strict=True):
        assert close(value, truth), (value, truth, case)


@given(
    samples_with_test(max_rows=80), st.sampled_from(OPTIONS), st.integers(-1, 1), st.integers(-1, 1)
)
def test_one_or_several_tests_each_way(case, options, beside, more):
    sample, x, y, given_ = *case[:3], sorted(case[3])
    assert_all_ways(sample, x, [y], given_, **options)
    chosen, table = IndependenceOptions(**options), table_of(sample.data)
    free = [v for v in range(sample.n) if v != x and v not in given_]
    # At the boundary between ways, too.
    size = sample.cards[x] * math.prod(sample.cards[z] for z in given_)
    masks = size * (2 + sum(sample.cards[y] - 1 for y in free))
    cells = size * max(sample.cards[y] for y in free)
    near = table._replace(
        most_masks=max(0, masks // (len(given_) + 2 + 3 * len(free)) + beside),
        cells_a_row=max(0, cells // max(1, len(sample.rows)) + more),
    )
    found = answers(sample, near, x, free, given_, chosen)
    for table in (near, *ways(sample)):
        # Either variable may come first, and together or one by one is the same.
        assert answers(sample, table, x, free, given_, chosen) == found
        alone = [answers(sample, table, v, [x], given_, chosen) for v in free]
        assert [v for v, _ in alone] + [v for _, v in alone] == found


def test_the_ways_are_not_one():
    sample = noisy_tree(0, (2, 3, 2, 4), 50)
    of_test = 0, columns([1, 2]), columns([3])
    assert [bool(fits_masks(t, *of_test)) for t in ways(sample)] == [True, True, False, False]
    assert [bool(fits(t, *of_test)) for t in ways(sample)] == [True, True, True, False]


def test_many_rows():
    """Slices of thousands of rows, words beyond one block, and slices beyond the small table."""
    sample = noisy_tree(1, (2,) * 8, 3000, keep=0.3)
    for options in OPTIONS:
        assert_all_ways(sample, 2, [0, 5, 7], [], **options)
        assert_all_ways(sample, 2, [0, 5, 7], [1], **options)
        assert_all_ways(sample, 0, [7], [1, 2, 3, 4, 5], **options)
    # At the ends of words and blocks.
    for rows in (63, 64, 65, 511, 512, 513, 32768, 32769):
        sample = noisy_tree(rows, (2, 3, 2, 8, 2), rows, keep=0.2)
        assert_all_ways(sample, 0, [3, 4], [1, 2])
        assert_all_ways(sample, 3, [0, 1], [2])
    # Dependence and independence beyond doubt.
    one, other = np.random.default_rng(5).integers(2, size=(2, 20000))
    sample = sample_of(np.column_stack([one, one, other, other ^ (one & 1)]))
    for x, y, given_ in ((0, 1, []), (0, 1, [2]), (0, 2, []), (0, 2, [3]), (1, 3, [2])):
        assert_all_ways(sample, x, [y], given_)


def test_many_states():
    # No planes.
    for cards in ((9, 2, 2), (2, 9, 3), (8, 9, 8), (40, 50, 2), (255, 3, 2), (256, 2, 2)):
        sample = noisy_tree(0, cards, 200)
        assert_all_ways(sample, 0, [1], [2])
        assert_all_ways(sample, 1, [0, 2], [])
        assert_all_ways(sample, 1, [2], [0], slices="observed")
    # Codes of two bytes.
    every = [(257, 2, 300), (2, 2, 2, 1000), (65536, 2, 2, 3)]
    for cards, rows in product(every, (0, 1, 2, 300, 3000)):
        sample = random_sample(7, cards, rows)
        assert sample.data.codes.dtype.itemsize == 2
        for x in range(3):
            targets = [y for y in range(3) if y != x]
            assert_all_ways(sample, x, targets, [])
            assert_all_ways(sample, x, targets[1:], targets[:1], gamma=2.0)
    # The largest square of states.
    codes = np.arange(0, 65536, 7)
    assert_all_ways(sample_of(np.column_stack([codes, codes[::-1]]), 65536), 0, [1], [])
    # 4 N + 4096 cells are laid out; a table of one state more is not.
    most = 4 * 100 + 4096
    for ry in (most // 2, most // 2 + 1):
        sample = random_sample(1, (2, ry, 2), 100)
        assert_all_ways(sample, 0, [1], [])
        assert_all_ways(sample, 0, [1, 2], [])
    # Targets of different states together.
    sample = noisy_tree(4, (3, 2, 2, 5, 1, 5, 9, 2, 300), 400)
    assert_all_ways(sample, 0, [1, 3, 4, 5, 6, 7, 8], [2])
    assert_all_ways(sample, 0, [1, 2, 3, 4, 5, 7], [])


def test_many_given():
    sample = noisy_tree(2, (2, 3) * 31, 150, keep=0.97)
    for options in OPTIONS:
        assert_all_ways(sample, 0, [1], list(range(2, 62)), **options)
    # More configurations than a double can hold.
    some = np.random.default_rng(0).integers(2, size=(40, 1102))
    some[20:, 2:] = some[:20, 2:]
    for slices in ("all", "observed"):
        assert_all_ways(sample_of(some), 0, [1], list(range(2, 1102)), slices=slices)
    # One more and one more.
    sample = noisy_tree(9, (2,) * 12, 500, keep=0.4)
    for count in range(9):
        assert_all_ways(sample, 10, [9, 11], list(range(count)))


def assert_alike_for_all(sample, x, given_, **options):
    """All ways agree on sixteen targets and more."""
    targets = [y for y in range(sample.n) if y != x and y not in given_]
    chosen = IndependenceOptions(**options)
    found, *others = (answers(sample, t, x, targets, given_, chosen) for t in ways(sample))
    assert others == [found] * 3, (len(sample.rows), given_, options)
    return found


def test_many_targets_given_a_larger_set():
    for rows in (1, 30, 700, 6000):
        sample = noisy_tree(rows, (2,) * 30, rows, keep=0.5)
        for size, options in product((5, 6, 9), OPTIONS):
            given_ = list(range(5, 5 + size))
            found = assert_alike_for_all(sample, 3, given_, **options)
            if rows < 1000:
                truth, _ = truths(sample, 3, [0], given_, **options)
                assert close(found[0], truth), (rows, size, options)
        sample = noisy_tree(0, (2,) * 20 + (3, 5, 9, 40), rows, keep=0.3)
        for given_ in ([20, 21, 22], [22, 23], [20, 21, 22, 23]):
            assert_alike_for_all(sample, 0, given_)
    # In half of the slices the targets all but equal x, so that e^100 is exceeded; and half of the
    # configurations don't occur.
    for seed in range(3):
        rng = np.random.default_rng(seed)
        table = rng.integers(2, size=(16000, 26))
        copies = np.where(rng.random((16000, 20)) < 0.02, 1 - table[:, :1], table[:, :1])
        table[:, 6:] = np.where(table[:, 1:2] == 1, copies, table[:, 6:])
        table[:, 5] = 0
        assert_alike_for_all(sample_of(table), 0, [1, 2, 3, 4, 5])
