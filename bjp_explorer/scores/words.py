"""What a comparison of the three scores comes to, in sentences computed from the traces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from bjp_engine import Dataset, metrics
from bjp_engine.scores import SparedTests
from bjp_explorer.scores.comparison import Reference, Traces, pairs_of, title
from bjp_explorer.scores.halves_figure import NEAR
from bjp_explorer.shell.text import count, number


def agreement_sentence(traces: Traces, data: Dataset) -> str:
    """On how many edges the scores agree."""
    found = [pairs_of(trace.graph, data) for trace in traces.values()]
    every, some = len(frozenset.intersection(*found)), len(frozenset.union(*found))
    if not some:
        return "None of the three learned an edge."
    if every == some:
        return (
            "All three learned the same edge."
            if some == 1
            else (f"All three learned the same {some:,} edges.")
        )
    return f"All three agree on {every:,} of {count(some, 'edge')}."


def cost_sentence(traces: Traces) -> str:
    """What the searches computed."""
    bjp, ib, mpl = (traces[method].tests for method in ("bjp", "ib", "mpl"))
    return (
        f"BJP made {count(bjp, 'test')}, IB-score {ib:,}; MPL computed {count(mpl, 'local score')}."
    )


def truth_sentence(traces: Traces, reference: Reference) -> str:
    """How much of the reference each score found."""
    edges = reference.graph.number_of_edges()
    parts = []
    for method, trace in traces.items():
        result = metrics.confusion(reference.graph, trace.graph)
        false = count(result.fp, "spurious edge") if result.fp else "no spurious edge"
        parts.append(f"{title(method)} found {result.tp:,} and {false}")
    return f"Of the {count(edges, 'edge')} of {reference.name}, {_listed(parts)}."


def optimum_sentence(scores: pd.DataFrame, own: Mapping[str, str]) -> str:
    """Which climbs stopped below another graph of the table.

    Empty where each score puts its own graph first.
    """
    parts = []
    for method, row in own.items():
        column = scores[method]
        better = [str(name) for name in column.index if column[name] > column[row]]
        if better:
            verb = "scores" if len(better) == 1 else "score"
            parts.append(f"under {title(method)}, {_listed(better)} {verb} higher than {row}")
    return f"A climb may miss the best graph: {'; '.join(parts)}." if parts else ""


def halves_sentence(halves: SparedTests) -> str:
    """What BJP computes of a graph's assertions, and what it is spared."""
    computed, inferred = halves.computed, halves.inferred
    return (
        f"BJP computes {count(len(computed), 'test')}, given {number(computed.mean_given, 2)} "
        f"variables on average. It infers {len(inferred):,} more; IB-score computes these, too, "
        f"given {number(inferred.mean_given, 2)} variables on average. "
        f"{computed.undecided(NEAR):,} of the computed tests and {inferred.undecided(NEAR):,} of "
        f"the inferred ones lie within {NEAR} of ½, where the data say little. The inferred ones "
        f"add {number(inferred.total, 4)} to ln IB-score: "
        f"{number(halves.log_ib, 4)} = {number(halves.log_bjp, 4)} + "
        f"({number(inferred.total, 4)}). In total they condition on {halves.irregularity:,} "
        "more variables than the computed ones; this is the graph’s total irregularity."
    )


def _listed(parts: Sequence[str]) -> str:
    """Parts with commas and an "and"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
