"""Which columns number persons, and which are codes: named so, or even beyond chance."""

import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine.confidence import list_warnings
from bjp_engine.health import health, suggest
from bjp_engine.identifiers import is_repeated
from bjp_engine.preparation import prepare

ROWS = 400
DEPENDENT = "not independent of each other"


def rng(seed=0):
    return np.random.default_rng(seed)


def unbalanced(waves):
    """Numbers of persons of whom each answered so many of the waves, by chance."""
    ids = np.repeat(np.arange(300, 300 + ROWS), rng().integers(1, waves + 1, ROWS))
    return rng().permutation(ids)[:ROWS]


IDS = np.arange(5001, 5001 + ROWS)
PERSONS = {
    "one missing, one twice": pd.array(
        np.where(np.arange(ROWS) == 3, None, np.r_[IDS[:-1], IDS[0]]), dtype="Int64"
    ),
    "one twice": np.r_[IDS[:-1], IDS[0]],
    "two waves": np.repeat(IDS[: ROWS // 2], 2),
    "four waves in blocks": np.tile(IDS[: ROWS // 4], 4),
    "twenty diaries": np.repeat(IDS[:20], 20),
    "some waves": unbalanced(6),
    "text": [f"P{i:04d}" for i in unbalanced(3)],
    "letters": [f"{chr(97 + i // 26)}{chr(97 + i % 26)}" for i in unbalanced(3) % 200],
    "floats": unbalanced(3).astype(float),
}
NAMES = (
    *(
        "id",
        "ID",
        "Id_2",
        "participant_id",
        "participantID",
        "subjectId",
        "id.person",
        "pid",
        "q1_id",
    ),
    *("person_nr", "Patient No", "VPN-Code", "caseid", "CASE_NUMBER", "respondent_key", "idno"),
    *("lfdn", "mergeid", "user_name", "Kennung", "household_id", "e-mail"),
)
# Named like what is counted, measured or answered.
OTHERS = (
    *("x", "age", "patients", "cases", "number_of_children", "patients_n", "valid", "android"),
    *("COVID", "idea", "midlife", "fluid", "income", "Idaho", "paid", "weight", "score"),
)


def found_in(name, values):
    counts = pd.Series(values).value_counts()
    return is_repeated(name, counts.index.tolist(), counts.to_numpy(dtype=np.int64))


def test_numbers_of_persons_by_their_names():
    for what, values in PERSONS.items():
        for name in NAMES:
            assert found_in(name, values), (name, what)
        for name in ("subject", "respondent", "patient"):
            # A noun names texts, too; numbers and many values decide.
            assert found_in(name, values), (name, what)
    for name in OTHERS:
        assert not found_in(name, unbalanced(6)), name
    # A column of few values is a variable, and one of measurements no number of anybody.
    for values in (IDS % 12, rng().normal(size=ROWS).round(1), IDS):
        assert not found_in("id", values), values[:3]
    assert not found_in("subject", rng().choice([f"art {c}" for c in "abcdefghijklmnop"], ROWS))
    assert not found_in("x_" * 60 + "id", unbalanced(6))


def test_numbers_without_a_name_run_on():
    for what in ("one missing, one twice", "one twice"):
        assert found_in("x", PERSONS[what]), what
        assert not found_in("postcode", PERSONS[what]), what
    # Neither chance nor a design makes an age or an income look so.
    for values in (np.arange(ROWS) % 70, np.arange(ROWS) // 2, PERSONS["text"], 3 * IDS):
        assert not found_in("x", values), values[:3]
    for seed in range(300):
        draw = rng(seed)
        for values in (
            draw.integers(0, 200, ROWS),
            draw.integers(0, 90, ROWS),
            draw.integers(20_000, 90_000, ROWS),
            draw.poisson(60, ROWS),
            draw.normal(100, 40, ROWS).round(),
            draw.geometric(0.01, ROWS),
        ):
            assert not found_in("x", values), seed


def test_what_goes_with_a_coarser_column_is_a_person_only_if_it_is_no_class_of_it():
    jobs = np.array([f"{a}{b}er" for a in ("bak", "mill", "sing", "hunt") for b in "aeiou"])
    for seed in range(20):
        draw = rng(seed)
        age, job = draw.integers(20, 65, 200), draw.integers(0, 20, 200)
        marks, who = draw.poisson(60, 200), np.repeat(np.arange(40), draw.integers(2, 6, 40))
        collar, sex = draw.choice(["blue", "white"], 20), draw.choice(["m", "f"], 40)
        for column, coarse, person in (
            (age, np.where(age < 40, "young", "old"), False),
            (marks, np.digitize(marks, [50, 60, 70]), False),
            (jobs[job], collar[job], False),
            (who, sex[who], True),
            (np.char.add("P", who.astype(str)), sex[who], True),
        ):
            frame = pd.DataFrame(
                {"x": column, "coarse": coarse, "y": draw.integers(0, 2, len(column))}
            )
            found = [
                name
                for one in health(frame).findings
                for name in one.columns
                if one.kind == "repeated"
            ]
            assert ("x" in found) == person, (seed, column[:3])


def test_neither_numbers_of_persons_nor_codes_are_cut_into_bins():
    answers = {"x": rng(1).integers(2, size=ROWS), "y": rng(2).integers(2, size=ROWS)}
    for what, values in PERSONS.items():
        for name in ("id", "participant_id", "subjectId", "Patient No"):
            report = health(pd.DataFrame({name: values, **answers}))
            (finding,) = [one for one in report.findings if one.kind == "repeated"]
            assert finding.columns == (name,), what
            assert DEPENDENT in finding.sentence
            sizes = pd.Series(values).value_counts()
            assert f"{len(sizes):,} different values" in finding.sentence, what
            assert f"up to {sizes.max()} rows each" in finding.sentence, what
            (step, *others) = suggest(report).sentences
            assert step == f"Leave out '{name}'.", what
            assert not any(name in one for one in others), what
            assert report.roles[name] == "leave out"
            # What was left out is in the notes, and in what a paper says.
            made = prepare(pd.DataFrame({name: values, **answers}), suggest(report))
            assert sum(DEPENDENT in note for note in made.for_paper) == 1, what
    codes = ("postcode", "zip", "PLZ", "phone", "icd10", "isco08", "region_code", "barcode")
    for name in (*codes, "age", "decoded", "zipper", "episode"):
        for size in (90, 30_000):
            values = rng(size).integers(10_000, 10_000 + size, ROWS)
            frame = pd.DataFrame({name: values, **answers})
            cut = any("Cut" in one for one in suggest(health(frame)).sentences)
            data = bjp.Dataset.from_frame(frame)
            said = list_warnings(data, bjp.learn(data, search="ibmap-hc", evaluations=1))
            advised = any("into bins" in one for one in said)
            assert cut == advised == (name not in codes), (name, size)


def test_the_library_warns_of_columns_that_identify():
    answers = {"x": rng(1).integers(2, size=ROWS), "y": rng(2).integers(2, size=ROWS)}
    for name, values, sentence in (
        ("name", [f"{'abcdefghij'[i % 10]} {i}" for i in range(ROWS)], "a different value in each"),
        ("id", np.arange(ROWS), "a different value in each of 400 rows"),
        ("id", np.repeat(IDS[:100], 4), "100 different values in 400 rows, up to 4 rows each"),
        ("person", [f"P{i // 2}" for i in range(ROWS)], DEPENDENT),
    ):
        frame = pd.DataFrame({name: values, **answers})
        with pytest.warns(UserWarning, match=f"Column '{name}'") as caught:
            trace = bjp.learn(frame, search="ibmap-hc", evaluations=1)
        assert len(caught) == 1, name
        assert sentence in str(caught[0].message)
        # Of a dataset, which is not warned of, the list of warnings and the paragraph say it once.
        data = bjp.Dataset.from_frame(frame)
        said = [one for one in list_warnings(data, trace) if name in one]
        assert len(said) == 1, name
        assert sentence in said[0]
        assert bjp.paper.write_paragraph(data, trace).count(said[0]) == 1
    # Few rows, running numbers of an array and answers are taken as they are.
    for table in (
        pd.DataFrame({"name": list("abcdefghijklmnopqrs"), "x": [0, 1] * 9 + [0]}),
        np.column_stack([np.arange(ROWS), answers["x"]]),
        pd.DataFrame(answers),
    ):
        bjp.learn(table, search="ibmap-hc", evaluations=1)
