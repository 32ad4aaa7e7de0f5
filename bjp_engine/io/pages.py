"""What the pages of a Parquet file unpack to, added up from their headers before any is unpacked.

The sizes in the footer are those that the writer claims; a page's own header holds the size that
a reader makes room for.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import IO, Any

from bjp_engine.errors import DataError
from bjp_engine.io.limits import MEGABYTE, Guard
from bjp_engine.io.thrift import Cursor, ThriftError

# A page has a megabyte as a rule, a dictionary some.
MAX_PAGE_MB = 256
MAX_FOOTER_MB = 64
# A header holds a few numbers, and perhaps the column's smallest and largest text.
_WINDOWS = (256, 1 << 14, 1 << 20)
_UNPACKED, _PACKED = 2, 3
_TAIL, _MAGIC = 8, b"PAR1"


@dataclass(frozen=True)
class _Chunk:
    """One column of one group of rows."""

    start: int
    end: int


def footer_of(file: IO[bytes], title: str) -> bytes:
    """The description of the table at the end of a file, unless it is larger than tables need."""
    size = file.seek(0, 2)
    file.seek(max(0, size - _TAIL))
    tail = file.read(_TAIL)
    footer = int.from_bytes(tail[:4], "little") if tail.endswith(_MAGIC) else 0
    if size > footer > MAX_FOOTER_MB * MEGABYTE:
        raise DataError(
            f"{title} describes its columns in more than {MAX_FOOTER_MB} MB; write it again in "
            "fewer columns or groups of rows."
        )
    if size < footer + _TAIL:
        return b""
    file.seek(size - _TAIL - footer)
    return file.read(footer)


def check_pages(
    file: IO[bytes], metadata: Any, columns: Iterable[int], guard: Guard, *, whole: bool
) -> list[int]:
    """Refuse a file whose pages don't hold what they say or unpack to too much."""
    size = file.seek(0, 2)
    places = list(columns)
    unpacked = 0
    most = [0] * len(places)
    rows = [metadata.row_group(group).num_rows for group in range(metadata.num_row_groups)]
    if sum(rows) != metadata.num_rows or min(rows, default=0) < 0:
        raise ThriftError("another number of rows than in its groups")
    for group in range(metadata.num_row_groups):
        guard.tick()
        described = metadata.row_group(group)
        if not described.num_rows:
            continue
        for k, i in enumerate(places):
            chunk = described.column(i)
            if chunk.num_values != described.num_rows:
                raise ThriftError("another number of values than rows")
            stored = _unpacked(file, _place(chunk, size), guard)
            unpacked += stored
            most[k] += stored * described.num_rows
            if whole:
                guard.check_unpacked(unpacked, size)
    return most


def _place(chunk: Any, size: int) -> _Chunk:
    """Where the pages of a column stand."""
    start = chunk.data_page_offset
    if chunk.has_dictionary_page and 0 < chunk.dictionary_page_offset < start:
        start = chunk.dictionary_page_offset
    end = start + chunk.total_compressed_size
    if not 0 < start <= end <= size:
        raise ThriftError("pages beyond the file")
    return _Chunk(start, end)


def _unpacked(file: IO[bytes], chunk: _Chunk, guard: Guard) -> int:
    """The bytes to which the pages of a column unpack."""
    at, total = chunk.start, 0
    while at < chunk.end:
        sizes, length = _header(file, at)
        unpacked, packed = sizes.get(_UNPACKED, -1), sizes.get(_PACKED, -1)
        if unpacked < 0 or packed < 0:
            raise ThriftError("a page without its size")
        if unpacked > MAX_PAGE_MB * MEGABYTE:
            raise DataError(
                f"{guard.title} has a page that unpacks to more than {MAX_PAGE_MB} MB; write it "
                "again with pages of the usual size."
            )
        total += unpacked
        at += length + packed
    return total


def _header(file: IO[bytes], at: int) -> tuple[dict[int, int], int]:
    """The whole numbers of the page header that begins somewhere, and its length."""
    for window in _WINDOWS:
        file.seek(at)
        cursor = Cursor(file.read(window))
        try:
            return cursor.integers(), cursor.at
        except ThriftError:
            if len(cursor.data) < window or window == _WINDOWS[-1]:
                raise
    raise ThriftError("a header without an end")
