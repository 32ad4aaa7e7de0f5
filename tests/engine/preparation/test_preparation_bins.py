"""Bins against scikit-learn on the rows themselves, and what they are called."""

import warnings
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.preprocessing import KBinsDiscretizer

from bjp_engine.errors import DataError
from bjp_engine.preparation import BinNumbers, MissingCells, prepare

WAYS = {"quantile": "quantile", "equal_width": "uniform", "kmeans": "kmeans"}


def by_sklearn(cells, how, bins):
    """The bin of each row; bins without a row don't count."""
    options = {"quantile_method": "averaged_inverted_cdf"} if how == "quantile" else {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        maker = KBinsDiscretizer(
            bins, encode="ordinal", strategy=WAYS[how], subsample=None, **options
        )
        found = maker.fit_transform(cells[:, None])[:, 0]
    return np.unique(found, return_inverse=True)[1].tolist()


@pytest.mark.parametrize("how", ["quantile", "equal_width"])
@given(
    cells=st.lists(st.integers(-300, 900), min_size=12, max_size=80),
    scale=st.sampled_from([1.0, 0.25, 1e-3, 1e6]),
    bins=st.integers(2, 6),
)
def test_rows_fall_as_scikit_learn_has_them(how, cells, scale, bins):
    numbers = np.array(cells) * scale
    if len(set(cells)) <= bins:
        return
    made = prepare(pd.DataFrame({"x": numbers}), [BinNumbers(("x",), how, bins)])
    assert made.data.codes[:, 0].tolist() == by_sklearn(numbers, how, bins)
    (step,) = made.preparation.steps
    assert list(step.fitted[0].points) == sorted(set(step.fitted[0].points))
    assert len(np.unique(made.data.codes[:, 0])) == made.data.cardinalities[0]


def spread(numbers, bins):
    """The sum of squares around the means of the bins."""
    groups = [numbers[np.array(bins) == k] for k in set(bins)]
    return float(sum(((group - group.mean()) ** 2).sum() for group in groups))


@given(st.integers(0, 2**32 - 1), st.integers(2, 6), st.integers(30, 200))
def test_bins_of_k_means_are_as_narrow_as_scikit_learns(seed, bins, rows):
    # Values at equal distances would be ties, which rounding breaks.
    rng = np.random.default_rng(seed)
    numbers = rng.choice(rng.normal(rng.integers(0, 9, 40), 1.0), rows)
    made = prepare(pd.DataFrame({"x": numbers}), [BinNumbers(("x",), "kmeans", bins)])
    found = made.data.codes[:, 0].tolist()
    assert len(set(found)) == bins
    assert spread(numbers, found) <= 1.02 * spread(numbers, by_sklearn(numbers, "kmeans", bins))


@given(st.lists(st.integers(0, 500), min_size=30, max_size=200, unique=True))
def test_quantiles_have_about_equally_many_rows(cells):
    made = prepare(pd.DataFrame({"x": np.array(cells) / 8}), [BinNumbers(("x",), bins=4)])
    counts = np.bincount(made.data.codes[:, 0])
    assert len(counts) == 4
    assert counts.max() - counts.min() <= 2


@given(
    st.lists(st.floats(-1e6, 1e6, allow_subnormal=False), min_size=3, max_size=40),
    st.integers(2, 5),
)
def test_cuts_are_short_numbers_that_separate_the_same_rows(cells, bins):
    made = prepare(pd.DataFrame({"x": cells}), [BinNumbers(("x",), "quantile", bins)])
    (cut,) = made.preparation.steps[0].fitted
    again = [sum(point <= cell for point in cut.points) for cell in cells]
    assert made.data.codes[:, 0].tolist() == again
    values = sorted(set(cells))
    for point in cut.points:
        assert any(low < point <= high for low, high in pairwise(values))


def test_labels_read_well():
    for cells, step, labels in (
        ([0, 7, 30, 80], {"how": "cuts", "cuts": (5, 10)}, ("<5", "5–9", "≥10")),
        ([0.5, 7, 30, 80], {"how": "cuts", "cuts": (5, 10)}, ("<5", "5–10", "≥10")),
        ([0, 7, 30, 80], {"how": "cuts", "cuts": (5, 6)}, ("<5", "5", "≥6")),
        ([-3, 7], {"how": "cuts", "cuts": (-5, -1, 2)}, ("<-5", "-5 to -2", "-1 to 1", "≥2")),
        ([0, 1, 2, 3, 4, 9], {"how": "whole", "bins": 4}, ("0", "1", "2", "≥3")),
        ([0, 1, 2], {"how": "whole", "bins": 9}, ("0", "1", "≥2")),
        ([3, 4, 5, 6], {"how": "whole", "bins": 3}, ("<4", "4", "≥5")),
        ([0.0, 10.0, 20.5, 40.0], {"how": "equal_width", "bins": 2}, ("<20", "≥20")),
        # Few values are bins of their own.
        ([1, 2, 4, 4], {"bins": 4}, ("<2", "2–3", "≥4")),
    ):
        made = prepare(pd.DataFrame({"x": cells}), [BinNumbers(("x",), **step)])
        assert made.data.labels == (labels,)
    made = prepare(pd.DataFrame({"x": [7, 7]}), [BinNumbers(("x",), bins=4)])
    assert made.data.cardinalities == (1,)


def test_a_value_on_a_cut_belongs_above_it_and_missing_cells_stay_missing():
    frame = pd.DataFrame({"x": [4.9, 5.0, None, np.inf, -np.inf]})
    made = prepare(frame, [BinNumbers(("x",), "cuts", cuts=(5,)), MissingCells("state")])
    assert made.data.codes[:, 0].tolist() == [0, 1, 2, 1, 0]


def test_only_numbers_are_cut():
    for cells, part in (
        (["a", "b"], "holds 'a', which is not a number"),
        ([True, False], "holds 'False', which is not a number"),
        (pd.Series([None, None], dtype="float64"), "has no value at all"),
    ):
        words = rf"^Step 1 \(numbers into bins\): column 'x' {part}"
        with pytest.raises(DataError, match=words):
            prepare(pd.DataFrame({"x": cells}), [BinNumbers(("x",))])


def test_a_million_different_values_are_cut_at_the_normal_quantiles():
    numbers = np.random.default_rng(1).normal(size=300_000)
    made = prepare(pd.DataFrame({"x": numbers}), [BinNumbers(("x",), bins=4)])
    (cut,) = made.preparation.steps[0].fitted
    assert np.allclose(cut.points, [-0.6745, 0, 0.6745], atol=0.01)
    assert np.ptp(np.bincount(made.data.codes[:, 0])) <= 2
