"""Traces as the plain numbers and texts that the browser components draw.

Nothing is computed here but look-ups: an index for a name, a list for a column.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from zlib import crc32

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine import Dataset, ScoreTrace, SearchTrace, Step
from bjp_engine.graph import degree_order, to_adjacency
from bjp_engine.scores import SCORES
from bjp_engine.scores.assertions import AssertionTerms
from bjp_explorer.text import shown

Payload = dict[str, Any]
Points = NDArray[np.float64]


def step_payload(
    trace: ScoreTrace, data: Dataset, points: Points, *, identity: str, editable: bool
) -> Payload:
    """A score, one term after another.

    Parameters
    ----------
    trace : ScoreTrace
    data : Dataset
    points : ndarray of float, shape (n, 2)
        Node positions in the unit square.
    identity : str
        Equal for reruns that show the same trace.
    editable : bool
        Whether edges may be added and removed by clicking.

    Returns
    -------
    dict
        What `components.step_view` takes.
    """
    return {
        **_canvas(data, points),
        "id": identity,
        "kind": "assertions" if isinstance(trace.terms, AssertionTerms) else "local",
        "method": trace.method,
        "score_name": f"ln {SCORES[trace.method].title}",
        "order": [data.index(name) for name in trace.order],
        "degree": [int(trace.graph.degree[name]) for name in data.names],
        "edges": edge_indices(trace.graph, data),
        "editable": editable,
        "initial_step": 0,
        "terms": _terms(trace, data),
    }


def climb_payload(
    data: Dataset,
    points: Points,
    climb: SearchTrace | Sequence[Step],
    *,
    identity: str,
    method: str,
    start: Mapping[str, Any],
    truth: nx.Graph[Any] | None,
) -> Payload:
    """A search, one proposal after another; also while it still runs.

    Parameters
    ----------
    data : Dataset
    points : ndarray of float, shape (n, 2)
    climb : SearchTrace or sequence of Step
        The finished search, or the steps so far.
    identity : str
    method : str
    start : mapping
        See `start_of`.
    truth : networkx.Graph or None

    Returns
    -------
    dict
        What `components.climb_view` takes.
    """
    ended = climb if isinstance(climb, SearchTrace) else None
    steps = ended.steps if ended else [s for s in climb if s.accepted]  # type: ignore[union-attr]
    rejected = ended.rejected if ended else None
    return {
        **_canvas(data, points),
        "id": identity,
        "method": method,
        "score_name": f"ln {SCORES[method].title}",
        "start": dict(start),
        "steps": [_step(step, data) for step in steps if step.phase != "blanket"],
        "rejected": _step(rejected, data) if rejected else None,
        "stop": str(ended.stop_reason) if ended else "",
        "running": ended is None,
        "truth": edge_indices(truth, data) if truth is not None else None,
        "initial_step": 0,
    }


def start_of(graph: nx.Graph[Any], score: float, data: Dataset) -> Payload:
    """The starting point of a climb.

    Parameters
    ----------
    graph : networkx.Graph
    score : float
    data : Dataset

    Returns
    -------
    dict
    """
    return {
        "edges": edge_indices(graph, data),
        "order": degree_order(to_adjacency(graph, data)).tolist(),
        "degree": [int(graph.degree[name]) for name in data.names],
        "score": score,
    }


def networks_payload(
    data: Dataset,
    points: Points,
    panels: Sequence[Mapping[str, Any]],
    *,
    identity: str,
    tones: Mapping[str, str] | None = None,
    columns: int | None = None,
    clickable: bool = False,
) -> Payload:
    """Several networks on one layout.

    Parameters
    ----------
    data : Dataset
    points : ndarray of float, shape (n, 2)
    panels : sequence of mapping
        Each with `key`, `title`, `subtitle`, `graph` or `edges` ([i, j, tone]), `badge`, and
        `roles` ([i, "x" | "given"]) of the nodes that stand out.
    identity : str
    tones : mapping of str to str, optional
        The legend: tone to label.
    columns : int, optional
    clickable : bool
        Whether panels can be opened.

    Returns
    -------
    dict
        What `components.networks_view` takes.
    """
    return {
        **_canvas(data, points),
        "id": identity,
        "panels": [_panel(panel, data) for panel in panels],
        "tones": [{"tone": tone, "label": label} for tone, label in (tones or {}).items()],
        "columns": columns or min(3, len(panels)),
        "clickable": clickable,
    }


def edge_indices(graph: nx.Graph[Any], data: Dataset) -> list[list[int]]:
    """A graph's edges as pairs of columns, i < j, in lexicographic order.

    Parameters
    ----------
    graph : networkx.Graph
    data : Dataset

    Returns
    -------
    list of [i, j]
    """
    return sorted(sorted((data.index(u), data.index(v))) for u, v in graph.edges)


def _canvas(data: Dataset, points: Points) -> Payload:
    """Names and places of the nodes, the same for every component."""
    rounded = np.round(points, 4)
    return {
        "layout_id": f"{data.digest[:16]}-{crc32(rounded.tobytes()):08x}",
        "names": [shown(name) for name in data.names],
        "x": rounded[:, 0].tolist(),
        "y": rounded[:, 1].tolist(),
    }


def _terms(trace: ScoreTrace, data: Dataset) -> Payload:
    """The terms as columns."""
    if not isinstance(trace.terms, AssertionTerms):
        return {
            "x": [data.index(term.x) for term in trace.terms],
            "value": [term.value for term in trace.terms],
        }
    columns = trace.terms.columns()
    return {
        "x": columns.x.tolist(),
        "y": columns.y.tolist(),
        "dependent": columns.dependent.astype(int).tolist(),
        "computed": columns.computed.astype(int).tolist(),
        "value": columns.value.tolist(),
    }


def _step(step: Step, data: Dataset) -> Payload:
    """One proposal."""
    return {
        "edge": sorted(data.index(name) for name in step.edge),
        "added": step.added,
        "accepted": step.accepted,
        "phase": step.phase,
        "gain": step.gain,
        "score": step.score,
        "order": [data.index(name) for name in step.order],
        "lowest": [
            [*(data.index(name) for name in c.edge), c.adjacent, c.value]
            for c in step.contributions
        ],
    }


def _panel(panel: Mapping[str, Any], data: Dataset) -> Payload:
    """One network of several."""
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
