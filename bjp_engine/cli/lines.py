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
    from bjp_engine.parameters import Imputed
    from bjp_engine.planning import RowPlan
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
    if (known := trace.known) is not None:
        yield (
            f"known: {plural(len(known.required), 'required pair')}, {len(known.forbidden):,} "
            f"forbidden, {len(known.likely):,} with a probability"
        )
    yield f"prior: {_prior_line(trace)}"
    prior = " + prior" if trace.log_prior else ""
    yield f"score: {trace.score!r} (ln {find_score(trace.method).title}{prior})"
    if confidence is not None:
        yield f"confidence: {_confidence_line(confidence)}"


def _search_line(trace: SearchTrace) -> str:
    """What the search did to the graph that it began with, and why it stopped."""
    if trace.stop_reason in (StopReason.COMPLETE, StopReason.NO_PAIR):
        return trace.stop_reason
    begun, ended = (set(map(frozenset, graph.edges)) for graph in (trace.start, trace.graph))
    changed = len(begun ^ ended)
    what = f"changed {plural(changed, 'pair')}" if changed else "changed none of the pairs"
    return f"it {what} of its starting graph, and stopped because {trace.stop_reason}"


def _prior_line(trace: SearchTrace) -> str:
    prior, text = trace.structure, "each pair has odds of its own"
    if prior.uniform:
        return "every graph is equally probable"
    if prior.log_odds is None:
        text = f"each edge has probability {prior.probability(len(trace.graph)):.4g}"
    return f"{text}; the prior adds {trace.log_prior:.4f}"


def _confidence_line(confidence: EdgeConfidence) -> str:
    """What the number of each edge is."""
    from bjp_engine.confidence.edges import ABSENT, PRESENT

    return {
        "bootstrap": f"bootstrap frequency in {confidence.made} resamples",
        "calibrated": f"probability of each edge by {confidence.method} with {confidence.search}, "
        f"calibrated on known networks: present from {PRESENT}, absent up to {ABSENT}, undecided "
        "between",
        "test": "posterior of each test",
        "exact": "posterior over all graphs",
    }[confidence.kind]


def edge_lines(
    trace: SearchTrace, confidence: EdgeConfidence | None, effects: pd.DataFrame | None
) -> Iterator[str]:
    """One line per edge, with the numbers that were asked for."""
    rows, verdicts = dict[Any, Any](), dict[Any, str]()
    if effects is not None:
        rows = {frozenset((row.x, row.y)): row for row in effects.itertuples()}
    if confidence is not None and confidence.judged is not None:
        verdicts = {frozenset((x, y)): one for x, y, _, one in confidence.verdicts().to_numpy()}
    for x, y in trace.graph.edges():
        pair, numbers = frozenset((x, y)), list[str]()
        if confidence is not None:
            edge = confidence.of(x, y)
            numbers.append(f"{edge.confidence:.4f}")
            # The spread over tables, and the verdict, of what is calibrated.
            if verdicts and edge.error is not None:
                numbers.append(f"± {edge.error:.4f}")
            numbers += [verdicts[pair]] if verdicts else []
        if rows:
            numbers.append(_effect_text(rows[pair]))
        yield "\t".join((f"{printable(x)} - {printable(y)}", *numbers))


def _effect_text(row: Any) -> str:
    """An effect, its interval and its kind, of a row of a table of effects."""
    if math.isnan(row.effect):
        return "no row shows its effect"
    among = f" among rows with {printable(row.among)}" if row.among else ""
    return f"{row.effect:.4f} [{row.low:.4f}, {row.high:.4f}] {row.kind}{among}"


def term_lines(trace: ScoreTrace) -> Iterator[str]:
    """One line per term: its value, whether it was computed, and its assertion or variable."""
    from bjp_engine.scores import AssertionTerm

    for term in trace.terms:
        subject, origin = printable(term.x), "computed"
        if isinstance(term, AssertionTerm):
            subject += f" {'⊥̸' if term.dependent else '⊥'} {printable(term.y)}"
            origin = "computed" if term.computed else "inferred"
        given = ", ".join(map(printable, term.given)) or "∅"
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
        for name, rows, graph in ((a, one.rows_a, one.graph_a), (b, one.rows_b, one.graph_b)):
            yield f"{name}: {plural(rows, 'row')}, {plural(graph.number_of_edges(), 'edge')}"
        strength = f"global strength {one.strength_a:.4f} and {one.strength_b:.4f}"
        for what, p, holm in (
            ("largest difference of a pair", one.p_edges, adjusted.p_edges_adjusted),
            (f"Hamming distance {one.distance}", one.p, adjusted.p_adjusted),
            (strength, one.p_strength, adjusted.p_strength_adjusted),
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
    names = {"effect_a": a, "effect_b": b, "p_adjusted": "adjusted p"}
    table = shown.replace({"kind": kinds}).rename(columns=names)
    text = table.to_string(index=False, float_format="{:.4f}".format, na_rep="–")
    yield from text.splitlines()
    if len(one.edges) > MOST_LINES:
        yield f"{plural(len(one.edges) - MOST_LINES, 'more pair')} with smaller differences"


# --- How many rows --------------------------------------------------------------------------------


def plan_lines(plan: RowPlan, share: float, *, learned: bool) -> Iterator[str]:
    """What was simulated, means with their standard errors tab by tab, and the rows for a share."""
    yield (
        f"{plan.edges:,} edges; {plan.method} by {plan.search}, {plan.samples:,} samples, seed "
        f"{plan.seed}"
    )
    if learned:
        yield (
            "note: the learned network is taken for the truth, and strengths learned with few rows "
            "look stronger than they are, so the forecast is too good"
        )
    yield (
        f"means over the samples{' ± standard error' * (plan.samples > 1)}; found: edges of the "
        "network that are learned, and their share; false: learned edges that the network has not, "
        "and their share of the learned"
    )
    yield "rows\tfound\tshare\tfalse\tfalse share"
    means = plan.to_frame()
    for one in means.to_dict("records"):
        cells = [f"{one['rows']}"]
        for name in ("found", "recall", "false", "false_share"):
            percent = name in ("recall", "false_share")
            number, error = ((100 if percent else 1) * one[name + end] for end in ("", "_error"))
            cell = f"{number:.0f} %" if percent else f"{number:.1f}"
            cells.append(cell + ("" if math.isnan(error) else f" ± {error:.1f}"))
        yield "\t".join(cells)
    enough, edges = plan.rows_for(share), f"{100 * share:g} % of the edges"
    if enough is None:
        though = ", though fewer rows found them" * bool(means["recall"].max() >= share)
        yield f"{edges} are not found with {plan.rows[-1]:,} rows on average{though}"
    else:
        least = "with at most {:,} rows" if enough == plan.rows[0] else "with {:,} rows or more"
        yield f"{edges} are found {least.format(enough)} on average"
