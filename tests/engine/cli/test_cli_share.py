"""`bjp share`: the page that `bjp.share` makes of the same, in a file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import bjp_engine as bjp
from bjp_engine import cli

CORONARY = str(bjp.resources.sample_data("datasets", "coronary.csv"))
DATA = bjp.read_table(CORONARY)
PAPER = ("--search", "ibmap-hc")


def share(tmp_path: Path, *argv: str) -> str:
    """The file that the command writes."""
    out = tmp_path / "page.html"
    assert cli.main(["share", CORONARY, "--out", str(out), *argv]) == 0
    return out.read_text(encoding="utf-8")


def learned(method: str = "bjp", search: str = "ibmap-hc") -> bjp.search.SearchTrace:
    return bjp.learn(DATA, method, search)


def test_a_climb_is_the_default(tmp_path: Path) -> None:
    found = share(tmp_path, *PAPER, "--step", "2")
    assert found == bjp.share(learned(), title="coronary", step=2)


def test_a_score_of_what_is_learned_or_of_a_graph(tmp_path: Path) -> None:
    trace = learned()
    with_prior = bjp.score(DATA, trace.graph, gamma=2.0)
    graph = tmp_path / "graph.graphml"
    bjp.io.write_graph(trace.graph, graph)
    found = share(tmp_path, "--view", "step", *PAPER)
    assert found == bjp.share(bjp.score(DATA, trace.graph), title="coronary")
    given = ("--graph", str(graph), "--gamma", "2", "--title", "Heart")
    assert share(tmp_path, "--view", "step", *given) == bjp.share(with_prior, title="Heart")


def test_two_climbs(tmp_path: Path) -> None:
    same = share(tmp_path, "--view", "duel", *PAPER)
    assert same == bjp.share([learned(), learned("ib")], title="coronary")
    options = ("--search", "tabu", "--option", "tenure=3", "--versus", "bjp:steepest")
    other = share(tmp_path, "--view", "duel", *options)
    both = [bjp.learn(DATA, search="tabu", tenure=3), learned(search="steepest")]
    assert other == bjp.share(both, title="coronary")


def test_networks_beside_the_truth(tmp_path: Path) -> None:
    truth = tmp_path / "truth.csv"
    bjp.io.write_graph(learned().graph, truth)
    found = share(tmp_path, "--view", "networks", "--truth", str(truth))
    assert re.findall(r'"title":"([^"]+)"', found) == ["BJP", "IB-score", "MPL"]
    assert '"fp"' not in found.partition('"title":"BJP"')[2].partition('"title"')[0]
    by = re.findall(r'"subtitle":"\d+ edges? \\u00b7 ([^"]+)"', found)
    assert by == ["IBMAP-HC", "IBMAP-HC", "MPL hill climb"]


def test_a_page_says_that_cells_were_imputed(tmp_path: Path) -> None:
    table = DATA.to_frame()
    table.loc[::10, "smoking"] = None
    file, out = tmp_path / "holes.csv", tmp_path / "page.html"
    table.to_csv(file, index=False)
    asked = ("--prepare", "suggested", "--view", "whatif", "--out", str(out), *PAPER)
    assert cli.main(["share", str(file), *asked]) == 0
    told = "Missing cells were imputed; this page uses the first of 20 completed tables."
    assert f'<p dir="auto">{told}</p>' in out.read_text(encoding="utf-8")
    assert "imputed" not in share(tmp_path, "--view", "whatif", *PAPER)


def test_what_if(tmp_path: Path) -> None:
    found = share(tmp_path, "--view", "whatif", *PAPER)
    assert found == bjp.share(bjp.fit_parameters(DATA, learned().graph), title="coronary")


@pytest.mark.parametrize(
    ("argv", "sentence"),
    [
        ([CORONARY, "--out", "a.txt"], "--out must end in one of .html, .htm."),
        ([CORONARY, "--out", "a.html", "--graph", "g.csv"], "--graph goes with --view step or"),
        ([CORONARY, "--out", "a.html", "--versus", "ib"], "--versus goes with --view duel;"),
        ([CORONARY, "--out", "a.html", "--language", "es"], "--language goes with `bjp share"),
        (
            [CORONARY, "--out", "a.html", "--view", "duel", "--versus", "x"],
            "--versus 'x' is no score; use one of bjp,",
        ),
        (
            [CORONARY, "--out", "a.html", "--view", "networks", "--search", "tabu"],
            "leave --method and --search out",
        ),
        ([CORONARY, "--out", "a.html", "--step", "99", *PAPER], "step=99 must be a whole"),
        (["lessons", "--out", "a", "--view", "step"], "--view goes with a table"),
    ],
)
def test_one_sentence_on_what_does_not_go(
    argv: list[str],
    sentence: str,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert cli.main(["share", *argv]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert sentence in err
    assert not list(tmp_path.iterdir())
