"""`bjp sheet`, called in-process."""

from defusedxml.ElementTree import parse

from bjp_engine.exercises import Sheet

SHEET = Sheet(("blanket", "order"), (1, 2), number=4, seed=7)
OPTIONS = ("--kinds", "blanket,order", "--levels", "1,2", "--number", "4", "--seed", "7")


def test_a_sheet_is_written_and_says_what_it_asks(command, tmp_path, monkeypatch):
    xml, names, page = tmp_path / "s.xml", tmp_path / "names.txt", tmp_path / "s.html"
    assert command("sheet", "--out", page) == f"{Sheet().title}\nwritten: {page}\n"
    assert 'id="payload"' in page.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    written = {
        command("sheet", *OPTIONS, "--format", form).split()[-1]
        for form in ("html", "print", "solutions", "moodle")
    }
    assert written == {"sheet.html", "sheet-moodle.xml", "sheet-print.html", "sheet-solutions.html"}
    assert all((tmp_path / name).is_file() for name in written)
    said = command("sheet", *OPTIONS, "--format", "moodle", "--out", xml)
    assert said == f"{SHEET.title}\nwritten: {xml}\n"
    asked = [one.findtext("idnumber") for one in parse(xml).getroot()[1:]]
    assert asked == [f"{one.kind}-{one.level}-{one.seed}" for one in SHEET.questions()]
    names.write_bytes("Zoë\r\n\r\n  Ada  Lovelace\nZoë\n".encode("utf-16"))
    each = ("sheet", *OPTIONS, "--each", "--format", "moodle")
    command(*each, "--students", names, "--out", xml)
    titles = [one.findtext("category/text") for one in parse(xml).getroot().findall("question")]
    wanted = [f"$course$/top/{SHEET.title} {name}" for name in ("Zoë", "Ada Lovelace")]
    assert [title for title in titles if title] == wanted


def test_bad_options_are_named(command, tmp_path):
    for argv, part in (
        ("--kinds chess", "kinds='chess' is not known"),
        ("--levels one", "--levels 'one' must be whole numbers with commas"),
        ("--format moodle --out s.html", "--out must end in .xml"),
        ("--each", "the same questions for all"),
    ):
        assert part in command.refuse("sheet", *argv.split()), argv
    (tmp_path / "names.txt").write_bytes(b"\0\xff\0" * 40)
    refused = command.refuse("sheet", "--each", "--students", tmp_path / "names.txt")
    assert "--students 'names.txt' is no text" in refused
