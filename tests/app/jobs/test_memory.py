"""The memory of a visit and of the caches is bounded in bytes."""

import pickle
from itertools import combinations

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_explorer.shell import caches, visit
from bjp_explorer.shell.sources import Loaded

N = 128


@pytest.fixture(scope="module")
def large():
    codes = np.random.default_rng(0).integers(2, size=(4, N))
    return Loaded("file:large", "Large", "", bjp.Dataset.from_codes(codes))


def test_edits_are_held_as_changes_and_large_ones_forgotten_sooner(large, monkeypatch):
    session = {}
    monkeypatch.setattr(visit.st, "session_state", session)
    graph = nx.complete_graph(N)
    pairs = list(combinations(range(N), 2))[:60]
    for u, v in pairs:
        visit.edit(large, graph)
        graph.remove_edge(u, v)
        visit.edit(large, graph)
    assert len(pickle.dumps(session)) < 40_000
    for u, v in reversed(pairs):
        assert nx.utils.graphs_equal(visit.edited_graph(large), graph)
        assert visit.edits(large).can_undo
        visit.edits(large).undo()
        graph.add_edge(u, v)
    assert nx.utils.graphs_equal(visit.edited_graph(large), graph)
    assert not visit.edits(large).can_undo

    full, none = nx.complete_graph(N), nx.empty_graph(N)
    for _ in range(20):
        visit.edit(large, full)
        visit.edit(large, none)
    assert len(pickle.dumps(session)) < 1_000_000
    visit.edits(large).undo()
    assert nx.utils.graphs_equal(visit.edited_graph(large), full)


def test_a_cache_counts_bytes_and_a_view_weighs_what_it_keeps_alive(large):
    shelf = caches.Shelf(1 << 20)
    for k in range(100):
        shelf.put(k, {"small": k})
    assert all(shelf.get(k) == {"small": k} for k in range(100))
    shelf.put("large", [np.zeros(90_000)])
    shelf.get(0)
    shelf.put("larger", {"x": (np.zeros(120_000),)})
    assert shelf.get("large") is None
    # It was looked at last.
    assert shelf.get(0) == {"small": 0}
    # What was made last is kept, however large: a page asks for it in its next run.
    shelf.put("whole", np.zeros(1 << 20))
    assert shelf.get("whole") is not None
    assert shelf.get("larger") is None
    rows = np.zeros((1000, 100))
    assert caches.weight(rows[:1]) >= rows.nbytes
    trace = bjp.learn(large.data, search="ibmap-hc")
    assert len(pickle.dumps(trace)) / 4 < caches.weight(trace) < 1 << 22
