"""What an exercise is made of: plain data that a page can draw and judge."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import combinations
from typing import TypeAlias

import networkx as nx
import numpy as np

from bjp_engine.dataset import Dataset
from bjp_engine.errors import list_up
from bjp_engine.records import record
from bjp_engine.sampling import random_model

Answer = tuple[str, ...] | float


class Form(StrEnum):
    """How a question is answered; the value is its name in JSON.

    `NODES` is a set of nodes, `ORDER` all nodes in an order, `PAIR` two nodes, `SEVERAL` a set of
    options, `ONE` a single option, `NUMBER` a number within a tolerance. Nodes are given by name,
    options by their letter: "a" for the first.
    """

    NODES = "nodes"
    ORDER = "order"
    PAIR = "pair"
    SEVERAL = "several"
    ONE = "one"
    NUMBER = "number"


# Options that a question can have.
LETTERS = "abcdefgh"


@record
@dataclass(frozen=True, slots=True)
class GraphPicture:
    """A graph to be drawn; positions are in the unit square, and y grows downward."""

    title: str
    names: tuple[str, ...]
    positions: tuple[tuple[float, float], ...]
    edges: tuple[tuple[str, str], ...]
    marked: tuple[str, ...] = ()


@record
@dataclass(frozen=True, slots=True)
class GridPicture:
    """A table to be drawn: the cells of each row, empty where there is none."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]


@record
@dataclass(frozen=True, slots=True)
class Mistake:
    """A typical wrong answer."""

    answer: Answer
    reason: str


@record
@dataclass(frozen=True, slots=True)
class Exercise:
    """A question with its pictures, its answers and a worked solution.

    Two graphs stand side by side. Options are those of the forms ONE and SEVERAL. `accepted` has
    every right answer, `answer` first: names or letters, sorted but where the form is ORDER; a
    number is right up to `tolerance`.
    """

    kind: str
    level: int
    seed: int
    ask: str
    graphs: tuple[GraphPicture, ...]
    grids: tuple[GridPicture, ...]
    notes: tuple[str, ...]
    form: Form
    options: tuple[str, ...]
    answer: Answer
    accepted: tuple[Answer, ...]
    tolerance: float
    mistakes: tuple[Mistake, ...]
    solution: tuple[str, ...]

    @property
    def nodes(self) -> tuple[str, ...]:
        """The nodes that can be part of an answer; empty where there is no graph."""
        return self.graphs[0].names if self.graphs else ()

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters of the options."""
        return tuple(LETTERS[: len(self.options)])

    def to_json(self) -> str:
        """The exercise as JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)


def answer_text(answer: Answer) -> str:
    """An answer in a line: names or letters with spaces, or a number of four digits."""
    return " ".join(answer) if isinstance(answer, tuple) else f"{float(f'{answer:.4g}'):.15g}"


NAMES = "ABCDEFGH"
Graph: TypeAlias = "nx.Graph[str]"
# A number, or names and letters: as a set, or in the order that counts.
Given = float | Collection[str]


def question(  # noqa: PLR0913 - the parts of an exercise
    ask: str,
    form: Form,
    answer: Given,
    mistakes: Iterable[tuple[Given, str]],
    *solution: str,
    graphs: Iterable[GraphPicture] = (),
    grids: Iterable[GridPicture] = (),
    notes: tuple[str, ...] = (),
    options: tuple[str, ...] = (),
    others: Iterable[Given] = (),
    tolerance: float = 0.0,
) -> Exercise | None:
    """An exercise without its kind, level and seed; None where it has no typical mistake.

    `mistakes` may name a right answer, or one wrong answer twice: what is no mistake is left out.
    """
    accepted = tuple(dict.fromkeys(map(_answer, (answer, *others))))
    found: dict[Answer, str] = {}
    for wrong, reason in mistakes:
        one = _answer(wrong)
        if one != () and not any(_alike(one, known, tolerance) for known in (*accepted, *found)):
            found[one] = reason
    if not found:
        return None
    shown = tuple(graphs), tuple(grids), notes, form, options
    real = tuple(Mistake(one, reason) for one, reason in found.items())
    return Exercise("", 0, 0, ask, *shown, accepted[0], accepted, tolerance, real, solution)


def _answer(given: Given) -> Answer:
    """A number, or names; of a set in the order of columns."""
    if isinstance(given, (int, float)):
        return round(float(given), 10)
    return tuple(sorted(given) if isinstance(given, set) else given)


def _alike(one: Answer, other: Answer, tolerance: float) -> bool:
    """Whether two answers can't be told apart."""
    if isinstance(one, tuple) or isinstance(other, tuple):
        return one == other
    return abs(one - other) <= 2 * tolerance + 1e-9


# --- Graphs on the nodes A, B and so on -----------------------------------------------------------


def draw_graph(rng: np.random.Generator, n: int, share: float) -> Graph:
    """A graph in which each pair is an edge with a probability."""
    drawn = np.triu(rng.random((n, n)) < share, 1)
    return nx.relabel_nodes(nx.from_numpy_array(drawn), dict(enumerate(NAMES)))


def draw_pair(rng: np.random.Generator, graph: Graph) -> list[str]:
    """Two nodes, in the order in which they were drawn."""
    return [NAMES[k] for k in rng.choice(len(graph), 2, replace=False)]


def draw_flip(rng: np.random.Generator, graph: Graph, level: int) -> tuple[Graph, list[str], str]:
    """A graph after a flip, the pair, and what becomes of its edge; below level 3 no flip."""
    x, y = sorted(draw_pair(rng, graph))
    if level < 3:
        return graph, [], ""
    after, removed = graph.copy(), graph.has_edge(x, y)
    (after.remove_edge if removed else after.add_edge)(x, y)
    return after, [x, y], f"the edge {x} – {y} is {'removed' if removed else 'added'}"


def sort_by_degree(graph: Graph) -> list[str]:
    """The order ψ."""
    return sorted(graph, key=graph.degree)


def picture_of(
    graph: Graph, title: str = "", marked: Collection[str] = (), places: Iterable[int] = ()
) -> GraphPicture:
    """The graph on a circle, where no node lies on an edge; `places` puts nodes elsewhere on it."""
    turns = [2 * math.pi * k / len(graph) for k in (places or range(len(graph)))]
    return GraphPicture(
        title=title,
        names=tuple(graph),
        positions=tuple(
            (round(0.5 + 0.42 * math.sin(t), 4), round(0.5 - 0.42 * math.cos(t), 4)) for t in turns
        ),
        edges=sorted_edges(graph),
        marked=tuple(marked),
    )


def sorted_edges(graph: Graph) -> tuple[tuple[str, str], ...]:
    """Edges and their ends in the order of the alphabet."""
    return tuple(pair for pair in combinations(graph, 2) if graph.has_edge(*pair))


def draw_data(rng: np.random.Generator, n: int, rows: int) -> Dataset:
    """Rows of a random network whose edges have one strength; variables are A, B and so on."""
    truth = draw_graph(rng, n, 0.5)
    model = random_model(truth, "log-odds", epsilon=float(rng.uniform(0.8, 2.2)))
    return model.sample(rows, seed=int(rng.integers(2**31)), method="exact")


# --- In a sentence --------------------------------------------------------------------------------


def decimals(value: float, places: int) -> str:
    """A number for the eye: with a minus sign, and without a negative zero."""
    text = f"{value:.{places}f}"
    return text.lstrip("-") if not float(text) else text.replace("-", "−")


def set_text(nodes: Iterable[str]) -> str:
    """A set in a sentence."""
    return "{" + ", ".join(found) + "}" if (found := sorted(nodes)) else "∅"


def listed_nodes(nodes: Iterable[str]) -> str:
    """Nodes in a sentence: A, B and C."""
    return list_up(sorted(nodes) or ["none"])


def assertion_text(x: object, y: object, given: Iterable[object], *, dependent: bool) -> str:
    """An assertion as the pages write it."""
    return f"{x} {'⊥̸' if dependent else '⊥'} {y} | {', '.join(map(str, given)) or '∅'}"
