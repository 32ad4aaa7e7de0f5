"""Lesson 3: the blanket, and the local Markov property."""

from __future__ import annotations

from collections.abc import Callable

from bjp_engine.dataset import Name
from bjp_explorer.lessons import scene
from bjp_explorer.lessons.model import Lesson, Payload, Picks, Question, Step, Verdict, say
from bjp_explorer.lessons.scene import (
    NODES,
    Place,
    assertion,
    coronary,
    light_blanket,
    listed,
    network,
    terms_of,
)
from bjp_explorer.shell.text import names_list, plain, probability

ASKED = "scale-free-1"


def _node_view(tell: Callable[[Place, Name], str]) -> Callable[[Picks], Payload]:
    """Coronary's network, and what there is to say of a variable once it is clicked."""

    def view(picks: Picks) -> Payload:
        place = coronary()
        if not picks:
            return {"networks": [network(place)]}
        (x,) = place.named(picks)
        return {"networks": [light_blanket(place, x)], "say": [tell(place, x)]}

    return view


def _blanket(place: Place, x: Name) -> str:
    inside = names_list(place.graph[x], "")
    return say(f"blanket.neighbours.{'some' if inside else 'none'}", x=plain(x), inside=inside)


def _property(place: Place, x: Name) -> str:
    outside = listed(z for z in place.names if z != x and not place.graph.has_edge(x, z))
    about = {"x": plain(x), "inside": listed(place.graph[x]), "outside": outside}
    return say(f"blanket.property.{'some' if place.graph[x] else 'none'}", **about)


def _assertions(picks: Picks) -> Payload:
    """The assertions about one variable, with what the data say of each."""
    place = coronary()
    (x,) = place.named(picks) or ["smoking"]
    row = [term for term in terms_of(place.score("ib")) if term.x == x]
    return {
        "networks": [light_blanket(place, x)],
        "table": {
            "head": [say("blanket.assertions.asserts"), say("blanket.assertions.posterior")],
            "rows": [[assertion(term), probability(term.value)] for term in row],
        },
        "say": [say("blanket.assertions.number", n=len(row), x=plain(x))],
    }


def _size() -> dict[str, int]:
    n = coronary().data.n
    return {"n": n, "others": n - 1, "assertions": n * (n - 1)}


# --- The question ---------------------------------------------------------------------------------


def pose() -> tuple[Place, Name]:
    """The network of the question, and the first variable of the second highest degree."""
    place = scene.sample_network(ASKED, rows=200)
    return place, sorted(place.names, key=lambda name: -place.graph.degree[name])[1]


def _check(picks: Picks) -> Verdict:
    """Whether some variables are the variable's blanket."""
    place, x = pose()
    chosen, size = place.named(picks), place.graph.degree[x]
    said = {"x": plain(x), "chosen": len(chosen), "size": size}
    for k, node in zip(picks, chosen, strict=True):
        if not place.graph.has_edge(x, node):
            return Verdict(False, say("blanket.question.stranger", node=plain(node), **said), k)
    if len(chosen) < size:
        return Verdict(False, say(f"blanket.question.{'some' if chosen else 'nothing'}", **said))
    members = names_list(v for v in place.names if v in chosen)
    rest = place.data.n - size - 1
    return Verdict(True, say("blanket.question.right", members=members, rest=rest, **said))


def _question(_: Picks) -> Payload:
    place, x = pose()
    return {"networks": [network(place, roles={x: "x"})]}


def _answer() -> Picks:
    place, x = pose()
    return tuple(sorted(place.columns(place.graph[x])))


LESSON = Lesson(
    "blanket",
    (
        Step("blanket.neighbours", _node_view(_blanket), NODES),
        Step("blanket.property", _node_view(_property), NODES),
        Step("blanket.assertions", _assertions, NODES, values=_size),
        Step(
            "blanket.question",
            _question,
            question=Question(
                "nodes", _check, _answer, lambda: {"networks": [light_blanket(*pose())]}
            ),
            values=lambda: {"x": plain(pose()[1])},
        ),
    ),
)
