"""The tables of all graphs under every score: from the cache, or from a job with its progress."""

from __future__ import annotations

from bjp_engine import Dataset
from bjp_engine.search import GraphTable
from bjp_explorer.jobs import costs, results, tasks
from bjp_explorer.jobs.tasks import Task


def tables(data: Dataset) -> dict[str, GraphTable] | None:
    """Every graph under every score, by method; None while that is computed or was cancelled."""
    title = f"Scoring all {1 << data.n * (data.n - 1) // 2:,} graphs"
    task, seconds = Task(tasks.tabled, data), costs.of_all_graphs(data)
    key = ("all graphs", data.digest)
    found: dict[str, GraphTable] | None = results.at_once(key, title, task, seconds)
    return found
