"""What the documents say is so: their code runs, their links lead somewhere, their tables agree."""

import contextlib
import doctest
import importlib
import io
import re
import tomllib
from itertools import pairwise

import pytest

import bjp_engine as bjp
from benchmarks import marked, paper
from bjp_engine.cli import COMMANDS, main
from bjp_engine.search import PUBLISHED
from docs.commands import help_of
from tests.contracts.recipes import ROOT, case

DOCUMENTS = sorted(
    [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), ROOT / "sample_data" / "README.md"]
)
THEORY = [f"docs/theory/{path.name}" for path in DOCUMENTS if path.parent.name == "theory"]
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
        code = "\n".join(code for language, code in blocks(name) if language == "python")
        runner.run(parser.get_doctest(code, {}, name, name, 0))
    return runner.summarize(verbose=False)


@pytest.mark.parametrize(("document", "blocks_run"), [("README.md", 3), ("docs/auto.md", 1)])
def test_python_code_prints_what_is_shown(monkeypatch, tmp_path, document, blocks_run):
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


def test_commands_print_what_is_shown(monkeypatch, capsys, tmp_path):
    (tmp_path / "names.txt").write_text("Ada\nBob\n", encoding="utf-8")
    for document, folder in (("README.md", ROOT), ("docs/practice.md", tmp_path)):
        monkeypatch.chdir(folder)
        shown = [content for _, content in blocks(document) if content.startswith("$ ")]
        commands = "".join(shown)
        assert commands, document
        for part in commands.split("$ bjp ")[1:]:
            command, _, printed = part.partition("\n")
            with case(document, command):
                assert main(command.split()) == 0
                assert capsys.readouterr().out == printed


def test_the_page_of_commands_names_every_command():
    for command in COMMANDS:
        assert command == "warmup" or f"`bjp {command}" in text("docs/commands.md"), command
        assert help_of(command).startswith(f"usage: bjp {command} ")


def test_examples_of_the_theory_run():
    results = examples(*THEORY)
    assert results.attempted >= 10
    assert not results.failed


def test_the_theory_has_the_names_sections_and_values_of_the_engine():
    (code,) = [c for lang, c in blocks("docs/theory/names.md") if lang == "python"]
    for path in set(re.findall(r"\bbjp\.([\w.]+)", code)):
        owner = bjp
        for part in path.split("."):
            owner = getattr(owner, part)

    pages = "\n".join(map(text, ("docs/theory.md", *THEORY)))
    headings = set(re.findall(r"^##? (\d+)\. ", pages, re.MULTILINE))
    for source in (*ROOT.glob("bjp_engine/**/*.py"), *ROOT.glob("tests/**/*.py")):
        cited = re.findall(r"theory\.md §(\d+)", source.read_text(encoding="utf-8"))
        assert headings.issuperset(cited), source

    data = bjp.read_table(ROOT / "sample_data" / "datasets" / "coronary.csv")
    checks = text("docs/theory/checks.md")
    for method, title in (("bjp", "BJP"), ("ib", "IB-score"), ("mpl", "MPL")):
        trace = bjp.learn(data, method, PUBLISHED[method])
        flips = "" if method == "mpl" else f" {len(trace.steps)}"
        edges, score = trace.graph.number_of_edges(), f"{trace.score:.4f}".replace("-", "−")
        assert f"| {title} |{flips} | {edges} | {score} |" in checks


def test_examples_in_docstrings_run():
    paths = [p for p in ROOT.glob("bjp_engine/**/*.py") if ">>>" in p.read_text("utf-8")]
    assert len(paths) > 30
    for path in paths:
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        # As pasted into a new session: an example imports what it uses.
        results = doctest.testmod(importlib.import_module(name), globs={})
        assert results.attempted, name
        assert not results.failed, name


def test_the_changelog_and_the_citation_know_this_version():
    version = tomllib.loads(text("pyproject.toml"))["project"]["version"]
    assert version == bjp.__version__
    assert f"\nversion: {version}\n" in text("CITATION.cff")
    entry = re.compile(r"^## \[([\d.]+)\] - \d{4}-\d{2}-\d{2}$", re.MULTILINE)
    assert entry.search(text("CHANGELOG.md"))[1] == version


@pytest.mark.slow
def test_examples_of_preparation_and_surveys():
    found = examples("docs/preparation.md", "docs/surveys.md")
    assert (found.attempted >= 15, found.failed) == (True, 0)


def test_examples_of_practice():
    assert examples("docs/practice.md") == doctest.TestResults(failed=0, attempted=4)


CITATION = re.compile(r"@([\w:-]+)")
NUMBERED = re.compile(r"<!-- [\w-]+: .*?<!-- end -->", re.DOTALL)


def test_every_reference_of_the_paper_is_cited_and_complete():
    source = text("docs/paper/paper.bib")
    entries = re.findall(r"^@\w+\{(\S+),\n(.*?)^\}", source, re.MULTILINE | re.DOTALL)
    assert len(entries) == len(dict(entries)) == len(re.findall(r"^@", source, re.MULTILINE)) > 10
    body = text("docs/paper/paper.md").split("---\n", 2)[2]
    assert set(CITATION.findall(body)) == set(dict(entries))
    for key, entry in entries:
        found = dict(re.findall(r"^  (\w+) = \{(.*)\},$", entry, re.MULTILINE))
        assert {"author", "title", "year"} <= set(found), key
        assert found.keys() & {"journal", "booktitle", "publisher", "eprint"}, key
        assert len(found.keys() & {"doi", "nodoi"}) == 1, key  # or why there is none
        assert re.fullmatch(r"10\.\d{4,5}/\S+", found.get("doi", "10.1000/1")), key
        if "eprint" in found:
            assert found["doi"] == f"10.48550/arXiv.{found['eprint']}", key


def test_the_numbers_of_the_paper_are_those_of_the_documents_and_none_is_written_by_hand():
    for name, make in paper.PARTS.items():
        assert marked.read(paper.DOCUMENT, f"paper-{name}").strip() == make(), name
    body = text("docs/paper/paper.md").split("---\n", 2)[2]
    prose = re.sub(r"!?\[[^\]]*@[^\]]*\]|\]\([^)]*\)", "", NUMBERED.sub("", body))
    assert not re.findall(r"\d+", prose)
