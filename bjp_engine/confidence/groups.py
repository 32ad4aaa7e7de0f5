"""Groups of rows with the same variables and states, and how their labels are permuted."""

from __future__ import annotations

import warnings
from collections.abc import Container, Iterator, Sequence

import numpy as np

from bjp_engine.arrays import Ints, Places, number_rows
from bjp_engine.columns import FEW_ROWS
from bjp_engine.dataset import DataLike, Dataset, Name, as_dataset
from bjp_engine.errors import DataError, OptionError, clip, columns_text, listed
from bjp_engine.identifiers import (
    ADVICE,
    describe_identifier,
    describe_repeats,
    has_fraction,
    is_repeated,
)
from bjp_engine.labels import MISSING_LABEL, natural_key
from bjp_engine.parameters.network import recode
from bjp_engine.validate import texts

Labelling = tuple[Ints, Ints]

MOST_GROUPS = 6
# A column that takes away this share of the errors in guessing a row's group leaves next to nothing
# to compare within the groups.
_SEPARATING = 0.95
# A state of this share of a group's rows is hardly absent from the other group by chance.
_CLEAR_SHARE = 0.1


def choose_groups(data: DataLike, variable: Name, states: Sequence[str] = ()) -> dict[str, Dataset]:
    """The groups of rows that have certain states of a variable, by names such as "sex = male".

    Parameters
    ----------
    states : sequence of str
        The labels of 2 to 6 states, each a group; of one state, which is compared with all other
        rows; or of none for all states that occur.

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
        data = _without(data, copies)
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
        others = data.codes[:, data.index(name)] != labels.index(states[0])
        rest = _without(data, (name,)).take(others)
        return {f"{name} = {states[0]}": parts[states[0]], f"{name} ≠ {states[0]}": rest}
    chosen = list(states or parts)
    if len(chosen) > MOST_GROUPS:
        raise OptionError(
            f"The column {column} makes {len(chosen):,} groups; choose 2 to {MOST_GROUPS} of its "
            "states, or one to compare with all others."
        )
    return {f"{name} = {state}": parts[state] for state in chosen}


def join_columns(data: Dataset, others: Dataset) -> Dataset:
    """The variables with other columns of the same rows after them."""
    both = data, others
    return Dataset.from_codes(
        np.column_stack([one.codes for one in both]),
        data.cardinalities + others.cardinalities,
        data.names + others.names,
        data.labels + others.labels,
        [name for one in both for name, known in zip(one.names, one.ordered, strict=True) if known],
    )


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
        if j != i and others and errors(j) <= (1 - _SEPARATING) * others
    ]


def describe_copies(copies: Sequence[Name], by: Name) -> str:
    """That columns which repeat the groups are left out."""
    many = len(copies) > 1
    return (
        f"C{columns_text(copies)[1:]} separate{'' if many else 's'} the groups of {clip(by, 30)} "
        f"in nearly every row, and {'are' if many else 'is'} left out of the comparison."
    )


def prepare_groups(
    a: Dataset, b: Dataset, persons: Name | None
) -> tuple[Dataset, Dataset, list[str]]:
    """Both groups by the same variables and states, and what may be amiss: a sentence each."""
    out = {} if persons is None else {persons: ""}
    out |= _left_out(_without(a, out), _without(b, out), persons)
    given = _without(a, out), _without(b, out)
    both = unite_groups(*given)
    return *both, [*filter(None, out.values()), *_describe_states(*given, *both)]


def unite_groups(a: Dataset, b: Dataset) -> tuple[Dataset, Dataset]:
    """Both groups with the columns of a and the states that a row of either has."""
    for this, other, names in (("a", "b", (a, b)), ("b", "a", (b, a))):
        if not names[0].rows:
            raise DataError(f"{this} has no rows; give at least one row of each group.")
        missing = [name for name in names[0].names if name not in names[1].names]
        if missing:
            raise DataError(
                f"{other} lacks the variable {clip(missing[0])} of {this}; give two groups of the "
                "same variables."
            )
    b = b.select(a.names)
    labels = [_states(a, b, i) for i in range(a.n)]
    return recode(a, labels), recode(b, labels)


def _states(a: Dataset, b: Dataset, i: int) -> tuple[str, ...]:
    """The states of both, in the order of the group that has them all, else in natural order.

    A variable that varies in both groups and has no state in common is refused.
    """
    first, second = ([*_tally(data, i)] for data in (a, b))
    used = {*first, *second}
    if min(len(first), len(second)) > 1 and len(used) == len(first) + len(second):
        raise DataError(
            f"{clip(a.names[i])} has the states {listed(first)} in the first group and "
            f"{listed(second)} in the second; write them in the same way, or leave the "
            "variable out."
        )
    for data in (a, b):
        kept = tuple(label for label in data.labels[i] if label in used)
        if len(kept) == len(used):
            return kept
    return tuple(sorted(used, key=natural_key))


def _left_out(a: Dataset, b: Dataset, persons: Name | None) -> dict[Name, str]:
    """The columns of two groups that are no variables, each with the reason."""
    found: dict[Name, str] = {}
    for i, name in enumerate(a.names):
        tallies = [_tally(a, i), _tally(b, b.index(name)) if name in b.names else {}]
        labels, said = tuple(sorted({*tallies[0], *tallies[1]}, key=natural_key)), ""
        of_a, of_b = (np.array([one.get(label, 0) for label in labels]) for one in tallies)
        counts, both = of_a + of_b, bool((of_a * of_b).any())
        # What differs in all rows of either group, and recurs in the other one.
        paired = both and max(*of_a, *of_b) == 1 and min(a.rows, b.rows) >= FEW_ROWS
        if len(tallies[0]) == len(tallies[1]) == 1 and not both:
            said = f"Column {clip(name)} repeats the group: it holds {listed(labels)}, one in each."
        elif not both:
            said = describe_identifier(name, labels, counts).removesuffix(ADVICE)
        elif is_repeated(name, labels, counts) or (paired and not has_fraction(labels, counts)):
            so = f"the p-values do not hold; paired={name!r} permutes labels within each person"
            said = f"Column {clip(name)} looks like the number of a person or another unit, too."
            if persons is None:
                said, persons = describe_repeats(name, counts, so), name
        if said:
            found[name] = f"{said} The column is left out of the comparison."
    if len(found) == a.n:
        raise DataError(f"No variable is left to compare. {found[a.names[0]]}")
    return found


def _tally(data: Dataset, i: int) -> dict[str, int]:
    """How many rows have each state that occurs of a variable."""
    rows = data.state_counts[i].tolist()
    return {label: k for label, k in zip(data.labels[i], rows, strict=True) if k}


def _without(data: Dataset, names: Container[Name]) -> Dataset:
    """The same rows without some columns."""
    return data.select([name for name in data.names if name not in names])


def _describe_states(a: Dataset, b: Dataset, first: Dataset, second: Dataset) -> Iterator[str]:
    """What may be amiss in the states of two groups, given and united: a sentence each."""
    for i, name in enumerate(first.names):
        labels = first.labels[i]
        declared = a.ordered[i] or b.ordered[b.index(name)]
        if declared and len(labels) > 2 and not (first.ordered[i] and second.ordered[i]):
            yield (
                f"{clip(name)} isn't ordered in the same way in both groups, so its order is not "
                "used; declare the same ordered states in both."
            )
        tallies = [(_tally(part, i), part.rows) for part in (first, second)]
        alone = [
            [label for label, k in one.items() if k / rows >= _CLEAR_SHARE and label not in other]
            for (one, rows), (other, _) in (tallies, tallies[::-1])
        ]
        if all(alone) and tallies[0][0].keys() & tallies[1][0].keys():
            yield (
                f"{clip(name)} has {listed(alone[0])} in the first group only and "
                f"{listed(alone[1])} in the second only; if they mean the same, write them in the "
                "same way."
            )


def distinct_rows(a: Dataset, b: Dataset) -> tuple[Dataset, Places]:
    """The distinct rows of both, and which each row of a and b is.

    In an order that no order of groups or columns changes.
    """
    codes = np.concatenate((a.codes, b.codes))
    by_name = sorted(range(a.n), key=lambda i: str(a.names[i]))
    numbers = number_rows(codes[:, by_name], [a.cardinalities[i] for i in by_name])
    first = np.unique(numbers, return_index=True)[1]
    known = zip(a.names, a.ordered, b.ordered, strict=True)
    ordered = [name for name, *both in known if all(both)]
    rows = Dataset.from_codes(codes[first], a.cardinalities, a.names, a.labels, ordered=ordered)
    return rows, numbers


def person_numbers(a: Dataset, b: Dataset, paired: Name) -> Places:
    """Whose each row of a and b is, in an order that no order of rows or groups changes."""
    places = (a, a.index(paired)), (b, b.index(paired))
    labels = [np.array(data.labels[i])[data.codes[:, i]] for data, i in places]
    if any(MISSING_LABEL in one for one in labels):
        raise DataError(f"Some rows have no {clip(paired)}, and are nobody's; drop these rows.")
    if not len(np.intersect1d(*labels)):
        raise DataError(
            f"No {clip(paired)} has rows in both groups, so no label can be permuted; leave paired "
            "out, and take one row of each."
        )
    return np.unique(np.concatenate(labels), return_inverse=True)[1]


def label_rows(
    numbers: Places, first: int, persons: Places | None, permutations: int, seed: int
) -> Iterator[Labelling]:
    """How often each distinct row is in either group: as observed, and by permuted labels.

    The first rows are a's. With persons, each keeps as many rows in either group.
    """
    counts = np.bincount(numbers)
    in_a = np.bincount(numbers[:first], minlength=len(counts))
    yield in_a, counts - in_a
    # The smaller group is drawn, so that exchanging a and b changes nothing.
    swapped: bool = 2 * first > len(numbers)
    if persons is not None:
        of_a = np.bincount(persons[:first], minlength=persons.max() + 1)
        of_b = np.bincount(persons) - of_a
        swapped = [2 * first, *of_a] > [len(numbers), *of_b]
        order = np.lexsort((numbers, persons))
        whose, what = persons[order], numbers[order]
        place = np.arange(len(order)) - np.searchsorted(whose, whose)
        chosen = place < (of_b if swapped else of_a)[whose]
    for k in range(permutations):
        rng = np.random.default_rng([seed, k])
        if persons is None:
            drawn = rng.multivariate_hypergeometric(counts, min(first, len(numbers) - first))
        else:
            mixed = what[np.lexsort((rng.random(len(order)), whose))]
            drawn = np.bincount(mixed[chosen], minlength=len(counts))
        yield (counts - drawn, drawn) if swapped else (drawn, counts - drawn)
