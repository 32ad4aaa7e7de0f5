"""Smaller benchmarks: gaps to the best graph, the limit, ordered answers, parts of auto, files."""

import math
from itertools import combinations, product

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from benchmarks import files, gaps, limit, ordered, parts
from benchmarks.accuracy.groups import REPORTING
from bjp_engine.search import searches_for

METHODS = ("bjp", "ib", "mpl")


def test_nothing_is_chosen_on_what_is_reported():
    assert max(ordered.SEEDS) < 1000
    assert not set(parts.SEEDS) & set(REPORTING)


class TestGaps:
    def test_every_search_but_that_of_all_graphs_is_measured_from_the_best_of_all(self):
        data = gaps.problem(3, 6)
        best = {method: bjp.all_graphs(data, method).scores.max() for method in METHODS}
        found = {(one.method, one.search): one.nats for one in gaps.gaps_of(data)}
        searches = {(m, s) for m in METHODS for s in searches_for(m) if s != "exhaustive"}
        assert found.keys() == searches
        for method, search in (("bjp", "ibmap-hc"), ("ib", "ibmap-hc"), ("mpl", "mpl-hc")):
            score = bjp.learn(data, method, search).score
            assert found[method, search] == pytest.approx(best[method] - score, abs=1e-7)

    def test_a_search_is_held_to_its_own_objective(self):
        data = gaps.problem(2, 6)
        trace = bjp.learn(data, "bjp", edge_probability=0.1, search="ibmap-hc")
        assert trace.given == {"edge_probability": 0.1}
        assert not bjp.learn(data, "bjp", search="ibmap-hc").given
        for method in ("mpl", "ib"):
            own = bjp.learn(data, method, "exhaustive", edge_probability=0.1).score
            assert gaps.best_score(data, method, **trace.given) == pytest.approx(own, rel=1e-9)
        with pytest.raises(AssertionError):  # none is above the best
            gaps.gap(1.0, 1.1)


class TestLimit:
    TABLE = np.array([[0.5, 0.0], [0.0, 0.5]])

    def slowly(self, codes, density):
        """One graph after another, one row after another."""
        n = codes.shape[1]
        pairs = list(combinations(range(n), 2))
        total, of_edge = 0.0, dict.fromkeys(pairs, 0.0)
        for has in product((False, True), repeat=len(pairs)):
            edges = [pair for pair, there in zip(pairs, has, strict=True) if there]
            weights = {
                row: math.exp(sum(self.TABLE[row[i], row[j]] for i, j in edges))
                for row in product((0, 1), repeat=n)
            }
            value = density ** len(edges) * (1 - density) ** (len(pairs) - len(edges))
            z = sum(weights.values())
            value *= math.prod(weights[tuple(row)] / z for row in codes.tolist())
            total += value
            for edge in edges:
                of_edge[edge] += value
        return {pair: value / total for pair, value in of_edge.items()}

    def test_it_weighs_every_graph(self):
        for seed in range(3):
            codes = np.random.default_rng(seed).integers(0, 2, (20, 3))
            found = limit.Limit(self.TABLE, 0.35, 3).edges(codes)
            assert found == pytest.approx(self.slowly(codes, 0.35), rel=1e-9), seed

    def test_its_table_is_that_of_the_samples_and_nobody_is_nearer_on_average(self):
        model = bjp.sampling.random_model(nx.path_graph(2), "log-odds")
        (pair,) = (factor for factor in model.factors if len(factor.variables) == 2)
        assert (np.asarray(pair.log_table) == self.TABLE).all()
        for found in limit.measured(1000, 12).values():
            assert found["limit"] <= min(found[name] for name in limit.SEARCHES)


class TestOrdered:
    def test_neighbours_depend_on_each_other(self):
        for kind in ordered.KINDS:
            data, truth = ordered.make(kind, 2000, 1001)
            assert (data.rows, data.n) == (2000, ordered.VARIABLES)
            assert sorted(truth.nodes) == list(range(data.n))
            assert sum(data.ordered) == (data.n // 2 if kind.startswith("mixed") else data.n)

            def dependence(x, y, data=data):
                seen = np.zeros((data.cardinalities[x], data.cardinalities[y]))
                np.add.at(seen, (data.codes[:, x], data.codes[:, y]), 1)
                expected = np.outer(seen.sum(axis=1), seen.sum(axis=0)) / data.rows
                there = expected > 0
                return float((((seen - expected) ** 2)[there] / expected[there]).sum())

            edges = [dependence(*edge) for edge in truth.edges]
            others = [dependence(*pair) for pair in nx.non_edges(truth)]
            assert np.median(edges) > 3 * np.median(others), kind

    def test_cut_where_the_halves_are_most_alike(self):
        codes = [[0, 2]] * 4 + [[1, 1]] * 3 + [[2, 0]] * 3
        data = ordered.cut(bjp.Dataset.from_codes(codes, ordered=[0]))
        assert data.cardinalities == (2, 3)
        assert data.codes[:, 0].tolist() == [0] * 4 + [1] * 6


class TestParts:
    """What is taken out of `auto` to see what it brings is really out."""

    def test_each_part_changes_something(self):
        dense, hub = (
            bjp.sampling.random_model(bjp.networks.load(name), "log-odds", seed=1).sample(rows, 1)
            for name, rows in (("will-57", 250), ("hub-2", 1000))
        )
        rng = np.random.default_rng(0)
        states = rng.integers(0, 8, size=(150, 6))
        states[:, 1] = np.where(rng.random(150) < 0.5, states[:, 0], states[:, 1])
        states = bjp.Dataset.from_codes(states)
        codes = rng.integers(0, 2, (800, 30))
        codes[:, 2] = codes[:, 0] ^ codes[:, 1]
        found = {}
        for name, part in parts.VARIANTS.items():
            with part():
                found[name] = [
                    bjp.learn(bjp.Dataset.from_codes(one.codes), "bjp", "auto").evidence
                    for one in (dense, hub, states, bjp.Dataset.from_codes(codes))
                ]
        whole, changed = found["`auto`"], {}
        for name, of in found.items():
            changed[name] = [
                (part.log_odds != one.log_odds).any() or (part.probability != one.probability).any()
                for part, one in zip(of, whole, strict=True)
            ]
        assert [
            one.probability[0, 1] >= 0.5
            for one in (whole[3], found["without the scan of triples"][3])
        ] == [True, False]
        for name, where in (
            ("without logistic regression", 0),
            ("blankets of at most eight", 1),
            ("without linear models", 2),
            ("all that tables have against an edge", 2),
            ("without the test", 0),
            ("without partial associations", 2),
            ("without paths", 0),
        ):
            assert changed[name][where], name
        assert not any(changed["`auto`"])
        # Beside binary variables nothing is linear, and partial associations don't count.
        for name in ("without linear models", "without partial associations"):
            assert changed[name][:2] == [False, False], name


def test_a_file_is_read_prepared_and_learned_from(tmp_path):
    path = tmp_path / "small.csv"
    pd.DataFrame({"a": ["x", "y"] * 50, "b": ["u", "u", "v", "v"] * 25}).to_csv(path, index=False)
    size, *seconds, codes, peak = files._measured(str(path))
    assert (size, codes) == (path.stat().st_size / 2**20, 200 / 2**20)
    assert (len(seconds), min(seconds) > 0, peak > 1) == (3, True, True)
