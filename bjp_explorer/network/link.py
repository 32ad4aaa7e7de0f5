"""What *Your network* keeps in its URL: the search, the kind of confidence and what is hidden."""

from __future__ import annotations

from collections.abc import Iterator

import streamlit as st

from bjp_engine.search.exhaustive import MOST_VARIABLES
from bjp_explorer.network.confidence import (
    BUDGET,
    BUDGETS,
    KINDS,
    MOST_RESAMPLES,
    MOST_SEED,
    RESAMPLES,
)
from bjp_explorer.shell import links
from bjp_explorer.shell.links import Field
from bjp_explorer.shell.sources import Loaded

SEARCH, KIND, THRESHOLD = "network-search", "network-kind", "network-threshold"
_USUAL = {SEARCH: "auto", KIND: "test", THRESHOLD: 0.0}


def begin() -> None:
    """Give the page's choices their values, where they have none yet."""
    for key, value in _USUAL.items():
        st.session_state.setdefault(key, value)


def fields(loaded: Loaded) -> Iterator[Field]:
    """The page's choices."""
    yield links.choice("search", SEARCH, ("auto", "ibmap-hc"), "auto")
    yield links.choice("confidence", KIND, KINDS, "test")
    yield links.real("threshold", THRESHOLD, 0.0, 1.0, 0.0)
    kind = st.session_state.get(KIND, "test")
    if kind == "test" or (kind == "graphs" and loaded.data.n <= MOST_VARIABLES):
        return
    if kind == "bootstrap":
        yield links.whole("resamples", "network-resamples", 1, MOST_RESAMPLES, RESAMPLES)
    else:
        yield links.choice("seconds", "network-seconds", BUDGETS, BUDGET)
    yield links.whole("seed", f"network-{kind}-seed", 0, MOST_SEED, 0)
