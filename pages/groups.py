"""Groups: networks of two or more groups side by side, and a test whether they differ."""

from __future__ import annotations

import networkx as nx
import streamlit as st

from bjp_engine.confidence.many_groups import MOST_GROUPS
from bjp_engine.dataset import Name
from bjp_engine.errors import BJPError
from bjp_engine.search import SearchTrace
from bjp_explorer.app import frame
from bjp_explorer.groups import choices, parts, permuted, views, words
from bjp_explorer.groups.parts import Groups
from bjp_explorer.jobs import results
from bjp_explorer.shell import links, origins, visit
from bjp_explorer.shell.choices import choice_of_search
from bjp_explorer.shell.ending import end_page
from bjp_explorer.shell.text import prose

links.read(choices.fields(visit.current()))
loaded = frame.heading(words.ABOUT)


def choose_parts() -> Groups:
    """The groups, from the widgets above; the page ends where there are none."""
    if isinstance(column, str):
        other = visit.uploads()[column]
        made = parts.of_files(loaded, other)
        apart = parts.state_differences(loaded, other)
        if apart:
            st.warning(words.warn_of_states(apart), icon=":material/difference:")
        return made
    if not states or len(states) > MOST_GROUPS:
        st.info(words.TOO_MANY if states else words.NO_STATE, icon=":material/info:")
        end_page()
    if left_out := parts.describe_left_out(loaded, column):
        st.info(prose(left_out), icon=":material/info:")
    return parts.by_states(loaded, column, states)


by = choices.by_of(loaded)
if not by.labels:
    st.info(words.NO_COLUMN, icon=":material/info:")
    end_page()
bar = st.container(horizontal=True, vertical_alignment="bottom")
column = by.menu(bar, words.BY, width=190)
states: list[int] = []
if isinstance(column, int):
    chooser = choices.states_of(loaded, column)
    states = chooser.menu(bar, words.STATES, help=words.STATES_HELP, width=300)
search = choice_of_search(loaded, "groups-search").buttons(bar, words.SEARCH)
links.copy_button(bar)
if isinstance(column, int) and column < loaded.data.n < 3:
    st.info(words.FEW_VARIABLES, icon=":material/info:")
    end_page()
try:
    groups = choose_parts()
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
    st.subheader(words.TEST_HEADING, anchor=False)
    found = permuted.find(groups, search, traces)
    if found is not None:
        views.show_comparisons(loaded, groups, search, found)
links.keep(choices.fields(loaded))
