"""Awkward workbooks: sheets, formulas, damage, and archives that only look like one."""

import io
import warnings
import zipfile

import openpyxl

from tests.awkward.case import read, refused

XL = {"file": "t.xlsx"}
_SPACE = b'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'


def workbook(**sheets):
    """A workbook."""
    book = openpyxl.Workbook()
    book.remove(book.active)
    for title, rows in sheets.items():
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def rewritten(content, more=(), **parts):
    """A workbook with some members replaced, by their names without folder and ending."""
    out = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(content)) as old,
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new,
    ):
        for member in old.namelist():
            stem = member.rpartition("/")[2].partition(".")[0]
            new.writestr(member, parts.get(stem, old.read(member)))
        for name, data in more:
            new.writestr(name, data)
    return out.getvalue()


def _sheet(rows):
    return b"<worksheet " + _SPACE + b"><sheetData>" + rows + b"</sheetData></worksheet>"


def plain():
    """Two names, two rows."""
    return workbook(s=[["a", "b"], ["x", 1], ["y", 2]])


_BOMB = b'<!DOCTYPE x [<!ENTITY a "aa"><!ENTITY b "&a;&a;">]><worksheet>&b;</worksheet>'
_FAR = b'<row r="1"><c r="A1"><v>1</v></c></row><row r="99999999"><c><v>2</v></c></row>'


def _twice():
    """A workbook with two first sheets."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return rewritten(plain(), more=(("xl/worksheets/sheet1.xml", _sheet(b"")),))


def _zipped(name, data):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(name, data)
    return out.getvalue()


AB = ("a", "b")
CASES = (
    read(
        "a title above the names of a sheet",
        lambda: workbook(s=[["Poll"], [], ["a", "b", "c"], [1, 2, 3], [1, 2, 4]]),
        ("a", "b", "c"),
        2,
        says="above the names: 1 row ('Poll')",
        **XL,
    ),
    read(
        "a title left out",
        lambda: workbook(s=[["Poll", "=1+1"], ["a", "b"], [1, 2]]),
        ("a", "b"),
        1,
        options={"skip_lines": 1},
        **XL,
    ),
    read("Excel", plain, AB, 2, **XL),
    read("Excel without a name", plain, AB, 2, file=""),
    read(
        "the first of two sheets",
        lambda: workbook(one=[["a"], ["x"]], two=[["b"], ["y"]]),
        ("a",),
        1,
        says="others: 'two'",
        **XL,
    ),
    read(
        "a sheet by its name",
        lambda: workbook(one=[["a"], ["x"]], two=[["b"], ["y"]]),
        ("b",),
        1,
        options={"sheet": "two"},
        **XL,
    ),
    refused("a sheet that isn't there", plain, "'x'", options={"sheet": "x"}, **XL),
    read(
        "a table further down and right",
        lambda: workbook(s=[[], [None, "a", "b"], [None, "x", "y"]]),
        AB,
        1,
        **XL,
    ),
    read(
        "names twice and missing in Excel",
        lambda: workbook(s=[["a", "a", None], ["x", "y", "z"]]),
        ("a", "a (2)", "column 3"),
        1,
        **XL,
    ),
    read(
        "formulas without results",
        lambda: workbook(s=[["a", "b"], ["x", "=A2"]]),
        AB,
        1,
        says="Formulas without a stored result",
        **XL,
    ),
    read(
        "a name that is a formula",
        lambda: workbook(s=[["a", "=1"], ["x", 1]]),
        ("a", "column 2"),
        1,
        says="(first B1)",
        **XL,
    ),
    refused("an empty sheet", lambda: workbook(s=[]), "empty", **XL),
    refused("a header alone in Excel", lambda: workbook(s=[["a", "b"]]), "no rows", **XL),
    refused("entities in a sheet", lambda: rewritten(plain(), sheet1=_BOMB), "entities", **XL),
    refused(
        "a row far below", lambda: rewritten(plain(), sheet1=_sheet(_FAR)), "size of an Excel", **XL
    ),
    refused("a workbook cut short", lambda: plain()[:-100], "Excel workbook", **XL),
    refused("an old workbook", b"\xd0\xcf\x11\xe0" + b"\0" * 600, ".xls", **XL),
    refused(
        "a Word document", lambda: _zipped("word/document.xml", "<w/>"), "no sheets inside", **XL
    ),
    refused("a part twice", _twice, "occurs twice", **XL),
    refused(
        "300 MB of one row",
        lambda: rewritten(plain(), sheet1=_sheet(b"<row>" + b"<c/>" * (10 << 20) + b"</row>")),
        "a row is larger",
        **XL,
    ),
    refused(
        "1.1 GB of blanks in a workbook",
        lambda: rewritten(plain(), more=(("xl/media/x.bin", b"\0" * (1100 << 20)),)),
        "unpacks to more than",
        **XL,
    ),
    read(
        "a style of 40 MB",
        lambda: rewritten(plain(), styles=b"<a>" + b" " * (40 << 20) + b"</a>"),
        AB,
        2,
        **XL,
    ),
    read("a workbook in zip", lambda: _zipped("t.xlsx", plain()), AB, 2, file="t.zip"),
)
