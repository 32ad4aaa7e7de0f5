"""What the findings in columns rest on."""

from __future__ import annotations

from dataclasses import dataclass

from bjp_engine.health.copies import Copies
from bjp_engine.health.variables import VariableHealth


@dataclass(frozen=True, eq=False)
class Known:
    """What the findings rest on.

    Parameters
    ----------
    exact, near, together : tuple of Copies
        Copies, near copies, and numbers that rise and fall together.
    needed : int
        Rows without which a state is rare: `slice_rows` of two binary variables.
    """

    rows: int
    variables: tuple[VariableHealth, ...]
    exact: tuple[Copies, ...]
    near: tuple[Copies, ...]
    together: tuple[Copies, ...]
    needed: int

    def of(self, *kinds: str) -> list[VariableHealth]:
        """The variables of some kinds that vary."""
        return [one for one in self.variables if one.kind in kinds and one.states > 1]
