"""What every step of a preparation is: a frozen record that applies itself to a table.

The type of a field says how it is checked: `Annotated[kind, validator]`, where the validator takes
a value from outside and the field's name, with which the sentence of its error begins. Checking,
writing and reading a record follow from its fields.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields, replace
from functools import cache
from typing import Annotated, Any, ClassVar, NamedTuple, Self, get_args, get_type_hints

from bjp_engine.columns import Table
from bjp_engine.errors import OptionError, clip, plural
from bjp_engine.validate import Name, choice, column_name, column_names, entries, whole_number

Validator = Callable[[object, str], Any]


def optional(validator: Validator) -> Validator:
    """None, or what another validator takes."""
    return lambda value, name: None if value is None else validator(value, name)


def one_of(*known: str) -> Validator:
    """One of some words."""
    return lambda value, name: choice(value, name, known)


def whole(least: int, most: int) -> Validator:
    """A whole number within bounds."""
    return lambda value, name: whole_number(value, name, least, most)


def pairs_of(value: object, name: str) -> list[tuple[Any, Any]]:
    """A list of two things each."""
    pairs = []
    for entry in entries(value, name):
        parts = entries(entry, name)
        if len(parts) != 2:
            raise OptionError(f"{name} holds {clip(entry)}; give pairs.")
        pairs.append((parts[0], parts[1]))
    return pairs


Column_ = Annotated[Name, column_name]
Columns = Annotated[tuple[Name, ...], column_names]
SomeColumns = Annotated[tuple[Name, ...] | None, optional(column_names)]


@cache
def _validators(kind: type[Any]) -> dict[str, Validator]:
    hints = get_type_hints(kind, include_extras=True)
    return {field.name: get_args(hints[field.name])[1] for field in fields(kind)}


@dataclass(frozen=True)
class CheckedRecord:
    """A frozen record whose fields are checked by their types."""

    def __post_init__(self) -> None:
        kind: Any = type(self)
        for name, check in _validators(kind).items():
            object.__setattr__(self, name, check(getattr(self, name), name))

    def to_dict(self) -> dict[str, Any]:
        """The record as plain lists, texts and numbers."""
        return {field.name: _plain(getattr(self, field.name)) for field in fields(self)}

    @classmethod
    def from_dict(cls, content: object) -> Self:
        """A record of what `to_dict` gave, every value checked."""
        if not isinstance(content, dict):
            raise OptionError(f"{clip(content)} is not an object with fields.")
        known = {field.name: field for field in fields(cls)}
        for name in content:
            if name not in known:
                raise OptionError(f"there is no field {clip(name)}, only {', '.join(known)}.")
        absent = [
            name
            for name, field in known.items()
            if field.default is MISSING and name not in content
        ]
        if absent:
            raise OptionError(f"{', '.join(absent)} must be given.")
        return cls(**content)


class StepResult(NamedTuple):
    """What a step did to a table: the table after it, a sentence, and the number of cells changed.

    Cells of rows and columns left out don't count.
    """

    table: Table
    sentence: str
    cells: int = 0


@dataclass(frozen=True)
class Step(CheckedRecord, ABC):
    """One step of a preparation.

    Attributes
    ----------
    kind, title : str
        What it is called in a file, and in a sentence.
    """

    kind: ClassVar[str]
    title: ClassVar[str]

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

    @abstractmethod
    def apply(self, table: Table) -> StepResult:
        """The table after the step; a column that isn't there is an error."""

    def on_columns(self, columns: tuple[Name, ...]) -> Self:
        """The same step on some of its columns, which it names in `columns`."""
        return replace(self, **{"columns": columns})  # noqa: PIE804

    def to_dict(self) -> dict[str, Any]:
        """The step as plain lists, texts and numbers: "step", its kind, and every field."""
        return {"step": self.kind, **super().to_dict()}


def _plain(value: object) -> Any:
    if isinstance(value, CheckedRecord):
        return value.to_dict()
    return [_plain(entry) for entry in value] if isinstance(value, tuple) else value
