"""Lesson 1: an edge, and what a missing edge says."""

from __future__ import annotations

import networkx as nx

from bjp_engine.dataset import Name
from bjp_explorer.lessons import data as here
from bjp_explorer.lessons.checks import arrow, check_separation, open_path
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
)
from bjp_explorer.lessons.scene import by_column, listed, network
from bjp_explorer.shell.phrases import Joined, say
from bjp_explorer.shell.text import plain

# The two ends that are to be parted: in coronary, and in the question's network.
ENDS = ("mental_work", "lipoprotein_ratio")
ASKED, PARTED = "target-2", ("X2", "X5")


# --- Views ----------------------------------------------------------------------------------------


def _variables(picks: Picks) -> Payload:
    """The network; a click tells of one variable."""
    place = here.coronary()
    if not picks:
        return {"networks": [network(place)]}
    data, graph = place.data, place.graph
    k = first_index(picks)
    x = data.names[k]
    said = {
        "x": plain(x),
        "states": ", ".join(data.labels[k]),
        "edges": say("amounts.edge", n=graph.degree[x]),
    }
    joined = say("edges.variables.joined", **said, others=listed(graph[x]))
    return {
        "networks": [network(place, roles={x: "x"})],
        "say": [joined if graph.degree[x] else say("edges.variables.alone", **said)],
    }


def _pairs(picks: Picks) -> Payload:
    place = here.coronary()
    data, graph = place.data, place.graph
    if not picks:
        return {"networks": [network(place)]}
    x, y = (data.names[k] for k in indices(picks))
    others = [z for z in data.names if z not in (x, y)]
    joined = graph.has_edge(x, y)
    about = {"x": plain(x), "y": plain(y), "others": listed(others)}
    said = say("edges.pairs.edge", **about) if joined else say("edges.pairs.missing", **about)
    kind = "dependent" if joined else "independent"
    link = {"i": picks[0], "j": picks[1], "tone": kind, "dependent": joined, "straight": joined}
    drawing = network(
        place,
        roles={x: "x", y: "y"} | dict.fromkeys(others, "given"),
        tones={frozenset((x, y)): "tested"},
        kind=kind,
        link=link,
    )
    return {"networks": [drawing], "say": [said]}


def _parting(place: here.Place, ends: tuple[Name, Name], known: list[Name]) -> Payload:
    path = open_path(place.graph, *ends, known)
    steps = zip(path or (), (path or ())[1:], strict=False)
    return network(
        place,
        roles={ends[0]: "x", ends[1]: "y"} | dict.fromkeys(known, "given"),
        tones={frozenset(step): "tested" for step in steps},
    )


def _blocking(picks: Picks) -> Payload:
    """Which paths are open while some variables are known."""
    place = here.coronary()
    known = [place.names[k] for k in indices(picks)]
    path = open_path(place.graph, *ENDS, known)
    given = listed(known)
    what = say("edges.blocking.known", known=given) if known else say("edges.blocking.unknown")
    said = (
        say("edges.blocking.open", path=arrow(path), **_ends())
        if path
        else say("edges.blocking.blocked", known=given, **_ends())
    )
    return {"networks": [_parting(place, ENDS, known)], "say": [Joined((what, said))]}


def _ends() -> dict[str, str]:
    return dict(zip("ab", map(plain, ENDS), strict=True))


def _question(_picks: Picks) -> Payload:
    place = here.sample_network(ASKED)
    ends: dict[Name, str] = {PARTED[0]: "x", PARTED[1]: "y"}
    return {"networks": [network(place, roles=ends)]}


def _reveal() -> Payload:
    place = here.sample_network(ASKED)
    known = [place.names[k] for k in indices(_answer())]
    return {"networks": [_parting(place, PARTED, known)]}


def _check(picks: Picks) -> Verdict:
    place = here.sample_network(ASKED)
    verdict = check_separation(place.graph, PARTED, [place.names[k] for k in indices(picks)])
    return by_column(verdict, place.data)


def _answer() -> Picks:
    place = here.sample_network(ASKED)
    return tuple(sorted(place.data.indices(nx.minimum_node_cut(place.graph, *PARTED))))


def _between() -> tuple[Picks, ...]:
    """Every set of coronary's variables but the two ends."""
    data = here.coronary().data
    return each_subset(tuple(k for k, name in enumerate(data.names) if name not in ENDS))


# --- The lesson -----------------------------------------------------------------------------------


LESSON = Lesson(
    "edges",
    (
        Step(
            "edges.variables",
            _variables,
            Touch("node", lambda: each(here.coronary().data.n)),
            values=lambda: {"rows": here.coronary().data.rows},
        ),
        Step("edges.pairs", _pairs, Touch("pair", lambda: each_pair(here.coronary().data.n))),
        Step("edges.blocking", _blocking, Touch("nodes", _between), values=_ends),
        Step(
            "edges.question",
            _question,
            question=Question("nodes", _check, _answer, _reveal),
            values=lambda: dict(zip("ab", PARTED, strict=True)),
        ),
    ),
)
