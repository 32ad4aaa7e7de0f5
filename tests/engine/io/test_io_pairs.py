"""Verdicts in files: every pair as a table, and each edge of a graph file, by one rule."""

from __future__ import annotations

import io
import json

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine import cli
from bjp_engine.confidence.edges import EdgeConfidence
from bjp_engine.errors import GraphError, OptionError
from bjp_engine.io import edge_csv, graph_bytes, pair_csv, read_graph
from bjp_engine.io.pairs import encode_csv

NAMES = ("a", "=b", "ä", "d")
PROBABILITIES = {
    ("a", "=b"): 0.95,
    ("a", "ä"): 0.9,
    ("a", "d"): 0.5,
    ("=b", "ä"): 0.1,
    ("=b", "d"): 0.85,
    ("ä", "d"): 0.05,
}
GRAPH: nx.Graph[str] = nx.Graph([("a", "=b"), ("a", "d"), ("d", "=b")])
GRAPH.add_node("ä")


def confidence(kind: str = "calibrated") -> EdgeConfidence:
    """Probabilities of all pairs; the fit has seen nothing like a - ä."""
    matrix = np.zeros((4, 4))
    for (x, y), p in PROBABILITIES.items():
        i, j = NAMES.index(x), NAMES.index(y)
        matrix[i, j] = matrix[j, i] = p
    judged = np.ones((4, 4), dtype=bool)
    judged[0, 2] = judged[2, 0] = False
    known = judged if kind == "calibrated" else None
    return EdgeConfidence(kind, NAMES, matrix, None, "bjp", judged=known)  # type: ignore[arg-type]


def verdict(x: str, y: str, present: float, absent: float) -> str:
    """By hand."""
    if {x, y} == {"a", "ä"}:
        return "not judged"
    p = PROBABILITIES.get((x, y)) or PROBABILITIES[y, x]
    return "present" if p >= present else "absent" if p <= absent else "undecided"


@pytest.mark.parametrize(("present", "absent"), [(0.9, 0.1), (0.8, 0.5)])
def test_every_pair_has_its_verdict_by_the_thresholds_in_the_file(
    present: float, absent: float
) -> None:
    text = pair_csv(confidence(), GRAPH, present=present, absent=absent, warnings=("Few.", "=1"))
    table = pd.read_csv(io.BytesIO(encode_csv(text)), encoding="utf-8-sig")
    assert set(table["present_from"]) == {present}
    assert set(table["absent_up_to"]) == {absent}
    assert set(table["warning"]) == {"Few. =1"}
    assert set(table["probability_kind"]) == {"calibrated"}
    assert table["probability"].is_monotonic_decreasing
    found = {}
    for row in table.itertuples():
        ends = tuple("=b" if name == "'=b" else name for name in (row.x, row.y))
        found[ends] = (row.probability, row.verdict, row.graph)
    assert found == {
        (x, y): (
            p,
            verdict(x, y, present, absent),
            "edge" if GRAPH.has_edge(x, y) else "no edge",
        )
        for (x, y), p in PROBABILITIES.items()
    }


@pytest.mark.parametrize("kind", ["graphml", "gml", "csv", "json"])
def test_every_edge_of_a_file_has_its_verdict(kind: str) -> None:
    for present, absent in ((0.9, 0.1), (0.8, 0.5)):
        content = graph_bytes(GRAPH, kind, confidence(), present=present, absent=absent)  # type: ignore[arg-type]
        assert {frozenset(edge) for edge in read_graph(content, kind).edges} == {  # type: ignore[arg-type]
            frozenset(edge) for edge in GRAPH.edges
        }
        if kind == "csv":
            table = pd.read_csv(io.BytesIO(content)).dropna(subset="target")
            rows = zip(table["source"], table["target"], table["verdict"], strict=True)
            found = [(x.lstrip("'"), y.lstrip("'"), said) for x, y, said in rows]
            bounds = {*zip(table["present_from"], table["absent_up_to"], strict=True)}
        elif kind == "json":
            held = json.loads(content)
            found = [(*edge, v) for edge, v in zip(held["edges"], held["verdict"], strict=True)]
            bounds = {(held["present_from"], held["absent_up_to"])}
        else:
            read = {"graphml": nx.read_graphml, "gml": nx.read_gml}[kind](io.BytesIO(content))
            found = [(u, v, bears["verdict"]) for u, v, bears in read.edges(data=True)]
            bounds = {(read.graph["present_from"], read.graph["absent_up_to"])}
        assert bounds == {(present, absent)}
        assert len(found) == 3
        assert all(said == verdict(x, y, present, absent) for x, y, said in found)


def test_only_calibrated_numbers_have_verdicts() -> None:
    other = confidence("exact")
    for text in (pair_csv(other, GRAPH), edge_csv(GRAPH, confidence=other)):
        assert "verdict" not in text
        assert "present_from" not in text
    lone: nx.Graph[str] = nx.empty_graph(NAMES)
    head = "source,target,probability,verdict,probability_kind,present_from,absent_up_to"
    assert edge_csv(lone, confidence=confidence()).splitlines()[0] == head


def test_effects_stand_at_the_edges_of_their_graph() -> None:
    rng = np.random.default_rng(2)
    a = rng.integers(0, 2, 300)
    codes = np.column_stack([a, np.where(rng.random(300) < 0.9, a, 1 - a), rng.integers(0, 2, 300)])
    data = bjp.Dataset.from_codes(codes, [2, 2, 2], ["a", "b", "c"])
    trace = bjp.learn(data)
    effects = bjp.fit_parameters(data, trace.graph).effects(resamples=20)
    sure = bjp.edge_probabilities(data)
    table = pd.read_csv(io.StringIO(pair_csv(sure, trace.graph, effects=effects)))
    assert [*trace.graph.edges] == [("a", "b")]
    names = ["effect", "effect_low", "effect_high"]
    ours = table[table["graph"] == "edge"][names].to_numpy()
    np.testing.assert_array_equal(ours, effects[["effect", "low", "high"]].to_numpy())
    assert table[table["graph"] == "no edge"][[*names, "effect_kind"]].isna().all(axis=None)


def test_other_variables_and_thresholds_that_do_not_fit_are_refused() -> None:
    with pytest.raises(GraphError, match="other variables"):
        pair_csv(confidence(), nx.Graph([("a", "z")]))
    for write in (pair_csv, lambda sure, graph, **two: edge_csv(graph, confidence=sure, **two)):
        with pytest.raises(OptionError, match=r"^absent=0.5 is not below present=0.4"):
            write(confidence(), GRAPH, present=0.4, absent=0.5)
    with pytest.raises(OptionError, match=r"^confidence is of type str"):
        pair_csv("calibrated", GRAPH)  # type: ignore[arg-type]


def test_the_command_writes_what_the_library_writes(
    tmp_path: object, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(bjp.resources.sample_data("datasets", "coronary.csv"))
    data = bjp.read_table(path)
    target = f"{tmp_path}/pairs.csv"
    assert cli.main(["learn", path, "--pairs", target]) == 0
    out = capsys.readouterr().out
    assert f"written: {target}" in out
    assert "present from 0.9" in out
    # As text, since not every version of pandas reads a number to its last digit.
    table = pd.read_csv(target, dtype=str)
    assert len(table) == 15
    sure, trace = bjp.edge_probabilities(data), bjp.learn(data)
    for row in table.itertuples():
        assert float(row.probability) == sure.of(row.x, row.y).confidence
        assert (row.graph == "edge") == trace.graph.has_edge(row.x, row.y)
    assert cli.main(["learn", path, "--pairs", f"{tmp_path}/pairs.txt"]) == 2
    assert "--pairs must end in .csv" in capsys.readouterr().err
