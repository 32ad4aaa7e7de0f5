"""The climb beside the one that is watched: by another score, another search, or the paper's."""

from __future__ import annotations

from typing import Any

import streamlit as st

from bjp_engine.scores import SCORES
from bjp_engine.search import PUBLISHED
from bjp_explorer.climb import options, words
from bjp_explorer.climb.options import BESIDE, Choice
from bjp_explorer.shell.sources import Loaded

KIND, SCORE, BY = "climb-beside", "beside-score", "beside-by"
KINDS = {
    "none": "none",
    "score": "another score",
    "search": "another search",
    "paper": "the paper’s search",
}
TIMELINES = {"flips": "flips", "tests": "tests made"}


def other_scores(method: str) -> list[str]:
    """The scores that can stand beside one."""
    return [name for name in SCORES if name != method]


def ask(place: Any) -> str:
    """What to show beside the climb, one of `KINDS`."""
    chosen: str = place.selectbox(
        "Compare with",
        list(KINDS),
        format_func=lambda name: f"Compare with: {KINDS[name]}",
        key=KIND,
        persist_state="session",
        width=230,
        label_visibility="collapsed",
    )
    return chosen


def choose(kind: str, loaded: Loaded, first: Choice) -> Choice | None:
    """The second climb, with its widgets where it has some."""
    st.session_state.setdefault(BY, "flips")
    if kind == "none":
        return None
    outer = st.container(horizontal=True, gap="small", vertical_alignment="bottom")
    place = outer.container(horizontal=True, gap="small", vertical_alignment="top", width="content")
    second = _second(kind, place, outer, loaded, first)
    outer.segmented_control(
        "Synchronise by",
        list(TIMELINES),
        format_func=TIMELINES.__getitem__,
        required=True,
        key=BY,
        persist_state="session",
        help="Each step of the player advances both climbs by one flip, or by the same number of "
        "tests (for MPL: local scores).",
    )
    return second


def _second(kind: str, place: Any, outer: Any, loaded: Loaded, first: Choice) -> Choice:
    """The second climb, with what can be chosen of it."""
    if kind == "paper":
        return Choice(first.method, PUBLISHED[first.method], {})
    if kind == "search":
        return options.choose(place, outer, loaded, first.method, BESIDE)
    others = other_scores(first.method)
    if st.session_state.get(SCORE) not in others:
        st.session_state[SCORE] = others[0]
    method = place.segmented_control(
        "Score to compare with",
        others,
        format_func=lambda name: SCORES[name].title,
        required=True,
        key=SCORE,
        persist_state="session",
    )
    return by_other_score(first, method)


def by_other_score(first: Choice, method: str) -> Choice:
    """The same search by another score; the paper's where it doesn't serve that."""
    if first.paper or first.search not in options.climbing(method):
        return Choice(method, PUBLISHED[method], {})
    return Choice(method, first.search, first.options)


def title(choice: Choice) -> str:
    """What to call a climb: its score and its search."""
    return f"{SCORES[choice.method].title} by {words.title(choice.method, choice.search)}"
