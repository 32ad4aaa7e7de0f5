"""The exact search: against all graphs, against another solver, and when it is stopped."""

import itertools
import math

import networkx as nx
import numpy as np
import pytest
from scipy import optimize, sparse

import bjp_engine as bjp
from bjp_engine.errors import Cancelled, DataError
from bjp_engine.kernels.compiled import kernel
from bjp_engine.kernels.relaxed import Candidates, drop, marginals, new_halves, tighten
from bjp_engine.scores.structure import blanket_odds
from bjp_engine.search import StopReason
from bjp_engine.search.exact import values_of
from bjp_engine.search.problem import pose
from bjp_engine.search.programme import Programme, masks_of
from tests import oracles
from tests.refusals import assert_refused
from tests.strategies import edges_in, random_sample

METHODS = ("mpl", "ib")
WEIGHTS = ("log-odds", "clique-potentials", "clique-log-weights")


def network_data(seed, n, rows, density, most=2):
    """Samples of a random network; `most` states a variable."""
    states = np.random.default_rng(seed).integers(2, most + 1, n).tolist()
    graph = nx.gnp_random_graph(n, density, seed=seed)
    model = bjp.sampling.random_model(graph, WEIGHTS[seed % 3], seed=seed, states=states)
    return model.sample(rows, seed=seed)


def random_odds(seed, n):
    half = np.random.default_rng(seed).normal(size=(n, n))
    return half + half.T


def graphs_on(n):
    blankets = [[oracles.blanket(edges, x) for x in range(n)] for edges in oracles.all_graphs(n)]
    return [np.array([sum(1 << i for i in one) for one in graph]) for graph in blankets]


def sum_of_parts(values, masks):
    return math.fsum(values[np.arange(len(masks)), masks].tolist())


def random_values(seed, n):
    """Parts that come from no data: of every size, in some tables with many ties."""
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(n, 1 << n)) * rng.choice([0.01, 1, 100])
    return np.round(values) if seed % 3 == 0 else values


def solve(values, odds=None):
    programme = Programme(values if odds is None else values + blanket_odds(odds))
    programme.prove()
    return programme


class TestProgramme:
    @pytest.mark.parametrize("n", [1, 2, 3, 4, 5])
    def test_any_parts_against_every_graph(self, n):
        graphs = graphs_on(n)
        for seed in range(60):
            values, odds = random_values(seed, n), (seed % 2) * random_odds(seed, n)
            found, totals = solve(values, odds), []
            for masks in (*graphs, masks_of(found.adjacency)):
                ends = [(i, j) for i in range(n) for j in range(i) if masks[i] >> j & 1]
                prior = math.fsum(odds[i, j] for i, j in ends)
                totals.append(sum_of_parts(values, masks) + prior)
            best = pytest.approx(max(totals), rel=1e-11, abs=1e-9)
            assert (found.score, totals[-1]) == (best, best), seed
            assert (found.adjacency == found.adjacency.T).all()

    @pytest.mark.slow
    def test_another_solver_finds_the_same(self):
        # The programme with all of its blankets, handed to HiGHS.
        cases = [random_values(seed, n) for n, seed in ((6, 1), (7, 7), (8, 5), (8, 7))]
        assert all(solve(values).nodes > 10 for values in cases)
        cases.append(parts_by_name(random_sample(4, (2, 3, 2, 2, 2, 3, 2), 80), "mpl"))
        for values in cases:
            assert solve(values).score == pytest.approx(by_highs(values), rel=1e-8, abs=1e-5)

    def test_the_bound_holds_at_every_moment(self):
        values = random_values(4, 9)
        best = solve(values).score
        programme, bounds = Programme(values), []
        while programme.settle():
            bounds.append(programme.bound)
        while programme.branch(nodes=1):
            bounds.append(programme.bound)
        assert len(bounds) > 50
        assert min(bounds) >= best - 1e-9
        assert all(after <= before + 1e-9 for before, after in itertools.pairwise(bounds))
        assert programme.finished
        assert programme.bound == programme.score == pytest.approx(best)
        programme = Programme(values)
        programme.branch(nodes=3)
        assert (programme.nodes, programme.finished) == (3, False)
        # Among equals nothing is undecided.
        found = solve(np.zeros((6, 64)))
        assert (found.score, found.nodes) == (0.0, 0)


def by_highs(values):
    """max Σ f x where each variable has one blanket and each pair agrees."""
    n = len(values)
    columns = [(j, mask) for j in range(n) for mask in range(1 << n) if not mask >> j & 1]
    rows = {pair: n + p for p, pair in enumerate(oracles.pairs(n))}
    entries = [(j, c, 1.0) for c, (j, _) in enumerate(columns)]
    for c, (j, mask) in enumerate(columns):
        for i in range(n):
            if mask >> i & 1:
                # The end that comes first counts up, the other down.
                entries += [(rows[min(i, j), max(i, j)], c, 1.0 if j < i else -1.0)]
    row, column, value = zip(*entries, strict=True)
    matrix = sparse.csr_array((value, (row, column)), shape=(n + len(rows), len(columns)))
    right = np.array([1.0] * n + [0.0] * len(rows))
    constraints, every = optimize.LinearConstraint(matrix, right, right), np.ones(len(columns))
    gains = [-values[j, mask] for j, mask in columns]
    limits = {"bounds": optimize.Bounds(0, 1), "options": {"mip_rel_gap": 0}}
    found = optimize.milp(gains, integrality=every, constraints=constraints, **limits)
    assert found.success
    return -float(found.fun)


@kernel
def bound_and_drop(candidates, end, multipliers, floor):
    n = len(end)
    chosen, best, halves = np.zeros(n, dtype=np.int64), np.empty((2, n, n)), new_halves(n)
    least = tighten(candidates, end, multipliers, chosen, floor, 15)
    bound = marginals(candidates, end, multipliers, halves, best)
    return least, bound, drop(candidates, end, multipliers, best, halves, floor)


def test_no_graph_is_above_the_bound_or_loses_its_blankets():
    # The two lines of `bjp_engine.kernels.relaxed` that the proof rests on.
    graphs_of = {n: graphs_on(n) for n in range(2, 6)}
    for seed in range(40):
        n = 2 + seed % 4
        rng, values = np.random.default_rng(seed), random_values(seed, n)
        totals = np.array([sum_of_parts(values, masks) for masks in graphs_of[n]])
        floor = float(np.quantile(totals, rng.random()))
        masks = np.concatenate([np.flatnonzero(np.arange(1 << n) >> j & 1 == 0) for j in range(n)])
        begin, owner = np.arange(n + 1) * (1 << n - 1), np.repeat(np.arange(n), 1 << n - 1)
        candidates = Candidates(masks.astype(np.int32), values[owner, masks], begin)
        multipliers = rng.normal(size=(n, n))
        multipliers -= multipliers.T
        end = begin[1:].copy()
        least, bound, dropped = bound_and_drop(candidates, end, multipliers, floor)
        assert least == pytest.approx(bound, rel=1e-12, abs=1e-12), seed
        assert bound >= totals.max() - 1e-9, seed
        assert multipliers == pytest.approx(-multipliers.T), seed
        left = [set(candidates.masks[begin[j] : end[j]].tolist()) for j in range(n)]
        for graph, total in zip(graphs_of[n], totals, strict=True):
            if total > floor + 1e-9:
                assert all(int(graph[j]) in left[j] for j in range(n)), seed
        if dropped >= 0:
            assert dropped == len(masks) - sum(map(len, left)), seed
    programme = Programme(random_values(1, 8))
    before = programme.left
    programme.settle()
    assert 0 < programme.left < before


def parts_by_name(sample, method, odds=0.0):
    """f_j(B) from traces of single local scores or tests."""
    data, n = sample.data, sample.n
    values, odds = np.zeros((n, 1 << n)), np.zeros((n, n)) + odds
    for j, mask in itertools.product(range(n), range(1 << n)):
        if mask >> j & 1:
            continue
        members = [i for i in range(n) if mask >> i & 1]
        terms = [odds[j, members].sum() / 2]
        if method == "mpl":
            terms.append(bjp.scores.local_trace(data, j, members).value)
        else:
            for y in set(range(n)) - {j}:
                test = bjp.independence_test(data, j, y, [z for z in members if z != y])
                terms.append(test.log_dependent if y in members else test.log_independent)
        values[j, mask] = math.fsum(terms)
    return values


def test_parts_are_single_traces():
    def computed(data, method, **options):
        problem = pose(data, method, options)
        sums = problem.score.blanket_sums(data, problem.score_options)
        for begin in range(0, 1 << data.n, 3):
            sums.count(begin, min(begin + 3, 1 << data.n))
        return values_of(problem, sums)

    for *cards, rows in (
        (2, 2, 2, 2, 2, 300), (2, 3, 4, 2, 5, 40), (3, 40, 2, 7, 200), (2, 2, 2, 0), (2, 9)
    ):  # fmt: skip
        sample = random_sample(len(cards), tuple(cards), rows)
        n, odds = sample.n, random_odds(1, sample.n)
        others = [np.arange(1 << n) >> j & 1 == 0 for j in range(n)]
        for method in METHODS:
            values = computed(sample.data, method, log_odds=odds)[others]
            truth = pytest.approx(parts_by_name(sample, method, odds)[others], rel=1e-9, abs=1e-9)
            assert values == truth, (cards, method)
    data = random_sample(1, (2, 3, 2), 50).data
    expected = bjp.scores.local_trace(data, 1, [0, 2], ess=7.5).value
    assert computed(data, "mpl", ess=7.5)[1, 0b101] == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("n", range(1, 8))
def test_of_all_graphs_the_best(n):
    for method, seed in itertools.product(METHODS, range(4 if n == 7 else 8)):
        rows = (1, 30, 150, 600)[seed % 4]
        data = network_data(10 * n + seed, n, rows, (0.2, 0.6)[seed % 2], 2 + seed % 3)
        options = {"log_odds": 2 * random_odds(seed, n)} if seed % 2 else {}
        trace = bjp.learn(data, method, "exact", **options)
        table = bjp.all_graphs(data, method, **options)
        top = pytest.approx(float(table.scores.max()), rel=1e-11, abs=1e-9)
        assert (trace.score, table.scores[table.number(trace.graph)]) == (top, top), (method, seed)
        assert (trace.bound, trace.stop_reason) == (trace.score, StopReason.PROVEN)


def test_stopped_before_the_proof_and_refused():
    # Twelve variables and few rows: dozens of nodes.
    data, seen = network_data(3, 12, 100, 0.2), []
    watch = bjp.Progress(report=lambda *done: seen.append(done))
    whole = bjp.learn(data, "ib", "exact", progress=watch)
    assert whole.stop_reason is StopReason.PROVEN
    assert whole.evaluations > 20
    assert edges_in(whole.start) == edges_in(whole.graph)
    for start in ("empty", "mpl-or"):
        assert bjp.learn(data, "ib", "ibmap-hc", start=start).score <= whole.score + 1e-9
    sets = [done for done, of in seen if of == 1 << 12]
    assert sets == sorted(sets)
    assert len(sets) > 100
    for nodes in (1, 10):
        trace = bjp.learn(data, "ib", "exact", evaluations=nodes)
        assert trace.stop_reason is StopReason.EVALUATIONS
        assert trace.evaluations <= nodes
        assert trace.score <= whole.score <= trace.bound + 1e-9
        assert trace.bound > trace.score == bjp.score(data, trace.graph, "ib").total
    trace = bjp.learn(data, "ib", "exact", seconds=1e-9)
    assert (trace.stop_reason, trace.bound, trace.evaluations) == (StopReason.TIME, None, 0)

    def cancelled_after(times):
        asked = itertools.count()
        return bjp.Progress(cancelled=lambda: next(asked) >= times)

    assert_refused(Cancelled, "", bjp.learn, data, "ib", "exact", progress=cancelled_after(2))
    for patience in (100, 300):
        trace = bjp.learn(data, "ib", "exact", progress=cancelled_after(patience))
        assert (trace.stop_reason, trace.bound) == (StopReason.CANCELLED, None)
        assert 0 < trace.tests < 66 * 1024
        assert trace.score == bjp.score(data, trace.graph, "ib").total

    wide = bjp.Dataset.from_codes(np.zeros((3, 21), dtype=int), cardinalities=[2] * 21)
    assert_refused(DataError, r"21 variables.* at most 20", bjp.learn, wide, "mpl", "exact")
