"""Answers about a score's assertions, judged: which are inferred, what a test is given.

All are pure. A culprit is told by its name, a cell by two.
"""

from __future__ import annotations

from collections.abc import Sequence

from bjp_engine.dataset import Name
from bjp_engine.scores import AssertionTerm, ScoreTrace
from bjp_explorer.lessons.model import Verdict
from bjp_explorer.lessons.scene import assertion, terms_of
from bjp_explorer.shell.phrases import say
from bjp_explorer.shell.text import names_list, plain

Cell = tuple[Name, Name]


def check_inferred(trace: ScoreTrace, cells: Sequence[Cell]) -> Verdict:
    """Whether some cells are those that the score infers as 1. Its culprit is a cell in names."""
    terms = {(term.x, term.y): term for term in terms_of(trace)}
    order = names_list(trace.order)
    for cell in cells:
        term = terms[cell]
        if term.computed:
            said = {"assertion": assertion(term), "x": plain(term.x), "y": plain(term.y)}
            return Verdict(False, say("bet.question.computed", **said, order=order), cell)
    inferred = [(term.x, term.y) for term in trace.inferred]
    left = [cell for cell in inferred if cell not in cells]
    if left:
        a, b = sorted(left[0], key=list(trace.graph).index)
        found, whole = len(inferred) - len(left), len(inferred)
        pair = {"a": plain(a), "b": plain(b)}
        return Verdict(False, say("bet.question.unfinished", found=found, all=whole, **pair))
    counts = {"inferred": len(inferred), "all": len(trace.terms)}
    return Verdict(True, say("bet.question.right", order=order, **counts))


def find_mirror(trace: ScoreTrace, term: AssertionTerm) -> AssertionTerm:
    """The assertion on the same pair from its other end."""
    return next(t for t in terms_of(trace) if (t.x, t.y) == (term.y, term.x))


def computed_of(trace: ScoreTrace, pair: tuple[Name, Name]) -> AssertionTerm:
    """The computed assertion of a pair."""
    return next(t for t in terms_of(trace) if t.computed and {t.x, t.y} == set(pair))
