"""What the page of the climb says: of a search, of its prior, and of how it went."""

from __future__ import annotations

import inspect

from bjp_engine.scores import SCORES
from bjp_engine.search import PUBLISHED, SEARCHES, SearchTrace, StopReason
from bjp_explorer.jobs.flips import Flips
from bjp_explorer.shell.text import count, duration, markdown, number, shown
from bjp_explorer.views.payloads import best_of

ABOUT = {
    "ibmap-hc": "IBMAP-HC flips the pair with the lowest local contribution, and stops at the "
    "first flip that does not raise the score.",
    "mpl-hc": "First every variable chooses its own blanket. The climb starts from the edges that "
    "both ends chose, and makes the best flips among those that only one end chose.",
    "hill-climb": "Continues where IBMAP-HC stops: it tries pairs in ascending local contribution "
    "until one raises the score. The climb ends when no single flip does.",
    "steepest": "Tries the flip of every pair and makes the one with the largest gain, until none "
    "raises the score.",
    "tabu": "Makes the best flip even if it lowers the score, locks a flipped pair for a while, "
    "and returns the best graph of the walk.",
    "restarts": "Climbs to a maximum, flips some pairs of the best graph at random and climbs "
    "again; it returns the best graph of the walk.",
    "annealing": "Flips pairs at random. It keeps flips that lower the score ever more rarely as "
    "the temperature falls; at the end it climbs.",
    "auto": "Each variable chooses its own blanket. The blankets give the start, and prior odds "
    "for every pair. From there the search flips pairs that disagree with the graph.",
    "exact": "Proves which graph has the highest score, with up to twenty variables. It makes no "
    "flips.",
}


def about(search: str) -> str:
    """What a search does, in a sentence or two.

    One that has none here says it by its docstring's first line.
    """
    known = ABOUT.get(search)
    return known or (inspect.getdoc(type(SEARCHES[search])) or "").partition("\n")[0]


def title(method: str, search: str) -> str:
    """A search's name in the list of those for a score."""
    own = ", the paper’s" if search == PUBLISHED[method] else ""
    return f"{SEARCHES[search].title}{own}"


def queue(search: str) -> str:
    """What the pairs are, the first of which is proposed next."""
    return "Most at odds with the graph" if search == "auto" else "Lowest local contributions"


def score_name(method: str, uniform: bool) -> str:
    """What is climbed: a score, or its sum with the prior over structures."""
    return f"ln {SCORES[method].title}{'' if uniform else ' + prior'}"


def told(trace: SearchTrace, flips: Flips) -> str:
    """How a climb went, in a line of Markdown."""
    made, best = len(flips), best_of(flips, trace)
    after = count(made, "flip") if best == made else f"{best:,} of {count(made, 'flip')}"
    what = "local score" if trace.method == "mpl" else "test"
    parts = [
        f"**{score_name(trace.method, trace.structure.uniform)} = {number(trace.score)}**",
        f"{count(trace.graph.number_of_edges(), 'edge')} after {after}",
        f"{count(trace.tests, what)} in {duration(trace.seconds)}",
    ]
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
    pair = " – ".join(shown(name) for name in step.edge)
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
