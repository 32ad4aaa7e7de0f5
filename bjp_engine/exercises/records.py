"""What an exercise is made of: plain data that a page can draw and judge."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import permutations, product
from typing import Any

from bjp_engine.records import record

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
    """An answer in a line of text: names or letters with spaces between, or a number."""
    return " ".join(answer) if isinstance(answer, tuple) else f"{answer:.15g}"
