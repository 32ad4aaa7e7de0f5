"""The order ψ, and the tests that it spares."""

from __future__ import annotations

import numpy as np

from bjp_engine.arrays import Bools
from bjp_engine.dataset import Dataset
from bjp_engine.errors import listed
from bjp_engine.exercises.drafts import (
    NAMES,
    QuestionDraft,
    draw_graph,
    graph_of,
    named,
    pair_text,
    picture_of,
)
from bjp_engine.exercises.records import LETTERS, Answer, Form, Picture
from bjp_engine.graph import degree_order, flipped
from bjp_engine.scores import AssertionTerm, score

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
        options=tuple(_text(term) for term in asked),
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


def _text(term: AssertionTerm) -> str:
    """An assertion as the pages write it."""
    sign = "⊥̸" if term.dependent else "⊥"
    return f"⟨{term.x} {sign} {term.y} | {', '.join(map(str, term.given)) or '∅'}⟩"


def _letters(chosen: list[bool]) -> tuple[str, ...]:
    """The letters of some options."""
    return tuple(letter for letter, on in zip(LETTERS, chosen, strict=False) if on)
