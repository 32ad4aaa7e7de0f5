"""An uploaded file as it came: its bytes, its name, and what it holds several of."""

from __future__ import annotations

import hashlib
import io
from dataclasses import dataclass
from functools import cached_property

from bjp_engine.io.archives import Contents, list_contents


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
