"""What a browser may send: links to heavy graphs, and component values that no component makes."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from types import SimpleNamespace
from typing import Any

import networkx as nx
import pytest
from streamlit.testing.v1 import AppTest

import bjp_engine as bjp
from bjp_explorer.climb import visit
from bjp_explorer.jobs import costs, results
from bjp_explorer.shell import components, sources
from bjp_explorer.shell.components import numbers_in
from bjp_explorer.shell.text import number
from bjp_explorer.step import edge_text
from tests.app.looks import line, payload, settled

KARATE = "net:karate:clique-log-weights:1000:0"


class Recorded:
    """A pool that does its tasks at once and remembers them."""

    size = 1

    def __init__(self) -> None:
        self.done: list[str] = []

    def run(self, task: Any, job: Any, _visit: str) -> Any:
        self.done.append(task.run.__name__)
        return task.here(job)


def test_a_dense_graph_of_a_link_is_scored_by_a_worker(
    open_app: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    pool, data = Recorded(), sources.load(KARATE).data
    monkeypatch.setattr(results, "server_pool", lambda: pool)
    monkeypatch.setattr(costs, "QUICK", 0.05)
    dense = list(combinations(range(data.n), 2))[3:]
    for pairs, heavy, test in ((dense, True, "centred"), ([(0, 1)], False, "equal")):
        pool.done.clear()
        edges = edge_text.write(pairs, data.n)
        link = {"score": "ib", "test": test, "graph": "edited", "edges": edges}
        app = settled(open_app("step", data=KARATE, **link))
        assert ("score_graph" in pool.done) == heavy
        graph: nx.Graph[Any] = nx.empty_graph(data.names)
        graph.add_edges_from((data.names[i], data.names[j]) for i, j in pairs)
        assert len(payload(app)["edges"]) == len(pairs)
        found = bjp.score(data, graph, "ib", prior_cells=test)
        assert f" = {number(found.total)}**" in line(app)


@pytest.mark.parametrize(
    "value",
    [
        None,
        3,
        "0,1,2",
        {},
        [0, 1],
        [0, 1, 2, 3],
        [0, "1", 2],
        [0, 1.5, 2],
        [-1, 1, 2],
        [5, 1, 2],
        [0, True, 2],
        [[0], 1, 2],
    ],
)
def test_numbers_that_no_component_makes(value: object) -> None:
    assert numbers_in(value, 5, 5, 9) is None


@pytest.mark.parametrize("value", ["x", "-1", "999999", "1" * 5000, 3, ["1"], {"1": 1}])
def test_a_graph_that_is_not_shown_opens_no_page(
    value: object, open_app: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(components, "networks_view", lambda *_, **__: SimpleNamespace(open=value))
    assert open_app("graphs", data="coronary~0.1.2.3").title[0].value == "All graphs"


def test_numbers_of_a_component() -> None:
    assert numbers_in([0, 4, 8], 5, 5, 9) == [0, 4, 8]


@pytest.mark.parametrize(
    "value",
    [
        3,
        "x",
        [],
        {"id": "a"},
        {"id": "a", "step": "x"},
        {"id": ["a"], "step": 1},
        {"id": "a", "step": None},
        {"step": 3},
    ],
)
def test_a_rest_that_no_player_reports(value: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    held: dict[str, Any] = {}
    monkeypatch.setattr(visit.st, "session_state", held)
    visit.settle(value)
    assert not held


def test_a_rest_is_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(visit.st, "session_state", {})
    visit.settle({"id": "a", "step": 7})
    assert visit.at("a") == 7
