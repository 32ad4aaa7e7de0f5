"""`bjp sheet` and `bjp marks`, called in-process."""

from __future__ import annotations

import csv
import zipfile
from pathlib import Path

import pytest
from defusedxml.ElementTree import parse

from bjp_engine import cli
from bjp_engine.exercises import Sheet, write_hand_in

SHEET = Sheet(("blanket", "order"), (1, 2), number=4, seed=7)
OPTIONS = ("--kinds", "blanket,order", "--levels", "1,2", "--number", "4", "--seed", "7")


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert cli.main(list(argv)) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


def complaint(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert cli.main(list(argv)) == 2
    return capsys.readouterr().err


def test_the_code_of_a_sheet(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(capsys, "sheet", *OPTIONS) == f"{SHEET.code}\n"
    assert run(capsys, "sheet", "--code", SHEET.code) == f"{SHEET.code}\n"
    assert run(capsys, "sheet") == f"{Sheet().code}\n"
    assert run(capsys, "sheet", "--each") == f"{Sheet(per_student=True).code}\n"


def test_files_for_platforms(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    xml, packed, names = tmp_path / "s.xml", tmp_path / "s.zip", tmp_path / "names.txt"
    said = run(capsys, "sheet", *OPTIONS, "--format", "moodle", "--out", str(xml))
    assert said == f"{SHEET.code}\nwritten: {xml}\n"
    asked = [one.findtext("idnumber") for one in parse(xml).getroot()[1:]]
    assert asked == [f"{one.kind}-{one.level}-{one.seed}" for one in SHEET.questions()]
    run(capsys, "sheet", *OPTIONS, "--format", "qti", "--out", str(packed))
    assert "question-004.xml" in zipfile.ZipFile(packed).namelist()
    names.write_bytes("Zoë\r\n\r\n  Ada  Lovelace\nZoë\n".encode("utf-16"))
    each = ("sheet", *OPTIONS, "--each", "--format", "moodle")
    run(capsys, *each, "--students", str(names), "--out", str(xml))
    titles = [one.findtext("category/text") for one in parse(xml).getroot().findall("question")]
    code = Sheet(("blanket", "order"), (1, 2), 4, 7, per_student=True).code
    wanted = [f"$course$/top/{code} {name}" for name in ("Zoë", "Ada Lovelace")]
    assert [title for title in titles if title] == wanted


@pytest.mark.parametrize(
    ("argv", "part"),
    [
        (("--kinds", "chess"), "kinds='chess' is not known"),
        (("--levels", "one"), "--levels 'one' must be numbers with commas"),
        (("--code", "chess"), "code='chess' is no code of a sheet"),
        (("--format", "qti", "--out", "s.xml"), "--out must end in .zip"),
        (("--out", "s.xml"), "--out needs --format"),
        (("--each", "--format", "qti"), "one student"),
    ],
)
def test_bad_options_are_named(
    capsys: pytest.CaptureFixture[str], argv: tuple[str, ...], part: str
) -> None:
    assert part in complaint(capsys, "sheet", *argv)


def test_a_folder_is_marked(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    folder, out = tmp_path / "in", tmp_path / "marks.csv"
    folder.mkdir()
    answers = [one.answer for one in SHEET.questions()]
    ada, eve = "Ada <b>", "Eve"
    (folder / "ada.txt").write_text(
        write_hand_in(SHEET, f"{ada}\u202e\x1b", answers), encoding="utf-8"
    )
    none = write_hand_in(SHEET, eve, [None] * 4, points=4)
    (folder / "eve.txt").write_text(none, encoding="utf-8")
    said = run(capsys, "marks", str(folder), "--out", str(out))
    assert said == (
        "2 hand-ins, 1 with remarks\neve.txt: It claims 4 points; its answers give 0.\n"
        f"written: {out}\n"
    )
    with out.open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(row["student"], row["points"], row["claimed"]) for row in rows] == [
        (ada, "4", "4"),
        (eve, "0", "4"),
    ]
    names = tmp_path / "names.txt"
    names.write_text("ADA <B>\nBo\nC\u200bem\n", encoding="utf-8")
    assert run(capsys, "marks", str(folder), "--students", str(names), "--out", str(out)) == (
        "2 hand-ins, 1 with remarks\neve.txt: It claims 4 points; its answers give 0. This student "
        f"is not on the list.\nnothing handed in by 2: Bo, Cem\nwritten: {out}\n"
    )
    with out.open(encoding="utf-8-sig", newline="") as file:
        assert [row["student"] for row in csv.DictReader(file)] == ["ADA <B>", eve, "Bo", "Cem"]
    (tmp_path / "names.bin").write_bytes(b"\0\xff\0" * 40)
    assert "--students 'names.bin' is no text; give a text file with a name on each" in complaint(
        capsys, "marks", str(folder), "--students", str(tmp_path / "names.bin")
    )
    (folder / "\u202e\x1b.txt").write_text("", encoding="utf-8")
    shown = run(capsys, "marks", str(folder), "--sheet", SHEET.code)
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert shown.count("\n") == 4
    out.unlink()
    told = run(capsys, "marks", str(folder), "--out", str(out))
    assert told.startswith("2 hand-ins, 1 with remarks; 1 file not read\n")
    assert "does not exist" in complaint(capsys, "marks", str(tmp_path / "nowhere"))
    assert "--out must end in .csv" in complaint(capsys, "marks", str(folder), "--out", "m.txt")
