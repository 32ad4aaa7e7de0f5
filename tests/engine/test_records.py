"""What all records share: one line of `repr`, and arrays that no copy unlocks."""

import copy
import pickle
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.columns import Column, Table
from bjp_engine.records import record


@record
@dataclass(frozen=True, eq=False, slots=True)
class Slotted:
    name: str
    array: np.ndarray[Any, Any]
    parts: tuple[Any, ...] = ()
    graph: Any = None


@record
@dataclass(frozen=True, eq=False)
class Plain:
    array: np.ndarray[Any, Any]


def test_arrays_stay_locked_in_every_copy():
    for one in (Slotted("a", np.zeros(3), (np.ones(2),)), Plain(np.zeros((2, 2)))):
        for copied in (copy.copy, copy.deepcopy, lambda same: pickle.loads(pickle.dumps(same))):
            other = copied(one)
            assert type(other) is type(one)
            np.testing.assert_array_equal(other.array, one.array)
            with pytest.raises(ValueError, match="read-only"):
                other.array[0] = 1
            for array in getattr(other, "parts", ()):
                assert not array.flags.writeable


def test_a_record_is_written_on_one_line():
    one = Slotted("two\nlines" * 40, np.zeros((3, 4)), tuple(range(9)), nx.path_graph(4))
    text = repr(one)
    assert text.startswith("Slotted(name='two\\nlines")
    assert "\n" not in text
    assert len(text) <= 200
    assert "array=<3 × 4 float64>, parts=<tuple of 9>" in text
    assert repr(Slotted("a", np.zeros(1), (1, "b"), nx.path_graph(3))) == (
        "Slotted(name='a', array=<1 float64>, parts=(1, 'b'), graph=<3 nodes, 2 edges>)"
    )


def test_a_table_prints_on_one_line_and_its_columns_are_locked():
    codes = np.zeros(3, dtype=np.int8)
    column = Column(["a"], codes)
    table = Table(3, {f"x{k}": column for k in range(3000)})
    for one in (table, column):
        assert "\n" not in repr(one)
        assert len(repr(one)) < 200
    for array in (column.values, column.codes, pickle.loads(pickle.dumps(column)).codes):
        assert not array.flags.writeable
    assert codes.flags.writeable
    # Records that are built when looked at show how many there are.
    terms = bjp.score([[0, 1], [1, 0]], nx.path_graph(2)).terms
    assert repr(terms) == "<AssertionTerms of 2>"
