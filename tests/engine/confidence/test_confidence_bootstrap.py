"""Bootstrap frequencies against a plain loop over resamples, and columns in shuffled orders."""

import networkx as nx
import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.confidence import bootstrap, shuffle_columns
from bjp_engine.errors import Cancelled, DataError, OptionError
from bjp_engine.progress import Progress
from bjp_engine.search import many
from tests.engine.calls import assert_options_refused
from tests.refusals import assert_refused
from tests.strategies import noisy_tree

TREE = noisy_tree(3, (2, 3, 2, 2, 4), 80)


@pytest.fixture(autouse=True)
def eight_cores(monkeypatch):
    monkeypatch.setattr(many, "cores", lambda: 8)


def loop(resamples, seed, method, **options):
    """Edges counted one resample after another."""
    data, counts = TREE.data, np.zeros((TREE.n, TREE.n))
    for k in range(resamples):
        rows = np.random.default_rng([seed, k]).integers(0, data.rows, data.rows)
        again = bjp.Dataset.from_codes(data.codes[rows], cardinalities=data.cardinalities)
        counts += nx.to_numpy_array(bjp.learn(again, method, **options).graph)
    return counts / resamples


def test_frequencies_are_those_of_a_loop_with_options_and_threads():
    options = {"prior": 0.95, "start": "mpl", "search": "ibmap-hc"}
    for method, more, search in (
        ("bjp", {}, "auto"),
        ("ib", options, "ibmap-hc"),
        ("mpl", {}, "mpl-hc"),
    ):
        expected = loop(30, 5, method, **more)
        assert len(np.unique(expected)) > 3
        for n_jobs in (1, 5):
            found = bootstrap(TREE.data, method, resamples=30, seed=5, n_jobs=n_jobs, **more)
            assert (found.matrix == expected).all(), (method, n_jobs)
            assert (found.kind, found.made, found.asked) == ("bootstrap", 30, 30)
            kept = {name: value for name, value in more.items() if name != "search"}
            assert (found.search, dict(found.options)) == (search, kept)


def test_more_resamples_go_on_from_fewer():
    few, more = (bootstrap(TREE.data, resamples=k, seed=1).matrix * k for k in (7, 8))
    step = more - few
    assert np.allclose(step, np.round(step))
    assert set(np.round(step).ravel()) <= {0, 1}
    assert (bootstrap(TREE.data, resamples=8, seed=2).matrix * 8 != more).any()


def test_the_error_is_that_of_a_frequency_and_of_certain_edges_not_nought():
    found = bootstrap(TREE.data, resamples=200, n_jobs=1)
    upper = np.triu_indices(TREE.n, 1)
    p, error = found.matrix[upper], found.error[upper]
    middling = (p > 0.1) & (p < 0.9)
    assert middling.any()
    assert error[middling] == pytest.approx(np.sqrt(p * (1 - p) / 200)[middling], rel=0.05)
    coin = np.random.default_rng(0).integers(2, size=400)
    found = bootstrap(np.column_stack([coin, coin]))
    assert (found.made, found.of(0, 1).confidence) == (200, 1.0)
    assert found.error[0, 1] > 0 == found.error[0, 0]


def test_progress_counts_resamples_and_what_was_made_before_cancelling_counts():
    data, done = TREE.data, []
    for after, resamples in ((12, 50), (5, 5)):
        done.clear()
        progress = Progress(lambda *now: done.append(now), lambda after=after: len(done) >= after)
        found = bootstrap(data, resamples=resamples, n_jobs=1, progress=progress)
        assert found.complete == (after == resamples)
        assert done == [(k, resamples) for k in range(1, after + 1)]
        assert (found.made, found.asked) == (after, resamples)
        assert (found.matrix == bootstrap(data, resamples=after).matrix).all()
    with pytest.raises(Cancelled):
        bootstrap(data, resamples=5, progress=Progress(cancelled=lambda: True))


def test_arguments_that_are_refused():
    cases = "resamples=0 resamples=2.0 seed=-1 seed=0.5 method='x' search='x' n_jobs=0"
    assert_options_refused(cases, bootstrap, TREE.data, resamples=2)
    assert_refused(OptionError, "gama", bootstrap, TREE.data, gama=1)
    assert_refused(DataError, "no rows", bootstrap, TREE.data.take([]))
    assert_refused(OptionError, "seed", shuffle_columns, TREE.data, -1)


def test_every_shuffled_column_keeps_its_counts_and_nothing_else():
    data = noisy_tree(3, (2, 3, 2, 2, 4), 400).data
    found = shuffle_columns(data, 5)
    assert (found.names, found.cardinalities) == (data.names, data.cardinalities)
    assert found.labels == data.labels
    for before, after in zip(data.codes.T, found.codes.T, strict=True):
        assert (np.bincount(before) == np.bincount(after)).all()
        assert (before != after).any()
    # The seed decides, and further columns change no other.
    once, again = (shuffle_columns(data, 1) for _ in range(2))
    assert once.digest == again.digest != shuffle_columns(data, 2).digest
    assert (shuffle_columns(data.select([0, 1]), 1).codes == once.codes[:, :2]).all()
