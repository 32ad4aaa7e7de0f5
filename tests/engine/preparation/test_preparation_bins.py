"""Bins against scikit-learn on the rows themselves, and what they are called."""

import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import KBinsDiscretizer

from bjp_engine.errors import DataError
from bjp_engine.preparation import BinNumbers, MissingCells, prepare
from bjp_engine.preparation.states import found_points
from tests.refusals import assert_refused


def binned(cells, how="quantile", bins=4, **more):
    """The prepared column, and the bin of each row."""
    made = prepare(pd.DataFrame({"x": cells}), [BinNumbers(("x",), how, bins, **more)])
    return made, made.data.codes[:, 0].tolist()


def by_sklearn(cells, strategy, bins, **options):
    """The bin of each row; bins without a row don't count."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        maker = KBinsDiscretizer(
            bins, encode="ordinal", strategy=strategy, subsample=None, **options
        )
        found = maker.fit_transform(cells[:, None])[:, 0]
    return np.unique(found, return_inverse=True)[1].tolist()


@given(
    cells=st.lists(st.integers(-300, 900), min_size=12, max_size=80),
    scale=st.sampled_from([1.0, 0.25, 1e-3, 1e6]),
    bins=st.integers(2, 6),
)
def test_rows_fall_as_scikit_learn_has_them(cells, scale, bins):
    numbers = np.array(cells) * scale
    # Of a third, fifth or sixth scikit-learn rounds the share, and misses a cut between two rows.
    rounded = bins not in (2, 4) and any(len(cells) * k % bins == 0 for k in range(1, bins))
    # Where the largest number fills the last bin, scikit-learn has no such bin.
    full = cells.count(max(cells)) * bins >= len(cells)
    if len(set(cells)) <= bins or rounded or full:
        return
    for how, strategy, options in (
        ("quantile", "quantile", {"quantile_method": "averaged_inverted_cdf"}),
        ("equal_width", "uniform", {}),
    ):
        made, found = binned(numbers, how, bins)
        assert found == by_sklearn(numbers, strategy, bins, **options), how
        assert len(set(found)) == made.data.cardinalities[0], how


@given(
    st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=3, max_size=40),
    st.integers(2, 5),
)
def test_cuts_are_short_numbers_that_separate_the_same_rows(cells, bins):
    _, found = binned(cells, "quantile", bins)
    values = sorted(set(cells))
    counts = np.array([cells.count(value) for value in values])
    points = found_points(np.array(values), counts, "quantile", bins)
    assert found == [sum(point <= cell for point in points) for cell in cells]
    for point in points:
        assert any(low < point <= high for low, high in pairwise(values))


def test_a_million_different_values_are_cut_at_the_normal_quantiles():
    made, found = binned(np.random.default_rng(1).normal(size=300_000))
    points = [label.partition(" to ")[0].strip("<≥") for label in made.data.labels[0]]
    assert np.allclose(np.array(points, float), [-0.6745, -0.6745, 0, 0.6745], atol=0.01)
    assert np.ptp(np.bincount(found)) <= 2


def test_labels_read_well():
    for cells, step, labels in (
        ([0, 7, 30, 80], {"how": "cuts", "cuts": (5, 10)}, ("<5", "5–9", "≥10")),
        ([0.5, 7, 30, 80], {"how": "cuts", "cuts": (5, 10)}, ("<5", "5–10", "≥10")),
        ([0, 7, 30, 80], {"how": "cuts", "cuts": (5, 6)}, ("<5", "5", "≥6")),
        ([-3, 7], {"how": "cuts", "cuts": (-5, -1, 2)}, ("<-5", "-5 to -2", "-1 to 1", "≥2")),
        ([0.0, 10.0, 20.5, 40.0], {"how": "equal_width", "bins": 2}, ("<20", "≥20")),
        # Few values are bins of their own.
        ([1, 2, 4, 4], {"bins": 4}, ("<2", "2–3", "≥4")),
    ):
        assert binned(cells, **step)[0].data.labels == (labels,)
    assert binned([7, 7])[0].data.cardinalities == (1,)
    # A value on a cut belongs above it, and missing cells stay missing.
    steps = [BinNumbers(("x",), "cuts", cuts=(5,)), MissingCells("state")]
    made = prepare(pd.DataFrame({"x": [4.9, 5.0, None, np.inf, -np.inf]}), steps)
    assert made.data.codes[:, 0].tolist() == [0, 1, 2, 1, 0]
    for cells, part in (
        (["a", "b"], "holds 'a', which is not a number"),
        ([True, False], "holds 'False', which is not a number"),
        (pd.Series([None, None], dtype="float64"), "has no value at all"),
    ):
        assert_refused(DataError, rf"^Step 1 \(bins\): column 'x' {part}", binned, cells)
