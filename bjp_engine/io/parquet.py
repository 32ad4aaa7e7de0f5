"""Parquet tables: values as they are stored, with missing values of their own.

Columns are read batch by batch and coded, so that no more of the raw cells is ever held than a few
batches.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from bjp_engine.arrays import threads_for
from bjp_engine.columns import Column
from bjp_engine.errors import DataError, clip
from bjp_engine.io import child
from bjp_engine.io.headings import check_names, choose
from bjp_engine.io.limits import Guard, Limits, NoRowsError
from bjp_engine.io.options import ReadOptions
from bjp_engine.io.sources import readable
from bjp_engine.io.values import note_missing, whole_numbers
from bjp_engine.validate import MAX_STATES, MOST_CELLS, Name

# Rows coded at once, and the cells of narrow columns that are.
ROWS, _CELLS = 1 << 18, 1 << 20
# Beyond this nobody needs the exact number; values are held in memory.
MAX_VALUES = 1 << 20
# The bytes of a column that are read at once; without a bound, all of a row group.
_BUFFER = 1 << 20

# Under which keys programs keep what a column is about.
_TITLES = (b"label", b"title", b"description", b"comment")


def read_parquet(
    source: Path | bytes, options: ReadOptions, guard: Guard, notes: list[str], send: child.Send
) -> tuple[list[str], int]:
    """Send the columns of a file; then their names in order, and how many rows there are.

    A file given by its path may have as many cells as are held.
    """
    tokens = frozenset([""] if options.missing_values is None else options.missing_values)
    with readable(guard.title, "a Parquet table"):
        with _opened(source) as file:
            metadata, schema = file.metadata, file.schema_arrow
        stored = [schema.field(i) for i in _variables(schema, options, notes)]
        rows, names = metadata.num_rows, [one.name for one in stored]
        if rows < 0:
            raise ValueError("fewer than no rows")
        if not rows:
            raise NoRowsError(f"{guard.title} has no rows; add the data.")
        guard.check("columns", len(names))
        if isinstance(source, bytes):
            guard.check("cells", rows * len(names))
        if rows * len(names) > MOST_CELLS:
            raise DataError(
                f"{guard.title} has {rows:,} rows of {len(names):,} columns, too many cells to be "
                "held; leave columns out with columns=, or cut the table into several files for "
                "bjp_engine.read_sharded."
            )
        texts = [one.name for one in stored if one.type in (pa.string(), pa.large_string())]
        size = max(1, _CELLS // rows)
        groups = [stored[i : i + size] for i in range(0, len(stored), size)]

        def work(group: Sequence[Any]) -> dict[Name, Counter[str]]:
            with _opened(source, metadata=metadata, read_dictionary=texts) as file:
                parts = _read_parts(file, [one.name for one in group], rows)
            found: dict[Name, Counter[str]] = {}
            for one in group:
                column, found[one.name] = _column(one, parts.pop(one.name), tokens)
                send((one.name, column))
            return found

        every, holes = Counter[str](), list[Name]()
        with ThreadPoolExecutor(threads_for(len(groups))) as pool:
            for done, group in enumerate(pool.map(work, groups), start=1):
                guard.progress.tick(rows * done // len(groups), rows)
                for name, missing in group.items():
                    every.update(missing)
                    holes += [name] * bool(missing)
    notes += note_missing(every, holes)
    return names, rows


def _read_parts(file: Any, names: list[str], rows: int) -> dict[str, list[Any]]:
    """The cells of some columns, batch by batch, each as its distinct values and their places."""
    parts: dict[str, list[Any]] = {name: [] for name in names}
    done = 0
    for batch in file.iter_batches(ROWS, columns=names, use_threads=False):
        # Texts that aren't UTF-8 would only be noticed where they are looked at.
        batch.validate(full=True)
        for name, cells in zip(batch.schema.names, batch.columns, strict=True):
            parts[name].append(cells)
            if not pa.types.is_null(cells.type):
                with suppress(pa.ArrowNotImplementedError):  # refused by its column's name
                    parts[name][-1] = cells.dictionary_encode()
        done += batch.num_rows
        if done > rows:
            break
    if done != rows:
        raise ValueError("another number of rows than declared")
    return parts


def _column(stored: Any, parts: list[Any], tokens: frozenset[str]) -> tuple[Column, Counter[str]]:
    """A column without what counts as missing, and how often each such text was."""
    column = Column.of_arrow(pa.chunked_array(parts), stored.name)
    declared = pa.types.is_dictionary(stored.type)
    if len(column.values) > MAX_VALUES:
        raise DataError(
            f"Column {clip(stored.name)} has more than {MAX_VALUES} states; a variable has 1 to "
            f"{MAX_STATES} (group a measurement into bins, leave an identifier out)."
        )
    values = column.values
    if values.dtype.kind == "f" and not declared:
        values = whole_numbers(values)
    about = stored.metadata or {}
    titles = (" ".join(about.get(key, b"").decode("utf-8", "replace").split()) for key in _TITLES)
    column = replace(
        column,
        values=values,
        ordered=declared,
        declared=declared,
        ordinal=column.ordinal and declared,
        title=next(filter(None, titles), ""),
    )
    found = Counter({"": column.holes} if column.holes else {})
    gone = np.array([isinstance(v, str) and v.strip() in tokens for v in values.tolist()], np.bool_)
    for place in np.flatnonzero(gone).tolist():
        found[values[place].strip()] += int(column.counts[place])
    return (column.without(gone) if gone.any() else column), found


def read_arrays(path: Path, names: Sequence[str], refusal: str) -> tuple[dict[str, Any], Any]:
    """Whole columns of a file as arrays, and its own metadata; or a sentence that refuses it."""
    guard = Guard(Limits.from_environment(), clip(path.name))
    found: tuple[dict[str, Any], Any] = child.run(_send_arrays, path, names, refusal, guard=guard)
    return found


def _send_arrays(
    send: child.Send,  # noqa: ARG001 - the result says it all
    path: Path,
    names: Sequence[str],
    refusal: str,
) -> tuple[dict[str, Any], Any]:
    """The arrays and the metadata, in the process that reads the file."""
    try:
        table = pq.read_table(path, columns=list(names))
        return {name: table[name].to_numpy() for name in names}, table.schema.metadata
    except (pa.ArrowException, OSError, LookupError, TypeError, ValueError):
        raise DataError(refusal) from None


@contextmanager
def _opened(source: Path | bytes, **options: Any) -> Iterator[Any]:
    """A Parquet file, read through small buffers and never a row group ahead."""
    raw = pa.BufferReader(source) if isinstance(source, bytes) else pa.OSFile(str(source), "rb")
    with raw:
        yield pq.ParquetFile(raw, buffer_size=_BUFFER, pre_buffer=False, **options)


def _variables(schema: Any, options: ReadOptions, notes: list[str]) -> list[int]:
    """Where the columns stand that are variables and wanted."""
    names = list(schema.names)
    places = [i for i, name in enumerate(names) if not name.startswith("__index_level_")]
    if len(places) < len(names):
        notes.append("A stored index without a name was left out.")
    check_names([names[i] for i in places])
    kept = [places[i] for i in choose([names[i] for i in places], options)]
    for i in kept:
        kind = schema.field(i).type
        if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
            raise DataError(
                f"Column {clip(names[i])} holds {kind}, not one value per cell; "
                "leave it out with columns=."
            )
    return kept
