"""What every step of a preparation is: a frozen record that fits itself and applies itself."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, fields, is_dataclass, replace
from typing import Any, ClassVar, NamedTuple, Self

from bjp_engine.columns import Table
from bjp_engine.dataset import Name
from bjp_engine.errors import OptionError, clip


class Did(NamedTuple):
    """What a step did to a table.

    Parameters
    ----------
    table : Table
        As it is now.
    sentence : str
        What was done, in figures.
    cells : int
        How many cells were changed; those of rows and columns left out don't count.
    """

    table: Table
    sentence: str
    cells: int = 0


@dataclass(frozen=True)
class Step:
    """One step of a preparation.

    Parameters
    ----------
    kind, title : str
        What it is called in a file, and in a sentence.
    looks : bool
        Whether it looks at cells, not only at names and rows.
    """

    kind: ClassVar[str]
    title: ClassVar[str]
    looks: ClassVar[bool] = True

    @property
    def sentence(self) -> str:
        """What it does, before it is applied to anything."""
        raise NotImplementedError

    def fit(self, table: Table) -> Self:  # noqa: ARG002
        """The step with what it takes from a table, unless it has that already.

        Parameters
        ----------
        table : Table

        Returns
        -------
        Step

        Raises
        ------
        DataError
            If it can't be applied to this table.
        """
        return self

    def apply(self, table: Table) -> Did:
        """The table after the step.

        Parameters
        ----------
        table : Table

        Returns
        -------
        Did

        Raises
        ------
        DataError
            If it can't be applied to this table.
        """
        raise NotImplementedError

    def unfitted(self) -> Self:
        """The step as it was asked for, without what it found in a table.

        Returns
        -------
        Step
        """
        if "fitted" not in (field.name for field in fields(self)):
            return self
        return replace(self, **{"fitted": None})  # noqa: PIE804 - not every step has the field

    def to_dict(self) -> dict[str, Any]:
        """The step as plain lists, texts and numbers.

        Returns
        -------
        dict
            "step", the kind, and every field.
        """
        return {"step": self.kind, **_plain(self)}

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Self:
        """A step of what `to_dict` gave.

        Parameters
        ----------
        content : dict
            Without its "step".

        Returns
        -------
        Step

        Raises
        ------
        OptionError
            If a field isn't known, missing or out of range; the sentence begins with the field.
        """
        return _made(cls, content)


def put(step: Step, **values: Any) -> None:
    """Put checked values into the fields of a frozen record."""
    for field, value in values.items():
        object.__setattr__(step, field, value)


def count(number: int, thing: str) -> str:
    """A number with its noun."""
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def those(columns: tuple[Name, ...] | None, every: str) -> str:
    """Columns in the sentence of a step."""
    if columns is None:
        return every
    listed = ", ".join(clip(name, 30) for name in columns[:4])
    return f"{listed} and {len(columns) - 4} more" if len(columns) > 4 else listed


def _plain(value: object) -> Any:
    """A value as JSON has it."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple):
        return [_plain(entry) for entry in value]
    return value


def _made(cls: type[Any], content: object) -> Any:
    """A record of a plain dict; its constructor checks the values."""
    if not isinstance(content, dict):
        raise OptionError(f"{clip(content)} is no {cls.__name__}; give an object with its fields.")
    known = {field.name: field for field in fields(cls)}
    for name in content:
        if name not in known:
            raise OptionError(f"{clip(name)} is no field of it; it has {', '.join(known)}.")
    values = {}
    for name, value in content.items():
        inner = known[name].metadata.get("of")
        if inner is not None and isinstance(value, list):
            values[name] = tuple(_inner(inner, entry, name) for entry in value)
        else:
            values[name] = value
    needed = [name for name, one in known.items() if one.default is MISSING]
    absent = [name for name in needed if name not in content]
    if absent:
        raise OptionError(f"{', '.join(absent)} must be given.")
    return cls(**values)


def _inner(cls: type[Any], entry: object, field: str) -> Any:
    """A fitted value within a step."""
    try:
        return _made(cls, entry)
    except OptionError as reason:
        raise OptionError(f"{field}: {reason}") from None
