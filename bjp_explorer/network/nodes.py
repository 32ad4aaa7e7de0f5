"""The variables one by one: how well their neighbours predict them, communities, bridges."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd
import streamlit as st

from bjp_engine.search import SearchTrace
from bjp_explorer.downloads.button import file_stem, offer_tables
from bjp_explorer.jobs import costs, results, tasks
from bjp_explorer.jobs.tasks import Task
from bjp_explorer.network import pairs
from bjp_explorer.shell import caches
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import count, plain

FOLDS = 5

VARIABLES = "Variables: how predictable, communities, bridges"
TITLE, COUNTED = "Predicting each variable from its neighbours", "folds"
TOO_FEW = "With fewer than two rows, no row can be held out."
PREDICTION = (
    "**Predictability**: rows are predicted by a graph and parameters learned without them. "
    "Normalised accuracy is 1 if every row is predicted, 0 if the neighbours help no more than the "
    "most frequent state, and below 0 if they mislead. The gain also counts changes of "
    "probability that leave the most probable state as it is."
)
COMMUNITIES = (
    "**Communities** have strong edges inside and weak ones between them (Louvain’s algorithm, "
    "weighted by strength). They depend on the algorithm; another one may divide otherwise."
)
BRIDGES = (
    "**Strength** of an edge is the root mean square of its log odds ratios: without a sign, and "
    "for two two-state variables the size of the effect. **Bridge strength** is its sum over a "
    "variable’s edges to other communities. Many or strong edges make no variable a cause, nor a "
    "better target of an intervention."
)
# Heading, width and meaning of each column.
_ERROR = "Standard error; takes the fitted networks as given."
COLUMNS = {
    "normalised": (
        "normalised",
        90,
        "Normalised accuracy: (accuracy − majority) / (1 − majority). Empty if majority is 1.",
    ),
    "normalised_error": ("± error", 65, _ERROR),
    "accuracy": ("accuracy", 75, "Share of held-out rows whose most probable state is right."),
    "majority": ("majority", 75, "Share of held-out rows that have the most frequent state."),
    "gain": (
        "gain (nats)",
        85,
        "Mean of ln Pr(state | neighbours) − ln Pr(state) over held-out rows.",
    ),
    "gain_error": ("± error ", 65, _ERROR),
    "group": ("community", 85, "The number of its community, the largest first."),
    "neighbours": ("edges", 50, "How many neighbours it has in the learned graph."),
    "strength": ("strength", 70, "The sum of the strengths of its edges, natural log."),
    "bridge": ("bridge", 65, "Bridge strength: the part that goes to other communities."),
}


@st.fragment
def show(loaded: Loaded, trace: SearchTrace, search: str, options: Mapping[str, Any]) -> None:
    """The part of the page; folded, it computes nothing."""
    data = loaded.data
    part = st.expander(VARIABLES, key=f"network-variables {data.digest}", on_change="rerun")
    if not part.open:
        return
    with part:
        if data.rows < 2:
            st.info(TOO_FEW, icon=":material/info:")
            return
        folds = min(FOLDS, data.rows)
        asked = {"search": search, "options": options, "graph": trace.graph, "folds": folds}
        seconds = folds * (
            costs.of_search(data, "bjp", search, {}) + costs.of_fit(data, trace.graph)
        )
        task = Task(tasks.summarised, data, asked)
        # The graph is another one where the probabilities of several tables are pooled.
        edges = caches.edges_key(trace.graph)
        key = ("variables", data.digest, edges, search, *options.items())
        found: pd.DataFrame | None = results.at_once(key, TITLE, task, seconds, COUNTED)
        if found is not None:
            _answer(found, loaded, search)


def _answer(found: pd.DataFrame, loaded: Loaded, search: str) -> None:
    """The table, and what its columns mean."""
    st.markdown(describe(found, loaded.data.rows))
    column = st.column_config
    whole = ("group", "neighbours")
    config = {
        name: column.NumberColumn(
            label, width=width, help=about, format="%d" if name in whole else "%.3f"
        )
        for name, (label, width, about) in COLUMNS.items()
    }
    st.dataframe(
        table(found),
        hide_index=True,
        key="network-variables-table",
        height=min(36 * len(found) + 38, 520),
        column_config=config | {"variable": column.TextColumn("variable", width=130, pinned=True)},
    )
    for text in (PREDICTION, COMMUNITIES, BRIDGES):
        st.caption(text)
    stem = file_stem(loaded.title, search, "variables")
    offer_tables([("csv", "Variables (CSV)", found)], stem, "network-variables")


def table(found: pd.DataFrame) -> pd.DataFrame:
    """The columns that the page shows, in its order; names are text."""
    names = [pairs.cell(plain(name, 28)) for name in found["variable"]]
    return found[[*COLUMNS]].assign(variable=names)[["variable", *COLUMNS]]


def describe(found: pd.DataFrame, rows: int) -> str:
    """How many variables are predicted, and how they are divided. Markdown."""
    clear = int((found["gain"] > 2 * found["gain_error"]).sum())
    sizes = found["group"].value_counts()
    alone = int((sizes == 1).sum())
    groups = count(len(sizes) - alone, "community", "communities")
    text = (
        f"**Neighbours improve the prediction of {clear:,} of {count(len(found), 'variable')}** in "
        f"{count(rows, 'held-out row')}: the gain exceeds two standard errors. "
        f"The edges divide the variables into {groups}"
    )
    rest = f", and {count(alone, 'variable')} alone" if alone else ""
    return f"{text}{rest}."
