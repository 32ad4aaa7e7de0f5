"""Your network: graph, confidences, words and files are what the engine computes."""

import io
import json
import re
import time
from dataclasses import replace
from functools import partial
from itertools import combinations

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from bjp_engine.search.auto.lasso import kept_by_both

import bjp_engine as bjp
from bjp_engine.paper import write_paragraph
from bjp_engine.scores import KnownEdges
from bjp_explorer.downloads.formats import formats_of
from bjp_explorer.downloads.result import Result
from bjp_explorer.jobs import job, results, tasks
from bjp_explorer.jobs.tasks import Shuffled
from bjp_explorer.network import choices, known_choice, stability, words
from bjp_explorer.network.pairs import learned_graph
from bjp_explorer.shell import sources, visit
from bjp_explorer.shell.text import markdown, number
from bjp_explorer.views import edges as network_edges
from bjp_explorer.views import layout
from bjp_explorer.views.words import describe_shuffled
from tests.app import looks
from tests.app.looks import coupled, figures, payload, settled, texts
from tests.app.network.pages import (
    HOSTILE,
    KARATE,
    drawn,
    learn,
    line,
    open_network,
    open_plain,
    options_of,
    pairs,
    press,
    table,
    upload,
)


def choose_search(page, search):
    (control,) = [one for one in page.segmented_control if one.label == words.SEARCH]
    return settled(control.set_value(search).run())


def set_threshold(page, threshold):
    return settled(page.slider(key="network-threshold").set_value(threshold).run())


def plain_edges(page):
    return {pair: weight for pair, (tone, weight, _) in drawn(page).items() if tone == "plain"}


@pytest.mark.parametrize("token", ["coronary", "titanic", KARATE])
def test_both_searches_are_shown_as_the_engine_has_them(token):
    loaded, page = sources.load(token), open_plain(token)
    data = loaded.data
    for search in ("auto", "ibmap-hc"):
        trace = learn(token, search)
        sure = bjp.confidence.test_confidence(data, trace.graph, **options_of(search))
        # Edges are as wide as their tests are sure; up to six pairs are likely but left out.
        edges = plain_edges(page)
        assert set(edges) == pairs(trace.graph, data)
        for pair, weight in edges.items():
            assert weight == pytest.approx(sure.matrix[pair], abs=6e-5), pair
        others = {pair for pair, (tone, *_) in drawn(page).items() if tone == "missing"}
        high = [e for e in sure.edges(0.9) if not trace.graph.has_edge(e.x, e.y)]
        assert others == {(data.index(e.x), data.index(e.y)) for e in high[:6]}
        # Each line of an edge has the computed test.
        rows = table(page).set_index("pair")
        assert (rows["learned"] == "edge").sum() == trace.graph.number_of_edges()
        for term in bjp.score(data, trace.graph, **options_of(search)).computed:
            if trace.graph.has_edge(term.x, term.y):
                pair = tuple(sorted((data.index(term.x), data.index(term.y))))
                row = rows.loc[network_edges.pair_name(pair, data)]
                assert row["confidence"] == pytest.approx(np.exp(term.value), rel=1e-12), pair
                given = ", ".join(map(str, term.given))
                assert row["given"] == (f"{{{given}}}" if given else "∅"), pair
        check_reasons(page, data, trace)
        check_difference(page, loaded)
        clear = sum(sure.of(u, v).confidence >= 0.9 for u, v in trace.graph.edges)
        assert f"**{clear} with Pr(dependent) 0.9 or more**" in texts(page)
        if search == "auto":
            check_what_auto_says(page, data, trace, sure)
            told = line(page, "Auto first found")
            start = trace.milestones["nodewise"].number_of_edges()
            assert f"starting graph of {start} edge" in told
            assert str(trace.stop_reason) in told
            assert f"{trace.best_at or 'no'} flip" in told
            choose_search(page, "ibmap-hc")
    assert "(centred cells)" not in texts(page)


def check_reasons(page, data, trace):
    """A pair against its number has what a flip of it changes."""
    auto, columns = trace.search == "auto", ["pair", "learned", "confidence", "why"]
    # Where no pair has a reason, the table has no column of them.
    rows = table(page).reindex(columns=columns, fill_value="")
    unlike = (rows["learned"] == "edge") == (rows["confidence"] < 0.5)
    against = rows[unlike & rows["why"].str.contains("it, ln BJP")]
    assert len(against) == min(unlike.sum(), 12)
    # Cases with such pairs, so that the loop below has something to check.
    assert len(against) or (data.n, auto) not in [(6, True), (34, False)]
    by_name = {network_edges.pair_name(pair, data): pair for pair in combinations(range(data.n), 2)}
    for _, row in against.iterrows():
        u, v = (data.names[k] for k in by_name[row["pair"]])
        graph = nx.Graph(trace.graph)
        has = graph.has_edge(u, v)
        (graph.remove_edge if has else graph.add_edge)(u, v)
        gain = bjp.score(data, graph, "bjp", **trace.given).total - trace.score
        name = "ln BJP (centred cells) + prior" if auto else "ln BJP"
        moved = f"{'falls' if gain < 0 else 'rises'} by {number(abs(gain), 4)}"
        assert row["why"].startswith(f"{'without' if has else 'with'} it, {name} {moved}")
    rest = rows[~unlike]
    assert rest["why"].any() == auto
    assert not rest["why"].str.contains("it, ln BJP").any()


def check_difference(page, loaded):
    graphs = [learn(loaded.token, search).graph for search in ("auto", "ibmap-hc")]
    known = loaded.truth or loaded.published
    wanted = pd.DataFrame(
        {
            "Search": ["Auto", "The paper’s search (IBMAP-HC)"],
            "Edges": [str(graph.number_of_edges()) for graph in graphs],
            "ln BJP (paper’s test, uniform prior)": [
                number(bjp.score(loaded.data, graph).total, 4) for graph in graphs
            ],
        }
    )
    shown = page.table[0].value
    assert shown[[*wanted]].equals(wanted)
    far = [shown[column].tolist() for column in shown if column.startswith("Hamming")]
    distances = [str(bjp.metrics.hamming(known, graph)) for graph in graphs if known]
    assert far == ([distances] if known else [])
    one, two = (pairs(graph, loaded.data) for graph in graphs)
    for only in (one - two, two - one):
        assert not only or f"{len(only)} edge" in texts(page)


def check_what_auto_says(page, data, trace, tests):
    """The parts that the log odds of a pair are made of, which add up."""
    why, said = dict(table(page).set_index("pair")["why"]), trace.evidence
    assert len(why) >= trace.graph.number_of_edges() > 0
    for i, j in combinations(range(data.n), 2):
        if (name := network_edges.pair_name((i, j), data)) not in why:
            continue
        about = why.pop(name).rpartition(" · ")[2].replace("−", "-")
        first, second = (data.names[k] for k in (i, j))
        found = re.match(
            rf"the model of {first} is ([\d.]+ \w+) with {second}, that of {second} is "
            rf"([\d.]+ \w+) with {first}(.*): ln odds (-?[\d.]+) before its test, "
            r"which says Pr\(dependent\) ([\d.]+)$",
            about,
        )
        assert found, about
        sides = [part.split() for part in found.groups()[:2]]
        assert {how for _, how in sides} <= {"better", "worse"}
        gains = [float(value) * (1 if how == "better" else -1) for value, how in sides]
        expected = [said.own[a, b] - said.prior[i, j] for a, b in ((i, j), (j, i))]
        total, probability = map(float, found.groups()[3:])
        assert gains == pytest.approx(expected, abs=0.051)
        assert total == pytest.approx(said.log_odds[i, j], abs=0.051)
        assert probability == pytest.approx(tests.matrix[i, j], abs=6e-5)
        parts = {of: float(x) for of, x in re.findall(r"; ([a-z ,]+?) (-?[\d.]+)", found[3])}
        in_part = "with the prior, and counted in part,"
        judged = parts[in_part if in_part in parts else "with the prior"]
        binary = all(len(set(data.codes[:, k])) == 2 for k in (i, j))
        assert (in_part in parts) == (not binary or judged > max(gains))
        judged = parts.get("the pair alone", judged)
        judged += parts.get("other pairs", 0) + parts.get("both ends agree", 0)
        assert judged == pytest.approx(total, abs=0.21)
    assert not why


def test_doubtful_edges_are_named_hidden_and_stepped_through(switch_page):
    data, trace = sources.load("coronary").data, learn()
    sure = bjp.confidence.test_confidence(data, trace.graph, **options_of("auto"))
    each = sorted((sure.of(u, v).confidence, u, v) for u, v in trace.graph.edges)
    page = open_plain()
    assert line(page, f"**{len(each)} edges**")
    doubtful = line(page, "Less clear edges")
    told = [f"{c:.2f}" if c < 0.895 else f"{c:.4f}" for c, *_ in each if c < 0.9]
    places = [doubtful.index(f"({number})") for number in told]
    assert places == sorted(places)
    assert places
    assert markdown(each[0][1]) in doubtful
    page = settled(press(page, "network-step"))
    assert page.title[0].value == "Step through the score"
    assert page.segmented_control(key="step-graph").value == "auto"
    assert {(i, j) for i, j, *_ in payload(page)["edges"]} == pairs(trace.graph, data)
    scored = bjp.score(data, trace.graph, **options_of("auto"))
    assert payload(page)["terms"]["value"] == [term.value for term in scored.terms]
    assert page.selectbox(key="step-test").value == "centred"
    # Hidden edges are hidden everywhere, and that isn't called an edit.
    page = set_threshold(switch_page(page, "network"), 0.95)
    kept = {(i, j) for i, j in pairs(trace.graph, data) if sure.matrix[i, j] >= 0.95}
    assert 0 < len(kept) < len(each)
    assert set(plain_edges(page)) == kept
    assert (table(page)["learned"] == "edge").sum() == len(kept)
    told = line(page, f"**{len(each)} edges**")
    assert f"{len(each) - len(kept)} learned edge" in told
    page = settled(press(page, "network-step"))
    assert page.segmented_control(key="step-graph").value == "edited"
    assert "edges learned by auto (edges below 0.95 hidden)" in looks.line(page)
    assert page.selectbox(key="step-test").value == "centred"


def test_every_page_begins_with_the_same_graph_at_the_same_places(open_app, switch_page):
    own, titanic = coupled(("a", "b", "c", "d"), seed=4), sources.load("titanic")
    page = open_app("start")
    page.session_state[visit._UPLOADS] = {own.token: own}
    page.session_state["network-edges"] = "probability"
    # A visit may have seen the other kind of data first.
    for loaded, search in ((titanic, "ibmap-hc"), (own, "auto"), (titanic, "ibmap-hc")):
        learned = pairs(bjp.learn(loaded.data, "bjp", search).graph, loaded.data)
        page.session_state[visit._TOKEN] = loaded.token
        settled(switch_page(page, "network"))
        by = "auto" if search == "auto" else "the paper’s search"
        assert f"learned by {by}" in payload(page)["panels"][0]["title"]
        assert set(plain_edges(page)) == learned
        places = [payload(page)[axis] for axis in "xy"]
        settled(switch_page(page, "step"))
        assert {(i, j) for i, j in payload(page)["edges"]} == learned
        assert [payload(page)[axis] for axis in "xy"] == places
        assert f"learned by {by}" in texts(page)
        assert ("(centred cells)" in looks.line(page)) == (search == "auto")
        settled(switch_page(page, "climb"))
        key = "climb-search-own" if search == "auto" else "climb-search"
        assert page.selectbox(key=key).value == search


def test_it_begins_with_calibrated_probabilities():
    data = sources.load(KARATE).data
    sure = bjp.edge_probabilities(data)
    verdicts = sure.verdicts()
    counts = verdicts["verdict"].value_counts()
    told = {frozenset((v.x, v.y)): (v.probability, v.verdict) for v in verdicts.itertuples()}
    page = open_network(KARATE, edges="probability")
    for search in ("auto", "ibmap-hc"):
        choose_search(page, search)
        graph = learn(KARATE, search).graph
        for pair, weight in plain_edges(page).items():
            assert weight == pytest.approx(sure.matrix[pair], abs=6e-5), (search, pair)
        assert (table(page)["learned"] == "edge").sum() == graph.number_of_edges()
        for row in table(page).itertuples():
            assert (row.confidence, row.verdict) == told[frozenset(row.pair.split(" – "))]
        shares = [sure.of(u, v).confidence for u, v in graph.edges]
        wrong = sum(1 - share for share in shares)
        summary = line(page, f"**{graph.number_of_edges()} edges**")
        for part in (
            f"**{counts['present']} of {len(verdicts)} pairs are present, ",
            f", {counts['absent']} absent, {counts['undecided']} undecided**",
            "(present from 0.9, absent up to 0.1)",
            f"{number(wrong, 1) if wrong >= 0.1 else 'fewer than 0.1'} are expected to be false",
        ):
            assert part in summary
    every = verdicts["probability"].sum()
    for threshold in (0.0, 0.8):
        set_threshold(page, threshold)
        kept = [share for share in shares if share >= threshold]
        false, missed = sum(1 - share for share in kept), every - sum(kept)
        amounts = [number(x, 1) if x >= 0.1 else "< 0.1" for x in (false, missed)]
        assert line(page, "expect ") == f"expect {amounts[0]} false, {amounts[1]} missed"
    codes = np.random.default_rng(6).integers(0, 20, (60, 4))
    codes[:, 1] = codes[:, 0]
    page = open_network(upload(codes), edges="probability")
    everything = texts(page)
    assert "6 pairs are not judged" in everything.replace("\\", "")
    assert "expected" not in everything
    assert set(table(page)["verdict"]) == {"not judged"}


def hold_at_five(work):
    """The same work, which stays at its fifth part until it is cancelled."""

    def held(*given, progress, **options):
        def report(done, total):
            progress.report(done, total)
            while done == 5 and not progress.cancelled():
                time.sleep(0.01)

        return work(*given, progress=replace(progress, report=report), **options)

    return held


def test_a_bootstrap_is_cancelled_uses_what_it_made_and_is_repeated_whole(monkeypatch):
    loaded = coupled(("a", "b", "c", "d"), seed=21)
    asked = {"confidence": "bootstrap", "resamples": "30", "seed": "3"}
    page = open_network(loaded, edges="probability", **asked)
    before = table(page)
    assert before.equals(before.sort_values("confidence", ascending=False, kind="stable"))
    with monkeypatch.context() as patched:
        patched.setattr(tasks, "bootstrap", hold_at_five(tasks.bootstrap))
        assert press(page, "network-begin").get("progress")
        settled(press(page, "Cancel"))
    made = re.search(r"was cancelled after (\d+) of 30; the numbers below use", page.info[0].value)
    # Threads may be ahead of the fifth, where it was held up.
    assert 5 <= int(made[1]) < 30
    assert f"{made[1]} resamples" in line(page, "Share of resamples:")
    settled(press(press(page, "Run it again"), "network-begin"))
    assert "30 resamples" in line(page, "Share of resamples:")
    expected = bjp.confidence.bootstrap(loaded.data, "bjp", "auto", resamples=30, seed=3)
    rows = table(page).set_index("pair")
    assert (rows["learned"] == "edge").any()
    for name, row in rows.iterrows():
        pair = tuple(loaded.data.index(one) for one in str(name).split(" – "))
        assert row["confidence"] == expected.matrix[pair], pair
        assert row["error"] == expected.error[pair], pair


def test_a_bootstrap_goes_on_whatever_else_is_looked_at(monkeypatch):
    """Other kinds of confidence leave it alone, computed before or not; another seed ends it."""
    loaded = coupled(("a", "b", "c", "d"), seed=23)
    asked = {"confidence": "bootstrap", "resamples": "30"}
    monkeypatch.setattr(tasks, "bootstrap", hold_at_five(tasks.bootstrap))
    monkeypatch.setattr(job, "ABANDONED_AFTER", 1e9)
    page = open_network(loaded, edges="probability", **asked)
    assert press(page, "network-begin").get("progress")
    jobs = page.session_state[results._JOBS]
    (begun,) = [each for each in jobs.values() if each.title == words.learning(30)]
    for _ in ("computed now", "from the cache"):
        for kind in ("calibrated", "test", "graphs"):
            settled(page.segmented_control(key="network-kind").set_value(kind).run())
            assert not begun.cancelled, kind
        page.segmented_control(key="network-kind").set_value("bootstrap").run()
        assert page.get("progress")
    page.number_input(key="network-bootstrap-seed").set_value(1).run()
    assert press(page, "network-begin").get("progress")
    assert begun.cancelled
    settled(press(page, "Cancel"))


def test_graphs_are_weighed_where_all_can_be_scored():
    data = sources.load("titanic").data
    page = open_network("titanic", confidence="graphs", edges="probability")
    for search, prior in (("auto", {"expected_degree": 2.0}), ("ibmap-hc", {})):
        choose_search(page, search)
        sure = bjp.confidence.posterior_edges(data, **prior)
        assert sure.kind == "exact"
        assert "all 64 graphs" in line(page, "Edge probability:")
        assert plain_edges(page)
        for pair, weight in plain_edges(page).items():
            assert weight == pytest.approx(sure.matrix[pair], abs=6e-5), (search, pair)
    # A link to what is not offered for more variables opens the page with the usual kind.
    loaded = coupled(tuple("abcdefgh"), rows=200)
    page = open_network(loaded, confidence="graphs", seconds="120", seed="5")
    assert page.segmented_control(key="network-kind").value == "calibrated"
    assert not page.exception
    assert not page.error


def test_chance_is_compared_with_once_asked():
    told = "With every column shuffled"
    # Each column but the last is a noisy copy of the one before.
    noise = np.random.default_rng(32).random((300, 7)) < 0.25
    codes = np.cumsum(noise, axis=1) % 2
    codes[:, 6] = noise[:, 0]
    loaded = upload(codes)
    page = open_plain(loaded)
    assert told not in texts(page)
    shuffled = [bjp.confidence.shuffle_columns(loaded.data, seed) for seed in range(20)]
    present = [
        (bjp.edge_probabilities(one).verdicts()["verdict"] == "present").sum()
        for one in (*shuffled, loaded.data)
    ]
    for search in ("auto", "ibmap-hc"):
        choose_search(page, search)
        settled(press(page, "network-shuffle"))
        edges = [bjp.learn(one, "bjp", search).graph.number_of_edges() for one in shuffled]
        own = bjp.learn(loaded.data, "bjp", search).graph.number_of_edges()
        assert sum(edges) > 0
        assert figures(line(page, told))[-6:] == pytest.approx(
            [np.mean(edges), 20, own, 0.9, np.mean(present[:-1]), present[-1]], abs=0.005
        )
        assert not [button for button in page.button if button.key == "network-shuffle"]
    before = line(page, told)
    page.segmented_control(key="network-kind").set_value("calibrated")
    assert line(settled(page.run()), told) == before
    trace = learn()
    own = trace.graph.number_of_edges()
    assert 0 < own < 9
    for edges in ((0,) * 20, (9, *(0,) * 19)):
        few, many = Shuffled(edges, edges, 3), Shuffled((own, own, *edges[2:]), edges, 3)
        assert "chance explains" not in describe_shuffled(few, trace)
        told = describe_shuffled(many, trace)
        assert re.findall(r"In (\d+) of 20 .* as many edges or more, so chance", told) == ["2"]


def test_the_words_about_auto_name_the_lasso_and_scores_where_they_count():
    for rows, states in ((1999, 2), (2000, 2), (300, 3)):
        rng = np.random.default_rng(0)
        codes = rng.integers(2, size=(rows, 8))
        codes[:, 0] = rng.integers(states, size=rows)
        codes[:, 1] = codes[:, 2] ^ (rng.random(rows) < 0.1)
        data = bjp.Dataset.from_codes(codes)
        told = words.describe_search(bjp.learn(data, "bjp", "auto"), data)
        assert ("lasso" in told) == kept_by_both(data).any(), (rows, states)
        by_lasso = "each variable on the others by the lasso" in told
        assert by_lasso == (rows < 2000 and states == 2), (rows, states)
    codes = np.random.default_rng(0).integers(3, size=(60, 3))
    codes[:, 2] %= 2
    for ordered, expected in (((), False), ((0,), True), ((2,), False)):
        data = bjp.Dataset.from_codes(codes, ordered=ordered)
        trace = bjp.learn(data, "bjp", "auto")
        assert ("regressed by scores" in words.describe_search(trace, data)) is expected, ordered
        assert ("by mid-rank scores" in write_paragraph(data, trace)) is expected, ordered


def test_one_variable_no_edge_and_a_constant_column():
    assert "only one variable" in open_network(coupled(("a",))).info[0].value
    codes = np.array([[i, j] for i in (0, 1) for j in (0, 1)] * 25)
    page = open_network(upload(codes, ("a", "b")))
    assert "**No edge was found**" in texts(page)
    assert not drawn(page)
    assert not any("effect" in each.value for each in page.dataframe)
    codes = np.random.default_rng(5).integers(0, 3, (80, 4))
    codes[:, 1], codes[:, 3] = 0, codes[:, 0]
    loaded = upload(codes, ("a", "still", "c", "d"))
    page = open_plain(loaded)
    for search in ("auto", "ibmap-hc"):
        choose_search(page, search)
        assert "still has the same value in every row" in texts(page)
        rows = table(page)
        still = rows["pair"].str.contains("still")
        assert still.any()
        assert rows["why"][still].str.startswith("a variable with one value shows").all()
        assert rows["why"][~still].str.contains("ln odds").all() == (search == "auto")
        assert (0, 3) in drawn(page)


def test_names_are_text_in_every_part(monkeypatch):
    monkeypatch.setattr(stability, "REPEATS", 20)
    monkeypatch.setattr(tasks, "drop_cases", partial(tasks.drop_cases, dropped=[0.5]))
    loaded = coupled((*HOSTILE, "a_b"), seed=3)
    parts = [f"network-{part} {loaded.data.digest}" for part in ("variables", "stability")]
    known = KnownEdges([HOSTILE[:2]], [HOSTILE[1:3]])
    page = open_plain(
        loaded,
        *parts,
        "network-known",
        known=known_choice.choice_of(loaded).write(known),
        given=choices.evidence_of(loaded).write([(HOSTILE[2], "1"), (HOSTILE[3], "0")]),
    )
    settled(press(page, "network-stability-begin"))
    assert not re.search(r"(?<!\\)(<script|\]</script|\*\*bold|:red|\$x)", texts(page))
    for column in ("pair", "neighbours", "state"):
        cells = [one for one in table(page, column).to_numpy().ravel() if isinstance(one, str)]
        assert cells, column
        assert not [cell for cell in cells if cell.startswith("=")], column
    listed = [each.value for each in page.markdown if "must be an edge" in each.value]
    assert listed == [f"{markdown(HOSTILE[0])} – {markdown(HOSTILE[1])}: must be an edge"]
    assert "\\<script\\>" in listed[0]


def test_a_large_table_is_cut_and_files_hold_what_is_shown():
    names = tuple(f"v{k}" for k in range(40))
    data = bjp.Dataset.from_codes(np.random.default_rng(0).integers(0, 2, (20, 40)), names=names)
    matrix = np.full((40, 40), 0.7)
    np.fill_diagonal(matrix, 0.0)
    graph = nx.path_graph(names)
    sure = bjp.confidence.EdgeConfidence("bootstrap", names, matrix, None, "bjp")
    tests = bjp.confidence.test_confidence(data, graph)
    found = network_edges.lines(data, graph, sure, tests, 0.0)
    assert sum(each.learned for each in found) == 39
    assert len(found) == 39 + network_edges.MOST_OTHERS
    assert not network_edges.lines(data, graph, sure, tests, 0.71)
    loaded, trace = sources.load("coronary"), learn()
    data, every = loaded.data, trace.graph.number_of_edges()
    sure = bjp.confidence.bootstrap(data, "bjp", "auto", resamples=20)
    tests = bjp.confidence.test_confidence(data, trace.graph)
    graph = learned_graph(network_edges.lines(data, trace.graph, sure, tests, 0.9), data)
    gone = every - graph.number_of_edges()
    assert 0 < gone < every
    points = layout.positions(data.names, [graph])
    result = Result(loaded, graph, trace, points, sure, threshold=0.9)
    files = {f.extension: f.make() for f in formats_of(result) if f.extension != "png"}
    read = nx.parse_graphml(files["graphml"].decode())
    assert read.number_of_edges() == graph.number_of_edges()
    for u, v, attributes in read.edges(data=True):
        assert attributes["probability"] == sure.of(u, v).confidence >= 0.9
        assert attributes["probability_error"] == sure.of(u, v).error
        assert f"share of resamples {sure.of(u, v).confidence:.4f}".encode() in files["html"]
    header = files["csv"].decode().splitlines()[0]
    assert header == "source,target,probability,probability_error,probability_kind,warning"
    warning = f"{gone} learned edge{'s' * (gone > 1)}"
    assert f"{warning} below 0.90" in result.warnings[0]
    for extension in ("graphml", "csv", "pairs.csv", "svg", "html", "report.html"):
        assert f"{warning} below 0.90" in files[extension].decode("utf-8-sig"), extension
    for extension in ("repeat.ipynb", "repeat.py", "json"):
        assert warning in files[extension].decode(), extension
    whole = json.loads(files["json"])
    assert {*whole} - {"shown", "warnings"} == {*json.loads(bjp.io.trace_json(trace, sure))}
    shown = bjp.io.read_graph(io.BytesIO(files["json"]), "json")
    assert pairs(shown, data) == pairs(graph, data)
    assert pairs(nx.Graph(whole["graph"]["edges"]), data) == pairs(trace.graph, data)
    assert (whole["shown"]["threshold"], whole["score"]) == (0.9, trace.score)
    assert whole["confidence"]["kind"] == "bootstrap"
    assert whole["confidence"]["matrix"] == sure.matrix.tolist()
