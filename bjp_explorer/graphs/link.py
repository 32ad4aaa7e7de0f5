"""What *All graphs* keeps in its URL: the variables, the ranking, the axes and the graph shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from math import comb

import streamlit as st

from bjp_engine.dataset import Name
from bjp_engine.errors import OptionError
from bjp_engine.scores import SCORES
from bjp_explorer.shell import links
from bjp_explorer.shell.links import Field
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.views import figures

# The engine scores all graphs on seven variables too, but two million points are no picture.
MOST_VARIABLES = 6
SHOWN = {"All": None, "Best 2,000": 2000, "Best 200": 200}
_AMOUNTS = {"All": "all", "Best 2,000": "2000", "Best 200": "200"}
SCORE, ACROSS, UP, AMOUNT = "graphs-score", "graphs-x", "graphs-y", "graphs-shown"


def variables_key(loaded: Loaded) -> str:
    """The key of the choice of variables."""
    return f"graphs-variables-{loaded.data.digest[:12]}"


def place_key(digest: str, method: str) -> str:
    """The key of the rank of the graph that is shown."""
    return f"graphs-place-{digest[:12]}-{method}"


def begin() -> None:
    """Give the page's choices their values, where they have none yet."""
    usual = {SCORE: "bjp", ACROSS: figures.AXES[2], UP: figures.AXES[0], AMOUNT: "All"}
    for key, value in usual.items():
        st.session_state.setdefault(key, value)


def fields(loaded: Loaded, usual: Sequence[Name] | None = None) -> Iterator[Field]:
    """The page's choices."""
    data = loaded.data
    names = list(data.names)
    if data.n > MOST_VARIABLES:
        get, put = links.kept(variables_key(loaded), None)
        yield Field(
            "variables",
            partial(_read, data.names),
            lambda chosen: ".".join(str(i) for i in sorted(map(data.index, chosen))),
            lambda: None if (chosen := get()) is None or _same(chosen, usual) else chosen,
            lambda chosen: (
                st.session_state.pop(variables_key(loaded), None) if chosen is None else put(chosen)
            ),
        )
        names = list(st.session_state.get(variables_key(loaded)) or usual or ())
    yield links.choice("score", SCORE, SCORES, "bjp")
    axes = figures.AXES
    yield links.choice("across", ACROSS, axes, axes[2])
    yield links.choice("up", UP, axes, axes[0])
    yield links.choice("shown", AMOUNT, SHOWN, "All", _AMOUNTS)
    if 1 < len(names) <= MOST_VARIABLES:
        part = data if len(names) == data.n else data.select(sorted(names, key=data.index))
        most = 2 ** comb(len(names), 2)
        method = st.session_state.get(SCORE, "bjp")
        yield links.whole("rank", place_key(part.digest, method), 1, most, 1)


def _same(chosen: Sequence[Name], usual: Sequence[Name] | None) -> bool:
    """Whether variables are those at first."""
    return usual is not None and set(chosen) == set(usual)


def _read(names: Sequence[Name], text: str) -> list[Name]:
    """The variables that a link names by their columns: "0.4.17"."""
    parts = text.split(".")
    if all(part.isascii() and part.isdecimal() and len(part) < 7 for part in parts):
        places = sorted({int(part) for part in parts})
        if len(places) <= MOST_VARIABLES and places[-1] < len(names):
            return [names[i] for i in places]
    raise OptionError(
        f"must be at most {MOST_VARIABLES} columns from 0 to {len(names) - 1}, such as 0.1.2"
    )
