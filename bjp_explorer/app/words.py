"""Words around every page: the sidebar, and what stands there when a page fails."""

# Sections of the sidebar; each page by the name of its file and of its URL. The first is at "/".
PAGES = {
    "": {
        "start": "Start",
        "data": "Data",
        "network": "Your network",
        "groups": "Groups",
    },
    "Learn": {
        "lessons": "Lessons",
        "practice": "Practice",
        "step": "Step through the score",
        "climb": "Watch the climb",
        "scores": "Scores side by side",
        "graphs": "All graphs",
    },
    "About": {
        "accuracy": "How good is it?",
        "method": "About the method",
    },
}
ABOUT = "**BJP Explorer** shows how a computer learns a Markov network from data, test by test."
TAB = "{page} · BJP Explorer"
FAILED = (
    "This page failed; the log has the details. "
    "Choosing the data again on the page Data usually helps."
)
# Pages that show what one table gives.
ONE_TABLE = ("step", "climb", "scores", "graphs", "groups")
# Pages that show the paper's scores.
PAPERS_SCORES = ("step", "climb", "scores", "graphs")
DATASET, BACK = "Dataset: {title}", "Back to {title}"
BINARY, STATES, STATES_EACH = "binary", "{low}–{high} states", "{states} each"
TRUE, PUBLISHED = "true network: {edges}", "published graph: {edges}"
