"""Words of the start page."""

TITLE = "BJP Explorer"
ABOUT = "See which variables depend on each other, by the Blankets Joint Posterior score (BJP)."
LEARN, LEARN_ABOUT = "Learn how it works", "Seven lessons with live figures"
ANALYSE, ANALYSE_ABOUT = "Analyse my data", "Upload a table, see its network"
SAMPLES, SIZE = "Or see the network of a sample", "{rows:,} × {columns}"
FIGURE = "Six risk factors of {rows:,} men"
STATEMENT = (
    "Each edge claims that two factors depend on each other, each missing edge that they don’t. "
    "Do the data agree?"
)
MORE = "Step through this score with all counts"
