"""What every step of a preparation is: a frozen record that applies itself to a table.

The type of a field says how it is checked: `Annotated[kind, validator]`, where the validator takes
a value from outside and the field's name, with which the sentence of its error begins.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import asdict, dataclass, fields, replace
from functools import cache
from typing import Annotated, Any, ClassVar, NamedTuple, Self, get_args, get_type_hints

from bjp_engine.arrays import Bools
from bjp_engine.columns import Column, Table
from bjp_engine.errors import OptionError, clip, plural
from bjp_engine.validate import (
    Name,
    column_name,
    column_names,
    entries,
    texts,
    whole_number,
)

Validator = Callable[[object, str], Any]


def optional(validator: Validator) -> Validator:
    """None, or what another validator takes."""
    return lambda value, name: None if value is None else validator(value, name)


def some_text(value: object, name: str) -> str:
    """A text, which may be a space."""
    if not isinstance(value, str) or not value:
        raise OptionError(f"{name}={clip(value)} must be a text.")
    return value


def some_texts(value: object, name: str) -> tuple[str, ...]:
    """Distinct texts, one at least."""
    if not (found := texts(value, name)):
        raise OptionError(f"{name} is empty; name at least one state.")
    return found


def row_numbers(value: object, name: str) -> tuple[int, ...]:
    """Numbers of rows from 1, one at least."""
    if not (rows := tuple(whole_number(row, name, 1) for row in entries(value, name))):
        raise OptionError(f"{name} is empty; name at least one row.")
    return rows


def pairs_of(value: object, name: str) -> list[tuple[Any, Any]]:
    """A list of two things each, not empty."""
    pairs = [entries(entry, name) for entry in entries(value, name)]
    if not pairs or any(len(pair) != 2 for pair in pairs):
        raise OptionError(f"{name}={clip(value)} must be a list of pairs.")
    return [(one, two) for one, two in pairs]


ColumnName = Annotated[Name, column_name]
Columns = Annotated[tuple[Name, ...], column_names]
SomeStates = Annotated[tuple[str, ...], some_texts]


@cache
def _validators(kind: type[Any]) -> dict[str, Validator]:
    hints = get_type_hints(kind, include_extras=True)
    return {field.name: get_args(hints[field.name])[1] for field in fields(kind)}


# A column or a step, and a value or a role.
Target = tuple[object, object]


class StepResult(NamedTuple):
    """What a step did to a table: the table after it, and a sentence."""

    table: Table
    sentence: str


@dataclass(frozen=True)
class Step(ABC):
    """One step of a preparation; `kind` is what it is called in a file."""

    kind: ClassVar[str]

    def __post_init__(self) -> None:
        for name, check in _validators(type(self)).items():
            object.__setattr__(self, name, check(getattr(self, name), name))

    @property
    def sentence(self) -> str:
        """What it does, before it is applied to anything."""
        return self._said()[0]

    @property
    def done(self) -> str:
        """What was done, in the past tense of a paper."""
        return self._said()[1]

    @abstractmethod
    def _said(self) -> tuple[str, str]:
        """What it does, and what was done."""

    def for_paper(self, before: int, after: int) -> str:
        """What was done, and how many rows that removed, given the rows before and after it."""
        if before == after:
            return self.done
        return f"{self.done[:-1]} ({before - after:,} of {plural(before, 'row')} removed)."

    def apply(self, table: Table) -> StepResult:
        """The table after the step; a column that isn't there is an error."""
        return StepResult(*self._applied(table))

    @abstractmethod
    def _applied(self, table: Table) -> tuple[Table, str]:
        """The table after the step, and what it did."""

    @property
    def leaves_out(self) -> tuple[Name, ...]:
        """The columns that it leaves out."""
        return ()

    @property
    def targets(self) -> set[Target]:
        """What it decides: something of each column, or of each of the values that it names."""
        columns = columns_of(self)
        return {(self, None)} if columns is None else {(name, None) for name in columns}

    def without(self, gone: set[Target]) -> Step | None:
        """The step without some targets; None where none is left."""
        if not self.targets & gone:
            return self
        names = {name for name, _ in gone}
        left = tuple(name for name in columns_of(self) or () if name not in names)
        return self.on_columns(left) if left else None

    def on_columns(self, columns: tuple[Name, ...]) -> Self:
        """The same step on some of its columns, which it names in `columns`."""
        return replace(self, **{"columns": columns})  # noqa: PIE804

    def to_dict(self) -> dict[str, Any]:
        """The step as plain values: "step", its kind, and every field."""
        return {"step": self.kind, **asdict(self)}


def columns_of(step: Step) -> tuple[Name, ...] | None:
    """The columns that a step is about; None where it is about all, or about rows."""
    found: tuple[Name, ...] | None = getattr(step, "columns", None)
    return found


class ColumnStep(Step):
    """A step that changes each of its columns by its values alone."""

    # With places for the number of cells, and of variables in which some changed.
    did: ClassVar[str]

    def _applied(self, table: Table) -> tuple[Table, str]:
        made: dict[Name, Column] = {}
        cells = []
        for name in columns_of(self) or ():
            column = table.column(name)
            made[name], changed = self._changed(column, name)
            cells.append(int(column.counts[changed].sum()))
        variables = plural(sum(map(bool, cells)), "variable")
        return table.having(made), self.did.format(plural(sum(cells), "cell"), variables)

    @abstractmethod
    def _changed(self, column: Column, name: Name, /) -> tuple[Column, Bools]:
        """A column after the step, and which of its values that changed."""
