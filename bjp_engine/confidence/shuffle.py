"""Tables in which nothing depends on anything: each column of a dataset shuffled on its own."""

from __future__ import annotations

import numpy as np

from bjp_engine.dataset import DataLike, Dataset, adopt, as_dataset
from bjp_engine.validate import Seed, whole_seed


def shuffle_columns(data: DataLike, seed: Seed = 0) -> Dataset:
    """The dataset with the rows of every column in a random order of its own.

    Each variable keeps its states and how often each occurs, and depends on no other. What a search
    finds there, it finds by chance.

    Parameters
    ----------
    seed : int
        0 or more; column i gets the i-th permutation of `numpy.random.default_rng(seed)`.

    Examples
    --------
    >>> from bjp_engine import Dataset
    >>> from bjp_engine.confidence import shuffle_columns
    >>> from bjp_engine import learn
    >>> data = Dataset.from_codes([[0, 0], [1, 1]] * 50)
    >>> [learn(each).graph.number_of_edges() for each in (data, shuffle_columns(data))]
    [1, 0]
    """
    data = as_dataset(data)
    rng = np.random.default_rng(whole_seed(seed))
    codes = np.empty_like(data.codes, order="F")
    for i in range(data.n):
        codes[:, i] = data.codes[rng.permutation(data.rows), i]
    return adopt(codes, data.cardinalities, data.names, data.labels, data.ordered)
