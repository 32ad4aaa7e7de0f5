"""The texts of the lessons in each language: nothing missing, nothing unused, the same numbers."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bjp_engine.errors import OptionError
from bjp_explorer.lessons import course
from bjp_explorer.lessons.closing import closing_page
from bjp_explorer.lessons.course import CLOSING, LESSONS
from bjp_explorer.lessons.verdicts import verdict_tree
from bjp_explorer.lessons.words import TEXTS
from bjp_explorer.shell.languages import Joined, Phrase, Texts, say
from tests.app.conftest import ROOT, OpenApp
from tests.app.lessons.test_lessons import ASKING, STEPS, at
from tests.app.looks import address, payload

FRONTEND = ROOT / "bjp_explorer" / "frontend"
# The modules that are sent the component's words.
PARTS = ("progress", "closing", "stage", "pickmatrix", "counts", "network", "scale")
SPEAKING = ("views/lesson.js", "course.js", *(f"parts/{name}.js" for name in PARTS))
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


def modules() -> Iterator[ast.Module]:
    """The lessons' code."""
    for path in (ROOT / "bjp_explorer" / "lessons").glob("*.py"):
        yield ast.parse(path.read_text("utf-8"))


def phrases_in(thing: Any) -> Iterator[Phrase | Joined]:
    """Every outermost phrase of a payload."""
    if isinstance(thing, Phrase | Joined):
        yield thing
    elif isinstance(thing, dict | list | tuple):
        for value in thing.values() if isinstance(thing, dict) else thing:
            yield from phrases_in(value)


def said_by(lesson: int, step: int) -> list[Phrase | Joined]:
    """Everything that a step can say, whatever is picked and whatever is answered."""
    found = at(lesson, step)
    said = [found.title, found.text, *phrases_in(course.scenes_of(found))]
    if found.question is None:
        return [*said, found.hint]
    tree = verdict_tree(found)
    assert tree is not None
    verdicts = [verdict.sentence for verdict in tree["verdicts"]]
    return [*said, found.ask, *verdicts, *phrases_in(found.question.revealed())]


@pytest.mark.parametrize("language", [code for code in TEXTS.names if code != "en"])
def test_a_language_has_every_text_with_the_same_numbers(language: str) -> None:
    assert TEXTS.faults(language) == []
    words, other = re.compile(r"(?<!\{)\b[a-z]{2,} [a-z]{2,}\b"), TEXTS.files[language]
    for key, text in TEXTS.files["en"].items():
        assert isinstance(text, dict) or text != other[key] or not words.search(str(text)), key
    for lesson, step in STEPS:
        for phrase in said_by(lesson, step):
            texts = [TEXTS.put(phrase, code) for code in ("en", language)]
            here, there = (" ".join(t) if isinstance(t, list) else t for t in texts)
            assert Counter(NUMBER.findall(here)) == Counter(NUMBER.findall(there)), there
    for lesson, step in ASKING:
        answers = {(lesson, step): course.Answer(at(lesson, step).question.answer(), "solved")}
        english, judged = (
            course.payload(lesson, step, answers, (), language=code)["question"]["verdict"]
            for code in ("en", language)
        )
        assert english["sentence"] != judged["sentence"]
        assert english["correct"] is judged["correct"] is True


def test_every_key_is_used_and_every_used_key_is_there() -> None:
    assert next(iter(TEXTS.names.items())) == ("en", "English")
    assert TEXTS.names["es"] == "Español"
    keys = [
        node.args[0]
        for module in modules()
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "say"
    ]
    used = {key.value for key in keys if isinstance(key, ast.Constant)}
    # The others are those of a lesson and its steps.
    assert {ast.unparse(key) for key in keys if not isinstance(key, ast.Constant)} == {
        f"f'{{self.key}}.{name}'" for name in ("title", "short", "text", "hint", "ask")
    }
    for lesson in LESSONS:
        used |= {f"{lesson.key}.title", f"{lesson.key}.short"}
        for step in lesson.steps:
            assert step.key.startswith(f"{lesson.key}.")
            last = "ask" if step.question else "hint"
            used |= {f"{step.key}.{name}" for name in ("title", "text", last)}
    page = (ROOT / "pages" / "lessons.py").read_text("utf-8")
    used |= {f"page.{name}" for name in re.findall(r'page\["(\w+)"\]', page)}
    # The words that the component takes from its payload and no other page has.
    drawing = TEXTS.table("drawing", "en")
    code = "".join((FRONTEND / name).read_text("utf-8") for name in SPEAKING)
    named = set(re.findall(r"\bwords\.([a-z_]+)\b(?!\.)", code.replace("/words.js", "")))
    named |= {f"state_{state}" for state in ("solved", "shown", "begun", "new")}
    used |= {f"view.{name}" for name in named - set(drawing)} | {"language"}
    assert used | {f"drawing.{name}" for name in drawing} == set(TEXTS.files["en"])
    # Drawings say the same on every page.
    code = (FRONTEND / "logic" / "words.js").read_text("utf-8")
    (block,) = re.findall(r"WORDS = \{(.*?)\n\};", code, re.DOTALL)
    assert dict(re.findall(r'^  (\w+): "(.*)",$', block, re.MULTILINE)) == drawing


def test_the_page_speaks_the_language_of_its_url(open_app: OpenApp) -> None:
    app = open_app("lessons", lesson="4", step="2", lang="es")
    sent = payload(app)
    assert sent["language"] == "es"
    assert sent["title"] == "Una arista, dos extremos"
    assert sent["words"]["check"] == "Comprobar"
    assert sent["scenes"]["1"]["table"]["head"][2] == "estratos"
    assert app.title[0].value == "Lecciones"
    assert address(app) == {"data": "coronary", "lesson": "4", "step": "2", "lang": "es"}
    # English is left out of the address, and an unknown language is reported.
    for language in ("en", "<b>"):
        app = open_app("lessons", lesson="4", step="2", lang=language)
        assert payload(app)["language"] == "en"
        assert "lang" not in address(app)
        warnings = [each.value.replace("\\", "") for each in app.warning]
        assert len(warnings) == (language != "en")
        assert all("one of en, es" in warning for warning in warnings)


def test_the_closing_page() -> None:
    for solved in (8, 3):
        said = TEXTS.put(closing_page(LESSONS, ["solved"] * solved + ["new"] * (8 - solved)), "es")
        assert str(solved) in said["text"][0]
        assert len(said["open"]) == 8 - solved
    assert course.payload(*CLOSING, {}, (), language="es")["title"] == "El final de las lecciones"


def test_texts_fill_placeholders_and_each_fault_is_named(tmp_path: Path) -> None:
    (tmp_path / "en.toml").write_text(
        'language = "English"\n[a]\ntitle = "All {rows} rows of {x}"\npair = ["{x}", "two"]\n'
        'row = { one = "{n} row", other = "{n} rows" }\n',
        "utf-8",
    )
    texts = Texts(tmp_path)
    # Values are not read again.
    said = texts.put(say("a.title", rows=say("a.row", n=1200), x="{rows} **"), "en")
    assert said == "All 1,200 rows rows of {rows} **"
    assert texts.put(say("a.row", n=1), "en") == "1 row"
    assert texts.put([Joined((say("a.row", n=0), "b"), by="; ")], "en") == ["0 rows; b"]
    assert texts.put(say("a.pair", x="€"), "en") == ["€", "two"]
    with pytest.raises(OptionError, match="one of en, not 'fr'"):
        texts.put(say("a.row", n=1), "fr")
    (tmp_path / "xx.toml").write_text(
        'language = "X"\n[a]\ntitle = "{rows} de {y}"\npair = ["{x}"]\nmore = "?"\n', "utf-8"
    )
    assert Texts(tmp_path).faults("xx") == [
        "a.more is no key of en.toml.",
        "a.pair must have as many texts as in en.toml.",
        "a.row is missing.",
        "a.title must have the placeholders of en.toml: [['rows', 'x']].",
    ]
    assert texts.faults("en") == []
