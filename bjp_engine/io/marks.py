"""Numbers as other countries write them: decimal commas and marks between thousands.

What the cells say beyond doubt is taken; "1,234" alone may be either and stays text, told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from bjp_engine.io.options import AUTO, THOUSANDS, ReadOptions


@dataclass(frozen=True)
class Marks:
    """The marks within numbers."""

    decimal: str = "."
    thousands: str | None = None

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What a number looks like."""
        d = re.escape(self.decimal)
        whole = "(?:0|[1-9][0-9]*)"
        if self.thousands:
            t = re.escape(self.thousands)
            whole = f"(?:0|[1-9][0-9]{{0,2}}(?:{t}[0-9]{{3}})+|[1-9][0-9]*)"
        return re.compile(f"-?(?:{whole}(?:{d}[0-9]*)?|{d}[0-9]+)(?:[eE][+-][0-9]{{1,3}})?")

    def plain(self, text: str) -> str:
        """A number as a program writes it."""
        text = text.replace(self.thousands, "") if self.thousands else text
        return text.replace(self.decimal, ".")


USUAL = Marks()
# The fewer marks the better: a column that is explained without thousands isn't given any.
_OTHERS = (Marks(","), *(Marks(d, t) for d in ".," for t in THOUSANDS if t != d))
_MAYBE = re.compile(r"-?[0-9]*[.,' \u00a0\u202f][0-9., '\u00a0\u202f]*[0-9](?:[eE][+-][0-9]{1,3})?")
# What a column must hold somewhere before its cells are looked at one by one.
_HINT = re.compile(r"[0-9][,' \u00a0\u202f][0-9]|^-?,[0-9]|\.[0-9]+\.", re.MULTILINE)
_EITHER = re.compile(r"-?[1-9][0-9]{0,2}[.,' \u00a0\u202f][0-9]{3}")


def find_marks(
    columns: Iterable[Sequence[str]], delimiter: str | None, options: ReadOptions
) -> Marks:
    """The marks within the numbers of a table."""
    if AUTO not in (options.decimal, options.thousands):
        return Marks(options.decimal, options.thousands)
    possible = [marks for marks in _OTHERS if _allowed(marks, delimiter, options)]
    votes: dict[Marks, int] = {}
    for cells in columns:
        fitting = _fitting(cells, possible)
        if fitting and _is_sure(fitting, cells):
            votes[fitting[0]] = votes.get(fitting[0], 0) + 1
    # Thousands that one column shows hold for those that have none to show.
    best = max(votes, key=lambda marks: (votes[marks], marks.thousands is not None), default=None)
    if best is None:
        thousands = None if options.thousands == AUTO else options.thousands
        usual = "," if thousands == "." else "."
        return Marks(usual if options.decimal == AUTO else options.decimal, thousands)
    if best.thousands is None:
        more = [marks for marks in votes if marks.thousands and marks.decimal == best.decimal]
        return more[0] if more else best
    return best


def could_be_either(cells: Sequence[str]) -> bool:
    """Whether a column shows numbers that may have thousands or decimals."""
    if not _HINT.search("\n".join(cells)):
        return False
    odd = [cell for cell in cells if not USUAL.pattern.fullmatch(cell)]
    return bool(odd) and all(_EITHER.fullmatch(cell) for cell in odd)


def _allowed(marks: Marks, delimiter: str | None, options: ReadOptions) -> bool:
    """Whether marks are among those that may be found."""
    if options.decimal != AUTO:
        return marks.decimal == options.decimal
    if options.thousands != AUTO:
        return marks.thousands == options.thousands
    return marks.decimal == "." or delimiter != ","


def _fitting(cells: Sequence[str], possible: Sequence[Marks]) -> list[Marks]:
    """The marks by which all cells are numbers; none where the usual ones do."""
    if not _HINT.search("\n".join(cells)):
        return []
    odd = [cell for cell in cells if not USUAL.pattern.fullmatch(cell)]
    if not odd or not all(_MAYBE.fullmatch(cell) for cell in odd):
        return []
    return [marks for marks in possible if all(marks.pattern.fullmatch(cell) for cell in cells)]


def _is_sure(fitting: Sequence[Marks], cells: Sequence[str]) -> bool:
    """Whether all ways to read a column come to the same numbers."""
    ways = {tuple(map(marks.plain, cells)) for marks in fitting}
    return len(ways) == 1 and not could_be_either(cells)
