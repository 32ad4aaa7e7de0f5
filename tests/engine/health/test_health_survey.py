"""What the health report makes of a survey: codes, choices, frequencies, weights, scales, roles."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bjp_engine import preparation as prep
from bjp_engine.columns import Column, Table
from bjp_engine.health import health, suggest
from bjp_engine.health.answers import missing_codes
from bjp_engine.health.scales import stem
from bjp_engine.preparation import SetRoles, prepare

ROWS = 240


def finding(table, kind):
    """The finding of a kind, if there is one."""
    found = [one for one in health(table).findings if one.kind == kind]
    assert len(found) <= 1
    return found[0] if found else None


def steps_of(frame, kind):
    """The suggested steps of a kind."""
    return [step for step in suggest(health(frame)).steps if isinstance(step, kind)]


def repeated(cells):
    """Cells over and over again, for some hundred rows."""
    return (cells * (ROWS // len(cells) + 1))[:ROWS]


def of(**columns):
    """Some columns of repeated cells, beside one of two texts."""
    return pd.DataFrame({name: repeated(cells) for name, cells in columns.items()}).assign(
        beside=repeated(["u", "v"])
    )


class TestMissingCodes:
    def test_evidence_is_needed(self):
        one_to_five, ages = [1, 2, 3, 4, 5], [*range(18, 80)]
        for cells, codes in (
            # A code stands apart.
            *(([*one_to_five, *more], tuple(map(str, more))) for more in ([9], [8, 9], [7, 8, 9])),
            ([1, 2, 3, 4, 5, 6, 7, 9], ("9",)),
            ([*[0, 1] * 3, 9], ("9",)),
            ([1, 2, 99], ("99",)),
            ([1, 2, 3, 98, 99], ("98", "99")),
            ([1, 2, 3, 88], ("88",)),
            ([1, 2, 3, 77, 88, 99], ("77", "88", "99")),
            ([1, 2, 999], ("999",)),
            ([1, 2, 3, -1], ("-1",)),
            ([0, 1, 2, 3, -9], ("-9",)),
            ([0, 1, 2, -99, 99], ("-99", "99")),
            # Of measurements the code is far away, or more frequent than its neighbour.
            ([*ages, 999], ("999",)),
            ([*ages, *[99] * 9], ("99",)),
            ([*range(18, 98), *[99] * 9], ("99",)),
            (["yes", "no", "k.A."], ("k.A.",)),
            (["yes", "no", "Don't know", "(refused)"], ("(refused)", "Don't know")),
            (["1", "2", "keine Angabe"], ("keine Angabe",)),
            # Classes of incomes, a dose, years, prices, a net score, postcodes, countries are none.
            *(([*range(1, last)], ()) for last in (9, 10, 13)),
            *((cells, ()) for cells in ([*one_to_five, 8], [1, 2, 3, 4, 7], [0, 1, 9], [1, 3, 9])),
            *((cells, ()) for cells in ([6, 7, 9], [90, 92, 94, 99], [19, 29, 39, 99], [1, 9])),
            *((cells, ()) for cells in ([10115, 20095, 99999], [0, 1, -1], [-2, -1, 0, 1, 2])),
            *((cells, ()) for cells in ([-12, -9, 0, 1], [9, 99], [0.5, 1.5, 2.5, 9], [*ages, 99])),
            *((cells, ()) for cells in ([*range(18, 99), *[99] * 9], ["yes", "no", "(missing)"])),
            *((cells, ()) for cells in (["yes", "n/a"], ["refused", "accepted", "pending"])),
            *((cells, ()) for cells in (["dk", "de", "fr"], ["US", "NA", "DE"])),
        ):
            frame = pd.DataFrame({"x": repeated(cells), "y": repeated(["u", "v"])})
            assert sorted(missing_codes(Table.of(frame)).get("x", ())) == sorted(codes), cells

    def test_few_rows_are_evidence_only_with_other_columns(self):
        item = [1, 2, 3, 4, 5] * 40
        frame = pd.DataFrame({"a": [*item, 9], "b": [*item, 9], "c": [*item, 1]})
        assert missing_codes(Table.of(frame)) == {}
        frame["c"] = [*item, 9]
        assert set(missing_codes(Table.of(frame))) == {"a", "b", "c"}
        # Nine is a code in one column and a class in another.
        frame = of(item=[1, 2, 3, 1, 2, 3, 9], income=[1, 2, 3, 4, 5, 6, 7, 8, 9])
        assert steps_of(frame, prep.MissingCodes) == [prep.MissingCodes((("item", ("9",)),))]
        assert finding(frame, "missing").figures["cells"] == (frame["item"] == 9).sum()

    def test_a_declared_state_that_no_row_holds_may_be_a_code(self):
        states = ["none", "some", "much", "no answer"]
        frame = of().assign(x=pd.Categorical(repeated(states[:3]), states, ordered=True))
        assert steps_of(frame, prep.MissingCodes) == [prep.MissingCodes((("x", ("no answer",)),))]
        data = prepare(Table.of(frame), suggest(health(frame))).data
        assert data.labels[1] == ("none", "some", "much")
        assert data.ordered[1]

    @given(st.lists(st.integers(1, 7), min_size=30, max_size=60))
    def test_answers_without_a_code_are_never_missing(self, cells):
        assert missing_codes(Table.of(pd.DataFrame({"x": cells}))) == {}

    def test_numbers_behind_a_word_are_cut_into_bins(self):
        ages = [*map(str, np.random.default_rng(0).integers(18, 90, ROWS - 20)), *["k.A."] * 20]
        frame = of(b=list("wxyz")).assign(age=ages)
        data = prepare(frame, suggest(health(frame))).data
        assert (data.rows, data.labels[2][0][0]) == (ROWS - 20, "<")
        assert "k.A." not in data.labels[2]


class TestChoices:
    def frame(self):
        rng = np.random.default_rng(1)
        columns = {"sex": rng.choice(["m", "f"], ROWS)}
        for k, option in enumerate(["Tea", "Coffee", "Water"], 1):
            columns[f"Q3_{k}"] = pd.Series(np.where(rng.random(ROWS) < 0.3, option, None))
        return pd.DataFrame(columns)

    def test_they_are_one_group_and_not_constant_columns(self):
        frame = self.frame()
        found = finding(frame, "multiple_choice")
        assert found.steps == (prep.MultipleChoice(("Q3_1", "Q3_2", "Q3_3")),)
        assert found.figures["none"] == frame.iloc[:, 1:].isna().all(axis=1).sum()
        kinds = {one.kind for one in health(frame).findings}
        assert not kinds & {"constant", "mostly_missing", "missing"}
        # A single constant column is none; nor are columns apart, or that nearly all ticked.
        assert finding(frame[["sex", "Q3_1"]], "constant") is not None
        tables = [(frame[names], False) for names in (["sex", "Q3_1"], ["Q3_1", "sex", "Q3_2"])]
        for rows, found in ((ROWS // 10, False), (ROWS // 10 + 1, True)):
            ticked = frame[["sex", "Q3_1", "Q3_2"]].assign(Q3_1="x", Q3_2="y")
            ticked.loc[: ROWS // 20, "Q3_1"] = None
            ticked.loc[: rows - 1, "Q3_2"] = None
            tables.append((ticked, found))
        for table, found in tables:
            assert (finding(table, "multiple_choice") is not None) == found, [*table]

    def test_a_mere_number_needs_titles_of_one_question(self):
        table = Table.of(self.frame().set_axis(["sex", "v1", "v2", "v3"], axis=1))
        drinks = ("Tea", "Coffee", "Water")
        for titles, found in (
            (["", "", ""], False),
            (["Do you smoke?", "Are you retired?", "Children"], False),
            ([f"Which drinks – {drink}" for drink in drinks], True),
            ([f"[{drink}] Which drinks?" for drink in drinks], True),
            ([f"Drinks {drink}" for drink in drinks], False),
        ):
            titled = {
                f"v{k}": replace(table.column(f"v{k}"), title=title)
                for k, title in enumerate(titles, 1)
            }
            assert (finding(table.having(titled), "multiple_choice") is not None) == found, titles
        for name, begin in (
            *(("Q3_1", "Q3"), ("item12", "item"), ("q3a", "q3"), ("Q3[2]", "Q3"), ("v 3", "v")),
            *(("_" * 100_000, None), ("1_" * 100_000 + "x", None)),
            *(("extra", None), ("age", None), ("12", None), ("Q3_b", "Q3"), (7, None)),
        ):
            assert stem(name) == begin


class TestWeights:
    def frame(self, name="weight", mean=1.0):
        rng = np.random.default_rng(2)
        answers = {"a": rng.choice(list("xy"), ROWS), "b": rng.choice(list("uv"), ROWS)}
        return pd.DataFrame(answers | {name: rng.gamma(4, mean / 4, ROWS)})

    def test_they_are_left_out_with_a_reason_and_kilograms_are_not(self):
        for name in (
            *("WT", "wgt2", "gew", "survey_weight", "pweight", "pspwght", "weight_final"),
            *("Final weight", "hh_wgt", "post-weight"),
        ):
            frame = self.frame(name)
            found, weights = finding(frame, "weights"), frame[name]
            assert found is not None, name
            assert found.steps == (SetRoles((name,), "leave out"),)
            effective = weights.sum() ** 2 / (weights**2).sum()
            assert found.figures["effective"] == pytest.approx(effective)
            assert prepare(frame, suggest(health(frame))).data.names == ("a", "b")
        # A bare weight is one if its mean is 1.
        for name in ("weight", "Gewicht"):
            frame = self.frame(name)
            frame[name] /= frame[name].mean()
            assert finding(frame, "weights").advised
            frame[name] *= 1.1
            report = health(frame)
            assert [*report.roles.values()] == ["variable", "variable", "ordered"]
            assert prepare(frame, suggest(report)).data.names == ("a", "b", name)
        for name, mean in (
            *(("weight", 70.0), ("wt", 70.0), ("height", 1.0), ("weight_kg", 1.0)),
            *(("weight (g)", 1.0), ("birth_weight", 1.0), ("product weight", 1.0)),
        ):
            assert finding(self.frame(name, mean), "weights") is None, name


class TestOrdered:
    def test_what_is_found_and_declared_once(self):
        frame = of(a=["often", "never", "always"])
        steps = [SetRoles(("a",), "ordered", ("never", "often", "always"))]
        assert steps_of(frame, SetRoles) == steps
        data = prepare(frame, suggest(health(frame))).data
        assert data.ordered == (True, False)
        assert [*health(frame).roles.values()] == ["ordered", "variable"]
        # What is declared already is not found again.
        assert finding(data.to_frame(), "ordered") is None
        # Postcodes and results are no intervals.
        young, older = ["<18", "18-24", "25-34"], ["18-24", "25-34", "35-44"]
        codes = {"plz": ["01067", "10115", "80331"], "plz_2": ["10115", "20095", "80331"]}
        for columns, found in (
            ({"age": young[1:] + young[:1]}, [SetRoles(("age",), "ordered", tuple(young))]),
            ({"age": older}, [SetRoles(("age",), "ordered", tuple(older))]),
            (codes | {"score": ["0-0", "1-0", "2-1"]}, []),
        ):
            roles = steps_of(of(**columns), SetRoles)
            assert [one for one in roles if one.role == "ordered"] == found, columns

    def test_numbers_alone_are_asked_about(self):
        rng = np.random.default_rng(0)
        frame = pd.DataFrame(rng.integers(1, 6, (ROWS, 4))).add_prefix("item")
        frame = frame.assign(region=rng.integers(1, 4, ROWS), sex=rng.integers(0, 2, ROWS))
        for table in (frame, frame.astype(str)):
            # All columns of one form alike, however they are called and whatever they go with.
            found = finding(table, "ordered")
            assert (found.columns, found.advised) == (tuple(frame)[:5], False)
            assert found.steps == (SetRoles(tuple(frame)[:5], "ordered"),)
            assert prepare(table, suggest(health(table))).data.ordered == (False,) * 6

    def test_labels_of_a_file_order_what_is_between_them(self):
        rng = np.random.default_rng(0)

        def labelled(states, aliases=True):
            codes = rng.integers(0, len(states), ROWS)
            known = dict(zip(states, "1234567", strict=False)) if aliases else {}
            return Column(
                np.array(states, dtype=object), codes, ordered=True, declared=True, aliases=known
            )

        for states, ordered in (
            (("not at all", "2", "3", "4", "completely"), True),
            (("female", "2", "3"), False),
            (("a", "b", "c"), False),
        ):
            table = Table(ROWS, {"x": labelled(states), "y": labelled(("u", "v"))})
            data = prepare(table, suggest(health(table))).data
            assert data.ordered == (ordered, False), states
        # Labels that several columns share are asked about.
        party = {f"q{k}": labelled(("left", "centre", "right")) for k in range(3)}
        for columns, asked in ((party, True), (dict(list(party.items())[:2]), False)):
            found = finding(Table(ROWS, columns), "ordered")
            assert (found is not None and not found.advised) == asked

    def test_rare_ends_of_a_scale_are_not_merged(self):
        words = np.array(["never", "rarely", "sometimes", "often", "always"])
        shares = [0.01, 0.01, 0.5, 0.47, 0.01]
        cells = np.random.default_rng(0).choice(words, (ROWS, 4), p=shares)
        frame = pd.DataFrame(cells).add_prefix("item")
        assert finding(frame, "ordered") is not None
        assert steps_of(frame, prep.MergeRare) == []
        assert prepare(frame, suggest(health(frame))).data.ordered == (True,) * 4


def test_suggested_steps_stand_in_their_usual_order_and_roles_are_what_they_make():
    rng = np.random.default_rng(5)
    frame = pd.DataFrame(
        {
            "id": range(ROWS),
            "same": "x",
            "when": [f"2024-{k % 12 + 1:02d}-{k % 28 + 1:02d}" for k in range(ROWS)],
            "age": rng.choice([*range(18, 90), *[999] * 9], ROWS),
            "mood": rng.choice(["good", "Good", "fair", "poor", "k.A."], ROWS),
            "wt": rng.gamma(4, 0.25, ROWS),
            **{f"Q1_{k}": rng.choice([1, 2, 3, 4, 5, 9], ROWS) for k in (1, 2, 3)},
            **{f"Q2_{k}": rng.choice(["x", None], ROWS) for k in (1, 2)},
        }
    )
    report = health(frame)
    steps = suggest(report)
    order = ["roles", "multiple_choice", "missing_codes", "tidy", "roles", "missing", "bins"]
    assert [step.kind for step in steps.steps] == order
    made = prepare(frame, steps)
    assert prep.Preparation.from_json(steps.to_json()) == steps
    ordered = {n for n, one in zip(made.data.names, made.data.ordered, strict=True) if one}
    assert ordered == {"age", "mood"}
    assert made.data.n == 7
    gone = dict.fromkeys(("id", "same", "when", "wt"), "leave out")
    wanted = dict.fromkeys(frame, "variable") | gone | dict.fromkeys(ordered, "ordered")
    assert report.roles == prep.roles_of(Table.of(frame), steps) == wanted


def test_nothing_is_asked_or_suggested_of_what_a_person_has_said():
    rng, ages = np.random.default_rng(5), [str(age) for age in range(18, 71)]
    cells = {"age": rng.choice([*range(18, 71), 999], ROWS), "n": rng.integers(1, 5, ROWS)}
    cells |= {"mood": rng.choice(["low", "Low", "high", "k.A."], ROWS), "m": cells["n"][::-1]}
    table = Table.of(pd.DataFrame(cells))
    for said in ("ordered", "variable", "group", [4, 3, 2, 1]):
        found = health(table, roles={"n": said}).findings
        assert [one.columns for one in found if one.kind == "ordered"] == [("m",)], said
    # The states that are given stay; a code that is none of them is still missing.
    given = {"age": ages, "mood": ["low", "Low", "high", "k.A."]}
    made = prepare(table, suggest(health(table, roles=given))).data
    assert [list(made.labels[made.names.index(name)]) for name in given] == [*given.values()]
    assert made.rows == sum(cells["age"] != 999)
