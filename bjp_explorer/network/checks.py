"""How far the network can be trusted: chance, stability, rows needed, and predictions of rows.

Each is a sentence, with its figures behind *Details*.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from bjp_engine import Dataset
from bjp_engine.confidence import EdgeConfidence, Stability, bootstrap, drop_cases
from bjp_engine.confidence.edges import PRESENT
from bjp_engine.confidence.stability import DROPPED, GOOD, HIGH, LEAST
from bjp_engine.io.graphs import disarm_cell
from bjp_engine.planning import RowPlan
from bjp_engine.search import SearchTrace
from bjp_explorer.downloads.button import file_stem, offer_tables
from bjp_explorer.jobs import costs, results, tasks
from bjp_explorer.jobs.job import Task
from bjp_explorer.jobs.tasks import Shuffled
from bjp_explorer.network.pairs import Line
from bjp_explorer.shell import caches, sources, visit
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import count, number, plain
from bjp_explorer.views.palette import READ_ONLY, Palette, add_band, current, style
from bjp_explorer.views.payloads import pair_name
from bjp_explorer.views.words import describe_shuffled

TABLES, RESAMPLES, REPEATS, SAMPLES, FOLDS = 20, 200, 100, 20, 5
# Seconds for a subset of the rows on one core, besides its search: a fit, and more for each edge.
_EACH_FIT, _EACH_EDGE = 0.006, 5e-4
# The numbers of rows of a forecast, as multiples of those that there are.
_TIMES = (1 / 8, 1 / 4, 1 / 2, 1, 2, 4)
_FEWEST, _MOST, _SHARE = 20, 200_000, 0.8
CHECK, DROP, FORECAST = "Check stability", "Drop rows", "How many rows?"


def takes(seconds: float) -> str:
    """How long something takes that is only guessed."""
    if seconds < 10:
        return "Takes a few seconds."
    if seconds < 90:
        return f"Takes about {10 * round(seconds / 10)} s."
    return f"Takes about {round(seconds / 60):,} min."


def _details(key: str) -> Any:
    """What unfolds below a sentence; folded, it computes nothing."""
    return st.expander("Details", key=key, on_change="rerun")


# --- Chance ---------------------------------------------------------------------------------------


def key_of_chance(data: Dataset) -> tuple[Any, ...]:
    """Under which the comparison with shuffled columns is filed."""
    return ("shuffled", data.digest, TABLES)


def find_chance(data: Dataset) -> Shuffled | None:
    """The same, once it has ended."""
    found: Shuffled | None = caches.SEARCHES.get(key_of_chance(data))
    return found


def show_chance(loaded: Loaded, trace: SearchTrace) -> None:
    """What the same search finds in shuffled columns; it begins without being asked for."""
    data = loaded.data
    task = Task(tasks.shuffle, data, {"search": "auto", "tables": TABLES})
    seconds = TABLES * costs.of_search(data, "bjp", "auto", {})
    title = "Comparing with shuffled columns"
    found = results.at_once(key_of_chance(data), title, task, seconds, "tables")
    if found is not None:
        first = "In the first completed table: " if loaded.imputed is not None else ""
        st.markdown(f"{first}{describe_shuffled(found, trace)}")


# --- Stability ------------------------------------------------------------------------------------


@st.fragment
def show_stability(
    loaded: Loaded,
    trace: SearchTrace,
    lines: Sequence[Line],
    options: Mapping[str, Any],
    further: list[str],
) -> None:
    """How often each edge is learned from resampled rows; behind it, what fewer rows show.

    `further`: what files say besides; those made from now on say what was found here, too.
    """
    data = loaded.data
    key = ("confidence bootstrap", data.digest, RESAMPLES, *options.items())
    wanted = {"search": "auto", "resamples": RESAMPLES, **options}
    about = f"Learns again from {RESAMPLES} resamples of the rows."
    task = Task(bootstrap, data, wanted, ("progress", "n_jobs"))
    found: EdgeConfidence | None = _check(trace, key, CHECK, about, RESAMPLES, task)
    if found is None:
        return
    shares = {line.pair: float(found.matrix[line.pair]) for line in lines}
    st.markdown(describe_resamples(found, lines))
    with (part := _details(f"network-stability {data.digest}")):
        if not part.open:
            return
        names = [disarm_cell(pair_name(pair, data)) for pair in shares]
        verdicts, percent = [line.verdict for line in lines], [100 * x for x in shares.values()]
        column = st.column_config
        st.dataframe(
            pd.DataFrame({"pair": names, "verdict": verdicts, "resamples": percent}),
            hide_index=True,
            key="network-resamples-table",
            height=min(36 * len(lines) + 38, 300),
            column_config={
                "resamples": column.NumberColumn("share of resamples", format="%.1f %%")
            },
        )
        key = ("stability", data.digest, REPEATS, *options.items())
        wanted = {"search": "auto", "repeats": REPEATS, **options}
        subsets, edges = len(DROPPED) * REPEATS, trace.graph.number_of_edges()
        about = (
            f"Drops {100 * DROPPED[0]:g} to {100 * DROPPED[-1]:g} % of the rows {REPEATS} times "
            "each, learns again, and compares the strengths of the edges."
        )
        more = subsets * (_EACH_FIT + _EACH_EDGE * edges)
        task = Task(drop_cases, data, wanted, ("progress", "n_jobs"))
        curve: Stability | None = _check(trace, key, DROP, about, subsets, task, more)
        if curve is not None:
            visit.note(loaded, ("stability", "auto", *options.items()), curve.describe())
            further[:] = visit.notes(loaded, "auto", *options.items())
            _show_curve(curve, loaded)


def describe_resamples(found: EdgeConfidence, lines: Sequence[Line]) -> str:
    """In how many resamples the present pairs are edges. Markdown."""
    shares = [float(found.matrix[line.pair]) for line in lines if line.verdict == "present"]
    often = sum(share >= PRESENT for share in shares)
    return (
        f"**Stability**: of {count(len(shares), 'present pair')}, {often:,} "
        f"{'is an edge' if often == 1 else 'are edges'} in at least {100 * PRESENT:g} % of "
        f"{found.made:,} networks learned from resampled rows."
    )


def _check(
    trace: SearchTrace,
    key: tuple[Any, ...],
    label: str,
    about: str,
    times: int,
    task: Task,
    more: float = 0.0,
) -> Any:
    """What a task finds that learns so many times; until it has begun, a button for it.

    `more`: the seconds that it takes besides.
    """
    assert task.data is not None
    seconds = (times * trace.seconds + more) / max(1, results.server_pool().size)
    cost = times * costs.of_search(task.data, "bjp", "auto", {})
    begin = partial(results.begin, key, label, task, cost, "parts")
    what = f"{about} {takes(seconds)}"
    button = partial(results.offer, label, what, begin, f"network-{key[0]}", ":material/check:")
    return results.on_request(key, button)


def _show_curve(curve: Stability, loaded: Loaded) -> None:
    st.markdown(curve.describe())
    frame = curve.to_frame()
    if not math.isnan(curve.coefficient()):
        figure = draw_stability(frame, current())
        st.plotly_chart(figure, key="network-stability-chart", config=READ_ONLY)
        st.caption(
            f"Lines: means over {curve.repeats} subsets of each size; bands leave out 5 % on "
            "either side. CS is the largest share of dropped rows up to which a band stays at "
            f"{HIGH} or above. It should not be below {LEAST}, and better above {GOOD} (Epskamp, "
            "Borsboom & Fried 2018). A stable network need not be true: a search can repeat its "
            "mistakes."
        )
    stem = file_stem(loaded.title, "stability")
    offer_tables([("curve.csv", "Curve (CSV)", frame)], stem, "network-stability")


def draw_stability(frame: pd.DataFrame, palette: Palette) -> go.Figure:
    """The correlations with their bands, and F1, against the share of rows dropped."""
    looks = {
        "nodes": ("node strengths", palette.quiet, "dash", "square"),
        "edges": ("edge strengths", palette.ink, "solid", "circle"),
        "f1": ("edges (F1)", palette.muted, "dot", "diamond-open"),
    }
    drawn = _curves(
        100 * frame["dropped"],
        {name: (frame[name], frame[f"{name}_low"], frame[f"{name}_high"]) for name in looks},
        looks,
        bands=("nodes", "edges"),
    )
    drawn.add_hline(HIGH, line={"color": palette.primary, "width": 1, "dash": "dash"})
    style(drawn, palette, 360)
    drawn.update_xaxes(title={"text": "rows dropped (%)"}, tickvals=[*range(10, 100, 10)])
    least = min(0.0, float(frame[["edges_low", "nodes_low", "f1_low"]].min().min()))
    drawn.update_yaxes(
        title={"text": "agreement with all rows"}, range=[least - 0.03, 1.03], zeroline=False
    )
    return drawn


def _curves(
    x: pd.Series,
    values: Mapping[str, tuple[pd.Series, pd.Series, pd.Series]],
    looks: Mapping[str, tuple[str, str, str, str]],
    bands: Sequence[str],
) -> go.Figure:
    """Lines with markers, and bands around some of them."""
    drawn = go.Figure()
    for name in bands:
        _, low, high = values[name]
        add_band(drawn, [*x], [*low], [*high], looks[name][1])
    for name, (label, colour, dash, symbol) in looks.items():
        mean, low, high = values[name]
        drawn.add_scatter(
            x=x,
            y=mean,
            mode="lines+markers",
            name=label,
            line={"color": colour, "dash": dash, "width": 2},
            marker={"symbol": symbol, "size": 8, "color": colour},
            customdata=np.column_stack([low, high]),
            hovertemplate=f"{label}: %{{y:.3g}}, from %{{customdata[0]:.3g}} to "
            "%{customdata[1]:.3g}<extra></extra>",
        )
    return drawn


# --- How many rows --------------------------------------------------------------------------------


def numbers_of_rows(rows: int) -> tuple[int, ...]:
    """From an eighth of the rows to four times as many."""
    wanted = {min(_MOST, max(_FEWEST, round(times * rows))) for times in _TIMES}
    return tuple(sorted(wanted | {max(2, rows)}))


@st.fragment
def show_rows(loaded: Loaded, trace: SearchTrace, false: float, options: Mapping[str, Any]) -> None:
    """What the same search finds of the network with more rows or fewer.

    `false`: how many edges of the learned graph the probabilities expect to be false.
    """
    data, model = loaded.data, sources.model_of(loaded)
    graph = trace.graph if model is None else model.graph
    if not graph.number_of_edges():
        return
    key, rows = ("rows", data.digest, SAMPLES, *options.items()), numbers_of_rows(data.rows)
    wanted = {"graph": graph, "model": model, "strength": None, "search": "auto", **options}
    wanted |= {"rows": rows, "samples": SAMPLES}
    about = f"Learns again from {SAMPLES} samples each of {rows[0]:,} to {rows[-1]:,} rows."
    times = SAMPLES * len(rows)
    task = Task(tasks.plan, data, wanted, ("progress", "n_jobs"))
    plan: RowPlan | None = _check(trace, key, FORECAST, about, times, task)
    if plan is None:
        return
    now, why = max(2, data.rows), "The samples come from the true network."
    if model is None:
        is_better = bool(false > plan.false[plan.rows.index(now)].mean())
        why = (
            "The samples take the learned network for the truth"
            f"{', so this is too good' * is_better}: the probabilities above expect "
            f"{number(false, 1)} of its edges to be false."
        )
    st.markdown(f"**Rows**: {plan.describe(now)} {describe_enough(plan)} {why}")
    with (part := _details(f"network-rows {data.digest}")):
        if not part.open:
            return
        frame = plan.to_frame()
        figure = draw_rows(frame, data.rows, current())
        st.plotly_chart(figure, key="network-rows-chart", config=READ_ONLY)
        gibbs = (
            ""
            if plan.independent
            else (" The network is too dense for independent rows, so they come from Gibbs chains.")
        )
        st.caption(
            f"Means over {SAMPLES} samples; bands: two standard errors on either side.{gibbs}"
        )
        stem = file_stem(loaded.title, "rows")
        offer_tables([("csv", "Forecast (CSV)", frame)], stem, "network-rows")


def describe_enough(plan: RowPlan) -> str:
    """How many rows find most of the edges."""
    enough, share = plan.rows_for(_SHARE), f"{100 * _SHARE:g} % of the edges"
    if enough is None:
        though = ", though fewer rows find more" * bool(plan.to_frame()["recall"].max() >= _SHARE)
        return f"With {plan.rows[-1]:,} rows, fewer than {share} are found{though}."
    if enough == plan.rows[0]:
        return f"{plan.rows[0]:,} rows are enough to find {share}."
    return f"From about {enough:,} rows on, {share} are found."


def draw_rows(frame: pd.DataFrame, rows: int, palette: Palette) -> go.Figure:
    """The shares of edges found and of false ones against the number of rows."""
    looks = {
        "recall": ("edges found (%)", palette.blue, "solid", "circle"),
        "false_share": ("false edges (% of the learned)", palette.vermilion, "dash", "square"),
    }
    values = {}
    for name in looks:
        mean, off = 100 * frame[name], 200 * frame[f"{name}_error"]
        values[name] = mean, (mean - off).clip(lower=0), (mean + off).clip(upper=100)
    drawn = _curves(frame["rows"], values, looks, bands=[*looks])
    drawn.add_vline(rows, line={"color": palette.primary, "width": 1, "dash": "dash"})
    style(drawn, palette, 340)
    drawn.update_xaxes(
        title={"text": "rows"},
        type="log",
        tickvals=[*frame["rows"]],
        ticktext=[f"{one:,}" for one in frame["rows"]],
    )
    drawn.update_yaxes(title={"text": "%"}, range=[-3, 103], zeroline=False)
    return drawn


# --- How well neighbours predict ------------------------------------------------------------------

_ERROR = "Standard error; takes the fitted networks as given."
# Heading, width and meaning of each column.
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
VARIABLES = "Variables: how well neighbours predict each"


@st.fragment
def show_predictions(loaded: Loaded, trace: SearchTrace, options: Mapping[str, Any]) -> None:
    """How well each variable is predicted from its neighbours; folded, it computes nothing."""
    data = loaded.data
    key = f"network-variables {data.digest}"
    with (part := st.expander(VARIABLES, key=key, on_change="rerun")):
        if not part.open:
            return
        if data.rows < 2:
            st.info("With fewer than two rows, no row can be held out.", icon=":material/info:")
            return
        folds = min(FOLDS, data.rows)
        each = costs.of_search(data, "bjp", "auto", {}) + costs.of_fit(data, trace.graph)
        task = Task(tasks.predict, data, {"search": "auto", "options": options, "folds": folds})
        filed = ("variables", data.digest, *options.items())
        title = "Predicting each variable from its neighbours"
        found: pd.DataFrame | None = results.at_once(filed, title, task, folds * each, "folds")
        if found is None:
            return
        clear = int((found["gain"] > 2 * found["gain_error"]).sum())
        st.markdown(
            f"**Neighbours improve the prediction of {clear:,} of "
            f"{count(len(found), 'variable')}** in {count(data.rows, 'held-out row')}: the gain "
            "exceeds two standard errors."
        )
        names = [disarm_cell(plain(name, 28)) for name in found["variable"]]
        table = found.assign(
            variable=names, neighbours=[trace.graph.degree(name) for name in data.names]
        )
        column = st.column_config
        st.dataframe(
            table[["variable", *COLUMNS]],
            hide_index=True,
            key="network-variables-table",
            height=min(36 * len(found) + 38, 520),
            column_config={
                name: column.NumberColumn(
                    label, width=width, help=about, format="%d" if name == "neighbours" else "%.3f"
                )
                for name, (label, width, about) in COLUMNS.items()
            }
            | {"variable": column.TextColumn(width=130, pinned=True)},
        )
        st.caption(
            "Rows are predicted by a graph and parameters learned without them. Normalised "
            "accuracy is 1 if every row is predicted, 0 if neighbours help no more than the most "
            "frequent state, and below 0 if they mislead. The gain also counts changes of "
            "probability that leave the most probable state as it is."
        )
        stem = file_stem(loaded.title, "variables")
        offer_tables([("csv", "Variables (CSV)", found)], stem, "network-variables")
