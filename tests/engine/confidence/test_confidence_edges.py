"""The record of a confidence: look-ups, thresholds, and files that carry it."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from dataclasses import FrozenInstanceError

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.confidence import Edge, EdgeConfidence, Ended
from bjp_engine.errors import DataError, GraphError, OptionError
from bjp_engine.io import GRAPH_FORMATS, graph_bytes, read_graph

MATRIX = np.array([[0.0, 0.25, 1.0], [0.25, 0.0, 0.25], [1.0, 0.25, 0.0]])
ERROR = MATRIX / 100


def sure(error: bool = True, names: tuple[str | int, ...] = ("a", 7, "=c")) -> EdgeConfidence:
    return EdgeConfidence("bootstrap", names, MATRIX, ERROR if error else None, "bjp", made=3)


class TestLookUps:
    def test_a_pair_by_name_or_by_index(self) -> None:
        found = sure().of("=c", "a")
        assert found == Edge("a", "=c", 1.0, 0.01)
        assert sure().of(2, 0) == found
        assert sure().of(7, "a") == sure().of("7", 0) == Edge("a", 7, 0.25, 0.0025)
        assert sure(error=False).of(0, 2).error is None

    def test_pairs_by_falling_confidence_then_by_place(self) -> None:
        pairs = [(edge.x, edge.y) for edge in sure().edges()]
        assert pairs == [("a", "=c"), ("a", 7), (7, "=c")]
        assert [len(sure().edges(t)) for t in (0, 0.25, 0.2500001, 1)] == [3, 3, 1, 1]

    def test_a_graph_with_every_variable_and_the_numbers(self) -> None:
        graph = sure().graph(0.3)
        assert list(graph) == ["a", 7, "=c"]
        assert list(graph.edges(data=True)) == [("a", "=c", {"probability": 1.0, "error": 0.01})]
        assert sure(error=False).graph(0.9).edges["a", "=c"] == {"probability": 1.0}
        assert sure().graph(0).number_of_edges() == 3

    def test_a_table_of_the_pairs(self) -> None:
        frame = sure().to_frame(0.25)
        assert list(frame.columns) == ["x", "y", "probability", "error"]
        rows = [["a", "=c", 1.0, 0.01], ["a", 7, 0.25, 0.0025], [7, "=c", 0.25, 0.0025]]
        assert frame.to_numpy().tolist() == rows
        assert list(sure(error=False).to_frame().columns) == ["x", "y", "probability"]

    def test_a_notebook_shows_a_short_table_without_markup_of_names(self) -> None:
        names = ("<script>", *range(1, 12))
        shown = EdgeConfidence("exact", names, np.full((12, 12), 0.5), None, "bjp")._repr_html_()
        assert "<script>" not in shown
        assert "&lt;script&gt;" in shown
        assert shown.count("<tr") == 11
        assert "and 56 more" in shown

    @pytest.mark.parametrize("threshold", [-0.1, 1.01, float("nan"), "0.5", None, True])
    def test_a_threshold_is_a_probability(self, threshold: object) -> None:
        for function in (sure().edges, sure().graph, sure().to_frame):
            with pytest.raises(OptionError, match="threshold"):
                function(threshold)  # type: ignore[arg-type]

    @pytest.mark.parametrize("pair", [("a", "a"), ("a", 0), ("a", "x"), ("a", 3), ("a", -1)])
    def test_what_is_no_pair(self, pair: tuple[str | int, str | int]) -> None:
        with pytest.raises(DataError):
            sure().of(*pair)

    def test_nobody_can_change_it(self) -> None:
        matrix = MATRIX.copy()
        made = EdgeConfidence("exact", ("a", "b", "c"), matrix, None, "bjp")
        matrix[0, 1] = 9
        assert made.of(0, 1).confidence == 0.25
        with pytest.raises(ValueError, match="read-only"):
            made.matrix[0, 1] = 1
        with pytest.raises(FrozenInstanceError):
            made.made = 4  # type: ignore[misc]
        assert made.complete
        assert not EdgeConfidence("mcmc", (), MATRIX, None, "ib", ended=Ended.TIME).complete


class TestFiles:
    GRAPH = nx.Graph([("=c", "a"), ("a", "7")])
    GRAPH.add_node("alone")
    SURE = EdgeConfidence(
        "mcmc",
        ("a", "7", "=c", "alone"),
        np.pad(MATRIX / 3, (0, 1)),
        np.pad(ERROR / 3, (0, 1)),
        "bjp",
    )

    def numbers(self, form: str, error: bool) -> dict[frozenset[str], tuple[float, float | None]]:
        """What a reader that is not ours finds in the file."""
        about = self.SURE
        if not error:
            about = EdgeConfidence("mcmc", about.names, about.matrix, None, "bjp")
        text = graph_bytes(self.GRAPH, form, about).decode()  # type: ignore[arg-type]
        readers: dict[str, Callable[[str], nx.Graph]] = {
            "graphml": nx.parse_graphml,
            "gml": nx.parse_gml,
            "csv": _from_csv,
            "json": _from_json,
        }
        graph = readers[form](text)
        kind = graph.graph["probability_kind"]
        assert kind == "mcmc"
        if form == "csv":
            # As a spreadsheet takes it: the apostrophe says that it is no formula.
            graph = nx.relabel_nodes(graph, {"'=c": "=c"})
        assert set(graph) == {"a", "7", "=c", "alone"}
        return {
            frozenset((u, v)): (told["probability"], told.get("probability_error"))
            for u, v, told in graph.edges(data=True)
        }

    @pytest.mark.parametrize("form", GRAPH_FORMATS)
    @pytest.mark.parametrize("error", [True, False])
    def test_each_edge_with_its_numbers_to_the_last_bit(self, form: str, error: bool) -> None:
        third = 0.01 / 3 if error else None
        quarter = ERROR[0, 1] / 3 if error else None
        assert self.numbers(form, error) == {
            frozenset(("=c", "a")): (1 / 3, third),
            frozenset(("a", "7")): (0.25 / 3, quarter),
        }

    @pytest.mark.parametrize("form", GRAPH_FORMATS)
    def test_reading_gives_the_same_graph(self, form: str) -> None:
        plain, told = (graph_bytes(self.GRAPH, form, about) for about in (None, self.SURE))  # type: ignore[arg-type]
        assert b"probability" not in plain
        again = [read_graph(content, form) for content in (plain, told)]  # type: ignore[arg-type]
        assert list(again[0]) == list(again[1])
        assert list(again[0].edges(data=True)) == list(again[1].edges(data=True))

    @pytest.mark.parametrize("form", GRAPH_FORMATS)
    def test_a_confidence_of_other_variables(self, form: str) -> None:
        with pytest.raises(GraphError, match="not of this graph"):
            graph_bytes(nx.Graph([("x", "a")]), form, self.SURE)  # type: ignore[arg-type]

    def test_a_file_on_disk_and_an_open_one(self, tmp_path) -> None:
        bjp.io.write_graph(self.GRAPH, tmp_path / "g.csv", confidence=self.SURE)
        there = io.BytesIO()
        bjp.io.write_graph(self.GRAPH, there, "csv", self.SURE)
        assert (tmp_path / "g.csv").read_bytes() == there.getvalue()

    def test_a_trace_with_its_confidence(self) -> None:
        data = bjp.Dataset.from_codes([[0, 0], [1, 1], [0, 1]] * 9, names=["a", "b"])
        trace = bjp.learn(data, search="ibmap-hc")
        made = bjp.confidence.test_confidence(data, trace.graph)
        told = json.loads(bjp.io.trace_json(trace, made))
        assert told["type"] == "SearchTrace"
        assert told["confidence"]["matrix"] == made.matrix.tolist()
        assert told["confidence"]["kind"] == "test"
        assert "confidence" not in json.loads(bjp.io.trace_json(trace))
        alone = json.loads(bjp.io.trace_json(bjp.confidence.bootstrap(data, resamples=3)))
        assert alone["ended"] == "complete"
        assert (alone["made"], alone["complete"]) == (3, True)


def _from_csv(text: str) -> nx.Graph:
    graph = nx.Graph()
    for row in csv.DictReader(io.StringIO(text)):
        graph.add_node(row["source"])
        if not row["target"]:
            assert not any(value for name, value in row.items() if name != "source")
            continue
        graph.graph["probability_kind"] = row.pop("probability_kind")
        numbers = {k: float(v) for k, v in row.items() if k not in ("source", "target")}
        graph.add_edge(row["source"], row["target"], **numbers)
    return graph


def _from_json(text: str) -> nx.Graph:
    content = json.loads(text)
    graph = nx.Graph(probability_kind=content["probability_kind"])
    graph.add_nodes_from(content["nodes"])
    errors = content.get("probability_error")
    for k, (u, v) in enumerate(content["edges"]):
        more = {"probability_error": errors[k]} if errors else {}
        graph.add_edge(u, v, probability=content["probability"][k], **more)
    return graph
