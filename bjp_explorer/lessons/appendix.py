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
    prose,
)
from bjp_explorer.lessons.scene import by_column, matrix, network, pair_of, terms_of
from bjp_explorer.lessons.trace_checks import check_given, computed_of
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
        drawing = network(place.data, place.points, place.graph, order=order)
        return {"networks": [drawing], "say": []}
    x = place.names[first_index(picks)]
    degree = place.graph.degree[x]
    drawing = network(
        place.data,
        place.points,
        place.graph,
        roles={x: "x"} | dict.fromkeys(place.graph[x], "given"),
        order=order,
    )
    return {
        "networks": [drawing],
        "say": [f"**{plain(x)}** has degree {degree}. In ψ it is {psi(order.index(x))}."],
    }


def _walk(picks: Picks) -> Payload:
    """The assertions one after another."""
    place = here.hub()
    data, trace = place.data, place.score()
    k = first_index(picks)
    reached = terms_of(trace)[:k]
    made = sum(term.computed for term in reached)
    figures = [
        {"value": str(made), "caption": f"of {len(trace.computed)} computed"},
        {"value": str(k - made), "caption": f"of {len(trace.inferred)} inferred"},
        {"value": number(exact_sum(t.value for t in reached), 4), "caption": "ln BJP so far"},
    ]
    filled = matrix(trace, data, reached=k)
    if k == 0:
        drawing = network(data, place.points, place.graph, order=trace.order)
        said = "Twelve assertions to come. Move the slider."
    else:
        term = reached[-1]
        drawing = network(data, place.points, place.graph, order=trace.order, **pair_of(term, data))
        said = f"{k} of {len(trace.terms)}. {explain(place, trace, term)}"
    return {"networks": [drawing], "matrix": filled, "figures": figures, "say": [said]}


def _total(picks: Picks) -> Payload:
    """Everything at once, beside what IB-score would do."""
    place = here.hub()
    data, trace, ib = place.data, place.score(), place.score("ib")
    figures = [
        {"value": number(trace.total, 4), "caption": f"ln BJP, {trace.tests} tests"},
        {"value": number(ib.total, 4), "caption": f"ln IB, {ib.tests} tests"},
        {"value": str(_largest(trace.computed)), "caption": "most given where computed"},
        {"value": str(_largest(trace.inferred)), "caption": "most given where inferred"},
    ]
    scene = {"matrix": matrix(trace, data), "figures": figures}
    if not picks:
        drawing = network(data, place.points, place.graph, order=trace.order)
        return scene | {"networks": [drawing], "say": []}
    x, y = (data.names[k] for k in cells(picks)[0])
    term = next(t for t in terms_of(trace) if (t.x, t.y) == (x, y))
    drawing = network(data, place.points, place.graph, order=trace.order, **pair_of(term, data))
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
        place.data,
        place.points,
        place.graph,
        roles={pair[0]: "x", pair[1]: "y"},
        link=link,
        order=place.score().order,
    )
    return {"networks": [drawing], "say": []}


def _reveal(pair: tuple[Name, Name]) -> Payload:
    """The test with what it is given."""
    place = here.hub()
    trace = place.score()
    term = computed_of(trace, pair)
    drawing = network(
        place.data, place.points, place.graph, order=trace.order, **pair_of(term, place.data)
    )
    return {"networks": [drawing], "matrix": matrix(trace, place.data), "say": []}


def _question(pair: tuple[Name, Name]) -> Question:
    """What the computed test of this pair conditions on."""

    def check(picks: Picks) -> Verdict:
        place = here.hub()
        verdict = check_given(place.score(), pair, [place.names[k] for k in indices(picks)])
        return by_column(verdict, place.data)

    a, b = map(plain, pair)
    return Question(
        lambda: (
            f"BJP makes one test of **{a}** and **{b}**. Click what it conditions on, its "
            "**conditioning set**; if it is empty, click nothing and check."
        ),
        "nodes",
        check,
        lambda: here.hub().data.indices(computed_of(here.hub().score(), pair).given),
        lambda: _reveal(pair),
    )


def _total_text() -> tuple[str, ...]:
    trace = here.hub().score()
    return prose(
        f"{trace.tests} tests instead of {len(trace.terms)}. Their logarithms add up to **ln "
        "BJP**. The **IB-score** computes all twelve, as if the two ends of a pair had nothing to "
        "do with each other.",
        "BJP skips half of the tests in every graph. Here it skips those with the largest "
        "conditioning sets: all that are made from the hub.",
    )


# --- The lesson -----------------------------------------------------------------------------------

LESSON = Lesson(
    "One hub, worked through",
    "Appendix B",
    (
        Step(
            "A hub with three leaves",
            lambda: prose(
                "This is the example of the paper's Appendix B. X0 is the hub; X1, X2 and X3 are "
                "the leaves.",
                "The leaves have degree 1 and come first, in the order of their numbers. The hub "
                "goes last. The place in ψ stands in each circle.",
            ),
            _places,
            Touch("node", lambda: each(here.hub().data.n), "Click a circle."),
        ),
        Step(
            "Twelve assertions",
            lambda: prose(
                "Four variables make 4 × 3 = 12 assertions. Go through them row by row. Blue is "
                "an independence that is computed, orange a dependence, hatched is inferred.",
                "Watch what is given, in green: never more than one variable where a test is made.",
            ),
            _walk,
            Touch("frame", lambda: each(len(here.hub().score().terms) + 1), "Move the slider."),
        ),
        Step(
            "Half of the tests",
            _total_text,
            _total,
            Touch(
                "cell",
                lambda: each_cell(here.hub().score(), here.hub().names),
                "Click a cell to see what its test is given, or would have been.",
            ),
        ),
        Step(
            "Your turn: two leaves",
            lambda: ("Neither of these two is the hub, and no edge joins them.",),
            lambda _: _ask(LEAVES),
            question=_question(LEAVES),
        ),
        Step(
            "Your turn: hub and leaf",
            lambda: ("Now an edge. Mind from which end it is tested.",),
            lambda _: _ask(HUB_AND_LEAF),
            question=_question(HUB_AND_LEAF),
        ),
    ),
)
