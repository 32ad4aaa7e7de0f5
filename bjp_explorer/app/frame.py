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
from bjp_explorer.shell import components, links, loading, visit
from bjp_explorer.shell.ending import PageEnded
from bjp_explorer.shell.sources import Loaded
from bjp_explorer.shell.text import count, markdown, prose
from bjp_explorer.views.pooled import first_completed

_LOG = logging.getLogger(__name__)
_ROUTED = "visit-routed"
# Pages whose figure needs the width: there the sidebar is folded at first.
_FOLDED = ("step", "climb")
# Streamlit leaves a screen's tenth empty above the title, writes white on the dark theme's light
# blue buttons and tags, and dims captions; all but the first is too faint to read.
# A table's own CSV would hold cells that a spreadsheet runs; *Download* has one that doesn't.
_STYLE = """<style>
[data-testid="stElementToolbar"] [aria-label="Download as CSV"] { display: none; }
[data-testid="stMainBlockContainer"] { padding-top: 2.8rem; }
@media (min-width: 769px) { [data-testid="stMainBlockContainer"] { padding-inline: 2.5rem; } }
[data-testid="stMainBlockContainer"] h1 { padding: 0.2rem 0 0.1rem; font-size: 1.8rem; }
/* Nothing on the screen is smaller than this; Streamlit's names of code in a table are. */
[data-testid="stMarkdownContainer"] code { font-size: max(0.75em, 0.75rem); }
/* The sidebar's card is in sight on a low screen, too. */
@media (max-height: 800px) {
  [data-testid="stSidebarHeader"], [data-testid="stSidebarNavItems"] li { margin-block: 0; }
  [data-testid="stSidebarUserContent"] { padding-top: 0.3rem; }
}
/* Where one line would not hold them, the choices of *Step* go without their names. */
@media (max-width: 1400px) {
  :is(.st-key-step-score, .st-key-step-graph) [data-testid="stWidgetLabel"] { display: none; }
}
@media (max-width: 768px) {
  [data-testid="stMainBlockContainer"] { padding-top: 3.6rem; }
  [data-testid="stMainBlockContainer"] h1 { font-size: 1.45rem; }
  /* Buttons that wrap each have a whole outline. */
  [data-testid="stButtonGroup"] [role="radiogroup"] { gap: 0.25rem; }
  [data-variant="segmented_control"] { margin: 0 !important; border-radius: 0.5rem !important; }
  [data-variant="segmented_control"][aria-checked="false"] {
    border-color: rgb(128 128 128 / 0.45) !important;
  }
}
[data-testid="stBaseButton-primary"], [data-testid="stMultiSelect"] [data-tag] {
  color: light-dark(#fff, #06202f);
}
/* What unfolds lies outside the app's colour scheme. */
[data-testid="stPopoverBody"] [data-testid="stMultiSelect"] [data-tag] {
  color: #fff; background: #3d5268;
}
[data-testid="stCaptionContainer"] {
  opacity: 1; color: color-mix(in srgb, currentColor 72%, transparent);
}
/* Where nothing hovers, a table's tools are always there: above it, not on the text before. */
@media (hover: none) {
  [data-testid="stElementContainer"]:has([data-testid="stDataFrame"]) { margin-top: 1.8rem; }
}
/* Of Streamlit's header only its buttons take clicks; a page's own may stand in its line. */
[data-testid="stHeader"], [data-testid="stHeader"] * { pointer-events: none; }
[data-testid="stHeader"] :is(a, button), [data-testid="stHeader"] :is(a, button) * {
  pointer-events: auto;
}
/* The menu is there to choose dark or light, and its sign says so; nothing else stands there. */
[data-testid="stStatusWidget"] { display: none; }
[data-testid="stMainMenuButton"] { background: light-dark(#fffc, #12171ccc); }
[data-testid="stMainMenuButton"] > * { display: none; }
[data-testid="stMainMenuButton"]::before { content: "◐"; font-size: 1.2rem; line-height: 1; }
@media (min-width: 769px) { [data-testid="stHeader"] { background: none; } }
/* A click gives the page's scrolling area the focus; the next key would frame all of it. */
[data-testid="stMain"]:focus-visible { outline: none; box-shadow: none; }
/* A message is one line above the title, where it covers no button, and takes no clicks. */
[data-testid="stToastContainer"] {
  inset: 0 auto auto 50% !important; transform: translateX(-50%);
  width: min(21rem, 100vw - 7.5rem); pointer-events: none;
}
[data-testid="stToast"] {
  width: 100%; min-height: 0; margin: 0; padding: 0.4rem 0.75rem; pointer-events: none;
}
[data-testid="stToast"] div { min-width: 0; }
[data-testid="stToast"] p { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
[data-testid="stToast"] button { pointer-events: auto; }
/* The errors to expect stand in the space below their slider and move nothing. */
.st-key-network-slider { position: relative; }
.st-key-network-slider [data-testid="stSliderTickBar"] { display: none; }
.st-key-network-slider > :last-child { position: absolute; top: 100%; margin-top: -0.6rem; }
.st-key-network-slider [data-testid="stCaptionContainer"] p {
  font-size: 0.8rem; line-height: 1; white-space: nowrap;
}
.st-key-link-address { position: absolute; width: 0; height: 0; overflow: hidden; }
</style>"""
# Any page on a projector (frontend/parts/pageprojector.js): sentences, figures, most choices stay.
_PROJECTOR = """<style>
:has(> .st-key-projector), .st-key-projector { position: absolute; width: 0; height: 0; }
:root[data-projector] {
  [data-testid="stSidebar"], [data-testid="stHeader"], [data-testid="stExpandSidebarButton"],
  [data-testid="stToastContainer"], [data-testid="stPageLink"],
  [data-testid="stElementContainer"]:has(h1),
  :has(> .st-key-frame-heading), :has(> .st-key-start-doors), :has(> .st-key-start-samples),
  :has(> .st-key-network-head), :has(> .st-key-step-controls), :has(> .st-key-climb-controls),
  :has(> .st-key-climb-second), :has(> .st-key-lessons-foot), .st-key-link-copy,
  .st-key-lessons-heading > :first-child, :has(> .st-key-network-slider), .st-key-practice-sheet,
  [class*="st-key-"][class*="-download"],
  :has(> [data-testid="stHorizontalBlock"] > * > [data-testid="stPageLink"]) {
    display: none !important;
  }
  [data-testid="stMain"] { margin-top: 2.4rem; height: calc(100% - 2.4rem); }
  [data-testid="stMainBlockContainer"] { padding: 0 1.2rem 1rem; max-width: none; }
  .st-key-start { display: block; }
  .st-key-lessons-heading { gap: 0; }
  /* Widths that are given in pixels are too narrow for these letters. */
  [data-testid="stHorizontalBlock"] > :has(
    > [data-testid="stSelectbox"], > [data-testid="stNumberInput"]
  ) { min-width: 13rem; }
  /* The letters of a chart are counted in pixels: it is laid out smaller, then magnified. */
  [data-testid="stElementContainer"]:has(.js-plotly-plot):not(:fullscreen) {
    margin-bottom: calc((var(--letters) - 1) * var(--tall)); overflow: visible;
    > [data-testid="stFullScreenFrame"] { width: calc(100% / var(--letters)) !important; }
    .js-plotly-plot { transform: scale(var(--letters)); transform-origin: 0 0; }
  }
}
</style>"""
# Figures first: the title stands in Streamlit's own line, names of choices beside their buttons.
_FIGURES_FIRST = """<style>
[data-testid="stMainBlockContainer"] h1 { font-size: 1.5rem; }
/* A page that grows beyond the window must not move its figures aside. */
[data-testid="stMain"] { scrollbar-gutter: stable; }
[data-testid="stMainBlockContainer"] [data-testid="stVerticalBlock"] { gap: 0.6rem; }
[data-testid="stButtonGroup"] { display: flex; align-items: center; gap: 0.6rem; }
[data-testid="stButtonGroup"] [data-testid="stWidgetLabel"] { margin: 0; min-height: 0; }
@media (min-width: 769px) {
  [data-testid="stMainBlockContainer"] { padding: 0.5rem 2.5rem 2rem; }
  [data-testid="stApp"]:has([data-testid="stExpandSidebarButton"]) h1 { margin-left: 1rem; }
  /* However long the result is, it stays beside the title. */
  .st-key-step-head { flex-wrap: nowrap; padding-right: 2.5rem; }
  .st-key-step-head > :first-child { flex: none; }
  .st-key-step-head > :last-child { min-width: 0; }
  .st-key-step-head p { font-size: 0.9rem; line-height: 1.3; }
}
@media (max-width: 768px) {
  .st-key-step-head { row-gap: 0; }
  :is(.st-key-step-head, .st-key-climb-head) p { font-size: 0.9rem; line-height: 1.35; }
  /* What can be chosen is one line that scrolls; a climb's link and files come last. */
  :is(.st-key-step-controls, .st-key-climb-controls, .st-key-climb-second) {
    flex-wrap: nowrap; overflow-x: auto; scrollbar-width: none;
    /* Its end fades, so that one sees that it goes on. */
    padding-right: 1.6rem; mask-image: linear-gradient(to left, transparent, #000 2rem);
    > * { flex: none; min-width: max-content; }
    [role="radiogroup"] { flex-wrap: nowrap; }
  }
  .st-key-step-controls > :last-child { width: max-content; }
  div:has(> .st-key-climb-head), .st-key-climb-head { display: contents; }
  .st-key-climb-head > * { flex: none; }
  .st-key-climb-head > :nth-child(3) { order: 1; }
}
</style>"""


def run() -> None:
    """Run the page that the URL names under the sidebar; what fails is reported in a sentence."""
    page = st.navigation(_pages(), expanded=True)
    st.set_page_config(
        page_title=words.TAB.format(page=page.title),
        page_icon=str(Path(__file__).with_name("icon.svg")),
        layout="wide",
        initial_sidebar_state="collapsed" if page.url_path in _FOLDED else "auto",
        # Streamlit shows its menu, where dark or light is chosen, only beside an entry of the app.
        menu_items={"About": words.ABOUT},
    )
    st.session_state[_ROUTED] = page.title
    st.html(_STYLE + _PROJECTOR)
    with st.container(key="projector"):
        components.projector_view({"title": page.title}, key="projector-view")
    if page.url_path in (*_FOLDED, "lessons", "practice"):
        st.html(_FIGURES_FIRST)
    if page.url_path:
        # The start page, whose URL has no path, waits further down.
        loading.ready()
    card = st.sidebar.empty()
    visit.arrive(page.url_path)
    links.begin()
    results.begin_run()
    before = visit.current()
    _card(card, before)
    try:
        page.run()
    except BJPError as error:
        st.error(str(error), icon=":material/error:")
    except PageEnded:
        pass
    except Exception:
        _LOG.exception("A page failed.")
        st.error(words.FAILED, icon=":material/error:")
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
    if loaded.imputed is not None and visit.page() in words.ONE_TABLE:
        st.caption(first_completed(loaded.imputed))
    if visit.page() in words.PAPERS_SCORES:
        for sentence in warn_of_unused_states(loaded.data):
            st.caption(prose(sentence))
    return loaded


def _way_back(loaded: Loaded) -> None:
    """Say which dataset is selected now, and offer the previous one."""
    if visit.take_change():
        st.toast(words.DATASET.format(title=markdown(loaded.title)), icon=":material/database:")
    before = visit.before()
    if before is not None:
        st.sidebar.button(
            words.BACK.format(title=markdown(before.title)),
            key="frame-back",
            icon=":material/undo:",
            on_click=visit.choose,
            args=(before.token,),
            width="stretch",
        )


def _card(place: Any, loaded: Loaded) -> None:
    """The selected dataset, always visible."""
    data, card = loaded.data, place.container(border=True)
    low, high = min(data.cardinalities), max(data.cardinalities)
    kind = words.STATES.format(low=low, high=high)
    if low == high:
        kind = words.BINARY if low == 2 else words.STATES_EACH.format(states=count(low, "state"))
    card.markdown(f"**{markdown(loaded.title)}**")
    lines = f"{count(data.rows, 'row')} · {count(data.n, 'variable')} · {kind}"
    if loaded.truth is not None:
        lines += f"  \n{words.TRUE.format(edges=count(loaded.truth.number_of_edges(), 'edge'))}"
    elif loaded.published is not None:
        edges = count(loaded.published.number_of_edges(), "edge")
        lines += f"  \n{words.PUBLISHED.format(edges=edges)}"
    card.caption(lines)
