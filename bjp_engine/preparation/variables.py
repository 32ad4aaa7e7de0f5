"""Which variables there are: keep some, leave some out, give them other names."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from bjp_engine.columns import Table
from bjp_engine.dataset import Name
from bjp_engine.errors import DataError
from bjp_engine.preparation import fields
from bjp_engine.preparation.base import Did, Step, count, put, those
from bjp_engine.validate import check_names


@dataclass(frozen=True)
class KeepVariables(Step):
    """Keep some variables, in this order, and leave all others out.

    Parameters
    ----------
    columns : tuple of str or int

    Raises
    ------
    OptionError
        If it is no list of distinct names.
    """

    kind: ClassVar[str] = "keep"
    looks: ClassVar[bool] = False
    title: ClassVar[str] = "keep variables"
    columns: tuple[Name, ...]

    def __post_init__(self) -> None:
        """Check the fields."""
        put(self, columns=fields.names(self.columns, "columns"))

    @property
    def sentence(self) -> str:
        """What it does."""
        return f"Keep only {those(self.columns, '')}."

    def apply(self, table: Table) -> Did:
        """The table with these columns."""
        table.check(self.columns)
        out = len(table.names) - len(self.columns)
        return Did(
            table.keeping(self.columns),
            f"{count(len(self.columns), 'variable')} kept, {out:,} left out.",
        )


@dataclass(frozen=True)
class DropVariables(Step):
    """Leave some variables out.

    Parameters
    ----------
    columns : tuple of str or int
    absent : {"error", "skip"}
        What to do with one that isn't there. Once the step was applied it is "skip": another
        file without the variable needs nothing left out.

    Raises
    ------
    OptionError
        If a field is out of range.
    """

    kind: ClassVar[str] = "drop"
    looks: ClassVar[bool] = False
    title: ClassVar[str] = "leave variables out"
    columns: tuple[Name, ...]
    absent: str = "error"

    def __post_init__(self) -> None:
        """Check the fields."""
        put(
            self,
            columns=fields.names(self.columns, "columns"),
            absent=fields.choice(self.absent, "absent", ("error", "skip")),
        )

    @property
    def sentence(self) -> str:
        """What it does."""
        return f"Leave out {those(self.columns, '')}."

    def fit(self, table: Table) -> DropVariables:
        """Make sure that they are there; a later table may lack them."""
        if self.absent == "error":
            table.check(self.columns)
        return replace(self, absent="skip")

    def apply(self, table: Table) -> Did:
        """The table without these columns."""
        out = {name for name in self.columns if name in table.columns}
        left = [name for name in table.names if name not in out]
        if not left:
            raise DataError("no variable would be left; keep at least one.")
        said = f"{count(len(out), 'variable')} left out, {len(left):,} remain."
        strange = len(self.columns) - len(out)
        if strange:
            said += f" {count(strange, 'variable')} of the step {_were(strange)} not there."
        return Did(table.keeping(left), said)


@dataclass(frozen=True)
class RenameVariables(Step):
    """Give variables other names.

    Parameters
    ----------
    names : tuple of pairs
        The old name and the new one.

    Raises
    ------
    OptionError
        If a name is empty, or an old one comes twice.
    """

    kind: ClassVar[str] = "rename"
    looks: ClassVar[bool] = False
    title: ClassVar[str] = "rename variables"
    names: tuple[tuple[Name, Name], ...]

    def __post_init__(self) -> None:
        """Check the fields."""
        pairs = fields.pairs(self.names, "names")
        fields.names([old for old, _ in pairs], "names")
        put(self, names=tuple((old, fields.name(new, "names")) for old, new in pairs))

    @property
    def sentence(self) -> str:
        """What it does."""
        old, new = ([pair[k] for pair in self.names] for k in (0, 1))
        return f"Rename {those(tuple(old), '')} to {those(tuple(new), '')}."

    def apply(self, table: Table) -> Did:
        """The table with the new names in the places of the old."""
        table.check(old for old, _ in self.names)
        new = dict(self.names)
        names = tuple(new.get(name, name) for name in table.names)
        check_names(names)
        columns = dict(zip(names, table.columns.values(), strict=True))
        return Did(Table(table.rows, columns), f"{count(len(new), 'variable')} renamed.")


def _were(number: int) -> str:
    """The verb."""
    return "was" if number == 1 else "were"
