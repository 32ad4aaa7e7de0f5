"""How good is it? The engine's searches beside other packages, on data whose network is known."""

from __future__ import annotations

from collections.abc import Callable

import plotly.graph_objects as go
import streamlit as st

from bjp_explorer.accuracy import calibration, choices, limit, words
from bjp_explorer.accuracy import figures as pictures
from bjp_explorer.accuracy.data import read
from bjp_explorer.app import frame
from bjp_explorer.shell import caches, links
from bjp_explorer.shell.ending import end_page
from bjp_explorer.views.palette import current
from bjp_explorer.views.sections import show_contents, show_heading

probabilities = calibration.read()
links.read(choices.fields(probabilities))
frame.heading(words.ABOUT)
view = choices.VIEW.buttons(st, words.VIEW, label_visibility="collapsed", wrap=True)


def show_chart(name: str, alt: str, make: Callable[..., go.Figure]) -> None:
    """A chart of all groups, made once for all visits."""
    chart = caches.drawn(("accuracy", name, palette), lambda: make(found, table, palette))
    st.plotly_chart(chart, key=f"accuracy-{name}", config=pictures.SETTINGS, alt=alt)


def show_probabilities() -> None:
    """Of the pairs with some probability, how many are edges."""
    place = st.container()
    row = st.container(horizontal=True, vertical_alignment="center")
    kind = choices.KIND.menu(row, words.KIND, width=220)
    rows = choices.size(probabilities).menu(row, words.SIZE, width=140)
    chosen = calibration.select(probabilities, kind, rows)
    place.markdown(words.calibrated(**calibration.figures(chosen)))
    st.caption(words.DIAGRAM_CAPTION)
    st.plotly_chart(
        calibration.diagram(chosen, current()),
        key="accuracy-diagram",
        config=pictures.SETTINGS,
        alt=words.diagram_text(calibration.bins(chosen)),
    )
    st.subheader(words.BY_KIND_TITLE, anchor=False)
    st.markdown(words.falls_short(*calibration.shortcomings(probabilities)))
    st.dataframe(
        calibration.by_kind(calibration.select(probabilities, "", rows)),
        hide_index=True,
        key="accuracy-kinds",
        column_config=calibration.COLUMNS,
    )
    st.caption(words.BY_KIND_CAPTION)


def show_limit() -> None:
    """How many wrong edges nobody can avoid."""
    found = limit.read()
    st.markdown(words.nearest(found))
    st.caption(words.describe_limit(found))
    st.plotly_chart(
        limit.chart(found, current()),
        key="accuracy-limit",
        config=pictures.SETTINGS,
        alt=words.limit_text(found),
    )
    st.table(limit.table(found), border="horizontal", hide_index=True)


if view != "others":
    {"limit": show_limit, "calibration": show_probabilities}[view]()
    links.keep(choices.fields(probabilities))
    end_page()

found, palette = read(), current()
table = found.standings(found.usual)
st.markdown(words.finding(found, found.usual))
show_contents(st.container(horizontal=True), words.SECTIONS)
st.caption(words.strips_caption(len(found.common(found.usual)) // len(table), pictures.FAR))
show_chart("strips", words.strip_text(table, found), pictures.strips)
show_heading(words.SECTIONS, "loses")
st.markdown(words.defeats(found))
show_heading(words.SECTIONS, "methods")
st.caption(words.methods_caption(found))
st.dataframe(
    pictures.summary(found, table),
    hide_index=True,
    key="accuracy-table",
    column_config=pictures.SUMMARY_COLUMNS,
)
show_heading(words.SECTIONS, "time")
st.caption(words.TIME_CAPTION)
show_chart("times", words.times_text(table, found), pictures.times)
show_heading(words.SECTIONS, "how")
st.markdown(words.how(found))
links.keep(choices.fields(probabilities))
