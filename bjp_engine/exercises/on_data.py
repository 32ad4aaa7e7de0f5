"""Questions on data: one posterior, the climb's next flip, and which score is higher."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import combinations, permutations, product

import numpy as np

from bjp_engine.arrays import Ints
from bjp_engine.dataset import Dataset
from bjp_engine.exercises.records import (
    Exercise,
    Form,
    GridPicture,
    answer_text,
    assertion_text,
    decimals,
    draw_data,
    draw_graph,
    picture_of,
    question,
    sort_by_degree,
)
from bjp_engine.independence import IndependenceTrace, independence_test
from bjp_engine.scores import SCORES, LocalTerm, ScoreTrace, local_trace, score
from bjp_engine.search import learn

# The lowest probability must be lower than the next by this much as they are shown.
LEAST_GAP = 0.02
ROWS = 60
_SHOWN = (
    "Each cell is Pr of what the graph asserts about the pair.",
    "Each cell is Pr(⊥) of the pair's test, given the blanket from which BJP tests it.",
    "Each cell is Pr(⊥) of its row and column, given the blanket of the row.",
)


def ask_flip(rng: np.random.Generator, level: int) -> Exercise | None:
    """Which pair the climb flips next; what the cells hold needs more thought level by level."""
    n = (4, 5, 5)[level - 1]
    data = draw_data(rng, n, ROWS)
    graph = draw_graph(rng, n, 0.4)
    order = sort_by_degree(graph)
    # Pr(⊥) of a pair, given the blanket of the first.
    independent = {
        (x, y): math.exp(independence_test(data, x, y, set(graph[x]) - {y}).log_independent)
        for x, y in permutations(graph, 2)
    }
    stated = {uv: 1 - p if graph.has_edge(*uv) else p for uv, p in independent.items()}
    # The pairs, each from the end from which BJP tests it.
    values = {pair: stated[pair] for pair in combinations(order, 2)}
    first, second, *_, highest = sorted(values, key=values.__getitem__)
    cells = independent
    if level < 3:
        shown = stated if level == 1 else independent
        cells = {(min(pair), max(pair)): shown[pair] for pair in values}
    naive = min(cells, key=cells.__getitem__)
    other_end = min(values, key=lambda pair: stated[pair[::-1]])
    if values[second] - values[first] < LEAST_GAP or values[first] < LEAST_GAP / 2:
        return None
    if (level > 1 and {*naive} == {*first}) or (level == 3 and {*other_end} == {*first}):
        return None
    trace = learn(data, "bjp", "ibmap-hc", start=graph, evaluations=1)
    if not len(trace.steps):
        return None
    (x, y), has_edge = first, graph.has_edge(*first)
    end = naive if naive in values else naive[::-1]
    whose = f"BJP tests the pair from {end[0]}, where the" if level == 3 and end != naive else "its"
    later = "This is lowest from the end that comes later in ψ, whose test BJP doesn't make."
    higher = f"Its assertion has probability {values[second]:.3f}; that of another pair is lower."
    mistakes = [
        (naive, f"The cell is lowest, but {whose} assertion has probability {values[end]:.3f}."),
        (other_end, later),
        (second, higher),
        (highest, "This assertion is the most probable one; the climb flips the least probable."),
    ]
    each = ", ".join(f"{u}{v} {value:.3f}" for (u, v), value in values.items())
    texts = {pair: f"{value:.3f}" for pair, value in cells.items()}
    rows = tuple(tuple(texts.get((u, v), "") for v in graph) for u in graph)
    grid = GridPicture("", (*graph,), (*graph,), rows)
    return question(
        "Which pair does IBMAP-HC flip next, with the score BJP?",
        Form.PAIR,
        sorted(map(str, trace.steps[0].edge)),
        (({*pair}, reason) for pair, reason in mistakes[0 if level > 1 else 2 :]),
        "The climb flips the pair whose computed assertion has the lowest probability.",
        "Where the graph has an edge it asserts dependence, with 1 − Pr(⊥).",
        f"ψ = {', '.join(order)}. " * (level == 3) + f"Probabilities of the assertions: {each}.",
        f"The lowest is {x} {'⊥̸' if has_edge else '⊥'} {y} with {values[first]:.3f}.",
        f"The climb {'removes' if has_edge else 'adds'} the edge, and the score rises.",
        graphs=[picture_of(graph)],
        grids=[grid],
        notes=(_SHOWN[level - 1],),
    )


TOLERANCE = 0.01


def ask_posterior(rng: np.random.Generator, level: int) -> Exercise | None:
    """Pr(X ⊥ Y | D): from g and h, from the table alone, and from two slices of Z."""
    slices = 2 if level == 3 else 1
    # Few rows at level 1, so that g and h are fractions which one can add by hand.
    rows = [int(rng.integers(5, (10, 17, 11)[level - 1])) for _ in range(slices)]
    # Weights of their own let some tables be far from independence.
    tables = np.array([rng.multinomial(n, rng.dirichlet([0.8] * 4)) for n in rows])
    tables = tables.reshape(slices, 2, 2)
    if not (tables.sum(axis=1).all() and tables.sum(axis=2).all()):
        return None
    test = _test_of(tables)
    answer = math.exp(test.log_independent)
    if min(abs(answer - odd) for odd in (0, 0.5, 1)) < 2 * TOLERANCE:
        return None
    given, of_each = ("Z, ", ", so that of each slice is √½") if level == 3 else ("", "")
    titles = ("Z = 0", "Z = 1") if level == 3 else ("",)
    return question(
        f"What is the posterior of independence, Pr(X ⊥ Y | {given}D)? Its prior is ½{of_each}. "
        "Give two decimals.",
        Form.NUMBER,
        answer,
        _posterior_mistakes(test, tables),
        *_solution(test, answer, level),
        grids=[
            GridPicture(
                title,
                ("Y = 0", "Y = 1"),
                ("X = 0", "X = 1"),
                tuple(tuple(map(str, row)) for row in table),
            )
            for title, table in zip(titles, tables.tolist(), strict=True)
        ],
        notes=("g: the margins; h: the table. γ = 1.",)
        if level == 2
        else tuple(
            f"{title}{': ' if title else ''}g = 1 / {_inverse(part.log_g)} (evidence of ⊥), "
            f"h = 1 / {_inverse(part.log_h)} (of ⊥̸)"
            for title, part in zip(titles, test.slices, strict=True)
        ),
        tolerance=TOLERANCE,
    )


def _test_of(tables: Ints) -> IndependenceTrace:
    """The engine's test of tables of counts, one for each state of Z; a single one has no Z."""
    codes = [(x, y, z) for (z, x, y), count in np.ndenumerate(tables) for _ in range(int(count))]
    data = Dataset.from_codes(np.array(codes), [2, 2, len(tables)], ["X", "Y", "Z"])
    return independence_test(data, "X", "Y", ["Z"] if len(tables) > 1 else [])


def _posterior_mistakes(test: IndependenceTrace, tables: Ints) -> Iterator[tuple[float, str]]:
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
    pooled = math.exp(_test_of(tables.sum(axis=0, keepdims=True)).log_independent)
    yield pooled, "This is the test of both slices in one table, without Z."
    for k, part in enumerate(parts):
        yield part, f"This is the slice Z = {k} alone; multiply by the other one."


def _solution(test: IndependenceTrace, answer: float, level: int) -> tuple[str, ...]:
    """The numbers of the test, one after another."""
    part = test.slices[0]
    if level == 3:
        return (
            "Independence given Z means independence in each slice.",
            "The prior of each slice is p = √½ = 0.7071, so that their product is ½.",
            *(
                f"Z = {k}: p g / (p g + (1 − p) h) with p = 0.7071, g / h = "
                f"{math.exp(part.log_g - part.log_h):.4g}, "
                f"gives {answer_text(math.exp(part.log_independent))}."
                for k, part in enumerate(test.slices)
            ),
            f"The product is {answer_text(answer)}.",
        )
    g, h, n = _inverse(part.log_g), _inverse(part.log_h), part.rows
    ratio = f"Pr(⊥) = g / (g + h) = {h} / ({g} + {h}) = {answer_text(answer)}."
    if level == 1:
        return (ratio,)
    (x0, x1), (y0, y1) = (part.counts.sum(axis=k).tolist() for k in (1, 0))
    cells = " · ".join(f"{count}!" for count in part.counts.ravel().tolist())
    return (
        f"Margins: X {x0} and {x1}, Y {y0} and {y1}, {n} rows.",
        f"g = ({x0}! · {x1}! / {n + 1}!) · ({y0}! · {y1}! / {n + 1}!) = 1 / {g}.",
        f"h = 3! · {cells} / {n + 3}! = 1 / {h}.",
        ratio,
    )


def _inverse(log_evidence: float) -> str:
    """One over the evidence of a table of γ = 1, a whole number."""
    return f"{round(math.exp(-log_evidence)):,}"


# Scores must differ by this much: more than what rounding to two decimals can add up to.
LEAST_DIFFERENCE, MOST_DIFFERENCE = 0.1, 20.0
GRAPHS: tuple[str, ...] = ("Graph 1", "Graph 2")


def ask_score(rng: np.random.Generator, level: int) -> Exercise | None:
    """Which of two graphs on three nodes has the higher BJP; IB-score or MPL; BJP and IB-score."""
    data = draw_data(rng, 3, int(rng.integers(20, 80)))
    both = [draw_graph(rng, 3, 0.55) for _ in GRAPHS]
    methods = (("bjp",), (("ib",), ("mpl",))[int(rng.integers(2))], ("bjp", "ib"))[level - 1]
    seldom = rng.random() < 0.95
    traces = {name: [score(data, one, name) for one in both] for name in methods}
    gains = {name: two.total - one.total for name, (one, two) in traces.items()}
    if any(not LEAST_DIFFERENCE <= abs(gain) <= MOST_DIFFERENCE for gain in gains.values()):
        return None
    wins = [int(gain > 0) for gain in gains.values()]
    if level == 3 and len(set(wins)) == 1 and seldom:
        return None
    titles = [SCORES[name].title for name in methods]
    ask, letter, options = f"Which graph has the higher {titles[0]}?", "ab"[wins[0]], GRAPHS
    if level == 3:
        ask = "Which graph has the higher BJP, and which the higher IB-score?"
        letter = "abcd"[2 * wins[0] + wins[1]]
        both_of = product((1, 2), repeat=2)
        options = tuple(f"{titles[0]}: graph {k}; {titles[1]}: graph {m}" for k, m in both_of)
    totals = [
        f"ln {title} is {decimals(one.total, 2)} for graph 1, {decimals(two.total, 2)} for graph 2"
        for title, (one, two) in zip(titles, traces.values(), strict=True)
    ]
    verdict = f"{'; '.join(totals)}: the higher one wins."
    return question(
        ask,
        Form.ONE,
        letter,
        [(other, verdict) for other in "abcd"[: len(options)]],
        *(
            f"{graph}, ln {title}: {_sum_text(trace)} ≈ {decimals(trace.total, 2)}."
            for title, both_traces in zip(titles, traces.values(), strict=True)
            for graph, trace in zip(GRAPHS, both_traces, strict=True)
        ),
        verdict,
        graphs=map(picture_of, both, GRAPHS),
        grids=[_local_grid(data) if "mpl" in methods else _test_grid(data)],
        options=options,
    )


def _sum_text(trace: ScoreTrace) -> str:
    """What is added up, term by term."""
    texts = []
    for term in trace.computed:
        if isinstance(term, LocalTerm):
            what = f"{term.x} | {', '.join(map(str, term.given)) or '∅'}"
        else:
            what = assertion_text(term.x, term.y, term.given, dependent=term.dependent)
        texts.append(f"({what}: {decimals(term.value, 2)})")
    return " + ".join(texts)


def _test_grid(data: Dataset) -> GridPicture:
    """All six tests of three variables."""
    tests = {
        f"{x}, {y} | {z or '∅'}": independence_test(data, x, y, list(z))
        for (x, y), other in zip(combinations("ABC", 2), "CBA", strict=True)
        for z in ("", other)
    }
    cells = tuple(
        (decimals(one.log_independent, 2), decimals(one.log_dependent, 2)) for one in tests.values()
    )
    return GridPicture("The tests of all pairs", ("ln Pr(⊥)", "ln Pr(⊥̸)"), (*tests,), cells)


def _local_grid(data: Dataset) -> GridPicture:
    """Each variable's part of ln MPL, for each blanket that it can have."""
    blankets = [given for size in range(3) for given in combinations("ABC", size)]
    cells = tuple(
        tuple("" if x in given else decimals(local_trace(data, x, given).value, 2) for x in "ABC")
        for given in blankets
    )
    rows = tuple(", ".join(given) or "∅" for given in blankets)
    return GridPicture("Each variable's part of ln MPL, by its blanket", (*"ABC",), rows, cells)
