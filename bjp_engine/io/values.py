"""From the distinct texts of a column to values: what is missing, what is a number, what is text.

A column becomes numbers only if every cell that isn't missing is a number and no two of them are
one; up to a dozen also have to be written in one way that gives the same text again. So "01", "+1"
or "1.1" beside "1.10" keep a column as text, and no two labels melt into one unseen. A comma or
point that may part decimals, thousands or several answers leaves a column as text, with a note,
unless the column or another one shows which.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bjp_engine.columns import FEW_STATES, Column, Table
from bjp_engine.errors import clip, columns_text
from bjp_engine.io.limits import Guard
from bjp_engine.io.options import AUTO, ReadOptions
from bjp_engine.labels import count_places
from bjp_engine.validate import Name

if TYPE_CHECKING:
    from bjp_engine.io.text import Grid

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
# What may have three decimals as well as thousands, and what may be two answers.
_EITHER = re.compile(r"-?[1-9][0-9]{0,2}[.,' ][0-9]{3}")
_ANSWERS = re.compile(r"([1-9][0-9]?),([1-9][0-9]?)")
# Among so many codes of countries or continents NA is one, too.
_PLACES = 3
# Signs of money, and of parts of a hundred or a thousand, before or after a number.
_SIGN = "[$¢£¤¥฿₩₪₫€₱₹₺₽₿%‰°]"
_SIGNED = re.compile(rf"(-?)(?:({_SIGN})\s*(-?[0-9.,].*)|([0-9.,].*?)\s*({_SIGN}))")
_MINUS = re.compile(rf"[−–]\s?(?=[0-9.,]|{_SIGN})")
# What SAS, Stata and SPSS write for a missing number.
_DOT = "."
_MOST_NOTED = 5
_MARK_NAMES = {",": "comma", ".": "point", "'": "apostrophe"}


class Way(NamedTuple):
    """How the numbers of a column are written."""

    decimal: str = "."
    thousands: str = ""

    def plain(self, text: str) -> str:
        """A number as a program writes it."""
        return text.replace(self.thousands, "").replace(self.decimal, ".")

    @property
    def sentence(self) -> str:
        """The note on columns that are written like this, which are named in it."""
        parts = ["decimal separator: comma"] * (self.decimal == ",")
        if self.thousands:
            parts.append(f"thousands separator: {_MARK_NAMES.get(self.thousands, 'space')}")
        text = "; ".join(parts)
        return f"{text[0].upper()}{text[1:]}; in {{}}."


def _pattern(way: Way) -> re.Pattern[str]:
    d, whole = re.escape(way.decimal), "(?:0|[1-9][0-9]*)"
    if way.thousands:
        whole = f"(?:0|[1-9][0-9]{{0,2}}(?:{re.escape(way.thousands)}[0-9]{{3}})+|[1-9][0-9]*)"
    return re.compile(f"-?(?:{whole}(?:{d}[0-9]*)?|{d}[0-9]+)(?:[eE][+-][0-9]{{1,3}})?")


USUAL, _POINTS = Way(), Way(",", ".")
# The fewer marks the better: a column that is explained without thousands isn't given any.
_PATTERNS = {
    way: _pattern(way)
    for way in (Way(","), *(Way(d, t) for d in ".," for t in ",.' \u00a0\u2009\u202f" if t != d))
}


@dataclass(frozen=True)
class _Known:
    """What a column alone doesn't show of its numbers."""

    given: str | None = None  # the decimal separator by a person, so that nothing is in doubt
    delimiter: str | None = None
    points: bool = False  # whether a column has decimals behind a point beyond doubt
    ways: tuple[Way, ...] = ()  # of other columns

    @property
    def commas(self) -> bool:
        """Whether a comma rather parts decimals."""
        return self.delimiter == ";" or any(way.decimal == "," for way in self.ways)


class _Cells(NamedTuple):
    """The distinct cells of a column that aren't missing."""

    present: list[str]
    plain: list[str] | None  # as a program writes numbers; None where they are text
    way: Way = USUAL
    why: str = ""  # they stay text though they may be numbers
    sign: str = ""  # before or after each number


def read_values(
    columns: Sequence[tuple[Name, Column]],
    grid: Grid,
    options: ReadOptions,
    guard: Guard,
    notes: list[str],
) -> tuple[Table, ReadOptions]:
    """The values of all columns."""
    stripped = [[value.strip() for value in texts.values] for _, texts in columns]
    named = defaultdict[str, list[Name]](list)
    found = _read_all(stripped, _missing_in(columns, stripped, options, named), options)
    table, counts = dict[Name, Column](), Counter[str]()
    holes, doubts, mixed = list[Name](), list[str](), list[str]()
    for (name, texts), cells, one in zip(columns, stripped, found, strict=True):
        guard.tick()
        column = table[name] = _column(texts, cells, one)
        present = set(one.present)
        if len(one.present) < len(cells):
            holes.append(name)
            for cell, rows in zip(cells, texts.counts.tolist(), strict=True):
                counts[cell] += rows * (cell not in present)
        if one.why:
            doubts.append(f"Column {clip(name)} stays text: {one.why}.")
        elif one.plain is None:
            mixed += _note_mixed(name, texts, cells, grid)
        for sentence in _remarks(one, cells, texts, numeric=column.numeric):
            named[sentence].append(name)
    notes += note_missing(counts, holes)
    notes += [sentence.format(columns_text(names)) for sentence, names in named.items()]
    notes += [*doubts, *mixed][:_MOST_NOTED]
    if (more := len(doubts) + len(mixed) - _MOST_NOTED) > 0:
        notes.append(f"Further columns of these kinds: {more:,}.")
    return Table(grid.rows, table), _with_decimal(options, found)


def _remarks(found: _Cells, cells: list[str], texts: Column, *, numeric: bool) -> Iterator[str]:
    """The notes on how the cells of a column are written, which are named in them."""
    if "None" in found.present:
        yield "'None' counts as a category, not as missing, in {}."
    if cells != texts.values.tolist():
        yield "Spaces around cells were taken off in {}."
    if numeric and found.way != USUAL:
        yield found.way.sentence
    if numeric and found.sign:
        yield f"The sign {found.sign!r} was left off the numbers in {{}}."
    for sign in sorted({cell[0] for cell in found.present if numeric and _MINUS.match(cell)}):
        yield f"'{sign}' was read as a minus sign in {{}}."


def _with_decimal(options: ReadOptions, found: Sequence[_Cells]) -> ReadOptions:
    """The options with the decimal separator of the table, if it has one and none is in doubt."""
    decimals = {one.way.decimal for one in found if one.way != USUAL}
    both = "," in decimals and any(
        one.plain and one.way == USUAL and _shows_points(one.plain) for one in found
    )
    if both or len(decimals) > 1 or any(one.why for one in found):
        return options
    usual = "." if options.decimal == AUTO else options.decimal
    return replace(options, decimal=next(iter(decimals), usual))


def _read_all(
    columns: Sequence[Sequence[str]], missing: Iterable[frozenset[str]], options: ReadOptions
) -> list[_Cells]:
    """The cells of all columns; where one shows how its numbers are written, the others follow."""
    kept = [
        [cell for cell in cells if cell not in gone]
        for cells, gone in zip(columns, missing, strict=True)
    ]
    given = None if options.decimal == AUTO else options.decimal
    known = _Known(given, options.delimiter, any(map(_shows_points, kept)))
    dots = options.missing_values is None
    found = [_read_cells(cells, known, dots=dots) for cells in kept]
    if ways := tuple(dict.fromkeys(one.way for one in found if one.way != USUAL)):
        known = replace(known, ways=ways)
        found = [_read_cells(cells, known, dots=dots) for cells in kept]
    return found


def _missing_in(
    columns: Sequence[tuple[Name, Column]],
    stripped: Sequence[Sequence[str]],
    options: ReadOptions,
    named: dict[str, list[Name]],
) -> Iterator[frozenset[str]]:
    """What counts as missing in each column: NA does, unless it alone has it, among countries."""
    missing = missing_texts(options)
    lone = options.missing_values is None and sum("NA" in cells for cells in stripped) == 1
    for (name, _), cells in zip(columns, stripped, strict=True):
        places = count_places(cells) if lone else 0
        if places:
            named[_CODES if places >= _PLACES else _DOUBTFUL_CODES].append(name)
        yield missing - {"NA"} if places >= _PLACES else missing


_CODES = "'NA' counts as a code, not as missing, in {}; if it is missing, say so (missing_values=)."
_DOUBTFUL_CODES = (
    "'NA' counts as missing in {}, but may be the code of a country or continent; if it is, say "
    "what is missing (missing_values=)."
)


def note_missing(counts: Counter[str], names: Sequence[Name]) -> list[str]:
    """The sentence on missing cells: how often each text was, in which columns."""
    cells = counts.total()
    kinds = ", ".join(
        f"{clip(text, 20) if text else 'empty'} {count:,}×"
        for text, count in (+counts).most_common(6)
    )
    where = f"cell{'s' * (cells > 1)} ({kinds}) in {columns_text(names)}."
    return [f"Missing: {cells:,} {where}"] if cells else []


def read_numbers(texts: list[str]) -> NDArray[Any] | None:
    """The numbers that all of some different texts are beyond doubt."""
    # Beside 900, 1.500 may be one and a half as well as many.
    odd = [text for text in texts if not _INTEGER.fullmatch(text)]
    if len(odd) < len(texts) and _are_either(odd):
        return None
    return _as_numbers(_read_cells(texts, _Known()).plain)


def whole_numbers(numbers: NDArray[Any]) -> NDArray[Any]:
    """Floats as whole numbers, if all of them are."""
    whole = len(numbers) and (np.trunc(numbers) == numbers).all() and (abs(numbers) < _EXACT).all()
    return numbers.astype(np.int64) if whole else numbers


def missing_texts(options: ReadOptions) -> frozenset[str]:
    """The cells of a text table that count as missing, without spaces around them."""
    given = options.missing_values
    return MISSING_VALUES if given is None else frozenset(text.strip() for text in given)


def _column(texts: Column, cells: list[str], found: _Cells) -> Column:
    """A column by its numbers, or by its texts."""
    numbers = _as_numbers(found.plain)
    keys: list[Any] = found.present if numbers is None else numbers.tolist()
    kind = np.dtype(object) if numbers is None else numbers.dtype
    places = {key: k for k, key in enumerate(dict.fromkeys(keys))}
    values = np.fromiter(places, dtype=kind, count=len(places))
    place = {cell: places[key] for cell, key in zip(found.present, keys, strict=True)}
    table = np.array([place.get(cell, -1) for cell in cells], dtype=texts.codes.dtype)
    return Column(values, table.take(texts.codes), title=texts.title)


def _as_numbers(plain: list[str] | None) -> NDArray[Any] | None:
    """Numbers as int64 or float64, unless that would lose any of them."""
    if plain is None:
        return None
    if all(map(_INTEGER.fullmatch, plain)):
        # Beyond 64 bits it's an identifier, and a float would lose its last digits.
        fits = all(len(value) <= 20 and int(value) in _INT64 for value in plain)
        return np.array(list(map(int, plain)), dtype=np.int64) if fits else None
    floats = np.array(list(map(float, plain)))
    return whole_numbers(floats) if np.isfinite(floats).all() else None


def _read_cells(cells: list[str], known: _Known, *, dots: bool = False) -> _Cells:
    """Decide whether cells are numbers, all with one sign or none; a lone dot is missing then."""
    kept, sign = [cell for cell in cells if not dots or cell != _DOT], ""
    found = _decide(kept, known)
    if found.plain is None and not found.why:
        bare, sign = _bare(kept)
        found = _decide(bare, known, sign)
    return found._replace(present=cells if found.plain is None else kept, sign=sign)


def _bare(cells: list[str]) -> tuple[list[str], str]:
    """Numbers with the usual minus and without the one sign that all have, such as 12 % or €5."""
    cells = [_MINUS.sub("-", cell, 1) if cell[:1] in "−–" else cell for cell in cells]
    found = [*map(_SIGNED.fullmatch, cells[:1])]
    if not all(found):
        return cells, ""
    found = [*map(_SIGNED.fullmatch, cells)]
    signs = {one and (one[2] or one[5]) for one in found}
    if len(signs) != 1:
        return cells, ""
    return [one[1] + (one[3] or one[4]) for one in found if one], signs.pop() or ""


def _decide(cells: list[str], known: _Known, sign: str = "") -> _Cells:
    plain = bool(cells) and all(map(_DECIMAL.fullmatch, cells))
    odd = [cell for cell in cells if not (_INTEGER if plain else _DECIMAL).fullmatch(cell)]
    either = _are_either(odd)
    fitting = [USUAL, *[_POINTS] * either] * plain
    if cells and not plain:
        fitting = [w for w, pattern in _PATTERNS.items() if all(map(pattern.fullmatch, cells))]
    if known.given:
        fitting = [way for way in fitting if way.decimal == known.given] or [USUAL] * plain
    if not fitting:
        return _Cells(cells, None)
    # No money has three decimals.
    money = sign and sign not in "%‰°"
    ways = fitting if money and either else [way for way in known.ways if way in fitting]
    shown = [way for way in ways if way.thousands]
    way = next(iter(shown), fitting[0])
    numbers = cells if way == USUAL else list(map(way.plain, cells))
    commas = [cell for cell in odd if "," in cell and way.decimal == ","]
    if known.given:
        why = ""
    elif either and not shown and (way != USUAL or (known.commas and not known.points)):
        why = "may have decimals or thousands; give the decimal separator (decimal=)"
        why = f"{clip(odd[0], 20)} {why}"
    elif sign:
        why = ""
    elif commas and (known.delimiter == "," or _may_be_answers(cells, known.commas)):
        why = "may be a number or two answers; if it is a number, give the decimal separator"
        why = f"{clip(commas[0], 20)} {why} (decimal=',')"
    else:
        why = _written(cells, numbers)
    return _Cells(cells, None, why=why) if why else _Cells(cells, numbers, way)


def _are_either(odd: Sequence[str]) -> bool:
    """Whether each of some cells may have three decimals as well as thousands."""
    return bool(odd) and all(map(_EITHER.fullmatch, odd))


def _shows_points(cells: Sequence[str]) -> bool:
    """Whether a column has decimals behind a point beyond doubt."""
    if not all(map(_DECIMAL.fullmatch, cells)):
        return False
    return any("." in cell and not _EITHER.fullmatch(cell) for cell in cells)


def _may_be_answers(cells: Sequence[str], presumed: bool) -> bool:
    """Whether numbers with a comma may be lists of two answers, the smaller first."""
    found = [_ANSWERS.fullmatch(cell) for cell in cells if "," in cell]
    pairs = [(int(one[1]), int(one[2])) for one in found if one]
    if not pairs or len(pairs) < len(found) or any(a >= b for a, b in pairs):
        return False
    if not presumed:
        return True
    second = {b for _, b in pairs}
    alone = {int(cell) for cell in cells if _INTEGER.fullmatch(cell) and len(cell) < 4}
    return len(second) > 1 and second <= alone | {a for a, _ in pairs}


def _written(cells: list[str], plain: list[str]) -> str:
    """The first two numbers that are one or aren't written alike; empty where all are."""
    remedy = "if they are numbers, not names, give the decimal separator (decimal=)"
    first: dict[float, str] = {}
    for text, number in zip(cells, map(float, plain), strict=True):
        other = first.setdefault(number, text)
        if other.lstrip("-") != text.lstrip("-"):
            return f"{clip(other, 20)} and {clip(text, 20)} are one number; {remedy}"
    if len(plain) > FEW_STATES:
        return ""  # measurements, whose digits some programs cut where they like
    joined = "\n".join(plain)
    mixed = all(re.search(rf"^-?{zero}\.", joined, re.MULTILINE) for zero in ("", "0"))
    if not mixed and not (_NOT_SHORTEST.search(joined) and _NOT_POINTED.search(joined)):
        return ""
    decimals = [len(re.split("[.eE]", f"{text}.")[1]) if "." in text else -1 for text in plain]
    if not mixed and len(set(decimals)) == 1:
        return ""
    other = next((c for c, n in zip(cells, decimals, strict=True) if n != decimals[0]), cells[-1])
    return f"{clip(cells[0], 20)} and {clip(other, 20)} are written in two ways; {remedy}"


def _note_mixed(name: Name, texts: Column, cells: Sequence[str], grid: Grid) -> Iterator[str]:
    """The sentence on a column of numbers with a few cells of text."""
    odd = [k for k, c in enumerate(cells) if not _DECIMAL.fullmatch(c) and c not in MISSING_VALUES]
    count = int(texts.counts[odd].sum())
    if not odd or len(cells) - len(odd) <= max(2, len(odd)) or count * 10 > texts.counts.sum():
        return
    are = "cells aren't" if count > 1 else "cell isn't"
    place = grid.place(texts, odd[0])
    yield (
        f"Column {clip(name)} holds numbers, but {count:,} {are} ({clip(texts.values[odd[0]], 20)} "
        f"in {place[0].lower()}{place[1:]}), so all of it is text."
    )
