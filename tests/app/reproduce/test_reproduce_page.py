"""Reproduce the paper: what the page shows are the engine's summaries and claims."""

import math
import os
import re
import threading
from collections import Counter
from contextlib import suppress
from io import BytesIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from bjp_engine import cli, experiments
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
from tests.app.looks import ENDS, until

TINY = {"distributions": 2, "samples": 1, "rows": (250,), "networks": ("karate", "curtis-54")}


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv(reproduce_files.HOME, str(tmp_path))
    visit._looks.clear()
    return tmp_path


@pytest.fixture(scope="module")
def results():
    return read_results(data.shipped_path())


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    path = tmp_path_factory.mktemp("tiny") / "results.db"
    run(resize(find_table("table-4"), **TINY), path, workers=1)
    return path


def text(app):
    return "\n".join(block.value for block in app.markdown)


def figure(shown):
    return float(re.sub(r"^[▲▼] ", "", shown).split(" ")[0].replace("−", "-").replace(",", ""))


@pytest.mark.parametrize("table", TABLES)
def test_the_page_shows_what_the_engine_found(open_app, results, table, monkeypatch, tmp_path):
    app = open_app("reproduce", table=table.removeprefix("table-"))
    shown = app.dataframe[0].value.set_index(["network", "N"])
    mine = [one for one in summaries(results) if one.experiment == table]
    assert len(mine) == 3 * len(shown) > 0
    digits = 2 if table == "table-1" else 1
    for one in mine:
        line, title = shown.loc[one.network, f"{one.rows:,}"], SCORES[one.score].title
        assert figure(line[title]) == float(f"{one.mean:.{digits}f}")
        assert line[title].endswith(f"± {one.error:.{digits}f}")
        assert figure(line[f"{title} paper"]) == float(f"{one.printed:.{digits}f}")
        apart = line[f"{title} Δ"]
        assert figure(apart) == float(f"{one.difference:.{digits}f}")
        assert apart.startswith("▲" if one.difference > 0 else "▼") != one.agrees
    told = text(app).replace("\\", "")
    for network in {one.network for one in mine}:
        off = sum(one.agrees is False for one in mine if one.network == network)
        assert (f"{network} ({off})" in told) == (off > 0)
    agrees = sum(one.agrees is True for one in mine)
    assert f"**{agrees} of {len(mine)} figures ({100 * agrees / len(mine):.0f} %)" in told
    found = [one for one in claims(results) if one.experiment == table]
    assert found
    for one in found:
        assert reproduce_claims.KINDS[one.kind] in told
        start = f"**{reproduce_claims.VERDICTS[one.verdict]}** · {one.sentence}: "
        (line,) = [line for line in told.splitlines() if start in line]
        interval = re.match(r"(\S+) .*\((\S+) to (\S+)\)", line.split(start)[1])
        # Differences of success rates are in percentage points.
        scale = 100 if table == "table-1" else 1
        numbers = [figure(part) for part in interval.groups()]
        exact = [scale * value for value in (one.estimate, one.low, one.high)]
        assert numbers == pytest.approx(exact, rel=6e-3, abs=1e-6)
    # What the command line makes of the page's command is the shipped description.
    asked = []

    def note(experiment, *_, **__):
        asked.append(experiment)
        return results.where(experiment=experiment.name)

    monkeypatch.setattr(experiments, "run", note)
    words = app.code[0].value.split()
    assert words[:2] == ["bjp", "experiment"]
    assert cli.main([*words[1:-1], str(tmp_path / "x.db")]) == 0
    assert asked == [results.experiments[table]]


def test_all_four_tables_are_shipped_whole_in_the_papers_design(results):
    assert (set(results.experiments), len(results)) == (set(TABLES), results.expected)
    for table in TABLES:
        assert sizes.experiment_of(table, "full") == find_table(table)
    small = resize(find_table("table-4"), samples=2, seed=7, rows=[250, 500], networks=["karate"])
    assert sizes.command([small]) == (
        "bjp experiment table-4 --samples 2 --seed 7 --rows 250,500 --networks karate "
        "--out results.db"
    )


@pytest.mark.parametrize("table", ["table-1", "table-4"])
def test_charts_and_run_times_hold_means_and_printed_values(open_app, results, table):
    view = data.view(results, table)
    network = view.experiment.networks[0]
    for palette in (LIGHT, DARK):
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
    app = open_app("reproduce", table=table.removeprefix("table-"), show="times")
    shown = app.dataframe[0].value.set_index(["network", "N"])
    seconds = {(p.network, p.rows, p.score): p.seconds for p in printed(table)}
    for one in view.cells:
        line, title = shown.loc[one.network, f"{one.rows:,}"], SCORES[one.score].title
        assert line[title] == tables.seconds(one.seconds)
        theirs = seconds[one.network, one.rows, one.score]
        if theirs is None:
            assert line[f"{title} paper"] == line[f"{title} ratio"] == "–"
        else:
            assert line[f"{title} ratio"] == f"{theirs / one.seconds:,.0f} ×"
    drawn = figures.times(view, network, LIGHT)
    marks = [len(trace.x) for trace in drawn.data if trace.mode == "markers"]
    assert marks == ([0, 0, 0] if table == "table-1" else [6, 6, 6])


def test_run_times_are_written_to_three_digits():
    values = (1.23e-05, 0.00123, 0.0456, 0.789, 12.3, 1234.0)
    written = ["12.3 µs", "1.23 ms", "45.6 ms", "0.789 s", "12.3 s", "1,234 s"]
    assert [tables.seconds(v) for v in values] == written


def test_a_size_is_described_before_it_is_run(open_app, results, folder):
    for size in sizes.SIZES:
        app = open_app("reproduce", table="4", size=size)
        assert f"**{sizes.experiment_of('table-4', size).size:,} searches**" in text(app)
        assert [button.label for button in app.button if button.key == "reproduce-run"] == ["Run"]
        assert not list(folder.iterdir())
    for table in TABLES:
        mine = results.where(experiment=table)
        least = mine["seconds"].sum() / sizes.cores()
        took = sizes.estimate(results.experiments[table], mine)
        assert least < took < 2 * least + 2 * sizes.START
    none = results.where(experiment="nothing")
    assert math.isnan(sizes.estimate(find_table("table-1"), none))
    app = open_app("reproduce", table="5", size="huge")
    assert [box.value.count("can’t be used") for box in app.warning] == [1, 1]
    assert "Table 1:" in text(app)


@pytest.fixture
def small_sizes(monkeypatch):
    monkeypatch.setattr(sizes, "SIZES", dict.fromkeys(sizes.SIZES, TINY))


def test_own_rows_are_compared_with_the_shipped(open_app, small_sizes, tiny, results):
    path = reproduce_files.results_file(sizes.experiment_of("table-4", "quick"))
    path.write_bytes(tiny.read_bytes())
    app = open_app("reproduce", table="4", size="quick")
    assert "All of them are done" in text(app)
    assert not [button for button in app.button if button.key == "reproduce-run"]
    shown = app.dataframe[0].value.set_index(["network", "N"])
    for one in summaries(read_results(tiny)):
        mean = shown.loc[one.network, "250"][SCORES[one.score].title]
        assert figure(mean) == float(f"{one.mean:.1f}")
    assert "All 12 rows shared with the included run are identical" in text(app)
    path.write_bytes(tiny.read_bytes()[:5000])
    visit._looks.clear()
    (error,) = (app := open_app("reproduce", table="4", size="quick")).error
    assert error.value.startswith(f"'{path.name}' is damaged; move it away")
    assert "the page shows the included results" in app.info[0].value
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


class Going(list[Path]):
    """The runs that go on, and how often each thread has asked whether it is to stop."""

    def __init__(self):
        super().__init__()
        self.asked = Counter()

    def desk(self, connected=bool, closing=False):
        def is_closing():
            self.asked[threading.current_thread().name] += 1
            return closing

        return Desk(connected, is_closing)

    def check_goes_on(self, run):
        """Wait until a run has asked, twice from now on, and was not stopped."""
        name = f"bjp: {run.experiment.name}"
        enough = self.asked[name] + 2
        until(lambda: run.job.ended or self.asked[name] >= enough)
        assert not run.job.ended


@pytest.fixture
def going(monkeypatch):
    found, free = Going(), threading.Event()

    def stand_in(_, path, *, progress, **about):
        found.append(path)
        try:
            with suppress(Cancelled):
                while not free.wait(0.005):
                    progress.tick()
        finally:
            found.remove(path)

    monkeypatch.setattr(runs, "run", stand_in)
    monkeypatch.setattr(runs, "PATIENCE", 0.01)
    yield found
    free.set()


def test_visits_share_a_run_until_all_have_left_and_one_runs_at_a_time(going, folder):
    desk = going.desk()
    tables, paths = [find_table(f"table-{k}") for k in (1, 2, 3)], [folder / x for x in "abc"]
    first = desk.start(tables[0], paths[0], "one")
    assert desk.start(tables[0], paths[0], "two") is first
    until(lambda: going == paths[:1])
    desk.leave(paths[0], "one")
    assert desk.running(paths[0], "one") is None
    assert desk.running(paths[0], "two") is first
    second, third = (desk.start(tables[k], paths[k], "one") for k in (1, 2))
    for each in (first, second, third):
        going.check_goes_on(each)
    assert going == paths[:1]
    desk.leave(paths[2], "one")
    assert third.job.wait(ENDS)
    assert isinstance(third.job.error, Cancelled)
    desk.leave(paths[0], "two")
    again = desk.start(tables[0], paths[0], "one")
    assert again is not first
    assert first.job.wait(ENDS)
    until(lambda: len(going) == 1)
    for path, left in zip(paths, (again, second), strict=False):
        desk.leave(path, "one")
        assert left.job.wait(ENDS)
    assert going == []


def test_a_run_ends_without_a_browser_or_a_server(going, folder, monkeypatch):
    monkeypatch.setattr(job, "ABANDONED_AFTER", 0.05)
    table, path = find_table("table-1"), folder / "a.db"
    there = going.desk()
    stays = there.start(table, path, "one")
    gone = going.desk(connected=lambda _: False).start(find_table("table-2"), path, "one")
    until(lambda: gone.job.ended)
    # The other has not been looked at for longer.
    going.check_goes_on(stays)
    there.leave(path, "one")
    assert stays.job.wait(ENDS)
    assert going.desk(closing=True).start(table, path, "one").job.wait(ENDS)


def test_files_are_named_kept_for_a_while_and_read_again(folder, tmp_path, tiny):
    asked = [
        sizes.experiment_of(table, size, seed)
        for table in TABLES
        for size in sizes.SIZES
        for seed in (0, 1)
    ]
    files = {reproduce_files.results_file(experiment) for experiment in asked}
    assert (len(files), {path.parent for path in files}) == (len(asked), {folder})
    assert reproduce_files.results_file(asked[0]) in files
    names = [f"{k}.db" for k in range(reproduce_files.MOST + 5)]
    for k, name in enumerate(names):
        for path in (folder / name, folder / f"{name}-wal"):
            path.write_bytes(b"")
            os.utime(path, (k, k))
    reproduce_files.tidy(folder / names[0])
    kept = [names[0], *names[-reproduce_files.MOST + 1 :]]
    left = {path.name for path in folder.iterdir()}
    assert left == {name + ending for name in kept for ending in ("", "-wal")}
    (tmp_path / "file").write_text("")
    unusable, cache = str(tmp_path / "file" / "results"), str(tmp_path / "cache")
    found = reproduce_files._folder(unusable, cache)
    assert found == tmp_path / "cache" / "bjp-explorer" / "experiments"
    assert found.is_dir()
    assert reproduce_files._folder(str(tmp_path / "named"), cache) == tmp_path / "named"
    assert reproduce_files._folder(unusable, unusable).name.startswith("bjp-experiments-")
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


def test_downloads_hold_every_row_and_the_engines_report(results):
    view = data.view(results, "table-2")
    files = {kind.extension: kind.make() for kind in downloads.formats(view.results)}
    rows = pd.read_csv(BytesIO(files["rows.csv"]))
    assert len(rows) == len(view.results)
    np.testing.assert_array_equal(rows["hamming"], view.results["hamming"])
    means = pd.read_csv(BytesIO(files["means.csv"]))
    assert len(means) == len(view.cells)
    np.testing.assert_allclose(means["hamming"], [one.hamming for one in view.cells])
    assert files["html"].startswith(b"<!doctype html>")
    assert b"table-2" in files["html"]
    assert b"table-1" not in files["html"]
