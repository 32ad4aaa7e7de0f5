"""From a frame of values to codes, column by column, and from codes back to a frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bjp_engine.columnar import code_dtype
from bjp_engine.errors import DataError
from bjp_engine.labels import code_column
from bjp_engine.validate import (
    Missing,
    Name,
    check_missing,
    check_states,
    frame_names,
    missing_sentence,
    nothing_left_sentence,
)

if TYPE_CHECKING:
    import pandas as pd

Labels = tuple[str, ...]


def code_frame(
    frame: pd.DataFrame, missing: Missing
) -> tuple[NDArray[Any], tuple[Name, ...], tuple[Labels, ...]]:
    """Code every column of a frame."""
    names = frame_names(frame)
    check_missing(missing)
    absent = frame.isna().to_numpy()
    if absent.any():
        counts = absent.sum(axis=0)
        if missing == "error":
            raise DataError(missing_sentence(counts, names))
        if missing == "drop":
            complete = ~absent.any(axis=1)
            if not complete.any():
                raise DataError(nothing_left_sentence(counts, len(frame), names))
            frame = frame.iloc[np.flatnonzero(complete)]
    columns = [_narrow(frame.iloc[:, i], name) for i, name in enumerate(names)]
    labels = tuple(states for _, states in columns)
    codes = np.empty((len(frame), len(names)), code_dtype([*map(len, labels)]), order="F")
    for i, (column, _) in enumerate(columns):
        codes[:, i] = column
    return codes, names, labels


def _narrow(column: pd.Series[Any], name: Name) -> tuple[NDArray[Any], Labels]:
    """One column in the smallest type."""
    codes, labels = code_column(column, name)
    # A column without a single row still has one state.
    labels = labels or ("0",)
    check_states(len(labels), name)
    return codes.astype(code_dtype([len(labels)])), labels


def labelled_frame(
    codes: NDArray[Any], names: Sequence[Name], labels: Sequence[Labels]
) -> pd.DataFrame:
    """The frame of a coded table."""
    import pandas as pd

    columns = [
        pd.Categorical.from_codes(column, categories=pd.Index(states, dtype=object))
        for column, states in zip(codes.T, labels, strict=True)
    ]
    frame = pd.DataFrame(dict(enumerate(columns)))
    frame.columns = pd.Index(list(names), dtype=object)
    return frame
