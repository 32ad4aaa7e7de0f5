"""Is the engine better than other packages? Means left by `python -m benchmarks.accuracy export`.

A group is a network, a distribution and a number of rows. What is kept of it is each method's mean
over the same samples; everything below is read off these means.
"""

from __future__ import annotations

import html
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from bjp_engine.scores import SCORES
from bjp_explorer.shell.text import count, number, together
from bjp_explorer.views.palette import LOOKS, READ_ONLY, Palette, style

FOLDER = Path(__file__).parent
GROUP = ["network", "distribution", "rows"]
# The method for people's own data, and the paper's search.
SUBJECT, PAPER = "bjp-auto", "bjp-paper"
# Means are kept to some six digits; what differs by less is equal.
SAME = 1e-3
TENTH, EDGE = 1.1, 1.0
# What each kind of data is called here, and what it is.
DISTRIBUTIONS = {
    "clique-log-weights": (
        "weak cliques",
        "every entry of a clique’s table is e to a random power",
    ),
    "clique-potentials": ("strong cliques", "every entry of a clique’s table is random"),
    "log-odds": ("attracting edges", "each edge makes equal states likelier, by the same amount"),
    "mixed-log-odds": ("mixed edges", "each edge makes equal states likelier or less likely"),
    "bayesian": ("Bayesian networks", "published networks; the truth is the moral graph"),
}
SETTINGS = READ_ONLY | {"toImageButtonOptions": {"format": "svg", "filename": "accuracy"}}
SUMMARY_COLUMNS = {
    "#": st.column_config.NumberColumn(width=40, pinned=True),
    "method": st.column_config.TextColumn(width=250),
    "wrong per true edge": st.column_config.NumberColumn(format="%.3f"),
    "nearest": st.column_config.NumberColumn("closest", format="%.0f %%"),
    "within 10 %": st.column_config.NumberColumn(format="%.0f %%"),
    "mean F1": st.column_config.NumberColumn(format="%.3f"),
    "median seconds": st.column_config.NumberColumn(format="%.3g"),
}
# Wrong edges per true edge up to which points are drawn where they are.
FAR = 1.6
ROW = 38  # pixels


@dataclass(frozen=True, eq=False)
class Measured:
    """The means of some groups, and the methods."""

    # A row for each group and method, with ``hamming``, ``f1``, ``seconds``, ``true``, ``share``
    # (wrong edges per true edge), ``least``, the lowest mean distance of any method there, and
    # whether its own is the ``lowest``, within a ``tenth`` of it, or within an ``edge``.
    means: pd.DataFrame
    # By method: ``title``, ``score`` (nothing for another package's), ``search`` (two graphs of one
    # directed graph share it), ``version``.
    methods: pd.DataFrame

    def title(self, method: str) -> str:
        """What a method is called."""
        return str(self.methods.loc[method, "title"])

    def score(self, method: str) -> str:
        """The score that a method of the engine climbs; nothing for another package's."""
        return str(self.methods.loc[method, "score"])

    @cached_property
    def groups(self) -> int:
        """How many groups there are."""
        return int(self.means.groupby(GROUP).ngroups)

    @cached_property
    def usual(self) -> list[str]:
        """Of each search the graph that is nearest to the truth, where most groups have one."""
        shares = self.means.groupby("method")["share"].agg(["mean", "size"])
        shares = shares[2 * shares["size"] > self.groups].sort_values("mean", kind="stable")
        searches = self.methods.loc[shares.index, "search"]
        return list(shares.index[~searches.duplicated().to_numpy()])

    def common(self, methods: Sequence[str]) -> pd.DataFrame:
        """The means of some methods in the groups where each of them has one."""
        table = self.means[self.means["method"].isin(methods)]
        size = table.groupby(GROUP)["method"].transform("size")
        return table[size == len(methods)]

    def standings(self, methods: Sequence[str]) -> pd.DataFrame:
        """What each method comes to, the nearest to the truth first.

        By method: ``share`` (mean of the groups that all have), and of its own groups ``groups``,
        ``lowest``, ``tenth`` and ``edge`` (how many), the mean ``f1`` and the median ``seconds``.
        """
        groups = self.means[self.means["method"].isin(methods)].groupby("method")
        found = groups[["lowest", "tenth", "edge"]].sum()
        found["groups"] = groups.size()
        found["f1"], found["seconds"] = groups["f1"].mean(), groups["seconds"].median()
        found["share"] = self.common(methods).groupby("method")["share"].mean()
        return found.sort_values("share", kind="stable")

    def against(self, other: str) -> str:
        """In how many groups auto's mean distance is lower than, equal to, above another's."""
        both = self.common([SUBJECT, other]).pivot_table("hamming", GROUP, "method")
        gain = both[other] - both[SUBJECT]
        wins, losses = int((gain > SAME).sum()), int((gain < -SAME).sum())
        return f"{wins}–{len(both) - wins - losses}–{losses}"


@st.cache_resource(show_spinner=False)
def read() -> Measured:
    """The means over all samples, read once a server; the slowest methods have the first alone."""
    means = pd.read_csv(FOLDER / "means.csv", dtype={"seeds": str})
    means = means[means["seeds"] == means["seeds"].iloc[0]]
    least = means.groupby(GROUP)["hamming"].transform("min")
    above = means["hamming"] - least
    means = means.assign(
        share=means["hamming"] / means["true"],
        least=least,
        lowest=above <= SAME,
        tenth=means["hamming"] <= TENTH * least + SAME,
        edge=above <= EDGE + SAME,
    )
    methods = pd.read_csv(FOLDER / "methods.csv", index_col="method")
    scores = methods.index.to_series().str.partition("-")[0]
    return Measured(means, methods.assign(score=scores.where(methods["side"] == "ours", "")))


def finding(found: Measured, table: pd.DataFrame) -> str:
    """Who is closest to the truth, and by how much."""
    own = table.T[SUBJECT]
    lowest, groups = int(own["lowest"]), int(own["groups"])
    sentence = (
        f"**{found.title(SUBJECT)} comes closest to the true network in {lowest:,} of {groups:,} "
        f"groups of data ({100 * lowest / groups:.0f} %)**, alone or tied. It makes "
        f"{number(own['share'], 2)} wrong edges per true edge"
    )
    peers = [name for name in table.index if not found.score(name)]
    if peers:
        name, least = str(table.loc[peers, "share"].idxmin()), table.loc[peers, "share"].min()
        sentence += (
            f"; the best other package ({found.title(name)}) makes {number(float(least), 2)}"
        )
    if PAPER in table.index:
        sentence += f"; the paper’s search makes {number(float(table.T[PAPER]['share']), 2)}"
    return f"{sentence}."


def defeats(found: Measured) -> str:
    """Where the method that is judged is not the nearest."""
    own = found.means[found.means["method"] == SUBJECT].set_index(GROUP)
    lost = own[~own["lowest"]]
    if lost.empty:
        return f"No other method is closer than {found.title(SUBJECT)} in any of these groups."
    nearest = found.means[found.means["lowest"]].set_index(GROUP)
    who = nearest.loc[nearest.index.isin(lost.index), "method"].value_counts()
    first = [f"{found.title(str(name))} ({many})" for name, many in who.head(3).items()]
    ratio = lost["hamming"].clip(lower=1) / lost["least"].clip(lower=1)
    worst = lost.reset_index().iloc[int(ratio.argmax())]
    kind, _ = DISTRIBUTIONS[worst["distribution"]]
    where = f"the network *{worst['network']}* ({kind}) with {worst['rows']:,} rows"
    return (
        f"In {count(len(lost), 'group')} another method is closer, most often "
        f"{together(first)}. {found.title(SUBJECT)} is within 10 % of the closest in "
        f"{own['tenth'].sum():,} of {len(own):,} groups and within one edge of it in "
        f"{own['edge'].sum():,}. Its worst result is on {where}: {number(worst['hamming'], 1)} "
        f"wrong edges against {number(worst['least'], 1)}."
    )


def how(found: Measured) -> str:
    """What was compared, on which data, and how methods were judged."""
    table = found.means
    seeds = table["seeds"].iloc[0].split()
    sizes = together([f"{rows:,}" for rows in sorted(table["rows"].unique())], "or")
    drawn = {1: "once", 2: "twice"}.get(len(seeds), f"{len(seeds)} times")
    return (
        f"The data come from {count(table['network'].nunique(), 'known network')}, with {sizes} "
        f"rows: {count(found.groups, 'group')} of data, each drawn {drawn}. Every method got the "
        "same rows and had to find the network. Some methods accept only binary data, some ran "
        "out of time.\n\n"
        f"These data have the seeds {', '.join(seeds)}; every choice in "
        f"{found.title(SUBJECT)} was made on seeds from 1000 on. A method that finds a directed "
        "graph is judged by its moral graph and by its skeleton. A method that finds "
        "neighbourhoods is judged by the edges that both ends claim and by those that either end "
        "claims. The page shows the better of the two. `docs/benchmarks.md` has the "
        "versions, the intervals and the commands to measure it again."
    )


def strips(found: Measured, table: pd.DataFrame, palette: Palette) -> go.Figure:
    """Each group's distance as a point, a strip for each method, and its mean.

    Trace 0 holds the groups, trace 1 the means.
    """
    names = list(table.index)
    place = {name: k for k, name in enumerate(names)}
    points = found.common(names)
    # Points of one strip are spread, the same way at each drawing.
    spread = np.random.default_rng(0).uniform(-0.13, 0.13, len(points))
    looks = {name: _look(found, name, palette) for name in names}
    figure = go.Figure()
    figure.add_scatter(
        x=points["share"].clip(upper=FAR),
        y=points["method"].map(place) + 0.18 + spread,
        mode="markers",
        name="a group",
        marker={
            "size": 5,
            "opacity": 0.45,
            "symbol": [looks[name][0] for name in points["method"]],
            "color": [looks[name][1] for name in points["method"]],
        },
        customdata=points.assign(kind=[DISTRIBUTIONS[one][0] for one in points["distribution"]])[
            ["network", "kind", "rows", "hamming", "true", "share"]
        ],
        hovertemplate="%{customdata[0]}, %{customdata[1]}, N = %{customdata[2]:,}<br>"
        "%{customdata[3]:.1f} wrong edges, %{customdata[4]} true: %{customdata[5]:.2f}"
        "<extra></extra>",
    )
    figure.add_scatter(
        x=table["share"],
        y=[place[name] + 0.18 for name in names],
        mode="markers",
        name="mean of the groups",
        marker={
            "symbol": "line-ns",
            "size": 12,
            "line": {"width": 4, "color": palette.ink},
        },
        customdata=_numbered(found, names),
        hovertemplate="%{customdata}<br>%{x:.3f}<extra></extra>",
    )
    # A name stands above its strip, so that a narrow screen has room for both.
    for name, text in zip(names, _numbered(found, names), strict=True):
        bold = f"<b>{text}</b>" if name == SUBJECT else text
        figure.add_annotation(
            x=0,
            y=place[name] - 0.27,
            text=f"{bold} · {table.loc[name, 'share']:.2f}",
            showarrow=False,
            xanchor="left",
            font={"color": palette.ink},
        )
    style(figure, palette, ROW * len(names) + 90)
    figure.update_xaxes(
        title={"text": "wrong edges per true edge"}, range=[-0.03, FAR + 0.05], zeroline=False
    )
    bounds = [len(names) - 0.4, -0.6]
    figure.update_yaxes(range=bounds, showticklabels=False, showgrid=False, zeroline=False)
    return figure


def times(found: Measured, table: pd.DataFrame, palette: Palette) -> go.Figure:
    """Seconds of a learn against mean distance; each method by its number in the table.

    A trace for each score of the engine, and one for the other packages.
    """
    names, texts = list(table.index), _numbered(found, list(table.index))
    figure = go.Figure()
    for score in dict.fromkeys(found.score(name) for name in names):
        own = [k for k, name in enumerate(names) if found.score(name) == score]
        symbol, colour = _look(found, names[own[0]], palette)
        figure.add_scatter(
            # The clock of some packages has no more than milliseconds.
            x=[max(table["seconds"].iloc[k], 0.001) for k in own],
            y=[table["share"].iloc[k] for k in own],
            mode="markers+text",
            name=f"{SCORES[score].title}, this engine" if score else "other packages",
            text=[str(k + 1) for k in own],
            customdata=[texts[k] for k in own],
            textposition="middle right",
            textfont={"color": palette.ink, "size": 13},
            marker={"symbol": symbol, "size": 12, "color": colour},
            hovertemplate="%{customdata}<br>%{x:.3g} s, %{y:.3f}<extra></extra>",
        )
    style(figure, palette, 420)
    figure.update_xaxes(type="log", dtick=1, title={"text": "median seconds per search"})
    figure.update_yaxes(title={"text": "wrong edges per true edge"}, zeroline=False)
    return figure


def _look(found: Measured, method: str, palette: Palette) -> tuple[str, str]:
    score = found.score(method)
    return (LOOKS[score].symbol if score else "circle-open", palette.score(score))


def summary(found: Measured, table: pd.DataFrame) -> pd.DataFrame:
    """The standings as a table to read."""
    names = list(table.index)
    duels = [found.against(name) if name != SUBJECT else "" for name in names]
    return pd.DataFrame(
        {
            "#": range(1, len(names) + 1),
            "method": [found.title(name) for name in names],
            "wrong per true edge": table["share"].to_numpy(),
            "nearest": (100 * table["lowest"] / table["groups"]).to_numpy(),
            "within 10 %": (100 * table["tenth"] / table["groups"]).to_numpy(),
            "mean F1": table["f1"].to_numpy(),
            "median seconds": table["seconds"].to_numpy(),
            "groups": table["groups"].to_numpy(),
            "wins–ties–losses of auto": duels,
            "version": found.methods.loc[names, "version"].to_numpy(),
        }
    )


def _numbered(found: Measured, methods: Sequence[str]) -> list[str]:
    """Titles with the numbers that the table gives them, as plotly writes them."""
    titles = [html.escape(found.title(name), quote=False) for name in methods]
    return [f"{k}. {title}" for k, title in enumerate(titles, start=1)]
