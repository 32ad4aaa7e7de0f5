"""Parts of *Your network*: edge card, what if, stability, variables, and how many rows."""

import html
import re
from itertools import combinations

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine.errors import OptionError
from bjp_engine.parameters import predict_variables
from bjp_explorer.downloads import button
from bjp_explorer.network import checks, pairs, whatif
from bjp_explorer.network.pairs import DEPENDENT, FEW, MOST_SLICES, NEITHER, PairRows
from bjp_explorer.shell import sources
from bjp_explorer.shell.text import in_state
from bjp_explorer.views.palette import DARK, LIGHT
from bjp_explorer.views.words import SEEING
from tests.app.looks import address, coronary, settled, texts
from tests.app.network.conftest import drop
from tests.app.network.pages import learn, open_network, press, table, upload
from tests.refusals import assert_refused

EVIDENCE = {"smoking": "yes", "mental_work": "no"}


def rows_of(codes, states, *given, ordered=()):
    """The rows of x and y given the first of the others, in made rows."""
    data = bjp.Dataset.from_codes(codes, states, [*"xyz"][: len(states)], ordered=ordered)
    graph = nx.Graph([("x", "y"), *(("x", z) for z in given), *(("y", z) for z in given)])
    graph.add_nodes_from(data.names)
    return PairRows.of(data, graph, (0, 1))


def test_shares_are_those_of_the_rows_and_slices_say_what_their_own_counts_show():
    data = coronary()
    frame, graph = data.to_frame(), nx.Graph(learn().graph)
    for i, j in combinations(range(data.n), 2):
        found = PairRows.of(data, graph, (i, j))
        given = [*found.trace.given]
        assert len(given) <= min(graph.degree(data.names[i]), graph.degree(data.names[j]))
        for of, by in ((found.x, found.y), (found.y, found.x)):
            shares = found.count_shares(of)
            rows = shares.to_table().set_index("where")
            groups = [*frame.groupby(given)] if given else [((), frame)]
            assert len(rows) == min(len(groups), MOST_SLICES)
            assert [*rows["rows"]] == sorted((len(part) for _, part in groups), reverse=True)
            for key, part in groups:
                where = ", ".join(
                    f"{n} {v}" if v[0] in "<>≥" else f"{n} = {v}"
                    for n, v in zip(given, key, strict=True)
                )
                row = rows.loc[where or "all rows"]
                for k, state in enumerate(data.labels[data.index(by)]):
                    share = (part[part[by] == state][of] == shares.state).mean()
                    assert row[f"of {k}"] == pytest.approx(share)
                test = bjp.classical.classical_test(part[[of, by]], of, by)
                few = test.slices[0].least_expected < 5
                shows = FEW if few else DEPENDENT if test.p_g_squared <= 0.05 else NEITHER
                assert row["shows"] == shows
            said = next(shares.sentences())
            for state, part in (frame[of] == shares.state).groupby(frame[by]):
                assert f"{100 * part.mean():.0f} % of {len(part):,} with" in said
                assert f"with {by} {'' if state[0] in '<>≥' else '= '}{state}" in said
    # The state whose share differs most; of ordered states the later ones count, too.
    rng = np.random.default_rng(2)
    x = rng.integers(0, 2, 600)
    y = np.where(rng.random(600) < 0.7, 2 * x, rng.integers(0, 3, 600))
    shares = np.array([[(y[x == k] == s).mean() for s in range(3)] for k in (0, 1)])
    found = rows_of(np.column_stack([x, y]), [2, 3]).count_shares("y")
    assert found.state == str(np.abs(shares[0] - shares[1]).argmax())
    y = rng.binomial(4, np.where(x == 1, 0.7, 0.4))
    found = rows_of(np.column_stack([x, y]), [2, 5], ordered=["y"]).count_shares("y")
    later = np.array([[(y[x == k] >= s).mean() for s in range(5)] for k in (0, 1)])
    place = int(np.abs(later[0] - later[1]).argmax())
    assert (found.state, found.at_least, found.text()) == (str(place), True, f"y ≥ {place}")
    assert in_state("age", "≥65", sign="≥") == "age ≥65"
    # Dependent where z is 0, independent where it is 1, too few where it is 2.
    z = np.repeat([0, 1, 2], [500, 500, 6])
    x = rng.integers(0, 2, 1006)
    y = np.where(z == 0, x ^ (rng.random(1006) < 0.1), rng.integers(0, 2, 1006))
    found = rows_of(np.column_stack([x, y, z]), [2, 2, 3], "z")
    assert found.shows.tolist() == [DEPENDENT, NEITHER, FEW]
    assert found.describe_slices().startswith("Of 3 slices, each by its own counts: dependence in")
    assert rows_of(np.column_stack([x, y]), [2, 2]).describe_slices() == ""
    # A share of no rows is none.
    found = rows_of([[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]] * 5, [2, 2, 2], "z")
    shares = found.count_shares("y")
    assert shares.to_table()[["of 0", "of 1"]].isna().sum().sum() == 2
    assert len([*shares.sentences()]) == 1


def test_the_card_opens_on_the_page_and_steps_to_its_test():
    page, data, trace = open_network(), coronary(), learn()
    assert "network-card-step" not in {one.key for one in page.button}
    u, v = next(iter(trace.graph.edges))
    pair = tuple(sorted((data.index(u), data.index(v))))
    page.session_state["network-card-asked"] = pair
    text = texts(settled(page.run())).replace("\\", "")
    sure = bjp.edge_probabilities(data)
    whole = bjp.classical.classical_test(data, *(data.names[k] for k in pair))
    for part in (
        f"**{sure.verdicts().set_index(['x', 'y']).loc[(u, v), 'verdict'].capitalize()}**",
        f"probability {sure.matrix[pair]:.4f}",
        "Of all rows:",
        "**Why** All rows together show dependence",
    ):
        assert part in text
    assert whole.p_g_squared <= 0.05
    # A browser reruns the card alone; here the whole page runs again.
    page.session_state["network-card-asked"] = pair
    (step,) = settled(press(page, "network-card-step")).session_state["step-at"].values()
    term = bjp.score(data, trace.graph, prior_cells="centred").terms[step - 1]
    assert {term.x, term.y} == {u, v}
    for edge in (None, [0], [0, 0], [0, 99], ["a", 1], [1.0, 2], {"i": 1}):
        pairs.ask_clicked(edge, 6)
        assert "network-card-asked" not in page.session_state, edge
    codes = np.column_stack([np.zeros(30, dtype=int), np.arange(30) % 2])
    assert rows_of(codes, [2, 2]).is_constant


def open_what_if(given, about="coronary"):
    loaded = sources.load(about) if isinstance(about, str) else about
    return open_network(about, given=whatif.evidence_of(loaded).write([*given.items()]))


def test_what_if_has_the_fitted_networks_numbers_and_the_rows():
    network = bjp.fit_parameters(coronary(), learn().graph, "auto")
    frame = coronary().to_frame()
    chosen = frame[(frame["smoking"] == "yes") & (frame["mental_work"] == "no")]
    page = open_what_if(EVIDENCE)
    with_it, alone = network.query(given=EVIDENCE), network.query()
    found = table(page, "state")
    assert len(found) == 8
    np.testing.assert_array_equal(found["given"], with_it["probability"])
    prior = alone.set_index(["variable", "state"])["probability"]
    for shown, row in zip(found.itertuples(), with_it.itertuples(), strict=True):
        assert (shown.variable, shown.state) == (row.variable, row.state)
        assert shown.network == prior[row.variable, row.state]
        for share, rows in ((shown.rows, chosen), (shown.data, frame)):
            assert share == pytest.approx((rows[row.variable] == row.state).mean())
    assert f"**{len(chosen):,} of 1,841 rows** have this evidence." in texts(page)
    (said,) = [each.value for each in page.markdown if each.value.startswith("Most probable")]
    assert rf"physical\_work \= {network.most_probable(EVIDENCE)['physical_work']}" in said
    assert "smoking" not in said
    assert SEEING in texts(page)
    page = settled(page.selectbox(key="network-whatif-target").set_value("physical_work").run())
    found = table(page, "without")
    assert found["evidence"].tolist() == ["smoking = yes"] * 2 + ["mental_work = no"] * 2
    rest = [network.query("physical_work", {k: EVIDENCE[k]}) for k in ("mental_work", "smoking")]
    np.testing.assert_allclose(found["without"], pd.concat(rest)["probability"])


def test_evidence_is_replaced_cleared_in_the_link_and_may_be_that_of_no_row():
    page = open_what_if({"smoking": "yes"})
    assert address(page)["given"] == "0.1"
    page = settled(page.multiselect[0].set_value([("smoking", "yes"), ("smoking", "no")]).run())
    assert (page.multiselect[0].value, address(page)["given"]) == ([("smoking", "no")], "0.0")
    page = settled(page.multiselect[0].set_value([]).run())
    found = table(page, "state")  # what is unfolded stays so
    assert ([*found], len(found)) == (["variable", "state", "network", "data"], 12)
    assert "given" not in address(page)
    field = whatif.evidence_of(sources.load("coronary"))
    assert field.read("0.1,2.0") == [("smoking", "yes"), ("physical_work", "no")]
    assert field.write(field.read("0.1,2.0")) == "0.1,2.0"
    for wrong in ("0.0,0.1", "0.0,0.0", "0.9", "9.0", "", "smoking", "0.0,"):
        assert_refused(OptionError, "by their places", field.read, wrong)
    # A choice of fewer variables forgets those that are gone, and that of other data is another.
    some = sources.subset(sources.load("coronary"), ["smoking", "family_history"])
    other = whatif.evidence_of(some)
    assert field.key == other.key != whatif.evidence_of(sources.load("titanic")).key
    assert {name for name, _ in other.labels} == {"smoking", "family_history"}
    # The browser answers with the text of a choice.
    alike = whatif.evidence_of(upload([[0, 0], [1, 1]], ("a_b", "a b"))).labels
    assert len(set(alike.values())) == len(alike) == 4
    # a and b are never both 1; few rows have c = 1.
    codes = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]] * 40 + [[0, 0, 1]] * 4)
    page = open_what_if({"a": "1", "b": "1"}, upload(codes, ("a", "b", "c")))
    assert "**None of the 124 rows has this evidence**" in texts(page)
    found = table(page, "state")
    assert found["rows"].isna().all()
    assert found["given"].sum() == pytest.approx(1)
    page = settled(page.multiselect[0].set_value([("a", "1"), ("b", "1"), ("c", "0")]).run())
    few = whatif.describe_rows(4, 124)
    assert few.startswith("**4 of 124 rows** have this evidence. The data say little here")
    assert "say little" not in whatif.describe_rows(whatif.FEW_ROWS, 124)


def test_where_exact_inference_is_out_of_reach_samples_are_offered(monkeypatch):
    loaded = upload(np.random.default_rng(0).integers(0, 2, (80, 26)))
    data, graph = loaded.data, nx.Graph(combinations(range(26), 2))
    network = bjp.fit_parameters(data, graph, "auto")
    assert_refused(OptionError, "gibbs", network.query, given={0: "1"})
    assert [*whatif.to_table(network, data, {0: "1"})] == ["variable", "state", "rows", "data"]
    found = whatif.to_table(network, data, {0: "1"}, sampled=True)
    assert [*found] == ["variable", "state", "given", "error", "network", "rows", "data"]
    expected = network.query(given={0: "1"}, method="gibbs")
    np.testing.assert_array_equal(found["given"], expected["probability"])
    np.testing.assert_array_equal(found["error"], expected["standard_error"])
    # With enough evidence the answer is exact, though that without evidence is not.
    much = dict.fromkeys(range(20), "1")
    exact = whatif.to_table(network, data, much)
    assert "network" not in exact
    np.testing.assert_array_equal(exact["given"], network.query(given=much)["probability"])
    # On the page: the sentence, and samples once they are asked for.
    monkeypatch.setattr("bjp_explorer.jobs.results.fit_network", lambda *_: network)
    page = open_what_if({0: "1"}, loaded)
    assert "would hold more than" in texts(page).replace("\\", "")
    page = settled(page.toggle(key="network-whatif-sample").set_value(True).run())
    np.testing.assert_array_equal(table(page, "state")["given"], expected["probability"])


def chain(names, seed=0):
    """Each variable depends on the one before, less and less."""
    model = bjp.sampling.random_model(nx.path_graph(len(names)), "log-odds", epsilon=0.9)
    return upload(model.sample(200, seed=seed).codes, names)


def test_stability_is_the_engines_and_files_say_it(monkeypatch):
    made = []
    monkeypatch.setattr(button, "_button", lambda kind, *_: made.append(kind))
    loaded = chain(tuple("abcd"), seed=12)
    page = open_network(loaded, f"network-stability {loaded.data.digest}", "network-paper")
    settled(press(page, checks.CHECK))
    found = bjp.confidence.bootstrap(loaded.data, "bjp", "auto", resamples=20, seed=0)
    verdicts = bjp.edge_probabilities(loaded.data).verdicts()
    present = verdicts[verdicts["verdict"] == "present"]
    often = sum(found.of(v.x, v.y).confidence >= 0.9 for v in present.itertuples())
    told = f"of {len(present)} present pairs, {often} are edges in at least 90 % of 20 networks"
    assert told in texts(page)
    for row in table(page, "resamples").itertuples():
        x, y = row.pair.split(" – ")
        assert row.resamples == pytest.approx(100 * found.of(x, y).confidence)
    settled(press(page, checks.DROP))
    curve = drop(loaded.data, search="auto")
    assert curve.describe() in texts(page)
    assert curve.describe() in page.code[-1].value
    report = [kind for kind in made if kind.extension == "report.html"][-1]
    assert curve.describe() in html.unescape(report.make().decode())
    frame = curve.to_frame()
    for palette in (LIGHT, DARK):
        drawn = checks.draw_stability(frame, palette)
        bands = [trace for trace in drawn.data if trace.fill == "toself"]
        lines = {trace.name: trace for trace in drawn.data if trace.name}
        for band, name in zip(bands, ("nodes", "edges"), strict=True):
            wanted = [*frame[f"{name}_high"], *frame[f"{name}_low"][::-1]]
            np.testing.assert_array_equal(band.y, wanted)
            label = {"nodes": "node strengths", "edges": "edge strengths"}[name]
            np.testing.assert_array_equal(lines[label].y, frame[name])
            np.testing.assert_allclose(lines[label].x, 100 * frame["dropped"])
        colours = re.findall("#[0-9a-f]{6}", drawn.to_json())
        assert {palette.blue, palette.vermilion}.isdisjoint(colours)
        assert drawn.layout.shapes[0].y0 == 0.7
    loaded = upload([[0, 1], [1, 0], [0, 0], [1, 1]] * 30)
    page = open_network(loaded, f"network-stability {loaded.data.digest}")
    settled(press(settled(press(page, checks.CHECK)), checks.DROP))
    assert "cannot be measured" in texts(page)
    assert not page.get("plotly_chart")


def test_predictions_are_the_engines():
    data = coronary()
    page = open_network("coronary", f"network-variables {data.digest}")
    found = table(page, "neighbours")
    wanted = predict_variables(data, lambda rows: bjp.learn(rows, search="auto"))
    for name in checks.COLUMNS.keys() & wanted.columns:
        np.testing.assert_array_equal(found[name], wanted[name], name)
    assert found["neighbours"].tolist() == [learn().graph.degree(name) for name in data.names]
    assert found["variable"].tolist() == [*data.names]
    clear = int((wanted["gain"] > 2 * wanted["gain_error"]).sum())
    assert f"prediction of {clear} of 6 variables** in 1,841 held-out rows" in texts(page)
    one = upload(np.zeros((1, 3), dtype=int), cardinalities=(2, 2, 2))
    page = open_network(one, f"network-variables {one.data.digest}")
    assert "no row can be held out" in texts(page)


def test_rows_for_the_learned_network_and_the_true_one(monkeypatch):
    assert checks.numbers_of_rows(1841) == (230, 460, 920, 1841, 3682, 7364)
    assert checks.numbers_of_rows(8) == (8, 20, 32)
    assert checks.numbers_of_rows(10**6)[-2:] == (200_000, 10**6)
    monkeypatch.setattr(checks, "_TIMES", (0.25, 1))
    page = settled(press(open_network(), checks.FORECAST))
    network = bjp.fit_parameters(coronary(), learn().graph, "auto")
    plan = bjp.plan_rows(network, (460, 1841), samples=3, search="auto")
    sure = bjp.edge_probabilities(coronary())
    false = sum(1 - sure.of(*edge).confidence for edge in learn().graph.edges)
    expected = f"expect {false:.1f} of its edges to be false"
    for text in (plan.describe(1841), checks.describe_enough(plan), expected):
        assert text in texts(page)
    # It flatters only where the simulation has fewer false edges than the probabilities expect.
    assert ("too good" in texts(page)) == (false > plan.false[-1].mean())
    # Of data that were drawn from a network, that one.
    token = "net:target-2:log-odds:400:3"
    page = settled(press(open_network(token), checks.FORECAST))
    graph = bjp.networks.load("target-2", labelled=True)
    model = bjp.sampling.random_model(graph, "log-odds", seed=3)
    plan = bjp.plan_rows(model, (100, 400), samples=3, search="auto")
    assert plan.describe(400) in texts(page)
    assert "come from the true network" in texts(page)
    frame = plan.to_frame()
    upper = np.minimum(100, 100 * (frame["recall"] + 2 * frame["recall_error"]))
    for palette in (LIGHT, DARK):
        drawn = checks.draw_rows(frame, 400, palette)
        lines = [one for one in drawn.data if one.name]
        np.testing.assert_allclose(lines[0].y, 100 * frame["recall"])
        np.testing.assert_allclose(lines[1].y, 100 * frame["false_share"])
        np.testing.assert_allclose(drawn.data[0].y[:2], upper)
        assert drawn.layout.shapes[0].x0 == 400
