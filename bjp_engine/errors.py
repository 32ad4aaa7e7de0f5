"""What the engine raises: one sentence that says what is wrong and what to do."""

from collections.abc import Iterable
from numbers import Real

__all__ = ["BJPError", "Cancelled", "DataError", "GraphError", "OptionError"]


class BJPError(ValueError):
    """Base of every error that the engine raises about its input."""


class DataError(BJPError):
    """A table that can't be used as it is; the sentence names the column or row."""


class NoRowsError(DataError):
    """A table without a row, which may still be one of several."""


class GraphError(BJPError):
    """A graph that doesn't fit the data; the sentence names the node or edge."""


class OptionError(BJPError):
    """An argument out of range; the sentence names the argument and the values it accepts."""


class Cancelled(Exception):  # noqa: N818 - an outcome that a caller asked for, not a fault
    """Raised when a computation was cancelled before it had anything to return."""


def not_installed(what: str, package: str, to_install: str) -> OptionError:
    """What needs a package that only an extra brings, with the command that adds it."""
    return OptionError(
        f"{what} needs {package}, which is not installed; install it with pip install {to_install}."
    )


def printable(text: object) -> str:
    """Text with a space for what isn't shown: a line end, or U+202E, which turns what follows."""
    return "".join(c if c.isprintable() else " " for c in str(text))


def single_line(text: object) -> str:
    """A name or a label within a sentence: what is printable, with single spaces."""
    return " ".join(printable(text).split())


def clip(text: object, width: int = 60) -> str:
    """Text fit for a sentence: quoted, on one line and never longer than `width`."""
    line = single_line(text)
    return f"'{line if len(line) <= width else line[: width - 1] + '…'}'"


def value_text(value: object) -> str:
    """An argument's value in a sentence: a number as it is, anything else quoted."""
    return str(value) if isinstance(value, Real) else clip(value)


# So many names are no list any more, not even in a paper.
IN_A_PAPER = 40


def listed(names: Iterable[object], most: int = 4, unlike: Iterable[object] = ()) -> str:
    """Names in a sentence: the first few, the others counted.

    What differs from one of other names by white space or invisible characters alone shows them.
    """
    every, others = list(names), set(map(str, unlike))
    lines = set(map(single_line, others))
    text = ", ".join(
        repr(str(name))
        if single_line(name) in lines and str(name) not in others
        else clip(name, 30)
        for name in every[:most]
    )
    return text + (f" and {len(every) - most} more" if len(every) > most else "")


def columns_text(names: Iterable[object], most: int = 4) -> str:
    """Columns in a sentence, with the noun."""
    every = list(names)
    return f"column{'s' if len(every) > 1 else ''} {listed(every, most)}"


def plural(number: int, noun: str) -> str:
    """A number with its noun."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def list_up(parts: Iterable[str], most: int | None = None, noun: str = "") -> str:
    """Parts with commas and an "and"; beyond the first few how many more, of a noun."""
    every = list(parts)
    shown = every[:most]
    if more := len(every) - len(shown):
        shown.append(plural(more, noun) if noun else f"{more:,} more")
    *first, last = shown
    return f"{', '.join(first)} and {last}" if first else last
