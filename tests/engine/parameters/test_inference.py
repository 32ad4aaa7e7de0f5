"""Queries of fitted networks against sums over all joint states."""

import itertools
import math
from functools import cache, partial

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bjp_engine as bjp
from bjp_engine.errors import BJPError, DataError, OptionError
from bjp_engine.parameters import FittedNetwork, count_given, fit_parameters
from bjp_engine.sampling import Factor, MarkovModel, random_model
from tests import strategies
from tests.engine.parameters.joints import joint_of, marginal
from tests.refusals import assert_refused

EXACT = {"rtol": 1e-9, "atol": 1e-12}


def network_of(model):
    """A network with given factors instead of fitted ones."""
    labels = tuple(tuple(map(str, range(r))) for r in model.cardinalities)
    every = np.arange(max(model.cardinalities))[:, None] % model.cardinalities
    rows = bjp.Dataset.from_codes(every, model.cardinalities, model.names)
    made = ("pseudo-likelihood", "cliques", 1, 1.0, True, 1, None, rows)
    return FittedNetwork(nx.freeze(model.graph), model, labels, *made)


def random_network(graph, seed, states=2):
    return network_of(random_model(graph, "clique-potentials", seed=seed, states=states))


def margins(joint, variables):
    return [p for i in variables for p in marginal(joint, (i,)).values()]


def as_given(weights):
    """Evidence as `query` takes it: a label where one state has weight 1, else a dict."""
    given = {}
    for i, known in weights.items():
        if max(known) == math.fsum(known) == 1:
            given[i] = str(known.index(1.0))
        else:
            # States of weight 0 may be left out.
            given[i] = {str(s): w for s, w in enumerate(known) if w or s % 2}
    return given


@st.composite
def evidence_on(draw, cards):
    """No evidence, a state, or weights, for each variable."""
    weights = {}
    for i in draw(strategies.permutations(len(cards))):
        kind = draw(st.sampled_from(["none", "none", "state", "weights"]))
        chosen = draw(st.integers(0, cards[i] - 1))
        if kind == "state":
            weights[i] = [float(s == chosen) for s in range(cards[i])]
        elif kind == "weights":
            some = st.sampled_from([0.0, 0.25, 1.5, 7.0])
            known = draw(st.lists(some, min_size=cards[i], max_size=cards[i]))
            known[chosen] = 0.5
            weights[i] = known
    return weights


@st.composite
def questions(draw):
    few = strategies.samples_with_graph(max_variables=5, max_rows=30, states=st.integers(1, 3))
    sample, edges = draw(few)
    return sample, edges, draw(evidence_on(sample.cards))


def said_by(weights, sample):
    """The evidence as far as some row has its states, and which states occur at all."""
    seen = [{row[i] for row in sample.rows} or range(r) for i, r in enumerate(sample.cards)]
    occur = {i: [float(s in seen[i]) for s in range(r)] for i, r in enumerate(sample.cards)}
    weights = {i: [a * b for a, b in zip(weights[i], occur[i], strict=True)] for i in weights}
    return {i: known for i, known in weights.items() if any(known)}, occur


@given(questions(), st.data())
@pytest.mark.filterwarnings("ignore:No fitted row holds")
def test_answers_agree_with_the_sum_over_all_states(question, data):
    sample, edges, weights = question
    network = fit_parameters(sample.data, strategies.as_graph(edges, sample.n))
    evidence = as_given(weights)
    weights, occur = said_by(weights, sample)
    joint = joint_of(network.factors, sample.cards, occur | weights)

    targets = data.draw(strategies.permutations(sample.n))[: data.draw(st.integers(1, sample.n))]
    found = network.query(targets, evidence)
    assert list(found.columns) == ["variable", "state", "probability"]
    pairs = [(i, str(s)) for i in targets for s in range(sample.cards[i])]
    assert [*zip(found.variable, found.state, strict=True)] == pairs
    np.testing.assert_allclose(found.probability, margins(joint, targets), **EXACT)

    left_open = [i for i in range(sample.n) if i not in weights or sum(map(bool, weights[i])) > 1]
    every = network.query(given=evidence)
    assert list(dict.fromkeys(every.variable)) == left_open
    np.testing.assert_allclose(every.probability, margins(joint, left_open), **EXACT)

    # No joint state is more probable.
    best = network.most_probable(evidence)
    assert list(best) == list(range(sample.n))
    state = tuple(map(int, best.values()))
    assert joint[state] == pytest.approx(max(joint.values()), rel=1e-9)

    # Leaving one piece of evidence out.
    target, r = sample.n - 1, sample.cards[-1]
    found = network.leave_one_out(target, evidence)
    asked = [(i, str(s)) for i in weights for s in range(r)]
    assert [*zip(found.evidence, found.state, strict=True)] == asked
    wanted = margins(joint, [target]) * len(weights)
    np.testing.assert_allclose(found.probability, wanted, **EXACT)
    without = []
    for left_out in weights:
        rest = {i: known for i, known in weights.items() if i != left_out}
        without += margins(joint_of(network.factors, sample.cards, occur | rest), [target])
    np.testing.assert_allclose(found.without, without, **EXACT)


def test_probabilities_far_below_the_smallest_double():
    switch = np.array([[0.0, -2000.0], [-2000.0, math.log(3.0)]])
    model = MarkovModel((0, 1, 2), (2, 2, 2), (Factor((0, 1), switch), Factor((1, 2), switch)))
    # Either way one step is against the odds; the other is 1 or 3 times as probable.
    found = network_of(model).query(1, {0: "0", 2: "1"})
    np.testing.assert_allclose(found["probability"], [0.25, 0.75], rtol=1e-12)
    assert network_of(model).most_probable({0: "0", 2: "1"}) == {0: "0", 1: "1", 2: "1"}
    # A weight may be small, too.
    found = network_of(model).query(1, {0: "0", 2: {"0": 1e-300, "1": 1e300}})
    np.testing.assert_allclose(found["probability"], [1.0, 0.0], atol=1e-200)


def test_pgmpy_takes_strong_factors_and_numbers_as_names():
    data = bjp.Dataset.from_codes([[0, 0], [1, 1]] * 50_000)
    made = fit_parameters(data, nx.Graph([(0, 1)]), "pseudo-likelihood", ridge=1e-6).to_pgmpy()
    assert made.check_model()
    assert all(np.isfinite(factor.values).all() for factor in made.factors)


def test_of_equally_probable_states_the_first_and_rounding_decides_no_tie():
    data = bjp.Dataset.from_codes(np.zeros((0, 4), dtype=int), [2, 3, 1, 2])
    network = fit_parameters(data, nx.cycle_graph(4))
    assert network.most_probable() == dict.fromkeys(range(4), "0")
    assert network.most_probable({1: "2"}) == {0: "0", 1: "2", 2: "0", 3: "0"}
    # The variable that is eliminated last chooses first.
    unlike = Factor((0, 1), np.array([[0.0, 1.0], [1.0, 0.0]]))
    network = network_of(MarkovModel((0, 1), (2, 2), (unlike,)))
    assert network.most_probable() == {0: "1", 1: "0"}
    assert 0.1 + 0.2 > 0.3
    factors = [Factor((0, 1), [[0.3], [0.1]]), Factor((0, 2), [[0.0], [0.2]])]
    network = network_of(MarkovModel((0, 1, 2), (2, 1, 1), tuple(factors)))
    assert network.most_probable()[0] == "0"


def test_what_is_dense_is_refused_unless_evidence_makes_it_sparse():
    graph = nx.disjoint_union(nx.gnp_random_graph(60, 0.4, seed=1), nx.path_graph(4))
    network = network_of(random_model(graph, "log-odds", epsilon=0.3))
    known = {1: "0", 63: "0"}
    for about in ("59 variables whose states are open", "1,048,576 cells", "method='gibbs'"):
        assert_refused(OptionError, about, network.query, 0, known)
    assert_refused(OptionError, "63 variables .* fewer edges", network.most_probable, {1: "0"})
    known = {i: str(i % 3 % 2) for i in range(56)} | {61: "1"}
    found = network.query(range(56, 60), known)
    weights = {}
    for state in itertools.product(range(2), repeat=4):
        codes = [i % 3 % 2 for i in range(56)] + [*state]
        agree = sum(codes[u] == codes[v] for u, v in graph.edges if max(u, v) < 60)
        weights[state] = math.exp(0.15 * agree)
    wanted = np.array(margins(weights, range(4))) / math.fsum(weights.values())
    np.testing.assert_allclose(found["probability"], wanted, rtol=1e-9)


def test_errors_of_chains_are_as_large_as_they_say_and_a_seed_repeats():
    cycle = nx.Graph([(0, 1), (1, 2), (2, 3), (3, 0), (3, 4), (4, 5), (6, 7)])
    network = random_network(cycle, 3, [2, 3, 2, 3, 2, 2, 3, 2])
    evidence = {1: "2", 5: {"0": 0.3, "1": 2.0}, 3: {"0": 1, "2": 2}, 7: "1"}
    ask = partial(network.query, range(8), evidence)
    exact = ask()["probability"].to_numpy()
    # Chains on a complete graph hardly move; by symmetry both states are equally probable.
    dense = partial(network_of(random_model(nx.complete_graph(30), "log-odds")).query, 0)
    for name, query, rows, wanted in (
        ("a cycle", ask, 5000, exact),
        ("dense", dense, 1000, np.array([0.5, 0.5])),
    ):
        drawn = [query(method="gibbs", rows=rows, seed=seed) for seed in range(40)]
        assert query(method="gibbs", rows=rows, seed=1).equals(drawn[1]), name
        assert not drawn[1].equals(drawn[2]), name
        settled = np.isin(wanted, [0.0, 1.0])
        for one in drawn:
            assert list(one.columns) == ["variable", "state", "probability", "standard_error"]
            np.testing.assert_array_equal(one["standard_error"] == 0, settled)
            np.testing.assert_array_equal(one["probability"][settled], wanted[settled])
        z = np.array([(one["probability"] - wanted)[~settled] for one in drawn])
        z /= np.array([one["standard_error"][~settled] for one in drawn])
        # 40 draws of each state: its mean is 0 and its spread 1, within five standard errors.
        assert np.abs(z.mean(axis=0)).max() < 5 / math.sqrt(40), name
        spread = np.sqrt((z**2).mean(axis=0))
        assert (np.abs(spread - 1) < 5 / math.sqrt(80)).all(), name
    independent = math.sqrt(0.25 / 1000)
    assert min(one["standard_error"][0] for one in drawn) > 3 * independent
    with pytest.warns(UserWarning, match=r"R̂ = (inf|[\d.]+),"):
        dense(method="gibbs")


def test_a_state_that_is_never_drawn_has_an_error():
    rare = Factor((0,), np.array([0.0, -30.0]))
    network = network_of(MarkovModel((0,), (2,), (rare,)))
    found = network.query(0, method="gibbs", rows=1000)
    assert found["probability"].tolist() == [1.0, 0.0]
    assert (found["standard_error"] > 1e-4).all()


@given(questions())
def test_counts_are_those_of_the_rows(question):
    sample, _, weights = question
    even = {i: [float(w > 0) for w in known] for i, known in weights.items()}
    found = count_given(sample.data, range(sample.n), as_given(even))
    having = [row for row in sample.rows if all(even[i][row[i]] for i in even)]
    n = len(having)
    states = [(i, s) for i in range(sample.n) for s in range(sample.cards[i])]
    rows = [(i, str(s), sum(row[i] == s for row in having), n) for i, s in states]
    columns = ["variable", "state", "count", "rows"]
    assert [*found[columns].itertuples(index=False, name=None)] == rows
    shares = [count / n if n else math.nan for *_, count, _ in rows]
    np.testing.assert_array_equal(found["share"], shares)


@cache
def titanic():
    ship = bjp.read_table("sample_data/datasets/titanic.csv")
    return ship, fit_parameters(ship, nx.cycle_graph(ship.names))


VARIABLES = "the 4 variables are 'Class', 'Sex', 'Age', 'Survived'"


def test_evidence_and_targets_that_cannot_be_used():
    ship, network = titanic()
    states = "its states are 'Female', 'Male'"
    for evidence, about in (
        ({"Deck": "A"}, f"given: There is no variable 'Deck'; {VARIABLES}"),
        ({"Sex": "x"}, f"variable 'Sex' has no state 'x'; {states}"),
        ({"Sex": {"x": 1, "y": 1}}, f"'Sex' has no state 'x', 'y'; {states}"),
        *(({"Sex": none}, "evidence on 'Sex' has probability 0") for none in ({}, {"Male": 0})),
        ({"Sex": {"Male": -1}}, "weight '-1' of state 'Male' of 'Sex' must be a number from 0"),
        *(({"Sex": {"Male": w}}, f"weight '{w}'") for w in (math.nan, math.inf)),
        ({"Sex": ["Male"]}, "give a state, or a dict"),
        ({"Sex": "Male", 1: "Male"}, "given names the variable 'Sex' twice"),
        (["Sex"], "given is of type list; give a dict"),
    ):
        for ask in (network.query, network.leave_one_out, partial(count_given, ship)):
            assert_refused(BJPError, about, ask, "Age", given=evidence)
        assert_refused(BJPError, about, network.query, "Age", method="gibbs", given=evidence)
        assert_refused(BJPError, about, network.most_probable, given=evidence)
    # Rows have no weights.
    about, weights = "The weights of 'Sex' differ", {"Sex": {"Female": 1, "Male": 2}}
    assert_refused(OptionError, about, count_given, ship, "Age", weights)
    for ask in (network.query, partial(count_given, ship)):
        assert_refused(
            DataError, f"targets: There is no variable 'Deck'; {VARIABLES}", ask, ["Age", "Deck"]
        )
        assert_refused(DataError, "names the variable 'Age' twice", ask, ["Age", 2])
        assert ask([]).empty
    about = "give the name or index of one variable"
    assert_refused(OptionError, about, network.leave_one_out, ["Age", "Sex"], {})
    for options, about in (
        ({"method": "mean"}, "method='mean' is not known"),
        ({"method": "gibbs", "rows": 99}, "rows=99 must be a whole number, 100"),
    ):
        assert_refused(OptionError, about, network.query, "Age", **options)
