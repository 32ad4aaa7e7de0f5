"""What is found in single columns, and in columns that repeat each other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bjp_engine.dataset import Name
from bjp_engine.errors import clip, columns_text
from bjp_engine.frozen import FrozenMapping
from bjp_engine.health.by_pair import repeated
from bjp_engine.health.findings import Finding, percent
from bjp_engine.health.known import Known
from bjp_engine.health.variables import MANY_STATES, VariableHealth
from bjp_engine.preparation import BinNumbers, DropVariables, MergeRare, TidyText

# A column with this share missing says little; with the larger one, nothing.
MOSTLY, NEARLY_ALL = 0.5, 0.95
# States that fewer than this share of the rows hold are merged where there are many.
_SHARE = 0.02
_FEWEST_BINS, _MOST_BINS = 2, 5
# In a column with no more values, numbers among text are no sign of a mistake.
_FEW_NUMBERS = 5


def usual_bins(rows: int, needed: int) -> int:
    """How many bins numbers are cut into."""
    fitting = [b for b in range(_FEWEST_BINS, _MOST_BINS + 1) if rows >= needed * b**3]
    return max(fitting, default=_FEWEST_BINS)


def findings(known: Known) -> tuple[Finding, ...]:
    """Everything worth saying of a table but its missing cells and its number of rows."""
    return tuple(
        finding
        for part in (_useless, _crowded, repeated, _spelt, _rare, _holes)
        for finding in part(known)
    )


def dropped(found: Iterable[Finding]) -> set[Name]:
    """The variables that the advised steps leave out."""
    return {
        name
        for finding in found
        if finding.advised
        for step in finding.steps
        if isinstance(step, DropVariables)
        for name in step.columns
    }


def _out(kind: str, severity: str, names: Sequence[Name], sentence: str) -> Iterator[Finding]:
    """Columns that had better be left out, if there are any."""
    if names:
        columns = tuple(names)
        steps = (DropVariables(columns),)
        figures = FrozenMapping({"columns": len(columns)})
        yield Finding(kind, severity, columns, figures, sentence, steps, "Leave out", advised=True)


def _useless(known: Known) -> Iterator[Finding]:
    """Columns that say nothing of the others."""
    names = [one.name for one in known.variables if one.kind == "empty"]
    yield from _out("empty", "serious", names, f"No value at all in {columns_text(names)}.")
    names = [one.name for one in known.variables if one.states == 1]
    yield from _out(
        "constant",
        "warning",
        names,
        f"Only one value occurs in {columns_text(names)}; what never varies says nothing about "
        "the others.",
    )
    names = [one.name for one in known.of("identifier")]
    yield from _out(
        "identifier",
        "serious",
        names,
        f"A different value in every row: {columns_text(names)}. An identifier says nothing that "
        "another row could confirm.",
    )
    names = [one.name for one in known.of("text")]
    yield from _out(
        "text",
        "serious",
        names,
        f"Free text in {columns_text(names)}: more than {MANY_STATES} different values, and fewer "
        "than ten rows to each.",
    )
    names = [one.name for one in known.of("date")]
    yield from _out(
        "date",
        "warning",
        names,
        f"Dates in {columns_text(names)}: nearly every row has its own, and their order is lost "
        "among states.",
    )


def _crowded(known: Known) -> Iterator[Finding]:
    """Variables with too many states for the rows."""
    numbers = [
        one
        for one in known.of("measurement", "whole number")
        if one.kind == "measurement" or _is_crowded(one, known)
    ]
    if numbers:
        bins = usual_bins(known.rows, known.needed)
        names = tuple(one.name for one in numbers)
        most = max(one.states for one in numbers)
        yield Finding(
            "numbers",
            "serious",
            names,
            FrozenMapping({"columns": len(names), "states": most, "bins": bins}),
            f"Up to {most:,} different numbers in {columns_text(names)}; as states, nearly every "
            "configuration would be empty.",
            (BinNumbers(names, "quantile", bins),),
            f"Cut into {bins} bins",
            advised=True,
        )
    texts = [one for one in known.of("category") if one.states > 3 and _is_crowded(one, known)]
    if texts:
        names = tuple(one.name for one in texts)
        most = max(one.states for one in texts)
        yield Finding(
            "many_states",
            "warning",
            names,
            FrozenMapping({"columns": len(names), "states": most, "share": _SHARE}),
            f"Up to {most:,} states in {columns_text(names)}: with two such neighbours a "
            f"configuration has fewer than {known.needed} rows on average.",
            (MergeRare(names, share=_SHARE),),
            "Merge states below 2 %",
            advised=most > MANY_STATES,
        )


def _is_crowded(one: VariableHealth, known: Known) -> bool:
    """Whether two neighbours like it leave a configuration too few rows."""
    return known.rows < known.needed * one.states**2


def _spelt(known: Known) -> Iterator[Finding]:
    """Values that differ only in capitals or spaces, and numbers that are not read as such."""
    several = [one for one in known.variables if one.spellings]
    if several:
        names = tuple(one.name for one in several)
        extra = sum(one.spellings for one in several)
        usual, odd = several[0].example
        yield Finding(
            "spelling",
            "warning",
            names,
            FrozenMapping({"columns": len(names), "values": extra}),
            f"Values that differ only in capital letters or spaces in {columns_text(names)}, such "
            f"as {_exactly(usual)} and {_exactly(odd)}; they count as different states.",
            (TidyText(names),),
            "Write alike",
            advised=True,
        )
    for one in known.variables:
        if one.states > _FEW_NUMBERS and one.numbers >= MOSTLY * one.states and one.kind != "date":
            yield Finding(
                "numbers_as_text",
                "warning",
                (one.name,),
                FrozenMapping({"values": one.numbers, "states": one.states}),
                f"Column {clip(one.name, 30)} is text, though about {one.numbers:,} of its "
                f"{one.states:,} values look like numbers; look at the others, and at the sign for "
                "decimals, where the file is read.",
            )


def _rare(known: Known) -> Iterator[Finding]:
    """States that hardly occur."""
    few = [one for one in known.of("category") if one.rare and one.states > 2]
    # Where every state is rare, one would be left.
    merged = tuple(one.name for one in few if 1 < one.rare < one.states)
    if few:
        names = tuple(one.name for one in few)
        states = sum(one.rare for one in few)
        yield Finding(
            "rare",
            "note",
            names,
            FrozenMapping({"columns": len(names), "states": states, "below": known.needed}),
            f"{states:,} state{'s have' if states > 1 else ' has'} fewer than {known.needed} rows "
            f"in {columns_text(names)}: too few for a slice to tell anything.",
            (MergeRare(merged, below=known.needed),) if merged else (),
            "Merge rare states" if merged else "",
            advised=bool(merged) and any(one.rare > 2 and one.name in merged for one in few),
        )


def _holes(known: Known) -> Iterator[Finding]:
    """Columns of which most is missing."""
    for least, most, advised in ((NEARLY_ALL, 1.0, True), (MOSTLY, NEARLY_ALL, False)):
        names = tuple(
            one.name for one in known.variables if least <= one.missing / known.rows < most
        )
        if names:
            yield Finding(
                "mostly_missing",
                "warning",
                names,
                FrozenMapping({"columns": len(names), "share": least}),
                f"{percent(least)} or more of the cells are missing in {columns_text(names)}.",
                (DropVariables(names),),
                "Leave out",
                advised=advised,
            )


def _exactly(text: str) -> str:
    """A value with its spaces, as a sentence may show it."""
    shown = "".join(c if c.isprintable() else "·" for c in text)
    return f'"{shown[:30]}"'
