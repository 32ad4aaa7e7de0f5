"""What is an answer: choices of one question, several in a cell, and codes of missing cells.

A code (9, 99 or -1 apart from all other numbers, a word, a sign) needs evidence in its column, and
none against it in its siblings: where columns of the same name or the same numbers count on through
it, it is an answer.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from os.path import commonprefix

import numpy as np

from bjp_engine.arrays import Floats, Ints
from bjp_engine.columns import FEW_ROWS, Column, Table
from bjp_engine.errors import clip, columns_text, listed, plural
from bjp_engine.health import thresholds as bounds
from bjp_engine.health.profile import Finding, Profile, make_finding, states_text
from bjp_engine.health.scales import match_name, scale_of, stem
from bjp_engine.labels import MISSING_LABEL, label_of
from bjp_engine.preparation import MissingCodes, MultipleChoice, SplitAnswers
from bjp_engine.preparation.roles import is_denial, split_parts
from bjp_engine.preparation.states import MOST_KEPT, trimmed
from bjp_engine.validate import Name

_MOST_TITLE = 200
# A name that only numbers the columns of a file, whatever they hold.
_MERE_NUMBER = re.compile(
    r"(?:q|qu|v|x|f|var|variable|question|frage|col|column|field|spalte|nr|no)?", re.IGNORECASE
)
# What divides a question from its choice: media/radio, media [Radio], q (choice=Radio), q – Radio.
_DIVIDER = re.compile(r".*(?:[/.:|=\[(_]|\s[-–—]\s)", re.DOTALL)
_MARK = re.compile(
    r"x|1|yes|y|true|on|checked|selected|ticked|ja|wahr|oui|vrai|s[ií]|✓|✔|☑", re.IGNORECASE
)
_SEPARATORS = ("\n", ";", "|", ",", " ")


def find_choices(profile: Profile) -> Iterator[Finding]:
    """Neighbouring columns of one question, each with one value or empty."""
    filled = [(n, c) for n, c in profile.table.columns.items() if c.counts.any()]
    for may_be, run in groupby(filled, lambda pair: _is_choice(pair[1])):
        for group in _questions(run) if may_be else ():
            # What denies is no choice, but may stand among them.
            columns = {name: one for name, one in group if not is_denial(_value(one))}
            if all(one.holes <= bounds.UNTICKED * one.rows for one in columns.values()):
                continue
            ticked = np.logical_or.reduce([one.codes >= 0 for one in columns.values()])
            none = profile.rows - int(np.count_nonzero(ticked))
            names = tuple(columns)
            yield make_finding(
                "multiple_choice",
                names,
                f"Cells of {columns_text(names)} hold one value or are empty, as the choices of "
                f"one question do; {plural(none, 'row')} ticked none of them.",
                MultipleChoice(names),
                "Make yes or no",
                figures={"none": none},
            )


def _is_choice(column: Column) -> bool:
    """Whether a column has empty cells and one value."""
    return np.count_nonzero(column.counts) == 1 and bool(column.holes) and not column.own


def _value(column: Column) -> str:
    """The one value of a choice."""
    return column.labels[int(np.flatnonzero(column.counts)[0])]


def _questions(run: Iterable[tuple[Name, Column]]) -> Iterator[list[tuple[Name, Column]]]:
    """The columns of each question among neighbours: of one stem, or several of one mark."""
    groups: list[list[tuple[Name, Column]]] = []
    for one in run:
        if groups and _belong([*groups[-1], one]):
            groups[-1].append(one)
        else:
            groups.append([one])
    for named, part in groupby(groups, lambda group: len(group) > 1):
        if named:
            yield from part
            continue
        single = [one for (one,) in part]
        ticked = [one for one in single if not is_denial(_value(one[1]))]
        for mark, alike in groupby(ticked, lambda one: _value(one[1]).casefold()):
            unnamed = list(alike)
            several = len(unnamed) + len(single) - len(ticked) >= bounds.UNNAMED_CHOICES
            begins = [stem(name) for name, _ in unnamed]
            numbered = all(begin is not None and is_mere_number(begin) for begin in begins)
            if _MARK.fullmatch(mark) and several and not numbered:
                yield unnamed


def _belong(group: Sequence[tuple[Name, Column]]) -> bool:
    """Whether columns share the stem of their names, or words of their titles."""
    begins = {stem(name) for name, _ in group}
    if len(begins) == 1 and not is_mere_number(begins.pop() or ""):
        return True
    names = [str(name) for name, _ in group]
    for texts in (names, [name[::-1] for name in names]):
        begin = _DIVIDER.match(commonprefix(texts))  # noqa: RUF071
        if begin and not is_mere_number(begin[0].strip(" _/.:|=[(-–—")):
            return True
    words = [one.title[:_MOST_TITLE].split() for _, one in group]
    return any(
        len(words[0][part]) == bounds.QUESTION_WORDS
        and all(one[part] == words[0][part] for one in words)
        for part in (slice(bounds.QUESTION_WORDS), slice(-bounds.QUESTION_WORDS, None))
    )


def is_mere_number(begin: str) -> bool:
    """Whether the number behind it only counts the columns of a file, as in q1, q2, q3."""
    return _MERE_NUMBER.fullmatch(begin) is not None


def find_several_answers(profile: Profile) -> Iterator[Finding]:
    """Texts that list several answers of one question."""
    for name, column in profile.table.columns.items():
        found = _separator(column)
        if found is None:
            continue
        separator, parts = found
        example = max(column.labels, key=lambda label: len(split_parts(label, separator)))
        yield make_finding(
            "several_answers",
            (name,),
            f"Cells of column {clip(name, 30)} hold several answers, as in {clip(example, 40)}: "
            f"{listed(parts)}. With a yes/no variable of each it makes {len(parts)} variables.",
            SplitAnswers((name,), separator),
            "A variable of each",
            figures={"answers": len(parts), "states": int(np.count_nonzero(column.counts))},
        )


def _separator(column: Column) -> tuple[str, tuple[str, ...]] | None:
    """What stands between several answers in the cells of a column, and the answers."""
    states = np.count_nonzero(column.counts)
    if not column.textual or column.declared or not 2 < states <= bounds.MOST_COMBINATIONS:
        return None
    labels = [label for label, n in zip(column.labels, column.counts, strict=True) if n]
    if MISSING_LABEL in labels or scale_of(labels) or column.rows < FEW_ROWS:
        return None
    for separator in _SEPARATORS:
        if sum(separator in label for label in labels) < 2:
            continue
        cells = [split_parts(label, separator) for label in labels]
        parts = tuple(dict.fromkeys(part for cell in cells for part in cell))
        listed_ones = [cell for cell in cells if len(cell) > 1]
        if len(parts) > min(bounds.MOST_PARTS, len(labels) + 1) or len(listed_ones) < 2:
            continue
        if any(len(set(cell)) < len(cell) for cell in cells):
            continue
        alone = {cell[0] for cell in cells if len(cell) == 1}
        first = {cell[0] for cell in listed_ones}
        later = {part for cell in listed_ones for part in cell[1:]}
        often = Counter(part for cell in listed_ones for part in cell)
        free = [part for part in often if part in alone or part in first & later]
        share = 1.0 if separator == " " else bounds.FREE_PARTS
        several = [part for part in often if part in alone or often[part] > 1]
        if len(free) >= share * len(often) and len(several) >= bounds.FREE_PARTS * len(often):
            return separator, parts
    return None


# --- Codes of missing cells -----------------------------------------------------------------------

# What codebooks use: 9, 99, 999, and before it 8 and 7 (98 and 97, 88 and 77); and below 0.
_CODE = re.compile(r"9+[78]?|8+|7+")
# A bare 7 or 8, and 97 or 98, are codes only where a 9 or 99 follows; 88 and 98 stand alone, too.
_LAST = re.compile(r"9+8?|88+")
_BELOW = re.compile(r"9+[78]?|8+|7+|[1-9]")
_WHOLE = re.compile(r"-?\d{1,15}")
# The code of a label that stands apart from answers.
_CODED = re.compile(r"-\d+|9+[78]?|8+|7+")
# These may also be an answer where few others are: refused, accepted.
_FATES = frozenset(("refused", "refusal", "declined", "missing", "verweigert", "fehlend"))
_TEXT = """
n/a; n.a; na; nan; not applicable; not available; not answered; not stated; no answer; no
response; no reply; don't know; dont know; do not know; dk; dk/na; refused; refusal; declined;
missing; prefer not to say; prefer not to answer; rather not say; i don't know; not ascertained;
inapplicable; can't say; cannot say; refused to answer; can't choose; no opinion/don't know; not
known; rf; ref; iap; skipped; k.a; k. a; keine angabe; keine angaben; keine antwort; ohne angabe;
weiß nicht; weiss nicht; weiß ich nicht; weiss ich nicht; verweigert; nicht beantwortet; fehlend;
keine auskunft; sans réponse; ne sait pas; no sabe; no contesta; no responde; ns; nc; sin
respuesta
"""
_WORDS = frozenset(" ".join(_TEXT.split()).split("; "))
# Several of them in one label: Don't know / Refused.
_DIVIDED = re.compile(r"\s*(?:[/,;|]|\bor\b|\boder\b)\s*")
# A dot, a dash or a star where others have a word or a number; no plus, as of a test's result.
_SIGN = re.compile(r"[.*?#\-–—_]{1,3}|\.[a-z]")
_DIVIDED_NAME = re.compile(r"(.+)[\W_][^\W_]+")


def find_missing_codes(profile: Profile) -> Iterator[Finding]:
    """Values that stand for missing cells, column by column."""
    found, cells = missing_codes(profile.table), 0
    shown: dict[Name, list[str]] = {}
    for name, codes in found.items():
        column = profile.table.column(name)
        cells += int(column.counts[[x in codes for x in column.labels]].sum())
        # A code with the label that the file has for it.
        labels = [column.meaning(x) for x in codes]
        shown[name] = [x if x == y else f"{x} ({y})" for x, y in zip(codes, labels, strict=True)]
    if found:
        said = f"{plural(cells, 'cell')} seem{'s' if cells == 1 else ''} to hold"
        said = said if cells else "No cell holds, but the file declares as a state,"
        yield make_finding(
            "missing_codes",
            tuple(found),
            f"{said} a code for a missing answer: {states_text(shown)}.",
            MissingCodes(tuple(found.items())),
            "Treat as missing",
            figures={"cells": cells},
        )


def missing_codes(table: Table) -> dict[Name, tuple[str, ...]]:
    """The texts of values that stand for a missing cell, for each column that has any."""
    columns, rows = table.columns, Counter[float]()
    found = {name: {*_words(column)} for name, column in columns.items()}
    numbers = {n: x for n, column in columns.items() if (x := _numbers_behind(column)) is not None}
    codes = {name: _numbers(columns[name], x, found[name]) for name, x in numbers.items()}
    # What columns of one family have among their answers, from the least to the largest.
    answers: dict[str, dict[Name, tuple[float, float]]] = defaultdict(dict)
    for name, counts in codes.items():
        rows.update(counts)
        if left := {*numbers[name][columns[name].counts > 0].tolist()} - counts.keys():
            answers[_family(name)][name] = min(left), max(left)
    for name, counts in codes.items():
        ranges = [ends for other, ends in answers[_family(name)].items() if other != name]
        often = [code for code in counts if rows[code] >= bounds.CODE_ROWS]
        alone = [code for code in often if not any(a <= code <= b for a, b in ranges)]
        found[name].update(map(label_of, alone))
    return {
        n: tuple(x for x in columns[n].labels if x in some) for n, some in found.items() if some
    }


def _family(name: Name) -> str:
    """What siblings share in their names: Q3_1 and Q3_2, hours_mon and hours_tue."""
    begin = stem(name) or ""
    divided = match_name(_DIVIDED_NAME, name)
    return begin or (divided[1] if divided else str(name))


def _words(column: Column) -> tuple[str, ...]:
    """The texts of a column that say that there is no answer; two other values are left."""
    if (column.numeric and not column.aliases) or len(column.values) > MOST_KEPT:
        return ()
    counts = zip(column.labels, column.counts.tolist(), strict=True)
    rows = {label: count for label, count in counts if count or column.declared}
    # A state made of missing cells is no code any more.
    words = [x for x in rows if x != MISSING_LABEL and _is_word(column.meaning(x))]
    others = [x for x in rows if x not in words]
    if not column.numeric and not column.declared:
        words += _signs(others, rows)
        others = [x for x in rows if x not in words]
    if len(others) < 2 or not words:
        return ()
    if not column.numeric and not _are_numbers(others):
        if any(len(label) <= bounds.SHORT_WORD for label in others):
            words = [x for x in words if len(x) > bounds.SHORT_WORD or not x.isalpha()]
        fates = len(others) < bounds.FEW_STATES_BESIDE and all(_bare(x) in _FATES for x in words)
        if fates and not all(_CODED.fullmatch(column.aliases.get(x, "")) for x in words):
            return ()
    return tuple(words)


def _signs(others: list[str], rows: dict[str, int]) -> list[str]:
    """A dot, dash or star among numbers or words; a dash of many rows may say "none".

    Not so beside a word that denies, as no does beside yes.
    """
    signs = [x for x in others if _SIGN.fullmatch(x)]
    plain = [x for x in others if x not in signs]
    total, held = sum(rows.values()), sum(rows[x] for x in signs)
    if len(plain) < 2 or held >= total / 2:
        return []
    named = all(x[-1:].isalnum() or len(x) > bounds.FEW_STATES_BESIDE for x in plain)
    few = held < bounds.CODE_SHARE * total or any(map(is_denial, plain))
    certain = _are_numbers(plain) or (named and few)
    return [x for x in signs if certain or (named and x.strip("-–—_"))]


def _are_numbers(labels: list[str]) -> bool:
    return all(label.lstrip("-").replace(".", "").isdecimal() for label in labels)


def _is_word(text: str) -> bool:
    """Whether a text says that there is no answer, in one way or in several."""
    parts = {_bare(part) for part in _DIVIDED.split(_bare(text)) if part}
    return _bare(text) in _WORDS or (bool(parts) and parts <= _WORDS)


def _bare(label: str) -> str:
    """A text without capitals, brackets, or a typographic apostrophe."""
    return trimmed(label).replace("’", "'").casefold().strip(" .-–()[]<>")


def _numbers_behind(column: Column) -> Floats | None:
    """The numbers of a column, or those that its file gives labels."""
    if column.numeric:
        return None if column.declared else column.numbers
    codes = [column.aliases.get(label, "") for label in column.labels]
    return np.array(codes, np.float64) if codes and all(map(_WHOLE.fullmatch, codes)) else None


def _numbers(column: Column, numbers: Floats, named: set[str]) -> dict[float, int]:
    """The codes among numbers, with their rows, by the gap before the other numbers."""
    seen = column.counts > 0
    if named:
        seen &= [label not in named for label in column.labels]
    order = np.argsort(numbers[seen])
    values, counts = numbers[seen][order], column.counts[seen][order]
    if len(values) < 3 or not np.isfinite(values).all():
        return {}
    positive = values >= 0
    above = _codes_above(values[positive], counts[positive], _CODE, _LAST)
    middle = len(values) - above
    below = _codes_above(-values[:middle][::-1], counts[:middle][::-1], _BELOW, _BELOW)
    if below and values[below] < 0:
        below = 0
    places = [*range(below), *range(middle, len(values))]
    codes = {float(values[place]): int(counts[place]) for place in places}
    # What has a label is an answer, unless its words say otherwise.
    return {x: n for x, n in codes.items() if column.numeric or label_of(x) in column.labels}


def _codes_above(values: Floats, counts: Ints, code: re.Pattern[str], last: re.Pattern[str]) -> int:
    """How many of the largest values are codes, which a gap divides from the others."""
    if not len(values) or not last.fullmatch(label_of(float(values[-1]))):
        return 0
    for size in range(min(bounds.MOST_CODES, len(values) - 2), 0, -1):
        others, codes = values[:-size], values[-size:]
        if not all(code.fullmatch(label_of(value)) for value in codes.tolist()):
            continue
        gap, range_ = codes[0] - others[-1], others[-1] - others[0]
        if gap <= np.diff(others).max():
            continue
        many = code is not _BELOW and counts[-size:].max() >= bounds.CODE_SHARE * counts.sum()
        if len(others) <= bounds.FEW_VALUES:
            whole = bool((np.trunc(others) == others).all())
            near = codes[0] < 10 or gap <= range_
            evident = whole and not (many and near)
            # As answers do, they count on from 0 or 1.
            on = np.abs(others).min() in (0, 1) and (np.diff(others) == 1).all()
            evident = evident and bool(on or len(others) >= bounds.SOME_VALUES)
        else:
            evident = gap > range_ or counts[-size:].sum() > counts[-size - 1]
            evident = evident and not (many and gap <= range_)
        if evident:
            return size
    return 0
