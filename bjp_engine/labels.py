"""From the values of a column to codes and labels in a stable, natural order."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from bjp_engine.errors import DataError, clip

if TYPE_CHECKING:
    import pandas as pd

MISSING_LABEL = "(missing)"

_DIGITS = re.compile(r"(\d+)")
# Python refuses to read more of them as one number, since that takes long.
_MOST_DIGITS = 4000


def code_column(column: pd.Series[Any], name: object) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Code one column; missing cells become a last state of their own."""
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        values = list(column.cat.categories)
        codes = column.cat.codes.to_numpy().astype(np.int32)
    else:
        try:
            found, uniques = pd.factorize(column, use_na_sentinel=True)
        except TypeError:
            raise DataError(
                f"Column {clip(name)} holds lists or other containers; give one value a cell."
            ) from None
        values, codes = _in_natural_order(list(uniques), found)
    labels = [label_of(value) for value in values]
    _check_distinct(labels, values, name)
    absent = codes < 0
    if absent.any():
        own = MISSING_LABEL
        while own in labels:
            own += "'"
        codes = np.where(absent, len(labels), codes).astype(np.int32)
        labels.append(own)
    return codes, tuple(labels)


def label_of(value: object) -> str:
    """A value as text: whole numbers without a decimal point."""
    if isinstance(value, (float, np.floating)) and float(value).is_integer():
        return str(int(value))
    return str(value)


def natural_key(value: object) -> tuple[Any, ...]:
    """Sort key: numbers by size, then text with its digits read as numbers."""
    text = label_of(value)
    number = _number(value)
    if number is not None:
        return (0, number, text)
    pieces = tuple(
        (0, int(p), "") if p.isdecimal() and len(p) <= _MOST_DIGITS else (1, 0, p)
        for p in _DIGITS.split(text)
        if p
    )
    return (1, pieces, text)


def _number(value: object) -> float | None:
    """The value as a finite number, or None where it is something else."""
    if not isinstance(value, (int, float, np.number, np.bool_, str)):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if np.isfinite(number) else None


def _in_natural_order(
    values: list[Any], codes: NDArray[np.intp]
) -> tuple[list[Any], NDArray[np.int32]]:
    """Renumber first-seen codes so that values stand in natural order."""
    order = sorted(range(len(values)), key=lambda i: natural_key(values[i]))
    place = np.empty(len(values) + 1, dtype=np.int32)
    place[order] = np.arange(len(values), dtype=np.int32)
    place[-1] = -1  # the sentinel of a missing cell indexes the last entry
    return [values[i] for i in order], place[codes]


def _check_distinct(labels: list[str], values: list[Any], name: object) -> None:
    """Two states that read the same could not be told apart on any page."""
    seen: dict[str, Any] = {}
    for label, value in zip(labels, values, strict=True):
        if label in seen:
            kinds = f"{type(seen[label]).__name__} and as {type(value).__name__}"
            raise DataError(
                f"Column {clip(name)} holds {clip(label)} both as {kinds}; "
                "convert the column to one type."
            )
        seen[label] = value
