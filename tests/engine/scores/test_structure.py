"""The prior over structures, and the record of known pairs: what they add, what they refuse."""

from __future__ import annotations

import math
import pickle

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.errors import OptionError
from bjp_engine.scores import SCORES, KnownEdges, StructurePrior
from bjp_engine.search import PUBLISHED
from tests.strategies import noisy_tree

GRAPH = nx.path_graph(5)


@pytest.fixture(scope="module")
def data() -> bjp.Dataset:
    return noisy_tree(1, (2, 3, 2, 2, 2), 300).data


@pytest.mark.parametrize("method", SCORES)
class TestScore:
    def test_each_edge_adds_its_log_odds(self, data: bjp.Dataset, method: str) -> None:
        plain = bjp.score(data, GRAPH, method)
        # A half is the paper's.
        assert plain.log_prior == 0.0
        for prior in ({"edge_probability": 0.5}, {"log_odds": np.zeros((5, 5))}):
            assert bjp.score(data, GRAPH, method, **prior).total == plain.total
        for pi in (0.01, 0.3, 0.9):
            trace = bjp.score(data, GRAPH, method, edge_probability=pi)
            assert trace.log_prior == pytest.approx(4 * math.log(pi / (1 - pi)), rel=1e-12)
            assert trace.total == pytest.approx(plain.total + trace.log_prior, rel=1e-12)
        by_degree = bjp.score(data, GRAPH, method, expected_degree=1)
        assert by_degree.total == bjp.score(data, GRAPH, method, edge_probability=0.25).total
        odds = np.arange(25.0).reshape(5, 5)
        odds += odds.T
        trace = bjp.score(data, GRAPH, method, log_odds=odds)
        assert trace.log_prior == sum(odds[i, i + 1] for i in range(4))

    def test_differences_are_those_of_a_posterior(self, data: bjp.Dataset, method: str) -> None:
        # Pr(G | D) is proportional to score times prior, so a ratio of two has both ratios.
        other = nx.cycle_graph(5)
        gain = bjp.score(data, other, method).total - bjp.score(data, GRAPH, method).total
        prior = {"edge_probability": 0.2}
        with_prior = [bjp.score(data, g, method, **prior).total for g in (GRAPH, other)]
        assert with_prior[1] - with_prior[0] == pytest.approx(gain + math.log(0.25), abs=1e-9)

    def test_a_search_counts_it(self, data: bjp.Dataset, method: str) -> None:
        many = bjp.learn(data, method, edge_probability=1 - 1e-12, search=PUBLISHED[method])
        few = bjp.learn(data, method, edge_probability=1e-12, search=PUBLISHED[method])
        assert few.graph.number_of_edges() < many.graph.number_of_edges()
        for trace in (many, few):
            prior = {"edge_probability": trace.structure.edge_probability}
            again = bjp.score(data, trace.graph, method, **prior)
            assert (trace.score, trace.log_prior) == (again.total, again.log_prior)


def test_no_prior(data: bjp.Dataset) -> None:
    for prior, named in (
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
    ):
        with pytest.raises(OptionError, match=named):
            bjp.learn(data, **prior)
        with pytest.raises(OptionError, match=named):
            bjp.score(data, GRAPH, **prior)
    # An estimate needs a search.
    with pytest.raises(OptionError, match="learn"):
        bjp.score(data, GRAPH, edge_probability="data")


def test_a_given_matrix_stays_as_it_was() -> None:
    odds = np.ones((5, 5))
    prior = StructurePrior(log_odds=odds)
    odds[0, 1] = odds[1, 0] = 7.0
    assert prior.odds(5)[0, 1] == 1.0
    with pytest.raises(ValueError, match="read-only"):
        prior.odds(5)[0, 1] = 2.0


def test_known_pairs_are_a_value() -> None:
    known = KnownEdges([("a", "b")], likely={("a", "c"): 0.3}, apart=[(["d"], ["e", "a"])])
    again = pickle.loads(pickle.dumps(known))
    assert (again, hash(again)) == (known, hash(known))
    assert again.rows() == (
        ("a", "b", "required"),
        ("a", "c", 0.3),
        ("d", "e", "forbidden"),
        ("d", "a", "forbidden"),
    )
    # A group apart from itself.
    known = KnownEdges(apart=[(["a", "b", "c"],) * 2])
    assert known.forbidden_pairs == (("a", "b"), ("a", "c"), ("b", "c"))
    required = KnownEdges([("b", 0)]).on(("a", "b", "c")).required
    assert required.tolist() == [[False, True, False], [True, False, False], [False] * 3]


def test_no_record_of_known_pairs() -> None:
    for arguments, words in (
        ({"required": [("a", "a")]}, "required pairs 'a' with itself"),
        ({"required": ["ab"]}, "required holds 'ab', which is not a pair"),
        ({"required": ("a", "b")}, r"give a list of pairs, such as \[\('a', 'b'\)\]"),
        ({"required": 3}, "required=3 must be a list"),
        ({"likely": {("a", "b"): 0}}, "likely says '0' of a pair"),
        ({"likely": {("a", "b"): "required"}}, "put that pair into required"),
        ({"likely": [("a", "b")]}, "two variables and a probability"),
        ({"apart": [("a", "b")]}, "not a pair of lists"),
        ({"required": [("a", "b")], "apart": [(["a"], ["b"])]}, "'a' and 'b' both"),
    ):
        with pytest.raises(OptionError, match=words):
            KnownEdges(**arguments)
