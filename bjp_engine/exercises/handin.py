"""What a student hands in: a short text with a checksum, and what it is worth.

    bjp-hand-in 1
    sheet: bjp-sheet-1.bo.12.3.7.same
    student: Ada Lovelace
    1: A C
    2: B A D C
    3: -
    points: 2
    check: 0d1c2b3a

The check is the CRC-32 of the lines above it in UTF-8, joined by line feeds, each in composed
letters (NFC), without invisible ones, with single spaces and none at its ends. It shows that a text
was damaged on its way, and is no secret: what counts are the answers, which are judged again.
"""

from __future__ import annotations

import re
import zlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from bjp_engine.errors import DataError, clip, plural
from bjp_engine.exercises.judging import NOTHING, Given, answer_text, judge, read_answer
from bjp_engine.exercises.records import Exercise
from bjp_engine.exercises.sheet import LONGEST_NAME, MOST_QUESTIONS, Sheet, tidy_student
from bjp_engine.records import record
from bjp_engine.validate import entries, instance

HEAD = "bjp-hand-in 1"
# An answer is no longer.
_LONGEST = 200
_FIELD = re.compile(r"(sheet|student|points|check|[0-9]{1,3}) ?:(.*)", re.IGNORECASE)
_QUOTED = re.compile(r"^[\s>|]+")


@record
@dataclass(frozen=True, slots=True)
class HandIn:
    """A hand-in as it was read.

    Parameters
    ----------
    sheet : Sheet
    student : str
        Empty where there is none.
    answers : tuple of str
        As many as the sheet has questions; "-" where there is none.
    points : int or None
        What the text claims.
    intact : bool
        Whether the checksum fits.
    remarks : tuple of str
        Sentences on lines that no marks can come of.
    """

    sheet: Sheet
    student: str
    answers: tuple[str, ...]
    points: int | None
    intact: bool
    remarks: tuple[str, ...] = ()


def write_hand_in(
    sheet: Sheet, student: str, answers: Sequence[Given], points: int | None = None
) -> str:
    """Write a hand-in.

    Parameters
    ----------
    sheet : Sheet
    student : str
        A name or number.
    answers : sequence of str, float, iterable of str or None
        One for each question, as `judge` takes them.
    points : int, optional
        What to claim; what the answers are worth where it isn't given.

    Returns
    -------
    str

    Examples
    --------
    >>> from bjp_engine.exercises import Sheet, mark_hand_in, read_hand_in, write_hand_in
    >>> sheet = Sheet(("distance",), number=2, seed=1)
    >>> text = write_hand_in(sheet, "Ada", [one.answer for one in sheet.questions()])
    >>> marks = mark_hand_in(read_hand_in(text))
    >>> marks.points, marks.remarks
    (2, ())
    """
    instance(sheet, "sheet", Sheet, "a Sheet")
    questions = sheet.questions(student)
    given = entries(list(answers) if isinstance(answers, Sequence) else answers, "answers")
    if len(given) != len(questions):
        raise DataError(
            f"There are {len(given)} answers to {len(questions)} questions; give as many."
        )
    texts = [_answer_line(one, answer) for one, answer in zip(questions, given, strict=True)]
    if points is None:
        points = sum(judge(one, text).points for one, text in zip(questions, texts, strict=True))
    lines = [
        HEAD,
        f"sheet: {sheet.code}",
        f"student: {tidy_student(student)[:LONGEST_NAME]}",
        *(f"{place}: {text}" for place, text in enumerate(texts, 1)),
        f"points: {points}",
    ]
    return "\n".join([*lines, f"check: {checksum(lines)}", ""])


def checksum(lines: Iterable[str]) -> str:
    """The check of the lines above it, eight hexadecimal digits."""
    return f"{zlib.crc32(chr(10).join(map(tidy_student, lines)).encode('utf-8', 'replace')):08x}"


def read_hand_in(text: str) -> HandIn:
    """Read a hand-in, also out of a mail that quotes it or wraps its lines.

    Parameters
    ----------
    text : str
        Text before and after is passed over; of several hand-ins the first one is read.

    Returns
    -------
    HandIn
    """
    lines = _lines_of(text)
    parts = [_split(line) for line in lines[1:]]
    fields = dict(reversed(parts))
    if "sheet" not in fields:
        raise DataError("The hand-in names no sheet; ask for it again.")
    sheet = Sheet.from_code(fields["sheet"].replace(" ", ""))
    points = fields.get("points", "")
    return HandIn(
        sheet,
        fields.get("student", "")[:LONGEST_NAME],
        tuple(fields.get(str(place), NOTHING) for place in range(1, sheet.number + 1)),
        int(points) if re.fullmatch(r"[0-9]{1,4}", points) else None,
        _split(lines[-1]) == ("check", checksum(lines[:-1])),
        tuple(_oddities(parts, sheet.number)),
    )


def _oddities(parts: list[tuple[str, str]], number: int) -> Iterator[str]:
    """What is there more than once, or belongs to no question."""
    times = Counter(name for name, _ in parts if name)
    for name in (name for name, count in times.items() if count > 1):
        what = f"Question {name}" if name.isdigit() else f"The line {name!r}"
        yield f"{what} comes {times[name]} times; the first counts."
    for name in times:
        if name.isdigit() and not 1 <= int(name) <= number:
            yield f"There is no question {name} on the sheet."
    if not re.fullmatch(r"[0-9]{1,4}|", dict(parts).get("points", "")):
        yield "The points that it claims can't be read."


@record
@dataclass(frozen=True, slots=True)
class Marks:
    """What a hand-in is worth.

    Parameters
    ----------
    student, sheet : str
        The sheet by its code.
    claimed : int or None
        The points that the text claims.
    points : int
        What the answers are worth.
    each : tuple of int
        1 or 0 for each question.
    remarks : tuple of str
        Sentences on what doesn't fit; empty where everything does.
    """

    student: str
    sheet: str
    claimed: int | None
    points: int
    each: tuple[int, ...]
    remarks: tuple[str, ...]


def mark_hand_in(hand_in: HandIn) -> Marks:
    """Judge every answer of a hand-in again.

    Parameters
    ----------
    hand_in : HandIn

    Returns
    -------
    Marks
    """
    instance(hand_in, "hand_in", HandIn, "what read_hand_in gives")
    sheet = hand_in.sheet
    questions = _questions(sheet, hand_in.student if sheet.per_student else "")
    each = tuple(
        judge(one, answer).points for one, answer in zip(questions, hand_in.answers, strict=True)
    )
    points, claimed, remarks = sum(each), hand_in.points, list(hand_in.remarks)
    if claimed is None and not remarks:
        remarks.append("It claims no points.")
    elif claimed is not None and claimed != points:
        remarks.append(f"It claims {plural(claimed, 'point')}; its answers give {points}.")
    if not hand_in.intact:
        remarks.append("The checksum does not fit: the text was changed after it was written.")
    if not hand_in.student:
        remarks.append("It names no student.")
    return Marks(hand_in.student, hand_in.sheet.code, claimed, points, each, tuple(remarks))


@lru_cache(maxsize=4)
def _questions(sheet: Sheet, student: str) -> tuple[Exercise, ...]:
    """The questions of a sheet, drawn once for a class that has the same."""
    return sheet.questions(student)


def _answer_line(exercise: Exercise, answer: Given) -> str:
    """An answer on one line, tidied where it can be read."""
    found = read_answer(exercise, answer)
    if found is not None:
        return answer_text(found)
    given = NOTHING if answer is None or not isinstance(answer, str) else tidy_student(answer)
    return given[:_LONGEST] or NOTHING


def hand_ins_in(text: str) -> list[str]:
    """The text from each hand-in's first line on."""
    lines = text.splitlines()
    starts = [k for k, raw in enumerate(lines) if _unquoted(raw).casefold() == HEAD]
    return ["\n".join(lines[k:]) for k in starts]


def _unquoted(raw: str) -> str:
    """A line, tidy and without marks of quoting."""
    return tidy_student(_QUOTED.sub("", raw.replace("\ufeff", "")))


def _lines_of(text: str) -> list[str]:
    """The lines of the first hand-in, tidy, without marks of quoting and with wraps undone."""
    found: list[str] = []
    for raw in text.splitlines():
        line = _unquoted(raw)
        if not found and line.casefold() != HEAD:
            continue
        if not found or _FIELD.match(line):
            found.append(line)
        elif line:
            found[-1] += f" {line}"
        if len(found) > 1 and re.fullmatch(r"check ?: ?[0-9a-f]{8}", found[-1], re.IGNORECASE):
            return found
        if len(found) > MOST_QUESTIONS + 10:
            break
    if not found:
        raise DataError(f"There is no line {clip(HEAD)}; ask for the hand-in again.")
    return found


def _split(line: str) -> tuple[str, str]:
    """The name of a field and what it holds; no name where the line is none."""
    found = _FIELD.fullmatch(line)
    return (found[1].casefold(), found[2].strip()) if found else ("", "")
