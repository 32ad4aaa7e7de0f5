"""Samplers against the exact joint, a slow Gibbs sampler, and the theorem behind the models.

pgmpy takes a second to import, so each function that needs it imports it.
"""

import re
import sys
import warnings
from itertools import combinations, product
from math import exp, fsum, log, prod, sqrt

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine import fit_parameters, networks
from bjp_engine.dataset import Dataset
from bjp_engine.errors import DataError, GraphError, OptionError
from bjp_engine.sampling import Factor, MarkovModel, gibbs, random_model
from tests.refusals import assert_refused
from tests.strategies import as_graph, graphs

KINDS = ("clique-log-weights", "clique-potentials", "log-odds")
# A triangle with a tail and a loner: cliques of three, two and one node.
MIXED = nx.Graph([(0, 1), (0, 2), (1, 2), (2, 3)])
MIXED.add_node(4)
MIXED_STATES = (2, 3, 2, 4, 3)
STATES = {"c": ["low", "mid", "high"], "a": ["no", "yes"], "b": ["off", "on"]}
EVERY = list(product(KINDS, (2, MIXED_STATES)))


def slow_weight(model, row):
    return sum(float(f.log_table[tuple(row[i] for i in f.variables)]) for f in model.factors)


def plain_conditional(model, v, state):
    """Masses of v's states given the others, with the arithmetic in the order that makes the bits.

    Log weights are added factor by factor, the heaviest state has mass 1.
    """
    weights = [0.0] * model.cardinalities[v]
    for factor in model.factors:
        if v in factor.variables:
            for s in range(len(weights)):
                place = tuple(s if i == v else state[i] for i in factor.variables)
                weights[s] += float(factor.log_table[place])
    return [exp(weight - max(weights)) for weight in weights]


def plain_gibbs(model, rows, seed, burn_in, sweeps):
    """Gibbs sampling without a table, a block or a compiler: every row, bit for bit."""
    out = []
    for stream in np.random.SeedSequence(seed).spawn(-(-rows // sweeps)):
        generator = np.random.default_rng(stream)
        state = generator.integers(0, model.cardinalities).tolist()
        for sweep in range(burn_in + sweeps):
            for v, uniform in enumerate(generator.random(len(state)).tolist()):
                masses = plain_conditional(model, v, state)
                total = 0.0
                for mass in masses:
                    total += mass
                target, reached, state[v] = uniform * total, masses[0], 0
                while reached <= target and state[v] < len(masses) - 1:
                    state[v] += 1
                    reached += masses[state[v]]
            if sweep >= burn_in:
                out.append(list(state))
    return out[:rows]


def test_joint_and_log_weight_are_the_product_of_factors():
    for kind, states in EVERY:
        model = random_model(MIXED, kind, seed=3, states=states)
        joint, rows = model.joint(), list(product(*map(range, model.cardinalities)))
        assert (joint.shape, joint.sum()) == (model.cardinalities, pytest.approx(1, abs=1e-14))
        weights = np.array([slow_weight(model, row) for row in rows])
        np.testing.assert_allclose(model.log_weight(rows), weights, rtol=1e-12, atol=1e-14)
        expected = np.exp(weights) / np.exp(weights).sum()
        np.testing.assert_allclose(joint.ravel(), expected, rtol=1e-12)
    assert_refused(DataError, "code -1", model.log_weight, [[0, 0, 0, 0, -1]])


def test_weights_are_drawn_clique_by_clique_in_sorted_order():
    cliques = [(0, 1, 2), (2, 3), (4,)]
    generator = np.random.default_rng(11)
    uniforms = [generator.random([MIXED_STATES[i] for i in clique]) for clique in cliques]
    for kind, table_of in (("clique-log-weights", np.exp), ("clique-potentials", lambda u: 1 - u)):
        model = random_model(MIXED, kind, 11, states=MIXED_STATES)
        assert [factor.variables for factor in model.factors] == cliques
        for factor, u in zip(model.factors, uniforms, strict=True):
            np.testing.assert_allclose(np.exp(factor.log_table), table_of(u), rtol=1e-12)
    # The order of cliques does not hang on how they were found.
    graph = networks.load("karate", labelled=True)
    cliques = [factor.variables for factor in random_model(graph).factors]
    found = [tuple(sorted(map(list(graph).index, c))) for c in nx.find_cliques(graph)]
    assert cliques == sorted(found) != found
    # Epsilon is the log odds ratio of an edge.
    for epsilon in (-3.0, 0.0, 2.7):
        p = random_model(nx.path_graph(2), "log-odds", epsilon=epsilon).joint()
        assert log(p[0, 0] * p[1, 1] / (p[0, 1] * p[1, 0])) == pytest.approx(epsilon, abs=1e-12)


@given(graphs(5), st.sampled_from(EVERY), st.integers(0, 99))
def test_the_joint_factorises_on_the_graph(edges, case, seed):
    """Hammersley and Clifford: p(x, y, z) p(z) = p(x, z) p(y, z), exactly."""
    (kind, states), graph = case, as_graph(edges, 5)
    model = random_model(graph, kind, seed, states=states)
    assert list(model.graph) == list(graph)
    assert nx.utils.graphs_equal(model.graph, graph)
    joint = model.joint()
    for i, j in combinations(range(5), 2):
        p_z = joint.sum(axis=(i, j), keepdims=True)
        gap = joint * p_z - joint.sum(axis=j, keepdims=True) * joint.sum(axis=i, keepdims=True)
        if frozenset((i, j)) in edges:
            assert np.abs(gap).max() > 1e-12
        else:
            np.testing.assert_allclose(gap, 0, atol=1e-12)


def test_strong_interactions_stay_finite_and_without_edges_there_is_noise():
    model = random_model(nx.complete_graph(4), "log-odds", epsilon=2000.0)
    assert model.joint()[0, 0, 0, 0] == pytest.approx(0.5)
    rows = model.sample(2000, method="gibbs", burn_in=1, sweeps=1).codes
    assert (rows == rows[:, :1]).all()
    assert 0.4 < rows[:, 0].mean() < 0.6
    for model in (random_model(nx.empty_graph(3), "log-odds"), MarkovModel((0, 1), (2, 3), ())):
        assert model.factors == ()
        np.testing.assert_allclose(model.joint(), 1 / model.joint().size)
        assert model.sample(5, method="gibbs", burn_in=0).rows == 5


MASSES = (0, 40, 1 << 20)  # no table, some of them, all of them


def test_tables_and_blocks_make_no_difference(monkeypatch):
    # Factors that share all variables, one of a single variable, and variables of one state.
    shared = Factor((0, 1, 2), np.sin(np.arange(6.0)).reshape(2, 1, 3))
    single = Factor((2,), np.array([0.1, 0.7, 0.2]))
    factors = (Factor((0, 2), np.arange(6.0).reshape(2, 3) / 7), single, shared)
    # Weights whose sum overflows.
    heavy = Factor((0, 1), np.eye(2) * 1e308)
    models = {
        "star": random_model(nx.star_graph(30), "log-odds", epsilon=0.5),
        "karate": random_model(networks.load("karate"), "clique-potentials", seed=3),
        "many states": random_model(nx.path_graph(4), seed=4, states=[2, 300, 3, 40]),
        "strong": random_model(nx.cycle_graph(5), "log-odds", epsilon=2e3, states=[2, 3, 4, 5, 2]),
        "by hand": MarkovModel(("a", "b", "c", "d"), (2, 1, 3, 1), factors),
        "overflow": MarkovModel((0, 1), (2, 2), (heavy, heavy)),
    }
    monkeypatch.setattr(gibbs, "READS", 0)
    for (name, model), (burn_in, sweeps) in product(models.items(), ((2, 10), (0, 1))):
        expected = plain_gibbs(model, 25, 6, burn_in, sweeps)
        # Of uniforms, one at a time, a sweep and more, or as usual.
        for masses, block in product(MASSES, (1, 7 * len(model.names), gibbs.BLOCK)):
            with monkeypatch.context() as patch:
                patch.setattr(gibbs, "MAX_MASSES", masses)
                patch.setattr(gibbs, "BLOCK", block)
                rows = model.sample(25, 6, "gibbs", burn_in=burn_in, sweeps=sweeps).codes
            assert rows.tolist() == expected, (name, sweeps, masses, block)


def chi_square(counts, shares):
    """The statistic of counts against shares, less its mean, in standard deviations."""
    observed, expected = counts[shares > 0], shares[shares > 0] * counts.sum()
    statistic, degrees = ((observed - expected) ** 2 / expected).sum(), len(expected) - 1
    return (statistic - degrees) / sqrt(2 * degrees)


def test_rows_fit_the_joint(monkeypatch):
    rows = 20_000
    # With zeros, too.
    either = np.array([[0.0, -np.inf], [-0.5, -0.5], [-np.inf, 0.0]])
    models = {kind: random_model(MIXED, kind, seed=4, states=MIXED_STATES) for kind in KINDS}
    models |= {"collider": MarkovModel.from_pgmpy(collider())}
    models |= {"zeros": MarkovModel((0, 1, 2), (3, 2, 3), (Factor((0, 1), either),) * 2)}
    for name, model in models.items():
        joint = model.joint()
        drawn = {"joint": model.sample(rows, seed=2, method="exact")}
        with monkeypatch.context() as patch:
            patch.setattr("bjp_engine.sampling.MAX_JOINT_STATES", 1)
            drawn["tree"] = model.sample(rows, seed=3)
        if joint.all():
            # A chain for each row, so that rows are independent.
            drawn["gibbs"] = model.sample(rows, 2, "gibbs", burn_in=50, sweeps=1)
        else:
            assert_refused(OptionError, "use method='exact'", model.sample, 10, method="gibbs")
        for how, data in drawn.items():
            cells = np.ravel_multi_index(tuple(data.codes.T), joint.shape)
            counts = np.bincount(cells, minlength=joint.size)
            assert not counts[joint.ravel() == 0].any(), (name, how)
            # χ² is skewed: 6 of its deviations are rarer than one in ten thousand.
            assert chi_square(counts, joint.ravel()) < 6, (name, how)
    for n in (1, 30):
        never = MarkovModel(tuple(range(n)), (2,) * n, (Factor((0,), np.full(2, -np.inf)),))
        assert_refused(GraphError, "no joint state possible", never.sample, 5)


def test_rows_of_a_long_ring_fit_the_powers_of_its_matrix():
    n, rows = 40, 20_000
    table = np.random.default_rng(5).normal(size=(3, 3))
    factors = [Factor((k, k + 1), table) for k in range(n - 1)]
    factors.append(Factor((0, n - 1), table.T))
    ring = MarkovModel(tuple(range(n)), (3,) * n, tuple(factors))
    codes = ring.sample(rows, seed=1).codes.astype(int)
    for one, gap in ((0, 1), (7, 2), (11, 20), (39, 3)):
        there, back = (np.linalg.matrix_power(np.exp(table), k) for k in (gap, n - gap))
        pair = (there * back.T).ravel()
        counts = np.bincount(codes[:, one] * 3 + codes[:, (one + gap) % n], minlength=9)
        assert chi_square(counts, pair / pair.sum()) < 6, (one, gap)
    assert (ring.sample(700, seed=1).codes == codes[:700]).all()
    assert (ring.sample(700, seed=1, method="exact").codes == codes[:700]).all()


def test_chains_that_disagree_are_named_with_a_number():
    def sentences(model, *arguments, **options):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            codes = model.sample(*arguments, **options).codes
        return codes, [str(one.message) for one in caught]

    # Near copies, 99 % alike, of a variable that is 1 in 90 %: the default is exact.
    copies = (Factor((0, k), np.log([[0.99, 0.01], [0.01, 0.99]])) for k in range(1, 25))
    copies = MarkovModel(tuple(range(25)), (2,) * 25, (Factor((0,), np.log([0.1, 0.9])), *copies))
    codes, said = sentences(copies, 10_000, 3)
    assert abs(codes[:, 0].mean() - 0.9) < 5 * sqrt(0.09 / 10_000)
    assert not said
    # Where it can't be: a complete graph of 40, which one start in two leads to either end.
    dense = random_model(nx.complete_graph(40), "log-odds")
    for name, model, arguments in (
        ("explicit", copies, (5000, 3, "gibbs")),
        ("dense", dense, (5000, 1)),
        ("few rows", dense, (10, 1)),
    ):
        _, (sentence,) = sentences(model, *arguments)
        (ratio,) = re.findall(r"R̂ = ([\d.]+|inf),", sentence)
        assert float(ratio) > 1.2, name
    # Silent where chains mix, and where they are too short to be compared.
    for model, options in (
        (random_model(nx.complete_graph(40), "log-odds", epsilon=0.02), {}),
        (random_model(networks.load("adj-noun")), {}),
        (dense, {"sweeps": 199}),
    ):
        for rows in (50, 3000):
            assert not sentences(model, rows, method="gibbs", **options)[1], (rows, options)


def test_a_shorter_sample_begins_a_longer_one_and_is_a_dataset_on_the_nodes():
    model = random_model(MIXED, seed=7, states=MIXED_STATES)
    for method in ("gibbs", "exact"):
        long, other = (model.sample(2500, seed=k, method=method) for k in (3, 4))
        assert long.digest != other.digest
        assert (model.sample(1200, seed=3, method=method).codes == long.codes[:1200]).all()
    graph = nx.Graph([("smoking", 7), (7, "β")])
    data = random_model(graph, states=[2, 300, 3]).sample(10)
    assert isinstance(data, Dataset)
    assert (data.names, data.cardinalities, data.rows) == (("smoking", 7, "β"), (2, 300, 3), 10)
    assert random_model(networks.load("polbooks")).sample(1500).codes.shape == (1500, 105)
    assert random_model(nx.Graph([(np.int64(0), np.int64(1))])).names == (0, 1)
    # Models cannot be changed.
    table = np.zeros((2, 2))
    factor = Factor((0, 1), table)
    table[:] = 1
    assert not factor.log_table.any()
    with pytest.raises(ValueError, match="read-only"):
        factor.log_table[0, 0] = 1


def test_wrong_arguments_are_named():
    path, make = nx.path_graph(3), random_model
    sample, dense = make(path).sample, make(networks.load("adj-noun"))
    for call, arguments, sentence in (
        (sample, {"rows": 0}, "rows=0 must be a whole number, 1 or more"),
        (sample, {"rows": 5, "burn_in": -1}, "burn_in=-1"),
        (sample, {"rows": 5, "sweeps": 0}, "sweeps=0"),
        (sample, {"rows": 5, "method": "forward"}, "use one of 'gibbs', 'exact'"),
        (sample, {"rows": 10**9}, "more than 100000000 cells"),
        (sample, {"rows": 10**6, "method": "gibbs", "burn_in": 10**6}, "would run for minutes"),
        (sample, {"rows": 10**7, "method": "gibbs", "sweeps": 1}, "would run for minutes"),
        (dense.sample, {"rows": 10, "method": "exact"}, "1,048,576 cells; use method='gibbs'"),
        (dense.joint, {}, r"10\^34 joint states"),
        (make, {"weights": "ising"}, "weights='ising' is not known"),
        (make, {"states": 1}, "states=1 must be a whole number, 2 or more"),
        (make, {"states": [2, 2]}, "states has 2 entries for 3 nodes"),
        (make, {"epsilon": 2.0}, "only for weights='log-odds'"),
        (make, {"weights": "log-odds", "epsilon": float("nan")}, "epsilon=nan is not finite"),
        (make, {"states": 3000}, "need more than 4194304 weights"),
        (make, {"graph": nx.grid_2d_graph(2, 2)}, "graph holds .* not a column name"),
    ):
        given_ = {"graph": path} if call is make and "graph" not in arguments else {}
        assert_refused(OptionError, sentence, call, **given_, **arguments)
    for graph, sentence in (
        (nx.DiGraph([(0, 1)]), "graph is of type DiGraph"),
        (nx.Graph(), "no nodes"),
        (nx.Graph([(1, 1)]), "edge from '1' to itself"),
    ):
        assert_refused(GraphError, sentence, random_model, graph)
    square = np.zeros((2, 2))
    for variables, table in (
        *(((1, 0), square), ((0, 2), square), ((), np.zeros(())), ((0, 1), np.zeros((2, 3)))),
        *(((0,), np.array([0.0, bad])) for bad in (np.inf, np.nan)),
    ):
        factors = (Factor(variables, table),)
        assert_refused(GraphError, "factor", MarkovModel, (0, 1), (2, 2), factors)


def collider():
    """a -> c <- b, with random tables, but that a pair of states decides c."""
    from pgmpy.factors.discrete import TabularCPD
    from pgmpy.models import DiscreteBayesianNetwork

    rng = np.random.default_rng(1)
    network = DiscreteBayesianNetwork([("a", "c"), ("b", "c")])
    c = rng.dirichlet([1, 1, 1], 4).T
    c[:, 0] = 1, 0, 0
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
    turned = STATES | {"a": STATES["a"][::-1]}
    for pair, sizes, states in ((["c", "a"], [3, 2], STATES), (["b", "a"], [2, 2], turned)):
        values = rng.random(sizes[0] * sizes[1]) + 0.1
        network.add_factors(DiscreteFactor(pair, sizes, values, {v: states[v] for v in pair}))
    return network


def by_hand(tables, model):
    """The product of pgmpy's own tables, looked up by label."""
    weights = []
    for labels in product(*model.labels):
        row = dict(zip(model.names, labels, strict=True))
        weights.append(prod(t.get_value(**{v: row[v] for v in t.variables}) for t in tables))
    return (np.array(weights) / fsum(weights)).reshape(model.cardinalities)


def test_the_joint_distribution_and_the_graph_are_pgmpys():
    directed, undirected = collider(), markov()
    moral = nx.moral_graph(nx.DiGraph([("a", "c"), ("b", "c")]))
    for network, tables, graph in (
        (directed, [cpd.to_factor() for cpd in directed.get_cpds()], moral),
        (undirected, undirected.get_factors(), nx.complete_graph("abc")),
    ):
        model = MarkovModel.from_pgmpy(network)
        np.testing.assert_allclose(model.joint(), by_hand(tables, model), rtol=1e-12)
        labels = {n: set(s) for n, s in zip(model.names, model.labels, strict=True)}
        assert labels == {n: set(s) for n, s in STATES.items()}
        assert model.sample(20).labels == model.labels
        assert nx.utils.graphs_equal(model.graph, nx.Graph(graph))
    # There and back.
    data = bjp.read_table("sample_data/datasets/titanic.csv")
    network = fit_parameters(data, nx.cycle_graph(data.names))
    back = MarkovModel.from_pgmpy(network.to_pgmpy())
    assert (back.names, back.labels) == (network.names, network.labels)
    np.testing.assert_allclose(back.joint(), network.model.joint(), rtol=1e-9)


def test_wrong_networks(monkeypatch):
    from pgmpy.factors.discrete import DiscreteFactor
    from pgmpy.models import DiscreteBayesianNetwork, DiscreteMarkovNetwork

    below = DiscreteMarkovNetwork([("a", "b")])
    below.add_factors(DiscreteFactor(["a", "b"], [2, 2], [1.0, -1.0, 1.0, 1.0]))
    make = MarkovModel.from_pgmpy
    assert_refused(OptionError, "network is a Graph; give pgmpy's", make, nx.Graph())
    assert_refused(GraphError, "incomplete", make, DiscreteBayesianNetwork([("a", "b")]))
    assert_refused(GraphError, "factor of the variables .* a log weight, finite", make, below)
    monkeypatch.setitem(sys.modules, "pgmpy.models", None)
    assert_refused(OptionError, r"pip install 'bjp-explorer\[pgmpy\]'", make, None)
