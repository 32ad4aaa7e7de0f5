"""Reproduce the paper: what the page shows are the engine's summaries and claims."""

import re
from io import BytesIO

import numpy as np
import pandas as pd
import pytest

from bjp_engine import cli, experiments
from bjp_engine.experiments import (
    TABLES,
    claims,
    find_table,
    read_results,
    summaries,
)
from bjp_engine.experiments.summary import printed
from bjp_engine.scores import SCORES
from bjp_explorer.reproduce import claims as reproduce_claims
from bjp_explorer.reproduce import data, downloads, figures, tables
from bjp_explorer.views.palette import DARK, LIGHT


@pytest.fixture(scope="module")
def results():
    return read_results(data.shipped_path())


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
    assert cli.main([*words[1:-1], str(tmp_path / "x")]) == 0
    assert asked == [results.experiments[table]]


def test_all_four_tables_are_shipped_whole_in_the_papers_design(results):
    assert (set(results.experiments), len(results)) == (set(TABLES), results.expected)
    assert all(results.experiments[table] == find_table(table) for table in TABLES)


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


def test_an_old_link_to_a_run_shows_the_included_results(open_app):
    app = open_app("reproduce", table="4", size="full", seed="3")
    assert "Table 4:" in text(app)
    assert len(app.dataframe) == 1
    (warning,) = open_app("reproduce", table="5").warning
    assert "can’t be used" in warning.value


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
