"""What can be chosen on *Step through the score*: score, test, graph, its edges, the step."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import networkx as nx
import numpy as np
import streamlit as st

from bjp_engine.errors import OptionError
from bjp_engine.scores import SCORES, AssertionScore, ScoreTrace
from bjp_engine.scores.bjp import AssertionTerms
from bjp_engine.search.auto.evidence import begun_with
from bjp_explorer.shell import links, origins, visit
from bjp_explorer.shell.caches import Cells
from bjp_explorer.shell.choices import Field, OneOf, Position, Switch, choice_of_score
from bjp_explorer.shell.sources import Loaded

KEPT = "step-kept"
SCORE = choice_of_score("step-score")
# Whether steps are predicted before they are shown; switched in the component.
PREDICT = Switch("predict", "step-predict")
# The graphs that are learned, by what learns them.
LEARNED = {"learned": "the paper’s search", "auto": "auto"}


def test_choice(loaded: Loaded) -> OneOf:
    """The tests, beginning with that of the search that every page begins with."""
    usual = begun_with(origins.usual_search(loaded), {}).get("prior_cells", "equal")
    return OneOf(
        "test",
        origins.own_key(loaded, "step-test"),
        usual,
        {"equal": "Paper’s test", "centred": "Centred cells"},
    )


def graph_choice(loaded: Loaded) -> OneOf:
    """The graphs that there are. They are called the same whatever the score.

    Streamlit loses a choice whose words change in haste.
    """
    known = {"true": loaded.truth, "published": loaded.published}
    there = [
        *(name for name, graph in known.items() if graph is not None),
        "empty",
        "edited",
    ]
    # It may only have been opened from another page.
    labels = LEARNED | {name: name for name in there} | {"edited": "other"}
    usual = "auto" if origins.usual_search(loaded) == "auto" else "learned"
    return OneOf("graph", origins.own_key(loaded, "step-graph"), usual, labels)


def fields(loaded: Loaded, step: int = 0) -> Iterator[Field]:
    """The page's choices, and where the player rests."""
    data, graph = loaded.data, graph_choice(loaded)
    yield SCORE
    if has_tests():
        yield test_choice(loaded)
    if is_too_large(loaded):
        named = {name: label for name, label in graph.labels.items() if name != "edited"}
        graph = replace(graph, labels=named)
    yield graph
    if st.session_state.get(graph.key) == "edited":
        yield _Edges("edges", "", loaded=loaded)
    most = data.n * (data.n - 1) if has_tests() else data.n
    yield Position("step", KEPT, 0, 0, most, at=step)
    yield PREDICT
    # Instead of a number of steps; written as the step that tests it.
    yield _Cell("cell", links.CELL, n=data.n)


def has_tests() -> bool:
    """Whether the score is made of tests."""
    return isinstance(SCORES[SCORE.get()], AssertionScore)


def cells(loaded: Loaded) -> Cells:
    """The prior cells of the score's tests."""
    return test_choice(loaded).get() if has_tests() else "equal"


def take_asked_step(trace: ScoreTrace) -> int | None:
    """The step that makes the assertion a link asked for, once.

    None where no link asked for one, and where the trace has none of that pair.
    """
    pair = st.session_state.pop(links.CELL, None)
    if pair is None or not isinstance(trace.terms, AssertionTerms):
        return None
    columns = trace.terms.columns()
    found = np.flatnonzero((columns.x == pair[0]) & (columns.y == pair[1]))
    return int(found[0]) + 1 if len(found) else None


def is_too_large(loaded: Loaded) -> bool:
    """Whether the edited graph has too many edges for a link."""
    edges = _Edges("edges", "", loaded=loaded)
    pairs = edges.get()
    return bool(pairs) and not edges.write(pairs)


@dataclass(frozen=True)
class _Edges(Field):
    """The edges of the edited graph as pairs of columns; None where there are none."""

    loaded: Loaded = field(kw_only=True)

    def read(self, text: str) -> Pairs:
        return read(text, self.loaded.data.n)

    def write(self, value: Any) -> str:
        return write(value, self.loaded.data.n)

    def get(self) -> Pairs | None:
        graph, index = visit.edited_graph(self.loaded), self.loaded.data.index
        ends = ((index(u), index(v)) for u, v in graph.edges)
        return sorted((min(pair), max(pair)) for pair in ends) or None

    def put(self, value: Pairs | None) -> None:
        names = self.loaded.data.names
        graph: nx.Graph[Any] = nx.empty_graph(names)
        graph.add_edges_from((names[i], names[j]) for i, j in value or ())
        if value != self.get():
            visit.edit(self.loaded, graph, "from a link")


@dataclass(frozen=True)
class _Cell(Field):
    """An ordered pair of columns, until the trace is there."""

    n: int = field(kw_only=True)

    def get(self) -> None:
        return None

    def read(self, text: str) -> tuple[int, int]:
        if pair := _pair(text, self.n):
            return pair
        raise OptionError(f"must be two different columns from 0 to {self.n - 1}, such as 0-1")


# --- Edges as text for a URL ----------------------------------------------------------------------

# What is longer is written compactly; a graph that needs more than the second is not written.
READABLE, MOST = 240, 2000
_COMPACT = "~"

Pairs = list[tuple[int, int]]


def write(pairs: Iterable[tuple[int, int]], n: int) -> str:
    """Edges as text. Empty where there are none, and where the text would be longer than `MOST`."""
    found = sorted({(min(pair), max(pair)) for pair in pairs})
    text = ",".join(f"{i}-{j}" for i, j in found)
    if len(text) > READABLE:
        present = np.zeros((n, n), dtype=bool)
        present[tuple(np.array(found).T)] = True
        bits = np.packbits(present[np.triu_indices(n, 1)]).tobytes()
        text = _COMPACT + base64.urlsafe_b64encode(zlib.compress(bits, 9)).decode().rstrip("=")
    return text if len(text) <= MOST else ""


def read(text: str, n: int) -> Pairs:
    """Edges from text. i < j, each pair once, in lexicographic order."""
    if len(text) > MOST:
        raise OptionError(f"must be at most {MOST:,} characters")
    if text.startswith(_COMPACT):
        # The pairs of the compact form; no more is decompressed than there can be.
        rows, columns = np.triu_indices(n, 1)
        size = (len(rows) + 7) // 8
        refused = OptionError(f"must be what this app wrote for a graph on {n} columns")
        body = text.removeprefix(_COMPACT)
        try:
            packed = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
            bits = zlib.decompressobj().decompress(packed, size + 1)
        except (binascii.Error, ValueError, zlib.error) as error:
            raise refused from error
        if len(bits) != size:
            raise refused
        there = np.unpackbits(np.frombuffer(bits, dtype=np.uint8))[: len(rows)].astype(bool)
        return list(zip(rows[there].tolist(), columns[there].tolist(), strict=True))
    pairs = [_pair(part, n) for part in text.split(",")] if text else []
    if None in pairs:
        raise OptionError(f"must be pairs of two different columns from 0 to {n - 1}, as 0-1,2-5")
    return sorted({(min(pair), max(pair)) for pair in filter(None, pairs)})


def _pair(text: str, n: int) -> tuple[int, int] | None:
    """Two different columns, "0-1"; None for anything else."""
    ends = text.split("-")
    if len(ends) == 2 and all(e.isascii() and e.isdecimal() and len(e) < 7 for e in ends):
        i, j = map(int, ends)
        return (i, j) if i != j and max(i, j) < n else None
    return None
