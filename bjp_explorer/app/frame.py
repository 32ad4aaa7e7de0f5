"""What stands around every page: the sidebar's dataset card, the heading, and the last guard."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import StopException

from bjp_engine.errors import BJPError
from bjp_explorer.data import asked_file
from bjp_explorer.jobs import results
from bjp_explorer.shell import caches, links, visit
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import count, markdown, prose

_LOG = logging.getLogger(__name__)
_ROUTED = "visit-routed"
# Streamlit leaves a screen's tenth empty above the title, writes white on the dark theme's light
# blue buttons and tags, and dims captions; all but the first is too faint to read.
# A table's own CSV would hold cells that a spreadsheet runs; *Download* has one that doesn't.
_STYLE = """<style>
[data-testid="stElementToolbar"] [aria-label="Download as CSV"] { display: none; }
[data-testid="stMainBlockContainer"] { padding-top: 2.8rem; }
[data-testid="stMainBlockContainer"] h1 { padding: 0.2rem 0 0.1rem; font-size: 1.8rem; }
@media (max-width: 768px) {
  [data-testid="stMainBlockContainer"] { padding-top: 3.6rem; }
  [data-testid="stMainBlockContainer"] h1 { font-size: 1.45rem; }
  :is(.st-key-step-score, .st-key-step-graph) [data-testid="stWidgetLabel"] { display: none; }
}
[data-testid="stBaseButton-primary"], [data-testid="stMultiSelect"] [data-tag] {
  color: light-dark(#fff, #06202f);
}
[data-testid="stCaptionContainer"] {
  opacity: 1; color: color-mix(in srgb, currentColor 72%, transparent);
}
.st-key-link-address { position: absolute; width: 0; height: 0; overflow: hidden; }
</style>"""


def run() -> None:
    """Run the page that the URL names under the sidebar; what fails is told in a sentence."""
    page = st.navigation(_pages())
    st.set_page_config(
        page_title=f"{page.title} · BJP Explorer",
        page_icon=str(Path(__file__).with_name("icon.svg")),
        layout="wide",
        initial_sidebar_state="auto",
    )
    st.session_state[_ROUTED] = True
    st.html(_STYLE)
    caches.ready()
    card = st.sidebar.container(border=True)
    visit.arrive(page.url_path)
    links.begin()
    results.begin_run()
    visit.current()
    try:
        page.run()
    except BJPError as error:
        st.error(str(error), icon=":material/error:")
    except StopException:
        pass  # the page has ended itself early; what stands around it is drawn all the same
    except Exception:
        _LOG.exception("A page failed.")
        st.error(
            "This page failed; the log has the details. "
            "Choosing the data again on the page Data usually helps.",
            icon=":material/error:",
        )
    links.end()
    results.end_run()
    # Drawn last, so that it shows what the page has just chosen.
    _card(card, visit.current())
    _way_back(visit.current())


def _pages() -> list[Any]:
    """The pages in the order of the sidebar.

    They bear no icons: Streamlit would fetch a page's icon from the net for the browser's tab.
    """
    titles = {
        "data": "Data",
        "network": "Your network",
        "lessons": "Lessons",
        "step": "Step through the score",
        "climb": "Watch the climb",
        "scores": "Three scores",
        "graphs": "All graphs",
        "accuracy": "How good is it?",
        "reproduce": "Reproduce the paper",
        "method": "About the method",
    }
    pages = [
        st.Page(f"pages/{name}.py", title=title, url_path=name) for name, title in titles.items()
    ]
    # Streamlit takes the URL away from a default page, and /data should be one like the others.
    home = st.Page(
        lambda: st.switch_page(pages[0]),
        title="Data",
        url_path="home",
        default=True,
        visibility="hidden",
    )
    return [home, *pages]


def heading(title: str, about: str) -> Loaded:
    """A page's title and one line under it."""
    if not st.session_state.get(_ROUTED):
        # The first visit of a server went straight to a page's URL, and Streamlit ran the page
        # without its router; from now on it knows better.
        st.navigation(_pages(), position="hidden")
        st.rerun()
    st.title(title, anchor=False)
    st.caption(about)
    loaded = visit.current()
    # A place that is always there, so that what stands below stays mounted when it empties.
    with st.container():
        for sentence in (visit.notice(), *links.told()):
            if sentence:
                st.warning(prose(sentence), icon=":material/link_off:")
    asked_file.ask()
    return loaded


def _way_back(loaded: Loaded) -> None:
    """Say which dataset is selected now, and offer the previous one."""
    if visit.changed():
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


def _card(card: Any, loaded: Loaded) -> None:
    """The selected dataset, always visible."""
    data = loaded.data
    states = sorted(set(data.cardinalities))
    kind = "binary" if states == [2] else f"{states[0]}–{states[-1]} states"
    if len(states) == 1 and states != [2]:
        kind = f"{count(states[0], 'state')} each"
    card.markdown(f"**{markdown(loaded.title)}**")
    lines = f"{count(data.rows, 'row')} · {count(data.n, 'variable')} · {kind}"
    if loaded.truth is not None:
        lines += f"  \ntrue network: {count(loaded.truth.number_of_edges(), 'edge')}"
    elif loaded.published is not None:
        lines += f"  \npublished graph: {count(loaded.published.number_of_edges(), 'edge')}"
    card.caption(lines)
