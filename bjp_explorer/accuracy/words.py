"""What the comparison with other packages comes to, in sentences made of its means."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from bjp_engine.confidence.edges import ABSENT, PRESENT
from bjp_explorer.accuracy.data import EDGE, PAPER, SAME, SUBJECT, TENTH, Measured
from bjp_explorer.shell.text import count, number, together

if TYPE_CHECKING:
    from bjp_explorer.accuracy.limit import Limit

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


ABOUT = "The engine on data from known networks, where every wrong edge can be counted."
VIEW = "Question"
VIEWS = {
    "others": "Is it better than other packages?",
    "calibration": "Are its probabilities right?",
    "limit": "How far from the best possible?",
}
ALL_KINDS, ALL_SIZES = "all kinds", "any rows"
KIND, SIZE = "How the data were made", "Rows"
BY_KIND_TITLE = "Where they fall short"
DIAGRAM_CAPTION = (
    "Pairs of variables from known networks, in ten bins by calibrated probability. On the dotted "
    "line the probability is right: of the pairs with 0.7, 70 % are edges. A number counts the "
    "pairs of a bin; bars are two standard errors. Bins of fewer than 20 pairs are left out."
)
BY_KIND_CAPTION = (
    "“Off by” is the expected calibration error in percentage points: how far the bins’ mean "
    "probabilities are from their shares of edges, the mean over all pairs. Nothing was fitted to "
    "these samples, though some were looked at while terms were chosen; `docs/calibration.md` has "
    "more."
)
COLUMNS = {
    "pairs": "pairs",
    "edges": f"edges among {PRESENT} or more",
    "none": f"no edges among {ABSENT} or less",
    "gap": "off by",
    "undecided": "undecided",
}
LIMIT_TITLES = {"limit": "the limit", SUBJECT: "auto", PAPER: "the paper’s search"}
SECTIONS = {
    "loses": "Where it loses",
    "methods": "All methods",
    "time": "Accuracy and time",
    "how": "How it was done",
}
TIME_CAPTION = (
    "The numbers are those of the table. Filled marks are this engine’s. Lower is closer to the "
    "true network, left is faster: processor time on one core, without start-up and reading."
)


def finding(found: Measured, methods: Sequence[str]) -> str:
    """Who is closest to the truth, and by how much."""
    table = found.standings(methods)
    own = table.T[SUBJECT]
    lowest, groups = int(own["lowest"]), int(own["groups"])
    sentence = (
        f"**{found.title(SUBJECT)} comes closest to the true network in {lowest:,} of {groups:,} "
        f"groups of data ({100 * lowest / groups:.0f} %)**, alone or tied."
    )
    sentence += f" It makes {number(own['share'], 2)} wrong edges per true edge"
    others = {"the best other package": [m for m in methods if not found.ours(m)]}
    others["the paper’s search"] = [m for m in methods if m == PAPER]
    for what, names in others.items():
        if names:
            shares = table.loc[names, "share"]
            name = str(shares.idxmin())
            which = "" if name == PAPER else f" ({found.title(name)})"
            sentence += f"; {what}{which} makes {number(shares.min(), 2)}"
    return sentence + "."


def strips_caption(groups: int, far: float) -> str:
    """How the chart of distances is read."""
    return (
        "Wrong edges (missed or spurious) per true edge: 0 is perfect, 1 is an empty graph. Points "
        f"are the {count(groups, 'group')} of data for which all these methods have a result, bars "
        f"their means; points beyond {far} are drawn at the right edge."
    )


def methods_caption(found: Measured) -> str:
    """How the table of methods is read."""
    return (
        "“Closest” counts the groups where no other method was closer to the true network, ties "
        f"included. The last column counts the groups that {found.title(SUBJECT)} wins, ties and "
        "loses against the method."
    )


def defeats(found: Measured) -> str:
    """Where the method that is judged is not the nearest."""
    table = found.means
    own = table[table["method"] == SUBJECT].set_index(["network", "distribution", "rows"])
    above = own["hamming"] - own["least"]
    lost = own[above > SAME]
    if lost.empty:
        return f"No other method is closer than {found.title(SUBJECT)} in any of these groups."
    nearest = table[table["hamming"] <= table["least"] + SAME]
    nearest = nearest.set_index(["network", "distribution", "rows"])
    who = nearest.loc[nearest.index.isin(lost.index), "method"].value_counts()
    first = [f"{found.title(str(name))} ({many})" for name, many in who.head(3).items()]
    ratio = lost["hamming"].clip(lower=1) / lost["least"].clip(lower=1)
    worst = lost.reset_index().iloc[int(ratio.argmax())]
    kind, _ = DISTRIBUTIONS[worst["distribution"]]
    where = f"the network *{worst['network']}* ({kind}) with {worst['rows']:,} rows"
    tenth = int((own["hamming"] <= TENTH * own["least"] + SAME).sum())
    return (
        f"In {count(len(lost), 'group')} another method is closer, most often "
        f"{together(first)}. {found.title(SUBJECT)} is within 10 % of the closest in {tenth:,} of "
        f"{len(own):,} groups and within one edge of it in {int((above <= EDGE + SAME).sum()):,}. "
        f"Its worst result is on {where}: {number(worst['hamming'], 1)} wrong edges against "
        f"{number(worst['least'], 1)}."
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


def calibrated(edges: float, none: float, gap: float, undecided: float) -> str:
    """How right calibrated probabilities are; percentages."""
    if math.isnan(edges):
        text = f"**No pair has a calibrated probability of {PRESENT} or more**"
    else:
        text = (
            f"**Of the pairs with a calibrated probability of {PRESENT} or more, {edges:.1f} % are "
            "edges**"
        )
    if not math.isnan(none):
        text += f"; of those with {ABSENT} or less, {none:.1f} % are not"
    return (
        f"{text}. {undecided:.1f} % of all pairs lie between. Over all pairs, probability and "
        f"share of edges differ by {gap:.2f} percentage points on average."
    )


def falls_short(
    worst: Mapping[str, Any], kinds: Mapping[str, float], sizes: Mapping[int, float]
) -> str:
    """Where probabilities are least right: one bin, and the worst kind of data and size."""
    given, share = (worst[name] / worst["pairs"] for name in ("expected", "edges"))
    kind, rows = max(kinds, key=kinds.__getitem__), max(sizes, key=sizes.__getitem__)
    return (
        f"The widest gap is in {DISTRIBUTIONS[worst['distribution']][0]} with {worst['rows']:,} "
        f"rows: there, {worst['pairs']:,} pairs have a mean probability of {given:.2f}, and "
        f"{100 * share:.0f} % of them are edges. On average, the probabilities are furthest off in "
        f"{DISTRIBUTIONS[kind][0]} ({100 * kinds[kind]:.2f} percentage points) and with "
        f"{rows:,} rows ({100 * sizes[rows]:.2f})."
    )


def diagram_text(bins: pd.DataFrame) -> str:
    """The diagram as a sentence."""
    parts = [f"{each.probability:.2f}: {each.share:.2f}" for each in bins.itertuples()]
    return f"Share of edges by mean calibrated probability: {'; '.join(parts)}."


def nearest(found: Limit) -> str:
    """How near the searches come to the limit where the limit is not yet nothing."""
    wrong = found.wrong
    some = wrong[wrong["limit"] >= 0.01]
    near = (some if len(some) else wrong).iloc[-1]
    last = wrong.iloc[-1]
    return (
        f"**With {near.name:,} rows, auto makes {number(near[SUBJECT], 2)} wrong edges per true "
        f"edge; no method can make fewer than {number(near['limit'], 2)} on average.** The paper’s "
        f"search makes {number(near[PAPER], 2)}. With {last.name:,} rows auto makes "
        f"{number(last[SUBJECT], 3)}, the paper’s search {number(last[PAPER], 3)}, and the limit "
        f"is {number(last['limit'], 3)}."
    )


def describe_limit(found: Limit) -> str:
    """What the limit is."""
    graphs = 2 ** (found.variables * (found.variables - 1) // 2)
    return (
        "The limit knows how the data were made, all but the graph. It weighs each of the "
        f"{graphs:,} graphs by its exact likelihood and keeps the edges of probability above ½. "
        f"The data: {found.networks:,} networks of {found.variables} two-state variables, where "
        f"each pair is an edge with probability {found.density:g}."
    )


def limit_text(found: Limit) -> str:
    """The chart of the limit as a sentence."""
    parts = [
        f"{rows:,} rows: "
        + ", ".join(f"{LIMIT_TITLES[str(name)]} {value:.2f}" for name, value in of.items())
        for rows, of in found.wrong.to_dict("index").items()
    ]
    return f"Wrong edges per true edge. {'; '.join(parts)}."


def strip_text(table: pd.DataFrame, found: Measured) -> str:
    """The strip chart as a sentence."""
    parts = [f"{found.title(str(name))} {row['share']:.2f}" for name, row in table.iterrows()]
    return f"Mean wrong edges per true edge, lowest first: {'; '.join(parts)}."


def times_text(table: pd.DataFrame, found: Measured) -> str:
    """The chart of seconds as a sentence."""
    parts = [f"{found.title(str(name))} {row['seconds']:.3g} s" for name, row in table.iterrows()]
    return f"Median seconds per search, closest to the true network first: {'; '.join(parts)}."
