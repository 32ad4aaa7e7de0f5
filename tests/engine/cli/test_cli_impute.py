"""`bjp learn --missing impute` and `--scheduler`: the engine's numbers of many tables and parts."""

import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine.parameters import impute, pool_effects
from tests.clusters import local_client, sharded_table


@pytest.fixture(scope="module")
def survey(tmp_path_factory):
    rng = np.random.default_rng(1)
    a = rng.integers(0, 2, 120)
    b = np.where(rng.random(120) < 0.9, a, 1 - a)
    frame = pd.DataFrame({"a": a, "b": b, "c": rng.integers(0, 2, 120)}).astype("Int64")
    path = tmp_path_factory.mktemp("impute") / "survey.csv"
    frame = frame.mask(rng.random(frame.shape) < 0.1)
    frame.dropna(how="all").to_csv(path, index=False)
    return path


@pytest.fixture(scope="module")
def made(survey):
    return impute(pd.read_csv(survey).astype("Int64"), seed=2)


class TestImpute:
    def test_the_pooled_probabilities_are_printed_where_cells_are_missing(
        self, survey, made, tmp_path, command
    ):
        frame, pooled = pd.read_csv(survey), bjp.edge_probabilities(made)
        lines = command("learn", survey, "--missing", "impute", "--seed", "2").splitlines()
        cells = int(frame.isna().sum().sum())
        assert lines[0].endswith("survey.csv: 119 rows, 3 variables")
        assert f"{cells} cells ({100 * cells / 357:.3g} %) imputed 20 times" in lines[1]
        assert "missing at random" in lines[1]
        edge = pooled.of("a", "b")
        assert edge.confidence >= 0.5
        assert f"a - b\t{edge.confidence:.4f}\t± {edge.error:.4f}\tpresent" in lines
        assert len(lines) == 4 + pooled.graph(0.5).number_of_edges()
        frame.dropna().to_csv(tmp_path / "whole.csv", index=False)
        said = command("learn", tmp_path / "whole.csv", "--missing", "impute")
        assert "no cell is missing" in said
        assert "±" not in said

    def test_steps_come_before(self, survey, tmp_path, command):
        roles, output = tmp_path / "roles.json", tmp_path / "net.graphml"
        roles.write_text('{"c": "leave out"}', encoding="utf-8")
        asked = ("learn", survey, "--missing", "impute")
        pairs = tmp_path / "pairs.csv"
        said = command(*asked, "--roles", roles, "--output", output, "--pairs", pairs)
        assert pd.read_csv(pairs)[["x", "y", "edge"]].values.tolist() == [["a", "b", "yes"]]
        assert "2. Impute missing cells 20 times under the network" in said
        assert [*bjp.io.read_graph(output).edges] == [("a", "b")]
        # What is asked for takes the place of what is suggested.
        said = command(*asked, "--prepare", "suggested")
        assert ("imputed 20 times" in said, "±" in said) == (True, True)

    def test_what_needs_one_table_is_refused(self, survey, command):
        for more, part in (
            ("--search auto", "--search can't be given with --missing impute"),
            ("--method mpl", "--method can't be given"),
            ("--confidence bootstrap", "--confidence can't be given"),
            ("--expected-degree 2", "--expected-degree can't be given"),
            ("--output net.json", "--output .json can't be given"),
        ):
            asked = ("learn", survey, "--missing", "impute", *more.split())
            assert part in command.refuse(*asked), more

    @pytest.mark.slow
    def test_effects_are_pooled_and_a_paper_says_how(self, survey, made, tmp_path, command):
        graph = bjp.edge_probabilities(made).graph(0.5)
        effects = pool_effects(made, graph, resamples=40, seed=2)
        (row,) = effects[(effects["x"] == "a") & (effects["y"] == "b")].itertuples()
        output = tmp_path / "edges.csv"
        said = command(
            *("learn", survey, "--missing", "impute", "--seed", "2", "--resamples", "40"),
            *("--effects", "--paper", "--output", output),
        )
        assert f"\t{row.effect:.4f} [{row.low:.4f}, {row.high:.4f}] log odds ratio\n" in said
        for part in (
            f"{made.cells} missing cells ({100 * made.share:.3g} % of all) were imputed 20",
            "by Rubin's rules (Rubin, 1987)",
            f"learned graph has {graph.number_of_edges()} of 3 possible",
        ):
            assert part in said
        table = pd.read_csv(output).set_index(["source", "target"])
        assert table.loc[("a", "b"), "effect_low"] == pytest.approx(row.low)


def test_what_is_no_cluster(tmp_path, command):
    for name in ("a", "b"):
        (tmp_path / f"{name}.csv").write_text("a,b\n0,1\n1,0\n")
    asked = ("learn", tmp_path / "*.csv")
    assert "is a pattern of files; name one file, or" in command.refuse(*asked)
    for scheduler in ("nowhere", "tcp://", "tcp://here:1x"):
        said = command.refuse(*asked, "--scheduler", scheduler)
        assert f"scheduler='{scheduler}' is no address; give one such as 'tcp://" in said


@pytest.mark.slow
def test_parts_on_a_cluster_give_the_same_lines_as_one_file(tmp_path, command):
    def lines(*argv):
        """Without the name of the file and the time that it took."""
        first, second, *more = command("learn", *argv, note=None).splitlines()
        return [first.rpartition(": ")[2], second.rpartition(" in ")[0], *more]

    table, pattern = sharded_table(400), tmp_path / "parts" / "*.csv"
    table.to_csv(tmp_path / "whole.csv", index=False)
    pattern.parent.mkdir()
    for k in range(3):
        table.iloc[k * 150 : (k + 1) * 150].to_csv(tmp_path / f"parts/{k}.csv", index=False)
    with local_client(2, processes=False) as client:
        cluster = ("--scheduler", client.scheduler.address)
        for how in (
            "--search ibmap-hc --confidence bootstrap --resamples 2",
            "--confidence calibrated --paper",
        ):
            expected = lines(tmp_path / "whole.csv", *how.split())
            assert expected[0] == "400 rows, 8 variables"
            assert lines(pattern, *cluster, *how.split()) == expected
        for more in ("--prepare suggested", "--missing impute"):
            sentence = command.refuse("learn", pattern, *cluster, *more.split())
            assert f"{more.removesuffix(' suggested')} looks at single rows" in sentence
