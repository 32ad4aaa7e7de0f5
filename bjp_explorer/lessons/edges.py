"""Lesson 1: an edge, and what a missing edge says."""

from __future__ import annotations

from collections.abc import Collection
from itertools import chain, combinations, pairwise

import networkx as nx

from bjp_engine.dataset import Name
from bjp_explorer.lessons import scene
from bjp_explorer.lessons.model import Lesson, Payload, Picks, Question, Step, Touch, Verdict, say
from bjp_explorer.lessons.scene import NODES, PAIRS, Place, coronary, joined, listed, network
from bjp_explorer.shell.text import plain

# The two ends that are to be parted: in coronary, and in the question's network.
ENDS = ("mental_work", "lipoprotein_ratio")
ASKED, PARTED = "target-2", ("X2", "X5")


def _variables(picks: Picks) -> Payload:
    """The network; a click tells of one variable."""
    place = coronary()
    if not picks:
        return {"networks": [network(place)]}
    (x,) = place.named(picks)
    said = {
        "x": plain(x),
        "states": ", ".join(place.data.labels[picks[0]]),
        "edges": place.graph.degree[x],
        "others": listed(place.graph[x]),
    }
    text = say(f"edges.variables.{'joined' if said['edges'] else 'alone'}", **said)
    return {"networks": [network(place, roles={x: "x"})], "say": [text]}


def _pairs(picks: Picks) -> Payload:
    place = coronary()
    if not picks:
        return {"networks": [network(place)]}
    x, y = place.named(picks)
    others = [z for z in place.names if z not in (x, y)]
    edge = place.graph.has_edge(x, y)
    about = {"x": plain(x), "y": plain(y), "others": listed(others)}
    kind = "dependent" if edge else "independent"
    drawing = network(
        place,
        roles={x: "x", y: "y"} | dict.fromkeys(others, "given"),
        tones={frozenset((x, y)): "tested"},
        kind=kind,
        link={"i": picks[0], "j": picks[1], "tone": kind, "dependent": edge, "straight": edge},
    )
    return {
        "networks": [drawing],
        "say": [say(f"edges.pairs.{'edge' if edge else 'missing'}", **about)],
    }


def open_path(place: Place, ends: tuple[Name, Name], known: Collection[Name]) -> list[Name]:
    """A shortest path between two nodes that no known node blocks; empty where there is none."""
    left = place.graph.subgraph(set(place.graph) - set(known))
    return nx.shortest_path(left, *ends) if nx.has_path(left, *ends) else []


def _parting(place: Place, ends: tuple[Name, Name], known: list[Name]) -> Payload:
    return network(
        place,
        roles={ends[0]: "x", ends[1]: "y"} | dict.fromkeys(known, "given"),
        tones={frozenset(side): "tested" for side in pairwise(open_path(place, ends, known))},
    )


def _blocking(picks: Picks) -> Payload:
    """Which paths are open while some variables are known."""
    place = coronary()
    known = place.named(picks)
    path = open_path(place, ENDS, known)
    what = "open" if path else "blocked"
    said = (
        say("edges.blocking.known" if known else "edges.blocking.unknown", known=listed(known)),
        say(f"edges.blocking.{what}", path=joined(path), known=listed(known), **_ends()),
    )
    return {"networks": [_parting(place, ENDS, known)], "say": [" ".join(said)]}


def _ends() -> dict[str, str]:
    return dict(zip("ab", map(plain, ENDS), strict=True))


def _between() -> list[Picks]:
    """Every set of coronary's variables but the two ends."""
    nodes = [k for k, name in enumerate(coronary().names) if name not in ENDS]
    return [*chain.from_iterable(combinations(nodes, k) for k in range(len(nodes) + 1))]


def _check(picks: Picks) -> Verdict:
    """Whether some nodes separate two others, and none of them for nothing."""
    place, known = _asked(), _asked().named(picks)
    said = dict(zip("ab", map(plain, PARTED), strict=True))
    if path := open_path(place, PARTED, known):
        why = "open" if len(path) > 2 else "edge"
        return Verdict(False, say(f"edges.question.{why}", path=joined(path), **said))
    for k, node in zip(picks, known, strict=True):
        if not open_path(place, PARTED, [other for other in known if other != node]):
            return Verdict(False, say("edges.question.spare", node=plain(node)), k)
    given = say("edges.question.both") if len(known) == 2 else listed(known)
    passed = listed(known, "or")
    return Verdict(True, say("edges.question.right", passed=passed, known=given, **said))


def _asked() -> Place:
    return scene.sample_network(ASKED)


def _answer() -> Picks:
    return tuple(sorted(_asked().columns(nx.minimum_node_cut(_asked().graph, *PARTED))))


LESSON = Lesson(
    "edges",
    (
        Step("edges.variables", _variables, NODES, values=lambda: {"rows": coronary().data.rows}),
        Step("edges.pairs", _pairs, PAIRS),
        Step("edges.blocking", _blocking, Touch("nodes", _between), values=_ends),
        Step(
            "edges.question",
            lambda _: {"networks": [network(_asked(), roles=dict(zip(PARTED, "xy", strict=True)))]},
            question=Question(
                "nodes",
                _check,
                _answer,
                lambda: {"networks": [_parting(_asked(), PARTED, _asked().named(_answer()))]},
            ),
            values=lambda: dict(zip("ab", PARTED, strict=True)),
        ),
    ),
)
