"""What changed the score on *Step through the score*: from the graph before to this one."""

from __future__ import annotations

from typing import Any

import networkx as nx
import numpy as np
import streamlit as st

from bjp_engine import Dataset
from bjp_engine.scores import SCORES, AssertionTerm, ScoreTrace, score_change, spared_tests
from bjp_engine.scores.bjp import AssertionTerms
from bjp_engine.scores.change import ScoreChange, TermChange
from bjp_explorer.jobs import costs
from bjp_explorer.shell import caches
from bjp_explorer.shell.caches import Cells
from bjp_explorer.shell.text import count, names_list, number, plain

Payload = dict[str, Any]
# More rows than these are not read; the rest is summed up in a line.
MOST_ROWS = 60
# A page is drawn at once; the skipped tests are as many as those that were made.
MOST_SECONDS = 0.05
_SEEN = "step-graphs-seen"


def _graph_before(digest: str, method: str, graph: nx.Graph[Any]) -> nx.Graph[Any] | None:
    """The graph that was shown before this one; None where data, or score and graph, are others."""
    seen, now = st.session_state.get(_SEEN), caches.edges_key(graph)
    before = None
    if seen and seen["digest"] == digest:
        if seen["now"] == now:
            before = seen["before"]
        elif seen["method"] == method:
            before = seen["graph"]
    about = {"digest": digest, "method": method, "now": now, "graph": graph}
    st.session_state[_SEEN] = {**about, "before": before}
    return before


def change_payload(
    graph: nx.Graph[Any], trace: ScoreTrace, data: Dataset, cells: Cells
) -> Payload | None:
    """The terms that make up the difference to the graph before, by the same tests.

    None where there is no graph to compare with. `caption` is for the head of the page.
    """
    before = _graph_before(data.digest, trace.method, graph)
    if before is None:
        return None
    key, now = caches.edges_key(before), caches.edges_key(graph)
    earlier = caches.score_graph(data, before, trace.method, cells)
    drawn = caches.drawn(
        ("change", data.digest, trace.method, cells, key, now),
        lambda: _payload(score_change(earlier, trace), before, graph, data),
    )
    return {"id": f"{trace.method} {cells} {key} {now}", **drawn}


def _payload(
    change: ScoreChange, before: nx.Graph[Any], graph: nx.Graph[Any], data: Dataset
) -> Payload:
    trace, terms, left = change.after, change.terms, change.terms[MOST_ROWS:]
    local = not isinstance(trace.terms, AssertionTerms)
    added = number(sum(term.difference for term in left))
    noun, title = "local score" if local else "term", f"ln {SCORES[trace.method].title}"
    changed = f"{len(terms):,} of {count(len(trace.terms), noun)} changed"
    size = abs(change.difference)
    # The digits that a difference deserves.
    by = number(size) if size >= 5e-4 else f"{size:.1e}"
    moved = f"{'rose' if change.difference > 0 else 'fell'} by {by}" if size else "is unchanged"
    return {
        "kind": "local" if local else "assertions",
        "caption": f"(before: {number(change.before.total)}; {count(len(terms), noun)} changed)",
        "headline": f"{title} {moved}: {changed}",
        "about": _edges(before, graph),
        "rows": [_row(term, data) for term in terms[:MOST_ROWS]],
        "rest": f"{count(len(left), 'smaller change')}, in total {added}." if left else "",
    }


def _edges(before: nx.Graph[Any], after: nx.Graph[Any]) -> str:
    old, new = ({frozenset(edge) for edge in graph.edges} for graph in (before, after))
    added, removed = new - old, old - new
    if len(added) + len(removed) == 1:
        u, v = sorted(map(plain, next(iter(added | removed))))
        return f"{u} – {v} {'added' if added else 'removed'}"
    both = ((added, "added"), (removed, "removed"))
    return ", ".join(f"{count(len(edges), 'edge')} {what}" for edges, what in both if edges)


def _row(change: TermChange, data: Dataset) -> Payload:
    terms = change.before, change.after
    was, now = (names_list(term.given) for term in terms)
    before, after = (term.value if getattr(term, "computed", True) else None for term in terms)
    return {
        "x": data.index(change.x),
        "y": None if change.y is None else data.index(change.y),
        "dependent": isinstance(change.after, AssertionTerm) and change.after.dependent,
        "what": f"{change.kind}" + (f": now given {now} (before: {was})" if was != now else ""),
        "before": before,
        "after": after,
        "difference": change.difference,
    }


def skipped_values(trace: ScoreTrace, data: Dataset, cells: Cells) -> list[float | None]:
    """ln Pr of each assertion by its skipped test; None where BJP makes the test.

    Empty for other scores, and where the tests would take too long.
    """
    terms = trace.terms
    if trace.method != "bjp" or not isinstance(terms, AssertionTerms):
        return []
    if costs.of_graph(data, trace.graph, "ib") > MOST_SECONDS:
        return []
    halves = spared_tests(caches.score_graph(data, trace.graph, "ib", cells))
    found: list[float | None] = [None] * len(terms)
    inferred = np.flatnonzero(~terms.columns().computed).tolist()
    for k, value in zip(inferred, halves.inferred.value.tolist(), strict=True):
        found[k] = value
    return found
