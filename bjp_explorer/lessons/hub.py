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
from bjp_explorer.lessons import data as here
from bjp_explorer.lessons.checks import check_order
from bjp_explorer.lessons.model import (
    Lesson,
    Payload,
    Picks,
    Question,
    Slider,
    Step,
    Touch,
    Verdict,
    indices,
)
from bjp_explorer.lessons.scene import by_column, network
from bjp_explorer.shell import caches
from bjp_explorer.shell.phrases import say

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


def figure() -> Payload:
    """What the browser needs for every setting: twenty samples a strength, and their numbers.

    `packed`, inflated, holds `measure` by strength, seed, rows and leaves as floats, then the
    samples in 16 bits a row: bit k is leaf k, the last one the hub. The rows that each size adds
    are sorted and written as differences.
    """

    def make() -> Payload:
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

    return caches.once("lesson hub", make)


# --- The question ---------------------------------------------------------------------------------


def _question(_picks: Picks) -> Payload:
    return {"networks": [network(here.sample_network(ASKED))]}


def _reveal() -> Payload:
    place = here.sample_network(ASKED)
    return {"networks": [network(place, order=place.score().order)]}


def _check(picks: Picks) -> Verdict:
    place = here.sample_network(ASKED)
    chosen = [place.names[k] for k in indices(picks)]
    verdict = check_order(place.graph, place.score().order, chosen)
    return by_column(verdict, place.data)


def _answer() -> Picks:
    place = here.sample_network(ASKED)
    return tuple(map(place.data.index, place.score().order))


# --- The lesson -----------------------------------------------------------------------------------


def _touch(leaves: int) -> Touch:
    """The sliders; where they open, the second and third step have something to show."""
    return Touch(
        "frame",
        sliders=(
            Slider(say("hub.leaves"), tuple(str(k) for k in range(1, LEAVES + 1)), leaves - 1),
            Slider(say("hub.rows"), tuple(f"{rows:,}" for rows in ROWS), 2),
            Slider(
                say("hub.strength"),
                tuple(
                    say(f"hub.{name}", ratio=f"{exp(log):.1f}") for name, log in STRENGTHS.items()
                ),
                1,
            ),
        ),
    )


def _step(key: str, parts: int) -> Step:
    """A step on the figure, which shows more of its parts each time."""
    return Step(key, lambda _: {"hub": parts}, _touch(2 if parts == 1 else 8))


LESSON = Lesson(
    "hub",
    (
        _step("hub.ends", 1),
        _step("hub.samples", 2),
        _step("hub.scores", 3),
        Step("hub.question", _question, question=Question("order", _check, _answer, _reveal)),
    ),
    figure,
)
