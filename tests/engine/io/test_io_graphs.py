"""Graphs to files and back: exact names that nothing runs, a sentence for what is refused."""

import csv
import io
import json
from itertools import pairwise

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.errors import DataError, GraphError, OptionError
from bjp_engine.io import GRAPH_FORMATS, graph_bytes, read_graph, write_graph
from bjp_engine.io.graphs import restore_cell
from tests.refusals import assert_refused

# Awkward, and what others would run or be misled by; the last name is a node without an edge.
NAMES = (
    *("plain", "two words", " spaces around ", 'say "hello"', "R&D &amp; &#65; &lt;"),
    *("a,b;c\td", "line\nbreak", "carriage\rreturn", "naïve größe 日本 🎲", "[]", "()"),
    *("[ node [ id 1 ] ]", "_networkx_list_start", "source", "=1+1", "-1", "007", "None"),
    *("\ufeffmark", "a\u2028b", "<script>alert(1)</script>", "</script><script>alert(2)</script>"),
    *('" onload="alert(3)', "' onmouseover='alert(4)", "=cmd|' /C calc'!A0", "+1+1", "-1-1"),
    *("@SUM(A1)", "'=1", "''@x", "\ttab", "$\\href{javascript:alert(5)}{x}$"),
    *("javascript:alert(6)", "a\u202egnp.exe", "]]>&lt;&amp;<!--", "&#60;script&#62;"),
    *('"; DROP TABLE x;--', "{{7*7}}${7*7}", "n" * 10_000, "日本 größe"),
)
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")


def graph_of(names, pairs):
    graph = nx.Graph()
    graph.add_nodes_from(names)
    graph.add_edges_from((names[i], names[j]) for i, j in pairs)
    return graph


def edges_in(graph):
    return {frozenset(edge) for edge in graph.edges}


def same(graph, other):
    return set(graph) == set(other) and edges_in(graph) == edges_in(other)


def refusal(source, form=None):
    with pytest.raises(GraphError, match=r"^.*\.$") as caught:
        read_graph(source, form)
    return str(caught.value)


ALL = graph_of([*NAMES], [*pairwise(range(len(NAMES) - 1))])
JOINED = graph_of(["a", "b & c", "d"], [(0, 1)])
# XML holds neither control characters nor halves of characters; GML and JSON hold all.
XML_TEXT = st.characters(blacklist_categories=["Cs", "Cc"], blacklist_characters="\ufffe\uffff")
XML_NAMES = st.text(XML_TEXT | st.sampled_from("\t\n\r&\"'<>[]"), min_size=1)
ANY_NAMES = st.text(st.characters() | st.sampled_from("&\"'<>[];"), min_size=1)
CSV_NAMES = st.text(st.characters(blacklist_categories=["Cs"]), min_size=1)


@st.composite
def graphs(draw, names):
    visible = names.filter(lambda name: bool(name.strip()))
    found = draw(st.lists(visible, min_size=1, max_size=6, unique=True))
    pairs = [(i, j) for j in range(len(found)) for i in range(j)]
    return graph_of(list(found), draw(st.lists(st.sampled_from(pairs))) if pairs else [])


def test_awkward_and_hostile_names_come_back(tmp_path):
    for form in GRAPH_FORMATS:
        path = tmp_path / f"graph.{form}"
        write_graph(ALL, path)
        assert path.read_bytes() == graph_bytes(ALL.copy(), form)
        for source in (path, str(path), path.read_bytes(), io.BytesIO(path.read_bytes())):
            assert same(read_graph(source, form), ALL), form
        assert same(read_graph(path), ALL), form
        for graph in (nx.Graph(), graph_of(["a", "b"], [])):
            assert same(read_graph(graph_bytes(graph, form), form), graph), form


@given(st.data(), st.sampled_from(GRAPH_FORMATS))
def test_any_other_names_come_back_and_none_is_a_formula(draw, form):
    names = {"graphml": XML_NAMES, "json": ANY_NAMES, "csv": CSV_NAMES}[form]
    formulas = st.text(st.sampled_from("'=+-@\t\r\nab＝"), min_size=1, max_size=6)
    graph = draw.draw(graphs(names | formulas))
    data = graph_bytes(graph, form)
    again = read_graph(data, form)
    assert same(again, graph)
    assert form != "json" or list(again) == list(graph)
    if form == "csv":
        for row in csv.reader(io.StringIO(data.decode("utf-8-sig"), newline="")):
            assert not any(cell.startswith(FORMULA_STARTS) for cell in row)


def test_whole_numbers():
    karate = bjp.networks.load("karate")
    data = bjp.Dataset.from_codes(np.zeros((1, 34), dtype=int))
    graph = nx.Graph([(0, 1), (1, "x"), (-7, 2**70)])
    graph.add_nodes_from(["2", "007"])
    for form in GRAPH_FORMATS:
        # They find their variables, and in JSON they stay numbers.
        again = read_graph(graph_bytes(karate, form), form)
        found = {frozenset(map(data.index, edge)) for edge in again.edges}
        assert found == edges_in(karate), form
        assert {data.index(node) for node in again} == set(range(34)), form
        again = read_graph(graph_bytes(graph, form), form)
        assert same(again, graph if form == "json" else nx.relabel_nodes(graph, str)), form
    content = graph_bytes(graph_of([1, "two", np.int64(3)], [(0, 2)]), "json")
    assert json.loads(content) == {"nodes": [1, "two", 3], "edges": [[1, 3]]}
    assert list(read_graph(content, "json")) == [1, "two", 3]
    own = b'graph [ node [ id 0 label "5" ] node [ id 1 label "07" ] ]'
    assert list(read_graph(own, "gml")) == ["5", "07"]
    assert b"\r\n-1,-2\r\n" in graph_bytes(nx.Graph([(-1, -2)]), "csv")


def test_attributes_and_parallel_edges_are_left_out():
    graph = nx.MultiGraph(name="secret")
    graph.add_node("a", note={"deep": "secret"})
    graph.add_edge("a", "b", weight=float("nan"))
    graph.add_edge("b", "a", weight=2)
    for form in GRAPH_FORMATS:
        data = graph_bytes(graph, form)
        assert b"secret" not in data, form
        again = read_graph(data, form)
        assert type(again) is nx.Graph, form
        assert edges_in(again) == {frozenset("ab")}, form


def test_others_read_what_is_written_and_we_them(tmp_path):
    assert same(nx.parse_graphml(graph_bytes(ALL, "graphml").decode()), ALL)
    assert same(read_graph("\n".join(nx.generate_gml(ALL)).encode(), "gml"), ALL)
    text = graph_bytes(ALL, "csv").decode()
    found = pd.read_csv(io.StringIO(text), dtype=str, keep_default_na=False).to_numpy()
    assert {frozenset(map(restore_cell, row)) for row in found if row[1]} == edges_in(ALL)
    text = graph_bytes(ALL, "json").decode()
    assert not set("<>&") & set(text)
    assert json.loads(text)["nodes"] == [*NAMES]
    graph = JOINED.copy()
    graph.nodes["a"]["colour"] = "red"
    nx.write_graphml(graph, tmp_path / "g.graphml")
    nx.write_gml(graph, tmp_path / "g.gml")
    for name in ("g.graphml", "g.gml"):
        assert same(read_graph(tmp_path / name), graph)


def test_names_where_other_programs_keep_them():
    """Gephi, igraph, Cytoscape, yEd: the ids are numbers, the graph is called directed."""
    wanted = graph_of(["age", "b & c", "7"], [(1, 0), (1, 2)])

    def graphml(named, directed="undirected", key=""):
        nodes = "".join(f'<node id="n{k}">{named(name)}</node>' for k, name in enumerate(names))
        edges = '<edge source="n1" target="n0"/><edge source="n1" target="n2"/>'
        return (
            '<graphml xmlns:y="http://www.yworks.com/xml/graphml"><key id="d9" for="node" '
            f'attr.name="size"/>{key}<graph edgedefault="{directed}">{nodes}{edges}</graph>'
            "</graphml>"
        ).encode()

    def keyed(*ids):
        return lambda name: "".join(f'<data key="{one}">{name}</data>' for one in ids)

    names = ["age", "b &amp; c", "7"]
    key = '<key id="{}" for="node" attr.name="{}"/>'.format
    drawn = "<data key='d9'><y:ShapeNode><y:NodeLabel>{}</y:NodeLabel></y:ShapeNode></data>"
    gml = 'graph [ directed {} node [ id 5 {} "age" ] node [ id 6 {} "b & c" ] node [ id 7 {} "7"'
    gml += " ] edge [ source 6 target 5 ] edge [ source 6 target 7 ] ]"
    two_keys = key("d0", "shared name") + key("d1", "name")
    for data, kind, notes in (
        (graphml(keyed("label"), key=key("label", "label")), "graphml", 0),
        (graphml(keyed("v_name"), key=key("v_name", "name")), "graphml", 0),
        (graphml(keyed("d0", "d1"), "directed", two_keys), "graphml", 1),
        (graphml(drawn.format, "directed"), "graphml", 1),
        (gml.format(0, *["name"] * 3).encode(), "gml", 0),
        (gml.format(1, *["label"] * 3).encode(), "gml", 1),
        (gml.format(0, *(f'label "{k}" name' for k in (5, 6, 7))).encode(), "gml", 0),
    ):
        graph = read_graph(data, kind)
        assert same(graph, wanted), data
        noted = graph.graph.get("notes", ())
        assert (len(noted), all("without direction" in n for n in noted)) == (notes, True), data
    graph = read_graph(gml.format(0, *["vname"] * 3).encode(), "gml")
    assert set(graph) == {5, 6, 7}
    assert "no names" in graph.graph["notes"][0]
    # A label that several nodes share names none; without another name it is refused.
    twice = graphml(keyed("d0", "d1"), key=key("d0", "label") + key("d1", "name"))
    twice = twice.replace(b'"d0">7', b'"d0">age')
    assert same(read_graph(twice, "graphml"), wanted)
    with pytest.raises(GraphError, match="Two nodes read 'age'"):
        read_graph(twice.replace(b'"d1">', b'"d2">'), "graphml")


def test_what_is_no_markov_network():
    for graph, part in (
        (nx.DiGraph([("a", "b")]), "DiGraph"),
        ([("a", "b", "c")], "list"),
        (nx.Graph([("a", "a")]), "'a' to itself"),
        (graph_of([("a", 1)], []), "tuple"),
        (graph_of([1.5], []), "float"),
        (graph_of([True], []), "bool"),
        (graph_of([frozenset()], []), "frozenset"),
        (graph_of(["  "], []), "no name"),
        (graph_of([1, "1"], []), "'1'"),
    ):
        for form in GRAPH_FORMATS:
            assert_refused(GraphError, part, graph_bytes, graph, form)


def test_names_that_a_format_cannot_hold():
    for name in ("a\x01b", "a\x00", "a\ufffe", "a\ud800"):
        with pytest.raises(GraphError, match=rf"U\+{ord(name.strip('ab')):04X}"):
            graph_bytes(graph_of([name], []), "graphml")
    assert_refused(DataError, "half a character", graph_bytes, graph_of(["a\ud800"], []), "csv")
    with pytest.raises(GraphError, match=r"more than 131,072 characters; .*shorten the cell"):
        read_graph(b"source,target\n" + b"a" * 200_000 + b",b\n", "csv")


def test_formats_and_places(tmp_path):
    graph = graph_of(["a", "b"], [(0, 1)])
    for call in (
        lambda: graph_bytes(graph, "dot"),
        lambda: graph_bytes(graph, "gml"),
        lambda: read_graph(b"", "dot"),
    ):
        assert_refused(OptionError, r"'(dot|gml)'", call)
    assert_refused(GraphError, "known extension", write_graph, graph, tmp_path / "graph.png")
    with pytest.raises(GraphError, match=r"'g\.csv'") as caught:
        write_graph(graph, tmp_path / "nowhere" / "g.csv")
    assert str(tmp_path) not in str(caught.value)
    assert not list(tmp_path.iterdir())
    assert "'g.gml'" in refusal(tmp_path / "g.gml")
    assert "folder" in refusal(tmp_path)
    assert "known extension" in refusal(__file__)
    assert "no name" in refusal(b"{}")


@given(form=st.sampled_from(GRAPH_FORMATS), data=st.binary(max_size=200))
def test_any_bytes_give_a_graph_or_a_sentence(form, data):
    try:
        sentence = f"{read_graph(data, form)}."
    except GraphError as error:
        sentence = str(error)
    assert sentence.endswith(".")


def test_entities_are_never_expanded():
    laughs = "".join(f'<!ENTITY e{i + 1} "{f"&e{i};" * 10}">' for i in range(9))
    bomb = f'<!DOCTYPE graphml [<!ENTITY e0 "ha">{laughs}]><graphml>&e9;</graphml>'
    outside = '<!DOCTYPE g SYSTEM "file:///etc/hostname"><graphml/>'
    late = "<!-- " + "x" * 9000 + f" -->{bomb}"
    for text in (bomb, outside, late):
        for encoding in ("utf-8", "utf-16"):
            assert "DTDForbidden" in refusal(text.encode(encoding), "graphml")


def test_graphml_and_gml_of_others():
    def wrapped(inner):
        return f'<graphml><graph edgedefault="undirected">{inner}</graph></graphml>'.encode()

    # As yEd writes it: groups, shapes, and values that aren't of the type that is declared.
    theirs = """<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://x/y">
  <key id="k" for="node" attr.name="size" attr.type="double" />
  <graph id="G" edgedefault="undirected">
    <node id="a"><data key="k">large</data><data key="none"><y:ShapeNode /></data></node>
    <node id="d"><graph><node id="b &amp; c" /></graph></node>
    <edge id="e" source="a" target="b &amp; c" />
  </graph>
</graphml>"""
    assert same(read_graph(theirs.encode(), "graphml"), JOINED)
    nodes = '<node id="a"/><node id="b"/>'
    grouped = f'<node id="g"><graph>{nodes}</graph></node><edge source="a" target="b"/>'
    # A GraphML file may join three nodes at once.
    three = "".join(f'<endpoint node="{node}"/>' for node in ("g", "a", "b"))
    found = read_graph(wrapped(f"{grouped}<hyperedge>{three}</hyperedge>"), "graphml")
    assert (set(found), list(found.edges)) == ({"g", "a", "b"}, [("a", "b")])
    assert "1 hyperedge of The file was left out" in found.graph["notes"][0]
    unlabelled = b"graph [\n node [ id 3 ]\n node [ id 7 ]\n edge [ source 3 target 7 ]\n]"
    assert set(read_graph(unlabelled, "gml")) == {3, 7}
    utf8 = 'graph [ node [ id 0 label "größe" ] ]'.encode()
    for data in (utf8, utf8.decode().encode("latin-1"), utf8.replace(b" [", b"\r\n[")):
        assert set(read_graph(data, "gml")) == {"größe"}
    for form, data, part in (
        ("graphml", wrapped(nodes + '<edge source="a" target="c"/>'), "'c'"),
        ("graphml", wrapped(nodes + '<edge source="a" target="a"/>'), "itself"),
        ("graphml", wrapped(nodes + nodes), "Two nodes read 'a'"),
        ("graphml", wrapped("<node/>"), "can't be read as GraphML"),
        ("graphml", b"<graphml/>", "0 GraphML graphs"),
        ("graphml", b"<graphml><graph/><graph/></graphml>", "2 GraphML graphs"),
        ("graphml", b"<graphml>\n<graph>\n</graphml>", "can't be read as GraphML"),
        ("gml", b'graph [ node [ id 0 label "a" ] node [ id 1 label "a" ] ]', "'a'"),
        ("gml", b"graph [ node [ id 0 label 1.5 ] ]", "1.5"),
        ("gml", b"graph [ node [ id 0 ] edge [ source 0 target 5 ] ]", "GML"),
        ("gml", b"graph " + b"[ a " * 100_000, "GML"),
    ):
        assert part in refusal(data, form), data[:80]


def test_json_that_holds_no_graph():
    for nodes, edges, part in (
        (["a"], [["a", "b"]], "'b'"),
        (["a", "a"], [], "'a'"),
        (["a", "b"], [["a"]], "holds no graph"),
        (["a", "b"], ["ab"], "holds no graph"),
        ([1.5], [], "float"),
        ([True], [], "bool"),
        ([None], [], "NoneType"),
        ([["a"]], [], "holds no graph"),
        ([], [[{}, "a"]], "holds no graph"),
        ([1, "1"], [], "'1'"),
        ([1], [["1", 1]], "'1'"),
        ("ab", [], '"nodes"'),
    ):
        data = json.dumps({"nodes": nodes, "edges": edges}).encode()
        assert part in refusal(data, "json"), data
    for rest in (b'],\n "edges": [}', b"[" * 200_000, b"9" * 9999 + b'], "edges": []}'):
        assert "JSON" in refusal(b'{"nodes": [' + rest, "json"), rest[:40]


def test_what_others_write():
    for text in (
        "source,target\na,b\nc,\n",
        "\ufeffSource;Target\na;b\nc;\n",
        "from\tto\r\na\tb\r\nc\t\r\n",
        "a,b\nc\n",
        "\na,b\n,\nc,\n",
        "Id,Source,Target,Weight\n1,a,b,0.5\n2,c,,\n",
        "target,source\nb,a\n,c\n",
    ):
        wanted = graph_of(["a", "b", "c"], [(0, 1)])
        assert same(read_graph(text.encode(), "csv"), wanted), text
    graph = read_graph(b"source,target\n0,1\n0,2\n", "csv")
    assert edges_in(graph) == {frozenset("01"), frozenset("02")}
    # With a header lone nodes are a graph, and the header alone is the one without nodes.
    graph = read_graph(b"source,target\na,\nb,\n", "csv")
    assert (set(graph), [*graph.edges]) == ({"a", "b"}, [])
    assert len(read_graph(b"source,target\n", "csv")) == 0
    graph = graph_of(["a", "b", "alone"], [(0, 1)])
    assert graph_bytes(graph, "csv") == b"source,target\r\na,b\r\nalone,\r\n"


def test_other_encodings():
    text = "source,target\ngröße,a\ngröße,b\n"
    for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "cp1252"):
        found = read_graph(text.encode(encoding), "csv")
        assert list(found.edges) == [("größe", "a"), ("größe", "b")], encoding
        guessed = encoding in ("utf-16-le", "cp1252")
        assert ("notes" in found.graph) == guessed, encoding


def test_lines_that_are_no_edges():
    for text, part in (
        (b"", "is empty"),
        (b"\n\n,\n", "is empty"),
        (b"smoking work\nwork family\n", "Line 1 has 1 cell"),
        (b"smoking work\nwork family\n", "comma"),
        (b"source,target\na,b\n,c\n", "Line 3"),
        (b"a,b,c\n", "Line 1"),
        (b'source,target\n"a\nb",c\n"d,e\n', "Line 4"),
        (b"source,target\na,a\n", "itself"),
        (b"source,target\n\xff\x00,a\n", "binary"),
    ):
        assert part in refusal(text, "csv"), text
