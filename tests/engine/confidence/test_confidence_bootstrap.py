"""Bootstrap frequencies, against a plain loop over resamples."""

from __future__ import annotations

import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.confidence import Ended
from bjp_engine.errors import Cancelled, DataError, OptionError
from bjp_engine.progress import Progress
from bjp_engine.search import many
from tests.strategies import noisy_tree

DATA = noisy_tree(3, (2, 3, 2, 2, 4), 80).data


@pytest.fixture(autouse=True)
def eight_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(many, "cores", lambda: 8)


def loop(
    data: bjp.Dataset, resamples: int, seed: int, method: str, **options: object
) -> np.ndarray:
    """Edges counted one resample after another."""
    counts = np.zeros((data.n, data.n))
    for k in range(resamples):
        rows = np.random.default_rng([seed, k]).integers(0, data.rows, data.rows)
        again = bjp.Dataset.from_codes(data.codes[rows], cardinalities=data.cardinalities)
        for x, y in bjp.learn(again, method, **options).graph.edges:
            counts[x, y] += 1
            counts[y, x] += 1
    return counts / resamples


class TestFrequencies:
    def test_are_listed_in_a_table(self) -> None:
        for data in (DATA, DATA.to_frame(), DATA.codes):
            found = bjp.confidence.bootstrap(data, resamples=5)
            table = found.to_frame()
            assert list(table) == ["x", "y", "probability", "error"]
            assert len(table) == 10
            for row in table.itertuples():
                assert row.probability == found.of(row.x, row.y).confidence

    @pytest.mark.parametrize("method", ["bjp", "ib", "mpl"])
    @pytest.mark.parametrize("n_jobs", [1, 2, 5])
    def test_are_those_of_a_loop(self, method: str, n_jobs: int) -> None:
        found = bjp.confidence.bootstrap(DATA, method, resamples=30, seed=5, n_jobs=n_jobs)
        expected = loop(DATA, 30, 5, method)
        assert (found.matrix == expected).all()
        assert expected.max() > 0
        assert len(np.unique(expected)) > 3
        assert (found.kind, found.made, found.asked) == ("bootstrap", 30, 30)
        assert found.search == {"mpl": "mpl-hc"}.get(method, "auto")

    def test_options_reach_the_score_and_the_search(self) -> None:
        options = {"prior": 0.95, "start": "mpl"}
        found = bjp.confidence.bootstrap(DATA, "ib", "ibmap-hc", resamples=20, n_jobs=2, **options)
        assert (found.matrix == loop(DATA, 20, 0, "ib", search="ibmap-hc", **options)).all()
        assert (found.matrix != bjp.confidence.bootstrap(DATA, "ib", resamples=20).matrix).any()
        assert dict(found.options) == options

    def test_more_resamples_go_on_from_fewer(self) -> None:
        few, more = (bjp.confidence.bootstrap(DATA, resamples=k, seed=1).matrix * k for k in (7, 8))
        step = more - few
        assert np.allclose(step, np.round(step))
        assert set(np.round(step).ravel()) <= {0, 1}
        assert (bjp.confidence.bootstrap(DATA, resamples=8, seed=2).matrix * 8 != more).any()

    def test_progress_counts_resamples(self) -> None:
        done: list[tuple[int, int]] = []
        bjp.confidence.bootstrap(
            DATA, resamples=9, progress=Progress(lambda *now: done.append(now))
        )
        assert done == [(k, 9) for k in range(1, 10)]

    def test_certain_and_impossible_edges(self) -> None:
        rng = np.random.default_rng(0)
        coin, other = rng.integers(2, size=(2, 400))
        found = bjp.confidence.bootstrap(
            bjp.Dataset.from_codes(np.column_stack([coin, coin, other]))
        )
        assert found.made == 200
        assert found.of(0, 1).confidence == 1.0
        assert found.of(0, 2).confidence < 0.2
        assert found.error is not None
        assert found.error[0, 1] > 0
        assert (np.diag(found.error) == 0).all()

    @pytest.mark.slow
    def test_the_error_is_that_of_a_frequency(self) -> None:
        found = bjp.confidence.bootstrap(DATA, resamples=200, n_jobs=1)
        upper = np.triu_indices(DATA.n, 1)
        assert found.error is not None
        p, error = found.matrix[upper], found.error[upper]
        middling = (p > 0.1) & (p < 0.9)
        assert middling.any()
        assert error[middling] == pytest.approx(np.sqrt(p * (1 - p) / 200)[middling], rel=0.05)


class TestCancelling:
    def test_what_was_made_counts(self) -> None:
        done: list[int] = []
        found = bjp.confidence.bootstrap(
            DATA,
            resamples=50,
            n_jobs=1,
            progress=Progress(lambda k, _: done.append(k), lambda: len(done) >= 12),
        )
        assert found.ended is Ended.CANCELLED
        assert not found.complete
        assert found.made == len(done) == 12
        assert (found.matrix == bjp.confidence.bootstrap(DATA, resamples=12).matrix).all()
        assert found.asked == 50

    def test_before_anything_was_made(self) -> None:
        with pytest.raises(Cancelled):
            bjp.confidence.bootstrap(DATA, resamples=5, progress=Progress(cancelled=lambda: True))

    def test_cancelled_after_the_last_it_is_complete(self) -> None:
        done: list[int] = []
        progress = Progress(lambda k, _: done.append(k), lambda: len(done) >= 5)
        found = bjp.confidence.bootstrap(DATA, resamples=5, n_jobs=1, progress=progress)
        assert (found.complete, found.made) == (True, 5)

    def test_an_error_of_the_callback_ends_it(self) -> None:
        def fail(*_: object) -> None:
            raise RuntimeError("seen enough")

        with pytest.raises(RuntimeError, match="seen enough"):
            bjp.confidence.bootstrap(DATA, resamples=500, n_jobs=3, progress=Progress(fail))


class TestRefusals:
    @pytest.mark.parametrize("value", [0, -1, 2.0, True, "9", None])
    def test_resamples(self, value: object) -> None:
        with pytest.raises(OptionError, match="resamples"):
            bjp.confidence.bootstrap(DATA, resamples=value)  # type: ignore[arg-type]

    @pytest.mark.parametrize("value", [-1, 0.5, None])
    def test_seed(self, value: object) -> None:
        with pytest.raises(OptionError, match="seed"):
            bjp.confidence.bootstrap(DATA, seed=value)  # type: ignore[arg-type]

    def test_the_rest_as_in_learn(self) -> None:
        for wrong in ({"method": "x"}, {"search": "x"}, {"gama": 1}, {"n_jobs": 0}):
            with pytest.raises(OptionError):
                bjp.confidence.bootstrap(DATA, **{"resamples": 2} | wrong)  # type: ignore[arg-type]
        with pytest.raises(DataError, match="give a DataFrame"):
            bjp.confidence.bootstrap("table.csv")  # type: ignore[arg-type]
        with pytest.raises(DataError, match="no rows"):
            bjp.confidence.bootstrap(DATA.take([]))
