"""*Share as a page*: the view as it stands, at the step where one is."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from bjp_explorer.downloads import button
from bjp_explorer.downloads.formats import Format
from bjp_explorer.shell import sources
from tests.app.conftest import OpenApp
from tests.app.looks import payload, settled, views
from tests.app.share.test_page import Parsed

ASKED = {"editable", "report", "clickable", "pickable", "edge_clicks"}
Shared = Callable[[], tuple[Format, dict[str, Any]]]


@pytest.fixture
def shared(monkeypatch: pytest.MonkeyPatch) -> Shared:
    """The last "Share as a page" of the page that was opened, with its payload."""
    seen: dict[str, Format] = {}

    def note(kind: Format, stem: str, key: str) -> None:
        seen[kind.extension] = kind

    monkeypatch.setattr(button, "_button", note)

    def made() -> tuple[Format, dict[str, Any]]:
        kind = seen["page.html"]
        if kind.problem:
            return kind, {}
        found: dict[str, Any] = json.loads(Parsed(kind.make().decode()).scripts[1])
        if isinstance(found.get("terms"), str):
            found["terms"] = json.loads(found["terms"])
        return kind, found

    return made


def same(page: dict[str, Any], screen: dict[str, Any]) -> None:
    """A page shows what the screen does; nobody is there to answer."""
    own = {"change", "asked", "stem", *ASKED}
    assert {k: v for k, v in page.items() if k not in own} == {
        k: v for k, v in screen.items() if k not in own
    }
    assert not any(page.get(name) for name in ASKED)


@pytest.mark.parametrize(
    "query", [{}, {"graph": "true"}, {"score": "mpl"}, {"test": "centred", "graph": "empty"}]
)
def test_step(open_app: OpenApp, shared: Shared, query: dict[str, str]) -> None:
    app = settled(open_app("step", data="net:hub-1:clique-log-weights:500:3", **query))
    found = shared()[1]
    same(found, payload(app))
    assert found["view"] == "step"
    assert found["initial_step"] == 0
    # The player moves without a run of the page: a later click finds the step where it is then.
    (place,) = {found["id"].removesuffix(" (centred cells)")}
    app.session_state["step-at"][place] = 3
    assert shared()[1]["initial_step"] == 3


def test_climb(open_app: OpenApp, shared: Shared) -> None:
    app = settled(open_app("climb", data="net:hub-1:clique-log-weights:500:3"))
    found = shared()[1]
    same(found, payload(app))
    assert found["view"] == "climb"
    assert found["truth"]
    app.session_state["climb-at"][found["id"]] = 2
    assert shared()[1]["initial_step"] == 2


def test_two_climbs(open_app: OpenApp, shared: Shared) -> None:
    app = settled(open_app("climb", data="coronary", beside="score"))
    found = shared()[1]
    same(found, payload(app))
    assert found["view"] == "duel"
    assert len(found["climbs"]) == 2
    assert not any(climb.get("report") for climb in found["climbs"])


def test_networks(open_app: OpenApp, shared: Shared) -> None:
    app = settled(open_app("scores", data="net:hub-1:clique-log-weights:500:3"))
    found = shared()[1]
    same(found, next(each for each in views(app) if each["view"] == "networks"))
    assert {panel["title"] for panel in found["panels"]} >= {"BJP", "IB-score", "MPL"}


def test_what_if(open_app: OpenApp, shared: Shared) -> None:
    app = settled(open_app("network", data="coronary", given="0.1"))
    kind, found = shared()
    assert found["view"] == "whatif"
    data = sources.load("coronary").data
    assert found["evidence"] == [[0, 1]]
    assert len(found["joint"]) == 2**data.n
    assert not kind.problem
    assert app


@pytest.mark.slow
def test_what_if_of_a_large_network(open_app: OpenApp, shared: Shared) -> None:
    settled(open_app("network", data="net:karate:log-odds:1000:0", given="0.1"))
    assert "joint states, and a page holds 4,096 at most" in shared()[0].problem
