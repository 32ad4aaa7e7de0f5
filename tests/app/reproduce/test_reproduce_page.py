"""Reproduce the paper: what the page shows are the engine's summaries and claims."""

from __future__ import annotations

import math
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from bjp_engine import Progress, cli
from bjp_engine.errors import Cancelled, DataError
from bjp_engine.experiments import (
    TABLES,
    Results,
    claims,
    find_table,
    read_results,
    resize,
    run,
    summaries,
)
from bjp_engine.experiments.summary import printed
from bjp_engine.scores import SCORES
from bjp_explorer.jobs import job
from bjp_explorer.reproduce import claims as reproduce_claims
from bjp_explorer.reproduce import data, downloads, figures, runs, sizes, tables, visit
from bjp_explorer.reproduce import files as reproduce_files
from bjp_explorer.reproduce import words as reproduce_words
from bjp_explorer.reproduce.runs import Desk
from bjp_explorer.views.palette import DARK, LIGHT

Opened = Callable[..., AppTest]
ENDS = 600.0
TINY = {"distributions": 2, "samples": 1, "rows": (250,), "networks": ("karate", "curtis-54")}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Results files of this test only."""
    monkeypatch.setenv(reproduce_files.HOME, str(tmp_path))
    visit._looks.clear()
    return tmp_path


@pytest.fixture(scope="module")
def results() -> Results:
    return read_results(data.shipped_path())


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small run of table 4."""
    path = tmp_path_factory.mktemp("tiny") / "results.db"
    run(resize(find_table("table-4"), **TINY), path, workers=1)
    return path


def text(app: AppTest) -> str:
    return "\n".join(block.value for block in app.markdown)


def figure(shown: str) -> float:
    """The first number of a cell."""
    return float(re.sub(r"^[▲▼] ", "", shown).split(" ")[0].replace("−", "-").replace(",", ""))


def until(happened: Callable[[], Any]) -> None:
    end = time.monotonic() + ENDS
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.01)


# --- The rows that are shipped --------------------------------------------------------------------


def test_all_four_tables_are_shipped_whole(results: Results) -> None:
    assert set(results.experiments) == set(TABLES)
    assert len(results) == results.expected


@pytest.mark.parametrize("table", TABLES)
def test_the_table_is_the_engines_summaries(open_app: Opened, results: Results, table: str) -> None:
    app = open_app("reproduce", table=table.removeprefix("table-"))
    shown = app.dataframe[0].value.set_index(["network", "N"])
    mine = [one for one in summaries(results) if one.experiment == table]
    assert len(mine) == 3 * len(shown)
    digits = 2 if table == "table-1" else 1
    for one in mine:
        line, title = shown.loc[one.network, f"{one.rows:,}"], SCORES[one.score].title
        assert figure(line[title]) == float(f"{one.mean:.{digits}f}")
        assert line[title].endswith(f"± {one.error:.{digits}f}")
        assert figure(line[f"{title} paper"]) == float(f"{one.printed:.{digits}f}")
        apart = line[f"{title} Δ"]
        assert figure(apart) == float(f"{one.difference:.{digits}f}")
        mark = "▲" if one.difference > 0 else "▼"
        assert apart.startswith(mark) != one.agrees
    reconstructed = table != "table-4"
    assert ("on reconstructed networks" in text(app)) == reconstructed
    for network in {one.network for one in mine}:
        off = sum(one.agrees is False for one in mine if one.network == network)
        assert (f"{network} ({off})" in text(app)) == (off > 0)
    if table == "table-1":
        far = ("target-4", "target-5", "target-6")
        mean = np.mean([abs(one.difference) for one in mine if one.network in far])
        sentence = "Success rates of target-4, target-5 and target-6 are "
        assert f"{sentence}{100 * mean:.0f} percentage points off" in text(app)
    agrees = sum(one.agrees is True for one in mine)
    assert f"**{agrees} of {len(mine)} figures ({100 * agrees / len(mine):.0f} %)" in text(app)


@pytest.mark.parametrize("table", TABLES)
def test_every_claim_is_shown(open_app: Opened, results: Results, table: str) -> None:
    told = text(open_app("reproduce", table=table.removeprefix("table-"))).replace("\\", "")
    found = [one for one in claims(results) if one.experiment == table]
    assert found
    for one in found:
        verdict = reproduce_claims.VERDICTS[one.verdict]
        start = f"**{verdict}** · {one.sentence}: "
        (line,) = [line for line in told.splitlines() if start in line]
        value, low, high = re.match(r"(\S+) .*\((\S+) to (\S+)\)", line.split(start)[1]).groups()  # type: ignore[union-attr]
        # Differences of success rates are in percentage points.
        scale = 100 if table == "table-1" else 1
        assert ("percentage points" in line) == (scale == 100)
        for shown, exact in ((value, one.estimate), (low, one.low), (high, one.high)):
            assert figure(shown) == pytest.approx(scale * exact, rel=6e-3, abs=1e-6)
    for kind in {one.kind for one in found}:
        assert reproduce_claims.KINDS[kind] in told


def test_the_command_is_the_one_that_made_the_rows(
    open_app: Opened, results: Results, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """What the command line makes of it is the shipped description."""
    from bjp_engine import experiments
    from bjp_engine.cli import experiment as command

    asked: list[Any] = []

    def run(experiment: Any, *_: Any, **__: Any) -> Results:
        asked.append(experiment)
        return results.where(experiment=experiment.name)

    monkeypatch.setattr(experiments, "run", run)
    monkeypatch.setattr(command, "print", lambda *_: None, raising=False)
    for table in TABLES:
        app = open_app("reproduce", table=table.removeprefix("table-"))
        words = app.code[0].value.split()
        assert words[:2] == ["bjp", "experiment"]
        assert cli.main([*words[1:-1], str(tmp_path / "x.db")]) == 0
        assert asked.pop() == results.experiments[table]


def test_commands_name_what_is_not_the_papers() -> None:
    small = resize(find_table("table-4"), samples=2, seed=7, rows=[250, 500], networks=["karate"])
    assert sizes.command([small]) == (
        "bjp experiment table-4 --samples 2 --seed 7 --rows 250,500 --networks karate "
        "--out results.db"
    )


# --- Charts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("palette", [LIGHT, DARK])
@pytest.mark.parametrize("table", ["table-1", "table-4"])
def test_charts_hold_means_bands_and_printed_values(
    results: Results, table: str, palette: Any
) -> None:
    view = data.view(results, table)
    network = view.experiment.networks[0]
    drawn = figures.outcome(view, network, palette)
    for k, (score, _) in enumerate(view.experiment.scores):
        band, line, marks = drawn.data[3 * k : 3 * k + 3]
        mine = [one for one in view.cells if (one.network, one.score) == (network, score)]
        means, errors = (np.array([getattr(one, a) for one in mine]) for a in ("mean", "error"))
        np.testing.assert_array_equal(line.x, [one.rows for one in mine])
        np.testing.assert_allclose(line.y, means)
        np.testing.assert_allclose(band.y, [*(means + errors), *(means - errors)[::-1]])
        paper = [p.value for p in printed(table) if (p.network, p.score) == (network, score)]
        np.testing.assert_allclose(marks.y, paper)
        assert marks.marker.symbol.endswith("-open")
    # Told apart without colour too.
    lines = [trace for trace in drawn.data if trace.mode == "lines+markers"]
    assert len({(one.line.dash, one.marker.symbol) for one in lines}) == 3


@pytest.mark.parametrize("table", ["table-1", "table-4"])
def test_run_times_stand_beside_the_papers(open_app: Opened, results: Results, table: str) -> None:
    app = open_app("reproduce", table=table.removeprefix("table-"), show="times")
    shown = app.dataframe[0].value.set_index(["network", "N"])
    seconds = {(p.network, p.rows, p.score): p.seconds for p in printed(table)}
    view = data.view(results, table)
    for one in view.cells:
        line, title = shown.loc[one.network, f"{one.rows:,}"], SCORES[one.score].title
        assert line[title] == tables.seconds(one.seconds)
        theirs = seconds[one.network, one.rows, one.score]
        if theirs is None:
            assert line[f"{title} paper"] == line[f"{title} ratio"] == "–"
        else:
            assert line[f"{title} ratio"] == f"{theirs / one.seconds:,.0f} ×"
    drawn = figures.times(view, view.experiment.networks[0], LIGHT)
    printed_marks = [len(trace.x) for trace in drawn.data if trace.mode == "markers"]
    assert printed_marks == ([0, 0, 0] if table == "table-1" else [6, 6, 6])


def test_run_times_are_written_to_three_digits() -> None:
    values = (1.23e-05, 0.00123, 0.0456, 0.789, 12.3, 1234.0)
    assert [tables.seconds(v) for v in values] == [
        "12.3 µs",
        "1.23 ms",
        "45.6 ms",
        "0.789 s",
        "12.3 s",
        "1,234 s",
    ]


# --- Sizes ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", sizes.SIZES)
def test_a_size_is_told_before_it_is_run(open_app: Opened, size: str, folder: Path) -> None:
    app = open_app("reproduce", table="4", size=size)
    experiment = sizes.experiment_of("table-4", size)
    assert f"**{experiment.size:,} searches**" in text(app)
    assert [button.label for button in app.button if button.key == "reproduce-run"] == ["Run"]
    assert "the page shows the included results" in app.info[0].value
    assert not list(folder.iterdir())


def test_full_is_the_papers_own_design() -> None:
    for table in TABLES:
        assert sizes.experiment_of(table, "full") == find_table(table)


def test_the_estimate_is_the_searches_shared_among_the_cores(results: Results) -> None:
    cores = sizes.cores()
    for table in TABLES:
        mine = results.where(experiment=table)
        took = sizes.estimate(results.experiments[table], mine)
        least = mine["seconds"].sum() / cores
        assert least < took < 2 * least + 2 * sizes.START
    none = results.where(experiment="nothing")
    assert math.isnan(sizes.estimate(find_table("table-1"), none))


def test_bad_links_are_told(open_app: Opened) -> None:
    app = open_app("reproduce", table="5", size="huge")
    assert [box.value.count("can’t be used") for box in app.warning] == [1, 1]
    assert "Table 1:" in text(app)


# --- Own runs -------------------------------------------------------------------------------------


@pytest.fixture
def small_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """All sizes as small as a test wants them."""
    monkeypatch.setattr(sizes, "SIZES", dict.fromkeys(sizes.SIZES, TINY))


@pytest.mark.slow
def test_own_rows_are_shown_and_compared_with_those_shipped(
    open_app: Opened, small_sizes: None, tiny: Path
) -> None:
    experiment = sizes.experiment_of("table-4", "quick")
    reproduce_files.results_file(experiment).write_bytes(tiny.read_bytes())
    app = open_app("reproduce", table="4", size="quick")
    assert "All of them are done" in text(app)
    assert not [button for button in app.button if button.key == "reproduce-run"]
    mine = read_results(tiny)
    shown = app.dataframe[0].value.set_index(["network", "N"])
    for one in summaries(mine):
        assert figure(shown.loc[one.network, "250"][SCORES[one.score].title]) == float(
            f"{one.mean:.1f}"
        )
    assert "All 12 rows shared with the included run are identical" in text(app)


def test_a_damaged_file_is_a_sentence(open_app: Opened, small_sizes: None, tiny: Path) -> None:
    path = reproduce_files.results_file(sizes.experiment_of("table-4", "quick"))
    path.write_bytes(tiny.read_bytes()[:5000])
    app = open_app("reproduce", table="4", size="quick")
    (error,) = app.error
    assert error.value.startswith(f"'{path.name}' is damaged; move it away")
    assert "the page shows the included results" in app.info[0].value


def test_rows_that_differ_from_the_shipped_are_told(results: Results, tiny: Path) -> None:
    mine = read_results(tiny)
    same = data.compare_rows(mine, results.where(experiment="table-4"))
    assert (same.both, same.equal) == (12, 12)
    columns = dict(mine.columns)
    columns["hamming"] = columns["hamming"].copy()
    columns["hamming"][:3] += 1
    other = data.compare_rows(Results(mine.experiments, columns), results)
    assert (other.both, other.equal) == (12, 9)
    assert "3 of 12 rows came out differently" in reproduce_words.compare_with_included(other)
    columns["seed"] = columns["seed"] + 1
    assert data.compare_rows(Results(mine.experiments, columns), results).both == 0


@pytest.mark.slow
def test_the_page_runs_to_the_end(
    open_app: Opened, run: Callable[..., AppTest], small_sizes: None, folder: Path
) -> None:
    app = open_app("reproduce", table="4", size="glance", seed="3")
    run(app.button(key="reproduce-run").click())
    assert app.button(key="reproduce-cancel")

    def ended() -> bool:
        run(app)
        return "All of them are done" in text(app)

    until(ended)
    (path,) = folder.glob("*.db")
    found = read_results(path)
    assert found.experiments["table-4"] == resize(find_table("table-4"), seed=3, **TINY)
    assert len(found) == found.expected == 12
    # Other data than the shipped.
    assert "included run has too" not in text(app)


# --- Runs that several visits share ---------------------------------------------------------------


@pytest.fixture
def endless(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[Path]]:
    """Runs that go on until they are stopped; the list tells which are going on."""
    going: list[Path] = []
    free = threading.Event()

    def stand_in(_: Any, path: Path, *, progress: Progress, **about: Any) -> None:
        going.append(path)
        try:
            with suppress(Cancelled):
                while not free.wait(0.005):
                    progress.tick()
        finally:
            going.remove(path)

    monkeypatch.setattr(runs, "run", stand_in)
    yield going
    free.set()


A, B = find_table("table-1"), find_table("table-2")


def desk(connected: bool = True) -> Desk:
    return Desk(lambda _: connected, lambda: False)


def test_two_visits_share_a_run_until_both_have_left(endless: list[Path], folder: Path) -> None:
    shared, path = desk(), folder / "a.db"
    first, second = shared.start(A, path, "one"), shared.start(A, path, "two")
    assert first is second
    until(lambda: endless == [path])
    shared.leave(path, "one")
    assert shared.running(path, "one") is None
    assert shared.running(path, "two") is second
    assert not second.job.wait(0.1)
    shared.leave(path, "two")
    assert second.job.wait(ENDS)
    assert endless == []


def test_one_runs_at_a_time(endless: list[Path], folder: Path) -> None:
    shared = desk()
    first = shared.start(A, folder / "a.db", "one")
    until(lambda: endless)
    second = shared.start(B, folder / "b.db", "one")
    third = shared.start(find_table("table-3"), folder / "c.db", "one")
    assert not second.job.wait(0.3)
    assert endless == [folder / "a.db"]
    # One that waits can be cancelled too.
    shared.leave(folder / "c.db", "one")
    assert third.job.wait(ENDS)
    assert isinstance(third.job.error, Cancelled)
    shared.leave(folder / "a.db", "one")
    assert first.job.wait(ENDS)
    until(lambda: endless == [folder / "b.db"])
    shared.leave(folder / "b.db", "one")
    assert second.job.wait(ENDS)


def test_a_run_without_a_browser_ends_by_itself(
    endless: list[Path], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(job, "ABANDONED_AFTER", 0.05)
    gone = desk(connected=False).start(A, folder / "a.db", "one")
    until(lambda: gone.job.ended)
    there = desk(connected=True)
    stays = there.start(A, folder / "a.db", "one")
    time.sleep(0.3)
    assert not stays.job.ended
    there.leave(folder / "a.db", "one")
    until(lambda: stays.job.ended)


def test_a_run_keeps_no_server_from_ending(endless: list[Path], folder: Path) -> None:
    closing = threading.Event()
    begun = Desk(lambda _: True, closing.is_set).start(A, folder / "a.db", "one")
    until(lambda: endless)
    closing.set()
    assert begun.job.wait(ENDS)


def test_a_cancelled_run_can_be_begun_again_at_once(endless: list[Path], folder: Path) -> None:
    shared, path = desk(), folder / "a.db"
    first = shared.start(A, path, "one")
    until(lambda: endless)
    shared.leave(path, "one")
    second = shared.start(A, path, "one")
    assert second is not first
    assert first.job.wait(ENDS)
    until(lambda: endless == [path])
    shared.leave(path, "one")
    assert second.job.wait(ENDS)


# --- Files ----------------------------------------------------------------------------------------


def test_each_description_has_a_file_of_its_own(folder: Path) -> None:
    asked = [
        sizes.experiment_of(table, size, seed)
        for table in TABLES
        for size in sizes.SIZES
        for seed in (0, 1)
    ]
    files = {reproduce_files.results_file(experiment) for experiment in asked}
    assert len(files) == len(asked)
    assert {path.parent for path in files} == {folder}
    assert reproduce_files.results_file(asked[0]) == reproduce_files.results_file(asked[0])


def test_only_so_many_files_are_kept(folder: Path) -> None:
    import os

    paths = [folder / f"{k}.db" for k in range(reproduce_files.MOST + 5)]
    for k, path in enumerate(paths):
        path.write_bytes(b"")
        path.with_name(f"{path.name}-wal").write_bytes(b"")
        for each in (path, path.with_name(f"{path.name}-wal")):
            os.utime(each, (k, k))
    reproduce_files.tidy(paths[0])
    left = {path.name for path in folder.iterdir()}
    kept = [paths[0], *paths[-reproduce_files.MOST + 1 :]]
    assert left == {path.name + ending for path in kept for ending in ("", "-wal")}


def test_a_file_is_read_again_when_rows_come(tiny: Path, folder: Path) -> None:
    assert data.look(folder / "none.db", "table-4") is None
    path = folder / "x.db"
    path.write_text("something else")
    assert data.look(path, "table-4", running=True) is None
    with pytest.raises(DataError):
        data.look(path, "table-4")
    path.write_bytes(tiny.read_bytes())
    first = data.look(path, "table-4")
    assert first is not None
    assert len(first.view.results) == 12
    assert data.look(path, "table-4", first) is first
    run(resize(find_table("table-4"), **TINY), path, workers=1)
    more = resize(find_table("table-3"), distributions=1, samples=1, rows=[250])
    run(resize(more, networks=["scale-free-1"]), path, workers=1)
    again = data.look(path, "table-4", first)
    assert again is not first


def test_downloads_hold_every_row_and_the_engines_report(results: Results) -> None:
    view = data.view(results, "table-2")
    files = {kind.extension: kind.make() for kind in downloads.formats(view.results)}
    from io import BytesIO

    rows = pd.read_csv(BytesIO(files["rows.csv"]))
    assert len(rows) == len(view.results)
    np.testing.assert_array_equal(rows["hamming"], view.results["hamming"])
    means = pd.read_csv(BytesIO(files["means.csv"]))
    assert len(means) == len(view.cells)
    np.testing.assert_allclose(means["hamming"], [one.hamming for one in view.cells])
    assert files["html"].startswith(b"<!doctype html>")
    assert b"table-2" in files["html"]
    assert b"table-1" not in files["html"]


def test_rows_fall_back_to_the_users_cache(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    unusable, cache = str(tmp_path / "file" / "results"), str(tmp_path / "cache")
    found = reproduce_files._folder(unusable, cache)
    assert found == tmp_path / "cache" / "bjp-explorer" / "experiments"
    assert found.is_dir()
    assert reproduce_files._folder(str(tmp_path / "named"), cache) == tmp_path / "named"
    assert reproduce_files._folder(unusable, unusable).name.startswith("bjp-experiments-")
