"""Learned graphs for the pages: from the shelf, or from a job that shows how far it is.

What a glance at the task says will be quick is done in a thread of the server, so that it never
waits in a queue; everything else is done by a worker process.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import networkx as nx
import pandas as pd
import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from bjp_engine import Dataset, fit_parameters, learn, score
from bjp_engine.errors import BJPError, Cancelled
from bjp_engine.parameters import FittedNetwork, Imputed, effects, pool_effects
from bjp_engine.scores import SCORES, ScoreTrace
from bjp_engine.search import PUBLISHED, SEARCHES, SearchTrace, StopReason
from bjp_explorer.jobs import costs
from bjp_explorer.jobs.flips import Flips
from bjp_explorer.jobs.job import Job, Task
from bjp_explorer.jobs.pool import Pool
from bjp_explorer.shell import caches, visit
from bjp_explorer.shell.caches import Cells
from bjp_explorer.shell.text import count, prose

Value = TypeVar("Value")
# Work that ends within this time is shown at once, without a progress bar in between.
PATIENCE = 0.6
_JOBS, _ASKED, _RUN_ENDED = "visit-jobs", "visit-jobs-asked", "visit-jobs-run-ended"
_LOG = logging.getLogger(__name__)
# What the progress of a search counts, before its start is scored and after.
_TESTS, _START = "tests of this step", "parts of the start"
_COUNTS = {
    "auto": ("parts of the evidence", _TESTS),
    "mpl-hc": (_TESTS, "variables"),
    "restarts": (_TESTS, "ascents"),
}


def learned(
    data: Dataset, method: str, search: str | None = None, **options: Any
) -> SearchTrace | None:
    """A finished search; while it runs, its progress with a Cancel is shown instead.

    None while the search runs, or where it was cancelled before it had anything.
    """
    found = outcome(data, method, search, **options)
    return _or_progress(found, _key(data, method, search, options))


def outcome(
    data: Dataset, method: str, search: str | None = None, **options: Any
) -> SearchTrace | Job[SearchTrace] | None:
    """A finished search, or the job that runs it.

    None where it ended without a result, which the page has then been told.
    """
    search = search or PUBLISHED[method]
    key = _key(data, method, search, options)
    by = "" if search == PUBLISHED[method] else f" ({SEARCHES[search].title})"
    before, after = _COUNTS.get(search, (_TESTS, _TESTS))
    wanted = {"method": method, "search": search, **options}
    found: SearchTrace | Job[SearchTrace] | None = _find(
        key,
        begin,
        f"Learning with {SCORES[method].title}{by}",
        Task(learn, data, wanted, ("progress", "on_start", "on_step")),
        costs.of_search(data, method, search, options),
        counts=(_START if options.get("start", "empty") != "empty" else before, after),
        limit=options.get("seconds"),
    )
    return found


def score_graph(
    data: Dataset, graph: nx.Graph[Any], method: str, cells: Cells = "equal"
) -> ScoreTrace | None:
    """The score of one graph; None while it is computed, or where it was cancelled."""
    wanted = {"graph": graph, "method": method, **caches.test_options(cells)}
    found: ScoreTrace | None = at_once(
        caches.score_key(data, graph, method, cells),
        f"Scoring the graph with {SCORES[method].title}",
        Task(score, data, wanted, ()),
        costs.of_graph(data, graph, method),
    )
    return found


def fit_network(data: Dataset, graph: nx.Graph[Any]) -> FittedNetwork | None:
    """A graph with its parameters; None while they are fitted, or where that was cancelled."""
    found: FittedNetwork | None = at_once(
        caches.fitted_key(data, graph),
        "Fitting the network",
        Task(fit_parameters, data, {"graph": graph, "estimate": "auto"}),
        costs.of_fit(data, graph),
        "percent",
    )
    return found


def at_once(key: tuple[Any, ...], title: str, task: Task, seconds: float, counted: str = "") -> Any:
    """What a task makes: from the cache, or from its job, which begins without being asked for.

    None where it was cancelled and while it runs, when its progress is shown with a Cancel.
    """
    return _or_progress(_find(key, begin, title, task, seconds, counted), key)


def on_request(key: tuple[Any, ...], offer: Callable[[], None]) -> Any:
    """What a job has made that a button begins; until there is a job, `offer` draws the button.

    None until then, and where it was cancelled.
    """
    if caches.SEARCHES.get(key) is None and key not in _jobs():
        offer()
        return None

    def come_back(_: tuple[Any, ...]) -> Job[Any]:
        job = _jobs()[key]
        job.page = visit.page()
        return job

    return _or_progress(_find(key, come_back), key)


def edge_effects(
    data: Dataset, graph: nx.Graph[Any], imputed: Imputed | None = None
) -> pd.DataFrame | None:
    """The effect of each edge, pooled where missing cells were imputed.

    While they are estimated, the progress with a Cancel is shown. None while it runs, or where it
    was cancelled.
    """
    tables, task = [], Task(effects.edge_effects, data, {"graph": graph})
    if imputed is not None:
        tables = [one.digest for one in imputed.datasets]
        task = Task(pool_effects, None, {"imputed": imputed, "graph": graph})
    key = ("effects", data.digest, caches.edges_key(graph), *tables)
    found: pd.DataFrame | None = at_once(
        key, "Estimating effects", task, costs.of_effects(data, graph), "resamples"
    )
    return found


def offer(
    label: str, about: str, begin: Callable[[], Any], key: str, icon: str, **look: Any
) -> None:
    """A button that begins a job, and what that does."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(label, key=key, on_click=begin, icon=icon, **look)
        st.caption(about, width="content")


def _find(key: tuple[Any, ...], begin: Callable[..., Job[Any]], *given: Any, **more: Any) -> Any:
    """What is filed under a key; else what its job has made within some patience, or the job."""
    _ask(key)
    found = caches.SEARCHES.get(key)
    if found is None:
        job = begin(key, *given, **more)
        found = _result(job, key) if job.wait(PATIENCE) else job
    return found


def _or_progress(found: Value | Job[Value] | None, key: tuple[Any, ...]) -> Value | None:
    """What was found; of a job that still runs, its progress is shown instead."""
    if isinstance(found, Job):
        follow(found, key)
        return None
    return found


def _result(job: Job[Value], key: tuple[Any, ...]) -> Value | None:
    """What an ended job has made: filed if whole; else what went wrong, and a button."""
    result, is_whole = job.result, job.result is not None
    if isinstance(result, SearchTrace):
        is_whole = result.stop_reason is not StopReason.CANCELLED
    if is_whole:
        if isinstance(result, SearchTrace):
            caches.SEARCHES.put(("flips", *key), job.flips)
        caches.SEARCHES.put(key, result)
        _jobs().pop(key, None)
        return result
    if job.error is None or isinstance(job.error, Cancelled):
        st.info(f"{job.title} was cancelled.", icon=":material/cancel:")
    else:
        tell(job.error)
    again(key)
    return result


def flips_of(
    trace: SearchTrace, data: Dataset, method: str, search: str | None = None, **options: Any
) -> Flips:
    """The flips of a search that `outcome` has given."""
    key = _key(data, method, search, options)
    job = _jobs().get(key)
    if job is not None and job.result is trace:
        return job.flips
    # Building the steps of a long search anew takes seconds, so they are kept beside the trace.
    return caches.once(("flips", *key), lambda: Flips.of(trace.steps, trace.start_score))


@st.cache_resource(show_spinner=False)
def server_pool() -> Pool:
    """The worker processes of this server; none is started before it is needed."""
    return Pool()


def begin(
    key: tuple[Any, ...], title: str, task: Task, seconds: float, counted: str = "", **about: Any
) -> Job[Any]:
    """The job of a task that takes so long, begun if need be; `counted`: what it counts.

    A quick task is done in this process, another one in a worker.
    """
    if counted:
        about["counts"] = (counted, counted)
    if seconds < costs.QUICK:
        return job_for(key, title, task.here, **about)
    pool, who = server_pool(), _session()
    return job_for(key, title, lambda job: pool.run(task, job, who), **about)


def _session() -> str:
    """Streamlit's name of this visit; empty where there is none."""
    context = get_script_run_ctx(suppress_warning=True)
    return context.session_id if context else ""


def _is_open(session: str) -> bool:
    """Whether a visit's tab is open, also where the browser lets it sleep."""
    return runtime.exists() and runtime.get_instance().is_active_session(session)


def job_for(
    key: tuple[Any, ...], title: str, work: Callable[[Job[Any]], Any], **about: Any
) -> Job[Any]:
    """The visit's job under a key, begun if need be."""
    jobs = _jobs()
    _ask(key)
    if key not in jobs:
        # Whether one has ended is asked without a look, which would keep it alive.
        for other in [k for k, job in jobs.items() if k != key and job.ended][:-8]:
            del jobs[other]
        present = partial(_is_open, _session())
        jobs[key] = Job(title, work, present=present, **about).launch()
    jobs[key].page = visit.page()
    return jobs[key]


def begin_run() -> None:
    """Begin a run of a page, which has asked for nothing yet."""
    st.session_state[_ASKED], st.session_state[_RUN_ENDED] = set(), False


def end_run() -> None:
    """End a run, and cancel former work.

    What the page asked for before, of the same kind, ends at once. Other work goes on, as one may
    come back to it; that of other pages until something that this one asks for waits for a worker.
    """
    st.session_state[_RUN_ENDED] = True
    asked: set[tuple[Any, ...]] = st.session_state.get(_ASKED, set())
    jobs = _jobs()
    kinds = {key[0] for key in asked}
    wanted = [jobs[key] for key in asked if key in jobs]
    waits = any(job.place is not None and not job.ended for job in wanted)
    for key, job in list(jobs.items()):
        former = key[0] in kinds if job.page == visit.page() else waits
        if former and key not in asked and not job.ended:
            job.cancel()
            # Whoever comes back to it begins it anew.
            del jobs[key]


def _jobs() -> dict[tuple[Any, ...], Job[Any]]:
    """The visit's jobs by their keys."""
    found: dict[tuple[Any, ...], Job[Any]] = st.session_state.setdefault(_JOBS, {})
    return found


def _ask(key: tuple[Any, ...]) -> None:
    st.session_state.setdefault(_ASKED, set()).add(key)


def _key(
    data: Dataset, method: str, search: str | None, options: dict[str, Any]
) -> tuple[Any, ...]:
    named = search or PUBLISHED[method]
    return ("search", data.digest, method, named, tuple(sorted(options.items())))


def tell(error: BaseException) -> None:
    """What went wrong with a job: one sentence on the page; the rest goes to the log."""
    if isinstance(error, BJPError):
        st.error(prose(str(error)), icon=":material/error:")
        return
    _LOG.error("A job failed.", exc_info=error)
    st.error("The computation failed; the log has the details.")


def again(key: tuple[Any, ...]) -> None:
    """A button that forgets an ended job, so that it begins anew."""

    def forget() -> None:
        _jobs().pop(key, None)

    st.button("Run it again", key=f"again {key}", on_click=forget, icon=":material/refresh:")


def follow(job: Job[Any], key: tuple[Any, ...]) -> None:
    """A progress bar that looks at the job until it ends, then shows the page anew."""

    @st.fragment(run_every=0.25, key=f"progress {key}")
    def look() -> None:
        show_progress(job, f"cancel {key}")

    look()


def show_progress(job: Job[Any], key: str) -> None:
    """One look at a running job: a bar and a Cancel; once it has ended, the page anew."""
    if job.wait(0):
        st.rerun()
    if job.place is not None and st.session_state.get(_RUN_ENDED):
        # A part of the page may have asked for it after the run.
        end_run()
    with st.container(horizontal=True, vertical_alignment="center"):
        st.progress(job.share, progress_text(job))
        st.button("Cancel", key=key, on_click=job.cancel, icon=":material/cancel:", width="content")


def progress_text(job: Job[Any]) -> str:
    """How far a job is, in words."""
    if job.place is not None:
        ahead = f"{job.place:,} before you" if job.place else "you are next"
        return f"{job.title} · waiting: {'stopping' if job.cancelled else ahead}"
    before, after = job.counts
    parts = [job.title, f"{job.seconds:.0f} s"]
    if job.flips.changes:
        parts.append(count(job.flips.changes, "step"))
    if after == _TESTS and job.flips.tried > 2 * job.flips.changes:
        parts.append(f"{count(job.flips.tried, 'flip')} tried")
    if job.told and job.total:
        parts.append(f"{job.done:,} of {job.total:,} {before if job.start is None else after}")
    # Of a climb nobody knows how many steps it will make, unless the search says so.
    left = job.remaining
    if left and (not job.flips.changes or after != _TESTS or job.limit):
        rough = f"{left:.0f} s" if left < 180 else f"{left / 60:.0f} min"
        parts.append("nearly done" if left < 1 else f"about {rough} left")
    if job.cancelled:
        parts.append("stopping")
    return " · ".join(parts)
