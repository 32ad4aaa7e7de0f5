"""Health: what a table is, what is wrong with it and what could be done, worst first.

Nothing is changed here. Each finding is a record with figures, a sentence, and the steps of a
preparation that would answer it; `suggest` gathers those that are done by default.
"""

from bjp_engine.health.copies import Copies, exact_copies, near_copies
from bjp_engine.health.findings import SEVERITIES, TITLES, Finding
from bjp_engine.health.report import HealthReport, health, suggest, usual_place
from bjp_engine.health.room import BlanketRoom, BlanketSize, blanket_room, slice_rows
from bjp_engine.health.together import rising_together
from bjp_engine.health.variables import VariableHealth

__all__ = [
    "SEVERITIES",
    "TITLES",
    "BlanketRoom",
    "BlanketSize",
    "Copies",
    "Finding",
    "HealthReport",
    "VariableHealth",
    "blanket_room",
    "exact_copies",
    "health",
    "near_copies",
    "rising_together",
    "slice_rows",
    "suggest",
    "usual_place",
]
