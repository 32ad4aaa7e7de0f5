"""Effects and verdicts on *Your network*: drawn, tabled and linked as the engine has them."""

import re
from dataclasses import replace

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.confidence import EdgeConfidence
from bjp_engine.labels import has_order
from bjp_explorer.network import words
from bjp_explorer.shell import sources
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import number
from bjp_explorer.views.edges import Line
from bjp_explorer.views.effects import Effect, effects_of, join_states, widths
from bjp_explorer.views.verdicts import Thresholds, Verdicts, judge
from bjp_explorer.views.words import describe_verdicts
from tests.app.looks import payload, settled, texts
from tests.app.network.pages import drawn, learn, open_network, table

MATRIX = np.array(
    [[0.0, 0.95, 0.5, 0.9], [0.95, 0.0, 0.1, 0.02], [0.5, 0.1, 0.0, 0.3], [0.9, 0.02, 0.3, 0.0]]
)


def calibrated(judged):
    return EdgeConfidence("calibrated", tuple("abcd"), MATRIX, None, "bjp", judged=judged)


def scale(rows=500, seed=3):
    """An ordered variable on which a two-state one and one without an order depend."""
    rng = np.random.default_rng(seed)
    level = rng.integers(0, 4, rows)
    smokes = rng.random(rows) < 0.1 + 0.25 * (3 - level)
    colour = np.where(rng.random(rows) < 0.7, level % 3, rng.integers(0, 3, rows))
    codes = np.column_stack([level, smokes, colour]).astype(int)
    labels = [("<20", "20–39", "40–59", "≥60"), ("no", "yes"), ("red", "green", "blue")]
    data = bjp.Dataset.from_codes(codes, [4, 2, 3], ["age", "smokes", "colour"], labels)
    return Loaded("file:scale", "A scale", "", data)


def estimate(data, ordered=()):
    graph = bjp.learn(data, "bjp", "auto").graph
    return bjp.fit_parameters(data, graph).effects(ordered=ordered)


@pytest.mark.filterwarnings("ignore:Some states of Class")
@pytest.mark.parametrize("token", ["coronary", "titanic"])
def test_effects_are_drawn_and_tabled_as_the_engine_estimates_them(token):
    data = sources.load(token).data
    page = open_network(token)
    found, sure, effects = drawn(page), bjp.edge_probabilities(data), estimate(data)
    assert {pair for pair, (tone, *_) in found.items() if tone != "missing"} == {
        (data.index(row.x), data.index(row.y)) for row in effects.itertuples()
    }
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
    rows = {frozenset((row.x, row.y)): row for row in effects.itertuples()}
    shown = table(page)
    assert (shown["learned"] == "edge").sum() == len(rows)
    assert (len(rows) < len(shown)) or token == "titanic"
    for row in shown.itertuples():
        known = rows.get(frozenset(row.pair.split(" – ")))
        numbers = [row.effect, row.low, row.high]
        if known is None:
            assert np.isnan(numbers).all()
            assert row.joins == ""
        else:
            assert numbers == [known.effect, known.low, known.high]
    assert ("measure" in shown) == (len(sizes) > 1)
    page = settled(page.segmented_control(key="network-edges").set_value("probability").run())
    assert {tone for tone, *_ in drawn(page).values()} <= {"plain", "missing"}
    assert all(len(rest) == 3 for rest in drawn(page).values())
    assert "effect" not in table(page)


def test_the_states_that_a_sign_joins_go_together_in_the_data():
    data = sources.load("coronary").data
    page = open_network()
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


def test_hidden_edges_belong_to_the_network_that_is_fitted():
    data = sources.load("coronary").data
    sure, graph = bjp.edge_probabilities(data), nx.Graph(learn("coronary").graph)
    effects = estimate(data).set_index(["x", "y"])["effect"]
    strong = {edge: sure.of(*edge).confidence for edge in graph.edges}
    kept = [edge for edge in sorted(strong, key=lambda e: -strong[e]) if strong[edge] >= 0.9]
    assert 0 < len(kept) < len(strong)
    shown = table(open_network(threshold="0.9"))
    assert shown["effect"].dropna().tolist() == pytest.approx(
        [effects[tuple(sorted(edge, key=data.index))] for edge in kept]
    )


def test_labels_that_read_as_a_scale():
    scales = """
        1|2|3 ; 0|1|2|10 ; <20|20–39|40–59|≥60 ; <-3|-3 to -1|≥-1 ; 0|1–2|≥3 ; 1st|2nd|3rd ;
        18-24|25-34|65+ ; under 5|5 to 10|over 10 ; 30|20|10 ; 1e-05|0.001|0.5 ;
        1,000|2,500|10,000 ; 0-5|5-10|10-15
    """
    # Two states are ordered anyway.
    others = """
        1|2 ; 0-9|5-14|10-19 ; 0-0|1-0|2-1 ; 1-2|1-3|3-4 ; 1|10|2 ; 1st|2nd|3rd|Crew ;
        n|y|(missing) ; 1|2|(missing) ; red|green|blue ; a1|a2|a3 ; low|middle|high ; ²|³|٣
    """
    for cases, ordered in ((scales, True), (others, False)):
        for case in cases.split(";"):
            assert has_order(case.strip().split("|")) == ordered, case
    assert not has_order(("", " ", "1"))


def test_a_variable_has_a_sign_once_the_dataset_declares_its_order():
    loaded = scale()
    page = open_network(loaded)
    assert {drawn(page)[pair][0] for pair in ((0, 1), (0, 2))} == {"unsigned"}
    shown = table(page)["effect"].dropna().tolist()
    assert shown == pytest.approx(estimate(loaded.data)["effect"].tolist())
    old = loaded.data
    data = bjp.Dataset.from_codes(
        old.codes, old.cardinalities, old.names, old.labels, ordered=["age"]
    )
    page = open_network(replace(loaded, data=data))
    signed = estimate(old, ("age",))
    row = signed[(signed["x"] == "age") & (signed["y"] == "smokes")].iloc[0]
    assert row["kind"] == "log odds ratio per step"
    tone, *_ = drawn(page)[0, 1]
    assert (tone, row["effect"] < 0) == ("negative", True)
    assert drawn(page)[0, 2][0] == "unsigned"
    kinds = table(page).set_index("pair")["measure"]
    assert kinds["age – smokes"] == "log odds ratio per step"
    assert words.ORDERED.format(names="age") in texts(page)


def test_verdicts_follow_the_thresholds_unless_these_contradict_each_other():
    sure = bjp.edge_probabilities(sources.load("coronary").data)
    page = open_network(edges="probability", present="0.6", absent="0.3")
    for present, absent in ((0.6, 0.3), (0.9, 0.1), (0.97, 0.02)):
        page.number_input(key="network-present").set_value(present)
        page = settled(page.number_input(key="network-absent").set_value(absent).run())
        verdicts = sure.verdicts(present, absent)
        counts = verdicts["verdict"].value_counts()
        parts = [f"{counts.get(one, 0)} {one}" for one in ("absent", "undecided")]
        told = texts(page)
        be = "is" if counts["present"] == 1 else "are"
        assert f"**{counts['present']} of 15 pairs {be} present, {', '.join(parts)}**" in told
        known = {frozenset((row.x, row.y)): row.verdict for row in verdicts.itertuples()}
        for row in table(page).itertuples():
            assert row.verdict == known[frozenset(row.pair.split(" – "))]
        assert (table(page)["verdict"] == "undecided").sum() == counts.get("undecided", 0)
    assert counts["undecided"] > 0
    page = open_network(edges="probability", present="0.4", absent="0.4")
    (warning,) = page.warning
    assert "below “Present from” (0.4)" in warning.value
    assert "(present from 0.9, absent up to 0.1)" in texts(page)
    page = settled(page.number_input(key="network-absent").set_value(0.2).run())
    assert not page.warning
    assert "(present from 0.4, absent up to 0.2)" in texts(page)
    # Other numbers than calibrated ones have no verdict, and nothing to set.
    page.number_input(key="network-absent").set_value(0.4)
    page = settled(page.segmented_control(key="network-kind").set_value("test").run())
    assert "verdict" not in table(page)
    assert not page.warning
    assert not re.search("present from|absent up to|Ordered variables", texts(page))


def test_numbers_are_rounded_unless_that_reaches_a_limit_and_what_is_unlike_is_not_judged():
    data = bjp.Dataset.from_codes([[0, 0], [1, 1]])
    usual, high = Thresholds(0.9, 0.1), Thresholds(0.999, 0.1)
    for value, shown, chosen in (
        (0.6283, "0.63", usual),
        (0.898, "0.8980", usual),
        (0.1004, "0.1004", usual),
        (0.992, "> 0.99", high),
    ):
        line = Line(0, 1, value, None, value, (), learned=True)
        assert words.details([line], data, "calibrated", chosen).endswith(f"({shown})."), value
    clear = Line(0, 1, 0.9, None, 0.9, (), learned=True)
    assert not words.details([clear], data, "calibrated", usual).endswith("(0.90).")
    verdicts = Verdicts(2, 0, 13, 0, 0.0016, 0.47)
    told = describe_verdicts(verdicts, 2)
    assert "Of the 2 edges shown, fewer than 0.1 are expected to be false" in told
    assert "0.5 edges are expected" in told
    assert words.expect_errors(verdicts) == "expect < 0.1 false, 0.5 missed"
    fitted = np.ones((4, 4), dtype=np.bool_)
    fitted[0] = fitted[:, 0] = False
    found = judge(calibrated(fitted), [(0, 1), (2, 3)])
    assert (found.present, found.undecided, found.absent, found.beyond) == (0, 1, 2, 3)
    assert (found.false, found.missed) == pytest.approx((0.7, 0.1 + 0.02))
    told = describe_verdicts(found, 2)
    assert told.startswith("**0 of 3 judged pairs are present, 2 absent, 1 undecided**")
    none = judge(calibrated(np.zeros((4, 4), dtype=np.bool_)), [(0, 1)])
    assert describe_verdicts(none, 1) == words.expect_errors(none) == ""


def test_hostile_states_stay_text_and_equal_effects_have_one_width():
    labels = [("a", "<b>x</b>\n\u202ey"), ("=1", "=2")]
    data = bjp.Dataset.from_codes([[0, 0], [1, 1]], [2, 2], ["<i>", "=x"], labels)
    told = join_states((0, 1), Effect(1.0, 0.5, 1.5, "log odds ratio"), data)
    assert "\n" not in told
    assert "\u202e" not in told
    assert told.startswith("<i> = <b>x</b>")
    nothing = Effect(0.0, -0.1, 0.1, "log odds ratio")
    assert widths({(0, 1): nothing}) == {(0, 1): 0.25}
    same = Effect(-2.0, -3.0, -1.0, "log odds ratio")
    assert set(widths({(0, 1): same, (0, 2): same}).values()) == {1.0}
    assert effects_of(None, bjp.Dataset.from_codes([[0], [1]])) == {}
