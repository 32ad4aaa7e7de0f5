"""Values that stand for a missing cell: 9, 99 or -1 apart from all other numbers, and words."""

from __future__ import annotations

import re

import numpy as np

from bjp_engine.arrays import Floats, Ints
from bjp_engine.columns import Column, Table
from bjp_engine.labels import MISSING_LABEL, label_of
from bjp_engine.preparation.states import trimmed
from bjp_engine.validate import Name

# What codebooks use: 9, 99, 999, and before it 8 and 7 (98 and 97, 88 and 77); and below 0.
_CODE = re.compile(r"9+[78]?|8+|7+")
# A bare 7 or 8, and 97 or 98, are codes only where a 9 or 99 follows; 88 and 98 stand alone, too.
_LAST = re.compile(r"9+8?|88+")
_BELOW = re.compile(r"9+[78]?|8+|7+|[1-9]")
# Numbers of more different values measure something; the rule is stricter there.
_FEW_VALUES = 12
# Fewer rows, of all columns, are no evidence of a code.
_LEAST_ROWS = 3
# Numbers that don't count on from 0 or 1 are answers only if there are so many of them; a digit
# beside two answers is a code only if it holds no larger share of the rows.
_SOME_VALUES, _FEW, _SMALL = 5, 3, 0.2
_MOST_CODES = 4
# So short a text is a word of its own only where no other value is as short: DK is a country, too.
_SHORT = 2
# These may also be an answer where few others are: refused, accepted.
_FATES = frozenset(("refused", "refusal", "declined", "missing", "verweigert", "fehlend"))
_WORDS = frozenset(
    (
        *("n/a", "n.a", "na", "nan", "not applicable", "not available", "not answered"),
        *("not stated", "no answer", "no response", "no reply", "don't know", "dont know"),
        *("do not know", "dk", "dk/na", "refused", "refusal", "declined", "missing"),
        *("prefer not to say", "prefer not to answer", "rather not say", "i don't know"),
        *("k.a", "k. a", "keine angabe", "keine angaben", "keine antwort", "ohne angabe"),
        *("weiß nicht", "weiss nicht", "weiß ich nicht", "weiss ich nicht", "verweigert"),
        *("nicht beantwortet", "fehlend", "keine auskunft"),
    )
)


def missing_codes(table: Table) -> dict[Name, tuple[str, ...]]:
    """The texts of values that stand for a missing cell, for each column that has any."""
    found: dict[Name, tuple[str, ...]] = {}
    numbers: dict[Name, dict[float, int]] = {}
    rows: dict[float, int] = {}
    for name, column in table.columns.items():
        if column.numeric:
            numbers[name] = _numbers(column)
            for code, count in numbers[name].items():
                rows[code] = rows.get(code, 0) + count
        elif words := _words(column):
            found[name] = words
    for name, codes in numbers.items():
        kept = [label_of(code) for code in codes if rows[code] >= _LEAST_ROWS]
        if kept:
            found[name] = tuple(kept)
    return {name: found[name] for name in table.names if name in found}


def _count_on(values: Floats) -> bool:
    """Whether numbers count on from 0 or 1, as answers do."""
    return bool(np.abs(values).min() in (0, 1) and (np.diff(values) == 1).all())


def _words(column: Column) -> tuple[str, ...]:
    """The words of a column that say that there is no answer; two other values are left."""
    seen = [
        label
        for label, count in zip(column.labels, column.counts, strict=True)
        if count or column.declared
    ]
    # A state made of missing cells is no code any more.
    words = [label for label in seen if label != MISSING_LABEL and _bare(label) in _WORDS]
    if not words:
        return ()
    others = [label for label in seen if label not in words]
    if any(len(label) <= _SHORT for label in others):
        words = [label for label in words if len(label) > _SHORT]
    if len(others) < _FEW and all(_bare(label) in _FATES for label in words):
        return ()
    return tuple(words) if len(others) >= 2 else ()


def _bare(label: str) -> str:
    """A text without capitals and brackets."""
    return trimmed(label).casefold().strip(" .-–()[]<>")


def _numbers(column: Column) -> dict[float, int]:
    """The codes among numbers, with their rows, by the gap before the other numbers."""
    seen = column.counts > 0
    order = np.argsort(column.numbers[seen])
    values, counts = column.numbers[seen][order], column.counts[seen][order]
    if len(values) < 3 or not np.isfinite(values).all() or column.declared:
        return {}
    positive = values >= 0
    above = _codes_above(values[positive], counts[positive], _CODE, _LAST)
    middle = len(values) - above
    below = _codes_above(-values[:middle][::-1], counts[:middle][::-1], _BELOW, _BELOW)
    if below and values[below] < 0:
        below = 0
    places = [*range(below), *range(middle, len(values))]
    return {float(values[place]): int(counts[place]) for place in places}


def _codes_above(values: Floats, counts: Ints, code: re.Pattern[str], last: re.Pattern[str]) -> int:
    """How many of the largest values are codes, which a gap divides from the others."""
    if not len(values) or not last.fullmatch(label_of(float(values[-1]))):
        return 0
    for size in range(min(_MOST_CODES, len(values) - 2), 0, -1):
        others, codes = values[:-size], values[-size:]
        if not all(code.fullmatch(label_of(value)) for value in codes.tolist()):
            continue
        gap, range_ = codes[0] - others[-1], others[-1] - others[0]
        if gap <= np.diff(others).max():
            continue
        if len(others) <= _FEW_VALUES:
            whole = bool((np.trunc(others) == others).all())
            digit = len(others) < _FEW and codes[0] < 10
            few = digit and counts[-size:].sum() > _SMALL * counts.sum()
            evident = whole and not few and (_count_on(others) or len(others) >= _SOME_VALUES)
        else:
            evident = gap > range_ or counts[-size:].sum() > counts[-size - 1]
        if evident:
            return size
    return 0
