"""Work in a process of its own: what it gives, and one sentence whatever happens to it."""

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bjp_engine.errors import Cancelled, DataError, OptionError
from bjp_engine.experiments import read_results
from bjp_engine.io import Limits, child
from bjp_engine.io.limits import Guard
from bjp_engine.progress import Progress
from tests.refusals import assert_refused


def double(send, *numbers):
    # A warning of a library.
    os.write(1, b"no result")
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


def refuse(send, error):
    raise error


def has_ended(process):
    """Whether a process ends within a while."""
    for _ in range(12_000):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


SMALL = Limits(memory_mb=512, seconds=600)


def run(*arguments, **more):
    return child.run(*arguments, guard=Guard(SMALL), **more)


def test_what_is_sent_is_received_in_order():
    received = []
    assert run(double, 1, 2, receive=received.append) == [2, 4]
    assert received == [1, 2]


def test_errors_and_deaths_are_one_sentence():
    assert_refused(OptionError, r"^No such option\.$", run, refuse, OptionError("No such option."))
    with pytest.raises(ZeroDivisionError) as fault:
        run(refuse, ZeroDivisionError())
    assert "in refuse" in str(fault.value.__cause__)
    for number in (signal.SIGSEGV, signal.SIGABRT):
        said = rf"^'t.parquet' ended .*\({number.name}\).*BJP_MAX_MEMORY_MB.*\.$"
        with pytest.raises(DataError, match=said):
            child.run(die, int(number), guard=Guard(SMALL, "'t.parquet'"))
    with pytest.raises(DataError, match=r"1 s \(the limit BJP_MAX_SECONDS\)"):
        child.run(sleep, guard=Guard(Limits(seconds=1)))


@pytest.mark.skipif(sys.platform != "linux", reason="other systems don't bound memory so")
def test_memory_is_bounded():
    assert_refused(DataError, r"512 MB \(the limit BJP_MAX_MEMORY_MB\)", run, grow)


def test_it_is_cancelled_at_once(tmp_path):
    stop = threading.Event()
    guard = Guard(SMALL, progress=Progress(cancelled=stop.is_set))
    with pytest.raises(Cancelled):
        child.run(sleep, str(tmp_path), guard=guard, receive=lambda _: stop.set())
    assert has_ended(int((tmp_path / "pid").read_text()))


def test_it_ends_with_the_process_that_began_it(tmp_path):
    program = (
        "import sys\nfrom tests.engine.io.test_io_child import run, sleep\nrun(sleep, sys.argv[1])"
    )
    place = tmp_path / "pid"
    with subprocess.Popen([sys.executable, "-c", program, str(tmp_path)]) as parent:
        while not place.exists() or not place.read_text():
            assert parent.poll() is None
            time.sleep(0.05)
        parent.kill()
    assert has_ended(int(place.read_text()))


def test_a_script_without_a_main_guard_reads_a_file(tmp_path):
    """Where `multiprocessing` would begin the script anew."""
    pq.write_table(pa.table({"a": ["x", "y"]}), tmp_path / "t.parquet")
    script = tmp_path / "script.py"
    script.write_text("import bjp_engine as bjp\nprint(bjp.read_table('t.parquet').labels)\n")
    made = subprocess.run(
        [sys.executable, str(script)], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert made.stdout == "(('x', 'y'),)\n"


def test_results_are_read_in_it(monkeypatch):
    """A damaged Parquet file of results ends no more than a table's does."""
    monkeypatch.setattr(pq, "read_table", lambda *_, **__: pytest.fail("read in this process"))
    assert len(read_results("sample_data/paper/results.parquet")) == 36_000
