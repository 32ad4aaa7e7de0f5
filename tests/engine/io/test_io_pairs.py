"""Files about pairs: verdicts by one rule, in tables and at edges, and what is known of pairs."""

import io
import json

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine.confidence.edges import EdgeConfidence
from bjp_engine.errors import DataError, GraphError, OptionError
from bjp_engine.io import (
    edge_csv,
    graph_bytes,
    known_csv,
    pair_csv,
    parse_known,
    read_graph,
    read_known,
)
from bjp_engine.io.pairs import encode_csv
from bjp_engine.scores import KnownEdges

NAMES = ("a", "=b", "ä", "d")
PROBABILITIES = {
    ("a", "=b"): 0.95,
    ("a", "ä"): 0.9,
    ("a", "d"): 0.5,
    ("=b", "ä"): 0.1,
    ("=b", "d"): 0.85,
    ("ä", "d"): 0.05,
}
GRAPH = nx.Graph([("a", "=b"), ("a", "d"), ("d", "=b")])
GRAPH.add_node("ä")
THRESHOLDS = ((0.9, 0.1), (0.85, 0.5))


def confidence(kind="calibrated"):
    """Probabilities of all pairs; the fit has seen nothing like a - ä."""
    matrix = np.zeros((4, 4))
    for (x, y), p in PROBABILITIES.items():
        i, j = NAMES.index(x), NAMES.index(y)
        matrix[i, j] = matrix[j, i] = p
    judged = np.ones((4, 4), dtype=bool)
    judged[0, 2] = judged[2, 0] = False
    known = judged if kind == "calibrated" else None
    return EdgeConfidence(kind, NAMES, matrix, None, "bjp", judged=known)


def verdict(x, y, present, absent):
    """By hand."""
    if {x, y} == {"a", "ä"}:
        return "not judged"
    p = PROBABILITIES.get((x, y)) or PROBABILITIES[y, x]
    return "present" if p >= present else "absent" if p <= absent else "undecided"


class TestVerdicts:
    def test_every_pair_has_its_own_by_the_thresholds_in_the_file(self):
        for present, absent in THRESHOLDS:
            warnings = ("Few.", "=1")
            text = pair_csv(confidence(), GRAPH, present=present, absent=absent, warnings=warnings)
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
            edges = {pair: "edge" if GRAPH.has_edge(*pair) else "no edge" for pair in PROBABILITIES}
            assert found == {
                pair: (p, verdict(*pair, present, absent), edges[pair])
                for pair, p in PROBABILITIES.items()
            }

    @pytest.mark.parametrize("kind", ["graphml", "gml", "csv", "json"])
    def test_every_edge_of_a_file_has_its_own(self, kind):
        for present, absent in THRESHOLDS:
            content = graph_bytes(GRAPH, kind, confidence(), present=present, absent=absent)
            again = read_graph(content, kind)
            assert {*map(frozenset, again.edges)} == {*map(frozenset, GRAPH.edges)}
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

    def test_only_calibrated_numbers_have_them(self):
        other = confidence("exact")
        for text in (pair_csv(other, GRAPH), edge_csv(GRAPH, confidence=other)):
            assert "verdict" not in text
            assert "present_from" not in text
        lone = nx.empty_graph(NAMES)
        head = "source,target,probability,verdict,probability_kind,present_from,absent_up_to"
        assert edge_csv(lone, confidence=confidence()).splitlines()[0] == head

    def test_other_variables_and_thresholds_that_do_not_fit_are_refused(self):
        with pytest.raises(GraphError, match="other variables"):
            pair_csv(confidence(), nx.Graph([("a", "z")]))
        for write in (pair_csv, lambda sure, graph, **two: edge_csv(graph, confidence=sure, **two)):
            with pytest.raises(OptionError, match=r"^absent=0.5 is not below present=0.4"):
                write(confidence(), GRAPH, present=0.4, absent=0.5)
        with pytest.raises(OptionError, match=r"^confidence is of type str"):
            pair_csv("calibrated", GRAPH)  # type: ignore[arg-type]


def test_effects_stand_at_the_edges_of_their_graph():
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


class TestKnown:
    names = ("a", "b", "c", "d", 7)

    def test_pairs_are_read(self):
        for text in (
            "a,b,required\nb,c,forbidden\na,7,0.25\n",
            "x,y,known\na,b,required\n\nb,c,Forbidden\na,7,.25",
            "\ufefffrom,to,what\r\n a , b , required \r\nb,c,forbidden\r\na,7,0.25\r\n",
            'a,b,required\n"b","c",forbidden\na,7,2.5e-1\na,b,required\n',
        ):
            rows = parse_known(text.encode(), self.names).rows()
            assert rows == (("a", "b", "required"), ("b", "c", "forbidden"), ("a", 7, 0.25)), text
        # Without names a header is x, y, known.
        assert parse_known(b"x,y,known\na,b,required").required == (("a", "b"),)
        with pytest.raises(DataError, match="Line 1"):
            parse_known(b"from,to,what\na,b,required")

    def test_what_is_refused_names_the_line(self, tmp_path):
        for text, words in (
            ("a,b,required\na,z,forbidden\n", "Line 2 of 'known': There is no variable 'z'"),
            ("a,b,requird\n", "Line 1 of 'known': it says 'requird' of a pair"),
            ("x,y,known\na,b,required\n\nb,a,0.5\n", "Line 4 of 'known': an earlier line says"),
            ("a,a,required\n", "Line 1 of 'known': it pairs 'a' with itself"),
            ("a,b\n", "Line 1 of 'known': it has 2 cells"),
            ("a,b,required\na,c,1\n", "Line 2 of 'known': it says '1'"),
            ("a,b,nan\n", "Line 1 of 'known': it says 'nan'"),
            ('a,b,"required\n', "Line 1 of 'known': unexpected end of data"),
        ):
            with pytest.raises(DataError, match=words):
                parse_known(text.encode(), self.names)
        with pytest.raises(DataError, match="'known' is not UTF-8"):
            parse_known("ä,b,required".encode("latin-1"))
        with pytest.raises(DataError, match=r"'none\.csv' can't be read"):
            read_known(tmp_path / "none.csv")

    def test_what_is_written_is_read_again(self, tmp_path):
        likely = {("=c()", 'of "d", or'): 0.1}
        known = KnownEdges([("a", "b")], likely=likely, apart=[(["d"], ["e", "f"])])
        path = tmp_path / "known.csv"
        path.write_text(known_csv(known), encoding="utf-8")
        assert '\n\'=c(),"of ""d"", or",0.1\n' in path.read_text(encoding="utf-8")
        assert set(read_known(path).rows()) == set(known.rows())
