"""What a climb found beside what the paper's search finds on the same data."""

from __future__ import annotations

from typing import Any

import networkx as nx

from bjp_engine import Dataset, metrics
from bjp_engine.scores import SCORES
from bjp_engine.search import SEARCHES, SearchTrace
from bjp_explorer.shell import caches
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import count, markdown, number, shown

# So many edges are named; of more, only how many.
FEW = 12


def beside_paper(loaded: Loaded, found: SearchTrace, paper: SearchTrace) -> str:
    """The difference to the paper's search, in a line.

    Markdown: edges added and removed, both scores with every graph equally likely, and the Hamming
    distances where the truth is known.
    """
    ours, theirs = (set(map(frozenset, trace.graph.edges)) for trace in (found, paper))
    head = f"**Compared with the paper’s search** ({SEARCHES[paper.search].title}):"
    if ours == theirs:
        return f"{head} the same graph"
    changes = ((len(ours - theirs), "added"), (len(theirs - ours), "removed"))
    score = caches.score_graph(loaded.data, found.graph, found.method).total
    name = f"ln {SCORES[found.method].title}"
    parts = [
        " and ".join(f"{count(made, 'edge')} {how}" for made, how in changes if made),
        f"{name} {number(score)} instead of {number(paper.score)}, with a uniform prior",
    ]
    if loaded.truth is not None:
        here, there = (metrics.hamming(loaded.truth, t.graph) for t in (found, paper))
        parts.append(f"Hamming distance {here} instead of {there}")
    return f"{head} {' · '.join(parts)}"


def two(first: nx.Graph[Any], second: nx.Graph[Any], data: Dataset) -> str:
    """The edges that only one of two climbs ended with, in a line, as Markdown."""
    ours, theirs = (
        {tuple(sorted((data.index(u), data.index(v)))) for u, v in graph.edges}
        for graph in (first, second)
    )
    if ours == theirs:
        return f"Both climbs end with the same graph of {count(len(ours), 'edge')}."
    parts = [f"{count(len(ours & theirs), 'edge')} in both"]
    for where, only in (("first", ours - theirs), ("second", theirs - ours)):
        names = ", ".join(
            " – ".join(markdown(shown(data.names[i])) for i in pair) for pair in sorted(only)
        )
        which = f" ({names})" if 0 < len(only) <= FEW else ""
        parts.append(f"{len(only):,} only in the {where}{which}")
    return f"{'; '.join(parts)}."
