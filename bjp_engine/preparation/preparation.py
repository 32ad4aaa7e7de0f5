"""A list of steps, as a record and as JSON.

The list is what is edited, and undoing is leaving out its last step. Nothing else remembers what
was done to a table.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Annotated, Any

from bjp_engine.errors import BJPError, OptionError, clip
from bjp_engine.preparation.bins import BinNumbers
from bjp_engine.preparation.roles import (
    DropVariables,
    FilterRows,
    MultipleChoice,
    OrderedAnswers,
    RepeatRows,
    SetGroups,
    SplitAnswers,
    UnorderedAnswers,
)
from bjp_engine.preparation.states import (
    MergeRare,
    MissingCells,
    MissingCodes,
    RecodeStates,
    Texts,
    TidyText,
)
from bjp_engine.preparation.steps import CheckedRecord, Column_, Step, list_of, one_of, optional
from bjp_engine.validate import entries, truth, whole_number

# Rows first, so that a filter knows every column; what is left out then costs no row. Codes are
# missing before cells are dropped, and states have their names before they have an order.
_ORDER: tuple[tuple[type[Step], ...], ...] = (
    (FilterRows,),
    (RepeatRows,),
    (SplitAnswers,),
    (DropVariables,),
    (MultipleChoice,),
    (MissingCodes,),
    (TidyText,),
    (RecodeStates,),
    (OrderedAnswers, UnorderedAnswers),
    (SetGroups,),
    (MissingCells,),
    (BinNumbers,),
    (MergeRare,),
)
STEPS: dict[str, type[Step]] = {step.kind: step for steps in _ORDER for step in steps}
TYPE = "preparation"
VERSION = 1
# Text longer than this is no list of steps.
_MOST_TEXT = 64 * 1024 * 1024
_MOST_STEPS = 1000


def _steps(value: object, name: str) -> tuple[Step, ...]:
    """A list of steps, or of what their `to_dict` gave."""
    given = entries(value, name)
    if len(given) > _MOST_STEPS:
        raise OptionError(f"{name} has {len(given):,} entries; {_MOST_STEPS:,} are the most.")
    return tuple(_step(number, one) for number, one in enumerate(given, 1))


def _step(number: int, content: object) -> Step:
    if isinstance(content, Step):
        return content
    if not isinstance(content, dict):
        raise OptionError(f"Step {number} of the steps is {clip(content)}; give its fields.")
    kind = content.get("step")
    if not isinstance(kind, str) or kind not in STEPS:
        raise OptionError(
            f"Step {number}: step={clip(kind)} is not known; use one of {', '.join(STEPS)}."
        )
    try:
        return STEPS[kind].from_dict({key: content[key] for key in content if key != "step"})
    except BJPError as reason:
        raise OptionError(f"Step {number} ({STEPS[kind].title}): {reason}") from None


@dataclass(frozen=True)
class States(CheckedRecord):
    """The states, in code order, that a variable had when the preparation was first applied."""

    column: Column_
    labels: Texts
    ordered: Annotated[bool, truth] = False


@dataclass(frozen=True)
class Preparation(CheckedRecord):
    """An ordered list of steps.

    Parameters
    ----------
    unseen : {"own", "error"}
        When it is applied again: a state that the first table didn't have becomes a state of
        its own after the known ones, or is refused.
    states : tuple of States, optional
        Variables and states of the table it was first applied to. They give another table the
        same variables and the same codes.

    Examples
    --------
    >>> from bjp_engine.preparation import BinNumbers, MissingCells, Preparation
    >>> steps = Preparation((MissingCells("drop"),)).adding(BinNumbers(("age",), bins=3))
    >>> [step.kind for step in steps.without(1).steps]
    ['bins']
    >>> Preparation.from_json(steps.to_json()) == steps
    True
    """

    steps: Annotated[tuple[Step, ...], _steps] = ()
    unseen: Annotated[str, one_of("own", "error")] = "own"
    states: Annotated[tuple[States, ...] | None, optional(list_of(States))] = None

    @classmethod
    def of(cls, steps: object) -> Preparation:
        """A preparation of a list of steps, or itself."""
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
        """More steps at the end; to be fitted again."""
        return replace(self, steps=(*self.steps, *steps), states=None)

    def without(self, number: int) -> Preparation:
        """All steps but one, which is counted from 1; to be fitted again."""
        whole_number(number, "number", 1, len(self.steps))
        left = self.steps[: number - 1] + self.steps[number:]
        return replace(self, steps=left).unfitted()

    def unfitted(self) -> Preparation:
        """The steps without what they found in a table.

        Variables to leave out that need not be there stay so.
        """
        return replace(self, steps=tuple(step.unfitted() for step in self.steps), states=None)

    def to_dict(self) -> dict[str, Any]:
        """The preparation as plain lists, texts and numbers."""
        parts = super().to_dict()
        order = ("unseen", "steps", "states")
        return {"type": TYPE, "version": VERSION, **{key: parts[key] for key in order}}

    def to_json(self) -> str:
        """The preparation as JSON in ASCII; `from_json` gives back an equal one."""
        return json.dumps(self.to_dict(), indent=2, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Preparation:
        """A preparation of what `to_json` wrote, every value checked."""
        if len(text) > _MOST_TEXT:
            raise OptionError("The preparation is larger than 64 MB; it can't be a list of steps.")
        try:
            content = json.loads(text, parse_constant=_refuse)
        except OptionError:
            raise
        except (ValueError, RecursionError):
            raise OptionError(
                "The preparation is not JSON; give a saved preparation file."
            ) from None
        return cls.from_dict(content)

    @classmethod
    def from_dict(cls, content: object) -> Preparation:
        """A preparation of what `to_dict` gave, every value checked as by `from_json`."""
        if not isinstance(content, dict) or content.get("type") != TYPE:
            raise OptionError(f'This is not a preparation; its "type" must be "{TYPE}".')
        if content.get("version") != VERSION:
            raise OptionError(
                f"The preparation is of version {clip(content.get('version'))}; "
                f"this program knows version {VERSION}."
            )
        if "steps" not in content:
            raise OptionError("The preparation has no steps; give a list of them.")
        parts = {key: part for key, part in content.items() if key not in ("type", "version")}
        return super().from_dict(parts)


def _refuse(constant: str) -> float:
    """JSON has no such numbers, though Python's reader takes them."""
    raise OptionError(f"The preparation holds {constant}, which is not a JSON number.")


def usual_place(step: Step) -> int:
    """Where a step usually stands, from 0; steps of one place follow as they were added.

    Examples
    --------
    >>> from bjp_engine.preparation import DropVariables, MissingCells, RepeatRows, usual_place
    >>> steps = [MissingCells("drop"), RepeatRows("Freq"), DropVariables(("id",))]
    >>> [step.kind for step in sorted(steps, key=usual_place)]
    ['frequencies', 'drop', 'missing']
    """
    return next(place for place, kinds in enumerate(_ORDER) if isinstance(step, kinds))
