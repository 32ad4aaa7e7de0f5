"""The states of a variable: how they are written, merged and ordered."""

from __future__ import annotations

import math
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, ClassVar

import numpy as np

from bjp_engine.columns import Column, Table
from bjp_engine.errors import OptionError, clip, listed, plural
from bjp_engine.labels import natural_key
from bjp_engine.preparation.steps import (
    CheckedRecord,
    Column_,
    SomeColumns,
    Step,
    StepResult,
    list_of,
    optional,
    whole,
)
from bjp_engine.validate import Name, probability, text, texts, truth

# Of a column with more values no spellings and no filling are kept: it is free text.
MOST_KEPT = 4096


def _some_texts(value: object, name: str) -> tuple[str, ...]:
    if not (found := texts(value, name)):
        raise OptionError(f"{name} is empty; name at least one state.")
    return found


Texts = Annotated[tuple[str, ...], texts]
SomeStates = Annotated[tuple[str, ...], _some_texts]


def _spellings(value: object, name: str) -> tuple[str, ...]:
    """Texts that differ in more than capitals."""
    found = texts(value, name)
    if len({one.casefold() for one in found}) < len(found):
        raise OptionError(f"{name} holds two that differ in capitals only.")
    return found


def any_text(value: object, name: str) -> str:
    """A text, which may be empty."""
    if not isinstance(value, str):
        raise OptionError(f"{name}={clip(value)} must be a text.")
    return value


@dataclass(frozen=True)
class Spellings(CheckedRecord):
    """How the values of a column are written: a text for each, whatever its capitals."""

    column: Column_
    texts: Annotated[tuple[str, ...], _spellings]


@dataclass(frozen=True)
class FrequentStates(CheckedRecord):
    """The states of a column that were frequent enough, in their order; others are merged."""

    column: Column_
    states: Texts


@dataclass(frozen=True)
class TidyText(Step):
    """Trim spaces in texts, and unify texts that differ only in capital letters.

    Parameters
    ----------
    columns : tuple of str or int, optional
        By default every column of texts.
    fold_case : bool
        Whether capitals are looked at; the most frequent spelling is kept, of equals the first
        in natural order.
    fitted : tuple of Spellings, optional
        The spellings that were kept; those of columns with more than 4096 are not.
    """

    kind: ClassVar[str] = "tidy"
    title: ClassVar[str] = "tidy text"
    columns: SomeColumns = None
    fold_case: Annotated[bool, truth] = True
    fitted: Annotated[tuple[Spellings, ...] | None, optional(list_of(Spellings))] = None

    def _said(self) -> tuple[str, str]:
        where = listed(self.columns) if self.columns else "all texts"
        unify = unified = ""
        if self.fold_case:
            unify = " and unify values that differ only in capital letters"
            unified = ", and values that differ only in capital letters unified"
        return (
            f"Trim needless spaces in {where}{unify}.",
            f"Needless spaces in {where} were trimmed{unified}.",
        )

    def _find(self, table: Table) -> list[Spellings] | None:
        if not self.fold_case:
            return None
        columns = ((name, table.column(name)) for name in self.columns or table.names)
        return [
            Spellings(name, tuple(usual_spellings(column).values()))
            for name, column in columns
            if column.textual and len(column.values) <= MOST_KEPT
        ]

    def apply(self, table: Table) -> StepResult:
        """The table with tidy texts."""
        known = {one.column: one.texts for one in self.fitted or ()}
        made: dict[Name, Column] = {}
        cells = 0
        for name in self.columns or table.names:
            column = table.column(name)
            if not column.textual:
                continue
            changed, tidy = self._tidied(column, known.get(name, ()))
            if changed:
                cells += changed
                made[name] = tidy
        return StepResult(
            table.having(made),
            f"{plural(cells, 'cell')} rewritten in {plural(len(made), 'variable')}.",
            cells,
        )

    def _tidied(self, column: Column, known: tuple[str, ...]) -> tuple[int, Column]:
        """How many cells of a column change, and the column after it."""
        kept = usual_spellings(column) if self.fold_case else {}
        kept |= {text.casefold(): text for text in known}
        places: dict[object, int] = {}
        table, changed = [], []
        for value in column.values.tolist():
            tidy = value
            if isinstance(value, str):
                tidy = trimmed(value)
                tidy = kept.get(tidy.casefold(), tidy)
            changed.append(tidy != value)
            table.append(places.setdefault(tidy, len(places)))
        cells = int(column.counts[np.array(changed, dtype=np.bool_)].sum())
        return cells, column.recoded(np.array(table), list(places))


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
    fitted : tuple of FrequentStates, optional
        What was kept of each variable in which something was merged.

    Notes
    -----
    A single rare state is left as it is unless `into` is one of the variable's own, for under
    another name it would be as rare; and so is a variable of which every state is rare, for one
    state would be all that is left. In another file, states of such a variable that were not
    among those kept are merged as well, whatever their number. Missing cells stay as they are.
    """

    kind: ClassVar[str] = "merge_rare"
    title: ClassVar[str] = "merge rare states"
    columns: SomeColumns = None
    below: Annotated[int | None, optional(whole(2, 2**62))] = None
    share: Annotated[float | None, optional(partial(probability, inner=True))] = None
    into: Annotated[str, text] = "other"
    fitted: Annotated[tuple[FrequentStates, ...] | None, optional(list_of(FrequentStates))] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.below is None and self.share is None:
            raise OptionError("below or share must be given; below=8 merges states of 1 to 7 rows.")

    def _said(self) -> tuple[str, str]:
        bounds = [] if self.below is None else [plural(self.below, "row")]
        bounds += [] if self.share is None else [f"{100 * self.share:.3g} % of the rows"]
        where = listed(self.columns) if self.columns else "every variable but numbers"
        few, into = f"fewer than {' or '.join(bounds)} in {where}", f"into {clip(self.into, 30)}"
        return f"Merge the states with {few} {into}.", f"States with {few} were merged {into}."

    def _find(self, table: Table) -> Iterator[FrequentStates]:
        least = max(self.below or 0, math.ceil((self.share or 0) * table.rows))
        for name in self.columns or [n for n in table.names if not table.column(n).numeric]:
            column = table.column(name)
            rare = enough = 0
            for label, rows in zip(column.labels, column.counts.tolist(), strict=True):
                rare += 0 < rows < least and label != self.into
                enough += rows >= least
            if enough and rare > (0 if self.into in column.labels else 1):
                yield FrequentStates(name, tuple(seen_labels(column, least)))

    def apply(self, table: Table) -> StepResult:
        """The table with rare states merged."""
        made: dict[Name, Column] = {}
        cells = merged = 0
        for kept in self.fitted or ():
            column = table.column(kept.column)
            known = {label: k for k, label in enumerate(kept.states)}
            other = known.get(self.into, len(known))
            places = np.array([known.get(label, other) for label in column.labels], dtype=np.intp)
            gone = np.array([label not in {*known, self.into} for label in column.labels])
            cells += int(column.counts[gone].sum())
            merged += int((gone & (column.counts > 0)).sum())
            states = [*kept.states, *([self.into] if other == len(known) else [])]
            made[kept.column] = replace(column.recoded(places, states), ordered=True, ordinal=False)
        return StepResult(
            table.having(made),
            f"{plural(merged, 'state')} of {plural(len(made), 'variable')} merged into "
            f"{clip(self.into, 30)}, {plural(cells, 'cell')}.",
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
    """

    kind: ClassVar[str] = "order"
    title: ClassVar[str] = "order of states"
    column: Column_
    states: SomeStates

    def _said(self) -> tuple[str, str]:
        of = f"The states of {clip(self.column, 30)}"
        order = listed(self.states)
        return f"{of} stand as {order}.", f"{of} were put in the order {order}."

    def apply(self, table: Table) -> StepResult:
        """The table with the states in this order."""
        column = table.column(self.column)
        rest = [label for label in seen_labels(column) if label not in self.states]
        states = [*self.states, *rest]
        known = {label: k for k, label in enumerate(states)}
        places = np.array([known.get(label, -1) for label in column.labels], dtype=np.intp)
        made = replace(column.recoded(places, states), ordered=True, declared=True)
        said = f"{plural(len(self.states), 'state')} in the order given"
        if rest:
            said += f", followed by {plural(len(rest), 'other')}"
        return StepResult(table.having({self.column: made}), f"{said}.")


def trimmed(text: str) -> str:
    """Text with single spaces between its words, none around it, and accents as one character."""
    return unicodedata.normalize("NFC", " ".join(text.split()))


def usual_spellings(column: Column) -> dict[str, str]:
    """The most frequent spelling of each text."""
    votes: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for value, rows in zip(column.values.tolist(), column.counts.tolist(), strict=True):
        if isinstance(value, str) and rows:
            text = trimmed(value)
            votes[text.casefold()][text] += rows
    return {
        key: next(iter(texts))
        if len(texts) == 1
        else min(texts, key=lambda text: (-texts[text], natural_key(text)))
        for key, texts in votes.items()
    }


def seen_labels(column: Column, least: int = 0) -> list[str]:
    """The texts of a column's states, in their order; or of those that enough rows hold."""
    least = max(least, 0 if column.declared else 1)
    pairs = zip(column.labels, column.counts.tolist(), strict=True)
    seen = [label for label, rows in pairs if rows >= least]
    return seen if column.ordered else sorted(seen, key=natural_key)
