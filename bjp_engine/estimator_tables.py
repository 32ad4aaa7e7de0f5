"""What `BlanketLearner` makes of tables: states declared, a target column that may be absent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bjp_engine.columns import Column, arrow_table
from bjp_engine.dataset import Dataset, Name
from bjp_engine.errors import DataError, OptionError, clip
from bjp_engine.labels import MISSING_LABEL
from bjp_engine.parameters.network import unknown_state
from bjp_engine.validate import (
    check_long,
    frame_names,
    is_arrow,
    is_pandas,
    unmasked,
    whole_frequencies,
)


def declare_states(frame: pd.DataFrame, categories: object) -> pd.DataFrame:
    """The frame with the states of each column declared."""
    names = frame_names(frame)
    if isinstance(categories, str) or not isinstance(categories, Sequence):
        raise OptionError("categories must be 'auto' or a list with the states of each column.")
    if len(categories) != len(names):
        raise OptionError(
            f"categories has {len(categories)} entries for {len(names)} columns; give one per "
            "column."
        )
    columns = []
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
            raise DataError(unknown_state(name, strange.iloc[0], known))
        columns.append(column.astype(pd.CategoricalDtype(known)))
    declared = pd.concat(columns, axis=1)
    declared.columns = frame.columns
    return declared


def repeat_rows(frame: pd.DataFrame, frequencies: object) -> pd.DataFrame:
    """Each row as often as its frequency says."""
    counts = whole_frequencies(frequencies, len(frame))
    check_long(counts, len(frame.columns))
    if not counts.any():
        raise DataError("Every weight in sample_weight is zero; give a row at least 1.")
    return frame.iloc[np.repeat(np.arange(len(frame)), counts)]


def as_frame(table: Any) -> Any:
    """A Dataset, or a table that comes as Arrow, as a DataFrame; anything else as it is."""
    if isinstance(table, Dataset):
        return table.to_frame()
    if is_arrow(table):
        return arrow_table(table).to_pandas()
    return table


def add_target(frame: pd.DataFrame, target: Name, y: Any) -> pd.DataFrame:
    """The frame with its target, which y holds where no column does."""
    if target in frame.columns:
        return frame
    if y is None:
        raise no_target(target)
    cells = y if is_pandas(y, "Series") else unmasked(y, "y")
    if np.shape(cells) == (len(frame), 1):
        cells = np.ravel(cells)
    if np.shape(cells) != (len(frame),):
        raise DataError(f"y must hold {len(frame)} cells, one per row of X.")
    column = pd.Series(cells).set_axis(frame.index)
    return pd.concat([frame, column.rename(target)], axis=1)


def no_target(target: Name) -> DataError:
    """Say that the target's cells are nowhere."""
    return DataError(
        f"X has no column {clip(target)}, which is the target; give its cells as y, or in X."
    )


def place_target(table: Any, target: Name, place: int, cells: Any, *, held: bool) -> Any:
    """The table with these cells as its column at a place; it may hold others there."""
    if is_pandas(table, "DataFrame"):
        placed = table.drop(columns=[target], errors="ignore")
        placed.insert(min(place, len(placed.columns)), target, np.asarray(cells, dtype=object))
        return placed
    array = np.array(table, dtype=object)
    if not held:
        return np.insert(array, place, cells, axis=1)
    array[:, place] = cells
    return array


def class_values(cells: pd.Series[Any], labels: Sequence[str], name: Name) -> NDArray[Any]:
    """The value of each state of a column, of the column's own type where no cell is missing."""
    column = Column.of(cells, name)
    values = dict(zip(column.labels, column.values.tolist(), strict=True))
    found = [values.get(label, MISSING_LABEL) for label in labels]
    if column.values.dtype.kind == "O" or MISSING_LABEL in found:
        return np.fromiter(found, dtype=object)
    return np.array(found, dtype=column.values.dtype)
