"""Where a step usually stands among others."""

from __future__ import annotations

from bjp_engine.preparation.bins import BinNumbers
from bjp_engine.preparation.missing import MissingCells
from bjp_engine.preparation.recode import MissingCodes, RecodeStates, ReverseOrder
from bjp_engine.preparation.roles import (
    MultipleChoice,
    OrderedAnswers,
    SetGroups,
    UnorderedAnswers,
)
from bjp_engine.preparation.rows import FilterRows, RepeatRows, SampleRows
from bjp_engine.preparation.states import MergeRare, OrderStates, TidyText
from bjp_engine.preparation.steps import Step
from bjp_engine.preparation.variables import DropVariables, KeepVariables, RenameVariables

# Rows first, so that a filter knows every column; what is left out then costs no row. Codes are
# missing before cells are dropped, and states have an order before it is reversed.
_ORDER: tuple[tuple[type[Step], ...], ...] = (
    (FilterRows,),
    (RepeatRows,),
    (SampleRows,),
    (DropVariables, KeepVariables),
    (MultipleChoice,),
    (MissingCodes,),
    (TidyText,),
    (RecodeStates,),
    (OrderedAnswers, UnorderedAnswers),
    (ReverseOrder,),
    (SetGroups,),
    (MissingCells,),
    (BinNumbers,),
    (MergeRare, OrderStates),
    (RenameVariables,),
)


def usual_place(step: Step) -> int:
    """Where a step usually stands; steps of one place follow as they were added.

    Parameters
    ----------
    step : Step

    Returns
    -------
    int
        From 0.

    Examples
    --------
    >>> steps = [MissingCells("drop"), RepeatRows("Freq"), DropVariables(("id",))]
    >>> [step.kind for step in sorted(steps, key=usual_place)]
    ['frequencies', 'drop', 'missing']
    """
    return next(place for place, kinds in enumerate(_ORDER) if isinstance(step, kinds))
