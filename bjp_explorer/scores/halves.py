"""One graph under every score: what each computes, and which tests BJP skips.

Everything is a field of `SparedTests`; its columns make a table and a figure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from bjp_engine.scores import SCORES, AssertionScore, ScoreTrace, spared_tests
from bjp_engine.scores.change import SparedTests
from bjp_explorer.jobs import results
from bjp_explorer.shell import caches, links
from bjp_explorer.shell.choices import OneOf
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import count, html_text, names_list, number, plain
from bjp_explorer.views.palette import READ_ONLY, Palette, current, style

# Nearer to ½ than this, a posterior says next to nothing.
NEAR = 0.1
# Of each half, points up to here; beyond, as many of them at random.
MOST_POINTS = 2000


def chart(halves: SparedTests, palette: Palette) -> go.Figure:
    """Pr(assertion | D) against |Z|, computed and inferred side by side."""
    figure = go.Figure()
    names = [html_text(name, 18) for name in halves.names]
    for name, half in (("computed", halves.computed), ("inferred", halves.inferred)):
        computed, drawn = half is halves.computed, np.arange(len(half))
        if len(half) > MOST_POINTS:
            drawn = np.sort(np.random.default_rng(0).choice(len(half), MOST_POINTS, replace=False))
        # A little aside, so that both halves are seen and marks of one |Z| don't hide each other.
        aside = (np.arange(len(half)) * 0.618034 % 1.0 - 0.5) * 0.3 + (-0.2 if computed else 0.2)
        for dependent in (False, True):
            mine = drawn[half.dependent[drawn] == dependent]
            sign = "⊥̸" if dependent else "⊥"
            figure.add_scatter(
                x=(half.given + aside)[mine],
                y=half.posterior[mine],
                mode="markers",
                name=f"{sign}, {name}",
                marker={
                    "symbol": "circle" if computed else "diamond-open",
                    "color": palette.vermilion if dependent else palette.blue,
                    "size": 7 if len(drawn) < 1000 else 5,
                },
                opacity=0.85 if len(drawn) < 1000 else 0.5,
                customdata=half.given[mine],
                text=[f"{names[half.x[k]]} {sign} {names[half.y[k]]}" for k in mine],
                hovertemplate="%{text}<br>|Z| = %{customdata} · Pr = %{y:.4f}<extra></extra>",
            )
    figure.add_hrect(0.5 - NEAR, 0.5 + NEAR, fillcolor=palette.grid, line_width=0, layer="below")
    style(figure, palette, 380)
    figure.update_xaxes(title_text="|Z|, variables given", zeroline=False)
    figure.update_yaxes(title_text="posterior of the assertion", range=[-0.04, 1.04])
    return figure


def _computed(method: str) -> str:
    """What a score computes for a graph on n variables."""
    kind = SCORES[method]
    if not isinstance(kind, AssertionScore):
        return "local scores, n"
    return "tests, n(n − 1)" if kind.both_ends else "tests, n(n − 1)/2"


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
    name = one.buttons(line, "Graph", wrap=True)
    graph = graphs[name]
    if line.button("Step through it", icon=":material/footprint:", key="scores-one-step"):
        by_bjp = next(iter(graphs.values()))
        links.open_graph(loaded, graph, "bjp", learned.get(name, ""), by_bjp)
    traces: dict[str, ScoreTrace] = {}
    for method in methods:
        trace = results.score_graph(loaded.data, graph, method)
        if trace is None:
            return
        traces[method] = trace
    # What each score computes for the graph, side by side.
    for column, (method, trace) in zip(st.columns(len(traces)), traces.items(), strict=True):
        title = SCORES[method].title
        column.metric(f"{title}: {_computed(method)}", f"{trace.tests:,}", border=True)
        inferred = len(trace.terms) - trace.tests
        more = f" · {inferred:,} more inferred as 1" if inferred else ""
        column.caption(f"ln {title} = {number(trace.total, 4)}{more}")
    halves = spared_tests(traces["ib"])
    st.markdown(finding(halves))
    pairs, palette = len(halves.computed), current()
    key = ("halves", loaded.data.digest, loaded.data.names, caches.edges_key(graph), palette)
    if pairs > MOST_POINTS:
        st.caption(f"{MOST_POINTS:,} of the {pairs:,} tests of each kind, at random.")
    st.plotly_chart(
        caches.drawn(key, lambda: chart(halves, palette)),
        key="scores-halves",
        config=READ_ONLY,
        alt=f"Posteriors of {pairs} computed and {len(halves.inferred)} inferred assertions "
        "against the number of variables given.",
    )
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


COLUMNS = {
    name: st.column_config.NumberColumn(format=digits, help=text)
    for name, digits, text in (
        ("rows per slice", "%.3g", "N / K: rows per configuration of the conditioning set."),
        ("|Z|", None, "The size of the conditioning set."),
        ("Pr", "%.4f", "The posterior of the assertion."),
        ("|Pr − ½|", "%.4f", "Near 0 the data say little: the test is unreliable."),
        ("|Z| made", None, "The size of the conditioning set in BJP’s test of this pair."),
        ("Pr made", "%.4f", "The posterior of the assertion in BJP’s test of this pair."),
    )
} | {"given": st.column_config.TextColumn(width="medium")}


def table(halves: SparedTests, graph: nx.Graph[Any]) -> pd.DataFrame:
    """The inferred assertions, those given most first. A line for each pair."""
    half, made, names = halves.inferred, halves.computed, halves.names
    texts = np.array([plain(name) for name in names], dtype=object)
    place = np.zeros((len(names), len(names)), dtype=np.int64)
    place[made.y, made.x] = np.arange(len(made))
    same = place[half.x, half.y]
    blankets = [[z for z in names if graph.has_edge(name, z)] for name in names]
    ends = zip(half.x.tolist(), half.y.tolist(), strict=True)
    columns = {
        "x": texts[half.x],
        "asserted": np.where(half.dependent, "⊥̸", "⊥"),
        "y": texts[half.y],
        "given": [names_list(z for z in blankets[x] if z != names[y]) for x, y in ends],
        "|Z|": half.given,
        "rows per slice": halves.rows_a_slice(half),
        "Pr": half.posterior,
        "|Pr − ½|": np.abs(half.posterior - 0.5),
        "|Z| made": made.given[same],
        "Pr made": made.posterior[same],
    }
    return pd.DataFrame(columns).sort_values(
        ["|Z|", "|Pr − ½|"], ascending=[False, True], kind="stable"
    )


def finding(halves: SparedTests) -> str:
    """What BJP computes of a graph's assertions, and what it is spared."""
    computed, inferred = halves.computed, halves.inferred
    lowered = number(abs(math.fsum(inferred.value)), 4)
    given = [number(half.given.mean() if len(half) else 0.0, 2) for half in (computed, inferred)]
    near = [int((np.abs(half.posterior - 0.5) < NEAR).sum()) for half in (computed, inferred)]
    return (
        f"BJP computes {count(len(computed), 'test')}, given {given[0]} "
        f"variables on average. It infers {len(inferred):,} more; IB-score computes these, too, "
        f"given {given[1]} variables on average. "
        f"{near[0]:,} of the computed tests and {near[1]:,} of "
        f"the inferred ones lie within {NEAR} of ½, where the data say little. The inferred ones "
        f"lower ln IB-score by {lowered}, from {number(halves.log_bjp, 4)} to "
        f"{number(halves.log_ib, 4)}. In total they condition on {halves.irregularity:,} "
        "more variables than the computed ones; this is the graph’s total irregularity."
    )
