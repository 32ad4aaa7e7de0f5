"""The variables one by one: how well their neighbours predict them."""

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
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import count, plain

FOLDS = 5

VARIABLES = "Variables: how well neighbours predict each"
TITLE, COUNTED = "Predicting each variable from its neighbours", "folds"
TOO_FEW = "With fewer than two rows, no row can be held out."
PREDICTION = (
    "**Predictability**: rows are predicted by a graph and parameters learned without them. "
    "Normalised accuracy is 1 if every row is predicted, 0 if the neighbours help no more than the "
    "most frequent state, and below 0 if they mislead. The gain also counts changes of "
    "probability that leave the most probable state as it is."
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
    "neighbours": ("edges", 50, "How many neighbours it has in the learned graph."),
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
        asked = {"search": search, "options": options, "folds": folds}
        each = costs.of_search(data, "bjp", search, {}) + costs.of_fit(data, trace.graph)
        task = Task(tasks.predicted, data, asked)
        key = ("variables", data.digest, search, *options.items())
        found: pd.DataFrame | None = results.at_once(key, TITLE, task, folds * each, COUNTED)
        if found is not None:
            neighbours = [trace.graph.degree(name) for name in data.names]
            _answer(found.assign(neighbours=neighbours), loaded, search)


def _answer(found: pd.DataFrame, loaded: Loaded, search: str) -> None:
    """The table, and what its columns mean."""
    st.markdown(describe(found, loaded.data.rows))
    column = st.column_config
    config = {
        name: column.NumberColumn(
            label, width=width, help=about, format="%d" if name == "neighbours" else "%.3f"
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
    st.caption(PREDICTION)
    stem = file_stem(loaded.title, search, "variables")
    offer_tables([("csv", "Variables (CSV)", found)], stem, "network-variables")


def table(found: pd.DataFrame) -> pd.DataFrame:
    """The columns that the page shows, in its order; names are text."""
    names = [pairs.cell(plain(name, 28)) for name in found["variable"]]
    return found[[*COLUMNS]].assign(variable=names)[["variable", *COLUMNS]]


def describe(found: pd.DataFrame, rows: int) -> str:
    """How many variables are predicted. Markdown."""
    clear = int((found["gain"] > 2 * found["gain_error"]).sum())
    return (
        f"**Neighbours improve the prediction of {clear:,} of {count(len(found), 'variable')}** in "
        f"{count(rows, 'held-out row')}: the gain exceeds two standard errors."
    )
