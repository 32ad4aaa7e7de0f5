"""What is found in the table as a whole: its missing cells, and whether it has rows enough."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bjp_engine.dataset import Name
from bjp_engine.errors import columns_text
from bjp_engine.frozen import FrozenMapping
from bjp_engine.health.findings import Finding, percent
from bjp_engine.health.room import BlanketRoom
from bjp_engine.preparation import MissingCells

# Dropping more than this share of the rows is too much to do by default.
MOST_DROPPED = 0.25


def missing_finding(
    missing: Mapping[Name, int], cells: int, rows: int, complete: int
) -> Iterator[Finding]:
    """What to do about missing cells, if there are any."""
    total = sum(missing.values())
    if not total:
        return
    drop = rows - complete <= MOST_DROPPED * rows
    left = f"{complete:,} of {rows:,} rows are complete" if complete else "no row is complete"
    advice = "dropping the others costs little" if drop else "dropping the others would cost much"
    yield Finding(
        "missing",
        "stop",
        tuple(missing),
        FrozenMapping({"cells": total, "share": total / cells, "complete": complete}),
        f"{total:,} cell{'s are' if total > 1 else ' is'} missing ({percent(total / cells)}) in "
        f"{columns_text(missing)}; {left}, so {advice}.",
        (MissingCells("drop" if drop else "state"),),
        "Drop these rows" if drop else "Make it a state",
        advised=True,
    )


def room_finding(room: BlanketRoom, variables: int) -> Iterator[Finding]:
    """Whether there are rows enough, after the suggested steps."""
    if variables < 2:
        yield Finding(
            "few_variables",
            "stop",
            (),
            FrozenMapping({"variables": variables}),
            f"Only {variables} variable{' is' if variables == 1 else 's are'} of use; a network "
            "needs at least two.",
        )
        return
    largest = min(room.largest, variables - 1)
    enough = room.largest >= min(3, variables - 1)
    severity = "note" if enough else ("warning" if room.largest == 2 else "serious")
    if room.largest < 0:
        said = f"The table has {room.rows:,} rows, and one slice alone needs {room.needed}"
    else:
        many = "variable" if largest == 1 else "variables"
        said = (
            f"With {room.rows:,} rows and typically {room.states:.2g} states, a blanket of "
            f"{largest} {many} still has {room.sizes[largest].rows:,.0f} rows a configuration"
            if largest
            else f"With {room.rows:,} rows and typically {room.states:.2g} states, even one "
            f"neighbour leaves fewer than {room.needed} rows a configuration"
        )
        if largest + 1 < len(room.sizes) and largest:
            said += f", one of {largest + 1} only {room.sizes[largest + 1].rows:,.1f}"
    yield Finding(
        "blankets",
        severity,
        (),
        FrozenMapping(
            {"rows": room.rows, "states": room.states, "needed": room.needed, "largest": largest}
        ),
        f"{said}. A slice of fewer than {room.needed} rows moves the posterior little.",
    )
