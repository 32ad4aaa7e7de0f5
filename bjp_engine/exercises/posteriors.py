"""Compute one posterior of the Bayesian test from its tables (docs/theory.md §2)."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from bjp_engine.arrays import Ints
from bjp_engine.dataset import Dataset
from bjp_engine.exercises.drafts import QuestionDraft
from bjp_engine.exercises.records import Answer, Form, GridPicture, Picture
from bjp_engine.independence import Slice, TestTrace, independence_test

TOLERANCE = 0.01


def draw_posterior(rng: np.random.Generator, level: int) -> QuestionDraft | None:
    """Pr(X ⊥ Y | D): from g and h, from the table alone, and from two slices of Z.

    Trivial are posteriors within 0.02 of 0, ½ or 1, and tables with an empty row or column.
    """
    slices = 2 if level == 3 else 1
    # Few rows at level 1, so that g and h are fractions which one can add by hand.
    rows = [int(rng.integers(5, (10, 17, 11)[level - 1])) for _ in range(slices)]
    # Weights of their own let some tables be far from independence.
    tables = np.array([rng.multinomial(n, rng.dirichlet([0.8] * 4)) for n in rows])
    tables = tables.reshape(slices, 2, 2)
    if not (tables.sum(axis=1).all() and tables.sum(axis=2).all()):
        return None
    test = _test(tables)
    answer = math.exp(test.log_independent)
    if min(abs(answer - odd) for odd in (0, 0.5, 1)) < 2 * TOLERANCE:
        return None
    return QuestionDraft(
        ask=(
            "What is the posterior of independence, Pr(X ⊥ Y | Z, D)? Its prior is ½, so that of "
            "each slice is √½. Give two decimals."
            if slices == 2
            else "What is the posterior of independence, Pr(X ⊥ Y | D)? Its prior is ½. Give two "
            "decimals."
        ),
        picture=Picture(
            grids=tuple(
                _grid(table, f"Z = {k}" if slices == 2 else "")
                for k, table in enumerate(tables.tolist())
            ),
            notes=_evidence(test) if level != 2 else ("g: the margins; h: the table. γ = 1.",),
        ),
        form=Form.NUMBER,
        answer=round(answer, 6),
        tolerance=TOLERANCE,
        mistakes=_mistakes(test, tables),
        solution=_solution(test, answer, level),
    )


def _test(tables: Ints) -> TestTrace:
    """The engine's test of tables of counts, one for each state of Z; a single one has no Z."""
    codes = [(x, y, z) for (z, x, y), count in np.ndenumerate(tables) for _ in range(int(count))]
    data = Dataset.from_codes(np.array(codes), [2, 2, len(tables)], ["X", "Y", "Z"])
    return independence_test(data, "X", "Y", ["Z"] if len(tables) > 1 else [])


def _mistakes(test: TestTrace, tables: Ints) -> Iterator[tuple[Answer, str]]:
    """The complement, odds for probabilities, and a wrong way with the slices."""
    answer = math.exp(test.log_independent)
    odds = [math.exp(part.log_g - part.log_h) for part in test.slices]
    yield 1 - answer, "This is the posterior of dependence, one minus that of independence."
    if len(test.slices) == 1:
        yield odds[0], "This is g / h, the odds; the posterior is g / (g + h)."
        yield 1 / odds[0], "This is h / g; the posterior of independence is g / (g + h)."
        yield 0.5, "½ is the prior; the counts change it."
        return
    halves = [one / (1 + one) for one in odds]
    yield math.prod(halves), "The prior ½ is of both slices; each has its square root, 0.7071."
    yield sum(halves) / 2, "Independence must hold in both slices: multiply, don't average."
    parts = [math.exp(part.log_independent) for part in test.slices]
    yield sum(parts) / 2, "Independence must hold in both slices: multiply, don't average."
    pooled = math.exp(_test(tables.sum(axis=0, keepdims=True)).log_independent)
    yield pooled, "This is the test of both slices in one table, without Z."
    for k, part in enumerate(parts):
        yield part, f"This is the slice Z = {k} alone; multiply by the other one."


def _solution(test: TestTrace, answer: float, level: int) -> tuple[str, ...]:
    """The numbers of the test, one after another."""
    lines = []
    g, h = (_inverse(log) for log in (test.slices[0].log_g, test.slices[0].log_h))
    if level == 2:
        rows, columns = (test.slices[0].counts.sum(axis=k).tolist() for k in (1, 0))
        n = test.slices[0].rows
        cells = test.slices[0].counts.ravel().tolist()
        lines += [
            f"Margins: X {rows[0]} and {rows[1]}, Y {columns[0]} and {columns[1]}, {n} rows.",
            f"g = {_margin(rows, n)} · {_margin(columns, n)} = 1 / {g}.",
            f"h = 3! · {' · '.join(f'{c}!' for c in cells)} / {n + 3}! = 1 / {h}.",
        ]
    if level < 3:
        return (*lines, f"Pr(⊥) = g / (g + h) = {h} / ({g} + {h}) = {answer:.4f}.")
    for k, part in enumerate(test.slices):
        lines.append(
            f"Z = {k}: p g / (p g + (1 − p) h) with p = 0.7071, g / h = "
            f"{_ratio(part)}, gives {math.exp(part.log_independent):.4f}."
        )
    return (
        "Independence given Z means independence in each slice.",
        "The prior of each slice is p = √½ = 0.7071, so that their product is ½.",
        *lines,
        f"The product is {answer:.4f}.",
    )


def _evidence(test: TestTrace) -> tuple[str, ...]:
    """g and h of each slice."""
    return tuple(
        (f"Z = {k}: " if len(test.slices) > 1 else "")
        + f"g = 1 / {_inverse(part.log_g)} (evidence of ⊥), h = 1 / {_inverse(part.log_h)} (of ⊥̸)"
        for k, part in enumerate(test.slices)
    )


def _grid(table: list[list[int]], title: str) -> GridPicture:
    """A table of counts."""
    cells = tuple(tuple(map(str, row)) for row in table)
    return GridPicture(title, "", ("Y = 0", "Y = 1"), ("X = 0", "X = 1"), cells)


def _margin(counts: list[int], n: int) -> str:
    """The evidence of a margin."""
    return f"({counts[0]}! · {counts[1]}! / {n + 1}!)"


def _inverse(log_evidence: float) -> str:
    """One over the evidence of a table of γ = 1, a whole number."""
    return f"{round(math.exp(-log_evidence)):,}"


def _ratio(part: Slice) -> str:
    """G over h."""
    return f"{math.exp(part.log_g - part.log_h):.4g}"
