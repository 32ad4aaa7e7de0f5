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
from bjp_explorer.shell.text import count, plain, together


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
        why = "nothing on it is known" if len(path) > 2 else "an edge joins them"
        return Verdict(
            False,
            f"The path {arrow(path)} is still open: {why}, so {plain(a)} and {plain(b)} "
            "are still dependent.",
        )
    for node in known:
        if open_path(graph, a, b, [other for other in known if other != node]) is None:
            return Verdict(
                False,
                f"They are independent now, but fewer will do: without {plain(node)} every path "
                "is still blocked. Click it again to take it back.",
                node,
            )
    passed = together([plain(node) for node in known], "or")
    return Verdict(
        True,
        f"Every path from {plain(a)} to {plain(b)} goes through {passed}. Given "
        f"{'both' if len(known) == 2 else listed(known)}, {plain(a)} and {plain(b)} are "
        "independent, and no smaller part of this will do.",
    )


def arrow(path: list[Name] | None) -> str:
    """A path in a sentence."""
    return " – ".join(plain(node) for node in path or ())


def check_blanket(graph: nx.Graph[Any], x: Name, chosen: Sequence[Name]) -> Verdict:
    """Whether some variables are a variable's blanket. Its culprit is a node's name."""
    for node in chosen:
        if not graph.has_edge(x, node):
            return Verdict(
                False,
                f"{plain(node)} is not in the blanket of {plain(x)}: no edge joins them. Any "
                "dependence between them goes through other variables.",
                node,
            )
    size = graph.degree[x]
    if len(chosen) < size:
        so_far = (
            f"Right so far, but you chose {len(chosen)} of the {size} neighbours of {plain(x)}."
            if chosen
            else f"Nothing chosen yet: {plain(x)} has {count(size, 'edge')}."
        )
        return Verdict(False, f"{so_far} Follow each edge to its other end.")
    rest = len(graph) - size - 1
    members = ", ".join(plain(v) for v in graph if v in chosen)
    return Verdict(
        True,
        f"B^{{{plain(x)}}} = {{{members}}}. "
        f"Given these {size}, {plain(x)} is independent of the {rest} others, all at once.",
    )


def check_order(graph: nx.Graph[Any], order: Sequence[Name], chosen: Sequence[Name]) -> Verdict:
    """Whether variables were put in the order ψ. Its culprit is a node's name."""
    degree = dict(graph.degree)
    for place, (right, node) in enumerate(zip(order, chosen, strict=False)):
        if node == right:
            continue
        a, b = plain(right), plain(node)
        why = (
            f"{a} and {b} have the same degree, {degree[node]}; of equals the first column goes "
            f"first, and that is {a}"
            if degree[right] == degree[node]
            else f"{b} has degree {degree[node]}, and {a}, with only {degree[right]}, still waits"
        )
        return Verdict(False, f"Look at place {place + 1}: {why}.", node)
    if len(chosen) < len(order):
        return Verdict(
            False,
            f"Right so far: {count(len(chosen), 'variable')} in order, "
            f"{len(order) - len(chosen)} to go.",
        )
    return Verdict(
        True,
        f"ψ = ({', '.join(map(plain, order))}). {plain(order[-1])}, with the largest blanket, "
        "goes last. When its turn comes, every pair it belongs to is settled.",
    )
