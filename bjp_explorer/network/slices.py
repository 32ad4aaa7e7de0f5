"""A pair in the data: shares of a state, slice by slice, and what the counts of each slice show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.stats import chi2

from bjp_engine import Dataset
from bjp_engine.classical import ClassicalTrace
from bjp_engine.dataset import Name
from bjp_explorer.shell import caches
from bjp_explorer.shell.text import count, plain, together
from bjp_explorer.views.classical import ENOUGH
from bjp_explorer.views.drill import configuration

# Slices of a table, states of the other variable, and slices in words: those with most rows.
MOST_SLICES, MOST_STATES, _MOST_NAMED = 12, 8, 2
DEPENDENT, NEITHER, FEW = "dependence", "no dependence", "too few rows to tell"


@dataclass(frozen=True, eq=False, slots=True)
class PairRows:
    """The rows of a pair of variables, in slices given the smaller blanket of both ends."""

    data: Dataset
    # The one whose blanket is given comes first.
    x: Name
    y: Name
    # The classical test in all rows, and given the blanket.
    whole: ClassicalTrace
    trace: ClassicalTrace
    # Of each slice. Shape (S, r_x, r_y).
    tables: NDArray[np.int64]
    where: tuple[str, ...]

    @classmethod
    def of(cls, data: Dataset, graph: nx.Graph[Any], pair: tuple[int, int]) -> PairRows:
        """Count the rows of a pair of columns."""
        x, y = sorted((data.names[k] for k in pair), key=lambda name: len(graph[name]))
        given = tuple(sorted(set(graph[x]) - {y}, key=data.index))
        test = caches.bayesian_test(data, x, y, given)
        return cls(
            data,
            x,
            y,
            caches.classical_tests(data, x, y, ()),
            caches.classical_tests(data, x, y, given),
            np.array([part.counts for part in test.slices]),
            tuple(
                configuration(given, part.configuration, data) or "all rows" for part in test.slices
            ),
        )

    @property
    def is_constant(self) -> bool:
        """Whether a variable of the pair has one value."""
        return not self.whole.freedom

    @property
    def shows(self) -> NDArray[Any]:
        """What the counts of each slice show, by G² at 0.05."""
        slices = self.trace.slices
        p = np.where(
            slices.freedom > 0, chi2.sf(slices.g_squared, np.maximum(slices.freedom, 1)), 1
        )
        few = (slices.least_expected < ENOUGH) | (slices.freedom == 0)
        return np.select([few, p <= 0.05], [FEW, DEPENDENT], NEITHER)

    def describe_slices(self) -> str:
        """How many slices show what, in a sentence of plain text; empty of one slice."""
        shows, rows = self.shows, self.tables.sum(axis=(1, 2))
        if len(shows) < 2:
            return ""
        parts = [
            f"{what} in {(shows == what).sum():,} ({count(int(rows[shows == what].sum()), 'row')})"
            for what in (DEPENDENT, NEITHER, FEW)
            if (shows == what).any()
        ]
        return f"Of {len(shows):,} slices, each by its own counts: {together(parts)}."

    def count_shares(self, of: Name) -> Shares:
        """The shares of a state of one end; of ordered states it and all later ones count."""
        by = self.x if of == self.y else self.y
        tables = self.tables if of == self.y else self.tables.transpose(0, 2, 1)
        order = np.argsort(-tables.sum(axis=(1, 2)), kind="stable")
        totals = tables.sum(axis=2)
        at_least = self.data.ordered[self.data.index(of)] and tables.shape[2] > 2
        if at_least:
            tables = tables[..., ::-1].cumsum(axis=2)[..., ::-1]
        rows = totals.sum(axis=0)
        apart = np.ptp(tables.sum(axis=0)[rows > 0] / rows[rows > 0, None], axis=0)
        # Of two states the later one, which usually is the "yes".
        place = len(apart) - 1 - int(apart[::-1].round(9).argmax())
        labels = (self.data.labels[self.data.index(name)] for name in (of, by))
        states, others = labels
        return Shares(
            of,
            by,
            states[place],
            at_least,
            others,
            tuple(self.where[k] for k in order),
            np.stack([tables[..., place], totals], axis=2)[order],
            self.shows[order],
        )


@dataclass(frozen=True, eq=False, slots=True)
class Shares:
    """How often a variable is in one state, by the state of the other, slice by slice."""

    # The variable whose state is counted, and the other.
    of: Name
    by: Name
    # The state whose share differs most between the states of the other, and whether later states
    # count, too.
    state: str
    at_least: bool
    # Those of the other.
    states: tuple[str, ...]
    # The slices in words, those with most rows first.
    where: tuple[str, ...]
    # Rows of each state of the other: in the state, and all. Shape (S, r_by, 2).
    counts: NDArray[np.int64]
    # What the counts of each slice show.
    shows: NDArray[Any]

    def text(self, width: int = 28) -> str:
        """What is counted, as plain text: "exercise ≥ 4"."""
        return f"{plain(self.of, width)} {'≥' if self.at_least else '='} {plain(self.state, width)}"

    def to_table(self) -> pd.DataFrame:
        """The slices with most rows.

        Columns where, rows, "of 0", "of 1", … for the states of the other variable, and shows.
        """
        shares = np.array([_share(table) for table in self.counts[:MOST_SLICES]])
        rows = self.counts[:MOST_SLICES, :, 1].sum(axis=1)
        columns: dict[str, Any] = {"where": self.where[:MOST_SLICES], "rows": rows}
        columns |= {f"of {k}": shares[:, k] for k in range(min(shares.shape[1], MOST_STATES))}
        return pd.DataFrame(columns | {"shows": self.shows[:MOST_SLICES]})

    def sentences(self) -> Iterator[str]:
        """The same in words, plain text: all rows, then the slices with most rows."""
        parts = [("Of all rows:", self.counts.sum(axis=0))]
        if len(self.counts) > 1:
            parts += [
                (f"Of the {table[:, 1].sum():,} rows with {where}:", table)
                for where, table in zip(self.where[:_MOST_NAMED], self.counts, strict=False)
            ]
        for what, table in parts:
            told = [
                f"{100 * share:.0f} % of {rows:,} with {plain(self.by)} = {plain(label, 28)}"
                for label, share, rows in zip(self.states, _share(table), table[:, 1], strict=True)
                if rows
            ][:MOST_STATES]
            if len(told) > 1:
                yield f"{what} {self.text()} in {together(told)}."


def _share(table: NDArray[np.int64]) -> NDArray[np.float64]:
    """The share in each row of a table of rows in the state and all; none where there is none."""
    hits, rows = table.T
    shares: NDArray[np.float64] = np.full(len(table), np.nan)
    np.divide(hits, rows, out=shares, where=rows > 0)
    return shares
