"""Traces as the plain numbers and texts that the browser components draw.

Nothing is computed here but look-ups: an index for a name, a list for a column.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, TypeAlias
from zlib import crc32

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine import Dataset
from bjp_engine.dataset import Name
from bjp_engine.graph import degree_order
from bjp_engine.scores import SCORES, ScoreTrace
from bjp_engine.scores.bjp import AssertionTerms
from bjp_engine.search import SearchTrace, Step
from bjp_explorer.jobs.flips import Flips, Frame
from bjp_explorer.shell.text import plain
from bjp_explorer.views.palette import LOOKS, OTHER

Points = NDArray[np.float64]
# What a component is sent, as `frontend/payloads.d.ts` describes it.
Payload: TypeAlias = dict[str, Any]
# ψ of every step is sent up to so many numbers in all.
MOST_RANKS = 50_000
# Phases in which every flip raises the score; what else a search does is named.
CLIMBS = {"ascent", "graph"}


@dataclass(frozen=True, slots=True)
class Names:
    """The variables of a graph, in place of a dataset."""

    names: tuple[Name, ...]

    @property
    def n(self) -> int:
        """How many there are."""
        return len(self.names)

    @property
    def digest(self) -> str:
        """The same for the same names."""
        return f"{crc32(repr(self.names).encode(errors='backslashreplace')):016x}"

    def index(self, variable: Name) -> int:
        """The position of a name."""
        return self.names.index(variable)


# What a drawing knows of its variables.
Variables: TypeAlias = Dataset | Names


def step_payload(
    trace: ScoreTrace,
    data: Variables,
    points: Points,
    *,
    identity: str,
    editable: bool,
    skipped: list[float | None] | None = None,
) -> Payload:
    """A score, one term after another."""
    terms = _terms(trace, data)
    if skipped:
        terms["skipped"] = skipped
    return {
        **layout_of(data, points),
        "id": identity,
        "kind": "assertions" if isinstance(trace.terms, AssertionTerms) else "local",
        "method": trace.method,
        "score_name": f"ln {SCORES[trace.method].title}",
        "order": [data.index(name) for name in trace.order],
        "degree": [int(trace.graph.degree[name]) for name in data.names],
        "edges": edge_indices(trace.graph, data),
        "editable": editable,
        "initial_step": 0,
        "terms": terms,
    }


def with_terms_as_text(payload: Payload) -> Payload:
    """A score whose terms are JSON in JSON, for what is sent again and again as it is.

    Streamlit writes a payload twice for each rerun, and numbers take longer than a text.
    """
    return {**payload, "terms": json.dumps(payload["terms"])}


def climb_payload(
    data: Variables,
    points: Points,
    flips: Flips,
    ended: SearchTrace | None,
    *,
    names: Payload,
    start: Payload,
    truth: nx.Graph[Any] | None,
) -> Payload:
    """A search, one flip after another, also while it runs."""
    # Read once: while a search runs, more are made.
    stride, before = flips.stride, flips.before
    best = None if ended is None else best_of(flips, ended)
    if stride > 1:
        steps = [_frame(frame, data) for frame in flips.frames(stride, best)]
    else:
        with_order = len(flips) * data.n <= MOST_RANKS
        steps = []
        for step in list(flips.first):
            steps.append(_step(step, data, before, with_order))
            before = step.evaluations
    rejected = ended.rejected if ended else None
    return {
        **layout_of(data, points),
        **names,
        # Frames of another width are another series of steps.
        "series": f"{names['id']} {stride if ended is None or stride == 1 else 'all'}",
        "start": start,
        "steps": steps,
        "made": len(flips) if ended or stride > 1 else len(steps),
        "best": best,
        "walks": not flips.phases <= CLIMBS,
        "rejected": _step(rejected, data, flips.last_tried, True) if rejected else None,
        "stop": str(ended.stop_reason) if ended else "",
        "running": ended is None,
        "truth": edge_indices(truth, data) if truth is not None else None,
        "initial_step": 0,
    }


def duel_payload(
    climbs: Sequence[Payload],
    titles: Sequence[str],
    *,
    by: Literal["flips", "tests"],
    identity: str,
) -> Payload:
    """Two climbs on the same data, side by side."""
    first, sides = climbs[0], [climb.copy() for climb in climbs]
    looks = _apart([climb["look"] for climb in climbs])
    for side, title, look in zip(sides, titles, looks, strict=True):
        side["title"], side["look"] = title, look
    return {
        **{name: first[name] for name in ("layout_id", "names", "x", "y", "truth")},
        "id": identity,
        "by": by,
        "climbs": sides,
        "running": any(climb["running"] for climb in climbs),
        "initial_step": 0,
    }


def look_of(method: str) -> Payload:
    """How the climb of a score is drawn."""
    look = LOOKS.get(method, OTHER)
    return {"symbol": look.symbol, "dash": look.dash, "score": method}


def _apart(looks: Sequence[Payload]) -> list[Payload]:
    """How two climbs are drawn: those of one score differ, the second in ink."""
    first, second = looks
    if first["score"] != second["score"]:
        return [first, second]
    other = next(look for look in (LOOKS["ib"], LOOKS["bjp"]) if look.symbol != first["symbol"])
    return [first, {"symbol": other.symbol, "dash": other.dash, "score": ""}]


def best_of(flips: Flips, trace: SearchTrace) -> int:
    """After how many flips of the graph the result stood."""
    # The trace counts changes of blankets, too, which come first.
    return trace.best_at - (flips.changes - len(flips))


def begin_of(trace: SearchTrace) -> tuple[nx.Graph[Any], float]:
    """Where a search began, with its score: one without flips has no way to its result."""
    if not len(trace.steps):
        return trace.graph, trace.score
    return trace.start, trace.start_score


def start_of(graph: nx.Graph[Any], score: float, data: Variables) -> Payload:
    """The starting point of a climb."""
    return {
        "edges": edge_indices(graph, data),
        "order": degree_order(nx.to_numpy_array(graph, data.names, bool)).tolist(),
        "degree": [int(graph.degree[name]) for name in data.names],
        "score": score,
    }


def networks_payload(
    data: Variables,
    points: Points,
    panels: Sequence[Mapping[str, Any]],
    *,
    identity: str,
    tones: Mapping[str, str] | None = None,
    columns: int | None = None,
    clickable: bool = False,
) -> Payload:
    """Several networks on one layout."""
    return {
        **layout_of(data, points),
        "id": identity,
        "panels": [_panel(panel, data) for panel in panels],
        "tones": [{"tone": tone, "label": label} for tone, label in (tones or {}).items()],
        "columns": columns or min(3, len(panels)),
        "clickable": clickable,
    }


def edges_by_agreement(graphs: Sequence[nx.Graph[Any]], data: Variables) -> list[list[list[Any]]]:
    """The edges of each of some graphs, toned by how many have them: "all", "some" or "only"."""
    found = [edge_pairs(graph, data) for graph in graphs]

    def tone(pair: tuple[int, int]) -> str:
        having = sum(pair in pairs for pairs in found)
        return {1: "only", len(found): "all"}.get(having, "some")

    return [[[*pair, tone(pair)] for pair in sorted(pairs)] for pairs in found]


def edges_against(
    graph: nx.Graph[Any], reference: nx.Graph[Any], data: Variables
) -> list[list[Any]]:
    """A graph's edges and those it lacks, toned by a reference: "tp", "fp" or "missing"."""
    found, true = edge_pairs(graph, data), edge_pairs(reference, data)
    tones = {"tp": true & found, "fp": found - true, "missing": true - found}
    return sorted([*pair, tone] for tone, pairs in tones.items() for pair in pairs)


def edge_indices(graph: nx.Graph[Any], data: Variables) -> list[list[int]]:
    """A graph's edges as pairs of columns, i < j, in lexicographic order."""
    return sorted(sorted((data.index(u), data.index(v))) for u, v in graph.edges)


def edge_pairs(graph: nx.Graph[Any], data: Variables) -> frozenset[tuple[int, int]]:
    """The same as a set."""
    return frozenset((i, j) for i, j in edge_indices(graph, data))


def layout_of(data: Variables, points: Points) -> Payload:
    """Names and places of the nodes, the same for every component."""
    rounded = np.round(points, 4)
    return {
        "layout_id": f"{data.digest[:16]}-{crc32(rounded.tobytes()):08x}",
        "names": [plain(name) for name in data.names],
        "x": rounded[:, 0].tolist(),
        "y": rounded[:, 1].tolist(),
    }


def _terms(trace: ScoreTrace, data: Variables) -> Payload:
    if not isinstance(trace.terms, AssertionTerms):
        return {
            "x": [data.index(term.x) for term in trace.terms],
            "value": [term.value for term in trace.terms],
        }
    columns, ways = trace.terms.columns(), trace.terms.ways
    terms: Payload = {
        "x": columns.x.tolist(),
        "y": columns.y.tolist(),
        "dependent": columns.dependent.astype(int).tolist(),
        "computed": columns.computed.astype(int).tolist(),
        "value": columns.value.tolist(),
    }
    if ways is not None:
        terms["way"] = ways[columns.x, columns.y].tolist()
    return terms


def _step(step: Step, data: Variables, before: int, with_order: bool) -> Payload:
    """One proposal; `before` flips had been tried when the last one was made."""
    content: Payload = {
        "edge": sorted(data.index(name) for name in step.edge),
        "added": step.added,
        "accepted": step.accepted,
        "phase": step.phase,
        "gain": step.gain,
        "score": step.score,
        "tried": step.evaluations - before,
        "tests": step.tests,
        "lowest": [
            [*(data.index(name) for name in c.edge), c.adjacent, c.value]
            for c in step.contributions
        ],
    }
    # Where it is left out, the browser ranks the variables by the same rule.
    if with_order:
        content["order"] = [data.index(n) for n in step.order]
    return content


def _frame(frame: Frame, data: Variables) -> Payload:
    """Some flips of a long walk."""
    edge, *others = (sorted(map(data.index, pair)) for pair in (frame.edge, *frame.others))
    return asdict(frame) | {"accepted": True, "edge": edge, "others": others}


def _panel(panel: Mapping[str, Any], data: Variables) -> Payload:
    edges = panel.get("edges")
    if edges is None:
        edges = [[i, j, "plain"] for i, j in edge_indices(panel["graph"], data)]
    return {
        "key": str(panel["key"]),
        "title": panel["title"],
        "subtitle": panel.get("subtitle", ""),
        "edges": edges,
        "badge": panel.get("badge", ""),
        "roles": panel.get("roles", []),
    }


# --- Pairs ----------------------------------------------------------------------------------------


def flipped(graph: nx.Graph[Any], data: Dataset, i: int, j: int) -> nx.Graph[Any]:
    """A copy with the edge of two columns added where it is missing, removed where it is there."""
    copy: nx.Graph[Any] = nx.Graph(graph)
    pair = data.names[i], data.names[j]
    if copy.has_edge(*pair):
        copy.remove_edge(*pair)
    else:
        copy.add_edge(*pair)
    return copy


def pair_name(pair: Sequence[int], data: Dataset, width: int = 28) -> str:
    """An edge by the names of its ends."""
    return " – ".join(plain(data.names[i], width) for i in pair)
