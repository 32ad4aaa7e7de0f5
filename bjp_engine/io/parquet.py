"""Parquet tables: values as they are stored, with missing values of their own.

Columns are read batch by batch and coded, so that no more of the raw cells is ever held than a few
batches.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bjp_engine.arrays import signed_dtype, threads_for
from bjp_engine.columns import Column
from bjp_engine.errors import DataError, clip
from bjp_engine.io import child
from bjp_engine.io.headings import check_names, choose
from bjp_engine.io.limits import Guard, Limits, NoRowsError
from bjp_engine.io.options import ReadOptions
from bjp_engine.io.values import CellNotes, whole_numbers
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
    title = guard.title
    tokens = frozenset([""] if options.missing_values is None else options.missing_values)
    with _readable(title):
        with _opened(source) as file:
            metadata, schema = file.metadata, file.schema_arrow
        kept = _variables(schema, options, notes)
        rows, stored = metadata.num_rows, [schema.field(i) for i in kept]
        names = [one.name for one in stored]
        if rows < 0:
            raise ValueError("fewer than no rows")
        if not rows:
            raise NoRowsError(f"{title} has no rows; add the data.")
        guard.check_columns(len(names))
        if isinstance(source, bytes):
            guard.check_cells(rows, len(names))
        _check_memory(rows, len(names), title)
        texts = [one.name for one in stored if one.type in (pa.string(), pa.large_string())]
        size = max(1, _CELLS // rows)
        groups = [stored[i : i + size] for i in range(0, len(stored), size)]

        def work(group: Sequence[Any]) -> list[tuple[Name, Counter[str]]]:
            coders = [_Coder(one) for one in group]
            with _opened(source, metadata=metadata, read_dictionary=texts) as file:
                _code_group(file, coders, rows)
            found = []
            for coder in coders:
                column, missing = coder.column(tokens)
                send((coder.name, column))
                found.append((coder.name, missing))
            return found

        cells = CellNotes()
        with ThreadPoolExecutor(threads_for(len(groups))) as pool:
            for done, group in enumerate(pool.map(work, groups), start=1):
                guard.progress.tick(rows * done // len(groups), rows)
                for name, missing in group:
                    cells.missing.update(missing)
                    cells.holes += [name] * bool(missing)
    notes.extend(cells.sentences())
    return names, rows


def _check_memory(rows: int, columns: int, title: str) -> None:
    """Refuse before the work what can't be held after it."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # a system that doesn't show it
        memory = MOST_CELLS
    if rows * columns > min(MOST_CELLS, memory):
        raise DataError(
            f"{title} has {rows:,} rows of {columns:,} columns, too many cells to be held; leave "
            "columns out with columns=, or cut the table into several files for "
            "bjp_engine.read_sharded."
        )


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


def _code_group(file: Any, coders: list[_Coder], rows: int) -> None:
    done = 0
    for batch in file.iter_batches(ROWS, columns=[one.name for one in coders], use_threads=False):
        # Texts that aren't UTF-8 would only be noticed where they are looked at.
        batch.validate(full=True)
        places = {name: k for k, name in enumerate(batch.schema.names)}
        for coder in coders:
            coder.take(batch.column(places[coder.name]))
        done += batch.num_rows
        if done > rows:
            break
    if done != rows:
        raise ValueError("another number of rows than declared")


class _Coder:
    """One column on its way: its values in their order of appearance, and the codes of its rows."""

    def __init__(self, stored: Any) -> None:
        self.name = stored.name
        self._declared = pa.types.is_dictionary(stored.type)
        self._ordinal = self._declared and bool(stored.type.ordered)
        said = stored.metadata or {}
        texts = (said.get(key, b"").decode("utf-8", "replace") for key in _TITLES)
        self._title = next((" ".join(text.split()) for text in texts if text.strip()), "")
        self._values: NDArray[Any] | None = None
        self._codes: list[NDArray[Any]] = []

    def take(self, cells: Any) -> None:
        """Code some cells."""
        part = Column.of_arrow(pa.chunked_array([cells]), self.name)
        if self._values is None:
            self._values = part.values
            self._codes.append(part.codes)
            return
        known = len(self._values)
        same = Column.of(np.concatenate([self._values, part.values]), self.name)
        place = np.full(len(same.values), -1)
        place[same.codes[:known]] = np.arange(known)
        fresh = place[same.codes[known:]] < 0
        place[same.codes[known:][fresh]] = known + np.arange(np.count_nonzero(fresh))
        places = place[same.codes[known:]]
        # Two groups of rows may have stored the order each for itself.
        self._ordinal = self._ordinal and bool((places[1:] > places[:-1]).all())
        self._values = np.concatenate([self._values, part.values[fresh]])
        if len(self._values) > MAX_VALUES:
            raise DataError(
                f"Column {clip(self.name)} has more than {MAX_VALUES} states; a variable has 1 to "
                f"{MAX_STATES} (group a measurement into bins, leave an identifier out)."
            )
        self._codes.append(
            np.append(places, -1).astype(signed_dtype(len(self._values)))[part.codes]
        )

    def column(self, tokens: frozenset[str]) -> tuple[Column, Counter[str]]:
        """The column without what counts as missing, and how often each such text was."""
        values = self._values
        assert values is not None
        codes = self._codes[0] if len(self._codes) == 1 else np.concatenate(self._codes)
        self._codes.clear()
        if values.dtype.kind == "f" and not self._declared:
            values = whole_numbers(values)
        column = Column(
            values,
            codes,
            ordered=self._declared,
            declared=self._declared,
            ordinal=self._ordinal,
            title=self._title,
        )
        found = Counter({"": column.holes} if column.holes else {})
        gone = np.zeros(len(values), dtype=np.bool_)
        for place, value in enumerate(values.tolist() if values.dtype.kind == "O" else ()):
            if isinstance(value, str) and value.strip() in tokens:
                gone[place] = True
                found[value.strip()] += int(column.counts[place])
        return (column.without(gone) if gone.any() else column), found


@contextmanager
def _opened(source: Path | bytes, **options: Any) -> Iterator[Any]:
    """A Parquet file, read through small buffers and never a row group ahead."""
    raw = pa.BufferReader(source) if isinstance(source, bytes) else pa.OSFile(str(source), "rb")
    with raw:
        yield pq.ParquetFile(raw, buffer_size=_BUFFER, pre_buffer=False, **options)


@contextmanager
def _readable(title: str) -> Iterator[None]:
    try:
        yield
    except (DataError, MemoryError):
        raise
    except (pa.ArrowException, OSError, ValueError, TypeError, LookupError) as reason:
        raise DataError(
            f"{title} can't be read as a Parquet table ({type(reason).__name__}); "
            "write it again, or save it as CSV."
        ) from None


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
