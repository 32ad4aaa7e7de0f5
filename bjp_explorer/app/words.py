"""The pages in the sections of the sidebar."""

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
