"""What every registered score must do, whichever it is."""

import dataclasses
import math

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.confidence import bootstrap
from bjp_engine.errors import GraphError, OptionError
from bjp_engine.scores import SCORES, AssertionScore, LocalScore
from tests.contracts.recipes import SCORE_NAMES, case, method_of, score_of
from tests.refusals import assert_refused
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
every_score = pytest.mark.parametrize("method", SCORE_NAMES)


def test_the_registry():
    assert list(SCORES) == ["bjp", "ib", "mpl", "near"]
    assert all(score.name == name and score.title for name, score in SCORES.items())
    with pytest.raises(TypeError):
        SCORES["new"] = SCORES["bjp"]


@every_score
def test_a_trace_sums_to_its_total_and_speaks_in_names(method):
    near_only = getattr(score_of(method), "near_only", False)
    for kind, graph in GRAPHS.items():
        with case(kind):
            before = set(graph.nodes), set(graph.edges)
            trace = bjp.score(DATA, graph, method_of(method))
            assert (set(graph.nodes), set(graph.edges)) == before
            assert trace.method == method
            assert type(trace.total) is float
            assert trace.total == math.fsum(term.value for term in trace.terms)
            assert all(math.isfinite(term.value) for term in trace.terms)

            assert sorted(trace.order) == sorted(NAMES)
            assert list(trace.graph.nodes) == NAMES
            assert {*map(frozenset, trace.graph.edges)} == {*map(frozenset, graph.edges)}
            for term in trace.terms:
                assert term.x in NAMES
                blanket = set(trace.graph[term.x]) - {getattr(term, "y", None)}
                assert set(term.given) <= blanket if near_only else set(term.given) == blanket
                assert list(term.given) == sorted(term.given, key=NAMES.index)

            again = bjp.score(DATA, graph, method_of(method))
            assert (again.total, again.order) == (trace.total, trace.order)
            assert list(again.terms) == list(trace.terms)
            indices = nx.relabel_nodes(graph, {name: i for i, name in enumerate(NAMES)})
            assert bjp.score(DATA, indices, method_of(method)).total == trace.total

            with pytest.raises(dataclasses.FrozenInstanceError):
                trace.total = 0.0
            with pytest.raises(dataclasses.FrozenInstanceError):
                trace.terms[0].value = 0.0
            with pytest.raises(nx.NetworkXError):
                trace.graph.add_edge("zeta", "alpha")
            with pytest.raises((TypeError, AttributeError)):
                trace.terms[0] = trace.terms[1]


@every_score
def test_options_may_be_spelled_out_and_bad_arguments_are_named(method):
    def score(graph=GRAPHS["path"], **options):
        return bjp.score(DATA, graph, method_of(method), **options)

    options = score_of(method).options_type()
    spelled = {field.name: getattr(options, field.name) for field in dataclasses.fields(options)}
    assert score(**spelled).total == score().total
    for name in (*spelled, "flavour"):
        for bad in (-1, 0, math.nan, math.inf, "much", None):
            assert_refused(OptionError, rf"{name}.*\.$", score, **{name: bad})
    for graph in (nx.DiGraph(), nx.Graph([("zeta", "nobody")]), nx.Graph([("7", "7")]), "zeta"):
        assert_refused(GraphError, r"\.$", score, graph)


def own(base, **given):
    """A score of one's own with these attributes and no others."""
    return type("Own", (base,), given)()


def test_what_a_score_of_ones_own_may_leave_out_and_what_is_reported_where_it_may_not():
    data = bjp.Dataset.from_codes([[0, 1], [1, 0], [1, 1]], names=["age", "sex"])
    named = {"name": "own", "title": "Own"}
    plain = own(LocalScore, **named, local=lambda self, data, j, members, _: -len(members) / 2)
    assert bjp.learn(data, plain, "tabu").graph.number_of_edges() == 0
    takes_none = "takes none; a prior over structures takes edge_pro"
    assert_refused(OptionError, takes_none, bjp.score, data, nx.Graph(), plain, gamma=1.0)
    undefined = own(LocalScore, **named, local=lambda *_: math.nan)
    for search in ("mpl-hc", "tabu", "exhaustive"):
        no_number = r"score of 'age' given nothing is not a number; re"
        assert_refused(OptionError, no_number, bjp.learn, data, undefined, search)
    complete = {**named, "both_ends": True}
    for missing in complete:
        given = {name: value for name, value in complete.items() if name != missing}
        lacks = f"The score Own has no {missing}; set it in the"
        score = type("Own", (AssertionScore,), given)
        assert_refused(OptionError, lacks, lambda score=score: bjp.score(data, nx.Graph(), score()))
    # Learned and scored alike from both ends.
    data = bjp.read_table("sample_data/datasets/coronary.csv")
    both = own(AssertionScore, **complete)
    trace = bjp.learn(data, both, "ibmap-hc")
    assert trace.score == bjp.score(data, trace.graph, both).total
    assert trace.score == bjp.score(data, trace.graph, "ib").total
    assert bootstrap(data, method_of("earlier-end"), resamples=2).method == "earlier-end"
