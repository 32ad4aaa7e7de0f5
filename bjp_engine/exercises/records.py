"""What an exercise is made of: plain data that a page can draw and judge."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import permutations, product
from typing import Any

import networkx as nx
import numpy as np

from bjp_engine.arrays import Bools
from bjp_engine.dataset import Dataset
from bjp_engine.errors import list_up
from bjp_engine.graph import pairs, to_graph
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
    """A graph to be drawn.

    Parameters
    ----------
    positions : tuple of (float, float)
        Where each node stands, in the unit square; y grows downward.
    """

    title: str
    names: tuple[str, ...]
    positions: tuple[tuple[float, float], ...]
    edges: tuple[tuple[str, str], ...]
    marked: tuple[str, ...] = ()


@record
@dataclass(frozen=True, slots=True)
class GridPicture:
    """A table to be drawn: counts, or a matrix of numbers.

    Parameters
    ----------
    cells : tuple of tuple of str
        A tuple for each row; numbers as they are to be read, empty where there is none.
    """

    title: str
    corner: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: tuple[tuple[str, ...], ...]


@record
@dataclass(frozen=True, slots=True)
class Picture:
    """What stands between the question and its answer.

    Parameters
    ----------
    graphs : tuple of GraphPicture
        None, one, or two side by side.
    """

    graphs: tuple[GraphPicture, ...] = ()
    grids: tuple[GridPicture, ...] = ()
    notes: tuple[str, ...] = ()


@record
@dataclass(frozen=True, slots=True)
class Mistake:
    """A typical wrong answer."""

    answer: Answer
    reason: str


@record
@dataclass(frozen=True, slots=True)
class Exercise:
    """A question with its picture, its answers and a worked solution.

    Parameters
    ----------
    options : tuple of str
        What can be chosen where the form is ONE or SEVERAL; empty otherwise.
    answer : tuple of str or float
        A right answer. Names of nodes in the order of columns (of ORDER, in theirs), letters of
        options in theirs.
    accepted : tuple
        Every right answer, `answer` first.
    tolerance : float
        Of a number: how far from `answer` it is still right; 0 otherwise.
    """

    kind: str
    level: int
    seed: int
    ask: str
    picture: Picture
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
        return self.picture.graphs[0].names if self.picture.graphs else ()

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters of the options."""
        return tuple(LETTERS[: len(self.options)])

    def to_json(self) -> str:
        """The exercise as JSON."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @property
    def canonical(self) -> str:
        """A text that two exercises share if they are the same question.

        Where nodes stand, how options are ordered, and of a table of counts the names of variables
        and states make no difference.
        """
        picture = self.picture
        if not picture.graphs:
            grids: Any = _turned(tuple(one.cells for one in picture.grids))
            return json.dumps([self.kind, self.level, grids])
        graphs = [[one.names, one.edges, one.marked] for one in picture.graphs]
        return json.dumps(
            [
                *(self.kind, self.ask, graphs, sorted(self.options)),
                [one.cells for one in picture.grids],
            ]
        )


def _turned(tables: tuple[tuple[tuple[str, ...], ...], ...]) -> Any:
    """Tables of counts, turned so that variables, states and slices have no names."""
    forms = []
    for across, down, sides in product((1, -1), (1, -1), (False, True)):
        turned = [[row[::across] for row in table[::down]] for table in tables]
        if sides:
            turned = [list(zip(*table, strict=True)) for table in turned]
        forms += [[list(map(list, table)) for table in each] for each in permutations(turned)]
    return min(forms)


def answer_text(answer: Answer) -> str:
    """An answer in a line: names or letters with spaces, or a number of four digits."""
    return " ".join(answer) if isinstance(answer, tuple) else f"{float(f'{answer:.4g}'):.15g}"


NAMES = "ABCDEFGH"
_MOST_SEED = 2**31
# A number as nodes of a set or an order, by their places, or as names and letters.
Given = Answer | float | Iterable[int | str]


def question(  # noqa: PLR0913 - the parts of an exercise
    ask: str,
    picture: Picture,
    form: Form,
    answer: Given,
    mistakes: Iterable[tuple[Given, str]],
    *solution: str,
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
    real = tuple(Mistake(one, reason) for one, reason in found.items())
    named = options, accepted[0], accepted, tolerance, real, solution
    return Exercise("", 0, 0, ask, picture, form, *named)


def _answer(given: Given) -> Answer:
    """A number, or names; of a set in the order of columns."""
    if isinstance(given, (int, float)):
        return round(float(given), 10)
    parts = sorted(given) if isinstance(given, set) else given
    return tuple(one if isinstance(one, str) else NAMES[one] for one in parts)


def _alike(one: Answer, other: Answer, tolerance: float) -> bool:
    """Whether two answers can't be told apart."""
    if isinstance(one, tuple) or isinstance(other, tuple):
        return one == other
    return abs(one - other) <= 2 * tolerance + 1e-9


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of exercise.

    Parameters
    ----------
    draw : callable
        From a random generator and a level a question, or None where the draw is trivial or has
        no single answer; its docstring says what counts as trivial.
    """

    name: str
    title: str
    draw: Callable[[np.random.Generator, int], Exercise | None]


def draw_graph(rng: np.random.Generator, n: int, share: float) -> Bools:
    """An adjacency matrix in which each pair is an edge with a probability."""
    upper = np.triu(rng.random((n, n)) < share, 1)
    return upper | upper.T


def graph_of(adjacency: Bools) -> nx.Graph[Any]:
    """The graph on the nodes A, B and so on."""
    return to_graph(adjacency, tuple(NAMES[: len(adjacency)]))


def picture_of(
    adjacency: Bools, title: str = "", marked: Sequence[int] = (), places: Sequence[int] = ()
) -> GraphPicture:
    """The graph on a circle, where no node lies on an edge; `places` puts nodes elsewhere on it."""
    n = len(adjacency)
    turns = [2 * math.pi * k / n for k in (places or range(n))]
    return GraphPicture(
        title=title,
        names=tuple(NAMES[:n]),
        positions=tuple(
            (round(0.5 + 0.42 * math.sin(t), 4), round(0.5 - 0.42 * math.cos(t), 4)) for t in turns
        ),
        edges=tuple((NAMES[i], NAMES[j]) for i, j in pairs(adjacency)),
        marked=named(marked),
    )


def decimals(value: float, places: int) -> str:
    """A number for the eye: with a minus sign, and without a negative zero."""
    text = f"{value:.{places}f}"
    return text.lstrip("-") if not float(text) else text.replace("-", "−")


def named(nodes: Iterable[int]) -> tuple[str, ...]:
    """Nodes by name."""
    return tuple(NAMES[int(i)] for i in nodes)


def pair_text(i: int, j: int) -> str:
    """A pair in a sentence."""
    return f"{NAMES[i]} – {NAMES[j]}"


def set_text(nodes: Iterable[int]) -> str:
    """A set in a sentence."""
    found = sorted(map(int, nodes))
    return "{" + ", ".join(named(found)) + "}" if found else "∅"


def listed_nodes(nodes: Iterable[int]) -> str:
    """Nodes in a sentence: A, B and C."""
    return list_up(named(sorted(nodes)) or ["none"])


def assertion_text(x: object, y: object, given: Iterable[object], *, dependent: bool) -> str:
    """An assertion as the pages write it, of names."""
    return f"{x} {'⊥̸' if dependent else '⊥'} {y} | {', '.join(map(str, given)) or '∅'}"


def draw_data(rng: np.random.Generator, n: int, rows: int) -> Dataset:
    """Rows of a random network whose edges have one strength; variables are A, B and so on."""
    truth = graph_of(draw_graph(rng, n, 0.5))
    model = random_model(truth, "log-odds", epsilon=float(rng.uniform(0.8, 2.2)))
    sample = model.sample(rows, seed=int(rng.integers(_MOST_SEED)), method="exact")
    return Dataset.from_codes(sample.codes, [2] * n, list(NAMES[:n]))
