"""The record of what is known of pairs: its forms, what it refuses, and where pairs stand."""

from __future__ import annotations

import pickle
from typing import Any

import networkx as nx
import pytest

import bjp_engine as bjp
from bjp_engine.errors import OptionError
from bjp_engine.graph import to_adjacency
from bjp_engine.scores import KnownEdges


class TestRecord:
    def test_is_a_value(self) -> None:
        known = KnownEdges([("a", "b")], likely={("a", "c"): 0.3}, apart=[(["d"], ["e", "a"])])
        again = pickle.loads(pickle.dumps(known))
        assert (again, hash(again)) == (known, hash(known))
        assert again.rows() == (
            ("a", "b", "required"),
            ("a", "c", 0.3),
            ("d", "e", "forbidden"),
            ("d", "a", "forbidden"),
        )

    def test_a_group_apart_from_itself(self) -> None:
        known = KnownEdges(apart=[(["a", "b", "c"],) * 2])
        assert known.forbidden_pairs == (("a", "b"), ("a", "c"), ("b", "c"))

    def test_places(self) -> None:
        found = KnownEdges([("b", 0)]).on(("a", "b", "c"))
        assert (
            to_adjacency(
                nx.Graph([("a", "b")]), bjp.Dataset.from_codes([[0, 0, 0]], names=["a", "b", "c"])
            ).tolist()
            == found.required.tolist()
        )

    @pytest.mark.parametrize(
        ("arguments", "words"),
        [
            ({"required": [("a", "a")]}, "required pairs 'a' with itself"),
            ({"required": ["ab"]}, "required holds 'ab', which is not a pair"),
            ({"required": ("a", "b")}, r"give a list of pairs, such as \[\('a', 'b'\)\]"),
            ({"required": 3}, "required=3 must be a list"),
            ({"likely": {("a", "b"): 0}}, "likely says '0' of a pair"),
            ({"likely": {("a", "b"): "required"}}, "put that pair into required"),
            ({"likely": [("a", "b")]}, "two variables and a probability"),
            ({"apart": [("a", "b")]}, "not a pair of lists"),
            ({"required": [("a", "b")], "apart": [(["a"], ["b"])]}, "'a' and 'b' both"),
        ],
    )
    def test_no_record(self, arguments: dict[str, Any], words: str) -> None:
        with pytest.raises(OptionError, match=words):
            KnownEdges(**arguments)
