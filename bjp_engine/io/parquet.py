"""Parquet tables: values as they are stored, with missing values of their own.

A process of its own (`child`) reads the columns batch by batch and sends small codes, so that no
more of the raw cells is ever held than a few batches, and a damaged file ends nothing else.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from operator import mul
from pathlib import Path
from threading import Event
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from bjp_engine.arrays import SignedCodes, signed_dtype, threads_for
from bjp_engine.columns import Column, Table, as_values
from bjp_engine.errors import DataError, clip
from bjp_engine.io import child
from bjp_engine.io.headings import check_names, choose
from bjp_engine.io.limits import Guard, Limits, NoRowsError
from bjp_engine.io.notes import CellNotes
from bjp_engine.io.options import ReadOptions
from bjp_engine.validate import MAX_STATES, MOST_CELLS, Name

# Rows coded at once, and the cells of narrow columns that are.
ROWS, _CELLS = 1 << 18, 1 << 20
# Beyond this nobody needs the exact number; values are held in memory.
MAX_VALUES = 1 << 20
# The bytes of a column that are read at once; without a bound, all of a row group.
_BUFFER = 1 << 20
# Whole floats up to here are exact, and so are the integers made of them.
_EXACT = 2.0**53

# Under which keys programs keep what a column is about.
_TITLES = (b"label", b"title", b"description", b"comment")
_NUMBERS = (pa.types.is_boolean, pa.types.is_integer, pa.types.is_float32, pa.types.is_float64)
# What pyarrow can tell apart by their values.
_SIMPLE = (
    *(*_NUMBERS, pa.types.is_string, pa.types.is_large_string, pa.types.is_fixed_size_binary),
    *(pa.types.is_temporal, pa.types.is_decimal128, pa.types.is_decimal256, pa.types.is_null),
)


def read_parquet(
    source: Path | bytes, options: ReadOptions, guard: Guard, notes: list[str]
) -> Table:
    """The columns of a Parquet file; one given by its path may have as many cells as are held."""
    found = _Received(guard, MOST_CELLS if isinstance(source, Path) else guard.limits.cells)
    child.run(send_columns, source, options, guard, guard=guard, receive=found.receive)
    notes.extend(found.notes)
    done = CellNotes()
    tokens = frozenset([""] if options.missing_values is None else options.missing_values)
    columns: dict[Name, Column] = {}
    letters = 0
    for place, name in enumerate(found.names):
        codes = found.codes.pop(place, None)
        column = _column_of(name, found.values.pop(place), codes, tokens, done)
        columns[name] = column
        if isinstance(source, bytes) and column.textual:
            letters += sum(map(mul, map(len, column.values), column.counts.tolist()))
            guard.check_unpacked(letters, len(source))
    notes.extend(done.sentences())
    return Table(found.rows, columns)


def join_parquet(paths: Sequence[Path], guard: Guard) -> bytes:
    """Files with the same columns, one after the other, as one file."""
    joined: bytes = child.run(_joined, paths, guard=guard)
    return joined


@dataclass(frozen=True)
class Held:
    """The values of a column, or all its cells where they aren't coded, and what is said of it."""

    values: Any
    declared: bool  # whether a value that no row holds is a state, and their order theirs
    ordinal: bool
    title: str


class _Received:
    """What has come of a file: names, the codes of all rows, and what they stand for."""

    def __init__(self, guard: Guard, most: int) -> None:
        self.names: Sequence[str] = ()
        self.rows = 0
        self.notes: Sequence[str] = ()
        self.values: dict[int, Held] = {}
        self.codes: dict[int, SignedCodes] = {}
        self._guard, self._most, self._cells = guard, most, 0

    def receive(self, message: Any) -> None:
        """Take one message in: names first, then codes from some row on, or values."""
        if not self.names:
            self.names, self.rows, self.notes = message
            self._check_cells()
            return
        start, parts = message
        for place, part in parts:
            if start is None:
                self.values[place] = part
            elif part is not None:
                self._take(place, start, part)
                self._cells += len(part)
        if self._guard.progress.report is not None:
            self._guard.progress.report(self._cells // len(self.names), self.rows)

    def _check_cells(self) -> None:
        """Refuse before the work what can't be held after it."""
        try:
            memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        except (AttributeError, OSError, ValueError):  # a system that doesn't tell
            memory = self._most
        if self.rows * len(self.names) > min(self._most, memory):
            raise DataError(
                f"{self._guard.title} has {self.rows:,} rows of {len(self.names):,} columns, too "
                "many cells to be held; leave columns out with columns=, or cut the table into "
                "several files for bjp_engine.read_sharded."
            )

    def _take(self, place: int, start: int, part: SignedCodes) -> None:
        """Keep the codes of some rows."""
        codes = self.codes.get(place)
        if codes is None:
            codes = self.codes[place] = np.empty(self.rows, dtype=part.dtype)
        elif part.itemsize > codes.itemsize:
            codes = self.codes[place] = codes.astype(part.dtype)
        codes[start : start + len(part)] = part


def _column_of(
    name: Name,
    held: Held,
    codes: SignedCodes | None,
    tokens: frozenset[str],
    done: CellNotes,
) -> Column:
    """A column of some values, without those that count as missing."""
    values, declared = held.values, held.declared
    if codes is None:
        whole = Column.of(_in_pandas(values, name), name)
        cells, codes = whole.values, whole.codes
    elif any(fits(values.type) for fits in _NUMBERS):
        cells = values.to_numpy(zero_copy_only=False)
    else:
        cells = as_values(values.to_pylist() if _is_text(values.type) else _in_pandas(values, name))
    gone = np.zeros(len(cells), dtype=np.bool_)
    found = Counter[str]()
    if cells.dtype.kind == "f":
        gone = np.isnan(cells)
    elif cells.dtype.kind == "O":
        for k, value in enumerate(cells):
            if isinstance(value, str) and value.strip() in tokens:
                gone[k] = True
                found[value.strip()] += int(np.count_nonzero(codes == k))
    # Floats of two kinds of zero are one value, and all of them may be whole.
    if gone.any() or cells.dtype.kind == "f":
        seen = cells[~gone]
        small = Column.of(seen if declared else _whole(seen), name)
        table = np.full(len(cells) + 1, -1, dtype=small.codes.dtype)
        table[:-1][~gone] = small.codes
        cells, codes = small.values, table.take(codes)
    column = Column(cells, codes, declared, declared, ordinal=held.ordinal, title=held.title)
    if column.holes:
        done.holes.append(name)
        done.missing.update(found)
        if column.holes > found.total():
            done.missing[""] += column.holes - found.total()
    return column


def _in_pandas(values: Any, name: Name) -> Any:
    """Values as pandas has them; a date may lie in a year that Python has no date for."""
    try:
        return values.to_pandas()
    except ValueError as reason:
        raise DataError(
            f"Column {clip(name)} holds a value that can't be read ({reason}); correct it, or "
            "leave the column out."
        ) from None


def _whole(cells: NDArray[Any]) -> NDArray[Any]:
    """Floats as whole numbers, if all of them are."""
    if cells.dtype.kind != "f" or not len(cells):
        return cells
    whole = (np.trunc(cells) == cells).all() and (np.abs(cells) < _EXACT).all()
    return cells.astype(np.int64) if whole else cells


def send_columns(
    send: child.Send, source: Path | bytes, options: ReadOptions, guard: Guard
) -> None:
    """Send the columns of a file, in the process that reads it."""
    title = guard.title
    with _readable(title):
        with _opened(source) as file:
            metadata, schema = file.metadata, file.schema_arrow
        notes: list[str] = []
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
        send((names, rows, notes))
        coders = [_Coder(k, one) for k, one in enumerate(stored)]
        texts = [coder.name for coder in coders if _is_text(coder.type)]
        size = max(1, _CELLS // rows)
        groups = [coders[i : i + size] for i in range(0, len(coders), size)]
        stop = Event()

        def work(group: list[_Coder]) -> None:
            try:
                with _opened(source, metadata=metadata, read_dictionary=texts) as file:
                    _send_group(send, file, group, rows, stop)
            except BaseException:
                stop.set()
                raise

        with ThreadPoolExecutor(threads_for(len(groups))) as pool:
            list(pool.map(work, groups))


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


def _joined(_: child.Send, paths: Sequence[Path]) -> bytes:
    """The bytes of one file of all, in the process that reads them."""
    tables: list[Any] = []
    schema = pa.schema([])
    for path in paths:
        with _readable(clip(path.name)), _opened(path) as file:
            tables.append(file.read())
        if tables[-1].column_names != tables[0].column_names:
            raise DataError(
                f"{clip(path.name)} has other columns than {clip(paths[0].name)}, or in another "
                "order; write it again, or take it out of the folder."
            )
        try:
            schema = pa.unify_schemas([schema, tables[-1].schema], promote_options="permissive")
        except pa.ArrowException as reason:
            raise DataError(
                f"A column of {clip(path.name)} has another type than in the files before "
                f"({clip(reason, 160)}); write it again, or take it out of the folder."
            ) from None
    sink = pa.BufferOutputStream()
    pq.write_table(pa.concat_tables(tables, promote_options="permissive"), sink)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def _send_group(send: child.Send, file: Any, group: list[_Coder], rows: int, stop: Event) -> None:
    """Send the codes of some columns batch by batch, then their values."""
    start = 0
    names = [coder.name for coder in group]
    for batch in file.iter_batches(ROWS, columns=names, use_threads=False):
        if stop.is_set():
            return
        # Texts that aren't UTF-8 would only be noticed where they are looked at.
        batch.validate(full=True)
        places = {name: k for k, name in enumerate(batch.schema.names)}
        if start + batch.num_rows > rows:
            raise ValueError("more rows than declared")
        send((start, [(c.place, c.code(batch.column(places[c.name]))) for c in group]))
        start += batch.num_rows
    if start < rows:
        raise ValueError("fewer rows than declared")
    send((None, [(coder.place, coder.found()) for coder in group]))


class _Coder:
    """One column on its way: its values in their order of appearance."""

    def __init__(self, place: int, stored: Any) -> None:
        self.place, self.name, self.type = place, stored.name, stored.type
        self.declared = pa.types.is_dictionary(stored.type)
        self._ordinal = self.declared and bool(stored.type.ordered)
        self._title = _title(stored)
        self._values: Any = None
        self._odd: list[Any] = []

    def code(self, cells: Any) -> SignedCodes | None:
        """The codes of some cells, or None where pyarrow can't tell values of this type apart."""
        if not _is_simple(self.type):
            self._odd.append(cells)
            return None
        cells = cells if pa.types.is_dictionary(cells.type) else cells.dictionary_encode()
        values = cells.dictionary
        if self._values is None:
            self._values = values.slice(0, 0)
            self._grow(values)
        places = pc.index_in(values, value_set=self._values)
        if places.null_count > values.null_count:
            self._grow(values)
            places = pc.index_in(values, value_set=self._values)
        # Two groups of rows may have stored the order each for itself.
        self._ordinal = self._ordinal and _is_ascending(_filled(places.drop_null(), 0))
        # The entry behind the last is that of missing cells.
        table = np.append(_filled(places, -1), -1).astype(signed_dtype(len(self._values)))
        return table.take(_filled(cells.indices.cast(pa.int32()), len(places)))

    def found(self) -> Held:
        """What was found of the column."""
        values = pa.chunked_array(self._odd) if self._odd else self._values
        return Held(values, self.declared, self._ordinal and not self._odd, self._title)

    def _grow(self, values: Any) -> None:
        """Take new values in."""
        self._values = pa.concat_arrays([self._values, values.drop_null()]).unique()
        _check_values(len(self._values), self.name)


def _check_values(found: int, name: Name) -> None:
    """Refuse more values than a column is read for."""
    if found > MAX_VALUES:
        raise DataError(
            f"Column {clip(name)} has more than {MAX_VALUES} states; a variable has 1 to "
            f"{MAX_STATES} (group a measurement into bins, leave an identifier out)."
        )


@contextmanager
def _opened(source: Path | bytes, **options: Any) -> Iterator[Any]:
    """A Parquet file, read through small buffers and never a row group ahead."""
    raw = pa.BufferReader(source) if isinstance(source, bytes) else pa.OSFile(str(source), "rb")
    with raw:
        yield pq.ParquetFile(raw, buffer_size=_BUFFER, pre_buffer=False, **options)


@contextmanager
def _readable(title: str) -> Iterator[None]:
    """Say in a sentence what pyarrow can't read."""
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
    places = list(range(len(names)))
    if options.index_column == "auto":
        places = [i for i in places if not names[i].startswith("__index_level_")]
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


def _title(stored: Any) -> str:
    """What a file says that a column is about."""
    said = stored.metadata or {}
    texts = (said.get(key, b"").decode("utf-8", "replace") for key in _TITLES)
    return next((" ".join(text.split()) for text in texts if text.strip()), "")


def _filled(places: Any, value: int) -> NDArray[np.int32]:
    """32-bit places as an array, with a value for what is missing.

    pyarrow's own scalars and `to_numpy` import pandas, which takes longer than a small file.
    """
    if places.null_count:
        one = pa.Array.from_buffers(
            pa.int32(), 1, [None, pa.py_buffer(np.array([value], np.int32))]
        )
        places = places.fill_null(one[0])
    found = np.frombuffer(places.buffers()[1], np.int32, len(places) + places.offset)
    return found[places.offset :]


def _is_ascending(places: NDArray[Any]) -> bool:
    """Whether places only grow."""
    return bool((places[1:] > places[:-1]).all())


def _is_text(kind: Any) -> bool:
    """Whether a type is text, which pyarrow can read by its dictionary."""
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def _is_simple(kind: Any) -> bool:
    """Whether values of a type can be told apart by pyarrow."""
    if pa.types.is_dictionary(kind):
        return _is_simple(kind.value_type)
    return any(fits(kind) for fits in _SIMPLE)
