"""Lesson 7: the climb, flip by flip, and how it gets stuck."""

from __future__ import annotations

from typing import Any

import networkx as nx

from bjp_engine import metrics
from bjp_engine.search import Contribution, SearchTrace
from bjp_explorer.lessons import data as here
from bjp_explorer.lessons.inferred import explain
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
    prose,
)
from bjp_explorer.lessons.number_checks import check_flip, name_pair
from bjp_explorer.lessons.scene import matrix, network, pair_of
from bjp_explorer.lessons.trace_checks import computed_of
from bjp_explorer.shell.text import count, number
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
    """What the search looked at before its next proposal."""
    step = trace.steps[flips] if flips < len(trace.steps) else trace.rejected
    return step.contributions if step is not None else ()


def _lowest(trace: SearchTrace, flips: int) -> Payload:
    """The pairs that are believed least."""
    found = _contributions(trace, flips)[:LOWEST]
    return {
        "head": ["pair", "asserted", "ln Pr"],
        "rows": [
            [name_pair(c.edge), "⊥̸ edge" if c.adjacent else "⊥ no edge", number(c.value)]
            for c in found
        ],
        "current": 0,
    }


def _start(picks: Picks) -> Payload:
    """The graph without edges, and the local contribution of a pair."""
    place = here.coronary()
    data, climb = place.data, _climb()
    trace = place.score("bjp", after(climb, 0))
    graph = trace.graph
    scene = {"matrix": matrix(trace, data), "table": _lowest(climb, 0)}
    if not picks:
        return scene | {"networks": [network(data, place.points, graph)], "say": []}
    x, y = (data.names[k] for k in indices(picks))
    term = computed_of(trace, (x, y))
    drawing = network(data, place.points, graph, **pair_of(term, data))
    said = f"{explain(place, trace, term)} Its local contribution is {number(term.value)}."
    return scene | {"networks": [drawing], "say": [said]}


def _flips(picks: Picks) -> Payload:
    """The climb, flip by flip, and the proposal at which it stops."""
    place, climb = here.coronary(), _climb()
    k = first_index(picks)
    made = len(climb.steps)
    graph = after(climb, min(k, made))
    step = climb.steps[k - 1] if 0 < k <= made else None
    score = climb.start_score if k == 0 else climb.steps[min(k, made) - 1].score
    figures = [
        {"value": number(score, 3), "caption": "ln BJP"},
        {"value": str(graph.number_of_edges()), "caption": "edges"},
    ]
    if step is not None:
        verb = "added" if step.added else "removed"
        said = f"Flip {k}: {name_pair(step.edge)} **{verb}**. ln BJP rises by {number(step.gain)}."
    elif k == 0:
        said = "No edge yet. The first row of the table is proposed next."
    else:
        assert climb.rejected is not None
        said = (
            f"{name_pair(climb.rejected.edge)} is proposed, but would change ln BJP by "
            f"{number(climb.rejected.gain)}. It is refused, and the climb **stops**: "
            f"{climb.stop_reason}."
        )
    return {
        "networks": [_draw_flip(place, climb, graph, k)],
        "table": _lowest(climb, min(k, made)),
        "figures": figures,
        "say": [said],
    }


def _draw_flip(place: here.Place, climb: SearchTrace, graph: nx.Graph[Any], k: int) -> Payload:
    """A network with the pair that was flipped last, or is refused."""
    made = len(climb.steps)
    step = None if k == 0 else climb.steps[k - 1] if k <= made else climb.rejected
    if step is None:
        return network(place.data, place.points, graph)
    x, y = step.edge
    i, j = place.data.indices(step.edge)
    there = graph.has_edge(x, y)
    link = (
        None if there else {"i": i, "j": j, "tone": "proposed", "question": True, "straight": False}
    )
    return network(
        place.data,
        place.points,
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
    for name, search in (("IBMAP-HC", paper), ("Hill climb", other)):
        flips = min(k, len(search.steps))
        graph = after(search, flips)
        score = search.steps[flips - 1].score if flips else search.start_score
        off = metrics.hamming(place.graph, graph)
        done = k >= len(search.steps)
        drawing = _draw_flip(place, search, graph, flips) | {
            "title": f"{name}: {count(flips, 'flip')}, ln BJP = {number(score, 2)}"
            + (", stopped" if done else "")
        }
        drawings.append(drawing)
        said.append(f"{name} differs from the true network in {count(off, 'pair')}.")
    return {"networks": drawings, "say": [" ".join(said)]}


def _question(_picks: Picks) -> Payload:
    """The graph before the flip that is asked for, with its assertions."""
    place, climb = here.coronary(), _climb()
    trace = place.score("bjp", after(climb, ASKED_AFTER))
    return {
        "networks": [network(place.data, place.points, trace.graph)],
        "matrix": matrix(trace, place.data),
        "say": [],
    }


def _reveal() -> Payload:
    """The pair, and the list that it leads."""
    place, climb = here.coronary(), _climb()
    trace = place.score("bjp", after(climb, ASKED_AFTER))
    term = computed_of(trace, climb.steps[ASKED_AFTER].edge)
    drawing = network(place.data, place.points, trace.graph, **pair_of(term, place.data))
    return {
        "networks": [drawing],
        "matrix": matrix(trace, place.data) | {"pair": list(_answer())},
        "table": _lowest(climb, ASKED_AFTER),
        "say": [],
    }


def _check(picks: Picks) -> Verdict:
    """The answer in names, and what became of the flip."""
    place, climb = here.coronary(), _climb()
    pair = tuple(place.names[k] for k in indices(picks))
    verdict = check_flip(_contributions(climb, ASKED_AFTER), pair)
    if not verdict.correct:
        return verdict
    step = climb.steps[ASKED_AFTER]
    before = climb.steps[ASKED_AFTER - 1].score
    why = (
        " This edge was useful early on; with the edges that came later, the data no longer "
        "support it."
        if not step.added
        else ""
    )
    return Verdict(
        True,
        f"{verdict.sentence} ln BJP rises from {number(before)} to {number(step.score)}.{why}",
    )


def _answer() -> Picks:
    """The pair that the engine's climb flips."""
    return tuple(sorted(here.coronary().data.indices(_climb().steps[ASKED_AFTER].edge)))


def _stuck_text() -> tuple[str, ...]:
    place, paper, other = here.find_stuck_climbs()
    return prose(
        f"{place.data.rows:,} rows drawn from a network whose variables are strongly coupled. "
        f"IBMAP-HC makes {count(len(paper.steps), 'flip')} and stops: its one proposal does not "
        "raise the score, and it never looks at a second.",
        "The **hill climb** tries the pairs one after another until some flip helps. It makes "
        f"{count(len(other.steps), 'flip')} and ends at ln BJP = {number(other.score, 2)} instead "
        f"of {number(paper.score, 2)}, closer to the true network. The score would have led there; "
        "the first search stopped too soon.",
    )


# --- The lesson -----------------------------------------------------------------------------------

LESSON = Lesson(
    "The climb, and how it gets stuck",
    "The climb",
    (
        Step(
            "Which pair do the data support least?",
            lambda: prose(
                "BJP scores one graph. To find a good one, a search starts with no edges and "
                "**flips** pairs: it adds an edge, or removes one.",
                "Each pair has one computed assertion. Its ln Pr is the pair's **local "
                "contribution** to the score. The lowest is the one that the data support least.",
            ),
            _start,
            Touch("pair", lambda: each_pair(here.coronary().data.n), "Click two circles."),
        ),
        Step(
            "Flip by flip",
            lambda: prose(
                "The paper's search, **IBMAP-HC**, proposes the pair with the lowest local "
                "contribution. If the score of the whole graph rises, the flip is kept, and the "
                "next one is proposed.",
                "At the first proposal that does not raise the score, the search stops.",
            ),
            _flips,
            Touch("frame", lambda: each(len(_climb().steps) + 2), "Move the slider."),
        ),
        Step(
            "Stuck",
            _stuck_text,
            _stuck,
            Touch(
                "frame",
                lambda: each(max(len(s.steps) for s in here.find_stuck_climbs()[1:]) + 1),
                "Move the slider: both searches go on flip by flip.",
            ),
        ),
        Step(
            "Your turn: the next flip",
            lambda: prose(
                f"The climb on the heart disease data again, after {ASKED_AFTER} flips. The matrix "
                "shows the posterior of each computed assertion.",
            ),
            _question,
            question=Question(
                lambda: (
                    "Which pair will IBMAP-HC flip next? Click its two circles. It may be an edge, "
                    "which would go, or a missing one."
                ),
                "pair",
                _check,
                _answer,
                _reveal,
            ),
        ),
    ),
)
