"""Columns that say the same as another or as several others, and columns that nearly do.

Copies have equal codes once values are numbered by first occurrence, so a digest of them finds all
at once; numbers that hardly recur, such as one temperature in two units, are numbered by size. All
else is looked for in a few thousand rows by one matrix product, which counts all pairs of states of
all pairs of columns.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from bjp_engine.arrays import Floats, Ints, Places
from bjp_engine.columns import FEW_ROWS, Column
from bjp_engine.errors import clip, columns_text
from bjp_engine.health import thresholds as bounds
from bjp_engine.health.profile import Finding, Profile, leave_out, make_finding, percent
from bjp_engine.validate import Name

_HIDE = "Copies hide each other's edges."


def find_summaries(profile: Profile) -> Iterator[Finding]:
    """Columns that others together determine, such as a list of the choices beside them."""
    import pandas as pd

    states = {name: one.states for name, one in profile.variables.items()}
    columns = profile.table.columns.items()
    few = {name: c for name, c in columns if 1 < states[name] <= bounds.MOST_COMBINATIONS}
    names = _smallest(few, bounds.SUMMARY_ROWS)
    if len(names) < 3:
        return
    sample, sizes = _spread(profile.rows), [len(few[name].values) for name in names]
    counts, starts = _counts([few[name].take(sample) for name in names], holes=True)
    # Of each state: how many states of another column occur with it.
    kinds = np.add.reduceat((counts > 0).astype(np.int32), starts, axis=1)
    follows = np.maximum.reduceat(kinds, starts, axis=0) <= 1
    codes = pd.DataFrame({k: few[name].codes for k, name in enumerate(names)})
    found: set[int] = set()
    for i in np.argsort(sizes, kind="stable")[::-1].tolist():
        parts = [j for j in np.flatnonzero(follows[i]).tolist() if sizes[j] < sizes[i]]
        if len(parts) < 2 or sizes[i] < 3 or found & {*parts}:
            continue
        different = [len(codes[some].drop_duplicates()) for some in (parts, [i], [*parts, i])]
        if len(set(different)) == 1:
            found.add(i)
            yield _follows(names[i], [names[j] for j in parts])


def find_copies(profile: Profile) -> Iterator[Finding]:
    """Columns that are another one, recoded."""
    for first, *others in exact_copies(profile.of("category", "whole number", "measurement")):
        several = len(others) > 1
        yield make_finding(
            "copies",
            (first, *others),
            f"C{columns_text(others)[1:]} {'are' if several else 'is'} column {clip(first, 30)}, "
            f"recoded one to one in every row. {_HIDE}",
            leave_out(others),
            "Leave the copies out" if several else "Leave the copy out",
        )


def find_sums(profile: Profile) -> Iterator[Finding]:
    """Columns of numbers that are a weighted sum of others."""
    columns = profile.table.columns.items()
    for name, parts in sums_of({n: c for n, c in columns if c.numeric and not c.declared}):
        yield _follows(name, parts)


def find_near_copies(profile: Profile) -> Iterator[Finding]:
    """Columns that nearly say the same as another."""
    many = profile.rows > bounds.COMPARED_ROWS
    some = f", of {bounds.COMPARED_ROWS:,} that were compared" if many else ""
    for first, shares in near_copies(profile.of("category")):
        several, least = len(shares) > 1, min(shares.values())
        yield make_finding(
            "near_copies",
            (first, *shares),
            f"C{columns_text(shares)[1:]} nearly repeat{'' if several else 's'} column "
            f"{clip(first, 30)}: they agree in {percent(least)}{' or more' * several} of the rows "
            f"that have a value in both{some}.",
            leave_out(shares),
            advised=False,
            figures={"agreement": least},
        )


def _follows(name: Name, parts: Sequence[Name]) -> Finding:
    return make_finding(
        "copies",
        (name, *parts),
        f"Column {clip(name, 30)} follows from {columns_text(parts)} together, as a sum or a list "
        f"of answers does. {_HIDE}",
        leave_out([name]),
        "Leave the copy out",
    )


def exact_copies(columns: dict[Name, Column]) -> list[list[Name]]:
    """Columns that are one-to-one recodings of each other, missing cells included."""
    groups: dict[bytes, list[Name]] = defaultdict(list)
    for name, column in columns.items():
        # Texts need two rows each on average: else they are one-to-one with many other columns.
        recurs = 2 * int(np.count_nonzero(column.counts)) <= column.rows
        if _varies(column) and (column.numeric or recurs):
            groups[_digest(column, recurs)].append(name)
    return [names for names in groups.values() if len(names) > 1]


def _digest(column: Column, recurs: bool) -> bytes:
    """A digest of the codes, numbered by first occurrence, or by size from either end."""
    import pandas as pd

    if recurs:
        seen = pd.unique(column.codes)
        ways = [seen[seen >= 0]]
    else:
        seen = np.flatnonzero(column.counts)
        rising = seen[np.argsort(column.numbers[seen])]
        ways = [rising, rising[::-1]]
    digests = []
    for way in ways:
        places = np.full(len(column.values) + 1, -1, dtype=np.int32)
        places[way] = np.arange(len(way))
        digests.append(hashlib.blake2b(places[column.codes].data, digest_size=16).digest())
    return min(digests)


def near_copies(columns: dict[Name, Column]) -> Iterator[tuple[Name, dict[Name, float]]]:
    """Columns with later ones that nearly repeat them, and in which share of the rows."""
    names = _smallest(columns, bounds.ROWS_A_STATE)
    if len(names) < 2:
        return
    sample = _spread(columns[names[0]].rows)
    shares, gains = _agreements([columns[name].take(sample) for name in names])
    close = np.triu((shares >= bounds.AGREEMENT) & (gains >= bounds.GAIN), 1)
    taken: set[int] = set()
    for i in np.flatnonzero(close.any(axis=1)).tolist():
        later = [j for j in np.flatnonzero(close[i]).tolist() if j not in taken]
        if i not in taken and later:
            taken.update(later)
            yield names[i], {names[j]: float(shares[i, j]) for j in later}


def sums_of(columns: dict[Name, Column]) -> Iterator[tuple[Name, list[Name]]]:
    """Columns of numbers that are a weighted sum of others, with these."""
    left = [name for name, column in columns.items() if _varies(column)]
    if not 3 <= len(left) <= bounds.MOST_SUMMED:
        return
    sample = _spread(columns[left[0]].rows)
    parts = [np.append(columns[name].numbers, np.nan)[columns[name].codes[sample]] for name in left]
    cells = np.stack(parts, axis=1)
    cells = cells[np.isfinite(cells).all(axis=1)]
    while len(left) > 2 and len(cells) >= max(FEW_ROWS, 2 * len(left)):
        spread = cells.std(axis=0)
        scaled = (cells - cells.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        _, sizes, vectors = np.linalg.svd(scaled, full_matrices=False)
        if sizes[-1] > bounds.NULL * sizes[0]:
            return
        inside = np.flatnonzero(np.abs(vectors[-1]) > bounds.INSIDE).tolist()
        # The sum has the most different values.
        last = max(inside, key=lambda k: (len(columns[left[k]].values), k))
        if len(inside) > 2:
            yield left[last], [left[k] for k in inside if k != last]
        cells = np.delete(cells, last, axis=1)
        del left[last]


def _spread(rows: int) -> Places:
    return np.unique(np.linspace(0, rows - 1, min(rows, bounds.COMPARED_ROWS)).astype(np.intp))


def _varies(column: Column) -> bool:
    """Whether enough rows lie outside the most frequent state."""
    present = column.rows - column.holes
    return present >= FEW_ROWS and present - int(column.counts.max(initial=0)) >= bounds.FEW_OTHERS


def _smallest(columns: dict[Name, Column], rows_each: int) -> list[Name]:
    """The columns of fewest states that fit together, in their order."""
    fitting = sorted(
        (len(column.values), place, name)
        for place, (name, column) in enumerate(columns.items())
        if _varies(column) and len(column.values) * rows_each <= column.rows - column.holes
    )
    total = np.cumsum([states for states, _, _ in fitting])
    chosen = fitting[: int(np.count_nonzero(total <= bounds.COMPARED_STATES))]
    return [name for _, _, name in sorted(chosen, key=lambda one: one[1])]


def _counts(columns: Sequence[Column], *, holes: bool = False) -> tuple[Floats, Ints]:
    """The rows with each pair of states, of all pairs of columns, and where each one begins."""
    sizes = np.array([len(column.values) + holes for column in columns])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    held = np.zeros((columns[0].rows, int(sizes.sum())), dtype=np.float32)
    for column, start in zip(columns, starts, strict=True):
        codes = column.codes.astype(np.intp) + holes
        present = np.flatnonzero(codes >= 0)
        held[present, start + codes[present]] = 1
    return (held.T @ held).astype(np.float64), starts


def _agreements(columns: Sequence[Column]) -> tuple[Floats, Floats]:
    """Agreement and gain of each pair in its worse direction; 0 where too few rows have both."""
    counts, starts = _counts(columns)
    # Rows of the result: the column that is guessed from.
    right = np.add.reduceat(np.maximum.reduceat(counts, starts, axis=1), starts, axis=0)
    margins = np.add.reduceat(counts, starts, axis=0)
    usual = np.maximum.reduceat(margins, starts, axis=1)
    rows = np.add.reduceat(margins, starts, axis=1)
    enough = (rows >= FEW_ROWS) & (rows - usual >= bounds.FEW_OTHERS)
    with np.errstate(divide="ignore", invalid="ignore"):
        share, gain = right / rows, (right - usual) / (rows - usual)
    share, gain = (np.where(enough, part, 0.0) for part in (share, gain))
    return np.minimum(share, share.T), np.minimum(gain, gain.T)
