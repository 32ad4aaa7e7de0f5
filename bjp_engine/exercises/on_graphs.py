"""Questions that a picture of a graph answers: blankets, separation, ψ and distances."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Any

import networkx as nx
import numpy as np

from bjp_engine.arrays import Bools
from bjp_engine.dataset import Dataset
from bjp_engine.errors import listed
from bjp_engine.exercises.records import (
    LETTERS,
    NAMES,
    Exercise,
    Form,
    Picture,
    assertion_text,
    draw_graph,
    graph_of,
    listed_nodes,
    named,
    pair_text,
    picture_of,
    question,
    set_text,
)
from bjp_engine.graph import blanket, degree_order, flipped
from bjp_engine.metrics import confusion, edge_irregularity, total_irregularity
from bjp_engine.scores import AssertionTerm, score


def draw_blanket(rng: np.random.Generator, level: int) -> Exercise | None:
    """Level 1: a node's blanket. Level 2: the set that one assertion conditions on.

    Level 3: the set that BJP's test of a pair conditions on, from the end that comes first in ψ.

    Trivial are an empty set, and one of all other nodes; at level 3 a pair whose two ends give
    the same set.
    """
    adjacency = draw_graph(rng, (6, 7, 7)[level - 1], 0.4)
    if level == 1:
        return _ask_blanket(adjacency, int(rng.integers(len(adjacency))))
    x, y = map(int, rng.choice(len(adjacency), 2, replace=False))
    return _ask_assertion(adjacency, x, y) if level == 2 else _ask_pair(adjacency, *sorted((x, y)))


def _ask_blanket(adjacency: Bools, x: int) -> Exercise | None:
    """B^x."""
    found, everyone, name = set(blanket(adjacency, x)), set(range(len(adjacency))) - {x}, NAMES[x]
    if not found or found == everyone:
        return None
    far = {*np.flatnonzero(adjacency[list(found)].any(axis=0)).tolist()} - {x, *found}
    return question(
        f"Which nodes form the Markov blanket of {name}?",
        Picture((picture_of(adjacency, marked=(x,)),)),
        Form.NODES,
        found,
        [
            ({x, *found}, f"{name} is not part of its own blanket."),
            (
                everyone - found,
                f"These are the nodes of which the blanket makes {name} independent.",
            ),
            (
                found | far,
                f"{listed_nodes(far)} can be reached from {name} only through a neighbour.",
            ),
            *((found - {y}, f"The edge {name} – {NAMES[y]} is missed.") for y in sorted(found)),
        ],
        "In an undirected graph the blanket of a node is the set of its neighbours.",
        f"{name} has {len(found)}: {listed_nodes(found)}.",
        f"Given {set_text(found)}, {name} is independent of all other nodes.",
    )


def _ask_assertion(adjacency: Bools, x: int, y: int) -> Exercise | None:
    """What c_xy conditions on."""
    whole, theirs = (set(blanket(adjacency, one)) for one in (x, y))
    dependent, found, other = bool(adjacency[x, y]), whole - {y}, theirs - {x}
    if not found or len(found) == len(adjacency) - 2:
        return None
    first, last = named((x, y))
    of_other = f"This is the blanket of {last}"
    sides = "an edge" if dependent else "no edge"
    rule = f"its blanket without {last}" if dependent else "its whole blanket"
    asserted = assertion_text(first, last, named(sorted(found)), dependent=dependent)
    return question(
        f"A graph makes one assertion about {first} and {last} from the side of {first}. Which "
        "nodes does it condition on?",
        Picture((picture_of(adjacency, marked=(x, y)),)),
        Form.NODES,
        found,
        [
            (theirs, f"{of_other}; the assertion takes that of {first}."),
            (whole, f"{last} is one of the two variables tested, and can't be given as well."),
            (other, f"{of_other} without {first}; the assertion takes that of {first}."),
            ((whole | other) - {x}, "One blanket is enough, that of the first variable."),
            (whole & other, "Not only the common neighbours are given."),
            ({x} | whole, f"{first} is not part of its own blanket."),
        ],
        f"There is {sides} between {first} and {last}: {first} gives {rule}.",
        f"The blanket of {first} is {set_text(whole)}.",
        f"The assertion is ⟨{asserted}⟩.",
    )


def _ask_pair(adjacency: Bools, x: int, y: int) -> Exercise | None:
    """What BJP's test of a pair conditions on."""
    ends = sorted((x, y), key=degree_order(adjacency).tolist().index)
    whole, theirs = (set(blanket(adjacency, one)) for one in ends)
    found, other = whole - {*ends}, theirs - {*ends}
    if not found or len(found) == len(adjacency) - 2 or found == other:
        return None
    first, last = named(ends)
    dependent, tie = bool(adjacency[x, y]), len(whole) == len(theirs)
    asserted = assertion_text(first, last, named(sorted(found)), dependent=dependent)
    why = (
        f"Both have {len(whole)} neighbours, and {first} comes first in the alphabet"
        if tie
        else f"{first} has {len(whole)} and {last} {len(theirs)} neighbours"
    )
    return question(
        f"BJP tests the pair {pair_text(x, y)} once, from the end that comes first in "
        "ψ (ascending degree, ties in alphabetical order). Which nodes does the test condition "
        "on?",
        Picture((picture_of(adjacency, marked=(x, y)),)),
        Form.NODES,
        found,
        [
            (
                other,
                f"Degrees are equal, so {first} comes first in ψ."
                if tie
                else f"This is the larger side: {first} comes before {last} in ψ.",
            ),
            (whole, f"{last} is one of the two variables tested, and can't be given as well."),
            (found | other, "The test conditions on one blanket, not on both."),
            (found & other, "Not only the common neighbours are given."),
        ],
        f"{why}. So the pair is tested from the side of {first}.",
        f"The blanket of {first} is {set_text(whole)}.",
        f"The test is ⟨{asserted}⟩.",
    )


def draw_separation(rng: np.random.Generator, level: int) -> Exercise | None:
    """A smallest set that separates two nodes: of one node at level 1, of two above.

    Trivial are neighbours, which no set separates, nodes without a path between them, and
    pairs of which both blankets are smallest sets; at level 3 those of which one is.
    """
    adjacency = draw_graph(rng, (6, 7, 8)[level - 1], (0.35, 0.4, 0.4)[level - 1])
    i, j = sorted(map(int, rng.choice(len(adjacency), 2, replace=False)))
    graph, x, y = graph_of(adjacency), NAMES[i], NAMES[j]
    if adjacency[i, j] or not nx.has_path(graph, x, y):
        return None
    size = nx.node_connectivity(graph, x, y)
    sets = combinations([node for node in graph if node not in (x, y)], size)
    smallest = [given for given in sets if _open_path(graph, x, y, given) is None]
    small = sum(len(graph[node]) == size for node in (x, y))
    if size != min(level, 2) or small == 2 or (level == 3 and small):
        return None
    paths = ", ".join(" – ".join(path) for path in nx.node_disjoint_paths(graph, x, y))
    return question(
        f"Separate {x} from {y} by as few nodes as possible. Which nodes are given?",
        Picture((picture_of(adjacency, marked=(i, j)),)),
        Form.NODES,
        smallest[0],
        _separation_mistakes(graph, x, y, size),
        f"A set separates {x} from {y} if every path between them passes through it.",
        f"{paths}: each path needs a node of its own, so at least {size}.",
        f"Right: {' or '.join('{' + ', '.join(one) + '}' for one in smallest)}.",
        others=smallest[1:],
    )


def _open_path(graph: nx.Graph[Any], x: str, y: str, given: tuple[str, ...]) -> str | None:
    """A path between two nodes that passes through no node of a set."""
    left = graph.subgraph(set(graph) - set(given))
    return " – ".join(nx.shortest_path(left, x, y)) if nx.has_path(left, x, y) else None


def _separation_mistakes(
    graph: nx.Graph[Any], x: str, y: str, size: int
) -> Iterator[tuple[tuple[str, ...], str]]:
    """Common neighbours, blankets that are larger than needed, and sets that leave a path open."""
    others = [node for node in graph if node not in (x, y)]
    sets = (set(graph[x]) & set(graph[y]), graph[x], graph[y], others)
    given_ones = (tuple(sorted(one)) for one in sets)
    for given in (*given_ones, *combinations(others, size), *combinations(others, size - 1)):
        if given:
            path = _open_path(graph, x, y, given)
            enough = f"This set separates {x} from {y}, but {size} would be enough."
            yield given, enough if path is None else f"The path {path} stays open."


RULE = "ascending degree, ties in alphabetical order"


def draw_order(rng: np.random.Generator, level: int) -> Exercise | None:
    """The order ψ of five nodes, of six, and of six after a flip.

    Trivial are the order of the alphabet and its reverse, graphs of fewer than three degrees, and
    flips that leave ψ as it is.
    """
    adjacency = draw_graph(rng, (5, 6, 6)[level - 1], 0.45)
    before, flip = degree_order(adjacency).tolist(), ""
    i, j = sorted(map(int, rng.choice(len(adjacency), 2, replace=False)))
    after = adjacency
    if level == 3:
        after = flipped(adjacency, i, j)
        flip = f" when the edge {pair_text(i, j)} is {'removed' if adjacency[i, j] else 'added'}"
    order, degrees = degree_order(after).tolist(), after.sum(axis=1).tolist()
    usual = sorted(order)
    if order in (usual, usual[::-1]) or len(set(degrees)) < 3 or (flip and order == before):
        return None
    mistakes = [
        (before, "This is ψ before the flip; the degrees of two nodes have changed."),
        (
            sorted(usual, key=lambda node: (degrees[node], -node)),
            "Of nodes with equal degrees the first in the alphabet comes first.",
        ),
        (order[::-1], "ψ ascends: it begins with the smallest blanket."),
        (
            sorted(usual, key=lambda node: (-degrees[node], node)),
            "ψ ascends: it begins with the smallest blanket.",
        ),
        (usual, "The alphabet decides only between nodes with equal degrees."),
    ]
    listed_degrees = ", ".join(f"{NAMES[node]} {degrees[node]}" for node in usual)
    return question(
        f"What is the order ψ{flip} ({RULE})?",
        Picture((picture_of(adjacency, marked=(i, j) if flip else ()),)),
        Form.ORDER,
        order,
        mistakes[0 if flip else 1 :],
        f"Degrees{' after the flip' if flip else ''}: {listed_degrees}.",
        f"Ascending, ties in alphabetical order: {', '.join(named(order))}.",
    )


def draw_spared(rng: np.random.Generator, level: int) -> Exercise | None:
    """Which of four, five or six assertions BJP infers as 1; at level 1 ψ is shown.

    Trivial are options of which none or all are inferred, and graphs without or with all edges.
    """
    n, number = ((5, 4), (5, 5), (6, 6))[level - 1]
    adjacency = draw_graph(rng, n, 0.45)
    if len(set(adjacency[np.triu_indices(n, 1)].tolist())) < 2:
        return None
    # The data say nothing of what BJP makes of an assertion.
    data = Dataset.from_codes(np.zeros((1, n), dtype=np.int64), [2] * n, list(NAMES[:n]))
    scored = score(data, graph_of(adjacency), "bjp")
    terms = [term for term in scored.terms if isinstance(term, AssertionTerm)]
    asked = [terms[int(k)] for k in rng.choice(len(terms), number, replace=False)]
    asked.sort(key=lambda term: (str(term.x), str(term.y)))
    inferred = _letters(not term.computed for term in asked)
    if len(inferred) in (0, number):
        return None
    order = ", ".join(named(degree_order(adjacency)))
    degrees = dict(zip(NAMES, adjacency.sum(axis=1).tolist(), strict=False))
    independent = _letters(not term.dependent for term in asked)
    left = [letter for letter in inferred if letter not in independent]
    return question(
        "BJP computes one assertion of each pair and infers the other as 1. Which of these "
        f"does it infer (ψ: {RULE})?",
        Picture((picture_of(adjacency),), notes=(f"ψ = {order}",) if level == 1 else ()),
        Form.SEVERAL,
        inferred,
        [
            (
                _letters(term.computed for term in asked),
                "These are computed: their first variable comes first in ψ.",
            ),
            (
                independent,
                f"These are inferred, and {listed(left)} as well; ψ decides, not the sign."
                if set(independent) < set(inferred)
                else "An assertion of independence is not inferred for being one; ψ decides.",
            ),
            (
                _letters(str(term.x) > str(term.y) for term in asked),
                "The order is ψ, by degree; the alphabet only decides ties.",
            ),
            (
                _letters(degrees[str(term.x)] > degrees[str(term.y)] for term in asked),
                "Where degrees are equal, too, one of the two ends is inferred.",
            ),
            (LETTERS[:number], "Some are computed: one of the two for each pair."),
        ],
        f"ψ = {order}.",
        "An assertion is computed where its first variable comes before its second in ψ.",
        " ".join(
            f"{letter}: {term.x} comes {'before' if term.computed else 'after'} {term.y}, "
            f"{'computed' if term.computed else 'inferred'}."
            for letter, term in zip(LETTERS, asked, strict=False)
        ),
        options=tuple(
            f"⟨{assertion_text(one.x, one.y, one.given, dependent=one.dependent)}⟩" for one in asked
        ),
    )


def _letters(chosen: Iterator[bool]) -> tuple[str, ...]:
    """The letters of some options."""
    return tuple(letter for letter, on in zip(LETTERS, chosen, strict=False) if on)


def draw_distance(rng: np.random.Generator, level: int) -> Exercise | None:
    """The Hamming distance of two graphs; from level 2 on their nodes stand in different places.

    Trivial are a distance of 0, a graph that has all edges of the other, and graphs without a
    common edge.
    """
    n = (5, 6, 7)[level - 1]
    truth = draw_graph(rng, n, 0.45)
    other = truth ^ draw_graph(rng, n, (0.3, 0.3, 0.35)[level - 1])
    found = confusion(graph_of(truth), graph_of(other))
    if not found.fp or not found.fn or not found.tp:
        return None
    places = rng.permutation(n).tolist() if level > 1 else range(n)
    answer = found.hamming
    missing, false = (
        ", ".join(f"{u}{v}" for u, v in sorted(edges))
        for edges in (found.missing, found.false_positives)
    )
    return question(
        "What is the Hamming distance of the two graphs: how many edges does only one have?",
        Picture((picture_of(truth, "True"), picture_of(other, "Learned", (), places))),
        Form.NUMBER,
        answer,
        [
            (
                found.fn,
                "Only the missing edges are counted; add the false ones."
                if found.fn != found.fp
                else "Only the missing, or only the false, edges are counted; add both.",
            ),
            (found.fp, "Only the false edges are counted; add the missing ones."),
            (abs(found.fp - found.fn), "This compares how many edges there are, not which."),
            (found.tp, "This counts the common edges, on which the graphs agree."),
            (2 * answer, "Each pair counts once, not once for each of its ends."),
            (found.tp + answer, "Common edges don't count, only those of one graph."),
            (2 * found.tp + answer, "This adds up the edges of both; common edges don't count."),
        ],
        f"Missing, in the true graph only: {missing}.",
        f"False, in the learned graph only: {false}.",
        f"The distance is {found.fn} + {found.fp} = {answer}.",
    )


def draw_irregularity(rng: np.random.Generator, level: int) -> Exercise | None:
    """Level 1: edge irregularity. Level 2: total irregularity. Level 3: that, after a flip.

    Trivial are 0, a graph whose edge and total irregularity are equal, and a flip that changes
    nothing.
    """
    n = (6, 5, 6)[level - 1]
    adjacency = draw_graph(rng, n, 0.45)
    i, j = sorted(map(int, rng.choice(n, 2, replace=False)))
    before, graph, flip = total_irregularity(graph_of(adjacency)), graph_of(adjacency), ""
    if level == 3:
        graph = graph_of(flipped(adjacency, i, j))
        flip = f"the edge {pair_text(i, j)} is {'removed' if adjacency[i, j] else 'added'}"
    total, edge = total_irregularity(graph), edge_irregularity(graph)
    if total in (0, edge) or edge == 0 or (level == 3 and total == before):
        return None
    answer, other = (edge, total) if level == 1 else (total, edge)
    over = "the edges" if level == 1 else "all pairs of nodes"
    degrees = dict(graph.degree())
    apart = {
        f"{u}{v}": abs(degrees[u] - degrees[v])
        for u, v in combinations(graph, 2)
        if level > 1 or graph.has_edge(u, v)
    }
    shown = ", ".join(f"{pair} {value}" for pair, value in apart.items() if value)
    of_each = ", ".join(f"{node} {d}" for node, d in degrees.items())
    return question(
        f"What is the {'edge' if level == 1 else 'total'} irregularity of the graph"
        f"{f' after {flip}' if flip else ''}: the sum of |dᵢ − dⱼ| over {over}, where d is the "
        "degree?",
        Picture((picture_of(adjacency, marked=(i, j) if flip else ()),)),
        Form.NUMBER,
        answer,
        [
            (
                other,
                "This sums over all pairs of nodes; here only edges count."
                if level == 1
                else "This sums over the edges only; here all pairs of nodes count.",
            ),
            (2 * answer, "Each pair counts once, not once for each of its ends."),
            *([(before, "This is the number before the flip.")] if flip else []),
            (sum(degrees.values()), "This is the sum of the degrees, not of differences."),
            (
                max(degrees.values()) - min(degrees.values()),
                "This is the largest difference alone; all of them are added up.",
            ),
            (
                sum(value > 0 for value in apart.values()),
                "This counts the pairs that differ; each counts with its difference.",
            ),
        ],
        (f"When {flip}, the" if flip else "The") + f" degrees are {of_each}.",
        f"Differences other than 0 over {over}: {shown}. Their sum is {answer}.",
    )
