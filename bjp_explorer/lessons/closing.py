"""The page after the last lesson: what is solved, what is still open, and where to go on."""

from __future__ import annotations

from collections.abc import Sequence

from bjp_explorer.lessons.model import Lesson, Payload, prose

TITLE = "The end of the lessons"
# Name of the page, what to call the way there, and why to go.
DOORS = (
    ("step", "Step through the score", "Watch every test of a whole score, down to its counts."),
    ("climb", "Watch the climb", "Follow a search from the empty graph, flip by flip."),
    (
        "network",
        "Analyse your own data",
        "Learn a network from a file and see how probable each edge is.",
    ),
    ("method", "About the method", "Look up the definitions, the formulas and the paper."),
)


def closing_page(lessons: Sequence[Lesson], states: Sequence[str]) -> Payload:
    """What the closing page says: its text, the lessons still open, the doors to other pages."""
    solved = states.count("solved")
    left = [
        {"lesson": k, "title": lesson.title}
        for k, (lesson, state) in enumerate(zip(lessons, states, strict=True), 1)
        if state != "solved"
    ]
    done = (
        f"You have solved all {solved} lessons: edges, tests, blankets, the order ψ, what is "
        "inferred, and the climb that combines them."
        if not left
        else f"You have solved {solved} of the {len(lessons)} lessons. "
        "The questions of these are still open:"
    )
    return {
        "text": list(prose(done)),
        "open": left,
        "doors": [{"page": page, "title": title, "text": text} for page, title, text in DOORS],
    }
