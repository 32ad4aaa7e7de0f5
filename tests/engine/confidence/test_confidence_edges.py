"""The record of a confidence: look-ups, thresholds and files; and the one made of single tests."""

import csv
import io
import json
import math
from dataclasses import FrozenInstanceError

import networkx as nx
import numpy as np
import pytest
from hypothesis import given

import bjp_engine as bjp
from bjp_engine.confidence import EdgeConfidence, confidence_of_tests
from bjp_engine.confidence.edges import Edge
from bjp_engine.errors import DataError, GraphError, OptionError
from bjp_engine.io import GRAPH_FORMATS, graph_bytes, read_graph
from tests import oracles
from tests.refusals import assert_refused
from tests.strategies import as_graph, random_sample, samples_with_graph

MATRIX = np.array([[0.0, 0.25, 1.0], [0.25, 0.0, 0.25], [1.0, 0.25, 0.0]])
ERROR, ERRORS = MATRIX / 100, "probability_error"
NAMES = ("a", 7, "=c")
SURE = EdgeConfidence("bootstrap", NAMES, MATRIX, ERROR, "bjp", made=3)
WITHOUT_ERROR = EdgeConfidence("bootstrap", NAMES, MATRIX, None, "bjp", made=3)


def test_a_pair_by_name_or_by_index_of_what_nobody_can_change():
    found = SURE.of("=c", "a")
    assert found == SURE.of(2, 0) == Edge("a", "=c", 1.0, 0.01)
    assert SURE.of(7, "a") == SURE.of("7", 0) == Edge("a", 7, 0.25, 0.0025)
    assert WITHOUT_ERROR.of(0, 2).error is None
    for pair in (("a", "a"), ("a", 0), ("a", "x"), ("a", 3), ("a", -1)):
        assert_refused(DataError, "", SURE.of, *pair)
    matrix = MATRIX.copy()
    made = EdgeConfidence("exact", NAMES, matrix, None, "bjp")
    matrix[0, 1] = 9
    assert made.of(0, 1).confidence == 0.25
    with pytest.raises(FrozenInstanceError):
        made.made = 4
    assert made.complete
    assert not EdgeConfidence("bootstrap", (), MATRIX, None, "ib", asked=2, made=1).complete


def test_lists_graphs_and_tables_above_a_threshold():
    # By falling confidence, then by place.
    rows = [["a", "=c", 1.0, 0.01], ["a", 7, 0.25, 0.0025], [7, "=c", 0.25, 0.0025]]
    for threshold, many in ((0, 3), (0.25, 3), (0.2500001, 1), (1, 1)):
        assert SURE.to_frame(threshold).to_numpy().tolist() == rows[:many]
        assert len(SURE.graph(threshold).edges) == many
    assert list(SURE.to_frame().columns) == ["x", "y", "probability", "error"]
    assert list(WITHOUT_ERROR.to_frame().columns) == ["x", "y", "probability"]
    assert list(SURE.graph(0.3)) == ["a", 7, "=c"]
    assert SURE.graph(0.3).edges["a", "=c"] == {"probability": 1.0, "error": 0.01}
    assert WITHOUT_ERROR.graph(0.9).edges["a", "=c"] == {"probability": 1.0}
    for threshold in (-0.1, 1.01, float("nan"), "0.5", None, True):
        for function in (SURE.graph, SURE.to_frame):
            assert_refused(OptionError, "threshold", function, threshold)


def test_a_notebook_shows_a_short_table_without_markup_of_names():
    names = ("<script>", *range(1, 12))
    shown = EdgeConfidence("exact", names, np.full((12, 12), 0.5), None, "bjp")._repr_html_()
    assert "<script>" not in shown
    assert "&lt;script&gt;" in shown
    assert shown.count("<tr") == 11
    assert "and 56 more" in shown


def numbers_in(form, text):
    """The kind, and each edge's probability and error, by readers that are not ours."""
    if form == "graphml":
        graph = nx.parse_graphml(text)
        kind, rows = graph.graph["probability_kind"], graph.edges(data=True)
    elif form == "csv":
        # The apostrophe tells a spreadsheet that it is no formula.
        table = [*csv.DictReader(io.StringIO(text.replace("'=c", "=c")))]
        kind = table[0]["probability_kind"]
        rows = [(row["source"], row["target"], row) for row in table if row["target"]]
    else:
        content = json.loads(text)
        kind, held = content["probability_kind"], content.keys() & {"probability", ERRORS}
        rows = [
            (x, y, {name: content[name][k] for name in held})
            for k, (x, y) in enumerate(content["edges"])
        ]
    found = {}
    for x, y, of in rows:
        error = None if ERRORS not in of else float(of[ERRORS])
        found[frozenset((x, y))] = float(of["probability"]), error
    return kind, found


@pytest.mark.parametrize("form", GRAPH_FORMATS)
def test_a_file_of_each_edge_with_its_numbers_to_the_last_bit(form):
    written = nx.Graph([("=c", "a"), ("a", "7")])
    written.add_node("alone")
    names = ("a", "7", "=c", "alone")
    matrix, errors = (np.pad(numbers / 3, (0, 1)) for numbers in (MATRIX, ERROR))
    plain = graph_bytes(written, form, None)
    assert b"probability" not in plain
    for error in (errors, None):
        about = EdgeConfidence("bootstrap", names, matrix, error, "bjp")
        content = graph_bytes(written, form, about)
        expected = {
            frozenset((names[0], names[j])): (matrix[0, j], None if error is None else error[0, j])
            for j in (1, 2)
        }
        assert numbers_in(form, content.decode()) == ("bootstrap", expected)
        # Reading it gives the graph that is written without numbers.
        one, other = (read_graph(each, form) for each in (plain, content))
        assert list(one) == list(other)
        assert list(one.edges(data=True)) == list(other.edges(data=True))
    other_graph = nx.Graph([("x", "a")])
    assert_refused(GraphError, "not of this graph", graph_bytes, other_graph, form, about)


def test_a_trace_bears_it():
    data = bjp.Dataset.from_codes([[0, 0], [1, 1], [0, 1]] * 9, names=["a", "b"])
    trace = bjp.learn(data, search="ibmap-hc")
    made = confidence_of_tests(bjp.score(data, trace.graph))
    content = json.loads(bjp.io.trace_json(trace, made))
    assert (content["type"], content["confidence"]["kind"]) == ("SearchTrace", "test")
    assert content["confidence"]["matrix"] == made.matrix.tolist()
    alone = json.loads(bjp.io.trace_json(bjp.confidence.bootstrap(data, resamples=3)))
    assert (alone["asked"], alone["made"], alone["complete"]) == (3, 3, True)


@given(samples_with_graph(max_variables=5))
def test_it_is_that_of_tests_made_one_by_one(both):
    sample, edges = both
    graph, near = as_graph(edges, sample.n), {"rel": 1e-9, "abs": 1e-12}
    scored = (bjp.score(sample.data, graph, method) for method in ("bjp", "ib"))
    of_bjp, of_ib = map(confidence_of_tests, scored)

    def dependence(x, y):
        given = sorted(oracles.blanket(edges, x) - {y})
        return math.exp(bjp.independence_test(sample.data, x, y, given).log_dependent)

    for x, y in oracles.pairs(sample.n):
        # BJP computes the test of the end with fewer neighbours, IB-score those of both.
        few = len(oracles.blanket(edges, x)) <= len(oracles.blanket(edges, y))
        first, other = (x, y) if few else (y, x)
        assert of_bjp.of(x, y).confidence == pytest.approx(dependence(first, other), **near)
        ends = [dependence(x, y), dependence(y, x)]
        assert of_ib.of(x, y).confidence == pytest.approx(sum(ends) / 2, **near)


def test_it_is_what_the_trace_says():
    data, graph = random_sample(4, (2, 3, 2, 4), 60).data, nx.Graph([(0, 1), (1, 2)])
    trace = bjp.score(data, graph, prior=0.8)
    found = confidence_of_tests(trace, prior=0.8)
    for term in trace.computed:
        value, expected = found.of(term.x, term.y).confidence, math.exp(term.value)
        assert (value if term.dependent else 1 - value) == pytest.approx(expected, rel=1e-9)
    assert (dict(found.options), found.error, found.kind) == ({"prior": 0.8}, None, "test")


def test_what_makes_no_tests_is_refused():
    trace = bjp.score(random_sample(1, (2, 2), 10).data, nx.Graph(), "mpl")
    assert_refused(OptionError, "makes no tests", confidence_of_tests, trace)
