"""The start page, "/": a figure whose numbers are the engine's, and ways on; contents of others."""

import re
import threading
from itertools import accumulate

import pytest
from streamlit.testing.v1 import AppTest

import bjp_engine as bjp
from bjp_explorer.app import server, words
from bjp_explorer.shell import sources, visit
from tests.app.conftest import ROOT
from tests.app.data.uploads import in_hand
from tests.app.looks import address, payload, settled, texts


def links(app):
    found = [each.proto for each in app.main.get("page_link")]
    return {one.label: (one.page, one.query_string) for one in found}


def test_it_shows_a_score_two_doors_and_every_sample(open_app, switch_page):
    start = open_app("start")
    assert (start.title[0].value, next(iter(words.PAGES[""]))) == ("BJP Explorer", "start")
    sent, data = payload(start), sources.load("coronary").data
    trace = bjp.score(data, bjp.learn(data, search="ibmap-hc").graph)
    values = [term.value for term in trace.terms]
    shown = sent["view"], sent["editable"], sent["initial_step"], sent["terms"]["value"]
    assert shown == ("step", False, 0, values)
    assert list(accumulate(values))[-1] == pytest.approx(trace.total)

    found = links(start)
    doors = {label.split("**")[1]: where for label, where in found.items() if "**" in label}
    ways = {"Learn how it works": ("lessons", ""), "Analyse my data": ("data", "from=file")}
    assert doors == ways
    assert any("Begin" in label for label in found)
    networks = [query for page, query in found.values() if page == "network"]
    assert networks == [f"data={name}" for name in sources.samples()]

    app = switch_page(start, "data", **{"from": "file"})
    assert app.segmented_control(key="data-way").value == "file"
    assert app.file_uploader(key="data-file")
    assert in_hand(app).token == "coronary"

    app = switch_page(open_app("lessons", lesson="4", step="2"), "start")
    (door,) = (label for label, where in links(app).items() if where[0] == "lessons")
    assert "Continue lesson 4" in door
    assert links(app)[door] == ("lessons", "lesson=4&step=2")

    app = switch_page(open_app("step", data="titanic"), "start")
    assert payload(app)["names"][0] == "smoking"
    assert (in_hand(app).token, address(app)["data"]) == ("titanic", "titanic")
    assert "Titanic" in app.sidebar.markdown[0].value


def test_all_but_the_figure_is_there_while_kernels_compile(monkeypatch):
    def stop():
        raise bjp.errors.DataError("The kernels are still being compiled.")

    monkeypatch.setattr(visit, "ready", stop)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600).run()
    assert "still being compiled" in app.error[0].value
    assert {page for page, _ in links(app).values()} == {"lessons", "data", "network"}


def test_the_server_and_the_first_page_do_not_compile_at_once(monkeypatch):
    both, met, calls = threading.Barrier(2), [], []

    def compile_kernels():
        calls.append(threading.get_ident())
        try:
            met.append(both.wait(0.3))
        except threading.BrokenBarrierError:
            both.reset()

    monkeypatch.setattr(visit, "warmup", compile_kernels)
    monkeypatch.setattr(server.gc, "freeze", lambda: None)
    visit.ready.clear()
    starting = threading.Thread(target=server._get_ready)
    starting.start()
    visit.ready()
    starting.join()
    assert (len(set(calls)), met) == (2, [])


def test_long_pages_begin_with_what_they_found_and_links_to_every_section(open_app):
    for page, about in (
        ("scores", "All scores agree on"),
        ("graphs", "hill climb found the best of all"),
        ("accuracy", "comes closest to the true network"),
        ("method", ""),
    ):
        app = settled(open_app(page))
        told, titles = (
            [each.value.replace("\N{NO-BREAK SPACE}", " ") for each in blocks]
            for blocks in (app.caption, app.subheader)
        )
        found = [re.findall(r"\[([^\]]+)\]\(#([a-z-]+)\)", text) for text in told]
        (contents,) = filter(None, found)
        anchors = [each.proto.anchor for each in app.subheader]
        assert contents == list(zip(titles, anchors, strict=True)), page
        assert about in texts(app)
