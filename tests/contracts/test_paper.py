"""The paper has what JOSS asks for; its references exist and its numbers are the documents'."""

import re
from pathlib import Path

import yaml

from benchmarks import marked, paper

FOLDER = Path(__file__).parents[2] / "docs" / "paper"
TEXT = (FOLDER / "paper.md").read_text(encoding="utf-8")
BIBLIOGRAPHY = (FOLDER / "paper.bib").read_text(encoding="utf-8")
_, HEAD, BODY = TEXT.split("---\n", 2)
# https://joss.readthedocs.io/en/latest/paper.html, and what JOSE asks for besides.
SECTIONS = (
    *("Summary", "Statement of need", "State of the field", "Software design", "Teaching use"),
    *("Research impact statement", "AI usage disclosure", "Acknowledgements", "References"),
)
FEWEST, MOST = 1000, 1750
BLOCK = re.compile(r"<!-- [\w-]+: .*?<!-- end -->", re.DOTALL)
CITATION = re.compile(r"@([\w:-]+)")


def entries():
    """The fields of each reference, by its key."""
    found = re.findall(r"^@\w+\{(\S+),\n(.*?)^\}", BIBLIOGRAPHY, re.MULTILINE | re.DOTALL)
    assert len(found) == len(dict(found)) == len(re.findall(r"^@", BIBLIOGRAPHY, re.MULTILINE))
    return dict(found)


def test_its_sections_are_those_that_are_asked_for():
    assert tuple(re.findall(r"^# (.+)$", BODY, re.MULTILINE)) == SECTIONS
    assert "should be able to\n\n- " in BODY  # JOSE: learning objectives


def test_its_length():
    words = re.findall(r"[^\W\d_][\w'-]*", CITATION.sub("", re.sub(r"<!--.*?-->", "", BODY)))
    assert FEWEST <= len(words) <= MOST


def test_its_head():
    head = yaml.safe_load(HEAD)
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} == set(head)
    assert head["authors"] == [{"name": "BJP Explorer contributors", "affiliation": 1}]
    assert [one["index"] for one in head["affiliations"]] == [1]
    assert re.fullmatch(r"\d{1,2} [A-Z][a-z]+ \d{4}", head["date"])
    assert head["bibliography"] == "paper.bib"


def test_every_reference_is_cited_and_complete():
    cited = set(CITATION.findall(BODY))
    assert len(cited) > 10
    assert cited == set(entries())

    for key, entry in entries().items():
        found = dict(re.findall(r"^  (\w+) = \{(.*)\},$", entry, re.MULTILINE))
        assert {"author", "title", "year"} <= set(found), key
        assert found.keys() & {"journal", "booktitle", "publisher", "eprint"}, key
        assert len(found.keys() & {"doi", "nodoi"}) == 1, key  # or why there is none
        assert re.fullmatch(r"10\.\d{4,5}/\S+", found.get("doi", "10.1000/1")), key
        if "eprint" in found:
            assert found["doi"] == f"10.48550/arXiv.{found['eprint']}", key


def test_its_numbers_are_those_of_the_documents():
    for name, make in paper.PARTS.items():
        assert marked.read(paper.DOCUMENT, f"paper-{name}").strip() == make(), name


def test_no_number_is_written_by_hand():
    prose = re.sub(r"!?\[[^\]]*@[^\]]*\]|\]\([^)]*\)", "", BLOCK.sub("", BODY))
    assert not re.findall(r"\d+", prose)


def test_figures_have_a_caption_a_label_and_a_reference():
    labels = re.findall(r"^!\[.+\\label\{(fig:\w+)\}\]\(\S+\)$", BODY, re.MULTILINE)
    assert labels
    assert sorted(labels) == sorted(re.findall(r"\\autoref\{(fig:\w+)\}", BODY))
