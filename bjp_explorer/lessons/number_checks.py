"""Answers about numbers, judged: which tests find dependence, the next flip, what BJP spares.

All are pure. A culprit is a position among what was asked about.
"""

from __future__ import annotations

from collections.abc import Sequence

from bjp_engine.dataset import Name
from bjp_engine.independence import TestTrace
from bjp_engine.scores import AssertionTerm, ScoreTrace
from bjp_engine.search import Contribution
from bjp_explorer.lessons.model import (
    Picks,
    Verdict,
    indices,
)
from bjp_explorer.shell.text import number, plain, probability


def dependent(test: TestTrace) -> bool:
    """Whether a test finds dependence the more probable."""
    return test.log_dependent > test.log_independent


def check_tables(tests: Sequence[TestTrace], picks: Picks) -> Verdict:
    """Whether the tables that were picked are those whose tests find dependence."""
    for k, test in enumerate(tests):
        if dependent(test) == (k in picks):
            continue
        rows = sum(part.rows for part in test.slices)
        end = (
            "the rows are too few to tell a dependence from chance"
            if k in picks and rows < 500
            else "these counts are close to those expected under independence"
            if k in picks
            else "with so many rows, these counts are too far from the expected ones"
        )
        which = "You chose" if k in picks else "You left out"
        said = "⊥" if k in picks else "⊥̸"
        value = test.log_independent if k in picks else test.log_dependent
        return Verdict(
            False,
            f"{which} table {letter(k)}, {plain(test.x)} and {plain(test.y)}. The test says "
            f"Pr({said}) = {probability(value)}: {end}.",
            k if k in picks else None,
        )
    verdicts = "; ".join(
        f"{letter(k)}: {probability(test.log_dependent)}" for k, test in enumerate(tests)
    )
    return Verdict(
        True,
        f"Pr(⊥̸) for {verdicts}. A tiny difference needs many rows before the "
        "test accepts it; until then, the simpler explanation wins.",
    )


def letter(k: int) -> str:
    """A card's name."""
    return "ABCDEFGH"[k]


def check_flip(contributions: tuple[Contribution, ...], pair: tuple[Name, ...]) -> Verdict:
    """Whether a pair has the lowest local contribution."""
    if len(pair) < 2:
        return Verdict(False, "A flip takes two circles: click both ends of the pair.")
    lowest = contributions[0]
    if set(pair) == set(lowest.edge):
        flip = "removes the edge" if lowest.adjacent else "adds the edge"
        return Verdict(
            True,
            f"The assertion on {name_pair(lowest.edge)} has the lowest ln Pr of all, "
            f"{number(lowest.value)}. The flip {flip}.",
        )
    mine = next((c for c in contributions if set(c.edge) == set(pair)), None)
    value = "" if mine is None else f" has ln Pr = {number(mine.value)}, and that"
    return Verdict(
        False,
        f"{name_pair(pair)}{value} is not the lowest: another assertion has "
        f"{number(lowest.value)}. Look for the smallest probability in the matrix.",
    )


def spared(trace: ScoreTrace) -> int:
    """How many variables more the inferred tests would have conditioned on than the computed ones.

    Over all assertions.
    """
    return given_in_all(trace.inferred) - given_in_all(trace.computed)


def given_in_all(terms: Sequence[object]) -> int:
    """The sizes of some conditioning sets, added up."""
    return sum(len(term.given) for term in terms if isinstance(term, AssertionTerm))


def check_most(traces: Sequence[ScoreTrace], picks: Picks) -> Verdict:
    """Whether the network was picked from which BJP gains most."""
    if len(picks) != 1:
        return Verdict(False, "Click one of the networks.")
    (k,) = indices(picks)
    found = [spared(trace) for trace in traces]
    said = ", ".join(f"{letter(i)} {value}" for i, value in enumerate(found))
    if found[k] == max(found):
        return Verdict(
            True,
            f"Variables saved: {said}. One large hub among small variables beats two "
            "middling ones, and where degrees are nearly equal there is little to gain.",
        )
    degrees = sorted((d for _, d in traces[k].graph.degree), reverse=True)
    return Verdict(
        False,
        f"Network {letter(k)} saves {found[k]} variables, and another saves more. Its degrees "
        f"are {', '.join(map(str, degrees))}: add up the differences of all pairs, and compare.",
        k,
    )


def name_pair(pair: Sequence[Name]) -> str:
    """A pair in a sentence."""
    return " – ".join(plain(name) for name in pair)
