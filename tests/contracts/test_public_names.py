"""docs/theory.md §9: the names that programs call, with these signatures."""

import inspect
import io
import logging
import re

import networkx as nx
import numpy as np
import pandas as pd

import bjp_engine as bjp
from bjp_engine.search import PUBLISHED

FRAME = pd.DataFrame(
    {"rain": ["no", "yes", "yes", "no"], "wet": ["no", "yes", "no", "no"], "dice": [1, 6, 6, 2]}
)
REQUIRED = inspect.Parameter.empty


SIGNATURES = {
    bjp.Dataset.from_frame: {"frame": REQUIRED},
    bjp.Dataset.from_codes: {"codes": REQUIRED, "cardinalities": None, "names": None},
    bjp.independence_test: {"data": REQUIRED, "x": REQUIRED, "y": REQUIRED, "given": ()},
    bjp.score: {"data": REQUIRED, "graph": REQUIRED, "method": "bjp"},
    bjp.learn: {"data": REQUIRED, "method": "bjp", "search": None},
    bjp.networks.names: {},
    bjp.networks.load: {"name": REQUIRED},
    bjp.sampling.random_model: {"graph": REQUIRED, "weights": "clique-log-weights", "seed": 0},
    bjp.sampling.MarkovModel.sample: {
        "self": REQUIRED,
        "rows": REQUIRED,
        "seed": 0,
        "method": None,
    },
}


def test_parameters_in_this_order_with_these_defaults():
    for function, leading in SIGNATURES.items():
        found = [
            (p.name, p.default)
            for p in inspect.signature(function).parameters.values()
            if p.kind is p.POSITIONAL_OR_KEYWORD
        ]
        assert found[: len(leading)] == list(leading.items()), function
        assert all(default is not REQUIRED for _, default in found[len(leading) :]), function


def test_all_of_section_9_in_one_go():
    data = bjp.Dataset.from_frame(FRAME)
    same = bjp.Dataset.from_codes(data.codes, cardinalities=data.cardinalities, names=data.names)
    assert isinstance(same, bjp.Dataset)
    assert data.codes.shape == (4, 3)
    assert data.names == ("rain", "wet", "dice")
    assert data.cardinalities == (2, 2, 3)
    assert data.labels == (("no", "yes"), ("no", "yes"), ("1", "2", "6"))
    assert int(data.digest, 16) >= 0

    test = bjp.independence_test(data, "rain", 1, given=["dice"])
    assert test.log_independent < 0 > test.log_dependent
    assert len(test.slices) == 3

    graph = nx.Graph([("rain", "wet")])
    for method in ("bjp", "ib", "mpl"):
        trace = bjp.score(data, graph, method=method)
        assert trace.total < 0
        assert len(trace.terms) in (3, 6)
        assert len(trace.order) == 3
        for search in (None, "exhaustive"):
            result = bjp.learn(data, method=method, search=search)
            assert isinstance(result.graph, nx.Graph)
            assert list(result.graph) == ["rain", "wet", "dice"]
            assert result.score < 0
            assert len(result.steps) == len(tuple(result.steps))
            assert result.stop_reason
    assert bjp.learn(data, search="ibmap-hc").search == "ibmap-hc"
    assert bjp.learn(data, "mpl", search="mpl-hc").search == "mpl-hc"

    karate = bjp.networks.load("karate")
    assert isinstance(karate, nx.Graph)
    assert "karate" in bjp.networks.names()
    model = bjp.sampling.random_model(karate, weights="clique-log-weights", seed=0)
    sample = model.sample(1000, seed=0, method="gibbs")
    assert isinstance(sample, bjp.Dataset)
    assert sample.codes.shape == (1000, 34)
    assert bjp.metrics.hamming(karate, karate) == 0
    assert bjp.metrics.total_irregularity(karate) == 2044
    assert bjp.metrics.edge_irregularity(karate) == 608
    assert bjp.metrics.confusion(karate, nx.empty_graph(34)).fn == 78


def test_a_learned_graph_meets_the_truth_it_came_from():
    truth = bjp.networks.load("target-3")
    data = bjp.sampling.random_model(truth, seed=4).sample(500, seed=4, method="exact")
    assert data.names == tuple(truth)
    assert 0 <= bjp.metrics.hamming(truth, bjp.learn(data, search="ibmap-hc").graph) <= 15


def test_a_table_is_read_from_a_path_its_text_or_a_file_in_every_form(tmp_path):
    wanted, path = bjp.Dataset.from_frame(FRAME).digest, tmp_path / "table.csv"
    FRAME.to_csv(path, index=False)
    FRAME.to_csv(tmp_path / "table.tsv", sep="\t", index=False)
    FRAME.to_parquet(tmp_path / "table.parquet", index=False)
    FRAME.to_excel(tmp_path / "table.xlsx", index=False)
    others = [tmp_path / name for name in ("table.tsv", "table.parquet", "table.xlsx")]
    with path.open("rb") as file:
        for source in (path, str(path), file, io.BytesIO(path.read_bytes()), *others):
            assert bjp.read_table(source).digest == wanted, source

    libra = tmp_path / "sample.data"
    libra.write_text("0,1,0\n1,0,2\n1,1,1\n", encoding="ascii")
    data = bjp.read_table(libra)
    assert data.codes.tolist() == [[0, 1, 0], [1, 0, 2], [1, 1, 1]]
    assert data.names == (0, 1, 2)


def test_errors_are_value_errors():
    for name in ("BJPError", "DataError", "GraphError", "OptionError"):
        assert issubclass(getattr(bjp.errors, name), ValueError), name
    assert not issubclass(bjp.errors.Cancelled, ValueError)


def test_every_public_name_exists_and_is_in_the_docstring_of_the_package():
    for name in dir(bjp):
        if not name.startswith("_"):
            thing = getattr(bjp, name)
            assert inspect.getdoc(thing), name
            assert f"  {name} " in bjp.__doc__ or re.search(rf"\b{name}\b[, ]", bjp.__doc__), name
            if inspect.ismodule(thing):
                assert all(hasattr(thing, inner) for inner in thing.__all__), name


def test_nothing_is_printed_and_only_information_is_logged(capfd, caplog):
    data = bjp.Dataset.from_codes(np.random.default_rng(0).integers(2, size=(50, 4)))
    for method in ("bjp", "ib", "mpl"):
        bjp.learn(data, method, PUBLISHED[method])
        bjp.all_graphs(data, method)
    assert capfd.readouterr() == ("", "")
    assert {one.levelno for one in caplog.records} <= {logging.INFO}
