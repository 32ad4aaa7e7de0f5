"""Parquet tables: values as they are stored, with missing values of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bjp_engine.dataset import Name
from bjp_engine.errors import DataError, clip
from bjp_engine.io.cells import CellNotes, number_series
from bjp_engine.io.grid import MAX_CELLS
from bjp_engine.io.headings import check_names, choose
from bjp_engine.io.options import ReadOptions
from bjp_engine.io.sources import Content


def read_parquet(content: Content, options: ReadOptions, notes: list[str]) -> pd.DataFrame:
    """The columns of a Parquet file.

    Parameters
    ----------
    content : Content
    options : ReadOptions
        Its `columns`, `index_column` and `missing_values`.
    notes : list of str
        Gets a sentence for what was left out or taken for missing.

    Returns
    -------
    pandas.DataFrame
        Dictionary columns as categories, whole floats as integers.

    Raises
    ------
    DataError
        If the file can't be read, or a column holds lists, records or bytes.
    """
    with readable(content.title):
        file = pq.ParquetFile(pa.BufferReader(content.data))
        cells = file.metadata.num_rows * file.metadata.num_columns
        schema = file.schema_arrow
    if cells > MAX_CELLS:
        raise DataError(f"{content.title} has more than {MAX_CELLS:,} cells; leave columns out.")
    kept = variables(schema, options, notes)
    with readable(content.title):
        table = file.read()
        columns = [table.column(i).to_pandas() for i in kept]
    done = CellNotes()
    tokens = missing_texts(options)
    names = [schema.names[i] for i in kept]
    plain = [
        plain_values(name, column, np.ones(len(column), dtype=np.int64), tokens, done)
        for name, column in zip(names, columns, strict=True)
    ]
    notes.extend(done.sentences())
    frame = pd.DataFrame(dict(enumerate(plain)))
    frame.columns = pd.Index(names, dtype=object)
    return frame


@contextmanager
def readable(title: str) -> Iterator[None]:
    """Say in a sentence what pyarrow can't read.

    Parameters
    ----------
    title : str
        How the sentence calls the file.

    Raises
    ------
    DataError
    """
    try:
        yield
    except DataError:
        raise
    except (pa.ArrowException, OSError, ValueError, TypeError) as reason:
        raise DataError(
            f"{title} can't be read as a Parquet table ({type(reason).__name__}); "
            "write it again, or save it as CSV."
        ) from None


def variables(schema: Any, options: ReadOptions, notes: list[str]) -> list[int]:
    """Where the columns stand that are variables and wanted.

    Parameters
    ----------
    schema : pyarrow.Schema
    options : ReadOptions
    notes : list of str
        Gets a sentence for what was left out.

    Returns
    -------
    list of int

    Raises
    ------
    DataError
        If a name is empty or given twice, or a column has no single value a cell.
    """
    names = list(schema.names)
    places = _without_index(names, options, notes)
    check_names([names[i] for i in places])
    kept = [places[i] for i in choose([names[i] for i in places], options)]
    for i in kept:
        _check_type(names[i], schema.field(i).type)
    return kept


def missing_texts(options: ReadOptions) -> frozenset[str]:
    """The texts that count as missing, besides what is stored as missing.

    Parameters
    ----------
    options : ReadOptions

    Returns
    -------
    frozenset of str
    """
    return frozenset([""] if options.missing_values is None else options.missing_values)


def plain_values(
    name: Name,
    column: pd.Series[Any],
    counts: NDArray[np.int64],
    tokens: frozenset[str],
    done: CellNotes,
) -> pd.Series[Any]:
    """Whole floats as integers, and texts that count as missing taken out.

    Parameters
    ----------
    name : str or int
    column : pandas.Series of length k
    counts : ndarray of int, shape (k,)
        How many cells of the file each value stands for.
    tokens : frozenset of str
        The texts that count as missing.
    done : CellNotes
        Gets what was missing.

    Returns
    -------
    pandas.Series of length k
    """
    if column.dtype.kind == "f":
        column = number_series(column.to_numpy(), column.isna().to_numpy())
    nulls = int(counts[column.isna().to_numpy()].sum())
    hits = _hits(column, counts, tokens)
    if isinstance(column.dtype, pd.CategoricalDtype):
        # pandas' remove_categories would sort the others.
        column = column.cat.set_categories([v for v in column.cat.categories if v not in hits])
    elif hits:
        column = column.mask(column.isin(list(hits)))
    if nulls or hits:
        done.holes.append(name)
        done.missing.update({"": nulls} if nulls else {})
        for text, count in hits.items():
            done.missing[text.strip()] += count
    return column


def _without_index(names: list[str], options: ReadOptions, notes: list[str]) -> list[int]:
    """Where the columns stand that aren't a stored pandas index without a name."""
    if options.index_column != "auto":
        return list(range(len(names)))
    kept = [i for i, name in enumerate(names) if not name.startswith("__index_level_")]
    if len(kept) < len(names):
        notes.append("A stored index without a name was left out.")
    return kept


def _check_type(name: str, kind: Any) -> None:
    """Refuse what has no single value a cell."""
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        raise DataError(
            f"Column {clip(name)} holds {kind}, not one value a cell; leave it out with columns=."
        )


def _hits(
    column: pd.Series[Any], counts: NDArray[np.int64], tokens: frozenset[str]
) -> dict[str, int]:
    """How often each text occurs that counts as missing."""
    categories = isinstance(column.dtype, pd.CategoricalDtype)
    if not categories and column.dtype.kind != "O":
        return {}
    found = column.cat.categories if categories else column.dropna().unique()
    texts = [v for v in found if isinstance(v, str) and v.strip() in tokens]
    return {text: int(counts[(column == text).to_numpy(dtype=np.bool_)].sum()) for text in texts}
