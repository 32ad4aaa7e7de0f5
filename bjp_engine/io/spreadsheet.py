"""Text in CSV files that a spreadsheet program must not take for a formula, and back again.

A cell that begins with = + - @, their full-width forms, a tab or a line end gets an apostrophe in
front, the mark for text in such programs; so does one that begins with apostrophes and then such a
character, so that taking one apostrophe off gives every text back.
"""

from __future__ import annotations

import re

_RISKY = re.compile("'*[=+\\-@＝＋－＠\t\r\n]")


def disarmed(text: str) -> str:
    """Text as a cell that no program runs."""
    return f"'{text}" if _RISKY.match(text) else text


def restored(cell: str) -> str:
    """The text of a cell that `disarmed` made."""
    return cell[1:] if cell.startswith("'") and _RISKY.match(cell) else cell
