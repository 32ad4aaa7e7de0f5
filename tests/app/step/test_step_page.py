"""Step through the score: every number on the page is one of the engine's."""

import math
import re
from functools import cache
from html import unescape

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine.independence import grid
from bjp_engine.search import PUBLISHED
from bjp_explorer.shell import caches, sources, visit
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import number, p_value, probability
from bjp_explorer.shell.visit import Edits
from bjp_explorer.step import behind, choices
from bjp_explorer.views import drill
from tests.app.looks import figures, line, payload, settled, take, texts
from tests.strategies import noisy_tree

TITLES = {"bjp": "BJP", "ib": "IB-score", "mpl": "MPL", "near": "Near blankets"}
NETWORK = "net:hub-1:clique-log-weights:500:3"
# States with names that HTML, Markdown and LaTeX would each take for something else.
HOSTILE = ("<i>a</i>", "**b**", "$c$")


@cache
def dataset(name):
    if name != "file":
        return sources.load(name)
    columns = ["shape & size", "taste", "<ripe>", "sold_out"]
    frame = pd.DataFrame(noisy_tree(5, (12, 9, 3, 2), 400).rows, columns=columns)
    frame["shape & size"] = [f"s{code}" for code in frame["shape & size"]]
    frame["<ripe>"] = [HOSTILE[code] for code in frame["<ripe>"]]
    # Of three states that were declared nobody chose one.
    frame["sold_out"] = pd.Categorical.from_codes(2 * frame["sold_out"], ["no", "partly", "yes"])
    return sources.prepare("file:0123456789ab", "Fruit", "", frame)


@cache
def graphs(name, method="bjp"):
    loaded = dataset(name)
    learned = {"learned": (method, PUBLISHED[method]), "auto": ("bjp", "auto")}
    found = {source: bjp.learn(loaded.data, *how).graph for source, how in learned.items()}
    known = {"true": loaded.truth, "published": loaded.published}
    found |= {source: graph for source, graph in known.items() if graph is not None}
    return found | dict.fromkeys(("empty", "edited"), nx.empty_graph(loaded.data.names))


@cache
def scored(name, method="bjp", graph="learned"):
    return bjp.score(dataset(name).data, graphs(name, method)[graph], method)


def opened(open_app, name="coronary", **query):
    if name != "file":
        return settled(open_app("step", data=name, **query))
    app, loaded = open_app("step", **query), dataset(name)
    take(app, loaded)
    # An uploaded file begins with other choices.
    app.session_state[choices.test_choice(loaded).key] = "equal"
    app.session_state[choices.graph_choice(loaded).key] = "learned"
    return settled(app.run())


def put(widget, value):
    settled(widget.set_value(value).run())


def choose(app, name, method="", graph="", cells=""):
    if method:
        put(app.segmented_control(key="step-score"), method)
    if cells:
        put(app.selectbox(key=choices.test_choice(dataset(name)).key), cells)
    if graph:
        put(app.segmented_control(key=choices.graph_choice(dataset(name)).key), graph)


def edit(app, name, *history):
    """Let a visit have edited a graph, from the first list of edges to the last."""
    data = dataset(name).data
    app.session_state[visit._EDITED] = {data.digest: Edits(data, *map(tuple, history))}


def at_position(app, position):
    """The page with the component at rest at a step."""
    place = payload(app)["id"].removesuffix(" (centred cells)")
    app.session_state["step-at"] = {place: position}
    settled(app.run())
    assert payload(app)["initial_step"] == position


def engine_test(data, term, **options):
    return bjp.independence_test(data, term.x, term.y, term.given, **options)


def cells(row, tag="td"):
    found = re.findall(rf"<{tag}\b[^>]*>(.*?)</{tag}>", row, re.DOTALL)
    return [" ".join(unescape(re.sub(r"<[^>]*>", "", text)).split()) for text in found]


def rows_of(table):
    (body,) = re.findall(r"<tbody>(.*)</tbody>", table, re.DOTALL)
    return re.findall(r"<tr\b.*?</tr>", body, re.DOTALL)


def html(app, part):
    (found,) = [block.value for block in app.get("html") if part in block.value]
    return found


def sections(app):
    bodies = [block.value for block in app.get("html") if "bjp-slices" in block.value]
    return re.findall(r"<section.*?</section>", "".join(bodies), re.DOTALL)


def compare(shown, trace, data):
    """A payload with a trace, to the last digit."""
    terms, at, graph = trace.terms, data.index, trace.graph
    got = {"skipped": [], **shown, **shown["terms"], "edges": {*map(frozenset, shown["edges"])}}
    want = {
        "order": [*map(at, trace.order)],
        "degree": [graph.degree[name] for name in data.names],
        "edges": {frozenset(map(at, edge)) for edge in graph.edges},
        "value": [term.value for term in terms],
        "x": [at(term.x) for term in terms],
    }
    assert ({key: got[key] for key in want}, math.fsum(got["value"])) == (want, trace.total)
    full = bjp.score(data, graph, "ib").terms if trace.method == "bjp" else ()
    assert got["skipped"] == [
        None if mine.computed else other.value for other, mine in zip(full, terms, strict=False)
    ]
    if trace.method == "mpl":
        return
    for name in ("computed", "dependent"):
        assert got[name] == [int(getattr(term, name)) for term in terms]
    # What the view gives: the neighbours of x that have the way of y, or all but y.
    assert ("way" in got) == (trace.method == "near")
    way = dict(zip(zip(got["x"], got["y"], strict=True), got.get("way", []), strict=False))
    for term, x, y in zip(terms, got["x"], got["y"], strict=True):
        assert (y, term.dependent) == (at(term.y), graph.has_edge(term.x, term.y))
        others = {*map(at, graph[term.x])} - {y}
        given = {z for z in others if way.get((x, z)) == way.get((x, y))}
        assert given == {*map(at, term.given)}


# On one dataset every graph under every score; on the others each graph and each score.
@pytest.mark.parametrize("name", ["coronary", "titanic", NETWORK, "file"])
def test_every_graph_shows_the_engines_trace(open_app, name):
    def places():
        return [payload(app)[key] for key in ("layout_id", "x", "y")]

    app = opened(open_app, name)
    first = places()
    assert not app.dataframe
    unused = [block.value for block in app.caption if "No row has" in block.value]
    assert len(unused) == (name == "file")
    assert all("1 declared state of sold" in sentence for sentence in unused)
    put(app.toggle(key="step-table"), True)
    for k, method in enumerate(TITLES):
        choose(app, name, method)
        offered = graphs(name, method)
        control = app.segmented_control(key=choices.graph_choice(dataset(name)).key)
        assert len(control.options) == len(offered), method
        for m, source in enumerate(offered):
            if name != "coronary" and (m - k) % len(TITLES):
                continue
            case, trace = (name, method, source), scored(name, method, source)
            choose(app, name, graph=source)
            compare(payload(app), trace, dataset(name).data)
            rows = {
                "ln": [term.value for term in trace.terms],
                "x": [str(term.x) for term in trace.terms],
                "given": [", ".join(map(str, term.given)) or "∅" for term in trace.terms],
            }
            if method != "mpl":
                made = ("inferred as 1", "computed")
                rows["made"] = [made[term.computed] for term in trace.terms]
            shown = app.dataframe[0].value
            assert {column: list(shown[column]) for column in rows} == rows, case
            title, told = line(app).split(" = ", 1)
            score, edges = (figures(part)[0] for part in told.split(" · ")[:2])
            facts = title, edges, places()
            assert facts == (f"**ln {TITLES[method]}", trace.graph.number_of_edges(), first), case
            assert score == pytest.approx(trace.total, abs=5e-4), case


@pytest.mark.parametrize(
    "case", ["coronary bjp equal", "titanic ib equal", "file ib equal", "file bjp centred"]
)
def test_counts_evidence_and_posterior(open_app, case):
    name, method, prior_cells = case.split()
    data, app = dataset(name).data, opened(open_app, name)
    choose(app, name, method, cells=prior_cells)
    for position, term in enumerate(scored(name, method).terms, start=1):
        if not term.computed:
            continue
        at_position(app, position)
        test = engine_test(data, term, prior_cells=prior_cells)
        laid_out = sections(app)
        # Of many slices, those come first that move the posterior most.
        order = drill.telling(test) if len(test.slices) > 4 else range(len(test.slices))
        assert len(laid_out) == min(4, len(test.slices))
        for section, k in zip(laid_out, order, strict=False):
            compare_slice(section, k, test, data)
        compare_formula(cells(html(app, 'class="bjp-product"'), "p"), test, order, term)
        captions = "\n".join(block.value for block in app.caption)
        assert ("κ = 1" in captions) == (prior_cells == "centred")
        assert f"Pr(⊥ | D) = {probability(test.log_independent)}" in captions
        unseen = re.findall(r"([\d,]+) configurations? of .* without a row", captions)
        assert [figures(text)[0] for text in unseen] == [test.unseen] * (test.unseen > 0)
        compare_answers(app, test, data)


def test_all_slices_can_be_paged_through(open_app):
    data, app = dataset("coronary").data, opened(open_app, score="ib")
    tests = [engine_test(data, term) for term in scored("coronary", "ib").terms]
    most = max(tests, key=lambda test: len(test.slices))
    assert len(most.slices) > 4
    at_position(app, tests.index(most) + 1)
    seen, pages = [], -(-len(most.slices) // 4)
    assert app.number_input(key="step-page-Slices").max == pages
    put(app.segmented_control(key="step-slices"), "order")
    for page in range(1, pages + 1):
        put(app.number_input(key="step-page-Slices"), page)
        seen += sections(app)
    assert len(seen) == len(most.slices)
    for k, section in enumerate(seen):
        compare_slice(section, k, most, data)
    assert sum(figures(cells(rows_of(section)[-1])[-1])[0] for section in seen) == data.rows


def test_fewer_rows_and_a_curve_that_waits_for_a_prediction(open_app):
    data, term = dataset("coronary").data, scored("coronary").terms[0]
    app = opened(open_app, step="1")
    sizes, right = grid(data.rows).tolist(), 0
    assert list(app.select_slider(key="step-rows-1841").options) == [f"{n:,}" for n in sizes]
    for rows, seed in ((sizes[12], 0), (0, 0), (sizes[20], 0), (sizes[20], 1)):
        put(app.select_slider(key="step-rows-1841"), rows)
        if seed:
            settled(app.button(key="step-shuffle-button").click().run())
        part = bjp.independence.subsample(data, rows, seed=seed)
        compare_answers(app, engine_test(part, term), part)
        assert f"This box uses {rows:,} of the 1,841 rows" in texts(app)
    assert app.get("plotly_chart")

    app = opened(open_app, step="1")
    app.session_state["step-predict"] = True
    settled(app.run())
    # 1,841 rows: the first size from 184.1 on.
    few = next(size for size in sizes if size >= 184.1)
    for seed, answer in enumerate(("rise", "fall", "")):
        assert f"From {few:,} to all 1,841 rows: does Pr(⊥ | D) rise or fall?" in texts(app)
        assert not app.get("plotly_chart")
        assert "step-rows-1841" not in [slider.key for slider in app.select_slider]
        settled(app.button(key=f"step-growth-predict-{answer}").click().run())
        parts = [bjp.independence.subsample(data, size, seed=seed) for size in (few, 1841)]
        first, last = (engine_test(part, term).log_independent for part in parts)
        way = "rise" if last > first else "fall"
        ends = f"{probability(first)} with {few:,} rows to {probability(last)} with all 1,841."
        (said,) = [b.value for b in app.markdown if f"It {way}s from {ends}" in b.value]
        right += answer == way
        if answer:
            assert said.startswith("**✓" if answer == way else "**✗")
            assert said.endswith(f":gray[{right} of {seed + 1} right]")
        else:
            assert said.startswith(f"It {way}s from ")
            assert "right]" not in said
        assert app.get("plotly_chart")
        settled(app.button(key="step-shuffle-button").click().run())


def compare_slice(section, k, test, data):
    """One slice: its place, its counts with their margins, and its numbers."""
    part, states = test.slices[k], data.labels[data.index(test.x)]

    def cut(values):
        # A table of more than eight states is cut, and dots say so.
        return [*values[:8], *["…"] * (len(values) > 8)]

    where = cells(section, "h4")[0]
    assert where.endswith(f"· {part.rows:,} rows")
    for name, code in zip(test.given, part.configuration, strict=True):
        label = data.labels[data.index(name)][code]
        assert f"{name} {'' if re.match('[<>≥][0-9]', label) else '= '}{label}" in where
    counts, sums = part.counts, part.counts.sum(axis=0)
    table = []
    for row in counts:
        expected = row.sum() * sums / part.rows
        pairs = [f"{c:,} {number(e, 1)}" for c, e in zip(row, expected, strict=True)]
        table.append([*cut(pairs), f"{row.sum():,}"])
    table[8:] = [["…", "…"]] * (len(counts) > 8)
    table.append([*cut([f"{c:,}" for c in sums]), f"{part.rows:,}"])
    assert [cells(row) for row in rows_of(section)] == table
    assert [cells(row, "th")[0] for row in rows_of(section)] == [*cut(states), "Σ"]
    beside = bjp.classical.classical_test(data, test.x, test.y, test.given).slices[k]
    first, second, third = cells(section, "p")
    pearson, g_squared = number(beside.pearson, 2), number(beside.g_squared, 2)
    assert first == f"χ² = {pearson} G² = {g_squared} df = {beside.freedom}"
    values = [part.log_g, part.log_h]
    if part.log_odds:
        values = [*part.log_odds, math.log(sum(map(math.exp, part.log_odds)) / 2)]
        assert re.findall(r"κ = (\d+)", second) == ["1", "8"]
        second = re.sub(r" \(κ = \d+\)", "", second)
    assert figures(second) == pytest.approx(values, abs=5.1e-3)
    prior, here = probability(test.log_prior), probability(part.log_independent)
    assert third == f"pₖ = {prior} → Pr(⊥ here) = {here}"


def compare_formula(lines, test, order, term):
    """The posterior as a product over the slices, and its complement where that is asserted."""
    names = ", ".join(str(name) for name in (*test.given, "D"))
    assert lines[0].startswith(f"Pr({test.x} ⊥ {test.y} | {names}) = ")
    for k in order[:4]:
        assert probability(test.slices[k].log_independent) in lines[0]
    assert probability(test.log_independent) in lines[0].rpartition(" = ")[2]
    assert len(lines) == 1 + term.dependent
    if term.dependent:
        assert lines[1].startswith(f"Pr({test.x} ⊥̸ {test.y} | {names}) = 1 − ")
        result = probability(test.log_dependent)
        assert lines[1].endswith(f" = {result}") or result.startswith("1")


def compare_answers(app, test, data):
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
    posterior = probability(test.log_independent)
    assert shown["Pr(⊥ | D)"][0] == posterior
    if classical.freedom:
        assert shown["G²"][3] == ("⊥̸" if classical.p_g_squared < 0.05 else "⊥")
    product = re.sub(r"[()]", "", html(app, 'class="bjp-product"'))
    assert f"= <span>{posterior}</span>" in product
    if 0 < len(test.slices) <= 4:
        rows = re.findall(r"· ([\d,]+) rows?", html(app, 'class="bjp-slices"'))
        assert sum(int(amount.replace(",", "")) for amount in rows) == data.rows


@pytest.mark.parametrize("name", ["coronary", NETWORK])
def test_why_there_is_no_test(open_app, name):
    loaded, app, trace = dataset(name), opened(open_app, name), scored(name)
    inferred = [k for k, term in enumerate(trace.terms, start=1) if not term.computed]
    assert len(inferred) == loaded.data.n * (loaded.data.n - 1) // 2
    for k, position in enumerate(inferred if name == "coronary" else inferred[::17]):
        at_position(app, position)
        compare_inferred(app, position, trace, loaded)
        assert not sections(app)
        assert not [each for each in app.get("html") if 'class="bjp-product"' in each.value]
        if k % 5 == 3:
            put(app.toggle(key="step-spared"), True)
            compare_answers(app, engine_test(loaded.data, trace.terms[position - 1]), loaded.data)
            put(app.toggle(key="step-spared"), False)


def compare_inferred(app, position, trace, loaded):
    data, term = loaded.data, trace.terms[position - 1]
    (why,) = [each.value for each in app.markdown if "Why 1?" in each.value]
    # ψ of the earlier and of the later variable.
    digits = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
    numbers = [int(k) for k in re.findall(r"ψ(\d+)", why.translate(digits))]
    assert numbers == sorted(numbers) == [trace.order.index(v) for v in (term.y, term.x)]
    ((test, step),) = re.findall(r"\(test (\d+), assertion (\d+)\)", why)
    made = trace.terms[int(step) - 1]
    assert (made.x, made.y, made.computed) == (term.y, term.x, True)
    assert int(test) == sum(each.computed for each in trace.terms[: int(step)])
    assert f"Pr = {probability(made.value)}." in why
    assert ("no edge" in why) == (not term.dependent)

    here, there = engine_test(data, made), engine_test(data, term)
    known = {"true network": loaded.truth, "published graph": loaded.published}
    agrees, verdict = behind.verdict(
        term,
        made,
        there.log_dependent if term.dependent else there.log_independent,
        test=int(test),
        rows=(data.rows / len(here.slices), data.rows / len(there.slices)),
        known={name: g.has_edge(term.x, term.y) for name, g in known.items() if g is not None},
    )
    assert verdict in [each.value for each in (app.markdown if agrees else app.warning)]


@pytest.mark.parametrize("name", ["coronary", "file"])
def test_counts_and_evidence_of_local_scores_add_up(open_app, name):
    app = opened(open_app, name)
    choose(app, name, "mpl")
    for position, term in enumerate(scored(name, "mpl").terms, start=1):
        at_position(app, position)
        local = bjp.scores.local_trace(dataset(name).data, term.x, term.given)
        rows, size = [], len(local.slices)
        for page in range(1, -(-size // 4) + 1):
            if size > 4:
                put(app.number_input(key="step-page-Configurations"), page)
            rows += rows_of(html(app, "ln evidence"))
        for row, part in zip(rows, local.slices, strict=True):
            *counts, total, evidence = [figures(text)[0] for text in cells(row) if text != "…"]
            assert (counts, total) == (list(part.counts[:8]), sum(part.counts))
            assert evidence == pytest.approx(part.value, abs=5.1e-4)
        captions = "\n".join(block.value for block in app.caption)
        (shown,) = re.findall(r"local score, (−?[\d,.]+\d)", captions)
        assert figures(shown)[0] == pytest.approx(term.value, abs=5.1e-4)


def test_each_dataset_has_its_own_edited_graph(open_app, switch_page):
    app = opened(open_app, graph="edited")
    assert payload(app)["edges"] == []
    assert app.button(key="step-undo").disabled
    edges = list(graphs("coronary")["learned"].edges)
    edit(app, "coronary", edges)
    assert len(payload(settled(app.run()))["edges"]) == len(edges)
    app.session_state[visit._TOKEN] = "titanic"
    assert payload(settled(app.run()))["edges"] == []
    app.session_state[visit._TOKEN] = "coronary"
    settled(switch_page(switch_page(app, "method"), "step"))
    assert len(payload(app)["edges"]) == len(edges) == 5


@pytest.mark.parametrize("name", ["coronary", NETWORK])
def test_what_an_edit_changed_is_the_engines(open_app, name):
    data, app = dataset(name).data, opened(open_app, name)
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
        assert len(payload(app)["id"]) < 64
        assert shown["about"].endswith("removed" if present else "added")
        compare_change(shown, bjp.scores.score_change(scored(name, method), after), data)
        (was,) = re.findall(r"\(before: (−?[\d,.]+);", line(app))
        assert figures(was)[0] == pytest.approx(scored(name, method).total, abs=6e-4)

        settled(app.button(key="step-undo").click().run())
        back = payload(app)["change"]
        assert len(back["rows"]) == len(shown["rows"])
        assert back["rows"][0]["difference"] == -shown["rows"][0]["difference"]
        assert payload(settled(app.run()))["change"] == back


def compare_change(shown, change, data):
    method, size, terms = change.after.method, len(change.after.terms), len(change.terms)
    verb = "rose" if change.difference > 0 else "fell"
    assert shown["headline"].startswith(f"ln {TITLES[method]} {verb} by ")
    assert figures(shown["headline"])[-2:] == [terms, size]
    assert figures(shown["headline"])[0] == pytest.approx(abs(change.difference), rel=0.06)
    assert len(shown["rows"]) == min(60, terms)
    for row, term in zip(shown["rows"], change.terms, strict=False):
        y = None if method == "mpl" else data.index(term.y)
        ends = row["before"] or 0.0, row["after"] or 0.0
        found = row["x"], row["y"], row["difference"], *ends
        values = term.before.value, term.after.value
        assert found == (data.index(term.x), y, term.difference, *values)
        assert row["what"].startswith(str(term.kind))
    # The listed ones and the rest make up the whole.
    listed = math.fsum(row["difference"] for row in shown["rows"])
    rest = figures(shown["rest"])[-1] if shown["rest"] else 0.0
    assert listed + rest == pytest.approx(change.difference, abs=6e-4)


def test_other_data_or_another_score_with_its_own_graph_is_no_change(open_app):
    app = opened(open_app)
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


def test_one_or_two_variables(open_app):
    app, codes = open_app("step"), np.array([[0, 0], [0, 0], [1, 1], [1, 1]])
    for variables in (1, 2):
        data = bjp.Dataset.from_codes(codes[:, :variables], names=("a", "b")[:variables])
        loaded = Loaded(f"file:0123456789c{variables}", "Small", "", data)
        take(app, loaded)
        app.session_state[choices.graph_choice(loaded).key] = "learned"
        settled(app.run())
        assert len(payload(app)["terms"]["x"]) == variables * (variables - 1)
    # docs/theory.md §2, worked values: Pr(⊥) = 7/37 and 1 - 0.6541.
    for prior_cells, expected in (("centred", 1 - 0.6541), ("equal", 7 / 37)):
        app.selectbox(key=choices.test_choice(loaded).key).set_value(prior_cells).run()
        at_position(app, 1)
        shown = next(c.value for c in app.main.caption if "Pr" in c.value)
        assert figures(shown)[0] == pytest.approx(expected, abs=5e-5)
