"""Networks of pgmpy against pgmpy's own tables, multiplied by hand state by state."""

import itertools
import math
import sys

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine import fit_parameters
from bjp_engine.errors import GraphError, OptionError
from bjp_engine.sampling import Factor, MarkovModel

pytest.importorskip("pgmpy")
from pgmpy.factors.discrete import DiscreteFactor, TabularCPD
from pgmpy.models import DiscreteBayesianNetwork, DiscreteMarkovNetwork

STATES = {"c": ["low", "mid", "high"], "a": ["no", "yes"], "b": ["off", "on"]}


def collider() -> DiscreteBayesianNetwork:
    """a -> c <- b, with random tables."""
    rng = np.random.default_rng(1)
    network = DiscreteBayesianNetwork([("a", "c"), ("b", "c")])
    c = rng.dirichlet([1, 1, 1], 4).T
    network.add_cpds(
        TabularCPD("a", 2, [[0.3], [0.7]], state_names={"a": STATES["a"]}),
        TabularCPD("b", 2, [[0.9], [0.1]], state_names={"b": STATES["b"]}),
        TabularCPD("c", 3, c, ["b", "a"], [2, 2], state_names=STATES),
    )
    return network


def markov() -> DiscreteMarkovNetwork:
    """A path whose two factors list the states of a in opposite orders, and a free edge."""
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
    tables = (
        [cpd.to_factor() for cpd in network.get_cpds()]
        if isinstance(network, DiscreteBayesianNetwork)
        else network.get_factors()
    )
    rows = [
        dict(zip(model.names, labels, strict=True)) for labels in itertools.product(*model.labels)
    ]
    weights = np.array(
        [math.prod(t.get_value(**{v: row[v] for v in t.variables}) for t in tables) for row in rows]
    )
    return (weights / weights.sum()).reshape(model.cardinalities)


def either() -> DiscreteBayesianNetwork:
    """c is a or b, as in the network asia: a deterministic table."""
    network = DiscreteBayesianNetwork([("a", "c"), ("b", "c")])
    network.add_cpds(
        TabularCPD("a", 2, [[0.3], [0.7]]),
        TabularCPD("b", 2, [[0.9], [0.1]]),
        TabularCPD("c", 2, [[1, 0, 0, 0], [0, 1, 1, 1]], ["a", "b"], [2, 2]),
    )
    return network


def test_a_deterministic_table_is_sampled_exactly() -> None:
    network = either()
    model = MarkovModel.from_pgmpy(network)
    chances = {"a": [0.3, 0.7], "b": [0.9, 0.1]}
    for state in itertools.product(range(2), repeat=3):
        a, b, c = (state[model.names.index(name)] for name in "abc")
        expected = chances["a"][a] * chances["b"][b] * (c == (a | b))
        assert math.isclose(model.joint()[state], expected, abs_tol=1e-15)
    data = model.sample(2000, method="exact")
    a, b, c = (data.codes[:, data.index(name)] for name in "abc")
    assert np.array_equal(c, a | b)
    assert abs(a.mean() - 0.7) < 5 * math.sqrt(0.21 / 2000)
    with pytest.raises(OptionError, match="use method='exact'"):
        model.sample(10)


def test_zeros_that_leave_nothing() -> None:
    never = Factor((0,), np.full(2, -np.inf))
    with pytest.raises(GraphError, match="no joint state possible"):
        MarkovModel((0,), (2,), (never,)).sample(5, method="exact")


@pytest.mark.parametrize("make", [collider, markov])
def test_the_joint_distribution_is_pgmpys(make) -> None:
    network = make()
    model = MarkovModel.from_pgmpy(network)
    np.testing.assert_allclose(model.joint(), by_hand(network, model), rtol=1e-12)
    assert {n: set(s) for n, s in zip(model.names, model.labels, strict=True)} == {
        n: set(s) for n, s in STATES.items()
    }
    assert model.sample(20).labels == model.labels


def test_the_graph_is_the_moral_graph() -> None:
    network = collider()
    graph = MarkovModel.from_pgmpy(network).graph
    assert nx.utils.graphs_equal(graph, nx.Graph(nx.moral_graph(nx.DiGraph(network.edges))))
    assert graph.has_edge("a", "b")
    assert MarkovModel.from_pgmpy(markov()).graph.has_edge("b", "c")


def test_there_and_back() -> None:
    data = bjp.read_table("sample_data/datasets/titanic.csv")
    network = fit_parameters(data, nx.cycle_graph(data.names))
    back = MarkovModel.from_pgmpy(network.to_pgmpy())
    assert back.names == network.names
    assert back.labels == network.labels
    np.testing.assert_allclose(back.joint(), network.model.joint(), rtol=1e-9)


def test_wrong_networks() -> None:
    with pytest.raises(OptionError, match="network is a Graph; give pgmpy's"):
        MarkovModel.from_pgmpy(nx.Graph())
    with pytest.raises(GraphError, match="incomplete"):
        MarkovModel.from_pgmpy(DiscreteBayesianNetwork([("a", "b")]))
    below = DiscreteMarkovNetwork([("a", "b")])
    below.add_factors(DiscreteFactor(["a", "b"], [2, 2], [1.0, -1.0, 1.0, 1.0]))
    with pytest.raises(GraphError, match="table of 'a, b' holds a weight"):
        MarkovModel.from_pgmpy(below)


def test_without_pgmpy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pgmpy.models", None)
    with pytest.raises(OptionError, match=r"pip install 'bjp-explorer\[pgmpy\]'"):
        MarkovModel.from_pgmpy(None)
