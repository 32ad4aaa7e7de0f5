"""Questions that a picture of a graph answers: blankets, separation, ψ and distances."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, permutations

import networkx as nx
import numpy as np

from bjp_engine.errors import listed
from bjp_engine.exercises.records import (
    LETTERS,
    NAMES,
    Exercise,
    Form,
    Graph,
    assertion_text,
    draw_flip,
    draw_graph,
    draw_pair,
    listed_nodes,
    picture_of,
    question,
    set_text,
    sort_by_degree,
    sorted_edges,
)
from bjp_engine.metrics import confusion, edge_irregularity, total_irregularity

RULE = "ascending degree, ties in alphabetical order"


def ask_blanket(rng: np.random.Generator, level: int) -> Exercise | None:
    """A node's blanket; the set that one assertion conditions on; that of BJP's test of a pair."""
    graph = draw_graph(rng, (6, 7, 7)[level - 1], 0.4)
    if level > 1:
        return _ask_condition(graph, draw_pair(rng, graph), level)
    x = NAMES[int(rng.integers(len(graph)))]
    found, everyone = set(graph[x]), set(graph) - {x}
    if not found or found == everyone:
        return None
    far = set().union(*(graph[node] for node in found)) - {x, *found}
    return question(
        f"Which nodes form the Markov blanket of {x}?",
        Form.NODES,
        found,
        [
            ({x, *found}, f"{x} is not part of its own blanket."),
            (everyone - found, f"These are the nodes of which the blanket makes {x} independent."),
            (found | far, f"{listed_nodes(far)} can be reached from {x} only through a neighbour."),
            *((found - {y}, f"The edge {x} – {y} is missed.") for y in sorted(found)),
        ],
        "In an undirected graph the blanket of a node is the set of its neighbours.",
        f"{x} has {len(found)}: {listed_nodes(found)}.",
        f"Given {set_text(found)}, {x} is independent of all other nodes.",
        graphs=[picture_of(graph, marked=x)],
    )


def _ask_condition(graph: Graph, pair: list[str], level: int) -> Exercise | None:
    """What an assertion, or at level 3 BJP's test of a pair, conditions on."""
    x, y = pair if level == 2 else sorted(pair, key=sort_by_degree(graph).index)
    whole, theirs, dependent = set(graph[x]), set(graph[y]), graph.has_edge(x, y)
    found, other = whole - {y}, theirs - {x}
    if not found or len(found) == len(graph) - 2 or (level == 3 and found == other):
        return None
    tested = whole, f"{y} is one of the two variables tested, and can't be given as well."
    common = found & other, "Not only the common neighbours are given."
    if level == 2:
        what = "assertion"
        ask = (
            f"A graph makes one assertion about {x} and {y} from the side of {x}. Which nodes does "
            "it condition on?"
        )
        of_other = f"This is the blanket of {y}"
        mistakes = [
            (theirs, f"{of_other}; the assertion takes that of {x}."),
            tested,
            (other, f"{of_other} without {x}; the assertion takes that of {x}."),
            ((whole | other) - {x}, "One blanket is enough, that of the first variable."),
            common,
            ({x} | whole, f"{x} is not part of its own blanket."),
        ]
        why = f"There is no edge between {x} and {y}: {x} gives its whole blanket."
        if dependent:
            why = f"There is an edge between {x} and {y}: {x} gives its blanket without {y}."
    else:
        what, pair = "test", sorted(pair)
        ask = (
            f"BJP tests the pair {' – '.join(pair)} once, from the end that comes first in ψ "
            f"({RULE}). Which nodes does the test condition on?"
        )
        larger = f"This is the larger side: {x} comes before {y} in ψ."
        why = f"{x} has {len(whole)} and {y} {len(theirs)} neighbours"
        if len(whole) == len(theirs):
            larger = f"Degrees are equal, so {x} comes first in ψ."
            why = f"Both have {len(whole)} neighbours, and {x} comes first in the alphabet"
        both = found | other, "The test conditions on one blanket, not on both."
        mistakes = [(other, larger), tested, both, common]
        why += f". So the pair is tested from the side of {x}."
    return question(
        ask,
        Form.NODES,
        found,
        mistakes,
        why,
        f"The blanket of {x} is {set_text(whole)}.",
        f"The {what} is {_assertion(graph, x, y)}.",
        graphs=[picture_of(graph, marked=pair)],
    )


def ask_separation(rng: np.random.Generator, level: int) -> Exercise | None:
    """A smallest set that separates two nodes: of one node at level 1, of two above."""
    graph = draw_graph(rng, (6, 7, 8)[level - 1], (0.35, 0.4, 0.4)[level - 1])
    x, y = sorted(draw_pair(rng, graph))
    if graph.has_edge(x, y) or not nx.has_path(graph, x, y):
        return None
    size, others = nx.node_connectivity(graph, x, y), [v for v in graph if v not in (x, y)]
    small = sum(len(graph[node]) == size for node in (x, y))
    if size != min(level, 2) or small == 2 or (level == 3 and small):
        return None
    smallest = [z for z in combinations(others, size) if _open_path(graph, x, y, z) is None]
    # Sets that are larger than needed, and sets that leave a path open.
    wrong = [set(graph[x]) & set(graph[y]), set(graph[x]), set(graph[y]), set(others)]
    wrong += map(set, (*combinations(others, size), *combinations(others, size - 1)))
    enough = f"This set separates {x} from {y}, but {size} would be enough."
    paths = ", ".join(" – ".join(path) for path in nx.node_disjoint_paths(graph, x, y))
    return question(
        f"Separate {x} from {y} by as few nodes as possible. Which nodes are given?",
        Form.NODES,
        smallest[0],
        ((z, _open_path(graph, x, y, z) or enough) for z in wrong),
        f"A set separates {x} from {y} if every path between them passes through it.",
        f"{paths}: each path needs a node of its own, so at least {size}.",
        f"Right: {' or '.join(map(set_text, smallest))}.",
        graphs=[picture_of(graph, marked=(x, y))],
        others=smallest[1:],
    )


def _open_path(graph: Graph, x: str, y: str, given: Iterable[str]) -> str | None:
    """Say which path between two nodes passes through no node of a set."""
    left = graph.subgraph(set(graph) - set(given))
    path = nx.shortest_path(left, x, y) if nx.has_path(left, x, y) else None
    return path and f"The path {' – '.join(path)} stays open."


def ask_order(rng: np.random.Generator, level: int) -> Exercise | None:
    """The order ψ of five nodes, of six, and of six after a flip."""
    graph = draw_graph(rng, (5, 6, 6)[level - 1], 0.45)
    after, pair, what = draw_flip(rng, graph, level)
    before, order, usual = sort_by_degree(graph), sort_by_degree(after), list(graph)
    degrees = dict(after.degree())
    trivial = order in (usual, usual[::-1]) or (pair and order == before)
    if trivial or len(set(degrees.values())) < 3:
        return None
    descending = sorted(order, key=degrees.__getitem__, reverse=True)
    ascends = "ψ ascends: it begins with the smallest blanket."
    ties = "Of nodes with equal degrees the first in the alphabet comes first."
    return question(
        f"What is the order ψ{f' when {what}' if pair else ''} ({RULE})?",
        Form.ORDER,
        order,
        [
            (before, "This is ψ before the flip; the degrees of two nodes have changed."),
            (descending[::-1], ties),
            (order[::-1], ascends),
            (descending, ascends),
            (usual, "The alphabet decides only between nodes with equal degrees."),
        ],
        f"Degrees{' after the flip' if pair else ''}: {_degree_text(degrees)}.",
        f"Ascending, ties in alphabetical order: {', '.join(order)}.",
        graphs=[picture_of(graph, marked=pair)],
    )


def _degree_text(degrees: dict[str, int]) -> str:
    return ", ".join(f"{node} {degree}" for node, degree in degrees.items())


def ask_spared(rng: np.random.Generator, level: int) -> Exercise | None:
    """Which of four, five or six assertions BJP infers as 1; at level 1 ψ is shown."""
    n, number = ((5, 4), (5, 5), (6, 6))[level - 1]
    graph = draw_graph(rng, n, 0.45)
    if graph.number_of_edges() in (0, n * (n - 1) // 2):
        return None
    order, degrees = sort_by_degree(graph), dict(graph.degree())
    pairs = list(permutations(order, 2))
    asked = sorted(pairs[k] for k in rng.choice(len(pairs), number, replace=False).tolist())
    first = [order.index(x) < order.index(y) for x, y in asked]
    inferred = _letters(not comes_first for comes_first in first)
    if len(inferred) in (0, number):
        return None
    independent = _letters(not graph.has_edge(x, y) for x, y in asked)
    by_sign = "An assertion of independence is not inferred for being one; ψ decides."
    if set(independent) < set(inferred):
        left = listed(letter for letter in inferred if letter not in independent)
        by_sign = f"These are inferred, and {left} as well; ψ decides, not the sign."
    by_name = _letters(x > y for x, y in asked)
    by_degree = _letters(degrees[x] > degrees[y] for x, y in asked)
    shown = f"ψ = {', '.join(order)}"
    return question(
        "BJP computes one assertion of each pair and infers the other as 1. Which of these "
        f"does it infer (ψ: {RULE})?",
        Form.SEVERAL,
        inferred,
        [
            (_letters(first), "These are computed: their first variable comes first in ψ."),
            (independent, by_sign),
            (by_name, "The order is ψ, by degree; the alphabet only decides ties."),
            (by_degree, "Where degrees are equal, too, one of the two ends is inferred."),
            (LETTERS[:number], "Some are computed: one of the two for each pair."),
        ],
        f"{shown}.",
        "An assertion is computed where its first variable comes before its second in ψ.",
        " ".join(
            f"{letter}: {x} comes {'before' if computed else 'after'} {y}, "
            f"{'computed' if computed else 'inferred'}."
            for letter, (x, y), computed in zip(LETTERS, asked, first, strict=False)
        ),
        graphs=[picture_of(graph)],
        notes=(shown,) if level == 1 else (),
        options=tuple(_assertion(graph, x, y) for x, y in asked),
    )


def _assertion(graph: Graph, x: str, y: str) -> str:
    """What a graph asserts about a pair, from the side of the first."""
    given = sorted(set(graph[x]) - {y})
    return f"⟨{assertion_text(x, y, given, dependent=graph.has_edge(x, y))}⟩"


def _letters(chosen: Iterable[bool]) -> tuple[str, ...]:
    """The letters of some options."""
    return tuple(letter for letter, on in zip(LETTERS, chosen, strict=False) if on)


def ask_distance(rng: np.random.Generator, level: int) -> Exercise | None:
    """The Hamming distance of two graphs; from level 2 on their nodes stand in different places."""
    n = (5, 6, 7)[level - 1]
    truth = draw_graph(rng, n, 0.45)
    other = nx.symmetric_difference(truth, draw_graph(rng, n, (0.3, 0.3, 0.35)[level - 1]))
    found = confusion(truth, other)
    if not found.fp or not found.fn or not found.tp:
        return None
    places = rng.permutation(n).tolist() if level > 1 else range(n)
    missing, false = (
        ", ".join(map("".join, sorted_edges(nx.difference(a, b))))
        for a, b in ((truth, other), (other, truth))
    )
    answer, one_kind = found.hamming, "Only the missing edges are counted; add the false ones."
    if found.fn == found.fp:
        one_kind = "Only the missing, or only the false, edges are counted; add both."
    return question(
        "What is the Hamming distance of the two graphs: how many edges does only one have?",
        Form.NUMBER,
        answer,
        [
            (found.fn, one_kind),
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
        graphs=[picture_of(truth, "True"), picture_of(other, "Learned", places=places)],
    )


def ask_irregularity(rng: np.random.Generator, level: int) -> Exercise | None:
    """Edge irregularity, total irregularity, and that after a flip."""
    graph = draw_graph(rng, (6, 5, 6)[level - 1], 0.45)
    after, pair, what = draw_flip(rng, graph, level)
    before, total = map(total_irregularity, (graph, after))
    edge, degrees = edge_irregularity(after), dict(after.degree())
    if total in (0, edge) or edge == 0 or (pair and total == before):
        return None
    answer, other, name, over = total, edge, "total", "all pairs of nodes"
    swapped = "This sums over the edges only; here all pairs of nodes count."
    pairs = tuple(combinations(after, 2))
    if level == 1:
        answer, other, name, over, pairs = edge, total, "edge", "the edges", sorted_edges(after)
        swapped = "This sums over all pairs of nodes; here only edges count."
    apart = {f"{u}{v}": abs(degrees[u] - degrees[v]) for u, v in pairs}
    differ = [f"{uv} {value}" for uv, value in apart.items() if value]
    widest = max(degrees.values()) - min(degrees.values())
    return question(
        f"What is the {name} irregularity of the graph{f' after {what}' if pair else ''}: the sum "
        f"of |dᵢ − dⱼ| over {over}, where d is the degree?",
        Form.NUMBER,
        answer,
        [
            (other, swapped),
            (2 * answer, "Each pair counts once, not once for each of its ends."),
            (before, "This is the number before the flip."),
            (sum(degrees.values()), "This is the sum of the degrees, not of differences."),
            (widest, "This is the largest difference alone; all of them are added up."),
            (len(differ), "This counts the pairs that differ; each counts with its difference."),
        ],
        f"{f'When {what}, the' if pair else 'The'} degrees are {_degree_text(degrees)}.",
        f"Differences other than 0 over {over}: {', '.join(differ)}. Their sum is {answer}.",
        graphs=[picture_of(graph, marked=pair)],
    )
