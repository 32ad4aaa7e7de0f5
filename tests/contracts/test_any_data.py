"""Every public function takes a frame and an array; every record is written on one line."""

import copy
import pickle
from dataclasses import fields

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine import confidence
from bjp_engine.confidence import bootstrap, compare_all_groups
from bjp_engine.io import trace_json
from bjp_engine.parameters import count_given, cross_validate, held_out, impute
from tests.contracts.recipes import case

# Of several types and kinds, all states seen in every row that a fold leaves out.
ROWS = np.array([[i & 1, (i // 2 & 1) ^ (i % 7 == 0), 3 * (i % 3), i // 5 % 2] for i in range(120)])
GRAPH = nx.Graph([(0, 1), (1, 2)])
FRAME = pd.DataFrame(ROWS)
DATA = bjp.Dataset.from_frame(FRAME)

CALLS = {
    "learn": bjp.learn,
    "iter_steps": lambda data: [step.gain for step in bjp.iter_steps(data)],
    "all_graphs": lambda data: bjp.all_graphs(data, "mpl").best,
    "learn_all": lambda data: bjp.search.learn_all([data])[0],
    "score": lambda data: bjp.score(data, GRAPH),
    "independence_test": lambda data: bjp.independence_test(data, 0, 1, [2]),
    "classical_test": lambda data: bjp.classical.classical_test(data, 0, 1, [2]),
    "local_trace": lambda data: bjp.scores.local_trace(data, 0, [1]),
    "posterior_growth": lambda data: bjp.growth.posterior_growth(data, 0, 1, sizes=[0, 60]),
    "subsample": lambda data: bjp.growth.subsample(data, 30),
    "shuffle_columns": confidence.shuffle_columns,
    "bootstrap": lambda data: bootstrap(data, resamples=3),
    "compare_groups": lambda data: bjp.compare_groups(data, data, permutations=2).edges,
    "compare_all_groups": lambda data: (
        compare_all_groups({"a": data, "b": data}, permutations=2).table
    ),
    "test_confidence": lambda data: confidence.test_confidence(data, GRAPH),
    "edge_probabilities": bjp.edge_probabilities,
    "posterior_edges": lambda data: confidence.posterior_edges(data, how="exact"),
    "fit_parameters": lambda data: bjp.fit_parameters(data, GRAPH).log_probability(data),
    "effects": lambda data: bjp.fit_parameters(data, GRAPH).effects(resamples=3),
    "cross_validate": lambda data: cross_validate(data, {"a": GRAPH}, 2).values,
    "count_given": lambda data: count_given(data, [0, 2], {1: "1"}),
    "held_out": lambda data: held_out(GRAPH, data, data).values,
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


def test_a_network_takes_columns_in_any_order():
    network = bjp.fit_parameters(DATA, GRAPH)
    other = DATA.select([3, 2, 1, 0])
    np.testing.assert_array_equal(network.conditional(other, 2), network.conditional(DATA, 2))


def change_of(before, after):
    return bjp.scores.score_change(bjp.score(DATA, before), bjp.score(DATA, after))


RECORDS = {
    "Dataset": lambda: DATA,
    "TestTrace": lambda: bjp.independence_test(DATA, 0, 1, [2]),
    "Slice": lambda: bjp.independence_test(DATA, 0, 1, [2]).slices[0],
    "TestOptions": bjp.independence.TestOptions,
    "ClassicalTrace": lambda: bjp.classical.classical_test(DATA, 0, 1, [2]),
    "ClassicalSlice": lambda: bjp.classical.classical_test(DATA, 0, 1, [2]).slices[0],
    "GrowthTrace": lambda: bjp.growth.posterior_growth(DATA, 0, 1, sizes=[0, 60]),
    "NetworkInfo": lambda: bjp.networks.describe("karate"),
    "Confusion": lambda: bjp.metrics.confusion(nx.path_graph(40), nx.star_graph(39)),
    "MarkovModel": lambda: bjp.sampling.random_model(nx.path_graph(9)),
    "Factor": lambda: bjp.sampling.random_model(nx.path_graph(9)).factors[0],
    "FittedNetwork": lambda: bjp.fit_parameters(DATA, GRAPH),
    "HeldOut": lambda: held_out(GRAPH, DATA, DATA),
    "Imputed": lambda: impute(FRAME),
    "Comparison": lambda: cross_validate(DATA, {"a": GRAPH, "b": nx.Graph()}, 2),
    "Prepared": lambda: bjp.preparation.prepare(FRAME.astype(str), bjp.preparation.Preparation()),
    "HealthReport": lambda: bjp.health.health(FRAME),
    "ScoreTrace": lambda: bjp.score(DATA, GRAPH),
    "AssertionTerm": lambda: bjp.score(DATA, GRAPH).terms[0],
    "LocalTerm": lambda: bjp.score(DATA, GRAPH, "mpl").terms[0],
    "LocalTrace": lambda: bjp.scores.local_trace(DATA, 0, [1]),
    "LocalSlice": lambda: bjp.scores.local_trace(DATA, 0, [1]).slices[0],
    "ScoreChange": lambda: change_of(nx.Graph([(0, 1)]), GRAPH),
    "TermChange": lambda: change_of(nx.Graph([(0, 1)]), GRAPH).terms[0],
    "SparedTests": lambda: bjp.scores.spared_tests(
        bjp.score(DATA, GRAPH), bjp.score(DATA, GRAPH, "ib")
    ),
    "StructurePrior": lambda: bjp.scores.StructurePrior(expected_degree=2.0),
    "SearchTrace": lambda: bjp.learn(DATA, search="annealing", sweeps=9),
    "Step": lambda: bjp.learn(DATA, search="ibmap-hc").steps[0],
    "GraphTable": lambda: bjp.all_graphs(DATA),
    "EdgeConfidence": lambda: bootstrap(DATA, resamples=3),
    "GroupComparison": lambda: bjp.compare_groups(DATA, DATA, permutations=2),
    "GroupComparisons": lambda: compare_all_groups({"a": DATA, "b": DATA}, permutations=2),
    "Edge": lambda: confidence.test_confidence(DATA, GRAPH).of(0, 1),
    "TableReport": lambda: bjp.io.read_frame(b"a,b\n1,2\n")[1],
    "VariableHealth": lambda: bjp.health.health(FRAME).variables[0],
}


def test_a_record_is_written_on_one_line_and_its_arrays_stay_locked_in_copies():
    for name, make in RECORDS.items():
        with case(name):
            one = make()
            assert type(one).__name__ == name
            assert "\n" not in repr(one)
            assert len(repr(one)) <= 200
            assert repr(one).startswith(name)
            for other in (copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
                arrays = [getattr(other, field.name) for field in fields(other)]
                assert not any(a.flags.writeable for a in arrays if isinstance(a, np.ndarray))


def test_a_notebook_shows_the_first_rows_and_no_markup_of_the_data():
    data = bjp.Dataset.from_frame(pd.DataFrame({"<b>x": ["<i>", "a"] * 9, "y": range(18)}))
    html = data._repr_html_()
    assert "&lt;b&gt;x (2)" in html
    assert "&lt;i&gt;" in html
    assert "<b>" not in html
    assert html.count("<tr") == 6
    assert "18 rows, 2 variables" in html
