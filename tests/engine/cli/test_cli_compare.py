"""`bjp compare`: groups by a column or of two files, called in-process on small files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine import cli
from bjp_engine.confidence import choose_groups, compare_all_groups, describe_comparison


def run(capsys: pytest.CaptureFixture[str], *argv: str) -> str:
    """The output of a command that succeeds."""
    assert cli.main(["compare", *argv]) == 0
    out, err = capsys.readouterr()
    assert err == ""
    return out


@pytest.fixture
def frame() -> pd.DataFrame:
    """In the east x and y agree; elsewhere mostly not. The weight has forty values."""
    rng = np.random.default_rng(0)
    place = np.repeat(["east", "west, far", "south"], 80)
    x, z = rng.integers(2, size=(2, 240))
    same = rng.random(240) < np.where(place == "east", 0.85, 0.2)
    weight = rng.integers(40, size=240) / 2
    y = np.where(same, x, 1 - x)
    return pd.DataFrame({"place": place, "x": x, "y": y, "z": z, "all": 1, "weight": weight})


@pytest.fixture
def table(frame: pd.DataFrame, tmp_path: Path) -> str:
    path = tmp_path / "places.csv"
    frame.drop(columns="weight").to_csv(path, index=False)
    return str(path)


def test_states_of_a_column(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    more = ("--permutations", "39", "--seed", "2", "--search", "ibmap-hc", "--prior", "0.4")
    out = run(capsys, table, "--by", "place", "--states", 'east, "west, far"', *more)
    groups = choose_groups(bjp.read_table(table), "place", ["east", "west, far"])
    options = {"permutations": 39, "seed": 2, "search": "ibmap-hc", "prior": 0.4}
    found = bjp.compare_groups(*groups.values(), **options)
    first = found.edges.iloc[0]
    assert (first["x"], first["y"], first["p_adjusted"]) == ("x", "y", 0.025)
    assert f"place = west, far: 80 rows, {found.graph_b.number_of_edges()} edge" in out
    assert f"Hamming distance {found.distance}: p = {found.p:.4f}\n" in out
    assert f"difference {first['difference']:.4f}, p = 0.0250, adjusted p = 0.0250\n" in out
    assert out.endswith(f"{describe_comparison(found, 'place = east', 'place = west, far')}\n")


def test_a_difference_of_tables_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files, frames = [], []
    for k in range(2):
        rows = [[i % 3, (i + k) % 3] for i in range(60)]
        frames.append(pd.DataFrame(rows, columns=["x", "y"]))
        files.append(str(tmp_path / f"part{k}.csv"))
        frames[-1].to_csv(files[-1], index=False)
    out = run(capsys, *files, "--permutations", "9")
    first = bjp.compare_groups(*frames, permutations=9).edges.iloc[0]
    wanted = f"root mean square difference of log odds ratios {first['difference']:.4f}, p = "
    assert f"strength {first['effect_a']:.4f} and {first['effect_b']:.4f}, {wanted}" in out


def test_all_states_and_one_against_the_rest(
    table: str, capsys: pytest.CaptureFixture[str]
) -> None:
    more = ("--permutations", "9", "--jobs", "1")
    out = run(capsys, table, "--by", "place", *more)
    for a, b in (("east", "south"), ("east", "west, far"), ("south", "west, far")):
        assert f"\nplace = {a} and place = {b}\n" in out
    assert out.count("adjusted for 3 pairs of groups") == 9
    out = run(capsys, table, "--by", "place", "--states", "west, far", *more)
    assert "place = west, far: 80 rows" in out
    assert "place ≠ west, far: 160 rows" in out


@pytest.mark.parametrize("suffix", [".csv", ".json"])
def test_two_files(
    suffix: str, frame: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files, output = [], tmp_path / f"result{suffix}"
    for name, columns in (("east", ["x", "y", "z"]), ("south", ["z", "y", "x"])):
        files.append(str(tmp_path / f"{name}.csv"))
        frame[frame["place"] == name][columns].to_csv(files[-1], index=False)
    out = run(capsys, *files, "--permutations", "19", "--output", str(output))
    found = compare_all_groups(
        {Path(file).stem: bjp.read_table(file) for file in files}, permutations=19
    )
    assert "east: 80 rows" in out
    assert f"written: {output}\n" in out
    content = output.read_text(encoding="utf-8")
    if suffix == ".csv":
        assert content.splitlines() == bjp.io.comparison_csv(found).splitlines()
    else:
        (pair,) = json.loads(content)["pairs"]
        assert pair["edges"] == found.pairs["east", "south"].edges.to_dict("records")


def test_both_files_are_prepared_alike(
    frame: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    steps = bjp.preparation.Preparation((bjp.preparation.BinNumbers(("weight",), bins=3),))
    (tmp_path / "steps.json").write_text(steps.to_json())
    files = [str(tmp_path / name / "part.csv") for name in ("one", "two")]
    halves = [frame[["x", "weight"]][:120], frame[["x", "weight"]][120:].assign(x=1)]
    for file, half in zip(files, halves, strict=True):
        Path(file).parent.mkdir()
        half.to_csv(file, index=False)
    output = tmp_path / "result.json"
    more = ("--prepare", str(tmp_path / "steps.json"), "--output", str(output))
    out = run(capsys, *files, *more, "--permutations", "4", "--prior", "0.01")
    fitted = bjp.preparation.prepare(halves[0], steps).preparation
    groups = [bjp.preparation.prepare(half, fitted).data for half in halves]
    assert groups[0].cardinalities == (2, 3)
    found = bjp.compare_groups(*groups, permutations=4, prior=0.01)
    assert f"{describe_comparison(found, 'part (1)', 'part (2)')}\n" in out


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        ([], "Give --by COLUMN for the groups of one file, or a second file."),
        (["{table}", "--by", "x"], "Give --by COLUMN"),
        (["{table}", "--states", "a"], "--states needs --by COLUMN"),
        (["--by", "all"], "'all' has the same state in every row"),
        (["--by", "place", "--states", "north"], "has no state 'north'; it has 'east', 'south'"),
        (["--by", "age"], "There is no variable 'age'"),
        (["{other}"], "lacks the variable"),
        (["--by", "x", "--permutations", "0"], "permutations=0"),
        (["--by", "x", "--output", "a.txt"], "--output must end in one of .csv, .json"),
    ],
)
def test_what_cannot_be_compared(
    argv: list[str],
    sentence: str,
    table: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    other = tmp_path / "other.csv"
    other.write_text("u,v\n0,1\n1,0\n")
    given = [text.format(table=table, other=other) for text in argv]
    assert cli.main(["compare", table, *given]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    assert sentence in err


def test_a_number_of_many_states(
    frame: pd.DataFrame, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "weights.csv"
    frame.to_csv(path, index=False)
    assert cli.main(["compare", str(path), "--by", "weight"]) == 2
    assert "makes 40 groups; choose 2 to 6" in capsys.readouterr().err


def test_a_group_of_two_rows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "few.csv"
    path.write_text("\n".join(["g,x,y", "a,0,1", "a,1,0", *["b,0,0", "b,1,1"] * 20]))
    out = run(capsys, str(path), "--by", "g", "--permutations", "4")
    assert "\ng = a: 2 rows, " in out


def test_progress_on_a_terminal_leaves_no_line(
    table: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr("bjp_engine.cli.files.PACE", 0)
    assert cli.main(["compare", table, "--by", "place", "--permutations", "2"]) == 0
    err = capsys.readouterr().err
    assert "\r\x1b[K5 of 6 permutations" in err
    assert err.endswith("\r\x1b[K")
    assert "\n" not in err


def test_ctrl_c_is_quiet(
    table: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupt(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("bjp_engine.confidence.compare_all_groups", interrupt)
    assert cli.main(["compare", table, "--by", "place"]) == 130
    assert capsys.readouterr().err == ""


def test_what_is_known_holds_in_every_group(
    table: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    known, output = tmp_path / "known.csv", tmp_path / "found.json"
    known.write_text("x,y,forbidden\nx,z,required\n", encoding="utf-8")
    more = ("--permutations", "4", "--states", "east,south", "--output", str(output))
    run(capsys, table, "--by", "place", "--known", str(known), *more)
    (pair,) = json.loads(output.read_text(encoding="utf-8"))["pairs"]
    for graph in (pair["graph_a"], pair["graph_b"]):
        edges = {frozenset(edge[:2]) for edge in graph["edges"]}
        assert frozenset("xz") in edges
        assert frozenset("xy") not in edges
    assert pair["options"]["known"]["required"] == [["x", "z"]]
    known.write_text("x,nobody,forbidden\n", encoding="utf-8")
    assert cli.main(["compare", table, "--by", "place", "--known", str(known)]) == 2
    assert "nobody" in capsys.readouterr().err
