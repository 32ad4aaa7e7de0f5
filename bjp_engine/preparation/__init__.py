"""Preparation: from a table as it was read to a dataset, by an explicit list of steps.

The list is what is saved, edited and applied again. Steps are immutable records; applying one
to a table gives another table and a sentence, and what a step finds in the data (cuts, most
frequent states, spellings) is kept in it, so that another file is treated alike.
"""

from bjp_engine.columns import Table
from bjp_engine.preparation.preparation import (
    ROLES,
    STEPS,
    Preparation,
    Prepared,
    add_steps,
    is_done,
    prepare,
    roles_of,
    take_back,
)
from bjp_engine.preparation.roles import (
    DropRows,
    FilterRows,
    MissingCells,
    MultipleChoice,
    RepeatRows,
    SetRoles,
    SplitAnswers,
)
from bjp_engine.preparation.states import (
    BinNumbers,
    MergeRare,
    MissingCodes,
    RecodeStates,
    TidyText,
)
from bjp_engine.preparation.steps import Step

__all__ = [
    "ROLES",
    "STEPS",
    "BinNumbers",
    "DropRows",
    "FilterRows",
    "MergeRare",
    "MissingCells",
    "MissingCodes",
    "MultipleChoice",
    "Preparation",
    "Prepared",
    "RecodeStates",
    "RepeatRows",
    "SetRoles",
    "SplitAnswers",
    "Step",
    "Table",
    "TidyText",
    "add_steps",
    "is_done",
    "prepare",
    "roles_of",
    "take_back",
]
