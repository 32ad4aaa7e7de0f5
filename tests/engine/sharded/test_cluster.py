"""Counts of rows that lie on a cluster are those of the same rows here, whatever happens there."""

import os
import pickle
import signal
import time
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.cluster import results_of
from bjp_engine.errors import Cancelled, DataError
from bjp_engine.sharded.rows import Part, Shards
from tests.clusters import kill_worker, local_client, sharded_table

# 100,000 rows in seven uneven shards, one of which has none, one the only row with a state.
ENDS = (35_000, 35_007, 60_000, 60_000, 82_000, 99_000, 100_000)
LEARNERS = [("bjp", "ibmap-hc"), ("ib", "ibmap-hc"), ("mpl", "mpl-hc")]


@pytest.fixture(scope="module")
def client():
    with local_client() as client:
        yield client


@pytest.fixture(scope="module")
def threads():
    with local_client(3, processes=False) as client:
        yield client


@pytest.fixture(scope="module")
def pattern(tmp_path_factory):
    """The files of a table's shards."""
    folder, table = tmp_path_factory.mktemp("shards"), sharded_table(ENDS[-1])
    for k, (begin, end) in enumerate(pairwise((0, *ENDS))):
        table.iloc[begin:end].to_csv(folder / f"{k}.csv", index=False)
    return str(folder / "*.csv")


@pytest.fixture(scope="module")
def whole():
    return bjp.Dataset.from_frame(sharded_table(ENDS[-1]))


@pytest.fixture(scope="module")
def sharded(client, pattern):
    return bjp.read_sharded(pattern, client=client)


def assert_same_climb(one, other):
    """The same flips, scores and graph, to the last bit."""
    assert [(s.edge, s.score) for s in one.steps] == [(s.edge, s.score) for s in other.steps]
    assert one.score == other.score
    assert set(one.graph.edges) == set(other.graph.edges)
    assert len(one.steps) > 3


@pytest.fixture
def sends(monkeypatch):
    """The messages that are sent."""
    sent, ask = [], Shards.ask

    def counted(self, *given):
        sent.append(given)
        return ask(self, *given)

    monkeypatch.setattr(Shards, "ask", counted)
    return sent


@pytest.mark.slow
def test_searches_scores_and_tests_are_those_of_one_machine(client, whole, sharded):
    for method, search in LEARNERS:
        trace = bjp.learn(whole, method, search)
        assert_same_climb(trace, bjp.learn(sharded, method, search))
        assert bjp.score(sharded, trace.graph, method).total == trace.score, method
    assert "on" in sharded.labels[sharded.index("f")]
    # The default search reads the rows, and runs here though others run on the cluster.
    some = [data.select(["a", "c", "e", "f"]) for data in (whole, sharded)]
    one, other = bjp.search.learn_all(some, client=client)
    assert (one.search, one.score) == (other.search, other.score) == ("auto", other.score)


@pytest.mark.slow
class TestFaults:
    def test_a_worker_killed_while_it_counts(self, client, whole, sharded, monkeypatch):
        sends, map_there = [], client.map

        def send_and_kill(*given, **how):
            sent = map_there(*given, **how)
            sends.append(given)
            if len(sends) == 4:
                kill_worker(client, sharded.shards.groups)
            return sent

        monkeypatch.setattr(client, "map", send_and_kill)
        found = bjp.learn(sharded, "mpl", "mpl-hc")
        assert len(sends) > 4
        assert_same_climb(bjp.learn(whole, "mpl", "mpl-hc"), found)

    def test_a_killed_worker_s_search_is_made_again(self, client, whole):
        some = [whole.take(range(k, 3000)) for k in range(3)]

        traces = bjp.search.learn_all(some, search="ibmap-hc", client=client)
        found = [next(traces).score]
        for pid in client.run(os.getpid).values():
            os.kill(pid, signal.SIGKILL)
        found += [trace.score for trace in traces]
        expected = bjp.search.learn_all(some, search="ibmap-hc")
        assert found == [trace.score for trace in expected]

    def test_what_dask_gives_up_or_cannot_read_again_is_one_sentence(self, threads):
        from distributed import KilledWorker

        def give_up(number):
            raise KilledWorker("count", SimpleNamespace(address="tcp://a:1"), number)

        def read(title):
            raise DataError(f"There is no file {title}.")

        with pytest.raises(ChildProcessError, match="was killed 4 times at the same task"):
            results_of(threads, threads.map(give_up, [3, 3]), bjp.Progress())
        left = threads.map(time.sleep, [0.1, 0.1])
        threads.cancel(left)
        with pytest.raises(ChildProcessError, match="ended the work before it was done"):
            results_of(threads, left, bjp.Progress())
        lost = [threads.submit(read, "'0.csv'")]
        shards = Shards(threads, lost, [[0]], [3], [""])
        with pytest.raises(DataError, match=r"no file '0\.csv'\."):
            shards.ask(len, bjp.Progress())

    def test_a_cluster_that_is_restarted_is_one_sentence(self, pattern, whole):
        with local_client() as client:
            data = bjp.read_sharded(pattern, client=client)

            def restart(step):
                if step.index == 2:
                    client.restart(timeout=300, wait_for_workers=False)

            with pytest.raises(ChildProcessError, match=r"read the data anew\.$"):
                bjp.learn(data, "bjp", "ibmap-hc", on_step=restart)
            again = bjp.learn(bjp.read_sharded(pattern, client=client), "bjp", "ibmap-hc")
            assert_same_climb(bjp.learn(whole, "bjp", "ibmap-hc"), again)

    def test_cancelled(self, sharded):
        steps = []
        progress = bjp.Progress(cancelled=lambda: len(steps) > 1)
        trace = bjp.learn(sharded, "bjp", "ibmap-hc", progress=progress, on_step=steps.append)
        assert str(trace.stop_reason) == "cancelled"
        with pytest.raises(Cancelled):
            sharded.count([(0, 1, ())], bjp.Progress(cancelled=lambda: True))
        # Rows stay where they are.
        with pytest.raises(DataError, match="lie on a cluster"):
            pickle.dumps(sharded)


@pytest.mark.slow
def test_resamples_learned_on_workers_are_those_learned_here(client, whole, sharded):
    how = {"method": "mpl", "search": "mpl-hc", "resamples": 2, "seed": 1}
    expected = bjp.confidence.bootstrap(whole, **how)
    assert (expected.matrix == bjp.confidence.bootstrap(sharded, **how).matrix).all()
    there = bjp.confidence.bootstrap(whole, client=client, **how)
    assert (expected.matrix == there.matrix).all()


@pytest.mark.slow
def test_a_flip_is_one_message(sharded, sends):
    trace = bjp.learn(sharded, "bjp", "ibmap-hc")
    assert len(sends) <= len(trace.proposals) + 2


@pytest.mark.slow
def test_threads_get_about_as_many_rows(threads):
    sizes = [900, 500, 400, 300, 300, 200, 0, 400]
    made = [Part.of(np.zeros((rows, 2), np.uint8), (2, 2)) for rows in sizes]
    # All on one worker, which stands for a worker of three threads.
    (one, *_) = threads.nthreads()
    parts = [threads.scatter(part, hash=False, workers=[one]) for part in made]
    threads_of = SimpleNamespace(
        nthreads=lambda: {one: 3}, who_has=threads.who_has, submit=threads.submit
    )
    shards = Shards.of(threads_of, parts, sizes, [""] * 8)
    assert sorted(place for places in shards.places for place in places) == list(range(8))
    held = results_of(threads, shards.groups, bjp.Progress())
    assert len(held) == 3
    for group, places in zip(held, shards.places, strict=True):
        assert [part.rows for part in group] == [sizes[place] for place in places]
        # A third is 1,000 rows; a part is put where there is least.
        assert sum(part.rows for part in group) < 1000 + 300
