"""The searches by gain and the climbs that go on: where they end, and what they may not miss."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.errors import OptionError
from bjp_engine.scores.structure import filled
from bjp_engine.search import searches_for
from bjp_engine.search.auto.nodewise import nodewise
from tests.strategies import noisy_tree

DATA = noisy_tree(5, (2, 3, 2, 2, 2, 4, 2), 250).data
SMALL = noisy_tree(2, (2, 2, 3, 2, 2), 150).data
# Searches that end where no single flip raises the score, and what they serve.
THOROUGH = [
    (method, name)
    for name in ("hill-climb", "steepest", "restarts", "annealing")
    for method in ("bjp", "ib", "mpl", "near")
    if name in searches_for(method)
]
EVERY = [*THOROUGH, *((method, "tabu") for method in ("bjp", "ib", "mpl", "near"))]
PRIORS = pytest.mark.parametrize("prior", [{}, {"expected_degree": 1}], ids=str)


def gains(data: bjp.Dataset, graph: nx.Graph, method: str, prior: dict) -> dict:
    """What each single flip gains, by scoring whole graphs."""
    before, found = bjp.score(data, graph, method, **prior).total, {}
    for i, j in itertools.combinations(data.names, 2):
        other = nx.Graph(graph)
        other.remove_edge(i, j) if graph.has_edge(i, j) else other.add_edge(i, j)
        found[i, j] = bjp.score(data, other, method, **prior).total - before
    return found


@PRIORS
@pytest.mark.parametrize(("method", "search"), THOROUGH)
def test_ends_where_no_flip_raises_the_score(method: str, search: str, prior: dict) -> None:
    trace = bjp.learn(DATA, method, search, **prior)
    assert max(gains(DATA, trace.graph, method, prior).values()) <= 1e-9


@PRIORS
@pytest.mark.parametrize("method", ["bjp", "ib", "mpl", "near"])
def test_steepest_makes_the_best_flip(method: str, prior: dict) -> None:
    trace = bjp.learn(DATA, method, "steepest", **prior)
    graph = nx.Graph(trace.start)
    assert len(trace.steps) > 2
    for step in trace.steps:
        found = gains(DATA, graph, method, prior)
        assert step.gain == pytest.approx(max(found.values()), rel=1e-9)
        assert found[step.edge] == pytest.approx(step.gain, rel=1e-9)
        graph.add_edge(*step.edge) if step.added else graph.remove_edge(*step.edge)


@PRIORS
@pytest.mark.parametrize("method", ["bjp", "ib", "near"])
def test_the_hill_climb_goes_on_where_the_paper_stops(method: str, prior: dict) -> None:
    paper = bjp.learn(DATA, method, "ibmap-hc", **prior)
    trace = bjp.learn(DATA, method, "hill-climb", **prior)
    assert [s.edge for s in trace.steps[: len(paper.steps)]] == [s.edge for s in paper.steps]
    assert trace.score >= paper.score
    graph = nx.Graph(trace.start)
    for step in trace.proposals:
        first = step.contributions[0]
        assert first.edge == step.edge
        values = [c.value for c in step.contributions]
        assert values == pytest.approx(sorted(values), rel=1e-12)
        found = gains(DATA, graph, method, prior)[step.edge]
        assert step.accepted == (found > 1e-9)
        if step.accepted:
            graph.add_edge(*step.edge) if step.added else graph.remove_edge(*step.edge)


@pytest.mark.parametrize(("method", "search"), EVERY)
def test_finds_the_best_of_few(method: str, search: str) -> None:
    best = bjp.learn(SMALL, method, "exhaustive")
    trace = bjp.learn(SMALL, method, search)
    assert trace.score <= best.score + 1e-9
    if search in ("tabu", "restarts", "annealing"):
        assert trace.score == pytest.approx(best.score, rel=1e-12)


@pytest.mark.parametrize("method", ["bjp", "ib", "mpl", "near"])
class TestTabu:
    def test_leaves_what_it_flipped_alone(self, method: str) -> None:
        tenure, best = 4, -np.inf
        trace = bjp.learn(DATA, method, "tabu", tenure=tenure)
        steps = list(trace.steps)
        best = trace.start_score
        for k, step in enumerate(steps):
            again = [s for s in steps[max(0, k - tenure) : k] if s.edge == step.edge]
            assert not again or step.score > best
            best = max(best, step.score)

    def test_ends_when_patience_does(self, method: str) -> None:
        trace = bjp.learn(DATA, method, "tabu", patience=7)
        assert len(trace.steps) == trace.best_at + 7
        assert trace.stop_reason == bjp.search.StopReason.PATIENCE


@pytest.mark.parametrize("method", ["bjp", "ib", "mpl", "near"])
@pytest.mark.parametrize("search", ["restarts", "annealing"])
def test_the_seed_decides(method: str, search: str) -> None:
    one, other = (bjp.learn(DATA, method, search, seed=seed) for seed in (1, 2))
    assert one.steps == bjp.learn(DATA, method, search, seed=1).steps
    assert one.steps != other.steps


@pytest.mark.parametrize("most", [1, 3, 50])
def test_how_many_at_once_does_not_matter(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for search in ("annealing", "restarts", "steepest"):
        whole = [(step.edge, step.score) for step in bjp.learn(DATA, "bjp", search).steps]
        monkeypatch.setattr("bjp_engine.search.walks.walk._MOST", most)
        monkeypatch.setattr("bjp_engine.search.walks.walk._FEWEST", 1)
        again = bjp.learn(DATA, "bjp", search).steps
        assert [(step.edge, step.score) for step in again] == whole
        monkeypatch.undo()


@pytest.mark.parametrize(
    ("search", "options", "named"),
    [
        ("annealing", {"hot": 1.0, "cold": 2.0}, "colder"),
        ("annealing", {"sweeps": 0}, "sweeps"),
        ("restarts", {"strength": 0}, "strength"),
        ("tabu", {"patience": 0}, "patience"),
    ],
)
def test_what_does_not_fit_is_refused(search: str, options: dict, named: str) -> None:
    with pytest.raises(OptionError, match=named):
        bjp.learn(DATA, "bjp", search, **options)


class TestAuto:
    def test_starts_from_the_variables_blankets(self) -> None:
        trace = bjp.learn(DATA, "bjp", "auto")
        said, evidence = nodewise(DATA, filled(DATA.n, 1 / 3)), trace.evidence
        others = (evidence.in_forest | (evidence.together > 0)) & (trace.structure.log_odds > 0)
        assert (evidence.found == said.found).all()
        assert (nx.to_numpy_array(trace.start, dtype=bool) == said.either | others).all()
        assert nx.utils.graphs_equal(trace.start, trace.milestones["nodewise"])
        assert (trace.structure.log_odds == trace.structure.log_odds.T).all()

    @pytest.mark.parametrize("method", ["bjp", "ib", "near"])
    def test_proposes_the_pair_that_disagrees_most(self, method: str) -> None:
        data = noisy_tree(14, (3, 2, 4) * 6, 80).data
        trace = bjp.learn(data, method, "auto", contributions=200)
        odds, graph = trace.structure.log_odds, nx.Graph(trace.start)
        assert len(trace.proposals) > 1
        marked: set[frozenset] = set()
        for step in trace.proposals:
            own = disagreement(data, graph, method, odds)
            left = {pair: gain for pair, gain in own.items() if pair not in marked}
            assert own[frozenset(step.edge)] == pytest.approx(max(left.values()), rel=1e-6)
            assert own[frozenset(step.edge)] > 0
            if step.accepted:
                graph.add_edge(*step.edge) if step.added else graph.remove_edge(*step.edge)
                marked = {pair for pair in marked if not pair & set(step.edge)}
            else:
                marked.add(frozenset(step.edge))
        left = disagreement(data, graph, method, odds)
        assert all(gain <= 1e-9 for pair, gain in left.items() if pair not in marked)

    def test_a_given_prior_is_its_base(self) -> None:
        data = noisy_tree(1, (2,) * 14, 60).data
        few = bjp.learn(data, "bjp", "auto", expected_degree=1e-4)
        many = bjp.learn(data, "bjp", "auto", expected_degree=3)
        assert few.graph.number_of_edges() < many.graph.number_of_edges()
        assert many.steps == bjp.learn(data, "bjp", "auto").steps

    def test_constant_and_doubled_columns(self) -> None:
        rng = np.random.default_rng(0)
        x = rng.integers(0, 2, size=(300, 3))
        codes = np.column_stack([x, x[:, 0], np.zeros(300, dtype=int)])
        trace = bjp.learn(bjp.Dataset.from_codes(codes, (2, 2, 2, 2, 1)), "bjp", "auto")
        assert set(trace.graph.edges) == {(0, 3)}


def disagreement(data: bjp.Dataset, graph: nx.Graph, method: str, odds: np.ndarray) -> dict:
    """What each flip would gain if only the pair's own terms and odds changed."""
    found: dict[frozenset, float] = {}
    for i, j in itertools.combinations(range(data.n), 2):
        found[frozenset((i, j))] = -odds[i, j] if graph.has_edge(i, j) else odds[i, j]
    for term in bjp.score(data, graph, method, prior_cells="centred").computed:
        found[frozenset((term.x, term.y))] += np.log(-np.expm1(term.value)) - term.value
    return found
