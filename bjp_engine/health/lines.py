"""Rows that are none: a header repeated in the middle, a line of totals, a title, a footer.

Such a line differs from the others in all columns at once: what stands in its cells occurs nowhere
else, it has a text among numbers, the sum of all others, or nothing where all others have a value.
Subtotals are sums of the lines above them, in every column of numbers that they fill.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from bjp_engine.arrays import Bools, Floats, Places
from bjp_engine.columns import Column, Table
from bjp_engine.errors import clip, plural
from bjp_engine.health import thresholds as bounds
from bjp_engine.health.profile import Finding, Profile, make_finding
from bjp_engine.identifiers import is_running
from bjp_engine.preparation import FilterRows
from bjp_engine.preparation.states import MOST_KEPT, plain_numbers
from bjp_engine.validate import Name

_SUM = re.compile(r"\b(?:(?:sub|grand)?[ -]?totals?|sum|all|overall|gesamt|summe)\b", re.IGNORECASE)
_SHAPE = re.compile(r"\d+(?:[.,]\d+)*|[^\W\d_]+")


def find_stray_lines(profile: Profile) -> Iterator[Finding]:
    """Lines that differ from all others in every column that could show it, and subtotals."""
    table = profile.table
    if table.rows < bounds.LEAST_LINES or len(table.names) < 2:
        return
    strange = {name: column.counts > 0 for name, column in table.columns.items()}
    rows, why = find_subtotals(profile), "the numbers are sums of those in other lines"
    if not len(rows):
        rows, strange = _find_odd_lines(table)
        why = "each filled cell differs from all others in its column"
    if not len(rows):
        return
    shown, one = ", ".join(f"{row + 1:,}" for row in rows[:4].tolist()), len(rows) == 1
    more = f" and {len(rows) - 4} more" if len(rows) > 4 else ""
    begins = (c.labels[c.codes[rows[0]]] for c in table.columns.values() if c.codes[rows[0]] >= 0)
    yield make_finding(
        "lines",
        (),
        {"lines": len(rows), "first": int(rows[0]) + 1},
        f"{plural(len(rows), 'line')} {'is no row' if one else 'are no rows'}, since {why}: "
        f"row{'s' * (not one)} {shown}{more}, {'which' if one else 'the first of which'} begins "
        f"with {clip(next(begins, ''), 30)}. A header, title, total or footer looks like this.",
        *_steps(table.columns, strange, rows),
        "Leave out",
    )


def _find_odd_lines(table: Table) -> tuple[Places, dict[Name, Bools]]:
    """The lines that no other is like, and which values of each column are strange."""
    none, strange = np.zeros(0, np.intp), dict[Name, Bools]()
    surprise = np.full(table.rows, np.log(table.rows))
    for name, column in table.columns.items():
        said = _surprises(name, column)
        strange[name] = said < 0
        surprise += said[column.codes]
        if not (surprise < np.inf).any():
            return none, strange
    rows = np.flatnonzero(surprise <= np.log(bounds.STRAY))
    if len(rows) > min(bounds.MOST_STRAY, table.rows // 2):
        return none, strange
    return rows[[_differs(table.columns, strange, row) for row in rows.tolist()]], strange


def find_subtotals(profile: Profile) -> Places:
    """The lines that are sums of those above them, or of all that are no sums themselves.

    A number of size s is another sum by chance once in s times; a text that occurs nowhere else or
    names a sum, and an empty cell, make it rarer. All these lines together must be rare enough.
    """
    columns, rows, found = profile.table.columns.values(), profile.rows, list[int]()
    counts = [
        one
        for one in columns
        if one.numeric and not one.declared and not is_running(one) and (one.numbers >= 0).all()
    ]
    if not counts or rows > bounds.SUMMED_LINES:
        return np.array(found, np.intp)
    chance = np.full(rows, np.log(rows))
    for column in columns:
        if not column.numeric:
            rare = np.append(column.counts == 1, column.holes > 0)
            share = (column.counts[rare[:-1]].sum() + column.holes) / rows
            said = np.where(rare, np.log(max(share, 1 / rows)), 0.0)
            said[:-1][[_SUM.search(label) is not None for label in column.labels]] = np.log(
                bounds.NAMED
            )
            chance += said[column.codes]
    cells = np.array([np.append(one.numbers, np.nan)[one.codes] for one in counts])
    filled, held = np.isfinite(cells), np.nan_to_num(cells)
    chance -= np.log(np.maximum(held, 1)).sum(axis=0)
    below = np.cumsum(held, axis=1) - held
    start, gone, total = 0, np.zeros((len(counts), 1)), 0.0
    while start < rows and len(found) < bounds.MOST_STRAY:
        # Of what could be the next, the least probable; only where there is none, a sum of all.
        for sums, first in ((below - below[:, [start]], start + 2), (below - gone, max(start, 2))):
            alike = filled.any(axis=0) & (~filled | np.isclose(cells, sums, rtol=1e-9)).all(axis=0)
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
    # The sum of all at the end is what the other rule looks for.
    sure = total <= np.log(bounds.STRAY) and found != [rows - 1]
    return np.array(found if sure else [], np.intp)


def _surprises(name: Name, column: Column) -> Floats:
    """How surprising each value is: ln of a chance, 0 if it says nothing, infinite if it is usual.

    The last entry is that of a missing cell.
    """
    rows, counts = column.rows, column.counts
    few = max(1, min(bounds.SEVERAL_LINES, rows // 10), int(bounds.ODD * rows))
    said = np.zeros(len(counts) + 1)
    if column.holes <= few:
        said[-1] = np.log(max(column.holes, 1) / rows)
    if column.declared or not counts.any():
        said[:-1] = np.inf
        return said
    if not column.numeric and len(counts) > MOST_KEPT:
        return said
    numbers = column.numbers if column.numeric else plain_numbers(column.values)
    texts = np.isnan(numbers) & (counts > 0)
    of_numbers = counts[texts].sum() <= max(few, bounds.ODD_IN_ALL * rows) < counts.sum()
    if of_numbers:
        strange = _far(numbers, counts)
    elif np.count_nonzero(counts) * 2 > counts.sum():
        # Of names or codes, which are all different, the shapes are compared.
        shapes = [_SHAPE.sub(_kind, str(value)) for value in column.values.tolist()]
        place = {shape: k for k, shape in enumerate(dict.fromkeys(shapes))}
        of = np.array([place[shape] for shape in shapes])
        strange = np.bincount(of, weights=counts)[of] <= few
    else:
        strange = counts <= few
    total = int(counts[strange].sum())
    usual = np.inf if total <= max(few, bounds.ODD_IN_ALL * rows) else 0.0
    said[:-1] = np.where(strange, np.log(max(total, 1) / rows) if usual else 0.0, usual)
    # The column's name, a text among numbers, and the sum of all others.
    named = np.zeros(len(counts), dtype=np.bool_)
    if of_numbers:
        held = np.where(np.isfinite(numbers), numbers, 0.0)
        others = float(held @ counts) - held
        alike = np.isclose(held, others, rtol=1e-3 if (held % 1).any() else 0, atol=1e-9)
        single = (counts == 1) & (held != 0) & (np.count_nonzero(counts) > 3)
        named |= (alike & single) | texts
    if not column.numeric:
        own = str(name).strip().casefold()
        named |= [label.strip().casefold() == own for label in column.labels]
    named &= counts <= max(few, bounds.ODD_IN_ALL * rows)
    said[:-1][named] = np.log(bounds.NAMED)
    return said


def _kind(part: re.Match[str]) -> str:
    return "9" if part[0][0].isdigit() else "a"


def _far(numbers: Floats, counts: Places) -> Bools:
    """Texts among numbers, a fraction among whole ones, and what lies far from all others."""
    known = np.isfinite(numbers) & (counts > 0)
    strange = np.isnan(numbers) & (counts > 0)
    seen = np.sort(numbers[known])
    whole = numbers == np.trunc(numbers)
    if np.count_nonzero(known & ~whole) == 1:
        strange |= known & ~whole & (counts == 1)
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


def _steps(
    columns: dict[Name, Column], strange: dict[Name, Bools], rows: Places
) -> Iterator[FilterRows]:
    """The filters that leave these lines out, by as few columns as will do."""
    for name, column in columns.items():
        codes = column.codes[rows]
        # Nothing else may go with them.
        odd = codes[(codes >= 0) & strange[name][codes]]
        own = [k for k in np.unique(odd) if column.counts[k] == (codes == k).sum()]
        if own:
            yield FilterRows(name, tuple(column.labels[k] for k in own), keep=False)
            rows = rows[~np.isin(codes, own)]
        if not len(rows):
            return
