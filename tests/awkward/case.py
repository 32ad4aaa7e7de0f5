"""One awkward file and what must come of it."""

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


class Upload(io.BytesIO):
    """What a browser hands over: bytes with a name."""

    def __init__(self, data, name):
        super().__init__(data)
        self.name = name


@dataclass(frozen=True)
class Case:
    """A file made by the tests, under which name it is uploaded, and its expected outcome."""

    name: str
    make: bytes | Callable[[], bytes]
    file: str = "table.csv"
    options: Mapping[str, Any] = field(default_factory=dict)
    # What is read: names and number of rows, and of the columns named the states in order.
    names: Sequence[str | int] = ()
    rows: int = 0
    labels: Mapping[str | int, Sequence[str]] = field(default_factory=dict)
    # Part of the sentence of the refusal, or of a note where it is read.
    says: str = ""
    refused: bool = False

    @property
    def data(self):
        return self.make if isinstance(self.make, bytes) else self.make()


def read(name, make, names, rows, **more):
    """A file that is read."""
    return Case(name, make, names=names, rows=rows, **more)


def refused(name, make, says, **more):
    """A file that is refused with a sentence that says why."""
    return Case(name, make, says=says, refused=True, **more)
