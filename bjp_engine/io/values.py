"""From the distinct texts of a column to values: what is missing, what is a number, what is text.

A column becomes numbers only if every cell that isn't missing is a number as a program would
write it, or with the separators detected for the table: "01", "+1" or "1e5" keep a column as text,
so that no two labels melt into one unseen. What the cells say beyond doubt is taken; "1,234" alone
may have decimals or thousands and stays text, with a note.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bjp_engine.columns import Column, Table
from bjp_engine.errors import clip
from bjp_engine.io.limits import Guard
from bjp_engine.io.notes import CellNotes
from bjp_engine.io.options import AUTO, THOUSANDS, ReadOptions
from bjp_engine.io.text import Grid, Texts
from bjp_engine.labels import place_codes
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
_INT64 = range(-(2**63), 2**63)
# Whole floats up to here are exact, and so are the integers made of them.
_EXACT = 2.0**53
_MAYBE = re.compile(r"-?[0-9]*[.,' \u00a0\u202f][0-9., '\u00a0\u202f]*[0-9](?:[eE][+-][0-9]{1,3})?")
# What a column must hold somewhere before its cells are looked at one by one.
_HINT = re.compile(r"[0-9][,' \u00a0\u202f][0-9]|^-?,[0-9]|\.[0-9]+\.", re.MULTILINE)
_EITHER = re.compile(r"-?[1-9][0-9]{0,2}[.,' \u00a0\u202f][0-9]{3}")


@dataclass(frozen=True)
class Separators:
    """The separators within the numbers of a table."""

    decimal: str = "."
    thousands: str | None = None

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
# The fewer the better: a column that is explained without thousands isn't given any.
_OTHERS = (
    Separators(","),
    *(Separators(d, t) for d in ".," for t in THOUSANDS if t != d),
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
    stripped = [[value.strip() for value in texts.values] for _, texts in columns]
    separators = find_separators(
        ([cell for cell in cells if cell not in missing] for cells in stripped), options
    )
    done = CellNotes()
    found: dict[Name, Column] = {}
    for (name, texts), cells in zip(columns, stripped, strict=True):
        guard.tick()
        found[name] = _read_column(name, texts, cells, missing, separators, done, grid)
    notes.extend(done.sentences(separators.decimal, separators.thousands))
    used = replace(options, decimal=separators.decimal, thousands=separators.thousands)
    return Table(grid.rows, found), used


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
    """The values of one column."""
    missing = missing - place_codes(cells) if missing is MISSING_VALUES else missing
    present = [cell for cell in cells if cell not in missing]
    _note_cells(name, texts, cells, present, notes)
    numbers = _numbers(present, separators)
    if numbers is None:
        keys: list[Any] = present
        _note_text(name, texts, cells, present, notes, grid)
    else:
        keys = numbers.tolist()
        _note_numbers(name, present, keys, notes)
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


def _note_text(
    name: Name,
    texts: Texts,
    cells: list[str],
    present: list[str],
    notes: CellNotes,
    grid: Grid,
) -> None:
    """Keep what might have been numbers."""
    if could_be_either(present):
        notes.either.append((name, next(c for c in present if not _DECIMAL.fullmatch(c))))
    if sentence := _mixed_sentence(name, texts, cells, grid):
        notes.mixed.append(sentence)


def _note_numbers(name: Name, present: list[str], numbers: list[Any], notes: CellNotes) -> None:
    """Keep separators, and two texts that became one number."""
    if not all(map(_DECIMAL.fullmatch, present)):
        notes.separated.append(name)
    first: dict[Any, str] = {}
    for text, number in zip(present, numbers, strict=True):
        other = first.setdefault(number, text)
        if other != text:
            notes.merged.append((name, other, text))
            return


def _numbers(present: list[str], separators: Separators) -> NDArray[Any] | None:
    """The distinct cells as int64 or float64, or None where one isn't a number."""
    if not present:
        return None
    if separators is not USUAL and all(map(separators.pattern.fullmatch, present)):
        present = [separators.plain(text) for text in present]
    if all(map(_INTEGER.fullmatch, present)):
        # Beyond 64 bits it's an identifier, and a float would lose its last digits.
        fits = all(len(value) <= 20 and int(value) in _INT64 for value in present)
        return np.array([int(value) for value in present], dtype=np.int64) if fits else None
    if not all(map(_DECIMAL.fullmatch, present)):
        return None
    floats = [float(value) for value in present]
    if not all(map(math.isfinite, floats)):
        return None
    whole = all(number.is_integer() and abs(number) < _EXACT for number in floats)
    return np.array(floats, dtype=np.int64 if whole else np.float64)


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
    if AUTO not in (options.decimal, options.thousands):
        return Separators(options.decimal, options.thousands)
    possible = [one for one in _OTHERS if _is_allowed(one, options)]
    votes: Counter[Separators] = Counter()
    for cells in columns:
        fitting = _fitting(cells, possible)
        if fitting and _is_sure(fitting, cells):
            votes[fitting[0]] += 1
    # Thousands that one column shows hold for those that have none to show.
    best = max(votes, key=lambda one: (votes[one], one.thousands is not None), default=None)
    if best is None:
        thousands = None if options.thousands == AUTO else options.thousands
        usual = "," if thousands == "." else "."
        return Separators(usual if options.decimal == AUTO else options.decimal, thousands)
    if best.thousands is None:
        return next((o for o in votes if o.thousands and o.decimal == best.decimal), best)
    return best


def could_be_either(cells: Sequence[str]) -> bool:
    """Whether a column shows numbers that may have thousands or decimals."""
    if not _HINT.search("\n".join(cells)):
        return False
    odd = [cell for cell in cells if not USUAL.pattern.fullmatch(cell)]
    return bool(odd) and all(map(_EITHER.fullmatch, odd))


def _is_allowed(separators: Separators, options: ReadOptions) -> bool:
    """Whether separators are among those that may be detected."""
    if options.decimal != AUTO:
        return separators.decimal == options.decimal
    if options.thousands != AUTO:
        return separators.thousands == options.thousands
    return separators.decimal == "." or options.delimiter != ","


def _fitting(cells: Sequence[str], possible: Sequence[Separators]) -> list[Separators]:
    """The separators by which all cells are numbers; none where the usual ones do."""
    if not _HINT.search("\n".join(cells)):
        return []
    odd = [cell for cell in cells if not USUAL.pattern.fullmatch(cell)]
    if not odd or not all(map(_MAYBE.fullmatch, odd)):
        return []
    return [one for one in possible if all(map(one.pattern.fullmatch, cells))]


def _is_sure(fitting: Sequence[Separators], cells: Sequence[str]) -> bool:
    """Whether all ways to read a column come to the same numbers."""
    ways = {tuple(map(one.plain, cells)) for one in fitting}
    return len(ways) == 1 and not could_be_either(cells)
