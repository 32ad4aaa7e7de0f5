"""What names rows, persons or nothing: identifiers, and columns that say nothing of the others."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bjp_engine.errors import columns_text
from bjp_engine.health.findings import Finding, make_finding, percent
from bjp_engine.health.frequencies import frequency_column
from bjp_engine.health.profile import Profile
from bjp_engine.health.thresholds import MOSTLY_MISSING, NEARLY_ALL_MISSING
from bjp_engine.identifiers import MANY_STATES, describe_repeats, find_units, is_running
from bjp_engine.preparation import DropVariables
from bjp_engine.validate import Name

_USELESS = {
    "empty": "No value at all in {}.",
    "constant": "Only one value occurs in {}; a constant column says nothing about the others.",
    "text": f"Free text or codes in {{}}: more than {MANY_STATES} different values, and fewer than "
    "ten rows to each.",
    "date": "Dates in {}: nearly every row has its own, and states lose their order.",
}


def find_identifiers(profile: Profile) -> Iterator[Finding]:
    """Columns that number rows, and the numbers of persons or units with several rows."""
    table, variables = profile.table, profile.variables
    single = [
        name
        for name, one in variables.items()
        if (one.kind == "identifier" and one.states == one.present)
        or is_running(table.column(name))
    ]
    # A frequency may be another one in each line, too.
    counted = frequency_column(table, single)
    single = [name for name in single if name != counted]
    if single:
        yield make_finding(
            "identifier",
            single,
            {"columns": len(single)},
            f"Every row has a different value in {columns_text(single)}, so no row can confirm "
            "what another one shows.",
            DropVariables(tuple(single)),
            "Leave out",
        )
    repeated = {n for n, one in variables.items() if one.kind == "identifier" and n not in single}
    repeated |= set(find_units(table.columns))
    for name in (name for name in table.names if name in repeated - {counted}):
        counts = table.column(name).counts
        yield make_finding(
            "repeated",
            (name,),
            {"units": int(np.count_nonzero(counts)), "rows": int(counts.sum())},
            describe_repeats(name, counts),
            DropVariables((name,)),
            "Leave out",
        )


def find_useless(profile: Profile) -> Iterator[Finding]:
    """Columns that say nothing of the others, or hold nearly nothing."""
    variables = profile.variables.values()
    gone: set[Name] = set()
    for kind, sentence in _USELESS.items():
        names = tuple(
            one.name
            for one in variables
            if (one.states == 1 if kind == "constant" else one.kind == kind and one.states != 1)
        )
        gone.update(names)
        if names:
            said = sentence.format(columns_text(names))
            answer = (DropVariables(names), "Leave out")
            yield make_finding(kind, names, {"columns": len(names)}, said, *answer)
    for least, most in ((NEARLY_ALL_MISSING, 1.0), (MOSTLY_MISSING, NEARLY_ALL_MISSING)):
        names = tuple(
            one.name
            for one in variables
            if least <= one.missing / profile.rows < most and one.name not in gone
        )
        if names:
            yield make_finding(
                "mostly_missing",
                names,
                {"columns": len(names), "share": least},
                f"{percent(least)} or more of the cells are missing in {columns_text(names)}.",
                DropVariables(names),
                "Leave out",
                advised=least == NEARLY_ALL_MISSING,
            )
