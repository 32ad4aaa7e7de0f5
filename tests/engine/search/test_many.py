"""Many searches at once: the same traces, in order, with no more in memory than is needed."""

from __future__ import annotations

import os
import threading
import weakref
from collections.abc import Iterator

import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.errors import DataError, GraphError, OptionError
from bjp_engine.search import many
from tests.strategies import as_graph, noisy_tree

JOBS = pytest.mark.parametrize("n_jobs", [1, 2, 3, 8])


@pytest.fixture(autouse=True)
def eight_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    """As on a machine with eight, wherever these tests run."""
    monkeypatch.setattr(many, "cores", lambda: 8)


def resamples(count: int, rows: int = 120, seed: int = 0) -> Iterator[bjp.Dataset]:
    """Bootstrap resamples of one dataset, made when they are asked for."""
    data, rng = noisy_tree(1, (2, 3, 2, 2, 4, 2), rows).data, np.random.default_rng(seed)
    return (data.take(rng.integers(data.rows, size=data.rows)) for _ in range(count))


def told(trace: bjp.search.SearchTrace) -> tuple[object, ...]:
    """All of a trace but its clock."""
    edges = sorted(map(sorted, trace.graph.edges))
    return edges, trace.score, tuple(trace.steps), trace.rejected, trace.tests, trace.stop_reason


class TestResults:
    @JOBS
    @pytest.mark.parametrize("method", ["bjp", "ib", "mpl", "near"])
    def test_are_those_of_one_search_after_another(self, n_jobs: int, method: str) -> None:
        expected = [told(bjp.learn(data, method)) for data in resamples(25)]
        found = bjp.search.learn_all(resamples(25), method, n_jobs=n_jobs)
        assert [told(trace) for trace in found] == expected
        assert len(set(map(str, expected))) > 20

    @JOBS
    def test_options_reach_the_score_and_the_search(self, n_jobs: int) -> None:
        options = {"prior": 0.9, "gamma": 0.5, "start": "mpl", "contributions": 2}
        expected = [told(bjp.learn(data, "ib", "ibmap-hc", **options)) for data in resamples(5)]
        found = bjp.search.learn_all(resamples(5), "ib", "ibmap-hc", n_jobs=n_jobs, **options)
        assert [told(trace) for trace in found] == expected
        every = bjp.search.learn_all(resamples(2), "mpl", "exhaustive", n_jobs=n_jobs)
        assert [trace.search for trace in every] == ["exhaustive"] * 2

    @JOBS
    def test_come_in_order_however_long_each_takes(self, n_jobs: int) -> None:
        sizes = [3000, 5, 400, 0, 1, 2000, 7, 9]
        data = [noisy_tree(k, (2, 3) * (2 + k % 3), rows).data for k, rows in enumerate(sizes)]
        seen: list[tuple[int, float]] = []
        traces = bjp.search.learn_all(
            data, n_jobs=n_jobs, on_done=lambda k, t: seen.append((k, t.score))
        )
        assert [told(t) for t in traces] == [told(bjp.learn(d)) for d in data]
        assert seen == [(k, t.score) for k, t in enumerate(traces)]

    @JOBS
    def test_the_same_data_again_and_again(self, n_jobs: int) -> None:
        data = noisy_tree(0, (2, 3, 2, 4, 2, 9), 300).data
        for method in ("bjp", "ib", "mpl"):
            found = bjp.search.learn_all([data] * 12, method, n_jobs=n_jobs)
            assert [told(t) for t in found] == [told(bjp.learn(data, method))] * 12

    @JOBS
    def test_of_nothing_nothing(self, n_jobs: int) -> None:
        assert bjp.search.learn_all([], n_jobs=n_jobs) == []
        assert bjp.search.learn_all(iter(()), n_jobs=n_jobs) == []


class TestLaziness:
    @JOBS
    def test_few_are_alive_at_a_time(self, n_jobs: int) -> None:
        alive: set[int] = set()
        most, count = 0, 0

        def watched() -> Iterator[bjp.Dataset]:
            nonlocal most, count
            for data in resamples(60, rows=30):
                weakref.finalize(data, alive.discard, count)
                alive.add(count)
                count += 1
                most = max(most, len(alive))
                yield data
                del data

        assert len(bjp.search.learn_all(watched(), n_jobs=n_jobs)) == count == 60
        # One for each thread and one that waits; one more is held by the generator itself.
        assert most <= n_jobs + 2

    @JOBS
    def test_callbacks_and_data_stay_in_this_thread(self, n_jobs: int) -> None:
        seen: set[int] = set()

        def watched() -> Iterator[bjp.Dataset]:
            for data in resamples(8):
                seen.add(threading.get_ident())
                yield data

        bjp.search.learn_all(
            watched(),
            n_jobs=n_jobs,
            on_done=lambda *_: seen.add(threading.get_ident()),
        )
        assert seen == {threading.get_ident()}

    @pytest.mark.parametrize(("n_jobs", "expected"), [(1, 1), (2, 2), (3, 3), (-1, 8), (99, 8)])
    def test_no_more_threads_than_cores(
        self, n_jobs: int, expected: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        assert many.threads_of(n_jobs) == expected
        begun: list[int] = []
        pool = many.ThreadPoolExecutor
        monkeypatch.setattr(
            many, "ThreadPoolExecutor", lambda most, name: begun.append(most) or pool(most, name)
        )
        bjp.search.learn_all(resamples(3), n_jobs=n_jobs)
        assert begun == ([] if expected == 1 else [expected])

    @JOBS
    def test_threads_end_with_the_call(self, n_jobs: int) -> None:
        before = threading.active_count()
        bjp.search.learn_all(resamples(5), n_jobs=n_jobs)
        assert threading.active_count() == before


def test_cores_are_those_of_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    assert 1 <= many.cores() <= (os.cpu_count() or 1)
    if hasattr(os, "sched_getaffinity"):
        monkeypatch.setattr(os, "sched_getaffinity", lambda _: {3, 5, 9})
        assert many.cores() == 3
        monkeypatch.delattr(os, "sched_getaffinity")
    monkeypatch.setattr(os, "cpu_count", lambda: None)
    assert many.cores() == 1


class TestCancelling:
    @JOBS
    def test_at_once(self, n_jobs: int) -> None:
        taken: list[int] = []
        data = (taken.append(1) or d for d in resamples(50))
        with pytest.raises(bjp.errors.Cancelled):
            bjp.search.learn_all(data, n_jobs=n_jobs, progress=bjp.Progress(cancelled=lambda: True))
        assert len(taken) <= n_jobs + 1

    @JOBS
    def test_on_the_way(self, n_jobs: int) -> None:
        before, done = threading.active_count(), list[int]()
        taken: list[int] = []
        data = (taken.append(1) or d for d in resamples(200))
        with pytest.raises(bjp.errors.Cancelled):
            bjp.search.learn_all(
                data,
                n_jobs=n_jobs,
                on_done=lambda k, _: done.append(k),
                progress=bjp.Progress(cancelled=lambda: len(done) >= 5),
            )
        assert 5 <= len(done) <= len(taken) < 200
        assert done == list(range(len(done)))
        assert threading.active_count() == before

    @JOBS
    def test_within_a_long_search(self, n_jobs: int) -> None:
        data, asked = noisy_tree(0, (2,) * 60, 4000).data, list[int]()
        with pytest.raises(bjp.errors.Cancelled):
            bjp.search.learn_all(
                [data] * 40,
                "ib",
                n_jobs=n_jobs,
                progress=bjp.Progress(cancelled=lambda: asked.append(1) or len(asked) > 3),
            )

    @JOBS
    def test_not_asked_for_nothing_changes(self, n_jobs: int) -> None:
        expected = [told(t) for t in bjp.search.learn_all(resamples(10))]
        found = bjp.search.learn_all(
            resamples(10), n_jobs=n_jobs, progress=bjp.Progress(cancelled=lambda: False)
        )
        assert [told(t) for t in found] == expected


class TestErrors:
    @pytest.mark.parametrize("n_jobs", [0, -2, 1.0, "2", None, True])
    def test_n_jobs(self, n_jobs: object) -> None:
        with pytest.raises(OptionError, match=r"^n_jobs=.*\.$"):
            bjp.search.learn_all([], n_jobs=n_jobs)  # type: ignore[arg-type]

    @pytest.mark.parametrize("datasets", [noisy_tree(0, (2, 2), 5).data, 7, None])
    def test_not_several_datasets(self, datasets: object) -> None:
        with pytest.raises(OptionError, match=r"^datasets is of type"):
            bjp.search.learn_all(datasets)  # type: ignore[arg-type]

    @JOBS
    def test_say_which_dataset(self, n_jobs: int) -> None:
        done, taken = list[int](), list[int]()
        some = [*resamples(6), "coronary.csv", *resamples(40)]
        data = (taken.append(1) or d for d in some)
        with pytest.raises(DataError, match=r"^datasets\[6\]: data is of type str"):
            bjp.search.learn_all(data, n_jobs=n_jobs, on_done=lambda k, _: done.append(k))  # type: ignore[arg-type]
        assert done == list(range(6))
        assert len(taken) < 40

    @JOBS
    def test_none_is_no_dataset_and_no_end(self, n_jobs: int) -> None:
        with pytest.raises(DataError, match=r"^datasets\[2\]: data is of type NoneType"):
            bjp.search.learn_all([*resamples(2), None, *resamples(2)], n_jobs=n_jobs)  # type: ignore[list-item]

    @JOBS
    def test_the_first_of_several(self, n_jobs: int) -> None:
        some = [noisy_tree(0, (2,) * 40, 4000).data, 0, 1, 2, 3]
        with pytest.raises(DataError, match=r"^datasets\[1\]"):
            bjp.search.learn_all(some, n_jobs=n_jobs)  # type: ignore[list-item]

    @JOBS
    def test_a_start_that_does_not_fit_one(self, n_jobs: int) -> None:
        some = [noisy_tree(0, (2,) * n, 50).data for n in (5, 5, 4)]
        start = as_graph(frozenset(), 5)
        with pytest.raises(GraphError, match=r"^datasets\[2\]: "):
            bjp.search.learn_all(some, search="ibmap-hc", n_jobs=n_jobs, start=start)

    @JOBS
    @pytest.mark.parametrize("count", [0, 3])
    def test_options_are_no_fault_of_the_data(self, n_jobs: int, count: int) -> None:
        with pytest.raises(OptionError, match=r"^method="):
            bjp.search.learn_all(resamples(count), "best", n_jobs=n_jobs)
        with pytest.raises(OptionError, match=r"^gamma="):
            bjp.search.learn_all(resamples(3), gamma=-1, n_jobs=n_jobs)

    @JOBS
    def test_of_the_iterable_and_of_callbacks_come_through(self, n_jobs: int) -> None:
        def broken() -> Iterator[bjp.Dataset]:
            yield from resamples(3)
            raise OSError("no more disk")

        before = threading.active_count()
        with pytest.raises(OSError, match="no more disk"):
            bjp.search.learn_all(broken(), n_jobs=n_jobs)

        def refuse(position: int, _: bjp.search.SearchTrace) -> None:
            raise ZeroDivisionError(position)

        with pytest.raises(ZeroDivisionError, match="0"):
            bjp.search.learn_all(resamples(30), n_jobs=n_jobs, on_done=refuse)
        assert threading.active_count() == before
