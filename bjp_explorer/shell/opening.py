"""Opening a graph on the page that steps through its score."""

from __future__ import annotations

from typing import Any, NoReturn

import networkx as nx
import streamlit as st

from bjp_explorer.shell import caches, origins, visit
from bjp_explorer.shell.caches import Cells
from bjp_explorer.shell.sources import Loaded

STEP_PAGE = "pages/step.py"
# The ordered pair whose test the page is asked for.
CELL = "step-cell"


def open_graph(
    loaded: Loaded,
    graph: nx.Graph[Any],
    method: str,
    origin: str = "",
    learned: nx.Graph[Any] | None = None,
    cells: Cells = "equal",
) -> NoReturn:
    """Step through a graph's score.

    Where the page has no choice of this graph, it becomes the graph that is edited by hand, with
    the `origin` that is given. `learned` is what the paper's search learns by this score.
    """
    choices = {"learned": learned, "true": loaded.truth, "published": loaded.published}
    for name, other in choices.items():
        if other is not None and caches.edges_key(other) == caches.edges_key(graph):
            _show(name, method, cells)
    visit.edit(loaded, graph, origin)
    _show("edited", method, cells)


def open_learned(method: str, search: str = "learned", cells: Cells = "equal") -> NoReturn:
    """Step through the score of the graph of the paper's search, or of `search="auto"`."""
    _show(search, method, cells)


def begin_at(x: int, y: int) -> None:
    """Begin at the test of x and y given the blanket of x, once a graph is opened."""
    st.session_state[CELL] = x, y


def _show(graph: str, method: str, cells: Cells) -> NoReturn:
    """Set the controls of the other page and go there."""
    for name, value in (("graph", graph), ("test", cells)):
        st.session_state[origins.own_key(visit.current(), f"step-{name}")] = value
    st.session_state["step-score"] = method
    st.switch_page(STEP_PAGE)
