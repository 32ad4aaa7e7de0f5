"""The current dataset: its size, its variables, its first rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from bjp_engine import Dataset
from bjp_engine.dataset import MISSING_LABEL
from bjp_explorer.data.reading import distinct
from bjp_explorer.shell import caches
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import markdown, plain, prose

PREVIEW_ROWS, PREVIEW_COLUMNS = 100, 60
_VARIABLE, _TABLE = "data-variable", "data-variables"


def summary(loaded: Loaded) -> None:
    """Title, size, where to go next, and what was done with what couldn't be used as it was."""
    with st.container(border=True):
        with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
            st.subheader(markdown(loaded.title), anchor=False, width="content")
            for name, value in sizes(loaded).items():
                st.metric(name, value, width="content")
        _next_steps(loaded.token)
        # What the steps of a preparation did stands beside them.
        steps = len(loaded.preparation.steps) if loaded.preparation else 0
        for sentence in loaded.did[steps:]:
            st.caption(f":material/info: {prose(sentence)}")


def sizes(loaded: Loaded) -> dict[str, str]:
    """The dataset's key numbers, by what they are called."""
    data = loaded.data
    low, high = min(data.cardinalities), max(data.cardinalities)
    found = {
        "Rows": f"{data.rows:,}",
        "Variables": f"{data.n:,}",
        "States each": f"{low:,}" if low == high else f"{low:,}–{high:,}",
    }
    if missing := sum(missing_in(loaded)):
        found["Missing cells"] = f"{missing:,}"
    if loaded.truth is not None:
        found["True edges"] = f"{loaded.truth.number_of_edges():,}"
    elif loaded.published is not None:
        found["Published edges"] = f"{loaded.published.number_of_edges():,}"
    return found


def _next_steps(token: str) -> None:
    with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
        st.markdown("**Next**", width="content")
        for page, icon in {"network": "hub", "step": "footprint", "climb": "trending_up"}.items():
            st.page_link(
                f"pages/{page}.py",
                icon=f":material/{icon}:",
                query_params={"data": token},
                width="content",
            )


def variables(loaded: Loaded) -> None:
    """The table of variables and the counts of one of them."""
    labels = distinct(loaded.data.names)
    left, right = st.columns([9, 4], gap="medium")
    with left:
        st.markdown("**Variables**")
        _variables_table(loaded, labels)
    with right:
        _one_variable(loaded, labels)


def preview(data: Dataset) -> None:
    """The first rows."""
    frame = preview_frame(data)
    whole = len(frame) == data.rows
    rows = "All rows" if whole else f"The first {len(frame)} rows"
    few = data.n <= PREVIEW_COLUMNS
    columns = "" if few else f", the first {PREVIEW_COLUMNS} variables"
    st.markdown(f"**{rows}{columns}**")
    st.dataframe(frame, height=320 if len(frame) > 8 else "auto")


def counts(data: Dataset) -> tuple[NDArray[np.int64], ...]:
    """How often each state of each variable occurs, counted once."""
    return caches.once(
        ("counts", data.digest),
        lambda: tuple(
            np.bincount(data.codes[:, i], minlength=r) for i, r in enumerate(data.cardinalities)
        ),
    )


def missing_in(loaded: Loaded) -> tuple[int, ...]:
    """Missing cells of each variable that were imputed, or that are a state of their own."""
    if loaded.imputed is not None:
        return tuple(loaded.imputed.missing.get(name, 0) for name in loaded.data.names)
    of = zip(loaded.data.labels, counts(loaded.data), loaded.missing_in, strict=False)
    return tuple(
        int(found[labels.index(MISSING_LABEL)]) if missing and MISSING_LABEL in labels else 0
        for labels, found, missing in of
    )


def variables_frame(loaded: Loaded) -> pd.DataFrame:
    """The variables, one a line.

    Missing cells have a column only where there are any.
    """
    data = loaded.data
    every = counts(data)
    columns: dict[str, list[Any]] = {
        "Variable": distinct(data.names),
        "States": list(data.cardinalities),
        "Distribution": [(found / max(1, data.rows)).round(4).tolist() for found in every],
        "Most frequent": [_mode(data, i, every[i]) for i in range(data.n)],
    }
    missing = missing_in(loaded)
    if any(missing):
        columns["Missing"] = list(missing)
    columns["Labels"] = [
        ", ".join(plain(x, 24) for x in text[:6]) + ", …" * (len(text) > 6) for text in data.labels
    ]
    return pd.DataFrame(columns)


def preview_frame(data: Dataset) -> pd.DataFrame:
    """The first rows with their labels, as text."""
    columns = range(min(data.n, PREVIEW_COLUMNS))
    codes = data.codes[:PREVIEW_ROWS]
    frame = pd.DataFrame({i: [data.labels[i][code] for code in codes[:, i]] for i in columns})
    frame.columns = pd.Index(distinct(data.names)[: len(columns)], dtype=object)
    frame.index = pd.RangeIndex(1, len(frame) + 1)
    return frame


def counts_frame(data: Dataset, column: int) -> pd.DataFrame:
    """How many rows hold each state of one variable, in the states' order."""
    found = counts(data)[column]
    names = [plain(label, 200) or "(blank)" for label in data.labels[column]]
    return pd.DataFrame({"State": names, "Rows": found, "Share": found / max(1, data.rows)})


def _variables_table(loaded: Loaded, labels: list[str]) -> None:
    """The table; a click on a line chooses the variable beside it."""
    frame = variables_frame(loaded)

    def choose() -> None:
        cells = st.session_state[_TABLE].selection.cells
        if cells:
            st.session_state[_VARIABLE] = labels[cells[0][0]]

    st.dataframe(
        frame,
        hide_index=True,
        key=_TABLE,
        on_select=choose,
        selection_mode="single-cell",
        column_config={
            "Variable": st.column_config.TextColumn(pinned=True, width=_width(labels)),
            "States": st.column_config.NumberColumn(width=58),
            "Most frequent": st.column_config.TextColumn(width=_width(frame["Most frequent"])),
            "Missing": st.column_config.NumberColumn(
                width=64, help="Missing cells, imputed or a state of their own."
            ),
            "Distribution": st.column_config.BarChartColumn(
                help="The share of each state, in the order of the states.",
                width=88,
                y_min=0,
                y_max=1,
            ),
        },
    )


def _width(texts: Iterable[str]) -> int:
    """Pixels for a column of texts, up to what leaves the others in sight."""
    return min(max(110, 16 + round(7.5 * max(map(len, texts)))), 245)


def _one_variable(loaded: Loaded, labels: list[str]) -> None:
    data = loaded.data
    if st.session_state.get(_VARIABLE) not in labels:
        st.session_state[_VARIABLE] = labels[0]
    chosen = st.selectbox("Counts of", labels, key=_VARIABLE, persist_state="session")
    st.dataframe(
        counts_frame(data, labels.index(chosen)),
        hide_index=True,
        key="data-counts",
        column_config={
            "State": st.column_config.TextColumn(pinned=True, width=95),
            "Rows": st.column_config.NumberColumn(width=60),
            "Share": st.column_config.NumberColumn(format="percent", width=70),
        },
    )


def _mode(data: Dataset, column: int, found: NDArray[np.int64]) -> str:
    state = int(found.argmax())
    return f"{plain(data.labels[column][state], 24)} · {_share(found[state], data.rows)}"


def _share(amount: int, rows: int) -> str:
    return f"{100 * amount / max(1, rows):.1f} %"
