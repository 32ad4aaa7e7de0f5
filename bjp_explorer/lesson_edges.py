"""Lesson 1: an edge, and what a missing edge says."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

import networkx as nx

from bjp_engine.dataset import Name
from bjp_explorer import lesson_data as here
from bjp_explorer.lesson_model import (
    Lesson,
    Payload,
    Picks,
    Question,
    Step,
    Touch,
    Verdict,
    each,
    each_pair,
    each_subset,
    prose,
)
from bjp_explorer.lesson_scene import listed, network
from bjp_explorer.text import count, shown

# The two ends that are to be parted: in coronary, and in the question's network.
ENDS = ("mental_work", "lipoprotein_ratio")
ASKED, PARTED = "target-2", ("X2", "X5")


def open_path(graph: nx.Graph[Any], a: Name, b: Name, known: Collection[Name]) -> list[Name] | None:
    """A shortest path between two nodes that no known node blocks.

    Parameters
    ----------
    graph : networkx.Graph
    a, b : str or int
    known : collection of str or int
        None of them a or b.

    Returns
    -------
    list of str or int, or None
        None where every path is blocked: a and b are separated.
    """
    left = graph.subgraph(set(graph) - set(known))
    return nx.shortest_path(left, a, b) if nx.has_path(left, a, b) else None


def check_separation(graph: nx.Graph[Any], ends: tuple[Name, Name], known: list[Name]) -> Verdict:
    """Whether some nodes separate two others, and none of them for nothing.

    Parameters
    ----------
    graph : networkx.Graph
    ends : tuple of str or int
    known : list of str or int
        In the order in which they were clicked.

    Returns
    -------
    Verdict
        Its culprit is a node's name.
    """
    a, b = ends
    if path := open_path(graph, a, b, known):
        why = "nothing on it is known" if len(path) > 2 else "an edge joins them"
        return Verdict(
            False,
            f"The path {_arrow(path)} is still open: {why}, so {shown(a)} still tells "
            f"something about {shown(b)}.",
        )
    for node in known:
        if open_path(graph, a, b, [other for other in known if other != node]) is None:
            return Verdict(
                False,
                f"They are independent now, but fewer will do: without {shown(node)} every path "
                "is still blocked. Click it again to take it back.",
                node,  # type: ignore[arg-type]
            )
    return Verdict(
        True,
        f"Every path from {shown(a)} to {shown(b)} goes through {listed(known)}. Given "
        f"{'both' if len(known) == 2 else listed(known)}, {shown(a)} and {shown(b)} are "
        "independent, and no smaller part of this will do.",
    )


# --- Views ----------------------------------------------------------------------------------------


def _variables(picks: Picks) -> Payload:
    """The network; a click tells of one variable."""
    place = here.coronary()
    data, graph = place.data, place.graph
    if not picks:
        return {"networks": [network(data, place.points, graph)], "say": []}
    x = data.names[picks[0]]
    states = ", ".join(data.labels[picks[0]])
    edges = count(graph.degree[x], "edge")
    to = f", to {listed(graph[x])}" if graph.degree[x] else ""
    return {
        "networks": [network(data, place.points, graph, roles={x: "x"})],
        "say": [f"**{shown(x)}** has the states {states}. It has {edges}{to}."],
    }


def _pairs(picks: Picks) -> Payload:
    """What the network says of a pair."""
    place = here.coronary()
    data, graph = place.data, place.graph
    if not picks:
        return {"networks": [network(data, place.points, graph)], "say": []}
    x, y = (data.names[k] for k in picks)
    others = [z for z in data.names if z not in (x, y)]
    joined = graph.has_edge(x, y)
    said = (
        f"**An edge.** {shown(x)} and {shown(y)} depend on each other, even when {listed(others)} "
        "are all known."
        if joined
        else f"**No edge.** Once {listed(others)} are known, {shown(x)} and {shown(y)} are "
        "independent: knowing one tells nothing more about the other."
    )
    kind = "dependent" if joined else "independent"
    link = {"i": picks[0], "j": picks[1], "tone": kind, "dependent": joined, "straight": joined}
    drawing = network(
        data,
        place.points,
        graph,
        roles={x: "x", y: "y"} | dict.fromkeys(others, "given"),
        tones={frozenset((x, y)): "tested"},
        kind=kind,
        link=link,
    )
    return {"networks": [drawing], "say": [said]}


def _parting(place: here.Place, ends: tuple[Name, Name], known: list[Name]) -> Payload:
    """Two ends, what is known, and a path that is still open."""
    path = open_path(place.graph, *ends, known)
    steps = zip(path or (), (path or ())[1:], strict=False)
    return network(
        place.data,
        place.points,
        place.graph,
        roles={ends[0]: "x", ends[1]: "y"} | dict.fromkeys(known, "given"),
        tones={frozenset(step): "tested" for step in steps},
        kind="local",
    )


def _blocking(picks: Picks) -> Payload:
    """Which paths are open while some variables are known."""
    place = here.coronary()
    known = [place.names[k] for k in picks]
    path = open_path(place.graph, *ENDS, known)
    what = f"Known: {listed(known)}. " if known else "Nothing is known yet. "
    a, b = map(shown, ENDS)
    said = (
        f"{what}The path {_arrow(path)} is **open**: {a} and {b} may depend on each other."
        if path
        else f"{what}Every path is **blocked**: given {listed(known)}, {a} and {b} are independent."
    )
    return {"networks": [_parting(place, ENDS, known)], "say": [said]}


def _question(_picks: Picks) -> Payload:
    """The network of the question, its two ends marked."""
    place = here.sampled(ASKED)
    ends = {PARTED[0]: "x", PARTED[1]: "y"}
    return {"networks": [network(place.data, place.points, place.graph, roles=ends)], "say": []}


def _revealed() -> Payload:
    """The same with what separates them."""
    place = here.sampled(ASKED)
    known = [place.names[k] for k in _answer()]  # type: ignore[index]
    return {"networks": [_parting(place, PARTED, known)], "say": []}


def _check(picks: Picks) -> Verdict:
    """The answer in names."""
    place = here.sampled(ASKED)
    verdict = check_separation(place.graph, PARTED, [place.names[k] for k in picks])  # type: ignore[index]
    if verdict.culprit is None:
        return verdict
    return Verdict(False, verdict.sentence, place.data.index(verdict.culprit))  # type: ignore[arg-type]


def _answer() -> Picks:
    """A smallest set that separates the ends."""
    place = here.sampled(ASKED)
    return tuple(sorted(place.data.indices(nx.minimum_node_cut(place.graph, *PARTED))))


def _between() -> tuple[Picks, ...]:
    """Every set of coronary's variables but the two ends."""
    data = here.coronary().data
    return each_subset(tuple(k for k, name in enumerate(data.names) if name not in ENDS))


def _arrow(path: list[Name] | None) -> str:
    """A path in a sentence."""
    return " – ".join(shown(node) for node in path or ())


# --- The lesson -----------------------------------------------------------------------------------


def _first() -> tuple[str, ...]:
    data = here.coronary().data
    return prose(
        f"Of {data.rows:,} men {data.n} things were noted, such as whether they smoke, whether "
        "their work is a strain, and their blood pressure. Each is a **variable**, a quantity with "
        "a few **states**.",
        "The circles are the variables. A line between two is an **edge**. This is a **Markov "
        "network**: a drawing of what depends on what.",
    )


LESSON = Lesson(
    "What an edge means",
    "Edges",
    (
        Step(
            "A network of variables",
            _first,
            _variables,
            Touch("node", lambda: each(here.coronary().data.n), "Click a circle."),
        ),
        Step(
            "Two variables, and all the rest",
            lambda: prose(
                "An edge says: these two **depend** on each other, even when everything else is "
                "known.",
                "A missing edge says: once everything else is known, they are **independent**. "
                "One then tells nothing more about the other. Because something is known, this is "
                "called **conditional independence**, and it is written ⊥.",
            ),
            _pairs,
            Touch("pair", lambda: each_pair(here.coronary().data.n), "Click two circles."),
        ),
        Step(
            "What is known blocks the way",
            lambda: prose(
                "Often less than everything is enough. Dependence travels along paths, and a "
                "variable that is known **blocks** every path through it.",
                f"Take {shown(ENDS[0])} and {shown(ENDS[1])}. Two variables are independent, given "
                "what is known, as soon as every path between them is blocked.",
            ),
            _blocking,
            Touch("nodes", _between, "Click circles to make them known, or unknown again."),
        ),
        Step(
            "Your turn: part them",
            lambda: prose(
                "Here is another network. An edge between two variables can't be blocked, but "
                f"{PARTED[0]} and {PARTED[1]} have none.",
            ),
            _question,
            question=Question(
                lambda: (
                    f"Click the variables which, once known, make **{PARTED[0]}** and "
                    f"**{PARTED[1]}** independent. As few as possible."
                ),
                "nodes",
                _check,
                _answer,
                _revealed,
            ),
        ),
    ),
)
