"""Many visits at once: how long a step takes while others learn, and whether memory stays flat.

`python -m benchmarks load --sessions 20 --learners 4 --minutes 10` starts the app and opens so many
tabs, without a browser (`visitor`). Most of them step through a score of 64 variables, once a
second; what is timed is one step, from the report that the player rests to the end of the
server's answer. The learners climb 64 variables with restarts and begin anew whenever they are
done, each time on data that nobody has learned from. At the end the learners' tabs are closed while
they learn, and it is measured how long the workers go on.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import random
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks import marked
from benchmarks.pages import ROOT, await_health, p95
from benchmarks.visitor import Troubled, Visitor

NETWORK = "net:hub-3:clique-log-weights:1000:{}"
# Seconds: p95 of a step, and until a closed tab's work has ended.
GOAL, STOPPED = 0.5, 60.0
# How much the server's memory may grow from the first quarter to the last.
FLAT = 1.1
# Seconds between two looks at the memory, and without work after which a worker has stopped.
LOOK, QUIET = 5.0, 2.0
# Steps of the score that a visit goes through before it begins anew.
STEPS = 200
_MANY = 10**9


@dataclass
class Seen:
    """What was measured.

    Attributes
    ----------
    steps : list of float
        Seconds of each.
    server, workers : list of float
        Megabytes, every `LOOK` seconds.
    """

    steps: list[float] = field(default_factory=list)
    troubles: list[str] = field(default_factory=list)
    searches: int = 0
    server: list[float] = field(default_factory=list)
    workers: list[float] = field(default_factory=list)


@dataclass(frozen=True)
class Span:
    """When the visits are over: after some seconds and at least some steps, or in trouble."""

    seen: Seen
    end: float
    least: int

    @property
    def over(self) -> bool:
        """Whether it is."""
        enough = time.monotonic() >= self.end and len(self.seen.steps) >= self.least
        return enough or bool(self.least and self.seen.troubles)


@contextmanager
def serving(**environment: str) -> Iterator[tuple[int, int, Path]]:
    """A new server of the app: its port, its process and its log."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.headless=true"]
    command += [f"--server.port={port}", "--server.fileWatcherType=none"]
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.txt"
        with log.open("wb") as file:
            process = subprocess.Popen(
                command, cwd=ROOT, stdout=file, stderr=file, env={**os.environ, **environment}
            )
            try:
                await_health(f"http://127.0.0.1:{port}/_stcore/health", process)
                yield port, process.pid, log
            finally:
                process.terminate()
                with suppress(subprocess.TimeoutExpired):
                    process.wait(30)
                process.kill()


def children(process: int) -> list[int]:
    """The processes that a process has started."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError, ValueError):
            if int(path.read_text().rpartition(")")[2].split()[1]) == process:
                found.append(int(path.parent.name))
    return found


def megabytes(process: int) -> float:
    """What a process holds of the memory; 0 where it has ended."""
    with suppress(OSError):
        pages = int(Path(f"/proc/{process}/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
    return 0.0


def worked(process: int) -> float:
    """Seconds of a processor that a process and its children have used."""
    total = 0.0
    for each in children(process):
        with suppress(OSError):
            fields = Path(f"/proc/{each}/stat").read_text().rpartition(")")[2].split()
            total += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return total


async def stepper(port: int, seen: Seen, span: Span, seed: int) -> None:
    """A visit that makes a step each second."""
    chance = random.Random(seed)
    await asyncio.sleep(chance.uniform(0, min(10.0, (span.end - time.monotonic()) / 4)))
    visitor = Visitor(port)
    try:
        await visitor.open("step", data=NETWORK.format(seed % 5), graph="true")
        # Where the search it needs isn't done at once, the page shows a progress bar first.
        while visitor.intervals and not visitor.payload.get("terms"):
            await visitor.look()
        if not visitor.payload.get("terms"):
            raise Troubled("The step page showed no score.")
        step = 0
        while not span.over:
            began = time.monotonic()
            before, step = step, step % STEPS + 1
            took = await visitor.settle(step)
            if visitor.payload["initial_step"] not in (step, before) or visitor.told < 5:
                raise Troubled(f"Step {step} was not answered.")
            seen.steps.append(took)
            await asyncio.sleep(max(0.0, 1.0 - (time.monotonic() - began)))
    except Exception as error:
        seen.troubles.append(f"stepping: {error!r}")
    finally:
        with contextlib.suppress(Exception):
            await visitor.close()


async def learner(visitor: Visitor, seen: Seen, span: Span, seed: int) -> None:
    """A visit that learns, again and again; its tab stays open."""
    try:
        for k in range(_MANY):
            token = NETWORK.format(1000 + 100 * seed + k)
            await visitor.open(
                "climb", data=token, search="restarts", restarts="1000", seconds="30"
            )
            while visitor.intervals and not span.over:
                await visitor.look()
            if span.over:
                return
            seen.searches += 1
            await visitor.close()
    except Exception as error:
        seen.troubles.append(f"learning: {error!r}")


async def looker(process: int, seen: Seen, span: Span) -> None:
    """Notes the memory."""
    while not span.over:
        seen.server.append(megabytes(process))
        seen.workers.append(sum(map(megabytes, children(process))))
        await asyncio.sleep(LOOK)


async def visits(
    port: int, process: int, sessions: int, learners: int, seconds: float, least: int = 0
) -> Seen:
    """All visits, for at least so many steps; in the end the learners' tabs are closed."""
    seen = Seen()
    span = Span(seen, time.monotonic() + seconds, least)
    learning = [Visitor(port) for _ in range(learners)]
    await asyncio.gather(
        looker(process, seen, span),
        *(stepper(port, seen, span, seed) for seed in range(sessions - learners)),
        *(learner(visitor, seen, span, seed) for seed, visitor in enumerate(learning)),
    )
    for visitor in learning:
        await visitor.close()
    return seen


def stops(process: int, limit: float = STOPPED) -> float:
    """Seconds until the workers of closed tabs rest; infinity if they don't within the limit."""
    began = last = time.monotonic()
    used = worked(process)
    while last - began < limit and time.monotonic() - last < QUIET:
        time.sleep(0.2)
        if (now := worked(process)) - used > 0.02:
            used, last = now, time.monotonic()
    return last - began if last - began < limit else float("inf")


def quarters(values: list[float]) -> tuple[float, float]:
    """Medians of the second quarter, when all visits are there, and of the last."""
    part = max(1, len(values) // 4)
    return statistics.median(values[part : 2 * part] or values), statistics.median(values[-part:])


def table(given: argparse.Namespace, seen: Seen, stopped: float) -> str:
    """What was measured, as Markdown."""
    steps, cores = sorted(seen.steps), len(os.sched_getaffinity(0))
    rows = [
        ("tabs", f"{given.sessions}, of which {given.learners} learn"),
        ("cores", f"{cores}, of which {max(1, cores - 1)} for workers"),
        ("minutes", f"{given.minutes:g}"),
        ("steps, errors", f"{len(steps):,}, {len(seen.troubles)}"),
        ("searches ended", f"{seen.searches}"),
        ("a step: median", f"{statistics.median(steps) * 1000:.0f} ms"),
        ("a step: 95th percentile (goal 500 ms)", f"{p95(steps) * 1000:.0f} ms"),
        ("a step: 99th percentile", f"{steps[int(0.99 * len(steps))] * 1000:.0f} ms"),
    ]
    for name, values in (("server", seen.server), ("workers", seen.workers)):
        before, after = quarters(values)
        rows.append(
            (f"memory of the {name}, second and last quarter", f"{before:.0f}, {after:.0f} MB")
        )
    rows.append(("work of closed tabs ended after", f"{stopped:.0f} s"))
    return "\n".join(["| | |", "|---|---|", *(f"| {name} | {value} |" for name, value in rows)])


def report(seen: Seen, stopped: float) -> bool:
    """Print what was measured; whether the goals are met."""
    steps = sorted(seen.steps)
    print(f"{len(steps):,} steps, {seen.searches} searches, {len(seen.troubles)} errors")
    if steps:
        at = {share: steps[min(len(steps) - 1, int(share * len(steps)))] for share in (0.5, 0.99)}
        print(
            f"a step: p50 {at[0.5] * 1000:.0f} ms, p95 {p95(steps) * 1000:.0f} ms, "
            f"p99 {at[0.99] * 1000:.0f} ms, longest {steps[-1] * 1000:.0f} ms"
        )
    for name, values in (("server", seen.server), ("workers", seen.workers)):
        before, after = quarters(values)
        print(
            f"memory of the {name}: {before:.0f} MB in the second quarter, {after:.0f} MB in the "
            f"last, {max(values):.0f} MB at most"
        )
    print(f"the work of closed tabs ended after {stopped:.0f} s")
    for trouble in seen.troubles[:5]:
        print(f"  {trouble}")
    before, after = quarters(seen.server)
    return (
        bool(steps)
        and p95(steps) <= GOAL
        and not seen.troubles
        and after <= FLAT * before
        and stopped < STOPPED
    )


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; 1 where a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks load", description=__doc__)
    parser.add_argument("--sessions", type=int, default=20, help="tabs in all")
    parser.add_argument("--learners", type=int, default=4, help="tabs that learn")
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--write", action="store_true", help="into docs/deployment.md")
    given = parser.parse_args(arguments or [])
    with serving() as (port, process, log):
        seen = asyncio.run(
            visits(port, process, given.sessions, given.learners, 60 * given.minutes)
        )
        stopped = stops(process)
        if "Traceback" in (text := log.read_text(errors="replace")):
            seen.troubles.append(f"the log: {text[text.index('Traceback') :][:2000]}")
    met = report(seen, stopped)
    if given.write and seen.steps:
        marked.write("deployment.md", "load", table(given, seen, stopped))
    print("all goals met" if met else "NOT all goals met")
    return 0 if met else 1
