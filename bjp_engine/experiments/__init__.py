"""The paper's tables, and experiments of one's own, as descriptions that anyone can run.

description → jobs → rows → results → summaries → agreement with the paper, and its claims.
A description fixes every row; a run can be stopped, killed and resumed.
"""

from __future__ import annotations

from bjp_engine.experiments.agreement import Agreement, agreement, gaps, share
from bjp_engine.experiments.claims import Claim, claims
from bjp_engine.experiments.description import Cell, Experiment, Learner
from bjp_engine.experiments.export import write_summary
from bjp_engine.experiments.files import read_experiment
from bjp_engine.experiments.jobs import Row, dataset
from bjp_engine.experiments.named import TABLES, named, shrunk
from bjp_engine.experiments.pool import cluster, processes
from bjp_engine.experiments.printed import Printed, printed
from bjp_engine.experiments.report import report_html
from bjp_engine.experiments.results import Results, read_results, write_compact
from bjp_engine.experiments.runner import RunProgress, run
from bjp_engine.experiments.summary import Summary, summaries

__all__ = [
    "TABLES",
    "Agreement",
    "Cell",
    "Claim",
    "Experiment",
    "Learner",
    "Printed",
    "Results",
    "Row",
    "RunProgress",
    "Summary",
    "agreement",
    "claims",
    "cluster",
    "dataset",
    "gaps",
    "named",
    "printed",
    "processes",
    "read_experiment",
    "read_results",
    "report_html",
    "run",
    "share",
    "shrunk",
    "summaries",
    "write_compact",
    "write_summary",
]
