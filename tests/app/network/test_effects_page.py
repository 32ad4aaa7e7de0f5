"""Effects and verdicts on *Your network*: drawn, tabled and linked as the engine has them."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import bjp_engine as bjp
from bjp_engine.labels import has_order
from bjp_engine.progress import Progress
from bjp_explorer.jobs import tasks
from bjp_explorer.network import words
from bjp_explorer.shell import sources
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import number
from bjp_explorer.views.edges import Line
from bjp_explorer.views.effects import Effect, define, effects_of, join_states, widths
from bjp_explorer.views.verdicts import Thresholds
from tests.app.looks import payload, settled, take, texts

Opened = Callable[..., AppTest]


@pytest.fixture
def opened(open_app: Callable[..., AppTest], switch_page: Callable[..., AppTest]) -> Opened:
    """Open the page with a link, once it has learned and estimated."""

    def open_(token: str = "coronary", loaded: Loaded | None = None, **query: str) -> AppTest:
        page = open_app(data=token)
        if loaded is not None:
            take(page, loaded)
        query = {"search": "auto"} | query
        # A link belongs to the data that it names.
        named = {"data": loaded.token if loaded else token}
        return settled(switch_page(page, "network", **named, **query))

    return open_


def scale(rows: int = 500, seed: int = 3) -> Loaded:
    """An ordered variable on which a two-state one and one without an order depend."""
    rng = np.random.default_rng(seed)
    level = rng.integers(0, 4, rows)
    smokes = rng.random(rows) < 0.1 + 0.25 * (3 - level)
    colour = np.where(rng.random(rows) < 0.7, level % 3, rng.integers(0, 3, rows))
    codes = np.column_stack([level, smokes, colour]).astype(int)
    labels = [("<20", "20–39", "40–59", "≥60"), ("no", "yes"), ("red", "green", "blue")]
    data = bjp.Dataset.from_codes(codes, [4, 2, 3], ["age", "smokes", "colour"], labels)
    return Loaded("file:scale", "A scale", "", data)


def table(page: AppTest) -> Any:
    return page.dataframe[0].value


def drawn(page: AppTest) -> dict[tuple[int, int], list[Any]]:
    (panel,) = payload(page)["panels"]
    return {(i, j): [tone, *rest] for i, j, tone, *rest in panel["edges"]}


def expected(data: bjp.Dataset, ordered: tuple[str, ...] = (), search: str = "auto") -> Any:
    graph = bjp.learn(data, "bjp", search).graph
    return bjp.fit_parameters(data, graph, "auto").effects(ordered=ordered)


# --- The drawing and the table --------------------------------------------------------------------


@pytest.mark.parametrize("token", ["coronary", "titanic"])
def test_lines_have_the_sign_width_and_probability_of_their_edge(
    opened: Opened, token: str
) -> None:
    data = sources.load(token).data
    page = opened(token)
    found, sure = drawn(page), bjp.edge_probabilities(data)
    effects = expected(data)
    assert {pair for pair, (tone, *_) in found.items() if tone != "missing"} == {
        (data.index(row.x), data.index(row.y)) for row in effects.itertuples()
    }
    # A scale for each measure.
    most = effects["effect"].abs().groupby(effects["kind"]).max()
    sizes = {}
    for row in effects.itertuples():
        tone, weight, text, size = found[data.index(row.x), data.index(row.y)]
        sign = "positive" if row.effect > 0 else "negative"
        assert tone == ("unsigned" if row.kind == "strength" else sign)
        assert weight == pytest.approx(sure.of(row.x, row.y).confidence, abs=6e-5)
        assert size == pytest.approx(0.25 + 0.75 * abs(row.effect) / most[row.kind], abs=6e-5)
        interval = f"[{number(row.low, 2)}, {number(row.high, 2)}]"
        assert f"{row.kind} {number(row.effect, 2)} {interval}" in text
        sizes.setdefault(row.kind, []).append((abs(row.effect), size))
    assert all(max(of)[1] == 1 for of in sizes.values())
    assert len(sizes) == (1 if token == "coronary" else 2)
    legend = {each["tone"]: each["label"] for each in payload(page)["tones"]}
    assert {tone for tone, *_ in found.values()} == set(legend) - {"width", "opacity"}
    for kind, of in sizes.items():
        low, high = number(min(of)[0], 2), number(max(of)[0], 2)
        span = low if low == high else f"{low} to {high}"
        one = f"width: |effect| {span}"
        assert (f"{kind} {span}" if len(sizes) > 1 else one) in legend["width"]
    assert ("each measure on its own scale" in legend["width"]) == (len(sizes) > 1)
    assert legend["opacity"] == "opacity: calibrated probability"
    assert "width shows the effect" in payload(page)["panels"][0]["title"]


def test_the_table_has_effects_of_edges_and_none_of_other_pairs(opened: Opened) -> None:
    data = sources.load("coronary").data
    page = opened()
    rows = {frozenset((row.x, row.y)): row for row in expected(data).itertuples()}
    shown = table(page)
    assert (shown["learned"] == "edge").sum() == len(rows) < len(shown)
    for row in shown.itertuples():
        known = rows.get(frozenset(row.pair.split(" – ")))
        numbers = [row.effect, row.low, row.high]
        if known is None:
            assert np.isnan(numbers).all()
            assert row.joins == ""
        else:
            assert numbers == [known.effect, known.low, known.high]
    assert "log odds ratio (natural log) given all other variables" in texts(page)
    # One measure needs no column; what one looks for stands first.
    assert "measure" not in shown
    assert [*shown][:4] == ["pair", "confidence", "verdict", "effect"]


def test_the_states_that_a_sign_joins_are_those_that_go_together_in_the_data(
    opened: Opened,
) -> None:
    data = sources.load("coronary").data
    page = opened()
    # Mental and physical work exclude each other, whatever else is known.
    i, j = data.index("mental_work"), data.index("physical_work")
    counts = np.zeros((2, 2))
    np.add.at(counts, (data.codes[:, i], data.codes[:, j]), 1)
    assert counts[1, 1] * counts[0, 0] < counts[1, 0] * counts[0, 1]
    tone, _, text, _ = drawn(page)[i, j]
    assert tone == "negative"
    assert "(mental_work = yes goes with physical_work = no)" in text
    (row,) = table(page)[table(page)["pair"] == "mental_work – physical_work"].itertuples()
    assert row.joins == "yes – no"


def test_probabilities_are_drawn_as_before(opened: Opened) -> None:
    page = opened(edges="probability")
    assert {tone for tone, *_ in drawn(page).values()} <= {"plain", "missing"}
    assert all(len(rest) == 3 for rest in drawn(page).values())
    assert "effect" not in table(page)
    page.segmented_control(key="network-edges").set_value("effect")
    settled(page.run())
    assert "effect" in table(page)


def test_hidden_edges_belong_to_the_network_that_is_fitted(opened: Opened) -> None:
    data = sources.load("coronary").data
    sure, graph = bjp.edge_probabilities(data), nx.Graph(bjp.learn(data, "bjp", "auto").graph)
    effects = bjp.fit_parameters(data, graph, "auto").effects()
    weak = [(u, v) for u, v in graph.edges if sure.of(u, v).confidence < 0.9]
    graph.remove_edges_from(weak)
    assert weak
    shown = table(opened(threshold="0.9"))
    assert shown["effect"].dropna().tolist() == pytest.approx(
        [
            effects[(effects["x"] == x) & (effects["y"] == y)]["effect"].item()
            for x, y in (
                sorted(edge, key=data.index)
                for edge in sorted(graph.edges, key=lambda e: -sure.of(*e).confidence)
            )
        ]
    )


def test_a_graph_without_edges_has_no_effects(opened: Opened) -> None:
    codes = np.random.default_rng(1).integers(0, 2, (80, 3))
    loaded = Loaded("file:noise", "Noise", "", bjp.Dataset.from_codes(codes, names=("a", "b", "c")))
    page = opened(loaded=loaded)
    assert not drawn(page)
    assert "effect" not in (table(page) if page.dataframe else ())


def test_a_cancelled_estimate_leaves_the_page_as_it_is(
    monkeypatch: pytest.MonkeyPatch, opened: Opened
) -> None:
    real = tasks.edge_effects

    def slow(report: Any, data: Any, **asked: Any) -> Any:
        while not report.stopping():
            report.progress(7, 200)
        Progress(cancelled=lambda: True).tick(0, 1)

    monkeypatch.setattr(tasks, "edge_effects", slow)
    # Rows of their own: nothing has been estimated from them.
    page = opened(loaded=scale(seed=11), edges="probability")
    before = payload(page)["panels"][0]["edges"]
    page.segmented_control(key="network-edges").set_value("effect")
    page.run()
    assert payload(page)["panels"][0]["edges"] == before
    (cancel,) = [button for button in page.button if button.label == "Cancel"]
    cancel.click().run()
    settled(page)
    assert "Estimating effects was cancelled." in " ".join(info.value for info in page.info)
    assert payload(page)["panels"][0]["edges"] == before
    monkeypatch.setattr(tasks, "edge_effects", real)
    (again,) = [button for button in page.button if button.label == "Run it again"]
    again.click().run()
    assert "effect" in table(settled(page))


# --- Ordered variables ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("labels", "ordered"),
    [
        (("1", "2", "3"), True),
        (("0", "1", "2", "10"), True),
        (("<20", "20–39", "40–59", "≥60"), True),
        (("<-3", "-3 to -1", "≥-1"), True),
        (("0", "1–2", "≥3"), True),
        (("1st", "2nd", "3rd"), True),
        (("18-24", "25-34", "65+"), True),
        (("under 5", "5 to 10", "over 10"), True),
        (("30", "20", "10"), True),
        (("1e-05", "0.001", "0.5"), True),
        (("1,000", "2,500", "10,000"), True),
        (("0-5", "5-10", "10-15"), True),
        (("0-9", "5-14", "10-19"), False),
        (("0-0", "1-0", "2-1"), False),
        (("1-2", "1-3", "3-4"), False),
        (("1", "2"), False),  # two states are ordered anyway
        (("1", "10", "2"), False),
        (("1st", "2nd", "3rd", "Crew"), False),
        (("n", "y", "(missing)"), False),
        (("1", "2", "(missing)"), False),
        (("red", "green", "blue"), False),
        (("a1", "a2", "a3"), False),
        (("low", "middle", "high"), False),
        (("", " ", "1"), False),
        (("²", "³", "٣"), False),
    ],
)
def test_labels_that_read_as_a_scale(labels: tuple[str, ...], ordered: bool) -> None:
    assert has_order(labels) == ordered


def test_what_the_dataset_declares_as_ordered_has_signed_effects(opened: Opened) -> None:
    loaded = scale()
    page = opened(loaded=loaded)
    assert {drawn(page)[pair][0] for pair in ((0, 1), (0, 2))} == {"unsigned"}
    assert table(page)["effect"].dropna().tolist() == pytest.approx(
        expected(loaded.data)["effect"].tolist()
    )
    assert words.ORDERED.format(names=words.NO_ORDER) in texts(page)


def test_an_ordered_variable_has_a_sign_and_one_place_to_declare(opened: Opened) -> None:
    loaded = scale()
    old = loaded.data
    data = bjp.Dataset.from_codes(
        old.codes, old.cardinalities, old.names, old.labels, ordered=["age"]
    )
    page = opened(loaded=replace(loaded, data=data))
    signed = expected(old, ("age",))
    row = signed[(signed["x"] == "age") & (signed["y"] == "smokes")].iloc[0]
    assert row["kind"] == "log odds ratio per step"
    tone, _, text, _ = drawn(page)[0, 1]
    assert (tone, row["effect"] < 0) == ("negative", True)
    assert f"log odds ratio per step {number(row['effect'], 2)} " in text
    assert "(age = ≥60 goes with smokes = no)" in text
    assert drawn(page)[0, 2][0] == "unsigned"
    kinds = table(page).set_index("pair")["measure"]
    assert kinds["age – smokes"] == "log odds ratio per step"
    assert kinds["age – colour"] == "strength"
    assert "for one step of each" in texts(page)
    assert words.ORDERED.format(names="age") in texts(page)
    assert not [one for one in page.multiselect if "rdered" in one.label]


def test_links_hold_what_is_shown(opened: Opened) -> None:
    page = opened("titanic", edges="probability", present="0.8", absent="0.3")
    assert page.session_state["network-edges"] == "probability"
    assert (page.session_state["network-present"], page.session_state["network-absent"]) == (
        0.8,
        0.3,
    )


def test_nothing_to_set_has_no_settings(opened: Opened) -> None:
    page = opened(confidence="test")
    # All variables of coronary have two states, and tests are not judged.
    assert "Ordered variables" not in texts(page)
    assert not [w for w in page.number_input if w.label == words.PRESENT_FROM]


# --- Verdicts -------------------------------------------------------------------------------------


def test_verdicts_follow_the_chosen_thresholds(opened: Opened) -> None:
    data = sources.load("coronary").data
    sure = bjp.edge_probabilities(data)
    for present, absent in ((0.9, 0.1), (0.6, 0.3), (0.97, 0.02)):
        page = opened(present=f"{present}", absent=f"{absent}")
        verdicts = sure.verdicts(present, absent)
        counts = verdicts["verdict"].value_counts()
        parts = [f"{counts.get(one, 0)} {one}" for one in ("absent", "undecided")]
        told = texts(page)
        assert f"**{counts['present']} of 15 pairs are present, {', '.join(parts)}**" in told
        assert f"(present from {present:g}, absent up to {absent:g})" in told
        known = {frozenset((row.x, row.y)): row.verdict for row in verdicts.itertuples()}
        for row in table(page).itertuples():
            assert row.verdict == known[frozenset(row.pair.split(" – "))]
        # Undecided pairs are listed, absent ones only if they are edges.
        assert (table(page)["verdict"] == "undecided").sum() == counts.get("undecided", 0)
        clear = [row for row in table(page).itertuples() if row.learned == "edge"]
        doubtful = sum(absent < row.confidence < present for row in clear)
        assert ("Less clear edges, the lowest first" in told) == (doubtful > 0)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(0.6283, "0.63"), (0.898, "0.8980"), (0.1004, "0.1004"), (0.9, "0.90"), (0.992, "> 0.99")],
)
def test_a_number_is_rounded_unless_that_reaches_a_limit(value: float, shown: str) -> None:
    data = bjp.Dataset.from_codes([[0, 0], [1, 1]])
    line = Line(0, 1, value, None, value, (), learned=True)
    chosen = Thresholds(0.999, 0.1) if value > 0.99 else Thresholds(0.9, 0.1)
    told = words.details([line], data, "calibrated", chosen)
    assert told.endswith(f"({shown}).") == (value < chosen.present)


def test_thresholds_that_contradict_each_other_are_refused_in_a_sentence(opened: Opened) -> None:
    page = opened(present="0.4", absent="0.4")
    assert [warning.value for warning in page.warning] == [
        (
            "“Absent up to” (0.4) must be below “Present from” (0.4); until then verdicts use the "
            "defaults, present from 0.9, absent up to 0.1."
        )
    ]
    assert "(present from 0.9, absent up to 0.1)" in texts(page)
    page.number_input(key="network-absent").set_value(0.2)
    settled(page.run())
    assert not page.warning
    assert "(present from 0.4, absent up to 0.2)" in texts(page)


def test_other_numbers_than_calibrated_ones_have_no_verdict(opened: Opened) -> None:
    page = opened(confidence="test", present="0.4", absent="0.4")
    assert "verdict" not in table(page)
    assert not page.warning
    assert not re.search("present from|absent up to", texts(page))


# --- Words ----------------------------------------------------------------------------------------


def test_hostile_states_stay_plain_text() -> None:
    labels = [("a", "<b>x</b>\n\u202ey"), ("=1", "=2")]
    data = bjp.Dataset.from_codes([[0, 0], [1, 1]], [2, 2], ["<i>", "=x"], labels)
    told = join_states((0, 1), Effect(1.0, 0.5, 1.5, "log odds ratio"), data)
    assert "\n" not in told
    assert "\u202e" not in told
    assert told.startswith("<i> = <b>x</b>")


def test_each_kind_that_occurs_is_defined_and_no_other() -> None:
    kinds = ("log odds ratio", "log odds ratio per step", "strength")
    for k, kind in enumerate(kinds):
        told = define({(0, 1): Effect(1.0, 0.5, 1.5, kind)})
        assert ("two states each", "one step of each", "root mean square")[k] in told
        assert "the effect is" in told
        assert ("A positive effect" in told) == (kind != "strength")
        assert "95 % interval is from 200 bootstrap resamples" in told
    assert define({}) == ""


def test_widths_of_no_effect_and_of_equal_ones() -> None:
    nothing = Effect(0.0, -0.1, 0.1, "log odds ratio")
    assert widths({(0, 1): nothing}) == {(0, 1): 0.25}
    same = Effect(-2.0, -3.0, -1.0, "log odds ratio")
    assert set(widths({(0, 1): same, (0, 2): same}).values()) == {1.0}
    assert effects_of(None, bjp.Dataset.from_codes([[0], [1]])) == {}
