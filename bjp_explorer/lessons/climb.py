"""Lesson 6: the climb, flip by flip, and how it gets stuck."""

from __future__ import annotations

from functools import cache
from itertools import combinations
from math import comb
from typing import Any

import networkx as nx

from bjp_engine import learn, metrics
from bjp_engine.scores import ScoreTrace
from bjp_engine.search import Contribution, SearchTrace
from bjp_engine.search import Step as Flip
from bjp_explorer.lessons import scene
from bjp_explorer.lessons.bet import explain
from bjp_explorer.lessons.model import Lesson, Payload, Picks, Question, Step, Touch, Verdict, say
from bjp_explorer.lessons.scene import (
    PAIRS,
    Place,
    computed_of,
    coronary,
    joined,
    matrix,
    network,
    pair_of,
)
from bjp_explorer.shell.text import number, plain, probability
from bjp_explorer.views import examples
from bjp_explorer.views.payloads import edge_indices

# After this many flips the question asks for the next.
ASKED_AFTER = 6
LOWEST = 5


def after(trace: SearchTrace, flips: int) -> nx.Graph[Any]:
    """The graph after some flips of a search."""
    graph: nx.Graph[Any] = nx.Graph()
    graph.add_nodes_from(trace.start)
    graph.add_edges_from(trace.start.edges)
    for step in trace.steps[:flips]:
        (graph.add_edge if step.added else graph.remove_edge)(*step.edge)
    return graph


def _climb() -> SearchTrace:
    return examples.learn_coronary("bjp")


def _score_after(trace: SearchTrace, flips: int) -> float:
    return trace.steps[flips - 1].score if flips else trace.start_score


def _proposal(trace: SearchTrace, k: int) -> Flip | None:
    """A flip by its number from 1, or after the last one what was refused; None for the rest."""
    return None if k < 1 else trace.steps[k - 1] if k <= len(trace.steps) else trace.rejected


def _contributions(trace: SearchTrace, flips: int) -> tuple[Contribution, ...]:
    step = _proposal(trace, flips + 1)
    return step.contributions if step else ()


def _lowest(flips: int) -> Payload:
    """The pairs that are believed least."""
    return {
        "head": [say("climb.pair"), say("climb.asserted"), "ln Pr"],
        "rows": [
            [
                joined(c.edge),
                say("climb.edge") if c.adjacent else say("climb.missing"),
                number(c.value),
            ]
            for c in _contributions(_climb(), flips)[:LOWEST]
        ],
        "current": 0,
    }


def _start(picks: Picks) -> Payload:
    place = coronary()
    trace = place.score("bjp", after(_climb(), 0))
    shown = {"matrix": matrix(trace, place.data), "table": _lowest(0)}
    if not picks:
        return shown | {"networks": [network(place, trace.graph)]}
    term = computed_of(trace, place.named(picks))
    drawing = network(place, trace.graph, **pair_of(term, place.data))
    explained = explain(place, trace, term)
    said = say("climb.start.contribution", explained=explained, value=number(term.value))
    return shown | {"networks": [drawing], "say": [said]}


def _flips(picks: Picks) -> Payload:
    """A climb after some flips; the last frame is the proposal that was refused."""
    climb = _climb()
    (k,) = picks or (0,)
    flips = min(k, len(climb.steps))
    graph, step = after(climb, flips), _proposal(climb, k)
    edges = graph.number_of_edges()
    said = say("climb.flips.start")
    if step:
        what = "refused" if step is climb.rejected else "added" if step.added else "removed"
        gain = number(step.gain)
        said = say(f"climb.flips.{what}", k=k, pair=joined(step.edge), gain=gain)
    return {
        "networks": [_draw_flip(coronary(), climb, k)],
        "table": _lowest(flips),
        "figures": [
            {"value": number(_score_after(climb, flips), 3), "caption": say("climb.flips.score")},
            {"value": str(edges), "caption": say("climb.flips.edges", n=edges)},
        ],
        "say": [said],
    }


def _draw_flip(place: Place, climb: SearchTrace, k: int) -> Payload:
    """The graph after a flip, which is marked; or the pair whose flip was refused."""
    made = len(climb.steps)
    graph, step = after(climb, min(k, made)), _proposal(climb, k)
    if step is None:
        return network(place, graph)
    i, j = place.data.indices(step.edge)
    link = {"i": i, "j": j, "tone": "proposed", "question": True, "straight": False}
    return network(
        place,
        graph,
        roles=dict(zip(step.edge, "xy", strict=True)),
        tones={frozenset(step.edge): "added"},
        link=link if k > made and not graph.has_edge(*step.edge) else None,
    )


# --- Stuck ----------------------------------------------------------------------------------------


@cache
def find_stuck_climbs() -> tuple[Place, SearchTrace, SearchTrace]:
    """A strongly coupled sample on which the paper's search ends early, and another goes on.

    With its true network, and what IBMAP-HC and the hill climb found.
    """
    place = scene.sample_network("target-6", "clique-potentials")
    return place, learn(place.data, search="ibmap-hc"), learn(place.data, search="hill-climb")


def _stuck(picks: Picks) -> Payload:
    """Two searches on the same strongly coupled sample, over its true network."""
    place, *searches = find_stuck_climbs()
    (k,) = picks or (0,)
    drawings, said = [], []
    for kind, search in zip(("paper", "other"), searches, strict=True):
        flips = min(k, len(search.steps))
        name, score = say(f"climb.stuck.{kind}"), number(_score_after(search, flips), 2)
        what = "stopped" if k >= len(search.steps) else "climbing"
        title = say(f"climb.stuck.{what}", name=name, flips=flips, score=score)
        drawing = _draw_flip(place, search, flips) | {"title": title}
        graph = after(search, flips)
        lacking = edge_indices(nx.difference(place.graph, graph), place.data)
        drawing["edges"] += [[*pair, "missing"] for pair in lacking]
        drawings.append(drawing)
        off = metrics.hamming(place.graph, graph)
        said.append(say("climb.stuck.distance", name=name, pairs=off))
    return {"networks": drawings, "say": [" ".join(said)]}


def _searches() -> dict[str, Any]:
    place, paper, other = find_stuck_climbs()
    return {
        "rows": place.data.rows,
        "paper_flips": len(paper.steps),
        "other_flips": len(other.steps),
        "paper_score": number(paper.score, 2),
        "other_score": number(other.score, 2),
    }


# --- The question ---------------------------------------------------------------------------------


def _asked() -> ScoreTrace:
    return coronary().score("bjp", after(_climb(), ASKED_AFTER))


def _question(_: Picks) -> Payload:
    """The graph, and its computed assertions in the order of the columns."""
    trace = _asked()
    terms = (computed_of(trace, pair) for pair in combinations(trace.graph, 2))
    rows = [
        [f"{plain(t.x)} {'⊥̸' if t.dependent else '⊥'} {plain(t.y)}", probability(t.value)]
        for t in terms
    ]
    table = {"head": [say("climb.asserted"), "Pr"], "rows": rows}
    return {"networks": [network(coronary(), trace.graph)], "table": table}


def _reveal() -> Payload:
    """The pair, and the list that it leads."""
    place, trace = coronary(), _asked()
    term = computed_of(trace, _climb().steps[ASKED_AFTER].edge)
    drawing = network(place, trace.graph, **pair_of(term, place.data))
    return {"networks": [drawing], "table": _lowest(ASKED_AFTER)}


def _check(picks: Picks) -> Verdict:
    """Whether a pair has the lowest local contribution."""
    pair, step = coronary().named(picks), _climb().steps[ASKED_AFTER]
    if len(pair) < 2:
        return Verdict(False, say("climb.question.ends"))
    lowest = _contributions(_climb(), ASKED_AFTER)[0]
    if set(pair) != set(lowest.edge):
        return Verdict(False, say("climb.question.higher", pair=joined(pair)))
    what = "removes" if lowest.adjacent else "adds"
    before, now = (number(_score_after(_climb(), k)) for k in (ASKED_AFTER, ASKED_AFTER + 1))
    sentences = [
        say(f"climb.question.{what}", pair=joined(lowest.edge), value=number(lowest.value)),
        say("climb.question.rises", before=before, after=now),
        *([] if step.added else [say("climb.question.useful")]),
    ]
    return Verdict(True, " ".join(sentences))


def _answer() -> Picks:
    return coronary().data.indices(_climb().steps[ASKED_AFTER].edge)


LESSON = Lesson(
    "climb",
    (
        Step(
            "climb.start",
            _start,
            PAIRS,
            values=lambda: {"pairs": comb(coronary().data.n, 2)},
        ),
        Step("climb.flips", _flips, Touch("frame", lambda: range(len(_climb().steps) + 2))),
        Step(
            "climb.stuck",
            _stuck,
            Touch("frame", lambda: range(max(len(s.steps) for s in find_stuck_climbs()[1:]) + 1)),
            values=_searches,
        ),
        Step(
            "climb.question",
            _question,
            question=Question("pair", _check, _answer, _reveal),
            values=lambda: {"flips": ASKED_AFTER},
        ),
    ),
)
