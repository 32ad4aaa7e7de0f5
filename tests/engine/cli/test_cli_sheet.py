"""`bjp sheet` and `bjp marks`, called in-process."""

import csv
import zipfile

from defusedxml.ElementTree import parse

from bjp_engine.exercises import Sheet, write_hand_in

SHEET = Sheet(("blanket", "order"), (1, 2), number=4, seed=7)
OPTIONS = ("--kinds", "blanket,order", "--levels", "1,2", "--number", "4", "--seed", "7")


def test_the_code_of_a_sheet_and_files_for_platforms(command, tmp_path):
    assert command("sheet", *OPTIONS) == f"{SHEET.code}\n"
    assert command("sheet", "--code", SHEET.code) == f"{SHEET.code}\n"
    assert command("sheet") == f"{Sheet().code}\n"
    assert command("sheet", "--each") == f"{Sheet(per_student=True).code}\n"
    xml, packed, names = tmp_path / "s.xml", tmp_path / "s.zip", tmp_path / "names.txt"
    said = command("sheet", *OPTIONS, "--format", "moodle", "--out", xml)
    assert said == f"{SHEET.code}\nwritten: {xml}\n"
    asked = [one.findtext("idnumber") for one in parse(xml).getroot()[1:]]
    assert asked == [f"{one.kind}-{one.level}-{one.seed}" for one in SHEET.questions()]
    command("sheet", *OPTIONS, "--format", "qti", "--out", packed)
    assert "question-004.xml" in zipfile.ZipFile(packed).namelist()
    names.write_bytes("Zoë\r\n\r\n  Ada  Lovelace\nZoë\n".encode("utf-16"))
    each = ("sheet", *OPTIONS, "--each", "--format", "moodle")
    command(*each, "--students", names, "--out", xml)
    titles = [one.findtext("category/text") for one in parse(xml).getroot().findall("question")]
    code = Sheet(("blanket", "order"), (1, 2), 4, 7, per_student=True).code
    wanted = [f"$course$/top/{code} {name}" for name in ("Zoë", "Ada Lovelace")]
    assert [title for title in titles if title] == wanted


def test_bad_options_are_named(command):
    for argv, part in (
        ("--kinds chess", "kinds='chess' is not known"),
        ("--levels one", "--levels 'one' must be numbers with commas"),
        ("--code chess", "code='chess' is no code of a sheet"),
        ("--format qti --out s.xml", "--out must end in .zip"),
        ("--each --format qti", "one student"),
    ):
        assert part in command.refuse("sheet", *argv.split()), argv
    sentence = command.refuse("sheet", "--out", "s.xml", begun=True)
    assert "--out needs --format" in sentence


def test_a_folder_is_marked(command, tmp_path):
    def shown():
        with out.open(encoding="utf-8-sig", newline="") as file:
            return [(row["student"], row["points"], row["claimed"]) for row in csv.DictReader(file)]

    folder, out, names = tmp_path / "in", tmp_path / "marks.csv", tmp_path / "names.txt"
    folder.mkdir()
    answers = [one.answer for one in SHEET.questions()]
    ada, eve = "Ada <b>", "Eve"
    hand_in = write_hand_in(SHEET, f"{ada}\u202e\x1b", answers)
    (folder / "ada.txt").write_text(hand_in, encoding="utf-8")
    none = write_hand_in(SHEET, eve, [None] * 4, points=4)
    (folder / "eve.txt").write_text(none, encoding="utf-8")
    claim = "2 hand-ins, 1 with remarks\neve.txt: It claims 4 points; its answers give 0."
    asked = ("marks", folder, "--out", out)
    assert command(*asked) == f"{claim}\nwritten: {out}\n"
    assert shown() == [(ada, "4", "4"), (eve, "0", "4")]
    names.write_text("ADA <B>\nBo\nC\u200bem\n", encoding="utf-8")
    assert command(*asked, "--students", names) == (
        f"{claim} This student is not on the list.\nnothing handed in by 2: Bo, Cem\n"
        f"written: {out}\n"
    )
    assert [student for student, *_ in shown()] == ["ADA <B>", eve, "Bo", "Cem"]
    names.write_bytes(b"\0\xff\0" * 40)
    sentence = "--students 'names.txt' is no text; give a text file with a name on each"
    assert sentence in command.refuse("marks", folder, "--students", names)
    (folder / "\u202e\x1b.txt").write_text("", encoding="utf-8")
    said = command("marks", folder, "--sheet", SHEET.code)
    assert not {"\x1b", "\u202e"} & set(said)
    assert said.count("\n") == 4
    out.unlink()
    assert command(*asked).startswith("2 hand-ins, 1 with remarks; 1 file not read\n")
    assert "does not exist" in command.refuse("marks", tmp_path / "nowhere")
    assert "--out must end in .csv" in command.refuse("marks", folder, "--out", "m.txt")
