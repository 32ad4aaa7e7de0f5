"""The potential of one clique."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bjp_engine.errors import GraphError
from bjp_engine.records import record
from bjp_engine.validate import entries, whole_number


@record
@dataclass(frozen=True, eq=False)
class Factor:
    """One clique's potential.

    Parameters
    ----------
    variables : tuple of int
        Positions of the clique's variables, ascending.
    log_table : ndarray of float, shape (r_i for i in variables)
        ln φ_C of every joint state; read-only.
    """

    variables: tuple[int, ...]
    log_table: NDArray[np.float64]

    def __post_init__(self) -> None:
        """Take a copy of the table that nobody can write to."""
        variables = tuple(
            whole_number(i, "variables") for i in entries(self.variables, "variables")
        )
        object.__setattr__(self, "variables", variables)
        try:
            table = np.array(self.log_table, dtype=np.float64, order="C")
        except (TypeError, ValueError):
            raise GraphError(f"The table of factor {variables} must hold numbers.") from None
        table.setflags(write=False)
        object.__setattr__(self, "log_table", table)
