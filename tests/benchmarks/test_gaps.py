"""The gaps to the best graph: what is measured, and against what."""

from __future__ import annotations

import pytest

import bjp_engine as bjp
from benchmarks import gaps
from bjp_engine.search import searches_for


def test_every_search_is_measured_but_the_exact_ones() -> None:
    data = gaps.problem(1, 6)
    found = {(one.method, one.search) for one in gaps.gaps_of(data)}
    assert found == {
        (method, search)
        for method in ("bjp", "ib", "mpl")
        for search in searches_for(method)
        if search not in ("exhaustive", "exact")
    }


def test_a_gap_is_the_distance_to_the_best_of_all() -> None:
    data = gaps.problem(3, 6)
    best = {method: bjp.all_graphs(data, method).scores.max() for method in ("bjp", "ib", "mpl")}
    for one in gaps.gaps_of(data):
        if (one.method, one.search) in {("bjp", "ibmap-hc"), ("ib", "ibmap-hc"), ("mpl", "mpl-hc")}:
            score = bjp.learn(data, one.method, one.search).score
            assert one.nats == pytest.approx(best[one.method] - score, abs=1e-7)


def test_a_search_is_held_to_its_own_objective() -> None:
    data = gaps.problem(2, 6)
    trace = bjp.learn(data, "bjp", edge_probability=0.1, search="ibmap-hc")
    assert trace.given == {"edge_probability": 0.1}
    assert not bjp.learn(data, "bjp", search="ibmap-hc").given
    for method in ("mpl", "ib"):
        own = bjp.learn(data, method, "exact", edge_probability=0.1).score
        assert gaps.best_score(data, method, **trace.given) == pytest.approx(own, rel=1e-9)


def test_more_variables_for_the_scores_with_a_proof() -> None:
    data = gaps.problem(5, 10)
    assert gaps.best_score(data, "bjp") is None
    assert {one.method for one in gaps.gaps_of(data)} == {"ib", "mpl"}


def test_problems_come_from_their_seeds() -> None:
    one, other = (list(gaps.small_problems(7, 4)) for _ in range(2))
    assert [data.digest for data in one] == [data.digest for data in other]
    assert len({data.digest for data in one}) == 4
    assert {data.n for data in one} == {6, 7}


def test_lines() -> None:
    found = [gaps.Gap("ib", "x", 0.0, 0.1), gaps.Gap("ib", "x", 3.0, 0.3)]
    (line,) = gaps.rows_of(found)
    assert "1 of 2 (50.0%)" in line
    assert "1.5000" in line
    assert "3.000 nats" in line


def test_none_is_above_the_best() -> None:
    with pytest.raises(AssertionError):
        gaps.gap(1.0, 1.1)
