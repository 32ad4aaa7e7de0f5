"""In a lecture: which views a list may open, how one opens, and the code of an address."""

from unittest.mock import patch

import streamlit as st

from bjp_explorer.app import lecture
from tests import qr
from tests.app.looks import address


def test_the_code_says_the_address():
    view = "https://explorer.example.org/step?data=net:karate:log-odds:1000:0&step=12"
    for text in ("a", "http://127.0.0.1:8501/step?data=coronary", view):
        made = lecture.code(text)
        assert (qr.read(made["rows"]), made["address"], made["told"]) == (text, text, "")
    # A QR code holds at most 2,953 bytes (ISO/IEC 18004, version 40-L).
    assert lecture.code("x" * 2953)["rows"]
    made = lecture.code("x" * 2954)
    assert not made["rows"]
    assert "2,954 characters" in made["told"]


def test_a_view_waits_until_the_page_is_left_and_what_is_none_is_passed_over():
    def go(page, query):
        return {"what": "go", "page": page, "query": query}

    view = ("step", {"step": "3"})
    queries = ({1: "x"}, "data=coronary", {"data": 7}, {"data": "x" * 9000})
    with patch.object(st, "session_state", {}) as state:
        for event in (
            *(go(page, {}) for page in ("no", "../app", ["step"])),
            *(go("step", query) for query in queries),
            *({"what": "go", "page": "step"}, {"what": "left"}, {"what": "code", "address": None}),
            {},
        ):
            lecture.take_up(event)
            assert not state, event
        for event, waits in ((go(*view), "go"), ({"what": "left"}, "arrive")):
            lecture.take_up(event)
            assert state == {f"lecture-{waits}": view, "lecture-count": 1}


def test_the_projector_changes_no_choice(open_app, switch_page):
    for page in ("step", "climb"):
        (warning,) = open_app(page, projector="yes").warning
        assert "must be one of 0, 1" in warning.value
        assert not open_app(page, projector="1").warning
    app = open_app("step", data="coronary", score="ib")
    switch_page(switch_page(app, "data"), "step", data="coronary", projector="1")
    assert address(app) == {"data": "coronary", "score": "ib"}
