"""What can be set on the page of the climb: the search, where it begins, and its options.

Only what differs from the engine's own default is handed on, so that a search that other pages
have made is not made again.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import streamlit as st

from bjp_engine.scores.structure import read_prior
from bjp_engine.search import SEARCHES, searches_for
from bjp_explorer import climb_words
from bjp_explorer.sources import Loaded

SCORE, START, PRIOR = "climb-score", "climb-start", "climb-prior"
STARTS = {
    "empty": "the empty graph",
    "mpl-and": "MPL: both ends chose",
    "mpl-or": "MPL: either end chose",
    "mpl": "MPL's result",
    "chow-liu": "the Chow-Liu tree",
}
PRIORS = {
    "uniform": "every graph equally likely",
    "degree": "an expected degree",
    "data": "edge probability from the data",
}
# Where each variable has three neighbours, as `auto` supposes.
_DEGREE = 3.0
# It has a page of its own, and makes no flips.
_ELSEWHERE = {"exhaustive"}
_TEMPERATURES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
_NOT_NUMBERS = {"start", "contributions", "hot", "cold"}


@dataclass(frozen=True, slots=True)
class Number:
    """A number that a search takes.

    Parameters
    ----------
    label, help : str
    low, high : int or float, optional
    """

    label: str
    help: str
    low: int | float | None = None
    high: int | float | None = None


NUMBERS = {
    "tenure": Number("Tenure", "Moves for which a flipped pair stays as it is.", 0, 1000),
    "patience": Number("Patience", "Moves without a better graph until it ends.", 1, 10_000),
    "restarts": Number("Restarts", "Climbs after the first.", 0, 1000),
    "strength": Number("Strength", "Pairs flipped before each restart.", 1, 1000),
    "sweeps": Number("Sweeps", "Flips tried for each pair, on average.", 1, 1000),
    "seed": Number("Seed", "Of the random numbers; each seed is another walk.", 0, 2**31 - 1),
}


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen.

    Parameters
    ----------
    method, search : str
    options : dict
        Those that aren't the engine's defaults, hashable.
    """

    method: str
    search: str
    options: dict[str, Any]

    @property
    def paper(self) -> bool:
        """Whether it is the search that the paper has for the score, as it stands there."""
        return self.search == searches_for(self.method)[0] and not self.options

    @property
    def key(self) -> str:
        """The choice as text."""
        return " ".join([self.method, self.search, *map(str, sorted(self.options.items()))])


def climbing(method: str) -> list[str]:
    """The searches whose climb can be watched, the paper's first.

    Parameters
    ----------
    method : str

    Returns
    -------
    list of str
    """
    return [name for name in searches_for(method) if name not in _ELSEWHERE]


def search_key(loaded: Loaded) -> str:
    """The key of the search's widget: people's own data have their own default.

    Parameters
    ----------
    loaded : Loaded

    Returns
    -------
    str
    """
    return "climb-search-own" if loaded.token.startswith("file:") else "climb-search"


def asked(loaded: Loaded) -> tuple[str, str]:
    """The score and the search, before their widgets are drawn.

    Parameters
    ----------
    loaded : Loaded

    Returns
    -------
    method, search : str
        A search that doesn't serve the score gives way to the default: `auto` for people's own
        data where there is one, else the paper's.
    """
    method = st.session_state.setdefault(SCORE, "bjp")
    serving, key = climbing(method), search_key(loaded)
    own = "auto" if key.endswith("own") and "auto" in serving else serving[0]
    if st.session_state.get(key) not in serving:
        st.session_state[key] = own
    return method, st.session_state[key]


def use_paper(loaded: Loaded, method: str) -> None:
    """Choose the paper's search as it stands there.

    Parameters
    ----------
    loaded : Loaded
    method : str
    """
    st.session_state[search_key(loaded)] = searches_for(method)[0]
    st.session_state[START], st.session_state[PRIOR] = "empty", "uniform"
    st.session_state["climb-seconds"] = None


def has_prior(options: dict[str, Any]) -> bool:
    """Whether options say a prior over structures.

    Parameters
    ----------
    options : dict

    Returns
    -------
    bool
    """
    return not read_prior(options)[0].uniform


def choose(place: Any, outer: Any, loaded: Loaded, method: str) -> Choice:
    """The widgets beside the score's.

    Parameters
    ----------
    place, outer : container
        Of the lists, and of the button that unfolds the options.
    loaded : Loaded
    method : str

    Returns
    -------
    Choice
    """
    search = place.selectbox(
        "Search",
        climbing(method),
        format_func=lambda name: climb_words.title(method, name),
        key=search_key(loaded),
        persist_state="session",
        width=245,
    )
    known = {field.name: field.default for field in fields(SEARCHES[search].options_type)}
    options = {}
    if "start" in known:
        options["start"] = place.selectbox(
            "Start",
            list(STARTS),
            format_func=STARTS.__getitem__,
            key=START,
            persist_state="session",
            width=200,
        )
    with outer.popover("Options", icon=":material/tune:", key="climb-options"):
        options |= _numbers(search, known)
        options |= _prior(search) | _budget()
    changed = {name: value for name, value in options.items() if value != known.get(name)}
    return Choice(method, search, changed)


def _numbers(search: str, known: dict[str, Any]) -> dict[str, Any]:
    """The search's own numbers."""
    found: dict[str, Any] = {}
    if "hot" in known:
        found["cold"], found["hot"] = st.select_slider(
            "Temperature, at the end and at the beginning",
            _TEMPERATURES,
            value=(known["cold"], known["hot"]),
            format_func="{:g}".format,
            help="A flip that lowers the score by T is kept with probability 1/e.",
            key="climb-temperature",
            persist_state="session",
        )
    for name, default in known.items():
        if name in _NOT_NUMBERS or type(default) not in (int, float):
            continue
        about = NUMBERS.get(name, Number(name.replace("_", " ").capitalize(), ""))
        found[name] = st.number_input(
            about.label,
            about.low,
            about.high,
            default,
            help=about.help or None,
            key=f"climb-{search}-{name}",
            persist_state="session",
        )
    return found


def _prior(search: str) -> dict[str, Any]:
    """The prior over structures."""
    words = PRIORS | ({"uniform": "chosen by the search"} if search == "auto" else {})
    kind = st.selectbox(
        "Prior over graphs",
        list(PRIORS),
        format_func=words.__getitem__,
        help="How likely an edge is before the data are seen. The paper takes every graph for "
        "equally likely.",
        key=PRIOR,
        persist_state="session",
    )
    if kind == "data":
        return {"edge_probability": "data"}
    if kind == "uniform":
        return {}
    degree = st.number_input(
        "Expected degree",
        0.1,
        50.0,
        _DEGREE,
        0.5,
        help="Neighbours that a variable has on average.",
        key="climb-degree",
        persist_state="session",
    )
    return {"expected_degree": degree}


def _budget() -> dict[str, Any]:
    """The time it may take."""
    seconds = st.number_input(
        "Time budget in seconds",
        1.0,
        3600.0,
        None,
        1.0,
        placeholder="no limit",
        key="climb-seconds",
        persist_state="session",
    )
    return {} if seconds is None else {"seconds": seconds}
