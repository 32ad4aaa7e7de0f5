"""Lesson 2: one Bayesian test, from the counts to its verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence

from bjp_engine import Dataset, independence_test
from bjp_engine.dataset import Name
from bjp_engine.independence import IndependenceTrace
from bjp_explorer.lessons import data as here
from bjp_explorer.lessons.checks import check_tables, dependent, letter
from bjp_explorer.lessons.model import (
    Lesson,
    Payload,
    Picks,
    Question,
    Step,
    Touch,
    each_pair,
    indices,
)
from bjp_explorer.lessons.scene import counts_card, network, power
from bjp_explorer.shell.phrases import Joined, Phrase, Said, say
from bjp_explorer.shell.text import plain, probability

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


def pose() -> tuple[tuple[Dataset, IndependenceTrace], ...]:
    """The tests of the question, one a card."""
    whole = here.coronary().data
    chosen = [whole if rows is None else here.few(rows, FEW_SEED) for rows, _, _ in TABLES]
    return tuple(
        (data, independence_test(data, x, y))
        for data, (_, x, y) in zip(chosen, TABLES, strict=True)
    )


# --- Views ----------------------------------------------------------------------------------------


def _pair(picks: Picks) -> tuple[Name, Name]:
    if not picks:
        return PAIR
    x, y = (here.coronary().names[k] for k in indices(picks))
    return x, y


def _drawing(
    x: Name, y: Name, test: IndependenceTrace | None = None, given: tuple[Name, ...] = ()
) -> Payload:
    place = here.coronary()
    empty = place.graph.copy()
    empty.remove_edges_from(place.graph.edges)
    kind = "local" if test is None else "dependent" if dependent(test) else "independent"
    return network(
        place,
        empty,
        roles={x: "x", y: "y"} | dict.fromkeys(given, "given"),
        kind=kind,
        link={
            "i": place.data.index(x),
            "j": place.data.index(y),
            "tone": "proposed" if test is None else "independent",
            "question": test is None,
            "dependent": kind == "dependent",
            "straight": False,
        },
    )


def _show_counts(picks: Picks) -> Payload:
    x, y = _pair(picks)
    place = here.coronary()
    test = place.test(x, y)
    card = counts_card(
        test,
        test.slices[0],
        place.data,
        title=say("counts.count.pair", x=plain(x), y=plain(y)),
        lines=[say("counts.count.small")],
    )
    return {"networks": [_drawing(x, y)], "cards": [card]}


def _show_evidence(picks: Picks) -> Payload:
    x, y = _pair(picks)
    place = here.coronary()
    test = place.test(x, y)
    (part,) = test.slices
    title = say("counts.count.pair", x=plain(x), y=plain(y))
    card = counts_card(test, part, place.data, title=title)
    table = {
        "head": [
            "",
            say("counts.weigh.prior"),
            say("counts.weigh.evidence"),
            say("counts.weigh.posterior"),
        ],
        "rows": [
            [
                say("counts.weigh.independent"),
                probability(test.log_prior),
                power(part.log_g),
                probability(test.log_independent),
            ],
            [
                say("counts.weigh.dependent"),
                probability(math.log(-math.expm1(test.log_prior))),
                power(part.log_h),
                probability(test.log_dependent),
            ],
        ],
    }
    return {
        "networks": [_drawing(x, y, test)],
        "cards": [card],
        "table": table,
        "say": [_verdict(test)],
    }


def _split(picks: Picks) -> Payload:
    """The rows dealt out by the states of one more variable."""
    place = here.coronary()
    given = tuple(place.names[k] for k in indices(picks))
    test = place.test(*SPLIT, given)
    cards = [
        counts_card(
            test,
            part,
            place.data,
            title=_configuration(place.data, test, part.configuration),
            lines=[say("counts.given.slice", probability=probability(part.log_independent))],
        )
        for part in test.slices
    ]
    said: Said = _verdict(test)
    if given:
        factors = " · ".join(probability(part.log_independent) for part in test.slices)
        product = probability(test.log_independent)
        said = Joined((said, say("counts.given.product", factors=factors, product=product)))
    return {"networks": [_drawing(*SPLIT, test, given)], "cards": cards, "say": [said]}


def _verdict(test: IndependenceTrace) -> Phrase:
    said = {
        "x": plain(test.x),
        "y": plain(test.y),
        "probability": probability(test.log_independent),
        "word": say("counts.dependent") if dependent(test) else say("counts.independent"),
    }
    if test.given:
        return say("counts.given.verdict", z=plain(test.given[0]), **said)
    return say("counts.weigh.verdict", **said)


def _configuration(data: Dataset, test: IndependenceTrace, codes: tuple[int, ...]) -> Said:
    parts = zip(test.given, codes, strict=True)
    states = ", ".join(f"{plain(z)}: {data.labels[data.index(z)][c]}" for z, c in parts)
    return states or say("counts.given.whole")


def _question(_picks: Picks) -> Payload:
    return {"cards": [_card(k, data, test) for k, (data, test) in enumerate(pose())]}


def _reveal() -> Payload:
    cards = [
        _card(k, data, test, [f"Pr(⊥̸) = {probability(test.log_dependent)}"])
        for k, (data, test) in enumerate(pose())
    ]
    return {"cards": cards}


def _card(k: int, data: Dataset, test: IndependenceTrace, lines: Sequence[str] = ()) -> Payload:
    title = Joined((letter(k), say("amounts.row", n=data.rows)), by=" · ")
    return counts_card(test, test.slices[0], data, title=title, lines=lines)


def _pairs() -> tuple[Picks, ...]:
    return each_pair(here.coronary().data.n)


def _others() -> tuple[Picks, ...]:
    """Nothing given, or one of the variables that are not asked about."""
    names = here.coronary().names
    return ((), *((k,) for k, name in enumerate(names) if name not in SPLIT))


# --- The lesson -----------------------------------------------------------------------------------

LESSON = Lesson(
    "counts",
    (
        Step("counts.count", _show_counts, Touch("pair", _pairs)),
        Step("counts.weigh", _show_evidence, Touch("pair", _pairs)),
        Step(
            "counts.given",
            _split,
            Touch("node", _others),
            values=lambda: dict(zip("ab", map(plain, SPLIT), strict=True)),
        ),
        Step(
            "counts.question",
            _question,
            question=Question(
                "cards",
                lambda picks: check_tables([test for _, test in pose()], picks),
                lambda: tuple(k for k, (_, test) in enumerate(pose()) if dependent(test)),
                _reveal,
            ),
        ),
    ),
)
