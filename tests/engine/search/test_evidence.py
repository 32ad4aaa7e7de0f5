"""What `auto` weighs of each pair: how it adds up, and what it must not depend on."""

import gc
import json
import math
import weakref
from dataclasses import fields
from functools import cache
from itertools import combinations

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.associations import measure_associations
from bjp_engine.independence import IndependenceOptions
from bjp_engine.progress import UNWATCHED
from bjp_engine.scores.prior import filled
from bjp_engine.search.auto.evidence import gather
from bjp_engine.search.auto.linear import linear_models
from bjp_engine.search.auto.nodewise import nodewise, tells_nothing
from tests.strategies import noisy_tree


@cache
def dense():
    """400 rows of 20 variables with 40 edges."""
    graph = nx.gnm_random_graph(20, 40, seed=1)
    return bjp.sampling.random_model(graph, "log-odds", seed=1000).sample(400, seed=0)


def evidence_in(data, **options):
    return gather(data, IndependenceOptions(**options), UNWATCHED)


def off_diagonal(matrix):
    return matrix[~np.eye(len(matrix), dtype=np.bool_)]


def edges_changed(first, second):
    """Among the first 20 variables."""
    kept = first.names[:20]
    graphs = [bjp.learn(data).graph.subgraph(kept) for data in (first, second)]
    return len(set(map(frozenset, graphs[0].edges)) ^ set(map(frozenset, graphs[1].edges)))


def test_each_number_by_its_definition():
    data = dense()
    trace = bjp.learn(data)
    evidence, n = trace.evidence, data.n
    usual = math.log((2 / 19) / (17 / 19))
    models = nodewise(data, filled(n, 2 / 19))
    surer = models.log_odds(filled(n, 2 / 19))
    assert off_diagonal(evidence.log_odds) == pytest.approx(off_diagonal(surer) + usual / 2)
    assert (off_diagonal(evidence.own) == off_diagonal(models.promise)).all()
    # The test is made from the end of fewer neighbours.
    near = [set(np.flatnonzero(row).tolist()) for row in evidence.log_odds > 0]
    for i, j in combinations(range(n), 2):
        fewest = min(len(near[i]), len(near[j]))
        ends = [(a, b) for a, b in ((i, j), (j, i)) if len(near[a]) == fewest]
        tests = [
            bjp.independence_test(data, a, b, sorted(near[a] - {b}), prior_cells="centred")
            for a, b in ends
        ]
        odds = [max(-25, min(25, t.log_dependent - t.log_independent)) for t in tests]
        assert evidence.test[i, j] == evidence.test[j, i]
        assert evidence.test[i, j] == pytest.approx(np.mean(odds), abs=1e-9)
    upper, found = np.triu_indices(n, 1), measure_associations(data)
    np.testing.assert_allclose(evidence.partial, found.partial, rtol=1e-9)
    # A path between two variables is as strong as its weakest link.
    pairs = list(combinations(range(n), 2))
    alone = {pair: float(found.marginal[pair]) for pair in pairs}
    for i, j in pairs:
        strong = [
            nx.has_path(nx.Graph([(i, i), (j, j), *(p for p in pairs if alone[p] >= least)]), i, j)
            for least in sorted(alone.values())
        ]
        widest = sorted(alone.values())[sum(strong) - 1]
        assert evidence.indirect[i, j] == pytest.approx(alone[i, j] - widest, abs=1e-9)
    # A variable takes part by its strongest association, and pairs count by both their ends.
    strongest = [max(v for pair, v in alone.items() if k in pair) for k in range(n)]
    part = 1 / (1 + np.exp(1 - np.array(strongest)))
    both, chance = np.outer(part, part)[upper], 1 / (1 + np.exp(-evidence.log_odds[upper]))
    assert evidence.taking_part == pytest.approx(part.sum())
    degree = 2 * (both @ chance) / part.sum()
    assert evidence.density == pytest.approx(degree / (1 + degree))
    dependence = (both @ found.ratio[upper] + 120) / (both.sum() + 120)
    assert evidence.dependence == pytest.approx(math.log(max(1, dependence)))
    # What is associated, though it is no edge: given all others, or nearly as much as by a path.
    near = (found.marginal[upper] > 0) & (evidence.indirect[upper] > -4)
    unexplained = []
    for weight in (both, np.ones(len(pairs))):
        none = weight * (1 - chance)
        given = (none @ found.partial_ratio[upper] + 120) / (none.sum() + 120)
        share = none[near].sum() / (weight.sum() + 120)
        unexplained.append(max(0, math.log(given)) + 2 * share)
    more = max(unexplained) - unexplained[1]
    assert evidence.unexplained[upper] == pytest.approx(unexplained[1] + both * more)
    # The graph has the pairs that are rather edges than not, and no flip was made.
    matrix = nx.to_numpy_array(trace.graph, dtype=bool)
    assert (matrix == (evidence.probability >= 0.5)).all()
    assert (len(trace.steps), trace.evaluations) == (0, 0)
    assert bjp.score(data, trace.graph, **trace.given).total == trace.score
    assert bjp.learn(data, search="ibmap-hc").evidence is None
    written = json.loads(bjp.io.trace_json(trace))["evidence"]
    for name in [f.name for f in fields(evidence)]:
        assert written[name] == np.asarray(getattr(evidence, name)).tolist()


def test_tables_of_more_states_count_in_part_and_linear_models_beyond_them():
    for rows, enough in ((200, True), (24, False)):
        codes = noisy_tree(0, (6, 4, 2, 2), rows).data.codes.copy()
        codes[:, 3] = codes[:, 2]
        codes[::12, 3] ^= 1
        data = bjp.Dataset.from_codes(codes, (6, 4, 2, 2)).drop_unused_states()
        evidence, prior = evidence_in(data).log_odds, filled(4, 0.49)
        surer, linear = nodewise(data, prior).log_odds(prior), linear_models(data, prior)
        # About eight rows in each cell of the first two columns, or one.
        counts = [np.unique(codes[:, j], return_counts=True)[1] for j in (0, 1)]
        spread = min((one.sum() - one.max()) * len(one) / (len(one) - 1) for one in counts)
        share = min(1, spread / len(counts[0]) / len(counts[1]) / 4) / 2
        assert share == 1 / 2 if enough else 0.05 < share < 1 / 4
        said = prior + share * (surer - prior)
        said[2, 3] = surer[2, 3] + prior[2, 3] / 2  # two binary variables
        beyond = np.maximum(linear.promise, linear.promise.T) + prior / 2 - said
        expected = said + linear.share * np.maximum(0, beyond)
        for pair in ((0, 1), (2, 3)):
            assert evidence[pair] == pytest.approx(expected[pair]), (pair, rows)


def test_priors_count_by_bayes_rule_and_gamma_everywhere():
    usual, (i, j) = bjp.learn(dense()).evidence, (0, 1)
    base = usual.probability[i, j] / (1 - usual.probability[i, j])
    for options, times in (
        ({"prior": 0.9}, 1 / 9),
        ({"expected_degree": 4}, (4 / 15) / (2 / 17)),
        ({"edge_probability": 0.5}, 17 / 2),
        ({"edge_probability": 0.5, "prior": 0.25}, 3 * 17 / 2),
    ):
        found = bjp.learn(dense(), **options).evidence
        assert (found.log_odds == usual.log_odds).all()
        assert (found.test == usual.test).all()
        odds = found.probability[i, j] / (1 - found.probability[i, j])
        assert odds / base == pytest.approx(times, rel=1e-6), options
    for gamma in (0.25, 4.0):
        other = evidence_in(dense(), gamma=gamma)
        assert not np.isclose(off_diagonal(usual.own), off_diagonal(other.own)).any(), gamma


def test_an_exclusive_or_is_found_among_many_variables():
    for seed, n in enumerate((6, 10, 30, 60)):
        rng = np.random.default_rng(seed)
        codes = rng.integers(0, 2, (8000, n))
        codes[:, 2] = codes[:, 0] ^ codes[:, 1] ^ (rng.random(8000) < 0.27)
        found = bjp.edge_probabilities(codes).matrix
        assert (found[[0, 0, 1], [1, 2, 2]] >= 0.5).all(), n
        assert set(bjp.learn(codes).graph.edges) == {(0, 1), (0, 2), (1, 2)}, n
    # Of three states the sum, and more often than not.
    codes = np.random.default_rng(9).integers(0, 3, (3000, 12))
    codes[:, 2] = (codes[:, 0] + codes[:, 1] + (np.arange(3000) % 4 == 0)) % 3
    assert set(bjp.learn(codes).graph.edges) == {(0, 1), (0, 2), (1, 2)}


def test_no_order_of_columns_and_no_column_that_tells_nothing_changes_the_graph():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        graph = nx.gnm_random_graph(12, 18, seed=seed)
        data = bjp.sampling.random_model(graph, "log-odds", seed=seed).sample(200, seed=seed)
        expected = set(map(frozenset, bjp.learn(data).graph.edges))
        order = rng.permutation(12)
        moved = bjp.learn(bjp.Dataset.from_codes(data.codes[:, order])).graph
        assert {frozenset(order[list(e)].tolist()) for e in moved.edges} == expected, seed
        others = [bjp.Dataset.from_codes(data.codes, [3, *[2] * 11])]
        # One state in all rows, another one in each, or one of many.
        nothing = (np.zeros(200, dtype=int), rng.permutation(200), rng.permutation(200) // 4)
        others += [
            bjp.Dataset.from_codes(np.column_stack([data.codes, column])) for column in nothing
        ]
        for other in others:
            assert set(map(frozenset, bjp.learn(other).graph.edges)) == expected, seed


def test_a_column_of_many_states_is_left_out_only_if_unrelated():
    for states, rows in ((12, 110), (30, 230), (60, 450)):
        silent = found = 0
        for seed in range(20):
            rng = np.random.default_rng(seed)
            many, shares = rng.integers(states, size=rows), rng.beta(0.6, 0.6, size=states)
            rest = rng.random((rows, 7)) < [0.5, 0.5, 0.2, 0.05, 0.02, 0.01, 0.01]
            follows = rng.random(rows) < shares[many]
            unrelated = bjp.Dataset.from_codes(np.column_stack([many, rest]))
            silent += tells_nothing(unrelated.drop_unused_states())[0]
            both = np.column_stack([many, rest, follows])
            found += bjp.edge_probabilities(both).matrix[0, -1] >= 0.5
        assert silent >= 19, (states, silent)
        assert found >= 15, (states, found)


def test_copies_get_the_same_edges_in_any_order_of_columns_rows_and_states():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        n, states = 10, 2 + seed % 3
        codes, names = rng.integers(states, size=(250, n)), np.array(list("abcdefghij"))
        # A tree: each follows an earlier one but for 2 % of the rows; the last is a copy.
        for j in range(1, n):
            errors = (rng.random(250) < 0.02) * rng.integers(states, size=250)
            codes[:, j] = (codes[:, rng.integers(j)] + errors) % states
        codes[:, -1] = codes[:, 0]
        order, signs = rng.permutation(n), rng.integers(2, size=n)
        turned = np.where(signs, states - 1 - codes, codes)[rng.permutation(250)]
        ordered = names if seed % 2 else ()
        probability = [
            bjp.learn(
                bjp.Dataset.from_codes(these, [states] * n, called.tolist(), ordered=ordered)
            ).evidence.probability
            for these, called in ((codes, names), (turned[:, order], names[order]))
        ]
        expected = probability[0][np.ix_(order, order)]
        assert probability[1] == pytest.approx(expected, abs=1e-6), seed


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
