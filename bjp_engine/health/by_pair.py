"""What is found in columns that say the same as another."""

from __future__ import annotations

from collections.abc import Iterator

from bjp_engine.errors import clip, columns_text
from bjp_engine.frozen import FrozenMapping
from bjp_engine.health.copies import Copies
from bjp_engine.health.findings import Finding, percent
from bjp_engine.health.known import Known
from bjp_engine.preparation import DropVariables


def repeated(known: Known) -> Iterator[Finding]:
    """Variables that repeat another."""
    for copies in known.exact:
        columns = (copies.leader, *copies.followers)
        one = len(copies.followers) == 1
        yield Finding(
            "copies",
            "serious",
            columns,
            FrozenMapping({"columns": len(copies.followers), "agreement": 1.0}),
            f"C{columns_text(copies.followers)[1:]} {'is' if one else 'are'} "
            f"column {clip(copies.leader, 30)} under other names: one value for one value in every "
            "row. Copies hide each other's edges.",
            (DropVariables(copies.followers),),
            "Leave the copy out" if one else "Leave the copies out",
            advised=True,
        )
    for copies in known.near:
        many = "repeats" if len(copies.followers) == 1 else "repeat"
        yield _near(
            copies, f"nearly {many}", f"they agree in {percent(min(copies.agreement))} of the rows"
        )
    for copies in known.together:
        many = "rises and falls" if len(copies.followers) == 1 else "rise and fall"
        yield _near(copies, f"{many} with", f"the rank correlation is {min(copies.agreement):.3f}")


def _near(copies: Copies, verb: str, how: str) -> Finding:
    """Variables that say nearly what another says."""
    return Finding(
        "near_copies",
        "warning",
        (copies.leader, *copies.followers),
        FrozenMapping({"columns": len(copies.followers), "agreement": min(copies.agreement)}),
        f"C{columns_text(copies.followers)[1:]} {verb} column {clip(copies.leader, 30)}: {how}"
        f"{'' if len(copies.followers) == 1 else ' or more'}.",
        (DropVariables(copies.followers),),
        "Leave out",
    )
