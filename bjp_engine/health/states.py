"""How many states a variable has, how they are written, and which cells are missing."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator

import numpy as np

from bjp_engine.columns import Column
from bjp_engine.errors import clip, columns_text, listed, plural
from bjp_engine.health import thresholds as bounds
from bjp_engine.health.profile import (
    NEEDED,
    Finding,
    Profile,
    leave_out,
    make_finding,
    percent,
    states_text,
)
from bjp_engine.identifiers import MANY_STATES
from bjp_engine.parameters.imputation import TIMES, imputation_seconds
from bjp_engine.preparation import BinNumbers, MergeRare, MissingCells, TidyText
from bjp_engine.preparation.roles import count_missing
from bjp_engine.preparation.states import MOST_KEPT, plain_numbers, spelled, usual_spellings
from bjp_engine.validate import Name

_LOOKED_AT = 200
# A text that begins with 0, as 007 does, is a code; one that ends with a point, as 5.10., a date.
_NUMBER = re.compile(
    r"[<>≤≥~]?\s?[-+−]?[€$£¥]?\s?[-+−]?(?!0\d)\d(?:[\d .,'’]*\d)?(?:[eE][-+]?\d+|/\d+)?\s?[%€$£¥]?"
)
_USELESS = {
    "empty": "No value at all in {}.",
    "constant": "Only one value occurs in {}; a constant column says nothing about the others.",
    "text": "Free text or codes in {}: too few rows to each of the different values.",
    "date": "Dates in {}: nearly every row has its own, and states lose their order.",
}


def find_apart(profile: Profile) -> Iterator[Finding]:
    """Columns that share no row with a fuller one, or with an equally full one before them."""
    table, variables, found = profile.table, profile.variables, defaultdict[Name, list[Name]](list)
    used = [n for n, v in variables.items() if v.kind not in _USELESS and v.states > 1]
    missing = {name: variables[name].missing for name in used}
    # Fuller columns share a row even with the emptiest one.
    least = profile.rows - max(missing.values(), default=0)
    some = [n for n in used if missing[n] >= max(1, least) and not table.column(n).own]
    names = sorted(some, key=missing.__getitem__)
    held = np.array([table.column(name).codes >= 0 for name in names], np.bool_)
    bits = np.packbits(held.reshape(len(names), profile.rows), axis=1)
    kept: list[int] = []
    for k, name in enumerate(names):
        apart = ~(bits[kept] & bits[k]).any(axis=1)
        if apart.any():
            found[names[kept[int(apart.argmax())]]].append(name)
        else:
            kept.append(k)
    for other, some in found.items():
        yield make_finding(
            "apart",
            (other, *some),
            f"No row with a value in {columns_text(some)} has one in {clip(other, 30)}, so nothing "
            f"can be learned of th{'is pair' if len(some) == 1 else 'ese pairs'}.",
            leave_out(some),
        )


def find_useless(profile: Profile) -> Iterator[Finding]:
    """Columns that say nothing of the others, or hold nearly nothing."""
    found: dict[tuple[str, str, bool], list[Name]] = defaultdict(list)
    for name, one in profile.variables.items():
        kind = "constant" if one.states == 1 else one.kind
        if kind in _USELESS:
            why = kind, _USELESS[kind], True
        elif one.missing < bounds.MOSTLY_MISSING * profile.rows:
            continue
        else:
            nearly = one.missing >= bounds.NEARLY_ALL_MISSING * profile.rows
            least = percent(bounds.NEARLY_ALL_MISSING if nearly else bounds.MOSTLY_MISSING)
            why = "mostly_missing", f"{least} or more of the cells are missing in {{}}.", nearly
        found[why].append(name)
    for (kind, sentence, advised), names in found.items():
        said = sentence.format(columns_text(names))
        yield make_finding(kind, names, said, leave_out(names), advised=advised)


def find_spellings(profile: Profile) -> Iterator[Finding]:
    """Values that differ only in capitals or spaces."""
    extra: dict[Name, int] = {}
    example: tuple[str, str] | None = None
    for name, column in profile.table.columns.items():
        if not column.textual or len(column.values) > MOST_KEPT:
            continue
        usual, values = usual_spellings(column), column.values[column.counts > 0].tolist()
        seen = [value for value in values if isinstance(value, str)]
        if len(seen) > len(usual):
            extra[name] = len(seen) - len(usual)
            odd = next(value for value in seen if value not in usual.values())
            example = example or (usual[spelled(odd)], odd)
    if example:
        names = tuple(extra)
        yield make_finding(
            "spelling",
            names,
            f"Some values in {columns_text(names)} differ only in capital letters or spaces, such "
            f"as {' and '.join(map(_exactly, example))}; they count as different states.",
            TidyText(names),
            "Unify spelling",
            figures={"values": sum(extra.values())},
        )


def find_numbers_as_text(profile: Profile) -> Iterator[Finding]:
    """Columns of text most of which looks like numbers."""
    for name, column in profile.table.columns.items():
        one, like = profile.variables[name], _like_numbers(column)
        if like and one.kind != "date":
            looked = column.values[:_LOOKED_AT].tolist()
            odd = [v for v in looked if isinstance(v, str) and np.isnan(plain_numbers([v])[0])]
            odd.sort(key=like.__contains__)
            what = f"what is no plain number ({listed(odd[:3])}), and the decimal separator in "
            yield make_finding(
                "numbers_as_text",
                (name,),
                f"Column {clip(name, 30)} is text, though most of its "
                f"{one.states:,} values look like numbers. Check {what if odd else ''}"
                "how the file is read.",
                figures={
                    "values": round(len(like) / len(looked) * one.states),
                    "states": one.states,
                },
            )


def _like_numbers(column: Column) -> list[str]:
    """The texts of a column that look like numbers, where most do."""
    looked = column.values[:_LOOKED_AT].tolist() if column.textual and not column.declared else []
    like = [v for v in looked if isinstance(v, str) and _NUMBER.fullmatch(v.strip())]
    many = np.count_nonzero(column.counts) > bounds.FEW_NUMBERS
    return like if many and len(like) >= bounds.MOSTLY_MISSING * len(looked) else []


def find_missing(profile: Profile) -> Iterator[Finding]:
    """What to do about missing cells, if there are any."""
    roles = {name: getattr(step, "role", None) for name, step in profile.said.items()}
    table = profile.table.keeping(n for n in profile.table.names if roles.get(n) != "group")
    missing = count_missing(table)
    if not missing:
        return
    rows, variables, total = profile.rows, len(table.names), sum(missing.values())
    share, complete = total / (rows * variables), int(np.count_nonzero(table.complete_rows()))
    lost, seconds = percent((rows - complete) / rows), imputation_seconds(rows, variables)
    fast = variables > 1 and seconds <= bounds.IMPUTED_IN
    how, action, advice = "state", "Make it a state", f"would cost {lost} of the rows."
    if complete >= bounds.KEPT_ROWS * rows:
        how, action = "drop", "Drop these rows"
        advice = f"costs {plural(rows - complete, 'row')} ({lost})."
    elif fast:
        how, action = "impute", f"Impute ({TIMES} times)"
        advice += f" Imputing keeps every row: each missing cell is drawn {TIMES} times from what "
        advice += "the known cells of its row make probable."
    if not fast and variables > 1:
        advice += f" Imputing would take about {describe_seconds(seconds)}."
    are = "is" if complete == 1 else "are"
    left = f"{complete:,} of {rows:,} rows {are} complete" if complete else "no row is complete"
    if empty := int(np.count_nonzero(table.empty_rows())):
        verb = "is" if empty == 1 else "are"
        advice += f" {plural(empty, 'row')} without any value {verb} dropped in any case."
    said = f"{total:,} cell{'s are' if total > 1 else ' is'} missing ({percent(share)}) in "
    said += f"{columns_text(missing)}; {left}, so dropping the others {advice}"
    figures = {"cells": total, "share": share, "complete": complete, "seconds": round(seconds, 1)}
    yield make_finding("missing", (*missing,), said, MissingCells(how), action, figures=figures)


def describe_seconds(seconds: float) -> str:
    """A time as a person says it."""
    if seconds < 90:
        return plural(max(1, round(seconds)), "second")
    minutes = round(seconds / 60)
    return plural(minutes, "minute") if minutes < 90 else plural(round(minutes / 60), "hour")


def find_numbers(profile: Profile) -> Iterator[Finding]:
    """Numbers with too many different values for the rows."""
    numbers = {
        name: one.states
        for name, one in profile.variables.items()
        # Two whole numbers like it as neighbours leave a configuration too few rows.
        if (one.kind == "measurement" and one.states > 1)
        or (one.kind == "whole number" and profile.rows < NEEDED * one.states**2)
    }
    if numbers:
        names, most = tuple(numbers), max(numbers.values())
        bins = max(b for b in bounds.BINS if b == 2 or profile.rows >= NEEDED * b**3)
        yield make_finding(
            "numbers",
            names,
            f"There are up to {most:,} different numbers in {columns_text(names)}. If each were a "
            "state, nearly every configuration would be empty.",
            BinNumbers(names, bins=bins),
            f"Cut into {bins} bins",
            figures={"states": most, "bins": bins},
        )


def find_rare(profile: Profile) -> Iterator[Finding]:
    """States that few rows hold, of variables with others."""
    least = max(NEEDED, math.ceil(bounds.RARE_SHARE * profile.rows))
    found: dict[tuple[int, bool, bool], dict[Name, int]] = defaultdict(dict)
    for name, column in profile.of("category").items():
        states = profile.variables[name].states
        # Of a long list more states go; "other" has no place in an order.
        below = least if states > MANY_STATES and not column.ordinal else NEEDED
        rows = column.counts[(column.counts > 0) & (column.counts < below)]
        if len(rows) and states > 2:
            # Where every state is rare, one would be left.
            merged = 1 < len(rows) < states and not column.ordinal
            small = bool(rows.sum() <= bounds.MERGED * column.counts.sum())
            found[below, merged, small and not _like_numbers(column)][name] = len(rows)
    for (below, merged, advised), few in sorted(found.items(), key=lambda pair: not pair[0][1]):
        states, names = sum(few.values()), tuple(few)
        yield make_finding(
            "rare",
            names,
            f"{states:,} state{'s have' if states > 1 else ' has'} fewer than {below:,} rows "
            f"in {columns_text(names)}: too few for clear evidence in a slice.",
            *((MergeRare(names, below), "Merge rare states") if merged else ()),
            advised=advised and max(few.values()) > 2,
            figures={"states": states, "below": below},
        )


def find_unused(profile: Profile) -> Iterator[Finding]:
    """States that are declared, as labels of a file are, and that no row has."""
    unused: dict[Name, list[str]] = {}
    for name, column in profile.table.columns.items():
        rows = zip(column.labels, column.counts, strict=True) if column.declared else ()
        labels = [label for label, n in rows if not n]
        if labels and profile.variables[name].states > 1:
            unused[name] = labels
    if unused:
        states = sum(map(len, unused.values()))
        yield make_finding(
            "unused",
            tuple(unused),
            f"No row has {states_text(unused)}. Auto, probabilities and effects leave such states "
            "out; the paper's scores count them.",
            figures={"states": states},
        )


def _exactly(text: str) -> str:
    """A value with its spaces, as a sentence may show it."""
    shown = "".join(c if c.isprintable() else "·" for c in text)
    return f'"{shown[:30]}"'
