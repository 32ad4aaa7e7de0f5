"""The states of a variable: what they are called, which are missing, and which are merged."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Bools, Floats
from bjp_engine.columns import Column, Table
from bjp_engine.errors import IN_A_PAPER, DataError, OptionError, clip, listed, plural
from bjp_engine.labels import MISSING_LABEL, label_of, labels_of, natural_key, natural_order
from bjp_engine.parameters.imputation import TIMES
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
    pairs_of,
    whole,
)
from bjp_engine.validate import Name, column_names, probability, text, texts, truth

# A number as a column of numbers has it.
_WHOLE = re.compile(r"-?(?:0|[1-9]\d{0,14})")
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,14})[.,]\d{1,17}")
# A comma before three digits may stand between thousands.
_THOUSANDS = re.compile(r"-?\d+,\d{3}")

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

    The most frequent spelling is kept, of equals the first in natural order. By default these are
    all columns of texts. Spellings of columns with more than 4096 are not kept for other tables.

    Examples
    --------
    >>> from bjp_engine.preparation import TidyText
    >>> TidyText(("town",)).sentence
    "Trim needless spaces in 'town' and unify values that differ only in capital letters."
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
    """Merge the states that few rows hold, less than `below` or a `share` of all, into one.

    By default these are all columns but those of numbers. A single rare state is left as it is
    unless `into` is one of the variable's own, for under another name it would be as rare; and so
    is a variable of which every state is rare. In another file, states of such a variable that were
    not among those kept are merged as well, whatever their number. Missing cells stay as they are.

    Examples
    --------
    >>> from bjp_engine.preparation import MergeRare
    >>> MergeRare(("town",), below=8).sentence
    "Merge the states with fewer than 8 rows in 'town' into 'other'."
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
class MissingCodes(Step):
    """Cells with these values are missing: pairs of a column, and texts of its values.

    A 9 may be "no answer" in one column and a class of incomes in the next, so codes belong to a
    column. Where all other texts of a column are numbers, these are then read as numbers.

    Examples
    --------
    >>> from bjp_engine.preparation import MissingCodes
    >>> MissingCodes((("age", ("99",)),)).sentence
    "Treat '99' in 'age' as missing."
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
            made[name] = without_values(column, gone)
        said = f"{plural(cells, 'cell')} in {plural(len(made), 'variable')} made missing."
        return StepResult(table.having(made), said, cells)


@dataclass(frozen=True)
class RecodeStates(Step):
    """Give states other names, by pairs; several that get one name become one state.

    Where all states are numbers then, they stand by size; else a state has the place of the first
    one that became it. The order of an ordered variable means nothing any more where states that
    are not neighbours were merged.

    Examples
    --------
    >>> from bjp_engine.preparation import RecodeStates
    >>> RecodeStates(("mood",), (("often", "yes"), ("always", "yes"))).sentence
    "Recode 'often', 'always' to 'yes' in 'mood'."
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
class Fill(CheckedRecord):
    """The state that takes the place of a column's missing cells."""

    column: Column_
    state: Annotated[str, any_text]


@dataclass(frozen=True)
class MissingCells(Step):
    """Drop rows with missing cells, make these a state, or fill them in, once or 20 times.

    Rows without any value at all are dropped, whatever `how`, unless `columns` is given. Cells that
    were made a state are not missing for later steps. "most_frequent" takes, of equals, the first
    in natural order; of a complete column with more than 4096 values none is kept. Cells to impute,
    of every column, stay missing until all steps are made: they are drawn given all other cells of
    their row, see `bjp_engine.parameters.impute`, and of another table given that one's own.

    Examples
    --------
    >>> from bjp_engine.preparation import MissingCells
    >>> MissingCells("drop").sentence
    'Drop the rows with a missing cell in any variable.'
    """

    kind: ClassVar[str] = "missing"
    title: ClassVar[str] = "missing cells"
    how: Annotated[str, one_of("drop", "state", "most_frequent", "impute")]
    columns: SomeColumns = None
    fitted: Annotated[tuple[Fill, ...] | None, optional(list_of(Fill))] = None
    seed: Annotated[int, whole(0, 2**63 - 1)] = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.how == "impute" and self.columns is not None:
            raise OptionError(
                "columns can't be given with how='impute': a cell is drawn given all others; make "
                "missing cells of single variables a state in a step before."
            )

    def _said(self) -> tuple[str, str]:
        where = listed(self.columns) if self.columns else "any variable"
        inside = f" in {where}" if self.columns else ""
        if self.how == "impute":
            often, seed = f"{TIMES} times under the network", f"(seed {self.seed})"
            return (
                f"Impute missing cells {often}, after all steps {seed}.",
                f"Missing cells were imputed {often}, after all other steps {seed}.",
            )
        if self.how == "drop":
            return (
                f"Drop the rows with a missing cell in {where}.",
                f"Rows with a missing cell{inside} were left out.",
            )
        if self.how == "state":
            own = f"a state of their own, {clip(MISSING_LABEL)}"
            return f"Make missing cells in {where} {own}.", f"Missing cells{inside} became {own}."
        return (
            f"Fill missing cells in {where} with the variable's most frequent state.",
            f"Missing cells{inside} were filled with the variable's most frequent state.",
        )

    def _find(self, table: Table) -> list[Fill] | None:
        if self.how != "most_frequent":
            return None
        found = []
        for name in self.columns or table.names:
            column = table.column(name)
            if not column.holes and len(column.values) > MOST_KEPT:
                continue
            if column.counts.any():
                found.append(Fill(name, _most_frequent(column)))
            elif column.holes and not column.own:
                raise DataError(f"column {clip(name)} has no value at all; leave it out.")
        return found

    def apply(self, table: Table) -> StepResult:
        """The table without these missing cells."""
        empty = table.empty_rows() if self.columns is None else np.zeros(0, dtype=np.bool_)
        gone = int(np.count_nonzero(empty))
        if self.how == "drop" or not gone or gone == table.rows:
            return self._applied(table)
        made = self._applied(table.take(~empty))
        said = f"{made.sentence} {plural(gone, 'row')} without any value dropped."
        return made._replace(sentence=said)

    def _applied(self, table: Table) -> StepResult:
        chosen = {name: table.column(name) for name in self.columns or table.names}
        open_ = {name: c for name, c in chosen.items() if c.holes and not c.own}
        if self.how == "drop":
            return _drop(table, open_)
        cells = sum(column.holes for column in open_.values())
        where = f"{plural(cells, 'missing cell')} in {plural(len(open_), 'variable')}"
        if self.how == "state":
            # Also where none is missing now: a step before may still be changed.
            table = table.having({name: replace(c, own=True) for name, c in chosen.items()})
            return StepResult(table, f"{where}: a state of their own.", cells)
        if self.how == "impute":
            return StepResult(table, f"{where}: imputed after all steps.")
        states = {fill.column: fill.state for fill in self.fitted or ()}
        filled = {name: _filled(column, states, name) for name, column in open_.items()}
        return StepResult(
            table.having(filled), f"{where}: filled with the most frequent state.", cells
        )


def _drop(table: Table, columns: dict[Name, Column]) -> StepResult:
    kept = table.keeping(columns).complete_rows()
    left = int(np.count_nonzero(kept))
    if not left:
        worst = max(columns, key=lambda name: columns[name].holes)
        raise DataError(
            f"every row has a missing cell (column {clip(worst)} has most, "
            f"{columns[worst].holes:,} of {table.rows:,}), so dropping rows leaves nothing; "
            "make missing cells a state, or leave variables out first."
        )
    said = f"{plural(table.rows - left, 'row')} dropped, {left:,} remain."
    return StepResult(table if left == table.rows else table.take(kept), said)


def _most_frequent(column: Column) -> str:
    """The state that most rows hold; of equals the first in natural order."""
    largest = np.flatnonzero(column.counts == column.counts.max())
    if column.numeric:
        # Numbers stand by size; there may be a million of them.
        largest = largest[[int(np.argmin(column.numbers[largest]))]]
    return min(labels_of(column.values[largest]), key=natural_key)


def _filled(column: Column, states: dict[Name, str], name: Name) -> Column:
    if name not in states:
        raise DataError(
            f"column {clip(name)} has missing cells and no state is known to fill them with; "
            "apply the step again, or leave the column out."
        )
    state = states[name]
    values = column.values.tolist()
    if state in column.labels:
        place = column.labels.index(state)
    else:
        place = len(values)
        values.append(state)
        column = column.recoded(np.arange(place), values)
    return replace(column, codes=np.where(column.codes < 0, place, column.codes))


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


def plain_numbers(values: Iterable[object]) -> Floats:
    """The number that each text is, with a point or a comma; NaN where it is none."""
    texts = [v.strip() if isinstance(v, str) else "" for v in values]
    plain = (t if _WHOLE.fullmatch(t) or _DECIMAL.fullmatch(t) else "nan" for t in texts)
    return np.array([float(t.replace(",", ".")) for t in plain], dtype=np.float64)


def _as_numbers(
    given: Sequence[object], column: Column, *, renamed: bool = True
) -> NDArray[Any] | None:
    """The numbers that all texts are, each another one; None where states are declared.

    They are written in one way: as a label is, or, where it may be `renamed`, all with equally many
    decimals. So 007 and 1.10 beside 1.1 stay texts.
    """
    if column.declared or not given or not all(isinstance(one, str) for one in given):
        return None
    written = [str(one) for one in given]
    if all(map(_WHOLE.fullmatch, written)):
        return np.array([int(one) for one in written])
    commas = [one for one in written if "," in one]
    if commas and (any("." in one for one in written) or all(map(_THOUSANDS.fullmatch, commas))):
        return None
    points = [one.replace(",", ".") for one in written]
    numbers = plain_numbers(points)
    if np.isnan(numbers).any():
        return None
    same = [label_of(number) for number in numbers.tolist()] == (points if renamed else written)
    decimals = {len(one.partition(".")[2]) for one in points}
    return numbers if same or (renamed and len(decimals) == 1 and decimals != {0}) else None


def without_values(column: Column, gone: Bools) -> Column:
    """The column without some values, whose cells are missing then; numbers, if it can be."""
    if not gone.any():
        return column
    places = np.append(np.where(gone, -1, np.cumsum(~gone) - 1), -1)
    values: Any = column.values[~gone]
    numbers = None if column.numeric else _as_numbers(values.tolist(), column)
    return replace(
        column, values=values if numbers is None else numbers, codes=places[column.codes]
    )


def _recoded(column: Column, changes: dict[str, str]) -> Column:
    seen = np.arange(len(column.values)) if column.declared else np.flatnonzero(column.counts)
    order = seen if column.ordered else seen[natural_order(column.values[seen])]
    new = [changes.get(column.labels[place], column.labels[place]) for place in order.tolist()]
    states = list(dict.fromkeys(new))
    known = {state: k for k, state in enumerate(states)}
    rank = np.arange(len(states))
    made: Any = states
    numbers = _as_numbers(states, column, renamed=False)
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
