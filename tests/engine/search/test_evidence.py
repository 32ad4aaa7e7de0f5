"""What the parts of `auto` say of each pair: how it adds up, and what it must not depend on."""

from __future__ import annotations

import gc
import json
import math
import weakref

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.arrays import Floats
from bjp_engine.independence import TestOptions
from bjp_engine.progress import UNWATCHED
from bjp_engine.scores.structure import filled
from bjp_engine.search.auto.evidence import PairEvidence, gather
from tests.strategies import noisy_tree

DENSE = bjp.sampling.random_model(nx.gnm_random_graph(20, 40, seed=1), "log-odds", seed=1000)
SPARSE = [
    bjp.sampling.random_model(nx.gnm_random_graph(20, 20, seed=k), "log-odds", seed=1000 + k)
    for k in range(8)
]


def said(data: bjp.Dataset, **options: float) -> PairEvidence:
    return gather(data, filled(data.n, 0.2), TestOptions(**options), UNWATCHED)


def off_diagonal(matrix: Floats) -> Floats:
    return matrix[~np.eye(len(matrix), dtype=np.bool_)]


def edges_changed(first: bjp.Dataset, second: bjp.Dataset, among: list[int] | None = None) -> int:
    kept = first.names if among is None else [first.names[j] for j in among]
    before, after = (
        set(map(frozenset, bjp.learn(data).graph.subgraph(kept).edges)) for data in (first, second)
    )
    return len(before ^ after)


def test_it_adds_up() -> None:
    data = DENSE.sample(400, seed=0)
    evidence = bjp.learn(data).evidence
    assert evidence is not None
    surer = np.maximum(evidence.own, evidence.own.T) + evidence.prior / 2
    spoken = evidence.found | evidence.found.T
    assert evidence.combined[spoken] == pytest.approx(surer[spoken])
    for i in range(data.n):
        for j in range(i):
            judged = evidence.combined[i, j]
            if evidence.in_forest[i, j]:
                judged = max(judged, evidence.alone[i, j])
            expected = judged + evidence.correction[i, j] + evidence.together[i, j]
            assert evidence.log_odds[i, j] == expected
    assert evidence.in_forest.any()
    assert evidence.together.any()


@pytest.mark.parametrize(("rows", "found"), [(200, True), (24, False)])
def test_tables_of_more_states_count_in_part(rows: int, found: bool) -> None:
    codes = noisy_tree(0, (6, 4, 2, 2), rows).data.codes.copy()
    codes[:, 3] = codes[:, 2]
    codes[::12, 3] ^= 1
    evidence = said(bjp.Dataset.from_codes(codes, (6, 4, 2, 2)))
    # About eight rows in each cell of the first two columns, or one.
    counts = [np.unique(codes[:, j], return_counts=True)[1] for j in (0, 1)]
    spread = min((one.sum() - one.max()) * len(one) / (len(one) - 1) for one in counts)
    share = min(1, spread / len(counts[0]) / len(counts[1]) / 4) / 2
    assert share == 1 / 2 if found else 0.05 < share < 1 / 4
    surer, prior = max(evidence.own[0, 1], evidence.own[1, 0]), evidence.prior[0, 1]
    assert (evidence.found[0, 1] or evidence.found[1, 0]) == found
    if not found:
        surer = max(surer, prior - 2)
    assert evidence.combined[0, 1] == pytest.approx(prior + share * (surer - prior))
    assert evidence.found[2, 3]
    surer = max(evidence.own[2, 3], evidence.own[3, 2])
    assert evidence.combined[2, 3] == pytest.approx(surer + prior / 2)


def test_it_is_the_prior_that_is_climbed() -> None:
    data = DENSE.sample(400, seed=0)
    trace = bjp.learn(data)
    assert trace.evidence is not None
    assert (off_diagonal(trace.structure.log_odds) == off_diagonal(trace.evidence.log_odds)).all()
    assert bjp.score(data, trace.graph, **trace.given).total == trace.score
    assert bjp.learn(data, search="ibmap-hc").evidence is None


def test_it_is_told_in_json() -> None:
    trace = bjp.learn(noisy_tree(0, (2, 3, 2, 2), 200).data)
    told = json.loads(bjp.io.trace_json(trace))["evidence"]
    assert trace.evidence is not None
    for name in ("prior", "found", "own", "combined", "correction", "alone", "together"):
        assert told[name] == getattr(trace.evidence, name).tolist()


def test_the_prior_of_the_tests_reaches_every_part() -> None:
    data, pi = DENSE.sample(400, seed=0), 0.9
    usual, sparser = said(data), said(data, prior=pi)
    given = gather(data, filled(20, 0.2) + math.log((1 - pi) / pi), TestOptions(), UNWATCHED)
    assert off_diagonal(sparser.prior - usual.prior) == pytest.approx(math.log((1 - pi) / pi))
    assert (off_diagonal(sparser.log_odds) == off_diagonal(given.log_odds)).all()
    assert sparser.start.sum() < usual.start.sum()


def test_gamma_reaches_every_part() -> None:
    data = DENSE.sample(400, seed=0)
    usual, heavy = said(data), said(data, gamma=4.0)
    assert not np.isclose(off_diagonal(usual.own), off_diagonal(heavy.own)).any()
    shared = usual.in_forest & heavy.in_forest
    assert shared.any()
    assert not np.isclose(usual.alone[shared], heavy.alone[shared]).any()


def test_another_row_matters_as_little_at_a_thousand_as_elsewhere() -> None:
    changed = dict.fromkeys((999, 1000, 1999, 2000), 0)
    for seed in range(6):
        model = bjp.sampling.random_model(nx.gnm_random_graph(20, 50, seed=seed), "log-odds")
        whole = model.sample(2001, seed=1000 + seed)
        for rows in changed:
            first, second = (whole.take(np.arange(many)) for many in (rows, rows + 1))
            changed[rows] += edges_changed(first, second)
    assert changed[1000] <= changed[999] + 3
    assert changed[2000] <= changed[1999] + 3


def test_a_state_that_no_row_has_matters_to_no_other_pair() -> None:
    changed = 0
    for k, model in enumerate(SPARSE):
        drawn = model.sample(250, seed=1000 + k)
        coin = np.random.default_rng(k).integers(2, size=250)
        codes = np.column_stack([drawn.codes, coin])
        two, three = (bjp.Dataset.from_codes(codes, (2,) * 20 + (r,)) for r in (2, 3))
        changed += edges_changed(two, three, list(range(20)))
    assert changed <= len(SPARSE)


def test_a_column_of_three_states_matters_little_to_other_pairs() -> None:
    changed = 0
    for k, model in enumerate(SPARSE):
        drawn, rng = model.sample(250, seed=1000 + k), np.random.default_rng(k)
        two, three = (
            bjp.Dataset.from_codes(np.column_stack([drawn.codes, rng.integers(r, size=250)]))
            for r in (2, 3)
        )
        changed += edges_changed(two, three, list(range(20)))
    assert changed <= 2 * len(SPARSE)


@pytest.mark.parametrize(("states", "rows"), [(20, 60), (30, 100), (10, 30), (5, 20)])
def test_rows_that_are_split_one_by_one_say_nothing(states: int, rows: int) -> None:
    rng = np.random.default_rng(1000)
    tables = [rng.integers(states, size=(rows, 10)) for _ in range(10)]
    # Of the 45 pairs of each table.
    assert np.mean([bjp.learn(codes).graph.number_of_edges() for codes in tables]) <= 1


def test_states_that_do_not_occur_change_nothing() -> None:
    data = noisy_tree(3, (3, 2, 4, 5, 2), 300).data
    # Two more states of each, one of them before those that occur.
    more = bjp.Dataset.from_codes(data.codes + 1, [r + 2 for r in data.cardinalities])
    first, second = said(data), said(more)
    for name in ("found", "own", "combined", "correction", "alone", "together"):
        np.testing.assert_array_equal(getattr(first, name), getattr(second, name))
    assert set(bjp.learn(data).graph.edges) == set(bjp.learn(more).graph.edges)


@pytest.mark.parametrize("states", [2, 3])
def test_what_is_kept_of_data_does_not_keep_them_alive(states: int) -> None:
    data = noisy_tree(3, (states,) * 6, 100).data
    seen = weakref.ref(data)
    gc.disable()
    try:
        bjp.learn(data)
        del data
        assert seen() is None
    finally:
        gc.enable()


@pytest.mark.parametrize("rare", [1, 2, 5])
def test_a_nearly_constant_column_has_no_edges(rare: int) -> None:
    edges = 0
    for seed in range(1000, 1004):
        rng = np.random.default_rng(seed)
        counts = [rng.zipf(2.0, 1000) for _ in range(14)]
        flag = rng.permutation(np.arange(1000) < rare)
        columns = [flag, *(np.unique(one, return_inverse=True)[1] for one in counts)]
        edges += bjp.learn(np.column_stack(columns)).graph.number_of_edges()
    # Of 420 pairs.
    assert edges <= 1


@pytest.mark.parametrize("skewed", [False, True])
def test_independent_variables_of_many_states_have_no_edges(skewed: bool) -> None:
    edges = 0
    for seed in range(1000, 1020):
        rng = np.random.default_rng(seed)
        n, rows = int(rng.integers(8, 21)), int(rng.integers(150, 1001))
        columns = []
        for states in rng.integers(2, 21, size=n):
            shares = rng.dirichlet(np.full(states, 0.5)) if skewed else None
            columns.append(rng.choice(states, rows, p=shares))
        edges += bjp.learn(np.column_stack(columns)).graph.number_of_edges()
    assert edges <= 2
