"""The distribution p(x) ∝ Π_C φ_C(x_C) that factors make: drawn at random, and sampled."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import networkx as nx
import numpy as np
from numpy.typing import ArrayLike, NDArray

from bjp_engine.dataset import Dataset, Name
from bjp_engine.errors import GraphError, OptionError, clip, not_installed
from bjp_engine.graph import GraphLike, as_graph
from bjp_engine.records import record
from bjp_engine.sampling.elimination import IMPOSSIBLE, MOST_CELLS, Factor, maximal_cliques, tree_of
from bjp_engine.sampling.gibbs import gibbs_rows
from bjp_engine.validate import (
    Seed,
    choice,
    entries,
    instance,
    number,
    whole_number,
    whole_seed,
)

Parts = tuple[tuple[Name, ...], tuple[int, ...], tuple[Factor, ...], tuple[tuple[str, ...], ...]]


def read_network(network: Any) -> Parts:
    """Names, numbers of states, factors and labels of a network of pgmpy."""
    try:
        from pgmpy.models import DiscreteBayesianNetwork, DiscreteMarkovNetwork
    except ImportError:
        raise not_installed("from_pgmpy", "pgmpy", "'bjp-explorer[pgmpy]'") from None
    if not isinstance(network, (DiscreteBayesianNetwork, DiscreteMarkovNetwork)):
        raise OptionError(
            f"network is a {type(network).__name__}; give pgmpy's DiscreteMarkovNetwork or "
            "DiscreteBayesianNetwork."
        )
    try:
        network.check_model()
    except (ValueError, AttributeError) as error:
        raise GraphError(
            f"pgmpy finds the network incomplete ({clip(error)}); give every variable its table."
        ) from None
    directed = isinstance(network, DiscreteBayesianNetwork)
    tables = [cpd.to_factor() for cpd in network.get_cpds()] if directed else network.get_factors()
    names = tuple(network.nodes)
    states: dict[Name, list[object]] = {}
    for table in tables:
        for name in table.variables:
            states.setdefault(name, list(table.state_names[name]))
    labels = tuple(tuple(map(str, states[name])) for name in names)
    sizes = tuple(map(len, labels))
    factors = [_factor(table, names, states) for table in tables]
    # An edge that no table covers stays an edge, with a factor of 1.
    covered = [set(factor.variables) for factor in factors]
    for edge in network.edges:
        pair = tuple(sorted(names.index(name) for name in edge))
        if not any(members.issuperset(pair) for members in covered):
            factors.append(Factor(pair, np.zeros([sizes[i] for i in pair])))
    return names, sizes, tuple(factors), labels


def _factor(table: Any, names: tuple[Name, ...], states: dict[Name, list[object]]) -> Factor:
    """One table with ascending variables, and each variable's states in one order."""
    values = np.asarray(table.values, dtype=np.float64)
    for axis, name in enumerate(table.variables):
        given = list(table.state_names[name])
        if set(given) != set(states[name]):
            raise GraphError(
                f"The tables give variable {clip(name)} different states; name them alike in all."
            )
        values = values.take([given.index(state) for state in states[name]], axis)
    if not (values >= 0).all():
        raise GraphError(
            f"The table of {clip(', '.join(map(str, table.variables)))} holds a weight that is not "
            "a number from 0; correct it."
        )
    places = [names.index(name) for name in table.variables]
    order = sorted(range(len(places)), key=places.__getitem__)
    with np.errstate(divide="ignore"):
        return Factor(tuple(places[k] for k in order), np.log(values.transpose(order)))


Method = Literal["gibbs", "exact"]

# The joint table has one entry a joint state.
MAX_JOINT_STATES = 1 << 20
MAX_CELLS = 10**8


@record
@dataclass(frozen=True, eq=False)
class MarkovModel:
    """A distribution p(x) ∝ Π_C φ_C(x_C) over discrete variables, as `random_model` makes one.

    Parameters
    ----------
    names : tuple of str or int
        The n variables.
    cardinalities : tuple of int
        r_i, the number of states of each.
    factors : tuple of Factor
        In any order; a variable in none of them is uniform. A log weight of -inf makes its joint
        states impossible.
    labels : tuple of tuple of str, optional
        The text of each state; the codes by default.
    """

    names: tuple[Name, ...]
    cardinalities: tuple[int, ...]
    factors: tuple[Factor, ...]
    labels: tuple[tuple[str, ...], ...] | None = None

    def __post_init__(self) -> None:
        for name in ("names", "cardinalities", "factors"):
            object.__setattr__(self, name, entries(getattr(self, name), name))
        for r in self.cardinalities:
            whole_number(r, "cardinalities", 1)
        if len(self.cardinalities) != len(self.names):
            raise GraphError(
                f"There are {len(self.cardinalities)} cardinalities for {len(self.names)} "
                "variables; give one per variable."
            )
        for factor in self.factors:
            instance(factor, "factors", Factor, "a tuple of Factor")
            inside = all(0 <= i < len(self.names) for i in factor.variables)
            ascending = tuple(sorted(set(factor.variables))) == factor.variables
            if not factor.variables or not inside or not ascending:
                raise GraphError(
                    f"A factor is over the variables {factor.variables}; "
                    f"give ascending positions from 0 to {len(self.names) - 1}."
                )
            shape = tuple(self.cardinalities[i] for i in factor.variables)
            if factor.log_table.shape != shape or not (factor.log_table < np.inf).all():
                raise GraphError(
                    f"The table of factor {factor.variables} has shape {factor.log_table.shape}; "
                    f"give {shape} log weights, finite or -inf."
                )
        if self.labels is not None:
            labels = tuple(entries(one, "labels") for one in entries(self.labels, "labels"))
            object.__setattr__(self, "labels", labels)
            if tuple(map(len, labels)) != self.cardinalities:
                raise GraphError("labels don't fit the cardinalities; give one text per state.")

    @classmethod
    def from_pgmpy(cls, network: Any) -> MarkovModel:
        """The distribution of a discrete network of pgmpy, to sample from and compare with.

        Its graph has every edge of a Markov network, and is the moral graph of a Bayesian one.
        With a zero in a table only `sample(method="exact")` draws from the model.

        Examples
        --------
        >>> from bjp_engine.sampling import MarkovModel
        >>> from pgmpy.factors.discrete import TabularCPD
        >>> from pgmpy.models import DiscreteBayesianNetwork
        >>> rain = DiscreteBayesianNetwork()
        >>> rain.add_node("rain")
        >>> states = {"rain": ["no", "yes"]}
        >>> rain.add_cpds(TabularCPD("rain", 2, [[0.8], [0.2]], state_names=states))
        >>> model = MarkovModel.from_pgmpy(rain)
        >>> model.labels, model.joint().round(2).tolist()
        ((('no', 'yes'),), [0.8, 0.2])
        """
        return cls(*read_network(network))

    @property
    def graph(self) -> nx.Graph[Name]:
        """The Markov network: two variables are adjacent where they share a factor."""
        graph: nx.Graph[Name] = nx.Graph()
        graph.add_nodes_from(self.names)
        for factor in self.factors:
            members = [self.names[i] for i in factor.variables]
            graph.add_edges_from((u, v) for k, u in enumerate(members) for v in members[k + 1 :])
        return graph

    def log_weight(self, codes: ArrayLike) -> NDArray[np.float64]:
        """The unnormalised log probability Σ_C ln φ_C(x_C) of each row."""
        table = Dataset.from_codes(codes, self.cardinalities, self.names).codes
        total = np.zeros(len(table))
        for factor in self.factors:
            total += factor.log_table[tuple(table[:, i] for i in factor.variables)]
        return total

    def joint(self) -> NDArray[np.float64]:
        """The probability of every joint state by enumeration, shape (r_0, …, r_{n-1}).

        Examples
        --------
        >>> import networkx as nx
        >>> from bjp_engine.sampling import random_model
        >>> random_model(nx.path_graph(3), seed=1).joint().shape
        (2, 2, 2)
        """
        states = math.prod(self.cardinalities)
        if states > MAX_JOINT_STATES:
            raise OptionError(
                f"The model has about 10^{math.log10(states):.0f} joint states and exact "
                f"enumeration takes at most {MAX_JOINT_STATES}; sample draws from larger models."
            )
        log_joint = np.zeros(self.cardinalities)
        for factor in self.factors:
            shape = [r if i in factor.variables else 1 for i, r in enumerate(self.cardinalities)]
            log_joint += factor.log_table.reshape(shape)
        if np.isneginf(top := log_joint.max()):
            raise GraphError(IMPOSSIBLE)
        weights = np.exp(log_joint - top)
        return np.asarray(weights / weights.sum(), dtype=np.float64)

    def sample(
        self,
        rows: int,
        seed: Seed = 0,
        method: Method | None = None,
        *,
        burn_in: int = 100,
        sweeps: int = 1000,
    ) -> Dataset:
        """Draw a dataset.

        Parameters
        ----------
        method : {"gibbs", "exact"}, optional
            `gibbs` runs chains one after another, as many as the rows need, each from a
            uniform random state; `exact` draws independent rows. By default exact where that is
            possible, and from chains elsewhere.
        burn_in : int
            Sweeps of each Gibbs chain before its first row.
        sweeps : int
            Sweeps of each Gibbs chain after that; each gives one row, without thinning.

        Warns
        -----
        UserWarning
            If Gibbs chains disagree: the number is R̂, the split one of Gelman et al. (2013), of
            the state where it is largest, and more than 1.2. Chains of fewer than 200 sweeps are
            not compared.

        Examples
        --------
        >>> import networkx as nx
        >>> from bjp_engine.sampling import random_model
        >>> model = random_model(nx.path_graph(3), seed=1)
        >>> model.sample(5, seed=2).codes.shape
        (5, 3)

        Notes
        -----
        N rows are the first N of a stream that the seed fixes, so a shorter sample is the
        beginning of a longer one. Ten chains make 10 000 rows, as Libra does by default. Exact
        rows invert the joint distribution function of up to 2^20 joint states; of more, each
        variable is drawn given those after it in an elimination tree of up to 2^20 cells.
        """
        whole_number(rows, "rows", 1)
        whole_number(burn_in, "burn_in", 0)
        whole_number(sweeps, "sweeps", 1)
        if rows * len(self.names) > MAX_CELLS:
            raise OptionError(
                f"rows={rows} of {len(self.names)} variables is more than {MAX_CELLS} cells; "
                "ask for fewer rows."
            )
        seed = whole_seed(seed)
        if method is not None:
            choice(method, "method", get_args(Method))
        codes: NDArray[Any] | None = None
        if method != "gibbs":
            codes = self._independent_rows(rows, seed)
            if codes is None and method == "exact":
                raise OptionError(
                    f"method='exact' would need tables of more than {MOST_CELLS:,} cells; use "
                    "method='gibbs'."
                )
        if codes is None:
            if any(np.isneginf(factor.log_table).any() for factor in self.factors):
                raise OptionError(
                    "Gibbs chains can't sample where a weight is zero, since one may never reach "
                    "some states; use method='exact' where its tables are small enough, or pgmpy's "
                    "simulate for a Bayesian network."
                )
            codes = gibbs_rows(self, rows, seed, burn_in, sweeps)
        return Dataset.from_codes(codes, self.cardinalities, self.names, self.labels)

    def _independent_rows(self, rows: int, seed: int) -> NDArray[Any] | None:
        """Rows by inverting the joint distribution function, or from the elimination tree."""
        stream = np.random.default_rng(np.random.SeedSequence(whole_seed(seed)).spawn(1)[0])
        if math.prod(self.cardinalities) > MAX_JOINT_STATES:
            tree = tree_of(self.factors, self.cardinalities)
            if tree is None:
                return None
            return tree.draw(self.factors, self.cardinalities, rows, stream)
        cumulative = np.cumsum(self.joint())
        cumulative /= cumulative[-1]
        states = np.searchsorted(cumulative, stream.random(rows), side="right")
        return np.stack(np.unravel_index(states, self.cardinalities), axis=1)


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
        generator = np.random.default_rng(whole_seed(seed))
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
