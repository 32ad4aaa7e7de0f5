"""What a reader of a table should know before learning from it; nothing is changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from bjp_engine.dataset import Name
from bjp_engine.errors import clip, columns_text

# A discrete variable with more states than this leaves its tables empty.
MANY_STATES = 50
# In fewer rows all values may differ by chance.
_FEW_ROWS = 20
_MOST = 8


@dataclass(frozen=True)
class Glance:
    """What the remarks on one column rest on.

    Parameters
    ----------
    present : int
        How many cells aren't missing.
    states : int
        How many different values they hold.
    """

    name: Name
    dtype: Any
    present: int
    states: int


def remarks(frame: pd.DataFrame) -> list[str]:
    """Sentences on columns that will hardly serve as discrete variables."""
    glances = []
    for i, name in enumerate(frame.columns):
        column = frame.iloc[:, i]
        glances.append(Glance(name, column.dtype, int(column.notna().sum()), column.nunique()))
    return remarks_on(glances, len(frame), int(frame.isna().all(axis=1).sum()))


def remarks_on(columns: Sequence[Glance], rows: int, blank: int) -> list[str]:
    """The same sentences of what is known of a table."""
    constant: list[Name] = []
    empty: list[Name] = []
    crowded: list[str] = []
    for column in columns:
        if column.states == 0:
            empty.append(column.name)
        elif column.states == 1 and rows > 1:
            constant.append(column.name)
        elif sentence := _crowded(column):
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
    if blank:
        notes.append(f"{blank:,} row{'s hold' if blank > 1 else ' holds'} no value at all.")
    return notes


def _crowded(column: Glance) -> str:
    """The sentence for a column with too many different values, or nothing."""
    present, states = column.present, column.states
    numbers = pd.api.types.is_numeric_dtype(column.dtype)
    measured = numbers and pd.api.types.is_float_dtype(column.dtype)
    if states == present >= _FEW_ROWS and not measured:
        return (
            f"Column {clip(column.name)} has a different value in each of {present:,} rows; "
            "leave an identifier out."
        )
    if states > MANY_STATES and states > present / 10:
        what = "a measurement into a few bins" if numbers else "rare values together"
        return (
            f"Column {clip(column.name)} has {states:,} different values; "
            f"group {what} in the file first."
        )
    return ""
