"""Learned graphs against each other: who agrees on which edge, and what each one cost.

Everything is read off the engine's traces; the tables hold text, ready to be shown.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx
import pandas as pd

from bjp_engine import Dataset, metrics, score
from bjp_engine.scores import SCORES
from bjp_engine.search import SearchTrace
from bjp_explorer.shell.text import count, markdown, number, plain, together
from bjp_explorer.views.payloads import edge_pairs, edges_by_agreement, flipped
from bjp_explorer.views.words import AGAINST_TRUTH

Pair = tuple[int, int]
Traces = Mapping[str, SearchTrace]

AGAINST = {"tp": "in both", "fp": "only here", "missing": "missing here"}


@dataclass(frozen=True, eq=False, slots=True)
class Reference:
    """A graph that the learned ones are held against."""

    # "the true network" or "the published graph".
    name: str
    graph: nx.Graph[Any]
    # Whether the data were drawn from it.
    known: bool

    @property
    def tones(self) -> Mapping[str, str]:
        """The legend of edges held against it."""
        return AGAINST_TRUTH if self.known else AGAINST


def title(method: str) -> str:
    """A score's name."""
    return SCORES[method].title


def by_agreement(
    traces: Traces, data: Dataset, methods: Collection[str]
) -> dict[str, list[list[Any]]]:
    """Each learned graph's edges, toned by how many scores learned them.

    Tones as `views.words.agreement` names them; "plain" while one of the scores is missing.
    """
    toned = edges_by_agreement([trace.graph for trace in traces.values()], data)
    if len(traces) < len(methods):
        toned = [[[i, j, "plain"] for i, j, _ in edges] for edges in toned]
    return dict(zip(traces, toned, strict=True))


def costs(traces: Traces, reference: Reference | None) -> pd.DataFrame:
    """What each search found and what it took, a column each."""
    columns = {title(m): _cost(trace) | _errors(trace, reference) for m, trace in traces.items()}
    return pd.DataFrame(columns)


def _cost(trace: SearchTrace) -> dict[str, str]:
    made = f"{trace.tests:,}" + (" local scores" if trace.method == "mpl" else "")
    in_blankets = sum(step.phase == "blanket" for step in trace.steps)
    flips = count(len(trace.steps) - in_blankets, "flip")
    return {
        "Edges": f"{trace.graph.number_of_edges():,}",
        "ln score": number(trace.score, 4),
        "Tests made": made,
        "Steps": f"{in_blankets:,} in blankets, {flips}" if in_blankets else flips,
        "Seconds": number(trace.seconds, 3),
    }


def _errors(trace: SearchTrace, reference: Reference | None) -> dict[str, str]:
    if reference is None:
        return {}
    result = metrics.confusion(reference.graph, trace.graph)
    if not reference.known:
        return {
            "Published edges found": f"{result.tp:,}",
            "Edges not published": f"{result.fp:,}",
            "Published edges missing": f"{result.fn:,}",
        }
    return {
        "Hamming distance": f"{result.hamming:,}",
        "False positives": f"{result.fp:,}",
        "Missing (false negatives)": f"{result.fn:,}",
        "Precision": number(result.precision),
        "Recall": number(result.recall),
        "F1": number(result.f1),
    }


def every_score(
    graphs: Mapping[str, nx.Graph[Any]],
    total: Callable[[str, nx.Graph[Any]], float],
    methods: Collection[str],
) -> pd.DataFrame:
    """Every graph under every score. A row for each graph, a column for each method."""
    table = {m: {name: total(m, graph) for name, graph in graphs.items()} for m in methods}
    return pd.DataFrame(table)


def mark_best(scores: pd.DataFrame) -> pd.DataFrame:
    """`every_score` as Markdown, the best of each column bold and ticked."""
    best = scores.max()

    def cell(method: str, value: float) -> str:
        text = number(value, 4)
        return f"**{text}** ✓" if value == best[method] else text

    columns = {
        f"ln {title(str(m))}": [cell(str(m), value) for value in column]
        for m, column in scores.items()
    }
    return pd.DataFrame(columns, index=scores.index)


def differences(
    traces: Traces,
    data: Dataset,
    references: Sequence[Reference],
    effects: Mapping[tuple[str, Pair], float],
) -> pd.DataFrame:
    """The pairs on which the learned graphs differ, with each score's verdict.

    Markdown, by pair; empty where the graphs are the same.
    """
    found = {method: edge_pairs(trace.graph, data) for method, trace in traces.items()}

    def verdict(method: str, pair: Pair) -> str:
        has = pair in found[method]
        word = "**edge**" if has else "no edge"
        if (method, pair) not in effects:
            return word
        change = effects[method, pair]
        sign = "+" if change > 0 else ""
        return f"{word} · {'removing' if has else 'adding'} it: {sign}{number(change, 2)}"

    rows = {}
    for pair in list_disputed(traces, data):
        row = {title(method): verdict(method, pair) for method in traces}
        for reference in references:
            has = reference.graph.has_edge(*(data.names[i] for i in pair))
            row[_capital(reference.name)] = "**edge**" if has else "no edge"
        rows[" – ".join(markdown(plain(data.names[i], 40)) for i in pair)] = row
    return pd.DataFrame.from_dict(rows, orient="index")


def list_disputed(traces: Traces, data: Dataset) -> list[Pair]:
    """The pairs that some scores made an edge and others did not, in column order."""
    found = [edge_pairs(trace.graph, data) for trace in traces.values()]
    return sorted(frozenset.union(*found) - frozenset.intersection(*found)) if found else []


def flip_effects(
    traces: Traces, data: Dataset, pairs: Collection[Pair]
) -> dict[tuple[str, Pair], float]:
    """What flipping one pair of a learned graph does to its own score.

    The change of the ln score; negative where the learned graph is better.
    """
    effects = {}
    for method, trace in traces.items():
        before = score(data, trace.graph, method).total
        for pair in pairs:
            after = score(data, flipped(trace.graph, data, *pair), method).total
            effects[method, pair] = after - before
    return effects


def _capital(text: str) -> str:
    """The text with a capital, without its article."""
    text = text.removeprefix("the ")
    return text[:1].upper() + text[1:]


def most_edges(traces: Traces) -> tuple[dict[str, bool], str]:
    """Which scores find the most edges, and the numbers in a sentence."""
    edges = {method: trace.graph.number_of_edges() for method, trace in traces.items()}
    most = max(edges.values())
    first = [title(method) for method, k in edges.items() if k == most]
    found = ", ".join(f"{title(method)} {k:,}" for method, k in edges.items())
    text = f"{together(first)} {'finds' if len(first) == 1 else 'find'} the most edges: {found}."
    return {method: k == most for method, k in edges.items()}, text


def finding(traces: Traces, references: Sequence[Reference], data: Dataset) -> str:
    """Where the scores agree, what each found of the truth, and what it cost."""
    sentences = [f"**{agreement_sentence(traces, data)}**"]
    sentences += [truth_sentence(traces, r) for r in references if r.known]
    return " ".join([*sentences, cost_sentence(traces)])


def agreement_sentence(traces: Traces, data: Dataset) -> str:
    """On how many edges the scores agree."""
    found = [edge_pairs(trace.graph, data) for trace in traces.values()]
    every, some = len(frozenset.intersection(*found)), len(frozenset.union(*found))
    all_of = {3: "three", 4: "four"}[len(found)]
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
