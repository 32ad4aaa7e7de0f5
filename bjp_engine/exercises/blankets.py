"""Read a blanket, and what a test conditions on."""

from __future__ import annotations

import numpy as np

from bjp_engine.arrays import Bools
from bjp_engine.exercises.drafts import (
    NAMES,
    QuestionDraft,
    assertion_text,
    draw_graph,
    listed_nodes,
    named,
    picture_of,
    set_text,
)
from bjp_engine.exercises.records import Answer, Form, Picture
from bjp_engine.graph import blanket, degree_order


def draw_blanket(rng: np.random.Generator, level: int) -> QuestionDraft | None:
    """Level 1: a node's blanket. Level 2: the set that one assertion conditions on.

    Level 3: the set that BJP's test of a pair conditions on, from the end that comes first in ψ.

    Trivial are an empty set, and one of all other nodes; at level 3 a pair whose two ends give
    the same set.
    """
    adjacency = draw_graph(rng, (6, 7, 7)[level - 1], 0.4)
    if level == 1:
        return _of_node(adjacency, int(rng.integers(len(adjacency))))
    x, y = map(int, rng.choice(len(adjacency), 2, replace=False))
    if level == 2:
        return _of_assertion(adjacency, x, y)
    return _of_pair(adjacency, min(x, y), max(x, y))


def _of_node(adjacency: Bools, x: int) -> QuestionDraft | None:
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
