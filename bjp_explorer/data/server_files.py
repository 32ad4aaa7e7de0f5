"""Files that the server offers: those of a folder that its administrator named."""

from __future__ import annotations

import os
from pathlib import Path

from bjp_engine.errors import DataError, clip
from bjp_engine.io.limits import MEGABYTE, Guard, Limits
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
    limits = Limits.from_environment()
    try:
        if not chosen:
            raise FileNotFoundError(name)
        if sum(path.stat().st_size for path in chosen) > limits.file_mb * MEGABYTE:
            return words.SERVER_LARGE.format(name=clip(name), megabytes=limits.file_mb)
        if len(chosen) == 1:
            return Upload(name, chosen[0].read_bytes())
        # Where files are joined, pyarrow is imported anyway.
        from bjp_engine.io.parquet import join_parquet

        return Upload("all.parquet", join_parquet(chosen, Guard(limits, words.ALL_SHARDS)))
    except DataError as error:
        return str(error)
    except OSError as reason:
        return words.SERVER_FAILED.format(name=clip(name), reason=type(reason).__name__)


def _files() -> list[Path]:
    """The files in the folder that can be read as tables, by name."""
    folder = Path(os.environ.get(FOLDER) or os.devnull)
    try:
        # A link may lead to any file of the machine.
        found = [path for path in folder.iterdir() if path.resolve().parent == folder.resolve()]
    except OSError:
        return []
    return [path for path in sorted(found) if path.suffix.lower() in SUFFIXES and path.is_file()]
