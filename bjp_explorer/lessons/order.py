"""Lesson 4: the order ψ, and why a hub goes last."""

from __future__ import annotations

from bjp_engine.dataset import Name
from bjp_engine.independence import TestTrace
from bjp_explorer.lessons import data as here
from bjp_explorer.lessons.graph_checks import check_order
from bjp_explorer.lessons.model import (
    Lesson,
    Payload,
    Picks,
    Question,
    Step,
    Touch,
    Verdict,
    each,
    first_index,
    indices,
)
from bjp_explorer.lessons.scene import by_column, light_blanket, listed, network
from bjp_explorer.shell.phrases import Joined, Phrase, say
from bjp_explorer.shell.text import names_list, number, plain, probability, psi

ASKED = "target-5"


# --- Views ----------------------------------------------------------------------------------------


def _degrees(picks: Picks) -> Payload:
    """The degree of what was clicked."""
    place = here.coronary()
    degree = dict(place.graph.degree)
    badges = [str(degree[name]) for name in place.names]
    if not picks:
        return {"networks": [network(place, badges=badges)]}
    x = place.names[first_index(picks)]
    said = say(
        "order.degree.slices",
        x=plain(x),
        degree=degree[x],
        rows=place.data.rows,
        slices=say("amounts.slice", n=2 ** degree[x]),
    )
    return {"networks": [light_blanket(place, x, badges=badges)], "say": [said]}


def _ends(picks: Picks) -> Payload:
    """One edge of the star, tested from either end."""
    place = here.star()
    hub, leaf = "X0", place.names[first_index(picks, 1)]
    near, far = here.both_ends(place, leaf, hub)
    drawing = network(
        place,
        roles={leaf: "x", hub: "y"} | dict.fromkeys(far.given, "given"),
        tones={frozenset((hub, leaf)): "tested"}
        | {frozenset((hub, z)): "given" for z in far.given},
        kind="dependent",
    )
    rows = place.data.rows
    head = [
        say("order.ends.end"),
        say("order.ends.given"),
        say("order.ends.slices"),
        say("order.ends.rows"),
    ]
    said = say(
        "order.ends.found",
        hub=plain(hub),
        leaf=plain(leaf),
        near=probability(near.log_dependent),
        far=probability(far.log_dependent),
    )
    return {
        "networks": [drawing],
        "table": {
            "head": [*head, "Pr(⊥̸)"],
            "rows": [_end(leaf, near, rows), _end(hub, far, rows)],
        },
        "say": [said],
    }


def _end(x: Name, test: TestTrace, rows: int) -> list[str]:
    """One test in a row of the table."""
    return [
        plain(x),
        names_list(test.given),
        f"{test.configurations:,}",
        number(rows / test.configurations, 1 if rows % test.configurations else 0),
        probability(test.log_dependent),
    ]


def _turns(picks: Picks) -> Payload:
    """The variables one after another in the order ψ."""
    place = here.coronary()
    trace = place.score()
    k = first_index(picks)
    x = trace.order[k]
    before, after = trace.order[:k], trace.order[k + 1 :]
    drawing = network(
        place, roles={x: "x"} | dict.fromkeys(place.graph[x], "given"), order=trace.order
    )
    said = [say("order.turns.turn", place=psi(k), x=plain(x))]
    said += [say("order.turns.settled", before=listed(before))] if before else []
    said += [_say_left(after, place.graph.degree[x])]
    return {
        "networks": [drawing],
        "table": {
            "head": [
                say("order.turns.place"),
                say("order.turns.variable"),
                say("order.turns.degree"),
            ],
            "rows": [
                [psi(r), plain(name), str(place.graph.degree[name])]
                for r, name in enumerate(trace.order)
            ],
            "current": k,
        },
        "say": [Joined(tuple(said))],
    }


def _say_left(after: tuple[Name, ...], size: int) -> Phrase:
    """What a variable whose blanket has so many members is tested with."""
    if not after:
        return say("order.turns.last", size=size)
    if not size:
        return say("order.turns.empty", after=listed(after))
    return say("order.turns.blanket", after=listed(after), size=size)


def _question(_picks: Picks) -> Payload:
    """The network of the question."""
    place = here.sample_network(ASKED)
    return {"networks": [network(place)]}


def _reveal() -> Payload:
    """The same with ψ in the nodes."""
    place = here.sample_network(ASKED)
    return {"networks": [network(place, order=place.score().order)]}


def _check(picks: Picks) -> Verdict:
    """The answer in names."""
    place = here.sample_network(ASKED)
    chosen = [place.names[k] for k in indices(picks)]
    verdict = check_order(place.graph, place.score().order, chosen)
    return by_column(verdict, place.data)


def _answer() -> Picks:
    """ψ by columns."""
    place = here.sample_network(ASKED)
    return tuple(map(place.data.index, place.score().order))


def _star() -> dict[str, int]:
    """The hub's degree, and the rows."""
    place = here.star()
    return {"degree": place.graph.degree["X0"], "rows": place.data.rows}


# --- The lesson -----------------------------------------------------------------------------------

LESSON = Lesson(
    "order",
    (
        Step("order.degree", _degrees, Touch("node", lambda: each(here.coronary().data.n))),
        Step(
            "order.ends",
            _ends,
            Touch("node", lambda: tuple((k,) for k in range(1, here.LEAVES + 1))),
            values=_star,
        ),
        Step("order.turns", _turns, Touch("frame", lambda: each(here.coronary().data.n))),
        Step("order.question", _question, question=Question("order", _check, _answer, _reveal)),
    ),
)
