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
from tests.app.conftest import ROOT
from tests.app.lessons.test_lessons import ASKING, STEPS, at, opened
from tests.app.looks import address, payload

OTHERS = [code for code in TEXTS.names if code != "en"]
FRONTEND = ROOT / "bjp_explorer" / "frontend"
# The modules that are sent the component's words.
SPEAKING = ("views/lesson.js", *(f"parts/{p}.js" for p in ("progress", "closing", "stage")))
SPEAKING += (
    "course.js",
    "parts/pickmatrix.js",
    "parts/counts.js",
    "parts/network.js",
    "parts/scale.js",
)
NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")


def modules() -> Iterator[ast.Module]:
    """The lessons' code."""
    for path in (ROOT / "bjp_explorer" / "lessons").glob("*.py"):
        yield ast.parse(path.read_text("utf-8"))


def phrases_in(thing: Any) -> Iterator[Phrase | Joined]:
    """Every outermost phrase of a payload."""
    if isinstance(thing, Phrase | Joined):
        yield thing
    elif isinstance(thing, dict):
        for value in thing.values():
            yield from phrases_in(value)
    elif isinstance(thing, list | tuple):
        for value in thing:
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


def test_english_is_first_and_spanish_is_there() -> None:
    assert next(iter(TEXTS.names.items())) == ("en", "English")
    assert TEXTS.names["es"] == "Español"


@pytest.mark.parametrize("language", OTHERS)
def test_nothing_is_missing_and_nothing_too_much(language: str) -> None:
    assert TEXTS.faults(language) == []


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize(("lesson", "step"), STEPS)
def test_every_pick_has_its_text_with_the_same_numbers(
    lesson: int, step: int, language: str
) -> None:
    for phrase in said_by(lesson, step):
        texts = [TEXTS.put(phrase, code) for code in ("en", language)]
        here, there = (" ".join(t) if isinstance(t, list) else t for t in texts)
        assert Counter(NUMBER.findall(here)) == Counter(NUMBER.findall(there)), there


@pytest.mark.parametrize("language", OTHERS)
def test_sentences_are_translated(language: str) -> None:
    source, other = TEXTS.files["en"], TEXTS.files[language]
    words = re.compile(r"(?<!\{)\b[a-z]{2,} [a-z]{2,}\b")
    texts = {key: text for key, text in source.items() if not isinstance(text, dict)}
    assert not [
        key for key, text in texts.items() if text == other[key] and words.search(str(text))
    ]


def test_every_key_is_used_and_every_used_key_is_there() -> None:
    calls = [
        node
        for module in modules()
        for node in ast.walk(module)
        if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "say"
    ]
    keys = [call.args[0] for call in calls]
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
    used |= {f"view.{name}" for name in words_of_view()} | {"language"}
    used |= {f"drawing.{name}" for name in TEXTS.table("drawing", "en")}
    assert used == set(TEXTS.files["en"])


def words_of_view() -> set[str]:
    """The words that the component takes from its payload and no other page has."""
    code = "".join((FRONTEND / name).read_text("utf-8") for name in SPEAKING)
    named = set(re.findall(r"\bwords\.([a-z_]+)\b(?!\.)", code.replace("/words.js", "")))
    states = {f"state_{state}" for state in ("solved", "shown", "begun", "new")}
    return (named | states) - set(TEXTS.table("drawing", "en"))


def test_drawings_say_the_same_on_every_page() -> None:
    code = (FRONTEND / "logic" / "words.js").read_text("utf-8")
    (block,) = re.findall(r"WORDS = \{(.*?)\n\};", code, re.DOTALL)
    defaults = dict(re.findall(r'^  (\w+): "(.*)",$', block, re.MULTILINE))
    assert defaults == TEXTS.table("drawing", "en")


def test_no_text_is_left_in_the_code() -> None:
    words = re.compile(r"[a-z]{2,}\s|^[A-Z][a-z]")
    allowed = {"ln Pr", "Pr(⊥̸)", "Pr(⊥̸) = "}
    found = []
    for module in modules():
        bodies = (ast.Module, ast.ClassDef, ast.FunctionDef)
        held = [node for node in ast.walk(module) if isinstance(node, bodies) and node.body]
        documented = {
            id(first.value) for node in held if isinstance(first := node.body[0], ast.Expr)
        }
        found += [
            node.value
            for node in ast.walk(module)
            if isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in documented
            and words.search(node.value)
        ]
    assert set(found) <= allowed


class TestPage:
    def test_spanish_by_its_url(self) -> None:
        app = opened(lesson="4", step="2", lang="es")
        sent = payload(app)
        assert sent["language"] == "es"
        assert sent["title"] == "Una arista, dos extremos"
        assert sent["words"]["check"] == "Comprobar"
        assert sent["scenes"]["1"]["table"]["head"][2] == "estratos"
        assert app.title[0].value == "Lecciones"
        assert address(app) == {"data": "coronary", "lesson": "4", "step": "2", "lang": "es"}

    def test_english_is_left_out_of_the_url(self) -> None:
        app = opened(lesson="4", step="2", lang="en")
        assert payload(app)["language"] == "en"
        assert "lang" not in address(app)

    def test_an_unknown_language_is_reported(self) -> None:
        app = opened(lesson="4", lang="<b>")
        (warning,) = app.warning
        assert "one of en, es" in warning.value.replace("\\", "")
        assert payload(app)["language"] == "en"

    @pytest.mark.parametrize(("lesson", "step"), ASKING)
    def test_an_answer_is_judged_in_the_present_language(self, lesson: int, step: int) -> None:
        question = at(lesson, step).question
        answers = {(lesson, step): course.Answer(question.answer(), "solved")}
        sent = [
            course.payload(lesson, step, answers, (), language=code)["question"]["verdict"]
            for code in ("en", "es")
        ]
        assert sent[0]["sentence"] != sent[1]["sentence"]
        assert [verdict["correct"] for verdict in sent] == [True, True]

    @pytest.mark.parametrize("solved", [8, 3])
    def test_the_closing_page(self, solved: int) -> None:
        said = TEXTS.put(closing_page(LESSONS, ["solved"] * solved + ["new"] * (8 - solved)), "es")
        assert str(solved) in said["text"][0]
        assert len(said["open"]) == 8 - solved
        assert (
            course.payload(*CLOSING, {}, (), language="es")["title"] == "El final de las lecciones"
        )


class TestTexts:
    @pytest.fixture
    def texts(self, tmp_path: Path) -> Texts:
        (tmp_path / "en.toml").write_text(
            'language = "English"\n[a]\ntitle = "All {rows} rows of {x}"\npair = ["{x}", "two"]\n'
            'row = { one = "{n} row", other = "{n} rows" }\n',
            "utf-8",
        )
        return Texts(tmp_path)

    def test_values_are_not_read_again(self, texts: Texts) -> None:
        said = texts.put(say("a.title", rows=say("a.row", n=1200), x="{rows} **"), "en")
        assert said == "All 1,200 rows rows of {rows} **"
        assert texts.put(say("a.row", n=1), "en") == "1 row"
        assert texts.put([Joined((say("a.row", n=0), "b"), by="; ")], "en") == ["0 rows; b"]
        assert texts.put(say("a.pair", x="€"), "en") == ["€", "two"]

    def test_each_fault_is_named(self, texts: Texts) -> None:
        (texts.folder / "xx.toml").write_text(
            'language = "X"\n[a]\ntitle = "{rows} de {y}"\npair = ["{x}"]\nmore = "?"\n', "utf-8"
        )
        assert texts.faults("xx") == [
            "a.more is no key of en.toml.",
            "a.pair must have as many texts as in en.toml.",
            "a.row is missing.",
            "a.title must have the placeholders of en.toml: [['rows', 'x']].",
        ]
        assert texts.faults("en") == []

    def test_a_language_that_is_none(self, texts: Texts) -> None:
        with pytest.raises(OptionError, match="one of en, not 'fr'"):
            texts.put(say("a.row", n=1), "fr")
