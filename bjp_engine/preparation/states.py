"""The states of a variable: rare ones merged, and the order they stand in."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import ClassVar

import numpy as np

from bjp_engine.columns import Column, Table
from bjp_engine.dataset import Name
from bjp_engine.errors import OptionError, clip
from bjp_engine.labels import natural_key
from bjp_engine.preparation import fields
from bjp_engine.preparation.base import Did, Step, count, put, those


@dataclass(frozen=True)
class Kept:
    """The states of a column that were frequent enough.

    Parameters
    ----------
    column : str or int
    states : tuple of str
        In their order; all others are merged.

    Raises
    ------
    OptionError
        If a field is out of range.
    """

    column: Name
    states: tuple[str, ...]

    def __post_init__(self) -> None:
        """Check the fields."""
        fields.name(self.column, "column")
        object.__setattr__(self, "states", fields.texts(self.states, "states"))


@dataclass(frozen=True)
class MergeRare(Step):
    """Merge the states that few rows hold into one.

    Parameters
    ----------
    columns : tuple of str or int, optional
        By default every column but those of numbers.
    below : int, optional
        A state that fewer rows hold is rare.
    share : float, optional
        A state that a smaller share of the rows holds is rare. At least one of the two.
    into : str
        The state they become: a new one, or one of the variable's own.
    fitted : tuple of Kept, optional
        What was kept of each variable in which something was merged.

    Raises
    ------
    OptionError
        If a field is out of range.

    Notes
    -----
    A single rare state is left as it is unless `into` is one of the variable's own, for under
    another name it would be as rare; and so is a variable of which every state is rare, for one
    state would be all that is left. In another file, states of such a variable that were not
    among those kept are merged as well, whatever their number. Missing cells stay as they are.
    """

    kind: ClassVar[str] = "merge_rare"
    title: ClassVar[str] = "merge rare states"
    columns: tuple[Name, ...] | None = None
    below: int | None = None
    share: float | None = None
    into: str = "other"
    fitted: tuple[Kept, ...] | None = field(default=None, metadata={"of": Kept})

    def __post_init__(self) -> None:
        """Check the fields."""
        if self.below is None and self.share is None:
            raise OptionError("below or share must be given; below=8 merges states of 1 to 7 rows.")
        put(
            self,
            columns=fields.names(self.columns, "columns", every=True),
            into=fields.text(self.into, "into"),
            fitted=fields.records(self.fitted, "fitted", Kept),
        )
        if self.below is not None:
            put(self, below=fields.whole(self.below, "below", 2, 2**62))
        if self.share is not None:
            put(self, share=fields.share(self.share, "share"))

    @property
    def sentence(self) -> str:
        """What it does."""
        bounds = [] if self.below is None else [f"{count(self.below, 'row')}"]
        bounds += [] if self.share is None else [f"{100 * self.share:.3g} % of the rows"]
        where = those(self.columns, "every variable but numbers")
        return (
            f"Merge the states with fewer than {' or '.join(bounds)} in {where} into "
            f"{clip(self.into, 30)}."
        )

    def fit(self, table: Table) -> MergeRare:
        """Find what is frequent enough."""
        table.check(self.columns or ())
        if self.fitted is not None:
            return self
        least = max(self.below or 0, math.ceil((self.share or 0) * table.rows))
        found = []
        for name in self.columns or [n for n in table.names if not table.column(n).numeric]:
            column = table.column(name)
            rare = [
                label
                for label, rows in zip(column.labels, column.counts.tolist(), strict=True)
                if 0 < rows < least and label != self.into
            ]
            frequent = _frequent(column, least)
            if frequent and len(rare) > (0 if self.into in column.labels else 1):
                found.append(Kept(name, frequent))
        return replace(self, fitted=tuple(found))

    def apply(self, table: Table) -> Did:
        """The table with rare states merged."""
        table.check(self.columns or ())
        made: dict[Name, Column] = {}
        cells = merged = 0
        for kept in self.fitted or ():
            table.check([kept.column])
            column = table.column(kept.column)
            known = {label: k for k, label in enumerate(kept.states)}
            other = known.get(self.into, len(known))
            places = np.array([known.get(label, other) for label in column.labels], dtype=np.intp)
            gone = np.array([label not in known for label in column.labels], dtype=np.bool_)
            gone &= np.array([label != self.into for label in column.labels], dtype=np.bool_)
            cells += int(column.counts[gone].sum())
            merged += int((gone & (column.counts > 0)).sum())
            states = [*kept.states, *([self.into] if other == len(known) else [])]
            made[kept.column] = replace(column.recoded(places, states), ordered=True)
        return Did(
            table.having(made),
            f"{count(merged, 'state')} of {count(len(made), 'variable')} merged into "
            f"{clip(self.into, 30)}, {count(cells, 'cell')}.",
            cells,
        )


@dataclass(frozen=True)
class OrderStates(Step):
    """Give a variable's states an order; states that no row holds are declared by it.

    Parameters
    ----------
    column : str or int
    states : tuple of str
        The texts of the states. Those not named follow in the order they have.

    Raises
    ------
    OptionError
        If a field is out of range.
    """

    kind: ClassVar[str] = "order"
    title: ClassVar[str] = "order of states"
    column: Name
    states: tuple[str, ...]

    def __post_init__(self) -> None:
        """Check the fields."""
        fields.name(self.column, "column")
        put(self, states=fields.texts(self.states, "states"))
        if not self.states:
            raise OptionError("states is empty; name at least one state.")

    @property
    def sentence(self) -> str:
        """What it does."""
        return f"The states of {clip(self.column, 30)} stand as {those(self.states, '')}."

    def apply(self, table: Table) -> Did:
        """The table with the states in this order."""
        table.check([self.column])
        column = table.column(self.column)
        rest = [label for label in seen_labels(column) if label not in self.states]
        states = [*self.states, *rest]
        known = {label: k for k, label in enumerate(states)}
        places = np.array([known.get(label, -1) for label in column.labels], dtype=np.intp)
        made = replace(column.recoded(places, states), ordered=True, declared=True)
        said = f"{count(len(self.states), 'state')} in the order given"
        if rest:
            said += f", followed by {count(len(rest), 'other')}"
        return Did(table.having({self.column: made}), f"{said}.")


def seen_labels(column: Column) -> list[str]:
    """The texts of a column's states, in their order."""
    counts = column.counts
    seen = [
        label
        for label, rows in zip(column.labels, counts.tolist(), strict=True)
        if rows or column.declared
    ]
    return seen if column.ordered else sorted(seen, key=natural_key)


def _frequent(column: Column, least: int) -> tuple[str, ...]:
    """The states that enough rows hold, in their order."""
    enough = {
        label
        for label, rows in zip(column.labels, column.counts.tolist(), strict=True)
        if rows >= least
    }
    return tuple(label for label in seen_labels(column) if label in enough)
