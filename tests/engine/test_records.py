"""What all records share, and what watches a long computation."""

import copy
import pickle
from dataclasses import dataclass
from functools import partial
from itertools import product

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine.columns import Column, Table
from bjp_engine.confidence import bootstrap, posterior_edges
from bjp_engine.errors import Cancelled, OptionError
from bjp_engine.experiments import find_table, run
from bjp_engine.health import health
from bjp_engine.io import read_frame
from bjp_engine.parameters import fit_parameters, predict_variables
from bjp_engine.preparation import prepare
from bjp_engine.progress import UNWATCHED, Progress
from bjp_engine.records import record
from tests.refusals import assert_refused


@record
@dataclass(frozen=True, eq=False, slots=True)
class Slotted:
    name: str
    array: np.ndarray
    parts: tuple = ()
    graph: object = None


@record
@dataclass(frozen=True, eq=False)
class Plain:
    array: np.ndarray


def through_pickle(thing):
    return pickle.loads(pickle.dumps(thing))


def test_arrays_stay_locked_in_every_copy():
    for one in (Slotted("a", np.zeros(3), (np.ones(2),)), Plain(np.zeros((2, 2)))):
        for copied in (copy.copy, copy.deepcopy, through_pickle):
            other = copied(one)
            assert type(other) is type(one)
            np.testing.assert_array_equal(other.array, one.array)
            with pytest.raises(ValueError, match="read-only"):
                other.array[0] = 1
            assert not any(array.flags.writeable for array in getattr(other, "parts", ()))
    codes = np.zeros(3, dtype=np.int8)
    column = Column(["a"], codes)
    for array in (column.values, column.codes, through_pickle(column).codes):
        assert not array.flags.writeable
    assert codes.flags.writeable


def test_a_record_is_written_on_one_line():
    one = Slotted("two\nlines" * 40, np.zeros((3, 4)), tuple(range(9)), nx.path_graph(4))
    text = repr(one)
    assert text.startswith("Slotted(name='two\\nlines")
    assert "array=<3 × 4 float64>, parts=<tuple of 9>" in text
    column = Column(["a"], np.zeros(3, dtype=np.int8))
    for text in map(repr, (one, column, Table(3, {f"x{k}": column for k in range(3000)}))):
        assert ("\n" in text, len(text) <= 200) == (False, True), text
    assert repr(Slotted("a", np.zeros(1), (1, "b"), nx.path_graph(3))) == (
        "Slotted(name='a', array=<1 float64>, parts=(1, 'b'), graph=<3 nodes, 2 edges>)"
    )
    # Records that are built when looked at show how many there are.
    terms = bjp.score([[0, 1], [1, 0]], nx.path_graph(2)).terms
    assert repr(terms) == "<AssertionTerms of 2>"


@pytest.fixture
def data():
    return bjp.Dataset.from_codes([[0, 0, 1], [1, 1, 0]] * 20)


def test_every_long_call_takes_a_progress_and_nothing_else(data):
    path, frame = nx.path_graph(3), pd.DataFrame({"a": [1, 2], "b": [1, 1]})
    calls = (
        partial(bjp.learn, data),
        partial(bjp.all_graphs, data),
        partial(bjp.search.learn_all, [data]),
        partial(bootstrap, data),
        partial(posterior_edges, data),
        partial(fit_parameters, data, path),
        fit_parameters(data, path).effects,
        partial(predict_variables, data, path),
        partial(prepare, frame),
        partial(health, frame),
        partial(read_frame, b"a,b\n1,2\n"),
        partial(run, find_table("table-4"), "never-made"),
    )
    sentence = r"^progress is of type .* bjp_engine\.Progress, .*\.$"
    for call, progress in product(calls, (5, print, None, True, "yes")):
        assert_refused(OptionError, sentence, call, progress=progress)
    # What it calls can be called.
    for name, wrong in product(("report", "cancelled"), (5, "print", True)):
        sentence = rf"^{name}='.*' must be a function, or None\.$"
        assert_refused(OptionError, sentence, Progress, **{name: wrong})


def test_what_is_reported(data):
    seen = []
    progress = Progress(lambda *now: seen.append(now), lambda: True)
    # A quiet one can be cancelled and reports nothing.
    with pytest.raises(Cancelled):
        progress.quiet.tick(1, 2)
    assert seen == []
    progress.finish(2)
    assert seen == [(2, 2)]
    assert Progress(print).quiet is UNWATCHED
    # The last report of all graphs is of all.
    for method in ("bjp", "ib", "mpl", "near"):
        seen.clear()
        bjp.all_graphs(data, method, progress=Progress(progress.report))
        assert (seen[-1], (0, 8) in seen) == ((8, 8), True), method
