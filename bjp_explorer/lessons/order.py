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
    prose,
)
from bjp_explorer.lessons.scene import by_column, listed, network
from bjp_explorer.shell.text import count, number, plain, probability, psi

ASKED = "target-5"


# --- Views ----------------------------------------------------------------------------------------


def _degrees(picks: Picks) -> Payload:
    """The degree of what was clicked."""
    place = here.coronary()
    degree = dict(place.graph.degree)
    badges = [str(degree[name]) for name in place.names]
    if not picks:
        drawing = network(place.data, place.points, place.graph, badges=badges)
        return {"networks": [drawing], "say": []}
    x = place.names[first_index(picks)]
    drawing = network(
        place.data,
        place.points,
        place.graph,
        roles={x: "x"} | dict.fromkeys(place.graph[x], "given"),
        tones={frozenset((x, z)): "given" for z in place.graph[x]},
        badges=badges,
    )
    settings = 2 ** degree[x]
    said = (
        f"**{plain(x)}** has degree {degree[x]}. A test given its whole blanket deals out the "
        f"{place.data.rows:,} rows among {count(settings, 'slice')}."
    )
    return {"networks": [drawing], "say": [said]}


def _ends(picks: Picks) -> Payload:
    """One edge of the star, tested from either end."""
    place = here.star()
    hub, leaf = "X0", place.names[first_index(picks, 1)]
    near, far = here.both_ends(place, leaf, hub)
    drawing = network(
        place.data,
        place.points,
        place.graph,
        roles={leaf: "x", hub: "y"} | dict.fromkeys(far.given, "given"),
        tones={frozenset((hub, leaf)): "tested"}
        | {frozenset((hub, z)): "given" for z in far.given},
        kind="dependent",
    )
    rows = place.data.rows
    return {
        "networks": [drawing],
        "table": {
            "head": ["tested from", "given", "slices", "rows per slice", "Pr(⊥̸)"],
            "rows": [_end(leaf, near, rows), _end(hub, far, rows)],
        },
        "say": [
            (
                f"The edge between {plain(hub)} and **{plain(leaf)}** is there: these rows were "
                f"drawn from this network. From {plain(leaf)} the test finds Pr(⊥̸) = "
                f"{probability(near.log_dependent)}, from the hub {probability(far.log_dependent)}."
            )
        ],
    }


def _end(x: Name, test: TestTrace, rows: int) -> list[str]:
    """One test in a row of the table."""
    given = ", ".join(plain(z) for z in test.given) or "∅"
    return [
        plain(x),
        given,
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
    size = place.graph.degree[x]
    drawing = network(
        place.data,
        place.points,
        place.graph,
        roles={x: "x"} | dict.fromkeys(place.graph[x], "given"),
        order=trace.order,
    )
    settled = f"Its pairs with {listed(before)} are settled already. " if before else ""
    given = f"its blanket of {size}" if size else "nothing: its blanket is empty"
    left = (
        f"Its pairs with {listed(after)} are tested from here, given {given}."
        if after
        else f"Nothing is left to test, and its blanket of {size} is never conditioned on."
    )
    return {
        "networks": [drawing],
        "table": {
            "head": ["place", "variable", "degree"],
            "rows": [
                [psi(r), plain(name), str(place.graph.degree[name])]
                for r, name in enumerate(trace.order)
            ],
            "current": k,
        },
        "say": [f"**{psi(k)} = {plain(x)}**. {settled}{left}"],
    }


def _question(_picks: Picks) -> Payload:
    """The network of the question."""
    place = here.sample_network(ASKED)
    return {"networks": [network(place.data, place.points, place.graph)], "say": []}


def _reveal() -> Payload:
    """The same with ψ in the nodes."""
    place = here.sample_network(ASKED)
    drawing = network(place.data, place.points, place.graph, order=place.score().order)
    return {"networks": [drawing], "say": []}


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


def _star_text() -> tuple[str, ...]:
    place = here.star()
    return prose(
        "Each edge can be tested from either end, given the rest of that end's blanket. A **hub** "
        f"is a variable with many neighbours: here X0, with {place.graph.degree['X0']}.",
        f"From a leaf the conditioning set is empty, and all {place.data.rows:,} rows make one "
        "table. From the hub it holds the other leaves, and few rows are left in each slice. A "
        "slice with hardly any rows says nothing.",
    )


# --- The lesson -----------------------------------------------------------------------------------

LESSON = Lesson(
    "The order ψ, and why a hub goes last",
    "The order",
    (
        Step(
            "Degree",
            lambda: prose(
                "How many neighbours a variable has is its **degree**: the size of its blanket. It "
                "stands in the circles.",
                "A test given a blanket has a slice for each configuration of it. Each extra "
                "two-state variable doubles the number of slices, and halves the rows in each.",
            ),
            _degrees,
            Touch("node", lambda: each(here.coronary().data.n), "Click a circle."),
        ),
        Step(
            "One edge, two ends",
            _star_text,
            _ends,
            Touch(
                "node",
                lambda: tuple((k,) for k in range(1, here.LEAVES + 1)),
                "Click a leaf: any circle but the hub.",
            ),
        ),
        Step(
            "Small blankets first",
            lambda: prose(
                "BJP, the **Blankets Joint Posterior**, takes the variables by ascending degree; "
                "of equal degrees the first column goes first. This order is called **ψ** (psi).",
                "Whoever comes first settles the pair, given its own blanket, which is the smaller "
                "one. The hubs come last, when nothing is left to settle.",
            ),
            _turns,
            Touch("frame", lambda: each(here.coronary().data.n), "Go through ψ with the slider."),
        ),
        Step(
            "Your turn: put them in order",
            lambda: ("Another network. Its columns are in the order of their numbers.",),
            _question,
            question=Question(
                lambda: (
                    "Click all circles one after another, in the order ψ. Click one again to take "
                    "it back."
                ),
                "order",
                _check,
                _answer,
                _reveal,
            ),
        ),
    ),
)
