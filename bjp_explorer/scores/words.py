"""What *Scores side by side* says, and what its comparison comes to, computed from the traces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pandas as pd

from bjp_engine import Dataset, metrics
from bjp_engine.scores import SparedTests
from bjp_engine.search import SearchTrace
from bjp_explorer.scores.comparison import Reference, Traces, title
from bjp_explorer.scores.halves_figure import NEAR
from bjp_explorer.shell.origins import short_title
from bjp_explorer.shell.text import count, number, together
from bjp_explorer.views.payloads import edge_pairs
from bjp_explorer.views.words import NEAR_ABOUT, of_score

ABOUT = "BJP, IB-score and MPL: each learns from the same data by its own published search."
SECTIONS = {
    "costs": "Results and costs",
    "scores": "Every graph under every score",
    "differences": "Where they differ",
    "one-graph": "One graph under every score",
}
SCORES, SHOWN = "Scores", {"paper": "The paper’s three", "all": "With near blankets"}
_NUMBERS = {3: "three", 4: "four"}
COMPARE, STEP, EDITED = "Compare the edges with", "Step through it", "edited by you"
GRAPH, EDGES, PAIR = "Graph", "Edges", "Pair"
COLUMNS_CAPTION = (
    "Compare within a column: larger (closer to 0) is better, and ✓ marks the best. "
    "Do not compare across columns: every score has its own scale."
)
MOST_EDGES = "**Which score will find the most edges?** The results wait for your prediction."
SAME_GRAPHS = "All graphs are the same."
ONE_GRAPH = (
    "A graph makes n(n − 1) assertions. IB-score tests all of them, BJP tests half; MPL scores "
    "each variable once. Which tests does BJP skip, and what would their posteriors be?"
)
SKIPPED = "**Inferred as 1 by BJP, computed by IB-score**"
SKIPPED_CAPTION = (
    "Click a heading to sort. Each line is a test from the end that comes later in ψ, so its "
    "blanket is at least as large. The last two columns show the test of the same pair that BJP "
    "makes, from the other end."
)
COMPUTED = {
    "bjp": "tests, n(n − 1)/2",
    "ib": "tests, n(n − 1)",
    "mpl": "local scores, n",
    "near": "tests, n(n − 1)/2",
}
COLUMN_HELP = {
    "rows per slice": "N / K: rows per configuration of the conditioning set.",
    "|Z|": "The size of the conditioning set.",
    "Pr": "The posterior of the assertion.",
    "|Pr − ½|": "Near 0 the data say little: the test is unreliable.",
    "|Z| made": "The size of the conditioning set in BJP’s test of this pair.",
    "Pr made": "The posterior of the assertion in BJP’s test of this pair.",
}


def about(methods: Sequence[str]) -> str:
    """What the page shows."""
    return f"{ABOUT} {NEAR_ABOUT}" if "near" in methods else ABOUT


def most_edges(traces: Traces) -> tuple[dict[str, bool], str]:
    """Which scores find the most edges, and the numbers in a sentence."""
    edges = {method: trace.graph.number_of_edges() for method, trace in traces.items()}
    most = max(edges.values())
    first = [title(method) for method, k in edges.items() if k == most]
    found = ", ".join(f"{title(method)} {k:,}" for method, k in edges.items())
    text = f"{together(first)} {'finds' if len(first) == 1 else 'find'} the most edges: {found}."
    return {method: k == most for method, k in edges.items()}, text


def waiting(titles: Sequence[str]) -> str:
    """The scores that are still to be learned."""
    return f"Then: {', '.join(titles)}."


def finding(traces: Traces, references: Sequence[Reference], data: Dataset) -> str:
    """Where the scores agree, what each found of the truth, and what it cost."""
    sentences = [f"**{agreement_sentence(traces, data)}**"]
    sentences += [truth_sentence(traces, r) for r in references if r.known]
    return " ".join([*sentences, cost_sentence(traces)])


def about_page(methods: Sequence[str], compared: Reference | None) -> str:
    """What a page of the networks shows."""
    scores = together([title(method) for method in methods])
    against = f", compared with {compared.name}" if compared else ""
    return f"Learned with {scores}{against}"


def panel_subtitle(trace: SearchTrace) -> str:
    """What stands under a learned graph's title."""
    edges = count(trace.graph.number_of_edges(), "edge")
    return f"{edges} · ln {title(trace.method)} = {number(trace.score, 4)}"


def graph_name(method: str) -> str:
    """The graph that a score learned."""
    return f"{of_score(method)} graph"


def download_label(method: str) -> str:
    """The button of a learned graph's files."""
    return f"Download {short_title(method)}"


def differences_caption(pairs: int, explained: bool, variables: int, most: int) -> str:
    """How many pairs are disputed, and how their table is read.

    The effects of flips are `explained` up to so many variables, and `most` pairs.
    """
    text = (
        "“adding it” and “removing it” show how the ln score of that score’s own graph changes "
        "when this one edge is flipped. A positive number belongs to a flip that the climb never "
        "proposed."
    )
    if not explained:
        text = (
            "The effect of each flip on the scores is not shown: with more than "
            f"{variables} variables or {most} pairs it takes too long to compute."
        )
    return f"{count(pairs, 'pair')}. {text}"


def agreement_sentence(traces: Traces, data: Dataset) -> str:
    """On how many edges the scores agree."""
    found = [edge_pairs(trace.graph, data) for trace in traces.values()]
    every, some = len(frozenset.intersection(*found)), len(frozenset.union(*found))
    all_of = _NUMBERS[len(found)]
    if not some:
        return f"None of the {all_of} learned an edge."
    if every == some:
        return (
            f"All {all_of} learned the same edge."
            if some == 1
            else (f"All {all_of} learned the same {some:,} edges.")
        )
    return f"All {all_of} agree on {every:,} of {count(some, 'edge')}."


def cost_sentence(traces: Traces) -> str:
    """What the searches computed."""
    bjp, ib, mpl = (traces[method].tests for method in ("bjp", "ib", "mpl"))
    near = f", near blankets {traces['near'].tests:,}" if "near" in traces else ""
    return (
        f"BJP made {count(bjp, 'test')}, IB-score {ib:,}{near}; "
        f"MPL computed {count(mpl, 'local score')}."
    )


def truth_sentence(traces: Traces, reference: Reference) -> str:
    """How much of the reference each score found."""
    edges = reference.graph.number_of_edges()
    parts = []
    for method, trace in traces.items():
        result = metrics.confusion(reference.graph, trace.graph)
        false = count(result.fp, "spurious edge") if result.fp else "no spurious edge"
        parts.append(f"{title(method)} found {result.tp:,} and {false}")
    return f"Of the {count(edges, 'edge')} of {reference.name}, {together(parts)}."


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
            parts.append(f"under {title(method)}, {together(better)} {verb} higher than {row}")
    return f"A climb may miss the best graph: {'; '.join(parts)}." if parts else ""


def halves_sentence(halves: SparedTests) -> str:
    """What BJP computes of a graph's assertions, and what it is spared."""
    computed, inferred = halves.computed, halves.inferred
    lowered = number(abs(inferred.total), 4)
    return (
        f"BJP computes {count(len(computed), 'test')}, given {number(computed.mean_given, 2)} "
        f"variables on average. It infers {len(inferred):,} more; IB-score computes these, too, "
        f"given {number(inferred.mean_given, 2)} variables on average. "
        f"{computed.undecided(NEAR):,} of the computed tests and {inferred.undecided(NEAR):,} of "
        f"the inferred ones lie within {NEAR} of ½, where the data say little. The inferred ones "
        f"lower ln IB-score by {lowered}, from {number(halves.log_bjp, 4)} to "
        f"{number(halves.log_ib, 4)}. In total they condition on {halves.irregularity:,} "
        "more variables than the computed ones; this is the graph’s total irregularity."
    )
