"""The sentences of *Your network*: how many edges, how probable, what the search did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import networkx as nx

from bjp_engine import Dataset
from bjp_engine.confidence import Diagnostics
from bjp_engine.dataset import Name
from bjp_engine.search import SearchTrace
from bjp_explorer.shell import origins
from bjp_explorer.shell.text import count, markdown, number, plain, shown, together
from bjp_explorer.views.edges import MOST_NAMED, SURE, Line, surest
from bjp_explorer.views.words import MEASURES


def name(of: Name) -> str:
    """A variable's name as Markdown that shows it as it is."""
    return markdown(plain(shown(of), 28))


def pair(i: int, j: int, data: Dataset) -> str:
    """A pair of variables as Markdown."""
    return f"{name(data.names[i])} – {name(data.names[j])}"


def listed(parts: Sequence[str], of: int | None = None) -> str:
    """Parts with commas and an "and"; past the sixth only how many more there are."""
    amount = len(parts) if of is None else of
    found = list(parts[:MOST_NAMED])
    if amount > len(found):
        found.append(f"{amount - len(found):,} more")
    return together(found)


def summary(
    found: Sequence[Line], data: Dataset, hidden: int, threshold: float, kind: str, how: str
) -> str:
    """How many edges there are and how they came about, and which of them are doubtful.

    `kind` is that of the numbers, `how` as `origins.origin` says it. Markdown.
    """
    edges = [line for line in found if line.learned]
    total = len(edges) + hidden
    if not total:
        return (
            f"**No edge was found**: these {count(data.rows, 'row')} do not show that any variable "
            "depends on another."
        )
    doubtful = [line for line in reversed(edges) if line.confidence < SURE]
    sure = len(edges) - len(doubtful)
    text = f"**{count(total, 'edge')}** between {count(data.n, 'variable')}"
    text += f" {how}, **{sure:,} with {MEASURES[kind]} {SURE} or more**."
    if hidden:
        text += (
            f" {count(hidden, 'edge')} below {threshold:.2f} {'is' if hidden == 1 else 'are'} "
            "hidden here and left out of the files."
        )
    if doubtful:
        parts = [
            f"{pair(line.i, line.j, data)} ({number(line.confidence, 2)})"
            for line in doubtful[:MOST_NAMED]
        ]
        text += f" Less clear edges, the lowest first: {listed(parts, len(doubtful))}."
    return text + _others(found, data, kind)


def _others(found: Sequence[Line], data: Dataset, kind: str) -> str:
    """The pairs that are no edges though their number is high."""
    rest = [line for line in found if not line.learned and line.confidence >= SURE]
    if not rest:
        return ""
    parts = [
        f"{pair(line.i, line.j, data)} ({number(line.confidence, 2)})" for line in surest(found)
    ]
    return (
        f" Pairs with {MEASURES[kind]} {SURE} or more that the search left out: "
        f"{listed(parts, len(rest))}."
    )


def constants(names: Sequence[Name]) -> str:
    """That variables with one value have no edges."""
    which = listed([name(each) for each in names])
    if len(names) == 1:
        return f"{which} has the same value in every row, so its edges cannot be learned."
    return f"{which} have the same value in every row, so their edges cannot be learned."


def did(trace: SearchTrace) -> str:
    """What the search did, in plain words."""
    flips = count(trace.best_at, "flip") if trace.best_at else "no flip"
    if trace.search != "auto":
        return (
            "IBMAP-HC, the paper’s search, started from the empty graph with a uniform prior over "
            f"graphs. It made {flips}. {_end(trace)}"
        )
    start = count(trace.milestones["nodewise"].number_of_edges(), "edge")
    return (
        "Auto first found which variables predict each variable. If all variables have two states, "
        "it also tested each pair given the empty set. The answers give a starting graph of "
        f"{start}, and a prior for each edge. From there it climbed the BJP score plus that "
        f"prior: it made {flips} up to the graph shown. {_end(trace)}"
    )


def _end(trace: SearchTrace) -> str:
    """Why the search ended."""
    if origins.is_whole(trace):
        return f"It stopped because {trace.stop_reason}."
    return "It was cancelled there, so this graph is not the learned one."


def trust(found: Diagnostics) -> str:
    """Whether to trust Markov chains."""
    if found.rhat is None or found.ess is None:
        numbers = "R̂ and effective sample size cannot be computed."
        if not found.watched:
            numbers = "Nothing varied between the draws."
    else:
        numbers = (
            f"R̂ = {number(found.rhat)} at worst (of {_of(found.rhat_of)}), effective sample size "
            f"{number(found.ess, 0)} at least (of {_of(found.ess_of)}), over "
            f"{count(found.chains, 'chain')}."
        )
    if found.converged:
        return f"**The chains agree**, so these numbers can be used. {numbers}"
    stuck = ""
    if found.stuck:
        stuck = (
            f" In {count(found.stuck, 'quantity', 'quantities')} each chain is stuck at a value of "
            "its own."
        )
    return (
        f"**Don’t rely on these numbers yet**: the chains do not agree. {numbers}{stuck} "
        "Give them more time, or use the bootstrap."
    )


def _of(quantity: str) -> str:
    """What a diagnostic is of, as Markdown."""
    known = {"edges": "the number of edges", "score": "the score"}
    return known.get(quantity) or markdown(plain(quantity, 60))


def differences(
    ours: nx.Graph[Any], theirs: nx.Graph[Any], data: Dataset
) -> tuple[list[str], list[str]]:
    """The edges of only one of two graphs, as Markdown."""
    both = [
        {tuple(sorted((data.index(u), data.index(v)))) for u, v in graph.edges}
        for graph in (ours, theirs)
    ]
    first, second = sorted(both[0] - both[1]), sorted(both[1] - both[0])
    return [pair(i, j, data) for i, j in first], [pair(i, j, data) for i, j in second]
