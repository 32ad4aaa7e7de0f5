"""Some of a dataset's variables: named by a token, like any dataset."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bjp_engine.errors import BJPError
from bjp_explorer.shell import sources, subsets

Run = Callable[[Any], AppTest]


def test_a_subset_has_the_columns_of_its_token() -> None:
    whole = sources.load("coronary")
    part = subsets.part(whole, "4.0.2")
    assert part.data.names == tuple(whole.data.names[i] for i in (0, 2, 4))
    np.testing.assert_array_equal(part.data.codes, whole.data.codes[:, [0, 2, 4]])
    assert part.token == "coronary~0.2.4"
    assert part.base == "coronary"
    assert part.kind == "sample"
    assert subsets.part(whole, "0.2.4").data.digest == part.data.digest


def test_all_columns_are_the_dataset_itself() -> None:
    whole = sources.load("coronary")
    assert subsets.part(whole, "5.4.3.2.1.0") is whole


def test_a_part_of_a_part_is_a_part_of_the_whole() -> None:
    whole = sources.load("net:karate:clique-log-weights:1000:0")
    part = subsets.part(whole, "1.3.5.7.9.11.13")
    smaller = subsets.subset(part, [whole.data.names[i] for i in (3, 7, 11)])
    assert smaller.token == f"{whole.token}~3.7.11"
    again = subsets.part(whole, smaller.token.partition("~")[2])
    assert (again.title, again.about) == (smaller.title, smaller.about)
    assert again.data.digest == smaller.data.digest
    assert nx.utils.graphs_equal(again.truth, smaller.truth)


def test_missing_cells_are_those_of_its_columns() -> None:
    whole = sources.load("house_votes_84:state")
    part = subsets.part(whole, "0.3")
    assert part.missing_in == (whole.missing_in[0], whole.missing_in[3])
    assert part.missing == sum(part.missing_in)


@pytest.mark.parametrize("columns", ["6", "0.0", "0..1", "-1", "a", "0.1.99999999999", "²"])
def test_what_is_no_column_is_refused(columns: str) -> None:
    with pytest.raises(BJPError, match="columns"):
        subsets.part(sources.load("coronary"), columns)


def test_its_network_is_the_marginal_one() -> None:
    path = nx.path_graph(["a", "b", "c", "d"])
    marginal = subsets.marginal(path, ["a", "c", "d"])
    assert {frozenset(edge) for edge in marginal.edges} == {frozenset("ac"), frozenset("cd")}


def test_a_link_opens_it_and_a_wrong_one_is_told(open_app: Callable[..., AppTest]) -> None:
    app = open_app("step", data="coronary~0.1.2")
    assert "3 variables" in "\n".join(block.value for block in app.sidebar.caption)
    app = open_app("data", data="coronary~0.17")
    assert "not columns of Coronary" in app.warning[0].value
    assert "6 variables" in "\n".join(block.value for block in app.sidebar.caption)


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
