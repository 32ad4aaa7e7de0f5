"""Posteriors of ever more rows: each is the test of the thinned data, the last that of all."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import mpf

import bjp_engine as bjp
from bjp_engine.growth import grid
from tests import oracles
from tests.strategies import Sample, random_sample, samples_with_test


def logs(trace: bjp.independence.TestTrace) -> tuple[float, float]:
    return trace.log_independent, trace.log_dependent


class TestEveryPoint:
    @given(samples_with_test(), st.integers(0, 99))
    def test_is_the_test_of_the_thinned_data(
        self, case: tuple[Sample, int, int, tuple[int, ...]], seed: int
    ) -> None:
        sample, x, y, z = case
        sets = [z[:k] for k in range(len(z) + 1)]
        trace = bjp.growth.posterior_growth(sample.data, x, y, sets, seed=seed)
        assert trace.sets == tuple(tuple(sorted(given_)) for given_ in sets)
        for t, rows in enumerate(trace.sizes.tolist()):
            thinned = bjp.growth.subsample(sample.data, rows, seed)
            for m, given_ in enumerate(sets):
                expected = logs(bjp.independence_test(thinned, x, y, given_))
                assert (trace.log_independent[m, t], trace.log_dependent[m, t]) == expected

    @settings(max_examples=20)
    @given(st.integers(0, 2**32 - 1), st.integers(0, 9))
    def test_is_the_oracles(self, number: int, seed: int) -> None:
        sample = random_sample(number, (2, 3, 2, 2), 40)
        order = np.random.default_rng(seed).permutation(40)
        trace = bjp.growth.posterior_growth(
            sample.data, 0, 1, [[], [2, 3]], sizes=[0, 7, 23, 40], seed=seed
        )
        for t, rows in enumerate((0, 7, 23, 40)):
            kept = [sample.rows[k] for k in order[:rows]]
            for m, given_ in enumerate(((), (2, 3))):
                truth = oracles.independence_test(kept, sample.cards, 0, 1, given_)
                found = trace.log_independent[m, t]
                assert abs(mpf(found) - truth.log_independent) <= 1e-9 * abs(truth.log_independent)

    def test_with_other_options(self) -> None:
        sample = random_sample(4, (3, 3, 4), 200)
        options = bjp.independence.TestOptions(prior=0.2, gamma=0.5, slices="observed")
        trace = bjp.growth.posterior_growth(
            sample.data, 0, 1, [[2]], sizes=[0, 50], options=options
        )
        thinned = bjp.growth.subsample(sample.data, 50)
        expected = bjp.independence_test(
            thinned, 0, 1, [2], prior=0.2, gamma=0.5, slices="observed"
        )
        assert (trace.log_independent[0, 1], trace.log_dependent[0, 1]) == logs(expected)
        assert trace.log_independent[0, 0] == pytest.approx(math.log(0.2), rel=1e-14)
        assert trace.options == options


class TestEnds:
    @given(samples_with_test(), st.integers(0, 99))
    def test_the_last_is_the_test_of_all_rows(
        self, case: tuple[Sample, int, int, tuple[int, ...]], seed: int
    ) -> None:
        sample, x, y, z = case
        trace = bjp.growth.posterior_growth(sample.data, x, y, [z], seed=seed)
        assert trace.sizes[-1] == sample.data.rows
        last = float(trace.log_independent[0, -1]), float(trace.log_dependent[0, -1])
        assert last == logs(bjp.independence_test(sample.data, x, y, z))

    def test_without_rows_and_with_one_row_the_posterior_is_one_half(self) -> None:
        sample = random_sample(1, (2, 3, 4, 2), 100)
        trace = bjp.growth.posterior_growth(sample.data, 0, 1, [[], [2], [2, 3]])
        assert trace.sizes[:2].tolist() == [0, 1]
        assert np.exp(trace.log_independent[:, :2]) == pytest.approx(0.5, rel=1e-14)
        assert np.exp(trace.log_dependent[:, :2]) == pytest.approx(0.5, rel=1e-14)

    def test_a_larger_set_needs_more_rows(self) -> None:
        # A strong edge; what else is given is noise, and deals the rows out among more slices.
        rng = np.random.default_rng(0)
        codes = rng.integers(2, size=(4000, 8))
        codes[:, 1] = np.where(rng.random(4000) < 0.8, codes[:, 0], codes[:, 1])
        sets = [range(2, 2 + k) for k in (0, 2, 4, 6)]
        trace = bjp.growth.posterior_growth(bjp.Dataset.from_codes(codes), 0, 1, sets)
        sure = trace.log_dependent > math.log(0.999)
        needed = [int(trace.sizes[line].min()) for line in sure]
        assert needed == sorted(set(needed))
        assert sure[:, -1].all()


class TestSizes:
    @pytest.mark.parametrize("rows", [0, 1, 2, 9, 250, 8000, 1_000_000])
    def test_the_grid_runs_from_none_to_all(self, rows: int) -> None:
        found = grid(rows)
        assert found[0] == 0
        assert found[-1] == rows
        assert (np.diff(found) > 0).all()
        assert len(found) <= 27
        assert rows < 9 or len(found) > min(rows, 20)

    def test_fewer_rows_are_among_more_rows(self) -> None:
        data = bjp.Dataset.from_codes(np.arange(50)[:, None])
        few, more = (
            bjp.growth.subsample(data, rows, seed=3).codes[:, 0].tolist() for rows in (10, 30)
        )
        assert more[:10] == few
        assert sorted(bjp.growth.subsample(data, 50, seed=3).codes[:, 0].tolist()) == list(
            range(50)
        )
        assert few != bjp.growth.subsample(data, 10, seed=4).codes[:, 0].tolist()

    def test_given_sizes_are_put_in_order(self) -> None:
        data = bjp.Dataset.from_codes([[0, 1], [1, 0]] * 5)
        assert bjp.growth.posterior_growth(data, 0, 1, sizes=[10, 3, 3, 0]).sizes.tolist() == [
            0,
            3,
            10,
        ]

    def test_what_is_refused(self) -> None:
        data = bjp.Dataset.from_codes([[0, 1], [1, 0]])
        for sizes in ([3], [-1], [1.5], [True], ["1"]):
            with pytest.raises(bjp.errors.OptionError, match="from 0 to 2"):
                bjp.growth.posterior_growth(data, 0, 1, sizes=sizes)  # type: ignore[arg-type]
        with pytest.raises(bjp.errors.OptionError, match="sizes is empty"):
            bjp.growth.posterior_growth(data, 0, 1, sizes=[])
        with pytest.raises(bjp.errors.OptionError, match="conditioning_sets is empty"):
            bjp.growth.posterior_growth(data, 0, 1, [])
        for name in ("sizes", "conditioning_sets", "options"):
            with pytest.raises(bjp.errors.OptionError, match=rf"^{name}(=5 must be| is of) .*\.$"):
                bjp.growth.posterior_growth(data, 0, 1, **{name: 5})  # type: ignore[arg-type]
        for seed in (-1, 0.5, True, "0"):
            with pytest.raises(bjp.errors.OptionError, match="seed="):
                bjp.growth.posterior_growth(data, 0, 1, seed=seed)  # type: ignore[arg-type]
        with pytest.raises(bjp.errors.OptionError, match="from 0 to 2"):
            bjp.growth.subsample(data, 3)
        with pytest.raises(bjp.errors.DataError):
            bjp.growth.posterior_growth(data, 0, 1, [[1]])

    def test_traces_cannot_be_changed(self) -> None:
        trace = bjp.growth.posterior_growth(bjp.Dataset.from_codes([[0, 1], [1, 0]]), 0, 1)
        for array in (trace.sizes, trace.log_independent, trace.log_dependent):
            assert not array.flags.writeable
