"""The prior over structures: what it adds to scores, and what it refuses."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.errors import OptionError
from bjp_engine.scores import SCORES, StructurePrior
from bjp_engine.search import PUBLISHED
from tests.strategies import noisy_tree

DATA = noisy_tree(1, (2, 3, 2, 2, 2), 300).data
GRAPH = nx.path_graph(5)
every_score = pytest.mark.parametrize("method", SCORES)


@every_score
class TestScore:
    def test_half_is_the_papers(self, method: str) -> None:
        plain = bjp.score(DATA, GRAPH, method)
        for prior in ({"edge_probability": 0.5}, {"log_odds": np.zeros((5, 5))}):
            assert bjp.score(DATA, GRAPH, method, **prior).total == plain.total
        assert plain.log_prior == 0.0

    def test_each_edge_adds_its_log_odds(self, method: str) -> None:
        plain = bjp.score(DATA, GRAPH, method).total
        for pi in (0.01, 0.3, 0.9):
            trace = bjp.score(DATA, GRAPH, method, edge_probability=pi)
            assert trace.log_prior == pytest.approx(4 * math.log(pi / (1 - pi)), rel=1e-12)
            assert trace.total == pytest.approx(plain + trace.log_prior, rel=1e-12)

    def test_expected_degree_is_expected(self, method: str) -> None:
        by_degree = bjp.score(DATA, GRAPH, method, expected_degree=1)
        assert by_degree.total == bjp.score(DATA, GRAPH, method, edge_probability=0.25).total

    def test_each_pair_its_own(self, method: str) -> None:
        odds = np.arange(25.0).reshape(5, 5)
        odds += odds.T
        trace = bjp.score(DATA, GRAPH, method, log_odds=odds)
        assert trace.log_prior == sum(odds[i, i + 1] for i in range(4))

    def test_differences_are_those_of_a_posterior(self, method: str) -> None:
        # Pr(G | D) is proportional to score times prior, so a ratio of two has both ratios.
        other = nx.cycle_graph(5)
        gain = bjp.score(DATA, other, method).total - bjp.score(DATA, GRAPH, method).total
        prior = {"edge_probability": 0.2}
        with_prior = [bjp.score(DATA, g, method, **prior).total for g in (GRAPH, other)]
        assert with_prior[1] - with_prior[0] == pytest.approx(gain + math.log(0.25), abs=1e-9)

    def test_a_search_counts_it(self, method: str) -> None:
        many = bjp.learn(DATA, method, edge_probability=1 - 1e-12, search=PUBLISHED[method])
        few = bjp.learn(DATA, method, edge_probability=1e-12, search=PUBLISHED[method])
        assert few.graph.number_of_edges() < many.graph.number_of_edges()
        for trace in (many, few):
            prior = {"edge_probability": trace.structure.edge_probability}
            again = bjp.score(DATA, trace.graph, method, **prior)
            assert (trace.score, trace.log_prior) == (again.total, again.log_prior)


class TestRefused:
    @pytest.mark.parametrize(
        ("prior", "named"),
        [
            ({"edge_probability": 0}, "edge_probability"),
            ({"edge_probability": 1.0}, "edge_probability"),
            ({"edge_probability": "much"}, "edge_probability"),
            ({"edge_probability": math.nan}, "edge_probability"),
            ({"expected_degree": 0}, "expected_degree"),
            ({"expected_degree": math.inf}, "expected_degree"),
            ({"log_odds": [1, 2]}, "log_odds"),
            ({"log_odds": "ab"}, "log_odds"),
            ({"log_odds": [[0, 1], [2, 0]]}, "symmetric"),
            ({"log_odds": np.full((5, 5), np.inf)}, "finite"),
            ({"log_odds": np.zeros((4, 4))}, r"\(5, 5\)"),
            ({"edge_probability": 0.1, "expected_degree": 2}, "one of them"),
        ],
    )
    def test_in_a_sentence(self, prior: dict, named: str) -> None:
        for call in (bjp.learn, lambda data, **options: bjp.score(data, GRAPH, **options)):
            with pytest.raises(OptionError, match=named):
                call(DATA, **prior)

    def test_an_estimate_needs_a_search(self) -> None:
        with pytest.raises(OptionError, match="learn"):
            bjp.score(DATA, GRAPH, edge_probability="data")


def test_what_was_given_stays_as_it_was() -> None:
    odds = np.ones((5, 5))
    prior = StructurePrior(log_odds=odds)
    odds[0, 1] = odds[1, 0] = 7.0
    assert prior.odds(5)[0, 1] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        prior.odds(5)[0, 1] = 2.0
