"""Posterior edge probabilities against a plain sum over all graphs."""

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.confidence import posterior_edges
from bjp_engine.errors import Cancelled, DataError, OptionError
from bjp_engine.progress import Progress
from bjp_engine.search.exhaustive import MOST_VARIABLES
from tests.engine.calls import assert_options_refused
from tests.refusals import assert_refused
from tests.strategies import noisy_tree

METHODS = ("bjp", "ib", "mpl", "near")


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


def test_the_prior_over_structures_counts():
    data = noisy_tree(8, (2, 2, 3, 2), 40).data
    for method in METHODS:
        expected = summed(data, method, 0.1)
        assert np.abs(expected - summed(data, method, 0.5)).max() > 0.05, method
        for prior in ({"edge_probability": 0.1}, {"expected_degree": 0.3}):
            found = posterior_edges(data, method, **prior)
            assert (found.kind, found.error, dict(found.options)) == ("exact", None, prior)
            assert found.matrix == pytest.approx(expected, abs=1e-9), (method, prior)
    # And one that is estimated from the data.
    estimated = bjp.learn(data, "bjp", edge_probability="data", search="ibmap-hc")
    known = estimated.structure.edge_probability
    assert isinstance(known, float)
    found = posterior_edges(data, edge_probability="data")
    assert found.matrix == pytest.approx(summed(data, "bjp", known), abs=1e-9)


def test_few_variables_and_no_rows_or_pairs():
    data = noisy_tree(2, (2, 3, 2, 2, 2), 90).data
    matrix = posterior_edges(data, prior=0.7).matrix
    assert (matrix == bjp.all_graphs(data, "bjp", prior=0.7).edge_probabilities).all()
    nothing = bjp.Dataset.from_codes(np.zeros((0, 4), dtype=int), cardinalities=(2, 3, 2, 2))
    for method in ("bjp", "ib"):
        found = posterior_edges(nothing, method).matrix[np.triu_indices(4, 1)]
        assert found == pytest.approx(0.5, abs=1e-9), method
    for n in (1, 2):
        hardly = bjp.Dataset.from_codes(np.zeros((5, n), dtype=int))
        assert posterior_edges(hardly).matrix.shape == (n, n)


def test_refused_or_cancelled():
    many = noisy_tree(2, (2,) * (MOST_VARIABLES + 1), 50).data
    assert_refused(DataError, f"at most {MOST_VARIABLES}", posterior_edges, many)
    few = many.select(range(4))
    assert_options_refused("method='xyz' prior=2", posterior_edges, few)
    for name in ("gama", "edge_probability", "draws"):
        assert_refused(OptionError, name, posterior_edges, few, **{name: 1})
    with pytest.raises(Cancelled):
        posterior_edges(few, progress=Progress(cancelled=lambda: True))
