"""Fitted networks against sums over all joint states and theorems."""

import itertools
import math
import pickle
import sys

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.errors import Cancelled, DataError, OptionError
from bjp_engine.parameters import fit_parameters
from bjp_engine.parameters.fit import MOST_BY_CLIQUE, scopes_of
from bjp_engine.progress import Descent, Progress
from bjp_engine.sampling.elimination import eliminate
from tests import strategies
from tests.engine.calls import assert_options_refused
from tests.engine.parameters.joints import all_states, given_others, joint_of, marginal, weight
from tests.refusals import assert_refused

few_states = st.integers(1, 3)
ESTIMATES = ("likelihood", "pseudo-likelihood")


def smoothed(sample, ess):
    """The rows, and `ess` rows spread evenly over all joint states."""
    states = all_states(sample.cards)
    counts = dict.fromkeys(states, ess / len(states))
    for row in sample.rows:
        counts[row] += 1
    return {state: value / (len(sample.rows) + ess) for state, value in counts.items()}


def cliques_of(edges, n):
    """Maximal cliques, by looking at every subset."""
    joined = {frozenset(edge) for edge in edges}
    subsets = [s for k in range(1, n + 1) for s in itertools.combinations(range(n), k)]
    full = [s for s in subsets if all(frozenset(p) in joined for p in itertools.combinations(s, 2))]
    return [s for s in full if not any(set(s) < set(other) for other in full)]


def penalised(sample, tables, ridge):
    """What maximum pseudo-likelihood maximises, row by row."""
    total = -ridge / 2 * sum(float((table**2).sum()) for table in tables.values())
    for row in sample.rows:
        for i, r in enumerate(sample.cards):
            weights = [weight(tables, (*row[:i], s, *row[i + 1 :])) for s in range(r)]
            total += math.log(weights[row[i]] / math.fsum(weights))
    return total


@given(
    strategies.samples_with_graph(max_variables=5, states=few_states), st.sampled_from([1.0, 4.0])
)
def test_maximum_likelihood_has_the_smoothed_margins_of_the_maximal_cliques(drawn, ess):
    sample, edges = drawn
    graph, cliques = strategies.as_graph(edges, sample.n), cliques_of(edges, sample.n)
    network = fit_parameters(sample.data, graph, "likelihood", ess=ess)
    fitting = "closed-form" if nx.is_chordal(graph) else "scaling"
    assert (network.fitting, network.converged) == (fitting, True)
    joint, wanted = joint_of(network.factors, sample.cards), smoothed(sample, ess)
    for clique in cliques:
        found, target = marginal(joint, clique), marginal(wanted, clique)
        assert found == pytest.approx(target, rel=0, abs=2e-8)
    for each in (network, fit_parameters(sample.data, graph)):
        assert sorted(each.factors) == sorted(cliques)
        for members, table in each.factors.items():
            assert table.shape == tuple(sample.cards[i] for i in members)
            assert not table.flags.writeable


@pytest.mark.parametrize("estimate", ESTIMATES)
@given(drawn=strategies.samples_with_graph(max_variables=4, max_rows=30, states=few_states))
def test_every_probability_agrees_with_the_sum_over_all_states(estimate, drawn):
    sample, edges = drawn
    network = fit_parameters(sample.data, strategies.as_graph(edges, sample.n), estimate)
    joint = joint_of(network.factors, sample.cards)
    data = bjp.Dataset.from_codes(np.array(all_states(sample.cards)), sample.cards)
    np.testing.assert_allclose(np.exp(network.log_probability(data)), [*joint.values()], rtol=1e-9)
    assert min(joint.values()) > 0
    cells = [
        [math.log(given_others(joint, state, i, r)[state[i]]) for i, r in enumerate(sample.cards)]
        for state in joint
    ]
    np.testing.assert_allclose(network.log_conditional(data), cells, rtol=0, atol=1e-9)
    for i, r in enumerate(sample.cards):
        wanted = [given_others(joint, state, i, r) for state in joint]
        np.testing.assert_allclose(network.conditional(data, i), wanted, rtol=1e-9)


@pytest.mark.parametrize("ridge", [0.3, 2.0])
@given(drawn=strategies.samples_with_graph(max_variables=4, max_rows=25, states=few_states))
@settings(max_examples=12)
def test_pseudo_likelihood_is_at_its_one_maximum(ridge, drawn):
    sample, edges = drawn
    graph = strategies.as_graph(edges, sample.n)
    network = fit_parameters(sample.data, graph, "pseudo-likelihood", ridge=ridge)
    assert network.converged
    tables = {members: np.array(table) for members, table in network.factors.items()}
    # The objective is strictly concave, so a point without slope is the maximum.
    step = 1e-4
    for table in tables.values():
        for cell in np.ndindex(table.shape):
            kept = table[cell]
            table[cell] = kept + step
            above = penalised(sample, tables, ridge)
            table[cell] = kept - step
            below = penalised(sample, tables, ridge)
            table[cell] = kept
            assert abs(above - below) / (2 * step) < 2e-4 * max(1, len(sample.rows))


@given(st.integers(0, 2**32 - 1), st.integers(1, 30), st.floats(0.0, 0.4))
def test_cliques_of_an_elimination_are_a_junction_tree(seed, n, density):
    graph = nx.gnp_random_graph(n, density, seed=seed)
    tree = eliminate(nx.to_numpy_array(graph, dtype=bool), [2] * n, most=1 << 40)
    assert sorted(tree.order) == list(range(n))
    assert all(any({u, v} <= set(clique) for clique in tree.cliques) for u, v in graph.edges)
    place = {v: k for k, v in enumerate(tree.order)}
    for v, clique in enumerate(tree.cliques):
        parent = tree.parents[v]
        # Whatever v shares with all that come after it, its parent has (running intersection).
        assert all(place[u] > place[v] for u in clique if u != v)
        assert (parent is None) == (clique == (v,))
        assert parent is None or set(clique) - {v} <= set(tree.cliques[parent])
    added = {frozenset(p) for c in tree.cliques for p in itertools.combinations(c, 2)}
    assert tree.fill == len(added) - graph.number_of_edges()


def test_where_exact_inference_is_out_of_reach():
    rng = np.random.default_rng(0)
    data = bjp.Dataset.from_codes(rng.integers(0, 2, (300, 60)))
    graph = nx.gnp_random_graph(60, 0.3, seed=1)
    network = fit_parameters(data, graph, "auto")
    assert (network.fitting, network.converged) == ("pseudo-likelihood", True)
    assert network.log_partition is None
    about = "too dense to sum over all joint states"
    assert_refused(OptionError, about, network.log_probability, data)
    about = "too dense for maximum likelihood"
    assert_refused(OptionError, about, fit_parameters, data, graph, "likelihood")
    assert np.isfinite(network.log_conditional(data)).all()


def test_hundreds_of_variables_with_many_states():
    graph = nx.random_labeled_tree(200, seed=4)
    graph.add_edges_from([(i, i + 1) for i in range(0, 199, 9)])
    rng = np.random.default_rng(4)
    states = rng.integers(2, 9, 200)
    data = bjp.Dataset.from_codes(rng.integers(0, states, (400, 200)), states.tolist())
    for estimate in ESTIMATES:
        network = fit_parameters(data, graph, estimate)
        assert network.converged
        assert np.isfinite(network.log_conditional(data)).all()


def test_edges_instead_of_cliques(monkeypatch):
    sample = strategies.noisy_tree(2, (2, 3, 2, 2), 80)
    graph = nx.Graph([(0, 1), (1, 2), (0, 2)])
    # A clique with too large a table is broken into its edges.
    adjacency = ~np.eye(6, dtype=bool)
    assert MOST_BY_CLIQUE < 12**6
    chosen = scopes_of(adjacency, [12] * 6)
    assert chosen == (tuple(itertools.combinations(range(6), 2)), "edges")
    about = "variables with fewer states"
    assert_refused(OptionError, about, scopes_of, adjacency, [60000] * 6)
    monkeypatch.setattr("bjp_engine.parameters.fit.MOST_BY_CLIQUE", 11)
    network = fit_parameters(sample.data, graph, "likelihood")
    assert (network.scopes, network.fitting, network.converged) == ("edges", "scaling", True)
    assert sorted(network.factors) == [(0, 1), (0, 2), (1, 2), (3,)]
    joint, wanted = joint_of(network.factors, sample.cards), smoothed(sample, 1.0)
    for members in network.factors:
        assert marginal(joint, members) == pytest.approx(marginal(wanted, members), abs=2e-8)
    # Without the interaction of all three, their joint frequencies are not met.
    assert marginal(joint, (0, 1, 2)) != pytest.approx(marginal(wanted, (0, 1, 2)), abs=1e-5)


def test_columns_are_found_by_name_and_cells_by_the_fitted_states():
    data = strategies.noisy_tree(3, (2, 3, 2), 50).data
    network = fit_parameters(data, nx.path_graph(3), "likelihood")
    assert (network.rows, network.smoothing, network.names) == (50, 1.0, (0, 1, 2))
    with pytest.raises(nx.NetworkXError):
        network.graph.add_edge(0, 2)
    again, whole = pickle.loads(pickle.dumps(network)), network.log_conditional(data)
    turned = data.select([2, 0, 1])
    for each, rows in ((network, turned), (again, data)):
        np.testing.assert_array_equal(each.log_conditional(rows), whole)
    for variable in range(3):
        one, other = (network.conditional(rows, variable) for rows in (turned, data))
        np.testing.assert_array_equal(one, other)
    # Of a few rows, not every state occurs.
    for k in range(3):
        for rows in (data.codes[[k]], data.take([k]).to_frame(), data.codes[[k]].tolist()):
            np.testing.assert_array_equal(network.log_conditional(rows), whole[[k]])
    zeros, read = np.zeros((2, 4), dtype=int), network.log_conditional
    more = bjp.Dataset.from_codes(zeros, [2, 3, 2, 2])
    assert_refused(DataError, "Column '1' holds '3', which is not one", read, [[0, 3, 1]])
    assert_refused(DataError, "lack the variable '2'", read, data.select([0, 1]))
    assert_refused(DataError, "have more columns", read, more)
    # States are found by their text, in whatever order they stand.
    states = [labels[::-1] for labels in data.labels]
    turned = bjp.Dataset.from_codes(np.subtract([1, 2, 1], data.codes), [2, 3, 2], None, states)
    np.testing.assert_array_equal(read(turned), whole)


def test_a_residual_that_is_not_finite_has_come_down_by_nothing():
    reports = []
    descent = Descent(Progress(report=lambda *report: reports.append(report)), 1e-8)
    for residual in (math.inf, math.nan, 1.0, math.inf, 1e-4, 1e-9):
        descent.tick(residual)
    assert reports == [(done, 100) for done in (0, 0, 0, 0, 50, 100)]


def test_fitting_reports_stops_and_refuses(monkeypatch):
    data = strategies.noisy_tree(3, (2, 3, 2, 2), 50).data
    for estimate, graph in (
        ("likelihood", nx.path_graph(4)),
        *((estimate, nx.cycle_graph(4)) for estimate in ESTIMATES),
    ):
        reports = []
        progress = Progress(report=lambda *report, seen=reports: seen.append(report))
        fit_parameters(data, graph, estimate, progress=progress)
        assert len(reports) > 3, (estimate, graph)
        assert (reports, len({total for _, total in reports})) == (sorted(reports), 1)
        assert (reports[0][0], reports[-1][0]) == (0, reports[-1][1])
    for estimate in ESTIMATES:
        asked = itertools.count(1)
        progress = Progress(cancelled=lambda asked=asked: next(asked) > 2)
        with pytest.raises(Cancelled):
            fit_parameters(data, nx.cycle_graph(4), estimate, progress=progress)
        assert next(asked) == 4, estimate
    fit = (fit_parameters, data, nx.path_graph(4))
    assert_options_refused("estimate='mle' ess=0 ridge=-1.0 tolerance=0", *fit)
    assert_refused(OptionError, "ridge=inf", *fit, ridge=math.inf)
    network = fit_parameters(*fit[1:])
    monkeypatch.setitem(sys.modules, "pgmpy.models", None)
    assert_refused(OptionError, r"pip install 'bjp-explorer\[pgmpy\]'", network.to_pgmpy)
