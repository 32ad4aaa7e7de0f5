"""What a climb found beside what the paper's search finds on the same data."""

from __future__ import annotations

from bjp_engine import SearchTrace, metrics
from bjp_engine.scores import SCORES
from bjp_engine.search import SEARCHES
from bjp_explorer import cached
from bjp_explorer.sources import Loaded
from bjp_explorer.text import count, number


def beside_paper(loaded: Loaded, found: SearchTrace, paper: SearchTrace) -> str:
    """The difference to the paper's search, in a line.

    Parameters
    ----------
    loaded : Loaded
    found : SearchTrace
    paper : SearchTrace
        The score's default search, as it stands in the paper.

    Returns
    -------
    str
        Markdown: edges added and removed, both scores with every graph equally likely, and the
        Hamming distances where the truth is known.
    """
    ours, theirs = (set(map(frozenset, trace.graph.edges)) for trace in (found, paper))
    head = f"**Beside the paper’s search** ({SEARCHES[paper.search].title}):"
    if ours == theirs:
        return f"{head} the same graph"
    changes = ((len(ours - theirs), "added"), (len(theirs - ours), "removed"))
    key = cached.edges_key(found.graph)
    score = cached.scored(loaded.data.digest, found.method, key, loaded.data, found.graph).total
    name = f"ln {SCORES[found.method].title}"
    parts = [
        " and ".join(f"{count(made, 'edge')} {how}" for made, how in changes if made),
        f"{name} {number(score)}, there {number(paper.score)}, with every graph equally likely",
    ]
    if loaded.truth is not None:
        here, there = (metrics.hamming(loaded.truth, t.graph) for t in (found, paper))
        parts.append(f"Hamming distance {here}, there {there}")
    return f"{head} {' · '.join(parts)}"
