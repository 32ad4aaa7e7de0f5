"""What is known of pairs on *Your network*: learned with, marked, kept in the link, and removed."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

import bjp_engine as bjp
from bjp_engine.errors import OptionError
from bjp_engine.scores import KnownEdges
from bjp_explorer.network import known, known_choice
from bjp_explorer.shell import sources, subsets
from bjp_explorer.shell.sources import Loaded
from tests.app.looks import address, payload, rested, settled, take, texts

Opened = Callable[..., AppTest]
CORONARY = sources.load("coronary")
NAMES = CORONARY.data.names
REQUIRED, FORBIDDEN = (NAMES[0], NAMES[5]), (NAMES[1], NAMES[2])
KNOWN = KnownEdges([REQUIRED], [FORBIDDEN], {(NAMES[0], NAMES[3]): 0.1})


@pytest.fixture
def opened(open_app: Callable[..., AppTest], switch_page: Callable[..., AppTest]) -> Opened:
    """Open the page on some data, with what is known of pairs, its list unfolded."""

    def open_(
        given: KnownEdges | None = None,
        search: str = "auto",
        loaded: Loaded = CORONARY,
        kind: str = "calibrated",
    ) -> AppTest:
        page = open_app(data=loaded.token)
        page.session_state["network-kind"] = kind
        page.session_state["network-search"] = search
        page.session_state["network-known"] = True
        page.session_state["network-edges"] = "probability"
        if loaded is not CORONARY:
            take(page, loaded)
        if given is not None:
            page.session_state[known_choice.choice_of(loaded).key] = given
        return settled(switch_page(page, "network"))

    return open_


def entered(page: AppTest) -> KnownEdges:
    found: KnownEdges = page.session_state[known_choice.choice_of(CORONARY).key]
    return found


def drawn(page: AppTest) -> dict[tuple[int, int], str]:
    """The tone of each pair of the drawing."""
    return {(i, j): tone for i, j, tone, *_ in payload(page)["panels"][0]["edges"]}


@pytest.mark.parametrize("search", ["auto", "ibmap-hc"])
def test_the_graph_is_the_engines(opened: Opened, search: str) -> None:
    page = opened(KNOWN, search)
    trace = bjp.learn(CORONARY.data, "bjp", search, known=KNOWN)
    index = CORONARY.data.index
    wanted = {tuple(sorted((index(x), index(y)))) for x, y in trace.graph.edges}
    tones = drawn(page)
    assert {pair for pair, tone in tones.items() if tone.split()[0] == "plain"} == wanted
    assert tones[0, 5] == "plain required"
    assert tones[1, 2] == "forbidden"
    title = payload(page)["panels"][0]["title"]
    assert "with 1 required, 1 forbidden pairs and 1 pair with a prior probability" in title
    assert {"required", "forbidden"} <= {tone["tone"] for tone in payload(page)["tones"]}
    (table,) = [each.value for each in page.dataframe if "why" in each.value]
    why = dict(zip(table["pair"], table["why"], strict=True))
    assert why["smoking – family_history"] == "you required this edge"
    assert why["smoking – systolic_pressure"].startswith("you gave it the prior probability 0.1")
    assert why["mental_work – physical_work"] == "you forbade this edge"
    sure = dict(zip(table["pair"], table["confidence"], strict=True))
    expected = bjp.edge_probabilities(CORONARY.data, known=KNOWN)
    assert sure["smoking – family_history"] == 1.0
    assert sure["mental_work – physical_work"] == 0.0
    assert sure["smoking – physical_work"] == expected.of(0, 2).confidence


def test_a_forbidden_pair_that_depends_stands_once(opened: Opened) -> None:
    # By its own test the pair depends: it is forbidden, and not what the search left out.
    page = opened(KnownEdges(forbidden=[FORBIDDEN]), kind="test")
    drawing = [edge[:3] for edge in payload(page)["panels"][0]["edges"]]
    assert [edge for edge in drawing if edge[:2] == [1, 2]] == [[1, 2, "forbidden"]]
    (table,) = [each.value for each in page.dataframe if "why" in each.value]
    (row,) = table[table["pair"] == "mental_work – physical_work"].itertuples()
    assert row.confidence > 0.9
    assert row.why == "you forbade this edge"
    assert "that the search left out: mental_work – physical_work" not in texts(page)


def test_what_the_data_contradict_is_warned_of(opened: Opened) -> None:
    page = opened(KnownEdges(forbidden=[FORBIDDEN]))
    (warning,) = [each.value for each in page.warning if "contradict" in each.value]
    p = bjp.edge_probabilities(CORONARY.data).of(*FORBIDDEN).confidence
    assert f"calibrated probability {p:.4f}" in warning.replace("\\", "")
    # That smoking and family history are apart the data agree with.
    page = opened(KnownEdges(forbidden=[REQUIRED]))
    assert not [each for each in page.warning if "contradict" in each.value]


@pytest.mark.parametrize(("kind", "key"), [("graphs", None), ("bootstrap", "network-resamples")])
def test_other_numbers_are_computed_with_it(opened: Opened, kind: str, key: str | None) -> None:
    page = opened(KNOWN, kind=kind)
    if key is not None:
        page.number_input(key=key).set_value(5)
        page = settled(page.run())
        page = settled(page.button(key="network-begin").click().run())
        expected = bjp.confidence.bootstrap(CORONARY.data, "bjp", "auto", resamples=5, known=KNOWN)
    else:
        given = {"prior_cells": "centred", "expected_degree": 2.0}
        expected = bjp.confidence.posterior_edges(CORONARY.data, known=KNOWN, **given)
    (table,) = [each.value for each in page.dataframe if "why" in each.value]
    found = dict(zip(table["pair"], table["confidence"], strict=True))
    assert found["smoking – family_history"] == 1.0
    assert found["mental_work – physical_work"] == 0.0
    assert found["smoking – physical_work"] == expected.of(0, 2).confidence


def test_nothing_known_shows_what_it_did(opened: Opened) -> None:
    page = opened()
    assert set(drawn(page).values()) <= {"plain", "missing"}
    assert "known" not in address(page)
    assert "What you entered" not in texts(page)


def test_enter_a_pair_and_remove_it(opened: Opened) -> None:
    page = opened()
    assert page.button(key="network-known-add").disabled
    page.selectbox(key="network-known-x").set_value(REQUIRED[0])
    page = settled(page.selectbox(key="network-known-y").set_value(REQUIRED[1]).run())
    page = settled(page.button(key="network-known-add").click().run())
    assert entered(page) == KnownEdges([REQUIRED])
    assert address(page)["known"] == "0.5=1"
    assert r"smoking – family\_history: must be an edge" in texts(page)
    # Another word about the same pair replaces it.
    page = settled(page.segmented_control(key="network-known-what").set_value("likely").run())
    page.number_input(key="network-known-probability").set_value(0.25)
    page = settled(page.button(key="network-known-add").click().run())
    assert entered(page) == KnownEdges(likely=[(*REQUIRED, 0.25)])
    assert address(page)["known"] == "0.5=0.25"
    page = settled(page.button(key="network-known-remove-0").click().run())
    assert entered(page).empty
    assert "known" not in address(page)


def test_a_group_and_a_contradiction(opened: Opened) -> None:
    page = opened(KnownEdges([REQUIRED]))
    group = page.multiselect(key="network-known-group")
    page = settled(group.set_value([NAMES[1], NAMES[2], NAMES[4]]).run())
    page = settled(page.button(key="network-known-add-group").click().run())
    assert address(page)["known"] == "0.5=1,1.2.4=0"
    assert {pair for pair, tone in drawn(page).items() if tone == "forbidden"} == {
        (1, 2),
        (1, 4),
        (2, 4),
    }
    group = page.multiselect(key="network-known-group")
    page = settled(group.set_value([NAMES[0], NAMES[5]]).run())
    page = rested(page.button(key="network-known-add-group").click().run())
    (said,) = page.error
    assert "both 'required' and 'forbidden'" in said.value.replace("\\", "")
    assert address(page)["known"] == "0.5=1,1.2.4=0"


def test_a_file_replaces_the_list_or_is_refused(opened: Opened) -> None:
    page = opened(KnownEdges([REQUIRED]))
    content = b"x,y,known\nmental_work,physical_work,forbidden\n"
    upload = page.file_uploader(key="network-known-file")
    page = settled(upload.set_value(("known.csv", content, "text/csv")).run())
    assert entered(page) == KnownEdges(forbidden=[FORBIDDEN])
    upload = page.file_uploader(key="network-known-file")
    page = rested(upload.set_value(("b.csv", b"smoking,nobody,required\n", "text/csv")).run())
    (said,) = page.error
    assert "Line 1 of 'b.csv': There is no variable 'nobody'" in said.value.replace("\\", "")
    assert entered(page) == KnownEdges(forbidden=[FORBIDDEN])


def test_two_clicks_choose_a_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, Any] = {"view": SimpleNamespace(node=0)}
    monkeypatch.setattr(st, "session_state", state)

    def click(node: object) -> list[int]:
        state["view"] = SimpleNamespace(node=node)
        known.pick(CORONARY, "view")
        return known.picked(CORONARY)

    assert click(0) == [0]
    assert click(5) == [0, 5]
    assert click(5) == [0]
    assert click(3) == [0, 3]
    assert click(4) == [4]
    assert click(99) == click("a") == [4]
    other = subsets.part(CORONARY, "0.1")
    assert known.picked(other) == []


class TestLink:
    FIELD = known_choice.choice_of(CORONARY)

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("0.5=1,1.2=0,0.3=0.1", KNOWN),
            ("1.2.4=0", KnownEdges(apart=[((NAMES[1], NAMES[2], NAMES[4]),) * 2])),
        ],
    )
    def test_there_and_back(self, text: str, value: KnownEdges) -> None:
        assert self.FIELD.read(text) == value
        assert self.FIELD.write(value) == text

    @pytest.mark.parametrize(
        "text",
        ["", "0.5", "0=1", "0.0=1", "0.9=1", "0.1=2", "0.1.2=1", "0.1=x", "-1.2=0", "0.1=1,1.0=0"],
    )
    def test_refused(self, text: str) -> None:
        with pytest.raises(OptionError, match="must be pairs of variables by their places"):
            self.FIELD.read(text)

    def test_variables_that_are_left_out_are_forgotten_for_as_long(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(st, "session_state", {self.FIELD.key: KNOWN})
        part = known_choice.choice_of(subsets.part(CORONARY, "0.3.5"))
        assert part.key == self.FIELD.key
        assert part.get() == KnownEdges([REQUIRED], likely={(NAMES[0], NAMES[3]): 0.1})
        assert part.write(part.get()) == "0.2=1,0.1=0.1"
        assert self.FIELD.get() == KNOWN

    def test_a_long_list_is_left_to_the_file(self) -> None:
        names = tuple(range(80))
        field = known_choice.Known("known", "key", KnownEdges(), names)
        many = KnownEdges([(0, k) for k in range(1, 80)])
        assert len(field.write(many)) > 100
        every = KnownEdges(forbidden=[(i, j) for i in names for j in names[:i]])
        assert field.write(every) == ""


def test_names_are_text(opened: Opened) -> None:
    hostile = ("<b>x</b>", "=cmd()", "**bold** $x$")
    rng = np.random.default_rng(0)
    data = bjp.Dataset.from_codes(rng.integers(0, 2, (50, 3)), names=hostile)
    loaded = Loaded("file:made", "Made up", "", data)
    page = opened(KnownEdges([hostile[:2]]), loaded=loaded)
    listed = [each.value for each in page.markdown if "must be an edge" in each.value]
    assert listed == ["\\<b\\>x\\<\\/b\\> – \\=cmd\\(\\): must be an edge"]
