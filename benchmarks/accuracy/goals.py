"""What was to be reached, and whether it is."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import fmean, median

from benchmarks.accuracy import tables
from benchmarks.accuracy.compared import Results
from benchmarks.accuracy.groups import Group
from benchmarks.accuracy.methods import PAPER, SUBJECT

# Which of the groups are data of the paper's tables 2 and 3, and 4.
SYNTHETIC = ("hub-", "scale-free-")
KARATE_GOALS = {1000: 20.0, 8000: 12.0}
SHARE_GOAL, RATIO_GOAL = 0.8, 1.1
# A learn by auto beside a plain one by the paper's search, and at its largest size.
TIMES_GOAL, SECONDS_GOAL = 20.0, 2.0
LARGEST = ("hub-4", "scale-free-4")


def papers_own(group: Group) -> bool:
    """Whether a group is of the kind of data that the paper's tables 2 to 4 are about."""
    synthetic = group.network.startswith(SYNTHETIC)
    return group.distribution == ("clique-log-weights" if synthetic else "log-odds")


def table(results: Results) -> str:
    """A line for each figure."""
    mine = results.mine(results.means)
    if mine is None:
        return ""
    lines = [
        goal("lowest mean distance of all methods", mine.lowest / mine.judged, SHARE_GOAL, "share"),
        goal("worst ratio to the lowest", mine.worst, RATIO_GOAL, "ratio"),
    ]
    for many, least in KARATE_GOALS.items():
        cells = results.means.get(Group("karate", "clique-potentials", many), {})
        if SUBJECT in cells:
            what = f"Karate, clique-potentials, N = {many}: distance"
            lines.append(goal(what, cells[SUBJECT].hamming, least, "edges"))
    papers = [c for g, c in results.means.items() if papers_own(g) and {SUBJECT, PAPER} <= c.keys()]
    if papers:
        own, theirs = (
            fmean(c[name].hamming / c[name].true for c in papers) for name in (SUBJECT, PAPER)
        )
        what = "data like the paper's tables 2 to 4: wrong edges per true edge, the paper's search"
        lines.append(goal(what, own, theirs, "share of edges"))
    lines += list(durations(results))
    return tables.table(("figure", "found", "to reach", "reached?"), lines)


def durations(results: Results) -> Iterator[tuple[str, str, str, str]]:
    """How long it takes, beside the paper's search and with 128 variables and 8000 rows."""
    cells = [(g, c) for g, c in results.means.items() if {SUBJECT, PAPER} <= c.keys()]
    times = [c[SUBJECT].seconds / c[PAPER].seconds for _, c in cells if c[PAPER].seconds]
    if times:
        yield goal("seconds, times a plain learn: usual", median(times), TIMES_GOAL, "ratio")
        yield goal("seconds, times a plain learn: largest", max(times), TIMES_GOAL, "ratio")
    large = [c[SUBJECT].seconds for g, c in cells if g.network in LARGEST and g.rows == 8000]
    if large:
        what = "128 variables, 8000 rows: seconds, largest"
        yield goal(what, max(large), SECONDS_GOAL, "seconds")


def goal(what: str, found: float, reach: float, kind: str) -> tuple[str, str, str, str]:
    """A line of the goals; a share is to be reached from below, all else from above."""
    if kind == "share":
        good, shown = found >= reach, (f"{100 * found:.0f} %", f"≥ {100 * reach:.0f} %")
    else:
        digits = {"edges": 1, "ratio": 2}.get(kind, 3)
        good, shown = found <= reach, (f"{found:.{digits}f}", f"≤ {reach:.{digits}f}")
    return what, *shown, "yes" if good else "NO"
