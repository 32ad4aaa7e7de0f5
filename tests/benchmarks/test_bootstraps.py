"""The table of other packages' frequencies and probabilities. No package is run."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import bootstraps, calibration
from benchmarks.accuracy import groups, methods, run
from benchmarks.accuracy.groups import Group, Sample
from benchmarks.calibration import Judged


def test_a_peer_is_asked_for_resamples_and_its_graphs_share_one_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[list[str]] = []

    def told(command: list[str], seconds: int) -> run.Found:
        asked.append(command)
        return {"graphs": {"skeleton": [[0, 1, 0.5]], "moral": [[0, 1, 0.5], [1, 2, 0.25]]}}

    monkeypatch.setattr(run, "told", told)
    monkeypatch.setattr(methods, "ready", lambda method: method.package == "pybnesian")
    with run.Table(Sample(Group("asia", "bayesian", 250), 1000)) as table:
        (one, skeleton), (two, moral) = bootstraps.theirs(table)
    assert (len(asked), asked[0][-1]) == (1, "100")
    assert one.endswith("skeleton, bootstrap of 100")
    assert two.endswith("moral, bootstrap of 100")
    assert (skeleton[1, 0], skeleton.sum()) == (0.5, 1.0)
    assert (moral[2, 1], moral.sum()) == (0.25, 1.5)


def test_the_smallest_brier_score_comes_first() -> None:
    edge = np.array([True, False])
    of = {
        "far": [Judged(Group("asia", "bayesian", 250), *2 * (np.array([0.5, 0.5]),), edge)],
        "near": [Judged(Group("asia", "bayesian", 250), *2 * (np.array([1.0, 0.0]),), edge)],
    }
    lines = bootstraps.table(of).splitlines()
    assert lines[2] == "| near | 0.0000 | 0.0000 | 100.0 % | 100.0 % | 0.0 % |"
    assert lines[3] == "| far | 0.0000 | 0.2500 | – | – | 100.0 % |"


def test_seeds_are_judged_and_none_is_fitted_to() -> None:
    assert calibration.JUDGED.start not in {*calibration.FITTED, *groups.REPORTING}
