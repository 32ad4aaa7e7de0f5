"""Lesson 5: what is inferred as 1, and why that is right (the paper's Appendix A)."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx

from bjp_engine.dataset import Name
from bjp_engine.scores import AssertionTerm, ScoreTrace
from bjp_explorer.lessons import data as here
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
    each_pair,
    first_index,
    indices,
    prose,
)
from bjp_explorer.lessons.scene import (
    assertion,
    by_column,
    listed,
    matrix,
    network,
    pair_of,
    terms_of,
)
from bjp_explorer.lessons.trace_checks import check_inferred, find_mirror
from bjp_explorer.shell import caches
from bjp_explorer.shell.text import count, plain, probability, psi

# Two circles share an edge in the question's network: a triangle with a tail.
TRIANGLE_AND_TAIL = (("X0", "X1"), ("X0", "X2"), ("X1", "X2"), ("X1", "X3"))


def pose() -> here.Place:
    """The network of the question."""

    def make() -> here.Place:
        graph: nx.Graph[str] = nx.Graph()
        graph.add_nodes_from(f"X{k}" for k in range(4))
        graph.add_edges_from(TRIANGLE_AND_TAIL)
        return here.draw_sample(graph, "log-odds", here.SEED, here.ROWS)

    return caches.once("lesson triangle and tail", make)


# --- Views ----------------------------------------------------------------------------------------


def _twice(picks: Picks) -> Payload:
    """Both assertions of a pair."""
    place = here.hub()
    data, trace = place.data, place.score("ib")
    if not picks:
        drawing = network(data, place.points, place.graph)
        return {"networks": [drawing], "matrix": matrix(trace, data, by_column=True), "say": []}
    x, y = (data.names[k] for k in indices(picks))
    one = next(t for t in terms_of(trace) if (t.x, t.y) == (x, y))
    other = find_mirror(trace, one)
    presence = "there is an edge" if one.dependent else "there is no edge"
    drawing = network(
        data,
        place.points,
        place.graph,
        roles={x: "x", y: "y"},
        tones={frozenset((x, y)): "tested"},
        kind="dependent" if one.dependent else "independent",
    )
    return {
        "networks": [drawing],
        "matrix": matrix(trace, data, by_column=True) | {"pair": list(picks)},
        "say": [
            (
                f"From {plain(x)}: {assertion(one)}. From {plain(y)}: {assertion(other)}. Both say "
                f"the same of the graph: **{presence}** between {plain(x)} and {plain(y)}."
            )
        ],
    }


def _one_by_one(picks: Picks) -> Payload:
    """The blankets asked for one after another, in the order ψ."""
    place = here.hub()
    data, trace = place.data, place.score()
    k = first_index(picks)
    a_row = data.n - 1
    filled = matrix(trace, data, reached=k * a_row)
    if k == 0:
        drawing = network(data, place.points, place.graph, order=trace.order)
        return {"networks": [drawing], "matrix": filled, "say": ["No blanket is known yet."]}
    x, earlier = trace.order[k - 1], trace.order[: k - 1]
    blanket = ", ".join(plain(z) for z in data.names if place.graph.has_edge(x, z)) or "∅"
    tests = sum(term.computed for term in terms_of(trace) if term.x == x)
    said = [f"**{psi(k - 1)} = {plain(x)}**, B^{{{plain(x)}}} = {{{blanket}}}."]
    said += [_say_settled(place, x, earlier)] if earlier else []
    said += [f"{count(tests, 'test')} left to make." if tests else "Nothing is left to test."]
    drawing = network(
        data,
        place.points,
        place.graph,
        roles={x: "x"} | dict.fromkeys(earlier, "given"),
        order=trace.order,
    )
    return {"networks": [drawing], "matrix": filled, "say": [" ".join(said)]}


def _say_settled(place: here.Place, x: Name, earlier: Sequence[Name]) -> str:
    """What the blankets before say of this one."""
    inside = [z for z in earlier if place.graph.has_edge(x, z)]
    outside = [z for z in earlier if z not in inside]
    parts = []
    if inside:
        parts.append(f"{plain(x)} is in the blanket of {listed(inside)}, so they are in its own")
    if outside:
        parts.append(
            f"{plain(x)} is not in the blanket of {listed(outside)}, so "
            f"{'it is' if len(outside) == 1 else 'they are'} not in its own"
        )
    return f"Known from before: {'; '.join(parts)}. That holds with probability 1."


def _cell(picks: Picks) -> Payload:
    """One assertion: its test, or why there is none."""
    place = here.hub()
    data, trace = place.data, place.score()
    if not picks:
        drawing = network(data, place.points, place.graph, order=trace.order)
        return {"networks": [drawing], "matrix": matrix(trace, data), "say": []}
    (cell,) = cells(picks)
    x, y = (data.names[k] for k in cell)
    term = next(t for t in terms_of(trace) if (t.x, t.y) == (x, y))
    drawing = network(data, place.points, place.graph, order=trace.order, **pair_of(term, data))
    return {
        "networks": [drawing],
        "matrix": matrix(trace, data) | {"pair": sorted(cell)},
        "say": [explain(place, trace, term)],
    }


def explain(place: here.Place, trace: ScoreTrace, term: AssertionTerm) -> str:
    """An assertion in words: its posterior, or from which one it is inferred."""
    if term.computed:
        slices = place.test(term.x, term.y, term.given).configurations
        return (
            f"{assertion(term)} is **computed**, in {count(slices, 'slice')}: Pr = "
            f"{probability(term.value)}."
        )
    test = place.test(term.x, term.y, term.given)
    value = test.log_dependent if term.dependent else test.log_independent
    return (
        f"{assertion(term)} is **inferred as 1** from {assertion(find_mirror(trace, term))}: it is "
        f"the same {'edge' if term.dependent else 'missing edge'} from its other end. A test would "
        f"have needed {count(test.configurations, 'slice')} and found {probability(value)}, and "
        "said nothing new about the graph."
    )


def _question(_picks: Picks) -> Payload:
    """The network and its matrix in the order of the columns, with nothing filled in."""
    place = pose()
    return {
        "networks": [network(place.data, place.points, place.graph)],
        "matrix": matrix(place.score(), place.data, reached=0, by_column=True),
        "say": [],
    }


def _reveal() -> Payload:
    """The same with all cells filled in."""
    place = pose()
    trace = place.score()
    return {
        "networks": [network(place.data, place.points, place.graph, order=trace.order)],
        "matrix": matrix(trace, place.data, by_column=True),
        "say": [],
    }


def _check(picks: Picks) -> Verdict:
    """The answer in names."""
    place = pose()
    chosen = [(place.names[x], place.names[y]) for x, y in cells(picks)]
    verdict = check_inferred(place.score(), chosen)
    return by_column(verdict, place.data)


def _answer() -> Picks:
    """The inferred cells by columns."""
    place = pose()
    at = place.data.index
    return tuple(sorted((at(term.x), at(term.y)) for term in place.score().inferred))


# --- The lesson -----------------------------------------------------------------------------------

LESSON = Lesson(
    "Inferred as 1, and why that is right",
    "Inferred",
    (
        Step(
            "Each pair appears twice",
            lambda: prose(
                "A hub with three leaves. The matrix holds the graph's assertions: the cell in row "
                "X and column Y is the assertion about X and Y given the blanket of X.",
                "Each pair has two cells, one from either end. They may be tested differently, but "
                "they speak of one edge, or of one missing edge.",
            ),
            _twice,
            Touch("pair", lambda: each_pair(here.hub().data.n), "Click two circles."),
        ),
        Step(
            "One blanket after another",
            lambda: prose(
                "Ask for the blankets in the order ψ. The first variable's blanket takes tests. It "
                "also decides something about all the others: if Y is not in the blanket of X, "
                "then X is not in the blanket of Y.",
                "So the row of each variable begins with cells that are known already. They are "
                "hatched and hold a 1.",
            ),
            _one_by_one,
            Touch("frame", lambda: each(here.hub().data.n + 1), "Go through ψ with the slider."),
        ),
        Step(
            "Known is certain",
            lambda: prose(
                "The chain rule of probability asks for each blanket **given** those before it. "
                "What follows from what is given has probability 1, and ln 1 = 0 adds nothing. "
                "(This is the paper's Appendix A.)",
                "To test it again would count the same edge twice, and from the end with the "
                "larger blanket, where tests are poor.",
            ),
            _cell,
            Touch(
                "cell",
                lambda: each_cell(here.hub().score(), here.hub().names),
                "Click a cell of the matrix, with or without hatching.",
            ),
        ),
        Step(
            "Your turn: which are inferred?",
            lambda: prose(
                "Another network. Its matrix is in the order of the columns this time, not in the "
                "order ψ: so find ψ first.",
            ),
            _question,
            question=Question(
                lambda: "Click every cell of the matrix that BJP will **infer** and not test.",
                "cells",
                _check,
                _answer,
                _reveal,
            ),
        ),
    ),
)
