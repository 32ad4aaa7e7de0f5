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
    Answer,
    Form,
    Picture,
    QuestionDraft,
    assertion_text,
    draw_graph,
    graph_of,
    listed_nodes,
    named,
    pair_text,
    picture_of,
    set_text,
)
from bjp_engine.graph import blanket, degree_order, flipped
from bjp_engine.metrics import confusion, edge_irregularity, total_irregularity
from bjp_engine.scores import AssertionTerm, score


def draw_blanket(rng: np.random.Generator, level: int) -> QuestionDraft | None:
    """Level 1: a node's blanket. Level 2: the set that one assertion conditions on.

    Level 3: the set that BJP's test of a pair conditions on, from the end that comes first in ψ.

    Trivial are an empty set, and one of all other nodes; at level 3 a pair whose two ends give
    the same set.
    """
    adjacency = draw_graph(rng, (6, 7, 7)[level - 1], 0.4)
    if level == 1:
        return _ask_blanket(adjacency, int(rng.integers(len(adjacency))))
    x, y = map(int, rng.choice(len(adjacency), 2, replace=False))
    if level == 2:
        return _of_assertion(adjacency, x, y)
    return _of_pair(adjacency, min(x, y), max(x, y))


def _ask_blanket(adjacency: Bools, x: int) -> QuestionDraft | None:
    """B^x."""
    found, everyone = blanket(adjacency, x), set(range(len(adjacency))) - {x}
    if not found or set(found) == everyone:
        return None
    reached = np.flatnonzero(adjacency[list(found)].any(axis=0)).tolist()
    far = sorted({*reached} - {x, *found})
    mistakes: list[tuple[Answer, str]] = [
        (named(sorted({x, *found})), f"{NAMES[x]} is not part of its own blanket."),
        (
            named(sorted(everyone - set(found))),
            f"These are the nodes of which the blanket makes {NAMES[x]} independent.",
        ),
        (
            named(sorted({*found, *far})),
            f"{listed_nodes(far)} can be reached from {NAMES[x]} only through a neighbour.",
        ),
        *(
            (
                named(j for j in found if j != left),
                f"The edge {NAMES[x]} – {NAMES[left]} is missed.",
            )
            for left in found
        ),
    ]
    return QuestionDraft(
        ask=f"Which nodes form the Markov blanket of {NAMES[x]}?",
        picture=Picture((picture_of(adjacency, marked=(x,)),)),
        form=Form.NODES,
        answer=named(found),
        mistakes=mistakes,
        solution=(
            "In an undirected graph the blanket of a node is the set of its neighbours.",
            f"{NAMES[x]} has {len(found)}: {listed_nodes(found)}.",
            f"Given {set_text(found)}, {NAMES[x]} is independent of all other nodes.",
        ),
    )


def _of_assertion(adjacency: Bools, x: int, y: int) -> QuestionDraft | None:
    """What c_xy conditions on."""
    whole, dependent = set(blanket(adjacency, x)), bool(adjacency[x, y])
    found = whole - {y}
    if not found or len(found) == len(adjacency) - 2:
        return None
    theirs = set(blanket(adjacency, y))
    other = theirs - {x}
    of_other = f"This is the blanket of {NAMES[y]}"
    mistakes: list[tuple[Answer, str]] = [
        (named(sorted(theirs)), f"{of_other}; the assertion takes that of {NAMES[x]}."),
        (
            named(sorted(whole)),
            f"{NAMES[y]} is one of the two variables tested, and can't be given as well.",
        ),
        (
            named(sorted(other)),
            f"{of_other} without {NAMES[x]}; the assertion takes that of {NAMES[x]}.",
        ),
        (named(sorted(whole | other - {x})), "One blanket is enough, that of the first variable."),
        (named(sorted(whole & other)), "Not only the common neighbours are given."),
        (named(sorted({x} | whole)), f"{NAMES[x]} is not part of its own blanket."),
    ]
    sides = "an edge" if dependent else "no edge"
    rule = f"its blanket without {NAMES[y]}" if dependent else "its whole blanket"
    return QuestionDraft(
        ask=(
            f"A graph makes one assertion about {NAMES[x]} and {NAMES[y]} from the side of "
            f"{NAMES[x]}. Which nodes does it condition on?"
        ),
        picture=Picture((picture_of(adjacency, marked=(x, y)),)),
        form=Form.NODES,
        answer=named(sorted(found)),
        mistakes=mistakes,
        solution=(
            f"There is {sides} between {NAMES[x]} and {NAMES[y]}: {NAMES[x]} gives {rule}.",
            f"The blanket of {NAMES[x]} is {set_text(whole)}.",
            f"The assertion is {assertion_text(x, y, found, dependent=dependent)}.",
        ),
    )


def _of_pair(adjacency: Bools, x: int, y: int) -> QuestionDraft | None:
    """What BJP's test of a pair conditions on."""
    order = degree_order(adjacency).tolist()
    first, last = sorted((x, y), key=order.index)
    found, other = (set(blanket(adjacency, one)) - {first, last} for one in (first, last))
    if not found or len(found) == len(adjacency) - 2 or found == other:
        return None
    degrees = adjacency.sum(axis=1)
    dependent = bool(adjacency[x, y])
    tie = degrees[first] == degrees[last]
    why = (
        f"Both have {degrees[first]} neighbours, and {NAMES[first]} comes first in the alphabet"
        if tie
        else f"{NAMES[first]} has {degrees[first]} and {NAMES[last]} {degrees[last]} neighbours"
    )
    mistakes: list[tuple[Answer, str]] = [
        (
            named(sorted(other)),
            f"This is the larger side: {NAMES[first]} comes before {NAMES[last]} in ψ."
            if not tie
            else f"Degrees are equal, so {NAMES[first]} comes first in ψ.",
        ),
        (
            named(sorted(set(blanket(adjacency, first)))),
            f"{NAMES[last]} is one of the two variables tested, and can't be given as well.",
        ),
        (named(sorted(found | other)), "The test conditions on one blanket, not on both."),
        (named(sorted(found & other)), "Not only the common neighbours are given."),
    ]
    return QuestionDraft(
        ask=(
            f"BJP tests the pair {NAMES[x]} – {NAMES[y]} once, from the end that comes first in "
            "ψ (ascending degree, ties in alphabetical order). Which nodes does the test condition "
            "on?"
        ),
        picture=Picture((picture_of(adjacency, marked=(x, y)),)),
        form=Form.NODES,
        answer=named(sorted(found)),
        mistakes=mistakes,
        solution=(
            f"{why}. So the pair is tested from the side of {NAMES[first]}.",
            f"The blanket of {NAMES[first]} is {set_text(blanket(adjacency, first))}.",
            f"The test is {assertion_text(first, last, found, dependent=dependent)}.",
        ),
    )


def draw_separation(rng: np.random.Generator, level: int) -> QuestionDraft | None:
    """A smallest set that separates two nodes: of one node at level 1, of two above.

    Trivial are neighbours, which no set separates, nodes without a path between them, and
    pairs of which both blankets are smallest sets; at level 3 those of which one is.
    """
    adjacency = draw_graph(rng, (6, 7, 8)[level - 1], (0.35, 0.4, 0.4)[level - 1])
    i, j = sorted(map(int, rng.choice(len(adjacency), 2, replace=False)))
    graph, x, y = graph_of(adjacency), NAMES[i], NAMES[j]
    if adjacency[i, j] or not nx.has_path(graph, x, y):
        return None
    smallest = _smallest_sets(graph, x, y)
    size = len(smallest[0])
    blankets = [tuple(sorted(graph[node])) for node in (x, y)]
    small = sum(len(one) == size for one in blankets)
    if size != min(level, 2) or small == 2 or (level == 3 and small):
        return None
    return QuestionDraft(
        ask=f"Separate {x} from {y} by as few nodes as possible. Which nodes are given?",
        picture=Picture((picture_of(adjacency, marked=(i, j)),)),
        form=Form.NODES,
        answer=smallest[0],
        others=tuple(smallest[1:]),
        mistakes=_separation_mistakes(graph, x, y, size),
        solution=(
            f"A set separates {x} from {y} if every path between them passes through it.",
            f"{_paths_text(graph, x, y)}: each path needs a node of its own, so at least {size}.",
            f"Right: {' or '.join('{' + ', '.join(one) + '}' for one in smallest)}.",
        ),
    )


def separates(graph: nx.Graph[Any], x: str, y: str, given: tuple[str, ...]) -> bool:
    """Whether every path between two nodes passes through a set."""
    left = graph.subgraph(set(graph) - set(given))
    return not nx.has_path(left, x, y)


def _smallest_sets(graph: nx.Graph[Any], x: str, y: str) -> list[tuple[str, ...]]:
    """All separating sets of the smallest size."""
    others = [node for node in graph if node not in (x, y)]
    size = nx.node_connectivity(graph, x, y)
    return [each for each in combinations(others, size) if separates(graph, x, y, each)]


def _separation_mistakes(
    graph: nx.Graph[Any], x: str, y: str, size: int
) -> Iterator[tuple[Answer, str]]:
    """Common neighbours, blankets that are larger than needed, and sets that leave a path open."""
    others = [node for node in graph if node not in (x, y)]
    common = tuple(sorted(set(graph[x]) & set(graph[y])))
    sets = [common, *(tuple(sorted(graph[node])) for node in (x, y)), tuple(others)]
    for given in (*sets, *combinations(others, size), *combinations(others, size - 1)):
        if not given:
            continue
        if separates(graph, x, y, given):
            yield given, f"This set separates {x} from {y}, but {size} would be enough."
        else:
            left = graph.subgraph(set(graph) - set(given))
            path = " – ".join(nx.shortest_path(left, x, y))
            yield given, f"The path {path} stays open."


def _paths_text(graph: nx.Graph[Any], x: str, y: str) -> str:
    """As many paths as have no inner node in common."""
    return ", ".join(" – ".join(path) for path in nx.node_disjoint_paths(graph, x, y))


RULE = "ascending degree, ties in alphabetical order"


def draw_order(rng: np.random.Generator, level: int) -> QuestionDraft | None:
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
        flip = f"when the edge {pair_text(i, j)} is {'removed' if adjacency[i, j] else 'added'}"
    order, degrees = degree_order(after).tolist(), after.sum(axis=1).tolist()
    usual = sorted(order)
    if order in (usual, usual[::-1]) or len(set(degrees)) < 3 or (flip and order == before):
        return None
    late = sorted(usual, key=lambda node: (degrees[node], -node))
    mistakes: list[tuple[Answer, str]] = [
        (named(before), "This is ψ before the flip; the degrees of two nodes have changed."),
        (named(late), "Of nodes with equal degrees the first in the alphabet comes first."),
        (named(order[::-1]), "ψ ascends: it begins with the smallest blanket."),
        (
            named(sorted(usual, key=lambda node: (-degrees[node], node))),
            "ψ ascends: it begins with the smallest blanket.",
        ),
        (named(usual), "The alphabet decides only between nodes with equal degrees."),
    ]
    return QuestionDraft(
        ask=f"What is the order ψ{' ' if flip else ''}{flip} ({RULE})?",
        picture=Picture((picture_of(adjacency, marked=(i, j) if flip else ()),)),
        form=Form.ORDER,
        answer=named(order),
        mistakes=mistakes[0 if flip else 1 :],
        solution=(
            f"Degrees{' after the flip' if flip else ''}: "
            + ", ".join(f"{NAMES[node]} {degrees[node]}" for node in usual)
            + ".",
            f"Ascending, ties in alphabetical order: {', '.join(named(order))}.",
        ),
    )


def draw_spared(rng: np.random.Generator, level: int) -> QuestionDraft | None:
    """Which of four, five or six assertions BJP infers as 1; at level 1 ψ is shown.

    Trivial are options of which none or all are inferred, and graphs without or with all edges.
    """
    n, number = ((5, 4), (5, 5), (6, 6))[level - 1]
    adjacency = draw_graph(rng, n, 0.45)
    if len(set(adjacency[np.triu_indices(n, 1)].tolist())) < 2:
        return None
    terms = _assertions(adjacency)
    asked = [terms[int(k)] for k in rng.choice(len(terms), number, replace=False)]
    asked.sort(key=lambda term: (str(term.x), str(term.y)))
    inferred = _letters([not term.computed for term in asked])
    if len(inferred) in (0, number):
        return None
    order = named(degree_order(adjacency))
    degrees = adjacency.sum(axis=1).tolist()
    place = {name: k for k, name in enumerate(NAMES[:n])}
    independent = _letters([not term.dependent for term in asked])
    left = [letter for letter in inferred if letter not in independent]
    mistakes: list[tuple[Answer, str]] = [
        (
            _letters([term.computed for term in asked]),
            "These are computed: their first variable comes first in ψ.",
        ),
        (
            independent,
            f"These are inferred, and {listed(left)} as well; ψ decides, not the sign."
            if set(independent) < set(inferred)
            else "An assertion of independence is not inferred for being one; ψ decides.",
        ),
        (
            _letters([str(term.x) > str(term.y) for term in asked]),
            "The order is ψ, by degree; the alphabet only decides ties.",
        ),
        (
            _letters(
                [degrees[place[str(term.x)]] > degrees[place[str(term.y)]] for term in asked],
            ),
            "Where degrees are equal, too, one of the two ends is inferred.",
        ),
        (tuple(LETTERS[:number]), "Some are computed: one of the two for each pair."),
    ]
    return QuestionDraft(
        ask="BJP computes one assertion of each pair and infers the other as 1. Which of these "
        f"does it infer (ψ: {RULE})?",
        picture=Picture(
            (picture_of(adjacency),), notes=(f"ψ = {', '.join(order)}",) if level == 1 else ()
        ),
        form=Form.SEVERAL,
        options=tuple(_term_text(term) for term in asked),
        answer=inferred,
        mistakes=mistakes,
        solution=(
            f"ψ = {', '.join(order)}.",
            "An assertion is computed where its first variable comes before its second in ψ.",
            " ".join(
                f"{letter}: {term.x} comes {'before' if term.computed else 'after'} {term.y}, "
                f"{'computed' if term.computed else 'inferred'}."
                for letter, term in zip(LETTERS, asked, strict=False)
            ),
        ),
    )


def _assertions(adjacency: Bools) -> list[AssertionTerm]:
    """What BJP makes of each assertion of a graph; the data say nothing of that."""
    n = len(adjacency)
    data = Dataset.from_codes(np.zeros((1, n), dtype=np.int64), [2] * n, list(NAMES[:n]))
    terms = score(data, graph_of(adjacency), "bjp").terms
    return [term for term in terms if isinstance(term, AssertionTerm)]


def _term_text(term: AssertionTerm) -> str:
    """An assertion as the pages write it."""
    sign = "⊥̸" if term.dependent else "⊥"
    return f"⟨{term.x} {sign} {term.y} | {', '.join(map(str, term.given)) or '∅'}⟩"


def _letters(chosen: list[bool]) -> tuple[str, ...]:
    """The letters of some options."""
    return tuple(letter for letter, on in zip(LETTERS, chosen, strict=False) if on)


def draw_distance(rng: np.random.Generator, level: int) -> QuestionDraft | None:
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
    return QuestionDraft(
        ask="What is the Hamming distance of the two graphs: how many edges does only one have?",
        picture=Picture((picture_of(truth, "True"), picture_of(other, "Learned", (), places))),
        form=Form.NUMBER,
        answer=float(answer),
        mistakes=(
            (
                float(found.fn),
                "Only the missing edges are counted; add the false ones."
                if found.fn != found.fp
                else "Only the missing, or only the false, edges are counted; add both.",
            ),
            (float(found.fp), "Only the false edges are counted; add the missing ones."),
            (float(abs(found.fp - found.fn)), "This compares how many edges there are, not which."),
            (float(found.tp), "This counts the common edges, on which the graphs agree."),
            (float(2 * answer), "Each pair counts once, not once for each of its ends."),
            (float(found.tp + answer), "Common edges don't count, only those of one graph."),
            (
                float(2 * found.tp + answer),
                "This adds up the edges of both; common edges don't count.",
            ),
        ),
        solution=(
            f"Missing, in the true graph only: {_edges_text(found.missing)}.",
            f"False, in the learned graph only: {_edges_text(found.false_positives)}.",
            f"The distance is {found.fn} + {found.fp} = {answer}.",
        ),
    )


def draw_irregularity(rng: np.random.Generator, level: int) -> QuestionDraft | None:
    """Level 1: edge irregularity. Level 2: total irregularity. Level 3: that, after a flip.

    Trivial are 0, a graph whose edge and total irregularity are equal, and a flip that changes
    nothing.
    """
    n = (6, 5, 6)[level - 1]
    adjacency = draw_graph(rng, n, 0.45)
    i, j = sorted(map(int, rng.choice(n, 2, replace=False)))
    before = total_irregularity(graph_of(adjacency))
    graph = graph_of(adjacency)
    ask, flip = "", ""
    if level == 3:
        x, y = named((i, j))
        flip = f"the edge {x} – {y} is {'removed' if adjacency[i, j] else 'added'}"
        (graph.remove_edge if adjacency[i, j] else graph.add_edge)(x, y)
        ask = f" after {flip}"
    total, edge = total_irregularity(graph), edge_irregularity(graph)
    if total in (0, edge) or edge == 0 or (level == 3 and total == before):
        return None
    answer, other = (edge, total) if level == 1 else (total, edge)
    over = "the edges" if level == 1 else "all pairs of nodes"
    degrees = dict(graph.degree())
    terms = [
        (u, v, abs(degrees[u] - degrees[v]))
        for k, u in enumerate(graph)
        for v in list(graph)[k + 1 :]
        if level > 1 or graph.has_edge(u, v)
    ]
    shown = ", ".join(f"{u}{v} {value}" for u, v, value in terms if value)
    return QuestionDraft(
        ask=(
            f"What is the {'edge' if level == 1 else 'total'} irregularity of the graph{ask}: the "
            f"sum of |dᵢ − dⱼ| over {over}, where d is the degree?"
        ),
        picture=Picture((picture_of(adjacency, marked=(i, j) if level == 3 else ()),)),
        form=Form.NUMBER,
        answer=float(answer),
        mistakes=(
            (
                float(other),
                "This sums over all pairs of nodes; here only edges count."
                if level == 1
                else "This sums over the edges only; here all pairs of nodes count.",
            ),
            (float(2 * answer), "Each pair counts once, not once for each of its ends."),
            *(((float(before), "This is the number before the flip."),) if level == 3 else ()),
            (float(sum(degrees.values())), "This is the sum of the degrees, not of differences."),
            (
                float(max(degrees.values()) - min(degrees.values())),
                "This is the largest difference alone; all of them are added up.",
            ),
            (
                float(sum(value > 0 for *_, value in terms)),
                "This counts the pairs that differ; each counts with its difference.",
            ),
        ),
        solution=(
            (f"When {flip}, the" if flip else "The")
            + f" degrees are {', '.join(f'{node} {d}' for node, d in degrees.items())}.",
            f"Differences other than 0 over {over}: {shown}. Their sum is {answer}.",
        ),
    )


def _edges_text(edges: frozenset[tuple[str | int, str | int]]) -> str:
    """Edges in a sentence."""
    return ", ".join(f"{u}{v}" for u, v in sorted(edges))
