"""The report: every number is the engine's, every text is text, and nothing is fetched."""

import math
from dataclasses import replace
from datetime import date
from html.parser import HTMLParser

import networkx as nx
import pytest

import bjp_engine as bjp
from bjp_explorer.downloads.report import report_html
from bjp_explorer.shell import sources
from bjp_explorer.shell.text import number, plain
from tests.app.downloads.results import learned, result_of


class Page(HTMLParser):
    """The words of a page, and the cells of its tables."""

    def __init__(self, page):
        super().__init__()
        self.inside = False
        self.cells = []
        self.words = []
        self.feed(page.decode())
        self.close()
        self.text = " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag, attrs):
        if tag == "tr":
            self.cells.append([])
        if tag in ("td", "th"):
            self.cells[-1].append("")
            self.inside = True

    def handle_endtag(self, tag):
        self.inside = self.inside and tag not in ("td", "th")

    def handle_data(self, data):
        self.words.append(data)
        if self.inside:
            self.cells[-1][-1] += data

    def row(self, *beginning):
        found = [row for row in self.cells if row[: len(beginning)] == list(beginning)]
        assert len(found) == 1, beginning
        return found[0]


@pytest.fixture(scope="module")
def result():
    found = learned(sources.load("coronary"), "auto")
    sure = bjp.edge_probabilities(found.data)
    return replace(found, confidence=sure)


@pytest.fixture(scope="module")
def page(result):
    return Page(report_html(result, date(2026, 11, 21)))


def test_scores_are_the_engines_and_none_is_computed_twice(page, result, monkeypatch):
    data, graph = result.data, result.graph
    cells = {"prior_cells": "centred"}
    for method, title, options in (
        ("bjp", "ln BJP (centred cells)", cells),
        ("ib", "ln IB-score (centred cells)", cells),
        ("mpl", "ln MPL", {}),
    ):
        ours = bjp.score(data, graph, method, **options)
        none = bjp.score(data, nx.empty_graph(data.names), method, **options)
        totals = (ours.total, none.total, ours.total - none.total)
        numbers = [number(total, 4) for total in totals]
        assert page.row(title) == [title, *numbers, str(ours.tests)]
    trace = result.learned
    total = bjp.score(data, trace.graph, prior_cells="centred").total
    assert (
        f" ln BJP (centred cells) = {number(total, 4)}. The prior over graphs adds "
        f"{number(trace.score - total, 4)} to it; the sum is "
        f"{number(trace.score, 4)}."
    ) in page.text

    def refuse(*_asked):
        raise AssertionError("It is scored again.")

    for module in ("downloads.report", "downloads.result", "shell.caches"):
        monkeypatch.setattr(f"bjp_explorer.{module}.score", refuse, raising=False)
    title = "ln BJP (centred cells)"
    assert Page(report_html(result)).row(title) == page.row(title)


def test_it_shows_each_edge_the_search_its_flips_and_how_to_repeat_it(page, result):
    data, graph = result.data, result.graph
    scored = bjp.score(data, graph, "bjp", prior_cells="centred")
    terms = {frozenset((term.x, term.y)): term for term in scored.computed}
    verdicts = result.confidence.verdicts().set_index(["x", "y"])["verdict"]
    untold = Page(report_html(replace(result, confidence=None)))
    for u, v in graph.edges:
        one, other = sorted((u, v), key=data.index)
        p = number(result.confidence.of(u, v).confidence, 4)
        assert page.row(plain(one), plain(other))[2:] == [p, verdicts[one, other]]
        term = terms[frozenset((u, v))]
        row = untold.row(plain(one), plain(other))
        assert row[2:] == [number(math.exp(term.value), 4)]
    for name in data.names:
        around = sorted(graph[name], key=data.index)
        row = [row for row in page.cells if row[:2] == [plain(name), str(len(around))]]
        assert ", ".join(map(plain, around)) in [cells[-1] for cells in row] or not around
    trace = result.learned
    for part in (
        result.data.digest,
        "1,841",
        str(trace.stop_reason),
        "weighed each pair",
        "trace = bjp.learn(data, 'bjp', 'auto')",
        f"SCORE = {trace.score!r}",
        "Made on 2026-11-21 with BJP Explorer",
    ):
        assert part in page.text
    assert page.row("gamma") == ["gamma", "1.0", "default"]
    for method, search, begins in (
        ("bjp", "auto", ""),
        ("bjp", "tabu", ""),
        ("mpl", "mpl-hc", "and"),
    ):
        trace = bjp.learn(result.data, method, search)
        started = trace.milestones[begins] if begins else trace.start
        edges = set(map(frozenset, started.edges))
        passed = [set(edges)]
        for step in trace.steps:
            if step.phase != "blanket":
                edges ^= {frozenset(step.edge)}
                passed.append(set(edges))
        led = passed.index(set(map(frozenset, trace.graph.edges)))
        text = Page(report_html(result_of(result.loaded, trace.graph, trace))).text
        counts = f"{led} Flips made {len(passed) - 1} Flips tried {trace.evaluations} "
        assert f" Flips that led to this graph {counts}" in text, (method, search)


def test_graphs_that_were_not_learned(result):
    empty = nx.empty_graph(result.data.names)
    found = Page(report_html(result_of(result.loaded, empty, bjp.score(result.data, empty))))
    assert "No search learned this graph" in found.text
    # A score that prefers no edges is explained.
    rare = nx.complete_graph(result.data.names)
    trace = bjp.score(result.data, rare)
    found = Page(report_html(result_of(result.loaded, rare, trace)))
    worse = [row[0] for row in found.cells if row[0].startswith("ln ") and row[3].startswith("−")]
    assert worse
    assert f"{', '.join(worse)}: the graph without edges scores higher" in found.text


def test_the_paragraph_shows_how_many_rows_were_left_out():
    loaded = sources.load("supreme_court:drop")
    frame = sources.sample_frame("supreme_court")
    rows, complete = len(frame), len(frame.dropna())
    assert 0 < complete < rows
    assert (
        f"was learned from {complete} rows of “{loaded.title}”. The table had {rows} rows and "
        f"{frame.shape[1]} columns. Rows with a missing cell were left out ({rows - complete} of "
        f"{rows} rows removed)."
    ) in learned(loaded).paper()
