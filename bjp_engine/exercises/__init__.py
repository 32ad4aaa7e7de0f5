"""Exercises that never repeat, drawn with a seed and worked out by the engine (docs/practice.md).

>>> from bjp_engine.exercises import make_exercise
>>> one = make_exercise("order", level=1, seed=7)
>>> one.answer, one.mistakes[0].answer
(('C', 'B', 'D', 'E', 'A'), ('C', 'B', 'E', 'D', 'A'))
"""

from __future__ import annotations

from bjp_engine.exercises.records import (
    Answer,
    Exercise,
    Form,
    GraphPicture,
    GridPicture,
    answer_text,
)
from bjp_engine.exercises.sheet import KINDS, LEVELS, Sheet, make_exercise

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
