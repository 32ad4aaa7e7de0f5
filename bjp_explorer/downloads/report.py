"""A result as one HTML file to keep and print: no script, nothing fetched, all names escaped."""

from __future__ import annotations

import base64
import platform
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from datetime import date
from importlib import metadata
from typing import Any

import networkx as nx
from markupsafe import Markup

import bjp_engine
from bjp_engine import metrics
from bjp_engine.confidence.edges import judge_pairs
from bjp_engine.dataset import Name
from bjp_engine.scores import SCORES, AssertionScore
from bjp_engine.search import SEARCHES, SearchTrace
from bjp_explorer.downloads.drawing import picture
from bjp_explorer.downloads.result import Result
from bjp_explorer.downloads.script import reading_of, script
from bjp_explorer.shell import caches, origins
from bjp_explorer.shell.templates import line, name, render
from bjp_explorer.shell.text import count, duration, number
from bjp_explorer.views.effects import define
from bjp_explorer.views.payloads import edge_indices
from bjp_explorer.views.words import (
    MEASURES,
    OF_TESTS,
    describe_shuffled,
    describe_verdicts,
    judge,
    meaning_of_confidence,
    prior_of,
    unit_of,
)

_PACKAGES = ("bjp-explorer", "numpy", "numba", "networkx", "scipy", "pandas")
# States of a variable that are named, and pairs outside the graph.
_MOST_STATES, _MOST_OTHERS = 12, 20


def _names(of: Iterable[Name], width: int = 40) -> Markup:
    return Markup(", ").join(name(one, width) for one in of) or Markup("∅")


def report_html(result: Result, made: date | None = None) -> bytes:
    """The report, in UTF-8."""
    loaded, search = result.loaded, result.learned
    how = "compared with"
    if search is not None:
        how = f"{origins.origin(search, result.tables)}, from"
    given: dict[str, Any] = {"result": result, "loaded": loaded, "data": result.data}
    given |= {"graph": result.graph, "search": search, "how": how, "made": made}
    given |= {"image": base64.b64encode(picture(result, "svg")).decode()}
    given |= {"reading": [(option, ascii(one)) for option, one in reading_of(loaded).items()]}
    given |= {"prepared": () if loaded.preparation is None else loaded.preparation.sentences}
    if loaded.truth is not None:
        given["distance"] = metrics.hamming(loaded.truth, result.graph)
    if search is not None:
        given |= _of_search(result, search)
    given |= _of_variables(result) | _of_edges(result) | _of_scores(result)
    given["versions"] = [*_versions()]
    given |= {"script": script(result).decode("ascii"), "version": bjp_engine.__version__}
    given["paper"] = [part for part in result.paper().split("\n\n") if part]
    return render("downloads/report.html.jinja", **given).encode()


def _of_variables(result: Result) -> dict[str, Any]:
    data, graph = result.data, result.graph
    variables, blankets = [], []
    for one, labels in zip(data.names, data.labels, strict=True):
        more = f", … {len(labels) - _MOST_STATES:,} more" * (len(labels) > _MOST_STATES)
        which = _names(labels[:_MOST_STATES], 28) + more
        variables.append((name(one), f"{len(labels):,}", which))
        blanket = sorted(graph[one], key=data.index) if one in graph else []
        blankets.append((name(one), f"{len(blanket):,}", _names(blanket)))
    return {"variables": variables, "blankets": blankets}


def _of_search(result: Result, trace: SearchTrace) -> dict[str, Any]:
    records = [one for one in trace.options.values() if is_dataclass(one)]
    options = [
        (one.name, getattr(record, one.name)) for record in records for one in fields(record)
    ]
    options += [(key, value) for key, value in trace.structure.given.items() if key != "log_odds"]
    known = () if result.known is None else result.known.rows()
    return {
        "facts": [*_search_facts(trace)],
        "prior": prior_of(trace, result.options.get("edge_probability") == "data"),
        "known": [(name(x), name(y), line(what)) for x, y, what in known],
        "options": [
            (key, _value(value), "chosen" if key in result.options else "default")
            for key, value in options
        ],
    }


def _value(value: object) -> str:
    if isinstance(value, nx.Graph):
        return f"a graph with {count(value.number_of_edges(), 'edge')}"
    return line("none" if value is None else value, 60)


def _search_facts(trace: SearchTrace) -> Iterator[tuple[str, str]]:
    yield "Score", SCORES[trace.method].title
    yield "Search", SEARCHES[trace.search].title
    title = f"{SCORES[trace.method].title}{OF_TESTS[origins.cells_of(trace)]}"
    yield f"ln {title}", number(trace.score - trace.log_prior, 4)
    if trace.log_prior:
        yield f"ln {title} + ln prior", number(trace.score, 4)
    flips = sum(step.phase != "blanket" for step in trace.steps)
    yield "Flips that led to this graph", f"{flips - (len(trace.steps) - trace.best_at):,}"
    yield "Flips made", f"{flips:,}"
    yield "Flips tried", f"{trace.evaluations:,}"
    yield f"{unit_of(trace.method).capitalize()}s made", f"{trace.tests:,}"
    yield "Time", duration(trace.seconds)
    if origins.is_whole(trace):
        yield "It stopped because", f"{trace.stop_reason}."
    else:
        yield "It was cancelled", "The graph is how far the search came, not the learned one."


def _of_edges(result: Result) -> dict[str, Any]:
    """A line for each edge, and for the most probable other pairs."""
    data, graph, sure, effects = result.data, result.graph, result.sure(), result.of_edges()
    about = [meaning_of_confidence(sure)]
    if result.confidence is not None:
        about.append(describe_verdicts(judge(sure)))
    if result.shuffled is not None and result.learned is not None:
        about.append(describe_shuffled(result.shuffled, result.learned))
    about.append(define(effects, result.effects))
    head = ["One end", "The other", MEASURES[sure.kind].capitalize()]
    head += ["Verdict"] * (sure.judged is not None)
    head += ["Effect", "Interval", "Measure", "Joins"] * bool(effects)

    def row(i: int, j: int) -> list[str]:
        p = float(sure.matrix[i, j])
        cells = [name(data.names[i]), name(data.names[j]), number(p, 4)]
        if sure.judged is not None:
            cells.append(str(judge_pairs(p, sure.judged[i, j])))
        if effect := effects.get((i, j)):
            among = f" (rows with {effect.among})" if effect.among else ""
            cells += [number(effect.effect, 2), effect.interval, effect.kind]
            cells.append(line(f"{' – '.join(effect.joined)}{among}"))
        return cells + [""] * (len(head) - len(cells))

    edges = sorted(map(tuple, edge_indices(graph, data)), key=lambda pair: -sure.matrix[pair])
    likely = sure.to_frame(0.5)[["x", "y"]].to_numpy(dtype=object).tolist()
    others = [pair for pair in likely if not graph.has_edge(*pair)][:_MOST_OTHERS]
    return {
        "about_edges": about,
        "head": head,
        "numbers": [k for k, one in enumerate(head) if k == 2 or one == "Effect"],
        "edges": [row(*pair) for pair in edges],
        "others": [row(data.index(x), data.index(y)) for x, y in others],
    }


def _of_scores(result: Result) -> dict[str, Any]:
    empty: nx.Graph[Any] = nx.empty_graph(result.data.names)
    rows, against = [], []
    for method, kind in SCORES.items():
        cells = result.cells if isinstance(kind, AssertionScore) else "equal"
        ours, none = (
            caches.score_graph(result.data, graph, method, cells) for graph in (result.graph, empty)
        )
        name = f"ln {kind.title}{OF_TESTS[cells]}"
        against += [name] * (ours.total < none.total)
        numbers = (ours.total, none.total, ours.total - none.total)
        rows.append((name, *(number(one, 4) for one in numbers), f"{ours.tests:,}"))
    return {"scores": rows, "against": against}


def _versions() -> Iterator[tuple[str, str]]:
    yield "Python", platform.python_version()
    for package in _PACKAGES:
        try:
            yield package, metadata.version(package)
        except metadata.PackageNotFoundError:
            yield package, "not installed as a package"
