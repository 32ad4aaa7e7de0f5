"""The data that is measured on, each made from its seed."""

from __future__ import annotations

import networkx as nx
import numpy as np

import bjp_engine as bjp

ROWS = 8000


def scale_free() -> bjp.Dataset:
    """The paper's largest case: 128 binary variables on scale-free-4, clique log weights."""
    model = bjp.sampling.random_model(bjp.networks.load("scale-free-4"), seed=0)
    return model.sample(ROWS, 0, "gibbs")


def tree(n: int = 1000, rows: int = 100_000) -> bjp.Dataset:
    """Binary variables on a Barabasi-Albert tree, every edge with log odds 1."""
    graph = nx.barabasi_albert_graph(n, 1, seed=0)
    return bjp.sampling.random_model(graph, "log-odds").sample(rows, 0, "gibbs")


def alarm_like(rows: int = 20_000) -> bjp.Dataset:
    """37 variables of 2 to 4 states, 45 edges: the size of the ALARM network."""
    rng = np.random.default_rng(0)
    graph = nx.gnm_random_graph(37, 45, seed=0)
    states = rng.integers(2, 5, 37).tolist()
    return bjp.sampling.random_model(graph, "log-odds", states=states, epsilon=2.0).sample(
        rows, 0, "gibbs"
    )


def many_states(n: int = 20, rows: int = 5000) -> bjp.Dataset:
    """Variables of ten states with about two neighbours each."""
    graph = nx.gnm_random_graph(n, n, seed=0)
    return bjp.sampling.random_model(graph, "log-odds", states=10, epsilon=4.0).sample(
        rows, 0, "gibbs"
    )


def regular(n: int, rows: int = ROWS) -> bjp.Dataset:
    """Binary variables with three neighbours each, every edge with log odds 1."""
    graph = nx.random_regular_graph(3, n, seed=0)
    return bjp.sampling.random_model(graph, "log-odds").sample(rows, 0, "gibbs")


def six() -> bjp.Dataset:
    """Six binary variables of target-6."""
    return bjp.sampling.random_model(bjp.networks.load("target-6"), seed=0).sample(ROWS, 0, "gibbs")


def dependent_pairs(n: int, rows: int) -> bjp.Dataset:
    """Binary columns of which every two agree in three rows of four; made cheaply."""
    rng = np.random.default_rng(0)
    codes = np.empty((rows, n), dtype=np.uint8, order="F")
    for j in range(0, n, 2):
        first = np.unpackbits(rng.integers(0, 256, -(-rows // 8), dtype=np.uint8))[:rows]
        codes[:, j] = first
        if j + 1 < n:
            noise = rng.integers(0, 256, (2, -(-rows // 8)), dtype=np.uint8)
            # Two independent bits are both one in a row of four.
            codes[:, j + 1] = first ^ np.unpackbits(noise[0] & noise[1])[:rows]
    return bjp.Dataset.from_codes(codes, [2] * n)


def anew(data: bjp.Dataset) -> bjp.Dataset:
    """The same data with nothing kept from earlier searches."""
    return bjp.Dataset.from_codes(data.codes, data.cardinalities, data.names)
