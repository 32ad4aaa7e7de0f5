"""plan_rows against learning by hand, and draw_rows against the joint distribution."""

import math
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.errors import GraphError, OptionError
from bjp_engine.planning import RowPlan, draw_rows
from bjp_engine.sampling import MarkovModel, random_model
from tests.engine.calls import assert_options_refused, reports_of
from tests.refusals import assert_refused

ROWS = (60, 200, 800)
TRIANGLE_WITH_TAIL = nx.Graph([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4)])


def model_of(graph, states=2):
    return random_model(graph, "clique-log-weights", seed=3, states=states)


def test_rows_have_the_joint_distribution():
    states, rows = [2, 3, 2, 2, 3], 40_000
    for model in (
        *(model_of(g, states) for g in (TRIANGLE_WITH_TAIL, nx.cycle_graph(5), nx.star_graph(4))),
        MarkovModel((0, 1, 2, 3, 4), tuple(states), ()),
    ):
        codes = draw_rows(model, rows, 7, 0).codes
        cells = np.ravel_multi_index(tuple(codes.T), model.cardinalities)
        joint = model.joint().ravel()
        counts = np.bincount(cells, minlength=len(joint))
        chi2 = ((counts - rows * joint) ** 2 / (rows * joint)).sum()
        # 71 degrees of freedom: five standard deviations.
        assert chi2 < 71 + 5 * math.sqrt(2 * 71), model.graph.edges


def test_fewer_rows_are_the_first_of_more():
    dense = random_model(nx.complete_graph(24), "log-odds", epsilon=0.02)
    for model in (model_of(TRIANGLE_WITH_TAIL), dense):
        few, many = (draw_rows(model, n, 1, 2).codes for n in (30, 60))
        np.testing.assert_array_equal(few, many[:30])
        assert (draw_rows(model, 30, 1, 3).codes != few).any()
    # Where exact inference is out of reach, rows are of chains.
    assert not bjp.plan_rows(dense, (40,), samples=1, search="ibmap-hc").independent


@pytest.mark.parametrize(("method", "ordered"), [("bjp", ()), ("mpl", ()), ("bjp", range(5))])
def test_it_is_what_learning_by_hand_finds(method, ordered):
    model = model_of(TRIANGLE_WITH_TAIL, 5 if ordered else 2)
    data = bjp.Dataset.from_codes(draw_rows(model, 900, 0, 0).codes, ordered=ordered)
    network = bjp.fit_parameters(data, model.graph)
    # Samples of a network are ordered as its data.
    of = network if ordered else model
    model = network.model if ordered else model
    plan = bjp.plan_rows(of, ROWS, samples=4, seed=5, method=method)
    measures = ["recall", "false", "false_share", "hamming"]
    table, errors = plan.to_frame(), [f"{name}_error" for name in measures]
    true = {frozenset(edge) for edge in model.graph.edges}
    for size, rows in enumerate(ROWS):
        values = []
        for k in range(4):
            drawn = draw_rows(model, max(ROWS), 5, k).take(range(rows))
            data = replace(drawn, ordered=data.ordered)
            found = {frozenset(edge) for edge in bjp.learn(data, method).graph.edges}
            wrong = len(found - true)
            share = wrong / max(1, len(found))
            values.append((len(true & found) / 5, wrong, share, len(found ^ true)))
        np.testing.assert_allclose(table.loc[size, measures].tolist(), np.mean(values, axis=0))
        spread = np.std(values, axis=0, ddof=1) / 2
        np.testing.assert_allclose(table.loc[size, errors].tolist(), spread, atol=1e-12)
    assert (plan.method, plan.samples, plan.edges, plan.independent) == (method, 4, 5, True)


def test_it_is_the_same_for_any_number_of_threads_and_order_of_rows():
    first, *others = (
        bjp.plan_rows(TRIANGLE_WITH_TAIL, rows, strength=1.0, samples=3, n_jobs=jobs)
        for rows, jobs in ((ROWS, 1), (ROWS[::-1], 2), ([*ROWS, *ROWS], -1))
    )
    for plan in others:
        assert plan.rows == first.rows == ROWS
        assert ((plan.found == first.found) & (plan.false == first.false)).all()


def test_a_graph_gets_the_strength_that_is_given_and_a_network_is_drawn_from_as_fitted():
    data = bjp.read_table("sample_data/datasets/coronary.csv")
    network = bjp.fit_parameters(data, bjp.learn(data).graph, "auto")
    model = random_model(TRIANGLE_WITH_TAIL, "log-odds", epsilon=1.2)
    for one, other, strength in (
        (TRIANGLE_WITH_TAIL, model, {"strength": 1.2}),
        (network, network.model, {}),
    ):
        plan = bjp.plan_rows(one, (150,), samples=3, **strength)
        np.testing.assert_array_equal(plan.found, bjp.plan_rows(other, (150,), samples=3).found)
    assert plan.edges == network.graph.number_of_edges()


def made(found, false):
    rows = (100, 400, 1600)[: len(found)]
    parts = (np.array(found), np.array(false))
    return RowPlan(rows, 10, *parts, "bjp", "auto", 0, True)


def test_the_rows_for_a_share_and_the_sentence():
    plan = made([[2, 4], [6, 6], [8, 10]], [[0, 0], [2, 4], [0, 0]])
    shares = {0.1: 100, 0.3: 100, 0.45: 200, 0.6: 400, 0.75: 800, 0.9: 1600, 0.95: None}
    assert {share: plan.rows_for(share) for share in shares} == shares
    for share in (-0.1, 1.1, "all"):
        assert_refused(OptionError, "share=", plan.rows_for, share)
    # Where more rows find fewer edges, it is the number from which on enough are found.
    for counts, rows in (((9, 5, 8), 800), ((9, 9, 5), None), ((8, 9, 9), 100), ((2, 9, 8), 244)):
        other = made(*2 * [[[count] for count in counts]])
        assert other.rows_for(0.65) == rows, counts
    # 2/8 and 4/10 of the learned edges.
    for said in ("6.0 ± 0.0 of 10 edges", "(60 %)", "3.0 ± 1.0 edges are false (32 % of"):
        assert said in plan.describe(400)
    assert_refused(OptionError, "rows=500 was not simulated", plan.describe, 500)
    assert "±" not in made([[7]], [[0]]).describe(100)
    # Nothing learned is no false share.
    assert made([[0, 0]], [[0, 0]]).to_frame()["false_share"].tolist() == [0.0]
    with pytest.raises(ValueError, match="read-only"):
        plan.found[0, 0] = 5


def test_arguments_that_mean_nothing_progress_and_cancelling():
    path, plan = nx.path_graph(3), bjp.plan_rows
    for strength, about in (
        *((None, "A graph needs a strength"), ("high", "strength='high'")),
        *((k, "finite and not 0") for k in (0, np.nan, -np.inf)),
    ):
        assert_refused(OptionError, about, plan, path, strength=strength)
    assert_options_refused("samples=0 seed=-1 method='bic'", plan, path, strength=1.0)
    for rows, about in (
        *(("100", "rows='100' must be a list"), (100, "rows=100 must be a list")),
        *(((), "rows is empty"), ((100, 1), "rows=1")),
    ):
        assert_refused(OptionError, about, plan, path, rows, strength=1.0)
    assert_refused(OptionError, "no edge", plan, nx.empty_graph(3), strength=1.0)
    assert_refused(OptionError, "leave it out", plan, model_of(path), strength=1.0)
    assert_refused(GraphError, "graph is of type str", plan, "karate")
    seen = reports_of(plan, path, (50, 90), strength=1.0, samples=2)
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
