"""Lessons: what they say and show is what the engine computes; answers against brute force."""

from __future__ import annotations

import json
import math
import re
from itertools import chain, combinations, permutations
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import bjp_engine as bjp
from bjp_explorer.lessons import (
    appendix,
    counts,
    course,
    graph_checks,
    irregular,
    number_checks,
    trace_checks,
)
from bjp_explorer.lessons import climb as lesson_climb
from bjp_explorer.lessons import data as lesson_data
from bjp_explorer.lessons import edges as lesson_edges
from bjp_explorer.lessons import order as lesson_order
from bjp_explorer.lessons import visit as lesson_visit
from bjp_explorer.lessons.course import LESSONS
from bjp_explorer.lessons.words import TEXTS
from bjp_explorer.shell import choices
from bjp_explorer.shell.text import number, plain, probability
from tests import oracles
from tests.app.conftest import ROOT, OpenApp, healthy
from tests.app.looks import address, payload

STEPS = [
    (lesson, step)
    for lesson, each in enumerate(LESSONS, 1)
    for step in range(1, len(each.steps) + 1)
]
ASKING = [(a, b) for a, b in STEPS if LESSONS[a - 1].steps[b - 1].question]
CORONARY = bjp.read_table(ROOT / "sample_data" / "datasets" / "coronary.csv")


def at(lesson: int, step: int) -> Any:
    """One step."""
    return LESSONS[lesson - 1].steps[step - 1]


def english(thing: Any) -> Any:
    """What is shown of phrases in English."""
    return TEXTS.put(thing, "en")


def scenes(lesson: int, step: int) -> dict[str, Any]:
    """Everything that a step's view may show, as the browser gets it."""
    found: dict[str, Any] = json.loads(json.dumps(english(course.scenes_of(at(lesson, step)))))
    return found


def subsets(things: Any) -> Any:
    """Every subset."""
    return chain.from_iterable(combinations(things, k) for k in range(len(things) + 1))


def opened(**query: str) -> AppTest:
    """The page by its URL."""
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=600)
    app.switch_page("pages/lessons.py")
    for name, value in query.items():
        app.query_params[name] = value
    return healthy(app.run())


@pytest.fixture(scope="module")
def page() -> AppTest:
    """A page that goes from step to step by the URL."""
    return opened()


class TestCourse:
    def test_eight_lessons_each_ending_in_a_question(self) -> None:
        assert len(LESSONS) == 8
        for lesson in LESSONS:
            assert lesson.steps[-1].question is not None
            assert len(lesson.steps) >= 4
        assert len({english(lesson.title) for lesson in LESSONS}) == 8

    @pytest.mark.parametrize(("lesson", "step"), STEPS)
    def test_a_step_has_few_short_sentences(self, lesson: int, step: int) -> None:
        text = " ".join(english(at(lesson, step).text))
        sentences = re.split(r"(?<=[.?!])\s", text)
        assert 1 <= len(sentences) <= 6
        assert all(len(sentence.split()) <= 40 for sentence in sentences)

    @pytest.mark.parametrize(("lesson", "step"), STEPS)
    def test_whatever_can_be_clicked_has_its_view(self, lesson: int, step: int) -> None:
        found = at(lesson, step)
        drawn = scenes(lesson, step)
        assert "" in drawn
        assert (found.touch.kind == "none") == (found.question is not None)
        if found.question is None:
            assert english(found.hint)
            assert len({json.dumps(scene) for scene in drawn.values()}) > 1
        for scene in drawn.values():
            for network in scene.get("networks", ()):
                n = len(network["names"])
                assert all(0 <= i < j < n for i, j, _ in network["edges"])
                assert all(0 <= i < n for i, _ in network["roles"])

    @pytest.mark.parametrize(("lesson", "step"), ASKING)
    def test_the_answer_is_right_and_no_answer_is_explained(self, lesson: int, step: int) -> None:
        question = at(lesson, step).question
        answer = question.answer()
        assert question.check(answer).correct
        assert question.check(answer).culprit is None
        nothing = question.check(())
        assert nothing.correct == (answer == ())
        assert english(nothing.sentence).endswith(".")
        assert question.revealed is None or json.dumps(english(question.revealed()))


class TestPage:
    @pytest.mark.parametrize(("lesson", "step"), STEPS)
    def test_every_step_opens_by_its_url(self, page: AppTest, lesson: int, step: int) -> None:
        page.switch_page("pages/data.py").run()
        page.switch_page("pages/lessons.py")
        page.query_params.clear()
        page.query_params.update(lesson=str(lesson), step=str(step))
        sent = payload(healthy(page.run()))
        assert (sent["lesson"], sent["step"]) == (lesson, step)
        assert sent["title"] == english(at(lesson, step).title)
        assert sent["text"] == english(at(lesson, step).text)
        assert not page.warning
        # What is not known yet is not sent.
        if sent["question"]:
            assert sent["question"]["revealed"] is None
            assert sent["question"]["picks"] == []

    @pytest.mark.parametrize(
        ("query", "at_last", "words"),
        [
            ({"lesson": "9"}, (1, 1), "from 1 to 8"),
            ({"lesson": "0"}, (1, 1), "from 1 to 8"),
            ({"lesson": "two", "step": "33"}, (1, 1), "from 1 to 8"),
            ({"lesson": "²"}, (1, 1), "from 1 to 8"),
            ({"lesson": "9" * 5000}, (1, 1), "from 1 to 8"),
            ({"lesson": "4", "step": "17"}, (4, 1), "from 1 to 4"),
            ({"lesson": "6", "step": "-1"}, (6, 1), "from 1 to 5"),
            ({"lesson": "4", "step": "2", "projector": "<b>"}, (4, 2), "one of 0, 1"),
        ],
    )
    def test_a_wrong_url_is_told_in_one_sentence(
        self, query: dict[str, str], at_last: tuple[int, int], words: str
    ) -> None:
        app = opened(**query)
        (warning,) = app.warning
        assert words in warning.value.replace("\\", "")
        sent = payload(app)
        assert (sent["lesson"], sent["step"]) == at_last
        shown = {"lesson": str(at_last[0]), "step": str(at_last[1]), "data": "coronary"}
        assert address(app) == {name: text for name, text in shown.items() if text != "1"}

    def test_progress_is_kept_for_the_visit(self, open_app: OpenApp, switch_page: Any) -> None:
        app = open_app("lessons")
        question = at(3, 4).question
        answer = course.Answer(question.answer(), "solved")
        app.session_state["lesson-number"], app.session_state["lesson-step"] = 3, 4
        app.session_state["lesson-answers"] = {(3, 4): answer}
        healthy(app.run())
        switch_page(switch_page(app, "step"), "lessons")
        sent = payload(app)
        assert (sent["lesson"], sent["step"]) == (3, 4)
        assert [each["state"] for each in sent["course"]][:4] == ["begun", "new", "solved", "new"]
        assert sent["question"]["state"] == "solved"
        assert sent["question"]["picks"] == list(question.answer())
        assert sent["question"]["revealed"]


class TestVisit:
    """Events of the component, without a browser."""

    @pytest.fixture
    def visit(self, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
        found = SimpleNamespace(session_state={}, query_params={})
        for module in (lesson_visit, choices):
            monkeypatch.setattr(module, "st", found)
        return found.session_state

    def test_wrong_then_right(self, visit: dict[str, Any]) -> None:
        lesson_visit.take_up({"what": "go", "lesson": 5, "step": 4})
        lesson_visit.take_up({"what": "check", "id": "5.4", "picks": [[1, 0], [0, 1]]})
        tried = lesson_visit.answers()[5, 4]
        verdict = at(5, 4).question.check(tried.picks)
        assert (tried.state, verdict.culprit) == ("tried", (0, 1))
        assert "will be computed" in english(verdict.sentence)
        right = [list(cell) for cell in at(5, 4).question.answer()]
        lesson_visit.take_up({"what": "check", "id": "5.4", "picks": right})
        assert lesson_visit.answers()[5, 4].state == "solved"
        assert course.state_of(5, lesson_visit.answers(), ()) == "solved"
        # What is solved stays so.
        lesson_visit.take_up({"what": "show", "id": "5.4"})
        lesson_visit.take_up({"what": "check", "id": "5.4", "picks": []})
        assert lesson_visit.answers()[5, 4].state == "solved"

    def test_what_was_shown_is_not_solved(self, visit: dict[str, Any]) -> None:
        lesson_visit.take_up({"what": "go", "lesson": 1, "step": 4})
        lesson_visit.take_up({"what": "show", "id": "1.4"})
        assert lesson_visit.answers()[1, 4].state == "shown"
        assert course.state_of(1, lesson_visit.answers(), {1}) == "shown"
        lesson_visit.take_up({"what": "again", "id": "1.4"})
        assert course.state_of(1, lesson_visit.answers(), {1}) == "begun"
        picks = list(at(1, 4).question.answer())
        lesson_visit.take_up({"what": "check", "id": "1.4", "picks": picks})
        assert lesson_visit.answers()[1, 4].state == "solved"

    def test_a_lesson_is_solved_by_all_its_questions(self, visit: dict[str, Any]) -> None:
        for step in (4, 5):
            assert course.state_of(6, lesson_visit.answers(), {6}) == "begun"
            lesson_visit.take_up({"what": "go", "lesson": 6, "step": step})
            picks = list(at(6, step).question.answer())
            lesson_visit.take_up({"what": "check", "id": f"6.{step}", "picks": picks})
        assert course.state_of(6, lesson_visit.answers(), {6}) == "solved"

    @pytest.mark.parametrize(
        "event",
        [
            {},
            {"what": "go", "lesson": 9, "step": 1},
            {"what": "go", "lesson": 3, "step": None},
            {"what": "go", "lesson": "3", "step": 1},
            {"what": "go", "lesson": [3], "step": 1},
            {"what": "check", "id": "3.4", "picks": [1]},
            {"what": "check", "id": "1.4", "picks": "0,3"},
            {"what": "check", "id": "1.4", "picks": [0, 99]},
            {"what": "check", "id": "1.4", "picks": [True]},
            {"what": "check", "id": "1.4", "picks": [[0, 1]]},
            {"what": "check", "id": "1.4", "picks": [0] * 1000},
            {"what": "dance", "id": "1.4"},
        ],
    )
    def test_nonsense_is_passed_over(self, visit: dict[str, Any], event: dict[str, Any]) -> None:
        visit.update({"lesson-number": 1, "lesson-step": 4})
        lesson_visit.take_up(event)
        assert lesson_visit.at() == (1, 4)
        assert not lesson_visit.answers()


class TestNumbers:
    """What stands in the views is the engine's, or what slow code finds."""

    def test_one_test_in_its_slices(self) -> None:
        for key, scene in scenes(2, 3).items():
            given = [CORONARY.names[int(key)]] if key else []
            test = bjp.independence_test(CORONARY, "smoking", "mental_work", given)
            assert f"Pr(⊥) = {probability(test.log_independent)}" in scene["say"][0]
            assert len(scene["cards"]) == len(test.slices)
            for card, part in zip(scene["cards"], test.slices, strict=True):
                assert card["counts"]["cells"] == part.counts.tolist()
                totals = np.array(card["counts"]["expected"])
                assert totals.sum(axis=0) == pytest.approx(part.counts.sum(axis=0))
                assert totals.sum(axis=1) == pytest.approx(part.counts.sum(axis=1))

    def test_many_states_by_both_tests(self) -> None:
        rows = []
        for states in counts.STATES:
            codes = np.random.default_rng(1000).integers(states, size=(400, 2))
            (part,) = bjp.independence_test(codes, 0, 1).slices
            paper = 1 - oracles.exact_posterior(part.counts.tolist())
            centred = bjp.independence_test(codes, 0, 1, prior_cells="centred")
            row = [probability(math.log(paper)), probability(centred.log_dependent)]
            rows.append([str(states), *row])
        drawn = scenes(2, 4)
        for k in range(len(rows)):
            scene = drawn[str(k)]
            assert scene["table"]["rows"] == rows
            assert scene["table"]["current"] == k
            kinds = [network["kind"] for network in scene["networks"]]
            last = k == len(rows) - 1
            assert kinds == ["dependent" if last else "independent", "independent"]

    def test_evidence_of_every_pair(self) -> None:
        for key, scene in scenes(2, 2).items():
            x, y = map(int, key.split(",")) if key else (0, 2)
            (part,) = bjp.independence_test(CORONARY, x, y).slices
            written = [row[2] for row in scene["table"]["rows"]]
            assert [float(re.sub(r"[^\d−.]", "", w[2:]).replace("−", "-")) for w in written] == [
                round(part.log_g, 2),
                round(part.log_h, 2),
            ]

    def test_the_star_from_both_ends(self) -> None:
        place = lesson_data.star()
        for leaf in range(1, 7):
            near, far = scenes(4, 2)[str(leaf)]["table"]["rows"]
            others = [k for k in range(1, 7) if k != leaf]
            for row, given in ((near, []), (far, others)):
                test = bjp.independence_test(place.data, leaf, 0, given)
                assert row[2] == str(2 ** len(given))
                assert row[4] == probability(test.log_dependent)

    def test_appendix_b(self) -> None:
        place = lesson_data.hub()
        rows = place.data.codes.tolist()
        edges = oracles.edges_of([(0, 1), (0, 2), (0, 3)])
        terms = oracles.bjp_terms(rows, [2] * 4, edges)
        drawn = scenes(6, 2)
        assert len(drawn) == 1 + 13
        for k in range(13):
            made, inferred, total = (f["value"] for f in drawn[str(k)]["figures"])
            assert int(made) == sum(term.computed for term in terms[:k])
            assert int(made) + int(inferred) == k
            assert total == number(float(sum(term.value for term in terms[:k])), 4)
        assert sum(term.computed for term in terms) == 6

    def test_the_climb(self) -> None:
        climb = bjp.learn(CORONARY, search="ibmap-hc")
        drawn = scenes(7, 2)
        for k, step in enumerate(climb.steps, 1):
            assert drawn[str(k)]["figures"][0]["value"] == number(step.score, 3)
            assert number(step.gain) in drawn[str(k)]["say"][0]
            edges = {(i, j) for i, j, _ in drawn[str(k)]["networks"][0]["edges"]}
            pair = tuple(sorted(CORONARY.index(v) for v in step.edge))
            assert (pair in edges) == step.added
        assert str(climb.stop_reason) in drawn[str(len(climb.steps) + 1)]["say"][0]

    def test_the_paper_search_is_stuck_and_the_other_finds_the_truth(self) -> None:
        place, paper, other = lesson_data.find_stuck_climbs()
        assert len(paper.steps) < 4 < len(other.steps)
        assert other.score > paper.score + 100
        assert bjp.metrics.hamming(place.graph, other.graph) < bjp.metrics.hamming(
            place.graph, paper.graph
        )
        last = scenes(7, 3)[str(len(other.steps))]
        titles = [network["title"] for network in last["networks"]]
        assert number(paper.score, 2) in titles[0]
        assert number(other.score, 2) in titles[1]

    def test_what_is_spared_is_the_irregularity(self) -> None:
        for k, place in enumerate(lesson_data.morph()):
            values = [int(f["value"]) for f in scenes(8, 2)[str(k)]["figures"]]
            pairs = [tuple(map(place.data.index, edge)) for edge in place.graph.edges]
            assert len(pairs) == 6
            irregularity = oracles.total_irregularity(oracles.edges_of(pairs), 6)
            assert values[0] == values[3] == values[2] - values[1] == irregularity
        assert scenes(8, 2)["0"]["figures"][0]["value"] == "0"

    def test_known_variables_block_every_path(self) -> None:
        graph = bjp.learn(CORONARY, search="ibmap-hc").graph
        a, b = lesson_edges.ENDS
        for key, scene in scenes(1, 3).items():
            known = {CORONARY.names[int(k)] for k in key.split(",") if k}
            paths = [p for p in nx.all_simple_paths(graph, a, b) if not known & set(p)]
            assert ("**open**" in scene["say"][0]) == bool(paths)


class TestChecks:
    """The judges against slow code, over every answer or every small graph."""

    def test_separation(self) -> None:
        graph = bjp.networks.load("target-2", labelled=True)
        for a, b in combinations(graph, 2):
            if graph.has_edge(a, b):
                continue
            paths = [set(path[1:-1]) for path in nx.all_simple_paths(graph, a, b)]

            def parts(known: Any, paths: Any = paths) -> bool:
                return all(path & set(known) for path in paths)

            for known in subsets([v for v in graph if v not in (a, b)]):
                verdict = graph_checks.check_separation(graph, (a, b), list(known))
                spare = [v for v in known if parts([o for o in known if o != v])]
                assert verdict.correct == (parts(known) and not spare)
                if not parts(known):
                    sentence = english(verdict.sentence)
                    named = sentence.split("The path ")[1].split(" is still")[0].split(" – ")
                    assert nx.is_path(graph, named)
                    assert not set(named) & set(known)
                elif spare:
                    assert verdict.culprit == spare[0]

    def test_the_separating_set_is_unique(self) -> None:
        question = at(1, 4).question
        right = [s for s in subsets((0, 1, 3, 4)) if question.check(s).correct]
        assert right == [question.answer()] == [(0, 3)]
        assert "goes through X0 or X3." in english(question.check(right[0]).sentence)

    def test_tables(self) -> None:
        tests = [test for _, test in counts.pose()]
        truth = {
            k
            for k, test in enumerate(tests)
            if oracles.exact_posterior(test.slices[0].counts.tolist()) < 0.5
        }
        assert 0 < len(truth) < len(tests)
        for picks in subsets(range(len(tests))):
            verdict = number_checks.check_tables(tests, picks)
            assert verdict.correct == (set(picks) == truth)
            if not verdict.correct:
                first = min(truth ^ set(picks))
                assert f"table {number_checks.letter(first)}" in english(verdict.sentence)
                assert verdict.culprit == (first if first in picks else None)

    def test_one_table_has_too_few_rows(self) -> None:
        whole, few = counts.pose()[0][1], counts.pose()[2][1]
        assert (whole.x, whole.y) == (few.x, few.y)
        assert number_checks.dependent(whole)
        assert not number_checks.dependent(few)

    def test_blankets(self) -> None:
        graph = bjp.networks.load("target-3", labelled=True)
        for x in graph:
            others = [v for v in graph if v != x]
            for chosen in subsets(others):
                verdict = graph_checks.check_blanket(graph, x, chosen)
                assert verdict.correct == (set(chosen) == set(graph[x]))
                strangers = [v for v in chosen if v not in graph[x]]
                assert verdict.culprit == (strangers[0] if strangers else None)

    def test_order(self) -> None:
        place = lesson_data.sample_network(lesson_order.ASKED)
        degree = [sum(k in (i, j) for i, j in edges_by_column(place)) for k in range(6)]
        right = tuple(sorted(range(6), key=lambda k: (degree[k], k)))
        question = at(4, 4).question
        for picks in permutations(range(6)):
            verdict = question.check(picks)
            assert verdict.correct == (picks == right)
            if not verdict.correct:
                first = next(k for k in range(6) if picks[k] != right[k])
                assert verdict.culprit == picks[first]
                assert f"place {first + 1}:" in english(verdict.sentence)
                tie = degree[picks[first]] == degree[right[first]]
                assert ("the same degree" in english(verdict.sentence)) == tie
        assert not question.check(right[:4]).correct
        assert question.answer() == right

    def test_inferred_cells_of_every_graph_of_four(self) -> None:
        rng = np.random.default_rng(0)
        data = bjp.Dataset.from_codes(rng.integers(2, size=(50, 4)), names=list("abcd"))
        for edges in oracles.all_graphs(4):
            graph: nx.Graph[str] = nx.Graph()
            graph.add_nodes_from("abcd")
            graph.add_edges_from(("abcd"[i], "abcd"[j]) for i, j in map(sorted, edges))
            trace = bjp.score(data, graph)
            order = oracles.degree_order(edges, 4)
            rank = {"abcd"[v]: k for k, v in enumerate(order)}
            cells = [(x, y) for x in "abcd" for y in "abcd" if x != y]
            right = [cell for cell in cells if rank[cell[0]] > rank[cell[1]]]
            assert trace_checks.check_inferred(trace, right).correct
            assert trace_checks.check_inferred(trace, right[::-1]).correct
            for cell in cells:
                changed = [c for c in right if c != cell] if cell in right else [*right, cell]
                verdict = trace_checks.check_inferred(trace, changed)
                assert not verdict.correct
                if cell in right:
                    a, b = sorted(cell)
                    assert verdict.culprit is None
                    assert f"the pair of {a} and {b} has none" in english(verdict.sentence)
                else:
                    assert verdict.culprit == cell
                    assert f"{cell[0]} comes before {cell[1]}" in english(verdict.sentence)

    @pytest.mark.parametrize("step", [4, 5])
    def test_conditioning_sets(self, step: int) -> None:
        pair = {4: appendix.LEAVES, 5: appendix.HUB_AND_LEAF}[step]
        rows = lesson_data.hub().data.codes.tolist()
        edges = oracles.edges_of([(0, 1), (0, 2), (0, 3)])
        numbers = {int(name[1:]) for name in pair}
        (term,) = (
            t
            for t in oracles.bjp_terms(rows, [2] * 4, edges)
            if t.computed and {t.x, t.y} == numbers
        )
        question = at(6, step).question
        for picks in subsets(sorted(set(range(4)) - numbers)):
            verdict = question.check(picks)
            assert verdict.correct == (set(picks) == term.given)
            assert verdict.culprit is None or verdict.culprit in set(picks) - term.given
            # A set of which nothing was chosen has members, but no more than that.
            assert picks or "more members" not in english(verdict.sentence)

    def test_the_next_flip(self) -> None:
        climb = bjp.learn(CORONARY, search="ibmap-hc")
        graph = lesson_climb.after(climb, lesson_climb.ASKED_AFTER)
        edges = oracles.edges_of([tuple(map(CORONARY.index, edge)) for edge in graph.edges])
        found = oracles.local_contributions(
            CORONARY.codes.tolist(), CORONARY.cardinalities, edges, "bjp"
        )
        lowest = min(found, key=lambda pair: (found[pair], pair))
        question = at(7, 4).question
        for pair in combinations(range(6), 2):
            for picks in (pair, pair[::-1]):
                verdict = question.check(picks)
                assert verdict.correct == (pair == lowest)
                if verdict.correct:
                    continue
                assert number(float(found[lowest])) in english(verdict.sentence)
                # The engine keeps only the first few for the record.
                if any(
                    {*map(CORONARY.index, c.edge)} == {*pair} for c in climb.steps[6].contributions
                ):
                    assert number(float(found[pair])) in english(verdict.sentence)
        assert not question.check(lowest[:1]).correct
        assert climb.steps[lesson_climb.ASKED_AFTER].added is False

    def test_who_gains_most(self) -> None:
        places = irregular.pose()
        found = [
            oracles.total_irregularity(oracles.edges_of(edges), 8) for edges in irregular.TREES
        ]
        assert {place.graph.number_of_edges() for place in places} == {7}
        assert [number_checks.spared(place.score()) for place in places] == found
        assert len(set(found)) == 3
        question = at(8, 4).question
        for k in range(3):
            assert question.check((k,)).correct == (found[k] == max(found))
        assert not question.check((0, 2)).correct


def edges_by_column(place: lesson_data.Place) -> list[tuple[int, int]]:
    """The edges of a place's graph as columns."""
    return [(place.data.index(u), place.data.index(v)) for u, v in place.graph.edges]


def test_texts_name_what_is_shown() -> None:
    rows = f"{CORONARY.rows:,}"
    assert rows in english(at(1, 1).text)[0]
    climb = bjp.learn(CORONARY, search="ibmap-hc")
    assert math.isclose(climb.score, -2.3698, abs_tol=5e-5)
    assert f"after {lesson_climb.ASKED_AFTER} flips" in english(at(7, 4).text)[0]
    order = [row[1] for row in scenes(4, 3)[""]["table"]["rows"]]
    assert order == [plain(name) for name in climb.order]
