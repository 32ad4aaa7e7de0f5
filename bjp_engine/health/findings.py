"""What is found in a table: a record each, with a sentence and the steps that would answer it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bjp_engine.dataset import Name
from bjp_engine.preparation import Step

# Worst first.
SEVERITIES = ("stop", "serious", "warning", "note")

TITLES = {
    "few_variables": "Fewer than two variables",
    "missing": "Missing cells",
    "empty": "Empty columns",
    "identifier": "Identifiers",
    "text": "Free text",
    "numbers": "Many different numbers",
    "copies": "Copies of another variable",
    "blankets": "Rows for each configuration",
    "date": "Dates",
    "constant": "Constant columns",
    "spelling": "Spelt in several ways",
    "mostly_missing": "Mostly missing",
    "many_states": "Many states",
    "near_copies": "Nearly copies of another variable",
    "numbers_as_text": "Numbers among text",
    "rare": "Rare states",
}


@dataclass(frozen=True)
class Finding:
    """One thing found in a table.

    Parameters
    ----------
    kind : str
        A key of `TITLES`.
    severity : {"stop", "serious", "warning", "note"}
        Nothing can be learned before; the result would be spoiled; it may be; good to know.
    columns : tuple of str or int
        Those that it is about; none where it is about the whole table.
    figures : mapping of str to number
    sentence : str
    steps : tuple of Step
        What the obvious answer to it does; none where there is no such answer.
    action : str
        The same in a word or two, as a button says it.
    advised : bool
        Whether `suggest` takes these steps.
    """

    kind: str
    severity: str
    columns: tuple[Name, ...]
    figures: Mapping[str, float]
    sentence: str
    steps: tuple[Step, ...] = ()
    action: str = ""
    advised: bool = False

    @property
    def title(self) -> str:
        """A heading."""
        return TITLES[self.kind]


def percent(share: float) -> str:
    """A share as text; neither nothing nor all where it isn't."""
    return "100 %" if share == 1 else f"{min(99.9, max(0.1, 100 * share)):.3g} %"
