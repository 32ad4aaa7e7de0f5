"""An uploaded file as it came: its bytes, its name, and what it holds several of."""

from __future__ import annotations

import hashlib
import io
import zipfile
from dataclasses import dataclass
from functools import cached_property

from defusedxml.ElementTree import fromstring

from bjp_engine.io.archives import members


@dataclass(frozen=True, eq=False)
class Upload:
    """A file as it came.

    Parameters
    ----------
    name : str
        As the browser sent it; any text.
    content : bytes
    """

    name: str
    content: bytes

    @cached_property
    def digest(self) -> str:
        """Twelve hexadecimal digits that tell one content from another."""
        return hashlib.sha256(self.content).hexdigest()[:12]

    @property
    def token(self) -> str:
        """The token of the dataset made of it in the usual way."""
        return f"file:{self.digest}"

    @property
    def suffix(self) -> str:
        """The extension in lower case, without its dot."""
        return self.name.rpartition(".")[2].lower()

    @cached_property
    def sheets(self) -> tuple[str, ...]:
        """The sheets of an Excel workbook; none for any other file."""
        return sheet_titles(self.content) if self.content.startswith(b"PK\x03\x04") else ()

    @cached_property
    def members(self) -> tuple[str, ...]:
        """The files of a zip archive; none for any other file."""
        return () if self.sheets else members(self.content)


class Named(io.BytesIO):
    """Bytes with the name of the file they came from.

    Parameters
    ----------
    upload : Upload
    """

    def __init__(self, upload: Upload) -> None:
        super().__init__(upload.content)
        self.name = upload.name


def sheet_titles(content: bytes) -> tuple[str, ...]:
    """The names of a workbook's sheets, without opening the sheets.

    Parameters
    ----------
    content : bytes

    Returns
    -------
    tuple of str
        Empty where it is no workbook; the reader then says so.
    """
    try:
        archive = zipfile.ZipFile(io.BytesIO(content))
        with archive, archive.open("xl/workbook.xml") as file:
            text = file.read(1 << 20)
        root = fromstring(text, forbid_dtd=True)
        return tuple(name for sheet in root.iterfind(".//{*}sheet") if (name := sheet.get("name")))
    except Exception:  # a damaged archive fails in any way, and the reader says why
        return ()
