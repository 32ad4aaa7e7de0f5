"""What a column is to the network: an ordered answer, one of several choices, or a group."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from bjp_engine.columns import Column, Table, as_values
from bjp_engine.errors import IN_A_PAPER, DataError, OptionError, clip, columns_were, listed, plural
from bjp_engine.labels import place_numbers
from bjp_engine.preparation.states import Texts, any_text, seen_labels
from bjp_engine.preparation.steps import (
    CheckedRecord,
    Column_,
    Columns,
    SomeColumns,
    Step,
    StepResult,
    list_of,
    one_of,
    optional,
)
from bjp_engine.validate import texts


@dataclass(frozen=True)
class OrderedAnswers(Step):
    """Declare that the order of the states means something, as from "never" to "always".

    Parameters
    ----------
    columns : tuple of str or int
    states : tuple of str, optional
        The states of all these columns, from one end to the other; those that no row holds are
        declared. By default each column's states in the order they have.
    fitted : tuple of str or int, optional
        The columns, once `states` named every state of them. Another table may hold others: they
        come last, or by size among numbers, and the preparation says what becomes of them.
    """

    kind: ClassVar[str] = "ordered"
    title: ClassVar[str] = "ordered answers"
    columns: Columns
    states: Annotated[Texts | None, optional(texts)] = None
    fitted: SomeColumns = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.states is not None and len(self.states) < 2:
            raise OptionError("states must name two states or more, in their order.")

    def _said(self) -> tuple[str, str]:
        order = "" if self.states is None else f": {listed(self.states, 12)}"
        return (
            f"Take the states of {listed(self.columns)} as ordered{order}.",
            f"The states of {listed(self.columns, IN_A_PAPER)} were declared as ordered{order}.",
        )

    def fit(self, table: Table) -> OrderedAnswers:
        """Make sure that every state is named; a later table may hold others."""
        table.check(self.columns)
        if self.states is None or self.fitted is not None:
            return self
        for name in self.columns:
            strange = self._strange(table.column(name))
            if strange:
                raise DataError(
                    f"column {clip(name)} holds {listed(strange)}, which the order doesn't name; "
                    "name every state, or treat it as missing first."
                )
        return replace(self, fitted=self.columns)

    def apply(self, table: Table) -> StepResult:
        """The table with ordered variables."""
        made = {name: self._ordered(table.column(name)) for name in self.columns}
        said = f"{plural(len(made), 'variable')} declared as ordered."
        return StepResult(table.having(made), said)

    def _strange(self, column: Column) -> list[str]:
        """The states of a column that the order doesn't name."""
        return [label for label in seen_labels(column) if label not in (self.states or ())]

    def _ordered(self, column: Column) -> Column:
        if self.states is None:
            return replace(column, ordinal=True)
        strange = self._strange(column)
        between = place_numbers(self.states, strange)
        states = between or (*self.states, *strange)
        known = {label: k for k, label in enumerate(states)}
        places = np.array([known.get(label, -1) for label in column.labels], dtype=np.intp)
        ordinal = not strange or between is not None
        made = column.recoded(places, states)
        return replace(made, ordered=True, declared=True, ordinal=ordinal)


@dataclass(frozen=True)
class UnorderedAnswers(Step):
    """Declare that the order of the states means nothing, also where the file says that it does.

    Parameters
    ----------
    columns : tuple of str or int
    """

    kind: ClassVar[str] = "unordered"
    title: ClassVar[str] = "unordered answers"
    columns: Columns

    def _said(self) -> tuple[str, str]:
        return (
            f"Take the states of {listed(self.columns)} as not ordered.",
            f"The states of {listed(self.columns, IN_A_PAPER)} were declared as not ordered.",
        )

    def apply(self, table: Table) -> StepResult:
        """The table with variables that are not ordered."""
        made = {name: replace(table.column(name), ordinal=False) for name in self.columns}
        said = f"{plural(len(made), 'variable')} declared as not ordered."
        return StepResult(table.having(made), said)


@dataclass(frozen=True)
class Tick(CheckedRecord):
    """The value that a choice holds where it was ticked; None where nobody did."""

    column: Column_
    value: Annotated[str | None, optional(any_text)] = None


@dataclass(frozen=True)
class MultipleChoice(Step):
    """Make yes/no variables of the columns of a question with several choices.

    Parameters
    ----------
    columns : tuple of str or int
        Each holds one value where the choice was ticked, and is empty elsewhere.
    skipped : {"no", "missing"}
        What a row is that ticked none of them: "no" to each, or a row that skipped the question.
    fitted : tuple of Tick, optional
        The value of each choice, which is "yes". Of several values in another table, all but this
        one become states of their own.
    """

    kind: ClassVar[str] = "multiple_choice"
    title: ClassVar[str] = "choices of one question"
    columns: Columns
    skipped: Annotated[str, one_of("no", "missing")] = "no"
    fitted: Annotated[tuple[Tick, ...] | None, optional(list_of(Tick))] = None

    def _said(self) -> tuple[str, str]:
        none = "no to each" if self.skipped == "no" else "missing in each"
        does, done = (
            f"Make {listed(self.columns)} yes or no",
            f"The choices {listed(self.columns, IN_A_PAPER)} were coded as yes or no",
        )
        return (
            f"{does}: an empty cell is no, and a row without any of them is {none}.",
            f"{done}: an empty cell counted as no, and a row without any of them as {none}.",
        )

    def _find(self, table: Table) -> Iterator[Tick]:
        for name in self.columns:
            seen = seen_labels(table.column(name))
            if len(seen) > 1:
                raise DataError(
                    f"column {clip(name)} holds {len(seen):,} different values; a choice holds one "
                    "value where it was ticked, and is empty elsewhere."
                )
            yield Tick(name, *seen)

    def apply(self, table: Table) -> StepResult:
        """The table with yes/no variables."""
        columns = {one.column: table.column(one.column) for one in self.fitted or ()}
        some = np.logical_or.reduce([column.codes >= 0 for column in columns.values()])
        made = {}
        for one in self.fitted or ():
            column = columns[one.column]
            seen = seen_labels(column)
            others = [label for label in seen if label != one.value] if len(seen) > 1 else []
            states = list(dict.fromkeys(("no", "yes", *others)))
            known = {label: states.index(label) for label in others}
            places = np.array([*(known.get(label, 1) for label in column.labels), 0])
            codes = places[column.codes]
            if self.skipped == "missing":
                codes[~some] = -1
            values = as_values(states)
            made[one.column] = Column(
                values, codes, ordered=True, declared=True, title=column.title
            )
        none = table.rows - int(np.count_nonzero(some))
        said = f"{plural(len(made), 'variable')} made yes or no. {plural(none, 'row')} without any."
        return StepResult(table.having(made), said, table.rows * len(made))


@dataclass(frozen=True)
class SetGroups(Step):
    """Keep columns as groups of rows: they are no variables of the network.

    Parameters
    ----------
    columns : tuple of str or int

    Notes
    -----
    Later steps see them as they see variables: rows with a missing cell are dropped, spellings are
    unified. A cell that is still missing at the end is in the group "(missing)".
    """

    kind: ClassVar[str] = "groups"
    title: ClassVar[str] = "groups of rows"
    columns: Columns

    def _said(self) -> tuple[str, str]:
        return (
            f"Keep {listed(self.columns)} as groups, not as variables.",
            f"{columns_were(self.columns)} kept as groups of rows, not as variables.",
        )

    def apply(self, table: Table) -> StepResult:
        """The table with groups."""
        made = {name: replace(table.column(name), group=True) for name in self.columns}
        changed = table.having(made)
        left = sum(not column.group for column in changed.columns.values())
        if not left:
            raise DataError("no variable would be left; keep at least one.")
        said = f"{plural(len(made), 'column')} kept as groups, {plural(left, 'variable')} left."
        return StepResult(changed, said)
