"""Files that the server offers: those of a folder that its administrator named."""

from __future__ import annotations

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from bjp_engine.errors import clip
from bjp_engine.io.limits import MEGABYTE, Limits
from bjp_engine.io.tables import SUFFIXES
from bjp_explorer.data import words
from bjp_explorer.data.upload import Upload

# The environment variable that names the folder.
FOLDER = "BJP_DATA_DIR"


def names() -> list[str]:
    """The tables in the folder, and its Parquet files as one table; none where none is named."""
    files = _files()
    shards = [path for path in files if path.suffix.lower() == ".parquet"]
    return [path.name for path in files] + [words.ALL_SHARDS] * (len(shards) > 1)


def take(name: str) -> Upload | str:
    """A table of the folder as if it had been uploaded, or a sentence."""
    files = _files()
    if name == words.ALL_SHARDS:
        chosen = [path for path in files if path.suffix.lower() == ".parquet"]
    else:
        chosen = [path for path in files if path.name == name]
    most = Limits.from_environment().file_mb
    try:
        if not chosen:
            raise FileNotFoundError(name)
        if sum(path.stat().st_size for path in chosen) > most * MEGABYTE:
            return words.SERVER_LARGE.format(name=clip(name), megabytes=most)
        if len(chosen) == 1:
            return Upload(name, chosen[0].read_bytes())
        return Upload("all.parquet", _joined(chosen))
    except (OSError, pa.ArrowException) as reason:
        return words.SERVER_FAILED.format(name=clip(name), reason=type(reason).__name__)


def _files() -> list[Path]:
    """The files in the folder that can be read as tables, by name."""
    folder = os.environ.get(FOLDER)
    try:
        found = sorted(Path(folder).iterdir()) if folder else []
    except OSError:
        return []
    return [path for path in found if path.suffix.lower() in SUFFIXES and path.is_file()]


def _joined(paths: list[Path]) -> bytes:
    """Parquet files with the same columns, one after the other, as one file."""
    sink = pa.BufferOutputStream()
    tables = [pq.ParquetFile(path).read() for path in paths]
    pq.write_table(pa.concat_tables(tables), sink)
    content: bytes = sink.getvalue().to_pybytes()
    return content
