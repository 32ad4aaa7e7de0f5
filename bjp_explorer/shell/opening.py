"""Opening a graph on the page that steps through its score."""

from __future__ import annotations

from typing import Any, NoReturn

import networkx as nx
import streamlit as st

from bjp_explorer.shell import origins, visit
from bjp_explorer.shell.sources import Loaded

STEP_PAGE = "pages/step.py"


def open_graph(loaded: Loaded, graph: nx.Graph[Any], method: str) -> NoReturn:
    """Step through a graph's score: it becomes the graph edited by hand."""
    visit.edit(loaded, graph)
    _show("edited", method)


def open_learned(method: str, search: str = "learned") -> NoReturn:
    """Step through the score of the graph of the paper's search, or of `search="auto"`."""
    _show(search, method)


def _show(graph: str, method: str) -> NoReturn:
    """Set the controls of the other page and go there."""
    st.session_state[origins.own_key(visit.current(), "step-graph")] = graph
    st.session_state["step-score"] = method
    st.switch_page(STEP_PAGE)
