"""The paper's tables, and experiments of your own, as descriptions that anyone can run.

`description` fixes every row, `runs` computes the missing ones and keeps them in a folder,
`summary` compares their means with the paper's figures and tests its claims, and `report` writes
all of it. A run can be stopped, killed and resumed.
"""

from __future__ import annotations

from bjp_engine.experiments.description import (
    TABLES,
    Experiment,
    find_table,
    read_experiment,
    resize,
)
from bjp_engine.experiments.report import report_html, write_summary
from bjp_engine.experiments.runs import Results, cluster, dataset, read_results, run, write_compact
from bjp_engine.experiments.summary import claims, summaries

__all__ = [
    "TABLES",
    "Experiment",
    "Results",
    "claims",
    "cluster",
    "dataset",
    "find_table",
    "read_experiment",
    "read_results",
    "report_html",
    "resize",
    "run",
    "summaries",
    "write_compact",
    "write_summary",
]
