"""What the visit remembers: the current dataset, uploads, and the graph edited by hand.

The dataset's token also stands in the URL as `data`, so that a page can be opened anew; `links`
writes it there.
"""

from __future__ import annotations

import re
import threading
from array import array
from collections.abc import Iterable
from typing import Any, NoReturn

import networkx as nx
import streamlit as st

from bjp_engine import Dataset
from bjp_engine.dataset import Name
from bjp_engine.errors import BJPError
from bjp_engine.kernels import compiled
from bjp_engine.warmup import warmup
from bjp_explorer.shell import sources
from bjp_explorer.shell.sources import Loaded

_PAGE, _ARRIVED, _ARRIVALS = "visit-page", "visit-arrived", "visit-arrivals"
_TOKEN, _UPLOADS, _EDITED = "visit-token", "visit-uploads", "visit-edited"
_BEFORE, _CHANGED, _NOTICE = "visit-before", "visit-changed", "visit-notice"
_ASKED, _FOUND = "visit-asked-file", "visit-found"
_FILE = re.compile(r"file:[0-9a-f]{12}(:[\w.:-]*)?\Z")


def current() -> Loaded:
    """The current dataset: this visit's choice, else the URL's, else coronary."""
    if _TOKEN not in st.session_state:
        st.session_state[_TOKEN] = st.query_params.get("data", sources.DEFAULT)
    token = st.session_state[_TOKEN]
    try:
        return find(token)
    except BJPError as error:
        base = token.partition(sources.PART)[0]
        if _FILE.match(base) and base not in uploads():
            st.session_state[_ASKED] = token
        else:
            st.session_state[_NOTICE] = f"{error} The page shows coronary instead."
        st.session_state[_TOKEN] = sources.DEFAULT
        return loaded(sources.DEFAULT)


def missing_file() -> str | None:
    """The token of the file that a link is to, where this visit doesn't have it."""
    token: str | None = st.session_state.get(_ASKED)
    return token


def forget_missing_file() -> None:
    """Go on without the file that a link is to."""
    st.session_state.pop(_ASKED, None)


def arrive(page: str) -> None:
    """Note which page is shown; the dataset that its URL names is selected.

    Only the first run on a page reads the URL: later on the visit knows better. Going from page to
    page clears it; going back brings the old one.
    """
    came = st.session_state.get(_PAGE) != page
    st.session_state[_ARRIVED], st.session_state[_PAGE] = came, page
    if not came:
        return
    st.session_state[_ARRIVALS] = arrival() + 1
    forget_missing_file()
    token = st.query_params.get("data")
    if token is not None and _TOKEN in st.session_state:
        choose(token)


def page() -> str:
    """The page that is shown, as in its URL."""
    return str(st.session_state.get(_PAGE, ""))


def arrival() -> int:
    """How many times one has come to a page: it differs from one stay on a page to the next."""
    return int(st.session_state.get(_ARRIVALS, 0))


def has_arrived() -> bool:
    """Whether this is a page's first run since one came to it."""
    return bool(st.session_state.get(_ARRIVED, True))


def notice() -> str | None:
    """Why the data that a link asked for were not selected; shown once."""
    found: str | None = st.session_state.pop(_NOTICE, None)
    return found


def find(token: str) -> Loaded:
    """The dataset that a token names."""
    base, _, columns = token.partition(sources.PART)
    whole = uploads()[base] if base in uploads() else loaded(base)
    return sources.part(whole, columns) if columns else whole


def choose(token: str) -> None:
    """Select another dataset; the previous one can be restored."""
    now = st.session_state.get(_TOKEN, sources.DEFAULT)
    if token != now:
        st.session_state[_BEFORE], st.session_state[_CHANGED] = now, True
    st.session_state[_TOKEN] = token


def before() -> Loaded | None:
    """The dataset that was selected before this one.

    None at first, and where the visit has forgotten it.
    """
    token = st.session_state.get(_BEFORE)
    try:
        return find(token) if token and token != st.session_state.get(_TOKEN) else None
    except BJPError:
        return None


def take_change() -> bool:
    """Whether another dataset was selected since the last call."""
    return bool(st.session_state.pop(_CHANGED, False))


def keep_upload(loaded: Loaded) -> None:
    """Select an uploaded dataset; only this visit knows it."""
    kept = uploads()
    # The same file used in another way takes the place of the way before.
    for other in [token for token in kept if same_file(token, loaded.token)]:
        del kept[other]
        if st.session_state.get(_TOKEN, "").partition(sources.PART)[0] == other:
            st.session_state[_TOKEN] = loaded.token
    kept[loaded.token] = loaded
    while len(kept) > 4:
        del kept[next(iter(kept))]
    choose(loaded.token)


def same_file(token: str, other: str) -> bool:
    """Whether two tokens are of the same uploaded file, used in whichever way."""
    one, two = (each.partition(sources.PART)[0].split(":")[:2] for each in (token, other))
    return one == two


def uploads() -> dict[str, Loaded]:
    """The uploaded datasets of this visit, by token."""
    found: dict[str, Loaded] = st.session_state.setdefault(_UPLOADS, {})
    return found


def note(loaded: Loaded, about: tuple[Any, ...], text: str) -> None:
    """Remember what was found on these data, for a paper; `about` is what it rests on."""
    everything: dict[str, dict[Any, str]] = st.session_state.setdefault(_FOUND, {})
    everything.setdefault(loaded.data.digest, {})[about] = text


def notes(loaded: Loaded, *basis: Any) -> list[str]:
    """What was found on these data that rests on a search and its options."""
    found: dict[Any, str] = st.session_state.get(_FOUND, {}).get(loaded.data.digest, {})
    return [text for about, text in found.items() if about[1:] == basis]


def edited_graph(loaded: Loaded) -> nx.Graph[Any]:
    """The graph that was edited by hand on these data; empty at first, as a copy."""
    graph: nx.Graph[Any] = nx.Graph()
    graph.add_nodes_from(loaded.data.names)
    graph.add_edges_from(edits(loaded).edges)
    return graph


def edit(loaded: Loaded, graph: nx.Graph[Any], origin: str = "") -> None:
    """Remember a graph, with its origin if nobody edited it; the ones before can be had back."""
    edits(loaded).add(graph.edges, origin)


def edits(loaded: Loaded) -> Edits:
    """The graphs that were edited by hand on one dataset."""
    everything: dict[str, Edits] = st.session_state.setdefault(_EDITED, {})
    if loaded.data.digest not in everything:
        everything[loaded.data.digest] = Edits(loaded.data)
    return everything[loaded.data.digest]


# --- Edits of a graph -----------------------------------------------------------------------------

# The most edits that can be taken back, and the most flips of pairs that they hold in all.
MOST_EDITS, MOST_FLIPS = 500, 100_000

Edges = Iterable[tuple[Name, Name]]


class Edits:
    """Pairs of columns are numbers, four bytes each; the graphs before are not kept."""

    def __init__(self, data: Dataset, *graphs: Edges) -> None:
        self._names, self._places = data.names, {name: i for i, name in enumerate(data.names)}
        self._now: set[int] | None = None
        self._flips: list[array[int]] = []
        self._opened: set[int] | None = None
        self._origin = ""
        for edges in graphs:
            self.add(edges)

    def __bool__(self) -> bool:
        return self._now is not None

    @property
    def edges(self) -> list[tuple[Name, Name]]:
        """The present edges, in column order."""
        n = len(self._names)
        return [(self._names[k // n], self._names[k % n]) for k in sorted(self._now or ())]

    @property
    def can_undo(self) -> bool:
        """Whether there is an edit to take back."""
        return bool(self._flips)

    @property
    def origin(self) -> str:
        """How the present graph came about, where it was opened and is as it was; else empty."""
        return self._origin if self._now == self._opened else ""

    def add(self, edges: Edges, origin: str = "") -> None:
        """Make these the present edges; a graph that nobody edited has an origin."""
        new = self._numbers(edges)
        if origin:
            self._opened, self._origin = new, origin
        if new == self._now:
            return
        if self._now is not None:
            self._flips.append(array("I", sorted(self._now ^ new)))
        self._now = new
        while len(self._flips) > MOST_EDITS or sum(map(len, self._flips)) > MOST_FLIPS:
            del self._flips[0]

    def undo(self) -> None:
        """Take the last edit back."""
        if self._flips and self._now is not None:
            self._now ^= set(self._flips.pop())

    def _numbers(self, edges: Edges) -> set[int]:
        n, places = len(self._names), self._places
        ends = (sorted((places[u], places[v])) for u, v in edges)
        return {i * n + j for i, j in ends}


# --- Ending a page --------------------------------------------------------------------------------


class PageEnded(Exception):  # noqa: N818
    """A page has nothing more to show in this run."""


def end_page() -> NoReturn:
    """End the page here; the sidebar and the address are still written.

    `st.stop` would end the run, and with it what stands around the page.
    """
    raise PageEnded


# --- What every page waits for --------------------------------------------------------------------

_WARMING = threading.Lock()


def warm_up() -> None:
    """Load the compiled kernels, or compile them; whoever comes second waits for the first."""
    with _WARMING:
        warmup()


@st.cache_resource(
    show_spinner="Loading the compiled numerical code: a second or two …"
    if compiled.is_complete()
    else (
        "Compiling the numerical code, once per installation: about 40 seconds on two free cores. "
        "Later starts take a second or two."
    ),
    show_time=True,
)
def ready() -> bool:
    """Load the compiled kernels once a server, so that no one's first search waits for them."""
    warm_up()
    return True


@st.cache_resource(max_entries=24, show_spinner="Loading the data …")
def loaded(token: str) -> Loaded:
    """A sample dataset, or one drawn from a benchmark network."""
    return sources.load(token)
