"""Lesson 5: which tests are made, which are inferred, and what that bet wins and costs."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import log

from bjp_engine.dataset import Name
from bjp_engine.independence import IndependenceTrace
from bjp_engine.scores import AssertionTerm, ScoreTrace
from bjp_explorer.lessons import scene
from bjp_explorer.lessons.model import Lesson, Payload, Picks, Question, Step, Touch, Verdict, say
from bjp_explorer.lessons.scene import (
    Place,
    assertion,
    cells_of,
    computed_of,
    matrix,
    network,
    pair_of,
    terms_of,
)
from bjp_explorer.shell.text import names_list, number, plain, probability, psi

# A triangle with a tail: in the question's network two circles share an edge.
TRIANGLE_AND_TAIL = ((0, 1), (0, 2), (1, 2), (1, 3))


def hub() -> Place:
    """The hub with three leaves of the paper's Appendix B."""
    return scene.sample_network("appendix-b", seed=2, rows=1000)


def _one_by_one(picks: Picks) -> Payload:
    """The blankets asked for one after another, in the order ψ."""
    place = hub()
    data, trace = place.data, place.score()
    (k,) = picks or (0,)
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
        known=len(earlier),
        tests=data.n - k,
    )
    drawing = network(place, roles={x: "x"} | dict.fromkeys(earlier, "given"), order=trace.order)
    return {"networks": [drawing], "matrix": filled, "say": [said]}


def _half(picks: Picks) -> Payload:
    """All assertions with their sum, compared with what IB-score computes."""
    place = hub()
    data, trace, ib = place.data, place.score(), place.score("ib")
    shown = {
        "matrix": matrix(trace, data),
        "figures": [
            {"value": number(trace.total, 4), "caption": say("bet.half.bjp", n=trace.tests)},
            {"value": number(ib.total, 4), "caption": say("bet.half.ib", n=ib.tests)},
        ],
    }
    if not picks:
        return shown | {"networks": [network(place, order=trace.order)]}
    ends = tuple(place.named(picks[0]))
    term = next(t for t in terms_of(trace) if (t.x, t.y) == ends)
    drawing = network(place, order=trace.order, **pair_of(term, data))
    return shown | {"networks": [drawing], "say": [explain(place, trace, term)]}


def explain(place: Place, trace: ScoreTrace, term: AssertionTerm) -> str:
    """An assertion in words: its posterior, or from which one it is inferred."""
    test = place.test(term.x, term.y, term.given)
    said = {"assertion": assertion(term), "slices": test.configurations}
    if term.computed:
        return say("bet.computed", **said, probability=probability(term.value))
    mirror = assertion(_mirror(trace, term))
    kind = "edge" if term.dependent else "missing"
    return say(f"bet.{kind}", **said, mirror=mirror, probability=_found(term, test))


def _mirror(trace: ScoreTrace, term: AssertionTerm) -> AssertionTerm:
    """The assertion on the same pair from its other end."""
    return next(t for t in terms_of(trace) if (t.x, t.y) == (term.y, term.x))


def _found(term: AssertionTerm, test: IndependenceTrace) -> str:
    return probability(test.log_dependent if term.dependent else test.log_independent)


# --- Won and lost ---------------------------------------------------------------------------------

# A place, and the pair of it that is looked at, one whose ends disagree most.
Made = Callable[[], tuple[Place, tuple[Name, Name]]]


def won() -> tuple[Place, tuple[Name, Name]]:
    """A star of strong edges and few rows: the edge is there, and only the leaf finds it."""
    return scene.star(5, 100, 50, 2.0), ("X0", "X3")


def lost() -> tuple[Place, tuple[Name, Name]]:
    """Coronary: the published graph has the edge that the skipped test finds."""
    return scene.coronary(), ("mental_work", "lipoprotein_ratio")


def _ends(place: Place, pair: tuple[Name, ...]) -> tuple[AssertionTerm, list[IndependenceTrace]]:
    """The assertion that BJP computes of a pair, its test, and the test that it skips."""
    trace = place.score()
    counted = computed_of(trace, pair)
    both = (counted, _mirror(trace, counted))
    return counted, [place.test(term.x, term.y, term.given) for term in both]


def _bet(make: Made, picks: Picks) -> Payload:
    """A pair from both ends: the test that counts and the one that is skipped."""
    place, opens = make()
    data, trace = place.data, place.score()
    term, tests = _ends(place, tuple(place.named(picks[0])) if picks else opens)
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
        "matrix": matrix(trace, data) | {"pair": sorted(place.columns(opens))},
        "table": {"head": [*head, "Pr(⊥̸)" if term.dependent else "Pr(⊥)"], "rows": rows},
        "say": [say("bet.lost.equal")] if equal else [],
    }


def _values(make: Made) -> dict[str, str | int]:
    place, pair = make()
    term, tests = _ends(place, pair)
    trace = place.score()
    answers = [t.value for t in terms_of(place.score("ib")) if t.x == trace.order[-1]]
    between = [t.value for t in terms_of(trace) if t.computed and not t.dependent]
    return {
        "x": plain(term.x),
        "y": plain(term.y),
        "rows": place.data.rows,
        "counted": _found(term, tests[0]),
        "skipped": _found(term, tests[1]),
        "all": len(answers),
        "wrong": sum(value < -log(2) for value in answers),
        "pairs": len(between),
        "failed": sum(value < -log(2) for value in between),
    }


def _bet_step(key: str, make: Made) -> Step:
    touch = Touch("cell", lambda: cells_of(make()[0]))
    return Step(key, partial(_bet, make), touch, values=partial(_values, make))


# --- The question ---------------------------------------------------------------------------------


def _asked() -> tuple[Place, ScoreTrace]:
    place = scene.sample_edges(TRIANGLE_AND_TAIL)
    return place, place.score()


def _question(_: Picks) -> Payload:
    place, trace = _asked()
    filled = matrix(trace, place.data, reached=0, by_column=True)
    return {"networks": [network(place)], "matrix": filled}


def _reveal() -> Payload:
    place, trace = _asked()
    filled = matrix(trace, place.data, by_column=True)
    return {"networks": [network(place, order=trace.order)], "matrix": filled}


def _check(picks: Picks) -> Verdict:
    """Whether some cells are those that the score infers as 1."""
    place, trace = _asked()
    terms = {place.columns((term.x, term.y)): term for term in terms_of(trace)}
    order = names_list(trace.order)
    for cell in picks:
        term = terms[cell]
        if term.computed:
            said = {"assertion": assertion(term), "x": plain(term.x), "y": plain(term.y)}
            return Verdict(False, say("bet.question.computed", **said, order=order), cell)
    inferred = [cell for cell, term in terms.items() if not term.computed]
    if left := [cell for cell in inferred if cell not in picks]:
        a, b = map(plain, place.named(sorted(left[0])))
        found, whole = len(inferred) - len(left), len(inferred)
        return Verdict(False, say("bet.question.unfinished", found=found, all=whole, a=a, b=b))
    counts = {"inferred": len(inferred), "all": len(terms)}
    return Verdict(True, say("bet.question.right", order=order, **counts))


def _answer() -> Picks:
    place, trace = _asked()
    return tuple(sorted(place.columns((term.x, term.y)) for term in trace.inferred))


LESSON = Lesson(
    "bet",
    (
        Step("bet.turns", _one_by_one, Touch("frame", lambda: range(hub().data.n + 1))),
        Step(
            "bet.half",
            _half,
            Touch("cell", lambda: cells_of(hub())),
            values=lambda: {"tests": hub().score().tests, "all": len(hub().score().terms)},
        ),
        _bet_step("bet.won", won),
        _bet_step("bet.lost", lost),
        Step(
            "bet.question",
            _question,
            question=Question("cells", _check, _answer, _reveal),
        ),
    ),
)
