"""Which of two graphs a score prefers."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from bjp_engine.dataset import Dataset
from bjp_engine.exercises.drafts import (
    NAMES,
    QuestionDraft,
    decimals,
    draw_data,
    draw_graph,
    graph_of,
    picture_of,
)
from bjp_engine.exercises.records import Answer, Form, GridPicture, Picture
from bjp_engine.independence import independence_test
from bjp_engine.scores import SCORES, AssertionTerm, LocalTerm, ScoreTrace, local_trace, score

# Scores must differ by this much: more than what rounding to two decimals can add up to.
GAP, MOST = 0.1, 20.0
_PAIRS = ((0, 1), (0, 2), (1, 2))
GRAPHS = ("Graph 1", "Graph 2")


def draw_score(rng: np.random.Generator, level: int) -> QuestionDraft | None:
    """Which of two graphs on three nodes has the higher score.

    Level 1: by BJP. Level 2: by IB-score or MPL. Level 3: by BJP and by IB-score.

    Trivial are equal graphs, and scores that differ by less than 0.1 or by more than 20.
    """
    data = draw_data(rng, 3, int(rng.integers(20, 80)))
    both = [draw_graph(rng, 3, 0.55) for _ in GRAPHS]
    methods = (("bjp",), (("ib",), ("mpl",))[int(rng.integers(2))], ("bjp", "ib"))[level - 1]
    seldom = rng.random() < 0.95
    traces = {name: [score(data, graph_of(one), name) for one in both] for name in methods}
    gains = {name: two.score - one.score for name, (one, two) in traces.items()}
    if any(not GAP <= abs(gain) <= MOST for gain in gains.values()):
        return None
    wins = [int(gain > 0) for gain in gains.values()]
    if level == 3 and len(set(wins)) == 1 and seldom:
        return None
    titles = [SCORES[name].title for name in methods]
    options = GRAPHS if level < 3 else _both_options(titles)
    letter = "ab"[wins[0]] if level < 3 else "abcd"[2 * wins[0] + wins[1]]
    sums = [_sum_text(titles[k], traces[name]) for k, name in enumerate(methods)]
    totals = [
        f"ln {title} is {decimals(one.score, 2)} for graph 1, {decimals(two.score, 2)} for graph 2"
        for title, (one, two) in zip(titles, traces.values(), strict=True)
    ]
    verdict = f"{'; '.join(totals)}: the higher one wins."
    mistakes: list[tuple[Answer, str]] = [((other,), verdict) for other in "abcd"[: len(options)]]
    return QuestionDraft(
        ask=(
            f"Which graph has the higher {titles[0]}?"
            if level < 3
            else "Which graph has the higher BJP, and which the higher IB-score?"
        ),
        picture=Picture(
            tuple(picture_of(one, title) for one, title in zip(both, GRAPHS, strict=True)),
            (_local_grid(data) if "mpl" in methods else _test_grid(data),),
        ),
        form=Form.ONE,
        options=options,
        answer=(letter,),
        mistakes=mistakes,
        solution=(*(line for pair in sums for line in pair), verdict),
    )


def _both_options(titles: Sequence[str]) -> tuple[str, ...]:
    """What two scores can prefer."""
    return tuple(
        f"{titles[0]}: graph {one}; {titles[1]}: graph {two}" for one in (1, 2) for two in (1, 2)
    )


def _sum_text(title: str, traces: Sequence[ScoreTrace]) -> list[str]:
    """The sum of each graph, term by term."""
    lines = []
    for graph, trace in zip(GRAPHS, traces, strict=True):
        terms = [term for term in trace.terms if getattr(term, "computed", True)]
        text = " + ".join(f"({_term_text(term)})" for term in terms)
        lines.append(f"{graph}, ln {title}: {text} ≈ {decimals(trace.score, 2)}.")
    return lines


def _term_text(term: AssertionTerm | LocalTerm) -> str:
    """A term with its value."""
    given = ", ".join(map(str, term.given)) or "∅"
    if isinstance(term, LocalTerm):
        return f"{term.x} | {given}: {decimals(term.value, 2)}"
    return (
        f"{term.x} {'⊥̸' if term.dependent else '⊥'} {term.y} | {given}: {decimals(term.value, 2)}"
    )


def _test_grid(data: Dataset) -> GridPicture:
    """All six tests of three variables."""
    rows, cells = [], []
    for x, y in _PAIRS:
        for given in ((), (3 - x - y,)):
            test = independence_test(data, x, y, given)
            shown = ", ".join(NAMES[z] for z in given) or "∅"
            rows.append(f"{NAMES[x]}, {NAMES[y]} | {shown}")
            cells.append((decimals(test.log_independent, 2), decimals(test.log_dependent, 2)))
    columns = ("ln Pr(⊥)", "ln Pr(⊥̸)")
    return GridPicture("The tests of all pairs", "", columns, tuple(rows), tuple(cells))


def _local_grid(data: Dataset) -> GridPicture:
    """Each variable's part of ln MPL, for each blanket that it can have."""
    blankets = [given for size in range(3) for given in combinations(range(3), size)]
    cells = tuple(
        tuple(
            "" if x in given else decimals(local_trace(data, x, given).value, 2) for x in range(3)
        )
        for given in blankets
    )
    rows = tuple(", ".join(NAMES[z] for z in given) or "∅" for given in blankets)
    title = "Each variable's part of ln MPL, by its blanket"
    return GridPicture(title, "", tuple(NAMES[:3]), rows, cells)
