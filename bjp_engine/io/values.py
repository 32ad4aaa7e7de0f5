"""From the distinct texts of a column to values: what is missing, what is a number, what is text.

A column becomes numbers only if every cell that isn't missing is a number and no two of them are
one; up to a dozen also have to be written in one way that gives the same text again. So "01", "+1"
or "1.1" beside "1.10" keep a column as text, and no two labels melt into one unseen. A comma or
point that may part decimals, thousands or several answers leaves a column as text, with a note,
unless the column or the file shows which.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bjp_engine.columns import FEW_STATES, Column, Table
from bjp_engine.errors import clip, columns_text
from bjp_engine.io.limits import Guard
from bjp_engine.io.options import AUTO, ReadOptions
from bjp_engine.io.text import Grid, Texts
from bjp_engine.labels import count_places
from bjp_engine.validate import Name

# What pandas takes for missing, "?" and the errors of spreadsheets; but not "None", which
# is a category in many a questionnaire.
MISSING_VALUES = frozenset(
    (
        *("", "?", "NA", "N/A", "n/a", "<NA>", "#NA", "#N/A", "#N/A N/A", "NULL", "null"),
        *("NaN", "nan", "-NaN", "-nan", "1.#IND", "-1.#IND", "1.#QNAN", "-1.#QNAN"),
        *("#DIV/0!", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!"),
    )
)

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]*)")
_DECIMAL = re.compile(r"-?(?:(?:0|[1-9][0-9]*)(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-][0-9]{1,3})?")
# Numbers with a zero behind their decimals; or without the point that Python gives each.
_NOT_SHORTEST = re.compile(r"\.(?:[0-9]*0)?(?:[eE]|$)", re.MULTILINE)
_NOT_POINTED = re.compile(r"\.[0-9]+0(?:[eE]|$)|^[^.eE]*$|\.[eE]", re.MULTILINE)
_INT64 = range(-(2**63), 2**63)
# Whole floats up to here are exact, and so are the integers made of them.
_EXACT = 2.0**53
_MAYBE = re.compile(r"-?[0-9]*[.,' \u00a0\u202f][0-9., '\u00a0\u202f]*[0-9](?:[eE][+-][0-9]{1,3})?")
# What a column must hold somewhere before its cells are looked at one by one.
_HINT = re.compile(r"[0-9][,' \u00a0\u202f][0-9]|^-?,[0-9]|\.[0-9]+\.", re.MULTILINE)
# The same where no mark but the point occurs, found sooner.
_MARKS, _TWO_POINTS = ",' \u00a0\u202f", re.compile(r"\.[0-9]+\.")
_EITHER = re.compile(r"-?[1-9][0-9]{0,2}[.,' \u00a0\u202f][0-9]{3}")
_ANSWERS = re.compile(r"([1-9][0-9]?),([1-9][0-9]?)")
# Among so many codes of countries or continents NA is one, too.
_PLACES = 3
# What SAS, Stata and SPSS write for a missing number.
_DOT = "."


_MOST_NOTED = 5
_MARK_NAMES = {",": "comma", ".": "point", "'": "apostrophe"}


@dataclass
class CellNotes:
    """What was done to the cells of a table, for one sentence each."""

    missing: Counter[str] = field(default_factory=Counter)  # how often each text was
    holes: list[Name] = field(default_factory=list)  # columns with missing cells
    none: list[Name] = field(default_factory=list)  # columns with the category "None"
    trimmed: list[Name] = field(default_factory=list)  # columns with spaces around cells
    codes: list[Name] = field(default_factory=list)  # columns of codes, of which NA is one
    doubtful_codes: list[Name] = field(default_factory=list)  # the same, but NA is missing
    separated: list[Name] = field(default_factory=list)  # numbers not as a program writes them
    doubtful: list[str] = field(default_factory=list)  # sentences on text that may be numbers
    mixed: list[str] = field(default_factory=list)  # sentences on text among numbers

    def sentences(self, decimal: str = ".", thousands: str | None = None) -> list[str]:
        """What the reader of the table should know."""
        notes = []
        if self.separated:
            parts = ["decimal separator: comma"] if decimal == "," else []
            if thousands:
                name = _MARK_NAMES.get(thousands, "space")
                parts.append(f"thousands separator: {name}")
            text = "; ".join(parts)
            notes.append(f"{text[0].upper()}{text[1:]}; in {columns_text(self.separated)}.")
        if self.missing:
            cells = self.missing.total()
            kinds = ", ".join(
                f"{clip(text, 20) if text else 'empty'} {count:,}×"
                for text, count in self.missing.most_common(6)
            )
            notes.append(
                f"Missing: {cells:,} cell{'s' if cells > 1 else ''} ({kinds}) "
                f"in {columns_text(self.holes)}."
            )
        if self.none:
            notes.append(
                f"'None' counts as a category, not as missing, in {columns_text(self.none)}."
            )
        if self.trimmed:
            notes.append(f"Spaces around cells were taken off in {columns_text(self.trimmed)}.")
        if self.codes:
            notes.append(
                f"'NA' counts as a code, not as missing, in {columns_text(self.codes)}; if it is "
                "missing, say so (missing_values=)."
            )
        if self.doubtful_codes:
            notes.append(
                f"'NA' counts as missing in {columns_text(self.doubtful_codes)}, but may be the "
                "code of a country or continent; if it is, say what is missing (missing_values=)."
            )
        return [*notes, *_first_of(self.doubtful), *_first_of(self.mixed)]


def _first_of(sentences: list[str]) -> list[str]:
    """Some of many sentences of one kind, and how many more there are."""
    more = len(sentences) - _MOST_NOTED
    others = [f"The same holds for {more:,} more column{'s' * (more > 1)}."] if more > 0 else []
    return sentences[:_MOST_NOTED] + others


@dataclass(frozen=True)
class Separators:
    """The separators within the numbers of a table."""

    decimal: str = "."
    thousands: str | None = None
    given: bool = False  # by a person, so that no column is in doubt
    doubtful_point: bool = False  # whether 1.500 may be one and a half as well as many
    presumed_comma: bool = False  # whether 1,2 is rather a number than two answers

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What a number looks like."""
        d = re.escape(self.decimal)
        whole = "(?:0|[1-9][0-9]*)"
        if self.thousands:
            t = re.escape(self.thousands)
            whole = f"(?:0|[1-9][0-9]{{0,2}}(?:{t}[0-9]{{3}})+|[1-9][0-9]*)"
        return re.compile(f"-?(?:{whole}(?:{d}[0-9]*)?|{d}[0-9]+)(?:[eE][+-][0-9]{{1,3}})?")

    def plain(self, text: str) -> str:
        """A number as a program writes it."""
        text = text.replace(self.thousands, "") if self.thousands else text
        return text.replace(self.decimal, ".")


USUAL = Separators()
_THOUSANDS = (",", ".", " ", "'", "\u00a0", "\u202f")
# The fewer the better: a column that is explained without thousands isn't given any.
_OTHERS = (
    Separators(","),
    *(Separators(d, t) for d in ".," for t in _THOUSANDS if t != d),
)


def read_values(
    columns: Sequence[tuple[Name, Texts]],
    grid: Grid,
    options: ReadOptions,
    guard: Guard,
    notes: list[str],
) -> tuple[Table, ReadOptions]:
    """The values of all columns."""
    missing = missing_texts(options)
    usual = options.missing_values is None
    stripped = [[value.strip() for value in texts.values] for _, texts in columns]
    separators = find_separators(
        ([cell for cell in cells if cell not in missing] for cells in stripped), options
    )
    lone = usual and sum("NA" in cells for cells in stripped) == 1
    done = CellNotes()
    found: dict[Name, Column] = {}
    for (name, texts), cells in zip(columns, stripped, strict=True):
        guard.tick()
        gone = missing
        if lone and (places := count_places(cells)):
            known = places >= _PLACES
            gone = missing - {"NA"} if known else missing
            (done.codes if known else done.doubtful_codes).append(name)
        elif usual and _DOT in cells:
            rest = [cell for cell in cells if cell not in missing and cell != _DOT]
            gone = missing if _numbers(rest, separators)[0] is None else missing | {_DOT}
        found[name] = _read_column(name, texts, cells, gone, separators, done, grid)
    notes.extend(done.sentences(separators.decimal, separators.thousands))
    used = options
    if not done.doubtful:
        used = replace(options, decimal=separators.decimal)
    return Table(grid.rows, found), used


def read_numbers(texts: list[str]) -> NDArray[Any] | None:
    """The numbers that all of some different texts are beyond doubt."""
    separators = find_separators([texts], ReadOptions())
    # Beside 900, 1.500 may be one and a half as well as many.
    whole = any(map(_INTEGER.fullmatch, texts))
    return _numbers(texts, replace(separators, doubtful_point=whole))[0]


def whole_numbers(numbers: NDArray[Any]) -> NDArray[Any]:
    """Floats as whole numbers, if all of them are."""
    whole = len(numbers) and (np.trunc(numbers) == numbers).all() and (abs(numbers) < _EXACT).all()
    return numbers.astype(np.int64) if whole else numbers


def missing_texts(options: ReadOptions) -> frozenset[str]:
    """The cells of a text table that count as missing, without spaces around them."""
    given = options.missing_values
    return MISSING_VALUES if given is None else frozenset(text.strip() for text in given)


def _read_column(
    name: Name,
    texts: Texts,
    cells: list[str],
    missing: frozenset[str],
    separators: Separators,
    notes: CellNotes,
    grid: Grid,
) -> Column:
    present = [cell for cell in cells if cell not in missing]
    _note_cells(name, texts, cells, present, notes)
    numbers, why = _numbers(present, separators)
    if numbers is None:
        keys: list[Any] = present
        if why:
            notes.doubtful.append(f"Column {clip(name)} stays text: {why}.")
        elif sentence := _mixed_sentence(name, texts, cells, grid):
            notes.mixed.append(sentence)
    else:
        keys = numbers.tolist()
        if why:
            notes.separated.append(name)
    kind = np.dtype(object) if numbers is None else numbers.dtype
    places = {key: k for k, key in enumerate(dict.fromkeys(keys))}
    values = np.fromiter(places, dtype=kind, count=len(places))
    if len(places) == len(cells):
        return Column(values, texts.codes, title=texts.title)
    known = iter(keys)
    table = [-1 if cell in missing else places[next(known)] for cell in cells]
    codes = np.array(table, dtype=texts.codes.dtype).take(texts.codes)
    return Column(values, codes, title=texts.title)


def _note_cells(
    name: Name, texts: Texts, cells: list[str], present: list[str], notes: CellNotes
) -> None:
    """Keep what was missing, nearly missing, or trimmed."""
    if len(present) < len(cells):
        notes.holes.append(name)
        kept = set(present)
        for cell, count in zip(cells, texts.counts.tolist(), strict=True):
            if cell not in kept:
                notes.missing[cell] += count
    if "None" in present:
        notes.none.append(name)
    if cells != texts.values:
        notes.trimmed.append(name)


def _numbers(present: list[str], separators: Separators) -> tuple[NDArray[Any] | None, str]:
    """The distinct cells as int64 or float64, and how they are separated if not as usual.

    None where they aren't numbers beyond doubt, and why, if they may be some.
    """
    plain = _plain_numbers(present, separators)
    if why := _doubt(present, plain, separators):
        return None, why
    if plain is None:
        return None, ""
    how = "" if plain is present else separators.decimal
    if all(map(_INTEGER.fullmatch, plain)):
        # Beyond 64 bits it's an identifier, and a float would lose its last digits.
        fits = all(len(value) <= 20 and int(value) in _INT64 for value in plain)
        return (np.array(list(map(int, plain)), dtype=np.int64) if fits else None), how * fits
    floats = list(map(float, plain))
    if not all(map(math.isfinite, floats)):
        return None, ""
    return whole_numbers(np.array(floats)), how


def _plain_numbers(present: list[str], separators: Separators) -> list[str] | None:
    """The distinct cells as a program writes numbers, or None where one isn't a number."""
    if present and all(map(_DECIMAL.fullmatch, present)):
        marked = separators.thousands == "." and _has_marked_thousands(present)
        return list(map(separators.plain, present)) if marked else present
    marked = separators.decimal != "." or separators.thousands is not None
    if present and marked and all(map(separators.pattern.fullmatch, present)):
        return list(map(separators.plain, present))
    return None


def _doubt(present: list[str], plain: list[str] | None, separators: Separators) -> str:
    """Why cells that may be numbers stay text; empty where nothing is in doubt."""
    if separators.given:
        return ""
    if plain is present:
        either = separators.doubtful_point and _has_marked_thousands(present)
    else:
        either = could_be_either(present) and not (separators.thousands and plain)
    if either:
        cell = next(cell for cell in present if not _INTEGER.fullmatch(cell))
        return (
            f"{clip(cell, 20)} may have decimals or thousands; give the decimal separator "
            "(decimal=)"
        )
    if plain is not present and _may_be_answers(present, separators):
        answers = next(cell for cell in present if "," in cell)
        return (
            f"{clip(answers, 20)} may be a number or two answers; if it is a number, give the "
            "decimal separator (decimal=',')"
        )
    return "" if plain is None else _written_otherwise(present, plain)


def _written_otherwise(present: list[str], plain: list[str]) -> str:
    """The first two numbers that aren't written in one way; empty where all are."""
    joined, numbers = "\n".join(plain), list(map(float, plain))
    if len(set(numbers)) < len(set(plain)):
        first: dict[float, str] = {}
        for text, number in zip(present, numbers, strict=True):
            other = first.setdefault(number, text)
            if other.lstrip("-") != text.lstrip("-"):
                return f"{_pair(other, text)} are one number; {_REMEDY}"
    if len(plain) > FEW_STATES:
        return ""  # measurements, whose digits some programs cut where they like
    bare = any(text.startswith((".", "-.")) for text in plain)
    zero = bare and any(text.startswith(("0.", "-0.")) for text in plain)
    if not zero and not (_NOT_SHORTEST.search(joined) and _NOT_POINTED.search(joined)):
        return ""
    decimals = [len(re.split("[.eE]", f"{text}.")[1] if "." in text else "") for text in plain]
    points = {"." in text for text in plain}
    if not zero and len(set(decimals)) == len(points) == 1:
        return ""
    other = next(
        (text for text, n in zip(present, decimals, strict=True) if n != decimals[0]), present[-1]
    )
    return f"{_pair(present[0], other)} are written in two ways; {_REMEDY}"


_REMEDY = "if they are numbers, not names, give the decimal separator (decimal=)"


def _pair(one: str, two: str) -> str:
    return f"{clip(one, 20)} and {clip(two, 20)}"


def _mixed_sentence(name: Name, texts: Texts, cells: list[str], grid: Grid) -> str | None:
    """The sentence on a column of numbers with a few cells of text."""
    limit = (len(cells) - 1) // 2
    odd = []
    for k, cell in enumerate(cells):
        if not _DECIMAL.fullmatch(cell) and cell not in MISSING_VALUES:
            odd.append(k)
            if len(odd) > limit:
                return None
    if not odd or len(cells) - len(odd) <= max(2, len(odd)):
        return None
    count = int(texts.counts[odd].sum())
    if count * 10 > texts.counts.sum():
        return None
    are = "cells aren't" if count > 1 else "cell isn't"
    place = grid.place(texts, odd[0])
    return (
        f"Column {clip(name)} holds numbers, but {count:,} {are} ({clip(texts.values[odd[0]], 20)} "
        f"in {place[0].lower()}{place[1:]}), so all of it is text."
    )


def find_separators(columns: Iterable[Sequence[str]], options: ReadOptions) -> Separators:
    """The separators within the numbers of a table."""
    given = None if options.decimal == AUTO else options.decimal
    semicolons = options.delimiter == ";"
    known = (given,) if given else "." if options.delimiter == "," else ".,"
    possible = [one for one in _OTHERS if one.decimal in known]
    votes: Counter[Separators] = Counter()
    points = marked = False
    for cells in columns:
        points |= semicolons and _shows_points(cells)
        marked |= given == "," and _has_marked_thousands(cells)
        fitting = _fitting(cells, possible)
        commas = fitting and fitting[0].decimal == ","
        if commas and _may_be_answers(cells, replace(fitting[0], presumed_comma=semicolons)):
            continue
        # All ways to read a column come to the same numbers.
        ways = {tuple(map(one.plain, cells)) for one in fitting}
        if len(ways) == 1 and (given or not could_be_either(cells)):
            votes[fitting[0]] += 1
    # Thousands that one column shows hold for those that have none to show.
    best = max(votes, key=lambda one: (votes[one], one.thousands is not None), default=None)
    if best is None:
        best = Separators(given or ".")
    elif best.thousands is None:
        best = next((o for o in votes if o.thousands and o.decimal == best.decimal), best)
    if marked and not best.thousands:
        best = Separators(",", ".")
    return replace(
        best,
        given=given is not None,
        doubtful_point=semicolons and not points and best.thousands != ".",
        presumed_comma=semicolons or best in votes,
    )


def could_be_either(cells: Sequence[str]) -> bool:
    """Whether a column shows numbers that may have thousands or decimals."""
    if not _has_hint(cells):
        return False
    odd = [cell for cell in cells if not USUAL.pattern.fullmatch(cell)]
    return bool(odd) and all(map(_EITHER.fullmatch, odd))


def _has_hint(cells: Sequence[str]) -> bool:
    """Whether cells have to be looked at one by one for separators."""
    joined = "\n".join(cells)
    hint = _HINT if any(mark in joined for mark in _MARKS) else _TWO_POINTS
    return hint.search(joined) is not None


def _has_marked_thousands(cells: Sequence[str]) -> bool:
    """Whether points may stand before thousands in a column of whole numbers."""
    odd = [cell for cell in cells if not _INTEGER.fullmatch(cell)]
    return bool(odd) and all("." in cell and _EITHER.fullmatch(cell) for cell in odd)


def _shows_points(cells: Sequence[str]) -> bool:
    """Whether a column has decimals behind a point beyond doubt."""
    if not all(map(_DECIMAL.fullmatch, cells)):
        return False
    return any("." in cell and not _EITHER.fullmatch(cell) for cell in cells)


def _may_be_answers(cells: Sequence[str], separators: Separators) -> bool:
    """Whether numbers with a comma may be lists of two answers, the smaller first."""
    found = [_ANSWERS.fullmatch(cell) for cell in cells if "," in cell]
    pairs = [(int(one[1]), int(one[2])) for one in found if one]
    if not pairs or len(pairs) < len(found) or any(a >= b for a, b in pairs):
        return False
    if not separators.presumed_comma:
        return True
    second = {b for _, b in pairs}
    alone = {int(cell) for cell in cells if _INTEGER.fullmatch(cell) and len(cell) < 4}
    return len(second) > 1 and second <= alone | {a for a, _ in pairs}


def _fitting(cells: Sequence[str], possible: Sequence[Separators]) -> list[Separators]:
    """The separators by which all cells are numbers; none where the usual ones do."""
    if not _has_hint(cells):
        return []
    odd = [cell for cell in cells if not USUAL.pattern.fullmatch(cell)]
    if not odd or not all(map(_MAYBE.fullmatch, odd)):
        return []
    return [one for one in possible if all(map(one.pattern.fullmatch, cells))]
