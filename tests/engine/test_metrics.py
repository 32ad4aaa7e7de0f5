"""Hamming distance is a metric, irregularity is what its definition says, a confusion adds up."""

from __future__ import annotations

from itertools import combinations

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bjp_engine import metrics
from bjp_engine.errors import GraphError
from tests.oracles import Edges
from tests.strategies import as_graph, graphs, permutations

N = 6
PAIRS = N * (N - 1) // 2


def slow_irregularity(graph: nx.Graph, pairs: list[tuple[int, int]]) -> int:
    """The definition, pair by pair."""
    return sum(abs(len(graph[u]) - len(graph[v])) for u, v in pairs)


@given(graphs(N), graphs(N), permutations(N))
def test_hamming_counts_the_pairs_that_differ(a: Edges, b: Edges, order: list[int]) -> None:
    shuffled = nx.Graph()
    shuffled.add_nodes_from(order)
    shuffled.add_edges_from(sorted(edge, reverse=True) for edge in b)
    assert metrics.hamming(as_graph(a, N), shuffled) == len(a ^ b)


@given(graphs(N), graphs(N), graphs(N))
def test_hamming_is_a_metric(a: Edges, b: Edges, c: Edges) -> None:
    g, h, k = (as_graph(edges, N) for edges in (a, b, c))
    assert metrics.hamming(g, h) == metrics.hamming(h, g)
    assert (metrics.hamming(g, h) == 0) == (a == b)
    assert metrics.hamming(g, k) <= metrics.hamming(g, h) + metrics.hamming(h, k)
    assert metrics.hamming(g, nx.complement(g)) == PAIRS


@given(graphs(N))
def test_irregularities_are_their_definitions(edges: Edges) -> None:
    graph = as_graph(edges, N)
    total = slow_irregularity(graph, list(combinations(graph, 2)))
    assert metrics.total_irregularity(graph) == total
    assert metrics.edge_irregularity(graph) == slow_irregularity(graph, list(graph.edges))
    # In the complement d becomes n - 1 - d, and differences stay.
    assert metrics.total_irregularity(nx.complement(graph)) == total


def test_no_graph_on_six_nodes_is_more_irregular_than_26() -> None:
    sixes = [graph for graph in nx.graph_atlas_g() if len(graph) == N]
    assert len(sixes) == 156
    assert max(map(metrics.total_irregularity, sixes)) == 26


@given(graphs(N), graphs(N))
def test_confusion_sorts_every_pair_once(true: Edges, learned: Edges) -> None:
    result = metrics.confusion(as_graph(true, N), as_graph(learned, N))
    assert {frozenset(edge) for edge in result.true_positives} == true & learned
    assert {frozenset(edge) for edge in result.false_positives} == learned - true
    assert {frozenset(edge) for edge in result.missing} == true - learned
    assert result.tp + result.fp + result.fn + result.tn == PAIRS
    assert result.hamming == result.fp + result.fn == len(true ^ learned)
    if result.precision + result.recall:
        harmonic = 2 * result.precision * result.recall / (result.precision + result.recall)
        assert result.f1 == pytest.approx(harmonic, abs=1e-15)


@given(graphs(N), graphs(N))
def test_swapping_the_graphs_swaps_the_mistakes(a: Edges, b: Edges) -> None:
    there = metrics.confusion(as_graph(a, N), as_graph(b, N))
    back = metrics.confusion(as_graph(b, N), as_graph(a, N))
    assert (there.fp, there.precision, there.f1) == (back.fn, back.recall, back.f1)


def test_edges_stand_in_the_order_of_the_true_graph() -> None:
    truth, learned = nx.Graph([("b", "a")]), nx.Graph([("a", "b")])
    assert metrics.confusion(truth, learned).true_positives == {("b", "a")}


@pytest.mark.parametrize(
    ("true", "learned", "expected"),
    [
        ([], [], (1.0, 1.0, 1.0)),
        ([(0, 1)], [], (1.0, 0.0, 0.0)),
        ([], [(0, 1)], (0.0, 1.0, 0.0)),
        ([(0, 1), (1, 2)], [(0, 1), (0, 2)], (0.5, 0.5, 0.5)),
        ([(0, 1), (1, 2)], [(0, 1)], (1.0, 0.5, 2 / 3)),
    ],
)
def test_ratios(
    true: list[tuple[int, int]], learned: list[tuple[int, int]], expected: tuple[float, ...]
) -> None:
    result = metrics.confusion(*(as_graph(map(frozenset, edges), 3) for edges in (true, learned)))
    assert (result.precision, result.recall, result.f1) == pytest.approx(expected)


def test_other_nodes_are_named() -> None:
    with pytest.raises(GraphError, match="node 'smoking' is in one graph and not in the other"):
        metrics.hamming(nx.Graph([(0, "smoking")]), nx.Graph([(0, 1)]))
    with pytest.raises(GraphError, match="node '2' is in one graph"):
        metrics.confusion(nx.path_graph(3), nx.path_graph(2))


@pytest.mark.parametrize(
    ("graph", "sentence"),
    [
        (nx.DiGraph([(0, 1)]), "DiGraph; a Markov network is an undirected"),
        (nx.Graph([(0, 0), (0, 1)]), "edge from '0' to itself"),
        (None, "NoneType"),
    ],
)
def test_only_simple_undirected_graphs(graph: nx.Graph, sentence: str) -> None:
    fine = nx.path_graph(2)
    for wrong in (
        lambda: metrics.hamming(fine, graph),
        lambda: metrics.confusion(graph, fine),
        lambda: metrics.total_irregularity(graph),
        lambda: metrics.edge_irregularity(graph),
    ):
        with pytest.raises(GraphError, match=sentence):
            wrong()


@given(st.integers(1, 30))
def test_a_star_and_a_cycle(leaves: int) -> None:
    star, cycle = nx.star_graph(leaves), nx.cycle_graph(leaves + 2)
    assert metrics.total_irregularity(star) == leaves * (leaves - 1)
    assert metrics.edge_irregularity(star) == leaves * (leaves - 1)
    assert metrics.total_irregularity(cycle) == metrics.edge_irregularity(cycle) == 0
