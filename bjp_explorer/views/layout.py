"""Where the nodes stand: computed once for the union of all graphs shown, never moved by a step."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine.dataset import Name

SEED = 7
# So few variables stand on a circle: there no edge, drawn or still to be added, hides another.
CIRCLE = 10
# From more lone variables on they get more columns, and more of the room.
CROWD = 36


def positions(
    names: Sequence[Name], graphs: Iterable[nx.Graph[Any]], seed: int = SEED
) -> NDArray[np.float64]:
    """Node positions in the unit square for the union of some graphs.

    x to the right, y down, each within [0, 1].
    """
    union: nx.Graph[Any] = nx.Graph()
    union.add_nodes_from(names)
    for graph in graphs:
        union.add_edges_from(graph.edges)
    if len(names) <= CIRCLE:
        return _circle(names, union)
    parts = sorted(
        nx.connected_components(union), key=lambda part: (-len(part), str(min(map(str, part))))
    )
    boxes = [_component(union.subgraph(part), seed) for part in parts]
    placed = _shelves(boxes, [max(1.0, len(part)) for part in parts])
    where = {node: point for box in placed for node, point in box.items()}
    points: NDArray[np.float64] = np.array([where[name] for name in names])
    return points.clip(0.0, 1.0)


def circle(n: int) -> NDArray[np.float64]:
    """Places on a circle, from the top clockwise."""
    if n == 1:
        return np.array([[0.5, 0.5]])
    angles = np.linspace(0, 2 * np.pi, n, endpoint=False)
    return 0.5 + 0.5 * np.column_stack([np.sin(angles), -np.cos(angles)])


def _circle(names: Sequence[Name], graph: nx.Graph[Any]) -> NDArray[np.float64]:
    """On a circle, in an order whose edges cross little and are short: swaps until none helps."""
    seat = {name: k for k, name in enumerate(names)}
    pairs = list(combinations(names, 2))
    cost = _tangle(graph, seat)
    improving = True
    while improving:
        improving = False
        for u, v in pairs:
            seat[u], seat[v] = seat[v], seat[u]
            changed = _tangle(graph, seat)
            if changed < cost:
                cost, improving = changed, True
            else:
                seat[u], seat[v] = seat[v], seat[u]
    return circle(len(names))[[seat[name] for name in names]]


def _tangle(graph: nx.Graph[Any], seat: dict[Any, int]) -> tuple[int, int]:
    """Crossings of the edges as chords, then their steps along the circle."""
    chords = sorted(tuple(sorted((seat[u], seat[v]))) for u, v in graph.edges)
    crossings = sum(a < c < b < d for (a, b), (c, d) in combinations(chords, 2))
    return crossings, sum(min(b - a, len(seat) - b + a) for a, b in chords)


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
    crowded = len(lone) > CROWD
    columns = math.ceil(math.sqrt(2 * len(lone))) if crowded else max(1, min(len(lone), 12))
    rows = -(-len(lone) // columns) if lone else 0
    # Where most nodes are alone, most of the drawing is theirs.
    most = max(0.45, min(0.75, len(lone) / sum(map(len, boxes)))) if crowded else 0.45
    strip = min(most, 0.14 * rows) if large else 1.0
    height = strip / max(rows, 1)
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
        y = 1 - strip + height * (row + (1.0 if large else 0.75))
        # On a bow no three of a row are in line, so an edge between two of them is seen.
        y -= 0.5 * height * (2 * x - 1) ** 2
        placed[i] = {next(iter(boxes[i])): np.array([x, y])}
    return placed
