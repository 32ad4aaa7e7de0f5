"""Random distributions on a given graph: the three kinds of docs/theory.md §7."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from typing import Any, Literal, get_args

import networkx as nx
import numpy as np

from bjp_engine.dataset import Name
from bjp_engine.errors import GraphError, OptionError, clip
from bjp_engine.graph import GraphLike, as_graph
from bjp_engine.sampling.elimination import Factor, maximal_cliques
from bjp_engine.sampling.model import MarkovModel
from bjp_engine.validate import Seed, choice, number, seed_sequence, whole_number

Weights = Literal["clique-log-weights", "clique-potentials", "log-odds"]

# 32 MB of weights; one binary clique of 22 nodes fills it.
MAX_WEIGHTS = 1 << 22


def random_model(
    graph: GraphLike,
    weights: Weights = "clique-log-weights",
    seed: Seed = 0,
    *,
    states: int | Sequence[int] = 2,
    epsilon: float = 1.0,
) -> MarkovModel:
    """Draw a distribution whose Markov network is a given graph.

    Parameters
    ----------
    graph : networkx.Graph
        Undirected; its nodes become the variables, in its order.
    weights : {"clique-log-weights", "clique-potentials", "log-odds"}
        A table for each maximal clique with ln φ ~ U(0, 1) in every entry; the same with
        φ ~ U(0, 1); or, for each edge, φ = exp(ε/2) where its two states are equal and 1
        elsewhere, so that the log odds ratio of a binary edge is ε. The last draws nothing.
    states : int or sequence of int
        r, or one r_i for each node; at least 2.

    Examples
    --------
    >>> import networkx as nx
    >>> from bjp_engine.sampling import random_model
    >>> model = random_model(nx.cycle_graph(4), "log-odds", states=[2, 2, 3, 3])
    >>> len(model.factors), model.cardinalities
    (4, (2, 2, 3, 3))
    """
    graph = as_graph(graph)
    names = _node_names(graph)
    cardinalities = _cardinalities(states, len(names))
    places = nx.convert_node_labels_to_integers(graph)
    choice(weights, "weights", get_args(Weights))
    epsilon = number(epsilon, "epsilon")
    if not math.isfinite(epsilon):
        raise OptionError(f"epsilon={epsilon} is not finite; give a number such as 1.0.")
    if weights == "log-odds":
        edges = sorted(sorted(edge) for edge in places.edges())
        factors = [
            Factor((i, j), np.eye(cardinalities[i], cardinalities[j]) * (epsilon / 2))
            for i, j in edges
        ]
    else:
        if epsilon != 1.0:
            raise OptionError(f"epsilon={epsilon} is only for weights='log-odds'; leave it out.")
        cliques = maximal_cliques(places, cardinalities, MAX_WEIGHTS)
        if cliques is None:
            raise OptionError(
                f"The tables of the graph's cliques need more than {MAX_WEIGHTS} weights; use "
                "fewer edges or states, or weights='log-odds'."
            )
        generator = np.random.default_rng(seed_sequence(seed))
        factors = []
        for clique in cliques:
            uniform = generator.random([cardinalities[i] for i in clique])
            # 1 - u is as uniform as u and never 0, whose logarithm is infinite.
            table = uniform if weights == "clique-log-weights" else np.log1p(-uniform)
            factors.append(Factor(clique, table))
    return MarkovModel(names, cardinalities, tuple(factors))


def _node_names(graph: nx.Graph[Any]) -> tuple[Name, ...]:
    """The nodes as names of variables."""
    if not graph:
        raise GraphError("The graph has no nodes; give it at least one.")
    for node in graph.nodes:
        if not isinstance(node, (str, numbers.Integral)):
            raise GraphError(
                f"The node {clip(node)} is neither text nor a whole number; rename the nodes "
                "(networkx.convert_node_labels_to_integers does)."
            )
    return tuple(node if isinstance(node, str) else int(node) for node in graph.nodes)


def _cardinalities(states: int | Sequence[int], n: int) -> tuple[int, ...]:
    """One number of states for each of n nodes."""
    sizes = np.ravel(states).tolist() * (n if np.ndim(states) == 0 else 1)
    if len(sizes) != n:
        raise OptionError(f"states has {len(sizes)} entries for {n} nodes; give one per node.")
    for size in sizes:
        whole_number(size, "states", 2)
    return tuple(sizes)
