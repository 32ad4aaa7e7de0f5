"""Groups: networks of two or more groups side by side, and a test whether they differ."""

from __future__ import annotations

import networkx as nx
import streamlit as st

from bjp_engine.confidence.groups import MOST_GROUPS
from bjp_engine.dataset import Name
from bjp_engine.errors import BJPError
from bjp_engine.search import SearchTrace
from bjp_explorer.app import frame
from bjp_explorer.groups import parts, views
from bjp_explorer.jobs import results
from bjp_explorer.shell import links, origins, visit
from bjp_explorer.shell.choices import choice_of_search
from bjp_explorer.shell.text import prose
from bjp_explorer.shell.visit import end_page

links.read(parts.fields(visit.current()))
loaded = frame.heading(
    "Each group’s network, learned from its own rows; then a test whether they differ."
)
by = parts.by_of(loaded)
if not by.labels:
    st.info(
        "No variable has 2 to 12 states, so none makes groups. To compare two files, upload both "
        "on the page Data, then come back.",
        icon=":material/info:",
    )
    end_page()
bar = st.container(horizontal=True, vertical_alignment="bottom")
column = by.menu(bar, "Groups", width=190, placeholder="Choose a column")
if column is None:
    st.info("Choose the column whose states are the groups.", icon=":material/info:")
    end_page()
states: list[int] = []
if isinstance(column, int):
    states = parts.states_of(loaded, column).menu(
        bar,
        "States",
        help="Two states are compared with each other, three to six in pairs, and one state with "
        "all other rows.",
        width=420,
    )
search = choice_of_search(loaded, "groups-search").buttons(bar, "Search")
links.copy_button(bar)
problem = ""
if isinstance(column, int):
    if column < loaded.data.n < 3:
        problem = "Two variables are needed besides the one that makes the groups."
    elif not states:
        problem = "Choose one state or more. One state is compared with all other rows."
    elif len(states) > MOST_GROUPS:
        problem = "Choose at most six states: every pair of them is compared."
if problem:
    st.info(problem, icon=":material/info:")
    end_page()
try:
    if isinstance(column, int):
        groups, left_out = parts.by_states(loaded, column, states)
        if left_out:
            st.info(prose(left_out), icon=":material/info:")
    else:
        other = visit.uploads()[column]
        groups = parts.of_files(loaded, other)
        if apart := parts.state_differences(loaded, other):
            st.warning(views.warn_of_states(apart), icon=":material/difference:")
except BJPError as why:
    st.error(prose(str(why)), icon=":material/error:")
    end_page()
traces: dict[str, SearchTrace] = {}
for name, part in groups.items():
    trace = results.learned(part, "bjp", search)
    if trace is None:
        end_page()
    traces[name] = trace
graphs: dict[str, nx.Graph[Name]] = {name: trace.graph for name, trace in traces.items()}
views.show_networks(loaded, groups, graphs)
if all(map(origins.is_whole, traces.values())):
    st.subheader("Do the networks differ by more than chance?", anchor=False)
    found = views.test_groups(groups, search, traces)
    if found is not None:
        views.show_comparisons(loaded, groups, search, found)
links.keep(parts.fields(loaded))
