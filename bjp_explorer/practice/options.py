"""What a learning platform offers to choose from, where students can't click into the picture."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

from bjp_engine.exercises import Answer, Exercise, Form


@dataclass(frozen=True, slots=True)
class Option:
    """Something to choose.

    Parameters
    ----------
    key : str
        A name of letters alone, different for each option of a question.
    answer : tuple of str
        What choosing it alone answers.
    text : str
        What a student reads.
    """

    key: str
    answer: tuple[str, ...]
    text: str


def options_of(exercise: Exercise) -> list[Option]:
    """The options of an exercise: its own, all its nodes, or all pairs of them."""
    if exercise.options:
        both = zip(exercise.letters, exercise.options, strict=True)
        return [Option(letter, (letter,), text) for letter, text in both]
    if exercise.form == Form.PAIR:
        pairs = combinations(exercise.nodes, 2)
        return [Option("_".join(pair), pair, " – ".join(pair)) for pair in pairs]
    return [Option(name, (name,), name) for name in exercise.nodes]


def set_options(exercise: Exercise) -> list[Option]:
    """Whole answers as options, where several sets are right: one of them and typical mistakes."""
    answers: list[Answer] = [exercise.answer, *(one.answer for one in exercise.mistakes[:5])]
    sets = sorted(answer for answer in answers if isinstance(answer, tuple))
    return [Option("_".join(one), one, "{" + ", ".join(one) + "}") for one in sets]


def reason_of(exercise: Exercise, answer: Answer) -> str:
    """Why an answer is a typical mistake; empty where it is none."""
    return next((one.reason for one in exercise.mistakes if one.answer == answer), "")
