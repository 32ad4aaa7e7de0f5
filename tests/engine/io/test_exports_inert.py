"""Names that others would run go through every export as text, and back through other readers."""

from __future__ import annotations

import csv
import io
import json
from html.parser import HTMLParser
from itertools import pairwise

import networkx as nx
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine import Dataset
from bjp_engine.io import GRAPH_FORMATS, edge_csv, graph_bytes, read_graph, trace_json
from bjp_engine.io.graphs import disarm_cell, restore_cell

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")
NAMES = (
    "<script>alert(1)</script>",
    "</script><script>alert(2)</script>",
    '" onload="alert(3)',
    "' onmouseover='alert(4)",
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-1-1",
    "@SUM(A1)",
    "'=1",
    "''@x",
    "\ttab",
    "$\\href{javascript:alert(5)}{x}$",
    "javascript:alert(6)",
    "a\u202egnp.exe",
    "]]>&lt;&amp;<!--",
    "&#60;script&#62;",
    '"; DROP TABLE x;--',
    "{{7*7}}${7*7}",
    "n" * 10_000,
    "日本 größe",
)


def hostile() -> nx.Graph:
    """A ring of all the names and one of them alone."""
    graph = nx.Graph()
    graph.add_nodes_from(NAMES)
    graph.add_edges_from(pairwise(NAMES[:-1]))
    return graph


def same(one: nx.Graph, other: nx.Graph) -> bool:
    return set(one) == set(other) and {frozenset(e) for e in one.edges} == {
        frozenset(e) for e in other.edges
    }


@pytest.mark.parametrize("form", GRAPH_FORMATS)
def test_our_reader_gives_every_name_back(form: str) -> None:
    assert same(read_graph(graph_bytes(hostile(), form), form), hostile())


def test_networkx_reads_graphml() -> None:
    found = nx.parse_graphml(graph_bytes(hostile(), "graphml").decode())
    assert same(found, hostile())


def test_networkx_reads_gml() -> None:
    found = nx.parse_gml(graph_bytes(hostile(), "gml").decode())
    assert same(found, hostile())


def test_pandas_reads_edges_and_no_cell_is_a_formula() -> None:
    text = graph_bytes(hostile(), "csv").decode()
    found = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False)
    edges = {frozenset(map(restore_cell, row)) for row in found.to_numpy() if row[1]}
    assert edges == {frozenset(edge) for edge in hostile().edges}
    for row in csv.reader(io.StringIO(text, newline="")):
        assert not any(cell.startswith(FORMULA_STARTS) for cell in row)


def test_json_holds_no_markup_and_means_the_same() -> None:
    text = graph_bytes(hostile(), "json").decode()
    assert not set("<>&") & set(text)
    assert json.loads(text)["nodes"] == list(NAMES)


class _Tags(HTMLParser):
    """The tags of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)


def test_a_trace_within_a_page_is_no_markup() -> None:
    names = [*NAMES[:4], NAMES[5]]
    rows = [[(i >> k) & 1 for k in range(len(names))] for i in range(32)]
    data = Dataset.from_frame(pd.DataFrame(rows, columns=names))
    text = trace_json(bjp.learn(data, search="ibmap-hc"))
    page = _Tags()
    page.feed(f'<script type="application/json">{text}</script><p>')
    assert page.tags == ["script", "p"]
    assert json.loads(text)["graph"]["nodes"] == names


def test_pgmpy_takes_the_names() -> None:
    pytest.importorskip("pgmpy")
    names = [name for name in NAMES if len(name) < 100][:5]
    rows = [[(i >> k) & 1 for k in range(5)] for i in range(32)]
    labels = ["=1+1", "<b>"]
    frame = pd.DataFrame([[labels[x] for x in row] for row in rows], columns=names)
    data = Dataset.from_frame(frame)
    graph = nx.Graph()
    graph.add_nodes_from(names)
    graph.add_edge(names[0], names[1])
    network = bjp.fit_parameters(data, graph).to_pgmpy()
    assert set(network.nodes) == set(names)
    assert set(network.get_factors()[0].state_names[names[0]]) == set(labels)


@given(st.text(st.sampled_from("'=+-@\t\rab＝"), max_size=6))
def test_disarming_loses_nothing(text: str) -> None:
    cell = disarm_cell(text)
    assert restore_cell(cell) == text
    assert not cell.startswith(FORMULA_STARTS)


def test_names_that_are_numbers_stay_numbers() -> None:
    assert "\r\n-1,-2\r\n" in edge_csv(nx.Graph([(-1, -2)]))
