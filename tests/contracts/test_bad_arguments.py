"""Whatever is given for an argument, what is raised is one sentence of the engine's own."""

from concurrent.futures import Executor

import networkx as nx
import numpy as np
import pandas as pd

import bjp_engine as bjp
from bjp_engine import (
    classical,
    confidence,
    experiments,
    health,
    independence,
    io,
    metrics,
    networks,
    paper,
    parameters,
    preparation,
    sampling,
    scores,
)
from bjp_engine.errors import BJPError

BAD = {
    "None": lambda: None,
    "5": lambda: 5,
    "'x'": lambda: "x",
    "[]": list,
    "an empty frame": pd.DataFrame,
    "a set": lambda: {1, 2},
    "a generator": lambda: (i for i in range(2)),
}


def calls(folder):
    """Good calls, in which one argument after another is replaced: positions and keywords."""
    data = bjp.Dataset.from_codes(np.random.default_rng(0).integers(0, 2, (40, 3)))
    graph, frame = nx.path_graph(3), data.to_frame()
    model = sampling.random_model(graph, seed=1)
    network = parameters.fit_parameters(data, graph)
    learner = bjp.BlanketLearner().fit(frame)
    both = bjp.compare_groups(data, data, permutations=1, n_jobs=1)
    table = experiments.resize(experiments.find_table("table-1"), networks=["target-1"], rows=[250])
    one = experiments.resize(table, distributions=1, samples=1)
    shipped = experiments.read_results(bjp.resources.sample_data("paper", "results.parquet"))
    results = shipped.where(network="target-1", rows=250)

    counted = frame.assign(count=1)
    counted.to_csv(folder / "counted.csv", index=False)
    yield from (
        (bjp.Dataset.from_frame, (counted,), {"missing": "error", "weights": "count"}),
        (bjp.read_table, (folder / "counted.csv",), {"weights": "count"}),
        (bjp.Dataset.from_codes, (data.codes,), {"names": [0, 1, 2], "ordered": [1]}),
        (learner.fit, (frame,), {"sample_weight": [1] * 40}),
        (parameters.impute, (frame, 2), {"seed": 0, "rounds": 1, "n_jobs": 1}),
        (bjp.score, (data, graph, "bjp"), {}),
        (
            bjp.independence_test,
            (data, 0, 1, [2]),
            {"prior": 0.5, "gamma": 1.0, "slices": "all", "prior_cells": "centred"},
        ),
        (
            parameters.fit_parameters,
            (data, graph),
            {"estimate": "likelihood", "ess": 1.0, "ridge": 1.0},
        ),
        (parameters.predict_variables, (data, graph, 2, 0), {"estimate": "auto", "ridge": 1.0}),
        (network.conditional, (data, 0), {}),
        (network.effects, (0.9,), {"resamples": 2, "seed": 0, "ordered": [0]}),
        (network.log_conditional, (data,), {}),
        (network.log_probability, (data,), {}),
        (network.query, (0, {1: "0"}), {"method": "gibbs", "rows": 100, "seed": 0}),
        (network.query, (0, {1: {"0": 1, "1": 2}}), {"method": "exact"}),
        (network.most_probable, ({1: "0"},), {}),
        (network.leave_one_out, (0, {1: "0"}), {}),
        (parameters.count_given, (data, 0, {1: "0"}), {}),
        (sampling.random_model, (graph, "log-odds", 0), {"states": 2, "epsilon": 1.0}),
        (sampling.Factor, ((0, 1), np.zeros((2, 2))), {}),
        (sampling.MarkovModel, (model.names, model.cardinalities, model.factors), {}),
        (model.sample, (5, 0, "exact"), {"burn_in": 10, "sweeps": 10}),
        (model.log_weight, (data.codes,), {}),
        (networks.load, ("scale-free-1",), {"labelled": False}),
        (metrics.hamming, (graph, graph), {}),
        (metrics.confusion, (graph, graph), {}),
        (metrics.total_irregularity, (graph,), {}),
        (metrics.edge_irregularity, (graph,), {}),
        (learner.fit, (frame,), {}),
        (learner.score, (frame,), {}),
        (learner.score_samples, (frame,), {}),
        (classical.classical_test, (data, 0, 1, [2]), {}),
        (independence.posterior_growth, (data, 0, 1, [[2]], [10], 0), {}),
        (independence.subsample, (data, 5, 0), {}),
        (health.health, (frame,), {}),
        (health.suggest, (health.health(frame),), {}),
        (preparation.prepare, (frame, []), {}),
        (io.graph_bytes, (graph, "graphml", None), {"effects": None}),
        (io.write_graph, (graph, folder / "g.graphml"), {"confidence": None, "effects": None}),
        (io.read_graph, (folder / "none.csv", None), {}),
        (confidence.confidence_of_tests, (bjp.score(data, graph),), {}),
        (confidence.edge_probabilities, (data, bjp.learn(data, "bjp", "auto")), {}),
        (bjp.edge_probabilities(data).verdicts, (0.9, 0.1), {}),
        (bjp.compare_groups, (data, data, "bjp", "ibmap-hc"), {"permutations": 2, "seed": 0}),
        (data.split, (0,), {}),
        (confidence.list_warnings, (data, bjp.learn(data)), {"without_known": None}),
        (
            paper.write_paragraph,
            (data, bjp.learn(data)),
            {"effects": None, "source": "", "further": (), "preparation": (), "warnings": ()},
        ),
        (confidence.compare_all_groups, ({"a": data, "b": data},), {"permutations": 2, "seed": 0}),
        (confidence.describe_comparison, (both, "a", "b"), {}),
        (io.comparison_csv, (both,), {}),
        (confidence.choose_groups, (data, 0, ["0", "1"]), {}),
        (scores.local_trace, (data, 0, [1]), {"ess": 1.0}),
        (scores.score_change, (bjp.score(data, graph), bjp.score(data, graph)), {}),
        (scores.spared_tests, (bjp.score(data, graph, "ib"),), {}),
    )
    for key, value in learner.get_params().items():
        yield lambda **given: bjp.BlanketLearner(**given).fit(frame), (), {key: value}

    design = {"weights": "log-odds", "epsilon": 1.0, "sampler": "gibbs", "burn_in": 1, "sweeps": 1}
    size = {"distributions": 1, "samples": 1, "seed": 0}
    pairs = [("bjp", "ibmap-hc")]
    yield from (
        (experiments.Experiment, ("a", ["karate"], [250], pairs), design | size),
        (experiments.find_table, ("table-1",), {}),
        (experiments.resize, (table,), {"networks": ["target-1"], "rows": [250], **size}),
        (experiments.read_experiment, (folder / "none.toml",), {}),
        (experiments.run, (one, folder / "r"), {"executor": Nowhere()}),
        (experiments.run, (one, folder / "r"), {"workers": 0}),
        (experiments.dataset, (one, "target-1", 0, 0, 250), {}),
        (experiments.read_results, (folder / "none",), {}),
        (experiments.write_compact, (results, folder / "r.parquet"), {}),
        (experiments.write_summary, (results, folder / "r.csv"), {}),
        (experiments.report_html, (results, folder / "r.html"), {}),
        (experiments.summaries, (results,), {}),
        (experiments.claims, (results,), {}),
        (results.where, (), {"network": "target-1", "rows": 250}),
        (results.__getitem__, ("hamming",), {}),
    )


class Nowhere(Executor):
    """Refuses every job."""

    def submit(self, *_, **__):
        raise bjp.errors.OptionError("There is nobody to do it.")


def test_a_bad_argument_is_one_sentence(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    faults = []
    for function, given, named in calls(tmp_path):
        for place in [*range(len(given)), *named]:
            for what, make in BAD.items():
                positions, keywords = list(given), dict(named)
                (positions if isinstance(place, int) else keywords)[place] = make()
                try:
                    function(*positions, **keywords)
                except (BJPError, OSError):
                    pass
                except Exception as error:
                    # scikit-learn's own sentences on tables are those that its users know.
                    if not (isinstance(error, ValueError) and "Expected 2D array" in str(error)):
                        name = getattr(function, "__qualname__", function)
                        faults.append(f"{name}, {place}={what}: {type(error).__name__}: {error}")
    assert not faults, "\n".join(faults)
