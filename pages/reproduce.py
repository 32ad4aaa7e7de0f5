"""Reproduce the paper: its tables recomputed, beside the figures that it prints."""

from __future__ import annotations

from functools import partial
from itertools import groupby

import streamlit as st

from bjp_explorer.app import frame
from bjp_explorer.downloads.button import file_stem, offer
from bjp_explorer.reproduce import claims as reading
from bjp_explorer.reproduce import figures as pictures
from bjp_explorer.reproduce import tables, words
from bjp_explorer.reproduce.data import View, read_shipped
from bjp_explorer.reproduce.downloads import formats
from bjp_explorer.shell import caches, links
from bjp_explorer.shell.choices import OneOf
from bjp_explorer.views.palette import current
from bjp_explorer.views.sections import show_contents, show_heading

TABLE = OneOf(
    "table",
    "reproduce-table",
    "table-1",
    words.TABLES,
    {table: table.removeprefix("table-") for table in words.TABLES},
)
OUTCOME, TIMES = "outcome", "times"
DRAW = OneOf("show", "reproduce-draw", OUTCOME, {OUTCOME: OUTCOME, TIMES: TIMES})
FIELDS = (TABLE, DRAW)
COLUMNS = 3
# Pixels of the table's columns, by the length of their names: of a letter, and at least.
LETTER, LEAST = 8.5, {"network": 100, "N": 60}
palette = current()


def draw_charts(view: View, times: bool) -> None:
    """A chart for each network."""
    networks = view.experiment.networks
    columns = COLUMNS if len(networks) % COLUMNS == 0 else 2
    make = pictures.times if times else pictures.outcome
    for k in range(0, len(networks), columns):
        row = zip(st.columns(columns), networks[k : k + columns], strict=True)
        for at, (place, network) in enumerate(row, k):
            place.markdown(f"**{network}**")
            place.plotly_chart(
                caches.drawn(
                    (view, network, times, palette), partial(make, view, network, palette)
                ),
                key=f"reproduce-{at}-{times}",
                config=pictures.SETTINGS,
                alt=pictures.describe_chart(view, network, seconds=times),
            )


def show_table(view: View, times: bool) -> None:
    """Every figure beside the paper's."""
    make = tables.times if times else tables.figures
    table = caches.drawn((view, times, palette), partial(make, view, palette))
    show_heading(words.SECTIONS, "figures")
    st.caption(words.table_caption(times, view.experiment))
    st.dataframe(
        table,
        hide_index=True,
        key="reproduce-figures",
        height=420,
        column_config={
            name: st.column_config.TextColumn(
                width=LEAST.get(name, max(92, round(LETTER * len(name)))),
                alignment="right" if k else "left",
                pinned=k < 2,
            )
            for k, name in enumerate(table.columns)
        },
    )


def show_claims(view: View) -> None:
    """The paper's claims, kind by kind."""
    show_heading(words.SECTIONS, "claims")
    st.caption(words.CLAIMS_CAPTION)
    for kind, some in groupby(view.claims, key=lambda one: one.kind):
        listed = list(some)
        lines = [f"- {reading.claim(one, view.experiment.rows)}" for one in listed]
        st.markdown(f"{reading.KINDS[kind]}: {reading.tally(listed)}")
        st.markdown("\n".join(lines))


links.read(FIELDS)
frame.heading(words.HEADING)
bar = st.container(horizontal=True, gap="medium", vertical_alignment="bottom")
table = TABLE.buttons(bar, words.TABLE)
links.copy_button(bar)
view = read_shipped()[table]
st.markdown(words.finding(view))
line = st.container(horizontal=True, gap="medium", vertical_alignment="center")
draw = DRAW.buttons(
    line,
    words.SHOW,
    format_func=lambda one: words.measure(one, view.experiment),
    label_visibility="collapsed",
)
times = draw == TIMES
show_contents(line, words.SECTIONS)
with st.container(key="chart-key"):
    st.html(pictures.draw_key(palette))
    st.caption(words.charts_caption(times, view.experiment))
draw_charts(view, times)
show_table(view, times)
show_claims(view)
show_heading(words.SECTIONS, "how")
st.markdown(words.ABOUT[table])
st.markdown(words.describe_included(view.experiment))
st.code(f"bjp experiment {table} --out results", language=None)
offer(formats(view.results), file_stem(table), "reproduce")
links.keep(FIELDS)
