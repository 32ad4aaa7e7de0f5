"""Lessons: what they say and show is what the engine computes; answers against brute force."""

import base64
import csv
import json
import re
import zlib
from functools import cache
from itertools import chain, combinations, permutations, product

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_explorer.lessons import bet, blanket, counts, course, irregular
from bjp_explorer.lessons import climb as lesson_climb
from bjp_explorer.lessons import edges as lesson_edges
from bjp_explorer.lessons import hub as lesson_hub
from bjp_explorer.lessons.course import LESSONS
from bjp_explorer.lessons.model import say
from bjp_explorer.lessons.scene import letter, sample_network, star
from bjp_explorer.shell import sources
from bjp_explorer.shell.text import number, probability
from tests import oracles
from tests.app.looks import address, coronary, learn, payload

STEPS = [(a, b) for a, each in enumerate(LESSONS, 1) for b in range(1, len(each.steps) + 1)]
ASKING = [(a, b) for a, b in STEPS if LESSONS[a - 1].steps[b - 1].question]


def at(lesson, step):
    return LESSONS[lesson - 1].steps[step - 1]


def scenes(lesson, step):
    """What is seen for each click: the opening scene with what differs from it."""
    found = json.loads(json.dumps(course.payload(lesson, step, {}, ())["scenes"]))
    return {key: {**found[""], **scene} for key, scene in found.items()}


def subsets(things):
    return chain.from_iterable(combinations(things, k) for k in range(len(things) + 1))


def test_every_step_has_a_view_and_every_question_an_answer():
    assert len(LESSONS) == len({lesson.title for lesson in LESSONS}) == 7
    assert all(3 <= len(lesson.steps) <= 6 and lesson.steps[-1].question for lesson in LESSONS)
    for lesson, step in STEPS:
        case, found, drawn = (lesson, step), at(lesson, step), scenes(lesson, step)
        assert found.text, case
        assert "" in drawn, case
        question = found.question
        assert (found.touch.kind == "none") == (question is not None), case
        if question is None:
            assert say(f"{found.key}.hint"), case
            several = len({json.dumps(scene) for scene in drawn.values()}) > 1
            assert several != ("hub" in drawn[""]), case
            continue
        assert question.check(()).sentence.endswith("."), case
        assert question.revealed is None or json.dumps(question.revealed()), case


def test_what_is_wrong_in_a_url_is_told(open_app):
    for query, at_last, words in (
        *(({"lesson": bad}, (1, 1), "from 1 to 7") for bad in ("8", "0", "²", "9" * 5000)),
        ({"lesson": "two", "step": "33"}, (1, 1), "from 1 to 7"),
        ({"lesson": "4", "step": "17"}, (4, 1), "from 1 to 4"),
        ({"lesson": "5", "step": "-1"}, (5, 1), "from 1 to 5"),
        ({"lesson": "4", "step": "2", "projector": "<b>"}, (4, 2), "one of 0, 1"),
    ):
        app = open_app("lessons", **query)
        (warning,) = app.warning
        assert words in warning.value.replace("\\", ""), query
        assert (payload(app)["lesson"], payload(app)["step"]) == at_last, query
        shown = {"lesson": str(at_last[0]), "step": str(at_last[1]), "data": "coronary"}
        assert address(app) == {name: text for name, text in shown.items() if text != "1"}


def test_a_lesson_is_solved_by_an_answer_of_ones_own():
    shown, solved = (course.Answer((0,), state) for state in ("shown", "solved"))
    for answer, state in (
        (course.Answer((0,), "tried"), "begun"),
        (shown, "shown"),
        (solved, "solved"),
        (course.Answer((), "open", solved.reached), "solved"),
    ):
        assert course.state_of(1, {(1, 4): answer}, {1}) == state, answer


def test_one_test_in_its_slices():
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


@cache
def hub_samples():
    """What the browser reads of the figure: numbers by strength, sample, rows and leaves; rows."""
    sent = lesson_hub.figure()
    raw = zlib.decompress(base64.b64decode(sent["packed"]))
    shape = (sent["strengths"], len(sent["seeds"]), len(sent["rows"]), sent["leaves"], 5)
    size = int(np.prod(shape))
    differences = np.frombuffer(raw[8 * size :], "<u2").reshape(*shape[:2], -1)
    parts = np.split(differences, sent["rows"][:-1], axis=2)
    codes = np.concatenate([np.cumsum(part, axis=2, dtype=int) for part in parts], axis=2)
    numbers = np.frombuffer(raw[: 8 * size], "<f8").reshape(shape)
    return numbers, codes


def test_the_rows_of_the_hub_have_the_models_odds():
    _, codes = hub_samples()
    assert len(lesson_hub.figure()["packed"]) < 600_000
    # The log odds ratio of each edge, over all samples, is that of the model.
    for strength, ratio in enumerate(lesson_hub.STRENGTHS.values()):
        bits = (codes[strength].ravel()[:, None] >> np.array([0, lesson_hub.LEAVES])) & 1
        table = np.histogram2d(*bits.T, 2)[0]
        odds = np.log(table[0, 0] * table[1, 1] / table[0, 1] / table[1, 0])
        assert odds == pytest.approx(ratio, abs=4 * np.sqrt((1 / table).sum()))


def test_a_hub_of_few_rows_is_undecided_where_its_leaf_finds_the_edge():
    numbers, _ = hub_samples()
    leaf, hub = (np.exp(numbers[..., k]) for k in (0, 1))
    # By strength, rows and leaves: strong and medium edges, 800 rows and 10 leaves.
    assert (leaf[1:, :, 2, 9] >= 0.9).all()
    assert abs(hub[1:, :, 2, 9] - 0.5).max() < 0.05
    # Weak edges in 100 rows: neither end can tell. No test denies an edge that is there.
    assert max((end[0, :, 0] >= 0.9).mean() for end in (leaf, hub)) < 0.1
    assert min(leaf.min(), hub.min()) > bjp.confidence.edges.ABSENT


def test_a_wrong_edge_costs_ib_score_the_other_tests_of_its_ends_and_bjp_nothing():
    place = star(*irregular.STAR)
    data, edges = place.data, oracles.edges_of(edges_by_column(place))
    rows, cards = data.codes.tolist(), data.cardinalities
    pair = tuple(data.indices(irregular.WRONG))
    others = [k for k in range(data.n) if k not in pair]

    def tests(made, graph):
        return sum(oracles.assertion(rows, cards, graph, x, y).value for x, y in made)

    def change(made):
        return float(tests(made, edges | {frozenset(pair)}) - tests(made, edges))

    own, other = change([pair]), change([*product(pair, others)])
    found = irregular.changes(irregular.WRONG)
    assert found["bjp"] == pytest.approx((own, change([*product(pair, [0])])), abs=1e-9)
    assert found["ib"] == pytest.approx((own + change([pair[::-1]]), other), abs=1e-9)
    assert sum(found["bjp"]) > 0 > sum(found["ib"])
    # What the lesson says of the other tests holds for each pair of leaves.
    for key, scene in scenes(7, 3).items():
        bjp_other, ib_other = scene["table"]["rows"][1][1:]
        assert (bjp_other, ib_other[0]) == ("0.00", "−"), key


def test_the_bet_is_won_on_a_star_and_lost_on_coronary():
    for step, found in ((3, bet.won()), (4, bet.lost())):
        place, pair = found
        data, graph = place.data, place.graph
        index = [data.index(name) for name in pair]
        edges = oracles.edges_of([tuple(map(data.index, edge)) for edge in graph.edges])
        terms = oracles.ib_terms(data.codes.tolist(), list(data.cardinalities), edges)
        order = oracles.degree_order(edges, data.n)
        first, last = sorted(index, key=order.index)
        values = [
            probability(float(next(t.value for t in terms if (t.x, t.y) == ends)))
            for ends in ((first, last), (last, first))
        ]
        scene = scenes(5, step)[""]
        assert [row[-1] for row in scene["table"]["rows"]] == values
        assert all(value in at(5, step).text[1] for value in values)
        truth = graph if step == 3 else sources.load("coronary").published
        assert truth.has_edge(*pair)
        assert graph.has_edge(*pair) == (step == 3)
        if step == 3:
            wrong = sum(float(t.value) < np.log(0.5) for t in terms if t.x == order[-1])
            failed = sum(
                float(t.value) < np.log(0.5) for t in terms if t.x < t.y and not t.dependent
            )
            said = at(5, 3).text
            assert f"{wrong} are wrong like this one" in said[1]
            assert f"{failed} of the {len(data.names) * 2 - 2} tests" in said[2]
        # Right: the test that counts where the bet is won, the skipped one where it is lost.
        counted, skipped = map(float, values)
        assert (counted > 0.9 and skipped < 0.5) if step == 3 else (counted > 0.5 and skipped < 0.5)


def test_what_the_lesson_says_of_the_measured_stars_is_in_the_table():
    with irregular.FILE.open(encoding="utf-8", newline="") as file:
        table = list(csv.DictReader(file))
    found = {
        (row["weights"], row["rows"], row["leaves"]): (
            float(row["bjp - ib"]),
            float(row["bjp - ib error"]),
        )
        for row in table
    }
    better = sum(mean + 2 * error < 0 for mean, error in found.values())
    worse = sum(mean - 2 * error > 0 for mean, error in found.values())
    said = at(7, 2).text[1]
    assert f"In {len(found)} settings" in said
    no_difference = len(found) - better - worse
    assert f"better {better}, clearly worse {worse}, no clear difference {no_difference};" in said
    assert worse > better > 0
    assert max(float(row[score]) for row in table for score in irregular.SCORES) < irregular.MOST
    for key, scene in scenes(7, 2).items():
        leaves, rows, weights = map(int, key.split(",")) if key else (2, 1, 0)
        mean, error = found[
            irregular.WEIGHTS[weights], str(irregular.ROWS[rows]), str(irregular.LEAVES[leaves])
        ]
        assert ("**more**" in scene["say"][0]) == (mean > 2 * error), key
        assert ("**fewer**" in scene["say"][0]) == (mean < -2 * error), key
        assert f"{number(mean, 2)} ± {error:.2f}" in scene["say"][0], key


def test_the_climbs():
    drawn = scenes(6, 2)
    for k, step in enumerate(learn().steps, 1):
        assert drawn[str(k)]["figures"][0]["value"] == number(step.score, 3)
        assert number(step.gain) in drawn[str(k)]["say"][0]
        edges = {(i, j) for i, j, _ in drawn[str(k)]["networks"][0]["edges"]}
        pair = tuple(sorted(coronary().index(v) for v in step.edge))
        assert (pair in edges) == step.added
    assert str(learn().stop_reason) in drawn[str(len(learn().steps) + 1)]["say"][0]
    assert f"{coronary().rows:,}" in at(1, 1).text[0]
    assert learn().score == pytest.approx(-2.3698, abs=5e-5)
    assert f"after {lesson_climb.ASKED_AFTER} flips" in at(6, 4).text[0]

    # The paper's search is stuck and the other finds the truth.
    place, paper, other = lesson_climb.find_stuck_climbs()
    assert len(paper.steps) < 4 < len(other.steps)
    assert other.score > paper.score + 100
    far, near = (bjp.metrics.hamming(place.graph, each.graph) for each in (paper, other))
    assert near == 0 < far
    drawn = scenes(6, 3)
    true = {tuple(sorted(edge)) for edge in edges_by_column(place)}
    for key, frame in drawn.items():
        for network in frame["networks"]:
            lines = [((i, j), tone == "missing") for i, j, tone in network["edges"]]
            assert {pair for pair, lacking in lines if lacking} == true - {
                pair for pair, lacking in lines if not lacking
            }, key
    last = drawn[str(len(other.steps))]
    for network, trace in zip(last["networks"], (paper, other), strict=True):
        assert number(trace.score, 2) in network["title"]


def test_what_is_spared_is_the_irregularity_and_what_is_known_blocks_every_path():
    drawn = scenes(7, 1)
    for k, place in enumerate(irregular.morph()):
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


def right_answers():
    """The right answer to each question, by oracles or by its definition."""
    place, tests = sample_network(lesson_edges.ASKED), [test for _, test in counts.pose()]
    ends = lesson_edges.PARTED
    paths = [set(path[1:-1]) for path in nx.all_simple_paths(place.graph, *ends)]
    inner = subsets([name for name in place.names if name not in ends])
    parting = [known for known in inner if all(path & set(known) for path in paths)]
    yield place.columns(min(parting, key=len))

    # One of the four tables has too few rows for what all rows show.
    assert (tests[0].x, tests[0].y) == (tests[2].x, tests[2].y)
    posteriors = [oracles.exact_posterior(t.slices[0].counts.tolist()) for t in tests]
    assert posteriors[0] < 0.5 < posteriors[2]
    yield tuple(k for k, posterior in enumerate(posteriors) if posterior < 0.5)

    place, x = blanket.pose()
    yield tuple(sorted(place.columns(place.graph[x])))

    edges = oracles.edges_of(edges_by_column(sample_network(lesson_hub.ASKED)))
    yield tuple(oracles.degree_order(edges, 6))

    order = oracles.degree_order(oracles.edges_of(bet.TRIANGLE_AND_TAIL), 4)
    yield tuple((x, y) for x, y in permutations(range(4), 2) if order.index(x) > order.index(y))

    data, asked_after = coronary(), lesson_climb.ASKED_AFTER
    graph = lesson_climb.after(learn(), asked_after)
    edges = oracles.edges_of([tuple(map(data.index, edge)) for edge in graph.edges])
    found = oracles.local_contributions(data.codes.tolist(), data.cardinalities, edges, "bjp")
    # The table that is asked about has each pair with what is asserted, and its posterior.
    shown = scenes(6, 4)[""]["table"]["rows"]
    assert len(shown) == len(found)
    for asserted, posterior in shown:
        x, sign, y = asserted.split()
        assert (sign == "⊥̸") == graph.has_edge(x, y), asserted
        i, j = sorted(map(data.index, (x, y)))
        # The oracle has fifty digits.
        assert posterior == probability(float(found[i, j])) or not found[i, j], asserted
    assert learn().steps[asked_after].added is False
    yield min(found, key=lambda pair: (found[pair], pair))

    spared = [oracles.total_irregularity(oracles.edges_of(e), 8) for e in irregular.TREES]
    places = irregular.pose()
    assert {place.graph.number_of_edges() for place in places} == {7}
    assert [irregular.spared(place.score()) for place in places] == spared
    assert len(set(spared)) == 3
    yield (spared.index(max(spared)),)


def compare_verdict(lesson, picks, right, verdict):
    """Whether an answer is right, and the first thing that is wrong, named in the sentence."""
    case, said = (lesson, picks), verdict.sentence
    assert verdict.correct == (picks == right), case
    if lesson == 4:
        wrong = [node for node, other in zip(picks, right, strict=False) if node != other]
    else:
        wrong = [pick for pick in picks if pick not in right]
    first = wrong[0] if wrong else None
    if lesson == 1:
        place = sample_network(lesson_edges.ASKED)
        if path := re.search("The path (.*?) is still", said):
            named = path[1].split(" – ")
            assert nx.is_path(place.graph, named), case
            assert not {*named} & {*place.named(picks)}, case
        assert (path is None) == (set(picks) >= set(right)), case
        first = None if path else first
    assert verdict.culprit == (None if lesson == 6 else first), case
    if lesson == 2:
        # What is left out is not named: that would give the answer away.
        named = re.findall("table ([A-D])", said)
        assert verdict.correct or named == ([letter(first)] if wrong else []), case
