"""Parts of *Your network*: edge card, what if, stability, variables, and how many rows."""

import html
import re
from functools import partial
from itertools import combinations

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine.confidence import drop_cases
from bjp_engine.errors import OptionError
from bjp_engine.parameters import predict_variables
from bjp_engine.planning import RowPlan
from bjp_explorer.downloads import button
from bjp_explorer.jobs import tasks
from bjp_explorer.network import card, choices, how_many_rows, nodes, stability, whatif, words
from bjp_explorer.network.slices import (
    MOST_SLICES,
    count_shares,
    describe_shares,
    describe_where,
    slice_table,
)
from bjp_explorer.shell import origins, sources, subsets
from bjp_explorer.shell.edits import Edits
from bjp_explorer.views.palette import DARK, LIGHT
from bjp_explorer.views.words import SEEING
from tests.app.looks import address, coronary, settled, texts
from tests.app.network.pages import (
    learn,
    open_network,
    open_plain,
    press,
    table,
    upload,
)
from tests.refusals import assert_refused

EVIDENCE = {"smoking": "yes", "mental_work": "no"}
# Fewer shares of the rows, and fewer subsets, than by default.
drop = partial(drop_cases, dropped=(0.25, 0.5), repeats=20)


@pytest.fixture(autouse=True)
def _few_repetitions(monkeypatch):
    monkeypatch.setattr(stability, "REPEATS", 20)
    monkeypatch.setattr(tasks, "drop_cases", drop)
    monkeypatch.setattr(how_many_rows, "SAMPLES", 3)


def shares_of(codes, states, of, *given, **how):
    """The shares of a variable's states in made rows, given the first of the others."""
    data = bjp.Dataset.from_codes(codes, states, "xyz"[: len(states)])
    return count_shares(bjp.independence_test(data, "x", "y", given), data, of, **how)


def test_shares_are_those_of_the_rows():
    data = coronary()
    frame = data.to_frame()
    for x, y, *given in (
        ("smoking", "lipoprotein_ratio"),
        ("smoking", "systolic_pressure", "lipoprotein_ratio"),
        ("mental_work", "physical_work", "smoking", "lipoprotein_ratio", "family_history"),
    ):
        test = bjp.independence_test(data, x, y, given)
        for of, by in ((x, y), (y, x)):
            found = count_shares(test, data, of)
            rows = slice_table(found).set_index("where")
            groups = [*frame.groupby([*given])] if given else [((), frame)]
            assert len(rows) == min(len(groups), MOST_SLICES)
            assert [*rows["rows"]] == sorted((len(part) for _, part in groups), reverse=True)
            for key, part in groups:
                where = ", ".join(f"{n} = {v}" for n, v in zip(given, key, strict=True))
                for k, state in enumerate(data.labels[data.index(by)]):
                    share = (part[part[by] == state][of] == found.state).mean()
                    assert rows.loc[where or "all rows", f"of {k}"] == pytest.approx(share)
            said = describe_shares(found)[0]
            for state, part in (frame[of] == found.state).groupby(frame[by]):
                assert f"{100 * part.mean():.0f} % of {len(part):,} with" in said
                assert f"= {state}" in said
    rng = np.random.default_rng(2)
    x = rng.integers(0, 2, 600)
    y = np.where(rng.random(600) < 0.7, 2 * x, rng.integers(0, 3, 600))
    shares = np.array([[(y[x == k] == s).mean() for s in range(3)] for k in (0, 1)])
    found = shares_of(np.column_stack([x, y]), [2, 3], "y")
    assert found.state == str(np.abs(shares[0] - shares[1]).argmax())
    # Of ordered states the later ones count, too; of two states they are the one.
    y = rng.binomial(4, np.where(x == 1, 0.7, 0.4))
    found = shares_of(np.column_stack([x, y]), [2, 5], "y", ordered=True)
    later = np.array([[(y[x == k] >= s).mean() for s in range(5)] for k in (0, 1)])
    place = int(np.abs(later[0] - later[1]).argmax())
    assert (found.state, found.at_least, found.text()) == (str(place), True, f"y ≥ {place}")
    (row,) = slice_table(found).to_dict("records")
    assert [row["of 0"], row["of 1"], row["rows"]] == pytest.approx([*later[:, place], 600])
    assert shares_of(np.column_stack([x, y]), [2, 5], "x", ordered=True).text() == "x = 1"
    # Dependent where z is 0, independent where it is 1.
    rng, z = np.random.default_rng(4), np.repeat([0, 1], 500)
    x = rng.integers(0, 2, 1000)
    y = np.where(z == 0, x ^ (rng.random(1000) < 0.1), rng.integers(0, 2, 1000))
    codes = np.column_stack([x, y, z])
    found = shares_of(codes, [2, 2, 2], "y", "z")
    slices = bjp.independence_test(codes, 0, 1, [2]).slices
    assert sorted(found.dependent) == pytest.approx(
        sorted(-np.expm1([part.log_independent for part in slices]))
    )
    assert "dependence (probability 0.9 or more) in 1" in describe_where(found)
    assert describe_where(shares_of(codes, [2, 2, 2], "y")) == ""
    found = shares_of([[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1]] * 5, [2, 2, 2], "y", "z")
    assert slice_table(found)[["of 0", "of 1"]].isna().sum().sum() == 2
    assert len(describe_shares(found)) == 1


def test_the_card_opens_on_the_page_and_steps_to_its_test():
    page, data, trace = open_network(), coronary(), learn()
    assert "network-card-step" not in {one.key for one in page.button}
    u, v = next(iter(trace.graph.edges))
    pair = tuple(sorted((data.index(u), data.index(v))))
    page.session_state["network-card-asked"] = pair
    text = texts(settled(page.run())).replace("\\", "")
    calibrated = f"calibrated probability {bjp.edge_probabilities(data).matrix[pair]:.4f}"
    for part in (calibrated, "Of all rows:", "Bootstrap not computed"):
        assert part in text
    # A browser reruns the card alone; here the whole page runs again.
    page.session_state["network-card-asked"] = pair
    (step,) = settled(press(page, "network-card-step")).session_state["step-at"].values()
    term = bjp.score(data, trace.graph, prior_cells="centred").terms[step - 1]
    assert term.computed
    assert {term.x, term.y} == {u, v}
    for edge in (None, [0], [0, 0], [0, 99], ["a", 1], [1.0, 2], {"i": 1}):
        card.ask_clicked(edge, 6)
        assert card.asked() is None, edge


def open_what_if(given, about="coronary"):
    loaded = sources.load(about) if isinstance(about, str) else about
    return open_plain(
        about, search="ibmap-hc", given=choices.evidence_of(loaded).write([*given.items()])
    )


def test_what_if_has_the_fitted_networks_numbers_and_the_rows():
    network = bjp.fit_parameters(coronary(), learn("coronary", "ibmap-hc").graph, "auto")
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
    # Evidence that may be wrong is weighed: Bayes by hand, over every joint state.
    page = settled(page.slider(key="network-reliable").set_value(0.8).run())
    assert address(page)["reliable"] == "0.8"
    joint = np.zeros([2] * 6)
    for states in np.ndindex(*joint.shape):
        joint[states] = sum(
            one.log_table[tuple(states[i] for i in one.variables)] for one in network.model.factors
        )
    joint = np.exp(joint)
    for name, state in EVIDENCE.items():
        i = coronary().index(name)
        weights = np.array([0.8 if label == state else 0.2 for label in coronary().labels[i]])
        joint = joint * weights.reshape([2 if k == i else 1 for k in range(6)])
    joint /= joint.sum()
    shown = table(page, "network")  # the variables of the evidence are open, too
    margins = [joint.sum(axis=tuple(k for k in range(6) if k != i)) for i in range(6)]
    np.testing.assert_allclose(shown["given"], np.ravel(margins), atol=1e-9)
    assert "rows" not in shown
    assert words.UNRELIABLE in texts(page)


def test_evidence_is_replaced_cleared_in_the_link_and_may_be_that_of_no_row():
    page = open_plain()
    assert words.WHAT_IF in [each.label for each in page.expander]
    assert not [each for each in page.dataframe if "state" in each.value]
    page = open_what_if({"smoking": "yes"})
    assert address(page)["given"] == "0.1"
    page = settled(page.multiselect[0].set_value([("smoking", "yes"), ("smoking", "no")]).run())
    assert (page.multiselect[0].value, address(page)["given"]) == ([("smoking", "no")], "0.0")
    page = settled(page.multiselect[0].set_value([]).run())
    found = table(page, "state")  # what is unfolded stays so
    assert ([*found], len(found)) == (["variable", "state", "network", "data"], 12)
    assert "given" not in address(page)
    field = choices.evidence_of(sources.load("coronary"))
    assert field.read("0.1,2.0") == [("smoking", "yes"), ("physical_work", "no")]
    assert field.write(field.read("0.1,2.0")) == "0.1,2.0"
    for wrong in ("0.0,0.1", "0.0,0.0", "0.9", "9.0", "", "smoking", "0.0,"):
        assert_refused(OptionError, "by their places", field.read, wrong)
    # A choice of fewer variables forgets those that are gone, and that of other data is another.
    some = subsets.subset(sources.load("coronary"), ["smoking", "family_history"])
    other = choices.evidence_of(some)
    assert field.key == other.key != choices.evidence_of(sources.load("titanic")).key
    assert {name for name, _ in other.labels} == {"smoking", "family_history"}
    # The browser answers with the text of a choice.
    alike = choices.evidence_of(upload([[0, 0], [1, 1]], ("a_b", "a b"))).labels
    assert len(set(alike.values())) == len(alike) == 4
    # a and b are never both 1; few rows have c = 1.
    codes = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0]] * 40 + [[0, 0, 1]] * 4)
    page = open_what_if({"a": "1", "b": "1"}, upload(codes, ("a", "b", "c")))
    assert "**None of the 124 rows has this evidence**" in texts(page)
    found = table(page, "state")
    assert found["rows"].isna().all()
    assert found["given"].sum() == pytest.approx(1)
    page = settled(page.multiselect[0].set_value([("a", "1"), ("b", "1"), ("c", "0")]).run())
    few = words.describe_rows(4, 124)
    assert few.startswith("**4 of 124 rows** have this evidence. The data say little here")
    assert "say little" not in words.describe_rows(words.FEW_ROWS, 124)


def test_where_exact_inference_is_out_of_reach_samples_are_offered(monkeypatch):
    loaded = upload(np.random.default_rng(0).integers(0, 2, (80, 26)))
    data, graph = loaded.data, nx.Graph(combinations(range(26), 2))
    network = bjp.fit_parameters(data, graph, "auto", factors="edges")
    assert_refused(OptionError, "gibbs", network.query, given={0: "1"})
    assert [*whatif.table(network, data, {0: "1"})] == ["variable", "state", "rows", "data"]
    found = whatif.table(network, data, {0: "1"}, sampled=True)
    assert [*found] == ["variable", "state", "given", "error", "network", "rows", "data"]
    expected = network.query(given={0: "1"}, method="gibbs")
    np.testing.assert_array_equal(found["given"], expected["probability"])
    np.testing.assert_array_equal(found["error"], expected["standard_error"])
    # With enough evidence the answer is exact, though that without evidence is not.
    much = dict.fromkeys(range(20), "1")
    exact = whatif.table(network, data, much)
    assert "network" not in exact
    np.testing.assert_array_equal(exact["given"], network.query(given=much)["probability"])
    # On the page: the sentence, and samples once they are asked for.
    monkeypatch.setattr("bjp_explorer.jobs.results.fit_network", lambda *_: network)
    page = open_what_if({0: "1"}, loaded)
    assert "would hold more than" in texts(page).replace("\\", "")
    page = settled(page.toggle(key="network-whatif-sample").set_value(True).run())
    np.testing.assert_array_equal(table(page, "state")["given"], expected["probability"])
    # A constant variable has no other state that evidence could mean.
    codes = np.column_stack([np.zeros(40), np.arange(40) % 2]).astype(int)
    data = bjp.Dataset.from_codes(codes, [1, 2], ["one", "two"])
    small = bjp.fit_parameters(data, nx.empty_graph(data.names))
    given = whatif.weigh({"one": "0", "two": "1"}, small, 0.75)
    assert given == {"one": "0", "two": {"0": 0.25, "1": 0.75}}


def chain(names, seed=0):
    """Each variable depends on the one before, less and less."""
    model = bjp.sampling.random_model(nx.path_graph(len(names)), "log-odds", epsilon=0.9)
    return upload(model.sample(200, seed=seed).codes, names)


def test_a_check_shows_the_engines_numbers():
    loaded = chain(("a", "b", "c", "d"), seed=1)
    folded = open_plain(loaded)
    assert stability.STABILITY in [each.label for each in folded.expander]
    assert not [each for each in folded.button if each.label == stability.CHECK]
    page = open_plain(loaded, f"network-stability {loaded.data.digest}")
    settled(press(page, stability.CHECK))
    curve = drop(loaded.data, search="auto")
    assert curve.describe() in texts(page)
    shown, frame = table(page, "dropped"), curve.to_frame()
    np.testing.assert_allclose(shown["dropped"], 100 * frame["dropped"])
    for name in ("rows", "edges", "edges_low", "nodes", "nodes_low", "f1", "hamming"):
        np.testing.assert_array_equal(shown[name], frame[name])
    assert curve.describe() in texts(settled(page.run()))
    loaded = upload([[0, 1], [1, 0], [0, 0], [1, 1]] * 30)
    page = open_plain(loaded, f"network-stability {loaded.data.digest}")
    settled(press(page, stability.CHECK))
    assert "cannot be measured" in texts(page)
    assert not page.get("plotly_chart")


def test_files_of_the_run_that_finds_the_stability_say_it(monkeypatch):
    made = []
    monkeypatch.setattr(button, "_button", lambda kind, *_: made.append(kind))
    loaded = chain(tuple("abcd"), seed=12)
    page = open_plain(loaded, f"network-stability {loaded.data.digest}", "network-paper")

    def report():
        # The kinds of the last run, whose files are made on a click.
        kind = [kind for kind in made if kind.extension == "report.html"][-1]
        return html.unescape(kind.make().decode())

    assert "CS(cor" not in report()
    runs = len(made)
    settled(press(page, stability.CHECK))
    said = drop(loaded.data, "bjp", "auto").describe()
    assert len(made) > runs
    assert said in report()
    assert said in page.code[-1].value


def test_figures_of_stability_hold_means_and_bands_in_ink():
    frame = drop(chain(tuple("abcd"), seed=7).data).to_frame()
    for palette in (LIGHT, DARK):
        drawn = stability.figure(frame, palette)
        by_name = {trace.name: trace for trace in drawn.data if trace.name}
        bands = [trace for trace in drawn.data if trace.fill == "toself"]
        labels = (("nodes", stability.NODES), ("edges", stability.EDGES))
        for band, (name, label) in zip(bands, labels, strict=True):
            np.testing.assert_array_equal(by_name[label].y, frame[name])
            np.testing.assert_allclose(by_name[label].x, 100 * frame["dropped"])
            wanted = [*frame[f"{name}_high"], *frame[f"{name}_low"][::-1]]
            np.testing.assert_array_equal(band.y, wanted)
        colours = re.findall("#[0-9a-f]{6}", drawn.to_json())
        assert {palette.blue, palette.vermilion}.isdisjoint(colours)
        assert drawn.layout.shapes[0].y0 == 0.7


def test_predictions_are_the_engines():
    data = coronary()
    page = open_plain("coronary", f"network-variables {data.digest}")
    found = table(page, "neighbours")
    wanted = predict_variables(data, lambda rows: bjp.learn(rows, search="auto")).to_frame()
    for name in nodes.COLUMNS.keys() & wanted.columns:
        np.testing.assert_array_equal(found[name], wanted[name], name)
    assert found["neighbours"].tolist() == [learn().graph.degree(name) for name in data.names]
    assert found["variable"].tolist() == [*data.names]
    clear = int((wanted["gain"] > 2 * wanted["gain_error"]).sum())
    told = f"prediction of {clear} of 6 variables** in 1,841 held-out rows"
    assert told in texts(page)
    codes = np.random.default_rng(1).integers(0, 2, (40, 3))
    page = open_plain(upload(codes))
    assert nodes.VARIABLES in [each.label for each in page.expander]
    assert not [each for each in page.dataframe if "neighbours" in each.value]
    one = upload(codes[:1], cardinalities=(2, 2, 2))
    assert nodes.TOO_FEW in texts(open_plain(one, f"network-variables {one.data.digest}"))


def test_rows_for_the_learned_network_one_drawn_by_hand_and_the_true_one(monkeypatch):
    assert how_many_rows.numbers_of_rows(1841) == (230, 460, 920, 1841, 3682, 7364)
    assert how_many_rows.numbers_of_rows(8) == (8, 20, 32)
    assert how_many_rows.numbers_of_rows(10**6)[-2:] == (200_000, 10**6)
    monkeypatch.setattr(how_many_rows, "_TIMES", (0.25, 1))
    loaded, search = sources.load("coronary"), origins.usual_search(sources.load("coronary"))
    page = open_plain("coronary", f"network-rows {loaded.data.digest}", search=search)
    settled(press(page, how_many_rows.BEGIN))
    network = bjp.fit_parameters(loaded.data, learn("coronary", search).graph, "auto")
    plan = bjp.plan_rows(network, (460, 1841), samples=3, search=search)
    for text in (plan.describe(1841), how_many_rows.describe_enough(plan), how_many_rows.LEARNED):
        assert text in texts(page)
    shown, frame = table(page, "false_share"), plan.to_frame()
    np.testing.assert_allclose(shown["recall"], 100 * frame["recall"])
    np.testing.assert_allclose(shown["false"], frame["false"])
    # No graph is drawn by hand yet; then one is, with edges of a strength.
    page.session_state[f"network-plan-of {loaded.token}"] = "edited"
    settled(page.run())
    assert how_many_rows.NO_EDGE.format("graph drawn by hand") in texts(page)
    assert not [each for each in page.button if each.label == how_many_rows.BEGIN]
    graph = nx.path_graph(loaded.data.names[:4])
    graph.add_nodes_from(loaded.data.names)
    page.session_state["visit-edited"] = {loaded.data.digest: Edits(loaded.data, graph.edges)}
    page.session_state[f"network-plan-strength {loaded.token}"] = 2.0
    settled(press(settled(page.run()), how_many_rows.BEGIN))
    plan = bjp.plan_rows(graph, (460, 1841), strength=2.0, samples=3, search=search)
    assert plan.edges == 3
    assert plan.describe(1841) in texts(page)
    assert how_many_rows.EDITED in texts(page)
    # Of data that were drawn from a network, that one.
    token = "net:target-2:log-odds:400:3"
    loaded, search = sources.load(token), origins.usual_search(sources.load(token))
    page = open_plain(token, f"network-rows {loaded.data.digest}", search=search)
    settled(press(page, how_many_rows.BEGIN))
    graph = bjp.networks.load("target-2", labelled=True)
    model = bjp.sampling.random_model(graph, "log-odds", seed=3)
    plan = bjp.plan_rows(model, (100, 400), samples=3, search=search)
    assert plan.describe(400) in texts(page)
    assert how_many_rows.TRUE in texts(page)
    plan = bjp.plan_rows(bjp.networks.load("target-2"), (50, 400), strength=1.0, samples=3)
    frame = plan.to_frame()
    upper = np.minimum(100, 100 * (frame["recall"] + 2 * frame["recall_error"]))
    for palette in (LIGHT, DARK):
        drawn = how_many_rows.figure(frame, 400, palette)
        lines = {one.name: one for one in drawn.data if one.name}
        np.testing.assert_allclose(lines[how_many_rows.FOUND].y, 100 * frame["recall"])
        np.testing.assert_allclose(lines[how_many_rows.FALSE].y, 100 * frame["false_share"])
        np.testing.assert_allclose(drawn.data[0].y[:2], upper)
        assert drawn.layout.shapes[0].x0 == 400
    (choice,) = how_many_rows.fields(sources.load("net:target-2:log-odds:40:3"))
    assert (choice.name, choice.default) == ("plan", "true")
    assert choice.read("learned") == choice.write("learned") == "learned"
    (choice,) = how_many_rows.fields(sources.load("coronary"))
    assert (choice.default, [*choice.labels]) == ("learned", ["learned", "edited"])


def test_the_sentence_on_rows_agrees_with_the_table():
    for counts, said in (
        ((9, 5), "With 800 rows, fewer than 80 % of the edges are found, though fewer rows find"),
        ((5, 6), "With 800 rows, fewer than 80 % of the edges are found."),
        ((5, 8), "From about 800 rows on, 80 % of the edges are found."),
        ((9, 8), "100 rows are enough to find 80 % of the edges."),
    ):
        found = np.array(counts)[:, None]
        plan = RowPlan((100, 800), 10, found, 0 * found, "bjp", "auto", 0, True, 0.0)
        assert how_many_rows.describe_enough(plan).startswith(said), counts
