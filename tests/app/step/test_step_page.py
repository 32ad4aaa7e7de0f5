"""Step through the score: every number on the page is one of the engine's."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from html import unescape
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import bjp_engine as bjp
from bjp_engine.search import PUBLISHED
from bjp_explorer.shell import caches, sources, visit
from bjp_explorer.shell.caches import Cells
from bjp_explorer.shell.edits import Edits
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import number, probability
from bjp_explorer.step import choices
from tests.app.looks import figures, line, payload, settled, take

Opened = Callable[..., AppTest]
METHODS = ("bjp", "ib", "mpl", "near")
TITLES = {"bjp": "BJP", "ib": "IB-score", "mpl": "MPL", "near": "Near blankets"}
NETWORK = "net:hub-1:clique-log-weights:500:3"
# States with names that HTML, Markdown and LaTeX would each take for something else.
HOSTILE = ("<i>a</i>", "**b**", "$c$")


def many_states() -> Loaded:
    """Four variables with 12, 9, 3 and 2 states, of which some follow others; few rows."""
    random = np.random.default_rng(5)
    shape = random.integers(12, size=400)
    taste = np.where(random.random(400) < 0.5, shape % 9, random.integers(9, size=400))
    ripe = np.where(random.random(400) < 0.6, taste % 3, random.integers(3, size=400))
    sold = np.where(random.random(400) < 0.6, ripe > 0, random.random(400) < 0.5)
    columns = {
        "shape & size": [f"s{code}" for code in shape],
        "taste": taste,
        "<ripe>": np.array(HOSTILE, dtype=object)[ripe],
        "sold_out": np.where(sold, "yes", "no"),
    }
    return sources.prepare("file:0123456789ab", "Fruit", "", pd.DataFrame(columns))


DATASETS = {
    "coronary": sources.load("coronary"),
    "titanic": sources.load("titanic"),
    NETWORK: sources.load(NETWORK),
    "file": many_states(),
}


@pytest.fixture
def opened(open_app: Callable[..., AppTest], run: Callable[[Any], AppTest]) -> Opened:
    """Open the page on one of the datasets, once its graphs are learned."""

    def open_(
        name: str = "coronary", method: str = "bjp", graph: str = "learned", cells: str = "equal"
    ) -> AppTest:
        loaded = DATASETS[name]
        app = open_app("start")
        app.session_state[visit._UPLOADS] = {loaded.token: loaded} if name == "file" else {}
        app.session_state[visit._TOKEN] = loaded.token
        app.session_state["step-score"] = method
        app.session_state[choices.test_choice(loaded).key] = cells
        app.session_state[choices.graph_choice(loaded).key] = graph
        return settled(run(app.switch_page("pages/step.py")))

    return open_


RAISED = str.maketrans("⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "-0123456789")


def tells(text: str, log_value: float) -> bool:
    """Whether a text begins with this probability, in any of the ways it may be written."""
    powers = re.sub("·10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)", lambda m: "e" + m[1].translate(RAISED), text)
    plain = powers.replace("−", "-").replace(r" \cdot 10^{", "e")
    plain = re.sub(r"\\(?:left\(|right\))", "", plain)
    found = re.match(r"(1 - )?(\d+(?:\.\d+)?)(?:e([+-]?\d+))?", plain.strip())
    assert found, text
    rest, digits, exponent = found.groups()
    if exponent is None:
        return float(digits) == pytest.approx(math.exp(log_value), abs=5.1e-5)
    expected = math.log(-math.expm1(log_value)) if rest else log_value
    shown = math.log(float(digits)) + int(exponent) * math.log(10)
    return shown == pytest.approx(expected, abs=6e-3)


def graphs(loaded: Loaded, method: str) -> dict[str, nx.Graph[Any]]:
    """The graphs that the page offers."""
    found = {
        "learned": bjp.learn(loaded.data, method, PUBLISHED[method]).graph,
        "auto": bjp.learn(loaded.data, "bjp", "auto").graph,
    }
    if loaded.truth is not None:
        found["true"] = loaded.truth
    if loaded.published is not None:
        found["published"] = loaded.published
    empty = nx.empty_graph(loaded.data.names)
    return found | {"empty": empty, "edited": empty}


def at_position(app: AppTest, position: int) -> AppTest:
    """The page with the component at rest at a step."""
    place = payload(app)["id"].removesuffix(" (centred cells)")
    app.session_state["step-at"] = {place: position}
    app.run()
    assert payload(app)["initial_step"] == position
    return settled(app)


def cells(row: str, tag: str = "td") -> list[str]:
    """The texts of a table row's cells."""
    found = re.findall(rf"<{tag}\b[^>]*>(.*?)</{tag}>", row)
    return [unescape(re.sub(r"<[^>]*>", "", text)) for text in found]


def rows_of(table: str) -> list[str]:
    """The rows of a table's body."""
    (body,) = re.findall(r"<tbody>(.*)</tbody>", table, re.DOTALL)
    return re.findall(r"<tr\b.*?</tr>", body, re.DOTALL)


def telling(test: bjp.independence.TestTrace) -> list[int]:
    """Where there are many slices, those first that move the posterior most."""
    if len(test.slices) <= 4:
        return list(range(len(test.slices)))
    moved = [-abs(part.log_independent - test.log_prior) for part in test.slices]
    return sorted(range(len(moved)), key=moved.__getitem__)


def sections(app: AppTest) -> list[str]:
    """The slices laid out below the component."""
    bodies = [block.value for block in app.get("html") if "bjp-slices" in block.value]
    return re.findall(r"<section.*?</section>", "".join(bodies), re.DOTALL)


class TestTheScore:
    @pytest.mark.parametrize("name", DATASETS)
    @pytest.mark.parametrize("method", METHODS)
    def test_every_graph_shows_the_engines_trace(
        self, opened: Opened, name: str, method: str
    ) -> None:
        loaded = DATASETS[name]
        app = opened(name, method)
        offered = graphs(loaded, method)
        key = choices.graph_choice(loaded).key
        control = app.segmented_control(key=key)
        assert len(control.options) == len(offered)
        for source, graph in offered.items():
            settled(app.segmented_control(key=key).set_value(source).run())
            trace = bjp.score(loaded.data, graph, method)
            self.compare(payload(app), trace, loaded.data)
            score, edges = figures(line(app).split("= ", 1)[1])[:2]
            assert score == pytest.approx(trace.total, abs=5e-4)
            assert edges == graph.number_of_edges()
            assert line(app).startswith(f"**ln {TITLES[method]} = ")

    @pytest.mark.parametrize("method", ["bjp", "ib"])
    def test_the_same_steps_with_centred_cells(self, opened: Opened, method: str) -> None:
        data = DATASETS["file"].data
        app = opened("file", method)
        at_position(app, 3)
        paper = payload(app)
        key = choices.test_choice(DATASETS["file"]).key
        settled(app.selectbox(key=key).set_value("centred").run())
        graph = graphs(DATASETS["file"], method)["learned"]
        trace = bjp.score(data, graph, method, prior_cells="centred")
        self.compare(payload(app), trace, data, prior_cells="centred")
        assert payload(app)["terms"]["value"] != paper["terms"]["value"]
        assert payload(app)["initial_step"] == 3
        name = f"ln {TITLES[method]} (centred cells)"
        assert payload(app)["score_name"] == name
        assert line(app).startswith(f"**{name} = {number(trace.total)}**")
        settled(app.segmented_control(key="step-score").set_value("mpl").run())
        assert not app.selectbox
        graph = graphs(DATASETS["file"], "mpl")["learned"]
        self.compare(payload(app), bjp.score(data, graph, "mpl"), data)

    @staticmethod
    def compare(
        shown: dict[str, Any], trace: bjp.scores.ScoreTrace, data: bjp.Dataset, **options: Any
    ) -> None:
        """A payload with a trace, to the last digit."""
        terms = shown["terms"]
        assert shown["order"] == [data.index(name) for name in trace.order]
        assert shown["degree"] == [trace.graph.degree[name] for name in data.names]
        assert {frozenset(edge) for edge in shown["edges"]} == {
            frozenset(map(data.index, edge)) for edge in trace.graph.edges
        }
        assert terms["value"] == [term.value for term in trace.terms]
        assert math.fsum(terms["value"]) == trace.total
        assert terms["x"] == [data.index(term.x) for term in trace.terms]
        skipped = terms.get("skipped", [])
        if trace.method == "bjp":
            both = bjp.score(data, trace.graph, "ib", **options).terms
            pairs = zip(both, trace.terms, strict=True)
            assert skipped == [None if mine.computed else other.value for other, mine in pairs]
        else:
            assert not skipped
        if trace.method == "mpl":
            return
        assert terms["y"] == [data.index(term.y) for term in trace.terms]
        assert terms["computed"] == [int(term.computed) for term in trace.terms]
        assert terms["dependent"] == [
            int(trace.graph.has_edge(term.x, term.y)) for term in trace.terms
        ]
        # What the view gives: the neighbours of x that have the way of y, or all but y.
        assert ("way" in terms) == (trace.method == "near")
        way = dict(
            zip(zip(terms["x"], terms["y"], strict=True), terms.get("way", []), strict=False)
        )
        for term in trace.terms:
            x, y = data.index(term.x), data.index(term.y)
            others = {data.index(name) for name in trace.graph[term.x]} - {y}
            given = {z for z in others if way.get((x, z)) == way.get((x, y))}
            assert given == set(map(data.index, term.given))

    @pytest.mark.parametrize("method", METHODS)
    def test_the_table_of_terms_adds_up(self, opened: Opened, method: str) -> None:
        app = opened(method=method)
        assert not app.dataframe
        settled(app.toggle(key="step-table").set_value(True).run())
        shown = app.dataframe[0].value
        loaded = DATASETS["coronary"]
        trace = bjp.score(loaded.data, graphs(loaded, method)["learned"], method)
        assert list(shown["ln"]) == [term.value for term in trace.terms]
        assert math.fsum(shown["ln"]) == trace.total
        assert list(shown["x"]) == [term.x for term in trace.terms]
        given = [", ".join(term.given) or "∅" for term in trace.terms]
        assert list(shown["given"]) == given
        if method != "mpl":
            made = ["computed" if term.computed else "inferred as 1" for term in trace.terms]
            assert list(shown["made"]) == made

    def test_the_layout_stays_from_graph_to_graph(self, opened: Opened) -> None:
        app = opened()
        places = [payload(app)[key] for key in ("layout_id", "x", "y")]
        for method in METHODS:
            app.segmented_control(key="step-score").set_value(method)
            for source in ("learned", "published", "empty"):
                settled(app.segmented_control(key="step-graph").set_value(source).run())
                assert [payload(app)[key] for key in ("layout_id", "x", "y")] == places


class TestBehindATest:
    @pytest.mark.parametrize(
        ("name", "method", "prior_cells"),
        [
            ("coronary", "bjp", "equal"),
            ("titanic", "ib", "equal"),
            ("file", "ib", "equal"),
            ("file", "bjp", "centred"),
        ],
    )
    def test_counts_evidence_and_posterior(
        self, opened: Opened, name: str, method: str, prior_cells: Cells
    ) -> None:
        data = DATASETS[name].data
        app = opened(name, method, cells=prior_cells)
        trace = bjp.score(data, graphs(DATASETS[name], method)["learned"], method)
        for position, term in enumerate(trace.terms, start=1):
            if not term.computed:
                continue
            at_position(app, position)
            test = bjp.independence_test(data, term.x, term.y, term.given, prior_cells=prior_cells)
            laid_out, order = sections(app), telling(test)
            assert len(laid_out) == min(4, len(test.slices))
            for section, k in zip(laid_out, order, strict=False):
                self.compare(section, k, test, data)
            (product,) = [b.value for b in app.get("html") if 'class="bjp-product"' in b.value]
            self.compare_formula(cells(product, "p"), test, order, term)
            self.compare_captions([block.value for block in app.caption], test)

    @staticmethod
    def compare(section: str, k: int, test: bjp.independence.TestTrace, data: bjp.Dataset) -> None:
        """One slice: its place, its counts with their margins, and its numbers."""
        part = test.slices[k]
        where = cells(section, "h4")[0]
        assert where.endswith(f"· {part.rows:,} rows")
        for name, code in zip(test.given, part.configuration, strict=True):
            assert f"= {data.labels[data.index(name)][code]}" in where
        table = part.counts[:8, :8]
        expected = [[*row, whole.sum()] for row, whole in zip(table, part.counts, strict=False)]
        expected.append([*part.counts[:, :8].sum(axis=0), part.rows])
        shown = [cells(row) for row in rows_of(section)]
        # Where a table is cut, a row or column of dots says so.
        kept = [[figures(text)[0] for text in row if text != "…"] for row in shown]
        assert [row for row in kept if row] == expected
        small = [[figures(text)[1] for text in row if len(figures(text)) > 1] for row in shown]
        counted = part.counts.sum(axis=1), part.counts.sum(axis=0)
        assert [row for row in small if row] == [
            pytest.approx([a * b / part.rows for b in counted[1][:8]], abs=0.051)
            for a in counted[0][:8]
        ]
        cut = (part.counts.shape[0] > 8) + (part.counts.shape[1] > 8)
        assert (cut > 0) == any("…" in row for row in shown)
        labels = [cells(row, "th")[0] for row in rows_of(section)]
        states = data.labels[data.index(test.x)][:8]
        assert [label for label in labels if label not in ("Σ", "…")] == list(states)
        beside = bjp.classical.classical_test(data, test.x, test.y, test.given).slices[k]
        first, second, third = cells(section, "p")
        statistics = [figures(text)[0] for text in first.split(" = ")[1:]]
        assert statistics == pytest.approx(
            [beside.pearson, beside.g_squared, beside.freedom], abs=5.1e-3
        )
        if part.log_odds:
            mean = math.log(sum(map(math.exp, part.log_odds)) / 2)
            values, kappas = [*part.log_odds, mean], [1, 8]
            assert re.findall(r"κ = (\d+)", second) == [str(kappa) for kappa in kappas]
            second = re.sub(r" \(κ = \d+\)", "", second)
        else:
            values = [part.log_g, part.log_h]
        assert figures(second) == pytest.approx(values, abs=5.1e-3)
        assert tells(third.split("pₖ = ")[1], test.log_prior)
        assert tells(third.split("here) = ")[1], part.log_independent)

    @staticmethod
    def compare_formula(
        lines: list[str], test: bjp.independence.TestTrace, order: list[int], term: Any
    ) -> None:
        """Each result in the formula, after its last sign of equality."""
        assert len(lines) == 1 + term.dependent
        for text, value in zip(lines, (test.log_independent, test.log_dependent), strict=False):
            assert tells(text.split(" = ")[-1].strip("()"), value)
        # Of one slice alone, the product is its only factor, and is written once.
        parts = lines[0].split(" = ")
        assert (len(parts) > 2) == (len(test.slices) + (test.unseen > 0) > 1)
        factors = parts[1].split(" × ")
        seen = [test.slices[k].log_independent for k in order]
        for factor, value in zip(factors, seen[:4], strict=False):
            assert tells(factor.strip("()"), value)
        more = [factor for factor in factors if factor.endswith("more)")]
        assert len(more) == (len(test.slices) > 4)
        if more:
            assert f"({len(seen) - 4} more)" in more[0]
            assert tells(more[0].strip("()"), math.fsum(seen[4:]))
        assert factors[-1].endswith("(no rows)") == (test.unseen > 0)
        if test.unseen:
            assert tells(factors[-1], test.log_unseen)
        names = ", ".join(str(name) for name in (*test.given, "D"))
        assert f"| {names})" in lines[0]
        assert ("⊥̸" in lines[-1]) == term.dependent

    @staticmethod
    def compare_captions(captions: Iterable[str], test: bjp.independence.TestTrace) -> None:
        """The posterior in words, and the configurations that no row is in."""
        told = "\n".join(captions)
        assert ("κ = 1" in told) == (test.options.prior_cells == "centred")
        assert tells(told.split("Pr(⊥ | D) = ")[1], test.log_independent)
        assert ("without a row" in told) == (test.unseen > 0)
        if test.unseen:
            (unseen,) = re.findall(r"([\d,]+) configurations? of", told)
            assert figures(unseen)[0] == test.unseen

    def test_all_slices_can_be_paged_through(self, opened: Opened) -> None:
        data = DATASETS["coronary"].data
        app = opened(method="ib")
        trace = bjp.score(data, graphs(DATASETS["coronary"], "ib")["learned"], "ib")
        tests = [bjp.independence_test(data, t.x, t.y, t.given) for t in trace.terms]
        most = max(tests, key=lambda test: len(test.slices))
        assert len(most.slices) > 4
        at_position(app, tests.index(most) + 1)
        seen = []
        pages = -(-len(most.slices) // 4)
        assert app.number_input(key="step-page-Slices").max == pages
        settled(app.segmented_control(key="step-slices").set_value("in order").run())
        for page in range(1, pages + 1):
            settled(app.number_input(key="step-page-Slices").set_value(page).run())
            seen += sections(app)
        assert len(seen) == len(most.slices)
        for k, section in enumerate(seen):
            self.compare(section, k, most, data)
        counted = [figures(cells(rows_of(section)[-1])[-1])[0] for section in seen]
        assert sum(counted) == data.rows


class TestInferred:
    @pytest.mark.parametrize("name", ["coronary", NETWORK])
    def test_why_there_is_no_test(self, opened: Opened, name: str) -> None:
        loaded = DATASETS[name]
        app = opened(name)
        trace = bjp.score(loaded.data, graphs(loaded, "bjp")["learned"])
        inferred = [k for k, term in enumerate(trace.terms, start=1) if not term.computed]
        assert len(inferred) == loaded.data.n * (loaded.data.n - 1) // 2
        rank = {variable: k for k, variable in enumerate(trace.order)}
        for position in inferred if name == "coronary" else inferred[::17]:
            at_position(app, position)
            term = trace.terms[position - 1]
            assert not sections(app)
            assert "No test was made here" in "\n".join(block.value for block in app.markdown)
            others = {"true network": loaded.truth, "published graph": loaded.published}
            known = {title: other for title, other in others.items() if other is not None}
            told = [block.value for block in (*app.markdown, *app.warning)]
            spared = bjp.independence_test(loaded.data, term.x, term.y, term.given)
            value = spared.log_dependent if term.dependent else spared.log_independent
            (verdict,) = [text for text in told if " per non-empty slice" in text]
            assert f" = {probability(value)} (" in verdict
            assert (verdict in [block.value for block in app.warning]) == (value < -math.log(2))
            if "and its price" in verdict:
                for title, other in known.items():
                    edge = other.has_edge(term.x, term.y)
                    has = "this edge" if edge else "no such edge"
                    judged = "right" if edge == term.dependent else "wrong"
                    assert f"The {title} has {has}: judged by that graph, the " in verdict
                    assert f"bet was {judged}." in verdict
            (why,) = [
                block.value for block in app.markdown if "already decided this pair" in block.value
            ]
            digits = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
            numbers = [int(k) for k in re.findall(r"ψ(\d+)", why.translate(digits))]
            later, earlier = rank[term.x], rank[term.y]
            assert later > earlier
            assert numbers == [earlier, later]
            (reverse,) = [t for t in trace.terms if (t.x, t.y) == (term.y, term.x)]
            assert reverse.computed
            assert f"Pr = {probability(reverse.value)}." in why
            assert f"with {len(term.given)} variable" in verdict
            assert ("no edge" in why) == (not term.dependent)


class TestLocalScores:
    @pytest.mark.parametrize("name", ["coronary", "file"])
    def test_counts_and_evidence_add_up(self, opened: Opened, name: str) -> None:
        loaded = DATASETS[name]
        app = opened(name, "mpl")
        trace = bjp.score(loaded.data, graphs(loaded, "mpl")["learned"], "mpl")
        for position, term in enumerate(trace.terms, start=1):
            at_position(app, position)
            local = bjp.scores.local_trace(loaded.data, term.x, term.given)
            rows = self.all_rows(app, len(local.slices))
            assert len(rows) == len(local.slices)
            for row, part in zip(rows, local.slices, strict=True):
                *counts, total, evidence = [text for text in cells(row) if text != "…"]
                assert [figures(text)[0] for text in counts] == list(part.counts[:8])
                assert figures(total)[0] == sum(part.counts)
                assert figures(evidence)[0] == pytest.approx(part.value, abs=5.1e-4)
            told = "\n".join(block.value for block in app.caption)
            (shown,) = re.findall(r"local score, (−?[\d,.]+\d)", told)
            assert figures(shown)[0] == pytest.approx(term.value, abs=5.1e-4)
            assert math.fsum(part.value for part in local.slices) == pytest.approx(term.value)

    @staticmethod
    def all_rows(app: AppTest, size: int) -> list[str]:
        """The rows of every page of configurations."""
        rows = []
        for page in range(1, -(-size // 4) + 1):
            if size > 4:
                key = "step-page-Configurations"
                settled(app.number_input(key=key).set_value(page).run())
            (body,) = [block.value for block in app.get("html") if "ln evidence" in block.value]
            rows += rows_of(body)
        return rows


class TestEditing:
    def test_undo_leads_back_to_the_graph_that_was_edited(self, opened: Opened) -> None:
        loaded = DATASETS["coronary"]
        app = opened(graph="edited")
        assert payload(app)["edges"] == []
        assert app.button(key="step-undo").disabled
        learned = bjp.learn(loaded.data, search="ibmap-hc")
        edges = list(learned.graph.edges)
        made = [tuple(edges), tuple(edges[1:]), tuple(edges[2:])]
        app.session_state[visit._EDITED] = {loaded.data.digest: Edits(loaded.data, *made)}
        settled(app.run())
        for expected in reversed(made):
            graph = nx.Graph(expected)
            graph.add_nodes_from(loaded.data.names)
            assert len(payload(app)["edges"]) == len(expected)
            score = bjp.score(loaded.data, graph).total
            assert figures(line(app).split("= ")[1])[0] == pytest.approx(score, abs=5e-4)
            if expected != made[0]:
                settled(app.button(key="step-undo").click().run())
        assert app.button(key="step-undo").disabled
        assert figures(line(app).split("= ")[1])[0] == pytest.approx(learned.score, abs=5e-4)

    def test_each_edit_is_one_step_of_undo(self, monkeypatch: pytest.MonkeyPatch) -> None:
        memory: dict[str, Any] = {}
        monkeypatch.setattr(visit, "st", SimpleNamespace(session_state=memory))
        loaded = DATASETS["coronary"]
        # Its file names the nodes in another order than the table does.
        published = loaded.published
        assert published is not None
        assert list(published) != list(loaded.data.names)
        graph = nx.Graph(published)
        for edge in list(published.edges)[:3]:
            changed = nx.Graph(graph)
            changed.remove_edge(*edge)
            visit.edit(loaded, graph, "published" if graph.number_of_edges() == 9 else "")
            visit.edit(loaded, changed)
            graph = visit.edited_graph(loaded)
        for left in (7, 8, 9):
            assert visit.can_undo(loaded)
            visit.undo_edit(loaded)
            assert visit.edited_graph(loaded).number_of_edges() == left
            # The one that was opened is none that was edited, edited ones are.
            assert visit.origin_of_edited(loaded) == ("published" if left == 9 else "")
        assert not visit.can_undo(loaded)
        assert nx.utils.graphs_equal(visit.edited_graph(loaded), nx.Graph(published))

    def test_any_graph_that_was_made_by_hand(self, opened: Opened) -> None:
        loaded = DATASETS["titanic"]
        names = loaded.data.names
        for edges in ([(0, 1)], [(0, 3), (1, 3), (2, 3)], [(0, 1), (0, 2), (0, 3), (1, 2)]):
            app = opened("titanic", "ib", "edited")
            pairs = tuple((names[i], names[j]) for i, j in edges)
            app.session_state[visit._EDITED] = {loaded.data.digest: Edits(loaded.data, pairs)}
            settled(app.run())
            graph = nx.Graph(pairs)
            graph.add_nodes_from(names)
            trace = bjp.score(loaded.data, graph, "ib")
            assert payload(app)["edges"] == [list(edge) for edge in edges]
            TestTheScore.compare(payload(app), trace, loaded.data)
            assert payload(app)["id"].endswith(caches.edges_key(graph))
            # A visit remembers it for each graph.
            assert len(payload(app)["id"]) < 64

    def test_each_dataset_has_its_own(
        self, opened: Opened, switch_page: Callable[..., AppTest]
    ) -> None:
        app = opened(graph="edited")
        data = DATASETS["coronary"].data
        edges = bjp.learn(data, search="ibmap-hc").graph.edges
        app.session_state[visit._EDITED] = {data.digest: Edits(data, edges)}
        assert len(payload(settled(app.run()))["edges"]) == 5
        app.session_state[visit._TOKEN] = "titanic"
        settled(app.run())
        assert payload(app)["edges"] == []
        app.session_state[visit._TOKEN] = "coronary"
        settled(switch_page(switch_page(app, "method"), "step"))
        assert len(payload(app)["edges"]) == 5


class TestWhatChanged:
    """The component is told what the last change of the graph did to the score."""

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("name", ["coronary", NETWORK])
    def test_the_terms_are_the_engines(self, opened: Opened, name: str, method: str) -> None:
        loaded = DATASETS[name]
        app = opened(name, method)
        assert payload(app)["change"] is None
        graph = graphs(loaded, method)["learned"]
        edited = nx.Graph(graph)
        u, v = loaded.data.names[0], loaded.data.names[3]
        present = edited.has_edge(u, v)
        (edited.remove_edge if present else edited.add_edge)(u, v)
        history = [tuple(graph.edges), tuple(edited.edges)]
        app.session_state[visit._EDITED] = {loaded.data.digest: Edits(loaded.data, *history)}
        settled(app.segmented_control(key="step-graph").set_value("edited").run())
        told = payload(app)["change"]
        before, after = (bjp.score(loaded.data, g, method) for g in (graph, edited))
        change = bjp.scores.score_change(before, after)
        size, terms = len(change.after.terms), len(change.terms)
        verb = "rose" if change.difference > 0 else "fell"
        assert told["headline"].startswith(f"ln {TITLES[method]} {verb} by ")
        assert figures(told["headline"])[-2:] == [terms, size]
        assert figures(told["headline"])[0] == pytest.approx(abs(change.difference), rel=0.06)
        assert told["about"].endswith("removed" if present else "added")
        assert len(told["rows"]) == min(60, terms)
        for row, term in zip(told["rows"], change.terms, strict=False):
            assert loaded.data.names[row["x"]] == term.x
            assert (row["y"] is None) == (method == "mpl")
            assert row["y"] is None or loaded.data.names[row["y"]] == term.y
            assert row["difference"] == term.difference
            assert row["what"].startswith(str(term.kind))
            values = [row[when] or 0.0 for when in ("before", "after")]
            assert values == [term.before.value, term.after.value]
        # The listed ones and the rest make up the whole.
        listed = math.fsum(row["difference"] for row in told["rows"])
        rest = figures(told["rest"])[-1] if told["rest"] else 0.0
        assert listed + rest == pytest.approx(change.difference, abs=6e-4)

        # The other way round it takes back what it gave.
        settled(app.button(key="step-undo").click().run())
        back = payload(app)["change"]
        assert len(back["rows"]) == len(told["rows"])
        first = [rows["rows"][0]["difference"] for rows in (told, back)]
        assert first[0] == -first[1]
        # A rerun is no change.
        assert payload(settled(app.run()))["change"] == back

    def test_other_data_or_another_score_with_its_own_graph_is_no_change(
        self, opened: Opened
    ) -> None:
        app = opened()
        settled(app.segmented_control(key="step-graph").set_value("published").run())
        assert payload(app)["change"]["about"] == "4 edges added"
        settled(app.segmented_control(key="step-score").set_value("ib").run())
        assert payload(app)["change"]["headline"].startswith("ln IB-score ")
        settled(app.segmented_control(key="step-graph").set_value("learned").run())
        assert payload(app)["change"] is not None
        settled(app.segmented_control(key="step-score").set_value("mpl").run())
        assert payload(app)["change"] is None
        app.session_state[visit._TOKEN] = "titanic"
        assert payload(settled(app.run()))["change"] is None


class TestSmallData:
    @pytest.mark.parametrize("variables", [1, 2])
    def test_one_or_two_variables(
        self, open_app: Callable[..., AppTest], variables: int, switch_page: Callable[..., AppTest]
    ) -> None:
        codes = np.array([[0, 0], [0, 0], [1, 1], [1, 1]])[:, :variables]
        data = bjp.Dataset.from_codes(codes, names=("a", "b")[:variables])
        loaded = Loaded("file:0123456789cd", "Small", "", data)
        app = open_app("start")
        take(app, loaded)
        settled(switch_page(app, "step"))
        assert len(payload(app)["terms"]["x"]) == variables * (variables - 1)
        if variables == 2:
            # docs/theory.md §2, worked values: Pr(⊥) = 7/37 and 1 - 0.6541: an edge.
            assert payload(app)["edges"] == [[0, 1]]
            for cells, expected in (("centred", 1 - 0.6541), ("equal", 7 / 37)):
                app.selectbox(key=choices.test_choice(loaded).key).set_value(cells).run()
                at_position(app, 1)
                told = next(c.value for c in app.main.caption if "Pr" in c.value)
                assert figures(told)[0] == pytest.approx(expected, abs=5e-5)
