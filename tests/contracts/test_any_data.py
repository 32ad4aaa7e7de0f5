"""Every public function takes a frame and an array; every record is written on one line."""

import importlib
import pkgutil
import re
from dataclasses import fields, is_dataclass

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine import confidence, records
from bjp_engine.confidence import bootstrap, compare_all_groups
from bjp_engine.io import trace_json
from bjp_engine.parameters import count_given
from tests.contracts.recipes import case

# Of several types and kinds, all states seen in every row that a fold leaves out.
ROWS = np.array([[i & 1, (i // 2 & 1) ^ (i % 7 == 0), 3 * (i % 3), i // 5 % 2] for i in range(120)])
GRAPH = nx.Graph([(0, 1), (1, 2)])
FRAME = pd.DataFrame(ROWS)
DATA = bjp.Dataset.from_frame(FRAME)

CALLS = {
    "learn": bjp.learn,
    "all_graphs": lambda data: bjp.all_graphs(data, "mpl").best,
    "learn_all": lambda data: next(bjp.search.learn_all([data])),
    "score": lambda data: bjp.score(data, GRAPH),
    "independence_test": lambda data: bjp.independence_test(data, 0, 1, [2]),
    "classical_test": lambda data: bjp.classical.classical_test(data, 0, 1, [2]),
    "local_trace": lambda data: bjp.scores.local_trace(data, 0, [1]),
    "posterior_growth": lambda data: bjp.independence.posterior_growth(data, 0, 1, sizes=[0, 60]),
    "subsample": lambda data: bjp.independence.subsample(data, 30),
    "shuffle_columns": confidence.shuffle_columns,
    "bootstrap": lambda data: bootstrap(data, resamples=3),
    "compare_groups": lambda data: bjp.compare_groups(data, data, permutations=2).edges,
    "compare_all_groups": lambda data: (
        compare_all_groups({"a": data, "b": data}, permutations=2).table
    ),
    "edge_probabilities": bjp.edge_probabilities,
    "posterior_edges": confidence.posterior_edges,
    "fit_parameters": lambda data: bjp.fit_parameters(data, GRAPH).log_probability(data),
    "effects": lambda data: bjp.fit_parameters(data, GRAPH).effects(resamples=3),
    "count_given": lambda data: count_given(data, [0, 2], {1: "1"}),
    "conditional": lambda data: bjp.fit_parameters(DATA, GRAPH).conditional(data, 2),
}


def content(found):
    """A result as text that leaves out how long it took."""
    if isinstance(found, bjp.Dataset):
        return found.digest
    if isinstance(found, np.ndarray):
        return found.tolist()
    try:
        return [line for line in trace_json(found).split(", ") if '"seconds"' not in line]
    except TypeError:
        return str(found)


def test_a_frame_and_an_array_are_taken_as_the_dataset_is():
    for name, call in CALLS.items():
        with case(name):
            wanted = content(call(DATA))
            assert content(call(FRAME)) == wanted
            assert content(call(ROWS)) == wanted
            # What holds no rows is refused in one sentence.
            with pytest.raises(bjp.errors.DataError, match="of type str"):
                call("table.csv")


def test_what_holds_arrays_or_graphs_is_a_record():
    """Written on one line and locked in every copy: tests/engine/test_records.py."""
    kinds = []
    for module in {one.name for one in pkgutil.iter_modules(bjp.__path__)} - {"__main__"}:
        public = vars(importlib.import_module(f"bjp_engine.{module}"))
        kinds += filter(is_dataclass, map(public.get, public.get("__all__", ())))
    held = {kind: " ".join(str(field.type) for field in fields(kind)) for kind in kinds}
    large = [kind for kind, text in held.items() if re.search("Floats|Ints|Graph|Frame", text)]
    assert large
    assert not [kind for kind in large if kind.__repr__ is not records.one_line]


def test_a_notebook_shows_the_first_rows_and_no_markup_of_the_data():
    data = bjp.Dataset.from_frame(pd.DataFrame({"<b>x": ["<i>", "a"] * 9, "y": range(18)}))
    html = data._repr_html_()
    assert "&lt;b&gt;x (2)" in html
    assert "&lt;i&gt;" in html
    assert "<b>" not in html
    assert html.count("<tr") == 6
    assert "18 rows, 2 variables" in html
