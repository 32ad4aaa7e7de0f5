"""The page after the last lesson: what is solved, what is still open, and where to go on."""

from __future__ import annotations

from collections.abc import Sequence

from bjp_explorer.lessons.model import Lesson, Payload
from bjp_explorer.shell.phrases import say

TITLE = say("closing.title")
# Name of the page, what to call the way there, and why to go.
DOORS = (
    ("step", say("closing.step_title"), say("closing.step_text")),
    ("climb", say("closing.climb_title"), say("closing.climb_text")),
    ("network", say("closing.network_title"), say("closing.network_text")),
    ("method", say("closing.method_title"), say("closing.method_text")),
)


def closing_page(lessons: Sequence[Lesson], states: Sequence[str]) -> Payload:
    """What the closing page says: its text, the lessons still open, the doors to other pages."""
    solved = states.count("solved")
    left = [
        {"lesson": k, "title": lesson.title}
        for k, (lesson, state) in enumerate(zip(lessons, states, strict=True), 1)
        if state != "solved"
    ]
    some = say("view.solved_some", solved=solved, lessons=len(lessons))
    return {
        "text": [some if left else say("view.solved_all", solved=solved)],
        "open": left,
        "doors": [{"page": page, "title": title, "text": text} for page, title, text in DOORS],
    }
