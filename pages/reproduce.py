"""Reproduce the paper: its tables recomputed, beside the figures that it prints."""

from __future__ import annotations

from functools import partial
from itertools import groupby

import streamlit as st

from bjp_engine.errors import Cancelled, DataError
from bjp_engine.search.many import cores
from bjp_explorer.app import frame
from bjp_explorer.downloads.button import file_stem, offer
from bjp_explorer.jobs import results
from bjp_explorer.reproduce import claims as reading
from bjp_explorer.reproduce import figures as pictures
from bjp_explorer.reproduce import sizes, tables, visit, words
from bjp_explorer.reproduce.data import View, compare_rows
from bjp_explorer.reproduce.downloads import formats
from bjp_explorer.reproduce.runs import Run
from bjp_explorer.reproduce.sizes import SHIPPED
from bjp_explorer.shell import caches, links
from bjp_explorer.views.palette import current
from bjp_explorer.views.sections import show_contents, show_heading

links.read(visit.FIELDS)
frame.heading(words.HEADING)
COLUMNS = 3
# Seconds between two drawings of a run's rows: often enough to watch, seldom enough to click.
REDRAWN = 2.0
# Pixels of the table's columns, by the length of their names: of a letter, and at least.
LETTER, LEAST = 8.5, {"network": 100, "N": 60}
palette = current()

bar = st.container(horizontal=True, gap="medium", vertical_alignment="bottom")
visit.TABLE.buttons(bar, words.TABLE)
visit.SIZE.menu(bar, words.SIZE, help=words.SIZES_HELP, width=180)
if visit.SIZE.get() != SHIPPED:
    visit.SEED.box(bar, words.SEED, help=words.SEED_HELP, width=120)
links.copy_button(bar)
choice = visit.current_choice()
begun = choice.run
run = begun if begun is not None and not begun.job.ended else None


@st.fragment(run_every=0.25)
def follow(begun: Run) -> None:
    """A bar that looks at the run until it ends, then shows the page again."""
    if begun.job.wait(0):
        st.rerun()
    pace = begun.pace
    bar, button = st.columns([5, 1], vertical_alignment="center")
    bar.progress(
        pace.done / pace.total if pace.total else 0.0,
        words.progress(words.name_run(choice.table, choice.size), pace, begun.job.seconds),
    )
    button.button(
        words.CANCEL, key="reproduce-cancel", on_click=choice.cancel, icon=":material/cancel:"
    )


def explain_failure(error: BaseException | None) -> None:
    """Why a run has ended, where it was not its end and nobody asked for it."""
    if isinstance(error, ChildProcessError):
        st.error(words.KILLED, icon=":material/memory:")
    elif error is not None and not isinstance(error, Cancelled):
        results.tell(error)


def rows_so_far(*, running: bool = False, report: bool = False) -> View | None:
    """What there is of it; None before the first row, and where the file can't be read."""
    try:
        return choice.rows(running=running)
    except DataError as error:
        if report:
            results.tell(error)
        return None


def offer_run(done: int) -> None:
    """What it takes, and the button that begins it or goes on."""
    experiment = choice.experiment
    took = sizes.estimate(experiment, choice.included.results)
    left = took * (1 - done / experiment.size)
    st.markdown(words.offer(experiment, done, left, cores()))
    if done < experiment.size:
        st.button(
            words.RESUME if done else words.RUN,
            type="primary",
            key="reproduce-run",
            on_click=choice.start,
            icon=":material/play_arrow:",
        )


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
    if not view.claims:
        st.markdown(words.NO_CLAIMS)
    for kind, some in groupby(view.claims, key=lambda one: one.kind):
        listed = list(some)
        lines = [f"- {reading.claim(one, view.experiment.rows)}" for one in listed]
        st.markdown(f"{reading.KINDS[kind]}: {reading.tally(listed)}")
        st.markdown("\n".join(lines))


@st.fragment(run_every=REDRAWN if run else None)
def show_rows() -> None:
    """Finding, figures, table and claims of the rows that there are."""
    view = rows_so_far(running=run is not None)
    if view is None:
        if not run:
            st.info(words.NOTHING_RUN, icon=":material/inventory_2:")
        view = choice.included
    st.markdown(words.finding(view))
    if view is not choice.included:
        st.markdown(
            words.compare_with_included(compare_rows(view.results, choice.included.results))
        )
    line = st.container(horizontal=True, gap="medium", vertical_alignment="center")
    draw = visit.DRAW.buttons(
        line,
        words.SHOW,
        format_func=lambda one: words.measure(one, view.experiment),
        label_visibility="collapsed",
    )
    times = draw == visit.TIMES
    show_contents(line, words.SECTIONS)
    with st.container(key="chart-key"):
        st.html(pictures.draw_key(palette))
        st.caption(words.charts_caption(times, view.experiment))
    draw_charts(view, times)
    show_table(view, times)
    show_claims(view)
    links.keep(visit.FIELDS)


if choice.size != SHIPPED:
    with st.container(border=True):
        if begun and begun.job.ended:
            explain_failure(begun.job.error)
        if run:
            follow(run)
        else:
            rows = rows_so_far(report=True)
            offer_run(len(rows.results) if rows else 0)
show_rows()
show_heading(words.SECTIONS, "how")
st.markdown(words.ABOUT[choice.table])
if choice.size == SHIPPED:
    st.markdown(words.describe_included(choice.experiment))
    st.code(sizes.command([choice.experiment]), language=None)
if not run:
    own = rows_so_far()
    size = choice.size if own else SHIPPED
    offer(formats((own or choice.included).results), file_stem(choice.table, size), "reproduce")
