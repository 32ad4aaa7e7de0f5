"""What a report says of the data, of the search, and of the scores."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import networkx as nx

from bjp_engine import metrics
from bjp_engine.scores import SCORES, AssertionScore
from bjp_engine.search import SEARCHES, SearchTrace
from bjp_explorer.downloads.report_markup import listing, name, names, points, table, text
from bjp_explorer.downloads.result import Result
from bjp_explorer.downloads.script_data import reading_of
from bjp_explorer.shell import caches, origins
from bjp_explorer.shell.text import count, duration, number
from bjp_explorer.views.words import OF_TESTS, prior_of

# States of a variable that are told, and the letters of each.
_MOST_STATES, _STATE_WIDTH = 12, 28


def data_section(result: Result) -> Iterator[str]:
    """What the data are, and how they became what was learned from, as HTML."""
    loaded, data = result.loaded, result.data
    yield "<h2>Data and preparation</h2>"
    if loaded.about:
        yield f"<p>{text(loaded.about, 2000)}</p>"
    known = [
        ("Rows", f"{data.rows:,}"),
        ("Variables", f"{data.n:,}"),
        ("Digest", f"<code>{text(data.digest, 80)}</code>"),
    ]
    if loaded.missing:
        known.insert(2, ("Missing cells in the source", f"{loaded.missing:,}"))
    yield listing(known)
    if loaded.reading is not None:
        read = reading_of(loaded)
        yield "<h3>How the file was read</h3>"
        yield listing(
            (text(key), f"<code>{text(ascii(value))}</code>") for key, value in read.items()
        )
    steps = () if loaded.preparation is None else loaded.preparation.sentences
    if steps:
        yield f"<h3>Steps of the preparation</h3>\n{points(steps)}"
    if loaded.did:
        yield f"<h3>What was done</h3>\n{points(loaded.did)}"
    if not steps and not loaded.did:
        yield "<p>Nothing was changed: the table was used as it is.</p>"
    yield "<h3>Variables</h3>"
    rows = [
        (name(one), f"{len(labels):,}", _states(labels))
        for one, labels in zip(data.names, data.labels, strict=True)
    ]
    yield table(("Variable", "States", "Which"), rows, numbers=(1,))


def search_section(result: Result) -> Iterator[str]:
    """How the graph was found, as HTML."""
    trace, truth = result.learned, result.loaded.truth
    yield "<h2>How it was found</h2>"
    if truth is not None:
        yield (
            "<p>The rows were drawn from a known network. Hamming distance to it (missed plus "
            f"spurious edges): {metrics.hamming(truth, result.graph):,}.</p>"
        )
    if trace is None:
        yield (
            "<p>No search learned this graph: it was drawn by hand, published, or is the network "
            "that the rows were drawn from. The report gives its scores.</p>"
        )
        return
    yield listing(_search_facts(trace))
    if prior := prior_of(trace, result.options.get("edge_probability") == "data"):
        yield f"<p>{text(prior, 1000)}</p>"
    else:
        yield "<p>The prior over graphs was uniform.</p>"
    if result.hidden:
        yield (
            f"<p>{count(len(result.hidden), 'learned edge')} below the chosen probability: "
            "hidden here, but the score above includes them.</p>"
        )
    if result.known is not None:
        yield "<h3>What was known of pairs</h3>"
        rows = [(name(x), name(y), text(what)) for x, y, what in result.known.rows()]
        yield table(("Variable", "Variable", "Known"), rows)
    yield "<h3>Options</h3>"
    given = set(result.options)
    rows = [
        (text(key), _value(value), "chosen" if key in given else "default")
        for key, value in _options(trace)
    ]
    yield table(("Option", "Value", ""), rows)


def score_section(result: Result) -> Iterator[str]:
    """The graph under each score, compared with the empty graph, as HTML."""
    data = result.data
    empty: nx.Graph[Any] = nx.empty_graph(data.names)
    yield "<h2>Scores</h2>"
    yield (
        "<p>The scores of the graph shown, with a uniform prior over graphs. Every score has its "
        "own scale: compare graphs within a line, not lines with each other.</p>"
    )
    rows = []
    for method, kind in SCORES.items():
        cells = result.cells if isinstance(kind, AssertionScore) else "equal"
        ours, none = (
            caches.score_graph(data, graph, method, cells) for graph in (result.graph, empty)
        )
        rows.append(
            (
                f"ln {text(kind.title)}{OF_TESTS[cells]}",
                number(ours.total, 4),
                number(none.total, 4),
                number(ours.total - none.total, 4),
                f"{ours.tests:,}",
            )
        )
    head = ("Score", "This graph", "No edges", "Difference", "Tests or local scores")
    yield table(head, rows, numbers=(1, 2, 3, 4))


def _states(labels: tuple[str, ...]) -> str:
    """The states of a variable, cut where they are many."""
    told = names(labels[:_MOST_STATES], _STATE_WIDTH)
    rest = len(labels) - _MOST_STATES
    return f"{told}, … {rest:,} more" if rest > 0 else told


def _search_facts(trace: SearchTrace) -> Iterator[tuple[str, str]]:
    """Score, search and what it took."""
    yield "Score", text(SCORES[trace.method].title)
    yield "Search", text(SEARCHES[trace.search].title)
    title = f"{text(SCORES[trace.method].title)}{OF_TESTS[origins.cells_of(trace)]}"
    yield f"ln {title}", number(trace.score - trace.log_prior, 4)
    if trace.log_prior:
        yield f"ln {title} + prior, what it maximised", number(trace.score, 4)
    flips = sum(step.phase != "blanket" for step in trace.steps)
    yield "Flips that led to this graph", f"{flips - (len(trace.steps) - trace.best_at):,}"
    yield "Flips made", f"{flips:,}"
    yield "Flips tried", f"{trace.evaluations:,}"
    yield ("Local scores made" if trace.method == "mpl" else "Tests made"), f"{trace.tests:,}"
    yield "Time", text(duration(trace.seconds))
    if origins.is_whole(trace):
        yield "It stopped because", f"{text(trace.stop_reason)}."
    else:
        yield "It was cancelled", "The graph is how far the search came, not the learned one."


def _options(trace: SearchTrace) -> Iterator[tuple[str, object]]:
    """Every option of score and search, and the prior that was given."""
    for record in trace.options.values():
        if is_dataclass(record):
            yield from ((one.name, getattr(record, one.name)) for one in fields(record))
    prior = trace.structure.given
    yield from ((key, value) for key, value in prior.items() if key != "log_odds")


def _value(value: object) -> str:
    """An option's value."""
    if isinstance(value, nx.Graph):
        return text(f"a graph with {count(value.number_of_edges(), 'edge')}")
    return text("none" if value is None else value, 60)
