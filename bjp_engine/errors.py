"""What the engine raises: one sentence that says what is wrong and what to do."""

from collections.abc import Iterable
from numbers import Real


class BJPError(ValueError):
    """Base of every error that the engine raises about its input."""


class DataError(BJPError):
    """A table that can't be used as it is; the sentence names the column or row."""


class GraphError(BJPError):
    """A graph that doesn't fit the data; the sentence names the node or edge."""


class OptionError(BJPError):
    """An argument out of range; the sentence names the argument and what it takes."""


class Cancelled(Exception):  # noqa: N818 - an outcome that a caller asked for, not a fault
    """Raised when a computation was cancelled before it had anything to return."""


def clip(text: object, width: int = 60) -> str:
    """Text fit for a sentence: quoted, on one line and never longer than `width`."""
    line = " ".join(str(text).split())
    return f"'{line if len(line) <= width else line[: width - 1] + '…'}'"


def is_number(value: object) -> bool:
    """Whether an option's value is a real number (and not a truth value)."""
    return isinstance(value, Real) and not isinstance(value, bool)


def columns_text(names: Iterable[object], most: int = 4) -> str:
    """Columns in a sentence: the first few by name, the others counted."""
    listed = list(names)
    text = ", ".join(clip(name, 30) for name in listed[:most])
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return f"column{'s' if len(listed) > 1 else ''} {text}{more}"
