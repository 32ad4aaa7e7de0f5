"""`bjp health` and `--prepare`, surveys of other programs, and the documents on preparation."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyreadstat
import pytest

import bjp_engine as bjp
from bjp_engine import cli
from bjp_engine.health import TITLES, health, suggest
from bjp_engine.health.profile import SEVERITIES
from bjp_engine.io import child, read_frame
from bjp_engine.preparation import STEPS, Preparation, prepare
from tests.apart import run_here

ROOT = Path(__file__).parents[3]
VOTES, CORONARY = (
    ROOT / "sample_data" / "datasets" / f"{name}.csv" for name in ("house_votes_84", "coronary")
)
COUNTED = "a,b,Freq\nx,u,40\nx,v,3\ny,u,5\ny,v,60\n"


@pytest.fixture
def survey(tmp_path):
    rows = [f"{k},{20 + k * 7 % 50},{['yes', 'no', 'Yes', ''][k % 4]},{k % 2}" for k in range(90)]
    path = tmp_path / "survey.csv"
    path.write_text("\n".join(["id,age,smokes,coin", *rows]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def counted(tmp_path):
    path = tmp_path / "counted.csv"
    path.write_text(COUNTED, encoding="utf-8")
    return path


def test_the_report_is_printed_worst_first_with_the_suggested_steps(survey, tmp_path, command):
    lines = command("health", survey).splitlines()
    report = health(read_frame(survey)[0])
    assert lines[0].endswith("90 rows, 4 columns")
    assert lines[1:] == [
        *(f"{SEVERITIES[f.severity]:<16} {f.title}: {f.sentence}" for f in report.findings),
        "suggested:",
        *(f"  {k}. {text}" for k, text in enumerate(suggest(report).sentences, 1)),
    ]
    content = json.loads(command("health", survey, "--json"))
    assert content == json.loads(report.to_json())
    # Where nothing is suggested.
    usable = "suggested: nothing; the table can be used as it is\n"
    assert command("health", CORONARY).endswith(usable)
    path = tmp_path / "one.csv"
    path.write_text("a\n" + "x\ny\n" * 30, encoding="utf-8")
    said = command("health", path)
    assert said.startswith(f"{path}: 60 rows, 1 column\nmust be resolved ")
    assert said.endswith("suggested: nothing\n")
    # What no step resolves is a warning of what learns from it.
    sentence = health(read_frame(path)[0]).findings[0].sentence
    for more in ((), ("--prepare", "suggested")):
        command("learn", path, *more, note=f"warning: {sentence}\n")


def test_missing_cells_name_the_flag(command):
    said = command.refuse("learn", VOTES)
    for part in ("drop", "state", "impute."):
        assert f"with --missing {part}" in said or f"learn --missing {part}" in said
    assert "missing='" not in said
    # Other commands don't impute.
    assert "impute" not in command.refuse("plan", VOTES)
    fast = ("--search", "ibmap-hc", "--evaluations", "1")
    assert "435 rows" in command("learn", VOTES, "--missing", "state", *fast)


class TestPrepare:
    @pytest.mark.slow
    def test_of_a_table_with_missing_cells_the_first_completed_one_is_saved_and_scored(
        self, survey, tmp_path, command
    ):
        first_used = "note: {} needs one table, so only the first is used.\n".format
        output, graph = tmp_path / "result.json", tmp_path / "graph.graphml"
        frame = read_frame(survey)[0]
        made = prepare(frame, suggest(health(frame)))
        asked = ("learn", survey, "--prepare", "suggested")
        said = command(*asked, "--output", output, note=first_used("--output .json"))
        for step, did in zip(made.preparation.steps, made.trace, strict=True):
            assert f". {step.sentence} {did}\n" in said
        assert json.loads(output.read_text(encoding="utf-8"))["score"] == bjp.learn(made.data).score
        # A graph is scored on the prepared table.
        searching = ("--search", "ibmap-hc", "--output", graph)
        command(*asked, *searching, note=first_used("--search"))
        said = command("score", survey, "--prepare", "suggested", "--graph", graph)
        assert float(said.splitlines()[-1]) == bjp.learn(made.data, search="ibmap-hc").score

    def test_what_health_suggests_is_noted_and_applied_by_a_word(
        self, survey, counted, tmp_path, command
    ):
        for path, more in ((counted, ()), (survey, ("--missing", "drop"))):
            steps = suggest(health(read_frame(path)[0])).steps
            said = [one.sentence for one in steps if one.kind != "missing"]
            shown = "; ".join(text[0].lower() + text[1:-1] for text in said)
            note = f"note: bjp health {path} suggests: {shown} (--prepare suggested).\n"
            command("learn", path, *more, note=note)
        # Nothing is noted where nothing is advised.
        command("learn", CORONARY)
        output = tmp_path / "result.json"
        made = prepare(read_frame(counted)[0], suggest(health(read_frame(counted)[0])))
        said = command("learn", counted, "--prepare", "suggested", "--output", output)
        assert f"{made.data.rows} rows, {made.data.n} variables" in said
        saved = json.loads(output.read_text(encoding="utf-8"))
        assert Preparation.from_dict(saved["preparation"]) == made.preparation
        assert saved["score"] == bjp.learn(made.data).score

    def test_roles_of_columns_come_from_a_file(self, tmp_path, command):
        table, roles = tmp_path / "t.csv", tmp_path / "roles.json"
        rng = np.random.default_rng(4)
        cells = {"mood": rng.integers(1, 5, 90), "town": rng.choice(["N", "S"], 90)}
        cells |= {"key": rng.integers(0, 9, 90), "a": rng.integers(0, 2, 90)}
        frame = pd.DataFrame(cells | {"word": rng.choice(["so", "all", "none"], 90)})
        frame.to_csv(table, index=False)
        roles.write_text('{"mood": "ordered", "town": "group", "key": "identifier"}')
        said = command("learn", table, "--roles", roles)
        for part in ("'mood' as ordered", "'town' as groups", "Leave out 'key'", "3 variables"):
            assert part in said, part
        # Health alone leaves a number out that differs in every row; who keeps it gets bins.
        frame.assign(age=rng.permutation(90)).to_csv(table, index=False)
        assert "Leave out 'age'" in command("learn", table, "--prepare", "suggested")
        roles.write_text('{"age": "ordered", "mood": [4, 3, 2, 1], "word": ["none", "so", "all"]}')
        said = command("learn", table, "--prepare", "suggested", "--roles", roles)
        order = "'mood' as ordered: '4', '3', '2', '1'", "'word' as ordered: 'none', 'so', 'all'"
        for part in ("Cut 'age' into", *order, "6 variables"):
            assert part in said, part
        for text, part in (
            ("[", "is not JSON"),
            ("[]", "must hold an object"),
            (
                '{"no": "group"}',
                "'no': there is no column 'no'; the columns here are 'mood', 'town'",
            ),
            (
                '{"a": "king"}',
                "role='king' is not known; use one of 'variable', 'ordered', 'group'",
            ),
            *((f'{{"a": {x}}}', "give it a role, or a list") for x in (3, "null", '{"yes": 1}')),
            ('{"a": [0, 1, null]}', "must be a list of texts"),
            ('{"word": ["so", "all"]}', "holds 'none', which the order doesn't name"),
            ('{"word": "ordered"}', "'all', 'none', 'so', in no order that is known"),
            ('{"word": "frequency"}', "holds the text 'none'; a frequency is a whole"),
            ('{"a": "frequency", "mood": "frequency"}', "'a', 'mood' are frequencies"),
        ):
            roles.write_text(text)
            assert part in command.refuse("learn", table, "--roles", roles), text

    def test_missing_cells_and_weights_come_after_the_steps(self, counted, tmp_path, command):
        said = command("learn", VOTES, "--prepare", "suggested", "--missing", "drop")
        assert "232 rows, 17 variables" in said
        # Weights give the long table.
        table = pd.read_csv(counted)
        long = table.loc[table.index.repeat(table["Freq"]), ["a", "b"]]
        score = f"score: {bjp.learn(long).score!r} (ln BJP"
        asked = ("learn", counted, "--weights")
        for more in ((), ("--prepare", "suggested")):
            assert score in command(*asked, "Freq", *more)
        assert "holds the text 'x'; a frequency is a whole" in command.refuse(*asked, "a")


def answers():
    """Two questions that agree, and one that has nothing to do with them."""
    rng = np.random.default_rng(0)
    first = rng.integers(1, 3, 200).astype(float)
    second = np.where(rng.random(200) < 0.9, first, 3 - first)
    return pd.DataFrame({"Q1": first, "Q2": second, "Q3": rng.integers(1, 3, 200).astype(float)})


class TestSurveys:
    def test_an_spss_file(self, tmp_path, command, monkeypatch):
        monkeypatch.setattr(child, "run", run_here)
        path, graph = tmp_path / "t.sav", tmp_path / "graph.csv"
        graph.write_text("source,target\nQ1,Q2\nQ2,Q3\n", encoding="utf-8")
        labels = {name: {1: "yes", 2: "no", 9: "maybe"} for name in ("Q1", "Q2")}
        pyreadstat.write_sav(answers(), str(path), variable_value_labels=labels)
        out = command("health", path)
        assert "200" in out
        assert "\ngood to know     Unused states: No row has 'maybe' in columns 'Q1', 'Q2'." in out
        assert "nothing; the table can be used as it is" in out
        # Beside the number, not within it.
        for argv, times in (
            (("score", "--graph", graph), 1),
            (("score", "--graph", graph, "--prior-cells", "centred"), 0),
            (("learn",), 0),
            (("learn", "--search", "ibmap-hc"), 1),
        ):
            assert cli.main([argv[0], str(path), *map(str, argv[1:])]) == 0
            out, err = command.read()
            said = err if argv[0] == "score" else out
            assert said.count("No row has 2 declared states of Q1 and Q2.") == times, argv
            assert argv[0] == "learn" or out.count("\n") == 1, argv
        # Under another name it is known by its format only.
        other = path.rename(tmp_path / "t.xyz")
        assert ".sav" in command.refuse("health", other)
        assert "200" in command("health", other, "--read", "format=spss")

    def test_the_paragraph_counts_the_rows_of_the_file(self, tmp_path, command):
        path, frame = tmp_path / "t.csv", answers().astype(int).astype(object)
        frame.loc[frame.index % 10 == 0, "Q3"] = None
        frame["Freq"] = [1 + k % 3 for k in range(200)]
        frame.to_csv(path, index=False)
        long = frame.loc[frame.index.repeat(frame["Freq"].astype(int))]
        complete = len(long.dropna())
        done = (
            f"was learned from {complete:,} rows. The table had 200 rows and 4 columns. Each row "
            f"was counted as often as the column 'Freq' says: N counts {len(long)} cases, from 200 "
            f"rows. Rows with a missing cell were left out ({len(long) - complete} of {len(long)} "
            "rows removed). Graphs were"
        )
        given = ("learn", path, "--weights", "Freq", "--missing", "drop", "--paper")
        assert done in command(*given)


def test_the_document_names_every_finding_and_step():
    text = (ROOT / "docs" / "preparation.md").read_text(encoding="utf-8")
    for name in (*TITLES, *(step.__name__ for step in STEPS.values())):
        assert f"`{name}`" in text
