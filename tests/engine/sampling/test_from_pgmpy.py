"""Networks of pgmpy against pgmpy's own tables, multiplied by hand state by state.

pgmpy takes a second to import, so each function that needs it imports it.
"""

import itertools
import math
import sys

import networkx as nx
import numpy as np

import bjp_engine as bjp
from bjp_engine import fit_parameters
from bjp_engine.errors import GraphError, OptionError
from bjp_engine.sampling import Factor, MarkovModel
from tests.refusals import assert_refused

STATES = {"c": ["low", "mid", "high"], "a": ["no", "yes"], "b": ["off", "on"]}


def collider():
    """a -> c <- b, with random tables."""
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    rng = np.random.default_rng(1)
    network = DiscreteBayesianNetwork([("a", "c"), ("b", "c")])
    c = rng.dirichlet([1, 1, 1], 4).T
    network.add_cpds(
        TabularCPD("a", 2, [[0.3], [0.7]], state_names={"a": STATES["a"]}),
        TabularCPD("b", 2, [[0.9], [0.1]], state_names={"b": STATES["b"]}),
        TabularCPD("c", 3, c, ["b", "a"], [2, 2], state_names=STATES),
    )
    return network


def markov():
    """A path whose two factors list the states of a in opposite orders, and a free edge."""
    from pgmpy.factors.discrete import DiscreteFactor
    from pgmpy.models import DiscreteMarkovNetwork

    rng = np.random.default_rng(2)
    network = DiscreteMarkovNetwork([("c", "a"), ("a", "b"), ("b", "c")])
    turned = {"b": STATES["b"], "a": STATES["a"][::-1]}
    network.add_factors(
        DiscreteFactor(["c", "a"], [3, 2], rng.random(6) + 0.1, STATES),
        DiscreteFactor(["b", "a"], [2, 2], rng.random(4) + 0.1, turned),
    )
    return network


def by_hand(network, model):
    """The product of pgmpy's own tables, looked up by label."""
    if hasattr(network, "get_cpds"):
        tables = [cpd.to_factor() for cpd in network.get_cpds()]
    else:
        tables = network.get_factors()
    weights = []
    for labels in itertools.product(*model.labels):
        row = dict(zip(model.names, labels, strict=True))
        weights.append(math.prod(t.get_value(**{v: row[v] for v in t.variables}) for t in tables))
    return (np.array(weights) / math.fsum(weights)).reshape(model.cardinalities)


def test_the_joint_distribution_and_the_graph_are_pgmpys():
    moral = nx.moral_graph(nx.DiGraph([("a", "c"), ("b", "c")]))
    assert moral.has_edge("a", "b")
    for network, graph in ((collider(), moral), (markov(), nx.complete_graph("abc"))):
        model = MarkovModel.from_pgmpy(network)
        np.testing.assert_allclose(model.joint(), by_hand(network, model), rtol=1e-12)
        labels = {n: set(s) for n, s in zip(model.names, model.labels, strict=True)}
        assert labels == {n: set(s) for n, s in STATES.items()}
        assert model.sample(20).labels == model.labels
        assert nx.utils.graphs_equal(model.graph, nx.Graph(graph))


def test_there_and_back():
    data = bjp.read_table("sample_data/datasets/titanic.csv")
    network = fit_parameters(data, nx.cycle_graph(data.names))
    back = MarkovModel.from_pgmpy(network.to_pgmpy())
    assert (back.names, back.labels) == (network.names, network.labels)
    np.testing.assert_allclose(back.joint(), network.model.joint(), rtol=1e-9)


def test_a_deterministic_table_is_sampled_exactly():
    """c is a or b, as in the network asia."""
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    network = DiscreteBayesianNetwork([("a", "c"), ("b", "c")])
    chances = {"a": [0.3, 0.7], "b": [0.9, 0.1]}
    either = TabularCPD("c", 2, [[1, 0, 0, 0], [0, 1, 1, 1]], ["a", "b"], [2, 2])
    network.add_cpds(either, *(TabularCPD(v, 2, [[p], [q]]) for v, (p, q) in chances.items()))
    model = MarkovModel.from_pgmpy(network)
    for state in itertools.product(range(2), repeat=3):
        a, b, c = (state[model.names.index(name)] for name in "abc")
        expected = chances["a"][a] * chances["b"][b] * (c == (a | b))
        assert math.isclose(model.joint()[state], expected, abs_tol=1e-15)
    data = model.sample(2000, method="exact")
    a, b, c = (data.codes[:, data.index(name)] for name in "abc")
    assert np.array_equal(c, a | b)
    assert abs(a.mean() - 0.7) < 5 * math.sqrt(0.21 / 2000)
    assert_refused(OptionError, "use method='exact'", model.sample, 10)
    # Zeros that leave nothing.
    never = MarkovModel((0,), (2,), (Factor((0,), np.full(2, -np.inf)),))
    assert_refused(GraphError, "no joint state possible", never.sample, 5, method="exact")


def test_wrong_networks(monkeypatch):
    from pgmpy.factors.discrete import DiscreteFactor
    from pgmpy.models import DiscreteBayesianNetwork, DiscreteMarkovNetwork

    below = DiscreteMarkovNetwork([("a", "b")])
    below.add_factors(DiscreteFactor(["a", "b"], [2, 2], [1.0, -1.0, 1.0, 1.0]))
    make = MarkovModel.from_pgmpy
    assert_refused(OptionError, "network is a Graph; give pgmpy's", make, nx.Graph())
    assert_refused(GraphError, "incomplete", make, DiscreteBayesianNetwork([("a", "b")]))
    assert_refused(GraphError, "table of 'a, b' holds a weight", make, below)
    monkeypatch.setitem(sys.modules, "pgmpy.models", None)
    assert_refused(OptionError, r"pip install 'bjp-explorer\[pgmpy\]'", make, None)
