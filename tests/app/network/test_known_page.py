"""What is known of pairs on *Your network*: learned with, marked, kept in the link, and removed."""

from types import SimpleNamespace

import streamlit as st

import bjp_engine as bjp
from bjp_engine.errors import OptionError
from bjp_engine.scores import KnownEdges
from bjp_explorer.network import known, known_choice
from bjp_explorer.shell import sources, subsets
from tests.app.looks import address, payload, rested, settled, texts
from tests.app.network.pages import drawn, open_plain, pairs, press, table
from tests.refusals import assert_refused

NAMES = (
    *("smoking", "mental_work", "physical_work"),
    *("systolic_pressure", "lipoprotein_ratio", "family_history"),
)
REQUIRED, FORBIDDEN = (NAMES[0], NAMES[5]), (NAMES[1], NAMES[2])
KNOWN = KnownEdges([REQUIRED], [FORBIDDEN], {(NAMES[0], NAMES[3]): 0.1})


def field():
    return known_choice.choice_of(sources.load("coronary"))


def open_list(given=None, **query):
    asked = {} if given is None else {"known": field().write(given)}
    return open_plain("coronary", "network-known", **({"confidence": "calibrated"} | asked | query))


def entered(page):
    return page.session_state[field().key]


def tones(page):
    return {pair: tone for pair, (tone, *_) in drawn(page).items()}


def column(page, name):
    return dict(table(page).set_index("pair")[name])


def test_graph_reasons_numbers_and_warnings_are_the_engines():
    data = sources.load("coronary").data
    assert data.names == NAMES
    page = open_list(KNOWN)
    for search in ("auto", "ibmap-hc"):
        page.segmented_control(key="network-search").set_value(search)
        page = settled(page.run())
        trace, tone = bjp.learn(data, "bjp", search, known=KNOWN), tones(page)
        plain = {pair for pair, each in tone.items() if each.split()[0] == "plain"}
        assert plain == pairs(trace.graph, data), search
        assert (tone[0, 5], tone[1, 2]) == ("plain required", "forbidden")
        title = payload(page)["panels"][0]["title"]
        assert "with 1 required, 1 forbidden pairs and 1 pair with a prior probability" in title
        assert {"required", "forbidden"} <= {tone["tone"] for tone in payload(page)["tones"]}
        why = column(page, "why")
        assert why["smoking – family_history"] == "you required this edge"
        assert "the prior probability 0.1" in why["smoking – systolic_pressure"]
        assert why["mental_work – physical_work"] == "you forbade this edge"
        check_numbers(page, bjp.edge_probabilities(data, known=KNOWN))
    page = open_list(KNOWN, confidence="graphs")
    given = {"prior_cells": "centred", "expected_degree": 2.0}
    check_numbers(page, bjp.confidence.posterior_edges(data, known=KNOWN, **given))
    page = open_list(KNOWN, confidence="bootstrap", resamples="5")
    settled(press(page, "network-begin"))
    check_numbers(page, bjp.confidence.bootstrap(data, "bjp", "auto", resamples=5, known=KNOWN))
    page = open_list(KnownEdges(forbidden=[FORBIDDEN]))
    (warning,) = [each.value for each in page.warning if "contradict" in each.value]
    p = bjp.edge_probabilities(sources.load("coronary").data).of(*FORBIDDEN).confidence
    assert f"calibrated probability {p:.4f}" in warning.replace("\\", "")
    # By its own test the pair depends: it is forbidden, and not what the search left out.
    page = settled(page.segmented_control(key="network-kind").set_value("test").run())
    assert tones(page)[1, 2] == "forbidden"
    assert column(page, "confidence")["mental_work – physical_work"] > 0.9
    assert column(page, "why")["mental_work – physical_work"] == "you forbade this edge"
    assert "that the search left out: mental_work – physical_work" not in texts(page)
    # That smoking and family history are apart the data agree with.
    page = open_list(KnownEdges(forbidden=[REQUIRED]))
    assert not [each for each in page.warning if "contradict" in each.value]


def check_numbers(page, expected):
    found = column(page, "confidence")
    assert found["smoking – family_history"] == 1.0
    assert found["mental_work – physical_work"] == 0.0
    assert found["smoking – physical_work"] == expected.of(0, 2).confidence


def test_enter_pairs_a_group_and_a_file_and_remove_them():
    page = open_list()
    assert set(tones(page).values()) <= {"plain", "missing"}
    assert "known" not in address(page)
    assert page.button(key="network-known-add").disabled
    page.selectbox(key="network-known-x").set_value(REQUIRED[0])
    page = settled(page.selectbox(key="network-known-y").set_value(REQUIRED[1]).run())
    page = settled(press(page, "network-known-add"))
    assert (entered(page), address(page)["known"]) == (KnownEdges([REQUIRED]), "0.5=1")
    assert r"smoking – family\_history: must be an edge" in texts(page)
    # Another word about the same pair replaces it.
    page = settled(page.segmented_control(key="network-known-what").set_value("likely").run())
    page.number_input(key="network-known-probability").set_value(0.25)
    page = settled(press(page, "network-known-add"))
    assert entered(page) == KnownEdges(likely=[(*REQUIRED, 0.25)])
    assert address(page)["known"] == "0.5=0.25"
    page = settled(press(page, "network-known-remove-0"))
    assert entered(page).empty
    assert "known" not in address(page)
    # A group, and one that contradicts what is there.
    page = open_list(KnownEdges([REQUIRED]))
    page.multiselect(key="network-known-group").set_value([NAMES[1], NAMES[2], NAMES[4]])
    page = settled(page.run())
    page = settled(press(page, "network-known-add-group"))
    assert address(page)["known"] == "0.5=1,1.2.4=0"
    forbidden = {pair for pair, tone in tones(page).items() if tone == "forbidden"}
    assert forbidden == {(1, 2), (1, 4), (2, 4)}
    page.multiselect(key="network-known-group").set_value([*REQUIRED])
    page = rested(press(settled(page.run()), "network-known-add-group"))
    (said,) = page.error
    assert "both 'required' and 'forbidden'" in said.value.replace("\\", "")
    assert address(page)["known"] == "0.5=1,1.2.4=0"
    content = b"x,y,known\nmental_work,physical_work,forbidden\n"
    files = page.file_uploader(key="network-known-file")
    page = settled(files.set_value(("known.csv", content, "text/csv")).run())
    assert entered(page) == KnownEdges(forbidden=[FORBIDDEN])
    files = page.file_uploader(key="network-known-file")
    page = rested(files.set_value(("b.csv", b"smoking,nobody,required\n", "text/csv")).run())
    (said,) = page.error
    assert "Line 1 of 'b.csv': There is no variable 'nobody'" in said.value.replace("\\", "")
    assert entered(page) == KnownEdges(forbidden=[FORBIDDEN])


def test_clicks_choose_a_pair_and_the_link_keeps_it(monkeypatch):
    for text, value in (
        ("0.5=1,1.2=0,0.3=0.1", KNOWN),
        ("1.2.4=0", KnownEdges(apart=[((NAMES[1], NAMES[2], NAMES[4]),) * 2])),
    ):
        assert (field().read(text), field().write(value)) == (value, text)
    wrong = ("0.5", "0=1", "0.0=1", "0.9=1", "0.1=2", "0.1.2=1", "0.1=x", "-1.2=0", "0.1=1,1.0=0")
    for text in ("", *wrong):
        assert_refused(OptionError, "must be pairs of variables by", field().read, text)
    names = tuple(range(80))
    of_many = known_choice.Known("known", "key", KnownEdges(), names)
    assert len(of_many.write(KnownEdges([(0, k) for k in range(1, 80)]))) > 100
    every = KnownEdges(forbidden=[(i, j) for i in names for j in names[:i]])
    assert of_many.write(every) == ""
    monkeypatch.setattr(st, "session_state", {field().key: KNOWN})
    part = known_choice.choice_of(subsets.part(sources.load("coronary"), "0.3.5"))
    assert part.key == field().key
    assert part.get() == KnownEdges([REQUIRED], likely={(NAMES[0], NAMES[3]): 0.1})
    assert (part.write(part.get()), field().get()) == ("0.2=1,0.1=0.1", KNOWN)
    state = {"view": SimpleNamespace(node=0)}
    monkeypatch.setattr(st, "session_state", state)
    coronary = sources.load("coronary")

    def click(node):
        state["view"] = SimpleNamespace(node=node)
        known.pick(coronary, "view")
        return known.picked(coronary)

    for node, picked in ((0, [0]), (5, [0, 5]), (5, [0]), (3, [0, 3]), (4, [4]), (99, [4])):
        assert click(node) == picked
    assert (click("a"), known.picked(subsets.part(coronary, "0.1"))) == ([4], [])


def test_a_probability_comes_back_from_a_link_to_its_last_digit():
    # One that is too small for a link leaves the list to the file.
    for p in (0.9999999, 1 - 2**-53, 1e-05, 1.5e-12, 1 / 3, 0.1 + 0.2, 5e-324):
        given = KnownEdges([REQUIRED], likely=[(NAMES[0], NAMES[3], p)])
        text = field().write(given)
        assert (field().read(text) == given) if text else p == 5e-324, p
        assert float(known.describe_line("likely", ("a", "b", p)).split()[-1]) == p
