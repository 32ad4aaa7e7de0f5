"""What the visit remembers: the current dataset, uploads, and the graph edited by hand.

The dataset's token also stands in the URL as `data`, so that a page can be opened anew; `links`
writes it there.
"""

from __future__ import annotations

import re
from typing import Any

import networkx as nx
import streamlit as st

from bjp_engine.errors import BJPError
from bjp_explorer.shell import loading, sources, subsets
from bjp_explorer.shell.edits import Edits
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
        return loading.loaded(sources.DEFAULT)


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
    whole = uploads()[base] if base in uploads() else loading.loaded(base)
    return subsets.part(whole, columns) if columns else whole


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
    graph.add_edges_from(_edits(loaded).edges)
    return graph


def has_edited(loaded: Loaded) -> bool:
    """Whether a graph was edited on these data."""
    return bool(_edits(loaded))


def origin_of_edited(loaded: Loaded) -> str:
    """How the present graph came about, where it was opened and not edited since; else empty."""
    return _edits(loaded).origin


def edit(loaded: Loaded, graph: nx.Graph[Any], origin: str = "") -> None:
    """Remember a graph, with its origin if nobody edited it; the ones before can be had back."""
    _edits(loaded).add(graph.edges, origin)


def can_undo(loaded: Loaded) -> bool:
    """Whether there is an edit to take back."""
    return _edits(loaded).can_undo


def undo_edit(loaded: Loaded) -> None:
    """Take the last edit back."""
    _edits(loaded).undo()


def _edits(loaded: Loaded) -> Edits:
    """The edited graphs of one dataset."""
    everything: dict[str, Edits] = st.session_state.setdefault(_EDITED, {})
    if loaded.data.digest not in everything:
        everything[loaded.data.digest] = Edits(loaded.data)
    return everything[loaded.data.digest]
