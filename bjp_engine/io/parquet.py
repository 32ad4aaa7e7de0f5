"""Parquet tables: values as they are stored, with missing values of their own."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bjp_engine.dataset import Name
from bjp_engine.errors import DataError, clip
from bjp_engine.io.footer import check_statistics
from bjp_engine.io.headings import check_names, choose
from bjp_engine.io.limits import MEGABYTE, Guard
from bjp_engine.io.options import ReadOptions
from bjp_engine.io.pages import check_pages, footer_of
from bjp_engine.io.sources import Content
from bjp_engine.io.values import CellNotes, number_series

# Columns read at once: enough for all processors, and few enough to look at the clock between.
_AT_ONCE = 64
# Cells that can't take more than this are read as they are.
_FREE = 256 * MEGABYTE


def read_parquet(
    content: Content, options: ReadOptions, guard: Guard, notes: list[str]
) -> pd.DataFrame:
    """The columns of a Parquet file."""
    with readable(content.title):
        footer = footer_of(io.BytesIO(content.data), content.title)
        file = pq.ParquetFile(pa.BufferReader(content.data))
        check_statistics(footer, file.metadata)
        schema = file.schema_arrow
    kept = variables(schema, options, notes)
    guard.check_columns(len(kept))
    guard.check_cells(file.metadata.num_rows, len(kept))
    with readable(content.title):
        places = leaves(file.metadata, schema, kept)
        most = check_pages(io.BytesIO(content.data), file.metadata, places, guard, whole=True)
        if sum(most) > _FREE:
            columns = _columns(content, schema, kept, guard)
        else:
            names = [schema.names[i] for i in kept]
            table = file.read(columns=names)
            # Texts that aren't UTF-8 would only be noticed where they are looked at.
            table.validate(full=True)
            columns = [table.column(name).to_pandas() for name in names]
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


def leaves(metadata: Any, schema: Any, kept: list[int]) -> list[int]:
    """Where columns of single values stand among all that are stored, parts of others included."""
    if metadata.num_columns == len(schema.names):
        return kept
    paths = {metadata.schema.column(i).path: i for i in range(metadata.num_columns)}
    missing = [schema.names[i] for i in kept if schema.names[i] not in paths]
    if missing:
        raise ValueError("a column isn't stored")
    return [paths[schema.names[i]] for i in kept]


def _columns(content: Content, schema: Any, kept: list[int], guard: Guard) -> list[pd.Series[Any]]:
    """The values of some columns, texts by their dictionaries until their size is known."""
    names = [schema.names[i] for i in kept]
    texts = [name for i, name in zip(kept, names, strict=True) if is_text(schema.field(i).type)]
    file = pq.ParquetFile(pa.BufferReader(content.data), read_dictionary=texts)
    found: list[pd.Series[Any]] = []
    size = 0
    for start in range(0, len(names), _AT_ONCE):
        guard.tick()
        part = names[start : start + _AT_ONCE]
        table = file.read(columns=part)
        table.validate(full=True)
        for name in part:
            column = table.column(name)
            if name in texts and pa.types.is_dictionary(column.type):
                size += sum(_text_size(chunk) for chunk in column.chunks)
                guard.check_unpacked(size, len(content.data))
                column = pa.chunked_array(
                    [chunk.dictionary_decode() for chunk in column.chunks],
                    type=column.type.value_type,
                )
            found.append(column.to_pandas())
    return found


def _text_size(chunk: Any) -> int:
    """The bytes that the cells of a chunk take one by one."""
    lengths = pc.binary_length(chunk.dictionary).fill_null(0).to_numpy(zero_copy_only=False)
    rows = chunk.indices.drop_null().to_numpy(zero_copy_only=False)
    return int(np.bincount(rows, minlength=len(lengths)) @ lengths.astype(np.int64))


def is_text(kind: Any) -> bool:
    """Whether a type is text, which pyarrow can read by its dictionary."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


@contextmanager
def readable(title: str) -> Iterator[None]:
    """Say in a sentence what pyarrow can't read."""
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
    """Where the columns stand that are variables and wanted."""
    names = list(schema.names)
    places = _without_index(names, options, notes)
    check_names([names[i] for i in places])
    kept = [places[i] for i in choose([names[i] for i in places], options)]
    for i in kept:
        _check_type(names[i], schema.field(i).type)
    return kept


def missing_texts(options: ReadOptions) -> frozenset[str]:
    """The texts that count as missing, besides what is stored as missing."""
    return frozenset([""] if options.missing_values is None else options.missing_values)


def plain_values(
    name: Name,
    column: pd.Series[Any],
    counts: NDArray[np.int64],
    tokens: frozenset[str],
    done: CellNotes,
) -> pd.Series[Any]:
    """Whole floats as integers, and texts that count as missing taken out."""
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
