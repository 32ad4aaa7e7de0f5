"""Long work: its progress, its cancel, its end when nobody looks, and its errors."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from types import SimpleNamespace
from typing import Any

import networkx as nx
import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

import bjp_engine as bjp
from bjp_explorer.jobs import costs, results, tasks
from bjp_explorer.jobs import job as jobs
from bjp_explorer.jobs.job import Job
from bjp_explorer.jobs.pool import Pool
from bjp_explorer.jobs.tasks import Task, searching
from bjp_explorer.shell import caches, sources
from tests.app.looks import line, payload, views

ENDS = 600.0
CORONARY = sources.load("coronary").data


@pytest.fixture(scope="module", autouse=True)
def _start_page() -> None:
    """The search of the start page has ended, whichever tests came before."""
    found = bjp.learn(CORONARY, search="ibmap-hc")
    caches.searches().put(results._key(CORONARY, "bjp", None, {}), found)


@pytest.fixture(scope="module")
def large() -> bjp.Dataset:
    """Data whose tests alone take a while."""
    random = np.random.default_rng(0)
    codes = random.integers(3, size=(20_000, 300))
    codes[:, 1::2] = np.where(random.random((20_000, 150)) < 0.5, codes[:, ::2], codes[:, 1::2])
    return bjp.Dataset.from_codes(codes)


def endless(job: Job[Any], data: bjp.Dataset, method: str = "bjp") -> bjp.search.SearchTrace:
    """A search that takes minutes on any machine."""
    return searching(partial(bjp.learn, data, method, "annealing", sweeps=1000), job)


def running(title: str) -> list[threading.Thread]:
    """The threads of jobs with that title."""
    return [thread for thread in threading.enumerate() if thread.name == f"bjp: {title}"]


def until(happened: Callable[[], Any]) -> None:
    """Wait for something that must happen soon."""
    end = time.monotonic() + ENDS
    while not happened():
        assert time.monotonic() < end
        time.sleep(0.005)


class TestJob:
    def test_a_search_is_recorded_as_it_goes(self) -> None:
        job = Job(
            "Learning", partial(searching, partial(bjp.learn, CORONARY, search="ibmap-hc"))
        ).launch()
        assert job.wait(ENDS)
        trace = bjp.learn(CORONARY, search="ibmap-hc")
        assert job.error is None
        assert job.result.score == trace.score
        assert job.flips.first == list(trace.steps)
        assert job.flips.tried == len(trace.proposals) == len(trace.steps) + 1
        graph, score = job.start
        assert (set(graph), graph.number_of_edges()) == (set(CORONARY.names), 0)
        assert score == trace.start_score
        assert 0 < job.done == job.total
        assert not job.cancelled

    def test_cancel_stops_a_long_search_at_once(self, large: bjp.Dataset) -> None:
        spent = []
        for method in ("bjp", "ib", "mpl"):
            job = Job("Long", partial(endless, data=large, method=method)).launch()
            until(lambda job=job: job.total or job.flips.tried)
            assert not job.wait(0)
            # Of this process alone, so no other one on the machine counts.
            before = time.process_time()
            job.cancel()
            assert job.wait(ENDS)
            spent.append(time.process_time() - before)
            assert job.cancelled
            if job.error is None:
                assert job.result.stop_reason is bjp.search.StopReason.CANCELLED
            else:
                assert isinstance(job.error, bjp.errors.Cancelled)
        assert max(spent) < 0.2
        assert not running("Long")

    def test_what_was_found_before_a_cancel_is_kept(self) -> None:
        held = Held(3)
        job = Job("Long", partial(searching, partial(held, CORONARY, "bjp", "ibmap-hc"))).launch()
        assert held.held.wait(ENDS)
        job.cancel()
        assert job.wait(ENDS)
        assert job.error is None
        assert job.result.stop_reason is bjp.search.StopReason.CANCELLED
        assert job.result.graph.number_of_edges() == len(job.result.steps) >= 3
        assert list(job.result.steps) == job.flips.first

    def test_nobody_looks_any_more(
        self, large: bjp.Dataset, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(jobs, "ABANDONED_AFTER", 0.2)
        Job("Abandoned", partial(endless, data=large)).launch()
        assert running("Abandoned")
        until(lambda: not running("Abandoned"))

    def test_a_look_keeps_it_alive(self, monkeypatch: pytest.MonkeyPatch) -> None:
        now = [0.0]
        monkeypatch.setattr(jobs, "time", SimpleNamespace(monotonic=lambda: now[0]))
        job = Job("Watched", lambda job: job.stopping()).launch()
        assert job._finished.wait(ENDS)
        assert job.result is False
        for _ in range(10):
            now[0] += 0.9 * jobs.ABANDONED_AFTER
            assert not job.stopping()
            job.wait(0)
        now[0] += 1.1 * jobs.ABANDONED_AFTER
        assert job.stopping()

    def test_an_error_is_kept_for_the_page(self) -> None:
        def work(job: Job[Any]) -> None:
            raise bjp.errors.DataError("Column “a” is empty.")

        job = Job("Broken", work).launch()
        assert job.wait(ENDS)
        assert str(job.error) == "Column “a” is empty."
        assert not job.cancelled

    def test_an_interrupt_ends_it_too(self) -> None:
        def work(job: Job[Any]) -> None:
            raise KeyboardInterrupt

        job = Job("Broken", work).launch()
        assert job.wait(ENDS)
        assert isinstance(job.error, KeyboardInterrupt)


class TestProgressText:
    @pytest.fixture(autouse=True)
    def _stopped_clock(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(jobs, "time", SimpleNamespace(monotonic=lambda: 100.0))

    @staticmethod
    def job(done: int = 0, total: int = 0, steps: int = 0, seconds: float = 2.0) -> Job[None]:
        """A job as it is after some time."""
        job: Job[None] = Job("Learning with BJP", lambda job: None)
        job.began = 100.0 - seconds
        job.progress(done, total)
        for step in bjp.learn(CORONARY, search="ibmap-hc").steps[:steps]:
            job.flips.record(step)
        return job

    @pytest.mark.parametrize(
        ("numbers", "text"),
        [
            ((0, 0, 0), "Learning with BJP · 2 s"),
            ((0, 0, 1), "Learning with BJP · 2 s · 1 step"),
            (
                (1500, 6000, 5),
                "Learning with BJP · 2 s · 5 steps · 1,500 of 6,000 tests of this step",
            ),
            (
                (1500, 6000, 0),
                "Learning with BJP · 2 s · 1,500 of 6,000 tests of this step · about 6 s left",
            ),
            (
                (5999, 6000, 0),
                "Learning with BJP · 2 s · 5,999 of 6,000 tests of this step · nearly done",
            ),
        ],
    )
    def test_it_says_how_far_it_is(self, numbers: tuple[int, int, int], text: str) -> None:
        assert results.progress_text(self.job(*numbers)) == text

    def test_it_says_what_a_search_counts(self) -> None:
        job = self.job(500, 2000, 5)
        job.counts = ("parts of the start", "flips to try")
        assert "500 of 2,000 parts of the start" in results.progress_text(job)
        job.begin(nx.Graph(), -3.0)
        # What was counted before the start says nothing of the walk.
        assert results.progress_text(job) == "Learning with BJP · 2 s · 5 steps"
        assert job.share == 0
        job.progress(500, 2000)
        text = results.progress_text(job)
        assert text.endswith("5 steps · 500 of 2,000 flips to try · about 6 s left")
        assert job.share == 0.25

    def test_a_time_budget_is_an_estimate(self) -> None:
        job = self.job(0, 0, 3)
        job.limit = 8.0
        assert results.progress_text(job).endswith("3 steps · about 6 s left")
        assert job.share == pytest.approx(0.25, abs=0.01)
        job.limit = 1.0
        assert (job.share, job.remaining) == (1.0, 0.0)

    def test_it_says_that_it_stops(self) -> None:
        job = self.job()
        job.cancel()
        assert results.progress_text(job) == "Learning with BJP · 2 s · stopping"

    def test_no_guess_before_there_is_ground_for_one(self) -> None:
        assert self.job(1, 1000).remaining is None
        assert self.job(500, 1000, seconds=0.1).remaining is None
        assert self.job(500, 1000).remaining == pytest.approx(2.0, rel=0.01)

    def test_no_more_is_left_than_it_was_given(self) -> None:
        job = self.job(500, 1000)
        job.limit = 3.0
        assert job.remaining == pytest.approx(1.0, rel=0.01)
        job.limit = 1.0
        assert job.remaining == 0.0


class Held:
    """A search that makes its first flips and then waits until it is let go or cancelled.

    Parameters
    ----------
    flips : int
    """

    def __init__(self, flips: int) -> None:
        self.flips, self.calls, self.free = flips, 0, threading.Event()
        self.held = threading.Event()

    def __call__(
        self, data: bjp.Dataset, *arguments: Any, **options: Any
    ) -> bjp.search.SearchTrace:
        """As `bjp_engine.learn`."""
        self.calls += 1
        tell, cancelled = options.pop("on_step"), options["progress"].cancelled
        told: list[bjp.search.Step] = []

        def on_step(step: bjp.search.Step) -> None:
            if len(told) == self.flips:
                self.held.set()
                while not (self.free.is_set() or cancelled()):
                    time.sleep(0.005)
            told.append(step)
            tell(step)

        return bjp.learn(data, *arguments, on_step=on_step, **options)


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Held]:
    """Every search of the app waits after two flips."""
    search = Held(2)
    monkeypatch.setattr(tasks, "learn", search)
    monkeypatch.setattr(results, "PATIENCE", 0.05)
    yield search
    search.free.set()


class Here:
    """A link without a process: its tasks run in the threads of their jobs."""

    def __init__(self) -> None:
        self.held: dict[str, None] = {}
        self.large, self.alive, self.pid = False, True, 1

    def run(self, task: Task, job: Any, threads: int) -> Any:
        """Do it."""
        job.enter(threads)
        return task.here(job)


@pytest.fixture
def one_worker(monkeypatch: pytest.MonkeyPatch) -> Pool:
    """The server has one worker, which is no process."""
    made = Pool(1, Here)
    monkeypatch.setattr(results, "server_pool", lambda: made)
    return made


@pytest.fixture
def token(request: pytest.FixtureRequest) -> str:
    """A dataset that no other test has learned from."""
    seed = sum(map(ord, request.node.name))
    return f"net:hub-1:clique-log-weights:900:{seed}"


def running_page(open_app: Callable[..., AppTest], token: str, search: Held) -> AppTest:
    """The climb page while its search is held."""
    app = open_app("climb", data=token)
    assert search.held.wait(ENDS)
    app.run()
    assert app.get("progress")
    assert not app.exception
    return app


class TestOnThePage:
    def test_the_climb_so_far_is_shown(
        self, open_app: Callable[..., AppTest], held: Held, token: str
    ) -> None:
        app = running_page(open_app, token, held)
        trace = bjp.learn(sources.load(token).data, search="ibmap-hc")
        shown = payload(app)
        assert shown["running"] is True
        assert shown["stop"] == ""
        assert [step["score"] for step in shown["steps"]] == [s.score for s in trace.steps[:2]]
        assert shown["start"]["score"] == trace.start_score
        (bar,) = app.get("progress")
        assert "2 steps" in bar.proto.text
        assert "Learning with BJP" in bar.proto.text

        held.free.set()
        until(lambda: not app.run().get("progress"))
        assert payload(app)["running"] is False
        assert payload(app)["steps"][-1]["score"] == trace.score
        assert held.calls == 1

    def test_cancel_and_run_again(
        self, open_app: Callable[..., AppTest], held: Held, token: str
    ) -> None:
        app = running_page(open_app, token, held)
        app.button(key="climb-cancel").click().run()
        until(lambda: not app.run().get("progress"))
        assert not app.exception
        assert [each.value for each in app.info] == ["Learning with BJP was cancelled."]
        shown = payload(app)
        assert shown["stop"] == "cancelled"
        # The flip that was being made is still counted.
        assert len(shown["steps"]) == 3
        app.run()
        assert held.calls == 1

        held.free.set()
        (again,) = [button for button in app.button if button.label == "Run it again"]
        again.click().run()
        until(lambda: not app.run().get("progress"))
        assert held.calls == 2
        assert not app.info
        trace = bjp.learn(sources.load(token).data, search="ibmap-hc")
        assert payload(app)["steps"][-1]["score"] == trace.score

    def test_the_step_page_waits_too(
        self, open_app: Callable[..., AppTest], held: Held, token: str
    ) -> None:
        app = open_app("step", data=token)
        assert app.get("progress")
        assert not views(app)
        held.free.set()
        until(lambda: not app.run().get("progress"))
        assert not app.exception
        learned = bjp.learn(sources.load(token).data, search="ibmap-hc").graph
        assert len(payload(app)["edges"]) == learned.number_of_edges()

    def test_a_cancelled_search_is_not_called_learned(
        self, open_app: Callable[..., AppTest], held: Held, token: str
    ) -> None:
        app = open_app("step", data=token)
        (cancel,) = [button for button in app.button if button.label == "Cancel"]
        cancel.click().run()
        until(lambda: not app.run().get("progress"))
        assert not app.exception
        told = line(app)
        assert "before it was cancelled" in told
        assert "learned by" not in told

    def test_another_search_of_the_page_cancels_the_one_before(
        self,
        open_app: Callable[..., AppTest],
        held: Held,
        token: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(jobs, "ABANDONED_AFTER", 1e9)
        title = "Learning with BJP (Simulated annealing)"
        app = open_app("climb", data=token, search="annealing")
        for seed in (1, 2, 3):
            app.number_input(key="climb-annealing-seed").set_value(seed).run()
            assert not app.exception
        end = time.monotonic() + ENDS
        while len(running(title)) > 1 and time.monotonic() < end:
            time.sleep(0.01)
        assert len(running(title)) == 1
        # It is the one that was asked for last, and goes on where it is followed.
        app.run()
        assert app.get("progress")
        assert len(running(title)) == 1
        held.free.set()
        until(lambda: not app.run().get("progress"))
        assert not app.info
        trace = bjp.learn(sources.load(token).data, search="annealing", seed=3)
        assert payload(app)["steps"][-1]["score"] == trace.steps[-1].score

    def test_a_search_goes_on_while_another_page_is_read(
        self,
        open_app: Callable[..., AppTest],
        switch_page: Callable[..., AppTest],
        held: Held,
        token: str,
    ) -> None:
        title = "Learning with BJP (Simulated annealing)"
        app = open_app("climb", data=token, search="annealing", seed="5")
        until(lambda: running(title))
        switch_page(app, "data", data=token)
        time.sleep(0.1)
        assert len(running(title)) == 1

    def test_a_search_that_no_page_shows_makes_way(
        self,
        open_app: Callable[..., AppTest],
        switch_page: Callable[..., AppTest],
        held: Held,
        one_worker: Pool,
        token: str,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.setattr(costs, "QUICK", 0.0)
        app = open_app("climb", data=token, search="annealing", seed="5")
        jobs = app.session_state[results._JOBS]
        (climb,) = (job for key, job in jobs.items() if "annealing" in key)
        assert held.held.wait(ENDS)
        switch_page(app, "data", data=token)
        assert not climb.cancelled
        held.held.clear()
        switch_page(app, "step", data=token)
        assert climb.cancelled
        # The search of this page begins now.
        assert held.held.wait(ENDS)
        held.free.set()
        until(lambda: not app.run().get("progress"))
        assert not app.info
        assert payload(app)["edges"]

    def test_two_visits_have_their_own_jobs(
        self, open_app: Callable[..., AppTest], held: Held, token: str
    ) -> None:
        first = running_page(open_app, token, held)
        second = running_page(open_app, token, held)
        first.button(key="climb-cancel").click().run()
        until(lambda: not first.run().get("progress"))
        assert second.run().get("progress")
        held.free.set()
        until(lambda: not second.run().get("progress"))
        assert payload(second)["stop"] != "cancelled"

    def test_a_refusal_is_told_in_its_own_words(
        self, open_app: Callable[..., AppTest], monkeypatch: pytest.MonkeyPatch, token: str
    ) -> None:
        def refuse(*arguments: Any, **options: Any) -> None:
            raise bjp.errors.OptionError("start has other nodes than the data.")

        monkeypatch.setattr(tasks, "learn", refuse)
        app = open_app("climb", data=token)
        assert [each.value for each in app.error] == ["start has other nodes than the data."]
        assert not app.exception
        assert not views(app)
        monkeypatch.setattr(tasks, "learn", bjp.learn)
        (again,) = [button for button in app.button if button.label == "Run it again"]
        again.click().run()
        until(lambda: not app.run().get("progress"))
        assert not app.error
        assert payload(app)["steps"]

    def test_a_defect_goes_to_the_log_and_not_to_the_reader(
        self,
        open_app: Callable[..., AppTest],
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
        token: str,
    ) -> None:
        def fail(*arguments: Any, **options: Any) -> None:
            raise ZeroDivisionError("the secret inside")

        monkeypatch.setattr(tasks, "learn", fail)
        app = open_app("method", data=token)
        with caplog.at_level(logging.ERROR, "bjp_explorer"):
            app.switch_page("pages/climb.py").run()
        (told,) = [each.value for each in app.error]
        assert told.startswith("The computation failed")
        assert "secret" not in told
        assert not app.exception
        logged = [record for record in caplog.records if record.name.startswith("bjp_explorer")]
        assert any(record.exc_info and "secret" in str(record.exc_info[1]) for record in logged)


def test_the_shelf_of_jobs_stays_small(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[str, Any] = {}
    monkeypatch.setattr(results.st, "session_state", kept)
    for k in range(30):
        assert results.job_for((k,), "Quick", lambda job: None).wait(ENDS)
    assert len(kept[results._JOBS]) <= 10
    still = results.job_for(("slow",), "Slow", lambda job: threading.Event().wait(0.3))
    for k in range(30):
        results.job_for((k, k), "Quick", lambda job: None).wait(ENDS)
    assert results.job_for(("slow",), "Slow", lambda job: None) is still or still.wait(ENDS)


def test_to_count_a_job_is_no_look(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results.st, "session_state", {})
    free = threading.Event()
    still = results.job_for(("still",), "Held", lambda job: free.wait(ENDS))
    looked = still._looked
    for k in range(12):
        results.job_for((k,), "Quick", lambda job: None).wait(ENDS)
    assert still._looked == looked
    free.set()


def test_equal_searches_share_one_job(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(results.st, "session_state", {})
    graph: nx.Graph[Any] = nx.Graph()
    free = threading.Event()
    first = results.job_for(("a", 1), "Held", lambda job: free.wait(ENDS) and graph)
    assert results.job_for(("a", 1), "Held", lambda job: None) is first
    free.set()
    assert first.wait(ENDS)
    assert first.result is graph


def test_work_of_a_part_of_the_page_makes_others_go(
    monkeypatch: pytest.MonkeyPatch, one_worker: Pool
) -> None:
    """Streamlit may run a part of a page alone, after the page has asked for all it shows."""
    monkeypatch.setattr(results.st, "session_state", {})

    def stay(report: Job[Any], _data: bjp.Dataset) -> None:
        until(report.stopping)

    def begin(key: str) -> Job[Any]:
        return results.job_for(
            (key, 1), key, partial(one_worker.run, Task(stay, CORONARY), visit="a")
        )

    def queued(job: Job[Any]) -> Job[Any]:
        until(lambda: job.place is not None)
        return job

    results.begin_run()
    former = begin("former")
    until(lambda: one_worker.processes)
    results.end_run()
    results.begin_run()
    shown = queued(begin("shown"))
    # The page may still ask for the former.
    results.show_progress(shown, "one")
    assert not former.cancelled
    results.job_for(("former", 1), "former", stay)
    results.end_run()
    assert not former.cancelled
    results.begin_run()
    results.end_run()
    assert not former.cancelled
    part = queued(begin("part"))
    results.show_progress(part, "two")
    assert (former.cancelled, shown.cancelled, part.cancelled) == (True, True, False)
    part.cancel()
