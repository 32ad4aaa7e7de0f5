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
    MergeRare,
    MissingCells,
    Preparation,
    SetRoles,
    TidyText,
    add_steps,
    prepare,
)
from bjp_explorer.data import making
from bjp_explorer.data import upload as options
from bjp_explorer.data.reading import read
from bjp_explorer.data.upload import Upload
from bjp_explorer.shell.visit import _FILE
from tests.app.data.uploads import messy

CSV = b"a,b\n" + b"0,x\n1,y\n1,x\n" * 9
NAMES = ("id", "age", "smokes", "cough", "unit", "copy")


@pytest.fixture(scope="module")
def reading():
    found = read(Upload("t.csv", messy()), ReadOptions())
    assert [step.kind for step in found.suggestion.steps] == ["roles", "tidy", "missing", "bins"]
    return found


STEPS = (
    SetRoles(("age",), "leave out"),
    SetRoles(("id", "copy"), "leave out"),
    *map(MissingCells, ("drop", "state")),
    MissingCells("impute", seed=1),
    TidyText(("smokes",)),
    BinNumbers(("age",), "equal_width", 3),
    MergeRare(("smokes", "cough"), below=5),
    SetRoles(("smokes",), "ordered", ("yes", "no")),
    SetRoles(("unit",), "group"),
)


class TestToken:
    @given(st.data())
    def test_a_token_leads_back_to_the_steps(self, reading, data):
        usual = reading.suggestion.steps
        chosen = data.draw(st.lists(st.sampled_from((*STEPS, *usual)), max_size=6))
        whole = data.draw(st.booleans())
        plan = Preparation((*usual, *chosen) if whole else tuple(chosen))
        token = making.token_of(reading, plan)
        assert _FILE.match(token)
        _, parts = options.way_of(reading.upload, token.split(":")[2:])
        found = making.steps_of(reading, parts)
        assert found == plan
        again = making.token_of(reading, found)
        assert again == token

    def test_what_it_says(self, reading):
        usual, name = reading.suggestion, reading.upload.token
        assert making.token_of(reading, usual) == name
        assert making.token_of(reading, Preparation((*usual.steps, MissingCells("state")))) != name
        # Steps on 850 columns still fit into an address.
        rows = np.random.default_rng(0).integers(2, size=(50, 900))
        names = [f"{k * 7919 % 104729:x}-{k * k % 997}" for k in range(900)]
        content = pd.DataFrame(rows, columns=names).to_csv(index=False).encode()
        wide = read(Upload("w.csv", content), ReadOptions())
        plan = Preparation((SetRoles(wide.names[:850], "leave out"),))
        token = making.token_of(wide, plan)
        assert len(token) < 16_000
        assert making.steps_of(wide, token.split(":")[2:]) == plan

    @given(st.text("zacodpfhstkin.:0123456789_-", max_size=30))
    def test_any_text_is_understood_or_refused_in_a_sentence(self, reading, text):
        with suppress(BJPError):
            _, parts = options.way_of(reading.upload, text.split(":"))
            assert isinstance(making.steps_of(reading, parts), Preparation)


class TestWay:
    @given(st.data())
    def test_a_token_leads_back_to_the_way(self, data):
        packed = io.BytesIO()
        with pd.ExcelWriter(packed) as book:
            for name in ("first", "second"):
                pd.DataFrame({"a": [1]}).to_excel(book, sheet_name=name)
        upload, way = Upload("t.xlsx", packed.getvalue()), ReadOptions()
        for choice in options.choices(upload):
            way = choice.chosen(way, data.draw(st.integers(0, len(choice.values) - 1)))
        parts = options.parts_of(upload, way)
        assert options.way_of(upload, [*parts, "zz"]) == (way, ["zz"])

    def test_sheets_are_those_that_a_small_plain_workbook_names(self):
        """What is large, has entities or is no workbook has none; its reader says why."""
        named = '<workbook><sheet name="A"/></workbook>'
        bomb = f'<!DOCTYPE workbook [<!ENTITY a "{"b" * 99}">]>{named}'
        for text, sheets in (
            (named, ("A",)),
            (bomb, ()),
            (named.replace("><", f">{' ' * 2**20}<", 1), ()),
        ):
            packed = io.BytesIO()
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("xl/workbook.xml", text)
            assert Upload("t.xlsx", packed.getvalue()).sheets == sheets, text[:30]
        for content in (b"PK\x03\x04", b"", b"PK\x05\x06" + bytes(18), CSV):
            assert Upload("t", content).sheets == (), content


class TestPlan:
    @given(st.lists(st.sampled_from(STEPS), max_size=8))
    def test_whatever_is_added_the_list_fits_the_table(self, reading, added):
        """Later steps never name a variable that earlier ones left out."""
        plan = reading.suggestion
        for step in added:
            with suppress(OptionError):  # of variables that are left out
                plan = add_steps(plan, [step])
        drops = [step.leaves_out for step in plan.steps if step.leaves_out]
        out = {name for names in drops for name in names}
        assert len(drops) <= 1
        for step in plan.steps:
            if isinstance(step, (BinNumbers, TidyText, MergeRare)):
                assert not set(step.columns) & set(out)
        binned = [
            name for step in plan.steps if isinstance(step, BinNumbers) for name in step.columns
        ]
        assert len(binned) == len(set(binned))
        everywhere = [s for s in plan.steps if isinstance(s, MissingCells)]
        assert len(everywhere) == 1
        if len(out) < 5 and not any(
            isinstance(s, SetRoles) and s.role == "ordered" for s in plan.steps
        ):
            # Imputing takes longer than a state of their own, and keeps the same variables.
            made = [MissingCells("state") if s in everywhere else s for s in plan.steps]
            grouped = any(isinstance(s, SetRoles) and s.role == "group" for s in plan.steps)
            assert prepare(reading.table, made).data.n == len(NAMES) - len(out) - grouped


class TestWords:
    def test_where_a_file_has_questions(self):
        rows = "".join(f"{k},{k % 3},{k % 2}\n" for k in range(9))
        found = read(Upload("t.csv", b"id,a,b\n" + rows.encode()), ReadOptions())
        assert "Question" not in found.variables.columns
        texts = ["Number of it", "Do you like it?", "Or the other one?"]
        content = f"id,a,b\n{','.join(texts)}\n{rows}".encode()
        found = read(Upload("t.csv", content), ReadOptions(header_rows=2))
        assert found.variables["Question"].tolist() == texts
