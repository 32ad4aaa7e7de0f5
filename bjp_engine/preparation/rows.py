"""Which rows there are, and how often each one counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from bjp_engine.arrays import Places
from bjp_engine.columns import Table
from bjp_engine.errors import DataError, clip, listed, ordinal, plural
from bjp_engine.preparation.states import SomeStates
from bjp_engine.preparation.steps import Column_, Step, StepResult, one_of, whole
from bjp_engine.validate import truth


@dataclass(frozen=True)
class FilterRows(Step):
    """Keep the rows with some states of a variable, or leave them out.

    Parameters
    ----------
    column : str or int
    states : tuple of str
        A missing cell is none of them.
    keep : bool
        Whether these rows are kept or left out.
    """

    kind: ClassVar[str] = "filter"
    title: ClassVar[str] = "filter of rows"
    column: Column_
    states: SomeStates
    keep: Annotated[bool, truth] = True

    def _said(self) -> tuple[str, str]:
        rows = f"rows in which {clip(self.column, 30)} is {listed(self.states)}"
        if self.keep:
            return f"Keep only the {rows}.", f"Only {rows} were used."
        return f"Leave out the {rows}.", f"R{rows[1:]} were left out."

    def apply(self, table: Table) -> StepResult:
        """The table with these rows."""
        column = table.column(self.column)
        named = np.array([*(label in self.states for label in column.labels), False])
        kept = named[column.codes] == self.keep
        left = int(np.count_nonzero(kept))
        if not left:
            raise DataError(
                f"no row would be left; column {clip(self.column)} holds {listed(column.labels)}."
            )
        said = f"{plural(left, 'row')} of {table.rows:,} kept."
        unseen = [state for state in self.states if state not in column.labels]
        if unseen:
            said += f" No row holds {listed(unseen)}."
        return StepResult(table if left == table.rows else table.take(kept), said)


@dataclass(frozen=True)
class RepeatRows(Step):
    """Count each row as often as a column says: the long table of one that was counted already.

    Parameters
    ----------
    column : str or int
        Whole numbers, 0 or more. It is left out.

    Notes
    -----
    Rows with the frequency 0 vanish. Copies of a row follow one another.
    """

    kind: ClassVar[str] = "frequencies"
    title: ClassVar[str] = "rows by frequency"
    column: Column_

    def _said(self) -> tuple[str, str]:
        name = clip(self.column, 30)
        return (
            f"Count each row as often as {name} says, and leave {name} out.",
            f"Each row was counted as often as the column {name} says.",
        )

    def for_paper(self, before: int, after: int) -> str:
        """What was done, and that N does not count the rows of the file."""
        return f"{self.done[:-1]}: N counts {plural(after, 'case')}, from {plural(before, 'row')}."

    def apply(self, table: Table) -> StepResult:
        """The long table."""
        long = table.repeated(self.column)
        return StepResult(long, f"{plural(table.rows, 'line')} counted as {long.rows:,} rows.")


@dataclass(frozen=True)
class SampleRows(Step):
    """Use a sample of the rows, in the order of the file.

    Parameters
    ----------
    how : {"random", "first", "every"}
        Rows drawn without replacement, the first rows, or every k-th row beginning with the first.
    number : int
        How many rows; of "every", k.
    seed : int
        Of "random".

    Notes
    -----
    Where fewer rows are there than asked for, all are used.
    """

    kind: ClassVar[str] = "sample"
    title: ClassVar[str] = "sample of the rows"
    how: Annotated[str, one_of("random", "first", "every")]
    number: Annotated[int, whole(1, 1 << 40)]
    seed: Annotated[int, whole(0, 2**63 - 1)] = 0

    def _said(self) -> tuple[str, str]:
        if self.how == "every":
            every = "row" if self.number == 1 else f"{ordinal(self.number)} row"
            return (
                f"Use every {every}, beginning with the first.",
                f"Every {every} was used, beginning with the first.",
            )
        rows = plural(self.number, "row")
        if self.how == "first":
            return f"Use the first {rows}.", "Only the first rows were used."
        return (
            f"Use {rows} drawn at random (seed {self.seed}).",
            f"Rows were drawn at random, without replacement (seed {self.seed}).",
        )

    def apply(self, table: Table) -> StepResult:
        """The table with these rows."""
        rows = self._rows(table.rows)
        said = f"{plural(len(rows), 'row')} of {table.rows:,} used."
        return StepResult(table if len(rows) == table.rows else table.take(rows), said)

    def _rows(self, rows: int) -> Places:
        if self.how == "every":
            return np.arange(0, rows, self.number)
        if self.how == "first" or self.number >= rows:
            return np.arange(min(self.number, rows))
        drawn = np.random.default_rng(self.seed).choice(rows, self.number, replace=False)
        return np.sort(drawn)
