"""A result as one HTML file to keep and print: no script, nothing fetched, all names escaped."""

from __future__ import annotations

import base64
import platform
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from datetime import date
from html import escape
from importlib import metadata
from typing import Any

import networkx as nx

import bjp_engine
from bjp_engine import metrics
from bjp_engine.confidence.edges import judge_pairs
from bjp_engine.dataset import Name
from bjp_engine.scores import SCORES, AssertionScore
from bjp_engine.search import SEARCHES, SearchTrace
from bjp_explorer.downloads.drawing import picture
from bjp_explorer.downloads.result import Result
from bjp_explorer.downloads.script import missing_of, reading_of, script
from bjp_explorer.shell import caches, origins
from bjp_explorer.shell.sources import PART
from bjp_explorer.shell.text import count, duration, number, plain
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
)

POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
    "form-action 'none'"
)
STYLE = """
:root { color-scheme: light dark; --line: #8886; --quiet: #5c6873; }
@media (prefers-color-scheme: dark) { :root { --quiet: #a3aeb8; } }
* { box-sizing: border-box; }
body { font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif;
  max-width: 64rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.8rem; line-height: 1.2; margin: 0.5rem 0; overflow-wrap: anywhere; }
h2 { font-size: 1.25rem; margin: 2.2rem 0 0.5rem; padding-top: 0.6rem;
  border-top: 1px solid var(--line); }
h3 { font-size: 1rem; margin: 1.2rem 0 0.3rem; }
p, li { overflow-wrap: anywhere; }
.quiet { color: var(--quiet); }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 0.6rem 0; font-variant-numeric: tabular-nums; }
th, td { padding: 0.25rem 0.8rem 0.25rem 0; border-bottom: 1px solid var(--line);
  text-align: left; vertical-align: top; overflow-wrap: break-word; }
th { font-weight: 600; white-space: nowrap; }
.number { text-align: right; white-space: nowrap; }
figure { margin: 1rem 0; }
figure img { display: block; width: 100%; height: auto; border: 1px solid var(--line); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; padding: 0.8rem;
  border: 1px solid var(--line); font: 13px/1.5 ui-monospace, "DejaVu Sans Mono", monospace; }
code { font: 0.9em ui-monospace, "DejaVu Sans Mono", Consolas, monospace; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.2rem 1rem; margin: 0.6rem 0; }
dt { font-weight: 600; }
dd { margin: 0; overflow-wrap: anywhere; }
@media (max-width: 32rem) { dl { display: block; } dd { margin-bottom: 0.4rem; } }
@media print {
  :root { color-scheme: light; --quiet: #444; --line: #999; }
  body { max-width: none; padding: 0; font-size: 10.5pt; }
  h2, h3 { break-after: avoid; }
  tr, figure, li { break-inside: avoid; }
  thead { display: table-header-group; }
  .wide { overflow: visible; }
}
@page { margin: 18mm 16mm; }
"""
_PACKAGES = ("bjp-explorer", "numpy", "numba", "networkx", "scipy", "pandas")
# Options of `bjp learn` that have a name of their own.
_OWN = (
    *("prior", "gamma", "slices", "prior_cells", "ess", "expected_degree", "edge_probability"),
    *("start", "seed", "evaluations"),
)
# States of a variable that are named, and pairs outside the graph.
_MOST_STATES, _MOST_OTHERS = 12, 20


def report_html(result: Result, made: date | None = None) -> bytes:
    """The report, in UTF-8."""
    title = _text(result.loaded.title, 120)
    image = base64.b64encode(picture(result, "svg")).decode()
    when = "" if made is None else f" on {made.isoformat()}"
    paper = result.paper()
    parts = [
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        '<meta name="referrer" content="no-referrer">',
        f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>",
        f"<h1><bdi>{title}</bdi></h1>",
        f"<p>{_summary(result)}</p>",
        *(f"<p><strong>Warning:</strong> {_text(one, 2000)}</p>" for one in result.warnings),
        (
            f'<figure><img alt="{_text(result.about)}" src="data:image/svg+xml;base64,{image}">'
            "</figure>"
        ),
        *_data(result),
        *_search(result),
        *_edges(result),
        *_scores(result),
        *_repeat(result),
        *(["<h2>For a paper</h2>"] * bool(paper)),
        *(f"<p>{_text(part, 20_000)}</p>" for part in paper.split("\n\n") if part),
        f'<p class="quiet">Made{when} with BJP Explorer {_text(bjp_engine.__version__)}.</p>',
        "</main>\n</body>\n</html>\n",
    ]
    return "\n".join(parts).encode()


# --- Values as HTML: every one goes through here --------------------------------------------------


def _text(value: object, width: int = 400) -> str:
    """Any text as HTML that shows it on one line, cut where it is too long to read."""
    return escape(plain(value, width))


def _name(of: Name, width: int = 60) -> str:
    """A variable's name; written from right to left it turns nothing else round."""
    return f"<bdi>{escape(plain(of, width))}</bdi>"


def _names(of: Iterable[Name], width: int = 40) -> str:
    return ", ".join(_name(one, width) for one in of) or "∅"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[int] = ()) -> str:
    """A table; columns of numbers are aligned to the right."""
    kinds = [' class="number"' if i in numbers else "" for i in range(len(head))]

    def line(cells: Sequence[str], tag: str, more: str = "") -> str:
        found = zip(kinds, cells, strict=True)
        return f"<tr>{''.join(f'<{tag}{more}{k}>{cell}</{tag}>' for k, cell in found)}</tr>"

    body = "\n".join(line(row, "td") for row in rows)
    top = line(head, "th", ' scope="col"')
    return (
        f'<div class="wide" tabindex="0"><table>\n<thead>{top}</thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table></div>"
    )


def _listing(pairs: Iterable[tuple[str, str]]) -> str:
    return f"<dl>{''.join(f'<dt>{term}</dt><dd>{told}</dd>' for term, told in pairs)}</dl>"


def _points(sentences: Iterable[str]) -> str:
    """Sentences as a list in their order."""
    return f"<ol>{''.join(f'<li>{_text(one, 2000)}</li>' for one in sentences)}</ol>"


# --- The sections ---------------------------------------------------------------------------------


def _summary(result: Result) -> str:
    data, found, prior = result.data, result.learned, result.trace.log_prior
    size = f"{count(result.graph.number_of_edges(), 'edge')} between {count(data.n, 'variable')}"
    how = "compared with"
    if found is not None:
        how = f"{_text(origins.origin(found, result.tables))}, from"
    objective = (
        f" The prior over graphs adds {number(prior, 4)} to it. The search maximised the sum, "
        f"{number(result.objective, 4)}."
        if prior
        else ""
    )
    return (
        f"A Markov network with {size}, {how} {count(data.rows, 'row')}. "
        f"{result.score_name} = {number(result.total, 4)}.{objective}"
    )


def _data(result: Result) -> Iterator[str]:
    loaded, data = result.loaded, result.data
    yield "<h2>Data and preparation</h2>"
    if loaded.about:
        yield f"<p>{_text(loaded.about, 2000)}</p>"
    known = [("Rows", f"{data.rows:,}"), ("Variables", f"{data.n:,}")]
    if loaded.missing:
        known.append(("Missing cells in the source", f"{loaded.missing:,}"))
    yield _listing([*known, ("Digest", f"<code>{_text(data.digest, 80)}</code>")])
    if loaded.reading is not None:
        yield "<h3>How the file was read</h3>"
        read = reading_of(loaded).items()
        yield _listing((_text(key), f"<code>{_text(ascii(value))}</code>") for key, value in read)
    steps = () if loaded.preparation is None else loaded.preparation.sentences
    if steps:
        yield f"<h3>Steps of the preparation</h3>\n{_points(steps)}"
    if loaded.did:
        yield f"<h3>What was done</h3>\n{_points(loaded.did)}"
    if not steps and not loaded.did:
        yield "<p>Nothing was changed: the table was used as it is.</p>"
    yield "<h3>Variables</h3>"
    rows = []
    for one, labels in zip(data.names, data.labels, strict=True):
        more = f", … {len(labels) - _MOST_STATES:,} more" * (len(labels) > _MOST_STATES)
        rows.append((_name(one), f"{len(labels):,}", _names(labels[:_MOST_STATES], 28) + more))
    yield _table(("Variable", "States", "Which"), rows, numbers=(1,))


def _search(result: Result) -> Iterator[str]:
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
    yield _listing(_search_facts(trace))
    prior = prior_of(trace, result.options.get("edge_probability") == "data")
    yield f"<p>{_text(prior or 'The prior over graphs was uniform.', 1000)}</p>"
    if result.known is not None:
        yield "<h3>What was known of pairs</h3>"
        known = [(_name(x), _name(y), _text(what)) for x, y, what in result.known.rows()]
        yield _table(("Variable", "Variable", "Known"), known)
    yield "<h3>Options</h3>"
    records = [one for one in trace.options.values() if is_dataclass(one)]
    options = [
        (one.name, getattr(record, one.name)) for record in records for one in fields(record)
    ]
    options += [(key, value) for key, value in trace.structure.given.items() if key != "log_odds"]
    rows = [
        (_text(key), _value(value), "chosen" if key in result.options else "default")
        for key, value in options
    ]
    yield _table(("Option", "Value", ""), rows)


def _value(value: object) -> str:
    if isinstance(value, nx.Graph):
        return _text(f"a graph with {count(value.number_of_edges(), 'edge')}")
    return _text("none" if value is None else value, 60)


def _search_facts(trace: SearchTrace) -> Iterator[tuple[str, str]]:
    yield "Score", _text(SCORES[trace.method].title)
    yield "Search", _text(SEARCHES[trace.search].title)
    title = f"{_text(SCORES[trace.method].title)}{OF_TESTS[origins.cells_of(trace)]}"
    yield f"ln {title}", number(trace.score - trace.log_prior, 4)
    if trace.log_prior:
        yield f"ln {title} + prior, what it maximised", number(trace.score, 4)
    flips = sum(step.phase != "blanket" for step in trace.steps)
    yield "Flips that led to this graph", f"{flips - (len(trace.steps) - trace.best_at):,}"
    yield "Flips made", f"{flips:,}"
    yield "Flips tried", f"{trace.evaluations:,}"
    yield ("Local scores made" if trace.method == "mpl" else "Tests made"), f"{trace.tests:,}"
    yield "Time", _text(duration(trace.seconds))
    if origins.is_whole(trace):
        yield "It stopped because", f"{_text(trace.stop_reason)}."
    else:
        yield "It was cancelled", "The graph is how far the search came, not the learned one."


def _edges(result: Result) -> Iterator[str]:
    """A line for each edge, for the most probable other pairs, and for each variable's blanket."""
    data, graph, sure, effects = result.data, result.graph, result.sure(), result.of_edges()
    yield "<h2>Edges</h2>"
    yield f"<p>{_text(meaning_of_confidence(sure), 1000)}</p>"
    if result.confidence is not None:
        told = describe_verdicts(judge(sure)).replace("**", "")
        yield f"<p>{_text(told, 1000)}</p>"
    if result.shuffled is not None and result.learned is not None:
        told = describe_shuffled(result.shuffled, result.learned).replace("**", "")
        yield f"<p>{_text(told, 1000)}</p>"
    if effects:
        yield f"<p>{_text(define(effects, result.effects), 1000)}</p>"
    edges = [(i, j) for i, j in edge_indices(graph, data)]
    likely = sure.to_frame(0.5)[["x", "y"]].to_numpy(dtype=object).tolist()
    others = [pair for pair in likely if not graph.has_edge(*pair)][:_MOST_OTHERS]
    pairs = sorted(edges, key=lambda pair: -sure.matrix[pair])
    yield _pairs(pairs, result) if edges else "<p>The graph has no edge.</p>"
    if others:
        yield "<h3>Pairs outside the graph with probability ½ or more</h3>"
        yield _pairs([(data.index(x), data.index(y)) for x, y in others], result)
    yield "<h2>Blankets</h2>"
    yield (
        "<p>A variable is independent of all others given its blanket, its neighbours in the "
        "graph.</p>"
    )
    rows = []
    for one in data.names:
        blanket = sorted(graph[one], key=data.index) if one in graph else []
        rows.append((_name(one), f"{len(blanket):,}", _names(blanket)))
    yield _table(("Variable", "Neighbours", "Blanket"), rows, numbers=(1,))


def _pairs(pairs: Sequence[tuple[int, int]], result: Result) -> str:
    data, sure, effects = result.data, result.sure(), result.of_edges()
    head = ["One end", "The other", MEASURES[sure.kind].capitalize()]
    head += ["Verdict"] * (sure.judged is not None)
    head += ["Effect", "Interval", "Measure", "Joins"] * bool(effects)
    rows = []
    for i, j in pairs:
        p = float(sure.matrix[i, j])
        row = [_name(data.names[i]), _name(data.names[j]), number(p, 4)]
        if sure.judged is not None:
            row.append(str(judge_pairs(p, sure.judged[i, j])))
        if effects:
            effect = effects.get((i, j))
            among = f" (rows with {effect.among})" if effect and effect.among else ""
            row += (
                [""] * 4
                if effect is None
                else [
                    number(effect.effect, 2),
                    effect.interval,
                    effect.kind,
                    _text(f"{' – '.join(effect.joined)}{among}"),
                ]
            )
        rows.append(row)
    return _table(
        head, rows, numbers=[k for k, one in enumerate(head) if k == 2 or one == "Effect"]
    )


def _scores(result: Result) -> Iterator[str]:
    data = result.data
    empty: nx.Graph[Any] = nx.empty_graph(data.names)
    yield "<h2>Scores</h2>"
    yield (
        "<p>The scores of the graph shown, with a uniform prior over graphs. Every score has its "
        "own scale: compare graphs within a line, not lines with each other.</p>"
    )
    rows, against = [], []
    for method, kind in SCORES.items():
        cells = result.cells if isinstance(kind, AssertionScore) else "equal"
        ours, none = (
            caches.score_graph(data, graph, method, cells) for graph in (result.graph, empty)
        )
        name = f"ln {_text(kind.title)}{OF_TESTS[cells]}"
        against += [name] * (ours.total < none.total)
        numbers = (ours.total, none.total, ours.total - none.total)
        rows.append((name, *(number(one, 4) for one in numbers), f"{ours.tests:,}"))
    head = ("Score", "This graph", "No edges", "Difference", "Tests or local scores")
    yield _table(head, rows, numbers=(1, 2, 3, 4))
    if against:
        yield (
            f"<p>{', '.join(against)}: the graph without edges scores higher. Each edge multiplies "
            "the slices or parameters that a score pays for, so with many states or few rows it "
            "can prefer no edge where the evidence of single pairs is clear.</p>"
        )


def _repeat(result: Result) -> Iterator[str]:
    yield "<h2>How to repeat it</h2>"
    found = [("Python", _text(platform.python_version()))]
    for package in _PACKAGES:
        try:
            found.append((package, _text(metadata.version(package))))
        except metadata.PackageNotFoundError:
            found.append((package, "not installed as a package"))
    yield _listing(found)
    if line := learn_line(result):
        yield "<p>In a terminal, in the folder of the file:</p>"
        yield f"<pre>{escape(line)}</pre>"
    yield (
        "<p>In Python, the program below. It ends with an error unless rows and score are those of "
        "this report.</p>"
    )
    yield f"<pre>{escape(script(result).decode('ascii'))}</pre>"


def learn_line(result: Result) -> str | None:
    """The command for a shell, where one line can say it: of a sample that is used as it is."""
    loaded, trace = result.loaded, result.learned
    plain_sample = loaded.kind == "sample" and loaded.preparation is None
    if not plain_sample or PART in loaded.token or trace is None or not result.repeatable:
        return None
    if result.known is not None:
        return None
    words = ["bjp", "learn", f"{loaded.base.partition(':')[0]}.csv"]
    words += ["--method", trace.method, "--search", trace.search]
    policy = missing_of(loaded)
    words += ["--missing", policy] if policy else []
    for key, value in result.options.items():
        own = [f"--{key.replace('_', '-')}", str(value)]
        words += own if key in _OWN else ["--option", f"{key}={value}"]
    return shlex.join([*words, "--output", "graph.json"])
