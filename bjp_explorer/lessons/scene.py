"""What the browser draws for one state of a lesson's view, as plain numbers and texts.

A scene is a dict with some of: `say` (sentences about what was clicked), `networks`, `matrix`,
`cards` (tables of counts), `table` and `figures` (key numbers).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np

from bjp_engine import Dataset
from bjp_engine.dataset import Name
from bjp_engine.independence import IndependenceTrace, Slice
from bjp_engine.scores import AssertionTerm, ScoreTrace
from bjp_explorer.lessons.data import Place
from bjp_explorer.lessons.model import Payload, Verdict
from bjp_explorer.shell.phrases import Phrase, Said, say
from bjp_explorer.shell.text import names_list, plain, probability
from bjp_explorer.views.payloads import edge_indices, layout_of, step_payload

# --- Words ----------------------------------------------------------------------------------------


def listed(names: Iterable[Name], conjunction: str = "and") -> Said:
    """Names in a sentence, with "and" or "or" before the last; "nothing" where there are none."""
    parts = [plain(name) for name in names]
    if len(parts) < 2:
        return parts[0] if parts else say("lists.nothing")
    said = {"rest": ", ".join(parts[:-1]), "last": parts[-1]}
    return say("lists.and", **said) if conjunction == "and" else say("lists.or", **said)


def assertion(term: AssertionTerm) -> str:
    """An assertion in angle brackets."""
    sign = "⊥̸" if term.dependent else "⊥"
    return f"⟨{plain(term.x)} {sign} {plain(term.y)} | {names_list(term.given)}⟩"


# --- Networks -------------------------------------------------------------------------------------


def network(
    place: Place,
    graph: nx.Graph[Any] | None = None,
    *,
    roles: Mapping[Name, str] | None = None,
    tones: Mapping[frozenset[Name], str] | None = None,
    order: Sequence[Name] | None = None,
    **more: Any,
) -> Payload:
    """A place's own network, or another one on its variables."""
    data, tones = place.data, tones or {}
    graph = place.graph if graph is None else graph
    rank = None if order is None else [list(order).index(name) for name in data.names]
    return {
        **layout_of(data, place.points),
        "title": "",
        "kind": "local",
        "link": None,
        "badges": None,
        "edges": [
            [i, j, tones.get(frozenset((data.names[i], data.names[j])), "plain")]
            for i, j in edge_indices(graph, data)
        ],
        "roles": [[data.index(name), role] for name, role in (roles or {}).items()],
        "rank": rank,
        "degree": [int(graph.degree[name]) for name in data.names],
        **more,
    }


def light_blanket(place: Place, x: Name, **more: Any) -> Payload:
    """A place's network with one blanket in green."""
    return network(
        place,
        roles={x: "x"} | dict.fromkeys(place.graph[x], "given"),
        tones={frozenset((x, z)): "given" for z in place.graph[x]},
        **more,
    )


def pair_of(term: AssertionTerm, data: Dataset) -> Payload:
    """What a network shows of one assertion: the pair, what is given, the line between them.

    Arguments of `network`.
    """
    kind = ("dependent" if term.dependent else "independent") if term.computed else "inferred"
    tested = {frozenset((term.x, term.y)): "tested"} if term.dependent and term.computed else {}
    return {
        "roles": {term.x: "x", term.y: "y"} | dict.fromkeys(term.given, "given"),
        "tones": {frozenset((term.x, z)): "given" for z in term.given} | tested,
        "kind": kind,
        "link": {
            "i": data.index(term.x),
            "j": data.index(term.y),
            "tone": kind,
            "dependent": term.dependent,
            "straight": term.dependent,
        },
    }


# --- Assertions -----------------------------------------------------------------------------------


def matrix(
    trace: ScoreTrace, data: Dataset, *, reached: int | None = None, by_column: bool = False
) -> Payload:
    """The n × n assertions of a graph."""
    columns = range(data.n) if by_column else (data.index(name) for name in trace.order)
    nowhere = np.zeros((data.n, 2))
    sent = step_payload(trace, data, nowhere, identity="", editable=False)
    return {
        "names": sent["names"],
        "order": list(columns),
        "degree": sent["degree"],
        "terms": sent["terms"],
        "reached": reached,
        "by_column": by_column,
        "describe": [_describe(t) for t in terms_of(trace)],
    }


def terms_of(trace: ScoreTrace) -> tuple[AssertionTerm, ...]:
    """The assertions of a score."""
    return tuple(term for term in trace.terms if isinstance(term, AssertionTerm))


def _describe(term: AssertionTerm) -> Phrase:
    found = probability(term.value) if term.computed else say("assertion.inferred")
    return say("assertion.described", assertion=assertion(term), probability=found)


# --- Counts ---------------------------------------------------------------------------------------


def counts_card(
    test: IndependenceTrace, part: Slice, data: Dataset, *, title: Said, lines: Sequence[Said] = ()
) -> Payload:
    """The counts of one slice with their margins, and lines below them."""
    x, y = data.index(test.x), data.index(test.y)
    # What the margins alone would lead one to expect.
    expected = np.outer(part.counts.sum(axis=1), part.counts.sum(axis=0)) / max(part.rows, 1)
    return {
        "title": title,
        "counts": {
            "x": plain(test.x),
            "y": plain(test.y),
            "rows": [plain(label) for label in data.labels[x]],
            "columns": [plain(label) for label in data.labels[y]],
            "cells": part.counts.tolist(),
            "expected": expected.tolist(),
        },
        "lines": list(lines),
    }


def power(log_value: float) -> str:
    """A number too small to write, as a power of e.

    With the exponent raised, as the browser reads it.
    """
    return f"e^{{{log_value:,.2f}}}".replace("-", "−")


# --- Answers --------------------------------------------------------------------------------------


def by_column(verdict: Verdict, data: Dataset) -> Verdict:
    """A verdict whose culprit is told by its name, as the browser knows it.

    Its culprit is a column, or two.
    """
    named = verdict.culprit
    if named is None:
        return verdict
    if isinstance(named, tuple):
        return replace(verdict, culprit=(data.index(named[0]), data.index(named[1])))
    return replace(verdict, culprit=data.index(named))
