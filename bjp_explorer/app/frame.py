"""What stands around every page: the sidebar's dataset card, the heading, and the last guard."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import streamlit as st

from bjp_engine.confidence.doubts import warn_of_unused_states
from bjp_engine.errors import BJPError
from bjp_explorer.app import words
from bjp_explorer.data import files, work
from bjp_explorer.jobs import results
from bjp_explorer.shell import components, links, visit
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import count, markdown, prose
from bjp_explorer.shell.visit import PageEnded
from bjp_explorer.views.words import first_completed

_LOG = logging.getLogger(__name__)
_ROUTED = "visit-routed"
# Pages whose figure needs the width: there the sidebar is folded at first.
_FOLDED = ("step", "climb")
# Pages that show what one table gives, and those of them with the paper's scores.
_ONE_TABLE = ("step", "climb", "scores", "graphs", "groups")
_PAPERS_SCORES = ("step", "climb", "scores", "graphs")
# Pages whose figure comes first: the title stands in Streamlit's own line.
_FIGURES_FIRST = (*_FOLDED, "lessons", "practice")
_STYLE = Path(__file__).with_name("frame.css")


def run() -> None:
    """Run the page that the URL names under the sidebar; what fails is reported in a sentence."""
    page = st.navigation(_pages(), expanded=True)
    st.set_page_config(
        page_title=f"{page.title} · BJP Explorer",
        page_icon=str(Path(__file__).with_name("icon.svg")),
        layout="wide",
        initial_sidebar_state="collapsed" if page.url_path in _FOLDED else "auto",
        # Streamlit shows its menu, where dark or light is chosen, only beside an entry of the app.
        menu_items={
            "About": "**BJP Explorer** shows how a computer learns a Markov network from data, "
            "test by test."
        },
    )
    st.session_state[_ROUTED] = page.title
    st.html(_STYLE)
    with st.container(key="projector"):
        components.show("projector", {"title": page.title}, key="projector-view")
    if page.url_path:
        # The start page, whose URL has no path, waits further down.
        visit.ready()
    card = st.sidebar.empty()
    visit.arrive(page.url_path)
    links.begin()
    results.begin_run()
    before = visit.current()
    _card(card, before)
    kind = "figures" if page.url_path in _FIGURES_FIRST else "text"
    try:
        with st.container(key=f"page-{kind}"):
            page.run()
    except BJPError as error:
        st.error(prose(str(error)), icon=":material/error:")
    except PageEnded:
        pass
    except Exception:
        _LOG.exception("A page failed.")
        st.error(
            "This page failed; the log has the details. "
            "Choosing the data again on the page Data usually helps.",
            icon=":material/error:",
        )
    links.end()
    results.end_run()
    found = visit.current()
    if found is not before:
        # The page has chosen another dataset.
        _card(card, found)
    _way_back(found)


def _pages() -> dict[str, list[Any]]:
    """The pages in the sections of the sidebar; the first one is at "/".

    They bear no icons: Streamlit would fetch a page's icon from the net for the browser's tab.
    """
    found = {
        section: [
            st.Page(f"pages/{name}.py", title=title, url_path=name, default=name == "start")
            for name, title in titles.items()
        ]
        for section, titles in words.PAGES.items()
    }
    old = st.Page("pages/reproduce.py", url_path="reproduce", visibility="hidden")
    return found | {"About": [*found["About"], old]}


def heading(about: str, bar: Any = None, title: str = "") -> Loaded:
    """A page's title and one line under it; in a bar the line unfolds from a sign beside it."""
    routed = st.session_state.get(_ROUTED, "")
    if not routed:
        # The first visit of a server went straight to a page's URL, and Streamlit ran the page
        # without its router; from now on it knows better.
        st.navigation(_pages(), position="hidden")
        st.rerun()
    title = title or routed
    if bar is None:
        with st.container(key="frame-heading"):
            st.title(title, anchor=False)
            st.caption(about)
    else:
        bar.title(title, anchor=False, help=about, width="content")
    loaded = visit.current()
    # A place that is always there, so that what stands below stays mounted when it empties.
    with st.container():
        for sentence in (visit.notice(), *links.told()):
            if sentence:
                st.warning(prose(sentence), icon=":material/link_off:")
    files.ask()
    work.show_pending(loaded)
    if loaded.imputed is not None and visit.page() in _ONE_TABLE:
        st.caption(first_completed(loaded.imputed))
    if visit.page() in _PAPERS_SCORES:
        for sentence in warn_of_unused_states(loaded.data):
            st.caption(prose(sentence))
    return loaded


def _way_back(loaded: Loaded) -> None:
    """Say which dataset is selected now, and offer the previous one."""
    if visit.take_change():
        st.toast(f"Dataset: {markdown(loaded.title)}", icon=":material/database:")
    before = visit.before()
    if before is not None:
        st.sidebar.button(
            f"Back to {markdown(before.title)}",
            key="frame-back",
            icon=":material/undo:",
            on_click=visit.choose,
            args=(before.token,),
            width="stretch",
        )


def _card(place: Any, loaded: Loaded) -> None:
    data, card = loaded.data, place.container(border=True)
    low, high = min(data.cardinalities), max(data.cardinalities)
    kind = f"{low}–{high} states"
    if low == high:
        kind = "binary" if low == 2 else f"{count(low, 'state')} each"
    card.markdown(f"**{markdown(loaded.title)}**")
    lines = f"{count(data.rows, 'row')} · {count(data.n, 'variable')} · {kind}"
    if loaded.truth is not None:
        lines += f"  \ntrue network: {count(loaded.truth.number_of_edges(), 'edge')}"
    elif loaded.published is not None:
        lines += f"  \npublished graph: {count(loaded.published.number_of_edges(), 'edge')}"
    card.caption(lines)
