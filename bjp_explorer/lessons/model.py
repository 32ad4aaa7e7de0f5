"""What a lesson is: steps with a text, a live view, and a question that the engine checks.

A lesson is an immutable description; nothing here draws. Its views, its answers and the numbers in
its texts are made by functions, because the engine computes them.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any, Literal

TEXTS: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("texts.toml").read_text("utf-8"))
_PLACEHOLDER = re.compile(r"\{([a-z_]+)(?:\|([^{}|]*)\|([^{}|]*))?\}")

Payload = dict[str, Any]
# What was clicked: nodes, cards or places of a slider by their positions, cells as pairs of these.
Picks = tuple[Any, ...]
TouchKind = Literal["none", "node", "nodes", "pair", "cell", "card", "frame"]
AnswerKind = Literal["nodes", "order", "pair", "cells", "cards", "card"]


def say(key: str, **values: Any) -> str:
    """A text of `texts.toml` by its key, "lesson.step.name"; values are not read again."""
    return _fill(_entry(key), values)


def _entry(key: str) -> Any:
    return reduce(lambda table, name: table[name], key.split("."), TEXTS)


def _fill(text: str, values: Mapping[str, Any]) -> str:
    def shown(match: re.Match[str]) -> str:
        name, one, other = match.groups()
        value = values[name]
        if one is not None:
            return one if value == 1 else str(other)
        return f"{value:,}" if isinstance(value, int) else str(value)

    return _PLACEHOLDER.sub(shown, text)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the engine says of an answer."""

    correct: bool
    # Why it is right, or what is wrong first and why.
    sentence: str
    # The first wrong pick, to be marked in the view; None where something is missing.
    culprit: int | tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Slider:
    """One of several sliders of a view."""

    label: str
    # What stands beside it at each of its places.
    values: tuple[str, ...]
    # The place where it opens.
    start: int = 0


@dataclass(frozen=True, slots=True)
class Touch:
    """What a view answers to, outside questions."""

    # "node" and "pair" replace what was clicked before, "nodes" adds to it, "frame" are sliders,
    # "cell" one of a matrix, "card" one of several.
    kind: TouchKind = "none"
    # All picks that the view is made for; a number is one by itself.
    choices: Callable[[], Iterable[Picks | int]] = lambda: ()
    # Of a frame; without any, one goes through all choices.
    sliders: tuple[Slider, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """A question that is answered in the view."""

    # What is clicked: a set of "nodes", an "order" of nodes, a "pair" of nodes, a set of "cells", a
    # set of "cards", or one "card".
    kind: AnswerKind
    # Pure.
    check: Callable[[Picks], Verdict]
    # Picks that `check` finds correct, from the engine.
    answer: Callable[[], Picks]
    # The view once the answer is known.
    revealed: Callable[[], Payload]


@dataclass(frozen=True, slots=True)
class Step:
    """One idea."""

    # "lesson.step". Under it the texts have its `title`, its `text` of two to four short sentences,
    # and its `hint` or what it has to `ask`.
    key: str
    # Picks to scene, see `scene`; `()` is how it opens.
    view: Callable[[Picks], Payload]
    # What can be clicked, where there is no question.
    touch: Touch = Touch()
    question: Question | None = None
    # What the placeholders of these texts stand for.
    values: Callable[[], Mapping[str, Any]] = dict

    @property
    def title(self) -> str:
        """What it is about."""
        return say(f"{self.key}.title")

    @property
    def text(self) -> list[str]:
        """Its paragraphs."""
        values = self.values()
        return [_fill(paragraph, values) for paragraph in _entry(f"{self.key}.text")]

    @property
    def ask(self) -> str:
        """Its question."""
        return say(f"{self.key}.ask", **self.values())


@dataclass(frozen=True, slots=True)
class Lesson:
    """A sequence of steps, the last of which asks."""

    # Under it the texts have its `title`, and `short`, the title in the progress bar.
    key: str
    steps: tuple[Step, ...]
    # The samples of a figure that its steps show all the time, sent beside their scenes.
    stars: Callable[[], Payload] | None = None

    @property
    def title(self) -> str:
        """What it is about."""
        return say(f"{self.key}.title")

    @property
    def questions(self) -> tuple[int, ...]:
        """The steps that ask, from 1."""
        return tuple(k for k, step in enumerate(self.steps, 1) if step.question)
