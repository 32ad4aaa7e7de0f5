"""The fit of the calibrated probabilities, the figures that judge them, and those of peers."""

import json

import numpy as np
import pytest
from scipy.special import expit

from benchmarks import calibration
from benchmarks.accuracy.groups import CHOOSING, REPORTING, Group
from benchmarks.calibration import Judged, Pairs
from bjp_engine.search.auto import probability

GROUP = Group("karate", "log-odds", 250)
BETA = np.array([-1.0, 0.5, -0.5, 0.8, 0.6, 0.2, 0.3, 0.1, 0.4, -0.2])


def drawn(many, seed):
    """Pairs whose edges are drawn with the probabilities of known coefficients."""
    rng = np.random.default_rng(seed)
    terms = rng.normal(size=(many, len(BETA)))
    terms[:, 0] = 1.0
    edge = rng.random(many) < expit(terms @ BETA)
    return Pairs(GROUP, terms, 1.0, edge, np.ones(many))


def test_nothing_is_fitted_to_what_is_judged():
    assert not set(calibration.FITTED) & {*calibration.JUDGED, *REPORTING}
    assert min(calibration.FITTED) > CHOOSING
    assert calibration.JUDGED.start not in {*calibration.FITTED, *REPORTING}


def test_the_fit_finds_the_coefficients_that_made_the_edges():
    # Weights of a dataset add up to one, so many datasets, or the ridge would hold them back.
    many = [drawn(100, seed) for seed in range(400)]
    np.testing.assert_allclose(calibration.fit(many, []), BETA, atol=0.15)


def test_independent_tables_weigh_half_as_much_again_as_all_others():
    one = drawn(300, 1)
    none = Pairs(GROUP, one.terms, 1.0, np.zeros(300, dtype=np.bool_), np.ones(300))
    beta = calibration.fit([one], [none, none])
    found = expit(one.terms @ beta)
    slope = one.terms.T @ (one.edge - found - 1.5 * found) / 300
    np.testing.assert_allclose(slope, calibration.RIDGE * beta, atol=1e-9)


def test_drawn_pairs_stand_for_all():
    terms = np.zeros((2000, len(probability.TERMS)))
    terms[:1500, probability.TERMS.index("models against")] = -6.0
    edge = np.arange(2000) % 10 == 0
    fewer = calibration.thinned(Pairs(GROUP, terms, 1.0, edge, np.ones(2000)))
    assert len(fewer.edge) == 400 + 150 + 500
    assert fewer.weight.sum() == pytest.approx(2000)
    assert (fewer.weight * fewer.edge).sum() == edge.sum()


def test_the_shipped_file_is_one_that_the_command_writes():
    beta = probability.coefficients()
    assert calibration.FILE.read_text(encoding="utf-8") == calibration.text(beta)
    assert json.loads(calibration.text(beta))["made by"] == calibration.COMMAND


class TestFigures:
    FOUND = np.array([0.05, 0.05, 0.55, 0.95, 0.95])
    EDGE = np.array([False, False, True, True, False])

    def judged(self, found, edge):
        return Judged(GROUP, found, found, edge)

    def test_calibration_error_by_hand(self):
        # Bins: |0.1 - 0|, |0.55 - 1| and |1.9 - 1| over five pairs.
        expected = (0.1 + 0.45 + 0.9) / 5
        assert calibration.calibration_error(self.FOUND, self.EDGE) == pytest.approx(expected)

    def test_each_dataset_alike(self):
        large = self.judged(np.full(100, 0.25), np.arange(100) < 25)
        small = self.judged(np.full(4, 0.75), np.zeros(4, dtype=np.bool_))
        found = calibration.figures([large, small])
        assert found.error == pytest.approx(3 / 104)
        assert found.by_dataset == pytest.approx(0.75 / 2)
        assert found.undecided == 1.0

    def test_shares_of_verdicts(self):
        found = calibration.figures([self.judged(self.FOUND, self.EDGE)])
        assert (found.present, found.absent) == (0.5, 1.0)
        assert found.undecided == pytest.approx(0.2)
        assert found.between == pytest.approx(0.45)
