"""Columns that say the same as another: one-to-one recodings, and nearly so.

Exact copies have equal codes once values are numbered by first occurrence, so a hash of them finds
all at once. Near copies are looked for in a few thousand rows by one matrix product, which counts
all pairs of states of all pairs of columns, and what is found is counted again in all rows.
Numbers, such as one temperature in two units, are compared by their ranks.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bjp_engine.arrays import Floats, Ints, Places
from bjp_engine.columns import FEW_ROWS, Column
from bjp_engine.errors import clip, columns_text
from bjp_engine.health import thresholds as bounds
from bjp_engine.health.findings import Finding, make_finding, percent
from bjp_engine.health.profile import Profile
from bjp_engine.preparation import DropVariables
from bjp_engine.validate import Name

_NUMBERS = ("whole number", "measurement")


@dataclass(frozen=True)
class Copies:
    """A column and later ones that say the same."""

    leader: Name
    followers: tuple[Name, ...]
    # The share of rows in which a follower is what the leader makes one expect, or the other way
    # round, whichever is smaller; 1 for copies.
    agreement: tuple[float, ...]


def find_copies(profile: Profile) -> Iterator[Finding]:
    """Columns that say the same as another, nearly the same, or as several together."""
    kinds = {one.name: one.kind for one in profile.variables.values() if one.states > 1}
    columns = {name: profile.table.column(name) for name in kinds}
    exact = exact_copies({n: columns[n] for n, k in kinds.items() if k in ("category", *_NUMBERS)})
    gone = {name for copies in exact for name in copies.followers}
    left = {name: column for name, column in columns.items() if name not in gone}
    near = near_copies({n: c for n, c in left.items() if kinds[n] == "category"})
    numbers = {n: c for n, c in left.items() if kinds[n] in _NUMBERS}
    same, correlated = rank_copies(numbers)
    for copies in (*exact, *same):
        gone.update(copies.followers)
        one = len(copies.followers) == 1
        yield _finding(
            copies,
            ("is column", "are column"),
            ", recoded one to one in every row. Copies hide each other's edges.",
            "Leave the copy out" if one else "Leave the copies out",
        )
    held = {n: c for n, c in columns.items() if c.numeric and n not in gone and not c.declared}
    for name, parts in sums_of(held).items():
        gone.add(name)
        yield make_finding(
            "copies",
            (name, *parts),
            {"columns": 1, "agreement": 1.0},
            f"Column {clip(name, 30)} follows from {columns_text(parts)} together, as "
            "a sum does. Copies hide each other's edges.",
            DropVariables((name,)),
            "Leave the copy out",
        )
    for copies in near:
        figure = f": they agree in {percent(min(copies.agreement))} of the rows"
        yield _finding(copies, ("nearly repeats column", "nearly repeat column"), figure)
    for copies in correlated:
        if not gone & {copies.leader, *copies.followers}:
            verbs = ("rises and falls with column", "rise and fall with column")
            figure = f": the rank correlation is {min(copies.agreement):.3f}"
            yield _finding(copies, verbs, figure)


def _finding(copies: Copies, verbs: tuple[str, str], how: str, action: str = "") -> Finding:
    """Copies, exact ones with the words of their button."""
    followers, several = columns_text(copies.followers), len(copies.followers) > 1
    said = f"C{followers[1:]} {verbs[several]} {clip(copies.leader, 30)}{how}"
    if not action:
        said += " or more." if several else "."
    return make_finding(
        "copies" if action else "near_copies",
        (copies.leader, *copies.followers),
        {"columns": len(copies.followers), "agreement": min(copies.agreement)},
        said,
        DropVariables(copies.followers),
        action or "Leave out",
        advised=bool(action),
    )


def exact_copies(columns: dict[Name, Column]) -> list[Copies]:
    """Columns that are one-to-one recodings of an earlier one, missing cells included."""
    alike: dict[bytes, list[Name]] = defaultdict(list)
    for name, column in columns.items():
        # Columns whose values occur less than twice on average are one-to-one with many others.
        counts = np.sort(column.counts[column.counts > 0])
        if len(counts) * 2 <= column.rows and _varies(column):
            alike[counts.tobytes()].append(name)
    groups: dict[bytes, list[Name]] = defaultdict(list)
    for names in alike.values():
        # Only columns whose states are equally frequent can be copies.
        for name in names if len(names) > 1 else ():
            groups[_first_seen(columns[name])].append(name)
    return [
        Copies(names[0], tuple(names[1:]), (1.0,) * (len(names) - 1))
        for names in groups.values()
        if len(names) > 1
    ]


def near_copies(columns: dict[Name, Column]) -> list[Copies]:
    """Columns that nearly repeat an earlier one."""
    names = _smallest(columns, bounds.ROWS_A_STATE)
    if len(names) < 2:
        return []
    rows = columns[names[0]].rows
    sample = _spread(rows)
    shares, gains = _agreements([columns[name].take(sample) for name in names])
    complete = len(sample) == rows
    slack = 0.0 if complete else bounds.MARGIN
    close = (shares >= bounds.AGREEMENT - slack) & (gains >= bounds.GAIN - slack)

    def agreement(i: int, j: int) -> float:
        if complete:
            return float(shares[i, j])
        return agreement_of(columns[names[i]], columns[names[j]])

    return list(_groups(names, close, agreement))


def rank_copies(columns: dict[Name, Column]) -> tuple[list[Copies], list[Copies]]:
    """Columns of numbers that have the ranks of an earlier one, or nearly so."""
    names = list(columns)
    if len(names) < 2:
        return [], []
    sample = _spread(columns[names[0]].rows)
    related = _correlations(np.stack([_cells(columns[name], sample) for name in names], axis=1))
    exact: list[Copies] = []
    near: list[Copies] = []
    groups = _groups(
        names, related >= bounds.CORRELATION, lambda i, j: min(1.0, float(related[i, j]))
    )
    for group in groups:
        pairs = list(zip(group.followers, group.agreement, strict=True))
        same = [has_same_ranks(columns[group.leader], columns[name]) for name, _ in pairs]
        for found, wanted in ((exact, True), (near, False)):
            chosen = [pair for pair, one in zip(pairs, same, strict=True) if one is wanted]
            if chosen:
                found.append(Copies(group.leader, *map(tuple, zip(*chosen, strict=True))))
    return exact, near


def determined_by(columns: dict[Name, Column]) -> dict[Name, list[Name]]:
    """Columns that say what several others say together, which all follow from them."""
    names = _smallest(columns, bounds.SUMMARY_ROWS)
    if len(names) < 3:
        return {}
    sample = _spread(columns[names[0]].rows)
    counts, starts = _counts([columns[name].take(sample) for name in names], holes=True)
    # Of each state: how many states of another column occur with it.
    kinds = np.add.reduceat((counts > 0).astype(np.int32), starts, axis=1)
    follows = np.maximum.reduceat(kinds, starts, axis=0) <= 1
    sizes = [len(columns[name].values) for name in names]
    found: dict[Name, list[Name]] = {}
    for i in np.argsort(sizes, kind="stable")[::-1].tolist():
        parts = [j for j in np.flatnonzero(follows[i]).tolist() if sizes[j] < sizes[i] and j != i]
        if len(parts) < 2 or sizes[i] < 3 or any(names[j] in found for j in parts):
            continue
        whole = columns[names[i]].codes.astype(np.int64)
        together, states = np.zeros_like(whole), 1
        for j in parts:
            codes = columns[names[j]].codes.astype(np.int64) + 1
            together = np.unique(together * (codes.max() + 1) + codes, return_inverse=True)[1]
        states = int(together.max()) + 1
        pairs = len(np.unique(together * (len(columns[names[i]].values) + 1) + whole + 1))
        if pairs == states == len(np.unique(whole)):
            found[names[i]] = [names[j] for j in parts]
    return found


def sums_of(columns: dict[Name, Column]) -> dict[Name, list[Name]]:
    """Columns of numbers that are a weighted sum of others."""
    left = [name for name, column in columns.items() if _varies(column)]
    found: dict[Name, list[Name]] = {}
    if not 3 <= len(left) <= bounds.MOST_SUMMED:
        return found
    sample = _spread(columns[left[0]].rows)
    cells = np.stack([_cells(columns[name], sample) for name in left], axis=1)
    cells = cells[np.isfinite(cells).all(axis=1)]
    while len(left) > 2 and len(cells) >= max(FEW_ROWS, 2 * len(left)):
        spread = cells.std(axis=0)
        scaled = (cells - cells.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
        _, sizes, vectors = np.linalg.svd(scaled, full_matrices=False)
        if sizes[-1] > bounds.NULL * sizes[0]:
            break
        inside = np.flatnonzero(np.abs(vectors[-1]) > bounds.INSIDE).tolist()
        # The sum has the most different values.
        last = max(inside, key=lambda k: (len(columns[left[k]].values), k))
        parts = [left[k] for k in inside if k != last]
        if len(parts) > 1:
            found[left[last]] = parts
        cells = np.delete(cells, last, axis=1)
        del left[last]
    return found


def _spread(rows: int) -> Places:
    return np.unique(np.linspace(0, rows - 1, min(rows, bounds.COMPARED_ROWS)).astype(np.intp))


def _groups(
    names: Sequence[Name], close: NDArray[np.bool_], share: Callable[[int, int], float]
) -> Iterator[Copies]:
    """Each column with the later ones that follow it and no earlier one."""
    taken: set[int] = set()
    for i in np.flatnonzero(np.triu(close, 1).any(axis=1)).tolist():
        if i in taken:
            continue
        later = [j for j in range(i + 1, len(names)) if close[i, j] and j not in taken]
        followers = [(j, found) for j in later if (found := share(i, j))]
        taken.update(j for j, _ in followers)
        if followers:
            places, shares = zip(*followers, strict=True)
            yield Copies(names[i], tuple(names[j] for j in places), shares)


def agreement_of(one: Column, two: Column) -> float:
    """How far two columns say the same, counted in all rows."""
    k, m = len(one.values), len(two.values)
    both = (one.codes >= 0) & (two.codes >= 0)
    cells = one.codes[both].astype(np.int32) * m + two.codes[both]
    table = np.bincount(cells, minlength=k * m).reshape(k, m)
    rows = int(table.sum())
    if rows < FEW_ROWS:
        return 0.0
    shares, gains = [], []
    for counts in (table, table.T):
        right = int(counts.max(axis=1).sum())
        usual = int(counts.sum(axis=0).max())
        shares.append(right / rows)
        gains.append((right - usual) / (rows - usual) if rows - usual >= bounds.FEW_OTHERS else 0.0)
    return min(shares) if min(shares) >= bounds.AGREEMENT and min(gains) >= bounds.GAIN else 0.0


def _varies(column: Column) -> bool:
    """Whether enough rows lie outside the most frequent state."""
    present = column.rows - column.holes
    return present >= FEW_ROWS and present - int(column.counts.max(initial=0)) >= bounds.FEW_OTHERS


def _first_seen(column: Column) -> bytes:
    """A hash of the codes, numbered by first occurrence."""
    import pandas as pd

    seen = pd.unique(column.codes)
    # The state of a missing cell is not to be taken for another one.
    seen = seen[seen >= 0]
    places = np.full(len(column.values) + 1, -1, dtype=np.int32)
    places[seen] = np.arange(len(seen))
    return hashlib.blake2b(places[column.codes].data, digest_size=16).digest()


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


def _agreements(columns: Sequence[Column]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Agreement and gain of each pair in its worse direction; 0 where too few rows have both."""
    counts, starts = _counts(columns)
    # Rows of the result: the column that is guessed from.
    right = np.add.reduceat(np.maximum.reduceat(counts, starts, axis=1), starts, axis=0)
    margins = np.add.reduceat(counts, starts, axis=0)
    usual = np.maximum.reduceat(margins, starts, axis=1)
    rows = np.add.reduceat(margins, starts, axis=1)
    others = rows - usual
    with np.errstate(divide="ignore", invalid="ignore"):
        share, gain = right / rows, (right - usual) / others
    enough = (rows >= FEW_ROWS) & (others >= bounds.FEW_OTHERS)
    share, gain = (np.where(enough, part, 0.0) for part in (share, gain))
    return np.minimum(share, share.T), np.minimum(gain, gain.T)


def has_same_ranks(one: Column, two: Column) -> bool:
    """Whether one column of numbers is a rising or a falling function of the other."""
    first, second = _ranks(one), _ranks(two)
    if np.array_equal(first, second):
        return True
    falling = np.where(second < 0, -1, second.max(initial=-1) - second)
    return bool(np.array_equal(first, falling))


def _ranks(column: Column) -> Ints:
    """The place of each cell's number among the different ones; -1 where it is missing."""
    seen = np.flatnonzero(column.counts)
    places = np.full(len(column.values) + 1, -1, dtype=np.int64)
    places[seen[np.argsort(column.numbers[seen])]] = np.arange(len(seen))
    return places[column.codes]


def _cells(column: Column, rows: Places) -> Floats:
    """The numbers in some rows, NaN where they are missing."""
    codes = column.codes[rows]
    return np.where(codes < 0, np.nan, column.numbers[codes])


def _correlations(cells: Floats) -> Floats:
    """The size of the rank correlation of each pair, in the rows in which both have a value."""
    import pandas as pd

    ranks = pd.DataFrame(cells).rank().to_numpy()
    present = np.isfinite(ranks).astype(np.float64)
    # A column may have no value in any of these rows.
    means = np.nansum(ranks, axis=0) / np.maximum(present.sum(axis=0), 1)
    centred = np.where(present > 0, ranks - means, 0.0)
    size = (centred**2).T @ present
    enough = present.T @ present >= FEW_ROWS
    with np.errstate(divide="ignore", invalid="ignore"):
        related = np.abs(centred.T @ centred) / np.sqrt(size * size.T)
    return np.where(enough & (size > 0) & (size.T > 0), related, 0.0)
