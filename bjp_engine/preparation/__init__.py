"""Preparation: from a table as it was read to a dataset, by an explicit list of steps.

The list is what is saved, edited and applied again. Steps are immutable records; applying one
to a table gives another table and a sentence, and what a step finds in the data (cuts, most
frequent states, spellings) is kept in it, so that another file is treated alike.
"""

from bjp_engine.columns import Column, Table
from bjp_engine.preparation.bins import BinNumbers, Cut
from bjp_engine.preparation.preparation import (
    STEPS,
    Preparation,
    Prepared,
    States,
    StepTrace,
    prepare,
)
from bjp_engine.preparation.states import (
    Fill,
    FrequentStates,
    MergeRare,
    MissingCells,
    OrderStates,
    Spellings,
    TidyText,
)
from bjp_engine.preparation.steps import Step
from bjp_engine.preparation.variables import (
    DropVariables,
    KeepVariables,
    RenameVariables,
    SampleRows,
)

__all__ = [
    "STEPS",
    "BinNumbers",
    "Column",
    "Cut",
    "DropVariables",
    "Fill",
    "FrequentStates",
    "KeepVariables",
    "MergeRare",
    "MissingCells",
    "OrderStates",
    "Preparation",
    "Prepared",
    "RenameVariables",
    "SampleRows",
    "Spellings",
    "States",
    "Step",
    "StepTrace",
    "Table",
    "TidyText",
    "prepare",
]
