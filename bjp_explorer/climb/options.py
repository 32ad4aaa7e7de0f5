"""What can be set on the page of the climb: the search, where it begins, and its options.

Only what differs from the engine's own default is handed on, so that a search that other pages
have made is not made again. Two climbs can be watched side by side; the widgets of the second
have keys of their own, told by the `side`.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

import streamlit as st

from bjp_engine.scores.structure import read_prior
from bjp_engine.search import PUBLISHED, SEARCHES, searches_for
from bjp_explorer.climb import words as climb_words
from bjp_explorer.shell.sources import Loaded

SCORE = "climb-score"
# The climb that is watched, and the one beside it.
MAIN, BESIDE = "climb", "beside"
STARTS = {
    "empty": "the empty graph",
    "mpl-and": "MPL's AND graph (both ends chose)",
    "mpl-or": "MPL's OR graph (either end chose)",
    "mpl": "MPL's result",
    "chow-liu": "the Chow-Liu tree",
}
PRIORS = {
    "uniform": "uniform: every graph equally likely",
    "degree": "an expected degree",
    "data": "edge probability from the data",
}
# Where each variable has three neighbours, as `auto` supposes.
DEGREE, MOST_DEGREE = 3.0, 50.0
MOST_SECONDS = 3600.0
# It has a page of its own, and makes no flips.
_ELSEWHERE = {"exhaustive"}
TEMPERATURES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
_NOT_NUMBERS = {"start", "contributions", "hot", "cold"}


@dataclass(frozen=True, slots=True)
class Number:
    """A number that a search takes."""

    label: str
    help: str
    low: int | float | None = None
    high: int | float | None = None


NUMBERS = {
    "tenure": Number("Tenure", "For how many moves a flipped pair stays locked.", 0, 1000),
    "patience": Number("Patience", "Ends after this many moves without a better graph.", 1, 10_000),
    "restarts": Number("Restarts", "Number of climbs after the first.", 0, 1000),
    "strength": Number("Strength", "Pairs flipped before each restart.", 1, 1000),
    "sweeps": Number("Sweeps", "Flips tried for each pair, on average.", 1, 1000),
    "seed": Number(
        "Seed", "Seed of the random numbers; each seed gives another walk.", 0, 2**31 - 1
    ),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen.

    Parameters
    ----------
    options : dict
        Those that aren't the engine's defaults, hashable.
    """

    method: str
    search: str
    options: dict[str, Any]

    @property
    def paper(self) -> bool:
        """Whether it is the search that the paper has for the score, as it stands there."""
        return self.search == PUBLISHED[self.method] and not self.options

    @property
    def key(self) -> str:
        """The choice as text."""
        return " ".join([self.method, self.search, *map(str, sorted(self.options.items()))])


def climbing(method: str) -> list[str]:
    """The searches whose climb can be watched, the paper's first."""
    found = [name for name in searches_for(method) if name not in _ELSEWHERE]
    return sorted(found, key=lambda name: name != PUBLISHED[method])


def search_key(loaded: Loaded, side: str = MAIN) -> str:
    """The key of the search's widget: people's own data have their own default."""
    return f"{side}-search-own" if loaded.token.startswith("file:") else f"{side}-search"


def usual_search(loaded: Loaded, method: str, side: str = MAIN) -> str:
    """The search at first: `auto` for people's own data where there is one, else the paper's.

    The second of two climbs begins with another search than the first.
    """
    serving = climbing(method)
    usual = "auto" if loaded.token.startswith("file:") and "auto" in serving else serving[0]
    if side == MAIN or usual != _serving(loaded, method, MAIN):
        return usual
    return next((name for name in serving if name != usual), usual)


def asked(loaded: Loaded) -> tuple[str, str]:
    """The score and the search, before their widgets are drawn.

    A search that doesn't serve the score gives way to the usual one.
    """
    method = st.session_state.setdefault(SCORE, "bjp")
    return method, _serving(loaded, method, MAIN)


def _serving(loaded: Loaded, method: str, side: str) -> str:
    """The search of a side, the usual one where the one chosen doesn't serve the score."""
    key = search_key(loaded, side)
    if st.session_state.get(key) not in climbing(method):
        st.session_state[key] = usual_search(loaded, method, side)
    return str(st.session_state[key])


def use_paper(loaded: Loaded, method: str) -> None:
    """Choose the paper's search as it stands there."""
    st.session_state[search_key(loaded)] = PUBLISHED[method]
    st.session_state[f"{MAIN}-start"], st.session_state[f"{MAIN}-prior"] = "empty", "uniform"
    st.session_state[f"{MAIN}-seconds"] = None


def has_prior(options: dict[str, Any]) -> bool:
    """Whether options say a prior over structures."""
    return not read_prior(options)[0].uniform


def defaults(search: str) -> dict[str, Any]:
    """The options of a search with the engine's defaults."""
    return {field.name: field.default for field in fields(SEARCHES[search].options_type)}


def numbers(search: str) -> dict[str, Number]:
    """The numbers that a search takes, but for temperatures."""
    plain = Number("", "")
    return {
        name: NUMBERS.get(name, replace(plain, label=name.replace("_", " ").capitalize()))
        for name, default in defaults(search).items()
        if name not in _NOT_NUMBERS and type(default) in (int, float)
    }


def choose(place: Any, outer: Any, loaded: Loaded, method: str, side: str = MAIN) -> Choice:
    """The widgets beside the score's."""
    _serving(loaded, method, side)
    search = place.selectbox(
        "Search",
        climbing(method),
        format_func=lambda name: climb_words.title(method, name),
        key=search_key(loaded, side),
        persist_state="session",
        width=215,
    )
    known = defaults(search)
    options = {}
    if "start" in known:
        options["start"] = place.selectbox(
            "Start",
            list(STARTS),
            format_func=STARTS.__getitem__,
            key=f"{side}-start",
            persist_state="session",
            width=185,
        )
    with outer.popover("Options", icon=":material/tune:", key=f"{side}-options"):
        options |= _numbers(search, known, side)
        options |= _prior(search, side) | _budget(side)
    changed = {name: value for name, value in options.items() if value != known.get(name)}
    return Choice(method, search, changed)


def _numbers(search: str, known: dict[str, Any], side: str) -> dict[str, Any]:
    """The search's own numbers."""
    found: dict[str, Any] = {}
    if "hot" in known:
        # Only with a pair for its value is it a slider with two ends.
        found["cold"], found["hot"] = st.select_slider(
            "Temperature, at the end and at the beginning",
            TEMPERATURES,
            (known["cold"], known["hot"]),
            format_func="{:g}".format,
            help="A flip that lowers the score by T is kept with probability 1/e.",
            key=f"{side}-temperature",
            persist_state="session",
        )
    for name, about in numbers(search).items():
        key = f"{side}-{search}-{name}"
        st.session_state.setdefault(key, known[name])
        found[name] = st.number_input(
            about.label,
            about.low,
            about.high,
            step=type(known[name])(1),
            help=about.help or None,
            key=key,
            persist_state="session",
        )
    return found


def _prior(search: str, side: str) -> dict[str, Any]:
    """The prior over structures."""
    words = PRIORS | ({"uniform": "chosen by the search"} if search == "auto" else {})
    kind = st.selectbox(
        "Prior over graphs",
        list(PRIORS),
        format_func=words.__getitem__,
        help="How probable an edge is before the data are seen. In the paper every graph is "
        "equally likely.",
        key=f"{side}-prior",
        persist_state="session",
    )
    if kind == "data":
        return {"edge_probability": "data"}
    if kind == "uniform":
        return {}
    st.session_state.setdefault(f"{side}-degree", DEGREE)
    degree = st.number_input(
        "Expected degree",
        0.1,
        MOST_DEGREE,
        step=0.5,
        help="How many neighbours a variable has on average.",
        key=f"{side}-degree",
        persist_state="session",
    )
    return {"expected_degree": degree}


def _budget(side: str) -> dict[str, Any]:
    """The time it may take."""
    seconds = st.number_input(
        "Time budget in seconds",
        1.0,
        MOST_SECONDS,
        None,
        1.0,
        placeholder="no limit",
        key=f"{side}-seconds",
        persist_state="session",
    )
    return {} if seconds is None else {"seconds": seconds}
