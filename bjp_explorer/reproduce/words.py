"""*Reproduce the paper* in words: what tables and figures say."""

from __future__ import annotations

from collections import Counter
from statistics import fmean

from bjp_engine.experiments import Experiment
from bjp_explorer.reproduce.data import View
from bjp_explorer.shell.text import count, together

HEADING = (
    "The four tables of Schlüter, Strappa, Milone & Bromberg (arXiv 1608.02315), recomputed here."
)
SECTIONS = {
    "figures": "All figures",
    "claims": "The paper’s claims",
    "how": "How it was done",
}
TABLE, SHOW = "Table of the paper", "Show"
CLAIMS_CAPTION = (
    "How much better BJP does on the same data, averaged over datasets, with Student’s 95 % "
    "interval in brackets. A claim holds or is refuted if the whole interval says so. Of twenty "
    "true claims that are just met, one may look refuted."
)
TABLES = {
    "table-1": "1 · Six nodes",
    "table-2": "2 · Hubs",
    "table-3": "3 · Scale-free",
    "table-4": "4 · Real",
}
ABOUT = {
    "table-1": "**Table 1: how often a score finds the network itself.** For six networks of six "
    "nodes, all 32,768 graphs are scored. It is a success if the true graph has the highest score.",
    "table-2": "**Table 2: wrong edges on networks of hubs.** 16 to 128 nodes, an eighth of them "
    "hubs with seven leaves each. The measure is the Hamming distance: missed plus spurious edges.",
    "table-3": "**Table 3: wrong edges on scale-free networks.** 16 to 128 nodes; new nodes prefer "
    "neighbours with many edges. The measure is the Hamming distance: missed plus spurious edges.",
    "table-4": "**Table 4: wrong edges on six real networks**, from a karate club to the words of "
    "a novel. The measure is the Hamming distance: missed plus spurious edges.",
}
MEASURES = {"success": "Success rate", "hamming": "Mean Hamming distance"}


def describe_included(experiment: Experiment) -> str:
    """What the shipped rows are."""
    return (
        f"{design(experiment)}. These results come with the app. This command computes them, "
        "and `bjp report results` shows them:"
    )


def measure(what: str, experiment: Experiment) -> str:
    """What can be drawn."""
    if what == "times":
        return "Run time"
    return "Success rate" if experiment.measure == "success" else "Hamming distance"


def charts_caption(times: bool, experiment: Experiment) -> str:
    """How the charts are read."""
    if times:
        paper = "The paper prints none for this table."
        if experiment.measure == "hamming":
            paper = "Hollow marks are the paper’s, measured by its own program on its own machine."
        return f"Mean seconds per search over N, both axes logarithmic. {paper}"
    better = "higher is better" if experiment.measure == "success" else "lower is better"
    return (
        f"{MEASURES[experiment.measure]} over the number of rows, N; {better}. Bands show ± one "
        "standard error."
    )


def table_caption(times: bool, experiment: Experiment) -> str:
    """How the table's columns are read."""
    if times:
        return "Mean seconds per search; ratio: the paper’s seconds divided by ours."
    near = "" if experiment.measure == "success" else "within 10 % of its Hamming distance, or "
    return (
        "± is the standard error of our mean, or the number that the paper prints after ±; "
        f"Δ is ours minus the paper’s. A figure agrees {near}within three standard errors of the "
        "difference; ▲ marks figures of ours above that range, ▼ figures below it."
    )


def design(experiment: Experiment) -> str:
    """What an experiment consists of."""
    cells = len(experiment.networks) * experiment.distributions * experiment.samples
    rows = sorted(experiment.rows)
    drawn = f"{count(experiment.distributions, 'distribution')} on each"
    return (
        f"{count(len(experiment.networks), 'network')}, {drawn}, "
        f"{count(experiment.samples, 'sample')} of each distribution: "
        f"**{count(cells, 'dataset')}**. {count(len(experiment.scores), 'score')} learn from the "
        f"first {together([f'{n:,}' for n in rows])} rows of each: "
        f"**{count(experiment.size, 'search', 'searches')}**"
    )


def finding(view: View) -> str:
    """How well our figures agree with the paper's, and where they are furthest from them."""
    total = len(view.printed)
    if not total:
        return ""
    where, why = "", ""
    if view.is_reconstructed:
        where = ", on reconstructed networks"
        why = " The paper prints no edge lists."
    share = f"{100 * view.agreeing / total:.0f} %"
    return (
        f"**{view.agreeing:,} of {count(total, 'figure')} ({share}) agree with the "
        f"paper’s{where}.**{why}{_furthest(view)}"
    )


def _furthest(view: View) -> str:
    """Where the figures are that don't agree; success rates also say which are furthest off."""
    off = Counter(one.network for one in view.printed if one.agrees is False)
    text = ""
    if off:
        listed = together([f"{name} ({many})" for name, many in off.most_common()])
        text = f" The other {off.total()}: {listed}."
    if view.experiment.measure == "success":
        distances = view.distances
        far = [name for name, value in distances.items() if value > fmean(distances.values())]
        mean = 100 * fmean(distances[name] for name in far or distances)
        text += f" Success rates of {together(far or list(distances))} are {mean:.0f} percentage "
        text += "points off on average."
    return text
