"""The end of a preparation: from columns to a Dataset, with known states where there are some."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bjp_engine.columnar import blocks, code_dtype
from bjp_engine.columns import Column, Table
from bjp_engine.dataset import Dataset, Name, adopt
from bjp_engine.errors import DataError, clip
from bjp_engine.labels import code_column
from bjp_engine.preparation.base import count, those
from bjp_engine.preparation.plan import Preparation, States
from bjp_engine.validate import check_states

# Rows whose codes are looked up at once.
_ROWS = 1 << 18
_SHOWN = 3


def coded(table: Table, preparation: Preparation) -> tuple[Dataset, list[str]]:
    """The dataset of a table in which nothing is left open."""
    notes: list[str] = []
    known = {one.column: one.labels for one in preparation.states or ()}
    if preparation.states is not None:
        table = _same_variables(table, tuple(known), notes)
    table.code()
    _check_missing(table)
    names = table.names
    found = [_states(table.column(name), name) for name in names]
    if preparation.states is not None:
        parts = zip(names, found, strict=True)
        found = [_known(part, known[name], name, preparation, notes) for name, part in parts]
    labels = tuple(states for _, states in found)
    sizes = tuple(map(len, labels))
    codes = np.empty((table.rows, len(names)), dtype=code_dtype(sizes), order="F")
    for i, name in enumerate(names):
        _fill(codes[:, i], table.column(name).codes, found[i][0])
    return adopt(codes, sizes, names, labels), notes


def states_of(data: Dataset) -> tuple[States, ...]:
    """The variables and states of a dataset, to be kept with a preparation."""
    return tuple(States(name, labels) for name, labels in zip(data.names, data.labels, strict=True))


def _check_missing(table: Table) -> None:
    """Refuse cells of which no step says what becomes of them."""
    holes = {
        name: column.holes
        for name, column in ((name, table.column(name)) for name in table.names)
        if column.holes and not column.own
    }
    if holes:
        worst = max(holes, key=lambda name: holes[name])
        raise DataError(
            f"{count(sum(holes.values()), 'cell')} in {count(len(holes), 'variable')} "
            f"{'is' if sum(holes.values()) == 1 else 'are'} still missing (most in "
            f"{clip(worst)}); add a step that drops their rows, makes them a state or fills them."
        )


def _states(column: Column, name: Name) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """The state of each value, a last one for missing cells, and the states' labels."""
    seen = np.ones(len(column.values), np.bool_) if column.declared else column.counts > 0
    check_states(int(seen.sum()) + bool(column.holes) or 1, name)
    values = column.values[seen]
    if column.ordered:
        values = pd.Series(pd.Categorical(values, categories=list(values), ordered=True))
    if column.holes:
        values = pd.concat([values, pd.Series([None], dtype=values.dtype)], ignore_index=True)
    codes, labels = code_column(values, name)
    table = np.zeros(len(seen) + 1, dtype=np.int64)
    table[:-1][seen] = codes[: int(seen.sum())]
    if column.holes:
        table[-1] = codes[-1]
    return table, labels


def _known(
    found: tuple[NDArray[np.int64], tuple[str, ...]],
    known: tuple[str, ...],
    name: Name,
    preparation: Preparation,
    notes: list[str],
) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    """The same by the states that the first table had."""
    table, labels = found
    fresh = [label for label in labels if label not in set(known)]
    if fresh:
        shown = f"{those(tuple(fresh[:_SHOWN]), '')}{' …' if len(fresh) > _SHOWN else ''}"
        if preparation.unseen == "error":
            raise DataError(
                f"Column {clip(name)} holds {shown}, which the preparation hasn't seen; "
                "merge rare states, or apply it with unseen='own'."
            )
        notes.append(
            f"Column {clip(name)} holds {count(len(fresh), 'state')} not seen before ({shown}), "
            "placed after the known ones."
        )
    states = (*known, *fresh)
    check_states(len(states), name)
    place = {label: k for k, label in enumerate(states)}
    return np.array([place[label] for label in labels], dtype=np.int64)[table], states


def _same_variables(table: Table, names: tuple[Name, ...], notes: list[str]) -> Table:
    """The variables of the first table, in its order."""
    absent = tuple(name for name in names if name not in table.columns)
    if absent:
        raise DataError(
            f"The table lacks {those(absent, '')}, which the preparation was made with; "
            "add what is missing, or make a preparation for this table."
        )
    strange = tuple(name for name in table.names if name not in set(names))
    if strange:
        notes.append(
            f"{count(len(strange), 'column')} that the preparation doesn't know "
            f"{'was' if len(strange) == 1 else 'were'} left out: {those(strange, '')}."
        )
    return table.keeping(names)


def _fill(out: NDArray[Any], codes: NDArray[Any], table: NDArray[np.int64]) -> None:
    """Write one column's codes."""
    small = table.astype(out.dtype)
    for block in blocks(len(codes), cells=_ROWS):
        out[block] = small[codes[block]]
