"""Values to codes twice: once to learn the states, later by the states that were learned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import pandas as pd

from bjp_engine.columns import Column, Table
from bjp_engine.dataset import Dataset, Name
from bjp_engine.errors import DataError, OptionError, clip
from bjp_engine.validate import frame_names

Missing = Literal["error", "state"]
Labels = tuple[tuple[str, ...], ...]


def code_first(frame: pd.DataFrame, categories: object, missing: Missing) -> Dataset:
    """Code a frame from which is to be learned."""
    if missing not in ("error", "state"):
        raise OptionError(f"missing={clip(missing)} is not known; use 'error' or 'state'.")
    if not len(frame):
        raise DataError("X has no rows; give at least one.")
    if not (isinstance(categories, str) and categories == "auto"):
        frame = _declared(frame, categories)
    return Dataset.from_frame(frame, missing=missing)


def _declared(frame: pd.DataFrame, categories: object) -> pd.DataFrame:
    """The frame with the states of each column declared."""
    names = frame_names(frame)
    if isinstance(categories, str) or not isinstance(categories, Sequence):
        raise OptionError("categories must be 'auto' or a list with the states of each column.")
    if len(categories) != len(names):
        raise OptionError(
            f"categories has {len(categories)} entries for {len(names)} columns; give one a column."
        )
    columns = {}
    for place, (name, states) in enumerate(zip(names, categories, strict=True)):
        column = frame.iloc[:, place]
        known = pd.Index(list(states))
        if known.hasnans or not known.is_unique:
            raise OptionError(
                f"categories has a missing or repeated state for the column {clip(name)}; "
                "name each state once."
            )
        strange = column[~column.isin(known) & column.notna()]
        if len(strange):
            raise DataError(_unknown(name, strange.iloc[0]))
        columns[place] = pd.Categorical(column, categories=known)
    declared = pd.DataFrame(columns, index=frame.index)
    declared.columns = frame.columns
    return declared


def code_again(
    frame: pd.DataFrame, names: tuple[Name, ...], labels: Labels, missing: Missing
) -> Dataset:
    """Code a frame by states that are known already."""
    table = Table.of(frame)
    columns: dict[Name, Column] = {}
    for name, given, states in zip(names, table.columns.values(), labels, strict=True):
        if given.holes and missing == "error":
            raise DataError(
                f"Column {clip(name)} has {given.holes} missing "
                f"value{'s' if given.holes > 1 else ''}; leave those rows out, or learn with "
                "missing='state'."
            )
        # A category that no row holds need not be known.
        columns[name], fresh = replace(given, declared=False).by_states(states, name)
        if fresh:
            raise DataError(_unknown(name, fresh[0]))
    return Dataset.from_table(Table(table.rows, columns))


def _unknown(name: Name, state: object) -> str:
    """Say that a state was never declared."""
    return (
        f"Column {clip(name)} holds {clip(state)}, which is none of its states; declare all states "
        "beforehand, as categories=[...] or as pandas Categorical columns."
    )
