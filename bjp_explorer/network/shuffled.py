"""What the same search finds in shuffled columns, for whoever presses a button."""

from __future__ import annotations

from functools import partial

import streamlit as st

from bjp_engine import Dataset
from bjp_engine.search import SearchTrace
from bjp_explorer.jobs import costs, results, tasks
from bjp_explorer.jobs.job import Job
from bjp_explorer.jobs.tasks import Shuffled, Task
from bjp_explorer.network import words
from bjp_explorer.shell import caches
from bjp_explorer.views.words import describe_shuffled

TABLES = 20


def find(data: Dataset, search: str, present: float) -> Shuffled | None:
    """What was found in the shuffled tables, once that was asked for and has ended well."""
    key = _key(data, search, present)
    found: Shuffled | None = caches.searches().get(key)
    job: Job[Shuffled] | None = results.begun(key)
    if found is None and job is not None and job.wait(0) and job.result is not None:
        found = job.result
        results.keep(key, found)
    return found


def show(
    data: Dataset, trace: SearchTrace, search: str, present: float, *, imputed: bool = False
) -> None:
    """What was found; before, the job's progress, or the button that begins it.

    `imputed`: whether the data are the first of several completed tables.
    """
    offer = partial(_offer, data, trace, search, present)
    found: Shuffled | None = results.on_request(_key(data, search, present), offer)
    if found is not None:
        st.markdown(describe_shuffled(found, trace))
    if imputed:
        st.caption(words.FIRST_SHUFFLED)


def _key(data: Dataset, search: str, present: float) -> tuple[str | float, ...]:
    """Under which the answer is filed."""
    return ("shuffled", data.digest, search, present)


def _offer(data: Dataset, trace: SearchTrace, search: str, present: float) -> None:
    """A button, and what it does."""

    def begin() -> None:
        # Probabilities are auto's, whichever search finds the edges.
        each = sum(costs.of_search(data, "bjp", name, {}) for name in {search, "auto"})
        wanted = {"search": search, "tables": TABLES, "threshold": present}
        task, key = Task(tasks.shuffled, data, wanted), _key(data, search, present)
        results.begin(key, words.SHUFFLING, task, TABLES * each, words.COUNTED_TABLES)

    about = words.describe_shuffle(TABLES, TABLES * trace.seconds)
    results.offer(words.SHUFFLE, about, begin, "network-shuffle", ":material/shuffle:")
