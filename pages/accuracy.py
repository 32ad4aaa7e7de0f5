"""How good is it? The engine's searches beside other packages, on data whose network is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import streamlit as st

from bjp_explorer.accuracy import choices, words
from bjp_explorer.accuracy import figures as pictures
from bjp_explorer.accuracy.data import SUBJECT, Measured, read
from bjp_explorer.app import frame
from bjp_explorer.shell import caches, links
from bjp_explorer.shell.ending import end_page
from bjp_explorer.shell.text import count
from bjp_explorer.views.palette import current

Value = TypeVar("Value")

measured = read()
links.read(choices.fields(measured))
frame.heading(
    "How good is it?",
    "The engine’s searches compared with those of other packages, on the same data from known "
    "networks.",
)


def choose() -> tuple[Measured, tuple[object, ...]]:
    """The groups that are looked at, and what tells them from others."""
    about = "  \n".join(f"{name}: {told}." for name, told in words.DISTRIBUTIONS.values())
    choices.kinds(measured).buttons(st, "How the data were made", help=about)
    choices.rows(measured).buttons(st, "Rows")
    choices.networks(measured).menu(more, "Networks", placeholder="All of them")
    if len(measured.compared) > 1:
        choices.samples(measured).buttons(
            more,
            "Samples of each group",
            help="The slowest methods were run on the first sample of each group only.",
        )
    return choices.chosen(measured)


def choose_methods() -> list[str]:
    """The methods that are compared; the one that is judged is always among them."""
    label = f"Compare {measured.title(SUBJECT)} with"
    return [SUBJECT, *choices.methods(measured, found).menu(more, label)]


top, filters = st.container(), st.container()
more = st.expander("Networks, samples and methods", icon=":material/tune:")
with filters:
    found, chosen = choose()
if SUBJECT not in set(found.means["method"]):
    st.info("There are no data of this kind; choose another.", icon=":material/checklist:")
    end_page()
methods = choose_methods()
table = found.standings(methods)
shared = found.common(methods).groupby(["network", "distribution", "rows"]).ngroups
seeds = found.means["seeds"].iloc[0]
palette = current()


def drawn(what: str, make: Callable[[], Value]) -> Value:
    """A figure or a table of this choice, made once for all visits."""
    return caches.drawn(("accuracy", what, *chosen, *methods, palette), make)


with top:
    st.markdown(words.introduction(found, seeds))
    st.markdown(words.verdict(found, methods))
    st.markdown(words.defeats(found))

st.subheader("Distance from the true network", anchor=False)
st.caption(
    f"Each point is a group. Each bar is the mean of the {count(shared, 'group')} in which all "
    "these methods have a result: some accept only binary data, some ran out of time. Left is "
    "better. Filled points are this engine’s. Points beyond "
    f"{pictures.FAR} are drawn at the right edge."
)
st.plotly_chart(
    drawn("strips", lambda: pictures.strips(found, table, palette)),
    key="accuracy-strips",
    config=pictures.SETTINGS,
    alt=words.strip_text(table, found),
)

st.subheader("All methods", anchor=False)
st.caption(
    "“Closest” counts the groups where no other method was closer to the true network, ties "
    f"included. The last column counts the groups that {measured.title(SUBJECT)} wins, ties and "
    "loses against the method."
)
st.dataframe(
    drawn("summary", lambda: pictures.summary(found, table)),
    hide_index=True,
    key="accuracy-table",
    column_config={
        "#": st.column_config.NumberColumn(width=40, pinned=True),
        "method": st.column_config.TextColumn(width=250),
        "wrong per true edge": st.column_config.NumberColumn(format="%.3f"),
        "nearest": st.column_config.NumberColumn("closest", format="%.0f %%"),
        "within 10 %": st.column_config.NumberColumn(format="%.0f %%"),
        "mean F1": st.column_config.NumberColumn(format="%.3f"),
        "median seconds": st.column_config.NumberColumn(format="%.3g"),
    },
)

st.subheader("Accuracy and time", anchor=False)
st.caption(
    "The numbers are those of the table. Filled marks are this engine’s. Lower is closer to the "
    "true network, left is faster: processor time on one core, without start-up and reading."
)
st.plotly_chart(
    drawn("times", lambda: pictures.times(found, table, palette)),
    key="accuracy-times",
    config=pictures.SETTINGS,
    alt=words.times_text(table, found),
)

st.subheader("Every group", anchor=False)
st.caption(
    "Mean number of wrong edges. ✓ marks the method closest to the true network. The deeper a "
    "cell’s colour, the further its method is from the closest one; – means no result."
)
st.dataframe(
    drawn("grid", lambda: pictures.grid(found, list(table.index), palette)),
    key="accuracy-grid",
    height=520,
    placeholder="–",
    # Only the network stays in sight, or a phone would show nothing else.
    column_config={
        name: st.column_config.Column(pinned=False) for name in ("distribution", "rows")
    },
)

st.subheader("How it was done", anchor=False)
st.markdown(
    f"These data have the seeds {', '.join(seeds.split())}; every choice in "
    f"{measured.title(SUBJECT)} was made on seeds from 1000 on. A method that finds a directed "
    "graph is judged by its moral graph and by its skeleton. A method that finds neighbourhoods is "
    "judged by the edges that both ends claim and by those that either end claims. The page shows "
    "the better of the two by default. `docs/benchmarks.md` has the versions, the intervals and "
    "the commands to measure it again."
)
links.keep(choices.fields(measured))
