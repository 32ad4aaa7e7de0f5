"""What a column is to the network: an ordered answer, one of several choices, or a group."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated, ClassVar

import numpy as np

from bjp_engine.arrays import Bools
from bjp_engine.columns import Column, Table, as_values
from bjp_engine.errors import DataError, OptionError, clip, columns_were, listed, plural
from bjp_engine.preparation.states import Texts, seen_labels
from bjp_engine.preparation.steps import Columns, Step, StepResult, one_of, optional
from bjp_engine.validate import Name, texts


@dataclass(frozen=True)
class OrderedAnswers(Step):
    """Declare that the order of the states means something, as from "never" to "always".

    Parameters
    ----------
    columns : tuple of str or int
    states : tuple of str, optional
        The states of all these columns, from one end to the other; those that no row holds are
        declared. By default each column's states in the order they have.
    """

    kind: ClassVar[str] = "ordered"
    title: ClassVar[str] = "ordered answers"
    columns: Columns
    states: Annotated[Texts | None, optional(texts)] = None

    def __post_init__(self) -> None:
        """Check the fields."""
        super().__post_init__()
        if self.states is not None and len(self.states) < 2:
            raise OptionError("states must name two states or more, in their order.")

    @property
    def sentence(self) -> str:
        """What it does."""
        order = "" if self.states is None else f": {listed(self.states, 12)}"
        return f"Take the states of {listed(self.columns)} as ordered{order}."

    @property
    def done(self) -> str:
        """What was done."""
        order = "" if self.states is None else f": {listed(self.states, 12)}"
        return f"The states of {listed(self.columns)} were declared as ordered{order}."

    def apply(self, table: Table) -> StepResult:
        """The table with ordered variables."""
        made = {name: self._ordered(table.column(name), name) for name in self.columns}
        said = f"{plural(len(made), 'variable')} declared as ordered."
        return StepResult(table.having(made), said)

    def _ordered(self, column: Column, name: Name) -> Column:
        """One column with ordered states."""
        if self.states is None:
            return replace(column, ordinal=True)
        strange = [label for label in seen_labels(column) if label not in self.states]
        if strange:
            raise DataError(
                f"column {clip(name)} holds {listed(strange)}, which the order doesn't name; name "
                "every state, or treat it as missing first."
            )
        known = {label: k for k, label in enumerate(self.states)}
        places = np.array([known.get(label, -1) for label in column.labels], dtype=np.intp)
        made = column.recoded(places, self.states)
        return replace(made, ordered=True, declared=True, ordinal=True)


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

    @property
    def sentence(self) -> str:
        """What it does."""
        return f"Take the states of {listed(self.columns)} as not ordered."

    @property
    def done(self) -> str:
        """What was done."""
        return f"The states of {listed(self.columns)} were declared as not ordered."

    def apply(self, table: Table) -> StepResult:
        """The table with variables that are not ordered."""
        made = {name: replace(table.column(name), ordinal=False) for name in self.columns}
        said = f"{plural(len(made), 'variable')} declared as not ordered."
        return StepResult(table.having(made), said)


@dataclass(frozen=True)
class MultipleChoice(Step):
    """Make yes/no variables of the columns of a question with several choices.

    Parameters
    ----------
    columns : tuple of str or int
        Each holds one value where the choice was ticked, and is empty elsewhere.
    skipped : {"no", "missing"}
        What a row is that ticked none of them: "no" to each, or a row that skipped the question.
    """

    kind: ClassVar[str] = "multiple_choice"
    title: ClassVar[str] = "choices of one question"
    columns: Columns
    skipped: Annotated[str, one_of("no", "missing")] = "no"

    @property
    def sentence(self) -> str:
        """What it does."""
        none = "is no to each" if self.skipped == "no" else "is missing in each"
        return (
            f"Make {listed(self.columns)} yes or no: an empty cell is no, and a row without any "
            f"of them {none}."
        )

    @property
    def done(self) -> str:
        """What was done."""
        none = "as no to each" if self.skipped == "no" else "as missing in each"
        return (
            f"The choices {listed(self.columns)} were coded as yes or no: an empty cell counted "
            f"as no, and a row without any of them {none}."
        )

    def apply(self, table: Table) -> StepResult:
        """The table with yes/no variables."""
        ticked = {name: _ticks(table.column(name), name) for name in self.columns}
        some = np.logical_or.reduce(list(ticked.values()))
        made = {}
        for name, ticks in ticked.items():
            codes = ticks.astype(np.int8)
            if self.skipped == "missing":
                codes[~some] = -1
            title = table.column(name).title
            values = as_values(("no", "yes"))
            made[name] = Column(values, codes, ordered=True, declared=True, title=title)
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

    @property
    def sentence(self) -> str:
        """What it does."""
        return f"Keep {listed(self.columns)} as groups, not as variables."

    @property
    def done(self) -> str:
        """What was done."""
        return f"{columns_were(self.columns)} kept as groups of rows, not as variables."

    def apply(self, table: Table) -> StepResult:
        """The table with groups."""
        made = {name: replace(table.column(name), group=True) for name in self.columns}
        changed = table.having(made)
        left = sum(not column.group for column in changed.columns.values())
        if not left:
            raise DataError("no variable would be left; keep at least one.")
        said = f"{plural(len(made), 'column')} kept as groups, {plural(left, 'variable')} left."
        return StepResult(changed, said)


def _ticks(column: Column, name: Name) -> Bools:
    """In which rows a choice was ticked."""
    seen = int(np.count_nonzero(column.counts))
    if seen > 1:
        raise DataError(
            f"column {clip(name)} holds {seen:,} different values; a choice holds one value where "
            "it was ticked, and is empty elsewhere."
        )
    return column.codes >= 0
