"""What *Watch the climb* keeps in its URL: score, searches with their options, and the step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import streamlit as st

from bjp_engine.errors import OptionError
from bjp_engine.scores import SCORES
from bjp_explorer.climb import beside, options, visit
from bjp_explorer.climb.options import BESIDE, MAIN, SCORE
from bjp_explorer.shell import links
from bjp_explorer.shell.links import Field
from bjp_explorer.shell.sources import Loaded

_MOST_STEPS = 10**6
_MOST_NUMBER = 10**9


def fields(loaded: Loaded, step: int = 0) -> Iterator[Field]:
    """The page's choices; later ones depend on earlier ones."""
    memory = st.session_state
    yield links.choice("score", SCORE, SCORES, "bjp")
    method = memory.get(SCORE, "bjp")
    yield from _searching(loaded, method, MAIN)
    yield links.choice("beside", beside.KIND, beside.KINDS, "none")
    kind = memory.get(beside.KIND, "none")
    if kind == "score":
        others = beside.other_scores(method)
        yield links.choice("beside-score", beside.SCORE, others, others[0])
    if kind == "search":
        yield from _searching(loaded, method, BESIDE)
    if kind != "none":
        yield links.choice("by", beside.BY, beside.TIMELINES, "flips")
    place = links.whole("step", visit.ASKED, 0, _MOST_STEPS, 0)
    yield Field("step", place.read, place.write, lambda: step, place.put, 0)


def _searching(loaded: Loaded, method: str, side: str) -> Iterator[Field]:
    """A search with its options."""
    before = "" if side == MAIN else f"{side}-"
    key, serving = options.search_key(loaded, side), options.climbing(method)
    usual = options.usual_search(loaded, method, side)
    yield links.choice(f"{before}search", key, serving, usual)
    search = st.session_state.get(key, usual)
    if search not in serving:
        return
    known = options.defaults(search)
    if "start" in known:
        yield links.choice(f"{before}start", f"{side}-start", options.STARTS, "empty")
    if "hot" in known:
        yield _temperature(f"{before}temperature", f"{side}-temperature", known)
    for name, about in options.numbers(search).items():
        low, high = about.low or 0, about.high or _MOST_NUMBER
        made: Any = links.whole if isinstance(known[name], int) else links.real
        yield made(f"{before}{name}", f"{side}-{search}-{name}", low, high, known[name])
    yield from _prior_and_time(side, before)


def _prior_and_time(side: str, before: str) -> Iterator[Field]:
    """What every search takes."""
    yield links.choice(f"{before}prior", f"{side}-prior", options.PRIORS, "uniform")
    if st.session_state.get(f"{side}-prior") == "degree":
        most, usual = options.MOST_DEGREE, options.DEGREE
        yield links.real(f"{before}degree", f"{side}-degree", 0.1, most, usual)
    most = options.MOST_SECONDS
    yield links.real(f"{before}seconds", f"{side}-seconds", 1.0, most, None)


def _temperature(name: str, key: str, known: dict[str, Any]) -> Field:
    """Two temperatures, the lower first: "0.1-5"."""
    scale = options.TEMPERATURES

    def read(text: str) -> tuple[float, float]:
        parts = text.split("-")
        found = [links.number(part, scale[0], scale[-1]) for part in parts]
        if len(found) != 2 or not set(found) <= set(scale) or found[0] > found[1]:
            steps = ", ".join(f"{value:g}" for value in scale)
            raise OptionError(f"must be two of {steps}, the lower first, such as 0.1-5")
        return found[0], found[1]

    usual = (known["cold"], known["hot"])
    kept = links.kept(key, usual)
    return Field(name, read, lambda pair: f"{pair[0]:g}-{pair[1]:g}", *kept, usual)
