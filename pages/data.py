"""Data: choose a dataset and see what it holds."""

from bjp_explorer import data_views, data_ways, frame

loaded = frame.heading(
    "Data",
    "Choose what to learn from: a sample dataset, a file of your own, or rows drawn from a network "
    "that is known.",
)
loaded = data_ways.choose(loaded)

data_views.summary(loaded)
data_views.next_steps(loaded)
data_views.variables(loaded)
data_views.preview(loaded.data)
