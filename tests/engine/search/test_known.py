"""What is known of pairs: every search against all graphs that agree with it."""

import math
from functools import cache, partial

import networkx as nx
import numpy as np
import pandas as pd
import pytest

import bjp_engine as bjp
from bjp_engine.confidence import bootstrap, posterior_edges
from bjp_engine.errors import OptionError
from bjp_engine.scores import KnownEdges, local_trace
from bjp_engine.search import SEARCHES, learn_all, searches_for
from bjp_engine.search.driver import Move, ScoredGraph
from bjp_engine.search.trace import StopReason
from tests import oracles
from tests.refusals import assert_refused
from tests.strategies import as_graph, edges_in, noisy_tree

METHODS = ("bjp", "ib", "mpl", "near")
EVERY = [(method, search) for method in METHODS for search in searches_for(method)]
every_search = pytest.mark.parametrize(("method", "search"), EVERY)
# Of four variables: what the data of `SAMPLE` rather speak against is required.
KNOWN = KnownEdges(required=[(0, 3)], forbidden=[(1, 2)], likely={(0, 2): 0.8})
SAMPLE = noisy_tree(3, (2, 2, 3, 2), 80, keep=0.7)


every_score = cache(partial(oracles.exhaustive, SAMPLE.rows, SAMPLE.cards))


def agreeing(method, usual=0.5):
    """The score of every graph that agrees with `KNOWN`, by the oracle's formulas."""
    found, likely, (required, forbidden) = {}, {0, 2}, map(frozenset, ((0, 3), (1, 2)))
    for edges, value in every_score(method).items():
        if required in edges and forbidden not in edges:
            # Relative to the graph that has none of the free pairs.
            chances = [0.8 if edge == likely else usual for edge in edges - {required}]
            found[edges] = float(value) + sum(math.log(p / (1 - p)) for p in chances)
    return found


class TestAgainstAllGraphs:
    @pytest.mark.parametrize("method", METHODS)
    def test_scores_proofs_and_posteriors(self, method):
        for usual in (0.3, 0.5):
            truth = agreeing(method, usual)
            table = bjp.all_graphs(SAMPLE.data, method, known=KNOWN, edge_probability=usual)
            found = {edges_in(table.graph(k)): value for k, value in enumerate(table.scores)}
            # Of graphs that agree and of no others; the others share the last rank.
            assert {edges for edges, value in found.items() if value > -math.inf} == set(truth)
            others = {table.rank(table.graph(k)) for k in np.flatnonzero(table.scores == -math.inf)}
            assert (others, sorted(table.ranking)) == ({len(truth) + 1}, list(range(64)))
            for edges, value in truth.items():
                assert found[edges] == pytest.approx(value, rel=1e-9), (usual, edges)
        best = max(truth.values())
        trace = bjp.learn(SAMPLE.data, method, "exhaustive", known=KNOWN)
        assert trace.score == trace.bound == pytest.approx(best, rel=1e-9)
        assert truth[edges_in(trace.graph)] == pytest.approx(trace.score, rel=1e-9)
        weights = {edges: math.exp(value - best) for edges, value in truth.items()}
        posterior = posterior_edges(SAMPLE.data, method, known=KNOWN)
        for i, j in oracles.pairs(4):
            mass = sum(weight for edges, weight in weights.items() if frozenset((i, j)) in edges)
            share = mass / sum(weights.values())
            assert posterior.of(i, j).confidence == pytest.approx(share, rel=1e-9, abs=1e-12)


class TestEverySearch:
    DATA = noisy_tree(5, (2, 3, 2, 2, 2, 2), 120)
    KNOWN = KnownEdges(
        required=[(0, 5), (2, 4)], forbidden=[(0, 1), (2, 3), (2, 5)], likely={(1, 3): 0.9}
    )
    REQUIRED = ((0, 5), (2, 4))
    FORBIDDEN = ((0, 1), (2, 3), (2, 5))

    def assert_agrees(self, graph):
        assert all(graph.has_edge(*pair) for pair in self.REQUIRED)
        assert not any(graph.has_edge(*pair) for pair in self.FORBIDDEN)

    @every_search
    def test_known_pairs_hold_in_the_result_and_on_the_way(self, method, search):
        data = self.DATA.data
        trace = bjp.learn(data, method, search, known=self.KNOWN)
        self.assert_agrees(trace.graph)
        self.assert_agrees(trace.start)
        fixed = {frozenset(pair) for pair in (*self.REQUIRED, *self.FORBIDDEN)}
        assert not fixed & {frozenset(step.edge) for step in trace.proposals}
        assert trace.known == self.KNOWN
        scored = bjp.score(data, trace.graph, method, **trace.given)
        assert scored.total == pytest.approx(trace.score, rel=1e-12)
        if search != "auto":
            # A likely pair adds its odds once.
            added = math.log(9) if trace.graph.has_edge(1, 3) else 0.0
            plain = bjp.score(data, trace.graph, method).total
            assert trace.score == pytest.approx(plain + added, rel=1e-12)
            assert trace.log_prior == pytest.approx(added)
        if search in ("restarts", "hill-climb"):
            # It ends where no free flip raises the score.
            edges = edges_in(trace.graph)
            for pair in set(map(frozenset, oracles.pairs(6))) - fixed:
                other = bjp.score(data, as_graph(edges ^ {pair}, 6), method, **trace.given).total
                assert other <= trace.score + 1e-9 * abs(trace.score), pair
        # Nothing known, and everything.
        data, pairs = SAMPLE.data, oracles.pairs(4)
        one, two = (bjp.learn(data, method, search, known=known) for known in (None, {}))
        assert (one.score, edges_in(one.graph)) == (two.score, edges_in(two.graph))
        assert list(one.proposals) == list(two.proposals)
        trace = bjp.learn(data, method, search, known=KnownEdges(pairs[::2], pairs[1::2]))
        assert edges_in(trace.graph) == oracles.edges_of(pairs[::2])
        again = bjp.score(data, trace.graph, method, **trace.given).total
        assert trace.score == pytest.approx(again)

    def test_starts_budgets_many_datasets_and_resamples(self):
        data, known = self.DATA.data, self.KNOWN
        for start in ("chow-liu", "mpl-or", nx.complete_graph(6)):
            self.assert_agrees(bjp.learn(data, "bjp", "ibmap-hc", start=start, known=known).start)
        trace = bjp.learn(data, known=known, seconds=1e-9)
        assert trace.stop_reason is StopReason.TIME
        assert edges_in(trace.graph) == oracles.edges_of(self.REQUIRED)
        for trace in learn_all([data] * 2, known=known, n_jobs=2):
            self.assert_agrees(trace.graph)
        found = bootstrap(data, known=known, resamples=5, n_jobs=1)
        for pairs, sure in ((self.REQUIRED, 1.0), (self.FORBIDDEN, 0.0)):
            for pair in pairs:
                assert (found.of(*pair).confidence, found.of(*pair).error) == (sure, 0.0)
        assert found.of(1, 3).error > 0
        # Other forms of the same.
        rows = {(0, 5): "required", (0, 1): "forbidden", (1, 3): 0.9}
        for form in (rows, pd.DataFrame([(*pair, what) for pair, what in rows.items()])):
            trace = bjp.learn(data, known=form)
            assert trace.known == KnownEdges([(0, 5)], [(0, 1)], {(1, 3): 0.9})


def test_required_members_stay_in_a_blanket_and_forbidden_ones_never_enter():
    # Each blanket by the sentence of docs/theory.md §4, with the local score alone.
    data = noisy_tree(2, (2, 2, 3, 2, 2), 150).data
    trace = bjp.learn(data, "mpl", "mpl-hc", known=KnownEdges([(0, 4)], [(0, 1)]))
    found = {0: {4}, 1: set(), 2: set(), 3: set(), 4: {0}}
    for v, b in (step.edge for step in trace.steps if step.phase == "blanket"):
        found[v] ^= {b}
    for v, members in found.items():
        value = local_trace(data, v, sorted(members)).value
        for other in set(range(5)) - {0: {1}, 1: {0}}.get(v, set()) - {v} - members:
            assert local_trace(data, v, sorted(members | {other})).value <= value
    either = oracles.edges_of((v, b) for v in found for b in found[v])
    assert edges_in(trace.milestones["or"]) == either


class TestAuto:
    DATA = noisy_tree(8, (2,) * 8, 300, keep=0.3)

    def chance(self, pair, known=None):
        return bjp.edge_probabilities(self.DATA.data, known=known).matrix[pair]

    def test_a_likely_pair_shifts_its_odds_by_bayes_rule_and_rising(self):
        evidence = bjp.learn(self.DATA.data).evidence
        # Of a pair that is in no blanket either way the models of the others are the same.
        outside = evidence.log_odds == evidence.log_odds[~np.eye(8, dtype=bool)].min()
        pair = tuple(np.argwhere(outside)[0].tolist())
        odds = [p / (1 - p) for p in (self.chance(pair), self.chance(pair, {pair: 0.1}))]
        assert odds[1] / odds[0] == pytest.approx((1 / 9) / (2 / 5), rel=1e-6)
        assert self.chance(pair, {pair: 2 / 7}) == pytest.approx(self.chance(pair), rel=1e-9)
        for pair in ((0, 5), (0, 1), (2, 6)):
            values = [self.chance(pair, {pair: p}) for p in (0.001, 0.05, 0.3, 0.7, 0.99)]
            assert values == sorted(values), pair
            assert values[-1] > values[0] + 0.2, pair
        # Sure knowledge decides, and fixed pairs have evidence of nought.
        weak = KnownEdges(likely={(0, 5): 1 - 1e-12, (0, 1): 1e-12})
        assert bjp.learn(self.DATA.data, known=weak).graph.has_edge(0, 5)
        known = KnownEdges(required=[(0, 5)], forbidden=[(0, 1)])
        evidence = bjp.learn(self.DATA.data, known=known).evidence
        assert evidence.probability[[0, 0], [5, 1]].tolist() == [1.0, 0.0]
        for name in ("own", "log_odds"):
            values = getattr(evidence, name)
            assert np.isfinite(values).all(), name
            assert values[[0, 0], [5, 1]].tolist() == [0.0, 0.0], name

    def test_a_required_neighbour_explains_away(self):
        # Two causes of one effect: given one of them, a copy of it with noise says nothing more.
        rng = np.random.default_rng(1)
        cause = rng.integers(0, 2, 200)
        copy = cause ^ (rng.random(200) < 0.05)
        effect = cause ^ (rng.random(200) < 0.25)
        data = bjp.Dataset.from_codes(np.column_stack([cause, copy, effect]))
        required, plain = bjp.learn(data, known=KnownEdges(required=[(1, 2)])), bjp.learn(data)
        # What the model of the effect says of the cause, with its copy in the blanket or without.
        assert not plain.graph.has_edge(1, 2)
        assert required.evidence.own[2, 0] < plain.evidence.own[2, 0]


def test_what_is_refused_in_one_sentence():
    data = bjp.Dataset.from_codes([[0, 0, 1], [1, 1, 0]] * 10, names=["a", "b", "c"])
    for known, words in (
        ({("a", "z"): "required"}, "known: There is no variable 'z'"),
        ({("a", "b"): "sure"}, "known says 'sure' of a pair"),
        ({("a", "b"): 1.0}, "strictly between 0 and 1"),
        ({("a", 0): "required"}, "known pairs 'a' with itself"),
        ({("a", "b"): "required", ("b", 0): "forbidden"}, "both 'required' and 'forbidden'"),
        ({("a", "b"): "required", ("b", "a"): 0.5}, "both 'required' and probability 0.5"),
        ({"a": "required"}, "known holds 'a'; give a list of pairs"),
        ([("a", "b", "c")], "required holds .* give a list of pairs"),
        (3, "known is of type int"),
        (pd.DataFrame({"x": ["a"], "y": ["b"]}), "a table of three columns"),
    ):
        assert_refused(OptionError, words, bjp.learn, data, known=known)
    for words, record in (
        (r"list of pairs of variables, such as \[\('a', 'b'\)\]", {"required": ("a", "b")}),
        ("known says '0' of a pair", {"likely": {("a", "b"): 0}}),
        ("two variables and a probability", {"likely": [("a", "b")]}),
        ("'b' and 'a' both", {"required": [("a", "b")], "forbidden": [("b", "a")]}),
    ):
        assert_refused(OptionError, words, KnownEdges, **record)
    # Names and places name the same pairs.
    assert bjp.learn(data, known=KnownEdges([("a", "b")], [("c", 0)])).known

    # A search must declare that it keeps pairs.
    class Empty:
        name, title, options_type = "empty", "Empty", type(SEARCHES["exhaustive"]).options_type

        def serves(self, _score, /):
            return True

        def begin(self, problem, /):
            return ScoredGraph(np.zeros((problem.data.n,) * 2, dtype=np.bool_), 0.0, 0)

        def advance(self, _problem, state, _most, /):
            return Move(state, stop=StopReason.COMPLETE)

    said = "does not say that it keeps them"
    assert_refused(OptionError, said, bjp.learn, SAMPLE.data, "bjp", Empty(), known=KNOWN)
    assert bjp.learn(SAMPLE.data, "bjp", Empty(), known={(0, 1): 0.2}).graph.size() == 0
