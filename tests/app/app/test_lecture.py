"""In a lecture: which views a list may open, how one opens, and the code of an address."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import pytest
import streamlit as st

from bjp_explorer.app import lecture
from tests import qr
from tests.app.conftest import OpenApp, Run
from tests.app.looks import address, payload


@pytest.fixture
def state() -> Any:
    """A visit's memory."""
    with patch.object(st, "session_state", {}) as found:
        yield found


@pytest.mark.parametrize(
    "text",
    [
        "a",
        "http://127.0.0.1:8501/step?data=coronary",
        "https://explorer.example.org/climb?data=titanic&search=tabu&tenure=7",
        "https://example.org/step?data=net:karate:log-odds:1000:0&step=12",
    ],
)
def test_the_code_says_the_address(text: str) -> None:
    made = lecture.code(text)
    assert qr.read(made["rows"]) == text
    assert (made["address"], made["told"]) == (text, "")


def test_an_address_that_no_code_holds() -> None:
    # A QR code holds at most 2,953 bytes (ISO/IEC 18004, version 40-L).
    assert lecture.code("x" * 2953)["rows"]
    made = lecture.code("x" * 2954)
    assert not made["rows"]
    assert "2,954 characters" in made["told"]


@pytest.mark.parametrize(
    "event",
    [
        {"what": "go", "page": "elsewhere", "query": {}},
        {"what": "go", "page": "../app", "query": {}},
        {"what": "go", "page": ["step"], "query": {}},
        {"what": "go", "page": "step", "query": {1: "x"}},
        {"what": "go", "page": "step", "query": "data=coronary"},
        {"what": "go", "page": "step", "query": {"data": 7}},
        {"what": "go", "page": "step", "query": {"data": "x" * 9000}},
        {"what": "go", "page": "step"},
        {"what": "left"},
        {"what": "code", "address": None},
        {},
    ],
)
def test_what_is_no_view_is_passed_over(state: dict[str, Any], event: dict[str, Any]) -> None:
    lecture.take_up(event)
    assert not state


def test_a_view_waits_until_the_page_is_left(state: dict[str, Any]) -> None:
    lecture.take_up({"what": "go", "page": "step", "query": {"step": "3"}})
    assert state == {"lecture-go": ("step", {"step": "3"}), "lecture-count": 1}
    lecture.take_up({"what": "left"})
    assert state == {"lecture-arrive": ("step", {"step": "3"}), "lecture-count": 1}


def test_a_view_opens_as_its_link_has_it(open_app: OpenApp, run: Run) -> None:
    """Also where it is of the page that is shown, at another step and with another score."""
    app = open_app("step", data="coronary", score="ib", step="4")
    assert payload(app)["initial_step"] == 4
    for page, query in (
        ("step", {"data": "coronary", "score": "ib", "step": "9"}),
        ("step", {"data": "coronary", "step": "2"}),
        ("graphs", {"data": "titanic"}),
        ("step", {"data": "coronary", "score": "ib", "step": "4"}),
    ):
        app.session_state["lecture-go"] = page, query
        run(app)
        assert not app.title, "nothing of a page stands between two views"
        del app.session_state["lecture-go"]
        app.session_state["lecture-arrive"] = page, query
        run(app)
        assert app.title
        assert address(app) == query


def test_a_wrong_projector_is_told(open_app: OpenApp) -> None:
    for page in ("step", "climb"):
        (warning,) = open_app(page, projector="yes").warning
        assert "must be one of 0, 1" in warning.value
        assert not open_app(page, projector="1").warning


def test_the_projector_changes_no_choice(open_app: OpenApp, switch_page: Any) -> None:
    app = open_app("step", data="coronary", score="ib")
    switch_page(app, "data")
    switch_page(app, "step", data="coronary", projector="1")
    assert address(app) == {"data": "coronary", "score": "ib"}
