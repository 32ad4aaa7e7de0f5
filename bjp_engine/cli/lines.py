"""What commands print: a line for each thing found."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from bjp_engine.errors import plural, printable
from bjp_engine.scores import find_score
from bjp_engine.search import StopReason

if TYPE_CHECKING:
    import pandas as pd

    from bjp_engine.confidence import EdgeConfidence, GroupComparison, GroupComparisons
    from bjp_engine.dataset import Name
    from bjp_engine.parameters import Imputed
    from bjp_engine.scores import ScoreTrace
    from bjp_engine.search import SearchTrace


def learned_lines(
    trace: SearchTrace, confidence: EdgeConfidence | None, imputed: Imputed | None
) -> Iterator[str]:
    """What a search found, and what the number of each edge is; or what was imputed and pooled."""
    if imputed is not None:
        times = len(imputed.datasets)
        yield (
            f"missing: {plural(imputed.cells, 'cell')} ({100 * imputed.share:.3g} %) imputed "
            f"{times} times under the network (seed {imputed.seed}), assuming that they are "
            "missing at random"
        )
        yield (
            "confidence: probability of each edge, calibrated on known networks, mean over "
            f"{times} completed tables"
        )
        yield "edges: the pairs with probability 0.5 or more"
        return
    edges = plural(trace.graph.number_of_edges(), "edge")
    yield f"{trace.method} by {trace.search}: {edges} in {trace.seconds:.3g} s"
    yield f"search: {_search_line(trace)}"
    flips = sum(step.phase != "blanket" for step in trace.steps)
    led = flips - (len(trace.steps) - trace.best_at)
    yield f"flips: {led:,} led to this graph, {flips:,} made, {trace.evaluations:,} tried"
    if trace.known is not None:
        required, forbidden = len(trace.known.required), len(trace.known.forbidden)
        likely = len(trace.known.likely)
        yield (
            f"known: {plural(required, 'required pair')}, {forbidden:,} forbidden, {likely:,} with "
            "a probability"
        )
    yield f"prior: {_prior_line(trace)}"
    prior = " + prior" if trace.log_prior else ""
    yield f"score: {trace.score!r} (ln {find_score(trace.method).title}{prior})"
    if confidence is not None:
        yield _confidence_line(confidence)


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
            numbers.append(_effect_text(rows[frozenset((x, y))]))
        yield "\t".join((f"{printable(x)} - {printable(y)}", *numbers))


def _effect_text(row: Any) -> str:
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


def _confidence_line(confidence: EdgeConfidence) -> str:
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
    """The number of an edge; where it is calibrated its spread over tables, and the verdict."""
    from bjp_engine.confidence.edges import judge_pairs

    edge = confidence.of(x, y)
    yield f"{edge.confidence:.4f}"
    if confidence.judged is not None:
        if edge.error is not None:
            yield f"± {edge.error:.4f}"
        i, j = map(confidence.names.index, (x, y))
        yield str(judge_pairs(edge.confidence, confidence.judged[i, j]))


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


# --- Groups ---------------------------------------------------------------------------------------

# Pairs of variables that are listed.
MOST_LINES = 10


def comparison_lines(found: GroupComparisons) -> Iterator[str]:
    """What was found of each pair of groups."""
    from bjp_engine.confidence import describe_comparison

    several = len(found.pairs) > 1
    for ((a, b), one), adjusted in zip(found.pairs.items(), found.table.itertuples(), strict=True):
        yield from ("", f"{a} and {b}") if several else ()
        sizes = zip((a, b), (one.rows_a, one.rows_b), (one.graph_a, one.graph_b), strict=True)
        for name, rows, graph in sizes:
            yield f"{name}: {plural(rows, 'row')}, {plural(graph.number_of_edges(), 'edge')}"
        for what, p, holm in (
            ("largest difference of a pair", one.p_edges, adjusted.p_edges_adjusted),
            (f"Hamming distance {one.distance}", one.p, adjusted.p_adjusted),
            (
                f"global strength {one.strength_a:.4f} and {one.strength_b:.4f}",
                one.p_strength,
                adjusted.p_strength_adjusted,
            ),
        ):
            more = f", adjusted for {len(found.pairs)} pairs of groups {holm:.4f}" * several
            yield f"{what}: p = {p:.4f}{more}"
        yield from _differences(one, a, b)
        yield describe_comparison(one, a, b)


def _differences(one: GroupComparison, a: str, b: str) -> Iterator[str]:
    """The pairs of variables that differ most, as a table."""
    from bjp_engine.parameters.effects import STRENGTH

    edges = one.edges.head(MOST_LINES)
    if edges.empty:
        return
    where = [
        "both" if row.in_a and row.in_b else f"only {a if row.in_a else b}"
        for row in edges.itertuples()
    ]
    shown = edges[["x", "y", "kind", "effect_a", "effect_b", "difference", "p", "p_adjusted"]]
    shown.insert(2, "edge in", where)
    # Of strengths it is no difference of the two numbers.
    kinds = {STRENGTH: f"{STRENGTH} (difference: root mean square)"}
    shown = shown.replace({"kind": kinds})
    names = {"effect_a": a, "effect_b": b, "p_adjusted": "adjusted p"}
    text = shown.rename(columns=names).to_string(
        index=False, float_format="{:.4f}".format, na_rep="–"
    )
    yield from text.splitlines()
    if len(one.edges) > MOST_LINES:
        yield f"{plural(len(one.edges) - MOST_LINES, 'more pair')} with smaller differences"
