"""Answers about a score's assertions, judged: which are inferred, what a test is given.

All are pure. A culprit is told by its name, a cell by two.
"""

from __future__ import annotations

from collections.abc import Sequence

from bjp_engine.dataset import Name
from bjp_engine.scores import AssertionTerm, ScoreTrace
from bjp_explorer.lessons.model import Verdict
from bjp_explorer.lessons.scene import assertion, terms_of
from bjp_explorer.shell.text import plain, probability

Cell = tuple[Name, Name]


def check_inferred(trace: ScoreTrace, cells: Sequence[Cell]) -> Verdict:
    """Whether some cells are those that the score infers as 1. Its culprit is a cell in names."""
    terms = {(term.x, term.y): term for term in terms_of(trace)}
    order = f"ψ = ({', '.join(map(plain, trace.order))})"
    for cell in cells:
        term = terms[cell]
        if term.computed:
            return Verdict(
                False,
                f"{assertion(term)} will be computed: in {order} {plain(term.x)} comes before "
                f"{plain(term.y)}, so nothing is known of this pair when the turn of "
                f"{plain(term.x)} comes.",
                cell,
            )
    inferred = [(term.x, term.y) for term in trace.inferred]
    left = [cell for cell in inferred if cell not in cells]
    if left:
        a, b = sorted(left[0], key=list(trace.graph).index)
        return Verdict(
            False,
            f"Right so far: {len(inferred) - len(left)} of {len(inferred)}. Each pair has one cell "
            f"that is inferred; the pair of {plain(a)} and {plain(b)} has none yet.",
        )
    return Verdict(
        True,
        f"{order}: in the row of a variable, the cells of all variables before it are "
        f"inferred. That is {len(inferred)} of {len(trace.terms)} cells, half of them, whatever "
        "the graph.",
    )


def find_mirror(trace: ScoreTrace, term: AssertionTerm) -> AssertionTerm:
    """The assertion on the same pair from its other end."""
    return next(t for t in terms_of(trace) if (t.x, t.y) == (term.y, term.x))


def computed_of(trace: ScoreTrace, pair: tuple[Name, Name]) -> AssertionTerm:
    """The computed assertion of a pair."""
    return next(t for t in terms_of(trace) if t.computed and {t.x, t.y} == set(pair))


def check_given(trace: ScoreTrace, pair: tuple[Name, Name], chosen: Sequence[Name]) -> Verdict:
    """Whether some variables are what the computed test of a pair conditions on.

    Its culprit is a node's name.
    """
    term = computed_of(trace, pair)
    other = find_mirror(trace, term)
    first, second = plain(term.x), plain(term.y)
    begins = f"{first} comes before {second} in ψ, so the test is made from {first}"
    if set(chosen) == set(other.given) != set(term.given):
        return Verdict(
            False,
            f"That is what a test from {second} would condition on. But {begins}, given the rest "
            f"of its own blanket.",
            chosen[0] if chosen else None,
        )
    for node in chosen:
        if node not in term.given:
            return Verdict(
                False,
                f"{plain(node)} is not in the blanket of {first}. {begins}, given what its own "
                f"blanket holds besides {second}.",
                node,
            )
    if len(chosen) < len(term.given):
        so_far = (
            "The conditioning set has more members"
            if chosen
            else "The conditioning set isn't empty"
        )
        return Verdict(
            False,
            f"{so_far}: {begins}, given its blanket. Look where the edges of {first} lead.",
        )
    given = ", ".join(map(plain, term.given)) or "empty"
    return Verdict(
        True,
        f"The conditioning set is {given}. {assertion(term)} is computed, "
        f"Pr = {probability(term.value)}. {begins}.",
    )
