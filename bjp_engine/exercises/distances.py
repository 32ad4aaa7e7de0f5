"""Distances and irregularities: numbers that are counted in a picture."""

from __future__ import annotations

import numpy as np

from bjp_engine.exercises.drafts import QuestionDraft, draw_graph, graph_of, named, picture_of
from bjp_engine.exercises.records import Form, Picture
from bjp_engine.metrics import confusion, edge_irregularity, total_irregularity


def draw_distance(rng: np.random.Generator, level: int) -> QuestionDraft | None:
    """The Hamming distance of two graphs; from level 2 on their nodes stand in different places.

    Trivial are a distance of 0, a graph that has all edges of the other, and graphs without a
    common edge.
    """
    n = (5, 6, 7)[level - 1]
    truth = draw_graph(rng, n, 0.45)
    other = truth ^ draw_graph(rng, n, (0.3, 0.3, 0.35)[level - 1])
    found = confusion(graph_of(truth), graph_of(other))
    if not found.fp or not found.fn or not found.tp:
        return None
    places = rng.permutation(n).tolist() if level > 1 else range(n)
    answer = found.hamming
    return QuestionDraft(
        ask="What is the Hamming distance of the two graphs: how many edges does only one have?",
        picture=Picture((picture_of(truth, "True"), picture_of(other, "Learned", (), places))),
        form=Form.NUMBER,
        answer=float(answer),
        mistakes=(
            (
                float(found.fn),
                "Only the missing edges are counted; add the false ones."
                if found.fn != found.fp
                else "Only the missing, or only the false, edges are counted; add both.",
            ),
            (float(found.fp), "Only the false edges are counted; add the missing ones."),
            (float(abs(found.fp - found.fn)), "This compares how many edges there are, not which."),
            (float(found.tp), "This counts the common edges, on which the graphs agree."),
            (float(2 * answer), "Each pair counts once, not once for each of its ends."),
            (float(found.tp + answer), "Common edges don't count, only those of one graph."),
            (
                float(2 * found.tp + answer),
                "This adds up the edges of both; common edges don't count.",
            ),
        ),
        solution=(
            f"Missing, in the true graph only: {_edges_text(found.missing)}.",
            f"False, in the learned graph only: {_edges_text(found.false_positives)}.",
            f"The distance is {found.fn} + {found.fp} = {answer}.",
        ),
    )


def draw_irregularity(rng: np.random.Generator, level: int) -> QuestionDraft | None:
    """Level 1: edge irregularity. Level 2: total irregularity. Level 3: that, after a flip.

    Trivial are 0, a graph whose edge and total irregularity are equal, and a flip that changes
    nothing.
    """
    n = (6, 5, 6)[level - 1]
    adjacency = draw_graph(rng, n, 0.45)
    i, j = sorted(map(int, rng.choice(n, 2, replace=False)))
    before = total_irregularity(graph_of(adjacency))
    graph = graph_of(adjacency)
    ask, flip = "", ""
    if level == 3:
        x, y = named((i, j))
        flip = f"the edge {x} – {y} is {'removed' if adjacency[i, j] else 'added'}"
        (graph.remove_edge if adjacency[i, j] else graph.add_edge)(x, y)
        ask = f" after {flip}"
    total, edge = total_irregularity(graph), edge_irregularity(graph)
    if total in (0, edge) or edge == 0 or (level == 3 and total == before):
        return None
    answer, other = (edge, total) if level == 1 else (total, edge)
    over = "the edges" if level == 1 else "all pairs of nodes"
    degrees = dict(graph.degree())
    terms = [
        (u, v, abs(degrees[u] - degrees[v]))
        for k, u in enumerate(graph)
        for v in list(graph)[k + 1 :]
        if level > 1 or graph.has_edge(u, v)
    ]
    shown = ", ".join(f"{u}{v} {value}" for u, v, value in terms if value)
    return QuestionDraft(
        ask=(
            f"What is the {'edge' if level == 1 else 'total'} irregularity of the graph{ask}: the "
            f"sum of |dᵢ − dⱼ| over {over}, where d is the degree?"
        ),
        picture=Picture((picture_of(adjacency, marked=(i, j) if level == 3 else ()),)),
        form=Form.NUMBER,
        answer=float(answer),
        mistakes=(
            (
                float(other),
                "This sums over all pairs of nodes; here only edges count."
                if level == 1
                else "This sums over the edges only; here all pairs of nodes count.",
            ),
            (float(2 * answer), "Each pair counts once, not once for each of its ends."),
            *(((float(before), "This is the number before the flip."),) if level == 3 else ()),
            (float(sum(degrees.values())), "This is the sum of the degrees, not of differences."),
            (
                float(max(degrees.values()) - min(degrees.values())),
                "This is the largest difference alone; all of them are added up.",
            ),
            (
                float(sum(value > 0 for *_, value in terms)),
                "This counts the pairs that differ; each counts with its difference.",
            ),
        ),
        solution=(
            (f"When {flip}, the" if flip else "The")
            + f" degrees are {', '.join(f'{node} {d}' for node, d in degrees.items())}.",
            f"Differences other than 0 over {over}: {shown}. Their sum is {answer}.",
        ),
    )


def _edges_text(edges: frozenset[tuple[str | int, str | int]]) -> str:
    """Edges in a sentence."""
    return ", ".join(f"{u}{v}" for u, v in sorted(edges))
