"""Tables whose names stand below titles or in several lines, and others, which lose no row."""

import csv
import io
from dataclasses import fields

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bjp_engine.errors import DataError, OptionError
from bjp_engine.io import child, read_columns
from bjp_engine.resources import sample_data
from tests.apart import run_here
from tests.awkward import workbooks


@pytest.fixture(autouse=True)
def _here(monkeypatch):
    monkeypatch.setattr(child, "run", run_here)


def text(rows):
    out = io.StringIO(newline="")
    csv.writer(out).writerows(rows)
    return out.getvalue().encode()


def workbook(rows):
    return workbooks.workbook(s=[[cell if cell != "" else None for cell in row] for row in rows])


def titles(table):
    return {name: column.title for name, column in table.columns.items() if column.title}


QUALTRICS = [
    ["StartDate", "Duration (in seconds)", "Q1", "Q2_1", "Q2_2"],
    ["Start Date", "Duration (in seconds)", "How satisfied are you?", "Tea, or not?", "Coffee"],
    [
        '{"ImportId":"startDate","timeZone":"America/Denver"}',
        *(f'{{"ImportId":"{name}"}}' for name in ("duration", "QID1", "QID2_1", "QID2_2")),
    ],
    ["2020-01-01", 12, "very", "Tea", ""],
    ["2020-01-02", 13, "little", "", "Coffee"],
]
MONKEY = [
    ["Respondent ID", "Start Date", "How old are you?", "Which do you drink?", "", "Any remarks?"],
    ["", "", "Response", "Tea", "Coffee", "Open-Ended Response"],
    *([100 + k, "2020-01-01", 20 + k % 3, "Tea" * (k % 2), "Coffee", "fine"] for k in range(6)),
]
TEXTS = [
    ["id", "Q1_1", "Q1_2", "sex"],
    ["Number of the person", "Do you like tea?", "Do you like coffee?", "What is your sex?"],
    *([k, k % 5, k % 3, "mf"[k % 2]] for k in range(9)),
]
WORDS = [
    ["What is your age?", "Do you like tea?", "Do you like coffee?"],
    ["Q1", "Q2_1", "Q2_2"],
    *(["old", "yes", "no"], ["young", "no", "no"], ["old", "no", "yes"]) * 3,
]
CODES = [
    ["What is your age?", "Do you like tea?", "Do you like coffee?"],
    ["Q1", "Q2_1", "Q2_2"],
    *([20 + k, k % 5, k % 3] for k in range(9)),
]


@pytest.mark.parametrize("write", [text, workbook])
def test_headings(write):
    # Of Qualtrics.
    data = write(QUALTRICS)
    table, report = read_columns(data)
    assert (table.names, table.rows) == (tuple(QUALTRICS[0]), 2)
    assert table.columns["Duration (in seconds)"].values.tolist() == [12, 13]
    wanted = {"StartDate": "Start Date", "Q1": "How satisfied are you?"}
    assert titles(table) == {**wanted, "Q2_1": "Tea, or not?", "Q2_2": "Coffee"}
    assert report.chosen.header_rows == 3
    assert "s 1 to 3 hold" in report.notes[0]
    assert "(header_rows=)" in report.notes[0]
    whole, undone = read_columns(data, header_rows=1)
    assert (whole.rows, undone.chosen.header_rows) == (4, 1)
    chosen = {one.name: getattr(report.chosen, one.name) for one in fields(report.chosen)}
    assert read_columns(data, **chosen)[0].rows == 2
    # Of SurveyMonkey.
    table, report = read_columns(write(MONKEY))
    asked = [f"Which do you drink? – {drink}" for drink in ("Tea", "Coffee")]
    assert (table.names, table.rows) == ((*MONKEY[0][:3], *asked, "Any remarks?"), 6)
    assert table.columns["How old are you?"].numeric
    assert report.chosen.header_rows == 2
    # Texts below short names, and above them.
    for rows, names, asked in (
        (TEXTS, TEXTS[0], TEXTS[1]),
        (CODES, CODES[1], CODES[0]),
        (WORDS, WORDS[1], WORDS[0]),
    ):
        table, report = read_columns(write(rows))
        assert (table.names, table.rows) == (tuple(names), 9)
        assert titles(table) == dict(zip(names, asked, strict=True))
        assert report.chosen.header_rows == 2
    assert read_columns(write(TEXTS))[0].columns["Q1_1"].values.tolist() == [0, 1, 2, 3, 4]
    # As many lines as are given.
    data = write([["a", "b"], ["first", "second"], ["x", "y"], ["x", "z"]])
    table, report = read_columns(data, header_rows=2)
    assert (table.rows, titles(table)) == (2, {"a": "first", "b": "second"})
    assert report.chosen.header_rows == 2
    table, _ = read_columns(data)
    assert (table.rows, titles(table)) == (3, {})
    with pytest.raises(DataError, match="header but no rows"):
        read_columns(data, header_rows=9)
    for wrong in (-1, 1.5, True, "two"):
        with pytest.raises(OptionError, match="header_rows"):
            read_columns(data, header_rows=wrong)
    assert read_columns(data, header_rows=0)[0].rows == 4


GROUPS = [
    ["id", "Person", "", "Attitudes", "", ""],
    ["no", "age", "sex", "trust", "fear", "other"],
    *([k, 20 + k % 7, "mf"[k % 2], k % 4, k % 3, "xyz"[k % 3]] for k in range(24)),
]


@pytest.mark.parametrize("write", [text, workbook])
def test_titles_above_and_groups_of_columns(write):
    names, *rows = GROUPS[1:]
    # Groups over names; where two groups have the same names, each name with its group.
    table, report = read_columns(write(GROUPS))
    assert (table.names, table.rows) == (tuple(names), 24)
    assert titles(table)["sex"] == "Person"
    assert titles(table)["other"] == "Attitudes"
    assert report.chosen.header_rows == 2
    twice = [["A", "", "B", ""], ["rate", "why", "rate", "why"], *(row[1:5] for row in rows)]
    names_of_both = ("A – rate", "A – why", "B – rate", "B – why")
    assert read_columns(write(twice))[0].names == names_of_both
    # Without a number, where a row like it is improbable.
    scale = ["never", "seldom", "often", "always"]
    texts = [[scale[(k * j) % 4] for j in (1, 3, 5, 7)] for k in range(12)]
    asked = [["Before", "", "After", ""], ["calm", "glad", "calm", "sad"], *texts]
    names_of_both = tuple(
        f"{group} – {name}"
        for group, name in zip(("Before", "Before", "After", "After"), asked[1], strict=True)
    )
    assert read_columns(write(asked))[0].names == names_of_both
    # Titles: narrow, or as wide as the table; of one cell or several; one line or some.
    for above in (
        [["Poll of 2020"]],
        [["Poll of 2020"], ["Exported", "2020-05-01"]],
        [["Poll of 2020", "", "", "", "", ""]],
        [["Poll", "3/13/2015", "", "", "", ""]],
        [["Poll", *[""] * 5], ["Wave", "2", *[""] * 4]],
        [["Poll"] * 6],
    ):
        table, report = read_columns(write([*above, names, *rows]))
        assert (table.names, table.rows) == (tuple(names), 24), above
        assert report.chosen.skip_lines == len(above), above
        assert "'Poll" in report.notes[0], above
        chosen = {one.name: getattr(report.chosen, one.name) for one in fields(report.chosen)}
        assert read_columns(write([*above, names, *rows]), **chosen)[0].names == table.names
    # Where a person says that there is none, the line is a group; what looks like one and isn't.
    kept = read_columns(write([["Poll", *[""] * 5], names, *rows]), skip_lines=0)[0]
    assert (kept.names, kept.rows, titles(kept)["sex"]) == (tuple(names), 24, "Poll")
    for first in (["a", "", "", "d", "e", "f"], ["a", "b", "c", "", "", ""]):
        table, report = read_columns(write([first, *rows]))
        assert (table.rows, report.chosen.header_rows) == (24, 1), first
    words = [["m", "yes", "left"], ["f", "no", "right"]]
    for rows in (words * 6, [["x", "y", "z"], *words * 2]):
        assert read_columns(write([["sex", "", "side"], *rows]))[0].rows == len(rows), rows


def test_a_row_that_may_be_one_stays():
    for rows in (
        # A number among the texts, a missing cell, a text of another row, a text twice.
        [TEXTS[0], ["Number of it", 3, "Do you like tea?", "And so on?"], *TEXTS[2:]],
        [TEXTS[0], ["Number of it", "", "Do you like tea?", "And so on?"], *TEXTS[2:]],
        [*TEXTS, ["9", "1", "1", TEXTS[1][3]]],
        [TEXTS[0], ["Number of it", "Do you?", "Do you?", "And so on?"], *TEXTS[2:]],
        # Fewer rows than tell a line from them; fewer columns.
        TEXTS[:5],
        [row[:2] for row in TEXTS],
        [["answer"], ["I do not know"], *[["yes"], ["no"]] * 5],
        # A question named "Response" in a table without respondents' numbers.
        [["Stimulus kind", "Shown first"], ["", "Response"], *[["a", "b"]] * 6],
        # Persons, all different.
        [
            ["name", "town", "job", "pet", "car"],
            *([f"{w} {k} of it" for w in "abcde"] for k in "xyzuvwrst"),
        ],
    ):
        table, report = read_columns(text(rows))
        assert table.rows == len(rows) - 1, rows[:3]
        assert report.chosen.header_rows == 1
        assert not titles(table)
    for path in sample_data("datasets").glob("*.csv"):
        assert read_columns(path)[1].chosen.header_rows == 1, path


def test_a_first_row_of_longer_words_stays():
    body = [["red", "left", "yes", "low", "day"], ["blue", "up", "no", "high", "dusk"]]
    longer = ["dark green", "right side", "not known", "very low", "late evening"]
    asked = ["Which colour?", "Side it was on", "Who was its owner", "very low", "late evening"]
    ids = [f'{{"ImportId":"QID{k}"}}' for k in range(5)]
    for rows in (9, 10, 13, 40):
        # Three questions of five texts are enough, two are not; ids are no row.
        for first, eaten in ((longer, 0), (asked, 1), ([*asked[:2], *longer[2:]], 0), (ids, 1)):
            names = ["colour", "side", "owner", "level", "time"]
            table, report = read_columns(text([names, first, *(body * rows)[: rows - 1]]))
            assert (table.rows, report.chosen.header_rows) == (rows - eaten, 1 + eaten), first


@st.composite
def ordinary(draw):
    """Tables whose first row has a number, nothing, or a text that another row holds."""
    columns, rows = draw(st.integers(1, 6)), draw(st.integers(1, 12))
    words = st.sampled_from(
        ["yes", "no", "don't know", "Q1", "Q1_1", "a very long answer", "Response", "3", "0.5"]
    )
    body = [[draw(words) for _ in range(columns)] for _ in range(rows)]
    place = draw(st.integers(0, columns - 1))
    body[0][place] = draw(st.sampled_from(["17", "", body[-1][place]]))
    if body[0][place] not in ("17", "") and rows == 1:
        body[0][place] = "17"
    names = draw(st.sampled_from(["v{}", "Q{}_1", "What about {}?"]))
    return [[names.format(k) for k in range(columns)], *body]


@given(rows=ordinary())
def test_no_row_of_an_ordinary_table_is_eaten(rows):
    lone = len(rows[0]) == 1 and not rows[1][0]
    try:
        table, _ = read_columns(text(rows))
    except DataError:
        assert lone or len(rows) == 2
        return
    assert table.rows == len(rows) - 1
    assert not titles(table)
