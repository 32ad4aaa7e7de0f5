"""How good is it?: every number on the page follows from the rows that were measured."""

import itertools
import re

import numpy as np
import pytest

from benchmarks import calibration, marked, reliability
from benchmarks import limit as limit_benchmark
from benchmarks.accuracy import duels, export, standing
from benchmarks.accuracy.compared import Results
from benchmarks.accuracy.groups import DISTRIBUTIONS, Group
from benchmarks.accuracy.methods import SUBJECT, titles
from benchmarks.accuracy.store import Row
from bjp_engine import cli, experiments
from bjp_engine.experiments import TABLES, find_table, read_results, summaries
from bjp_engine.scores import SCORES
from bjp_explorer.accuracy import calibration as bins
from bjp_explorer.accuracy import limit, packages, paper
from bjp_explorer.views.palette import DARK, LIGHT
from tests.app.looks import address

# The last takes binary data only, and is slow: it has the first seed alone.
METHODS = ("bjp-auto", "bjp-paper", "pyagrum-hill-climb", "pyagrum-hill-climb-skeleton")
BINARY, SLOW = "glmnet-ebic", "bdgraph-hc"
# Has a result where the binary one has none, and nowhere else.
APART = "pybnesian-pc"
GROUPS = [
    Group(*pair, rows)
    for pair in (("karate", "log-odds"), ("hub-1", "clique-potentials"), ("alarm", "bayesian"))
    for rows in (250, 8000)
]


@pytest.fixture(scope="module")
def results():
    """Made-up distances; seconds that grow from method to method."""
    # With this seed the counts of the first test all differ.
    rng = np.random.default_rng(11)

    def row(group, seed, method, seconds):
        fp, fn = (int(k) for k in rng.integers(0, 8, 2))
        f1 = round(2 * (40 - fn) / (2 * 40 - fn + fp), 4)
        place = (group.network, group.distribution, group.rows, seed, method)
        return Row(*place, 40, fp + fn, fp, fn, f1, seconds, "", "package 1.0")

    found = [
        row(group, seed, method, 0.01 * (1 + k))
        for group, seed, (k, method) in itertools.product(GROUPS, range(2), enumerate(METHODS))
    ]
    for group in GROUPS:
        if group.distribution != "bayesian":
            found += [row(group, seed, BINARY, 1.0) for seed in range(2)]
        else:
            found += [row(group, seed, APART, 1.0) for seed in range(2)]
        found.append(row(group, 0, SLOW, 30.0))
    return Results(found)


@pytest.fixture
def page(results, tmp_path, monkeypatch, open_app):
    (tmp_path / "means.csv").write_text(export.app_means(results), encoding="utf-8")
    (tmp_path / "methods.csv").write_text(export.app_methods(results), encoding="utf-8")
    monkeypatch.setattr(packages, "FOLDER", tmp_path)
    packages.read.clear()
    yield open_app("accuracy")
    packages.read.clear()


def summary(app):
    return app.dataframe[0].value.set_index("method")


def words(app):
    return " ".join(block.value for block in app.markdown)


def test_standings_duels_and_words_are_those_of_the_rows(page, results):
    table, own = summary(page), {one.method: one for one in results.standings}[SUBJECT]
    assert own.lowest < own.tenth < own.edge < own.judged
    expected = {one.method: one for one in results.standings}
    shown = [name for name, title in titles().items() if title in table.index]
    # Of the directed graph the nearer one; no method that has the first seed alone.
    assert {SUBJECT, "bjp-paper", BINARY} < set(shown)
    assert titles()[SLOW] not in table.index
    assert len(shown) == 4
    common = [cells for group, cells in results.means.items() if group.distribution != "bayesian"]
    for name in shown:
        line, own = table.loc[titles()[name]], expected[name]
        assert line["groups"] == own.judged
        assert line["nearest"] == pytest.approx(100 * own.lowest / own.judged)
        assert line["within 10 %"] == pytest.approx(100 * own.tenth / own.judged)
        assert line["mean F1"] == pytest.approx(own.f1, abs=1e-4)
        assert line["median seconds"] == pytest.approx(own.seconds, rel=0.01)
        share = np.mean([cells[name].hamming / cells[name].true for cells in common])
        assert line["wrong per true edge"] == pytest.approx(share, abs=1e-4)
    assert list(table["wrong per true edge"]) == sorted(table["wrong per true edge"])
    assert list(table["#"]) == [1, 2, 3, 4]
    for name in ("bjp-paper", BINARY):
        found = duels.duel(results.judged, SUBJECT, name)
        assert found.wins != found.losses
        duel = f"{found.wins}–{found.ties}–{found.losses}"
        assert table.loc[titles()[name], "wins–ties–losses of auto"] == duel
    own = next(one for one in results.standings if one.method == SUBJECT)
    cells = results.means
    behind = max(cells, key=lambda group: standing.ratio(cells[group], SUBJECT))
    against = (cells[behind][SUBJECT].hamming, standing.lowest(cells[behind]))
    share = f"{own.lowest} of {own.judged} groups of data ({100 * own.lowest / own.judged:.0f} %)"
    within = f"within 10 % of the closest in {own.tenth} of {own.judged} groups"
    for sentence in (
        f"in {share}**, alone or tied.",
        f"{within} and within one edge of it in {own.edge}.",
        f"In {own.judged - own.lowest} groups another method is closer",
        f"the network *{behind.network}*",
        f"{against[0]:.1f} wrong edges against {against[1]:.1f}.",
    ):
        assert sentence in words(page)


def test_charts_hold_the_means(page):
    found = packages.read()
    table = found.standings(METHODS)
    for palette in (LIGHT, DARK):
        strips = packages.strips(found, table, palette)
        assert len(strips.data[0].x) == len(METHODS) * len(GROUPS)
        np.testing.assert_allclose(strips.data[1].x, table["share"])
        spots = {
            text: (x, y)
            for side in packages.times(found, table, palette).data
            for text, x, y in zip(side.text, side.x, side.y, strict=True)
        }
        for k, name in enumerate(table.index, start=1):
            assert spots[str(k)] == (table.loc[name, "seconds"], table.loc[name, "share"])


@pytest.fixture
def judged(tmp_path, monkeypatch):
    """Made-up probabilities of pairs in the page's file; of one kind of data they are too low."""
    rng = np.random.default_rng(8)

    def one(kind, rows):
        found = rng.beta(0.3, 0.6, 3000)
        true = np.clip(found + 0.25 * (kind == "log-odds" and rows == 250), 0, 1)
        group = Group("karate", kind, rows)
        return calibration.Judged(group, found, found, rng.random(3000) < true)

    found = [one(kind, rows) for kind in DISTRIBUTIONS for rows in (250, 1000, 8000)]
    (tmp_path / "calibration.csv").write_text(calibration.app_bins(found), encoding="utf-8")
    monkeypatch.setattr(bins, "FOLDER", tmp_path)
    bins.read.clear()
    yield found
    bins.read.clear()


def test_probabilities_are_judged_as_the_benchmark_judges_them(judged, open_app):
    app = open_app("accuracy", view="calibration")
    every, weak = calibration.figures(judged), calibration.of_groups(judged, "log-odds", None)
    first = app.markdown[0].value
    assert f"or more, {100 * every.present:.1f} % are edges" in first
    assert f"or less, {100 * every.absent:.1f} % are not" in first
    assert f"differ by {100 * every.error:.2f} percentage points" in first
    table = app.dataframe[0].value.set_index("data")
    for name, of in (("all kinds", judged), ("attracting edges", weak)):
        known = calibration.figures(of)
        assert table.loc[name, "pairs"] == 3000 * len(of)
        expected = [known.present, known.absent, known.error, known.undecided]
        found = table.loc[name, ["edges", "none", "gap", "undecided"]]
        assert list(found) == pytest.approx([100 * value for value in expected], abs=2e-3)
    told = words(app)
    assert "The widest gap is in attracting edges with 250 rows" in told
    # A kind and a size are looked at alone.
    query = {"view": "calibration", "kind": "log-odds", "size": "250"}
    app = open_app("accuracy", **query)
    assert query.items() <= address(app).items()
    (own,) = calibration.of_groups(judged, "log-odds", 250)
    chart = bins.diagram(bins.select(bins.read(), "log-odds", 250), LIGHT)
    found = list(zip(chart.data[1].x, chart.data[1].y, strict=True))
    assert np.allclose(found, reliability.bins(own.found, own.edge), atol=1e-5)
    assert sum(int(text.replace(",", "")) for text in chart.data[1].text) == 3000
    assert f"differ by {100 * calibration.figures([own]).error:.2f} perc" in app.markdown[0].value
    table = app.dataframe[0].value.set_index("data")
    assert table.loc["all kinds", "pairs"] == 3000 * len(DISTRIBUTIONS)


def test_what_is_shipped_opens_and_any_limit_is_the_files(open_app, tmp_path, monkeypatch):
    app = open_app("accuracy")
    assert "BJP, auto" in summary(app).index
    assert re.search(r"in \d+ of \d+ groups of data", words(app))
    for view in (
        app,
        *(open_app("accuracy", view=name) for name in ("calibration", "limit", "paper")),
    ):
        assert view.get("plotly_chart")
        assert not view.info
        assert "None" not in words(view)
    block = marked.read("calibration.md", "calibration")
    (told,) = re.findall(r"\| ECE of all pairs \| ([\d.]+) \|", block)
    bins.read.clear()
    assert bins.error(bins.read()) == pytest.approx(float(told), abs=2e-4)
    block = marked.read("benchmarks.md", "limit")
    limit.read.clear()
    for rows, of in limit.read().wrong.iterrows():
        assert f"| {rows} | {' | '.join(f'{value:.3f}' for value in of)} |" in block
    wrong = {
        100: {"limit": 0.3, "bjp-auto": 0.41, "bjp-paper": 0.5},
        250: {"limit": 0.07, "bjp-auto": 0.12, "bjp-paper": 0.23},
        4000: {"limit": 0.0, "bjp-auto": 0.011, "bjp-paper": 0.046},
    }
    (tmp_path / "limit.json").write_text(limit_benchmark.app_file(wrong), encoding="utf-8")
    monkeypatch.setattr(limit, "FOLDER", tmp_path)
    limit.read.clear()
    app = open_app("accuracy", view="limit")
    found = limit.read()
    limit.read.clear()
    told = words(app)
    assert "With 250 rows, auto makes 0.12 wrong edges per true edge" in told
    assert "auto makes 0.011, the paper’s search 0.046, and the limit is 0.000" in told
    drawn = f"{limit_benchmark.NETWORKS} networks of {limit_benchmark.N} two-state"
    assert drawn in " ".join(block.value for block in app.caption)
    assert [list(trace.y) for trace in limit.chart(found, LIGHT).data] == [
        [of[name] for of in wrong.values()] for name in ("limit", "bjp-auto", "bjp-paper")
    ]


@pytest.fixture(scope="module")
def shipped():
    return read_results(paper.shipped_path())


def read(shown):
    return float(re.sub(r"^[▲▼] ", "", shown).split(" ")[0].replace("−", "-").replace(",", ""))


@pytest.mark.parametrize("table", TABLES)
def test_the_papers_tables_are_the_engines(open_app, shipped, table, monkeypatch, tmp_path):
    app = open_app("accuracy", view="paper", table=table.removeprefix("table-"))
    shown = app.dataframe[0].value.set_index(["network", "N"])
    mine = [*summaries(shipped.where(experiment=table)).itertuples()]
    assert len(mine) == 3 * len(shown) > 0
    digits = 2 if table == "table-1" else 1
    for one in mine:
        line, title = shown.loc[one.network, f"{one.rows:,}"], SCORES[one.score].title
        assert read(line[title]) == float(f"{one.mean:.{digits}f}")
        assert line[title].endswith(f"± {one.error:.{digits}f}")
        assert read(line[f"{title} paper"]) == float(f"{one.printed:.{digits}f}")
        apart = line[f"{title} Δ"]
        assert read(apart) == float(f"{one.difference:.{digits}f}")
        assert apart.startswith("▲" if one.difference > 0 else "▼") != one.agrees
    told = words(app).replace("\\", "")
    for network in {one.network for one in mine}:
        off = sum(not one.agrees for one in mine if one.network == network)
        assert (f"{network} ({off})" in told) == (off > 0)
    agrees = sum(one.agrees for one in mine)
    assert f"**{agrees} of {len(mine)} figures ({100 * agrees / len(mine):.0f} %)" in told
    *_, first = paper.chart(paper.read()[table], LIGHT).data
    drawn = [one for one in mine if SCORES[one.score].title == first.name]
    assert list(first.y) == [one.mean for one in drawn]
    assert list(first.x) == [one.printed for one in drawn]
    # What the command line makes of the page's command is the shipped description.
    asked = []

    def note(experiment, *_, **__):
        asked.append(experiment)
        return shipped.where(experiment=experiment.name)

    monkeypatch.setattr(experiments, "run", note)
    command = app.code[0].value.split()
    assert command[:2] == ["bjp", "experiment"]
    assert cli.main([*command[1:-1], str(tmp_path / "x")]) == 0
    assert asked == [shipped.experiments[table]]


def test_all_four_tables_are_shipped_whole_in_the_papers_design(shipped):
    assert (set(shipped.experiments), len(shipped)) == (set(TABLES), shipped.expected)
    assert all(shipped.experiments[table] == find_table(table) for table in TABLES)


def test_an_old_link_opens_the_papers_tables(open_app):
    app = open_app("reproduce", table="4")
    assert "Table 4:" in words(app)
    assert address(app)["view"] == "paper"
