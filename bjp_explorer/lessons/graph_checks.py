"""Answers about a graph, judged: what separates two nodes, a blanket, the order ψ.

All are pure. A culprit is told by its name.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import networkx as nx

from bjp_engine.dataset import Name
from bjp_explorer.lessons.model import Verdict
from bjp_explorer.lessons.scene import listed
from bjp_explorer.shell.phrases import say
from bjp_explorer.shell.text import names_list, plain


def open_path(graph: nx.Graph[Any], a: Name, b: Name, known: Collection[Name]) -> list[Name] | None:
    """A shortest path between two nodes that no known node blocks.

    None where every path is blocked: a and b are separated.
    """
    left = graph.subgraph(set(graph) - set(known))
    return nx.shortest_path(left, a, b) if nx.has_path(left, a, b) else None


def check_separation(graph: nx.Graph[Any], ends: tuple[Name, Name], known: list[Name]) -> Verdict:
    """Whether some nodes separate two others, and none of them for nothing.

    Its culprit is a node's name.
    """
    a, b = ends
    if path := open_path(graph, a, b, known):
        said = {"path": arrow(path), "a": plain(a), "b": plain(b)}
        through = len(path) > 2
        return Verdict(
            False,
            say("edges.question.open", **said) if through else say("edges.question.edge", **said),
        )
    for node in known:
        if open_path(graph, a, b, [other for other in known if other != node]) is None:
            return Verdict(False, say("edges.question.spare", node=plain(node)), node)
    given = say("edges.question.both") if len(known) == 2 else listed(known)
    return Verdict(
        True,
        say(
            "edges.question.right",
            a=plain(a),
            b=plain(b),
            passed=listed(known, "or"),
            known=given,
        ),
    )


def arrow(path: list[Name] | None) -> str:
    """A path in a sentence."""
    return " – ".join(plain(node) for node in path or ())


def check_blanket(graph: nx.Graph[Any], x: Name, chosen: Sequence[Name]) -> Verdict:
    """Whether some variables are a variable's blanket. Its culprit is a node's name."""
    for node in chosen:
        if not graph.has_edge(x, node):
            stranger = say("blanket.question.stranger", node=plain(node), x=plain(x))
            return Verdict(False, stranger, node)
    size = graph.degree[x]
    if len(chosen) < size:
        said = {"x": plain(x), "chosen": len(chosen), "size": size}
        edges = say("amounts.edge", n=size)
        nothing = say("blanket.question.nothing", x=plain(x), edges=edges)
        return Verdict(False, say("blanket.question.some", **said) if chosen else nothing)
    members = names_list(v for v in graph if v in chosen)
    rest = len(graph) - size - 1
    return Verdict(
        True, say("blanket.question.right", x=plain(x), members=members, size=size, rest=rest)
    )


def check_order(graph: nx.Graph[Any], order: Sequence[Name], chosen: Sequence[Name]) -> Verdict:
    """Whether variables were put in the order ψ. Its culprit is a node's name."""
    degree = dict(graph.degree)
    for place, (right, node) in enumerate(zip(order, chosen, strict=False)):
        if node == right:
            continue
        said = {"place": place + 1, "a": plain(right), "b": plain(node), "degree": degree[node]}
        why = (
            say("hub.question.equal", **said)
            if degree[right] == degree[node]
            else say("hub.question.smaller", **said, smaller=degree[right])
        )
        return Verdict(False, why, node)
    if len(chosen) < len(order):
        found = say("amounts.variable", n=len(chosen))
        left = len(order) - len(chosen)
        return Verdict(False, say("hub.question.unfinished", variables=found, left=left))
    last = plain(order[-1])
    return Verdict(True, say("hub.question.right", order=names_list(order), last=last))
