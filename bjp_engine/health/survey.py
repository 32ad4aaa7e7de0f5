"""What a survey holds besides answers: frequencies, weights, choices, codes, ordered answers.

These findings come before all others, which are about the table after their steps.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from itertools import groupby

import numpy as np

from bjp_engine.columns import Column, Table
from bjp_engine.errors import DataError, clip, columns_text, listed, plural
from bjp_engine.health.codes import missing_codes
from bjp_engine.health.findings import Finding, make_finding
from bjp_engine.health.scales import is_mere_number, match_name, ordered_states, stem
from bjp_engine.preparation import (
    DropVariables,
    MissingCodes,
    MultipleChoice,
    OrderedAnswers,
    RepeatRows,
    SetGroups,
)
from bjp_engine.validate import Name

_FREQUENCY = re.compile(
    r"(?:n|nn|freq(?:s|uency|uencies)?|counts?|cases|number|n_?obs|weights?|wt|wgt|häufigkeit(?:en)?"
    r"|haeufigkeit(?:en)?|anzahl|fallzahl|gewicht)\W*",
    re.IGNORECASE,
)
_SURVEY = r"survey|sampl(?:e|ing)|final|post|design|person|house_?hold|hh|rak(?:e|ed|ing)|ps|panel"
_SURVEY += r"|analysis|pop(?:ulation)?|non_?response|calibrat(?:ed|ion)|wave|case|umfrage|personen"
# What only weights of a survey are called; a bare weight may be that of a body or a product.
_WEIGHT = re.compile(
    r"(?:.*[\W_])?(?:wts?|wgts?|wghts?|pweights?|pspw(?:ei)?ghts?|dweights?|anweights?|gew|gewichtung"
    rf"|(?:{_SURVEY})[\W_]*(?:weights?|gewicht))\d*\W*"
    rf"|(?:weights?|wts?|wgts?|gewicht)[\W_]*(?:{_SURVEY})\d*\W*",
    re.IGNORECASE,
)
_BARE_WEIGHT = re.compile(r"(?:weights?|gewicht)\d*\W*", re.IGNORECASE)
# Who or what has one of these is weighed.
_BODY = re.compile(
    r"(?:.*[\W_])?(?:height|ht|bmi|length|size|width|volume|price|größe|groesse|länge|laenge"
    r"|breite|preis)(?:[\W_].*)?",
    re.IGNORECASE,
)
_UNIT = re.compile(
    r"(?:.*[\W_\d])?(?:kg|kilo(?:gram)?s?|g|gram[ms]?|lbs?|pounds?|oz|tons?|tonnes?)(?:[\W_].*)?",
    re.IGNORECASE | re.DOTALL,
)
_MOST_TITLE = 200
# Columns in which no more than this share is empty are no choices; so many words are a question.
_UNTICKED, _WORDS = 0.1, 2
# Weights are scaled to a mean of 1. A bare weight as near to it as this is one.
_MEAN, _NEAR = (0.8, 1.25), (0.97, 1.03)
# If lines were persons, so many pairs of equal lines would be expected; e^-5 is below 1 %.
_PAIRS = 5.0
_GROUP = re.compile(
    r"(?:group|gruppe|wave|welle|condition|bedingung|arm|treatment|cohort|kohorte|sample|stichprobe"
    r"|country|land|site|zentrum)\W*",
    re.IGNORECASE,
)
_GROUPS = range(2, 13)


def find_in_survey(table: Table) -> Iterator[Finding]:
    """What must be done before the columns can be looked at, each after the steps before it."""
    for find in (_frequencies, _weights, _choices, _codes):
        for finding in find(table):
            yield finding
            for step in finding.steps if finding.advised else ():
                table = step.fit(table).apply(table).table


def find_roles(table: Table) -> Iterator[Finding]:
    """Ordered answers and groups, which change nothing of what the other findings say."""
    orders: dict[tuple[str, ...] | None, list[Name]] = defaultdict(list)
    for name, states in ordered_states(table.columns).items():
        orders[states].append(name)
    if orders:
        names = tuple(name for columns in orders.values() for name in columns)
        verb = "has" if len(names) == 1 else "have"
        said = f"C{columns_text(names)[1:]} {verb} states that read as an ordered scale."
        numbers = [name for name in names if table.column(name).numeric]
        if numbers:
            said += (
                f" Of numbers, as in {clip(numbers[0], 30)}, this is a guess: if they are codes, "
                "as of regions, give the column the role 'answer', or leave it out of the step "
                "'ordered answers'."
            )
        yield make_finding(
            "ordered",
            names,
            {"columns": len(names)},
            said,
            *(OrderedAnswers(tuple(columns), states) for states, columns in orders.items()),
            "Declare as ordered",
        )
    groups = [
        name
        for name, column in table.columns.items()
        if match_name(_GROUP, name) and int(np.count_nonzero(column.counts)) in _GROUPS
    ]
    if groups:
        verb = "is" if len(groups) == 1 else "are"
        yield make_finding(
            "groups",
            groups,
            {"columns": len(groups)},
            f"C{columns_text(groups)[1:]} {verb} named like a group of rows. A group is no "
            "variable of the network; the networks of groups can be compared.",
            SetGroups(tuple(groups)),
            "Keep as groups",
            advised=False,
        )


def _frequencies(table: Table) -> Iterator[Finding]:
    """A column that says how often each line was counted."""
    for name in table.names:
        if not match_name(_FREQUENCY, name) or not _is_tabulated(table, name):
            continue
        step = RepeatRows(name)
        try:
            rows = step.apply(table).table.rows
        except DataError:
            continue
        yield make_finding(
            "frequencies",
            (name,),
            {"lines": table.rows, "rows": rows},
            f"Each of the {table.rows:,} lines is another combination of states, and column "
            f"{clip(name, 30)} reads as its frequency, {rows:,} rows in all.",
            step,
            "Use as frequencies",
        )
        return


def _is_tabulated(table: Table, name: Name) -> bool:
    """Whether every line is another combination, where persons would repeat some of them."""
    import pandas as pd

    column = table.column(name)
    others = {key: one for key, one in table.columns.items() if key != name}
    numbers = column.numbers if column.numeric else np.full(1, np.nan)
    if column.holes or not others or not (np.trunc(numbers) == numbers).all():
        return False
    if not len(numbers) or numbers.min() < 0 or numbers.max() < 2:
        return False
    lines = pd.DataFrame(dict(enumerate(c.codes for c in others.values())))
    if lines.duplicated().any():
        return False
    sizes = [np.count_nonzero(one.counts) + bool(one.holes) for one in others.values()]
    alike = [
        (np.square(one.counts / table.rows).sum() + (one.holes / table.rows) ** 2)
        for one in others.values()
    ]
    pairs = table.rows * (table.rows - 1) / 2 * float(np.prod(alike))
    every = float(np.prod(np.array(sizes, dtype=np.float64))) == table.rows
    if every and len(others) > 1:
        return True
    # Where some columns already tell all lines apart, as subject and visit do, nothing was counted.
    return pairs >= _PAIRS and all(lines.drop(columns=k).duplicated().any() for k in lines)


def _weights(table: Table) -> Iterator[Finding]:
    """A column of survey weights; a bare weight whose mean is not quite 1 is only asked about."""
    for name, column in table.columns.items():
        bare = match_name(_BARE_WEIGHT, name) and not _is_weighed(table, name)
        named = match_name(_WEIGHT, name) is not None
        if not (named or bare) or not _is_weight(column, *_MEAN):
            continue
        sure = named or _is_weight(column, *_NEAR)
        counts, numbers = column.counts, column.numbers
        total, squares = float(counts @ numbers), float(counts @ numbers**2)
        effective = total**2 / squares
        said = (
            f"Column {clip(name, 30)} reads as survey weights. They can't be used as evidence: a "
            "test counts rows, and one of weight 2.3 is not 2.3 independent rows. The weights "
            f"leave about {effective:,.0f} effective rows of {int(counts.sum()):,}."
        )
        if not sure:
            said = (
                f"Column {clip(name, 30)} has a mean near 1. If it holds survey weights, leave it "
                "out: a test counts rows, and one of weight 2.3 is not 2.3 independent rows. If "
                "something was weighed, keep it."
            )
        yield make_finding(
            "weights",
            (name,),
            {"mean": total / int(counts.sum()), "effective": effective},
            said,
            DropVariables((name,)),
            "Leave out",
            advised=sure,
        )


def _is_weighed(table: Table, name: Name) -> bool:
    """Whether a weight is that of a body or a product: it has a unit, or stands beside a size."""
    title = table.column(name).title
    return bool(_UNIT.fullmatch(title[:_MOST_TITLE])) or any(
        match_name(_BODY, other) for other in table.names if other != name
    )


def _is_weight(column: Column, least: float, most: float) -> bool:
    """Whether numbers are positive, not whole, and about 1 on average."""
    if not column.numeric or not column.counts.any():
        return False
    held = column.counts > 0
    numbers, counts = column.numbers[held], column.counts[held]
    if not np.isfinite(numbers).all() or numbers.min() < 0:
        return False
    mean = float(counts @ numbers) / int(counts.sum())
    return bool((np.trunc(numbers) != numbers).any()) and least <= mean <= most


def _choices(table: Table) -> Iterator[Finding]:
    """Neighbouring columns of one question, each with one value or empty."""
    filled = [(name, one) for name, one in table.columns.items() if one.counts.any()]
    for question, group in groupby(filled, lambda pair: _question(*pair)):
        columns = dict(group)
        if question is None or len(columns) < 2 or not _is_one_question(question, columns):
            continue
        names = tuple(columns)
        ticked = np.logical_or.reduce([one.codes >= 0 for one in columns.values()])
        none = table.rows - int(np.count_nonzero(ticked))
        yield make_finding(
            "multiple_choice",
            names,
            {"columns": len(names), "none": none},
            f"C{columns_text(names)[1:]} hold one value or are empty, as the choices of one "
            f"question do; {plural(none, 'row')} ticked none of them.",
            MultipleChoice(names),
            "Make yes or no",
        )


def _question(name: Name, column: Column) -> str | None:
    """The question that a column may be a choice of."""
    one = int(np.count_nonzero(column.counts)) == 1
    return stem(name) if one and column.holes and not column.own else None


def _is_one_question(question: str, columns: dict[Name, Column]) -> bool:
    """Whether not all choices were ticked by nearly all, and a name or titles show a question."""
    if all(one.holes <= _UNTICKED * one.rows for one in columns.values()):
        return False
    if not is_mere_number(question):
        return True
    words = [one.title[:_MOST_TITLE].split() for one in columns.values()]
    return any(
        all(one[part] == words[0][part] for one in words) and len(words[0][part]) == _WORDS
        for part in (slice(_WORDS), slice(-_WORDS, None))
    )


def _codes(table: Table) -> Iterator[Finding]:
    """Values that stand for missing cells, column by column."""
    found = missing_codes(table)
    if not found:
        return
    cells = 0
    by_codes: dict[tuple[str, ...], list[Name]] = defaultdict(list)
    for name, codes in found.items():
        column = table.column(name)
        by_codes[codes].append(name)
        rows = zip(column.labels, column.counts.tolist(), strict=True)
        cells += sum(count for label, count in rows if label in codes)
    shown = [f"{listed(codes)} in {columns_text(names)}" for codes, names in by_codes.items()]
    more = f" and in {len(shown) - 3} other ways" if len(shown) > 3 else ""
    said = f"{plural(cells, 'cell')} seem{'s' if cells == 1 else ''} to hold"
    if not cells:
        said = "No cell holds, but the file declares as a state,"
    yield make_finding(
        "missing_codes",
        tuple(found),
        {"columns": len(found), "cells": cells},
        f"{said} a code for a missing answer: {'; '.join(shown[:3])}{more}.",
        MissingCodes(tuple(found.items())),
        "Treat as missing",
    )
