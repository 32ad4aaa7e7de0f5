"""Data: the current dataset, what it holds, and the ways to another one."""

import streamlit as st

from bjp_explorer.app import frame
from bjp_explorer.data import views, ways
from bjp_explorer.shell import links, visit

ways.follow(visit.current())
links.read(ways.fields(visit.current()))
loaded = frame.heading(
    "Choose the data to learn from: a sample dataset, your own file, or rows drawn from a known "
    "network."
)
# Filled at the end: what is chosen below stands above.
top = st.container()
loaded = ways.choose(loaded)
links.keep(ways.fields(loaded))

if not ways.is_waiting(loaded):
    with top:
        views.summary(loaded)
    views.variables(loaded)
    views.preview(loaded.data)
