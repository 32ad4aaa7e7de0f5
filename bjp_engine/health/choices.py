"""Choices of one question: a column each, or several answers in one cell."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from os.path import commonprefix
from typing import NamedTuple

import numpy as np

from bjp_engine.columns import FEW_ROWS, Column
from bjp_engine.errors import clip, columns_text, listed, plural
from bjp_engine.health import thresholds as bounds
from bjp_engine.health.profile import Finding, Profile, make_finding
from bjp_engine.health.scales import scale_of, stem
from bjp_engine.labels import MISSING_LABEL
from bjp_engine.preparation import MultipleChoice, SplitAnswers
from bjp_engine.preparation.roles import is_denial, split_parts
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


class _Choice(NamedTuple):
    """A column with one value, besides empty cells."""

    name: Name
    value: str
    title: str

    @property
    def denied(self) -> bool:
        return is_denial(self.value)


def find_choices(profile: Profile) -> Iterator[Finding]:
    """Neighbouring columns of one question, each with one value or empty."""
    filled = [(n, c) for n, c in profile.table.columns.items() if c.counts.any()]
    for may_be, run in groupby(filled, lambda pair: _is_choice(pair[1])):
        for group in _questions(run) if may_be else ():
            # What denies is no choice, but may stand among them.
            columns = {one.name: profile.table.column(one.name) for one in group if not one.denied}
            if all(one.holes <= bounds.UNTICKED * one.rows for one in columns.values()):
                continue
            ticked = np.logical_or.reduce([one.codes >= 0 for one in columns.values()])
            none = profile.rows - int(np.count_nonzero(ticked))
            names = tuple(columns)
            yield make_finding(
                "multiple_choice",
                names,
                {"columns": len(names), "none": none},
                f"Cells of {columns_text(names)} hold one value or are empty, as the choices of "
                f"one question do; {plural(none, 'row')} ticked none of them.",
                MultipleChoice(names),
                "Make yes or no",
            )


def _is_choice(column: Column) -> bool:
    """Whether a column has empty cells and one value."""
    return np.count_nonzero(column.counts) == 1 and bool(column.holes) and not column.own


def _questions(run: Iterable[tuple[Name, Column]]) -> Iterator[list[_Choice]]:
    """The columns of each question among neighbours: of one stem, or several of one mark."""
    groups: list[list[_Choice]] = []
    for name, column in run:
        value = column.labels[int(np.flatnonzero(column.counts)[0])]
        one = _Choice(name, value, column.title[:_MOST_TITLE])
        if groups and _belong([*groups[-1], one]):
            groups[-1].append(one)
        else:
            groups.append([one])
    for named, part in groupby(groups, lambda group: len(group) > 1):
        if named:
            yield from part
            continue
        single = [one for (one,) in part]
        ticked = [one for one in single if not one.denied]
        for mark, alike in groupby(ticked, lambda one: one.value.casefold()):
            unnamed = list(alike)
            several = len(unnamed) + len(single) - len(ticked) >= bounds.UNNAMED_CHOICES
            if _MARK.fullmatch(mark) and several:
                names = (stem(one.name) for one in unnamed)
                if not all(begin is not None and is_mere_number(begin) for begin in names):
                    yield unnamed


def _belong(group: Sequence[_Choice]) -> bool:
    """Whether columns share the stem of their names, or words of their titles."""
    begins = {stem(one.name) for one in group}
    if len(begins) == 1 and not is_mere_number(begins.pop() or ""):
        return True
    names = [str(one.name) for one in group]
    for texts in (names, [name[::-1] for name in names]):
        begin = _DIVIDER.match(commonprefix(texts))  # noqa: RUF071
        if begin and not is_mere_number(begin[0].strip(" _/.:|=[(-–—")):
            return True
    words = [one.title.split() for one in group]
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
            {"answers": len(parts), "states": int(np.count_nonzero(column.counts))},
            f"Cells of column {clip(name, 30)} hold several answers, as in {clip(example, 40)}: "
            f"{listed(parts)}. With a yes/no variable of each it makes {len(parts)} variables.",
            SplitAnswers((name,), separator),
            "A variable of each",
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
