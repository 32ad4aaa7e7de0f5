"""Rows of one width: what is no row is told by its line, trailing delimiters are taken off."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bjp_engine.errors import DataError

Record = tuple[int, list[str]]


@dataclass(frozen=True, slots=True)
class Shape:
    """What is known of a table before its rows.

    Parameters
    ----------
    header : bool
        Whether the first record holds the names.
    where : str
        "Line" or "Row": what the numbers count.
    comments : str
        The characters one of which may begin a record that is no row.
    skip : bool
        Whether malformed rows are left out and told, or refused.
    """

    header: bool = True
    where: str = "Line"
    comments: str = ""
    skip: bool = False


class Width:
    """Every row as wide as the first, and the first as the header (or one wider).

    Parameters
    ----------
    names : tuple of str or None
        The header.
    """

    def __init__(self, names: tuple[str, ...] | None, shape: Shape) -> None:
        self.names = names
        self.cells = -1
        self._shape = shape
        self._first: tuple[int, int] = (0, 0)
        self._comments = 0
        self._trimmed = 0
        self._skipped: list[int] = []

    def fitted(self, batch: list[Record]) -> list[Record]:
        """The rows of a batch that fit, those of another width made to fit or left out."""
        if self.cells < 0:
            batch = self._begin(batch)
        width = self.cells
        if all(len(cells) == width for _, cells in batch):
            return batch
        found = (
            record if len(record[1]) == width else self._made_to_fit(*record) for record in batch
        )
        return [record for record in found if record is not None]

    def sentences(self) -> list[str]:
        """What was done, once all rows are known."""
        where, notes = self._shape.where.lower(), []
        if self._comments:
            notes.append(
                f"Comments between rows were left out: {self._comments} {where}"
                f"{'s' if self._comments > 1 else ''}."
            )
        if self._trimmed:
            notes.append(
                "Empty cells behind the last column (trailing delimiters) were left out: "
                f"{self._trimmed:,} {where}{'s' if self._trimmed > 1 else ''}."
            )
        if self._skipped:
            known = ", ".join(map(str, self._skipped[:5]))
            more = ", …" if len(self._skipped) > 5 else ""
            notes.append(
                f"Malformed {where}s were left out: {len(self._skipped)} ({where} {known}{more})."
            )
        return notes

    def _begin(self, batch: list[Record]) -> list[Record]:
        """Find the width by the header and the first row."""
        while batch and self._is_comment(batch[0][1]):
            self._comments += 1
            batch = batch[1:]
        if not batch:
            return batch
        line, cells = batch[0]
        self._first = (line, len(cells))
        self.cells = len(cells)
        if self.names is None:
            return batch
        # Names of nothing at the right edge.
        while len(self.names) > len(cells) and not self.names[-1].strip():
            self.names = self.names[:-1]
        # One more cell: row names in front, or a delimiter at the end of each row.
        more = len(self.names) + 1
        if len(cells) != more or not any(row[-1].strip() for _, row in batch if len(row) == more):
            self.cells = len(self.names)
        return batch

    def _is_comment(self, cells: Sequence[str]) -> bool:
        """Whether a record that may be no row begins like a comment."""
        odd = self.names is not None and len(cells) != len(self.names)
        return odd and bool(cells[0]) and cells[0][0] in self._shape.comments

    def _made_to_fit(self, line: int, cells: list[str]) -> Record | None:
        """A row of another width: without empty cells behind the last column, or none at all."""
        if cells[0] and cells[0][0] in self._shape.comments:
            self._comments += 1
            return None
        if len(cells) > self.cells and not any(map(str.strip, cells[self.cells :])):
            self._trimmed += 1
            return line, cells[: self.cells]
        if self._shape.skip:
            self._skipped.append(line)
            return None
        if self.names is None:
            raise self._misfit(
                line, len(cells), self.cells, f"{self._shape.where.lower()} {self._first[0]}"
            )
        if self.cells != len(self.names):
            raise self._misfit(*self._first, len(self.names), "the header")
        raise self._misfit(line, len(cells), self.cells, "the header")

    def _misfit(self, line: int, cells: int, expected: int, other: str) -> DataError:
        """The sentence for a row of another width."""
        count = f"{cells} cell{'s' if cells != 1 else ''}"
        return DataError(
            f"{self._shape.where} {line} has {count} where {other} has {expected}; "
            "quote a cell that holds the delimiter, complete the line, or leave such lines out "
            "(malformed='skip')."
        )
