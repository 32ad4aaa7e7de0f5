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
from bjp_explorer.shell import caches
from bjp_explorer.shell.sources import Loaded

SEED = 7
# So few variables stand on a circle: there no edge, drawn or still to be added, hides another.
CIRCLE = 10
# From so many variables on, blocs of at least so many stand apart on the circle, by so many seats.
BLOCS_FROM, BLOC, GAP = 7, 3, 0.9
# How far nodes of a larger part stand from one another, and from the lines between others, as
# shares of a square that each would have to itself; in how many rounds, for how many nodes at most.
APART, ASIDE, ROUNDS, LARGEST = 0.62, 0.3, 120, 400
# A node this near to the line of an edge hides it, in a drawing so many times as wide as high.
HIDES, WIDTH = 0.05, 1.8
# The room on each side of a part, as a share of the drawing.
BESIDE = 0.06
# Several rows of parts must give their nodes so many times the room of one row.
GAIN = 1.25
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
        # On a circle, in an order whose edges cross little and are short: swaps until none helps.
        if len(names) == 1:
            return circle(1)
        bloc = _blocs(names, union)
        order = sorted(range(len(names)), key=lambda k: bloc[names[k]])
        seat = {names[k]: place for place, k in enumerate(order)}
        pairs = list(combinations(names, 2))
        cost = _tangle(union, seat, bloc)
        improving = True
        while improving:
            improving = False
            for u, v in pairs:
                seat[u], seat[v] = seat[v], seat[u]
                changed = _tangle(union, seat, bloc)
                if changed < cost:
                    cost, improving = changed, True
                else:
                    seat[u], seat[v] = seat[v], seat[u]
        return _seats(sorted(seat, key=seat.__getitem__), bloc)[[seat[name] for name in names]]
    parts = sorted(
        nx.connected_components(union), key=lambda part: (-len(part), str(min(map(str, part))))
    )
    boxes = [_component(union.subgraph(part), seed) for part in parts]
    placed = _shelves(boxes, [max(1.0, len(part)) for part in parts])
    where = {node: point for box in placed for node, point in box.items()}
    points: NDArray[np.float64] = np.array([where[name] for name in names])
    return points.clip(0.0, 1.0)


def hides_edge(points: NDArray[np.float64], edges: Iterable[tuple[int, int]]) -> bool:
    """Whether a node stands on the line of an edge between two others."""
    places = points * [WIDTH, 1.0]
    for a, b in edges:
        along = places[b] - places[a]
        share = (places - places[a]) @ along / max(float(along @ along), 1e-12)
        off = places - places[a] - share[:, None] * along
        near = (share > 0) & (share < 1) & (np.hypot(off[:, 0], off[:, 1]) < HIDES)
        near[[a, b]] = False
        if near.any():
            return True
    return False


def circle(n: int) -> NDArray[np.float64]:
    """Places on a circle, from the top clockwise."""
    if n == 1:
        return np.array([[0.5, 0.5]])
    angles = np.linspace(0, 2 * np.pi, n, endpoint=False)
    return 0.5 + 0.5 * np.column_stack([np.sin(angles), -np.cos(angles)])


def _blocs(names: Sequence[Name], graph: nx.Graph[Any]) -> dict[Any, int]:
    """The bloc of each variable; one for all where there are not two of several variables each."""
    found: list[Any] = []
    if len(names) >= BLOCS_FROM and graph.number_of_edges():
        ordered: nx.Graph[Any] = nx.Graph()
        ordered.add_nodes_from(names)
        ordered.add_edges_from(sorted(graph.edges, key=str))
        found = list(nx.community.greedy_modularity_communities(ordered))
    large = [part for part in found if len(part) >= BLOC]
    if len(large) < 2:
        return dict.fromkeys(names, 0)
    known = {name: k for k, part in enumerate(large) for name in part}
    # Variables on their own stand between the last bloc and the first.
    return {name: known.get(name, len(large)) for name in names}


def _seats(order: Sequence[Name], bloc: dict[Any, int]) -> NDArray[np.float64]:
    """Places on a circle in an order, with a gap wherever a bloc ends; one gap is at the top."""
    after = [
        1.0 + GAP * (bloc[one] != bloc[two])
        for one, two in zip(order, [*order[1:], *order[:1]], strict=True)
    ]
    along = np.concatenate([[0.0], np.cumsum(after[:-1])])
    if after[-1] > 1.0:
        along += after[-1] / 2
    angles = 2 * np.pi * along / sum(after)
    return 0.5 + 0.5 * np.column_stack([np.sin(angles), -np.cos(angles)])


def _tangle(
    graph: nx.Graph[Any], seat: dict[Any, int], bloc: dict[Any, int]
) -> tuple[int, int, int]:
    """How often blocs meet, crossings of the edges as chords, their steps along the circle."""
    order = sorted(seat, key=seat.__getitem__)
    meet = sum(bloc[u] != bloc[v] for u, v in zip(order, [*order[1:], *order[:1]], strict=True))
    chords = sorted(tuple(sorted((seat[u], seat[v]))) for u, v in graph.edges)
    crossings = sum(a < c < b < d for (a, b), (c, d) in combinations(chords, 2))
    return meet, crossings, sum(min(b - a, len(seat) - b + a) for a, b in chords)


def _component(graph: nx.Graph[Any], seed: int) -> dict[Any, NDArray[np.float64]]:
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
    index = {node: k for k, node in enumerate(ordered)}
    edges = np.array(sorted(sorted((index[u], index[v])) for u, v in ordered.edges))
    points = _unit(np.array([relaxed[node] for node in ordered]))
    return dict(zip(ordered, _spread(points, edges), strict=True))


def _unit(points: NDArray[np.float64]) -> NDArray[np.float64]:
    low, span = points.min(axis=0), np.ptp(points, axis=0)
    scaled: NDArray[np.float64] = np.where(
        span > 1e-9, (points - low) / np.maximum(span, 1e-9), 0.5
    )
    return scaled


def _spread(points: NDArray[np.float64], edges: NDArray[np.int64]) -> NDArray[np.float64]:
    """Nodes moved apart, and off the lines between others, so that each edge can be seen."""
    n = len(points)
    if n > LARGEST:
        return points
    apart, aside = APART / np.sqrt(n), ASIDE / np.sqrt(n)
    a, b = edges.T
    others = np.ones((len(edges), n), dtype=bool)
    others[np.arange(len(edges)), a] = others[np.arange(len(edges)), b] = False
    for _ in range(ROUNDS):
        between = points[:, None] - points[None]
        far = np.hypot(between[..., 0], between[..., 1])
        np.fill_diagonal(far, np.inf)
        lacking = np.maximum(apart - far, 0.0) / np.maximum(far, 1e-9)
        moved = 0.5 * (between * lacking[..., None]).sum(axis=1)
        along = points[b] - points[a]
        length = np.maximum((along**2).sum(axis=1), 1e-12)
        from_a = points[None] - points[a][:, None]
        share = (from_a @ along[..., None])[..., 0] / length[:, None]
        off = from_a - share[..., None] * along[:, None]
        far = np.hypot(off[..., 0], off[..., 1])
        near = others & (share > 0) & (share < 1) & (far < aside)
        lacking = np.where(near, (aside - far) / np.maximum(far, 1e-9), 0.0)
        moved += 0.3 * (off * lacking[..., None]).sum(axis=0)
        if np.abs(moved).max() < 1e-4:
            break
        points = points + moved
    return _unit(points)


def _shelves(
    boxes: list[dict[Any, NDArray[np.float64]]], weights: list[float]
) -> list[dict[Any, NDArray[np.float64]]]:
    """Lay the parts in rows: the large one first, lone nodes in rows below."""
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
    shelves = _rows([math.sqrt(weights[i]) for i in large], 1 - strip) if large else []
    tall = sum(high for _, high in shelves)
    top, parts = 0.0, iter(large)
    for sides, high in shelves:
        left, share = 0.0, (1 - strip) * high / tall
        above = min(BESIDE, 0.18 * share) if len(shelves) > 1 else 0.0
        for side in sides:
            i, width = next(parts), side / sum(sides)
            # Between two parts is room for two nodes, in a narrow drawing, too.
            margin = (
                min(BESIDE, (0.25 if len(shelves) == 1 else 0.18) * width)
                if len(large) > 1
                else 0.0
            )
            for node, (x, y) in boxes[i].items():
                across = left + margin + x * (width - 2 * margin)
                placed[i][node] = np.array([across, top + above + y * (share - 2 * above)])
            left += width
        top += share
    for k, i in enumerate(lone):
        row, column = divmod(k, columns)
        in_row = min(columns, len(lone) - row * columns)
        x = (column + 0.5) / in_row
        y = 1 - strip + height * (row + (1.0 if large else 0.75))
        # On a bow no three of a row are in line, so an edge between two of them is seen.
        y -= 0.5 * height * (2 * x - 1) ** 2
        placed[i] = {next(iter(boxes[i])): np.array([x, y])}
    return placed


def _rows(sides: Sequence[float], height: float) -> list[tuple[list[float], float]]:
    """Squares, the largest first, in as many rows as give the nodes of each the most room.

    A row is the sides of its squares, and its height, both to be stretched to the drawing.
    """
    found: list[tuple[float, list[list[float]]]] = []
    for number in range(1, len(sides) + 1):
        rows: list[list[float]] = [[]]
        for side in sides:
            if rows[-1] and sum(rows[-1]) + side / 2 > sum(sides) / number:
                rows.append([])
            rows[-1].append(side)
        tall = sum(row[0] for row in rows)
        # Each square as wide and as high as it becomes, as shares of its side.
        room = min(min(WIDTH / sum(row), height * row[0] / tall / row[0]) for row in rows)
        found.append((room, rows))
        if len(rows) < number:
            break
    best = max(found, key=lambda one: one[0])
    chosen = best if best[0] > GAIN * found[0][0] else found[0]
    return [(row, row[0]) for row in chosen[1]]


# --- One map a dataset ----------------------------------------------------------------------------


def points(loaded: Loaded, learned: nx.Graph[Any] | None) -> NDArray[np.float64]:
    """Node positions for all graphs on one dataset.

    For the true network where it is known, else for what is learned and published; a circle while
    neither is known.
    """
    if loaded.truth is None and learned is None:
        return circle(loaded.data.n)
    shown = [loaded.truth] if loaded.truth is not None else [learned, loaded.published]
    return positions_of(loaded.data.names, nx.compose_all(one for one in shown if one is not None))


def points_showing(
    loaded: Loaded, learned: nx.Graph[Any] | None, shown: nx.Graph[Any]
) -> NDArray[np.float64]:
    """The same positions; but if a node hides an edge that is shown, those for both graphs."""
    usual, index = points(loaded, learned), loaded.data.index
    if learned is None or not hides_edge(usual, [(index(x), index(y)) for x, y in shown.edges]):
        return usual
    both: nx.Graph[Any] = nx.compose(learned, shown)
    both.add_edges_from(loaded.truth.edges if loaded.truth is not None else ())
    return positions_of(loaded.data.names, both)


def positions_of(names: tuple[Name, ...], graph: nx.Graph[Any]) -> NDArray[np.float64]:
    """Node positions for a graph, computed once a server."""
    key = ("positions", names, caches.edges_key(graph))
    return caches.drawn(key, lambda: positions(names, [graph]))
