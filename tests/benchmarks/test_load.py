"""The load benchmark in small: visits without a browser, on a server of their own."""

from __future__ import annotations

import asyncio
import os
import signal
import time
from collections.abc import Callable, Iterator
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


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Visitors that wait for an answer even while others take all cores."""
    monkeypatch.setattr(tabs, "PATIENCE", LONG)


@pytest.fixture(scope="module")
def server() -> Iterator[tuple[int, int, Path]]:
    """The app, with one worker."""
    with serving(BJP_WORKERS="1") as running:
        yield running


@pytest.mark.slow
def test_steps_are_answered_while_others_learn(server: tuple[int, int, Path]) -> None:
    port, process, log = server
    seen = asyncio.run(visits(port, process, sessions=3, learners=1, seconds=3.0, least=4))
    assert not seen.troubles
    assert len(seen.steps) >= 4
    assert min(seen.steps) > 0
    assert min(seen.server) > 50
    assert "Traceback" not in log.read_text()


async def learning(port: int, process: int) -> tuple[Visitor, int]:
    """A tab that learns, and the process that does it."""
    visitor = Visitor(port)
    query = {"data": load.NETWORK.format(9), "search": "annealing", "sweeps": "1000"}
    await visitor.open("climb", **query)
    await go_on(visitor, lambda: bool(visitor.payload.get("made")))
    assert visitor.bars
    (worker,) = (each for each in children(process) if "spawn_main" in command(each))
    return visitor, worker


async def go_on(visitor: Visitor, until: Callable[[], bool] = lambda: False) -> None:
    """Look at the page until something happens, however busy the machine is."""
    end = time.monotonic() + LONG
    while not until():
        assert time.monotonic() < end
        await asyncio.sleep(0.1)
        for fragment in list(visitor.intervals):
            await visitor.run(fragment)


def command(process: int) -> str:
    """The command line of a process."""
    return Path(f"/proc/{process}/cmdline").read_text()


@pytest.mark.slow
def test_a_killed_worker_is_a_sentence_and_the_visit_goes_on(
    server: tuple[int, int, Path],
) -> None:
    port, process, _ = server

    async def visit() -> str:
        visitor, worker = await learning(port, process)
        os.kill(worker, signal.SIGKILL)
        with pytest.raises(Troubled, match="ended early") as told:
            await go_on(visitor)
        await visitor.close()
        # The server has lost nothing else.
        await (other := Visitor(port)).open("step", graph="true")
        assert await other.settle(1) > 0
        await other.close()
        return str(told.value)

    assert "Traceback" not in asyncio.run(visit())


@pytest.mark.slow
def test_the_work_of_a_closed_tab_ends(server: tuple[int, int, Path]) -> None:
    port, process, _ = server

    async def visit() -> None:
        visitor, _ = await learning(port, process)
        await visitor.close()

    asyncio.run(visit())
    assert load.stops(process, LONG) < LONG


def test_goals_are_judged(capsys: pytest.CaptureFixture[str]) -> None:
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
