"""Many searches at once: the same traces, in order, with no more in memory than is needed."""

import os
import threading
import weakref

import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.errors import Cancelled, DataError, GraphError, OptionError
from bjp_engine.search import PUBLISHED, many
from tests.contracts.test_any_data import content
from tests.refusals import assert_refused
from tests.strategies import as_graph, noisy_tree

JOBS = (1, 2, 3, 8)
every_n_jobs = pytest.mark.parametrize("n_jobs", JOBS)
learn_all = bjp.search.learn_all


@pytest.fixture(autouse=True)
def eight_cores_and_no_thread_left(monkeypatch):
    """As on a machine with eight, wherever these tests run."""
    before = set(threading.enumerate())
    monkeypatch.setattr(many, "cores", lambda: 8)
    yield
    assert not set(threading.enumerate()) - before


def every(*args, **options):
    """All traces."""
    return [*learn_all(*args, **options)]


def resamples(count, rows=120):
    """Bootstrap resamples of one dataset, made when they are asked for."""
    data, rng = noisy_tree(1, (2, 3, 2, 2, 4, 2), rows).data, np.random.default_rng(0)
    return (data.take(rng.integers(data.rows, size=data.rows)) for _ in range(count))


def test_results_are_those_of_one_search_after_another_in_order():
    # The same data again and again, options, and searches that take longer and shorter.
    sizes = [3000, 5, 400, 0, 1, 2000, 7, 9]
    some = {"prior": 0.9, "gamma": 0.5, "start": "mpl", "contributions": 2}
    for datasets, args, options in (
        *(([*resamples(10)], [method], {}) for method in PUBLISHED),
        ([noisy_tree(0, (2, 3, 2, 4, 2, 9), 300).data] * 5, ["mpl"], {}),
        ([*resamples(5)], ["ib", "ibmap-hc"], some),
        ([*resamples(2)], ["mpl", "exhaustive"], {}),
        ([noisy_tree(k, (2, 3) * (2 + k % 3), n).data for k, n in enumerate(sizes)], [], {}),
        ([], [], {}),
    ):
        expected = [content(bjp.learn(data, *args, **options)) for data in datasets]
        assert len(set(map(str, expected))) > 7 or len(datasets) < 8
        for n_jobs in JOBS:
            traces = learn_all(datasets, *args, n_jobs=n_jobs, **options)
            assert [content(trace) for trace in traces] == expected, (args, n_jobs)


@every_n_jobs
def test_few_are_alive_at_a_time_and_all_in_this_thread(n_jobs):
    alive, seen = set(), set()
    most = count = 0

    def watched():
        nonlocal most, count
        for data in resamples(30, rows=30):
            weakref.finalize(data, alive.discard, count)
            alive.add(count)
            seen.add(threading.get_ident())
            count += 1
            most = max(most, len(alive))
            yield data
            del data

    made = [*learn_all(watched(), n_jobs=n_jobs)]
    assert len(made) == count == 30
    # One for each thread and one that waits; one more is held by the generator itself.
    assert most <= n_jobs + 2
    assert seen == {threading.get_ident()}


def test_no_more_threads_than_cores_of_this_process(monkeypatch):
    for n_jobs, expected in ((1, 1), (3, 3), (-1, 8), (99, 8)):
        assert many.threads_of(n_jobs) == expected
    monkeypatch.undo()
    assert 1 <= many.cores() <= (os.cpu_count() or 1)


@every_n_jobs
def test_cancelling(n_jobs):
    done, taken, asked = [], [], []

    def cancelled_when(condition, datasets, *args):
        done.clear()
        taken.clear()
        data = (taken.append(1) or d for d in datasets)
        watch = bjp.Progress(cancelled=condition)
        with pytest.raises(Cancelled):
            done.extend(learn_all(data, *args, progress=watch, n_jobs=n_jobs))

    # At once, on the way, and within a long search.
    cancelled_when(lambda: True, resamples(50))
    assert len(taken) <= n_jobs + 1
    cancelled_when(lambda: len(done) >= 5, resamples(200))
    assert 5 <= len(done) <= len(taken) < 200
    long = noisy_tree(0, (2,) * 60, 4000).data
    cancelled_when(lambda: asked.append(1) or len(asked) > 3, [long] * 40, "ib")


def test_wrong_arguments_are_named():
    for n_jobs in (0, -2, 1.0, "2", None, True):
        assert_refused(OptionError, r"^n_jobs=.*\.$", learn_all, [], n_jobs=n_jobs)
    for datasets in (noisy_tree(0, (2, 2), 5).data, 7, None):
        assert_refused(OptionError, r"^datasets is of type", learn_all, datasets)
    # Options are no fault of the data.
    for n_jobs in JOBS:
        assert_refused(OptionError, "^method=", learn_all, [], "best", n_jobs=n_jobs)
        assert_refused(OptionError, "^gamma=", every, resamples(3), gamma=-1, n_jobs=n_jobs)


@every_n_jobs
def test_errors_show_which_dataset_and_those_of_the_caller_come_through(n_jobs):
    done, taken = [], []
    some = [*resamples(6), "coronary.csv", *resamples(40)]
    data, options = (taken.append(1) or d for d in some), {"n_jobs": n_jobs}
    with pytest.raises(DataError, match=r"^datasets\[6\]: data is of type str"):
        done.extend(learn_all(data, **options))
    assert len(done) == 6
    assert len(taken) < 40
    long, start = noisy_tree(0, (2,) * 40, 4000).data, as_graph(frozenset(), 5)
    three = [noisy_tree(0, (2,) * n, 50).data for n in (5, 5, 4)]

    def broken():
        yield from resamples(3)
        raise OSError("no more disk")

    for error, said, data, given in (
        # None is no dataset and no end.
        (DataError, r"^datasets\[2\]: data is of type NoneType", [*three[:2], None, *three], {}),
        # The first of several.
        (DataError, r"^datasets\[1\]", [long, 0, 1, 2, 3], {}),
        # A start that does not fit one.
        (GraphError, r"^datasets\[2\]: ", three, {"search": "ibmap-hc", "start": start}),
        (OSError, "no more disk", broken(), {}),
    ):
        assert_refused(error, said, every, data, **options, **given)
