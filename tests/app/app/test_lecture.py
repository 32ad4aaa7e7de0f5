"""In a lecture: which views a list may open, how one opens, and the code of an address."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import streamlit as st

from bjp_explorer.app import lecture
from tests import qr
from tests.app.conftest import OpenApp, Run
from tests.app.looks import address, payload


def test_the_code_says_the_address() -> None:
    for text in (
        "a",
        "http://127.0.0.1:8501/step?data=coronary",
        "https://explorer.example.org/climb?data=titanic&search=tabu&tenure=7",
        "https://example.org/step?data=net:karate:log-odds:1000:0&step=12",
    ):
        made = lecture.code(text)
        assert qr.read(made["rows"]) == text
        assert (made["address"], made["told"]) == (text, "")
    # A QR code holds at most 2,953 bytes (ISO/IEC 18004, version 40-L).
    assert lecture.code("x" * 2953)["rows"]
    made = lecture.code("x" * 2954)
    assert not made["rows"]
    assert "2,954 characters" in made["told"]


def test_a_view_waits_until_the_page_is_left_and_what_is_none_is_passed_over() -> None:
    queries = ({1: "x"}, "data=coronary", {"data": 7}, {"data": "x" * 9000})
    with patch.object(st, "session_state", {}) as state:
        for event in (
            *({"what": "go", "page": page, "query": {}} for page in ("no", "../app", ["step"])),
            *({"what": "go", "page": "step", "query": query} for query in queries),
            *({"what": "go", "page": "step"}, {"what": "left"}, {"what": "code", "address": None}),
            {},
        ):
            lecture.take_up(event)
            assert not state, event
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


def test_the_projector_changes_no_choice_and_a_wrong_one_is_told(
    open_app: OpenApp, switch_page: Any
) -> None:
    for page in ("step", "climb"):
        (warning,) = open_app(page, projector="yes").warning
        assert "must be one of 0, 1" in warning.value
        assert not open_app(page, projector="1").warning
    app = open_app("step", data="coronary", score="ib")
    switch_page(app, "data")
    switch_page(app, "step", data="coronary", projector="1")
    assert address(app) == {"data": "coronary", "score": "ib"}
