"""Words of the start page."""

TITLE = "BJP Explorer"
ABOUT = "See how a computer learns which variables of a table depend on each other, test by test."
LEARN, LEARN_ABOUT = "Learn how it works", "Eight lessons with live figures"
ANALYSE, ANALYSE_ABOUT = "Analyse my data", "Upload a table, see its network"
SAMPLES, SIZE = "Or see the network of a sample", "{rows:,} × {columns}"
FIGURE = "Six risk factors of {rows:,} men"
MORE = "Step through this score with all counts"
