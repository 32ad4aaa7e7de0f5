"""More than two groups: which rows form them, every pair of them compared, and the result in words.

Of g groups all g (g - 1) / 2 pairs are compared. Each p-value is adjusted for them by the method of
Holm (1979): with p-values p_(1) ≤ … ≤ p_(m), the adjusted one is

    p̃_(k) = max_{j ≤ k} min(1, (m - j + 1) p_(j)).
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from bjp_engine.arrays import Floats
from bjp_engine.confidence.two_groups import GroupComparison, compare_groups
from bjp_engine.dataset import DataLike, Dataset, Name, as_dataset
from bjp_engine.errors import (
    DataError,
    OptionError,
    clip,
    columns_text,
    listed,
    plural,
    single_line,
)
from bjp_engine.parameters.effects import STRENGTH
from bjp_engine.progress import UNWATCHED, Progress, check_progress
from bjp_engine.records import FrozenMapping, record
from bjp_engine.scores import Score
from bjp_engine.validate import Seed, instance, texts, whole_seed

if TYPE_CHECKING:
    import pandas as pd

MOST_GROUPS = 6
# A column that takes away this share of the errors in guessing a row's group leaves next to nothing
# to compare within the groups.
TOLD = 0.95
# A pair of which the adjusted p-value is higher is not named as a difference.
LEVEL = 0.05


@record
@dataclass(frozen=True, eq=False, slots=True)
class GroupComparisons:
    """Which of several groups have the same network, as `compare_all_groups` found.

    Parameters
    ----------
    pairs : mapping of (str, str) to GroupComparison
        By the names of both groups, in their order.
    """

    pairs: FrozenMapping[tuple[str, str], GroupComparison]

    @property
    def table(self) -> pd.DataFrame:
        """A line for each pair of groups.

        Returns
        -------
        pandas.DataFrame
            With these columns:

            - a, b: the names of the groups.
            - rows_a, rows_b, distance, strength_a, strength_b: see `GroupComparison`.
            - p, p_strength, p_edges: of this pair alone; with `_adjusted`, adjusted for all pairs.
        """
        import pandas as pd

        found = list(self.pairs.values())
        table: dict[str, Any] = {
            "a": pd.Series([a for a, _ in self.pairs], dtype=object),
            "b": pd.Series([b for _, b in self.pairs], dtype=object),
        }
        for name in ("rows_a", "rows_b", "distance", "strength_a", "strength_b"):
            table[name] = [getattr(one, name) for one in found]
        for name in ("p", "p_strength", "p_edges"):
            table[name] = [getattr(one, name) for one in found]
            table[f"{name}_adjusted"] = adjust_by_holm(np.array(table[name], np.float64))
        return pd.DataFrame(table)


def compare_all_groups(
    groups: Mapping[str, DataLike],
    method: str | Score = "bjp",
    search: str | None = None,
    *,
    permutations: int = 1000,
    seed: Seed = 0,
    progress: Progress = UNWATCHED,
    **options: Any,
) -> GroupComparisons:
    """Test each pair of several groups for the same network.

    Parameters
    ----------
    groups : mapping of str to Dataset, DataFrame or array
        The rows of 2 to 6 groups by name, as `Dataset.split` or `choose_groups` makes them.

    Examples
    --------
    >>> from bjp_engine.confidence import compare_all_groups
    >>> alike, opposed = [[0, 0], [1, 1]] * 40, [[0, 1], [1, 0]] * 40
    >>> noise = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
    >>> groups = {"first": alike + noise, "second": alike + noise, "third": opposed + noise}
    >>> found = compare_all_groups(groups, permutations=99)
    >>> found.table[["a", "b", "p_edges", "p_edges_adjusted"]].values.tolist()
    ... # doctest: +NORMALIZE_WHITESPACE
    [['first', 'second', 1.0, 1.0], ['first', 'third', 0.01, 0.03],
     ['second', 'third', 0.01, 0.03]]

    Notes
    -----
    Each pair is compared as if there were no other group. Holm's adjustment (docs/theory.md §11)
    holds whatever the dependence between the tests. It is over the pairs of groups only: the three
    statistics are not adjusted for each other, and `GroupComparison.edges` is within its pair.
    """
    check_progress(progress)
    if not isinstance(groups, Mapping) or not 2 <= len(groups) <= MOST_GROUPS:
        many = isinstance(groups, Mapping)
        given = f"holds {plural(len(groups), 'group')}" if many else f"is {clip(groups)}"
        raise OptionError(f"groups {given}; give a mapping with 2 to {MOST_GROUPS} groups.")
    seed = whole_seed(seed)
    names = list(combinations(groups, 2))
    found = {}
    for k, (a, b) in enumerate(names):
        part = _part_of(progress, k, len(names))
        try:
            found[a, b] = compare_groups(
                groups[a],
                groups[b],
                method,
                search,
                permutations=permutations,
                seed=seed,
                progress=part,
                **options,
            )
        except DataError as error:
            raise DataError(f"a = {clip(a)}, b = {clip(b)}: {error}") from error
    return GroupComparisons(FrozenMapping(found))


def choose_groups(data: DataLike, variable: Name, states: Sequence[str] = ()) -> dict[str, Dataset]:
    """The groups of rows that have certain states of a variable.

    Parameters
    ----------
    states : sequence of str
        The labels of 2 to 6 states, each a group; of one state, which is compared with all other
        rows; or of none for all states that occur.

    Returns
    -------
    dict of str to Dataset
        In the order of `states`, by names such as "sex = male"; all other rows are "sex ≠ male".

    Examples
    --------
    >>> from bjp_engine import Dataset
    >>> from bjp_engine.confidence import choose_groups
    >>> data = Dataset.from_codes([[0, 1], [1, 0], [2, 0]], names=["class", "x"])
    >>> list(choose_groups(data, "class")), list(choose_groups(data, "class", ["1"]))
    (['class = 0', 'class = 1', 'class = 2'], ['class = 1', 'class ≠ 1'])
    """
    data = as_dataset(data)
    i, states = data.index(variable), texts(states, "states")
    name, labels = data.names[i], data.labels[i]
    if copies := find_group_copies(data, i):
        warnings.warn(describe_copies(copies, name), stacklevel=2)
        data = data.select([other for other in data.names if other not in copies])
    parts = data.split(name)
    column = clip(name)
    for state in states:
        if state not in labels:
            raise OptionError(
                f"The column {column} has no state {clip(state)}; it has {listed(labels)}."
            )
        if state not in parts:
            raise DataError(f"No row has the state {clip(state)} of {column}; choose another one.")
    if len(parts) < 2:
        raise DataError(
            f"The column {column} has the same state in every row, so it makes no groups; choose "
            "another column."
        )
    if len(states) == 1:
        others = data.select([other for other in data.names if other != name])
        rest = others.take(data.codes[:, data.index(name)] != labels.index(states[0]))
        return {f"{name} = {states[0]}": parts[states[0]], f"{name} ≠ {states[0]}": rest}
    chosen = list(states or parts)
    if len(chosen) > MOST_GROUPS:
        raise OptionError(
            f"The column {column} makes {len(chosen):,} groups; choose 2 to {MOST_GROUPS} of its "
            "states, or one to compare with all others."
        )
    return {f"{name} = {state}": parts[state] for state in chosen}


def find_group_copies(data: Dataset, i: int) -> list[Name]:
    """The columns that tell the states of the variable at place i apart, in nearly every row."""
    groups, r = data.codes[:, i].astype(np.intp), data.cardinalities[i]
    usual = int(np.bincount(groups).max(initial=0))

    def errors(j: int) -> int:
        """Of the best guess of a row's group from column j; a state of one row tells nothing."""
        cells = np.bincount(data.codes[:, j] * r + groups, minlength=data.cardinalities[j] * r)
        table = cells.reshape(-1, r)
        return data.rows - int(table.max(axis=1)[table.sum(axis=1) > 1].sum())

    others = data.rows - usual
    return [
        name
        for j, name in enumerate(data.names)
        if j != i and others and errors(j) <= (1 - TOLD) * others
    ]


def describe_copies(copies: Sequence[Name], by: Name) -> str:
    """That columns which repeat the groups are left out."""
    many = len(copies) > 1
    return (
        f"C{columns_text(copies)[1:]} separate{'' if many else 's'} the groups of {clip(by, 30)} "
        f"in nearly every row, and {'are' if many else 'is'} left out of the comparison."
    )


def describe_comparison(found: GroupComparison, a: str = "a", b: str = "b") -> str:
    """The result of a comparison in sentences fit for a paper.

    Examples
    --------
    >>> from bjp_engine import compare_groups
    >>> from bjp_engine.confidence import describe_comparison
    >>> import textwrap
    >>> alike, opposed = [[0, 0], [1, 1]] * 40, [[0, 1], [1, 0]] * 40
    >>> noise = [[0, 0], [0, 1], [1, 0], [1, 1]] * 10
    >>> found = compare_groups(alike + noise, opposed + noise, permutations=99)
    >>> print(textwrap.fill(describe_comparison(found, "women", "men"), 84))
    The networks of women (n = 120) and men (n = 120) differ in 1 pair of variables with
    adjusted p ≤ 0.05, most clearly in that of 0 and 1: the log odds ratio of men less
    that of women is −6.44 (adjusted p = 0.01). The learned graphs have a Hamming
    distance of 0 (p = 1). The global strengths are 3.22 and 3.22 (p = 1). All p-values
    are by 99 permutations of the group labels (van Borkulo et al., 2022; seed 0).
    """
    instance(found, "found", GroupComparison, "a GroupComparison, such as one of found.pairs")
    edges, a, b = found.edges, single_line(a), single_line(b)
    if not len(edges):
        text = (
            f"Neither the network of {a} (n = {found.rows_a:,}) nor that of {b} "
            f"(n = {found.rows_b:,}) has an edge. "
        )
    else:
        sizes = f"The networks of {a} (n = {found.rows_a:,}) and {b} (n = {found.rows_b:,})"
        lowest = _chance(found.p_edges)
        if found.p_edges > LEVEL:
            text = f"{sizes} don't differ clearly in any pair (smallest adjusted p = {lowest}). "
        else:
            first, clear = edges.iloc[0], int((edges["p_adjusted"] <= LEVEL).sum())
            what = "the root mean square difference of their log odds ratios"
            if first["kind"] != STRENGTH:
                what = f"the {first['kind']} of {b} less that of {a}"
            pair = f"{single_line(first['x'])} and {single_line(first['y'])}"
            text = (
                f"{sizes} differ in {plural(clear, 'pair')} of variables with adjusted p ≤ "
                f"{LEVEL}, most clearly in that of {pair}: "
                f"{what} is {_signed(first['difference'])} (adjusted p = {lowest}). "
            )
    within = "" if found.paired is None else f" within each {single_line(found.paired)}"
    text += (
        f"The learned graphs have a Hamming distance of {found.distance:,} (p = "
        f"{_chance(found.p)}). The global strengths are {_signed(found.strength_a)} and "
        f"{_signed(found.strength_b)} (p = {_chance(found.p_strength)}). All p-values are by "
        f"{found.permutations:,} permutations of the group labels{within} (van Borkulo et al., "
        f"2022; seed {found.seed})."
    )
    return " ".join((text, *map(single_line, found.notes)))


def as_comparisons(found: GroupComparison | GroupComparisons) -> GroupComparisons:
    """A single comparison as one of several, of the groups a and b."""
    if isinstance(found, GroupComparison):
        return GroupComparisons(FrozenMapping({("a", "b"): found}))
    return instance(found, "found", GroupComparisons, "what compare_groups returned")


def adjust_by_holm(p: Floats) -> Floats:
    """p-values adjusted for all of them, shape (m,)."""
    order = np.argsort(p, kind="stable")
    steps = np.minimum(1.0, p[order] * np.arange(len(p), 0, -1))
    adjusted = np.empty(len(p))
    adjusted[order] = np.maximum.accumulate(steps)
    return adjusted


def _part_of(progress: Progress, k: int, of: int) -> Progress:
    report = progress.report
    if report is None:
        return progress
    return Progress(lambda done, total: report(k * total + done, of * total), progress.cancelled)


def _chance(p: float) -> str:
    return f"{p:.2g}"


def _signed(value: float) -> str:
    """A number with a true minus sign."""
    return f"{value:.3g}".replace("-", "−")
