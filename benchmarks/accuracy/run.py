"""Run what is missing: every method on every sample, each peer in a process of its own.

A search may use so many seconds of processor time, imports included, and many more by the
clock; so a busy machine slows the run down without changing what comes out. What was over time
on one sample is not tried on other seeds of the same group: it is over time there too.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import tempfile
from collections.abc import Iterable, Iterator
from functools import cached_property, partial
from itertools import groupby
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

import bjp_engine as bjp
from benchmarks.accuracy.groups import Group, Sample, make, samples
from benchmarks.accuracy.methods import Method, ready
from benchmarks.accuracy.ours import Found, learned
from benchmarks.accuracy.store import FAILED, OVER_TIME, Row, Store
from benchmarks.fresh import ALONE

SECONDS = 120
# By the clock: for a process that waits and does nothing.
PATIENCE = 20
# Seconds of the processor, 8 GB of memory, and no dump of what was killed.
BOUNDED = 'ulimit -t "$0"; ulimit -v 8388608; ulimit -c 0; exec "$@"'
Work = tuple[Sample, Method]


def plan(methods: Iterable[Method], seeds: Iterable[int]) -> list[Work]:
    """All the work, what is worth most first.

    The first two tiers on the first seed, the first tier on the other seeds, and only then
    what is slow; within a round, sample by sample.
    """
    methods, drawn = list(methods), samples(seeds)
    first = min((sample.seed for sample in drawn), default=0)

    def place(work: Work) -> tuple[int, int]:
        sample, method = work
        later = sample.seed != first
        rounds = {(0, False): 0, (1, False): 1, (0, True): 2, (2, False): 3, (1, True): 4}
        return rounds.get((method.tier, later), 5), sample.seed

    wanted = [
        (sample, method)
        for sample in drawn
        for method in methods
        if method.seeds is None or sample.seed in method.seeds
    ]
    return sorted(wanted, key=place)


def missing(works: Iterable[Work], store: Store, *, again: bool = False) -> list[Work]:
    """What has no row yet; or, if it is to be tried again, none but a failure."""
    done = {one.key for one in store.read() if not (again and one.note.startswith(FAILED))}
    return [work for work in works if (work[0], work[1].name) not in done]


def run(
    methods: list[Method], seeds: Iterable[int], seconds: int = SECONDS, *, again: bool = False
) -> None:
    """Do all that is missing and can be done here."""
    # Being asked to end takes the same way out as an interrupt, so no search is left behind.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    store = Store()
    able = [method for method in methods if ready(method)]
    works = missing(plan(able, seeds), store, again=again)
    hopeless = {(one.group, one.method) for one in store.read() if one.note == OVER_TIME}
    done = 0
    for sample, share in groupby(works, key=lambda work: work[0]):
        with Table(sample) as table:
            for _, method in share:
                done += 1
                if not table.fits(method):
                    continue
                rows = step(table, method, hopeless, seconds)
                store.append(method.name, rows)
                last = rows[-1]
                said = last.note or f"distance {last.hamming} in {last.seconds} s"
                print(f"{done}/{len(works)} {sample} {method.name}: {said}", flush=True)


def step(table: Table, method: Method, hopeless: set[tuple[Group, str]], seconds: int) -> list[Row]:
    """The rows of one method on one sample."""
    key = (table.sample.group, method.name)
    if key in hopeless:
        found: Found = {"note": OVER_TIME}
    elif method.ours:
        found = learned(method.run, table.data, seconds)
    else:
        found = told(method.command(table.folder), seconds)
    if found.get("note") == OVER_TIME:
        hopeless.add(key)
    return judged(table, method, found)


class Table:
    """A sample, and the files that every peer can read, which are written when one is to."""

    def __init__(self, sample: Sample) -> None:
        self.sample = sample
        self._place = tempfile.TemporaryDirectory()
        self.data, self.truth = make(sample)

    def __enter__(self) -> Table:
        return self

    def __exit__(self, *what: object) -> None:
        self._place.cleanup()

    @cached_property
    def folder(self) -> Path:
        """Where the files are."""
        folder = Path(self._place.name)
        cards = np.array(self.data.cardinalities)
        np.savez(folder / "data.npz", codes=self.data.codes, cards=cards)
        np.savetxt(folder / "data.csv", self.data.codes, fmt="%d", delimiter=",")
        return folder

    def fits(self, method: Method) -> bool:
        """Whether a method takes such data."""
        return not method.binary or max(self.data.cardinalities) == 2


def judged(table: Table, method: Method, found: Found) -> list[Row]:
    """What was found beside the truth, the row that bears the method's name last."""
    sample, names = table.sample, table.data.names
    shared = partial(
        Row,
        network=sample.group.network,
        distribution=sample.group.distribution,
        rows=sample.group.rows,
        seed=sample.seed,
        true=table.truth.number_of_edges(),
        note=found.get("note", ""),
        version=found.get("version", ""),
    )
    rows = []
    for kind, called in reversed(method.rows.items()):
        if "graphs" not in found:
            none = dict.fromkeys(("hamming", "fp", "fn", "f1", "seconds"))
            rows.append(shared(method=called, **none))
            continue
        graph: nx.Graph[Any] = nx.Graph()
        graph.add_nodes_from(names)
        graph.add_edges_from((names[i], names[j]) for i, j in found["graphs"][kind])
        seen = bjp.metrics.confusion(table.truth, graph)
        rows.append(
            shared(
                method=called,
                hamming=seen.hamming,
                fp=seen.fp,
                fn=seen.fn,
                f1=round(seen.f1, 4),
                seconds=round(found["seconds"], 5),
            )
        )
    return rows


def told(command: list[str], seconds: int) -> Found:
    """What a process printed, or a note that says why it printed nothing."""
    before = used()
    with subprocess.Popen(
        ["sh", "-c", BOUNDED, str(seconds), *command],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        env=os.environ | ALONE,
        start_new_session=True,
    ) as child:
        try:
            out, err = child.communicate(timeout=PATIENCE * seconds)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.communicate()
            return {"note": OVER_TIME}
        except BaseException:
            # The run is being stopped; nothing it started goes on.
            os.killpg(child.pid, signal.SIGKILL)
            raise
    if child.returncode and used() - before > seconds - 2:
        return {"note": OVER_TIME}
    if child.returncode or '{"graphs"' not in out:
        reason = (err.strip().splitlines() or ["no reason given"])[-1]
        return {"note": f"{FAILED} ({child.returncode}): {' '.join(reason.split())[:80]}"}
    answer: Found = json.loads(out[out.rindex('{"graphs"') :])
    return answer


def used() -> float:
    """The processor time of all processes that were started and have ended."""
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def progress(methods: Iterable[Method], seeds: Iterable[int]) -> Iterator[str]:
    """A line for each method: how much of it is done, and what became of it."""
    seeds = list(seeds)
    rows = Store().read()
    for method in methods:
        wanted = {str(work[0]) for work in plan([method], seeds)}
        own = [one for one in rows if one.method == method.name and str(one.key[0]) in wanted]
        over = sum(one.note == OVER_TIME for one in own)
        failed = sum(one.note.startswith(FAILED) for one in own)
        place = "" if ready(method) else ", not here"
        most = "at most " if method.binary else ""
        yield (
            f"{method.name:22} {len(own):4} of {most}{len(wanted)}, {over} over time, "
            f"{failed} failed{place}"
        )
