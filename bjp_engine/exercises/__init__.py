"""Exercises that never repeat, drawn with a seed and judged by the engine (docs/practice.md).

>>> from bjp_engine.exercises import judge, make_exercise
>>> one = make_exercise("distance", level=1, seed=7)
>>> one.form, judge(one, one.answer).correct
(<Form.NUMBER: 'number'>, True)
"""

from __future__ import annotations

from bjp_engine.exercises.drafts import Kind
from bjp_engine.exercises.records import (
    Answer,
    Exercise,
    Form,
    GraphPicture,
    GridPicture,
    Picture,
    Verdict,
    answer_text,
    judge,
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
    "Kind",
    "Picture",
    "Sheet",
    "Verdict",
    "answer_text",
    "judge",
    "make_exercise",
]
