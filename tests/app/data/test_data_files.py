"""The page Data with a file of one's own: what is told, what is done, and what can be changed."""

from __future__ import annotations

import gzip
import io
import re
import zipfile
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from bjp_engine.dataset import Dataset
from bjp_engine.health import blanket_limit, health, suggest
from bjp_engine.health.findings import find_row_limit
from bjp_engine.io import read_frame
from bjp_engine.parameters import impute
from bjp_engine.preparation import BinNumbers, MissingCells, Preparation, prepare, prepared
from bjp_explorer.data import reading, views, words
from bjp_explorer.data.upload import Upload
from tests.app.data.uploads import (
    SENATE,
    VOTES,
    check_numbers,
    click,
    in_hand,
    ready,
    said,
    upload,
)
from tests.app.looks import address

Run = Callable[[Any], AppTest]


def choose(app: AppTest, label: str, words: str) -> None:
    """Take one of the values that a widget offers, by its words."""
    (widget,) = (each for each in app.selectbox if each.label.startswith(label))
    place = next(k for k, each in enumerate(widget.options) if each == words)
    ready(widget.select_index(place))


def plan(app: AppTest) -> Preparation:
    """The steps with which the dataset in hand was made."""
    made = in_hand(app).preparation
    assert made is not None
    return made


def messy(rows: int = 240) -> bytes:
    """A table with an identifier, numbers, spellings, holes, a copy and a constant."""
    rng = np.random.default_rng(1)
    smokes = rng.random(rows) < 0.4
    frame = pd.DataFrame(
        {
            "id": [f"p{k}" for k in range(rows)],
            "age": 18 + np.arange(rows) % 70,
            "smokes": np.where(smokes, "yes", "no"),
            "cough": np.where(rng.random(rows) < np.where(smokes, 0.7, 0.2), "x", "o"),
            "unit": "kg",
        }
    )
    frame["copy"] = np.where(smokes, 1, 0)
    frame.loc[::9, "smokes"] = "YES"
    frame.loc[::10, "cough"] = None
    frame["copy"] = frame["smokes"].str.lower().map({"yes": 1, "no": 0})
    return frame.to_csv(index=False).encode()


class TestSuggested:
    def test_scales_with_a_step_each_are_added_up(self, app: AppTest) -> None:
        answers = {
            "a": ["no", "maybe", "yes"],
            "b": ["never", "rarely", "often"],
            "c": ["low", "high", "medium"],
        }
        rng = np.random.default_rng(5)
        frame = pd.DataFrame({name: rng.choice(of, 200) for name, of in answers.items()})
        upload(app, "scales.csv", frame.to_csv(index=False).encode())
        assert "3 steps are applied, as suggested: 3 variables declared as ordered. " in said(app)

    @pytest.mark.slow
    def test_house_votes_is_told_and_in_hand_at_once(
        self, app: AppTest, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(prepared, "impute", impute)  # as often as for anybody
        upload(app, "house_votes_84.csv", VOTES)
        frame, report = read_frame(VOTES)
        check_numbers(app, impute(frame).datasets[0])
        assert in_hand(app).token == address(app)["data"] == Upload("", VOTES).token
        text = said(app)
        assert "house_votes_84.csv is a text table delimited by commas" in text
        assert "435 rows and 17 columns. 1 step is applied, as suggested" in text
        assert "392 missing cells in 16 variables: imputed after all steps" in text
        assert "imputed 20 times under the network (seed 0), assumed to be missing at" in text
        for note in report.notes:
            assert note in text
        assert "house_votes_84.csv" in app.sidebar.markdown[0].value.replace("\\", "")

    @pytest.mark.parametrize("content", [VOTES, SENATE, messy()], ids=["votes", "senate", "messy"])
    def test_what_is_suggested_is_done_and_each_finding_is_told(
        self, app: AppTest, content: bytes
    ) -> None:
        upload(app, "file.csv", content)
        frame = read_frame(content)[0]
        report = health(frame)
        expected = prepare(frame, suggest(report))
        loaded = in_hand(app)
        assert loaded.data.digest == expected.data.digest
        assert loaded.preparation == expected.preparation
        text = said(app)
        data = expected.data
        limit = blanket_limit(data.rows, data.cardinalities)
        now = find_row_limit(limit, data.n, data.rows)
        found = [now if one.kind == now.kind else one for one in report.findings]
        places = {text.index(" ".join(one.sentence.split())) for one in found}
        assert len(places) == len(report.findings)
        for one, step in zip(expected.trace, suggest(report).steps, strict=True):
            assert " ".join(step.sentence.split()) in text
            assert one.sentence in text

    def test_what_is_open_comes_before_what_is_resolved(self, app: AppTest) -> None:
        rows = "".join(f"{k % 2},{'' if k % 9 == 0 else k % 3},{k % 4},only\n" for k in range(60))
        upload(app, "open.csv", ("a,b,c,same\n" + rows).encode() + b"0,1,rare,only\n")

        def titles() -> list[tuple[str, bool]]:
            badges = [one.value for one in app.markdown if "-badge[" in one.value]
            return [(one.partition("] ")[2], "resolved]" in one) for one in badges]

        shown = titles()
        assert {resolved for _, resolved in shown} == {True, False}
        assert [resolved for _, resolved in shown] == sorted(resolved for _, resolved in shown)
        # Whoever takes a step back finds its line where it was.
        undo = [one for one in app.button if one.label == "Undo" and not one.disabled]
        ready(undo[-1].click())
        assert [title for title, _ in titles()] == [title for title, _ in shown]

    def test_a_clean_file_is_used_as_it_is(self, app: AppTest) -> None:
        upload(app, "t.csv", b"a,b\n" + b"0,x\n1,y\n1,x\n0,y\n" * 10)
        assert "Both columns are used unchanged; no cell is missing." in said(app)
        assert "No steps: the file is used unchanged." in said(app)
        assert plan(app).steps == ()

    def test_missing_cells_are_counted_in_the_file(self, app: AppTest) -> None:
        upload(app, "votes.csv", VOTES)
        assert app.dataframe[1].value["Missing"].sum() == 392
        (table,) = (each.value for each in app.dataframe if "Kind" in each.value)
        assert table["Missing"].sum() == 392
        assert set(table["Kind"]) == {"category"}


class TestFindings:
    def test_each_is_taken_back_and_done_again(self, app: AppTest) -> None:
        upload(app, "messy.csv", messy())
        first = in_hand(app)
        report = health(read_frame(messy())[0])
        advised = [k for k, one in enumerate(report.findings) if one.advised]
        assert len(advised) == 5
        for k in advised:
            if report.findings[k].kind == "missing":
                continue
            kind = report.findings[k].kind
            ready(app.button(key=f"data-finding-{k}").click())
            assert in_hand(app).data.digest != first.data.digest, kind
            assert app.button(key=f"data-finding-{k}").label == report.findings[k].action
            ready(app.button(key=f"data-finding-{k}").click())
            assert in_hand(app).data.digest == first.data.digest, kind
            assert in_hand(app).token == first.token

    def test_without_an_answer_to_missing_cells_there_is_no_dataset(self, app: AppTest) -> None:
        upload(app, "messy.csv", messy())
        first = in_hand(app)
        assert app.button(key="data-finding-0").label == "Undo"
        ready(app.button(key="data-finding-0").click())
        assert "still missing" in app.error[0].value
        assert in_hand(app).data.digest == first.data.digest
        ready(app.button(key="data-undo").click())
        assert not app.error
        assert in_hand(app).token == first.token

    def test_missing_cells_have_other_answers(self, app: AppTest) -> None:
        upload(app, "votes.csv", VOTES)
        frame = read_frame(VOTES)[0]
        click(app, "Drop their rows (232 left)")
        check_numbers(app, Dataset.from_frame(frame, missing="drop"))
        assert address(app)["data"] == f"{Upload('', VOTES).token}:drop"
        click(app, "Fill in the most frequent state")
        filled = prepare(frame, [MissingCells("most_frequent")]).data
        assert in_hand(app).data.digest == filled.digest
        click(app, "Make them a state")
        assert in_hand(app).data.digest == Dataset.from_frame(frame, missing="state").digest
        click(app, "Impute (20 times)")
        assert in_hand(app).token == Upload("", VOTES).token

    def test_no_row_of_the_senate_is_complete(self, app: AppTest) -> None:
        upload(app, "senate109.csv", SENATE)
        assert "no row is complete" in said(app)
        assert not [each for each in app.button if each.label.startswith("Drop their rows")]
        assert (in_hand(app).data.rows, in_hand(app).data.n) == (645, 101)


class TestSteps:
    def test_one_is_removed_and_undone(self, app: AppTest) -> None:
        upload(app, "messy.csv", messy())
        kinds = [step.kind for step in plan(app).steps]
        assert kinds == ["drop", "tidy", "missing", "bins"]
        ready(app.button(key="data-step-out-2").click())
        assert [step.kind for step in plan(app).steps] == ["drop", "missing", "bins"]
        assert app.button(key="data-suggested")
        ready(app.button(key="data-undo").click())
        assert [step.kind for step in plan(app).steps] == kinds
        assert app.button(key="data-undo").disabled

    def test_one_is_done_earlier(self, app: AppTest) -> None:
        upload(app, "messy.csv", messy())
        ready(app.button(key="data-step-up-3").click())
        assert [step.kind for step in plan(app).steps] == ["drop", "missing", "tidy", "bins"]
        ready(app.button(key="data-suggested").click())
        assert [step.kind for step in plan(app).steps] == ["drop", "tidy", "missing", "bins"]

    def test_all_are_removed(self, app: AppTest) -> None:
        upload(app, "t.csv", b"a,b\n" + b"0,x\n1,y\n1,X\n0,y\n" * 10)
        assert len(plan(app).steps) == 1
        ready(app.button(key="data-no-steps").click())
        assert in_hand(app).data.labels[1] == ("X", "x", "y")
        assert address(app)["data"].endswith(":a0")

    def test_they_are_saved_and_applied_to_another_file(
        self, app: AppTest, open_app: Callable[..., AppTest]
    ) -> None:
        upload(app, "messy.csv", messy())
        steps = plan(app)
        other = messy(rows=400)
        again = upload(open_app(), "other.csv", other)
        apply(again, steps.to_json())
        expected = prepare(read_frame(other)[0], steps)
        assert in_hand(again).data.digest == expected.data.digest
        assert in_hand(again).data.labels == in_hand(app).data.labels
        own = prepare(read_frame(other)[0], steps.unfitted())
        assert own.data.labels != expected.data.labels
        ready(again.button(key="data-undo").click())
        assert in_hand(again).token == Upload("", other).token

    def test_decided_anew_where_that_is_wanted(self, app: AppTest) -> None:
        steps = prepare(read_frame(messy())[0], suggest(health(read_frame(messy())[0])))
        other = messy(rows=400)
        upload(app, "other.csv", other)
        apply(app, steps.preparation.to_json(), alike=False)
        own = prepare(read_frame(other)[0], steps.preparation.unfitted())
        assert in_hand(app).data.digest == own.data.digest

    def test_steps_that_do_not_fit_are_told_and_taken_back(self, app: AppTest) -> None:
        upload(app, "votes.csv", VOTES)
        digest = in_hand(app).data.digest
        apply(app, Preparation((BinNumbers(("age",)),)).to_json())
        assert "Step 1" in app.error[0].value
        assert "there is no column 'age'" in app.error[0].value.replace("\\", "")
        assert in_hand(app).data.digest == digest
        ready(app.button(key="data-undo").click())
        assert not app.error

    @pytest.mark.parametrize(
        ("text", "sentence"),
        [
            ("{", "not JSON"),
            ("[]", "not a preparation"),
            ('{"type": "preparation", "version": 1, "steps": [{"step": "run"}]}', "not known"),
            ('{"type": "preparation", "version": 1, "steps": [{"step": "sample"}]}', "Step 1"),
        ],
    )
    def test_a_file_that_is_no_list_of_steps(self, app: AppTest, text: str, sentence: str) -> None:
        upload(app, "votes.csv", VOTES)
        token = in_hand(app).token
        apply(app, text, press=False)
        assert sentence in app.error[0].value.replace("\\", "")
        assert in_hand(app).token == token


def apply(app: AppTest, text: str, *, alike: bool = True, press: bool = True) -> None:
    """Apply steps that were saved."""
    (place,) = (one for one in app.file_uploader if one.label == "Apply the steps of a file")
    ready(place.set_value(("steps.json", text.encode(), "application/json")))
    for box in app.checkbox:
        if box.label.startswith("Use the cuts") and not alike:
            ready(box.set_value(False))
    if press:
        ready(app.button(key="data-steps-apply").click())


class TestReading:
    def test_it_is_read_once(self, app: AppTest, monkeypatch: pytest.MonkeyPatch) -> None:
        reads: list[str] = []
        looks: list[int] = []
        real, looked = reading.read_columns, reading.health

        def counted(source: Any, *args: Any, **options: Any) -> Any:
            reads.append(source.name)
            return real(source, *args, **options)

        def looking(*args: Any) -> Any:
            looks.append(1)
            return looked(*args)

        monkeypatch.setattr(reading, "read_columns", counted)
        monkeypatch.setattr(reading, "health", looking)
        upload(app, "votes.csv", VOTES)
        click(app, "Drop their rows (232 left)")
        ready(app.selectbox(key="data-variable").set_value("party"))
        assert (reads, looks) == (["votes.csv"], [1])

    def test_it_stays_when_one_leaves_and_returns(
        self, app: AppTest, switch_page: Callable[[AppTest, str], AppTest]
    ) -> None:
        upload(app, "votes.csv", VOTES)
        click(app, "Drop their rows (232 left)")
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

    def test_a_german_table(self, app: AppTest) -> None:
        rng = np.random.default_rng(0)
        rows = [
            f"{'Köln' if rng.random() < 0.5 else 'Bonn'};{i % 3};{rng.normal(70, 9):.2f}".replace(
                ".", ","
            )
            for i in range(300)
        ]
        upload(app, "städte.csv", "\n".join(["Stadt;Größe;kg", *rows]).encode("cp1252"))
        assert in_hand(app).data.names == ("Stadt", "Größe", "kg")
        assert "delimited by semicolons" in said(app)
        assert "not UTF-8" in said(app)
        options = {each.label: each for each in app.selectbox}
        assert options["Delimiter"].value == 0
        assert options["Delimiter"].options[0] == "semicolon (detected)"
        assert options["Encoding"].options[0].endswith("(Windows-1252) (detected)")
        assert options["Decimal separator"].options[0] == "a comma (detected)"

    def test_what_was_guessed_is_changed(self, app: AppTest) -> None:
        lines = "\n".join(f"1,{k % 5};{k % 2}" for k in range(40))
        upload(app, "t.csv", f"a;b\n{lines}\n".encode())
        assert in_hand(app).data.names == ("a", "b")
        choose(app, "Delimiter", "comma")
        assert "Line" in app.error[0].value or in_hand(app).data.names != ("a", "b")
        choose(app, "Delimiter", "semicolon")
        assert address(app)["data"].endswith(":d1")
        choose(app, "Decimal separator", "a comma")
        choose(app, "Thousands separator", "a comma")
        assert "same character" in app.error[0].value
        assert address(app)["data"].endswith(":d1:n1")

    def test_a_malformed_line_is_told_with_its_number_and_may_be_left_out(
        self, app: AppTest
    ) -> None:
        upload(app, "t.csv", b"a,b\n" + b"0,1\n1,0\n" * 20 + b"1,2,3\n" + b"1,1\n")
        assert "Line 42" in app.error[0].value
        choose(app, "Rows with the wrong", "leave these rows out")
        assert in_hand(app).data.rows == 41
        assert "42" in said(app)

    def test_an_index_column_is_left_out_and_told(self, app: AppTest) -> None:
        frame = pd.DataFrame({"a": [0, 1] * 20, "b": ["x", "y", "y", "x"] * 10})
        upload(app, "t.csv", frame.to_csv().encode())
        check_numbers(app, Dataset.from_frame(frame))
        assert "counts the rows; it was left out" in said(app)

    def test_the_sheet_of_a_workbook_is_chosen(self, app: AppTest) -> None:
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
        assert address(app)["data"].endswith(":s1")

    def test_the_file_of_an_archive_is_chosen(self, app: AppTest) -> None:
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("read me.md", "Two tables.")
            archive.writestr("one.csv", "a,b\n" + "0,1\n1,0\n1,1\n" * 9)
            archive.writestr("two.csv", "c,d\n" + "0,1\n1,0\n0,0\n" * 9)
        upload(app, "both.zip", packed.getvalue())
        assert in_hand(app).data.names == ("a", "b")
        choose(app, "File in the archive", "two.csv")
        assert in_hand(app).data.names == ("c", "d")
        assert address(app)["data"].endswith(":m1")

    def test_a_table_that_is_packed(self, app: AppTest) -> None:
        upload(app, "t.csv.gz", gzip.compress(VOTES))
        assert in_hand(app).data.rows == 435

    def test_a_table_without_names(self, app: AppTest) -> None:
        upload(app, "t.csv", b"0,1\n1,0\n1,1\n0,0\n")
        (header,) = (each for each in app.checkbox if each.label.startswith("The first line"))
        ready(header.set_value(False))
        assert in_hand(app).data.names == (0, 1)
        assert in_hand(app).data.rows == 4
        assert address(app)["data"].endswith(":h0")

    @pytest.mark.parametrize(
        ("name", "content", "sentence"),
        [
            ("empty.csv", b"", "is empty"),
            ("picture.csv", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "is a picture"),
            ("ragged.csv", b"a,b\n1,2\n1,2,3\n", "Line 3"),
            ("book.xlsx", b"PK\x03\x04 no workbook", "Excel workbook"),
            ("t.pkl", b"\x80\x04", "could run code"),
        ],
    )
    def test_what_cant_be_read_costs_nothing(
        self, app: AppTest, name: str, content: bytes, sentence: str
    ) -> None:
        upload(app, "votes.csv", VOTES)
        before = in_hand(app).data.digest
        ready(app.file_uploader(key="data-file").set_value((name, content, "text/csv")))
        assert sentence in app.error[0].value.replace("\\", "")
        assert in_hand(app).data.digest == before
        assert "Still using votes.csv" in said(app)
        ready(app.file_uploader(key="data-file").set_value(None))
        assert not app.error
        assert "435 rows and 17 columns" in said(app)

    @pytest.mark.parametrize(
        ("content", "sentence"),
        [
            (b"only\n" + b"0\n1\n" * 20, "Only 'only' is left"),
            (
                b"id,g\n" + b"".join(b"p%d,%d\n" % (i, i % 2) for i in range(40)),
                "Only 'g' is left",
            ),
            (b"a,b\n" + b"1,2\n" * 40, "no variable would be left"),
        ],
    )
    def test_fewer_than_two_usable_columns_get_one_sentence(
        self, app: AppTest, content: bytes, sentence: str
    ) -> None:
        upload(app, "few.csv", content)
        assert len(app.error) == 1
        assert sentence in app.error[0].value.replace("\\", "")
        assert "Fewer than two variables" in said(app)
        assert in_hand(app).token == "coronary"

    def test_beyond_a_limit_one_is_told_what_to_do(
        self, app: AppTest, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("BJP_MAX_COLUMNS", "10")
        upload(app, "votes.csv", VOTES)
        assert "BJP_MAX_COLUMNS" in app.error[0].value.replace("\\", "")
        assert "leave columns out" in app.error[0].value

    def test_hostile_names_stay_text(self, app: AppTest) -> None:
        names = ["**b**", "<img src=x onerror=alert(1)>", "[a](javascript:x)", "$x$", "a" * 9000]
        names += ["=cmd|' /C calc'!A0", '" onload=', r"$\href{javascript:x}{y}$", "\u202eabc\u202c"]
        frame = pd.DataFrame({name: ["<b>u</b>", "&lt;", "</script>"] * 10 for name in names})
        frame.iloc[::7, 0] = "<B>u</b>"
        frame.iloc[:3, 2] = None
        frame["n"] = np.arange(30) / 7
        upload(app, "<script>**x**.csv", frame.to_csv(index=False).encode())
        assert not any(each.proto.allow_html for each in (*app.markdown, *app.caption))
        assert len(plan(app).steps) >= 2
        kinds = (app.markdown, app.caption, app.subheader, app.error, app.info, app.warning)
        texts = [each.value for kind in kinds for each in kind]
        texts += [each.label for each in (*app.button, *app.selectbox)]
        texts += [each.proto.help for each in app.button]
        for piece in ("<script>", "<img", "[a]", "**b", "$x$", "$\\href", "</script>", "<b>"):
            bare = re.compile(r"(?<!\\)" + re.escape(piece))
            assert not [text for text in texts if bare.search(text)], piece
        assert max(map(len, texts)) < 3000

    def test_the_figure_of_hostile_labels(self, app: AppTest) -> None:
        frame = pd.DataFrame({"a": ["<b>u</b>", "&lt;"] * 10, "b": ["x", "y", "y", "x"] * 5})
        upload(app, "t.csv", frame.to_csv(index=False).encode())
        figure = views.counts_figure(in_hand(app).data, 0)
        assert figure.layout.yaxis.ticktext == ("&amp;lt;", "&lt;b&gt;u&lt;/b&gt;")


class TestForms:
    def add(self, app: AppTest, kind: str) -> None:
        """Open the form of a kind of step."""
        choose(app, "Add a step", words.FORMS[kind])

    def send(self, app: AppTest) -> None:
        """Add the step."""
        click(app, "Add this step")

    def test_variables_are_kept_or_left_out(self, app: AppTest) -> None:
        upload(app, "votes.csv", VOTES)
        names = in_hand(app).data.names
        self.add(app, "keep")
        app.multiselect[0].set_value([names[0], names[1], names[4]])
        self.send(app)
        frame = read_frame(VOTES)[0].iloc[:, [0, 1, 4]]
        check_numbers(app, impute(frame).datasets[0])
        assert address(app)["data"].endswith(":c0.1.4:impute")
        self.add(app, "drop")
        app.multiselect[0].set_value([names[1]])
        self.send(app)
        assert in_hand(app).data.names == (names[0], names[4])
        assert address(app)["data"].endswith(":c0.4:impute")

    def test_missing_cells_of_one_variable(self, app: AppTest) -> None:
        upload(app, "votes.csv", VOTES)
        self.add(app, "missing")
        app.multiselect[0].set_value(["handicapped_infants"])
        app.radio(key=next(r.key for r in app.radio if r.label == "Their missing cells")).set_value(
            "most_frequent"
        )
        self.send(app)
        steps = [MissingCells("most_frequent", ("handicapped_infants",)), MissingCells("impute")]
        expected = prepare(read_frame(VOTES)[0], steps)
        assert plan(app) == expected.preparation
        assert in_hand(app).data.labels[1] == ("n", "y")
        assert ":p" in address(app)["data"]

    @pytest.mark.parametrize("how", ["quantile", "equal_width", "kmeans", "cuts", "whole"])
    def test_numbers_are_cut_in_every_way(self, app: AppTest, how: str) -> None:
        upload(app, "messy.csv", messy())
        self.add(app, "bins")
        app.multiselect[0].set_value(["age"])
        (ways,) = (each for each in app.selectbox if each.label == "Bins")
        if how != "cuts":  # they count as soon as there are any
            ways.set_value(how)
        (most,) = (each for each in app.number_input if each.label == "At most how many")
        most.set_value(3)
        if how == "cuts":
            (cuts,) = (each for each in app.text_input if each.label == words.CUTS)
            cuts.set_value("30; 65")
        self.send(app)
        step = BinNumbers(("age",), how, 3, (30, 65) if how == "cuts" else None)
        frame = read_frame(messy())[0]
        steps = [one for one in suggest(health(frame)).steps if one.kind != "bins"]
        expected = prepare(frame, [*steps, step])
        assert in_hand(app).data.digest == expected.data.digest
        assert [one.kind for one in plan(app).steps].count("bins") == 1

    def test_what_cant_be_a_step_is_told(self, app: AppTest) -> None:
        upload(app, "messy.csv", messy())
        before = in_hand(app).token
        self.add(app, "bins")
        app.multiselect[0].set_value(["age"])
        (cuts,) = (each for each in app.text_input if each.label == words.CUTS)
        cuts.set_value("65; 30")
        self.send(app)
        assert "must rise" in app.error[0].value
        assert in_hand(app).token == before

    def test_states_are_merged_ordered_and_renamed(self, app: AppTest) -> None:
        lines = [f"{'abcde'[min(4, k % 11)]},{'xy'[k % 2]}" for k in range(66)]
        lines += ["f,x", "g,y"]
        upload(app, "t.csv", "\n".join(["letter,other", *lines]).encode())
        ready(app.button(key="data-no-steps").click()) if plan(app).steps else None
        assert len(in_hand(app).data.labels[0]) == 7
        self.add(app, "merge")
        self.send(app)
        assert in_hand(app).data.labels[0] == ("e", "other")
        self.add(app, "order")
        app.text_area[0].set_value("other\ne")
        self.send(app)
        assert in_hand(app).data.labels[0] == ("other", "e")
        self.add(app, "rename")
        (new,) = (each for each in app.text_input if each.label == "Its new name")
        new.set_value("first")
        self.send(app)
        assert in_hand(app).data.names == ("first", "other")
        assert [one.kind for one in plan(app).steps] == ["merge_rare", "order", "rename"]

    def test_texts_are_tidied_and_rows_sampled(self, app: AppTest) -> None:
        upload(app, "votes.csv", VOTES)
        self.add(app, "sample")
        (number,) = (each for each in app.number_input if each.label == "How many, or k")
        number.set_value(100)
        self.send(app)
        assert in_hand(app).data.rows == 100
        self.add(app, "tidy")
        self.send(app)
        assert [one.kind for one in plan(app).steps] == ["sample", "tidy", "missing"]
