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
from bjp_explorer.shell.phrases import say
from bjp_explorer.shell.text import number, plain, probability


def dependent(test: TestTrace) -> bool:
    """Whether a test finds dependence the more probable."""
    return test.log_dependent > test.log_independent


def check_tables(tests: Sequence[TestTrace], picks: Picks) -> Verdict:
    """Whether the tables that were picked are those whose tests find dependence."""
    for k, test in enumerate(tests):
        if dependent(test) == (k in picks):
            continue
        value = test.log_independent if k in picks else test.log_dependent
        said = {
            "letter": letter(k),
            "x": plain(test.x),
            "y": plain(test.y),
            "probability": probability(value),
        }
        if k not in picks:
            return Verdict(False, say("counts.question.far", **said))
        few = sum(part.rows for part in test.slices) < 500
        why = say("counts.question.few", **said) if few else say("counts.question.close", **said)
        return Verdict(False, why, k)
    verdicts = "; ".join(
        f"{letter(k)}: {probability(test.log_dependent)}" for k, test in enumerate(tests)
    )
    return Verdict(True, say("counts.question.right", verdicts=verdicts))


def letter(k: int) -> str:
    """A card's name."""
    return "ABCDEFGH"[k]


def check_flip(contributions: tuple[Contribution, ...], pair: tuple[Name, ...]) -> Verdict:
    """Whether a pair has the lowest local contribution."""
    if len(pair) < 2:
        return Verdict(False, say("climb.question.ends"))
    lowest = contributions[0]
    least = number(lowest.value)
    if set(pair) == set(lowest.edge):
        said = {"pair": name_pair(lowest.edge), "value": least}
        removes = say("climb.question.removes", **said)
        return Verdict(True, removes if lowest.adjacent else say("climb.question.adds", **said))
    mine = next((c for c in contributions if set(c.edge) == set(pair)), None)
    said = {"pair": name_pair(pair), "lowest": least}
    if mine is None:
        return Verdict(False, say("climb.question.unlisted", **said))
    return Verdict(False, say("climb.question.higher", **said, value=number(mine.value)))


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
        return Verdict(False, say("irregular.question.nothing"))
    (k,) = indices(picks)
    found = [spared(trace) for trace in traces]
    if found[k] == max(found):
        listed = ", ".join(f"{letter(i)} {value}" for i, value in enumerate(found))
        return Verdict(True, say("irregular.question.right", found=listed))
    ranked = sorted((d for _, d in traces[k].graph.degree), reverse=True)
    degrees = ", ".join(map(str, ranked))
    more = say("irregular.question.more", letter=letter(k), saved=found[k], degrees=degrees)
    return Verdict(False, more, k)


def name_pair(pair: Sequence[Name]) -> str:
    """A pair in a sentence."""
    return " – ".join(plain(name) for name in pair)
