"""Words of the start page."""

TITLE = "BJP Explorer"
ABOUT = "See how a computer finds which variables depend on each other."
LEARN, LEARN_ABOUT = "Learn how it works", "Begin: seven lessons with live figures"
CONTINUE = "Continue lesson {lesson}"
ANALYSE, ANALYSE_ABOUT = "Analyse my data", "Upload a table, see its network"
SAMPLES, SIZE = "Or see the network of a sample", "{rows:,} × {columns}"
FIGURE = "Six risk factors of {rows:,} men, the graph learned by BJP"
STATEMENT = (
    "Each edge claims that two factors depend on each other, each missing edge that they don’t. "
    "Do the data agree?"
)
MORE = "Step through this score with all counts"
