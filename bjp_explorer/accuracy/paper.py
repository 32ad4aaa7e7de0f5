"""Does it reproduce the paper? Its tables as they were run once and shipped, beside its figures."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st
from pandas.io.formats.style import Styler

from bjp_engine import networks
from bjp_engine.experiments import Experiment, read_results, summaries
from bjp_engine.resources import sample_data
from bjp_engine.scores import SCORES
from bjp_explorer.shell.text import count, number, together
from bjp_explorer.views.palette import LOOKS, Palette, style

TABLES = {
    "table-1": "1 · Six nodes",
    "table-2": "2 · Hubs",
    "table-3": "3 · Scale-free",
    "table-4": "4 · Real",
}
_HAMMING = "The measure is the Hamming distance: missed plus spurious edges."
ABOUT = {
    "table-1": "**Table 1: how often a score finds the network itself.** For six networks of six "
    "nodes, all 32,768 graphs are scored. It is a success if the true graph has the highest score.",
    "table-2": "**Table 2: wrong edges on networks of hubs.** 16 to 128 nodes, an eighth of them "
    f"hubs with seven leaves each. {_HAMMING}",
    "table-3": "**Table 3: wrong edges on scale-free networks.** 16 to 128 nodes; new nodes prefer "
    f"neighbours with many edges. {_HAMMING}",
    "table-4": "**Table 4: wrong edges on six real networks**, from a karate club to the words of "
    f"a novel. {_HAMMING}",
}
MEASURES = {"success": "rate of success", "hamming": "mean Hamming distance"}


@dataclass(frozen=True, eq=False, slots=True)
class Reproduced:
    """One table: its experiment, and what came of each network, N and score."""

    experiment: Experiment
    # Those that the paper prints as well, of `summaries`.
    cells: tuple[Any, ...]


def shipped_path() -> Path:
    """The results that ship with the app, in the engine's compact form."""
    return sample_data("paper", "results.parquet")


@st.cache_resource(show_spinner="Reading the included rows …")
def read() -> dict[str, Reproduced]:
    """The paper's tables, read once a server."""
    results = read_results(shipped_path())
    found = summaries(results).dropna(subset="printed")
    return {
        table: Reproduced(
            results.experiments[table],
            tuple(found[found["experiment"] == table].itertuples()),
        )
        for table in TABLES
    }


def finding(found: Reproduced) -> str:
    """How many figures agree with the paper's, and on which networks the others are."""
    total, off = len(found.cells), Counter(one.network for one in found.cells if not one.agrees)
    agreeing = total - off.total()
    graphs = map(networks.load, found.experiment.networks)
    reconstructed = any(one.graph["reconstructed"] for one in graphs)
    where = ", on reconstructed networks" if reconstructed else ""
    text = (
        f"**{agreeing:,} of {count(total, 'figure')} ({100 * agreeing / total:.0f} %) agree with "
        f"the paper’s{where}.**"
    )
    if reconstructed:
        text += " The paper prints no edge lists."
    if off:
        listed = together([f"{name} ({many})" for name, many in off.most_common()])
        text += f" The other {off.total()}: {listed}."
    return text


def design(experiment: Experiment) -> str:
    """What an experiment consists of."""
    cells = len(experiment.networks) * experiment.distributions * experiment.samples
    rows = together([f"{n:,}" for n in sorted(experiment.rows)])
    return (
        f"{count(len(experiment.networks), 'network')}, "
        f"{count(experiment.distributions, 'distribution')} on each, "
        f"{count(experiment.samples, 'sample')} of each distribution: "
        f"**{count(cells, 'dataset')}**. {count(len(experiment.scores), 'score')} learn from the "
        f"first {rows} rows of each: **{count(experiment.size, 'search', 'searches')}**."
    )


def chart(found: Reproduced, palette: Palette) -> go.Figure:
    """Our figures against the paper's, a trace for each score; trace 0 is the diagonal."""
    figure = go.Figure()
    most = max(max(one.mean, one.printed) for one in found.cells)
    figure.add_scatter(
        x=[0, most],
        y=[0, most],
        mode="lines",
        line={"color": palette.quiet, "dash": "dot", "width": 1.5},
        hoverinfo="skip",
        showlegend=False,
    )
    for score, _ in found.experiment.scores:
        mine = [one for one in found.cells if one.score == score]
        title, colour = SCORES[score].title, palette.score(score)
        errors = [0.0 if math.isnan(one.error) else one.error for one in mine]
        figure.add_scatter(
            x=[one.printed for one in mine],
            y=[one.mean for one in mine],
            mode="markers",
            name=title,
            marker={"symbol": LOOKS[score].symbol, "size": 8, "color": colour, "opacity": 0.75},
            error_y={"array": errors, "thickness": 1.2, "width": 0},
            text=[f"{one.network}, N = {one.rows:,}" for one in mine],
            hovertemplate=f"{title}, %{{text}}: %{{y:.3g}}, in the paper %{{x:.3g}}<extra></extra>",
        )
    style(figure, palette, 430)
    measure = MEASURES[found.experiment.measure]
    figure.update_xaxes(title={"text": f"{measure} in the paper"}, zeroline=False)
    figure.update_yaxes(title={"text": f"{measure} here"}, zeroline=False)
    return figure


def table(found: Reproduced, palette: Palette) -> Styler:
    """Ours ± standard error, the paper's ± its spread, and the difference.

    Three columns a score; a difference beyond the errors has a mark and a ground.
    """
    digits = 2 if found.experiment.measure == "success" else 1
    lines: dict[tuple[str, int], dict[str, str]] = {}
    for one in found.cells:
        title, error = SCORES[one.score].title, ""
        if not math.isnan(one.error):
            error = f" ± {number(one.error, digits)}"
        place = {"network": one.network, "N": f"{one.rows:,}"}
        line = lines.setdefault((one.network, one.rows), place)
        line[title] = f"{number(one.mean, digits)}{error}"
        spread = one.printed_spread
        behind = "" if math.isnan(spread) else f" ± {number(spread, digits)}"
        line[f"{title} paper"] = f"{number(one.printed, digits)}{behind}"
        text = number(one.difference, digits)
        if one.difference > 0 and text.strip("0."):
            text = f"+{text}"
        mark = "" if one.agrees else "▲ " if one.difference > 0 else "▼ "
        line[f"{title} Δ"] = f"{mark}{text}"
    frame = pd.DataFrame(list(lines.values()))
    ground = f"background-color: {palette.quiet}40; color: {palette.ink}; font-weight: 600"
    styles = frame.map(lambda text: ground if text[0] in "▲▼" else "")
    # Cells with ids are set in the table anew by Streamlit, one after the other.
    return Styler(frame, cell_ids=False).apply(lambda _: styles, axis=None)
