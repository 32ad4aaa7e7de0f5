"""One graph under every score: what each computes, and which tests BJP skips.

Everything is a field of `bjp_engine.scores.SparedTests`; its columns make a table and a figure.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import streamlit as st

from bjp_engine.scores import SCORES, ScoreTrace, SparedTests, spared_tests
from bjp_explorer.jobs import results
from bjp_explorer.scores import halves_figure, words
from bjp_explorer.shell import opening
from bjp_explorer.shell.choices import OneOf
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import names_list, number, plain
from bjp_explorer.views.palette import READ_ONLY, current


@st.fragment
def show_section(
    loaded: Loaded,
    graphs: Mapping[str, nx.Graph[Any]],
    learned: Mapping[str, str],
    methods: Sequence[str],
) -> None:
    """The part of the page below its heading: graphs, and how the learned ones came about."""
    line = st.container(horizontal=True, gap="medium", vertical_alignment="bottom")
    labels = {name: name for name in graphs}
    one = OneOf("", "scores-one-graph", next(iter(labels)), labels)
    name = one.buttons(line, words.GRAPH, wrap=True)
    graph = graphs[name]
    if line.button(words.STEP, icon=":material/footprint:", key="scores-one-step"):
        by_bjp = next(iter(graphs.values()))
        opening.open_graph(loaded, graph, "bjp", learned.get(name, ""), by_bjp)
    traces: dict[str, ScoreTrace] = {}
    for method in methods:
        trace = results.score_graph(loaded.data, graph, method)
        if trace is None:
            return
        traces[method] = trace
    show_counters(traces)
    halves = spared_tests(traces["bjp"], traces["ib"])
    st.markdown(words.halves_sentence(halves))
    pairs = len(halves.computed)
    if pairs > halves_figure.MOST_POINTS:
        st.caption(f"{halves_figure.MOST_POINTS:,} of the {pairs:,} tests of each kind, at random.")
    st.plotly_chart(
        halves_figure.chart(halves, current()),
        key="scores-halves",
        config=READ_ONLY,
        alt=f"Posteriors of {pairs} computed and {len(halves.inferred)} inferred assertions "
        "against the number of variables given.",
    )
    st.markdown(words.SKIPPED)
    st.dataframe(
        table(halves, traces["ib"].graph),
        hide_index=True,
        key="scores-spared",
        height=min(38 + 35 * len(halves.inferred), 420),
        column_config=COLUMNS,
    )
    st.caption(words.SKIPPED_CAPTION)


def show_counters(traces: Mapping[str, ScoreTrace]) -> None:
    """What each score computes for the graph, side by side."""
    for column, (method, trace) in zip(st.columns(len(traces)), traces.items(), strict=True):
        title = SCORES[method].title
        column.metric(f"{title}: {words.COMPUTED[method]}", f"{trace.tests:,}", border=True)
        inferred = len(trace.terms) - trace.tests
        more = f" · {inferred:,} more inferred as 1" if inferred else ""
        column.caption(f"ln {title} = {number(trace.total, 4)}{more}")


COLUMNS = {
    name: st.column_config.NumberColumn(format=digits, help=words.COLUMN_HELP[name])
    for name, digits in {
        "rows per slice": "%.3g",
        "|Z|": None,
        "Pr": "%.4f",
        "|Pr − ½|": "%.4f",
        "|Z| made": None,
        "Pr made": "%.4f",
    }.items()
} | {"given": st.column_config.TextColumn(width="medium")}


def table(halves: SparedTests, graph: nx.Graph[Any]) -> pd.DataFrame:
    """The inferred assertions, those given most first. A line for each pair."""
    half, made, names = halves.inferred, halves.computed, halves.names
    n, texts = len(names), [plain(name) for name in names]
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
