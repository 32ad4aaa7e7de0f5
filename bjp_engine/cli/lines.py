"""What `bjp learn` and `bjp score` print: a line for each thing found."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from bjp_engine.errors import plural, printable
from bjp_engine.scores import find_score
from bjp_engine.search import StopReason

if TYPE_CHECKING:
    import pandas as pd

    from bjp_engine.confidence import EdgeConfidence
    from bjp_engine.dataset import Name
    from bjp_engine.scores import KnownEdges, ScoreTrace
    from bjp_engine.search import SearchTrace


def trace_lines(trace: SearchTrace) -> Iterator[str]:
    """What a search found."""
    edges = plural(trace.graph.number_of_edges(), "edge")
    yield f"{trace.method} by {trace.search}: {edges} in {trace.seconds:.3g} s"
    yield f"search: {_search_line(trace)}"
    flips = sum(step.phase != "blanket" for step in trace.steps)
    led = flips - (len(trace.steps) - trace.best_at)
    yield f"flips: {led:,} led to this graph, {flips:,} made, {trace.evaluations:,} tried"
    if trace.known is not None:
        yield f"known: {_known_line(trace.known)}"
    yield f"prior: {_prior_line(trace)}"
    prior = " + prior" if trace.log_prior else ""
    yield f"score: {trace.score!r} (ln {find_score(trace.method).title}{prior})"


def _search_line(trace: SearchTrace) -> str:
    """What the search did to the graph that it began with, and why it stopped."""
    if trace.stop_reason in (StopReason.COMPLETE, StopReason.NO_PAIR):
        return trace.stop_reason
    begun, ended = (set(map(frozenset, graph.edges)) for graph in (trace.start, trace.graph))
    changed = len(begun ^ ended)
    what = f"changed {plural(changed, 'pair')}" if changed else "changed none of the pairs"
    return f"it {what} of its starting graph, and stopped because {trace.stop_reason}"


def edge_lines(
    trace: SearchTrace, confidence: EdgeConfidence | None, effects: pd.DataFrame | None
) -> Iterator[str]:
    """One line per edge, with the numbers that were asked for."""
    rows: dict[Any, Any] = {}
    if effects is not None:
        rows = {frozenset((row.x, row.y)): row for row in effects.itertuples()}
    for x, y in trace.graph.edges():
        numbers = [] if confidence is None else [*_edge_numbers(confidence, x, y)]
        if rows:
            numbers.append(effect_text(rows[frozenset((x, y))]))
        yield "\t".join((f"{printable(x)} - {printable(y)}", *numbers))


def effect_text(row: Any) -> str:
    """An effect, its interval and its kind, of a row of a table of effects."""
    if math.isnan(row.effect):
        return "no row shows its effect"
    among = f" among rows with {printable(row.among)}" if row.among else ""
    return f"{row.effect:.4f} [{row.low:.4f}, {row.high:.4f}] {row.kind}{among}"


def _prior_line(trace: SearchTrace) -> str:
    prior = trace.structure
    if prior.uniform:
        return "every graph is equally probable"
    if prior.log_odds is None:
        text = f"each edge has probability {prior.probability(len(trace.graph)):.4g}"
    else:
        text = "each pair has odds of its own"
    return f"{text}; the prior adds {trace.log_prior:.4f}"


def _known_line(known: KnownEdges) -> str:
    required, forbidden = len(known.required_pairs), len(known.forbidden_pairs)
    likely = len(known.rows()) - required - forbidden
    return (
        f"{plural(required, 'required pair')}, {forbidden:,} forbidden, {likely:,} with a "
        "probability"
    )


def confidence_line(confidence: EdgeConfidence) -> str:
    """What the number of each edge is."""
    from bjp_engine.confidence.edges import ABSENT, PRESENT

    if confidence.kind == "bootstrap":
        return f"confidence: bootstrap frequency in {confidence.made} resamples"
    kinds = {
        "calibrated": f"probability of each edge by {confidence.method} with {confidence.search}, "
        f"calibrated on known networks: present from {PRESENT}, absent up to {ABSENT}, undecided "
        "between",
        "test": "posterior of each test",
        "exact": "posterior over all graphs",
    }
    return f"confidence: {kinds[confidence.kind]}"


def _edge_numbers(confidence: EdgeConfidence, x: Name, y: Name) -> Iterator[str]:
    """The number of an edge, and the verdict on it where it is calibrated."""
    from bjp_engine.confidence.edges import judge_pairs

    number = confidence.of(x, y).confidence
    yield f"{number:.4f}"
    if confidence.judged is not None:
        i, j = map(confidence.names.index, (x, y))
        yield str(judge_pairs(number, confidence.judged[i, j]))


def term_lines(trace: ScoreTrace) -> Iterator[str]:
    """One line per term: its value, whether it was computed, and its assertion or variable."""
    from bjp_engine.scores import AssertionTerm

    for term in trace.terms:
        subject, origin = printable(term.x), "computed"
        if isinstance(term, AssertionTerm):
            subject += f" {'⊥̸' if term.dependent else '⊥'} {printable(term.y)}"
            origin = "computed" if term.computed else "inferred"
        given = ", ".join(printable(name) for name in term.given) or "∅"
        yield f"{term.value!r}\t{origin}\t{subject} | {given}"
