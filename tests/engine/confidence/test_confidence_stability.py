"""Case dropping against its definition, and the coefficient against a count of subsets."""

from dataclasses import replace
from functools import cache
from itertools import combinations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import pearsonr

import bjp_engine as bjp
from bjp_engine.confidence import drop_cases
from bjp_engine.errors import Cancelled, DataError, OptionError
from bjp_engine.progress import Progress
from tests.engine.calls import assert_options_refused, reports_of
from tests.refusals import assert_refused

PATH = nx.path_graph(5)
SHARES = (0.2, 0.5, 0.8)
ARRAYS = ("hamming", "f1", "edges", "nodes", "strengths")
SEARCHES = ("auto", "ibmap-hc")


@cache
def data():
    return bjp.sampling.random_model(PATH, "log-odds", epsilon=0.7).sample(150, seed=3)


@cache
def dropped(search="ibmap-hc"):
    return drop_cases(data(), search=search, dropped=SHARES, repeats=20, seed=5, n_jobs=1)


def strengths_of(rows, graph):
    """|effect| of every pair, 0 of those that are no edges."""
    found = dict.fromkeys(combinations(rows.names, 2), 0.0)
    for row in bjp.fit_parameters(rows, graph).effects(resamples=1).itertuples():
        found[row.x, row.y] = abs(row.effect)
    return found


def nodes_of(rows, strengths):
    return [sum(s for pair, s in strengths.items() if name in pair) for name in rows.names]


def correlate(one, other):
    if len({*one}) == 1 or len({*other}) == 1:
        return 0.0
    return float(pearsonr(one, other).statistic)


@pytest.mark.parametrize("search", SEARCHES)
def test_every_number_is_that_of_its_definition(search):
    found = dropped(search)
    graph = bjp.learn(data(), search=search).graph
    whole = strengths_of(data(), graph)
    rows = sorted(data().codes.tolist())
    assert (found.rows.tolist(), set(found.graph.edges)) == ([120, 75, 30], set(graph.edges))
    for (i, j), value in whole.items():
        assert found.strengths[i, j] == found.strengths[j, i] == pytest.approx(value, abs=1e-9)
    for k in range(0, 20, 6):
        order = np.random.default_rng([5, k]).permutation(150)
        for s, kept in enumerate((120, 75, 30)):
            part = bjp.Dataset.from_codes([rows[i] for i in order[:kept]], data().cardinalities)
            learned = bjp.learn(part, search=search).graph
            confusion = bjp.metrics.confusion(graph, learned)
            assert found.hamming[s, k] == confusion.hamming
            assert found.f1[s, k] == pytest.approx(confusion.f1)
            mine = strengths_of(part, learned)
            edges = correlate([*whole.values()], [*mine.values()])
            assert found.edges[s, k] == pytest.approx(edges, abs=1e-4)
            nodes = correlate(nodes_of(data(), whole), nodes_of(part, mine))
            assert found.nodes[s, k] == pytest.approx(nodes, abs=1e-4)

    # Neither threads nor the order of rows change it.
    moved = data().take(np.random.default_rng(0).permutation(150))
    options = {"search": search, "dropped": SHARES, "repeats": 20, "n_jobs": 2}
    other, seeded = (drop_cases(moved, seed=seed, **options) for seed in (5, 6))
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(found, name), getattr(other, name))
    assert (found.edges != seeded.edges).any()


def with_values(edges, nodes, shares):
    """A record with these correlations."""
    edges, nodes, shares = (np.array(each, dtype=float) for each in (edges, nodes, shares))
    rows, (size, repeats) = np.ones(len(edges), dtype=int), edges.shape
    zeros, ones = np.zeros((size, repeats), dtype=int), np.ones((size, repeats))
    kept = {"dropped": shares, "rows": rows, "hamming": zeros, "f1": ones, "repeats": repeats}
    return replace(dropped(), edges=edges, nodes=nodes, **kept)


@given(st.data())
def test_the_coefficient_is_the_last_share_before_one_fails(draw):
    repeats = draw.draw(st.integers(20, 70))
    failing = draw.draw(st.lists(st.integers(0, repeats // 10), min_size=1, max_size=5))
    shares = np.linspace(0.1, 0.9, len(failing) + 1)[:-1]
    edges = [[0.69] * bad + [0.7] * (repeats - bad) for bad in failing]
    shuffled = np.random.default_rng(0).permuted(edges, axis=1)
    found = with_values(shuffled, np.ones_like(shuffled), shares)
    wanted = 0.0
    for share, row in zip(shares, shuffled, strict=True):
        if sum(value >= 0.7 for value in row) / repeats < 0.95:
            break
        wanted = share
    assert (found.coefficient("edges"), found.coefficient("nodes")) == (wanted, shares[-1])
    # The coefficient can be read off the chart: where the band's lower end leaves 0.7.
    low = found.to_frame()["edges_low"].to_numpy()
    passed = [share for k, share in enumerate(shares) if (low[: k + 1] >= 0.7).all()]
    assert wanted == max(passed, default=0.0)


def test_the_band_and_the_sentence():
    # The band leaves out one in twenty on either side.
    values = np.random.default_rng(1).permutation(100)[None] / 100
    frame = with_values(values, values, [0.5]).to_frame()
    band = frame[["edges_low", "edges", "edges_high"]].to_numpy().tolist()
    assert band == [[0.05, pytest.approx(0.495), 0.94]]
    # Only the largest share that was tried is a bound.
    high, low = np.ones(20), np.zeros(20)
    said = with_values([high, low], [high, high], [0.25, 0.999]).describe()
    assert said.endswith("is 0.25 for edges; for node strength it is at least 0.999.")


def test_without_edges_no_correlation_is_defined():
    noise = bjp.Dataset.from_codes(np.random.default_rng(0).integers(0, 2, (200, 4)))
    found = drop_cases(noise, dropped=SHARES, repeats=20)
    assert (found.graph.number_of_edges(), found.edges.any()) == (0, False)
    assert np.isnan([found.coefficient(of) for of in ("edges", "nodes")]).all()
    assert "cannot be measured" in found.describe()
    # Where only the subsets have no edges, their correlation counts as 0.
    few = drop_cases(data(), dropped=[0.05, 0.994], repeats=20, prior=0.4)
    assert few.rows.tolist() == [142, 1]
    assert (few.edges[1].any(), few.coefficient("edges")) == (False, 0.05)


def test_it_reports_and_stops():
    usual = {"search": "ibmap-hc", "dropped": SHARES, "repeats": 20}
    assert reports_of(drop_cases, data(), **usual) == [(k, 60) for k in range(61)]
    seen = []
    watched = Progress(lambda *at: seen.append(at), lambda: len(seen) >= 9)
    with pytest.raises(Cancelled):
        drop_cases(data(), n_jobs=2, progress=watched, **usual)
    assert 9 <= len(seen) <= 10


def test_what_it_refuses():
    assert_options_refused("repeats=19 seed=-1 n_jobs=0", drop_cases, data())
    for shares, about in (
        ([], "dropped holds no share"),
        ([0.5, 0.2], "dropped must rise"),
        ([0.0, 0.2], "dropped"),
        ([0.2, 1.0], "dropped"),
    ):
        assert_refused(OptionError, about, drop_cases, data(), dropped=shares)
    assert_refused(DataError, "fewer than two rows", drop_cases, data().take([0]))
    assert_refused(OptionError, "of=", dropped().coefficient, "variables")
