"""What is found in a table: a record each, with a sentence and the steps that would answer it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from bjp_engine.arrays import Ints
from bjp_engine.errors import clip, columns_text, listed, plural
from bjp_engine.health.blankets import BlanketLimit
from bjp_engine.health.copies import Copies
from bjp_engine.health.variables import VariableHealth
from bjp_engine.identifiers import MANY_STATES, describe_repeats
from bjp_engine.parameters.imputation import TIMES
from bjp_engine.preparation import (
    BinNumbers,
    DropVariables,
    MergeRare,
    MissingCells,
    Step,
    TidyText,
)
from bjp_engine.records import FrozenMapping, record
from bjp_engine.validate import Name

# Worst first, with what a person reads.
SEVERITIES = {
    "stop": "must be resolved",
    "serious": "serious",
    "warning": "check this",
    "note": "good to know",
}
# Of equally severe ones these come first.
TITLES = {
    "few_variables": "Fewer than two variables",
    "frequencies": "Frequencies",
    "missing": "Missing cells",
    "multiple_choice": "Choices of one question",
    "empty": "Empty columns",
    "identifier": "Identifiers",
    "repeated": "Several rows of one person",
    "text": "Free text or codes",
    "numbers": "Many distinct numbers",
    "copies": "Copies of another variable",
    "blankets": "Rows per configuration",
    "missing_codes": "Codes of missing cells",
    "weights": "Survey weights",
    "date": "Dates",
    "constant": "Constant columns",
    "spelling": "Several spellings",
    "mostly_missing": "Mostly missing",
    "many_states": "Many states",
    "near_copies": "Near copies of another variable",
    "numbers_as_text": "Numbers among text",
    "rare": "Rare states",
    "unused": "Unused states",
    "ordered": "Ordered answers",
    "groups": "Groups of rows",
}
# Of the others, which warn, that on blankets has one of its own.
_SEVERITY = {
    **dict.fromkeys(("few_variables", "missing"), "stop"),
    **dict.fromkeys(("frequencies", "multiple_choice", "empty", "identifier"), "serious"),
    **dict.fromkeys(("repeated", "text", "numbers", "copies"), "serious"),
    **dict.fromkeys(("rare", "unused", "ordered", "groups"), "note"),
}
_USELESS = {
    "empty": "No value at all in {}.",
    "constant": "Only one value occurs in {}; a constant column says nothing about the others.",
    "identifier": "Every row has a different value in {}, so no row can confirm what another one "
    "shows.",
    "text": f"Free text or codes in {{}}: more than {MANY_STATES} different values, and fewer than "
    "ten rows to each.",
    "date": "Dates in {}: nearly every row has its own, and states lose their order.",
}
# A column with this share missing says little; with the larger one, nothing.
MOSTLY, NEARLY_ALL = 0.5, 0.95
# Dropping up to this share of the rows loses little; in a table too large to impute, up to the
# other one.
MOST_DROPPED, MOST_DROPPED_OF_LARGE = 0.05, 0.25
# Rows × variables² up to which 20 imputed tables take about a minute or less on two cores:
# `python -m benchmarks imputation-cost`.
MOST_IMPUTED = 5_000_000
# States that fewer than this share of the rows hold are merged where there are many.
_SHARE = 0.02
_BINS = range(2, 6)
# In a column with no more values, numbers among text are no sign of a mistake.
_FEW_NUMBERS = 5


@record
@dataclass(frozen=True)
class Finding:
    """One thing found in a table.

    Attributes
    ----------
    kind : str
        A key of `TITLES`.
    severity : {"stop", "serious", "warning", "note"}
        Nothing can be learned before; the result would be spoiled; it may be; good to know.
    columns : tuple of str or int
        None where it is about the whole table.
    steps : tuple of Step
        What the obvious answer to it does, if there is one.
    action : str
        The same in a word or two, as a button says it.
    advised : bool
        Whether `suggest` takes these steps.
    """

    kind: str
    severity: str
    columns: tuple[Name, ...]
    figures: FrozenMapping[str, float]
    sentence: str
    steps: tuple[Step, ...] = ()
    action: str = ""
    advised: bool = False

    @property
    def title(self) -> str:
        """A heading."""
        return TITLES[self.kind]


@dataclass(frozen=True, eq=False)
class Facts:
    """What the findings in columns rest on."""

    rows: int
    variables: tuple[VariableHealth, ...]
    repeated: dict[Name, Ints]  # numbers of persons with several rows: the rows of each
    exact: tuple[Copies, ...]
    near: tuple[Copies, ...]
    correlated: tuple[Copies, ...]  # numbers with nearly the same ranks
    needed: int  # rows without which a state is rare

    def of(self, *kinds: str) -> list[VariableHealth]:
        """The variables of some kinds that vary."""
        return [one for one in self.variables if one.kind in kinds and one.states > 1]

    def is_crowded(self, one: VariableHealth) -> bool:
        """Whether two neighbours like it leave a configuration too few rows."""
        return self.rows < self.needed * one.states**2


def percent(share: float) -> str:
    """A share as text; neither nothing nor all where it isn't."""
    return "100 %" if share == 1 else f"{min(99.9, max(0.1, 100 * share)):.3g} %"


def find_in_columns(facts: Facts) -> list[Finding]:
    """Everything worth saying of a table but its missing cells and its number of rows."""
    parts = (_useless, _crowded, _repeated, _misspelt, _rare, _unused, _mostly_missing)
    return [finding for part in parts for finding in part(facts)]


def find_missing(
    missing: dict[Name, int], variables: int, rows: int, complete: int
) -> Iterator[Finding]:
    """What to do about missing cells, if there are any."""
    total, lost = sum(missing.values()), (rows - complete) / rows
    if not total:
        return
    how, action, advice = "drop", "Drop these rows", "so dropping the others costs little."
    if lost > MOST_DROPPED_OF_LARGE:
        how, action, advice = "state", "Make it a state", "so dropping the others would cost much."
    if lost > MOST_DROPPED and rows * variables**2 > MOST_IMPUTED:
        advice += " Imputing would take minutes in a table of this size."
    elif lost > MOST_DROPPED and variables > 1:
        how, action = "impute", f"Impute ({TIMES} times)"
        advice = (
            "so dropping the others would lose much. Imputing keeps every row: each missing cell "
            f"is drawn {TIMES} times from what the known cells of its row make probable."
        )
    share = total / (rows * variables)
    left = f"{complete:,} of {rows:,} rows are complete" if complete else "no row is complete"
    yield make_finding(
        "missing",
        tuple(missing),
        {"cells": total, "share": share, "complete": complete},
        f"{total:,} cell{'s are' if total > 1 else ' is'} missing ({percent(share)}) in "
        f"{columns_text(missing)}; {left}, {advice}",
        MissingCells(how),
        action,
    )


def find_row_limit(limit: BlanketLimit, variables: int, rows: int) -> Finding:
    """Whether variables and rows are enough after the suggested steps; `rows` are the table's."""
    if variables < 2:
        said = f"Only {variables} variable{' is' if variables == 1 else 's are'} usable; "
        return make_finding(
            "few_variables", (), {"variables": variables}, said + "a network needs at least two."
        )
    largest, needed = min(limit.largest, variables - 1), limit.needed
    left = f"{limit.rows:,} rows"
    if limit.rows != rows:
        # The sentence stands beside other steps, too.
        left += " left by the suggested steps"
    if largest < 0:
        said = f"With {left}, not even one slice has the {needed} rows that it needs"
    elif largest == 0:
        said = f"With {left}, a test given one variable has fewer than {needed} rows per slice"
    else:
        said = (
            f"With {left}, a test given {plural(largest, 'variable')} (typically of "
            f"{limit.states:.3g} states) has about {limit.sizes[largest].rows:,.0f} rows per slice"
        )
        if largest + 1 < len(limit.sizes):
            said += f"; given {largest + 1}, only {limit.sizes[largest + 1].rows:,.1f}"
    enough = limit.largest >= min(3, variables - 1)
    return make_finding(
        "blankets",
        (),
        {"rows": limit.rows, "states": limit.states, "needed": needed, "largest": largest},
        f"{said}. A slice of fewer than {needed} rows says little.",
        severity="note" if enough else "warning" if limit.largest == 2 else "serious",
    )


def left_out(found: Iterable[Finding]) -> set[Name]:
    """The variables that the advised steps leave out."""
    steps = [step for finding in found if finding.advised for step in finding.steps]
    return {name for step in steps if isinstance(step, DropVariables) for name in step.columns}


def make_finding(
    kind: str,
    columns: Sequence[Name],
    figures: dict[str, float],
    sentence: str,
    *answer: Step | str,
    severity: str = "",
    advised: bool = True,
) -> Finding:
    """A finding, with an answer if there is one: steps, and the words of their button."""
    steps = tuple(part for part in answer if isinstance(part, Step))
    return Finding(
        kind,
        severity or _SEVERITY.get(kind, "warning"),
        tuple(columns),
        FrozenMapping(figures),
        sentence,
        steps,
        "".join(part for part in answer if isinstance(part, str)),
        advised=advised and bool(steps),
    )


def _useless(facts: Facts) -> Iterator[Finding]:
    """Columns that say nothing of the others, and what the number of a person says of the rows."""
    for kind, sentence in _USELESS.items():
        columns = tuple(
            one.name
            for one in facts.variables
            if (one.states == 1 if kind == "constant" else one.kind == kind and one.states != 1)
            and one.name not in facts.repeated
        )
        if columns:
            said = sentence.format(columns_text(columns))
            answer = (DropVariables(columns), "Leave out")
            yield make_finding(kind, columns, {"columns": len(columns)}, said, *answer)
    for name, counts in facts.repeated.items():
        figures: dict[str, float] = {
            "units": int(np.count_nonzero(counts)),
            "rows": int(counts.sum()),
        }
        said, step = describe_repeats(name, counts), DropVariables((name,))
        yield make_finding("repeated", (name,), figures, said, step, "Leave out")


def _crowded(facts: Facts) -> Iterator[Finding]:
    """Variables with too many states for the rows."""
    numbers = [
        one
        for one in facts.of("measurement", "whole number")
        if one.kind == "measurement" or facts.is_crowded(one)
    ]
    texts = [one for one in facts.of("category") if one.states > 3 and facts.is_crowded(one)]
    if numbers:
        names, most = [one.name for one in numbers], max(one.states for one in numbers)
        fitting = (b for b in _BINS if facts.rows >= facts.needed * b**3)
        bins = max(fitting, default=_BINS[0])
        yield make_finding(
            "numbers",
            names,
            {"columns": len(names), "states": most, "bins": bins},
            f"There are up to {most:,} different numbers in {columns_text(names)}. If each were a "
            "state, nearly every configuration would be empty.",
            BinNumbers(tuple(names), "quantile", bins),
            f"Cut into {bins} bins",
        )
    if texts:
        names, most = [one.name for one in texts], max(one.states for one in texts)
        yield make_finding(
            "many_states",
            names,
            {"columns": len(names), "states": most, "share": _SHARE},
            f"Up to {most:,} states in {columns_text(names)}: with two such neighbours a "
            f"configuration has fewer than {facts.needed} rows on average.",
            MergeRare(tuple(names), share=_SHARE),
            "Merge states below 2 %",
            advised=most > MANY_STATES,
        )


def _repeated(facts: Facts) -> Iterator[Finding]:
    for copies in facts.exact:
        one = len(copies.followers) == 1
        yield _copies_finding(
            copies,
            ("is column", "are column"),
            ", recoded one to one in every row. Copies hide each other's edges.",
            "Leave the copy out" if one else "Leave the copies out",
        )
    for copies in facts.near:
        figure = f"they agree in {percent(min(copies.agreement))} of the rows"
        yield _copies_finding(
            copies, ("nearly repeats column", "nearly repeat column"), f": {figure}"
        )
    for copies in facts.correlated:
        verbs = ("rises and falls with column", "rise and fall with column")
        figure = f"the rank correlation is {min(copies.agreement):.3f}"
        yield _copies_finding(copies, verbs, f": {figure}")


def _copies_finding(copies: Copies, verbs: tuple[str, str], rest: str, action: str = "") -> Finding:
    """Variables that say what another says, or nearly."""
    followers, several = columns_text(copies.followers), len(copies.followers) > 1
    said = f"C{followers[1:]} {verbs[several]} {clip(copies.leader, 30)}{rest}"
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


def _misspelt(facts: Facts) -> Iterator[Finding]:
    """Values that differ only in capitals or spaces, and numbers that are not read as such."""
    several = [one for one in facts.variables if one.spellings]
    if several:
        names = tuple(one.name for one in several)
        usual, odd = map(_exactly, several[0].example)
        yield make_finding(
            "spelling",
            names,
            {"columns": len(names), "values": sum(one.spellings for one in several)},
            f"Some values in {columns_text(names)} differ only in capital letters or spaces, such "
            f"as {usual} and {odd}; they count as different states.",
            TidyText(names),
            "Unify spelling",
        )
    for one in facts.variables:
        if one.states > _FEW_NUMBERS and one.numbers >= MOSTLY * one.states and one.kind != "date":
            yield make_finding(
                "numbers_as_text",
                (one.name,),
                {"values": one.numbers, "states": one.states},
                f"Column {clip(one.name, 30)} is text, though about {one.numbers:,} of its "
                f"{one.states:,} values look like numbers; check the others, and the decimal "
                "separator in how the file is read.",
            )


def _rare(facts: Facts) -> Iterator[Finding]:
    few = [one for one in facts.of("category") if one.rare and one.states > 2]
    # Where every state is rare, one would be left; and "other" has no place in an order.
    merged = [one for one in few if 1 < one.rare < one.states and one.role != "ordered"]
    for found in (merged, [one for one in few if one not in merged]):
        if not found:
            continue
        states, names = sum(one.rare for one in found), tuple(one.name for one in found)
        step = (MergeRare(names, below=facts.needed), "Merge rare states")
        yield make_finding(
            "rare",
            names,
            {"columns": len(found), "states": states, "below": facts.needed},
            f"{states:,} state{'s have' if states > 1 else ' has'} fewer than {facts.needed} rows "
            f"in {columns_text(names)}: too few for clear evidence in a slice.",
            *(step if found is merged else ()),
            advised=any(one.rare > 2 for one in found),
        )


def _unused(facts: Facts) -> Iterator[Finding]:
    """States that are declared, as labels of a file are, and that no row has."""
    columns: dict[tuple[str, ...], list[Name]] = defaultdict(list)
    for one in facts.variables:
        if one.unused and one.states > 1:
            columns[one.unused].append(one.name)
    if columns:
        shown = [f"{listed(states)} in {columns_text(of)}" for states, of in columns.items()]
        more = f"; and others in {len(shown) - 3} more ways" if len(shown) > 3 else ""
        names = [name for of in columns.values() for name in of]
        yield make_finding(
            "unused",
            names,
            {"columns": len(names), "states": sum(len(s) * len(of) for s, of in columns.items())},
            f"No row has {'; '.join(shown[:3])}{more}. Auto, probabilities and effects leave such "
            "states out; the paper's scores count them.",
        )


def _mostly_missing(facts: Facts) -> Iterator[Finding]:
    for least, most, advised in ((NEARLY_ALL, 1.0, True), (MOSTLY, NEARLY_ALL, False)):
        names = tuple(
            one.name for one in facts.variables if least <= one.missing / facts.rows < most
        )
        if names:
            yield make_finding(
                "mostly_missing",
                names,
                {"columns": len(names), "share": least},
                f"{percent(least)} or more of the cells are missing in {columns_text(names)}.",
                DropVariables(names),
                "Leave out",
                advised=advised,
            )


def _exactly(text: str) -> str:
    """A value with its spaces, as a sentence may show it."""
    shown = "".join(c if c.isprintable() else "·" for c in text)
    return f'"{shown[:30]}"'
