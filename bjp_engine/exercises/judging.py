"""Answers, read and judged."""

from __future__ import annotations

import math
from collections.abc import Iterable

from bjp_engine.errors import clip, plural
from bjp_engine.exercises.records import SETS, Answer, Exercise, Form, Verdict
from bjp_engine.validate import instance, is_number

Given = str | float | Iterable[str] | None
# How an answer that was not given is written.
NOTHING = "-"
_LONGEST = 200


def judge(exercise: Exercise, answer: Given) -> Verdict:
    """Judge an answer.

    Parameters
    ----------
    answer : str, float, iterable of str or None
        Names or letters as a list or as a text ("A C"), upper or lower case; a number, also as a
        text with a decimal point or comma. None or "-" is no answer.

    Returns
    -------
    Verdict
        Whatever is given; what is no answer at all is wrong, and the sentence says why.

    Examples
    --------
    >>> from bjp_engine.exercises import judge, make_exercise
    >>> one = make_exercise("distance", 1, 3)
    >>> judge(one, one.answer).points, judge(one, one.mistakes[0].answer).points
    (1, 0)
    """
    instance(exercise, "exercise", Exercise, "what make_exercise gives")
    found = read_answer(exercise, answer)
    if found is None:
        return Verdict(False, 0, unreadable(exercise, answer))
    if any(_same(exercise, found, right) for right in exercise.accepted):
        return Verdict(True, 1, "Right.")
    for mistake in exercise.mistakes:
        if _same(exercise, found, mistake.answer):
            return Verdict(False, 0, mistake.reason)
    return Verdict(False, 0, _hint(exercise, found))


def read_answer(exercise: Exercise, given: Given) -> Answer | None:
    """An answer in the form of the exercise.

    Parameters
    ----------
    given : str, float, iterable of str or None
        Nodes or letters with spaces or commas between; upper and lower case make no difference.

    Returns
    -------
    tuple of str, float or None
        None where it is in no such form.
    """
    if exercise.form == Form.NUMBER:
        return _read_number(given)
    if given is None or is_number(given) or not isinstance(given, Iterable):
        return None
    parts = given.replace(",", " ").split() if isinstance(given, str) else list(given)
    known = exercise.letters if exercise.options else exercise.nodes
    places = {name.casefold(): place for place, name in enumerate(known)}
    found = [places.get(str(part).casefold(), -1) for part in parts]
    wanted = {Form.ORDER: len(known), Form.PAIR: 2, Form.ONE: 1}.get(exercise.form)
    if not found or -1 in found or len(set(found)) < len(found):
        return None
    if wanted is not None and len(found) != wanted:
        return None
    return tuple(known[place] for place in (sorted(found) if exercise.form in SETS else found))


def answer_text(answer: Answer | None) -> str:
    """An answer in a line of text, as `judge` reads it.

    Returns
    -------
    str
        "-" where there is no answer.
    """
    if answer is None:
        return NOTHING
    return " ".join(answer) if isinstance(answer, tuple) else f"{answer:.15g}"


def unreadable(exercise: Exercise, given: Given) -> str:
    """Why there is no answer."""
    if given is None or (isinstance(given, str) and given.strip() in ("", NOTHING)):
        return "There is no answer."
    wanted = {
        Form.NUMBER: "a number",
        Form.NODES: "names of nodes",
        Form.ORDER: "every node once, in order",
        Form.PAIR: "two nodes",
        Form.SEVERAL: "letters of options",
        Form.ONE: "the letter of one option",
    }
    return f"{clip(given)} is no answer here; give {wanted[exercise.form]}."


def _read_number(given: Given) -> float | None:
    """A finite number."""
    if isinstance(given, str):
        text = given.strip().replace(",", ".").replace("−", "-")
        if len(text) > _LONGEST or not text.isascii() or "_" in text:
            return None
        try:
            value = float(text)
        except ValueError:
            return None
    elif is_number(given):
        value = float(given)  # type: ignore[arg-type]
    else:
        return None
    return value if math.isfinite(value) else None


def _hint(exercise: Exercise, found: Answer) -> str:
    """How far a wrong answer is from a right one, without giving it away."""
    right = exercise.answer
    if not isinstance(found, tuple) or not isinstance(right, tuple):
        return "This is too high." if found > right else "This is too low."  # type: ignore[operator]
    if exercise.form == Form.ORDER:
        same = [one == other for one, other in zip(found, right, strict=True)].index(False)
        return f"The order is right up to {found[same - 1]}." if same else "Another node is first."
    if exercise.form not in (Form.NODES, Form.SEVERAL):
        return "This is not the answer."
    sets = [set(one) for one in exercise.accepted if isinstance(one, tuple)]
    nearest = min(sets, key=lambda one: len(one ^ set(found)))
    noun = "node" if exercise.form == Form.NODES else "option"
    off = [(len(nearest - set(found)), "missing"), (len(set(found) - nearest), "too many")]
    parts = [f"{plural(k, noun)} {'is' if k == 1 else 'are'} {how}" for k, how in off if k]
    return f"{', '.join(parts)}."


def _same(exercise: Exercise, found: Answer, other: Answer) -> bool:
    """Whether two answers are one, a number within the tolerance."""
    if isinstance(found, tuple) or isinstance(other, tuple):
        return found == other
    # A number with as many decimals as the tolerance has lies on its edge, give or take rounding.
    return abs(found - other) <= exercise.tolerance + 1e-9
