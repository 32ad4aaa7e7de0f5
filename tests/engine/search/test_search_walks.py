"""The searches by gain and the climbs that go on: where they end, and each flip that they make."""

import itertools
import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.scores import SCORES
from bjp_engine.search import StopReason, searches_for
from bjp_engine.search.driver import pose
from bjp_engine.search.walks import flips_of
from tests import oracles
from tests.strategies import as_graph, noisy_tree, samples_with_graph

METHODS = ("bjp", "ib", "mpl", "near")
every_method = pytest.mark.parametrize("method", METHODS)
PRIORS = ({}, {"expected_degree": 1})
# Searches that end where no single flip raises the score.
THOROUGH = {"hill-climb", "restarts"}


@pytest.fixture(scope="module")
def data():
    return noisy_tree(5, (2, 3, 2, 2, 2, 4, 2), 250).data


def gains(data, graph, method, prior):
    """What each single flip gains, by scoring whole graphs."""
    before, found = bjp.score(data, graph, method, **prior).total, {}
    for pair in itertools.combinations(data.names, 2):
        other = nx.Graph(graph)
        flip(other, pair)
        found[pair] = bjp.score(data, other, method, **prior).total - before
    return found


def flip(graph, pair):
    graph.remove_edge(*pair) if graph.has_edge(*pair) else graph.add_edge(*pair)


@every_method
def test_where_each_ends(data, method):
    thorough = THOROUGH & set(searches_for(method))
    assert len(thorough) == (1 if method == "mpl" else 2)
    for search, prior in itertools.product(thorough, PRIORS):
        trace = bjp.learn(data, method, search, **prior)
        assert max(gains(data, trace.graph, method, prior).values()) <= 1e-9, (search, prior)
    # Of few variables the best graph is known.
    small = noisy_tree(2, (2, 2, 3, 2, 2), 150).data
    best = bjp.learn(small, method, "exhaustive").score
    for search in ("tabu", "restarts"):
        assert bjp.learn(small, method, search).score == pytest.approx(best, rel=1e-12), search


@every_method
def test_an_ascent_makes_the_best_flip_and_the_hill_climb_goes_on(data, method):
    for prior in PRIORS:
        trace = bjp.learn(data, method, "restarts", restarts=0, **prior)
        graph = nx.Graph(trace.start)
        assert len(trace.steps) > 2
        for step in trace.steps:
            found = gains(data, graph, method, prior)
            best = pytest.approx(max(found.values()), rel=1e-9)
            assert (step.gain, found[step.edge]) == (best, best)
            assert step.added == (not graph.has_edge(*step.edge))
            flip(graph, step.edge)
        if method == "mpl":
            continue
        # The hill climb goes on where the paper's search stops.
        paper = bjp.learn(data, method, "ibmap-hc", **prior)
        trace = bjp.learn(data, method, "hill-climb", **prior)
        assert [s.edge for s in trace.steps[: len(paper.steps)]] == [s.edge for s in paper.steps]
        assert trace.score >= paper.score
        graph = nx.Graph(trace.start)
        for step in trace.proposals:
            assert step.contributions[0].edge == step.edge
            assert step.accepted == (gains(data, graph, method, prior)[step.edge] > 1e-9)
            if step.accepted:
                flip(graph, step.edge)


@every_method
def test_tabu_flips_nothing_back_and_ends(data, method):
    tenure, again = 4, 0
    trace = bjp.learn(data, method, "tabu", tenure=tenure)
    steps, best = list(trace.steps), trace.start_score
    for k, step in enumerate(steps):
        if any(s.edge == step.edge for s in steps[max(0, k - tenure) : k]):
            assert step.score > best
        again += any(s.edge == step.edge for s in steps[:k])
        best = max(best, step.score)
    assert again
    trace = bjp.learn(data, method, "tabu", patience=7)
    assert (len(trace.steps), trace.stop_reason) == (trace.best_at + 7, StopReason.PATIENCE)


def test_the_seed_decides_and_not_how_many_flips_are_made_at_once(data, monkeypatch):
    for method in METHODS:
        one, other, again = (bjp.learn(data, method, "restarts", seed=k).steps for k in (1, 2, 1))
        assert one == again != other, method
    whole = {search: bjp.learn(data, "bjp", search).steps for search in ("restarts", "tabu")}
    monkeypatch.setattr("bjp_engine.search.walks._FEWEST", 1)
    for search, most in itertools.product(whole, (1, 3, 50)):
        monkeypatch.setattr("bjp_engine.search.walks._MOST", most)
        for step, other in zip(bjp.learn(data, "bjp", search).steps, whole[search], strict=True):
            assert (step.edge, step.score) == (other.edge, other.score), (search, most)


# --- Flips that a search names: against scores of whole graphs ------------------------------------

EVERY_PRIOR = [{}, {"edge_probability": 0.1}, {"expected_degree": 1.5}, {"log_odds": "mixed"}]


def flips_for(data, method, edges, prior):
    adjacency = nx.to_numpy_array(as_graph(edges, data.n), dtype=np.bool_)
    return flips_of(pose(data, method, prior), adjacency)


@st.composite
def tried(draw):
    """Data, a graph, and flips with what they need."""
    sample, edges = draw(samples_with_graph(min_variables=3, max_variables=6))
    flips = draw(st.lists(st.sampled_from(oracles.pairs(sample.n)), min_size=1, max_size=15))
    needs = st.sampled_from([-math.inf, -1.0, 0.0, math.inf])
    return sample, edges, flips, draw(st.lists(needs, min_size=len(flips), max_size=len(flips)))


@pytest.mark.parametrize("method", SCORES)
@given(case=tried(), prior=st.sampled_from(EVERY_PRIOR))
def test_as_if_each_graph_were_scored(method, case, prior):
    sample, edges, pairs, needed = case
    n, graph = sample.n, as_graph(edges, sample.n)
    if "log_odds" in prior:
        prior = {"log_odds": np.add.outer(np.arange(n), np.arange(n)) % 5 - 2.5}
    flips = flips_for(sample.data, method, edges, prior)
    score = bjp.score(sample.data, graph, method, **prior).total
    assert flips.score == score
    found = flips.propose(np.array(pairs), np.array(needed))
    for k, pair in enumerate(pairs):
        flipped = graph.copy()
        flip(flipped, pair)
        after = bjp.score(sample.data, flipped, method, **prior).total
        assert found.score[k] == pytest.approx(after, rel=1e-12, abs=1e-12)
        assert found.gain[k] == pytest.approx(after - score, rel=1e-9, abs=1e-9)
        assert found.kept[k] == (found.gain[k] > needed[k])
        if found.kept[k]:
            graph, score = flipped, after
    assert (flips.adjacency == nx.to_numpy_array(graph, range(n), dtype=np.bool_)).all()
    assert flips.score == score


def test_flips_that_were_only_weighed_are_remembered_if_they_are_few(monkeypatch):
    data = noisy_tree(3, (2, 3, 2, 2, 4, 2), 200).data
    pairs, never = np.array(oracles.pairs(data.n)), np.full(15, np.inf)
    for method in SCORES:
        flips = flips_for(data, method, frozenset(), {})
        first, tests = flips.propose(pairs, never), flips.tests
        assert (flips.propose(pairs, never).gain == first.gain).all()
        assert (flips.tests, flips.adjacency.any()) == (tests, False)
    data = noisy_tree(3, (2,) * 12, 200).data
    rng, pairs = np.random.default_rng(0), np.array(oracles.pairs(12))
    chosen, needed = pairs[rng.integers(66, size=400)], np.log(rng.random(400))
    for method in ("bjp", "ib", "near"):
        made = []
        for most in (12, 11):
            monkeypatch.setattr("bjp_engine.scores.bjp.MOST_REMEMBERED", most)
            flips = flips_for(data, method, frozenset(), {})
            made.append((flips.propose(chosen, needed), flips.tests))
        (one, few), (other, more) = made
        assert (one.kept == other.kept).all()
        assert (one.score == other.score).all()
        assert few < more, method
