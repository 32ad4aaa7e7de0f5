"""The tables of all graphs under every score: from the shelf, or from a job with its progress."""

from __future__ import annotations

from typing import Any

import streamlit as st

from bjp_engine import Dataset
from bjp_engine.errors import Cancelled
from bjp_engine.scores import SCORES
from bjp_engine.search import GraphTable
from bjp_explorer.jobs import costs, results, tasks
from bjp_explorer.jobs.job import Job
from bjp_explorer.jobs.tasks import Task
from bjp_explorer.shell import caches

_ATTEMPT = "graphs-attempt"


def tables(data: Dataset) -> dict[str, GraphTable] | None:
    """Every graph under every score; while they are made, progress and a Cancel are shown.

    By method; None while the job runs or where it was cancelled.
    """
    found = {method: caches.searches().get(_key(data, method)) for method in SCORES}
    ready = {method: table for method, table in found.items() if table is not None}
    if len(ready) == len(SCORES):
        return ready
    title = f"Scoring all {1 << data.n * (data.n - 1) // 2:,} graphs"
    attempt = st.session_state.setdefault(_ATTEMPT, 0)
    work = results.work_of(Task(tasks.tabled, data), costs.of_all_graphs(data))
    job = results.job_for(("all graphs", data.digest, attempt), title, work)
    if not job.wait(results.PATIENCE):
        _watch(job)
        return None
    if job.error is not None:
        if isinstance(job.error, Cancelled):
            st.info(f"{title} was cancelled.", icon=":material/cancel:")
        else:
            results.tell(job.error)
        st.button("Run it again", icon=":material/refresh:", key="graphs-again", on_click=_again)
        return None
    made: dict[str, GraphTable] = job.result or {}
    for method, table in made.items():
        caches.searches().put(_key(data, method), table)
    return made


@st.fragment(run_every=0.25)
def _watch(job: Job[Any]) -> None:
    """How far the job is."""
    results.show_progress(job, "graphs-cancel")


def _again() -> None:
    """Let the next run begin a job of its own."""
    st.session_state[_ATTEMPT] += 1


def _key(data: Dataset, method: str) -> tuple[str, str, str]:
    """Where `caches.graph_table` looks."""
    return ("all graphs", data.digest, method)
