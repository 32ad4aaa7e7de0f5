"""Lesson 8: irregular networks, and when BJP wins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import networkx as nx
import numpy as np

from bjp_engine import metrics
from bjp_engine.dataset import Name
from bjp_engine.scores import ScoreTrace
from bjp_explorer.lessons import data as here
from bjp_explorer.lessons.model import (
    Lesson,
    Payload,
    Picks,
    Question,
    Step,
    Touch,
    each,
    first_index,
    prose,
)
from bjp_explorer.lessons.number_checks import check_most, given_in_all, letter, spared
from bjp_explorer.lessons.scene import network
from bjp_explorer.shell import caches
from bjp_explorer.shell.text import count, number, plain

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
REAL = ("target-1", "karate", "hub-1", "scale-free-1")


# --- Views ----------------------------------------------------------------------------------------


def _figures(trace: ScoreTrace) -> list[Payload]:
    """Irregularity, and the sizes of conditioning sets."""
    return [
        {"value": str(metrics.total_irregularity(trace.graph)), "caption": "total irregularity"},
        {"value": str(given_in_all(trace.computed)), "caption": "variables given, computed"},
        {"value": str(given_in_all(trace.inferred)), "caption": "variables given, inferred"},
        {"value": str(spared(trace)), "caption": "difference: saved"},
    ]


def _degrees(graph: nx.Graph[Any], names: Sequence[Name]) -> list[str]:
    """The degrees, to be written into the nodes."""
    return [str(graph.degree[name]) for name in names]


def _uneven(picks: Picks) -> Payload:
    """How much the degree of what was clicked differs from the others."""
    place = here.morph()[-1]
    badges = _degrees(place.graph, place.names)
    if not picks:
        drawing = network(place.data, place.points, place.graph, badges=badges)
        return {"networks": [drawing], "say": []}
    x = place.names[first_index(picks)]
    degree = place.graph.degree
    apart = [abs(degree[x] - degree[y]) for y in place.names if y != x]
    drawing = network(place.data, place.points, place.graph, roles={x: "x"}, badges=badges)
    return {
        "networks": [drawing],
        "say": [
            (
                f"**{plain(x)}** has degree {degree[x]}. The others differ from it by "
                f"{' + '.join(map(str, apart))} = {sum(apart)}. Over all pairs, each counted once, "
                f"the total irregularity is {metrics.total_irregularity(place.graph)}."
            )
        ],
    }


def _bend(picks: Picks) -> Payload:
    """From the ring to the star."""
    k = first_index(picks)
    place = here.morph()[k]
    trace = place.score()
    x = trace.order[-1]
    drawing = network(
        place.data,
        place.points,
        place.graph,
        roles={x: "x"} if k else {},
        badges=_degrees(place.graph, place.names),
    )
    said = (
        f"{plain(x)} has degree {place.graph.degree[x]} and goes last in ψ. In total, the "
        f"computed tests condition on {given_in_all(trace.computed)} variables; the inferred ones "
        f"would condition on {given_in_all(trace.inferred)}."
        if k
        else "The ring: all degrees are 2. Both ends of a pair are alike, and skipping one of two "
        "equal tests saves no large one."
    )
    return {"networks": [drawing], "figures": _figures(trace), "say": [said]}


def _benchmark(picks: Picks) -> Payload:
    """One of the benchmark networks."""
    name = REAL[first_index(picks)]
    place = here.sample_network(name, rows=200)
    trace = place.score()
    of = len(trace.computed)
    small, large = given_in_all(trace.computed) / of, given_in_all(trace.inferred) / of
    drawing = network(place.data, place.points, place.graph, title=name)
    return {
        "networks": [drawing],
        "figures": _figures(trace),
        "say": [
            (
                f"**{name}**: {count(place.data.n, 'variable')}, "
                f"{count(place.graph.number_of_edges(), 'edge')}. A computed test conditions on "
                f"{number(small, 2)} variables on average, an inferred one would condition on "
                f"{number(large, 2)}."
            )
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

    return caches.once("lesson trees", make)


def _question(_picks: Picks) -> Payload:
    """The three trees."""
    return {
        "networks": [
            network(place.data, place.points, place.graph, title=letter(k))
            for k, place in enumerate(pose())
        ],
        "say": [],
    }


def _reveal() -> Payload:
    """The same with their numbers."""
    drawings = []
    for k, place in enumerate(pose()):
        trace = place.score()
        title = f"{letter(k)}: {spared(trace)} saved"
        badges = _degrees(place.graph, place.names)
        drawings.append(network(place.data, place.points, place.graph, title=title, badges=badges))
    return {"networks": drawings, "say": []}


def _traces() -> list[ScoreTrace]:
    return [place.score() for place in pose()]


def _answer() -> Picks:
    """The network with the most to spare."""
    found = [spared(trace) for trace in _traces()]
    return (found.index(max(found)),)


# --- The lesson -----------------------------------------------------------------------------------

LESSON = Lesson(
    "Irregularity, and when BJP wins",
    "Gains",
    (
        Step(
            "Uneven degrees",
            lambda: prose(
                "BJP skips half of the tests in every network. How much that helps depends on "
                "how uneven the degrees are. They stand in the circles.",
                "The **total irregularity** adds up the differences of the degrees over all pairs "
                "of variables. Where all degrees are equal, it is 0.",
            ),
            _uneven,
            Touch("node", lambda: each(here.morph()[-1].data.n), "Click a circle."),
        ),
        Step(
            "From a ring to a star",
            lambda: prose(
                "Six variables and six edges, from beginning to end. Move the slider: one edge "
                "after another is moved to X0, until X0 is a hub.",
                "The irregularity is exactly what BJP saves: in total, the skipped tests would "
                "have conditioned on that many more variables.",
            ),
            _bend,
            Touch("frame", lambda: each(len(here.morph())), "Move the slider."),
        ),
        Step(
            "In real networks",
            lambda: prose(
                "Some of the networks on which the paper compares the scores. On a ring BJP gains "
                "only speed. With hubs it also skips the unreliable tests.",
                "So BJP gains most where a few variables have many neighbours and all others have "
                "few, and where there are few rows.",
            ),
            _benchmark,
            Touch("frame", lambda: each(len(REAL)), "Move the slider to go through them."),
        ),
        Step(
            "Your turn: who gains most?",
            lambda: ("Three networks, each of eight variables and seven edges.",),
            _question,
            question=Question(
                lambda: (
                    "Where does BJP save the most? In which network are the skipped tests' "
                    "conditioning sets largest compared with those of the tests made? Click it."
                ),
                "card",
                lambda picks: check_most(_traces(), picks),
                _answer,
                _reveal,
            ),
        ),
    ),
)
