"""About the method: what the page says is what the engine computes."""

from __future__ import annotations

import math
import re
from pathlib import Path

import networkx as nx
import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import bjp_engine as bjp
from bjp_engine.kernels import centred
from bjp_explorer.method import data as method_data
from bjp_explorer.method import figures, views
from bjp_explorer.shell.text import markdown, number, p_value, probability

ROOT = Path(__file__).parents[3]
CORONARY = bjp.read_table(ROOT / "sample_data" / "datasets" / "coronary.csv")


def opened() -> AppTest:
    page = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600)
    page.switch_page("pages/method.py").run()
    assert not page.exception
    return page


@pytest.fixture(scope="module")
def page() -> AppTest:
    """The page as it opens; tests that change it open their own."""
    return opened()


def words(page: AppTest) -> str:
    """All prose of the page, without line breaks."""
    return " ".join(" ".join(block.value.split()) for block in (*page.markdown, *page.caption))


def table(page: AppTest, column: str) -> dict[str, list[str]]:
    """The one table that has a column."""
    (found,) = [t.value for t in page.table if column in t.value.columns]
    return {name: list(found[name]) for name in found}


class TestContents:
    def test_every_link_has_its_section(self, page: AppTest) -> None:
        links = re.findall(r"\]\(#([a-z]+)\)", page.caption[1].value)
        anchors = [heading.proto.anchor for heading in page.subheader]
        assert links == anchors
        assert len(links) == 12

    def test_the_notation_names_what_the_engine_has(self, page: AppTest) -> None:
        shown = table(page, "in the engine")
        assert len(shown["symbol"]) == len(set(shown["symbol"])) > 20
        for name in shown["in the engine"]:
            assert exists(name.strip("`")), name


def exists(path: str) -> bool:
    """Whether a dotted name is one of the engine's: a class, its field, or a module's function."""
    head, _, rest = path.partition(".")
    rooms = (bjp, bjp.classical, bjp.growth, bjp.independence, bjp.scores, bjp.search)
    for place in rooms:
        owner = getattr(place, head, None)
        if owner is not None:
            fields = getattr(owner, "__dataclass_fields__", {})
            return not rest or hasattr(owner, rest) or rest in fields
    return False


class TestBlankets:
    def test_the_sentence_follows_the_choice(self) -> None:
        page = opened()
        graph = bjp.learn(CORONARY, search="ibmap-hc").graph
        for name in ("smoking", "family_history", "lipoprotein_ratio"):
            page.selectbox(key="method-node").select(name).run()
            title = f"**{markdown(name)}**"
            (sentence,) = [
                m.value for m in page.markdown if title in m.value and "blanket" in m.value
            ]
            inside, _, outside = sentence.partition("**What is missing:**")
            for other in graph[name]:
                assert markdown(other) in inside
            for other in set(graph) - set(graph[name]) - {name}:
                assert markdown(other) in outside or not graph.degree[name]
            assert ("is empty" in sentence) == (graph.degree[name] == 0)

    def test_the_drawing_marks_the_edges_of_the_choice(self) -> None:
        graph = bjp.learn(CORONARY, search="ibmap-hc").graph
        edges = views.blanket_edges(graph, CORONARY, "smoking")
        marked = {(i, j) for i, j, tone in edges if tone == "given"}
        assert len(edges) == graph.number_of_edges()
        assert len(marked) == graph.degree["smoking"]
        assert all(CORONARY.index("smoking") in pair for pair in marked)

    def test_a_graph_without_a_missing_edge(self) -> None:
        full: nx.Graph[str] = nx.complete_graph(["a", "b", "c"])
        assert "missing" not in views.blanket_sentences(full, "a")


class TestOneTest:
    def test_prior_evidence_and_posterior(self, page: AppTest) -> None:
        test = bjp.independence_test(CORONARY, "smoking", "physical_work")
        (part,) = test.slices
        shown = table(page, "prior")
        assert shown["prior"] == ["0.5000", "0.5000"]
        assert [exponent(cell) for cell in shown["× evidence"]] == [
            round(part.log_g, 2),
            round(part.log_h, 2),
        ]
        assert shown["→ posterior"] == [
            probability(test.log_independent),
            probability(test.log_dependent),
        ]
        assert f"Pr(⊥) = {probability(test.log_independent)}" in words(page)

    def test_a_variable_given_makes_two_slices(self) -> None:
        page = opened()
        page.selectbox(key="method-x").select("systolic_pressure").run()
        page.selectbox(key="method-y").select("smoking").run()
        page.selectbox(key="method-z").select("lipoprotein_ratio").run()
        assert not page.exception
        test = bjp.independence_test(
            CORONARY, "systolic_pressure", "smoking", ["lipoprotein_ratio"]
        )
        shown = [t.value for t in page.table if "prior" in t.value.columns]
        assert len(shown) == len(test.slices) == 2
        for frame, part in zip(shown, test.slices, strict=True):
            assert list(frame["prior"]) == ["0.7071", "0.2929"]
            assert frame["→ posterior"].iloc[0] == probability(part.log_independent)
        text = words(page)
        assert probability(test.log_independent) in text
        assert probability(test.log_dependent) in text

    def test_the_classical_answers_stand_beside_it(self) -> None:
        page = opened()
        for given in ((), ("mental_work",)):
            if given:
                page.selectbox(key="method-z").select(given[0]).run()
            test = bjp.independence_test(CORONARY, "smoking", "physical_work", given)
            beside = bjp.classical.classical_test(CORONARY, "smoking", "physical_work", given)
            (shown,) = [b.value for b in page.get("html") if 'class="bjp-answers"' in b.value]
            assert f"<td>{number(beside.pearson, 2)}</td>" in shown
            assert f"<td>{p_value(beside.p_g_squared)}</td>" in shown
            assert f"<td>{probability(test.log_independent)}</td>" in shown

    def test_no_variable_stands_twice(self) -> None:
        page = opened()
        page.selectbox(key="method-z").select("mental_work").run()
        page.selectbox(key="method-x").select("mental_work").run()
        assert not page.exception
        chosen = [page.selectbox(key=f"method-{role}").value for role in "xyz"]
        assert len(set(chosen)) == 3
        page.selectbox(key="method-x").select(chosen[1]).run()
        assert not page.exception
        assert page.selectbox(key="method-y").value != chosen[1]


def exponent(power: str) -> float:
    """The number in $e^{-1{,}234.56}$."""
    return float(power.removeprefix("$e^{").removesuffix("}$").replace("{,}", ""))


class TestAssertions:
    def test_the_row_of_the_chosen_variable(self, page: AppTest) -> None:
        trace = bjp.score(CORONARY, bjp.learn(CORONARY, search="ibmap-hc").graph, "ib")
        row = [term for term in trace.terms if term.x == "physical_work"]
        shown = table(page, "the graph asserts")
        assert shown["Pr given the data"] == [probability(term.value) for term in row]
        assert [r"\not\perp" in cell for cell in shown["the graph asserts"]] == [
            term.dependent for term in row
        ]
        assert f"ln IB = **{number(trace.total, 4)}**" in words(page)
        assert "hence 30 of them" in words(page)


def logarithm(cell: str) -> float:
    """A log as the table writes it: −0.2075, −4.81·10⁻¹⁸, or 0."""
    raised = str.maketrans("−⁻⁰¹²³⁴⁵⁶⁷⁸⁹", "--0123456789")
    return float(cell.translate(raised).replace("·10", "e"))


class TestAppendixB:
    COMPUTED = (
        r"$\langle X_{1} \perp X_{2} \mid \{X_{0}\} \rangle$",
        r"$\langle X_{1} \perp X_{3} \mid \{X_{0}\} \rangle$",
        r"$\langle X_{1} \not\perp X_{0} \mid \varnothing \rangle$",
        r"$\langle X_{2} \perp X_{3} \mid \{X_{0}\} \rangle$",
        r"$\langle X_{2} \not\perp X_{0} \mid \varnothing \rangle$",
        r"$\langle X_{3} \not\perp X_{0} \mid \varnothing \rangle$",
    )
    INFERRED = (
        r"$\langle X_{2} \perp X_{1} \mid \{X_{0}\} \rangle$",
        r"$\langle X_{3} \perp X_{1} \mid \{X_{0}\} \rangle$",
        r"$\langle X_{3} \perp X_{2} \mid \{X_{0}\} \rangle$",
        r"$\langle X_{0} \not\perp X_{1} \mid \{X_{2}, X_{3}\} \rangle$",
        r"$\langle X_{0} \not\perp X_{2} \mid \{X_{1}, X_{3}\} \rangle$",
        r"$\langle X_{0} \not\perp X_{3} \mid \{X_{1}, X_{2}\} \rangle$",
    )

    @staticmethod
    def trace(seed: int, method: str = "bjp") -> bjp.scores.ScoreTrace:
        graph = bjp.networks.load("appendix-b", labelled=True)
        model = bjp.sampling.random_model(graph, "log-odds", seed=seed)
        return bjp.score(model.sample(1000, seed=seed, method="exact"), graph, method)

    def test_six_computed_and_six_inferred(self, page: AppTest) -> None:
        shown = table(page, "assertion")
        rows = list(zip(shown["assertion"], shown["how"], strict=True))
        assert tuple(text for text, how in rows if "computed" in how) == self.COMPUTED
        assert tuple(text for text, how in rows if "inferred" in how) == self.INFERRED
        assert "ψ = (X1, X2, X3, X0)" in words(page)
        assert "**6 computed, 6 inferred.**" in words(page)

    def test_each_inferred_one_names_the_test_that_settled_it(self, page: AppTest) -> None:
        how = table(page, "assertion")["how"]
        sources = [int(m[1]) for cell in how if (m := re.search(r"inferred from (\d+)", cell))]
        assert sources == [1, 2, 5, 3, 6, 9]
        assert all("computed" in how[source - 1] for source in sources)

    @pytest.mark.parametrize("seed", [2, 7])
    def test_values_and_totals(self, seed: int) -> None:
        page = opened()
        page.number_input(key="method-sample").set_value(seed).run()
        trace = self.trace(seed)
        shown = table(page, "assertion")
        assert shown["Pr"] == [probability(t.value) if t.computed else "1" for t in trace.terms]
        logs = [logarithm(cell) for cell in shown["ln Pr"]]
        assert logs == pytest.approx([t.value for t in trace.terms], rel=0.01, abs=5e-5)
        assert f"ln BJP = **{number(trace.total, 4)}**" in words(page)
        assert f"ln IB = **{number(self.trace(seed, 'ib').total, 4)}**" in words(page)

    def test_the_walk_opens_at_the_hub(self) -> None:
        assert method_data.first_of(self.trace(2), "X0") == 10


class TestHubs:
    @pytest.mark.parametrize(("rows", "seed"), [(1000, 1), (250, 3)])
    def test_the_star_is_tested_from_both_ends(self, rows: int, seed: int) -> None:
        star = nx.star_graph(10)
        star.add_node(11)
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

    def test_the_figures_draw_the_traces(self, page: AppTest) -> None:
        points = method_data.star(1000, 1)
        figure = figures.star_posterior_figure(points)
        drawn = {line.name: list(line.y) for line in figure.data}
        assert drawn["edge, hub's end"] == [math.exp(p.hub_dependent) for p in points]
        assert drawn["no edge, hub's end"] == [math.exp(p.hub_independent) for p in points]
        rows = {line.name: list(line.y) for line in figures.star_rows_figure(points, 1000).data}
        assert rows["slices, K"] == [p.configurations for p in points]
        assert rows["rows per slice"] == [1000 / p.occurring for p in points]
        assert f"Pr(⊥̸) of the edge is {probability(points[-1].hub_dependent)}" in words(page)


class TestIrregularity:
    def test_what_bjp_spares_is_the_total_irregularity(self) -> None:
        sizes = method_data.sizes()
        assert [s.info.name for s in sizes] == list(bjp.networks.names())
        for s in sizes:
            assert s.info == bjp.networks.describe(s.info.name)
            assert s.saved == s.info.total_irregularity
            pairs = s.info.nodes * (s.info.nodes - 1) / 2
            assert (s.inferred - s.computed) * pairs == pytest.approx(s.saved)

    @pytest.mark.parametrize("name", ["target-5", "karate", "scale-free-1"])
    def test_the_means_are_those_of_the_trace(self, name: str) -> None:
        graph = bjp.networks.load(name)
        data = bjp.Dataset.from_codes(np.zeros((1, len(graph)), dtype=int), [2] * len(graph))
        trace = bjp.score(data, graph)
        (s,) = [s for s in method_data.sizes() if s.info.name == name]
        assert s.computed == pytest.approx(np.mean([len(t.given) for t in trace.computed]))
        assert s.inferred == pytest.approx(np.mean([len(t.given) for t in trace.inferred]))

    def test_the_table_on_the_page(self, page: AppTest) -> None:
        (frame,) = [d.value for d in page.dataframe]
        for _, row in frame.iterrows():
            info = bjp.networks.describe(row["network"])
            assert row["total irregularity"] == info.total_irregularity
            assert row["edge irregularity"] == info.edge_irregularity
        assert len(frame) == 21
        assert "its total irregularity is 2,044" in words(page)


def test_the_climb_mpl_and_the_rank(page: AppTest) -> None:
    climb, mpl = bjp.learn(CORONARY, search="ibmap-hc"), bjp.learn(CORONARY, "mpl")
    rank = bjp.all_graphs(CORONARY).rank(climb.graph)
    text = words(page)
    assert (
        f"{len(climb.steps)} flips with BJP and ends at ln BJP = {number(climb.score, 4)}" in text
    )
    assert str(climb.stop_reason) in text
    assert f"ln MPL = {number(mpl.score, 4)} with {mpl.graph.number_of_edges()} edges" in text
    assert f"number {rank} of 32,768" in text


def test_choices_survive_another_page() -> None:
    page = opened()
    page.selectbox(key="method-node").select("smoking").run()
    page.switch_page("pages/data.py").run()
    page.switch_page("pages/method.py").run()
    assert page.selectbox(key="method-node").value == "smoking"


def test_what_ones_own_data_get_is_explained(page: AppTest) -> None:
    """The test with centred cells and the calibrated probability, each with what it is for."""
    said = words(page)
    light, heavy = (f"{kappa:g}" for kappa in centred.KAPPAS)
    assert rf"\kappa = {light}$), which allows strong association" in said
    assert rf"\sum_{{\kappa = {light}, {heavy}}}" in said
    assert "*Your network* begins with a **calibrated probability**" in said
    assert {"step", "accuracy"} <= {link.proto.page for link in page.get("page_link")}
