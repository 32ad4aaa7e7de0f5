"""Tables of rows on workers: against plain counting, and against the same rows in one table."""

import json
from collections import Counter
from itertools import count

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.confidence import (
    bootstrap,
    confidence_of_tests,
    edge_probabilities,
    posterior_edges,
)
from bjp_engine.dataset import Dataset
from bjp_engine.errors import DataError, OptionError
from bjp_engine.io import trace_json
from bjp_engine.progress import Progress
from bjp_engine.scores import local_trace
from bjp_engine.search import StopReason
from bjp_engine.sharded.rows import Part, ShardedDataset, Shards, requests_for
from tests.clusters import local_client, sharded
from tests.refusals import assert_refused

CARDS = (2, 3, 2, 9, 300, 4, 2)


@pytest.fixture(scope="module")
def client():
    with local_client(2, processes=False) as client:
        yield client


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


def both(client, seed, size, *places):
    """The same rows in one table, and in parts of which some may be empty."""
    data = Dataset.from_codes(rows_of(seed, size), CARDS)
    return data, sharded(client, data, places)


def plain(codes, x, y, given):
    """Rows by the states of Z, x and y, counted one by one."""
    last = () if y is None else (y,)
    return Counter(tuple(map(int, row[[*given, x, *last]])) for row in codes)


def cells(tally):
    """What a tally says."""
    slices, states = np.divmod(tally.keys, tally.rx * tally.ry)
    found = Counter()
    for k, state, times in zip(slices, states, tally.counts, strict=True):
        last = (state,) if tally.ry == 1 else divmod(state, tally.ry)
        found[(*map(int, tally.configurations[k]), *map(int, last))] = int(times)
    return found


WANTED = [
    *((0, y, ()) for y in range(1, 7)),
    *((2, y, (0, 1)) for y in (3, 5, 6)),
    # A member of a blanket given the rest of it, variables of many states, and too many cells.
    *((2, 0, (1,)), (4, 1, (0,)), (1, 0, (3, 4)), (1, 2, (0, 3, 4, 5, 6))),
    *((3, None, ()), (5, None, (0, 2, 6)), (0, None, (1, 3, 4, 5, 6)), (3, None, (2,))),
]


@pytest.mark.parametrize("most", [1 << 20, 100, 0])
def test_tables_are_plain_counts(client, most, monkeypatch):
    """Laid out, or as the cells that occur, or some of each."""
    monkeypatch.setattr("bjp_engine.sharded.rows.MOST_LAID_OUT", most)
    codes = rows_of(1)
    for data in (both(client, 1, 400, 0, 3, 3, 130)[1], both(client, 1, 400)[1]):
        assert data.rows == len(codes)
        for want, tally in zip(WANTED, data.count(WANTED), strict=True):
            assert cells(tally) == plain(codes, *want), want
            slices = [tuple(one) for one in tally.configurations.tolist()]
            assert (slices, tally.keys.tolist()) == (sorted(slices), sorted(tally.keys)), want
    # Columns in another order are those columns.
    chosen = [5, 4, 1, 0]
    some, (tally,) = data.select(chosen), data.select(chosen).count([(0, 2, (1, 3))])
    assert some.cardinalities == (4, 300, 3, 2)
    assert cells(tally) == plain(codes[:, chosen], 0, 2, (1, 3))
    assert (some.codes == codes[:, chosen]).all()
    assert_refused(DataError, "Two columns are named", data.select, [5, 5])


def test_counts_beyond_32_bits_add_up(client):
    part = Part.of(np.zeros((3, 2), dtype=np.uint8), (2, 2))
    many = [2**32 + 5, 3, 0, 2**33]

    class Large(Part):
        def tables(self, requests):
            return [np.array(many) for _ in range(sum(len(others) for _, others in requests))]

    large = Large(part.rows, part.cardinalities, part.words)
    held = [client.scatter(large, hash=False) for _ in range(3)]
    shards = Shards.of(client, held, [3] * 3, [""] * 3)
    (tally,) = ShardedDataset(shards, (0, 1), (("a", "b"),) * 2, (False,) * 2).count([(0, 1, ())])
    assert sorted(tally.counts.tolist()) == sorted(3 * one for one in many if one)


def test_what_has_variables_in_common_is_counted_at_once():
    blanket = (1, 2, 3)
    free = [(0, y, blanket) for y in range(4, 9)]
    members = [(0, y, tuple(z for z in blanket if z != y)) for y in blanket]
    assert requests_for(free + members) == [((0, *blanket), (None, 4, 5, 6, 7, 8))]
    grown = [(0, None, blanket), *((0, None, (*blanket, b)) for b in range(4, 9))]
    assert requests_for(grown) == [((0, *blanket), (None, 4, 5, 6, 7, 8))]


def as_json(trace):
    """A trace as JSON, but for the clock."""
    return {key: of for key, of in json.loads(trace_json(trace)).items() if key != "seconds"}


@pytest.mark.parametrize("method", ["bjp", "ib", "mpl"])
def test_published_searches_are_the_same_by_tables_alone(client, method, monkeypatch):
    data, elsewhere = both(client, 2, 250, 7)
    monkeypatch.delattr(ShardedDataset, "hold")
    search = "mpl-hc" if method == "mpl" else "ibmap-hc"
    choices = [{}, {"expected_degree": 2, "known": {(0, 1): "forbidden", (2, 5): "required"}}]
    if method == "mpl":
        choices.append({"ess": 3.0})
    else:
        choices += [{"prior_cells": "centred"}, {"slices": "observed", "start": "mpl-and"}]
    for options in choices:
        here, there = (bjp.learn(one, method, search, **options) for one in (data, elsewhere))
        assert len(here.steps) > 0
        assert as_json(there) == as_json(here), options
        one, other = (bjp.score(of, here.graph, method) for of in (data, elsewhere))
        assert list(one.terms) == list(other.terms)


def test_tests_and_local_scores_keep_their_slices(client):
    two = both(client, 4, 400, 100, 150)
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


def test_what_reads_rows_has_them_brought(client):
    data, elsewhere = (one.select([0, 1, 2, 5, 6]) for one in both(client, 6, 300, 30, 30))
    graph = nx.Graph([(0, 1), (1, 2)])
    graph.add_nodes_from(data.names)
    for reads in (
        lambda data: data.codes.tolist(),
        lambda data: data.take([0, 40]).digest,
        lambda data: data.to_frame().to_csv(),
        lambda data: as_json(bjp.learn(data)),
        lambda data: as_json(bjp.learn(data, "bjp", "tabu", patience=3)),
        lambda data: as_json(bjp.learn(data, "near", "ibmap-hc")),
        lambda data: as_json(bjp.learn(data, "ib", "exhaustive")),
        lambda data: as_json(bjp.learn(data, start="chow-liu", search="hill-climb")),
        lambda data: bjp.all_graphs(data, "ib").scores.tolist(),
        lambda data: posterior_edges(data).matrix.tolist(),
        lambda data: edge_probabilities(data).matrix.tolist(),
        lambda data: bootstrap(data, resamples=3).matrix.tolist(),
        lambda data: [f.tolist() for f in bjp.fit_parameters(data, graph).factors.values()],
    ):
        assert reads(elsewhere) == reads(data)


def test_more_rows_than_can_be_held_are_refused_in_a_sentence(client, caplog, monkeypatch):
    data, elsewhere = both(client, 6, 60, 20)
    monkeypatch.setattr("bjp_engine.dataset.MOST_CELLS", 400)
    for method, usual in (("bjp", "ibmap-hc"), ("mpl", "mpl-hc")):
        assert bjp.learn(elsewhere, method).search == usual
    (said,) = [record for record in caplog.records if record.levelname == "WARNING"]
    assert "too many for 'auto', so 'ibmap-hc'" in said.getMessage()
    for search in ("auto", "exhaustive"):
        refused = f"='?{search}'? reads rows"
        assert_refused(OptionError, refused, bjp.learn, elsewhere, search=search)
    graph = bjp.learn(elsewhere).graph
    assert (
        confidence_of_tests(bjp.score(elsewhere, graph)).matrix
        == confidence_of_tests(bjp.score(data, graph)).matrix
    ).all()
    assert elsewhere.drop_unused_states() is elsewhere
    for reads in (
        lambda: elsewhere.codes,
        lambda: elsewhere.take([0]),
        elsewhere.to_frame,
        lambda: bjp.all_graphs(elsewhere, "ib"),
        lambda: posterior_edges(elsewhere),
        lambda: edge_probabilities(elsewhere),
        lambda: bootstrap(elsewhere, resamples=2),
        lambda: bjp.fit_parameters(elsewhere, graph),
        lambda: bjp.learn(elsewhere, "near"),
        lambda: bjp.score(elsewhere, graph, "near"),
        lambda: bjp.learn(elsewhere, search="ibmap-hc", start="chow-liu"),
    ):
        assert_refused(DataError, r"60 of 7 variables, are too many", reads)


@pytest.mark.parametrize("method", ["bjp", "mpl"])
def test_a_cancelled_climb_ends_where_its_steps_lead(client, method):
    (_, elsewhere), asks = both(client, 8, 300, 30), count()
    search = "mpl-hc" if method == "mpl" else "ibmap-hc"
    whole = bjp.learn(
        elsewhere, method, search, progress=Progress(cancelled=lambda: next(asks) < 0)
    )
    half, asks = next(asks) // 2, count()
    stopped = Progress(cancelled=lambda: next(asks) > half)
    trace = bjp.learn(elsewhere, method, search, progress=stopped)
    assert trace.stop_reason is StopReason.CANCELLED
    assert 0 < len(trace.steps) < len(whole.steps)
    if method == "bjp":
        edges = set()
        for step in trace.steps:
            edges ^= {frozenset(step.edge)}
        assert edges == set(map(frozenset, trace.graph.edges))
