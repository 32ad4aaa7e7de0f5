"""What the generators share: random graphs, small samples, and a question before it has a name."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np

from bjp_engine.arrays import Bools
from bjp_engine.dataset import Dataset
from bjp_engine.exercises.records import Answer, Form, GraphPicture, Mistake, Picture
from bjp_engine.graph import pairs, to_graph
from bjp_engine.sampling import random_model

NAMES = "ABCDEFGH"
_MOST_SEED = 2**31


@dataclass(frozen=True, slots=True)
class QuestionDraft:
    """An exercise without its kind, level and seed; the fields are those of `Exercise`.

    `mistakes` may name a right answer, or one wrong answer twice: what is no mistake is left out.
    """

    ask: str
    picture: Picture
    form: Form
    answer: Answer
    mistakes: Iterable[tuple[Answer, str]]
    solution: tuple[str, ...]
    options: tuple[str, ...] = ()
    others: tuple[Answer, ...] = ()
    tolerance: float = 0.0

    @property
    def accepted(self) -> tuple[Answer, ...]:
        """Every right answer."""
        return (self.answer, *(one for one in self.others if one != self.answer))

    @property
    def real_mistakes(self) -> tuple[Mistake, ...]:
        """The mistakes, each once, without those that are right and without empty ones."""
        found: list[Mistake] = []
        for wrong, reason in self.mistakes:
            answer = wrong if isinstance(wrong, tuple) else round(wrong, 6)
            known = [*self.accepted, *(one.answer for one in found)]
            if answer != () and not any(self._alike(answer, one) for one in known):
                found.append(Mistake(answer, reason))
        return tuple(found)

    def _alike(self, one: Answer, other: Answer) -> bool:
        """Whether two answers can't be told apart."""
        if isinstance(one, tuple) or isinstance(other, tuple):
            return one == other
        return abs(one - other) <= 2 * self.tolerance + 1e-9


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of exercise.

    Parameters
    ----------
    draw : callable
        From a random generator and a level a draft, or None where the draw is trivial or has no
        single answer; its docstring says what counts as trivial.
    """

    name: str
    title: str
    draw: Callable[[np.random.Generator, int], QuestionDraft | None]


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
    found = named(nodes)
    return " and ".join(filter(None, (", ".join(found[:-1]), found[-1]))) if found else "none"


def assertion_text(x: int, y: int, given: Iterable[int], *, dependent: bool) -> str:
    """An assertion as the pages write it."""
    return f"⟨{NAMES[x]} {'⊥̸' if dependent else '⊥'} {NAMES[y]} | {set_text(given).strip('{}')}⟩"


def draw_data(rng: np.random.Generator, n: int, rows: int) -> Dataset:
    """Rows of a random network whose edges have one strength; variables are A, B and so on."""
    truth = graph_of(draw_graph(rng, n, 0.5))
    model = random_model(truth, "log-odds", epsilon=float(rng.uniform(0.8, 2.2)))
    sample = model.sample(rows, seed=int(rng.integers(_MOST_SEED)), method="exact")
    return Dataset.from_codes(sample.codes, [2] * n, list(NAMES[:n]))
