"""Lesson 1: an edge, and what a missing edge says."""

from __future__ import annotations

import networkx as nx

from bjp_engine.dataset import Name
from bjp_explorer.lessons import data as here
from bjp_explorer.lessons.graph_checks import arrow, check_separation, open_path
from bjp_explorer.lessons.model import (
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
    first_index,
    indices,
    prose,
)
from bjp_explorer.lessons.scene import by_column, listed, network
from bjp_explorer.shell.text import count, plain

# The two ends that are to be parted: in coronary, and in the question's network.
ENDS = ("mental_work", "lipoprotein_ratio")
ASKED, PARTED = "target-2", ("X2", "X5")


# --- Views ----------------------------------------------------------------------------------------


def _variables(picks: Picks) -> Payload:
    """The network; a click tells of one variable."""
    place = here.coronary()
    data, graph = place.data, place.graph
    if not picks:
        return {"networks": [network(data, place.points, graph)], "say": []}
    k = first_index(picks)
    x = data.names[k]
    states = ", ".join(data.labels[k])
    edges = count(graph.degree[x], "edge")
    to = f", to {listed(graph[x])}" if graph.degree[x] else ""
    return {
        "networks": [network(data, place.points, graph, roles={x: "x"})],
        "say": [f"**{plain(x)}** has the states {states}. It has {edges}{to}."],
    }


def _pairs(picks: Picks) -> Payload:
    """What the network says of a pair."""
    place = here.coronary()
    data, graph = place.data, place.graph
    if not picks:
        return {"networks": [network(data, place.points, graph)], "say": []}
    x, y = (data.names[k] for k in indices(picks))
    others = [z for z in data.names if z not in (x, y)]
    joined = graph.has_edge(x, y)
    said = (
        f"**An edge.** {plain(x)} and {plain(y)} depend on each other, even when {listed(others)} "
        "are all known."
        if joined
        else f"**No edge.** Once {listed(others)} are known, {plain(x)} and {plain(y)} are "
        "independent: knowing one adds nothing about the other."
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
    known = [place.names[k] for k in indices(picks)]
    path = open_path(place.graph, *ENDS, known)
    what = f"Known: {listed(known)}. " if known else "Nothing is known yet. "
    a, b = map(plain, ENDS)
    said = (
        f"{what}The path {arrow(path)} is **open**: {a} and {b} may depend on each other."
        if path
        else f"{what}Every path is **blocked**: given {listed(known)}, {a} and {b} are independent."
    )
    return {"networks": [_parting(place, ENDS, known)], "say": [said]}


def _question(_picks: Picks) -> Payload:
    """The network of the question, its two ends marked."""
    place = here.sample_network(ASKED)
    ends: dict[Name, str] = {PARTED[0]: "x", PARTED[1]: "y"}
    return {"networks": [network(place.data, place.points, place.graph, roles=ends)], "say": []}


def _reveal() -> Payload:
    """The same with what separates them."""
    place = here.sample_network(ASKED)
    known = [place.names[k] for k in indices(_answer())]
    return {"networks": [_parting(place, PARTED, known)], "say": []}


def _check(picks: Picks) -> Verdict:
    """The answer in names."""
    place = here.sample_network(ASKED)
    verdict = check_separation(place.graph, PARTED, [place.names[k] for k in indices(picks)])
    return by_column(verdict, place.data)


def _answer() -> Picks:
    """A smallest set that separates the ends."""
    place = here.sample_network(ASKED)
    return tuple(sorted(place.data.indices(nx.minimum_node_cut(place.graph, *PARTED))))


def _between() -> tuple[Picks, ...]:
    """Every set of coronary's variables but the two ends."""
    data = here.coronary().data
    return each_subset(tuple(k for k, name in enumerate(data.names) if name not in ENDS))


# --- The lesson -----------------------------------------------------------------------------------


def _first() -> tuple[str, ...]:
    return prose(
        f"Six facts were recorded about each of {here.coronary().data.rows:,} men, such as whether "
        "they smoke, whether their work is a strain, and their blood pressure. Each is a "
        "**variable**, a quantity with a few **states**.",
        "The circles are the variables. A line between two is an **edge**. This is a **Markov "
        "network**: it shows which variables depend on each other.",
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
                "Knowing one then adds nothing about the other. Because something is known, this "
                "is called **conditional independence**, and it is written ⊥.",
            ),
            _pairs,
            Touch("pair", lambda: each_pair(here.coronary().data.n), "Click two circles."),
        ),
        Step(
            "What is known blocks the way",
            lambda: prose(
                "Often less than everything is enough. Dependence travels along paths, and a "
                "variable that is known **blocks** every path through it.",
                f"Take {plain(ENDS[0])} and {plain(ENDS[1])}. Two variables are independent, given "
                "what is known, as soon as every path between them is blocked.",
            ),
            _blocking,
            Touch("nodes", _between, "Click circles to make them known, or unknown again."),
        ),
        Step(
            "Your turn: separate them",
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
                _reveal,
            ),
        ),
    ),
)
