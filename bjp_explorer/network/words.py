"""What *Your network* says in words: how many edges, how sure, what the search did."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import networkx as nx

from bjp_engine import Dataset
from bjp_engine.confidence import Diagnostics
from bjp_engine.dataset import Name
from bjp_engine.search import SearchTrace
from bjp_explorer.shell.text import count, markdown, number, plain, shown, together
from bjp_explorer.views.edges import MOST_NAMED, SURE, Line, surest


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


def summary(found: Sequence[Line], data: Dataset, hidden: int, threshold: float) -> str:
    """How many edges there are, how many are sure, and which are doubtful, as Markdown."""
    edges = [line for line in found if line.learned]
    total = len(edges) + hidden
    if not total:
        return (
            "**No edge was found**: as far as these "
            f"{count(data.rows, 'row')} can tell, no variable depends on another."
        )
    doubtful = [line for line in reversed(edges) if line.confidence < SURE]
    sure = len(edges) - len(doubtful)
    text = f"**{count(total, 'edge')}** between {count(data.n, 'variable')}"
    text += f", **{sure:,} sure** (confidence {SURE} or more)."
    if hidden:
        them = "it is" if hidden == 1 else "they are"
        text += (
            f" {count(hidden, 'edge')} below {threshold:.2f} {'is' if hidden == 1 else 'are'} "
            f"hidden here, and {them} not in the files either."
        )
    if doubtful:
        parts = [
            f"{pair(line.i, line.j, data)} ({number(line.confidence, 2)})"
            for line in doubtful[:MOST_NAMED]
        ]
        text += f" Doubtful, the most doubtful first: {listed(parts, len(doubtful))}."
    elif edges:
        text += " None of those shown is doubtful." if hidden else " None is doubtful."
    return text + _others(found, data)


def _others(found: Sequence[Line], data: Dataset) -> str:
    """The pairs that are no edges though their confidence is high."""
    rest = [line for line in found if not line.learned and line.confidence >= SURE]
    if not rest:
        return ""
    parts = [
        f"{pair(line.i, line.j, data)} ({number(line.confidence, 2)})" for line in surest(found)
    ]
    return f" Not in the graph, yet of confidence {SURE} or more: {listed(parts, len(rest))}."


def constants(names: Sequence[Name]) -> str:
    """That variables with one value have no edges."""
    which = listed([name(each) for each in names])
    if len(names) == 1:
        return f"{which} has the same value in every row, so nothing can be learned of its edges."
    return f"{which} have the same value in every row, so nothing can be learned of their edges."


def did(trace: SearchTrace) -> str:
    """What the search did, in plain words."""
    flips = count(trace.best_at, "flip") if trace.best_at else "no flip"
    if trace.search != "auto":
        return (
            "IBMAP-HC, the paper’s search, began with the graph without edges and held every "
            f"graph equally likely beforehand. It made {flips} and stopped because "
            f"{trace.stop_reason}."
        )
    start = count(trace.milestones["nodewise"].number_of_edges(), "edge")
    return (
        "Auto first asked each variable by itself which others predict it, and where all have two "
        "states each pair whether its two are dependent: the graph of what "
        f"they say, with {start}, is the start, and how clearly they speak for or against each "
        "edge is the prior over structures. From there it climbed the BJP score together with "
        f"that prior, with {flips} of an edge until the graph shown. It stopped because "
        f"{trace.stop_reason}."
    )


def trust(found: Diagnostics) -> str:
    """Whether to trust Markov chains."""
    if found.rhat is None or found.ess is None:
        numbers = "R̂ and effective sample size can’t be told."
        if not found.watched:
            numbers = "Nothing varied between the draws."
    else:
        numbers = (
            f"R̂ = {number(found.rhat)} at worst (of {_of(found.rhat_of)}), effective sample size "
            f"{number(found.ess, 0)} at least (of {_of(found.ess_of)}), over "
            f"{count(found.chains, 'chain')}."
        )
    if found.converged:
        return f"**The chains agree**, so these numbers can be trusted. {numbers}"
    stuck = ""
    if found.stuck:
        stuck = (
            f" In {count(found.stuck, 'quantity', 'quantities')} each chain keeps its own value."
        )
    return (
        f"**Don’t rely on these numbers yet**: the chains do not agree. {numbers}{stuck} "
        "Give them more time, or use the bootstrap."
    )


def _of(quantity: str) -> str:
    """What a diagnostic is of, as Markdown."""
    told = {"edges": "the number of edges", "score": "the score"}
    return told.get(quantity) or markdown(plain(quantity, 60))


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
