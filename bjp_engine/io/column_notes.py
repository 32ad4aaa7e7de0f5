"""What a reader of a table should know before learning from it; nothing is changed."""

from __future__ import annotations

import numpy as np

from bjp_engine.columns import Column, Table
from bjp_engine.dataset import Name
from bjp_engine.errors import clip, columns_text

# A discrete variable with more states than this leaves its tables empty.
MANY_STATES = 50
# In fewer rows all values may differ by chance.
_FEW_ROWS = 20
_MOST = 8


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
    present = column.rows - column.holes
    if states == present >= _FEW_ROWS and column.values.dtype.kind != "f":
        return (
            f"Column {clip(name)} has a different value in each of {present:,} rows; "
            "leave an identifier out."
        )
    if states > MANY_STATES and states > present / 10:
        what = "a measurement into a few bins" if column.numeric else "rare values together"
        return (
            f"Column {clip(name)} has {states:,} different values; group {what} in the file first."
        )
    return ""
