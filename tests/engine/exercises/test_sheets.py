"""Sheets by their code, and hand-ins: written, mangled on their way, tampered with, marked."""

import csv
import textwrap
import zlib
from collections import Counter
from functools import cache

import pytest

from bjp_engine import Progress
from bjp_engine.errors import Cancelled, DataError, OptionError
from bjp_engine.exercises import (
    KINDS,
    HandIn,
    Sheet,
    mark_folder,
    mark_hand_in,
    marks_csv,
    marks_frame,
    read_hand_in,
    write_hand_in,
)
from tests.refusals import assert_refused

SHEET = Sheet(("blanket", "order", "distance"), (1, 2), number=6, seed=7, per_student=True)
SAME = Sheet(("distance", "blanket"), (1,), number=4, seed=3)
COUNTESS = "Ada Augusta King, Countess of Lovelace, Zürich "


@cache
def solved(sheet, student, right=None):
    """A hand-in in which so many answers are right, all where none is named."""
    questions = sheet.questions(student)
    right = len(questions) if right is None else right
    answers = [
        one.answer if k < right else one.mistakes[0].answer for k, one in enumerate(questions)
    ]
    return write_hand_in(sheet, student, answers)


class TestSheet:
    def test_a_code_is_the_whole_sheet(self):
        for sheet in (Sheet(), SHEET, SAME, Sheet(("flip",), (3,), 100, 2**53 - 1)):
            again = Sheet.from_code(f" {sheet.code}\n")
            assert (again, again.code) == (sheet, sheet.code)
            assert " " not in sheet.code
        assert len({kind.letter for kind in KINDS.values()}) == len(KINDS)
        assert all(name == kind.name for name, kind in KINDS.items())
        # The order of kinds and levels says nothing.
        assert Sheet(("order", "blanket"), (2, 1)) == Sheet(("blanket", "order"), (1, 2, 2))

    def test_all_have_the_same_questions_or_each_their_own(self):
        assert SAME.questions() == SAME.questions("Ada") == SAME.questions("Bob")
        ada, bob = SHEET.questions("Ada"), SHEET.questions("Bob")
        assert {one.canonical for one in ada}.isdisjoint(one.canonical for one in bob)
        assert [(one.kind, one.level) for one in ada] == [(one.kind, one.level) for one in bob]
        assert SHEET.questions("  ada ") == ada
        # A composed letter and two that look like it are one name.
        assert SHEET.questions("Zo\u00eb") == SHEET.questions("ZOE\u0308")

    def test_no_two_questions_are_equal_and_kinds_and_levels_take_turns(self):
        many = Sheet(("posterior", "irregularity"), (2,), number=100, seed=1).questions()
        assert len({one.canonical for one in many}) == 100
        questions = Sheet(number=54, seed=5).questions()
        assert {*Counter(one.kind for one in questions).values()} == {6}
        assert [one.level for one in questions] == [1] * 18 + [2] * 18 + [3] * 18

    def test_bad_arguments_are_named(self):
        for make, part in (
            (lambda: Sheet(("chess",)), "kinds='chess' is not known"),
            (lambda: Sheet("order"), "kinds='order' must be a list"),
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
        ):
            assert_refused(OptionError, "^" + part, make)


class TestHandIn:
    def test_every_answer_comes_back_with_a_check_and_missing_ones_are_none(self):
        found = read_hand_in(solved(SHEET, "  Ada   Lovelace ", right=4))
        assert (found.sheet, found.student, found.points) == (SHEET, "Ada Lovelace", 4)
        assert found.intact
        marks = mark_hand_in(found)
        assert marks.each == (1, 1, 1, 1, 0, 0)
        assert (marks.points, marks.claimed, marks.remarks) == (4, 4, ())
        text = write_hand_in(SAME, "Ada", [None, "", "nonsense\nwith\tbreaks", None])
        assert text.count("\n") == 9
        assert "3: nonsense with breaks" in text
        found = read_hand_in("\n".join(line for line in text.splitlines() if line[:2] != "2:"))
        assert found.answers == ("-", "-", "nonsense with breaks", "-")
        assert mark_hand_in(found).points == 0
        # The check is the CRC of the lines above.
        above, _, check = text.rstrip("\n").rpartition("\ncheck: ")
        assert (int(check, 16), len(check)) == (zlib.crc32(above.encode()), 8)

    def test_what_a_mail_does_to_a_text_is_undone(self):
        text = solved(SHEET, COUNTESS * 2)
        lines = text.splitlines()
        for mangled in (
            text.replace("\n", "\r\n"),
            "\n\n".join(lines),
            textwrap.indent(text, "> "),
            textwrap.indent(textwrap.indent(text, "> "), ">> | "),
            f"Dear Dr B,\n\nhere it is:\n{text}\nBest,\nAda\n",
            text.replace(" ", "\u00a0"),
            "\ufeff" + text.replace("\n", "  \n"),
            "\n".join(part for line in lines for part in textwrap.wrap(line, 30)),
            text.replace("bjp-hand-in", "BJP-Hand-In").replace("points:", "points :"),
        ):
            found = read_hand_in(mangled)
            assert mark_hand_in(found).points == 6, mangled
            assert found.student == (COUNTESS * 2).strip(), mangled
        # Neither a mail nor letters that nobody sees break the check.
        quoted = "\n> ".join(p for line in lines for p in textwrap.wrap(line, 40))
        unseen = (
            solved(SAME, "Zero").replace("Zero", "Ze\u200bro").replace("points", "poi\u00adnts")
        )
        for text in (f"> {quoted}", unseen):
            assert mark_hand_in(read_hand_in(text)).remarks == (), text

    def test_what_was_tampered_with_is_noticed(self):
        text = solved(Sheet(("distance",), (1,), number=5, seed=2), "Ada", right=4)
        (*_, last) = Sheet(("distance",), (1,), number=5, seed=2).questions()
        wrong, right = f"5: {last.mistakes[0].answer:g}\n", f"5: {last.answer:g}\n"
        for old, new, points, remark in (
            ("points: 4", "points: 6", 4, "It claims 6 points; its answers give 4."),
            ("points: 4", "points: many", 4, "The points that it claims can't be read."),
            ("student: Ada", "student: Bob", 4, ""),
            ("student: Ada", "student:", 4, "It names no student."),
            # An answer that was edited counts as it stands.
            (wrong, right, 5, "It claims 4 points; its answers give 5."),
        ):
            assert old in text
            marks = mark_hand_in(read_hand_in(text.replace(old, new)))
            assert marks.points == points, new
            for said in (remark, "The checksum does not fit"):
                assert any(one.startswith(said) for one in marks.remarks), (new, said)

    def test_what_is_no_hand_in_is_refused(self):
        for text, part in (
            ("", "There is no line 'bjp-hand-in 1'"),
            ("bjp-hand-in 1\n", "names no sheet"),
            ("bjp-hand-in 1\nsheet: chess\n", "code='chess'"),
        ):
            assert_refused((DataError, OptionError), part, read_hand_in, text)
        assert_refused(DataError, "3 answers to 4", write_hand_in, SAME, "Ada", [1, 2, 3])
        assert_refused(OptionError, "hand_in is of type str", mark_hand_in, "text")
        nobody = HandIn(SHEET, "", ("-",) * 6, 0, True)
        assert_refused(OptionError, "student is missing", mark_hand_in, nobody)
        # A name that is too long draws no questions.
        assert_refused(OptionError, "at most 200", write_hand_in, SHEET, "A" * 250, [None] * 6)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Thirty hand-ins in every encoding, and five that are not as they should be."""
    folder = tmp_path_factory.mktemp("hand-ins")
    for k in range(30):
        text = solved(SAME, f"Zoë {k:02}", right=k % 5)
        encoding = ("utf-8", "utf-8-sig", "utf-16", "cp1252", "utf-16-le")[k % 5]
        (folder / f"{k:02}.txt").write_bytes(text.encode(encoding))
    (inside := folder / "late").mkdir()
    tampered = solved(SAME, "Eve", right=1).replace("points: 1", "points: 4")
    (inside / "eve.TXT").write_text(tampered, encoding="utf-8")
    (inside / "twice.txt").write_text(solved(SAME, "zoË 29"), encoding="utf-8")
    (inside / "other.txt").write_text(solved(SHEET, "Bob"), encoding="utf-8")
    (inside / "picture.txt").write_bytes(bytes(range(256)) * 20)
    (inside / "large.txt").write_bytes(b"a" * 2_000_000)
    (folder / "notes.md").write_text("not a hand-in", encoding="utf-8")
    return folder


class TestFolder:
    def test_every_mark_is_computed_again(self, folder):
        calls = []
        marked = mark_folder(folder, progress=Progress(report=lambda *call: calls.append(call)))
        assert calls[-1] == (36, 36)
        files = {one.file: one for one in marked}
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
        # The table has a column for each question.
        frame = marks_frame(marked).set_index("file")
        questions = [f"q{k}" for k in range(1, 7)]
        named = ["student", "points", "claimed", "sheet", *questions, "remark"]
        assert list(frame.columns) == named
        assert list(frame.loc["03.txt", questions[:4]]) == [1, 1, 1, 0]
        assert frame.loc["03.txt", questions[4:]].isna().all()
        with pytest.raises(Cancelled):
            mark_folder(folder, progress=Progress(cancelled=lambda: len(calls) > 3))

    def test_the_sheet_can_be_named_and_who_is_listed_comes_last(self, folder):
        files = mark_folder(folder, SHEET)
        assert (
            sum(f"It is of another sheet than {SHEET.code}." in one.remarks for one in files) == 32
        )
        names = ["ada", *(f"zoë  {k:02}" for k in range(1, 30)), "Bob", "EVE", "", "Ada"]
        files = mark_folder(folder, students=names)
        strangers = [one.file for one in files if "This student is not on the list." in one.remarks]
        assert strangers == ["00.txt"]
        (absent,) = [one for one in files if not one.file]
        assert (files[-1], absent.student, absent.marks) == (absent, "Ada", None)
        assert list(marks_frame(files)["student"])[-1] == "Ada"

    def test_letters_that_nobody_sees_make_no_other_student(self, tmp_path):
        (tmp_path / "a.txt").write_text(solved(SHEET, "Zero"), encoding="utf-8")
        for written in ("Ze\u200bro", "Ze\u00adro", "\u202eZero\u2069", "ZERO\ufeff"):
            (tmp_path / "b.txt").write_text(solved(SHEET, written), encoding="utf-8")
            files = mark_folder(tmp_path, students=[written])
            assert [one.remarks for one in files] == [
                ("The same student handed in 'b.txt'.",),
                ("The same student handed in 'a.txt'.",),
            ], ascii(written)

    def test_no_cell_is_a_formula(self, tmp_path):
        path = tmp_path / "+cmd.txt"
        for name in ("=HYPERLINK(1)", "a;=WEBSERVICE(A1);b"):
            path.write_text(solved(SAME, name), encoding="utf-8")
            text = marks_csv(mark_folder(tmp_path))
            for delimiter in ",;":
                rows = [*csv.reader(text.splitlines(), delimiter=delimiter)]
                assert not any(cell.startswith(("=", "+")) for row in rows for cell in row), name
            assert "'+cmd.txt" in text

    def test_what_else_a_file_holds_is_told(self, tmp_path):
        first = solved(SAME, "Ada", right=0)
        for name, text in (
            ("a", f"{first}\nSorry:\n{solved(SAME, 'Ada')}"),
            ("b", f"{first}\n> {first}"),
            ("c", first.replace("points: 0", "1: 3\n9: 4\npoints: 0")),
        ):
            (tmp_path / f"{name}.txt").write_text(text, encoding="utf-8")
        told = {one.file[0]: one.remarks for one in mark_folder(tmp_path)}
        assert "It holds 2 hand-ins; only the first is read." in told["a"]
        assert not any("holds" in one for one in told["b"])
        assert "Question 1 comes 2 times; the first counts." in told["c"]
        assert "There is no question 9 on the sheet." in told["c"]

    def test_a_folder_that_is_none_or_empty_is_refused(self, tmp_path):
        (tmp_path / "empty").mkdir()
        (tmp_path / "a.txt").write_text("", encoding="utf-8")
        for folder, said in (
            (tmp_path / "nope", "'nope' does not exist"),
            (tmp_path / "a.txt", r"'a\.txt' is a file"),
            (tmp_path / "empty", r"There is no \.txt file in"),
        ):
            assert_refused(DataError, said, mark_folder, folder)
        assert_refused(OptionError, "folder is of type int", mark_folder, 3)
