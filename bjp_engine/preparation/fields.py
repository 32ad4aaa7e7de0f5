"""What a field of a step may hold: values from outside, checked one by one.

A sentence begins with the field's name, so that whoever reads a list of steps can put the step's
number before it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from bjp_engine.dataset import Name
from bjp_engine.errors import OptionError, clip, is_number

# More columns or states than a file may have are a mistake, and would only cost memory.
MOST = 1 << 20


def names(value: object, field: str, *, every: bool = False) -> tuple[Name, ...] | None:
    """A list of columns."""
    if value is None and every:
        return None
    listed = _list(value, field)
    if not listed:
        raise OptionError(f"{field} is empty; name at least one column.")
    for entry in listed:
        name(entry, field)
    if len(set(map(str, listed))) < len(listed):
        raise OptionError(f"{field} names a column twice; name each one once.")
    return listed


def name(value: object, field: str) -> Name:
    """One column."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise OptionError(f"{field} holds {clip(value)}, which is no column's name.")
    if not str(value).strip():
        raise OptionError(f"{field} holds an empty name; give the column's name.")
    return value


def text(value: object, field: str) -> str:
    """A text that can be seen."""
    if not isinstance(value, str) or not value.strip():
        raise OptionError(f"{field}={clip(value)} must be a text.")
    return value


def texts(value: object, field: str) -> tuple[str, ...]:
    """A list of distinct texts."""
    listed = _list(value, field)
    if not all(isinstance(entry, str) for entry in listed):
        raise OptionError(f"{field} must be a list of texts.")
    if len(set(listed)) < len(listed):
        raise OptionError(f"{field} names a state twice; name each one once.")
    return listed


def pairs(value: object, field: str) -> tuple[tuple[Any, Any], ...]:
    """A list of pairs."""
    found = []
    for entry in _list(value, field):
        parts = _list(entry, field)
        if len(parts) != 2:
            raise OptionError(f"{field} holds {clip(entry)}; give pairs.")
        found.append((parts[0], parts[1]))
    return tuple(found)


def choice(value: object, field: str, known: Sequence[str]) -> str:
    """One of some words."""
    if not isinstance(value, str) or value not in known:
        listed = ", ".join(map(repr, known))
        raise OptionError(f"{field}={clip(value)} is not known; use one of {listed}.")
    return value


def whole(value: object, field: str, low: int, high: int) -> int:
    """A whole number between limits."""
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise OptionError(f"{field}={clip(value)} must be a whole number from {low} to {high}.")
    return value


def share(value: object, field: str) -> float:
    """A share, more than none and less than all."""
    if not is_number(value) or not 0 < float(value) < 1:  # type: ignore[arg-type]
        raise OptionError(f"{field}={clip(value)} must be a number between 0 and 1.")
    return float(value)  # type: ignore[arg-type]


def ascending(value: object, field: str) -> tuple[float, ...]:
    """Finite numbers, each larger than the one before."""
    listed = _list(value, field)
    if not all(is_number(entry) and math.isfinite(entry) for entry in listed):
        raise OptionError(f"{field} must be a list of numbers.")
    numbers = tuple(float(entry) for entry in listed)
    if any(one >= two for one, two in pairwise(numbers)):
        raise OptionError(f"{field} must rise from number to number.")
    return numbers


def flag(value: object, field: str) -> bool:
    """True or False."""
    if not isinstance(value, bool):
        raise OptionError(f"{field}={clip(value)} must be true or false.")
    return value


def records(value: object, field: str, kind: type[Any]) -> tuple[Any, ...] | None:
    """A list of fitted values, or None before the first application."""
    if value is None:
        return None
    listed = _list(value, field)
    if not all(isinstance(entry, kind) for entry in listed):
        raise OptionError(f"{field} holds what is no fitted value of this step.")
    return listed


def _list(value: object, field: str) -> tuple[Any, ...]:
    """A list or tuple as a tuple."""
    if not isinstance(value, (list, tuple)):
        raise OptionError(f"{field}={clip(value)} must be a list.")
    if len(value) > MOST:
        raise OptionError(f"{field} has {len(value):,} entries; {MOST:,} are the most.")
    return tuple(value)
