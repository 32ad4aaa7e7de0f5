"""Awkward Parquet files: types, damage, and headers that don't tell the truth."""

import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from tests.awkward.case import read, refused

PQ = {"file": "t.parquet"}


def stored(columns, **how):
    """A Parquet file."""
    out = io.BytesIO()
    pq.write_table(columns if isinstance(columns, pa.Table) else pa.table(columns), out, **how)
    return out.getvalue()


def _varint(value):
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def page_of(size):
    """A file whose first page says that it unpacks to some size."""
    data = stored({"a": [1, 2, 3]}, compression="snappy", use_dictionary=False)
    # Field 1, the type (0), then field 2, the unpacked size.
    head = data.index(b"\x15\x00\x15", 4)
    end = head + 3
    while data[end] > 127:
        end += 1
    claimed = _varint(size << 1)
    return data[: head + 3] + claimed + data[end + 1 :]


def one_text(rows, length):
    """Rows that all hold one long text, which is stored once."""
    text = pa.DictionaryArray.from_arrays(
        pa.array(np.zeros(rows, np.int32)), pa.array(["x" * length])
    )
    table = pa.table({"a": text, "b": pa.array(np.zeros(rows, np.int8))})
    return stored(table, compression="zstd", store_schema=False)


CASES = (
    read("Parquet", lambda: stored({"a": ["x", "y"], "b": [1, 2]}), ("a", "b"), 2, **PQ),
    read("Parquet without a name", lambda: stored({"a": [1]}), ("a",), 1, file=""),
    read(
        "snappy, gzip and zstd", lambda: stored({"a": [1, 2]}, compression="zstd"), ("a",), 2, **PQ
    ),
    read(
        "an old version with data pages of its own",
        lambda: stored({"a": ["x", None]}, version="1.0", data_page_version="2.0"),
        ("a",),
        2,
        **PQ,
    ),
    read(
        "many groups of rows",
        lambda: stored({"a": list(range(1000))}, row_group_size=7),
        ("a",),
        1000,
        **PQ,
    ),
    read(
        "booleans, dates and decimals",
        lambda: stored({"a": [True, False], "b": pa.array([1, 2], pa.date32())}),
        ("a", "b"),
        2,
        **PQ,
    ),
    read(
        "columns beside a list",
        lambda: stored({"a": [[1], [2, 3]], "b": [1, 2]}),
        ("b",),
        2,
        options={"columns": ["b"]},
        **PQ,
    ),
    refused("a column of lists", lambda: stored({"a": [[1], [2]]}), "not one value per cell", **PQ),
    refused("a column of bytes", lambda: stored({"a": [b"x"]}), "not one value per cell", **PQ),
    read(
        "names given twice",
        lambda: stored(pa.table([pa.array([1]), pa.array([2])], names=["a", "b"])),
        ("a", "b"),
        1,
        **PQ,
    ),
    refused(
        "a name twice in Parquet",
        lambda: stored(pa.table([pa.array([1]), pa.array([2])], names=["a", "a"])),
        "are named 'a'",
        **PQ,
    ),
    refused("no rows in Parquet", lambda: stored({"a": pa.array([], pa.int64())}), "no rows", **PQ),
    refused(
        "Parquet of minus one row",
        # The number of rows in the footer, as a signed varint: 0 becomes -1.
        lambda: stored({"a": pa.array([], pa.int64())}).replace(b"\x16\0\x19", b"\x16\1\x19", 1),
        "can't be read as a Parquet table",
        **PQ,
    ),
    refused("Parquet cut short", lambda: stored({"a": [1]})[:-20], "Parquet", **PQ),
    refused("a page of 2 GB", lambda: page_of((1 << 31) - 1), "Parquet", **PQ),
    refused("a page of another size", lambda: page_of(5), "Parquet", **PQ),
    read(
        "one text of 1 MB in 1000 rows",
        lambda: one_text(1000, 1 << 20),
        ("a", "b"),
        1000,
        **PQ,
    ),
    refused(
        "more cells than may be",
        lambda: stored({"a": pa.array(np.zeros(3_000_000, np.int8))}),
        "BJP_MAX_CELLS",
        options={"limits": "few cells"},
        **PQ,
    ),
    refused("text under .parquet", b"a,b\n1,2\n", "Parquet", **PQ),
    refused(
        "a footer of 4 GB",
        lambda: stored({"a": [1]})[:-8] + b"\xff\xff\xff\xffPAR1",
        "Parquet",
        **PQ,
    ),
)
