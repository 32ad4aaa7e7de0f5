"""The next flip of IBMAP-HC."""

from __future__ import annotations

import math

import numpy as np

from bjp_engine.arrays import Bools, Floats
from bjp_engine.dataset import Dataset
from bjp_engine.exercises.drafts import (
    NAMES,
    QuestionDraft,
    draw_data,
    draw_graph,
    graph_of,
    named,
    picture_of,
)
from bjp_engine.exercises.records import Answer, Form, GridPicture, Picture
from bjp_engine.graph import blanket, degree_order
from bjp_engine.independence import independence_test
from bjp_engine.search import learn

# The lowest probability must be lower than the next by this much as they are shown.
GAP = 0.02
ROWS = 60
_SHOWN = (
    "Each cell is Pr of what the graph asserts about the pair.",
    "Each cell is Pr(⊥) of the pair's test, given the blanket from which BJP tests it.",
    "Each cell is Pr(⊥) of its row and column, given the blanket of the row.",
)


def draw_flip(rng: np.random.Generator, level: int) -> QuestionDraft | None:
    """Which pair the climb flips next; what the cells hold needs more thought level by level.

    Trivial are flips that the climb refuses, a lowest assertion that is not lower than the next by
    0.02, and from level 2 on a table in which the lowest cell is the answer.
    """
    n = (4, 5, 5)[level - 1]
    data = draw_data(rng, n, ROWS)
    adjacency = draw_graph(rng, n, 0.4)
    independent = _posteriors(data, adjacency)
    stated = np.where(adjacency, 1 - independent, independent)
    computed = _computed(adjacency)
    values = {pair: float(stated[pair]) for pair in computed}
    ranked = sorted(values, key=values.__getitem__)
    first, second = ranked[:2]
    shown = (stated, independent, independent)[level - 1]
    cells = computed if level < 3 else [(i, j) for i in range(n) for j in range(n) if i != j]
    naive = min(cells, key=lambda pair: float(shown[pair]))
    other_end = min(computed, key=lambda pair: float(stated[pair[::-1]]))
    if values[second] - values[first] < GAP or values[first] < GAP / 2:
        return None
    if (level > 1 and set(naive) == set(first)) or (level == 3 and set(other_end) == set(first)):
        return None
    start = graph_of(adjacency)
    trace = learn(data, "bjp", "ibmap-hc", start=start, evaluations=1)
    if not len(trace.steps):
        return None
    answer = _pair(trace.steps[0].edge)
    x, y = first
    sign = "⊥̸" if adjacency[first] else "⊥"
    highest = max(values, key=values.__getitem__)
    end = naive if naive in values else naive[::-1]
    whose = "its" if end == naive else f"BJP tests the pair from {NAMES[end[0]]}, where the"
    mistakes: list[tuple[Answer, str]] = [
        (
            _pair(named(naive)),
            f"The cell is lowest, but {whose} assertion has probability {values[end]:.3f}.",
        ),
        (
            _pair(named(other_end)),
            "This is lowest from the end that comes later in ψ, whose test BJP doesn't make.",
        ),
        (
            _pair(named(second)),
            f"Its assertion has probability {values[second]:.3f}; that of another pair is lower.",
        ),
        (
            _pair(named(highest)),
            "This assertion is the most probable one; the climb flips the least probable.",
        ),
    ]
    order = f"ψ = {', '.join(named(degree_order(adjacency)))}. "
    return QuestionDraft(
        ask="Which pair does IBMAP-HC flip next, with the score BJP?",
        picture=Picture(
            (picture_of(adjacency),),
            (_grid(shown, cells, n),),
            (_SHOWN[level - 1],),
        ),
        form=Form.PAIR,
        answer=answer,
        mistakes=mistakes[0 if level > 1 else 2 :],
        solution=(
            "The climb flips the pair whose computed assertion has the lowest probability.",
            "Where the graph has an edge it asserts dependence, with 1 − Pr(⊥).",
            (order if level == 3 else "")
            + "Probabilities of the assertions: "
            + ", ".join(f"{NAMES[i]}{NAMES[j]} {values[i, j]:.3f}" for i, j in computed)
            + ".",
            f"The lowest is {NAMES[x]} {sign} {NAMES[y]} with {values[first]:.3f}.",
            f"The climb {'removes' if adjacency[first] else 'adds'} the edge, and the score rises.",
        ),
    )


def _posteriors(data: Dataset, adjacency: Bools) -> Floats:
    """Pr(⊥) of the row's and the column's variable, given the row's blanket; shape (n, n)."""
    n = len(adjacency)
    found = np.zeros((n, n))
    for x in range(n):
        for y in range(n):
            if x != y:
                given = [z for z in blanket(adjacency, x) if z != y]
                found[x, y] = math.exp(independence_test(data, x, y, given).log_independent)
    return found


def _computed(adjacency: Bools) -> list[tuple[int, int]]:
    """The pairs, each from the end from which BJP tests it."""
    order = degree_order(adjacency).tolist()
    return [(x, y) for k, x in enumerate(order) for y in order[k + 1 :]]


def _pair(nodes: tuple[object, ...]) -> tuple[str, ...]:
    """A pair as an answer."""
    return tuple(sorted(map(str, nodes)))


def _grid(shown: Floats, cells: list[tuple[int, int]], n: int) -> GridPicture:
    """A matrix of probabilities; a pair with one cell has it above the diagonal."""
    whole = len(cells) > n * (n - 1) // 2
    text = {pair if whole else tuple(sorted(pair)): f"{shown[pair]:.3f}" for pair in cells}
    return GridPicture(
        "",
        "",
        named(range(n)),
        named(range(n)),
        tuple(tuple(text.get((i, j), "") for j in range(n)) for i in range(n)),
    )
