"""From an array that is coded already to codes, states, names and labels."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bjp_engine.columnar import whole_numbers
from bjp_engine.errors import DataError, clip, is_number
from bjp_engine.validate import Name, check_sizes, check_width, is_pandas, plain_name

Labels = tuple[str, ...]


def code_table(
    codes: object,
    cardinalities: Sequence[int] | None,
    names: Sequence[Name] | None,
    labels: Sequence[Sequence[str]] | None,
) -> tuple[NDArray[Any], tuple[int, ...], tuple[Name, ...], tuple[Labels, ...]]:
    """The parts of a dataset, with what wasn't given."""
    given = _table(codes)
    chosen = (
        tuple(plain_name(name) for name in names)
        if names is not None
        else tuple(range(given.shape[1]))
    )
    check_width(given, "names", chosen)
    table = whole_numbers(given, chosen)
    if cardinalities is not None:
        sizes = _sizes(cardinalities)
    else:
        largest = table.max(axis=0).tolist() if len(table) else [0] * table.shape[1]
        sizes = tuple(max(1, code + 1) for code in largest)
    check_sizes(table, sizes, chosen)
    if labels is not None:
        texts = tuple(tuple(map(str, column)) for column in labels)
        check_width(table, "labels", texts)
        return table, sizes, chosen, texts
    numbers = {r: tuple(map(str, range(r))) for r in set(sizes)}
    return table, sizes, chosen, tuple(numbers[r] for r in sizes)


def _table(codes: object) -> NDArray[Any]:
    """Codes as an array of two axes, whatever holds them."""
    if is_pandas(codes, "DataFrame"):
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


def _sizes(cardinalities: Sequence[int]) -> tuple[int, ...]:
    """Cardinalities as integers, refusing what would be rounded or guessed."""
    sizes = list(cardinalities) if isinstance(cardinalities, Iterable) else [None]
    if not all(is_number(r) and math.isfinite(r) and r == int(r) for r in sizes):
        raise DataError(
            f"cardinalities={clip(cardinalities)} must be a list of whole numbers, one a column."
        )
    return tuple(int(r) for r in sizes)
