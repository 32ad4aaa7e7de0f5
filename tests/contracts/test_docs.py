"""What the documents say is so: their code runs, their links lead somewhere, their tables agree."""

import contextlib
import doctest
import importlib
import io
import re
import tomllib
from itertools import pairwise

import pytest
import yaml

import bjp_engine as bjp
from bjp_engine import exercises
from bjp_engine.cli import COMMANDS, main
from bjp_engine.search import PUBLISHED
from bjp_explorer.app.words import PAGES
from bjp_explorer.method.notation import NOTATION
from bjp_explorer.practice.sheet_formats import FORMATS
from docs import make_images
from docs.commands import help_of
from tests.contracts.recipes import ROOT

DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "sample_data" / "README.md"]
)
THEORY = [path for path in DOCUMENTS if path.parent.name == "theory"]
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)\s]+)\)|(?:src|srcset|href)=\"([^\"]+)\"")


def text(name):
    return (ROOT / name).read_text(encoding="utf-8")


def blocks(name):
    """The fenced blocks of a document as (language, content)."""
    return FENCE.findall(text(name))


def anchors(document):
    """The anchors that a forge makes of a document's headings."""
    headings = re.findall(r"^#+ (.+)$", FENCE.sub("", document.read_text("utf-8")), re.MULTILINE)
    plain = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings]
    return {heading.strip().replace(" ", "-") for heading in plain}


def test_every_relative_link_leads_somewhere():
    missing = []
    for document in DOCUMENTS:
        prose = FENCE.sub("", document.read_text(encoding="utf-8"))
        for target in (first or second for first, second in LINK.findall(prose)):
            name, _, anchor = target.partition("#")
            file = (document.parent / name).resolve() if name else document
            if not re.match(r"[a-z]+:", target) and (
                not file.exists() or (anchor and anchor not in anchors(file))
            ):
                missing.append(f"{document.relative_to(ROOT)}: {target}")
    assert not missing


def examples(*names):
    """Run the examples with prompts in the Python blocks of documents."""
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner()
    for name in names:
        for language, code in blocks(name):
            if language == "python":
                runner.run(parser.get_doctest(code, {}, name, name, 0))
    return runner.summarize(verbose=False)


def run_commands(shown, capsys):
    """Compare what commands print with what a document shows."""
    for part in filter(None, shown.split("$ bjp ")):
        command, _, printed = part.partition("\n")
        assert main(command.split()) == 0, command
        assert capsys.readouterr().out == printed, command


class TestReadme:
    @pytest.mark.parametrize(("document", "blocks_run"), [("README.md", 3), ("docs/auto.md", 1)])
    def test_the_python_code_prints_what_is_shown(
        self, monkeypatch, tmp_path, document, blocks_run
    ):
        monkeypatch.chdir(tmp_path)
        names = {}
        runs = 0
        for (language, code), (_, shown) in pairwise(blocks(document)):
            if language == "python":
                printed = io.StringIO()
                with contextlib.redirect_stdout(printed):
                    exec(compile(code, document, "exec"), names)
                assert printed.getvalue() == shown
                runs += 1
        assert runs == blocks_run

    def test_the_commands_print_what_is_shown(self, monkeypatch, capsys):
        monkeypatch.chdir(ROOT)
        shown = [content for _, content in blocks("README.md") if content.startswith("$ ")]
        assert shown
        run_commands("".join(shown), capsys)


def test_the_page_of_commands_names_every_command():
    for command in COMMANDS:
        assert command == "warmup" or f"`bjp {command}" in text("docs/commands.md"), command
        assert help_of(command).startswith(f"usage: bjp {command} ")
    assert "--output" in help_of("learn")


class TestTheory:
    PAGES = ("docs/theory.md", *sorted(f"docs/theory/{path.name}" for path in THEORY))

    def test_its_notation_is_that_of_the_app(self):
        row = re.compile(r"^\| \$(.+?)\$ \| (.+?) \| `(.+?)` \|$", re.MULTILINE)
        rows = row.findall(text("docs/theory.md"))
        assert tuple(rows) == NOTATION

    @pytest.mark.parametrize(
        "long",
        # Some chains over graphs are run.
        [False, pytest.param(True, marks=pytest.mark.slow)],
    )
    def test_its_examples_run(self, long):
        pages = {page for page in self.PAGES if ('how="mcmc"' in text(page)) == long}
        results = examples(*sorted(pages))
        assert results.attempted >= 10
        assert not results.failed

    def test_its_names_exist(self):
        (code,) = [c for lang, c in blocks("docs/theory/names.md") if lang == "python"]
        for path in set(re.findall(r"\bbjp\.([\w.]+)", code)):
            owner = bjp
            for part in path.split("."):
                owner = getattr(owner, part)

    def test_its_sections_are_those_that_the_code_cites(self):
        heading = re.compile(r"^##? (\d+)\. (.+)$", re.MULTILINE)
        sections = [found for page in self.PAGES for found in heading.findall(text(page))]
        headings = {int(k) for k, _ in sections}
        listed = re.findall(r"^(\d+)\. \[(.+?)\]", text("docs/theory.md"), re.MULTILINE)
        assert listed == sorted(sections, key=lambda section: int(section[0]))
        sources = [*ROOT.glob("bjp_engine/**/*.py"), *ROOT.glob("tests/**/*.py")]
        cited = {
            int(k)
            for source in sources
            for k in re.findall(r"theory\.md §(\d+)", source.read_text(encoding="utf-8"))
        }
        assert cited <= headings

    def test_its_values_for_coronary(self):
        data = bjp.read_table(ROOT / "sample_data" / "datasets" / "coronary.csv")
        theory = text("docs/theory/checks.md")
        for method, title in (("bjp", "BJP"), ("ib", "IB-score"), ("mpl", "MPL")):
            trace = bjp.learn(data, method, PUBLISHED[method])
            flips = "" if method == "mpl" else f" {len(trace.steps)}"
            edges, score = trace.graph.number_of_edges(), f"{trace.score:.4f}".replace("-", "−")
            assert f"| {title} |{flips} | {edges} | {score} |" in theory


def test_the_examples_in_docstrings_run():
    paths = [p for p in ROOT.glob("bjp_engine/**/*.py") if ">>>" in p.read_text("utf-8")]
    assert len(paths) > 50
    for path in paths:
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        # As pasted into a new session: an example imports what it uses.
        results = doctest.testmod(importlib.import_module(name), globs={})
        assert results.attempted, name
        assert not results.failed, name


def test_the_changelog_knows_this_version():
    version = tomllib.loads(text("pyproject.toml"))["project"]["version"]
    assert version == bjp.__version__
    assert f"\nversion: {version}\n" in text("CITATION.cff")
    entry = re.compile(r"^## \[([\d.]+)\] - \d{4}-\d{2}-\d{2}$", re.MULTILINE)
    newest = entry.search(text("CHANGELOG.md"))
    assert newest is not None
    assert newest[1] == version
    assert "### Numbers" in text("CHANGELOG.md")


class TestPractice:
    def test_its_examples_run(self):
        assert examples("docs/practice.md") == doctest.TestResults(failed=0, attempted=5)

    def test_every_kind_and_format_is_in_its_tables(self):
        rows = re.findall(r"^\| `(\w+)` \| (\w) \|", text("docs/practice.md"), re.MULTILINE)
        assert rows == [(kind.name, kind.letter) for kind in exercises.KINDS.values()]
        row = re.compile(r"^\| `([\w-]+)` \| [^|]{2,} \|$", re.MULTILINE)
        formats = row.findall(text("docs/practice.md"))
        assert formats == list(FORMATS)

    def test_the_hand_in_is_one(self):
        (shown,) = [code for lang, code in blocks("docs/practice.md") if lang == "text"]
        marks = exercises.mark_hand_in(exercises.read_hand_in(shown))
        assert (marks.student, marks.points, marks.remarks) == ("Ada Lovelace", 2, ())

    def test_its_commands_print_what_is_shown(self, capsys, tmp_path, monkeypatch):
        monkeypatch.chdir(tmp_path)
        (tmp_path / "names.txt").write_text("Ada\nBob\n", encoding="utf-8")
        shown, _ = [code for lang, code in blocks("docs/practice.md") if lang == "console"]
        run_commands(shown, capsys)


class TestGallery:
    PICTURE = re.compile(r'srcset="images/(\w+)-dark\.png">\n  <img src="images/(\w+)-light\.png"')

    def test_every_page_has_a_section_and_a_picture(self):
        titles = dict(page for pages in PAGES.values() for page in pages.items())
        sections = re.split(r"^## ", text("docs/gallery.md"), flags=re.MULTILINE)[1:]
        shown = {}
        for section in sections:
            for pair in self.PICTURE.findall(section):
                shown[section.partition("\n")[0]] = pair
        assert {title: (name, name) for name, title in titles.items()}.items() <= shown.items()

    def test_every_picture_is_one_that_the_maker_takes(self):
        taken = {
            f"{name}-{scheme}.png" for name in make_images.NAMES for scheme in ("light", "dark")
        }
        assert {path.name for path in (ROOT / "docs" / "images").glob("*.png")} == taken
        shown = {name for pair in self.PICTURE.findall(text("docs/gallery.md")) for name in pair}
        assert shown == set(make_images.NAMES)


class TestCitation:
    @pytest.fixture
    def citation(self):
        return yaml.safe_load(text("CITATION.cff"))

    def test_readme_cites_the_same_works(self, citation):
        readme = " ".join(text("README.md").replace("\n> ", " ").split())
        paper = citation["references"][0]
        names = ", ".join(
            "{} {}".format(
                " ".join(f"{part[0]}." for part in author["given-names"].split()),
                author["family-names"],
            )
            for author in paper["authors"]
        )
        assert f"{names}: *{paper['title']}*." in readme
        assert f"]({paper['url']}), {paper['year']}." in readme
        assert f"{citation['authors'][0]['name']}: *{citation['title']}*" in readme
        asked = citation["message"].removesuffix(".")
        assert f"**Cite.** {asked}" in readme

    def test_the_paper_in_docs_cites_the_same_work(self, citation):
        (number,) = [one["value"] for one in citation["references"][0]["identifiers"]]
        doi = citation["references"][0]["doi"]
        assert doi == number.replace("arXiv:", "10.48550/arXiv.")
        assert f"doi = {{{doi}}}" in text("docs/paper/paper.bib")
