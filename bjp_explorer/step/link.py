"""What *Step through the score* keeps in its URL: score, graph, its edges, and the step."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import networkx as nx
import numpy as np
import streamlit as st

from bjp_engine.errors import OptionError
from bjp_engine.scores import SCORES, ScoreTrace
from bjp_engine.scores.assertions import AssertionTerms
from bjp_explorer.shell import links, visit
from bjp_explorer.shell.links import Field
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.step import edge_text

SCORE, GRAPH, KEPT, _CELL = "step-score", "step-graph", "step-kept", "step-cell"


def graphs(loaded: Loaded) -> list[str]:
    """The graphs that can be chosen."""
    known = {"true": loaded.truth, "published": loaded.published}
    return ["learned", *(name for name, graph in known.items() if graph is not None), *_ALWAYS]


_ALWAYS = ("empty", "edited")


def fields(loaded: Loaded, step: int = 0) -> Iterator[Field]:
    """The page's choices."""
    data = loaded.data
    yield links.choice("score", SCORE, SCORES, "bjp")
    yield links.choice("graph", GRAPH, _writable(loaded), "learned")
    if st.session_state.get(GRAPH) == "edited":
        yield Field(
            "edges",
            partial(edge_text.read, n=data.n),
            partial(edge_text.write, n=data.n),
            partial(_edges, loaded),
            partial(_edit, loaded),
        )
    most = data.n if st.session_state.get(SCORE) == "mpl" else data.n * (data.n - 1)
    place = links.whole("step", KEPT, 0, most, 0)
    yield Field("step", place.read, place.write, lambda: step, place.put, 0)
    # A pair instead of a number of steps: read, and written as the step that tests it.
    yield Field("cell", partial(_pair, n=data.n), str, lambda: None, _keep_cell)


def asked(trace: ScoreTrace) -> int | None:
    """The step that makes the assertion a link asked for, once.

    None where no link asked for one, and where the trace has none of that pair.
    """
    pair = st.session_state.pop(_CELL, None)
    if pair is None or not isinstance(trace.terms, AssertionTerms):
        return None
    columns = trace.terms.columns()
    found = np.flatnonzero((columns.x == pair[0]) & (columns.y == pair[1]))
    return int(found[0]) + 1 if len(found) else None


def too_large(loaded: Loaded) -> bool:
    """Whether the edited graph has too many edges for a link."""
    pairs = _edges(loaded)
    return bool(pairs) and not edge_text.write(pairs or (), loaded.data.n)


def _writable(loaded: Loaded) -> list[str]:
    """The graphs that a link can lead to."""
    named = graphs(loaded)
    return [name for name in named if name != "edited"] if too_large(loaded) else named


def _edges(loaded: Loaded) -> edge_text.Pairs | None:
    """The edited graph's edges; None where there are none."""
    graph = visit.edited_graph(loaded)
    index = loaded.data.index
    return sorted((min(e), max(e)) for e in ((index(u), index(v)) for u, v in graph.edges)) or None


def _edit(loaded: Loaded, pairs: edge_text.Pairs | None) -> None:
    """Make these the edges of the edited graph."""
    names = loaded.data.names
    graph: nx.Graph[Any] = nx.empty_graph(names)
    graph.add_edges_from((names[i], names[j]) for i, j in pairs or ())
    if pairs != _edges(loaded):
        visit.edit(loaded, graph)


def _pair(text: str, n: int) -> tuple[int, int]:
    """An ordered pair of columns."""
    ends = text.split("-")
    if len(ends) == 2 and all(e.isascii() and e.isdecimal() and len(e) < 7 for e in ends):
        i, j = map(int, ends)
        if i != j and max(i, j) < n:
            return i, j
    raise OptionError(f"must be two different columns from 0 to {n - 1}, such as 0-1")


def _keep_cell(pair: tuple[int, int] | None) -> None:
    """Remember the pair until the trace is there."""
    st.session_state[_CELL] = pair
