"""A file as it came, uploaded or from the folder that the server's administrator named."""

from __future__ import annotations

import hashlib
import io
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bjp_engine.errors import DataError, clip
from bjp_engine.io.archives import Contents, list_contents
from bjp_engine.io.limits import MEGABYTE, Guard, Limits
from bjp_engine.io.tables import SUFFIXES
from bjp_explorer.data import words

# The environment variable that names the folder.
FOLDER = "BJP_DATA_DIR"


@dataclass(frozen=True, eq=False)
class Upload:
    """A file as it came."""

    # As the browser sent it; any text.
    name: str
    content: bytes

    @cached_property
    def digest(self) -> str:
        """Twelve hexadecimal digits that differ where contents do."""
        return hashlib.sha256(self.content).hexdigest()[:12]

    @property
    def token(self) -> str:
        """The token of the dataset made of it in the usual way."""
        return f"file:{self.digest}"

    @cached_property
    def _contents(self) -> Contents:
        """What it holds several of."""
        return list_contents(self.content)

    @property
    def sheets(self) -> tuple[str, ...]:
        """The sheets of an Excel workbook; none for any other file."""
        return self._contents.sheets

    @property
    def members(self) -> tuple[str, ...]:
        """The files of a zip archive; none for any other file."""
        return self._contents.members


class Named(io.BytesIO):
    """Bytes with the name of the file they came from."""

    def __init__(self, upload: Upload) -> None:
        super().__init__(upload.content)
        self.name = upload.name


def server_files() -> list[str]:
    """The tables in the folder, and its Parquet files as one table; none where none is named."""
    files = _files()
    shards = [path for path in files if path.suffix.lower() == ".parquet"]
    return [path.name for path in files] + [words.ALL_SHARDS] * (len(shards) > 1)


def take_from_server(name: str) -> Upload | str:
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
