"""The health of a table: its problems, worst first, and steps that resolve them.

Nothing is changed here. Each finding is a record with figures, a sentence, and the steps of a
preparation that would answer it; `suggest` gathers those that are done by default.
"""

from bjp_engine.health.profile import SEVERITIES, TITLES, Finding, slice_rows
from bjp_engine.health.report import HealthReport, health, suggest, with_roles

__all__ = [
    "SEVERITIES",
    "TITLES",
    "Finding",
    "HealthReport",
    "health",
    "slice_rows",
    "suggest",
    "with_roles",
]
