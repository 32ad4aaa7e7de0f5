"""Lesson 3: the blanket, and the local Markov property."""

from __future__ import annotations

from bjp_engine.dataset import Name
from bjp_explorer.lessons import data as here
from bjp_explorer.lessons.checks import check_blanket
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
)
from bjp_explorer.lessons.scene import assertion, by_column, light_blanket, listed, network
from bjp_explorer.shell.phrases import say
from bjp_explorer.shell.text import names_list, plain, probability
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


def _blanket(picks: Picks) -> Payload:
    place = here.coronary()
    if not picks:
        return {"networks": [network(place)]}
    x = place.names[first_index(picks)]
    inside = names_list(place.graph[x])
    said = (
        say("blanket.neighbours.some", x=plain(x), inside=inside)
        if place.graph[x]
        else say("blanket.neighbours.none", x=plain(x))
    )
    return {"networks": [light_blanket(place, x)], "say": [said]}


def _property(picks: Picks) -> Payload:
    place = here.coronary()
    if not picks:
        return {"networks": [network(place)]}
    x = place.names[first_index(picks)]
    outside = listed(z for z in place.names if z != x and not place.graph.has_edge(x, z))
    said = (
        say("blanket.property.some", inside=listed(place.graph[x]), x=plain(x), outside=outside)
        if place.graph[x]
        else say("blanket.property.none", x=plain(x), outside=outside)
    )
    return {"networks": [light_blanket(place, x)], "say": [said]}


def _show_assertions(picks: Picks) -> Payload:
    """The assertions about one variable, with what the data say of each."""
    place = here.coronary()
    x = place.names[first_index(picks)] if picks else "smoking"
    _, row = examples.ib_row(x)
    return {
        "networks": [light_blanket(place, x)],
        "table": {
            "head": [say("blanket.assertions.asserts"), say("blanket.assertions.posterior")],
            "rows": [[assertion(term), probability(term.value)] for term in row],
        },
        "say": [say("blanket.assertions.number", n=len(row), x=plain(x))],
    }


def _question(_picks: Picks) -> Payload:
    place, x = pose()
    return {"networks": [network(place, roles={x: "x"})]}


def _reveal() -> Payload:
    place, x = pose()
    return {"networks": [light_blanket(place, x)]}


def _check(picks: Picks) -> Verdict:
    place, x = pose()
    verdict = check_blanket(place.graph, x, [place.names[k] for k in indices(picks)])
    return by_column(verdict, place.data)


def _answer() -> Picks:
    place, x = pose()
    return tuple(sorted(place.data.indices(place.graph[x])))


def _nodes() -> tuple[Picks, ...]:
    return each(here.coronary().data.n)


def _size() -> dict[str, int]:
    n = here.coronary().data.n
    return {"n": n, "others": n - 1, "assertions": n * (n - 1)}


# --- The lesson -----------------------------------------------------------------------------------

LESSON = Lesson(
    "blanket",
    (
        Step("blanket.neighbours", _blanket, Touch("node", _nodes)),
        Step("blanket.property", _property, Touch("node", _nodes)),
        Step("blanket.assertions", _show_assertions, Touch("node", _nodes), values=_size),
        Step(
            "blanket.question",
            _question,
            question=Question("nodes", _check, _answer, _reveal),
            values=lambda: {"x": plain(pose()[1])},
        ),
    ),
)
