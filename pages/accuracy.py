"""How good is it? The engine's searches beside other packages, on data whose network is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import plotly.graph_objects as go
import streamlit as st

from bjp_explorer.accuracy import calibration, choices, limit, words
from bjp_explorer.accuracy import figures as pictures
from bjp_explorer.accuracy.data import SUBJECT, Measured, read
from bjp_explorer.app import frame
from bjp_explorer.shell import caches, links
from bjp_explorer.shell.ending import end_page
from bjp_explorer.views.palette import current
from bjp_explorer.views.sections import show_contents, show_heading

Value = TypeVar("Value")

measured, probabilities = read(), calibration.read()
links.read(choices.fields(measured, probabilities))
frame.heading(words.ABOUT)
view = choices.VIEW.buttons(st, words.VIEW, label_visibility="collapsed", wrap=True)


def choose_groups() -> tuple[Measured, tuple[object, ...]]:
    """The groups that are looked at, and what tells them from others."""
    choices.kinds(measured).buttons(data_box, words.KINDS, help=words.kinds_help())
    choices.rows(measured).buttons(data_box, words.ROWS)
    choices.networks(measured).menu(data_box, words.NETWORKS, placeholder=words.ALL_NETWORKS)
    if len(measured.seed_sets) > 1:
        choices.samples(measured).buttons(data_box, words.SAMPLES, help=words.SAMPLES_HELP)
    return choices.select_groups(measured)


def choose_methods() -> list[str]:
    """The methods that are compared; the one that is judged is always among them."""
    label = words.methods_label(measured)
    return [SUBJECT, *choices.methods(measured, found).menu(method_box, label)]


def draw_once(what: str, make: Callable[[], Value]) -> Value:
    """A figure or a table of this choice, made once for all visits."""
    return caches.drawn(("accuracy", what, *chosen, *methods, palette), make)


def show_chart(name: str, caption: str, alt: str, make: Callable[[], go.Figure]) -> None:
    """A chart of the groups that all methods share, or that there are none."""
    if not shared:
        st.info(words.NOTHING_SHARED, icon=":material/checklist:")
        return
    st.caption(caption)
    st.plotly_chart(
        draw_once(name, make), key=f"accuracy-{name}", config=pictures.SETTINGS, alt=alt
    )


def show_probabilities() -> None:
    """Of the pairs with some probability, how many are edges."""
    place = st.container()
    row = st.container(horizontal=True, vertical_alignment="center")
    kind = choices.KIND.menu(row, words.KIND, width=220)
    rows = choices.size(probabilities["rows"]).menu(row, words.SIZE, width=140)
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
    links.keep(choices.fields(measured, probabilities))
    end_page()

top = st.container()
bar = st.container(horizontal=True, vertical_alignment="center")
data_box = bar.popover(words.DATA, icon=":material/tune:")
method_box = bar.popover(words.METHODS, icon=":material/checklist:")
found, chosen = choose_groups()
if SUBJECT not in set(found.means["method"]):
    st.info(words.NO_DATA, icon=":material/checklist:")
    end_page()
methods = choose_methods()
table = found.standings(methods)
shared = found.common(methods).groupby(["network", "distribution", "rows"]).ngroups
seeds = found.means["seeds"].iloc[0]
palette = current()

with top:
    st.markdown(words.finding(found, methods))
show_contents(bar, words.SECTIONS)

show_chart(
    "strips",
    words.strips_caption(shared, pictures.FAR),
    words.strip_text(table, found),
    lambda: pictures.strips(found, table, palette),
)

show_heading(words.SECTIONS, "loses")
st.markdown(words.defeats(found))

show_heading(words.SECTIONS, "methods")
st.caption(words.methods_caption(measured))
st.dataframe(
    draw_once("summary", lambda: pictures.summary(found, table)),
    hide_index=True,
    key="accuracy-table",
    column_config=pictures.SUMMARY_COLUMNS,
)

show_heading(words.SECTIONS, "time")
show_chart(
    "times",
    words.TIME_CAPTION,
    words.times_text(table, found),
    lambda: pictures.times(found, table, palette),
)

show_heading(words.SECTIONS, "groups")
st.caption(words.GROUPS_CAPTION)
st.dataframe(
    draw_once("grid", lambda: pictures.grid(found, list(table.index), palette)),
    key="accuracy-grid",
    height=520,
    placeholder="–",
    # Only the network stays in sight, or a phone would show nothing else.
    column_config={
        name: st.column_config.Column(pinned=False) for name in ("distribution", "rows")
    },
)

show_heading(words.SECTIONS, "how")
st.markdown(words.how(found, seeds))
links.keep(choices.fields(measured, probabilities))
