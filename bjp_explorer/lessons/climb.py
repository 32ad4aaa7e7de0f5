"""Lesson 6: the climb, flip by flip, and how it gets stuck."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import networkx as nx

from bjp_engine import metrics
from bjp_engine.scores import ScoreTrace
from bjp_engine.search import Contribution, SearchTrace
from bjp_explorer.lessons import data as here
from bjp_explorer.lessons.bet import explain
from bjp_explorer.lessons.checks import check_flip, computed_of, name_pair
from bjp_explorer.lessons.model import (
    Lesson,
    Payload,
    Picks,
    Question,
    Step,
    Touch,
    Verdict,
    each,
    each_pair,
    first_index,
    indices,
)
from bjp_explorer.lessons.scene import matrix, network, pair_of
from bjp_explorer.shell.phrases import Joined, Phrase, say
from bjp_explorer.shell.text import number, plain, probability
from bjp_explorer.views import examples

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


# --- Views ----------------------------------------------------------------------------------------


def _climb() -> SearchTrace:
    return examples.learn_coronary("bjp")


def _contributions(trace: SearchTrace, flips: int) -> tuple[Contribution, ...]:
    step = trace.steps[flips] if flips < len(trace.steps) else trace.rejected
    return step.contributions if step is not None else ()


def _lowest(trace: SearchTrace, flips: int) -> Payload:
    """The pairs that are believed least."""
    found = _contributions(trace, flips)[:LOWEST]
    return {
        "head": [say("climb.pair"), say("climb.asserted"), "ln Pr"],
        "rows": [
            [
                name_pair(c.edge),
                say("climb.edge") if c.adjacent else say("climb.missing"),
                number(c.value),
            ]
            for c in found
        ],
        "current": 0,
    }


def _all_pairs(trace: ScoreTrace) -> Payload:
    """The computed assertions, in the order of the columns."""
    terms = (computed_of(trace, pair) for pair in combinations(trace.graph, 2))
    rows = [
        [f"{plain(t.x)} {'⊥̸' if t.dependent else '⊥'} {plain(t.y)}", probability(t.value)]
        for t in terms
    ]
    return {"head": [say("climb.asserted"), "Pr"], "rows": rows}


def _start(picks: Picks) -> Payload:
    place = here.coronary()
    data, climb = place.data, _climb()
    trace = place.score("bjp", after(climb, 0))
    graph = trace.graph
    scene = {"matrix": matrix(trace, data), "table": _lowest(climb, 0)}
    if not picks:
        return scene | {"networks": [network(place, graph)]}
    x, y = (data.names[k] for k in indices(picks))
    term = computed_of(trace, (x, y))
    drawing = network(place, graph, **pair_of(term, data))
    explained = explain(place, trace, term)
    said = say("climb.start.contribution", explained=explained, value=number(term.value))
    return scene | {"networks": [drawing], "say": [said]}


def _flips(picks: Picks) -> Payload:
    place, climb = here.coronary(), _climb()
    k = first_index(picks)
    made = len(climb.steps)
    graph = after(climb, min(k, made))
    score = climb.start_score if k == 0 else climb.steps[min(k, made) - 1].score
    figures = [
        {"value": number(score, 3), "caption": say("climb.flips.score")},
        {"value": str(graph.number_of_edges()), "caption": say("climb.flips.edges")},
    ]
    return {
        "networks": [_draw_flip(place, climb, graph, k)],
        "table": _lowest(climb, min(k, made)),
        "figures": figures,
        "say": [_say_flip(climb, k)],
    }


def _say_flip(climb: SearchTrace, k: int) -> Phrase:
    """What became of a proposal; 0 is the beginning."""
    if k == 0:
        return say("climb.flips.start")
    step = climb.steps[k - 1] if k <= len(climb.steps) else climb.rejected
    assert step is not None
    said = {"k": k, "pair": name_pair(step.edge), "gain": number(step.gain)}
    if step is climb.rejected:
        return say("climb.flips.refused", **said)
    return say("climb.flips.added", **said) if step.added else say("climb.flips.removed", **said)


def _draw_flip(place: here.Place, climb: SearchTrace, graph: nx.Graph[Any], k: int) -> Payload:
    made = len(climb.steps)
    step = None if k == 0 else climb.steps[k - 1] if k <= made else climb.rejected
    if step is None:
        return network(place, graph)
    x, y = step.edge
    i, j = place.data.indices(step.edge)
    there = graph.has_edge(x, y)
    link = (
        None if there else {"i": i, "j": j, "tone": "proposed", "question": True, "straight": False}
    )
    return network(
        place,
        graph,
        roles={x: "x", y: "y"},
        tones={frozenset(step.edge): "added"},
        link=link if k > made else None,
    )


def _stuck(picks: Picks) -> Payload:
    """Two searches on the same strongly coupled sample."""
    place, paper, other = here.find_stuck_climbs()
    k = first_index(picks)
    drawings, said = [], []
    names = say("climb.stuck.paper"), say("climb.stuck.other")
    for name, search in zip(names, (paper, other), strict=True):
        flips = min(k, len(search.steps))
        graph = after(search, flips)
        score = search.steps[flips - 1].score if flips else search.start_score
        off = metrics.hamming(place.graph, graph)
        about = {
            "name": name,
            "flips": say("amounts.flip", n=flips),
            "score": number(score, 2),
        }
        title = (
            say("climb.stuck.stopped", **about)
            if k >= len(search.steps)
            else say("climb.stuck.climbing", **about)
        )
        drawings.append(_draw_flip(place, search, graph, flips) | {"title": title})
        said.append(say("climb.stuck.distance", name=name, pairs=say("amounts.pair", n=off)))
    return {"networks": drawings, "say": [Joined(tuple(said))]}


def _question(_picks: Picks) -> Payload:
    place, climb = here.coronary(), _climb()
    trace = place.score("bjp", after(climb, ASKED_AFTER))
    return {"networks": [network(place, trace.graph)], "table": _all_pairs(trace)}


def _reveal() -> Payload:
    """The pair, and the list that it leads."""
    place, climb = here.coronary(), _climb()
    trace = place.score("bjp", after(climb, ASKED_AFTER))
    term = computed_of(trace, climb.steps[ASKED_AFTER].edge)
    drawing = network(place, trace.graph, **pair_of(term, place.data))
    return {
        "networks": [drawing],
        "table": _lowest(climb, ASKED_AFTER),
    }


def _check(picks: Picks) -> Verdict:
    place, climb = here.coronary(), _climb()
    pair = tuple(place.names[k] for k in indices(picks))
    verdict = check_flip(_contributions(climb, ASKED_AFTER), pair)
    if not verdict.correct:
        return verdict
    step = climb.steps[ASKED_AFTER]
    before = number(climb.steps[ASKED_AFTER - 1].score)
    rises = say("climb.question.rises", before=before, after=number(step.score))
    why = () if step.added else (say("climb.question.useful"),)
    return Verdict(True, Joined((verdict.sentence, rises, *why)))


def _answer() -> Picks:
    """The pair that the engine's climb flips."""
    return tuple(sorted(here.coronary().data.indices(_climb().steps[ASKED_AFTER].edge)))


def _searches() -> dict[str, Any]:
    place, paper, other = here.find_stuck_climbs()
    return {
        "rows": place.data.rows,
        "paper_flips": say("amounts.flip", n=len(paper.steps)),
        "other_flips": say("amounts.flip", n=len(other.steps)),
        "paper_score": number(paper.score, 2),
        "other_score": number(other.score, 2),
    }


# --- The lesson -----------------------------------------------------------------------------------

LESSON = Lesson(
    "climb",
    (
        Step(
            "climb.start",
            _start,
            Touch("pair", lambda: each_pair(here.coronary().data.n)),
            values=lambda: {"pairs": len(each_pair(here.coronary().data.n))},
        ),
        Step("climb.flips", _flips, Touch("frame", lambda: each(len(_climb().steps) + 2))),
        Step(
            "climb.stuck",
            _stuck,
            Touch(
                "frame",
                lambda: each(max(len(s.steps) for s in here.find_stuck_climbs()[1:]) + 1),
            ),
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
