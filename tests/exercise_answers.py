"""What each exercise should be answered, from what a student sees and from tests/oracles.py.

Questions and pictures are read as text and counted slowly; nothing of the generators is used. Each
function gives all right answers, and asserts that the question is not trivial by the rule of its
kind. `python -m tests.exercise_answers 10000 --seed 7` checks as many, over all kinds and levels.
"""

import argparse
import re
from contextlib import contextmanager
from fractions import Fraction
from itertools import combinations
from math import exp, isclose
from types import SimpleNamespace
from unittest import mock

import networkx as nx
from mpmath import mp

from bjp_engine.exercises import KINDS, LEVELS, answer_text, draw_new, on_data, records
from tests import oracles


def edges_of(graph):
    return oracles.edges_of((graph.names.index(u), graph.names.index(v)) for u, v in graph.edges)


def flipped(one, edges):
    """The graph after the flip that the question names, if it names one."""
    found = re.search(r"the edge (\w) – (\w) is (added|removed)", one.ask)
    if not found:
        return edges
    edge = frozenset(map(one.nodes.index, found.groups()[:2]))
    assert (edge in edges) == (found[3] == "removed")
    return edges ^ {edge}


def names(one, places):
    return tuple(one.nodes[place] for place in places)


def blanket(one, _):
    edges, n = edges_of(one.graphs[0]), len(one.nodes)
    if one.level == 1:
        x = one.nodes.index(re.search(r"blanket of (\w)\?", one.ask)[1])
        found = oracles.blanket(edges, x)
        assert 0 < len(found) < n - 1
        return {names(one, sorted(found))}
    if one.level == 2:
        pattern = r"about (\w) and (\w) from the side of \1\."
    else:
        pattern = r"the pair (\w) – (\w) once"
    x, y = map(one.nodes.index, re.search(pattern, one.ask).groups())
    if one.level == 3:
        order = oracles.degree_order(edges, n)
        x, y = sorted((x, y), key=order.index)
        assert oracles.blanket(edges, x) - {y} != oracles.blanket(edges, y) - {x}
    found = oracles.blanket(edges, x) - {y}
    assert 0 < len(found) < n - 2
    return {names(one, sorted(found))}


def separation(one, _):
    edges, n = edges_of(one.graphs[0]), len(one.nodes)
    found = re.match(r"Separate (\w) from (\w) by as few", one.ask)
    x, y = map(one.nodes.index, found.groups())
    others = [k for k in range(n) if k not in (x, y)]
    assert frozenset((x, y)) not in edges
    assert not separate(edges, x, y, set())
    for size in range(1, n - 1):
        sets = [each for each in combinations(others, size) if separate(edges, x, y, set(each))]
        if sets:
            break
    small = sum(len(oracles.blanket(edges, node)) == size for node in (x, y))
    assert size == min(one.level, 2)
    assert small < (1 if one.level == 3 else 2)
    return {names(one, each) for each in sets}


def separate(edges, x, y, given):
    graph = nx.Graph(map(tuple, edges))
    graph.add_nodes_from((x, y))
    graph.remove_nodes_from(given)
    return not nx.has_path(graph, x, y)


def order(one, _):
    before, n = edges_of(one.graphs[0]), len(one.nodes)
    edges = flipped(one, before)
    found = oracles.degree_order(edges, n)
    assert found not in (tuple(range(n)), tuple(reversed(range(n))))
    assert len({len(oracles.blanket(edges, i)) for i in range(n)}) >= 3
    assert (one.level == 3) == (edges != before)
    assert one.level < 3 or oracles.degree_order(before, n) != found
    return {names(one, found)}


def spared(one, _):
    edges, n = edges_of(one.graphs[0]), len(one.nodes)
    sequence = oracles.degree_order(edges, n)
    shown = f"ψ = {', '.join(names(one, sequence))}"
    assert one.notes == ((shown,) if one.level == 1 else ())
    inferred = []
    for letter, option in zip(one.letters, one.options, strict=True):
        found = re.fullmatch(r"⟨(\w) (⊥̸?) (\w) \| (.*)⟩", option)
        assert found
        x, y = (one.nodes.index(found[k]) for k in (1, 3))
        assert (found[2] == "⊥̸") == (frozenset((x, y)) in edges)
        given = sorted(oracles.blanket(edges, x) - {y})
        assert found[4] == (", ".join(names(one, given)) or "∅")
        if sequence.index(x) > sequence.index(y):
            inferred.append(letter)
    assert 0 < len(inferred) < len(one.options)
    assert 0 < len(edges) < n * (n - 1) // 2
    return {tuple(inferred)}


def posterior(one, _):
    tables = [[[int(cell) for cell in row] for row in grid.cells] for grid in one.grids]
    assert len(tables) == (2 if one.level == 3 else 1)
    rows = [
        (x, y, z)
        for z, table in enumerate(tables)
        for x, row in enumerate(table)
        for y, count in enumerate(row)
        for _ in range(count)
    ]
    for table in tables:
        assert all(map(sum, table))
        assert all(map(sum, zip(*table, strict=True)))
    test = oracles.independence_test(rows, (2, 2, 2), 0, 1, (2,) if len(tables) == 2 else ())
    value = mp.exp(test.log_independent)
    if len(tables) == 1:
        assert isclose(value, exact := oracles.exact_posterior(tables[0]), rel_tol=1e-12), exact
    if one.level != 2:
        shown = [
            Fraction(1, int(n.replace(",", "")))
            for n in re.findall(r"1 / ([\d,]+)", " ".join(one.notes))
        ]
        exact = [mp.exp(log) for part in test.slices for log in (part.log_g, part.log_h)]
        assert all(isclose(a, b, rel_tol=1e-12) for a, b in zip(shown, exact, strict=True))
    assert min(abs(value - odd) for odd in (0, 0.5, 1)) >= 0.02
    return {float(value)}


def flip(one, seen):
    (graph,), (grid,) = one.graphs, one.grids
    edges, n = edges_of(graph), len(one.nodes)
    cells = {
        (i, j): float(cell)
        for i, row in enumerate(grid.cells)
        for j, cell in enumerate(row)
        if cell
    }
    sequence = oracles.degree_order(edges, n)
    stated = {}
    for i, j in combinations(sequence, 2):
        shown = cells[i, j] if one.level == 3 else cells[min(i, j), max(i, j)]
        turned = one.level > 1 and frozenset((i, j)) in edges
        stated[frozenset((i, j))] = 1 - shown if turned else shown
    first, second = sorted(stated, key=stated.__getitem__)[:2]
    assert stated[second] - stated[first] > 0.0185  # as shown, with three decimals
    if one.level > 1:
        assert frozenset(min(cells, key=cells.__getitem__)) != first
    # The data behind: the same pair, and the score rises.
    rows = seen.data.codes.tolist()
    table = oracles.local_contributions(rows, (2,) * n, edges, "bjp")
    assert frozenset(min(table, key=table.__getitem__)) == first
    for pair, value in table.items():
        assert isclose(stated[frozenset(pair)], exp(value), abs_tol=6e-4)
    score = [oracles.score(rows, (2,) * n, one, "bjp") for one in (edges, edges ^ {first})]
    assert score[1] > score[0]
    return {names(one, sorted(first))}


def score(one, seen):
    graphs = [edges_of(graph) for graph in one.graphs]
    methods = {"BJP": "bjp", "IB-score": "ib", "MPL": "mpl"}
    asked = [name for name in methods if name in one.ask]
    assert len(asked) == (2 if one.level == 3 else 1)
    better = []
    for name in asked:
        totals = [
            oracles.score(seen.data.codes.tolist(), (2,) * 3, g, methods[name]) for g in graphs
        ]
        shown = [sum(terms(one, g, methods[name])) for g in graphs]
        assert 0.1 <= abs(totals[1] - totals[0]) <= 20
        assert all(isclose(a, b, abs_tol=0.031) for a, b in zip(totals, shown, strict=True))
        assert (totals[1] > totals[0]) == (shown[1] > shown[0])
        better.append(int(totals[1] > totals[0]) + 1)
    text = "; ".join(f"{name}: graph {k}" for name, k in zip(asked, better, strict=True))
    wanted = text if one.level == 3 else f"Graph {better[0]}"
    return {(one.letters[one.options.index(wanted)],)}


def terms(one, edges, method):
    """The numbers of the table that a score adds up."""
    (grid,) = one.grids
    cells = {
        (row, column): cell
        for row, line in zip(grid.rows, grid.cells, strict=True)
        for column, cell in zip(grid.columns, line, strict=True)
    }

    def set_text(places):
        return ", ".join(names(one, sorted(places))) or "∅"

    if method == "mpl":
        for x in range(3):
            yield number(cells[set_text(oracles.blanket(edges, x)), one.nodes[x]])
        return
    sequence = oracles.degree_order(edges, 3)
    for x in sequence:
        for y in sequence:
            if x != y and (method == "ib" or sequence.index(x) < sequence.index(y)):
                row = f"{set_text((x, y))} | {set_text(oracles.blanket(edges, x) - {y})}"
                sign = "⊥̸" if frozenset((x, y)) in edges else "⊥"
                yield number(cells[row, f"ln Pr({sign})"])


def number(text):
    return float(text.replace("−", "-"))


def distance(one, _):
    first, second = (edges_of(graph) for graph in one.graphs)
    missing, false = first - second, second - first
    assert missing
    assert false
    assert first & second
    return {float(len(missing) + len(false))}


def irregularity(one, _):
    before, n = edges_of(one.graphs[0]), len(one.nodes)
    edges = flipped(one, before)
    total, of_edges = oracles.total_irregularity(edges, n), oracles.edge_irregularity(edges)
    assert "edge irregularity" in one.ask or "total irregularity" in one.ask
    assert 0 not in (total, of_edges)
    assert total != of_edges
    assert one.level < 3 or oracles.total_irregularity(before, n) != total
    return {float(of_edges if "the edge irregularity" in one.ask else total)}


KINDS_HERE = blanket, separation, order, spared, posterior, flip, score, distance, irregularity
ANSWERS = {one.__name__: one for one in KINDS_HERE}


@contextmanager
def seeing():
    """The data that exercises are drawn from are kept for the oracle."""
    seen = SimpleNamespace(data=None)

    def draw_and_keep(*arguments):
        seen.data = records.draw_data(*arguments)
        return seen.data

    with mock.patch.object(on_data, "draw_data", draw_and_keep):
        yield seen


def check(one, seen):
    """Assert that an exercise is right, and that its mistakes are wrong."""
    wanted = ANSWERS[one.kind](one, seen)
    if isinstance(one.answer, float):
        (value,) = wanted
        assert isclose(one.answer, value, abs_tol=5e-5), one
        # The solution ends with the very number.
        assert answer_text(one.answer) in re.sub(r"(\.\d*?)0+\b", r"\1", one.solution[-1])
    else:
        assert set(one.accepted) == wanted, one
    assert one.answer == one.accepted[0]
    assert all((one.mistakes, one.solution, *one.solution))
    for mistake in one.mistakes:
        assert mistake.answer not in one.accepted
        if isinstance(one.answer, float):
            assert abs(mistake.answer - one.answer) > one.tolerance
        assert mistake.reason.endswith(".")
    assert len({mistake.answer for mistake in one.mistakes}) == len(one.mistakes)


def check_many(number, seed):
    """Draw so many, in turn of every kind and level and none twice, and check them."""
    seen_before = set()
    cells = [(kind, level) for kind in KINDS for level in LEVELS]
    with seeing() as seen:
        for k in range(number):
            one = draw_new(*cells[k % len(cells)], [seed, k], seen_before)
            check(one, seen)
    assert len(seen_before) == number
    return number


def main():
    parser = argparse.ArgumentParser(description="Check generated exercises against the oracles.")
    parser.add_argument("number", type=int, nargs="?", default=10_000)
    parser.add_argument("--seed", type=int, default=7)
    arguments = parser.parse_args()
    many = check_many(arguments.number, arguments.seed)
    print(f"{many:,} exercises are the oracle's, none is trivial, no two are equal.")


if __name__ == "__main__":
    main()
