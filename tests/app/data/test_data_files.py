"""The page Data with a file of one's own: what is told, what is done, and what can be changed."""

import gzip
import io
import zipfile

import numpy as np
import pandas as pd

from bjp_engine.dataset import Dataset
from bjp_engine.health import health, suggest
from bjp_engine.health.report import find_row_limit
from bjp_engine.io import read_frame
from bjp_engine.preparation import BinNumbers, prepare
from bjp_engine.resources import sample_data
from bjp_explorer.data import reading
from bjp_explorer.data.upload import Upload
from tests.app.data.uploads import (
    VOTES,
    check_numbers,
    choose,
    click,
    error,
    field,
    in_hand,
    kinds,
    messy,
    plan,
    ready,
    said,
    upload,
)
from tests.app.looks import address


def check_suggested(app, content):
    """What is suggested was done, and each finding has a place of its own on the page."""
    frame = read_frame(content)[0]
    report = health(frame)
    expected = prepare(frame, suggest(report))
    loaded = in_hand(app)
    assert loaded.data.digest == expected.data.digest
    assert loaded.preparation == expected.preparation
    text, data = said(app), expected.data
    now = find_row_limit(data.rows, data.cardinalities, data.rows)
    found = [now if one.kind == now.kind else one for one in report.findings]
    places = {text.index(" ".join(one.sentence.split())) for one in found}
    assert len(places) == len(report.findings)
    for one, step in zip(expected.trace, suggest(report).steps, strict=True):
        assert " ".join(step.sentence.split()) in text
        assert one in text


def test_votes_are_read_once_and_missing_cells_have_other_answers(app, switch_page, monkeypatch):
    calls = []

    def counted(name, real):
        return lambda *args, **more: calls.append(name) or real(*args, **more)

    for name in ("read_columns", "health"):
        monkeypatch.setattr(reading, name, counted(name, getattr(reading, name)))
    upload(app, "votes.csv", VOTES)
    check_suggested(app, VOTES)
    usual = Upload("", VOTES).token
    assert in_hand(app).token == address(app)["data"] == usual
    (table,) = (each.value for each in app.dataframe if "Kind" in each.value)
    assert (table["Missing"].sum(), set(table["Kind"])) == (392, {"category"})

    frame = read_frame(VOTES)[0]
    click(app, "Make them a state")
    assert in_hand(app).data.digest == Dataset.from_frame(frame, missing="state").digest
    ready(app.button(key="data-missing-impute").click())
    assert in_hand(app).token == usual
    click(app, "Drop their rows (232 left)")
    check_numbers(app, Dataset.from_frame(frame, missing="drop"))
    assert address(app)["data"].startswith(f"{usual}:z")
    ready(app.selectbox(key="data-variable").set_value("party"))
    assert calls == ["read_columns", "health"]

    digest = in_hand(app).data.digest
    switch_page(app, "method")
    assert "votes.csv" in app.sidebar.markdown[0].value.replace("\\", "")
    switch_page(app, "data")
    assert app.segmented_control(key="data-way").value == "file"
    assert in_hand(app).data.digest == digest
    ready(app.segmented_control(key="data-way").set_value("sample"))
    assert in_hand(app).token == "coronary"
    ready(app.segmented_control(key="data-way").set_value("file"))
    assert in_hand(app).data.digest == digest


def test_each_finding_and_each_step_is_taken_back_and_done_again(app):
    upload(app, "messy.csv", messy())
    check_suggested(app, messy())
    first, usual = in_hand(app), kinds(app)
    assert usual == ["roles", "tidy", "missing", "bins"]
    (table,) = (each.value for each in app.dataframe if "Role" in each.value)
    roles = dict(zip(table["Column"], table["Role"], strict=True))
    assert (roles["age"], roles["smokes"], roles["id"]) == (
        "ordered variable",
        "variable",
        "left out",
    )
    findings = health(read_frame(messy())[0]).findings
    advised = [k for k, one in enumerate(findings) if one.advised]
    assert len(advised) == 6
    for k in advised:
        button = f"data-finding-{k}"
        assert app.button(key=button).label == "Undo"
        ready(app.button(key=button).click())
        if findings[k].kind == "missing":
            # Without an answer to missing cells there is no dataset.
            assert "still missing" in error(app)
            assert in_hand(app).data.digest == first.data.digest
            ready(app.button(key="data-undo").click())
        else:
            assert in_hand(app).data.digest != first.data.digest, findings[k].kind
            assert app.button(key=button).label == findings[k].action
            ready(app.button(key=button).click())
            assert in_hand(app).data.digest == first.data.digest, findings[k].kind
        assert not app.error
        assert in_hand(app).token == first.token

    ready(app.button(key="data-step-out-2").click())
    assert kinds(app) == ["roles", "missing", "bins"]
    assert app.button(key="data-suggested")
    ready(app.button(key="data-undo").click())
    assert kinds(app) == usual


def test_what_is_suggested_for_small_files_and_where_columns_share_no_row(app):
    upload(app, "t.csv", b"a,b\n" + b"0,x\n1,y\n1,x\n0,y\n" * 10)
    assert "No steps: the file is used unchanged." in said(app)
    assert kinds(app) == []

    upload(app, "t.csv", b"a,b\n" + b"0,x\n1,y\n1,X\n0,y\n" * 10)
    assert len(plan(app).steps) == 1
    assert app.button(key="data-undo").disabled
    ready(app.button(key="data-clear").click())
    assert in_hand(app).data.labels[1] == ("X", "x", "y")
    assert ":z" in address(app)["data"]

    scales = [["no", "maybe", "yes"], ["never", "rarely", "often"], ["low", "high", "medium"]]
    rng = np.random.default_rng(5)
    frame = pd.DataFrame({k: rng.choice(of, 200) for k, of in zip("abc", scales, strict=True)})
    upload(app, "scales.csv", frame.to_csv(index=False).encode())
    assert "3 steps are applied, as suggested: 3 variables declared as ordered. " in said(app)

    # What is open comes before what is resolved, the worst first; also once a step is taken back.
    rows = "".join(f"{k % 2},{'' if k % 9 == 0 else k % 3},{k % 4},only\n" for k in range(60))
    upload(app, "open.csv", ("a,b,c,same\n" + rows).encode() + b"0,1,rare,only\n")

    def colours():
        badges = [one.value for one in app.markdown if "-badge[" in one.value]
        return [badge.partition("-badge[")[0].removeprefix(":") for badge in badges]

    order, shown = ("red", "orange", "yellow", "blue", "green"), colours()
    assert {"green"} < {*shown}
    assert shown == sorted(shown, key=order.index)
    undo = [one for one in app.button if one.label == "Undo" and not one.disabled]
    ready(undo[-1].click())
    assert colours().count("green") == shown.count("green") - 1
    assert colours() == sorted(colours(), key=order.index)
    senate = sample_data("datasets", "senate109.csv").read_bytes()
    upload(app, "senate109.csv", senate)
    check_suggested(app, senate)
    # A senator and his successor.
    assert "No row with a value in column 'Corzine_NJ' has one in 'Menendez_NJ'" in said(app)
    complete = len(pd.read_csv(io.BytesIO(senate)).drop(columns="Corzine_NJ").dropna())

    def drops():
        return [each.label for each in app.button if each.label.startswith("Drop their rows")]

    assert drops() == [f"Drop their rows ({complete} left)"]
    assert (in_hand(app).data.rows, in_hand(app).data.n) == (645, 100)
    cells = rng.choice(["n", "y"], (60, 3)).astype(object)
    cells[np.arange(60), np.arange(60) % 3] = None
    upload(app, "holes.csv", pd.DataFrame(cells).to_csv(index=False).encode())
    assert "no row is complete" in said(app)
    assert drops() == []


class TestReading:
    def test_what_was_guessed_is_shown_and_changed(self, app):
        rng = np.random.default_rng(0)
        rows = [
            f"{'Köln' if rng.random() < 0.5 else 'Bonn'};{i % 3};{rng.normal(70, 9):.2f}"
            for i in range(300)
        ]
        content = "\n".join(["Stadt;Größe;kg", *rows]).replace(".", ",").encode("cp1252")
        upload(app, "städte.csv", content)
        assert in_hand(app).data.names == ("Stadt", "Größe", "kg")
        assert "not UTF-8" in said(app)
        assert field(app.selectbox, "Delimiter").options[0] == "semicolon (detected)"
        assert field(app.selectbox, "Decimal separator").options[0] == "a comma (detected)"

        lines = "\n".join(f"1,{k % 5};{k % 2}" for k in range(40))
        upload(app, "t.csv", f"a;b\n{lines}\n".encode())
        assert in_hand(app).data.names == ("a", "b")
        choose(app, "Delimiter", "comma")
        assert "Line 2" in error(app)
        choose(app, "Delimiter", "semicolon")
        assert address(app)["data"].endswith(":d2")
        choose(app, "Decimal separator", "a comma")
        assert address(app)["data"].endswith(":d2:n2")

        upload(app, "t.csv", b"0,1\n1,0\n1,1\n0,0\n")
        choose(app, "Header lines", "none")
        assert in_hand(app).data.names == ("column 1", "column 2")
        assert in_hand(app).data.rows == 4
        assert address(app)["data"].endswith(":h5")

        frame = pd.DataFrame({"a": [0, 1] * 20, "b": ["x", "y", "y", "x"] * 10})
        upload(app, "t.csv", frame.to_csv().encode())
        check_numbers(app, Dataset.from_frame(frame))
        assert "counts the rows; it was left out" in said(app)

    def test_a_sheet_is_chosen_and_a_packed_file_read(self, app):
        first = pd.DataFrame({"a": [0, 1] * 5, "b": ["x", "y", "y", "x", "x"] * 2})
        second = pd.DataFrame({"c": [0, 1, 2] * 5, "d": ["u", "v", "u"] * 4 + ["u"] * 3})
        book = io.BytesIO()
        with pd.ExcelWriter(book) as writer:
            first.to_excel(writer, sheet_name="One", index=False)
            second.to_excel(writer, sheet_name="Two & $x$", index=False)
        upload(app, "book.xlsx", book.getvalue())
        check_numbers(app, Dataset.from_frame(first))
        choose(app, "Sheet", "Two & $x$")
        check_numbers(app, Dataset.from_frame(second))
        assert address(app)["data"].endswith(":s2")

        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("one.csv", "a,b\n" + "0,1\n1,0\n1,1\n" * 9)
        upload(app, "one.zip", packed.getvalue())
        assert in_hand(app).data.names == ("a", "b")
        upload(app, "t.csv.gz", gzip.compress(b"a,b\n" + b"0,1\n1,0\n1,1\n" * 9))
        assert in_hand(app).data.rows == 27

    def test_what_cant_be_used_costs_nothing(self, app, monkeypatch):
        upload(app, "good.csv", b"a,b\n" + b"0,x\n1,y\n1,x\n" * 9)
        before = in_hand(app).token
        identifiers = b"".join(b"p%d,%d\n" % (i, i % 2) for i in range(40))
        few = "Fewer than two variables"
        for name, content, sentence, *text in (
            ("empty.csv", b"", "is empty"),
            ("picture.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is a picture"),
            ("ragged.csv", b"a,b\n1,2\n1,2,3\n", "Line 3"),
            ("book.xlsx", b"PK\x03\x04 no workbook", "Excel workbook"),
            ("t.pkl", b"\x80\x04", "could run code"),
            ("few.csv", b"only\n" + b"0\n1\n" * 20, "Only 'only' is left", few),
            ("few.csv", b"id,g\n" + identifiers, "Only 'g' is left", few),
            ("few.csv", b"a,b\n" + b"1,2\n" * 40, "no variable would be left", few),
        ):
            ready(app.file_uploader(key="data-file").set_value((name, content, "text/csv")))
            assert sentence in error(app)
            assert in_hand(app).token == before, sentence
            for part in (*text, "Still using good.csv"):
                assert part in said(app), sentence
        monkeypatch.setenv("BJP_MAX_COLUMNS", "10")
        upload(app, "votes.csv", VOTES)
        assert "BJP_MAX_COLUMNS" in error(app)
        assert in_hand(app).token == before
        ready(app.file_uploader(key="data-file").set_value(None))
        assert not app.error
        assert "27 rows and 2 columns" in said(app)


class TestForms:
    def add(self, app, kind, names):
        choose(app, "Add a step", kind)
        app.multiselect[0].set_value(names)

    def test_numbers_are_cut(self, app):
        upload(app, "messy.csv", messy())
        frame = read_frame(messy())[0]
        usual = [one for one in suggest(health(frame)).steps if one.kind != "bins"]
        for how, own, cuts in (("quantile", "", None), ("cuts", "30; 65", (30, 65))):
            self.add(app, "Numbers into bins", ["age"])
            field(app.number_input, "At most how many").set_value(3)
            field(app.text_input, "Or own cut").set_value(own)
            click(app, "Add this step")
            expected = prepare(frame, [*usual, BinNumbers(("age",), how, 3, cuts)])
            assert in_hand(app).data.digest == expected.data.digest, how
            assert kinds(app).count("bins") == 1
        before = in_hand(app).token
        self.add(app, "Numbers into bins", ["age"])
        field(app.text_input, "Or own cut").set_value("65; 30")
        click(app, "Add this step")
        assert "must rise" in error(app)
        assert in_hand(app).token == before

    def test_states_are_renamed_and_ordered_codes_are_missing_and_rows_filtered(self, app):
        lines = [f"{'abcde'[k % 5]},{'xy'[k % 2]},{k % 3}" for k in range(66)]
        upload(app, "t.csv", "\n".join(["letter,other,n", *lines]).encode())
        self.add(app, "Recode states", ["letter"])
        app.text_area[0].set_value("a = first\nb = first")
        click(app, "Add this step")
        assert in_hand(app).data.labels[0] == ("first", "c", "d", "e")
        self.add(app, "Order of the states", ["letter"])
        app.text_area[0].set_value("e\nd\nc\nfirst")
        click(app, "Add this step")
        assert (in_hand(app).data.labels[0], in_hand(app).data.ordered[0]) == (
            ("e", "d", "c", "first"),
            True,
        )
        self.add(app, "Codes of missing cells", ["n"])
        app.text_input[-1].set_value("2; 9")
        click(app, "Add this step")
        assert "still missing" in error(app)
        click(app, "Undo last change", -1)
        choose(app, "Add a step", "Filter rows")
        field(app.selectbox, "Variable").set_value("other")
        app.text_area[0].set_value("x")
        click(app, "Add this step")
        assert set(in_hand(app).data.labels[1]) == {"x"}
        assert kinds(app) == ["filter", "recode", "roles"]
