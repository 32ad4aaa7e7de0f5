"""What can be chosen on *Watch the climb*: one climb or two, each by a search with its options.

Only what differs from the engine's own default is handed on, so that a search that other pages
have made is not made again.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from typing import Any

import streamlit as st

from bjp_engine.scores import SCORES
from bjp_engine.scores.prior import read_prior
from bjp_engine.search import PUBLISHED, SEARCHES, searches_for
from bjp_explorer.shell.choices import Field, Number, OneOf, Position, Switch, choice_of_score
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.views.words import NEAR_ABOUT

ABOUT = {
    "ibmap-hc": "IBMAP-HC flips the pair with the lowest local contribution, and stops at the "
    "first flip that does not raise the score.",
    "mpl-hc": "First every variable chooses its own blanket. The climb starts from the edges that "
    "both ends chose, and makes the best flips among those that only one end chose.",
    "hill-climb": "Continues where IBMAP-HC stops: it tries pairs in ascending local contribution "
    "until one raises the score. The climb ends when no single flip does.",
    "tabu": "Makes the best flip even if it lowers the score, locks a flipped pair for a while, "
    "and returns the best graph of the walk.",
    "restarts": "Climbs to a maximum, flips some pairs of the best graph at random and climbs "
    "again; it returns the best graph of the walk.",
}


STARTS = {
    "empty": "from the empty graph",
    "mpl-and": "from MPL’s AND graph",
    "mpl-or": "from MPL’s OR graph",
    "mpl": "from MPL’s result",
    "chow-liu": "from the Chow-Liu tree",
}
PRIORS = {
    "uniform": "uniform: every graph equally likely",
    "degree": "an expected degree",
    "data": "edge probability from the data",
}
# The whole numbers that searches take: label, help, the least and the most.
NUMBERS = {
    "tenure": ("Tenure", "For how many moves a flipped pair stays locked.", 0, 1000),
    "patience": ("Patience", "Ends after this many moves without a better graph.", 1, 10_000),
    "restarts": ("Restarts", "Number of climbs after the first.", 0, 1000),
    "strength": ("Strength", "Pairs flipped before each restart.", 1, 1000),
    "seed": ("Seed", "Seed of the random numbers; each seed gives another walk.", 0, 2**31 - 1),
}


def about(method: str, search: str) -> str:
    """What a search does, in a sentence or two, and what a score is that isn't the paper's."""
    return f"{ABOUT[search]} {NEAR_ABOUT}" if method == "near" else ABOUT[search]


def title(method: str, search: str) -> str:
    """A search's name in the list of those for a score."""
    own = ", the paper’s" if search == PUBLISHED[method] else ""
    return f"{SEARCHES[search].title}{own}"


# How many neighbours a prior over structures expects, unless one says otherwise.
DEGREE, MOST_DEGREE = 3.0, 50.0
MOST_SECONDS = 3600.0
# What makes no flips: the first has a page of its own.
_WITHOUT_FLIPS = {"exhaustive", "auto"}
_MOST_STEPS = 10**6
# The step that a link asks for, until the climb is there.
ASKED = "climb-asked"

SCORE = choice_of_score("climb-score")
BESIDE = OneOf(
    "beside",
    "climb-beside",
    "none",
    {
        "none": "Compare with: none",
        "score": "Compare with: another score",
        "search": "Compare with: another search",
        "paper": "Compare with: the paper’s search",
    },
)
# Whether results are predicted before they are shown; switched in the component.
PREDICT = Switch("predict", "climb-predict")
TIMELINE = OneOf(
    "by", "climb-by", "flips", {"flips": "Synchronise by flips", "tests": "by tests made"}
)


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen."""

    method: str
    search: str
    # Those that aren't the engine's defaults, hashable.
    options: dict[str, Any]

    @property
    def is_paper(self) -> bool:
        """Whether it is the search that the paper has for the score, as it stands there."""
        return self.search == PUBLISHED[self.method] and not self.options

    @property
    def has_prior(self) -> bool:
        """Whether a prior over structures is climbed too."""
        return not read_prior(self.options)[0].uniform

    @property
    def key(self) -> str:
        """The choice as text."""
        return " ".join([self.method, self.search, *map(str, sorted(self.options.items()))])

    @property
    def title(self) -> str:
        """What to call the climb: its score and its search."""
        return f"{SCORES[self.method].title} by {title(self.method, self.search)}"


def climbing(method: str) -> list[str]:
    """The searches whose climb can be watched, the paper's first."""
    found = [name for name in searches_for(method) if name not in _WITHOUT_FLIPS]
    return sorted(found, key=lambda name: name != PUBLISHED[method])


def defaults(search: str) -> dict[str, Any]:
    """The options of a search with the engine's defaults."""
    return {field.name: field.default for field in fields(SEARCHES[search].options_type)}


@dataclass(frozen=True, slots=True)
class Side:
    """The choices of one climb: of the one that is watched, or of the one beside it."""

    loaded: Loaded
    method: str
    side: str = "climb"

    @property
    def search(self) -> OneOf:
        """The search, the paper's at first; the second of two climbs begins with another one."""
        serving = climbing(self.method)
        usual = serving[0]
        if self.side != "climb" and usual == Side(self.loaded, self.method).search.get():
            usual = next((name for name in serving if name != usual), usual)
        labels = {name: title(self.method, name) for name in serving}
        return OneOf(*self._place("search"), usual, labels)

    @property
    def start(self) -> OneOf:
        """Where the search begins."""
        return self._one_of("start", "empty", STARTS)

    @property
    def prior(self) -> OneOf:
        """The prior over structures."""
        return self._one_of("prior", "uniform", PRIORS)

    @property
    def degree(self) -> Number:
        """The neighbours that a variable has on average, by the prior."""
        return Number(*self._place("degree"), DEGREE, 0.1, MOST_DEGREE)

    @property
    def seconds(self) -> Number:
        """The time that the search may take."""
        return Number(*self._place("seconds"), None, 1.0, MOST_SECONDS)

    @property
    def numbers(self) -> dict[str, Number]:
        """The numbers that the search takes."""
        search, known = self.search.get(), defaults(self.search.get())
        return {
            name: Number(*self._place(name, f"{self.side}-{search}-{name}"), known[name], low, high)
            for name, (*_, low, high) in NUMBERS.items()
            if name in known
        }

    def fields(self) -> Iterator[Field]:
        """All that a link keeps; later ones depend on earlier ones."""
        yield self.search
        if "start" in defaults(self.search.get()):
            yield self.start
        yield from self.numbers.values()
        yield self.prior
        if self.prior.get() == "degree":
            yield self.degree
        yield self.seconds

    def choose(self, bar: Any) -> Choice:
        """The widgets in a bar: lists, and a button that unfolds the options."""
        search = self.search.menu(bar, "Search", width=235, label_visibility="collapsed")
        known, options = defaults(search), {}
        if "start" in known:
            options["start"] = self.start.menu(
                bar, "Start", width=215, label_visibility="collapsed"
            )
        with bar.popover("Options", icon=":material/tune:", key=f"{self.side}-options"):
            for name, number in self.numbers.items():
                label, about, *_ = NUMBERS[name]
                options[name] = number.box(st, label, step=1, help=about)
            kind = self.prior.menu(
                st,
                "Prior over graphs",
                help="How probable an edge is before the data are seen. "
                "In the paper every graph is equally likely.",
            )
            if kind == "data":
                options["edge_probability"] = "data"
            elif kind == "degree":
                options["expected_degree"] = self.degree.box(
                    st,
                    "Expected degree",
                    step=0.5,
                    help="How many neighbours a variable has on average.",
                )
            options["seconds"] = self.seconds.box(
                st, "Time budget in seconds", step=1.0, placeholder="no limit"
            )
        changed = {name: value for name, value in options.items() if value != known.get(name)}
        return Choice(self.method, search, changed)

    def use_paper(self) -> None:
        """Choose the paper's search as it stands there."""
        self.search.put(PUBLISHED[self.method])
        for one in (self.start, self.prior, self.seconds):
            one.put(one.default)

    def _one_of(self, name: str, default: str, labels: dict[str, str]) -> OneOf:
        return OneOf(*self._place(name), default, labels)

    def _place(self, name: str, key: str = "") -> tuple[str, str]:
        before = "" if self.side == "climb" else "beside-"
        return f"{before}{name}", key or f"{self.side}-{name}"


def other_score(method: str) -> OneOf:
    """The score beside one."""
    others = {name: score.title for name, score in SCORES.items() if name != method}
    return OneOf("beside-score", "climb-beside-score", next(iter(others)), others)


def page_fields(loaded: Loaded, step: int = 0) -> Iterator[Field]:
    """The page's choices, and where the player rests; later ones depend on earlier ones."""
    yield SCORE
    yield from Side(loaded, SCORE.get()).fields()
    yield BESIDE
    kind = BESIDE.get()
    if kind == "score":
        yield other_score(SCORE.get())
    if kind == "search":
        yield from Side(loaded, SCORE.get(), "climb-beside").fields()
    if kind != "none":
        yield TIMELINE
    yield Position("step", ASKED, 0, 0, _MOST_STEPS, at=step)
    yield PREDICT


def choose_second(kind: str, loaded: Loaded, first: Choice) -> Choice | None:
    """The second climb, with its widgets where it has some."""
    if kind == "none":
        return None
    bar = st.container(horizontal=True, vertical_alignment="center", key="climb-second")
    if kind == "paper":
        second = Choice(first.method, PUBLISHED[first.method], {})
    elif kind == "search":
        second = Side(loaded, first.method, "climb-beside").choose(bar)
    else:
        # The same search by another score; the paper's where it doesn't serve that.
        method = other_score(first.method).buttons(
            bar, "Score to compare with", label_visibility="collapsed"
        )
        is_own = first.is_paper or first.search not in climbing(method)
        second = Choice(method, PUBLISHED[method], {}) if is_own else replace(first, method=method)
    TIMELINE.buttons(bar, "Synchronise by", label_visibility="collapsed")
    return second
