"""One pair in the data: shares of a state in each slice of its test, and where dependence shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bjp_engine import Dataset
from bjp_engine.confidence.edges import ABSENT, PRESENT
from bjp_engine.dataset import Name
from bjp_engine.independence import TestTrace
from bjp_explorer.shell.text import count, plain, together
from bjp_explorer.views.drill import configuration

# Slices of a table, states of the other variable, and slices in words: those with most rows.
MOST_SLICES, MOST_STATES, _MOST_NAMED = 12, 8, 2
_ALL = "all rows"


@dataclass(frozen=True, eq=False, slots=True)
class Shares:
    """How often a variable is in one state, by the state of the other, slice by slice."""

    # The variable whose state is counted, and the other.
    of: Name
    by: Name
    # The state: the one whose share differs most between the states of the other.
    state: str
    # Whether later states count, too, because states are ordered.
    at_least: bool
    # Those of the other.
    states: tuple[str, ...]
    # The slices in words, those with most rows first; "all rows" where the set is empty.
    where: tuple[str, ...]
    # Rows of each state of the other: in the state, and all. Shape (S, r_by, 2).
    counts: NDArray[np.int64]
    # Pr(dependent) in each slice. Shape (S,).
    dependent: NDArray[np.float64]

    @property
    def rows(self) -> NDArray[np.int64]:
        """Of each slice."""
        return np.asarray(self.counts[..., 1].sum(axis=1))

    def text(self, width: int = 28) -> str:
        """What is counted, as plain text: "exercise ≥ 4"."""
        return f"{plain(self.of, width)} {'≥' if self.at_least else '='} {plain(self.state, width)}"


def count_shares(test: TestTrace, data: Dataset, of: Name, ordered: bool = False) -> Shares:
    """The shares of a state of one end of the pair in the slices of its test.

    Of ordered states, a state and all later ones count together.
    """
    by = test.x if of == test.y else test.y
    tables = np.array([part.counts for part in test.slices])
    tables = tables if of == test.y else tables.transpose(0, 2, 1)
    order = np.argsort(-tables.sum(axis=(1, 2)), kind="stable")
    totals, at_least = tables.sum(axis=2), ordered and tables.shape[2] > 2
    if at_least:
        tables = tables[..., ::-1].cumsum(axis=2)[..., ::-1]
    rows = totals.sum(axis=0)
    whole = tables.sum(axis=0)[rows > 0] / rows[rows > 0, None]
    apart = np.ptp(whole, axis=0)
    # Of two states the later one, which usually is the "yes".
    place = len(apart) - 1 - int(apart[::-1].round(9).argmax())
    where = [configuration(test.given, test.slices[int(k)].configuration, data) for k in order]
    return Shares(
        of,
        by,
        data.labels[data.index(of)][place],
        at_least,
        data.labels[data.index(by)],
        tuple(text or _ALL for text in where),
        np.stack([tables[..., place], totals], axis=2)[order],
        -np.expm1(test.slices.log_independent[order]),
    )


def slice_table(found: Shares) -> pd.DataFrame:
    """The slices with most rows.

    Columns where, rows, dependent, and "of 0", "of 1", … for the states of the other variable.
    """
    shares = np.array([_share(table) for table in found.counts[:MOST_SLICES]])
    columns: dict[str, Any] = {"where": found.where[:MOST_SLICES], "rows": found.rows[:MOST_SLICES]}
    columns |= {f"of {k}": shares[:, k] for k in range(min(shares.shape[1], MOST_STATES))}
    return pd.DataFrame(columns | {"dependent": found.dependent[:MOST_SLICES]})


def describe_shares(found: Shares) -> list[str]:
    """The same in words, plain text: all rows, then the slices with most rows."""
    told = [_describe(found, found.counts.sum(axis=0), "Of all rows:")]
    if len(found.counts) > 1:
        for where, table in zip(found.where[:_MOST_NAMED], found.counts, strict=False):
            told.append(
                _describe(found, table, f"Among the {table[:, 1].sum():,} rows with {where}:")
            )
    return [text for text in told if text]


def describe_where(found: Shares) -> str:
    """In how many slices the test finds dependence and independence, as plain text."""
    amount, rows = len(found.dependent), found.rows
    if amount < 2:
        return ""
    clear, none = found.dependent >= PRESENT, found.dependent <= ABSENT
    parts = [
        f"{what} in {some.sum():,} ({count(int(rows[some].sum()), 'row')})"
        for what, some in (
            (f"dependence (probability {PRESENT} or more)", clear),
            (f"independence ({ABSENT} or less)", none),
            ("neither", ~(clear | none)),
        )
        if some.any()
    ]
    return f"Of {amount:,} slices the test shows {together(parts)}."


def _describe(found: Shares, table: NDArray[np.int64], where: str) -> str:
    """One table in words; empty where fewer than two states of the other variable occur."""
    shares, rows = _share(table), table[:, 1]
    parts = [
        f"{100 * shares[k]:.0f} % of {rows[k]:,} with {plain(found.by)} = {plain(label, 28)}"
        for k, label in enumerate(found.states)
        if rows[k]
    ][:MOST_STATES]
    if len(parts) < 2:
        return ""
    return f"{where} {found.text()} in {together(parts)}."


def _share(table: NDArray[np.int64]) -> NDArray[np.float64]:
    """The share in each row of a table of rows in the state and all; none where there is none."""
    hits, rows = table.T
    shares: NDArray[np.float64] = np.full(len(table), np.nan)
    np.divide(hits, rows, out=shares, where=rows > 0)
    return shares
