"""Graphs come in any form that networkx takes, seeds in any that numpy takes."""

import json
from functools import partial

import networkx as nx
import numpy as np
import pytest
from scipy import sparse

import bjp_engine as bjp
from bjp_engine import confidence, independence, io, metrics, parameters, sampling
from bjp_engine.errors import DataError, GraphError, OptionError
from bjp_engine.planning import draw_rows
from tests.contracts.recipes import case
from tests.contracts.test_any_data import ROWS, content
from tests.refusals import assert_refused

# Names whose texts are the positions of others.
NAMES = ("3", "1", "0", "x")
DATA = bjp.Dataset.from_codes(ROWS // [1, 1, 3, 1], names=NAMES)
GRAPH = nx.Graph([("3", "1"), ("1", "0")])
GRAPH.add_node("x")
FITTED = parameters.fit_parameters(DATA, GRAPH)
FRAME = DATA.to_frame().mask(np.random.default_rng(0).random(ROWS.shape) < 0.1)


def forms():
    """The graph, by every form that networkx takes."""
    matrix = nx.to_numpy_array(GRAPH, nodelist=NAMES)
    return {
        "edges": list(GRAPH.edges),
        "lists": [list(edge) for edge in GRAPH.edges],
        "a view": GRAPH.edges,
        "a generator": (edge for edge in GRAPH.edges),
        "dict of lists": nx.to_dict_of_lists(GRAPH),
        "dict of dicts": nx.to_dict_of_dicts(GRAPH),
        "floats": matrix,
        "truth values": matrix.astype(bool),
        "sparse": sparse.csr_array(matrix),
        "a frame": nx.to_pandas_adjacency(GRAPH),
        "several edges": nx.MultiGraph([*GRAPH.edges, *GRAPH.edges]),
        "numbers": nx.relabel_nodes(GRAPH, {"3": 3, "1": 1, "0": 0}),
        "read from CSV": io.read_graph(io.graph_bytes(GRAPH, "csv"), "csv"),
    }


TAKE_GRAPHS = {
    "score": lambda graph: bjp.score(DATA, graph),
    "fit_parameters": lambda graph: parameters.fit_parameters(DATA, graph).log_probability(DATA),
    "predict_variables": lambda graph: parameters.predict_variables(DATA, graph, 2),
}
NAMED = {
    "start": lambda graph: bjp.learn(DATA, start=graph, search="ibmap-hc").graph.edges,
    "known": lambda graph: bjp.learn(DATA, known=graph).graph.edges,
    "required": lambda graph: bjp.learn(DATA, known=bjp.scores.KnownEdges(graph)).graph.edges,
}


def test_every_form_of_a_graph_gives_what_the_graph_gives():
    for name, call in TAKE_GRAPHS.items():
        wanted = content(call(GRAPH))
        for form, graph in forms().items():
            with case(f"{name}, {form}"):
                assert content(call(graph)) == wanted
    for name, call in NAMED.items():
        wanted = set(map(frozenset, call(GRAPH)))
        for form in ("edges", "lists", "dict of lists", "read from CSV"):
            with case(f"{name}, {form}"):
                assert set(map(frozenset, call(forms()[form]))) == wanted
    # Where there are no data, rows of a matrix are numbered.
    for form in ("floats", "sparse"):
        graph = forms()[form]
        assert metrics.edge_irregularity(graph) == metrics.edge_irregularity(GRAPH)
        assert set(sampling.random_model(graph).graph.edges) == {(0, 1), (1, 2)}
        assert bjp.plan_rows(graph, (50,), strength=1.0, samples=2).edges == 2
    # Names that read the same are the same, of effects and of two graphs, too.
    numbered = bjp.Dataset.from_codes(DATA.codes)
    network = parameters.fit_parameters(numbered, [(0, 1), (1, 2)])
    effects = network.effects(resamples=3)
    read = io.read_graph(io.graph_bytes(network.graph, "csv"), "csv")
    for graph in (read, network.graph):
        known = io.graph_bytes(graph, "json", bjp.edge_probabilities(numbered), effects=effects)
        assert json.loads(known)["effect"] == effects["effect"].tolist()
    assert metrics.hamming(network.graph, read) == metrics.hamming(read, network.graph) == 0


def test_what_is_no_graph_is_said_in_a_sentence():
    matrix, no_graph = nx.to_numpy_array(GRAPH), "of which networkx makes no graph"
    for graph, about in (
        *((one, no_graph) for one in ("3-1", 5, None, [(1, 2, 3)], matrix[:3])),
        (matrix[:3, :3], "matrix has 3 rows for 4 variables"),
        (np.triu(matrix), "not symmetric"),
        (np.eye(4), "to itself"),
        (nx.DiGraph(GRAPH), "type DiGraph; a Markov network is an undirected"),
        ([("3", "1 ")], "node '1 ' is not one of the 4 variables '3', '1', '0', 'x'"),
        ([("3", "x\u200b")], r"node 'x\\u200b' is not one of"),
        ([("3", "1"), ("1", 1)], "Two nodes of the graph stand for one variable"),
    ):
        for call in (bjp.score, parameters.fit_parameters):
            assert_refused(GraphError, about, call, DATA, graph)
    assert_refused(OptionError, "^start=", NAMED["start"], matrix)


PAIR = {"a": DATA, "b": DATA}
SEEDED = [
    partial(sampling.random_model(GRAPH).sample, 30),
    partial(sampling.random_model(GRAPH).sample, 30, method="gibbs"),
    partial(sampling.random_model, GRAPH),
    partial(draw_rows, FITTED.model, 20, k=3),
    partial(FITTED.query, "x", method="gibbs", rows=100),
    partial(FITTED.effects, resamples=3),
    partial(parameters.predict_variables, DATA, GRAPH, 2),
    partial(parameters.impute, FRAME, 2, rounds=1),
    partial(confidence.bootstrap, DATA, resamples=3),
    partial(confidence.drop_cases, DATA, dropped=[0.3], repeats=20),
    partial(confidence.shuffle_columns, DATA),
    partial(bjp.compare_groups, DATA, DATA, permutations=2),
    partial(confidence.compare_all_groups, PAIR, permutations=2),
    partial(independence.subsample, DATA, 20),
    partial(independence.posterior_growth, DATA, 0, 1, [()], [9]),
    partial(bjp.plan_rows, GRAPH, (60,), strength=1.0, samples=2),
    partial(bjp.learn, DATA, search="restarts"),
]


def test_a_seed_is_a_number_or_a_generator():
    for call in SEEDED:

        def made(seed, call=call):
            return content(call(seed=seed))

        with case(call):
            assert made(7) == made(np.int64(7))
            # Drawn from: two calls take two numbers, and those repeat.
            first, again = np.random.default_rng(5), np.random.default_rng(5)
            assert [made(first) for _ in range(2)] == [made(again) for _ in range(2)]
            for bad in (-1, "7", None, 1.5, [1, 2], True):
                assert_refused(OptionError, "seed", call, seed=bad)


def test_a_dataset_is_a_table_of_codes():
    same = bjp.Dataset.from_codes(DATA.codes.copy(), names=NAMES)
    assert (len(DATA), DATA.shape, len({DATA, same}), same == DATA) == (120, (120, 4), 1, True)
    assert DATA not in (DATA.take(range(119)), DATA.codes.tolist(), None)
    assert np.array_equal(np.asarray(DATA), DATA.codes)
    assert np.asarray(DATA, dtype=float).dtype == float
    # A copy may be changed.
    np.array(DATA)[0] = 0
    # A mask has a truth value for each row.
    mask = DATA.codes[:, 0] == 1
    assert len(DATA.take(mask)) == mask.sum()
    for wrong in (mask[:-1], [True, False], np.zeros(0, dtype=bool), np.append(mask, True)):
        assert_refused(DataError, "or 120 truth values, one per row", DATA.take, wrong)


@pytest.mark.filterwarnings("error")
def test_a_single_column_and_the_least_prior():
    about = "Series, of which Arrow makes no table; give a DataFrame"
    for call in (bjp.learn, bjp.edge_probabilities, bjp.BlanketLearner().fit):
        assert_refused(DataError, about, call, FRAME["x"])
    for prior in (5e-324, 1e-310, 1e-300, 1 - 2**-53):
        for method in ("bjp", "ib", "near"):
            assert np.isfinite(bjp.learn(DATA, method, prior=prior).score), (method, prior)
