"""Many searches at once: the same traces, in order, with no more in memory than is needed."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.errors import Cancelled, DataError, GraphError, OptionError
from bjp_engine.search import many
from tests.strategies import as_graph, noisy_tree

JOBS = (1, 2, 3, 8)
every_n_jobs = pytest.mark.parametrize("n_jobs", JOBS)
learn_all: Any = bjp.search.learn_all


@pytest.fixture(autouse=True)
def eight_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine with eight, wherever these tests run."""
    monkeypatch.setattr(many, "cores", lambda: 8)


def resamples(count: int, rows: int = 120) -> Iterator[bjp.Dataset]:
    """Bootstrap resamples of one dataset, made when they are asked for."""
    data, rng = noisy_tree(1, (2, 3, 2, 2, 4, 2), rows).data, np.random.default_rng(0)
    return (data.take(rng.integers(data.rows, size=data.rows)) for _ in range(count))


def values_of(trace: bjp.search.SearchTrace) -> tuple[object, ...]:
    """All of a trace but its clock."""
    edges = sorted(map(sorted, trace.graph.edges))
    return edges, trace.score, tuple(trace.steps), trace.rejected, trace.tests, trace.stop_reason


def assert_alike(datasets: list[bjp.Dataset], *args: str, **options: Any) -> list[Any]:
    """The traces of several threads are those of one search after another."""
    expected = [values_of(bjp.learn(data, *args, **options)) for data in datasets]
    for n_jobs in JOBS:
        found = learn_all(iter(datasets), *args, n_jobs=n_jobs, **options)
        assert [values_of(trace) for trace in found] == expected, n_jobs
    return expected


class TestResults:
    @pytest.mark.parametrize("method", ["bjp", "ib", "mpl", "near"])
    def test_are_those_of_one_search_after_another(self, method: str) -> None:
        assert len(set(map(str, assert_alike([*resamples(10)], method)))) > 7
        if method != "near":
            # The same data again and again.
            assert_alike([noisy_tree(0, (2, 3, 2, 4, 2, 9), 300).data] * 5, method)

    def test_options_reach_the_score_and_the_search(self) -> None:
        options = {"prior": 0.9, "gamma": 0.5, "start": "mpl", "contributions": 2}
        assert_alike([*resamples(5)], "ib", "ibmap-hc", **options)
        assert_alike([*resamples(2)], "mpl", "exhaustive")
        traces = learn_all(resamples(2), "mpl", "exhaustive", n_jobs=2)
        assert [trace.search for trace in traces] == ["exhaustive"] * 2

    @every_n_jobs
    def test_come_in_order_however_long_each_takes(self, n_jobs: int) -> None:
        sizes = [3000, 5, 400, 0, 1, 2000, 7, 9]
        data = [noisy_tree(k, (2, 3) * (2 + k % 3), rows).data for k, rows in enumerate(sizes)]
        seen: list[tuple[int, float]] = []
        traces = learn_all(data, n_jobs=n_jobs, on_done=lambda k, t: seen.append((k, t.score)))
        assert [values_of(t) for t in traces] == [values_of(bjp.learn(d)) for d in data]
        assert seen == [(k, t.score) for k, t in enumerate(traces)]
        assert learn_all([], n_jobs=n_jobs) == learn_all(iter(()), n_jobs=n_jobs) == []


class TestLaziness:
    @every_n_jobs
    def test_few_are_alive_at_a_time_and_all_in_this_thread(self, n_jobs: int) -> None:
        alive, seen = set[int](), set[int]()
        most = count = 0
        before = set(threading.enumerate())

        def watched() -> Iterator[bjp.Dataset]:
            nonlocal most, count
            for data in resamples(30, rows=30):
                weakref.finalize(data, alive.discard, count)
                alive.add(count)
                seen.add(threading.get_ident())
                count += 1
                most = max(most, len(alive))
                yield data
                del data

        made = learn_all(
            watched(), n_jobs=n_jobs, on_done=lambda *_: seen.add(threading.get_ident())
        )
        assert len(made) == count == 30
        # One for each thread and one that waits; one more is held by the generator itself.
        assert most <= n_jobs + 2
        assert seen == {threading.get_ident()}
        assert not set(threading.enumerate()) - before

    def test_no_more_threads_than_cores(self, monkeypatch: pytest.MonkeyPatch) -> None:
        begun: list[int] = []
        pool = many.ThreadPoolExecutor
        monkeypatch.setattr(
            many, "ThreadPoolExecutor", lambda most, name: begun.append(most) or pool(most, name)
        )
        for n_jobs, expected in ((1, 1), (2, 2), (3, 3), (-1, 8), (99, 8)):
            begun.clear()
            assert many.threads_of(n_jobs) == expected
            learn_all(resamples(3), n_jobs=n_jobs)
            assert begun == ([] if expected == 1 else [expected])


def test_cores_are_those_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert 1 <= many.cores() <= (os.cpu_count() or 1)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 9}, raising=False)
    assert many.cores() == 3
    monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert many.cores() == 1


@every_n_jobs
def test_cancelling(n_jobs: int) -> None:
    before, done, taken, asked = set(threading.enumerate()), list[int](), list[int](), list[int]()

    def cancelled_when(condition: Any, datasets: Any, *args: str) -> None:
        done.clear()
        taken.clear()
        data = (taken.append(1) or d for d in datasets)
        watch = bjp.Progress(cancelled=condition)
        with pytest.raises(Cancelled):
            learn_all(
                data, *args, n_jobs=n_jobs, on_done=lambda k, _: done.append(k), progress=watch
            )
        assert not set(threading.enumerate()) - before

    # At once.
    cancelled_when(lambda: True, resamples(50))
    assert len(taken) <= n_jobs + 1
    # On the way.
    cancelled_when(lambda: len(done) >= 5, resamples(200))
    assert 5 <= len(done) <= len(taken) < 200
    assert done == list(range(len(done)))
    # Within a long search.
    long = noisy_tree(0, (2,) * 60, 4000).data
    cancelled_when(lambda: asked.append(1) or len(asked) > 3, [long] * 40, "ib")
    # Not asked for, nothing changes.
    found = learn_all(resamples(5), n_jobs=n_jobs, progress=bjp.Progress(cancelled=lambda: False))
    assert [values_of(t) for t in found] == [values_of(bjp.learn(d)) for d in resamples(5)]


class TestErrors:
    def test_wrong_arguments_are_named(self) -> None:
        for n_jobs in (0, -2, 1.0, "2", None, True):
            with pytest.raises(OptionError, match=r"^n_jobs=.*\.$"):
                learn_all([], n_jobs=n_jobs)
        for datasets in (noisy_tree(0, (2, 2), 5).data, 7, None):
            with pytest.raises(OptionError, match=r"^datasets is of type"):
                learn_all(datasets)
        # Options are no fault of the data.
        for n_jobs in JOBS:
            for count in (0, 3):
                with pytest.raises(OptionError, match=r"^method="):
                    learn_all(resamples(count), "best", n_jobs=n_jobs)
            with pytest.raises(OptionError, match=r"^gamma="):
                learn_all(resamples(3), gamma=-1, n_jobs=n_jobs)

    @every_n_jobs
    def test_show_which_dataset(self, n_jobs: int) -> None:
        done, taken = list[int](), list[int]()
        some = [*resamples(6), "coronary.csv", *resamples(40)]
        data = (taken.append(1) or d for d in some)
        with pytest.raises(DataError, match=r"^datasets\[6\]: data is of type str"):
            learn_all(data, n_jobs=n_jobs, on_done=lambda k, _: done.append(k))
        assert done == list(range(6))
        assert len(taken) < 40
        # None is no dataset and no end.
        with pytest.raises(DataError, match=r"^datasets\[2\]: data is of type NoneType"):
            learn_all([*resamples(2), None, *resamples(2)], n_jobs=n_jobs)
        # The first of several.
        with pytest.raises(DataError, match=r"^datasets\[1\]"):
            learn_all([noisy_tree(0, (2,) * 40, 4000).data, 0, 1, 2, 3], n_jobs=n_jobs)
        # A start that does not fit one.
        some = [noisy_tree(0, (2,) * n, 50).data for n in (5, 5, 4)]
        start = as_graph(frozenset(), 5)
        with pytest.raises(GraphError, match=r"^datasets\[2\]: "):
            learn_all(some, search="ibmap-hc", n_jobs=n_jobs, start=start)

    @every_n_jobs
    def test_of_the_iterable_and_of_callbacks_come_through(self, n_jobs: int) -> None:
        def broken() -> Iterator[bjp.Dataset]:
            yield from resamples(3)
            raise OSError("no more disk")

        def refuse(position: int, _: bjp.search.SearchTrace) -> None:
            raise ZeroDivisionError(position)

        before = set(threading.enumerate())
        with pytest.raises(OSError, match="no more disk"):
            learn_all(broken(), n_jobs=n_jobs)
        with pytest.raises(ZeroDivisionError, match="0"):
            learn_all(resamples(30), n_jobs=n_jobs, on_done=refuse)
        assert not set(threading.enumerate()) - before
