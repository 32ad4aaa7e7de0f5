"""The paper's Appendix B: the hub of four nodes, test by test."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from tests import oracles
from tests.oracles import edges_of

NAMES = ["X0", "X1", "X2", "X3"]
INDEPENDENT, DEPENDENT = False, True


@pytest.fixture(scope="module")
def codes() -> np.ndarray:
    """A hub and three leaves that copy it now and then."""
    rng = np.random.default_rng(2016)
    hub = rng.integers(2, size=(300, 1))
    leaves = np.where(rng.random((300, 3)) < 0.4, hub, rng.integers(2, size=(300, 3)))
    return np.hstack([hub, leaves])


@pytest.fixture(scope="module")
def trace(codes: np.ndarray) -> bjp.scores.ScoreTrace:
    hub = nx.Graph([("X0", "X1"), ("X0", "X2"), ("X0", "X3")])
    return bjp.score(bjp.Dataset.from_codes(codes, names=NAMES), hub, "bjp")


def listed(trace: bjp.scores.ScoreTrace, computed: bool) -> list[tuple[str, str, set[str], bool]]:
    return [
        (term.x, term.y, set(term.given), term.dependent)
        for term in trace.terms
        if term.computed is computed
    ]


def test_the_hub_comes_last(trace: bjp.scores.ScoreTrace) -> None:
    assert trace.order == ("X1", "X2", "X3", "X0")


def test_the_six_computed(trace: bjp.scores.ScoreTrace) -> None:
    assert listed(trace, computed=True) == [
        ("X1", "X2", {"X0"}, INDEPENDENT),
        ("X1", "X3", {"X0"}, INDEPENDENT),
        ("X1", "X0", set(), DEPENDENT),
        ("X2", "X3", {"X0"}, INDEPENDENT),
        ("X2", "X0", set(), DEPENDENT),
        ("X3", "X0", set(), DEPENDENT),
    ]


def test_the_six_inferred(trace: bjp.scores.ScoreTrace) -> None:
    assert listed(trace, computed=False) == [
        ("X2", "X1", {"X0"}, INDEPENDENT),
        ("X3", "X1", {"X0"}, INDEPENDENT),
        ("X3", "X2", {"X0"}, INDEPENDENT),
        ("X0", "X1", {"X2", "X3"}, DEPENDENT),
        ("X0", "X2", {"X1", "X3"}, DEPENDENT),
        ("X0", "X3", {"X1", "X2"}, DEPENDENT),
    ]
    assert all(term.value == 0.0 for term in trace.terms if not term.computed)


def test_the_score_is_the_sum_of_the_six(trace: bjp.scores.ScoreTrace, codes: np.ndarray) -> None:
    edges = edges_of([(0, 1), (0, 2), (0, 3)])
    truth = float(oracles.score(codes.tolist(), [2] * 4, edges, "bjp"))
    assert trace.total == pytest.approx(truth, rel=1e-9)


def test_the_network_is_in_the_catalogue() -> None:
    graph = bjp.networks.load("appendix-b")
    assert set(map(frozenset, graph.edges)) == edges_of([(0, 1), (0, 2), (0, 3)])
