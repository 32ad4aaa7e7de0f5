"""One graph under three scores: what each computes, and what BJP is spared.

Everything is a field of `bjp_engine.scores.SparedTests`; its columns make a table and a figure.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import streamlit as st

from bjp_engine.scores import SCORES, ScoreTrace, SparedTests, spared_tests
from bjp_explorer.downloads.button import file_stem
from bjp_explorer.scores import halves_figure, words
from bjp_explorer.shell import caches, components, opening
from bjp_explorer.shell.choices import OneOf
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import names_list, number, shown


@st.fragment
def section(loaded: Loaded, graphs: Mapping[str, nx.Graph[Any]]) -> None:
    """The part of the page below its heading."""
    line = st.container(horizontal=True, gap="medium", vertical_alignment="bottom")
    labels = {name: name for name in graphs}
    one = OneOf("", "scores-one-graph", next(iter(labels)), labels)
    graph = graphs[one.buttons(line, "Graph", wrap=True)]
    if line.button("Step through it", icon=":material/footprint:", key="scores-one-step"):
        opening.open_graph(loaded, graph, "bjp")
    edges = caches.edges_key(graph)
    traces = {method: caches.score_graph(loaded.data, graph, method) for method in SCORES}
    counters(traces)
    halves = spared_tests(traces["bjp"], traces["ib"])
    st.markdown(words.halves_sentence(halves))
    payload = halves_figure.cloud(halves).payload(
        f"{loaded.data.digest[:16]} {edges}", file_stem(loaded.title, "halves")
    )
    components.points_view(payload, key="scores-halves")
    st.markdown("**Inferred as 1 by BJP, computed by IB-score**")
    st.dataframe(
        table(halves, traces["ib"].graph),
        hide_index=True,
        key="scores-spared",
        height=min(38 + 35 * len(halves.inferred), 420),
        column_config=COLUMNS,
    )
    st.caption(
        "Click a heading to sort. Each line is a test from the end that comes later in ψ, so its "
        "blanket is at least as large. The last two columns show the test of the same pair that "
        "BJP makes, from the other end."
    )


def counters(traces: Mapping[str, ScoreTrace]) -> None:
    """What each score computes for the graph, side by side."""
    counted = {
        "bjp": "tests, n(n − 1)/2",
        "ib": "tests, n(n − 1)",
        "mpl": "local scores, n",
    }
    for column, (method, trace) in zip(st.columns(3), traces.items(), strict=True):
        title = SCORES[method].title
        column.metric(f"{title}: {counted[method]}", f"{trace.tests:,}", border=True)
        inferred = len(trace.terms) - trace.tests
        more = f" · {inferred:,} more inferred as 1" if inferred else ""
        column.caption(f"ln {title} = {number(trace.total, 4)}{more}")


COLUMNS = {
    "given": st.column_config.TextColumn(width="medium"),
    "rows per slice": st.column_config.NumberColumn(
        format="%.3g", help="N / K: rows per configuration of the conditioning set."
    ),
    "|Z|": st.column_config.NumberColumn(help="The size of the conditioning set."),
    "Pr": st.column_config.NumberColumn(format="%.4f", help="The posterior of the assertion."),
    "|Pr − ½|": st.column_config.NumberColumn(
        format="%.4f", help="Near 0 the data say little: the test is unreliable."
    ),
    "|Z| made": st.column_config.NumberColumn(
        help="The size of the conditioning set in BJP’s test of this pair."
    ),
    "Pr made": st.column_config.NumberColumn(
        format="%.4f", help="The posterior of the assertion in BJP’s test of this pair."
    ),
}


def table(halves: SparedTests, graph: nx.Graph[Any]) -> pd.DataFrame:
    """The inferred assertions, those given most first. A line for each pair."""
    half, made, names = halves.inferred, halves.computed, halves.names
    n, texts = len(names), [shown(name) for name in names]
    place = np.zeros((n, n), dtype=np.int64)
    place[made.y, made.x] = np.arange(len(made))
    same = place[half.x, half.y]
    blankets = [[z for z in names if graph.has_edge(name, z)] for name in names]
    whole = [names_list(members) for members in blankets]
    given = [
        names_list(z for z in blankets[x] if z != names[y]) if dependent else whole[x]
        for x, y, dependent in zip(
            half.x.tolist(), half.y.tolist(), half.dependent.tolist(), strict=True
        )
    ]
    columns = {
        "x": [texts[x] for x in half.x],
        "asserted": np.where(half.dependent, "⊥̸", "⊥"),
        "y": [texts[y] for y in half.y],
        "given": given,
        "|Z|": half.given,
        "rows per slice": halves.rows_a_slice(half),
        "Pr": half.posterior,
        "|Pr − ½|": half.distance,
        "|Z| made": made.given[same],
        "Pr made": made.posterior[same],
    }
    frame = pd.DataFrame(columns)
    return frame.sort_values(["|Z|", "|Pr − ½|"], ascending=[False, True], kind="stable")
