"""A course, from the lecturer's lessons and sheet to the table of marks."""

from __future__ import annotations

import csv
import textwrap
from pathlib import Path

import numpy as np
import pytest

from bjp_engine import cli
from bjp_engine.exercises import Sheet, judge, write_hand_in
from bjp_explorer.lessons.site import lesson_page
from bjp_explorer.practice.sheet_page import key_of

STUDENTS = [f"Student {k:02}" for k in range(28)] + ["Zoë Ngũgĩ", "=HYPERLINK(1)"]
CHEAT, MANGLED = "Student 03", "Student 04"


def quoted_in_a_mail(text: str) -> bytes:
    """A reply that quotes the hand-in, wrapped, with other line ends and letters."""
    wrapped = "\r\n".join(
        part for line in text.splitlines() for part in textwrap.wrap(line, 40) or [""]
    )
    quoted = "".join(f"> {line}\r\n" for line in wrapped.splitlines())
    return f"Hello,\r\nhere it is!\r\n\r\n{quoted}\r\n-- \r\nSent from a phone\r\n".encode("utf-16")


@pytest.mark.slow
def test_a_course(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Before the lecture: three lessons as pages, and one sheet with other questions for each.
    for lesson in (1, 2, 3):
        page = tmp_path / f"lesson-{lesson}.html"
        page.write_text(lesson_page(lesson), encoding="utf-8")
        assert page.stat().st_size < 1_000_000
    names = tmp_path / "names.txt"
    names.write_text("\n".join(STUDENTS), encoding="utf-8")
    order = ["sheet", "--number", "9", "--levels", "1", "--seed", "7", "--each"]
    files = [*order, "--students", str(names), "--out"]
    for kind in ("html", "print", "solutions"):
        assert cli.main([*files, str(tmp_path / f"{kind}.html"), "--format", kind]) == 0
    code = capsys.readouterr().out.splitlines()[0]
    sheet = Sheet.from_code(code)
    page_text = (tmp_path / "html.html").read_text(encoding="utf-8")
    assert len(page_text.encode()) < 1_000_000
    assert all(f'"{key_of(one)}"' in page_text for one in STUDENTS)
    assert (tmp_path / "print.html").read_text(encoding="utf-8").count("Name: ") == 30

    # At home: thirty students answer, some rightly; their texts reach the lecturer as they may.
    folder = tmp_path / "hand-ins"
    folder.mkdir()
    rng, expected = np.random.default_rng(1), {}
    for student in STUDENTS:
        questions = sheet.questions(student)
        answers = [
            one.answer if rng.random() < 0.6 else one.mistakes[0].answer for one in questions
        ]
        answers[0] = questions[0].mistakes[0].answer
        text = write_hand_in(sheet, student, answers)
        expected[student] = [
            judge(one, answer).points for one, answer in zip(questions, answers, strict=True)
        ]
        raw = text.encode()
        if student == CHEAT:
            raw = text.replace(f"points: {sum(expected[student])}", "points: 9").encode()
        if student == MANGLED:
            raw = quoted_in_a_mail(text)
        (folder / f"{student.strip('=()1').replace(' ', '-')}.txt").write_bytes(raw)

    # After the deadline: one command, one table.
    marks = tmp_path / "marks.csv"
    assert cli.main(["marks", str(folder), "--sheet", code, "--out", str(marks)]) == 0
    with marks.open(encoding="utf-8-sig", newline="") as lines:
        rows = {row["student"]: row for row in csv.DictReader(lines)}
    assert len(rows) == 30
    # A name that is a formula to a spreadsheet is none in the table.
    assert not any(name.startswith("=") for name in rows)
    for student in STUDENTS:
        row = rows["'" + student if student.startswith("=") else student]
        assert [int(row[f"q{k}"]) for k in range(1, 10)] == expected[student]
        assert int(row["points"]) == sum(expected[student])
        if student == CHEAT:
            assert f"claims 9 points; its answers give {row['points']}" in row["remark"]
            assert "checksum does not fit" in row["remark"]
        else:
            # What a mail client did to a text is undone, and its checksum fits.
            assert row["remark"] == ""
