"""Graphs to files and back: exact names, one sentence for what can't be written or read."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.errors import GraphError, OptionError
from bjp_engine.io import (
    GRAPH_FORMATS,
    annotate_graph,
    edge_csv,
    graph_bytes,
    read_graph,
    write_graph,
)

AWKWARD = (
    "plain",
    "two words",
    " spaces around ",
    'say "hello"',
    "R&D &amp; &#65; &lt;",
    "<script>alert(1)</script>",
    "a,b;c\td",
    "line\nbreak",
    "carriage\rreturn",
    "naïve größe 日本 🎲",
    "[]",
    "()",
    "[ node [ id 1 ] ]",
    "_networkx_list_start",
    "source",
    "=1+1",
    "-1",
    "007",
    "None",
    "\ufeffmark",
    "a\u2028b",
)


def graph_of(names: list[object], pairs: list[tuple[int, int]]) -> nx.Graph:
    graph = nx.Graph()
    graph.add_nodes_from(names)
    graph.add_edges_from((names[i], names[j]) for i, j in pairs)
    return graph


def edges_in(graph: nx.Graph) -> set[frozenset[object]]:
    return {frozenset(edge) for edge in graph.edges}


def same(graph: nx.Graph, other: nx.Graph) -> bool:
    return set(graph) == set(other) and edges_in(graph) == edges_in(other)


def refusal(source: object, form: str | None = None) -> str:
    with pytest.raises(GraphError) as caught:
        read_graph(source, form)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.endswith(".")
    return sentence


def reading_of(data: bytes, form: str) -> str:
    """How the reading of any bytes ends."""
    try:
        read_graph(data, form)
    except GraphError as error:
        return str(error)
    return "A graph."


CIRCLE = graph_of(list(AWKWARD), [(i, i + 1) for i in range(len(AWKWARD) - 3)])

# XML holds neither control characters nor halves of characters; GML and JSON hold all.
XML_TEXT = st.characters(blacklist_categories=["Cs", "Cc"], blacklist_characters="\ufffe\uffff")
XML_NAMES = st.text(XML_TEXT | st.sampled_from("\t\n\r&\"'<>[]"), min_size=1)
ANY_NAMES = st.text(st.characters() | st.sampled_from("&\"'<>[];"), min_size=1)


@st.composite
def graphs(draw: st.DrawFn, names: st.SearchStrategy[str]) -> nx.Graph:
    visible = names.filter(lambda name: bool(name.strip()))
    found = draw(st.lists(visible, min_size=1, max_size=6, unique=True))
    pairs = [(i, j) for j in range(len(found)) for i in range(j)]
    return graph_of(list(found), draw(st.lists(st.sampled_from(pairs))) if pairs else [])


class TestRoundTrips:
    @pytest.mark.parametrize("form", GRAPH_FORMATS)
    def test_awkward_names(self, form: str, tmp_path: Path) -> None:
        path = tmp_path / f"graph.{form}"
        write_graph(CIRCLE, path)
        assert path.read_bytes() == graph_bytes(CIRCLE, form)
        for source in (path, str(path), path.read_bytes(), io.BytesIO(path.read_bytes())):
            assert same(read_graph(source, form), CIRCLE)
        assert same(read_graph(path), CIRCLE)

    @given(graphs(XML_NAMES))
    def test_graphml(self, graph: nx.Graph) -> None:
        assert same(read_graph(graph_bytes(graph, "graphml"), "graphml"), graph)

    @given(graphs(ANY_NAMES))
    @example(graph_of(["\x00", "\ud800", "[]"], [(0, 1)]))
    def test_gml(self, graph: nx.Graph) -> None:
        data = graph_bytes(graph, "gml")
        assert data.isascii()
        assert same(read_graph(data, "gml"), graph)

    @given(graphs(ANY_NAMES))
    def test_json(self, graph: nx.Graph) -> None:
        again = read_graph(graph_bytes(graph, "json"), "json")
        assert list(again) == list(graph)
        assert same(again, graph)

    @given(graphs(st.text(st.characters(blacklist_categories=["Cs"]), min_size=1)))
    def test_csv(self, graph: nx.Graph) -> None:
        assert same(read_graph(graph_bytes(graph, "csv"), "csv"), graph)

    @pytest.mark.parametrize("form", GRAPH_FORMATS)
    def test_whole_numbers_find_their_variables(self, form: str) -> None:
        graph = bjp.networks.load("karate")
        again = read_graph(graph_bytes(graph, form), form)
        data = bjp.Dataset.from_codes(np.zeros((1, 34), dtype=int))
        assert {frozenset(map(data.index, edge)) for edge in again.edges} == edges_in(graph)
        assert {data.index(node) for node in again} == set(range(34))

    def test_json_keeps_whole_numbers_apart_from_text(self) -> None:
        graph = graph_of([1, "two", np.int64(3)], [(0, 2)])
        assert list(read_graph(graph_bytes(graph, "json"), "json")) == [1, "two", 3]
        assert json.loads(graph_bytes(graph, "json")) == {"nodes": [1, "two", 3], "edges": [[1, 3]]}

    @pytest.mark.parametrize("form", ["graphml", "gml", "json"])
    def test_whole_numbers_stay_whole_numbers(self, form: str) -> None:
        graph = nx.Graph([(0, 1), (1, "x"), (-7, 2**70)])
        graph.add_nodes_from(["2", "007"])
        assert same(read_graph(graph_bytes(graph, form), form), graph)

    def test_an_attribute_of_another_program_is_no_name(self) -> None:
        own = b'graph [ node [ id 0 label "5" number 7 ] node [ id 1 label "07" number 7 ] ]'
        assert list(read_graph(own, "gml")) == ["5", "07"]

    @pytest.mark.parametrize("form", GRAPH_FORMATS)
    def test_an_empty_graph(self, form: str) -> None:
        assert len(read_graph(graph_bytes(nx.Graph(), form), form)) == 0
        lonely = graph_of(["a", "b"], [])
        assert same(read_graph(graph_bytes(lonely, form), form), lonely)

    @pytest.mark.parametrize("form", GRAPH_FORMATS)
    def test_attributes_and_parallel_edges_are_left_out(self, form: str) -> None:
        graph = nx.MultiGraph(name="secret")
        graph.add_node("a", note={"deep": "secret"})
        graph.add_edge("a", "b", weight=float("nan"))
        graph.add_edge("b", "a", weight=2)
        data = graph_bytes(graph, form)
        assert b"secret" not in data
        assert "secret" not in edge_csv(graph)
        again = read_graph(data, form)
        assert type(again) is nx.Graph
        assert edges_in(again) == {frozenset("ab")}

    def test_networkx_reads_what_is_written(self) -> None:
        assert same(nx.parse_graphml(graph_bytes(CIRCLE, "graphml").decode()), CIRCLE)
        plain = graph_of(["a", 'b "c"', "日本"], [(0, 1)])
        assert same(nx.parse_gml(graph_bytes(plain, "gml").decode()), plain)

    def test_what_networkx_writes_is_read(self, tmp_path: Path) -> None:
        graph = graph_of(["a", "b & c", "d"], [(0, 1)])
        graph.nodes["a"]["colour"] = "red"
        nx.write_graphml(graph, tmp_path / "g.graphml")
        nx.write_gml(graph, tmp_path / "g.gml")
        for name in ("g.graphml", "g.gml"):
            assert same(read_graph(tmp_path / name), graph)

    def test_what_earlier_versions_and_other_programs_write_is_read(self) -> None:
        ours = """<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="confidence" for="edge" attr.name="confidence" attr.type="double" />
  <key id="confidence_kind" for="graph" attr.name="confidence_kind" attr.type="string" />
  <graph edgedefault="undirected">
    <data key="confidence_kind">test</data>
    <node id="a" /><node id="b &amp; c" /><node id="d" />
    <edge source="a" target="b &amp; c"><data key="confidence">0.5</data></edge>
  </graph>
</graphml>"""
        # As yEd writes it: groups, shapes, and values that aren't of the type that is declared.
        theirs = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://x/y">
  <key id="k" for="node" attr.name="size" attr.type="double" />
  <graph id="G" edgedefault="undirected">
    <node id="a"><data key="k">large</data><data key="none"><y:ShapeNode /></data></node>
    <node id="d"><graph><node id="b &amp; c" /></graph></node>
    <edge id="e" source="a" target="b &amp; c" />
  </graph>
</graphml>"""
        for text in (ours, theirs):
            graph = read_graph(text.encode(), "graphml")
            assert same(graph, graph_of(["a", "b & c", "d"], [(0, 1)]))

    def test_the_same_bytes_every_time(self) -> None:
        for form in GRAPH_FORMATS:
            assert graph_bytes(CIRCLE, form) == graph_bytes(CIRCLE.copy(), form)


class TestRefusedGraphs:
    @pytest.mark.parametrize("form", GRAPH_FORMATS)
    def test_what_is_no_markov_network(self, form: str) -> None:
        loop = nx.Graph([("a", "a")])
        for graph, part in [
            (nx.DiGraph([("a", "b")]), "DiGraph"),
            ([("a", "b")], "list"),
            (loop, "'a' to itself"),
            (graph_of([("a", 1)], []), "tuple"),
            (graph_of([1.5], []), "float"),
            (graph_of([True], []), "bool"),
            (graph_of([frozenset()], []), "frozenset"),
            (graph_of(["  "], []), "no name"),
            (graph_of([1, "1"], []), "'1'"),
        ]:
            with pytest.raises(GraphError, match=part.replace("(", r"\(")):
                graph_bytes(graph, form)

    @pytest.mark.parametrize("name", ["a\x01b", "a\x00", "a\ufffe", "a\ud800"])
    def test_names_that_xml_cannot_hold(self, name: str) -> None:
        code = f"U+{ord(name.strip('ab')):04X}"
        with pytest.raises(GraphError, match=code.replace("+", r"\+")):
            graph_bytes(graph_of([name], []), "graphml")

    def test_half_a_character_in_csv(self) -> None:
        with pytest.raises(GraphError, match="half a character"):
            graph_bytes(graph_of(["a\ud800"], []), "csv")

    def test_a_name_too_long_for_csv(self) -> None:
        """The reader of a CSV file refuses such a cell, and said that quotes don't match."""
        long = nx.Graph([("a" * 200_000, "b")])
        with pytest.raises(GraphError, match=r"200,000 letters.* use JSON"):
            graph_bytes(long, "csv")
        with pytest.raises(GraphError, match="shorten a name of more than 131,072 letters"):
            read_graph(b"source,target\n" + b"a" * 200_000 + b",b\n", "csv")

    def test_formats(self, tmp_path: Path) -> None:
        graph = graph_of(["a", "b"], [(0, 1)])
        for call in (
            lambda: graph_bytes(graph, "dot"),
            lambda: read_graph(b"", "dot"),
            lambda: write_graph(graph, tmp_path / "g", "dot"),
        ):
            with pytest.raises(OptionError, match="'dot'"):
                call()
        with pytest.raises(GraphError, match="known extension"):
            write_graph(graph, tmp_path / "graph.png")
        with pytest.raises(GraphError, match="no name"):
            write_graph(graph, io.BytesIO())
        assert not list(tmp_path.iterdir())
        out = io.BytesIO()
        write_graph(graph, out, "gml")
        assert same(read_graph(out, "gml"), graph)

    def test_where_nothing_can_be_written(self, tmp_path: Path) -> None:
        with pytest.raises(GraphError, match=r"'g\.gml'") as caught:
            write_graph(CIRCLE, tmp_path / "nowhere" / "g.gml")
        assert str(tmp_path) not in str(caught.value)


class TestRefusedFiles:
    def test_files_that_are_not_there(self, tmp_path: Path) -> None:
        assert "'g.gml'" in refusal(tmp_path / "g.gml")
        assert "folder" in refusal(tmp_path)
        assert "known extension" in refusal(__file__)
        assert "no name" in refusal(b"{}")

    @pytest.mark.parametrize("form", GRAPH_FORMATS)
    @given(data=st.binary(max_size=200))
    def test_any_bytes_give_a_graph_or_a_sentence(self, form: str, data: bytes) -> None:
        assert reading_of(data, form).endswith(".")

    @pytest.mark.parametrize("form", ["graphml", "gml", "json"])
    @pytest.mark.parametrize(
        "data", [b"", b"hello", b"<html/>", b"[1, 2]", b"\xff\xfe\x00", b"null"]
    )
    def test_what_is_no_graph(self, form: str, data: bytes) -> None:
        refusal(data, form)

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
    def test_entities_are_never_expanded(self, encoding: str) -> None:
        laughs = "".join(f'<!ENTITY e{i + 1} "{f"&e{i};" * 10}">' for i in range(9))
        bomb = f'<!DOCTYPE graphml [<!ENTITY e0 "ha">{laughs}]><graphml>&e9;</graphml>'
        assert "DOCTYPE" in refusal(bomb.encode(encoding), "graphml")
        outside = '<!DOCTYPE g SYSTEM "file:///etc/hostname"><graphml/>'
        assert "DOCTYPE" in refusal(outside.encode(encoding), "graphml")
        late = "<!-- " + "x" * 9000 + f" -->{bomb}"
        assert "DOCTYPE" in refusal(late.encode(encoding), "graphml")

    def test_graphml(self) -> None:
        def wrapped(inner: str, attributes: str = 'edgedefault="undirected"') -> bytes:
            return f"<graphml><graph {attributes}>{inner}</graph></graphml>".encode()

        nodes = '<node id="a"/><node id="b"/>'
        edge = '<edge source="a" target="b"/>'
        assert same(read_graph(wrapped(nodes + edge), "graphml"), graph_of(["a", "b"], [(0, 1)]))
        grouped = f'<node id="g"><graph edgedefault="undirected">{nodes}</graph></node>{edge}'
        assert set(read_graph(wrapped(grouped), "graphml")) == {"g", "a", "b"}
        directed = wrapped(nodes + edge, 'edgedefault="directed"')
        for data, part in [
            (directed, "directed edge from 'a' to 'b'"),
            (wrapped(nodes + edge.replace("/>", ' directed="true"/>')), "directed edge"),
            (wrapped(nodes + '<edge source="a" target="c"/>'), "'c'"),
            (wrapped(nodes + '<edge source="a" target="a"/>'), "itself"),
            (wrapped(nodes + nodes), "two nodes 'a'"),
            (wrapped("<node/>"), "without an id"),
            (b"<graphml/>", "0 GraphML graphs"),
            (b"<graphml><graph/><graph/></graphml>", "2 GraphML graphs"),
            (b"<graphml>\n<graph>\n</graphml>", "line 3"),
        ]:
            assert part in refusal(data, "graphml")

    def test_gml(self) -> None:
        unlabelled = b"graph [\n node [ id 3 ]\n node [ id 7 ]\n edge [ source 3 target 7 ]\n]"
        assert set(read_graph(unlabelled, "gml")) == {3, 7}
        utf8 = 'graph [ node [ id 0 label "größe" ] ]'.encode()
        assert set(read_graph(utf8, "gml")) == {"größe"}
        assert set(read_graph(utf8.decode().encode("latin-1"), "gml")) == {"größe"}
        assert set(read_graph(utf8.replace(b" [", b"\r\n["), "gml")) == {"größe"}
        for data, part in [
            (b'graph [ directed 1 node [ id 0 label "a" ] ]', "DiGraph"),
            (b'graph [ node [ id 0 label "a" ] node [ id 1 label "a" ] ]', "'a'"),
            (b"graph [ node [ id 0 label 1.5 ] ]", "1.5"),
            (b"graph [ node [ id 0 ] edge [ source 0 target 5 ] ]", "5"),
            (b"graph " + b"[ a " * 100_000, "GML"),
        ]:
            assert part in refusal(data, "gml")

    def test_json(self) -> None:
        def text(nodes: object, edges: object) -> bytes:
            return json.dumps({"nodes": nodes, "edges": edges}).encode()

        for data, part in [
            (text(["a"], [["a", "b"]]), "'b'"),
            (text(["a", "a"], []), "'a'"),
            (text(["a", "b"], [["a"]]), '["a"]'),
            (text(["a", "b"], ["ab"]), '"ab"'),
            (text([1.5], []), "float"),
            (text([True], []), "bool"),
            (text([None], []), "NoneType"),
            (text([["a"]], []), "list"),
            (text([1, "1"], []), "'1'"),
            (text([1], [["1", 1]]), "'1'"),
            (text("ab", []), '"nodes"'),
            (b'{"nodes": [],\n "edges": [}', "line 2"),
            (b'{"nodes": [' + b"[" * 200_000, "JSON"),
            (b'{"nodes": [' + b"9" * 9999 + b'], "edges": []}', "JSON"),
        ]:
            assert part in refusal(data, "json")


class TestEdgeLists:
    def test_an_empty_file_is_no_graph(self) -> None:
        assert "is empty" in refusal(b"", "csv")
        assert "is empty" in refusal(b"\n\n , \n".replace(b" ", b""), "csv")

    def test_lines_without_a_second_cell_are_no_edges(self) -> None:
        sentence = refusal(b"smoking work\nwork family\n", "csv")
        assert "Line 1 has one cell" in sentence
        assert "comma" in sentence

    def test_with_a_header_lone_nodes_are_a_graph(self) -> None:
        graph = read_graph(b"source,target\na,\nb,\n", "csv")
        assert set(graph) == {"a", "b"}
        assert not graph.edges

    def test_the_header_alone_is_the_graph_without_nodes(self) -> None:
        assert len(read_graph(b"source,target\n", "csv")) == 0

    def test_the_form(self) -> None:
        graph = graph_of(["a", "b", "alone"], [(0, 1)])
        assert edge_csv(graph) == "source,target\r\na,b\r\nalone,\r\n"

    @pytest.mark.parametrize(
        "text",
        [
            "source,target\na,b\nc,\n",
            "\ufeffSource;Target\na;b\nc;\n",
            "from\tto\r\na\tb\r\nc\t\r\n",
            "a,b\nc\n",
            "\na,b\n,\nc,\n",
            "Id,Source,Target,Weight\n1,a,b,0.5\n2,c,,\n",
            "target,source\nb,a\n,c\n",
        ],
    )
    def test_what_others_write(self, text: str) -> None:
        assert same(read_graph(text.encode(), "csv"), graph_of(["a", "b", "c"], [(0, 1)]))

    def test_every_benchmark_list(self) -> None:
        data = b"source,target\n0,1\n0,2\n"
        assert edges_in(read_graph(data, "csv")) == {frozenset("01"), frozenset("02")}

    def test_lines_that_are_no_edges(self) -> None:
        for text, part in [
            ("source,target\na,b\n,c\n", "Line 3"),
            ("a,b,c\n", "Line 1"),
            ('source,target\n"a\nb",c\n"d,e\n', "Line 4"),
            ("source,target\na,a\n", "itself"),
            (b"source,target\n\xff,a\n", "UTF-8"),
        ]:
            assert part in refusal(text.encode() if isinstance(text, str) else text, "csv")

    @pytest.mark.parametrize(
        "name", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "\nx", "=cmd|' /C'!A0"]
    )
    def test_formulas_are_disarmed_and_come_back(self, name: str) -> None:
        graph = graph_of([name, "b", f"{name} alone"], [(0, 1)])
        cells = [
            cell for row in csv.reader(io.StringIO(edge_csv(graph), newline="")) for cell in row
        ]
        assert f"'{name}" in cells
        assert not any(cell[:1] in ("=", "+", "-", "@", "\t", "\r", "\n") for cell in cells)
        assert name in edge_csv(graph, safe=False).replace('""', '"')
        assert same(read_graph(edge_csv(graph).encode(), "csv"), graph)

    def test_whole_numbers_are_no_formulas(self) -> None:
        assert "\r\n-1,-2\r\n" in edge_csv(nx.Graph([(-1, -2)]), safe=True)


class TestEffects:
    data = bjp.Dataset.from_codes(
        np.random.default_rng(3).integers(0, [2, 2, 3], (50, 3)), [2, 2, 3], ["a", "b", 7]
    )
    graph = nx.Graph([("b", "a"), ("b", 7)])
    effects = bjp.fit_parameters(data, graph).effects(resamples=5)

    def is_of(self, edge: set[object], bears: dict[str, object]) -> bool:
        found = self.effects[self.effects["x"].isin(edge) & self.effects["y"].isin(edge)]
        wanted = found.drop(columns=["x", "y"]).to_dict("records")[0]
        return bears == {
            name if name == "effect" else f"effect_{name}": value for name, value in wanted.items()
        }

    def test_graphml_and_gml_bear_them(self) -> None:
        markup = graph_bytes(self.graph, "graphml", effects=self.effects).decode()
        for found in (
            nx.parse_graphml(markup),
            nx.parse_gml(graph_bytes(self.graph, "gml", effects=self.effects).decode()),
        ):
            for u, v, bears in found.edges.data():
                ends = {7 if name == "7" else name for name in (u, v)}
                assert self.is_of(ends, bears)

    def test_csv_and_json_bear_them(self) -> None:
        for text in (
            edge_csv(self.graph, effects=self.effects),
            graph_bytes(self.graph, "csv", effects=self.effects).decode(),
        ):
            rows = list(csv.DictReader(io.StringIO(text, newline="")))
            assert len(rows) == len(self.effects)
            for row in rows:
                ends = {7 if end == "7" else end for end in (row.pop("source"), row.pop("target"))}
                kind = {"effect_kind": row.pop("effect_kind")}
                assert self.is_of(ends, kind | {name: float(row[name]) for name in row})
        found = json.loads(graph_bytes(self.graph, "json", effects=self.effects))
        for k, edge in enumerate(found["edges"]):
            bears = {name: found[name][k] for name in found if name.startswith("effect")}
            assert self.is_of(set(edge), bears)

    def test_a_trace_in_json_holds_them(self) -> None:
        trace = bjp.score(self.data, self.graph)
        found = json.loads(bjp.io.trace_json(trace, effects=self.effects))
        assert found["effects"] == self.effects.to_dict("records")

    @pytest.mark.parametrize("form", GRAPH_FORMATS)
    def test_they_go_with_confidence_and_are_left_out_when_read(self, form: str) -> None:
        sure = bjp.confidence.test_confidence(self.data, self.graph)
        content = graph_bytes(self.graph, form, sure, effects=self.effects)
        assert b"probability" in content
        assert b"effect_low" in content
        again = read_graph(content, form)
        assert {frozenset(map(str, edge)) for edge in again.edges} == {
            frozenset(map(str, edge)) for edge in self.graph.edges
        }

    def test_those_of_another_graph_or_none_are_refused(self) -> None:
        with pytest.raises(GraphError, match="lack the edge 'a' - '7'"):
            graph_bytes(nx.Graph([("a", 7)]), "csv", effects=self.effects)
        for wrong in (
            5,
            pd.DataFrame({"x": [1]}),
            self.effects.assign(low=float("nan")),
            self.effects.assign(high="=1"),
            self.effects.assign(kind="=1"),
        ):
            with pytest.raises(OptionError, match="not a table of effects"):
                graph_bytes(self.graph, "csv", effects=wrong)
            with pytest.raises(OptionError, match="not a table of effects"):
                bjp.io.trace_json(bjp.score(self.data, self.graph), effects=wrong)


def test_a_graph_bears_what_is_known_of_its_edges() -> None:
    data = bjp.Dataset.from_codes([[0, 0, 1], [0, 0, 0], [1, 1, 1], [1, 1, 0]] * 5)
    graph = nx.Graph([(0, 1), (1, 2)])
    graph.edges[0, 1]["weight"] = 7
    confidence = bjp.confidence.test_confidence(data, graph)
    effects = bjp.fit_parameters(data, graph).effects(resamples=2)
    known = annotate_graph(graph, confidence, effects=effects, warnings=["Few rows."])
    for (u, v), row in zip(known.edges, effects.itertuples(), strict=True):
        assert {u, v} == {row.x, row.y}
        assert known.edges[u, v]["probability"] == confidence.of(u, v).confidence
        assert known.edges[u, v]["effect"] == row.effect
    assert known.graph["warning"] == "Few rows."
    assert "weight" not in known.edges[0, 1]
    assert graph.edges[0, 1] == {"weight": 7}
    with pytest.raises(GraphError, match="not of this graph"):
        annotate_graph(nx.Graph([(0, 2)]), effects=effects)
