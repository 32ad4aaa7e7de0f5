"""Files about pairs: verdicts by one rule, in tables and at edges, and what is known of pairs."""

import io
import json
from itertools import product

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine.confidence.edges import EdgeConfidence
from bjp_engine.errors import DataError, GraphError, OptionError
from bjp_engine.io import (
    GRAPH_FORMATS,
    graph_bytes,
    pair_csv,
    read_graph,
    read_known,
    trace_json,
)
from bjp_engine.io.graphs import encode_csv
from tests.refusals import assert_refused

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


def verdict(x, y):
    """By hand, with the thresholds 0.9 and 0.1."""
    if {x, y} == {"a", "ä"}:
        return "not judged"
    p = PROBABILITIES.get((x, y)) or PROBABILITIES[y, x]
    return "present" if p >= 0.9 else "absent" if p <= 0.1 else "undecided"


def test_every_pair_has_its_own_verdict():
    content = encode_csv(pair_csv(confidence(), GRAPH))
    table = pd.read_csv(io.BytesIO(content), encoding="utf-8-sig")
    assert set(table["probability_kind"]) == {"calibrated"}
    assert table["probability"].is_monotonic_decreasing
    found = {
        (row.x.lstrip("'"), row.y.lstrip("'")): (row.probability, row.verdict, row.edge)
        for row in table.itertuples()
    }
    assert found == {
        pair: (p, verdict(*pair), "yes" if GRAPH.has_edge(*pair) else "no")
        for pair, p in PROBABILITIES.items()
    }
    # Only calibrated numbers have them.
    other = confidence("exact")
    for text in (pair_csv(other, GRAPH), graph_bytes(GRAPH, "csv", other).decode()):
        assert "verdict" not in text
        assert "present_from" not in text


def as_others_read(content, form):
    """Each edge of a file with all that the file says of it and of the graph."""
    if form == "csv":
        table = pd.read_csv(io.BytesIO(content), encoding="utf-8-sig", dtype=str)
        rows = table.dropna(subset="target").to_dict("records")
        return [(*(row[end].lstrip("'") for end in ("source", "target")), row) for row in rows]
    if form == "json":
        held = json.loads(content)
        edges, _ = held.pop("edges"), held.pop("nodes")
        return [
            (*edge, {n: v[k] if isinstance(v, list) else v for n, v in held.items()})
            for k, edge in enumerate(edges)
        ]
    read = nx.read_graphml(io.BytesIO(content))
    return [(x, y, {**read.graph, **fields}) for x, y, fields in read.edges(data=True)]


def test_every_edge_of_a_file_has_its_own_verdict():
    for form in GRAPH_FORMATS:
        content = graph_bytes(GRAPH, form, confidence())
        again = read_graph(content, form)
        assert {*map(frozenset, again.edges)} == {*map(frozenset, GRAPH.edges)}, form
        edges = as_others_read(content, form)
        assert len(edges) == 3, form
        for x, y, fields in edges:
            assert fields["verdict"] == verdict(x, y), form
            bounds = (float(fields["present_from"]), float(fields["absent_up_to"]))
            assert bounds == (0.9, 0.1), form


def test_other_variables_are_refused():
    assert_refused(GraphError, "other variables", pair_csv, confidence(), nx.Graph([("a", "z")]))
    assert_refused(OptionError, r"^confidence is of type str", pair_csv, "calibrated", GRAPH)


EFFECTS_GRAPH = nx.Graph([("b", "a"), ("b", 7)])


@pytest.fixture(scope="module")
def data():
    codes = np.random.default_rng(3).integers(0, [2, 2, 3], (50, 3))
    return bjp.Dataset.from_codes(codes, [2, 2, 3], ["a", "b", 7])


@pytest.fixture(scope="module")
def effects(data):
    return bjp.fit_parameters(data, EFFECTS_GRAPH).effects(resamples=5)


def test_every_format_bears_effects(data, effects):
    sure = bjp.confidence.confidence_of_tests(bjp.score(data, EFFECTS_GRAPH))
    records = effects.to_dict("records")
    rows = {frozenset((str(row["x"]), str(row["y"]))): row for row in records}
    for form, more in product(GRAPH_FORMATS, ((), (sure,))):
        content = graph_bytes(EFFECTS_GRAPH, form, *more, effects=effects)
        edges = as_others_read(content, form)
        assert len(edges) == len(effects), form
        for x, y, fields in edges:
            row = rows[frozenset((str(x), str(y)))]
            found = (
                fields["effect_kind"],
                *(float(fields[f"effect{part}"]) for part in ("", "_low", "_high")),
            )
            assert found == (row["kind"], row["effect"], row["low"], row["high"]), form
            assert ("probability" in fields) == bool(more), form
        # They are left out when read.
        ends = {frozenset(map(str, edge)) for edge in read_graph(content, form).edges}
        assert ends == {frozenset("ab"), frozenset("b7")}, form
    trace = json.loads(trace_json(bjp.score(data, EFFECTS_GRAPH), effects=effects))
    assert trace["effects"] == records
    # In a table of all pairs they stand at the edges.
    pairs = pair_csv(bjp.edge_probabilities(data), EFFECTS_GRAPH, effects=effects)
    table = pd.read_csv(io.StringIO(pairs))
    names = ["effect", "effect_low", "effect_high"]
    found = table[table["edge"] == "yes"].sort_values("effect")[names].to_numpy()
    wanted = effects.sort_values("effect")[["effect", "low", "high"]].to_numpy()
    np.testing.assert_allclose(found, wanted, rtol=1e-12)
    assert table[table["edge"] == "no"][[*names, "effect_kind"]].isna().all(axis=None)
    # Those of another graph or none are refused.
    other, trace = nx.Graph([("a", 7)]), bjp.score(data, EFFECTS_GRAPH)
    about = "lack the edge 'a' - '7'"
    assert_refused(GraphError, about, graph_bytes, other, "csv", effects=effects)
    about, wrong = "not a table of effects", ({"low": np.nan}, {"high": "=1"}, {"kind": "=1"})
    for table in (5, pd.DataFrame({"x": [1]}), *(effects.assign(**one) for one in wrong)):
        assert_refused(OptionError, about, graph_bytes, EFFECTS_GRAPH, "csv", effects=table)
        assert_refused(OptionError, about, trace_json, trace, effects=table)


class TestKnown:
    names = ("a", "b", "c", "d", 7)

    def test_pairs_are_read(self):
        for text in (
            "a,b,required\nb,c,forbidden\na,7,0.25\n",
            "x,y,known\na,b,required\n\nb,c,Forbidden\na,7,.25",
            "\ufeffX,Y,known\r\n a , b , required \r\nb,c,forbidden\r\na,7,0.25\r\n",
            'a,b,required\n"b","c",forbidden\na,7,2.5e-1\na,b,required\n',
        ):
            rows = read_known(text.encode(), self.names).rows()
            assert rows == (("a", "b", "required"), ("b", "c", "forbidden"), ("a", 7, 0.25)), text
        # The header is x, y, known, also where names are not known.
        assert read_known(b"x,y,known\na,b,required").required == (("a", "b"),)
        assert_refused(DataError, "line 1", read_known, b"from,to,what\na,b,required")

    def test_what_is_refused_names_the_line(self, tmp_path):
        for text, words in (
            ("a,b,required\na,z,forbidden\n", "The file, line 2: There is no variable 'z'"),
            ("a,b,requird\n", "The file, line 1: known says 'requird' of a pair"),
            # Only the first line may be one of names.
            ("x,y,known\nu,v,requird\n", "The file, line 2: There is no variable 'u'"),
            ("a,a,required\n", "The file, line 1: known pairs 'a' with itself"),
            ("a,b\n", "The file, line 1: it has 2 cells"),
            ("a,b,required\na,c,1\n", "The file, line 2: known says '1'"),
            ("a,b,nan\n", "The file, line 1: known says 'nan'"),
            ('a,b,"required\n', "Line 1 opens a quotation mark that is never closed"),
        ):
            assert_refused(DataError, words, read_known, text.encode(), self.names)
        twice = b"x,y,known\na,b,required\n\nb,a,0.5\n"
        assert_refused(OptionError, "'b' and 'a' both 'required'", read_known, twice, self.names)
        western = "ä,b,required".encode("latin-1")
        assert_refused(DataError, "The file is not UTF-8", read_known, western)
        assert_refused(DataError, r"no file 'none\.csv'", read_known, tmp_path / "none.csv")
