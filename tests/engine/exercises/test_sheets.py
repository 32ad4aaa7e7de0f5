"""Sheets by their code, and hand-ins: written, mangled on their way, tampered with, marked."""

from __future__ import annotations

import csv
import textwrap
import zlib
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bjp_engine import Progress
from bjp_engine.errors import Cancelled, DataError, OptionError
from bjp_engine.exercises import (
    KINDS,
    HandIn,
    Sheet,
    judge,
    mark_folder,
    mark_hand_in,
    marks_csv,
    marks_frame,
    read_hand_in,
    write_hand_in,
)

SHEET = Sheet(("blanket", "order", "distance"), (1, 2), number=6, seed=7, per_student=True)
SAME = Sheet(("distance", "blanket"), (1,), number=4, seed=3)


def solved(sheet: Sheet, student: str, right: int | None = None) -> str:
    """A hand-in in which so many answers are right, all where none is named."""
    questions = sheet.questions(student)
    right = len(questions) if right is None else right
    answers = [
        one.answer if k < right else one.mistakes[0].answer for k, one in enumerate(questions)
    ]
    return write_hand_in(sheet, student, answers)


class TestSheet:
    @pytest.mark.parametrize(
        "sheet",
        [Sheet(), SHEET, SAME, Sheet(("flip",), (3,), 100, 2**53 - 1)],
    )
    def test_a_code_is_the_whole_sheet(self, sheet: Sheet) -> None:
        again = Sheet.from_code(f" {sheet.code}\n")
        assert again == sheet
        assert again.code == sheet.code
        assert " " not in sheet.code

    def test_kinds_have_letters_of_their_own(self) -> None:
        assert len({kind.letter for kind in KINDS.values()}) == len(KINDS)
        assert all(name == kind.name for name, kind in KINDS.items())

    def test_the_order_of_kinds_and_levels_says_nothing(self) -> None:
        assert Sheet(("order", "blanket"), (2, 1)) == Sheet(("blanket", "order"), (1, 2, 2))

    def test_all_have_the_same_questions(self) -> None:
        assert SAME.questions() == SAME.questions("Ada") == SAME.questions("Bob")

    def test_each_has_questions_of_their_own_of_the_same_kinds(self) -> None:
        ada, bob = SHEET.questions("Ada"), SHEET.questions("Bob")
        assert {one.canonical for one in ada}.isdisjoint(one.canonical for one in bob)
        assert [(one.kind, one.level) for one in ada] == [(one.kind, one.level) for one in bob]
        assert SHEET.questions("  ada ") == ada
        # A composed letter and two that look like it are one name.
        assert SHEET.questions("Zo\u00eb") == SHEET.questions("ZOE\u0308")

    def test_no_two_questions_are_equal(self) -> None:
        many = Sheet(("posterior", "irregularity"), (2,), number=100, seed=1).questions()
        assert len({one.canonical for one in many}) == 100

    def test_kinds_and_levels_take_turns(self) -> None:
        questions = Sheet(number=54, seed=5).questions()
        assert set(Counter(one.kind for one in questions).values()) == {6}
        levels = [one.level for one in questions]
        assert levels == sorted(levels)
        assert set(Counter(levels).values()) == {18}

    @pytest.mark.parametrize(
        ("make", "part"),
        [
            (lambda: Sheet(("chess",)), "kinds='chess' is not known"),
            (lambda: Sheet("order"), "kinds='order' must be a list"),  # type: ignore[arg-type]
            (lambda: Sheet(levels=(0,)), "levels=0"),
            (lambda: Sheet(number=0), "number=0 must be a whole number from 1 to 100"),
            (lambda: Sheet(number=101), "number"),
            (lambda: Sheet(seed=-1), "seed"),
            (SHEET.questions, "student is missing"),
            (lambda: SHEET.questions("  "), "student is missing"),
            (lambda: Sheet.from_code("bjp-sheet-2.b.1.1.1.same"), "code="),
            (lambda: Sheet.from_code("bjp-sheet-1.z.1.1.1.same"), "code="),
            (lambda: Sheet.from_code("bjp-sheet-1.b.1.0.1.same"), "number"),
            (lambda: Sheet.from_code(SAME.code + "\n" + SAME.code), "code="),
        ],
    )
    def test_bad_arguments_are_named(self, make: Any, part: str) -> None:
        with pytest.raises(OptionError, match="^" + part):
            make()


class TestHandIn:
    def test_every_answer_comes_back(self) -> None:
        text = solved(SHEET, "  Ada   Lovelace ", right=4)
        found = read_hand_in(text)
        assert (found.sheet, found.student, found.points) == (SHEET, "Ada Lovelace", 4)
        assert found.intact
        marks = mark_hand_in(found)
        assert marks.each == (1, 1, 1, 1, 0, 0)
        assert (marks.points, marks.claimed, marks.remarks) == (4, 4, ())

    def test_the_check_is_the_crc_of_the_lines_above(self) -> None:
        above, _, check = solved(SAME, "Ada").rstrip("\n").rpartition("\ncheck: ")
        assert int(check, 16) == zlib.crc32(above.encode())
        assert len(check) == 8

    @pytest.mark.parametrize(
        "mangle",
        [
            lambda text: text.replace("\n", "\r\n"),
            lambda text: "\n\n".join(text.splitlines()),
            lambda text: textwrap.indent(text, "> "),
            lambda text: textwrap.indent(textwrap.indent(text, "> "), ">> | "),
            lambda text: f"Dear Dr B,\n\nhere it is:\n{text}\nBest,\nAda\n",
            lambda text: text.replace(" ", "\u00a0"),
            lambda text: "\ufeff" + text.replace("\n", "  \n"),
            lambda text: "\n".join(
                part for line in text.splitlines() for part in textwrap.wrap(line, 30)
            ),
            lambda text: text.replace("bjp-hand-in", "BJP-Hand-In").replace("points:", "points :"),
        ],
    )
    def test_what_a_mail_does_to_a_text_is_undone(self, mangle: Any) -> None:
        student = "Ada Augusta King, Countess of Lovelace, Zürich " * 2
        found = read_hand_in(mangle(solved(SHEET, student)))
        assert mark_hand_in(found).points == 6
        assert found.student == student.strip()

    def test_a_mail_keeps_the_check(self) -> None:
        text = solved(SHEET, "Ada Augusta King, Countess of Lovelace, of Ockham and others")
        wrapped = "\n> ".join(p for line in text.splitlines() for p in textwrap.wrap(line, 40))
        assert mark_hand_in(read_hand_in(f"> {wrapped}")).remarks == ()

    @pytest.mark.parametrize(
        ("old", "new", "remark"),
        [
            ("points: 4", "points: 6", "It claims 6 points; its answers give 4."),
            ("points: 4", "points: many", "The points that it claims can't be read."),
            ("student: Ada", "student: Bob", "The checksum does not fit"),
            ("student: Ada", "student:", "It names no student."),
        ],
    )
    def test_what_was_tampered_with_is_noticed(self, old: str, new: str, remark: str) -> None:
        same = Sheet(("distance",), (1,), number=5, seed=2)
        text = solved(same, "Ada", right=4)
        assert old in text
        marks = mark_hand_in(read_hand_in(text.replace(old, new)))
        assert marks.points == 4
        assert any(one.startswith(remark) for one in marks.remarks)
        assert any(one.startswith("The checksum does not fit") for one in marks.remarks)

    def test_an_answer_that_was_edited_counts_as_it_stands(self) -> None:
        one = Sheet(("distance",), (1,), number=1, seed=2)
        (question,) = one.questions()
        wrong = question.mistakes[0].answer
        text = write_hand_in(one, "Ada", [wrong])
        assert isinstance(wrong, float)
        assert isinstance(question.answer, float)
        edited = text.replace(f"1: {wrong:g}", f"1: {question.answer:g}")
        marks = mark_hand_in(read_hand_in(edited))
        assert (marks.points, marks.claimed) == (1, 0)
        assert len(marks.remarks) == 2

    def test_missing_answers_are_none(self) -> None:
        text = write_hand_in(SAME, "Ada", [None, "", "nonsense\nwith\tbreaks", None])
        assert text.count("\n") == 9
        assert "3: nonsense with breaks" in text
        found = read_hand_in("\n".join(line for line in text.splitlines() if line[:2] != "2:"))
        assert found.answers == ("-", "-", "nonsense with breaks", "-")
        assert mark_hand_in(found).points == 0

    @pytest.mark.parametrize(
        ("text", "part"),
        [
            ("", "There is no line 'bjp-hand-in 1'"),
            ("bjp-hand-in 1\n", "names no sheet"),
            ("bjp-hand-in 1\nsheet: chess\n", "code='chess'"),
        ],
    )
    def test_what_is_no_hand_in_is_refused(self, text: str, part: str) -> None:
        with pytest.raises((DataError, OptionError), match=part):
            read_hand_in(text)

    def test_as_many_answers_as_questions(self) -> None:
        with pytest.raises(DataError, match="3 answers to 4 questions"):
            write_hand_in(SAME, "Ada", [1, 2, 3])
        with pytest.raises(OptionError, match="hand_in is of type str"):
            mark_hand_in("text")  # type: ignore[arg-type]


class TestFolder:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        """Thirty hand-ins in every encoding, and five that are not as they should be."""
        for k in range(30):
            text = solved(SAME, f"Zoë {k:02}", right=k % 5)
            encoding = ("utf-8", "utf-8-sig", "utf-16", "cp1252", "utf-16-le")[k % 5]
            (tmp_path / f"{k:02}.txt").write_bytes(text.encode(encoding))
        inside = tmp_path / "late"
        inside.mkdir()
        tampered = solved(SAME, "Eve", right=1).replace("points: 1", "points: 4")
        (inside / "eve.TXT").write_text(tampered, encoding="utf-8")
        (inside / "twice.txt").write_text(solved(SAME, "zoË 29"), encoding="utf-8")
        (inside / "other.txt").write_text(solved(SHEET, "Bob"), encoding="utf-8")
        (inside / "picture.txt").write_bytes(bytes(range(256)) * 20)
        (inside / "large.txt").write_bytes(b"a" * 2_000_000)
        (tmp_path / "notes.md").write_text("not a hand-in", encoding="utf-8")
        return tmp_path

    def test_every_mark_is_computed_again(self, folder: Path) -> None:
        files = {one.file: one for one in mark_folder(folder)}
        assert len(files) == 36
        assert files["notes.md"].remarks == ("Not read: its name does not end in .txt.",)
        for k in range(29):
            one = files[f"{k:02}.txt"]
            assert one.marks is not None
            assert (one.marks.student, one.marks.points) == (f"Zoë {k:02}", min(k % 5, 4))
            assert one.remarks == ()
        eve = files["late/eve.TXT"]
        assert eve.marks is not None
        assert (eve.marks.claimed, eve.marks.points) == (4, 1)
        assert eve.remarks[0] == "It claims 4 points; its answers give 1."
        for name, other in (("29.txt", "late/twice.txt"), ("late/twice.txt", "29.txt")):
            assert files[name].remarks == (f"The same student handed in '{other}'.",)
        assert files["late/other.txt"].remarks == (f"It is of another sheet than {SAME.code}.",)
        assert files["late/picture.txt"].remarks[0].startswith("Unreadable: The file is no text")
        assert "too large" in files["late/large.txt"].remarks[0]

    def test_who_is_listed_and_handed_in_nothing_comes_last(self, folder: Path) -> None:
        names = ["ada", *(f"zoë  {k:02}" for k in range(1, 30)), "Bob", "EVE", "", "Ada"]
        files = mark_folder(folder, students=names)
        strangers = [one.file for one in files if "This student is not on the list." in one.remarks]
        assert strangers == ["00.txt"]
        (absent,) = [one for one in files if not one.file]
        assert (files[-1], absent.student, absent.marks) == (absent, "Ada", None)
        assert list(marks_frame(files)["student"])[-1] == "Ada"

    @pytest.mark.parametrize(
        "written", ["Ze\u200bro", "Ze\u00adro", "\u202eZero\u2069", "ZERO\ufeff"]
    )
    def test_letters_that_nobody_sees_make_no_other_student(
        self, tmp_path: Path, written: str
    ) -> None:
        (tmp_path / "a.txt").write_text(solved(SHEET, "Zero"), encoding="utf-8")
        (tmp_path / "b.txt").write_text(solved(SHEET, written), encoding="utf-8")
        files = mark_folder(tmp_path, students=[written])
        assert [one.remarks for one in files] == [
            ("The same student handed in 'b.txt'.",),
            ("The same student handed in 'a.txt'.",),
        ]

    def test_a_text_with_letters_that_nobody_sees_is_intact(self) -> None:
        text = solved(SAME, "Zero").replace("Zero", "Ze\u200bro").replace("points", "poi\u00adnts")
        assert mark_hand_in(read_hand_in(text)).remarks == ()

    def test_the_sheet_can_be_named(self, folder: Path) -> None:
        files = mark_folder(folder, SHEET)
        odd = [one for one in files if f"It is of another sheet than {SHEET.code}." in one.remarks]
        assert len(odd) == 32

    def test_the_table_has_a_column_for_each_question(self, folder: Path) -> None:
        frame = marks_frame(mark_folder(folder)).set_index("file")
        assert list(frame.columns)[:4] == ["student", "points", "claimed", "sheet"]
        assert list(frame.columns)[4:] == [f"q{k}" for k in range(1, 7)] + ["remark"]
        each = frame.loc["03.txt", [f"q{k}" for k in range(1, 5)]]
        assert list(each) == [1, 1, 1, 0]
        assert frame.loc["03.txt", ["q5", "q6"]].isna().all()

    def test_no_name_is_a_formula(self, tmp_path: Path) -> None:
        name = "=HYPERLINK(1)"
        (tmp_path / "+cmd.txt").write_text(solved(SAME, name), encoding="utf-8")
        row = marks_csv(mark_folder(tmp_path)).splitlines()[1]
        assert row.startswith(f"'{name},4,4,")
        assert row.endswith(",'+cmd.txt")

    def test_no_cell_begins_behind_a_semicolon(self, tmp_path: Path) -> None:
        (tmp_path / "a.txt").write_text(solved(SAME, "a;=WEBSERVICE(A1);b"), encoding="utf-8")
        rows = list(csv.reader(marks_csv(mark_folder(tmp_path)).splitlines(), delimiter=";"))
        assert not any(cell.startswith("=") for row in rows for cell in row)

    def test_what_else_a_file_holds_is_told(self, tmp_path: Path) -> None:
        first = solved(SAME, "Ada", right=0)
        (tmp_path / "a.txt").write_text(f"{first}\nSorry:\n{solved(SAME, 'Ada')}", encoding="utf-8")
        (tmp_path / "b.txt").write_text(f"{first}\n> {first}", encoding="utf-8")
        more = first.replace("points: 0", "1: 3\n9: 4\npoints: 0")
        (tmp_path / "c.txt").write_text(more, encoding="utf-8")
        told = {one.file: one.remarks for one in mark_folder(tmp_path)}
        assert "It holds 2 hand-ins; only the first is read." in told["a.txt"]
        assert not any("holds" in one for one in told["b.txt"])
        assert "Question 1 comes 2 times; the first counts." in told["c.txt"]
        assert "There is no question 9 on the sheet." in told["c.txt"]

    def test_a_folder_that_is_none_is_told(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match="'nope' does not exist"):
            mark_folder(tmp_path / "nope")
        (tmp_path / "a.txt").write_text("", encoding="utf-8")
        with pytest.raises(DataError, match=r"'a\.txt' is a file"):
            mark_folder(tmp_path / "a.txt")

    def test_a_name_too_long_for_a_hand_in_draws_no_questions(self) -> None:
        with pytest.raises(OptionError, match="at most 200 letters"):
            write_hand_in(SHEET, "A" * 250, [None] * SHEET.number)

    def test_progress_and_cancel(self, folder: Path) -> None:
        calls: list[tuple[int, int]] = []
        mark_folder(folder, progress=Progress(report=lambda *call: calls.append(call)))
        assert calls[-1] == (36, 36)
        with pytest.raises(Cancelled):
            mark_folder(folder, progress=Progress(cancelled=lambda: len(calls) > 3))

    def test_an_empty_folder_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(DataError, match=r"There is no \.txt file in"):
            mark_folder(tmp_path)
        with pytest.raises(OptionError, match="folder is of type int"):
            mark_folder(3)  # type: ignore[arg-type]

    def test_a_hand_in_for_each_needs_its_student(self) -> None:
        with pytest.raises(OptionError, match="student is missing"):
            mark_hand_in(HandIn(SHEET, "", ("-",) * 6, 0, True))


def test_points_are_those_of_the_judge() -> None:
    for sheet in (SHEET, Sheet(number=27, seed=4)):
        for one in sheet.questions("Ada"):
            assert judge(one, one.answer).points == 1
            assert all(judge(one, wrong.answer).points == 0 for wrong in one.mistakes)
