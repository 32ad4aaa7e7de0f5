"""Lesson 4: an edge tested from the leaf and from the hub, until the hub's slices run dry."""

from __future__ import annotations

import zlib
from base64 import b64encode
from functools import cache
from itertools import pairwise
from math import exp

import networkx as nx
import numpy as np
from numpy.typing import NDArray

from bjp_engine import Dataset, sampling, score
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
from bjp_explorer.lessons.scene import network
from bjp_explorer.shell.text import names_list, plain

LEAVES = 10
ROWS = (100, 250, 800, 2500, 8000)
# Log odds ratios of all edges.
STRENGTHS = {"weak": 0.5, "medium": 1.0, "strong": 2.0}
SEEDS = range(70_000, 70_020)
ASKED = "target-5"


# --- The figure -----------------------------------------------------------------------------------


@cache
def _star(leaves: int) -> nx.Graph[int]:
    """Its hub is the last node."""
    return nx.Graph((k, leaves) for k in range(leaves))


def draw(strength: float, seed: int) -> NDArray[np.int64]:
    """Rows of a star: its leaves, and the hub in the last column."""
    model = sampling.random_model(_star(LEAVES), "log-odds", seed=seed, epsilon=strength)
    rows = model.sample(max(ROWS), seed=seed, method="exact")
    return rows.codes[:, [rows.index(k) for k in range(LEAVES + 1)]].astype(np.int64)


def measure(rows: NDArray[np.int64], leaves: int) -> tuple[float, ...]:
    """ln Pr(⊥̸) of the first leaf's edge from either end, and the shares of ln IB-score.

    These are the edges tested from the leaves, tested from the hub, and the pairs of leaves from
    either end. Given the hub, leaves are independent: some of them with the hub are a star, too.
    """
    data = Dataset.from_codes(rows[:, [*range(leaves), LEAVES]])
    values = [term.value for term in score(data, _star(leaves), "ib").terms]
    # Row by row in the order of the columns: the hub ends the leaves' rows, and has the last.
    by_end = np.reshape(values, (leaves + 1, leaves))
    from_leaves, from_hub = by_end[:-1, -1], by_end[-1]
    pairs = np.triu(by_end[:-1, :-1])
    return from_leaves[0], from_hub[0], from_leaves.sum(), from_hub.sum(), pairs.sum()


@cache
def figure() -> Payload:
    """What the browser needs for every setting: twenty samples a strength, and their numbers.

    `packed`, inflated, holds `measure` by strength, seed, rows and leaves as floats, then the
    samples in 16 bits a row: bit k is leaf k, the last one the hub. The rows that each size adds
    are sorted and written as differences.
    """
    samples = [draw(strength, seed) for strength in STRENGTHS.values() for seed in SEEDS]
    numbers = [
        measure(sample[:size], leaves)
        for sample in samples
        for size in ROWS
        for leaves in range(1, LEAVES + 1)
    ]
    codes = np.array(samples) @ (1 << np.arange(LEAVES + 1))
    parts = [np.sort(codes[:, a:b]) for a, b in pairwise((0, *ROWS))]
    steps = [np.diff(part, prepend=0) for part in parts]
    raw = np.array(numbers, "<f8").tobytes() + np.hstack(steps).astype("<u2").tobytes()
    return {
        "rows": list(ROWS),
        "leaves": LEAVES,
        "strengths": len(STRENGTHS),
        "seeds": list(SEEDS),
        "packed": b64encode(zlib.compress(raw)).decode(),
    }


def _step(name: str, parts: int, leaves: int) -> Step:
    """A step on the figure, which shows more of its parts each time, and opens with some leaves."""
    strengths = [say(f"hub.{key}", ratio=f"{exp(log):.1f}") for key, log in STRENGTHS.items()]
    sliders = (
        Slider(say("hub.leaves"), tuple(str(k) for k in range(1, LEAVES + 1)), leaves - 1),
        Slider(say("hub.rows"), tuple(f"{rows:,}" for rows in ROWS), 2),
        Slider(say("hub.strength"), tuple(strengths), 1),
    )
    return Step(f"hub.{name}", lambda _: {"hub": parts}, Touch("frame", sliders=sliders))


# --- The question ---------------------------------------------------------------------------------


def _asked() -> scene.Place:
    return scene.sample_network(ASKED)


def _check(picks: Picks) -> Verdict:
    """Whether variables were put in the order ψ."""
    place = _asked()
    degree, order = place.graph.degree, place.score().order
    for at, (right, node) in enumerate(zip(order, place.named(picks), strict=False), 1):
        if node != right:
            why = "equal" if degree[right] == degree[node] else "smaller"
            said = {"place": at, "a": plain(right), "b": plain(node)}
            degrees = {"degree": degree[node], "smaller": degree[right]}
            return Verdict(False, say(f"hub.question.{why}", **said, **degrees), picks[at - 1])
    if left := len(order) - len(picks):
        return Verdict(False, say("hub.question.unfinished", found=len(picks), left=left))
    last = plain(order[-1])
    return Verdict(True, say("hub.question.right", order=names_list(order), last=last))


LESSON = Lesson(
    "hub",
    (
        _step("ends", 1, leaves=2),
        # Here the other parts have something to show.
        _step("samples", 2, leaves=8),
        _step("scores", 3, leaves=8),
        Step(
            "hub.question",
            lambda _: {"networks": [network(_asked())]},
            question=Question(
                "order",
                _check,
                lambda: _asked().columns(_asked().score().order),
                lambda: {"networks": [network(_asked(), order=_asked().score().order)]},
            ),
        ),
    ),
    figure,
)
