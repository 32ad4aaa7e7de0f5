"""Flips that a search names: against scores of whole graphs; and the record of proposals."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.scores import SCORES
from bjp_engine.search.flips import Flips, flips_of
from bjp_engine.search.problem import pose
from bjp_engine.search.steps import Proposals, StepLog, join_alike
from tests import oracles
from tests.strategies import Sample, as_graph, noisy_tree, samples_with_graph

PRIORS = [{}, {"edge_probability": 0.1}, {"expected_degree": 1.5}, {"log_odds": "mixed"}]


def odds_for(n: int, prior: dict) -> dict:
    """The prior, its matrix made for so many variables."""
    if prior.get("log_odds") != "mixed":
        return prior
    made = np.add.outer(np.arange(n), np.arange(n)) % 5 - 2.5
    return {"log_odds": made}


def flips_for(data: bjp.Dataset, method: str, edges: oracles.Edges, prior: dict) -> Flips:
    adjacency = np.zeros((data.n, data.n), dtype=np.bool_)
    for i, j in map(tuple, edges):
        adjacency[i, j] = adjacency[j, i] = True
    return flips_of(pose(data, method, prior), adjacency)


def graph_of(adjacency: np.ndarray) -> set[tuple[int, int]]:
    return {(int(i), int(j)) for i, j in np.argwhere(np.triu(adjacency))}


@st.composite
def tried(draw: st.DrawFn) -> tuple[Sample, oracles.Edges, list[tuple[int, int]], list[float]]:
    """Data, a graph, and flips with what they need."""
    sample, edges = draw(samples_with_graph(min_variables=3, max_variables=6))
    flips = draw(st.lists(st.sampled_from(oracles.pairs(sample.n)), min_size=1, max_size=15))
    needs = st.sampled_from([-math.inf, -1.0, 0.0, math.inf])
    return sample, edges, flips, draw(st.lists(needs, min_size=len(flips), max_size=len(flips)))


@pytest.mark.parametrize("method", SCORES)
@given(case=tried(), prior=st.sampled_from(PRIORS))
def test_as_if_each_graph_were_scored(method: str, case: tuple, prior: dict) -> None:
    sample, edges, pairs, needed = case
    prior = odds_for(sample.n, prior)
    flips = flips_for(sample.data, method, edges, prior)
    graph = as_graph(edges, sample.n)
    assert flips.score == bjp.score(sample.data, graph, method, **prior).total
    found = flips.propose(np.array(pairs), np.array(needed))
    for k, (i, j) in enumerate(pairs):
        before = bjp.score(sample.data, graph, method, **prior).total
        flipped = graph.copy()
        flipped.remove_edge(i, j) if graph.has_edge(i, j) else flipped.add_edge(i, j)
        after = bjp.score(sample.data, flipped, method, **prior).total
        assert found.score[k] == pytest.approx(after, rel=1e-12, abs=1e-12)
        assert found.gain[k] == pytest.approx(after - before, rel=1e-9, abs=1e-9)
        assert found.kept[k] == (found.gain[k] > needed[k])
        if found.kept[k]:
            graph = flipped
    assert graph_of(flips.adjacency) == {tuple(sorted(edge)) for edge in graph.edges}
    assert flips.score == bjp.score(sample.data, graph, method, **prior).total


def test_flips_that_were_only_weighed_are_remembered() -> None:
    data = noisy_tree(3, (2, 3, 2, 2, 4, 2), 200).data
    pairs, never = np.array(oracles.pairs(data.n)), np.full(15, np.inf)
    for method in SCORES:
        flips = flips_for(data, method, frozenset(), {})
        first, tests = flips.propose(pairs, never), flips.tests
        assert (flips.propose(pairs, never).gain == first.gain).all()
        assert flips.tests == tests
        assert not flips.adjacency.any()


@pytest.mark.parametrize("method", ["bjp", "ib", "near"])
def test_more_variables_than_are_remembered(method: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data = noisy_tree(3, (2,) * 12, 200).data
    rng, pairs = np.random.default_rng(0), np.array(oracles.pairs(12))
    chosen, needed = pairs[rng.integers(66, size=400)], np.log(rng.random(400))
    one = flips_for(data, method, frozenset(), {})
    found = one.propose(chosen, needed)
    monkeypatch.setattr("bjp_engine.scores.board.MOST_REMEMBERED", 11)
    other = flips_for(data, method, frozenset(), {})
    same = other.propose(chosen, needed)
    assert (same.kept == found.kept).all()
    assert (same.score == found.score).all()
    assert other.tests > one.tests


# --- Proposals as columns: in however many batches they come, the same steps are read -------------

PAIRS = [(0, 1), (0, 2), (1, 2), (2, 3), (1, 3)]


def batches(flips: list[int], accepted: list[bool], cuts: set[int], phase: str) -> list[Proposals]:
    """A walk of single flips over four variables, cut into batches before some of them."""
    graph = np.zeros((4, 4), dtype=np.bool_)
    ends = sorted(cuts | {0, len(flips)})
    found = []
    for first, last in pairwise(ends):
        degrees, added = graph.sum(axis=1), []
        for flip, kept in zip(flips[first:last], accepted[first:last], strict=True):
            i, j = PAIRS[flip]
            added.append(not graph[i, j])
            graph[i, j] = graph[j, i] = graph[i, j] ^ kept
        numbers = np.arange(first, last)
        found.append(
            Proposals(
                phase,
                np.array([PAIRS[flip] for flip in flips[first:last]]),
                np.array(added),
                np.array(accepted[first:last]),
                gain=numbers * 0.5,
                score=numbers * -1.25,
                tests=numbers * 3,
                degrees=degrees,
                evaluations=numbers * 7 + 1,
            )
        )
    return found


@given(st.data())
def test_joined_batches_have_the_steps_of_each(data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 12))
    flips = data.draw(st.lists(st.integers(0, 4), min_size=size, max_size=size))
    accepted = data.draw(st.lists(st.booleans(), min_size=size, max_size=size))
    cuts = data.draw(st.sets(st.integers(1, size)))
    cut, names = batches(flips, accepted, cuts, "ascent"), ["a", "b", "c", "d"]
    firsts = np.cumsum([1, *map(len, cut)])
    steps = [
        step
        for batch, first in zip(cut, firsts[:-1].tolist(), strict=True)
        for step in batch.steps(names, first)
    ]
    (whole,) = join_alike(cut)
    assert list(whole.steps(names, 1)) == steps
    log = StepLog(cut, names)
    assert list(log) == [step for step in steps if step.accepted]
    assert list(log.with_refused()) == steps
    assert log.with_refused()[-1] == steps[-1]


def test_batches_of_other_phases_stay_apart() -> None:
    first = batches([0, 1], [True, True], {1}, "ascent")
    second = batches([2, 3], [True, False], {1}, "perturbation")
    assert [batch.phase for batch in join_alike([*first, *second])] == ["ascent", "perturbation"]
    assert join_alike([]) == []
