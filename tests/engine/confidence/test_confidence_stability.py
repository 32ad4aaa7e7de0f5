"""Case dropping against its definition, and the coefficient against a count of subsets."""

from __future__ import annotations

import copy
import math
import pickle
from dataclasses import replace
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pearsonr

import bjp_engine as bjp
from bjp_engine.confidence import Stability, drop_cases
from bjp_engine.errors import Cancelled, DataError, OptionError
from bjp_engine.progress import Progress

PATH = nx.path_graph(5)
DATA = bjp.sampling.random_model(PATH, "log-odds", epsilon=0.7).sample(150, seed=3)
SHARES = (0.2, 0.5, 0.8)


def strengths_of(data: bjp.Dataset, graph: nx.Graph[Any]) -> dict[Any, float]:
    """|effect| of every pair, 0 of those that are no edges."""
    found = dict.fromkeys(combinations(data.names, 2), 0.0)
    for row in bjp.fit_parameters(data, graph).effects(resamples=1).itertuples():
        found[row.x, row.y] = abs(row.effect)
    return found


def nodes_of(data: bjp.Dataset, strengths: dict[Any, float]) -> list[float]:
    return [sum(s for pair, s in strengths.items() if name in pair) for name in data.names]


def correlate(one: Any, other: Any) -> float:
    if len({*one}) == 1 or len({*other}) == 1:
        return 0.0
    return float(pearsonr(one, other).statistic)


@pytest.mark.parametrize("search", ["auto", "ibmap-hc"])
def test_every_number_is_that_of_its_definition(search: str) -> None:
    found = drop_cases(DATA, search=search, dropped=SHARES, repeats=20, seed=5)
    graph = bjp.learn(DATA, search=search).graph
    whole = strengths_of(DATA, graph)
    rows = sorted(DATA.codes.tolist())
    assert found.rows.tolist() == [120, 75, 30]
    assert set(found.graph.edges) == set(graph.edges)
    for (i, j), value in whole.items():
        assert found.strengths[i, j] == found.strengths[j, i] == pytest.approx(value, abs=1e-9)
    for k in range(0, 20, 6):
        order = np.random.default_rng([5, k]).permutation(150)
        for s, kept in enumerate((120, 75, 30)):
            part = bjp.Dataset.from_codes([rows[i] for i in order[:kept]], DATA.cardinalities)
            learned = bjp.learn(part, search=search).graph
            confusion = bjp.metrics.confusion(graph, learned)
            assert found.hamming[s, k] == confusion.hamming
            assert found.f1[s, k] == pytest.approx(confusion.f1)
            mine = strengths_of(part, learned)
            edges = correlate([*whole.values()], [*mine.values()])
            assert found.edges[s, k] == pytest.approx(edges, abs=1e-4)
            nodes = correlate(nodes_of(DATA, whole), nodes_of(part, mine))
            assert found.nodes[s, k] == pytest.approx(nodes, abs=1e-4)


MADE = drop_cases(DATA, "bjp", "ibmap-hc", dropped=[0.5], repeats=20)


def with_values(edges: Any, nodes: Any, dropped: Any) -> Stability:
    """A record with these correlations."""
    edges, nodes = np.array(edges, dtype=float), np.array(nodes, dtype=float)
    return replace(
        MADE,
        dropped=np.array(dropped, dtype=float),
        rows=np.ones(len(edges), dtype=int),
        hamming=np.zeros(edges.shape, dtype=int),
        f1=np.ones(edges.shape),
        edges=edges,
        nodes=nodes,
        repeats=edges.shape[1],
    )


@given(st.data())
def test_the_coefficient_is_the_last_share_before_one_fails(draw: st.DataObject) -> None:
    repeats = draw.draw(st.integers(20, 70))
    failing = draw.draw(st.lists(st.integers(0, repeats // 10), min_size=1, max_size=5))
    dropped = np.linspace(0.1, 0.9, len(failing) + 1)[:-1]
    edges = [[0.69] * bad + [0.7] * (repeats - bad) for bad in failing]
    shuffled = np.random.default_rng(0).permuted(edges, axis=1)
    found = with_values(shuffled, np.ones_like(shuffled), dropped)
    wanted = 0.0
    for share, row in zip(dropped, shuffled, strict=True):
        if sum(value >= 0.7 for value in row) / repeats < 0.95:
            break
        wanted = share
    assert found.coefficient("edges") == wanted
    assert found.coefficient("nodes") == dropped[-1]
    assert found.coefficient("edges", 0.69) == dropped[-1]
    # The coefficient can be read off the chart: where the band's lower end leaves 0.7.
    low = found.to_frame()["edges_low"].to_numpy()
    passed = [share for k, share in enumerate(dropped) if (low[: k + 1] >= 0.7).all()]
    assert wanted == max(passed, default=0.0)


def test_only_the_largest_share_tried_is_a_bound() -> None:
    high, low = np.ones(20), np.zeros(20)
    found = with_values([high, low], [high, high], [0.25, 0.999])
    assert found.describe().endswith("is 0.25 for edges; for node strength it is at least 0.999.")
    found = with_values([low], [low], [0.999])
    assert found.describe().startswith("Already with 99.9 % of the rows dropped, edge strengths")
    assert found.describe().endswith("is 0 for edges; for node strength it is 0.")


def test_the_band_leaves_out_one_in_twenty_on_either_side() -> None:
    values = np.random.default_rng(1).permutation(100)[None] / 100
    frame = with_values(values, values, [0.5]).to_frame()
    assert frame[["edges_low", "edges", "edges_high"]].to_numpy().tolist() == [
        [0.05, pytest.approx(0.495), 0.94]
    ]


@pytest.mark.slow
def test_a_strong_network_is_stable_and_a_network_of_noise_is_not() -> None:
    strong = bjp.sampling.random_model(PATH, "log-odds", epsilon=0.9).sample(2000, seed=1)
    found = drop_cases(strong, repeats=20)
    assert found.coefficient("edges") == found.coefficient("nodes") == 0.75
    assert found.f1.mean() > 0.9
    assert "With up to 75 % of the rows dropped" in found.describe()
    wanted = "CS(cor = 0.7) is at least 0.75 for edges; for node strength it is at least 0.75."
    assert found.describe().endswith(wanted)
    # Every pair is an edge now and then, none of them for a reason.
    noise = bjp.Dataset.from_codes(np.random.default_rng(2).integers(0, 2, (60, 6)))
    loose = drop_cases(noise, "bjp", "ibmap-hc", prior=0.2, repeats=20)
    assert loose.graph.number_of_edges() == 7
    assert loose.coefficient("edges") <= 0.1
    assert loose.f1[-1].mean() < 0.6


def test_without_edges_no_correlation_is_defined() -> None:
    noise = bjp.Dataset.from_codes(np.random.default_rng(0).integers(0, 2, (200, 4)))
    found = drop_cases(noise, repeats=20)
    assert not found.graph.number_of_edges()
    assert math.isnan(found.coefficient("edges"))
    assert math.isnan(found.coefficient("nodes"))
    assert not found.edges.any()
    assert "cannot be measured" in found.describe()
    # Where only the subsets have no edges, their correlation counts as 0.
    few = drop_cases(DATA, dropped=[0.05, 0.994], repeats=20)
    assert few.rows.tolist() == [142, 1]
    assert not few.edges[1].any()
    assert few.coefficient("edges") == 0.05


@pytest.mark.slow
def test_it_is_reproducible_and_the_same_for_any_number_of_threads() -> None:
    one = drop_cases(DATA, repeats=20, seed=4, n_jobs=1)
    two = drop_cases(DATA, repeats=20, seed=4, n_jobs=2)
    other = drop_cases(DATA, repeats=20, seed=5, n_jobs=2)
    for name in ("hamming", "f1", "edges", "nodes", "strengths"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    assert (one.edges != other.edges).any()


@pytest.mark.parametrize("search", ["auto", "ibmap-hc"])
def test_another_order_of_rows_gives_the_same(search: str) -> None:
    moved = DATA.take(np.random.default_rng(0).permutation(150))
    one, two = (drop_cases(d, search=search, dropped=[0.3], repeats=20) for d in (DATA, moved))
    for name in ("hamming", "f1", "edges", "nodes", "strengths"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))


def test_the_record_is_locked_in_every_copy_and_says_what_it_is() -> None:
    found = drop_cases(DATA, dropped=[0.3], repeats=20, prior=0.4)
    for each in (found, pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
        for name in ("dropped", "rows", "hamming", "f1", "edges", "nodes", "strengths"):
            with pytest.raises(ValueError, match="read-only"):
                getattr(each, name)[...] = 0
        assert each.to_frame().equals(found.to_frame())
    assert nx.is_frozen(found.graph)
    assert (found.method, found.search, dict(found.options)) == ("bjp", "auto", {"prior": 0.4})


def test_it_reports_and_stops() -> None:
    seen: list[tuple[int, int]] = []
    drop_cases(DATA, dropped=SHARES, repeats=20, progress=Progress(lambda *at: seen.append(at)))
    assert seen == [(k, 60) for k in range(61)]
    seen.clear()
    for threads in (1, 2):
        watched = Progress(lambda *at: seen.append(at), lambda: len(seen) >= 9)
        with pytest.raises(Cancelled):
            drop_cases(DATA, dropped=SHARES, repeats=20, n_jobs=threads, progress=watched)
        assert len(seen) <= 10


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        ({"dropped": []}, "dropped holds no share"),
        ({"dropped": [0.5, 0.2]}, "dropped must rise"),
        ({"dropped": [0.0, 0.2]}, "dropped"),
        ({"dropped": [0.2, 1.0]}, "dropped"),
        ({"repeats": 19}, "repeats=19"),
        ({"seed": -1}, "seed=-1"),
        ({"n_jobs": 0}, "n_jobs=0"),
    ],
)
def test_what_it_refuses(wrong: dict[str, Any], text: str) -> None:
    with pytest.raises(OptionError, match=text):
        drop_cases(DATA, **wrong)
    with pytest.raises(DataError, match="fewer than two rows"):
        drop_cases(DATA.take([0]))
    with pytest.raises(OptionError, match="of="):
        drop_cases(DATA, dropped=[0.5], repeats=20).coefficient("variables")  # type: ignore[arg-type]
