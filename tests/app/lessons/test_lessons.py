"""Lessons: what they say and show is what the engine computes; answers against brute force."""

import json
import re
from functools import cache
from itertools import chain, combinations, permutations
from types import SimpleNamespace

import networkx as nx
import numpy as np
import pytest

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
from tests.app.looks import address, coronary, learn, payload
from tests.strategies import as_graph

STEPS = [(a, b) for a, each in enumerate(LESSONS, 1) for b in range(1, len(each.steps) + 1)]
ASKING = [(a, b) for a, b in STEPS if LESSONS[a - 1].steps[b - 1].question]


@cache
def hub_terms():
    rows = lesson_data.hub().data.codes.tolist()
    return oracles.bjp_terms(rows, [2] * 4, oracles.edges_of([(0, 1), (0, 2), (0, 3)]))


def at(lesson, step):
    return LESSONS[lesson - 1].steps[step - 1]


def english(thing):
    return TEXTS.put(thing)


def scenes(lesson, step):
    return json.loads(json.dumps(english(course.scenes_of(at(lesson, step)))))


def subsets(things):
    return chain.from_iterable(combinations(things, k) for k in range(len(things) + 1))


def test_every_step_has_a_view_and_every_question_an_answer():
    assert len(LESSONS) == len({english(lesson.title) for lesson in LESSONS}) == 8
    assert all(len(lesson.steps) >= 4 and lesson.steps[-1].question for lesson in LESSONS)
    for lesson, step in STEPS:
        case, found, drawn = (lesson, step), at(lesson, step), scenes(lesson, step)
        assert english(found.text), case
        assert "" in drawn, case
        for network in (each for scene in drawn.values() for each in scene.get("networks", ())):
            n = len(network["names"])
            assert all(0 <= i < j < n for i, j, _ in network["edges"]), case
            assert all(0 <= i < n for i, _ in network["roles"]), case
        question = found.question
        assert (found.touch.kind == "none") == (question is not None), case
        if question is None:
            assert english(found.hint), case
            assert len({json.dumps(scene) for scene in drawn.values()}) > 1, case
            continue
        answer = question.answer()
        right, nothing = question.check(answer), question.check(())
        assert (right.correct, right.culprit, nothing.correct) == (True, None, answer == ()), case
        assert english(nothing.sentence).endswith("."), case
        assert question.revealed is None or json.dumps(english(question.revealed())), case


def test_what_is_wrong_in_a_url_is_told_and_progress_is_kept_for_the_visit(open_app, switch_page):
    for query, at_last, words in (
        *(({"lesson": bad}, (1, 1), "from 1 to 8") for bad in ("9", "0", "²", "9" * 5000)),
        ({"lesson": "two", "step": "33"}, (1, 1), "from 1 to 8"),
        ({"lesson": "4", "step": "17"}, (4, 1), "from 1 to 4"),
        ({"lesson": "6", "step": "-1"}, (6, 1), "from 1 to 5"),
        ({"lesson": "4", "step": "2", "projector": "<b>"}, (4, 2), "one of 0, 1"),
    ):
        app = open_app("lessons", **query)
        (warning,) = app.warning
        assert words in warning.value.replace("\\", ""), query
        assert (payload(app)["lesson"], payload(app)["step"]) == at_last, query
        shown = {"lesson": str(at_last[0]), "step": str(at_last[1]), "data": "coronary"}
        assert address(app) == {name: text for name, text in shown.items() if text != "1"}
    app, answer = open_app("lessons"), at(3, 4).question.answer()
    app.session_state["lesson-number"], app.session_state["lesson-step"] = 3, 4
    app.session_state["lesson-answers"] = {(3, 4): course.Answer(answer, "solved")}
    switch_page(switch_page(app.run(), "step"), "lessons")
    sent = payload(app)
    assert (sent["lesson"], sent["step"]) == (3, 4)
    assert [each["state"] for each in sent["course"]][:4] == ["begun", "new", "solved", "new"]
    assert (sent["question"]["state"], sent["question"]["picks"]) == ("solved", list(answer))
    assert sent["question"]["revealed"]


@pytest.fixture
def visit(monkeypatch):
    found = SimpleNamespace(session_state={}, query_params={})
    for module in (lesson_visit, choices):
        monkeypatch.setattr(module, "st", found)
    return found.session_state


def take_up(what, lesson, step, picks=None):
    """What the component says of a question; how that stands then."""
    place = {"lesson": lesson, "step": step} if what == "go" else {"id": f"{lesson}.{step}"}
    lesson_visit.take_up({"what": what, **place} | ({} if picks is None else {"picks": picks}))
    found = lesson_visit.answers().get((lesson, step))
    return found.state if found else ""


def test_a_question_is_tried_shown_and_solved_and_a_lesson_by_all_its_questions(visit):
    def state(lesson, opened):
        return course.state_of(lesson, lesson_visit.answers(), opened)

    take_up("go", 5, 4)
    assert take_up("check", 5, 4, [[1, 0], [0, 1]]) == "tried"
    verdict = at(5, 4).question.check(lesson_visit.answers()[5, 4].picks)
    assert verdict.culprit == (0, 1)
    assert "will be computed" in english(verdict.sentence)
    right = [list(cell) for cell in at(5, 4).question.answer()]
    assert (take_up("check", 5, 4, right), state(5, ())) == ("solved", "solved")
    # What is solved stays so; what was shown is not solved.
    assert (take_up("show", 5, 4), take_up("check", 5, 4, [])) == ("solved", "solved")
    take_up("go", 1, 4)
    assert (take_up("show", 1, 4), state(1, {1})) == ("shown", "shown")
    take_up("again", 1, 4)
    assert state(1, {1}) == "begun"
    assert take_up("check", 1, 4, list(at(1, 4).question.answer())) == "solved"
    for step in (4, 5):
        assert state(6, {6}) == "begun"
        take_up("go", 6, step)
        take_up("check", 6, step, list(at(6, step).question.answer()))
    assert state(6, {6}) == "solved"


def test_nonsense_is_passed_over(visit):
    visit.update({"lesson-number": 1, "lesson-step": 4})
    bad_picks = ("0,3", [0, 99], [True], [[0, 1]], [0] * 1000)
    places = ((9, 1), (3, None), ("3", 1), ([3], 1))
    for event in (
        {},
        {"what": "check", "id": "3.4", "picks": [1]},
        {"what": "dance", "id": "1.4"},
        *({"what": "go", "lesson": lesson, "step": step} for lesson, step in places),
        *({"what": "check", "id": "1.4", "picks": picks} for picks in bad_picks),
    ):
        lesson_visit.take_up(event)
        assert (lesson_visit.at(), lesson_visit.answers()) == ((1, 4), {}), event


def test_one_test_in_its_slices_and_of_many_states():
    for key, scene in scenes(2, 3).items():
        given = [coronary().names[int(key)]] if key else []
        test = bjp.independence_test(coronary(), "smoking", "mental_work", given)
        assert f"Pr(⊥) = {probability(test.log_independent)}" in scene["say"][0]
        for card, part in zip(scene["cards"], test.slices, strict=True):
            assert card["counts"]["cells"] == part.counts.tolist()
            expected = np.array(card["counts"]["expected"])
            for axis in (0, 1):
                assert expected.sum(axis=axis) == pytest.approx(part.counts.sum(axis=axis))
    for key, scene in scenes(2, 2).items():
        x, y = map(int, key.split(",")) if key else (0, 2)
        (part,) = bjp.independence_test(coronary(), x, y).slices
        written = [row[2][2:].replace("−", "-") for row in scene["table"]["rows"]]
        numbers = [float(re.sub(r"[^\d.-]", "", text)) for text in written]
        assert numbers == [round(part.log_g, 2), round(part.log_h, 2)], key
    rows, drawn = [], scenes(2, 4)
    for states in counts.STATES:
        codes = np.random.default_rng(1000).integers(states, size=(400, 2))
        (part,) = bjp.independence_test(codes, 0, 1).slices
        paper = np.log(float(1 - oracles.exact_posterior(part.counts.tolist())))
        centred = bjp.independence_test(codes, 0, 1, prior_cells="centred").log_dependent
        rows.append([str(states), probability(float(paper)), probability(centred)])
    for k in range(len(rows)):
        scene = drawn[str(k)]
        assert (scene["table"]["rows"], scene["table"]["current"]) == (rows, k)
        first = "dependent" if k == len(rows) - 1 else "independent"
        assert [network["kind"] for network in scene["networks"]] == [first, "independent"]


def test_the_star_from_both_ends_and_appendix_b():
    place, drawn = lesson_data.star(), scenes(4, 2)
    for leaf in range(1, 7):
        near, far = drawn[str(leaf)]["table"]["rows"]
        for row, given in ((near, []), (far, [k for k in range(1, 7) if k != leaf])):
            test = bjp.independence_test(place.data, leaf, 0, given)
            assert (row[2], row[4]) == (str(2 ** len(given)), probability(test.log_dependent))
    terms = hub_terms()
    drawn = scenes(6, 2)
    assert len(drawn) == 1 + 13
    for k in range(13):
        made, inferred, total = (f["value"] for f in drawn[str(k)]["figures"])
        computed = sum(term.computed for term in terms[:k])
        value = number(float(sum(term.value for term in terms[:k])), 4)
        assert (int(made), int(inferred), total) == (computed, k - computed, value)
    assert sum(term.computed for term in terms) == 6


def test_the_climbs():
    drawn = scenes(7, 2)
    for k, step in enumerate(learn().steps, 1):
        assert drawn[str(k)]["figures"][0]["value"] == number(step.score, 3)
        assert number(step.gain) in drawn[str(k)]["say"][0]
        edges = {(i, j) for i, j, _ in drawn[str(k)]["networks"][0]["edges"]}
        pair = tuple(sorted(coronary().index(v) for v in step.edge))
        assert (pair in edges) == step.added
    assert str(learn().stop_reason) in drawn[str(len(learn().steps) + 1)]["say"][0]
    assert f"{coronary().rows:,}" in english(at(1, 1).text)[0]
    assert learn().score == pytest.approx(-2.3698, abs=5e-5)
    assert f"after {lesson_climb.ASKED_AFTER} flips" in english(at(7, 4).text)[0]
    order = [row[1] for row in scenes(4, 3)[""]["table"]["rows"]]
    assert order == [plain(name) for name in learn().order]

    # The paper's search is stuck and the other finds the truth.
    place, paper, other = lesson_data.find_stuck_climbs()
    assert len(paper.steps) < 4 < len(other.steps)
    assert other.score > paper.score + 100
    far, near = (bjp.metrics.hamming(place.graph, each.graph) for each in (paper, other))
    assert near < far
    last = scenes(7, 3)[str(len(other.steps))]
    for network, trace in zip(last["networks"], (paper, other), strict=True):
        assert number(trace.score, 2) in network["title"]


def test_what_is_spared_is_the_irregularity_and_what_is_known_blocks_every_path():
    drawn = scenes(8, 2)
    for k, place in enumerate(lesson_data.morph()):
        values = [int(f["value"]) for f in drawn[str(k)]["figures"]]
        edges = edges_by_column(place)
        assert len(edges) == 6
        irregularity = oracles.total_irregularity(oracles.edges_of(edges), 6)
        assert values[0] == values[3] == values[2] - values[1] == irregularity
    assert drawn["0"]["figures"][0]["value"] == "0"
    a, b = lesson_edges.ENDS
    for key, scene in scenes(1, 3).items():
        known = {coronary().names[int(k)] for k in key.split(",") if k}
        paths = [p for p in nx.all_simple_paths(learn().graph, a, b) if not known & set(p)]
        assert ("**open**" in scene["say"][0]) == bool(paths), key


def edges_by_column(place):
    return [(place.data.index(u), place.data.index(v)) for u, v in place.graph.edges]


def test_separation():
    graph = bjp.networks.load("target-2", labelled=True)
    for a, b in nx.non_edges(graph):
        paths = [set(path[1:-1]) for path in nx.all_simple_paths(graph, a, b)]
        for known in subsets([v for v in graph if v not in (a, b)]):
            verdict = graph_checks.check_separation(graph, (a, b), list(known))
            parts = all(path & set(known) for path in paths)
            spare = [v for v in known if all(path & (set(known) - {v}) for path in paths)]
            assert verdict.correct == (parts and not spare)
            if not parts:
                path = re.search("The path (.*?) is still", english(verdict.sentence))[1]
                named = path.split(" – ")
                assert nx.is_path(graph, named)
                assert not set(named) & set(known)
            elif spare:
                assert verdict.culprit == spare[0]
    question = at(1, 4).question
    right = [s for s in subsets((0, 1, 3, 4)) if question.check(s).correct]
    assert right == [question.answer()] == [(0, 3)]
    assert "goes through X0 or X3." in english(question.check(right[0]).sentence)


def test_tables_and_blankets():
    tests = [test for _, test in counts.pose()]
    posteriors = [oracles.exact_posterior(t.slices[0].counts.tolist()) for t in tests]
    truth = {k for k, posterior in enumerate(posteriors) if posterior < 0.5}
    assert 0 < len(truth) < len(tests)
    for picks in subsets(range(len(tests))):
        verdict = number_checks.check_tables(tests, picks)
        assert verdict.correct == (set(picks) == truth)
        if not verdict.correct:
            first = min(truth ^ set(picks))
            assert f"table {number_checks.letter(first)}" in english(verdict.sentence)
            assert verdict.culprit == (first if first in picks else None)
    # One of them has too few rows.
    whole, few = tests[0], tests[2]
    assert (whole.x, whole.y) == (few.x, few.y)
    assert [number_checks.dependent(test) for test in (whole, few)] == [True, False]
    graph = bjp.networks.load("target-3", labelled=True)
    for x in graph:
        for chosen in subsets([v for v in graph if v != x]):
            verdict = graph_checks.check_blanket(graph, x, chosen)
            assert verdict.correct == (set(chosen) == set(graph[x]))
            strangers = [v for v in chosen if v not in graph[x]]
            assert verdict.culprit == (strangers[0] if strangers else None)


def test_order_and_conditioning_sets():
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
    terms = hub_terms()
    for step, pair in ((4, appendix.LEAVES), (5, appendix.HUB_AND_LEAF)):
        numbers = {int(name[1:]) for name in pair}
        (term,) = (t for t in terms if t.computed and {t.x, t.y} == numbers)
        question = at(6, step).question
        for picks in subsets(sorted(set(range(4)) - numbers)):
            verdict = question.check(picks)
            assert verdict.correct == (set(picks) == term.given)
            assert verdict.culprit is None or verdict.culprit in set(picks) - term.given
            # A set of which nothing was chosen has members, but no more than that.
            assert picks or "more members" not in english(verdict.sentence)


def test_inferred_cells_of_every_graph_of_four():
    codes, cells = np.random.default_rng(0).integers(2, size=(50, 4)), list(permutations("abcd", 2))
    data = bjp.Dataset.from_codes(codes, names=list("abcd"))
    for edges in oracles.all_graphs(4):
        graph = nx.relabel_nodes(as_graph(edges, 4), dict(enumerate("abcd")))
        trace = bjp.score(data, graph)
        rank = {"abcd"[v]: k for k, v in enumerate(oracles.degree_order(edges, 4))}
        right = [cell for cell in cells if rank[cell[0]] > rank[cell[1]]]
        for order in (right, right[::-1]):
            assert trace_checks.check_inferred(trace, order).correct
        for cell in cells:
            changed = [c for c in right if c != cell] if cell in right else [*right, cell]
            verdict = trace_checks.check_inferred(trace, changed)
            assert not verdict.correct
            culprit, why = cell, f"{cell[0]} comes before {cell[1]}"
            if cell in right:
                culprit, why = None, "the pair of {} and {} has none".format(*sorted(cell))
            assert verdict.culprit == culprit
            assert why in english(verdict.sentence)


def test_the_next_flip_and_who_gains_most():
    data, asked_after = coronary(), lesson_climb.ASKED_AFTER
    graph = lesson_climb.after(learn(), asked_after)
    edges = oracles.edges_of([tuple(map(data.index, edge)) for edge in graph.edges])
    found = oracles.local_contributions(data.codes.tolist(), data.cardinalities, edges, "bjp")
    lowest = min(found, key=lambda pair: (found[pair], pair))
    # The engine keeps only the first few for the record.
    recorded = [{*map(data.index, c.edge)} for c in learn().steps[6].contributions]
    question = at(7, 4).question
    for pair in combinations(range(6), 2):
        for picks in (pair, pair[::-1]):
            verdict = question.check(picks)
            assert verdict.correct == (pair == lowest)
            named = [lowest, *([pair] if {*pair} in recorded else ())]
            for each in () if verdict.correct else named:
                assert number(float(found[each])) in english(verdict.sentence)
    assert not question.check(lowest[:1]).correct
    assert learn().steps[asked_after].added is False
    places = irregular.pose()
    found = [oracles.total_irregularity(oracles.edges_of(e), 8) for e in irregular.TREES]
    assert {place.graph.number_of_edges() for place in places} == {7}
    assert [number_checks.spared(place.score()) for place in places] == found
    assert len(set(found)) == 3
    question = at(8, 6).question
    right = [question.check(picks).correct for picks in ((0,), (1,), (2,), (0, 2))]
    assert right == [*(spared == max(found) for spared in found), False]
