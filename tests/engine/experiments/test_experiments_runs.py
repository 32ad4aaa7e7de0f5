"""Runs of experiments: whatever becomes of a run, its folder ends with the same rows."""

import contextlib
import itertools
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import Executor, Future
from pathlib import Path
from subprocess import PIPE

import pytest

from bjp_engine import cli
from bjp_engine.errors import BJPError, Cancelled, DataError, OptionError
from bjp_engine.experiments import (
    Experiment,
    cluster,
    find_table,
    read_results,
    resize,
    run,
    runs,
    summaries,
)
from bjp_engine.experiments.runs import Row, begin, part, write_part
from bjp_engine.processes import LostError
from bjp_engine.progress import Progress
from tests.clusters import local_client
from tests.refusals import assert_refused

ROOT = Path(__file__).parents[3]
CLIMBS = (("bjp", "ibmap-hc"), ("ib", "ibmap-hc"), ("mpl", "mpl-hc"))
SMALL = Experiment("small", ("target-3", "hub-1"), (60, 250), CLIMBS, distributions=2, samples=2)
# Long enough to be met in the middle.
LONG = "table-1 --networks target-1,target-2 --rows 250 --samples 3 --workers 1"
TOTAL = 2 * 10 * 3 * 3
ROW = Row("karate", 60, 0, 0, "bjp", "ibmap-hc", 1, 1, 0, -2.5, 0.0, 7, 3, 11, "0.1.0")
# The command, with a rest for ever once a run has more than so many rows: however busy the
# machine is, it is met in the middle.
RESTING = """
import sys, time
from bjp_engine import cli, experiments
from bjp_engine.progress import Progress

run, least = experiments.run, int(sys.argv.pop(1))

def resting(*given, progress, **options):
    def report(done, total):
        progress.report(done, total)
        while done > least:
            time.sleep(0.05)

    return run(*given, progress=Progress(report=report), **options)

experiments.run = resting
sys.exit(cli.main(sys.argv[1:]))
"""


class Inline(Executor):
    """Jobs run in this process: each at once, or so many at a time from the last to the first."""

    def __init__(self, backwards=1):
        self._many = backwards
        self._waiting = []

    def submit(self, function, /, *arguments, **options):
        future = Future()
        self._waiting.append((future, lambda: function(*arguments, **options)))
        if len(self._waiting) == self._many:
            while self._waiting:
                waiting, call = self._waiting.pop()
                try:
                    waiting.set_result(call())
                except BJPError as error:
                    waiting.set_exception(error)
        return future


def rows(path):
    frame = read_results(path).to_frame().drop(columns="experiment")
    return [Row(*row)._replace(seconds=0.0) for row in frame.itertuples(index=False)]


def die(_):
    os.kill(os.getpid(), signal.SIGKILL)


@pytest.fixture(scope="module")
def straight(tmp_path_factory):
    """The small experiment, run in this process from its beginning to its end."""
    path = tmp_path_factory.mktemp("straight") / "results"
    assert len(run(SMALL, path, executor=Inline())) == len(rows(path)) == SMALL.size
    return path


class TestRows:
    def test_neither_the_order_of_jobs_nor_the_number_of_workers_matters(self, straight, tmp_path):
        run(SMALL, tmp_path / "back", executor=Inline(8))
        run(SMALL, tmp_path / "two", workers=2)
        assert rows(tmp_path / "back") == rows(tmp_path / "two") == rows(straight)

    def test_a_folder_holds_several_experiments(self, tmp_path):
        other = Experiment("other", ("target-1",), (60,), CLIMBS, distributions=1, samples=1)
        for experiment in (SMALL, other, SMALL):
            found = run(experiment, tmp_path / "both", executor=Inline())
            assert dict(found.experiments) == {experiment.name: experiment}
            assert len(found) == found.expected
        results = read_results(tmp_path / "both")
        assert dict(results.experiments) == {"small": SMALL, "other": other}
        assert len(results) == results.expected == SMALL.size + 3
        assert len(results.where(experiment="small")) == SMALL.size


class TestProgress:
    def test_it_counts_what_was_there(self, tmp_path):
        path, counts = tmp_path / "r", []
        report = Progress(report=lambda *count: counts.append(count))
        watch = Progress(report.report, lambda: len(counts) > 3)
        with pytest.raises(Cancelled):
            run(SMALL, path, executor=Inline(), progress=watch)
        assert counts == [(done, SMALL.size) for done in (0, 6, 12, 18)]
        assert len(rows(path)) == 18
        counts.clear()
        run(SMALL, path, executor=Inline(), progress=report)
        assert (counts[0], counts[-1]) == ((18, SMALL.size), (SMALL.size, SMALL.size))

    def test_a_cancelled_run_ends_at_once_and_its_workers_too(self, tmp_path):
        # One search of it takes minutes, so that only an end at once is an end.
        endless = Experiment("endless", ("adj-noun",), (8000,), (("bjp", "tabu"),), samples=1)
        asked = itertools.count(1)
        watch = Progress(cancelled=lambda: next(asked) > 3)
        with pytest.raises(Cancelled):
            run(endless, tmp_path / "r", workers=2, progress=watch)
        # None of this process's children that run jobs is left.
        assert not [k for k in _workers_of(os.getpid()) if _alive(k) and _runs_jobs(k)]


class TestAccidents:
    @pytest.mark.slow
    def test_runs_that_are_doubled_killed_and_interrupted_end_with_the_same_rows(self, tmp_path):
        table = resize(find_table("table-1"), networks=["target-1", "target-2"], rows=[250])
        table = resize(table, samples=3)
        assert len(run(table, tmp_path / "straight", executor=Inline())) == TOTAL

        # Two on one new file, both met in the middle.
        path, least = tmp_path / "results", TOTAL // 3
        killed, stopped = (_started(path, rests_after=least, stderr=PIPE) for _ in range(2))
        workers = _until(lambda: _count(path) > least and _workers_of(killed.pid))
        # As a terminal does: to the workers as well.
        os.killpg(stopped.pid, signal.SIGINT)
        _, said = stopped.communicate()
        assert stopped.returncode == 130
        assert "Traceback" not in said
        assert f"bjp experiment {LONG} --out {path}" in said.splitlines()[-1]
        killed.kill()
        killed.communicate()
        # Nobody goes on for a run that is dead.
        _until(lambda: not any(map(_alive, workers)))
        assert least < _count(path) < TOTAL
        assert set(rows(path)) < set(rows(tmp_path / "straight"))

        both = [_started(path) for _ in range(2)]
        assert [process.wait() for process in both] == [0, 0]
        assert rows(path) == rows(tmp_path / "straight")

    def test_a_worker_that_dies_is_one_sentence(self, tmp_path, monkeypatch):
        monkeypatch.setattr(runs, "run_job", die)
        assert_refused(LostError, "ended early", run, SMALL, tmp_path / "r", workers=1)
        assert_refused(OptionError, "workers=0", run, SMALL, tmp_path / "r", workers=0)
        assert_refused(OptionError, "scheduler='None' must be a text", cluster(None).__enter__)

    @pytest.mark.slow
    def test_a_script_needs_no_guard_is_run_once_and_is_told_a_mistake_in_a_job(self, tmp_path):
        script = tmp_path / "script.py"
        script.write_text(
            "from bjp_engine.errors import OptionError\n"
            "from bjp_engine.experiments import Experiment, find_table, run, resize\n"
            "print('once')\n"
            "small = resize(find_table('table-1'), networks=['target-1'], rows=[250], samples=1)\n"
            f"print(run(small, {str(tmp_path / 'r')!r}, workers=1))\n"
            "learner = [('mpl', 'mpl-hc')]\n"
            "long = Experiment('long', ['target-1'], [10], learner, burn_in=10**10, samples=1)\n"
            "try:\n"
            f"    run(long, {str(tmp_path / 's')!r}, workers=1)\n"
            "except OptionError as error:\n"
            "    print('minutes' in str(error))\n",
            encoding="utf-8",
        )
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        command = [sys.executable, str(script)]
        found = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        assert found.stdout == "once\nResults(30 of 30 rows: table-1)\nTrue\n"
        assert found.stderr == ""


class TestFolder:
    def test_another_experiment_of_the_name_is_refused(self, straight):
        before, other = rows(straight), resize(SMALL, samples=3)
        said = rf"(?=.*{straight.name}).*samples=2 where 3 is asked for"
        assert_refused(DataError, said, run, other, straight, executor=Inline())
        assert rows(straight) == before
        assert [path.name for path in straight.iterdir()] == ["small"]

    def test_a_part_is_there_whole_or_not_at_all_and_what_was_begun_is_not_read(
        self, straight, tmp_path, monkeypatch
    ):
        home = begin(tmp_path / "r", SMALL)
        assert len(read_results(tmp_path / "r")) == 0
        write_part(part(home, "karate", 0, 0), SMALL, [ROW])
        # What another run is writing just now.
        (home / ".hub-1-0-0.parquet-1-ab").write_bytes(b"PAR1")
        assert rows(tmp_path / "r") == [ROW]

        def is_full(_):
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(runs.os, "fsync", is_full)
        shutil.copytree(straight, tmp_path / "most")
        (tmp_path / "most" / "small" / "hub-1-1-1.parquet").unlink()
        for name in ("full", "most"):
            with pytest.raises(OSError, match="No space left on device"):
                run(SMALL, tmp_path / name, executor=Inline())
        assert len(rows(tmp_path / "most")) == SMALL.size - 6
        monkeypatch.undo()
        run(SMALL, tmp_path / "most", executor=Inline())
        assert rows(tmp_path / "most") == rows(straight)

    def test_what_is_no_folder_of_results_is_left_alone(self, tmp_path):
        file = tmp_path / "notes.db"
        file.write_bytes(b"SQLite format 3")
        assert_refused(DataError, r"notes\.db", read_results, file)
        with pytest.raises(NotADirectoryError):
            run(SMALL, file)
        assert file.read_bytes() == b"SQLite format 3"
        (tmp_path / "photos").mkdir()
        for path in (tmp_path / "none", tmp_path / "photos"):
            assert_refused(DataError, path.name, read_results, path)
        assert {one.name for one in tmp_path.iterdir()} == {"photos", "notes.db"}

    def test_damage_is_one_sentence(self, straight, tmp_path, capsys):
        chance = random.Random(0)
        shutil.copytree(straight, tmp_path / "r")
        path = tmp_path / "r" / "small" / "hub-1-0-1.parquet"
        content = path.read_bytes()
        for share in (0.0, 0.9):
            path.write_bytes(content[: int(share * len(content))])
            assert_refused(DataError, "'small' .* damaged", read_results, tmp_path / "r")
        assert cli.main(["report", str(tmp_path / "r")]) == 2
        assert re.fullmatch(r"bjp: .*'small' .*\n", capsys.readouterr().err)
        for many in (1, 3, 9):
            damaged = bytearray(content)
            for _ in range(many):
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
            path.write_bytes(damaged)
            with contextlib.suppress(DataError):
                summaries(read_results(tmp_path / "r"))
        path.unlink()
        run(SMALL, tmp_path / "r", executor=Inline())
        assert rows(tmp_path / "r") == rows(straight)
        (path.parent / "0.parquet").write_bytes(b"")
        assert_refused(DataError, "'small' .* damaged", read_results, tmp_path / "r")
        assert_refused(DataError, "'0.parquet' .* damaged", run, SMALL, tmp_path / "r")


class TestDask:
    @pytest.mark.slow
    def test_a_cluster_s_rows_are_those_of_this_machine(self, straight, tmp_path):
        with (
            local_client(1) as client,
            cluster(client.scheduler_info()["address"]) as executor,
        ):
            assert len(run(SMALL, tmp_path / "r", executor=executor)) == SMALL.size
        assert rows(tmp_path / "r") == rows(straight)

    def test_without_dask_it_says_what_to_install(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "distributed", None)
        said = r"bjp-explorer\[cluster\]"
        assert_refused(OptionError, said, cluster("tcp://a:1").__enter__)


def _started(path, rests_after=None, **options):
    """The longer experiment from the command line, in a process group of its own."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    program = ["-m", "bjp_engine"] if rests_after is None else ["-c", RESTING, str(rests_after)]
    return subprocess.Popen(
        [sys.executable, *program, "experiment", *LONG.split(), "--out", str(path)],
        cwd=ROOT,
        text=True,
        # Whoever runs the tests in the background has it ignored.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509
        start_new_session=True,
        **quiet | options,
    )


def _until(condition):
    """Wait for something that must happen."""
    end = time.monotonic() + 600
    while time.monotonic() < end:
        if found := condition():
            return found
        time.sleep(0.01)
    raise AssertionError("it never came about")


def _count(path):
    try:
        return len(read_results(path))
    except DataError:
        return 0


def _workers_of(pid):
    """The processes that a process started, where the system tells."""
    try:
        return [int(k) for k in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def _runs_jobs(pid):
    """Whether a process is a worker, and not what looks after shared memory."""
    with contextlib.suppress(OSError):
        return b"bjp_engine.processes" in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False
