"""Lesson 2: one Bayesian test, from the counts to its verdict."""

from __future__ import annotations

import math
from functools import cache

import numpy as np

from bjp_engine import Dataset, independence_test
from bjp_engine.dataset import Name
from bjp_engine.independence import IndependenceTrace
from bjp_explorer.lessons.model import Lesson, Payload, Picks, Question, Step, Touch, Verdict, say
from bjp_explorer.lessons.scene import PAIRS, coronary, counts_card, letter, network
from bjp_explorer.shell.text import count, number, plain, probability

PAIR = ("smoking", "physical_work")
SPLIT = ("smoking", "mental_work")
# The tables of the question: how many rows (None: all of them), and of which pair.
TABLES: tuple[tuple[int | None, Name, Name], ...] = (
    (None, "smoking", "physical_work"),
    (None, "physical_work", "systolic_pressure"),
    (100, "smoking", "physical_work"),
    (None, "smoking", "lipoprotein_ratio"),
)
FEW_SEED = 2


def _drawing(test: IndependenceTrace, *, judged: bool = True) -> Payload:
    """The pair and what is given, without edges."""
    place = coronary()
    empty = place.graph.copy()
    empty.remove_edges_from(place.graph.edges)
    kind = ("dependent" if dependent(test) else "independent") if judged else "local"
    return network(
        place,
        empty,
        roles={test.x: "x", test.y: "y"} | dict.fromkeys(test.given, "given"),
        kind=kind,
        link={
            "i": place.data.index(test.x),
            "j": place.data.index(test.y),
            "tone": "independent" if judged else "proposed",
            "question": not judged,
            "dependent": kind == "dependent",
            "straight": False,
        },
    )


def _test(picks: Picks) -> tuple[IndependenceTrace, str]:
    """The test of the pair that was clicked, and the title of its table."""
    place = coronary()
    x, y = place.named(picks) or PAIR
    return place.test(x, y), say("counts.count.pair", x=plain(x), y=plain(y))


def _show_counts(picks: Picks) -> Payload:
    test, title = _test(picks)
    small = say("counts.count.small")
    card = counts_card(test, test.slices[0], coronary().data, title, small)
    return {"networks": [_drawing(test, judged=False)], "cards": [card]}


def _show_evidence(picks: Picks) -> Payload:
    test, title = _test(picks)
    (part,) = test.slices
    prior = test.log_prior
    rows = (
        ("independent", prior, part.log_g, test.log_independent),
        ("dependent", math.log(-math.expm1(prior)), part.log_h, test.log_dependent),
    )
    table = {
        "head": ["", *(say(f"counts.weigh.{name}") for name in ("prior", "evidence", "posterior"))],
        "rows": [
            # Evidence is too small to write but as a power of e, which the browser raises.
            [
                say(f"counts.weigh.{name}"),
                probability(before),
                f"e^{{{number(evidence, 2)}}}",
                probability(after),
            ]
            for name, before, evidence, after in rows
        ],
    }
    return {
        "networks": [_drawing(test)],
        "cards": [counts_card(test, part, coronary().data, title)],
        "table": table,
        "say": [_verdict("weigh", test)],
    }


def _split(picks: Picks) -> Payload:
    """The rows dealt out by the states of one more variable."""
    place = coronary()
    given = place.named(picks)
    test = place.test(*SPLIT, given)
    cards, factors = [], []
    for part in test.slices:
        states = [
            f"{plain(z)}: {place.data.labels[k][code]}"
            for z, k, code in zip(given, picks, part.configuration, strict=True)
        ]
        factors.append(probability(part.log_independent))
        line = say("counts.given.slice", probability=factors[-1])
        title = ", ".join(states) or say("counts.given.whole")
        cards.append(counts_card(test, part, place.data, title, line))
    said = _verdict("given" if given else "weigh", test)
    if given:
        product = probability(test.log_independent)
        said += " " + say("counts.given.product", factors=" · ".join(factors), product=product)
    return {"networks": [_drawing(test)], "cards": cards, "say": [said]}


def _verdict(step: str, test: IndependenceTrace) -> str:
    return say(
        f"counts.{step}.verdict",
        x=plain(test.x),
        y=plain(test.y),
        z="".join(map(plain, test.given)),
        probability=probability(test.log_independent),
        word=say("counts.dependent") if dependent(test) else say("counts.independent"),
    )


def _others() -> list[Picks]:
    """Nothing given, or one of the variables that are not asked about."""
    return [(), *((k,) for k, name in enumerate(coronary().names) if name not in SPLIT)]


# --- The question ---------------------------------------------------------------------------------


@cache
def pose() -> tuple[tuple[Dataset, IndependenceTrace], ...]:
    """The tests of the question, one a card."""
    found = []
    for rows, x, y in TABLES:
        data = coronary().data
        if rows is not None:
            chosen = np.random.default_rng(FEW_SEED).choice(data.rows, rows, replace=False)
            data = data.take(np.sort(chosen))
        found.append((data, independence_test(data, x, y)))
    return tuple(found)


def _cards(*, revealed: bool) -> Payload:
    cards = []
    for k, (data, test) in enumerate(pose()):
        lines = [f"Pr(⊥̸) = {probability(test.log_dependent)}"] if revealed else []
        title = f"{letter(k)} · {count(data.rows, 'row')}"
        cards.append(counts_card(test, test.slices[0], data, title, *lines))
    return {"cards": cards}


def dependent(test: IndependenceTrace) -> bool:
    """Whether a test finds dependence the more probable."""
    return test.log_dependent > test.log_independent


def _answer() -> Picks:
    return tuple(k for k, (_, test) in enumerate(pose()) if dependent(test))


def _check(picks: Picks) -> Verdict:
    """Whether the tables that were picked are those whose tests find dependence."""
    right = set(_answer())
    if wrong := sorted(set(picks) - right):
        data, test = pose()[wrong[0]]
        why = say(
            f"counts.question.{'few' if data.rows < 500 else 'close'}",
            letter=letter(wrong[0]),
            x=plain(test.x),
            y=plain(test.y),
            probability=probability(test.log_independent),
        )
        return Verdict(False, why, wrong[0])
    if left := right - set(picks):
        return Verdict(False, say("counts.question.left", tables=len(left)))
    found = (
        f"{letter(k)}: {probability(test.log_dependent)}" for k, (_, test) in enumerate(pose())
    )
    return Verdict(True, say("counts.question.right", verdicts="; ".join(found)))


LESSON = Lesson(
    "counts",
    (
        Step("counts.count", _show_counts, PAIRS),
        Step("counts.weigh", _show_evidence, PAIRS),
        Step(
            "counts.given",
            _split,
            Touch("node", _others),
            values=lambda: dict(zip("ab", map(plain, SPLIT), strict=True)),
        ),
        Step(
            "counts.question",
            lambda _: _cards(revealed=False),
            question=Question("cards", _check, _answer, lambda: _cards(revealed=True)),
        ),
    ),
)
