"""Lesson 3: the blanket, and the local Markov property."""

from __future__ import annotations

from typing import Any

from bjp_engine.dataset import Name
from bjp_explorer.lessons import data as here
from bjp_explorer.lessons.graph_checks import check_blanket
from bjp_explorer.lessons.model import (
    Lesson,
    Payload,
    Picks,
    Question,
    Step,
    Touch,
    Verdict,
    each,
    first_index,
    indices,
    prose,
)
from bjp_explorer.lessons.scene import assertion, by_column, listed, network
from bjp_explorer.shell.text import plain, probability
from bjp_explorer.views import examples

ASKED = "scale-free-1"


def pose() -> tuple[here.Place, Name]:
    """The network of the question and the variable that it is about.

    The variable of the second highest degree, the first of them.
    """
    place = here.sample_network(ASKED, rows=200)
    ranked = sorted(
        place.names, key=lambda name: (-place.graph.degree[name], place.data.index(name))
    )
    return place, ranked[1]


# --- Views ----------------------------------------------------------------------------------------


def _light_blanket(x: Name | None, **more: Any) -> Payload:
    """Coronary's network with one blanket in green."""
    place = here.coronary()
    inside = [] if x is None else list(place.graph[x])
    return network(
        place.data,
        place.points,
        place.graph,
        roles={} if x is None else {x: "x"} | dict.fromkeys(inside, "given"),
        tones={} if x is None else {frozenset((x, z)): "given" for z in inside},
        **more,
    )


def _blanket(picks: Picks) -> Payload:
    """The neighbours of what was clicked."""
    if not picks:
        return {"networks": [_light_blanket(None)], "say": []}
    place = here.coronary()
    x = place.names[first_index(picks)]
    inside = ", ".join(plain(z) for z in place.graph[x])
    said = (
        f"The blanket of **{plain(x)}** is {{{inside}}}."
        if inside
        else (f"**{plain(x)}** has no neighbour: its blanket is empty, written ∅.")
    )
    return {"networks": [_light_blanket(x)], "say": [said]}


def _property(picks: Picks) -> Payload:
    """What is outside the blanket."""
    if not picks:
        return {"networks": [_light_blanket(None)], "say": []}
    place = here.coronary()
    x = place.names[first_index(picks)]
    outside = [z for z in place.names if z != x and not place.graph.has_edge(x, z)]
    given = (
        f"Given {listed(place.graph[x])}, **{plain(x)}**"
        if place.graph[x]
        else (f"Even given the empty set, **{plain(x)}**")
    )
    return {
        "networks": [_light_blanket(x)],
        "say": [f"{given} is independent of {listed(outside)}: they would tell nothing new."],
    }


def _show_assertions(picks: Picks) -> Payload:
    """The assertions about one variable, with what the data say of each."""
    place = here.coronary()
    x = place.names[first_index(picks)] if picks else "smoking"
    _, row = examples.ib_row(x)
    return {
        "networks": [_light_blanket(x)],
        "table": {
            "head": ["the graph asserts", "Pr given the data"],
            "rows": [[assertion(term), probability(term.value)] for term in row],
        },
        "say": [f"{len(row)} assertions about **{plain(x)}**, one on each other variable."],
    }


def _question(_picks: Picks) -> Payload:
    """The network of the question."""
    place, x = pose()
    return {"networks": [network(place.data, place.points, place.graph, roles={x: "x"})], "say": []}


def _reveal() -> Payload:
    """The same with the blanket."""
    place, x = pose()
    drawing = network(
        place.data,
        place.points,
        place.graph,
        roles={x: "x"} | dict.fromkeys(place.graph[x], "given"),
        tones={frozenset((x, z)): "given" for z in place.graph[x]},
    )
    return {"networks": [drawing], "say": []}


def _check(picks: Picks) -> Verdict:
    """The answer in names."""
    place, x = pose()
    verdict = check_blanket(place.graph, x, [place.names[k] for k in indices(picks)])
    return by_column(verdict, place.data)


def _answer() -> Picks:
    """The neighbours, in column order."""
    place, x = pose()
    return tuple(sorted(place.data.indices(place.graph[x])))


def _nodes() -> tuple[Picks, ...]:
    return each(here.coronary().data.n)


def _about() -> tuple[str, ...]:
    n = here.coronary().data.n
    return prose(
        "Both kinds of statement can be tested. For every other variable the graph makes one "
        "**assertion**: independent given the blanket (⊥) where there is no edge, dependent given "
        "the rest of the blanket (⊥̸) where there is one. They are written ⟨X ⊥ Y | blanket⟩.",
        f"{n} variables make {n} × {n - 1} = {n * (n - 1)} assertions. The last column is the "
        "posterior of each by the test of lesson 2.",
    )


# --- The lesson -----------------------------------------------------------------------------------

LESSON = Lesson(
    "Blankets",
    "Blankets",
    (
        Step(
            "The blanket",
            lambda: prose(
                "The neighbours of a variable are called its **blanket**. That of X is written "
                "B^{X}.",
                "Know the blanket of every variable, and you know the network: each edge is in two "
                "of them, once from either end.",
            ),
            _blanket,
            Touch("node", _nodes, "Click a circle. Its blanket is green with a dashed ring."),
        ),
        Step(
            "All there is to know",
            lambda: prose(
                "Every path from a variable to the rest goes through its blanket. So once the "
                "blanket is known, all paths are blocked.",
                "Given its blanket, a variable is independent of everything else. This is the "
                "**local Markov property**.",
            ),
            _property,
            Touch("node", _nodes, "Click a circle."),
        ),
        Step(
            "What a graph asserts",
            _about,
            _show_assertions,
            Touch("node", _nodes, "Click a circle to read its assertions."),
        ),
        Step(
            "Your turn: find the blanket",
            lambda: ("A larger network, and one variable in it.",),
            _question,
            question=Question(
                lambda: (
                    f"Click the blanket of **{plain(pose()[1])}**: all of it, and nothing else."
                ),
                "nodes",
                _check,
                _answer,
                _reveal,
            ),
        ),
    ),
)
