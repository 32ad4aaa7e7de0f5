"""*Reproduce the paper* in words: what tables, sizes and figures say."""

from __future__ import annotations

import math

from bjp_engine.experiments import Experiment, Pace
from bjp_explorer.reproduce.data import Repeated, View
from bjp_explorer.shell.text import count, together

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
MEASURES = {"success": "Rate of success", "hamming": "Mean Hamming distance"}
KILLED = (
    "A worker was killed, perhaps because memory ran out. Finished rows are kept, and Resume "
    "continues from there."
)


def name(table: str, size: str) -> str:
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


def shipped(experiment: Experiment) -> str:
    """What the shipped rows are."""
    return (
        f"{design(experiment)}. These results come with the app. Choose a size above to compute "
        "them here, or compute them without the app:"
    )


def drawn(what: str, experiment: Experiment) -> str:
    """What can be drawn."""
    if what == "times":
        return "Run time"
    return "Rate of success" if experiment.measure == "success" else "Hamming distance"


def drawing(times: bool, experiment: Experiment) -> str:
    """How charts and table are read."""
    if times:
        paper = "The paper prints none for this table."
        if experiment.measure == "hamming":
            paper = "Hollow marks are the paper’s, measured by its own program on its own machine."
        return f"Mean seconds per search over N, both axes logarithmic. {paper}"
    better = "higher is better" if experiment.measure == "success" else "lower is better"
    return (
        f"{MEASURES[experiment.measure]} over N, {better}. Bands show ± one standard error; hollow "
        "marks are the paper’s."
    )


def columns(times: bool) -> str:
    """How the table's columns are read."""
    if times:
        return "Mean seconds per search; ratio: the paper’s seconds divided by ours."
    return (
        "± is the standard error of our mean, or the number that the paper prints after ±; "
        "Δ is ours minus the paper’s."
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


def verdict(view: View) -> str:
    """How well our figures agree with the paper's."""
    total = len(view.compared)
    share = f" ({100 * view.agreeing / total:.0f} %)" if total else ""
    near = (
        "" if view.experiment.measure == "success" else "within 10 % of its Hamming distance, or "
    )
    return (
        f"**{view.agreeing:,} of {count(total, 'figure')}{share} agree with the paper’s**: {near}"
        "within three standard errors of the difference. ▲ marks figures of ours above that range, "
        "▼ figures below it."
    )


def sameness(found: Repeated) -> str:
    """Whether the rows equal the included ones."""
    if not found.both:
        return ""
    if found.equal == found.both:
        return (
            f"All {found.both:,} rows that the included run has too came out the same: the same "
            "numbers of spurious and missed edges, steps and tests."
        )
    return (
        f"**{found.both - found.equal:,} of {found.both:,} rows came out differently from the "
        "included run**, which used the same data. One of the two engines must be wrong."
    )
