"""What a lesson is: steps with a text, a live view, and a question that the engine checks.

A lesson is an immutable description; nothing here draws. Its views, its answers and the numbers in
its texts are made by functions, because the engine computes them; the texts are in
`texts.toml`. What was clicked are *picks*: indices of nodes or cards, or pairs of indices for the
cells of a matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import chain, combinations
from pathlib import Path
from typing import Any, Literal

from bjp_engine.dataset import Name
from bjp_engine.scores import AssertionTerm, ScoreTrace
from bjp_explorer.shell.phrases import Phrase, Said, Texts, say

TEXTS = Texts(Path(__file__).with_name("texts.toml"))
Payload = dict[str, Any]
Pick = int | tuple[int, int]
Picks = tuple[Pick, ...]
TouchKind = Literal["none", "node", "nodes", "pair", "cell", "card", "frame"]
AnswerKind = Literal["nodes", "order", "pair", "cells", "cards", "card"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the engine says of an answer."""

    correct: bool
    # Why it is right, or what is wrong first and why.
    sentence: Said
    # The first wrong pick, to be marked in the view; None where something is missing. Checks that
    # know names only tell it by its name, and `lesson_scene.by_column` finds the column.
    culprit: Name | tuple[Name, Name] | None = None


@dataclass(frozen=True, slots=True)
class Slider:
    """One of several sliders of a view."""

    label: Said
    # What stands beside it at each of its places.
    values: tuple[Said, ...]
    # The place where it opens.
    start: int = 0


@dataclass(frozen=True, slots=True)
class Touch:
    """What a view answers to, outside questions."""

    # "node" and "pair" replace what was clicked before, "nodes" adds to it, "frame" are sliders,
    # "cell" one of a matrix, "card" one of several.
    kind: TouchKind = "none"
    # All picks that the view is made for.
    choices: Callable[[], tuple[Picks, ...]] = lambda: ()
    # Of a frame; without any, one goes through all choices.
    sliders: tuple[Slider, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A question that is answered in the view."""

    # What is clicked: a set of "nodes", an "order" of nodes, a "pair" of nodes, a set of "cells", a
    # set of "cards", or one "card".
    kind: AnswerKind
    # Picks to Verdict; pure.
    check: Callable[[Picks], Verdict]
    # Picks that `check` finds correct, from the engine.
    answer: Callable[[], Picks]
    # The view once the question is answered or the answer was shown; else it stays as it is.
    revealed: Callable[[], Payload] | None = None


@dataclass(frozen=True, slots=True)
class Step:
    """One idea."""

    # Of its lesson and itself, "edges.pairs". Under it the files have its `title`, its `text` of
    # two to four short sentences, and its `hint` or what it has to `ask`.
    key: str
    # Picks to scene, see `scene`; `()` is how it opens.
    view: Callable[[Picks], Payload]
    # What can be clicked, where there is no question.
    touch: Touch = Touch()
    question: Question | None = None
    # What the placeholders of these texts stand for.
    values: Callable[[], dict[str, Any]] = dict

    @property
    def title(self) -> Phrase:
        """What it is about."""
        return say(f"{self.key}.title")

    @property
    def text(self) -> Phrase:
        """Its paragraphs."""
        return say(f"{self.key}.text", **self.values())

    @property
    def hint(self) -> Phrase:
        """What to click, where there is no question."""
        return say(f"{self.key}.hint")

    @property
    def ask(self) -> Phrase:
        """Its question."""
        return say(f"{self.key}.ask", **self.values())


@dataclass(frozen=True, slots=True)
class Lesson:
    """A sequence of steps, the last of which asks."""

    # Under it the files have its `title`, and `short`, the title in the progress bar.
    key: str
    steps: tuple[Step, ...]
    # The samples of a figure that its steps show all the time, sent beside their scenes.
    stars: Callable[[], Payload] | None = None

    @property
    def title(self) -> Phrase:
        """What it is about."""
        return say(f"{self.key}.title")

    @property
    def short(self) -> Phrase:
        """The same in a word or two."""
        return say(f"{self.key}.short")

    @property
    def questions(self) -> tuple[int, ...]:
        """The positions of the steps that ask, from 0."""
        return tuple(k for k, step in enumerate(self.steps) if step.question is not None)


# --- What was clicked ----------------------------------------------------------------------------


def indices(picks: Picks) -> tuple[int, ...]:
    """The nodes, cards or frames among some picks."""
    return tuple(pick for pick in picks if not isinstance(pick, tuple))


def cells(picks: Picks) -> tuple[tuple[int, int], ...]:
    """The cells of a matrix among some picks."""
    return tuple(pick for pick in picks if isinstance(pick, tuple))


def first_index(picks: Picks) -> int:
    """The first node, card or frame among some picks, or 0 where there is none."""
    return next(iter(indices(picks)), 0)


# --- Everything that a view may be made for -------------------------------------------------------


def each(n: int) -> tuple[Picks, ...]:
    """Each of n nodes, cards or frames by itself."""
    return tuple((k,) for k in range(n))


def each_pair(n: int) -> tuple[Picks, ...]:
    """Each pair of n nodes, in ascending order."""
    return tuple(combinations(range(n), 2))


def each_subset(nodes: tuple[int, ...]) -> tuple[Picks, ...]:
    """Every subset of some nodes, the empty one first."""
    sizes = range(len(nodes) + 1)
    return tuple(chain.from_iterable(combinations(sorted(nodes), k) for k in sizes))


def each_cell(trace: ScoreTrace, names: tuple[Name, ...]) -> tuple[Picks, ...]:
    """Every assertion of a score by itself, as the cell of its two columns."""
    place = {name: k for k, name in enumerate(names)}
    terms = (term for term in trace.terms if isinstance(term, AssertionTerm))
    return tuple(((place[t.x], place[t.y]),) for t in terms)
