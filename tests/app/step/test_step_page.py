"""Step through the score: every number on the page is one of the engine's."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from functools import cache
from html import unescape
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import bjp_engine as bjp
from bjp_engine.growth import grid
from bjp_engine.search import PUBLISHED
from bjp_explorer.shell import caches, sources, visit
from bjp_explorer.shell.edits import Edits
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import number, p_value, probability
from bjp_explorer.step import choices, words
from tests.app.conftest import OpenApp
from tests.app.looks import figures, line, payload, settled, take, texts

TITLES = {"bjp": "BJP", "ib": "IB-score", "mpl": "MPL", "near": "Near blankets"}
NETWORK = "net:hub-1:clique-log-weights:500:3"
NAMES = ("coronary", "titanic", NETWORK, "file")
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


@cache
def dataset(name: str) -> Loaded:
    return many_states() if name == "file" else sources.load(name)


@cache
def graphs(name: str, method: str = "bjp") -> dict[str, nx.Graph[Any]]:
    """The graphs that the page offers."""
    loaded = dataset(name)
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


@cache
def scored(name: str, method: str = "bjp", graph: str = "learned") -> bjp.scores.ScoreTrace:
    """The engine's score of one of them."""
    return bjp.score(dataset(name).data, graphs(name, method)[graph], method)


@pytest.fixture
def opened(open_app: OpenApp) -> OpenApp:
    """Open the page on one of the datasets, once its graphs are learned."""

    def open_(name: str = "coronary", **query: str) -> AppTest:
        if name != "file":
            return settled(open_app("step", data=name, **query))
        app, loaded = open_app("step", **query), dataset(name)
        take(app, loaded)
        # An uploaded file begins with other choices.
        app.session_state[choices.test_choice(loaded).key] = "equal"
        app.session_state[choices.graph_choice(loaded).key] = "learned"
        return settled(app.run())

    return open_


def choose(app: AppTest, name: str, method: str = "", graph: str = "", cells: str = "") -> None:
    """Set the controls of the page."""
    loaded = dataset(name)
    if method:
        settled(app.segmented_control(key="step-score").set_value(method).run())
    if cells:
        settled(app.selectbox(key=choices.test_choice(loaded).key).set_value(cells).run())
    if graph:
        key = choices.graph_choice(loaded).key
        settled(app.segmented_control(key=key).set_value(graph).run())


def edit(app: AppTest, name: str, *history: Any) -> None:
    """Let a visit have edited a graph, from the first list of edges to the last."""
    data = dataset(name).data
    app.session_state[visit._EDITED] = {data.digest: Edits(data, *map(tuple, history))}


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


def html(app: AppTest, part: str) -> str:
    """The one block with that text."""
    (found,) = [block.value for block in app.get("html") if part in block.value]
    return str(found)


def sections(app: AppTest) -> list[str]:
    """The slices laid out below the component."""
    bodies = [block.value for block in app.get("html") if "bjp-slices" in block.value]
    return re.findall(r"<section.*?</section>", "".join(bodies), re.DOTALL)


class TestTheScore:
    # On one dataset every graph under every score; on the others each graph and each score.
    @pytest.mark.parametrize("name", NAMES)
    def test_every_graph_shows_the_engines_trace(self, opened: OpenApp, name: str) -> None:
        loaded = dataset(name)
        app = opened(name)
        places = [payload(app)[key] for key in ("layout_id", "x", "y")]
        assert not app.dataframe
        settled(app.toggle(key="step-table").set_value(True).run())
        for k, method in enumerate(TITLES):
            choose(app, name, method)
            offered = graphs(name, method)
            control = app.segmented_control(key=choices.graph_choice(loaded).key)
            assert len(control.options) == len(offered), method
            for m, source in enumerate(offered):
                if name != "coronary" and (m - k) % len(TITLES):
                    continue
                case, trace = (name, method, source), scored(name, method, source)
                choose(app, name, graph=source)
                compare(payload(app), trace, loaded.data)
                compare_table(app, trace)
                assert line(app).startswith(f"**ln {TITLES[method]} = "), case
                score, edges = figures(line(app).split("= ", 1)[1])[:2]
                assert score == pytest.approx(trace.total, abs=5e-4), case
                assert edges == trace.graph.number_of_edges(), case
                assert [payload(app)[key] for key in ("layout_id", "x", "y")] == places, case

    def test_the_same_steps_with_centred_cells(self, opened: OpenApp) -> None:
        data, app = dataset("file").data, opened("file")
        for method in ("bjp", "ib"):
            choose(app, "file", method, cells="equal")
            at_position(app, 3)
            paper = payload(app)
            choose(app, "file", cells="centred")
            graph = graphs("file", method)["learned"]
            trace = bjp.score(data, graph, method, prior_cells="centred")
            compare(payload(app), trace, data, prior_cells="centred")
            assert payload(app)["terms"]["value"] != paper["terms"]["value"]
            assert payload(app)["initial_step"] == 3
            name = f"ln {TITLES[method]} (centred cells)"
            assert payload(app)["score_name"] == name
            assert line(app).startswith(f"**{name} = {number(trace.total)}**")
        choose(app, "file", "mpl")
        assert not app.selectbox
        compare(payload(app), scored("file", "mpl"), data)


def compare_table(app: AppTest, trace: bjp.scores.ScoreTrace) -> None:
    """The table of terms, which adds up."""
    shown = app.dataframe[0].value
    assert list(shown["ln"]) == [term.value for term in trace.terms]
    assert math.fsum(shown["ln"]) == trace.total
    assert list(shown["x"]) == [str(term.x) for term in trace.terms]
    given = [", ".join(map(str, term.given)) or "∅" for term in trace.terms]
    assert list(shown["given"]) == given
    if trace.method != "mpl":
        made = ["computed" if term.computed else "inferred as 1" for term in trace.terms]
        assert list(shown["made"]) == made


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
    assert terms["dependent"] == [int(trace.graph.has_edge(term.x, term.y)) for term in trace.terms]
    # What the view gives: the neighbours of x that have the way of y, or all but y.
    assert ("way" in terms) == (trace.method == "near")
    way = dict(zip(zip(terms["x"], terms["y"], strict=True), terms.get("way", []), strict=False))
    for term in trace.terms:
        x, y = data.index(term.x), data.index(term.y)
        others = {data.index(name) for name in trace.graph[term.x]} - {y}
        given = {z for z in others if way.get((x, z)) == way.get((x, y))}
        assert given == set(map(data.index, term.given))


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
        self, opened: OpenApp, name: str, method: str, prior_cells: Any
    ) -> None:
        data, app = dataset(name).data, opened(name)
        choose(app, name, method, cells=prior_cells)
        for position, term in enumerate(scored(name, method).terms, start=1):
            if not term.computed:
                continue
            at_position(app, position)
            test = bjp.independence_test(data, term.x, term.y, term.given, prior_cells=prior_cells)
            laid_out, order = sections(app), telling(test)
            assert len(laid_out) == min(4, len(test.slices))
            for section, k in zip(laid_out, order, strict=False):
                compare_slice(section, k, test, data)
            compare_formula(cells(html(app, 'class="bjp-product"'), "p"), test, order, term)
            compare_captions("\n".join(block.value for block in app.caption), test)
            compare_answers(app, test, data)

    def test_all_slices_can_be_paged_through(self, opened: OpenApp) -> None:
        data, app = dataset("coronary").data, opened(score="ib")
        terms = scored("coronary", "ib").terms
        tests = [bjp.independence_test(data, t.x, t.y, t.given) for t in terms]
        most = max(tests, key=lambda test: len(test.slices))
        assert len(most.slices) > 4
        at_position(app, tests.index(most) + 1)
        seen, pages = [], -(-len(most.slices) // 4)
        assert app.number_input(key="step-page-Slices").max == pages
        settled(app.segmented_control(key="step-slices").set_value("in order").run())
        for page in range(1, pages + 1):
            settled(app.number_input(key="step-page-Slices").set_value(page).run())
            seen += sections(app)
        assert len(seen) == len(most.slices)
        for k, section in enumerate(seen):
            compare_slice(section, k, most, data)
        counted = [figures(cells(rows_of(section)[-1])[-1])[0] for section in seen]
        assert sum(counted) == data.rows

    def test_fewer_rows_in_two_orders(self, opened: OpenApp) -> None:
        data, app, term = dataset("coronary").data, opened(step="1"), scored("coronary").terms[0]
        sizes = grid(data.rows).tolist()
        slider = app.select_slider(key="step-rows-1841")
        assert list(slider.options) == [f"{n:,}" for n in sizes]
        for rows, seed in ((sizes[12], 0), (0, 0), (sizes[20], 0), (sizes[20], 1)):
            settled(app.select_slider(key="step-rows-1841").set_value(rows).run())
            if seed:
                settled(app.button(key="step-shuffle-button").click().run())
            part = bjp.growth.subsample(data, rows, seed=seed)
            test = bjp.independence_test(part, term.x, term.y, term.given)
            compare_answers(app, test, part)
            assert f"This box uses {rows:,} of the 1,841 rows" in texts(app)
            # Without rows the posterior is the prior.
            assert rows or probability(test.log_independent) == "0.5000"

    def test_the_curve_waits_for_a_prediction(self, opened: OpenApp) -> None:
        """Whether the posterior rises or falls from a tenth of the rows on, in several orders."""
        app, term, right = opened(step="1"), scored("coronary").terms[0], 0
        assert app.get("plotly_chart")
        app.session_state["step-predict"] = True
        settled(app.run())
        # 1,841 rows: the first size from 184.1 on.
        few = next(size for size in grid(1841).tolist() if size >= 184.1)
        for seed, answer in enumerate(("rise", "fall", "")):
            assert f"From {few:,} to all 1,841 rows: does Pr(⊥ | D) rise or fall?" in texts(app)
            assert not app.get("plotly_chart")
            assert "step-rows-1841" not in [slider.key for slider in app.select_slider]
            settled(app.button(key=f"step-growth-predict-{answer}").click().run())
            ends = [
                bjp.independence_test(
                    bjp.growth.subsample(dataset("coronary").data, size, seed=seed),
                    *(term.x, term.y, term.given),
                ).log_independent
                for size in (few, 1841)
            ]
            way = "rise" if ends[1] > ends[0] else "fall"
            first, last = map(probability, ends)
            sentence = f"It {way}s from {first} with {few:,} rows to {last} with all 1,841."
            (said,) = [block.value for block in app.markdown if sentence in block.value]
            if answer:
                right += answer == way
                assert said.startswith("**✓" if answer == way else "**✗")
                assert said.endswith(f":gray[{right} of {seed + 1} right]")
            else:
                assert said.startswith(sentence)
                assert "right]" not in said
            assert app.get("plotly_chart")
            # Another order of the rows is another curve.
            settled(app.button(key="step-shuffle-button").click().run())


def telling(test: bjp.independence.TestTrace) -> list[int]:
    """Where there are many slices, those first that move the posterior most."""
    if len(test.slices) <= 4:
        return list(range(len(test.slices)))
    moved = [-abs(part.log_independent - test.log_prior) for part in test.slices]
    return sorted(range(len(moved)), key=moved.__getitem__)


def compare_slice(
    section: str, k: int, test: bjp.independence.TestTrace, data: bjp.Dataset
) -> None:
    """One slice: its place, its counts with their margins, and its numbers."""
    part, states = test.slices[k], data.labels[data.index(test.x)]
    where = cells(section, "h4")[0]
    assert where.endswith(f"· {part.rows:,} rows")
    for name, code in zip(test.given, part.configuration, strict=True):
        assert f"= {data.labels[data.index(name)][code]}" in where
    # Where a table is cut, a row or column of dots says so.
    counts, sums = part.counts, part.counts.sum(axis=0)
    expected = np.outer(counts.sum(axis=1), sums) / part.rows
    dots = ["…"] * (len(sums) > 8)
    table = [
        [*(f"{c:,} {number(e, 1)}" for c, e in pairs), *dots, f"{row.sum():,}"]
        for row, pairs in zip(counts[:8], map(zip, counts[:8, :8], expected[:8, :8]), strict=True)
    ]
    table += [["…", "…"]] * (len(counts) > 8)
    table.append([*(f"{c:,}" for c in sums[:8]), *dots, f"{part.rows:,}"])
    assert [cells(row) for row in rows_of(section)] == table
    labels = [*states[:8], *["…"] * (len(states) > 8), "Σ"]
    assert [cells(row, "th")[0] for row in rows_of(section)] == labels
    beside = bjp.classical.classical_test(data, test.x, test.y, test.given).slices[k]
    first, second, third = cells(section, "p")
    pearson, g_squared = number(beside.pearson, 2), number(beside.g_squared, 2)
    assert first == f"χ² = {pearson} G² = {g_squared} df = {beside.freedom}"
    if part.log_odds:
        mean = math.log(sum(map(math.exp, part.log_odds)) / 2)
        values = [*part.log_odds, mean]
        assert re.findall(r"κ = (\d+)", second) == ["1", "8"]
        second = re.sub(r" \(κ = \d+\)", "", second)
    else:
        values = [part.log_g, part.log_h]
    assert figures(second) == pytest.approx(values, abs=5.1e-3)
    prior, here = probability(test.log_prior), probability(part.log_independent)
    assert third == f"pₖ = {prior} → Pr(⊥ here) = {here}"


def compare_formula(
    lines: list[str], test: bjp.independence.TestTrace, order: list[int], term: Any
) -> None:
    """The posterior as a product over the slices, and its complement where that is asserted."""

    def factor(log_value: float) -> str:
        text = probability(log_value)
        return f"({text})" if " " in text else text

    seen = [test.slices[k].log_independent for k in order]
    factors = [factor(value) for value in seen[:4]]
    if seen[4:]:
        factors.append(f"{factor(math.fsum(seen[4:]))} ({len(seen) - 4} more)")
    if test.unseen:
        factors.append(f"{factor(test.log_unseen)} (no rows)")
    # Of one slice alone, the product is its only factor, and is written once.
    result = [factor(test.log_independent)] * (len(factors) > 1)
    names = ", ".join(str(name) for name in (*test.given, "D"))
    product = " = ".join([" × ".join(factors), *result])
    assert lines[0] == f"Pr({test.x} ⊥ {test.y} | {names}) = {product}"
    assert len(lines) == 1 + term.dependent
    if term.dependent:
        assert lines[1].startswith(f"Pr({test.x} ⊥̸ {test.y} | {names}) = 1 − ")
        result = probability(test.log_dependent)
        assert lines[1].endswith(f" = {result}") or result.startswith("1")


def compare_captions(captions: str, test: bjp.independence.TestTrace) -> None:
    """The posterior in words, and the configurations that no row is in."""
    assert ("κ = 1" in captions) == (test.options.prior_cells == "centred")
    assert f"Pr(⊥ | D) = {probability(test.log_independent)}" in captions
    unseen = re.findall(r"([\d,]+) configurations? of .* without a row", captions)
    assert [figures(text)[0] for text in unseen] == [test.unseen] * (test.unseen > 0)


def compare_answers(app: AppTest, test: bjp.independence.TestTrace, data: bjp.Dataset) -> None:
    """The table of the classical answers, the result and the rows with the engine's."""
    classical = bjp.classical.classical_test(data, test.x, test.y, test.given)
    table = html(app, 'class="bjp-answers"').split("<tbody>")[1]
    found = re.findall(r"<tr><th>(.*?)</th>(.*?)</tr>", table)
    shown = {name: [unescape(c) for c in re.findall(r"<td>(.*?)</td>", r)] for name, r in found}
    for name, value, p in (
        ("χ²", classical.pearson, classical.p_pearson),
        ("G²", classical.g_squared, classical.p_g_squared),
    ):
        assert shown[name][:3] == [number(value, 2), str(classical.freedom), p_value(p)]
    assert float(shown["MI"][0]) == pytest.approx(classical.information, rel=1e-3)
    assert shown["Pr(⊥ | D)"][0] == probability(test.log_independent)
    if classical.freedom:
        assert shown["G²"][3] == ("⊥̸" if classical.p_g_squared < 0.05 else "⊥")
    assert f"= <span>{probability(test.log_independent)}</span>" in html(app, 'class="bjp-product"')
    if 0 < len(test.slices) <= 4:
        rows = re.findall(r"· ([\d,]+) rows?", html(app, 'class="bjp-slices"'))
        assert sum(int(amount.replace(",", "")) for amount in rows) == data.rows


class TestInferred:
    @pytest.mark.parametrize("name", ["coronary", NETWORK])
    def test_why_there_is_no_test(self, opened: OpenApp, name: str) -> None:
        loaded, app, trace = dataset(name), opened(name), scored(name)
        inferred = [k for k, term in enumerate(trace.terms, start=1) if not term.computed]
        assert len(inferred) == loaded.data.n * (loaded.data.n - 1) // 2
        for k, position in enumerate(inferred if name == "coronary" else inferred[::17]):
            at_position(app, position)
            self.compare(app, position, trace, loaded)
            assert not sections(app)
            assert not [each for each in app.get("html") if "bjp-product" in each.value]
            if k % 5 == 3:
                term = trace.terms[position - 1]
                skipped = bjp.independence_test(loaded.data, term.x, term.y, term.given)
                settled(app.toggle(key="step-spared").set_value(True).run())
                compare_answers(app, skipped, loaded.data)
                settled(app.toggle(key="step-spared").set_value(False).run())

    @staticmethod
    def compare(app: AppTest, position: int, trace: bjp.scores.ScoreTrace, loaded: Loaded) -> None:
        """The test that decided, and the verdict on the one that is skipped."""
        term = trace.terms[position - 1]
        assert "No test was made here" in texts(app)
        (why,) = [each.value for each in app.markdown if "already decided this pair" in each.value]
        # ψ of the earlier and of the later variable.
        digits = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
        rank = {variable: k for k, variable in enumerate(trace.order)}
        numbers = [int(k) for k in re.findall(r"ψ(\d+)", why.translate(digits))]
        assert numbers == sorted(numbers) == [rank[term.y], rank[term.x]]
        ((test, step),) = re.findall(r"Test (\d+) \(assertion (\d+)\) already decided", why)
        made = trace.terms[int(step) - 1]
        assert (made.x, made.y, made.computed) == (term.y, term.x, True)
        assert int(test) == sum(each.computed for each in trace.terms[: int(step)])
        assert f"Pr = {probability(made.value)}." in why
        assert ("no edge" in why) == (not term.dependent)

        here, there = (
            bjp.independence_test(loaded.data, *each)
            for each in ((made.x, made.y, made.given), (term.x, term.y, term.given))
        )
        known = {"true network": loaded.truth, "published graph": loaded.published}
        agrees, verdict = words.verdict(
            term,
            made,
            there.log_dependent if term.dependent else there.log_independent,
            test=int(test),
            rows=(loaded.data.rows / len(here.slices), loaded.data.rows / len(there.slices)),
            p=bjp.classical.classical_test(loaded.data, term.x, term.y, term.given).p_pearson,
            known={name: g.has_edge(term.x, term.y) for name, g in known.items() if g is not None},
        )
        assert verdict in [each.value for each in (app.markdown if agrees else app.warning)]

    def test_a_bet_that_the_published_graph_contradicts(self, opened: OpenApp) -> None:
        app = opened(step="22")
        (shown,) = [block.value for block in app.warning]
        said, numbers = shown.replace("·10⁻⁴", "e-4"), (0.1043, 2.32e-4, 2, 460, 8, 0.6407, 920)
        assert [n for n in figures(said.replace("χ²", "")) if n not in (1, 0)] == [*numbers]
        assert "published graph has this edge" in shown
        assert "bet was wrong" in shown
        choose(app, "coronary", graph="published")
        assert "The published graph" not in texts(app)


class TestLocalScores:
    @pytest.mark.parametrize("name", ["coronary", "file"])
    def test_counts_and_evidence_add_up(self, opened: OpenApp, name: str) -> None:
        app = opened(name)
        choose(app, name, "mpl")
        for position, term in enumerate(scored(name, "mpl").terms, start=1):
            at_position(app, position)
            local = bjp.scores.local_trace(dataset(name).data, term.x, term.given)
            rows = list(self.all_rows(app, len(local.slices)))
            for row, part in zip(rows, local.slices, strict=True):
                *counts, total, evidence = [text for text in cells(row) if text != "…"]
                assert [figures(text)[0] for text in counts] == list(part.counts[:8])
                assert figures(total)[0] == sum(part.counts)
                assert figures(evidence)[0] == pytest.approx(part.value, abs=5.1e-4)
            captions = "\n".join(block.value for block in app.caption)
            (shown,) = re.findall(r"local score, (−?[\d,.]+\d)", captions)
            assert figures(shown)[0] == pytest.approx(term.value, abs=5.1e-4)
            assert math.fsum(part.value for part in local.slices) == pytest.approx(term.value)

    @staticmethod
    def all_rows(app: AppTest, size: int) -> Iterator[str]:
        """The rows of every page of configurations."""
        for page in range(1, -(-size // 4) + 1):
            if size > 4:
                key = "step-page-Configurations"
                settled(app.number_input(key=key).set_value(page).run())
            yield from rows_of(html(app, "ln evidence"))


class TestEditing:
    def test_undo_leads_back_and_each_dataset_has_its_own(
        self, opened: OpenApp, switch_page: Callable[..., AppTest]
    ) -> None:
        data, app = dataset("coronary").data, opened(graph="edited")
        assert payload(app)["edges"] == []
        assert app.button(key="step-undo").disabled
        learned = bjp.learn(data, search="ibmap-hc")
        edges = list(learned.graph.edges)
        edit(app, "coronary", edges, edges[1:], edges[2:])
        settled(app.run())
        for first in (2, 1, 0):
            graph = nx.Graph(edges[first:])
            graph.add_nodes_from(data.names)
            assert len(payload(app)["edges"]) == len(edges) - first
            score = bjp.score(data, graph).total
            assert figures(line(app).split("= ")[1])[0] == pytest.approx(score, abs=5e-4)
            if first:
                settled(app.button(key="step-undo").click().run())
        assert app.button(key="step-undo").disabled
        assert score == pytest.approx(learned.score)

        app.session_state[visit._TOKEN] = "titanic"
        settled(app.run())
        assert payload(app)["edges"] == []
        app.session_state[visit._TOKEN] = "coronary"
        settled(switch_page(switch_page(app, "method"), "step"))
        assert len(payload(app)["edges"]) == len(edges) == 5

    def test_each_edit_is_one_step_of_undo(self, monkeypatch: pytest.MonkeyPatch) -> None:
        memory: dict[str, Any] = {}
        monkeypatch.setattr(visit, "st", SimpleNamespace(session_state=memory))
        loaded = dataset("coronary")
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


class TestWhatChanged:
    """The component is told what the last change of the graph did to the score."""

    @pytest.mark.parametrize("name", ["coronary", NETWORK])
    def test_the_terms_are_the_engines(self, opened: OpenApp, name: str) -> None:
        data, app = dataset(name).data, opened(name)
        assert payload(app)["change"] is None
        for method in TITLES:
            choose(app, name, method, "learned")
            graph = graphs(name, method)["learned"]
            edited = nx.Graph(graph)
            # One edge, or more terms than are listed.
            pairs = [(data.names[0], data.names[3])] if name == "coronary" else list(graph.edges)
            present = edited.has_edge(*pairs[0])
            (edited.remove_edges_from if present else edited.add_edges_from)(pairs)
            edit(app, name, graph.edges, edited.edges)
            choose(app, name, graph="edited")
            shown, after = payload(app)["change"], bjp.score(data, edited, method)
            compare(payload(app), after, data)
            assert payload(app)["id"].endswith(caches.edges_key(edited))
            # A visit remembers it for each graph.
            assert len(payload(app)["id"]) < 64
            change = bjp.scores.score_change(scored(name, method), after)
            assert shown["about"].endswith("removed" if present else "added")
            self.compare(shown, change, data)

            # The other way round it takes back what it gave.
            settled(app.button(key="step-undo").click().run())
            back = payload(app)["change"]
            assert len(back["rows"]) == len(shown["rows"])
            assert back["rows"][0]["difference"] == -shown["rows"][0]["difference"]
            # A rerun is no change.
            assert payload(settled(app.run()))["change"] == back

    @staticmethod
    def compare(shown: dict[str, Any], change: bjp.scores.ScoreChange, data: bjp.Dataset) -> None:
        """The headline, the rows and their sum."""
        method, size, terms = change.after.method, len(change.after.terms), len(change.terms)
        verb = "rose" if change.difference > 0 else "fell"
        assert shown["headline"].startswith(f"ln {TITLES[method]} {verb} by ")
        assert figures(shown["headline"])[-2:] == [terms, size]
        assert figures(shown["headline"])[0] == pytest.approx(abs(change.difference), rel=0.06)
        assert len(shown["rows"]) == min(60, terms)
        for row, term in zip(shown["rows"], change.terms, strict=False):
            assert data.names[row["x"]] == term.x
            assert (row["y"] is None) == (method == "mpl")
            assert row["y"] is None or data.names[row["y"]] == term.y
            assert row["difference"] == term.difference
            assert row["what"].startswith(str(term.kind))
            values = [row[when] or 0.0 for when in ("before", "after")]
            assert values == [term.before.value, term.after.value]
        # The listed ones and the rest make up the whole.
        listed = math.fsum(row["difference"] for row in shown["rows"])
        rest = figures(shown["rest"])[-1] if shown["rest"] else 0.0
        assert listed + rest == pytest.approx(change.difference, abs=6e-4)

    def test_other_data_or_another_score_with_its_own_graph_is_no_change(
        self, opened: OpenApp
    ) -> None:
        app = opened()
        choose(app, "coronary", graph="published")
        assert payload(app)["change"]["about"] == "4 edges added"
        choose(app, "coronary", "ib")
        assert payload(app)["change"]["headline"].startswith("ln IB-score ")
        choose(app, "coronary", graph="learned")
        assert payload(app)["change"] is not None
        choose(app, "coronary", "mpl")
        assert payload(app)["change"] is None
        app.session_state[visit._TOKEN] = "titanic"
        assert payload(settled(app.run()))["change"] is None


def test_one_or_two_variables(open_app: OpenApp) -> None:
    app = open_app("step")
    for variables in (1, 2):
        codes = np.array([[0, 0], [0, 0], [1, 1], [1, 1]])[:, :variables]
        data = bjp.Dataset.from_codes(codes, names=("a", "b")[:variables])
        loaded = Loaded(f"file:0123456789c{variables}", "Small", "", data)
        take(app, loaded)
        settled(app.run())
        assert len(payload(app)["terms"]["x"]) == variables * (variables - 1)
    # docs/theory.md §2, worked values: Pr(⊥) = 7/37 and 1 - 0.6541: an edge.
    assert payload(app)["edges"] == [[0, 1]]
    for prior_cells, expected in (("centred", 1 - 0.6541), ("equal", 7 / 37)):
        app.selectbox(key=choices.test_choice(loaded).key).set_value(prior_cells).run()
        at_position(app, 1)
        shown = next(c.value for c in app.main.caption if "Pr" in c.value)
        assert figures(shown)[0] == pytest.approx(expected, abs=5e-5)
