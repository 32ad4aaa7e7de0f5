"""What a token says of a file, and what edits make of a list of steps."""

import io
import zipfile
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bjp_engine.errors import BJPError, OptionError
from bjp_engine.io import ReadOptions
from bjp_engine.preparation import (
    BinNumbers,
    DropVariables,
    KeepVariables,
    MergeRare,
    MissingCells,
    OrderStates,
    Preparation,
    RenameVariables,
    SampleRows,
    TidyText,
    prepare,
)
from bjp_explorer.data import fields, file_token, options
from bjp_explorer.data import plan as data_plan
from bjp_explorer.data.reading import read, what_it_is
from bjp_explorer.data.upload import Upload
from bjp_explorer.shell.visit import _FILE
from tests.app.data.uploads import messy
from tests.refusals import assert_refused

CSV = b"a,b\n" + b"0,x\n1,y\n1,x\n" * 9
NAMES = ("id", "age", "smokes", "cough", "unit", "copy")


@pytest.fixture(scope="module")
def reading():
    found = read(Upload("t.csv", messy()), ReadOptions())
    assert [step.kind for step in found.suggestion.steps] == ["drop", "tidy", "missing", "bins"]
    return found


STEPS = (
    KeepVariables(("smokes", "cough")),
    DropVariables(("age",)),
    DropVariables(("id", "copy")),
    *map(MissingCells, ("drop", "state", "most_frequent")),
    MissingCells("impute", seed=1),
    MissingCells("state", ("cough",)),
    TidyText(),
    BinNumbers(("age",), "equal_width", 3),
    MergeRare(below=5),
    OrderStates("smokes", ("yes", "no")),
    RenameVariables((("age", "years"),)),
    SampleRows("random", 50, 3),
)


class TestToken:
    @given(st.data())
    def test_a_token_leads_back_to_the_steps(self, reading, data):
        usual = reading.suggestion.steps
        chosen = data.draw(st.lists(st.sampled_from((*STEPS, *usual)), max_size=6))
        whole = data.draw(st.booleans())
        plan = Preparation((*usual, *chosen) if whole else tuple(chosen))
        token = file_token.token_of(reading, plan)
        assert _FILE.match(token)
        _, parts = options.way_of(reading.upload, token.split(":")[2:])
        known = {file_token.digest_of(plan): plan}
        assert file_token.steps_of(reading, parts, known) == plan
        assert (file_token.asked_steps(token) is None) == (not any(p[0] == "p" for p in parts))

    def test_what_it_says(self, reading):
        usual = reading.suggestion
        for plan, says in (
            (usual, ""),
            (Preparation(), ":a0"),
            (usual.without(2), ":o0.4:impute:a4"),
            (Preparation(usual.steps[1:2] + usual.steps[3:]), ":a2.4"),
            (usual.adding(KeepVariables(("cough", "age"))), ":a:c3.1"),
            (Preparation((MissingCells("drop"),)), ":drop"),
            (Preparation((MissingCells("most_frequent"),)), ":fill"),
            (Preparation((MissingCells("impute"),)), ":impute"),
        ):
            assert file_token.token_of(reading, plan) == reading.upload.token + says
        plan = Preparation((MissingCells("most_frequent"), TidyText()))
        fitted = prepare(reading.table, plan).preparation
        assert data_plan.is_fitted(fitted)
        assert not data_plan.is_fitted(plan)
        assert file_token.digest_of(fitted) != file_token.digest_of(plan)
        assert file_token.digest_of(data_plan.normal(fitted)) == file_token.digest_of(plan)
        rows = np.random.default_rng(0).integers(2, size=(50, 200))
        content = pd.DataFrame(rows).add_prefix("v").to_csv(index=False).encode()
        wide = read(Upload("w.csv", content), ReadOptions())
        token = file_token.token_of(wide, Preparation((KeepVariables(wide.names[:150]),)))
        assert len(token) < 300
        assert file_token.asked_steps(token)

    @given(st.text("acodpfhstkin.:0123456789", max_size=12))
    def test_any_text_is_understood_or_refused_in_a_sentence(self, reading, text):
        with suppress(BJPError):
            _, parts = options.way_of(reading.upload, text.split(":"))
            assert isinstance(file_token.steps_of(reading, parts, {}), Preparation)


class TestWay:
    @given(st.data())
    def test_a_token_leads_back_to_the_way(self, data):
        upload = Upload("t.csv", CSV)
        drawn = {
            choice.field: data.draw(st.sampled_from([value for value, _ in choice.values]))
            for choice in options.choices(upload)
        }
        try:
            way = ReadOptions(**drawn)
        except OptionError:
            return
        parts = options.parts_of(upload, way)
        assert options.way_of(upload, [*parts, "c0"]) == (way, ["c0"])

    def test_every_choice_has_a_letter_of_its_own(self):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            for name in ("b.md", "a.csv", "c.csv"):
                archive.writestr(name, CSV)
        upload = Upload("t.zip", packed.getvalue())
        letters = [choice.letter for choice in options.choices(upload)]
        assert len(set(letters)) == len(letters)
        assert not set(letters) & set("acop")
        assert options.usual_way(upload).member == "a.csv"
        assert upload.members == ("b.md", "a.csv", "c.csv")

    def test_an_archive_is_looked_into_in_a_process_of_its_own(self, monkeypatch):
        """What ends the process that parses an upload is not the server's end."""
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w") as archive:
            archive.writestr("xl/workbook.xml", '<workbook><sheet name="A"/></workbook>')

        def refuse(*_):
            raise AssertionError("parsed in this process")

        monkeypatch.setattr(zipfile, "ZipFile", refuse)
        upload = Upload("t.xlsx", packed.getvalue())
        assert (upload.sheets, upload.members) == (("A",), ())
        for content in (b"PK\x03\x04", b"", b"PK\x05\x06" + bytes(18), CSV):
            assert Upload("t", content).members == Upload("t", content).sheets == (), content


class TestPlan:
    def test_findings_are_answered_and_taken_back_in_any_order(self, reading):
        plan, names = reading.suggestion, reading.names
        assert any(not one.steps for one in reading.health.findings)
        for finding in reading.health.findings:
            answered = data_plan.is_answered(finding, plan, names)
            assert answered == bool(finding.steps and finding.advised)
            if not finding.steps:
                continue
            without = data_plan.take_back(plan, finding)
            assert not data_plan.is_answered(finding, without, names)
            again = data_plan.add(without, finding.steps, names)
            assert data_plan.is_answered(finding, again, names)
            assert data_plan.normal(again) == data_plan.normal(plan)
        rng = np.random.default_rng(0)
        advised = [one for one in reading.health.findings if one.advised]
        for _ in range(20):
            plan = Preparation()
            for k in rng.permutation(len(advised)):
                plan = data_plan.add(plan, advised[k].steps, reading.names)
            assert plan == reading.suggestion

    @given(st.lists(st.sampled_from(STEPS), max_size=8))
    def test_whatever_is_added_the_list_fits_the_table(self, reading, steps):
        """Later steps never name a variable that earlier ones left out."""
        plan = reading.suggestion
        for step in steps:
            if isinstance(step, RenameVariables):
                continue
            with suppress(OptionError):  # of variables that are left out
                plan = data_plan.add(plan, [step], reading.names)
        out = data_plan.columns_left_out(plan, reading.names)
        for step in plan.steps:
            if isinstance(step, (BinNumbers, TidyText, MergeRare, MissingCells)):
                assert not set(step.columns or ()) & out
        binned = [
            name for step in plan.steps if isinstance(step, BinNumbers) for name in step.columns
        ]
        assert len(binned) == len(set(binned))
        everywhere = [s for s in plan.steps if isinstance(s, MissingCells) and s.columns is None]
        assert len(everywhere) == 1
        if len(out) < 5:
            # Imputing takes longer than a state of their own, and keeps the same variables.
            steps = [MissingCells("state") if s in everywhere else s for s in plan.steps]
            assert prepare(reading.table, steps).data.n == len(NAMES) - len(out)


class TestWords:
    def test_what_a_file_is_and_where_it_has_questions(self):
        rows = "".join(f"{k},{k % 3},{k % 2}\n" for k in range(9))
        found = read(Upload("t.csv", b"id,a,b\n" + rows.encode()), ReadOptions())
        assert "Question" not in found.variables.columns
        texts = ["Number of it", "Do you like it?", "Or the other one?"]
        content = f"id,a,b\n{','.join(texts)}\n{rows}".encode()
        found = read(Upload("t.csv", content), ReadOptions(header_rows=2))
        assert found.variables["Question"].tolist() == texts
        parquet = io.BytesIO()
        pd.DataFrame({"a": [0, 1], "b": [1, 0]}).to_parquet(parquet)
        found = read(Upload("t.parquet", parquet.getvalue()), ReadOptions())
        assert what_it_is(found) == "t.parquet is a Parquet table, with 2 rows and 2 columns."
        libra = read(Upload("t.data", b"0,1\n1,0\n"), ReadOptions())
        assert "a Libra data file" in what_it_is(libra)

    def test_places_numbers_and_pairs(self):
        assert fields.places("1-3, 3, 9", 9) == [1, 2, 3, 9]
        for text in ("0", "10", "3-1", "a", "1-2-3", "٣", "1--2", f"1-{10**12}"):
            assert_refused(OptionError, "is not a place", fields.places, text, 9)
        assert fields.numbers("1,5; -2e3;") == (1.5, -2000.0)
        assert_refused(OptionError, "is not a number", fields.numbers, "1;x")
        assert fields.pairs("x = y\n\n a<=b = c ") == (("x", "y"), ("a<=b", "c"))
        for text in ("a", "= b", "a =", "a - b"):
            assert_refused(OptionError, "is no pair", fields.pairs, f"x = y\n{text}")
