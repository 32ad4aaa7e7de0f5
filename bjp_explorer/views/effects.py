"""Effects of edges as pages and files show them: sign, width, the states they join, and words."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass

import numpy as np
import pandas as pd

from bjp_engine import Dataset
from bjp_engine.parameters.effects import (
    LOG_ODDS_RATIO,
    PER_STEP,
    STRENGTH,
    UNKNOWN,
    effect_rows,
)
from bjp_explorer.shell.text import in_state, number, plain

Effects = Mapping[tuple[int, int], "Effect"]

LEVEL = 0.95
POSITIVE, NEGATIVE, UNSIGNED = "positive", "negative", "unsigned"
LEGEND = {
    POSITIVE: "positive: later states go together",
    NEGATIVE: "negative: a later state goes with an earlier one",
    UNSIGNED: "no sign: unordered states, or not clear",
}
# What each kind of effect is, as a sentence.
MEANINGS = {
    LOG_ODDS_RATIO: (
        "Between two variables of two states each the effect is the log odds ratio (natural log) "
        "given all other variables."
    ),
    PER_STEP: (
        "Between ordered variables it is the log odds ratio for one step of each, a weighted mean "
        "over adjacent states."
    ),
    STRENGTH: (
        "Where a variable has more than two states without an order, it is a strength, the root "
        "mean square of the log odds ratios of all pairs of states, and has no sign."
    ),
}
SIGNS = (
    "A positive effect joins the later states of both variables, in the order in which the states "
    "are listed."
)
INTERVAL = f"The {100 * LEVEL:g} % interval takes the graph as given."
# Where only some rows show an effect.
AMONG = (
    "Estimated from the rows with {among}; in the others one of the two variables has a single "
    "state."
)
# A standard deviation of the log odds ratio that is worth a sentence.
_LEAST_SPREAD = 0.3
# The width of the faintest line, as a share of the widest.
_FAINTEST = 0.25


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of an edge: a row of `FittedNetwork.effects`."""

    effect: float
    low: float
    high: float
    kind: str
    spread: float = 0.0
    among: str = ""
    # What it joins, in the order of the pair, in a cell each: "yes", or "higher" of ordered
    # states. None without a sign: where the interval holds 0, or where no row has both.
    joined: tuple[str, ...] = ()
    # The same in words: "smoke = yes goes with work = no".
    joins: str = ""

    @property
    def varies(self) -> bool:
        """Whether it differs so much between rows that one number does not describe it."""
        return self.spread > max(abs(self.effect) / 2, _LEAST_SPREAD)

    @property
    def sign(self) -> str:
        """The tone of its line: "positive", "negative" or "unsigned"."""
        if not self.joined:
            return UNSIGNED
        return POSITIVE if self.effect >= 0 else NEGATIVE

    @property
    def interval(self) -> str:
        """Both ends as text."""
        return f"[{number(self.low, 2)}, {number(self.high, 2)}]"

    @property
    def text(self) -> str:
        """Kind, effect and interval: "log odds ratio −0.81 [−1.02, −0.60]"."""
        return f"{self.kind} {number(self.effect, 2)} {self.interval}"


def effects_of(table: pd.DataFrame | None, data: Dataset) -> Effects:
    """The effects by pairs of columns, of edges that some rows show; none without a table."""
    rows = [] if table is None else effect_rows(table)
    made, used = {}, data.drop_unused_states() if rows else data
    for row in rows:
        if row["doubt"] != UNKNOWN:
            pair = data.index(row["x"]), data.index(row["y"])
            numbers = row["effect"], row["low"], row["high"], row["kind"]
            joined = _join(pair, *numbers, used)
            made[pair] = Effect(*numbers, row["spread"], row["among"], *joined)
    return made


def _join(
    pair: tuple[int, int], effect: float, low: float, high: float, kind: str, data: Dataset
) -> tuple[tuple[str, ...], str]:
    """What a clear effect with a sign joins, in cells and in words, if some row has both."""
    if kind == STRENGTH or low <= 0 <= high:
        return (), ""
    last = [len(data.labels[k]) - 1 for k in pair]
    ends = last[0], last[1] if effect >= 0 else 0
    if not np.any((data.codes[:, pair[0]] == ends[0]) & (data.codes[:, pair[1]] == ends[1])):
        return (), ""
    cells, words = [], []
    for k, most, end in zip(pair, last, ends, strict=True):
        name = plain(data.names[k], 28)
        steps = most > 1
        cells.append(("higher" if end else "lower") if steps else plain(data.labels[k][end], 28))
        words.append(
            f"{cells[-1]} {name}" if steps else in_state(data.names[k], data.labels[k][end])
        )
    return tuple(cells), " goes with ".join(words)


def widths(effects: Effects) -> dict[tuple[int, int], float]:
    """How wide each line is: a quarter at 0, rising with |effect| to 1 at the largest of its kind.

    Kinds are different measures, so a scale for all would compare what can't be compared.
    """
    most = {kind: sizes[-1] or 1.0 for kind, sizes in _sizes(effects).items()}
    return {
        pair: round(_FAINTEST + (1 - _FAINTEST) * abs(each.effect) / most[each.kind], 4)
        for pair, each in effects.items()
    }


def _sizes(effects: Effects) -> dict[str, list[float]]:
    """|effect| of every edge by kind, each in ascending order."""
    found = {
        kind: sorted(abs(x.effect) for x in effects.values() if x.kind == kind) for kind in MEANINGS
    }
    return {kind: sizes for kind, sizes in found.items() if sizes}


def kinds_of(effects: Effects) -> list[str]:
    """The kinds of several measures; none where all effects are of one."""
    kinds = list(_sizes(effects))
    return kinds if len(kinds) > 1 else []


def describe_width(effects: Effects, drawn: Container[tuple[int, int]]) -> str:
    """The range of effects that the widths of the drawn pairs show, one for each kind."""
    ranges = {
        kind: " to ".join(dict.fromkeys(number(size, 2) for size in (sizes[0], sizes[-1])))
        for kind, sizes in _sizes({k: v for k, v in effects.items() if k in drawn}).items()
    }
    if len(ranges) == 1:
        return f"|effect| {''.join(ranges.values())}"
    told = ", ".join(f"{kind} {span}" for kind, span in ranges.items())
    return f"|effect|, each measure on its own scale ({told})" if told else ""


def define(effects: Effects, table: pd.DataFrame | None = None) -> str:
    """What the effects of a drawing or a table are, and how they were estimated, in sentences."""
    kinds = {each.kind for each in effects.values()}
    parts = [text for kind, text in MEANINGS.items() if kind in kinds]
    if kinds - {STRENGTH}:
        parts.append(SIGNS)
    interval = INTERVAL
    if table is not None and "tables" in table.attrs:
        interval = (
            f"Effects are pooled over {table.attrs['tables']} completed tables by Rubin’s rules. "
            "The interval has the variance within tables and between them. It takes the graph as "
            "given."
        )
    # The first sentence names the subject that the others refer to.
    return " ".join([*_with_subject(parts), interval]) if kinds else ""


def _with_subject(parts: Iterable[str]) -> list[str]:
    """Sentences of which the first one speaks of "the effect"."""
    found = list(parts)
    return [found[0].replace(" it is ", " the effect is ", 1), *found[1:]]
