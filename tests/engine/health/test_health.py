"""The health report against pandas, brute force and the test itself."""

import json
import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.errors import DataError
from bjp_engine.health import SEVERITIES, health, slice_rows, states, suggest
from bjp_engine.health.copies import exact_copies, near_copies
from bjp_engine.health.profile import blanket_limit
from bjp_engine.io import read_frame
from bjp_engine.preparation import MissingCells, Preparation, Table, prepare
from tests.engine.calls import reports_of
from tests.engine.cost import calls_of
from tests.refusals import assert_refused

DATASETS = Path(__file__).parents[3] / "sample_data" / "datasets"
SAMPLES = [
    *("coronary", "dayton_drugs", "house_votes_84", "icar_ability16", "rochdale", "senate109"),
    *("supreme_court", "titanic"),
]
ROWS = 300


def messy():
    """One column for each thing that can be wrong."""
    rng = np.random.default_rng(0)
    answer = rng.choice(["yes", "no"], ROWS)
    nearly = answer.copy()
    nearly[:6] = np.where(nearly[:6] == "yes", "no", "yes")
    celsius = rng.normal(20, 5, ROWS)
    noise = rng.normal(0, 0.3, ROWS)
    return pd.DataFrame(
        {
            "id": range(ROWS),
            "name": [f"person {k}" for k in range(ROWS)],
            "answer": answer,
            "copy": np.where(answer == "yes", 7, 3),
            "nearly": nearly,
            "same": "x",
            "nothing": pd.Series([None] * ROWS, dtype="object"),
            "when": [f"2024-{k % 12 + 1:02d}-{k % 28 + 1:02d}" for k in range(ROWS)],
            "celsius": celsius,
            "fahrenheit": celsius * 1.8 + 32,
            "kelvin": celsius + 273 + noise,
            "age": rng.integers(18, 90, ROWS),
            "note": [f"remark {k // 3}" for k in range(ROWS)],
            "town": rng.choice(["Ulm", "ulm ", "Bonn", "Kiel"], ROWS, p=[0.4, 0.1, 0.25, 0.25]),
            "rare": ["u"] * 140 + ["v"] * 150 + ["w"] * 5 + ["x"] * 3 + ["y"] * 2,
            "empty": pd.Series([None] * 290 + ["a", "b"] * 5, dtype="str"),
            "half": pd.Series([None, "p", None, "q", None] * 60, dtype="str"),
            "size": [f"{k % 40},{k % 7}" for k in range(ROWS)],
        }
    )


def found(frame):
    """The findings of a table by their kind."""
    kinds = {}
    for finding in health(frame).findings:
        kinds.setdefault(finding.kind, []).append(finding)
    return kinds


def test_each_fault_of_a_messy_table_is_found_and_what_is_suggested_answers_it():
    frame, report, kinds = messy(), health(messy()), found(messy())
    for kind, columns in {
        "identifier": ("id", "name"),
        "constant": ("same",),
        "empty": ("nothing",),
        "date": ("when",),
        "numbers": ("celsius", "kelvin", "age"),
        "text": ("note", "size"),
        "copies": ("answer", "copy"),
        "spelling": ("town",),
        "rare": ("rare",),
        "numbers_as_text": ("size",),
    }.items():
        assert kinds[kind][0].columns == columns, kind
    # What is no number is named; days are no numbers.
    sizes = [*map(str, range(20, 37)), "<5", "about 9", "7 %"] * 3
    days = [f"{k + 1}.{k % 9 + 1}." for k in range(20)] * 3
    ages = pd.DataFrame({"size": sizes, "day": days})
    (texts,) = found(ages)["numbers_as_text"]
    assert texts.columns == ("size",)
    assert "('about 9', '<5', '7 %')" in texts.sentence
    near = {finding.columns: finding for finding in kinds["near_copies"]}
    assert set(near) == {("answer", "nearly")}
    assert near["answer", "nearly"].figures["agreement"] == 294 / 300
    copies = {("answer", "copy"), ("celsius", "fahrenheit")}
    assert {finding.columns for finding in kinds["copies"]} == copies
    assert not any(finding.advised for finding in near.values())
    # Missing cells are those of what is used.
    (missing,) = kinds["missing"]
    assert (missing.severity, missing.columns) == ("stop", ("half",))
    assert (missing.figures["cells"], missing.figures["complete"]) == (180, 120)
    mostly = {finding.columns: finding.advised for finding in kinds["mostly_missing"]}
    assert mostly == {("empty",): True, ("half",): False}
    # The worst stands first, and every button does something.
    ranks = [[*SEVERITIES].index(finding.severity) for finding in report.findings]
    assert ranks == sorted(ranks)
    assert ranks[0] == 0
    for finding in report.findings:
        assert finding.sentence.endswith(".")
        assert finding.title
        assert bool(finding.steps) == bool(finding.action)
        for step in finding.steps:
            assert set(getattr(step, "columns", ())) <= set(frame.columns)
    # The suggestion makes a usable dataset, of the steps that were advised.
    steps = suggest(report)
    made = prepare(frame, steps)
    kept = ("answer", "nearly", "celsius", "kelvin", "age", "town", "rare", "half")
    assert made.data.names == kept
    assert set(found(made.data.to_frame())) <= {"near_copies", "blankets", "rare"}
    advised = [finding for finding in report.findings if finding.advised]
    for step in steps.steps:
        assert any(type(step) is type(one) for finding in advised for one in finding.steps)
    # Leaving out comes first, and nothing is done to what is left out.
    first, *others = steps.steps
    assert first.role == "leave out"
    for step in others:
        assert not set(getattr(step, "columns", ())) & set(first.columns)
    content = json.loads(report.to_json())
    assert [one["kind"] for one in content["findings"]] == [f.kind for f in report.findings]
    assert Preparation.from_json(steps.to_json()) == steps
    assert Preparation.from_dict(content["suggested"]) == steps
    assert content["variables"][2]["name"] == "answer"


def test_kinds():
    for cells, kind in (
        ([True, False] * 30, "category"),
        ([1, 2, 3] * 20, "category"),
        ([0.5, 1.5, 2.5] * 20, "category"),
        (list(range(30)) * 2, "whole number"),
        ([k / 7 for k in range(30)] * 2, "measurement"),
        ([k / 7 for k in range(60)], "measurement"),
        (range(60), "identifier"),
        ([f"a{k}" for k in range(60)], "identifier"),
        ([f"a{k}" for k in range(19)], "category"),
        ([f"a{k // 2}" for k in range(120)], "text"),
        ([f"a{k % 60}" for k in range(1200)], "category"),
        (pd.date_range("2024-01-01", periods=60), "date"),
        ([f"{k % 28 + 1}.{k % 12 + 1}.2024" for k in range(60)], "date"),
        ([f"2024-01-{k % 28 + 1:02d}T12:00:00Z" for k in range(60)], "date"),
        (pd.Series([None] * 60, dtype="float64"), "empty"),
        (pd.Categorical(["a", "b"] * 30), "category"),
        ([1.0, np.inf, -np.inf] * 20, "category"),
    ):
        (variable,) = health(pd.DataFrame({"x": cells})).variables
        assert variable.kind == kind, cells


def test_amounts_that_all_differ_are_no_identifiers():
    rng = np.random.default_rng(3)
    income = rng.choice(5000, 40, replace=False)
    for name, numbers, kind in (
        ("income", income, "whole number"),
        ("income", -income, "whole number"),
        ("zip", income, "identifier"),
        ("patient", income, "identifier"),
        ("case_id", income, "identifier"),
        ("x", rng.permutation(40) + 501, "identifier"),
        ("x", income + 3_000_000, "identifier"),
        ("x", income.astype(str) + pd.Series([*"ab"] * 20), "identifier"),
    ):
        frame = pd.DataFrame({name: numbers, "sex": ["f", "m"] * 20})
        assert health(frame).variables[0].kind == kind, (name, numbers[:3])


@pytest.mark.slow
def test_samples_end_in_a_usable_dataset():
    for name in SAMPLES:
        frame = read_frame(DATASETS / f"{name}.csv")[0]
        report = health(frame)
        for one in report.variables:
            assert one.missing == frame[one.name].isna().sum(), name
            assert one.states == frame[one.name].nunique(), name
        data = prepare(frame, suggest(report)).data
        # A senator and his successor share no vote.
        left = {"Corzine_NJ"} if name == "senate109" else set()
        assert {*frame.columns} - {*data.names} == left, name
        complete = len(frame.dropna())
        dropping = complete >= 0.8 * len(frame)
        assert data.rows == (complete if dropping else len(frame)), name
        assert all(f.severity != "stop" for f in health(data.to_frame()).findings), name


class TestBlanketLimit:
    def test_the_rows_a_slice_needs_are_those_of_the_test(self):
        def odds(r, s, rows):
            together = np.arange(rows) % min(r, s)
            data = bjp.Dataset.from_codes(np.stack([together, together], axis=1), [r, s])
            test = bjp.independence_test(data, 0, 1)
            return math.exp(test.log_dependent - test.log_independent)

        for r, s in ((2, 2), (2, 3), (3, 3), (2, 7), (5, 5)):
            needed = slice_rows(r, s)
            assert odds(r, s, needed) >= 19 > odds(r, s, needed - 1), (r, s)

    @given(st.integers(1, 10**6), st.lists(st.integers(1, 40), min_size=1, max_size=12))
    def test_the_largest_blanket_is_the_last_with_rows_enough(self, rows, states):
        several = [r for r in states if r > 1]
        largest, found = blanket_limit(rows, several)
        typical = np.prod(np.array(several, dtype=float)) ** (1 / len(several)) if several else 2.0
        # A test of two variables is given some of the others.
        most = min(max(len(several) - 2, 0), 8)
        enough = [d for d in range(most + 1) if rows / typical**d >= slice_rows(2, 2) * (1 - 1e-9)]
        assert largest in (max(enough, default=-1), max(enough, default=-1) - 1)
        assert found == pytest.approx(typical)

    def test_what_is_said_of_it(self):
        frame = pd.DataFrame(np.random.default_rng(0).integers(0, 3, (20, 6)).astype(str))
        (finding,) = found(frame)["blankets"]
        assert (finding.severity, finding.figures["largest"]) == ("serious", 0)
        # The typical number of states has the digits that matter.
        frame = pd.DataFrame({"a": list("xyz") * 200, "b": list("xxyyxy") * 100})
        (finding,) = found(frame)["blankets"]
        assert finding.figures["states"] == pytest.approx(math.sqrt(6))
        assert "a test has all of them" in finding.sentence
        # Of three, one is given; a constant that is kept, and a group, are none.
        frame = pd.DataFrame({name: list("xy") * 50 for name in "abcde"}).assign(k="x")
        frame[["b", "c"]] = np.random.default_rng(0).integers(0, 2, (100, 2))
        roles = {"k": "variable", "d": "group", "e": "leave out"}
        report = health(frame, roles=roles)
        (finding,) = [one for one in report.findings if one.kind == "blankets"]
        assert (finding.severity, finding.figures["largest"]) == ("note", 1)
        # One variable is no network.
        assert found(pd.DataFrame({"a": ["x", "y"]}))["few_variables"][0].severity == "stop"


@st.composite
def tables(draw):
    """Columns that are now and then recodings, or nearly, of an earlier one."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    rows = draw(st.integers(15, 200))
    columns = []
    for k in range(draw(st.integers(2, 7))):
        states = draw(st.integers(2, 4))
        cells = rng.choice(states, rows, p=rng.dirichlet(np.ones(states))).astype(float)
        if columns and draw(st.booleans()):
            cells = (columns[draw(st.integers(0, k - 1))] + 1) % 4
            flips = rng.random(rows) < draw(st.sampled_from([0.0, 0.02, 0.05, 0.2]))
            cells = np.where(flips, rng.choice(4, rows), cells)
        if draw(st.integers(0, 4)) == 0:
            cells = np.where(rng.random(rows) < 0.2, np.nan, cells)
        columns.append(cells)
    return pd.DataFrame({f"c{k}": column for k, column in enumerate(columns)})


def coded(frame):
    table = Table.of(frame)
    return {name: table.column(name) for name in table.names}


def others(cells):
    """Rows outside the most frequent value, missing ones left aside."""
    present = [cell for cell in cells if not pd.isna(cell)]
    return len(present) - max((present.count(cell) for cell in set(present)), default=0)


@given(tables())
def test_copies_are_the_one_to_one_recodings(frame):
    expected = set()
    for one, two in combinations(frame, 2):
        a, b = (frame[name].fillna(-9).tolist() for name in (one, two))
        paired = set(zip(a, b, strict=True))
        recoded = len(paired) == len(set(a)) == len(set(b))
        holes = frame[one].isna().equals(frame[two].isna())
        enough = all(
            others(frame[name].tolist()) >= 5 and frame[name].notna().sum() >= 20
            for name in (one, two)
        )
        if recoded and holes and enough and len(set(a)) * 2 <= len(a):
            expected.add((one, two))
    got = {pair for names in exact_copies(coded(frame)) for pair in combinations(names, 2)}
    assert got == expected


def agreement(one, two):
    """How often the most frequent partner is right, and which share of errors that saves."""
    pairs = [(a, b) for a, b in zip(one, two, strict=True) if not pd.isna(a + b)]
    if len(pairs) < 20:
        return 0.0, 0.0
    right = 0
    for a in {a for a, _ in pairs}:
        partners = [b for x, b in pairs if x == a]
        right += max(partners.count(b) for b in partners)
    usual = len(pairs) - others([b for _, b in pairs])
    if len(pairs) - usual < 5:
        return 0.0, 0.0
    return right / len(pairs), (right - usual) / (len(pairs) - usual)


@given(tables())
def test_near_copies_agree_as_counted_one_by_one(frame):
    kept = [
        name
        for name in frame
        if others(frame[name].tolist()) >= 5
        and frame[name].notna().sum() >= max(20, 20 * frame[name].nunique())
    ]
    expected, taken = {}, set()
    for one, two in combinations(kept, 2):
        if one in taken or two in taken:
            continue
        a, b = frame[one].tolist(), frame[two].tolist()
        there, back = agreement(a, b), agreement(b, a)
        if min(there[0], back[0]) >= 0.95 and min(there[1], back[1]) >= 0.9:
            expected.setdefault(one, {})[two] = min(there[0], back[0])
            taken.add(two)
    got = dict(near_copies(coded(frame)))
    assert {k: list(v) for k, v in got.items()} == {k: list(v) for k, v in expected.items()}
    for leader, pairs in expected.items():
        assert got[leader] == pytest.approx(pairs, rel=1e-6)


def test_near_copies_of_many_rows_are_looked_for_in_some_of_them():
    rng = np.random.default_rng(0)
    cells = rng.integers(0, 3, 30_000)
    close = np.where(rng.random(30_000) < 0.03, 0, cells)
    far = np.where(rng.random(30_000) < 0.12, (cells + 1) % 3, cells)
    frame = pd.DataFrame({"a": cells, "b": close, "c": far, "d": rng.integers(0, 3, 30_000)})
    ((first, shares),) = near_copies(coded(frame))
    assert (first, list(shares)) == ("a", ["b"])
    assert shares["b"] == pytest.approx(agreement(cells.tolist(), close.tolist())[0], abs=0.01)


def test_what_agrees_by_chance_or_is_not_compared_is_no_copy():
    frame = pd.DataFrame({"a": [0] * 996 + [1] * 4, "b": [0] * 996 + [1] * 4, "c": range(1000)})
    assert not {"copies", "near_copies"} & set(found(frame))
    rng, rows = np.random.default_rng(0), 5000
    # Numbers in another unit are copies.
    numbers = rng.normal(size=rows)
    for two, same in (
        (2 * numbers + 1, True),
        (-(numbers**3), True),
        (np.abs(numbers), False),
        (np.where(numbers == numbers.max(), numbers.min() - 1, numbers), False),
    ):
        frame = pd.DataFrame({"one": numbers, "two": two})
        assert ("copies" in found(frame)) == same
        frame.loc[3, "one"] = np.nan
        assert "copies" not in found(frame)


@given(st.lists(st.sampled_from(["yes", "Yes", " yes", "no", "NO", "maybe"]), min_size=1))
def test_spellings_are_counted(cells):
    kept = {" ".join(cell.split()).lower() for cell in cells}
    findings = found(pd.DataFrame({"x": cells})).get("spelling", [])
    extra = len(set(cells)) - len(kept)
    assert [one.figures["values"] for one in findings] == ([extra] if extra else [])


def test_refused_and_cancelled():
    for cells, words in (
        (pd.DataFrame({"a": []}), "no rows"),
        (pd.DataFrame({"a": [[1], [2]]}), "lists or other containers"),
        ([1, 2], "give a table of rows and variables"),
        ("a,b", "give a DataFrame"),
    ):
        assert_refused(DataError, words, health, cells)
    frame = messy()
    assert reports_of(health, frame) == [(k, 18) for k in range(1, 19)]
    pd.testing.assert_frame_equal(frame, messy())


def test_nothing_is_done_row_by_row_and_little_for_each_of_many_columns():
    def calls(rows):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame(rng.integers(0, 4, (rows, 20)).astype(str))
        return calls_of(health, frame.assign(m=rng.normal(size=rows)))

    def work(frame):
        bjp.Dataset.from_frame(frame)
        health(frame)
        prepare(frame, [MissingCells("state")])

    def calls_wide(columns):
        cells = np.random.default_rng(0).choice(["no", "yes", "?"], (5, columns))
        return calls_of(work, pd.DataFrame(cells).add_prefix("c"))

    calls(1000)  # what is imported at first
    assert calls(20_000) - calls(10_000) < 2_000
    calls_wide(10)
    # A frame of pandas for each column costs thousands.
    assert calls_wide(200) - calls_wide(100) < 100 * 2000


def test_states_are_not_merged_where_all_of_them_are_rare():
    frame = pd.DataFrame({"a": list("uvwxyz") * 3, "b": [0, 1, 1] * 6})
    (finding,) = found(frame)["rare"]
    assert finding.columns == ("a",)
    assert (finding.steps, finding.action, finding.advised) == ((), "", False)
    assert prepare(frame, suggest(health(frame))).data.cardinalities == (6, 2)
    # A merge is proposed only for columns in which it merges states.
    mixed = frame.assign(c=["p"] * 8 + ["q"] * 8 + ["r", "s"])
    left, merged = sorted(found(mixed)["rare"], key=lambda one: len(one.steps))
    assert (left.columns, left.steps, merged.columns) == (("a",), (), ("c",))
    # Of a long list of states those stay that 2 % of the rows hold.
    counts = [*range(10, 60), 300, 4000, 4000]
    long = pd.DataFrame({"a": np.repeat([f"t{k}" for k in range(53)], counts), "b": "x"})
    made = prepare(long, suggest(health(long))).data
    kept = {f"t{k}" for k, rows in enumerate(counts) if rows >= 0.02 * sum(counts)}
    assert {*made.labels[0]} == {*kept, "other"}
    # Not by default where they hold more than a fifth of the cells, or are numbers with a sign.
    for text, rare in (("s{}", 15), ("€{}", 9), ("{}/10", 9)):
        cells = [*map(text.format, range(rare)), *["p", "q"] * 25]
        few = pd.DataFrame({"a": cells, "b": np.arange(len(cells)) // 3 % 2})
        (finding,) = found(few)["rare"]
        assert (finding.action, finding.advised) == ("Merge rare states", False), text


def with_incomplete(rows, incomplete, variables=3):
    """Texts of two states, one cell missing in each of the first rows, a column after another."""
    cells = np.random.default_rng(0).choice(["n", "y"], (rows, variables)).astype(object)
    cells[np.arange(incomplete), np.arange(incomplete) % variables] = None
    return pd.DataFrame(cells, columns=[f"q{k}" for k in range(variables)])


def test_what_is_suggested_for_missing_cells(monkeypatch):
    # By the rows that dropping would cost, which the sentence says.
    for frame, how, action, why in (
        (with_incomplete(200, 40), "drop", "Drop these rows", "costs 40 rows (20 %)"),
        (with_incomplete(200, 41), "impute", "Impute (20 times)", "Imputing keeps every row"),
        (with_incomplete(200, 200), "impute", "Impute (20 times)", "no row is complete, so"),
        # One variable depends on nothing, so nothing can be drawn from others.
        (with_incomplete(200, 40, 1), "drop", "Drop these rows", "costs 40 rows"),
        (with_incomplete(200, 50, 1), "state", "Make it a state", "would cost 25 %"),
    ):
        (finding,) = found(frame)["missing"]
        assert finding.steps == (MissingCells(how),), why
        assert (finding.action, finding.advised) == (action, True)
        assert why in finding.sentence, finding.sentence
        assert "without any value" not in finding.sentence
    frame = with_incomplete(200, 30)
    frame.loc[[3, 90]] = None
    assert "2 rows without any value are dropped" in found(frame)["missing"][0].sentence
    # What has no known cell or no bins doesn't hinder it.
    frame = with_incomplete(300, 120).assign(
        nothing=None, size=np.random.default_rng(1).normal(size=300)
    )
    frame.loc[::7, "size"] = np.nan
    steps = suggest(health(frame))
    assert [step.kind for step in steps.steps] == ["roles", "missing", "bins"]
    made = prepare(frame, steps)
    assert made.data.names == ("q0", "q1", "q2", "size")
    assert made.data.rows == 300
    assert max(made.data.cardinalities) <= 5
    assert dict(made.imputed.missing) == frame[list(made.data.names)].isna().sum().to_dict()
    # What takes longer than a page waits is not imputed by default, and its time is said.
    for seconds, how, said in ((19, "impute", "Imputing keeps"), (200, "state", "about 3 minutes")):
        monkeypatch.setattr(states, "imputation_seconds", lambda *_, seconds=seconds: seconds)
        (finding,) = found(with_incomplete(200, 50))["missing"]
        assert finding.steps == (MissingCells(how),)
        assert said in finding.sentence
