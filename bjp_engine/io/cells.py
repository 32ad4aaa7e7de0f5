"""From the text of a column to values: what is missing, what is a number, what is text.

A column becomes numbers only if every cell that isn't missing is a number as a program would
write it, or with the marks found for the table: "01", "+1" or "1e5" keep a column as text, so
that no two labels melt into one unseen.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bjp_engine.dataset import Name
from bjp_engine.errors import clip, columns_text
from bjp_engine.io.grid import Texts
from bjp_engine.io.marks import USUAL, Marks, could_be_either

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


@dataclass
class CellNotes:
    """What was done to the cells of a table, for one sentence each.

    Parameters
    ----------
    missing : Counter of str
        How often each text was taken for missing.
    holes, kept, trimmed, merged : list
        The columns with missing cells; with the category "None"; with spaces taken off;
        and those in which several texts read as one number, with two of them.
    marked, either : list
        The columns whose numbers have other marks than a decimal point; and those that may
        be numbers with one of two marks, with one such cell.
    mixed : list of str
        A sentence on each column of numbers with a few cells of text.
    """

    missing: Counter[str] = field(default_factory=Counter)
    holes: list[Name] = field(default_factory=list)
    kept: list[Name] = field(default_factory=list)
    trimmed: list[Name] = field(default_factory=list)
    merged: list[tuple[Name, str, str]] = field(default_factory=list)
    marked: list[Name] = field(default_factory=list)
    either: list[tuple[Name, str]] = field(default_factory=list)
    mixed: list[str] = field(default_factory=list)

    def sentences(self) -> list[str]:
        """What to tell the reader of the table."""
        notes = []
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
        if self.kept:
            notes.append(
                f"'None' counts as a category, not as missing, in {columns_text(self.kept)}."
            )
        if self.trimmed:
            notes.append(f"Spaces around cells were taken off in {columns_text(self.trimmed)}.")
        notes.extend(
            f"Column {clip(name)}: {clip(one, 20)} and {clip(two, 20)} were read as one number."
            for name, one, two in self.merged[:5]
        )
        notes.extend(
            f"Column {clip(name)} stays text: {clip(cell, 20)} may have decimals or thousands; "
            "say which mark is which (decimal=, thousands=)."
            for name, cell in self.either[:5]
        )
        return notes + self.mixed[:5]


def to_series(
    name: Name,
    texts: Texts,
    missing_values: Collection[str],
    notes: CellNotes,
    marks: Marks = USUAL,
) -> pd.Series[Any]:
    """The values of one column."""
    values = [value.strip() for value in texts.values]
    absent = np.array([value in missing_values for value in values], dtype=np.bool_)
    present = [value for value, gone in zip(values, absent, strict=True) if not gone]
    _note(name, texts, values, absent, notes)
    numbers = _numbers(present, marks)
    if numbers is None:
        if could_be_either(present):
            notes.either.append((name, next(c for c in present if not _DECIMAL.fullmatch(c))))
        cells = np.array(values, dtype=object)
        cells[absent] = None
        return pd.Series(cells[texts.codes], dtype="str")
    if not all(map(_DECIMAL.fullmatch, present)):
        notes.marked.append(name)
    _note_merged(name, present, numbers, notes)
    table = np.zeros(len(values), dtype=numbers.dtype)
    table[~absent] = numbers
    return number_series(table[texts.codes], absent[texts.codes])


def number_series(values: NDArray[Any], absent: NDArray[np.bool_]) -> pd.Series[Any]:
    """Numbers with holes; whole numbers stay whole."""
    if values.dtype.kind == "f":
        seen = values[~absent]
        if len(seen) and (np.trunc(seen) == seen).all() and (np.abs(seen) < _EXACT).all():
            values = np.where(absent, 0, values).astype(np.int64)
        else:
            return pd.Series(np.where(absent, np.nan, values))
    if absent.any():
        return pd.Series(pd.arrays.IntegerArray(values, absent.copy()))
    return pd.Series(values)


def _numbers(present: list[str], marks: Marks) -> NDArray[Any] | None:
    """The distinct cells as int64 or float64, or None where one isn't a number."""
    if not present:
        return None
    if marks is not USUAL and all(map(marks.pattern.fullmatch, present)):
        present = [marks.plain(text) for text in present]
    if all(_INTEGER.fullmatch(value) for value in present):
        # Beyond 64 bits it's an identifier, and a float would lose its last digits.
        fits = all(len(value) <= 20 and int(value) in _INT64 for value in present)
        return np.array([int(value) for value in present], dtype=np.int64) if fits else None
    if not all(_DECIMAL.fullmatch(value) for value in present):
        return None
    floats = [float(value) for value in present]
    return np.array(floats) if all(map(math.isfinite, floats)) else None


def _note(
    name: Name, texts: Texts, values: list[str], absent: NDArray[np.bool_], notes: CellNotes
) -> None:
    """Keep what was missing, nearly missing, or trimmed."""
    if absent.any():
        notes.holes.append(name)
        counts = texts.counts()
        for i in np.flatnonzero(absent):
            notes.missing[values[i]] += int(counts[i])
    if any(value == "None" and not gone for value, gone in zip(values, absent, strict=True)):
        notes.kept.append(name)
    if any(raw != value and value for raw, value in zip(texts.values, values, strict=True)):
        notes.trimmed.append(name)


def note_mixed(name: Name, texts: Texts, lines: NDArray[np.int64], where: str) -> str | None:
    """The sentence on a column of numbers with a few cells of text."""
    odd = [
        k
        for k, value in enumerate(map(str.strip, texts.values))
        if not _DECIMAL.fullmatch(value) and value not in MISSING_VALUES
    ]
    if not odd or len(texts.values) - len(odd) <= max(2, len(odd)):
        return None
    counts = texts.counts()
    cells = int(counts[odd].sum())
    if cells * 10 > counts.sum():
        return None
    line = lines[int(np.argmax(texts.codes == odd[0]))]
    are = "cells aren't" if cells > 1 else "cell isn't"
    return (
        f"Column {clip(name)} holds numbers, but {cells:,} {are} ({clip(texts.values[odd[0]], 20)} "
        f"in {where.lower()} {line}), so all of it is text."
    )


def _note_merged(name: Name, present: list[str], numbers: NDArray[Any], notes: CellNotes) -> None:
    """Keep two texts that became one number, if there are any."""
    first: dict[Any, str] = {}
    for text, number in zip(present, numbers.tolist(), strict=True):
        other = first.setdefault(number, text)
        if other != text:
            notes.merged.append((name, other, text))
            return
