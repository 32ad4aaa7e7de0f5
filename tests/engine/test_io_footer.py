"""Damaged footers of Parquet files: a table or a sentence, never the end of the process."""

from __future__ import annotations

import io
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bjp_engine import DataError
from bjp_engine.io import read_frame, read_table
from bjp_engine.io.footer import check_statistics
from bjp_engine.io.pages import footer_of
from bjp_engine.io.thrift import Cursor, ThriftError

FRAME = pd.DataFrame(
    {
        "smokes": ["yes", "no", None, "no", "yes", "no"],
        "age": [31, 45, 45, 62, 31, 45],
        "score": [0.5, 1.5, None, 0.5, 1.5, 0.5],
    }
)


def stored(frame: pd.DataFrame, **options: object) -> bytes:
    """A table as the bytes of a Parquet file."""
    file = io.BytesIO()
    frame.to_parquet(file, **options)
    return file.getvalue()


def described(data: bytes) -> tuple[bytes, object]:
    """A file's footer, and what pyarrow says it is."""
    return footer_of(io.BytesIO(data), "a file"), pq.ParquetFile(io.BytesIO(data)).metadata


@pytest.mark.parametrize(
    "frame",
    [
        FRAME,
        FRAME[["age"]],
        pd.DataFrame({"parts": [[1, 2], [], None], "x": ["a", "b", "c"]}),
        pd.DataFrame({"pair": [{"u": 1, "v": "a"}, None], "kind": pd.Categorical(["p", "q"])}),
        pd.concat([FRAME] * 40, ignore_index=True),
    ],
    ids=["texts", "numbers", "lists", "records", "longer"],
)
def test_what_pyarrow_writes_is_taken(frame: pd.DataFrame) -> None:
    for options in ({}, {"row_group_size": 2}, {"compression": "gzip"}):
        footer, metadata = described(stored(frame, **options))
        assert footer
        check_statistics(footer, metadata)


def test_every_damage_to_a_footer_ends_in_a_table_or_a_sentence(tmp_path: Path) -> None:
    file = io.BytesIO()
    # Without pandas' own description of the table, which is most of a small file's footer.
    smokes = ["yes", "no", None, "no", "yes", "no"]
    plain = pa.table({"smokes": smokes, "age": FRAME["age"].tolist()})
    pq.write_table(plain, file, store_schema=False)
    data = file.getvalue()
    footer, _ = described(data)
    first, path = len(data) - 8 - len(footer), tmp_path / "damaged.parquet"
    said: list[str] = []
    for at in range(first, len(data) - 8):
        # Numbers and lengths of lists one up, one down, and doubled; types changed.
        for changed in (data[at] ^ 1, (data[at] - 1) % 256, data[at] ^ 0x10, data[at] ^ 0x80):
            damaged = data[:at] + bytes([changed]) + data[at + 1 :]
            path.write_bytes(damaged)
            # By its path batch by batch, else as a whole.
            for read in (read_table, read_frame):
                try:
                    read(path)
                except DataError as error:
                    said.append(str(error))
    assert len(said) > len(footer)
    assert all(text.endswith(".") and "\n" not in text for text in said)


def test_a_list_is_begun_and_passed_over() -> None:
    # Field 1 is a list of three numbers; then the record ends.
    cursor = Cursor(bytes([0x19, 0x36, 2, 4, 6, 0x00]))
    for field, kind in cursor.fields():
        assert field == 1
        cursor.skip_elements(*cursor.begin_list(kind))
    assert cursor.at == len(cursor.data)
    with pytest.raises(ThriftError, match="no list"):
        Cursor(b"").begin_list(12)
