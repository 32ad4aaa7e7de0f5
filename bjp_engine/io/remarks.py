"""What a reader of a table should know before learning from it; nothing is changed."""

from __future__ import annotations

import pandas as pd

from bjp_engine.dataset import Name
from bjp_engine.errors import clip
from bjp_engine.io.cells import columns_text

# A discrete variable with more states than this leaves its tables empty.
MANY_STATES = 50
# In fewer rows all values may differ by chance.
_FEW_ROWS = 20
_MOST = 8


def remarks(frame: pd.DataFrame) -> list[str]:
    """Sentences on columns that will hardly serve as discrete variables.

    Parameters
    ----------
    frame : pandas.DataFrame

    Returns
    -------
    list of str
        On columns that identify rows, look continuous, are constant or empty, and on empty rows.
    """
    constant: list[Name] = []
    empty: list[Name] = []
    crowded: list[str] = []
    for i, name in enumerate(frame.columns):
        column = frame.iloc[:, i]
        present, states = int(column.notna().sum()), int(column.nunique())
        if states == 0:
            empty.append(name)
        elif states == 1 and len(frame) > 1:
            constant.append(name)
        elif sentence := _crowded(name, column, present, states):
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
    if blank := int(frame.isna().all(axis=1).sum()):
        notes.append(f"{blank:,} row{'s hold' if blank > 1 else ' holds'} no value at all.")
    return notes


def _crowded(name: Name, column: pd.Series, present: int, states: int) -> str:
    """The sentence for a column with too many different values, or nothing."""
    numbers = pd.api.types.is_numeric_dtype(column.dtype)
    measured = numbers and pd.api.types.is_float_dtype(column.dtype)
    if states == present >= _FEW_ROWS and not measured:
        return (
            f"Column {clip(name)} has a different value in each of {present:,} rows; "
            "leave an identifier out."
        )
    if states > MANY_STATES and states > present / 10:
        what = "a measurement into a few bins" if numbers else "rare values together"
        return (
            f"Column {clip(name)} has {states:,} different values; group {what} in the file first."
        )
    return ""
