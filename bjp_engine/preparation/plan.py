"""A preparation: the ordered list of steps, as a record and as JSON.

The list is what is edited, and undoing is leaving out its last step. Nothing else remembers what
was done to a table, and the table that one began with is never changed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from bjp_engine.dataset import Name
from bjp_engine.errors import BJPError, OptionError, clip
from bjp_engine.preparation import fields as checked
from bjp_engine.preparation.base import Step
from bjp_engine.preparation.bins import BinNumbers
from bjp_engine.preparation.missing import MissingCells
from bjp_engine.preparation.rows import SampleRows
from bjp_engine.preparation.states import MergeRare, OrderStates
from bjp_engine.preparation.texts import TidyText
from bjp_engine.preparation.variables import DropVariables, KeepVariables, RenameVariables

STEPS: dict[str, type[Step]] = {
    step.kind: step
    for step in (
        *(KeepVariables, DropVariables, RenameVariables, SampleRows, TidyText),
        *(MissingCells, BinNumbers, MergeRare, OrderStates),
    )
}
TYPE = "preparation"
VERSION = 1
# Text longer than this is no list of steps.
_MOST_TEXT = 64 * 1024 * 1024
_MOST_STEPS = 1000


@dataclass(frozen=True)
class States:
    """The states that a variable had when the preparation was first applied.

    Parameters
    ----------
    labels : tuple of str
        In code order.
    """

    column: Name
    labels: tuple[str, ...]

    def __post_init__(self) -> None:
        """Check the fields."""
        checked.name(self.column, "column")
        object.__setattr__(self, "labels", checked.texts(self.labels, "labels"))


@dataclass(frozen=True)
class Preparation:
    """An ordered list of steps.

    Parameters
    ----------
    steps : tuple of Step
    unseen : {"own", "error"}
        When it is applied again: a state that the first table didn't have becomes a state of
        its own after the known ones, or is refused.
    states : tuple of States, optional
        Variables and states of the table it was first applied to. They give another table the
        same variables and the same codes.

    Raises
    ------
    OptionError
        If a field is out of range.

    Examples
    --------
    >>> steps = Preparation((MissingCells("drop"),)).adding(BinNumbers(("age",), bins=3))
    >>> [step.kind for step in steps.undone().steps]
    ['missing']
    >>> Preparation.from_json(steps.to_json()) == steps
    True
    """

    steps: tuple[Step, ...] = ()
    unseen: str = "own"
    states: tuple[States, ...] | None = None

    def __post_init__(self) -> None:
        """Check the fields."""
        steps = self.steps
        if not isinstance(steps, (list, tuple)) or not all(isinstance(s, Step) for s in steps):
            raise OptionError("steps must be a list of steps.")
        if len(steps) > _MOST_STEPS:
            raise OptionError(f"steps has {len(steps):,} entries; {_MOST_STEPS:,} are the most.")
        object.__setattr__(self, "steps", tuple(steps))
        checked.choice(self.unseen, "unseen", ("own", "error"))
        object.__setattr__(self, "states", checked.records(self.states, "states", States))

    @classmethod
    def of(cls, steps: object) -> Preparation:
        """A preparation of a list of steps.

        Parameters
        ----------
        steps : Preparation or iterable of Step

        Returns
        -------
        Preparation

        Raises
        ------
        OptionError
            If it is no list of steps.
        """
        if isinstance(steps, Preparation):
            return steps
        if not isinstance(steps, Iterable) or isinstance(steps, (str, bytes)):
            raise OptionError(f"steps={clip(steps)} must be a Preparation or a list of steps.")
        return cls(tuple(steps))

    @property
    def fitted(self) -> bool:
        """Whether it was applied to a table and kept what it found."""
        return self.states is not None

    @property
    def sentences(self) -> tuple[str, ...]:
        """What each step does."""
        return tuple(step.sentence for step in self.steps)

    def adding(self, *steps: Step) -> Preparation:
        """More steps at the end.

        Parameters
        ----------
        *steps : Step

        Returns
        -------
        Preparation
            To be fitted anew.
        """
        return replace(self, steps=(*self.steps, *steps), states=None)

    def undone(self) -> Preparation:
        """All steps but the last.

        Returns
        -------
        Preparation
            To be fitted anew.
        """
        return replace(self, steps=self.steps[:-1], states=None)

    def without(self, number: int) -> Preparation:
        """All steps but one.

        Parameters
        ----------
        number : int
            From 1.

        Returns
        -------
        Preparation
            To be fitted anew.

        Raises
        ------
        OptionError
            If there is no such step.
        """
        checked.whole(number, "number", 1, len(self.steps))
        return replace(
            self, steps=self.steps[: number - 1] + self.steps[number:], states=None
        ).unfitted()

    def unfitted(self) -> Preparation:
        """The steps as they were asked for, without what they found in a table.

        Returns
        -------
        Preparation

        Notes
        -----
        Variables to leave out that need not be there stay so.
        """
        return replace(self, steps=tuple(step.unfitted() for step in self.steps), states=None)

    def to_dict(self) -> dict[str, Any]:
        """The preparation as plain lists, texts and numbers.

        Returns
        -------
        dict
            "type", "version", "unseen", "steps" and "states".
        """
        states = self.states
        return {
            "type": TYPE,
            "version": VERSION,
            "unseen": self.unseen,
            "steps": [step.to_dict() for step in self.steps],
            "states": None
            if states is None
            else [{"column": one.column, "labels": list(one.labels)} for one in states],
        }

    def to_json(self) -> str:
        """The preparation as JSON.

        Returns
        -------
        str
            ASCII; `from_json` gives back an equal preparation.
        """
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Preparation:
        """A preparation of what `to_json` wrote, every value checked.

        Parameters
        ----------
        text : str or bytes

        Returns
        -------
        Preparation

        Raises
        ------
        OptionError
            If it is none; the sentence names the step by its number, and the field.
        """
        if len(text) > _MOST_TEXT:
            raise OptionError("The preparation is larger than 64 MB; it can't be a list of steps.")
        try:
            content = json.loads(text, parse_constant=_refused)
        except (ValueError, RecursionError) as reason:
            if isinstance(reason, BJPError):
                raise
            raise OptionError(
                "The preparation is no JSON; give a file that was saved as one."
            ) from None
        return cls.from_dict(content)

    @classmethod
    def from_dict(cls, content: object) -> Preparation:
        """A preparation of what `to_dict` gave, every value checked.

        Parameters
        ----------
        content : object

        Returns
        -------
        Preparation

        Raises
        ------
        OptionError
            As `from_json`.
        """
        known = {"type", "version", "unseen", "steps", "states"}
        if not isinstance(content, dict) or content.get("type") != TYPE:
            raise OptionError(f'This is no preparation; its "type" must be "{TYPE}".')
        strange = sorted(set(content) - known)
        if strange:
            raise OptionError(f"The preparation has no field {clip(strange[0])}.")
        if content.get("version") != VERSION:
            raise OptionError(
                f"The preparation is of version {clip(content.get('version'))}; "
                f"this program knows version {VERSION}."
            )
        steps = content.get("steps")
        if not isinstance(steps, list):
            raise OptionError("The preparation's steps must be a list.")
        made = tuple(_step(number, step) for number, step in enumerate(steps, 1))
        return cls(made, content.get("unseen", "own"), _states(content.get("states")))


def _step(number: int, content: object) -> Step:
    """One step, or a sentence with its number."""
    if not isinstance(content, dict):
        raise OptionError(f"Step {number} is no object; give its fields.")
    kind = content.get("step")
    if not isinstance(kind, str) or kind not in STEPS:
        raise OptionError(
            f"Step {number}: step={clip(kind)} is not known; use one of {', '.join(STEPS)}."
        )
    step = STEPS[kind]
    try:
        return step.from_dict({name: value for name, value in content.items() if name != "step"})
    except BJPError as reason:
        raise OptionError(f"Step {number} ({step.title}): {reason}") from None


def _states(content: object) -> tuple[States, ...] | None:
    """The states that were found at first."""
    if content is None:
        return None
    if not isinstance(content, list):
        raise OptionError("The preparation's states must be a list.")
    found = []
    for number, entry in enumerate(content, 1):
        if not isinstance(entry, dict) or set(entry) != {"column", "labels"}:
            raise OptionError(f"states: entry {number} must have a column and labels.")
        try:
            found.append(States(entry["column"], entry["labels"]))
        except OptionError as reason:
            raise OptionError(f"states: entry {number}: {reason}") from None
    return tuple(found)


def _refused(constant: str) -> float:
    """JSON has no such numbers, though Python's reader takes them."""
    raise OptionError(f"The preparation holds {constant}, which is no number of JSON.")
