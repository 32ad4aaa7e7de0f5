"""Calibrated probabilities: the formula of theory.md §12, and what it must not depend on."""

import math
from functools import cache
from itertools import combinations

import numpy as np
import pytest

import bjp_engine as bjp
from benchmarks import kinds
from bjp_engine.confidence import EdgeConfidence
from bjp_engine.confidence.calibrated import edge_probabilities, fitted_pairs
from bjp_engine.errors import DataError, OptionError
from bjp_engine.search.auto import probability
from bjp_engine.search.auto.probability import TERMS, coefficients
from tests.refusals import assert_refused

CARDS = [2, 3, 2, 2, 4]
KNOWN = bjp.scores.KnownEdges(
    required=[("a", "e")], forbidden=[("b", "c")], likely={("a", "d"): 0.05}
)


@cache
def data():
    codes = np.random.default_rng(3).integers(0, CARDS, (300, 5))
    codes[:, 1] = np.where(np.arange(300) % 3 > 0, codes[:, 0], codes[:, 1])
    codes[:, 3] = np.where(np.arange(300) % 4 > 0, codes[:, 2], codes[:, 3])
    return bjp.Dataset.from_codes(codes, CARDS, list("abcde"), ordered=["b", "e"])


@cache
def usual():
    return edge_probabilities(data())


def s(v):
    return math.copysign(4 * math.log(1 + min(abs(v), 25) / 4), v)


def by_hand(known):
    """The formula, a pair at a time; (a, e) is required and (b, c) forbidden if any is known."""
    said, n, rows = bjp.learn(data(), known=known).evidence, 5, data().rows
    beta, settled = dict(zip(TERMS, coefficients().tolist(), strict=True)), {}
    # Bayes' rule for the likely pair: its odds as the usual prior has them, times the ratio.
    pairs = list(combinations(range(n), 2))
    added = dict.fromkeys(pairs, 0.0)
    if known is not None:
        settled = {(0, 4): 1.0, (1, 2): 0.0}
        p = 0.49  # expected degree 2 of five variables, at most 0.49
        added[0, 3] = math.log(0.05 / 0.95) - math.log(p / (1 - p))
    chance = {p: 1 / (1 + math.exp(added[p] - said.log_odds[p])) for p in pairs} | settled
    near = {(x, y): p for (i, j), p in chance.items() for x, y in ((i, j), (j, i))}
    degree = [sum(near[x, y] for y in range(n) if y != x) for x in range(n)]
    u, a = said.density, said.dependence
    found = dict(settled)
    for x, y in set(pairs) - settled.keys():
        eta = said.unexplained[x, y]
        against = 1 - min(max((eta - 0.03) / 0.17, 0), 1) / 2
        models = s(said.log_odds[x, y] - added[x, y])
        states = math.log((CARDS[x] - 1) * (CARDS[y] - 1))
        others = set(range(n)) - {x, y}
        shared = sum(near[x, k] * near[k, y] / max(1, degree[k]) for k in others)
        values = {
            "constant": 1,
            "rows": math.log(min(max(rows, 100), 8000) / 1000) / 2,
            "taking part": math.log(min(max(said.taking_part, 3), 128) / 30),
            "dependence": a,
            "unexplained": eta,
            "density × dependence": u * a,
            "models against": min(models, 0),
            "models": models,
            "test": s(said.test[x, y]),
            "states × partial": states * s(said.partial[x, y]),
            "indirect": s(said.indirect[x, y]),
            "shared": math.log(1 + 100 * shared),
            "busier": math.log(max(degree[x], degree[y]) - near[x, y] + 0.3),
        }
        v = sum(beta[term] * value for term, value in values.items())
        # What speaks for an edge counts two thirds.
        v *= 2 / 3 if v > 0 else against
        found[x, y] = 1 / (1 + math.exp(-v - added[x, y]))
    return found


def test_the_formula_by_hand_and_with_what_is_known_with_a_trace_and_without():
    for known in (None, KNOWN):
        trace, found = bjp.learn(data(), known=known), edge_probabilities(data(), known=known)
        for (x, y), expected in by_hand(known).items():
            assert found.of(x, y).confidence == pytest.approx(expected, rel=1e-9), (x, y, known)
        assert (found.kind, found.method, found.search) == ("calibrated", "bjp", "auto")
        assert found.error is None
        np.testing.assert_array_equal(edge_probabilities(data(), trace).matrix, found.matrix)
    verdicts = {(row.x, row.y): row.verdict for row in found.verdicts().itertuples()}
    assert (verdicts["a", "e"], verdicts["b", "c"]) == ("present", "absent")
    same = edge_probabilities(data(), known={("a", "d"): 0.49, ("b", "e"): 0.49})
    np.testing.assert_allclose(same.matrix, usual().matrix, rtol=1e-9)
    about = "known can't be given with a trace"
    assert_refused(OptionError, about, edge_probabilities, data(), trace, known=KNOWN)


def test_the_coefficients():
    beta = dict(zip(TERMS, coefficients().tolist(), strict=True))
    # More evidence of any kind never speaks against an edge.
    assert min(beta["models"], beta["models against"], beta["indirect"]) > 0
    assert min(beta["test"], beta["states × partial"]) > 0
    assert min(beta["shared"], beta["busier"]) > 0
    assert (np.diff(probability.saturated(np.linspace(-25, 25, 101))) > 0).all()
    assert not coefficients().flags.writeable


def test_the_names_and_the_order_of_columns_change_nothing():
    matrix = usual().matrix
    np.testing.assert_array_equal(matrix, matrix.T)
    assert (np.diag(matrix) == 0).all()
    model = bjp.sampling.random_model(bjp.networks.load("hub-1"), "log-odds", seed=1005)
    hub = model.sample(250, seed=1005)
    order = np.random.default_rng(0).permutation(hub.n)
    cards, names = [hub.cardinalities[k] for k in order], [f"v{k}" for k in range(hub.n)]
    moved = bjp.Dataset.from_codes(hub.codes[:, order], cards, names)
    whole = edge_probabilities(hub).matrix
    expected = whole[np.ix_(order, order)]
    np.testing.assert_allclose(edge_probabilities(moved).matrix, expected, rtol=1e-7)
    # Nor does a trace of the same data whose last digits differ.
    np.testing.assert_array_equal(edge_probabilities(hub, bjp.learn(hub)).matrix, whole)


def test_an_order_that_is_there_raises_true_pairs_and_more_rows_do():
    for kind in ("scale, normal", "scale, factors", "scale, linear"):
        mean, present = {}, []
        for rows, ordered in ((300, True), (1500, True), (1500, False)):
            each = []
            for seed in (100, 101):
                table = kinds.make(kind, seed, 1500)
                of = edge_probabilities(table.data(rows, ordered=ordered)).matrix
                each += of[np.triu(table.truth, 1)].tolist()
                present += table.truth[np.triu(of >= 0.9)].tolist()
            mean[rows, ordered] = np.mean(each)
        assert np.mean(present) >= 0.9, kind
        assert mean[1500, True] > max(mean[300, True], mean[1500, False]) + 0.05, (kind, mean)


def test_independent_columns_of_rare_states_have_no_verdict_but_absent():
    for rows in (250, 2000):
        table = kinds.make("rare states, independent", 100, rows)
        pairs = edge_probabilities(table.data(rows)).matrix[np.triu_indices(60, 1)]
        assert (pairs < 0.9).all(), rows
        assert (pairs <= 0.1).mean() > 0.95, rows


def test_where_the_data_say_nothing():
    flat = np.array(data().codes)
    flat[:, 4] = 0
    alike = {
        "a constant": edge_probabilities(bjp.Dataset.from_codes(flat, CARDS)).matrix[[0, 2, 3], 4]
    }
    for rows in (0, 1):
        few = bjp.Dataset.from_codes(data().codes[:rows, [0, 2, 3]], [2, 2, 2])
        alike[rows] = edge_probabilities(few).matrix[np.triu_indices(3, 1)]
    for case, pairs in alike.items():
        assert np.ptp(pairs) == pytest.approx(0, abs=1e-12), case
        assert 0.05 < pairs[0] < 0.9, case
    # Whatever else is constant, other pairs keep their probabilities.
    with_constants = np.insert(data().codes, [0, 2, 5], 0, axis=1)
    cards = np.insert(CARDS, [0, 2, 5], 3).tolist()
    more = bjp.Dataset.from_codes(with_constants, cards, ordered=[2, 6])
    kept = np.ix_([1, 2, 4, 5, 6], [1, 2, 4, 5, 6])
    found = edge_probabilities(more).matrix[kept]
    np.testing.assert_allclose(found, usual().matrix, rtol=1e-12)
    alone = edge_probabilities(data().select(["a"]))
    assert (alone.matrix.tolist(), alone.verdicts().empty) == ([[0.0]], True)


def test_traces_that_are_refused():
    kind, own = "need one of 'bjp' and 'auto'", "learned with options of its own"
    for options, about in (
        ({"method": "ib"}, kind),
        ({"search": "ibmap-hc"}, kind),
        # One that was stopped before it weighed the pairs.
        ({"seconds": 1e-9}, "give it more time"),
        ({"prior_cells": "equal"}, own),
        ({"expected_degree": 0.5}, own),
        ({"gamma": 2.0}, own),
    ):
        trace = bjp.learn(data(), **options)
        assert_refused(OptionError, about, edge_probabilities, data(), trace)
    for other, about in (
        (data().take(np.arange(200)), "other rows than the data"),
        (data().select([0, 1, 2]), "other variables than the data"),
    ):
        assert_refused(DataError, about, edge_probabilities, data(), bjp.learn(other))


def test_verdicts():
    matrix = np.array([[0, 0.95, 0.9], [0.95, 0, 0.1], [0.9, 0.1, 0]])
    found = EdgeConfidence("calibrated", ("a", "b", "c"), matrix, None, "bjp")
    # The thresholds belong to present and absent.
    rows = [["a", "b", 0.95, "present"], ["a", "c", 0.9, "present"], ["b", "c", 0.1, "absent"]]
    assert found.verdicts().to_numpy().tolist() == rows
    between = found.verdicts(present=0.92, absent=0.05)
    assert between["verdict"].tolist() == ["present", "undecided", "undecided"]
    for present, absent, about in (
        (0.1, 0.9, "absent=0.9 is not below present=0.1"),
        (0.5, 0.5, "absent=0.5 is not below present=0.5"),
        (1.5, 0.1, "present"),
        (0.9, None, "absent"),
    ):
        assert_refused(OptionError, about, found.verdicts, present, absent)


def test_pairs_unlike_those_of_the_fit_are_not_judged():
    codes = np.column_stack([np.random.default_rng(4).integers(0, r, 150) for r in (2, 2, 20, 1)])
    whole, few = edge_probabilities(codes), edge_probabilities(codes[:99])
    judged = {(x, y) for x, y, _, v in whole.verdicts().to_numpy() if v != "not judged"}
    assert (judged, set(few.verdicts()["verdict"])) == ({(0, 1)}, {"not judged"})
    assert EdgeConfidence("calibrated", ("a",), np.zeros((1, 1)), None, "bjp").judged is None
    codes = np.column_stack([np.arange(100) % r for r in (2, 11, 12, 1, 3)])
    other = bjp.Dataset.from_codes(codes, (2, 11, 12, 2, 3))
    of_the_fit = np.array([True, True, False, False, True])
    assert (fitted_pairs(other) == np.outer(of_the_fit, of_the_fit)).all()
    assert not fitted_pairs(other.take(range(99))).any()
