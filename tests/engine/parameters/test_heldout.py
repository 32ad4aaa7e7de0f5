"""Held-out pseudo-log-likelihood against plain counting, and what it is for."""

import math
from fractions import Fraction
from typing import ClassVar

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.errors import Cancelled, DataError, GraphError, OptionError
from bjp_engine.parameters import cross_validate, fit_parameters, held_out
from bjp_engine.progress import Progress
from tests import strategies
from tests.refusals import assert_refused


def halves(sample):
    middle = len(sample.rows) // 2
    return sample.data.take(range(middle)), sample.data.take(range(middle, len(sample.rows)))


def by_counting(sample, edges, ess):
    """Σ_i ln of MPL's posterior mean of Pr(x_i | blanket), for each row of the second half."""
    middle = len(sample.rows) // 2
    train, test = sample.rows[:middle], sample.rows[middle:]
    values = []
    for row in test:
        total = 0.0
        for i, r in enumerate(sample.cards):
            blanket = [j for j in range(sample.n) if frozenset((i, j)) in edges]
            q = math.prod(sample.cards[j] for j in blanket)
            same = [other for other in train if all(other[j] == row[j] for j in blanket)]
            seen = sum(other[i] == row[i] for other in same)
            probability = (seen + ess / (r * q)) / (len(same) + ess / q)
            total += math.log(probability.numerator) - math.log(probability.denominator)
        values.append(total)
    return values


@given(
    strategies.samples_with_graph(max_variables=5), st.sampled_from([Fraction(1), Fraction(5, 2)])
)
def test_tables_are_counts_with_a_prior(drawn, ess):
    sample, edges = drawn
    if len(sample.rows) < 2:
        return
    train, test = halves(sample)
    graph = strategies.as_graph(edges, sample.n)
    found = held_out(graph, train, test, "tables", ess=float(ess))
    np.testing.assert_allclose(found.values, by_counting(sample, edges, ess), rtol=0, atol=1e-9)


def test_tables_of_more_configurations_than_a_float_can_count():
    rng = np.random.default_rng(0)
    data = bjp.Dataset.from_codes(rng.integers(0, 2, (40, 1200)))
    star = nx.star_graph(1199)
    train, test = data.take(range(20)), data.take(range(20, 40))
    found = held_out(star, train, test, "tables").values
    # What is known of the leaves, by counting; the hub's blanket was never seen like this: ln ½.
    leaves = np.zeros(20)
    for leaf in range(1, 1200):
        pairs = train.codes[:, [0, leaf]].tolist()
        for k, (x, y) in enumerate(test.codes[:, [0, leaf]].tolist()):
            seen = sum(pair == [x, y] for pair in pairs)
            leaves[k] += math.log((seen + 0.25) / (sum(pair[0] == x for pair in pairs) + 0.5))
    np.testing.assert_allclose(found, leaves + math.log(0.5), rtol=1e-9)


def test_the_network_is_fitted_to_the_one_and_predicts_the_other():
    sample = strategies.noisy_tree(7, (2, 3, 2, 2), 200)
    train, test = halves(sample)
    graph = nx.cycle_graph(4)
    for estimate in ("likelihood", "pseudo-likelihood"):
        network = fit_parameters(train, graph, estimate)
        found = held_out(graph, train, test, estimate=estimate)
        np.testing.assert_array_equal(found.values, network.log_conditional(test).sum(axis=1))
        assert found.mean == pytest.approx(network.pseudo_log_likelihood(test))
    spread = math.sqrt(np.var(found.values, ddof=1) / test.rows)
    assert found.error == pytest.approx(spread)
    by_default = held_out(graph, train, test)
    np.testing.assert_array_equal(by_default.values, found.values)
    assert not by_default.values.flags.writeable


def test_the_true_graph_predicts_best():
    truth = bjp.networks.load("target-1")
    model = bjp.sampling.random_model(truth, "clique-potentials", seed=5)
    train = model.sample(4000, seed=5, method="exact")
    test = model.sample(4000, seed=6, method="exact")
    best = held_out(truth, train, test).mean
    for edge in truth.edges:
        fewer = truth.copy()
        fewer.remove_edge(*edge)
        assert held_out(fewer, train, test).mean < best
    assert held_out(nx.complete_graph(6), train, test).mean < best


def test_tables_deny_a_hub_its_neighbours_where_the_network_does_not():
    graphs = nx.star_graph(12), nx.star_graph(6)
    model = bjp.sampling.random_model(graphs[0], "log-odds")
    for seed in (1, 2, 3):
        train, test = (model.sample(2000, seed=s, method="exact") for s in (seed, seed + 10))
        hub, half = (held_out(graph, train, test).mean for graph in graphs)
        assert hub > half + 0.1, seed
        hub, half = (held_out(graph, train, test, "tables").mean for graph in graphs)
        assert hub < half - 0.1, seed


class TestFolds:
    sample = strategies.noisy_tree(8, (2, 3, 2, 2, 2), 103)
    graphs: ClassVar = {"path": nx.path_graph(5), "empty": nx.empty_graph(5)}

    def test_each_row_is_predicted_once_from_all_other_folds(self):
        data = self.sample.data
        found = cross_validate(data, self.graphs, folds=4, seed=3)
        assert sorted(np.bincount(found.folds)) == [25, 26, 26, 26]
        for k in range(4):
            out = found.folds == k
            for name, graph in self.graphs.items():
                alone = held_out(graph, data.take(~out), data.take(out))
                np.testing.assert_allclose(found[name].values[out], alone.values, rtol=1e-12)
        assert found.best == "path"

    def test_differences_are_paired(self):
        found = cross_validate(self.sample.data, self.graphs)
        one, other = found.difference("path", "empty"), found.difference("empty", "path")
        paired = found["path"].values - found["empty"].values
        assert one.mean == pytest.approx(found["path"].mean - found["empty"].mean)
        assert one.mean == -other.mean > 0
        assert one.error == other.error == pytest.approx(np.std(paired, ddof=1) / math.sqrt(103))
        # Much of what varies from row to row is common to both.
        assert one.error < math.hypot(found["path"].error, found["empty"].error)
        same = found.difference("path", "path")
        assert (same.mean, same.error) == (0, 0)

    def test_the_seed_deals_the_rows_out(self):
        data = self.sample.data
        first, again, other = (cross_validate(data, self.graphs, seed=s) for s in (1, 1, 2))
        np.testing.assert_array_equal(first.folds, again.folds)
        np.testing.assert_array_equal(first.values, again.values)
        assert (first.folds != other.folds).any()
        assert not first.values.flags.writeable
        assert not first.folds.flags.writeable
        assert all(nx.is_frozen(graph) for graphs in first.graphs for graph in graphs)

    def test_learners_see_only_their_rows(self):
        data = self.sample.data
        seen = []

        def learner(train):
            seen.append(train.digest)
            return bjp.learn(train, "mpl")

        candidates = {
            "mpl": learner,
            "graph": lambda train: bjp.learn(train, search="ibmap-hc").graph,
        }
        found = cross_validate(data, candidates, folds=3, model="tables")
        parts = [data.take(found.folds != k) for k in range(3)]
        assert seen == [part.digest for part in parts]
        for k, part in enumerate(parts):
            assert nx.utils.graphs_equal(found.graphs[0][k], bjp.learn(part, "mpl").graph)
            assert nx.utils.graphs_equal(
                found.graphs[1][k], bjp.learn(part, search="ibmap-hc").graph
            )

    def test_it_reports_and_can_be_stopped(self):
        seen = []
        progress, data = Progress(report=lambda *now: seen.append(now)), self.sample.data
        cross_validate(data, self.graphs, progress=progress)
        assert seen == [(k, 10) for k in range(1, 11)]
        stopped = Progress(cancelled=lambda: len(seen) >= 10)
        with pytest.raises(Cancelled):
            cross_validate(data, self.graphs, progress=stopped)
        stopped = Progress(cancelled=lambda: True)
        for model in ("network", "tables"):
            seen.clear()
            held_out(self.graphs["path"], data, data, model, progress=progress)
            assert seen == sorted(seen), model
            assert (seen[0][0], seen[-1][0]) == (0, seen[-1][1]), model
            with pytest.raises(Cancelled):
                held_out(self.graphs["path"], data, data, model, progress=stopped)

    def test_bad_arguments(self):
        usual = {"data": self.sample.data, "candidates": self.graphs}
        for change, error, about in (
            ({"folds": 1}, OptionError, "folds=1 must be a whole number from 2 to 103"),
            ({"folds": 104}, OptionError, "folds=104"),
            ({"seed": "a"}, OptionError, "seed='a'"),
            ({"candidates": {}}, OptionError, "candidates names nothing"),
            ({"candidates": {"a": 3}}, OptionError, "candidate 'a' is neither"),
            ({"candidates": {"a": nx.path_graph(9)}}, GraphError, "not one of the data's 5"),
            ({"model": "factors"}, OptionError, "model='factors' is not known"),
            ({"model": "tables", "ridge": 1.0}, OptionError, "no option 'ridge'"),
            ({"model": "tables", "ess": 0}, OptionError, "ess=0"),
        ):
            assert_refused(error, about, cross_validate, **(usual | change))
        found = cross_validate(self.sample.data, self.graphs, folds=2, model="tables")
        about = "no candidate 'tree'; there are 'path', 'empty'"
        assert_refused(OptionError, about, found.difference, "path", "tree")


def test_two_tables_must_be_of_one_kind():
    data = bjp.Dataset.from_codes([[0, 1], [1, 0]])
    other = bjp.Dataset.from_codes([[0, 2], [1, 0]])
    for model in ("network", "tables"):
        assert_refused(DataError, "other", held_out, nx.path_graph(2), data, other, model)
    assert_refused(DataError, "has no row", held_out, nx.path_graph(2), data, data.take([]))
