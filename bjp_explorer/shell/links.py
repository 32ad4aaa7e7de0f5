"""What a page keeps in its URL: its choices, read on arrival, written after the widgets.

What holds its default is left out, so URLs stay short and can be read. A value that can't be used
is reported in a sentence, and the rest of the link holds.

The address is written by the browser, in place of the one before (``link.js``): what
`st.query_params` writes would be one more entry of the history for each step.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

import networkx as nx
import streamlit as st

from bjp_engine.errors import OptionError, clip, listed
from bjp_explorer.shell import caches, components, origins, visit
from bjp_explorer.shell.caches import Cells
from bjp_explorer.shell.choices import Field, OneOf
from bjp_explorer.shell.sources import Loaded

_READ, _TOLD, _LAST, _WRITTEN = "link-read", "link-told", "link-last", "link-written"
# On a projector: nothing but the page's figures, in large letters. The browser keeps it while one
# goes from page to page (`frontend/parts/pageprojector.js`); here a link's value is checked.
PROJECTOR = OneOf("projector", "link-projector", "0", {"0": "off", "1": "on"})
# What no page chooses; `list` and `lang` are of old links.
_OF_THE_APP = ("data", PROJECTOR.name, "list", "lang")
# Longer values are no choice of any page.
_MOST_SHOWN = 40


def read(fields: Iterable[Field]) -> None:
    """Take over what the URL says, once for each arrival at a page.

    A URL that names nothing but the dataset changes nothing: the visit remembers its choices. In
    any other, those that are missing take their defaults.
    """
    if st.session_state.get(_READ) == visit.arrival() or visit.missing_file():
        return
    st.session_state[_READ], st.session_state[_TOLD] = visit.arrival(), []
    given = {name: text for name, text in st.query_params.items() if name not in _OF_THE_APP}
    for field in fields if given else ():
        field.put(field.default)
        if field.name in given:
            _take(field, given.pop(field.name))
    if given:
        tell(f"The link names {listed(given)}, which this page doesn’t use.")
    if PROJECTOR.name in st.query_params:
        _take(PROJECTOR, st.query_params[PROJECTOR.name])


def _take(field: Field, text: str) -> None:
    """One value from the URL, or a sentence."""
    try:
        field.put(field.read(text))
    except OptionError as why:
        used = "" if field.default is None else field.write(field.default)
        # A comma alone stands for none of several.
        instead = f"{used} is used instead" if used.strip(",") else "it is ignored"
        told = clip(text, _MOST_SHOWN)
        tell(f"The link’s {field.name}={told} can’t be used: it {why}; {instead}.")


def tell(sentence: str) -> None:
    """Say what of a link could not be used; it stays on the page until one leaves it."""
    told = st.session_state.setdefault(_TOLD, [])
    if sentence not in told:
        told.append(sentence)


def told() -> list[str]:
    """The sentences about the link by which one came to this page."""
    here = st.session_state.get(_READ) == visit.arrival()
    return list(st.session_state.get(_TOLD, ())) if here else []


def query(fields: Iterable[Field]) -> dict[str, str]:
    """The parameters that lead to what is on the screen.

    The dataset, and every field that doesn't hold its default.
    """
    found = {"data": visit.current().token}
    for field in fields:
        value = field.get()
        if value != field.default and (text := field.write(value)):
            found[field.name] = text
    return found


def begin() -> None:
    """Begin a run: no address is written yet."""
    st.session_state[_WRITTEN] = False


def end() -> None:
    """End a run: a page that keeps nothing in its URL still names the dataset."""
    if not st.session_state.get(_WRITTEN) and not visit.missing_file():
        keep(others=True)


def keep(fields: Iterable[Field] = (), *, others: bool = False) -> None:
    """Write the address of what is on the screen; call it after the widgets."""
    made = query(fields)
    st.session_state[_LAST], st.session_state[_WRITTEN] = made, True
    with st.container(key="link-address"):
        components.show(
            "link", {"query": made, "page": visit.page(), "others": others}, key="link-address-view"
        )


def last() -> dict[str, str]:
    """The parameters that were written last."""
    return dict(st.session_state.get(_LAST, {}))


def copy_button(place: Any) -> None:
    """A button that copies the address, in a container."""
    with place:
        components.show("link", {"button": True}, key="link-copy", width="content")


# --- Opening a graph on another page --------------------------------------------------------------

STEP_PAGE = "pages/step.py"
# The ordered pair whose test the page is asked for.
CELL = "step-cell"


def open_graph(
    loaded: Loaded,
    graph: nx.Graph[Any],
    method: str,
    origin: str = "",
    learned: nx.Graph[Any] | None = None,
    cells: Cells = "equal",
) -> NoReturn:
    """Step through a graph's score.

    Where the page has no choice of this graph, it becomes the graph that is edited by hand, with
    the `origin` that is given. `learned` is what the paper's search learns by this score.
    """
    choices = {"learned": learned, "true": loaded.truth, "published": loaded.published}
    for name, other in choices.items():
        if other is not None and caches.edges_key(other) == caches.edges_key(graph):
            _show(name, method, cells)
    visit.edit(loaded, graph, origin)
    _show("edited", method, cells)


def open_learned(method: str, search: str = "learned", cells: Cells = "equal") -> NoReturn:
    """Step through the score of the graph of the paper's search, or of `search="auto"`."""
    _show(search, method, cells)


def begin_at(x: int, y: int) -> None:
    """Begin at the test of x and y given the blanket of x, once a graph is opened."""
    st.session_state[CELL] = x, y


def _show(graph: str, method: str, cells: Cells) -> NoReturn:
    """Set the controls of the other page and go there."""
    for name, value in (("graph", graph), ("test", cells)):
        st.session_state[origins.own_key(visit.current(), f"step-{name}")] = value
    st.session_state["step-score"] = method
    st.switch_page(STEP_PAGE)
