"""What a token means, and what becomes of missing cells and of columns that can't serve."""

from __future__ import annotations

from collections.abc import Callable

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from bjp_engine import networks, sampling
from bjp_engine.dataset import MISSING_LABEL, Dataset
from bjp_engine.errors import BJPError, DataError
from bjp_explorer.shell import sources, subsets
from bjp_explorer.shell.sources import load, network_sample, network_token, sample_token
from tests.app.conftest import OpenApp, Run


def test_each_sample_loads_as_its_catalogue_says() -> None:
    for name, entry in sources.samples().items():
        loaded = load(name)
        assert (loaded.token, loaded.kind, loaded.title) == (name, "sample", entry.title)
        assert loaded.data.n == entry.columns, name
        assert loaded.missing == entry.missing == sum(loaded.missing_in), name
        assert bool(loaded.did) == bool(entry.missing), name
        assert (loaded.published is not None) == (entry.published is not None), name
    assert sources.DEFAULT == "coronary"
    coronary = load("coronary")
    assert (coronary.data.rows, coronary.data.n) == (1841, 6)
    assert coronary.published is not None
    assert coronary.published.number_of_edges() == 9


def test_missing_cells_by_the_token() -> None:
    dropped, kept = load("house_votes_84:drop"), load("house_votes_84:state")
    assert (dropped.data.rows, kept.data.rows) == (232, 435)
    assert "203 incomplete rows of 435" in dropped.did[0]
    assert MISSING_LABEL in kept.data.labels[1]
    assert set(dropped.data.cardinalities) == {2}
    # The senate has no complete row and still loads.
    senate = load("senate109")
    assert (senate.data.rows, senate.data.n) == (645, 101)
    assert "no row is complete" in senate.did[0]
    with pytest.raises(DataError, match="Every row has a missing cell"):
        load("senate109:drop")
    # The usual choice needs no mention.
    assert sample_token("coronary", "drop") == "coronary"
    assert sample_token("supreme_court", "drop") == "supreme_court"
    assert sample_token("supreme_court", "state") == "supreme_court:state"
    assert sample_token("house_votes_84", "drop") == "house_votes_84:drop"


def test_a_networks_token_draws_what_the_engine_draws() -> None:
    token = network_token("karate", "log-odds", 250, 3)
    graph = networks.load("karate", labelled=True)
    drawn = sampling.random_model(graph, "log-odds", seed=3).sample(250, seed=3)
    loaded = load(token)
    assert (loaded.token, loaded.kind) == (token, "net")
    assert loaded.data.digest == drawn.digest
    assert loaded.truth is not None
    assert set(loaded.truth.edges) == set(graph.edges)
    assert network_sample("net:hub-1:log-odds:250:7") == ("hub-1", "log-odds", 250, 7)


def test_a_token_that_names_nothing_is_refused() -> None:
    bad = ("nope:log-odds:250:0", "karate:nope:250:0", "karate:log-odds:0:0", "")
    rows = ("10001", "-5", "٣")
    seeds = ("2147483648", "9" * 5000, "0:0")
    for token in (
        *("", "nope", "coronary:keep", "file:0123456789ab", "../coronary"),
        *(f"net:{text}" for text in bad),
        *(f"net:karate:log-odds:{text}:0" for text in rows),
        *(f"net:karate:log-odds:250:{text}" for text in seeds),
    ):
        with pytest.raises(BJPError) as error:
            load(token)
        assert len(str(error.value)) < 500, token


def test_frames_are_prepared_in_the_usual_way() -> None:
    frame = pd.DataFrame({"a": [1, 2] * 10, "b": ["x"] * 15 + [None] * 5})
    assert sources.usual_missing(frame) == "drop"
    # Rows are kept where dropping costs too many.
    frame.loc[0, "b"] = None
    assert sources.usual_missing(frame) == "state"
    assert sources.complete_rows(frame) == 14

    frame = pd.DataFrame({"a": ["u", "v", "u", "u"], "b": ["x", None, "y", "x"]})
    dropped = sources.prepare("file:x", "t", "a", frame, "drop")
    assert dropped.data.digest == Dataset.from_frame(frame, missing="drop").digest
    assert (dropped.missing, dropped.missing_in) == (1, (0, 1))
    assert dropped.did == (
        "1 missing cell in 1 column: 1 incomplete row of 4 dropped.",
        "In the remaining rows, 'a' has only one value.",
    )
    kept = sources.prepare("file:x", "t", "a", frame, "state")
    assert kept.data.digest == Dataset.from_frame(frame, missing="state").digest
    whole = sources.prepare("file:x", "t", "a", frame[["a"]])
    assert (whole.did, whole.missing, whole.missing_in) == ((), 0, ())


class TestSubsets:
    """Some of a dataset's variables: named by a token, like any dataset."""

    def test_a_subset_has_the_columns_of_its_token(self) -> None:
        whole = load("coronary")
        part = subsets.part(whole, "4.0.2")
        assert part.data.names == tuple(whole.data.names[i] for i in (0, 2, 4))
        np.testing.assert_array_equal(part.data.codes, whole.data.codes[:, [0, 2, 4]])
        assert (part.token, part.base, part.kind) == ("coronary~0.2.4", "coronary", "sample")
        assert subsets.part(whole, "0.2.4").data.digest == part.data.digest
        assert subsets.part(whole, "5.4.3.2.1.0") is whole
        for columns in ("6", "0.0", "0..1", "-1", "a", "0.1.99999999999", "²"):
            with pytest.raises(BJPError, match="columns"):
                subsets.part(whole, columns)
        whole = load("house_votes_84:state")
        part = subsets.part(whole, "0.3")
        assert part.missing_in == (whole.missing_in[0], whole.missing_in[3])
        assert part.missing == sum(part.missing_in)

    def test_a_part_of_a_part_is_a_part_of_the_whole(self) -> None:
        whole = load("net:karate:clique-log-weights:1000:0")
        part = subsets.part(whole, "1.3.5.7.9.11.13")
        smaller = subsets.subset(part, [whole.data.names[i] for i in (3, 7, 11)])
        assert smaller.token == f"{whole.token}~3.7.11"
        again = subsets.part(whole, smaller.token.partition("~")[2])
        assert (again.title, again.about) == (smaller.title, smaller.about)
        assert again.data.digest == smaller.data.digest
        assert nx.utils.graphs_equal(again.truth, smaller.truth)
        # Its network is the marginal one.
        marginal = subsets.marginal(nx.path_graph(["a", "b", "c", "d"]), ["a", "c", "d"])
        assert {frozenset(edge) for edge in marginal.edges} == {frozenset("ac"), frozenset("cd")}

    def test_a_link_opens_it_and_a_wrong_one_is_told(self, open_app: OpenApp) -> None:
        def captions(app: AppTest) -> str:
            return "\n".join(block.value for block in app.sidebar.caption)

        assert "3 variables" in captions(open_app("step", data="coronary~0.1.2"))
        app = open_app("data", data="coronary~0.17")
        assert "not columns of Coronary" in app.warning[0].value
        assert "6 variables" in captions(app)


def test_other_data_are_announced_with_a_way_back(
    open_app: Callable[..., AppTest], run: Run
) -> None:
    app = open_app("data")
    assert not app.toast
    assert not [each for each in app.sidebar.button if each.key == "frame-back"]
    run(app.radio(key="data-sample").set_value("titanic"))
    assert "Titanic" in app.toast[0].value
    back = app.sidebar.button(key="frame-back")
    assert back.label == "Back to Coronary heart disease"
    run(back.click())
    assert app.session_state["visit-token"] == "coronary"
    assert app.radio(key="data-sample").value == "coronary"
    assert "Titanic" in app.sidebar.button(key="frame-back").label
