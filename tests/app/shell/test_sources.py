"""What a token means, what becomes of missing cells, and how a graph came about."""

import re
from dataclasses import replace
from functools import cache

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine import networks, sampling
from bjp_engine.dataset import Dataset
from bjp_engine.errors import BJPError, DataError
from bjp_engine.search import StopReason
from bjp_explorer.downloads.formats import formats_of
from bjp_explorer.downloads.result import Result
from bjp_explorer.shell import sources
from bjp_explorer.shell.sources import load, network_sample, network_token, sample_token
from bjp_explorer.views import layout
from tests.refusals import assert_refused


def test_samples_and_frames_are_prepared_in_the_usual_way():
    for name, entry in sources.samples().items():
        loaded = load(name)
        assert (loaded.token, loaded.kind, loaded.title) == (name, "sample", entry.title)
        assert loaded.missing == entry.missing == sum(loaded.missing_in), name
        known = entry.columns, bool(entry.missing), entry.published is not None
        assert (loaded.data.n, bool(loaded.did), loaded.published is not None) == known, name
    coronary = load("coronary")
    assert (sources.DEFAULT, coronary.data.rows, coronary.data.n) == ("coronary", 1841, 6)
    assert coronary.published.number_of_edges() == 9
    assert_refused(DataError, "Every row has a missing cell", load, "senate109:drop")
    for token in ("coronary", "supreme_court", "supreme_court:state", "house_votes_84:drop"):
        name, _, missing = token.partition(":")
        assert sample_token(name, missing or "drop") == token
    frame = pd.DataFrame({"a": [1, 2] * 10, "b": ["x"] * 15 + [None] * 5})
    assert sources.usual_missing(frame) == "drop"
    # Rows are kept where dropping costs too many.
    frame.loc[0, "b"] = None
    assert (sources.usual_missing(frame), sources.complete_rows(frame)) == ("state", 14)

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


@pytest.mark.filterwarnings("ignore:The Gibbs chains disagree")
def test_a_networks_token_draws_what_the_engine_draws_and_a_wrong_one_is_refused():
    token = network_token("karate", "log-odds", 250, 3)
    graph = networks.load("karate", labelled=True)
    drawn = sampling.random_model(graph, "log-odds", seed=3).sample(250, 3, "gibbs")
    loaded = load(token)
    assert (loaded.token, loaded.kind, loaded.data.digest) == (token, "net", drawn.digest)
    assert set(loaded.truth.edges) == set(graph.edges)
    assert network_sample("net:hub-1:log-odds:250:7") == ("hub-1", "log-odds", 250, 7)
    bad = ("nope:log-odds:250:0", "karate:nope:250:0", "karate:log-odds:0:0", "")
    rows = ("10001", "-5", "٣")
    seeds = ("2147483648", "9" * 5000, "0:0")
    for token in (
        *("", "nope", "coronary:keep", "file:0123456789ab", "../coronary"),
        *(f"net:{text}" for text in bad),
        *(f"net:karate:log-odds:{text}:0" for text in rows),
        *(f"net:karate:log-odds:250:{text}" for text in seeds),
    ):
        assert_refused(BJPError, "^.{1,499}$", load, token)


def test_a_subset_has_its_columns_and_is_one_of_the_whole():
    whole = load("coronary")
    part = sources.part(whole, "4.0.2")
    assert part.data.names == tuple(whole.data.names[i] for i in (0, 2, 4))
    np.testing.assert_array_equal(part.data.codes, whole.data.codes[:, [0, 2, 4]])
    assert (part.token, part.base, part.kind) == ("coronary~0.2.4", "coronary", "sample")
    assert sources.part(whole, "0.2.4").data.digest == part.data.digest
    assert sources.part(whole, "5.4.3.2.1.0") is whole
    for columns in ("6", "0.0", "0..1", "-1", "a", "0.1.99999999999", "²"):
        assert_refused(BJPError, "columns", sources.part, whole, columns)
    whole = load("house_votes_84:state")
    part = sources.part(whole, "0.3")
    assert part.missing_in == (whole.missing_in[0], whole.missing_in[3])
    assert part.missing == sum(part.missing_in)
    whole = load("net:karate:clique-log-weights:1000:0")
    part = sources.part(whole, "1.3.5.7.9.11.13")
    smaller = sources.subset(part, [whole.data.names[i] for i in (3, 7, 11)])
    assert smaller.token == f"{whole.token}~3.7.11"
    again = sources.part(whole, smaller.token.partition("~")[2])
    assert (again.title, again.about) == (smaller.title, smaller.about)
    assert again.data.digest == smaller.data.digest
    assert nx.utils.graphs_equal(again.truth, smaller.truth)


def test_a_link_opens_it_and_other_data_are_announced_with_a_way_back(open_app, run):
    for page, columns, count in (("step", "0.1.2", 3), ("data", "0.17", 6)):
        app = open_app(page, data=f"coronary~{columns}")
        assert any(f"{count} variables" in block.value for block in app.sidebar.caption), columns
    assert "not columns of Coronary" in app.warning[0].value
    app = open_app("data")
    assert not app.toast
    assert not [each for each in app.sidebar.button if each.key == "frame-back"]
    run(app.radio(key="data-sample").set_value("titanic"))
    assert "Titanic" in app.toast[0].value
    back = app.sidebar.button(key="frame-back")
    assert back.label == "Back to Coronary heart disease"
    run(back.click())
    assert app.session_state["visit-token"] == app.radio(key="data-sample").value == "coronary"
    assert "Titanic" in app.sidebar.button(key="frame-back").label


@cache
def learned(search, **options):
    return bjp.learn(load("coronary").data, "bjp", search, **options)


def result_of(trace):
    coronary = load("coronary")
    return Result(coronary, trace.graph, trace, layout.circle(coronary.data.n))


def files(trace, *extensions):
    made = {kind.extension: kind.make for kind in formats_of(result_of(trace))}
    return {name: made[name]().decode() for name in extensions}


def test_files_say_how_a_graph_came_about_and_its_score():
    for search in ("auto", "ibmap-hc"):
        trace = replace(learned(search), stop_reason=StopReason.CANCELLED)
        for name, text in files(trace, "svg", "html", "report.html").items():
            assert "before it was cancelled" in text, name
            assert not re.search("learned (from|by) |because cancelled", text), name
    for search, options, how in (
        ("auto", {}, "learned by auto"),
        ("ibmap-hc", {}, "learned by the paper’s search (IBMAP-HC)"),
        ("ibmap-hc", {"expected_degree": 2.0}, "learned by IBMAP-HC"),
        ("ibmap-hc", {"prior_cells": "centred"}, "learned by IBMAP-HC"),
        ("tabu", {"tenure": 3}, "learned by tabu search"),
    ):
        about = result_of(learned(search, **options)).about
        centred = search == "auto" or "prior_cells" in options
        assert f" {how} · ln BJP{' (centred cells)' if centred else ''} = " in about
