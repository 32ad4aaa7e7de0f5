"""Counts that are asked for: against plain counting, and against the same rows held as codes."""

import pickle
from collections import Counter
from itertools import count, pairwise

import mpmath
import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine.confidence import edge_probabilities, posterior_edges
from bjp_engine.contingency import CrossTally, Layers, Request, requests_for
from bjp_engine.counters.planes import PlanesPart
from bjp_engine.counters.sums import Sum, by_bits
from bjp_engine.dataset import CountedDataset, Dataset
from bjp_engine.errors import DataError, OptionError
from bjp_engine.progress import Progress
from bjp_engine.scores import local_trace
from bjp_engine.search import StopReason
from tests.refusals import assert_refused

CARDS = (2, 3, 2, 9, 300, 4, 2)


def rows_of(seed, size=400):
    """Rows in which neighbours agree more often than not; the last state of each column is rare."""
    rng = np.random.default_rng(seed)
    codes = np.zeros((size, len(CARDS)), dtype=np.int64)
    for i, r in enumerate(CARDS):
        free = rng.integers(0, r, size)
        codes[:, i] = (
            free if i == 0 else np.where(rng.random(size) < 0.5, codes[:, i - 1] % r, free)
        )
    return codes


def cut(codes, *places, sizes=CARDS):
    """The rows in parts, some of which may be empty."""
    ends = (0, *places, len(codes))
    return Sum([PlanesPart.of(np.asfortranarray(codes[a:b]), sizes) for a, b in pairwise(ends)])


def counted(data, counter):
    return CountedDataset(counter, data.cardinalities, data.names, data.labels, data.ordered)


def both(seed, size, *places):
    """The same rows as codes and as parts."""
    codes = rows_of(seed, size)
    data = Dataset.from_codes(codes, CARDS)
    return data, counted(data, cut(codes, *places))


def plain(codes, x, y, given):
    """Rows by the states of Z, x and y, counted one by one."""
    last = () if y is None else (y,)
    return Counter(tuple(map(int, row[[*given, x, *last]])) for row in codes)


def cells(request, answer):
    """What an answer says, target by target."""
    if isinstance(answer, CrossTally):
        slices, states = np.divmod(answer.keys, answer.rx * answer.ry)
        x, y = np.divmod(states, answer.ry)
        found = Counter()
        for k, a, b, times in zip(slices, x, y, answer.counts, strict=True):
            given = tuple(map(int, answer.configurations[k]))
            found[(*given, int(a), *((int(b),) if request.targets else ()))] = int(times)
        return [found]
    shape = [CARDS[z] for z in (*request.given, request.x)]
    tables, begin = [] if request.targets else [answer.cells.reshape(shape)], 0
    for y in request.targets:
        layers = answer.within[begin : begin + CARDS[y] - 1]
        whole = np.stack([answer.cells - layers.sum(axis=0), *layers], axis=-1)
        tables.append(whole.reshape([*shape, CARDS[y]]))
        begin += CARDS[y] - 1
    return [Counter({k: int(c) for k, c in np.ndenumerate(one) if c}) for one in tables]


ASKED = [
    *((0, (), (1, 2)), (0, (), (3, 4)), (2, (0, 1), (3, 5, 6)), (4, (0,), (1,))),
    *((1, (3, 4), (0, 2)), (3, (), ()), (5, (0, 2, 6), ()), (0, (3, 4, 5), ())),
]


def test_answers_are_plain_counts():
    codes = rows_of(1)
    different, counts = np.unique(codes, axis=0, return_counts=True)
    # Rows that stand for none change nothing.
    different = np.concatenate([different, different[:2]])
    counters = {
        "one": PlanesPart.of(codes, CARDS),
        "parts": cut(codes, 0, 3, 3, 130),
        "frequencies": by_bits(different, CARDS, np.append(counts, [0, 0])),
    }
    for x, given, targets in ASKED:
        chosen = requests_for(x, given, targets, CARDS, len(codes))
        both = [*chosen, *(Request(x, given, (y,), laid_out=False) for y in targets)]
        wanted = [[plain(codes, x, y, given) for y in one.targets or (None,)] for one in both]
        for name, counter in counters.items():
            assert counter.rows == len(codes)
            answers = counter.count(both)
            for request, answer, expected in zip(both, answers, wanted, strict=True):
                assert isinstance(answer, Layers) == request.laid_out
                assert cells(request, answer) == expected, (name, request)


def test_some_variables_of_rows_that_are_too_many_to_be_held():
    codes, times = rows_of(5), np.arange(400) % 7 * 10**8
    data = counted(Dataset.from_codes(codes, CARDS), by_bits(codes, CARDS, times))
    some = data.select([5, 4, 1])
    assert not some.fits
    assert some.cardinalities == (4, 300, 3)
    expected = Counter()
    for row, often in zip(codes.tolist(), times.tolist(), strict=True):
        expected[row[1], row[5]] += often
    (answer,) = some.counter.count([Request(0, (2,), (), laid_out=True)])
    assert answer.cells.tolist() == [expected[z, x] for z in range(3) for x in range(4)]
    assert (cut(codes, 100).select([5, 4, 1]).codes() == codes[:, [5, 4, 1]]).all()
    assert_refused(DataError, "Two columns are named", data.select, [5, 5])


def test_every_target_is_asked_for_once_and_no_answer_is_large():
    sizes = [2] * 30 + [9] * 30
    found = requests_for(0, tuple(range(1, 12)), range(12, 60), sizes, 10**9)
    assert sorted(y for one in found for y in one.targets) == list(range(12, 60))
    assert all(one.laid_out for one in found)
    for one in found:
        layers = 1 + sum(sizes[y] - 1 for y in one.targets)
        assert 2**12 * layers <= 1 << 20
    (whole,) = requests_for(0, tuple(range(1, 40)), (59,), sizes, 10**9)
    assert not whole.laid_out


def assert_same(one, other):
    """Two searches that made the same proposals with the same numbers, to the last bit."""

    def proposals(trace):
        return [(s.edge, s.added, s.gain, s.score, s.tests, s.accepted) for s in trace.steps]

    assert proposals(one) == proposals(other)
    assert set(map(frozenset, one.graph.edges)) == set(map(frozenset, other.graph.edges))
    assert (one.score, one.tests, one.evaluations) == (other.score, other.tests, other.evaluations)
    assert one.stop_reason == other.stop_reason


SEARCHES = {
    "bjp": ("ibmap-hc", "hill-climb", "tabu"),
    "ib": ("ibmap-hc", "hill-climb"),
    "near": ("ibmap-hc", "tabu"),
    "mpl": ("mpl-hc", "restarts"),
}


@pytest.mark.parametrize("method", SEARCHES)
def test_searches_find_the_same_by_counts_alone(method):
    data, asked = both(2, 250, 7)
    for search in SEARCHES[method]:
        here, there = (bjp.learn(one, method, search) for one in (data, asked))
        assert len(here.steps) > 0
        assert_same(here, there)
    assert bjp.score(data, here.graph, method).total == bjp.score(asked, here.graph, method).total
    # Options of the test and starts count as well.
    if method == "ib":
        for options in ({"prior_cells": "centred"}, {"slices": "observed"}):
            for start in ({}, {"start": "mpl-and"}):
                here, there = (
                    bjp.learn(one, "ib", "hill-climb", **options, **start) for one in (data, asked)
                )
                assert_same(here, there)


def test_tests_and_local_scores_keep_their_slices():
    two = both(4, 400, 100, 150)
    for x, y, given in ((0, 1, ()), (4, 2, (0,)), (6, 0, (3, 4)), (5, 3, (0, 1, 2, 6))):
        here, there = (bjp.independence_test(one, x, y, given) for one in two)
        assert here.log_independent == there.log_independent
        assert here.log_dependent == there.log_dependent
        for one, other in zip(here.slices, there.slices, strict=True):
            assert one.configuration == other.configuration
            assert (one.counts == other.counts).all()
        here, there = (local_trace(one, x, given) for one in two)
        assert here.value == there.value
        assert [(s.configuration, s.counts) for s in here.slices] == [
            (s.configuration, s.counts) for s in there.slices
        ]


def test_more_rows_than_could_be_held():
    counts = [[10**9, 2 * 10**8], [3 * 10**8, 9 * 10**8]]
    states = [(a, b, counts[a][b]) for a in (0, 1) for b in (0, 1)]
    data = Dataset.from_frame(pd.DataFrame(states, columns=["a", "b", "n"]), weights="n")
    assert isinstance(data, CountedDataset)
    assert data.rows == 2_400_000_000
    test = bjp.independence_test(data, "a", "b")
    assert test.slices[0].counts.tolist() == counts

    def evidence(cells):
        """ln U(cells; 1)."""
        total = mpmath.loggamma(len(cells)) - mpmath.loggamma(len(cells) + sum(cells))
        return total + sum(mpmath.loggamma(1 + c) for c in cells)

    with mpmath.workdps(50):
        (a, b), (c, d) = counts
        log_g = evidence([a + b, c + d]) + evidence([a + c, b + d])
        odds = log_g - evidence([a, b, c, d])
        expected = odds - mpmath.log1p(mpmath.exp(odds))
    assert test.log_independent == pytest.approx(float(expected), rel=1e-9)
    assert list(bjp.learn(data).graph.edges) == [("a", "b")]


def test_what_reads_rows_has_them_brought():
    chosen = [0, 1, 2, 5, 6]
    codes, sizes = rows_of(6, 300)[:, chosen], [CARDS[i] for i in chosen]
    held = Dataset.from_codes(codes, sizes)
    asked = counted(held, cut(codes, 30, 30, sizes=sizes))
    assert (asked.codes == held.codes).all()
    for method, search in (("bjp", None), ("ib", "auto"), ("bjp", "exhaustive")):
        assert_same(bjp.learn(asked, method, search), bjp.learn(held, method, search))
    assert (bjp.all_graphs(asked, "ib").scores == bjp.all_graphs(held, "ib").scores).all()
    graph = nx.Graph([(0, 1), (1, 2)])
    graph.add_nodes_from(held.names)
    for reads in (
        lambda data: data.take([0, 40]).digest,
        lambda data: data.to_frame().to_csv(),
        lambda data: posterior_edges(data).matrix.tolist(),
        lambda data: edge_probabilities(data).matrix.tolist(),
        lambda data: bjp.confidence.bootstrap(data, resamples=3).matrix.tolist(),
        lambda data: [f.tolist() for f in bjp.fit_parameters(data, graph).factors.values()],
        lambda data: bjp.learn(data, start="chow-liu", search="hill-climb").score,
    ):
        assert reads(asked) == reads(held)
    # Rows that were weighed are brought as often as they stand for.
    codes, times = rows_of(6, 40), np.arange(40) % 7
    asked = counted(Dataset.from_codes(codes, CARDS), by_bits(codes, CARDS, times))
    assert plain(asked.codes, 0, 3, (4, 6)) == plain(np.repeat(codes, times, axis=0), 0, 3, (4, 6))


def test_more_rows_than_can_be_held_are_refused_in_a_sentence(caplog):
    codes = rows_of(6, 60)
    many = by_bits(codes, CARDS, np.full(60, 1 << 24))
    asked = counted(Dataset.from_codes(codes, CARDS), many)
    for method, usual in (("bjp", "ibmap-hc"), ("mpl", "mpl-hc")):
        assert bjp.learn(asked, method).search == usual
    (said,) = [record for record in caplog.records if record.levelname == "WARNING"]
    assert "too many for 'auto', so 'ibmap-hc'" in said.getMessage()
    for search in ("auto", "exhaustive"):
        assert_refused(OptionError, f"='?{search}'? reads rows", bjp.learn, asked, search=search)
    graph = nx.Graph([(0, 1)])
    graph.add_nodes_from(asked.names)
    for reads in (
        lambda: asked.codes,
        lambda: asked.take([0]),
        asked.to_frame,
        lambda: bjp.all_graphs(asked, "ib"),
        lambda: posterior_edges(asked),
        lambda: edge_probabilities(asked),
        lambda: bjp.fit_parameters(asked, graph),
        lambda: bjp.learn(asked, search="hill-climb", start="chow-liu"),
    ):
        assert_refused(DataError, r"1,006,632,960 of 7 variables.* held as codes", reads)
    assert_refused(DataError, "no order to draw", many.resample, 0, 0)


def test_it_is_pickled_with_its_counter():
    data, asked = both(7, 80, 30)
    again = pickle.loads(pickle.dumps(asked))
    assert again.digest == asked.digest != counted(asked, cut(data.codes[::-1], 30)).digest
    assert_same(bjp.learn(asked), bjp.learn(again))


@pytest.mark.parametrize("method", ["bjp", "mpl"])
def test_a_cancelled_climb_ends_where_its_steps_lead(method):
    (_, asked), asks = both(8, 300, 30), count()
    whole = bjp.learn(asked, method, "tabu", progress=Progress(cancelled=lambda: next(asks) < 0))
    half, asks = next(asks) // 2, count()
    stopped = Progress(cancelled=lambda: next(asks) > half)
    trace = bjp.learn(asked, method, "tabu", progress=stopped)
    assert trace.stop_reason is StopReason.CANCELLED
    assert 0 < len(trace.steps) < len(whole.steps)
    edges = set()
    for step in list(trace.steps)[: trace.best_at]:
        edges ^= {frozenset(step.edge)} if step.accepted else set()
    assert edges == set(map(frozenset, trace.graph.edges))
