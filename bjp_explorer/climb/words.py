"""What the page of the climb says: of a search, of its prior, and of how it went."""

from __future__ import annotations

import inspect
from typing import Any

import networkx as nx

from bjp_engine import Dataset, metrics
from bjp_engine.scores import SCORES
from bjp_engine.search import PUBLISHED, SEARCHES, SearchTrace, StopReason
from bjp_explorer.jobs.flips import Flips
from bjp_explorer.shell import caches, origins
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import count, duration, markdown, number, plain
from bjp_explorer.views.payloads import best_of, edge_pairs
from bjp_explorer.views.words import NEAR_ABOUT, edges_found, score_name

ABOUT = {
    "ibmap-hc": "IBMAP-HC flips the pair with the lowest local contribution, and stops at the "
    "first flip that does not raise the score.",
    "mpl-hc": "First every variable chooses its own blanket. The climb starts from the edges that "
    "both ends chose, and makes the best flips among those that only one end chose.",
    "hill-climb": "Continues where IBMAP-HC stops: it tries pairs in ascending local contribution "
    "until one raises the score. The climb ends when no single flip does.",
    "tabu": "Makes the best flip even if it lowers the score, locks a flipped pair for a while, "
    "and returns the best graph of the walk.",
    "restarts": "Climbs to a maximum, flips some pairs of the best graph at random and climbs "
    "again; it returns the best graph of the walk.",
    "auto": "Each variable chooses its own blanket. The blankets give the start, and prior odds "
    "for every pair. From there the search flips pairs that disagree with the graph.",
}


SCORE, SEARCH, START, OPTIONS = "Score", "Search", "Start", "Options"
COMPARE, OTHER_SCORE, SYNCHRONISE = "Compare with", "Score to compare with", "Synchronise by"
BESIDE = {
    "none": "Compare with: none",
    "score": "Compare with: another score",
    "search": "Compare with: another search",
    "paper": "Compare with: the paper’s search",
}
TIMELINE = {"flips": "Synchronise by flips", "tests": "by tests made"}
STARTS = {
    "empty": "from the empty graph",
    "mpl-and": "from MPL’s AND graph",
    "mpl-or": "from MPL’s OR graph",
    "mpl": "from MPL’s result",
    "chow-liu": "from the Chow-Liu tree",
}
PRIOR = "Prior over graphs"
PRIOR_HELP = (
    "How probable an edge is before the data are seen. In the paper every graph is equally likely."
)
PRIORS = {
    "uniform": "uniform: every graph equally likely",
    "degree": "an expected degree",
    "data": "edge probability from the data",
}
PRIOR_OF_AUTO = "chosen by the search"
DEGREE, DEGREE_HELP = "Expected degree", "How many neighbours a variable has on average."
TIME, NO_LIMIT = "Time budget in seconds", "no limit"
# The numbers that searches take: label and help.
NUMBERS = {
    "tenure": ("Tenure", "For how many moves a flipped pair stays locked."),
    "patience": ("Patience", "Ends after this many moves without a better graph."),
    "restarts": ("Restarts", "Number of climbs after the first."),
    "strength": ("Strength", "Pairs flipped before each restart."),
    "seed": ("Seed", "Seed of the random numbers; each seed gives another walk."),
}
PAPER_BUTTON = "Watch the paper’s search"
ARRANGE = "Arrange the nodes"
ARRANGE_HELP = "Places the variables by the learned graph, as on the other pages."
NOTHING_TO_COMPARE = "A cancelled climb has no result to compare."
PREDICTING = "Predict which climb finds more edges"
BLANKETS = (
    "Each variable adds the neighbour that raises its local score most, and removes neighbours "
    "that no longer help. The climb above starts from the edges that both ends chose."
)
# The columns of the table of blankets, and what a step did.
VARIABLE, CHANGE, NEIGHBOUR, GAIN, LOCAL = "variable", "change", "neighbour", "gain", "local score"
ADDS, REMOVES = "adds", "removes"
# So many edges are named; of more, only how many.
FEW = 12


def first_phase(changes: int) -> str:
    """The heading of MPL's first phase."""
    return f"Phase one: {count(changes, 'change')} of blankets"


def about(search: str) -> str:
    """What a search does, in a sentence or two.

    One that has none here says it by its docstring's first line.
    """
    known = ABOUT.get(search)
    return known or (inspect.getdoc(type(SEARCHES[search])) or "").partition("\n")[0]


def about_climb(method: str, search: str) -> str:
    """What the search does, and of a score that isn't the paper's what that is."""
    return f"{about(search)} {NEAR_ABOUT}" if method == "near" else about(search)


def title(method: str, search: str) -> str:
    """A search's name in the list of those for a score."""
    own = ", the paper’s" if search == PUBLISHED[method] else ""
    return f"{SEARCHES[search].title}{own}"


def result_line(trace: SearchTrace, flips: Flips, truth: nx.Graph[Any] | None) -> str:
    """How a climb went, in a line of Markdown; with the distance from a known truth."""
    uniform = trace.structure.uniform
    name = score_name(trace.method, uniform, origins.cells_of(trace))
    what = "local score" if trace.method == "mpl" else "test"
    parts = [
        f"**{name} = {number(trace.score)}**",
        edges_found(trace, flips),
        f"{count(trace.tests, what)} in {duration(trace.seconds)}",
    ]
    if truth is not None:
        parts.append(f"Hamming distance {metrics.hamming(truth, trace.graph)}")
    if not uniform:
        parts.append(f"the prior adds {number(trace.log_prior)}")
    return " · ".join(parts)


def difference_from_paper(loaded: Loaded, found: SearchTrace, paper: SearchTrace) -> str:
    """The difference to the paper's search, in a line.

    Markdown: edges added and removed, both scores with every graph equally likely, and the Hamming
    distances where the truth is known.
    """
    ours, theirs = (set(map(frozenset, trace.graph.edges)) for trace in (found, paper))
    head = f"**Compared with the paper’s search** ({SEARCHES[paper.search].title}):"
    if ours == theirs:
        return f"{head} the same graph"
    changes = ((len(ours - theirs), "added"), (len(theirs - ours), "removed"))
    score = caches.score_graph(loaded.data, found.graph, found.method).total
    name = f"ln {SCORES[found.method].title}"
    same = origins.cells_of(found) == origins.cells_of(paper)
    basis = "a uniform prior" if same else "the paper’s test and a uniform prior"
    parts = [
        " and ".join(f"{count(made, 'edge')} {how}" for made, how in changes if made),
        f"{name} {number(score)} instead of {number(paper.score)}, with {basis}",
    ]
    if loaded.truth is not None:
        here, there = (metrics.hamming(loaded.truth, t.graph) for t in (found, paper))
        parts.append(f"Hamming distance {here} instead of {there}")
    return f"{head} {' · '.join(parts)}"


def difference_between(first: nx.Graph[Any], second: nx.Graph[Any], data: Dataset) -> str:
    """The edges that only one of two climbs ended with, in a line, as Markdown."""
    ours, theirs = edge_pairs(first, data), edge_pairs(second, data)
    if ours == theirs:
        return f"Both climbs end with the same graph of {count(len(ours), 'edge')}."
    parts = [f"{count(len(ours & theirs), 'edge')} in both graphs"]
    for where, only in (("first", ours - theirs), ("second", theirs - ours)):
        names = ", ".join(
            " – ".join(markdown(plain(data.names[i])) for i in pair) for pair in sorted(only)
        )
        if only:
            which = f" ({names})" if len(only) <= FEW else ""
            parts.append(f"{count(len(only), 'edge')} only in the {where}{which}")
    return " · ".join(parts)


def ending(trace: SearchTrace, flips: Flips) -> str:
    """Why a climb ended, which of its graphs is the result, and how many flips were tried."""
    parts = [_end(trace, flips), _result(trace, flips)]
    # Where every proposal but the last was kept, their number says nothing new.
    if trace.evaluations > len(flips) + 1 and "and" not in trace.milestones:
        parts.append(f"The search tried {count(trace.evaluations, 'flip')} in total.")
    return " ".join(filter(None, parts))


def _end(trace: SearchTrace, flips: Flips) -> str:
    """Why it ended."""
    if trace.stop_reason is StopReason.CANCELLED:
        return "The climb was cancelled before it ended: its last graph is not the learned one."
    step = trace.rejected
    if step is None:
        return f"The climb ended because {trace.stop_reason}."
    pair = " – ".join(plain(name) for name in step.edge)
    refused = trace.evaluations - flips.last_tried
    would = f"{'adding' if step.added else 'removing'} {markdown(pair)}, would change the score by"
    gain = number(step.gain, 4)
    if refused < 2:
        return (
            f"The last proposal, {would} {gain}. It was refused, and the climb ended because "
            f"{trace.stop_reason}."
        )
    return (
        f"The last {refused:,} proposals were refused; the final one, {would} {gain}. The climb "
        f"ended because {trace.stop_reason}."
    )


def _result(trace: SearchTrace, flips: Flips) -> str:
    """Which graph is the result, where that isn't the last."""
    made, best = len(flips), best_of(flips, trace)
    if best == made:
        return ""
    where = f"the graph after step {best:,} of {made:,}" if best else "the start"
    return f"The result is {where}, the best graph of the walk; the later steps found none better."
