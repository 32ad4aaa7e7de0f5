"""`bjp health` and `--prepare`, called in-process, and what the documents on preparation show."""

from __future__ import annotations

import doctest
import json
import re
from pathlib import Path

import pytest

import bjp_engine as bjp
from bjp_engine import cli
from bjp_engine.health import health, suggest
from bjp_engine.health.findings import SEVERITIES
from bjp_engine.io import read_frame
from bjp_engine.preparation import MissingCells, Preparation, prepare

ROOT = Path(__file__).parents[3]
VOTES = str(ROOT / "sample_data" / "datasets" / "house_votes_84.csv")


def run(capsys: pytest.CaptureFixture[str], *argv: str, single: str = "") -> str:
    """What is printed; `single` is what needs one table where missing cells are imputed."""
    assert cli.main(argv) == 0
    out, err = capsys.readouterr()
    note = f"note: {single} needs one table, so only the first is used.\n"
    assert err == (note if single else "")
    return out


def complaint(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    assert cli.main(argv) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    return err


@pytest.fixture
def survey(tmp_path: Path) -> str:
    rows = [
        f"{k},{20 + k * 7 % 50},{['yes', 'no', 'Yes', '', 'no'][k % 5]},{k % 2}" for k in range(90)
    ]
    path = tmp_path / "survey.csv"
    path.write_text("\n".join(["id,age,smokes,coin", *rows]) + "\n", encoding="utf-8")
    return str(path)


def test_the_report_is_printed_worst_first_with_the_suggested_steps(
    survey: str, capsys: pytest.CaptureFixture[str]
) -> None:
    said = run(capsys, "health", survey)
    report = health(read_frame(survey)[0])
    lines = said.splitlines()
    assert lines[0].endswith("90 rows, 4 columns")
    shown = lines[1 : 1 + len(report.findings)]
    for line, finding in zip(shown, report.findings, strict=True):
        assert line == f"{SEVERITIES[finding.severity]:<16} {finding.title}: {finding.sentence}"
    steps = [f"  {k}. {text}" for k, text in enumerate(suggest(report).sentences, 1)]
    assert lines[1 + len(report.findings) :] == ["suggested:", *steps]


def test_nothing_is_suggested_where_nothing_is_wrong(capsys: pytest.CaptureFixture[str]) -> None:
    said = run(capsys, "health", VOTES.replace("house_votes_84", "coronary"))
    assert said.endswith("suggested: nothing; the table can be used as it is\n")


def test_a_table_that_cannot_be_used_is_not_called_usable(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "one.csv"
    path.write_text("a\n" + "x\ny\n" * 30, encoding="utf-8")
    said = run(capsys, "health", str(path))
    assert said.startswith(f"{path}: 60 rows, 1 column\nmust be resolved ")
    assert said.endswith("suggested: nothing\n")


def test_as_json(survey: str, capsys: pytest.CaptureFixture[str]) -> None:
    content = json.loads(run(capsys, "health", survey, "--json"))
    assert content == json.loads(health(read_frame(survey)[0]).to_json())


@pytest.mark.slow
def test_suggested_steps_are_written_applied_and_saved_with_the_result(
    survey: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps, output = tmp_path / "steps.json", tmp_path / "result.json"
    assert f"written: {steps}" in run(capsys, "health", survey, "--suggest", str(steps))
    read = Preparation.from_json(steps.read_text(encoding="utf-8"))
    frame = read_frame(survey)[0]
    assert read == suggest(health(frame))
    made = prepare(frame, read)
    argv = ("learn", survey, "--prepare", str(steps), "--output", str(output))
    said = run(capsys, *argv, single="--output .json")
    assert f"{made.data.rows} rows, {made.data.n} variables" in said
    for one in made.trace:
        assert f"{one.number}. {one.step.sentence} {one.sentence}\n" in said
    saved = json.loads(output.read_text(encoding="utf-8"))
    assert Preparation.from_dict(saved["preparation"]) == made.preparation
    assert saved["score"] == bjp.learn(made.data).score
    # What was saved is a file of steps itself.
    steps.write_text(json.dumps(saved["preparation"]), encoding="utf-8")
    argv = ("learn", survey, "--prepare", str(steps), "--search", "auto")
    again = run(capsys, *argv, single="--search")
    assert f"score: {saved['score']!r} (ln BJP" in again


@pytest.mark.slow
def test_a_graph_is_scored_on_the_prepared_table(
    survey: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps, graph = tmp_path / "steps.json", tmp_path / "graph.graphml"
    run(capsys, "health", survey, "--suggest", str(steps))
    learning = ("--search", "ibmap-hc", "--output", str(graph))
    run(capsys, "learn", survey, "--prepare", str(steps), *learning, single="--search")
    said = run(capsys, "score", survey, "--prepare", str(steps), "--graph", str(graph))
    data = prepare(read_frame(survey)[0], suggest(health(read_frame(survey)[0]))).data
    assert float(said.splitlines()[-1]) == bjp.learn(data, search="ibmap-hc").score


def test_missing_is_done_after_the_steps(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = tmp_path / "steps.json"
    steps.write_text(Preparation().to_json(), encoding="utf-8")
    assert "add a step" in complaint(capsys, "learn", VOTES, "--prepare", str(steps))
    said = run(capsys, "learn", VOTES, "--prepare", str(steps), "--missing", "drop")
    assert "232 rows, 17 variables" in said
    frame = read_frame(VOTES)[0]
    data = prepare(frame, [MissingCells("drop")]).data
    assert f"score: {bjp.learn(data).score!r}" in said


def test_missing_cells_name_the_flag_in_the_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    said = complaint(capsys, "learn", VOTES)
    assert "with --missing drop" in said
    assert "with --missing state" in said
    assert "or impute them with bjp learn --missing impute." in said
    assert "missing='" not in said


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        (("health", VOTES, "--suggest", "steps.txt"), "must end in .json"),
        (("health", VOTES, "--suggest", "/nowhere/at/all/steps.json"), "doesn't exist"),
        (("health", "nothing.csv"), "There is no file"),
        (("learn", VOTES, "--prepare", "nothing.json"), "No such file"),
        (("learn", VOTES, "--prepare", VOTES), "not JSON"),
    ],
)
def test_refused_in_a_sentence(
    argv: tuple[str, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert sentence in complaint(capsys, *argv)


def test_names_of_a_file_are_shown_on_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "odd.csv"
    rows = "\n".join(f"{k},x" for k in range(30))
    path.write_text(f'"\x1b[31mred\x07",b\n{rows}\n', encoding="utf-8")
    assert "\x1b" not in run(capsys, "health", str(path))


COUNTED = "a,b,Freq\nx,u,40\nx,v,3\ny,u,5\ny,v,60\n"


@pytest.fixture
def counted(tmp_path: Path) -> str:
    path = tmp_path / "counted.csv"
    path.write_text(COUNTED, encoding="utf-8")
    return str(path)


def test_a_note_says_what_health_suggests_and_changes_nothing(
    survey: str, counted: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(("learn", counted)) == 0
    out, err = capsys.readouterr()
    assert err == (
        f"note: bjp health {counted} suggests: count each row as often as 'Freq' says, and leave "
        "'Freq' out (--prepare suggested).\n"
    )
    assert f"score: {bjp.learn(bjp.read_table(counted)).score!r} (ln BJP" in out
    assert cli.main(("learn", survey, "--missing", "drop")) == 0
    out, err = capsys.readouterr()
    report = suggest(health(read_frame(survey)[0]))
    said = [one.sentence for one in report.steps if one.kind != "missing"]
    shown = "; ".join(text[0].lower() + text[1:-1] for text in said)
    assert err == f"note: bjp health {survey} suggests: {shown} (--prepare suggested).\n"


def test_nothing_is_noted_where_nothing_is_advised(
    counted: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run(capsys, "learn", VOTES.replace("house_votes_84", "coronary"))
    run(capsys, "learn", counted, "--weights", "Freq")
    steps = tmp_path / "steps.json"
    steps.write_text(Preparation().to_json(), encoding="utf-8")
    run(capsys, "learn", counted, "--prepare", str(steps))


def test_suggested_steps_are_applied_by_a_word(
    survey: str, counted: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    output = tmp_path / "result.json"
    for file, single in ((survey, "--output .json"), (counted, "")):
        made = prepare(read_frame(file)[0], suggest(health(read_frame(file)[0])))
        argv = ("learn", file, "--prepare", "suggested", "--output", str(output))
        said = run(capsys, *argv, single=single)
        assert f"{made.data.rows} rows, {made.data.n} variables" in said
        saved = json.loads(output.read_text(encoding="utf-8"))
        assert Preparation.from_dict(saved["preparation"]) == made.preparation
        assert saved["score"] == bjp.learn(made.data).score


def test_weights_give_the_long_table(
    counted: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    lines = [line.split(",") for line in COUNTED.split()[1:]]
    long = tmp_path / "long.csv"
    rows = [f"{a},{b}" for a, b, n in lines for _ in range(int(n))]
    long.write_text("\n".join(["a,b", *rows]) + "\n", encoding="utf-8")
    score = f"score: {bjp.learn(bjp.read_table(long)).score!r} (ln BJP"
    assert score in run(capsys, "learn", str(long))
    assert score in run(capsys, "learn", counted, "--weights", "Freq")
    for steps in ("suggested", str(tmp_path / "none.json")):
        (tmp_path / "none.json").write_text(Preparation().to_json(), encoding="utf-8")
        assert score in run(capsys, "learn", counted, "--weights", "Freq", "--prepare", steps)
    assert "holds the text 'x'; a frequency is a whole" in complaint(
        capsys, "learn", counted, "--weights", "a"
    )


class TestDocument:
    text = (ROOT / "docs" / "preparation.md").read_text(encoding="utf-8")
    surveys = (ROOT / "docs" / "surveys.md").read_text(encoding="utf-8")

    def test_its_examples_run(self) -> None:
        text = self.text + self.surveys
        found = doctest.DocTestParser().get_doctest(
            "\n".join(re.findall(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)),
            {}, "preparation.md", "preparation.md", 0,
        )  # fmt: skip
        runner = doctest.DocTestRunner()
        runner.run(found)
        assert runner.summarize(verbose=False).attempted >= 15
        assert not runner.failures

    def test_its_file_of_steps_is_one(self) -> None:
        (content,) = re.findall(r"^```json\n(.*?)^```$", self.text, re.MULTILINE | re.DOTALL)
        assert Preparation.from_json(content).steps == (MissingCells("drop"),)

    def test_it_knows_every_finding_and_step(self) -> None:
        from bjp_engine.health import TITLES
        from bjp_engine.preparation import STEPS

        for name in (*TITLES, *(step.__name__ for step in STEPS.values())):
            assert f"`{name}`" in self.text
