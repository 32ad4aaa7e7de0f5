"""What is in the page of a record: the engine's numbers, to the last digit."""

from __future__ import annotations

import json
import subprocess
import sys
from itertools import product
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.errors import BJPError
from bjp_explorer.share import records
from bjp_explorer.share.page import FRONTEND
from bjp_explorer.share.whatif import MOST_CELLS
from tests.app.share.test_page import HOSTILE, Parsed

ROOT = Path(__file__).parents[3]
DATA = bjp.read_table(bjp.resources.sample_data("datasets", "coronary.csv"))
FOUND = bjp.learn(DATA, search="ibmap-hc")
OTHER = bjp.learn(DATA, "ib", search="ibmap-hc")
FITTED = bjp.fit_parameters(DATA, FOUND.graph)


def payload_of(page: str) -> dict[str, Any]:
    """What a page is about."""
    found: dict[str, Any] = json.loads(Parsed(page).scripts[1])
    return found


@pytest.mark.parametrize(
    ("what", "view"),
    [
        (bjp.score(DATA, FOUND.graph), "step"),
        (bjp.score(DATA, FOUND.graph, "mpl"), "step"),
        (FOUND, "climb"),
        (bjp.learn(DATA, search="tabu"), "climb"),
        (bjp.learn(DATA), "climb"),
        ([FOUND, OTHER], "duel"),
        ({"a": FOUND, "b": OTHER}, "duel"),
        ([FOUND, OTHER, FOUND.graph], "networks"),
        ([FOUND, FITTED], "networks"),
        (FOUND.graph, "networks"),
        (FITTED, "whatif"),
    ],
)
def test_each_record_has_its_view_below_a_megabyte(what: Any, view: str) -> None:
    page = bjp.share(what)
    assert payload_of(page)["view"] == view
    assert len(page.encode()) < 1_000_000
    assert view in records.HEIGHTS or page.height == 800


def test_a_score_is_the_engines_term_by_term() -> None:
    trace = bjp.score(DATA, FOUND.graph)
    found = payload_of(bjp.share(trace, step=7))
    names, terms = found["names"], found["terms"]
    assert [names[k] for k in terms["x"]] == [term.x for term in trace.terms]
    assert [names[k] for k in terms["y"]] == [term.y for term in trace.terms]
    assert terms["value"] == [term.value for term in trace.terms]
    assert [names[k] for k in found["order"]] == list(trace.order)
    assert found["initial_step"] == 7
    assert found["editable"] is False
    centred = payload_of(bjp.share(bjp.score(DATA, FOUND.graph, prior_cells="centred")))
    assert (found["score_name"], centred["score_name"]) == ("ln BJP", "ln BJP (centred cells)")


def test_a_climb_is_the_engines_flip_by_flip() -> None:
    truth = nx.Graph([DATA.names[:2]])
    found = payload_of(bjp.share(FOUND, truth=truth))
    names = found["names"]
    assert [step["score"] for step in found["steps"]] == [step.score for step in FOUND.steps]
    assert [step["gain"] for step in found["steps"]] == [step.gain for step in FOUND.steps]
    pairs = [{names[k] for k in step["edge"]} for step in found["steps"]]
    assert pairs == [set(step.edge) for step in FOUND.steps]
    assert found["start"]["score"] == FOUND.start_score
    assert found["truth"] == [[0, 1]]
    assert not found["running"]


def test_a_walk_that_ends_where_it_began_says_so() -> None:
    walk = bjp.learn(DATA)
    assert len(walk.steps) > 0
    assert nx.utils.graphs_equal(walk.start, walk.graph)
    start, climb = "as at the start: none of", f"after {len(FOUND.steps)} flips"
    assert start in bjp.share(walk)
    assert start not in bjp.share(FOUND)
    assert climb in bjp.share(FOUND)


def test_two_climbs_are_those_of_each() -> None:
    found = payload_of(bjp.share({"one": FOUND, "two": OTHER}))
    both = zip(found["climbs"], (FOUND, OTHER), strict=True)
    for side, trace in both:
        assert [step["score"] for step in side["steps"]] == [step.score for step in trace.steps]
    assert [side["title"] for side in found["climbs"]] == ["one", "two"]


def test_networks_are_toned_by_how_many_have_an_edge() -> None:
    graphs = {"a": [(0, 1), (1, 2)], "b": [(0, 1), (0, 2)], "c": [(0, 1), (1, 2)]}
    made = {}
    for name, edges in graphs.items():
        made[name] = nx.empty_graph(4)
        made[name].add_edges_from(edges)
    found = payload_of(bjp.share(made))
    assert [panel["edges"] for panel in found["panels"]] == [
        [[0, 1, "all"], [1, 2, "some"]],
        [[0, 1, "all"], [0, 2, "only"]],
        [[0, 1, "all"], [1, 2, "some"]],
    ]
    assert {tone["label"] for tone in found["tones"]} == {"in all three", "in two", "only here"}
    against = payload_of(bjp.share(made, truth=made["b"]))["panels"]
    assert against[0]["edges"] == [[0, 1, "tp"], [0, 2, "missing"], [1, 2, "fp"]]


# --- What if --------------------------------------------------------------------------------------


def sums(found: dict[str, Any]) -> dict[str, float]:
    """The probability of each state, by Deno from the page's own module and joint table."""
    code = """
import { marginsOf, weightsOf } from "MODULE";
const { states, joint, evidence, reliable } = JSON.parse(Deno.args[0]);
const known = new Map(evidence);
const sizes = states.map((of) => of.length);
const of = (size, i) => known.has(i) ? weightsOf(size, known.get(i), reliable) : null;
console.log(JSON.stringify(marginsOf(sizes, joint, sizes.map(of))));
"""
    module = Path(str(FRONTEND.joinpath("logic", "joint.js"))).as_uri()
    deno = Path(sys.executable).parent / "deno"
    made = subprocess.run(
        [deno, "eval", "--no-remote", code.replace("MODULE", module), json.dumps(found)],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    answer: dict[str, float] = json.loads(made.stdout)
    return answer


@pytest.mark.parametrize("given", [{}, {"smoking": "yes"}, {"smoking": "no", "mental_work": "yes"}])
def test_what_if_sums_to_the_engines_inference(given: dict[str, str]) -> None:
    answer: Any = sums(payload_of(bjp.share(FITTED, given=given)))
    rows = FITTED.query(given=given)
    for (name, state), probability in rows.set_index(["variable", "state"])["probability"].items():
        i = FITTED.names.index(name)
        k = FITTED.labels[i].index(state)
        assert answer["margins"][i][k] == pytest.approx(probability, abs=1e-12)
    by_hand = 1.0
    if given:
        known = [FITTED.names.index(name) for name in given]
        states = [FITTED.labels[i].index(given[FITTED.names[i]]) for i in known]
        every = product(*(range(r) for r in DATA.cardinalities))
        codes = [c for c in every if [c[i] for i in known] == states]
        data = bjp.Dataset.from_codes(codes, DATA.cardinalities, DATA.names, DATA.labels)
        by_hand = float(np.exp(FITTED.log_probability(data)).sum())
    assert answer["total"] == pytest.approx(by_hand, abs=1e-12)


def test_what_if_of_evidence_that_may_be_wrong() -> None:
    titanic = bjp.read_table(bjp.resources.sample_data("datasets", "titanic.csv"))
    network = bjp.fit_parameters(titanic, nx.path_graph(titanic.names))
    name, labels = network.names[0], network.labels[0]
    assert len(labels) > 2
    found = payload_of(bjp.share(network, given={name: labels[1]})) | {"reliable": 0.7}
    answer: Any = sums(found)
    weights = {label: 0.7 if k == 1 else 0.3 / (len(labels) - 1) for k, label in enumerate(labels)}
    rows = network.query(given={name: weights}).set_index(["variable", "state"])["probability"]
    for (variable, state), probability in rows.items():
        i = network.names.index(variable)
        k = network.labels[i].index(state)
        assert answer["margins"][i][k] == pytest.approx(probability, abs=1e-12)


def test_a_network_of_too_many_states_is_refused() -> None:
    codes = np.random.default_rng(1).integers(0, 2, (50, 13))
    network = bjp.fit_parameters(bjp.Dataset.from_codes(codes), nx.empty_graph(13))
    assert MOST_CELLS < 2**13
    with pytest.raises(BJPError, match="8,192 joint states, and a page holds 4,096 at most"):
        bjp.share(network)


# --- Input that can't be used ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("what", "how", "sentence"),
    [
        (3, {}, "what is of type int; give a score"),
        ([], {}, "what is empty; give"),
        ([3, FOUND], {}, "what holds one of type int"),
        ("abc", {}, "what is of type str"),
        ([FOUND, nx.path_graph(3)], {}, "has other variables than the first"),
        (nx.DiGraph(), {}, "undirected"),
        (nx.Graph(), {}, "no variable"),
        (FOUND, {"step": -1}, "step=-1 must be a whole number"),
        (FOUND, {"step": 10**6}, "step=1000000 must be a whole number from 0 to 8"),
        (FOUND, {"step": True}, "step=True"),
        (FITTED, {"step": 1}, "step goes with a score"),
        (FITTED, {"truth": FOUND.graph}, "truth goes with"),
        (FOUND, {"truth": nx.path_graph(3)}, "truth"),
        (FOUND, {"truth": "x"}, "truth is of type str; give a networkx.Graph"),
        (bjp.score(DATA, FOUND.graph), {"truth": FOUND.graph}, "truth goes with a search"),
        (FOUND, {"given": {}}, "given goes with a fitted network"),
        (FITTED, {"given": {"no": "yes"}}, "'no' is not one of the network's variables"),
        (FITTED, {"given": {"smoking": "maybe"}}, "no state 'maybe'; it has 'no', 'yes'"),
        (FITTED, {"given": 3}, "must be a dict"),
        (FOUND, {"title": ""}, "title='' must be a text"),
        (FOUND, {"path": 3}, "path is of type int"),
    ],
)
def test_one_sentence_on_what_cannot_be_shared(what: Any, how: Any, sentence: str) -> None:
    with pytest.raises(BJPError) as raised:
        bjp.share(what, **how)
    assert sentence in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_file_is_the_page(tmp_path: Path) -> None:
    page = bjp.share(FOUND, tmp_path / "a.html", title="Ünïcode", about="ψ")
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == page
    assert repr(page) == f"<Page of {len(page):,} characters>"


# --- In a notebook --------------------------------------------------------------------------------


@pytest.mark.parametrize("trace", [FOUND, bjp.score(DATA, FOUND.graph)])
def test_a_notebook_shows_the_page_below_its_lines(trace: Any) -> None:
    html = trace._repr_html_()
    tags = dict(Parsed(html).tags)
    assert next(iter(tags)) == "table"
    assert tags["iframe"]["srcdoc"] == bjp.share(trace)
    assert tags["iframe"]["sandbox"] == "allow-scripts allow-downloads"


def test_a_notebook_stays_light() -> None:
    few, many = (
        bjp.score(np.zeros((2, n), dtype=int), nx.empty_graph(n))._repr_html_()
        for n in (records.MOST_VARIABLES, records.MOST_VARIABLES + 1)
    )
    assert "<iframe" in few
    assert "<iframe" not in many
    assert "<table" in many


def test_names_stay_text_in_a_notebook() -> None:
    data = bjp.Dataset.from_codes([[0, 0], [1, 1]] * 20, names=[HOSTILE, "ن" * 10_000])
    tags = Parsed(bjp.learn(data)._repr_html_()).tags
    assert {tag for tag, _ in tags} == {"table", "tr", "th", "td", "iframe"}
