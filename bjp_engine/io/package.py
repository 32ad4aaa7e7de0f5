"""The zip archive that an Excel workbook is, looked through before anything is parsed."""

from __future__ import annotations

import io
import re
import zipfile
from typing import IO

from bjp_engine.errors import DataError
from bjp_engine.io.archives import check_members
from bjp_engine.io.limits import MEGABYTE, Guard
from bjp_engine.io.markup import DoctypeError, refuse_doctype
from bjp_engine.io.sources import Content

# All but the cells and their texts is read whole.
MAX_PART_MB = 32
# A row of a sheet is read whole; one with all its columns takes a megabyte or two.
MAX_ROW_MB = 32
# What a sheet can have; a file may claim more.
MAX_ROWS = 1 << 20
_ROW = re.compile(rb"""<(?:\w+:)?row\s[^<>]{0,200}?\br\s*=\s*["'](\d{1,18})""")
_STEP = 1 << 20


def check_package(content: Content, guard: Guard) -> bool:
    """Refuse what isn't a workbook, unpacks to too much, or declares XML entities."""
    if content.data.startswith(b"\xd0\xcf\x11\xe0"):
        raise DataError(
            f"{content.title} is an old .xls workbook or has a password; save it as plain .xlsx."
        )
    check_members(content)
    formulas = False
    try:
        with zipfile.ZipFile(io.BytesIO(content.data)) as archive:
            members = archive.infolist()
            if not any(member.filename.startswith("xl/") for member in members):
                raise unreadable(content, "no sheets inside")
            guard.check_unpacked(sum(m.file_size for m in members), len(content.data))
            _check_twice(content, members)
            for member in members:
                formulas |= _check_member(content, archive, member, guard)
    except DoctypeError:
        raise unreadable(content, "it declares XML entities") from None
    except DataError:
        raise
    except Exception as reason:  # not an archive, damaged, or packed in a way nobody uses
        raise unreadable(content, type(reason).__name__) from None
    return formulas


def unreadable(content: Content, why: str) -> DataError:
    """The sentence for what openpyxl can't read."""
    return DataError(
        f"{content.title} can't be read as an Excel workbook ({why}); "
        "save it again as .xlsx, or as CSV."
    )


def _check_twice(content: Content, members: list[zipfile.ZipInfo]) -> None:
    """Refuse parts of the same name or place, of which readers take different ones."""
    for seen in (
        {member.filename for member in members},
        {member.header_offset for member in members},
    ):
        if len(seen) < len(members):
            raise unreadable(content, "a part occurs twice")


def _check_member(
    content: Content, archive: zipfile.ZipFile, member: zipfile.ZipInfo, guard: Guard
) -> bool:
    """Look at one part; say whether it holds a formula."""
    if member.flag_bits & 1:
        raise unreadable(content, "it has a password")
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise unreadable(content, "it is packed by a method other than deflate")
    name = member.filename.lower()
    if not name.endswith((".xml", ".rels")):
        return False
    sheet = name.startswith("xl/worksheets/")
    if not sheet and name != "xl/sharedstrings.xml" and member.file_size > MAX_PART_MB * MEGABYTE:
        raise unreadable(content, f"a part without cells is larger than {MAX_PART_MB} MB")
    with archive.open(member) as file:
        refuse_doctype(file.read(1 << 16))
        file.seek(0)
        return sheet and _check_rows(content, file, guard)


def _check_rows(content: Content, file: IO[bytes], guard: Guard) -> bool:
    """Look through a sheet for formulas, and for a row that no sheet has."""
    formulas, since, end = False, 0, b""
    while piece := file.read(_STEP):
        guard.tick()
        text = end + piece
        formulas = formulas or b"<f" in text
        for found in _ROW.finditer(text):
            if int(found[1]) > MAX_ROWS:
                raise DataError(
                    f"Row {found[1].decode()} of {content.title} is beyond the size of an Excel "
                    "sheet; save it as CSV."
                )
        since = 0 if b"<row" in text or b":row" in text else since + len(piece)
        if since > MAX_ROW_MB * MEGABYTE:
            raise unreadable(content, f"a row is larger than {MAX_ROW_MB} MB")
        end = text[-32:]
    return formulas
