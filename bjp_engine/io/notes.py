"""What a reader of a table should know before learning from it: its cells, and its columns."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np

from bjp_engine.columns import Column, Table
from bjp_engine.errors import clip, columns_text
from bjp_engine.identifiers import MANY_STATES, describe_identifier, is_code
from bjp_engine.validate import Name

_MOST, _MOST_CELLS = 8, 5
_SEPARATORS = {",": "comma", ".": "point", "'": "apostrophe"}


@dataclass
class CellNotes:
    """What was done to the cells of a table, for one sentence each."""

    missing: Counter[str] = field(default_factory=Counter)  # how often each text was
    holes: list[Name] = field(default_factory=list)  # columns with missing cells
    none: list[Name] = field(default_factory=list)  # columns with the category "None"
    trimmed: list[Name] = field(default_factory=list)  # columns with spaces around cells
    merged: list[tuple[Name, str, str]] = field(default_factory=list)  # two texts, one number
    separated: list[Name] = field(default_factory=list)  # numbers not as a program writes them
    either: list[tuple[Name, str]] = field(default_factory=list)  # decimals or thousands
    mixed: list[str] = field(default_factory=list)  # sentences on text among numbers

    def sentences(self, decimal: str = ".", thousands: str | None = None) -> list[str]:
        """What the reader of the table should know."""
        notes = []
        if self.separated:
            parts = ["decimal separator: comma"] if decimal == "," else []
            if thousands:
                name = _SEPARATORS.get(thousands, "space")
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
        notes.extend(
            f"Column {clip(name)}: {clip(one, 20)} and {clip(two, 20)} were read as one number."
            for name, one, two in self.merged[:_MOST_CELLS]
        )
        notes.extend(
            f"Column {clip(name)} stays text: {clip(cell, 20)} may have decimals or thousands; "
            "give the separators (decimal=, thousands=)."
            for name, cell in self.either[:_MOST_CELLS]
        )
        return notes + self.mixed[:_MOST_CELLS]


def note_columns(table: Table) -> list[str]:
    """Sentences on columns that will hardly serve as discrete variables."""
    constant: list[Name] = []
    empty: list[Name] = []
    crowded: list[str] = []
    for name, column in table.columns.items():
        states = int(np.count_nonzero(column.counts))
        if states == 0:
            empty.append(name)
        elif states == 1 and table.rows > 1:
            constant.append(name)
        elif sentence := _note_crowded(name, column, states):
            crowded.append(sentence)
    notes = crowded[:_MOST]
    if len(crowded) > _MOST:
        notes.append(f"{len(crowded) - _MOST} more columns have as many different values.")
    if constant:
        notes.append(
            f"Only one value occurs in {columns_text(constant)}; "
            "what never varies says nothing about the others."
        )
    if empty:
        notes.append(f"No value at all in {columns_text(empty)}; leave out what is empty.")
    if blank := table.empty_rows():
        notes.append(f"{blank:,} row{'s hold' if blank > 1 else ' holds'} no value at all.")
    return notes


def _note_crowded(name: Name, column: Column, states: int) -> str:
    """The sentence for a column with too many different values, or nothing."""
    found = "" if column.fractional else describe_identifier(name, column.values, column.counts)
    if not found and states > MANY_STATES and states > (column.rows - column.holes) / 10:
        measured = column.numeric and not is_code(name)
        what = "a measurement into a few bins" if measured else "rare values together"
        found = (
            f"Column {clip(name)} has {states:,} different values; group {what} in the file first."
        )
    return found
