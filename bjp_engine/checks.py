"""What a table must be to become a Dataset, and the sentences that say where it is not."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bjp_engine.errors import DataError, clip, is_number

Name = str | int

# Beyond this a column is an identifier or a measurement; and 16 bits hold every code.
MAX_STATES = 1 << 16
NAMELESS = ""


def plain_name(name: object) -> Name:
    """A column name as str, or as int where it is a whole number."""
    if isinstance(name, (int, np.integer)) and not isinstance(name, (bool, np.bool_)):
        return int(name)
    if name is None or name is pd.NA or (isinstance(name, float) and np.isnan(name)):
        return NAMELESS
    return name if type(name) is str else str(name)


def frame_names(frame: object) -> tuple[Name, ...]:
    """The columns of a DataFrame by name, fit to name variables."""
    if not isinstance(frame, pd.DataFrame):
        raise DataError(
            f"frame is of type {type(frame).__name__}; give a pandas DataFrame with a column "
            "for each variable."
        )
    names = tuple(plain_name(name) for name in frame.columns)
    if not names:
        raise DataError("The table has no columns; give it at least one variable.")
    check_names(names)
    return names


def plain_table(codes: object) -> NDArray[Any]:
    """Codes as an array of two axes, whatever holds them."""
    if isinstance(codes, pd.DataFrame):
        raise DataError("codes is a DataFrame; use Dataset.from_frame, which keeps its names.")
    try:
        table = np.asarray(codes)
    except ValueError:
        raise DataError("codes has rows of different lengths; give each row all columns.") from None
    if table.ndim != 2:
        raise DataError(
            f"codes is no table but has {table.ndim} axes; its shape must be (rows, variables)."
        )
    return table


def check_names(names: tuple[Name, ...]) -> None:
    """Names must be distinct and visible: they become nodes and headings."""
    seen: set[str] = set()
    for position, name in enumerate(names):
        text = str(name)
        if not text.strip():
            raise DataError(f"Column {position + 1} has no name; give it one.")
        if text in seen:
            raise DataError(f"Two columns are named {clip(text)}; rename one of them.")
        seen.add(text)


def check_codes(codes: NDArray[Any], cardinalities: Sequence[int], names: Sequence[Name]) -> None:
    """Every code within its column's states."""
    if codes.ndim != 2 or codes.shape[1] == 0:
        raise DataError("The table has no columns; give it at least one variable.")
    n = codes.shape[1]
    for what, parts in (("cardinalities", cardinalities), ("names", names)):
        if len(parts) != n:
            raise DataError(f"{what} has {len(parts)} entries for {n} columns; give one a column.")
    for name, r in zip(names, cardinalities, strict=True):
        if not 1 <= r <= MAX_STATES:
            raise DataError(
                f"Column {clip(name)} has {r} states; a variable has 1 to {MAX_STATES} "
                "(group a measurement into bins, leave an identifier out)."
            )
    if not len(codes):
        return
    low, high = codes.min(axis=0), codes.max(axis=0)
    for name, r, smallest, largest in zip(names, cardinalities, low, high, strict=True):
        if smallest < 0 or largest >= r:
            wrong = smallest if smallest < 0 else largest
            raise DataError(
                f"Column {clip(name)} holds the code {wrong}, but its codes run from 0 to {r - 1}; "
                "recode it or raise its cardinality."
            )


def whole_numbers(table: NDArray[Any], names: Sequence[Name]) -> NDArray[np.int64]:
    """The table as integers, refusing what would be rounded."""
    if table.dtype.kind in "iub":
        return table.astype(np.int64)
    if table.dtype.kind == "f":
        whole = np.isfinite(table) & (np.trunc(table) == table)
        if whole.all():
            return table.astype(np.int64)
        row, column = np.argwhere(~whole)[0]
        raise DataError(
            f"Column {clip(names[column])} holds {table[row, column]} in row {row + 1}; "
            "codes are whole numbers from 0 (use Dataset.from_frame for values)."
        )
    raise DataError("codes must be whole numbers; use Dataset.from_frame for anything else.")


def whole_sizes(cardinalities: Sequence[int]) -> tuple[int, ...]:
    """Cardinalities as integers, refusing what would be rounded or guessed."""
    sizes = list(cardinalities) if isinstance(cardinalities, Iterable) else [None]
    if not all(is_number(r) and math.isfinite(r) and r == int(r) for r in sizes):
        raise DataError(
            f"cardinalities={clip(cardinalities)} must be a list of whole numbers, one a column."
        )
    return tuple(int(r) for r in sizes)


def code_dtype(cardinalities: Sequence[int]) -> type[np.unsignedinteger[Any]]:
    """The smallest type that holds every code, for the sake of memory bandwidth."""
    largest = max(cardinalities, default=1)
    return np.uint8 if largest <= 1 << 8 else np.uint16


def missing_sentence(absent: NDArray[np.bool_], names: Sequence[Name]) -> str:
    """Say where cells are missing, worst column first."""
    counts = absent.sum(axis=0)
    worst = int(np.argmax(counts))
    others = int((counts > 0).sum()) - 1
    also = (
        f" (and {others} other column{'s have' if others > 1 else ' has'} some)" if others else ""
    )
    cells = int(counts[worst])
    return (
        f"Column {clip(names[worst])} has {cells} missing value{'s' if cells > 1 else ''}{also}; "
        "drop those rows (missing='drop') or make them a state of their own (missing='state')."
    )


def nothing_left_sentence(absent: NDArray[np.bool_], names: Sequence[Name]) -> str:
    """Say that no row is complete, and which column is to blame most."""
    counts = absent.sum(axis=0)
    worst = int(np.argmax(counts))
    return (
        f"Every row has a missing cell (column {clip(names[worst])} has most, {counts[worst]} of "
        f"{len(absent)}), so dropping rows leaves nothing; "
        "make missing cells a state (missing='state') or leave columns out."
    )
