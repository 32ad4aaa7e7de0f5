"""What *Groups* says, from the learned networks and from the test. Markdown, if not stated."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from bjp_engine import Dataset
from bjp_engine.confidence import GroupComparison
from bjp_engine.confidence.many_groups import LEVEL
from bjp_explorer.shell.text import count, markdown, number, plain, together

ABOUT = "Each group’s network, learned from its own rows; then a test whether they differ."
BY, STATES, SEARCH, PAIR = "Groups", "States", "Search", "Compare"
STATES_HELP = (
    "Two states are compared with each other, three to six in pairs, and one state with all other "
    "rows."
)
NO_COLUMN = (
    "No variable has 2 to 12 states, so none makes groups. To compare two files, upload both on "
    "the page Data, then come back."
)
FEW_VARIABLES = "Two variables are needed besides the one that makes the groups."
NO_STATE = "Choose one state or more. One state is compared with all other rows."
TOO_MANY = "Choose at most six states: every pair of them is compared."
TONES = {
    2: {"all": "in both", "only": "in one only"},
    3: {"all": "in all groups", "some": "in some", "only": "in one only"},
}
TEST_HEADING, PAPER = "Do the networks differ by more than chance?", "For a paper"
TEST, TESTING, COUNTED = "Test the difference", "Permuting the groups", "permutations"
PERMUTATIONS, SEED = "Permutations", "Seed"
PAIRS_CSV, EVERYTHING = "Pairs of variables (CSV)", "JSON"
PAIRS_ABOUT = "Every pair that is an edge of either network, with both effects and p-values."
EVERYTHING_ABOUT = "The networks and every number of the test."
MEANING = (
    "A p-value is the share of permutations in which groups that differ by chance only show a "
    "difference at least as large. A small one says that the groups’ distributions differ, and "
    "which number shows it. It does not prove that just this edge differs. If a state is much "
    "rarer in one group, a small p-value is no evidence of different edges."
)
MISSING = (
    "Missing cells are handled as chosen on the page Data. Where they are a state, groups with "
    "more of them can differ for that reason alone."
)
TABLE_ABOUT = (
    "Effects are log odds ratios (natural log) given all other variables; with more than two "
    "states those for one step, where both variables are ordered, or else their root mean square "
    "(strength). Both groups are fitted on the "
    "union of both networks. Adjusted p-values allow for all pairs of variables."
)
COLUMN_HELP = {
    "difference": "For log odds ratios that of the second group less that of the first.",
    "p": "Of this pair alone.",
    "p_adjusted": "Adjusted for all pairs of variables (Westfall & Young).",
}
HOLM = "All p-values in this table are adjusted for the number of pairs of groups (Holm)."
ALONE_IN_PAPER = "They are not adjusted for the {pairs} pairs of groups."
ALONE = "These p-values are of this pair of groups alone; the table above adjusts them for all."
GROUPS, DISTANCE, P, STRENGTH_P, LARGEST_P = (
    "Groups",
    "Hamming distance",
    "p (distance)",
    "p (global strength)",
    "p (largest difference of a pair)",
)
# Groups of which one has so many times the rows of another are unequal; fewer rows are few.
UNEQUAL, FEW = 2.0, 50
MOST_NAMED = 3


def file(title: str) -> str:
    """Another uploaded file as a group, as plain text."""
    return f"this file and {plain(title, 40)}"


def numbered(title: str, k: int) -> str:
    """One of two files that have the same title, as plain text."""
    return f"{title} ({k})"


def pair_of_groups(a: str, b: str) -> str:
    """Two groups, as plain text."""
    return f"{plain(a, 40)} and {plain(b, 40)}"


def markdown_pair(a: str, b: str) -> str:
    """The same as Markdown."""
    return markdown(pair_of_groups(a, b))


def panel_subtitle(rows: int, edges: int) -> str:
    """What stands under a group's name, as plain text."""
    return f"n = {rows:,} · {count(edges, 'edge')}"


def describe_edge(pair: tuple[int, int], names: Sequence[str], of: int, data: Dataset) -> str:
    """An edge and who has it, as plain text."""
    where = "in every group" if len(names) == of else f"only in {together(_plain(names))}"
    return f"{_pair(pair, data)}: {where}"


def describe_networks(
    having: Mapping[tuple[int, int], Sequence[str]], names: Sequence[str], data: Dataset
) -> str:
    """How many edges all groups share, and which ones they don't."""
    if not having:
        return "**No group’s network has an edge.**"
    everywhere = sum(len(who) == len(names) for who in having.values())
    all_of = "both networks" if len(names) == 2 else f"all {len(names)} networks"
    verb = "are" if everywhere > 1 else "is"
    text = f"**{count(everywhere, 'edge') if everywhere else 'No edge'} {verb} in {all_of}"
    apart = {pair: who for pair, who in having.items() if len(who) < len(names)}
    if not apart:
        return f"{text}**, and no edge is in one only."
    differ = "differs" if len(apart) == 1 else "differ"
    text += f", {len(apart):,} {differ}.**"
    by_group: dict[tuple[str, ...], list[str]] = {}
    for pair, who in apart.items():
        by_group.setdefault(tuple(who), []).append(markdown(_pair(pair, data)))
    parts = []
    for who, edges in by_group.items():
        named = edges[:MOST_NAMED]
        if len(edges) > len(named):
            named.append(f"{len(edges) - len(named):,} more")
        parts.append(
            f"Only in {together([markdown(name) for name in _plain(who)])}: {together(named)}."
        )
    return " ".join((text, *parts))


def warn_of_sizes(rows: Mapping[str, int]) -> str:
    """That fewer rows give fewer edges, where the sizes differ much or are small; else empty."""
    least, most = min(rows, key=rows.__getitem__), max(rows, key=rows.__getitem__)
    parts = []
    if rows[most] >= UNEQUAL * rows[least]:
        parts.append(
            f"{_name(least)} has {count(rows[least], 'row')}, {_name(most)} has {rows[most]:,}. "
            "Fewer rows give fewer edges, so a part of the difference may come from the sizes. "
            "The test below allows for that."
        )
    few = [name for name, amount in rows.items() if amount < FEW]
    if few:
        which = together([f"{_name(name)} ({rows[name]:,})" for name in few])
        have = "has" if len(few) == 1 else "have"
        parts.append(f"{which} {have} fewer than {FEW} rows, which show little about any edge.")
    return " ".join(parts)


def warn_of_states(names: Sequence[str]) -> str:
    """That two files have different states."""
    which = together([_name(name) for name in names[:MOST_NAMED]])
    more = f" and {len(names) - MOST_NAMED:,} more" if len(names) > MOST_NAMED else ""
    return (
        f"The files have different states of {which}{more}. If numbers were binned in each file by "
        "itself, the bins differ, and so will the networks: prepare both with the same steps."
    )


def describe_margins(gap: tuple[Any, str, dict[str, float]] | None) -> str:
    """Where the margins of the groups differ most."""
    if gap is None:
        return ""
    name, state, shares = gap
    low, high = min(shares, key=shares.__getitem__), max(shares, key=shares.__getitem__)
    what = f"{markdown(plain(name, 28))} = {markdown(plain(state, 28))}"
    return (
        f"Here the margins differ most in {what}: {shares[low]:.0%} of the rows in {_name(low)}, "
        f"{shares[high]:.0%} in {_name(high)}."
    )


def warn_of_permutations(permutations: int, pairs: int) -> str:
    """That no adjusted p-value can be small with so few permutations, if so."""
    least = pairs / (permutations + 1)
    if least <= LEVEL:
        return ""
    return (
        f"With {count(pairs, 'pair')} of groups and {count(permutations, 'permutation')}, no "
        f"adjusted p-value can be below {number(min(least, 1.0), 3)}. Take at least "
        f"{math.ceil(pairs / LEVEL) - 1:,}."
    )


def describe_test(permutations: int, pairs: int, seconds: float) -> str:
    """What the test does, and about how long it takes."""
    times = f"{permutations:,} times" + (f" for each of {pairs} pairs of groups" * (pairs > 1))
    about = f"{max(1, round(seconds))} s" if seconds < 100 else f"{round(seconds / 60):,} min"
    return (
        f"Permutes {times} which rows are in which group, and learns both networks again. "
        f"Takes about {about}."
    )


def judge(found: GroupComparison, chances: Sequence[float]) -> str:
    """Whether two groups differ clearly: by the largest difference of a pair of variables.

    Its p-value already allows for all pairs. Those of the Hamming distance and the global strength,
    which come first in `chances`, detect less.
    """
    distance, strength, largest = map(chance, chances)
    numbers = f"Other tests: global strength p = {strength}, Hamming distance p = {distance}."
    if chances[2] > LEVEL:
        return (
            f"**No clear difference.** The largest difference of a pair of variables has p = "
            f"{largest}, adjusted for all pairs. This does not prove that the networks are the "
            f"same. {numbers}"
        )
    clear = max(1, int((found.edges["p_adjusted"] <= LEVEL).sum()))
    pairs = f"{count(clear, 'pair')} of variables {'differs' if clear == 1 else 'differ'}"
    return (
        f"**The groups differ clearly:** {pairs}, with p = {largest} for the largest difference, "
        f"adjusted for all pairs. {numbers}"
    )


def where(in_a: bool, in_b: bool, a: str, b: str) -> str:
    """Which of two networks have an edge, as plain text."""
    return "both" if in_a and in_b else plain(a if in_a else b, 30)


def chance(p: float) -> str:
    """A p-value to two digits."""
    return f"{p:.2g}"


def column(what: str, group: str) -> str:
    """The heading of a column about one group, as plain text."""
    return f"{plain(group, 30)}: {what}"


def pair_text(x: Any, y: Any) -> str:
    """Two variables, as plain text."""
    return f"{plain(x, 28)} – {plain(y, 28)}"


def _pair(pair: tuple[int, int], data: Dataset) -> str:
    """Two variables by their columns, as plain text."""
    return pair_text(*(data.names[i] for i in pair))


def _plain(names: Sequence[str]) -> list[str]:
    """Names of groups on one line each."""
    return [plain(name, 40) for name in names]


def _name(name: str) -> str:
    """A group or variable as Markdown."""
    return markdown(plain(name, 40))
