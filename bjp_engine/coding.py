"""Arrays and lists of whole numbers as codes, refusing what would be rounded or guessed."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import blocks
from bjp_engine.errors import DataError, clip
from bjp_engine.validate import is_number, is_pandas, unmasked


def as_array(table: object, name: str) -> NDArray[Any]:
    """A table as an array of two axes, whatever holds it."""
    try:
        array = unmasked(table, name)
    except ValueError as reason:
        if isinstance(reason, DataError):
            raise
        raise DataError(
            f"{name} has rows of different lengths; give each row all columns."
        ) from None
    if array.ndim != 2:
        raise DataError(
            f"{name} is not a table: it has {array.ndim} axes; its shape must be (rows, variables)."
        )
    return array


def as_list(value: object, name: str) -> Iterable[Any]:
    """A list, or whatever may stand for one."""
    if not isinstance(value, Iterable):
        raise DataError(f"{name} is {clip(value)}; give a list with an entry for each.")
    return value


def as_sizes(cardinalities: Sequence[int]) -> tuple[int, ...]:
    """Cardinalities as integers, refusing what would be rounded or guessed."""
    sizes = list(cardinalities) if isinstance(cardinalities, Iterable) else [None]
    if not all(is_number(r) and math.isfinite(r) and r == int(r) for r in sizes):
        raise DataError(
            f"cardinalities={clip(cardinalities)} must be a list of whole numbers, one per column."
        )
    return tuple(int(r) for r in sizes)


def as_codes(codes: object) -> NDArray[Any]:
    """Codes as an array of two axes."""
    if is_pandas(codes, "DataFrame"):
        raise DataError("codes is a DataFrame; use Dataset.from_frame, which keeps its names.")
    return as_array(codes, "codes")


def whole_numbers(table: NDArray[Any], names: Sequence[object]) -> NDArray[Any]:
    """A copy as codes, refusing what would be rounded."""
    if table.dtype.kind not in "iubf":
        raise DataError("codes must be whole numbers; use Dataset.from_frame for anything else.")
    for dtype in (np.uint8, np.uint16):
        codes = _narrowed(table, dtype, names)
        if codes is not None:
            return codes
    return table.astype(np.int64) if table.dtype.kind == "f" else table


def _narrowed(
    table: NDArray[Any], dtype: type[np.unsignedinteger[Any]], names: Sequence[object]
) -> NDArray[Any] | None:
    """The table in a small type, or None where that can't hold it."""
    largest = np.iinfo(dtype).max
    codes = np.empty(table.shape, dtype=dtype, order="F")
    for block in blocks(*table.shape):
        part = table[block]
        if part.dtype.kind == "f":
            part = _integers(part, block.start, names)
        # The bits of all numbers together: one reduction finds the negative and the large.
        if not 0 <= int(np.bitwise_or.reduce(part, axis=None)) <= largest:
            return None
        codes[block] = part.astype(dtype, copy=False)
    return codes


def _integers(part: NDArray[Any], start: int, names: Sequence[object]) -> NDArray[np.int64]:
    """Floats as integers, if they are whole."""
    with np.errstate(invalid="ignore"):
        whole: NDArray[np.int64] = part.astype(np.int64)
    same = whole == part
    if not same.all():
        row, column = np.argwhere(~same)[0]
        raise DataError(
            f"Column {clip(names[column])} holds {part[row, column]} in row {start + row + 1}; "
            "codes are whole numbers from 0 (use Dataset.from_frame for values)."
        )
    return whole
