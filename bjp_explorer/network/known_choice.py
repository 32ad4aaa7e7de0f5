"""What is known of pairs on *Your network*: as a choice in the URL, in the drawing and in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from bjp_engine import Dataset
from bjp_engine.confidence import EdgeConfidence
from bjp_engine.dataset import Name
from bjp_engine.errors import OptionError
from bjp_engine.scores import KnownEdges
from bjp_engine.scores.known import FORBIDDEN, REQUIRED, What
from bjp_explorer.shell import origins
from bjp_explorer.shell.choices import Field, real
from bjp_explorer.shell.sources import PART, Loaded
from bjp_explorer.views.edges import Line, line_of, pair_name

LEGEND = {REQUIRED: "required", FORBIDDEN: "forbidden"}
# Forbidden pairs drawn and in the table, and letters in the URL.
MOST_DRAWN, MOST_LETTERS = 20, 1500
# Letters of a probability there; only one below 1e-20 may have more.
_LETTERS = 40

# A line of the list: a pair, or a group that may not touch.
Kind = Literal["required", "forbidden", "likely", "apart"]
Entry = tuple[Kind, Any]


@dataclass(frozen=True)
class Known(Field):
    """What is known of pairs; in the URL by the places of columns: "0.5=1,1.2=0,0.3=0.25".

    More than two places are a group that may not touch: "1.2.4=0".
    """

    # The variables.
    names: tuple[Name, ...] = ()

    def get(self) -> KnownEdges:
        """What was entered of the variables that are there."""
        known: KnownEdges = super().get()
        there = set(self.names)
        groups = [tuple(name for name in one if name in there) for one, _ in known.apart]
        return KnownEdges(
            [pair for pair in known.required if there.issuperset(pair)],
            [pair for pair in known.forbidden if there.issuperset(pair)],
            [(x, y, p) for x, y, p in known.likely if x in there and y in there],
            [(group, group) for group in groups if len(group) > 1],
        )

    def read(self, text: str) -> KnownEdges:
        found: dict[str, list[Any]] = {kind: [] for kind in ("required", "forbidden", "likely")}
        groups = []
        try:
            for part in text.split(","):
                places, equals, value = part.partition("=")
                members = tuple(self.names[int(k)] for k in places.split(".") if k.isdecimal())
                if not equals or len(members) != places.count(".") + 1:
                    raise ValueError
                number = real(value, 0, 1, _LETTERS)
                if len(members) > 2 and number == 0:
                    groups.append((members, members))
                elif 0 < number < 1:
                    found["likely"].append((*members, number))
                else:
                    found[REQUIRED if number else FORBIDDEN].append(members)
            return KnownEdges(**found, apart=groups)
        except (ValueError, IndexError, OptionError):
            raise OptionError(
                "must be pairs of variables by their places, like 0.5=1 or 1.2=0"
            ) from None

    def write(self, value: Any) -> str:
        places = {name: str(k) for k, name in enumerate(self.names)}
        numbers = {"required": "1", "forbidden": "0", "apart": "0"}
        parts = []
        for kind, members in listed(value):
            numbers["likely"] = decimals(members[-1]) if kind == "likely" else ""
            of = members[:2] if kind == "likely" else members
            parts.append(f"{'.'.join(places[name] for name in of)}={numbers[kind]}")
        text = ",".join(parts)
        short = all(len(part.partition("=")[2]) <= _LETTERS for part in parts)
        return text if short and len(text) <= MOST_LETTERS else ""


def choice_of(loaded: Loaded) -> Known:
    """The choice of what is known of pairs; it outlasts a choice among the variables."""
    key = f"network-known {loaded.token.partition(PART)[0]}"
    return Known("known", key, KnownEdges(), loaded.data.names)


def options_of(known: KnownEdges) -> dict[str, Any]:
    """The option of a search; none where nothing is known."""
    return {} if known.empty else {"known": known}


def decimals(probability: float) -> str:
    """A probability to its last digit, without an exponent."""
    return np.format_float_positional(probability, trim="-")


def listed(known: KnownEdges) -> Iterator[Entry]:
    """What was entered, one after another."""
    yield from (("required", pair) for pair in known.required)
    yield from (("forbidden", pair) for pair in known.forbidden)
    yield from (("likely", row) for row in known.likely)
    yield from (("apart", one) for one, _ in known.apart)


def entries(known: KnownEdges | None, data: Dataset) -> dict[tuple[int, int], What]:
    """What is known of each pair of columns i < j."""
    found: dict[tuple[int, int], What] = {}
    for x, y, what in () if known is None else known.rows():
        i, j = sorted((data.index(x), data.index(y)))
        found[i, j] = what
    return found


def describe_entry(what: What) -> str:
    """What is known of a pair, in the table and beside the drawing."""
    if isinstance(what, float):
        return f"you gave it the prior probability {decimals(what)}"
    return f"you {'required' if what == REQUIRED else 'forbade'} this edge"


def describe(known: KnownEdges) -> str:
    """What the searches did with it, in a sentence; empty where nothing is known."""
    about = origins.describe_known(known)
    if not about:
        return ""
    return (
        f"What you entered ({about}) held from the start: required and forbidden pairs were never "
        "flipped, and their probabilities are 1 and 0."
    )


# --- In the drawing and the table ------------------------------------------------------------


def mark(drawn: list[list[Any]], known: KnownEdges, data: Dataset) -> set[str]:
    """Mark required edges of a drawing and add forbidden pairs; the tones that occur."""
    found, tones = entries(known, data), set[str]()
    for edge in drawn:
        if found.get((edge[0], edge[1])) == REQUIRED:
            edge[2] += f" {REQUIRED}"
            edge[4] += f" · {describe_entry(REQUIRED)}"
            tones.add(REQUIRED)
    forbidden = [pair for pair, what in found.items() if what == FORBIDDEN]
    if len(forbidden) <= MOST_DRAWN:
        for i, j in forbidden:
            text = f"{pair_name((i, j), data)}: {describe_entry(FORBIDDEN)}"
            drawn.append([i, j, FORBIDDEN, None, text])
        tones |= {FORBIDDEN} if forbidden else set()
    return tones


def without_forbidden(found: Sequence[Line], known: KnownEdges, data: Dataset) -> list[Line]:
    """The pairs that no one forbade: of the others the search left out none."""
    of = entries(known, data)
    return [line for line in found if of.get((line.i, line.j)) != FORBIDDEN]


def forbidden_lines(
    known: KnownEdges, data: Dataset, graph: Any, sure: EdgeConfidence, tests: EdgeConfidence
) -> list[Line]:
    """The forbidden pairs as lines of the table, if they are few."""
    found = [pair for pair, what in entries(known, data).items() if what == FORBIDDEN]
    if len(found) > MOST_DRAWN:
        return []
    return [line_of(data, graph, sure, tests, pair, False) for pair in sorted(found)]
