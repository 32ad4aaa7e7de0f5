"""What the footer of a Parquet file says of its columns, as far as pyarrow trusts it.

Statistics that don't fit the schema end the process in which pyarrow is asked where a column
stands; no exception is raised that one could catch. So they are looked at before.

https://github.com/apache/parquet-format/blob/master/src/main/thrift/parquet.thrift
"""

from __future__ import annotations

from typing import Any

from bjp_engine.io.thrift import STRUCT, Cursor, ThriftError

# The numbers of the fields on the way, from the whole file's record to a column's.
_ROW_GROUPS, _COLUMNS, _COLUMN, _SIZES = 4, 1, 3, 16
# Of a column's size statistics: bytes of texts, and how often each level occurs.
_TEXT_BYTES, _REPETITION, _DEFINITION = 1, 2, 3


def check_statistics(footer: bytes, metadata: Any) -> None:
    """Refuse size statistics that don't fit the schema."""
    cursor = Cursor(footer)
    for field, kind in cursor.fields():
        if field == _ROW_GROUPS:
            for _ in range(_records(cursor, kind)):
                _check_group(cursor, metadata)
        else:
            cursor.skip(kind)


def _records(cursor: Cursor, kind: int) -> int:
    """How many records of a list follow."""
    size, of = cursor.begin_list(kind)
    if size and of != STRUCT:
        raise ThriftError("a list of something else")
    return size


def _check_group(cursor: Cursor, metadata: Any) -> None:
    """One group of rows."""
    for field, kind in cursor.fields():
        if field != _COLUMNS:
            cursor.skip(kind)
            continue
        amount = _records(cursor, kind)
        if amount != metadata.num_columns:
            raise ThriftError("another number of columns than in the schema")
        for k in range(amount):
            _check_chunk(cursor, metadata, k)


def _check_chunk(cursor: Cursor, metadata: Any, place: int) -> None:
    """One column of it."""
    for field, kind in cursor.fields():
        if (field, kind) != (_COLUMN, STRUCT):
            cursor.skip(kind)
            continue
        for inner, inner_kind in cursor.fields():
            if (inner, inner_kind) == (_SIZES, STRUCT):
                _check_sizes(cursor, metadata.schema.column(place))
            else:
                cursor.skip(inner_kind)


def _check_sizes(cursor: Cursor, column: Any) -> None:
    """Its size statistics; lists of levels may also be empty."""
    most = {
        _REPETITION: column.max_repetition_level,
        _DEFINITION: column.max_definition_level,
    }
    for field, kind in cursor.fields():
        if field in most:
            size, of = cursor.begin_list(kind)
            if size not in (0, most[field] + 1):
                raise ThriftError("statistics of other levels than the schema has")
            cursor.skip_elements(size, of)
            continue
        if field == _TEXT_BYTES and column.physical_type != "BYTE_ARRAY":
            raise ThriftError("lengths of texts where there are none")
        cursor.skip(kind)
