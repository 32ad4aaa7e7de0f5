"""What a dataset keeps for the kernels: bit planes, pairs, the tables of its evidence.

All are made when a search first needs them. A trace gets only cells that occur, so its memory is
bounded by N however many configurations are possible.

Every score is made of one quantity, ln Γ(a + n) - ln Γ(a) (`bjp_engine.kernels.rising`): U(v; γ) of
docs/theory.md §2 is Σ_q rising(γ, v_q) - rising(γm, Σv), and a node's part of the MPL (§3) is the
same with γ = N_ess / (r q).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias, cast

import numpy as np

from bjp_engine.arrays import Ints, columns
from bjp_engine.dataset import Dataset
from bjp_engine.kernels import local
from bjp_engine.kernels.counting import cells_of_node, cells_that_occur
from bjp_engine.kernels.evidence import HEAVY, Evidence, few_size, fill_tables
from bjp_engine.kernels.rising import fraction_bits, leading_logs, table_entries
from bjp_engine.kernels.table import CodedTable, count_pairs, pack
from bjp_engine.progress import UNWATCHED, Progress

# x, y and the conditioning set, as column indices; without y, x alone.
Wanted: TypeAlias = tuple[int, int | None, tuple[int, ...]]

# So many intersections of planes take as long as to read a column of codes; measured.
MOST_MASKS = 125


@dataclass(frozen=True, eq=False, slots=True)
class CrossTally:
    """The non-zero cells of the r_x × r_y tables of all slices that have rows.

    Without y, r_y is 1.
    """

    given: tuple[int, ...]  # the conditioning set Z, ascending column indices
    configurations: Ints  # (S, |Z|): the codes of Z in each slice, lexicographic
    keys: Ints  # (slice · r_x + state of x) · r_y + state of y, ascending
    counts: Ints  # rows in each cell
    rx: int
    ry: int

    @property
    def size(self) -> int:
        """S, how many slices have rows."""
        return len(self.configurations)


def table_of(data: Dataset, watch: Progress = UNWATCHED) -> CodedTable:
    """A dataset as the kernels read it: made once."""
    return data.derived("table", lambda: _make_table(data, watch))


def _make_table(data: Dataset, watch: Progress) -> CodedTable:
    """Pack the columns and count all pairs."""
    planes = pack(data.codes, data.cardinalities)
    many = len(planes.words)
    # At once where nobody watches; else in parts of some ten milliseconds.
    at_once = many if watch is UNWATCHED else 1 + (1 << 26) // max(1, planes.words.size)
    for begin in range(0, many, max(1, at_once)):
        watch.tick()
        count_pairs(planes.words, planes.pairs, begin, min(many, begin + at_once))
    cardinalities = np.array(data.cardinalities, dtype=np.int64)
    codes = data.codes.T.view(np.uint8)
    return CodedTable(data.rows, codes, cardinalities, planes, MOST_MASKS, 1)


def table_without_rows(data: Dataset) -> CodedTable:
    """What kernels need to weigh tables that are counted already, and no more."""
    none = np.empty((data.n, 0), dtype=np.uint8)
    none.setflags(write=False)  # as the codes of a dataset, for which the kernels are compiled
    planes = pack(none.T, [1] * data.n)
    sizes = np.array(data.cardinalities, dtype=np.int64)
    return CodedTable(data.rows, none, sizes, planes, MOST_MASKS, 1)


def cross_tally(data: Dataset, x: int, y: int | None, given: Sequence[int]) -> CrossTally:
    """Count the pairs of states of two variables within each slice of a set; without y, of one."""
    given, elsewhere = tuple(given), cast(Any, data)
    if not data.is_here:
        return cast(CrossTally, elsewhere.count([(x, y, given)])[0])
    rx, ry = data.cardinalities[x], 1 if y is None else data.cardinalities[y]
    numbered = False
    if y is None:
        slices, keys, counts = cells_of_node(table_of(data), x, columns(given))
    else:
        slices, numbered, keys, counts = cells_that_occur(table_of(data), x, y, columns(given))
    if not numbered:
        configurations = data.codes[slices][:, list(given)].astype(np.int64)
    else:
        digits = np.unravel_index(slices, [data.cardinalities[z] for z in given]) if given else ()
        configurations = np.array(digits, dtype=np.int64).reshape(len(given), len(slices)).T
    return CrossTally(given, configurations, keys, counts, rx, ry)


def counted_states(data: Dataset, centred: bool) -> Ints:
    """How many states of each variable K counts: with centred prior cells, those that occur."""
    if not centred or not data.rows:
        return np.array(data.cardinalities, dtype=np.int64)
    return np.array([np.count_nonzero(counts) for counts in data.state_counts], dtype=np.int64)


# Enough for a few datasets, and for all the numbers of rows to which `posterior_growth` thins one.
@lru_cache(maxsize=64)
def shared_evidence(gamma: float, centred: bool, largest: int, bits: int) -> Evidence:
    """The tables that all datasets of a size share; read-only by agreement."""
    table = np.empty(table_entries(largest), dtype=np.int64)
    few = np.ones(few_size())
    none = np.empty(0, dtype=np.int64)
    evidence = Evidence(gamma, bits, table, leading_logs(), few, -1.0, False, centred, none)
    fill_tables(evidence)
    if few.max() < math.exp(HEAVY):
        return evidence
    return evidence._replace(few=np.empty(0))


def local_prior(data: Dataset, ess: float) -> local.LocalPrior:
    """What the local scores of a dataset are computed with; not to be shared between threads."""
    log_ess = math.log(ess)
    spread = abs(log_ess) + sum(math.log(r) for r in data.cardinalities)
    bits = fraction_bits((data.rows + 1) * (spread + math.log(max(data.cardinalities))))
    entries = min(1 << max(4, (data.rows + 1).bit_length()), local.MOST_ENTRIES)
    logs = np.full(local.MOST_TABLES, np.nan)
    tables = np.empty((local.MOST_TABLES, entries), np.int64)
    return local.LocalPrior(log_ess, bits, leading_logs(), logs, tables)
