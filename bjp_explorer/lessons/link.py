"""What *Lessons* keeps in its URL: lesson, step, and whether it is shown on a projector."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from bjp_explorer.lessons import visit
from bjp_explorer.lessons.course import CLOSING, LESSONS
from bjp_explorer.shell import links
from bjp_explorer.shell.links import Field


def fields() -> Iterator[Field]:
    """The page's choices. What steps there are depends on the lesson, which comes first."""
    yield links.whole("lesson", visit.LESSON, 1, len(LESSONS), 1)
    lesson, _ = visit.at()
    last = CLOSING[1] if lesson == CLOSING[0] else len(LESSONS[lesson - 1].steps)
    step = links.whole("step", visit.STEP, 1, last, 1)
    # The step of a lesson that is none means nothing.
    yield replace(step, read=lambda _: 1) if links.told() else step
    yield links.choice("projector", visit.PROJECTOR, ("0", "1"), "0")
