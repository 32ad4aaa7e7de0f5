"""Preparation: from a table as it was read to a dataset, by an explicit list of steps.

The list is what is saved, edited and applied again. Steps are immutable records; applying one
to a table gives another table and a sentence, and what a step finds in the data (cuts, most
frequent states, spellings) is kept in it, so that another file is treated alike.
"""

from bjp_engine.columns import Table
from bjp_engine.preparation.bins import BinNumbers
from bjp_engine.preparation.missing import MissingCells
from bjp_engine.preparation.preparation import STEPS, Preparation, usual_place
from bjp_engine.preparation.prepared import Prepared, prepare
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

__all__ = [
    "STEPS",
    "BinNumbers",
    "DropVariables",
    "FilterRows",
    "KeepVariables",
    "MergeRare",
    "MissingCells",
    "MissingCodes",
    "MultipleChoice",
    "OrderStates",
    "OrderedAnswers",
    "Preparation",
    "Prepared",
    "RecodeStates",
    "RenameVariables",
    "RepeatRows",
    "ReverseOrder",
    "SampleRows",
    "SetGroups",
    "Step",
    "Table",
    "TidyText",
    "UnorderedAnswers",
    "prepare",
    "usual_place",
]
