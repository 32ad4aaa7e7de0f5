"""Traces as JSON: everything in them, every float to its last bit, and nothing that isn't JSON."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field, fields
from enum import Enum, IntEnum, StrEnum
from types import MappingProxyType
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.confidence import bootstrap, compare_all_groups, posterior_edges
from bjp_engine.errors import DataError
from bjp_engine.io import comparison_json, read_graph, trace_json
from bjp_engine.scores import KnownEdges
from bjp_engine.search import PUBLISHED
from tests.strategies import Sample, random_sample

SAMPLE: Sample = random_sample(7, (2, 3, 2, 4, 3), 90)
NAMES = ("a", 'b"<&>', 7, "größe", "=1+1")
DATA = bjp.Dataset.from_codes(SAMPLE.data.codes, SAMPLE.cards, NAMES)


def refuse_constant(text: str) -> None:
    raise AssertionError(f"{text} is no JSON")


def read(trace: object) -> dict[str, Any]:
    text = trace_json(trace)
    assert text.isascii()
    assert text == trace_json(trace)
    content: dict[str, Any] = json.loads(text, parse_constant=refuse_constant)
    assert list(content)[:2] == ["type", "engine"]
    assert content["type"] == type(trace).__name__
    assert content["engine"] == bjp.__version__
    names = [entry.name for entry in fields(trace) if not entry.name.startswith("_")]
    assert list(content)[2 : 2 + len(names)] == names
    return content


class TestTests:
    def test_every_intermediate(self) -> None:
        trace = bjp.independence_test(DATA, "a", 7, ["größe", "=1+1"])
        content = read(trace)
        assert content["log_independent"] == trace.log_independent
        assert content["log_dependent"] == trace.log_dependent
        options = {"prior": 0.5, "gamma": 1.0, "slices": "all", "prior_cells": "equal"}
        assert content["options"] == options
        assert (content["x"], content["y"]) == ("a", 7)
        assert content["given"] == ["größe", "=1+1"]
        assert len(content["slices"]) == len(trace.slices)
        for found, part in zip(content["slices"], trace.slices, strict=True):
            assert found["counts"] == part.counts.tolist()
            assert found["configuration"] == list(part.configuration)
            assert found["log_g"] == part.log_g
            assert found["log_h"] == part.log_h
            assert found["rows"] == part.rows
        assert content["log_configurations"] == trace.log_configurations

    def test_more_configurations_than_a_float_can_count(self) -> None:
        wide = random_sample(3, (30,) * 120, 40)
        trace = bjp.independence_test(wide.data, 0, 1, range(2, 120))
        assert read(trace)["configurations"] == 30**118


class TestScores:
    @pytest.mark.parametrize("method", ["bjp", "ib", "mpl"])
    def test_totals_and_terms_to_the_last_bit(self, method: str) -> None:
        graph = nx.Graph([("a", 7), ("größe", 7)])
        trace = bjp.score(DATA, graph, method)
        content = read(trace)
        assert content["total"] == trace.total
        assert content["total"] == math.fsum(term["value"] for term in content["terms"])
        assert [term["value"] for term in content["terms"]] == [t.value for t in trace.terms]
        assert content["order"] == list(trace.order)
        assert content["graph"]["nodes"] == list(NAMES)
        if method != "mpl":
            computed = [term["computed"] for term in content["terms"]]
            assert computed == [term.computed for term in trace.terms]


class TestSearches:
    @pytest.mark.parametrize("method", ["bjp", "ib", "mpl"])
    def test_every_step(self, method: str) -> None:
        trace = bjp.learn(DATA, method, PUBLISHED[method])
        content = read(trace)
        assert content["score"] == trace.score
        assert content["stop_reason"] == trace.stop_reason.value
        assert [step["gain"] for step in content["steps"]] == [step.gain for step in trace.steps]
        assert [tuple(step["edge"]) for step in content["steps"]] == [s.edge for s in trace.steps]
        assert (content["rejected"] is None) == (trace.rejected is None)
        for found, step in zip(content["steps"], trace.steps, strict=True):
            assert len(found["contributions"]) == len(step.contributions)

    def test_the_learned_graph_can_be_read_from_it(self) -> None:
        trace = bjp.learn(DATA, "bjp", search="ibmap-hc")
        graph = read_graph(trace_json(trace).encode(), "json")
        assert list(graph) == list(NAMES)
        assert {frozenset(edge) for edge in graph.edges} == {
            frozenset(edge) for edge in trace.graph.edges
        }

    def test_exhaustive(self) -> None:
        trace = bjp.learn(random_sample(1, (2, 2, 2), 40).data, "bjp", "exhaustive")
        assert read(trace)["score"] == trace.score


class Colour(Enum):
    RED = "red"


class Mood(StrEnum):
    GOOD = "good"


class Level(IntEnum):
    LOW = 1


@dataclass(frozen=True)
class Part:
    value: object
    _hidden: int = 3

    @property
    def double(self) -> float:
        return 2.0

    @property
    def table(self) -> list[int]:
        return [1]


@dataclass(frozen=True)
class Whole:
    parts: tuple[Part, ...] = ()
    extra: dict[object, object] = field(default_factory=dict)


class TestTheEncoder:
    @pytest.mark.parametrize(
        ("value", "wanted"),
        [
            (None, None),
            (True, True),
            (np.True_, True),
            (np.int64(3), 3),
            (np.uint8(3), 3),
            (np.float64(0.1), 0.1),
            (np.float32(0.5), 0.5),
            ("größe", "größe"),
            (np.str_("x"), "x"),
            (Colour.RED, "red"),
            (Mood.GOOD, "good"),
            (Level.LOW, 1),
            ((1, [2.5, "x"]), [1, [2.5, "x"]]),
            (range(3), [0, 1, 2]),
            (frozenset({"b", "a"}), ["a", "b"]),
            (np.array([[1, 2], [3, 4]]), [[1, 2], [3, 4]]),
            (np.array(5.0), 5.0),
            ({"k": (1,), 2: None}, {"k": [1], "2": None}),
            (MappingProxyType({"k": 1}), {"k": 1}),
            (nx.freeze(nx.Graph([(1, "b")])), {"nodes": [1, "b"], "edges": [[1, "b"]]}),
        ],
    )
    def test_values(self, value: object, wanted: object) -> None:
        part = read(Whole((Part(value),)))["parts"][0]
        assert part == {"value": wanted, "double": 2.0}
        assert type(part["value"]) is type(wanted)

    def test_data_are_told_by_their_digest(self) -> None:
        found = read(Whole((Part(DATA),)))["parts"][0]["value"]
        assert found == {"digest": DATA.digest, "rows": 90, "names": list(NAMES)}

    @pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float64("nan")])
    def test_what_is_not_finite_is_refused(self, value: float) -> None:
        for content in (value, (1.0, value), np.array([value]), {"k": value}):
            with pytest.raises(DataError, match="finite"):
                trace_json(Part(content))

    @pytest.mark.parametrize("value", [object(), 1j, Part, lambda: None])
    def test_what_json_cannot_hold_is_refused(self, value: object) -> None:
        with pytest.raises(TypeError, match="JSON"):
            trace_json(Part(value))

    @pytest.mark.parametrize("value", [1, "text", {}, Part, None])
    def test_what_is_no_trace(self, value: object) -> None:
        with pytest.raises(TypeError, match="not a trace"):
            trace_json(value)

    @given(st.lists(st.floats(allow_nan=False, allow_infinity=False)))
    def test_floats_to_the_last_bit(self, numbers: list[float]) -> None:
        again = read(Part(numbers))["value"]
        assert [x.hex() for x in again] == [x.hex() for x in numbers]
        assert read(Part(np.array(numbers)))["value"] == numbers

    @given(st.text())
    def test_text_exactly(self, text: str) -> None:
        assert read(Part(text))["value"] == text


@pytest.mark.parametrize("form", ["record", "mapping", "table"])
def test_what_is_known_is_written_in_any_form(form: str) -> None:
    rows = np.random.default_rng(2).integers(0, 2, (80, 3))
    data = bjp.Dataset.from_codes(rows, [2, 2, 2], ["a", "b", "c"])
    mapping = {("a", "c"): "required", ("b", "c"): 0.2}
    known: Any = {
        "record": KnownEdges(required=[("a", "c")], likely={("b", "c"): 0.2}),
        "mapping": mapping,
        "table": pd.DataFrame([(*pair, what) for pair, what in mapping.items()]),
    }[form]
    wanted = {"required": [["a", "c"]], "likely": [["b", "c", 0.2]], "forbidden": [], "apart": []}
    trace = bjp.learn(data, known=known)
    chains = {"how": "mcmc", "draws": 8, "chains": 2}
    for sure in (
        bootstrap(data, resamples=2, known=known),
        posterior_edges(data, known=known),
        posterior_edges(data, known=known, **chains),
    ):
        assert sure.options["known"] == KnownEdges.of(known)
        found = json.loads(trace_json(trace, sure))["confidence"]["options"]["known"]
        assert {name: found[name] for name in wanted} == wanted
    groups = {"x": data.take(np.arange(40)), "y": data.take(np.arange(40, 80))}
    compared = compare_all_groups(groups, permutations=2, known=known)
    (pair,) = json.loads(comparison_json(compared))["pairs"]
    assert {name: pair["options"]["known"][name] for name in wanted} == wanted
