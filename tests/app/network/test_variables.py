"""Variables on *Your network*: predictions, communities and bridges are the engine's."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pandas as pd
from streamlit.testing.v1 import AppTest

import bjp_engine as bjp
from bjp_engine.parameters import find_communities, measure_bridges, predict_variables
from bjp_explorer.network import nodes
from bjp_explorer.shell import sources
from bjp_explorer.shell.sources import Loaded
from tests.app.looks import texts
from tests.app.network.pages import has_table, learn, open_network, table, upload


def open_part(loaded: Loaded, *, unfolded: bool = True) -> AppTest:
    """Open the page with the part unfolded."""
    state = {f"network-variables {loaded.data.digest}": unfolded}
    return open_network(loaded, state, search="auto", confidence="test", edges="probability")


def test_the_numbers_are_the_engines() -> None:
    data = sources.load("coronary").data
    page = open_part(Loaded("file:made", "Made up", "", data))
    found = table(page, "bridge")
    wanted = predict_variables(data, lambda rows: bjp.learn(rows, search="auto")).to_frame()
    network = bjp.fit_parameters(data, learn("coronary").graph, "auto")
    bridges = measure_bridges(network)
    for name in ("group", "neighbours", "strength", "bridge"):
        np.testing.assert_array_equal(found[name], bridges[name])
    predicted = [name for name in wanted.columns[1:] if name in nodes.COLUMNS]
    assert predicted
    for name in predicted:
        np.testing.assert_array_equal(found[name], wanted[name])
    assert found["variable"].tolist() == [*data.names]
    groups = find_communities(network)
    for group, name in zip(found["group"], data.names, strict=True):
        assert name in groups[group - 1]
    clear = int((wanted["gain"] > 2 * wanted["gain_error"]).sum())
    assert f"prediction of {clear} of 6 variables** in 1,841 held-out rows" in texts(page)
    for caption in (nodes.PREDICTION, nodes.COMMUNITIES, nodes.BRIDGES):
        assert caption in texts(page)


def test_folded_it_computes_nothing_and_one_row_is_too_few() -> None:
    codes = np.random.default_rng(1).integers(0, 2, (40, 3))
    page = open_part(upload(codes), unfolded=False)
    assert not has_table(page, "bridge")
    assert nodes.VARIABLES in [each.label for each in page.expander]
    one = bjp.Dataset.from_codes(codes[:1], (2, 2, 2))
    assert nodes.TOO_FEW in texts(open_part(Loaded("file:made", "Made up", "", one)))


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
