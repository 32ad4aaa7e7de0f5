"""*Reproduce the paper* in words: what tables, sizes and figures say."""

from __future__ import annotations

import math
from collections import Counter
from statistics import fmean

from bjp_engine.experiments import Experiment, Pace
from bjp_explorer.reproduce.data import Repeated, View
from bjp_explorer.shell.text import count, together

HEADING = (
    "The four tables of Schlüter, Strappa, Milone & Bromberg (arXiv 1608.02315), recomputed here."
)
SECTIONS = {
    "figures": "All figures",
    "claims": "The paper’s claims",
    "how": "How it was done",
}
TABLE, SIZE, SEED, SHOW = "Table of the paper", "Results", "Seed", "Show"
SEED_HELP = "0 draws the data of the included results again; any other number draws new data."
RUN, RESUME, CANCEL = "Run", "Resume", "Cancel"
NOTHING_RUN = "Nothing has been run in this size yet; the page shows the included results."
NO_CLAIMS = "No claim can be tested yet."
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
SIZES = {
    "shipped": "Included",
    "glance": "In seconds",
    "quick": "In minutes",
    "full": "Complete run",
}
SIZES_HELP = (
    "The included results were computed once and come with the app. In seconds: 2 datasets per "
    "cell, small N. In minutes: 10 datasets per cell, all N. Complete run: the paper’s design, 100 "
    "datasets per cell."
)
MEASURES = {"success": "Success rate", "hamming": "Mean Hamming distance"}
KILLED = (
    "A worker was killed, perhaps because memory ran out. Finished rows are kept, and Resume "
    "continues from there."
)


def name_run(table: str, size: str) -> str:
    """What a run is called."""
    return f"Table {table.removeprefix('table-')}, {SIZES[size].lower()}"


def offer(experiment: Experiment, done: int, left: float, cores: int) -> str:
    """What a run consists of, how far it is, and what it still takes."""
    text = f"{design(experiment)}."
    if done >= experiment.size:
        return f"{text} All of them are done and kept on this machine."
    if done:
        text += f" {done:,} are done and kept on this machine."
    return (
        f"{text} Going by the run times of the included results, "
        f"{'the rest' if done else 'this'} takes about **{duration(left)}** "
        f"on {count(cores, 'core')}. It continues while this tab is open, even on another page."
    )


def describe_included(experiment: Experiment) -> str:
    """What the shipped rows are."""
    return (
        f"{design(experiment)}. These results come with the app. Choose another size under "
        "*Results* to compute them here, or compute them without the app:"
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


def duration(seconds: float) -> str:
    """A length of time as one tells it beforehand."""
    if math.isnan(seconds):
        return "an unknown time"
    if seconds < 90:
        return f"{max(5, 5 * round(seconds / 5))} seconds"
    if seconds < 5400:
        return f"{seconds / 60:.0f} minutes"
    return f"{seconds / 3600:.1f} hours"


def progress(name: str, pace: Pace, waited: float) -> str:
    """How far a run is."""
    if not pace.total:
        return f"{name} · waiting for another run to end"
    parts = [name, f"{pace.done:,} of {pace.total:,} searches"]
    if pace.left is None:
        parts.append(f"the workers are starting, {waited:.0f} s")
    else:
        parts += [f"{pace.rate:,.1f} per second", f"about {duration(pace.left)} left"]
    return " · ".join(parts)


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


def compare_with_included(found: Repeated) -> str:
    """Whether the rows equal the included ones."""
    if not found.both:
        return ""
    if found.equal == found.both:
        return (
            f"All {found.both:,} rows shared with the included run are identical: the same "
            "numbers of spurious and missed edges, steps and tests."
        )
    return (
        f"**{found.both - found.equal:,} of {found.both:,} rows came out differently from the "
        "included run**, which used the same data. One of the two engines must be wrong."
    )
