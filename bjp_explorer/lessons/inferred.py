"""Lesson 5: what is inferred as 1, and why that is right (the paper's Appendix A)."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx

from bjp_engine.dataset import Name
from bjp_engine.scores import AssertionTerm, ScoreTrace
from bjp_explorer.lessons import data as here
from bjp_explorer.lessons.model import (
    Lesson,
    Payload,
    Picks,
    Question,
    Step,
    Touch,
    Verdict,
    cells,
    each,
    each_cell,
    each_pair,
    first_index,
    indices,
)
from bjp_explorer.lessons.scene import (
    assertion,
    by_column,
    listed,
    matrix,
    network,
    pair_of,
    terms_of,
)
from bjp_explorer.lessons.trace_checks import check_inferred, find_mirror
from bjp_explorer.shell import caches
from bjp_explorer.shell.phrases import Joined, Phrase, Said, say
from bjp_explorer.shell.text import names_list, plain, probability, psi

# Two circles share an edge in the question's network: a triangle with a tail.
TRIANGLE_AND_TAIL = (("X0", "X1"), ("X0", "X2"), ("X1", "X2"), ("X1", "X3"))


def pose() -> here.Place:
    """The network of the question."""

    def make() -> here.Place:
        graph: nx.Graph[str] = nx.Graph()
        graph.add_nodes_from(f"X{k}" for k in range(4))
        graph.add_edges_from(TRIANGLE_AND_TAIL)
        return here.draw_sample(graph, "log-odds", here.SEED, here.ROWS)

    return caches.once(("lesson", "triangle"), make)


# --- Views ----------------------------------------------------------------------------------------


def _twice(picks: Picks) -> Payload:
    """Both assertions of a pair."""
    place = here.hub()
    data, trace = place.data, place.score("ib")
    if not picks:
        drawing = network(place)
        return {"networks": [drawing], "matrix": matrix(trace, data, by_column=True)}
    x, y = (data.names[k] for k in indices(picks))
    one = next(t for t in terms_of(trace) if (t.x, t.y) == (x, y))
    other = find_mirror(trace, one)
    said = {"x": plain(x), "y": plain(y), "one": assertion(one), "other": assertion(other)}
    drawing = network(
        place,
        roles={x: "x", y: "y"},
        tones={frozenset((x, y)): "tested"},
        kind="dependent" if one.dependent else "independent",
    )
    return {
        "networks": [drawing],
        "matrix": matrix(trace, data, by_column=True) | {"pair": list(picks)},
        "say": [
            say("inferred.twice.edge", **said)
            if one.dependent
            else say("inferred.twice.missing", **said)
        ],
    }


def _one_by_one(picks: Picks) -> Payload:
    """The blankets asked for one after another, in the order ψ."""
    place = here.hub()
    data, trace = place.data, place.score()
    k = first_index(picks)
    a_row = data.n - 1
    filled = matrix(trace, data, reached=k * a_row)
    if k == 0:
        drawing = network(place, order=trace.order)
        return {"networks": [drawing], "matrix": filled, "say": [say("inferred.turns.start")]}
    x, earlier = trace.order[k - 1], trace.order[: k - 1]
    blanket = names_list(z for z in data.names if place.graph.has_edge(x, z))
    tests = sum(term.computed for term in terms_of(trace) if term.x == x)
    left = say("inferred.turns.left", tests=say("amounts.test", n=tests))
    said = [say("inferred.turns.blanket", place=psi(k - 1), x=plain(x), blanket=blanket)]
    said += [_say_settled(place, x, earlier)] if earlier else []
    said += [left if tests else say("inferred.turns.done")]
    drawing = network(place, roles={x: "x"} | dict.fromkeys(earlier, "given"), order=trace.order)
    return {"networks": [drawing], "matrix": filled, "say": [Joined(tuple(said))]}


def _say_settled(place: here.Place, x: Name, earlier: Sequence[Name]) -> Phrase:
    """What the blankets before say of this one."""
    inside = [z for z in earlier if place.graph.has_edge(x, z)]
    outside = [z for z in earlier if z not in inside]
    parts: list[Said] = []
    if inside:
        parts.append(say("inferred.turns.inside", x=plain(x), others=listed(inside)))
    if len(outside) == 1:
        parts.append(say("inferred.turns.outside_one", x=plain(x), other=plain(outside[0])))
    elif outside:
        parts.append(say("inferred.turns.outside", x=plain(x), others=listed(outside)))
    return say("inferred.turns.settled", parts=Joined(tuple(parts), by="; "))


def _cell(picks: Picks) -> Payload:
    """One assertion: its test, or why there is none."""
    place = here.hub()
    data, trace = place.data, place.score()
    if not picks:
        drawing = network(place, order=trace.order)
        return {"networks": [drawing], "matrix": matrix(trace, data)}
    (cell,) = cells(picks)
    x, y = (data.names[k] for k in cell)
    term = next(t for t in terms_of(trace) if (t.x, t.y) == (x, y))
    drawing = network(place, order=trace.order, **pair_of(term, data))
    return {
        "networks": [drawing],
        "matrix": matrix(trace, data) | {"pair": sorted(cell)},
        "say": [explain(place, trace, term)],
    }


def explain(place: here.Place, trace: ScoreTrace, term: AssertionTerm) -> Phrase:
    """An assertion in words: its posterior, or from which one it is inferred."""
    test = place.test(term.x, term.y, term.given)
    said: dict[str, Said] = {
        "assertion": assertion(term),
        "slices": say("amounts.slice", n=test.configurations),
    }
    if term.computed:
        return say("inferred.computed", **said, probability=probability(term.value))
    value = test.log_dependent if term.dependent else test.log_independent
    said |= {"mirror": assertion(find_mirror(trace, term)), "probability": probability(value)}
    return say("inferred.edge", **said) if term.dependent else say("inferred.missing", **said)


def _question(_picks: Picks) -> Payload:
    """The network and its matrix in the order of the columns, with nothing filled in."""
    place = pose()
    return {
        "networks": [network(place)],
        "matrix": matrix(place.score(), place.data, reached=0, by_column=True),
    }


def _reveal() -> Payload:
    """The same with all cells filled in."""
    place = pose()
    trace = place.score()
    return {
        "networks": [network(place, order=trace.order)],
        "matrix": matrix(trace, place.data, by_column=True),
    }


def _check(picks: Picks) -> Verdict:
    """The answer in names."""
    place = pose()
    chosen = [(place.names[x], place.names[y]) for x, y in cells(picks)]
    verdict = check_inferred(place.score(), chosen)
    return by_column(verdict, place.data)


def _answer() -> Picks:
    """The inferred cells by columns."""
    place = pose()
    at = place.data.index
    return tuple(sorted((at(term.x), at(term.y)) for term in place.score().inferred))


# --- The lesson -----------------------------------------------------------------------------------

LESSON = Lesson(
    "inferred",
    (
        Step("inferred.twice", _twice, Touch("pair", lambda: each_pair(here.hub().data.n))),
        Step("inferred.turns", _one_by_one, Touch("frame", lambda: each(here.hub().data.n + 1))),
        Step(
            "inferred.certain",
            _cell,
            Touch("cell", lambda: each_cell(here.hub().score(), here.hub().names)),
        ),
        Step("inferred.question", _question, question=Question("cells", _check, _answer, _reveal)),
    ),
)
