"""Values under another meaning: codes of missing cells, renamed states, reversed answers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Bools, Floats, Places
from bjp_engine.columns import Column, Table
from bjp_engine.errors import IN_A_PAPER, DataError, OptionError, clip, listed, plural
from bjp_engine.labels import label_of, natural_order
from bjp_engine.preparation.states import Texts
from bjp_engine.preparation.steps import (
    CheckedRecord,
    Column_,
    Columns,
    Step,
    StepResult,
    list_of,
    optional,
    pairs_of,
)
from bjp_engine.validate import Name, column_names, entries, number, text, texts

# Texts that a column of numbers was read as where a word stood among them.
_NUMBER = re.compile(r"[-+]?\d{1,15}(?:[.,]\d{1,15})?")
# A comma before three digits may stand between thousands.
_THOUSANDS = re.compile(r"[-+]?\d+,\d{3}")


def _codes(value: object, name: str) -> tuple[tuple[Name, tuple[str, ...]], ...]:
    """Columns, each once, with the texts that stand for missing cells there."""
    pairs = pairs_of(value, name)
    column_names([column for column, _ in pairs], name)
    found = tuple((column, texts(codes, name)) for column, codes in pairs)
    for column, codes in found:
        if not codes:
            raise OptionError(f"{name} has no text for {clip(column)}; name at least one.")
    return found


def _changes(value: object, name: str) -> tuple[tuple[str, str], ...]:
    """Old texts, each once, and what they become."""
    pairs = pairs_of(value, name)
    if not pairs:
        raise OptionError(f"{name} is empty; give at least one pair of texts.")
    texts([old for old, _ in pairs], name)
    return tuple((old, text(new, name)) for old, new in pairs)


def _ends(value: object, name: str) -> tuple[float, float]:
    """The lowest and the highest number."""
    ends = tuple(number(end, name) for end in entries(value, name))
    if len(ends) != 2 or not -math.inf < ends[0] < ends[1] < math.inf:
        raise OptionError(f"{name}={clip(value)} must be two numbers, the lower one first.")
    return ends


@dataclass(frozen=True)
class MissingCodes(Step):
    """Cells with these values are missing.

    Parameters
    ----------
    codes : tuple of pairs
        A column, and the texts of the values that stand for a missing cell there.

    Notes
    -----
    A 9 may be "no answer" in one column and a class of incomes in the next, so codes belong to a
    column. Where all other texts of a column are numbers, these are then read as numbers.
    """

    kind: ClassVar[str] = "missing_codes"
    title: ClassVar[str] = "codes of missing cells"
    codes: Annotated[tuple[tuple[Name, tuple[str, ...]], ...], _codes]

    @property
    def columns(self) -> tuple[Name, ...]:
        """The columns that it is about."""
        return tuple(column for column, _ in self.codes)

    def _said(self) -> tuple[str, str]:
        columns: dict[tuple[str, ...], list[Name]] = {}
        for column, codes in self.codes:
            columns.setdefault(codes, []).append(column)
        gone = "; ".join(f"{listed(codes)} in {listed(names)}" for codes, names in columns.items())
        return f"Treat {gone} as missing.", f"Cells with {gone} were treated as missing."

    def on_columns(self, columns: tuple[Name, ...]) -> MissingCodes:
        """The codes of some columns."""
        return MissingCodes(tuple(pair for pair in self.codes if pair[0] in columns))

    def apply(self, table: Table) -> StepResult:
        """The table with these cells missing."""
        made: dict[Name, Column] = {}
        cells = 0
        for name, codes in self.codes:
            column = table.column(name)
            gone = np.array([label in codes for label in column.labels], dtype=np.bool_)
            cells += int(column.counts[gone].sum())
            made[name] = _without(column, gone)
        said = f"{plural(cells, 'cell')} in {plural(len(made), 'variable')} made missing."
        return StepResult(table.having(made), said, cells)


@dataclass(frozen=True)
class RecodeStates(Step):
    """Give states other names; several that get one name become one state.

    Parameters
    ----------
    columns : tuple of str or int
    pairs : tuple of pairs of str
        The text of a state, and what it becomes.

    Notes
    -----
    Where all states are numbers then, they stand by size; else a state has the place of the first
    one that became it. The order of an ordered variable means nothing any more where states that
    are not neighbours were merged.
    """

    kind: ClassVar[str] = "recode"
    title: ClassVar[str] = "recode states"
    columns: Columns
    pairs: Annotated[tuple[tuple[str, str], ...], _changes]

    def _said(self) -> tuple[str, str]:
        old: dict[str, list[str]] = {}
        for one, new in self.pairs:
            old.setdefault(new, []).append(one)
        which = "; ".join(f"{listed(states)} to {clip(new, 30)}" for new, states in old.items())
        return (
            f"Recode {which} in {listed(self.columns)}.",
            f"States of {listed(self.columns, IN_A_PAPER)} were recoded: {which}.",
        )

    def apply(self, table: Table) -> StepResult:
        """The table with these states under other names."""
        made: dict[Name, Column] = {}
        changes = dict(self.pairs)
        cells, seen = 0, set[str]()
        for name in self.columns:
            column = table.column(name)
            changed = np.array([label in changes for label in column.labels], dtype=np.bool_)
            seen.update(label for label in column.labels if label in changes)
            cells += int(column.counts[changed].sum())
            made[name] = _recoded(column, changes) if changed.any() else column
        said = f"{plural(cells, 'cell')} recoded in {plural(len(made), 'variable')}."
        unseen = [old for old in changes if old not in seen]
        if unseen:
            said += f" No column holds {listed(unseen)}."
        return StepResult(table.having(made), said, cells)


@dataclass(frozen=True)
class Scale(CheckedRecord):
    """What a column was reversed by: the ends of its numbers, or its states in their order."""

    column: Column_
    low: Annotated[float, number] = 0.0
    high: Annotated[float, number] = 0.0
    states: Annotated[Texts | None, optional(texts)] = None


@dataclass(frozen=True)
class ReverseOrder(Step):
    """Turn the answers to reversed questions round.

    Parameters
    ----------
    columns : tuple of str or int
        Of numbers, or of ordered states.
    ends : tuple of 2 float, optional
        The lowest and highest number of the scale of all these columns, which are numbers then. By
        default the ends of each column: where nobody gave the highest answer, they are wrong.
    fitted : tuple of Scale, optional
        The lowest and highest number of each column, or its states.

    Notes
    -----
    A number v becomes low + high − v, so that 1 to 5 become 5 to 1. In a variable of texts whose
    states are ordered each state becomes its mirror image: "never" becomes "always". The states
    keep their names and their order; the answers change.
    """

    kind: ClassVar[str] = "reverse"
    title: ClassVar[str] = "reverse answers"
    columns: Columns
    ends: Annotated[tuple[float, float] | None, optional(_ends)] = None
    fitted: Annotated[tuple[Scale, ...] | None, optional(list_of(Scale))] = None

    def _said(self) -> tuple[str, str]:
        low, high = ("the lowest", "the highest") if self.ends is None else map(label_of, self.ends)
        done = f"The answers in {listed(self.columns, IN_A_PAPER)} were reversed"
        return (
            f"Reverse the answers in {listed(self.columns)}: {low} becomes {high}, and so on.",
            f"{done}: the lowest became the highest, and so on.",
        )

    def _find(self, table: Table) -> Iterator[Scale]:
        for name in self.columns:
            column = table.column(name)
            held = np.ones(len(column.values), np.bool_) if column.declared else column.counts > 0
            if not held.any():
                raise DataError(f"column {clip(name)} has no value at all; leave it out.")
            if column.numeric and not column.ordered:
                seen = column.numbers[held]
                yield self._scale(name, float(seen.min()), float(seen.max()))
            elif self.ends is not None:
                raise DataError(
                    f"column {clip(name)} holds states, not numbers; reverse it without ends, by "
                    "the order of its states."
                )
            elif column.ordinal:
                yield Scale(name, states=_states(column))
            else:
                raise DataError(
                    f"the states of column {clip(name)} have no order; declare their order first."
                )

    def _scale(self, name: Name, low: float, high: float) -> Scale:
        """The ends of a column of numbers, within those given."""
        if self.ends is None:
            return Scale(name, low, high)
        for value in (low, high):
            if not self.ends[0] <= value <= self.ends[1]:
                raise DataError(
                    f"column {clip(name)} holds {label_of(value)}, which is not between the ends "
                    f"{label_of(self.ends[0])} and {label_of(self.ends[1])}; give the ends of the "
                    "whole scale, or treat it as missing first."
                )
        return Scale(name, *self.ends)

    def apply(self, table: Table) -> StepResult:
        """The table with reversed answers."""
        made = {one.column: _reversed(table.column(one.column), one) for one in self.fitted or ()}
        cells = sum(column.rows - column.holes for column in made.values())
        said = f"{plural(len(made), 'variable')} reversed, {plural(cells, 'cell')}."
        return StepResult(table.having(made), said, cells)


def _without(column: Column, gone: Bools) -> Column:
    """The column without some of its values, whose cells are missing then."""
    if not gone.any():
        return column
    places = np.append(np.where(gone, -1, np.cumsum(~gone) - 1), -1)
    values: Any = column.values[~gone]
    numbers = None if column.numeric else _as_numbers(values.tolist(), column)
    if numbers is not None:
        values = numbers
    return replace(column, values=values, codes=places[column.codes])


def _as_numbers(texts: Sequence[object], column: Column) -> NDArray[Any] | None:
    """The numbers that all texts are, each another one; None where states are declared.

    Their decimal separator is a point, or a comma that can't be one between thousands.
    """
    if column.declared or not all(isinstance(v, str) and _NUMBER.fullmatch(v) for v in texts):
        return None
    plain = [str(v) for v in texts]
    commas = [v for v in plain if "," in v]
    if commas and (any("." in v for v in plain) or all(map(_THOUSANDS.fullmatch, commas))):
        return None
    plain = [v.replace(",", ".") for v in plain]
    whole = not any("." in v for v in plain)
    numbers = np.array([int(v) if whole else float(v) for v in plain])
    return numbers if len(texts) and len(np.unique(numbers)) == len(texts) else None


def _recoded(column: Column, changes: dict[str, str]) -> Column:
    seen = np.arange(len(column.values)) if column.declared else np.flatnonzero(column.counts)
    order = seen if column.ordered else seen[natural_order(column.values[seen])]
    new = [changes.get(column.labels[place], column.labels[place]) for place in order.tolist()]
    states = list(dict.fromkeys(new))
    known = {state: k for k, state in enumerate(states)}
    rank = np.arange(len(states))
    made: Any = states
    numbers = _as_numbers(states, column)
    if numbers is not None:
        rank = np.argsort(np.argsort(numbers, kind="stable"), kind="stable")
        made = numbers
    places = np.full(len(column.values), -1, dtype=np.intp)
    places[order] = [known[state] for state in new]
    moved = np.diff(rank[places[order]])
    kept = bool((moved >= 0).all() or (moved <= 0).all())
    found = replace(column.recoded(places, states), ordinal=column.ordinal and kept)
    if made is states:
        return replace(found, ordered=True)
    return replace(found, values=made, ordered=False)


def _as_written(turned: Floats, scale: Scale, column: Column) -> Floats:
    """Reversed numbers with as many decimals as the numbers and the ends have."""
    if not np.isfinite(turned).all():
        return turned
    total = Decimal(str(scale.low)) + Decimal(str(scale.high))
    return np.array([float(total - Decimal(label)) for label in column.labels])


def _states(column: Column) -> tuple[str, ...]:
    seen = np.arange(len(column.values)) if column.declared else np.flatnonzero(column.counts)
    order: Places | Sequence[int] = seen
    if not column.ordered:
        order = seen[natural_order(column.values[seen])]
    return tuple(column.labels[place] for place in order)


def _reversed(column: Column, scale: Scale) -> Column:
    """A column turned round; a state that the scale doesn't know stays as it is."""
    if scale.states is None:
        if not column.numeric:
            shown = clip(column.values[0] if len(column.values) else "", 30)
            raise DataError(f"column {clip(scale.column)} holds {shown}, which is not a number.")
        turned = scale.low + scale.high - column.numbers
        if column.values.dtype.kind in "iu" and (scale.low + scale.high).is_integer():
            return replace(column, values=turned.astype(np.int64))
        return replace(column, values=_as_written(turned, scale, column))
    mirror = dict(zip(scale.states, reversed(scale.states), strict=True))
    states = list(dict.fromkeys([*scale.states, *column.labels]))
    known = {state: k for k, state in enumerate(states)}
    places = np.array([known[mirror.get(label, label)] for label in column.labels], dtype=np.intp)
    return replace(column.recoded(places, states), ordered=True, declared=True)
