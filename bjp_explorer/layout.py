"""Where the nodes stand: computed once for the union of all graphs shown, never moved by a step."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine.dataset import Name

SEED = 7


def positions(
    names: Sequence[Name], graphs: Iterable[nx.Graph[Any]], seed: int = SEED
) -> NDArray[np.float64]:
    """Node positions in the unit square for the union of some graphs.

    Parameters
    ----------
    names : sequence of str or int, length n
        The variables, in column order.
    graphs : iterable of networkx.Graph
        Every graph that will be drawn on these positions.
    seed : int
        Equal seeds and graphs give equal positions.

    Returns
    -------
    ndarray of float, shape (n, 2)
        x to the right, y down, each within [0, 1].
    """
    union: nx.Graph[Any] = nx.Graph()
    union.add_nodes_from(names)
    for graph in graphs:
        union.add_edges_from(graph.edges)
    parts = sorted(
        nx.connected_components(union), key=lambda part: (-len(part), str(min(map(str, part))))
    )
    boxes = [_component(union.subgraph(part), seed) for part in parts]
    placed = _shelves(boxes, [max(1.0, len(part)) for part in parts])
    where = {node: point for box in placed for node, point in box.items()}
    return np.clip(np.array([where[name] for name in names]), 0.0, 1.0)


def _component(graph: nx.Graph[Any], seed: int) -> dict[Any, NDArray[np.float64]]:
    """One connected part, scaled to the unit square."""
    nodes = list(graph)
    if len(nodes) == 1:
        return {nodes[0]: np.array([0.5, 0.5])}
    ordered: nx.Graph[Any] = nx.Graph()
    ordered.add_nodes_from(sorted(nodes, key=str))
    ordered.add_edges_from(graph.edges)
    # Distances in the drawing follow distances in the graph; ties and overlaps are then relaxed.
    first = nx.kamada_kawai_layout(ordered)
    relaxed = nx.spring_layout(
        ordered, pos=first, seed=seed, iterations=30, k=0.9 / np.sqrt(len(nodes))
    )
    points = np.array([relaxed[node] for node in ordered])
    low, span = points.min(axis=0), np.ptp(points, axis=0)
    scaled = np.where(span > 1e-9, (points - low) / np.maximum(span, 1e-9), 0.5)
    return dict(zip(ordered, scaled, strict=True))


def _shelves(
    boxes: list[dict[Any, NDArray[np.float64]]], weights: list[float]
) -> list[dict[Any, NDArray[np.float64]]]:
    """Lay the parts side by side: the large one first, lone nodes in rows below."""
    large = [i for i, box in enumerate(boxes) if len(box) > 1]
    lone = [i for i, box in enumerate(boxes) if len(box) == 1]
    columns = max(1, min(len(lone), 12))
    rows = -(-len(lone) // columns) if lone else 0
    strip = min(0.45, 0.14 * rows) if large else 1.0
    placed = [dict(box) for box in boxes]
    total = sum(np.sqrt(weights[i]) for i in large)
    left = 0.0
    for i in large:
        width = np.sqrt(weights[i]) / total
        margin = 0.04 * width if len(large) > 1 else 0.0
        for node, point in boxes[i].items():
            x = left + margin + point[0] * (width - 2 * margin)
            placed[i][node] = np.array([x, point[1] * (1 - strip)])
        left += width
    for k, i in enumerate(lone):
        row, column = divmod(k, columns)
        in_row = min(columns, len(lone) - row * columns)
        x = (column + 0.5) / in_row
        y = 1 - strip + strip * (row + 1) / rows if large else (row + 0.5) / rows
        placed[i] = {next(iter(boxes[i])): np.array([x, y])}
    return placed
