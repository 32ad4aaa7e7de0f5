"""Long work: its progress, its cancel, its end when nobody looks, and its errors."""

import logging
import threading
import time
from types import SimpleNamespace

import networkx as nx
import pytest

import bjp_engine as bjp
from bjp_explorer.jobs import costs, results, tasks
from bjp_explorer.jobs import job as jobs
from bjp_explorer.jobs.job import Job, Task
from bjp_explorer.jobs.pool import Pool
from bjp_explorer.shell import sources
from tests.app.jobs.labour import Here
from tests.app.looks import ENDS, coronary, learn, line, payload, until, views
from tests.app.network.pages import press


class Clock:
    """The time as jobs see it, which stands still until it is moved on."""

    def __init__(self, monkeypatch):
        self.now = 0.0
        monkeypatch.setattr(jobs, "time", SimpleNamespace(monotonic=lambda: self.now))


def launched(work, title="Work"):
    job = Job(title, work).launch()
    assert job.wait(ENDS)
    return job


def searching(run, data, **wanted):
    return Task(run, data, wanted, ("progress", "on_start", "on_step")).here


class TestJob:
    def test_a_search_is_recorded_as_it_goes_and_an_error_kept(self):
        job, trace = launched(searching(bjp.learn, coronary(), search="ibmap-hc")), learn()
        assert job.error is None
        assert (job.result.score, job.flips.first) == (trace.score, list(trace.steps))
        assert job.flips.tried == len(trace.proposals) == len(trace.steps) + 1
        graph, score = job.start
        assert (set(graph), graph.number_of_edges()) == (set(coronary().names), 0)
        assert score == trace.start_score
        assert 0 < job.done == job.total
        assert not job.cancelled
        for error in (bjp.errors.DataError("Column “a” is empty."), KeyboardInterrupt()):

            def work(job, error=error):
                raise error

            job = launched(work)
            assert job.error is error
            assert not job.cancelled

    def test_work_ends_that_nobody_looks_at(self, monkeypatch):
        clock = Clock(monkeypatch)
        held = Held(2)
        job = Job("Watched", searching(held, coronary(), method="bjp", search="ibmap-hc"))
        job.wait(0)
        job.launch()
        assert held.held.wait(ENDS)
        for _ in range(10):
            clock.now += 0.9 * jobs.ABANDONED_AFTER
            assert not job.stopping()
            job.wait(0)
        assert not job.ended
        clock.now += 1.1 * jobs.ABANDONED_AFTER
        assert job.stopping()
        until(lambda: job.ended)
        assert job.result.stop_reason is bjp.search.StopReason.CANCELLED
        # An open tab may be asleep, and then only for so long.
        job.present = lambda: True
        assert not job.stopping()
        clock.now += jobs.AWAY_AFTER
        assert job.stopping()

    def test_every_task_stops_when_it_is_asked(self):
        graph, search = {"graph": nx.path_graph(coronary().names)}, {"search": "auto"}
        for run, asked in (
            (bjp.learn, search),
            (tasks.shuffle, {"tables": 9} | search),
            (tasks.score_all_graphs, {}),
            (tasks.plan, {"model": None, "strength": 1.0, "rows": (99,)} | graph),
            (tasks.predict, {"options": {}, "folds": 3} | search),
        ):
            job = Job("Work", Task(run, coronary(), asked).here)
            job.cancel()
            assert job.launch().wait(ENDS)
            assert isinstance(job.error, bjp.errors.Cancelled), run


def test_how_far_work_is_and_what_is_left(monkeypatch):
    Clock(monkeypatch)
    made = bjp.learn(coronary(), search="ibmap-hc").steps

    def job(done=0, total=0, steps=0, seconds=2.0):
        begun = Job("Learning with BJP", lambda job: None)
        begun.began = -seconds
        begun.progress(done, total)
        for step in made[:steps]:
            begun.flips.record(step)
        return begun

    of = "6,000 tests of this step"
    for numbers, text in (
        ((0, 0, 0), ""),
        ((0, 0, 1), " · 1 step"),
        ((1500, 6000, 5), f" · 5 steps · 1,500 of {of}"),
        ((1500, 6000, 0), f" · 1,500 of {of} · about 6 s left"),
        ((5999, 6000, 0), f" · 5,999 of {of} · nearly done"),
    ):
        assert results.progress_text(job(*numbers)) == f"Learning with BJP · 2 s{text}"
    assert job(1, 1000).remaining is None  # no ground for a guess
    assert job(500, 1000, seconds=0.1).remaining is None
    assert job(500, 1000).remaining == pytest.approx(2.0)
    # Of a time budget, and never more than it.
    one = job(0, 0, 3)
    one.limit = 8.0
    assert results.progress_text(one).endswith("3 steps · about 6 s left")
    assert one.share == 0.25
    one = job(500, 1000)
    one.limit = 3.0
    assert one.remaining == pytest.approx(1.0)
    one.limit = 1.0
    assert (one.share, one.remaining) == (1.0, 0.0)


class Held:
    """A search that makes its first flips and then waits until it is let go or cancelled."""

    def __init__(self, flips):
        self.flips, self.calls = flips, 0
        self.held, self.free = threading.Event(), threading.Event()

    def __call__(self, data, *arguments, **options):
        self.calls += 1
        tell, cancelled = options.pop("on_step"), options["progress"].cancelled
        told = []

        def on_step(step):
            if len(told) == self.flips:
                self.held.set()
                while not (self.free.is_set() or cancelled()):
                    time.sleep(0.005)
            told.append(step)
            tell(step)

        return bjp.learn(data, *arguments, on_step=on_step, **options)


@pytest.fixture
def held(monkeypatch):
    search = Held(2)
    monkeypatch.setattr(results, "learn", search)
    monkeypatch.setattr(results, "PATIENCE", 0.05)
    yield search
    search.free.set()


@pytest.fixture
def one_worker(monkeypatch):
    made = Pool(1, Here)
    monkeypatch.setattr(results, "server_pool", lambda: made)
    return made


@pytest.fixture
def token(request):
    seed = sum(map(ord, request.node.name))
    return f"net:hub-1:clique-log-weights:900:{seed}"


def end(app):
    until(lambda: not app.run().get("progress"))
    assert not app.exception


class TestOnThePage:
    def test_step_waits_and_a_cancelled_search_is_not_called_learned(self, open_app, held, token):
        app = open_app("step", data=token)
        assert app.get("progress")
        assert not views(app)
        press(app, "Cancel")
        end(app)
        app.run()
        assert held.calls == 1
        assert "before it was cancelled" in line(app)
        assert "learned by" not in line(app)
        held.free.set()
        press(app, "Run it again")
        end(app)
        assert "learned by" in line(app)
        learned = bjp.learn(sources.load(token).data, search="ibmap-hc").graph
        assert len(payload(app)["edges"]) == learned.number_of_edges()

    def test_another_search_cancels_the_one_before(self, open_app, held, token, monkeypatch):
        monkeypatch.setattr(jobs, "ABANDONED_AFTER", 1e9)

        def running():
            name = "bjp: Learning with BJP (Restarts by perturbation)"
            return sum(thread.name == name for thread in threading.enumerate())

        app = open_app("climb", data=token, search="restarts", restarts="20")
        for seed in (1, 2, 3):
            app.number_input(key="climb-restarts-seed").set_value(seed).run()
            assert not app.exception
        until(lambda: running() == 1)
        # It is the one that was asked for last, and goes on where it is followed.
        assert app.run().get("progress")
        assert running() == 1
        held.free.set()
        end(app)
        assert not app.info
        trace = bjp.learn(sources.load(token).data, search="restarts", seed=3, restarts=20)
        assert payload(app)["steps"][-1]["score"] == trace.steps[-1].score

    def test_a_search_goes_on_behind_other_pages_until_one_needs_its_worker(
        self, open_app, switch_page, held, one_worker, token, monkeypatch
    ):
        monkeypatch.setattr(costs, "QUICK", 0.0)
        app = open_app("climb", data=token, search="restarts", seed="5")
        jobs = app.session_state[results._JOBS]
        (climb,) = (job for key, job in jobs.items() if "restarts" in key)
        assert held.held.wait(ENDS)
        switch_page(app, "data", data=token)
        assert (climb.cancelled, climb.ended) == (False, False)
        held.held.clear()
        switch_page(app, "step", data=token)
        assert climb.cancelled
        assert held.held.wait(ENDS)
        held.free.set()
        end(app)
        assert not app.info
        assert payload(app)["edges"]

    def test_a_refusal_is_shown_and_a_defect_logged(self, open_app, monkeypatch, caplog, token):
        refusal = bjp.errors.OptionError("**start** has other nodes than the data.")
        raised = [refusal, ZeroDivisionError("the secret inside")]

        def fail(*arguments, **options):
            if raised:
                raise raised.pop(0)
            return bjp.learn(*arguments, **options)

        monkeypatch.setattr(results, "learn", fail)
        with caplog.at_level(logging.ERROR, "bjp_explorer"):
            app = open_app("climb", data=token)
            (error,) = app.error
            assert error.value == r"\*\*start\*\* has other nodes than the data\."
            assert not views(app)
            assert not caplog.records
            press(app, "Run it again")
        (shown,) = [each.value for each in app.error]
        assert shown.startswith("The computation failed")
        assert "secret" not in shown
        (logged,) = caplog.records
        assert "the secret inside" in str(logged.exc_info[1])
        assert not app.exception
        press(app, "Run it again")
        end(app)
        assert not app.error
        assert payload(app)["steps"]
