"""Parquet files on disk, batch by batch: no more of the raw cells is held than a few batches.

Each column is read from top to bottom and coded against the values met so far; several columns
at once, each by a thread of its own.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bjp_engine.arrays import threads_for
from bjp_engine.columns import Column, Table
from bjp_engine.errors import DataError, clip
from bjp_engine.io.footer import check_statistics
from bjp_engine.io.limits import Guard, Limits
from bjp_engine.io.options import ReadOptions
from bjp_engine.io.pages import check_pages, footer_of
from bjp_engine.io.parquet import is_text, leaves, missing_texts, plain_values, readable, variables
from bjp_engine.io.values import CellNotes
from bjp_engine.validate import MAX_STATES, Name

# Beyond this nobody needs the exact number; values are held in memory.
MAX_VALUES = 1 << 20
# Rows coded at once.
ROWS = 1 << 18
# So few states are counted faster by comparing than by `bincount`, which widens every code.
_FEW = 16
# The bytes of a column that are read at once; without a bound, all of a row group.
_BUFFER = 1 << 20

_SIMPLE = (
    *(pa.types.is_boolean, pa.types.is_integer, pa.types.is_float32, pa.types.is_float64),
    *(pa.types.is_string, pa.types.is_large_string, pa.types.is_fixed_size_binary),
    *(pa.types.is_temporal, pa.types.is_decimal128, pa.types.is_decimal256, pa.types.is_null),
)


def read_columns(path: Path, options: ReadOptions, notes: list[str]) -> Table | None:
    """The columns of a Parquet file by their different values."""
    title = clip(path.name)
    guard = Guard(options.limits or Limits.from_environment(), title)
    with readable(title), path.open("rb") as raw:
        footer = footer_of(raw, title)
    with readable(title), _opened(path) as file:
        metadata, schema = file.metadata, file.schema_arrow
        check_statistics(footer, metadata)
    said: list[str] = []
    kept = variables(schema, options, said)
    if not all(_is_simple(schema.field(i).type) for i in kept):
        return None
    notes.extend(said)
    if not metadata.num_rows:
        raise DataError(f"{title} has no rows; add the data.")
    guard.check_columns(len(kept))
    with readable(title), path.open("rb") as raw:
        check_pages(raw, metadata, leaves(metadata, schema, kept), guard, whole=False)
    names = [schema.names[i] for i in kept]
    _check_memory(title, metadata.num_rows, len(names))
    coders = [_Coder(name, metadata.num_rows) for name in names]
    texts = [name for i, name in zip(kept, names, strict=True) if is_text(schema.field(i).type)]
    with readable(title):
        _run(coders, path, metadata, texts)
        values = [coder.values(schema.field(i).type) for i, coder in zip(kept, coders, strict=True)]
    done, tokens = CellNotes(), missing_texts(options)
    columns: dict[Name, Column] = {}
    for coder, (column, counts, places) in zip(coders, values, strict=True):
        plain = Column.of(plain_values(coder.name, column, counts, tokens, done), coder.name)
        columns[coder.name] = plain.take(places).take(coder.codes)
        coder.codes = coder.codes[:0]
    notes.extend(done.sentences())
    return Table(metadata.num_rows, columns)


def tally(codes: NDArray[Any], states: int) -> NDArray[np.int64]:
    """How often each code occurs among some."""
    if states > _FEW:
        return np.bincount(codes, minlength=states)
    return np.array([np.count_nonzero(codes == k) for k in range(states)], dtype=np.int64)


def _is_simple(kind: Any) -> bool:
    """Whether values of a type can be told apart by pyarrow."""
    if pa.types.is_dictionary(kind):
        return _is_simple(kind.value_type)
    return any(fits(kind) for fits in _SIMPLE)


def _check_memory(title: str, rows: int, columns: int) -> None:
    """Refuse before the work what can't be held after it: a byte a cell."""
    try:
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):  # a system that doesn't tell
        return
    if rows * columns > memory:
        raise DataError(
            f"{title} has {rows:,} rows of {columns:,} columns, more cells than this machine has "
            "bytes of memory; leave columns out with columns=."
        )


@contextmanager
def _opened(path: Path, **options: Any) -> Iterator[Any]:
    """A Parquet file, read through small buffers and never a row group ahead."""
    with pa.OSFile(str(path), "rb") as source:
        yield pq.ParquetFile(source, buffer_size=_BUFFER, pre_buffer=False, **options)


def _run(coders: Sequence[_Coder], path: Path, metadata: Any, texts: list[str]) -> None:
    """Code all columns, several at once."""
    threads = threads_for(len(coders))
    stop = Event()

    def work(share: Sequence[_Coder]) -> None:
        try:
            with _opened(path, metadata=metadata, read_dictionary=texts) as file:
                for coder in share:
                    for batch in file.iter_batches(ROWS, columns=[coder.name], use_threads=False):
                        if stop.is_set():
                            return
                        batch.validate(full=True)
                        coder.add(batch.column(batch.schema.names.index(coder.name)))
                    coder.check_rows()
        except BaseException:
            stop.set()
            raise

    with ThreadPoolExecutor(threads) as pool:
        try:
            list(pool.map(work, [coders[i::threads] for i in range(threads)]))
        finally:
            # An interrupt reaches this thread only.
            stop.set()


class _Coder:
    """One column on its way: 0 stands for a missing cell, k for the k-th value met."""

    def __init__(self, name: str, rows: int) -> None:
        self.name = name
        self.codes: NDArray[Any] = np.empty(rows, dtype=np.uint8)
        self._counts = np.zeros(1, dtype=np.int64)
        self._values: Any = None
        self._filled = 0

    def add(self, cells: Any) -> None:
        """Code the next cells."""
        cells = cells if pa.types.is_dictionary(cells.type) else cells.dictionary_encode()
        places = self._places(cells.dictionary)
        indices = cells.indices.cast(pa.int32())
        # The entry behind the last is that of missing cells.
        indices = indices.fill_null(len(places) - 1) if indices.null_count else indices
        codes = places.astype(self.codes.dtype).take(indices.to_numpy())
        if self._filled + len(codes) > len(self.codes):
            raise ValueError("more rows than declared")
        self.codes[self._filled : self._filled + len(codes)] = codes
        self._counts += tally(codes, len(self._counts))
        self._filled += len(codes)

    def check_rows(self) -> None:
        """Refuse a file that has fewer rows than it says."""
        if self._filled < len(self.codes):
            raise ValueError("fewer rows than declared")

    def values(self, kind: Any) -> tuple[Any, NDArray[np.int64], NDArray[np.intp]]:
        """The values that occur as a pandas series, their counts, and each code's place."""
        seen = np.flatnonzero(self._counts[1:])
        holes = [None] if self._counts[0] else []
        if pa.types.is_dictionary(kind):
            rows = pa.array([*seen.tolist(), *holes], type=pa.int32())
            array = pa.DictionaryArray.from_arrays(rows, self._values, ordered=kind.ordered)
        else:
            array = self._values.take(pa.array(seen))
            array = pa.concat_arrays([array, pa.nulls(len(holes), array.type)])
        places = np.zeros(len(self._counts), dtype=np.intp)
        places[0] = len(seen) if holes else 0
        places[1 + seen] = np.arange(len(seen))
        counts = self._counts[[*(1 + seen), *([0] if holes else [])]]
        return pa.chunked_array([array]).to_pandas(), counts, places

    def _places(self, values: Any) -> NDArray[np.intp]:
        """The codes of the values of a batch, and a last 0 for its missing cells."""
        if self._values is None:
            self._values = values.slice(0, 0)
        known = pc.index_in(values, value_set=self._values)
        fresh = values.filter(pc.and_(known.is_null(), values.is_valid()))
        if len(fresh):
            self._grow(fresh)
            known = pc.index_in(values, value_set=self._values)
        codes = known.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.intp) + 1
        codes[~values.is_valid().to_numpy(zero_copy_only=False)] = 0
        return np.append(codes, 0)

    def _grow(self, fresh: Any) -> None:
        """Take new values in, in their order of appearance."""
        self._values = pa.concat_arrays([self._values, fresh])
        states = len(self._values)
        if states > MAX_VALUES:
            raise DataError(
                f"Column {clip(self.name)} has more than {MAX_VALUES} states; a variable has 1 to "
                f"{MAX_STATES} (group a measurement into bins, leave an identifier out)."
            )
        self._counts = np.append(self._counts, np.zeros(len(fresh), dtype=np.int64))
        if states > np.iinfo(self.codes.dtype).max:
            self.codes = self.codes.astype(np.uint16 if states < 1 << 16 else np.uint32)
