"""Held-out pseudo-log-likelihood against plain counting, and what it is for."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, ClassVar

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.parameters import fit_parameters
from bjp_engine.progress import Progress
from tests import oracles, strategies
from tests.strategies import Sample


def halves(sample: Sample) -> tuple[bjp.Dataset, bjp.Dataset]:
    middle = len(sample.rows) // 2
    return sample.data.take(range(middle)), sample.data.take(range(middle, len(sample.rows)))


def by_counting(sample: Sample, edges: oracles.Edges, ess: Fraction) -> list[float]:
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
@settings(max_examples=60)
def test_tables_are_counts_with_a_prior(drawn: tuple[Sample, oracles.Edges], ess: Fraction) -> None:
    sample, edges = drawn
    if len(sample.rows) < 2:
        return
    train, test = halves(sample)
    graph = strategies.as_graph(edges, sample.n)
    found = bjp.parameters.held_out(graph, train, test, "tables", ess=float(ess))
    np.testing.assert_allclose(found.values, by_counting(sample, edges, ess), rtol=0, atol=1e-9)


def test_tables_of_more_configurations_than_a_float_can_count() -> None:
    rng = np.random.default_rng(0)
    data = bjp.Dataset.from_codes(rng.integers(0, 2, (40, 1200)))
    star = nx.star_graph(1199)
    train, test = data.take(range(20)), data.take(range(20, 40))
    found = bjp.parameters.held_out(star, train, test, "tables").values
    # What is known of the leaves, by counting; the hub's blanket was never seen like this: ln ½.
    leaves = np.zeros(20)
    for leaf in range(1, 1200):
        pairs = train.codes[:, [0, leaf]].tolist()
        for k, (x, y) in enumerate(test.codes[:, [0, leaf]].tolist()):
            seen = sum(pair == [x, y] for pair in pairs)
            leaves[k] += math.log((seen + 0.25) / (sum(pair[0] == x for pair in pairs) + 0.5))
    np.testing.assert_allclose(found, leaves + math.log(0.5), rtol=1e-9)


def test_the_network_is_fitted_to_the_one_and_predicts_the_other() -> None:
    sample = strategies.noisy_tree(7, (2, 3, 2, 2), 200)
    train, test = halves(sample)
    graph = nx.cycle_graph(4)
    for estimate in ("likelihood", "pseudo-likelihood"):
        network = fit_parameters(train, graph, estimate)
        found = bjp.parameters.held_out(graph, train, test, estimate=estimate)
        np.testing.assert_array_equal(found.values, network.log_conditional(test).sum(axis=1))
        assert found.mean == pytest.approx(network.pseudo_log_likelihood(test))
    spread = math.sqrt(np.var(found.values, ddof=1) / test.rows)
    assert found.error == pytest.approx(spread)
    by_default = bjp.parameters.held_out(graph, train, test)
    np.testing.assert_array_equal(by_default.values, found.values)
    assert not by_default.values.flags.writeable


def test_the_true_graph_predicts_best() -> None:
    truth = bjp.networks.load("target-1")
    model = bjp.sampling.random_model(truth, "clique-potentials", seed=5)
    train = model.sample(4000, seed=5, method="exact")
    test = model.sample(4000, seed=6, method="exact")
    best = bjp.parameters.held_out(truth, train, test).mean
    for edge in truth.edges:
        fewer = truth.copy()
        fewer.remove_edge(*edge)
        assert bjp.parameters.held_out(fewer, train, test).mean < best
    assert bjp.parameters.held_out(nx.complete_graph(6), train, test).mean < best


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_tables_deny_a_hub_its_neighbours_where_the_network_does_not(seed: int) -> None:
    hub, half = nx.star_graph(12), nx.star_graph(6)
    model = bjp.sampling.random_model(hub, "log-odds")
    train = model.sample(2000, seed=seed, method="exact")
    test = model.sample(2000, seed=seed + 10, method="exact")
    assert (
        bjp.parameters.held_out(hub, train, test).mean
        > bjp.parameters.held_out(half, train, test).mean + 0.1
    )
    by_tables = [
        bjp.parameters.held_out(graph, train, test, "tables").mean for graph in (hub, half)
    ]
    assert by_tables[0] < by_tables[1] - 0.1


class TestFolds:
    sample = strategies.noisy_tree(8, (2, 3, 2, 2, 2), 103)
    graphs: ClassVar = {"path": nx.path_graph(5), "empty": nx.empty_graph(5)}

    def test_each_row_is_predicted_once_from_all_other_folds(self) -> None:
        data = self.sample.data
        found = bjp.parameters.cross_validate(data, self.graphs, folds=4, seed=3)
        assert sorted(np.bincount(found.folds)) == [25, 26, 26, 26]
        for k in range(4):
            out = found.folds == k
            for name, graph in self.graphs.items():
                alone = bjp.parameters.held_out(graph, data.take(~out), data.take(out))
                np.testing.assert_allclose(found[name].values[out], alone.values, rtol=1e-12)
        assert found.best == "path"

    def test_differences_are_paired(self) -> None:
        found = bjp.parameters.cross_validate(self.sample.data, self.graphs)
        one, other = found.difference("path", "empty"), found.difference("empty", "path")
        paired = found["path"].values - found["empty"].values
        assert one.mean == pytest.approx(found["path"].mean - found["empty"].mean)
        assert one.mean == -other.mean > 0
        assert one.error == other.error == pytest.approx(np.std(paired, ddof=1) / math.sqrt(103))
        # Much of what varies from row to row is common to both.
        assert one.error < math.hypot(found["path"].error, found["empty"].error)
        same = found.difference("path", "path")
        assert (same.mean, same.error) == (0, 0)

    def test_the_seed_deals_the_rows_out(self) -> None:
        data = self.sample.data
        first, again, other = (
            bjp.parameters.cross_validate(data, self.graphs, seed=s) for s in (1, 1, 2)
        )
        np.testing.assert_array_equal(first.folds, again.folds)
        np.testing.assert_array_equal(first.values, again.values)
        assert (first.folds != other.folds).any()

    def test_learners_see_only_their_rows(self) -> None:
        data = self.sample.data
        seen: list[str] = []

        def learner(train: bjp.Dataset) -> bjp.search.SearchTrace:
            seen.append(train.digest)
            return bjp.learn(train, "mpl")

        candidates = {
            "mpl": learner,
            "graph": lambda train: bjp.learn(train, search="ibmap-hc").graph,
        }
        found = bjp.parameters.cross_validate(data, candidates, folds=3, model="tables")
        parts = [data.take(found.folds != k) for k in range(3)]
        assert seen == [part.digest for part in parts]
        for k, part in enumerate(parts):
            assert nx.utils.graphs_equal(found.graphs[0][k], bjp.learn(part, "mpl").graph)
            assert nx.utils.graphs_equal(
                found.graphs[1][k], bjp.learn(part, search="ibmap-hc").graph
            )

    def test_progress_and_cancel(self) -> None:
        told: list[tuple[int, int]] = []
        progress = Progress(report=lambda done, total: told.append((done, total)))
        bjp.parameters.cross_validate(self.sample.data, self.graphs, progress=progress)
        assert told == [(k, 10) for k in range(1, 11)]
        with pytest.raises(bjp.errors.Cancelled):
            bjp.parameters.cross_validate(
                self.sample.data, self.graphs, progress=Progress(cancelled=lambda: len(told) >= 10)
            )

    @pytest.mark.parametrize("model", ["network", "tables"])
    def test_predicting_says_how_far_it_is_and_can_be_stopped(self, model: Any) -> None:
        told: list[tuple[int, int]] = []
        progress = Progress(report=lambda *report: told.append(report))
        parts, graph = (self.sample.data, self.sample.data), self.graphs["path"]
        bjp.parameters.held_out(graph, *parts, model, progress=progress)
        assert told == sorted(told)
        assert (told[0][0], told[-1][0]) == (0, told[-1][1])
        with pytest.raises(bjp.errors.Cancelled):
            bjp.parameters.held_out(graph, *parts, model, progress=Progress(cancelled=lambda: True))

    def test_nothing_can_be_changed(self) -> None:
        found = bjp.parameters.cross_validate(self.sample.data, self.graphs)
        assert not found.values.flags.writeable
        assert not found.folds.flags.writeable
        assert all(nx.is_frozen(graph) for graphs in found.graphs for graph in graphs)

    @pytest.mark.parametrize(
        ("change", "error", "about"),
        [
            ({"folds": 1}, bjp.errors.OptionError, "folds=1 must be a whole number from 2 to 103"),
            ({"folds": 104}, bjp.errors.OptionError, "folds=104"),
            ({"seed": "a"}, bjp.errors.OptionError, "seed='a'"),
            ({"candidates": {}}, bjp.errors.OptionError, "candidates names nothing"),
            ({"candidates": {"a": 3}}, bjp.errors.OptionError, "candidate 'a' is neither"),
            (
                {"candidates": {"a": nx.path_graph(9)}},
                bjp.errors.GraphError,
                "not one of the data's 5",
            ),
            ({"model": "factors"}, bjp.errors.OptionError, "model='factors' is not known"),
            ({"model": "tables", "ridge": 1.0}, bjp.errors.OptionError, "no option 'ridge'"),
            ({"model": "tables", "ess": 0}, bjp.errors.OptionError, "ess=0"),
        ],
    )
    def test_bad_arguments(self, change: dict[str, object], error: type, about: str) -> None:
        arguments = {"data": self.sample.data, "candidates": self.graphs} | change
        with pytest.raises(error, match=about):
            bjp.parameters.cross_validate(**arguments)

    def test_bad_names(self) -> None:
        found = bjp.parameters.cross_validate(
            self.sample.data, self.graphs, folds=2, model="tables"
        )
        with pytest.raises(
            bjp.errors.OptionError, match="no candidate 'tree'; there are 'path', 'empty'"
        ):
            found.difference("path", "tree")


def test_two_tables_must_be_of_one_kind() -> None:
    data = bjp.Dataset.from_codes([[0, 1], [1, 0]])
    other = bjp.Dataset.from_codes([[0, 2], [1, 0]])
    for model in ("network", "tables"):
        with pytest.raises(bjp.errors.DataError, match="other"):
            bjp.parameters.held_out(nx.path_graph(2), data, other, model)
    with pytest.raises(bjp.errors.DataError, match="has no row"):
        bjp.parameters.held_out(nx.path_graph(2), data, data.take([]))
