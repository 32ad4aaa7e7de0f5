"""Lesson 5: which tests are made, which are inferred, and what that bet wins and costs."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import cache, partial
from itertools import product
from math import log
from pathlib import Path

import networkx as nx

from bjp_engine.dataset import Name
from bjp_engine.independence import IndependenceTrace
from bjp_engine.scores import AssertionTerm, ScoreTrace
from bjp_explorer.lessons import data as here
from bjp_explorer.lessons.checks import check_inferred, computed_of, find_mirror
from bjp_explorer.lessons.model import (
    Lesson,
    Payload,
    Picks,
    Question,
    Step,
    Touch,
    Verdict,
    cells,
    each,
    each_cell,
    first_index,
)
from bjp_explorer.lessons.scene import (
    assertion,
    by_column,
    matrix,
    network,
    pair_of,
    terms_of,
)
from bjp_explorer.shell import caches
from bjp_explorer.shell.phrases import Phrase, Said, say
from bjp_explorer.shell.text import names_list, number, plain, probability, psi

FILE = Path(__file__).with_name("bets.csv")
WEIGHTS, ROWS = ("log-odds", "clique-log-weights"), (100, 250, 1000, 4000)
LEAVES, SCORES, SAMPLES = (2, 4, 6, 8, 10), ("bjp", "ib", "mpl"), 100
NAMES = ("BJP", "IB-score", "MPL")
COLUMNS = (*SCORES, "bjp - ib")
# The length of the bars: more than any mean in the table.
MOST = 10.0


@cache
def figures() -> dict[tuple[str, int, int], dict[str, tuple[float, float]]]:
    """Mean wrong edges with their standard error by weights, rows and leaves, for each column."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return {
            (row["weights"], int(row["rows"]), int(row["leaves"])): {
                name: (float(row[name]), float(row[f"{name} error"])) for name in COLUMNS
            }
            for row in csv.DictReader(file)
        }


def clearly(weights: str, rows: int, leaves: int) -> int:
    """−1 where BJP has clearly fewer wrong edges than IB-score, 1 where clearly more, else 0.

    Clearly: by more than two standard errors of the difference on the same samples.
    """
    mean, error = figures()[weights, rows, leaves]["bjp - ib"]
    return (mean > 2 * error) - (mean < -2 * error)


def summary() -> dict[str, int]:
    """In how many settings BJP has clearly fewer wrong edges than IB-score, and clearly more."""
    found = [clearly(*setting) for setting in product(WEIGHTS, ROWS, LEAVES)]
    return {
        "settings": len(found),
        "better": found.count(-1),
        "worse": found.count(1),
        "even": found.count(0),
        "samples": SAMPLES,
    }


def scene(weights: str, rows: int, leaves: int) -> Payload:
    """The wrong edges of the scores in one setting, and what they show."""
    found = figures()[weights, rows, leaves]
    verdict = ("even", "worse", "better")[clearly(weights, rows, leaves)]
    mean, error = (number(value, 2) for value in found["bjp - ib"])
    return {
        "bars": [
            {"label": name, "value": found[score][0], "error": found[score][1], "most": MOST}
            for name, score in zip(NAMES, SCORES, strict=True)
        ],
        "say": [say(f"irregular.bets.{verdict}", difference=mean, error=error)],
    }


# Two circles share an edge in the question's network: a triangle with a tail.
TRIANGLE_AND_TAIL = (("X0", "X1"), ("X0", "X2"), ("X1", "X2"), ("X1", "X3"))
# A star of strong edges and few rows: leaves, rows, seed and log odds ratios.
STAR = (5, 100, 50, 2.0)
# Of the star, and of coronary: the pair whose ends disagree most.
WON, LOST = ("X0", "X3"), ("mental_work", "lipoprotein_ratio")

# A place, and the pair of it that is looked at.
Made = Callable[[], tuple[here.Place, tuple[Name, Name]]]


def pose() -> here.Place:
    """The network of the question."""

    def make() -> here.Place:
        graph: nx.Graph[str] = nx.Graph()
        graph.add_nodes_from(f"X{k}" for k in range(4))
        graph.add_edges_from(TRIANGLE_AND_TAIL)
        return here.draw_sample(graph, "log-odds", here.SEED, here.ROWS)

    return caches.once(("lesson", "triangle"), make)


# --- Views ----------------------------------------------------------------------------------------


def _one_by_one(picks: Picks) -> Payload:
    """The blankets asked for one after another, in the order ψ."""
    place = here.hub()
    data, trace = place.data, place.score()
    k = first_index(picks)
    filled = matrix(trace, data, reached=k * (data.n - 1))
    if k == 0:
        drawing = network(place, order=trace.order)
        return {"networks": [drawing], "matrix": filled, "say": [say("bet.turns.start")]}
    x, earlier = trace.order[k - 1], trace.order[: k - 1]
    said = say(
        "bet.turns.turn",
        place=psi(k - 1),
        x=plain(x),
        blanket=names_list(z for z in data.names if place.graph.has_edge(x, z)),
        known=say("amounts.cell", n=len(earlier)),
        tests=say("amounts.test", n=data.n - k),
    )
    drawing = network(place, roles={x: "x"} | dict.fromkeys(earlier, "given"), order=trace.order)
    return {"networks": [drawing], "matrix": filled, "say": [said]}


def _half(picks: Picks) -> Payload:
    """All assertions with their sum, compared with what IB-score computes."""
    place = here.hub()
    data, trace, ib = place.data, place.score(), place.score("ib")
    scene = {
        "matrix": matrix(trace, data),
        "figures": [
            {"value": number(trace.total, 4), "caption": say("bet.half.bjp", n=trace.tests)},
            {"value": number(ib.total, 4), "caption": say("bet.half.ib", n=ib.tests)},
        ],
    }
    if not picks:
        return scene | {"networks": [network(place, order=trace.order)]}
    x, y = (data.names[k] for k in cells(picks)[0])
    term = next(t for t in terms_of(trace) if (t.x, t.y) == (x, y))
    drawing = network(place, order=trace.order, **pair_of(term, data))
    return scene | {"networks": [drawing], "say": [explain(place, trace, term)]}


def explain(place: here.Place, trace: ScoreTrace, term: AssertionTerm) -> Phrase:
    """An assertion in words: its posterior, or from which one it is inferred."""
    test = place.test(term.x, term.y, term.given)
    said: dict[str, Said] = {
        "assertion": assertion(term),
        "slices": say("amounts.slice", n=test.configurations),
    }
    if term.computed:
        return say("bet.computed", **said, probability=probability(term.value))
    said |= {"mirror": assertion(find_mirror(trace, term)), "probability": _found(term, test)}
    return say("bet.edge", **said) if term.dependent else say("bet.missing", **said)


def ends(
    place: here.Place, pair: tuple[Name, Name]
) -> tuple[AssertionTerm, IndependenceTrace, IndependenceTrace]:
    """The assertion that BJP computes of a pair, its test, and the test that it skips."""
    trace = place.score()
    counted = computed_of(trace, pair)
    skipped = find_mirror(trace, counted)
    made, left = (place.test(term.x, term.y, term.given) for term in (counted, skipped))
    return counted, made, left


def _found(term: AssertionTerm, test: IndependenceTrace) -> str:
    return probability(test.log_dependent if term.dependent else test.log_independent)


def _bet(make: Made, picks: Picks) -> Payload:
    """A pair from both ends: the test that counts and the one that is skipped."""
    place, opens = make()
    data, trace, pair = place.data, place.score(), opens
    if picks:
        x, y = cells(picks)[0]
        pair = data.names[x], data.names[y]
    term, *tests = ends(place, pair)
    rows = [
        [
            say(f"bet.ends.{kind}", x=plain(test.x)),
            names_list(test.given),
            f"{test.configurations:,}",
            number(data.rows / test.configurations, 1),
            _found(term, test),
        ]
        for kind, test in zip(("counted", "skipped"), tests, strict=True)
    ]
    head = [say(f"bet.ends.{name}") for name in ("end", "given", "slices", "rows")]
    equal = len(tests[0].given) == len(tests[1].given)
    return {
        "networks": [network(place, order=trace.order, **pair_of(term, data))],
        "matrix": matrix(trace, data) | {"pair": sorted(data.indices(opens))},
        "table": {"head": [*head, "Pr(⊥̸)" if term.dependent else "Pr(⊥)"], "rows": rows},
        "say": [say("bet.lost.equal")] if equal else [],
    }


def won() -> tuple[here.Place, tuple[Name, Name]]:
    """A star of few rows: the edge is there, and only the leaf finds it."""
    return here.star(*STAR), WON


def lost() -> tuple[here.Place, tuple[Name, Name]]:
    """Coronary: the published graph has the edge that the skipped test finds."""
    return here.coronary(), LOST


def _values(make: Made) -> dict[str, Said | int]:
    place, pair = make()
    term, *tests = ends(place, pair)
    counted, skipped = (_found(term, test) for test in tests)
    rows = say("amounts.row", n=place.data.rows)
    names = {"x": plain(term.x), "y": plain(term.y)}
    trace = place.score()
    answers = [t.value for t in terms_of(place.score("ib")) if t.x == trace.order[-1]]
    between = [t.value for t in terms_of(trace) if t.computed and not t.dependent]
    return {
        **names,
        "rows": rows,
        "counted": counted,
        "skipped": skipped,
        "all": len(answers),
        "wrong": sum(value < -log(2) for value in answers),
        "pairs": len(between),
        "failed": sum(value < -log(2) for value in between),
    }


def _bet_step(key: str, make: Made) -> Step:
    def choices() -> tuple[Picks, ...]:
        place, _ = make()
        return each_cell(place.score(), place.names)

    return Step(key, partial(_bet, make), Touch("cell", choices), values=partial(_values, make))


def _question(_picks: Picks) -> Payload:
    place = pose()
    return {
        "networks": [network(place)],
        "matrix": matrix(place.score(), place.data, reached=0, by_column=True),
    }


def _reveal() -> Payload:
    place = pose()
    trace = place.score()
    return {
        "networks": [network(place, order=trace.order)],
        "matrix": matrix(trace, place.data, by_column=True),
    }


def _check(picks: Picks) -> Verdict:
    place = pose()
    chosen = [(place.names[x], place.names[y]) for x, y in cells(picks)]
    verdict = check_inferred(place.score(), chosen)
    return by_column(verdict, place.data)


def _answer() -> Picks:
    place = pose()
    at = place.data.index
    return tuple(sorted((at(term.x), at(term.y)) for term in place.score().inferred))


def _tests() -> dict[str, int]:
    trace = here.hub().score()
    return {"tests": trace.tests, "all": len(trace.terms)}


# --- The lesson -----------------------------------------------------------------------------------

LESSON = Lesson(
    "bet",
    (
        Step("bet.turns", _one_by_one, Touch("frame", lambda: each(here.hub().data.n + 1))),
        Step(
            "bet.half",
            _half,
            Touch("cell", lambda: each_cell(here.hub().score(), here.hub().names)),
            values=_tests,
        ),
        _bet_step("bet.won", won),
        _bet_step("bet.lost", lost),
        Step("bet.question", _question, question=Question("cells", _check, _answer, _reveal)),
    ),
)
