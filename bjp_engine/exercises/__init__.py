"""Exercises that never repeat, drawn with a seed and worked out by the engine (docs/practice.md).

>>> from bjp_engine.exercises import make_exercise
>>> one = make_exercise("order", level=1, seed=7)
>>> one.answer, one.mistakes[0].answer
(('C', 'B', 'D', 'E', 'A'), ('C', 'B', 'E', 'D', 'A'))
"""

from __future__ import annotations

import hashlib
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count
from operator import itemgetter
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from bjp_engine.errors import OptionError, plural
from bjp_engine.exercises import on_data, on_graphs
from bjp_engine.exercises.records import (
    Answer,
    Exercise,
    Form,
    GraphPicture,
    GridPicture,
    answer_text,
)
from bjp_engine.records import keep
from bjp_engine.validate import choice, entries, truth, whole_number

__all__ = [
    "KINDS",
    "LEVELS",
    "Answer",
    "Exercise",
    "Form",
    "GraphPicture",
    "GridPicture",
    "Sheet",
    "answer_text",
    "make_exercise",
]


class Kind(NamedTuple):
    """A kind of exercise: `ask` makes of random numbers and a level a question.

    It makes none where the draw is trivial by the rule of docs/practice.md.
    """

    title: str
    ask: Callable[[np.random.Generator, int], Exercise | None]


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "blanket": Kind("Read a blanket", on_graphs.ask_blanket),
        "separation": Kind("Separate two nodes", on_graphs.ask_separation),
        "order": Kind("Order ψ", on_graphs.ask_order),
        "spared": Kind("Spared tests", on_graphs.ask_spared),
        "posterior": Kind("One posterior", on_data.ask_posterior),
        "flip": Kind("The next flip", on_data.ask_flip),
        "score": Kind("Which score is higher", on_data.ask_score),
        "distance": Kind("Hamming distance", on_graphs.ask_distance),
        "irregularity": Kind("Irregularity", on_graphs.ask_irregularity),
    }
)
LEVELS = (1, 2, 3)
MOST_SEED = 2**53 - 1  # a whole number to JavaScript as well


def make_exercise(kind: str, level: int = 1, seed: int = 0) -> Exercise:
    """Make an exercise; the same again from the same arguments.

    None is trivial by the rule of its kind (docs/practice.md), or without a typical mistake.

    Examples
    --------
    >>> from bjp_engine.exercises import make_exercise
    >>> one = make_exercise("blanket", 1, seed=3)
    >>> one.ask.startswith("Which nodes form the Markov blanket of")
    True
    """
    choice(kind, "kind", tuple(KINDS))
    whole_number(level, "level", 1, LEVELS[-1])
    whole_number(seed, "seed", 0, MOST_SEED)
    # A kind's number is made of its name, so that a new one changes no other.
    rng = np.random.default_rng([seed, level, int.from_bytes(kind.encode(), "big")])
    draws = (KINDS[kind].ask(rng, level) for _ in count())
    return replace(next(filter(None, draws)), kind=kind, level=level, seed=seed)


MOST_QUESTIONS = 100


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a sheet asks; kinds and levels are taken in turn, all where none is named.

    With `per_student` each student has questions of their own, whose kinds and levels are the same
    for all, place by place.

    Examples
    --------
    >>> from bjp_engine.exercises import Sheet
    >>> sheet = Sheet(("order", "blanket"), (1,), number=3, seed=7)
    >>> sheet.title
    'blanket, order; level 1; 3 questions; seed 7'
    >>> sorted({one.kind for one in sheet.questions()})
    ['blanket', 'order']
    """

    kinds: tuple[str, ...] = ()
    levels: tuple[int, ...] = ()
    number: int = 10
    seed: int = 0
    per_student: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        """Check, and bring kinds and levels into one order."""
        kinds = {choice(kind, "kinds", tuple(KINDS)) for kind in entries(self.kinds, "kinds")}
        given = entries(self.levels, "levels")
        levels = {whole_number(level, "levels", 1, LEVELS[-1]) for level in given}
        keep(self, kinds=tuple(kind for kind in KINDS if kind in (kinds or KINDS)))
        keep(self, levels=tuple(level for level in LEVELS if level in (levels or LEVELS)))
        whole_number(self.number, "number", 1, MOST_QUESTIONS)
        whole_number(self.seed, "seed", 0, MOST_SEED)
        truth(self.per_student, "per_student")

    @property
    def title(self) -> str:
        """What the sheet asks, in a line: with it anybody can make the sheet again."""
        kinds = "all kinds" if len(self.kinds) == len(KINDS) else ", ".join(self.kinds)
        levels = f"level{'s' * (len(self.levels) > 1)} {', '.join(map(str, self.levels))}"
        return f"{kinds}; {levels}; {plural(self.number, 'question')}; seed {self.seed}"

    def questions(self, student: str | None = None) -> tuple[Exercise, ...]:
        """Draw the questions, no two of which are equal.

        A student's name or number is needed, and only looked at, where each has their own. Upper
        and lower case and spaces make no difference.
        """
        key: list[int] = []
        if self.per_student:
            if student is None or not tidy_student(student):
                raise OptionError(
                    "student is missing: each student has questions of their own on this sheet; "
                    "give a name or number."
                )
            name = tidy_student(student).casefold().encode()
            key = [int.from_bytes(hashlib.sha256(name).digest()[:8], "big")]
        seen: set[Exercise] = set()
        return tuple(
            draw_new(kind, level, [self.seed, place, *key], seen)
            for place, (kind, level) in enumerate(self._plan())
        )

    def _plan(self) -> list[tuple[str, int]]:
        """Kind and level of each question: each as often as the others, the easy ones first."""
        rng = np.random.default_rng([self.seed, self.number])
        kinds, levels = (rng.permutation(some).tolist() for some in (self.kinds, self.levels))
        # Levels in an order of their own: where both lists are as long, every pair comes up.
        places = enumerate(rng.permutation(self.number).tolist())
        taken = [(kinds[k % len(kinds)], levels[place % len(levels)]) for k, place in places]
        return sorted(taken, key=itemgetter(1))


def tidy_student(student: str) -> str:
    """A student's name: composed letters, single spaces, nothing invisible."""
    hidden, letters = ("Cc", "Cf", "Cs"), unicodedata.normalize("NFC", str(student))
    seen = (one for one in letters if one.isspace() or unicodedata.category(one) not in hidden)
    return " ".join("".join(seen).split())


def draw_new(kind: str, level: int, key: list[int], seen: set[Exercise]) -> Exercise:
    """A question that wasn't there before, but for its seed."""
    states = (np.random.SeedSequence([*key, k]).generate_state(1, np.uint64)[0] for k in count())
    drawn = (make_exercise(kind, level, int(state) & MOST_SEED) for state in states)
    one = next(one for one in drawn if replace(one, seed=0) not in seen)
    seen.add(replace(one, seed=0))
    return one
