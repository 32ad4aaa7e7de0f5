"""`bjp compare`: groups by a column or of two files."""

import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine import cli
from bjp_engine.confidence import choose_groups, compare_all_groups, describe_comparison


@pytest.fixture(scope="module")
def frame():
    """In the east x and y agree; elsewhere mostly not. The weight has forty values."""
    rng = np.random.default_rng(0)
    place = np.repeat(["east", "west, far", "south"], 80)
    x, z = rng.integers(2, size=(2, 240))
    same = rng.random(240) < np.where(place == "east", 0.85, 0.2)
    weight = rng.integers(40, size=240) / 2
    y = np.where(same, x, 1 - x)
    return pd.DataFrame({"place": place, "x": x, "y": y, "z": z, "all": 1, "weight": weight})


@pytest.fixture
def table(frame, tmp_path):
    path = tmp_path / "places.csv"
    frame.drop(columns=["all", "weight"]).to_csv(path, index=False)
    return path


def test_states_of_a_column(table, command):
    asked = ("compare", table, "--by", "place")
    more = ("--permutations", "39", "--seed", "2", "--search", "ibmap-hc", "--prior", "0.4")
    out = command(*asked, "--states", 'east, "west, far"', *more)
    groups = choose_groups(bjp.read_table(table), "place", ["east", "west, far"])
    options = {"permutations": 39, "seed": 2, "search": "ibmap-hc", "prior": 0.4}
    found = bjp.compare_groups(*groups.values(), **options)
    first = found.edges.iloc[0]
    assert (first["x"], first["y"], first["p_adjusted"]) == ("x", "y", 0.025)
    for part in (
        f"place = west, far: 80 rows, {found.graph_b.number_of_edges()} edge",
        f"Hamming distance {found.distance}: p = {found.p:.4f}\n",
        f"{first['difference']:.4f} 0.0250      0.0250\n",
        f"{describe_comparison(found, 'place = east', 'place = west, far')}\n",
    ):
        assert part in out
    # All states, and one against the rest.
    more = ("--permutations", "9", "--jobs", "1")
    out = command(*asked, *more)
    for a, b in (("east", "south"), ("east", "west, far"), ("south", "west, far")):
        assert f"\nplace = {a} and place = {b}\n" in out
    assert out.count("adjusted for 3 pairs of groups") == 9
    out = command(*asked, "--states", "west, far", *more)
    assert "place = west, far: 80 rows" in out
    assert "place ≠ west, far: 160 rows" in out


def test_a_column_kept_as_a_group_makes_groups(table, tmp_path, command):
    roles, more = tmp_path / "roles.json", ("--by", "place", "--permutations", "9")
    roles.write_text('{"place": "group"}')
    alike = command("compare", table, *more).splitlines()
    said = command("compare", table, *more, "--roles", roles).splitlines()
    assert said[0].startswith("1. Keep 'place' as groups")
    assert said[1:] == alike
    # Who is in no group that is named is not given one.
    frame = pd.read_csv(table)
    frame.loc[::2, "place"] = np.nan
    frame.to_csv(table)
    out = command("compare", table, *more, "--prepare", "suggested", note=None)
    for group, rows in frame["place"].value_counts().items():
        assert f"place = {group}: {rows} rows" in out
    assert "mpute" not in out


def test_two_files(frame, tmp_path, command):
    files = [tmp_path / "east.csv", tmp_path / "south.csv"]
    for file, columns in zip(files, (["x", "y", "z"], ["z", "y", "x"]), strict=True):
        frame[frame["place"] == file.stem][columns].to_csv(file, index=False)
    found = compare_all_groups({file.stem: bjp.read_table(file) for file in files}, permutations=19)
    asked = ("compare", *files, "--permutations", "19", "--output")
    out = command(*asked, tmp_path / "result.csv")
    assert "east: 80 rows" in out
    assert f"written: {tmp_path / 'result.csv'}\n" in out
    content = (tmp_path / "result.csv").read_text(encoding="utf-8")
    assert content.splitlines() == bjp.io.comparison_csv(found).splitlines()
    # What the sentence on the groups says is no note as well.
    for file, agree in zip(files, (lambda x: x, lambda x: 1 - x), strict=True):
        pd.DataFrame([[x, agree(x)] for x in (0, 1)] * 30, columns=["x", "y"]).to_csv(file)
    out = command("compare", *files, "--read", "columns=x,y", "--permutations", "9", note="")
    assert out.count("has no finite estimate") == 1


def test_what_is_left_out_is_noted_and_labels_are_permuted_within_persons(tmp_path, command):
    rng, path = np.random.default_rng(7), tmp_path / "waves.csv"
    x, z = rng.integers(2, size=(2, 120))
    y = np.where(rng.random(120) < 0.2, 1 - x, x)
    answers = pd.DataFrame({"x": x, "y": y, "z": z, "id": [*range(60)] * 2})
    wave = np.repeat([1, 2], 60)
    answers.assign(wave=wave, when=wave).to_csv(path, index=False)
    asked = ("compare", path, "--by", "wave", "--permutations", "9", "--search", "ibmap-hc")
    options = {"permutations": 9, "search": "ibmap-hc"}
    parts = [answers[:60], answers[60:]]
    plain = bjp.compare_groups(*(part.drop(columns="id") for part in parts), **options)
    paired = bjp.compare_groups(*parts, **options, paired="id")
    # Each note once: as a line like those of other commands, or in the sentences on the groups.
    for more, made, notes in (
        (("--states", "1,2"), plain, 1),
        (("--states", "1"), plain, 1),
        (("--paired", "id"), paired, 0),
    ):
        assert cli.main([*map(str, asked), *more]) == 0
        out, err = command.read()
        (note,) = err.splitlines()
        assert note.startswith("note: Column 'when' separates the groups of"), more
        assert out.count("Column 'id'") == out.count("--paired id permutes") == notes, more
        assert f"Hamming distance {made.distance}: p = {made.p:.4f}\n" in out, more
    assert f"p = {paired.p_edges:.4f}\n" in out
    assert "within each id (van" in out
    # What an argument names is not left out, though health suggests it.
    out = command(*asked, "--paired", "id", "--prepare", "suggested", note=None)
    assert "Leave out 'when'." in out
    assert "within each id (van" in out


def test_what_cannot_be_compared(frame, table, tmp_path, command):
    other, weights, few = (tmp_path / f"{name}.csv" for name in ("other", "weights", "few"))
    other.write_text("u,v\n0,1\n1,0\n")
    frame.to_csv(weights, index=False)
    for argv, part in (
        ([], "Give --by COLUMN for the groups of one file, or a second file."),
        ([table, "--by", "x"], "Give --by COLUMN"),
        (["--by", "x", "--permutations", "1000000000"], "a whole number from 1 to 1000000"),
        ([table, "--prepare", "suggested"], "--prepare and --roles take one file"),
        ([table, "--states", "a"], "--states needs --by COLUMN"),
        (["--by", "place", "--states", "north"], "has no state 'north'; it has 'east', 'south'"),
        (["--by", "age"], "There is no variable 'age'"),
        ([other], "lacks the variable"),
        (["--by", "x", "--permutations", "0"], "permutations=0"),
        (["--by", "x", "--output", "a.txt"], "--output must end in .csv"),
    ):
        assert part in command.refuse("compare", table, *argv, begun=True)
    sentence = command.refuse("compare", weights, "--by", "weight", begun=True)
    assert "makes 40 groups; choose 2 to 6" in sentence
    sentence = command.refuse("compare", weights, "--by", "all", begun=True)
    assert "'all' has the same state in every row" in sentence
    # Two rows are a group.
    few.write_text("\n".join(["g,x,y", "a,0,1", "a,1,0", *["b,0,0", "b,1,1"] * 20]))
    out = command("compare", few, "--by", "g", "--permutations", "4", note=None)
    assert "\ng = a: 2 rows, " in out


def test_progress_on_a_terminal_leaves_no_line(table, command, monkeypatch):
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setattr("bjp_engine.cli.common.PACE", 0)
    assert cli.main(["compare", str(table), "--by", "place", "--permutations", "2"]) == 0
    _, err = command.read()
    assert "\r\x1b[K5 of 6 permutations" in err
    assert (err.endswith("\r\x1b[K"), "\n" in err) == (True, False)


def test_what_is_known_holds_in_every_group(table, tmp_path, command):
    known, output = tmp_path / "known.csv", tmp_path / "found.csv"
    known.write_text("x,y,forbidden\nx,z,required\n", encoding="utf-8")
    asked = ("compare", table, "--by", "place", "--known", known)
    command(*asked, "--permutations", "4", "--states", "east,south", "--output", output)
    edges = pd.read_csv(output).set_index(["x", "y"])
    assert edges.loc[("x", "z"), ["in_a", "in_b"]].all()
    assert ("x", "y") not in edges.index
    known.write_text("x,nobody,forbidden\n", encoding="utf-8")
    assert "nobody" in command.refuse(*asked, begun=True)
