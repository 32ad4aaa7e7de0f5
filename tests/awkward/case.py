"""One awkward file and what must come of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Case:
    """A file made by the tests, and its expected outcome.

    Parameters
    ----------
    name : str
        What is awkward about it.
    make : bytes or callable() -> bytes
    file : str
        The name under which it is uploaded.
    options : mapping
        Of `read_frame`.
    names, rows, labels
        What is read: the columns' names, the number of rows, and of the columns named the
        states in order.
    says : str
        What the sentence of the refusal says, or one of the notes where it is read.
    refused : bool
    """

    name: str
    make: bytes | Callable[[], bytes]
    file: str = "table.csv"
    options: Mapping[str, Any] = field(default_factory=dict)
    names: Sequence[str | int] = ()
    rows: int = 0
    labels: Mapping[str | int, Sequence[str]] = field(default_factory=dict)
    says: str = ""
    refused: bool = False

    @property
    def data(self) -> bytes:
        """The file."""
        return self.make if isinstance(self.make, bytes) else self.make()


def read(
    name: str,
    make: bytes | Callable[[], bytes],
    names: Sequence[str | int],
    rows: int,
    **more: Any,
) -> Case:
    """A file that is read."""
    return Case(name, make, names=names, rows=rows, **more)


def refused(name: str, make: bytes | Callable[[], bytes], says: str, **more: Any) -> Case:
    """A file that is refused with a sentence that says why."""
    return Case(name, make, says=says, refused=True, **more)
