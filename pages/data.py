"""Data: choose a dataset and see what it holds."""

from bjp_explorer.app import frame
from bjp_explorer.data import views, ways

loaded = frame.heading(
    "Data",
    "Choose the data to learn from: a sample dataset, your own file, or rows drawn from a known "
    "network.",
)
loaded = ways.choose(loaded)

views.summary(loaded)
views.next_steps(loaded)
views.variables(loaded)
views.preview(loaded.data)
