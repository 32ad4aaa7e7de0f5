"""Lesson 7: irregular networks, and what the bet wins and costs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from math import exp
from typing import Any

import networkx as nx
import numpy as np

from bjp_engine import metrics
from bjp_engine.dataset import Name
from bjp_engine.scores import ScoreTrace
from bjp_explorer.lessons import bet
from bjp_explorer.lessons import data as here
from bjp_explorer.lessons.checks import check_most, given_in_all, letter, name_pair, spared
from bjp_explorer.lessons.model import (
    Lesson,
    Payload,
    Picks,
    Question,
    Slider,
    Step,
    Touch,
    each,
    each_pair,
    first_index,
    indices,
)
from bjp_explorer.lessons.scene import listed, network, terms_of
from bjp_explorer.shell import caches
from bjp_explorer.shell.phrases import say
from bjp_explorer.shell.text import number, plain

# Three trees of eight nodes: a path, two hubs with three leaves each, a hub with a tail; and
# where their nodes stand, so that degrees can be counted in a small drawing.
TREES = (
    tuple((k, k + 1) for k in range(7)),
    ((0, 1), *((0, k) for k in (2, 3, 4)), *((1, k) for k in (5, 6, 7))),
    (*((0, k) for k in range(1, 7)), (6, 7)),
)
PLACES = (
    tuple((k / 7, k % 2) for k in range(8)),
    ((0.33, 0.5), (0.67, 0.5), (0.15, 0), (0, 0.5), (0.15, 1), (0.85, 0), (1, 0.5), (0.85, 1)),
    ((0.4, 0.5), (0.62, 0), (0.2, 0), (0, 0.5), (0.2, 1), (0.62, 1), (0.7, 0.5), (1, 0.5)),
)
# Where the sliders of the measured stars open: 6 leaves, 250 rows, log odds ratios of 1.
BETS_START, EPSILON = (2, 1, 0), 1.0
# Leaves, rows and seed of a star where BJP loses most, and the ends of a wrong edge.
STAR = (10, 1000, 71, EPSILON)
WRONG = ("X5", "X10")


# --- Views ----------------------------------------------------------------------------------------


def _figures(trace: ScoreTrace) -> list[Payload]:
    values = (
        (metrics.total_irregularity(trace.graph), say("irregular.total")),
        (given_in_all(trace.computed), say("irregular.computed")),
        (given_in_all(trace.inferred), say("irregular.inferred")),
        (spared(trace), say("irregular.saved")),
    )
    return [{"value": str(value), "caption": caption} for value, caption in values]


def _degrees(graph: nx.Graph[Any], names: Sequence[Name]) -> list[str]:
    return [str(graph.degree[name]) for name in names]


def _bend(picks: Picks) -> Payload:
    k = first_index(picks)
    place = here.morph()[k]
    trace = place.score()
    x = trace.order[-1]
    drawing = network(place, roles={x: "x"} if k else {}, badges=_degrees(place.graph, place.names))
    hub = say(
        "irregular.bend.hub",
        x=plain(x),
        degree=place.graph.degree[x],
        computed=given_in_all(trace.computed),
        inferred=given_in_all(trace.inferred),
    )
    said = hub if k else say("irregular.bend.ring")
    return {"networks": [drawing], "figures": _figures(trace), "say": [said]}


def _bets(picks: Picks) -> Payload:
    """Wrong edges on stars of so many leaves, in so many rows, with strong or weak edges."""
    leaves, rows, weights = indices(picks or BETS_START)
    return bet.scene(bet.WEIGHTS[weights], bet.ROWS[rows], bet.LEAVES[leaves])


def changes(pair: tuple[Name, Name]) -> dict[str, tuple[float, float]]:
    """How an edge of two leaves changes ln BJP and ln IB-score: by its own tests, by all others."""
    place, found = here.star(*STAR), {}
    graph = place.graph.copy()
    graph.add_edge(*pair)
    for score in ("bjp", "ib"):
        traces = [place.score(score, each) for each in (graph, place.graph)]
        own = [sum(t.value for t in terms_of(trace) if {t.x, t.y} == set(pair)) for trace in traces]
        change = own[0] - own[1]
        found[score] = change, traces[0].total - traces[1].total - change
    return found


def _why(picks: Picks) -> Payload:
    """A wrong edge, and what it changes in both scores."""
    place = here.star(*STAR)
    i, j = indices(picks or place.data.indices(WRONG))
    pair = place.names[i], place.names[j]
    columns = [(own, others, own + others) for own, others in changes(pair).values()]
    names = (say(f"irregular.why.{name}") for name in ("own", "others", "total"))
    adding = [name for name, (*_, sum_) in zip(bet.NAMES, columns, strict=False) if sum_ > 0]
    said = {"pair": name_pair(pair), "by": listed(adding)}
    link = {"i": i, "j": j, "tone": "proposed", "question": True, "straight": False}
    return {
        "networks": [network(place, roles=dict.fromkeys(pair, "x"), link=link)],
        "table": {
            "head": [say("irregular.why.change"), *(f"ln {name}" for name in bet.NAMES[:2])],
            "rows": [
                [name, *(number(value, 2) for value in row)]
                for name, row in zip(names, zip(*columns, strict=True), strict=True)
            ],
            "current": 2,
        },
        "say": [
            say("irregular.why.added", **said) if adding else say("irregular.why.none", **said)
        ],
    }


def pose() -> tuple[here.Place, ...]:
    """The networks of the question."""

    def make() -> tuple[here.Place, ...]:
        found = []
        for edges, points in zip(TREES, PLACES, strict=True):
            graph: nx.Graph[str] = nx.Graph()
            graph.add_nodes_from(f"X{k}" for k in range(8))
            graph.add_edges_from((f"X{i}", f"X{j}") for i, j in edges)
            place = here.draw_sample(graph, "log-odds", here.SEED, 200)
            found.append(replace(place, points=np.array(points, dtype=float)))
        return tuple(found)

    return caches.once(("lesson", "trees"), make)


def _question(_picks: Picks) -> Payload:
    return {
        "networks": [network(place, title=letter(k)) for k, place in enumerate(pose())],
    }


def _reveal() -> Payload:
    drawings = []
    for k, place in enumerate(pose()):
        trace = place.score()
        title = say("irregular.question.saved", letter=letter(k), saved=spared(trace))
        badges = _degrees(place.graph, place.names)
        drawings.append(network(place, title=title, badges=badges))
    return {"networks": drawings}


def _traces() -> list[ScoreTrace]:
    return [place.score() for place in pose()]


def _answer() -> Picks:
    """The network with the most to spare."""
    found = [spared(trace) for trace in _traces()]
    return (found.index(max(found)),)


# --- The lesson -----------------------------------------------------------------------------------

_SLIDERS = (
    Slider(say("hub.leaves"), tuple(map(str, bet.LEAVES)), BETS_START[0]),
    Slider(say("hub.rows"), tuple(f"{rows:,}" for rows in bet.ROWS), BETS_START[1]),
    Slider(
        say("hub.strength"),
        (say("hub.medium", ratio=f"{exp(EPSILON):.1f}"), say("irregular.bets.weak")),
    ),
)


def _leaves() -> tuple[Picks, ...]:
    """Each pair of leaves; the hub is the first column."""
    return tuple(pair for pair in each_pair(STAR[0] + 1) if 0 not in pair)


def _settings() -> tuple[Picks, ...]:
    return tuple(product(*(range(len(slider.values)) for slider in _SLIDERS)))


LESSON = Lesson(
    "irregular",
    (
        Step("irregular.bend", _bend, Touch("frame", lambda: each(len(here.morph())))),
        Step("irregular.bets", _bets, Touch("frame", _settings, _SLIDERS), values=bet.summary),
        Step(
            "irregular.why",
            _why,
            Touch("pair", _leaves),
            values=lambda: {"rows": STAR[1], "leaves": STAR[0]},
        ),
        Step(
            "irregular.question",
            _question,
            question=Question("card", lambda picks: check_most(_traces(), picks), _answer, _reveal),
        ),
    ),
)
