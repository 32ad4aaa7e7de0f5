"""How to come to a result again: the steps, as pieces of Python with a sentence for each.

A script and a notebook are made of the same pieces (`script`), and the report shows them.
Whatever comes from a file or a person is a literal in ASCII, as `ascii` writes it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

import bjp_engine
from bjp_engine.confidence import EdgeConfidence
from bjp_engine.parameters.effects import PER_STEP
from bjp_engine.scores import KnownEdges, ScoreTrace
from bjp_engine.search import searches_for
from bjp_explorer.downloads.result import Result
from bjp_explorer.downloads.script_data import data_pieces
from bjp_explorer.jobs.tasks import Shuffled
from bjp_explorer.shell import caches
from bjp_explorer.views.effects import Effects, effects_of
from bjp_explorer.views.payloads import edge_indices
from bjp_explorer.views.pooled import DRAWN

_PLACES = "(data.names[i], data.names[j]) for i, j in "


@dataclass(frozen=True, slots=True)
class Piece:
    """A step."""

    # What it does, in a sentence or two; holds no text from outside.
    about: str
    # Lines of Python.
    code: str


def pieces(result: Result, *, arguments: bool = False) -> tuple[Piece, ...]:
    """All steps, in their order.

    Together a program that ends with an error unless the rows and the score are the same.
    """
    return tuple(_pieces(result, arguments))


def _pieces(result: Result, arguments: bool) -> Iterator[Piece]:
    """One after another."""
    imports = ["math"] + (["sys"] if arguments and result.loaded.kind == "file" else [])
    lines = [*(f"import {name}" for name in imports), ""]
    if result.hidden or not result.repeatable:
        lines += ["import networkx as nx", ""]
    yield Piece(
        "This needs Python 3.11 or later and the package bjp-explorer, whose engine is imported.",
        "\n".join([*lines, "import bjp_engine as bjp"]),
    )
    yield Piece(
        "The versions and values of the report. Another version of the engine may give others.",
        f"VERSION = {bjp_engine.__version__!r}\nDIGEST = {result.data.digest!r}\n"
        "if bjp.__version__ != VERSION:\n"
        '    print(f"The report is of engine {VERSION}, and this is {bjp.__version__}.")',
    )
    for about, code in data_pieces(result.loaded, arguments=arguments):
        yield Piece(about, code)
    yield Piece(
        "The digest tells one dataset from another: rows, names and states must be the same.",
        'assert data.digest == DIGEST, "These are not the rows of the report."\n'
        'print(f"{data.rows} rows, {data.n} variables, digest {data.digest}")',
    )
    if result.known is not None:
        yield _known(result.known)
    sure = result.confidence
    imputed = _imputed_tables(result)
    if imputed:
        yield Piece("All completed tables.", imputed)
    if result.tables > 1 and sure is not None:
        yield _confidence(sure, "", result.known is not None, imputed=True)
        yield from _pooled(result, sure)
    else:
        yield from _learned(result) if result.repeatable else _given(result)
    if result.tables == 1 and sure is not None:
        yield _confidence(sure, _whole(result), result.known is not None, imputed=bool(imputed))
    if result.shuffled is not None and result.repeatable:
        yield _shuffled(result, result.shuffled)
    more = "" if sure is None else ", confidence=confidence"
    if effects := effects_of(result.effects, result.data):
        yield _effects(result, effects)
        more += ", effects=effects"
    yield Piece(
        "The edges as a table. Other endings give other formats: .graphml, .gml, .json.",
        f'bjp.io.write_graph(graph, "edges.csv"{more})\n'
        'print(f"{graph.number_of_edges()} edges written to edges.csv")',
    )


def _learned(result: Result) -> Iterator[Piece]:
    """Learn again, and compare."""
    trace = result.learned
    assert trace is not None
    call = f"bjp.learn(data, {trace.method!r}, {trace.search!r}{_arguments(result.options)})"
    yield Piece("Learn the network, with the options that were chosen.", f"trace = {call}")
    yield _compare(
        "trace.score", trace.score, "ln score + prior" if trace.log_prior else "ln score"
    )
    yield Piece("The learned graph, on the names of the variables.", _graph(result))
    if isinstance(result.trace, ScoreTrace):
        yield Piece("Its score, with every term.", _score(result))
        yield _compare("scored.total", result.trace.total)


def _imputed_tables(result: Result) -> str:
    """The completed tables, or those of their variables that are used."""
    if result.loaded.imputed is None:
        return ""
    some = ".select(data.names)" if result.loaded.whole is not None else ""
    return f"imputed = made.imputed{some}"


def _pooled(result: Result, sure: EdgeConfidence) -> Iterator[Piece]:
    """The graph of the mean probabilities, compared by their sum and its score."""
    yield Piece(
        "The sum of the mean probabilities over all pairs must be that of the report.",
        f"SUM = {float(sure.matrix.sum())!r}\ntotal = confidence.matrix.sum()\n"
        'assert math.isclose(total, SUM, rel_tol=1e-9), "The probabilities differ."',
    )
    graph = f"confidence.graph({DRAWN})"
    yield Piece(
        "The pairs with a mean probability of a half or more.",
        f"whole = {graph}\n{_graph(result, 'whole')}",
    )
    if result.learned is not None:
        yield Piece(
            "Its score in the first completed table, with the prior that auto finds there.",
            f"first = bjp.learn(data, {result.method!r}, 'auto'{_arguments(result.options)})\n"
            f"scored = bjp.score(data, whole, {result.method!r}, **first.given)",
        )
        yield _compare("scored.total", result.learned.score, "ln score + prior")


def _given(result: Result) -> Iterator[Piece]:
    """A graph that was drawn or published, or found within a time: score it again."""
    about = "The graph, edge by edge, as pairs of columns."
    if result.learned is not None:
        about += " The search was stopped by a time limit or by hand, so it might find another one."
    edges = ascii([(i, j) for i, j in edge_indices(result.whole, result.data)])
    whole = _whole(result)
    yield Piece(
        about,
        f"EDGES = {edges}\n{whole} = nx.Graph()\n{whole}.add_nodes_from(data.names)\n"
        f"{whole}.add_edges_from({_PLACES}EDGES)"
        + (f"\n{_graph(result, whole)}" if result.hidden else ""),
    )
    if isinstance(result.trace, ScoreTrace):
        value = result.trace.total
    else:
        value = caches.score_graph(result.data, result.graph, result.method, result.cells).total
    yield Piece("Its score, with a uniform prior over graphs.", _score(result))
    yield _compare("scored.total", value)


def _score(result: Result) -> str:
    """Score the graph by the tests that were chosen."""
    options = _arguments(caches.test_options(result.cells))
    return f"scored = bjp.score(data, graph, {result.method!r}{options})"


def _compare(what: str, value: float, name: str = "ln score") -> Piece:
    """Stop where the score is another one."""
    return Piece(
        "It must be the score of the report, up to the last digits: another processor or "
        "another version of a mathematical library may round differently.",
        f"SCORE = {value!r}\n"
        f'assert math.isclose({what}, SCORE, rel_tol=1e-9, abs_tol=1e-9), "The score differs."\n'
        f'print(f"{name} {{{what}}}")',
    )


def _graph(result: Result, whole: str = "trace.graph") -> str:
    """The graph that is shown, from what was learned."""
    hidden = result.hidden
    assert result.learned is not None
    if not hidden:
        return f"graph = {whole}"
    pairs = ascii([(i, j) for i, j in hidden])
    return (
        "# Edges that were hidden, because their probability was below the chosen one.\n"
        f"HIDDEN = {pairs}\ngraph = nx.Graph({whole})\n"
        f"graph.remove_edges_from({_PLACES}HIDDEN)"
    )


def _whole(result: Result) -> str:
    """What the program calls the graph with the edges that were hidden, which are fitted, too."""
    if not result.hidden:
        return "graph"
    return "trace.graph" if result.repeatable and result.tables == 1 else "whole"


def _known(known: KnownEdges) -> Piece:
    """What was known of pairs, as a literal."""
    lines = [
        f"    {name}=[\n" + "".join(f"        {entry!a},\n" for entry in entries) + "    ],\n"
        for name in ("required", "forbidden", "likely", "apart")
        if (entries := getattr(known, name))
    ]
    return Piece(
        "What was known of pairs: edges that must be, can't be or have a probability, and groups "
        "of variables that may not touch.",
        f"KNOWN = bjp.scores.KnownEdges(\n{''.join(lines)})",
    )


def _confidence(sure: EdgeConfidence, of: str, known: bool, *, imputed: bool) -> Piece:
    """The number of each edge, computed again."""
    given = dict(sure.options)
    if sure.kind == "test":
        about = "The probability of each edge: the posterior of its test."
        call = f"bjp.confidence.test_confidence(data, {of}, {sure.method!r}{_arguments(given)})"
    elif sure.kind == "calibrated":
        about = "The probability of each edge, calibrated on known networks."
        if imputed:
            about += " It is the mean over all completed tables."
        of = "imputed" if imputed else "data"
        call = f"bjp.edge_probabilities({of}{', known=KNOWN' if known else ''})"
    elif sure.kind == "bootstrap":
        about = (
            "The probability of each edge: its frequency over the resamples. This takes a while."
        )
        more = {"resamples": sure.asked, "seed": sure.seed, **given}
        search = sure.search or searches_for(sure.method)[0]
        call = f"bjp.confidence.bootstrap(data, {sure.method!r}, {search!r}{_arguments(more)})"
    else:
        about = "The probability of each edge: its posterior over all graphs."
        call = f"bjp.confidence.posterior_edges(data, {sure.method!r}{_arguments(given)})"
    return Piece(about, f"confidence = {call}")


def _effects(result: Result, effects: Effects) -> Piece:
    """The effect of each edge, estimated again."""
    sizes, signed = result.data.cardinalities, [p for p in effects if effects[p].kind == PER_STEP]
    ordered = sorted({i for pair in signed for i in pair if sizes[i] > 2})
    given = f"ordered=[data.names[i] for i in {ordered}]" if ordered else ""
    graph = _whole(result)
    about, call = "", f"bjp.fit_parameters(data, {graph}).effects({given})"
    if result.effects is not None and "tables" in result.effects.attrs:
        about = " by Rubin's rules, pooled over all completed tables"
        call = f"bjp.parameters.pool_effects(imputed, {graph}{given and ', '}{given})"
    return Piece(
        f"The effect of each edge, with a 95 % interval{about}. The largest one must be that "
        "of the report.",
        f"effects = {call}\n"
        f"LARGEST = {max(abs(each.effect) for each in effects.values())!r}\n"
        'largest = effects["effect"].abs().max()\n'
        'assert math.isclose(largest, LARGEST, rel_tol=1e-6), "The effects differ."\n'
        "print(effects.to_string(index=False))",
    )


def _shuffled(result: Result, found: Shuffled) -> Piece:
    """What the search finds by chance, and whether it is the same again."""
    trace, tables = result.learned, len(found.edges)
    assert trace is not None
    call = f"bjp.learn(one, {trace.method!r}, {trace.search!r}{_arguments(result.options)})"
    return Piece(
        "The same search where every column is shuffled, so that no variable depends on another: "
        f"edges, and pairs with a calibrated probability of {found.threshold:g} or more.",
        f"tables = [bjp.confidence.shuffle_columns(data, seed) for seed in range({tables})]\n"
        f"edges = [{call}.graph.number_of_edges() for one in tables]\n"
        "shares = [bjp.edge_probabilities(one).matrix for one in tables]\n"
        f"present = [int((one >= {found.threshold!r}).sum()) // 2 for one in shares]\n"
        f"assert edges == {list(found.edges)} and present == {list(found.present)}\n"
        f'print(f"shuffled: {{sum(edges) / {tables}}} edges, {{sum(present) / {tables}}} pairs")',
    )


def _arguments(options: Mapping[str, Any]) -> str:
    """Options as keyword arguments, each a literal."""
    plain = {name: _plain(value) for name, value in options.items()}
    return "".join(
        f", {name}={'KNOWN' if isinstance(value, KnownEdges) else ascii(value)}"
        for name, value in plain.items()
    )


def _plain(value: object) -> object:
    """A number as Python's own."""
    return value.item() if isinstance(value, np.generic) else value
