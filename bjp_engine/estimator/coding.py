"""Values to codes twice: once to learn the states, later by the states that were learned."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bjp_engine.dataset import Dataset, Name
from bjp_engine.errors import DataError, OptionError, clip
from bjp_engine.labels import code_column
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
    columns = [
        _by_label(frame.iloc[:, place], name, states, missing)
        for place, (name, states) in enumerate(zip(names, labels, strict=True))
    ]
    return Dataset.from_codes(np.stack(columns, axis=1), [*map(len, labels)], names, labels)


def _by_label(
    column: pd.Series[Any], name: Name, states: tuple[str, ...], missing: Missing
) -> NDArray[np.int64]:
    """The codes of a column, by the text of its values."""
    absent = int(column.isna().sum())
    if absent and missing == "error":
        raise DataError(
            f"Column {clip(name)} has {absent} missing value{'s' if absent > 1 else ''}; "
            "leave those rows out, or learn with missing='state'."
        )
    codes, found = code_column(column, name)
    place = {label: code for code, label in enumerate(states)}
    known = np.array([place.get(label, -1) for label in found], dtype=np.int64)
    coded: NDArray[np.int64] = known[codes]
    if (coded < 0).any():
        raise DataError(_unknown(name, found[codes[int(np.argmax(coded < 0))]]))
    return coded


def _unknown(name: Name, state: object) -> str:
    """Say that a state was never declared."""
    return (
        f"Column {clip(name)} holds {clip(state)}, which is none of its states; declare all states "
        "beforehand, as categories=[...] or as pandas Categorical columns."
    )
