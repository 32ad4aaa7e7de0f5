"""What arguments and tables must be, and the sentences that say where they are not.

A validator takes a value and the name of its argument, with which its sentence begins, and returns
the value as it is to be used.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable, Collection, Iterable, Sequence
from itertools import pairwise
from numbers import Integral, Real
from pathlib import Path
from typing import Any, Literal, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from bjp_engine.errors import DataError, NoRowsError, OptionError, clip, listed, plural, value_text

Name = str | int
Missing = Literal["error", "drop", "state"]
Kind = TypeVar("Kind")

# Beyond this a column is an identifier or a measurement; and 16 bits hold every code.
MAX_STATES = 1 << 16
NAMELESS = ""
# Frequencies make no larger table: a gigabyte of codes.
MOST_CELLS = 1 << 30
Seed = int | np.random.Generator


def whole_number(value: object, name: str, least: int = 0, most: int | None = None) -> int:
    """A whole number within bounds, and no truth value."""
    whole = isinstance(value, Integral) and not isinstance(value, bool)
    if not whole or int(value) < least or (most is not None and int(value) > most):  # type: ignore[call-overload]
        bounds = f", {least} or more" if most is None else f" from {least} to {most}"
        raise OptionError(f"{name}={value_text(value)} must be a whole number{bounds}.")
    return int(value)  # type: ignore[call-overload]


def is_number(value: object) -> bool:
    """Whether something is a real number, and no truth value."""
    return isinstance(value, Real) and not isinstance(value, bool)


def number(
    value: object, name: str, within: str = "", fits: Callable[[float], bool] = lambda _: True
) -> float:
    """A number, within the bounds that the sentence names."""
    if not is_number(value) or not fits(float(value)):  # type: ignore[arg-type]
        raise OptionError(f"{name}={value_text(value)} must be a number{within}.")
    return float(value)  # type: ignore[arg-type]


def positive_number(value: object, name: str, *, bounded: bool = False) -> float:
    """A number above 0; or one of which neither the logarithm nor a product overflows."""
    if bounded:
        return number(value, name, " from 1e-100 to 1e100", lambda x: 1e-100 <= x <= 1e100)
    return number(value, name, " above 0", lambda x: x > 0)


def probability(value: object, name: str, *, inner: bool = False) -> float:
    """A number from 0 to 1, or strictly between them."""
    if inner:
        return number(value, name, " strictly between 0 and 1", lambda p: 0 < p < 1)
    return number(value, name, " from 0 to 1", lambda p: 0 <= p <= 1)


def choice(value: object, name: str, known: Sequence[str]) -> str:
    """One of some words."""
    if not isinstance(value, str) or value not in known:
        listed = ", ".join(map(repr, known))
        raise OptionError(f"{name}={value_text(value)} is not known; use one of {listed}.")
    return value


def instance(
    value: object, name: str, kind: type[Kind] | tuple[type[Kind], ...], instead: str
) -> Kind:
    """A value of some type, or a sentence with what to give instead."""
    if not isinstance(value, kind):
        raise OptionError(f"{name} is of type {type(value).__name__}; give {instead}.")
    return value


def entries(value: object, name: str) -> tuple[Any, ...]:
    """Several things, in a list or whatever else gives one after another but a text."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise OptionError(f"{name}={value_text(value)} must be a list.")
    return tuple(value)


def file_path(value: object, name: str = "path") -> Path:
    """The path of a file."""
    return Path(instance(value, name, (str, os.PathLike), "a file's path"))  # type: ignore[arg-type]


def truth(value: object, name: str) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise OptionError(f"{name}={value_text(value)} must be true or false.")
    return bool(value)


def text(value: object, name: str) -> str:
    """A text that can be seen."""
    if not isinstance(value, str) or not value.strip():
        raise OptionError(f"{name}={value_text(value)} must be a text.")
    return value


def texts(value: object, name: str) -> tuple[str, ...]:
    """A list of distinct texts."""
    found = sentences(value, name)
    if len(set(found)) < len(found):
        raise OptionError(f"{name} names a state twice; name each one once.")
    return found


def sentences(value: object, name: str) -> tuple[str, ...]:
    """Several texts one after another, and not a single one."""
    found = entries(value, name)
    if not all(isinstance(entry, str) for entry in found):
        raise OptionError(f"{name}={value_text(value)} must be a list of texts.")
    return found


def same_variables(value: Iterable[Name], name: str, names: Sequence[Name]) -> None:
    """A record's variables must be those of the data."""
    if set(value) != set(names):
        raise DataError(f"{name} and data have other variables; give what was made of these data.")


def ascending_numbers(value: object, name: str) -> tuple[float, ...]:
    """Finite numbers, each larger than the one before."""
    listed = entries(value, name)
    if not all(is_number(entry) and math.isfinite(entry) for entry in listed):
        raise OptionError(f"{name} must be a list of numbers.")
    if any(one >= two for one, two in pairwise(listed)):
        raise OptionError(f"{name} must rise from number to number.")
    return tuple(map(float, listed))


def column_name(value: object, name: str) -> Name:
    """One column's name."""
    if isinstance(value, bool) or not isinstance(value, (str, int, np.integer)):
        raise OptionError(f"{name} holds {clip(value)}, which is not a column name.")
    if not str(value).strip():
        raise OptionError(f"{name} holds an empty name; give the column's name.")
    return plain_name(value)


def column_names(value: object, name: str) -> tuple[Name, ...]:
    """A list of columns, each named once."""
    listed = entries(value, name)
    if not listed:
        raise OptionError(f"{name} is empty; name at least one column.")
    for entry in listed:
        column_name(entry, name)
    if len(set(map(str, listed))) < len(listed):
        raise OptionError(f"{name} names a column twice; name each one once.")
    return listed


def whole_seed(seed: object) -> int:
    """A seed as one number, by which what is random repeats; a Generator draws one."""
    if isinstance(seed, np.random.Generator):
        return int(seed.integers(1 << 53))
    return whole_number(seed, "seed")


def plain_name(name: object) -> Name:
    """A column name as str, or as int where it is a whole number."""
    if isinstance(name, str):
        return str(name)
    if isinstance(name, (int, np.integer)) and not isinstance(name, (bool, np.bool_)):
        return int(name)
    if name is None or is_pandas(name, "NAType") or (isinstance(name, float) and np.isnan(name)):
        return NAMELESS
    return str(name)


class VariableIndex:
    """Where variables stand: by their exact name, by index, or by the text of their name."""

    def __init__(self, names: Sequence[Name]) -> None:
        self._names = names
        self._texts = {str(name): i for i, name in enumerate(names)}

    def find(self, variable: object) -> int | None:
        """The place of a variable, or None where there is none such."""
        key = plain_name(variable)
        place = self._texts.get(str(key))
        is_name = place is not None and self._names[place] == key
        is_index = isinstance(key, int) and 0 <= key < len(self._names)
        return cast(int, key) if is_index and not is_name else place

    def places(self, variables: object) -> list[int]:
        """The places of several variables, or of one, in the order given."""
        if isinstance(variables, (str, int, np.integer)):
            variables = (variables,)
        if not isinstance(variables, Iterable):
            raise DataError(f"{clip(variables)} names no variables; give a list of names, or ().")
        return [self.place(variable) for variable in variables]

    def place(self, variable: object) -> int:
        """The place of a variable, or a sentence that there is none such."""
        found = self.find(variable)
        if found is None:
            raise DataError(
                f"There is no variable {listed([variable], 1, self._names)}; the "
                f"{len(self._names)} variables are {listed(self._names, 8, [variable])}."
            )
        return found


def is_pandas(thing: object, name: str) -> bool:
    """Whether something is of a type of pandas, which need not be imported for the question."""
    return any(
        kind.__name__ == name and kind.__module__.partition(".")[0] == "pandas"
        for kind in type(thing).__mro__
    )


class ArrowTable(Protocol):
    """A table of another library (pyarrow, polars, DuckDB) that hands its columns over."""

    def __arrow_c_stream__(self, requested_schema: Any = None) -> object:
        """Its columns, as Arrow's interface for streams has them."""
        ...


def is_arrow(thing: object) -> bool:
    """Whether something is a table of another library that hands its columns over as Arrow."""
    return hasattr(thing, "__arrow_c_stream__") and not is_pandas(thing, "DataFrame")


def whole_frequencies(frequencies: object, rows: int, columns: int) -> NDArray[np.int64]:
    """How often each row counts: whole numbers, by which the rows can be written out."""
    given = unmasked(frequencies, "The frequencies")
    if given.shape != (rows,):
        raise DataError(f"The frequencies must be {rows} numbers, one per row.")
    if given.dtype.kind == "O":
        # What pandas calls missing is no number to numpy.
        given = np.array(
            [np.nan if one is None or is_pandas(one, "NAType") else one for one in given]
        )
    if given.dtype.kind not in "iubf":
        raise DataError("The frequencies aren't numbers; give whole numbers.")
    found = given.astype(np.float64)
    survey = (
        "the frequency {:g}; give whole numbers. If these are survey weights, leave them out: the "
        "network then describes the sample, not the population"
    )
    for odd, what in (
        (np.isnan(found), "no frequency; give 0 to leave the row out"),
        (np.isinf(found), "an infinite frequency; give a whole number"),
        (found != np.trunc(found), survey),
        (found < 0, "the negative frequency {:g}; give 0 or more"),
    ):
        if odd.any():
            row = int(np.argmax(odd))
            raise DataError(f"Row {row + 1} has {what.format(found[row])}.")
    if not found.any():
        raise NoRowsError("The weight of every row is zero; give one row at least 1.")
    if found.sum() * max(columns, 1) > MOST_CELLS:
        raise DataError(
            f"The frequencies add up to {found.sum():,.0f} rows of {columns} variables, more than "
            f"{MOST_CELLS:,} cells; give fewer rows or variables."
        )
    return given.astype(np.int64)


def unmasked(thing: object, what: str) -> NDArray[Any]:
    """An array without a mask; one that hides anything is refused, for it would be read."""
    parts = thing if isinstance(thing, (list, tuple)) else (thing,)
    # numpy loads its masked arrays when they are first asked for.
    odd = (part for part in parts if isinstance(part, np.ndarray) and type(part) is not np.ndarray)
    if any(np.ma.is_masked(part) for part in odd):
        raise DataError(
            f"{what} is an array whose mask hides some of its cells; give a DataFrame, in which "
            "they are missing, or leave their rows out."
        )
    try:
        return np.asarray(thing)
    except ValueError:
        raise DataError(
            f"{what} has rows of different lengths; give each row all columns."
        ) from None


def check_names(names: tuple[Name, ...]) -> None:
    """Names must be distinct and visible: they become nodes and headings."""
    seen: set[str] = set()
    for position, name in enumerate(names):
        text = str(name)
        if not text.strip():
            raise DataError(f"Column {position + 1} has no name; give it one.")
        if text in seen:
            raise DataError(f"Two columns are named {clip(text)}; rename one of them.")
        seen.add(text)
    check_letters(seen, "A column's name")


def check_letters(texts: Collection[str], where: str) -> None:
    """Text of whole characters: half of one (a lone surrogate) can't be written to any file."""
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:
        odd = next(text for text in texts if any("\ud800" <= c <= "\udfff" for c in text))
        raise DataError(
            f"{where} holds half a character (in {clip(ascii(odd)[1:-1])}); correct the text."
        ) from None


def check_states(states: int, name: Name) -> None:
    """A number of states that a discrete variable can have."""
    if not isinstance(states, int) or not 1 <= states <= MAX_STATES:
        raise DataError(
            f"Column {clip(name)} has {states} states; a variable has 1 to {MAX_STATES} "
            "(group a measurement into bins, leave an identifier out)."
        )


OR_IMPUTE = ", or impute them with bjp_engine.parameters.impute"


def missing_sentence(
    counts: NDArray[np.integer[Any]],
    names: Sequence[Name],
    drop: str = "missing='drop'",
    most_in: str | None = None,
) -> str:
    """Say where cells are missing, worst column first; `counts` has their number in each.

    `most_in` is the file that has most of them, where the rows come from several.
    """
    worst = int(np.argmax(counts))
    others = int((counts > 0).sum()) - 1
    also = f" ({plural(others, 'other column')} too)" if others else ""
    where, otherwise = "", OR_IMPUTE
    if most_in is not None:
        where, otherwise = f", most of them in {most_in}", ""
    return (
        f"Column {clip(names[worst])} has {plural(int(counts[worst]), 'missing cell')}{also}"
        f"{where}; leave their rows out with {drop} or make them a state of their own with "
        f"missing='state'{otherwise}."
    )


def nothing_left_sentence(
    counts: NDArray[np.integer[Any]], rows: int, names: Sequence[Name]
) -> str:
    """Say that no row is complete, and which column is to blame most."""
    worst = int(np.argmax(counts))
    return (
        f"Every row has a missing cell (column {clip(names[worst])} has most, {counts[worst]} of "
        f"{rows}), so dropping rows leaves nothing; "
        "make missing cells a state (missing='state') or leave columns out."
    )
