"""Which rows there are, and how often each one counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import numpy as np

from bjp_engine.columns import Table
from bjp_engine.errors import DataError, clip, listed, plural
from bjp_engine.preparation.states import SomeStates, without_values
from bjp_engine.preparation.steps import Column_, Step, StepResult
from bjp_engine.validate import truth


@dataclass(frozen=True)
class FilterRows(Step):
    """Keep the rows with some states of a variable, or leave them out.

    Parameters
    ----------
    states : tuple of str
        A missing cell is none of them.
    keep : bool
        Whether these rows are kept or left out.

    Notes
    -----
    A column whose texts are all numbers then is read as numbers.
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
        if left < table.rows:
            table = table.take(kept)
            # What a stray line held is gone, and texts among numbers with it.
            gone = {name: c.counts == 0 for name, c in table.columns.items() if c.textual}
            made = {n: without_values(table.columns[n], none) for n, none in gone.items()}
            declared = {n for n in made if table.columns[n].declared}
            table = table.having({n: c for n, c in made.items() if n not in declared})
        return StepResult(table, said)


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
