"""`python -m benchmarks paper`: the numbers of docs/paper/paper.md.

Results are those of docs/benchmarks.md, docs/calibration.md and docs/reproduction.md, which their
own commands write; what the teaching material holds is counted.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from benchmarks import marked
from bjp_engine import exercises, networks
from bjp_explorer.lessons.course import LESSONS
from bjp_explorer.practice.sheets import FORMATS
from bjp_explorer.shell.sources import samples

DOCUMENT = "paper/paper.md"
# A directed graph is judged in two ways, neighbourhoods in two others.
WAYS = (" · skeleton", " · moral", " · and", " · or")


def cells(line: str) -> list[str]:
    """What a line of a table has, from left to right."""
    return [cell.strip() for cell in line.strip().strip("|").split("|")]


def rows(document: str, name: str) -> list[list[str]]:
    """The lines of a block's first table, its heading among them."""
    (first, *_) = re.split(r"\n\n(?=\|)", marked.read(document, name).strip())
    found = [line for line in first.splitlines() if line.startswith("|")]
    return [cells(line) for line in (found[0], *found[2:])]


def table(lines: list[list[str]]) -> str:
    """A table in Markdown; its first column is text."""
    head, *body = (f"| {' | '.join(line)} |" for line in lines)
    return "\n".join((head, "|:--" + "|--:" * (len(lines[0]) - 1) + "|", *body))


def accuracy() -> str:
    """The comparison with other methods, each by its better form."""
    sentence, *_ = marked.read("benchmarks.md", "summary").strip().split("\n\n")
    best: dict[str, list[str]] = {}
    for name, datasets, won, wrong, _, _, seconds in rows("benchmarks.md", "against")[1:]:
        form = next((way for way in WAYS if name.endswith(way)), "")
        _, theirs = wrong.split(" against ")
        plain = name.removesuffix(form)
        if plain not in best or float(theirs) < float(best[plain][3].split(" against ")[1]):
            best[plain] = [name, datasets, won, wrong, seconds]
    head = ["BJP, auto, against", "datasets", "won – equal – lost", "wrong edges", "seconds"]
    goals = rows("benchmarks.md", "goals")[1:]
    missed = [
        f"{name} ({found}, goal {to})" for name, found, to, reached in goals if reached == "NO"
    ]
    told = f"Of {len(goals)} goals set for *auto*, {len(missed)} are missed: {'; '.join(missed)}."
    return f"{sentence}\n\n{table([head, *best.values()])}\n\n{told}"


def calibration() -> str:
    """How right the calibrated probabilities are."""
    return table([line[:2] for line in rows("calibration.md", "calibration")])


def agreement() -> str:
    """How many of the paper's figures and claims hold on our rows."""
    figures = [line[:3] for line in rows("reproduction.md", "agreements")]
    counted = rows("reproduction.md", "counts")[1:]
    hold, unclear, refuted = (sum(int(line[k]) for line in counted) for k in (1, 2, 3))
    claims = f"Of {hold + unclear + refuted} claims, {hold} hold, {unclear} stay open"
    # The last line of the figures adds two others up.
    return f"{table(figures[:-1])}\n\n{claims}, and {refuted} is refuted."


def material() -> str:
    """What there is to teach with."""
    steps = sum(len(lesson.steps) for lesson in LESSONS)
    asked = sum(len(lesson.questions) for lesson in LESSONS)
    numbers: Mapping[str, int] = {
        "lessons": len(LESSONS),
        "steps of lessons, each with a live figure": steps,
        "questions in lessons": asked,
        "kinds of exercises": len(exercises.KINDS),
        "levels of each kind": len(exercises.LEVELS),
        "formats of a sheet of exercises": len(FORMATS),
        "datasets": len(samples()),
        "networks with known truth": len(networks.names()),
    }
    return table([["material", "number"], *([name, str(n)] for name, n in numbers.items())])


PARTS = {
    "accuracy": accuracy,
    "calibration": calibration,
    "agreement": agreement,
    "material": material,
}


def main() -> None:
    """Write every part where the paper has a place for it."""
    for name, part in PARTS.items():
        marked.write(DOCUMENT, f"paper-{name}", part(), command="paper")
        print(part(), end="\n\n")
