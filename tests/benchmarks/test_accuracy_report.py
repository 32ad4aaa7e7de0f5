"""What is said of the comparison: duels, goals and sections, and the files made of the rows."""

import itertools
from statistics import fmean

import numpy as np
import pytest

from benchmarks.accuracy import duels, export, goals, report
from benchmarks.accuracy.compared import Results
from benchmarks.accuracy.groups import Group
from benchmarks.accuracy.store import OVER_TIME, Row, Store

NETWORKS = {"karate": 78, "hub-1": 15, "asia": 10}


def made(method, hamming, group, seed=0):
    none = hamming is None
    return Row(
        *(group.network, group.distribution, group.rows, seed, method, NETWORKS[group.network]),
        *(hamming, None if none else 0, hamming),
        *(None if none else 0.5, None if none else 0.1, OVER_TIME if none else "", "one 1.0"),
    )


def drawn(methods, seeds=2):
    """Some distances for every method on three groups."""
    rng = np.random.default_rng(0)
    groups = [
        Group("karate", "clique-potentials", 1000),
        Group("hub-1", "clique-log-weights", 250),
        Group("asia", "bayesian", 250),
    ]
    return [
        made(method, int(rng.integers(0, 12)), group, seed)
        for method, group, seed in itertools.product(methods, groups, range(seeds))
    ]


class TestDuels:
    ONE, TWO = Group("karate", "log-odds", 250), Group("hub-1", "log-odds", 250)

    def test_only_samples_of_both_count(self):
        rows = [made("a", 4, self.ONE, seed) for seed in range(3)]
        rows += [made("b", 7, self.ONE, 0), made("b", 3, self.ONE, 1)]
        rows += [made("b", None, self.ONE, 2), made("b", 0, self.TWO)]
        found = duels.duel(rows, "a", "b")
        assert (found.samples, found.wins, found.ties, found.losses) == (2, 1, 0, 0)
        assert found.own.share == pytest.approx(4 / 78)
        assert found.theirs.share == pytest.approx(5 / 78)

    def test_every_group_weighs_the_same(self):
        rows = [made("a", 0, self.ONE, seed) for seed in range(4)] + [made("a", 15, self.TWO)]
        rows += [made("b", 0, self.ONE, seed) for seed in range(4)] + [made("b", 3, self.TWO)]
        found = duels.duel(rows, "a", "b")
        assert (found.wins, found.ties, found.losses) == (0, 1, 1)
        assert found.own.share == pytest.approx((0 + 1) / 2)
        assert found.theirs.share == pytest.approx((0 + 0.2) / 2)
        # Nobody to fight.
        assert duels.duel(rows, "a", "c") is None

    def test_interval_is_that_of_a_plain_bootstrap(self):
        rng = np.random.default_rng(1)
        values = {
            Group(f"net-{k}", kind, 250): float(rng.normal())
            for k in range(12)
            for kind in ("log-odds", "clique-potentials")[: 1 + k % 2]
        }
        names = sorted({group.network for group in values})
        totals = []
        for _ in range(4000):
            some = rng.choice(names, len(names))
            totals.append(fmean(v for name in some for g, v in values.items() if g.network == name))
        expected = np.quantile(totals, (0.025, 0.975))
        assert duels.interval(values) == pytest.approx(tuple(expected), abs=0.06)


class TestSections:
    def test_summary_counts_what_the_rows_say(self):
        peers = ("pyagrum-hill-climb", "pyagrum-hill-climb-skeleton")
        results = Results(drawn(("bjp-auto", "bjp-paper", *peers)))
        own = {g: c["bjp-auto"].hamming for g, c in results.means.items()}
        least = {g: min(m.hamming for m in c.values()) for g, c in results.means.items()}
        lowest = sum(own[g] == least[g] for g in own)
        edge = sum(own[g] <= least[g] + 1 for g in own)
        text = report.summary(results)
        assert f"included, in {lowest} of 3" in text
        assert f"within one edge of it in {edge} of 3" in text

    def test_goals(self):
        karate = Group("karate", "clique-potentials", 8000)
        rows = [made("bjp-auto", 12, karate), made("pybnesian-pc", 10, karate)]
        text = goals.table(Results(rows))
        assert "| lowest mean distance of all methods | 0 % | ≥ 80 % | NO |" in text
        assert "| worst ratio to the lowest | 1.20 | ≤ 1.10 | NO |" in text
        assert "N = 8000: distance | 12.0 | ≤ 12.0 | yes |" in text


class TestFiles:
    def test_a_block_is_filled_and_filled_again(self):
        empty = "a\n\n<!-- one: by hand -->\n\n<!-- end -->\n\nb\n"
        full = export.page(empty, {"one": "| x |"})
        assert full == "a\n\n<!-- one: by hand -->\n\n| x |\n\n<!-- end -->\n\nb\n"
        assert export.page(full, {"one": "y"}) == full.replace("| x |", "y")

        other = "<!-- other: by hand -->\n\n| x |\n\n<!-- end -->\n"
        assert export.page(other, {"one": "y"}) == other

    @pytest.mark.slow
    def test_what_is_shipped_is_what_the_rows_give(self):
        for path, expected in export.files(Results(Store().read())).items():
            assert path.read_text(encoding="utf-8") == expected, path
