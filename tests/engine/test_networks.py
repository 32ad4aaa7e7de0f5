"""The 21 benchmark networks against docs/theory.md §5 and 6, and how graphs are compared."""

import networkx as nx
import pytest
from hypothesis import given

from bjp_engine import metrics, networks
from bjp_engine.errors import GraphError, OptionError
from tests import oracles
from tests.refusals import assert_refused
from tests.strategies import as_graph, graphs, permutations

N = 6

# docs/theory.md §6, letter by letter.
TARGETS = """
    target-1 0-1 1-2 2-3 3-4 4-5 0-5; target-2 0-2 0-5 1-3 1-4 2-3 3-4 3-5;
    target-3 0-1 0-2 0-3 0-4 1-4 2-3 3-5; target-4 0-1 0-2 0-3 0-4 0-5;
    target-5 0-4 1-3 1-4 2-3 2-4 3-4 4-5; target-6 0-1 0-2 0-3 0-4 0-5 1-2 1-3 2-3;
    appendix-b 0-1 0-2 0-3
"""

# Name: nodes, edges, total irregularity, edge irregularity. The total irregularities of targets,
# karate and dolphins and the edge irregularity of karate are those of docs/theory.md §5 and §6;
# the others pin the files and the fixed seeds.
TABLE = """
    target-1 6 6 0 0; target-2 6 7 10 8; target-3 6 7 18 10; target-4 6 5 20 20;
    target-5 6 7 26 18; target-6 6 8 26 14; hub-1 16 15 196 98; hub-2 32 31 844 212;
    hub-3 64 63 3484 436; hub-4 128 127 14140 884; scale-free-1 16 15 154 34;
    scale-free-2 32 31 784 162; scale-free-3 64 63 3322 406; scale-free-4 128 127 13260 816;
    karate 34 78 2044 608; curtis-54 54 124 3140 360; will-57 57 127 4156 356;
    dolphins 62 159 6408 498; polbooks 105 441 30374 3674; adj-noun 112 425 39728 5142;
    appendix-b 4 3 6 6
"""
SIZES = {name: tuple(map(int, sizes)) for name, *sizes in map(str.split, TABLE.split(";"))}


def test_names_and_sizes_are_those_of_the_specification():
    assert networks.names() == tuple(SIZES)
    for name, sizes in SIZES.items():
        graph = networks.load(name)
        found = len(graph), graph.number_of_edges(), metrics.total_irregularity(graph)
        assert found == sizes[:3], name
        # Connected, simple and in order.
        assert (list(graph), {*map(type, graph)}) == (list(range(len(graph))), {int})
        assert nx.is_connected(graph), name
        assert (nx.number_of_selfloops(graph), metrics.edge_irregularity(graph)) == (0, sizes[3])
        about = graph.graph
        assert about["name"] == name
        assert about["reconstructed"] == name.startswith(("target", "hub", "scale-free"))
        assert about["reconstructed"] == ("reconstruction" in about["description"])
    # A loaded network is the caller's own.
    networks.load("karate").clear()
    assert networks.load("karate").number_of_edges() == 78


def test_small_networks_have_the_specified_edges_and_shapes():
    for name, *edges in map(str.split, TARGETS.split(";")):
        expected = {tuple(map(int, edge.split("-"))) for edge in edges}
        assert set(networks.load(name).edges) == expected, name
    for k in (1, 2, 3, 4):
        graph = networks.load(f"hub-{k}")
        hubs = [node for node in graph if graph.degree(node) > 1]
        assert len(hubs) == len(graph) // 8
        assert all(sum(graph.degree(v) == 1 for v in graph[hub]) == 7 for hub in hubs)
        assert nx.is_isomorphic(graph.subgraph(hubs), nx.path_graph(len(hubs)))
        for seed in (0, 7):
            drawn = networks.load(f"scale-free-{k}", seed=seed)
            assert nx.utils.edges_equal(
                drawn.edges, nx.barabasi_albert_graph(len(drawn), 1, seed).edges
            )
    graph, known = networks.load("karate"), nx.karate_club_graph()
    assert set(graph.edges) == set(known.edges)
    assert nx.get_node_attributes(graph, "club") == nx.get_node_attributes(known, "club")


def test_labels_change_names_only():
    # They come from the names file where there is one.
    first = {"dolphins": "Beak", "polbooks": "1000 Years for Revenge", "adj-noun": "agreeable"}
    for name in SIZES:
        graph, labelled = networks.load(name), networks.load(name, labelled=True)
        labels = list(labelled)
        assert {*map(type, labels)} == {str}
        expected = nx.relabel_nodes(graph, dict(zip(graph, labels, strict=True)))
        assert nx.utils.graphs_equal(labelled, expected), name
        assert labels[0] == first.get(name, "X0")


def test_wrong_names_are_answered():
    for name, sentence in (
        ("Karate", "no network 'Karate'; the closest names are karate"),
        ("dolphin", "closest names are dolphins"),
        ("zzz", "choose one of target-1, .*appendix-b"),
        (None, "no network 'None'; choose one of target-1, .*appendix-b"),
    ):
        assert_refused(OptionError, sentence, networks.load, name)
    assert_refused(OptionError, "'karate' is fixed", networks.load, "karate", seed=1)


@given(graphs(N))
def test_irregularities_are_their_definitions(edges):
    graph = as_graph(edges, N)
    assert metrics.edge_irregularity(graph) == oracles.edge_irregularity(edges)
    # In the complement d becomes n - 1 - d, and differences stay.
    for each in (graph, nx.complement(graph)):
        assert metrics.total_irregularity(each) == oracles.total_irregularity(edges, N)


def test_no_graph_on_six_nodes_is_more_irregular_than_the_paper_says():
    sixes = [graph for graph in nx.graph_atlas_g() if len(graph) == N]
    assert (len(sixes), max(map(metrics.total_irregularity, sixes))) == (156, 26)


@given(graphs(N), graphs(N), permutations(N))
def test_confusion_counts_edges_of_both_and_of_one(true, learned, order):
    shuffled = nx.Graph()
    shuffled.add_nodes_from(order)
    shuffled.add_edges_from(sorted(edge, reverse=True) for edge in learned)
    assert metrics.hamming(as_graph(true, N), shuffled) == len(true ^ learned)
    result = metrics.confusion(as_graph(true, N), as_graph(learned, N))
    expected = len(true & learned), len(learned - true), len(true - learned)
    assert (result.tp, result.fp, result.fn) == expected
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


def test_graphs_that_do_not_fit_are_refused():
    fine, other = nx.path_graph(2), nx.Graph([(0, "smoking")])
    said = "node 'smoking' is in one graph and not in"
    assert_refused(GraphError, said, metrics.hamming, other, fine)
    assert_refused(GraphError, "node '2' is in one", metrics.confusion, nx.path_graph(3), fine)
    for graph, sentence in (
        (nx.DiGraph([(0, 1)]), "DiGraph; a Markov network is an undirected"),
        (nx.Graph([(0, 0), (0, 1)]), "edge from '0' to itself"),
        (None, "NoneType"),
    ):
        for call in (metrics.total_irregularity, metrics.edge_irregularity):
            assert_refused(GraphError, sentence, call, graph)
        for call in (metrics.hamming, metrics.confusion):
            assert_refused(GraphError, sentence, call, fine, graph)
            assert_refused(GraphError, sentence, call, graph, fine)
