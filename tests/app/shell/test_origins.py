"""How a graph came about: a cancelled search learned nothing, and a prior is no probability."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import Any

import bjp_engine as bjp
from bjp_engine.search import SearchTrace, StopReason
from bjp_explorer.downloads.formats import formats_of
from bjp_explorer.downloads.result import Result
from bjp_explorer.network import words
from bjp_explorer.shell import sources
from bjp_explorer.shell.text import number
from bjp_explorer.views import layout


@cache
def learned(search: str, **options: Any) -> SearchTrace:
    return bjp.learn(sources.load("coronary").data, "bjp", search, **options)


def result_of(trace: SearchTrace) -> Result:
    coronary = sources.load("coronary")
    return Result(coronary, trace.graph, trace, layout.circle(coronary.data.n))


def files(trace: SearchTrace, *extensions: str) -> dict[str, str]:
    """The text of some of a result's files."""
    made = {kind.extension: kind.make for kind in formats_of(result_of(trace))}
    return {name: made[name]().decode() for name in extensions}


def test_a_cancelled_search_has_not_learned_its_graph() -> None:
    for search in ("auto", "ibmap-hc"):
        trace = replace(learned(search), stop_reason=StopReason.CANCELLED)
        for name, text in files(trace, "svg", "html", "report.html").items():
            assert "before it was cancelled" in text, name
            assert not re.search("learned (from|by) ", text), name
            assert "because cancelled" not in text, name
        told = words.describe_search(trace, sources.load("coronary").data)
        assert "was cancelled" in told
        assert "not the learned" in told
        assert "because cancelled" not in told


def test_a_files_score_is_the_score_and_not_what_auto_maximised() -> None:
    trace, data = learned("auto"), sources.load("coronary").data
    score = number(bjp.score(data, trace.graph, prior_cells="centred").total, 4)
    maximised, title = number(trace.score, 4), "ln BJP (centred cells)"
    assert score != maximised
    made = files(trace, "svg", "html", "report.html", "repeat.py")
    assert f"{title} {score.replace('−', '-')}" in made.pop("repeat.py")
    for name, text in made.items():
        assert f"{title} = {score}" in text, name
        assert f"{title} = {maximised}" not in text, name
    # What the search maximised is in the report, under a name of its own.
    report = re.sub(r"\s*\n\s*", "", made["report.html"])
    assert f"<dt>{title} + prior, what it maximised</dt><dd>{maximised}" in report


def test_a_file_says_how_its_graph_was_learned() -> None:
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
