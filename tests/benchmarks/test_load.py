"""The load benchmark in small: visits without a browser, on a server of their own."""

import asyncio
import os
import signal
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from benchmarks import load
from benchmarks import visitor as tabs
from benchmarks.load import Seen, children, serving, visits
from benchmarks.visitor import Troubled, Visitor

pytestmark = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="processes are looked up in /proc"
)

# Seconds after which something that should happen never will, on whatever machine.
LONG = 600.0


async def learning(port, process):
    """A tab that learns, and the process that does it."""
    visitor = Visitor(port)
    query = {"data": load.NETWORK.format(9), "search": "restarts", "restarts": "1000"}
    await visitor.open("climb", **query)
    await go_on(visitor, lambda: bool(visitor.payload.get("made")))
    assert visitor.bars
    (worker,) = (each for each in children(process) if "bjp_engine.processes" in command(each))
    return visitor, worker


async def go_on(visitor, until=lambda: False):
    """Look at the page until something happens, however busy the machine is."""
    end = time.monotonic() + LONG
    while not until():
        assert time.monotonic() < end
        await asyncio.sleep(0.1)
        for fragment in list(visitor.intervals):
            await visitor.run(fragment)


def command(process):
    """The command line of a process."""
    return Path(f"/proc/{process}/cmdline").read_text()


async def lose_the_worker(port, process):
    """A killed worker is a sentence, and the server has lost nothing else."""
    visitor, worker = await learning(port, process)
    os.kill(worker, signal.SIGKILL)
    with pytest.raises(Troubled, match="ended early") as told:
        await go_on(visitor)
    assert "Traceback" not in str(told.value)
    await visitor.close()
    await (other := Visitor(port)).open("step", graph="true")
    assert await other.settle(1) > 0
    await other.close()
    # Nor has one that is left alone with its work.
    visitor, _ = await learning(port, process)
    await visitor.close()


@pytest.mark.slow
def test_steps_are_answered_while_others_learn_lose_their_worker_and_close_their_tab(monkeypatch):
    # Visitors wait for an answer even while others take all cores.
    monkeypatch.setattr(tabs, "PATIENCE", LONG)
    with serving(BJP_WORKERS="1") as (port, process, log):
        seen = asyncio.run(visits(port, process, sessions=3, learners=1, seconds=3.0, least=4))
        assert not seen.troubles
        assert len(seen.steps) >= 4
        assert min(seen.steps) > 0
        assert min(seen.server) > 50
        assert "Traceback" not in log.read_text()
        asyncio.run(lose_the_worker(port, process))
        assert load.stops(process, LONG) < LONG


def test_goals_are_judged(capsys):
    calm = Seen([0.1] * 95 + [0.6] * 5, [], 3, [400.0] * 8, [200.0] * 8)
    assert load.report(calm, 20.0)
    assert "p95 100 ms" in capsys.readouterr().out
    slow = Seen([0.1] * 94 + [0.6] * 6, [], 3, [400.0] * 8, [200.0] * 8)
    growing = Seen([0.1], [], 3, [400.0] * 6 + [500.0] * 2, [200.0] * 8)
    troubled = Seen([0.1], ["stepping: no"], 3, [400.0] * 8, [200.0] * 8)
    assert not any(load.report(seen, 20.0) for seen in (slow, growing, troubled))
    assert not load.report(calm, float("inf"))
    text = load.table(SimpleNamespace(sessions=20, learners=4, minutes=10.0), calm, 20.0)
    assert "| a step: 95th percentile (goal 500 ms) | 100 ms |" in text
