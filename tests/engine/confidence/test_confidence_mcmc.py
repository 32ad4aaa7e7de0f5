"""Posterior edge probabilities: Markov chains against the sum over all graphs, and their record."""

from functools import cache
from itertools import combinations, compress, islice
from unittest.mock import Mock

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.confidence import Ended, posterior, posterior_edges
from bjp_engine.confidence.chains import (
    Chain,
    FlipSampler,
    Ladder,
    LookUpSampler,
    Plan,
    Tally,
    every_score,
    respaced,
    shares,
)
from bjp_engine.confidence.diagnostics import pool
from bjp_engine.confidence.posterior import dispersed_starts
from bjp_engine.errors import Cancelled, DataError, OptionError
from bjp_engine.graph import to_adjacency
from bjp_engine.progress import Progress
from bjp_engine.search.exhaustive import MOST_VARIABLES
from bjp_engine.search.problem import pose
from tests.engine.calls import assert_options_refused
from tests.refusals import assert_refused
from tests.strategies import noisy_tree, random_sample

METHODS = ("bjp", "ib", "mpl", "near")


@pytest.fixture(autouse=True)
def _no_warning_is_lost():
    with np.errstate(all="warn", under="ignore"):
        yield


@cache
def eight(rows=120):
    return noisy_tree(7, (2,) * 8, rows).data


def of_the_paper(net, weights, rows, seed):
    """Six variables drawn from one of the paper's networks."""
    graph = bjp.networks.load(f"target-{net}")
    return bjp.sampling.random_model(graph, weights=weights, seed=seed).sample(rows, seed=seed)


def summed(data, method, probability):
    """Edge probabilities by a plain sum over all graphs, each weighted by its prior."""
    table = bjp.all_graphs(data, method)
    pairs = data.n * (data.n - 1) // 2
    total, mass = 0.0, np.zeros((data.n, data.n))
    for number, score in enumerate(table.scores - table.scores.max()):
        graph = table.graph(number)
        edges = graph.number_of_edges()
        weight = np.exp(score) * probability**edges * (1 - probability) ** (pairs - edges)
        total += weight
        mass += weight * nx.to_numpy_array(graph, range(data.n))
    return mass / total


# Of this one, a single flip at a time misses a mode with up to 3/4 of the probability.
TWO_MODES = (5, "clique-potentials", 8000, 10)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("which", "method"),
    [
        ((1, "clique-log-weights", 30, 0), "bjp"),
        (TWO_MODES, "bjp"),
        ((4, "clique-potentials", 250, 100), "bjp"),
        ((6, "log-odds", 250, 5), "ib"),
        ((4, "clique-log-weights", 4000, 21), "mpl"),
        ((2, "clique-potentials", 1000, 7), "near"),
    ],
    ids=str,
)
def test_six_variables(which, method):
    data = of_the_paper(*which)
    # Half of the usual draws.
    found = posterior_edges(data, method, how="mcmc", draws=1000)
    off = np.abs(found.matrix - bjp.all_graphs(data, method).edge_probabilities)
    assert off.max() <= 0.02
    # The errors are as large as the record says.
    assert (off <= 5 * found.error + 1e-3).all()
    assert (found.diagnostics.converged, found.made, found.complete) == (True, 4000, True)


def test_without_temperatures_the_chains_miss_a_mode_and_say_so():
    data = of_the_paper(*TWO_MODES)
    found = posterior_edges(data, how="mcmc", temperatures=1)
    assert np.abs(found.matrix - bjp.all_graphs(data).edge_probabilities).max() > 0.1
    assert (found.diagnostics.converged, found.diagnostics.swapped) == (False, None)


@pytest.mark.slow
def test_flips_on_the_board_draw_from_the_same(monkeypatch):
    monkeypatch.setattr(posterior, "MOST_LOOKED_UP", 0)
    data = noisy_tree(5, (2, 3, 2, 2), 20).data
    options = {"draws": 500, "thin": 3, "temperatures": 3, "edge_probability": 0.2}
    for method in METHODS:
        exact = summed(data, method, 0.2)
        found = posterior_edges(data, method, how="mcmc", **options)
        assert np.abs(found.matrix - exact).max() <= 0.04, method
        assert exact.max(initial=0, where=exact < 0.95) > 0.05, method


def test_the_prior_over_structures_counts():
    data = noisy_tree(8, (2, 2, 3, 2), 40).data
    for method in METHODS:
        expected = summed(data, method, 0.1)
        assert np.abs(expected - summed(data, method, 0.5)).max() > 0.05, method
        for prior in ({"edge_probability": 0.1}, {"expected_degree": 0.3}):
            exact = posterior_edges(data, method, **prior)
            assert exact.kind == "exact"
            assert exact.matrix == pytest.approx(expected, abs=1e-9), (method, prior)
            found = posterior_edges(data, method, how="mcmc", draws=500, **prior)
            assert np.abs(found.matrix - exact.matrix).max() <= 0.02, (method, prior)
    # And one that is estimated from the data.
    estimated = bjp.learn(data, "bjp", edge_probability="data", search="ibmap-hc")
    known = estimated.structure.edge_probability
    assert isinstance(known, float)
    found = posterior_edges(data, edge_probability="data")
    assert found.matrix == pytest.approx(summed(data, "bjp", known), abs=1e-9)


def test_auto_is_exact_up_to_a_number_of_variables_and_draws_beyond():
    data = noisy_tree(2, (2, 3, 2, 2, 2), 90).data
    for method in METHODS:
        options = {} if method == "mpl" else {"prior": 0.7}
        found = posterior_edges(data, method, **options)
        assert (found.matrix == bjp.all_graphs(data, method, **options).edge_probabilities).all()
        assert (found.kind, found.error, found.diagnostics) == ("exact", None, None)
        assert dict(found.options) == options
    many = noisy_tree(2, (2,) * (MOST_VARIABLES + 1), 50).data
    assert posterior_edges(many, draws=50).kind == "mcmc"
    assert_refused(DataError, "variables", posterior_edges, many, how="exact")


@pytest.mark.parametrize("most", [0, 12])
def test_threads_and_the_draws_of_a_call_change_nothing(most, monkeypatch):
    # How many draws a call makes depends on how fast the machine is just now.
    monkeypatch.setattr(posterior, "MOST_LOOKED_UP", most)
    data = random_sample(12, (2, 2, 3, 2, 2), 80).data
    for method in METHODS:
        made = []
        for patience, n_jobs, seed in ((1e-9, 1, 3), (1e-9, 2, 3), (10.0, 2, 3), (10.0, 2, 4)):
            monkeypatch.setattr(posterior, "_PATIENCE", patience)
            options = {"draws": 40, "seed": seed, "n_jobs": n_jobs}
            made.append(posterior_edges(data, method, how="mcmc", **options))
        one, *others, seeded = made
        for other in others:
            assert (one.matrix == other.matrix).all(), method
            assert (one.error == other.error).all(), method
            assert one.diagnostics == other.diagnostics, method
        assert (one.matrix != seeded.matrix).any(), method


def test_without_rows_or_pairs():
    nothing = bjp.Dataset.from_codes(np.zeros((0, 4), dtype=int), cardinalities=(2, 3, 2, 2))
    for method in ("bjp", "ib"):
        found = posterior_edges(nothing, method, how="mcmc")
        assert found.matrix[np.triu_indices(4, 1)] == pytest.approx(0.5, abs=1e-9), method
    for n in (1, 2):
        hardly = bjp.Dataset.from_codes(np.zeros((5, n), dtype=int))
        found = posterior_edges(hardly, how="mcmc", draws=20)
        assert (found.matrix.shape, found.diagnostics is None) == ((n, n), False)


@pytest.mark.parametrize("method", METHODS)
def test_both_keep_scores_and_graphs_together(method):
    data, prior = random_sample(5, (2, 3, 2, 2), 40).data, {"edge_probability": 0.3}
    problem, start = pose(data, method, prior), np.zeros((4, 4), dtype=bool)
    plan, seed = Plan(24, 60, 3, 2), np.random.SeedSequence(9)
    for sampler in (
        LookUpSampler(every_score(problem), start, 3, seed),
        FlipSampler(problem, start, 3, seed),
    ):
        chain = Chain(sampler, plan, 6)
        chain.warm(24)
        chain.draw(25)
        chain.draw(35)
        tally = chain.tally
        present = np.unpackbits(tally.present, axis=1, count=6).astype(bool)
        assert tally.made == 60
        assert (tally.edges == present.sum(axis=1)).all()
        assert (tally.tried.sum(axis=0) == 120).all()
        for row, score in zip(present, tally.score, strict=True):
            graph = nx.empty_graph(4)
            graph.add_edges_from(compress(combinations(range(4), 2), row))
            assert score == pytest.approx(bjp.score(data, graph, method, **prior).total, rel=1e-9)


def test_of_many_pairs_a_sweep_tries_some():
    data = noisy_tree(1, (2,) * 30, 100).data
    start = np.zeros((30, 30), dtype=bool)
    sampler = FlipSampler(pose(data, "mpl", {}), start, 1, np.random.SeedSequence(1))
    chain = Chain(sampler, Plan(24, 16, 1), 435)
    chain.warm(24)
    chain.draw(16)
    tried = chain.tally.tried.sum(axis=0)
    assert len(tried) == 435
    assert 200 < tried.sum() / 16 < 310
    assert tried.max() == 16
    assert np.isfinite(pool([chain.tally], 30)[0]).all()


def test_starts_are_learned_empty_dense_and_random():
    data = noisy_tree(6, (2,) * 8, 200).data
    problem = pose(data, "bjp", {})
    starts = np.array([*islice(dispersed_starts(problem, {}, np.random.default_rng(0)), 6)])
    assert (starts[0] == to_adjacency(bjp.learn(data, "bjp", "auto").graph, data)).all()
    assert (starts[1].any(), starts[2].any()) == (False, True)
    assert len({start.tobytes() for start in starts}) >= 5
    assert (starts == starts.transpose(0, 2, 1)).all()
    assert not np.diagonal(starts, axis1=1, axis2=2).any()


def test_temperatures_step_at_equal_distances_in_the_barrier():
    # Half of the way's refusals lie in its first tenth.
    ladder = respaced(np.array([1.0, 0.9, 0.0]), np.array([0.5, 0.5]))
    assert ladder.tolist() == [1, pytest.approx(0.9), 0]
    # Where all is refused, they draw together.
    ladder = np.array([1.0, 0.5, 0.25, 0.0])
    assert (respaced(ladder, np.ones(3))[1:] > ladder[1:]).all()
    # Where nothing is, they reach all graphs.
    free = Ladder(4)
    for _ in range(12):
        free.tried += 1
        free.respace()
    assert free.betas[-1] == 0
    assert (np.diff(free.betas) < 0).all()
    assert free.least_accepted() == 1
    alone = Ladder(1)
    alone.respace()
    assert alone.betas.tolist() == [1]


def test_temperatures_are_spaced_twelve_times_however_the_warm_up_is_cut():
    for length in (1, 5, 12, 100, 999):
        sampler = Mock(at_once=64)
        chain = Chain(sampler, Plan(length, 8, 2), 3)
        for part in (1, length // 2, length - 1 - length // 2):
            chain.warm(part)
        drawn = [call.args[0] for call in sampler.sweep.call_args_list]
        assert (sum(drawn), sampler.adapt.call_count) == (length, min(length, 12))


def test_shares_of_a_sweep_add_up():
    doubt = np.random.default_rng(0).random(4000) ** 8
    found = shares(doubt)
    assert found.sum() == pytest.approx(256)
    assert found.max() <= 1
    assert found.min() > 0
    assert (np.argsort(found, kind="stable")[-10:] == np.argsort(doubt)[-10:]).mean() > 0.5


def test_means_are_weighted_by_how_often_each_was_tried():
    tallies = [Tally(40, 3) for _ in range(2)]
    tallies[0].chance[0], tallies[0].tried[0] = [3.0, 0.0, 0.0], [4.0, 1.0, 0.0]
    tallies[1].chance[0], tallies[1].tried[0] = [0.0, 0.0, 0.0], [1.0, 1.0, 0.0]
    for tally in tallies:
        for k in range(4):
            tally.add(np.array([False, False, k % 2 == 0]), 0.0)
    matrix, error = pool(tallies, 3)
    # Pairs 01, 02 and 12; the last was never tried, so that its frequency is taken.
    assert matrix.tolist() == [[0, 0.6, 0], [0.6, 0, 0.5], [0, 0.5, 0]]
    assert error[0, 1] > 0 == error[0, 2]


def test_the_error_of_independent_draws():
    rng = np.random.default_rng(0)
    tallies = [Tally(2000, 1) for _ in range(4)]
    for tally in tallies:
        for x in rng.random(2000):
            tally.count(slice(None), np.array([x]))
            tally.add(np.array([True]), 0.0)
    _, error = pool(tallies, 2)
    expected = np.sqrt(1 / 12 / 8000)
    assert expected / 1.5 < error[0, 1] < 2 * expected


def test_progress_and_what_counts_when_the_time_is_over():
    seen = []
    progress = Progress(lambda *now: seen.append(now))
    posterior_edges(eight(), how="mcmc", draws=40, chains=2, progress=progress)
    assert (seen[-1], seen) == ((120, 120), sorted(seen))
    # It is over before the first draw; the fewest that count are made all the same.
    found = posterior_edges(eight(), draws=10**5, thin=100, seconds=1e-6)
    assert (found.ended, found.diagnostics.draws * 4) == (Ended.TIME, found.made)
    assert 8 * 4 <= found.made < found.asked == 4 * 10**5


def test_cancelled():
    asked, made = iter(range(10**9)), []
    in_warm_up = Progress(cancelled=lambda: next(asked) > 40)
    at_once = Progress(cancelled=lambda: True)
    for options in (
        {"draws": 10**4, "thin": 10**2, "progress": in_warm_up},
        {"how": "exact", "progress": at_once},
        {"how": "mcmc", "progress": at_once},
    ):
        with pytest.raises(Cancelled):
            posterior_edges(eight().select(range(5 if "how" in options else 8)), **options)
    # Later, what was drawn counts.
    later = Progress(lambda done, _: made.append(done), lambda: bool(made) and made[-1] > 4 * 50)
    found = posterior_edges(eight(), draws=10**5, warm_up=10, progress=later)
    assert found.ended is Ended.CANCELLED
    assert 4 * 40 < found.made < found.asked


def test_arguments_that_are_refused():
    cases = "how='exakt' method='xyz' seed=-1 chains=0 draws=7 thin=0 warm_up=-1 warm_up=1.5"
    cases += " temperatures=0 seconds=0 n_jobs=0 prior=2"
    assert_options_refused(cases, posterior_edges, eight(20))
    for name in ("gama", "edge_probability"):
        assert_refused(OptionError, name, posterior_edges, eight(20), **{name: 1})
    assert_refused(DataError, "give a DataFrame", posterior_edges, "table.csv")
