"""How far effects are off, and how often their intervals hold the truth, also with empty margins.

Samples of known joint distributions, a thousand of each size. Of a graph's edges the first counts.
A share of 95 % of 1,000 intervals is known to ± 1.4.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable

import networkx as nx
import numpy as np
from numpy.typing import NDArray

import bjp_engine as bjp
from benchmarks import marked
from bjp_engine.parameters.effects import edge_effects

RUNS = 1000
Floats = NDArray[np.float64]
Codes = NDArray[np.int64]
Draw = Callable[[int, np.random.Generator], Codes]
PAIR, TRIANGLE = nx.Graph([(0, 1)]), nx.complete_graph(3)
STEPS = np.arange(5) - 2.0
THREE = np.array([[0.9, -0.3, 0.1], [-0.4, 0.5, -0.2], [0, 0.2, 0.6]])


def of_table(log_weights: Floats) -> Draw:
    """Rows of a joint distribution."""
    p = np.exp(log_weights) / np.exp(log_weights).sum()

    def draw(rows: int, rng: np.random.Generator) -> Codes:
        return np.column_stack(np.unravel_index(rng.choice(p.size, rows, p=p.ravel()), p.shape))

    return draw


def length(table: Floats) -> float:
    """The root mean square of its log odds ratios."""
    centred = table - table.mean(0) - table.mean(1)[:, None] + table.mean()
    freedom = (table.shape[0] - 1) * (table.shape[1] - 1)
    return float(2 * np.sqrt((centred**2).sum() / freedom))


def answered(slope: float, apart: int) -> Draw:
    """Two questions that half of the rows are asked; the others have no (0), or a state apart."""

    def draw(rows: int, rng: np.random.Generator) -> Codes:
        asked = rng.random(rows) < 0.5
        first = rng.random(rows) < 0.5
        second = rng.random(rows) < 1 / (1 + np.exp(0.4 - slope * first))
        answers = [np.where(asked, one, 2 * apart) for one in (first, second)]
        return np.column_stack([*answers, asked]).astype(np.int64)

    return draw


def pregnancy(rows: int, rng: np.random.Generator) -> Codes:
    """Pregnant and a symptom, which nearly all men have; none of them is pregnant."""
    woman = rng.random(rows) < 0.5
    pregnant = woman & (rng.random(rows) < 0.3)
    chance = np.where(woman, 1 / (1 + np.exp(-1.0 * pregnant)), 0.95)
    return np.column_stack([pregnant, rng.random(rows) < chance, woman]).astype(np.int64)


def pairwise(n: int, edges: nx.Graph, log_odds: float) -> Draw:
    """Binary variables with this log odds ratio on each edge."""
    halves = np.indices((2,) * n) - 0.5
    return of_table(np.sum([log_odds * halves[i] * halves[j] for i, j in edges.edges], axis=0))


SLICED = THREE[:, :, None] + np.array([1.0, 0, -1])[:, None, None] * np.array([0.8, -0.8])
ITEMS = 0.29 * (
    np.multiply.outer(np.outer(STEPS, STEPS), np.ones(5))
    + STEPS[:, None, None] * STEPS
    + STEPS[None, :, None] * STEPS
)
CYCLE, ALL = nx.cycle_graph(4), nx.complete_graph(6)
# Name, samples, graph, truth, rows, whether the states are ordered.
CASES: list[tuple[str, Draw, nx.Graph, float, tuple[int, ...], bool]] = [
    ("two states", pairwise(2, PAIR, 1.0), PAIR, 1.0, (100, 1000), False),
    ("pregnant, symptom; no man is pregnant", pregnancy, TRIANGLE, 1.0, (300, 3000), False),
    ("two questions behind a gate", answered(1.0, 0), TRIANGLE, 1.0, (300, 3000), False),
    ("the same, others have a state apart", answered(1.0, 1), TRIANGLE, 1.0, (300, 3000), False),
    ("five ordered steps", of_table(ITEMS[:, :, 2]), PAIR, 0.29, (300, 2000), True),
    ("three items of five steps", of_table(ITEMS), TRIANGLE, 0.29, (300, 2000), True),
    ("three states", of_table(THREE), PAIR, length(THREE), (300, 2000), False),
    ("three states in two slices", of_table(SLICED), TRIANGLE, length(THREE), (300, 2000), False),
    ("independent three states", of_table(0 * THREE), PAIR, 0.0, (300, 2000), False),
    ("a cycle of four", pairwise(4, CYCLE, 1.0), CYCLE, 1.0, (150, 1000), False),
    ("six, all connected", pairwise(6, ALL, 0.7), ALL, 0.7, (200, 1000), False),
]


def main() -> None:
    """Print it, and write it into docs/theory/effects.md."""
    warnings.simplefilter("ignore")
    rows = []
    for name, draw, graph, truth, sizes, ordered in CASES:
        for size in sizes:
            errors, held = [], 0
            for run in range(RUNS):
                data = bjp.Dataset.from_codes(draw(size, np.random.default_rng([run, size])))
                names = data.names if ordered else ()
                row = edge_effects(data, graph, ordered=names, seed=run).iloc[0]
                errors.append(row["effect"] - truth)
                held += row["low"] <= truth <= row["high"]
            rows.append(
                (
                    name,
                    f"{size:,}",
                    f"{truth:.2f}",
                    f"{np.nanmean(errors):+.3f}",
                    f"{held / RUNS:.3f}",
                )
            )
    lines = ("samples", "rows", "truth", "bias", "intervals that hold it"), ("---",) * 5, *rows
    text = "".join(f"| {' | '.join(line)} |\n" for line in lines)
    print(text)
    marked.write("theory/effects.md", "effects", text)
