"""The effects of the shown edges, and the settings of effects and verdicts."""

from __future__ import annotations

from typing import Any

import networkx as nx
import pandas as pd
import streamlit as st

from bjp_explorer.jobs import results
from bjp_explorer.network import choices, words
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.views.verdicts import USUAL, Thresholds


def choose_settings(place: Any, loaded: Loaded, kind: str) -> None:
    """What is rarely changed, folded: the thresholds of verdicts; and which states are ordered."""
    data = loaded.data
    judged = kind == "calibrated"
    signed = choices.SHOW.get() == "effect" and max(data.cardinalities) > 2
    if not judged and not signed:
        return
    with place.popover(words.SETTINGS, icon=":material/tune:", key="network-settings"):
        if judged:
            sides = st.container(horizontal=True)
            choices.PRESENT_FROM.box(sides, words.PRESENT_FROM, step=0.05, width=150)
            choices.ABSENT_UP_TO.box(sides, words.ABSENT_UP_TO, step=0.05, width=150)
            st.caption(words.THRESHOLDS_HELP)
        if signed:
            st.markdown(words.ordered(data), help=words.ORDERED_HELP)
            if loaded.kind == "file":
                st.page_link("pages/data.py", label=words.DECLARE, icon=":material/table_rows:")


def thresholds(kind: str) -> Thresholds:
    """The chosen thresholds of verdicts; the usual ones where no verdict is made."""
    if kind != "calibrated":
        return USUAL
    chosen = Thresholds(choices.PRESENT_FROM.get(), choices.ABSENT_UP_TO.get())
    if chosen.absent < chosen.present:
        return chosen
    st.warning(words.refuse_thresholds(chosen), icon=":material/warning:")
    return USUAL


def find(loaded: Loaded, graph: nx.Graph[Any]) -> pd.DataFrame | None:
    """The effects of a graph's edges, if they are to be shown; while they are estimated, None."""
    if choices.SHOW.get() != "effect" or not graph.number_of_edges():
        return None
    return results.edge_effects(loaded.data, graph, loaded.imputed)
