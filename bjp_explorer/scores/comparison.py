"""Learned graphs against each other: who agrees on which edge, and what each one cost.

Everything is read off the engine's traces; the tables hold text, ready to be shown.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any, TypeAlias

import networkx as nx
import pandas as pd

from bjp_engine import Dataset, metrics, score
from bjp_engine.scores import SCORES
from bjp_engine.search import SearchTrace
from bjp_explorer.shell.text import count, markdown, number, tell_apart, together
from bjp_explorer.views.payloads import edge_pairs, edges_by_agreement, flipped
from bjp_explorer.views.words import AGAINST_TRUTH, unit_of

Pair = tuple[int, int]
Traces = Mapping[str, SearchTrace]

# Graphs that the learned ones are held against, by their names.
References: TypeAlias = "Mapping[str, nx.Graph[Any]]"
TRUE, PUBLISHED = "the true network", "the published graph"


def tones_against(name: str) -> Mapping[str, str]:
    """The legend of edges held against a reference."""
    against = {"tp": "in both", "fp": "only here", "missing": "missing here"}
    return AGAINST_TRUTH if name == TRUE else against


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


def costs(traces: Traces, references: References) -> pd.DataFrame:
    """What each search found and what it took, a column each."""
    return pd.DataFrame({title(m): _cost(trace, references) for m, trace in traces.items()})


def _cost(trace: SearchTrace, references: References) -> dict[str, str]:
    made = f"{trace.tests:,}{'' if unit_of(trace.method) == 'test' else ' local scores'}"
    in_blankets = sum(step.phase == "blanket" for step in trace.steps)
    flips = count(len(trace.steps) - in_blankets, "flip")
    cost = {
        "Edges": f"{trace.graph.number_of_edges():,}",
        "ln score": number(trace.score, 4),
        "Tests made": made,
        "Steps": f"{in_blankets:,} in blankets, {flips}" if in_blankets else flips,
        "Seconds": number(trace.seconds, 3),
    }
    if TRUE in references:
        result = metrics.confusion(references[TRUE], trace.graph)
        cost |= {
            "Hamming distance": f"{result.hamming:,}",
            "False positives": f"{result.fp:,}",
            "Missing (false negatives)": f"{result.fn:,}",
            "Precision": number(result.precision),
            "Recall": number(result.recall),
            "F1": number(result.f1),
        }
    elif PUBLISHED in references:
        result = metrics.confusion(references[PUBLISHED], trace.graph)
        cost |= {
            "Published edges found": f"{result.tp:,}",
            "Edges not published": f"{result.fp:,}",
            "Published edges missing": f"{result.fn:,}",
        }
    return cost


def mark_best(scores: pd.DataFrame) -> pd.DataFrame:
    """A row for each graph, a column for each score, as Markdown: the best bold and ticked."""

    def mark(column: pd.Series[float]) -> list[str]:
        best = column.max()
        return [f"**{number(v, 4)}** ✓" if v == best else number(v, 4) for v in column]

    columns = {f"ln {title(str(m))}": mark(column) for m, column in scores.items()}
    return pd.DataFrame(columns, index=scores.index)


def differences(
    traces: Traces,
    data: Dataset,
    references: References,
    effects: Mapping[tuple[str, Pair], float],
) -> pd.DataFrame:
    """The pairs on which the learned graphs differ, with each score's verdict.

    Markdown, by pair; empty where the graphs are the same.
    """
    rows, pairs, labels = [], list_disputed(traces, data), tell_apart(data.names, 40)
    for pair in pairs:
        names, row = [data.names[i] for i in pair], {}
        graphs = {method: trace.graph for method, trace in traces.items()} | dict(references)
        for name, graph in graphs.items():
            has = graph.has_edge(*names)
            verdict = "**edge**" if has else "no edge"
            if (change := effects.get((name, pair))) is not None:
                sign = "+" if change > 0 else ""
                flip = "removing" if has else "adding"
                verdict += f" · {flip} it: {sign}{number(change, 2)}"
            row[title(name) if name in traces else name.removeprefix("the ").capitalize()] = verdict
        rows.append(row)
    return pd.DataFrame(rows, index=[markdown(f"{labels[i]} – {labels[j]}") for i, j in pairs])


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


def most_edges(traces: Traces) -> tuple[dict[str, bool], str]:
    """Which scores find the most edges, and the numbers in a sentence."""
    edges = {method: trace.graph.number_of_edges() for method, trace in traces.items()}
    most = max(edges.values())
    first = [title(method) for method, k in edges.items() if k == most]
    found = ", ".join(f"{title(method)} {k:,}" for method, k in edges.items())
    text = f"{together(first)} {'finds' if len(first) == 1 else 'find'} the most edges: {found}."
    return {method: k == most for method, k in edges.items()}, text


def finding(traces: Traces, references: References, data: Dataset) -> str:
    """Where the scores agree, what each found of the truth, and what it cost."""
    found = [edge_pairs(trace.graph, data) for trace in traces.values()]
    every, some = len(frozenset.intersection(*found)), len(frozenset.union(*found))
    if not some:
        agree = "No score learned an edge."
    elif every == some:
        which = "edge" if some == 1 else f"{some:,} edges"
        agree = f"All scores learned the same {which}."
    else:
        agree = f"All scores agree on {every:,} of {count(some, 'edge')}."
    sentences = [f"**{agree}**"]
    if TRUE in references:
        parts = []
        for method, trace in traces.items():
            result = metrics.confusion(references[TRUE], trace.graph)
            false = count(result.fp, "spurious edge") if result.fp else "no spurious edge"
            parts.append(f"{title(method)} found {result.tp:,} and {false}")
        edges = count(references[TRUE].number_of_edges(), "edge")
        sentences.append(f"Of the {edges} of {TRUE}, {together(parts)}.")
    made = [f"{title(m)} made {count(trace.tests, unit_of(m))}" for m, trace in traces.items()]
    sentences.append(f"{together(made)}.")
    return " ".join(sentences)


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
