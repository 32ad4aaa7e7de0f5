"""How many rows? What the same search would find of a network with more rows or fewer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from bjp_engine.planning import RowPlan
from bjp_engine.search import SearchTrace
from bjp_explorer.downloads.button import file_stem, offer_tables
from bjp_explorer.jobs import costs, results, tasks
from bjp_explorer.jobs.tasks import Task
from bjp_explorer.network import words
from bjp_explorer.shell import sources, visit
from bjp_explorer.shell.choices import Field, OneOf
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.views.palette import READ_ONLY, Palette, add_band, current, style

SAMPLES = 20
# The numbers of rows, as multiples of those that there are.
_TIMES = (1 / 8, 1 / 4, 1 / 2, 1, 2, 4)
_FEWEST, _MOST = 20, 200_000
SHARE = 0.8

TITLE = "How many rows?"
BEGIN, PLANNING, COUNTED = "Forecast", "Forecasting", "graphs"
OF = "Network to be found"
TRUTHS = {"learned": "learned network", "true": "true network", "edited": "graph drawn by hand"}
STRENGTH = "Log odds ratio of each edge"
STRENGTHS = {0.5: "0.5, weak", 1.0: "1, medium", 1.5: "1.5", 2.0: "2, strong"}
NO_EDGE = "The {} has no edge, so there is none to find."
DRAW = "Draw it here by a click on pairs"
LEARNED = (
    "The forecast takes the learned network for the truth. Edges that were missed are not counted, "
    "and strengths learned with few rows look stronger than they are, so it is too good."
)
TRUE = "The forecast draws from the network that these rows were drawn from, with its strengths."
EDITED = (
    "The forecast draws from a network with this graph: two states for each variable, and for each "
    "edge a log odds ratio (natural log) of this size given all other variables."
)
SAID = {"learned": LEARNED, "true": TRUE, "edited": EDITED}
CHAINS = "The network is too dense for independent rows, so they come from Gibbs chains, thinned."
CAPTION = (
    f"Means over {SAMPLES} samples; ±: standard error; bands: two of them on either side. The "
    "present number of rows is marked."
)
FOUND, FALSE = "edges found (%)", "false edges (% of the learned)"
ROWS_AXIS, SHARE_AXIS = "rows", "%"
COLUMNS = {
    "rows": ("rows", "%d"),
    "found": ("edges found", "%.1f"),
    "found_error": ("± error", "%.1f"),
    "recall": ("edges found (%)", "%.0f"),
    "recall_error": ("± error ", "%.1f"),
    "false": ("false edges", "%.1f"),
    "false_error": ("± error  ", "%.1f"),
    "false_share": ("false (%)", "%.0f"),
    "false_share_error": ("± error   ", "%.1f"),
    "hamming": ("Hamming", "%.1f"),
}


def fields(loaded: Loaded) -> Iterator[Field]:
    """What can be chosen here: which network is to be found, and how strong a drawn one is."""
    yield (truth := _truth(loaded))
    if truth.get() == "edited":
        yield _strength(loaded)


def _truth(loaded: Loaded) -> OneOf:
    """Which network is to be found; there is a true one of a benchmark network only."""
    found = {**TRUTHS}
    if sources.model_of(loaded) is None:
        del found["true"]
    default = "true" if "true" in found else "learned"
    return OneOf("plan", f"network-plan-of {loaded.token}", default, found)


def _strength(loaded: Loaded) -> OneOf:
    """How strong the edges of a drawn graph are."""
    return OneOf("plan-strength", f"network-plan-strength {loaded.token}", 1.0, STRENGTHS)


def show(loaded: Loaded, trace: SearchTrace, search: str, options: Mapping[str, Any]) -> None:
    """The part of the page; folded, it computes nothing."""
    data = loaded.data
    part = st.expander(TITLE, key=f"network-rows {data.digest}", on_change="rerun")
    if not part.open:
        return
    with part:
        truth = _truth(loaded).buttons(st, OF)
        model = sources.model_of(loaded) if truth == "true" else None
        strength, graph = None, trace.graph if model is None else model.graph
        if truth == "edited":
            strength, graph = _strength(loaded).buttons(st, STRENGTH), visit.edited_graph(loaded)
        if not graph.number_of_edges():
            st.info(NO_EDGE.format(TRUTHS[truth]), icon=":material/info:")
            if truth == "edited":
                st.page_link("pages/step.py", label=DRAW, icon=":material/draw:")
            return
        asked = {"graph": graph, "model": model, "strength": strength}
        key = ("rows", data.digest, search, truth, strength, *graph.edges, *options.items())
        begin = partial(_offer, loaded, trace, {**asked, "search": search, **options}, key)
        found: RowPlan | None = results.on_request(key, begin)
        if found is not None:
            _answer(found, data.rows, SAID[truth])
            stem = file_stem(loaded.title, search, truth, "rows")
            offer_tables([("csv", "Forecast (CSV)", found.to_frame())], stem, "network-rows")


def numbers_of_rows(rows: int) -> tuple[int, ...]:
    """From an eighth of the rows to four times as many."""
    wanted = {min(_MOST, max(_FEWEST, round(times * rows))) for times in _TIMES}
    return tuple(sorted(wanted | {max(2, rows)}))


def _offer(
    loaded: Loaded, trace: SearchTrace, asked: Mapping[str, Any], key: tuple[Any, ...]
) -> None:
    """A button, and what it does."""
    data, rows = loaded.data, numbers_of_rows(loaded.data.rows)
    graphs = SAMPLES * len(rows)

    def begin() -> None:
        task = Task(tasks.planned, data, {**asked, "rows": rows, "samples": SAMPLES})
        cost = graphs * costs.of_search(data, "bjp", asked["search"], {})
        results.begin(key, PLANNING, task, cost, COUNTED)

    seconds = graphs * trace.seconds / max(1, results.server_pool().size)
    about = describe_forecast(rows, seconds)
    results.offer(BEGIN, about, begin, "network-rows-begin", ":material/query_stats:")


def describe_forecast(rows: tuple[int, ...], seconds: float) -> str:
    """What the button begins."""
    return (
        f"Draws {SAMPLES} samples of {rows[0]:,} to {rows[-1]:,} rows from the network, learns "
        f"from each, and counts the edges that are found. {words.takes(seconds)}"
    )


def describe_enough(plan: RowPlan) -> str:
    """How many rows find most of the edges."""
    enough, share = plan.rows_for(SHARE), f"{100 * SHARE:g} % of the edges"
    if enough is None:
        though = ", though fewer rows find more" * bool(plan.to_frame()["recall"].max() >= SHARE)
        return f"With {plan.rows[-1]:,} rows, fewer than {share} are found{though}."
    if enough == plan.rows[0]:
        return f"{plan.rows[0]:,} rows are enough to find {share}."
    return f"From about {enough:,} rows on, {share} are found."


def _answer(plan: RowPlan, rows: int, truth: str) -> None:
    """The sentence, the chart and the table."""
    frame = plan.to_frame()
    st.markdown(f"**{plan.describe(max(2, rows))}** {describe_enough(plan)}")
    st.plotly_chart(figure(frame, rows, current()), key="network-rows-chart", config=READ_ONLY)
    st.caption(f"{CAPTION} {truth}{'' if plan.independent else ' ' + CHAINS}")
    shares = [name for name in COLUMNS if name.startswith(("recall", "false_share"))]
    column = st.column_config
    st.dataframe(
        frame[[*COLUMNS]].assign(**{name: 100 * frame[name] for name in shares}),
        hide_index=True,
        key="network-rows-table",
        column_config={
            name: column.NumberColumn(label, format=form, pinned=name == "rows")
            for name, (label, form) in COLUMNS.items()
        },
    )


def figure(frame: pd.DataFrame, rows: int, palette: Palette) -> go.Figure:
    """The shares of edges found and of false ones against the number of rows."""
    looks = {
        "recall": (FOUND, palette.blue, "solid", "circle"),
        "false_share": (FALSE, palette.vermilion, "dash", "square"),
    }
    drawn = go.Figure()
    for name, (_, colour, _, _) in looks.items():
        mean, off = 100 * frame[name], 200 * frame[f"{name}_error"]
        low, high = (mean - off).clip(lower=0), (mean + off).clip(upper=100)
        add_band(drawn, [*frame["rows"]], [*low], [*high], colour)
    for name, (label, colour, dash, symbol) in looks.items():
        drawn.add_scatter(
            x=frame["rows"],
            y=100 * frame[name],
            mode="lines+markers",
            name=label,
            line={"color": colour, "dash": dash, "width": 2},
            marker={"symbol": symbol, "size": 8, "color": colour},
            customdata=100 * frame[f"{name}_error"],
            hovertemplate=f"{label}: %{{y:.0f}} ± %{{customdata:.1f}}<br>%{{x:,}} rows"
            "<extra></extra>",
        )
    drawn.add_vline(rows, line={"color": palette.primary, "width": 1, "dash": "dash"})
    style(drawn, palette, 340)
    drawn.update_xaxes(
        title={"text": ROWS_AXIS},
        type="log",
        tickvals=[*frame["rows"]],
        ticktext=[f"{one:,}" for one in frame["rows"]],
    )
    drawn.update_yaxes(title={"text": SHARE_AXIS}, range=[-3, 103], zeroline=False)
    return drawn
