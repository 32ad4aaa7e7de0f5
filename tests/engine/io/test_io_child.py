"""Work in a process of its own: what it gives, and one sentence whatever happens to it."""

import os
import signal
import subprocess
import sys
import threading
import time
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bjp_engine.errors import Cancelled, DataError, OptionError
from bjp_engine.experiments import read_results
from bjp_engine.io import Limits, child
from bjp_engine.io.limits import Guard
from bjp_engine.progress import Progress


def double(send, *numbers):
    for number in numbers:
        send(number)
    return [2 * number for number in numbers]


def die(send, number):
    os.kill(os.getpid(), number)


def sleep(send, folder=""):
    if folder:
        (Path(folder) / "pid").write_text(str(os.getpid()))
    send("asleep")
    time.sleep(600)


def grow(send):
    return len(bytearray(2 << 30))


def refuse(send):
    raise OptionError("No such option.")


def blunder(send):
    raise ZeroDivisionError


def chatter(send):
    os.write(1, b"a warning of a library")
    return 7


def its_number(send):
    return os.getpid()


SMALL = Limits(memory_mb=512, seconds=600)


def test_it_receives_what_is_sent_and_returned():
    received = []
    run = partial(child.run, guard=Guard(SMALL), keep=True)
    assert run(double, 1, 2, receive=received.append) == [2, 4]
    assert received == [1, 2]
    assert run(chatter) == 7
    child._KEPT.end()


def test_one_that_is_kept_serves_again_and_ends_by_itself():
    first = child.run(its_number, guard=Guard(SMALL), keep=True)
    assert child.run(its_number, guard=Guard(SMALL), keep=True) == first
    # Nobody else gets it, and what fails in it ends it.
    assert child.run(its_number, guard=Guard(SMALL)) != first
    with pytest.raises(OptionError):
        child.run(refuse, guard=Guard(SMALL), keep=True)
    assert has_ended(first)
    kept = child.run(its_number, guard=Guard(SMALL), keep=True)
    with pytest.raises(DataError, match=r"ended the process that read it \(SIGKILL\)"):
        child.run(die, int(signal.SIGKILL), guard=Guard(SMALL), keep=True)
    assert has_ended(kept)
    # One that was ended meanwhile is made up for.
    kept = child.run(its_number, guard=Guard(SMALL), keep=True)
    os.kill(kept, signal.SIGKILL)
    assert child.run(double, 1, guard=Guard(SMALL), keep=True) == [2]
    child._KEPT.end()


def test_one_that_waits_in_vain_ends():
    kept = child.run(its_number, guard=Guard(SMALL), keep=True)
    waiting = child._KEPT.take((list(sys.path), []))
    assert waiting is not None
    assert waiting.process.pid == kept
    assert waiting.process.wait(600) == 0
    child._KEPT.put(waiting)
    assert child.run(its_number, guard=Guard(SMALL), keep=True) != kept
    child._KEPT.end()


def test_errors_and_deaths_are_one_sentence():
    with pytest.raises(OptionError, match=r"No such option\."):
        child.run(refuse, guard=Guard(SMALL))
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        child.run(blunder, guard=Guard(SMALL))
    for number in (signal.SIGSEGV, signal.SIGABRT):
        with pytest.raises(DataError) as caught:
            child.run(die, int(number), guard=Guard(SMALL, "'t.parquet'"))
        sentence = str(caught.value)
        assert sentence.startswith(f"'t.parquet' ended the process that read it ({number.name})")
        assert "BJP_MAX_MEMORY_MB" in sentence
        assert sentence.endswith(".")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems don't bound memory so")
def test_memory_is_bounded():
    with pytest.raises(DataError, match=r"512 MB \(the limit BJP_MAX_MEMORY_MB\)"):
        child.run(grow, guard=Guard(SMALL))


def test_time_is_bounded():
    with pytest.raises(DataError, match=r"1 seconds \(the limit BJP_MAX_SECONDS\)"):
        child.run(sleep, guard=Guard(Limits(seconds=1)))


def test_it_is_cancelled_at_once(tmp_path):
    stop = threading.Event()
    progress = Progress(cancelled=stop.is_set)
    with pytest.raises(Cancelled):
        child.run(
            sleep,
            str(tmp_path),
            guard=Guard(SMALL, progress=progress),
            receive=lambda _: stop.set(),
        )
    assert has_ended(int((tmp_path / "pid").read_text()))


def test_it_ends_with_the_process_that_began_it(tmp_path):
    program = (
        "import sys\nfrom bjp_engine.io import Limits, child\n"
        "from bjp_engine.io.limits import Guard\n"
        "from tests.engine.io.test_io_child import sleep\n"
        "child.run(sleep, sys.argv[1], guard=Guard(Limits()))"
    )
    place = tmp_path / "pid"
    with subprocess.Popen([sys.executable, "-c", program, str(tmp_path)]) as parent:
        while not place.exists() or not place.read_text():
            assert parent.poll() is None
            time.sleep(0.05)
        parent.kill()
    assert has_ended(int(place.read_text()))


def has_ended(process):
    """Whether a process ends within a while."""
    for _ in range(12_000):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def test_a_script_without_a_main_guard_reads_a_file(tmp_path):
    """Where `multiprocessing` would begin the script anew."""
    pq.write_table(pa.table({"a": ["x", "y"]}), tmp_path / "t.parquet")
    script = tmp_path / "script.py"
    script.write_text(
        "import bjp_engine as bjp\nprint(bjp.read_table('t.parquet').labels)\n", encoding="utf-8"
    )
    run = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert run.stdout == "(('x', 'y'),)\n"


def test_results_are_read_in_it(monkeypatch):
    """A damaged Parquet file of results ends no more than a table's does."""

    def refuse(*_, **__):
        raise AssertionError("read in this process")

    monkeypatch.setattr(pq, "read_table", refuse)
    assert len(read_results("sample_data/paper/results.parquet")) == 36_000
