"""What a rule finds in a table: a record with a sentence and the steps that would answer it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bjp_engine.preparation import Step
from bjp_engine.records import FrozenMapping, record
from bjp_engine.validate import Name

# Worst first, with what a person reads.
SEVERITIES = {
    "stop": "must be resolved",
    "serious": "serious",
    "warning": "check this",
    "note": "good to know",
}
# What each kind is called, and how severe it is. Of equally severe ones the first here comes first.
_KINDS = {
    "few_variables": ("Fewer than two variables", "stop"),
    "lines": ("Lines that are no rows", "serious"),
    "frequencies": ("Frequencies", "serious"),
    "missing": ("Missing cells", "stop"),
    "multiple_choice": ("Choices of one question", "serious"),
    "several_answers": ("Several answers in a cell", "serious"),
    "empty": ("Empty columns", "serious"),
    "identifier": ("Identifiers", "serious"),
    "repeated": ("Several rows of one person", "serious"),
    "text": ("Free text or codes", "serious"),
    "numbers": ("Many distinct numbers", "serious"),
    "copies": ("Copies of another variable", "serious"),
    "blankets": ("Rows per configuration", "warning"),
    "missing_codes": ("Codes of missing cells", "warning"),
    "weights": ("Survey weights", "warning"),
    "date": ("Dates", "warning"),
    "constant": ("Constant columns", "warning"),
    "spelling": ("Several spellings", "warning"),
    "mostly_missing": ("Mostly missing", "warning"),
    "near_copies": ("Near copies of another variable", "warning"),
    "numbers_as_text": ("Numbers among text", "warning"),
    "rare": ("Rare states", "note"),
    "unused": ("Unused states", "note"),
    "ordered": ("Ordered answers", "note"),
}
TITLES = {kind: title for kind, (title, _) in _KINDS.items()}


@record
@dataclass(frozen=True)
class Finding:
    """One thing found in a table.

    Attributes
    ----------
    kind : str
        A key of `TITLES`.
    severity : {"stop", "serious", "warning", "note"}
        Nothing can be learned before; the result would be spoiled; it may be; good to know.
    columns : tuple of str or int
        None where it is about the whole table.
    steps, action : tuple of Step, str
        What the obvious answer to it does, and the words of its button.
    advised : bool
        Whether `suggest` takes these steps.
    """

    kind: str
    severity: str
    columns: tuple[Name, ...]
    figures: FrozenMapping[str, float]
    sentence: str
    steps: tuple[Step, ...] = ()
    action: str = ""
    advised: bool = False

    @property
    def title(self) -> str:
        """A heading."""
        return TITLES[self.kind]

    def to_dict(self) -> dict[str, Any]:
        """The fields as plain lists, texts and numbers."""
        steps = [step.to_dict() for step in self.steps]
        return vars(self) | {"title": self.title, "figures": dict(self.figures), "steps": steps}

    @property
    def rank(self) -> tuple[int, int, int]:
        """Worst first; of equals those of more columns."""
        kinds, severities = [*_KINDS], [*SEVERITIES]
        return severities.index(self.severity), kinds.index(self.kind), -len(self.columns)


def make_finding(
    kind: str,
    columns: Sequence[Name],
    figures: dict[str, float],
    sentence: str,
    *answer: Step | str,
    severity: str = "",
    advised: bool = True,
) -> Finding:
    """A finding, with an answer if there is one: steps, and the words of their button."""
    steps = tuple(part for part in answer if isinstance(part, Step))
    return Finding(
        kind,
        severity or _KINDS[kind][1],
        tuple(columns),
        FrozenMapping(figures),
        sentence,
        steps,
        "".join(part for part in answer if isinstance(part, str)),
        advised=advised and bool(steps),
    )


def percent(share: float) -> str:
    """A share as text; neither nothing nor all where it isn't."""
    return "100 %" if share == 1 else f"{min(99.9, max(0.1, 100 * share)):.3g} %"
