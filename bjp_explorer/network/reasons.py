"""Why a pair is an edge, or is none: what the data say of it, and what a flip would do."""

from __future__ import annotations

from collections.abc import Iterable

from bjp_engine import Dataset, score
from bjp_engine.search import SearchTrace
from bjp_explorer.network import words
from bjp_explorer.network.known_choice import describe_entry, entries
from bjp_explorer.shell import caches, origins
from bjp_explorer.shell.text import number
from bjp_explorer.views.edges import LIKELY, MOST_NAMED, Line, flipped
from bjp_explorer.views.words import score_name

# Scoring a dozen graphs stays within a moment up to here.
FEW_VARIABLES, FEW_PAIRS = 40, 2 * MOST_NAMED


def reasons(data: Dataset, trace: SearchTrace, found: Iterable[Line]) -> dict[tuple[int, int], str]:
    """What stands behind each pair.

    Where its number says otherwise, what the flip would do to what the search maximised: scores of
    whole graphs. Of a pair that auto learned, what the data say of it.
    """
    lines, made, entered = list(found), {}, entries(trace.known, data)
    fixed = {pair for pair, what in entered.items() if isinstance(what, str)}
    if data.n <= FEW_VARIABLES:
        against = [
            line
            for line in lines
            if line.learned == (line.confidence < LIKELY) and (line.i, line.j) not in fixed
        ]
        made = {(line.i, line.j): _reason(data, trace, line) for line in against[:FEW_PAIRS]}
    constant = (data.codes[:1] == data.codes).all(axis=0)
    for line in lines:
        pair = line.i, line.j
        if pair in fixed:
            made[pair] = describe_entry(entered[pair])
        elif constant[line.i] or constant[line.j]:
            made[pair] = words.NO_CHOICE
        elif trace.evidence is not None:
            told = [made.get(pair, ""), words.describe_evidence(trace.evidence, line)]
            made[pair] = " · ".join(filter(None, told))
    for pair in entered.keys() - fixed:
        made[pair] = " · ".join(filter(None, [describe_entry(entered[pair]), made.get(pair, "")]))
    return made


def _reason(data: Dataset, trace: SearchTrace, line: Line) -> str:
    """What the flip of one pair would do."""
    by = trace.search, trace.known
    key = ("flip", data.digest, *by, caches.edges_key(trace.graph), line.i, line.j)
    gain = caches.once(key, lambda: _score_flip(data, trace, line) - trace.score)
    how = f"{'falls' if gain < 0 else 'rises'} by {number(abs(gain), 4)}"
    if gain > 0:
        how += ", but the search stopped before this flip"
    name = score_name(trace.method, trace.structure.uniform, origins.cells_of(trace))
    return f"{'without' if line.learned else 'with'} it, {name} {how}"


def _score_flip(data: Dataset, trace: SearchTrace, line: Line) -> float:
    """What the search would have made of the graph with the pair flipped."""
    graph = flipped(trace.graph, data, line.i, line.j)
    return score(data, graph, trace.method, **trace.given).total
