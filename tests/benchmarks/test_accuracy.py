"""The comparison with other packages: its datasets, its records and its verdicts. None is run."""

import sys

import numpy as np
import pytest

import bjp_engine as bjp
from benchmarks.accuracy import bayesian, groups, methods, peer, run, standing
from benchmarks.accuracy.groups import BAYESIAN, MIXED, Group, Sample
from benchmarks.accuracy.store import OVER_TIME, Row, Store

GROUP = Group("karate", "log-odds", 250)


def row(method="one", hamming=3, seed=0, note=""):
    wrong = None if hamming is None else 0
    right = None if hamming is None else 0.5
    return Row(
        *("karate", "log-odds", 250, seed, method, 78),
        *(hamming, wrong, hamming, right, right, note, "one 1.0"),
    )


class TestGroups:
    def test_each_is_made_anew_from_its_words(self):
        for kind in (*groups.WEIGHTS, MIXED):
            sample = Sample(Group("karate", kind, 250), 3)
            (data, truth), (again, _) = groups.make(sample), groups.make(sample)
            assert data.digest == again.digest
            assert bjp.metrics.hamming(truth, bjp.networks.load("karate")) == 0

    def test_a_smaller_sample_begins_a_larger_one(self):
        for kind, name in ((MIXED, "karate"), (BAYESIAN, "asia")):
            few, _ = groups.make(Sample(Group(name, kind, 250), 1))
            more, _ = groups.make(Sample(Group(name, kind, 1000), 1))
            np.testing.assert_array_equal(few.codes, more.codes[:250])

    def test_mixed_log_odds_have_both_signs_and_one_size(self):
        model = groups.model(bjp.networks.load("karate"), MIXED, 0)
        odds = [np.trace(one.log_table) - one.log_table[0, 1] * 2 for one in model.factors]
        assert set(odds) == {-1.0, 1.0}
        assert 20 < odds.count(1.0) < 58


class TestBayesianNetworks:
    def test_moral_graph_of_asia(self):
        moral = bayesian.load("asia").moral()
        # tub and lung have the child either; bronc and either the child dysp.
        assert moral.has_edge("tub", "lung")
        assert moral.has_edge("bronc", "either")
        assert moral.number_of_edges() == 10

    def test_rows_have_the_chances_of_the_tables(self):
        network = bayesian.load("asia")
        place = {name: i for i, name in enumerate(network.names)}
        codes = network.rows(40_000, np.random.default_rng(0))
        # Lauritzen & Spiegelhalter: one in a hundred was in Asia, one in two smokes.
        assert np.mean(codes[:, place["asia"]] == 0) == pytest.approx(0.01, abs=0.002)
        assert np.mean(codes[:, place["smoke"]] == 0) == pytest.approx(0.5, abs=0.01)
        yes = (codes[:, place["tub"]] == 0) | (codes[:, place["lung"]] == 0)
        np.testing.assert_array_equal(codes[:, place["either"]] == 0, yes)


def test_graphs_of_peers():
    # Parents of one child are married.
    found = peer.directed([(2, 1), (0, 1)], [(1, 3)])
    assert found["moral"] == [(0, 1), (0, 2), (1, 2), (1, 3)]
    assert found["skeleton"] == [(0, 1), (1, 2), (1, 3)]
    found = peer.neighbourhoods([{1, 2}, {0}, set()])
    assert found == {"and": [(0, 1)], "or": [(0, 1), (0, 2)]}


class TestStore:
    def test_what_is_written_is_read_and_what_was_cut_off_is_done_again(self, tmp_path):
        store, path = Store(tmp_path), tmp_path / "one.csv"
        rows = [row("one-skeleton"), row("one"), row("one", None, 1, OVER_TIME)]
        store.append("one", rows[:2])
        store.append("one", rows[2:])
        assert store.read() == store.read("one") == rows

        path.unlink()
        store.append("one", [row(seed=0), row(seed=1)])
        path.write_text(path.read_text()[:-7])
        assert store.read() == [row(seed=0)]
        store.append("one", [row(seed=1)])
        assert store.read() == [row(seed=0), row(seed=1)]

        # Of two the later is kept, and all are sorted.
        path.unlink()
        store.append("one", [row(seed=1), row(seed=0, hamming=9), row(seed=0)])
        store.tidy()
        assert store.read() == [row(seed=0), row(seed=1)]
        assert len(path.read_text().splitlines()) == 3

    def test_results_that_are_shipped_can_be_read(self):
        known = methods.titles()
        for one in Store().read():
            assert one.method in known
            assert (one.hamming is None) == bool(one.note)
            assert one.hamming is None or one.hamming == (one.fp or 0) + (one.fn or 0)


class TestRuns:
    def test_what_is_there_is_not_done_again(self, tmp_path):
        works = [(Sample(GROUP, seed), methods.named(["pyagrum-pc"])[0]) for seed in range(3)]
        store = Store(tmp_path)
        store.append("a", [row("pyagrum-pc"), row("pyagrum-pc", None, 1, "failed (1): no")])
        assert run.missing(works, store) == works[2:]
        assert run.missing(works, store, again=True) == works[1:]

    def test_what_a_process_says(self):
        said = 'print(\'hello {"graphs": {"graph": [[0, 1]]}, "seconds": 1, "version": "a 1"}\')'
        assert run.told([sys.executable, "-c", said], 600)["graphs"] == {"graph": [[0, 1]]}
        failed = run.told([sys.executable, "-c", "raise ValueError('no  such thing')"], 600)
        assert failed == {"note": "failed (1): ValueError: no such thing"}
        endless = run.told([sys.executable, "-c", "while True: pass"], 1)
        assert endless == {"note": OVER_TIME}

    def test_the_engine_is_judged(self):
        for name, options in (
            ("bjp-paper", {}),
            ("ib-paper", {"method": "ib"}),
            ("bjp-auto", {"search": "auto"}),
            ("bjp-or", {"start": "mpl-or"}),
        ):
            (method,) = methods.named([name])
            with run.Table(Sample(GROUP, 100)) as table:
                (found,) = run.step(table, method, set(), 3600)
                graph = bjp.learn(table.data, **{"search": "ibmap-hc"} | options).graph
                wanted = bjp.metrics.confusion(table.truth, graph)
            assert (found.hamming, found.fp, found.fn) == (wanted.hamming, wanted.fp, wanted.fn)
            assert found.note == "", name
            assert found.seconds is not None, name

    def test_the_engine_has_no_more_time_than_others(self):
        (method,) = methods.named(["bjp-paper"])
        with run.Table(Sample(GROUP, 100)) as table:
            (found,) = run.step(table, method, hopeless := set(), -1)
        assert (found.note, found.hamming) == (OVER_TIME, None)
        assert hopeless == {(GROUP, "bjp-paper")}


class TestVerdicts:
    ROWS = (
        row("one", 2, 0),
        row("one", 4, 1),
        row("two", 6, 0),
        row("two", 6, 1),
        row("late", 1, 0),
        row("late", None, 1, OVER_TIME),
    )

    def test_only_what_has_every_seed_is_compared(self):
        found = standing.means(self.ROWS, range(2))
        assert {name: mean.hamming for name, mean in found[GROUP].items()} == {"one": 3, "two": 6}
        assert standing.lowest(standing.means(self.ROWS, [0])[GROUP]) == 1
        one, two = standing.standings(self.ROWS, range(2))
        assert (one.method, one.lowest, one.tenth, one.edge, one.worst) == ("one", 1, 1, 1, 1.0)
        assert (two.method, two.lowest, two.tenth, two.edge, two.worst) == ("two", 0, 0, 0, 2.0)
        # Of equals all are lowest.
        equals = standing.standings([row("one", 3), row("two", 3), row("near", 4)], [0])
        assert {one.method: (one.lowest, one.tenth, one.edge) for one in equals} == {
            **dict.fromkeys(("one", "two"), (1, 1, 1)),
            "near": (0, 0, 1),
        }
