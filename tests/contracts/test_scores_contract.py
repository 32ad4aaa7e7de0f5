"""What every registered score must do, whichever it is."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.confidence import bootstrap
from bjp_engine.errors import GraphError, OptionError
from bjp_engine.scores import SCORES, AssertionScore, LocalScore
from tests.contracts.recipes import ALL_SCORES, method_of
from tests.strategies import random_sample

NAMES = ["zeta", "alpha", "7", "β<b>", "=1+1"]
DATA = bjp.Dataset.from_codes(
    np.array(random_sample(3, (2, 3, 2, 5, 2), 80).rows), [2, 3, 2, 6, 2], NAMES
)
GRAPHS = {
    "empty": nx.empty_graph(),
    "path": nx.path_graph(NAMES),
    "star": nx.star_graph(NAMES),
    "complete": nx.complete_graph(NAMES),
}
every_score = pytest.mark.parametrize("method", ALL_SCORES)
every_graph = pytest.mark.parametrize("graph", GRAPHS.values(), ids=GRAPHS)


def test_the_registry() -> None:
    assert list(SCORES) == ["bjp", "ib", "mpl", "near"]
    assert all(score.name == name for name, score in SCORES.items())
    assert all(score.title for score in SCORES.values())
    with pytest.raises(TypeError):
        SCORES["new"] = SCORES["bjp"]  # type: ignore[index]


@every_score
@every_graph
class TestTrace:
    def test_sums_to_its_total(self, method: str, graph: nx.Graph) -> None:
        trace = bjp.score(DATA, graph, method_of(method))
        assert trace.method == method
        assert trace.total == math.fsum(term.value for term in trace.terms)
        assert all(math.isfinite(term.value) for term in trace.terms)
        assert type(trace.total) is float

    def test_same_call_same_bits(self, method: str, graph: nx.Graph) -> None:
        one, other = (
            bjp.score(DATA, graph, method_of(method)),
            bjp.score(DATA, graph, method_of(method)),
        )
        assert one.total == other.total
        assert list(one.terms) == list(other.terms)
        assert one.order == other.order

    def test_speaks_in_names(self, method: str, graph: nx.Graph) -> None:
        trace = bjp.score(DATA, graph, method_of(method))
        assert sorted(trace.order) == sorted(NAMES)
        assert list(trace.graph.nodes) == NAMES
        assert nx.utils.edges_equal(
            sorted(map(sorted, trace.graph.edges)), sorted(map(sorted, graph.edges))
        )
        for term in trace.terms:
            assert term.x in NAMES
            blanket = set(trace.graph[term.x]) - {getattr(term, "y", None)}
            near_only = getattr(ALL_SCORES[method], "near_only", False)
            assert set(term.given) <= blanket if near_only else set(term.given) == blanket
            assert list(term.given) == sorted(term.given, key=NAMES.index)

    def test_names_and_indices_are_one(self, method: str, graph: nx.Graph) -> None:
        renamed = nx.relabel_nodes(graph, {name: i for i, name in enumerate(NAMES)})
        assert (
            bjp.score(DATA, renamed, method_of(method)).total
            == bjp.score(DATA, graph, method_of(method)).total
        )

    def test_cannot_be_written(self, method: str, graph: nx.Graph) -> None:
        trace = bjp.score(DATA, graph, method_of(method))
        with pytest.raises(dataclasses.FrozenInstanceError):
            trace.score = 0.0  # type: ignore[misc]
        with pytest.raises(dataclasses.FrozenInstanceError):
            trace.terms[0].value = 0.0  # type: ignore[misc]
        with pytest.raises(nx.NetworkXError):
            trace.graph.add_edge("zeta", "alpha")
        with pytest.raises((TypeError, AttributeError)):
            trace.terms[0] = trace.terms[1]  # type: ignore[index]

    def test_leaves_the_graph_alone(self, method: str, graph: nx.Graph) -> None:
        before = set(graph.nodes), set(graph.edges)
        bjp.score(DATA, graph, method_of(method))
        assert (set(graph.nodes), set(graph.edges)) == before


@every_score
class TestOptions:
    def test_defaults_may_be_spelled_out(self, method: str) -> None:
        options = ALL_SCORES[method].options_type()
        spelled = {
            field.name: getattr(options, field.name) for field in dataclasses.fields(options)
        }
        trace = bjp.score(DATA, GRAPHS["path"], method_of(method), **spelled)
        assert trace.total == bjp.score(DATA, GRAPHS["path"], method_of(method)).total

    def test_an_unknown_option_is_named(self, method: str) -> None:
        with pytest.raises(OptionError, match="flavour") as caught:
            bjp.score(DATA, GRAPHS["path"], method_of(method), flavour="mild")
        assert is_a_sentence(str(caught.value))

    def test_a_bad_value_is_named(self, method: str) -> None:
        for field in dataclasses.fields(ALL_SCORES[method].options_type):
            for bad in (-1, 0, math.nan, math.inf, "much", None):
                with pytest.raises(OptionError, match=field.name) as caught:
                    bjp.score(DATA, GRAPHS["path"], method_of(method), **{field.name: bad})
                assert is_a_sentence(str(caught.value))

    def test_a_wrong_graph_is_a_sentence(self, method: str) -> None:
        for graph in (nx.DiGraph(), nx.Graph([("zeta", "nobody")]), nx.Graph([("7", "7")]), "zeta"):
            with pytest.raises(GraphError) as caught:
                bjp.score(DATA, graph, method_of(method))  # type: ignore[arg-type]
            assert is_a_sentence(str(caught.value))


def is_a_sentence(text: str) -> bool:
    """One line that starts with a word and ends with a full stop."""
    return text.endswith(".") and "\n" not in text and len(text.split()) > 4


class TestOnesOwn:
    """What a score of one's own may leave out, and what it is told where it may not."""

    def test_without_options(self) -> None:
        class Nothing(LocalScore):
            name, title = "nothing", "Nothing"

            def local(self, data: Any, j: int, members: Any, options: Any) -> float:
                return -float(len(members))

        data = bjp.Dataset.from_codes([[0, 1], [1, 0], [1, 1]])
        assert bjp.learn(data, Nothing(), "tabu").graph.number_of_edges() == 0
        with pytest.raises(OptionError, match="takes none; a prior over structures takes edge_pro"):
            bjp.score(data, nx.Graph(), Nothing(), gamma=1.0)

    @pytest.mark.parametrize("search", ["mpl-hc", "tabu", "exhaustive", "exact"])
    def test_a_part_that_is_no_number_is_refused(self, search: str) -> None:
        class Undefined(LocalScore):
            name, title = "undefined", "Undefined"

            def local(self, data: Any, j: int, members: Any, options: Any) -> float:
                return math.nan

        data = bjp.Dataset.from_codes([[0, 1], [1, 0], [1, 1]], names=["age", "sex"])
        with pytest.raises(OptionError, match=r"score of 'age' given nothing is not a number; re"):
            bjp.learn(data, Undefined(), search)

    @pytest.mark.parametrize("missing", ["name", "title", "both_ends"])
    def test_what_it_lacks_is_named(self, missing: str) -> None:
        given = {"name": "own", "title": "Own", "both_ends": True}
        own = type("Own", (AssertionScore,), {k: v for k, v in given.items() if k != missing})
        with pytest.raises(OptionError, match=f"The score Own has no {missing}; set it in the"):
            bjp.score([[0, 1], [1, 0]], nx.Graph(), own())

    def test_learned_and_scored_alike_from_both_ends(self) -> None:
        own = type("Own", (AssertionScore,), {"name": "o", "title": "O", "both_ends": True})()
        data = bjp.read_table("sample_data/datasets/coronary.csv")
        trace = bjp.learn(data, own, "ibmap-hc")
        assert trace.score == bjp.score(data, trace.graph, own).score
        assert trace.score == bjp.score(data, trace.graph, "ib").score

    def test_a_resampled_score_of_ones_own_has_its_name(self) -> None:
        data = bjp.Dataset.from_codes([[0, 1], [1, 0], [1, 1]] * 5)
        own = ALL_SCORES["earlier-end"]
        assert bootstrap(data, own, resamples=2).method == "earlier-end"
