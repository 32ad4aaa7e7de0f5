"""About the method: what the page says is what the engine computes."""

import math
import re

import networkx as nx
import pytest

import bjp_engine as bjp
from bjp_engine.kernels import centred
from bjp_explorer.method import data as method_data
from bjp_explorer.method import figures, views
from bjp_explorer.shell.text import markdown, number, p_value, probability
from tests.app.looks import coronary, learn


@pytest.fixture
def page(open_app):
    return open_app("method")


def words(page):
    return " ".join(" ".join(block.value.split()) for block in (*page.markdown, *page.caption))


def table(page, column):
    (found,) = [t.value for t in page.table if column in t.value.columns]
    return {name: list(found[name]) for name in found}


def test_centred_cells_are_explained(page):
    # What one's own data get is explained: centred cells, and the calibrated probability.
    light, heavy = (f"{kappa:g}" for kappa in centred.KAPPAS)
    assert rf"\kappa = {light}$), which allows strong association" in words(page)
    assert rf"\sum_{{\kappa = {light}, {heavy}}}" in words(page)
    assert {"step", "accuracy"} <= {link.proto.page for link in page.get("page_link")}


def test_the_blanket_follows_the_choice_which_survives_another_page(page, run):
    graph = learn().graph
    for name in ("family_history", "lipoprotein_ratio", "smoking"):
        run(page.selectbox(key="method-node").select(name))
        title = f"**{markdown(name)}**"
        (sentence,) = [m.value for m in page.markdown if title in m.value and "blanket" in m.value]
        inside, _, outside = sentence.partition("**What is missing:**")
        assert all(markdown(other) in inside for other in graph[name])
        others = set(graph) - set(graph[name]) - {name}
        assert not graph.degree[name] or all(markdown(other) in outside for other in others)
        assert ("is empty" in sentence) == (graph.degree[name] == 0)
    run(page.switch_page("pages/data.py"))
    run(page.switch_page("pages/method.py"))
    assert page.selectbox(key="method-node").value == "smoking"
    edges = views.blanket_edges(graph, coronary(), "smoking")
    marked = {(i, j) for i, j, tone in edges if tone == "given"}
    assert (len(edges), len(marked)) == (graph.number_of_edges(), graph.degree["smoking"])
    assert all(coronary().index("smoking") in pair for pair in marked)
    assert "missing" not in views.blanket_sentences(nx.complete_graph(["a", "b", "c"]), "a")


def test_one_test_has_its_prior_evidence_and_posterior(page, run):
    for x, y, given, priors in (
        ("smoking", "physical_work", (), ["0.5000", "0.5000"]),
        ("smoking", "physical_work", ("mental_work",), ["0.7071", "0.2929"]),
        ("systolic_pressure", "smoking", ("lipoprotein_ratio",), ["0.7071", "0.2929"]),
    ):
        # Through a variable that is free, since none stands twice.
        run(page.selectbox(key="method-z").select(given[0]) if given else page)
        run(page.selectbox(key="method-x").select(x))
        run(page.selectbox(key="method-y").select(y))
        test = bjp.independence_test(coronary(), x, y, given)
        shown = [t.value for t in page.table if "prior" in t.value.columns]
        assert len(shown) == len(test.slices) == 2 ** len(given)
        for frame, part in zip(shown, test.slices, strict=True):
            assert list(frame["prior"]) == priors
            powers = [re.sub(r"[${}e^,]", "", cell) for cell in frame["× evidence"]]
            evidence = [float(power) for power in powers]
            assert evidence == [round(part.log_g, 2), round(part.log_h, 2)]
            posterior = [probability(part.log_independent)]
            if not given:
                posterior.append(probability(test.log_dependent))
            assert list(frame["→ posterior"])[: len(posterior)] == posterior
        assert f"Pr(⊥) = {probability(test.log_independent)}" in words(page)
        assert probability(test.log_dependent) in words(page)
        beside = bjp.classical.classical_test(coronary(), x, y, given)
        (answers,) = [b.value for b in page.get("html") if 'class="bjp-answers"' in b.value]
        posterior = probability(test.log_independent)
        for cell in (number(beside.pearson, 2), p_value(beside.p_g_squared), posterior):
            assert f"<td>{cell}</td>" in answers
    # No variable stands twice.
    run(page.selectbox(key="method-z").select("mental_work"))
    run(page.selectbox(key="method-x").select("mental_work"))
    chosen = [page.selectbox(key=f"method-{role}").value for role in "xyz"]
    assert len(set(chosen)) == 3
    run(page.selectbox(key="method-x").select(chosen[1]))
    assert page.selectbox(key="method-y").value != chosen[1]


def test_assertions_of_a_variable_the_climb_mpl_and_the_rank(page):
    climb, mpl = learn(), bjp.learn(coronary(), "mpl")
    trace = bjp.score(coronary(), climb.graph, "ib")
    row = [term for term in trace.terms if term.x == "physical_work"]
    shown, text = table(page, "the graph asserts"), words(page)
    assert shown["Pr given the data"] == [probability(term.value) for term in row]
    dependent = [r"\not\perp" in cell for cell in shown["the graph asserts"]]
    assert dependent == [term.dependent for term in row]
    for part in (
        f"ln IB = **{number(trace.total, 4)}**",
        "hence 30 of them",
        f"{len(climb.steps)} flips with BJP and ends at ln BJP = {number(climb.score, 4)}",
        str(climb.stop_reason),
        f"ln MPL = {number(mpl.score, 4)} with {mpl.graph.number_of_edges()} edges",
        f"number {bjp.all_graphs(coronary()).rank(climb.graph)} of 32,768",
    ):
        assert part in text


def score_hub(seed, method="bjp"):
    graph = bjp.networks.load("appendix-b", labelled=True)
    model = bjp.sampling.random_model(graph, "log-odds", seed=seed)
    return bjp.score(model.sample(1000, seed=seed, method="exact"), graph, method)


def plain(assertion):
    """An assertion without LaTeX, such as 1⊥2|0, or 1~0|∅ where its pair depends."""
    text = re.sub(r"\\langle|\\rangle|\\[{}]|[${}_X ]", "", assertion)
    for command, sign in (
        (r"\not\perp", "~"),
        (r"\perp", "⊥"),
        (r"\mid", "|"),
        (r"\varnothing", "∅"),
    ):
        text = text.replace(command, sign)
    return text


def test_appendix_b_computes_six_and_infers_six(page, run):
    shown = table(page, "assertion")
    rows = list(zip(shown["assertion"], shown["how"], strict=True))
    computed = [plain(text) for text, how in rows if "computed" in how]
    assert computed == ["1⊥2|0", "1⊥3|0", "1~0|∅", "2⊥3|0", "2~0|∅", "3~0|∅"]
    inferred = [plain(text) for text, how in rows if "inferred" in how]
    assert inferred == ["2⊥1|0", "3⊥1|0", "3⊥2|0", "0~1|2,3", "0~2|1,3", "0~3|1,2"]
    assert "ψ = (X1, X2, X3, X0)" in words(page)
    named = [int(m[1]) for _, how in rows if (m := re.search(r"inferred from (\d+)", how))]
    assert named == [1, 2, 5, 3, 6, 9]
    assert all("computed" in rows[k - 1][1] for k in named)
    assert method_data.first_of(score_hub(2), "X0") == 10
    for seed in (2, 7):
        run(page.number_input(key="method-sample").set_value(seed))
        trace, shown = score_hub(seed), table(page, "assertion")
        assert shown["Pr"] == [probability(t.value) if t.computed else "1" for t in trace.terms]
        # Such as −0.2075, −4.81·10⁻¹⁸, or 0.
        raised = str.maketrans("−⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "--0123456789")
        logs = [float(cell.translate(raised).replace("·10", "e")) for cell in shown["ln Pr"]]
        assert logs == pytest.approx([t.value for t in trace.terms], rel=0.01, abs=5e-5)
        assert f"ln BJP = **{number(trace.total, 4)}**" in words(page)
        assert f"ln IB = **{number(score_hub(seed, 'ib').total, 4)}**" in words(page)


def test_a_star_is_tested_from_both_ends(page):
    star = nx.star_graph(10)
    star.add_node(11)
    for rows, seed in ((250, 3), (1000, 1)):
        data = bjp.sampling.random_model(star, "log-odds", seed=seed).sample(
            rows, seed=seed, method="exact"
        )
        points = method_data.star(rows, seed)
        assert [p.leaves for p in points] == list(range(1, 11))
        for p in points:
            assert p.configurations == 2**p.leaves
            assert p.occurring <= min(rows, p.configurations)
            leaves = range(1, p.leaves + 1)
            hub = bjp.independence_test(data, 0, 1, leaves[1:])
            none = bjp.independence_test(data, 0, 11, leaves)
            assert (p.hub_dependent, p.hub_independent) == (hub.log_dependent, none.log_independent)
    drawn = {line.name: list(line.y) for line in figures.star_posterior_figure(points).data}
    assert drawn["edge, hub's end"] == [math.exp(p.hub_dependent) for p in points]
    assert drawn["no edge, hub's end"] == [math.exp(p.hub_independent) for p in points]
    slices = {line.name: list(line.y) for line in figures.star_rows_figure(points, 1000).data}
    assert slices["slices, K"] == [p.configurations for p in points]
    assert slices["rows per slice"] == [1000 / p.occurring for p in points]
    assert f"Pr(⊥̸) of the edge is {probability(points[-1].hub_dependent)}" in words(page)


def test_what_bjp_spares_is_the_total_irregularity(page):
    sizes = {s.info.name: s for s in method_data.sizes()}
    assert [*sizes] == list(bjp.networks.names())
    for name, s in sizes.items():
        assert (s.info, s.saved) == (bjp.networks.describe(name), s.info.total_irregularity)
        pairs = s.info.nodes * (s.info.nodes - 1) / 2
        assert (s.inferred - s.computed) * pairs == pytest.approx(s.saved)
    (frame,) = [d.value for d in page.dataframe]
    assert len(frame) == 21
    for _, row in frame.iterrows():
        info = bjp.networks.describe(row["network"])
        assert row["total irregularity"] == info.total_irregularity
        assert row["edge irregularity"] == info.edge_irregularity
    assert "its total irregularity is 2,044" in words(page)
