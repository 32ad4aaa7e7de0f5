"""Behind a test: the classical answers, fewer rows, and the test that BJP does not make."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from html import unescape
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from streamlit.testing.v1 import AppTest

import bjp_engine as bjp
from bjp_engine.growth import grid
from bjp_engine.scores import AssertionTerm
from bjp_engine.search import PUBLISHED
from bjp_explorer.shell import sources
from bjp_explorer.shell.text import number, p_value, probability
from bjp_explorer.step import behind_growth
from bjp_explorer.step import words as step_words
from bjp_explorer.views import classical as behind_classical
from bjp_explorer.views import drill
from tests.app.looks import payload, settled
from tests.strategies import Sample, samples_with_test

DATA = sources.load("coronary").data
Opened = Callable[..., AppTest]


@pytest.fixture
def opened(open_app: Callable[..., AppTest]) -> Opened:
    """The page at rest at a step of the learned graph's score."""

    def open_(position: int, method: str = "bjp") -> AppTest:
        app = open_app("step")
        settled(app.segmented_control(key="step-score").set_value(method).run())
        app.session_state["step-at"] = {payload(app)["id"]: position}
        return settled(app.run())

    return open_


def html(app: AppTest, part: str) -> str:
    """The one block with that text."""
    (found,) = [block.value for block in app.get("html") if part in block.value]
    return str(found)


def lines(table: str) -> dict[str, list[str]]:
    """The rows of the table of answers by their first cells."""
    rows = re.findall(r"<tr><th>(.*?)</th>(.*?)</tr>", table.split("<tbody>")[1])
    return {name: [unescape(c) for c in re.findall(r"<td>(.*?)</td>", r)] for name, r in rows}


def words(app: AppTest) -> str:
    """All prose of the page."""
    blocks = (*app.markdown, *app.caption, *app.info, *app.warning)
    return "\n".join(block.value for block in blocks)


def compare(app: AppTest, test: bjp.independence.TestTrace, data: bjp.Dataset) -> None:
    """The table of answers and the first lines with the engine's, on these data."""
    classical = bjp.classical.classical_test(data, test.x, test.y, test.given)
    shown = lines(html(app, 'class="bjp-answers"'))
    assert shown["χ²"][:3] == [
        number(classical.pearson, 2),
        str(classical.freedom),
        p_value(classical.p_pearson),
    ]
    assert shown["G²"][:3] == [
        number(classical.g_squared, 2),
        str(classical.freedom),
        p_value(classical.p_g_squared),
    ]
    assert float(shown["MI"][0]) == pytest.approx(classical.information, rel=1e-3)
    assert shown["Pr(⊥ | D)"][0] == probability(test.log_independent)
    if classical.freedom:
        assert shown["G²"][3] == ("⊥̸" if classical.p_g_squared < 0.05 else "⊥")
    product = html(app, 'class="bjp-product"')
    assert f"= <span>{probability(test.log_independent)}</span>" in product
    if 0 < len(test.slices) <= 4:
        rows = re.findall(r"· ([\d,]+) rows?", html(app, 'class="bjp-slices"'))
        assert sum(int(amount.replace(",", "")) for amount in rows) == data.rows


class TestTheClassicalAnswers:
    @pytest.mark.parametrize("method", ["bjp", "ib"])
    def test_are_the_engines(self, opened: Opened, method: str) -> None:
        trace = bjp.score(DATA, bjp.learn(DATA, method, PUBLISHED[method]).graph, method)
        for position in (1, 5, 12):
            term = trace.terms[position - 1]
            if term.computed:
                test = bjp.independence_test(DATA, term.x, term.y, term.given)
                compare(opened(position, method), test, DATA)

    @given(samples_with_test())
    def test_the_sentence_knows_who_agrees(
        self, case: tuple[Sample, int, int, tuple[int, ...]]
    ) -> None:
        sample, x, y, z = case
        test = bjp.independence_test(sample.data, x, y, z)
        classical = bjp.classical.classical_test(sample.data, x, y, z)
        told = behind_classical.relation(test, classical)
        posterior, rejected = math.exp(test.log_independent), classical.p_g_squared < 0.05
        if not classical.freedom:
            assert "nothing to test" in told
        elif abs(posterior - 0.5) < 0.1:
            assert "undecided" in told
            assert ("G² rejects" in told) == rejected
        else:
            assert ("disagree" in told) == (rejected != (posterior < 0.5))
            agreed = re.search(r"agree at 0.05: (\w+)", told)
            assert agreed is None or (agreed[1] == "dependent") == rejected

    def test_why_a_small_p_value_may_go_with_independence(self) -> None:
        # 51 in 100 rows on the diagonal, of ten thousand.
        codes = [[0, 0]] * 2525 + [[0, 1]] * 2475 + [[1, 0]] * 2425 + [[1, 1]] * 2575
        data = bjp.Dataset.from_codes(codes)
        test, classical = (
            bjp.independence_test(data, 0, 1),
            bjp.classical.classical_test(data, 0, 1),
        )
        assert classical.p_g_squared < 0.05
        assert math.exp(test.log_independent) > 0.6
        told = behind_classical.relation(test, classical)
        assert "disagree" in told
        assert f"about {number(math.log(10_000) / 2, 1)}" in told
        assert f"½·G² = {number(classical.g_squared / 2, 1)}" in told

    def test_one_slice_is_not_called_several(self) -> None:
        # By hand: p = 0.051 and Pr(dependent) = 0.71.
        data = bjp.Dataset.from_codes([[0, 0], [0, 0], [1, 1]])
        test, classical = (
            bjp.independence_test(data, 0, 1),
            bjp.classical.classical_test(data, 0, 1),
        )
        told = behind_classical.relation(test, classical)
        assert "disagree" in told
        assert "slice" not in told

    def test_rough_p_values_are_told(self) -> None:
        sparse = bjp.Dataset.from_codes([[0, 0, 0], [1, 1, 0], *[[0, 0, 1], [1, 1, 1]] * 20])
        told = behind_classical.roughness(bjp.classical.classical_test(sparse, 0, 1, [2]))
        assert told.startswith("In 1 of 2 slices an expected count is below 5")
        plenty = bjp.Dataset.from_codes([[0, 0], [1, 1]] * 20)
        assert not behind_classical.roughness(bjp.classical.classical_test(plenty, 0, 1))


class TestFewerRows:
    def test_everything_in_the_box_is_of_those_rows(self, opened: Opened) -> None:
        app = opened(1)
        term = bjp.score(DATA, bjp.learn(DATA, search="ibmap-hc").graph).terms[0]
        sizes = grid(DATA.rows).tolist()
        assert list(app.select_slider(key="step-rows-1841").options) == [f"{n:,}" for n in sizes]
        for rows in (sizes[12], sizes[20], 0):
            settled(app.select_slider(key="step-rows-1841").set_value(rows).run())
            thinned = bjp.growth.subsample(DATA, rows)
            test = bjp.independence_test(thinned, term.x, term.y, term.given)
            compare(app, test, thinned)
            assert f"This box uses {rows:,} of the 1,841 rows" in words(app)
        assert probability(test.log_independent) == "0.5000"

    def test_another_order_of_the_rows(self, opened: Opened) -> None:
        app = opened(1)
        settled(app.select_slider(key="step-rows-1841").set_value(grid(1841)[20]).run())
        settled(app.button(key="step-shuffle-button").click().run())
        term = bjp.score(DATA, bjp.learn(DATA, search="ibmap-hc").graph).terms[0]
        thinned = bjp.growth.subsample(DATA, int(grid(1841)[20]), seed=1)
        compare(app, bjp.independence_test(thinned, term.x, term.y, term.given), thinned)

    def test_the_curves_are_the_traces(self) -> None:
        sets = behind_growth.grow_sets(("smoking", "mental_work", "systolic_pressure"))
        assert [len(given_) for given_ in sets] == [0, 1, 2, 3]
        trace = bjp.growth.posterior_growth(DATA, "physical_work", "lipoprotein_ratio", sets)
        drawn = behind_growth.figure(trace, int(trace.sizes[15]), dependent=False)
        curves = drawn.data[:4]
        for curve, line in zip(curves, trace.log_independent, strict=True):
            assert list(curve.x) == trace.sizes[1:].tolist()
            assert list(curve.y) == np.exp(line[1:]).tolist()
        assert [curve.name for curve in curves] == [
            "∅ given",
            "+ smoking",
            "+ mental_work",
            "+ systolic_pressure",
        ]
        assert len({curve.line.dash for curve in curves}) == 4
        mark = drawn.data[4]
        assert (mark.x[0], mark.y[0]) == (trace.sizes[15], math.exp(trace.log_independent[-1, 15]))

    @pytest.mark.parametrize("size", [0, 1, 4, 5, 20, 60])
    def test_sets_grow_to_the_whole(self, size: int) -> None:
        whole = tuple(range(size))
        sets = behind_growth.grow_sets(whole)
        assert sets[0] == ()
        assert sets[-1] == whole
        assert len(sets) == min(size + 1, 5)
        assert all(set(a) < set(b) for a, b in pairwise(sets))


class TestThePredictedCurve:
    """Asked first, shown then: whether the posterior rises or falls from a tenth of the rows on."""

    @pytest.mark.parametrize("answer", ["rise", "fall", ""])
    def test_it_waits_for_the_prediction(self, opened: Opened, answer: str) -> None:
        app = opened(1)
        assert app.get("plotly_chart")
        app.session_state["step-predict"] = True
        settled(app.run())
        # 1,841 rows: the first size from 184.1 on.
        few = next(size for size in grid(1841).tolist() if size >= 184.1)
        assert f"From {few:,} to all 1,841 rows: does Pr(⊥ | D) rise or fall?" in words(app)
        assert not app.get("plotly_chart")
        assert "step-rows-1841" not in [slider.key for slider in app.select_slider]

        settled(app.button(key=f"step-growth-predict-{answer}").click().run())
        term = bjp.score(DATA, bjp.learn(DATA, search="ibmap-hc").graph).terms[0]
        ends = [
            bjp.independence_test(
                bjp.growth.subsample(DATA, size), term.x, term.y, term.given
            ).log_independent
            for size in (few, 1841)
        ]
        way = "rise" if ends[1] > ends[0] else "fall"
        first, last = map(probability, ends)
        sentence = f"It {way}s from {first} with {few:,} rows to {last} with all 1,841."
        (said,) = [block.value for block in app.markdown if sentence in block.value]
        if answer:
            assert said.startswith("**✓ Right.**" if answer == way else "**✗ Not so.**")
            assert said.endswith(f":gray[{int(answer == way)} of 1 right]")
        else:
            assert said.startswith(sentence)
            assert "of 1 right" not in said
        assert app.get("plotly_chart")
        # Another order of the rows is another curve.
        settled(app.button(key="step-shuffle-button").click().run())
        assert not app.get("plotly_chart")

    def test_where_the_curve_turned(self) -> None:
        logs = [math.log(p) for p in (0.5, 0.9, 0.3, 0.6)]
        assert step_words.grown([10, 20, 40, 1000], logs) == (
            "It rises from 0.5000 with 10 rows to 0.6000 with all 1,000. In between it is highest "
            "with 20 rows, 0.9000. In between it is lowest with 40 rows, 0.3000."
        )
        assert step_words.grown([10, 20, 40], logs[1:]) == (
            "It falls from 0.9000 with 10 rows to 0.6000 with all 40. "
            "In between it is lowest with 20 rows, 0.3000."
        )
        assert step_words.grown([10, 40], logs[:2]).endswith("with all 40.")

    def test_nothing_is_asked_where_no_rows_can_be_added(self) -> None:
        few = bjp.Dataset.from_codes(DATA.codes[:8], names=DATA.names)
        trace = bjp.growth.posterior_growth(few, "smoking", "mental_work", [()])
        assert not behind_growth.ask(trace, "few", "step")


class TestWhatBjpDoesNotMake:
    def test_it_names_the_step_and_shows_the_skipped_test(self, opened: Opened) -> None:
        trace = bjp.score(DATA, bjp.learn(DATA, search="ibmap-hc").graph)
        inferred = [k for k, term in enumerate(trace.terms, 1) if not term.computed]
        for position in inferred[3::4]:
            app, term = opened(position), trace.terms[position - 1]
            ((test_made, step),) = re.findall(
                r"Test (\d+) \(assertion (\d+)\) already decided", words(app)
            )
            assert int(test_made) == sum(each.computed for each in trace.terms[: int(step)])
            made = trace.terms[int(step) - 1]
            assert (made.x, made.y, made.computed) == (term.y, term.x, True)
            assert f"Pr = {probability(made.value)}." in words(app)
            assert not app.get("html") or "bjp-product" not in words(app)
            settled(app.toggle(key="step-spared").set_value(True).run())
            compare(app, bjp.independence_test(DATA, term.x, term.y, term.given), DATA)

    def test_bjps_bet_and_its_price(self, opened: Opened) -> None:
        """The pair that BJP parts, and that the skipped test and the published graph join."""
        app = opened(22)
        (told,) = [block.value for block in app.warning]
        assert told == (
            "**A bet, and its price.** From this end the skipped test gives "
            "Pr(⊥) = 0.1043 (χ² p = 2.32·10⁻⁴) with 2 variables given and 460 rows per non-empty "
            "slice: it speaks for an edge. From the other end test 8 gives 0.6407 with 920 rows "
            "per slice, and the score counts that one alone: with more rows per slice, it is the "
            "more reliable of the two. The graph has no edge here, and the score never sees the "
            "disagreement. The published graph has this edge: "
            "judged by that graph, the bet was wrong."
        )
        settled(app.segmented_control(key="step-graph").set_value("published").run())
        assert "The published graph" not in words(app)

    @pytest.mark.parametrize("dependent", [False, True])
    @pytest.mark.parametrize("made", [0.9, 0.2])
    @pytest.mark.parametrize("skipped", [0.5, 0.49])
    def test_the_verdict_is_that_of_both_tests(
        self, dependent: bool, made: float, skipped: float
    ) -> None:
        term = AssertionTerm("a_b", "*c*", ("d",), dependent, computed=False, value=0.0)
        other = AssertionTerm("*c*", "a_b", (), dependent, computed=True, value=math.log(made))
        agrees, sentence = step_words.verdict(
            term,
            other,
            math.log(skipped),
            test=3,
            rows=(5.25, 70.0),
            p=0.2,
            known={"true network": True},
        )
        assert agrees == (skipped == 0.5)
        assert f"{skipped:.4f} (χ² p = 0.2000) with 1 variable given and 70 rows" in sentence
        assert f"test 3 gives {made:.4f} with 5.2 rows" in sentence
        starts = {
            (0.9, 0.5): "**The skipped test agrees.**",
            (0.2, 0.5): "**The skipped test supports the graph",
            (0.2, 0.49): "**Both tests contradict the graph.** It has "
            + ("an edge" if dependent else "no edge"),
            (0.9, 0.49): "**A bet, and its price.**",
        }
        assert sentence.startswith(starts[made, skipped])
        price = (made, skipped) == (0.9, 0.49)
        assert ("though the skipped test has more rows per slice" in sentence) == price
        assert ("The true network has this edge" in sentence) == price
        assert (f"speaks {'against' if dependent else 'for'} an edge" in sentence) == price
        # At p = 0.2 χ² says independent.
        agreed = (made, skipped) == (0.9, 0.5)
        assert (", but χ² at 5 % finds independence (p = 0.2000)." in sentence) == (
            agreed and dependent
        )


def test_the_most_telling_slice_is_the_one_that_moves_the_posterior() -> None:
    rows = [[0, 0, 0], [1, 1, 0]] + [[k % 2, k % 2, 1] for k in range(30)] + [[0, 1, 2]]
    test = bjp.independence_test(bjp.Dataset.from_codes(rows), 0, 1, [2])
    assert drill.telling(test) == [1, 0, 2]


def test_names_are_text() -> None:
    name = "<b>$x$</b>"
    codes = np.random.default_rng(0).integers(2, size=(40, 3))
    data = bjp.Dataset.from_codes(codes, names=[name, "y", "z"])
    test, beside = (
        bjp.independence_test(data, name, "y"),
        bjp.classical.classical_test(data, name, "y"),
    )
    shown = drill.slices_html(test, beside, data, [0]) + drill.product_html(test, dependent=True)
    assert name not in shown
    figure = behind_growth.figure(
        bjp.growth.posterior_growth(data, "y", "z", [(), (name,)]), 40, dependent=True
    )
    assert figure.data[1].name == "+ &lt;b&gt;$x$&lt;/b&gt;"
