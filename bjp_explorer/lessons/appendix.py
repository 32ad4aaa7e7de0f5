"""Lesson 6: the paper's Appendix B, worked through: twelve assertions and six tests."""

from __future__ import annotations

from collections.abc import Sequence

from bjp_engine.dataset import Name
from bjp_engine.scores import AssertionTerm
from bjp_engine.scores.base import exact_sum
from bjp_explorer.lessons import data as here
from bjp_explorer.lessons.inferred import explain
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
    indices,
)
from bjp_explorer.lessons.scene import by_column, matrix, network, pair_of, terms_of
from bjp_explorer.lessons.trace_checks import check_given, computed_of
from bjp_explorer.shell.phrases import say
from bjp_explorer.shell.text import number, plain, psi

# The pairs of the two questions.
LEAVES = ("X2", "X3")
HUB_AND_LEAF = ("X0", "X3")


# --- Views ----------------------------------------------------------------------------------------


def _places(picks: Picks) -> Payload:
    """Degrees and places in ψ."""
    place = here.hub()
    order = place.score().order
    if not picks:
        return {"networks": [network(place, order=order)]}
    x = place.names[first_index(picks)]
    degree = place.graph.degree[x]
    drawing = network(place, roles={x: "x"} | dict.fromkeys(place.graph[x], "given"), order=order)
    return {
        "networks": [drawing],
        "say": [
            say("appendix.places.degree", x=plain(x), degree=degree, place=psi(order.index(x)))
        ],
    }


def _walk(picks: Picks) -> Payload:
    """The assertions one after another."""
    place = here.hub()
    data, trace = place.data, place.score()
    k = first_index(picks)
    reached = terms_of(trace)[:k]
    made = sum(term.computed for term in reached)
    figures = [
        {"value": str(made), "caption": say("appendix.walk.computed", n=len(trace.computed))},
        {"value": str(k - made), "caption": say("appendix.walk.inferred", n=len(trace.inferred))},
        {
            "value": number(exact_sum(t.value for t in reached), 4),
            "caption": say("appendix.walk.sum"),
        },
    ]
    filled = matrix(trace, data, reached=k)
    if k == 0:
        drawing = network(place, order=trace.order)
        said = say("appendix.walk.start")
    else:
        term = reached[-1]
        drawing = network(place, order=trace.order, **pair_of(term, data))
        explained = explain(place, trace, term)
        said = say("appendix.walk.term", k=k, all=len(trace.terms), explained=explained)
    return {"networks": [drawing], "matrix": filled, "figures": figures, "say": [said]}


def _total(picks: Picks) -> Payload:
    """Everything at once, beside what IB-score would do."""
    place = here.hub()
    data, trace, ib = place.data, place.score(), place.score("ib")
    figures = [
        {"value": number(trace.total, 4), "caption": say("appendix.total.bjp", n=trace.tests)},
        {"value": number(ib.total, 4), "caption": say("appendix.total.ib", n=ib.tests)},
        {"value": str(_largest(trace.computed)), "caption": say("appendix.total.computed")},
        {"value": str(_largest(trace.inferred)), "caption": say("appendix.total.inferred")},
    ]
    scene = {"matrix": matrix(trace, data), "figures": figures}
    if not picks:
        return scene | {"networks": [network(place, order=trace.order)]}
    x, y = (data.names[k] for k in cells(picks)[0])
    term = next(t for t in terms_of(trace) if (t.x, t.y) == (x, y))
    drawing = network(place, order=trace.order, **pair_of(term, data))
    return scene | {"networks": [drawing], "say": [explain(place, trace, term)]}


def _largest(terms: Sequence[object]) -> int:
    """The largest conditioning set of some terms."""
    return max(len(t.given) for t in terms if isinstance(t, AssertionTerm))


def _ask(pair: tuple[Name, Name]) -> Payload:
    """The pair of a question, and no more."""
    place = here.hub()
    link = {
        "i": place.data.index(pair[0]),
        "j": place.data.index(pair[1]),
        "tone": "proposed",
        "question": True,
        "straight": place.graph.has_edge(*pair),
    }
    drawing = network(
        place, roles={pair[0]: "x", pair[1]: "y"}, link=link, order=place.score().order
    )
    return {"networks": [drawing]}


def _reveal(pair: tuple[Name, Name]) -> Payload:
    """The test with what it is given."""
    place = here.hub()
    trace = place.score()
    term = computed_of(trace, pair)
    drawing = network(place, order=trace.order, **pair_of(term, place.data))
    return {"networks": [drawing], "matrix": matrix(trace, place.data)}


def _question(pair: tuple[Name, Name]) -> Question:
    """What the computed test of this pair conditions on."""

    def check(picks: Picks) -> Verdict:
        place = here.hub()
        verdict = check_given(place.score(), pair, [place.names[k] for k in indices(picks)])
        return by_column(verdict, place.data)

    return Question(
        "nodes",
        check,
        lambda: here.hub().data.indices(computed_of(here.hub().score(), pair).given),
        lambda: _reveal(pair),
    )


def _tests() -> dict[str, int]:
    """How many tests of how many assertions."""
    trace = here.hub().score()
    return {"tests": trace.tests, "all": len(trace.terms)}


def _asks(key: str, pair: tuple[Name, Name]) -> Step:
    """A step that asks about a pair."""
    return Step(
        key,
        lambda _: _ask(pair),
        question=_question(pair),
        values=lambda: dict(zip("ab", map(plain, pair), strict=True)),
    )


# --- The lesson -----------------------------------------------------------------------------------

LESSON = Lesson(
    "appendix",
    (
        Step("appendix.places", _places, Touch("node", lambda: each(here.hub().data.n))),
        Step(
            "appendix.walk",
            _walk,
            Touch("frame", lambda: each(len(here.hub().score().terms) + 1)),
        ),
        Step(
            "appendix.total",
            _total,
            Touch("cell", lambda: each_cell(here.hub().score(), here.hub().names)),
            values=_tests,
        ),
        _asks("appendix.leaves", LEAVES),
        _asks("appendix.spoke", HUB_AND_LEAF),
    ),
)
