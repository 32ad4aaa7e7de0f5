"""What a report says of each edge, and of each variable's blanket."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bjp_engine.confidence import EdgeConfidence
from bjp_engine.confidence.edges import judge_pairs
from bjp_explorer.downloads.report_markup import name, names, table, text
from bjp_explorer.downloads.result import Result
from bjp_explorer.shell.text import number
from bjp_explorer.views import edges as network_edges
from bjp_explorer.views.edges import Line
from bjp_explorer.views.effects import Effect, Effects, define, kinds_of
from bjp_explorer.views.verdicts import judge
from bjp_explorer.views.words import (
    MEASURES,
    describe_shuffled,
    describe_verdicts,
    meaning_of_confidence,
)

# Other pairs than edges that are told, the surest first.
_MOST_OTHERS = 20


def edge_section(result: Result, tests: EdgeConfidence) -> Iterator[str]:
    """A line for each edge: its probability, its test, and the blanket that is given, as HTML."""
    data = result.data
    sure = tests if result.confidence is None else result.confidence
    found = network_edges.lines(data, result.whole, sure, tests, 0.0)
    edges = [x for x in found if result.graph.has_edge(data.names[x.i], data.names[x.j])]
    others = [x for x in found if not x.learned][:_MOST_OTHERS]
    yield "<h2>Edges</h2>"
    if sure.kind != "test":
        yield f"<p>{text(meaning_of_confidence(sure, _prior(sure)), 1000)}</p>"
    if sure.kind == "calibrated":
        told = describe_verdicts(judge(sure)).replace("**", "")
        yield f"<p>{text(told, 1000)}</p>"
    yield (
        f"<p>{MEASURES['test']} is the posterior of the one test that BJP computes for the pair, "
        "given the blanket of one end. It is not why a pair is an edge, because a search compares "
        "scores of whole graphs.</p>"
    )
    if result.shuffled is not None and result.learned is not None:
        told = describe_shuffled(result.shuffled, result.learned).replace("**", "")
        yield f"<p>{text(told, 1000)}</p>"
    effects = result.of_edges()
    if effects:
        yield f"<p>{text(define(effects, result.effects), 1000)}</p>"
    if edges:
        yield _table(edges, result, sure, effects)
    else:
        yield "<p>The graph has no edge.</p>"
    if others:
        yield "<h3>Pairs outside the graph with probability ½ or more</h3>"
        yield _table(others, result, sure, {})


def blanket_section(result: Result) -> Iterator[str]:
    """A line for each variable, as HTML."""
    data, graph = result.data, result.graph
    yield "<h2>Blankets</h2>"
    yield (
        "<p>A variable is independent of all others given its blanket, its neighbours in the "
        "graph.</p>"
    )
    rows = []
    for one in data.names:
        blanket = sorted(graph[one], key=data.index) if one in graph else []
        rows.append((name(one), f"{len(blanket):,}", names(blanket)))
    yield table(("Variable", "Neighbours", "Blanket"), rows, numbers=(1,))


def _table(found: Sequence[Line], result: Result, sure: EdgeConfidence, effects: Effects) -> str:
    """Pairs as a table."""
    data, more = result.data, sure.kind != "test"
    error = any(line.error is not None for line in found)
    head = ["One end", "The other"]
    several = bool(kinds_of(effects))
    head += ["Effect", "Interval"] if effects else []
    head += [MEASURES[sure.kind].capitalize()] if more else []
    head += ["±"] if error else []
    head += [MEASURES["test"]]
    numbers = range(2, len(head))
    head += ["Verdict"] if sure.judged is not None else []
    head += ["Measure"] if several else []
    head += ["Joins"] if effects else []
    head += ["Given"]
    rows = [
        [
            name(data.names[line.i]),
            name(data.names[line.j]),
            *_effect_cells(effects.get((line.i, line.j)), bool(effects)),
            *([number(line.confidence, 4)] if more else []),
            *([number(line.error or 0.0, 4)] if error else []),
            number(line.test, 4),
            *_verdict(line, sure),
            *([_kind(line, effects)] if several else []),
            *([_joined(line, effects)] if effects else []),
            names(line.given, 28),
        ]
        for line in found
    ]
    return table(head, rows, numbers=numbers)


def _effect_cells(effect: Effect | None, asked: bool) -> list[str]:
    """Its effect and interval, as far as they were estimated."""
    if effect is None:
        return ["", ""] if asked else []
    return [number(effect.effect, 2), effect.interval]


def _kind(line: Line, effects: Effects) -> str:
    """Which measure its effect is."""
    effect = effects.get((line.i, line.j))
    return "" if effect is None else effect.kind


def _joined(line: Line, effects: Effects) -> str:
    """Which states its effect joins."""
    effect = effects.get((line.i, line.j))
    states = () if effect is None else effect.joined
    among = "" if effect is None or not effect.among else f" (rows with {text(effect.among)})"
    return " – ".join(map(text, states)) + among


def _verdict(line: Line, sure: EdgeConfidence) -> list[str]:
    """How it is judged, where probabilities are calibrated."""
    if sure.judged is None:
        return []
    return [str(judge_pairs(line.confidence, sure.judged[line.i, line.j]))]


def _prior(sure: EdgeConfidence) -> str:
    """The prior over graphs."""
    degree = sure.options.get("expected_degree")
    if degree is None:
        return "a uniform prior"
    return f"a prior of {number(float(degree), 1).removesuffix('.0')} neighbours per variable"
