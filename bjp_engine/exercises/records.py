"""What an exercise is made of, as plain data, and how an answer is judged."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from itertools import permutations, product
from typing import Any

from bjp_engine.errors import OptionError, clip, plural
from bjp_engine.records import record
from bjp_engine.validate import instance, is_number

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


# Answers that are sets: the order of their parts says nothing.
SETS = (Form.NODES, Form.PAIR, Form.SEVERAL)
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
        """The exercise as JSON; `from_json` reads it.

        Examples
        --------
        >>> from bjp_engine.exercises import Exercise, make_exercise
        >>> one = make_exercise("blanket", 1, 7)
        >>> Exercise.from_json(one.to_json()) == one
        True
        """
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Exercise:
        """Read an exercise."""
        try:
            found = {name: _tuples(value) for name, value in json.loads(text).items()}
            picture = found["picture"]
            found["picture"] = Picture(
                tuple(GraphPicture(**one) for one in picture["graphs"]),
                tuple(GridPicture(**one) for one in picture["grids"]),
                picture["notes"],
            )
            found["mistakes"] = tuple(Mistake(**one) for one in found["mistakes"])
            found["form"] = Form(found["form"])
            return cls(**found)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            raise OptionError(
                "The text is no exercise; give what Exercise.to_json wrote."
            ) from None

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


@record
@dataclass(frozen=True, slots=True)
class Verdict:
    """What an answer is worth.

    Parameters
    ----------
    sentence : str
        Why: the reason where it is a typical mistake.
    """

    correct: bool
    points: int
    sentence: str


def _tuples(value: Any) -> Any:
    """Lists as tuples, to any depth."""
    if isinstance(value, list):
        return tuple(map(_tuples, value))
    if isinstance(value, dict):
        return {name: _tuples(one) for name, one in value.items()}
    return value


def _turned(tables: tuple[tuple[tuple[str, ...], ...], ...]) -> Any:
    """Tables of counts, turned so that variables, states and slices have no names."""
    forms = []
    for across, down, sides in product((1, -1), (1, -1), (False, True)):
        turned = [[row[::across] for row in table[::down]] for table in tables]
        if sides:
            turned = [list(zip(*table, strict=True)) for table in turned]
        forms += [[list(map(list, table)) for table in each] for each in permutations(turned)]
    return min(forms)


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
