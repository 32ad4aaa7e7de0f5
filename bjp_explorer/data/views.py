"""The current dataset: its size, its variables, its first rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray

from bjp_engine import Dataset
from bjp_engine.dataset import MISSING_LABEL
from bjp_explorer.shell import caches
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import markdown, plain, prose, tell_apart

PREVIEW_ROWS, PREVIEW_COLUMNS = 100, 60
_NEXT = {"network": "hub", "step": "footprint", "climb": "trending_up"}
_VARIABLE, _TABLE = "data-variable", "data-variables"


def summary(loaded: Loaded) -> None:
    """Title, size, where to go next, and what was done with what couldn't be used as it was."""
    data = loaded.data
    low, high = min(data.cardinalities), max(data.cardinalities)
    sizes = {
        "Rows": data.rows,
        "Variables": data.n,
        "States each": low if low == high else f"{low:,}–{high:,}",
        "Missing cells": sum(missing_in(loaded)) or None,
    }
    if loaded.truth is not None:
        sizes["True edges"] = loaded.truth.number_of_edges()
    elif loaded.published is not None:
        sizes["Published edges"] = loaded.published.number_of_edges()
    with st.container(border=True):
        with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
            st.subheader(markdown(loaded.title), anchor=False, width="content")
            for name, size in sizes.items():
                if size is not None:
                    shown = f"{size:,}" if isinstance(size, int) else size
                    st.metric(name, shown, width="content")
        with st.container(horizontal=True, gap="medium", vertical_alignment="center"):
            st.markdown("**Next**", width="content")
            for page, icon in _NEXT.items():
                sign, query = f":material/{icon}:", {"data": loaded.token}
                st.page_link(f"pages/{page}.py", icon=sign, query_params=query, width="content")
        # What the steps of a preparation did stands beside them.
        steps = len(loaded.preparation.steps) if loaded.preparation else 0
        for sentence in loaded.did[steps:]:
            st.caption(f":material/info: {prose(sentence)}")


def variables(loaded: Loaded) -> None:
    """The table of variables and the counts of one of them."""
    labels = tell_apart(loaded.data.names)
    left, right = st.columns([9, 4], gap="medium")
    with left:
        st.markdown("**Variables**")
        _variables_table(loaded, labels)
    with right:
        _one_variable(loaded.data, labels)


def preview(data: Dataset) -> None:
    """The first rows with their labels."""
    codes, columns = data.codes[:PREVIEW_ROWS], range(min(data.n, PREVIEW_COLUMNS))
    rows = "All rows" if len(codes) == data.rows else f"The first {len(codes)} rows"
    few = "" if data.n <= PREVIEW_COLUMNS else f", the first {PREVIEW_COLUMNS} variables"
    st.markdown(f"**{rows}{few}**")
    frame = pd.DataFrame({i: [data.labels[i][code] for code in codes[:, i]] for i in columns})
    frame.columns = pd.Index(tell_apart(data.names)[: len(columns)], dtype=object)
    frame.index = pd.RangeIndex(1, len(frame) + 1)
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


def counts_frame(data: Dataset, column: int) -> pd.DataFrame:
    """How many rows hold each state of one variable, in the states' order."""
    found = counts(data)[column]
    names = [plain(label, 200) or "(blank)" for label in data.labels[column]]
    return pd.DataFrame({"State": names, "Rows": found, "Share": 100 * found / max(1, data.rows)})


def _variables_table(loaded: Loaded, labels: list[str]) -> None:
    """The variables, one a line; a click on a line chooses the variable beside it."""
    data, shares = loaded.data, [found / max(1, loaded.data.rows) for found in counts(loaded.data)]
    modes = [
        f"{plain(of[share.argmax()], 24)} · {100 * share.max():.1f} %"
        for of, share in zip(data.labels, shares, strict=True)
    ]
    states = [", ".join(plain(x, 24) for x in of[:6]) + ", …" * (len(of) > 6) for of in data.labels]
    missing = missing_in(loaded)

    def choose() -> None:
        cells = st.session_state[_TABLE].selection.cells
        if cells:
            st.session_state[_VARIABLE] = labels[cells[0][0]]

    st.dataframe(
        pd.DataFrame(
            {
                "Variable": labels,
                "States": data.cardinalities,
                "Distribution": [share.round(4).tolist() for share in shares],
                "Most frequent": modes,
                # Only where there are any.
                **({"Missing": missing} if any(missing) else {}),
                "Labels": states,
            }
        ),
        hide_index=True,
        key=_TABLE,
        on_select=choose,
        selection_mode="single-cell",
        column_config={
            "Variable": st.column_config.TextColumn(pinned=True, width=_width(labels)),
            "States": st.column_config.NumberColumn(width=58),
            "Most frequent": st.column_config.TextColumn(width=_width(modes)),
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


def _width(texts: list[str]) -> int:
    """Pixels for a column of texts, up to what leaves the others in sight."""
    return min(max(110, 16 + round(7.5 * max(map(len, texts)))), 245)


def _one_variable(data: Dataset, labels: list[str]) -> None:
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
            "Share": st.column_config.NumberColumn(format="%.1f %%", width=70),
        },
    )
