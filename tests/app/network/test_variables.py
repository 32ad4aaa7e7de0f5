"""Variables on *Your network*: predictions, communities and bridges are the engine's."""

from __future__ import annotations

import re
from collections.abc import Callable

import networkx as nx
import numpy as np
import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

import bjp_engine as bjp
from bjp_engine.parameters import find_communities, measure_bridges, predict_variables
from bjp_explorer.network import nodes
from bjp_explorer.shell import sources
from bjp_explorer.shell.sources import Loaded
from tests.app.looks import settled, take, texts

Opened = Callable[..., AppTest]
HOSTILE = ("<script>alert(1)</script>", "=cmd()", "**bold** $x$ :red[y]")


@pytest.fixture
def opened(open_app: Callable[..., AppTest], switch_page: Callable[..., AppTest]) -> Opened:
    """Open the page on some data with the part unfolded."""

    def open_(loaded: Loaded, *, unfolded: bool = True) -> AppTest:
        page = open_app(data="coronary")
        page.session_state["network-kind"] = "test"
        take(page, loaded)
        page.session_state[f"network-variables {loaded.data.digest}"] = unfolded
        return settled(switch_page(page, "network"))

    return open_


def part(page: AppTest) -> pd.DataFrame | None:
    found = [each.value for each in page.dataframe if "bridge" in each.value]
    return found[0] if found else None


def test_the_numbers_are_the_engines(opened: Opened) -> None:
    data = sources.load("coronary").data
    page = opened(Loaded("file:made", "Made up", "", data))
    found = part(page)
    assert found is not None
    wanted = predict_variables(data, lambda rows: bjp.learn(rows, search="auto")).to_frame()
    for name in wanted.columns[1:]:
        if name in nodes.COLUMNS:
            np.testing.assert_array_equal(found[name], wanted[name])
    assert found["variable"].tolist() == [*data.names]
    network = bjp.fit_parameters(data, bjp.learn(data, search="auto").graph, "auto")
    bridges = measure_bridges(network)
    for name in ("group", "neighbours", "strength", "bridge"):
        np.testing.assert_array_equal(found[name], bridges[name])
    groups = find_communities(network)
    assert [groups[group - 1] for group in found["group"]] == [
        next(group for group in groups if name in group) for name in data.names
    ]
    told = texts(page)
    clear = int((wanted["gain"] > 2 * wanted["gain_error"]).sum())
    assert f"prediction of {clear} of 6 variables** in 1,841 held-out rows" in told
    for caption in (nodes.PREDICTION, nodes.COMMUNITIES, nodes.BRIDGES):
        assert caption in told


def test_folded_it_computes_nothing(opened: Opened) -> None:
    codes = np.random.default_rng(1).integers(0, 2, (40, 3))
    page = opened(Loaded("file:made", "Made up", "", bjp.Dataset.from_codes(codes)), unfolded=False)
    assert part(page) is None
    assert nodes.VARIABLES in [each.label for each in page.expander]


def test_names_are_text_and_few_rows_are_enough_or_said_to_be_too_few(opened: Opened) -> None:
    codes = [[0, 0, 1], [1, 1, 0], [0, 0, 0]]
    page = opened(Loaded("file:made", "Made up", "", bjp.Dataset.from_codes(codes, names=HOSTILE)))
    found = part(page)
    assert found is not None
    assert not any(cell.startswith("=") for cell in found["variable"])
    assert not re.search(r"(?<!\\)(<script|\*\*bold|:red|\$x)", texts(page))
    one = Loaded("file:made", "Made up", "", bjp.Dataset.from_codes(codes[:1], (2, 2, 2)))
    assert nodes.TOO_FEW in texts(opened(one))


def test_what_is_said_of_communities() -> None:
    data = bjp.Dataset.from_codes(np.random.default_rng(0).integers(0, 2, (40, 5)))
    predicted = predict_variables(data, nx.Graph()).to_frame()
    for edges, wanted in (
        ([(0, 1), (2, 3)], "into 2 communities, and 1 variable alone."),
        ([(0, 1), (1, 2), (2, 0), (3, 4)], "into 2 communities."),
        ([(0, 1)], "into 1 community, and 3 variables alone."),
    ):
        graph = nx.empty_graph(5)
        graph.add_edges_from(edges)
        bridges = measure_bridges(bjp.fit_parameters(data, graph, "auto")).drop(columns="variable")
        told = nodes.describe(pd.concat([predicted, bridges], axis=1), data.rows)
        assert told.endswith(wanted)
        assert "prediction of 0 of 5 variables" in told
