"""What changed the score on *Step through the score*: from the graph before to this one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import networkx as nx
import numpy as np
import streamlit as st

from bjp_engine import Dataset
from bjp_engine.scores import (
    SCORES,
    AssertionTerm,
    ScoreChange,
    ScoreTrace,
    TermChange,
    score_change,
    spared_tests,
)
from bjp_engine.scores.assertions import AssertionTerms
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


def graph_before(digest: str, method: str, graph: nx.Graph[Any]) -> nx.Graph[Any] | None:
    """The graph that was shown before this one, while data and score stayed the same.

    None where the data, or score and graph together, are others.
    """
    now = caches.edges_key(graph)
    seen: Mapping[str, Any] = st.session_state.get(_SEEN, {})
    before = None
    if seen.get("digest") == digest:
        if seen["now"] == now:
            before = seen["before"]
        elif seen["method"] == method:
            before = seen["graph"]
    st.session_state[_SEEN] = {
        "digest": digest,
        "method": method,
        "now": now,
        "graph": graph,
        "before": before,
    }
    return before


def change_payload(
    graph: nx.Graph[Any], trace: ScoreTrace, data: Dataset, cells: Cells
) -> Payload | None:
    """The terms that make up the difference to the graph before, by the same tests.

    None where there is no graph to compare with. `caption` is for the head of the page.
    """
    before = graph_before(data.digest, trace.method, graph)
    if before is None:
        return None
    key, now = caches.edges_key(before), caches.edges_key(graph)
    earlier = caches.score_graph(data, before, trace.method, cells)

    def made() -> Payload:
        return _payload(score_change(earlier, trace), before, graph, data)

    drawn = caches.drawn(("change", data.digest, trace.method, cells, key, now), made)
    return {"id": f"{trace.method} {cells} {key} {now}", **drawn}


def _payload(
    change: ScoreChange, before: nx.Graph[Any], graph: nx.Graph[Any], data: Dataset
) -> Payload:
    trace, shown_terms = change.after, change.terms[:MOST_ROWS]
    left = change.terms[MOST_ROWS:]
    added = number(sum(term.difference for term in left))
    return {
        "kind": "local" if trace.method == "mpl" else "assertions",
        "caption": caption(change),
        "headline": headline(change),
        "about": _edges(before, graph),
        "rows": [_row(term, data) for term in shown_terms],
        "rest": f"{count(len(left), 'smaller change')}, in total {added}." if left else "",
    }


def caption(change: ScoreChange) -> str:
    """What the score was before, and how many terms changed it."""
    noun = "local score" if change.after.method == "mpl" else "term"
    return f"(before: {number(change.before.total)}; {count(len(change.terms), noun)} changed)"


def headline(change: ScoreChange) -> str:
    """The difference and how many terms make it up."""
    title = f"ln {SCORES[change.after.method].title}"
    size = len(change.after.terms)
    noun = "local score" if change.after.method == "mpl" else "term"
    changed = f"{len(change.terms):,} of {count(size, noun)} changed"
    if change.difference == 0:
        return f"{title} is unchanged: {changed}"
    verb = "rose" if change.difference > 0 else "fell"
    return f"{title} {verb} by {_size(abs(change.difference))}: {changed}"


def _size(value: float) -> str:
    """A difference with the digits that it deserves."""
    return number(value) if value >= 5e-4 else f"{value:.1e}"


def _edges(before: nx.Graph[Any], after: nx.Graph[Any]) -> str:
    old, new = ({frozenset(edge) for edge in graph.edges} for graph in (before, after))
    added, removed = new - old, old - new
    if len(added) + len(removed) == 1:
        u, v = sorted(map(plain, next(iter(added | removed))))
        return f"{u} – {v} {'added' if added else 'removed'}"
    sizes = [
        f"{count(len(edges), 'edge')} {what}"
        for edges, what in ((added, "added"), (removed, "removed"))
        if edges
    ]
    return ", ".join(sizes)


def _row(change: TermChange, data: Dataset) -> Payload:
    after = change.after
    dependent = isinstance(after, AssertionTerm) and after.dependent
    was, now = (names_list(term.given) for term in (change.before, change.after))
    return {
        "x": data.index(change.x),
        "y": None if change.y is None else data.index(change.y),
        "dependent": dependent,
        "what": (
            str(change.kind) if was == now else f"{change.kind}: now given {now} (before: {was})"
        ),
        "before": _value(change.before),
        "after": _value(after),
        "difference": change.difference,
    }


def _value(term: Any) -> float | None:
    return term.value if getattr(term, "computed", True) else None


def skipped_values(trace: ScoreTrace, data: Dataset, cells: Cells) -> list[float | None]:
    """ln Pr of each assertion by its skipped test; None where BJP makes the test.

    Empty for other scores, and where the tests would take too long.
    """
    terms = trace.terms
    if trace.method != "bjp" or not isinstance(terms, AssertionTerms):
        return []
    if costs.of_graph(data, trace.graph, "ib") > MOST_SECONDS:
        return []
    halves = spared_tests(trace, caches.score_graph(data, trace.graph, "ib", cells))
    found: list[float | None] = [None] * len(terms)
    inferred = np.flatnonzero(~terms.columns().computed).tolist()
    for k, value in zip(inferred, halves.inferred.value.tolist(), strict=True):
        found[k] = value
    return found
