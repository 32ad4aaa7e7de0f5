"""Shuffled columns: each with the same counts, in an order of its own."""

from __future__ import annotations

import numpy as np
import pytest

import bjp_engine as bjp
from bjp_engine.errors import OptionError
from tests.strategies import noisy_tree

DATA = noisy_tree(3, (2, 3, 2, 2, 4), 400).data


def test_every_column_keeps_its_counts_and_nothing_else() -> None:
    found = bjp.confidence.shuffle_columns(DATA, 5)
    assert found.names == DATA.names
    assert found.cardinalities == DATA.cardinalities
    assert found.labels == DATA.labels
    for before, after in zip(DATA.codes.T, found.codes.T, strict=True):
        assert (np.bincount(before) == np.bincount(after)).all()
        assert (before != after).any()


def test_the_seed_decides_and_further_columns_change_no_other() -> None:
    once, again = (bjp.confidence.shuffle_columns(DATA, 1) for _ in range(2))
    assert once.digest == again.digest != bjp.confidence.shuffle_columns(DATA, 2).digest
    fewer = bjp.confidence.shuffle_columns(DATA.select([0, 1]), 1)
    assert (fewer.codes == once.codes[:, :2]).all()


def test_nothing_depends_on_anything() -> None:
    tree = noisy_tree(3, (2, 2, 2, 2), 2000).data
    assert bjp.learn(tree).graph.number_of_edges() >= 2
    shuffled = [bjp.confidence.shuffle_columns(tree, seed) for seed in range(20)]
    assert np.mean([bjp.learn(one).graph.number_of_edges() for one in shuffled]) < 0.5


def test_a_bad_seed_is_refused() -> None:
    with pytest.raises(OptionError, match="seed"):
        bjp.confidence.shuffle_columns(DATA, -1)
