"""What can be chosen on *All graphs*: the variables, the ranking, the axes and the graph shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import comb
from typing import Any

import streamlit as st

from bjp_engine.dataset import Name
from bjp_engine.errors import OptionError
from bjp_explorer.graphs.figures import AXES, axis_title
from bjp_explorer.shell.choices import Field, Number, OneOf, choice_of_score
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import plain

# The engine scores all graphs on seven variables too, but two million graphs take too long.
MOST_VARIABLES = 6
SCORE = choice_of_score("graphs-score")
ACROSS, UP = (
    OneOf(name, key, default, {axis: axis_title(axis) for axis in AXES})
    for name, key, default in (("across", "graphs-x", AXES[2]), ("up", "graphs-y", AXES[0]))
)


def rank_choice(digest: str, method: str, graphs: int) -> Number:
    """The rank of the graph that is shown, on some variables by a score."""
    return Number("rank", f"graphs-place-{digest[:12]}-{method}", 1, 1, graphs)


def fields(loaded: Loaded, usual: Sequence[Name] | None = None) -> Iterator[Field]:
    """The page's choices; `usual` are the variables at first, where there are too many for all."""
    data = loaded.data
    names = list(data.names)
    if data.n > MOST_VARIABLES:
        yield Variables.of(loaded, usual)
        names = list(st.session_state.get(Variables.of(loaded).key) or usual or ())
    yield SCORE
    yield ACROSS
    yield UP
    if 1 < len(names) <= MOST_VARIABLES:
        part = data if len(names) == data.n else data.select(sorted(names, key=data.index))
        yield rank_choice(part.digest, SCORE.get(), 2 ** comb(len(names), 2))


@dataclass(frozen=True)
class Variables(Field):
    """Some of the variables; in the URL their columns, "0.4.17", and nothing for those at first."""

    names: Sequence[Name] = field(kw_only=True)
    usual: Sequence[Name] | None = field(kw_only=True)

    @classmethod
    def of(cls, loaded: Loaded, usual: Sequence[Name] | None = None) -> Variables:
        """The choice for one dataset."""
        key = f"graphs-variables-{loaded.data.digest[:12]}"
        return cls("variables", key, names=loaded.data.names, usual=usual)

    def get(self) -> Sequence[Name] | None:
        chosen: Sequence[Name] | None = super().get()
        return None if chosen is None or set(chosen) == set(self.usual or ()) else chosen

    def put(self, value: Sequence[Name] | None) -> None:
        if value is None:
            st.session_state.pop(self.key, None)
        else:
            super().put(value)

    def read(self, text: str) -> list[Name]:
        parts = text.split(".")
        if all(part.isascii() and part.isdecimal() and len(part) < 7 for part in parts):
            places = sorted({int(part) for part in parts})
            if len(places) <= MOST_VARIABLES and places[-1] < len(self.names):
                return [self.names[i] for i in places]
        raise OptionError(
            f"must be at most {MOST_VARIABLES} columns from 0 to {len(self.names) - 1}, "
            "such as 0.1.2"
        )

    def write(self, value: Any) -> str:
        return ".".join(str(i) for i, name in enumerate(self.names) if name in set(value))

    def menu(self, place: Any) -> list[Name]:
        """A list that unfolds."""
        st.session_state.setdefault(self.key, list(self.usual or ()))
        chosen: list[Name] = place.multiselect(
            f"At most {MOST_VARIABLES} of the {len(self.names)} variables",
            self.names,
            format_func=plain,
            max_selections=MOST_VARIABLES,
            select_all=False,
            key=self.key,
            persist_state="session",
        )
        return chosen
