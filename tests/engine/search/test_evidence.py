"""What the parts of `auto` say of each pair: how it adds up, and what it must not depend on."""

import gc
import json
import math
import weakref
from functools import cache
from itertools import combinations, product

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.independence import TestOptions
from bjp_engine.progress import UNWATCHED
from bjp_engine.scores.structure import filled
from bjp_engine.search.auto.evidence import gather
from bjp_engine.search.auto.prior_odds import few_weak, off_the_forest
from tests.strategies import noisy_tree

PARTS = ("found", "own", "combined", "correction", "alone", "together")


@cache
def dense():
    """400 rows of 20 variables with 40 edges."""
    graph = nx.gnm_random_graph(20, 40, seed=1)
    return bjp.sampling.random_model(graph, "log-odds", seed=1000).sample(400, seed=0)


def evidence_in(data, **options):
    return gather(data, filled(data.n, 0.2), TestOptions(**options), UNWATCHED)


def off_diagonal(matrix):
    return matrix[~np.eye(len(matrix), dtype=np.bool_)]


def edges_changed(first, second):
    """Among the first 20 variables."""
    kept = first.names[:20]
    graphs = [bjp.learn(data).graph.subgraph(kept) for data in (first, second)]
    return len(set(map(frozenset, graphs[0].edges)) ^ set(map(frozenset, graphs[1].edges)))


def test_it_adds_up_to_the_prior_that_is_climbed():
    trace = bjp.learn(dense())
    evidence = trace.evidence
    surer = np.maximum(evidence.own, evidence.own.T) + evidence.prior / 2
    in_a_blanket = evidence.found | evidence.found.T
    assert evidence.combined[in_a_blanket] == pytest.approx(surer[in_a_blanket])
    for i, j in combinations(range(20), 2):
        judged = evidence.combined[i, j]
        if evidence.in_forest[i, j]:
            judged = max(judged, evidence.alone[i, j])
        expected = judged + evidence.correction[i, j] + evidence.together[i, j]
        assert evidence.log_odds[i, j] == evidence.log_odds[j, i] == expected
    assert evidence.in_forest.any()
    assert evidence.together.any()
    corrections = (
        few_weak(evidence.combined, 400),
        off_the_forest(evidence.combined, evidence.in_forest),
    )
    assert (evidence.correction == np.minimum(*corrections)).all()
    assert (off_diagonal(trace.structure.log_odds) == off_diagonal(evidence.log_odds)).all()
    assert bjp.score(dense(), trace.graph, **trace.given).total == trace.score
    assert bjp.learn(dense(), search="ibmap-hc").evidence is None
    written = json.loads(bjp.io.trace_json(trace))["evidence"]
    for name in ("prior", *PARTS):
        assert written[name] == getattr(evidence, name).tolist()


def test_tables_of_more_states_count_in_part():
    for rows, found in ((200, True), (24, False)):
        codes = noisy_tree(0, (6, 4, 2, 2), rows).data.codes.copy()
        codes[:, 3] = codes[:, 2]
        codes[::12, 3] ^= 1
        evidence = evidence_in(bjp.Dataset.from_codes(codes, (6, 4, 2, 2)))
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


def test_prior_and_gamma_reach_every_part():
    usual, sparser, odds = evidence_in(dense()), evidence_in(dense(), prior=0.9), math.log(1 / 9)
    given = gather(dense(), filled(20, 0.2) + odds, TestOptions(), UNWATCHED)
    assert off_diagonal(sparser.prior - usual.prior) == pytest.approx(odds)
    assert (off_diagonal(sparser.log_odds) == off_diagonal(given.log_odds)).all()
    assert sparser.start.sum() < usual.start.sum()
    for gamma in (0.25, 4.0):
        other = evidence_in(dense(), gamma=gamma)
        assert not np.isclose(off_diagonal(usual.own), off_diagonal(other.own)).any(), gamma
        shared = usual.in_forest & other.in_forest
        assert shared.any()
        assert not np.isclose(usual.alone[shared], other.alone[shared]).any(), gamma


def test_another_row_or_column_matters_little():
    # At a thousand rows as little as elsewhere.
    changed = dict.fromkeys((999, 1000, 1999, 2000), 0)
    for seed in range(6):
        model = bjp.sampling.random_model(nx.gnm_random_graph(20, 50, seed=seed), "log-odds")
        whole = model.sample(2001, seed=1000 + seed)
        for rows in changed:
            changed[rows] += edges_changed(*(whole.take(range(k)) for k in (rows, rows + 1)))
    assert changed[1000] <= changed[999] + 3
    assert changed[2000] <= changed[1999] + 3
    # A state that a third of the rows have.
    third = 0
    for k in range(8):
        graph = nx.gnm_random_graph(20, 20, seed=k)
        model = bjp.sampling.random_model(graph, "log-odds", seed=1000 + k)
        codes = model.sample(250, seed=1000 + k).codes
        coin, die = (np.random.default_rng(k).integers(r, size=250) for r in (2, 3))
        both = (np.column_stack([codes, column]) for column in (coin, die))
        third += edges_changed(*map(bjp.Dataset.from_codes, both))
    assert third <= 16


def test_independent_variables_have_hardly_an_edge():
    def split(states, rows):
        """Rows that are split one by one say nothing; of 45 pairs of each table."""
        rng = np.random.default_rng(1000)
        return [rng.integers(states, size=(rows, 10)).T for _ in range(10)]

    def rare(times):
        """A nearly constant column; of 420 pairs."""
        for seed in range(1000, 1004):
            rng = np.random.default_rng(seed)
            counts = [rng.zipf(2.0, 1000) for _ in range(14)]
            flag = rng.permutation(np.arange(1000) < times)
            yield [flag, *(np.unique(one, return_inverse=True)[1] for one in counts)]

    def many_states(skewed):
        """Of equal shares or not."""
        for seed in range(1000, 1020):
            rng = np.random.default_rng(seed)
            n, rows = int(rng.integers(8, 21)), int(rng.integers(150, 1001))
            columns = []
            for states in rng.integers(2, 21, size=n):
                shares = rng.dirichlet(np.full(states, 0.5)) if skewed else None
                columns.append(rng.choice(states, rows, p=shares))
            yield columns

    for make, cases, most in (
        (split, ((20, 60), (30, 100), (10, 30), (5, 20)), 10),
        (rare, ((1,), (2,), (5,)), 1),
        (many_states, ((False,), (True,)), 2),
    ):
        for case in cases:
            graphs = [bjp.learn(np.column_stack(one)).graph for one in make(*case)]
            assert sum(graph.number_of_edges() for graph in graphs) <= most, (make, case)


def test_results_do_not_keep_data_alive():
    gc.disable()
    try:
        for states in (2, 3):
            data = noisy_tree(3, (states,) * 6, 100).data
            seen = weakref.ref(data)
            bjp.learn(data)
            del data
            assert seen() is None
    finally:
        gc.enable()


# --- A pair counts less that is barely found where nearly all others are sure --------------------


def odds(*found, n=12):
    """ln odds with so many edges found; all other pairs are none."""
    matrix, pairs = np.zeros((n, n)), n * (n - 1) // 2
    matrix[np.triu_indices(n, 1)] = [*found, *[-5.0] * (pairs - len(found))]
    return matrix + matrix.T


def line(n):
    """The forest in which each variable is joined to the next."""
    return np.abs(np.subtract.outer(np.arange(n), np.arange(n))) == 1


def test_by_the_definition_pair_by_pair():
    rng = np.random.default_rng(5)
    random = [odds(*rng.normal(2, 5, n * (n - 1) // 2), n=n) for n in (3, 5, 8)]
    # Nothing found, all sure, as many barely found as are expected, more of them, a single one.
    made = [[], [50.0] * 16, [50.0] * 18 + [3.0] * 2, [3.0] * 20, [50.0] * 18 + [3.0]]
    for log_odds, rows in product(
        (*random, *(odds(*found) for found in made)), (0, 1, 2500, 10**5)
    ):
        n = len(log_odds)
        forest, q = line(n), min(5 / math.sqrt(max(rows, 1)), 0.5)
        few, off_it = few_weak(log_odds, rows), off_the_forest(log_odds, forest)
        pairs = list(combinations(range(n), 2))
        for i, j in pairs:
            others = [(a, b) for a, b in pairs if (a, b) != (i, j) and log_odds[a, b] > 0]
            barely = sum(log_odds[pair] < 6 for pair in others)
            expected = 2 * min(0, math.log((barely + q) / (len(others) + 1) / q))
            assert few[i, j] == few[j, i] == pytest.approx(expected, abs=1e-12)
            off = sum(not forest[pair] for pair in others)
            expected = 0 if forest[i, j] else min(0, math.log((off + 1) / (n / 4 + 1)))
            assert off_it[i, j] == off_it[j, i] == pytest.approx(expected, abs=1e-12)
    assert few_weak(np.zeros((1, 1)), 1000).shape == (1, 1)
