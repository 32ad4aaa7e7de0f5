"""The start page: the first at "/", a figure whose numbers are the engine's, and ways on."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from itertools import accumulate

import pytest
from streamlit.testing.v1 import AppTest

import bjp_engine as bjp
from bjp_explorer.app import server
from bjp_explorer.app import words as frame_words
from bjp_explorer.shell import loading, sources
from bjp_explorer.start import words
from tests.app.conftest import ROOT
from tests.app.data.uploads import in_hand
from tests.app.looks import address, payload

OpenApp = Callable[..., AppTest]


@pytest.fixture
def start(open_app: OpenApp) -> AppTest:
    """The app as it opens."""
    return open_app("start")


def links(app: AppTest) -> dict[str, tuple[str, str]]:
    """The page and the query of each link, by its label."""
    found = [each.proto for each in app.main.get("page_link")]
    return {one.label: (one.page, one.query_string) for one in found}


def test_it_is_the_first_page(start: AppTest) -> None:
    assert start.title[0].value == words.TITLE
    assert next(iter(frame_words.PAGES[""])) == "start"


def test_its_figure_is_the_score_of_the_learned_graph(start: AppTest) -> None:
    sent, data = payload(start), sources.load("coronary").data
    trace = bjp.score(data, bjp.learn(data, search="ibmap-hc").graph)
    assert sent["view"] == "step"
    assert not sent["editable"]
    assert sent["initial_step"] == 0
    assert sent["terms"]["value"] == [term.value for term in trace.terms]
    assert list(accumulate(sent["terms"]["value"]))[-1] == pytest.approx(trace.total)


def test_two_doors_and_every_sample(start: AppTest) -> None:
    found = links(start)
    doors = {label.split("**")[1]: where for label, where in found.items() if "**" in label}
    assert doors == {words.LEARN: ("lessons", ""), words.ANALYSE: ("data", "from=file")}
    networks = [query for page, query in found.values() if page == "network"]
    assert networks == [f"data={name}" for name in sources.samples()]


def test_it_selects_no_dataset(
    open_app: OpenApp,
) -> None:
    app = open_app("step", data="titanic")
    app.query_params.clear()
    app.switch_page("pages/start.py").run()
    assert payload(app)["names"][0] == "smoking"
    assert in_hand(app).token == "titanic"
    assert address(app)["data"] == "titanic"
    assert "Titanic" in app.sidebar.markdown[0].value


def test_all_but_the_figure_is_there_while_kernels_compile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def stop() -> None:
        raise bjp.errors.DataError("The kernels are still being compiled.")

    monkeypatch.setattr(loading, "ready", stop)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600).run()
    assert "still being compiled" in app.error[0].value
    assert {page for page, _ in links(app).values()} == {"lessons", "data", "network"}


def test_the_server_and_the_first_page_do_not_compile_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    at_work, most = [0], []

    def compile_slowly() -> None:
        at_work[0] += 1
        most.append(at_work[0])
        time.sleep(0.2)
        at_work[0] -= 1

    monkeypatch.setattr(loading, "warmup", compile_slowly)
    monkeypatch.setattr(server.gc, "freeze", lambda: None)
    loading.ready.clear()
    starting = threading.Thread(target=server._get_ready)
    starting.start()
    loading.ready()
    starting.join()
    assert most == [1, 1]


def test_the_door_to_my_data_asks_for_a_file(
    open_app: OpenApp, switch_page: Callable[..., AppTest]
) -> None:
    app = switch_page(open_app("start"), "data", **{"from": "file"})
    assert app.segmented_control(key="data-way").value == "file"
    assert app.file_uploader(key="data-file")
    assert in_hand(app).token == "coronary"
