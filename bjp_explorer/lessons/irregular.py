"""Lesson 7: irregular networks, and what the bet wins and costs."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from itertools import combinations, product
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from bjp_engine import metrics
from bjp_engine.dataset import Name
from bjp_engine.scores import AssertionTerm, ScoreTrace
from bjp_explorer.lessons import scene
from bjp_explorer.lessons.model import (
    Lesson,
    Payload,
    Picks,
    Question,
    Slider,
    Step,
    Touch,
    Verdict,
    say,
)
from bjp_explorer.lessons.scene import Place, joined, letter, listed, network, terms_of
from bjp_explorer.shell.text import number, plain


def spared(trace: ScoreTrace) -> int:
    """How many more variables the inferred tests would have conditioned on than the computed."""
    return _given(trace.inferred) - _given(trace.computed)


def _given(terms: Iterable[object]) -> int:
    return sum(len(term.given) for term in terms if isinstance(term, AssertionTerm))


# --- From a ring to a star ------------------------------------------------------------------------


@cache
def morph() -> tuple[Place, ...]:
    """From the ring to the star, one edge moved at a time; six nodes and six edges throughout."""
    found = [scene.sample_edges(tuple((k, (k + 1) % 6) for k in range(6)))]
    # The edges that are not the hub's give way to the hub's own, one by one.
    for old, new in (((2, 3), (0, 3)), ((3, 4), (0, 2)), ((4, 5), (0, 4))):
        graph = found[-1].graph.copy()
        graph.remove_edge(*found[0].named(old))
        graph.add_edge(*found[0].named(new))
        found.append(replace(found[0], graph=graph))
    return tuple(found)


def _bend(picks: Picks) -> Payload:
    (k,) = picks or (0,)
    place = morph()[k]
    trace = place.score()
    x = trace.order[-1]
    values = {
        "total": metrics.total_irregularity(trace.graph),
        "computed": _given(trace.computed),
        "inferred": _given(trace.inferred),
        "saved": spared(trace),
    }
    said = say("irregular.bend.hub", x=plain(x), degree=place.graph.degree[x], **values)
    return {
        "networks": [network(place, roles={x: "x"} if k else {}, badges=_degrees(place))],
        "figures": [
            {"value": str(value), "caption": say(f"irregular.{name}")}
            for name, value in values.items()
        ],
        "say": [said if k else say("irregular.bend.ring")],
    }


def _degrees(place: Place) -> list[str]:
    return [str(place.graph.degree[name]) for name in place.names]


# --- The measured stars ---------------------------------------------------------------------------

FILE = Path(__file__).with_name("bets.csv")
WEIGHTS, ROWS = ("log-odds", "clique-log-weights"), (100, 250, 1000, 4000)
LEAVES, SAMPLES = (2, 4, 6, 8, 10), 100
SCORES = {"bjp": "BJP", "ib": "IB-score", "mpl": "MPL"}
COLUMNS = (*SCORES, "bjp - ib")
# The length of the bars: more than any mean in the table.
MOST = 10.0
# Where the sliders open: 6 leaves, 250 rows, log odds ratios of 1.
BETS_START, EPSILON = (2, 1, 0), 1.0


@cache
def _measured() -> dict[Any, dict[Any, float]]:
    """Mean wrong edges with their standard errors by weights, rows and leaves."""
    return pd.read_csv(FILE, index_col=["weights", "rows", "leaves"]).to_dict("index")


def _clearly(weights: str, rows: int, leaves: int) -> str:
    """Whether BJP has clearly fewer wrong edges than IB-score ("better"), or more ("worse").

    Clearly: by more than two standard errors of the difference on the same samples; else "even".
    """
    row = _measured()[weights, rows, leaves]
    mean, least = row["bjp - ib"], 2 * row["bjp - ib error"]
    return "worse" if mean > least else "better" if mean < -least else "even"


def _summary() -> dict[str, int]:
    found = [_clearly(*setting) for setting in product(WEIGHTS, ROWS, LEAVES)]
    counts = {verdict: found.count(verdict) for verdict in ("better", "worse", "even")}
    return {"settings": len(found), "samples": SAMPLES, **counts}


def _bets(picks: Picks) -> Payload:
    """Wrong edges on stars of so many leaves, in so many rows, with strong or weak edges."""
    leaves, rows, weights = picks or BETS_START
    setting = WEIGHTS[weights], ROWS[rows], LEAVES[leaves]
    row = _measured()[setting]
    mean, error = (number(row[name], 2) for name in ("bjp - ib", "bjp - ib error"))
    return {
        "bars": [
            {"label": name, "value": row[score], "error": row[f"{score} error"], "most": MOST}
            for score, name in SCORES.items()
        ],
        "say": [say(f"irregular.bets.{_clearly(*setting)}", difference=mean, error=error)],
    }


_SLIDERS = (
    Slider(say("hub.leaves"), tuple(map(str, LEAVES)), BETS_START[0]),
    Slider(say("hub.rows"), tuple(f"{rows:,}" for rows in ROWS), BETS_START[1]),
    Slider(
        say("hub.strength"),
        (say("hub.medium", ratio=f"{exp(EPSILON):.1f}"), say("irregular.bets.weak")),
    ),
)


# --- A wrong edge ---------------------------------------------------------------------------------

# Leaves, rows and seed of a star where BJP loses most, and the ends of a wrong edge.
STAR = (10, 1000, 71, EPSILON)
WRONG = ("X5", "X10")


def changes(pair: tuple[Name, ...]) -> dict[str, tuple[float, float]]:
    """How an edge of two leaves changes ln BJP and ln IB-score: by its own tests, by all others."""
    place, found = scene.star(*STAR), {}
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
    place = scene.star(*STAR)
    i, j = picks or place.columns(WRONG)
    pair = tuple(place.named((i, j)))
    columns = {SCORES[key]: (*both, sum(both)) for key, both in changes(pair).items()}
    adding = [name for name, (*_, total) in columns.items() if total > 0]
    rows = zip(("own", "others", "total"), *columns.values(), strict=True)
    link = {"i": i, "j": j, "tone": "proposed", "question": True, "straight": False}
    said = {"pair": joined(pair), "by": listed(adding)}
    return {
        "networks": [network(place, roles=dict.fromkeys(pair, "x"), link=link)],
        "table": {
            "head": [say("irregular.why.change"), *(f"ln {name}" for name in columns)],
            "rows": [
                [say(f"irregular.why.{name}"), *(number(value, 2) for value in row)]
                for name, *row in rows
            ],
            "current": 2,
        },
        "say": [say(f"irregular.why.{'added' if adding else 'none'}", **said)],
    }


def _leaves() -> list[Picks]:
    """Each pair of leaves; the hub is the first column."""
    return [*combinations(range(1, STAR[0] + 1), 2)]


# --- The question ---------------------------------------------------------------------------------

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


def pose() -> list[Place]:
    """The networks of the question."""
    return [
        replace(scene.sample_edges(edges, rows=200), points=np.array(points, dtype=float))
        for edges, points in zip(TREES, PLACES, strict=True)
    ]


def _spared() -> list[int]:
    return [spared(place.score()) for place in pose()]


def _reveal() -> Payload:
    drawings = []
    for k, (place, saved) in enumerate(zip(pose(), _spared(), strict=True)):
        title = say("irregular.question.saved", letter=letter(k), saved=saved)
        drawings.append(network(place, title=title, badges=_degrees(place)))
    return {"networks": drawings}


def _check(picks: Picks) -> Verdict:
    """Whether the network was picked from which BJP gains most."""
    if len(picks) != 1:
        return Verdict(False, say("irregular.question.nothing"))
    (k,), found = picks, _spared()
    if found[k] == max(found):
        each_saved = ", ".join(f"{letter(i)} {value}" for i, value in enumerate(found))
        return Verdict(True, say("irregular.question.right", found=each_saved))
    degrees = ", ".join(sorted(_degrees(pose()[k]), reverse=True))
    said = {"letter": letter(k), "saved": found[k], "degrees": degrees}
    return Verdict(False, say("irregular.question.more", **said), k)


LESSON = Lesson(
    "irregular",
    (
        Step("irregular.bend", _bend, Touch("frame", lambda: range(len(morph())))),
        Step(
            "irregular.bets",
            _bets,
            Touch(
                "frame",
                lambda: product(*(range(len(slider.values)) for slider in _SLIDERS)),
                _SLIDERS,
            ),
            values=_summary,
        ),
        Step(
            "irregular.why",
            _why,
            Touch("pair", _leaves),
            values=lambda: {"rows": STAR[1], "leaves": STAR[0]},
        ),
        Step(
            "irregular.question",
            lambda _: {"networks": [network(p, title=letter(k)) for k, p in enumerate(pose())]},
            question=Question("card", _check, lambda: (int(np.argmax(_spared())),), _reveal),
        ),
    ),
)
