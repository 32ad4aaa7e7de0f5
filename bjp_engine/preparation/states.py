"""The states of a variable: what they are called, which are missing, and which are merged."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Bools, Floats
from bjp_engine.columns import Column, Table
from bjp_engine.errors import IN_A_PAPER, DataError, clip, listed, plural
from bjp_engine.io.values import read_numbers
from bjp_engine.labels import MISSING_LABEL, label_of, natural_key, natural_order
from bjp_engine.parameters.imputation import TIMES
from bjp_engine.preparation.steps import Columns, Step, Target, pairs_of, some_texts
from bjp_engine.validate import Name, choice, column_names, text, texts, whole_number

# A number as a column of numbers has it.
_WHOLE = re.compile(r"-?(?:0|[1-9]\d{0,14})")
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,14})[.,]\d{1,17}")
_OTHER = "other"

# A column with more values is free text.
MOST_KEPT = 4096


def _codes(value: object, name: str) -> tuple[tuple[Name, tuple[str, ...]], ...]:
    """Columns, each once, with the texts that stand for missing cells there."""
    pairs = pairs_of(value, name)
    column_names([column for column, _ in pairs], name)
    return tuple((column, some_texts(codes, name)) for column, codes in pairs)


def _changes(value: object, name: str) -> tuple[tuple[str, str], ...]:
    """Old texts, each once, and what they become."""
    pairs = pairs_of(value, name)
    texts([old for old, _ in pairs], name)
    return tuple((old, text(new, name)) for old, new in pairs)


@dataclass(frozen=True)
class TidyText(Step):
    """Trim spaces in texts, and unify texts that differ only in capital letters.

    The most frequent spelling is kept, of equals the first in natural order.

    Examples
    --------
    >>> from bjp_engine.preparation import TidyText
    >>> TidyText(("town",)).sentence
    "Trim needless spaces in 'town' and unify values that differ only in capital letters."
    """

    kind: ClassVar[str] = "tidy"
    columns: Columns

    def _said(self) -> tuple[str, str]:
        where, alike = listed(self.columns), "values that differ only in capital letters"
        return (
            f"Trim needless spaces in {where} and unify {alike}.",
            f"Needless spaces in {where} were trimmed, and {alike} unified.",
        )

    def _applied(self, table: Table) -> tuple[Table, str]:
        made: dict[Name, Column] = {}
        cells = 0
        for name in self.columns:
            column = table.column(name)
            kept, old = usual_spellings(column), column.values.tolist()
            tidy = [kept.get(spelled(x), trimmed(x)) if isinstance(x, str) else x for x in old]
            place = {value: k for k, value in enumerate(dict.fromkeys(tidy))}
            made[name] = column.recoded(np.array([place[x] for x in tidy], np.intp), [*place])
            cells += int(column.counts[[x != y for x, y in zip(tidy, old, strict=True)]].sum())
        said = f"{plural(cells, 'cell')} rewritten in {plural(len(made), 'variable')}."
        return table.having(made), said


@dataclass(frozen=True)
class MergeRare(Step):
    """Merge the states that fewer rows than `below` hold into "other".

    A single rare state is left as it is unless the variable has a state "other", for under another
    name it would be as rare; and so is a variable of which every state is rare. Missing cells stay
    as they are.

    Examples
    --------
    >>> from bjp_engine.preparation import MergeRare
    >>> MergeRare(("town",), below=8).sentence
    "Merge the states with fewer than 8 rows in 'town' into 'other'."
    """

    kind: ClassVar[str] = "merge_rare"
    columns: Columns
    below: Annotated[int, partial(whole_number, least=2, most=2**62)]

    def _said(self) -> tuple[str, str]:
        few = f"fewer than {plural(self.below, 'row')} in {listed(self.columns)}"
        into = f"into {clip(_OTHER)}"
        return f"Merge the states with {few} {into}.", f"States with {few} were merged {into}."

    def _applied(self, table: Table) -> tuple[Table, str]:
        made: dict[Name, Column] = {}
        cells = merged = 0
        for name in self.columns:
            column = table.column(name)
            kept = seen_labels(column, self.below)
            rare = (column.counts < self.below) & [label != _OTHER for label in column.labels]
            found = int(np.count_nonzero(rare & (column.counts > 0)))
            if not (column.counts >= self.below).any() or found <= (_OTHER not in column.labels):
                continue
            place = {state: k for k, state in enumerate(dict.fromkeys((*kept, _OTHER)))}
            places = [place.get(label, place[_OTHER]) for label in column.labels]
            recoded = column.recoded(np.array(places, np.intp), [*place])
            made[name] = replace(recoded, ordered=True, ordinal=False)
            merged, cells = merged + found, cells + int(column.counts[rare].sum())
        said = f"{plural(merged, 'state')} of {plural(len(made), 'variable')} merged into "
        return table.having(made), f"{said}{clip(_OTHER)}, {plural(cells, 'cell')}."


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
    codes: Annotated[tuple[tuple[Name, tuple[str, ...]], ...], _codes]

    @property
    def columns(self) -> tuple[Name, ...]:
        """The columns that it is about."""
        return tuple(column for column, _ in self.codes)

    def _said(self) -> tuple[str, str]:
        columns: dict[tuple[str, ...], list[Name]] = defaultdict(list)
        for column, codes in self.codes:
            columns[codes].append(column)
        gone = "; ".join(f"{listed(codes)} in {listed(names)}" for codes, names in columns.items())
        return f"Treat {gone} as missing.", f"Cells with {gone} were treated as missing."

    @property
    def targets(self) -> set[Target]:
        """The codes of each column."""
        return {(name, code) for name, codes in self.codes for code in codes}

    def without(self, gone: set[Target]) -> Step | None:
        """The codes that are left; None where none is."""
        codes = [(name, tuple(x for x in of if (name, x) not in gone)) for name, of in self.codes]
        left = tuple(pair for pair in codes if pair[1])
        return MissingCodes(left) if left else None

    def on_columns(self, columns: tuple[Name, ...]) -> MissingCodes:
        """The codes of some columns."""
        return MissingCodes(tuple(pair for pair in self.codes if pair[0] in columns))

    def _applied(self, table: Table) -> tuple[Table, str]:
        made: dict[Name, Column] = {}
        cells = 0
        for name, codes in self.codes:
            column = table.column(name)
            gone = np.array([label in codes for label in column.labels], dtype=np.bool_)
            cells += int(column.counts[gone].sum())
            made[name] = without_values(column, gone)
        said = f"{plural(cells, 'cell')} in {plural(len(made), 'variable')} made missing."
        return table.having(made), said


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
    columns: Columns
    pairs: Annotated[tuple[tuple[str, str], ...], _changes]

    @property
    def targets(self) -> set[Target]:
        """The old states of each column."""
        return {(name, old) for name in self.columns for old, _ in self.pairs}

    def _said(self) -> tuple[str, str]:
        old: dict[str, list[str]] = defaultdict(list)
        for one, new in self.pairs:
            old[new].append(one)
        which = "; ".join(f"{listed(states)} to {clip(new, 30)}" for new, states in old.items())
        return (
            f"Recode {which} in {listed(self.columns)}.",
            f"States of {listed(self.columns, IN_A_PAPER)} were recoded: {which}.",
        )

    def _applied(self, table: Table) -> tuple[Table, str]:
        made: dict[Name, Column] = {}
        changes, left = dict(self.pairs), dict(self.pairs)
        cells = 0
        for name in self.columns:
            column = table.column(name)
            changed = np.array([label in changes for label in column.labels], dtype=np.bool_)
            cells += int(column.counts[changed].sum())
            made[name] = _recoded(column, changes) if changed.any() else column
            left = {old: new for old, new in left.items() if old not in column.labels}
        said = f"{plural(cells, 'cell')} recoded in {plural(len(made), 'variable')}."
        said += f" No column holds {listed(left)}." if left else ""
        return table.having(made), said


@dataclass(frozen=True)
class MissingCells(Step):
    """Drop rows with missing cells, make these a state, or impute them 20 times.

    Rows without any value at all are dropped in any case. Cells that were made a state are not
    missing for later steps. Cells to impute stay missing until all steps are made: they are drawn
    given all other cells of their row, see `bjp_engine.parameters.impute`.

    Examples
    --------
    >>> from bjp_engine.preparation import MissingCells
    >>> MissingCells("drop").sentence
    'Drop the rows with a missing cell in any variable.'
    """

    kind: ClassVar[str] = "missing"
    how: Annotated[str, partial(choice, known=("drop", "state", "impute"))]
    seed: Annotated[int, partial(whole_number, most=2**63 - 1)] = 0

    def _said(self) -> tuple[str, str]:
        own = f"a state of their own, {clip(MISSING_LABEL)}"
        often, seed = f"{TIMES} times under the network", f"(seed {self.seed})"
        return {
            "drop": (
                "Drop the rows with a missing cell in any variable.",
                "Rows with a missing cell were left out.",
            ),
            "state": (f"Make missing cells in any variable {own}.", f"Missing cells became {own}."),
            "impute": (
                f"Impute missing cells {often}, after all steps {seed}.",
                f"Missing cells were imputed {often}, after all other steps {seed}.",
            ),
        }[self.how]

    @property
    def targets(self) -> set[Target]:
        """One answer to all missing cells, whichever it is."""
        return {(MissingCells, None)}

    def for_paper(self, before: int, after: int) -> str:
        """What was done; of imputation, only the rows that were removed: its record says more."""
        if self.how != "impute":
            return super().for_paper(before, after)
        were, gone = "was" if before - after == 1 else "were", before - after
        return f"{plural(gone, 'row')} without any value {were} left out." if gone else ""

    def _applied(self, table: Table) -> tuple[Table, str]:
        drop = self.how == "drop"
        kept = table.complete_rows() if drop else ~table.empty_rows()
        left = int(np.count_nonzero(kept))
        if drop and not left:
            holes = count_missing(table)
            worst = max(holes, key=lambda name: holes[name])
            raise DataError(
                f"every row has a missing cell (column {clip(worst)} has most, "
                f"{holes[worst]:,} of {table.rows:,}), so dropping rows leaves nothing; "
                "make missing cells a state, or leave variables out first."
            )
        gone = plural(table.rows - left, "row")
        if 0 < left < table.rows:
            table = table.take(kept)
        if drop:
            return table, f"{gone} dropped, {left:,} remain."
        holes = count_missing(table)
        cells = f"{plural(sum(holes.values()), 'missing cell')} in {plural(len(holes), 'variable')}"
        said = "imputed after all steps." if self.how == "impute" else "a state of their own."
        if self.how == "state":
            # Also where none is missing now: a step before may still be changed.
            table = table.having({n: replace(c, own=True) for n, c in table.columns.items()})
        dropped = f" {gone} without any value dropped." if table.rows == left < len(kept) else ""
        return table, f"{cells}: {said}{dropped}"


def count_missing(table: Table) -> dict[Name, int]:
    """The missing cells of each column that has any, but for those that are a state."""
    return {name: one.holes for name, one in table.columns.items() if one.holes and not one.own}


def trimmed(text: str) -> str:
    """Text with single spaces between its words, none around it, and accents as one character."""
    return unicodedata.normalize("NFC", " ".join(text.split()))


def spelled(text: str) -> str:
    """A text without what spellings differ in."""
    return trimmed(text).casefold()


def usual_spellings(column: Column) -> dict[str, str]:
    """The most frequent spelling of each text, by the text without capitals."""
    votes: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    for value, rows in zip(column.values.tolist(), column.counts.tolist(), strict=True):
        if isinstance(value, str) and rows:
            votes[spelled(value)][trimmed(value)] += rows
    return {
        key: min(texts, key=lambda text: (-texts[text], natural_key(text)))
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


def _as_numbers(column: Column) -> NDArray[Any] | None:
    """The numbers that all texts are to the reader of a file; None where states are declared."""
    values = column.values.tolist()
    if column.declared or not values or not all(isinstance(one, str) for one in values):
        return None
    return read_numbers(values)


def without_values(column: Column, gone: Bools) -> Column:
    """The column without some values, whose cells are missing then; numbers, if it can be."""
    if not gone.any():
        return column
    left = column.without(gone)
    numbers = _as_numbers(left)
    return left if numbers is None else replace(left, values=numbers)


def _recoded(column: Column, changes: dict[str, str]) -> Column:
    seen = np.arange(len(column.values)) if column.declared else np.flatnonzero(column.counts)
    order = seen if column.ordered else seen[natural_order(column.values[seen])]
    new = [changes.get(column.labels[place], column.labels[place]) for place in order.tolist()]
    place = {state: k for k, state in enumerate(dict.fromkeys(new))}
    places = np.full(len(column.values), -1, dtype=np.intp)
    places[order] = [place[state] for state in new]
    made = column.recoded(places, [*place])
    numbers, rank = _as_numbers(made), np.arange(len(place))
    # A name that a person gave stays as it is.
    if numbers is not None and [label_of(x) for x in numbers.tolist()] == [*place]:
        rank = np.argsort(np.argsort(numbers, kind="stable"), kind="stable")
        made = replace(made, values=numbers, ordered=False)
    else:
        made = replace(made, ordered=True)
    moved = np.diff(rank[places[order]])
    kept = bool((moved >= 0).all() or (moved <= 0).all())
    return replace(made, ordinal=column.ordinal and kept)
