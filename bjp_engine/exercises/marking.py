"""A folder of hand-ins, marked."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bjp_engine.errors import BJPError, DataError, clip
from bjp_engine.exercises.handin import (
    HandIn,
    Marks,
    hand_ins_in,
    mark_hand_in,
    read_hand_in,
)
from bjp_engine.exercises.sheet import Sheet, student_key, tidy_student
from bjp_engine.io.dialect import decode
from bjp_engine.io.pairs import inert_csv
from bjp_engine.io.sources import Content
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import record
from bjp_engine.validate import entries, file_path, instance

if TYPE_CHECKING:
    import pandas as pd

# A mail with a long history is shorter.
_MOST_BYTES = 1 << 20


@record
@dataclass(frozen=True, slots=True)
class MarkedFile:
    """One file of a folder, or a student of whom there is none.

    Parameters
    ----------
    file : str
        Its name within the folder; empty where a student handed in nothing.
    marks : Marks or None
        None where there is no file, or it can't be read.
    remarks : tuple of str
        Those of the marks, and what only the whole folder shows.
    student : str
        Empty where it can't be read.
    """

    file: str
    marks: Marks | None
    remarks: tuple[str, ...]
    student: str = ""


def mark_folder(
    folder: str | Path,
    sheet: Sheet | None = None,
    *,
    students: Sequence[str] = (),
    progress: Progress = UNWATCHED,
) -> list[MarkedFile]:
    """Mark every .txt file of a folder and of the folders in it.

    Parameters
    ----------
    folder : str or Path
    sheet : Sheet, optional
        The sheet that was to be handed in; otherwise that of most files.
    students : sequence of str
        Who was to hand in. Then whoever did not comes last, and a name that is not among them has a
        remark.
    progress : Progress
        Reports file by file.

    Returns
    -------
    list of MarkedFile
        In the order of names. A file that can't be read, or is no .txt file, has a remark and no
        marks; hidden files and tables of marks (.csv) are passed over.
    """
    check_progress(progress)
    home = file_path(folder, "folder")
    if sheet is not None:
        instance(sheet, "sheet", Sheet, "a Sheet")
    if not home.is_dir():
        what = "is a file" if home.exists() else "does not exist"
        raise DataError(f"{clip(home.name or home)} {what}; give the folder of the hand-ins.")
    files = sorted(path for path in home.rglob("*") if path.is_file() and _may_be_one(path))
    if not any(path.suffix.lower() == ".txt" for path in files):
        raise DataError(f"There is no .txt file in {home.name or home}; give a folder of hand-ins.")
    found = []
    for done, path in enumerate(files):
        progress.tick(done, len(files))
        found.append(_mark_file(path, path.relative_to(home).as_posix()))
    progress.finish(len(files))
    return _compare(found, sheet, [tidy_student(one) for one in entries(students, "students")])


def marks_frame(files: list[MarkedFile]) -> pd.DataFrame:
    """Marks as a table, a row for each file.

    Parameters
    ----------
    files : list of MarkedFile

    Returns
    -------
    DataFrame
        Columns student, points, claimed, sheet, q1 to the last question, remark, file.
    """
    import pandas as pd

    questions = max((len(one.marks.each) for one in files if one.marks), default=0)
    rows: list[dict[str, Any]] = []
    for one in files:
        marks = one.marks
        row: dict[str, Any] = {
            "student": one.student,
            "points": marks.points if marks else None,
            "claimed": marks.claimed if marks else None,
            "sheet": marks.sheet if marks else "",
        }
        each = marks.each if marks else ()
        row |= {f"q{k + 1}": each[k] if k < len(each) else None for k in range(questions)}
        rows.append(row | {"remark": " ".join(one.remarks), "file": one.file})
    frame = pd.DataFrame(rows)
    numbers = ["points", "claimed", *(f"q{k + 1}" for k in range(questions))]
    return frame.astype(dict.fromkeys(numbers, "Int64"))


def marks_csv(files: list[MarkedFile]) -> str:
    """Marks as CSV in which no name is a formula to a spreadsheet program.

    Parameters
    ----------
    files : list of MarkedFile

    Returns
    -------
    str
    """
    return inert_csv(marks_frame(files))


def _mark_file(path: Path, name: str) -> MarkedFile:
    """One file; whatever it holds, there is an answer."""
    if path.suffix.lower() != ".txt":
        return MarkedFile(name, None, ("Not read: its name does not end in .txt.",))
    try:
        hand_in, others = _read(path)
        marks = mark_hand_in(hand_in)
        more = (f"It holds {others + 1} hand-ins; only the first is read.",) if others else ()
        return MarkedFile(name, marks, (*marks.remarks, *more), marks.student)
    except OSError:
        return MarkedFile(name, None, ("The file can't be opened.",))
    except BJPError as error:
        return MarkedFile(name, None, (f"Unreadable: {error}",))


def _may_be_one(path: Path) -> bool:
    """Whether somebody may have meant a file as a hand-in: neither hidden nor a table of marks."""
    return not path.name.startswith(".") and path.suffix.lower() != ".csv"


def _read(path: Path) -> tuple[HandIn, int]:
    """The first hand-in in a file, and how many others than it there are."""
    if path.stat().st_size > _MOST_BYTES:
        raise DataError("The file is too large for a hand-in; ask for it again.")
    try:
        data = decode(Content(path.read_bytes(), path.name), None, [])[0]
    except BJPError:
        raise DataError("The file is no text; ask for the hand-in as text.") from None
    text = data.decode()
    first = read_hand_in(text)
    others = 0
    for part in hand_ins_in(text)[1:]:
        try:
            others += read_hand_in(part) != first
        except BJPError:
            others += 1
    return first, others


def _compare(files: list[MarkedFile], sheet: Sheet | None, students: list[str]) -> list[MarkedFile]:
    """Remarks on students who come twice or are not listed, and on another sheet."""
    codes = Counter(one.marks.sheet for one in files if one.marks)
    wanted = sheet.code if sheet else max(codes, key=codes.__getitem__, default="")
    listed = {student_key(student): student for student in students if student}
    handed: dict[str, list[str]] = defaultdict(list)
    for one in files:
        if one.student:
            handed[student_key(one.student)].append(one.file)
    found = []
    for one in files:
        more, student = [], one.student
        if one.marks and one.marks.sheet != wanted:
            more.append(f"It is of another sheet than {wanted}.")
        if one.student:
            key = student_key(one.student)
            if others := [file for file in handed[key] if file != one.file]:
                more.append(f"The same student handed in {', '.join(map(clip, others))}.")
            if listed and key not in listed:
                more.append("This student is not on the list.")
            # As the list writes the name, so that tables can be joined by it.
            student = listed.get(key, student)
        found.append(MarkedFile(one.file, one.marks, (*one.remarks, *more), student))
    missing = [student for key, student in listed.items() if key not in handed]
    return found + [MarkedFile("", None, ("Nothing handed in.",), one) for one in missing]
