"""The number of each edge on *Your network*: at once, from the cache, or from a job."""

from __future__ import annotations

from dataclasses import astuple, dataclass
from typing import Any

import streamlit as st

from bjp_engine import Dataset
from bjp_engine.confidence import EdgeConfidence, Ended, confidence_of_trace
from bjp_engine.errors import Cancelled
from bjp_engine.parameters import Imputed
from bjp_engine.scores import KnownEdges
from bjp_engine.search import SearchTrace
from bjp_engine.search.auto.search import begun_with
from bjp_explorer.jobs import costs, results, tasks
from bjp_explorer.jobs.job import Job
from bjp_explorer.jobs.tasks import Task
from bjp_explorer.network import choices, words
from bjp_explorer.shell import caches, origins
from bjp_explorer.shell.sources import Loaded

NOTHING = KnownEdges()


@dataclass(frozen=True, slots=True)
class Question:
    """What is to be computed."""

    kind: str
    # Learns from each resample, and says which prior graphs are weighed with.
    search: str
    resamples: int = 0
    seed: int = 0
    known: KnownEdges = NOTHING
    # The completed tables of which calibrated probabilities are the means.
    imputed: Imputed | None = None

    def key(self, data: Dataset) -> tuple[Any, ...]:
        """Under which the answer is filed."""
        tables = () if self.imputed is None else self.imputed.datasets
        own = (self.search, self.resamples, self.seed, *astuple(self.known))
        # By its first part a new job ends an older one: only another of the same kind does.
        return (f"confidence {self.kind}", data.digest, *own, *(one.digest for one in tables))

    @property
    def prior(self) -> dict[str, Any]:
        """The prior over structures that graphs are weighed with, and the test."""
        return begun_with(self.search, {})

    @property
    def options(self) -> dict[str, Any]:
        """What is known of pairs, as an option."""
        return {} if self.known.empty else {"known": self.known}


def choose_settings(
    kind: str, search: str, loaded: Loaded, known: KnownEdges = NOTHING
) -> Question:
    """The settings of a kind of confidence, with their widgets."""
    if kind == "bootstrap":
        with st.container(horizontal=True, gap="medium", vertical_alignment="bottom"):
            choices.RESAMPLES.box(st, words.RESAMPLES, width=160)
            choices.SEED.box(st, words.SEED, width=160)
    return _question(kind, search, loaded, known)


def _question(kind: str, search: str, loaded: Loaded, known: KnownEdges) -> Question:
    """What is computed by the settings that are chosen."""
    if kind == "calibrated":
        # Calibrated are the probabilities that auto leads to, whatever graph is shown.
        return Question(kind, "auto", known=known, imputed=loaded.imputed)
    if kind == "bootstrap":
        return Question(kind, search, choices.RESAMPLES.get(), choices.SEED.get(), known)
    return Question(kind, search, known=known)


def made(loaded: Loaded, search: str, known: KnownEdges) -> dict[str, EdgeConfidence | None]:
    """What is there of each kind by the settings that are chosen; None where it isn't computed."""
    data = loaded.data
    kinds = choices.choice_of_kind(data).labels
    keys = {kind: _question(kind, search, loaded, known).key(data) for kind in kinds}
    return {kind: caches.searches().get(key) for kind, key in keys.items()}


def compute_tests(data: Dataset, trace: SearchTrace) -> EdgeConfidence:
    """The posterior of each pair's test by BJP, by the test that the graph was learned with."""
    edges, cells = caches.edges_key(trace.graph), origins.cells_of(trace)
    scored = caches.score_graph(data, trace.graph, "bjp", cells)
    return caches.once(
        ("confidence", data.digest, "test", cells, edges),
        lambda: confidence_of_trace(scored, **caches.test_options(cells)),
    )


def find(data: Dataset, trace: SearchTrace, asked: Question) -> EdgeConfidence | None:
    """The confidence that was asked for; meanwhile a button or the progress is shown.

    None until there is one; what was made before a cancel counts.
    """
    if asked.kind == "test":
        return compute_tests(data, trace)
    key = asked.key(data)
    found: EdgeConfidence | None = caches.searches().get(key)
    if found is not None:
        return found
    job = results.begun(key)
    if job is None and asked.kind != "bootstrap":
        # Pairs are weighed, and all graphs on few variables scored, in a moment.
        job = _begin(data, asked)
    if job is None:
        _offer(data, trace, asked)
        return None
    if not job.wait(results.PATIENCE):
        results.follow(job, key)
        return None
    return _finish(job, key)


def find_without_known(loaded: Loaded, trace: SearchTrace) -> EdgeConfidence | None:
    """The calibrated probabilities that what is known of pairs is compared with.

    None where nothing is known, and until they are computed.
    """
    if trace.known is None or trace.known.empty:
        return None
    return find(loaded.data, trace, Question("calibrated", "auto", imputed=loaded.imputed))


def _begin(data: Dataset, asked: Question) -> Job[EdgeConfidence]:
    """The job that finds it out."""
    key = asked.key(data)
    if asked.kind == "bootstrap":
        wanted = {"search": asked.search, "resamples": asked.resamples, "seed": asked.seed}
        task = Task(tasks.resampled, data, wanted | asked.options)
        seconds = asked.resamples * costs.of_search(data, "bjp", asked.search, {})
        title = words.learning(asked.resamples)
        return results.begin(key, title, task, seconds, words.COUNTED_RESAMPLES)
    if asked.kind == "calibrated":
        tables = 1 if asked.imputed is None else len(asked.imputed.datasets)
        wanted = asked.options | ({} if asked.imputed is None else {"imputed": asked.imputed})
        task = Task(tasks.calibrated, data, wanted)
        seconds = 3 * tables * costs.of_search(data, "bjp", "auto", {})
        counted = "" if tables == 1 else words.COUNTED_COMPLETED
        return results.begin(key, words.CALIBRATING, task, seconds, counted)
    task = Task(tasks.weighed, data, {"options": asked.prior | asked.options})
    return results.begin(key, words.SCORING, task, 0.0, words.COUNTED_PARTS)


def _offer(data: Dataset, trace: SearchTrace, asked: Question) -> None:
    """A button that begins it, and how long it may take."""
    # As many as the pool gives a task while nobody else wants any.
    threads = max(1, min(results.server_pool().size, asked.resamples))
    label = words.learn(asked.resamples)
    about = words.takes(trace.seconds * asked.resamples / threads)

    def begin() -> None:
        _begin(data, asked)

    about, icon = f"{about} {words.UNTIL_THEN}", ":material/play_arrow:"
    results.offer(label, about, begin, "network-begin", icon, type="primary")


def _finish(job: Job[EdgeConfidence], key: tuple[Any, ...]) -> EdgeConfidence | None:
    """What an ended job has made: filed if whole; an error or a cancel is reported."""
    if job.error is not None and not isinstance(job.error, Cancelled):
        results.tell(job.error)
        results.again(key)
        return None
    made = job.result
    if made is not None and made.ended is not Ended.CANCELLED:
        results.keep(key, made)
        return made
    part = (made.made, made.asked) if made else None
    st.info(words.describe_cancel(job.title, part), icon=":material/cancel:")
    results.again(key)
    return made
