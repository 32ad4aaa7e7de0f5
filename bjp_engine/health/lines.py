"""Rows that are none: a header repeated in the middle, totals, summaries, a title, a footer.

The numbers show it, whatever such a line is called: they are sums of those in other lines, or a
statistic of all lines above. Any other one differs from all rows in every column at once: what
stands in its cells occurs nowhere else, is a text among numbers, or is nothing where all others
have a value.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Any

import numpy as np

from bjp_engine.arrays import Bools, Floats, Places
from bjp_engine.columns import Column, Table
from bjp_engine.errors import clip, plural
from bjp_engine.health import thresholds as bounds
from bjp_engine.health.profile import Finding, Profile, make_finding
from bjp_engine.identifiers import is_running
from bjp_engine.preparation import DropRows
from bjp_engine.preparation.roles import rows_text
from bjp_engine.preparation.states import MOST_KEPT, plain_numbers
from bjp_engine.validate import Name

_SUM = re.compile(r"\b(?:(?:sub|grand)?[ -]?totals?|sum|all|overall|gesamt|summe)\b", re.IGNORECASE)
_SHAPE = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")
# What remarks have, and few answers.
_MARK = re.compile(r"[0-9:=*©#]")
_NONE = np.zeros(0, np.intp)


def find_stray_lines(profile: Profile) -> Iterator[Finding]:
    """Lines that no row is like, sums of rows, and statistics of all of them."""
    table, numbers = profile.table, np.arange(1, profile.rows + 1)
    found: dict[str, list[int]] = {}
    for find, why in _WAYS if len(table.names) > 1 else ():
        # Once a line is gone, another one is the last.
        while table.rows >= bounds.LEAST_LINES and len(rows := find(table)):
            found[why] = [*found.get(why, []), *numbers[rows].tolist()]
            table = DropRows(tuple((rows + 1).tolist())).apply(table).table
            numbers = np.delete(numbers, rows)
    gone = sorted(row for rows in found.values() for row in rows)
    whys = "; ".join(f"{rows_text(sorted(rows))}, since {why}" for why, rows in found.items())
    last = "A header, title, total or footer looks like this."
    if gone:
        are = "is no row" if len(gone) == 1 else "are no rows"
        yield _finding(profile.table, gone, f"{are}: {whys}", last)
    if rare := numbers[_find_odd_lines(table, persons=True)].tolist():
        said = f"may hold no answers: {rows_text(rare)}, since {_WAYS[0][1]}"
        last = "A repeated header looks like this, and so does a person with rare answers."
        yield _finding(profile.table, rare, said, last, severity="note", advised=False)


def _finding(table: Table, rows: list[int], said: str, last: str, **how: Any) -> Finding:
    """Lines, what they are and why, and how the first begins."""
    cells = ((one.labels, one.codes[rows[0] - 1]) for one in table.columns.values())
    begin = next((labels[code] for labels, code in cells if code >= 0), "")
    return make_finding(
        "lines",
        (),
        f"{plural(len(rows), 'line')} {said}. The first begins with {clip(begin, 30)}. {last}",
        DropRows(tuple(rows)),
        figures={"lines": len(rows), "first": rows[0]},
        **how,
    )


# --- Sums -----------------------------------------------------------------------------------------


def _find_margins(table: Table) -> Places:
    """The lines of a frequency table that are sums over the states of one or more of its factors.

    A state is that of sums if each line that has it, in one factor or in several, holds the sum of
    the lines that agree in all other factors. The largest number shows which states to look at.
    """
    rows = table.rows
    if rows > bounds.SUMMED_LINES:
        return _NONE
    found: tuple[float, Places] = np.log(bounds.STRAY), _NONE
    for counted, column in table.columns.items():
        if not _counts(column) or column.holes:
            continue
        counts = column.numbers[column.codes]
        factors = [c for n, c in table.columns.items() if n != counted and _is_factor(c)]
        if not 1 < len(factors) <= bounds.MOST_FACTORS:
            continue
        cells = np.stack([one.codes for one in factors], axis=1).astype(np.intp) + 1
        sets = [j for n in range(1, len(factors) + 1) for j in combinations(range(len(factors)), n)]
        for top in np.flatnonzero(counts == counts.max())[: bounds.SEVERAL_LINES]:
            for over in map(list, sets):
                sums = np.zeros(cells.shape, np.bool_)
                sums[:, over] = cells[:, over] == cells[top, over]
                margin = sums.any(axis=1)
                said = np.log(len(sets)) - np.log(np.maximum(counts[margin], 1)).sum()
                said += np.log(sums[:, over].mean(axis=0)).sum()
                if said < found[0] and _are_sums(cells, counts, sums, over):
                    found = said, np.flatnonzero(margin)
    return found[1]


def _are_sums(cells: Places, counts: Floats, sums: Bools, over: list[int]) -> bool:
    """Whether the lines with a state of `sums` are sums of those without one, of several states."""
    base = ~sums.any(axis=1)
    if any(len(np.unique(cells[base, j])) < 2 for j in over):
        return False
    for kind in np.unique(sums[~base], axis=0):
        lines = (sums == kind).all(axis=1)
        _, group = np.unique(cells[:, ~kind], axis=0, return_inverse=True)
        total = np.bincount(group[base], counts[base], minlength=group.max() + 1)
        if not np.isclose(total[group[lines]], counts[lines], rtol=1e-9).all():
            return False
    return True


def _counts(column: Column) -> bool:
    """Whether a column may hold frequencies, or sums of amounts."""
    whole = column.numeric and not column.declared and not is_running(column)
    return whole and bool((column.numbers >= 0).all() and column.counts.any())


def _is_factor(column: Column) -> bool:
    """Whether values recur as the states of a factor do; numbers on average twice."""
    states = np.count_nonzero(column.counts)
    return bool(2 * states <= column.rows if column.numeric else states < column.rows)


def _find_subtotals(table: Table) -> Places:
    """The lines that are sums of those above them, or of all that are no sums themselves.

    A number of size s is another sum by chance once in s times; a text that occurs nowhere else or
    names a sum, and an empty cell, make it rarer. All these lines together must be rare enough.
    """
    columns, rows, found = table.columns.values(), table.rows, list[int]()
    counts = [one for one in columns if _counts(one)]
    if not counts or rows > bounds.SUMMED_LINES:
        return _NONE
    chance, named = np.full(rows, np.log(rows)), np.zeros(rows, np.bool_)
    for column in columns:
        if not column.numeric:
            rare = np.append(column.counts == 1, column.holes > 0)
            share = (column.counts[rare[:-1]].sum() + column.holes) / rows
            said = np.where(rare, np.log(max(share, 1 / rows)), 0.0)
            sums = np.array([*(_SUM.search(label) is not None for label in column.labels), False])
            said[sums] = np.log(bounds.NAMED)
            chance += said[column.codes]
            named |= sums[column.codes]
    cells = np.array([np.append(one.numbers, np.nan)[one.codes] for one in counts])
    filled, held = np.isfinite(cells), np.nan_to_num(cells)
    # What is called a sum may be one of numbers before they were rounded.
    near = 1.0 * named * np.array([[not one.fractional] for one in counts])
    chance -= np.log(np.maximum(held / (1 + 2 * near), 1)).sum(axis=0)
    below = np.cumsum(held, axis=1) - held
    start, gone, total = 0, np.zeros((len(counts), 1)), 0.0
    while start < rows and len(found) < bounds.MOST_STRAY:
        # Of what could be the next, the least probable; only where there is none, a sum of all.
        for sums, first in ((below - below[:, [start]], start + 2), (below - gone, max(start, 2))):
            alike = ~filled | np.isclose(cells, sums, rtol=1e-9, atol=near + 1e-8)
            alike = filled.any(axis=0) & alike.all(axis=0)
            alike &= ((held > 0) & filled).any(axis=0) & (np.arange(rows) >= first)
            said = np.where(alike, chance, 0.0)
            row = int(said.argmin())
            if said[row] < 0:
                break
        else:
            break
        found.append(row)
        total += float(said[row])
        gone += held[:, [row]]
        start = row + 1
    return np.array(found if total <= np.log(bounds.STRAY) else [], np.intp)


# --- Statistics of all rows -----------------------------------------------------------------------


def _find_summaries(table: Table) -> Places:
    """The last lines that each hold one statistic of the rows above, in nearly every number.

    A statistic that no row holds is by chance one of N; so is what stands in a cell without a
    number where no row has the like. A value that rows hold is no evidence, since a person may give
    the lowest answer each time, and counts below a line of which there is some. But by chance the
    rows with all the lowest and all the highest numbers are not both among the last, nor are they
    where a file is sorted.
    """
    rows, most = table.rows, min(bounds.MOST_LAST, table.rows // 4)
    numbers = {name: _numbers(column) for name, column in table.columns.items()}
    if rows > bounds.SUMMED_LINES or not any(of_numbers for _, of_numbers in numbers.values()):
        return _NONE
    said, parts, units, named = np.zeros(most), list[Floats](), list[Floats](), np.ones(most, bool)
    for name, column in table.columns.items():
        values, of_numbers = numbers[name]
        cells, codes = np.append(values, np.nan)[column.codes], column.codes[-most:]
        surprise = _surprises(name, column.take(np.arange(rows - most)))[codes]
        number = of_numbers & np.isfinite(cells[-most:])
        said += np.where(number, 0, np.minimum(surprise, 0))
        # Who has a usual text is a person, whatever the numbers are.
        named &= number | (codes < 0) | (surprise < 0)
        if of_numbers and np.isfinite(cells[:-most]).any():
            parts.append(cells)
            units.append(_units(column, most))
    if not parts:
        return _NONE
    cells, unit = np.array(parts), np.array(units)
    first, tail = cells[:, :-most], cells[:, -most:]
    new, alone = _chances(first, tail, unit)
    within = (tail > np.nanmin(first, axis=1)[:, None] + unit).any(axis=0)
    within &= (tail < np.nanmax(first, axis=1)[:, None] - unit).any(axis=0)
    for last in range(most, 0, -1):
        if (said + new.sum(axis=0) + np.where(within | ~named, 0, alone))[-last] >= -1:
            continue
        body, tail, unit = cells[:, :-last], cells[:, -last:], unit[:, -last:]
        new_here, alone_here = _chances(body, tail, unit)
        known, filled = np.isfinite(body).sum(axis=1), np.isfinite(tail).sum(axis=0)
        spread = np.nanstd(body, axis=1) * np.sqrt(known / np.maximum(known - 1, 1))
        mean, total = np.nanmean(body, axis=1), np.nansum(body, axis=1)
        quartiles = np.nanquantile(body, np.linspace(0, 1, 5), axis=1)
        statistics = np.array([*quartiles, known, total, mean, spread])[:, :, None]
        near = np.abs(statistics - tail) <= unit
        fits = (near.sum(axis=1) >= bounds.FITTING * filled) & (filled > 0)
        # A mean or a deviation in coarse digits is near many a row.
        near[-2:] &= unit < bounds.FINE * spread[:, None]
        each = np.where(fits, (near * new_here).sum(axis=1), np.inf)
        ends = fits[[0, 4]] & (near[[0, 4]] | np.isnan(tail)).all(axis=1)
        if (ends.sum(axis=1) == 1).all():
            each[[0, 4]] = np.minimum(each[[0, 4]], np.where(ends, alone_here, np.inf))
        each = each.min(axis=0) + said[-last:]
        evident = each[0] < -1 and each.sum() + np.log(len(near)) <= np.log(bounds.STRAY)
        # Each is another statistic; lines that are the same are persons.
        evident &= len(np.unique(tail, axis=1).T) == last and bool(named[-last:].all())
        if evident and np.isfinite(each).all():
            return np.arange(rows - last, rows)
    return _NONE


def _chances(body: Floats, tail: Floats, unit: Floats) -> tuple[Floats, Floats]:
    """How likely a row of all holds each number of the tail, and how likely all of a line."""
    rows = body.shape[1] + tail.shape[1]
    held, alike = np.zeros(tail.shape), np.zeros(tail.shape[1])
    for k in range(len(alike)):
        near = np.abs(body - tail[:, [k]]) <= unit[:, [k]]
        held[:, k] = near.any(axis=1)
        alike[k] = (near | np.isnan(tail[:, [k]])).all(axis=0).sum()
    return np.where(held, 0, -np.log(rows)), np.log((1 + alike) / rows)


def _units(column: Column, last: int) -> Floats:
    """Half a unit of the last digit in which each of the last cells is written."""
    texts = [column.labels[k] if k >= 0 else "" for k in column.codes[-last:]]
    # Statistics written in full differ in the last digits by how they were added up.
    digits = [min(len(text.replace(",", ".").partition(".")[2]), 9) for text in texts]
    return np.array([0.5000001 * 10.0**-n for n in digits])


# --- Lines that no row is like --------------------------------------------------------------------


def _find_odd_lines(table: Table, *, persons: bool = False) -> Places:
    """The lines that no other is like: those that may be persons, or the others."""
    if len(table.names) < 2 or table.rows < bounds.LEAST_LINES:
        return _NONE
    strange, surprise = dict[Name, Bools](), np.full(table.rows, np.log(table.rows))
    for name, column in table.columns.items():
        said = _surprises(name, column)
        strange[name] = said < 0
        surprise += said[column.codes]
    remarks = _find_remarks(table)
    rows = np.flatnonzero(remarks | (surprise <= np.log(bounds.STRAY)))
    if len(rows) > min(bounds.MOST_STRAY, table.rows // 2):
        return _NONE
    differ = [remarks[row] or _differs(table.columns, strange, row) for row in rows.tolist()]
    rows = rows[differ]
    return rows[[_is_person(table, row) == persons for row in rows.tolist()]]


def _is_person(table: Table, row: int) -> bool:
    """Whether a line amid the table has a text in each column, in the form of other texts there."""
    if not bounds.SEVERAL_LINES <= row < table.rows - bounds.SEVERAL_LINES:
        return False
    for name, column in table.columns.items():
        code = int(column.codes[row])
        if column.numeric or code < 0 or column.labels[code].casefold() == str(name).casefold():
            return False
        usual = np.flatnonzero(column.counts > bounds.SEVERAL_LINES).tolist()
        own, *others = (_SHAPE.sub(_kind, column.labels[k]) for k in (code, *usual))
        if own not in others:
            return False
    return True


def _find_remarks(table: Table) -> Bools:
    """Lines with nothing but a text of a shape, and so many words, as none else in its column.

    The farther from an end of the table a line is, the less likely is it that of a title or footer.
    """
    filled = sum(np.asarray(one.codes >= 0, np.int64) for one in table.columns.values())
    alone, found = np.asarray(filled == 1), np.zeros(table.rows, np.bool_)
    for column in table.columns.values() if alone.any() else ():
        lines = np.flatnonzero(alone & (column.codes >= 0))
        if column.numeric or column.declared or len(column.values) > MOST_KEPT or not len(lines):
            continue
        usual = column.counts - np.bincount(column.codes[lines], minlength=len(column.counts))
        shapes = [_SHAPE.sub(_kind, label) for label in column.labels]
        words = np.array([len(_SHAPE.findall(label)) for label in column.labels])
        known = {shape for shape, rows in zip(shapes, usual, strict=True) if rows}
        marks = [{*_MARK.findall(label)} for label in column.labels]
        shown = set().union(*(one for one, rows in zip(marks, usual, strict=True) if rows))
        # Where texts recur, they are words; else, comments.
        if 2 * np.count_nonzero(usual) <= usual.sum():
            odd = np.array([shape not in known for shape in shapes]) & (words > 1)
            most = words[usual > 0].max(initial=0)
            # An answer of a few words is no remark.
            marked = np.array([bool(one - shown) for one in marks])
            odd &= (marked & (words >= most)) | (words > max(bounds.ANSWER_WORDS, 2 * most))
            inward = np.minimum(lines, table.rows - 1 - lines) + 1
            chance = np.minimum(4 * inward**2, table.rows) * alone.mean() * bounds.REMARK
            found[lines] |= odd[column.codes[lines]] & (chance <= bounds.STRAY)
    return found


def _few(column: Column) -> int:
    """So many rows may be odd."""
    rows = column.rows
    return max(1, min(bounds.SEVERAL_LINES, rows // 10), int(bounds.ODD * rows))


def _numbers(column: Column) -> tuple[Floats, bool]:
    """The number that each value is, NaN where it is none, and whether nearly all are numbers."""
    many = not column.numeric and len(column.counts) > MOST_KEPT
    if column.declared or many or not column.counts.any():
        return np.full(len(column.counts), np.nan), False
    numbers = column.numbers if column.numeric else plain_numbers(column.values)
    texts = int(column.counts[np.isnan(numbers)].sum())
    most = max(_few(column), bounds.ODD_IN_ALL * column.rows)
    return numbers, bool(texts <= most < column.counts.sum())


def _surprises(name: Name, column: Column) -> Floats:
    """How surprising each value is: ln of a chance, 0 if it says nothing, infinite if it is usual.

    The last entry is that of a missing cell.
    """
    rows, counts, few = column.rows, column.counts, _few(column)
    said = np.zeros(len(counts) + 1)
    most = max(few, bounds.ODD_IN_ALL * rows)
    if column.holes <= most:
        said[-1] = np.log(max(column.holes, 1) / rows)
    if column.declared or not counts.any():
        said[:-1] = np.inf
        return said
    if not column.numeric and len(counts) > MOST_KEPT:
        return said
    numbers, of_numbers = _numbers(column)
    named = np.isnan(numbers) & of_numbers
    if of_numbers:
        strange = named | _far(numbers, counts)
    elif np.count_nonzero(counts) * 2 > counts.sum():
        # Of names or codes, which are all different, the shapes are compared.
        shapes = [_SHAPE.sub(_kind, str(value)) for value in column.values.tolist()]
        place = {shape: k for k, shape in enumerate(dict.fromkeys(shapes))}
        of = np.array([place[shape] for shape in shapes])
        strange = np.bincount(of, weights=counts)[of] <= few
    else:
        strange = counts <= few
    total = int(counts[strange].sum())
    usual = np.inf if total <= most else 0.0
    said[:-1] = np.where(strange, np.log(max(total, 1) / rows) if usual else 0.0, usual)
    if not column.numeric:
        own = str(name).strip().casefold()
        named |= [label.strip().casefold() == own for label in column.labels]
    said[:-1][named & (counts <= most)] = np.log(bounds.NAMED)
    return said


def _kind(part: re.Match[str]) -> str:
    return "9" if part[0][0].isdigit() else "a"


def _far(numbers: Floats, counts: Places) -> Bools:
    """A fraction among whole numbers, and what lies far from all others."""
    known = np.isfinite(numbers) & (counts > 0)
    strange = np.zeros(len(numbers), np.bool_)
    seen = np.sort(numbers[known])
    parts = known & (numbers != np.trunc(numbers))
    if np.count_nonzero(parts) == 1:
        strange |= parts & (counts == 1)
    if len(seen) > 3:
        for end, others in ((seen[-1], seen[:-1]), (seen[0], seen[1:])):
            if np.abs(end - others).min() > np.ptp(others):
                strange |= numbers == end
    return strange


def _differs(columns: dict[Name, Column], strange: dict[Name, Bools], row: int) -> bool:
    """Whether the strange values of a line differ: who says the same to all is a person."""
    codes = {name: int(column.codes[row]) for name, column in columns.items()}
    texts = {columns[n].labels[k] if k >= 0 else "" for n, k in codes.items() if strange[n][k]}
    return len(texts) > 1


# What is left out first makes numbers of the texts above it, of which the next ways are.
_WAYS: tuple[tuple[Callable[[Table], Places], str], ...] = (
    (_find_odd_lines, "each filled cell differs from all others in its column"),
    (_find_margins, "the numbers are sums of those in other lines"),
    (_find_subtotals, "the numbers are sums of those in other lines"),
    (_find_summaries, "the numbers are sums, means or other statistics of all lines above"),
)
