"""A file with missing cells that are imputed: the dataset, the pooled numbers, and the files."""

import runpy
import sys

import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.io import read_frame
from bjp_engine.parameters import pool_effects
from bjp_engine.preparation import MissingCells, prepare
from bjp_explorer.downloads import button
from bjp_explorer.downloads.formats import formats_of
from bjp_explorer.downloads.result import Result
from bjp_explorer.downloads.script import file_name, script
from bjp_explorer.shell import sources
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.views import layout
from bjp_explorer.views.words import pooled_trace
from tests.app.data.uploads import in_hand, said, upload
from tests.app.looks import settled
from tests.app.network.pages import drawn, table


def make_csv(rows=150):
    """A chain a – b – c – d with a third of its cells missing, so that tables differ."""
    rng = np.random.default_rng(6)
    cells = np.empty((rows, 4), dtype=object)
    last = rng.integers(0, 2, rows)
    for i in range(4):
        cells[:, i] = np.where(last, "yes", "no")
        last = last ^ (rng.random(rows) < 0.3)
    gone = rng.random(cells.shape) < 0.33
    gone[gone.all(axis=1), 0] = False  # a row without any value would be dropped
    cells[gone] = ""
    return "\n".join([",".join("abcd"), *(",".join(row) for row in cells)]).encode()


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("holes") / "holes.csv"
    path.write_bytes(make_csv())
    return path


@pytest.fixture(scope="module")
def whole(file):
    frame, report = read_frame(file)
    made = prepare(frame, [MissingCells("impute")])
    return Loaded(
        "file:0123456789ab",
        "holes.csv",
        "A file.",
        made.data,
        did=made.notes,
        preparation=made.preparation,
        imputed=made.imputed,
        reading=report.chosen,
    )


def result_of(loaded, sure):
    trace = pooled_trace(loaded.data, bjp.learn(loaded.data, "bjp", "auto"), sure)
    points = layout.positions(loaded.data.names, [trace.graph])
    effects = pool_effects(loaded.imputed, trace.graph)
    return Result(loaded, trace.graph, trace, points, sure, effects=effects)


def test_parts_of_columns_have_their_tables_and_files_name_the_imputation(whole):
    some = sources.subset(whole, ["d", "b"])
    assert set(some.imputed.missing) == {"b", "d"}
    assert some.imputed.datasets[0].digest == some.data.digest
    for one, of in zip(some.imputed.datasets, whole.imputed.datasets, strict=True):
        assert one.names == ("b", "d")
        assert (one.codes == of.codes[:, [1, 3]]).all()
    result = result_of(whole, bjp.edge_probabilities(whole.imputed))
    share = f"({100 * whole.imputed.cells / 600:.3g} %) imputed 20 times under the network"
    assert share in result.imputation
    paper = result.paper()
    assert paper.count("imputed 20 times") == 1
    assert "pooled over 20 completed tables by Rubin's rules" in paper
    files = {one.extension: one.make() for one in formats_of(result) if not one.problem}
    said_in = {name: files[name] for name in ("graphml", "json", "html")} | {
        "script": script(result)
    }
    for name, content in said_in.items():
        assert b"imputed 20 times under the network" in content, name


@pytest.mark.slow
def test_the_script_brings_the_pooled_probabilities_back(file, whole, monkeypatch, capsys):
    program = file.with_name("again.py")
    monkeypatch.setattr(sys, "argv", [str(program), str(file)])
    monkeypatch.chdir(file.parent)
    for one in (whole, sources.subset(whole, ["a", "b", "c"])):
        sure = bjp.edge_probabilities(one.imputed)
        assert file_name(one) == "holes.csv"
        program.write_bytes(script(result_of(one, sure)))
        runpy.run_path(str(program), run_name="__main__")
        assert "edges written" in capsys.readouterr().out
        found = bjp.io.read_graph(file.with_name("edges.csv"))
        assert {frozenset(e) for e in found.edges} == {frozenset(e) for e in sure.graph(0.5).edges}


def test_from_a_file_with_holes_to_pooled_verdicts(app, switch_page, monkeypatch):
    upload(app, "holes.csv", make_csv())
    loaded = in_hand(app)
    page = settled(switch_page(app, "network"))
    sure = bjp.edge_probabilities(loaded.imputed)
    rows, columns = np.triu_indices(4, 1)
    pooled = sure.matrix[rows, columns]
    assert set(drawn(page)) == {
        (i, j) for i, j, p in zip(rows, columns, pooled, strict=True) if p >= 0.9
    }
    assert all(np.isclose(one, pooled, atol=1e-9).any() for one in table(page)["probability"])
    effects = pool_effects(loaded.imputed, sure.graph(0.5))
    numbers = table(page)[["effect", "low", "high"]].dropna()
    for name in numbers:
        assert sorted(numbers[name]) == pytest.approx(sorted(effects[name]))
    for sentence in (
        "imputed 20 times under the network",
        "All else is from the first table.",
        "pooled over 20 completed tables by Rubin’s rules",
    ):
        assert sentence in said(page)
    made = []
    monkeypatch.setattr(button, "_button", lambda kind, *_: made.append(kind))
    other = settled(switch_page(page, "scores"))
    assert "the first of 20 completed tables" in said(other)
    # A page that waits for a job is run again, and offers it in each run.
    *_, shared = [kind.make().decode() for kind in made if kind.extension == "page.html"]
    assert "the first of 20 completed tables" in shared
