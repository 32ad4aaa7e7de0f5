"""Posterior edge probabilities: Markov chains against the sum over all graphs, and their record."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.confidence import Ended, posterior
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
from tests.strategies import noisy_tree, random_sample

METHODS = ("bjp", "ib", "mpl", "near")
WEIGHTS = ("clique-log-weights", "clique-potentials", "log-odds")


def benchmark(net: int, weights: str, rows: int, seed: int) -> bjp.Dataset:
    """Six variables drawn from one of the paper's networks."""
    graph = bjp.networks.load(f"target-{net}")
    return bjp.sampling.random_model(graph, weights=weights, seed=seed).sample(rows, seed=seed)


def summed(data: bjp.Dataset, method: str, probability: float) -> np.ndarray:
    """Edge probabilities by a plain sum over all graphs, each weighted by its prior."""
    table = bjp.all_graphs(data, method)
    total, mass = 0.0, np.zeros((data.n, data.n))
    for number, score in enumerate(table.scores - table.scores.max()):
        graph = table.graph(number)
        edges = graph.number_of_edges()
        pairs = data.n * (data.n - 1) // 2
        weight = np.exp(score) * probability**edges * (1 - probability) ** (pairs - edges)
        total += weight
        for x, y in graph.edges:
            mass[x, y] += weight
            mass[y, x] += weight
    return mass / total


# Of some, a single flip at a time from a single start misses a mode that has up to 3/4 of the
# probability: see `TestWithoutTemperatures`.
TEN = [
    (1, "clique-log-weights", 30, 0),
    (6, "log-odds", 250, 5),
    (2, "clique-potentials", 1000, 7),
    (5, "clique-potentials", 8000, 10),
    (4, "clique-log-weights", 4000, 21),
    (5, "clique-potentials", 8000, 22),
    (3, "log-odds", 100, 2),
    (4, "clique-potentials", 250, 100),
    (1, "clique-potentials", 2000, 101),
    (3, "clique-log-weights", 500, 102),
]


class TestAgainstTheSumOverAllGraphs:
    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("which", "method"),
        [(which, "bjp") for which in TEN] + [(TEN[k], m) for k in (1, 2, 4) for m in METHODS[1:]],
        ids=str,
    )
    def test_ten_datasets_of_six_variables(
        self, which: tuple[int, str, int, int], method: str
    ) -> None:
        data = benchmark(*which)
        exact = bjp.all_graphs(data, method).edge_probabilities
        # Half of the usual draws.
        found = bjp.confidence.posterior_edges(data, method, how="mcmc", draws=1000)
        assert np.abs(found.matrix - exact).max() <= 0.02
        assert found.error is not None
        # The errors it tells of are of the size of those it makes.
        assert (np.abs(found.matrix - exact) <= 5 * found.error + 1e-3).all()
        assert found.diagnostics is not None
        assert found.diagnostics.converged
        assert (found.made, found.complete) == (4000, True)

    @pytest.mark.slow
    @pytest.mark.parametrize("method", METHODS)
    def test_flips_on_the_board_draw_from_the_same(
        self, method: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(posterior, "MOST_LOOKED_UP", 0)
        data = noisy_tree(5, (2, 3, 2, 2), 20).data
        exact = summed(data, method, 0.2)
        options = {"draws": 1000, "thin": 3, "temperatures": 3, "edge_probability": 0.2}
        found = bjp.confidence.posterior_edges(data, method, how="mcmc", **options)
        assert np.abs(found.matrix - exact).max() <= 0.04
        assert exact.max(initial=0, where=exact < 0.95) > 0.05

    @pytest.mark.parametrize("method", METHODS)
    def test_the_prior_over_structures_counts(self, method: str) -> None:
        data = noisy_tree(8, (2, 2, 3, 2), 40).data
        expected = summed(data, method, 0.1)
        assert np.abs(expected - summed(data, method, 0.5)).max() > 0.05
        for prior in ({"edge_probability": 0.1}, {"expected_degree": 0.3}):
            exact = bjp.confidence.posterior_edges(data, method, **prior)
            assert exact.kind == "exact"
            assert exact.matrix == pytest.approx(expected, abs=1e-9)
            found = bjp.confidence.posterior_edges(data, method, how="mcmc", draws=500, **prior)
            assert np.abs(found.matrix - exact.matrix).max() <= 0.02

    def test_a_prior_estimated_from_the_data(self) -> None:
        data = noisy_tree(8, (2, 2, 2, 2), 60).data
        found = bjp.confidence.posterior_edges(data, edge_probability="data")
        known = bjp.learn(
            data, "bjp", edge_probability="data", search="ibmap-hc"
        ).structure.edge_probability
        assert isinstance(known, float)
        assert found.matrix == pytest.approx(summed(data, "bjp", known), abs=1e-9)

    @pytest.mark.parametrize("method", METHODS)
    def test_auto_is_exact_where_there_are_few_variables(self, method: str) -> None:
        data = noisy_tree(2, (2, 3, 2, 2, 2), 90).data
        options = {} if method == "mpl" else {"prior": 0.7}
        found = bjp.confidence.posterior_edges(data, method, **options)
        exact = bjp.all_graphs(data, method, **options).edge_probabilities
        assert (found.matrix == exact).all()
        assert (found.kind, found.error, found.diagnostics) == ("exact", None, None)
        assert dict(found.options) == options

    def test_auto_draws_where_there_are_more(self) -> None:
        data = noisy_tree(2, (2,) * (MOST_VARIABLES + 1), 50).data
        found = bjp.confidence.posterior_edges(data, draws=50)
        assert found.kind == "mcmc"
        with pytest.raises(DataError, match="variables"):
            bjp.confidence.posterior_edges(data, how="exact")

    @pytest.mark.slow
    def test_seven_variables(self) -> None:
        if MOST_VARIABLES < 7:
            pytest.skip("all graphs are scored on six variables at most")
        data = noisy_tree(4, (2, 3, 2, 2, 2, 3, 2), 300).data
        for method in METHODS:
            exact = bjp.confidence.posterior_edges(data, method, how="exact").matrix
            found = bjp.confidence.posterior_edges(data, method, how="mcmc", draws=1000).matrix
            assert np.abs(found - exact).max() <= 0.02


class TestWithoutTemperatures:
    def test_the_chains_miss_a_mode_and_say_so(self) -> None:
        data = benchmark(*TEN[3])
        exact = bjp.all_graphs(data).edge_probabilities
        found = bjp.confidence.posterior_edges(data, how="mcmc", temperatures=1)
        assert np.abs(found.matrix - exact).max() > 0.1
        assert found.diagnostics is not None
        assert not found.diagnostics.converged
        assert found.diagnostics.swapped is None


class TestInvariance:
    DATA = random_sample(12, (2, 2, 3, 2, 2), 80)

    @pytest.mark.parametrize("method", METHODS)
    def test_the_same_for_the_same_seed_and_any_number_of_threads(
        self, method: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        options = {"draws": 40, "how": "mcmc", "seed": 3}
        for most in (0, 12):
            monkeypatch.setattr(posterior, "MOST_LOOKED_UP", most)
            one = bjp.confidence.posterior_edges(self.DATA.data, method, n_jobs=1, **options)
            two = bjp.confidence.posterior_edges(self.DATA.data, method, n_jobs=2, **options)
            assert (one.matrix == two.matrix).all()
            assert (one.error == two.error).all()  # type: ignore[union-attr]
            assert one.diagnostics == two.diagnostics
            other = bjp.confidence.posterior_edges(self.DATA.data, method, **options | {"seed": 4})
            assert (one.matrix != other.matrix).any()

    @pytest.mark.parametrize("method", METHODS)
    @pytest.mark.parametrize("most", [0, 12])
    def test_the_same_whatever_is_made_at_once(
        self, method: str, most: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """How many draws a call makes depends on how fast the machine is just now."""
        monkeypatch.setattr(posterior, "MOST_LOOKED_UP", most)
        found = []
        for patience in (1e-9, 10.0):
            monkeypatch.setattr(posterior, "_PATIENCE", patience)
            found.append(
                bjp.confidence.posterior_edges(self.DATA.data, method, draws=40, how="mcmc", seed=3)
            )
        assert (found[0].matrix == found[1].matrix).all()
        assert found[0].diagnostics == found[1].diagnostics

    def test_variables_renumbered(self) -> None:
        order = [3, 0, 4, 1, 2]
        before = bjp.confidence.posterior_edges(self.DATA.data, "ib", how="mcmc", draws=1000).matrix
        after = bjp.confidence.posterior_edges(
            self.DATA.permuted_variables(order).data, "ib", how="mcmc", draws=1000
        ).matrix
        assert np.abs(after - before[np.ix_(order, order)]).max() <= 0.02

    @pytest.mark.parametrize("method", METHODS)
    def test_a_copy_and_a_coin(self, method: str) -> None:
        rng = np.random.default_rng(1)
        coin, other = rng.integers(2, size=(2, 600))
        data = bjp.Dataset.from_codes(np.column_stack([coin, coin, other]))
        found = bjp.confidence.posterior_edges(data, method, how="mcmc")
        assert found.of(0, 1).confidence > 0.999
        assert max(found.of(0, 2).confidence, found.of(1, 2).confidence) < 0.2

    @pytest.mark.parametrize("method", ["bjp", "ib"])
    def test_without_data_every_graph_is_alike(self, method: str) -> None:
        data = bjp.Dataset.from_codes(np.zeros((0, 4), dtype=int), cardinalities=(2, 3, 2, 2))
        found = bjp.confidence.posterior_edges(data, method, how="mcmc")
        assert found.matrix[np.triu_indices(4, 1)] == pytest.approx(0.5, abs=1e-9)

    @pytest.mark.parametrize("n", [1, 2])
    def test_hardly_any_pair(self, n: int) -> None:
        data = bjp.Dataset.from_codes(np.zeros((5, n), dtype=int))
        found = bjp.confidence.posterior_edges(data, how="mcmc", draws=20)
        assert found.matrix.shape == (n, n)
        assert found.diagnostics is not None


class TestTheTwoKindsOfChain:
    """The look-ups against the flips of every other search."""

    @pytest.mark.parametrize("method", METHODS)
    def test_have_the_same_scores(self, method: str) -> None:
        data = random_sample(3, (2, 3, 2, 4, 2), 50).data
        problem = pose(data, method, {"edge_probability": 0.3})
        scores = every_score(problem)
        rng = np.random.default_rng(0)
        for _ in range(20):
            upper = np.triu(rng.random((5, 5)) < 0.5, 1)
            start = upper | upper.T
            sampler = LookUpSampler(scores, start, 1, np.random.SeedSequence(0))
            graph = bjp.graph.to_graph(start, data.names)
            expected = bjp.score(data, graph, method, edge_probability=0.3).total
            assert sampler.copies.score[0] == pytest.approx(expected, rel=1e-10)

    @pytest.mark.parametrize("method", METHODS)
    def test_keep_scores_and_graphs_together(self, method: str) -> None:
        data = random_sample(5, (2, 3, 2, 2), 40).data
        problem = pose(data, method, {})
        start = np.zeros((4, 4), dtype=bool)
        plan, seed = Plan(24, 60, 3, 2), np.random.SeedSequence(9)
        samplers = [
            LookUpSampler(every_score(problem), start, 3, seed),
            FlipSampler(problem, start, 3, seed),
        ]
        for sampler in samplers:
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
                matrix = np.zeros((4, 4), dtype=bool)
                matrix[np.triu_indices(4, 1)] = row
                graph = bjp.graph.to_graph(matrix | matrix.T, data.names)
                assert score == pytest.approx(bjp.score(data, graph, method).total, rel=1e-9)

    def test_of_many_pairs_a_sweep_tries_some(self) -> None:
        data = noisy_tree(1, (2,) * 30, 100).data
        problem = pose(data, "mpl", {})
        plan = Plan(24, 16, 1)
        start = np.zeros((30, 30), dtype=bool)
        chain = Chain(FlipSampler(problem, start, 1, np.random.SeedSequence(1)), plan, 435)
        chain.warm(24)
        chain.draw(16)
        tried = chain.tally.tried.sum(axis=0)
        assert len(tried) == 435
        assert 200 < tried.sum() / 16 < 310
        assert tried.max() == 16
        found, _ = pool([chain.tally], 30)
        assert np.isfinite(found).all()


class TestStarts:
    def test_are_learned_empty_dense_and_random(self) -> None:
        data = noisy_tree(6, (2,) * 8, 200).data
        problem = pose(data, "bjp", {})
        starts = [*islice(dispersed_starts(problem, {}, np.random.default_rng(0)), 6)]
        assert (starts[0] == to_adjacency(bjp.learn(data, "bjp", "auto").graph, data)).all()
        assert not starts[1].any()
        assert starts[2].any()
        assert len({start.tobytes() for start in starts}) >= 5
        for start in starts:
            assert (start == start.T).all()
            assert not start.diagonal().any()


class TestLadder:
    def test_steps_at_equal_distances_in_the_barrier(self) -> None:
        # Half of the way's refusals lie in its first tenth.
        ladder = respaced(np.array([1.0, 0.9, 0.0]), np.array([0.5, 0.5]))
        assert ladder[0] == 1
        assert ladder[1] == pytest.approx(0.9)
        assert ladder[2] == 0

    def test_where_all_is_refused_it_draws_together(self) -> None:
        ladder = np.array([1.0, 0.5, 0.25, 0.0])
        closer = respaced(ladder, np.ones(3))
        assert (closer[1:] > ladder[1:]).all()

    def test_where_nothing_is_refused_it_reaches_all_graphs(self) -> None:
        ladder = Ladder(4)
        for _ in range(12):
            ladder.tried += 1
            ladder.respace()
        assert ladder.betas[-1] == 0
        assert (np.diff(ladder.betas) < 0).all()
        assert ladder.least_accepted() == 1

    def test_a_single_copy_stays(self) -> None:
        ladder = Ladder(1)
        ladder.respace()
        assert ladder.betas.tolist() == [1]

    @pytest.mark.parametrize("length", [1, 5, 12, 100, 999])
    def test_it_is_spaced_so_often(self, length: int) -> None:
        class Counter:
            at_once = 64
            draws = adapted = 0

            def sweep(self, draws: int, thin: int, ladder: Ladder, tally: Tally | None) -> None:
                self.draws += draws

            def adapt(self) -> None:
                self.adapted += 1

        counter = Counter()
        chain = Chain(counter, Plan(length, 8, 2), 3)
        for part in (1, length // 2, length - 1 - length // 2):
            chain.warm(part)
        assert (counter.draws, counter.adapted) == (length, min(length, 12))

    def test_shares_add_up(self) -> None:
        doubt = np.random.default_rng(0).random(4000) ** 8
        found = shares(doubt)
        assert found.sum() == pytest.approx(256)
        assert found.max() <= 1
        assert found.min() > 0
        assert (np.argsort(found, kind="stable")[-10:] == np.argsort(doubt)[-10:]).mean() > 0.5


class TestPooling:
    def test_means_weighted_by_how_often_each_was_tried(self) -> None:
        tallies = [Tally(40, 3) for _ in range(2)]
        tallies[0].chance[0] = [3.0, 0.0, 0.0]
        tallies[0].tried[0] = [4.0, 1.0, 0.0]
        tallies[1].chance[0] = [0.0, 0.0, 0.0]
        tallies[1].tried[0] = [1.0, 1.0, 0.0]
        for tally in tallies:
            for k in range(4):
                tally.add(np.array([False, False, k % 2 == 0]), 0.0)
        matrix, error = pool(tallies, 3)
        # Pairs 01, 02 and 12; the last was never tried, so that its frequency is taken.
        assert matrix.tolist() == [[0, 0.6, 0], [0.6, 0, 0.5], [0, 0.5, 0]]
        assert error[0, 1] > 0
        assert error[0, 2] == 0

    def test_the_error_of_independent_draws(self) -> None:
        rng = np.random.default_rng(0)
        tallies = [Tally(2000, 1) for _ in range(4)]
        for tally in tallies:
            for x in rng.random(2000):
                tally.count(slice(None), np.array([x]))
                tally.add(np.array([True]), 0.0)
        _, error = pool(tallies, 2)
        expected = np.sqrt(1 / 12 / 8000)
        assert expected / 1.5 < error[0, 1] < 2 * expected


class TestEnding:
    DATA = noisy_tree(7, (2,) * 8, 120).data

    def test_progress_reaches_the_end(self) -> None:
        told: list[tuple[int, int]] = []
        bjp.confidence.posterior_edges(
            self.DATA,
            how="mcmc",
            draws=40,
            chains=2,
            progress=Progress(lambda *now: told.append(now)),
        )
        assert told[-1] == (120, 120)
        assert told == sorted(told)

    def test_when_the_time_is_over_what_was_drawn_counts(self) -> None:
        found = bjp.confidence.posterior_edges(self.DATA, draws=10**5, thin=10**3, seconds=0.5)
        assert found.ended is Ended.TIME
        assert 8 * 4 <= found.made < found.asked == 4 * 10**5
        assert found.seconds < 20
        assert found.diagnostics is not None
        assert found.diagnostics.draws * 4 == found.made

    def test_cancelled_in_the_warm_up(self) -> None:
        asked = iter(range(10**9))
        with pytest.raises(Cancelled):
            bjp.confidence.posterior_edges(
                self.DATA,
                draws=10**4,
                thin=10**2,
                progress=Progress(cancelled=lambda: next(asked) > 40),
            )

    def test_cancelled_later_what_was_drawn_counts(self) -> None:
        made: list[int] = []
        found = bjp.confidence.posterior_edges(
            self.DATA,
            draws=10**5,
            warm_up=10,
            progress=Progress(
                lambda done, _: made.append(done), lambda: bool(made) and made[-1] > 4 * 50
            ),
        )
        assert found.ended is Ended.CANCELLED
        assert 4 * 40 < found.made < found.asked

    @pytest.mark.parametrize("how", ["exact", "mcmc"])
    def test_cancelled_before_it_began(self, how: str) -> None:
        data = self.DATA.select(range(5))
        with pytest.raises(Cancelled):
            bjp.confidence.posterior_edges(data, how=how, progress=Progress(cancelled=lambda: True))  # type: ignore[arg-type]


class TestRefusals:
    DATA = noisy_tree(7, (2,) * 8, 20).data

    @pytest.mark.parametrize(
        ("wrong", "said"),
        [
            ({"how": "exakt"}, "how="),
            ({"method": "xyz"}, "method="),
            ({"seed": -1}, "seed="),
            ({"chains": 0}, "chains="),
            ({"draws": 7}, "draws="),
            ({"thin": 0}, "thin="),
            ({"warm_up": -1}, "warm_up="),
            ({"warm_up": 1.5}, "warm_up="),
            ({"temperatures": 0}, "temperatures="),
            ({"seconds": 0}, "seconds="),
            ({"n_jobs": 0}, "n_jobs="),
            ({"gama": 1}, "gama"),
            ({"prior": 2}, "prior="),
            ({"edge_probability": 1}, "edge_probability="),
        ],
    )
    def test_name_the_argument(self, wrong: dict[str, object], said: str) -> None:
        with pytest.raises(OptionError, match=said):
            bjp.confidence.posterior_edges(self.DATA, **wrong)  # type: ignore[arg-type]

    def test_no_dataset(self) -> None:
        with pytest.raises(DataError, match="give a DataFrame"):
            bjp.confidence.posterior_edges("table.csv")  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def _no_warning_is_lost() -> Iterator[None]:
    with np.errstate(all="warn", under="ignore"):
        yield
