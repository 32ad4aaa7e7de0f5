"""How a graph came about: a cancelled search learned nothing, and a prior is no probability."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.search import SearchTrace, StopReason
from bjp_explorer.downloads.formats import formats_of
from bjp_explorer.downloads.result import Result
from bjp_explorer.network import words
from bjp_explorer.shell import sources
from bjp_explorer.shell.text import number
from bjp_explorer.views import layout

CORONARY = sources.load("coronary")


@cache
def learned(search: str) -> SearchTrace:
    return bjp.learn(CORONARY.data, "bjp", search)


def cancelled(search: str) -> SearchTrace:
    return replace(learned(search), stop_reason=StopReason.CANCELLED)


def files(trace: SearchTrace, *extensions: str) -> dict[str, str]:
    """The text of some of a result's files."""
    result = Result(CORONARY, trace.graph, trace, layout.circle(CORONARY.data.n))
    made = {kind.extension: kind.make for kind in formats_of(result)}
    return {name: made[name]().decode() for name in extensions}


@pytest.mark.parametrize("search", ["auto", "ibmap-hc"])
def test_a_cancelled_search_has_not_learned_its_graph(search: str) -> None:
    for name, text in files(cancelled(search), "svg", "html", "report.html").items():
        assert "before it was cancelled" in text, name
        assert not re.search("learned (from|by) ", text), name
        assert "because cancelled" not in text
    told = words.describe_search(cancelled(search), CORONARY.data)
    assert "was cancelled" in told
    assert "not the learned" in told
    assert "because cancelled" not in told


def test_a_files_score_is_the_score_and_not_what_auto_maximised() -> None:
    trace = learned("auto")
    score = number(bjp.score(CORONARY.data, trace.graph, prior_cells="centred").total, 4)
    assert score != number(trace.score, 4)
    made = files(trace, "svg", "html", "report.html", "repeat.py")
    for name, text in made.items():
        title = "ln BJP (centred cells)"
        shown = (
            f"{title} {score.replace('−', '-')}" if name == "repeat.py" else f"{title} = {score}"
        )
        assert shown in text, name
        assert f"{title} = {number(trace.score, 4)}" not in text, name
    # What the search maximised is in the report, under a name of its own.
    report = re.sub(r"\s*\n\s*", "", made["report.html"])
    fact = "<dt>ln BJP (centred cells) + prior, what it maximised</dt><dd>"
    assert f"{fact}{number(trace.score, 4)}" in report


@pytest.mark.parametrize(
    ("search", "options", "how"),
    [
        ("auto", {}, "learned by auto"),
        ("ibmap-hc", {}, "learned by the paper’s search (IBMAP-HC)"),
        ("ibmap-hc", {"expected_degree": 2.0}, "learned by IBMAP-HC"),
        ("ibmap-hc", {"prior_cells": "centred"}, "learned by IBMAP-HC"),
        ("tabu", {"tenure": 3}, "learned by tabu search"),
    ],
)
def test_a_file_says_how_its_graph_was_learned(
    search: str, options: dict[str, Any], how: str
) -> None:
    trace = bjp.learn(CORONARY.data, "bjp", search, **options)
    result = Result(CORONARY, trace.graph, trace, np.zeros((CORONARY.data.n, 2)))
    centred = search == "auto" or "prior_cells" in options
    assert f" {how} · ln BJP{' (centred cells)' if centred else ''} = " in result.about
