"""One climb of the page: where it comes from, how far it is, and what the component is told."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import networkx as nx
import streamlit as st
from numpy.typing import NDArray

from bjp_engine import Dataset, metrics
from bjp_engine.scores import SCORES
from bjp_engine.search import SEARCHES, SearchTrace, StopReason
from bjp_explorer.climb.choices import ASKED, Choice
from bjp_explorer.jobs import results
from bjp_explorer.jobs.flips import Flips
from bjp_explorer.jobs.job import Job
from bjp_explorer.shell import caches, origins, visit
from bjp_explorer.shell.components import numbers_in
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import count, duration, markdown, number, plain
from bjp_explorer.views import payloads
from bjp_explorer.views.payloads import Payload, best_of, edge_pairs
from bjp_explorer.views.words import climb_names, edges_found, score_name, unit_of

Outcome = SearchTrace | Job[SearchTrace]


@dataclass(frozen=True)
class Climb:
    """A search on the current dataset."""

    loaded: Loaded
    choice: Choice
    # The search, or the job that runs it.
    found: Outcome

    @property
    def identity(self) -> str:
        """Equal for reruns that show the same climb."""
        return f"{self.loaded.data.digest[:16]} {self.choice.key}"

    @property
    def trace(self) -> SearchTrace | None:
        """The search, once it has ended."""
        return self.found if isinstance(self.found, SearchTrace) else None

    @property
    def job(self) -> Job[SearchTrace] | None:
        """The job, while it runs."""
        return self.found if isinstance(self.found, Job) else None

    @property
    def has_begun(self) -> bool:
        """Whether there is something to show: its start is known."""
        return self.job is None or self.job.start is not None

    @property
    def flips(self) -> Flips:
        """The flips so far."""
        if isinstance(self.found, Job):
            return self.found.flips
        choice, data = self.choice, self.loaded.data
        return results.flips_of(self.found, data, choice.method, choice.search, **choice.options)

    def payload(self, points: NDArray[Any]) -> Payload:
        """The climb so far, for the component."""
        data, ended, choice = self.loaded.data, self.trace, self.choice
        if isinstance(self.found, Job):
            start, score = self.found.start or (nx.empty_graph(data.names), 0.0)
        else:
            start, score = payloads.begin_of(self.found)
        uniform = ended.structure.uniform if ended else not choice.has_prior
        names = climb_names(self.identity, choice.method, choice.search, uniform=uniform)
        return payloads.climb_payload(
            data,
            points,
            self.flips,
            ended,
            names=names,
            start=payloads.start_of(start, score, data),
            truth=self.loaded.truth,
        )


def result_line(trace: SearchTrace, flips: Flips, truth: nx.Graph[Any] | None) -> str:
    """How a climb went, in a line of Markdown; with the distance from a known truth."""
    uniform = trace.structure.uniform
    name = score_name(trace.method, uniform, origins.cells_of(trace))
    parts = [
        f"**{name} = {number(trace.score)}**",
        edges_found(trace, flips),
        f"{count(trace.tests, unit_of(trace.method))} in {duration(trace.seconds)}",
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


def difference_between(
    first: nx.Graph[Any], second: nx.Graph[Any], data: Dataset, most: int
) -> str:
    """The edges that only one of two climbs ended with, up to `most` by name, as Markdown."""
    ours, theirs = edge_pairs(first, data), edge_pairs(second, data)
    if ours == theirs:
        return f"Both climbs end with the same graph of {count(len(ours), 'edge')}."
    parts = [f"{count(len(ours & theirs), 'edge')} in both graphs"]
    for where, only in (("first", ours - theirs), ("second", theirs - ours)):
        names = [" – ".join(markdown(plain(data.names[i])) for i in pair) for pair in sorted(only)]
        if only:
            more = f" and {len(only) - most:,} more" if len(only) > most else ""
            which = f"{', '.join(names[:most])}{more}"
            parts.append(f"{count(len(only), 'edge')} only in the {where} ({which})")
    return " · ".join(parts)


def ending(trace: SearchTrace, flips: Flips) -> str:
    """Why a climb ended, which of its graphs is the result, and how many flips were tried."""
    step, made, best = trace.rejected, len(flips), best_of(flips, trace)
    if trace.stop_reason is StopReason.CANCELLED:
        text = "The climb was cancelled before it ended: its last graph is not the learned one."
    elif step is None:
        text = f"The climb ended because {trace.stop_reason}."
    else:
        pair = markdown(" – ".join(plain(name) for name in step.edge))
        refused = trace.evaluations - flips.last_tried
        would = f"{'adding' if step.added else 'removing'} {pair}, would change the score by"
        gain = number(step.gain, 4)
        text = (
            f"The last proposal, {would} {gain}. It was refused, and the climb ended because "
            if refused < 2
            else f"The last {refused:,} proposals were refused; the final one, {would} {gain}. "
            "The climb ended because "
        )
        text += f"{trace.stop_reason}."
    if best < made:
        where = f"the graph after step {best:,} of {made:,}" if best else "the start"
        text += f" The result is {where}, the best graph of the walk; "
        text += "the later steps found none better."
    # Where every proposal but the last was kept, their number says nothing new.
    if trace.evaluations > made + 1 and "and" not in trace.milestones:
        text += f" The search tried {count(trace.evaluations, 'flip')} in total."
    return text


# --- How a visit goes on --------------------------------------------------------------------------

_AT, _LIVE, _GO, _SEEN = "climb-at", "climb-live", "climb-go", "climb-seen"
# The place of a climb at its end, wherever that is.
END = -1
_MOST_STEPS = 1 << 40


def enter() -> set[str]:
    """Begin a run of the page: the climbs that were followed while they ran, in this stay on it."""
    if visit.has_arrived() or _LIVE not in st.session_state:
        st.session_state[_LIVE] = set()
    found: set[str] = st.session_state[_LIVE]
    return found


def places() -> dict[str, int]:
    """The step at which each climb was left, where it was."""
    found: dict[str, int] = st.session_state.setdefault(_AT, {})
    return found


def step_in(found: Mapping[str, int], identity: str) -> int | None:
    """Where to begin showing a climb, by such places: 0 at first, None for its end."""
    step = found.get(identity, 0)
    return None if step == END else step


def seen() -> set[str]:
    """The pairs of climbs whose end was shown, so that there is nothing left to predict."""
    found: set[str] = st.session_state.setdefault(_SEEN, set())
    return found


def settle(settled: object) -> None:
    """Remember the step at which the component says that it rests, and whether it is the end."""
    if not isinstance(settled, Mapping):
        return
    step = numbers_in([settled.get("step")], _MOST_STEPS)
    if step is not None and isinstance(settled.get("id"), str):
        places()[settled["id"]] = step[0]
        if settled.get("ended") is True:
            seen().add(settled["id"])
        st.session_state.pop(_GO, None)


def go(identity: str) -> int | None:
    """The step that a link asks for, if one does; once the climb has ended, it is remembered."""
    asked: int | None = st.session_state.pop(ASKED, None)
    if asked is not None:
        places()[identity] = asked
        # Told until one has moved: a rerun may overtake the one that first tells it.
        st.session_state[_GO] = (identity, asked)
    known, step = st.session_state.get(_GO, (None, None))
    return step if known == identity else None
