"""Hamming distance is a metric, irregularity is what its definition says, a confusion adds up."""

from itertools import combinations

import networkx as nx
import pytest
from hypothesis import given

from bjp_engine import metrics
from bjp_engine.errors import GraphError
from tests.refusals import assert_refused
from tests.strategies import as_graph, graphs, permutations

N = 6
PAIRS = N * (N - 1) // 2


@given(graphs(N), graphs(N), graphs(N), permutations(N))
def test_hamming_is_a_metric(a, b, c, order):
    g, h, k = (as_graph(edges, N) for edges in (a, b, c))
    shuffled = nx.Graph()
    shuffled.add_nodes_from(order)
    shuffled.add_edges_from(sorted(edge, reverse=True) for edge in b)
    assert metrics.hamming(g, shuffled) == len(a ^ b)
    assert (metrics.hamming(g, h), metrics.hamming(g, h) == 0) == (metrics.hamming(h, g), a == b)
    assert metrics.hamming(g, k) <= metrics.hamming(g, h) + metrics.hamming(h, k)
    assert metrics.hamming(g, nx.complement(g)) == PAIRS


@given(graphs(N))
def test_irregularities_are_their_definitions(edges):
    graph = as_graph(edges, N)

    def irregularity(pairs):
        return sum(abs(graph.degree(u) - graph.degree(v)) for u, v in pairs)

    total = irregularity(combinations(graph, 2))
    assert metrics.edge_irregularity(graph) == irregularity(graph.edges)
    # In the complement d becomes n - 1 - d, and differences stay.
    for each in (graph, nx.complement(graph)):
        assert metrics.total_irregularity(each) == total


def test_irregularities_of_known_graphs():
    sixes = [graph for graph in nx.graph_atlas_g() if len(graph) == N]
    assert (len(sixes), max(map(metrics.total_irregularity, sixes))) == (156, 26)
    for leaves in range(1, 31):
        star, cycle = nx.star_graph(leaves), nx.cycle_graph(leaves + 2)
        for irregularity in (metrics.total_irregularity, metrics.edge_irregularity):
            assert (irregularity(star), irregularity(cycle)) == (leaves * (leaves - 1), 0)


@given(graphs(N), graphs(N))
def test_confusion_sorts_every_pair_once(true, learned):
    result = metrics.confusion(as_graph(true, N), as_graph(learned, N))
    sorted_in = result.true_positives, result.false_positives, result.missing
    expected = [true & learned, learned - true, true - learned]
    assert [set(map(frozenset, edges)) for edges in sorted_in] == expected
    assert result.tp + result.fp + result.fn + result.tn == PAIRS
    assert result.hamming == result.fp + result.fn == len(true ^ learned)
    if result.precision + result.recall:
        harmonic = 2 * result.precision * result.recall / (result.precision + result.recall)
        assert result.f1 == pytest.approx(harmonic, abs=1e-15)
    # Swapping the graphs swaps the mistakes.
    back = metrics.confusion(as_graph(learned, N), as_graph(true, N))
    assert (result.fp, result.precision, result.f1) == (back.fn, back.recall, back.f1)


def test_ratios():
    for true, learned, expected in (
        ([], [], (1.0, 1.0, 1.0)),
        ([(0, 1)], [], (1.0, 0.0, 0.0)),
        ([], [(0, 1)], (0.0, 1.0, 0.0)),
        ([(0, 1), (1, 2)], [(0, 1), (0, 2)], (0.5, 0.5, 0.5)),
        ([(0, 1), (1, 2)], [(0, 1)], (1.0, 0.5, 2 / 3)),
    ):
        pair = (as_graph(frozenset(map(frozenset, edges)), 3) for edges in (true, learned))
        result = metrics.confusion(*pair)
        assert (result.precision, result.recall, result.f1) == pytest.approx(expected)
    # Edges stand in the order of the true graph.
    result = metrics.confusion(nx.Graph([("b", "a")]), nx.Graph([("a", "b")]))
    assert result.true_positives == {("b", "a")}


def test_graphs_that_do_not_fit_are_refused():
    fine = nx.path_graph(2)
    for call, other, sentence in (
        (metrics.hamming, nx.Graph([(0, "smoking")]), "node 'smoking' is in one graph and not in"),
        (metrics.confusion, nx.path_graph(3), "node '2' is in one graph"),
    ):
        assert_refused(GraphError, sentence, call, other, fine)
    for graph, sentence in (
        (nx.DiGraph([(0, 1)]), "DiGraph; a Markov network is an undirected"),
        (nx.Graph([(0, 0), (0, 1)]), "edge from '0' to itself"),
        (None, "NoneType"),
    ):
        for call, arguments in (
            (metrics.hamming, (fine, graph)),
            (metrics.confusion, (graph, fine)),
            (metrics.total_irregularity, (graph,)),
            (metrics.edge_irregularity, (graph,)),
        ):
            assert_refused(GraphError, sentence, call, *arguments)
