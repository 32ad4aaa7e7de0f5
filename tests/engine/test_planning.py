"""plan_rows against learning by hand, and draw_rows against the joint distribution."""

from __future__ import annotations

import math
from typing import Any

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine import planning
from bjp_engine.errors import Cancelled, OptionError
from bjp_engine.planning import RowPlan, draw_rows
from bjp_engine.sampling import MarkovModel, random_model

ROWS = (60, 200, 800)


def triangle_with_tail() -> nx.Graph[Any]:
    return nx.Graph([(0, 1), (1, 2), (0, 2), (2, 3), (3, 4)])


def model_of(graph: nx.Graph[Any], states: Any = 2) -> MarkovModel:
    return random_model(graph, "clique-log-weights", seed=3, states=states)


# --- Rows ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "graph", [triangle_with_tail(), nx.cycle_graph(5), nx.empty_graph(5), nx.star_graph(4)]
)
def test_rows_have_the_joint_distribution(graph: nx.Graph[Any]) -> None:
    model = (
        model_of(graph, [2, 3, 2, 2, 3])
        if graph.edges
        else MarkovModel((0, 1, 2, 3, 4), (2, 3, 2, 2, 3), ())
    )
    rows = 40_000
    codes = draw_rows(model, rows, 7, 0).codes
    cells = np.ravel_multi_index(tuple(codes.T), model.cardinalities)
    joint = model.joint().ravel()
    counts = np.bincount(cells, minlength=len(joint))
    chi2 = ((counts - rows * joint) ** 2 / (rows * joint)).sum()
    # 71 degrees of freedom: five standard deviations.
    assert chi2 < 71 + 5 * math.sqrt(2 * 71)


def test_fewer_rows_are_the_first_of_more() -> None:
    model = model_of(triangle_with_tail())
    few, many = (draw_rows(model, n, 1, 2).codes for n in (50, 300))
    np.testing.assert_array_equal(few, many[:50])
    assert (draw_rows(model, 50, 1, 3).codes != few).any()


def test_where_exact_inference_is_out_of_reach_rows_are_of_chains() -> None:
    model = random_model(nx.complete_graph(24), "log-odds", epsilon=0.02)
    few, many = (draw_rows(model, n, 1, 0).codes for n in (30, 60))
    np.testing.assert_array_equal(few, many[:30])
    assert not bjp.plan_rows(model, (40,), samples=1, search="ibmap-hc").independent


# --- The plan ------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["bjp", "mpl"])
def test_it_is_what_learning_by_hand_finds(method: str) -> None:
    model = model_of(triangle_with_tail())
    plan = bjp.plan_rows(model, ROWS, samples=4, seed=5, method=method)
    table = plan.to_frame()
    for size, rows in enumerate(ROWS):
        recalls, shares, wrong, far = [], [], [], []
        for k in range(4):
            data = draw_rows(model, max(ROWS), 5, k).take(range(rows))
            learned = bjp.learn(data, method).graph
            true = {frozenset(edge) for edge in model.graph.edges}
            found = {frozenset(edge) for edge in learned.edges}
            recalls.append(len(true & found) / 5)
            wrong.append(len(found - true))
            shares.append(len(found - true) / len(found) if found else 0.0)
            far.append(len(found ^ true))
        for name, values in (
            ("recall", recalls),
            ("false", wrong),
            ("false_share", shares),
            ("hamming", far),
        ):
            assert table.loc[size, name] == pytest.approx(sum(values) / 4)
            error = float(np.std(values, ddof=1)) / 2
            assert table.loc[size, f"{name}_error"] == pytest.approx(error)
    assert plan.method == method
    assert (plan.samples, plan.edges, plan.independent) == (4, 5, True)


def test_it_is_the_same_for_any_number_of_threads_and_order_of_rows() -> None:
    plans = [
        bjp.plan_rows(triangle_with_tail(), rows, strength=1.0, samples=3, n_jobs=jobs)
        for rows, jobs in ((ROWS, 1), (ROWS[::-1], 2), ([*ROWS, *ROWS], -1))
    ]
    for plan in plans:
        assert plan.rows == ROWS
        np.testing.assert_array_equal(plan.found, plans[0].found)
        np.testing.assert_array_equal(plan.false, plans[0].false)


def test_a_graph_gets_the_strength_that_is_given() -> None:
    graph = triangle_with_tail()
    by_graph = bjp.plan_rows(graph, (150,), strength=1.2, samples=3)
    model = random_model(graph, "log-odds", epsilon=1.2)
    np.testing.assert_array_equal(by_graph.found, bjp.plan_rows(model, (150,), samples=3).found)


def test_a_fitted_network_is_drawn_from_as_it_was_fitted() -> None:
    data = bjp.read_table("sample_data/datasets/coronary.csv")
    network = bjp.fit_parameters(data, bjp.learn(data).graph, "auto")
    by_network, by_model = (
        bjp.plan_rows(one, (200,), samples=2) for one in (network, network.model)
    )
    np.testing.assert_array_equal(by_network.found, by_model.found)
    assert by_network.edges == network.graph.number_of_edges()


def test_many_rows_find_an_easy_network_and_few_do_not() -> None:
    plan = bjp.plan_rows(nx.path_graph(6), (30, 100, 2000), strength=1.5, samples=8)
    recall = plan.to_frame()["recall"]
    assert recall.is_monotonic_increasing
    assert recall[0] < 0.7
    assert recall[2] == 1.0
    assert 30 < (plan.rows_for(0.9) or 0) <= 2000


@pytest.mark.slow
@pytest.mark.parametrize("name", ["path", "cycle", "hub"])
def test_new_samples_find_what_was_forecast(name: str) -> None:
    graph = {"path": nx.path_graph(6), "cycle": nx.cycle_graph(7), "hub": nx.star_graph(5)}[name]
    forecast, after = (
        bjp.plan_rows(graph, (100, 300, 900), strength=1.2, samples=samples, seed=seed)
        for seed, samples in ((0, 40), (1, 80))
    )
    first, second = forecast.to_frame(), after.to_frame()
    for measure in ("recall", "false_share"):
        off = np.hypot(first[f"{measure}_error"], second[f"{measure}_error"])
        assert ((first[measure] - second[measure]).abs() <= np.maximum(0.05, 3 * off)).all()


# --- Reading it ----------------------------------------------------------------------------------


def made(found: list[list[int]], false: list[list[int]]) -> RowPlan:
    """A plan of a network of 10 edges."""
    rows = (100, 400, 1600)[: len(found)]
    parts = (np.array(found), np.array(false))
    return RowPlan(rows, 10, *parts, "bjp", "auto", 0, True, 0.0)


def test_the_rows_for_a_share() -> None:
    plan = made([[2, 4], [6, 6], [8, 10]], [[0, 0], [1, 3], [0, 0]])
    assert plan.rows_for(0.3) == plan.rows_for(0.1) == 100
    assert plan.rows_for(0.45) == 200
    assert plan.rows_for(0.6) == 400
    assert plan.rows_for(0.75) == 800
    assert plan.rows_for(0.9) == 1600
    assert plan.rows_for(0.95) is None
    for share in (0, 1.1, "all"):
        with pytest.raises(OptionError, match="share="):
            plan.rows_for(share)  # type: ignore[arg-type]


def test_the_sentence() -> None:
    plan = made([[2, 4], [6, 6], [8, 10]], [[0, 0], [2, 4], [0, 0]])
    # 2/8 and 4/10 of the learned edges.
    assert plan.describe(400) == (
        "With 400 rows, 6.0 ± 0.0 of 10 edges are found on average (60 %), and 3.0 ± 1.0 edges "
        "are false (32 % of the learned edges)."
    )
    with pytest.raises(OptionError, match="rows=500 was not simulated"):
        plan.describe(500)
    assert "±" not in made([[7]], [[0]]).describe(100)


def test_nothing_learned_is_no_false_share() -> None:
    assert made([[0, 0]], [[0, 0]]).to_frame()["false_share"].tolist() == [0.0]


def test_a_plan_never_changes() -> None:
    plan = made([[1, 1]], [[0, 0]])
    with pytest.raises(ValueError, match="read-only"):
        plan.found[0, 0] = 5


# --- What is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("network", "options", "about"),
    [
        (nx.path_graph(3), {}, "give strength"),
        (nx.path_graph(3), {"strength": "high"}, "strength='high'"),
        (nx.path_graph(3), {"strength": 0}, "strength=0 must be finite and not 0"),
        (nx.path_graph(3), {"strength": np.nan}, "strength=nan must be finite and not 0"),
        (nx.path_graph(3), {"strength": -np.inf}, "strength=-inf must be finite and not 0"),
        (nx.path_graph(3), {"strength": 1.0, "rows": "100"}, "rows='100' must be a list of whole"),
        (nx.empty_graph(3), {"strength": 1.0}, "no edge"),
        (model_of(nx.path_graph(3)), {"strength": 1.0}, "leave it out"),
        ("karate", {}, "network is of type str"),
        (nx.path_graph(3), {"strength": 1.0, "rows": ()}, "rows is empty"),
        (nx.path_graph(3), {"strength": 1.0, "rows": (100, 1)}, "rows=1"),
        (nx.path_graph(3), {"strength": 1.0, "rows": 100}, "rows=100 must be a list"),
        (nx.path_graph(3), {"strength": 1.0, "samples": 0}, "samples=0"),
        (nx.path_graph(3), {"strength": 1.0, "seed": -1}, "seed=-1"),
        (nx.path_graph(3), {"strength": 1.0, "method": "bic"}, "method='bic'"),
    ],
)
def test_arguments_that_mean_nothing(network: Any, options: dict[str, Any], about: str) -> None:
    with pytest.raises(OptionError, match=about):
        bjp.plan_rows(network, **options)


def test_it_reports_and_can_be_cancelled() -> None:
    told: list[tuple[int, int]] = []
    progress = bjp.Progress(lambda done, of: told.append((done, of)))
    bjp.plan_rows(nx.path_graph(3), (50, 90), strength=1.0, samples=2, progress=progress)
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
    with pytest.raises(Cancelled):
        bjp.plan_rows(
            nx.path_graph(3), strength=1.0, progress=bjp.Progress(cancelled=lambda: len(told) > 0)
        )


def test_samples_of_a_network_are_ordered_as_its_data(monkeypatch: pytest.MonkeyPatch) -> None:
    codes = np.random.default_rng(0).integers(0, 4, (80, 3))
    data = bjp.Dataset.from_codes(codes, [4] * 3, ordered=[0, 2])
    network = bjp.fit_parameters(data, nx.path_graph(3))
    seen: list[bjp.Dataset] = []
    learn_each = planning.learn_each

    def watch(parts: Any, *args: Any, **options: Any) -> Any:
        def each() -> Any:
            for part in parts:
                seen.append(part)
                yield part

        return learn_each(each(), *args, **options)

    monkeypatch.setattr(planning, "learn_each", watch)
    bjp.plan_rows(network, (20, 50), samples=2)
    assert [part.ordered for part in seen] == [(True, False, True)] * 4
    seen.clear()
    bjp.plan_rows(network.model, (20,), samples=1)
    assert [part.ordered for part in seen] == [(False,) * 3]
