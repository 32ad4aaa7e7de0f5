"""Traces as JSON: everything in them, every float to its last bit, and nothing that isn't JSON."""

import json
import math
from dataclasses import dataclass, fields
from enum import Enum, IntEnum, StrEnum
from types import MappingProxyType

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.confidence import bootstrap, posterior_edges
from bjp_engine.errors import DataError
from bjp_engine.io import read_graph, trace_json
from bjp_engine.scores import KnownEdges
from bjp_engine.search import PUBLISHED
from tests.refusals import assert_refused
from tests.strategies import random_sample

NAMES = ("a", 'b"<&>', 7, "größe", "=1+1")


@pytest.fixture(scope="module")
def data():
    sample = random_sample(7, (2, 3, 2, 4, 3), 90)
    return bjp.Dataset.from_codes(sample.data.codes, sample.cards, NAMES)


def read(trace):
    text = trace_json(trace)
    assert text.isascii()
    assert not set("<>&") & set(text)
    assert text == trace_json(trace)
    content = json.loads(text, parse_constant=lambda text: pytest.fail(f"{text} is no JSON"))
    names = [entry.name for entry in fields(trace) if not entry.name.startswith("_")]
    assert list(content)[: 2 + len(names)] == ["type", "engine", *names]
    assert (content["type"], content["engine"]) == (type(trace).__name__, bjp.__version__)
    return content


def test_scores_and_every_step_of_searches(data):
    for method in ("bjp", "ib", "mpl"):
        trace = bjp.score(data, nx.Graph([("a", 7), ("größe", 7)]), method)
        content = read(trace)
        assert content["total"] == math.fsum(term["value"] for term in content["terms"])
        trace = bjp.learn(data, method, PUBLISHED[method])
        graph = read_graph(trace_json(trace).encode(), "json")
        assert list(graph) == list(NAMES)
        assert {*map(frozenset, graph.edges)} == {*map(frozenset, trace.graph.edges)}, method
    trace = bjp.learn(random_sample(1, (2, 2, 2), 40).data, "bjp", "exhaustive")
    assert read(trace)["score"] == trace.score


Colour = Enum("Colour", {"RED": "red"})
Mood = StrEnum("Mood", {"GOOD": "good"})
Level = IntEnum("Level", {"LOW": 1})


@dataclass(frozen=True)
class Part:
    value: object
    _hidden: int = 3

    @property
    def double(self):
        return 2.0

    @property
    def table(self):
        return [1]


def test_how_values_are_written(data):
    for value, wanted in (
        # More configurations than a float can count.
        (30**118, 30**118),
        *((None, None), (True, True), (np.True_, True), (np.int64(3), 3), (np.uint8(3), 3)),
        *((np.float64(0.1), 0.1), (np.float32(0.5), 0.5), ("größe", "größe"), (np.str_("x"), "x")),
        *((Colour.RED, "red"), (Mood.GOOD, "good"), (Level.LOW, 1), (np.array(5.0), 5.0)),
        *(((1, [2.5, "x"]), [1, [2.5, "x"]]), (range(3), [0, 1, 2])),
        (frozenset({"b", "a"}), ["a", "b"]),
        (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
        ({"k": (1,), 2: None}, {"k": [1], "2": None}),
        (MappingProxyType({"k": 1}), {"k": 1}),
        (nx.freeze(nx.Graph([(1, "b")])), {"nodes": [1, "b"], "edges": [[1, "b"]]}),
        # Data are named by their digest.
        (data, {"digest": data.digest, "rows": 90, "names": list(NAMES)}),
    ):
        part = read(Part((Part(value),)))["value"][0]
        assert part == {"value": wanted, "double": 2.0}
        assert type(part["value"]) is type(wanted)
    for value in (math.nan, math.inf, -math.inf, np.float64("nan")):
        for content in (value, (1.0, value), np.array([value]), {"k": value}):
            assert_refused(DataError, "finite", trace_json, Part(content))
    for value in (object(), 1j, Part, lambda: None):
        assert_refused(TypeError, "JSON", trace_json, Part(value))
    for value in (1, "text", {}, Part, None):
        assert_refused(TypeError, "not a trace", trace_json, value)


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False)), st.text())
def test_floats_to_the_last_bit_and_text_exactly(numbers, text):
    again = read(Part(numbers))["value"]
    assert [x.hex() for x in again] == [x.hex() for x in numbers]
    assert read(Part(np.array(numbers)))["value"] == numbers
    assert read(Part(text))["value"] == text


def test_what_is_known_is_written_in_any_form():
    data = bjp.Dataset.from_codes(np.random.default_rng(2).integers(0, 2, (80, 3)), names=[*"abc"])
    mapping = {("a", "c"): "required", ("b", "c"): 0.2}
    wanted = {"required": [["a", "c"]], "likely": [["b", "c", 0.2]], "forbidden": []}
    for known in (KnownEdges([("a", "c")], likely={("b", "c"): 0.2}), mapping):
        trace = bjp.learn(data, known=known)
        for sure in (bootstrap(data, resamples=2, known=known), posterior_edges(data, known=known)):
            found = json.loads(trace_json(trace, sure))["confidence"]["options"]["known"]
            assert {name: found[name] for name in wanted} == wanted
