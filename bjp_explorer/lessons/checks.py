"""Answers judged: each sentence names the first thing that is wrong, and why.

All are pure. A culprit is told by its name, a cell by two, a card by its position.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import networkx as nx

from bjp_engine.dataset import Name
from bjp_engine.independence import IndependenceTrace
from bjp_engine.scores import AssertionTerm, ScoreTrace
from bjp_engine.search import Contribution
from bjp_explorer.lessons.model import Picks, Verdict, indices
from bjp_explorer.lessons.scene import assertion, listed, terms_of
from bjp_explorer.shell.phrases import say
from bjp_explorer.shell.text import names_list, number, plain, probability

# --- Graphs ---------------------------------------------------------------------------------------


def open_path(graph: nx.Graph[Any], a: Name, b: Name, known: Collection[Name]) -> list[Name] | None:
    """A shortest path between two nodes that no known node blocks.

    None where every path is blocked: a and b are separated.
    """
    left = graph.subgraph(set(graph) - set(known))
    return nx.shortest_path(left, a, b) if nx.has_path(left, a, b) else None


def check_separation(graph: nx.Graph[Any], ends: tuple[Name, Name], known: list[Name]) -> Verdict:
    """Whether some nodes separate two others, and none of them for nothing."""
    a, b = ends
    if path := open_path(graph, a, b, known):
        said = {"path": arrow(path), "a": plain(a), "b": plain(b)}
        through = len(path) > 2
        return Verdict(
            False,
            say("edges.question.open", **said) if through else say("edges.question.edge", **said),
        )
    for node in known:
        if open_path(graph, a, b, [other for other in known if other != node]) is None:
            return Verdict(False, say("edges.question.spare", node=plain(node)), node)
    given = say("edges.question.both") if len(known) == 2 else listed(known)
    return Verdict(
        True,
        say(
            "edges.question.right",
            a=plain(a),
            b=plain(b),
            passed=listed(known, "or"),
            known=given,
        ),
    )


def arrow(path: list[Name] | None) -> str:
    """A path in a sentence."""
    return " – ".join(plain(node) for node in path or ())


def check_blanket(graph: nx.Graph[Any], x: Name, chosen: Sequence[Name]) -> Verdict:
    """Whether some variables are a variable's blanket."""
    for node in chosen:
        if not graph.has_edge(x, node):
            stranger = say("blanket.question.stranger", node=plain(node), x=plain(x))
            return Verdict(False, stranger, node)
    size = graph.degree[x]
    if len(chosen) < size:
        said = {"x": plain(x), "chosen": len(chosen), "size": size}
        edges = say("amounts.edge", n=size)
        nothing = say("blanket.question.nothing", x=plain(x), edges=edges)
        return Verdict(False, say("blanket.question.some", **said) if chosen else nothing)
    members = names_list(v for v in graph if v in chosen)
    rest = len(graph) - size - 1
    return Verdict(
        True, say("blanket.question.right", x=plain(x), members=members, size=size, rest=rest)
    )


def check_order(graph: nx.Graph[Any], order: Sequence[Name], chosen: Sequence[Name]) -> Verdict:
    """Whether variables were put in the order ψ."""
    degree = dict(graph.degree)
    for place, (right, node) in enumerate(zip(order, chosen, strict=False)):
        if node == right:
            continue
        said = {"place": place + 1, "a": plain(right), "b": plain(node), "degree": degree[node]}
        why = (
            say("hub.question.equal", **said)
            if degree[right] == degree[node]
            else say("hub.question.smaller", **said, smaller=degree[right])
        )
        return Verdict(False, why, node)
    if len(chosen) < len(order):
        found = say("amounts.variable", n=len(chosen))
        left = len(order) - len(chosen)
        return Verdict(False, say("hub.question.unfinished", variables=found, left=left))
    last = plain(order[-1])
    return Verdict(True, say("hub.question.right", order=names_list(order), last=last))


# --- Numbers --------------------------------------------------------------------------------------


def dependent(test: IndependenceTrace) -> bool:
    """Whether a test finds dependence the more probable."""
    return test.log_dependent > test.log_independent


def check_tables(tests: Sequence[IndependenceTrace], picks: Picks) -> Verdict:
    """Whether the tables that were picked are those whose tests find dependence."""
    right = {k for k, test in enumerate(tests) if dependent(test)}
    if wrong := sorted({*indices(picks)} - right):
        test = tests[wrong[0]]
        said = {
            "letter": letter(wrong[0]),
            "x": plain(test.x),
            "y": plain(test.y),
            "probability": probability(test.log_independent),
        }
        few = sum(part.rows for part in test.slices) < 500
        why = say("counts.question.few", **said) if few else say("counts.question.close", **said)
        return Verdict(False, why, wrong[0])
    if left := right - {*indices(picks)}:
        return Verdict(False, say("counts.question.left", tables=say("amounts.table", n=len(left))))
    verdicts = "; ".join(
        f"{letter(k)}: {probability(test.log_dependent)}" for k, test in enumerate(tests)
    )
    return Verdict(True, say("counts.question.right", verdicts=verdicts))


def letter(k: int) -> str:
    """A card's name."""
    return "ABCDEFGH"[k]


def check_flip(contributions: tuple[Contribution, ...], pair: tuple[Name, ...]) -> Verdict:
    """Whether a pair has the lowest local contribution."""
    if len(pair) < 2:
        return Verdict(False, say("climb.question.ends"))
    lowest = contributions[0]
    if set(pair) == set(lowest.edge):
        said = {"pair": name_pair(lowest.edge), "value": number(lowest.value)}
        removes = say("climb.question.removes", **said)
        return Verdict(True, removes if lowest.adjacent else say("climb.question.adds", **said))
    return Verdict(False, say("climb.question.higher", pair=name_pair(pair)))


def spared(trace: ScoreTrace) -> int:
    """How many variables more the inferred tests would have conditioned on than the computed ones.

    Over all assertions.
    """
    return given_in_all(trace.inferred) - given_in_all(trace.computed)


def given_in_all(terms: Sequence[object]) -> int:
    """The sizes of some conditioning sets, added up."""
    return sum(len(term.given) for term in terms if isinstance(term, AssertionTerm))


def check_most(traces: Sequence[ScoreTrace], picks: Picks) -> Verdict:
    """Whether the network was picked from which BJP gains most."""
    if len(picks) != 1:
        return Verdict(False, say("irregular.question.nothing"))
    (k,) = indices(picks)
    found = [spared(trace) for trace in traces]
    if found[k] == max(found):
        listed = ", ".join(f"{letter(i)} {value}" for i, value in enumerate(found))
        return Verdict(True, say("irregular.question.right", found=listed))
    ranked = sorted((d for _, d in traces[k].graph.degree), reverse=True)
    degrees = ", ".join(map(str, ranked))
    more = say("irregular.question.more", letter=letter(k), saved=found[k], degrees=degrees)
    return Verdict(False, more, k)


def name_pair(pair: Sequence[Name]) -> str:
    """A pair in a sentence."""
    return " – ".join(plain(name) for name in pair)


# --- Assertions -----------------------------------------------------------------------------------


def check_inferred(trace: ScoreTrace, cells: Sequence[tuple[Name, Name]]) -> Verdict:
    """Whether some cells are those that the score infers as 1."""
    terms = {(term.x, term.y): term for term in terms_of(trace)}
    order = names_list(trace.order)
    for cell in cells:
        term = terms[cell]
        if term.computed:
            said = {"assertion": assertion(term), "x": plain(term.x), "y": plain(term.y)}
            return Verdict(False, say("bet.question.computed", **said, order=order), cell)
    inferred = [(term.x, term.y) for term in trace.inferred]
    left = [cell for cell in inferred if cell not in cells]
    if left:
        a, b = sorted(left[0], key=list(trace.graph).index)
        found, whole = len(inferred) - len(left), len(inferred)
        pair = {"a": plain(a), "b": plain(b)}
        return Verdict(False, say("bet.question.unfinished", found=found, all=whole, **pair))
    counts = {"inferred": len(inferred), "all": len(trace.terms)}
    return Verdict(True, say("bet.question.right", order=order, **counts))


def find_mirror(trace: ScoreTrace, term: AssertionTerm) -> AssertionTerm:
    """The assertion on the same pair from its other end."""
    return next(t for t in terms_of(trace) if (t.x, t.y) == (term.y, term.x))


def computed_of(trace: ScoreTrace, pair: tuple[Name, Name]) -> AssertionTerm:
    """The computed assertion of a pair."""
    return next(t for t in terms_of(trace) if t.computed and {t.x, t.y} == set(pair))
