"""The cells that occur of one or two variables within the slices of a set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Ints
from bjp_engine.contingency import CrossTally
from bjp_engine.kernels.table import Table
from bjp_engine.kernels.traced import cells_of_node, cells_that_occur


def columns(members: Sequence[int]) -> Ints:
    """Column indices as the kernels take them."""
    return np.array(members, dtype=np.int64)


def tally_of(
    table: Table, codes: NDArray[Any], x: int, y: int, given: tuple[int, ...]
) -> CrossTally:
    """The same from a table as the kernels read it, and its codes, shape (N, n)."""
    slices, numbered, keys, counts = cells_that_occur(table, x, y, columns(given))
    sizes = table.cardinalities
    if numbered:
        digits = np.unravel_index(slices, sizes[list(given)]) if given else ()
        configurations = np.array(digits, dtype=np.int64).reshape(len(given), len(slices)).T
    else:
        configurations = codes[slices][:, list(given)].astype(np.int64)
    return CrossTally(given, configurations, keys, counts, int(sizes[x]), int(sizes[y]))


def node_tally_of(table: Table, codes: NDArray[Any], j: int, given: tuple[int, ...]) -> CrossTally:
    """The same from a table as the kernels read it, and its codes, shape (N, n)."""
    first, keys, counts = cells_of_node(table, j, columns(given))
    configurations = codes[first][:, list(given)].astype(np.int64)
    return CrossTally(given, configurations, keys, counts, int(table.cardinalities[j]), 1)
