"""Which variables there are, and their names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

from bjp_engine.columns import Table
from bjp_engine.errors import IN_A_PAPER, DataError, columns_were, listed, plural
from bjp_engine.preparation.steps import Columns, Step, StepResult, one_of, pairs_of
from bjp_engine.validate import Name, check_names, column_name, column_names


@dataclass(frozen=True)
class KeepVariables(Step):
    """Keep some variables, in this order, and leave all others out.

    Parameters
    ----------
    columns : tuple of str or int
    """

    kind: ClassVar[str] = "keep"
    title: ClassVar[str] = "keep variables"
    columns: Columns

    def _said(self) -> tuple[str, str]:
        return (
            f"Keep only {listed(self.columns)}.",
            f"{columns_were(self.columns)} used, and no others.",
        )

    def apply(self, table: Table) -> StepResult:
        """The table with these columns."""
        out = len(table.names) - len(self.columns)
        said = f"{plural(len(self.columns), 'variable')} kept, {out:,} left out."
        return StepResult(table.keeping(self.columns), said)


@dataclass(frozen=True)
class DropVariables(Step):
    """Leave some variables out.

    Parameters
    ----------
    columns : tuple of str or int
    absent : {"error", "skip"}
        What to do with one that isn't there. Once the step was applied it is "skip": another
        file without the variable needs nothing left out.
    """

    kind: ClassVar[str] = "drop"
    title: ClassVar[str] = "leave variables out"
    columns: Columns
    absent: Annotated[str, one_of("error", "skip")] = "error"

    def _said(self) -> tuple[str, str]:
        return (
            f"Leave out {listed(self.columns)}.",
            f"{columns_were(self.columns)} left out.",
        )

    def fit(self, table: Table) -> DropVariables:
        """Make sure that they are there; a later table may lack them."""
        if self.absent == "error":
            table.check(self.columns)
        return replace(self, absent="skip")

    def apply(self, table: Table) -> StepResult:
        """The table without these columns."""
        out = {name for name in self.columns if name in table.columns}
        left = [name for name in table.names if name not in out]
        if not left:
            raise DataError("no variable would be left; keep at least one.")
        said = f"{plural(len(out), 'variable')} left out, {len(left):,} remain."
        strange = len(self.columns) - len(out)
        if strange:
            were = "was" if strange == 1 else "were"
            said += f" {plural(strange, 'variable')} of the step {were} not there."
        return StepResult(table.keeping(left), said)


def _pairs(value: object, name: str) -> tuple[tuple[Name, Name], ...]:
    """Old names, each once, and new ones."""
    pairs = pairs_of(value, name)
    column_names([old for old, _ in pairs], name)
    return tuple((old, column_name(new, name)) for old, new in pairs)


@dataclass(frozen=True)
class RenameVariables(Step):
    """Give variables other names.

    Parameters
    ----------
    names : tuple of pairs
        The old name and the new one.
    """

    kind: ClassVar[str] = "rename"
    title: ClassVar[str] = "rename variables"
    names: Annotated[tuple[tuple[Name, Name], ...], _pairs]

    def _said(self) -> tuple[str, str]:
        old, new = zip(*self.names, strict=True)
        return (
            f"Rename {listed(old)} to {listed(new)}.",
            f"{columns_were(old)} renamed to {listed(new, IN_A_PAPER)}.",
        )

    def apply(self, table: Table) -> StepResult:
        """The table with the new names in the places of the old."""
        new = dict(self.names)
        table.check(new)
        names = tuple(new.get(name, name) for name in table.names)
        check_names(names)
        columns = dict(zip(names, table.columns.values(), strict=True))
        return StepResult(Table(table.rows, columns), f"{plural(len(new), 'variable')} renamed.")
