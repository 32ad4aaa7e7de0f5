"""The states of a variable: their names, which are missing or merged, and numbers in bins."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Bools, Floats, Ints
from bjp_engine.columns import Column, Table
from bjp_engine.errors import IN_A_PAPER, DataError, OptionError, clip, listed, plural
from bjp_engine.io.values import read_numbers
from bjp_engine.labels import label_of, natural_key, natural_order
from bjp_engine.preparation.steps import (
    Columns,
    ColumnStep,
    Step,
    Target,
    optional,
    pairs_of,
    some_texts,
)
from bjp_engine.validate import (
    Name,
    ascending_numbers,
    choice,
    column_names,
    text,
    texts,
    whole_number,
)

# A number as a column of numbers has it.
_WHOLE = re.compile(r"-?(?:0|[1-9]\d{0,14})")
_DECIMAL = re.compile(r"-?(?:0|[1-9]\d{0,14})[.,]\d{1,17}")
_OTHER = "other"
_BINS = {"quantile": "bins of about equally many rows", "equal_width": "bins of equal width"}
_MOST_BINS = 1000
# Fewer digits than this would move cuts for the sake of a short label.
_DIGITS = 3

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
class TidyText(ColumnStep):
    """Trim spaces in texts, and unify texts that differ only in capital letters.

    The most frequent spelling is kept, of equals the first in natural order.

    Examples
    --------
    >>> from bjp_engine.preparation import TidyText
    >>> TidyText(("town",)).sentence
    "Trim needless spaces in 'town' and unify values that differ only in capital letters."
    """

    kind: ClassVar[str] = "tidy"
    did: ClassVar[str] = "{} in {} rewritten."
    columns: Columns

    def _said(self) -> tuple[str, str]:
        where, alike = listed(self.columns), "values that differ only in capital letters"
        return (
            f"Trim needless spaces in {where} and unify {alike}.",
            f"Needless spaces in {where} were trimmed, and {alike} unified.",
        )

    def _changed(self, column: Column, _: Name) -> tuple[Column, Bools]:
        kept, old = usual_spellings(column), column.values.tolist()
        tidy = [kept.get(spelled(x), trimmed(x)) if isinstance(x, str) else x for x in old]
        place = {value: k for k, value in enumerate(dict.fromkeys(tidy))}
        changed = np.array([x != y for x, y in zip(tidy, old, strict=True)], dtype=np.bool_)
        return column.recoded(np.array([place[x] for x in tidy], np.intp), [*place]), changed


@dataclass(frozen=True)
class MergeRare(ColumnStep):
    """Merge the states that fewer rows than `below` hold into "other".

    A single rare state is left as it is unless the variable has a state "other", for under another
    name it would be as rare; and so is a variable of which every state is rare. Missing cells stay
    as they are.

    Examples
    --------
    >>> from bjp_engine.preparation import MergeRare
    >>> MergeRare(("town",), below=8).sentence
    "Merge the states with fewer than 8 rows in 'town' into one, 'other'."
    """

    kind: ClassVar[str] = "merge_rare"
    did: ClassVar[str] = f"{{}} in {{}} merged into {clip(_OTHER)}."
    columns: Columns
    below: Annotated[int, partial(whole_number, least=2, most=2**62)]

    def _said(self) -> tuple[str, str]:
        few = f"fewer than {plural(self.below, 'row')} in {listed(self.columns)}"
        into = f"into one, {clip(_OTHER)}"
        return f"Merge the states with {few} {into}.", f"States with {few} were merged {into}."

    def _changed(self, column: Column, _: Name) -> tuple[Column, Bools]:
        kept = seen_labels(column, self.below)
        rare = (column.counts < self.below) & [label != _OTHER for label in column.labels]
        found = int(np.count_nonzero(rare & (column.counts > 0)))
        if not (column.counts >= self.below).any() or found <= (_OTHER not in column.labels):
            return column, np.zeros_like(rare)
        place = {state: k for k, state in enumerate(dict.fromkeys((*kept, _OTHER)))}
        places = [place.get(label, place[_OTHER]) for label in column.labels]
        made = column.recoded(np.array(places, np.intp), [*place])
        return replace(made, ordered=True, ordinal=False), rare


@dataclass(frozen=True)
class MissingCodes(ColumnStep):
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
    did: ClassVar[str] = "{} in {} made missing."
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

    def _changed(self, column: Column, name: Name) -> tuple[Column, Bools]:
        codes = dict(self.codes)[name]
        gone = np.array([label in codes for label in column.labels], dtype=np.bool_)
        return without_values(column, gone), gone


@dataclass(frozen=True)
class RecodeStates(ColumnStep):
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
    did: ClassVar[str] = "{} in {} recoded."
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
        made, said = super()._applied(table)
        seen = {label for name in self.columns for label in table.column(name).labels}
        left = [old for old, _ in self.pairs if old not in seen]
        return made, f"{said} No column holds {listed(left)}." if left else said

    def _changed(self, column: Column, _: Name) -> tuple[Column, Bools]:
        changes = dict(self.pairs)
        changed = np.array([label in changes for label in column.labels], dtype=np.bool_)
        return _recoded(column, changes) if changed.any() else column, changed


@dataclass(frozen=True)
class BinNumbers(ColumnStep):
    """Cut numbers into bins.

    Bins hold equally many rows or have equal width, as scikit-learn's KBinsDiscretizer makes them,
    or lie between own ascending `cuts`, where a value on a cut belongs to the bin above it. There
    are `bins` at most. Missing cells stay missing.

    Examples
    --------
    >>> from bjp_engine.preparation import BinNumbers
    >>> BinNumbers(("age",), "cuts", cuts=(18, 65)).sentence
    "Cut 'age' at 18, 65."
    """

    kind: ClassVar[str] = "bins"
    did: ClassVar[str] = "{} in {} cut into bins."
    columns: Columns
    how: Annotated[str, partial(choice, known=(*_BINS, "cuts"))] = "quantile"
    bins: Annotated[int, partial(whole_number, least=2, most=_MOST_BINS)] = 4
    cuts: Annotated[tuple[float, ...] | None, optional(ascending_numbers)] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        if (self.how == "cuts") != (self.cuts is not None):
            raise OptionError("cuts must be given with how='cuts', and only then.")
        if self.cuts is not None and not 1 <= len(self.cuts) < _MOST_BINS:
            raise OptionError(f"cuts has {len(self.cuts)} entries; give 1 to {_MOST_BINS - 1}.")

    def _said(self) -> tuple[str, str]:
        if self.cuts is not None:
            bins = f"at {', '.join(f'{cut:g}' for cut in self.cuts)}"
        else:
            bins = f"into {self.bins} {_BINS[self.how]}"
        return (
            f"Cut {listed(self.columns)} {bins}.",
            f"Numbers in {listed(self.columns, IN_A_PAPER)} were cut {bins}.",
        )

    def _changed(self, column: Column, name: Name) -> tuple[Column, Bools]:
        if not column.numeric and len(column.values):
            shown = clip(column.values[0], 30)
            raise DataError(
                f"column {clip(name)} holds {shown}, which is not a number; only numbers are cut "
                "into bins."
            )
        held = (column.counts > 0) & np.isfinite(column.numbers)
        if not held.any():
            raise DataError(f"column {clip(name)} has no value at all; leave it out.")
        seen = column.numbers[held]
        points = np.array(self.cuts)
        if self.cuts is None:
            points = found_points(seen, column.counts[held], self.how, self.bins)
        whole = bool((np.trunc(seen) == seen).all() and (np.trunc(points) == points).all())
        labels = bin_labels(points, whole=whole, lowest=float(seen.min()))
        made = column.recoded(np.searchsorted(points, column.numbers, side="right"), labels)
        return replace(made, ordered=True, declared=True, ordinal=True), column.counts > 0


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


# --- Where numbers are cut, and what bins are called: a value on a cut belongs above it -----------


def found_points(numbers: Floats, counts: Ints, how: str, bins: int) -> Floats:
    """The cuts of one column, in short numbers; where there are few values, each is a bin.

    Each cut is written with the fewest digits, three at least, that leave every row in its bin.
    """
    order = np.argsort(numbers)
    values, weights = numbers[order], counts[order]
    if len(values) <= bins:
        edges = values[1:]
    elif how == "equal_width":
        edges = np.linspace(values[0], values[-1], bins + 1)[1:-1]
    else:
        # Where the averaged distribution function has equal shares.
        below = np.cumsum(weights, dtype=np.float64)
        wanted = np.linspace(0, 1, bins + 1)[1:-1] * below[-1]
        lower, upper = (np.searchsorted(below, wanted, side=side) for side in ("left", "right"))
        edges = (values[lower] + values[np.minimum(upper, len(values) - 1)]) / 2
    # Cuts between the same two values are one.
    above, first = np.unique(np.searchsorted(values, edges, side="left"), return_index=True)
    inner = (above > 0) & (above < len(values))
    cuts = edges[first[inner]]
    if (np.trunc(values) == values).all():
        return np.ceil(cuts)
    ends = zip(cuts.tolist(), values[above[inner] - 1], values[above[inner]], strict=True)
    return np.array([_short(cut, low, high) for cut, low, high in ends], dtype=np.float64)


def bin_labels(points: Floats, *, whole: bool, lowest: float) -> tuple[str, ...]:
    """Names of bins: "<5", "5–10", "≥10"."""
    if not len(points):
        return ("any number",)
    texts = [label_of(float(point)) for point in points]
    between = " to " if points[0] < 0 else "–"
    middle = []
    for (low, high), (one, two) in zip(pairwise(points.tolist()), pairwise(texts), strict=True):
        last = label_of(float(np.ceil(high) - 1)) if whole else two
        middle.append(one if whole and high - low <= 1 else f"{one}{between}{last}")
    alone = whole and points[0] - lowest <= 1 and lowest == 0
    return (label_of(lowest) if alone else f"<{texts[0]}", *middle, f"≥{texts[-1]}")


def _short(cut: float, below: float, above: float) -> float:
    """A cut in the fewest digits within (below, above]."""
    for digits in range(_DIGITS, 18):
        short = float(f"{cut:.{digits}g}")
        if below < short <= above:
            return short
    return float(above)
