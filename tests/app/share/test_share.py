"""A view as one file: the engine's numbers, no server, no name as markup; also from the pages."""

import base64
import hashlib
import json
import re
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from itertools import product
from pathlib import Path

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.errors import BJPError
from bjp_explorer.downloads import button
from bjp_explorer.share import records
from bjp_explorer.share.page import FRONTEND, page, style
from bjp_explorer.share.records import MOST_CELLS
from bjp_explorer.shell import sources
from tests.app.looks import coronary, learn, payload, settled, views
from tests.refusals import assert_refused

VIEWS = ("step", "climb", "duel", "networks", "lesson", "practice")
HOSTILE = "</script><img src=x onerror=alert(1)><!--<script>"
ASKED = {"editable", "report", "clickable", "edge_clicks"}
HUB = "net:hub-1:clique-log-weights:500:3"


class Parsed(HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags = []
        self.scripts = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self.scripts.append("")

    def handle_data(self, data):
        if self.cdata_elem == "script":
            self.scripts[-1] += data


def payload_of(text):
    found = json.loads(Parsed(text).scripts[1])
    if isinstance(found.get("terms"), str):
        found["terms"] = json.loads(found["terms"])
    return found


@cache
def fit():
    return bjp.fit_parameters(coronary(), learn().graph)


@pytest.mark.parametrize("view", VIEWS)
def test_holds_the_modules_of_its_view_and_runs_no_other_script(view):
    found = Parsed(page(view, {"name": "https://example.com/x.js"}, title="t"))
    imports = json.loads(found.scripts[0])["imports"]
    assert {f"views/{view}.js", "share.js"} <= set(imports)
    others = {f"views/{other}.js" for other in (*VIEWS, "link")} - {f"views/{view}.js"}
    assert not others & set(imports)
    assert re.findall(r'from "([^"]+)"', found.scripts[2]) == [f"views/{view}.js", "share.js"]
    policy = next(a["content"] for _, a in found.tags if "http-equiv" in a)
    rules = dict(rule.split(" ", 1) for rule in str(policy).split("; "))
    assert rules["default-src"] == "'none'"
    assert set(rules) == {
        *("default-src", "script-src", "style-src", "img-src", "base-uri", "form-action")
    }
    digests = [hashlib.sha256(found.scripts[k].encode()).digest() for k in (0, 2)]
    hashes = {f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests}
    assert set(rules["script-src"].split()) == {"data:", *hashes}


def test_no_name_is_markup_and_no_style_asks_for_anything():
    names = [HOSTILE, "ن" * 10_000, "\u202eabc", "\ud800", '"&', "\u2028"]
    given = {"names": names, "view": "no"}
    found = Parsed(page("climb", given, title=HOSTILE, about=HOSTILE))
    assert not {"img", "b"} & set(dict(found.tags))
    assert [tag for tag, _ in found.tags].count("script") == 3
    assert json.loads(found.scripts[1]) == {**given, "view": "climb"}
    page("climb", given, title="a\ud800b").encode()
    assert "<" not in style()
    assert "@import" not in style()
    assert re.findall(r"url\((?!#)", style()) == []
    nan = {"value": [float("nan")]}
    assert_refused(ValueError, "not JSON compliant", page, "step", nan, title="t")


def test_pages_lessons_and_sheets_need_no_package_of_the_app():
    """The core alone writes them: what `bjp app` runs on is an extra."""
    code = """
import sys
for name in ("streamlit", "plotly", "matplotlib", "pyvis", "jinja2", "markupsafe"):
    sys.modules[name] = None
import bjp_explorer.jobs.flips, bjp_explorer.views.layout, bjp_explorer.views.payloads
from bjp_engine.exercises import Sheet
from bjp_explorer.lessons.course import lesson_page
from bjp_explorer.practice.sheets import FORMATS
assert "Blankets" in lesson_page(3)
assert all(form.write(Sheet(number=1), ()) for form in FORMATS.values())
"""
    subprocess.run([sys.executable, "-c", code], check=True, timeout=600)


def test_records_have_their_view_and_are_the_engines():
    found, other, graph = learn(), learn("ib"), learn().graph
    for what, view in (
        (bjp.score(coronary(), graph), "step"),
        (bjp.score(coronary(), graph, "mpl"), "step"),
        (found, "climb"),
        (learn("bjp", "tabu"), "climb"),
        (learn("bjp", "auto"), "climb"),
        ([found, other], "duel"),
        ({"a": found, "b": other}, "duel"),
        ([found, other, graph], "networks"),
        ([found, fit()], "networks"),
        (graph, "networks"),
        (fit(), "whatif"),
    ):
        made = bjp.share(what)
        assert payload_of(made)["view"] == view
        assert len(made.encode()) < 1_000_000
    trace = bjp.score(coronary(), learn().graph)
    found = payload_of(bjp.share(trace, step=7))
    names, terms = found["names"], found["terms"]
    for end in "xy":
        assert [names[k] for k in terms[end]] == [getattr(term, end) for term in trace.terms]
    assert terms["value"] == [term.value for term in trace.terms]
    assert [names[k] for k in found["order"]] == list(trace.order)
    assert (found["initial_step"], found["editable"]) == (7, False)
    centred = payload_of(bjp.share(bjp.score(coronary(), learn().graph, prior_cells="centred")))
    assert (found["score_name"], centred["score_name"]) == ("ln BJP", "ln BJP (centred cells)")
    climb = learn()
    found = payload_of(bjp.share(climb, truth=nx.Graph([coronary().names[:2]])))
    assert (found["start"]["score"], found["truth"]) == (climb.start_score, [[0, 1]])
    assert [step["score"] for step in found["steps"]] == [step.score for step in climb.steps]
    both = payload_of(bjp.share({"one": climb, "two": learn("ib")}))["climbs"]
    assert [side["title"] for side in both] == ["one", "two"]
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


def sums(*found):
    """The probability of each state, by Deno from the page's own module and joint tables."""
    code = """
import { marginsOf } from "MODULE";
const answers = JSON.parse(Deno.args[0]).map(({ states, joint, evidence }) => {
  const known = new Map(evidence);
  const sizes = states.map((of) => of.length);
  const of = (labels, i) => known.has(i) ? labels.map((_, k) => Number(k === known.get(i))) : null;
  return marginsOf(sizes, joint, states.map(of));
});
console.log(JSON.stringify(answers));
"""
    module = Path(str(FRONTEND.joinpath("logic", "joint.js"))).as_uri()
    command = [Path(sys.executable).parent / "deno", "eval", "--no-remote"]
    command += [code.replace("MODULE", module), json.dumps(found)]
    made = subprocess.run(command, capture_output=True, text=True, check=True, timeout=600)
    return json.loads(made.stdout)


def test_what_if_sums_to_the_engines_inference():
    titanic = sources.load("titanic").data
    path = bjp.fit_parameters(titanic, nx.path_graph(titanic.names))
    name, labels = path.names[0], path.labels[0]
    assert len(labels) > 2
    asked = [{}, {"smoking": "yes"}, {"smoking": "no", "mental_work": "yes"}]
    pages = [payload_of(bjp.share(fit(), given=given)) for given in asked]
    pages.append(payload_of(bjp.share(path, given={name: labels[1]})))
    answers = sums(*pages)
    networks = [*((fit(), given) for given in asked), (path, {name: labels[1]})]
    for (network, given), answer in zip(networks, answers, strict=True):
        for row in network.query(given=given).itertuples():
            i = network.names.index(row.variable)
            k = network.labels[i].index(row.state)
            assert answer["margins"][i][k] == pytest.approx(row.probability, abs=1e-12), given
    every = [*product(*(range(r) for r in coronary().cardinalities))]
    for given, answer in zip(asked, answers, strict=False):
        states = {fit().names.index(one): state for one, state in given.items()}
        codes = [c for c in every if all(fit().labels[i][c[i]] == s for i, s in states.items())]
        data = coronary()
        rows = bjp.Dataset.from_codes(codes, data.cardinalities, data.names, data.labels)
        by_hand = float(np.exp(fit().log_probability(rows)).sum())
        assert answer["total"] == pytest.approx(by_hand, abs=1e-12), given
    codes = np.random.default_rng(1).integers(0, 2, (50, 13))
    large = bjp.fit_parameters(bjp.Dataset.from_codes(codes), nx.empty_graph(13))
    assert MOST_CELLS < 2**13
    assert_refused(BJPError, "8,192 joint states, and a page holds 4,096", bjp.share, large)


def test_one_sentence_on_what_cannot_be_shared():
    climb, small = learn(), nx.path_graph(3)
    for what, how, sentence in (
        (3, {}, "what is of type int; give a score"),
        ([], {}, "what is empty; give"),
        ([climb, small], {}, "has other variables than the first"),
        (nx.Graph(), {}, "no variable"),
        (climb, {"step": -1}, "step=-1 must be a whole number"),
        (climb, {"step": 10**6}, "step=1000000 must be a whole number from 0 to 8"),
        (climb, {"truth": nx.path_graph(9)}, "truth: The graph's node '6' is not one of"),
        (fit(), {"given": {"no": "yes"}}, "'no' is not one of the network's variables"),
        (fit(), {"given": {"smoking": "maybe"}}, "no state 'maybe'; it has 'no', 'yes'"),
    ):
        assert_refused(BJPError, sentence, bjp.share, what, **how)


def test_the_file_is_the_page_and_a_notebook_shows_it_below_its_lines(tmp_path):
    made = bjp.share(learn(), tmp_path / "a.html", title="Ünïcode", about="ψ")
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == made
    assert repr(made) == f"<Page of {len(made):,} characters>"
    for trace in (learn(), bjp.score(coronary(), learn().graph)):
        html = trace._repr_html_()
        tags = dict(Parsed(html).tags)
        assert (next(iter(tags)), tags["iframe"]["srcdoc"]) == ("table", bjp.share(trace))
        assert tags["iframe"]["sandbox"] == "allow-scripts allow-downloads"
    most = records.MOST_VARIABLES
    few, many = (
        bjp.score(np.zeros((2, n), dtype=int), nx.empty_graph(n))._repr_html_()
        for n in (most, most + 1)
    )
    assert "<iframe" in few
    assert "<iframe" not in many
    assert "<table" in many
    data = bjp.Dataset.from_codes([[0, 0], [1, 1]] * 20, names=[HOSTILE, "ن" * 10_000])
    html = bjp.learn(data)._repr_html_()
    assert {tag for tag, _ in Parsed(html).tags} == {"table", "tr", "th", "td", "iframe"}


@pytest.fixture
def shared(monkeypatch):
    """The last "Share as a page" of the page that was opened, with its payload."""
    seen = {}

    def note(kind, stem, key):
        seen[kind.extension] = kind

    def made():
        kind = seen["page.html"]
        return kind, {} if kind.problem else payload_of(kind.make().decode())

    monkeypatch.setattr(button, "_button", note)
    return made


def check_same(found, screen, view):
    """A page shows what the screen does; nobody is there to answer."""
    own = {"change", "asked", "stem", *ASKED}
    assert {k: v for k, v in found.items() if k not in own} == {
        k: v for k, v in screen.items() if k not in own
    }
    assert not any(found.get(name) for name in ASKED)
    assert found["view"] == view


def test_pages_share_what_the_screen_shows_where_one_is(open_app, shared):
    for query in ({}, {"graph": "true"}, {"score": "mpl"}, {"test": "centred", "graph": "empty"}):
        app = settled(open_app("step", data=HUB, **query))
        found = shared()[1]
        check_same(found, payload(app), "step")
        assert found["initial_step"] == 0
        # The player moves without a run of the page: a later click finds the step where it is then.
        app.session_state["step-at"][found["id"].removesuffix(" (centred cells)")] = 3
        assert shared()[1]["initial_step"] == 3
    app = settled(open_app("climb", data=HUB))
    found = shared()[1]
    check_same(found, payload(app), "climb")
    assert found["truth"]
    app.session_state["climb-at"][found["id"]] = 2
    assert shared()[1]["initial_step"] == 2
    app = settled(open_app("climb", data="coronary", beside="score"))
    found = shared()[1]
    check_same(found, payload(app), "duel")
    assert len(found["climbs"]) == 2
    assert not any(climb.get("report") for climb in found["climbs"])
    app = settled(open_app("scores", data=HUB))
    found = shared()[1]
    (screen,) = [each for each in views(app) if each["view"] == "networks"]
    check_same(found, screen, "networks")
    assert {panel["title"] for panel in found["panels"]} >= {"BJP", "IB-score", "MPL"}
    settled(open_app("network", data="coronary", edges="probability", given="0.1"))
    kind, found = shared()
    assert (found["view"], found["evidence"]) == ("whatif", [[0, 1]])
    assert len(found["joint"]) == 2 ** coronary().n
    assert not kind.problem
    settled(open_app("network", data="net:hub-1:log-odds:250:0", edges="probability", given="0.1"))
    assert "joint states, and a page holds 4,096 at most" in shared()[0].problem
