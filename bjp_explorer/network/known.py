"""What is known of pairs: required and forbidden edges, in an editable table and in the URL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import pandas as pd
import streamlit as st

from bjp_engine import Dataset
from bjp_engine.dataset import Name
from bjp_engine.errors import OptionError
from bjp_engine.scores import KnownEdges
from bjp_engine.scores.prior import FORBIDDEN, REQUIRED
from bjp_explorer.shell.choices import Field
from bjp_explorer.shell.sources import PART, Loaded
from bjp_explorer.shell.text import prose, tell_apart
from bjp_explorer.views.payloads import pair_name

Pair = tuple[int, int]
LEGEND = {REQUIRED: "required", FORBIDDEN: "forbidden"}
WHAT = {REQUIRED: "must be an edge", FORBIDDEN: "can’t be an edge"}
# Forbidden pairs that are drawn, letters in the URL, and pairs that a link may name.
MOST_DRAWN, MOST_LETTERS, _MOST_PAIRS = 20, 1500, 5000
_TABLE = "network-known-table"


@dataclass(frozen=True)
class Known(Field):
    """What is known of pairs; in the URL by the places of columns: "0.5=1,1.2=0".

    More than two places are a group of which no two may be neighbours: "1.2.4=0". Older links name
    probabilities, too, which are left out.
    """

    # The variables.
    names: tuple[Name, ...] = ()

    def get(self) -> KnownEdges:
        """What was entered of the variables that are there."""
        known: KnownEdges = super().get()
        there = set(self.names)
        return KnownEdges(
            [pair for pair in known.required if there.issuperset(pair)],
            [pair for pair in known.forbidden if there.issuperset(pair)],
        )

    def read(self, text: str) -> KnownEdges:
        found: dict[float, list[Any]] = {1: [], 0: []}
        try:
            for part in text.split(","):
                places, equals, value = part.partition("=")
                members = [self.names[int(k)] for k in places.split(".") if k.isdecimal()]
                if not equals or not 1 < len(members) == places.count(".") + 1 < 100:
                    raise ValueError
                if not 0 <= float(value) <= 1:
                    raise ValueError
                found.setdefault(float(value), []).extend(combinations(members, 2))
                if sum(map(len, found.values())) > _MOST_PAIRS:
                    raise ValueError
            return KnownEdges([*dict.fromkeys(found[1])], [*dict.fromkeys(found[0])])
        except (ValueError, IndexError, OptionError):
            raise OptionError(
                "must be pairs of variables by their places, like 0.5=1 or 1.2=0"
            ) from None

    def write(self, value: Any) -> str:
        places = {name: str(k) for k, name in enumerate(self.names)}
        text = ",".join(
            f"{places[x]}.{places[y]}={int(what == REQUIRED)}" for x, y, what in value.rows()
        )
        return text if len(text) <= MOST_LETTERS else ""


def choice_of(loaded: Loaded) -> Known:
    """The choice of what is known of pairs; it outlasts a choice among the variables."""
    key = f"network-known {loaded.token.partition(PART)[0]}"
    return Known("known", key, KnownEdges(), loaded.data.names)


def edit(loaded: Loaded, place: Any) -> KnownEdges:
    """The button that unfolds to a table of what is known, and what that is."""
    choice = choice_of(loaded)
    part = place.popover(
        "What is known", icon=":material/rule:", key="network-known", on_change="rerun"
    )
    if not part.open:
        st.session_state.pop(_TABLE, None)
        return choice.get()
    names = loaded.data.names
    labels = dict(zip(names, tell_apart(names, 28), strict=True))
    # Streamlit keeps edits as changes of the table that it was first given.
    if st.session_state.get(_TABLE, ("",))[0] != choice.key:
        st.session_state[_TABLE] = choice.key, to_table(choice.get(), labels)
    column = st.column_config
    with part:
        st.caption(
            "The network has each required edge and no forbidden one. Add a line for each pair."
        )
        table = st.data_editor(
            st.session_state[_TABLE][1],
            num_rows="dynamic",
            hide_index=True,
            width=460,
            key=f"network-known-pairs {choice.key}",
            column_config={
                "x": column.SelectboxColumn("variable", options=[*labels.values()]),
                "y": column.SelectboxColumn("other variable", options=[*labels.values()]),
                "what": column.SelectboxColumn("known", options=[*WHAT.values()]),
            },
        )
        try:
            choice.put(from_table(table, labels))
        except OptionError as why:
            st.error(prose(str(why)), icon=":material/error:")
        if not choice.get().empty and not choice.write(choice.get()):
            st.caption("These pairs are too many for a link; the script holds them.")
    return choice.get()


def to_table(known: KnownEdges, labels: Mapping[Name, str]) -> pd.DataFrame:
    """The pairs as a table of texts."""
    rows = [(labels[x], labels[y], WHAT[str(what)]) for x, y, what in known.rows()]
    return pd.DataFrame(rows, columns=["x", "y", "what"], dtype="str")


def from_table(table: pd.DataFrame, labels: Mapping[Name, str]) -> KnownEdges:
    """The pairs of a table; lines that lack a cell are not finished yet."""
    names = {label: name for name, label in labels.items()}
    kinds = {text: what for what, text in WHAT.items()}
    rows = table.dropna()[["x", "y", "what"]].to_numpy().tolist()
    return KnownEdges(likely=[(names[x], names[y], kinds[what]) for x, y, what in rows])


def entries(known: KnownEdges | None, data: Dataset) -> dict[Pair, str]:
    """What is known of each pair of columns i < j."""
    found: dict[Pair, str] = {}
    for x, y, what in () if known is None else known.rows():
        i, j = sorted((data.index(x), data.index(y)))
        found[i, j] = str(what)
    return found


def mark(drawn: list[list[Any]], known: KnownEdges, data: Dataset) -> set[str]:
    """Mark required edges of a drawing and add forbidden pairs; the tones that occur."""
    found = entries(known, data)
    for edge in drawn:
        if found.get((edge[0], edge[1])) == REQUIRED:
            edge[2] += f" {REQUIRED}"
            edge[4] += " · you required this edge"
    forbidden = [pair for pair, what in found.items() if what == FORBIDDEN]
    if len(forbidden) <= MOST_DRAWN:
        drawn += [
            [i, j, FORBIDDEN, None, f"{pair_name((i, j), data)}: you forbade this edge"]
            for i, j in forbidden
        ]
    return {what for what in LEGEND if any(what in edge[2] for edge in drawn)}
