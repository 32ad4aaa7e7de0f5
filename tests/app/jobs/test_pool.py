"""Worker processes: the same results as in a thread, cancels, lost processes, and the queue."""

import os
import pickle
import signal
import subprocess
import sys
import threading
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine import processes
from bjp_engine.confidence import choose_groups
from bjp_engine.processes import LostError
from bjp_explorer.jobs import costs, results, tasks
from bjp_explorer.jobs import pool as pools
from bjp_explorer.jobs.job import Job, Task
from bjp_explorer.jobs.pool import Pool, workers
from bjp_explorer.shell import sources
from tests.app.jobs import labour
from tests.app.looks import ENDS, coronary, until


@pytest.fixture(scope="module")
def pool():
    made = Pool(1, prepare=labour.nothing)
    yield made
    made.close()


def launched(pool, task, visit="a"):
    return Job("Work", lambda job: pool.run(task, job, visit)).launch()


def done(pool, run, takes=("progress",), **arguments):
    job = launched(pool, Task(run, coronary(), arguments, takes))
    assert job.wait(ENDS)
    return job


def under_way(pool, run):
    job = launched(pool, Task(run, coronary()))
    until(lambda: job.wait(0) or job.told)
    return job


def worker_of(pool):
    job = done(pool, labour.present, ["n_jobs"])
    assert job.error is None
    process = job.result[0]
    assert process != os.getpid()
    return process


def alive(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{process}/stat")
    return not (status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z")


class TestResults:
    def test_a_search_is_the_same_in_a_worker(self, pool):
        for method, search, options in (
            ("bjp", None, {}),
            ("mpl", None, {}),
            ("ib", "exhaustive", {}),
            ("bjp", "restarts", {"seed": 3, "restarts": 60, "start": "mpl"}),
        ):
            wanted, case = {"method": method, "search": search, **options}, (method, search)
            task = Task(bjp.learn, coronary(), wanted, ("progress", "on_start", "on_step"))
            far, near = launched(pool, task), Job("Work", task.here).launch()
            assert far.wait(ENDS)
            assert near.wait(ENDS)
            assert far.error is None, case
            one, other = far.result, near.result
            for name in ("score", "order", "stop_reason"):
                assert getattr(one, name) == getattr(other, name), (case, name)
            assert list(one.steps) == list(other.steps), case
            assert sorted(one.graph.edges) == sorted(other.graph.edges), case
            # What cannot be changed in the engine cannot be changed after a journey.
            with pytest.raises(Exception, match=r"[Ff]rozen"):
                one.graph.add_edge(*list(one.graph)[:2])
            flags = [
                [b.score.flags.writeable for b in trace.steps._batches] for trace in (one, other)
            ]
            assert flags[0] == flags[1], case
            for name in ("first", "changes", "tried"):
                assert getattr(far.flips, name) == getattr(near.flips, name), (case, name)
            stride, best = near.flips.stride, len(near.flips) - 1
            assert far.flips.frames(stride, best) == near.flips.frames(stride, best), case
            assert far.start[1] == near.start[1], case
            assert sorted(far.start[0].edges) == sorted(near.start[0].edges), case

    def test_the_other_tasks_are_the_same_too(self, pool):
        wanted = {"search": "auto", "resamples": 20, "seed": 4}
        bootstrap = bjp.confidence.bootstrap
        sure = done(pool, bootstrap, ("progress", "n_jobs"), **wanted).result
        assert np.array_equal(sure.matrix, bootstrap(coronary(), **wanted).matrix)
        # What is of no one dataset is sent with the task.
        groups = {"groups": choose_groups(coronary(), "smoking"), "permutations": 19}
        job = launched(pool, Task(bjp.confidence.compare_all_groups, None, groups))
        assert job.wait(ENDS)
        assert job.result.table.equals(bjp.confidence.compare_all_groups(**groups).table)
        few = coronary().select(coronary().names[:4])
        job = launched(pool, Task(tasks.score_all_graphs, few))
        assert job.wait(ENDS)
        assert job.result
        for method, table in job.result.items():
            assert np.array_equal(table.scores, bjp.all_graphs(few, method).scores), method

    def test_a_dataset_arrives_whole_and_is_sent_once(self, pool, monkeypatch):
        sent, dump = [], pickle.dump

        def counted(order, *rest):
            # Of an order to work, the fourth is what is to be kept.
            sent.extend(order[3] if order and order[3:] else ())
            dump(order, *rest)

        monkeypatch.setattr(processes.pickle, "dump", counted)
        random = np.random.default_rng(5)
        codes = [random.integers(3, size=(70_000, 5)) for _ in range(3)]
        several = [bjp.Dataset.from_codes(each, names=list("abc=<")) for each in codes]
        # No more than two stay; the one that was used last is one of them.
        for k, new in enumerate((True, True, False, False, True, False, True)):
            data = several[(0, 1, 0, 1, 2, 1, 0)[k]]
            job = launched(pool, Task(labour.present, data, takes=["n_jobs"]))
            assert job.wait(ENDS)
            process, digest, writeable, _ = job.result
            assert (process != os.getpid(), writeable) == (True, False)
            assert digest == data.digest
            assert sent == [digest] * new, k
            sent.clear()


def test_errors_keep_their_words(pool):
    job = done(pool, labour.refuse)
    assert isinstance(job.error, bjp.errors.DataError)
    assert str(job.error) == "Column “a” is empty."
    job = done(pool, labour.break_down)
    assert isinstance(job.error, ZeroDivisionError)
    assert "in break_down" in str(job.error.__cause__)
    job = done(pool, labour.stay)  # it cannot be sent
    assert job.error is not None
    assert not isinstance(job.error, LostError)
    assert worker_of(pool)


class TestCancel:
    def test_the_worker_hears_of_it_stays_and_keeps_what_was_found(self, pool, monkeypatch):
        process = worker_of(pool)
        # It is not killed before the test's end: the worker itself says that it stopped.
        monkeypatch.setattr(pools, "GRACE", ENDS)
        job = under_way(pool, labour.wait)
        job.cancel()
        assert job.wait(ENDS)
        assert job.result == "stopped"
        monkeypatch.undo()
        assert worker_of(pool) == process
        data = sources.load("net:hub-3:clique-log-weights:1000:0").data
        wanted = {"search": "restarts", "restarts": 1000}
        task = Task(bjp.learn, data, wanted, ("progress", "on_start", "on_step"))
        job = launched(pool, task)
        until(lambda: len(job.flips) >= 3 or job.wait(0))
        job.cancel()
        assert job.wait(ENDS)
        assert job.result.stop_reason is bjp.search.StopReason.CANCELLED
        assert len(job.result.steps) == len(job.flips) >= 3
        assert list(job.result.steps)[:1000] == job.flips.first

    def test_a_task_that_does_not_listen_is_ended(self, pool, monkeypatch):
        monkeypatch.setattr(pools, "GRACE", 0.3)
        job = under_way(pool, labour.sleep)
        process = pool.processes[0]
        job.cancel()
        assert job.wait(ENDS)
        assert isinstance(job.error, bjp.errors.Cancelled)
        assert not alive(process)
        assert worker_of(pool) != process


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
class TestLost:
    @pytest.mark.slow
    def test_workers_that_are_killed_or_have_grown_are_replaced(self, pool, monkeypatch):
        job = under_way(pool, labour.wait)
        first = pool.processes[0]
        os.kill(first, signal.SIGKILL)
        assert job.wait(ENDS)
        assert isinstance(job.error, LostError)
        assert "run it again" in str(job.error)
        second = worker_of(pool)
        assert second != first
        os.kill(second, signal.SIGKILL)
        until(lambda: not pool._idle[0].alive)
        third = worker_of(pool)
        assert third != second
        monkeypatch.setattr(pools, "LARGE", 1)
        assert worker_of(pool) == third
        assert worker_of(pool) != third

    @pytest.mark.slow
    def test_workers_end_with_the_server_however_it_ends(self):
        program = (
            "import os\n"
            "from bjp_explorer.shell import sources\n"
            "from bjp_explorer.jobs.job import Job, Task\n"
            "from bjp_explorer.jobs.pool import Pool\n"
            "from tests.app.jobs import labour\n"
            "pool, task = Pool(1), Task(labour.sleep, sources.load('coronary').data)\n"
            "job = Job('Work', lambda job: pool.run(task, job, '')).launch()\n"
            "while not job.told: job.wait(0.01)\n"
            "print(pool.processes[0], flush=True)\n"
            "os.kill(os.getpid(), 9)\n"
        )
        ran = subprocess.run(
            [sys.executable, "-c", program],
            cwd=Path(__file__).parents[3],
            stdout=subprocess.PIPE,
            timeout=ENDS,
            check=False,
        )
        process = int(ran.stdout)
        until(lambda: not alive(process))

    def test_on_the_page_it_is_a_sentence_and_a_retry(self, open_app, monkeypatch):
        monkeypatch.setattr(costs, "QUICK", 0.0)
        own = Pool(1, prepare=labour.nothing)
        monkeypatch.setattr(results, "server_pool", lambda: own)
        token = "net:hub-3:clique-log-weights:1000:77"
        app = open_app("climb", data=token, search="restarts", restarts="1000")
        until(lambda: own.processes)
        process = own.processes[0]
        assert app.run().get("progress")
        os.kill(process, signal.SIGKILL)
        until(lambda: not app.run().get("progress"))
        assert not app.exception
        (told,) = [each.value for each in app.error]
        assert told.startswith("The process that computed this ended early")
        (again,) = [button for button in app.button if button.label == "Run it again"]
        again.click().run()
        until(lambda: app.run().get("progress") and own.processes)
        assert own.processes[0] != process
        app.button(key="climb-cancel").click().run()
        until(lambda: not app.run().get("progress"))
        assert not app.error
        own.close()


class Order:
    """Jobs in a pool without processes, and the order in which they begin."""

    def __init__(self, size):
        self.pool, self.began = Pool(size, labour.Here), list[str]()
        self.free = {}
        self.jobs = {}

    def ask(self, *names):
        """One each, of the visit that the name's first letter names."""
        for name in names:
            free = self.free[name] = threading.Event()

            def do(_data, n_jobs, name=name, free=free):
                self.began.append(name)
                free.wait(ENDS)
                return n_jobs

            task = Task(do, coronary(), takes=["n_jobs"])
            job = self.jobs[name] = launched(self.pool, task, name[0])
            until(lambda name=name, job=job: name in self.began or job.place is not None)

    def end(self, *names):
        for name in names:
            self.free[name].set()
            assert self.jobs[name].wait(ENDS)


class TestQueue:
    def test_it_is_seen_and_nobody_waits_for_one_visit_alone(self):
        order = Order(1)
        order.ask("a1", "a2", "a3", "b1", "c1")
        assert order.jobs["a1"].place is None
        until(lambda: order.jobs["a3"].place == 3)
        waits = [results.progress_text(order.jobs[name]) for name in ("a3", "b1")]
        assert waits == ["Work · waiting: 3 before you", "Work · waiting: you are next"]
        order.end("a1", "b1", "c1", "a2", "a3")
        assert order.began == ["a1", "b1", "c1", "a2", "a3"]
        assert all(job.place is None for job in order.jobs.values())

    def test_one_visit_holds_no_more_than_half_of_the_workers(self):
        order = Order(4)
        order.ask("a1", "a2", "a3", "b1", "c1", "d1")
        # Two of a's run and one waits, though there was a worker left.
        assert order.began == ["a1", "a2", "b1", "c1"]
        assert order.jobs["a3"].place is not None
        order.end("b1")
        until(lambda: "d1" in order.began)
        assert "a3" not in order.began
        order.end("a1")
        until(lambda: "a3" in order.began)
        order.end(*order.jobs)

    def test_what_is_cancelled_leaves_the_queue_and_waiting_costs_no_time(self):
        order = Order(1)
        order.ask("a1", "b1", "c1")
        order.jobs["b1"].cancel()
        assert order.jobs["b1"].wait(ENDS)
        assert isinstance(order.jobs["b1"].error, bjp.errors.Cancelled)
        until(lambda: order.jobs["c1"].place == 0)
        order.end("a1", "c1")
        assert order.began == ["a1", "c1"]
        order = Order(1)
        order.ask("a1", "b1")
        job = order.jobs["b1"]
        job.limit = 1e-3
        assert job.share == 0.0
        began = job.began
        order.end("a1")
        until(lambda: "b1" in order.began)
        assert job.began > began
        order.end("b1")

    def test_threads_are_what_nobody_else_wants(self):
        order = Order(4)
        order.ask("a1", "b1")
        order.end("a1", "b1")
        assert [order.jobs[name].result for name in ("a1", "b1")] == [4, 3]


def test_how_many_workers_there_are_and_what_is_left_to_them(monkeypatch):
    for cores, expected in ((1, 1), (2, 1), (8, 7)):
        monkeypatch.setattr(pools, "cores", lambda cores=cores: cores)
        assert workers() == workers("") == expected
    monkeypatch.setenv("BJP_WORKERS", "3")
    assert Pool().size == 3
    for text in ("0", "-1", "two", "1.5", "257", "²"):
        with pytest.raises(bjp.errors.OptionError, match="BJP_WORKERS"):
            workers(text)
    many = sources.load("net:hub-3:clique-log-weights:1000:0").data
    about = partial(costs.of_search, many, "bjp")
    quick = 0.3
    assert max(about(None, {}), about("auto", {})) < quick
    assert min(about(s, {}) for s in ("tabu", "restarts")) > quick
    assert about("restarts", {"seconds": 0.1}) == 0.1
