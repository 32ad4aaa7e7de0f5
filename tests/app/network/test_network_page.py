"""Your network: verdicts, effects, words and what is known are what the engine computes."""

import re

import networkx as nx
import numpy as np
import pandas as pd
import pytest
import streamlit as st

import bjp_engine as bjp
from bjp_engine.errors import OptionError
from bjp_engine.scores import KnownEdges
from bjp_explorer.jobs.tasks import Shuffled
from bjp_explorer.network import known, pairs
from bjp_explorer.shell import sources, visit
from bjp_explorer.shell.text import number
from bjp_explorer.views import payloads as network_edges
from bjp_explorer.views.effects import Effect, effects_of, widths
from bjp_explorer.views.words import describe_shuffled
from tests.app import looks
from tests.app.looks import address, coupled, figures, payload, settled, texts
from tests.app.network.pages import (
    KARATE,
    drawn,
    learn,
    line,
    open_network,
    press,
    table,
    upload,
)
from tests.app.network.pages import pairs as pairs_of
from tests.refusals import assert_refused

NAMES = (
    *("smoking", "mental_work", "physical_work"),
    *("systolic_pressure", "lipoprotein_ratio", "family_history"),
)
REQUIRED, FORBIDDEN = (NAMES[0], NAMES[5]), (NAMES[1], NAMES[2])
KNOWN = KnownEdges([REQUIRED], [FORBIDDEN])


def tones(page):
    return {pair: tone for pair, (tone, *_) in drawn(page).items()}


def field():
    return known.choice_of(sources.load("coronary"))


@pytest.mark.filterwarnings("ignore:Some states of Class")
@pytest.mark.parametrize("token", ["coronary", "titanic", KARATE])
def test_verdicts_and_effects_are_drawn_tabled_and_counted_as_the_engine_has_them(token):
    loaded, page = sources.load(token), open_network(token, undecided="1")
    data, graph = loaded.data, learn(token).graph
    sure, effects = bjp.edge_probabilities(data), bjp.fit_parameters(data, graph).effects()
    verdicts = {(v.x, v.y): (v.probability, v.verdict) for v in sure.verdicts().itertuples()}
    by_verdict = {
        one: {(data.index(x), data.index(y)) for (x, y), (_, v) in verdicts.items() if v == one}
        for one in ("present", "undecided", "absent")
    }
    # Present pairs are drawn by the sign of their effect, undecided ones dashed.
    found, most = tones(page), effects["effect"].abs().groupby(effects["kind"]).max()
    assert {pair for pair, tone in found.items() if tone != "undecided"} == by_verdict["present"]
    dashed = {pair for pair, tone in found.items() if tone == "undecided"}
    assert dashed <= by_verdict["undecided"]
    assert by_verdict["undecided"] & pairs_of(graph, data) <= dashed
    assert len(dashed) == min(
        len(by_verdict["undecided"]), max(len(dashed), pairs.MOST_OTHERS - len(found))
    )
    rows = table(page).set_index("pair")
    assert {*rows["verdict"]} <= {"present", "undecided", "absent"}
    for (x, y), told in verdicts.items():
        if (name := f"{x} – {y}") in rows.index:
            assert (rows.loc[name, "probability"], rows.loc[name, "verdict"]) == told
    for row in effects.itertuples():
        pair = tuple(sorted((data.index(row.x), data.index(row.y))))
        shown = rows.loc[network_edges.pair_name(pair, data)]
        assert [*shown[["effect", "low", "high"]]] == [row.effect, row.low, row.high]
        clear = row.kind != "strength" and not row.low <= 0 <= row.high
        assert bool(shown["joins"]) == clear, row
        if pair in by_verdict["present"]:
            tone, _, text, size = drawn(page)[pair]
            sign = "positive" if row.effect > 0 else "negative"
            assert tone == (sign if clear else "unsigned")
            assert size == pytest.approx(0.25 + 0.75 * abs(row.effect) / most[row.kind], abs=6e-5)
            interval = f"[{number(row.low, 2)}, {number(row.high, 2)}]"
            assert f"{row.kind} {number(row.effect, 2)} {interval}" in text
    assert rows["effect"].notna().sum() == len(effects)
    assert {each["tone"] for each in payload(page)["tones"]} == {*found.values()} | {"width"}
    counts = {one: len(of) for one, of in by_verdict.items()}
    false = sum(1 - p for p, verdict in verdicts.values() if verdict == "present")
    missed = sum(p for p, verdict in verdicts.values() if verdict != "present")
    amounts = [number(x, 1) if x >= 0.1 else "fewer than 0.1" for x in (false, missed)]
    summary = line(page, f"**{counts['present']} of {len(verdicts)} pairs are present, ")
    for part in (
        f", {counts['absent']} absent, {counts['undecided']} undecided**",
        "(present from 0.9, absent up to 0.1)",
        f"{amounts[0]} are expected to be no edge; among the others, {amounts[1]} edges",
        f"graph learned by auto has {graph.number_of_edges()} edge",
    ):
        assert part in summary
    # What chance finds is compared without being asked for.
    tables = [bjp.confidence.shuffle_columns(data, seed) for seed in range(3)]
    edges = [bjp.learn(one, "bjp", "auto").graph.number_of_edges() for one in tables]
    present = [
        (bjp.edge_probabilities(one).verdicts()["verdict"] == "present").sum() for one in tables
    ]
    assert figures(line(page, "**Chance**")) == pytest.approx(
        [graph.number_of_edges(), np.mean(edges), 3, counts["present"], sum(present) / 3],
        abs=0.005,
    )
    assert ("truth" in rows) == bool(loaded.truth or loaded.published)
    page = settled(page.toggle(key="network-undecided").set_value(False).run())
    assert set(drawn(page)) == by_verdict["present"]
    assert "undecided" not in address(page)
    # Its score is stepped through.
    page = settled(press(page, "network-step"))
    assert page.title[0].value == "Step through the score"
    assert pairs_of(graph, data) == {(i, j) for i, j, *_ in payload(page)["edges"]}
    assert "(centred cells)" in looks.line(page)


def test_old_links_open_without_an_error():
    gone = "confidence=test&edges=probability&present=0.6&absent=0.3&threshold=0.5&search=ibmap-hc"
    gone += "&resamples=30&seed=1&reliable=0.8&plan=edited&plan-strength=2.0"
    page = open_network(**dict(part.split("=") for part in gone.split("&")))
    assert set(table(page)["verdict"]) == {"present", "undecided"}
    page = open_network(known="0.5=1,0.3=0.25,1.2.4=0")
    forbidden = [(NAMES[1], NAMES[2]), (NAMES[1], NAMES[4]), (NAMES[2], NAMES[4])]
    assert page.session_state[field().key] == KnownEdges([REQUIRED], forbidden)


def test_a_sign_needs_a_clear_effect_and_rows_that_have_both_states():
    # Mental and physical work exclude each other, whatever else is known.
    data = sources.load("coronary").data
    frame = data.to_frame()
    ratio = pd.crosstab(frame["mental_work"], frame["physical_work"])
    assert ratio.loc["yes", "yes"] * ratio.loc["no", "no"] < ratio.loc["yes", "no"] ** 2
    page = open_network()
    tone, _, text, _ = drawn(page)[1, 2]
    assert tone == "negative"
    assert "(mental_work = yes goes with physical_work = no)" in text
    assert table(page).set_index("pair").loc["mental_work – physical_work", "joins"] == "yes – no"
    # Steps of ordered states go together, not their last ones.
    rng = np.random.default_rng(3)
    level = rng.integers(0, 4, 500)
    other = np.clip(level + rng.integers(-1, 2, 500), 0, 3)
    smokes = rng.random(500) < 0.1 + 0.25 * (3 - level)
    codes = np.column_stack([level, other, smokes]).astype(int)
    data = bjp.Dataset.from_codes(codes, [4, 4, 2], ["a", "b", "smokes"], ordered=["a", "b"])
    effects = bjp.fit_parameters(data, nx.Graph([("a", "b"), ("a", "smokes")])).effects()
    found = effects_of(effects, data)
    assert found[0, 1].joins == "higher a goes with higher b"
    assert found[0, 2].joins == "higher a goes with smokes = 0"
    labels = [("a", "<b>x</b>\n\u202ey"), ("=1", "=2")]
    hostile = bjp.Dataset.from_codes([[0, 0], [1, 1]] * 9, [2, 2], ["<i>", "=x"], labels)
    row = {"x": "<i>", "y": "=x", "effect": 2.0, "low": 1.0, "high": 3.0, "spread": 0.0}
    row |= {"kind": "log odds ratio", "among": "", "doubt": ""}
    told = effects_of(pd.DataFrame([row]), hostile)[0, 1]
    assert told.joins == "<i> = <b>x</b> y goes with =x = =2"
    assert told.sign == "positive"
    # No row has the states that a negative effect would join; and an interval that holds 0.
    for numbers in ({"effect": -2.0, "low": -3.0, "high": -1.0}, {"low": -1.0}):
        none = effects_of(pd.DataFrame([row | numbers]), hostile)[0, 1]
        assert (none.sign, none.joins) == ("unsigned", "")
    nothing = Effect(0.0, -0.1, 0.1, "log odds ratio")
    assert widths({(0, 1): nothing}) == {(0, 1): 0.25}
    same = Effect(-2.0, -3.0, -1.0, "log odds ratio")
    assert set(widths({(0, 1): same, (0, 2): same}).values()) == {1.0}
    assert effects_of(None, data) == {}


def test_pairs_unlike_those_of_the_fit_and_what_chance_explains():
    codes = np.random.default_rng(6).integers(0, 20, (60, 4))
    codes[:, 1] = codes[:, 0]
    page = open_network(upload(codes))
    assert "6 pairs are not judged" in texts(page).replace("\\", "")
    assert set(table(page)["verdict"]) == {"not judged"}
    # Where nothing is judged, what was learned is drawn dashed.
    assert set(tones(page).values()) == {"undecided"}
    trace = learn()
    own = trace.graph.number_of_edges()
    none = (0,) * 18
    assert "chance explains" not in describe_shuffled(Shuffled((9, 0, *none), none, 3), trace)
    told = describe_shuffled(Shuffled((own, own, *none), none, 3), trace)
    assert re.findall(r"In (\d+) of 20 .* as many edges or more, so chance", told) == ["2"]


def test_one_variable_no_edge_and_a_constant_column():
    assert "only one variable" in open_network(coupled(("a",))).info[0].value
    codes = np.array([[i, j] for i in (0, 1) for j in (0, 1)] * 25)
    page = open_network(upload(codes, ("a", "b")))
    assert "**0 of 1 pair are present" in texts(page)
    assert not drawn(page)
    assert not any({"effect", "verdict"} & {*each.value} for each in page.dataframe)
    assert "Click an edge" not in texts(page)
    codes = np.random.default_rng(5).integers(0, 3, (80, 4))
    codes[:, 1], codes[:, 3] = 0, codes[:, 0]
    page = open_network(upload(codes, ("a", "still", "c", "d")))
    assert "still has the same value in every row" in texts(page)
    assert (0, 3) in drawn(page)


def test_what_is_known_is_learned_with_marked_and_kept_in_the_link():
    data = sources.load("coronary").data
    assert data.names == NAMES
    page = open_network("coronary", "network-known", known=field().write(KNOWN))
    trace, sure = bjp.learn(data, known=KNOWN), bjp.edge_probabilities(data, known=KNOWN)
    found, rows = tones(page), table(page).set_index("pair")
    assert found[1, 2] == "forbidden"
    assert found[0, 5].endswith(" required")
    legend = {tone["tone"] for tone in payload(page)["tones"]}
    assert {"required", "forbidden"} <= legend
    assert "learned by auto with 1 required, 1 forbidden pairs" in texts(page)
    assert f"has {trace.graph.number_of_edges()} edges" in texts(page)
    for name, p in (
        ("smoking – family_history", 1.0),
        ("mental_work – physical_work", 0.0),
        ("smoking – physical_work", sure.of(0, 2).confidence),
    ):
        assert rows.loc[name, "probability"] == p
    assert "**Chance**" not in texts(page)
    (editor,) = [each.value for each in page.dataframe if "what" in each.value]
    assert editor.to_numpy().tolist() == [
        [*REQUIRED, "must be an edge"],
        [*FORBIDDEN, "can’t be an edge"],
    ]
    p = bjp.edge_probabilities(data).of(*FORBIDDEN).confidence
    (warning,) = [each.value for each in page.warning if "contradict" in each.value]
    assert f"calibrated probability {p:.4f}" in warning.replace("\\", "")
    # That smoking and family history are apart the data agree with.
    page = open_network(known=field().write(KnownEdges(forbidden=[REQUIRED])))
    assert not [each for each in page.warning if "contradict" in each.value]


def test_the_table_of_what_is_known_and_its_links(monkeypatch):
    labels = {name: name for name in NAMES}
    shown = known.to_table(KNOWN, labels)
    assert known.from_table(shown, labels) == KNOWN
    unfinished = pd.DataFrame([{"x": NAMES[3], "y": None, "what": known.WHAT["required"]}])
    assert known.from_table(pd.concat([shown, unfinished]), labels) == KNOWN
    both = shown.assign(x=REQUIRED[0], y=REQUIRED[1])
    assert_refused(OptionError, "both 'required' and 'forbidden'", known.from_table, both, labels)
    assert (field().read("0.5=1,1.2=0"), field().write(KNOWN)) == (KNOWN, "0.5=1,1.2=0")
    assert field().read("0.5=1.0,1.2=00") == KNOWN
    wrong = ("0.5", "0=1", "0.0=1", "0.9=1", "0.1=2", "0.1=x", "-1.2=0", "0.1=1,1.0=0", "0.1=nan")
    for text in ("", *wrong):
        assert_refused(OptionError, "must be pairs of variables by", field().read, text)
    of_many = known.Known("known", "key", KnownEdges(), tuple(range(80)))
    assert len(of_many.write(KnownEdges([(0, k) for k in range(1, 80)]))) > 100
    every = KnownEdges(forbidden=[(i, j) for i in range(80) for j in range(i)])
    assert of_many.write(every) == ""
    monkeypatch.setattr(st, "session_state", {field().key: KNOWN})
    part = known.choice_of(sources.part(sources.load("coronary"), "0.3.5"))
    assert part.key == field().key
    assert part.get() == KnownEdges([REQUIRED])
    assert (part.write(part.get()), field().get()) == ("0.2=1", KNOWN)


def test_every_page_places_the_variables_alike(open_app, switch_page):
    own, titanic = coupled(("a", "b", "c", "d"), seed=4), sources.load("titanic")
    page = open_app("start")
    page.session_state[visit._UPLOADS] = {own.token: own}
    # A visit may have seen the other kind of data first.
    for loaded in (titanic, own, titanic):
        page.session_state[visit._TOKEN] = loaded.token
        settled(switch_page(page, "network"))
        places = [payload(page)[axis] for axis in "xy"]
        settled(switch_page(page, "step"))
        assert [payload(page)[axis] for axis in "xy"] == places
        assert ("(centred cells)" in looks.line(page)) == (loaded is own)
